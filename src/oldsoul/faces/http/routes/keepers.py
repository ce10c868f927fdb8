"""Keepers, their schedule and jobs: what looks after memory, when, and what runs now."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.app.jobs import Job
from oldsoul.app.keepers.registry import chosen
from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Access, Entered
from oldsoul.faces.http.routes.given import AgentName, Day, Limit, MaybeId, Offset, next_of, offset_of
from oldsoul.faces.http.routes.shown import Next, Report, Shown, Time, linked
from oldsoul.views import events, upkeep

router = APIRouter(tags=["keepers"])
Keeper = Annotated[str, Path(description="A keeper.", pattern=r"^[a-z][a-z0-9-]*$", examples=["memory-miner"])]
_MONTH = timedelta(days=30)
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


class DryRun(Shown):
    """What a keeper would do."""

    reports: list[Report]
    """Its runs; each step says what it would change (`diff`), and whether it would wait for approval (`waits`)."""


class RunShown(PastRun):
    """A scheduled run, and whose it was."""

    keeper: Annotated[str, Field(examples=["memory-miner"])]


class RunList(Shown):
    """A page of the scheduled runs of all keepers, the latest first."""

    runs: list[RunShown]
    next: Next


class SpentShown(Shown):
    """What questions to language models took on one day."""

    day: Annotated[str, Field(examples=["2026-02-04"])]
    questions: int
    tokens_in: int
    tokens_out: int
    cost: float
    """In the currency of the prices; 0 where no price is set."""
    costs: dict[str, float]
    """What each keeper's questions cost; `reply` for replies."""


class SpendingShown(Shown):
    """What language models cost, day by day, the latest first."""

    since: str
    until: str
    days: list[SpentShown]


@router.get(
    "/api/agents/{name}/keepers",
    response_model=KeeperList,
    responses=linked(200, list_runs={"keeper": "$response.body#/keepers/0/keeper"}),
)
def list_keepers(name: AgentName, access: Entered) -> dict[str, Any]:
    """List the keepers and what each does."""
    return {
        "keepers": [{"keeper": keeper, "does": about} for keeper, about in access.agent(name).keepers.all().items()]
    }


_JOB, _FIRST_JOB = {"job": "$response.body#/id"}, {"job": "$response.body#/jobs/0/id"}
_STARTED = linked(202, agent=False, show_job=_JOB, cancel_job=_JOB)


@router.post("/api/agents/{name}/keepers/{keeper}/runs", response_model=JobShown, status_code=202, responses=_STARTED)
def run_keeper(name: AgentName, keeper: Keeper, access: Entered) -> dict[str, Any]:
    """Start a keeper as a job. For operators only."""
    agent = access.agent(name)
    chosen(agent.keepers.all(), keeper)
    return events.job(agent.start("run", keeper).status)


@router.post("/api/agents/{name}/keepers/{keeper}/dry-run", response_model=DryRun)
def try_keeper(name: AgentName, keeper: Keeper, access: Entered) -> dict[str, Any]:
    """Run a keeper without writing anything: what it would change, as diffs, and what it costs. For operators only.

    A language model is asked as in a real run, so this may take a while.
    """
    return {"reports": [upkeep.report(each) for each in access.agent(name).run(keeper, dry_run=True)]}


@router.get("/api/agents/{name}/runs", response_model=RunList)
def list_all_runs(name: AgentName, access: Entered, limit: Limit = 100, cursor: Offset = "") -> dict[str, Any]:
    """List what came of the scheduled runs of all keepers, the latest first."""
    agent, start = access.agent(name), offset_of(cursor)
    every = agent.keepers.runs()
    found = every[start : start + limit + 1]
    shown = [{"keeper": keeper, **upkeep.past(each)} for keeper, each in found[:limit]]
    return {"runs": shown, "next": next_of(cursor, limit, found)}


@router.get("/api/agents/{name}/keepers/{keeper}/runs", response_model=PastList)
def list_runs(name: AgentName, keeper: Keeper, access: Entered, limit: Limit = 20) -> dict[str, Any]:
    """List what came of a keeper's scheduled runs, the latest first."""
    agent = access.agent(name)
    found = agent.keepers.history(keeper)
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
    home, operated = access.operated()
    timetable = home.timetable
    names = [access.agent(agent).id] if agent else [name for name in timetable.agents() if name in operated]
    return {"schedule": [upkeep.job(line) for name in names for line in timetable.lines(name)]}


@router.get(
    "/api/jobs",
    response_model=JobList,
    responses=linked(200, agent=False, show_job=_FIRST_JOB, cancel_job=_FIRST_JOB),
)
def list_jobs(
    access: Entered,
    agent: Annotated[MaybeId, Query(description="Only jobs of this agent.")] = "",
    limit: Limit = 100,
    cursor: Offset = "",
) -> dict[str, Any]:
    """List running and recently ended jobs, the latest first. For operators only."""
    home, operated = access.operated()
    names = [access.agent(agent).id] if agent else operated
    start = offset_of(cursor)
    found = [each for each in (job.status for job in home.jobs()) if each.agent in names][start : start + limit + 1]
    return {"jobs": [events.job(each) for each in found[:limit]], "next": next_of(cursor, limit, found)}


@router.get("/api/jobs/{job}", response_model=JobShown, responses=linked(200, agent=False, cancel_job=_JOB))
def show_job(job: JobId, access: Entered) -> dict[str, Any]:
    """Show a job. For operators only."""
    return events.job(_operated(access, job).status)


@router.post("/api/jobs/{job}/cancel", response_model=Stopping)
def cancel_job(job: JobId, access: Entered) -> dict[str, Any]:
    """Stop a job at the next safe point. For operators only."""
    found = _operated(access, job)
    return {"id": found.id, "stops": found.cancel()}


def _operated(access: Access, job: str) -> Job:
    """A job of an agent that the token operates; `NotFound` in the same words when there is none."""
    home, names = access.operated()
    with suppress(NotFound):
        found = home.job(job)
        if found.agent in names:
            return found
    raise NotFound(f"there is no job {job}, or this token may not see it")


@router.get("/api/spending", response_model=SpendingShown)
def show_spending(
    access: Entered,
    since: Annotated[Day | None, Query(description="The first day. Default: 30 days before the last.")] = None,
    until: Annotated[Day | None, Query(description="The last day. Default: today.")] = None,
) -> dict[str, Any]:
    """Show what language models cost on each day, of at most 400 days; days without a question are left out. For operators only."""
    home = access.home()
    last = until or home.agent().now().date()
    first = since or max(last, date.min + _MONTH) - _MONTH
    found = [upkeep.spent(each) for each in home.spending(first, last)]
    return {"since": str(first), "until": str(last), "days": found}
