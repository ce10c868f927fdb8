"""A sentence that states one fact, read as a slot: about whom or what, which attribute, which value, denied or not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from oldsoul.language.languages import ENGLISH, bare, detected_language, little_words
from oldsoul.language.lexicon import ANY, word_list
from oldsoul.language.words import FAMILY, clusters, is_foreign, is_unspaced, stem
from oldsoul.reading.typed_values import Value, typed_values
from oldsoul.values.frozen import frozen

SECTION = "conflict"
"""The section of the language files that this reads."""
_BULLET = re.compile(r"^\s*(?:[-*+•]\s+|#+\s+|\d+[.)]\s+)?")
_MARKS = re.compile(r"[*_`~]{1,3}|(?<=\s)#\w+|<!--.*?-->|\(added [^)]*\)\s*$")
_STAMP = re.compile(r"^\s*[\[(]?\d{4}-\d{2}-\d{2}[^\w\s]?(?:\s\d\d:\d\d)?[\])]?:?\s+")
_RUN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_COLON = re.compile(r"\s*[:：](?=\s|[^\d\s])")
_SIGNS = ("not", "past", "did", "once", "also", "other", "self", "plan", "part", "changed")
_LONGEST = 240
"""A line of more characters states more than one fact."""
_KIN = 4
"""Words of which so many letters are the same at their beginning may be forms of one word."""
_CAPITALISED = ("de",)
"""Languages that write other words than names with a capital."""


@frozen
class Statement:
    """What a line states."""

    text: str
    """the line without marks and stamp"""
    stamp: str
    """the date that is before it"""
    content: tuple[str, ...]
    """the forms of the words that say something, in order, without values and what names an attribute"""
    said: tuple[str, ...]
    """the same words as they are written"""
    names: frozenset[str]
    """those forms that are written like names"""
    before: frozenset[str]
    """those of them that are before the verb: about whom or what it is; empty for whoever the memory is about"""
    after: frozenset[str]
    """those of them that are after it: the value, where it has no type; empty where no such verb is known"""
    verb: str
    """the verb: `is`, one of the one-valued verbs, or nothing"""
    attributes: frozenset[str]
    """what it names or asks for that there is one of, such as a home or a birthday"""
    sides: frozenset[str]
    """which side of a thing it is about: the way out or back, with or without"""
    states: frozenset[tuple[str, str]]
    """words that exclude others of their kind, each with the kind: married, single"""
    values: tuple[Value, ...]
    """its typed values in order"""
    negated: bool
    """whether it says that something is not so"""
    signs: frozenset[str]
    """how it is said: `asks`, and what `_SIGNS` names"""
    code: str
    """the language it is in"""


@frozen
class _SlotWords:
    """What a language lists for reading slots."""

    light: frozenset[str]
    """words that say nothing of a slot"""
    people: frozenset[str]
    """words for people by what they are to somebody: a brother is as good as a name"""
    signs: tuple[tuple[str, re.Pattern[str]], ...]
    """how a line is said"""
    verbs: tuple[tuple[str, re.Pattern[str]], ...]
    """verbs with one value after them, by what they ask for; `is` last"""
    attributes: tuple[tuple[str, re.Pattern[str]], ...]
    """nouns for what there is one of"""
    sides: tuple[tuple[str, re.Pattern[str]], ...]
    """words for sides of a thing"""
    states: tuple[tuple[str, re.Pattern[str]], ...]
    """words that exclude others of their kind"""


@lru_cache(maxsize=1 << 12)
def statement(line: str, code: str = "") -> Statement | None:
    """What a line states, read in a language, its own if none is given; None where it is too long for one fact."""
    plain = _BULLET.sub("", unicodedata.normalize("NFKC", line))
    stamp = _STAMP.match(plain)
    text = _MARKS.sub("", plain[stamp.end() :] if stamp else plain).strip()
    if not text or len(text) > _LONGEST:
        return None
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    code = code or _spoken(text, low)
    listed = _listed(code)
    values = tuple(typed_values(text))
    verb, at, end = _verb(low, listed)
    tables = (listed.attributes, listed.signs, listed.sides, listed.states)
    attributes, signs, sides, states = (_named(low, each) for each in tables)
    spans = [
        *attributes,
        *sides,
        *states,
        *(sign for sign in signs if sign[0] == "not"),
        *([(verb, at, end)] if verb else []),
    ]
    covered = [*((value.start, value.end) for value in values), *((start, stop) for _, start, stop in spans)]
    found = [word for word in _words(text, code, listed) if not any(s <= word.start < e for s, e in covered)]
    after = frozenset(word.form for word in found if verb and word.start >= end)
    how = {name for name, _, _ in signs} | ({"asks"} if "?" in text else set())
    return Statement(
        text=text,
        stamp=stamp[0].strip() if stamp else "",
        content=tuple(word.form for word in found),
        said=tuple(word.said for word in found),
        names=frozenset(word.form for word in found if word.is_name),
        before=frozenset(word.form for word in found if verb and word.start < at),
        after=after,
        verb=verb,
        attributes=frozenset(name for name, _, _ in attributes) | ({verb} - {"", "is"} if after else frozenset()),
        sides=frozenset(name for name, _, _ in sides),
        states=frozenset((name, low[start:stop]) for name, start, stop in states),
        values=values,
        negated="not" in how,
        signs=frozenset(how),
        code=code,
    )


def shared(one: Iterable[str], other: Iterable[str], *, by_prefix: bool) -> frozenset[str]:
    """Which words of one line are in the other too; with `by_prefix`, also in another form with the same beginning."""
    theirs = frozenset(other)
    return frozenset(
        word for word in one if word in theirs or (by_prefix and any(has_common_prefix(word, each) for each in theirs))
    )


def has_common_prefix(one: str, other: str) -> bool:
    """Whether two words may be forms of one: the most of both is the same from the beginning."""
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same >= _KIN and 3 * same >= 2 * max(len(one), len(other))


def _spoken(text: str, low: str) -> str:
    """The language of a short line: the one with the most of its little words, verbs and attributes here."""
    detected = detected_language(text)
    runs = _RUN.findall(low)
    if is_foreign(text) or not runs:
        return detected or ENGLISH
    latin = [code for code, kinds in word_list(SECTION).items() if code != ANY and not is_foreign(kinds["light"])]
    counts = {code: _count(low, runs, code) for code in latin}
    return max(counts, key=lambda code: (counts[code], code == detected, code == ENGLISH))


def _count(low: str, runs: list[str], code: str) -> int:
    listed = _listed(code)
    phrases = [name for name, _, _ in _named(low, (*listed.verbs, *listed.attributes)) if name != "is"]
    return sum(run in listed.light for run in runs) + 2 * len(phrases)


def _verb(low: str, listed: _SlotWords) -> tuple[str, int, int]:
    """The first verb that a language lists, or the colon after what a line is about, and where it is."""
    found = _named(low, listed.verbs)
    own = [each for each in found if each[0] != "is"]
    colon = _COLON.search(low)
    if colon:
        found.append(("is", *colon.span()))
    return min(own or found, key=lambda each: each[1], default=("", 0, 0))


def _named(low: str, patterns: Iterable[tuple[str, re.Pattern[str]]]) -> list[tuple[str, int, int]]:
    """What of a table is in a text, by name, and where."""
    return [(name, match.start(), match.end()) for name, pattern in patterns for match in pattern.finditer(low)]


class _SlotWord(NamedTuple):
    start: int
    said: str
    form: str
    is_name: bool


def _words(text: str, code: str, listed: _SlotWords) -> list[_SlotWord]:
    """The words of a text that say something; where words are not spaced, each character is one."""
    found: list[_SlotWord] = []
    for run in _RUN.finditer(text):
        if not run[0].isascii() and any(map(is_unspaced, run[0])):
            at = run.start()
            for char in clusters(run[0]):
                if char not in listed.light and char.isalnum():
                    found.append(_SlotWord(at, char, char.casefold(), is_name=False))
                at += len(char)
            continue
        parts = run[0].split("-")
        whole = any(part.casefold() in listed.light or part.isdecimal() for part in parts)  # check-in, web-1
        at = run.start()
        for part in [run[0]] if whole else parts:
            low = part.casefold()
            is_label = any(map(str.isdecimal, part))
            is_name = is_label or low in listed.people or (at > 0 and not part.islower() and code not in _CAPITALISED)
            if is_name or not (low in listed.light or bare(low) in listed.light):
                found.append(_SlotWord(at, part, _form(low, code), is_name))
            at += len(part) + 1
    return found


def _form(word: str, code: str) -> str:
    if code != ENGLISH:
        return bare(word)
    cut = stem(word)
    return FAMILY.get(word) or FAMILY.get(cut, cut)


@cache
def _listed(code: str) -> _SlotWords:
    """What is listed for a language, with what holds in all."""
    lists = word_list(SECTION)
    kinds = [lists[each] for each in (ANY, code) if each in lists]
    light = little_words(code) | {word for each in kinds for word in each.get("light", "").split()}
    groups = {
        kind: _groups(each.get(kind, "") for each in kinds) for kind in ("verbs", "attributes", "sides", "states")
    }
    return _SlotWords(
        light=light | {bare(word) for word in light},
        people=frozenset(word for each in kinds for word in each.get("people", "").split()),
        signs=tuple(_groups(f"{sign} {each[sign]}" for each in kinds for sign in _SIGNS if sign in each)),
        verbs=tuple(groups["verbs"]),
        attributes=tuple(groups["attributes"]),
        sides=tuple(groups["sides"]),
        states=tuple(groups["states"]),
    )


def _groups(lines: Iterable[str]) -> list[tuple[str, re.Pattern[str]]]:
    """`home live in, lives in | name called`: patterns by name, each of any of its phrases as whole words."""
    found = []
    for group in (group for line in lines if line for group in line.split(" | ")):
        name, _, phrases = group.strip().partition(" ")
        found.append((name, _any_of([each.strip() for each in phrases.split(",")])))
    return found


def _any_of(phrases: list[str]) -> re.Pattern[str]:
    """Any of the phrases; where words are spaced each is between others, and a `*` is for any end of a word."""
    ordered = sorted(filter(None, phrases), key=len, reverse=True)
    spaced = "|".join(_pattern(phrase) for phrase in ordered if not is_unspaced(phrase))
    parts = [_pattern(phrase) for phrase in ordered if is_unspaced(phrase)]
    return re.compile("|".join([rf"(?<!\w)(?:{spaced})(?!\w)", *parts] if spaced else parts))


def _pattern(phrase: str) -> str:
    return re.escape(phrase).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")
