"""What PostgreSQL adapters promise when the server restarts, stays away, refuses, or is not ours alone."""

from __future__ import annotations

import importlib
import sys
import threading
import traceback
from itertools import count, takewhile
from typing import TYPE_CHECKING

import psycopg
import pytest

from adapters.chat_bench import ALL, MAIN, Writer, at_once, message, real_bench, texts
from adapters.chat_writer import numbered
from oldsoul.adapters.postgres.chat import PostgresChatLog
from oldsoul.adapters.postgres.server import Postgres
from oldsoul.errors import BadInput, Damaged, OldsoulError, Unavailable
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres import Server

CRASHES = scaled(1, 12)
BETWEEN = 15


@pytest.fixture
def dsn(postgres: Server) -> str:
    return postgres.fresh()


@pytest.fixture
def log(dsn: str) -> Iterator[PostgresChatLog]:
    log = PostgresChatLog(dsn, "home")
    yield log
    log.close()


def asked(dsn: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


# restarts


@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_a_stream_of_writes_survives_crashes_of_the_server(postgres: Server, log: PostgresChatLog, mode: str) -> None:
    """Two writers go on until the server was stopped and started often enough; each message is stored once."""
    acknowledged: list[str] = []
    progress, crashed = threading.Semaphore(0), threading.Event()

    def write(who: str) -> None:
        try:
            for number in takewhile(lambda _: not crashed.is_set(), count()):
                (logged,) = log.append([numbered(who, number)])
                assert not logged.repeated, "nobody else brought this key"
                acknowledged.append(logged.message.key)
                progress.release()
        finally:
            progress.release(CRASHES * BETWEEN)  # a writer that fails leaves nobody waiting

    def crash() -> None:
        try:
            for _ in range(CRASHES):
                for _ in range(BETWEEN):
                    progress.acquire()
                postgres.stop(mode)
                postgres.start()
        finally:
            crashed.set()

    at_once(crash, lambda: write("a"), lambda: write("b"))
    stored = [each.key for each in log.find(MAIN, ALL)]
    assert sorted(stored) == sorted(acknowledged)
    assert len(stored) >= CRASHES * BETWEEN
    assert sum(thread.count for thread in log.threads(MAIN)) == len(stored)


def test_a_commit_whose_answer_is_lost_is_not_taken_for_somebody_elses(
    log: PostgresChatLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append([message("before")])
    commit = psycopg.Connection.commit
    lost: list[object] = []

    def commit_and_lose(self: psycopg.Connection[object]) -> None:
        commit(self)
        if not lost:
            lost.append(self)
            self.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(psycopg.Connection, "commit", commit_and_lose)
    answer = log.append([message("new"), message("twice", "new"), message("again", "before"), message("other")])
    assert lost
    assert [(each.message.text, each.repeated) for each in answer] == [
        ("new", False),
        ("new", True),
        ("before", True),
        ("other", False),
    ]
    assert texts(log.find(MAIN, ALL)) == ["before", "new", "other"]
    assert [thread.count for thread in log.threads(MAIN)] == [3]


def test_an_answer_that_breaks_off_in_the_middle_is_asked_for_again(dsn: str) -> None:
    server, tried = Postgres(dsn, "test", ()), [0]

    def work(connection: psycopg.Connection[tuple[object, ...]]) -> object:
        tried[0] += 1
        if tried[0] == 1:  # as psycopg says it when a server is stopped while it sends rows
            raise psycopg.InternalError("received 2 results from command 'FETCH FORWARD 4096'")
        return connection.execute("SELECT 1").fetchone()

    assert server.run(work) == (1,)
    server.close()
    impatient = Postgres(dsn, "test", (), timeout=0.0)
    tried[0] = 0
    with pytest.raises(Unavailable, match="received 2 results"):
        impatient.run(work)
    impatient.close()


def test_idle_connections_that_a_restart_cut_do_no_harm(postgres: Server, log: PostgresChatLog) -> None:
    def write(who: str) -> None:
        for number in range(5):
            log.append([numbered(who, number)])

    at_once(*(lambda who=who: write(who) for who in "abcd"))
    postgres.stop("fast")
    postgres.start()
    assert len(log.find(MAIN, ALL)) == 20
    log.append([message("after")])
    assert len(log.find(MAIN, ALL)) == 21


def test_a_server_that_stays_away_is_told_after_patience(postgres: Server, dsn: str) -> None:
    log = PostgresChatLog(dsn, "home", timeout=0.3)
    log.append([message("one")])
    postgres.stop()
    try:
        with pytest.raises(Unavailable, match="does not answer") as caught:
            log.append([message("two")])
        with pytest.raises(Unavailable):
            log.find(MAIN, ALL)
    finally:
        postgres.start()
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    assert texts(log.find(MAIN, ALL)) == ["one"]
    log.close()


def test_a_server_that_never_was_there_is_told_after_patience() -> None:
    log = PostgresChatLog("postgresql://al:hunter2@127.0.0.1:1/none", "home", timeout=0.2)
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1/none does not answer") as caught:
        log.threads(MAIN)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    log.close()


# refusals


def test_what_waiting_cannot_mend_is_told_at_once(postgres: Server) -> None:
    """With the usual patience of a minute: that this test is quick is its point."""
    nowhere = PostgresChatLog(postgres.address("nowhere"), "home")
    with pytest.raises(Unavailable, match=r'refused: .*"nowhere" does not exist'):
        nowhere.find(MAIN, ALL)
    nobody = PostgresChatLog(postgres.address("postgres").replace("//postgres:", "//nobody_we_know:"), "home")
    with pytest.raises(Unavailable, match="refused") as caught:
        nobody.append([message()])
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("dsn", ["hunter2", "postgresql://al:hun%zzter2@h/x", "host=x hunter2=1", "password=hun ter2"])
def test_an_address_that_is_none_is_refused_without_repeating_it(dsn: str) -> None:
    with pytest.raises(BadInput, match="not a PostgreSQL address") as caught:
        PostgresChatLog(dsn, "home")
    told = "".join(traceback.format_exception_only(caught.value))
    assert "ter2" not in told
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_role_without_rights_is_told_so_and_one_that_may_use_the_tables_needs_no_more(
    postgres: Server, dsn: str, log: PostgresChatLog
) -> None:
    log.append([message("one")])
    asked(dsn, "CREATE ROLE guest LOGIN")
    guest = PostgresChatLog(dsn.replace("//postgres:", "//guest:"), "home")
    try:
        with pytest.raises(Unavailable, match="permission denied"):
            guest.find(MAIN, ALL)
        asked(dsn, "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO guest")
        guest.append([message("two")])
        assert texts(guest.find(MAIN, ALL)) == ["one", "two"]
    finally:
        guest.close()
        asked(dsn, "DROP OWNED BY guest")
        asked(postgres.address("postgres"), "DROP ROLE guest")


def test_a_database_that_does_not_hold_all_of_unicode_is_refused(postgres: Server) -> None:
    with psycopg.connect(postgres.address("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    log = PostgresChatLog(postgres.address("latin"), "home")
    with pytest.raises(Unavailable, match="UTF8"):
        log.find(MAIN, ALL)


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "oldsoul.adapters.postgres.server")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Unavailable, match=r"pip install 'oldsoul\[postgres\]'"):
        importlib.import_module("oldsoul.adapters.postgres.server")


# tables


def test_processes_that_open_a_fresh_database_at_once_both_find_it_ready(dsn: str) -> None:
    with real_bench("postgres", dsn) as bench:
        writers = [Writer(bench, f"{number}-", 3) for number in range(3)]
        for writer in writers:
            writer.go()
        assert [len(writer.rest()) for writer in writers] == [3, 3, 3]
        assert len(bench.log.find(MAIN, ALL)) == 9
    assert asked(dsn, "SELECT part, number FROM oldsoul_migrations ORDER BY number") == [("chat", 1), ("chat", 2)]


def test_migrations_are_done_once_each_and_in_order_and_parts_do_not_mix(dsn: str) -> None:
    first = ("CREATE TABLE oldsoul_x (a integer); INSERT INTO oldsoul_x VALUES (1)",)
    second = (*first, "UPDATE oldsoul_x SET a=a*10", "UPDATE oldsoul_x SET a=a+1")
    for part, migrations in (("x", first), ("x", first), ("x", second), ("y", ()), ("x", second)):
        server = Postgres(dsn, part, migrations)
        server.run(lambda connection: connection.execute("SELECT 1"))
        server.close()
    assert asked(dsn, "SELECT a FROM oldsoul_x") == [(11,)]
    with pytest.raises(Damaged, match="newer"):
        Postgres(dsn, "x", first).run(lambda connection: connection.execute("SELECT 1"))


def test_a_migration_that_fails_leaves_nothing(dsn: str) -> None:
    server = Postgres(dsn, "x", ("CREATE TABLE oldsoul_x (a integer)", "CREATE TABLE nonsense ("))
    with pytest.raises(OldsoulError, match="syntax"):
        server.run(lambda connection: connection.execute("SELECT 1"))
    assert asked(dsn, "SELECT to_regclass('oldsoul_x'), to_regclass('oldsoul_migrations')") == [(None, None)]


def test_a_message_that_the_server_refuses_takes_the_others_with_it(dsn: str, log: PostgresChatLog) -> None:
    (kept,) = log.append([message("kept")])
    asked(dsn, "ALTER TABLE oldsoul_messages ADD CHECK (text <> 'boom')")
    with pytest.raises(Unavailable, match="refused"):
        log.append([message("one"), message("two", at=99), message("boom")])
    assert log.find(MAIN, ALL) == [kept.message]
    assert [thread.count for thread in log.threads(MAIN)] == [1]


def test_commits_wait_for_the_disk_whatever_the_servers_default(dsn: str) -> None:
    def setting(connection: psycopg.Connection[tuple[object, ...]]) -> object:
        return connection.execute("SHOW synchronous_commit").fetchone()

    for default, used in (("off", "on"), ("remote_apply", "remote_apply")):
        asked(dsn, f"ALTER DATABASE {dsn.partition('@/')[2].partition('?')[0]} SET synchronous_commit='{default}'")
        server = Postgres(dsn, "x", ())
        assert server.run(setting) == (used,)
        server.close()


def test_what_is_redacted_is_no_longer_in_the_table(dsn: str, log: PostgresChatLog) -> None:
    (told,) = log.append([message("Philomena lives here", "k")])
    log.redact(MAIN, {told.message.id: "somewhere"})
    assert asked(dsn, "SELECT text FROM oldsoul_messages") == [("somewhere",)]
    asked(dsn, "CREATE EXTENSION pageinspect")
    items = asked(dsn, "SELECT t_data FROM heap_page_items(get_raw_page('oldsoul_messages', 0))")
    assert len([data for (data,) in items if data is not None]) == 1


def test_many_threads_share_few_connections(dsn: str, log: PostgresChatLog) -> None:
    def write(who: int) -> None:
        log.append([numbered(f"{who}-", number) for number in range(3)])

    at_once(*(lambda who=who: write(who) for who in range(20)))
    assert len(log.find(MAIN, ALL)) == 60
    assert len(asked(dsn, "SELECT 1 FROM pg_stat_activity WHERE application_name='oldsoul'")) <= 5


def test_who_finds_every_connection_taken_waits_and_opens_no_more(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Postgres(dsn, "x", ())
    inside, free = threading.Barrier(5), threading.Event()

    def hold(connection: psycopg.Connection[tuple[object, ...]]) -> None:
        connection.execute("SELECT 1")
        inside.wait()
        free.wait()

    def crowd() -> None:
        inside.wait()
        monkeypatch.setattr("oldsoul.adapters.postgres.server._POOL_SECONDS", 0.05)
        server._timeout = 0.3
        try:
            with pytest.raises(Unavailable):
                server.run(lambda connection: connection.execute("SELECT 1"))
            assert len(asked(dsn, "SELECT 1 FROM pg_stat_activity WHERE application_name='oldsoul'")) == 4
        finally:
            free.set()

    at_once(crowd, *(lambda: server.run(hold) for _ in range(4)))
    server._timeout = 60
    server.run(lambda connection: connection.execute("SELECT 1"))
    server.close()
