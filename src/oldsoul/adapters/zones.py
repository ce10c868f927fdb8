"""The machine's time zone with its rules, so that summer time is known ahead."""

from __future__ import annotations

import os
from datetime import UTC
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

_LOCALTIME = "/etc/localtime"
_MARK = "zoneinfo/"


def local_zone(environ: Mapping[str, str], localtime: str = _LOCALTIME) -> tzinfo:
    """The zone that `TZ` or `/etc/localtime` names; UTC when they name none."""
    named = environ.get("TZ", "").removeprefix(":")
    if named.startswith("/"):
        return _of_file(named) or UTC
    return (_of_name(named) if named else _of_file(localtime)) or UTC


def _of_file(path: str) -> tzinfo | None:
    """The zone a file stands for: by its name below the folder of zones, else by what it holds."""
    target = os.readlink(path) if os.path.islink(path) else path
    if _MARK in target:
        found = _of_name(target.rpartition(_MARK)[2])
        if found is not None:
            return found
    try:
        with open(path, "rb") as file:
            return ZoneInfo.from_file(file, key="local")
    except (OSError, ValueError):
        return None


def _of_name(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
