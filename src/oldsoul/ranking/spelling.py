"""Slips of the pen in a question: a word that nothing has, and that is no word, is read as the one it was meant to be."""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.terms import term, word_terms

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping

    from oldsoul.ranking.pool import Pool, Statistics
    from oldsoul.ranking.question import Question

_SHORTEST, _LONGEST = 4, 24
"""Words of fewer letters have too many neighbours, and those of more are no words."""


def doubtful(question: Question, pool: Pool, statistics: Statistics) -> list[str]:
    """The words of a question that none of its candidates has, in Latin letters alone."""
    words = [word for word in question.content if _may_slip(word)]
    if not words:
        return []
    there = np.zeros(int(pool.terms.max()) + 1 if len(pool.terms) else 0, bool)
    there[pool.terms] = True
    numbers = {term: known.number for term, known in zip(question.terms, statistics.known, strict=True)}
    found = {term for term, number in numbers.items() if 0 <= number < len(there) and there[number]}
    return [word for word in words if found.isdisjoint(word_terms(word))]


def _may_slip(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()


def slips(word: str, *, is_name: bool) -> dict[str, int]:
    """The words that this one may have been meant to be, each with how far off it is.

    Two letters that changed places, one that is missing, one too many (the same twice most of all), another one instead;
    seldom is it the first. A name may be another person's by one letter, so there no letter is taken for another.
    """
    found = {word[:at] + word[at + 1] + word[at] + word[at + 2 :]: 0 for at in range(len(word) - 1)}
    for at in range(1, len(word) + 1):
        left, right = word[:at], word[at:]
        if right:
            found.setdefault(left + right[1:], 1 if left[-1] == right[0] else 2)
        for letter in ascii_lowercase:
            found.setdefault(left + letter + right, 1 if letter in (left[-1], right[:1]) else 2)
            if right and not is_name:
                found.setdefault(left + letter + right[1:], 3)
    found.pop(word, None)
    return found


def meant(far: Mapping[str, int], seen: Mapping[str, int], known: Container[str]) -> str:
    """Which of some words is meant: the nearest that memory has, of these one that is a word, then the one it has most.

    Args:
        far: what a word may have been meant to be, and how far off each is.
        seen: in how many places each term stands.
        known: what is a word at all.
    """
    places = {each: seen.get(term(each), 0) for each in far}
    fitting = (each for each, count in places.items() if count)
    return min(fitting, key=lambda each: (far[each], each not in known, -places[each], each), default="")


def is_name(word: str, text: str) -> bool:
    """Whether a word is written as a name is: with a capital where none is due."""
    found = re.search(rf"(?<!\\w){re.escape(word)}(?!\\w)", text, re.IGNORECASE)
    return found is not None and found.start() > 0 and found[0][0].isupper() and text != text.upper()


def respelt(text: str, read: Mapping[str, str]) -> str:
    """The text with some words as they were meant."""

    def right(found: re.Match[str]) -> str:
        meant = read[found[0].lower()]
        return meant.capitalize() if found[0][0].isupper() else meant

    every = "|".join(map(re.escape, read))
    return re.sub(rf"(?<!\w)(?:{every})(?!\w)", right, text, flags=re.IGNORECASE)


def reads_english(words: Collection[str], known: Container[str]) -> bool:
    """Whether most of a question's words are English ones, so that what is none may be a slip."""
    return 2 * sum(word in known for word in words) >= len(words)
