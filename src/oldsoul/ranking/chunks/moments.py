"""When a piece of a document is from: the days and times that names and headings tell."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oldsoul.language.headings import place as about

if TYPE_CHECKING:
    from datetime import date, tzinfo


_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_CLOCK = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{1,2}:\d{2})(?::\d{2})?\s*(UTC|Z|[+-]\d{2}:?\d{2})?")
_HOUR = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?", re.IGNORECASE)
_FIRST_YEAR, _LAST_YEAR = 2, 9998
"""Days that a clock in any zone can tell, and the days beside them."""


def says_more(heading: str) -> bool:
    """Whether a heading says more than when, and is not one that every folder has."""
    return bool(about("", heading)) and not _HOUR.fullmatch(heading)


def led_day(heading: str) -> date | None:
    """The day a heading begins with."""
    return day_in(heading[:11]) if _DAY.match(heading) else None


def day_in(text: str) -> date | None:
    """The first day that stands in a text, if a clock can tell it."""
    for found in _DAY.finditer(text) if text else ():
        try:
            day = datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC).date()
        except ValueError:
            continue
        return day if _FIRST_YEAR <= day.year <= _LAST_YEAR else None
    return None


def clock_in(heading: str, zone: tzinfo) -> datetime | None:
    """The time a heading names."""
    found = _CLOCK.search(heading)
    if found is None:
        return None
    offset = (found[3] or "").replace("UTC", "+00:00").replace("Z", "+00:00")
    try:
        time = datetime.fromisoformat(f"{found[1]}T{found[2]:0>5}{offset}")
        if not _FIRST_YEAR <= time.year <= _LAST_YEAR:
            return None
        return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
