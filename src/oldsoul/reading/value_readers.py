"""How a value that was found in a text is read: what kind it is, and what it comes to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.language.families import FAMILY
from oldsoul.language.stemming import stem
from oldsoul.reading.value_words import (
    CJK_DAYS,
    DAYS,
    HOURS,
    JAPANESE_DAYS,
    MONTHS,
    NO_UNIT,
    NOON,
    PROFESSIONS,
    SUFFIXES,
    TIMES_A_YEAR,
    UNITS,
    WEEKEND,
    WORKDAYS,
    number,
)
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[re.Match[str], str], "Value | None"]

Key = tuple[float | str | None, ...]


@frozen
class Value:
    """One value as a line states it."""

    kind: str
    """time, date, weekday, daypart, season, when (this week), version, number, ordinal, often, colour, profession"""
    key: Key
    """what it comes to, comparable within its kind"""
    unit: str
    """what is counted or measured, or what has the colour; empty when the line does not say"""
    said: str
    """as written"""
    start: int
    """where it begins in the text"""
    end: int
    """where it ends"""


def unit_lemma(word: str) -> str:
    """What a counted thing is called, in one form."""
    word = word.lower()
    cut = stem(word)
    return FAMILY.get(word) or FAMILY.get(cut, cut)


def made(kind: str, key: Key, match: re.Match[str], unit: str = "") -> Value:
    """The value of a match as it stands."""
    return Value(kind, key, unit, match[0].strip(), match.start(), match.end())


def read_often(match: re.Match[str], _text: str) -> Value | None:
    """How often, in times a year."""
    found = match.groupdict()
    if found.get("adverb"):
        return made("often", (float(TIMES_A_YEAR[found["adverb"].lower()]),), match)
    if found.get("other"):
        return made("often", (TIMES_A_YEAR[found["other"].lower().rstrip("s")] / 2,), match)
    times = (
        number(found["count"]) if found.get("count") else 2.0 if (found.get("times") or "").lower() == "twice" else 1.0
    )
    period = TIMES_A_YEAR.get((found.get("period") or "").lower().rstrip("s"))
    every = number(found["every"]) if found.get("every") else 1.0
    if not times or not period or not every:
        return None
    return made("often", (round(times * period / every, 3),), match)


def read_cjk_often(match: re.Match[str], _text: str) -> Value | None:
    """How often, in times a year, in Chinese."""
    period = TIMES_A_YEAR.get(match["period"])
    times = number(match["count"]) if match["count"] else 1.0
    return made("often", (times * period,), match) if period and times else None


def month_number(name: str) -> float:
    """The number of a month by its name."""
    return float(MONTHS.index(name[:3].lower()) + 1)


def read_date(match: re.Match[str], _text: str) -> Value | None:
    """A date, or what is said of one."""
    found = match.groupdict()
    year = float(found["y"]) if found.get("y") else None
    name = found.get("month")
    month = month_number(name) if name else (number(found["m"]) if found.get("m") else None)
    day = number(found["d"]) if found.get("d") else None
    return made("date", (year, month, day), match)


def read_slashed(match: re.Match[str], _text: str) -> Value | None:
    """A date in figures with slashes; what can be no month is the day."""
    month, day = float(match["m"]), float(match["d"])
    if month > NOON:
        month, day = day, month
    return made("date", (float(match["y"]) if match["y"] else None, month, day), match)


def read_time(match: re.Match[str], _text: str) -> Value | None:
    """A time of day, or how long something took where the hours are too many."""
    found = match.groupdict()
    hour = number(found["h"])
    minute = number(found["min"]) if found.get("min") else 0.0
    if hour is None or minute is None:
        return None
    half = (found.get("half") or "").lower().replace(".", "")
    if hour > HOURS:
        return made("number", (hour * 60 + minute,), match, "lasting") if found.get("min") else None
    sure = bool(half) or hour > NOON or hour == 0 or found["h"].startswith("0")
    if half:
        hour = hour % NOON + (NOON if half in ("pm", "p") else 0)
    return made("time", (hour * 60 + minute, "sure" if sure else ""), match)


def read_past(match: re.Match[str], _text: str) -> Value | None:
    """A time said by the halves and quarters of an hour."""
    hour = number(match["h"])
    if hour is None:
        return None
    minutes = {"half past": 30, "quarter past": 15, "quarter to": -15}[" ".join(match["how"].lower().split())]
    return made("time", (hour * 60 + minutes, ""), match)


def read_named_time(match: re.Match[str], _text: str) -> Value:
    """Noon or midnight."""
    return made("time", (720.0 if match[0].lower() in ("noon", "midday") else 0.0, "sure"), match)


def read_cjk_time(match: re.Match[str], _text: str) -> Value | None:
    """A time of day in Chinese or Japanese."""
    hour = number(match["h"])
    minute = number(match["min"]) if match["min"] else 30.0 if match["half"] else 15.0 if match["quarter"] else 0.0
    if hour is None or minute is None:
        return None
    part = match["part"] or ""
    if part in ("下午", "晚上", "傍晚", "午後", "夕方", "夜") and hour < NOON:
        hour += NOON
    return made("time", (hour * 60 + minute, "sure" if part or hour > NOON else ""), match)


def read_weekday(match: re.Match[str], _text: str) -> Value:
    """A day of the week."""
    return made("weekday", (str(DAYS.index(match[0][:3].lower())),), match)


def read_weekdays(match: re.Match[str], _text: str) -> Value:
    """Working days, or the end of the week."""
    free = match[0] in ("周末", "週末") or "end" in match[0].lower()
    return made("weekday", WEEKEND if free else WORKDAYS, match)


def read_cjk_weekday(match: re.Match[str], _text: str) -> Value:
    """A day of the week in Chinese."""
    return made("weekday", (str(min(CJK_DAYS.index(match["d"]), 6)),), match)


def read_japanese_weekday(match: re.Match[str], _text: str) -> Value:
    """A day of the week in Japanese."""
    return made("weekday", (str(JAPANESE_DAYS.index(match["d"])),), match)


def read_named(kind: str, table: dict[str, str]) -> Read:
    """A reader for what a table names."""
    return lambda match, _text: made(kind, (table[match[0].lower()],), match)


def read_version(match: re.Match[str], _text: str) -> Value:
    """A version, by its parts."""
    parts = tuple(float(part) for part in re.findall(r"\d+", match["v"]))
    return Value("version", parts, "", match["v"], match.start("v"), match.end("v"))


def read_colour(match: re.Match[str], text: str) -> Value:
    """A colour, and what has it."""
    after = re.match(r"\s+([a-z]+)", text[match.end() :])
    word = after[1] if after and after[1] not in NO_UNIT else ""
    said = match["c"].lower().replace("gray", "grey").replace("golden", "gold").replace("blonde", "blond")
    return made("colour", (said,), match, unit_lemma(word) if word else "")


def read_cjk_colour(match: re.Match[str], _text: str) -> Value:
    """A colour in Chinese."""
    return made("colour", (match[0],), match)


_UNIT_AFTER = re.compile(
    r"\s?(%|°\s?c?\b|[A-Za-z]+\b)|[- ]([A-Za-z]+)\b|\s?(公斤|公里|分钟|小时|時間|个月|[ヶか]月|[元块秒天周年岁米度円歳])"
)
_MEASURE_AFTER = re.compile(r"\s?[个只条本张件位名口间台辆次把份家人匹冊枚回階個]\s?([A-Za-z]+|[\u4e00-\u9fff]{1,2})?")
_RATE = re.compile(r"(?:\s+[a-z]+)?\s+(?:an?|per|each|every) (minute|hour|day|night|week|month|year)\b", re.IGNORECASE)
_CURRENCY = re.compile(r"[$€£¥]\s?$")
MONEY, _A_YEAR = "money", " a year"
_NEAR = 80
"""A unit stands within so many characters after its number."""


def read_number(match: re.Match[str], text: str) -> Value | None:
    """A number, with what is counted or measured and in which time."""
    amount = number(match["n"])
    if amount is None:
        return None
    amount *= SUFFIXES.get((match.groupdict().get("by") or "").lower(), 1)
    if match.groupdict().get("minus"):
        amount = -amount
    unit, end = "", match.end()
    rest = text[match.end() : match.end() + _NEAR]
    if _CURRENCY.search(text[max(match.start() - 2, 0) : match.start()]):
        unit = MONEY
    elif found := _UNIT_AFTER.match(rest):
        word = (found[1] or found[2] or found[3]).lower().replace(" ", "")
        if word in UNITS:
            unit, factor = UNITS[word]
            amount, end = round(amount * factor, 6), match.end() + found.end()
        elif found.start(1) == 0 and match[0][-1].isdecimal():
            return None  # 1Password is a name
        elif word not in NO_UNIT:
            unit = unit_lemma(word)
    elif found := _MEASURE_AFTER.match(rest):
        unit = unit_lemma(found[1]) if found[1] else found[0].strip()
        end = match.end() + (found.start(1) if found[1] else found.end())
    if rate := _RATE.match(text[end:]):
        amount, unit = round(amount * TIMES_A_YEAR[rate[1].lower().rstrip("s")], 3), f"{unit}{_A_YEAR}"
        end += rate.end()
    return Value("number", (amount,), unit, text[match.start() : end].strip(), match.start(), end)


def sum_of(value: Value) -> Value | None:
    """A sum of money without the time it is for: `1450 euros a month` are 1450 euros; None for what names no time."""
    rate = _RATE.search(value.said) if value.unit == f"{MONEY}{_A_YEAR}" else None
    if rate is None:
        return None
    amount = round(float(value.key[0] or 0) / TIMES_A_YEAR[rate[1].lower().rstrip("s")], 2)
    return Value(value.kind, (amount,), MONEY, value.said[: rate.start()], value.start, value.start + rate.start())


def read_profession(match: re.Match[str], _text: str) -> Value:
    """What somebody is by trade."""
    word = match["job"].lower()
    return Value("profession", (PROFESSIONS[word],), "", match["job"], match.start("job"), match.end("job"))


def read_ordinal(match: re.Match[str], text: str) -> Value | None:
    """A place in a row, and of what."""
    place = number(match["n"] or match["n2"] if "n2" in match.re.groupindex else match["n"])
    after = re.match(r"\s+([A-Za-z]+)|([楼层])", text[match.end() :])
    word = ((after[1] or after[2]) if after else "").lower()
    return made("ordinal", (place,), match, unit_lemma(word) if word not in NO_UNIT else "")
