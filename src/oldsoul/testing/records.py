"""What a home keeps beside its documents, in memory: events, jobs, tokens, costs; and all records together."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput, Conflict, NotFound, Refused
from oldsoul.testing.logs import MemoryChatLog, MemoryUsage
from oldsoul.testing.scripts import MemoryLeases
from oldsoul.values.audience import OWNER
from oldsoul.values.jobs import Event, EventKind, JobState, JobStatus
from oldsoul.values.models import Call, Spent

if TYPE_CHECKING:
    from oldsoul.values.callers import Token


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
