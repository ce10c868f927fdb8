"""The sentence encoder that comes with Oldsoul: it reads whole texts, in order, with numpy alone.

Three convolutions look at each piece of a text together with those beside it; what they see is averaged and led through
four layers to one vector.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.adapters.embedders.cached import Identity
from oldsoul.adapters.embedders.static import START, UNKNOWN, WordPieces, bundled_pieces, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.adapters.embedders.cached import Piece

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
_SEEN, _TOGETHER = 2000, 8
"""Pieces of which it is remembered what they give (15 KB each), and how many are worked out at once, always so many: then
a piece gives the same to the bit, whatever is beside it."""
_TINY = 1e-12


class SentenceEncoder:
    """Gives a text's vector. A text is run alone, so that its vector does not depend on others."""

    identity = Identity(PROVIDER, "", MODEL, WIDTH)
    width = WIDTH

    def __init__(self, pieces: WordPieces | None = None) -> None:
        self._pieces = pieces or bundled_pieces()
        self._known: dict[str, tuple[int, ...]] = {}
        self._given: dict[int, Floats] = {}

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        """The vectors, some at a time. Questions are read as other texts are."""
        del question
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            yield list(range(start, start + len(some))), np.stack([self._vector(text) for text in some])

    def close(self) -> None:
        """There is nothing to close."""

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

    def _alone(self, numbers: Sequence[int]) -> Floats:
        """What pieces give by themselves: their vectors, their inputs, and what these add to each place of a first window."""
        given, w = self._given, self._pieces.layers  # another thread may begin again meanwhile
        missing = [number for number in dict.fromkeys(numbers) if number not in given]
        if len(given) + len(missing) > _SEEN:
            given = self._given = {}
            missing = list(dict.fromkeys(numbers))
        for start in range(0, len(missing), _TOGETHER):
            some = missing[start : start + _TOGETHER]
            vectors, factors = self._pieces.vectors(np.array(some + [_UNKNOWN] * (_TOGETHER - len(some))))
            vectors *= factors
            inputs = _normed(vectors @ w["proj"] + w["proj_b"], w["norm_g"], w["norm_b"])
            parts = [vectors, inputs]
            for own, (order, _) in zip(np.split(inputs, len(_ORDERS), axis=1), _ORDERS, strict=True):
                parts += (np.ascontiguousarray(own) @ each for each in np.split(w[f"w1_{order}"], order))
            rows = np.concatenate(parts, axis=1)
            given.update((number, row.copy()) for number, row in zip(some, rows, strict=False))
        return np.stack([given[number] for number in numbers])

    def _vector(self, text: str) -> Floats:
        w = self._pieces.layers
        numbers = self._numbers(text)
        alone = self._alone(numbers)
        width = len(w["proj"])
        seen, inputs, given = [alone[:, :width]], alone[:, width:], alone[:, width + len(w["proj_b"]) :]
        for order, before in _ORDERS:
            each = len(w[f"b1_{order}"])
            own, inputs = inputs[:, :each], inputs[:, each:]
            parts, given = given[:, : order * each], given[:, order * each :]
            first = np.maximum(_summed(parts, order, before) + w[f"b1_{order}"], 0) + own
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


def _summed(parts: Floats, order: int, before: int) -> Floats:
    """What each row and those around it give to its window, so many in all, added up; beyond both ends there is nothing."""
    given = parts.reshape(len(parts), order, -1)
    found = np.zeros(given.shape[::2], np.float32)
    for at in range(order):
        away = at - before
        found[max(-away, 0) : len(given) - max(away, 0)] += given[max(away, 0) : len(given) + min(away, 0), at]
    return found
