"""What is noted of a text when it is indexed, so that ranking need not read it again: flags, lengths, sentences, dates."""

from __future__ import annotations

import re
from enum import IntFlag
from typing import TYPE_CHECKING

from oldsoul.language.sentences import sentences
from oldsoul.language.words import is_foreign, is_unspaced, plain_words, words
from oldsoul.reading.dates import Span, spans
from oldsoul.reading.times import counting, languages
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
    CHANGES = 8192
    """It says that something is otherwise now, or is no more."""
    INSTRUCTS = 16384
    """It says how the agent is to behave."""
    NOTE = 32768
    """It stands in a note, where lines go together; memories stand each by itself. Set by the caller."""
    BEGINS = 65536
    """It is the first under its heading. Set by the caller."""
    ONLY_ASKS = 131072
    """It is nothing but questions."""


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
_TIME_LEADS = frozenset(("this", "may", "spring", "summer", "autumn", "fall", "winter"))
_TIME = re.compile(
    r"\b(?:this (?:past |coming )?(?:morning|afternoon|evening|summer|winter|spring|fall|autumn)|in may|"
    r"(?:in|during|over) (?:the )?(?:early |late )?(?:summer|winter|spring|fall|autumn))\b" + r"(?! (?:water|rolls?)\b)"
)
"""Times of more than a word; each has one of the words before in it."""
_NUMBERED_TIME = re.compile(
    r"\d(?<!\w\d)(?:(?<=1)9\d\d|(?<=2)0\d\d|\d?(?:st|nd|rd|th)|\d?(?::\d\d)? ?[ap]\.?m\b)\b"  # years, days, hours
)
"""Times with a number; begun with a digit, which few texts have, they are quickly looked for."""
_TIME_ELSEWHERE = re.compile(
    r"昨天|今天|明天|昨晚|前天|后天|上周|下周|本周|上个?月|下个?月|去年|今年|明年|星期|周[一二三四五六日末]|[年月日号点]|小时|"
    r"昨日|今日|明日|先週|来週|先月|来月|昨年|来年|曜日|[周週][間前]|礼拜|おととい|あさって|"
    r"어제|그저께|그제|오늘|내일|모레|지난|[작올내][년해]|(?:이번|다음) ?[주달]|\d ?[년월일주]|개월|요일|주말|[달주년일틀흘루] ?전"
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
    r"\d(?:(?<=[$€£¥₹]\d)|(?<=[$€£¥₹] \d)| ?[$€£¥₹元円]|"
    r" ?(?:k )?(?:dollars?|bucks|euros?|pounds|quid|yen|yuan|usd|eur|gbp|chf|francs?|块|块钱|万))"
)
_LIKING = """
    like likes love loves enjoy enjoys adore hate hates dislike dislikes prefer prefers preference favorite favourite
    fan allergic allergy vegetarian vegan intolerant avoid avoiding stand bear weakness obsessed picky rather into
"""
_LIKING_WORDS = frozenset(_LIKING.split())
_LIKING_ELSEWHERE = re.compile("喜欢|喜歡|讨厌|討厭|爱吃|最爱|过敏|過敏|不吃|受不了|好き|嫌い|苦手|アレルギー")
_CHANGED = """
    now instead anymore switched replaced scrapped rescheduled postponed cancelled canceled bumped moved changed updated
    renamed swapped
"""
_CHANGING_WORDS = frozenset(_CHANGED.split())
_CHANGING = re.compile(
    r"\b(?:any more|no longer|from now on|as of|since (?:last|this)|brought forward|pushed back|called off|after all|"
    r"(?:is|are|'s|'re) (?:off|out|gone|over|done)|gave up|given up|goes? (?:up|down) to|up to|down to|not any|rather than)\b"
)
_CHANGED_BY = "more longer now as since forward pushed called all off out gone over done up down than any"
_CHANGING_LEADS = frozenset(_CHANGED_BY.split())
_CHANGING_ELSEWHERE = re.compile(
    "改[成为為到在用]|换成|換成|换了|不再|取消|变成|變成|已经不|推迟|提前到|现在|現在|変更|変えた|やめ|代わり|になった|になりました|延期|中止|これから"
)
_INSTRUCTING = re.compile(
    r"\b(?:please|pls|plz|from now on|unless i|with me|when (?:i|you) (?:ask|say|write|suggest|answer|reply|talk|speak)|"
    r"(?:i want|i need|i'd like|i would like) you to|you (?:should|must|may|can|need to|have to|don't need|shouldn't|mustn't)|"
    r"remind me|call me|answer me|write to me|tell me|send me|give me|ask me|talk to me|spare me|to be reminded|reminders?)\b|"
    r"(?:^|[.,;:!?+–-] *|\b(?:and|so|but|also|btw|then|oh|ok) )"
    r"(?:don't|dont|do not|never|always|stop|avoid|keep|use|remember|answer|reply|short|brief|no (?:more )?[a-z]+|only)\b"
)
_INSTRUCTED_BY = """
    please pls plz now unless you me reminded reminder reminders ask say write suggest answer reply talk speak don dont do
    never always stop avoid keep use remember short brief no only
"""
_INSTRUCTING_LEADS = frozenset(_INSTRUCTED_BY.split())
_INSTRUCTING_ELSEWHERE = re.compile(
    "请|請|别|別|不要|不用|以后|以後|跟我说|给我|提醒我|叫我|回答我|用中文|用英文|してね|してください|してほしい|しないで|やめて|にして|返して|教えて|ため口|必ず|これからは"
)
_ASKS = re.compile(r"[?？؟;՞፧⁇⁈⁉‽⸮꘏︖﹖❓❔][!！\"'”’)\]」』）\s]*$|(?:吗|呢|か)[。\s]*$")
_TAIL = 12
"""How many characters from the end a question mark is looked for."""


def marked(text: str, said: date | None = None, *, own_flags: int = 0) -> Marked:
    """What is to be noted of a text said or written on this day; the caller's own flags are added."""
    flags = own_flags
    low = text.lower()
    here = set(plain_words(low) if low.isascii() and "_" not in low else _WORD.findall(low))
    counts = _DIGIT.search(low) is not None
    if _tells_time(text, low, here, counts=counts):
        flags |= _TIMES
    if counts:
        flags |= _NUMBERS | _MONEY if _SUM.search(low) else _NUMBERS
    for mark, those in _BY_WORDS:
        if not here.isdisjoint(those):
            flags |= mark
    for mark, leads, phrases in _BY_PHRASES:
        if not here.isdisjoint(leads) and phrases.search(low):
            flags |= mark
    if not text.isascii():
        flags |= _elsewhere(text)
    if _MAY_NAME.search(text, 1) and _NAME.search(text):
        flags |= _NAMES
    if asks(text):
        flags |= _QUESTIONS | _ONLY if all(map(asks, sentences(text))) else _QUESTIONS
    found: list[Span] = spans(text, said, told=True) if flags & _TIMES else []
    return Marked(
        flags=flags,
        length=length(text),
        event_from=min((span.first for span in found), default=0),
        event_to=max((span.last for span in found), default=0),
    )


_NAMES, _QUESTIONS, _TIMES, _MONEY = int(Mark.NAME), int(Mark.ASKS), int(Mark.TIME), int(Mark.MONEY)
_ONLY = int(Mark.ONLY_ASKS)
_NUMBERS, _OWN, _FOREIGN, _LIKES = int(Mark.NUMBER), int(Mark.FIRST_PERSON), int(Mark.FOREIGN), int(Mark.LIKES)
_CHANGES, _INSTRUCTS = int(Mark.CHANGES), int(Mark.INSTRUCTS)
_BY_WORDS = (
    *((_NUMBERS, _NUMBER_WORDS), (_OWN, _FIRST_PERSON_WORDS)),
    *((_LIKES, _LIKING_WORDS), (_CHANGES, _CHANGING_WORDS)),
)
_BY_PHRASES = ((_CHANGES, _CHANGING_LEADS, _CHANGING), (_INSTRUCTS, _INSTRUCTING_LEADS, _INSTRUCTING))
"""Phrases, and words of which each of them has one: those are looked up, and few texts are searched."""
_ELSEWHERE = (
    *((_TIMES, _TIME_ELSEWHERE), (_NUMBERS, _NUMBER_ELSEWHERE)),
    *((_OWN, _FIRST_PERSON_ELSEWHERE), (_LIKES, _LIKING_ELSEWHERE)),
    *((_CHANGES, _CHANGING_ELSEWHERE), (_INSTRUCTS, _INSTRUCTING_ELSEWHERE)),
)


def _elsewhere(text: str) -> int:
    """What a text has in words of other scripts."""
    found = _FOREIGN if is_foreign(text) else 0
    for mark, pattern in _ELSEWHERE:
        if pattern.search(text):
            found |= mark
    return found


def _tells_time(text: str, low: str, here: set[str], *, counts: bool) -> bool:
    """Whether a text, given in lower case too, names a time; words are looked up, and only what may be more than one is searched."""
    if not here.isdisjoint(_TIME_WORDS) or counting(languages(here), text, here):
        return True
    if counts and _NUMBERED_TIME.search(low):
        return True
    return not here.isdisjoint(_TIME_LEADS) and _TIME.search(low) is not None


def asks(text: str) -> bool:
    """Whether a text ends in a question."""
    return _ASKS.search(text[-_TAIL:]) is not None


def length(text: str) -> int:
    """How many words a text has; scripts without spaces count two characters as one."""
    if text.isascii():
        return len(text.split())
    found = words(text)
    pairs = sum(map(is_unspaced, found))
    return len(found) - pairs + (pairs + 1) // 2
