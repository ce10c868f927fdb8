"""`/api/agents/{name}/soul`: how SOUL.md changed, and the way back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, Given, Limit, linked
from oldsoul.views import history as views
from oldsoul.views.history import Compared, RolledBack, VersionList

router = APIRouter(prefix="/api/agents/{name}/soul", tags=["soul"])
_WHICH = r"^(now|#?[1-9][0-9]{0,14}|(SOUL_HISTORY/)?[A-Za-z0-9_~-][A-Za-z0-9_~.-]{0,100})$"
_ABOUT = "`now`, the number of the change that made it, or the name of a snapshot in SOUL_HISTORY."


class RollbackGiven(Given):
    """Which version is wanted back."""

    version: Annotated[str, Field(pattern=_WHICH, examples=["1"], description=_ABOUT)]


_FIRST = "$response.body#/versions/0/version"


@router.get(
    "/versions",
    responses=linked(200, compare_versions={"first": _FIRST}, show_change={"number": _FIRST}, undo={"number": _FIRST}),
)
def list_versions(name: AgentName, access: Entered, limit: Limit = 50) -> VersionList:
    """List the versions of SOUL.md, the newest first."""
    return VersionList(tuple(map(views.version, access.agent(name).files.soul_versions(limit))))


@router.get("/diff")
def compare_versions(
    name: AgentName,
    access: Entered,
    first: Annotated[str, Query(pattern=_WHICH, description=_ABOUT, examples=["1"])],
    second: Annotated[str, Query(pattern=_WHICH, description=_ABOUT)] = "now",
) -> Compared:
    """Show the difference between two versions of SOUL.md."""
    return Compared(first, second, access.agent(name).files.soul_diff(first, second))


@router.post(
    "/rollback",
    responses=linked(200, list_versions={}, undo={"number": "$response.body#/change"}),
)
def roll_back(name: AgentName, access: Entered, given: RollbackGiven) -> RolledBack:
    """Restore a version of SOUL.md. A snapshot of the current text is made first. For operators only."""
    agent = access.agent(name)
    made = agent.files.soul_rollback(given.version).change
    if made is None:
        raise NotFound(f"SOUL.md could not be rolled back to {given.version}")
    return views.rolled_back(made, given.version, agent.files.diff(made.id))
