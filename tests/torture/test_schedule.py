"""Four processes run the same schedule, paused and killed at any moment: every slot has one result, and no two runs overlap."""

from __future__ import annotations

import mmap
import os
import random
import select
import signal
import struct
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from oldsoul.app.clock.scheduler import Scheduler, SchedulerEvent
from oldsoul.rules.schedule import moment
from oldsoul.values.jobs import DueTime, Scheduled, SlotOutcome, SlotResult, Status
from oldsoul.values.keepers import KEEPERS
from oldsoul.wiring import open_home
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROCESSES = 4
ZONES = {"berlin": "Europe/Berlin", "york": "America/New_York", "howe": "Australia/Lord_Howe"}
# All three zones change their clocks in these weeks; the year has both changes of each.
START = datetime(2026, 1, 1, 9, 17, tzinfo=UTC) if TORTURE else datetime(2026, 3, 3, 9, 17, tzinfo=UTC)
DAYS = scaled(38, 120)
TIMES = {
    "soul-keeper": "02:30",
    "memory-miner": "06:00",
    "conflict-detector": "02:10",
    "memory-compactor": "Sunday 03:00",
    "vector-hygiene": "Sunday 03:30",
    "soul-history": "monthly 03:45",
}
EVERYTHING = 1_000_000
STALLED_SECONDS = 0.3
"""When nobody moves for so long, somebody who is paused holds the ledger; they go on."""


class SharedClock:
    """The time of the simulation, the same for every process."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 8)

    def now(self) -> datetime:
        return datetime.fromtimestamp(struct.unpack("q", self._memory[:8])[0], UTC)

    def set(self, now: datetime) -> None:
        self._memory[:8] = struct.pack("q", int(now.timestamp()))


class Worker:
    """What one process does: look what is due whenever it is told to, and write down what happens."""

    def __init__(self, home: Path, clock: SharedClock, seed: int) -> None:
        self._log = os.open(home / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._chance = random.Random(seed)  # noqa: S311 - a test's dice
        self._runs = 0
        self._soul = open_home(home, {}, clock=clock)
        self._scheduler = Scheduler(
            self._soul._home, list(ZONES), self._committed, perform=self._perform, wait=lambda _: None, kept=EVERYTHING
        )

    def serve(self, commands: int, replies: int) -> None:
        while os.read(commands, 1):
            self._scheduler.tick()
            os.write(replies, b".")

    def _say(self, what: str, job: Scheduled, slot: DueTime) -> None:
        os.write(self._log, f"{what}\t{os.getpid()}.{self._runs}\t{job.agent} {job.name}\t{slot.id}\n".encode())

    def _perform(self, job: Scheduled, slot: DueTime, progress: Callable[[str], None]) -> SlotResult:
        self._runs += 1
        self._say("begun", job, slot)
        for part in range(3):
            progress(f"part {part}")
            dice = self._chance.random()
            if dice < 0.02:
                os.kill(os.getpid(), signal.SIGSTOP)
            elif dice < 0.04:
                os.kill(os.getpid(), signal.SIGKILL)
            elif dice < 0.05:
                raise ValueError("bad luck")
            self._say("at it", job, slot)
        self._say("ended", job, slot)
        return SlotResult(Status.DONE, changes=1)

    def _committed(self, told: SchedulerEvent) -> None:
        assert told.job is not None, told.problem
        assert told.past is not None, told.problem
        self._say("committed", told.job, told.past.slot)


@dataclass
class Child:
    """One process, and the pipes it is spoken to through."""

    process: int
    commands: int
    replies: int
    is_busy: bool = False
    is_paused: bool = False

    @property
    def is_moving(self) -> bool:
        return self.is_busy and not self.is_paused

    def close(self) -> None:
        os.close(self.commands)
        os.close(self.replies)


class Conductor:
    """Moves the clock, and pauses, kills and replaces processes by its dice."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.clock = SharedClock()
        self.clock.set(START)
        self.chance = random.Random(seed)  # noqa: S311 - a test's dice
        self.children: list[Child] = []
        self.counts: Counter[str] = Counter()

    def start(self) -> None:
        command_end, commands = os.pipe()
        replies, reply_end = os.pipe()
        seed = self.chance.getrandbits(32)
        process = os.fork()
        if process:
            os.close(command_end)
            os.close(reply_end)
            self.children.append(Child(process, commands, replies))
            self.counts["started"] += 1
            return
        code = 1
        with suppress(BaseException):
            for other in self.children:
                other.close()
            os.close(commands)
            os.close(replies)
            Worker(self.home, self.clock, seed).serve(command_end, reply_end)
            code = 0
        os._exit(code)

    def round(self) -> None:
        """Everybody who is free looks what is due; meanwhile one of them may be paused or killed."""
        for child in self.children:
            if not child.is_busy:
                os.write(child.commands, b".")
                child.is_busy = True
        moving = [child for child in self.children if child.is_moving]
        dice = self.chance.random()
        if moving and dice < 0.2:
            victim = self.chance.choice(moving)
            for _ in range(self.chance.randrange(200_000)):
                pass
            os.kill(victim.process, signal.SIGKILL if dice < 0.08 else signal.SIGSTOP)
            self._note(victim, os.waitpid(victim.process, os.WUNTRACED)[1])
        self.settle()
        for child in self.children:
            if child.is_paused and self.chance.random() < 0.3:
                self.resume(child)
        self.settle()

    def settle(self) -> None:
        """Wait until nobody moves any more."""
        moved = time.monotonic()
        while any(child.is_moving for child in self.children):
            moving = {child.replies: child for child in self.children if child.is_moving}
            ready, _, _ = select.select(list(moving), [], [], 0.01)
            for replies in ready:
                if os.read(replies, 1):
                    moving[replies].is_busy = False
            if self._changed() or ready:
                moved = time.monotonic()
            if time.monotonic() - moved > STALLED_SECONDS:
                for child in self.children:
                    self.resume(child)
                moved = time.monotonic()
        self._changed()

    def _changed(self) -> bool:
        """Take note of who was paused or is dead, and have another take the place of each of the dead."""
        found = False
        for child in list(self.children):
            process, status = os.waitpid(child.process, os.WNOHANG | os.WUNTRACED)
            if process:
                found = True
                self._note(child, status)
        return found

    def _note(self, child: Child, status: int) -> None:
        if os.WIFSTOPPED(status):
            child.is_paused = True
            self.counts["paused"] += 1
            return
        child.close()
        self.children.remove(child)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "a process failed"
        self.counts["killed"] += 1
        self.start()

    def resume(self, child: Child) -> None:
        if child.is_paused:
            child.is_paused = False
            os.kill(child.process, signal.SIGCONT)

    def end(self) -> None:
        """Have everybody go on and come to their end."""
        while any(child.is_busy for child in self.children):
            for child in self.children:
                self.resume(child)
            self.settle()
        for child in self.children:
            child.close()
            assert os.waitstatus_to_exitcode(os.waitpid(child.process, 0)[1]) == 0
        self.children.clear()

    def kill_everybody(self) -> None:
        for child in self.children:
            os.kill(child.process, signal.SIGKILL)
            os.waitpid(child.process, 0)
            child.close()
        self.children.clear()


def configured(home: Path) -> None:
    home.mkdir()
    agents = ", ".join(f"{{id: {name}, timezone: {zone}}}" for name, zone in ZONES.items())
    settings = {
        record.setting_path.rpartition(".")[2]: TIMES.get(record.name, "off") for record in KEEPERS if record.schedule
    }
    times = ", ".join(f'{name}: "{when}"' for name, when in settings.items())
    (home / "config.yaml").write_text(f"agents: {{list: [{agents}]}}\nkeepers: {{schedule: {{{times}}}}}\n")
    with open_home(home, {}):
        pass


def steps(chance: random.Random) -> Iterator[datetime]:
    """The times at which somebody looks: often every few hours, now and then after days."""
    now, end = START, START + timedelta(days=DAYS)
    while now < end:
        yield now
        dice = chance.random()
        now += timedelta(seconds=chance.randrange(60, 600 if dice < 0.2 else 30_000 if dice < 0.98 else 300_000))
    yield end


def test_four_processes_give_every_slot_one_result(tmp_path: Path) -> None:
    seed = int.from_bytes(os.urandom(4)) if TORTURE else 7
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    home = tmp_path / "home"
    configured(home)
    conductor = Conductor(home, seed)
    try:
        conductor.start()
        conductor.round()  # the first to look: slots count from here on
        for _ in range(PROCESSES - len(conductor.children)):
            conductor.start()
        for now in steps(conductor.chance):
            conductor.clock.set(now)
            conductor.round()
        conductor.end()
    finally:
        conductor.kill_everybody()
    with open_home(home, {}, clock=conductor.clock) as soul:
        Scheduler(soul._home, list(ZONES), kept=EVERYTHING, perform=lambda *_: SlotResult(Status.DONE)).tick()
        results = {f"{agent} {job}": soul._home.timetable.history(agent, job)[::-1] for agent in ZONES for job in TIMES}
        keys = [change.key for agent in ZONES for change in soul._home.ledger.history(agent, limit=EVERYTHING)]
    lines = [line.split("\t") for line in (home / "log").read_text().splitlines()]
    check_results(results)
    check_once(results, keys, lines)
    check_apart(lines)
    statuses = Counter(str(past.result.status) for pasts in results.values() for past in pasts)
    begun = sum(what == "begun" for what, *_ in lines)
    print(f"{dict(conductor.counts)}, {begun} begun: {dict(statuses)}")  # noqa: T201 - the same
    assert min(conductor.counts["killed"], conductor.counts["paused"]) >= DAYS // 8
    assert statuses["done"] > DAYS
    assert statuses["failed"] > 0
    assert statuses["skipped"] > 0


def expected(job: str, zone: ZoneInfo) -> list[str]:
    """The slots there are, worked out day by day from the calendar."""
    found = []
    day, when = date.fromordinal(START.toordinal() - 2), TIMES[job].split()
    while day <= (START + timedelta(days=DAYS + 2)).date():
        at = moment(datetime.fromisoformat(f"{day}T{when[-1]}"), zone)
        fits = len(when) == 1 or (day.day == 1 if when[0] == "monthly" else day.weekday() == 6)
        if fits and START < at <= START + timedelta(days=DAYS):
            found.append(f"{day}T{when[-1]}[{zone}]")
        day += timedelta(days=1)
    return found


def check_results(results: dict[str, list[SlotOutcome]]) -> None:
    """Every slot that was due has one result, and nothing else has."""
    for name, pasts in results.items():
        agent, job = name.split()
        assert [past.slot.id for past in pasts] == expected(job, ZoneInfo(ZONES[agent])), name


def check_once(results: dict[str, list[SlotOutcome]], keys: list[str], lines: list[list[str]]) -> None:
    """No slot was committed twice, and what is done was run to its end; attempts may repeat, and are counted."""
    assert len(keys) == len(set(keys))
    committed = Counter((job, slot) for what, _, job, slot in lines if what == "committed")
    ended = Counter((job, slot) for what, _, job, slot in lines if what == "ended")
    begun = Counter((job, slot) for what, _, job, slot in lines if what == "begun")
    assert set(committed.values()) == {1}
    for job, pasts in results.items():
        for past in pasts:
            slot, result = (job, past.slot.id), past.result
            key = f"job:{job.replace(' ', ':')}:{past.slot.id}"
            if result.status is Status.SKIPPED:
                assert result.notes
            else:
                assert keys.count(key) == 1
                assert begun[slot] <= result.attempts
            if result.status is Status.DONE and slot in committed:
                assert ended[slot] >= 1
            if result.status is Status.FAILED:
                assert result.notes in [("ValueError: bad luck",), ("started 5 times and killed each time",)]


def check_apart(lines: list[list[str]]) -> None:
    """What one run of a job wrote down stands together: no other run of it wrote in between."""
    for job in {job for _, _, job, _ in lines}:
        ours = [(what, run) for what, run, which, _ in lines if which == job and what != "committed"]
        runs = [run for run, _ in groupby(run for _, run in ours)]
        assert len(runs) == len(set(runs)), job
        assert all(
            (what == "begun") == (number == 0)
            for _, some in groupby(ours, lambda line: line[1])
            for number, (what, _) in enumerate(some)
        )
