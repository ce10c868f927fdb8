"""Texts as the terms they are found by: one form for a word's many shapes, pairs of characters where no spaces are."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from oldsoul.language.languages import ENGLISH, bare, little_words
from oldsoul.language.lexicon import word_list
from oldsoul.language.words import FAMILY, clusters, is_paired, paired, plain_words, stem

_APOSTROPHE = re.compile(r"(?<=\w)['’`](?:s\b|(?=\w))")
_PREFIX = 5
_LONGEST = 64
"""A term has at most so many letters: what is longer is a key or a picture, and no word."""

STOPWORDS = little_words(ENGLISH)
"""Words that say nothing about what is asked. Left out of questions, kept in the index."""


def terms(text: str) -> list[str]:
    """The terms of a text in order.

    Words become their stem, or the stem of their family (`went` gives `go`). A run of a script without spaces gives
    its single characters and its pairs of neighbours.
    """
    if text.isascii():
        plain = text.lower()
        if "'" in plain or "`" in plain:
            plain = _APOSTROPHE.sub("", plain)
        return [term(word[:_LONGEST]) for word in plain_words(plain)]
    found: list[str] = []
    plain = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold())
    last = ""
    for word in paired(plain):
        first, *rest = clusters(word) if is_paired(word) else (word,)
        if last and first != last:
            found.append(last)
        last = ""
        if not is_paired(word):
            found.append(term(bare(word[:_LONGEST])))
        elif not rest:
            found.append(word)
        else:
            found += (first, word)
            last = rest[-1]
    return [*found, last] if last else found


@cache
def _telling() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """What is said without the word for it: what is in all of these, the word, and how they look."""
    rows = (row.split(" = ", 2) for row in word_list("rank")[ENGLISH]["told"].split(" || "))
    return tuple((lead, word, re.compile(pattern)) for lead, word, pattern in rows)


_JOINED = re.compile(r"(?<![\w-])(?!(?:re|co|pre)-)[a-z]+(?:-[a-z]+)+(?![\w-])")


def told(text: str) -> list[str]:
    """The terms of what a text tells otherwise: who turns fifty has a birthday, and `Wi-Fi` is `wifi`."""
    low = text.lower()
    found = [term(word) for lead, word, pattern in _telling() if lead in low and pattern.search(low)]
    return [*found, *joined(low)] if "-" in low else found


def joined(low: str) -> list[str]:
    """The terms of words in small letters that hyphens part, as one word each; to re-sign is not to resign."""
    return [term(each.replace("-", "")[:_LONGEST]) for each in _JOINED.findall(low)]


@lru_cache(maxsize=1 << 12)
def word_terms(word: str) -> tuple[str, ...]:
    """The terms of a word of a question, which is looked at more than once."""
    return tuple(terms(word))


@lru_cache(maxsize=1 << 15)
def term(word: str) -> str:
    """The term of a word in small Latin letters and digits."""
    known = FAMILY.get(word)
    if known is None:
        cut = stem(word)
        known = FAMILY.get(cut, cut)
    return known


def prefix(term: str) -> str:
    """The first letters of a term, by which related words meet; a short or unspaced term gives itself."""
    return term[:_PREFIX]
