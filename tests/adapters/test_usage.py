"""Every record of uses under one contract, and what is true of the one in SQLite alone."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oldsoul.adapters.sqlite.records import SqliteUsage
from oldsoul.errors import BadInput, Damaged
from oldsoul.testing import MemoryUsage
from oldsoul.values.recall import Reuse, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oldsoul.ports import UseLog

MAIN = "main"
START = datetime(2026, 2, 4, 12, tzinfo=UTC)
HOSTILE = "\x00 \ud800 ' \" ? %s ] , 中"


@dataclass(slots=True)
class Bench:
    """A record of uses, and the same as somebody else opens it."""

    usage: UseLog
    another: Callable[[], UseLog]


def use(entry: str, session: str = "s", at: float = 0) -> Use:
    return Use(entry, session, START + timedelta(seconds=at))


class UsageContract:
    """The promises. Subclass it, give it a `bench`."""

    def test_what_was_never_used_is_left_out(self, bench: Bench) -> None:
        assert bench.usage.reuse(MAIN, ["a"]) == {}
        assert bench.usage.reuse(MAIN, []) == {}
        bench.usage.note(MAIN, [])
        bench.usage.note(MAIN, [use("a")])
        assert bench.usage.reuse(MAIN, ["b", "a", "c", "a"]) == {"a": Reuse(1, 1, START)}

    def test_uses_are_counted_by_times_and_by_sessions_and_the_last_is_known(self, bench: Bench) -> None:
        bench.usage.note(MAIN, [use("a", "s1", 5), use("a", "s1", 1), use("a", "s2", 3), use("b", "s2", 9)])
        bench.usage.note(MAIN, [use("a", "s1", 2)])
        expected = {"a": Reuse(2, 4, START + timedelta(seconds=5)), "b": Reuse(1, 1, START + timedelta(seconds=9))}
        assert bench.usage.reuse(MAIN, ["a", "b"]) == expected
        assert bench.another().reuse(MAIN, ["b", "a"]) == expected

    def test_workspaces_do_not_see_one_another(self, bench: Bench) -> None:
        bench.usage.note(MAIN, [use("a")])
        bench.usage.note("other", [use("a"), use("a")])
        assert bench.usage.reuse(MAIN, ["a"])["a"].times == 1
        assert bench.usage.reuse("other", ["a"])["a"].times == 2
        bench.usage.forget("other", ["a"])
        assert bench.usage.reuse("other", ["a"]) == {}
        assert bench.usage.reuse(MAIN, ["a"])["a"].times == 1

    def test_what_is_forgotten_begins_anew(self, bench: Bench) -> None:
        bench.usage.note(MAIN, [use("a", "s1"), use("a", "s2"), use("b")])
        bench.usage.forget(MAIN, ["a", "never used"])
        bench.usage.forget(MAIN, [])
        assert set(bench.usage.reuse(MAIN, ["a", "b"])) == {"b"}
        bench.usage.note(MAIN, [use("a", "s3", -9)])
        assert bench.usage.reuse(MAIN, ["a"]) == {"a": Reuse(1, 1, START - timedelta(seconds=9))}

    def test_entries_may_be_called_anything_and_be_many(self, bench: Bench) -> None:
        bench.usage.note(HOSTILE, [use(HOSTILE, HOSTILE), *(use(f"e{n}") for n in range(3000))])
        assert set(bench.usage.reuse(HOSTILE, [HOSTILE])) == {HOSTILE}
        everything = [HOSTILE, *(f"e{n}" for n in range(40_000))]
        assert len(bench.usage.reuse(HOSTILE, everything)) == 3001
        bench.usage.forget(HOSTILE, everything)
        assert bench.usage.reuse(HOSTILE, everything) == {}

    def test_a_time_without_a_zone_is_refused_and_nothing_is_noted(self, bench: Bench) -> None:
        with pytest.raises(BadInput):
            bench.usage.note(MAIN, [use("a"), Use("a", "s", datetime(2026, 2, 4))])  # noqa: DTZ001 - what is refused
        assert bench.usage.reuse(MAIN, ["a"]) == {}

    def test_times_may_come_from_any_zone(self, bench: Bench) -> None:
        far = START.astimezone(timezone(timedelta(hours=-11)))
        bench.usage.note(MAIN, [Use("a", "s", far)])
        assert bench.usage.reuse(MAIN, ["a"])["a"].last == START

    def test_no_use_is_lost_when_many_note_at_once(self, bench: Bench) -> None:
        def note(usage: UseLog, session: str) -> None:
            for number in range(30):
                usage.note(MAIN, [use("a", session, number), use("b", "same", number)])

        threads = [threading.Thread(target=note, args=(bench.another(), f"s{n}")) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        last = START + timedelta(seconds=29)
        assert bench.usage.reuse(MAIN, ["a", "b"]) == {"a": Reuse(4, 120, last), "b": Reuse(1, 120, last)}


class TestMemoryUsage(UsageContract):
    @pytest.fixture
    def bench(self) -> Bench:
        usage = MemoryUsage()
        return Bench(usage, lambda: usage)


class TestSqliteUsage(UsageContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> Iterator[Bench]:
        handles: list[SqliteUsage] = []

        def another() -> SqliteUsage:
            handles.append(SqliteUsage(str(tmp_path / "usage.db")))
            return handles[-1]

        yield Bench(another(), another)
        for usage in handles:
            usage.close()


NAMES = st.sampled_from(["a", "b", HOSTILE])
STEPS = st.lists(
    st.lists(st.builds(use, NAMES, NAMES, st.integers(-5, 5)), max_size=4) | st.lists(NAMES, max_size=2), max_size=6
)


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_file_knows_what_the_one_in_memory_knows(tmp_path: Path, steps: list[list[Use] | list[str]]) -> None:
    """Each step notes uses, or forgets entries."""
    (tmp_path / "usage.db").unlink(missing_ok=True)
    fake, real = MemoryUsage(), SqliteUsage(str(tmp_path / "usage.db"))
    for step in steps:
        for usage in (fake, real):
            usage.note(MAIN, [each for each in step if isinstance(each, Use)])
            usage.forget(MAIN, [each for each in step if isinstance(each, str)])
    names = ["a", "b", HOSTILE]
    assert real.reuse(MAIN, names) == fake.reuse(MAIN, names)
    real.close()


def counted(path: Path) -> int:
    """How many uses another process finds in the file."""
    db = sqlite3.connect(path)
    (found,) = db.execute("SELECT coalesce(sum(count), 0) FROM uses").fetchone()
    db.close()
    return int(found)


def test_uses_are_gathered_and_written_when_many_wait_and_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "usage.db"
    usage = SqliteUsage(str(path))
    usage.note(MAIN, [use("a"), use("a"), use("b")])
    usage.note(MAIN, [use(f"e{n}") for n in range(1000)])
    assert counted(path) == 1003
    usage.note(MAIN, [use("a")])
    usage.close()
    assert counted(path) == 1004


def test_a_process_that_ends_without_closing_the_file_loses_no_use(tmp_path: Path) -> None:
    program = """
import sys
from datetime import UTC, datetime
from oldsoul.adapters.sqlite.records import SqliteUsage
from oldsoul.values.recall import Use
SqliteUsage(sys.argv[1]).note("main", [Use("a", "s", datetime(2026, 2, 4, 12, tzinfo=UTC))])
"""
    forked = program.replace("import sys", "import os, sys") + "\nif not os.fork():\n    sys.exit()\nos.wait()\n"
    SqliteUsage(str(tmp_path / "usage.db")).close()
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "usage.db")], check=True)
    usage = SqliteUsage(str(tmp_path / "usage.db"))
    assert usage.reuse(MAIN, ["a"]) == {"a": Reuse(1, 1, START)}
    usage.close()
    subprocess.run([sys.executable, "-c", forked, str(tmp_path / "usage.db")], check=True)
    usage = SqliteUsage(str(tmp_path / "usage.db"))
    assert usage.reuse(MAIN, ["a"]) == {"a": Reuse(1, 2, START)}  # one more, and not one for each process
    usage.close()


def test_uses_wait_while_the_file_cannot_be_written_and_whoever_asks_is_told(tmp_path: Path) -> None:
    folder, away = tmp_path / "state", tmp_path / "away"
    folder.mkdir()
    usage = SqliteUsage(str(folder / "usage.db"))
    usage.note(MAIN, [use("a")])
    usage.write()
    folder.rename(away)
    usage.note(MAIN, [use("a", at=1)])
    usage._write_late()
    with pytest.raises(OSError, match="usage"):
        usage.reuse(MAIN, ["a"])
    away.rename(folder)
    assert usage.reuse(MAIN, ["a"]) == {"a": Reuse(1, 2, START + timedelta(seconds=1))}
    usage.close()


def test_a_file_of_a_newer_oldsoul_is_refused_and_a_damaged_one_told(tmp_path: Path) -> None:
    path = tmp_path / "usage.db"
    SqliteUsage(str(path)).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(Damaged, match="newer"):
        SqliteUsage(str(path))
    path.write_bytes(b"not a database at all" * 1000)
    with pytest.raises(Damaged, match="memory is safe"):
        SqliteUsage(str(path))
