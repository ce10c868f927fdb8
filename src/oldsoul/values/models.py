"""What a language model answered, and what that took."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from oldsoul.values.frozen import frozen


class Speaker(StrEnum):
    """Whose turn it is."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@frozen
class ToolCall:
    """A model wants a tool to be called."""

    id: str
    """what the result is given under"""
    name: str
    """the tool"""
    arguments: str
    """JSON, as the model wrote it"""


@frozen
class Turn:
    """One message of a conversation."""

    speaker: Speaker
    """who says it"""
    text: str
    """the words; of a tool, its result"""
    calls: tuple[ToolCall, ...] = ()
    """of the assistant: the tools it calls"""
    answers: str = ""
    """of a tool: the id of the call"""


@frozen
class Offer:
    """A tool that a model may call."""

    name: str
    """what the model calls it"""
    description: str
    """the instructions for the model"""
    parameters: Mapping[str, Any]
    """its parameters as a JSON schema"""


@frozen
class Request:
    """What a model is sent."""

    turns: tuple[Turn, ...]
    """the conversation; what stays the same from request to request is first"""
    offers: tuple[Offer, ...] = ()
    """the tools it may call"""
    model: str = ""
    """which model; empty for the one in the settings"""


@frozen
class Usage:
    """The end of what a model sends, and what it took."""

    tokens_in: int = 0
    """how many tokens were sent; 0 when nobody said"""
    tokens_out: int = 0
    """how many came back; 0 when nobody said"""
    model: str = ""
    """who answered, as the service calls it; empty when nobody said"""
    cut: bool = False
    """whether it ends before its end, because it was too long"""


Piece = str | ToolCall | Usage
"""What comes back: words as they come, calls of tools, and last what it took."""


@frozen
class Supplied:
    """What a program brings along that keeps the conversation itself and has its own tools."""

    earlier: tuple[Turn, ...] = ()
    """what was said before the message; what is logged of the session is not sent to the model then"""
    following: tuple[Turn, ...] = ()
    """what came after the message: calls of the program's tools, and their results"""
    offers: tuple[Offer, ...] = ()
    """tools that the program runs; when the model calls one, the reply ends with the call"""


@frozen
class Reply:
    """One answer, and what it took."""

    text: str
    """the answer as it came"""
    tokens_in: int = 0
    """how many tokens were sent; 0 when nobody said"""
    tokens_out: int = 0
    """how many came back; 0 when nobody said"""
    model: str = ""
    """who answered, as the service calls it; empty when nobody said"""
    cost: float = 0.0
    """what it cost, in the currency of the prices; 0 when there are none"""


@frozen
class Call:
    """One question that went to a model, and what it took."""

    time: datetime
    """when the answer came, in the zone of the home's days"""
    model: str
    """who was asked; empty when nobody said"""
    tokens_in: int
    """how many tokens were sent"""
    tokens_out: int
    """how many came back"""
    cost: float
    """in the currency of the prices; 0 when there are none"""
    keeper: str = ""
    """on whose behalf; empty when nobody said"""
    answered: bool = True
    """whether it brought an answer of use"""


@frozen
class Spent:
    """What questions took together."""

    calls: int = 0
    """how many there were"""
    tokens_in: int = 0
    """how many tokens were sent"""
    tokens_out: int = 0
    """how many came back"""
    cost: float = 0.0
    """in the currency of the prices"""

    @property
    def tokens(self) -> int:
        """Both ways together."""
        return self.tokens_in + self.tokens_out
