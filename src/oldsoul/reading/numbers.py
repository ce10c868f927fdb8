"""What numbers come to: in figures, with either mark for the decimals, and in words of the language files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from oldsoul.language.cues import any_of, meanings, unaccented
from oldsoul.language.languages import ENGLISH
from oldsoul.language.lexicon import word_list
from oldsoul.values.frozen import frozen

FIGURES = r"\d+(?:[.,]\d+)*(?:[\u00a0\u202f’']\d{3})*"
"""A number in figures, with marks for its thousands and decimals."""
_GAP = re.compile(r"[\u00a0\u202f’' ]")
_GROUPS = re.compile(r"[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*")
_ENDLESS = 1e100
_THOUSAND, _TEN_THOUSAND = 1_000, 10_000


@frozen
class Numerals:
    """The number words of a language."""

    words: Mapping[str, float]
    """What each comes to, ordinals too."""
    scales: Mapping[str, float]
    """What multiplies the words before it: hundred."""
    joined: bool
    """Whether it writes them without spaces."""
    pattern: str
    """Finds a number in words."""


@cache
def numerals(code: str) -> Numerals:
    """The number words of a language; none where nobody wrote them down."""
    own = word_list("number").get(code, {})
    words, scales, ordinals = (meanings(unaccented(own.get(kind, ""))) for kind in ("words", "scales", "ordinals"))
    joined = any(len(word) == 1 and word > "\u2fff" for word in words)
    one = any_of(words)
    pattern = f"(?:{any_of((*words, *scales))})+" if joined else f"(?:{one})(?:[- ](?:{any_of((*words, *scales))}))*"
    return Numerals({**words, **ordinals}, scales, joined, pattern)


def number(text: str, code: str = ENGLISH, *, comma: bool = False, money: bool = False) -> float | None:
    """What a number comes to, in figures, in words of a language or in Chinese characters; None for what is none.

    With a comma for the decimals, as many languages have it, a point is between thousands; in a sum of money a mark
    with three figures after it always does.
    """
    text = text.strip().lower()
    if text[:1].isdecimal():
        return _figures(_GAP.sub("", text), comma=comma, money=money)
    own = numerals(code)
    if own.joined or not text.isascii():
        own = own if own.joined else numerals("zh")
        return _joined(text, own)
    return _worded(re.split(r"[- ]+", unaccented(text)), own)


def _figures(text: str, *, comma: bool, money: bool) -> float | None:
    point = "," if comma else "."
    if "," in text and "." in text:
        point = max(",.", key=text.rindex)
    elif grouped := _GROUPS.fullmatch(text):
        more = text.count(grouped[1]) > 1
        point = "" if money or more or grouped[1] != point else point
    elif "," in text or "." in text:
        point = "," if "," in text else "."
    plain = "".join("." if char == point else char for char in text if char == point or char.isdecimal())
    try:
        found = float(plain)
    except ValueError:
        return None
    return found if found < _ENDLESS else None


def _worded(words: list[str], own: Numerals) -> float | None:
    total = part = 0.0
    for word in words:
        if word in own.words:
            part += own.words[word]
        elif word in own.scales:
            part = max(part, 1) * own.scales[word]
            if own.scales[word] >= _THOUSAND:
                total, part = total + part, 0
        else:
            return None
    return total + part if words else None


def _joined(text: str, own: Numerals) -> float | None:
    """A number in Chinese characters: 三千二 is 3200, 十五万 150000."""
    total = part = digit = 0.0
    last = 1.0
    for char in text:
        scale = own.scales.get(char, 10.0 if own.words.get(char) == 10 else 0.0)  # noqa: PLR2004 - 十 is both
        if scale >= _TEN_THOUSAND:
            total, part, digit, last = (total + part + digit) * scale, 0, 0, scale
        elif scale:
            part, digit, last = part + max(digit, 1) * scale, 0, scale
        elif char in own.words:
            digit, last = own.words[char], last if own.words[char] else 1
        else:
            return None
    if digit and last >= 100:  # noqa: PLR2004 - 三千二 is 3200
        digit *= last // 10
    return total + part + digit if text else None
