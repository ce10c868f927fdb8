"""Writes an index anew without the rows that are dead, when these have become most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oldsoul.adapters.index.spaces import Dense

if TYPE_CHECKING:
    import sqlite3

    from oldsoul.adapters.index.arrays import Array
    from oldsoul.adapters.index.stock import Stock

_BLOCK = 16_384


def compacted(old: Stock, db: sqlite3.Connection) -> Stock:
    """The same stock, its rows numbered anew in their order; the file is brought into line."""
    alive = np.flatnonzero(old.columns.alive)
    new = old.successor()
    for space in old.spaces:
        if space.static is not None:
            space.embed(len(old.columns))
    for first in range(0, len(alive), _BLOCK):
        _copy(old, new, alive[first : first + _BLOCK], alive)
    for mine, theirs in zip(new.spaces, old.spaces, strict=True):
        mine.static = theirs.static
    if len(alive):
        new.postings.add(new.words(0, len(alive)))
    _renumber(db, alive)
    hidden = np.isin(alive, sorted(old.superseded))
    new.superseded = set(np.flatnonzero(hidden).tolist())
    return new


def _copy(old: Stock, new: Stock, rows: Array, alive: Array) -> None:
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
    records["before"][linked] = np.searchsorted(alive, records["before"][linked])
    new.columns.extend(records)
    if old.dense is not None:
        if new.dense is None:
            new.dense = Dense(new.shelf, old.dense.name, old.dense.place, old.dense.vectors.width)
        new.dense.vectors.copy(old.dense.vectors, rows[rows < len(old.dense.vectors)])


def _renumber(db: sqlite3.Connection, alive: Array) -> None:
    db.execute("CREATE TEMP TABLE renumbered (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    db.executemany("INSERT INTO renumbered VALUES (?,?)", zip(alive.tolist(), range(len(alive)), strict=True))
    db.execute("CREATE TEMP TABLE moved AS SELECT new, chunks.* FROM chunks JOIN renumbered ON old=id")
    db.execute("CREATE TEMP TABLE hidden AS SELECT new FROM superseded JOIN renumbered ON old=id")
    db.execute("DELETE FROM chunks")
    db.execute(
        "INSERT INTO chunks SELECT new, document, start_line, end_line, hash, text, facts FROM moved ORDER BY new"
    )
    db.execute("DELETE FROM superseded")
    db.execute("INSERT INTO superseded SELECT new FROM hidden")
    db.execute("DELETE FROM dead")
    for table in ("renumbered", "moved", "hidden"):
        db.execute(f"DROP TABLE temp.{table}")
