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
_EVERGREEN, _NOTE, _PARTED = int(Mark.EVERGREEN), int(Mark.NOTE), int(Mark.BEGINS | Mark.CORRECTION)
"""Memories stand by themselves: the one above is about something else. In notes it is not, up to the heading."""
_SHARES = {1: 0.5, 2: 0.25}
"""What a word found so many rows away is worth."""
_GONE = np.float32(-1e30)
_BEST = 3
"""How many rows speak for their document."""


class Neighbours:
    """Who stands next to whom in a pool."""

    def __init__(self, pool: Pool, ours: NDArray[np.bool_] | None = None) -> None:
        """Of these candidates; what is ours, the agent's own words, lends less to those beside it."""
        n = len(pool)
        document, ordinal = pool.document, pool.ordinal
        lone = (pool.flags & (_EVERGREEN | _NOTE)) == _EVERGREEN
        parted = (lone | ((pool.flags & _PARTED) != 0)).astype(np.float32)
        self._one, self._two = (np.zeros(n + step, dtype=np.float32) for step in (1, 2))
        """whether a row stands so many after the one so many above; with room for those after the last"""
        for step, there in ((1, self._one), (2, self._two)):
            if n > step:
                there[step:n] = (document[step:] == document[:-step]) & (ordinal[step:] - ordinal[:-step] == step)
                there[step:n] *= 1 - parted[step:]
        if n > 2:  # noqa: PLR2004 - two away there is one between
            self._two[2:n] *= 1 - parted[1:-1]
        self.before: NDArray[np.bool_] = self._one[:n] > 0
        """(n): whether the row above is the one before in the same document."""
        self._answers = np.zeros(n, dtype=np.float32)
        if n > 1:
            asked = (pool.flags[:-1] & _ASKS) > 0
            self._answers[1:] = self.before[1:] & asked & (pool.speaker[1:] != pool.speaker[:-1])
        self._agent = None if ours is None else ours.astype(np.float32)

    def smoothed(self, values: Floats, before: float, after: float, w: Weights) -> Floats:
        """Each row with something of its neighbours; answers take more."""
        around = np.zeros(len(values) + 4, np.float32)
        around[2:-2] = values if self._agent is None else values * (1 - np.float32(1 - w.agent_lends) * self._agent)
        taken = (before + w.answers * self._answers) * (around[1:-3] * self._one[:-1])
        taken += (after * before) * (around[3:-1] * self._one[1:])
        two = self._two.copy()
        if self._agent is not None:  # what the agent says parts what people say before and after it
            two[2:-2] *= 1 - self._agent[1:-1]
        taken += (w.two_away * before) * (around[:-4] * two[:-2] + around[4:] * two[2:])
        return values + taken

    def nearby(self, values: Floats, echo: NDArray[np.bool_]) -> Floats:
        """(n, k): the best of each column in a row and, at a discount, in its neighbours.

        What only repeats the question lends to the answer of another person alone.
        """
        n, best = len(values), values.copy()
        lent = np.where(echo[:, None], np.float32(0), values) if echo.any() else values
        for step, there in ((1, self._one), (2, self._two)):
            if n > step:
                share = there[step:n, None] * np.float32(_SHARES[step])
                np.maximum(best[step:], lent[:-step] * share, out=best[step:])
                np.maximum(best[:-step], lent[step:] * share, out=best[:-step])
        if lent is not values:
            answers = self._answers if self._agent is None else self._answers * (1 - self._agent)
            np.maximum(best[1:], values[:-1] * answers[1:, None] * np.float32(_SHARES[1]), out=best[1:])
        return best


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
    for rest in reversed(range(_BEST)):
        best = np.maximum.reduceat(left, starts)
        there = best > _GONE
        total += best * there
        count += there
        if rest:
            np.putmask(left, left >= best.repeat(sizes), _GONE)
    return (total / np.maximum(count, 1)).astype(np.float32, copy=False).repeat(sizes)
