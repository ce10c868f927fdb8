"""Times that a text names, as spans of days: dates as written, and relative ones resolved against the day it was said."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    _Read = Callable[[re.Match[str], date | None], "Span | None"]

_SHORT = {
    "jan": 1,
    "feb": 2,
    "mar": 3,
    "apr": 4,
    "may": 5,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
}
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "couple": 2,
    "few": 3,
    "several": 4,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
}
_DAYS = {
    "day": 1,
    "week": 7,
    "month": 30,
    "year": 365,
    "天": 1,
    "日": 1,
    "周": 7,
    "星期": 7,
    "个月": 30,
    "月": 30,
    "年": 365,
}


@frozen
class Span:
    """Days that a text names, counted since year 1."""

    first: int
    """The first of them."""
    last: int
    """The last of them."""


_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_COUNT = r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|couple|few|several)"


def _year_month(year: int, month: int) -> Span:
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    return Span(first.toordinal(), after.toordinal() - 1)


def _year(year: int) -> Span:
    return Span(date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal())


def _written(found: re.Match[str], said: date | None) -> Span | None:
    """A date in words or digits; without a year the one nearest before the day it was said."""
    parts = found.groupdict()
    year = int(parts["year"]) if parts.get("year") else 0
    named = parts.get("month") or ""
    month = int(named) if named.isdigit() else _SHORT.get(named.lower()[:3], 0)
    day = int(parts["day"]) if parts.get("day") else 0
    if not year:
        if said is None:
            return None
        year = said.year if month <= said.month else said.year - 1
    if not month:
        return _year(year)
    try:
        if not day:
            return _year_month(year, month)
        number = date(year, month, day).toordinal()
    except ValueError:
        return None
    return Span(number, number)


def _ago(found: re.Match[str], said: date | None) -> Span | None:
    if said is None:
        return None
    unit = _DAYS[found["unit"].lower()]
    count = found["count"].lower()
    number = int(count) if count.isdigit() else _NUMBERS[count]
    middle = said.toordinal() - number * unit
    slack = 0 if unit == 1 else unit // 2
    return Span(max(1, middle - slack), max(1, middle + slack))


def _beside(found: re.Match[str], said: date | None) -> Span | None:
    """Last, this or next week, month, year, weekend or weekday."""
    if said is None:
        return None
    which, unit = found["which"].lower(), found["unit"].lower()
    step = _STEPS[which]
    today = said.toordinal()
    if unit in ("week", "周", "星期", "週"):
        monday = today - said.weekday() + 7 * step
        return Span(monday, monday + 6)
    if unit in ("month", "月", "个月"):
        number = said.year * 12 + said.month - 1 + step
        return _year_month(number // 12, number % 12 + 1)
    if unit in ("year", "年"):
        return _year(said.year + step)
    if unit == "weekend":
        saturday = today - said.weekday() + 5 + 7 * step
        return Span(saturday, saturday + 1)
    weekday = _WEEKDAYS.index(unit[:3])
    ahead = (weekday - said.weekday()) % 7
    day = today + (ahead or 7) - (7 if step < 1 and (ahead or step) else 0) - (7 if step < 0 and not ahead else 0)
    return Span(day, day)


def _of_week(found: re.Match[str], said: date | None) -> Span | None:
    """A day of last, this or next week, or its end."""
    if said is None:
        return None
    monday = said.toordinal() - said.weekday() + 7 * _STEPS[found["which"]]
    name = found["name"]
    if name == "末":
        return Span(monday + 5, monday + 6)
    day = monday + (
        "一二三四五六日".find("日" if name == "天" else name)
        if name in "一二三四五六日天"
        else "月火水木金土".find(name)
    )
    return Span(day, day)


def _near(found: re.Match[str], said: date | None) -> Span | None:
    if said is None:
        return None
    day = said.toordinal() + _NEAR[found[0].lower()]
    return Span(day, day)


_STEPS = {
    "last": -1,
    "past": -1,
    "this": 0,
    "next": 1,
    "coming": 1,
    "on": -1,
    "上": -1,
    "上个": -1,
    "去": -1,
    "这": 0,
    "这个": 0,
    "本": 0,
    "今": 0,
    "下": 1,
    "下个": 1,
    "明": 1,
    "先": -1,
    "昨": -1,
    "来": 1,
    "先々": -2,
    "再来": 2,
}
_NEAR = {
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "tomorrow": 1,
    "昨天": -1,
    "昨晚": -1,
    "今天": 0,
    "明天": 1,
    "前天": -2,
    "后天": 2,
    "昨日": -1,
    "今日": 0,
    "明日": 1,
    "明後日": 2,
    "あさって": 2,
    "一昨日": -2,
    "おととい": -2,
}
_DIGITS = ("19", "20")
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LATIN = (
    (_DIGITS, r"\b(?P<year>(?:19|20)\d\d)[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)\b", _written),
    (_MONTHS, rf"\b{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", _written),
    (_MONTHS, rf"\b{_MONTH} {_DAY}\b(?:,? {_YEAR})?", _written),
    (_MONTHS, rf"\b{_MONTH},? (?:of )?{_YEAR}", _written),
    (_MONTHS, rf"\b(?:in|last|since|during|this|early|late|of|by|until|for) (?:early |late |mid-?)?{_MONTH}", _written),
    (
        _MONTHS,
        r"\b(?P<month>january|february|april|june|july|august|september|october|november|december)\b",
        _written,
    ),
    (_DIGITS, rf"\b{_YEAR}\b", _written),
    (("ago", "back", "earlier"), rf"\b{_COUNT}(?: of)? (?P<unit>day|week|month|year)s? (?:ago|back|earlier)\b", _ago),
    (
        ("week", "month", "year", "day"),
        rf"\b(?P<which>last|past|this|next|coming|on) (?P<unit>week(?:end)?|month|year|{_WEEKDAY})\b",
        _beside,
    ),
    (
        ("day", "night", "morning", "tomorrow"),
        r"\b(?:yesterday|last night|today|tonight|this morning|tomorrow)\b",
        _near,
    ),
)
_UNSPACED = (
    (("年",), r"(?P<year>(?:19|20)\d\d)年(?:(?P<month>[01]?\d)月(?:(?P<day>[0-3]?\d)[日号])?)?", _written),
    (("月",), r"(?<!\d)(?P<month>[01]?\d)月(?:(?P<day>[0-3]?\d)[日号])?", _written),
    (("前",), r"(?P<count>\d{1,3}|[一二三四五六七八九十两])(?P<unit>天|日|周|星期|个月|年)前", _ago),
    (
        ("周", "星期", "礼拜"),
        r"(?P<which>上个?|这个?|本|下个?)(?:周|星期|礼拜)(?P<name>[一二三四五六日天末])",
        _of_week,
    ),
    (
        ("週",),
        r"(?P<which>先々|再来|先|今|来)週の?(?P<name>[月火水木金土日](?=曜)|[末](?!曜)|[月火水木金土日](?![本光常々数付時間替曜]))(?:曜日?)?",
        _of_week,
    ),
    (("周", "星期", "月"), r"(?P<which>上个?|这个?|本|下个?)(?P<unit>周|星期|月)", _beside),
    (("週", "月"), r"(?P<which>先|来)(?P<unit>週|月)", _beside),
    (("年",), r"(?P<which>去|今|明|昨|来)(?P<unit>年)", _beside),
    (("天", "日", "晚", "と", "て"), "|".join(word for word in _NEAR if not word.isascii()), _near),
)
"""In order of trust: without one of the first, the second need not be tried; the third reads what it finds."""


@cache
def _rules(*, ascii_only: bool) -> list[tuple[tuple[str, ...], re.Pattern[str], _Read]]:
    listed = _LATIN if ascii_only else (*_UNSPACED, *_LATIN)
    return [(hints, re.compile(pattern), read) for hints, pattern, read in listed]


def spans(text: str, said: date | None = None) -> list[Span]:
    """The spans of days that a text names, given the day it was said; what depends on that day is left out without it."""
    low = text.lower()
    taken: list[tuple[int, int]] = []
    found: list[Span] = []
    for hints, pattern, read in _rules(ascii_only=text.isascii()):
        if not any(hint in low for hint in hints):
            continue
        for match in pattern.finditer(low):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            span = _tried(read, match, said)
            if span is not None:
                found.append(span)
    return found


def _tried(read: _Read, match: re.Match[str], said: date | None) -> Span | None:
    """What was meant; nothing when there is no such day."""
    try:
        return read(match, said)
    except (OverflowError, ValueError):
        return None
