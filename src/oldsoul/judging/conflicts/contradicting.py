"""The pairs among many lines that contradict one another, found without comparing each with each."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from oldsoul.judging.conflicts.contradiction import judged_facts, plain_weight
from oldsoul.language.words import is_unspaced
from oldsoul.reading.fact_words import with_sorts
from oldsoul.reading.facts import Fact, read
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from oldsoul.judging.conflicts.side_by_side import Judgement, Weigh


@frozen
class Pair:
    """Two lines that contradict one another."""

    i: int
    """the number of the one that stands first"""
    j: int
    """the number of the other"""
    judgement: Judgement
    """why"""


class Contradictions:
    """Finds those among many lines that contradict one another, in time that grows with their number alone."""

    def __init__(
        self,
        judge: Callable[[Fact, Fact, Weigh], Judgement | None] = judged_facts,
        *,
        common: int = 48,
        most: int = 16,
    ) -> None:
        """`common`: so many lines that share a word are looked at. `most`: so many lines are judged beside one."""
        self._judge = judge
        self._common = common
        self._most = most

    def pairs(self, lines: Sequence[str], fresh: Collection[int]) -> list[Pair]:
        """Pairs of which one line at least is fresh, each line beside the one it contradicts most surely alone."""
        facts = [read(line) for line in lines]
        weigh = _rarity(facts)
        shelves = _Shelves(facts, self._common)
        judged_pairs: dict[tuple[int, int], Judgement | None] = {}
        best: dict[int, tuple[float, float, int]] = {}
        for i in sorted({*fresh}):
            for j, shared in shelves.near(i, weigh)[: self._most]:
                pair = (min(i, j), max(i, j))
                if pair in judged_pairs:
                    continue
                found = judged_pairs[pair] = self._judge(facts[pair[0]], facts[pair[1]], weigh)
                if found is not None:
                    for one, other in (pair, pair[::-1]):
                        best[one] = max(best.get(one, (0.0, 0.0, 0)), (found.score, shared, -other))
        return [
            Pair(i, j, found)
            for (i, j), found in sorted(judged_pairs.items())
            if found is not None and best[i][2] == -j and best[j][2] == -i
        ]


class _Shelves:
    """Lines by what they speak of. What too many speak of is looked up together with what else they say."""

    def __init__(self, facts: Sequence[Fact], common: int) -> None:
        self._common = common
        self._keys = [_keys(each) for each in facts]
        self._lines: dict[str, list[int]] = defaultdict(list)
        for number, keys in enumerate(self._keys):
            for key in keys:
                self._lines[key].append(number)
        self._joint: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, keys in enumerate(self._keys):
            for both in self._together(keys):
                self._joint[both].append(number)

    def _together(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """Two things together, of which one alone is too common to look up."""
        return [
            (one, other)
            for at, one in enumerate(keys)
            for other in keys[at + 1 :]
            if max(len(self._lines[one]), len(self._lines[other])) > self._common
        ]

    def near(self, i: int, weigh: Weigh) -> list[tuple[int, float]]:
        """The lines that speak of what this one does, the nearest first."""
        shared: dict[int, float] = defaultdict(float)
        keys = self._keys[i]
        met: dict[str, set[int]] = {key: {*self._lines[key][-self._common :]} for key in keys}
        for one, other in self._together(keys):
            both = self._joint[one, other][-self._common :]
            met[one].update(both)
            met[other].update(both)
        for key in keys:
            for number in met[key]:
                shared[number] += weigh(key)
        shared.pop(i, None)
        return sorted(shared.items(), key=lambda found: (-found[1], found[0]))


_MOST_KEYS = 12


def _keys(one: Fact) -> list[str]:
    """What a line is looked up by: its lemmas and what they are sorts of, pairs of characters, attributes."""
    keys = {word.lemma for word in one.words if word.content and not is_unspaced(word.text)}
    for first, second in itertools.pairwise(one.words):
        if first.content and second.content and is_unspaced(first.text) and second.start == first.start + 1:
            keys.add(first.text + second.text)
    keys |= {item for denial in one.implied for item in denial.items} | with_sorts(frozenset(keys))
    keys |= {f"@{name}" for name in (*one.frames, *(each.name for each in one.attributes))}
    keys |= {"@trade" for value in one.values if value.kind == "profession"}
    return sorted(keys)[:_MOST_KEYS]


def _rarity(facts: Sequence[Fact]) -> Weigh:
    """How much a lemma tells apart among these lines: from a half for what all say to one and a half."""
    count = Counter(form for each in facts for form in each.content)
    whole = math.log(len(facts) + 1) or 1.0

    def weigh(form: str) -> float:
        return plain_weight(form) * (0.5 + math.log((len(facts) + 1) / (count[form] or 1)) / whole)

    return weigh
