"""Times that a text names, as spans of days: dates as written, and relative ones resolved against the day it was said."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.language.languages import ENGLISH, language_told
from oldsoul.language.words import plain_words
from oldsoul.reading.date_readers import (
    Heard,
    Span,
    Words,
    ago,
    any_of,
    aside,
    beside,
    meanings,
    near,
    of_month,
    of_week,
    season,
    slashed,
    stretch,
    through,
    weekday_asked,
    weekdays_ago,
    written,
    year_asked,
)
from oldsoul.reading.dates_abroad import KOREAN, abroad, counting, languages, plain
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date

    _Read = Callable[[re.Match[str], Heard], list[Span]]
    _Rule = tuple[re.Pattern[str], _Read, Heard]

__all__ = ["NO_SEASON", "Span", "spans"]

_MONTHS = """
    1 january,jan | 2 february,feb | 3 march,mar | 4 april,apr | 5 may | 6 june,jun | 7 july,jul | 8 august,aug |
    9 september,sept,sep | 10 october,oct | 11 november,nov | 12 december,dec
"""
_HAN_NUMBERS = "1 一 | 2 二 | 3 三 | 4 四 | 5 五 | 6 六 | 7 七 | 8 八 | 9 九 | 10 十"
_WEEKDAYS = "0 monday | 1 tuesday | 2 wednesday | 3 thursday | 4 friday | 5 saturday | 6 sunday"
_UNITS = """
    1 day,天,日 | 2 weekend | 7 week,周,星期,个星期,個星期,礼拜,禮拜,个礼拜,個禮拜,週,週間 | 30 month,月,个月,個月,か月,ヶ月,ヵ月,カ月,ケ月 | 365 year,年
"""
_COUNTS = """
    1 a,an,one | 2 two,couple,两,兩 | 3 three,few,几,幾,数 | 4 four,several | 5 five | 6 six |
    7 seven | 8 eight | 9 nine | 10 ten | 11 eleven | 12 twelve,dozen | 13 thirteen | 14 fourteen | 15 fifteen |
    16 sixteen | 17 seventeen | 18 eighteen | 19 nineteen | 20 twenty
"""
_STEPS = """
    -2 before last,上上,上上个,上上個,前,先々,一昨 | -1 last,past,previous,on,上,上个,上個,去,先,昨 |
    0 this,这,这个,這,這個,本,今 | 1 next,coming,下,下个,下個,明,来,來 | 2 after next,下下,下下个,下下個,后,後,再来
"""
_NEAR = """
    -3 大前天 | -2 day before yesterday,night before last,前天,一昨日,おととい | -1 yesterday,last night,昨天,昨晚,昨日 |
    0 today,tonight,this morning,this afternoon,this evening,今天,今日 | 1 tomorrow,明天,明日 |
    2 day after tomorrow,后天,後天,明後日,あさって | 3 大后天,大後天,しあさって
"""
_WORDS = Words(
    months=meanings(f"{_MONTHS} | {_HAN_NUMBERS} | 11 十一 | 12 十二"),
    weekdays=meanings(f"{_WEEKDAYS} | 0 一,月 | 1 二,火 | 2 三,水 | 3 四,木 | 4 五,金 | 5 六,土 | 6 日,天"),
    units=meanings(_UNITS),
    counts={**meanings(f"{_COUNTS} | {_HAN_NUMBERS}"), **dict.fromkeys(("half a", "half an", "半"), 0.5)},
    steps=meanings(_STEPS),
    near=meanings(_NEAR),
)
"""English, Chinese and Japanese, which have no word in common."""
_ASCII = {kind: [word for word in getattr(_WORDS, kind) if word.isascii()] for kind in ("months", "counts", "near")}
_MONTH = rf"(?P<month>{any_of(_ASCII['months'])})\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_FROM = r"(?P<from>[0-3]?\d)(?:st|nd|rd|th)?"
_COUNT = rf"(?P<count>\d{{1,3}}|{any_of(_ASCII['counts'])})(?: of)?"
_UNIT = r"(?P<unit>day|week|month|year)"
_WEEKDAY = rf"(?P<weekday>{any_of(meanings(_WEEKDAYS))})"
_PERIOD = r"(?P<unit>week(?:end)?|month|year)"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_WHICH = r"(?P<which>last|past|this|next|coming)"
_MAYBE_YEAR = rf"(?:(?:,? |,){_YEAR})?"
_YEAR_LEAD = "20"
"""Stands for any number of a year; what has none in it has neither of `19` and `20`."""
_MONTH_LEADS = frozenset(_ASCII["months"])
_DAY_LEADS = frozenset(f"{day}{end}" for day in range(1, 32) for end in ("st", "nd", "rd", "th"))
_UNIT_LEADS = frozenset(("week", "weekend", "month", "year"))
_WEEKDAY_LEADS = frozenset(meanings(_WEEKDAYS))
_SEASON_LEADS = frozenset(("spring", "summer", "autumn", "fall", "winter"))
_NEAR_LEADS = frozenset(("yesterday", "today", "tonight", "tomorrow", "night", "morning", "afternoon", "evening"))
_SURE_MONTH = "january|february|april|june|july|august|september|october|november|december"
_NO_MONTH = r"(?:have|be|not|also|i|we|you|he|she|they|it)\b"
"""What follows `may` and `march` where they are verbs."""
_FOLLOWING = (
    r"(?:and|at|i|we|you|he|she|they|it|in|with|for|to|from|because|when|after|before|as|but|of|about|by|or|so)\b"
)
"""What may follow a day of the month; what else does is counted by it, as a floor is."""
_AROUND_YEARS = """
    in since of during by from until till before after between around about circa year years early late born class the this
    my our your his her their
"""
_NUMBERED = """
    pin port room code number no nr id flat apartment suite unit extension ext version model route flight gate bus line
    channel page box zip postcode password order ticket invoice locker house raum zimmer nummer konto
"""
_MEASURES = (
    r"euros?|dollars?|bucks|pounds|quid|yen|yuan|usd|eur|gbp|chf|francs?|kg|g|km|m|ml|miles|met(?:er|re)s|steps|"
    r"k?cal|calories|people|words|times|hours|minutes|points|pages|pieces"
)
_A_YEAR = rf"{_YEAR}\b(?![-/]\d\d?[-/]|[.,:]\d| ?(?:(?:{_MEASURES})\b|[€$£¥₹%°元円]))"
"""A number that is neither part of a longer one nor a measure."""
_SURELY = "|".join(
    (
        *(rf"(?<=\b{word} )" for word in _AROUND_YEARS.split()),
        *(rf"(?<=\b(?:19|20)\d\d{mark})" for mark in ("[-–/]", ", ", " and ", " or ", " to ", " through ", " [-–] ")),
        *(r"\A", r"(?<=\()(?=\d+\))", r"(?<=\bmid-)"),
    )
)
_SURE_YEAR = rf"(?=[12][09])(?:{_SURELY}){_A_YEAR}"
_UNNUMBERED = "".join(rf"(?<!\b{word} )" for word in _NUMBERED.split())
_UNSURE_YEAR = rf"(?=[12][09])(?<=[^\W\d_] ){_UNNUMBERED}{_A_YEAR}"
NO_SEASON = r"(?! (?:water|rolls?|onions?|mattress|coats?|jackets?|clothes|dress(?:es)?|boots|t[iy]res)\b)"
"""What follows the name of a season where it is none."""
_THROUGH = r"(?:-|–|to|until|till|through)"
_ENGLISH = (
    (
        frozenset((_YEAR_LEAD,)),
        (
            (rf"\b{_YEAR}[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)\b", written),
            (rf"\b(?P<day>[0-3]?\d)\. ?(?P<month>[01]?\d)\. ?{_YEAR}\b", written),
            (rf"\b(?P<one>[0-3]?\d)[-/](?P<two>[0-3]?\d)[-/]{_YEAR}\b", slashed),
        ),
    ),
    (
        _MONTH_LEADS,
        (
            (rf"\bbetween (?:the )?{_FROM} and (?:the )?{_DAY}(?: of)? {_MONTH}{_MAYBE_YEAR}", written),
            (rf"\b{_FROM} ?{_THROUGH} ?(?:the )?{_DAY}(?: of)? {_MONTH}{_MAYBE_YEAR}", written),
            (rf"\b{_MONTH} {_FROM} ?(?:{_THROUGH}|and) ?{_DAY}\b{_MAYBE_YEAR}", written),
            (rf"\b{_DAY}(?: of)? {_MONTH}{_MAYBE_YEAR}", written),
            (rf"\b{_MONTH} {_DAY}\b{_MAYBE_YEAR}", written),
            (rf"\b{_MONTH},? (?:of )?{_YEAR}", written),
            (rf"\b(?:in|{_WHICH}|since|during|early|late|of|by|until|for) (?:early |late |mid-?)?{_MONTH}", written),
            (rf"\b(?P<month>{_SURE_MONTH})\b", written),
            (rf"\b(?:before|after|from|between|till) (?P<month>march|may)\b(?! {_NO_MONTH})", written),
        ),
    ),
    (
        _SEASON_LEADS,
        (
            (rf"\b{_SEASON},? (?:of )?{_YEAR}\b", season),
            (
                rf"\b(?:{_WHICH}|in|during|over|since) (?:the )?(?:past |coming |early |late )?{_SEASON}\b{NO_SEASON}",
                season,
            ),
        ),
    ),
    (
        frozenset((_YEAR_LEAD,)),
        ((_SURE_YEAR, written), (rf"{_UNSURE_YEAR}(?=[\s?!.\"')]*$)", year_asked)),
    ),
    (_DAY_LEADS, ((rf"\bon the {_DAY}\b(?! (?!{_FOLLOWING})[a-z])", of_month),)),
    (
        frozenset(("ago", "back", "earlier")),
        (
            (rf"\b{_COUNT} {_UNIT}s?(?P<half> and a half)? (?:ago|back|earlier)\b", ago),
            (rf"\b{_COUNT} {_WEEKDAY}s ago\b", weekdays_ago),
        ),
    ),
    (
        frozenset(("days", "weeks", "months", "years")),
        ((rf"\b(?P<which>last|past|previous|next|coming) {_COUNT} {_UNIT}s\b", stretch),),
    ),
    (frozenset(("before", "after")), ((rf"\b(?:{_PERIOD}|{_WEEKDAY}) (?P<which>before last|after next)\b", beside),)),
    (_UNIT_LEADS, ((rf"\b(?P<which>last|past|this|next|coming|on) {_PERIOD}\b", beside),)),
    (
        _WEEKDAY_LEADS,
        (
            (rf"\b(?P<which>last|past|this|next|coming|on) {_WEEKDAY}\b", beside),
            (rf"(?<!\bevery )(?<!\beach )\b{_WEEKDAY}\b", weekday_asked),
        ),
    ),
    (_NEAR_LEADS, ((rf"\b(?:{any_of(_ASCII['near'])})\b", near),)),
)
"""By words of which each has one: patterns in order of trust, and how what they find is read."""
_HAN = "一二三四五六七八九"
_HAN_COUNT = rf"(?P<count>\d{{1,3}}|[{_HAN}]?十[{_HAN}]?|[{_HAN}两兩几幾数])"
_HAN_DAY = rf"(?P<day>[0-3]?\d|[二三]?十[{_HAN}]?|[{_HAN}])[日号號]"
_THIS = "(?<![基日根成资資原版书書样樣剧劇脚腳标標课課文副])本"
"""Not the end of a longer word."""
_UNSPACED = (
    ("年", rf"{_YEAR}年(?:の?(?P<season>[春夏秋冬]))", season),
    ("年", rf"{_YEAR}年(?:(?P<month>[01]?\d|十[一二]?|[{_HAN}])月(?:{_HAN_DAY})?)?", written),
    ("月", rf"(?<![\d{_HAN}十])(?P<month>[01]?\d|十[一二]?|[{_HAN}])月(?!前|間|间)(?:{_HAN_DAY})?", written),
    ("前", rf"{_HAN_COUNT}(?P<unit>天|日|[个個]?星期|[个個]?[礼禮]拜|周|週間?|[个個かヶヵカケ]月|年)(?:以)?前", ago),
    ("半", r"(?P<count>半)(?P<unit>[个個]月|年)(?:以)?前", ago),
    (
        "周星礼禮週",
        rf"(?P<which>(?:上上|下下|上|下|[这這])[个個]?|{_THIS})(?:周|週|星期|[礼禮]拜)(?P<weekday>[一二三四五六日天末])",
        of_week,
    ),
    (
        "週",
        r"(?P<which>先々|再来|先|今|来)週の?(?P<weekday>[月火水木金土日](?=曜)|[末](?!曜)|[月火水木金土日](?![本光常々数付時間替曜]))(?:曜日?)?",
        of_week,
    ),
    (
        "周星週月",
        rf"(?P<which>(?:上上|下下|上|下|[这這])[个個]?|{_THIS})(?P<unit>周(?![边邊围圍])|週|星期|月(?![球亮饼餅]))",
        beside,
    ),
    ("週月", r"(?P<which>先々|再来|先|今|来)(?P<unit>週|月)", beside),
    ("年", r"(?P<of>[去今明昨来來])年の?(?P<season>[春夏秋冬])", season),
    ("年", r"(?P<which>一昨|再来|[去今明昨来來]|(?<![\d年])[前后後](?!半|\d))(?P<unit>年)", beside),
    ("天日晚とて", rf"(?:{any_of(word for word in _WORDS.near if not word.isascii())})(?<!明日(?=香))", near),
    ("周星礼禮週", r"(?<!每)(?:周|週|星期|[礼禮]拜)(?P<weekday>[一二三四五六日天])(?!年|月|期)", weekday_asked),
    ("曜", r"(?<!毎週)(?P<weekday>[月火水木金土日])曜日?", weekday_asked),
)
"""In order of trust: without one of the first, the second need not be tried; the third reads what it finds."""
_FILLING = "(?:(?:the|on|early|late|about|around|year|end of|start of|beginning of) )*"
_ASIDE = re.compile(rf"\b(?:(?P<near>[a-z]+) )?(?P<way>before|prior to|after|since|until|till|up to|by) {_FILLING}$")
"""What stands in front of a time when not itself is asked for, but what is on one side of it."""
_BETWEEN = re.compile(rf"\bbetween {_FILLING}$")
_TO = re.compile(rf",? ?(?:-|–|to|until|till|through|(?P<and>and)) ?{_FILLING}")
_IN_FRONT = 60
"""In so many characters before a time stands what is said of its side."""
_READ_MOST = 10_000
"""So many characters of a text are read."""
_RUN = re.compile(r"\w+")
_HANGUL = re.compile("[\uac00-\ud7af]")
_EASTERN = re.compile("[\u3040-\u9fff\uac00-\ud7af]")


@cache
def _english() -> tuple[tuple[frozenset[str], tuple[tuple[re.Pattern[str], _Read], ...]], ...]:
    return tuple((leads, tuple((re.compile(form), read) for form, read in rules)) for leads, rules in _ENGLISH)


@cache
def _unspaced() -> tuple[tuple[str, re.Pattern[str], _Read], ...]:
    return tuple((hints, re.compile(form), read) for hints, form, read in _UNSPACED)


@cache
def _year_alone() -> re.Pattern[str]:
    """A year as other languages than English have it, with nothing in front."""
    return re.compile(_UNSURE_YEAR)


_LEADS = frozenset().union(*(leads for leads, _ in _ENGLISH))
"""Without one of these an English text names no time."""


def spans(text: str, said: date | None = None, *, told: bool = False) -> list[Span]:
    """The spans of days that a text names, given the day it was said; what depends on that day is left out without it.

    Of what is asked, and not told, a weekday alone counts too, and of days that have no year the last one comes first.
    """
    low = text[:_READ_MOST].lower()
    here = set(plain_words(low) if low.isascii() else _RUN.findall(low))
    if "20" in low or "19" in low:
        here.add(_YEAR_LEAD)
    codes = languages(here)
    eastern = not low.isascii() and _EASTERN.search(low) is not None
    if eastern and _HANGUL.search(low):
        codes.append(KOREAN)
    codes = counting(codes, text, here)
    if not (eastern or codes) and here.isdisjoint(_LEADS):
        return []
    heard = Heard(said, _WORDS, told)
    rules: list[_Rule] = []
    for own in map(abroad, codes):
        rules += [(pattern, read, Heard(said, own.words, told)) for pattern, read in own.rules]
    if eastern:
        rules += [(form, read, heard) for hints, form, read in _unspaced() if any(hint in low for hint in hints)]
    rules += [(form, read, heard) for leads, some in _english() if not here.isdisjoint(leads) for form, read in some]
    if _YEAR_LEAD in here and _year_alone().search(low) and language_told(text) != ENGLISH:
        rules.append((_year_alone(), written, heard))
    low = plain(low) if codes else low
    named = _read(low, rules)
    return [span for each in named for span in each.days] if told else _asked(low, named, said)


@frozen
class _Named:
    """A time in a text."""

    start: int
    """Where it begins, without the small words in front."""
    end: int
    """Where it ends."""
    days: list[Span]
    """What it may mean."""


def _read(low: str, rules: Iterable[_Rule]) -> list[_Named]:
    """What the rules find, in their order; what one found is not for another."""
    taken = bytearray(len(low))
    found: list[_Named] = []
    for pattern, read, heard in rules:
        for match in pattern.finditer(low):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            if days := _tried(read, match, heard):
                parts = (match.start(part) for part, said in match.groupdict().items() if said)
                found.append(_Named(min(parts, default=start), end, days))
    return found


def _asked(low: str, named: list[_Named], said: date | None) -> list[Span]:
    """What a question means by the times in it: itself, what is before or after it, or all from one to another."""
    found: list[Span] = []
    rest = sorted(named, key=lambda each: each.start, reverse=True)
    while rest:
        each = rest.pop()
        front = low[max(0, each.start - _IN_FRONT) : each.start]
        joined = _TO.fullmatch(low, each.end, rest[-1].start) if rest else None
        if joined and (not joined["and"] or _BETWEEN.search(front)):
            found += through(each.days, rest.pop().days, said)
        elif side := _ASIDE.search(front):
            found += [aside(side["way"], side["near"] or "", span, said) for span in each.days]
        else:
            found += each.days
    return found


def _tried(read: _Read, match: re.Match[str], heard: Heard) -> list[Span]:
    """What was meant; nothing when there is no such day."""
    try:
        return read(match, heard)
    except (OverflowError, ValueError):
        return []
