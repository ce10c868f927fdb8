"""Which of the best hits disagree about what is asked: statements of the same authority that cannot both be true."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from oldsoul.language.sentences import sentences
from oldsoul.ranking.chunks import said
from oldsoul.ranking.terms import terms
from oldsoul.recall.newer import is_same_speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oldsoul.ranking.question import Question
    from oldsoul.values.recall import Chunk, Hit

_CONFLICTS = "CONFLICTS.md"
_AS_GOOD = 0.8
"""What has such a part of the best score is as good."""
_BEST = 3
"""Only so many of the best are held beside each other."""
_SENTENCES, _ASKED = 4, 2 / 3
"""So many sentences of each, with such a part of what the question asks about."""


def is_disputed(hits: Sequence[Hit], disagreeing: Iterable[tuple[str, str]]) -> bool:
    """Whether hits disagree about what is asked: one of two is as good as the best. Others disagree about something else."""
    told = [hit for hit in hits if hit.chunk.path != _CONFLICTS]
    good = _AS_GOOD * max((hit.score for hit in told), default=0.0)
    best = {hit.chunk.entry for hit in told if hit.score >= good}
    return any(not best.isdisjoint(pair) for pair in disagreeing)


def disputes(chunks: Sequence[Chunk], question: Question) -> list[tuple[str, str]]:
    """Pairs of the best hits, by their entries, that contradict each other where they say what the question is about."""
    asked = frozenset(question.terms) - {term for name in question.people for term in terms(name)}
    standing = [
        chunk for chunk in chunks[:_BEST] if not (chunk.superseded or chunk.archived or chunk.path == _CONFLICTS)
    ]
    best = [(chunk, about) for chunk in standing if (about := _about(said(chunk.text), asked))]
    return [
        (one.entry, other.entry)
        for (one, ours), (other, theirs) in combinations(best, 2)
        if one.entry != other.entry and is_same_speaker(one, other) and _contradict(ours, theirs, question.language)
    ]


def _about(text: str, asked: frozenset[str]) -> tuple[str, ...]:
    least = max(_ASKED * len(asked), 1)
    return tuple(each for each in sentences(text) if len(asked.intersection(terms(each))) >= least)[:_SENTENCES]


@lru_cache(maxsize=256)
def _contradict(ours: tuple[str, ...], theirs: tuple[str, ...], code: str) -> bool:
    from oldsoul.judging.conflicts.contradiction import judged  # noqa: PLC0415 - most searches need none of it

    return any(judged(one, other, code) for one in ours for other in theirs)
