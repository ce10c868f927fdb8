"""What runs when, with which result: the jobs of every agent, their slots, their results. For display."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from oldsoul.app.home.storage import Storage
from oldsoul.app.keepers.registry import chosen, own_keepers
from oldsoul.errors import SettingsError
from oldsoul.rules.schedule import Schedule, next_after, parsed
from oldsoul.settings import Settings
from oldsoul.values.jobs import DueTime, Scheduled, SlotOutcome, SlotResult, Status
from oldsoul.values.keepers import KeeperRecord
from oldsoul.values.names import SHARED

RESULT = "job"
"""The kind of record that holds what came of a slot."""
REACHED = "schedule"
"""The kind of record that says up to when a job's slots are decided."""
_OFF = "off"


class JobProgress(NamedTuple):
    """How far a job has come."""

    fields: str
    """its schedule, when it was last looked at"""
    zone: str
    """the zone of that"""
    until: datetime
    """every slot up to here is decided, or was before anybody looked"""

    @classmethod
    def loaded(cls, text: str) -> JobProgress:
        """The same, from its record."""
        value = json.loads(text)
        return cls(value["fields"], value["zone"], datetime.fromisoformat(value["until"]))

    def dumped(self) -> str:
        """Its record."""
        return json.dumps({"fields": self.fields, "zone": self.zone, "until": self.until.astimezone(UTC).isoformat()})


class CurrentRun(NamedTuple):
    """A run that is under way, as far as it tells."""

    what: str = ""
    """what it is at"""
    slot: str = ""
    """the slot it is for"""
    attempt: int = 1
    """how often it was begun"""
    started: str = ""
    """when, ISO 8601"""

    @classmethod
    def loaded(cls, text: str) -> CurrentRun:
        """The same, from a note; empty when that is none of ours."""
        try:
            what, slot, attempt, started = json.loads(text)
            return cls(str(what), str(slot), int(attempt), str(started))
        except (ValueError, TypeError):
            return cls()

    def dumped(self) -> str:
        """What is noted."""
        return json.dumps(list(self), ensure_ascii=False)


class ScheduledJob(NamedTuple):
    """The state of one job."""

    job: Scheduled
    """the job"""
    next: DueTime | None
    """when it is due next; None for never"""
    last: SlotOutcome | None
    """its last result"""
    running: CurrentRun | None
    """what it is at, when it is under way"""
    problem: str = ""
    """why it never runs, when its setting makes no sense"""


class Timetable:
    """The jobs of one home."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def agents(self) -> list[str]:
        """Who has jobs: agents and teams."""
        return [name for name in self._storage.workspaces() if name != SHARED]

    def jobs(self, agent: str) -> list[Scheduled]:
        """An agent's jobs; all are off where its memory or its keepers are."""
        settings, zone = self._storage.settings_of(agent), self._storage.zone_of(agent)
        is_on = settings.memory.enabled and settings.keepers.enabled
        return [
            Scheduled(agent, name, record.setting_path, _time(settings, record) if is_on else _OFF, zone)
            for name, record in own_keepers().items()
            if record.schedule
        ] + [
            Scheduled(agent, name, "keepers.plugins", when if is_on else _OFF, zone)
            for name, when in settings.keepers.plugins
        ]

    def timed(self, agent: str) -> list[Scheduled]:
        """The same as the schedule runs them; all are off where that is switched off."""
        jobs = self.jobs(agent)
        is_on = self._storage.settings_of(agent).keepers.schedule.enabled
        return jobs if is_on else [replace(job, when=_OFF) for job in jobs]

    def check(self, agent: str) -> None:
        """`SettingsError` when a whole file of settings cannot be read: keepers must not run by defaults nobody chose."""
        for problem in self._storage.world.settings(agent).problems:
            if problem.severity == "error" and not problem.path:
                raise SettingsError(str(problem))

    def job(self, agent: str, name: str) -> Scheduled:
        """One job; `NotFound` when there is none of that name."""
        return chosen({job.name: job for job in self.timed(agent)}, name)

    def lines(self, agent: str) -> list[ScheduledJob]:
        """How an agent's jobs stand."""
        now = self._storage.world.clock.now()
        history = self._storage.world.store.records(agent, RESULT)
        leases = self._storage.world.records.leases
        found = []
        for job in self.timed(agent):
            problem = ""
            try:
                schedule = schedule_of(job)
            except SettingsError as error:
                schedule, problem = Schedule(""), str(error)
            latest = max((key for key in history if key.startswith(f"{job.name} ")), default="")
            noted = leases.noted(agent, job.name)
            found.append(
                ScheduledJob(
                    job,
                    next_after(schedule, now, job.zone),
                    loaded(history[latest]) if latest else None,
                    None if noted is None else CurrentRun.loaded(noted),
                    problem,
                )
            )
        return found

    def history(self, agent: str, name: str) -> list[SlotOutcome]:
        """What came of a job's slots, the latest first."""
        job = self.job(agent, name)
        records = self._storage.world.store.records(agent, RESULT)
        return [loaded(records[key]) for key in sorted(records, reverse=True) if key.startswith(f"{job.name} ")]

    def runs(self, agent: str) -> list[tuple[str, SlotOutcome]]:
        """What came of the slots of all jobs, each with the job's name, the latest first."""
        records = self._storage.world.store.records(agent, RESULT)
        found = [(key.partition(" ")[0], loaded(text)) for key, text in records.items()]
        return sorted(found, key=lambda one: (one[1].slot.at, one[0]), reverse=True)

    def reached(self, agent: str) -> dict[str, JobProgress]:
        """How far the jobs of an agent have come, by their names."""
        records = self._storage.world.store.records(agent, REACHED)
        return {name: JobProgress.loaded(text) for name, text in records.items()}


def _time(settings: Settings, record: KeeperRecord) -> str:
    time: str = getattr(settings.keepers.schedule, record.setting_path.rpartition(".")[2])
    return time


def schedule_of(job: Scheduled) -> Schedule:
    """When a job is due; `SettingsError` when its setting makes no sense."""
    return parsed(job.when, job.setting)


def record_key(job: Scheduled, slot: DueTime) -> str:
    """What a slot's result is found under; in the order of time."""
    return f"{job.name} {slot.at.astimezone(UTC).isoformat()} {slot.id}"


def dumped(past: SlotOutcome) -> str:
    """A slot's result as it is stored."""
    slot, result = past.slot, past.result
    value = {
        "wall": slot.wall.isoformat(),
        "zone": slot.zone,
        "at": slot.at.isoformat(),
        "status": str(result.status),
        "changes": result.changes,
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out,
        "cost": result.cost,
        "notes": list(result.notes),
        "started": result.started.isoformat() if result.started else None,
        "ended": result.ended.isoformat() if result.ended else None,
        "attempts": result.attempts,
    }
    return json.dumps(value)


def loaded(text: str) -> SlotOutcome:
    """A slot's result from what was stored."""
    value = json.loads(text)
    started, ended = (datetime.fromisoformat(value[name]) if value[name] else None for name in ("started", "ended"))
    result = SlotResult(
        Status(value["status"]),
        value["changes"],
        value["tokens_in"],
        value["tokens_out"],
        value["cost"],
        tuple(value["notes"]),
        started,
        ended,
        value["attempts"],
    )
    slot = DueTime(datetime.fromisoformat(value["wall"]), value["zone"], datetime.fromisoformat(value["at"]))
    return SlotOutcome(slot, result)
