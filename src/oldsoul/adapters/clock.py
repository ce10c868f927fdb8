"""The machine's clock."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


class SystemClock:
    """Tells the time of this machine."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


_LOCALTIME, _TIMEZONE = "/etc/localtime", "/etc/timezone"
_MARK = "zoneinfo/"
_YEAR = tuple(datetime(2024, month, 15, 12, tzinfo=UTC) for month in range(1, 13))


class LocalTime(tzinfo):
    """The C library's local time, by the rules that hold in each moment."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """How far it is from UTC in that moment."""
        return None if moment is None else moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, _moment: datetime | None) -> timedelta | None:
        """Nobody knows how much of it is summer time."""
        return None

    def tzname(self, moment: datetime | None) -> str:
        """What people call it in that moment."""
        return str(self) if moment is None else moment.replace(tzinfo=None).astimezone().tzname() or str(self)

    def fromutc(self, moment: datetime) -> datetime:
        """The same moment on the clock here."""
        return datetime.fromtimestamp(moment.replace(tzinfo=UTC).timestamp()).replace(tzinfo=self)  # noqa: DTZ006 - as meant

    def __str__(self) -> str:
        return "local"


_LOCAL_TIME = LocalTime()


def local_zone(environ: Mapping[str, str], localtime: str = _LOCALTIME, timezone: str = _TIMEZONE) -> tzinfo:
    """The zone that `TZ`, the link `/etc/localtime` or `/etc/timezone` names, or that is in the first of these files.

    Where there is none, local time is what the C library says it is, moment by moment.
    """
    if environ.get("TZ") == "":
        return UTC
    named = environ.get("TZ", "").removeprefix(":")
    file = named if named.startswith("/") else localtime
    if named and file != named:
        return _of_name(named) or _LOCAL_TIME
    try:
        status = os.lstat(file)
    except OSError:
        return _of_name(_first_line(timezone)) or _LOCAL_TIME
    return _of_file(file, timezone, (status.st_ino, status.st_mtime_ns)) or _LOCAL_TIME


@lru_cache(maxsize=8)
def _of_file(path: str, timezone: str, _stamp: tuple[int, int]) -> tzinfo | None:
    """The zone a file stands for: by its name below the folder of zones, else by what it holds."""
    target = os.readlink(path) if os.path.islink(path) else path
    found = _of_name(target.rpartition(_MARK)[2]) if _MARK in target else None
    if found is not None:
        return found
    try:
        with open(path, "rb") as file:
            held = ZoneInfo.from_file(file, key="local")
    except (OSError, ValueError):
        return None
    # The name next to it may be an old one: it counts when its clocks go like those of the file.
    named = _of_name(_first_line(timezone))
    return named if named is not None and _clocks(named) == _clocks(held) else held


def _clocks(zone: tzinfo) -> list[timedelta | None]:
    """How far a zone is from UTC in each month of a year."""
    return [moment.astimezone(zone).utcoffset() for moment in _YEAR]


def _of_name(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""
