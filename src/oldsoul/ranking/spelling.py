"""Slips of the pen in a question: a word that nothing has, and that is no word, is read as the one it was meant to be."""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.terms import word_terms

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


def slips(word: str) -> dict[str, int]:
    """The words that this one may have been meant to be, each with how far off it is.

    Two letters that changed places, one that is missing, one too many (the same twice most of all), another one instead;
    seldom is it the first. A short word has too many neighbours to be taken for just any.
    """
    most = _FARTHEST.get(len(word), AT_END)
    found = {word[:at] + word[at + 1] + word[at] + word[at + 2 :]: SWAPPED for at in range(len(word) - 1)}
    for at in range(1, len(word) + 1):
        left, right = word[:at], word[at:]
        if right:
            far = DOUBLED if left[-1] == right[0] else INSIDE if len(right) > 1 else AT_END
            found.setdefault(left + right[1:], far)
        for letter in ascii_lowercase:
            far = DOUBLED if letter in (left[-1], right[:1]) else INSIDE if right else AT_END
            found.setdefault(left + letter + right, far)
            if right:
                found.setdefault(left + letter + right[1:], CHANGED)
    found.pop(word, None)
    return {each: far for each, far in found.items() if far <= most}


SWAPPED, DOUBLED, INSIDE, CHANGED, AT_END = range(5)
"""How far off: two letters changed places; one is there twice, or should be; one is too many or missing inside; there is
another one instead; one is too many or missing at the end."""
_FARTHEST = {4: DOUBLED, 5: INSIDE, 6: CHANGED}


def is_name(word: str, text: str) -> bool:
    """Whether a word is written as a name is: with a capital where none is due."""
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return found is not None and found[0][0].isupper() and not _begins(text, found.start()) and text != text.upper()


def _begins(text: str, at: int) -> bool:
    """Whether a sentence or a line begins here."""
    before = text[:at].rstrip(" \"'“‘(*_")
    return not before or before[-1] in ".!?:\n-–—•|/"


def respelt(text: str, read: Mapping[str, str]) -> str:
    """The text with some words as they were meant."""

    def right(found: re.Match[str]) -> str:
        meant = read.get(found[0].lower(), found[0])
        return meant.capitalize() if found[0][0].isupper() else meant

    every = "|".join(map(re.escape, read))
    return re.sub(rf"(?<!\w)(?:{every})(?!\w)", right, text, flags=re.IGNORECASE)


def reads_english(words: Collection[str], odd: Collection[str], known: Container[str]) -> bool:
    """Whether most of a question's words but the odd ones are English, so that these may be slips."""
    others = [word for word in words if word.isalpha() and word not in odd]
    return 2 * sum(word in known for word in others) >= len(others)
