"""`/api/agents/{name}/changes` and `…/blame`: what changed, who changed it, and how to undo it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, File, FilePath, Given, Limit, Number, Versions, linked
from oldsoul.values.history import ABSENT
from oldsoul.views import files
from oldsoul.views import history as views
from oldsoul.views.files import FileThen
from oldsoul.views.history import Blamed, ChangeList, ChangeWhole, Undone

router = APIRouter(prefix="/api/agents/{name}", tags=["history"])


class UndoGiven(Given):
    """What must still stand, so that a change is undone."""

    bases: Versions = Field(default_factory=dict)


_FIRST = "$response.body#/changes/0/change"


@router.get(
    "/changes",
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
) -> ChangeList:
    """List changes, the newest first, of all files or one."""
    agent = access.agent(name)
    found = agent.files.history(path, before=int(cursor) if cursor else None, limit=limit + 1)
    page = found[:limit]
    told = tuple(map(views.change_told, page, agent.files.summaries(page)))
    return ChangeList(told, str(page[-1].id) if len(found) > limit else None)


_SAME = {"number": "$response.body#/change"}


@router.get("/changes/{number}", responses=linked(200, undo=_SAME))
def show_change(name: AgentName, number: Number, access: Entered) -> ChangeWhole:
    """Show one change and what it did, as a diff."""
    agent = access.agent(name)
    return views.change_whole(agent, agent.files.change(number))


@router.get("/changes/{number}/file")
def show_file_then(
    name: AgentName, number: Number, access: Entered, path: Annotated[FilePath, Query(description="The file.")]
) -> FileThen:
    """Show a file as it was right after a change, also one that changed another file."""
    agent = access.agent(name)
    found = agent.files.version_at(path, number)
    return files.file_then(agent.files.name(path).path, number, found)


@router.post("/changes/{number}/undo", responses=linked(200, show_change=_SAME, undo=_SAME))
def undo(name: AgentName, number: Number, access: Entered, given: UndoGiven) -> Undone:
    """Undo one change and keep the later ones. For operators only."""
    agent = access.agent(name)
    bases = {agent.files.name(path): version or ABSENT for path, version in given.bases.items()}
    made = agent.undo(number, bases=bases).change
    if made is None:
        raise NotFound(f"change {number} could not be undone")
    return views.undone(agent, made, number)


@router.get("/blame")
def blame(name: AgentName, access: Entered, path: Annotated[FilePath, Query(description="The file.")]) -> Blamed:
    """Show each line of a file with the change that wrote it."""
    agent = access.agent(name)
    agent.files.show(path)
    return Blamed(agent.files.name(path).path, tuple(map(views.blamed, agent.files.blame(path))))
