"""The sentence encoder that comes with Oldsoul: it reads whole texts, in order, with numpy alone.

Three convolutions look at each piece of a text together with those beside it; what they see is averaged and led through
four layers to one vector.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.adapters.embedders.pieces import START, UNKNOWN, cut
from oldsoul.adapters.embedders.static import bundled_pieces
from oldsoul.adapters.embedders.units import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from oldsoul.adapters.embedders.pieces import Pieces
    from oldsoul.adapters.embedders.units import Piece

    Floats = NDArray[np.float32]

PROVIDER, MODEL = "bundled", "use-multilingual-3"
WIDTH = 512
_MOST, _LETTERS = 128, 1024
"""Pieces and letters of a text that are read: what follows hardly changes its vector, and time grows with them."""
_UNKNOWN, _BEGIN, _END = 0, 1, 2
_ORDERS = ((2, 0), (3, 1), (5, 2))
"""How many pieces each convolution sees at a time, and how many of them come before the one it is about."""
_AT_ONCE = 32
_CACHED, _LONG = 50_000, 64
"""Words whose pieces are remembered, and letters of the longest."""
_TINY = 1e-12


class SentenceEncoder:
    """Gives a text's vector. A text is run alone, so that its vector does not depend on others."""

    identity = Identity(PROVIDER, "", MODEL, WIDTH)
    width = WIDTH

    def __init__(self, pieces: Pieces | None = None) -> None:
        self._pieces = pieces or bundled_pieces()
        self._known: dict[str, tuple[int, ...]] = {}

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        """The vectors, some at a time. Questions are read as other texts are."""
        del question
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            yield list(range(start, start + len(some))), np.stack([self._vector(text) for text in some])

    def close(self) -> None:
        """There is nothing to let go of."""

    def _numbers(self, text: str) -> list[int]:
        """The pieces of a text, between the marks of its beginning and its end."""
        if len(self._known) > _CACHED:
            self._known.clear()
        found: list[int] = []
        for word in unicodedata.normalize("NFKC", text[:_LETTERS])[:_LETTERS].split():
            numbers = self._known.get(word)
            if numbers is None:
                known = cut(START + word, self._pieces.written)
                numbers = tuple(_UNKNOWN if number == UNKNOWN else number for number in known)
                if len(word) <= _LONG:
                    self._known[word] = numbers
            found += numbers
        return [_BEGIN, *(found or [_UNKNOWN])[:_MOST], _END]

    def _vector(self, text: str) -> Floats:
        w = self._pieces.layers
        numbers = np.array(self._numbers(text))
        vectors, factors = self._pieces.vectors(numbers)
        vectors *= factors
        seen = [vectors]
        inputs = _normed(vectors @ w["proj"] + w["proj_b"], w["norm_g"], w["norm_b"])
        for own, (order, before) in zip(np.split(inputs, len(_ORDERS), axis=1), _ORDERS, strict=True):
            first = np.maximum(_windows(own, order, before) @ w[f"w1_{order}"] + w[f"b1_{order}"], 0) + own
            seen.append(np.maximum(_windows(first, order, before) @ w[f"w2_{order}"] + w[f"b2_{order}"], 0) + first)
        summed = _normed(np.concatenate(seen, axis=1), w["out_g"], w["out_b"]).sum(axis=0)
        mean = (summed @ w["cnn"] + len(numbers) * w["cnn_b"]) / np.float32(np.sqrt(len(numbers)))
        middle = np.maximum(mean @ w["p1"] + np.maximum(mean @ w["d0"], 0) @ w["d1"], 0)
        made: Floats = np.tanh(middle @ w["p3"] + np.maximum(middle @ w["d2"], 0) @ w["d3"])
        return made / np.float32(np.linalg.norm(made))


def _normed(rows: Floats, gain: Floats, offset: Floats) -> Floats:
    """Rows with a mean of none and a spread of one, then stretched and moved as was learnt."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows) / rows.shape[1] + _TINY)[:, None]
    return rows * gain + offset


def _windows(rows: Floats, order: int, before: int) -> Floats:
    """Each row with those around it, so many in all; beyond both ends there is nothing."""
    found = np.zeros((len(rows), order, rows.shape[1]), np.float32)
    for at in range(order):
        away = at - before
        found[max(-away, 0) : len(rows) - max(away, 0), at] = rows[max(away, 0) : len(rows) + min(away, 0)]
    return found.reshape(len(rows), -1)
