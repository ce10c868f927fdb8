"""Where the vectors of an agent are in PostgreSQL: few in a table that all share, many in a separate one, with an index.

A table that was replaced may still be read by somebody; it is noted as waste, and goes when nobody uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg

from oldsoul.adapters.index.spaces import Table
from oldsoul.adapters.postgres.index_tables import PLAIN, SHARED, WIDEST, Array, copy_rows, fetched, packed, written
from oldsoul.adapters.postgres.server import Connection
from oldsoul.adapters.postgres.snapshot import DENSE, IndexSnapshot, StoredSpace
from oldsoul.errors import BadInput
from oldsoul.ranking.pool import Static
from oldsoul.ranking.vectors import embedded, raw_means, units, weights
from oldsoul.values.recall import Prepared

MANY = 5000
"""Up to so many vectors are all compared."""
_BLOCK = 4096
_KINDS = ("int4", "int4", "int8", "bytea", "bytea")
_INDEXED = """CREATE INDEX ON {relation} USING hnsw ((vector::halfvec({width})) halfvec_ip_ops)
    WITH (m=16, ef_construction=64)"""


class VectorTables:
    """The vectors of one agent, in a transaction that changes them."""

    def __init__(self, connection: Connection, now: IndexSnapshot, tables: Sequence[Table]) -> None:
        self._connection = connection
        self._agent = now.agent
        self._tables = tables
        self._spaces = dict(now.spaces)
        self._statics = now.statics
        self.weighing, self.weighed = now.weighing, now.weighed

    def insert(self, rows: Array, prepared: Sequence[Prepared]) -> None:
        """Add the vectors of new rows, weighed as the others are."""
        for space in range(len(self._tables)):
            tokens = [np.frombuffer(made.tokens[space][0], "<i4") for made in prepared]
            begins = [np.frombuffer(made.tokens[space][1], "<i4") for made in prepared]
            static = self._statics[space]
            if static is not None:
                self._embed(self._spaces[space].relation, space, static, (rows, tokens, begins))

    def insert_plain(self, rows: Array, prepared: Sequence[Prepared]) -> None:
        """Add what new rows are when tokens all weigh the same, which other rows never change."""
        for number, table in enumerate(self._tables):
            space, width = PLAIN + number, int(table.vectors.shape[1])
            if space not in self._spaces:
                self._note(space, StoredSpace(table.name, SHARED, width, 0))
            tokens = [np.frombuffer(made.tokens[number][0], "<i4") for made in prepared]
            means = raw_means(
                np.concatenate(tokens), _starts(tokens), table.vectors, np.ones(len(table.vectors), "<f4")
            )
            parts = zip(rows.tolist(), packed(means), strict=True)
            copied = ((self._agent, space, row, vector, b"") for row, vector in parts)
            copy_rows(self._connection, SHARED, _KINDS, copied)

    def _embed(
        self, relation: str, space: int, static: Static, of: tuple[Array, Sequence[Array], Sequence[Array]]
    ) -> None:
        rows, tokens, begins = of
        starts = _starts(tokens)
        counts = [len(each) for each in begins]
        places = np.concatenate(begins) + np.repeat(starts[:-1], counts)
        made = embedded(np.concatenate(tokens), starts, places, static)
        norms = np.split(made.sentence_norm[: len(places)].astype("<f4"), np.cumsum(counts)[:-1])
        parts = zip(rows.tolist(), packed(made.vectors), norms, strict=True)
        copied = ((self._agent, space, row, vector, norm.tobytes()) for row, vector, norm in parts)
        copy_rows(self._connection, relation, _KINDS, copied)

    def bury(self, rows: Sequence[int]) -> None:
        """Drop the vectors of rows that go."""
        for space, kept in self._spaces.items():
            sql = f'DELETE FROM {kept.relation} WHERE agent=%s AND space=%s AND "row"=ANY(%s)'  # noqa: S608 - our name
            gone = self._connection.execute(sql.encode(), (self._agent, space, list(rows))).rowcount
            if space == DENSE:
                self._note(DENSE, kept._replace(rows=kept.rows - gone))

    # weighing

    def weigh(self, count: int) -> None:
        """Weigh tokens by what the rows say now, and work out every vector again."""
        self.weighing += 1
        self.weighed = max(count, 1)
        for space, table in enumerate(self._tables):
            counts = np.zeros(len(table.vectors), "<i8")
            total = np.zeros(table.vectors.shape[1], "<f8")
            for _, tokens, _ in self._blocks(space):
                counts += np.bincount(np.concatenate(tokens), minlength=len(counts))
            weight = weights(counts)
            for _, tokens, _ in self._blocks(space):
                means = raw_means(np.concatenate(tokens), _starts(tokens), table.vectors, weight)
                total += means.sum(axis=0, dtype="<f8")
            static = Static(table.vectors, weight, (total / self.weighed).astype("<f4"))
            width = int(table.vectors.shape[1])
            old = self._spaces.get(space)
            if old is not None:
                self._leave(space, old)
            relation = self._own(space) if count > MANY else SHARED
            for block in self._blocks(space):
                self._embed(relation, space, static, block)
            self._index(relation, width)
            self._note(space, StoredSpace(table.name, relation, width, 0), static)

    def _blocks(self, space: int) -> Iterator[tuple[Array, list[Array], list[Array]]]:
        """All rows, some at a time, with their tokens, and where their sentences begin."""
        sql = 'SELECT "row", tokens[%s], sentences[%s] FROM oldsoul_index_texts WHERE agent=%s ORDER BY "row"'
        with self._streaming("oldsoul_tokens") as cursor:
            cursor.execute(sql.encode(), (space + 1, space + 1, self._agent))
            while found := cursor.fetchmany(_BLOCK):
                rows, *runs = zip(*found, strict=True)
                tokens, begins = ([np.frombuffer(run, "<i4") for run in each] for each in runs)
                yield np.array(rows, "<i8"), tokens, begins

    @contextmanager
    def _streaming(self, name: str) -> Iterator[Any]:
        """A cursor that fetches piece by piece, and is release also when the server dies while it is closed."""
        cursor = self._connection.cursor(name, binary=True)
        try:
            yield cursor
        finally:
            try:
                cursor.close()
            except psycopg.Error:
                self._connection.close()
                cursor.close()
                raise

    # an embedder that is no table

    def turn_to(self, embedder: str) -> None:
        """Go by this embedder from now on; what another gave is dropped."""
        old = self._spaces.get(DENSE)
        if old is not None:
            self._leave(DENSE, old)
        self._note(DENSE, StoredSpace(embedder, SHARED, 0, 0))

    def fill(self, rows: Sequence[int], vectors: Array) -> None:
        """Store what the embedder gave for some rows. Those that are gone are passed over."""
        kept = self._spaces[DENSE]
        width = int(vectors.shape[1])
        if kept.width not in (0, width):
            raise BadInput(
                f"{kept.name} returned vectors of {kept.width} numbers before and of {width} now; give the embedder"
                " another name"
            )
        sql = f"""INSERT INTO {kept.relation} SELECT r.agent, %s, r."row", u.vector::halfvec, ''
            FROM unnest(%s::bigint[], %s::text[]) AS u ("row", vector) CROSS JOIN LATERAL (
                SELECT agent, "row" FROM oldsoul_index_rows WHERE agent=%s AND "row"=u."row" OFFSET 0
            ) r ON CONFLICT DO NOTHING"""  # noqa: S608 - our name
        values = (DENSE, list(rows), [written(vector) for vector in units(vectors)], self._agent)
        added = self._connection.execute(sql.encode(), values).rowcount
        kept = kept._replace(width=width, rows=kept.rows + added)
        if kept.rows > MANY and kept.relation == SHARED and width <= WIDEST:
            kept = self._moved(kept)
        self._note(DENSE, kept)

    def _moved(self, kept: StoredSpace) -> StoredSpace:
        """The embedder's vectors, in their own table."""
        relation = self._own(DENSE)
        if relation != SHARED:
            sql = f"INSERT INTO {relation} SELECT * FROM {SHARED} WHERE agent=%s AND space=%s"  # noqa: S608 - our names
            self._connection.execute(sql.encode(), (self._agent, DENSE))
            self._leave(DENSE, kept)
            self._index(relation, kept.width)
        return kept._replace(relation=relation)

    # tables

    def _own(self, space: int) -> str:
        """A new table for the vectors of one space; the shared one where we may not make any."""
        (allowed,) = fetched(self._connection, "SELECT has_schema_privilege(current_schema(), 'CREATE')")[0]
        if not allowed:
            return SHARED
        ((number,),) = fetched(self._connection, "SELECT nextval('oldsoul_index_agents_agent_seq')")
        relation = f"{SHARED}_{self._agent}_{space % 100}_{number}"
        self._connection.execute(f"CREATE TABLE {relation} (LIKE {SHARED})".encode())
        return relation

    def _index(self, relation: str, width: int) -> None:
        if relation == SHARED:
            return
        # One process builds it: several would need shared memory that containers do not give. Its size is bounded.
        self._connection.execute(b"SET LOCAL max_parallel_maintenance_workers=0")
        self._connection.execute(b"SET LOCAL maintenance_work_mem='512MB'")
        self._connection.execute(f'ALTER TABLE {relation} ADD PRIMARY KEY (agent, space, "row")'.encode())
        self._connection.execute(_INDEXED.format(relation=relation, width=width).encode())

    def _leave(self, space: int, kept: StoredSpace) -> None:
        """Have a space hold no vectors."""
        if kept.relation == SHARED:
            sql = f"DELETE FROM {SHARED} WHERE agent=%s AND space=%s"  # noqa: S608 - our name
            self._connection.execute(sql.encode(), (self._agent, space))
        else:
            self._connection.execute(b"INSERT INTO oldsoul_index_waste VALUES (%s)", (kept.relation,))

    def _note(self, space: int, kept: StoredSpace, static: Static | None = None) -> None:
        self._spaces[space] = kept
        parts = (static.weight.tobytes(), static.mean.tobytes()) if static else (b"", b"")
        sql = b"""INSERT INTO oldsoul_index_spaces VALUES (%s,%s,%s,%s,%s,%s,%b,%b) ON CONFLICT (agent, space) DO UPDATE SET
            name=excluded.name, relation=excluded.relation, width=excluded.width, rows=excluded.rows,
            weight=excluded.weight, mean=excluded.mean"""
        values = (self._agent, space, kept.name, kept.relation, kept.width, kept.rows, *parts)
        self._connection.execute(sql, values)


def sweep(connection: Connection) -> None:
    """Drop tables that nobody needs, and that nobody is reading now."""
    for (relation,) in fetched(connection, "SELECT relation FROM oldsoul_index_waste FOR UPDATE SKIP LOCKED"):
        try:
            with connection.transaction():
                connection.execute(f"LOCK TABLE {relation} IN ACCESS EXCLUSIVE MODE NOWAIT".encode())
                connection.execute(f"DROP TABLE {relation}".encode())
                connection.execute(b"DELETE FROM oldsoul_index_waste WHERE relation=%s", (relation,))
        except (psycopg.errors.LockNotAvailable, psycopg.errors.InsufficientPrivilege):
            continue  # somebody reads it, or it is another role's: another time


def _starts(tokens: Sequence[Array]) -> Array:
    return np.append(0, np.cumsum([len(part) for part in tokens]))
