"""The index in PostgreSQL with pgvector: many agents in one database, many who write and read at once.

Each agent's writers take turns; its readers see one moment and wait for nobody. What the tables of vectors are is known
to the clients alone; the database keeps what each agent's own words make of them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
import psycopg

from oldsoul.adapters.columns import digest, said, stored
from oldsoul.adapters.index.rows import chunk_of, seconds
from oldsoul.adapters.index.spaces import Table
from oldsoul.adapters.postgres.candidates import PostgresCandidates, Tokens, heard, holds_other
from oldsoul.adapters.postgres.index_rows import Owned, Writing
from oldsoul.adapters.postgres.index_tables import MIGRATIONS, OF_AGENT, SHARED, Array, fetched, number_of
from oldsoul.adapters.postgres.server import PATIENCE_SECONDS, Connection
from oldsoul.adapters.postgres.snapshot import DENSE, NOBODY, DatabaseSnapshot, IndexSnapshot, Server, picture
from oldsoul.adapters.postgres.vectors import sweep
from oldsoul.errors import NotFound, Unavailable
from oldsoul.ranking.chunks import says_just
from oldsoul.ranking.pool import Pool, Statistics
from oldsoul.ranking.question import Question
from oldsoul.ranking.terms import terms as terms_of
from oldsoul.values.audience import View
from oldsoul.values.recall import Chunk, Filed, Filters, Prepared

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
    """The rows that corrections replaced."""
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


_LACKING = """AND (SELECT v."row" FROM {relation} v WHERE v.agent=r.agent AND v.space=%s AND v."row"=r."row") IS NULL
    ORDER BY r."row" LIMIT %s"""
_UNUSED = b"""DELETE FROM oldsoul_index_terms t WHERE agent=%s
    AND NOT EXISTS (SELECT 1 FROM oldsoul_index_counts WHERE agent=t.agent AND term=t.number)"""
_FORMAT = 2
_TRIES = 3
_T = TypeVar("_T")


class PostgresIndex:
    """One agent's index, in a database on a server. Waits for a server that is away for a while."""

    def __init__(
        self,
        dsn: str,
        home: str,
        workspace: str,
        tables: Sequence[Table],
        maker: str = "",
        *,
        timeout: float = PATIENCE_SECONDS,
    ) -> None:
        self._server = Server(dsn, "index", MIGRATIONS, timeout=timeout)
        self._workspace = f"{home}/{workspace}" if home else workspace  # nothing: before there were homes
        self._tables = tuple(tables)
        self._made = stored(json.dumps([_FORMAT, maker, *(table.name for table in tables)]))
        self._last: IndexSnapshot | None = None
        self._claimed = False
        self._moments = threading.local()
        self._own: Owned = {}

    def close(self) -> None:
        """Close every connection."""
        self._server.close()

    def drop(self) -> None:
        """Remove everything of this agent."""
        self._server.run(lambda connection: self._wipe(connection) if self._lock(connection) else None)
        self._last = None
        self._server.run(sweep)

    # one moment

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Everything that is looked up within it is of one moment, whoever writes meanwhile."""
        if self._moment is not None:
            yield
            return
        moment = self._moments.now = DatabaseSnapshot()
        try:
            yield
        finally:
            self._moments.now = None
            moment.end()

    @property
    def _moment(self) -> DatabaseSnapshot | None:
        moment: DatabaseSnapshot | None = getattr(self._moments, "now", None)
        return moment

    def _read(self, work: Callable[[Connection, IndexSnapshot], _T]) -> _T:
        """What the work gives in one moment."""
        self._claim()

        moment = self._moment
        if moment is None:
            return self._again(lambda: self._server.read(lambda c: work(c, self._picture(c))))

        def begin(connection: Connection) -> IndexSnapshot:
            """The index as it is in this moment. Tables that are read in it cannot go while it lasts."""
            now = self._picture(connection)
            for kept in now.spaces.values():
                if kept.relation != SHARED:
                    connection.execute(f"LOCK TABLE {kept.relation} IN ACCESS SHARE MODE".encode())
            return now

        return self._again(lambda: self._server.read_within(moment, begin, work))

    def _again(self, read: Callable[[], _T]) -> _T:
        """What the read gives. A table of vectors may be replaced between our learning of it and our reading it."""
        for _ in range(_TRIES):
            try:
                return read()
            except Unavailable as error:
                if not isinstance(error.__cause__, psycopg.errors.UndefinedTable):
                    raise
        return read()

    def _picture(self, connection: Connection) -> IndexSnapshot:
        now = picture(connection, self._workspace, self._tables, self._last)
        if now.agent != NOBODY and now.made != self._made:
            raise Unavailable(f"another Oldsoul rebuilt this index, for {now.made}; restart this one")
        self._last = now
        return now

    # writing

    def _claim(self) -> None:
        """Begin again where the index was made by or for something else."""
        if not self._claimed:
            self._server.run(self._begin)
            self._claimed = True

    def _begin(self, connection: Connection) -> None:
        sql = "SELECT made FROM oldsoul_index_agents WHERE digest=%s"
        place = (digest(self._workspace),)
        if fetched(connection, sql, place) != [(self._made,)]:
            self._lock(connection)
            if fetched(connection, sql, place) != [(self._made,)]:
                self._wipe(connection)
                connection.execute(
                    b"INSERT INTO oldsoul_index_agents (digest, made) VALUES (%s, %s)", (*place, self._made)
                )

    def _lock(self, connection: Connection) -> bool:
        """Wait until nobody else writes to this agent's index."""
        connection.execute(b"SELECT pg_advisory_xact_lock(%s)", (number_of(f"oldsoul index {self._workspace}"),))
        return True

    def _wipe(self, connection: Connection) -> None:
        place = (digest(self._workspace),)
        agents = [
            agent for (agent,) in fetched(connection, "SELECT agent FROM oldsoul_index_agents WHERE digest=%s", place)
        ]
        sql = b"""INSERT INTO oldsoul_index_waste
            SELECT relation FROM oldsoul_index_spaces WHERE agent=ANY(%s) AND relation<>%s"""
        connection.execute(sql, (agents, SHARED))
        for table in OF_AGENT:
            connection.execute(f"DELETE FROM oldsoul_index_{table} WHERE agent=ANY(%s)".encode(), (agents,))  # noqa: S608

    def _write(self, work: Callable[[Connection, IndexSnapshot], _T]) -> _T:
        """What the work gives, done while nobody else writes to this agent's index."""
        self._claim()

        def write(connection: Connection) -> tuple[_T, IndexSnapshot]:
            self._lock(connection)
            now = self._picture(connection)
            if now.agent == NOBODY:  # somebody dropped it
                self._begin(connection)
                now = self._picture(connection)
            return work(connection, now), picture(connection, self._workspace, self._tables, now)

        try:
            done, self._last = self._server.run(write)
        except BaseException:
            self._last = None  # it may hold what was not committed
            raise
        return done

    def put(
        self, filed: Iterable[Filed], prepare: Callable[[Iterable[Chunk]], Iterable[Prepared]], *, append: bool = False
    ) -> None:
        """Have documents in the index as they are now, all of them or none; or add chunks at their ends."""
        given = list(filed)
        attempt = str(uuid4())

        def put(connection: Connection, now: IndexSnapshot) -> bool:
            sql = "SELECT 1 FROM oldsoul_index_agents WHERE agent=%s AND %s::uuid=ANY(attempts)"
            if append and fetched(connection, sql, (now.agent, attempt)):
                return False  # it was done, and only the answer was lost
            writing = Writing(connection, now, self._tables)
            writing.put(_following(connection, now.agent, given), prepare, append=append)
            writing.finish(attempt if append else None)
            return writing.vectors.weighing != now.weighing

        if bool(given) and self._write(put):
            self._server.run(sweep)

    def erase(self, redacted: Iterable[Filed], prepare: Callable[[Iterable[Chunk]], Iterable[Prepared]]) -> None:
        """Put chunks in the place of those that begin at the same lines, and leave nothing of any row that is gone."""
        given = list(redacted)

        def erase(connection: Connection, now: IndexSnapshot) -> None:
            writing = Writing(connection, now, self._tables)
            writing.redact(given, prepare)
            writing.finish()
            connection.execute(b"DELETE FROM oldsoul_index_counts WHERE agent=%s AND rows<=0", (now.agent,))
            connection.execute(_UNUSED, (now.agent,))

        self._write(erase)

    def weigh(self) -> None:
        """Weigh tokens by what the rows say now."""
        self._write(lambda connection, now: Writing(connection, now, self._tables).finish(weigh=True))
        self._server.run(sweep)

    def supersede(self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]) -> None:
        """Have rows not be found that a correction replaced: by entry, or by words, if they are older."""

        def supersede(connection: Connection, now: IndexSnapshot) -> None:
            wanted = sorted(set(corrected(connection, now.agent, entries, words)))
            sql = b"""UPDATE oldsoul_index_rows SET superseded=NOT superseded
                WHERE agent=%s AND (superseded AND "row"<>ALL(%s) OR "row"=ANY(%s) AND NOT superseded)"""
            if connection.execute(sql, (now.agent, wanted, wanted)).rowcount:
                Writing(connection, now, self._tables).finish()

        self._write(supersede)

    def noted(self, key: str) -> str | None:
        """What was noted under this key, for the weights that hold now."""
        sql = "SELECT value FROM oldsoul_index_notes WHERE agent=%s AND key=%s AND weighing=%s"
        values = self._read(lambda c, now: fetched(c, sql, (now.agent, stored(key), now.weighing)))
        return said(values[0][0]) if values else None

    def note(self, key: str, value: str) -> None:
        """Note something that holds until tokens are weighed again."""
        seen = self._last
        sql = b"""INSERT INTO oldsoul_index_notes VALUES (%s,%s,%s,%s)
            ON CONFLICT (agent, key) DO UPDATE SET weighing=excluded.weighing, value=excluded.value"""

        def note(connection: Connection, now: IndexSnapshot) -> None:
            # What was found out under other weights does not hold for those of now.
            weighing = seen.weighing if seen is not None and seen.agent == now.agent else now.weighing
            connection.execute(sql, (now.agent, stored(key), weighing, stored(value)))

        self._write(note)

    # an embedder that is no table

    def missing_vectors(self, embedder: str, count: int) -> list[tuple[int, Chunk]]:
        """The next rows, at most so many, that have no vector by this embedder. Those by another are dropped."""

        def turn(connection: Connection, now: IndexSnapshot) -> None:
            kept = now.spaces.get(DENSE)
            if kept is None or kept.name != stored(embedder):
                writing = Writing(connection, now, self._tables)
                writing.vectors.turn_to(stored(embedder))
                writing.finish()

        def lacking(connection: Connection, now: IndexSnapshot) -> list[tuple[int, Chunk]] | None:
            kept = now.spaces.get(DENSE)
            if kept is None or kept.name != stored(embedder):
                return None
            if kept.rows == now.rows:
                return []
            sql = CHUNKS + _LACKING.format(relation=kept.relation)
            return [numbered_chunk(row) for row in fetched(connection, sql, (now.agent, DENSE, count))]

        found = self._read(lacking)
        if found is None:
            self._write(turn)
            self._server.run(sweep)
            found = self._read(lacking)
        return found or []

    def fill(self, embedder: str, rows: Sequence[int], vectors: Array) -> None:
        """Give the rows that `missing_vectors` named their vectors; rows that are gone meanwhile do no harm."""
        given = np.asarray(vectors, "<f4")

        def fill(connection: Connection, now: IndexSnapshot) -> None:
            kept = now.spaces.get(DENSE)
            if kept is not None and kept.name == stored(embedder):
                writing = Writing(connection, now, self._tables)
                writing.vectors.fill([int(row) for row in rows], given)
                writing.finish()

        if len(rows):
            self._write(fill)

    # looking

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who said something."""
        return self._read(lambda _, now: now.names["speaker"])

    def heard(self, people: Collection[str], view: View) -> set[str]:
        """Those of some speakers who spoke where a view sees it: in a message, or asking, or about themselves."""
        return self._read(lambda connection, now: heard(connection, now, people, view)) if people else set()

    def documents(self) -> dict[str, str]:
        """What is indexed: path to digest."""
        sql = "SELECT path, digest FROM oldsoul_index_files WHERE agent=%s AND digest<>''"
        return {said(path): said(kept) for path, kept in self._read(lambda c, now: fetched(c, sql, (now.agent,)))}

    def look(
        self,
        question: Question,
        filters: Filters,
        tokens: Tokens,
        count: int,
        asked: tuple[str, Array] | None = None,
    ) -> tuple[Pool, Statistics]:
        """The rows that fit best by words and by meaning, so many of each, with those around them; and what scoring needs.

        `tokens` gives the tokens of texts, as one of the tables has them. `asked` is the embedder's name and its vector.
        """

        def look(connection: Connection, now: IndexSnapshot) -> tuple[Pool, Statistics]:
            return PostgresCandidates(connection, now, self._tables, filters, count, own=self._own).look(
                question, tokens, asked
            )

        return self._read(look)

    def seen(self, terms: Collection[str], filters: Filters) -> dict[str, list[int]]:
        """Some of the rows that filters let through in which each of some terms is, the first ones."""
        return self._read(
            lambda connection, now: PostgresCandidates(connection, now, self._tables, filters, 0).seen(terms)
        )

    def holds_other(self, question: Question, view: View) -> bool:
        """Whether it holds pieces that a view sees in another script than the question."""
        return self._read(lambda _, now: holds_other(now, question, view))

    def renewed(self) -> bool:
        """Nothing replaces the tables."""
        return False

    def rows_of(self, path: str) -> list[int]:
        """The rows of one document, in order."""
        sql = """SELECT r."row" FROM oldsoul_index_files f
            JOIN oldsoul_index_rows r ON r.agent=f.agent AND r.document=f.document
            WHERE f.agent=%s AND f.place=%s ORDER BY r.ordinal"""
        found = self._read(lambda c, now: fetched(c, sql, (now.agent, digest(path))))
        return [row for (row,) in found]

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Some rows as they are shown; `NotFound` when one is gone."""
        wanted = [int(row) for row in rows]
        sql = CHUNKS + 'AND r."row"=ANY(%s)'
        found = dict(numbered_chunk(row) for row in self._read(lambda c, now: fetched(c, sql, (now.agent, wanted))))
        if len(found) != len(set(wanted)):
            raise NotFound("the index changed while it was being searched; search again")
        return [found[row] for row in wanted]


def _following(connection: Connection, agent: int, filed: Sequence[Filed]) -> list[Filed]:
    """What is to be put into documents that are still what it follows; to the rest somebody else came first."""
    sql = "SELECT path, digest FROM oldsoul_index_files WHERE agent=%s AND path=ANY(%s)"
    found = fetched(connection, sql, (agent, [stored(each.path) for each in filed]))
    kept = {said(path): said(digest) for path, digest in found}
    return [each for each in filed if each.after is None or kept.get(each.path, "") == each.after]
