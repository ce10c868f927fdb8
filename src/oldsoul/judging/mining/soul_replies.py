"""What can be seen of a reply by rules that can hardly be wrong: its form, its length, its language."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.language.words import words

if TYPE_CHECKING:
    from collections.abc import Callable


class Trait(NamedTuple):
    """Something that can be seen of a reply."""

    rule: str
    """what it is by the table"""
    has: Callable[[str], bool]
    """whether a reply has it"""


def _count(pattern: str) -> Callable[[str], int]:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: len(compiled.findall(text))


_bullets = _count(r"^\s*[-*•]\s+\S")
_rows = _count(r"^\s*\|.*\|\s*$")
_heads = _count(r"^#{1,6}\s+\S")
_LONG, _SHORT, _SEVERAL = 250, 40, 3


def is_emoji(char: str) -> bool:
    """Whether a character is a small picture."""
    return ord(char) >= 0x2190 and unicodedata.category(char) == "So" and not 0x2500 <= ord(char) <= 0x25FF  # noqa: PLR2004 - arrows on; lines and boxes are no faces


TRAITS = (
    Trait("emojis:yes", lambda text: any(map(is_emoji, text))),
    Trait("exclamation:yes", lambda text: "!" in text or "！" in text),
    Trait("lists:yes", lambda text: _bullets(text) >= _SEVERAL),
    Trait("tables:yes", lambda text: _rows(text) >= _SEVERAL),
    Trait("headings:yes", lambda text: _heads(text) >= 1),
    Trait(
        "apologies:yes",
        lambda text: re.search(r"(?i)\b(?:i apologi[sz]e|my apologies|i'?m (?:so |very )?sorry)\b", text) is not None,
    ),
    Trait(
        "flattery:yes",
        lambda text: re.match(r"(?i)\W*(?:what an? )?(?:great|good|excellent|wonderful) question\b", text) is not None,
    ),
    Trait("length:yes", lambda text: len(words(text)) > _LONG),
    Trait("length:no", lambda text: 0 < len(words(text)) <= _SHORT),
)
"""What a reply shows, by rules that can hardly be wrong."""

_TELLING = {
    "english": frozenset(words("the and you that with this have for are not your but was from they what will there")),
    "german": frozenset(words("der die das und ist nicht ich du sie mit auf für ein eine den dem auch wird noch aber")),
    "french": frozenset(words("le la les et est pas je vous que des une dans pour avec sur mais nous ce")),
    "spanish": frozenset(words("el los las y es no que una para con por su pero como más está muy del")),
    "italian": frozenset(words("il gli che non una per con sono della anche ma più questo di è nel")),
    "portuguese": frozenset(words("os as que não uma para com por mas como mais está muito do da em é")),
    "dutch": frozenset(words("de het een en niet ik je dat met voor zijn op maar ook van wordt nog")),
}
_FEWEST_TELLING = 4
_SCRIPTS = {"chinese": ("一", "鿿"), "japanese": ("぀", "ヿ"), "russian": ("Ѐ", "ӿ")}


def language_of(text: str) -> str:
    """The language of a reply, where its small words or its letters leave no doubt; else empty."""
    letters = [char for char in text if char.isalpha()]
    for name, (first, last) in (("japanese", _SCRIPTS["japanese"]), *_SCRIPTS.items()):
        if letters and sum(first <= char <= last for char in letters) > len(letters) * (
            0.1 if name == "japanese" else 0.5
        ):
            return name
    found = [word.strip(".,:;!?()\"'") for word in text.casefold().split()]
    counts = sorted(((sum(word in small for word in found), name) for name, small in _TELLING.items()), reverse=True)
    (most, name), (second, _) = counts[:2]
    return name if most >= _FEWEST_TELLING and most >= 2 * second else ""


def goes_against(rule: str, reply: str) -> bool:
    """Whether a reply plainly does what a principle says not to do."""
    kind, _, stance = rule.partition(":")
    if kind == "language":
        spoken = language_of(reply)
        return bool(spoken) and spoken != stance
    return stance == "no" and any(trait.has(reply) for trait in TRAITS if trait.rule == f"{kind}:yes")
