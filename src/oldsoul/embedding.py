"""Vectors of an embedder that reads whole texts: asked for row by row, and never in the way of a search."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.errors import Unavailable
from oldsoul.language.headings import led

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.ports import ChosenEmbedder, Clock, Embedded

ON_SEARCH = 128
"""How many vectors a search waits for at most; the rest comes with the next ones, or by `oldsoul index`."""
_AT_ONCE, _SOME = 1024, 16
"""The same for an embedder on this machine that is quick: all, where no more are missing, else some."""
_BATCH = 64
_REST = timedelta(seconds=30)
"""An embedder that failed is left alone for so long."""


class Embedding:
    """Keeps the vectors of one index up to date. A failing embedder is reported, and words and tables go on without it."""

    def __init__(self, embedder: ChosenEmbedder, index: Embedded, clock: Clock) -> None:
        self._embedder = embedder
        self._index = index
        self._clock = clock
        self._failed = ""
        self._failed_at = clock.now() - _REST
        self._is_behind = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know."""
        if self._failed:
            return (f"{self._failed}; until it works again, search uses words and the bundled model",)
        behind = ("some texts have no vectors yet; each search adds some, `oldsoul index rebuild` adds all at once",)
        return (*self._embedder.notes, *(behind if self._is_behind else ()))

    def empty(self) -> None:
        """Keep no vector that was made before."""
        self._embedder.empty()

    def close(self) -> None:
        """Release the embedder."""
        self._embedder.close()

    def fill(self, most: int | None, between: Callable[[], object] = tuple) -> None:
        """Give pieces that have none their vectors: at most so many (what is quick: more), or all, also by one that failed.

        Between two writes something else is done.
        """
        if most is not None and self._rests():
            return
        try:
            self._embedder.settle()
            if most is not None and self._embedder.is_quick:
                missing = len(self._index.missing_vectors(self._embedder.name, _AT_ONCE + 1))
                most = _AT_ONCE if missing <= _AT_ONCE else _SOME
            self._fill(most, between)
        except Unavailable as error:
            self._fail(error)

    def _fill(self, most: int | None, between: Callable[[], object]) -> None:
        left = most
        while True:
            name = self._embedder.name
            waiting = self._index.missing_vectors(name, _BATCH if left is None else max(min(_BATCH, left), 1))
            if not waiting or (left is not None and left <= 0):
                break
            heard = [number for number, (_, chunk) in enumerate(waiting) if not chunk.by_agent]
            texts = [led(waiting[number][1], waiting[number][1].text) for number in heard]
            made = self._embedder.embed(texts) if texts else np.zeros((0, self._embedder.width), np.float32)
            if self._embedder.name == name:  # else another thread found that its vectors have another length now
                vectors = np.zeros((len(waiting), made.shape[1]), np.float32)
                vectors[heard] = made
                self._index.fill(name, [row for row, _ in waiting], vectors)
            left = None if left is None else left - len(waiting)
            between()
        self._is_behind = bool(waiting)
        self._failed = ""

    def question(self, text: str) -> tuple[str, NDArray[np.float32]] | None:
        """The embedder's name and the question's vector; None while it fails."""
        if self._rests():
            return None
        try:
            vector = self._embedder.embed([text], question=True)[0]
        except Unavailable as error:
            self._fail(error)
            return None
        return self._embedder.name, vector

    def lags(self) -> None:
        """The index holds no vectors a question could be compared with."""
        self._is_behind = True

    def _rests(self) -> bool:
        return bool(self._failed) and self._clock.now() - self._failed_at < _REST

    def _fail(self, error: Unavailable) -> None:
        self._failed, self._failed_at = str(error), self._clock.now()
