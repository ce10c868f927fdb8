"""Context: pieces of memory in eight slots before a reply, and a receipt with the source of each line."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum

from oldsoul.values.audience import Audience
from oldsoul.values.frozen import frozen


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
"""These slots go into the system prompt's project context; the others go before the user's message."""


@frozen
class ContextPiece:
    """A piece of memory that may go into a slot, whole or not at all."""

    text: str
    """its lines as a prompt shows them, without a line break at the end"""
    document: str
    """where it comes from: a file of the workspace, `chat/<session>`, or another program's name"""
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
    """whether it goes in before all others: a standing instruction, or this session's own summary"""
    under: str = ""
    """the line above it in its slot; pieces with the same line are grouped, after those that have none"""
    place: int = 0
    """its place in its conversation, from which those beside it differ by one; -1 when that is not known"""
    earlier: bool = False
    """whether a newer entry replaced it"""


@frozen
class Profile:
    """What your own application knows about a person who is mentioned."""

    name: str
    """the person's name"""
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
    """the file or conversation it comes from"""
    start_line: int
    """its first line there"""
    end_line: int
    """its last line"""
    entry: str
    """the entry's id"""
    score: float
    """how well it fits the message"""
    tokens: int
    """how many tokens it has"""
    text: str
    """what it says there"""
    audience: Audience
    """who may see it"""
    under: str = ""
    """the line above it in its slot, which has the day of what was said"""


@frozen
class LeftOut:
    """A line of the receipt: something that was left out of the prompt, and why."""

    slot: Slot
    """the slot it was meant for"""
    document: str
    """the file or conversation it comes from"""
    start_line: int
    """its first line there"""
    entry: str
    """the entry's id"""
    tokens: int
    """how many tokens it has"""
    why: str
    """why it was left out"""
    text: str
    """what it says"""
    audience: Audience
    """who may see it"""
    under: str = ""
    """the line above it in its slot, which has the day of what was said"""


@frozen
class Filled:
    """One slot with its text."""

    slot: Slot
    """which slot"""
    budget: int
    """the tokens it is meant to have"""
    allowed: int
    """the tokens it may use, after slots lent tokens to each other"""
    tokens: int
    """the tokens it uses"""
    text: str
    """its lines, with its heading; empty when it has none"""


@frozen
class Context:
    """What a session gets from memory before a reply, from `Agent.context`."""

    slots: tuple[Filled, ...]
    """all eight slots with their text"""
    included: tuple[Included, ...]
    """the receipt: what is in it, with source and tokens"""
    left_out: tuple[LeftOut, ...]
    """the receipt: what was left out, and why"""
    answer: str = ""
    """what recall answered for the message: `found`, `unsure`, `unknown`, `conflicting`; empty when it was not asked"""
    notes: tuple[str, ...] = ()
    """notes for people"""

    @property
    def text(self) -> str:
        """The text of all slots, one after the other."""
        return "".join(filled.text for filled in self.slots)

    @property
    def block(self) -> str:
        """The text to put before the user's message."""
        return "".join(filled.text for filled in self.slots if filled.slot not in IN_SYSTEM_PROMPT)

    def __repr__(self) -> str:
        return f"<Context {self.answer or 'not asked'}, tokens: {self.tokens}, included: {len(self.included)}>"

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return sum(filled.tokens for filled in self.slots)
