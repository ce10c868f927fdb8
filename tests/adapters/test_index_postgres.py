"""What is true of the index in PostgreSQL alone: its own tables, rights, restarts, and many at once."""

from __future__ import annotations

import random
import threading
from contextlib import nullcontext
from itertools import count, takewhile
from typing import TYPE_CHECKING

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.chat_bench import at_once
from adapters.index_material import (
    EVERYTHING,
    FILTERS,
    INHERITED,
    QUESTIONS,
    TINY,
    alike,
    everything,
    filed,
    lets_through,
    mixture,
    places,
    prepare,
    sentence,
    texts_of,
)
from adapters.index_server import a_database, a_server, an_opener  # noqa: F401 - fixtures
from oldsoul.adapters.postgres import candidates as postgres_looking
from oldsoul.adapters.postgres import vectors as postgres_vectors
from oldsoul.adapters.postgres.index import PostgresIndex
from oldsoul.errors import BadInput, Unavailable
from oldsoul.ranking.question import asked
from oldsoul.values.recall import Filed, Filters
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable

    from postgres import Server

CRASHES = scaled(1, 12)
BETWEEN = 5
FEW = 20
"""So many vectors count as many here, so that indexes are made all the time."""


def tables_of(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        found = connection.execute(b"SELECT relname FROM pg_class WHERE relkind='r' AND relname LIKE 'oldsoul_index%'")
        return sorted(str(name) for (name,) in found)


def test_a_dropped_index_leaves_nothing_behind_and_can_be_filled_again(
    dsn: str, stored: Callable[..., PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_vectors, "MANY", FEW)
    index, other = stored(), stored()
    tables = len([*index.documents(), *tables_of(dsn)])
    index.put([filed("a.md", *(f"line {number}" for number in range(50)), speaker="Ann")], prepare)
    other.missing_vectors("e", 1)
    index.note("k", "v")
    assert len(tables_of(dsn)) == tables + 1
    index.drop()
    assert (other.documents(), other.speakers, everything(other, "line")) == ({}, (), [])
    with psycopg.connect(dsn) as connection:
        for name in tables_of(dsn):
            assert connection.execute(f"SELECT count(*) FROM {name}".encode()).fetchone() == (0,)  # noqa: S608 - our own names
    assert len(tables_of(dsn)) == tables
    other.put([filed("b.md", "tea", speaker="Bob")], prepare)
    assert places(index, "tea") == [("b.md", 1)]
    assert index.speakers == ("Bob",)


def test_tables_that_were_replaced_go_when_nobody_reads_them(
    dsn: str, stored: Callable[..., PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_vectors, "MANY", FEW)
    writer, reader = stored(), stored()
    writer.put([filed("a.md", *(f"line {number}" for number in range(50)))], prepare)
    tables = len(tables_of(dsn))
    with reader.steady():
        before = everything(reader, "line 7")
        writer.weigh()
        writer.weigh()
        assert everything(reader, "line 7") == before
        assert len(tables_of(dsn)) == tables + 1, "the one that is being read"
    writer.weigh()
    assert len(tables_of(dsn)) == tables


def test_few_are_compared_one_by_one_and_many_by_an_index_and_both_give_the_nearest(
    stored: Callable[..., PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(8)  # noqa: S311 - a test
    documents = [filed(f"{n}.md", sentence(chance) + " " + sentence(chance)) for n in range(400)]
    few = stored("few")
    few.put(documents, prepare)
    monkeypatch.setattr(postgres_vectors, "MANY", FEW)
    many = stored("many")
    many.put(documents, prepare)
    vectors = np.random.default_rng(2).standard_normal((400, 24))
    for index in (few, many):
        rows = [row for row, _ in index.missing_vectors("e", 1000)]
        for start in range(0, 400, 100):
            index.fill("e", rows[start : start + 100], vectors[start : start + 100])
    for number in range(20):
        question, vector = asked(sentence(chance)), ("e", vectors[number])
        found = []
        for index in (few, many):
            pool, _ = index.look(question, Filters(EVERYTHING), TINY.tokens, 12, vector)
            found.append({each.path for each in index.chunks(pool.row.tolist())})
        assert len(found[0] & found[1]) >= 0.9 * len(found[0])
        assert f"{number}.md" in found[1]


@settings(max_examples=scaled(5, 30), suppress_health_check=INHERITED)
@given(st.lists(FILTERS, min_size=20, max_size=20))
def test_filters_that_let_little_through_do_not_make_answers_short(
    stored: Callable[..., PostgresIndex], asked_for: list[Filters]
) -> None:
    """Nobody has the words that are asked for, so that only vectors bring candidates."""
    index = stored("filtered")
    documents = mixture(3, 400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres_vectors, "MANY", FEW)
        patch.setattr(postgres_looking, "_SCAN", 1)
        if not index.documents():
            index.put(documents, prepare)
        for filters in asked_for:
            expected = sum(lets_through(filters, each) for one in documents for each in one.chunks)
            pool, _ = index.look(asked("zebras and giraffes"), filters, TINY.tokens, 10)
            assert len(pool) >= min(10, expected)
            assert all(lets_through(filters, each) for each in index.chunks(pool.row.tolist()))
    index.close()  # there are many examples, and a server has room for so many clients only


def test_an_embedder_whose_vectors_change_their_width_is_told(stored: Callable[..., PostgresIndex]) -> None:
    index = stored()
    index.put([filed("a.md", "one", "two")], prepare)
    rows = [row for row, _ in index.missing_vectors("e", 9)]
    index.fill("e", rows[:1], np.eye(1, 8))
    with pytest.raises(BadInput, match="8 numbers"):
        index.fill("e", rows[1:], np.eye(1, 9))


def test_a_database_without_pgvector_says_what_to_do(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(b"CREATE ROLE plain LOGIN")
        connection.execute(b"GRANT CREATE ON SCHEMA public TO plain")
    index = PostgresIndex(dsn.replace("postgres:hunter2@", "plain@"), "home", "main", TINY.tables())
    with pytest.raises(Unavailable, match="CREATE EXTENSION vector"):
        index.documents()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(b"CREATE EXTENSION vector")
    assert index.documents() == {}
    index.close()


def test_who_may_not_make_tables_does_without_indexes(
    dsn: str, stored: Callable[..., PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored().documents()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(b"CREATE ROLE writer LOGIN")
        connection.execute(b"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer")
    monkeypatch.setattr(postgres_vectors, "MANY", FEW)
    index = PostgresIndex(dsn.replace("postgres:hunter2@", "writer@"), "home", "other", TINY.tables())
    index.put([filed("a.md", *(f"line {number}" for number in range(50)))], prepare)
    rows = [row for row, _ in index.missing_vectors("e", 99)]
    index.fill("e", rows, np.eye(50, 8))
    assert len(everything(index, "line 7", vector=("e", np.eye(8)[0]))) == 50
    index.close()


# restarts


@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_a_stream_of_puts_survives_crashes_of_the_server(
    server: Server, stored: Callable[..., PostgresIndex], mode: str
) -> None:
    """Writers of two agents and a reader go on until the server was stopped and started often enough."""
    acknowledged: dict[str, list[int]] = {"one": [], "two": []}
    progress, crashed = {agent: threading.Semaphore(0) for agent in acknowledged}, threading.Event()

    def write(agent: str) -> None:
        index = stored(agent)
        try:
            for number in takewhile(lambda _: not crashed.is_set(), count(1)):
                index.put([filed("chat/a", f"line {number}", digest=str(number), first=number)], prepare, append=True)
                index.put([filed(f"{number}.md", "tea", f"river {number}")], prepare)
                acknowledged[agent].append(number)
                progress[agent].release()
        finally:
            progress[agent].release(CRASHES * BETWEEN)  # a writer that fails leaves nobody waiting

    def read() -> None:
        index = stored("one")
        while not crashed.is_set():
            try:
                hits = places(index, "river tea")
            except Unavailable as error:
                assert "search again" in str(error)  # noqa: PT017 - the only way it may fail
                continue
            assert len(hits) == len(set(hits))

    def crash() -> None:
        try:
            for _ in range(CRASHES):
                for own in progress.values():  # each writer gets on between two crashes
                    for _ in range(BETWEEN):
                        own.acquire()
                server.stop(mode)
                server.start()
        finally:
            crashed.set()

    at_once(crash, lambda: write("one"), lambda: write("two"), read)
    for agent, numbers in acknowledged.items():
        index = stored(agent)
        assert texts_of(index, "chat/a") == [f"line {number}" for number in numbers]
        assert index.documents() == {"chat/a": str(numbers[-1]), **{f"{number}.md": "1" for number in numbers}}
        assert len(everything(index, "river tea")) == 3 * len(numbers)
        assert len(numbers) >= CRASHES * BETWEEN


def test_what_was_appended_and_whose_answer_was_lost_is_not_appended_again(
    stored: Callable[..., PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    index = stored()
    index.put([filed("chat/a", "one")], prepare, append=True)
    commit = psycopg.Connection.commit
    lost: list[object] = []

    def commit_and_lose(self: psycopg.Connection[object]) -> None:
        commit(self)
        if not lost:
            lost.append(self)
            self.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(psycopg.Connection, "commit", commit_and_lose)
    index.put([filed("chat/a", "two", first=2, digest="2")], prepare, append=True)
    assert lost
    assert texts_of(index, "chat/a") == ["one", "two"]


@pytest.mark.parametrize("writes", [False, True])
def test_a_moment_outlives_a_restart_unless_somebody_wrote(
    server: Server, stored: Callable[..., PostgresIndex], *, writes: bool
) -> None:
    index, writer = stored(), stored()
    index.put([filed("a.md", "the attic key")], prepare)
    with index.steady():
        rows = index.rows_of("a.md")
        server.stop("fast")
        server.start()
        if writes:
            writer.put([filed("a.md", "something else", digest="2")], prepare)
        for _ in range(2):
            with pytest.raises(Unavailable, match="search again") if writes else nullcontext():
                assert [each.text for each in index.chunks(rows)] == ["the attic key"]
    assert texts_of(index, "a.md") == ["something else" if writes else "the attic key"]


def test_many_write_and_read_at_once(stored: Callable[..., PostgresIndex]) -> None:
    rounds = scaled(3, 30)

    def write(agent: str, who: str) -> None:
        index = stored(agent)
        for number in range(rounds):
            index.put([filed(f"{who}{number}.md", f"river {number}", "tea", speaker=f"{who}{number}")], prepare)
            index.put([filed("all.md", f"{who} {number}", first=number)], prepare, append=True)
            hits = places(index, "river tea")
            assert len(hits) == len(set(hits)) or agent == "one", "all.md has lines twice"
            assert {(f"{who}{n}.md", line) for n in range(number + 1) for line in (1, 2)} <= set(hits)

    at_once(*(lambda a=agent, w=who: write(a, w) for agent, who in [("one", "x"), ("one", "y"), ("two", "z")]))
    one, two = stored("one"), stored("two")
    assert len(one.documents()) == 2 * rounds + 1
    assert len(two.documents()) == rounds + 1
    assert len(one.rows_of("all.md")) == 2 * rounds
    assert len(set(one.speakers)) == len(one.speakers) == 2 * rounds
    again = stored("again")
    for path in one.documents():
        again.put([Filed(path, "1", tuple(one.chunks(one.rows_of(path))))], prepare)
    for index in (one, again):
        index.weigh()
    assert all(alike(everything(one, question), everything(again, question)) for question in QUESTIONS)


class _Dying:
    """A connection whose server goes away when a cursor is closed, and that cursor."""

    def __init__(self) -> None:
        self.is_closed = self.let_go = False

    def cursor(self, name: str, *, binary: bool) -> _Dying:
        assert (name, binary) == ("tokens", True)
        return self

    def close(self) -> None:
        if self.is_closed:
            self.let_go = True
            return
        self.is_closed = True
        raise psycopg.OperationalError("the connection is lost")


def test_a_cursor_is_let_go_of_though_the_server_dies_while_it_is_closed() -> None:
    connection = _Dying()
    vectors = postgres_vectors.VectorTables.__new__(postgres_vectors.VectorTables)
    vectors._connection = connection  # type: ignore[assignment]
    with pytest.raises(psycopg.OperationalError, match="lost"), vectors._streaming("tokens"):
        pass
    assert connection.let_go
