"""What took the place of something else: the later word on a thing comes before the one it replaces."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.language.alike import stems
from oldsoul.ranking.chunks import said
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.question import Kind
from oldsoul.reading.typed_values import agree, comparable, typed_values
from oldsoul.recall.preparing import tells_of_talk

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oldsoul.ranking.pool import Ints
    from oldsoul.ranking.question import Question
    from oldsoul.reading.typed_values import Value
    from oldsoul.values.recall import Chunk

_CHANGES, _TOLD = int(Mark.CHANGES), int(Mark.AGENT | Mark.DERIVED | Mark.ASKS)
_WANTING = Kind.WHEN | Kind.COUNT | Kind.MONEY
_IDLE = stems(
    "now again more most still just also too today tomorrow yesterday week month year day night morning time same instead"
    " anymore done get got go going come new old back out off over up down until till from ok yes please there here some any"
    " all so very put set when what which who where how many much long monday tuesday wednesday thursday friday saturday"
    " sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays"
)
"""Words that make no two texts speak of the same thing."""
_LONGEST = 600
"""A text of more characters speaks of more than one thing."""
_TIMES = frozenset({"time", "date", "weekday", "daypart", "when", "season", "often"})
_REPLACED = 3
"""So many of the best may have been replaced."""


def changes(flags: Ints, question: Question) -> list[int]:
    """The places of those that say that something changed, by what is marked of them, where that matters to a question."""
    if not question.kind & _WANTING or question.kind & Kind.THEN:
        return []
    found: list[int] = (((flags & _CHANGES) != 0) & ((flags & _TOLD) == 0)).nonzero()[0].tolist()
    return found


def renewed(chunks: Sequence[Chunk], changing: Collection[int], question: Question) -> list[int]:
    """The order of what was found in which a later word on something comes just before what it replaces.

    Args:
        chunks: what was found, the best first.
        changing: the places of those that say that something changed (`changes`).
        question: what was asked.
    """
    order = list(range(len(chunks)))
    wants_time, about = bool(question.kind & Kind.WHEN), stems(question.text)
    for new in sorted(changing):
        place = order.index(new)
        best = enumerate(order[: min(place, _REPLACED)])
        at = next((at for at, old in best if _renews(chunks[new], chunks[old], about, wants_time=wants_time)), None)
        if at is not None:
            order.insert(at, order.pop(place))
    return order


def _renews(new: Chunk, old: Chunk, about: frozenset[str], *, wants_time: bool) -> bool:
    """Whether one says later what the other says otherwise: a value of the type that is asked for, of the same thing."""
    if new.time is None or old.time is None or new.time <= old.time:
        return False
    if new.correction or old.correction or old.by_agent or tells_of_talk(old) or new.audience != old.audience:
        return False
    later, earlier = said(new.text), said(old.text)
    if max(len(later), len(earlier)) > _LONGEST:
        return False
    pairs = [
        (v, o)
        for v in _values(later)
        for o in _values(earlier)
        if v.kind == o.kind and (v.kind in _TIMES) == wants_time and comparable(v, o) and v.unit == o.unit
    ]
    if all(agree(v, o) for v, o in pairs):
        return False
    shared = stems(later) & stems(earlier) - _IDLE
    return bool(shared & about) or (bool(shared) and any(agree(v, o) for v, o in pairs))


@lru_cache(maxsize=256)
def _values(text: str) -> tuple[Value, ...]:
    return tuple(typed_values(text))
