"""What tokens weigh for those who do not see every row of an index in PostgreSQL: counted over the rows they see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from oldsoul.adapters.columns import digest, stored
from oldsoul.adapters.index.rows import facts_of, seconds, sum_of
from oldsoul.adapters.index.spaces import Table
from oldsoul.adapters.postgres.index_tables import (
    FOREIGN,
    LENGTH,
    ROWS,
    Array,
    copy_columns,
    copy_rows,
    fetched,
    number_of,
)
from oldsoul.adapters.postgres.server import Connection
from oldsoul.adapters.postgres.snapshot import CODED, IndexSnapshot
from oldsoul.adapters.postgres.vectors import VectorTables
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import NO_TIME, Rows, Static
from oldsoul.ranking.terms import prefix
from oldsoul.ranking.vectors import own_weights
from oldsoul.values.audience import View
from oldsoul.values.recall import SOURCES, Chunk, Filed, Prepared

Owned = dict[tuple[View, int], "Own"]
Prepare = Callable[[Iterable[Chunk]], Iterable[Prepared]]


_OWNERS = 8
"""For so many views it is remembered what tokens weigh for them."""
_TOKENS = """SELECT t.tokens FROM oldsoul_index_rows r CROSS JOIN LATERAL (
        SELECT tokens[%(table)s] AS tokens FROM oldsoul_index_texts WHERE agent=%(agent)s AND "row"=r."row" OFFSET 0
    ) t WHERE r.agent=%(agent)s AND r."row">=%(first)s AND r.audience=ANY(%(audiences)s::int[])"""


class Own(NamedTuple):
    """How often the rows that a view sees use each token of a table, and what tokens weigh by that."""

    agent: int
    """whose rows"""
    last: int
    """the row after the last that was looked at"""
    rows: int
    """how many are seen"""
    counts: Array
    weighed: Static
    plain: Static


def owned(connection: Connection, now: IndexSnapshot, kept: Owned, key: tuple[View, int], table: Rows) -> Own:
    """What the tokens of a table weigh in the rows that a view sees; only rows that are new are fetched and counted."""
    view, space = key
    seen = now.seen(view)
    rows = now.among(seen)[0]
    none = np.zeros(len(table), "<i8")
    known = kept.get(key)

    def tokens(first: int) -> list[tuple[bytes]]:
        values = {"agent": now.agent, "table": space + 1, "first": first, "audiences": seen}
        return fetched(connection, _TOKENS, values, prepare=False)

    if known is None or known.agent != now.agent or known.last > now.next_row:
        known = Own(now.agent, 0, 0, none, *own_weights(none, table))
    if known.last < now.next_row or known.rows != rows:
        fresh = tokens(known.last)
        if known.rows + len(fresh) != rows:  # some are gone
            known, fresh = known._replace(counts=none), tokens(0)
        known = known._replace(last=now.next_row, rows=rows)
        if fresh:
            flat = np.frombuffer(b"".join(data for (data,) in fresh), "<i4")
            counts = known.counts + np.bincount(flat, minlength=len(table))
            known = Own(now.agent, now.next_row, rows, counts, *own_weights(counts, table))
    kept.pop(key, None)
    kept[key] = known
    while len(kept) > _OWNERS:
        kept.pop(next(iter(kept)), None)
    return known


GROWN = 1.5
"""Tokens are weighed again when there are so many times as many rows as the last time."""
_AT_ONCE = 2000
"""About so many chunks are indexed together."""
_MOST_TIMES = 65535
_HALF, _LOW = 32, 0xFFFFFFFF
_STORED = """SELECT f.path, f.document, r."row", r.start_line, r.end_line, r.hash FROM oldsoul_index_files f
    LEFT JOIN LATERAL (
        SELECT "row", start_line, end_line, hash, ordinal FROM oldsoul_index_rows
        WHERE agent=f.agent AND document=f.document OFFSET 0
    ) r ON true WHERE f.agent=%s AND f.place=ANY(%s) ORDER BY f.document, r.ordinal"""
_FORGET = """DELETE FROM oldsoul_index_postings WHERE ctid=ANY(ARRAY(
        SELECT p.ctid FROM unnest(%s::int[], %s::bigint[]) AS u (term, "row") CROSS JOIN LATERAL (
            SELECT ctid FROM oldsoul_index_postings WHERE agent=%s AND term=u.term AND "row"=u."row" OFFSET 0
        ) p
    ))"""
_ROW = (
    ">i4 >i8 >i4 >i4 >i8 >i8 >i8 >i8 >i8 >i4 >i4 >i2 >i4 >i4 >i4 >f4 >i4 >i4 >i4 >i4 ?".split()  # noqa: SIM905 - shorter
)


class _Old(NamedTuple):
    """A document as it is stored."""

    document: int
    """its number"""
    rows: list[int]
    """its rows"""
    sums: list[tuple[int, int, int]]
    """the lines and the checksum of each"""


class _New(NamedTuple):
    """A chunk that is to be inserted."""

    document: int
    """its document's number"""
    ordinal: int
    """its place in it"""
    chunk: Chunk
    """what it is"""
    facts: str
    """the rest of it, as JSON"""
    hash: int
    """its checksum"""


class Writing:
    """Changes to one agent's index. Whoever makes it holds the agent's lock; `finish` comes last."""

    def __init__(self, connection: Connection, now: IndexSnapshot, tables: Sequence[Table]) -> None:
        self._connection = connection
        self._now = now
        self._tables = tables
        self.vectors = VectorTables(connection, now, tables)
        self._rows, self._length = now.rows, now.length
        self._next_row, self._next_document = now.next_row, now.next_document
        self._codes = {kind: {name: code for code, name in enumerate(now.names.get(kind, ()))} for kind in CODED}
        self._new_codes: list[tuple[int, str, int, str]] = []
        self._new_terms: dict[str, int] = {}
        self._counts: Counter[int] = Counter()  # by term and audience, as one number
        self._due = False

    # documents

    def put(self, filed: Iterable[Filed], prepare: Prepare, *, append: bool) -> None:
        """Have documents in the index as they are now, or add chunks at their ends."""
        for batch in _batches(filed):
            self._put(batch, prepare, append=append)

    def finish(self, attempt: str | None = None, *, weigh: bool = False) -> None:
        """Write down what all of it comes to."""
        if weigh or self._due or self._rows > self._now.weighed * GROWN:
            self.vectors.weigh(self._rows)
        connection, agent = self._connection, self._now.agent
        if self._new_codes:
            copy_rows(connection, "oldsoul_index_codes", ("int4", "text", "int4", "text"), self._new_codes)
        if self._new_terms:
            rows = ((agent, number, term, stored(prefix(term))) for term, number in self._new_terms.items())
            copy_rows(connection, "oldsoul_index_terms", ("int4", "int4", "text", "text"), rows)
        changed = sorted((key, by) for key, by in self._counts.items() if by)
        if changed:
            sql = b"""INSERT INTO oldsoul_index_counts AS c
                SELECT %s, u.term, u.audience, u.change FROM unnest(%s::int[], %s::int[], %s::bigint[]) AS u (term, audience, change)
                ON CONFLICT (agent, term, audience) DO UPDATE SET rows=c.rows+excluded.rows"""
            terms, audiences = [key >> _HALF for key, _ in changed], [key & _LOW for key, _ in changed]
            connection.execute(sql, (agent, terms, audiences, [by for _, by in changed]))
        sql = b"""UPDATE oldsoul_index_agents SET version=version+1, weighing=%s, weighed=%s, rows=%s, length=%s,
            next_row=%s, next_term=%s, next_document=%s,
            attempts=CASE WHEN %s::uuid IS NULL THEN attempts ELSE (%s::uuid || attempts)[1:16] END WHERE agent=%s"""
        numbers = (self._rows, self._length, self._next_row, self._next_term, self._next_document)
        values = (self.vectors.weighing, self.vectors.weighed, *numbers, attempt, attempt, agent)
        connection.execute(sql, values)

    @property
    def _next_term(self) -> int:
        return self._now.next_term + len(self._new_terms)

    def _put(self, batch: Sequence[Filed], prepare: Prepare, *, append: bool) -> None:
        gone: list[int] = []
        new = self._changed(batch, gone, append=append)
        while part := list(islice(new, _AT_ONCE)):
            self._bury(gone)
            gone.clear()
            self._insert(part, list(prepare(each.chunk for each in part)))
        self._bury(gone)

    def _changed(self, batch: Sequence[Filed], gone: list[int], *, append: bool) -> Iterator[_New]:
        """What is to be put in, as it is asked for; what is not in the documents any more is added to what is gone."""
        known = self._stored([filed.path for filed in batch])
        for filed in batch:
            old = known.get(stored(filed.path)) or _Old(self._new_document(filed), [], [])
            count = len(old.rows) if append else 0
            for chunk in filed.chunks:
                facts = facts_of(chunk)
                new = _New(old.document, count, chunk, facts, sum_of(chunk.text, facts))
                if count < len(old.rows) and old.sums[count] != (chunk.start_line, chunk.end_line, new.hash):
                    gone += old.rows[count:]
                    del old.rows[count:]
                if count >= len(old.rows):
                    yield new
                count += 1
            gone += old.rows[count:]
            self._file(old.document, filed, is_empty=not count)

    def redact(self, redacted: Iterable[Filed], prepare: Prepare) -> None:
        """Put chunks in the place of those that begin at the same lines."""
        gone: list[int] = []
        new: list[_New] = []
        for filed in redacted:
            old = self._stored([filed.path]).get(stored(filed.path), _Old(-1, [], []))
            begins = {sums[0]: (ordinal, sums[2]) for ordinal, sums in enumerate(old.sums)}
            for chunk in filed.chunks:
                facts = facts_of(chunk)
                ordinal, was = begins.get(chunk.start_line, (-1, 0))
                if ordinal >= 0 and was != (checksum := sum_of(chunk.text, facts)):
                    gone.append(old.rows[ordinal])
                    new.append(_New(old.document, ordinal, chunk, facts, checksum))
        self._bury(gone)
        if new:
            self._insert(new, list(prepare(each.chunk for each in new)))

    def _stored(self, paths: Sequence[str]) -> dict[str, _Old]:
        found: dict[str, _Old] = {}
        for path, document, row, *sums in fetched(
            self._connection, _STORED, (self._now.agent, [digest(path) for path in paths])
        ):
            old = found.setdefault(path, _Old(document, [], []))
            if row is not None:
                old.rows.append(row)
                old.sums.append((sums[0], sums[1], sums[2]))
        return found

    def _new_document(self, filed: Filed) -> int:
        number = self._next_document
        self._next_document += 1
        values = (self._now.agent, number, digest(filed.path), stored(filed.path), stored(filed.digest))
        self._connection.execute(b"INSERT INTO oldsoul_index_files VALUES (%s,%s,%s,%s,%s)", values)
        return number

    def _file(self, document: int, filed: Filed, *, is_empty: bool) -> None:
        place = (self._now.agent, document)
        if is_empty and not filed.digest:
            self._connection.execute(b"DELETE FROM oldsoul_index_files WHERE agent=%s AND document=%s", place)
        else:
            sql = b"UPDATE oldsoul_index_files SET digest=%s WHERE agent=%s AND document=%s AND digest<>%s"
            self._connection.execute(sql, (stored(filed.digest), *place, stored(filed.digest)))

    def _bury(self, rows: Sequence[int]) -> None:
        if not rows:
            return
        connection, agent = self._connection, self._now.agent
        sql = """DELETE FROM oldsoul_index_texts WHERE agent=%s AND "row"=ANY(%s) RETURNING "row", terms"""
        found = fetched(connection, sql, (agent, list(rows)))
        own = {row: np.frombuffer(data, "<i4") for row, data in found}
        terms, at, _ = _pairs(list(own), list(own.values()))
        connection.execute(_FORGET.encode(), (terms.tolist(), at.tolist(), agent))
        sql = 'DELETE FROM oldsoul_index_rows WHERE agent=%s AND "row"=ANY(%s) RETURNING "row", audience, flags'
        gone = [(own[row], audience, flags) for row, audience, flags in fetched(connection, sql, (agent, list(rows)))]
        self._counts.subtract(_counted(gone))
        self.vectors.bury(rows)
        self._rows -= len(found)
        self._length -= sum(len(data) // 4 for _, data in found)

    # rows

    def _insert(self, new: Sequence[_New], prepared: Sequence[Prepared]) -> None:
        connection, agent, count = self._connection, self._now.agent, len(new)
        rows = np.arange(self._next_row, self._next_row + count)
        numbers = self._numbers(prepared)
        copy_columns(connection, "oldsoul_index_rows", self._columns(rows, new, prepared))
        kinds = ("int4", "int8", "text", "text", "bytea", "bytea[]", "bytea[]")
        texts = (
            (
                agent,
                row,
                stored(each.chunk.text),
                stored(each.facts),
                terms.tobytes(),
                [tokens for tokens, _ in made.tokens],
                [begins for _, begins in made.tokens],
            )
            for row, each, made, terms in zip(rows.tolist(), new, prepared, numbers, strict=True)
        )
        copy_rows(connection, "oldsoul_index_texts", kinds, texts)
        terms, at, times = _pairs(rows, numbers)
        audiences = [self._code("audience", str(each.chunk.audience)) for each in new]
        self._counts.update(_counted(zip(numbers, audiences, [made.flags for made in prepared], strict=True)))
        lengths = np.array([len(part) for part in numbers])
        if len(terms):
            columns = [(">i4", agent), (">i4", terms), (">i8", at), (">i4", times), (">i4", lengths[at - rows[0]])]
            copy_columns(connection, "oldsoul_index_postings", columns)
        self._next_row += count
        self._rows += count
        self._length += int(lengths.sum())
        # When all vectors are worked out again at the end, there is no use in working them out now.
        self._due = self._due or self._rows > self._now.weighed * GROWN
        self.vectors.insert_plain(rows, prepared)
        if not self._due:
            self.vectors.insert(rows, prepared)

    def _columns(self, rows: Array, new: Sequence[_New], prepared: Sequence[Prepared]) -> list[tuple[str, Any]]:
        chunks = [each.chunk for each in new]
        values: list[Any] = [
            self._now.agent,
            rows,
            [each.document for each in new],
            [each.ordinal for each in new],
            [chunk.start_line for chunk in chunks],
            [chunk.end_line for chunk in chunks],
            [each.hash for each in new],
            [NO_TIME if chunk.time is None else seconds(chunk.time) for chunk in chunks],
            [number_of(chunk.entry) for chunk in chunks],
            [self._code("speaker", chunk.speaker) for chunk in chunks],
            [self._code("audience", str(chunk.audience)) for chunk in chunks],
            [SOURCES.index(chunk.source) for chunk in chunks],
            [self._code("tag", chunk.tag) for chunk in chunks],
            [self._code("room", chunk.room) for chunk in chunks],
            [self._code("person", chunk.person) for chunk in chunks],
            [chunk.confidence for chunk in chunks],
            [made.flags for made in prepared],
            [made.length for made in prepared],
            [made.event_from for made in prepared],
            [made.event_to for made in prepared],
            [False] * len(new),
        ]
        return list(zip(_ROW, values, strict=True))

    def _code(self, kind: str, value: str) -> int:
        if not value:
            return -1
        codes = self._codes[kind]
        known = codes.get(value)
        if known is None:
            known = codes[value] = len(codes)
            self._new_codes.append((self._now.agent, kind, known, stored(value)))
        return known

    def _numbers(self, prepared: Sequence[Prepared]) -> list[Array]:
        """The numbers of the terms of each; terms nobody had get new ones."""
        places = {term: stored(term) for term in dict.fromkeys(chain.from_iterable(made.terms for made in prepared))}
        sql = "SELECT term, number FROM oldsoul_index_terms WHERE agent=%s AND term=ANY(%s)"
        known = dict(fetched(self._connection, sql, (self._now.agent, list(places.values()))))
        numbers: dict[str, int] = {}
        for term, written in places.items():
            number = known.get(written, self._new_terms.get(written))
            if number is None:
                number = self._new_terms[written] = self._next_term
            numbers[term] = number
        return [np.array([numbers[term] for term in made.terms], "<i4") for made in prepared]


def _batches(filed: Iterable[Filed]) -> Iterator[list[Filed]]:
    """Documents, some at a time, none of them twice."""
    batch: dict[str, Filed] = {}
    for each in filed:
        if each.path in batch or len(batch) >= _AT_ONCE:
            yield list(batch.values())
            batch = {}
        batch[each.path] = each
    if batch:
        yield list(batch.values())


def _counted(rows: Iterable[tuple[Array, int, int]]) -> Counter[int]:
    """What rows come to, from the terms, the audience and the flags of each: by term and audience, as one number."""
    found: Counter[int] = Counter()
    for terms, audience, flags in rows:
        found.update(((np.unique(terms).astype("<i8") << _HALF) | audience).tolist())
        found[(ROWS << _HALF) | audience] += 1
        found[(LENGTH << _HALF) | audience] += len(terms)
        found[(FOREIGN << _HALF) | audience] += bool(flags & Mark.FOREIGN)
    return found


def _pairs(rows: Sequence[int] | Array, terms: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Which terms are in which rows, each pair once, and how often."""
    flat = np.concatenate([*terms, np.empty(0, "<i4")])
    at = np.repeat(np.asarray(rows, "<i8"), [len(part) for part in terms])
    order = np.lexsort((at, flat))
    flat, at = flat[order], at[order]
    fresh = np.ones(len(flat), bool)
    fresh[1:] = (flat[1:] != flat[:-1]) | (at[1:] != at[:-1])
    starts = np.flatnonzero(fresh)
    times = np.minimum(np.diff(np.append(starts, len(flat))), _MOST_TIMES)
    return flat[starts], at[starts], times
