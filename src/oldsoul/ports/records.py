"""What a home keeps beside its documents: one port for each kind of record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from oldsoul.ports.machine import Leases
from oldsoul.ports.models import Spending
from oldsoul.ports.talk import ChatLog, UseLog
from oldsoul.values.callers import Token
from oldsoul.values.jobs import Event, JobState, JobStatus


class Credentials(Protocol):
    """The tokens that let programs in, for all processes of a home. Of a secret only the hash is kept."""

    def add(self, token: Token, digest: str) -> None:
        """Keep a token, durably, with the hash of its secret.

        `Conflict` when there is one of that id; `Refused` when the one that it is made from is gone: `a.b` is made from `a`.
        """
        ...

    def find(self, digest: str) -> Token | None:
        """The token with this hash of a secret, if any; it takes no longer when there are many."""
        ...

    def all(self) -> list[tuple[Token, str]]:
        """The tokens, each with the hash of its secret, in the order they were added; times are in UTC."""
        ...

    def revoke(self, token_id: str) -> bool:
        """Take a token away, durably, together with those made from it; whether it was there."""
        ...


class EventLog(Protocol):
    """What happened, in an order that never changes, and how far each source of it has been read."""

    def span(self) -> tuple[str, int, int]:
        """What tells this log from others, the number of the last event that is not kept any more, and of the latest."""
        ...

    def marks(self) -> dict[str, str]:
        """How far each source has been read."""
        ...

    def append(
        self, events: Sequence[Event], moved: Mapping[str, tuple[str | None, str]], noted: datetime, keep: datetime
    ) -> bool:
        """Append events and move marks, durably, if the marks are where they were; False, and nothing done, if not.

        What was noted before `keep` is dropped.
        """
        ...

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        """The events after a number, in order."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class JobLog(Protocol):
    """Long work as it is; each new state is an event of the log beside it."""

    def add(self, job: JobStatus, keep: datetime) -> None:
        """Write down a new job, durably; those that ended before `keep` are dropped."""
        ...

    def move(self, job: JobStatus, was: JobState, at: datetime) -> bool:
        """Have a job are like this from now on, durably, if its state is still that one; False if it is not."""
        ...

    def note(self, job: str, done: int, of: int) -> None:
        """How far a job is; no event reports it."""
        ...

    def ask(self, job: str) -> None:
        """Write down that somebody wants it to be cancelled."""
        ...

    def get(self, job: str) -> JobStatus:
        """One job; `NotFound` when there is none of that id."""
        ...

    def every(self, *, unfinished: bool = False) -> list[JobStatus]:
        """All jobs, or those that are not over, the latest first."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Records(Protocol):
    """The records of one home, of all its processes. Each is opened when it is first asked for."""

    @property
    def chat(self) -> ChatLog:
        """The log of all conversations that the settings name now."""
        ...

    @property
    def usage(self) -> UseLog:
        """When entries were of use."""
        ...

    @property
    def events(self) -> EventLog:
        """What happened."""
        ...

    @property
    def jobs(self) -> JobLog:
        """Long work; its states are told by `events`."""
        ...

    @property
    def credentials(self) -> Credentials:
        """The tokens that let programs in."""
        ...

    @property
    def spending(self) -> Spending:
        """What questions to language models took."""
        ...

    @property
    def leases(self) -> Leases:
        """Who is at which piece of work."""
        ...

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:
        """Give this home what a server has of workspaces and no home owns, or only count it; how many messages."""
        ...

    def close(self) -> None:
        """Close everything that was opened."""
        ...
