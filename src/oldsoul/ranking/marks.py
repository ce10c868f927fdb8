"""What is noted of a text when it is indexed, so that ranking need not read it again: flags, lengths, sentences, dates."""

from __future__ import annotations

import re
from enum import IntFlag
from typing import TYPE_CHECKING

from oldsoul.ranking.dates import Span, spans
from oldsoul.rules.words import is_unspaced, words
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from datetime import date


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


_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|lately|last|next|this (?:past |coming )?(?:week|month|year|"
    r"weekend|morning|afternoon|evening|summer|winter|spring|fall|autumn)|weekends?|(?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)days?|january|february|march|april|june|july|august|september|october|november|december|"
    r"in may|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|\d{1,2}(?::\d\d)? ?[ap]\.?m\b|since|years?|months?|weeks?|days?|"
    r"birthday|anniversary|christmas|easter|thanksgiving|new year)\b"
)
_TIME_ELSEWHERE = re.compile(
    r"昨天|今天|明天|昨晚|前天|后天|上周|下周|本周|上个?月|下个?月|去年|今年|明年|星期|周[一二三四五六日末]|[年月日号点]|小时|"
    r"昨日|今日|明日|先週|来週|先月|来月|昨年|来年|曜日"
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|"
    r"million|dozen|couple|once|twice|both|several|half)\b"
)
_NUMBER_ELSEWHERE = re.compile("[一二三四五六七八九十百千万两]")
_NAME = re.compile(
    r"(?:[a-z0-9,;:'’)&-] +|[\"“'‘(*])(?!I\b|I['’])[A-Z]|[\"“][^\"”]{2,}[\"”]|[「『《][^」』》]+[」』》]"
)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|we|our|us|myself)\b")
_FIRST_PERSON_ELSEWHERE = re.compile("[我咱俺私僕]")
_ASKS = re.compile(r"[?？][\"'”’)\]」』）\s]*$|(?:吗|呢|か)[。\s]*$")
_TAIL = 12
"""How many characters from the end a question mark is looked for."""


def marked(text: str, said: date | None = None, *, own_flags: int = 0) -> Marked:
    """What is to be noted of a text said or written on this day; the caller's own flags are added."""
    flags = own_flags
    low = text.lower()
    elsewhere = not text.isascii()
    for mark, pattern, other in _PATTERNS:
        if pattern.search(low) or (elsewhere and other.search(text)):
            flags |= mark
    if _NAME.search(text):
        flags |= _NAMES
    if _ASKS.search(text[-_TAIL:]):
        flags |= _QUESTIONS
    found: list[Span] = spans(text, said) if flags & _TIMES else []
    return Marked(
        flags=flags,
        length=length(text),
        event_from=min((span.first for span in found), default=0),
        event_to=max((span.last for span in found), default=0),
    )


_NAMES, _QUESTIONS, _TIMES = int(Mark.NAME), int(Mark.ASKS), int(Mark.TIME)
_PATTERNS = (
    (_TIMES, _TIME, _TIME_ELSEWHERE),
    (int(Mark.NUMBER), _NUMBER, _NUMBER_ELSEWHERE),
    (int(Mark.FIRST_PERSON), _FIRST_PERSON, _FIRST_PERSON_ELSEWHERE),
)


def length(text: str) -> int:
    """How many words a text has; scripts without spaces count two characters as one."""
    if text.isascii():
        return len(text.split())
    found = words(text)
    pairs = sum(map(is_unspaced, found))
    return len(found) - pairs + (pairs + 1) // 2
