"""Lists of words by language that lie beside this file: a line is a code, a kind, and what there is of it."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def word_list(file: str) -> dict[str, dict[str, str]]:
    """What a list says of each language, by kind."""
    found: dict[str, dict[str, str]] = {}
    for line in resources.files("oldsoul").joinpath("language", file).read_text("utf-8").splitlines():
        head, _, said = line.partition(": ")
        code, kind = head.split()
        found.setdefault(code, {})[kind] = said
    return found
