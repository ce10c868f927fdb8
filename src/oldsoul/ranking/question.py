"""A question taken apart: what it is about, whom and when it names, what kind of answer it wants."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from enum import IntFlag
from functools import cache, lru_cache

from oldsoul.language.cues import any_listed, any_of, filled, plain
from oldsoul.language.languages import ENGLISH, known, language, little_words
from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import ends_in_question
from oldsoul.language.words import RUN, is_foreign, is_unspaced
from oldsoul.ranking.people import TITLE, mentions
from oldsoul.ranking.terms import STOPWORDS, joined, terms, word_terms
from oldsoul.reading.dates import Span, spans
from oldsoul.reading.times import Time, month_alone, time_words, times
from oldsoul.values.frozen import frozen


@cache
def _lists() -> dict[str, list[str]]:
    """Lists of members by the term that names their kind; a kind of two words by both, with a space."""
    found: dict[str, list[str]] = {}
    for kind in word_list("rank")[ENGLISH]["classes"].split(" | "):
        names, _, listed = kind.partition(" = ")
        for name in names.split(","):
            found.setdefault(" ".join(terms(name)), []).append(listed)
    return found


@lru_cache(maxsize=256)
def _belonging(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for listed in _lists().get(name, ()) for term in terms(listed)))


def members(term: str, follower: str = "") -> tuple[str, ...]:
    """The terms of what belongs to a kind, by the term that names it and perhaps the one after; none for no kind."""
    return _belonging(f"{term} {follower}") or _belonging(term)


class Kind(IntFlag):
    """What kind of answer a question wants; several may hold."""

    WHEN = 1
    """A time."""
    NAME = 2
    """A name: where, who, which book."""
    COUNT = 4
    """A number."""
    LIST = 8
    """Several things, which may stand in several places."""
    SUPPOSE = 32
    """A judgement: would, might, recommend. Its answer need not stand anywhere."""
    ADVICE = 64
    """Advice, for which it counts what one likes."""
    SAID = 128
    """What the agent itself said."""
    THEN = 1024
    """How something was, and not how it is."""
    MONEY = 256
    """A sum of money."""
    BEFORE = 2048
    """How something was before it changed, or at some time."""
    DAY = 512
    """What there was at some time, and nothing else of it."""


@frozen
class Question:
    """A question, taken apart."""

    text: str
    """As it was asked."""
    spoken: str
    """As the named person would have said it: for vectors. Names become `I`, question words in front are gone."""
    content: tuple[str, ...]
    """Its content words as written, in order, each once: for vectors."""
    terms: tuple[str, ...]
    """The terms of the content words and names, in order, each once: for words."""
    members: tuple[tuple[str, ...], ...]
    """For each term what belongs to the kind of thing it names: the terms of violin and flute for `instrument`."""
    pairs: tuple[tuple[str, str], ...]
    """Content terms that follow each other, perhaps with a stopword between."""
    people: tuple[str, ...]
    """Whom it names, of those the store knows."""
    subject: str
    """Who is to be heard: the one it names, or of several the one that does something to another; else nobody."""
    called: str
    """How it calls that one."""
    kind: Kind
    """What kind of answer it wants."""
    dates: tuple[Span, ...]
    """The times it names; relative ones resolved against the day it was asked."""
    months: tuple[int, ...]
    """Months it names without a year."""
    timely: tuple[int, ...]
    """Places of the terms that only name a time (`two days ago`): what is of that time has them, whatever its words."""
    foreign: bool
    """Whether most of its letters are not Latin."""
    language: str = ENGLISH
    """The code of the language it is in."""
    mine: float = 0.0
    """How far it is about whoever asks: 1 for `my` and `I`, less for `our`."""
    zone: tzinfo = UTC
    """Where whoever asks is: a day there begins at another moment."""
    abroad: tuple[tuple[str, ...], ...] = ()
    """For each thing it names, the terms that say it in other scripts than its own; none where no memory is in those."""

    @property
    def in_english(self) -> bool:
        """Whether it is in English."""
        return self.language == ENGLISH

    @property
    def moments(self) -> tuple[tuple[int, int], ...]:
        """The times it names that are no longer than a month, from one second to before another."""
        return tuple(
            (self.begin(span.first), self.begin(span.last + 1))
            for span in self.dates
            if span.last - span.first <= _A_MONTH
        )

    def begin(self, day: int) -> int:
        """When a day begins for whoever asks, in seconds since 1970."""
        there = datetime.fromordinal(min(max(day, _FIRST), _LAST)).replace(tzinfo=self.zone)
        return int(there.timestamp())

    @property
    def by_kin(self) -> bool:
        """Whether its words change at their ends and are not cut to stems: terms that begin like them count too."""
        return self.language not in _CUT


_FIRST, _LAST = 2, date.max.toordinal() - 1
"""Days that a clock in any zone can tell."""
_A_MONTH = 31
_CAPITALS = (ENGLISH, "de")
"""Languages that write other words than names with a capital, or whose names are told otherwise."""
_READ_ALWAYS = (ENGLISH, "zh", "ja")
"""Languages whose questions are looked for in any text."""
_CUT = (ENGLISH, "zh", "ja", "ko")
"""Languages whose words are cut to stems, or to pairs of characters."""


MOST_READ, MOST_TERMS = 4000, 256
"""Of so many characters of what is asked, and of so many terms, anything is looked up: more is a text and no question."""
_WORD = re.compile(rf"{RUN}(?:['’]{RUN})*")
_LAST_WORD = re.compile(r"(?<=\s)\S{1,100}\Z")
_SHARED = 0.5
"""What is ours is mine by half."""
_READ_MOST = 1000
"""So many characters of a question say what kind it is."""
_KINDS = ("when", "name", "count", "list", "suppose", "advice", "money", "then", "before", "said")
"""Kinds of questions that the `question` section of the language files has patterns for."""
_FLAGS = {kind: int(Kind[kind.upper()]) for kind in _KINDS}
_DAY = int(Kind.DAY)
_DAY_NUMBER = re.compile(r"[0-3]?\d(?:st|nd|rd|th)?|(?:19|20)\d\d")
_RELATIVE = ("ago", "ahead", "stretch", "week", "beside", "on", "today", "alone")
"""Kinds of times that are named by the day of the question: no row has their words for it."""


@cache
def _patterns(*kinds: str, ascii_only: bool) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Kinds with patterns for how English asks for them, and in other letters the languages without spaces."""
    listed = word_list("question")
    slots = {"names": "|".join(listed[ENGLISH]["names"].split(","))}
    found = []
    for kind in kinds:
        for code in _READ_ALWAYS[:1] if ascii_only else _READ_ALWAYS:
            if forms := listed.get(code, {}).get(kind):
                own = filled(any_listed(forms), slots, edges=code == ENGLISH)
                found.append((kind, re.compile(own, re.IGNORECASE)))
    return tuple(found)


@cache
def _unspaced(*kinds: str) -> re.Pattern[str]:
    """What languages without spaces list under some kinds, the longest first."""
    listed = (
        own.get(kind, "") for code, own in word_list("question").items() if code in _READ_ALWAYS[1:] for kind in kinds
    )
    return re.compile(any_of(filter(None, (each for forms in listed for each in forms.split(" | ")))))


def asks_what_was_said(text: str) -> bool:
    """Whether a question asks for what the agent itself said."""
    text = text[:_READ_MOST]
    return any(pattern.search(text) is not None for _, pattern in _patterns("said", ascii_only=text.isascii()))


def asked(text: str, people: Sequence[str] = (), *, on: date | None = None, spoken_in: str = "") -> Question:
    """The question taken apart, given whom the store knows, the day it is asked, and its language if that is known."""
    text = unicodedata.normalize("NFC", text)
    named = mentions(text, people)
    subject = _subject(text, named)
    dates = tuple(spans(text, on))
    forms = {part.casefold() for name, as_said in named.items() for part in _WORD.findall(" ".join((name, *as_said)))}
    spoken_in = spoken_in or language(text)
    idle_words = little_words(spoken_in) or STOPWORDS
    named_so = _capitals(text) if spoken_in not in _CAPITALS else frozenset()
    lows = [(low, low.partition("'")[0] in idle_words and low not in named_so) for low in _cut(_lows(text), spoken_in)]
    content = dict.fromkeys(low for low, idle in lows if not idle and low not in forms)
    sequence = [(term, idle) for low, idle in lows for term in word_terms(low)]
    kept = [term for term, idle in sequence if not idle]
    pairs: dict[tuple[str, str], None] = {}
    last = before = ""
    for term, idle in sequence:
        if not idle:
            if last or before:
                pairs[(last or before, term)] = None
            last, before = term, ""
        else:
            last, before = "", last
    named_times = times(text)
    kind = _kind(text[:_READ_MOST], spoken_in)
    one_word = joined(text.lower()) if "-" in text else []
    named_terms = tuple(dict.fromkeys([*(kept or [term for term, _ in sequence]), *one_word]))[:MOST_TERMS]
    return Question(
        text=text,
        spoken=_spoken(text, named, spoken_in),
        content=tuple(content)[:MOST_TERMS],
        terms=named_terms,
        members=tuple(map(members, named_terms, (*named_terms, "")[1:])),
        pairs=tuple(pairs)[:MOST_TERMS],
        people=tuple(named),
        subject=subject,
        called=named[subject][0] if subject else "",
        kind=Kind(kind | (_DAY if dates and _is_of_a_day(text, named_times, spoken_in) else 0)),
        dates=dates,
        timely=_timely(text, named_terms, named_times) if dates else (),
        months=tuple(dict.fromkeys(filter(None, map(month_alone, named_times)))),
        foreign=is_foreign(text),
        language=spoken_in,
        mine=_mine(text, spoken_in),
    )


def readable(text: str) -> str:
    """So much of a text as is looked up, whoever asks and through whatever door; it ends at the end of a word."""
    cut = text[:MOST_READ]
    return cut if len(text) <= MOST_READ else cut[: match.start()] if (match := _LAST_WORD.search(cut)) else cut


def is_question(text: str, code: str) -> bool:
    """Whether a text in a language is put as a question: by its mark, or by the word it begins with."""
    own = known(code)
    return (
        ends_in_question(text)
        or _question_word().match(text) is not None
        or any(pattern.match(text.casefold()) for pattern in (own.asking.values() if own else ()))
    )


@cache
def _question_word() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{any_of(word_list('question')[ENGLISH]['words'].split())})\b", re.IGNORECASE)


@cache
def _lead() -> re.Pattern[str]:
    """What an English question begins with before it says what it is about."""
    return re.compile(word_list("question")[ENGLISH]["lead"], re.IGNORECASE)


def _capitals(text: str) -> frozenset[str]:
    """The words of a question after the first that have a capital: names, though a language may have them as little words."""
    return frozenset(word.casefold() for word in _words(text)[1:] if word[0].isupper() and not text.isupper())


def _cut(lows: list[str], code: str) -> list[str]:
    """Words without what their language writes on to them."""
    own = known(code)
    if own is None or own.ends is None:
        return lows
    return [low if low in little_words(code) else own.ends.sub("", low) for low in lows]


def _kind(text: str, code: str) -> int:
    found = {kind for kind, pattern in _patterns(*_KINDS, ascii_only=text.isascii()) if pattern.search(text)}
    own = known(code)
    found.update(kind for kind, pattern in (own.asking.items() if own else ()) if pattern.search(text))
    return sum(_FLAGS[kind] for kind in found)


def _mine(text: str, code: str) -> float:
    own = known(code)
    if own is not None and code != ENGLISH:
        return 1.0 if not own.mine.isdisjoint(_lows(text)) else 0.0
    said = {kind for kind, pattern in _patterns("mine", "ours", ascii_only=text.isascii()) if pattern.search(text)}
    return 1.0 if "mine" in said else _SHARED if said else 0.0


def _without(text: str, named: Iterable[Time]) -> str:
    """A text without some of the times in it."""
    for time in sorted(named, key=lambda time: time.start, reverse=True):
        text = f"{text[: time.start]} {text[time.end :]}"
    return text


def _timely(text: str, terms: Sequence[str], named: Sequence[Time]) -> tuple[int, ...]:
    """The places of terms that stand only where a question names a time by its own day, or in figures."""
    left = _without(text, (time for time in named if time.kind in _RELATIVE or "-" in text[time.start : time.end]))
    others = {term for low in _lows(left) for term in word_terms(low)}
    return tuple(place for place, term in enumerate(terms) if term not in others)


def content_words(text: str) -> list[str]:
    """The words of a question that say what it is about, names too, in order and each once."""
    idle_words = little_words(language(text)) or STOPWORDS
    return list(dict.fromkeys(low for low in _lows(text) if low.partition("'")[0] not in idle_words))


def _is_of_a_day(text: str, named: Sequence[Time], code: str) -> bool:
    """Whether a question, such as `what did I say yesterday?`, names a time and nothing else."""
    own, left = known(code), _without(text, named)
    if not left.isascii():
        left = _unspaced("doing").sub("", _unspaced("asking", "idle").sub("", left))
    times_of = time_words(code)
    said = [low for low in content_words(left) if plain(low) not in times_of and not _DAY_NUMBER.fullmatch(low)]
    return (own.doing if own else frozenset[str]()).issuperset(said)


def _lows(text: str) -> list[str]:
    return [word.casefold().replace("’", "'").removesuffix("'s") for word in _words(text)]


def _words(text: str) -> list[str]:
    """The words as written; of scripts without spaces what is left between words that only ask."""
    if text.isascii():
        return _WORD.findall(text)
    return _WORD.findall(_unspaced("asking", "idle").sub(" ", text)) or _WORD.findall(text)


def _subject(text: str, named: Mapping[str, Sequence[str]]) -> str:
    """Of several people the first, unless they are named together (`Ann and Bob`), as one or as an owner (`Ann's`)."""
    if len(named) < 2:  # noqa: PLR2004 - one is not several
        return next(iter(named), "")
    found = [
        (at.start(), name)
        for name, forms in named.items()
        for form in forms
        if (at := re.search(rf"\b{re.escape(form)}\b(?!['’]s)", text))
    ]
    either = "|".join(re.escape(form) for forms in named.values() for form in forms)
    if not found or re.search(rf"\b(?:{either})(?:,| and| or| &) (?:{either})\b|\bboth\b", text):
        return ""
    first = min(found)[0]
    here = {name for start, name in found if start == first}
    return here.pop() if len(here) == 1 else ""


def _spoken(text: str, named: Mapping[str, Sequence[str]], code: str) -> str:
    forms = sorted({form for each in named.values() for form in each}, key=len, reverse=True)
    changed = text.strip()
    if code != ENGLISH:
        changed = _unspaced("asking").sub(" ", text)
    elif not changed.startswith(tuple(forms)):
        changed = _lead().sub("", changed, count=1)
    for form in forms:
        plain = rf"(?<!\w)(?:(?i:{TITLE}) )?{re.escape(form)}"
        edge = "" if is_unspaced(form) else r"(?!\w)"
        changed = re.sub(rf"{plain}['’]s(?!\w)", "my", changed)
        changed = re.sub(f"{plain}{edge}", "I", changed)
    return changed.strip(" ?？!.") or text
