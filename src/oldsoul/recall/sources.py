"""What an agent's memory is made of, and how an index of it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from oldsoul.ports import ChatLog, Extras, History, Store
    from oldsoul.values.names import Name


class Sources(NamedTuple):
    """What an agent's memory is made of."""

    workspace: str
    """whose memory"""
    store: Store
    """its documents"""
    history: History
    """what was done to them"""
    read: Callable[[Name], bytes | None]
    """a document as it stands"""
    chat: Callable[[], ChatLog]
    """its conversations"""
    seed: Callable[[Name], bytes]
    """what a document begins with: our own words, and nobody's memory"""
    zone: tzinfo
    """its time zone"""
    extras: Extras | None = None
    """further files that are searched, if there are any"""
    operators: frozenset[str] = frozenset()
    """who may say that a correction holds no more"""


class State(NamedTuple):
    """How an index stands."""

    documents: int
    """how many files are in it"""
    conversations: int
    """how many conversations"""
    chunks: int
    """how many pieces"""
    tables: int
    """how many tables of vectors texts are compared by; none when words alone count"""
    waiting: int
    """how many files and conversations are not in it as they are now"""
