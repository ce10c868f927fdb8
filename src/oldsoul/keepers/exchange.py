"""A message of the operator that may put something right, with what was said before it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from oldsoul.documents.model import folded
from oldsoul.judging.corrections.corrections import is_anothers
from oldsoul.judging.corrections.forms import correcting
from oldsoul.language.cues import straight
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.rules.triage import CUSTOM, RECALL, VALIDATOR
from oldsoul.values.audience import OWNER, Audience, Reach
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, tzinfo

    from oldsoul.judging.corrections.corrections import Correction
    from oldsoul.values.messages import Message

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
class Given:
    """What the operator puts right by command."""

    statement: str
    """what is right, in a sentence"""
    old: str = ""
    """the value that is wrong; empty when none is named"""
    new: str = ""
    """the value that is right, as the statement has it"""


@frozen
class Exchange:
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
    given: Given | None = None
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
