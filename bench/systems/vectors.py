"""The vectors every system gets: those of the encoder Oldsoul comes with, the mean of its token vectors, or MiniLM."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import numpy as np

from oldsoul.adapters.embedders.cached import gathered
from oldsoul.adapters.embedders.sentences import WIDTH, SentenceEncoder
from oldsoul.adapters.embedders.static import StaticTable
from oldsoul.ranking.options import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Vectors(Protocol):
    """Gives texts their vectors."""

    name: str
    """what the results call them"""
    size: int
    """how many numbers a vector has"""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length one per text."""
        ...


class Static:
    """The plain mean of the token vectors Oldsoul comes with."""

    name = "static"

    def __init__(self) -> None:
        self._table = StaticTable()
        self.size = int(self._table.vectors.shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length one per text; a text without words lies nowhere in particular."""
        found = np.zeros((len(texts), self.size), np.float32)
        vectors = self._table.vectors
        for row, ids in enumerate(self._table.tokens(texts)):
            if ids:
                found[row] = vectors.take(ids).astype(np.float32).mean(axis=0)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        empty = lengths[:, 0] == 0
        found[empty, 0] = lengths[empty, 0] = 1.0
        unit: NDArray[np.float32] = found / lengths
        return unit


class Encoder:
    """The sentence encoder Oldsoul comes with."""

    name = "encoder"
    size = WIDTH

    def __init__(self) -> None:
        self._encoder = SentenceEncoder()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length one per text."""
        return gathered(self._encoder.pieces(texts), len(texts))


class MiniLm:
    """MiniLM as Oldsoul's provider `local` runs it; each text is embedded anew."""

    name = "minilm"
    size = 384

    def __init__(self) -> None:
        self._model = import_module("oldsoul.adapters.embedders.onnx").Onnx(SearchOptions())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length one per text."""
        return np.asarray(self._model.embed(texts), np.float32)


def vectors_called(name: str) -> Vectors:
    """The vectors of this name."""
    if name == "encoder":
        return Encoder()
    if name == "static":
        return Static()
    if name == "minilm":
        return MiniLm()
    raise SystemExit(f"no vectors are called {name}; there are `encoder`, `static` and `minilm`")
