"""Values that a line states, by type: amounts, times, dates, days, versions, counts, how often, colours, trades.

Their words and forms are in the `value` section of the language files, those of figures in `any.txt`. Code, the
numbers of lists, and what only looks like a date are no values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from oldsoul.language.cues import any_of, filled, meanings, named, plain, unaccented
from oldsoul.language.languages import ENGLISH, detected_language, little_words
from oldsoul.language.lexicon import ANY, word_list
from oldsoul.language.words import FAMILY, stem
from oldsoul.lazy import pattern
from oldsoul.reading.numbers import FIGURES, number, numerals
from oldsoul.reading.times import Time, codes_of, times_in, words_of
from oldsoul.values.frozen import frozen

EARLY = ("profession", "often")
FORMED = ("clock", "version", "noon", "weekday", "workday", "weekend", "daypart", "season", "theday", "colour")
COUNTED = ("fraction", "nth", "ordinal", "number", "numeral")
"""Kinds of forms in order of trust; dates come after the first of them. What one has found is not for another."""
_TABLES = ("jobs", "adverbs", "times", "pasts", "noons", "dayparts", "colours", "periods", "weekdays", "units", "money")


@frozen
class Lexicon:
    """The words and forms that a language has for values."""

    code: str
    """Which language."""
    forms: Mapping[str, tuple[re.Pattern[str], ...]]
    """How values of a kind are written."""
    tables: Mapping[str, Mapping[str, str]]
    """What words stand for, by kind."""
    rate: re.Pattern[str] | None
    """What says for which time an amount is."""
    counted: re.Pattern[str] | None
    """In a language without spaces a unit where a number ends, or a word that counts things."""
    dated: re.Pattern[str]
    """What is before a date in figures."""


@cache
def lexicon(code: str) -> Lexicon:
    """What a language has, compiled."""
    listed = word_list("value").get(code, {})
    own = {kind: unaccented(each) for kind, each in listed.items()}
    dates, worded, script = words_of(code), numerals(code), word_list("date").get(code, {}).get("script")
    tables = {kind: named(own.get(kind, "")) for kind in _TABLES}
    tables["seasons"] = {word: str(int(month)) for word, month in dates.seasons.items()}
    tables["weekdays"] = {word: str(int(day)) for word, day in dates.weekdays.items()} | tables["weekdays"]
    ordinals = meanings(unaccented(word_list("number").get(code, {}).get("ordinals", "")))
    slots = {
        **{kind: each if kind == "joined" else f"(?:{any_of(each.split(','))})" for kind, each in own.items()},
        **{kind.removesuffix("s"): f"(?P<{kind.removesuffix('s')}>{any_of(words)})" for kind, words in tables.items()},
        **{name: rf"(?P<{name[0]}>\d{{1,2}}|{worded.pattern})" for name in ("hour",)},
        "minute": rf"(?P<min>\d{{1,2}}|{worded.pattern})",
        **{name: f"(?P<{name}>{FIGURES}|{worded.pattern})" for name in ("count", "every")},
        "numeral": f"(?P<n>{worded.pattern})",
        "nth": f"(?P<n>{any_of(ordinals)})",
        "figures": FIGURES,
    }
    edges = not script and code != ANY

    def compiled(kind: str) -> tuple[re.Pattern[str], ...]:
        forms = own[kind].split(" || ") if kind in own else ()
        return tuple(re.compile(filled(form, slots, edges=edges)) for form in forms)

    joined = any_of((*tables["units"], *tables["money"]))
    counters = rf"(?P<counter>[{own.get('counters', '')}])\s?(?P<thing>[a-z]+|[\u4e00-\u9fff]{{1,2}})?"
    rate = next(iter(compiled("rate")), None)
    return Lexicon(
        code,
        {kind: compiled(kind) for kind in (*EARLY, *FORMED, *COUNTED)},
        tables,
        re.compile(rf"(?: [a-z]+)?\s+{rate.pattern}") if rate else None,
        re.compile(rf"\s?(?:(?P<unit>{joined})|{counters})") if "counters" in own else None,
        re.compile(rf"(?<!\w){slots.get('dated', '(?!)')}(?: \w+){{0,2}}:? ?\Z"),
    )


Key = tuple[float | str | None, ...]
MONEY, _A_YEAR = "money", " a year"
_HALF_DAY, _NOON, _HOURS = 720, 12, 24
_MONTHS, _DAYS = 12, 31
_WORKDAYS, _WEEKEND = ("0", "1", "2", "3", "4"), ("5", "6")
_REMEMBERED = 400
"""Texts of up to so many characters are remembered: each is compared with every correction, one after the other."""
_CODE = pattern(r"```.*?(?:```|\Z)|`(?!\s*[$€£]?\d[\w.,:%/-]*\s*`)[^`\n]+`", re.DOTALL)
_ITEM = pattern(r"^[ \t>]*(?:[-*+][ \t]+)?\d{1,3}[.)](?=[ \t])", re.MULTILINE)
_WORD = pattern(r"[^\W\d_]+")
_AFTER = pattern(r"\s?([%€$£¥₹]|°\s?[cf]?\b|[^\W\d_\u2e80-\uffff]+\b)|[- ]([^\W\d_\u2e80-\uffff]+)\b")
"""What may be the unit of a number before it."""
_FACTORS = {"k": 1e3, "m": 1e6}


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
    """The typed values of a text, in order."""
    return list(_known(text) if len(text) <= _REMEMBERED else _last(text))


def agree(a: Value, b: Value) -> bool:
    """Whether two values of one kind may be the same, one perhaps said less exactly."""
    if a.kind in ("date", "version", "number"):
        both = [(x, y) for x, y in zip(a.key, b.key, strict=False) if x is not None and y is not None]
        return all(x == y for x, y in both)
    if a.kind == "time":
        at, bt = float(a.key[0] or 0), float(b.key[0] or 0)
        return at == bt or (not (a.key[1] and b.key[1]) and at % _HALF_DAY == bt % _HALF_DAY)
    return bool({*a.key} & {*b.key}) if a.kind == "weekday" else a.key == b.key


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
    for own in map(lexicon, (detected_language(value.said), ENGLISH)) if value.unit == f"{MONEY}{_A_YEAR}" else ():
        if own.rate and (rate := own.rate.search(plain(value.said))):
            amount, end = float(value.key[0] or 0) / float(own.tables["periods"][rate["period"]]), rate.start()
            said = value.said[:end]
            return Value(value.kind, (round(amount, 2), *value.key[1:]), MONEY, said, value.start, value.start + end)
    return None


class _ValueScan:
    """A text while its values are read."""

    def __init__(self, text: str) -> None:
        self.text, self.low = text, plain(text)
        detected = detected_language(text)
        spoken = dict.fromkeys((*codes_of(text)[:-1], detected, ENGLISH))
        self.lexicons = [lexicon(code) for code in spoken if code in word_list("value")]
        self.comma = word_list("value").get(detected, {}).get("decimal") == "comma"
        self.taken = bytearray(len(text))
        self.found: list[Value] = []

    def read(self) -> tuple[Value, ...]:
        """The values, in order."""
        for block in _CODE.finditer(self.text):
            self._take(*block.span())
        self._read_forms(EARLY)
        for value in self._dates():
            self._add(value)
        for item in _ITEM.finditer(self.text):
            self._take(*item.span())
        self._read_forms((*FORMED, *COUNTED))
        return tuple(sorted(self.found, key=lambda value: (value.start, value.end)))

    def _read_forms(self, kinds: tuple[str, ...]) -> None:
        for kind in kinds:
            for own in (lexicon(ANY), *self.lexicons):
                for match in (match for form in own.forms[kind] for match in form.finditer(self.low)):
                    if not any(self.taken[match.start() : match.end()]):
                        self._add(_READERS[kind](self, own, match))

    def _take(self, start: int, end: int) -> None:
        self.taken[start:end] = b"\1" * (end - start)

    def _add(self, value: Value | None) -> None:
        if value is not None and value.start < value.end and not any(self.taken[value.start : value.end]):
            self._take(value.start, value.end)
            if value.kind:
                self.found.append(value)

    def made(self, kind: str, key: Key, span: tuple[int, int], unit: str = "") -> Value:
        """A value as it is in the text."""
        said = self.text[slice(*span)]
        start = span[0] + len(said) - len(said.lstrip())
        return Value(kind, key, unit, said.strip(), start, start + len(said.strip()))

    def _dates(self) -> Iterator[Value]:
        """What the times of the text state: dates, and days and weeks counted from the day it is said."""
        for time in times_in(self.text, [own.code for own in self.lexicons]):
            parts, words, span = time.parts, time.words, (time.core, time.end)
            if time.kind in ("date", "year"):
                yield self.made("date", _dated(time), span)
            elif time.kind == "today":
                yield self.made("when", (words.near[parts["near"]], "day"), span)
            elif "which" in parts and (unit := parts.get("unit") or parts.get("season")):
                length = words.units.get(unit) or -words.seasons.get(unit, 0)
                yield self.made("when", (words.steps[parts["which"]], length), span)

    def says_nothing(self, word: str) -> bool:
        """Whether a word after a number says nothing of what is counted."""
        codes = [own.code for own in self.lexicons]
        listed = (word_list("value")[code].get("nothing", "").split(",") for code in codes)
        return any(word in little_words(code) for code in codes) or any(word in some for some in listed)


def _dated(time: Time) -> Key:
    """Year, month and day of a date, as far as it has them; of figures that may be read in two ways the month first."""
    parts = time.parts
    year = float(parts["year"]) if "year" in parts else None
    if "one" in parts:
        return (year, *_month_first(float(parts["one"]), float(parts["two"])))
    return (year, float(time.month) or None, time.number("day") if "day" in parts else None)


def _month_first(one: float, two: float) -> tuple[float, float]:
    """Two figures of a date, the month and the day: what can be no month is the day."""
    return (two, one) if one > _MONTHS else (one, two)


def _said(match: re.Match[str]) -> dict[str, str]:
    return {part: said for part, said in match.groupdict().items() if said}


def _often(reading: _ValueScan, own: Lexicon, match: re.Match[str]) -> Value | None:
    """How often, in times a year."""
    found, tables = _said(match), own.tables
    if "adverb" in found:
        return reading.made("often", (float(tables["adverbs"][found["adverb"]]),), match.span())
    times = float(tables["times"][found["time"]]) if "time" in found else number(found.get("count", "1"), own.code)
    every = 2.0 if "other" in found else number(found.get("every", "1"), own.code)
    period = float(tables["periods"].get(found.get("period", ""), 365))
    return reading.made("often", (round(times * period / every, 3),), match.span()) if times and every else None


def _clock(reading: _ValueScan, own: Lexicon, match: re.Match[str]) -> Value | None:
    """A time of day, or how long something took where the hours are too many."""
    found = _said(match)
    hour, minute = (number(found.get(part, "0"), own.code) for part in ("h", "min"))
    if hour is None or minute is None or (hour > _HOURS and "min" not in found):
        return None
    if hour > _HOURS:
        return reading.made("number", (hour * 60 + minute,), match.span(), "lasting")
    minute += (
        30 * ("half" in found) + 15 * ("quarter" in found) + float(own.tables["pasts"].get(found.get("past", ""), 0))
    )
    halved = "pm" in found or "am" in found
    if halved:
        hour = hour % _NOON + (_NOON if "pm" in found else 0)
    sure = halved or hour > _NOON or found["h"].startswith("0")
    return reading.made("time", (hour * 60 + minute, "sure" if sure else ""), match.span())


def _weekday(reading: _ValueScan, own: Lexicon, match: re.Match[str]) -> Value | None:
    """A day of the week; one that is written short has a capital."""
    day = own.tables["weekdays"][match["weekday"]]
    if day.endswith("!") and not reading.text[match.start("weekday")].isupper():
        return None
    return reading.made("weekday", _WEEKEND if day == "7" else (day.rstrip("!"),), match.span())


def _version(reading: _ValueScan, _own: Lexicon, match: re.Match[str]) -> Value | None:
    """A version, by its parts; after a name, which has a capital, a number that a unit follows is none."""
    name = reading.text[slice(*match.span("name"))] if _said(match).get("name") else ""
    if name and (name.islower() or _unit(reading, match.end())[3] > 0):
        return None
    parts = tuple(float(part) for part in re.findall(r"\d+", match["v"]))
    return reading.made("version", parts, match.span("v"))


def _colour(reading: _ValueScan, own: Lexicon, match: re.Match[str]) -> Value:
    return reading.made("colour", (own.tables["colours"][match["colour"]],), match.span(), _thing(reading, match.end()))


def _ordinal(reading: _ValueScan, own: Lexicon, match: re.Match[str]) -> Value | None:
    return reading.made("ordinal", (number(match["n"], own.code),), match.span(), _thing(reading, match.end()))


def _thing(reading: _ValueScan, end: int) -> str:
    """What has a colour or a place in a row, by the word after that."""
    after = re.match(r"\s+([a-z]+)|([\u2e80-\uffff])", reading.low[end : end + _NEAR])
    word = (after[1] or after[2]) if after else ""
    return _lemma(word) if word and not reading.says_nothing(word) else ""


def _fraction(reading: _ValueScan, _own: Lexicon, match: re.Match[str]) -> Value | None:
    """Two figures with a slash: a date where the words before say so, else a part of something; `24/7` is neither."""
    one, two, span = float(match["one"]), float(match["two"]), match.span()
    if match[0] == "24/7":
        return Value("", (), "", match[0], *span)
    after = _WORD.match(reading.low[span[1] :].lstrip())
    dated = any(own.dated.search(reading.low[max(0, span[0] - _NEAR) : span[0]]) for own in reading.lexicons)
    possible = not match["whole"] and 1 <= min(one, two) <= _MONTHS and 1 <= max(one, two) <= _DAYS
    if dated and possible and (after is None or reading.says_nothing(after[0])):
        return reading.made("date", (None, *_month_first(one, two)), span)
    return _amount(reading, match, float(match["whole"] or 0) + one / two) if two else None


def _number(reading: _ValueScan, _own: Lexicon, match: re.Match[str]) -> Value | None:
    """A number in figures."""
    money = bool(_currency(reading, match.start())) or _unit(reading, match.end())[0] == MONEY
    amount = number(match["n"], comma=reading.comma, money=money)
    by = reading.text[slice(*match.span("by"))]
    if by == "m":
        return _amount(reading, match, amount, match.start("by"))
    factor = _FACTORS.get(by.lower()) or numerals("zh").scales.get(by, 1.0)
    return _amount(reading, match, None if amount is None else amount * factor)


def _amount(reading: _ValueScan, match: re.Match[str], amount: float | None, end: int | None = None) -> Value | None:
    """A number with what is counted or measured after it, or the currency before it, and for which time."""
    start, end = match.start(), match.end() if end is None else end
    currency, unit = _currency(reading, start), MONEY
    if amount is None:
        return None
    if currency:
        start = len(reading.text[:start].rstrip()) - 1
    else:
        unit, factor, currency, length = _unit(reading, end)
        if length < 0:
            return None
        amount, end = round(amount * factor, 6), end + length
    amount = -amount if "minus" in _said(match) else amount
    for each in reading.lexicons:
        if each.rate and (rate := each.rate.match(reading.low, end)):
            periods = float(each.tables["periods"][rate["period"]])
            amount, unit, end = round(amount * periods, 3), f"{unit}{_A_YEAR}", rate.end()
            break
    return reading.made("number", (amount, *((currency,) if currency.isalpha() else ())), (start, end), unit)


_NEAR = 80
"""A unit is within so many characters after its number."""


def _currency(reading: _ValueScan, start: int) -> str:
    """The currency whose sign is before a number; a dash for a sign of several."""
    before = reading.text[max(0, start - 2) : start].rstrip()[-1:]
    return lexicon(ANY).tables["money"].get(before, "") if before and not before.isalnum() else ""


def _unit(reading: _ValueScan, end: int) -> tuple[str, float, str, int]:
    """What is counted or measured by a number that ends here, how much of it, in which currency, and how long that is.

    The length is negative where the number is part of a name, as in `1Password`.
    """
    rest = reading.low[end : end + _NEAR]
    after = _AFTER.match(rest)
    word = (after[1] or after[2]).replace(" ", "") if after else ""
    for own in (lexicon(ANY), *reading.lexicons):
        near = own.counted.match(rest) if own.counted and not word else None
        said = near["unit"] if near else word
        if near and near["counter"]:
            return (
                (_lemma(near["thing"]), 1.0, "", near.start("thing"))
                if near["thing"]
                else (near["counter"], 1.0, "", near.end())
            )
        length = (near or after).end() if near or after else 0  # type: ignore[union-attr]
        if said in own.tables["units"]:
            measure, _, factor = own.tables["units"][said].partition("*")
            return measure, float(factor), "", length
        if said in own.tables["money"]:
            return MONEY, 1.0, own.tables["money"][said], length
    if after and after.start(1) == 0 and reading.text[end - 1].isdecimal():
        return "", 1.0, "", -1
    return _lemma(word) if word and not reading.says_nothing(word) else "", 1.0, "", 0


def _lemma(word: str) -> str:
    """What a counted thing is called, in one form."""
    cut = stem(word)
    return FAMILY.get(word) or FAMILY.get(cut, cut)


def _named(kind: str, part: str) -> Callable[[_ValueScan, Lexicon, re.Match[str]], Value]:
    """A reader for what a table names."""
    return lambda reading, own, match: reading.made(kind, (own.tables[f"{part}s"][match[part]],), match.span(part))


_READERS: Mapping[str, Callable[[_ValueScan, Lexicon, re.Match[str]], Value | None]] = {
    "profession": _named("profession", "job"),
    "often": _often,
    "clock": _clock,
    "version": _version,
    "noon": lambda reading, own, match: reading.made(
        "time", (float(own.tables["noons"][match["noon"]]), "sure"), match.span()
    ),
    "weekday": _weekday,
    "workday": lambda reading, _, match: reading.made("weekday", _WORKDAYS, match.span()),
    "weekend": lambda reading, _, match: reading.made("weekday", _WEEKEND, match.span()),
    "daypart": _named("daypart", "daypart"),
    "season": _named("season", "season"),
    "theday": lambda reading, _, match: reading.made("date", (None, None, float(match["d"])), match.span()),
    "colour": _colour,
    "fraction": _fraction,
    "nth": _ordinal,
    "ordinal": _ordinal,
    "number": _number,
    "numeral": lambda reading, own, match: _amount(reading, match, number(match["n"], own.code)),
}


def _found(text: str) -> tuple[Value, ...]:
    if text.isascii() and not any(map(str.isdecimal, text)) and _words().isdisjoint(_WORD.findall(text.lower())):
        return ()
    return _ValueScan(text).read()


_known = lru_cache(maxsize=16_384)(_found)
_last = lru_cache(maxsize=16)(_found)
"""Of longer ones the last few, which are looked at again and again."""


@cache
def _words() -> frozenset[str]:
    """Words of which a text without figures has one if it states a value."""
    found: set[str] = set()
    for code in word_list("value"):
        dates = words_of(code)
        found.update(*lexicon(code).tables.values(), numerals(code).words, dates.months, dates.near, dates.units)
    return frozenset(word for phrase in found for word in _WORD.findall(phrase))
