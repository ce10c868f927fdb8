"""A lexicon of everyday things: how English, Chinese and Japanese call them."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

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


def parts(text: str, known: Container[str]) -> Iterator[str]:
    """A text without spaces as the longest known words there are, from left to right; what lies between gives nothing."""
    at, unknown = 0, False
    while at < len(text):
        size = next((n for n in range(_LONGEST, 0, -1) if text[at : at + n] in known), 0)
        if size or not unknown:
            yield text[at : at + size]
        unknown = not size
        at += size or 1
