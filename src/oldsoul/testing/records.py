"""What a home keeps beside its documents, in memory: events, jobs, tokens, costs; and all records together."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput, Conflict, NotFound, Refused
from oldsoul.language.words import indexed, words
from oldsoul.ranking.chunks import message_chunk
from oldsoul.testing.scripts import MemoryLeases
from oldsoul.values.audience import OWNER, View
from oldsoul.values.jobs import Event, EventKind, JobState, JobStatus
from oldsoul.values.messages import Logged, Message, Thread, Wanted
from oldsoul.values.models import Call, Spent
from oldsoul.values.recall import MEM0, Hit, Reuse, Use

if TYPE_CHECKING:
    from oldsoul.values.callers import Token


class MemoryChatLog:
    """Messages in a list, with everything a real log promises but surviving the process."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._messages: list[Message] = []
        self._by_key: dict[tuple[str, str], int] = {}

    def append(self, messages: Sequence[Message]) -> list[Logged]:
        given = [replace(message, time=_utc(message.time)) for message in messages]
        with self._guard:
            return [self._append(message) for message in given]

    def _append(self, message: Message) -> Logged:
        number = self._by_key.setdefault((message.workspace, message.key), len(self._messages) + 1)
        if number <= len(self._messages):
            return Logged(self._messages[number - 1], repeated=True)
        stored = replace(message, id=number)
        self._messages.append(stored)
        return Logged(stored, repeated=False)

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        with self._guard:
            found = [m for m in self._messages if m.workspace == workspace and _is_wanted(m, wanted)]
        found.sort(key=_number if wanted.by_number else _place, reverse=wanted.newest_first)
        return found[: max(0, wanted.limit)]

    def threads(self, workspace: str) -> list[Thread]:
        sessions: dict[str, list[Message]] = {}
        with self._guard:
            for message in self._messages:
                if message.workspace == workspace:
                    sessions.setdefault(message.session.id, []).append(message)
        threads = [_thread(sorted(said, key=_place)) for said in sessions.values()]
        return sorted(threads, key=lambda thread: (thread.last, thread.last_id), reverse=True)

    def thread(self, workspace: str, session: str) -> Thread | None:
        """One session, by its id; None when there is none."""
        return next((thread for thread in self.threads(workspace) if thread.session.id == session), None)

    def last(self, workspace: str) -> int:
        """The number of the latest message; 0 when there is none."""
        return max((m.id for m in self._messages if m.workspace == workspace), default=0)

    def said_at(self, workspace: str, since: datetime, until: datetime) -> list[tuple[datetime, str]]:
        """When something was said from one time on and before another, and in which session, in the order of time."""
        with self._guard:
            found = [m for m in self._messages if m.workspace == workspace and since <= m.time < until]
        return [(message.time, message.session.id) for message in sorted(found, key=_place)]

    def people(self, workspace: str) -> list[str]:
        """Who ever said something, by their ids, in order."""
        return sorted({m.subject.id for m in self._messages if m.workspace == workspace and m.subject is not None})

    def redact(self, workspace: str, texts: Mapping[int, str]) -> None:
        with self._guard:
            for place, message in enumerate(self._messages):
                if message.workspace == workspace and message.id in texts:
                    self._messages[place] = replace(message, text=texts[message.id], flags=())

    def close(self) -> None:
        """Nothing to close."""


def _place(message: Message) -> tuple[datetime, int]:
    return (message.time, message.id)


def _number(message: Message) -> int:
    return message.id


def _is_past(message: Message, wanted: Wanted) -> bool:
    """Whether a message comes after the page before."""
    if wanted.past is None:
        return True
    if wanted.by_number:
        return message.id < wanted.past[1] if wanted.newest_first else message.id > wanted.past[1]
    place = _place(message)
    return place < wanted.past if wanted.newest_first else place > wanted.past


def _is_wanted(message: Message, wanted: Wanted) -> bool:
    return (
        message.id > wanted.after
        and (not wanted.session or message.session.id == wanted.session)
        and (not wanted.subject or (message.subject is not None and message.subject.id == wanted.subject))
        and (not wanted.room or message.session.room == wanted.room)
        and (not wanted.flagged or any(flag.route == wanted.flagged for flag in message.flags))
        and (wanted.since is None or message.time >= wanted.since)
        and (wanted.until is None or message.time < wanted.until)
        and _is_past(message, wanted)
        and (not wanted.words or _holds(message.text, words(wanted.words)))
    )


def _holds(text: str, every: Sequence[str]) -> bool:
    return bool(every) and set(every) <= set(indexed(text))


def _thread(said: Sequence[Message]) -> Thread:
    last = said[-1]
    greatest = max(message.id for message in said)
    return Thread(last.session, len(said), said[0].time, last.time, greatest, last.channel)


class MemoryUsage:
    """Uses in a dictionary."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._uses: dict[tuple[str, str], list[Use]] = {}

    def note(self, workspace: str, uses: Sequence[Use]) -> None:
        given = [replace(use, time=_utc(use.time)) for use in uses]
        with self._guard:
            for use in given:
                self._uses.setdefault((workspace, use.entry), []).append(use)

    def reuse(self, workspace: str, entries: Sequence[str]) -> dict[str, Reuse]:
        with self._guard:
            found = {entry: self._uses.get((workspace, entry), []) for entry in entries}
        return {
            entry: Reuse(len({use.session for use in uses}), len(uses), max(use.time for use in uses))
            for entry, uses in found.items()
            if uses
        }

    def forget(self, workspace: str, entries: Sequence[str]) -> None:
        with self._guard:
            for entry in entries:
                self._uses.pop((workspace, entry), None)

    def close(self) -> None:
        """Nothing to close."""


class WordMemory:
    """A second memory in a list, which finds the messages that share words with a question."""

    def __init__(self) -> None:
        self.taken: list[Message] = []
        """what it was given, in order"""
        self.reached = 0
        self.gone = False

    def take(self, messages: Sequence[Message]) -> None:
        self.taken += [message for message in messages if message.role in ("user", "assistant")]
        self.reached = messages[-1].id if messages else self.reached

    def search(self, question: str, view: View, limit: int) -> list[Hit]:
        asked = set(words(question))
        seen = (message for message in self.taken if view.sees(message.audience))
        hits = [
            Hit(
                replace(message_chunk(message), source=MEM0),
                round(len(asked & set(words(message.text))) / len(asked), 4),
            )
            for message in seen
            if asked & set(words(message.text))
        ]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def close(self) -> None:
        """Nothing to close."""


class MemoryCredentials:
    """Tokens in a dictionary, with everything a real store of them promises but surviving the process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._kept: dict[str, tuple[Token, str]] = {}

    def add(self, token: Token, digest: str) -> None:
        made = replace(token, created=_utc(token.created), expires=token.expires and _utc(token.expires))
        with self._guard:
            if token.id in self._kept:
                raise Conflict(f"there is already a token {token.id}")
            if (above := token.id.rpartition(".")[0]) and above not in self._kept:
                raise Refused(f"there is no token {above} any more")
            self._kept[token.id] = made, digest

    def all(self) -> list[tuple[Token, str]]:
        with self._guard:
            return list(self._kept.values())

    def find(self, digest: str) -> Token | None:
        with self._guard:
            return next((token for token, kept in self._kept.values() if kept == digest), None)

    def revoke(self, token_id: str) -> bool:
        with self._guard:
            for below in [each for each in self._kept if each.startswith(f"{token_id}.")]:
                del self._kept[below]
            return self._kept.pop(token_id, None) is not None


def _utc(time: datetime) -> datetime:
    if time.utcoffset() is None:
        raise BadInput(f"the time {time} has no time zone; add one")
    return time.astimezone(UTC)


class MemoryEventLog:
    """What happened, in a list, with everything a real log promises but surviving the process."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._id = uuid.uuid4().hex[:16]
        self._events: list[tuple[int, datetime, Event]] = []
        self._dropped = self._latest = 0
        self._marks: dict[str, str] = {}

    def span(self) -> tuple[str, int, int]:
        return self._id, self._dropped, self._latest

    def marks(self) -> dict[str, str]:
        with self._guard:
            return dict(self._marks)

    def append(
        self, events: Sequence[Event], moved: Mapping[str, tuple[str | None, str]], noted: datetime, keep: datetime
    ) -> bool:
        with self._guard:
            if any(self._marks.get(source) != before for source, (before, _) in moved.items()):
                return False
            self._marks.update({source: after for source, (_, after) in moved.items()})
            for event in events:
                self._latest += 1
                self._events.append((self._latest, noted, event))
            self._dropped = max((number for number, when, _ in self._events if when < keep), default=self._dropped)
            self._events = [row for row in self._events if row[0] > self._dropped]
            return True

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        with self._guard:
            return [(each, event) for each, _, event in self._events if each > number][:limit]

    def close(self) -> None:
        """Nothing to close."""


class MemoryJobLog:
    """Long work as it is, in a dictionary; its events go to a log in memory."""

    def __init__(self, events: MemoryEventLog) -> None:
        self._events = events
        self._guard = threading.RLock()
        self._jobs: dict[str, JobStatus] = {}

    def add(self, job: JobStatus, keep: datetime) -> None:
        with self._guard:
            self._jobs = {key: each for key, each in self._jobs.items() if each.ended is None or each.ended >= keep}
            self._jobs[job.id] = job
            self._tell(job, job.queued)

    def move(self, job: JobStatus, was: JobState, at: datetime) -> bool:
        with self._guard:
            known = self._jobs[job.id]
            if known.state is not was:
                return False
            self._jobs[job.id] = replace(job, is_asked=known.is_asked)
            self._tell(job, at)
            return True

    def note(self, job: str, done: int, of: int) -> None:
        with self._guard:
            self._jobs[job] = replace(self._jobs[job], done=done, of=of)

    def ask(self, job: str) -> None:
        with self._guard:
            self._jobs[job] = replace(self._jobs[job], is_asked=True)

    def get(self, job: str) -> JobStatus:
        with self._guard:
            if job not in self._jobs:
                raise NotFound(f"there is no job {job}")
            return self._jobs[job]

    def every(self, *, unfinished: bool = False) -> list[JobStatus]:
        with self._guard:
            found = [each for each in self._jobs.values() if each.ended is None or not unfinished]
        return sorted(sorted(found, key=lambda each: each.id), key=lambda each: each.queued, reverse=True)

    def _tell(self, job: JobStatus, at: datetime) -> None:
        event = Event(EventKind.JOB, job.agent, job.id, job.state, at, (OWNER,))
        self._events.append([event], {}, at, datetime.min.replace(tzinfo=UTC))

    def close(self) -> None:
        """Nothing to let go of."""


class MemorySpending:
    """What questions took, in a list."""

    def __init__(self) -> None:
        self.all: list[Call] = []
        """every question that was noted"""

    def note(self, call: Call) -> None:
        _utc(call.time)
        self.all.append(call)

    def spent(self, day: date) -> Spent:
        """What the questions of one day took together."""
        found = self.calls(day)
        sent, came = sum(call.tokens_in for call in found), sum(call.tokens_out for call in found)
        return Spent(len(found), sent, came, sum(call.cost for call in found))

    def calls(self, day: date) -> list[Call]:
        return [replace(call, time=_utc(call.time)) for call in self.all if call.time.date() == day]


class MemoryRecords:
    """The records of one home, each in memory."""

    def __init__(self) -> None:
        self.chat = MemoryChatLog()
        self.usage = MemoryUsage()
        self.events = MemoryEventLog()
        self.jobs = MemoryJobLog(self.events)
        self.credentials = MemoryCredentials()
        self.spending = MemorySpending()
        self.leases = MemoryLeases()

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:  # noqa: ARG002 - everything is this home's
        return 0

    def close(self) -> None:
        """Nothing to let go of."""
