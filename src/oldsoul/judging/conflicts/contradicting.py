"""Which of many lines contradict one another: each is held beside those it shares rare words with, and only the surest pairs stay."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from oldsoul.judging.conflicts.contradiction import Judgement, judged_statements
from oldsoul.language.languages import ENGLISH
from oldsoul.reading.slots import statement
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oldsoul.reading.slots import Statement

_COMMON, _MOST = 48, 16
"""So many lines, the latest, are looked up by one key; so many are judged beside one line."""
_KEY = 5
"""Words of other languages than English are looked up by so many letters: their ends change."""


@frozen
class Pair:
    """Two lines that cannot both be true now."""

    i: int
    """the place of the first"""
    j: int
    """the place of the second"""
    judgement: Judgement
    """why"""


def contradictions(lines: Sequence[str], fresh: Collection[int]) -> list[Pair]:
    """Pairs of which one line at least is fresh, each line beside the one it contradicts most surely alone.

    Args:
        lines: what is compared, one fact each; what is too long for that is left out.
        fresh: the places of those that were not compared before.
    """
    read = [statement(line) for line in lines]
    keys = [_keys(one) for one in read]
    holders: dict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(keys):
        for key in own:
            holders[key].append(number)
    found: dict[tuple[int, int], Judgement | None] = {}
    best: dict[int, tuple[float, int]] = {}
    for i in sorted({*fresh}):
        for j in _near(i, keys, holders):
            pair = min(i, j), max(i, j)
            one, other = read[pair[0]], read[pair[1]]
            if pair in found or one is None or other is None:
                continue
            found[pair] = judgement = judged_statements(one, other)
            if judgement is not None:
                for line, beside in (pair, pair[::-1]):
                    best[line] = max(best.get(line, (0.0, 0)), (judgement.score, -beside))
    return [
        Pair(i, j, judgement)
        for (i, j), judgement in sorted(found.items())
        if judgement is not None and best[i][1] == -j and best[j][1] == -i
    ]


def _near(i: int, keys: Sequence[frozenset[str]], holders: dict[str, list[int]]) -> list[int]:
    """The lines that share the most with one, what is rare counting more."""
    weights: dict[int, float] = defaultdict(float)
    for key in sorted(keys[i]):
        for number in holders[key][-_COMMON:]:
            weights[number] += 1 / len(holders[key])
    weights.pop(i, None)
    return sorted(weights, key=lambda number: (-weights[number], number))[:_MOST]


def _keys(one: Statement | None) -> frozenset[str]:
    """What a line is looked up by: its words, and what it names an attribute by."""
    if one is None:
        return frozenset()
    cut = None if one.code == ENGLISH else _KEY
    asked = {f"@{name}" for name in (*one.attributes, one.verb) if name not in ("", "is")}
    return (
        frozenset(word[:cut] for word in one.content) | asked | {f"#{value.unit}" for value in one.values if value.unit}
    )
