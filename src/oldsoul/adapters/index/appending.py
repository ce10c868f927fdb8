"""Rows appended to an index: to its arrays and its file, their words sealed into segments, their tokens weighed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.adapters.index.columns import NUMBER, row_type
from oldsoul.adapters.index.postings import FAN, SEAL, Segment, joined, sealed
from oldsoul.adapters.index.rows import facts_of, seconds, sum_of
from oldsoul.adapters.index.stock import Stock, words_name
from oldsoul.ranking.pool import NO_TIME
from oldsoul.values.frozen import frozen
from oldsoul.values.recall import SOURCES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from oldsoul.adapters.index.arrays import Array
    from oldsoul.adapters.index.columns import Ragged
    from oldsoul.values.recall import Chunk, Prepared

    Prepare = Callable[[Iterable[Chunk]], Iterable[Prepared]]


@frozen
class New:
    """A row that is to be written."""

    prepared: Prepared
    document: int
    ordinal: int
    before: int


def insert(stock: Stock, db: sqlite3.Connection, new: Sequence[New]) -> None:
    """Append rows to the arrays, and their texts to the file."""
    if not new:
        return
    first = len(stock.columns)
    numbers = [stock.numbered(db, each.prepared.terms) for each in new]
    rows = np.zeros(len(new), row_type(len(stock.spaces)))
    fields = [_fields(stock, db, each) for each in new]
    for name in fields[0]:
        rows[name] = [field[name] for field in fields]
    follows = (rows["before"] < 0) & (rows["ordinal"] > 0)
    rows["before"][follows] = first - 1 + np.flatnonzero(follows)
    rows["terms"] = [len(each) for each in numbers]
    flat = np.array([number for each in numbers for number in each], NUMBER)
    _append(rows, "terms_end", stock.columns.terms, (flat, rows["terms"]))
    runs = [(_run(new, n, 0), _run(new, n, 1)) for n in range(len(stock.spaces))]
    for number, (space, (tokens, sentences)) in enumerate(zip(stock.spaces, runs, strict=True)):
        _append(rows, f"tokens_end {number}", space.tokens, tokens)
        _append(rows, f"sentences_end {number}", space.sentences, sentences)
    db.executemany("INSERT INTO chunks VALUES (?,?,?,?,?,?,?)", map(_stored, range(first, first + len(new)), new))
    stock.columns.extend(rows)
    stock.postings.add(sealed(first, rows["terms"], flat))
    for space, (tokens, sentences) in zip(stock.spaces, runs, strict=True):
        if space.static is not None:
            space.add(tokens, sentences)
    if len(stock.columns) - stock.postings.sealed_rows >= SEAL:
        seal(stock)


def _fields(stock: Stock, db: sqlite3.Connection, new: New) -> dict[str, int | float]:
    chunk, code = new.prepared.chunk, stock.code
    return {
        "document": new.document,
        "ordinal": new.ordinal,
        "before": new.before,
        "time": NO_TIME if chunk.time is None else seconds(chunk.time),
        "speaker": code(db, "speaker", chunk.speaker) if chunk.speaker else -1,
        "room": code(db, "room", chunk.room) if chunk.room else -1,
        "person": code(db, "person", chunk.person) if chunk.person else -1,
        "audience": code(db, "audience", str(chunk.audience)),
        "tag": code(db, "tag", chunk.tag),
        "source": SOURCES.index(chunk.source),
        "confidence": chunk.confidence,
        "flags": new.prepared.flags,
        "length": new.prepared.length,
        "event_from": new.prepared.event_from,
        "event_to": new.prepared.event_to,
    }


def weigh(stock: Stock, db: sqlite3.Connection) -> None:
    """Weigh tokens anew, and work out every vector again."""
    stock.weighed = max(stock.columns.count, 1)
    stock.weighing += 1
    meta: list[tuple[str, Any]] = [("weighed", stock.weighed), ("weighing", stock.weighing)]
    for number, space in enumerate(stock.spaces):
        weight, mean = space.counted(stock.columns.alive)
        space.weigh(weight, mean)
        meta += [(f"weights {number}", weight.tobytes()), (f"mean {number}", mean.tobytes())]
        space.begin(stock.weighing)
        space.embed(len(stock.columns))
    stock.shelf.release()
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", meta)


def seal(stock: Stock) -> None:
    """Put the words of the first open rows into segments; merge segments that have become many."""
    segments = list(stock.postings.segments)
    while len(stock.columns) - (segments[-1].last if segments else 0) >= SEAL:
        first = segments[-1].last if segments else 0
        segments.append(stock.words(first, first + SEAL))
        joined(segments, FAN)
    there = {words_name(segment) for segment in stock.postings.segments}
    for place, segment in enumerate(segments):
        if words_name(segment) not in there:
            array = stock.shelf.array(words_name(segment), "u1")
            for part in segment.packed():
                array.extend(part)
            segments[place] = Segment.unpacked(array.all)  # the file's, and not in memory twice
    stock.seal(segments)
    stock.shelf.release()


def _stored(row: int, new: New) -> tuple[Any, ...]:
    chunk = new.prepared.chunk
    facts = facts_of(chunk)
    return row, new.document, chunk.start_line, chunk.end_line, sum_of(chunk.text, facts), chunk.text, facts


def _run(new: Sequence[New], space: int, part: int) -> tuple[Array, Array]:
    """The tokens of rows, or where their sentences begin, one row after the other, and how many each has."""
    runs = [np.frombuffer(each.prepared.tokens[space][part], NUMBER) for each in new]
    return np.concatenate(runs), np.array([len(run) for run in runs])


def _append(rows: Array, field: str, ragged: Ragged, run: tuple[Array, Array]) -> None:
    rows[field] = ragged.flat.size + np.cumsum(run[1])
    ragged.flat.extend(run[0])
