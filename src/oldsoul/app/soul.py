"""An agent's soul through time: its versions, what lies between them, the way back, and that the user is told."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.versions import difference
from oldsoul.documents import parse
from oldsoul.errors import BadInput, Damaged, NotFound
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import ChangeSet, Put, Role
from oldsoul.values.context import Piece
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.app.agent_recall import AgentRecall
    from oldsoul.ledger import Outcome
    from oldsoul.values.changes import Author
    from oldsoul.values.history import Change
    from oldsoul.values.sessions import Session

NOW = "now"
"""Names the soul as it stands."""
FOLDER = "SOUL_HISTORY"
_TELLING = timedelta(days=7)
"""For so long a change of the soul is news."""
_LOOKED_AT = 5
_SNAPSHOT = re.compile(rf"(?:{FOLDER}/)?([\w~.-]+?)(?:\.md)?")
_MOST_SECTIONS = 3


class Version(NamedTuple):
    """The soul as a change left it."""

    change: int
    """the change's number: it names the version"""
    at: str
    """when, ISO 8601 in UTC"""
    author: Author
    """who made the change"""
    approved_by: str
    """who approved it, where it was proposed"""
    reason: str
    """why"""
    snapshot: str
    """the file in SOUL_HISTORY that holds the version before it; empty when none was made"""
    version: str
    """changes when the bytes do"""
    data: bytes
    """the bytes; empty when it was taken away, or erased from history"""
    tokens: int
    """how many tokens it has"""


class SoulPast:
    """The soul of one agent through time."""

    def __init__(self, agent: AgentRecall) -> None:
        self._agent = agent
        self._home = agent.home
        self.name = Name(agent.id, "SOUL.md")

    def timeline(self, limit: int = 50) -> list[Version]:
        """Its versions, newest first; those that a person saved in an editor too."""
        count = self._home.world.tokens(self._agent.model)
        return [self._version(change, count) for change in self._agent.history("SOUL.md", limit=limit)]

    def _version(self, change: Change, count: Callable[[str], int]) -> Version:
        after = next(effect.after for effect in change.effects if effect.name == self.name)
        data = self._home.ledger.content(after) or b""
        return Version(
            change=change.id,
            at=change.at,
            author=change.author,
            approved_by=change.notes.get("approved_by", ""),
            reason=change.reason,
            snapshot=change.notes.get("snapshot", ""),
            version=after,
            data=data,
            tokens=count(self._agent.plain("SOUL.md", data)),
        )

    def text(self, which: str) -> bytes:
        """A version's bytes: `now`, the number of the change that made it, or a file in SOUL_HISTORY."""
        if which == NOW:
            return self._agent.show("SOUL.md").data or b""
        if which.removeprefix("#").isdecimal():
            return self._agent.version_at("SOUL.md", int(which.removeprefix("#"))).data or b""
        match = _SNAPSHOT.fullmatch(which)
        if match is None:
            raise BadInput(
                f"{which!r} is not a version: give `now`, the number of a change or a snapshot; `oldsoul soul`"
                " lists them"
            )
        data = self._agent.read(Name(self._agent.id, f"{FOLDER}/{match[1]}.md")).data
        if data is None:
            raise NotFound(f"there is no {FOLDER}/{match[1]}.md; `oldsoul soul` lists the versions")
        return data

    def diff(self, first: str, second: str = NOW) -> str:
        """What lies between two versions, as `diff -u` shows it."""
        return difference("SOUL.md", self.text(first), self.text(second))

    def rollback(self, which: str, author: Author) -> Outcome:
        """Put a version back as the operator: what stands is snapshotted first, and CHANGELOG.md says so."""
        data, standing = self.text(which), self._agent.show("SOUL.md")
        if data == standing.data:
            raise BadInput(f"SOUL.md is already the same as version {which}")
        change_set = ChangeSet(
            (Put(self.name, data),),
            author,
            f"rolled back to version {which}",
            f"rollback:{os.urandom(16).hex()}",
            versions={self.name: standing.version},
        )
        return self._home.ledger.apply(change_set, recorded=True)

    # telling

    def news(self, session: Session) -> tuple[Piece, ...]:
        """A line for the operator's own conversation when somebody else changed the soul since the agent last spoke there.

        Groups and other people are told nothing. It is one look at the last changes, and stays the same until a reply is
        logged.
        """
        if session.kind != "dm" or session.subject is None or session.subject.id not in self._home.people.operators:
            return ()
        change = self._last()
        if change is None or self._has_spoken(session, change):
            return ()
        time = datetime.fromisoformat(change.at)
        day = f"{time.astimezone(self._agent.zone):%Y-%m-%d %H:%M}"
        where = self._sections(change)
        who = "a save by hand" if change.author.role is Role.OUTSIDE else change.author.id or change.author.role
        text = (
            f"- SOUL.md was changed on {day} by {who}{f' ({where})' if where else ''}: tell the user so in this reply."
            " `oldsoul soul` shows what changed."
        )
        return (Piece(text, "SOUL.md", OWNER, time=time, needed=True),)

    def _last(self) -> Change | None:
        """The last change of the soul that was not the operator's own command, if it is news."""
        since = (self._home.world.clock.now() - _TELLING).astimezone(UTC).isoformat(timespec="microseconds")
        with suppress(Damaged):  # no news then
            for change in self._home.world.store.changes(self._agent.id, name=self.name, since=since, limit=_LOOKED_AT):
                if change.author.role not in (Role.OPERATOR, Role.SYSTEM):
                    return change
        return None

    def _has_spoken(self, session: Session, change: Change) -> bool:
        """Whether the agent has said something in a session since a change."""
        wanted = Wanted(session=session.id, since=datetime.fromisoformat(change.at), limit=_LOOKED_AT)
        try:
            return any(message.role == "assistant" for message in self._home.chat.find(self._agent.id, wanted))
        except Damaged:
            return True

    def _sections(self, change: Change) -> str:
        """The sections that a change touched."""
        effect = next(effect for effect in change.effects if effect.name == self.name)
        store = self._home.world.store
        before, after = (
            {(e.section, e.id, e.body) for e in parse(store.content(version) or b"").entries}
            for version in (effect.before, effect.after)
        )
        touched = sorted({section for section, _, _ in before ^ after if section})
        return ", ".join(touched) if len(touched) <= _MOST_SECTIONS else f"{len(touched)} sections"
