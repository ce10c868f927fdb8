"""What the index knows of its rows: one fixed record a row, and runs of numbers each row has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.adapters.index.arrays import ArrayFolder, Mapped
from oldsoul.ranking.marks import SPEAKS, Mark
from oldsoul.values.recall import SESSIONS, SOURCES

if TYPE_CHECKING:
    from oldsoul.adapters.index.arrays import Array

_FIELDS = [
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
    ("terms_end", "<i8"),
]
NUMBER = np.dtype("<i4")
_FOREIGN = int(Mark.FOREIGN)
_MESSAGE = SOURCES.index(SESSIONS)
_FIRST = 1024
_HALF, _LOW = 32, 0xFFFFFFFF


@cache
def row_type(spaces: int) -> np.dtype[Any]:
    """One row: codes of its document, speaker, audience …, and where what it has ends: terms, tokens, sentences."""
    ends = [(f"{kind}_end {space}", "<i8") for space in range(spaces) for kind in ("tokens", "sentences")]
    return np.dtype(_FIELDS + ends)


class Growing:
    """An array in memory to which more is appended; the room for it is doubled when it runs out."""

    def __init__(self, dtype: str | np.dtype[Any], width: int = 0) -> None:
        self._data: Array = np.empty((_FIRST, width) if width else _FIRST, dtype)
        self.size = 0

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of its numbers, or of a row of them."""
        return self._data.dtype

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


class Ragged:
    """For each row a run of numbers, all runs one after the other; where each ends, the row itself knows."""

    def __init__(self, flat: Mapped | Growing, ends: Callable[[], Array]) -> None:
        self.flat = flat
        self._ends = ends

    def of(self, rows: Array) -> tuple[Array, Array]:
        """The runs of some rows, one after the other, and where each begins (with the end of the last)."""
        places, offsets = self.places(rows)
        return self.flat.all.take(places), offsets

    def places(self, rows: Array) -> tuple[Array, Array]:
        """Where the numbers of some rows are, and where each row's begin among these (with the end of the last)."""
        ends = self._ends()
        starts = ends[rows - 1]
        starts[rows == 0] = 0
        lengths = ends[rows] - starts
        offsets = np.zeros(len(rows) + 1, "<i8")
        lengths.cumsum(out=offsets[1:])
        starts -= offsets[:-1]
        places = starts.repeat(lengths)
        places += np.arange(len(places))
        return places, offsets

    def span(self, first: int, last: int) -> tuple[Array, Array]:
        """The runs of rows that follow one another, and how long each is."""
        ends = self._ends()[first:last]
        start = int(self._ends()[first - 1]) if first else 0
        return self.flat.all[start : int(ends[-1]) if len(ends) else start], np.diff(ends, prepend=start)


class Columns:
    """All rows. Row numbers begin at 0 and are never used twice."""

    def __init__(self, shelf: ArrayFolder, spaces: int) -> None:
        self._rows = shelf.array("rows", row_type(spaces))
        self._alive = Growing("bool")
        self._after = Growing("<i4")
        self._lengths = Growing("<f4")
        self._foreign = Growing("bool")
        self.terms = Ragged(shelf.array("terms", NUMBER), lambda: self.rows["terms_end"])
        """the numbers of each row's terms, in order"""
        self._tally = np.zeros((0, 3), "<i8")
        self._heard = 0
        self._audiences: dict[int, frozenset[int]] = {}
        self.count = 0
        """how many rows count"""

    def __len__(self) -> int:
        return self._rows.size

    @property
    def known(self) -> int:
        """How many rows were indexed."""
        return self._alive.size

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

    @property
    def lengths(self) -> Array:
        """How many terms each row has."""
        return self._lengths.all

    @property
    def foreign(self) -> Array:
        """Which rows are mostly in another script than Latin."""
        return self._foreign.all

    def among(self, audiences: Array) -> tuple[int, int, int]:
        """Of the rows that count and are for some audiences: how many, their terms, how many are in other scripts."""
        rows, terms, foreign = self._tally[audiences[: len(self._tally)]].sum(axis=0).tolist()
        return rows, terms, foreign

    def _count(self, rows: Array, by: int) -> None:
        audiences = rows["audience"]
        size = max(int(audiences.max(initial=-1)) + 1, len(self._tally))
        foreign = (rows["flags"] & _FOREIGN) != 0
        counts = [np.bincount(audiences, values, size) for values in (None, rows["terms"], foreign)]
        self._tally = np.pad(self._tally, ((0, size - len(self._tally)), (0, 0)))
        self._tally += by * np.stack(counts, axis=1).astype("<i8")

    def audiences_of(self, speaker: int) -> frozenset[int]:
        """Before whom somebody spoke, also what counts no more: in a message, or asking, or about themselves."""
        if self._heard < len(self):
            new = self.rows[self._heard :]
            new = new[(new["source"] == _MESSAGE) | ((new["flags"] & SPEAKS) != 0)]
            pairs = np.unique(new["speaker"].astype("<i8") << _HALF | new["audience"])
            for who, whom in zip((pairs >> _HALF).tolist(), (pairs & _LOW).tolist(), strict=True):
                self._audiences[who] = self._audiences.get(who, frozenset()) | {whom}
            self._heard = len(self)
        return self._audiences.get(speaker, frozenset()) if speaker >= 0 else frozenset()

    def extend(self, rows: Array) -> None:
        """Append rows, and take them in."""
        self._rows.extend(rows)
        self._take_in(rows)

    def take_in(self) -> None:
        """Read rows that were appended elsewhere."""
        self._take_in(self.rows[self.known :])

    def _take_in(self, rows: Array) -> None:
        first = self.known
        self._alive.extend(np.ones(len(rows), bool))
        self._after.extend(np.full(len(rows), -1, "<i4"))
        before = rows["before"]
        linked = np.flatnonzero(before >= 0)
        self.after[before[linked]] = first + linked
        self._lengths.extend(rows["terms"])
        foreign = (rows["flags"] & _FOREIGN) != 0
        self._foreign.extend(foreign)
        self.count += len(rows)
        self._count(rows, 1)

    def bury(self, rows: Array) -> Array:
        """Have rows not count any more; gives those that did."""
        rows = rows[self.alive[rows]]
        self.alive[rows] = False
        self.count -= len(rows)
        self._count(self.rows[rows], -1)
        return rows
