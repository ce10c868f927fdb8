"""Events: what happened in a home, as ids, kinds and times, never as text."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from oldsoul.values.audience import Audience, View

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
