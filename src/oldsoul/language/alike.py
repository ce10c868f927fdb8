"""Which of many texts say nearly the same as another, by their words: each is compared with those it shares rare words with."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from oldsoul.language.word_lists import word_list
from oldsoul.language.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 20
"""With how many others a text is compared."""
_MOST_HOLDERS = 400
"""A word that more texts hold leads nowhere: it is no reason to compare them, unless nothing else is."""
_SMALL = frozenset(word_list("words")["en"]["small"].split())


class Likeness:
    """Texts made ready to be compared with others."""

    def __init__(self, among: Sequence[str]) -> None:
        self._among = [telling(text) for text in among]
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, held in enumerate(self._among):
            for word in held:
                self._holders[word].append(number)
        self._count = max(len(among), 1)

    def weight(self, word: str) -> float:
        """How much a word tells: the rarer, the more."""
        return math.log(1 + self._count / (1 + len(self._holders.get(word, ()))))

    def candidates(self, text: str, most: int = MOST) -> list[tuple[int, float]]:
        """The texts that share the most with this one, with the share of words they have in common, the best first."""
        wanted = telling(text)
        shared: defaultdict[int, float] = defaultdict(float)
        for word in sorted(wanted, key=lambda word: len(self._holders.get(word, ()))):
            holders = self._holders.get(word, ())
            if len(holders) > _MOST_HOLDERS and shared:
                break
            weight = self.weight(word)
            for number in holders[:_MOST_HOLDERS]:
                shared[number] += weight
        best = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
        return sorted(
            ((number, self._share(wanted, self._among[number])) for number, _ in best), key=lambda p: (-p[1], p[0])
        )

    def _share(self, one: frozenset[str], other: frozenset[str]) -> float:
        """What share of the weight of their words two texts have in common."""
        whole = math.fsum(self.weight(word) for word in one | other)
        return math.fsum(self.weight(word) for word in one & other) / whole if whole else 0.0


def telling(text: str) -> frozenset[str]:
    """The words of a text that tell it from others; all of them, where it has no others."""
    found = frozenset(words(text))
    return found - _SMALL or found


def pairs(texts: Sequence[str], most: int = MOST) -> Iterator[tuple[int, int, float]]:
    """Pairs of texts that share words, each once: the first, the second, and the share."""
    likeness = Likeness(texts)
    for number, text in enumerate(texts):
        for other, share in likeness.candidates(text, most + 1):
            if other > number:
                yield number, other, share
