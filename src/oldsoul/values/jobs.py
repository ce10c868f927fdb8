"""Work: long work that runs now, and what is done on schedule, for which slot of a schedule, and the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum

from oldsoul.values.audience import Audience, View
from oldsoul.values.frozen import frozen

NOW = "now"
"""The cursor for new events only."""


class EventKind(StrEnum):
    """What an event is about."""

    CHANGE = "change"
    PROPOSAL = "proposal"
    MESSAGE = "message"
    JOB = "job"
    SETTINGS = "settings"


@frozen
class Event:
    """One thing that happened."""

    kind: EventKind
    """what it is about"""
    workspace: str
    """the agent or team it belongs to; empty for the home"""
    id: str
    """the change, proposal, message or job; empty for the settings"""
    state: str
    """for a change how it was made, for a message its role, else the new state"""
    time: datetime
    """when it happened, in UTC"""
    audiences: tuple[Audience, ...]
    """who may know of it: whoever may see a text with one of these audiences"""
    cursor: str = ""
    """pass it to `Oldsoul.events` to get what came after"""

    def seen_by(self, view: View) -> bool:
        """Return whether a view may know of it."""
        return any(map(view.sees, self.audiences))


@frozen
class Happened:
    """A page of events. Their order is the same for every reader and never changes."""

    events: tuple[Event, ...]
    """the events of this page"""
    cursor: str
    """pass it to get the next page; it also skips events that the reader may not see"""

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)


class JobState(StrEnum):
    """How far long work is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


@frozen
class JobStatus:
    """Long work as it is, for every process: numbers and ids, never words."""

    id: str
    """what it is known by"""
    kind: str
    """the verb that was started"""
    agent: str
    """whose memory it works on"""
    runner: str
    """the process that runs it"""
    queued: datetime
    """when it was started"""
    can_stop: bool = True
    """whether it can be cancelled once it runs"""
    state: JobState = JobState.QUEUED
    """how far it is"""
    done: int = 0
    """how many steps are done"""
    of: int = 0
    """of how many; 0 where nobody knows"""
    result: Mapping[str, int] = field(default_factory=dict)
    """what it came to"""
    error: str = ""
    """what kind of error ended it; with its words only in the process that ran it"""
    is_asked: bool = False
    """whether somebody wants it to be cancelled"""
    ended: datetime | None = None
    """when it was over"""


@frozen
class DueTime:
    """One moment at which a job is due. Whoever works it out gets the same."""

    wall: datetime
    """what a clock on the wall shows, without a zone"""
    zone: str
    """the zone of that clock"""
    at: datetime
    """the moment, in UTC: the first at which that clock has come so far"""

    @property
    def id(self) -> str:
        """What it is known by: `2026-02-04T06:00[Europe/Berlin]`."""
        return f"{self.wall.isoformat(timespec='minutes')}[{self.zone}]"


@frozen
class Scheduled:
    """One keeper's work for one agent, done again and again."""

    agent: str
    """whose memory it works on"""
    name: str
    """what is done: the name `oldsoul keepers run` takes"""
    setting: str
    """the setting that says when"""
    when: str
    """what it says"""
    zone: tzinfo
    """the time zone that is meant in"""

    def key(self, slot: DueTime) -> str:
        """What the result for a slot is committed under, once."""
        return f"job:{self.agent}:{self.name}:{slot.id}"


class Status(StrEnum):
    """How a slot ended."""

    DONE = "done"
    """the work was done, if there was any"""
    FAILED = "failed"
    """something went wrong; the next slot tries again"""
    STOPPED = "stopped"
    """the work was ended before it was done; the next slot goes on"""
    SKIPPED = "skipped"
    """nothing was run for this slot"""


@frozen
class SlotResult:
    """How a slot ended."""

    status: Status
    """how it ended"""
    changes: int = 0
    """how many changes were made or proposed"""
    tokens_in: int = 0
    """how many tokens were sent to a model"""
    tokens_out: int = 0
    """how many came back"""
    cost: float = 0.0
    """what they cost, in the currency of the prices"""
    notes: tuple[str, ...] = ()
    """what a person should know"""
    started: datetime | None = None
    """when the run began; None when there was none"""
    ended: datetime | None = None
    """when the slot was decided"""
    attempts: int = 0
    """how often it was begun: more than once when a process was killed at it"""

    @property
    def duration(self) -> timedelta | None:
        """How long the run took; None when there was none."""
        return self.ended - self.started if self.started and self.ended else None


@frozen
class SlotOutcome:
    """A slot and the result."""

    slot: DueTime
    """the slot"""
    result: SlotResult
    """its result"""
