"""The words and forms that a language has for values, read from its file."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.language.forms import any_of, filled, meanings, named, unaccented
from oldsoul.language.word_lists import ANY, word_list
from oldsoul.reading.numbers import FIGURES, numerals
from oldsoul.reading.times import words_of
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    """What stands before a date in figures."""


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
