"""`/api/workspace`: the files of a workspace, read and written whole; and what an agent's prompt loads of them."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Response
from pydantic import BaseModel, Field

from oldsoul.app import Agent
from oldsoul.errors import BadInput, Conflict, NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.problems import HttpProblem, declared
from oldsoul.faces.http.routes.given import DELETED_FILE, READ_FILE, SAVED_FILE, linked
from oldsoul.ledger import Outcome
from oldsoul.values.callers import Right
from oldsoul.values.history import Snapshot
from oldsoul.values.names import Kind, Name
from oldsoul.values.sessions import Session
from oldsoul.views import files, recall
from oldsoul.views.files import DailyFiles, DeletedFile, FileBody, FileList, SavedFile
from oldsoul.views.recall import ContextReport
from oldsoul.views.shape import plain

router = APIRouter(tags=["workspace"])
_WRITTEN = frozenset(
    {
        *(Kind.SOUL, Kind.AGENTS, Kind.USER, Kind.MEMORY, Kind.TOOLS, Kind.IDENTITY, Kind.HEARTBEAT),
        *(Kind.ROOM, Kind.CONFIG),
    }
)
"""Files that can be saved whole."""
_ONLY_READ = frozenset(
    {
        *(Kind.DAILY, Kind.SESSION, Kind.LONGTERM, Kind.PROFILE, Kind.ARCHIVE, Kind.SOUL_HISTORY, Kind.KEEPER),
        *(Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG),
    }
)
"""Files that Oldsoul writes itself, entry by entry."""
_MOST = 1000
_NOT_POST = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]
_FILE = "/api/workspace/{agent_name}/file/{filename:path}"

AgentName = Annotated[str, Path(description="An agent, a team or `_shared`.", examples=["main"])]
Filename = Annotated[str, Path(description="Its path in the workspace; it may hold slashes.", examples=["SOUL.md"])]
IfMatch = Annotated[
    str | None, Header(description="The ETag of the content that was edited; `*` for whatever stands.", examples=["*"])
]


class Content(BaseModel):
    """What a file is to contain."""

    content: str = Field(examples=["# SOUL.md\n\n## Core Truths\n\nBe helpful.\n"])


_TAG = {"headers": {"ETag": {"description": "The md5 of the content.", "schema": {"type": "string"}}}}
_FIRST = {"agent_name": "$request.path.agent_name", "filename": "$response.body#/files/0/filename"}
_FIRST_DAY = {"agent_name": "$request.path.agent_name", "day": "$response.body#/files/0/date"}
_SAVING: dict[int | str, dict[str, Any]] = {200: {**_TAG, **SAVED_FILE}}


@router.get("/api/workspace/{agent_name}/files", responses=linked(200, agent=False, read_workspace_file=_FIRST))
def list_workspace_files(
    agent_name: AgentName,
    access: Entered,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST)] = _MOST,
) -> FileList:
    """List the files of a workspace."""
    found = access.agent(agent_name).files.all(offset=offset, limit=limit + 1)
    following = offset + limit if len(found) > limit else None
    return FileList(agent_name, tuple(map(files.file, found[:limit])), following)


@router.api_route(f"{_FILE}/reset", methods=_NOT_POST, include_in_schema=False)
def refuse_reset(_access: Entered) -> None:
    """Not a file: what ends so can only be posted to."""
    told = HttpProblem(405, "wrong_method", "a file is reset by POST")
    told.headers["allow"] = "POST"
    raise told


@router.get(_FILE, responses={200: {**_TAG, **READ_FILE}})
def read_workspace_file(agent_name: AgentName, filename: Filename, access: Entered, response: Response) -> FileBody:
    """Read one file."""
    agent = access.agent(agent_name)
    return _body(agent, _named(agent, filename), response)


@router.put(_FILE, responses={**_SAVING, **declared(428, "The request needs the header If-Match.")})
def update_workspace_file(
    agent_name: AgentName,
    filename: Filename,
    body: Content,
    access: Entered,
    response: Response,
    if_match: IfMatch = None,
    if_none_match: Annotated[str | None, Header(description="`*` to create a file that is not there.")] = None,
) -> SavedFile:
    r"""Replace the content of one file.

    It needs `If-Match` with the ETag of the content that was edited. A file that is not there yet is created with
    `If-None-Match: *` instead. When the content has changed meanwhile, nothing is written: the answer 409 holds the
    content as it is (`standing`) and both brought together (`suggestion`).
    """
    agent = access.agent(agent_name)
    name = _writable(agent, filename, "put")
    if if_match is None and (if_none_match or "").strip() != "*":
        raise HttpProblem(
            428,
            "if_match_missing",
            "give the ETag of the content you edited: If-Match; If-None-Match: * creates a file",
        )
    data, standing = body.content.encode(), _standing(agent, name)
    if not _fits(standing, if_match):
        raise _moved(agent, name, data, if_match)
    try:
        outcome = agent.files.put(name.path, data, base=standing.version, exact=True)
    except Conflict:
        raise _moved(agent, name, data, if_match) from None
    return _saved(agent, name, outcome, response)


@router.delete(_FILE, responses={200: DELETED_FILE})
def delete_workspace_file(
    agent_name: AgentName,
    filename: Filename,
    access: Entered,
    confirm: Annotated[str, Query(description="The same file name again.", examples=["SOUL.md"])] = "",
    if_match: IfMatch = None,
) -> DeletedFile:
    """Delete one file. The history keeps it."""
    agent = access.agent(agent_name)
    name = _writable(agent, filename, "delete")
    if confirm != filename:
        raise BadInput(f"deleting needs a confirmation: add ?confirm={filename}")
    outcome = agent.files.delete(name.path, base=_base(agent, name, if_match))
    return files.deleted_file(agent, name, outcome)


@router.post(f"{_FILE}/reset", responses=_SAVING)
def reset_workspace_file(
    agent_name: AgentName, filename: Filename, access: Entered, response: Response, if_match: IfMatch = None
) -> SavedFile:
    """Replace a file by its template."""
    agent = access.agent(agent_name)
    name = _writable(agent, filename, "reset")
    return _saved(agent, name, agent.files.reset(name.path, base=_base(agent, name, if_match)), response)


@router.get(
    "/api/workspace/{agent_name}/memory/daily",
    responses=linked(200, agent=False, read_daily_log=_FIRST_DAY),
)
def list_daily_logs(
    agent_name: AgentName,
    access: Entered,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST)] = 100,
) -> DailyFiles:
    """List the daily logs, the latest first, archived ones too."""
    found = access.agent(agent_name).talk.days()
    following = offset + limit if len(found) > offset + limit else None
    return DailyFiles(agent_name, tuple(map(files.day, found[offset : offset + limit])), following)


@router.get("/api/workspace/{agent_name}/memory/daily/{day}", responses={200: _TAG})
def read_daily_log(
    agent_name: AgentName,
    day: Annotated[date, Path(examples=["2026-02-15"])],
    access: Entered,
    response: Response,
) -> FileBody:
    """Read the log of one day: its first file, where a long day has several."""
    agent = access.agent(agent_name)
    found = [each.name for each in agent.talk.days() if each.day == day]
    if not found:
        raise NotFound(f"there is no daily log of {day}")
    return _body(agent, min(found, key=lambda name: len(name.path)), response)


@router.get("/api/agents/{name}/context-report", tags=["context"])
def read_context_report(
    name: AgentName, access: Entered, room: Annotated[str, Query(description="As a room is told, by its id.")] = ""
) -> ContextReport:
    """Tell which files a prompt loads, their sizes, and what is missing, near its limit or cut."""
    agent = access.agent(name)
    made = agent.prompt(session=Session.group(room) if room else access.session)
    count = agent.count_tokens
    return recall.context_report(agent.id, made, count)


# what they have in common


def _named(agent: Agent, filename: str) -> Name:
    """The file of just this name; `BadName` when no file can be called that."""
    name = Name(agent.id, filename)
    if agent.files.name(filename) != name:  # a short form, which people type and programs do not
        raise NotFound(f"there is no {filename} in {agent.id}")
    return name


def _writable(agent: Agent, filename: str, verb: str) -> Name:
    """The file, when this caller may save such a file whole."""
    agent.caller.check(Right.DECIDE, verb)
    name = Name(agent.id, filename)
    if name.kind in _ONLY_READ or filename.startswith("memory/"):
        told = HttpProblem(
            405, "read_only", f"{filename} is written by Oldsoul itself, entry by entry; it can be read here"
        )
        told.headers["allow"] = "GET"
        raise told
    if name.kind not in _WRITTEN:
        raise HttpProblem(
            422, "not_writable", f"{filename} cannot be saved here; SOUL.md, MEMORY.md and rooms/*.md can"
        )
    return name


def _standing(agent: Agent, name: Name) -> Snapshot:
    return agent.files.read(name.path)


def _fits(standing: Snapshot, if_match: str | None) -> bool:
    """Whether what stands is what a request means; without a tag it means a file that is not there."""
    if standing.data is None or if_match is None:
        return standing.data is None and if_match is None
    tags = [tag.strip() for tag in if_match.split(",")]
    return "*" in tags or _etag(standing.data) in tags


def _base(agent: Agent, name: Name, if_match: str | None) -> str | None:
    """The version that has to stand, where a request names one."""
    if if_match is None:
        return None
    agent.files.show(name.path)
    standing = _standing(agent, name)
    if not _fits(standing, if_match):
        raise _moved(agent, name, None, if_match)
    return standing.version


def _moved(agent: Agent, name: Name, mine: bytes | None, if_match: str | None) -> HttpProblem:
    """The content has changed: what stands now, and both brought together where the content before is known."""
    tags = [tag.strip() for tag in (if_match or "").split(",")]
    base = next((v.version for v in agent.files.versions(name.path) if _etag(v.data or b"") in tags), "")
    suggestion = None
    if base and mine is not None:
        text, _, clashes = agent.files.reconciled(name.path, mine, base)
        suggestion = {"content": _text(text), "clashes": list(clashes)}
    there = _standing(agent, name).data is not None
    told = "exists already" if there and if_match is None else "has changed since you read it" if there else "is gone"
    return HttpProblem(
        409,
        "conflict",
        f"{name.path} {told}; look at what stands, and save again with its ETag",
        standing=plain(_body(agent, name, Response())) if there else None,
        suggestion=suggestion,
    )


def _saved(agent: Agent, name: Name, outcome: Outcome, response: Response) -> SavedFile:
    return files.saved_file(_body(agent, name, response), outcome)


def _body(agent: Agent, name: Name, response: Response) -> FileBody:
    """A file with its content; its tag goes into the headers."""
    snapshot = agent.files.show(name.path)
    data = snapshot.data or b""
    response.headers["etag"] = _etag(data)
    return files.body(agent, name, data, snapshot.version)


def _etag(data: bytes) -> str:
    return f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
