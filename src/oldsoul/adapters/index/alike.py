"""The best rows where many are word for word the same: copies score alike, and only some of them are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from oldsoul.adapters.index.arrays import Array

COPIES = 8
"""So many rows that score alike are taken; what is around each may differ."""
_FEW = 12
"""When there are so many times fewer scores than rows, there are copies among them."""
_DIGITS = 5


def crowded(scores: Array) -> bool:
    """Whether rows are mostly copies, as their scores tell."""
    return len(scores) > COPIES and _FEW * len(np.unique(np.round(scores, _DIGITS))) <= len(scores)


def nearest(rows: Array, near: Array, count: int) -> Array:
    """The rows that are nearest, so many; of copies not all, and of those as near as the last the first."""
    if len(rows) <= count:
        return rows
    rounded = np.round(near, _DIGITS)
    bar = np.partition(rounded, len(near) - count)[len(near) - count]
    above, equal = (rounded > bar).nonzero()[0], (rounded == bar).nonzero()[0]
    best = np.concatenate((above, equal[: count - len(above)]))
    return varied(rows, near, count) if crowded(near.take(best)) else rows[best]


def varied(rows: Array, scores: Array, count: int) -> Array:
    """The rows that score highest, so many, equal ones in order, and of those that score alike not all."""
    rounded = np.round(scores, _DIGITS)
    order = np.lexsort((rows, -rounded))
    ordered = rounded.take(order)
    new = np.append(True, ordered[1:] != ordered[:-1])
    begins = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    found: Array = rows.take(order[np.arange(len(order)) - begins < COPIES][:count])
    return found
