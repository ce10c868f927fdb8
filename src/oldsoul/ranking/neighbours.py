"""Rows and those beside them: a turn is better understood with the one before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.marks import Mark

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats, Pool
    from oldsoul.ranking.weights import Weights

_ASKS = int(Mark.ASKS)
_SHORT = 15
"""Words of a row that leans on its neighbours neither more nor less than others."""
_SHARES = ((-1, 0.5), (1, 0.5), (-2, 0.25), (2, 0.25))
"""What a word found so many rows away is worth."""
_GONE = np.float32(-1e30)
_BEST = 3
"""How many rows speak for their document."""


class Neighbours:
    """Who stands next to whom in a pool."""

    def __init__(self, pool: Pool) -> None:
        n = len(pool)
        self._shares: dict[int, Floats] = {}
        for step in (1, 2):
            there = np.zeros(n, dtype=np.float32)
            if n > step:
                there[step:] = (pool.document[step:] == pool.document[:-step]) & (
                    pool.ordinal[step:] - pool.ordinal[:-step] == step
                )
            self._shares[step] = there
        self.before: NDArray[np.bool_] = self._shares[1] > 0
        """(n): whether the row above is the one before in the same document."""
        answers = np.zeros(n, dtype=np.float32)
        if n > 1:
            asked = (pool.flags[:-1] & _ASKS) > 0
            answers[1:] = self.before[1:] & asked & (pool.speaker[1:] != pool.speaker[:-1])
        self._answers = answers
        self._lean = (1 / (1 + pool.length / _SHORT) - 0.5).astype(np.float32)

    def smoothed(self, values: Floats, before: float, after: float, w: Weights) -> Floats:
        """Each row with something of its neighbours; short rows and answers take more."""
        far = w.two_away * before
        taken = (before + w.answers * self._answers) * self._from(values, -1)
        taken += (after * before) * self._from(values, 1)
        taken += far * (self._from(values, -2) + self._from(values, 2))
        return values + (1 + w.brevity * self._lean) * taken

    def nearby(self, values: Floats) -> Floats:
        """(n, k): the best of each column in a row and, at a discount, in its neighbours."""
        best = values.copy()
        for step, share in _SHARES:
            if len(values) > abs(step):
                there = self._shares[abs(step)][abs(step) :, None] * np.float32(share)
                if step < 0:
                    np.maximum(best[-step:], values[:step] * there, out=best[-step:])
                else:
                    np.maximum(best[:-step], values[step:] * there, out=best[:-step])
        return best

    def _from(self, values: Floats, step: int) -> Floats:
        """The neighbours' values; 0 where there is none."""
        taken = np.zeros(len(values), np.float32)
        there = self._shares[abs(step)]
        if step < 0:
            taken[-step:] = values[:step] * there[-step:]
        else:
            taken[:-step] = values[step:] * there[step:]
        return taken


def best_of_documents(values: Floats, document: NDArray[np.int32]) -> Floats:
    """For each row the mean of its document's best values; rows stand in the order of their documents."""
    n = len(values)
    if not n:
        return values
    first = np.empty(n, dtype=bool)
    first[0] = True
    np.not_equal(document[1:], document[:-1], out=first[1:])
    starts = first.nonzero()[0]
    sizes = np.empty(len(starts), np.int64)
    sizes[:-1], sizes[-1] = starts[1:] - starts[:-1], n - starts[-1]
    total = np.zeros(len(starts), dtype=np.float32)
    count = np.zeros(len(starts), dtype=np.float32)
    left = values.copy()
    for _ in range(_BEST):
        best = np.maximum.reduceat(left, starts)
        there = best > _GONE
        total += best * there
        count += there
        left[left >= best.repeat(sizes)] = _GONE
    return (total / np.maximum(count, 1)).astype(np.float32).repeat(sizes)
