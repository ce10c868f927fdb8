"""Whom a question names, of those the store knows: by full name, first name, surname or a short form of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

from oldsoul.language.languages import bare
from oldsoul.language.words import RUN, is_unspaced
from oldsoul.ranking.terms import STOPWORDS
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_READ_MOST = 1000
"""So many characters of a text are read."""
_NAMED_MOST = 20
"""So many people are named by it."""

_WORD = re.compile(rf"{RUN}(?:['’-]{RUN})*")
_PIECE = re.compile(rf"{RUN}(?:['’]{RUN})*")
_OWN = re.compile(r"['’]s$", re.IGNORECASE)
_MYSELF = re.compile(r"I(?:['’]\w+)?")
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
_COMMON = """
    able ace admin agent alarm amber angel app apple april archer arrow art ash aspen assistant august aunt aurora
    autumn baby baker bank banks barber basil bay bear bell belle berry bill birch bishop blade blaze bliss blossom
    blue bond bonnie boss bot boy brand brandy bright brook brooks brother brown buck bud buddy bunny buster butch
    butler calendar camera candy cannon captain car carol carpenter case cash cat cedar chance charity chase chef
    cherry china chip christmas chuck clay clementine cliff clover coach coffee colt cook coral crash crew cricket
    crow crystal curry dad daisy dale dandy darling dash daughter dawn day deacon dean dell destiny diamond dick doc
    doctor don door dot dove drew duke dusty eagle earl early easter easy echo ember eve ever faith fancy father
    fern field finch fisher flint flower ford forest foster fox frank freedom friday friend gale garden garnet gay
    gene general ghost ginger girl glen gold golden goose grace grandma grandpa grant grape gray green grey grove
    guest guy hall happy hardy harmony harvest haven hawk hazel heath heather heaven hero hill holly home honey hook
    hope host house hunt hunter ice indigo iris island ivy jack jade jasmine jay jazz jean jersey jet jewel joker
    joy judge june junior juniper justice king kit kitchen knight lake lance land lane lark laurel leaf legend lemon
    liberty light lily lotus love lucky magic magnolia mail major man marble marina marine mark marsh martin marvel
    mason maverick max may meadow melody mercy merry midnight miles miller minister mint mister misty mom monday
    money moon moss mother mum muse music navy neighbor neighbour news nick night noble norm north nova nurse nut
    oak ocean office olive onyx opal orchid page panda park pat patience patty pax peace peach peanut pearl pebble
    peg penny pepper pet phoenix phone pierce pilot pine pink piper pixel plum poppy porter potter power press price
    pride prime prince princess private prudence pumpkin queen quest rabbit radar rain rainbow rally ram ranger
    raven ray rebel red reed reef reign rich ridge river rivers rob robin robot rock rocky rod rose rosemary router
    rover rowan royal ruby rush rusty saffron sage sailor saint sand sandy scarlet school scout serenity sergeant
    server service shade shadow sharp shepherd sherry shop short shy sienna silver sister skip sky slate smiley
    smoke snow soldier solo son sonic sonny spark sparrow spice spike spirit spot spring star sterling stone storm
    stormy sue sugar summer sunday sunny sunshine support sweet swift system tab teacher teal team temple thorn
    thunder tiger titan topaz trace tree trick trinity trip true tuesday tulip turner uncle unity user valentine van
    viola violet viper vision wade walker ward wave weather wednesday wells west whisper wild will willow win wing
    winner winter wise wit wizard wolf woman wood woods wren young zen zephyr
"""
_SMALL = STOPWORDS.union(_COMMON.split(), ("van", "von", "de", "der", "den", "da", "di", "la", "le", "el", "bin", "al"))
"""Words that are a name only where their capital says so."""
_ARTICLE = re.compile(r"\b(?:the|an?|der|die|das|dem|den|des|eine?[mnrs]?) $")
_MONTH_NAMES = "april may june july august jan feb mar apr jun jul aug sep sept oct nov dec"
_WEEKDAYS = "mon tue tues wed weds thu thur thurs fri sat sun"
_MONTHS = frozenset(_MONTH_NAMES.split())
_CALENDAR = _MONTHS.union(_WEEKDAYS.split())
"""Words that shorten no name."""
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
    groups = _groups()
    first = _by((words[0], name) for name, words in parts.items())
    sizes = _by((words[0], len(words)) for words in parts.values())
    return _Known(
        _by((tuple(words), name) for name, words in parts.items()),
        {word: sorted(set(counts), reverse=True) for word, counts in sizes.items()},
        first,
        sorted(first.keys() - STOPWORDS),
        _by((words[-1], name) for name, words in parts.items() if len(words) > 1),
        _by((number, name) for name, words in parts.items() for number in groups.get(words[0], ())),
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
    """Whom a word names that is no first name: by a surname, by how a first name begins, by a short form."""
    last = known.last.get(word.low, ())
    if len(last) == 1:
        return last
    if not word.short:
        return ()
    if word.inside and len(word.low) >= _NICKNAME:
        start = bisect_left(known.ordered, word.low)
        near = known.ordered[start : start + _NAMED_MOST]
        begun = [
            name for first in takewhile(lambda each: each.startswith(word.low), near) for name in known.first[first]
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
