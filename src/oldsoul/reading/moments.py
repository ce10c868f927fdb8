"""Times, days and time zones as people write them."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from datetime import tzinfo

FORM = "an IANA time zone such as Europe/Berlin"
_FIRST_YEAR, _LAST_YEAR = 2, 9998
"""Beyond these, a time may be out of the calendar in another zone."""


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


def moment(text: str, zone: tzinfo, *, end: bool = False) -> datetime:
    """The time that is meant: without an offset it is one of this zone; a date is its first moment, or its `end`."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        wanted = "2026-02-04, 2026-02-04T10:00 or 2026-02-04T10:00:00+01:00"
        raise BadInput(f"{text!r} is not a time; write one such as {wanted}") from None
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise BadInput(f"{text!r} is too far in the past or the future")
    if end and _is_day(text):
        found += timedelta(days=1)
    return found if found.tzinfo else found.replace(tzinfo=zone)


def span(since: str | None, until: str | None, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
    """The first moment that is meant and the one after the last; `BadInput` when nothing lies between them."""
    first = moment(since, zone) if since is not None else None
    end = moment(until, zone, end=True) if until is not None else None
    if first is not None and end is not None and first >= end:
        raise BadInput(f"{since} is not before {until}; swap the two")
    return first, end


def day(text: str) -> date:
    """The day that is meant."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"{text!r} is not a day; write it as 2026-02-04") from None


def _is_day(text: str) -> bool:
    try:
        day(text)
    except BadInput:
        return False
    return True
