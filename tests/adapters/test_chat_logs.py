"""Every chat log under one contract, and what is true of the one in SQLite alone."""

from __future__ import annotations

import os
import random
import sqlite3
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from adapters.chat_bench import ALL, MAIN, Bench, Writer, found, memory_bench, message, real_bench, texts
from adapters.chat_contract import ChatContract, DurableContract
from adapters.chat_talk import WORKSPACES, Talk, talks
from adapters.chat_writer import numbered
from oldsoul.adapters.sqlite import chat as sqlite_chat
from oldsoul.adapters.sqlite.chat import SqliteChatLog
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Busy, Damaged, Unavailable, Unwritable
from oldsoul.testing import MemoryChatLog
from oldsoul.values.messages import Flag, Wanted
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from postgres import Server

KILLS = scaled(2, 50)
REDACTIONS = scaled(20, 1000)
EXAMPLES = count()


class TestMemoryChatLog(ChatContract):
    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        with memory_bench() as bench:
            yield bench


class TestSqliteChatLog(DurableContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> Iterator[Bench]:
        with real_bench("sqlite", str(tmp_path / "chat.db")) as bench:
            yield bench


class TestPostgresChatLog(DurableContract):
    @pytest.fixture
    def bench(self, postgres: Server) -> Iterator[Bench]:
        with real_bench("postgres", postgres.fresh()) as bench:
            yield bench


# the same in all


@pytest.fixture(params=["sqlite", "postgres"])
def real(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    is_file = request.param == "sqlite"
    where = str(tmp_path / "chat.db") if is_file else request.getfixturevalue("postgres").fresh()
    with real_bench(request.param, where) as bench:
        yield bench


@given(talks())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_log_answers_any_question_as_the_one_in_memory_does(real: Bench, talk: Talk) -> None:
    """Each example has workspaces of its own in one log, so that it need not be opened anew."""
    fake, example = MemoryChatLog(), f" {next(EXAMPLES)}"
    real_ids: dict[int, int] = {}
    order: list[tuple[str, int]] = []
    for call in talk.calls:
        mine = fake.append(call)
        theirs = real.log.append([replace(each, workspace=each.workspace + example) for each in call])
        for one, other in zip(mine, theirs, strict=True):
            real_ids[one.message.id] = other.message.id
            order.append((one.message.workspace, one.message.id))
            renamed = replace(one.message, workspace=one.message.workspace + example, id=other.message.id)
            assert (renamed, one.repeated) == (other.message, other.repeated)
    for place, text in talk.redacted.items():
        if place < len(order):
            workspace, number = order[place]
            fake.redact(workspace, {number: text})
            real.log.redact(workspace + example, {real_ids[number]: text})
    for workspace in WORKSPACES:
        here = [replace(thread, last_id=real_ids[thread.last_id]) for thread in fake.threads(workspace)]
        assert real.log.threads(workspace + example) == here
        for wanted, after, past in [*talk.questions, (ALL, None, None)]:
            after_id = order[after][1] if after is not None else 0
            at = next(
                (m for w in WORKSPACES for m in fake.find(w, ALL) if past is not None and m.id == order[past][1]), None
            )
            asked = replace(wanted, after=after_id, past=(at.time, at.id) if at else None)
            translated = replace(
                asked, after=real_ids.get(after_id, 0), past=(at.time, real_ids[at.id]) if at else None
            )
            answer = [
                replace(each, workspace=workspace + example, id=real_ids[each.id])
                for each in fake.find(workspace, asked)
            ]
            assert real.log.find(workspace + example, translated) == answer


# SQLite


def test_no_acknowledged_message_is_lost_to_a_kill(tmp_path: Path) -> None:
    seed = int.from_bytes(os.urandom(4)) if TORTURE else 1
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    acknowledged: list[str] = []
    with real_bench("sqlite", str(tmp_path / "chat.db")) as bench:
        for cycle in range(KILLS):
            writers = [Writer(bench, f"{cycle}-{n}-", 0) for n in range(2)]
            for writer in writers:
                writer.go()
            for writer in writers:
                lines = [writer.read() for _ in range(chance.randrange(1, 60))]
                writer.process.kill()
                acknowledged += [line.split()[0] for line in lines] + [key for key, _, _ in writer.rest()]
        stored = bench.log.find(MAIN, ALL)
        keys = [each.key for each in stored]
        assert len(acknowledged) >= 2 * KILLS
        assert len(keys) == len(set(keys))
        assert set(acknowledged) <= set(keys)
        assert sum(thread.count for thread in bench.log.threads(MAIN)) == len(stored)
        assert len(bench.log.find(MAIN, replace(ALL, words="word"))) == len(stored)
        for each in stored:
            prefix, _, number = each.key.rpartition("-")
            assert replace(each, id=0) == numbered(f"{prefix}-", int(number))


def test_what_is_redacted_is_gone_from_the_files(tmp_path: Path) -> None:
    log = SqliteChatLog(str(tmp_path / "chat.db"))
    flags = (Flag("memory", "mine", "high", "Zanzibar"),)
    words = "Philomena lives in Zanzibar 桑给巴尔"
    told = [log.append([message(f"{words} {n}", f"k{n}", flags=flags)])[0].message for n in range(50)]
    log.append([message(f"and so on {n}") for n in range(500)])
    log.redact(MAIN, {each.id: "somewhere" for each in told})
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for gone in ("Philomena", "philomena", "Zanzibar", "zanzibar", "anziba", "hilomen", "桑给", "给巴"):
        assert gone.encode() not in files
    log.close()
    db = sqlite3.connect(tmp_path / "chat.db")
    db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")
    vocabulary = {term for (term,) in db.execute("SELECT term FROM vocabulary")}
    db.close()
    assert {"somewhere", "and", "499"} <= vocabulary
    assert not vocabulary & {"philomena", "zanzibar", "lives", "桑给", "桑"}


def test_words_that_another_still_reads_are_not_called_gone(tmp_path: Path) -> None:
    log = SqliteChatLog(str(tmp_path / "chat.db"))
    (told,) = log.append([message("Philomena", "k")])
    reader = sqlite3.connect(tmp_path / "chat.db", isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT text FROM messages").fetchall() == [("Philomena",)]
    log._file._connection.execute("PRAGMA busy_timeout=10")  # or it would wait half a minute
    with pytest.raises(Busy, match="still reads"):
        log.redact(MAIN, {told.message.id: "gone"})
    assert texts(log.find(MAIN, ALL)) == ["gone"]
    reader.close()
    log.redact(MAIN, {told.message.id: "gone"})
    assert b"Philomena" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    log.close()


def test_a_message_that_the_file_refuses_takes_the_others_with_it(tmp_path: Path) -> None:
    log = SqliteChatLog(str(tmp_path / "chat.db"))
    db = sqlite3.connect(tmp_path / "chat.db")
    db.execute("CREATE TRIGGER no BEFORE INSERT ON messages WHEN NEW.text='boom' BEGIN SELECT RAISE(ABORT, 'no'); END")
    db.close()
    (kept,) = log.append([message("kept")])
    with pytest.raises(Unavailable, match="no"):
        log.append([message("one"), message("two", at=99), message("boom")])
    assert log.find(MAIN, ALL) == [kept.message]
    assert [(thread.count, thread.last) for thread in log.threads(MAIN)] == [(1, kept.message.time)]
    assert found(log, "two") == []
    assert texts([each.message for each in log.append([message("one")])]) == ["one"]
    log.close()


def test_a_file_of_a_newer_oldsoul_is_refused(tmp_path: Path) -> None:
    SqliteChatLog(str(tmp_path / "chat.db")).close()
    db = sqlite3.connect(tmp_path / "chat.db")
    db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(Damaged, match="newer"):
        SqliteChatLog(str(tmp_path / "chat.db"))


@pytest.mark.parametrize("where", [0, 4096 * 3])
def test_a_damaged_file_is_told(tmp_path: Path, where: int) -> None:
    path = tmp_path / "chat.db"
    log = SqliteChatLog(str(path))
    log.append([message(f"t{n}") for n in range(500)])
    log.close()
    data = path.read_bytes()
    path.write_bytes(data[:where] + b"not a database at all " * 4000 + data[where + 88_000 :])
    with pytest.raises(Damaged, match=r"chat\.db"):  # noqa: PT012 - either step may notice
        log = SqliteChatLog(str(path))
        try:
            log.append([message("x")])
            log.find(MAIN, ALL)
        finally:
            log.close()


def test_a_new_rule_of_what_a_word_is_makes_the_index_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "chat.db")
    with monkeypatch.context() as old:
        old.setattr(sqlite_chat, "marks", lambda text, _: text[::-1].split())
        old.setattr(sqlite_chat, "_RULE", "an old one")
        log = SqliteChatLog(path)
        (told,) = log.append([message("The CAT sat.")])
        assert found(log, "cat") == []
        log.close()
    log = SqliteChatLog(path)
    assert found(log, "cat sat") == ["The CAT sat."]
    log.redact(MAIN, {told.message.id: "gone"})
    assert found(log, "cat") == found(log, "sat") == []
    log.close()


def test_a_log_whose_index_is_to_be_made_anew_is_read_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "chat.db")
    log = SqliteChatLog(path)
    (told,) = log.append([message("The CAT sat.")])
    log.close()
    monkeypatch.setattr(sqlite_chat, "_RULE", "a new one")
    with monkeypatch.context() as full:

        def writing(_: SqliteFile) -> None:
            raise Unwritable("the disk is full")

        full.setattr(SqliteFile, "writing", writing)
        log = SqliteChatLog(path)
        assert texts(log.find(MAIN, ALL)) == ["The CAT sat."]
        with pytest.raises(Unwritable):
            log.redact(MAIN, {told.message.id: "gone"})
    log.redact(MAIN, {told.message.id: "gone"})
    assert log._rule() == "a new one"
    log.close()


def test_words_may_be_redacted_any_number_of_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite 3.40 cannot read its index of words any more after some 1,400 times; here fewer stand for them."""
    if not TORTURE:
        monkeypatch.setattr(sqlite_chat, "_LONGEST_LIST", 60)
    log = SqliteChatLog(str(tmp_path / "chat.db"))
    for number in range(REDACTIONS):
        old, kept = log.append([message(f"old{number} cat", f"o{number}"), message(f"kept{number}")])
        log.redact(MAIN, {old.message.id: f"new{number} cat"})
        assert found(log, f"old{number}") == []
        assert found(log, f"kept{number}") == [kept.message.text]
    assert len(log.find(MAIN, replace(ALL, words="cat"))) == REDACTIONS
    ((size,),) = log._file.rows("SELECT length(block) FROM words_data WHERE id=10")
    assert size <= sqlite_chat._LONGEST_LIST + 50
    log.close()


def test_messages_of_one_session_do_not_repeat_what_it_is(tmp_path: Path) -> None:
    log = SqliteChatLog(str(tmp_path / "chat.db"))
    log.append([numbered("a", number) for number in range(30)])
    log.close()
    db = sqlite3.connect(tmp_path / "chat.db")
    assert db.execute("SELECT count(*) FROM sessions").fetchone() == (3,)
    db.close()


def test_a_follower_finds_the_few_new_among_many_and_the_many_after_few(tmp_path: Path) -> None:
    log = SqliteChatLog(str(tmp_path / "chat.db"))
    stored = [each.message for each in log.append([message(f"t{n}", at=-n) for n in range(sqlite_chat._NEAR + 500)])]
    for after in (1, 400, 600, len(stored) - 2, len(stored)):
        expected = [each for each in stored if each.id > after][::-1]
        assert log.find(MAIN, replace(ALL, after=after)) == expected
        assert log.find(MAIN, Wanted(after=after, limit=3)) == expected[:3]
    log.close()
