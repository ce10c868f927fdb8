"""Which of many texts say nearly the same as another, by their words: each is compared with those it shares rare words with."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources

from oldsoul.language.lexicon import word_list
from oldsoul.language.words import is_unspaced, words

MOST = 20
"""With how many others a text is compared."""
_MOST_HOLDERS = 400
"""A word that more texts hold leads nowhere: it is no reason to compare them, unless nothing else is."""
_SMALL = frozenset(word_list("words")["en"]["small"].split())


class Likeness:
    """Texts prepared to be compared with others."""

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


_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4096)
def looks(name: str) -> frozenset[str]:
    """How a name looks, as words: with and without what small letters and capitals look like.

    A capital I looks like a small l, and it is an I: a name looks like another where they share one of these.
    """
    plain = _seen(name)
    small, seen = plain.casefold(), _seen(_skeleton(plain)).casefold()
    return frozenset(" ".join(_WORD.findall(_skeleton(text))) for text in (small, seen))


def looks_like(name: str, others: Iterable[str], *, whole: bool = False) -> bool:
    """Whether a name looks like one of the others, however its letters are spaced, or has it among its words.

    With `whole`, the name alone counts and not its words.
    """
    mine = looks(name)
    joined = {look.replace(" ", "") for look in mine}
    for other in others:
        for theirs in filter(None, looks(other)):
            if theirs.replace(" ", "") in joined:
                return True
            edge = "" if is_unspaced(other) else " "
            if not whole and any(f"{edge}{theirs}{edge}" in f"{edge}{look}{edge}" for look in mine):
                return True
    return False


@lru_cache(maxsize=4096)
def is_role(name: str) -> bool:
    """Whether a name is one for nobody in particular, in a language we have: the operator, the system, you."""
    return looks_like(name, _roles("names")) or looks_like(name, _roles("alone"), whole=True)


@cache
def _roles(kind: str) -> tuple[str, ...]:
    lists = (kinds.get(kind, "") for kinds in word_list("role").values())
    return tuple(dict.fromkeys(name for listed in lists for name in listed.split(", ") if name))


def _seen(text: str) -> str:
    """A text without accents and without what nobody sees."""
    plain = unicodedata.normalize("NFKD", text)
    return plain if plain.isascii() else "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Me", "Cf"))


def _skeleton(text: str) -> str:
    return text.translate(_table())


@cache
def _table() -> dict[int, str]:
    """Characters with what they look like, as Unicode lists them (`bench/lookalikes.py` makes the table)."""
    lines = resources.files("oldsoul").joinpath("language", "lookalikes.txt").read_text("utf-8").split("\n")
    rows = (line.split("\t") for line in lines if "\t" in line)
    return {ord(char): target for target, chars in rows for char in chars}
