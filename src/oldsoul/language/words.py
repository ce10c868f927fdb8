"""The words of a text, as they are compared: in look-ups, for similarity, in any script."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise

from oldsoul.language.lexicon import word_list
from oldsoul.lazy import pattern


def _marks() -> str:
    """The signs that belong to the letter before them, vowels of many scripts among them, as ranges of a pattern."""
    codes = {code: None for code in _SIGNED if unicodedata.category(chr(code)) in ("Mn", "Mc")}
    firsts = (code for code in codes if code - 1 not in codes)
    lasts = (code for code in codes if code + 1 not in codes)
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(firsts, lasts, strict=True))


_SIGNED = (*range(0x300, 0x1100), *range(0x1700, 0x1D00))
"""Where such signs are: accents, and the scripts from Hebrew to Myanmar and from Tagalog to Lepcha."""
MARKS = _marks()
RUN = rf"[^\W_]+(?:[{MARKS}]+[^\W_]*)*"
"""A run of letters and digits, with the signs that belong to them."""
_RUN = pattern(RUN)
_CLUSTER = pattern(rf".[{MARKS}]*", re.DOTALL)
_UNSPACED = pattern(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)

_CONTENT = pattern(r"[\u3400-\u9fff々]+|[ァ-ヺー]+|[A-Za-z0-9]+")
_HANGUL = pattern("[\uac00-\ud7af]+")
_SPACED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


def plain_words(text: str) -> list[str]:
    """The runs of letters and digits of an ASCII text, as they are; three times as fast as by a pattern."""
    return text.translate(_SPACED).split()  # a string is a table too, and the fastest


def words(text: str) -> list[str]:
    """The words in order, in one form whatever their case or width.

    Scripts without spaces give their pairs of neighbouring characters; a character that stands alone gives itself.
    A character includes its vowel signs.
    """
    found: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        start = 0
        for unspaced in _UNSPACED.finditer(run):
            if unspaced.start() > start:
                found.append(run[start : unspaced.start()])
            found += _pairs(unspaced[0])
            start = unspaced.end()
        if start < len(run):
            found.append(run[start:])
    return found


def _pairs(run: str) -> list[str]:
    parts = clusters(run)
    return [first + second for first, second in pairwise(parts)] or [run]


def clusters(run: str) -> list[str]:
    """The characters of a run, each with the signs that belong to it."""
    return _CLUSTER.findall(run)


def paired(text: str) -> list[str]:
    """As `words`; of Korean words the pairs too, since what belongs to them is written on to their ends."""
    found: list[str] = []
    for word in words(text):
        found += _pairs(word) if _HANGUL.fullmatch(word) else [word]
    return found


def is_paired(text: str) -> bool:
    """Whether a text begins with a character of a script whose words are looked for by their pairs of characters."""
    return is_unspaced(text) or _HANGUL.match(text) is not None


def is_unspaced(text: str) -> bool:
    """Whether a text begins with a character of a script that puts no spaces between words."""
    return _UNSPACED.match(text) is not None


def is_foreign(text: str) -> bool:
    """Whether a text says most in letters that are not Latin; where words are not spaced, a letter says as much as three."""
    if text.isascii():
        return False
    letters = [char for char in text if char.isalpha()]
    others = [char for char in letters if char > "\u024f"]
    return len(others) + 2 * sum(map(is_paired, others)) > len(letters) - len(others)


def indexed(text: str) -> list[str]:
    """What a look-up must find a text by: its words, and every single character of scripts without spaces."""
    found = words(text)
    pairs = (word for word in found if len(word) > 1 and not word.isascii())
    return [*found, *dict.fromkeys(char for word in pairs for char in clusters(word) if _UNSPACED.match(char))]


@lru_cache(maxsize=4096)
def unspaced_content(text: str) -> frozenset[str]:
    """What tells a text without spaces from others: its words in Chinese characters, katakana or letters, no grammar."""
    common = word_list("words")["ja"]["common"].split()
    return frozenset(word for run in _CONTENT.findall(text) if run not in common for word in words(run))


_C = "(?:[^aeiou](?:[^aeiouy])*)"
_V = "(?:[aeiouy](?:[aeiou])*)"
_MEASURE_1 = re.compile(f"^{_C}?{_V}{_C}")
_MEASURE_EXACTLY_1 = re.compile(f"^{_C}?{_V}{_C}{_V}?$")
_MEASURE_2 = re.compile(f"^{_C}?{_V}{_C}{_V}{_C}")
_VOWEL = re.compile(f"^{_C}?[aeiouy]")
_SHORT = re.compile("^(?:[^aeiou][^aeiouy]*)[aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeioulsz])\1$")

_STEP_2 = (
    *(("ational", "ate"), ("ization", "ize"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    *(("tional", "tion"), ("biliti", "ble"), ("entli", "ent"), ("ousli", "ous"), ("ation", "ate"), ("alism", "al")),
    *(("aliti", "al"), ("iviti", "ive"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("alli", "al")),
    *(("ator", "ate"), ("logi", "log"), ("bli", "ble"), ("eli", "e")),
)
_STEP_3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ness", ""), ("ful", "")),
)
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize"),
    *("al", "er", "ic", "ou"),
)
"""Endings, the longest first."""
_ENDS_2 = tuple(ending for ending, _ in _STEP_2)
_ENDS_3 = tuple(ending for ending, _ in _STEP_3)
_SHORTEST = 3
"""Shorter words are left as they are."""


def stem(word: str) -> str:
    """The stem of a lower-case English word; a word in another alphabet comes back as it is."""
    if len(word) < _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    word = word[0].replace("y", "Y") + word[1:]
    word = _step_1(word)
    if word.endswith(_ENDS_2):
        word = _replaced(word, _STEP_2)
    if word.endswith(_ENDS_3):
        word = _replaced(word, _STEP_3)
    if word.endswith(_STEP_4):
        word = _step_4(word)
    return _step_5(word).lower()


def _step_1(word: str) -> str:
    if word.endswith("s"):
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif not word.endswith("ss"):
            word = word[:-1]
    if word.endswith("eed"):
        if _MEASURE_1.match(word[:-3]):
            word = word[:-1]
    else:
        for ending in ("ed", "ing"):
            rest = word[: -len(ending)]
            if word.endswith(ending) and _VOWEL.match(rest):
                word = _mended(rest)
                break
    if word.endswith("y") and _VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def _mended(word: str) -> str:
    """What is left of a word without its -ed or -ing, made a word again."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    return word + "e" if _SHORT.match(word) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _MEASURE_1.match(rest) else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if ending == "ion" and not rest.endswith(("s", "t")):
                continue
            return rest if _MEASURE_2.match(rest) else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _MEASURE_2.match(rest) or (_MEASURE_EXACTLY_1.match(rest) and not _SHORT.match(rest)):
            word = rest
    if word.endswith("ll") and _MEASURE_2.match(word):
        word = word[:-1]
    return word


def _families() -> dict[str, str]:
    """Every listed word and its stem, with the stem that stands for it: families between bars, first the word for all."""
    heads: dict[str, str] = {}
    for family in word_list("words")["en"]["families"].split("|"):
        listed = family.split()
        if listed:
            cut = [stem(word) for word in listed]
            for word in (*listed, *cut):
                heads.setdefault(word, cut[0])
    return heads


FAMILY = _families()
"""What stands for a word, by the word and by its stem."""


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
