"""Cues of the languages: phrases with slots that stand in the language files, made into patterns when first asked for.

A line of a language file lists phrases with ` | ` between them. In a phrase `{x}` is what the phrase is about, another
`{kind}` stands for any word or phrase of that line of the same section, `…` for a few words, and a space for any space;
`^` in front holds it to the beginning. The rest is a regular expression. A phrase begins and ends with whole words.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.language.word_lists import ANY, word_list
from oldsoul.lazy import pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """Whether words that begin or end with a letter stand apart from others."""
    return char.isalpha() and not _UNSPACED.match(char)
