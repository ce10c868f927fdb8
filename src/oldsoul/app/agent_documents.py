"""AgentDocuments: the public methods for an agent's files, history, review, days, soul and index."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from oldsoul.app.parts import Parts
from oldsoul.app.services.rights import Service
from oldsoul.lazy import lazy
from oldsoul.values.callers import Caller, Right

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from oldsoul.app.home import Home
    from oldsoul.app.services import files, index, review
    from oldsoul.app.services.files import Files
    from oldsoul.app.services.index import Index
    from oldsoul.app.services.review import Review
    from oldsoul.app.talk.calendar import DayCounts, DayWhole
    from oldsoul.app.talk.days import Day
    from oldsoul.ledger import Outcome
    from oldsoul.settings import Settings
    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session
else:
    files, index, review = lazy("oldsoul.app.services", "files", "index", "review")


class AgentDocuments(Service):
    """The files of one agent, for one caller."""

    def __init__(self, home: Home, agent_id: str, caller: Caller) -> None:
        self.id = agent_id
        """the agent's id"""
        self.caller = caller
        """the caller"""
        super().__init__(Parts(home, agent_id), caller)
        self.parts = self._parts
        """internal; not part of the public API"""

    @cached_property
    def files(self) -> Files:
        """The files, whole, and their history."""
        return files.Files(self._parts, self._caller)

    @cached_property
    def index(self) -> Index:
        """The search index: its state, and how it is kept up to date."""
        return index.Index(self._parts, self._caller)

    @cached_property
    def review(self) -> Review:
        """What waits for the operator's decision: proposals, and memories that disagree."""
        return review.Review(self._parts, self._caller)

    def allowed(self, right: Right, session: Session | None, verb: str) -> Parts:
        """Return the internal parts if the caller has this right in this session; otherwise raise `Refused`."""
        self._check(right, session, verb)
        return self.parts

    # files

    @property
    def settings(self) -> Settings:
        """The current settings for this agent, its CONFIG.md included; they may contain secrets."""
        return self.allowed(Right.DECIDE, None, "settings").settings

    # history and review

    def undo(self, change_id: int, *, bases: Mapping[Name, str] | None = None) -> Outcome:
        """Undo one change and keep the later ones.

        Args:
            change_id: the number of the change.
            bases: if given, raise `Conflict` unless these are the current versions of the files.

        Raises:
            Conflict: later changes are in the way; the message says which to undo first.
            NotFound: there is no such change.
        """
        return self.allowed(Right.DECIDE, None, "undo").deciding(self.caller.author).undo(change_id, bases or {})

    # days and soul

    def days(self) -> list[Day]:
        """Return the days that have a diary, the latest first, archived ones included."""
        return self.allowed(Right.INSPECT, None, "days").days.all()

    def calendar(self, since: date, until: date) -> list[DayCounts]:
        """Return how much was said, learnt and changed on each day from one to another, the latest first.

        Days on which nothing happened are left out; at most 400 days are asked for.
        """
        return self.allowed(Right.INSPECT, None, "calendar").calendar.counts(since, until)

    def day(self, day: date) -> DayWhole:
        """Return one day: its log, its sessions with their tasks and follow-ups, and what was learnt."""
        return self.allowed(Right.INSPECT, None, "day").calendar.day(day)

    def restore_day(self, day: date) -> list[Name]:
        """Move a day back from the archive, byte for byte; `NotFound` when the archive does not have it."""
        return self.allowed(Right.DECIDE, None, "restore_day").days.restore(day, self.caller.author)
