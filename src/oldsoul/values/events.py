"""What happened in a home: ids, kinds and times, never words."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from oldsoul.values.audience import Audience, View

NOW = "now"
"""The cursor of whoever wants to know only of what happens from now on."""


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
    """of a change how it came about, of a message its role, else what the thing is from now on"""
    time: datetime
    """when it happened, in UTC"""
    audiences: tuple[Audience, ...]
    """who may know of it: whoever may see a text of one of these"""
    cursor: str = ""
    """what to give to be told of what came after it"""

    def seen_by(self, view: View) -> bool:
        """Whether a view may know of it."""
        return any(map(view.sees, self.audiences))


@frozen
class Happened:
    """Events in their order, which is the same for every reader and never changes."""

    events: tuple[Event, ...]
    """those of this page"""
    cursor: str
    """what to give for the next page: events the reader may not see are passed by as well"""

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)
