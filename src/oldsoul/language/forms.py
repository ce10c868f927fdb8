"""Forms of the language files: patterns in which words of a list stand as `{slot}`, and lists of what words mean."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SLOT = re.compile(r"\{([a-z]+)\}")
_LETTERS = {code: unicodedata.normalize("NFD", chr(code))[0] for code in range(0xC0, 0x460)}
_PLAIN = {
    **_LETTERS,
    **{ord(char): meant for char, meant in {"ı": "i", "ł": "l", "ø": "o", "ß": "s", "’": "'"}.items()},
}
"""Letters with an accent, Latin and Cyrillic, and some that have one of their own, with the letter they stand for."""


def plain(text: str) -> str:
    """A text in small letters without accents, as long as it was."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(char.lower()[0] for char in text)
    return unaccented(low)


def unaccented(low: str) -> str:
    """A text in small letters, or a form of the language files, without accents, as long as it was."""
    return low if low.isascii() else low.translate(_PLAIN)


def meanings(listed: str) -> dict[str, float]:
    """What words mean, from a list such as `-1 yesterday,last night | 0 today`."""
    entries = (entry.strip().partition(" ") for entry in listed.split("|") if entry.strip())
    return {word: float(meant) for meant, _, words in entries for word in words.split(",")}


def named(listed: str) -> dict[str, str]:
    """What words stand for, from a list such as `EUR euro,euros | USD dollar`."""
    entries = (entry.strip().partition(" ") for entry in listed.split("|") if entry.strip())
    return {word: meant for meant, _, words in entries for word in words.split(",")}


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, which are patterns too, the longest first; without any, one that finds nothing."""
    return "|".join(sorted(words, key=len, reverse=True)) or "(?!)"


def filled(form: str, slots: Mapping[str, str], *, edges: bool) -> str:
    """A form as a pattern: its slots filled, and nothing but the edge of a word on either side of it where edges count."""
    pattern = SLOT.sub(lambda slot: slots[slot[1]], form)
    return rf"(?<!\w)(?:{pattern})(?!\w)" if edges else pattern


@cache
def words_pattern(listed: str, *, edges: bool) -> re.Pattern[str]:
    """Finds any word or phrase of a list with commas between, in a plain text."""
    return re.compile(filled(any_of(unaccented(listed).split(",")), {}, edges=edges))


def any_listed(listed: str) -> str:
    """A pattern for any of the patterns of a list with bars between."""
    return "|".join(listed.split(" | "))
