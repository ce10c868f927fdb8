"""What a keeper is told about one session's messages of one day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.rules.options import ConfidenceOptions
from oldsoul.values.audience import OWNER, Audience, merged
from oldsoul.values.changes import Evidence
from oldsoul.values.frozen import frozen
from oldsoul.values.origin import Origin, weakest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, tzinfo

    from oldsoul.values.messages import Message
    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session, Subject


@frozen
class Conversation:
    """Messages of one session and one day that were not summarised yet."""

    workspace: str
    """the agent or team"""
    agent: str
    """what the agent is called"""
    session: Session
    """the conversation"""
    day: date
    """the local day"""
    zone: tzinfo
    """the agent's time zone"""
    messages: tuple[Message, ...]
    """what was said, in the order it came"""
    recent: tuple[Name, ...]
    """the session files of the last days, this session's of today with its parts among them, oldest first"""
    previous: Name | None
    """this session's file of the day before it was last held"""
    operators: frozenset[str]
    """who the operators are"""
    confidence: ConfidenceOptions = ConfidenceOptions()
    """what a repeat adds and what time takes away"""

    @property
    def first(self) -> int:
        """The number of the first message."""
        return min(message.id for message in self.messages)

    @property
    def last(self) -> int:
        """The number of the last message."""
        return max(message.id for message in self.messages)

    @property
    def heard(self) -> tuple[Message, ...]:
        """What people and the agent said; what tools and pages say is no talk."""
        return tuple(message for message in self.messages if message.role in ("user", "assistant"))

    @property
    def audience(self) -> Audience:
        """Who may see what was said."""
        return merged(message.audience for message in self.heard) if self.heard else OWNER

    @property
    def by_operator(self) -> bool:
        """Whether nobody but the operator and the agent spoke."""
        return all(message.origin is Origin.OPERATOR for message in self.messages if message.role == "user")

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What a summary rests on."""
        return (evidence(self.heard),) if self.heard else ()

    @property
    def root(self) -> Session:
        """The session that a helper or a team works for; else the session itself."""
        session = self.session
        while session.parent is not None:
            session = session.parent
        return session

    @property
    def person(self) -> Subject | None:
        """The person it is held with in private; None where others listen."""
        return self.root.subject if self.root.kind == "dm" else None

    @property
    def room(self) -> str:
        """The room it takes place in."""
        return self.root.room


def evidence(messages: Sequence[Message], quote: str = "") -> Evidence:
    """Messages, as what a change rests on."""
    first, last = min(m.id for m in messages), max(m.id for m in messages)
    ref = f"m:{first}" if first == last else f"m:{first}-{last}"
    origin = weakest(m.origin for m in messages) or Origin.UNTRUSTED
    return Evidence(ref, origin, merged(m.audience for m in messages), quote)
