"""Keepers, their schedule and jobs: what looks after memory, when, and what runs now."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query

from oldsoul.app.jobs import Job
from oldsoul.app.keepers.registry import chosen
from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Access, Entered
from oldsoul.faces.http.routes.given import AgentName, Day, Limit, MaybeId, Offset, linked, next_of, offset_of
from oldsoul.views import upkeep
from oldsoul.views.upkeep import (
    JobList,
    JobShown,
    KeeperList,
    KeeperRan,
    KeeperShown,
    PastList,
    RunList,
    ScheduleShown,
    SpendingShown,
    Stopping,
)

router = APIRouter(tags=["keepers"])
Keeper = Annotated[str, Path(description="A keeper.", pattern=r"^[a-z][a-z0-9-]*$", examples=["memory-miner"])]
_MONTH = timedelta(days=30)
JobId = Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-f]{16}$", examples=["0123456789abcdef"])]


@router.get(
    "/api/agents/{name}/keepers",
    responses=linked(200, list_runs={"keeper": "$response.body#/keepers/0/keeper"}),
)
def list_keepers(name: AgentName, access: Entered) -> KeeperList:
    """List the keepers and what each does."""
    every = access.agent(name).keepers.all()
    return KeeperList(tuple(KeeperShown(keeper, about) for keeper, about in every.items()))


_JOB, _FIRST_JOB = {"job": "$response.body#/id"}, {"job": "$response.body#/jobs/0/id"}
_STARTED = linked(202, agent=False, show_job=_JOB, cancel_job=_JOB)


@router.post("/api/agents/{name}/keepers/{keeper}/runs", status_code=202, responses=_STARTED)
def run_keeper(name: AgentName, keeper: Keeper, access: Entered) -> JobShown:
    """Start a keeper as a job. For operators only."""
    agent = access.agent(name)
    chosen(agent.keepers.all(), keeper)
    return upkeep.job(agent.start("run", keeper).status)


@router.post("/api/agents/{name}/keepers/{keeper}/dry-run")
def try_keeper(name: AgentName, keeper: Keeper, access: Entered) -> KeeperRan:
    """Run a keeper without writing anything: what it would change, as diffs, and what it costs. For operators only.

    A language model is asked as in a real run, so this may take a while.
    """
    return upkeep.ran(keeper, access.agent(name).run(keeper, dry_run=True), dry_run=True)


@router.get("/api/agents/{name}/runs")
def list_all_runs(name: AgentName, access: Entered, limit: Limit = 100, cursor: Offset = "") -> RunList:
    """List what came of the scheduled runs of all keepers, the latest first."""
    agent, start = access.agent(name), offset_of(cursor)
    every = agent.keepers.runs()
    found = every[start : start + limit + 1]
    shown = tuple(upkeep.run(keeper, each) for keeper, each in found[:limit])
    return RunList(shown, next_of(cursor, limit, found))


@router.get("/api/agents/{name}/keepers/{keeper}/runs")
def list_runs(name: AgentName, keeper: Keeper, access: Entered, limit: Limit = 20) -> PastList:
    """List what came of a keeper's scheduled runs, the latest first."""
    agent = access.agent(name)
    found = agent.keepers.history(keeper)
    return PastList(tuple(map(upkeep.past, found[:limit])))


@router.post("/api/agents/{name}/index/rebuild", status_code=202, responses=_STARTED)
def rebuild_index(name: AgentName, access: Entered) -> JobShown:
    """Rebuild the search index as a job. For operators only."""
    return upkeep.job(access.agent(name).start("rebuild_index").status)


@router.get("/api/schedule")
def show_schedule(
    access: Entered, agent: Annotated[MaybeId, Query(description="Only the keepers of this agent.")] = ""
) -> ScheduleShown:
    """Show when each keeper runs next, and its last result. For operators only."""
    home, operated = access.operated()
    timetable = home.timetable
    names = [access.agent(agent).id] if agent else [name for name in timetable.agents() if name in operated]
    return ScheduleShown(tuple(upkeep.scheduled_job(line) for name in names for line in timetable.lines(name)))


@router.get(
    "/api/jobs",
    responses=linked(200, agent=False, show_job=_FIRST_JOB, cancel_job=_FIRST_JOB),
)
def list_jobs(
    access: Entered,
    agent: Annotated[MaybeId, Query(description="Only jobs of this agent.")] = "",
    limit: Limit = 100,
    cursor: Offset = "",
) -> JobList:
    """List running and recently ended jobs, the latest first. For operators only."""
    home, operated = access.operated()
    names = [access.agent(agent).id] if agent else operated
    start = offset_of(cursor)
    found = [each for each in (job.status for job in home.jobs()) if each.agent in names][start : start + limit + 1]
    return JobList(tuple(map(upkeep.job, found[:limit])), next_of(cursor, limit, found))


@router.get("/api/jobs/{job}", responses=linked(200, agent=False, cancel_job=_JOB))
def show_job(job: JobId, access: Entered) -> JobShown:
    """Show a job. For operators only."""
    return upkeep.job(_operated(access, job).status)


@router.post("/api/jobs/{job}/cancel")
def cancel_job(job: JobId, access: Entered) -> Stopping:
    """Stop a job at the next safe point. For operators only."""
    found = _operated(access, job)
    return Stopping(found.id, found.cancel())


def _operated(access: Access, job: str) -> Job:
    """A job of an agent that the token operates; `NotFound` in the same words when there is none."""
    home, names = access.operated()
    with suppress(NotFound):
        found = home.job(job)
        if found.agent in names:
            return found
    raise NotFound(f"there is no job {job}, or this token may not see it")


@router.get("/api/spending")
def show_spending(
    access: Entered,
    since: Annotated[Day | None, Query(description="The first day. Default: 30 days before the last.")] = None,
    until: Annotated[Day | None, Query(description="The last day. Default: today.")] = None,
) -> SpendingShown:
    """Show what language models cost on each day, of at most 400 days; days without a question are left out. For operators only."""
    home = access.home()
    last = until or home.agent().now().date()
    first = since or max(last, date.min + _MONTH) - _MONTH
    return SpendingShown(str(first), str(last), tuple(map(upkeep.spent, home.spending(first, last))))
