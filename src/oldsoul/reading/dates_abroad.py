"""How times are said in other languages than English, Chinese and Japanese, from the list in the language files.

A line of it gives what words of a language mean, as `date_readers.meanings` reads it, or a form: a pattern in which such
words stand as `{month}`. The forms under `any` are those of every language that has none of its own.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.language.languages import ENGLISH, language_told, little_words
from oldsoul.language.word_lists import word_list
from oldsoul.reading.date_readers import (
    Words,
    ago,
    any_of,
    beside,
    meanings,
    near,
    of_week,
    weekday_asked,
    written,
)
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from oldsoul.reading.date_readers import Heard, Span

    _Read = Callable[[re.Match[str], Heard], list[Span]]

KOREAN = "ko"
"""Its words are joined to others: they are looked for wherever they stand."""
_EVERY = "any"
_MEANT = ("months", "weekdays", "units", "counts", "steps", "near")
_LEADING = ("months", "weekdays", "units", "steps", "near")
_STANDS = re.compile(r"\{[a-z]+\}")
_WORD = re.compile(r"\w+")
_ODD = {"ı": "i", "ł": "l", "ø": "o", "ß": "ss", "’": "'"}
"""Letters that are no others with an accent."""
_FORMS = (
    *(("date", written), ("ago", ago), ("week", of_week), ("beside", beside)),
    *(("on", beside), ("today", near), ("alone", weekday_asked)),
)
"""In order of trust, and how what they find is read."""
_SHORTEST = 3
"""A word without its accents says which language it is of if it has so many letters."""


@frozen
class Abroad:
    """What is known of the times of a language."""

    words: Words
    """What its words mean."""
    rules: tuple[tuple[re.Pattern[str], _Read], ...]
    """How its times look, and how they are read."""


def languages(here: AbstractSet[str]) -> list[str]:
    """The codes of the languages whose times may stand in a text of these words in small letters, but Korean."""
    known = _known()
    if known.isdisjoint(here):
        return []
    met = (lead for word in known & here for lead in _leads()[word])
    return sorted({code for code, needed in met if not needed or not needed.isdisjoint(here)})


def counting(codes: list[str], text: str, here: AbstractSet[str]) -> list[str]:
    """Those of some languages whose times count in a text of these words: none if it is in English.

    Which of the others it is in says too little: a few words of one often look like those of its neighbour.
    """
    english = codes and not _english().isdisjoint(here) and language_told(text) == ENGLISH
    return [] if english else codes


@cache
def _english() -> frozenset[str]:
    """Words of which an English text has one; single letters stand in many."""
    return frozenset(word for word in little_words(ENGLISH) if len(word) > 1)


@cache
def abroad(code: str) -> Abroad:
    """What is known of a language."""
    own = {kind: plain(listed) for kind, listed in word_list("date")[code].items()}
    words = Words(*(meanings(own[kind]) if kind in own else {} for kind in _MEANT))
    stands = {
        "{day}": r"(?P<day>[0-3]?\d)",
        "{year}": r"(?P<year>(?:19|20)\d\d)",
        "{count}": rf"(?P<count>\d{{1,3}}|{any_of(words.counts)})",
        "{in}": f"(?:{any_of(own.get('in', '').split(','))})",
        "{month}": f"(?P<month>{any_of(words.months)})",
        "{weekday}": f"(?P<weekday>{any_of(words.weekdays)})",
        "{unit}": f"(?P<unit>{any_of(words.units)})",
        "{step}": f"(?P<which>{any_of(words.steps)})",
        "{near}": f"(?:{any_of(words.near)})",
    }
    forms = {**word_list("date")[_EVERY], **own}
    edged = "%s" if code == KOREAN else r"(?<!\w)(?:%s)(?!\w)"
    return Abroad(
        words,
        tuple(
            (re.compile(edged % _STANDS.sub(lambda name: stands[name[0]], form)), read)
            for kind, read in _FORMS
            if kind in forms
            for form in forms[kind].split(" || ")
        ),
    )


@cache
def time_words(code: str) -> frozenset[str]:
    """The words without accents that a language says times in; none where nobody wrote them down."""
    listed = word_list("date").get(code, {})
    phrases = (phrase for kind in _MEANT if kind in listed for phrase in meanings(plain(listed[kind])))
    return frozenset(word for phrase in phrases for word in _WORD.findall(phrase))


def plain(low: str) -> str:
    """A text in small letters without accents."""
    return low.translate(_bare())


@cache
def _bare() -> dict[int, str | None]:
    """What stands for the letters with accents, Latin and Cyrillic, and for accents by themselves: nothing."""
    letters = {code: unicodedata.normalize("NFD", chr(code))[0] for code in range(0xC0, 0x460)}
    return {**letters, **dict.fromkeys(range(0x300, 0x370)), **{ord(char): meant for char, meant in _ODD.items()}}


@cache
def _leads() -> dict[str, tuple[tuple[str, frozenset[str]], ...]]:
    """By word of a time, the languages that have it; and what else of the language a text must have to be in it."""
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for code, listed in word_list("date").items():
        if code in (KOREAN, _EVERY):
            continue
        unsure = listed.get("unsure", "").split(",")
        also = frozenset(listed.get("also", "").split())
        phrases = (phrase for kind in _LEADING for phrase in meanings(listed[kind]))
        for word in {_WORD.findall(phrase)[-1] for phrase in phrases}:
            for form in {word, plain(word)}:
                if form in unsure:
                    found.setdefault(form, []).append((code, also))
                elif len(form) >= _SHORTEST or not form.isascii():
                    found.setdefault(form, []).append((code, frozenset()))
    return {word: tuple(codes) for word, codes in found.items()}


@cache
def _known() -> frozenset[str]:
    return frozenset(_leads())
