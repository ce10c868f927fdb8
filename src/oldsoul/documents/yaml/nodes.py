"""The nodes of a YAML text, each with its place in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Path: TypeAlias = "tuple[str | int, ...]"
"""The way to a node: keys as they are written, and numbers of list items."""

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,63})")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,64}|[0-9]{1,64}(?:\.[0-9]{0,64})?)(?:[eE][-+]?[0-9]{1,4})?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]")
_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


def position(text: str, place: int) -> tuple[int, int]:
    """The line and the column of a place in a text, both from 1."""
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


class Problem(NamedTuple):
    """Why a text cannot be read."""

    message: str
    """what is wrong, and what to do"""
    line: int
    """where, from 1"""
    column: int = 1
    """where in that line, from 1"""


class Scalar(NamedTuple):
    """A single value."""

    text: str
    """what it says, without quotes"""
    style: str
    """empty when plain, else the sign it begins with: ' " | or >"""
    start: int
    """its first character's place in the text"""
    end: int
    """the place after its last one"""
    line: int
    """its first line, from 1"""

    @property
    def value(self) -> bool | float | str | None:
        """The value as YAML 1.2 means it: true, false, null and decimal numbers when unquoted, else text."""
        if self.style:
            return self.text
        if self.text in _WORDS:
            return _WORDS[self.text]
        if _INT.fullmatch(self.text):
            return int(self.text)
        if _FLOAT.fullmatch(self.text) and not _LEADING_ZERO.match(self.text):
            return float(self.text)
        return self.text

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written there at all."""
        return self.start == self.end


class Sequence(NamedTuple):
    """A list."""

    items: tuple[Node, ...]
    flow: bool
    """whether it is written in brackets"""
    start: int
    end: int
    line: int


class Pair(NamedTuple):
    """A key with its value."""

    key: Scalar
    value: Node

    @property
    def end(self) -> int:
        """The place after it."""
        return max(self.key.end, self.value.end)


class Mapping(NamedTuple):
    """Keys with their values, in the order they are written; a key written twice is there twice."""

    pairs: tuple[Pair, ...]
    flow: bool
    """whether it is written in braces"""
    start: int
    end: int
    line: int

    def get(self, key: str) -> Pair | None:
        """The pair with that key, the last one when there are several."""
        return next((pair for pair in reversed(self.pairs) if pair.key.text == key), None)

    def repeated(self) -> Iterator[tuple[Pair, Pair]]:
        """Pairs whose key was written before, each after the earlier one."""
        seen: dict[str, Pair] = {}
        for pair in self.pairs:
            if pair.key.text in seen:
                yield seen[pair.key.text], pair
            seen[pair.key.text] = pair


Node: TypeAlias = Scalar | Sequence | Mapping
