"""Every log of events, and of long work, under one contract."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.sqlite.events import SqliteEventLog, SqliteJobLog
from oldsoul.errors import NotFound
from oldsoul.testing import MemoryEventLog, MemoryJobLog
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.jobs import Event, EventKind, JobState, JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.ports import EventLog, JobLog

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


# long work

JOB = JobStatus("j1", "run", "main", "0:x", NOON)


class JobLogContract:
    """The promises. Subclass it, give it `logs`: the jobs, and the events they become."""

    def test_a_job_stands_as_it_was_moved_and_each_state_is_an_event(self, logs: tuple[JobLog, EventLog]) -> None:
        jobs, events = logs
        jobs.add(JOB, LONG_AGO)
        assert jobs.get("j1") == JOB
        later = NOON + timedelta(minutes=1)
        running = replace(JOB, state=JobState.RUNNING)
        assert jobs.move(running, JobState.QUEUED, later)
        jobs.note("j1", 3, 9)
        assert jobs.get("j1") == replace(running, done=3, of=9)
        done = replace(running, state=JobState.DONE, done=9, of=9, result={"changes": 2}, ended=later)
        assert jobs.move(done, JobState.RUNNING, later)
        assert jobs.get("j1") == done
        told = [each for _, each in events.after(0, 9)]
        assert [(each.kind, each.workspace, each.id, each.state) for each in told] == [
            (EventKind.JOB, "main", "j1", state) for state in ("queued", "running", "done")
        ]
        assert [each.time for each in told] == [NOON, later, later]
        assert {each.audiences for each in told} == {(OWNER,)}

    def test_a_job_whose_state_is_another_is_not_moved(self, logs: tuple[JobLog, EventLog]) -> None:
        jobs, events = logs
        jobs.add(JOB, LONG_AGO)
        assert jobs.move(replace(JOB, state=JobState.CANCELLED, ended=NOON), JobState.QUEUED, NOON)
        assert not jobs.move(replace(JOB, state=JobState.RUNNING), JobState.QUEUED, NOON)
        assert jobs.get("j1").state is JobState.CANCELLED
        assert len(events.after(0, 9)) == 2

    def test_that_somebody_wants_it_to_end_is_not_lost(self, logs: tuple[JobLog, EventLog]) -> None:
        jobs, _ = logs
        jobs.add(JOB, LONG_AGO)
        jobs.ask("j1")
        jobs.move(replace(JOB, state=JobState.RUNNING), JobState.QUEUED, NOON)
        assert jobs.get("j1").is_asked

    def test_jobs_are_listed_the_latest_first_and_old_ones_dropped(self, logs: tuple[JobLog, EventLog]) -> None:
        jobs, _ = logs
        for number in range(3):
            jobs.add(replace(JOB, id=f"j{number}", queued=NOON + timedelta(minutes=number)), LONG_AGO)
        jobs.move(replace(jobs.get("j1"), state=JobState.FAILED, error="Refused", ended=NOON), JobState.QUEUED, NOON)
        assert [each.id for each in jobs.every()] == ["j2", "j1", "j0"]
        assert [each.id for each in jobs.every(unfinished=True)] == ["j2", "j0"]
        jobs.add(replace(JOB, id="j3", queued=NOON - timedelta(minutes=1)), NOON + timedelta(seconds=1))
        assert [each.id for each in jobs.every()] == ["j2", "j0", "j3"]
        with pytest.raises(NotFound):
            jobs.get("j1")


class TestMemoryJobLog(JobLogContract):
    @pytest.fixture
    def logs(self) -> tuple[JobLog, EventLog]:
        events = MemoryEventLog()
        return MemoryJobLog(events), events


class TestSqliteJobLog(JobLogContract):
    @pytest.fixture
    def logs(self, tmp_path: Path) -> Iterator[tuple[JobLog, EventLog]]:
        path = str(tmp_path / "events.db")
        jobs, events = SqliteJobLog(path), SqliteEventLog(path)
        yield jobs, events
        jobs.close()
        events.close()
