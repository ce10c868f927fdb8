"""What a language model answered."""

from __future__ import annotations

from oldsoul.values.frozen import frozen


@frozen
class Reply:
    """One answer, and what it took."""

    text: str
    """the answer as it came"""
    tokens_in: int = 0
    """how many tokens were sent"""
    tokens_out: int = 0
    """how many came back"""
