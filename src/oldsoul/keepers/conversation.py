"""What a keeper is told about one session's messages of one day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta, tzinfo

from oldsoul.documents.model import folded
from oldsoul.judging.corrections.corrections import Correction, correcting, is_anothers
from oldsoul.language.cues import straight
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.rules.options import ConfidenceOptions
from oldsoul.rules.triage import CUSTOM, RECALL, VALIDATOR
from oldsoul.values.audience import OWNER, Audience, Reach, merged
from oldsoul.values.changes import Evidence
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin, weakest
from oldsoul.values.sessions import Session, Subject

FRESH = timedelta(hours=24)
"""So long what the agent said is what a message answers."""


def _asks(text: str) -> bool:
    return any(map(ends_in_question, sentences(text)))


def answered(message: Message, before: Sequence[Message]) -> Message | None:
    """What the agent said last before a message, unless that is long ago or somebody else has spoken since."""
    for earlier in reversed(before):
        if earlier.role == "assistant":
            return earlier if message.time - earlier.time <= FRESH else None
        if earlier.role == "user" and earlier.subject != message.subject:
            return None
    return None


@frozen
class CommandedCorrection:
    """What the operator corrects by command."""

    statement: str
    """what is right, in a sentence"""
    old: str = ""
    """the value that is wrong; empty when none is named"""
    new: str = ""
    """the value that is right, as the statement has it"""


@frozen
class OperatorMessage:
    """A message of the operator that may put something right, and what was said before it."""

    workspace: str
    """whose memory"""
    zone: tzinfo
    """the agent's time zone"""
    message: Message
    """what the operator said"""
    before: tuple[Message, ...]
    """what was said just before it in the same session, the latest last"""
    asks: bool = True
    """whether a model may be asked; while a reply is waited for, it is not"""
    given: CommandedCorrection | None = None
    """what is right, where the operator said so by command"""
    operators: frozenset[str] = frozenset()
    """who the operators are"""
    standing: tuple[Correction, ...] = ()
    """the corrections that hold"""

    @property
    def said(self) -> Message | None:
        """What the agent said last, where that is what the message answers."""
        return answered(self.message, self.before)

    @property
    def asked(self) -> str:
        """What a person asked, where what the agent said last answers it."""
        said = self.said
        earlier = [m for m in self.before if said is not None and m.id < said.id]
        last = earlier[-1] if earlier else None
        asks = last is not None and last.role == "user" and _asks(last.text)
        return last.text if last is not None and asks and last.audience == self.message.audience else ""

    def seen(self, audience: Audience) -> Audience:
        """Who sees a text, where what is an operator's own is the operator's."""
        own = audience.reach is Reach.PERSON and not is_anothers(audience, self.operators)
        return OWNER if own else audience

    @property
    def day(self) -> date:
        """The local day of the message."""
        return self.message.time.astimezone(self.zone).date()

    def flag(self, trigger: str) -> str:
        """The words that triage saw, of this kind."""
        sure = "high" if trigger == RECALL else "medium"
        flags = [
            f
            for f in self.message.flags
            if f.route == VALIDATOR and (f.trigger == trigger or (f.trigger == CUSTOM and f.confidence == sure))
        ]
        plain = folded(correcting(self.message.text))
        return next((f.phrase for f in flags if folded(straight(f.phrase)) in plain), "")


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
