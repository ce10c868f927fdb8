"""What goes before a reply: pieces of memory in eight slots, and the receipt that says where each line came from."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.values.audience import Audience


class Slot(IntEnum):
    """The slots, the most important first."""

    IDENTITY = 1
    PROFILE = 2
    CORRECTIONS = 3
    RECENT = 4
    RECALL = 5
    PEOPLE = 6
    LONG_TERM = 7
    EXTERNAL = 8


IN_SYSTEM_PROMPT = (Slot.IDENTITY, Slot.PROFILE)
"""These stand in the system prompt's project context; the others in the block before the user's message."""


@frozen
class Piece:
    """Something that may go into a slot: whole, or not at all."""

    text: str
    """its lines as a prompt shows them, without a line break at the end"""
    document: str
    """where it stands: a file of the workspace, `chat/<session>`, or another program's name"""
    audience: Audience
    """who may see it"""
    start_line: int = 0
    """its first line there, from 1; 0 when there are no lines"""
    end_line: int = 0
    """its last line"""
    entry: str = ""
    """the entry's id; `m:118` for a message"""
    score: float = 0.0
    """how well it fits the message, from 0 to 1"""
    time: datetime | None = None
    """when it was said or written"""
    needed: bool = False
    """whether it goes in before all others: a standing instruction, this session's own summary"""
    under: str = ""
    """the line that it stands under in its slot, with others that have the same, after all that has none"""
    earlier: bool = False
    """whether a newer entry took its place"""


@frozen
class Profile:
    """What somebody else keeps of a person that is talked about."""

    name: str
    """who"""
    text: str
    """what is known"""
    audience: Audience
    """who may see it"""


@frozen
class Included:
    """A line of the receipt: something that is in the prompt."""

    slot: Slot
    """which slot it is in"""
    document: str
    """where it stands"""
    start_line: int
    """its first line there"""
    end_line: int
    """its last line"""
    entry: str
    """the entry's id"""
    score: float
    """how well it fits the message"""
    tokens: int
    """what it costs"""


@frozen
class LeftOut:
    """A line of the receipt: something that is not in the prompt, and why."""

    slot: Slot
    """where it would have been"""
    document: str
    """where it stands"""
    start_line: int
    """its first line there"""
    entry: str
    """the entry's id"""
    tokens: int
    """what it would have cost"""
    why: str
    """the reason"""


@frozen
class Filled:
    """One slot as it was filled."""

    slot: Slot
    """which"""
    budget: int
    """the tokens it is meant to have"""
    allowed: int
    """the tokens it could use, after others lent it theirs or took some"""
    tokens: int
    """the tokens it uses"""
    text: str
    """its lines, with its heading; empty when it has none"""


@frozen
class Context:
    """Everything a prompt is told of memory, for one session."""

    slots: tuple[Filled, ...]
    """all eight"""
    included: tuple[Included, ...]
    """what is in it"""
    left_out: tuple[LeftOut, ...]
    """what is not"""
    answer: str = ""
    """what recall said to the message: `found`, `unsure`, `unknown`, `conflicting`; empty when it was not asked"""
    notes: tuple[str, ...] = ()
    """what a person should know"""

    @property
    def text(self) -> str:
        """All slots, one after the other."""
        return "".join(filled.text for filled in self.slots)

    @property
    def block(self) -> str:
        """What stands before the user's message."""
        return "".join(filled.text for filled in self.slots if filled.slot not in IN_SYSTEM_PROMPT)

    def __repr__(self) -> str:
        return f"<Context {self.answer or 'not asked'}, tokens: {self.tokens}, included: {len(self.included)}>"

    @property
    def tokens(self) -> int:
        """What all of it costs."""
        return sum(filled.tokens for filled in self.slots)
