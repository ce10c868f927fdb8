"""That an entry was of use, and how often: what decides which memories are worth their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from datetime import datetime


@frozen
class Use:
    """One entry was put into a context, or given back by recall."""

    entry: str
    """the entry's id"""
    session: str
    """the session it was used in, by its id"""
    time: datetime
    """when"""


@frozen
class Reuse:
    """How much one entry was used."""

    sessions: int
    """in how many sessions"""
    times: int
    """how many times in all"""
    last: datetime
    """when last"""
