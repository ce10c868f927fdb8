"""`/api/agents/{name}/changes` and `…/blame`: what changed, who changed it, and how to undo it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from oldsoul.app import Agent
from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, File, FilePath, Given, Limit, Number, Versions
from oldsoul.faces.http.routes.shown import (
    Change,
    ChangeNumber,
    Evidence,
    Next,
    PathShown,
    Shown,
    Time,
    Version,
    linked,
)
from oldsoul.values.history import ABSENT
from oldsoul.values.history import Change as Made
from oldsoul.views import files
from oldsoul.views import history as views

router = APIRouter(prefix="/api/agents/{name}", tags=["history"])


class FileDiff(Shown):
    """What a change did to one file."""

    path: PathShown
    diff: str


class FileThen(Shown):
    """A file as it was right after a change."""

    path: PathShown
    change: ChangeNumber
    version: Version
    size: int
    text: str


class ChangeTold(Change):
    """A change, and what it did in a line for each entry."""

    what: list[str]
    """`+` added, `-` removed, `~` changed or moved."""


class ChangeList(Shown):
    """A page of changes, the newest first."""

    changes: list[ChangeTold]
    next: Next


class ChangeWhole(Change):
    """A change with its diff."""

    diff: str
    diffs: list[FileDiff]
    """The same, file by file."""


class UndoGiven(Given):
    """What must still stand, so that a change is undone."""

    bases: Versions = Field(default_factory=dict)


class Undone(ChangeWhole):
    """The change that undid another."""

    undone: ChangeNumber


class BlamedLine(Shown):
    """A line of a file and the change that wrote it."""

    line: int
    text: str
    change: ChangeNumber | None
    at: Time | None
    author: str | None
    reason: str | None
    evidence: list[Evidence]


class Blamed(Shown):
    """The lines of a file."""

    path: str
    lines: list[BlamedLine]


_FIRST = "$response.body#/changes/0/change"


@router.get(
    "/changes",
    response_model=ChangeList,
    responses=linked(200, show_change={"number": _FIRST}, undo={"number": _FIRST}),
)
def list_changes(
    name: AgentName,
    access: Entered,
    path: File = "",
    limit: Limit = 50,
    cursor: Annotated[
        str, Query(description="The next page: `next` of the page before.", pattern=r"^([1-9][0-9]{0,14})?$")
    ] = "",
) -> dict[str, Any]:
    """List changes, the newest first, of all files or one."""
    agent = access.agent(name)
    found = agent.files.history(path, before=int(cursor) if cursor else None, limit=limit + 1)
    page = found[:limit]
    told = [
        {**views.change(change), "what": did} for change, did in zip(page, agent.files.summaries(page), strict=True)
    ]
    return {"changes": told, "next": str(page[-1].id) if len(found) > limit else None}


_SAME = {"number": "$response.body#/change"}


@router.get("/changes/{number}", response_model=ChangeWhole, responses=linked(200, undo=_SAME))
def show_change(name: AgentName, number: Number, access: Entered) -> dict[str, Any]:
    """Show one change and what it did, as a diff."""
    agent = access.agent(name)
    return _whole(agent, agent.files.change(number))


@router.get("/changes/{number}/file", response_model=FileThen)
def show_file_then(
    name: AgentName, number: Number, access: Entered, path: Annotated[FilePath, Query(description="The file.")]
) -> dict[str, Any]:
    """Show a file as it was right after a change, also one that changed another file."""
    agent = access.agent(name)
    found = agent.files.version_at(path, number)
    return {"change": number, **files.document(agent.files.name(path).path, found.version, found.data or b"")}


def _whole(agent: Agent, made: Made) -> dict[str, Any]:
    """A change and what it did, as one diff and file by file."""
    paths = [effect.name.path for effect in made.effects]
    diffs = [{"path": path, "diff": agent.files.diff(made.id, path)} for path in paths]
    return {**views.change(made), "diff": agent.files.diff(made.id), "diffs": diffs}


@router.post("/changes/{number}/undo", response_model=Undone, responses=linked(200, show_change=_SAME, undo=_SAME))
def undo(name: AgentName, number: Number, access: Entered, given: UndoGiven) -> dict[str, Any]:
    """Undo one change and keep the later ones. For operators only."""
    agent = access.agent(name)
    bases = {agent.files.name(path): version or ABSENT for path, version in given.bases.items()}
    made = agent.undo(number, bases=bases).change
    if made is None:
        raise NotFound(f"change {number} could not be undone")
    return {**_whole(agent, made), "undone": number}


@router.get("/blame", response_model=Blamed)
def blame(
    name: AgentName, access: Entered, path: Annotated[FilePath, Query(description="The file.")]
) -> dict[str, Any]:
    """Show each line of a file with the change that wrote it."""
    agent = access.agent(name)
    agent.files.show(path)
    return {"path": agent.files.name(path).path, "lines": [views.blamed(each) for each in agent.files.blame(path)]}
