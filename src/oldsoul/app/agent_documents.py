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

    from oldsoul.app.agent_files import File
    from oldsoul.app.home import Home
    from oldsoul.app.services import index, review
    from oldsoul.app.services.index import Index
    from oldsoul.app.services.review import Review
    from oldsoul.app.soul import Version
    from oldsoul.app.talk.calendar import DayCounts, DayWhole
    from oldsoul.app.talk.days import Day
    from oldsoul.ledger import BlameLine, Outcome
    from oldsoul.settings import Settings
    from oldsoul.values.history import Change, Snapshot
    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session
    from oldsoul.workspace import BootstrapFile
else:
    index, review = lazy("oldsoul.app.services", "index", "review")


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

    def files(self, *, offset: int = 0, limit: int | None = None) -> list[File]:
        """Return the files by path: all, or one page."""
        return self.allowed(Right.INSPECT, None, "files").files(offset, limit)

    def file(self, path: str) -> File:
        """Return what `files` says about one file; `NotFound` when it does not exist."""
        return self.allowed(Right.INSPECT, None, "file").file(path)

    def show(self, path: str) -> Snapshot:
        """Return one file with its version; `NotFound` when it does not exist."""
        return self.allowed(Right.INSPECT, None, "show").show(path)

    def put(
        self,
        path: str,
        data: bytes,
        *,
        base: str | None = None,
        exact: bool = False,
        reason: str = "edited by the operator",
    ) -> Outcome:
        """Save a whole file as the operator.

        Args:
            path: the file.
            data: its new bytes.
            base: the version you edited, from `show`. Changes made since then are merged in. Without it the file is
                replaced. What was undone, removed or forgotten since the text was read is left out, with a warning.
            exact: do not merge; raise `Conflict` unless `base` is the current version.
            reason: why, for the history.

        Raises:
            Conflict: the changes since `base` cannot be merged.
            TooLarge: the file would exceed its size limit.
        """
        parts = self.allowed(Right.DECIDE, None, "put")
        return parts.deciding(self.caller.author).put(path, data, base=base, exact=exact, reason=reason)

    def delete(self, path: str, *, base: str | None = None, reason: str = "deleted by the operator") -> Outcome:
        """Remove a whole file. The history keeps it, and `undo` brings it back.

        Args:
            path: the file; `NotFound` when it does not exist.
            base: if given, raise `Conflict` unless this is the current version.
            reason: why, for the history.
        """
        parts = self.allowed(Right.DECIDE, None, "delete")
        return parts.deciding(self.caller.author).delete(path, base=base, reason=reason)

    def reset(self, path: str, *, base: str | None = None) -> Outcome:
        """Replace a file by its template.

        Args:
            path: the file; `BadInput` when it has no template.
            base: if given, raise `Conflict` unless this is the current version.
        """
        return self.allowed(Right.DECIDE, None, "reset").deciding(self.caller.author).reset(path, base=base)

    def bootstrap(self) -> list[BootstrapFile]:
        """Return the files that go into the system prompt; a missing file is marked `missing`."""
        return self.allowed(Right.INSPECT, None, "bootstrap").bootstrap()

    def ensure_workspace(self) -> tuple[str, ...]:
        """Create the folders and template files that are missing; return what was created."""
        return self.allowed(Right.DECIDE, None, "ensure_workspace").ensure_workspace()

    def load_soul(self) -> str | None:
        """Return the text of SOUL.md; None when there is none."""
        return self.allowed(Right.SEE, None, "load_soul").text("SOUL.md")

    def load_agents_md(self) -> str | None:
        """Return the text of AGENTS.md; None when there is none."""
        return self.allowed(Right.SEE, None, "load_agents_md").text("AGENTS.md")

    # history and review

    def history(self, path: str = "", *, before: int | None = None, limit: int = 50) -> list[Change]:
        """Return changes, newest first. Edits made in an editor are recorded first.

        Args:
            path: only changes of this file. Default: all files.
            before: only changes with a lower number.
            limit: the largest number of changes to return.
        """
        return self.allowed(Right.INSPECT, None, "history").history(path, before=before, limit=limit)

    def change(self, change_id: int) -> Change:
        """Return one change of this agent by its number; `NotFound` when there is none."""
        return self.allowed(Right.INSPECT, None, "change").change(change_id)

    def version_at(self, path: str, change_id: int) -> Snapshot:
        """Return a file as it was right after a change; `NotFound` when the history does not have it."""
        return self.allowed(Right.INSPECT, None, "version_at").version_at(path, change_id)

    def diff(self, change_id: int, path: str = "") -> str:
        """Return what a change did, to all its files or one, as a diff."""
        return self.allowed(Right.INSPECT, None, "diff").diff(change_id, path)

    def blame(self, path: str) -> list[BlameLine]:
        """Return each line of a file with the change that wrote it."""
        return self.allowed(Right.INSPECT, None, "blame").blame(path)

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

    def soul_versions(self, limit: int = 50) -> list[Version]:
        """Return the versions of SOUL.md, newest first, saves from an editor included."""
        return self.allowed(Right.INSPECT, None, "soul_versions").past.timeline(limit)

    def soul_diff(self, first: str, second: str = "now") -> str:
        """Return the difference between two versions of SOUL.md, as `diff -u` shows it.

        Args:
            first: `now`, the number of a change, or a snapshot in SOUL_HISTORY.
            second: the same; by default the current version.
        """
        return self.allowed(Right.INSPECT, None, "soul_diff").past.diff(first, second)

    def soul_rollback(self, which: str) -> Outcome:
        """Restore a version of SOUL.md, as the operator; first save a snapshot. CHANGELOG.md records it.

        `which` is the number of a change, or a snapshot in SOUL_HISTORY.
        """
        return self.allowed(Right.DECIDE, None, "soul_rollback").past.rollback(which, self.caller.author)
