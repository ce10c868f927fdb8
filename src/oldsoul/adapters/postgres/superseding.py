"""Which rows of an index in PostgreSQL are not to be found, since a correction took their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oldsoul.adapters.columns import said, stored
from oldsoul.adapters.index.rows import chunk_of, seconds
from oldsoul.adapters.postgres.schema import fetched, number_of
from oldsoul.ranking.chunks import says_just
from oldsoul.ranking.terms import terms as terms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from oldsoul.adapters.postgres.server import Connection
    from oldsoul.values.recall import Chunk

CHUNKS = """SELECT r."row", f.path, r.start_line, r.end_line, t.text, t.facts FROM oldsoul_index_rows r
    CROSS JOIN LATERAL (SELECT text, facts FROM oldsoul_index_texts WHERE agent=r.agent AND "row"=r."row" OFFSET 0) t
    CROSS JOIN LATERAL (SELECT path FROM oldsoul_index_files WHERE agent=r.agent AND document=r.document OFFSET 0) f
    WHERE r.agent=%s """
_WITH_ALL = """SELECT p."row" FROM oldsoul_index_terms t CROSS JOIN LATERAL (
        SELECT "row" FROM oldsoul_index_postings WHERE agent=t.agent AND term=t.number OFFSET 0
    ) p WHERE t.agent=%s AND t.term=ANY(%s) GROUP BY p."row" HAVING count(*)=%s"""


def numbered_chunk(row: Any) -> tuple[int, Chunk]:
    """A row of `CHUNKS`: its number, and what it says."""
    number, path, first, last, text, facts = row
    return number, chunk_of(said(path), (first, last), said(text), said(facts))


def corrected(
    connection: Connection,
    agent: int,
    entries: Mapping[str, datetime | None],
    words: Sequence[tuple[str, datetime | None]],
) -> Iterator[int]:
    """The rows that corrections took the place of."""
    by_number = {number_of(entry): (entry, before) for entry, before in entries.items() if entry}
    found = fetched(connection, f"{CHUNKS} AND r.entry=ANY(%s::bigint[])", (agent, list(by_number)))
    for number, chunk in map(numbered_chunk, found):
        entry, before = by_number[number_of(chunk.entry)]
        if chunk.entry == entry and _is_older(chunk, before):
            yield number
    for text, before in words:
        wanted = [stored(term) for term in dict.fromkeys(terms_of(text))]
        rows = [row for (row,) in fetched(connection, _WITH_ALL, (agent, wanted, len(wanted)))]
        for number, chunk in map(numbered_chunk, fetched(connection, f'{CHUNKS} AND r."row"=ANY(%s)', (agent, rows))):
            if says_just(chunk, text) and _is_older(chunk, before):
                yield number


def _is_older(chunk: Chunk, before: datetime | None) -> bool:
    if chunk.correction:
        return False
    return before is None or chunk.time is None or seconds(chunk.time) < seconds(before)
