"""Changes of an agent's soul that the user is informed about."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.documents import parse
from oldsoul.errors import Damaged
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Role
from oldsoul.values.context import ContextPiece
from oldsoul.values.history import Change
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session

_TELLING = timedelta(days=7)
"""For so long a change of the soul is news."""
_LOOKED_AT = 5
_MOST_SECTIONS = 3


class SoulNews:
    """What the user is informed about: changes to the soul of one agent."""

    def __init__(self, agent: AgentWorkspace) -> None:
        self._agent = agent
        self._home = agent.home
        self.name = Name(agent.id, "SOUL.md")

    def news(self, session: Session) -> tuple[ContextPiece, ...]:
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
        return (ContextPiece(text, "SOUL.md", OWNER, time=time, needed=True),)

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
