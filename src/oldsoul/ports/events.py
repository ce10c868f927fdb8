"""Where it is written down what happened, and what runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from oldsoul.values.jobs import Event, JobState, JobStatus


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
