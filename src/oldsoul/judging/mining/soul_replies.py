"""What can be seen of a reply by rules that can hardly be wrong: its form, its length, its language."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from oldsoul.judging.mining.soul import Principle, by_rule, tongues
from oldsoul.language.cues import cue, straight
from oldsoul.language.languages import language_told
from oldsoul.language.words import words

if TYPE_CHECKING:
    from collections.abc import Callable

_BULLET = re.compile(r"^\s*[-*•]\s+\S", re.MULTILINE)
_ROW = re.compile(r"^\s*\|.*\|\s*$", re.MULTILINE)
_HEAD = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
_LONG, _SHORT, _SEVERAL = 250, 40, 3
_FEWEST_TOLD = 5
_CODES = {
    "english": "en",
    "german": "de",
    "french": "fr",
    "spanish": "es",
    "italian": "it",
    "portuguese": "pt",
    "dutch": "nl",
    "chinese": "zh",
    "japanese": "ja",
    "russian": "ru",
}


def is_emoji(char: str) -> bool:
    """Whether a character is a small picture."""
    return ord(char) >= 0x2190 and unicodedata.category(char) == "So" and not 0x2500 <= ord(char) <= 0x25FF  # noqa: PLR2004 - arrows on; lines and boxes are no faces


def _says(kind: str) -> Callable[[str], bool]:
    return lambda text: cue("soul", kind, "en").search(straight(text)) is not None


TRAITS: dict[str, Callable[[str], bool]] = {
    "emojis:yes": lambda text: any(map(is_emoji, text)),
    "exclamation:yes": lambda text: "!" in text or "！" in text,
    "lists:yes": lambda text: len(_BULLET.findall(text)) >= _SEVERAL,
    "tables:yes": lambda text: len(_ROW.findall(text)) >= _SEVERAL,
    "headings:yes": lambda text: _HEAD.search(text) is not None,
    "apologies:yes": _says("sorry"),
    "flattery:yes": _says("flattery"),
    "length:yes": lambda text: len(words(text)) > _LONG,
    "length:no": lambda text: 0 < len(words(text)) <= _SHORT,
}
"""What a reply shows, by rules that can hardly be wrong."""
_PRAISED = ("tables:yes", "lists:yes", "headings:yes")


def praised(reply: str) -> Principle | None:
    """What a reply that was praised did, where that is plain; None where it could be many things."""
    shape = [rule for rule in _PRAISED if TRAITS[rule](reply)]
    shown = shape or (["length:no"] if TRAITS["length:no"](reply) else [])
    return by_rule(shown[0]) if len(shown) == 1 else None


def goes_against(rule: str, reply: str) -> bool:
    """Whether a reply plainly does what a principle says not to do."""
    kind, _, stance = rule.partition(":")
    if kind == "language":
        spoken = language_told(reply) if len(words(reply)) >= _FEWEST_TOLD else ""
        wanted = _CODES.get(tongues().get(stance, stance).lower(), stance)
        return bool(spoken) and spoken != wanted
    return stance == "no" and f"{kind}:yes" in TRAITS and TRAITS[f"{kind}:yes"](reply)
