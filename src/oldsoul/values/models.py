"""What a language model answered, and what that took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from datetime import datetime


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
