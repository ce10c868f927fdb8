"""`/api/agents`: which agents there are, how each stands, its days and rooms, and all its files to take along."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName, Day, linked
from oldsoul.views import files, talk
from oldsoul.views.files import AgentList, Stats
from oldsoul.views.talk import DayList, DayWhole, RoomList

router = APIRouter(prefix="/api/agents", tags=["agents"])


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


@router.get("", responses=_LINKS)
def list_agents(access: Entered) -> AgentList:
    """List the agents, the teams and the shared workspace that this token may use."""
    return AgentList(tuple(files.agent(access.soul, access.agent(name)) for name in access.workspaces()))


@router.get("/{name}/stats")
def show_stats(name: AgentName, access: Entered) -> Stats:
    """Show an agent in numbers: its files, entries, conversations and index."""
    agent = access.agent(name)
    return files.stats(access.home(), agent)


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
    responses=linked(200, show_day={"day": "$response.body#/days/0/day"}),
)
def list_days(
    name: AgentName,
    access: Entered,
    since: Annotated[Day | None, Query(description="The first day. Default: a year before the last.")] = None,
    until: Annotated[Day | None, Query(description="The last day. Default: today.")] = None,
) -> DayList:
    """Show how much was said, learnt and changed on each day, of at most 400 days; quiet days are left out."""
    agent = access.agent(name)
    last = until or agent.now().date()
    first = since or max(last, date.min + _YEAR) - _YEAR
    found = agent.talk.calendar(first, last)
    return DayList(str(first), str(last), tuple(map(talk.day_counts, found)))


@router.get("/{name}/days/{day}")
def show_day(name: AgentName, day: Annotated[Day, Path(description="The day.")], access: Entered) -> DayWhole:
    """Show one day: its log, its sessions with their tasks and follow-ups, and what was learnt."""
    agent = access.agent(name)
    found = agent.talk.day(day)
    return talk.day_whole(found, [agent.files.show(one.name.path) for one in found.logs])


@router.get("/{name}/rooms")
def list_rooms(name: AgentName, access: Entered) -> RoomList:
    """List the rooms that the agent knows: those with messages, and those with a file."""
    return RoomList(tuple(map(talk.room, access.agent(name).talk.rooms())))
