"""The static embedder: a table of word-piece vectors that comes with Oldsoul, with no model to run."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.errors import Damaged
from oldsoul.language.words import RUN, is_unspaced, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

NAME = "use-256"
"""What the index calls the vectors; another name means other vectors."""
_FOLDER = Path(__file__).parents[2] / "tables"
_WORD = re.compile(RUN)
_START = "▁"
_LONGEST = 64
_FEW = 64
"""Pieces that are looked for in the file before it is read."""
_CACHED = 50_000
"""Words whose pieces are remembered; past so many the memory is emptied."""


def _words(text: str) -> list[str]:
    """The words of a text; what is longer than they are is no word, and cutting it takes ever longer."""
    low = text.lower()
    return [word[:_LONGEST] for word in (plain_words(low) if low.isascii() else _WORD.findall(low))]


class _Known(dict[str, tuple[int, ...]]):
    """The pieces of the words that have been cut; another word is cut when it is asked for."""

    def __init__(self, pieces: _Pieces) -> None:
        super().__init__()
        self._pieces = pieces

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self[word] = self._pieces.cut(word)
        return found


class StaticTable:
    """Token numbers of texts, and the vectors of those numbers. Files are opened when first needed."""

    name = NAME

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder
        self._vectors: NDArray[np.int8] | None = None
        self._known: _Known | None = None

    @property
    def vectors(self) -> NDArray[np.int8]:
        """One row per token number, mapped from the file. Only directions count, so no scale belongs to it."""
        if self._vectors is None:
            path = self._folder / "vectors.npy"
            try:
                table = np.load(path, mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError):
                raise Damaged(f"{path} cannot be read; install Oldsoul again") from None
            if table.ndim != 2 or table.dtype != np.int8:  # noqa: PLR2004 - a table has two sides
                raise Damaged(f"{path} does not contain the expected table of vectors; install Oldsoul again")
            self._vectors = table.view(np.ndarray)
        return self._vectors

    def tokens(self, texts: Iterable[str]) -> list[list[int]]:
        """The token numbers of each text, in order; a text without words has none."""
        if self._known is None:
            path = self._folder / "pieces.txt"
            try:
                self._known = _Known(_Pieces(path.read_bytes()))
            except OSError:
                raise Damaged(f"{path} cannot be read; install Oldsoul again") from None
        if len(self._known) > _CACHED:
            self._known.clear()
        pieces = self._known.__getitem__
        return [list(chain.from_iterable(map(pieces, _words(text)))) for text in texts]


class _Pieces:
    """A list of pieces, a line each. The first few are looked for in the file: to read it all takes longer than a question."""

    def __init__(self, data: bytes) -> None:
        self._data = b"\n" + data
        self._left = _FEW
        self._read: dict[str, int] | None = None
        self._longest = _LONGEST

    def cut(self, word: str) -> tuple[int, ...]:
        """The numbers of the pieces of a word: the longest that fits, from left to right; what fits no piece is left out."""
        found: list[int] = []
        at = 0
        while at < len(word):
            head = _START if at == 0 and not is_unspaced(word) else ""
            for end in range(min(len(word), at + self._longest), at, -1):
                piece = self._number(head + word[at:end])
                if piece is not None:
                    found.append(piece)
                    at = end
                    break
            else:
                at += 1
        return tuple(found)

    def _number(self, piece: str) -> int | None:
        if self._read is None and self._left:
            self._left -= 1
            at = self._data.find(b"\n%b\n" % piece.encode("utf-8", "surrogatepass"))
            return None if at < 0 else self._data.count(b"\n", 0, at)
        if self._read is None:
            listed = self._data.decode("utf-8").split("\n")[1:-1]
            self._longest = max(map(len, listed), default=1)
            # The bytes stay: another thread may still be looking for a piece in them.
            self._read = {each: number for number, each in enumerate(listed)}
        return self._read.get(piece)
