"""Runs the keepers on schedule: every slot gets one result, however many processes run, and whenever they are killed."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from oldsoul.app.clock.timetable import (
    REACHED,
    RESULT,
    CurrentRun,
    JobProgress,
    dumped,
    record_key,
    schedule_of,
)
from oldsoul.app.home import Home
from oldsoul.driver import Report
from oldsoul.errors import OldsoulError, OutOfBudget
from oldsoul.ports import Lease
from oldsoul.rules.schedule import due, due_slots, next_after
from oldsoul.rules.secrets import mask
from oldsoul.values.changes import Author, Role
from oldsoul.values.history import Record
from oldsoul.values.jobs import DueTime, Scheduled, SlotOutcome, SlotResult, Status

Run = Callable[[str, str, Callable[[str], None]], Iterable[Report]]
Perform = Callable[[Scheduled, DueTime, Callable[[str], None]], SlotResult]


_AUTHOR = Author(Role.SYSTEM, "scheduler")
_FAILURES = (OldsoulError, OSError)
_LONGEST_PAUSE = 60.0
_SET_BACK = timedelta(days=2)
_CATCH_UP = timedelta(hours=24)  # a slot missed by no more is run late
"""A clock that was set back by no more is waited for; by more, it was wrong before."""
_MOST_ATTEMPTS = 5
_MOST_NOTES, _MOST_CHARACTERS = 20, 500
_MOST_SHOWN = 200
KEPT = 100
"""So many results of a job are kept."""


class SchedulerEvent(NamedTuple):
    """What a scheduler did."""

    job: Scheduled | None
    """the job it is about; None when it is about an agent's settings"""
    past: SlotOutcome | None = None
    """the slot, and its result"""
    problem: str = ""
    """why nothing could be done; it is tried again"""


class Scheduler:
    """Runs jobs until it is stopped: with `run` here, with `start` in a thread. `tick` does what is due now."""

    def __init__(
        self,
        home: Home,
        agents: Sequence[str] = (),
        on_event: Callable[[SchedulerEvent], None] = lambda _: None,
        *,
        perform: Perform,
        wait: Callable[[float], object] | None = None,
        kept: int = KEPT,
    ) -> None:
        self._home = home
        self._agents = tuple(agents)
        self._on_event = on_event
        self._perform = perform
        self._stopped = threading.Event()
        self._wait = wait or self._stopped.wait
        self._kept = kept
        self._table = home.timetable
        self._leases = home.world.records.leases
        self._thread: threading.Thread | None = None
        self._said: dict[str, str] = {}

    def start(self) -> None:
        """Run in a thread."""
        self._home.check_open()
        self._home.schedulers.append(self)  # from here on whoever closes the home waits for it
        self._thread = threading.Thread(target=self.run, name="oldsoul-scheduler", daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Begin nothing more; what is under way is brought to its end."""
        self._stopped.set()

    def stop(self) -> None:
        """Begin nothing more, and wait for the end of what is under way."""
        self.finish()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def run(self) -> None:
        """Run jobs until somebody else says `stop` or `finish`."""
        if self not in self._home.schedulers:
            self._home.schedulers.append(self)
        try:
            while not self._stopped.is_set():
                now = self._now()
                self.tick()
                if not self._stopped.is_set():
                    self._wait(self._pause(now))
        finally:
            self._home.schedulers.remove(self)

    def tick(self, now: datetime | None = None) -> list[SchedulerEvent]:
        """Do what is due, the longest due first; tells what it did. Without a time, that of the clock counts."""
        began = (now or self._now()).astimezone(UTC)
        said: list[SchedulerEvent] = []
        for job in self._concerned(began, said):
            if self._stopped.is_set():
                break
            try:
                with self._leases.take(job.agent, job.name) as lease:
                    if lease is not None:  # else somebody else is at it
                        self._table.check(job.agent)
                        # Time has passed since this look began: other jobs were run, or the process was paused for days.
                        job = self._table.job(job.agent, job.name)  # noqa: PLW2901 - as it is set now
                        said += self._tended(job, (now or self._now()).astimezone(UTC), began, lease)
                self._said.pop(f"{job.agent} {job.name}", None)
            except _FAILURES as error:  # told, and tried again: one bad moment must not end the schedule
                self._complain(said, f"{job.agent} {job.name}", error, job)
        return said

    # what is due

    def _concerned(self, now: datetime, said: list[SchedulerEvent]) -> list[Scheduled]:
        """The jobs that something is to be done about, as far as can be seen without a lease."""
        found: list[tuple[datetime, Scheduled]] = []
        for agent in self._agents or self._table.agents():
            try:
                self._table.check(agent)
                jobs, reached = self._table.timed(agent), self._table.reached(agent)
                self._said.pop(agent, None)
            except _FAILURES as error:
                self._complain(said, agent, error)
                continue
            for job in jobs:
                try:
                    since = self._first_due(job, reached.get(job.name), now)
                    self._said.pop(f"{job.agent} {job.name} when", None)
                except OldsoulError as error:
                    self._complain(said, f"{job.agent} {job.name} when", error, job)
                    continue
                if since is not None:
                    found.append((since, job))
        return [job for _, job in sorted(found, key=lambda pair: pair[0])]

    def _first_due(self, job: Scheduled, reached: JobProgress | None, now: datetime) -> datetime | None:
        """Since when something is to be done about a job; None when there is nothing."""
        if not _fits(job, reached, now):
            return now
        slots = due(schedule_of(job), reached.until, now, job.zone, 1) if reached else []
        return slots[0].at if slots else None

    def _pause(self, now: datetime) -> float:
        """Seconds until something is due, and no more than a minute: clocks are set, machines sleep, settings change."""
        moments: list[datetime] = []
        for agent in self._agents or self._table.agents():
            with suppress(*_FAILURES):  # told already
                for job in self._table.timed(agent):
                    with suppress(OldsoulError):
                        slot = next_after(schedule_of(job), now, job.zone)
                        moments += [slot.at] if slot else []
        if not moments:
            return _LONGEST_PAUSE
        return min(max((min(moments) - self._now()).total_seconds(), 0.0), _LONGEST_PAUSE)

    # one job, while nobody else is at it

    def _tended(self, job: Scheduled, now: datetime, began: datetime, lease: Lease) -> list[SchedulerEvent]:
        reached = self._table.reached(job.agent).get(job.name)
        if reached is None or not _fits(job, reached, now):
            self._begin(job, now)
            return []
        slots = due(schedule_of(job), reached.until, now, job.zone, self._kept)
        if not slots:
            return []
        latest = slots[-1]
        if self._is_decided(job, latest):  # when the clock was ahead
            self._begin(job, latest.at)
            return []
        plan = due_slots(slots, began, _CATCH_UP)  # what waited for other jobs was not missed
        ended = self._now()
        pasts = [SlotOutcome(slot, SlotResult(Status.SKIPPED, notes=(why,), ended=ended)) for slot, why in plan.skipped]
        if plan.run is not None:
            pasts.append(SlotOutcome(plan.run, self._result(job, plan.run, lease)))
        told = [SchedulerEvent(job, past) for past in pasts] if self._commit(job, pasts) else []
        for each in told:
            self._on_event(each)
        return told

    def _result(self, job: Scheduled, slot: DueTime, lease: Lease) -> SlotResult:
        """Run it, and return its result. A run that is killed returns nothing, and is begun again."""
        left = CurrentRun.loaded(lease.left)
        attempt = left.attempt + 1 if left.slot == slot.id else 1
        started = self._now()
        if attempt > _MOST_ATTEMPTS:
            why = f"started {_MOST_ATTEMPTS} times and killed each time"
            return SlotResult(Status.FAILED, notes=(why,), started=started, ended=started, attempts=_MOST_ATTEMPTS)

        def progress(what: str) -> None:
            lease.note(CurrentRun(what[:_MOST_SHOWN], slot.id, attempt, started.isoformat()).dumped())

        progress("")
        try:
            result = self._perform(job, slot, progress)
        except OutOfBudget as error:
            result = SlotResult(Status.STOPPED, notes=(str(error),))
        except Exception as error:  # noqa: BLE001 - the outermost loop of a job: it is recorded
            result = SlotResult(Status.FAILED, notes=(f"{type(error).__name__}: {error}",))
        notes = tuple(mask(note).text[:_MOST_CHARACTERS] for note in result.notes[:_MOST_NOTES])
        return replace(result, notes=notes, started=started, ended=self._now(), attempts=attempt)

    def _commit(self, job: Scheduled, pasts: Sequence[SlotOutcome]) -> bool:
        """The results of slots, and that the job has come so far, in one: all are decided, or none is.

        False when somebody else did so before, which only a lease that was lost allows.
        """
        latest = pasts[-1]
        fresh = {record_key(job, past.slot): dumped(past) for past in pasts}
        known = self._home.world.store.records(job.agent, RESULT)
        keys = sorted({*fresh, *(key for key in known if key.startswith(f"{job.name} "))})
        old = set(keys[: -self._kept])
        records = [Record(RESULT, key, value) for key, value in fresh.items() if key not in old]
        records += [Record(RESULT, key, None) for key in sorted(old & set(known))]
        records.append(self._reached(job, latest.slot.at))
        reason = f"{job.name} of {latest.slot.wall:%Y-%m-%d %H:%M}: {latest.result.status}"
        return not self._home.ledger.note(job.agent, _AUTHOR, reason, job.key(latest.slot), records).repeated

    def _begin(self, job: Scheduled, since: datetime) -> None:
        """Count a job's slots from here on: it is new, its schedule is another, or the clock was wrong."""
        when = job.when if schedule_of(job).fields else "off"
        key = f"job:{job.agent}:{job.name}:{uuid.uuid4().hex}"
        self._home.ledger.note(job.agent, _AUTHOR, f"{job.name}: {when} from now on", key, [self._reached(job, since)])

    def _reached(self, job: Scheduled, until: datetime) -> Record:
        return Record(REACHED, job.name, JobProgress(schedule_of(job).fields, str(job.zone), until).dumped())

    def _is_decided(self, job: Scheduled, slot: DueTime) -> bool:
        with self._home.world.store.hold(job.agent) as held:
            return held.spent(job.key(slot)) is not None

    def _now(self) -> datetime:
        return self._home.world.clock.now().astimezone(UTC)

    def _complain(self, said: list[SchedulerEvent], about: str, error: Exception, job: Scheduled | None = None) -> None:
        """Tell of a problem, once."""
        problem = str(error) or type(error).__name__
        if self._said.get(about) != problem:
            self._said[about] = problem
            said.append(SchedulerEvent(job, problem=problem))
            self._on_event(said[-1])


def performed(home: Home, run: Run, job: Scheduled, progress: Callable[[str], None]) -> SlotResult:
    """Let the keeper do its work: here the clock meets the keepers."""
    reports = list(run(job.agent, job.name, progress))  # on what there is since the last run, whichever slot woke it
    sent, came = sum(report.tokens_in for report in reports), sum(report.tokens_out for report in reports)
    prices = home.settings_of(job.agent).keepers.model
    notes = tuple(note for report in reports for note in (*report.notes, *report.problems))
    unfinished = Status.STOPPED if any(note.startswith("stopped: ") for note in notes) else Status.FAILED
    return SlotResult(
        Status.DONE if all(report.done for report in reports) else unfinished,
        sum(report.changes for report in reports),
        sent,
        came,
        (sent * prices.input_price + came * prices.output_price) / 1_000_000,
        notes,
    )


def _fits(job: Scheduled, reached: JobProgress | None, now: datetime) -> bool:
    """Whether the slots that were decided so far are those of the current schedule and clock."""
    if reached is None or reached.until > now + _SET_BACK:
        return False
    return (reached.fields, reached.zone) == (schedule_of(job).fields, str(job.zone))
