"""Keepers, their schedule and jobs: what looks after memory, when, and what runs now."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.app.clock.timetable import JOBS as SCHEDULED
from oldsoul.app.keepers.keeping import JOBS
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, Limit, MaybeId, Offset, next_of, offset_of, one_of
from oldsoul.faces.http.routes.shown import Next, Shown, Time, linked
from oldsoul.values.callers import Right
from oldsoul.views import events, upkeep

router = APIRouter(tags=["keepers"])
Keeper = Annotated[str, Path(description="A keeper.", pattern=one_of(JOBS), examples=["memory-miner"])]
OnSchedule = Annotated[
    str, Path(description="A keeper with a schedule.", pattern=one_of(SCHEDULED), examples=["memory-miner"])
]
JobId = Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-f]{16}$", examples=["0123456789abcdef"])]


class KeeperShown(Shown):
    """A keeper: what looks after memory."""

    keeper: Annotated[str, Field(examples=["memory-miner"])]
    does: str


class KeeperList(Shown):
    """The keepers there are."""

    keepers: list[KeeperShown]


class JobShown(Shown):
    """Long work as it stands."""

    id: Annotated[str, Field(examples=["0123456789abcdef"])]
    kind: Annotated[str, Field(examples=["run"])]
    """The method that was started."""
    agent: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    done: int
    """How many steps are done."""
    of: int | None
    """Of how many; null when unknown."""
    result: dict[str, int]
    error: str
    can_cancel: bool
    queued: Time
    ended: Time | None


class JobList(Shown):
    """A page of jobs, the latest first."""

    jobs: list[JobShown]
    next: Next


class Stopping(Shown):
    """Whether a job stops."""

    id: str
    stops: bool
    """Whether it will stop at the next safe point, or has been stopped."""


class Due(Shown):
    """When something is due."""

    slot: str
    at: Time


class PastRun(Due):
    """What came of a scheduled run."""

    status: str
    started: Time | None
    ended: Time | None
    seconds: float | None
    changes: int
    tokens_in: int
    tokens_out: int
    cost: float
    attempts: int
    notes: list[str]


class RunningNow(Shown):
    """A scheduled run that is under way."""

    what: str
    slot: str
    attempt: int
    started: str


class ScheduledShown(Shown):
    """A keeper of one agent as it is scheduled."""

    agent: str
    job: str
    """The keeper."""
    setting: str
    """The setting that says when."""
    when: str
    zone: str
    next: Due | None
    running: RunningNow | None
    last: PastRun | None
    problem: str
    """Why it never runs, when its setting makes no sense."""


class ScheduleShown(Shown):
    """The schedule of the keepers."""

    schedule: list[ScheduledShown]


class PastList(Shown):
    """The scheduled runs of a keeper, the latest first."""

    runs: list[PastRun]


@router.get("/api/agents/{name}/keepers", response_model=KeeperList)
def list_keepers(name: AgentName, access: Entered) -> dict[str, Any]:
    """List the keepers and what each does."""
    access.agent(name).allowed(Right.INSPECT, None, "keepers")
    return {"keepers": [{"keeper": keeper, "does": about} for keeper, (_, about) in JOBS.items()]}


_STARTED = linked(202, agent=False, show_job={"job": "$response.body#/id"}, cancel_job={"job": "$response.body#/id"})


@router.post("/api/agents/{name}/keepers/{keeper}/runs", response_model=JobShown, status_code=202, responses=_STARTED)
def run_keeper(name: AgentName, keeper: Keeper, access: Entered) -> dict[str, Any]:
    """Start a keeper as a job. For operators only."""
    return events.job(access.agent(name).start("run", keeper).status)


@router.get("/api/agents/{name}/keepers/{keeper}/runs", response_model=PastList)
def list_runs(name: AgentName, keeper: OnSchedule, access: Entered, limit: Limit = 20) -> dict[str, Any]:
    """List what came of a keeper's scheduled runs, the latest first."""
    agent = access.agent(name)
    found = agent.allowed(Right.INSPECT, None, "keepers").home.timetable.history(agent.id, keeper)
    return {"runs": [upkeep.past(each) for each in found[:limit]]}


@router.post("/api/agents/{name}/index/rebuild", response_model=JobShown, status_code=202, responses=_STARTED)
def rebuild_index(name: AgentName, access: Entered) -> dict[str, Any]:
    """Rebuild the search index as a job. For operators only."""
    return events.job(access.agent(name).start("rebuild_index").status)


@router.get("/api/schedule", response_model=ScheduleShown)
def show_schedule(
    access: Entered, agent: Annotated[MaybeId, Query(description="Only the keepers of this agent.")] = ""
) -> dict[str, Any]:
    """Show when each keeper runs next, and what came of it last. For operators only."""
    timetable = access.home().parts.timetable
    names = [access.agent(agent).id] if agent else timetable.agents()
    return {"schedule": [upkeep.job(line) for name in names for line in timetable.lines(name)]}


@router.get("/api/jobs", response_model=JobList)
def list_jobs(
    access: Entered,
    agent: Annotated[MaybeId, Query(description="Only jobs of this agent.")] = "",
    limit: Limit = 100,
    cursor: Offset = "",
) -> dict[str, Any]:
    """List running and recently ended jobs, the latest first. For operators only."""
    every = [job.status for job in access.home().jobs()]
    start = offset_of(cursor)
    found = [each for each in every if agent in ("", each.agent)][start : start + limit + 1]
    return {"jobs": [events.job(each) for each in found[:limit]], "next": next_of(cursor, limit, found)}


@router.get("/api/jobs/{job}", response_model=JobShown)
def show_job(job: JobId, access: Entered) -> dict[str, Any]:
    """Show a job. For operators only."""
    return events.job(access.home().job(job).status)


@router.post("/api/jobs/{job}/cancel", response_model=Stopping)
def cancel_job(job: JobId, access: Entered) -> dict[str, Any]:
    """Stop a job at the next safe point. For operators only."""
    found = access.home().job(job)
    return {"id": found.id, "stops": found.cancel()}
