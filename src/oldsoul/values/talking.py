"""A conversation as a language model gets it, and what it sends back piece by piece."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - the fields of a value name it
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
    """what the model is told"""
    parameters: Mapping[str, Any]
    """its parameters as a JSON schema"""


@frozen
class Request:
    """What a model is sent."""

    turns: tuple[Turn, ...]
    """the conversation; what stays the same from request to request stands first"""
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
    """What a program brings along that keeps the conversation itself and has tools of its own."""

    earlier: tuple[Turn, ...] = ()
    """what was said before the message; what is logged of the session is not told to the model then"""
    following: tuple[Turn, ...] = ()
    """what came after the message: calls of the program's tools, and their results"""
    offers: tuple[Offer, ...] = ()
    """tools that the program runs; when the model calls one, the reply ends with the call"""
