"""What people give on the command line: words, times, days and ids, understood or refused with what to write instead."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from oldsoul.app import Agent

_FIRST_YEAR, _LAST_YEAR = 2, 9998
"""Beyond these, a time may be out of the calendar in another zone."""
_MOST_DIGITS = 19


def moment(text: str, zone: tzinfo, *, end: bool = False) -> datetime:
    """The time that is meant: without an offset it is one of this zone; a date is its first moment, or its `end`."""
    try:
        found = datetime.fromisoformat(text)
        is_date = _is_date(text)
    except ValueError:
        wanted = "2026-02-04, 2026-02-04T10:00 or 2026-02-04T10:00:00+01:00"
        raise BadInput(f"{text!r} is no time; write one such as {wanted}") from None
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise BadInput(f"{text!r} is too far away")
    if is_date and end:
        found += timedelta(days=1)
    return found if found.tzinfo else found.replace(tzinfo=zone)


def span(since: str | None, until: str | None, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
    """The first moment that is meant and the one after the last; `BadInput` when nothing lies between them."""
    first = moment(since, zone) if since is not None else None
    end = moment(until, zone, end=True) if until is not None else None
    if first is not None and end is not None and first >= end:
        raise BadInput(f"nothing lies between --since {since} and --until {until}; the first must be the earlier one")
    return first, end


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def day(text: str) -> date:
    """The day that is meant."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"{text!r} is no day; write it as 2026-02-04") from None


def cursor_of(at: datetime, number: int) -> str:
    """A place in the chat log, as it is printed: the time of a message and its number."""
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat()}Z/{number}"


def place(cursor: str) -> tuple[datetime, int]:
    """The place such a cursor names."""
    at, _, number = cursor.rpartition("/")
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        found = None
    is_number = number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS
    if found is None or found.tzinfo is None or not is_number:
        raise BadInput(f"{cursor!r} is no place in the log; give the one that the page before ends with")
    return found, int(number)


def named(text: str, what: str) -> str:
    """The id of a session or a room in its one form."""
    from oldsoul.values.ids import checked_id  # noqa: PLC0415 - not every command needs it

    return checked_id(text, what)


def person(text: str) -> str:
    """The id of a person in its one form."""
    from oldsoul.values.sessions import Subject  # noqa: PLC0415 - as above

    return Subject(text).id


def known_person(text: str, agent: Agent) -> str:
    """The id of a person in its one form; of a name that is none, it is said whose it is."""
    try:
        return person(text)
    except BadInput as error:
        found = _called(text.strip().casefold(), agent) if text.strip() else []
        if not found:
            raise
        raise BadInput(f"{text!r} is a name, not an id; known by it: {', '.join(found)}") from error


def _called(name: str, agent: Agent) -> list[str]:
    """The ids of people who are called so, in small letters: at the end of their id, or in their latest message."""
    from oldsoul.values.messages import Wanted  # noqa: PLC0415 - only a mistake needs it

    found = {
        person.id
        for person in agent.soul.people.everyone()
        if any(known.casefold().endswith(f":{name}") for known in (person.id, *person.known_as))
    }
    for speaker in agent.soul.chat.people(agent.id):
        latest = agent.talk.messages(Wanted(subject=speaker, newest_first=True, limit=1))
        found.update(speaker for message in latest if message.sender.casefold() == name)
    return sorted(found)


def from_stdin() -> bytes:
    """All of standard input; nothing when it is closed."""
    return sys.stdin.buffer.read() if sys.stdin else b""


def text(words: tuple[str, ...], nothing: str) -> str:
    """The words of the command line, or all of standard input for a lone `-`; `BadInput` when that is no text."""
    if words == ("-",):
        try:
            found = from_stdin().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadInput("standard input is not UTF-8 text") from None
    else:
        found = " ".join(words)
    if any("\ud800" <= c <= "\udfff" for c in found):
        raise BadInput("the text is not UTF-8")
    if "\0" in found:
        raise BadInput("the text holds a NUL character, so it is not text")
    if not found.strip():
        raise BadInput(nothing)
    return found.strip()
