"""Which rows of an embedded index are not to be found, since a correction took their place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.adapters.index.rows import seconds
from oldsoul.adapters.index.schema import ENTRY
from oldsoul.ranking.chunks import said, says_just
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import NO_TIME
from oldsoul.ranking.terms import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from oldsoul.adapters.index.arrays import Array
    from oldsoul.adapters.index.stock import Stock
    from oldsoul.values.recall import Chunk

    Chunks = Callable[[Sequence[int]], list[Chunk]]

_FEW = 4
"""So many rows are read rather than looked up by a further word."""
_OF_ENTRIES = f"""
    SELECT chunks.id, wanted.key FROM json_each(?) AS wanted CROSS JOIN chunks
    ON {ENTRY} >= substr(wanted.value, 1, 12) AND {ENTRY} < substr(wanted.value, 1, 12) || char(1114111)
    WHERE instr(facts, '"entry": "' || wanted.value)
"""  # noqa: S608 - our own words alone


def superseded(
    stock: Stock,
    chunks: Chunks,
    entries: Mapping[str, datetime | None],
    words: Sequence[tuple[str, datetime | None]],
) -> set[int]:
    """The rows of these entries, and those that have these words, if they are older than what took their place."""
    found = (*_by_entry(stock, entries), *_by_words(stock, chunks, words))
    return {row for row, before in found if _is_older(stock, row, before)}


def _by_entry(stock: Stock, entries: Mapping[str, datetime | None]) -> Iterator[tuple[int, datetime | None]]:
    if not entries:
        return
    wanted = json.dumps([json.dumps(entry, ensure_ascii=False)[1:] for entry in entries])
    times = list(entries.values())
    for row, number in stock.file.rows(_OF_ENTRIES, wanted):
        yield row, times[number]


def _by_words(
    stock: Stock, chunks: Chunks, words: Sequence[tuple[str, datetime | None]]
) -> Iterator[tuple[int, datetime | None]]:
    for text, before in words:
        alive = [row for row in _having(stock, terms(said(text))) if stock.columns.alive[row]]
        for row, chunk in zip(alive, chunks(alive), strict=True):
            if says_just(chunk, text) and not chunk.correction:
                yield row, before


def _having(stock: Stock, said: Sequence[str]) -> list[int]:
    """The rows that may have all of these terms; the rare ones are looked for first."""
    numbers = {stock.known_number(term) for term in said}
    seldom = sorted((stock.postings.frequency(number), number) for number in numbers)
    if not seldom or not seldom[0][0]:
        return []
    rows: Array = stock.postings.find(seldom[0][1])[0]
    for _, number in seldom[1:]:
        if len(rows) <= _FEW:
            break
        found = stock.postings.find(number)[0]
        rows = rows[found[np.minimum(found.searchsorted(rows), len(found) - 1)] == rows]
    return [int(row) for row in rows]


def _is_older(stock: Stock, row: int, before: datetime | None) -> bool:
    columns = stock.columns
    if not columns.alive[row] or columns.rows["flags"][row] & Mark.CORRECTION:
        return False
    time = int(columns.rows["time"][row])
    return before is None or time == NO_TIME or time < seconds(before)
