"""Whom a question names, of those the store knows: by full name, first name, surname or a short form of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TypeVar

from oldsoul.language.languages import bare
from oldsoul.language.lexicon import word_list
from oldsoul.language.words import RUN, is_unspaced
from oldsoul.lazy import pattern
from oldsoul.ranking.terms import STOPWORDS
from oldsoul.values.frozen import frozen

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_READ_MOST = 1000
"""So many characters of a text are read."""
_NAMED_MOST = 20
"""So many people are named by it."""

_WORD = pattern(rf"{RUN}(?:['’-]{RUN})*")
_PIECE = pattern(rf"{RUN}(?:['’]{RUN})*")
_OWN = pattern(r"['’]s$", re.IGNORECASE)
_MYSELF = pattern(r"I(?:['’]\w+)?")
_BACK = 16
"""So many characters before a word say whether its sentence begins with it."""
_OPENING = " \t\"'“”‘’("
_ENDING = (".", "?", "!", ":", "\n")
_DATED = pattern(r",? \d")
_NICKNAME = 3
"""So many letters of a first name will do: `Mel` for Melanie."""


def _listed(kind: str) -> list[str]:
    """What all languages list under a kind of the `people` section."""
    return [word for own in word_list("people").values() for word in own.get(kind, "").split()]


TITLE = rf"(?:{'|'.join(_listed('titles'))})\b\.?"
_TITLE = pattern(TITLE, re.IGNORECASE)
_TITLED = tuple(f"{title}." for title in _listed("titles"))
_SMALL = STOPWORDS.union(_listed("common"), _listed("particles"))
"""Words that are a name only where their capital says so."""
_ARTICLE = pattern(rf"\b(?:{'|'.join(_listed('articles'))}) $")
_MONTHS = frozenset(_listed("calendar"))
_CALENDAR = _MONTHS.union(_listed("weekdays"))
"""Words that shorten no name."""
_IN_MONTH = pattern(rf"(?:\b(?:{'|'.join(_listed('dated'))})|\d(?:st|nd|rd|th)?)[ -]$")


@frozen
class _Word:
    """A word of the text that may name somebody."""

    text: str
    """As in the text, without the `'s` of an owner."""
    low: str
    """As it is compared."""
    start: int
    """Where it begins."""
    capital: bool
    """Whether it is written as names are."""
    inside: bool
    """Whether something of its sentence stands before it."""
    sure: bool
    """Whether it cannot be a word of another meaning."""
    short: bool
    """Whether it may be short for a name: no acronym, no month and no weekday is."""


@frozen
class _Known:
    """The people of a store, by what they may be called."""

    full: Mapping[tuple[str, ...], Sequence[str]]
    """Names by all their words."""
    sizes: Mapping[str, Sequence[int]]
    """How many words the names with this first word have, the most first."""
    first: Mapping[str, Sequence[str]]
    """Names by their first word."""
    ordered: Sequence[str]
    """The first words in order, but for little ones."""
    last: Mapping[str, Sequence[str]]
    """Names of several words by the last one."""
    unspaced: Sequence[str]
    """Names in scripts without spaces, the longest first."""


def mentions(text: str, people: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Those of the people that a text names, in their order, each with the forms of the name that stand there.

    Where a word may mean several of them, those count whose name it gives most fully.
    """
    if not people:
        return {}
    text = text[:_READ_MOST]
    known = _known(tuple(people))
    found: dict[str, list[str]] = {}
    here = _words(text, known)
    at = 0
    while at < len(here):
        count, names = _meant(here, at, known)
        end = here[at + count - 1]
        for name in names:
            _add(found, name, text[here[at].start : end.start + len(end.text)])
        at += count
    left = text.casefold() if known.unspaced else ""
    for name in known.unspaced:
        if name.casefold() in left:
            _add(found, name, name)
            left = left.replace(name.casefold(), " ")
    return {name: tuple(dict.fromkeys(found[name])) for name in dict.fromkeys(people) if name in found}


def _add(found: dict[str, list[str]], name: str, form: str) -> None:
    if name in found or len(found) < _NAMED_MOST:
        found.setdefault(name, []).append(form)


@lru_cache(maxsize=16)
def _known(people: tuple[str, ...]) -> _Known:
    parts = {name: words for name in people if (words := _parts(name))}
    first = _by((words[0], name) for name, words in parts.items())
    sizes = _by((words[0], len(words)) for words in parts.values())
    return _Known(
        _by((tuple(words), name) for name, words in parts.items()),
        {word: sorted(set(counts), reverse=True) for word, counts in sizes.items()},
        first,
        sorted(first.keys() - STOPWORDS),
        _by((words[-1], name) for name, words in parts.items() if len(words) > 1),
        sorted(filter(is_unspaced, people), key=len, reverse=True),
    )


def _by(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _meant(here: Sequence[_Word], at: int, known: _Known) -> tuple[int, Sequence[str]]:
    """Whom the word there and those after it name, and how many of them do so: one where nobody is named."""
    word = here[at]
    for size in known.sizes.get(word.low, ()):
        said = tuple(each.low for each in here[at : at + size])
        if (full := known.full.get(said)) and (len(said) > 1 or word.sure):
            return len(said), full
    first = known.first.get(word.low)
    if first and word.sure:
        return 1, first
    return 1, _otherwise(word, known) if word.capital and word.sure else ()


def _otherwise(word: _Word, known: _Known) -> Sequence[str]:
    """Whom a word names that is no first name: by a surname, by how a first name begins."""
    last = known.last.get(word.low, ())
    if len(last) == 1:
        return last
    if word.short and word.inside and len(word.low) >= _NICKNAME:
        start = bisect_left(known.ordered, word.low)
        near = known.ordered[start : start + _NAMED_MOST]
        return [
            name for first in takewhile(lambda each: each.startswith(word.low), near) for name in known.first[first]
        ]
    return ()


def _parts(name: str) -> list[str]:
    """The words of a name in a script with spaces, as they are compared; titles are none, but where there is nothing else."""
    if is_unspaced(name):
        return []
    words = _WORD.findall(name)
    return [_folded(word) for word in words if not _TITLE.fullmatch(word)] or [_folded(word) for word in words]


def _words(text: str, known: _Known) -> list[_Word]:
    """The words that may be names; what hyphens join is one if it is known as one or written as one is (`Anna-Lena`)."""
    if not text.isascii():
        text = "".join(" " if is_unspaced(char) else char for char in text)
    found: list[_Word] = []
    telling = _capitals_tell(text)
    for match in _WORD.finditer(text):
        word = _word(match, text, telling=telling)
        if "-" in word.low and word.low not in known.first and word.text.rpartition("-")[2].islower():
            pieces = _PIECE.finditer(text, *match.span())
            found += (_word(piece, text, telling=telling) for piece in pieces)
        else:
            found.append(word)
    return found


def _capitals_tell(text: str) -> bool:
    """Whether some words of a text have a capital and others not; `I` has one anyway."""
    words = _WORD.findall(text)
    return any(word[0].islower() for word in words) and any(
        word[0].isupper() and not _MYSELF.fullmatch(word) for word in words
    )


def _word(match: re.Match[str], text: str, *, telling: bool) -> _Word:
    said = _OWN.sub("", match[0])
    low = _folded(said)
    before = text[max(0, match.start() - _BACK) : match.start()].lower()
    lead = before.rstrip(_OPENING)
    capital = said[0].isupper()
    inside = bool(lead) and (not lead.endswith(_ENDING) or lead.endswith(_TITLED))
    owner = said != match[0]
    sure = capital or not telling or not _ARTICLE.search(before)  # who is called like nothing else may be written small
    if low in _SMALL:
        title = capital and (len(said) == 1 or not said.isupper()) and low != "i"
        sure = title and (owner or (inside and telling)) and not _ARTICLE.search(before)
    if low in _MONTHS and (_IN_MONTH.search(before) or _DATED.match(text, match.end())):
        sure = False
    short = low not in _CALENDAR and (not said.isupper() or text.isupper())
    return _Word(said, low, match.start(), capital, inside, sure, short)


def _folded(word: str) -> str:
    """A word in small letters, without the accents of Latin ones."""
    return bare(word.casefold().replace("’", "'"))
