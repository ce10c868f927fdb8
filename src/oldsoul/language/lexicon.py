"""A lexicon of everyday things: how English, Chinese and Japanese call them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

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


ANY = "any"
"""The code of what holds in all languages."""
_FILE = re.compile(r"(any|[a-z]{2,3})\.txt")
_FOLDERS: list[Traversable] = []
_LINE = re.compile(r"([a-z]+) ([a-z_]+): (\S.*)")


def word_list(section: str) -> dict[str, dict[str, str]]:
    """What a section lists: for each language that has it, by code, the items by kind; under `any` what holds in all."""
    return _sections().get(section, {})


def read_also(folder: Traversable) -> None:
    """Have the languages of one more folder read too; to be called before any words are asked for."""
    _FOLDERS.append(folder)
    _sections.cache_clear()


def read_languages(*folders: Traversable) -> dict[str, dict[str, dict[str, str]]]:
    """What the files of some folders list, by section, code and kind.

    Languages come in the order that `languages order` of `any.txt` gives (of two that fit a text equally well the first is
    taken), the others after them by code. A line that has no such form, or is there twice, raises `ValueError`.
    """
    listed = (file for folder in folders for file in folder.iterdir())
    files = {found[1]: file for file in listed if (found := _FILE.fullmatch(file.name))}
    sections: dict[str, dict[str, dict[str, str]]] = {}
    if ANY in files:
        _read(files, ANY, sections)
    order = sections.get("languages", {}).get(ANY, {}).get("order", "").split()
    for code in (*(code for code in order if code in files), *sorted({*files} - {ANY, *order})):
        _read(files, code, sections)
    return sections


def _read(files: dict[str, Traversable], code: str, into: dict[str, dict[str, dict[str, str]]]) -> None:
    for line in files[code].read_text("utf-8").splitlines():
        if not line:
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            msg = f"{code}.txt: not `section kind: items`: {line[:80]}"
            raise ValueError(msg)
        section, kind, items = found.groups()
        kinds = into.setdefault(section, {}).setdefault(code, {})
        if kind in kinds:
            msg = f"{code}.txt: `{section} {kind}` is there twice"
            raise ValueError(msg)
        kinds[kind] = items


@cache
def _sections() -> dict[str, dict[str, dict[str, str]]]:
    return read_languages(resources.files("oldsoul").joinpath("language"), *_FOLDERS)
