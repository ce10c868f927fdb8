"""`/api/agents`: which agents there are, how each stands, and all its files to take along."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field

from oldsoul.app import Agent
from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AgentName
from oldsoul.faces.http.routes.shown import Shown
from oldsoul.views import files, upkeep

router = APIRouter(prefix="/api/agents", tags=["agents"])


class AgentShown(Shown):
    """An agent, a team, or the workspace that all share."""

    id: Annotated[str, Field(examples=["main"])]
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


@router.get("", response_model=AgentList)
def list_agents(access: Entered) -> dict[str, Any]:
    """List the agents, the teams and the shared workspace that this token may use."""
    return {"agents": [_agent(access.agent(name)) for name in access.workspaces()]}


def _agent(agent: Agent) -> dict[str, Any]:
    home = agent.parts.home
    kind = "agent" if agent.id in home.agents() else "team" if agent.id in home.teams() else "shared"
    return {"id": agent.id, "kind": kind, "default": agent.id == home.settings.default_agent}


@router.get("/{name}/stats", response_model=Stats)
def show_stats(name: AgentName, access: Entered) -> dict[str, Any]:
    """Show an agent in numbers: its files, entries, conversations and index."""
    agent, home = access.agent(name), access.home()
    sessions = agent.sessions()
    return {
        **files.workspace(home, name),
        "entries": agent.entries(limit=1).total,
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
        for file in agent.files():
            with suppress(NotFound):  # it was removed just now
                archive.writestr(f"{name}/{file.name.path}", agent.show(file.name.path).data or b"")
    named = {"content-disposition": 'attachment; filename="workspace.zip"'}
    return Response(packed.getvalue(), headers=named, media_type="application/zip")
