"""What the index knows of its rows, as arrays that grow: one fixed record a row, and flat arrays of what each row holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ROW = np.dtype(
    [
        ("document", "<i4"),
        ("ordinal", "<i4"),
        ("time", "<i8"),
        ("speaker", "<i4"),
        ("audience", "<i4"),
        ("room", "<i4"),
        ("person", "<i4"),
        ("confidence", "<f4"),
        ("flags", "<i4"),
        ("length", "<i4"),
        ("event_from", "<i4"),
        ("event_to", "<i4"),
        ("before", "<i4"),
        ("terms", "<i4"),
        ("source", "<i2"),
        ("tag", "<i2"),
    ]
)
"""One row: codes of its document, speaker, audience …, and how many terms it has."""
NUMBER = np.dtype("<i4")
_FIRST = 1024


class Growing:
    """An array to which more is appended; the room for it is doubled when it runs out."""

    def __init__(self, dtype: np.dtype[Any], width: int = 0) -> None:
        self._data: Array = np.empty((_FIRST, width) if width else _FIRST, dtype)
        self.size = 0

    @property
    def all(self) -> Array:
        """What it holds."""
        return self._data[: self.size]

    def extend(self, more: Array) -> None:
        """Append."""
        end = self.size + len(more)
        if end > len(self._data):
            room = max(end, 2 * len(self._data))
            data = np.empty((room, *self._data.shape[1:]), self._data.dtype)
            data[: self.size] = self.all
            self._data = data
        self._data[self.size : end] = more
        self.size = end

    def clear(self) -> None:
        """Hold nothing."""
        self.size = 0


class Ragged:
    """For each row a run of numbers, all runs one after the other."""

    def __init__(self, dtype: np.dtype[Any] = NUMBER) -> None:
        self.flat = Growing(dtype)
        self.starts = Growing(np.dtype("<i8"))
        self.starts.extend(np.zeros(1, "<i8"))

    def extend(self, numbers: Array, lengths: Array) -> None:
        """Append runs."""
        self.starts.extend(self.starts.all[-1] + np.cumsum(lengths, dtype="<i8"))
        self.flat.extend(numbers)

    def of(self, rows: Array) -> tuple[Array, Array]:
        """The runs of some rows, one after the other, and where each begins (with the end of the last)."""
        starts, ends = self.starts.all[rows], self.starts.all[rows + 1]
        lengths = ends - starts
        offsets = np.zeros(len(rows) + 1, "<i8")
        np.cumsum(lengths, out=offsets[1:])
        index = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return self.flat.all[index], offsets

    def span(self, first: int, last: int) -> tuple[Array, Array]:
        """The runs of rows that follow one another, and how long each is."""
        starts = self.starts.all[first : last + 1]
        return self.flat.all[starts[0] : starts[-1]], np.diff(starts)


class Columns:
    """All rows. Row numbers begin at 0 and are never used twice."""

    def __init__(self) -> None:
        self._rows = Growing(ROW)
        self._alive = Growing(np.dtype(bool))
        self._after = Growing(np.dtype("<i4"))
        self.terms = Ragged()
        """the numbers of each row's terms, in order"""
        self.length = 0
        """how many terms all rows that count have together"""
        self.count = 0
        """how many rows count"""

    def __len__(self) -> int:
        return self._rows.size

    @property
    def rows(self) -> Array:
        """The fixed records."""
        return self._rows.all

    @property
    def alive(self) -> Array:
        """Which rows count."""
        return self._alive.all

    @property
    def after(self) -> Array:
        """For each row the one that follows it in its document; -1 for none."""
        return self._after.all

    def extend(self, rows: Array, terms: Array) -> None:
        """Append rows with their terms."""
        first = len(self)
        self._rows.extend(rows)
        self._alive.extend(np.ones(len(rows), bool))
        self._after.extend(np.full(len(rows), -1, "<i4"))
        self.terms.extend(terms, rows["terms"])
        linked = np.flatnonzero(rows["before"] >= 0)
        self.after[rows["before"][linked]] = first + linked
        self.length += int(rows["terms"].sum())
        self.count += len(rows)

    def bury(self, rows: Array) -> None:
        """Have rows not count any more."""
        rows = rows[self.alive[rows]]
        self.alive[rows] = False
        self.length -= int(self.rows["terms"][rows].sum())
        self.count -= len(rows)
