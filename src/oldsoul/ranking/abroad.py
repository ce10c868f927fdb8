"""What the words of a question are in other languages, for memories that were made in them: English, Chinese, Japanese."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

from oldsoul.ranking.terms import terms, word_terms
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.ranking.question import Question

_LONGEST = 8
"""So many characters the longest words have that are looked for in a text without spaces."""


@frozen
class _Lexicon:
    """The concepts, and the words that say them."""

    latin: dict[str, tuple[str, ...]]
    """terms of other scripts by an English term, or two with a space between"""
    other: dict[str, tuple[str, ...]]
    """English terms by a word of another script"""


def abroad(question: Question) -> tuple[tuple[str, ...], ...]:
    """For each thing a question names, the terms that say it in scripts other than the question's."""
    lexicon = _lexicon()
    found = _of_text(question.text, lexicon) if question.foreign else _of_words(question, lexicon)
    return tuple(dict.fromkeys(found))


def _of_words(question: Question, lexicon: _Lexicon) -> list[tuple[str, ...]]:
    said = [term for word in question.content for term in word_terms(word)]
    found = []
    joined: set[str] = set()
    for one, two in pairwise(said):
        if both := lexicon.latin.get(f"{one} {two}"):
            found.append(both)
            joined |= {one, two}
    return found + [lexicon.latin[term] for term in said if term in lexicon.latin and term not in joined]


def _of_text(text: str, lexicon: _Lexicon) -> list[tuple[str, ...]]:
    """By the longest words there are, from left to right."""
    found, at = [], 0
    while at < len(text):
        size = next((n for n in range(_LONGEST, 0, -1) if text[at : at + n] in lexicon.other), 0)
        if size:
            found.append(lexicon.other[text[at : at + size]])
        at += size or 1
    return found


@cache
def _lexicon() -> _Lexicon:
    """The lexicon that comes with Oldsoul; a concept a line: English, Chinese and Japanese words."""
    lines = resources.files("oldsoul").joinpath("ranking", "lexicon.txt").read_text("utf-8").splitlines()
    concepts = [[part.split(",") for part in line.split(" | ")] for line in lines]
    pieces = Counter(
        piece for _, *others in concepts for piece in {p for some in others for w in some for p in _pieces(w)}
    )
    latin: dict[str, dict[str, None]] = {}
    other: dict[str, dict[str, None]] = {}
    for english, *others in concepts:
        said = [term for word in english if len(found := terms(word)) == 1 for term in found]
        for word in (word for some in others for word in some):
            own = _pieces(word)
            telling = [piece for piece in own if pieces[piece] == 1] or own[:1]
            for name in english:
                latin.setdefault(" ".join(terms(name)), {}).update(dict.fromkeys(telling))
            if said:
                other.setdefault(word, {}).update(dict.fromkeys(said))
    return _Lexicon(
        {name: tuple(found) for name, found in latin.items()}, {word: tuple(found) for word, found in other.items()}
    )


def _pieces(word: str) -> list[str]:
    """The terms of a word that stand for all of it: itself, or its pairs of characters."""
    return [word] if len(word) < 3 else [term for term in terms(word) if len(term) > 1]  # noqa: PLR2004 - a pair
