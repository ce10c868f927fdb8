"""Values that a line states, by type: amounts, times, dates, days, versions, counts, how often, colours, trades.

Their words and forms stand in the `value` section of the language files; what is written alike in all languages, as
figures are, is read here. Code, the numbers of lists, and what only looks like a date are no values.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from oldsoul.language.families import FAMILY
from oldsoul.language.forms import any_of, filled, meanings, named, plain, unaccented
from oldsoul.language.languages import ENGLISH, language_told, little_words
from oldsoul.language.stemming import stem
from oldsoul.language.word_lists import ANY, word_list
from oldsoul.reading.numbers import FIGURES, number, numerals
from oldsoul.reading.times import codes_of, times_in, words_of
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oldsoul.reading.times import Time

Key = tuple[float | str | None, ...]
MONEY, _A_YEAR = "money", " a year"
_HALF_DAY, _NOON, _HOURS = 720, 12, 24
_MONTHS, _DAYS = 12, 31
_WORKDAYS, _WEEKEND = ("0", "1", "2", "3", "4"), ("5", "6")
_NEAR = 80
"""A unit stands within so many characters after its number."""
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CODE = re.compile(r"```.*?(?:```|\Z)|`(?!\s*[$€£]?\d[\w.,:%/-]*\s*`)[^`\n]+`", re.DOTALL)
_ITEM = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)?\d{1,3}[.)](?=[ \t])", re.MULTILINE)
_RUN = re.compile(r"[^\W\d_]+")


@frozen
class Value:
    """One value as a line states it."""

    kind: str
    """time, date, weekday, daypart, season, when (this week), version, number, ordinal, often, colour, profession"""
    key: Key
    """what it comes to, comparable within its kind; of money the currency too, where it is said"""
    unit: str
    """what is counted or measured, or what has the colour; empty when the line does not say"""
    said: str
    """as written"""
    start: int
    """where it begins in the text"""
    end: int
    """where it ends"""


def typed_values(text: str) -> list[Value]:
    """The typed values of a text, in the order they stand."""
    return list(_known(text) if len(text) <= _REMEMBERED else _last(text))


def agree(a: Value, b: Value) -> bool:
    """Whether two values of one kind may be the same, one perhaps said less exactly."""
    if a.kind == "date":
        both = [(x, y) for x, y in zip(a.key, b.key, strict=False) if x is not None and y is not None]
        return all(x == y for x, y in both)
    if a.kind == "time":
        at, bt = float(a.key[0] or 0), float(b.key[0] or 0)
        return at == bt or (not (a.key[1] and b.key[1]) and at % _HALF_DAY == bt % _HALF_DAY)
    if a.kind in ("version", "number"):
        return all(x == y for x, y in zip(a.key, b.key, strict=False))
    if a.kind == "weekday":
        return bool({*a.key} & {*b.key})
    return a.key == b.key


def comparable(a: Value, b: Value) -> bool:
    """Whether two values could be answers to one question: the same kind, and no different units."""
    return a.kind == b.kind and (not a.unit or not b.unit or a.unit == b.unit)


def same_sum(a: Value, b: Value) -> Value | None:
    """Where the second of two values is the same sum of money as the first, and only one says for which time: that sum."""
    mine, theirs = sum_of(a), sum_of(b)
    if (mine is None) == (theirs is None):
        return None
    one, other = mine or a, theirs or b
    return other if one.unit == other.unit == MONEY and agree(one, other) else None


def sum_of(value: Value) -> Value | None:
    """A sum of money without the time it is for: `1450 euros a month` are 1450 euros; None for what names no time."""
    if value.unit != f"{MONEY}{_A_YEAR}":
        return None
    for code in (language_told(value.said) or ENGLISH, ENGLISH):
        if rate := _lexicon(code).rate.search(plain(value.said)):
            amount = round(float(value.key[0] or 0) / _lexicon(code).periods[rate["period"]], 2)
            end = rate.start()
            return Value(value.kind, (amount, *value.key[1:]), MONEY, value.said[:end], value.start, value.start + end)
    return None


@frozen
class _Lexicon:
    """The words and forms that a language has for values."""

    code: str
    rules: tuple[tuple[str, re.Pattern[str]], ...]
    """Kinds of values with their forms, in order of trust."""
    periods: Mapping[str, float]
    """How many of them a year has."""
    units: Mapping[str, tuple[str, float]]
    """What a unit measures, and how many of the basic unit it is."""
    money: Mapping[str, str]
    """Currencies by what they are called."""
    rate: re.Pattern[str]
    """What says for which time an amount is."""
    after: re.Pattern[str]
    """A unit of a language without spaces, or a word that counts things, where a number ends."""
    dated: re.Pattern[str]
    """What stands before a date in figures."""
    comma: bool
    """Whether decimals have a comma."""
    tables: Mapping[str, Mapping[str, str]]
    """What words stand for, by kind."""

    def table(self, kind: str) -> Mapping[str, str]:
        """What the words of a kind stand for."""
        return self.tables.get(kind, {})


_FORMED = (
    "profession",
    "often",
    "clock",
    "noon",
    "weekday",
    "workday",
    "weekend",
    "daypart",
    "season",
    "theday",
    "version",
    "colour",
)
_COUNTED = ("nth", "ordinal", "numeral")
_TABLES = ("jobs", "adverbs", "times", "past", "noons", "dayparts", "colours", "alldays")


@cache
def _lexicon(code: str) -> _Lexicon:
    own = {kind: unaccented(listed) for kind, listed in word_list("value").get(code, {}).items()}
    dates, worded = words_of(code), numerals(code)
    periods = {**meanings(own.get("periods", ""))}
    tables = {kind: named(own.get(kind, "")) for kind in _TABLES}
    days = {word: str(int(day)) for word, day in dates.weekdays.items()} | named(own.get("alldays", ""))
    tables |= {"alldays": days, "seasons": {word: str(int(month)) for word, month in dates.seasons.items()}}
    count = rf"{FIGURES}|{worded.pattern}" if worded.words else FIGURES
    slots = {kind: f"(?:{any_of(listed.split(','))})" for kind, listed in own.items() if "{" not in listed} | {
        "hour": rf"(?P<h>\d{{1,2}}|{worded.pattern if worded.words else '(?!)'})",
        "minute": rf"(?P<min>\d{{1,2}}|{worded.pattern if worded.words else '(?!)'})",
        "count": f"(?P<count>{count})",
        "every": f"(?P<every>{count})",
        "numeral": f"(?P<n>{worded.pattern if worded.words else '(?!)'})",
        "nth": f"(?P<n>{any_of(meanings(unaccented(word_list('number').get(code, {}).get('ordinals', ''))))})",
        "period": f"(?P<period>{any_of(periods)})",
        "weekday": f"(?P<weekday>{any_of(days)})",
        "season": f"(?P<season>{any_of(dates.seasons)})",
    }
    slots |= {name: f"(?P<{name}>{any_of(tables[kind])})" for name, kind in _NAMED.items()}
    script = word_list("date").get(code, {}).get("script", "")
    forms = [(kind, form) for kind in (*_FORMED, *_COUNTED) for form in own.get(kind, "").split(" || ") if form]
    units = {
        word: (measure.partition("*")[0], float(measure.partition("*")[2]))
        for word, measure in named(own.get("units", "")).items()
    }
    counters = own.get("counters", "")
    counted = rf"|(?P<counter>[{counters}])\s?(?P<thing>[A-Za-z]+|[\u4e00-\u9fff]{{1,2}})?" if counters else ""
    joined = any_of((*units, *named(own.get("money", "")))) if script else "(?!)"
    return _Lexicon(
        code,
        tuple((kind, re.compile(filled(form, slots, edges=not script))) for kind, form in forms),
        periods,
        units,
        named(own.get("money", "")),
        re.compile(r"(?: [a-z]+)?\s+" + filled(own["rate"], slots, edges=not script) if "rate" in own else "(?!)"),
        re.compile(rf"\s?(?:(?P<unit>{joined}){counted})"),
        re.compile(rf"(?<!\w)(?:{any_of(filter(None, own.get('dated', '').split(',')))})(?: \w+){{0,2}}:? ?\Z"),
        own.get("decimal") == "comma",
        tables,
    )


_NAMED = {
    "job": "jobs",
    "adverb": "adverbs",
    "times": "times",
    "past": "past",
    "noon": "noons",
    "daypart": "dayparts",
    "colour": "colours",
}
"""Slots, and the tables that fill them."""
Read = "Callable[[re.Match[str], _Reading], Value | None]"


class _Reading:
    """A text while its values are read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.low = plain(text)
        told = language_told(text)
        spoken = [*codes_of(text)[:-1], *([told] if told in word_list("value") else []), ENGLISH]
        self.codes = list(dict.fromkeys(code for code in spoken if code in word_list("value")))
        self.comma = _lexicon(told).comma if told in word_list("value") else False
        self.taken = bytearray(len(text))
        self.found: list[Value] = []

    def read(self) -> tuple[Value, ...]:
        """The values, in the order they stand."""
        for block in _CODE.finditer(self.text):
            self._take(*block.span())
        lexicons = [_lexicon(code) for code in self.codes]
        self._formed(lexicons, ("profession", "often"))
        for value in self._dates():
            self._add(value)
        for item in _ITEM.finditer(self.text):
            self._take(*item.span())
        self._written(_EARLY)
        self._formed(lexicons, _FORMED[2:])
        self._written(_FRACTIONS)
        self._formed(lexicons, _COUNTED[:2])
        self._written(_LATE)
        self._formed(lexicons, _COUNTED[2:])
        return tuple(sorted(self.found, key=lambda value: (value.start, value.end)))

    def _take(self, start: int, end: int) -> None:
        self.taken[start:end] = b"\1" * (end - start)

    def _add(self, value: Value | None) -> None:
        if value is not None and value.start < value.end and not any(self.taken[value.start : value.end]):
            self._take(value.start, value.end)
            if value.kind:
                self.found.append(value)

    def _formed(self, lexicons: list[_Lexicon], kinds: tuple[str, ...]) -> None:
        for kind in kinds:
            for own in lexicons:
                for match in (m for each, pattern in own.rules if each == kind for m in pattern.finditer(self.low)):
                    self._add(_FORM_READERS[kind](self, own, match))

    def _written(
        self, rules: tuple[tuple[re.Pattern[str], Callable[[_Reading, re.Match[str]], Value | None]], ...]
    ) -> None:
        for pattern, read in rules:
            for match in pattern.finditer(self.text):
                if not any(self.taken[match.start() : match.end()]):
                    self._add(read(self, match))

    def made(self, kind: str, key: Key, start: int, end: int, unit: str = "") -> Value:
        """A value as it stands in the text."""
        said = self.text[start:end]
        left = len(said) - len(said.lstrip())
        return Value(kind, key, unit, said.strip(), start + left, start + len(said.rstrip()))

    def number(self, said: str, own: _Lexicon) -> float | None:
        """What a number of this text comes to."""
        return number(said, own.code, comma=self.comma)

    def _dates(self) -> Iterator[Value]:
        """What the times of the text state: dates, and days and weeks counted from the day it is said."""
        for time in times_in(self.text, self.codes):
            start, end = time.core, time.end
            if time.kind in ("date", "year"):
                if "from" in time.parts:
                    at = self.low.index(time.parts["from"], time.start)
                    day, start = float(time.parts["from"]), self.low.rindex(time.parts["day"], at, end)
                    yield self.made("date", (*_dated(time)[:2], day), at, at + len(time.parts["from"]))
                    start = self.low.index(time.parts["day"], at + len(time.parts["from"]))
                    start = min(start, self.low.index(time.parts["month"], time.start)) if start > end else start
                yield self.made("date", _dated(time), start, end)
            elif time.kind == "today":
                yield self.made("when", (time.words.near[time.parts["near"]], "day"), start, end)
            elif "which" in time.parts and (unit := time.parts.get("unit") or time.parts.get("season")):
                length = time.words.units.get(unit) or -time.words.seasons.get(unit, 0)
                yield self.made("when", (time.words.steps[time.parts["which"]], length), start, end)


def _dated(time: Time) -> Key:
    """Year, month and day of a date, as far as it has them; of figures that may be read in two ways the month first."""
    parts = time.parts
    year = float(parts["year"]) if "year" in parts else None
    if "one" in parts:
        return (year, *_month_first(float(parts["one"]), float(parts["two"])))
    said = parts.get("month", "")
    month = float(said) if said.isdigit() else time.words.months.get(said)
    return (year, month, time.number("day") if "day" in parts else None)


def _month_first(one: float, two: float) -> tuple[float, float]:
    """Two figures of a date, the month and the day: what can be no month is the day."""
    return (two, one) if one > _MONTHS else (one, two)


def _profession(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value:
    return reading.made("profession", (own.table("jobs")[match["job"]],), *match.span("job"))


def _often(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value | None:
    """How often, in times a year."""
    found = {part: said for part, said in match.groupdict().items() if said}
    if "adverb" in found:
        return reading.made("often", (float(own.table("adverbs")[found["adverb"]]),), *match.span())
    times = float(own.table("times")[found["times"]]) if "times" in found else 1.0
    times = reading.number(found["count"], own) or 0.0 if "count" in found else times
    every = 2.0 if "other" in found else reading.number(found["every"], own) if "every" in found else 1.0
    period = own.periods.get(found.get("period", ""), 365.0)
    return reading.made("often", (round(times * period / every, 3),), *match.span()) if times and every else None


def _clock(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value | None:
    """A time of day in words, or in figures that a word makes one."""
    found = {part: said for part, said in match.groupdict().items() if said}
    hour = reading.number(found["h"], own)
    minute = (
        reading.number(found["min"], own) if "min" in found else 30.0 * ("half" in found) + 15.0 * ("quarter" in found)
    )
    if hour is None or minute is None or hour > _HOURS:
        return None
    past = float(own.table("past")[found["past"]]) if "past" in found else 0.0
    if "pm" in found or "am" in found:
        hour = hour % _NOON + (_NOON if "pm" in found else 0)
    sure = "pm" in found or "am" in found or hour > _NOON or found["h"].startswith("0")
    return reading.made("time", (hour * 60 + minute + past, "sure" if sure else ""), *match.span())


def _noon(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value:
    return reading.made("time", (float(own.table("noons")[match["noon"]]), "sure"), *match.span())


def _weekday(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value | None:
    """A day of the week; one that is written short has a capital."""
    day = own.table("alldays")[match["weekday"]]
    if day.endswith("!") and not reading.text[match.start("weekday")].isupper():
        return None
    return reading.made("weekday", _WEEKEND if day == "7" else (day.rstrip("!"),), *match.span())


def _listed(kind: str, part: str, table: str) -> Callable[[_Reading, _Lexicon, re.Match[str]], Value]:
    """A reader for what a table names."""
    return lambda reading, own, match: reading.made(kind, (own.table(table)[match[part]],), *match.span())


def _theday(reading: _Reading, _own: _Lexicon, match: re.Match[str]) -> Value:
    return reading.made("date", (None, None, float(match["d"])), *match.span())


def _colour(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value:
    """A colour, and what has it."""
    after = re.match(r"\s+([a-z]+)", reading.low[match.end() :])
    unit = _lemma(after[1]) if after and not _says_nothing(after[1], own.code) else ""
    return reading.made("colour", (own.table("colours")[match["colour"]],), *match.span(), unit)


def _numeral(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value | None:
    return _amount(reading, match, number(match["n"], own.code))


def _ordinal(reading: _Reading, own: _Lexicon, match: re.Match[str]) -> Value | None:
    """A place in a row, and of what."""
    place = reading.number(match["n"], own)
    after = re.match(r"\s+([a-z]+)|([楼层])", reading.low[match.end() :])
    word = (after[1] or after[2]) if after else ""
    return reading.made(
        "ordinal", (place,), *match.span(), _lemma(word) if word and not _says_nothing(word, own.code) else ""
    )


_FORM_READERS: Mapping[str, Callable[[_Reading, _Lexicon, re.Match[str]], Value | None]] = {
    "profession": _profession,
    "often": _often,
    "clock": _clock,
    "noon": _noon,
    "weekday": _weekday,
    "workday": lambda reading, _, match: reading.made("weekday", _WORKDAYS, *match.span()),
    "weekend": lambda reading, _, match: reading.made("weekday", _WEEKEND, *match.span()),
    "daypart": _listed("daypart", "daypart", "dayparts"),
    "season": _listed("season", "season", "seasons"),
    "theday": _theday,
    "version": lambda reading, _, match: _version(reading, match),
    "colour": _colour,
    "nth": _ordinal,
    "ordinal": _ordinal,
    "numeral": _numeral,
}


def _time(reading: _Reading, match: re.Match[str]) -> Value | None:
    """A time of day in figures, or how long something took where the hours are too many."""
    hour, minute = float(match["h"]), float(match["min"])
    if hour > _HOURS:
        return reading.made("number", (hour * 60 + minute,), *match.span(), "lasting")
    half = (match["half"] or "").lower().strip(".")[:1]
    sure = bool(half) or hour > _NOON or match["h"].startswith("0")
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    return reading.made("time", (hour * 60 + minute, "sure" if sure else ""), *match.span())


def _version(reading: _Reading, match: re.Match[str]) -> Value | None:
    """A version, by its parts; a number that a unit follows is none."""
    if match.groupdict().get("name") and _unit(reading, match.end())[3] > 0:
        return None
    return reading.made("version", tuple(float(part) for part in re.findall(r"\d+", match["v"])), *match.span("v"))


def _fraction(reading: _Reading, match: re.Match[str]) -> Value | None:
    """Two figures with a slash: a date where the words before say so, else a part of something; `24/7` is neither."""
    one, two, start, end = float(match["one"]), float(match["two"]), *match.span()
    if match[0] == "24/7":
        return Value("", (), "", match[0], start, end)
    after = _RUN.match(reading.low[end:].lstrip())
    counts = after is not None and not any(_says_nothing(after[0], code) for code in reading.codes)
    dated = any(_lexicon(code).dated.search(reading.low[max(0, start - 40) : start]) for code in reading.codes)
    if dated and not counts and not match["whole"] and 1 <= min(one, two) <= _MONTHS and 1 <= max(one, two) <= _DAYS:
        return reading.made("date", (None, *_month_first(one, two)), start, end)
    return _amount(reading, match, float(match["whole"] or 0) + one / two) if two else None


def _number(reading: _Reading, match: re.Match[str]) -> Value | None:
    """A number in figures, with what is counted or measured and in which time."""
    before, after = _currency(reading, match.start()), _unit(reading, match.end())
    money = bool(before) or after[0] == MONEY
    amount = number(match["n"], comma=reading.comma, money=money)
    by = match["by"] or ""
    scale = {"k": 1_000.0, "m": 1_000_000.0}.get(by.lower()) or numerals("zh").scales.get(by, 1.0)
    return _amount(reading, match, None if amount is None else amount * scale)


def _amount(reading: _Reading, match: re.Match[str], amount: float | None) -> Value | None:
    """A number with what is counted or measured after it, or the currency before it."""
    if amount is None:
        return None
    if match.groupdict().get("minus"):
        amount = -amount
    start, end = match.span()
    more: tuple[str, ...] = ()
    if currency := _currency(reading, start):
        unit, more = MONEY, (currency,) * (currency != "-")
        start = reading.text.rindex(reading.text[:start].rstrip()[-1], 0, start)
    else:
        unit, factor, currency, length = _unit(reading, end)
        if length < 0:
            return None  # 1Password is a name
        amount, end, more = round(amount * factor, 6), end + length, (currency,) if currency not in ("", "-") else ()
    for code in reading.codes:
        own = _lexicon(code)
        if rate := own.rate.match(reading.low, end):
            amount, unit, end = round(amount * own.periods[rate["period"]], 3), f"{unit}{_A_YEAR}", rate.end()
            break
    return reading.made("number", (amount, *more), start, end, unit)


def _currency(reading: _Reading, start: int) -> str:
    """The currency that stands before a number; a dash for a mark of several."""
    before = reading.text[max(0, start - 2) : start].rstrip()[-1:]
    return _lexicon(ANY).money.get(before, "") if before and not before.isalnum() else ""


def _unit(reading: _Reading, end: int) -> tuple[str, float, str, int]:
    """What is counted or measured by a number that ends here, how much of it, in which currency, and how long that is."""
    rest = reading.low[end : end + _NEAR]
    found = _AFTER.match(rest)
    word = (found[1] or found[2]).replace(" ", "") if found else ""
    for own in (_lexicon(ANY), *map(_lexicon, reading.codes)):
        if word in own.units and found:
            return (*own.units[word], "", found.end())
        if word in own.money and found:
            return MONEY, 1.0, own.money[word], found.end()
        if (near := own.after.match(rest)) and not word:
            if near["unit"]:
                measure = own.units.get(near["unit"]) or (MONEY, 1.0)
                return (*measure, own.money.get(near["unit"], ""), near.end())
            thing = near["thing"]
            return _lemma(thing) if thing else near["counter"], 1.0, "", near.start("thing") if thing else near.end()
    if found and found.start(1) == 0 and word and reading.text[end - 1].isdecimal():
        return "", 1.0, "", -1
    if word and not any(_says_nothing(word, code) for code in reading.codes):
        return _lemma(word), 1.0, "", 0
    return "", 1.0, "", 0


def _says_nothing(word: str, code: str) -> bool:
    """Whether a word after a number says nothing of what is counted."""
    return word in little_words(code) or word in word_list("value").get(code, {}).get("nothing", "").split(",")


def _lemma(word: str) -> str:
    """What a counted thing is called, in one form."""
    cut = stem(word)
    return FAMILY.get(word) or FAMILY.get(cut, cut)


_AFTER = re.compile(r"\s?([%€$£¥₹]|°\s?[cf]?\b|[^\W\d_\u2e80-\uffff]+\b)|[- ]([^\W\d_\u2e80-\uffff]+)\b")
_EARLY = (
    (re.compile(r"(?i)(?<![\d:])(?P<h>\d{1,3}):(?P<min>\d\d)(?::\d\d)?(?!\d)(?:\s?(?P<half>[ap]\.?m\b\.?))?"), _time),
    (re.compile(r"(?:==\s?|\bv)(?P<v>\d+(?:\.\d+)*)\b"), _version),
    (re.compile(r"(?<![\w.])(?P<v>\d+(?:\.\d+){2,})\b(?!,\d)"), _version),
    (re.compile(r"\b(?P<name>[a-z]*[A-Z]\w*) (?P<v>\d+\.\d+)(?![\d%]|,\d)"), _version),
)
_FRACTIONS = (
    (re.compile(r"(?<![\w./])(?:(?P<whole>\d+)\s+)?(?P<one>\d{1,4})/(?P<two>\d{1,4})(?![\w/]|\.\d)"), _fraction),
)
_LATE = (
    (
        re.compile(
            rf"(?:(?P<minus>(?<!\w)[-−]|\bminus )\s?)?(?<![^\W{_UNSPACED}])(?<![.\d])(?<![A-Za-z]-)(?P<n>\d{{1,3}}(?: \d{{3}})+(?= ?(?:[€£$¥₹]|[A-Z]{{3}}\b))|{FIGURES})"
            r"\s?(?P<by>[kKM]\b|[万亿億千百])?(?![.,]?\d|[楼层])(?!(?:st|nd|rd|th)\b)"
        ),
        _number,
    ),
)
_REMEMBERED = 400
"""Texts of up to so many characters are remembered: each is held against every correction, one after the other."""


def _found(text: str) -> tuple[Value, ...]:
    if text.isascii() and not any(map(str.isdecimal, text)) and _words().isdisjoint(_RUN.findall(text.lower())):
        return ()
    return _Reading(text).read()


@cache
def _words() -> frozenset[str]:
    """Words of which a text without figures has one if it states a value."""
    found: set[str] = set()
    for code in word_list("value"):
        own, dates = _lexicon(code), words_of(code)
        found.update(*(own.tables.values()), own.periods, numerals(code).words, dates.months, dates.near, dates.units)
    return frozenset(word for phrase in found for word in _RUN.findall(phrase))


_known = lru_cache(maxsize=16_384)(_found)
_last = lru_cache(maxsize=16)(_found)
"""Of longer ones the last few, which are looked at again and again."""
