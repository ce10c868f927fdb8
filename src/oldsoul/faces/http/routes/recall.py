"""Search, context, prompt and skills: what memory answers, and what an agent is told before a reply.

They are asked with POST, since questions are private and addresses end up in logs.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import (
    TEXT,
    AgentName,
    Count,
    Flag,
    Given,
    Line,
    MaybeId,
    MaybeText,
    Moment,
    PersonId,
    SessionAsked,
    SessionGiven,
    Tag,
    conversation,
)
from oldsoul.values.recall import MOST_ASKED
from oldsoul.views import recall as views
from oldsoul.views.recall import ContextShown, PromptShown, RecalledShown, SkillList, ToolList

router = APIRouter(prefix="/api/agents/{name}", tags=["asking"])


class SearchGiven(Given):
    """A question, and what the search is restricted to."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_ASKED,
            pattern=TEXT,
            examples=["when do we deploy?"],
        ),
    ]
    """A question or some words."""
    session: SessionGiven = Field(default_factory=SessionGiven)
    """The session to search as; only what it may see is found."""
    limit: Count | None = None
    """How many hits at most. Default: from the settings."""
    minimum: Annotated[float, Field(ge=0, le=1, strict=True)] | None = None
    """The lowest score of a hit. Default: from the settings."""
    asked: Moment | None = None
    """When it is asked, for words such as `last week`. Default: now."""
    sources: Annotated[list[Literal["memory", "sessions", "extra"]], Field(max_length=3)] = Field(default_factory=list)
    """Only these."""
    since: Moment | None = None
    """Only what is at or after this time."""
    until: Moment | None = None
    """Only what is before this time."""
    tag: Tag | None = None
    """Only entries with this tag."""
    room: MaybeId = ""
    """Only what was said in this room."""
    person: PersonId | None = None
    """Only what belongs to this person."""
    path: Line = ""
    """Only this file."""
    explain: Flag = False
    """Show what each score is made of."""


class MessageGiven(Given):
    """A message that is to be answered, in a session."""

    message: Annotated[MaybeText, Field(examples=["when do we deploy?"])] = ""
    session: SessionGiven = Field(default_factory=SessionGiven)


@router.post("/search")
def search(name: AgentName, access: Entered, given: SearchGiven) -> RecalledShown:
    """Search memory as a session; the hits come with how well they answer, the best first."""
    agent = access.agent(name)
    found = agent.recall(
        given.query,
        session=conversation(access, agent, given.session),
        limit=given.limit,
        minimum=given.minimum,
        asked=given.asked,
        sources=tuple(dict.fromkeys(given.sources)),
        since=given.since,
        until=given.until,
        tag=given.tag or "",
        room=given.room,
        person=given.person or "",
        path=given.path,
    )
    return views.recalled(found, agent.zone, explain=given.explain)


@router.post("/context")
def preview_context(name: AgentName, access: Entered, given: MessageGiven) -> ContextShown:
    """Show what memory gives a session before a reply: eight slots within their budgets, and a receipt."""
    agent = access.agent(name)
    made = agent.context(given.message, session=conversation(access, agent, given.session))
    return views.context(made, agent.budget, agent.price)


@router.post("/prompt")
def preview_prompt(name: AgentName, access: Entered, given: MessageGiven) -> PromptShown:
    """Show what a model gets for a message: the system prompt, then memory and the message."""
    agent = access.agent(name)
    made = agent.prompt(given.message, session=conversation(access, agent, given.session))
    return views.prompt(made, agent.count_tokens, agent.budget, agent.price)


@router.get("/skills")
def list_skills(name: AgentName, access: Entered, given: SessionAsked) -> SkillList:
    """List the skills, and why some are not offered to a session."""
    agent = access.agent(name)
    session = conversation(access, agent, given)
    return views.skills(agent.skills(session=session))


@router.get("/tools")
def list_tools(name: AgentName, access: Entered) -> ToolList:
    """List the tools that the agent has by itself: to search memory, write to it, propose changes, and read skills."""
    return views.tools(access.agent(name).tools())
