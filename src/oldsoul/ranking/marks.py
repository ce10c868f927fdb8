"""What is noted of a text when it is indexed, so that ranking need not read it again: flags, lengths, sentences, dates."""

from __future__ import annotations

import re
from datetime import date
from enum import IntFlag
from functools import cache

from oldsoul.language.cues import any_listed
from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import ends_in_question, only_asks
from oldsoul.language.words import is_foreign, is_unspaced, plain_words, words
from oldsoul.reading.dates import Span, spans
from oldsoul.reading.times import languages
from oldsoul.values.frozen import frozen


class Mark(IntFlag):
    """What a text has, a bit each."""

    TIME = 1
    """It speaks of a time: a date, a weekday, `yesterday`, `two years ago`."""
    NUMBER = 2
    """It holds a number, in digits or in words."""
    NAME = 4
    """It has a capitalised word inside a sentence, or a quotation."""
    FIRST_PERSON = 8
    """It speaks in the first person."""
    ASKS = 16
    """It ends in a question."""
    EVERGREEN = 32
    """Its file does not age (MEMORY.md, USER.md, a person's profile). Set by the caller."""
    CORRECTION = 64
    """It corrects something remembered. Set by the caller."""
    ARCHIVED = 128
    """It lies in an archive, and ranks below what does not. Set by the caller."""
    FOREIGN = 256
    """Most of its letters are not Latin."""
    AGENT = 512
    """The agent or a tool said it. Set by the caller."""
    LIKES = 1024
    """It says what somebody likes, wants or cannot have."""
    MONEY = 2048
    """It names a sum of money."""
    DERIVED = 4096
    """It tells of a conversation whose messages can be found themselves. Set by the caller."""
    CHANGES = 8192
    """It says that something is otherwise now, or is no more."""
    NOTE = 32768
    """It stands in a note, where lines go together; memories stand each by itself. Set by the caller."""
    BEGINS = 65536
    """It is the first under its heading. Set by the caller."""
    ONLY_ASKS = 131072
    """It is nothing but questions: no clause of it states something."""
    SUPERSEDED = 262144
    """A newer entry took its place. Set by the caller."""
    REPEATS = 1048576
    """It is what is asked, word for word. Set when something is asked."""


SPEAKS = int(Mark.FIRST_PERSON | Mark.ASKS)
"""Whose line in a file has one of these is somebody; others may only be what their lines are about (`Gateway: …`)."""


@frozen
class Marked:
    """What is noted of one text."""

    flags: int
    """Bits of `Mark`."""
    length: int
    """How many words it has; of scripts without spaces, half its characters."""
    event_from: int
    """First day (days since year 1) of what it speaks of, from its own words and its date; 0 when it names no time."""
    event_to: int
    """Last such day."""


_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_NUMBERED_TIME = re.compile(
    r"\d(?<!\w\d)(?:(?<=1)9\d\d|(?<=2)0\d\d|\d?(?:st|nd|rd|th)|\d?(?::\d\d)? ?[ap]\.?m\b)\b"  # years, days, hours
)
"""Times with a number; begun with a digit, which few texts have, they are quickly looked for."""
_NAME = re.compile(
    r"(?:[a-z0-9,;:'’)&-] +|[\"“'‘(*])(?!I\b|I['’])[A-Z]|[\"“][^\"”]{2,}[\"”]|[「『《][^」』》]+[」』》]"
)
_MAY_NAME = re.compile('[A-Z"”」』》]')
"""What a name has in it, after the first character: seldom there, and quickly found."""


def marked(text: str, said: date | None = None, *, own_flags: int = 0) -> Marked:
    """What is to be noted of a text said or written on this day; the caller's own flags are added."""
    flags, cues = own_flags, _cues()
    low = text.lower()
    here = set(plain_words(low) if low.isascii() and "_" not in low else _WORD.findall(low))
    counts = _DIGIT.search(low) is not None
    if _tells_time(text, low, here, counts=counts):
        flags |= _TIMES
    if counts:
        flags |= _NUMBERS | _MONEY if cues.money.search(low) else _NUMBERS
    for mark, those in cues.words:
        if not here.isdisjoint(those):
            flags |= mark
    if not here.isdisjoint(cues.changing_by) and cues.changing.search(low):
        flags |= _CHANGES
    if not text.isascii():
        flags |= _elsewhere(text)
    if _MAY_NAME.search(text, 1) and _NAME.search(text):
        flags |= _NAMES
    if ends_in_question(text):
        flags |= _QUESTIONS | _ONLY if only_asks(text) else _QUESTIONS
    found: list[Span] = spans(text, said, is_statement=True) if flags & _TIMES else []
    return Marked(
        flags=flags,
        length=length(text),
        event_from=min((span.first for span in found), default=0),
        event_to=max((span.last for span in found), default=0),
    )


_NAMES, _QUESTIONS, _TIMES, _MONEY = int(Mark.NAME), int(Mark.ASKS), int(Mark.TIME), int(Mark.MONEY)
_ONLY = int(Mark.ONLY_ASKS)
_NUMBERS, _OWN, _FOREIGN, _LIKES = int(Mark.NUMBER), int(Mark.FIRST_PERSON), int(Mark.FOREIGN), int(Mark.LIKES)
_CHANGES = int(Mark.CHANGES)
_KINDS = {"time": _TIMES, "number": _NUMBERS, "first": _OWN, "like": _LIKES, "change": _CHANGES, "changing": _CHANGES}
"""What the `mark` section of the language files lists, and which flag it gives."""


@frozen
class _Cues:
    """What gives a text a flag: words that are looked up, and patterns that are searched for."""

    words: tuple[tuple[int, frozenset[str]], ...]
    """Flags with words in small letters."""
    changing_by: frozenset[str]
    changing: re.Pattern[str]
    """What says in more than a word that something is otherwise now; each has one of the words before in it."""
    elsewhere: tuple[tuple[int, re.Pattern[str]], ...]
    """Flags with what languages without spaces say."""
    times: frozenset[str]
    timed_by: frozenset[str]
    timed: re.Pattern[str]
    """Times of more than a word; each has one of the words before in it."""
    money: re.Pattern[str]


@cache
def _cues() -> _Cues:
    listed = word_list("mark")
    unspaced = {code for code in listed if "script" in word_list("date").get(code, {})}
    joined = {
        kind: "|".join(
            any_listed(own.get(kind, "")) for code, own in listed.items() if code in unspaced and kind in own
        )
        for kind in (*_KINDS, "money")
    }
    own = {
        kind: " ".join(kinds[kind] for code, kinds in listed.items() if kind in kinds and code not in unspaced)
        for kind in (*_KINDS, "timedby", "changingby")
    }
    spaced = {
        kind: "|".join(
            any_listed(kinds[kind]) for code, kinds in listed.items() if kind in kinds and code not in unspaced
        )
        for kind in ("timed", "changing", "money")
    }
    phrased = {kind: re.compile(rf"\b(?:{each})\b") for kind, each in spaced.items()}
    return _Cues(
        tuple((_KINDS[kind], frozenset(own[kind].split())) for kind in ("number", "first", "like", "change")),
        frozenset(own["changingby"].split()),
        phrased["changing"],
        tuple((flag, re.compile(joined[kind])) for kind, flag in _KINDS.items() if joined[kind]),
        frozenset(own["time"].split()),
        frozenset(own["timedby"].split()),
        re.compile(rf"\b(?:{spaced['timed']})"),
        re.compile(
            rf"\d(?:(?<=[$€£¥₹]\d)|(?<=[$€£¥₹] \d)| ?[$€£¥₹元円]| ?(?:k )?(?:{spaced['money']}|{joined['money']}))"
        ),
    )


def _elsewhere(text: str) -> int:
    """What a text has in words of other scripts."""
    found = _FOREIGN if is_foreign(text) else 0
    for mark, pattern in _cues().elsewhere:
        if pattern.search(text):
            found |= mark
    return found


def _tells_time(text: str, low: str, here: set[str], *, counts: bool) -> bool:
    """Whether a text, given in lower case too, names a time; words are looked up, and only what may be more than one is searched."""
    cues = _cues()
    if not here.isdisjoint(cues.times) or languages(text, here):
        return True
    if counts and _NUMBERED_TIME.search(low):
        return True
    return not here.isdisjoint(cues.timed_by) and cues.timed.search(low) is not None


def length(text: str) -> int:
    """How many words a text has; scripts without spaces count two characters as one."""
    if text.isascii():
        return len(text.split())
    found = words(text)
    pairs = sum(map(is_unspaced, found))
    return len(found) - pairs + (pairs + 1) // 2
