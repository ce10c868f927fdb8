"""How a time that was found in a text is read as days: what its parts mean, counted from the day it was said."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

DAY, WEEKEND, WEEK, MONTH, YEAR = 1, 2, 7, 30, 365
_SOON = 31
"""In a question a day that comes within so many days may be meant as well as the last one."""
_LAST_MONTH = 12
_LEAP = 8
"""So many years back there was a 29 February, at the latest."""


@frozen
class Span:
    """Days that a text names, counted since year 1."""

    first: int
    """The first of them."""
    last: int
    """The last of them."""


@frozen
class Words:
    """What words for times mean in a language."""

    months: Mapping[str, int]
    """From 1."""
    weekdays: Mapping[str, int]
    """From 0 for Monday."""
    units: Mapping[str, int]
    """How many days they have: `DAY`, `WEEK`, `MONTH`, `YEAR`, and `WEEKEND`."""
    counts: Mapping[str, float]
    """Numbers."""
    steps: Mapping[str, int]
    """How many weeks, months or years ahead: -1 for `last`."""
    near: Mapping[str, int]
    """How many days ahead: -1 for `yesterday`."""


def meanings(listed: str) -> dict[str, int]:
    """What words mean, from a list such as `-1 yesterday,last night | 0 today`."""
    entries = (entry.strip().partition(" ") for entry in listed.split("|"))
    return {word: int(meant) for meant, _, words in entries for word in words.split(",")}


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


@frozen
class Heard:
    """What a time is read by."""

    said: date | None
    """The day it was said."""
    words: Words
    """What its words mean."""
    told: bool
    """Whether somebody tells of it; else it is asked for."""

    @property
    def day(self) -> date:
        """The day it was said; without one nothing can be counted from it."""
        if self.said is None:
            msg = "nobody knows when it was said"
            raise ValueError(msg)
        return self.said


def written(found: re.Match[str], heard: Heard) -> list[Span]:
    """A date in words or digits; without a year the one nearest before the day it was said.

    A day somebody tells of without its year is the nearest one, before or after.
    """
    parts = found.groupdict()
    named = parts.get("month") or ""
    month = int(named) if named.isdigit() else heard.words.months.get(named, 0)
    day = int(_number(parts.get("day") or "0", heard))
    more = day - int(parts.get("from") or day)
    if parts.get("year"):
        year = int(parts["year"])
        if not month:
            return [_year(year)]
        return [_day(year, month, day, more)] if day else [_year_month(year, month)]
    this = heard.day.year
    if not day:
        return [_year_month(this + _years_off(parts.get("which") or "", month, heard), month)]
    return _nearest(((year, month) for year in range(this - _LEAP, this + 2)), day, heard, more)


def year_asked(found: re.Match[str], heard: Heard) -> list[Span]:
    """A year that ends a question; what somebody tells may end with any number."""
    return [] if heard.told else written(found, heard)


def _years_off(which: str, month: int, heard: Heard) -> int:
    """How many years off a month is that has none beside it."""
    this = heard.day.month
    step = heard.words.steps.get(which)
    if step is None:
        return -(month > this)
    return -(month >= this) if step < 0 else step and int(month <= this)


def slashed(found: re.Match[str], _: Heard) -> list[Span]:
    """A date whose day may stand before its month or after: both readings, where there are both."""
    one, two, year = int(found["one"]), int(found["two"]), int(found["year"])
    pairs = {(one, two), (two, one)}
    return [_day(year, month, day) for day, month in sorted(pairs) if 1 <= month <= _LAST_MONTH]


def of_month(found: re.Match[str], heard: Heard) -> list[Span]:
    """A day of whatever month is near: `on the 5th`."""
    this = heard.day.year * 12 + heard.day.month - 1
    months = (divmod(this + step, 12) for step in range(-2, 3))
    return _nearest(((year, month + 1) for year, month in months), int(found["day"]), heard)


def _nearest(months: Iterable[tuple[int, int]], day: int, heard: Heard, more: int = 0) -> list[Span]:
    """A day of one of these months: the last one, or the coming one if that is nearer and told of; asked for, both."""
    said = heard.day.toordinal()
    days = [span for year, month in months if (span := _exists(year, month, day, more))]
    before = [span for span in days if span.first <= said][-1:]
    after = [span for span in days if span.first > said][:1]
    if not before or not after:
        return before or after
    ahead = after[0].first - said
    if heard.told:
        return after if ahead < said - before[0].last else before
    return before + after if ahead <= _SOON else before


def _exists(year: int, month: int, day: int, more: int) -> Span | None:
    try:
        return _day(year, month, day, more)
    except ValueError:
        return None


def _day(year: int, month: int, day: int, more: int = 0) -> Span:
    """A day, and so many before it."""
    last = date(year, month, day).toordinal()
    return Span(last - max(0, more), last)


def _year_month(year: int, month: int, count: int = 1) -> Span:
    """A month, or several from it on."""
    after = year * 12 + month - 1 + count
    return Span(date(year, month, 1).toordinal(), date(after // 12, after % 12 + 1, 1).toordinal() - 1)


def _year(year: int) -> Span:
    return Span(date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal())


def ago(found: re.Match[str], heard: Heard) -> list[Span]:
    """So many days, weeks, months or years ago; of weeks and longer ones about then."""
    parts = found.groupdict()
    unit = heard.words.units[found["unit"]]
    count = _number(parts.get("count") or "1", heard) + (0.5 if parts.get("half") else 0)
    middle = heard.day.toordinal() - round(count * unit)
    slack = 0 if unit == DAY else int(unit * min(count, 1)) // 2
    return [Span(max(1, middle - slack), max(1, middle + slack))]


def weekdays_ago(found: re.Match[str], heard: Heard) -> list[Span]:
    """The second, third … weekday back: `two Fridays ago`."""
    return [_weekday(heard.words.weekdays[found["weekday"]], -int(_number(found["count"], heard)), heard.day)]


def stretch(found: re.Match[str], heard: Heard) -> list[Span]:
    """The last or the next so many days, weeks, months or years, today among them."""
    today = heard.day.toordinal()
    days = round(_number(found["count"], heard) * heard.words.units[found["unit"]])
    if heard.words.steps[found["which"]] > 0:
        return [Span(today, today + days)]
    return [Span(max(1, today - days), today)]


def beside(found: re.Match[str], heard: Heard) -> list[Span]:
    """Last, this or next week, month, year, weekend or weekday; a weekday alone is the last one."""
    parts, said = found.groupdict(), heard.day
    step = heard.words.steps[parts["which"]] if parts.get("which") else -1
    if parts.get("weekday"):
        return [_weekday(heard.words.weekdays[parts["weekday"]], step, said)]
    unit = heard.words.units[parts["unit"]]
    monday = said.toordinal() - said.weekday() + 7 * step
    if unit == WEEK:
        return [Span(monday, monday + 6)]
    if unit == WEEKEND:
        return [Span(monday + 5, monday + 6)]
    if unit == MONTH:
        number = said.year * 12 + said.month - 1 + step
        return [_year_month(number // 12, number % 12 + 1)]
    return [_year(said.year + step)]


def weekday_asked(found: re.Match[str], heard: Heard) -> list[Span]:
    """The last one of a weekday that stands alone in a question; who tells of one may do so of every week."""
    return [] if heard.told else beside(found, heard)


def _weekday(weekday: int, step: int, said: date) -> Span:
    """A weekday before the day it was said or after it, or (step 0) that of its week."""
    off = weekday - said.weekday()
    if step:
        off = off % 7 + 7 * step if step < 0 else (off % 7 or 7) + 7 * (step - 1)
    day = said.toordinal() + off
    return Span(day, day)


def of_week(found: re.Match[str], heard: Heard) -> list[Span]:
    """A day of last, this or next week, or its end."""
    monday = heard.day.toordinal() - heard.day.weekday() + 7 * heard.words.steps[found["which"]]
    if found["weekday"] == "末":
        return [Span(monday + 5, monday + 6)]
    day = monday + heard.words.weekdays[found["weekday"]]
    return [Span(day, day)]


def near(found: re.Match[str], heard: Heard) -> list[Span]:
    """Yesterday, today, tomorrow and what lies beside them."""
    day = heard.day.toordinal() + heard.words.near[found[0]]
    return [Span(day, day)]


_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
"""The month each begins with."""
_SEASON = 3
"""How many months it has."""


def season(found: re.Match[str], heard: Heard) -> list[Span]:
    """Three months: those of a year that is named, else the last that have begun, or the last, this or next ones."""
    parts = found.groupdict()
    month = _SEASONS[found["season"]]
    if parts.get("year"):
        return [_year_month(int(parts["year"]), month, _SEASON)]
    said = heard.day
    step = heard.words.steps.get(parts.get("which") or "")
    if parts.get("of"):
        return [_year_month(said.year + heard.words.steps[parts["of"]], month, _SEASON)]
    begun = said.year - (month > said.month)
    past = (said.year - begun) * 12 + said.month - month
    if step is None:
        year = begun
    elif step < 0:
        year = begun - (past < _SEASON)
    else:
        year = begun + 1 if step or past >= _LAST_MONTH - _SEASON else begun
    return [_year_month(year, month, _SEASON)]


_WINDOWS = meanings("1 day,night,evening,morning | 7 days,weekend,week,shortly,just,right,soon | 31 weeks,month")
"""How many days before or after a time are meant by such a word in front."""
_OPEN = 366
"""What is after a time that is still to come is meant for so many days."""


def aside(way: str, near_by: str, named: Span, said: date | None) -> Span:
    """What is before, after, since or until a time."""
    days = _WINDOWS.get(near_by)
    if way in ("before", "prior to"):
        return Span(max(1, named.first - days) if days else 1, max(1, named.first - 1))
    if way == "after" and days:
        return Span(named.last + 1, named.last + days)
    if way not in ("after", "since"):
        return Span(1, named.last)
    first = named.first if way == "since" else named.last + 1
    today = said.toordinal() if said else 0
    return Span(first, today if today >= first else first + _OPEN)


def through(begins: list[Span], ends: list[Span], said: date | None) -> list[Span]:
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


def _number(said: str, heard: Heard) -> float:
    """A number in digits or in words; Chinese ones up to ninety-nine are put together."""
    if said.isdigit():
        return int(said)
    if said in heard.words.counts:
        return heard.words.counts[said]
    tens, _, ones = said.partition("十")
    return 10 * (heard.words.counts[tens] if tens else 1) + (heard.words.counts[ones] if ones else 0)
