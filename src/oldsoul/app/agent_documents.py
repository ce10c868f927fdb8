"""An agent's verbs about whole documents, each for whoever may call it: files, history, review, days, soul, index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.app.paging import paged
from oldsoul.app.parts import Parts
from oldsoul.errors import Refused
from oldsoul.values.callers import Caller, CallerRole, Right

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from oldsoul.app.agent_files import File
    from oldsoul.app.agent_recall import IndexStatus
    from oldsoul.app.home import Home
    from oldsoul.app.soul import Version
    from oldsoul.app.talk.days import Day
    from oldsoul.ledger import BlameLine, Outcome, Proposal
    from oldsoul.settings import Settings
    from oldsoul.values.history import Change, Snapshot
    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session
    from oldsoul.workspace import BootstrapFile


class AgentDocuments:
    """One agent as its documents, for one caller."""

    def __init__(self, home: Home, agent_id: str, caller: Caller) -> None:
        self.id = agent_id
        """its id"""
        self.caller = caller
        """who calls"""
        self.parts = Parts(home, agent_id)
        """what it is made of; not part of the public API"""

    def __repr__(self) -> str:
        return f"<Agent {self.id} for {self.caller.role} {self.caller.subject}>"

    def allowed(self, right: Right, session: Session | None, verb: str) -> Parts:
        """What the agent is made of, for a caller who has this right within this session; else `Refused`."""
        self.caller.check(right, verb)
        if self.caller.role is CallerRole.OPERATOR:
            return self.parts
        people, eyes = self.parts.home.people, self.caller.session
        if right is Right.INSPECT and (eyes is None or not people.view(eyes).owner):
            raise Refused(f"{verb} shows whole files, which this caller may not see")
        if eyes is not None and session is not None and not people.view(session).within(people.view(eyes)):
            raise Refused(f"{verb} was called for a session that this caller may not see")
        return self.parts

    # files

    @property
    def settings(self) -> Settings:
        """The settings as they hold for this agent now, its CONFIG.md included; they may hold secrets."""
        return self.allowed(Right.DECIDE, None, "settings").settings

    def files(self, *, offset: int = 0, limit: int | None = None) -> list[File]:
        """The documents there are, by path: all, or a page of them."""
        return self.allowed(Right.INSPECT, None, "files").files(offset, limit)

    def show(self, path: str) -> Snapshot:
        """One document; `NotFound` when it is not there."""
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
        """Save a whole document as the operator; merged with what changed since `base`, `Conflict` where it cannot be.

        With `exact`, it is a `Conflict` unless `base` is the version that stands.
        """
        parts = self.allowed(Right.DECIDE, None, "put")
        return parts.deciding(self.caller.author).put(path, data, base=base, exact=exact, reason=reason)

    def delete(self, path: str, *, base: str | None = None, reason: str = "deleted by the operator") -> Outcome:
        """Take a whole document away; history keeps it, and `undo` brings it back. `Conflict` unless `base` stands."""
        parts = self.allowed(Right.DECIDE, None, "delete")
        return parts.deciding(self.caller.author).delete(path, base=base, reason=reason)

    def reset(self, path: str, *, base: str | None = None) -> Outcome:
        """Put a document back to its template; `Conflict` unless `base` stands, where one is given."""
        return self.allowed(Right.DECIDE, None, "reset").deciding(self.caller.author).reset(path, base=base)

    def bootstrap(self) -> list[BootstrapFile]:
        """The files the agent is started with; a missing one is a value."""
        return self.allowed(Right.INSPECT, None, "bootstrap").bootstrap()

    def ensure_workspace(self) -> tuple[str, ...]:
        """Give this workspace the folders and files it begins with; says what was created."""
        return self.allowed(Right.DECIDE, None, "ensure_workspace").ensure_workspace()

    def load_soul(self) -> str | None:
        """The text of SOUL.md; None when there is none."""
        return self.allowed(Right.SEE, None, "load_soul").text("SOUL.md")

    def load_agents_md(self) -> str | None:
        """The text of AGENTS.md; None when there is none."""
        return self.allowed(Right.SEE, None, "load_agents_md").text("AGENTS.md")

    # history and review

    def history(self, path: str = "", *, before: int | None = None, limit: int = 50) -> list[Change]:
        """Changes, newest first: of all documents or one; edits made outside are noticed first."""
        return self.allowed(Right.INSPECT, None, "history").history(path, before=before, limit=limit)

    def change(self, change_id: int) -> Change:
        """One change of this agent."""
        return self.allowed(Right.INSPECT, None, "change").change(change_id)

    def version_at(self, path: str, change_id: int) -> Snapshot:
        """A document as it stood right after a change; `NotFound` when history has it not."""
        return self.allowed(Right.INSPECT, None, "version_at").version_at(path, change_id)

    def diff(self, change_id: int) -> str:
        """What a change did."""
        return self.allowed(Right.INSPECT, None, "diff").diff(change_id)

    def blame(self, path: str) -> list[BlameLine]:
        """Each line of a document with the change that wrote it."""
        return self.allowed(Right.INSPECT, None, "blame").blame(path)

    def undo(self, change_id: int, *, bases: Mapping[Name, str] | None = None) -> Outcome:
        """Take one change back and leave the later ones; `Conflict` unless `bases` are what stands, where they are given."""
        return self.allowed(Right.DECIDE, None, "undo").deciding(self.caller.author).undo(change_id, bases or {})

    def proposals(self, state: str = "open", *, offset: int = 0, limit: int | None = None) -> list[Proposal]:
        """Changes that wait for approval, the oldest first, or those in another state (empty for any): all, or a page."""
        return [*paged(self.allowed(Right.INSPECT, None, "proposals").proposals(state), offset, limit)]

    def proposal(self, proposal_id: str) -> Proposal:
        """One proposal; its id may be shortened while it stays unique."""
        return self.allowed(Right.INSPECT, None, "proposal").proposal(proposal_id)

    def preview(self, proposal_id: str) -> Mapping[Name, tuple[bytes | None, bytes | None]]:
        """What approving a proposal would do now: each document before and after."""
        return self.allowed(Right.INSPECT, None, "preview").preview(proposal_id)

    def approve(
        self,
        proposal_id: str,
        *,
        edited: Mapping[Name, bytes] | None = None,
        bases: Mapping[Name, str] | None = None,
    ) -> Outcome:
        """Do what a proposal says, exactly as shown, or the edited text instead; `Conflict` unless `bases` stand.

        What would say again what was corrected is refused: one of the two has to go first. A correction that was
        only suggested may take the place of another.
        """
        parts = self.allowed(Right.DECIDE, None, "approve")
        return parts.deciding(self.caller.author).approve(proposal_id, edited, bases or {})

    def reject(self, proposal_id: str, why: str = "") -> Proposal:
        """Close a proposal without doing what it says."""
        return self.allowed(Right.DECIDE, None, "reject").deciding(self.caller.author).reject(proposal_id, why)

    # days and soul

    def days(self) -> list[Day]:
        """The days that have a log, the latest first; those in the archive too."""
        return self.allowed(Right.INSPECT, None, "days").days.all()

    def restore_day(self, day: date) -> list[Name]:
        """Bring a day back from the archive, byte for byte."""
        return self.allowed(Right.DECIDE, None, "restore_day").days.restore(day, self.caller.author)

    def soul_versions(self, limit: int = 50) -> list[Version]:
        """The versions of SOUL.md, newest first; those that a person saved in an editor too."""
        return self.allowed(Right.INSPECT, None, "soul_versions").past.timeline(limit)

    def soul_diff(self, first: str, second: str = "now") -> str:
        """What lies between two versions of SOUL.md, as `diff -u` shows it."""
        return self.allowed(Right.INSPECT, None, "soul_diff").past.diff(first, second)

    def soul_rollback(self, which: str) -> Outcome:
        """Put a version of SOUL.md back as the operator: what stands is snapshotted first, and CHANGELOG.md says so."""
        return self.allowed(Right.DECIDE, None, "soul_rollback").past.rollback(which, self.caller.author)

    # index

    def index_status(self) -> IndexStatus:
        """How the index of its memory stands."""
        return self.allowed(Right.INSPECT, None, "index_status").index_status()

    def sync_index(self) -> int:
        """Bring the index up to date; says how many documents and conversations were not."""
        return self.allowed(Right.DECIDE, None, "sync_index").sync_index()

    def rebuild_index(self, told: Callable[[int, int], None] | None = None) -> int:
        """Make the index anew; says how many documents and conversations are in it."""
        return self.allowed(Right.DECIDE, None, "rebuild_index").rebuild_index(told)
