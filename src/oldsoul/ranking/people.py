"""Whom a question names, of those the store knows: by full name, first name, surname or a short form of it."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeVar

from oldsoul.ranking.terms import STOPWORDS
from oldsoul.rules.languages import bare
from oldsoul.rules.words import is_unspaced
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_Key = TypeVar("_Key", str, int)

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OWN = re.compile(r"['’]s$", re.IGNORECASE)
_BACK = 16
"""So many characters before a word say whether its sentence begins with it."""
_OPENING = " \t\"'“”‘’("
_ENDING = (".", "?", "!", ":", "\n")
_TITLED = ("dr.", "mr.", "mrs.", "ms.", "prof.")
_DATED = re.compile(r",? \d")
_NICKNAME = 3
"""So many letters of a first name will do: `Mel` for Melanie."""
TITLE = r"(?:dr|mr|mrs|ms|miss|prof|professor|sir|madam|herr|frau|mme|monsieur|madame)\b\.?"
_TITLE = re.compile(TITLE, re.IGNORECASE)
_SMALL = STOPWORDS | {"van", "von", "de", "der", "den", "da", "di", "la", "le", "el", "bin", "al"}
"""Words that are a name only where their capital says so."""
_MONTHS = frozenset(("april", "may", "june", "july", "august"))
_IN_MONTH = re.compile(
    r"(?:\b(?:in|last|this|next|since|until|of|by|early|late|during|for|mid)|\d(?:st|nd|rd|th)?)[ -]$"
)
_SHORT_FORMS = """
    alexander alex sandy sasha | alexandra alex sandra sasha | andrew andy drew | anthony tony | barbara barb | benjamin ben
    benny | catherine katherine kathryn kate katie kathy cathy cat | charles charlie chuck | christine christina chris tina |
    christopher chris kit | daniel dan danny | david dave davey | deborah debra deb debbie | donald don donnie | dorothy
    dot dottie | edward ed eddie ted ned | eleanor ellie nell nora | elizabeth liz lizzie beth betty eliza libby |
    frances fran francie | francis frank | frederick fred freddie | gregory greg | henry harry hank | jacob jake |
    james jim jimmy jamie | jennifer jen jenny | jessica jess jessie | john jack johnny | jonathan jon | joseph joe joey |
    joshua josh | judith judy | kenneth ken kenny | lawrence larry | leonard leo len | margaret maggie meg peggy |
    martha marty | matthew matt | michael mike mick mickey | nathaniel nathan nate | nicholas nick nicky | pamela pam |
    patricia pat patty tricia | patrick pat paddy | peter pete | philip phillip phil | rebecca becky becca | richard rick
    dick richie | robert bob bobby rob robbie | ronald ron ronnie | samantha sam | samuel sam sammy | stephen steven steve |
    susan sue susie | theodore ted theo | theresa terry tess | thomas tom tommy | timothy tim | victoria vicky tori |
    vincent vince | william bill billy will willy liam | zachary zach zack
"""


@frozen
class _Word:
    """A word of the text that may name somebody."""

    text: str
    """As it stands there, without the `'s` of an owner."""
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


@frozen
class _Known:
    """The people of a store, by what they may be called."""

    parts: Mapping[str, Sequence[str]]
    """The words of each name."""
    first: Mapping[str, Sequence[str]]
    """Names by their first word."""
    last: Mapping[str, Sequence[str]]
    """Names of several words by the last one."""
    forms: Mapping[int, Sequence[str]]
    """Names by the numbers of `_groups`."""
    unspaced: Sequence[str]
    """Names in scripts without spaces, the longest first."""


def mentions(text: str, people: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Those of the people that a text names, in their order, each with the forms of the name that stand there.

    Where a word may mean several of them, those count whose name it gives most fully.
    """
    if not people:
        return {}
    known = _known(tuple(people))
    found: dict[str, list[str]] = {}
    here = _words(text, known)
    at = 0
    while at < len(here):
        count, names = _meant(here, at, known)
        end = here[at + count - 1]
        for name in names:
            found.setdefault(name, []).append(text[here[at].start : end.start + len(end.text)])
        at += count
    left = text.casefold() if known.unspaced else ""
    for name in known.unspaced:
        if name.casefold() in left:
            found.setdefault(name, []).append(name)
            left = left.replace(name.casefold(), " ")
    return {name: tuple(dict.fromkeys(found[name])) for name in dict.fromkeys(people) if name in found}


@lru_cache(maxsize=16)
def _known(people: tuple[str, ...]) -> _Known:
    parts = {name: words for name in people if (words := _parts(name))}
    groups = _groups()
    return _Known(
        parts,
        _by((words[0], name) for name, words in parts.items()),
        _by((words[-1], name) for name, words in parts.items() if len(words) > 1),
        _by((number, name) for name, words in parts.items() for number in groups.get(words[0], ())),
        sorted(filter(is_unspaced, people), key=len, reverse=True),
    )


def _by(pairs: Iterable[tuple[_Key, str]]) -> dict[_Key, list[str]]:
    found: dict[_Key, list[str]] = {}
    for key, name in pairs:
        found.setdefault(key, []).append(name)
    return found


def _meant(here: Sequence[_Word], at: int, known: _Known) -> tuple[int, Sequence[str]]:
    """Whom the word there and those after it name, and how many of them do so: one where nobody is named."""
    word = here[at]
    first = known.first.get(word.low, ())
    sizes = {name: len(known.parts[name]) for name in first}
    full = [name for name in first if [each.low for each in here[at : at + sizes[name]]] == known.parts[name]]
    most = max((sizes[name] for name in full), default=0)
    if most and (most > 1 or word.sure):
        return most, [name for name in full if sizes[name] == most]
    if first and word.sure:
        return 1, first
    return 1, _otherwise(word, known) if word.capital and word.sure else ()


def _otherwise(word: _Word, known: _Known) -> Sequence[str]:
    """Whom a word names that is no first name: by a surname, by how a first name begins, by a short form."""
    last = known.last.get(word.low, ())
    if len(last) == 1:
        return last
    if word.inside and len(word.low) >= _NICKNAME:
        begun = [
            name
            for first in known.first
            if first.startswith(word.low) and first not in STOPWORDS
            for name in known.first[first]
        ]
        if begun:
            return begun
    short = {name for number in _groups().get(word.low, ()) for name in known.forms.get(number, ())}
    return tuple(short) if len(short) == 1 else ()


@cache
def _groups() -> dict[str, frozenset[int]]:
    """By first name, the numbers of the names it may be a form of."""
    found: dict[str, set[int]] = {}
    for number, names in enumerate(_SHORT_FORMS.split("|")):
        for name in names.split():
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


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
    for match in _WORD.finditer(text):
        word = _word(match, text)
        if "-" in word.low and word.low not in known.first and word.text.rpartition("-")[2].islower():
            found += (_word(piece, text) for piece in _PIECE.finditer(text, *match.span()))
        else:
            found.append(word)
    return found


def _word(match: re.Match[str], text: str) -> _Word:
    bare = _OWN.sub("", match[0])
    low = _folded(bare)
    before = text[max(0, match.start() - _BACK) : match.start()].lower()
    lead = before.rstrip(_OPENING)
    capital = bare[0].isupper()
    inside = bool(lead) and (not lead.endswith(_ENDING) or lead.endswith(_TITLED))
    sure = True
    if low in _SMALL:
        title = capital and (len(bare) == 1 or not bare.isupper()) and low != "i"
        sure = title and (inside or bare != match[0])
    if low in _MONTHS and (_IN_MONTH.search(before) or _DATED.match(text, match.end())):
        sure = False
    return _Word(bare, low, match.start(), capital, inside, sure)


def _folded(word: str) -> str:
    """A word in small letters, without the accents of Latin ones."""
    return bare(word.casefold().replace("’", "'"))
