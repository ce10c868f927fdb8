"""What is noted of a text when it is indexed, so that ranking need not read it again: flags, lengths, sentences, dates."""

from __future__ import annotations

import re
from enum import IntFlag
from typing import TYPE_CHECKING

from oldsoul.rules.dates import Span, spans
from oldsoul.rules.words import is_foreign, is_unspaced, words
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
_TIMED = """
    yesterday today tonight tomorrow ago recently lately last next weekend weekends since year years month months week
    weeks day days monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays january february march april june july august september october november december birthday
    anniversary christmas easter thanksgiving
"""
_TIME_WORDS = frozenset(_TIMED.split())
_TIME_LEADS = frozenset(("this", "may"))
_TIME = re.compile(
    r"\b(?:this (?:past |coming )?(?:morning|afternoon|evening|summer|winter|spring|fall|autumn)|in may|"
    r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|\d{1,2}(?::\d\d)? ?[ap]\.?m\b)\b"
)
"""Times of more than a word; those with a number apart, each has one of the words before in it."""
_TIME_ELSEWHERE = re.compile(
    r"昨天|今天|明天|昨晚|前天|后天|上周|下周|本周|上个?月|下个?月|去年|今年|明年|星期|周[一二三四五六日末]|[年月日号点]|小时|"
    r"昨日|今日|明日|先週|来週|先月|来月|昨年|来年|曜日"
)
_NUMBERED = """
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million
    dozen couple once twice both several half
"""
_NUMBER_WORDS = frozenset(_NUMBERED.split())
_NUMBER_ELSEWHERE = re.compile("[一二三四五六七八九十百千万两]")
_NAME = re.compile(
    r"(?:[a-z0-9,;:'’)&-] +|[\"“'‘(*])(?!I\b|I['’])[A-Z]|[\"“][^\"”]{2,}[\"”]|[「『《][^」』》]+[」』》]"
)
_MAY_NAME = re.compile('[A-Z"”」』》]')
"""What a name has in it, after the first character: seldom there, and quickly found."""
_FIRST_PERSON_WORDS = frozenset(("i", "my", "me", "mine", "we", "our", "us", "myself"))
_FIRST_PERSON_ELSEWHERE = re.compile("[我咱俺私僕]")
_SUM = re.compile(
    r"[$€£¥₹] ?\d|\d ?[$€£¥₹元円]|\d ?(?:k )?(?:dollars?|bucks|euros?|pounds|quid|yen|yuan|usd|eur|gbp|chf|francs?|块|块钱|万)"
)
_LIKING = """
    like likes love loves enjoy enjoys adore hate hates dislike dislikes prefer prefers preference favorite favourite
    fan allergic allergy vegetarian vegan intolerant avoid avoiding stand bear weakness obsessed picky rather into
"""
_LIKING_WORDS = frozenset(_LIKING.split())
_LIKING_ELSEWHERE = re.compile("喜欢|喜歡|讨厌|討厭|爱吃|最爱|过敏|過敏|不吃|受不了|好き|嫌い|苦手|アレルギー")
_ASKS = re.compile(r"[?？][\"'”’)\]」』）\s]*$|(?:吗|呢|か)[。\s]*$")
_TAIL = 12
"""How many characters from the end a question mark is looked for."""


def marked(text: str, said: date | None = None, *, own_flags: int = 0) -> Marked:
    """What is to be noted of a text said or written on this day; the caller's own flags are added."""
    flags = own_flags
    low = text.lower()
    here = set(_WORD.findall(low))
    counts = _DIGIT.search(low) is not None
    if _tells_time(low, here, counts=counts):
        flags |= _TIMES
    if counts and _SUM.search(low):
        flags |= _MONEY
    if counts or not here.isdisjoint(_NUMBER_WORDS):
        flags |= _NUMBERS
    if not here.isdisjoint(_FIRST_PERSON_WORDS):
        flags |= _OWN
    if not here.isdisjoint(_LIKING_WORDS):
        flags |= _LIKES
    if not text.isascii():
        for mark, pattern in _ELSEWHERE:
            if pattern.search(text):
                flags |= mark
        if is_foreign(text):
            flags |= _FOREIGN
    if _MAY_NAME.search(text, 1) and _NAME.search(text):
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
_NUMBERS, _OWN, _FOREIGN = int(Mark.NUMBER), int(Mark.FIRST_PERSON), int(Mark.FOREIGN)
_LIKES, _MONEY = int(Mark.LIKES), int(Mark.MONEY)
_ELSEWHERE = (
    *((_TIMES, _TIME_ELSEWHERE), (_NUMBERS, _NUMBER_ELSEWHERE)),
    *((_OWN, _FIRST_PERSON_ELSEWHERE), (_LIKES, _LIKING_ELSEWHERE)),
)


def _tells_time(low: str, here: set[str], *, counts: bool) -> bool:
    """Whether a text in lower case names a time; words are looked up, and only what may be more than one is searched."""
    if not here.isdisjoint(_TIME_WORDS):
        return True
    return (counts or not here.isdisjoint(_TIME_LEADS)) and _TIME.search(low) is not None


def length(text: str) -> int:
    """How many words a text has; scripts without spaces count two characters as one."""
    if text.isascii():
        return len(text.split())
    found = words(text)
    pairs = sum(map(is_unspaced, found))
    return len(found) - pairs + (pairs + 1) // 2
