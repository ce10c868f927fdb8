"""Questions that no memory answers: asked of a store, they show what its scores look like when it knows nothing."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD = 2
"""A line of so many words names a language, and whom its questions are about where nobody is known."""


def foreign(people: Sequence[str], language: str) -> list[str]:
    """Questions in a language, with the names of those the store knows put in by turns; none in one nobody wrote them in."""
    anybody, lines = _listed().get(language, ("", []))
    names = list(people) or [anybody]
    return [line.format(name=names[at % len(names)]) for at, line in enumerate(lines)]


@cache
def _listed() -> dict[str, tuple[str, list[str]]]:
    """For each language whom questions are about where nobody is known, and the questions."""
    found: dict[str, tuple[str, list[str]]] = {}
    lines: list[str] = []
    for line in resources.files("oldsoul").joinpath("ranking", "foreign.txt").read_text("utf-8").splitlines():
        if "{name}" not in line and len(words := line.split()) == _HEAD:
            lines = []
            found[words[0]] = words[1], lines
        else:
            lines.append(line)
    return found
