"""Lines put together as pieces, up to a size in tokens."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from oldsoul.language.sentences import parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oldsoul.values.recall import Chunk


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: four characters of Latin letters, one of other scripts."""
    wide = sum(char > "\u2e7f" for char in text) if not text.isascii() else 0
    return wide + (len(text) - wide + 3) // 4


def piece_of(base: Chunk, lines: Sequence[tuple[int, str]]) -> Chunk:
    """Lines, or parts of them, as one piece."""
    whole = "\n".join("".join(part for _, part in parts) for _, parts in groupby(lines, itemgetter(0)))
    return replace(base, start_line=lines[0][0], end_line=lines[-1][0], text=whole.strip())


def parts_of(line: str, most: int) -> Iterator[str]:
    """A line in parts of so many tokens at most: whole, or its sentences, or what there is of them between words."""
    if estimated_tokens(line) <= most:
        if line.strip():
            yield line
        return
    for sentence in parts(line):
        yield from _halves(sentence, most)


def _halves(text: str, most: int) -> Iterator[str]:
    """A text cut in two as often as it takes, between words where there are any."""
    if estimated_tokens(text) <= most:
        if text.strip():
            yield text
        return
    middle = len(text) // 2
    middle = text.rfind(" ", middle // 2, middle) + 1 or middle
    yield from _halves(text[:middle], most)
    yield from _halves(text[middle:], most)


def last_of(lines: Sequence[tuple[int, str]], most: int) -> list[tuple[int, str]]:
    """The last lines of a piece that the next one begins with."""
    kept: list[tuple[int, str]] = []
    size = 0
    for number, line in reversed(lines[1:]):
        size += estimated_tokens(line)
        if size > most:
            break
        kept.insert(0, (number, line))
    return kept
