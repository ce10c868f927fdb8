"""What happened, and what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from oldsoul.values.frozen import frozen
from oldsoul.views.shape import Next, Shown, Time, copied, example, one_of

if TYPE_CHECKING:
    from oldsoul.values.jobs import Event, Happened, JobStatus


@frozen
class EventShown(Shown):
    """One event: what it is about, and when; who else may know of it is not told."""

    kind: str
    """What it is about: a change, a proposal, a message, a job, the settings."""
    agent: str
    """The agent, team or shared workspace."""
    id: str
    """The id of what it is about."""
    state: str
    """What became of that."""
    time: Time
    """When it happened."""
    cursor: str
    """Where it is among all events."""


@frozen
class HappenedShown(Shown):
    """A page of events."""

    events: tuple[EventShown, ...]
    """The events."""
    cursor: str
    """Where the next page begins."""


def happened(of: Happened) -> HappenedShown:
    """A page of events, and the cursor for the next."""
    return HappenedShown(tuple(map(event, of)), of.cursor)


def event(of: Event) -> EventShown:
    """One event: what it is about, by its id, and when."""
    return copied(EventShown, of, agent=of.workspace)


@frozen
class JobShown(Shown):
    """The state of long work."""

    id: Annotated[str, example("0123456789abcdef")]
    """Its id."""
    kind: Annotated[str, example("run")]
    """The method that was started."""
    agent: str
    """The agent it is for."""
    state: Annotated[str, one_of("queued", "running", "done", "failed", "cancelled")]
    """How far it is."""
    done: int
    """How many steps are done."""
    of: int | None
    """Of how many; null when unknown."""
    result: dict[str, int]
    """Its result, in numbers."""
    error: str
    """Why it failed; empty when it did not."""
    can_cancel: bool
    """Whether it can be stopped now."""
    queued: Time
    """When it was asked for."""
    ended: Time | None
    """When it ended."""


def job(of: JobStatus) -> JobShown:
    """The state of long work."""
    can_cancel = not of.state.is_over and (of.can_stop or of.state == "queued")
    return copied(JobShown, of, of=of.of or None, can_cancel=can_cancel)


@frozen
class JobList(Shown):
    """A page of jobs, the latest first."""

    jobs: tuple[JobShown, ...]
    """The jobs."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class Stopping(Shown):
    """Whether a job stops."""

    id: str
    """Its id."""
    stops: bool
    """Whether it will stop at the next safe point, or has been stopped."""
