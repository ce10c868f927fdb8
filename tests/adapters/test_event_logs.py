"""Every log of events under one contract."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.sqlite.events import SqliteEventLog
from oldsoul.testing import MemoryEventLog
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.events import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.ports import EventLog

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=100)


def event(number: int, *audiences: Audience) -> Event:
    return Event(EventKind.MESSAGE, "ma\0in\ud800", str(number), "user", NOON, audiences)


class EventLogContract:
    """The promises. Subclass it, give it a `log`."""

    def test_events_are_read_back_in_the_order_they_were_appended(self, log: EventLog) -> None:
        told = [event(n, PUBLIC, OWNER, Audience.person("acct:Ann B"), Audience.room("dev")) for n in range(5)]
        assert log.append(told[:2], {}, NOON, LONG_AGO)
        assert log.append(told[2:], {}, NOON, LONG_AGO)
        assert [each for _, each in log.after(0, 100)] == told
        numbers = [number for number, _ in log.after(0, 100)]
        assert numbers == sorted({*numbers})
        assert [each for _, each in log.after(numbers[1], 2)] == told[2:4]
        assert log.span()[1:] == (0, numbers[-1])

    def test_marks_move_with_the_events_or_neither_does(self, log: EventLog) -> None:
        assert log.append([event(1)], {"a": (None, "1"), "b": (None, "x")}, NOON, LONG_AGO)
        assert log.marks() == {"a": "1", "b": "x"}
        assert not log.append([event(2)], {"a": ("1", "2"), "b": ("y", "z")}, NOON, LONG_AGO)
        assert not log.append([event(2)], {"a": (None, "2")}, NOON, LONG_AGO)
        assert log.marks() == {"a": "1", "b": "x"}
        assert len(log.after(0, 100)) == 1
        assert log.append([event(2)], {"a": ("1", "2")}, NOON, LONG_AGO)
        assert log.marks() == {"a": "2", "b": "x"}

    def test_what_is_old_is_dropped_and_no_number_comes_again(self, log: EventLog) -> None:
        log.append([event(1), event(2)], {}, NOON, LONG_AGO)
        later = NOON + timedelta(days=1)
        log.append([event(3)], {}, later, NOON)
        assert len(log.after(0, 100)) == 3
        log.append([], {}, later, later)
        ((last, kept),) = log.after(0, 100)
        assert kept == event(3)
        assert log.span()[1:] == (last - 1, last)
        log.append([], {}, later, later + timedelta(days=1))
        assert log.after(0, 100) == []
        assert log.span()[1:] == (last, last)
        log.append([event(4)], {}, later, later)
        assert [number for number, _ in log.after(0, 100)] == [last + 1]

    def test_of_many_who_read_the_same_one_tells_of_it(self, log: EventLog) -> None:
        won: list[bool] = []

        def tell(number: int) -> None:
            won.append(log.append([event(number)], {"a": (None, str(number))}, NOON, LONG_AGO))

        threads = [threading.Thread(target=tell, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(won) == [False] * 7 + [True]
        assert len(log.after(0, 100)) == 1


class TestMemoryEventLog(EventLogContract):
    @pytest.fixture
    def log(self) -> MemoryEventLog:
        return MemoryEventLog()


class TestSqliteEventLog(EventLogContract):
    @pytest.fixture
    def log(self, tmp_path: Path) -> Iterator[SqliteEventLog]:
        log = SqliteEventLog(str(tmp_path / "events.db"))
        yield log
        log.close()

    def test_the_next_process_finds_all_of_it_and_another_file_is_told_from_it(self, tmp_path: Path) -> None:
        first = SqliteEventLog(str(tmp_path / "events.db"))
        first.append([event(1)], {"a": (None, "1")}, NOON, LONG_AGO)
        span, told = first.span(), first.after(0, 9)
        first.close()
        again, other = (SqliteEventLog(str(tmp_path / name)) for name in ("events.db", "other.db"))
        assert (again.span(), again.after(0, 9), again.marks()) == (span, told, {"a": "1"})
        assert other.span()[0] != span[0]
        again.close()
        other.close()
