"""Writes an index anew without the rows that are dead: when these have become most, or nothing of them may stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oldsoul.adapters.index.spaces import Dense

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from oldsoul.adapters.index.arrays import Array
    from oldsoul.adapters.index.stock import Stock

_BLOCK = 16_384


def compacted(old: Stock, db: sqlite3.Connection, instead: Mapping[int, int] | None = None) -> Stock:
    """The same stock, its rows numbered anew in their order; the file is brought into line.

    Of rows that are dead nothing stays: no word, no weight of a token. Some rows stand in the place of dead ones.
    """
    rows = np.flatnonzero(old.columns.alive)
    if instead:
        rows = np.array(sorted(rows.tolist(), key=lambda row: instead.get(row, row)), "<i8")
    places = np.full(len(old.columns), -1, "<i4")
    places[rows] = np.arange(len(rows))
    for row, dead in (instead or {}).items():
        places[dead] = places[row]
    new = old.successor()
    for space in old.spaces:
        if space.static is not None:
            space.embed(len(old.columns))
    for first in range(0, len(rows), _BLOCK):
        _copy(old, new, rows[first : first + _BLOCK], places)
    for number, (mine, theirs) in enumerate(zip(new.spaces, old.spaces, strict=True)):
        mine.plain.copy(theirs.plain, rows)
        if theirs.static is not None:
            mine.static = mine.unlearnt(theirs.static)
            value = mine.static.weight.tobytes()
            db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (f"weights {number}", value))
    if len(rows):
        new.postings.add(new.words(0, len(rows)))
    _renumber(db, rows)
    terms = np.unique(old.columns.terms.of(np.flatnonzero(~old.columns.alive))[0])
    unused = [(number,) for number in terms.tolist() if not old.postings.frequency(number)]
    db.executemany("DELETE FROM terms WHERE number=?", unused)
    new.superseded = {int(places[row]) for row in old.superseded if old.columns.alive[row]}
    return new


def _copy(old: Stock, new: Stock, rows: Array, places: Array) -> None:
    records = old.columns.rows[rows].copy()
    runs = {"terms_end": (old.columns.terms, new.columns.terms)}
    for number, (theirs, mine) in enumerate(zip(old.spaces, new.spaces, strict=True)):
        runs[f"tokens_end {number}"] = theirs.tokens, mine.tokens
        runs[f"sentences_end {number}"] = theirs.sentences, mine.sentences
        mine.vectors.copy(theirs.vectors, rows)
        mine.norms.flat.extend(theirs.norms.of(rows)[0])
    for name, (source, target) in runs.items():
        flat, offsets = source.of(rows)
        records[name] = target.flat.size + offsets[1:]
        target.flat.extend(flat)
    linked = records["before"] >= 0
    records["before"][linked] = places[records["before"][linked]]
    new.columns.extend(records)
    if old.dense is not None:
        if new.dense is None:
            new.dense = Dense(new.shelf, old.dense.name, old.dense.place, old.dense.vectors.width)
        had = places[: len(old.dense.vectors)].max(initial=-1) + 1
        new.dense.vectors.extend(old.dense.vectors.of(rows[places[rows] < had]))


def _renumber(db: sqlite3.Connection, rows: Array) -> None:
    """Rows move down in order, so that the number a row gets is free when it gets it."""
    moved = [(new, old) for new, old in enumerate(rows.tolist()) if new != old]
    db.execute("DELETE FROM dead")
    db.executemany("UPDATE chunks SET id=? WHERE id=?", moved)
