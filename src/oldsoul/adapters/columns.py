"""Texts, times and numbers as columns that every database takes, and back."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta

from oldsoul.errors import BadInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_GREATEST = 2**63 - 1
_HARD = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


def stored(text: str) -> str:
    """The text in a form every database takes: NUL and lone surrogates are written out; `said` gives the same back."""
    return _HARD.sub(lambda found: f"\x1a{ord(found[0]):04x}", text)


def said(text: str) -> str:
    """The text that `stored` was given."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "\x1a" in text else text


def digest(text: str) -> str:
    """Stands for a text where that may be too long."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def microseconds(time: datetime) -> int:
    """The time as a number: microseconds since 1970, UTC; `BadInput` for one that has no zone."""
    if time.utcoffset() is None:
        raise BadInput(f"the time {time} has no time zone; add one")
    return (time - _EPOCH) // _MICROSECOND


def moment(number: int) -> datetime:
    """The time of this number, in UTC; `BadInput` for one out of any calendar."""
    try:
        return _EPOCH + number * _MICROSECOND
    except OverflowError:
        raise BadInput("that time is too far in the past or the future") from None


def bounded(number: int) -> int:
    """The number, as far as a database can tell numbers apart."""
    return max(-_GREATEST, min(number, _GREATEST))
