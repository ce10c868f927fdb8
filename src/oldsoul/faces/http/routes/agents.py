"""`/api/agents`: which agents there are, how each stands, its days and rooms, and all its files to take along."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from oldsoul.app import Agent, Oldsoul
from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.entries import EntryShown
from oldsoul.faces.http.routes.given import AgentName, Day
from oldsoul.faces.http.routes.shown import EntryId, PathShown, Shown, Time, Version, linked
from oldsoul.views import files, talk, upkeep

router = APIRouter(prefix="/api/agents", tags=["agents"])


class AgentShown(Shown):
    """An agent, a team, or the workspace that all share."""

    id: Annotated[str, Field(examples=["main"])]
    display_name: Annotated[str, Field(examples=["Juniper"])]
    """What people see it called."""
    kind: Literal["agent", "team", "shared"]
    default: bool
    """Whether it is the default agent."""


class AgentList(Shown):
    """The agents that a token may use."""

    agents: list[AgentShown]


class IndexState(Shown):
    """The state of the search index."""

    agent: str
    documents: int
    conversations: int
    chunks: int
    embedder: str
    file: str | None
    size: int
    waiting: int
    """How many files and conversations have changed since they were indexed."""
    up_to_date: bool
    making: str | None
    """What is being rebuilt now."""
    problems: list[str]


class Stats(Shown):
    """An agent in numbers."""

    id: str
    kind: Literal["agent", "team", "shared"]
    default: bool
    folder: str
    files: int
    memory: int | None
    """How many bytes MEMORY.md has."""
    limit: int | None
    """How many it may have."""
    proposals: int
    """How many changes wait for approval."""
    entries: int
    sessions: int
    messages: int
    index: IndexState


class DayShown(Shown):
    """One day in numbers."""

    day: Annotated[str, Field(examples=["2026-02-04"])]
    messages: int
    """How many messages were logged."""
    sessions: int
    """How many sessions they belong to."""
    learnt: int
    """How many entries were added to long-term memory, of those that are there."""
    corrected: int
    """How many things were corrected."""
    changes: int
    """How many changes were made to files."""
    entries: int
    """How many entries the daily log has."""
    open_tasks: int
    """How many tasks of its sessions are open."""
    open_follow_ups: int
    """How many follow-ups of its sessions are open."""


class DayList(Shown):
    """The days on which something happened, the latest first."""

    since: str
    until: str
    days: list[DayShown]


class DayLog(Shown):
    """A file of a daily log."""

    path: PathShown
    archived: bool
    version: Version
    text: str


class TaskShown(Shown):
    """A task or a follow-up of a session."""

    entry: EntryId
    line: int
    """Its line in the session's file."""
    text: str
    done: bool


class DaySession(Shown):
    """A session on one day."""

    session: Annotated[str, Field(examples=["dm:acct:owner"])]
    messages: int
    """How many messages it had on that day."""
    path: str | None
    """The file of its summary; null when it has none."""
    summary: str
    tasks: list[TaskShown]
    follow_ups: list[TaskShown]


class DayWhole(Shown):
    """One day: its log, its sessions, and what was learnt."""

    day: Annotated[str, Field(examples=["2026-02-04"])]
    logs: list[DayLog]
    """The files of its log; several where it was long."""
    sessions: list[DaySession]
    learnt: list[EntryShown]
    """The entries that were added to long-term memory."""


class RoomShown(Shown):
    """A room that the agent knows."""

    room: Annotated[str, Field(examples=["dev"])]
    messages: int
    last: Time | None
    """When something was last said in it."""
    path: str | None
    """The file of what it knows; null when there is none."""


class RoomList(Shown):
    """The rooms of an agent, by their ids."""

    rooms: list[RoomShown]


_FIRST = {"name": "$response.body#/agents/0/id"}
_LISTS = (
    *("list_entries", "list_sessions", "list_messages", "list_proposals", "list_changes", "list_versions"),
    *("list_corrections", "list_conflicts", "list_keepers", "list_skills"),
)
_STARTS = ("remember", "post_message", "correct", "chat", "search", "preview_context", "run_keeper", "rebuild_index")
_LINKS = linked(
    200,
    agent=False,
    **dict.fromkeys(("show_stats", "export", *_LISTS, *_STARTS), _FIRST),
    list_workspace_files={"agent_name": _FIRST["name"]},
    list_daily_logs={"agent_name": _FIRST["name"]},
)


@router.get("", response_model=AgentList, responses=_LINKS)
def list_agents(access: Entered) -> dict[str, Any]:
    """List the agents, the teams and the shared workspace that this token may use."""
    return {"agents": [_agent(access.soul, access.agent(name)) for name in access.workspaces()]}


def _agent(home: Oldsoul, agent: Agent) -> dict[str, Any]:
    kind = "agent" if agent.id in home.agents() else "team" if agent.id in home.teams() else "shared"
    is_default = agent.id == home.settings.default_agent
    return {"id": agent.id, "display_name": agent.display_name, "kind": kind, "default": is_default}


@router.get("/{name}/stats", response_model=Stats)
def show_stats(name: AgentName, access: Entered) -> dict[str, Any]:
    """Show an agent in numbers: its files, entries, conversations and index."""
    agent, home = access.agent(name), access.home()
    sessions = agent.talk.sessions()
    return {
        **files.workspace(home, name),
        "entries": agent.memory.entries(limit=1).total,
        "sessions": len(sessions),
        "messages": sum(held.thread.count for held in sessions),
        "index": upkeep.index(agent),
    }


@router.get(
    "/{name}/export",
    response_class=Response,
    responses={
        200: {
            "description": "The files.",
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
def export(name: AgentName, access: Entered) -> Response:
    """Return all files of a workspace in one zip archive. For operators only."""
    agent, packed = access.agent(name), io.BytesIO()
    access.home()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in agent.files.all():
            with suppress(NotFound):  # it was removed just now
                archive.writestr(f"{name}/{file.name.path}", agent.files.show(file.name.path).data or b"")
    named = {"content-disposition": 'attachment; filename="workspace.zip"'}
    return Response(packed.getvalue(), headers=named, media_type="application/zip")


_YEAR = timedelta(days=365)


@router.get(
    "/{name}/days",
    response_model=DayList,
    responses=linked(200, show_day={"day": "$response.body#/days/0/day"}),
)
def list_days(
    name: AgentName,
    access: Entered,
    since: Annotated[Day | None, Query(description="The first day. Default: a year before the last.")] = None,
    until: Annotated[Day | None, Query(description="The last day. Default: today.")] = None,
) -> dict[str, Any]:
    """Show how much was said, learnt and changed on each day, of at most 400 days; quiet days are left out."""
    agent = access.agent(name)
    last = until or agent.now().date()
    first = since or max(last, date.min + _YEAR) - _YEAR
    found = agent.talk.calendar(first, last)
    return {"since": str(first), "until": str(last), "days": [talk.day_counts(each) for each in found]}


@router.get("/{name}/days/{day}", response_model=DayWhole)
def show_day(name: AgentName, day: Annotated[Day, Path(description="The day.")], access: Entered) -> dict[str, Any]:
    """Show one day: its log, its sessions with their tasks and follow-ups, and what was learnt."""
    agent = access.agent(name)
    found = agent.talk.day(day)
    logs = [(one, agent.files.show(one.name.path)) for one in found.logs]
    return {
        "day": str(day),
        "logs": [
            {
                "path": one.name.path,
                "archived": one.archived,
                "version": snapshot.version,
                "text": (snapshot.data or b"").decode("utf-8", "replace"),
            }
            for one, snapshot in logs
        ],
        "sessions": [talk.day_session(each) for each in found.sessions],
        "learnt": [files.entry(each) for each in found.learnt],
    }


@router.get("/{name}/rooms", response_model=RoomList)
def list_rooms(name: AgentName, access: Entered) -> dict[str, Any]:
    """List the rooms that the agent knows: those with messages, and those with a file."""
    return {"rooms": [talk.room(each) for each in access.agent(name).talk.rooms()]}
