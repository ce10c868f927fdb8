"""The words of a text, as they are compared: in look-ups, for similarity, in any script."""

from __future__ import annotations

import re
import unicodedata

_RUN = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)


_HANGUL = re.compile("[\uac00-\ud7af]+")
_SPACED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


def plain_words(text: str) -> list[str]:
    """The runs of letters and digits of an ASCII text, as they are; three times as fast as by a pattern."""
    return text.translate(_SPACED).split()  # a string is a table too, and the fastest


def words(text: str) -> list[str]:
    """The words in order, in one form whatever their case or width.

    Scripts without spaces give their pairs of neighbouring characters; a character that stands alone gives itself.
    """
    found: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        start = 0
        for unspaced in _UNSPACED.finditer(run):
            if unspaced.start() > start:
                found.append(run[start : unspaced.start()])
            found += _pairs(unspaced[0])
            start = unspaced.end()
        if start < len(run):
            found.append(run[start:])
    return found


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def paired(text: str) -> list[str]:
    """As `words`; of Korean words the pairs too, since what belongs to them is written on to their ends."""
    found: list[str] = []
    for word in words(text):
        found += _pairs(word) if _HANGUL.fullmatch(word) else [word]
    return found


def is_paired(text: str) -> bool:
    """Whether a text begins with a character of a script whose words are looked for by their pairs of characters."""
    return is_unspaced(text) or _HANGUL.match(text) is not None


def is_unspaced(text: str) -> bool:
    """Whether a text begins with a character of a script that puts no spaces between words."""
    return _UNSPACED.match(text) is not None


def is_foreign(text: str) -> bool:
    """Whether a text says most in letters that are not Latin; where words are not spaced, a letter says as much as three."""
    if text.isascii():
        return False
    letters = [char for char in text if char.isalpha()]
    others = [char for char in letters if char > "\u024f"]
    return len(others) + 2 * sum(map(is_paired, others)) > len(letters) - len(others)


def indexed(text: str) -> list[str]:
    """What a look-up must find a text by: its words, and every single character of scripts without spaces."""
    found = words(text)
    pairs = (word for word in found if len(word) > 1 and not word.isascii())
    return [*found, *dict.fromkeys(char for word in pairs for char in word if _UNSPACED.match(char))]
