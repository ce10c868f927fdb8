"""The static embedder: a table of word-piece vectors that comes with Oldsoul, with no model to run."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.adapters.embedders.pieces import START, UNKNOWN, Pieces, cut
from oldsoul.language.words import RUN, is_unspaced, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

NAME = "use-256b"
"""What the index calls the vectors; another name means other vectors."""
_WORD = re.compile(RUN)
_LONGEST = 64
_CACHED = 50_000
"""Words whose pieces are remembered; past so many the memory is emptied."""


def _words(text: str) -> list[str]:
    """The words of a text; what is longer than they are is no word, and cutting it takes ever longer."""
    low = text.lower()
    return [word[:_LONGEST] for word in (plain_words(low) if low.isascii() else _WORD.findall(low))]


class _Known(dict[str, tuple[int, ...]]):
    """The pieces of the words that have been cut; another word is cut when it is asked for."""

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        self._pieces = pieces

    def __missing__(self, word: str) -> tuple[int, ...]:
        headed = word if is_unspaced(word) else START + word
        found = self[word] = tuple(n for n in cut(headed, self._pieces.folded) if n != UNKNOWN)
        return found


class Projected:
    """One vector of bytes a piece, worked out of the kept one when it is first asked for. Only directions count."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._middle, self._towards = pieces.projection
        self._rows = np.zeros((len(pieces), self._towards.shape[1]), np.int8)
        self._made = np.zeros(len(pieces), bool)
        self.shape = self._rows.shape

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, numbers: Any, axis: int = 0) -> NDArray[np.int8]:
        """The vectors of some pieces. Two threads may work out the same one: it is the same."""
        asked = np.asarray(numbers, np.int64)
        lacking = np.unique(asked[~self._made[asked]])
        if len(lacking):
            vectors, _ = self._pieces.vectors(lacking)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            self._rows[lacking] = np.clip(np.rint((vectors - self._middle) @ self._towards), -127, 127)
            self._made[lacking] = True
        return self._rows.take(asked, axis=axis)


@cache
def bundled_pieces() -> Pieces:
    """The pieces that come with Oldsoul; one reading of them serves all who ask."""
    return Pieces()


@cache
def _projected() -> Projected:
    return Projected(bundled_pieces())


class StaticTable:
    """Token numbers of texts, and the vectors of those numbers. Files are opened when first needed."""

    name = NAME

    def __init__(self, pieces: Pieces | None = None) -> None:
        self._pieces = pieces
        self._known = _Known(pieces or bundled_pieces())

    @property
    def vectors(self) -> Projected:
        """One row per token number."""
        return Projected(self._pieces) if self._pieces else _projected()

    def tokens(self, texts: Iterable[str]) -> list[list[int]]:
        """The token numbers of each text, in order; a text without words has none."""
        if len(self._known) > _CACHED:
            self._known.clear()
        pieces = self._known.__getitem__
        return [list(chain.from_iterable(map(pieces, _words(text)))) for text in texts]
