"""What a handle knows of an agent's index in PostgreSQL as of one moment, and connections that stay in a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import psycopg

from oldsoul.adapters.columns import digest, said
from oldsoul.adapters.index.rows import audience_of
from oldsoul.adapters.index.spaces import Table
from oldsoul.adapters.postgres.index_tables import FOREIGN, LENGTH, ROWS, fetched
from oldsoul.adapters.postgres.server import Connection, Postgres, passes
from oldsoul.errors import Unavailable
from oldsoul.ranking.pool import Static
from oldsoul.values.audience import View

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

CODED = ("audience", "person", "room", "speaker", "tag")
"""What rows have as numbers."""
NOBODY = -1
"""The number of an agent that has no index."""
DENSE = -1
"""The space of an embedder that is no table."""
_BEGIN = b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
_POOL_SECONDS = 2.0
_AGENT = """SELECT agent, made, version, weighing, weighed, rows, length, next_row, next_term, next_document
    FROM oldsoul_index_agents WHERE digest=%s"""
_T = TypeVar("_T")


class StoredSpace(NamedTuple):
    """Where the vectors of one space are."""

    name: str
    """the table's or the embedder's name"""
    relation: str
    """the table of the database they are in"""
    width: int
    """how many numbers a vector has"""
    rows: int
    """how many rows an embedder has given vectors for"""


class IndexSnapshot(NamedTuple):
    """An agent's index as of one moment, but for its rows."""

    agent: int
    """the agent's number"""
    made: str
    """by and for what it was made"""
    version: int
    """counts what was written: the same version is the same index"""
    weighing: int
    """counts how often tokens were weighed"""
    weighed: int
    """how many rows there were when they were weighed"""
    rows: int
    """how many there are"""
    length: int
    """how many terms they have together"""
    next_row: int
    """the number of the next row"""
    next_term: int
    """the number of the next term"""
    next_document: int
    """the number of the next document"""
    names: Mapping[str, tuple[str, ...]]
    """speakers, audiences, rooms, people and tags, by their numbers"""
    spaces: Mapping[int, StoredSpace]
    """the spaces there are vectors in"""
    statics: tuple[Static | None, ...]
    """the tables, weighed; None before there was anything to weigh"""
    tally: Mapping[tuple[int, int], int]
    """by what is counted and audience: how many"""

    def among(self, audiences: Collection[int]) -> tuple[int, int, int]:
        """Of the rows for some audiences: how many, their terms, how many are in other scripts."""
        rows, terms, foreign = (
            sum(self.tally.get((counted, each), 0) for each in audiences) for counted in (ROWS, LENGTH, FOREIGN)
        )
        return rows, terms, foreign

    def seen(self, view: View) -> list[int]:
        """The audiences that a view sees."""
        return [code for code, text in enumerate(self.names["audience"]) if view.sees(audience_of(text))]


def picture(
    connection: Connection, workspace: str, tables: Sequence[Table], last: IndexSnapshot | None
) -> IndexSnapshot:
    """The index as it is now, or nobody's when there is none. What is still true of the last picture is not read again."""
    found = fetched(connection, _AGENT, (digest(workspace),))
    if not found:
        return IndexSnapshot(
            NOBODY, "", 0, 0, 0, 0, 0, 0, 0, 0, dict.fromkeys(CODED, ()), {}, (None,) * len(tables), {}
        )
    numbers = found[0]
    agent, _, version, weighing = numbers[:4]
    if last is not None and last.agent != agent:
        last = None
    if last is not None and last.version == version:
        return last
    sql = "SELECT space, name, relation, width, rows FROM oldsoul_index_spaces WHERE agent=%s"
    spaces = {space: StoredSpace(*kept) for space, *kept in fetched(connection, sql, (agent,))}
    fresh = last is None or last.weighing != weighing
    statics = _statics(connection, agent, tables) if last is None or fresh else last.statics
    names = _names(connection, agent, last.names if last else {})
    sql = "SELECT term, audience, rows FROM oldsoul_index_counts WHERE agent=%s AND term<0"
    tally = {(term, audience): rows for term, audience, rows in fetched(connection, sql, (agent,))}
    return IndexSnapshot._make((*numbers, names, spaces, statics, tally))


def _names(connection: Connection, agent: int, known: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """All names; those that are known are not read again."""
    names = {kind: list(known.get(kind, ())) for kind in CODED}
    sql = """SELECT c.kind, c.value FROM unnest(%s::text[], %s::int[]) AS k (kind, next)
        JOIN oldsoul_index_codes c ON c.agent=%s AND c.kind=k.kind AND c.code>=k.next ORDER BY c.kind, c.code"""
    for kind, value in fetched(connection, sql, (list(CODED), [len(names[kind]) for kind in CODED], agent)):
        names[kind].append(said(value))
    return {kind: tuple(values) for kind, values in names.items()}


def _statics(connection: Connection, agent: int, tables: Sequence[Table]) -> tuple[Static | None, ...]:
    sql = "SELECT space, weight, mean FROM oldsoul_index_spaces WHERE agent=%s AND space>=0"
    found = {space: (weight, mean) for space, weight, mean in fetched(connection, sql, (agent,))}
    return tuple(
        Static(table.vectors, np.frombuffer(found[place][0], "<f4"), np.frombuffer(found[place][1], "<f4"))
        if place in found
        else None
        for place, table in enumerate(tables)
    )


class DatabaseSnapshot:
    """The state of the database that a block of reads sees. It begins with the first read."""

    def __init__(self) -> None:
        self.connection: Connection | None = None
        self.pool: ConnectionPool[Connection] | None = None
        self.now: IndexSnapshot | None = None
        """the index as it is in this moment"""

    def end(self) -> None:
        """Give the connection back."""
        connection, pool = self.connection, self.pool
        self.connection = self.pool = None
        if connection is not None and pool is not None:
            try:
                connection.rollback()
            except psycopg.Error:
                connection.close()
            pool.putconn(connection)


class Server(Postgres):
    """A database whose readers see one moment, for one read or for several."""

    def read(self, work: Callable[[Connection], _T]) -> _T:
        """What the work gives, all of it read in one moment."""

        def begun(connection: Connection) -> _T:
            connection.execute(_BEGIN)
            return work(connection)

        return self.run(begun)

    def read_within(
        self,
        moment: DatabaseSnapshot,
        begin: Callable[[Connection], IndexSnapshot],
        work: Callable[[Connection, IndexSnapshot], _T],
    ) -> _T:
        """What the work gives, read in a moment that goes on.

        When the connection is lost, the moment goes on in another one if nothing was written meanwhile, however often that
        happens, until the timeout.
        """
        give_up = time.monotonic() + self._timeout
        while True:
            try:
                return work(*self._held(moment, begin))
            except psycopg.Error as error:
                moment.end()
                if not passes(error) or time.monotonic() > give_up:
                    raise self._explained(error) from error
            self.run(lambda _: None)  # waits until the server is there again

    def _held(
        self, moment: DatabaseSnapshot, begin: Callable[[Connection], IndexSnapshot]
    ) -> tuple[Connection, IndexSnapshot]:
        if moment.connection is None or moment.now is None:
            moment.pool = self._opened()
            moment.connection = moment.pool.getconn(timeout=_POOL_SECONDS)
            moment.connection.execute(_BEGIN)
            now = begin(moment.connection)
            if moment.now is not None and (moment.now.agent, moment.now.version) != (now.agent, now.version):
                moment.end()  # further reads in this snapshot get the same
                raise Unavailable("the index changed while its server was unreachable; search again")
            moment.now = now
        return moment.connection, moment.now
