"""Messages from a file of JSON lines: read a line at a time, logged in batches, each once however often it is run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from oldsoul.app.keepers.recall_validator import ImportedCorrections, imported
from oldsoul.app.keepers.runs import KeeperRuns
from oldsoul.app.talk.log import EARLIEST, LATEST
from oldsoul.errors import BadInput, OldsoulError
from oldsoul.values.messages import ROLES, Said
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

FIELDS = ("session", "kind", "room", "sender", "subject", "role", "text", "time", "key", "channel")
BATCH = 500


class BadLine(NamedTuple):
    """A line that was left out."""

    line: int
    """its number"""
    problem: str
    """what is wrong with it"""


class Imported(NamedTuple):
    """What an import came to."""

    stored: int
    """messages that are new"""
    repeated: int
    """messages that were there already"""
    masked: int
    """secrets that were masked"""
    bad: tuple[BadLine, ...]
    """lines that were left out"""
    sessions: tuple[str, ...] = ()
    """the sessions they belong to, by id, in the order they came up"""
    own: frozenset[int] = frozenset()
    """the messages in it that the operator said, those that were there already too"""
    since: datetime | None = None
    """when the first message of all was said"""
    looked: ImportedCorrections | None = None
    """what became of the operator's corrections in them; None where nobody looked yet"""


def import_lines(
    keeping: KeeperRuns,
    lines: Iterable[str | bytes],
    *,
    vouched: bool,
    keep_going: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> Imported:
    """Log the messages of these lines, then carry out the operator's corrections in them, if somebody vouches.

    What was logged stays; a line that makes no sense stops it, or is left out.
    """
    done = log_lines(keeping, lines, vouched=vouched, keep_going=keep_going, on_progress=on_progress)
    return done._replace(looked=correct_imported(keeping, [done])) if vouched else done


def correct_imported(
    keeping: KeeperRuns, every: Iterable[Imported], on_progress: Callable[[int, int], None] = lambda _done, _all: None
) -> ImportedCorrections | None:
    """Have the operator's corrections in what was imported hold now, in the order they were said.

    None where nothing was looked at: the operator said nothing in it, or the keepers are switched off.
    """
    done = list(every)
    own = frozenset(number for each in done for number in each.own)
    if not own or not keeping.is_on:
        return None
    return imported(keeping, own, min(each.since for each in done if each.since), on_progress)


def log_lines(
    keeping: KeeperRuns,
    lines: Iterable[str | bytes],
    *,
    vouched: bool,
    keep_going: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> Imported:
    """Log the messages of these lines, and no more."""
    stored = repeated = masked = 0
    own: set[int] = set()
    since: datetime | None = None
    bad: list[BadLine] = []
    batch: list[Said] = []
    seen: Counter[str] = Counter()
    sessions: dict[str, None] = {}

    def store() -> None:
        nonlocal stored, repeated, masked, since
        for heard in keeping.inputs.log.hear_all(batch, vouched=vouched) if batch else ():
            stored += not heard.repeated
            repeated += heard.repeated
            masked += heard.masked
            sessions[heard.message.session.id] = None
            since = min(since or heard.message.time, heard.message.time)
            if heard.message.origin is Origin.OPERATOR:
                own.add(heard.message.id)
        batch.clear()
        if on_progress:
            on_progress(stored + repeated)

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            batch.append(keeping.inputs.log.checked(said_of(line, seen)))
        except OldsoulError as error:
            if not keep_going:
                store()
                done = f"{stored + repeated} messages before it are stored; correct the line and run this again"
                raise BadInput(f"line {number}: {error}. {done}") from error
            bad.append(BadLine(number, str(error)))
        if len(batch) >= BATCH:
            store()
    store()
    return Imported(stored, repeated, masked, tuple(bad), tuple(sessions), frozenset(own), since)


def said_of(line: str | bytes, seen: Counter[str]) -> Said:
    """The message of one line; `BadInput` says what is wrong with it."""
    try:
        raw = json.loads(line if isinstance(line, str) else line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput("it is not UTF-8") from None
    except ValueError as error:
        raise BadInput(f"this is not JSON ({error})") from None
    except RecursionError:
        raise BadInput("this is nested too deeply for a message") from None
    if not isinstance(raw, dict):
        raise BadInput("a message must be a JSON object with session, kind, role, text and time")
    unknown = sorted(set(raw) - set(FIELDS))
    if unknown:
        raise BadInput(f"unknown fields: {', '.join(map(repr, unknown))}; a message has {', '.join(FIELDS)}")
    values = {field: _text(raw, field) for field in FIELDS}
    if not values["text"].strip():
        raise BadInput("it has no text")
    if not values["session"]:
        raise BadInput("it names no session")
    role = values["role"] or "user"
    if role not in ROLES:
        raise BadInput(f"{role!r} is not a role; use one of {', '.join(ROLES)}")
    subject = Subject(values["subject"]) if values["subject"] else None
    return Said(
        text=values["text"],
        session=Session.described(values["kind"], values["session"], subject, values["room"]),
        role=role,
        sender=values["sender"],
        subject=subject if role == "user" else None,
        time=_time(values["time"]),
        channel=values["channel"],
        key=values["key"] or _key(values, seen),
    )


def _text(raw: dict[str, Any], field: str) -> str:
    value = raw.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"{field} must be a string, not {type(value).__name__}")
    return value


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"{text!r} is not a time; write 2026-02-04T10:00:00Z or with an offset such as +01:00") from None
    if time.tzinfo is None:
        raise BadInput(f"{text!r} has no time zone; write 2026-02-04T10:00:00Z or with an offset such as +01:00")
    if not EARLIEST <= time.year <= LATEST:
        raise BadInput(f"{text!r} is too far in the past or the future")
    return time


def _key(values: dict[str, str], seen: Counter[str]) -> str:
    """A key for a line without one: the same line of the same file has the same key when it is imported again."""
    digest = hashlib.sha256("\0".join(values[field] for field in FIELDS).encode("utf-8", "surrogatepass")).hexdigest()
    seen[digest] += 1
    return f"import:{digest[:32]}:{seen[digest]}"
