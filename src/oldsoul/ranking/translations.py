"""What the words of a question are in other languages, for memories that were made in them: English, Chinese, Japanese."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from oldsoul.language.lexicon import concepts, parts
from oldsoul.ranking.question import Question
from oldsoul.ranking.terms import terms, word_terms
from oldsoul.values.frozen import frozen


@frozen
class _Lexicon:
    """The concepts, and the words that say them."""

    latin: dict[str, tuple[str, ...]]
    """terms of other scripts by an English term, or two with a space between"""
    other: dict[str, tuple[str, ...]]
    """terms of all languages by a word of another script"""


def abroad(question: Question) -> tuple[tuple[str, ...], ...]:
    """For each thing a question names, the terms that say it in other scripts and languages; none where nobody knows."""
    lexicon = _lexicon()
    if not question.foreign:
        return tuple(_of_words([term for word in question.content for term in word_terms(word)], lexicon))
    return tuple(lexicon.other.get(word, ()) for run in question.content for word in parts(run, lexicon.other))


def _of_words(said: list[str], lexicon: _Lexicon) -> Iterator[tuple[str, ...]]:
    """By two words that belong together, or by one."""
    at = 0
    while at < len(said):
        both = lexicon.latin.get(" ".join(said[at : at + 2])) if at + 1 < len(said) else None
        yield both or lexicon.latin.get(said[at], ())
        at += 2 if both else 1


@cache
def _lexicon() -> _Lexicon:
    """The lexicon by the terms that words are found by."""
    pieces = Counter(
        piece for _, *others in concepts() for piece in {p for some in others for w in some for p in _pieces(w)}
    )
    latin: dict[str, dict[str, None]] = {}
    other: dict[str, dict[str, None]] = {}
    for english, *others in concepts():
        said = [term for word in english if len(found := terms(word)) == 1 for term in found]
        for word in (word for some in others for word in some):
            for name in english:
                latin.setdefault(" ".join(terms(name)), {}).update(dict.fromkeys(_telling(word, pieces)))
            other.setdefault(word, {}).update(dict.fromkeys(said))
        every = {piece: None for word in (word for some in others for word in some) for piece in _telling(word, pieces)}
        for word in (word for some in others for word in some):
            other[word].update(every)
    return _Lexicon(
        {name: tuple(found) for name, found in latin.items()}, {word: tuple(found) for word, found in other.items()}
    )


def _telling(word: str, pieces: Counter[str]) -> list[str]:
    """Those pieces of a word that no other concept has, or the first."""
    own = _pieces(word)
    return [piece for piece in own if pieces[piece] == 1] or own[:1]


def _pieces(word: str) -> list[str]:
    """The terms of a word that stand for all of it: itself, or its pairs of characters."""
    return [word] if len(word) < 3 else [term for term in terms(word) if len(term) > 1]  # noqa: PLR2004 - a pair
