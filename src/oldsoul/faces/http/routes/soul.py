"""`/api/agents/{name}/soul`: how SOUL.md changed, and the way back."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, Given, Limit
from oldsoul.faces.http.routes.shown import Change, ChangeNumber, Shown, Time, linked
from oldsoul.views import history as views

router = APIRouter(prefix="/api/agents/{name}/soul", tags=["soul"])
_WHICH = r"^(now|#?[1-9][0-9]{0,14}|(SOUL_HISTORY/)?[A-Za-z0-9_~-][A-Za-z0-9_~.-]{0,100})$"
_ABOUT = "`now`, the number of the change that made it, or the name of a snapshot in SOUL_HISTORY."


class VersionShown(Shown):
    """A version of SOUL.md."""

    version: ChangeNumber
    """The number of the change that made it."""
    at: Time
    author: str
    approved_by: str
    """Who approved it, where it was proposed."""
    reason: str
    tokens: int
    snapshot: str
    """The file that has the version before it; empty when there is none."""
    hash: str


class VersionList(Shown):
    """The versions of SOUL.md, the newest first."""

    versions: list[VersionShown]


class Compared(Shown):
    """The difference between two versions."""

    first: Annotated[str, Field(examples=["3"])]
    second: Annotated[str, Field(examples=["now"])]
    diff: str


class RollbackGiven(Given):
    """Which version is wanted back."""

    version: Annotated[str, Field(pattern=_WHICH, examples=["1"], description=_ABOUT)]


class RolledBack(Change):
    """The change that restored a version."""

    version: str
    snapshot: str
    """The file that has the text before."""
    diff: str


_FIRST = "$response.body#/versions/0/version"


@router.get(
    "/versions",
    response_model=VersionList,
    responses=linked(200, compare_versions={"first": _FIRST}, show_change={"number": _FIRST}, undo={"number": _FIRST}),
)
def list_versions(name: AgentName, access: Entered, limit: Limit = 50) -> dict[str, Any]:
    """List the versions of SOUL.md, the newest first."""
    return {"versions": [views.version(each) for each in access.agent(name).files.soul_versions(limit)]}


@router.get("/diff", response_model=Compared)
def compare_versions(
    name: AgentName,
    access: Entered,
    first: Annotated[str, Query(pattern=_WHICH, description=_ABOUT, examples=["1"])],
    second: Annotated[str, Query(pattern=_WHICH, description=_ABOUT)] = "now",
) -> dict[str, Any]:
    """Show the difference between two versions of SOUL.md."""
    return {"first": first, "second": second, "diff": access.agent(name).files.soul_diff(first, second)}


@router.post(
    "/rollback",
    response_model=RolledBack,
    responses=linked(200, list_versions={}, undo={"number": "$response.body#/change"}),
)
def roll_back(name: AgentName, access: Entered, given: RollbackGiven) -> dict[str, Any]:
    """Restore a version of SOUL.md. A snapshot of the current text is made first. For operators only."""
    agent = access.agent(name)
    made = agent.files.soul_rollback(given.version).change
    if made is None:
        raise NotFound(f"SOUL.md could not be rolled back to {given.version}")
    snapshot = made.notes.get("snapshot", "")
    return {**views.change(made), "version": given.version, "snapshot": snapshot, "diff": agent.files.diff(made.id)}
