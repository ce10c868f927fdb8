"""A lexicon of everyday things: how English, Chinese and Japanese call them."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from oldsoul.language.stemming import stem

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_WORD = re.compile(r"[a-z]+")
_LONGEST = 8
"""So many characters the longest words have that are looked for in a text without spaces."""


@cache
def concepts() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Every thing by its words: English, Chinese and Japanese."""
    lines = resources.files("oldsoul").joinpath("language", "lexicon.txt").read_text("utf-8").splitlines()
    return tuple(tuple(tuple(part.split(",")) for part in line.split(" | ")) for line in lines)


@lru_cache(maxsize=4096)
def things(text: str) -> frozenset[int]:
    """What a text names, in whatever language it does, as numbers."""
    english, others = _numbers()
    found = {number for word in _WORD.findall(text.lower()) for number in english.get(stem(word), ())}
    if not text.isascii():
        found.update(number for word in parts(text, others) for number in others.get(word, ()))
    return frozenset(found)


def parts(text: str, known: Container[str]) -> Iterator[str]:
    """A text without spaces as the longest known words there are, from left to right; what lies between gives nothing."""
    at, unknown = 0, False
    while at < len(text):
        size = next((n for n in range(_LONGEST, 0, -1) if text[at : at + n] in known), 0)
        if size or not unknown:
            yield text[at : at + size]
        unknown = not size
        at += size or 1


@cache
def _numbers() -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """The numbers of things by English stem, and by word of another language."""
    english: dict[str, list[int]] = {}
    others: dict[str, list[int]] = {}
    for number, (said, *elsewhere) in enumerate(concepts()):
        for word in said:
            english.setdefault(stem(word), []).append(number)
        for word in (word for some in elsewhere for word in some):
            others.setdefault(word, []).append(number)
    return {key: tuple(numbers) for key, numbers in english.items()}, {w: tuple(n) for w, n in others.items()}
