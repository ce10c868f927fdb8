"""What stands in several places: somebody's words are a message, and the memory that was made of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.documents.model import folded
from oldsoul.ranking.chunks import said
from oldsoul.values.recall import SESSIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oldsoul.values.recall import Chunk

_TURNS = re.compile(
    r"\b(?:not|no|never|longer|anymore|instead|now|but|wrong|changed?)\b|n't\b|[不没別别改非]|ない|ません"
)
"""What makes another statement of what stands beside it."""
_MORE = 1.3
"""So many times as long, a text says more."""
_TELLING = 12
"""A text with fewer letters may be part of another and mean something else."""


def may_repeat(chunks: Sequence[Chunk]) -> bool:
    """Whether there are messages among them and memories too."""
    return len({chunk.source == SESSIONS for chunk in chunks}) > 1


def once(
    rows: Sequence[int],
    chunks: Sequence[Chunk],
    places: Sequence[int],
    disagreeing: Collection[frozenset[str]],
    limit: int,
) -> tuple[list[int], list[Chunk], list[int]]:
    """So many of what was found, in order; what is there word for word already comes after what is not.

    Two messages are never the same: somebody else said the second, or on another day. Nor are two memories. What is in
    dispute stays where it is. A message that says more than the memory made of it stands in the memory's place.

    Args:
        rows: the rows that were found.
        chunks: what they say.
        places: something more of each.
        disagreeing: the entries that are said to disagree.
        limit: how many are wanted.
    """
    kept: list[int] = []
    again: list[int] = []
    told: list[tuple[bool, str]] = []
    disputed = frozenset().union(*disagreeing)
    for number, chunk in enumerate(chunks):
        own = chunk.source == SESSIONS, folded(said(chunk.text))
        repeats = (at for at, other in enumerate(told) if _repeats(own, other))
        at = None if chunk.entry in disputed else next(repeats, None)
        if at is None:
            kept.append(number)
            told.append(own)
        elif own[0] and len(own[1]) > _MORE * len(told[at][1]):
            again.append(kept[at])
            kept[at], told[at] = number, own
        else:
            again.append(number)
    order = (kept + again)[:limit]
    return [rows[n] for n in order], [chunks[n] for n in order], [places[n] for n in order]


def _repeats(one: tuple[bool, str], other: tuple[bool, str]) -> bool:
    """Whether a message and a piece of memory say the same, one of them perhaps more."""
    small, large = sorted((one[1], other[1]), key=len)
    return (
        one[0] != other[0] and len(small) >= _TELLING and small in large and not _TURNS.search(large.replace(small, ""))
    )
