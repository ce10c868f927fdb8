"""Times that a text names, as spans of days: dates as written, and relative ones resolved against the day it was said.

Whether `on Friday` or `in June` is the last one or the coming one is decided by the tense of its sentence.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, timedelta, tzinfo
from functools import cache

from oldsoul.errors import BadInput
from oldsoul.language.cues import any_of, meanings, unaccented
from oldsoul.language.languages import ENGLISH, detected_language
from oldsoul.reading.times import Time, times, words_of
from oldsoul.values.frozen import frozen

FORM = "an IANA time zone such as Europe/Berlin"
_FIRST_YEAR, _LAST_YEAR = 2, 9998
"""Beyond these, a time may be out of the calendar in another zone."""


def zone_of(name: str) -> tzinfo:
    """A time zone by its name; `BadInput` when there is none of that name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - most homes keep the machine's zone

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(f"{name!r} is not {FORM}") from None


def is_zone(name: str) -> bool:
    """Whether there is a time zone of that name."""
    try:
        zone_of(name)
    except BadInput:
        return False
    return True


def moment(text: str, zone: tzinfo, *, end: bool = False) -> datetime:
    """The time that is meant: without an offset it is one of this zone; a date is its first moment, or its `end`."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        wanted = "2026-02-04, 2026-02-04T10:00 or 2026-02-04T10:00:00+01:00"
        raise BadInput(f"{text!r} is not a time; write one such as {wanted}") from None
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise BadInput(f"{text!r} is too far in the past or the future")
    if end and _is_day(text):
        found += timedelta(days=1)
    return found if found.tzinfo else found.replace(tzinfo=zone)


def span(since: str | None, until: str | None, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
    """The first moment that is meant and the one after the last; `BadInput` when nothing lies between them."""
    first = moment(since, zone) if since is not None else None
    end = moment(until, zone, end=True) if until is not None else None
    if first is not None and end is not None and first >= end:
        raise BadInput(f"{since} is not before {until}; swap the two")
    return first, end


def day(text: str) -> date:
    """The day that is meant."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"{text!r} is not a day; write it as 2026-02-04") from None


def _is_day(text: str) -> bool:
    try:
        day(text)
    except BadInput:
        return False
    return True


DAY, WEEKEND, WEEK, MONTH = 1, 2, 7, 30
_SATURDAY = 5
_SOON = 31
"""In a question a day that comes within so many days may be meant as well as the last one."""
_MONTHS = 12
_SEASON = 3
"""How many months a season has."""
_LEAP = 8
"""So many years back there was a 29 February, at the latest."""
_IN_FRONT = 60
"""In so many characters before a time is what is said of its side."""
_OPEN = 366
"""What is after a time that is still to come is meant for so many days."""


@frozen
class Span:
    """Days that a text names, counted since year 1."""

    first: int
    """The first of them."""
    last: int
    """The last of them."""


@frozen
class _Said:
    """How a time was said."""

    on: date | None
    """On which day."""
    is_statement: bool
    """Whether somebody tells of it; else it is asked for."""

    @property
    def day(self) -> date:
        """The day it was said; without one nothing can be counted from it."""
        if self.on is None:
            msg = "the time it was said is unknown"
            raise ValueError(msg)
        return self.on

    @property
    def monday(self) -> int:
        """The Monday of its week."""
        return self.day.toordinal() - self.day.weekday()


def spans(text: str, said: date | None = None, *, is_statement: bool = False) -> list[Span]:
    """The spans of days that a text names, given the day it was said; what depends on that day is left out without it.

    A weekday or a month without its year is the last or the coming one as the sentence speaks of the past or of a plan.
    In doubt a weekday in a statement is no date, and a month is that of the year; in a question the last one
    counts, and one that is still to come this year or soon as well. A weekday that stands alone counts only where it is asked.
    """
    how = _Said(said, is_statement)
    named = [(each, days) for each in times(text) if (days := _days(each, how))]
    return [span for _, days in named for span in days] if is_statement else _asked(named, said)


def _days(time: Time, how: _Said) -> list[Span]:
    """What a time may mean; nothing when there is no such day, or nobody knows which.

    A year that ends a question and a weekday that stands alone are times only in a question: a statement may end
    with any number, and be of every week.
    """
    if how.is_statement and time.kind in ("lone", "alone"):
        return []
    try:
        return _READERS[time.kind](time, how)
    except (OverflowError, ValueError):
        return []


def _date(time: Time, how: _Said) -> list[Span]:
    """A date in words or figures, or a month or a year; of one whose day may be before its month or after, both."""
    parts = time.parts
    if "one" in parts:
        one, two, year = (int(parts[part]) for part in ("one", "two", "year"))
        return [_day(year, month, day) for day, month in sorted({(one, two), (two, one)}) if 1 <= month <= _MONTHS]
    month = time.month
    day = int(time.number("day")) if "day" in parts else 0
    more = day - int(parts.get("from") or day)
    if "year" in parts:
        year = int(parts["year"])
        return [_day(year, month, day, more) if day else _months(year, month or 1, 1 if month else _MONTHS)]
    this = how.day.year
    if time.kind == "monthday":  # of whatever month is near
        months = [divmod(this * _MONTHS + how.day.month - 1 + step, _MONTHS) for step in range(-2, 3)]
        return _nearest([(year, month + 1) for year, month in months], day, 0, time, how)
    if day:
        return _nearest([(year, month) for year in range(this - _LEAP, this + 2)], day, more, time, how)
    return [_months(this + off, month) for off in _years_off(time, month, 1, how)]


def _season(time: Time, how: _Said) -> list[Span]:
    """Three months: those of a year that is named, else the last that have begun, or the last, this or next ones."""
    month = int(time.words.seasons[time.parts["season"]])
    if "year" in time.parts:
        return [_months(int(time.parts["year"]), month, _SEASON)]
    of = time.parts.get("of")
    offs = [int(time.words.steps[of])] if of else _years_off(time, month, _SEASON, how)
    return [_months(how.day.year + off, month, _SEASON) for off in offs]


def _years_off(time: Time, month: int, count: int, how: _Said) -> list[int]:
    """How many years away the named months are that begin with this one and carry no year."""
    last = 0 if month <= how.day.month else -1
    now = how.day.month - month - last * _MONTHS < count
    if "which" in time.parts:
        step = int(time.words.steps[time.parts["which"]])
        if step < 0:
            return [last - now + step + 1]
        return [last + 1] if step else [last if now else 0]
    if tense := time.leaning if how.is_statement else time.tense:
        return [last + (tense > 0 and not now)]
    return [last] if now else [0] if how.is_statement else list(dict.fromkeys((last, 0)))


def _nearest(months: list[tuple[int, int]], day: int, more: int, time: Time, how: _Said) -> list[Span]:
    """A day of one of these months: the last or the coming one; in doubt the nearer one in a statement, both in a question."""
    said, days = how.day.toordinal(), []
    for year, month in months:
        with suppress(ValueError):  # 29 February
            days.append(_day(year, month, day, more))
    before = [span for span in days if span.first <= said][-1:]
    after = [span for span in days if span.first > said][:1]
    if not before or not after:
        return before or after
    ahead = after[0].first - said
    if time.tense:
        return before if time.tense < 0 or before[0].first == said else after
    if how.is_statement:
        return after if ahead < said - before[0].last else before
    return before + after if ahead <= _SOON else before


def _day(year: int, month: int, day: int, more: int = 0) -> Span:
    """A day, and so many before it."""
    last = date(year, month, day).toordinal()
    return Span(last - max(0, more), last)


def _months(year: int, month: int, count: int = 1) -> Span:
    """A month, or several from it on."""
    after = year * _MONTHS + month - 1 + count
    return Span(date(year, month, 1).toordinal(), date(after // _MONTHS, after % _MONTHS + 1, 1).toordinal() - 1)


def _away(time: Time, how: _Said) -> list[Span]:
    """So many days, weeks, months or years ago or ahead; of weeks and longer ones about then.

    What was done in so many days is no time.
    """
    way = -1 if time.kind == "ago" else 1
    if how.is_statement and way > 0 and time.tense < 0:
        return []
    count = (time.number("count") if "count" in time.parts else 1) + (0.5 if "half" in time.parts else 0)
    if "weekday" in time.parts:
        return [_weekday(time, way * int(count), how.day)]
    unit = int(time.words.units[time.parts["unit"]])
    if unit == WEEKEND:
        saturday = how.monday + _SATURDAY + way * WEEK * int(count)
        return [Span(saturday, saturday + 1)]
    middle = how.day.toordinal() + way * round(count * unit)
    slack = 0 if unit == DAY else int(unit * min(count, 1)) // 2
    return [Span(max(1, middle - slack), max(1, middle + slack))]


def _stretch(time: Time, how: _Said) -> list[Span]:
    """The last or the next so many days, weeks, months or years, today among them."""
    today = how.day.toordinal()
    days = round(time.number("count") * time.words.units[time.parts["unit"]])
    ahead = time.words.steps[time.parts["which"]] > 0
    return [Span(today, today + days) if ahead else Span(max(1, today - days), today)]


def _relative_period(time: Time, how: _Said) -> list[Span]:
    """Last, this or next week, month, year, weekend or weekday, or a weekday of that week."""
    step = int(time.words.steps[time.parts["which"]])
    monday = how.monday + WEEK * step
    if "weekday" in time.parts and time.kind != "week":
        return [_weekday(time, step, how.day)]
    unit = int(time.words.units[time.parts["unit"]]) if "unit" in time.parts else DAY
    weekday = int(time.words.weekdays[time.parts["weekday"]]) if "weekday" in time.parts else 0
    if unit == WEEKEND or weekday == WEEK:
        return [Span(monday + _SATURDAY, monday + 6)]
    if unit == MONTH:
        number = how.day.year * _MONTHS + how.day.month - 1 + step
        return [_months(number // _MONTHS, number % _MONTHS + 1)]
    if unit > MONTH:
        return [_months(how.day.year + step, 1, _MONTHS)]
    return [Span(monday + weekday, monday + weekday + unit - 1)] if unit == WEEK or time.kind == "week" else []


def _on(time: Time, how: _Said) -> list[Span]:
    """A weekday without more: the last or the coming one as the tense says; in doubt the last one, if it is asked."""
    step = time.leaning or (0 if how.is_statement else -1)
    return [_weekday(time, step, how.day)] if step else []


def _weekday(time: Time, step: int, said: date) -> Span:
    """A weekday before the day it was said or after it, or (step 0) that of its week."""
    off = int(time.words.weekdays[time.parts["weekday"]]) - said.weekday()
    if step:
        off = off % 7 + 7 * step if step < 0 else (off % 7 or 7) + 7 * (step - 1)
    return Span(said.toordinal() + off, said.toordinal() + off)


def _today(time: Time, how: _Said) -> list[Span]:
    """Yesterday, today, tomorrow and the days around them."""
    day = how.day.toordinal() + int(time.words.near[time.parts["near"]])
    return [Span(day, day)]


_READERS = dict.fromkeys(("date", "year", "lone", "monthday"), _date) | dict.fromkeys(("ago", "ahead"), _away)
_READERS |= {"season": _season, "stretch": _stretch, "week": _relative_period, "beside": _relative_period}
_READERS |= {"on": _on, "alone": _on, "today": _today}
_WAYS = ("before", "after", "since", "until")
_JOINING = ("between", "and", "to", "filling")


@frozen
class _Sides:
    """What a language puts in front of a time when not itself is asked for, but what is on one side of it, or between two."""

    aside: re.Pattern[str]
    between: re.Pattern[str]
    to: re.Pattern[str]
    windows: dict[str, float]
    """How many days before or after a time are meant by such a word in front."""


@cache
def _sides(code: str) -> _Sides:
    words = words_of(code)
    listed = {kind: any_of(filter(None, unaccented(words.listed(kind)).split(","))) for kind in (*_WAYS, *_JOINING)}
    ways = "|".join(f"(?P<{way}>{listed[way]})" for way in _WAYS)
    fill = f"(?:(?:{listed['filling']}) )*"
    return _Sides(
        re.compile(rf"(?<!\w)(?:(?P<near>\w+) )?(?:{ways}) {fill}$"),
        re.compile(rf"(?<!\w)(?:{listed['between']}) {fill}$"),
        re.compile(rf",? ?(?:-|–|{listed['to']}|(?P<and>{listed['and']})) ?{fill}"),
        meanings(words.listed("windows")),
    )


def _asked(named: list[tuple[Time, list[Span]]], said: date | None) -> list[Span]:
    """What a question means by the times in it: itself, what is before or after it, or all from one to another."""
    found: list[Span] = []
    rest = sorted(named, key=lambda each: each[0].core, reverse=True)
    while rest:
        time, days = rest.pop()
        sides = _sides(time.words.code if time.words.months else detected_language(time.text) or ENGLISH)
        front = time.text[max(0, time.core - _IN_FRONT) : time.core]
        joined = sides.to.fullmatch(time.text, time.end, rest[-1][0].core) if rest else None
        if joined and (not joined["and"] or sides.between.search(front)):
            found += _through(days, rest.pop()[1], said)
        elif side := sides.aside.search(front):
            way = next(kind for kind in _WAYS if side[kind])
            found += [_aside(way, sides.windows.get(side["near"] or "", 0), span, said) for span in days]
        else:
            found += days
    return found


def _aside(way: str, days: float, named: Span, said: date | None) -> Span:
    """What is before, after, since or until a time, perhaps so many days."""
    if way == "before":
        return Span(max(1, named.first - int(days)) if days else 1, max(1, named.first - 1))
    if way == "after" and days:
        return Span(named.last + 1, named.last + int(days))
    if way == "until":
        return Span(1, named.last)
    first = named.first if way == "since" else named.last + 1
    today = said.toordinal() if said else 0
    return Span(first, today if today >= first else first + _OPEN)


def _through(begins: list[Span], ends: list[Span], said: date | None) -> list[Span]:
    """From a time to another, which may each be read in several ways."""
    pairs = [(max((each.first for each in begins if each.first <= end.last), default=0), end.last) for end in ends]
    return [Span(first, last) for first, last in pairs if first] or [_turned(begins[0].first, ends[0].last, said)]


def _turned(first: int, last: int, said: date | None) -> Span:
    """From a day to one that was read as one before it: a weekday of the same week, or a day that has the other's year."""
    if first - last < WEEK:
        soon = said is not None and last + WEEK <= said.toordinal()
        return Span(first, last + WEEK) if soon else Span(first - WEEK, last)
    began, ended = date.fromordinal(first), date.fromordinal(last)
    year = ended.year - ((began.month, began.day) > (ended.month, ended.day))
    return Span(date(year, began.month, 1).toordinal() + began.day - 1, last)
