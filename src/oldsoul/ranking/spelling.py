"""Slips of the pen in a question: a word that nothing has, and that is no word, is read as the one it was meant to be."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping, Sequence
from string import ascii_lowercase

import numpy as np

from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import Pool, Statistics
from oldsoul.ranking.question import Question, content_words
from oldsoul.ranking.terms import word_terms

_ASKS = int(Mark.ASKS)
_SHORTEST, _LONGEST = 4, 24
"""Words of fewer letters have too many neighbours, and those of more are no words."""


def may_slip(question: Question) -> list[str]:
    """The words of a question in which a slip can be told: in Latin letters alone, and neither short nor long.

    Names count whoever is known to have them: which of these are, whoever asks need not know.
    """
    return [
        word
        for word in content_words(question.text)
        if _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()
    ]


def doubtful(words: Sequence[str], question: Question, pool: Pool, statistics: Statistics) -> list[str]:
    """Those of some words that no candidate has, or one message alone, which may be the question; what only asks has none."""
    worth = ((pool.flags & _ASKS) == 0) * (1 + (pool.speaker < 0))
    sizes = pool.term_start[1:] - pool.term_start[:-1]
    numbers = {term: known.number for term, known in zip(question.terms, statistics.known, strict=True)}
    there = np.bincount(pool.terms, worth.repeat(sizes), max(numbers.values(), default=0) + 1)
    found = {term for term, number in numbers.items() if number >= 0 and there[number] > 1}
    return [word for word in words if found.isdisjoint(word_terms(word))]


def slips(word: str) -> dict[str, int]:
    """The words that this one may have been meant to be, each with how far off it is.

    Two letters that changed places, one that is missing, one too many (the same twice most of all), another one instead;
    seldom is it the first. A short word has too many neighbours to be taken for just any.
    """
    found: dict[str, int] = {}

    def may_be(each: str, far: int) -> None:
        found[each] = min(far, found.get(each, far))

    for at in range(1, len(word) + 1):
        left, right = word[:at], word[at:]
        may_be(left[:-1] + right[:1] + left[-1] + right[1:], SWAPPED)
        if right:
            may_be(left + right[1:], DOUBLED if left[-1] == right[0] else INSIDE if len(right) > 1 else AT_END)
        for letter in ascii_lowercase:
            may_be(left + letter + right, DOUBLED if letter in (left[-1], right[:1]) else INSIDE if right else AT_END)
            if right:
                may_be(left + letter + right[1:], CHANGED)
    found.pop(word, None)
    most = _FARTHEST.get(len(word), AT_END)
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
        return meant.capitalize() if found[0][:1].isupper() else meant

    every = "|".join(map(re.escape, read))
    return re.sub(rf"(?<!\w)(?:{every})(?!\w)", right, text, flags=re.IGNORECASE)


def reads_english(words: Collection[str], odd: Collection[str], known: Container[str]) -> bool:
    """Whether most of a question's words but the odd ones are English, so that these may be slips."""
    others = [word for word in words if word.isalpha() and word not in odd]
    return 2 * sum(word in known for word in others) >= len(others)
