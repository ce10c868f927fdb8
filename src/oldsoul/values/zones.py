"""Time zones by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from datetime import tzinfo

FORM = "an IANA time zone such as Europe/Berlin"


def zone_of(name: str) -> tzinfo:
    """A time zone by its name; `BadInput` when there is none of that name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - most homes keep the machine's zone

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(f"{name!r} is not {FORM}") from None


def is_zone(name: str) -> bool:
    """Whether there is a time zone of that name."""
    try:
        zone_of(name)
    except BadInput:
        return False
    return True
