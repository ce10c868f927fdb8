"""The words of a text, as they are compared: in look-ups, for similarity, in any script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
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
