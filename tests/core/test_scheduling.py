"""Keepers run by the clock: each slot once, what was missed, what fails, what is killed, clocks and settings that change."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.app.clock.scheduler import KEPT, Scheduler, SchedulerEvent, performed
from oldsoul.app.clock.timetable import RESULT
from oldsoul.app.keepers.runs import KeeperRuns
from oldsoul.driver import Report, Run
from oldsoul.errors import Busy, NotFound, OutOfBudget
from oldsoul.testing import FrozenClock
from oldsoul.values.jobs import DueTime, Scheduled, SlotOutcome, SlotResult, Status
from oldsoul.values.keepers import KEEPERS
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
"""A Wednesday."""
LIMIT = 300
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Killed(BaseException):
    """What a process that is killed does not get to handle."""


class Bench:
    """A home, a clock that a test moves, and work that a test decides on."""

    def __init__(self, home: Path, config: str) -> None:
        self.home = home
        self.clock = FrozenClock(NOON)
        self.is_closed = False
        self.runs: list[str] = []
        self.told: list[SchedulerEvent] = []
        self.work: Callable[[Scheduled, DueTime, Callable[[str], None]], SlotResult] = lambda *_: SlotResult(
            Status.DONE
        )
        self.configure(config)
        self.soul = open_home(home, {}, clock=self.clock)
        self.scheduler = self.made()

    def configure(self, config: str) -> None:
        (self.home / "config.yaml").write_text(config)

    def made(self, **more: Any) -> Scheduler:
        return Scheduler(self.soul._home, on_event=self.told.append, perform=self.perform, **more)

    def perform(self, job: Scheduled, slot: DueTime, progress: Callable[[str], None]) -> SlotResult:
        self.runs.append(f"{job.agent} {job.name} {slot.wall:%m-%d %H:%M}")
        return self.work(job, slot, progress)

    def after(self, step: timedelta, scheduler: Scheduler | None = None) -> list[str]:
        """What is run when so much time has passed."""
        self.runs.clear()
        self.told.clear()
        self.clock.advance(step)
        (scheduler or self.scheduler).tick()
        return list(self.runs)

    def history(self, job: str = "memory-miner", agent: str = "main") -> list[SlotOutcome]:
        return self.soul._home.timetable.history(agent, job)

    def statuses(self, job: str = "memory-miner") -> list[tuple[str, str]]:
        return [(f"{past.slot.wall:%m-%d %H:%M}", str(past.result.status)) for past in self.history(job)]


SCHEDULED = {record.setting_path.rpartition(".")[2]: record.name for record in KEEPERS if record.schedule}
"""The keepers that run by the clock, by the last part of their setting."""


def only(**times: str) -> str:
    """The settings of a home in which these keepers alone run by the clock, at these times."""
    schedule = ", ".join(f'{name}: "{times.get(name, "off")}"' for name in SCHEDULED)
    return f"timezone: UTC\nkeepers:\n  schedule: {{{schedule}}}\n"


MINER = only(memory_miner="06:00")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def bench(config: str = MINER) -> Bench:
        (tmp_path / "home").mkdir()
        made.append(Bench(tmp_path / "home", config))
        return made[-1]

    yield bench
    for each in made:
        if not each.is_closed:
            each.soul.close()


def test_the_first_start_makes_up_for_nothing(bench: Callable[..., Bench]) -> None:
    house = bench("timezone: UTC\n")
    assert house.after(timedelta(0)) == []
    assert house.after(HOUR) == []
    assert house.told == []
    assert [past for name in SCHEDULED.values() for past in house.history(name)] == []


def test_every_slot_is_run_once_the_longest_due_first(bench: Callable[..., Bench]) -> None:
    daily = {"soul_keeper": "02:30", "memory_miner": "06:00", "conflict_detector": "07:00"}
    house = bench(only(**daily, compactor_weekly="Sunday 03:00", vector_hygiene="Sunday 03:30"))
    house.after(timedelta(0))
    assert house.after(DAY) == [
        "main soul-keeper 02-05 02:30",
        "main memory-miner 02-05 06:00",
        "main conflict-detector 02-05 07:00",
    ]
    assert house.after(timedelta(0)) == []
    assert house.after(2 * DAY + 16 * HOUR) == [  # Sunday, 04:00
        "main memory-miner 02-07 06:00",
        "main conflict-detector 02-07 07:00",
        "main soul-keeper 02-08 02:30",
        "main memory-compactor 02-08 03:00",
        "main vector-hygiene 02-08 03:30",
    ]
    assert house.statuses("soul-keeper")[:2] == [("02-08 02:30", "done"), ("02-07 02:30", "skipped")]


def test_the_first_of_the_month_and_teams_have_their_turn(bench: Callable[..., Bench]) -> None:
    house = bench("timezone: UTC\nteams: [{name: crew}]\nagents: {list: [{id: main}, {id: scout}]}\n")
    house.after(timedelta(0))
    found = house.after(timedelta(days=24, hours=16))  # 1 March, a Sunday, 04:00
    assert [run for run in found if "soul-history" in run] == [
        f"{name} soul-history 03-01 03:45" for name in ("main", "scout", "crew")
    ]
    assert house.soul._home.timetable.agents() == ["main", "scout", "crew"]


def test_a_scheduler_may_be_for_some_agents_alone(bench: Callable[..., Bench]) -> None:
    house = bench(f"{MINER}agents: {{list: [{{id: main}}, {{id: scout}}]}}\n")
    only = house.made(agents=["scout"])
    house.after(timedelta(0), only)
    assert house.after(DAY, only) == ["scout memory-miner 02-05 06:00"]


def test_what_came_of_a_run_is_kept(bench: Callable[..., Bench]) -> None:
    house = bench()

    def work(_: Scheduled, __: DueTime, progress: Callable[[str], None]) -> SlotResult:
        progress("reading")
        house.clock.advance(timedelta(minutes=5))
        return SlotResult(Status.DONE, 3, 1000, 200, 0.25, ("looked at 7 days",))

    house.work = work
    house.after(timedelta(0))
    house.after(18 * HOUR)
    ((job, past, _),) = house.told
    assert job is not None
    assert past is not None
    began = NOON + 18 * HOUR
    notes = ("looked at 7 days",)
    assert past.result == SlotResult(
        Status.DONE, 3, 1000, 200, 0.25, notes, began, began + timedelta(minutes=5), attempts=1
    )
    assert past.result.duration == timedelta(minutes=5)
    assert past.slot.id == "2026-02-05T06:00[UTC]"
    assert house.history() == [past]
    (change, *_) = house.soul._home.ledger.history("main", limit=1)
    assert (change.key, change.reason) == (
        "job:main:memory-miner:2026-02-05T06:00[UTC]",
        "memory-miner of 2026-02-05 06:00: done",
    )


def test_of_many_missed_slots_the_latest_is_run_and_all_have_a_result(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.after(timedelta(0))
    assert house.after(5 * DAY) == ["main memory-miner 02-09 06:00"]
    assert [(f"{p.slot.wall:%d}", str(p.result.status), p.result.notes) for p in house.history()] == [
        ("09", "done", ()),
        *((f"0{day}", "skipped", ("missed by more than 24 h",)) for day in (8, 7, 6, 5)),
    ]
    assert len(house.told) == 5


def test_slots_missed_by_little_are_made_up_for_by_the_latest(bench: Callable[..., Bench]) -> None:
    house = bench(MINER.replace('"06:00"', '"0 */2 * * *"'))
    house.after(timedelta(0))
    assert house.after(HOUR * 5) == ["main memory-miner 02-04 16:00"]
    assert house.history()[1].result.notes == ("replaced by the run of 2026-02-04 16:00",)


def test_what_was_missed_by_more_than_a_day_is_not_run(bench: Callable[..., Bench]) -> None:
    house = bench(MINER.replace('"06:00"', "Wednesday 06:00"))
    house.after(timedelta(0))
    assert house.after(9 * DAY) == []
    assert house.statuses() == [("02-11 06:00", "skipped")]


def test_a_backlog_without_end_is_bounded(bench: Callable[..., Bench]) -> None:
    house = bench(MINER.replace('"06:00"', '"* * * * *"'))
    house.after(timedelta(0))
    assert len(house.after(400 * DAY)) == 1
    assert len(house.history()) == KEPT
    assert house.after(timedelta(0)) == []


def test_the_last_results_are_kept(bench: Callable[..., Bench]) -> None:
    house = bench()
    few = house.made(kept=3)
    house.after(timedelta(0), few)
    for _ in range(5):
        assert len(house.after(DAY, few)) == 1
    assert [when for when, _ in house.statuses()] == ["02-09 06:00", "02-08 06:00", "02-07 06:00"]
    assert len(house.soul._home.world.store.records("main", RESULT)) == 3


def test_a_run_that_fails_is_recorded_and_waits_for_its_next_slot(bench: Callable[..., Bench]) -> None:
    house = bench()

    def work(*_: object) -> SlotResult:
        raise ZeroDivisionError("no way, with sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF")

    house.work = work
    house.after(timedelta(0))
    assert len(house.after(DAY)) == 1
    assert house.after(HOUR) == []
    (past,) = house.history()
    assert past.result.status is Status.FAILED
    assert past.result.notes[0].startswith("ZeroDivisionError: no way")
    assert "abcdefghijkl" not in past.result.notes[0]
    house.work = lambda *_: SlotResult(Status.DONE)
    assert len(house.after(DAY)) == 1


def test_words_that_are_no_text_stop_nothing(bench: Callable[..., Bench]) -> None:
    house = bench()

    def work(_: Scheduled, __: DueTime, progress: Callable[[str], None]) -> SlotResult:
        progress("half \ud800" * 100)
        return SlotResult(Status.DONE, notes=("half \ud800",) * 30 + ("ä" * 10_000,))

    house.work = work
    house.after(timedelta(0))
    house.after(DAY)
    assert house.history()[0].result.notes == ("half \ud800",) * 20
    house.work = lambda *_: SlotResult(Status.DONE, notes=("ä" * 10_000,))
    house.after(DAY)
    assert house.history()[0].result.notes == ("ä" * 500,)


def test_a_run_without_budget_is_stopped(bench: Callable[..., Bench]) -> None:
    house = bench()

    def work(*_: object) -> SlotResult:
        raise OutOfBudget("spent")

    house.work = work
    house.after(timedelta(0))
    house.after(DAY)
    assert house.statuses() == [("02-05 06:00", "stopped")]


def test_a_run_that_is_killed_is_begun_again_and_attempts_are_counted(bench: Callable[..., Bench]) -> None:
    house = bench()

    def killed(*_: object) -> SlotResult:
        raise Killed

    house.work = killed
    house.after(timedelta(0))
    for step in (18 * HOUR, HOUR):
        with pytest.raises(Killed):
            house.after(step)
        assert house.history() == []
    house.work = lambda *_: SlotResult(Status.DONE)
    assert house.after(timedelta(0)) == ["main memory-miner 02-05 06:00"]
    (past,) = house.history()
    assert past.result.attempts == 3
    assert house.after(DAY) != []
    assert house.history()[0].result.attempts == 1


def test_a_run_that_is_killed_each_time_is_given_up(bench: Callable[..., Bench]) -> None:
    house = bench()

    def killed(*_: object) -> SlotResult:
        raise Killed

    house.work = killed
    house.after(timedelta(0))
    house.clock.advance(DAY)
    for _ in range(5):
        with pytest.raises(Killed):
            house.scheduler.tick()
    house.scheduler.tick()
    (past,) = house.history()
    assert (past.result.status, past.result.attempts) == (Status.FAILED, 5)
    assert past.result.notes == ("started 5 times and killed each time",)
    assert house.after(HOUR) == []


def test_while_one_runs_a_job_no_other_does_and_all_see_what_it_is_at(bench: Callable[..., Bench]) -> None:
    house = bench()
    other = house.made()
    seen: list[Any] = []

    def work(_: Scheduled, __: DueTime, progress: Callable[[str], None]) -> SlotResult:
        progress("day 3 of 7")
        seen.append(other.tick())
        seen.append(next(line for line in house.soul._home.timetable.lines("main") if line.job.name == "memory-miner"))
        return SlotResult(Status.DONE)

    house.work = work
    house.after(timedelta(0))
    assert len(house.after(DAY)) == 1
    nothing, line = seen
    assert nothing == []
    assert line.running.what == "day 3 of 7"
    assert line.running.slot == "2026-02-05T06:00[UTC]"
    assert line.last is None
    after = next(line for line in house.soul._home.timetable.lines("main") if line.job.name == "memory-miner")
    assert after.running is None
    assert after.last is not None
    assert other.tick() == []


def test_a_clock_that_is_set_back_runs_nothing_twice(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.after(timedelta(0))
    assert len(house.after(18 * HOUR)) == 1
    assert house.after(-HOUR) == []
    assert house.after(2 * HOUR) == []
    assert house.after(DAY) == ["main memory-miner 02-06 06:00"]


def test_a_process_that_was_paused_for_days_in_the_middle_of_a_look_goes_by_the_clock_as_it_is(
    bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    house = bench()
    house.after(timedelta(0))
    house.clock.advance(DAY)
    other, paused = house.made(), house.scheduler
    take = paused._leases.take

    def after_days(workspace: str, work: str) -> Any:
        monkeypatch.undo()
        house.clock.advance(4 * DAY)
        other.tick()
        return take(workspace, work)

    monkeypatch.setattr(paused._leases, "take", after_days)
    paused.tick()
    house.clock.advance(DAY)
    other.tick()
    assert house.runs == ["main memory-miner 02-09 06:00", "main memory-miner 02-10 06:00"]
    assert len(house.history()) == len(house.told) == 6


def test_a_clock_that_was_far_ahead_stops_nothing_for_long(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.after(timedelta(0))
    assert house.after(10 * DAY) == ["main memory-miner 02-14 06:00"]
    assert house.after(-10 * DAY) == []
    assert house.after(18 * HOUR) == ["main memory-miner 02-05 06:00"]
    assert house.after(9 * DAY) == []  # 14 February has its result
    assert house.after(HOUR) == []
    assert house.after(DAY) == ["main memory-miner 02-15 06:00"]
    assert [change.key for change in house.soul._home.ledger.history("main", limit=1000)].count(
        "job:main:memory-miner:2026-02-14T06:00[UTC]"
    ) == 1


def test_another_schedule_counts_from_when_it_is_first_seen(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.after(timedelta(0))
    assert len(house.after(DAY)) == 1
    house.configure(MINER.replace("06:00", "10:00"))
    assert house.after(timedelta(0)) == []  # 10:00 was two hours ago
    assert house.after(22 * HOUR) == ["main memory-miner 02-06 10:00"]
    house.configure(MINER.replace("06:00", "10:00").replace("timezone: UTC", "timezone: Asia/Kathmandu"))
    assert house.after(timedelta(0)) == []
    assert house.after(DAY) == ["main memory-miner 02-07 10:00"]
    assert house.history()[0].slot.at == datetime(2026, 2, 7, 4, 15, tzinfo=UTC)


def test_the_same_schedule_in_other_words_is_the_same(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.after(timedelta(0))
    house.configure(MINER.replace('"06:00"', '"0 6 * * *"'))
    assert house.after(DAY) == ["main memory-miner 02-05 06:00"]


@pytest.mark.parametrize(
    "off",
    [
        MINER.replace('"06:00"', '"off"'),
        MINER.replace("schedule: {", "schedule: {enabled: false, "),
        f"{MINER}  enabled: false\n",
        f"{MINER}memory: {{enabled: false}}\n",
    ],
)
def test_what_is_off_is_not_run_and_not_made_up_for(bench: Callable[..., Bench], off: str) -> None:
    house = bench()
    house.after(timedelta(0))
    house.configure(off)
    assert house.after(HOUR) == []
    assert house.after(DAY) == []
    assert all(line.next is None for line in house.soul._home.timetable.lines("main"))
    house.configure(MINER)
    assert house.after(timedelta(0)) == []
    assert len(house.after(DAY)) == 1


def test_a_setting_that_makes_no_sense_is_told_of_once_and_stops_no_other_job(bench: Callable[..., Bench]) -> None:
    house = bench(MINER.replace('soul_keeper: "off"', 'soul_keeper: "61 * * * *"'))
    house.after(timedelta(0))
    ((job, past, problem),) = house.told
    assert job is not None
    assert (job.name, past) == ("soul-keeper", None)
    assert problem.startswith('keepers.schedule.soul_keeper: the cron fields "61 * * * *" cannot be understood')
    assert len(house.after(DAY)) == 1
    assert [told for told in house.told if told.problem] == []
    line = next(line for line in house.soul._home.timetable.lines("main") if line.job.name == "soul-keeper")
    assert (line.next, line.problem) == (None, problem)


def test_a_home_that_cannot_be_read_for_a_moment_is_tried_again(
    bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    house = bench()
    house.after(timedelta(0))
    own = Path(house.soul._home.world.places.folder("main")) / "CONFIG.md"
    before = own.read_bytes()
    own.write_text("```yaml\nconfidence_floor: [\n```\n")
    assert house.after(DAY) == []
    assert [(told.job, bool(told.problem)) for told in house.told] == [(None, True)]
    assert house.after(timedelta(0)) == []
    assert house.told == []
    own.write_bytes(before)

    @contextmanager
    def hold(_: str) -> Iterator[Any]:
        raise Busy("held")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(house.soul._home.world.store, "hold", hold)
        assert house.after(timedelta(0)) == []
        assert [told.problem for told in house.told] == ["held"]
    assert house.after(timedelta(0)) == ["main memory-miner 02-05 06:00"]


def test_the_loop_sleeps_until_the_next_slot_and_never_for_long(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.clock.advance(18 * HOUR - timedelta(seconds=70))
    pauses: list[float] = []

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        house.clock.advance(timedelta(seconds=seconds))
        if len(pauses) == 4:
            scheduler.finish()

    scheduler = house.made(wait=wait)
    scheduler.run()
    assert pauses == [60, 10, 60, 60]
    assert house.runs == ["main memory-miner 02-05 06:00"]


def test_a_slot_that_comes_while_another_runs_is_run_at_once(bench: Callable[..., Bench]) -> None:
    house = bench(MINER.replace('conflict_detector: "off"', 'conflict_detector: "07:00"'))
    house.after(timedelta(0))
    house.clock.advance(18 * HOUR)

    def work(job: Scheduled, *_: object) -> SlotResult:
        if job.name == "memory-miner":
            house.clock.advance(2 * HOUR)
        return SlotResult(Status.DONE)

    pauses: list[float] = []

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            scheduler.finish()

    house.work = work
    scheduler = house.made(wait=wait)
    scheduler.run()
    assert house.runs == ["main memory-miner 02-05 06:00", "main conflict-detector 02-05 07:00"]
    assert pauses == [0, 60]


def test_it_runs_in_a_thread_and_ends_with_what_it_is_at(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.after(timedelta(0))
    house.clock.advance(DAY)
    began, may_end = threading.Event(), threading.Event()

    def work(*_: object) -> SlotResult:
        began.set()
        assert may_end.wait(LIMIT)
        return SlotResult(Status.DONE)

    house.work = work
    scheduler = house.made()
    scheduler.start()
    assert began.wait(LIMIT)
    scheduler.finish()
    may_end.set()
    house.is_closed = True
    house.soul.close()  # waits for it
    assert house.soul._home.schedulers == []
    with open_home(house.home, {}, clock=house.clock) as soul:
        assert [past.result.status for past in soul._home.timetable.history("main", "memory-miner")] == [Status.DONE]


def test_nothing_is_begun_once_it_is_stopped(bench: Callable[..., Bench]) -> None:
    house = bench("timezone: UTC\n")
    house.after(timedelta(0))
    house.clock.advance(DAY)

    def work(*_: object) -> SlotResult:
        house.scheduler.stop()
        return SlotResult(Status.DONE)

    house.work = work
    house.scheduler.tick()
    assert len(house.runs) == 1
    house.scheduler.run()
    assert len(house.runs) == 1


def test_a_job_that_is_not_there_is_not_found(bench: Callable[..., Bench]) -> None:
    house = bench()
    with pytest.raises(NotFound, match=f"choose one of {', '.join(SCHEDULED.values())}"):
        house.history("minor")


@pytest.mark.parametrize(
    ("done", "notes", "status"),
    [(True, (), Status.DONE), (False, ("stopped: spent",), Status.STOPPED), (False, ("half",), Status.FAILED)],
)
def test_a_keepers_reports_become_one_result(
    bench: Callable[..., Bench],
    monkeypatch: pytest.MonkeyPatch,
    done: bool,  # noqa: FBT001
    notes: tuple[str, ...],
    status: Status,
) -> None:
    house = bench(f"{MINER}  model: {{input_price: 3, output_price: 15}}\n")
    said: list[str] = []

    def run(_: KeeperRuns, job: str, *, on_progress: Callable[[str], None]) -> Iterator[Report]:
        on_progress(f"{job}: first")
        yield Report(Run("main", job, "a"), (), tokens_in=1000, tokens_out=100)
        yield Report(Run("main", job, "b"), (), notes, done=done, tokens_in=1000)

    monkeypatch.setattr(KeeperRuns, "run", run)
    job = house.soul._home.timetable.job("main", "memory-miner")
    result = performed(house.soul._home, house.soul._kept, job, said.append)
    assert result == SlotResult(status, 0, 2000, 100, 0.0075, notes)
    assert said == ["memory-miner: first"]
    scheduler = house.soul.scheduler()
    scheduler.tick()
    house.clock.advance(DAY)
    ((_, past, _),) = scheduler.tick()
    assert past is not None
    assert past.result.status is status
    assert (
        next(line for line in house.soul._home.timetable.lines("main") if line.job.name == "memory-miner").last == past
    )


def test_a_home_may_be_looked_at_by_many(bench: Callable[..., Bench]) -> None:
    house = bench()
    house.after(timedelta(0))
    house.after(DAY)
    with open_home(house.home, {}, clock=house.clock) as other:
        lines: dict[str, Any] = {line.job.name: line for line in other._home.timetable.lines("main")}
    line = lines["memory-miner"]
    assert line.next.wall == datetime(2026, 2, 6, 6)  # noqa: DTZ001
    assert line.last == house.history()[0]
    assert lines["soul-keeper"].next is None
