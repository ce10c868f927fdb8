"""Texts, times and numbers as columns that every database takes, and back."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from oldsoul.errors import BadInput
from oldsoul.language.words import indexed, words
from oldsoul.values.audience import Audience
from oldsoul.values.messages import Flag, Message, Thread, Wanted
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

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


READ = (
    "SELECT m.id, m.workspace, s.facts, m.subject, m.role, m.sender, m.time, m.origin, m.audience, m.channel, m.key,"
    " m.flags, m.text"
)
"""What `message_of` reads, of messages `m` and sessions `s`."""

READ_THREAD = "SELECT s.facts, t.count, t.first, t.last, t.last_id, t.channel"
"""What `thread_of` reads, of threads `t` and sessions `s`."""

MOST_MARKS = 200
"""How many a database is asked for at once: what a look-up costs there grows faster than their number."""

_LONGEST_WORD = 64


# messages


def in_utc(message: Message) -> Message:
    """The message with its time in UTC, as it will be read back."""
    return replace(message, time=moment(microseconds(message.time)))


@lru_cache(maxsize=1024)
def facts_of(session: Session) -> str:
    """A session as one line of JSON: equal sessions give equal lines."""
    return json.dumps(session.facts(), separators=(",", ":"), sort_keys=True)


@lru_cache(maxsize=1024)
def session_of(facts: str) -> Session:
    """The session of such a line."""
    return Session.of_facts(json.loads(facts))


def row_of(message: Message) -> dict[str, Any]:
    """What is stored of a message, by column; its session as it was given (`facts_of`) is stored apart."""
    return {
        "workspace": stored(message.workspace),
        "session": message.session.id,
        "room": message.session.room,
        "subject": message.subject.id if message.subject else "",
        "role": stored(message.role),
        "sender": stored(message.sender),
        "time": microseconds(message.time),
        "origin": str(message.origin),
        "audience": str(message.audience),
        "channel": stored(message.channel),
        "key": stored(message.key),
        "flags": _flags_json(message.flags) if message.flags else "",
        "text": stored(message.text),
    }


def _flags_json(flags: Sequence[Flag]) -> str:
    # JSON alone would make one character of two surrogates that happen to be neighbours.
    parts = [(flag.trigger, flag.route, flag.confidence, flag.phrase) for flag in flags]
    return json.dumps([[*map(stored, each)] for each in parts], separators=(",", ":"))


def message_of(row: Sequence[Any]) -> Message:
    """The message of a row of `READ`."""
    number, workspace, facts, subject, role, sender, time, origin, audience, channel, key, flags, text = row
    return Message(
        workspace=said(workspace),
        session=session_of(facts),
        role=said(role),
        sender=said(sender),
        subject=Subject(subject) if subject else None,
        text=said(text),
        time=moment(time),
        origin=Origin(origin),
        audience=Audience.parse(audience),
        key=said(key),
        channel=said(channel),
        flags=tuple(Flag(*map(said, each)) for each in json.loads(flags)) if flags else (),
        id=number,
    )


def thread_of(row: Sequence[Any]) -> Thread:
    """The thread of a row of `READ_THREAD`."""
    facts, count, first, last, last_id, channel = row
    return Thread(session_of(facts), count, moment(first), moment(last), last_id, said(channel))


# look-ups


def marks(text: str, flags: Sequence[Flag]) -> list[str]:
    """What a message is looked up by: its words, and the keepers it was flagged for."""
    return list(dict.fromkeys([*map(_shortened, indexed(text)), *(_route(flag.route) for flag in flags)]))


def wanted_marks(wanted: Wanted) -> list[str] | None:
    """The marks a message must have, every one of them; None when none can have what is asked for."""
    found = list(dict.fromkeys(_shortened(word) for word in words(wanted.words)))
    if wanted.words and not found:
        return None
    return [*found, _route(wanted.flagged)] if wanted.flagged else found


def telling(must: Sequence[str]) -> Sequence[str]:
    """Those marks that the database is asked for: all, or of very many the longest, which fewest messages have."""
    return sorted(must, key=len, reverse=True)[:MOST_MARKS] if len(must) > MOST_MARKS else must


def with_all(found: list[Message], must: Sequence[str], limit: int) -> list[Message]:
    """Those of the found messages that have the marks the database was not asked for."""
    if len(must) <= MOST_MARKS:
        return found
    whole = frozenset(must)
    return [message for message in found if whole <= {*marks(message.text, message.flags)}][: max(0, limit)]


def _shortened(word: str) -> str:
    # No database's index takes words of any length. What stands for a long one is longer than any other word.
    return word if len(word) <= _LONGEST_WORD else f"x{digest(word)}"


def _route(keeper: str) -> str:
    # A paragraph sign is in no word, so a keeper is never taken for one.
    return f"§{digest(keeper)[:16]}"


def conditions(workspace: str, wanted: Wanted) -> tuple[list[str], list[Any]]:
    """What is asked for but the marks, as SQL about messages `m`, with `?` for each value."""
    found: list[tuple[str, tuple[Any, ...]]] = [("m.workspace=?", (stored(workspace),))]
    if wanted.session:
        found.append(("m.session=?", (stored(wanted.session),)))
    if wanted.subject:  # the second half lets the database see that its index of messages with a subject will do
        found.append(("m.subject=? AND m.subject<>''", (stored(wanted.subject),)))
    if wanted.room:
        found.append(("m.room=? AND m.room<>''", (stored(wanted.room),)))
    if wanted.since is not None:
        found.append(("m.time>=?", (microseconds(wanted.since),)))
    if wanted.until is not None:
        found.append(("m.time<?", (microseconds(wanted.until),)))
    if wanted.after:
        found.append(("m.id>?", (bounded(wanted.after),)))
    if wanted.past is not None:
        time, number = wanted.past
        side = "<" if wanted.newest_first else ">"
        if wanted.by_number:
            found.append((f"m.id{side}?", (bounded(number),)))
        else:
            found.append((f"(m.time, m.id){side}(?, ?)", (microseconds(time), bounded(number))))
    return [sql for sql, _ in found], [value for _, values in found for value in values]


def order(wanted: Wanted, must: Sequence[str]) -> str:
    """The order asked for and how many, as SQL; as many as there are when `with_all` is still to choose."""
    columns = ("m.id",) if wanted.by_number else ("m.time", "m.id")
    by = ", ".join(f"{column} DESC" if wanted.newest_first else column for column in columns)
    limit = bounded(wanted.limit) if len(must) <= MOST_MARKS else bounded(sys.maxsize)
    return f"ORDER BY {by} LIMIT {max(0, limit)}"
