"""Cues of the languages: phrases with slots that are in the language files, made into patterns when first asked for.

A line of a language file lists phrases with ` | ` between them. In a phrase `{x}` is what the phrase is about, another
`{kind}` stands for any word or phrase of that line of the same section, `…` for a few words, and a space for any space;
`^` in front holds it to the beginning. The rest is a regular expression. A phrase begins and ends with whole words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from oldsoul.language.lexicon import ANY, word_list
from oldsoul.lazy import pattern

SLOT = re.compile(r"\{([a-z]+)\}")
_LETTERS = {code: unicodedata.normalize("NFD", chr(code))[0] for code in range(0xC0, 0x460)}
_PLAIN = {
    **_LETTERS,
    **{ord(char): meant for char, meant in {"ı": "i", "ł": "l", "ø": "o", "ß": "s", "’": "'"}.items()},
}
"""Letters with an accent, Latin and Cyrillic, and some other letters, with the letter they stand for."""


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


_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "´": "'"})
_SLOT = re.compile(r"\{([a-z_]+)\}")
_SYNTAX = re.compile(r"\(\?-?i?[:=!]|\(\?<[=!]|\(\?P<x>|\\[a-zA-Z]")
_NEVER = re.compile(r"(?!)")
_UNSPACED = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def straight(text: str) -> str:
    """The text with one kind of apostrophe; every character stays where it is."""
    return text.translate(_STRAIGHT)


@cache
def codes(section: str) -> tuple[str, ...]:
    """The languages that have cues of a section."""
    return tuple(code for code in word_list(section) if code != ANY)


@cache
def cue(section: str, kind: str, code: str) -> re.Pattern[str]:
    """Finds a phrase of this kind in a text with straight apostrophes; `about` tells what it is about."""
    kinds = word_list(section).get(code, {})
    if kind not in kinds:
        return _NEVER
    phrases = [_phrase(phrase, number, kinds) for number, phrase in enumerate(kinds[kind].split(" | "))]
    return re.compile("|".join(phrases), re.IGNORECASE)


@cache
def any_cue(section: str, kind: str) -> re.Pattern[str]:
    """The same for the phrases of all languages."""
    found = [cue(section, kind, code).pattern for code in codes(section) if kind in word_list(section)[code]]
    numbered = (pattern.replace("(?P<x", f"(?P<x{number}_") for number, pattern in enumerate(found))
    return re.compile("|".join(numbered), re.IGNORECASE) if found else _NEVER


def about(match: re.Match[str]) -> tuple[int, int]:
    """Where what a phrase is about begins and ends; all of the match for a phrase without a slot."""
    found = next((name for name, said in match.groupdict().items() if said is not None), 0)
    return match.span(found)


def listed(section: str, kind: str, code: str) -> list[str]:
    """The phrases of a line as they are written."""
    return [item for item in word_list(section).get(code, {}).get(kind, "").split(" | ") if item]


def _phrase(phrase: str, number: int, kinds: Mapping[str, str]) -> str:
    first = phrase.startswith("^")
    body = _SLOT.sub(lambda slot: _filled(slot[1], number, kinds), phrase.removeprefix("^").strip())
    body = body.replace("(?P<x>", f"(?P<x{number}>")
    body = body.replace(" … ", r"\s+(?:\S+\s+){0,4}?").replace("…", ".{0,12}?").replace(" ", r"\s+")
    letters = [char for char in _SYNTAX.sub("", phrase) if char.isalpha()] or [" "]
    begins = r"^\s*" if first else r"(?<!\w)" if _is_spaced(letters[0]) else ""
    ends = r"(?!\w)" if _is_spaced(letters[-1]) and phrase[-1] not in "}.*+" else ""
    return f"{begins}(?:{body}){ends}"


def _filled(kind: str, number: int, kinds: Mapping[str, str]) -> str:
    if kind == "x":
        return rf"(?P<x{number}>\S.*)"
    return f"(?:{'|'.join(kinds[kind].split(' | '))})"


def _is_spaced(char: str) -> bool:
    """Whether words that begin or end with a letter need a boundary to other words."""
    return char.isalpha() and not _UNSPACED.match(char)
