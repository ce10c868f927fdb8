"""Names as they look: characters that look alike count as one (the skeleton of UTS 39), case, accents and marks do not."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from oldsoul.language.word_lists import word_list
from oldsoul.language.words import is_unspaced

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4096)
def looks(name: str) -> frozenset[str]:
    """How a name looks, as words: with and without what small letters and capitals look like.

    A capital I looks like a small l, and it is an I: a name looks like another where they share one of these.
    """
    plain = _seen(name)
    small, seen = plain.casefold(), _seen(_skeleton(plain)).casefold()
    return frozenset(" ".join(_WORD.findall(_skeleton(text))) for text in (small, seen))


def looks_like(name: str, others: Iterable[str], *, whole: bool = False) -> bool:
    """Whether a name looks like one of the others, however its letters are spaced, or has it among its words.

    With `whole`, the name alone counts and not its words.
    """
    mine = looks(name)
    joined = {look.replace(" ", "") for look in mine}
    for other in others:
        for theirs in filter(None, looks(other)):
            if theirs.replace(" ", "") in joined:
                return True
            edge = "" if is_unspaced(other) else " "
            if not whole and any(f"{edge}{theirs}{edge}" in f"{edge}{look}{edge}" for look in mine):
                return True
    return False


@lru_cache(maxsize=4096)
def is_role(name: str) -> bool:
    """Whether a name is one for nobody in particular, in a language we have: the operator, the system, you."""
    return looks_like(name, _roles("names")) or looks_like(name, _roles("alone"), whole=True)


@cache
def _roles(kind: str) -> tuple[str, ...]:
    lists = (kinds.get(kind, "") for kinds in word_list("role").values())
    return tuple(dict.fromkeys(name for listed in lists for name in listed.split(", ") if name))


def _seen(text: str) -> str:
    """A text without accents and without what nobody sees."""
    plain = unicodedata.normalize("NFKD", text)
    return plain if plain.isascii() else "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Me", "Cf"))


def _skeleton(text: str) -> str:
    return text.translate(_table())


@cache
def _table() -> dict[int, str]:
    """Characters with what they look like, as Unicode lists them (`bench/lookalikes.py` makes the table)."""
    lines = resources.files("oldsoul").joinpath("language", "lookalikes.txt").read_text("utf-8").split("\n")
    rows = (line.split("\t") for line in lines if "\t" in line)
    return {ord(char): target for target, chars in rows for char in chars}
