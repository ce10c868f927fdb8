"""What stands in several places: somebody's words are a message, and the memory that was made of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from oldsoul.documents.model import folded
from oldsoul.language.cues import any_listed
from oldsoul.language.lexicon import word_list
from oldsoul.ranking.chunks import said
from oldsoul.recall.marks import references
from oldsoul.recall.prepared import tells_of_talk
from oldsoul.values.recall import SESSIONS, Chunk

_TURNS = re.compile("|".join(any_listed(own["otherwise"]) for own in word_list("words").values() if "otherwise" in own))
"""What makes another statement of what stands beside it."""
_MORE = 1.3
"""So many times as long, a text says more."""
_SAID = 2
"""The same words of one person stand so many times before the rest."""
_CLOSING = ".!…。！"
"""What a statement ends with; the diary leaves it out. A question is none."""
_TELLING = 12
"""A text with fewer letters may be part of another and mean something else."""


def may_repeat(chunks: Sequence[Chunk]) -> bool:
    """Whether there are messages among them and memories too, or the same words too often."""
    both = len({chunk.source == SESSIONS for chunk in chunks}) > 1
    return both or max(Counter(map(_words, chunks)).values(), default=0) > _SAID


def once(
    rows: Sequence[int],
    chunks: Sequence[Chunk],
    places: Sequence[int],
    disagreeing: Collection[frozenset[str]],
    limit: int,
) -> tuple[list[int], list[Chunk], list[int]]:
    """So many of what was found, in order; what is there word for word already comes after what is not.

    Two messages are not the same: somebody else said the second, or on another day; nor are two memories. But what one
    said again and again stands here twice, and the rest comes after. What is in dispute stays where it is. A
    message stands in the place of a diary's or a session file's word on it, and of a memory that says less; one that the
    agent itself said never does, and makes way for a memory.

    Args:
        rows: the rows that were found.
        chunks: what they say.
        places: something more of each.
        disagreeing: what names the entries that are said to disagree.
        limit: how many are wanted.
    """
    kept: list[int] = []
    again: list[int] = []
    told: list[tuple[bool, str]] = []
    often: Counter[tuple[str, str]] = Counter()
    disputed = frozenset().union(*disagreeing)
    for number, chunk in enumerate(chunks):
        own = _stating(chunk)
        repeats = (at for at, other in enumerate(told) if _repeats(own, other))
        is_disputed = not disputed.isdisjoint(references(chunk))
        at = None if is_disputed else next(repeats, None)
        often[_words(chunk)] += 1
        if at is None and often[_words(chunk)] > _SAID and not is_disputed:
            again.append(number)
        elif at is None:
            kept.append(number)
            told.append(own)
        elif not chunk.by_agent and (
            chunks[kept[at]].by_agent
            or (own[0] and (tells_of_talk(chunks[kept[at]]) or len(own[1]) > _MORE * len(told[at][1])))
        ):
            again.append(kept[at])
            kept[at], told[at] = number, own
        else:
            again.append(number)
    order = (kept + again)[:limit]
    return [rows[n] for n in order], [chunks[n] for n in order], [places[n] for n in order]


def _stating(chunk: Chunk) -> tuple[bool, str]:
    """Whether it is a message, and what it says, to be compared with others."""
    return chunk.source == SESSIONS, folded(said(chunk.text)).rstrip(_CLOSING)


def _words(chunk: Chunk) -> tuple[str, str]:
    """Who says what."""
    return chunk.speaker, chunk.text


def _repeats(one: tuple[bool, str], other: tuple[bool, str]) -> bool:
    """Whether a message and a piece of memory say the same, one of them perhaps more."""
    small, large = sorted((one[1], other[1]), key=len)
    return (
        one[0] != other[0] and len(small) >= _TELLING and small in large and not _TURNS.search(large.replace(small, ""))
    )
