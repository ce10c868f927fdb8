"""Search, context, prompt and skills: what memory answers, and what an agent is told before a reply.

They are asked with POST, since questions are private and addresses end up in logs.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from oldsoul.app import Agent
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
from oldsoul.faces.http.routes.shown import PathShown, Placed, Reference, Shown
from oldsoul.values.recall import MOST_ASKED
from oldsoul.views import recall as views

router = APIRouter(prefix="/api/agents/{name}", tags=["asking"])
Answer = Literal["found", "unsure", "unknown", "conflicting", ""]


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


class Hit(Placed):
    """A passage that was found."""

    path: PathShown
    start_line: int
    end_line: int
    score: Annotated[float, Field(examples=[0.83])]
    """How well it answers, from 0 to 1."""
    heading: str
    text: Annotated[str, Field(examples=["Deploys happen on Tuesdays"])]
    source: str
    date: str | None
    speaker: str
    earlier: bool
    """Whether a newer text about the same thing exists."""
    entry: Reference
    """The id of the entry, or `m:118` for a message; empty where it is neither."""
    audience: str
    """Who may see it."""
    why: dict[str, float] | None = None
    """What the score is made of, where it is explained."""


class Found(Shown):
    """The answer to a question."""

    answer: Answer
    """How well it matches; `conflicting` where what answers best contradicts another hit."""
    confidence: float
    hits: list[Hit]
    standing: list[Hit] = Field(default_factory=list)
    """What likely tells the agent what to do about such things, beside the hits."""
    notes: list[str] = Field(default_factory=list)


class MessageGiven(Given):
    """A message that is to be answered, in a session."""

    message: Annotated[MaybeText, Field(examples=["when do we deploy?"])] = ""
    session: SessionGiven = Field(default_factory=SessionGiven)


class Slot(Shown):
    """One of the eight slots of a context."""

    slot: int
    name: str
    budget: int
    allowed: int
    tokens: int
    text: str
    cost: float
    """What its tokens cost; 0 where no price is set."""


class Included(Placed):
    """A line that is in a context, and where it comes from."""

    slot: str
    document: str
    start_line: int
    end_line: int
    entry: Reference
    score: float
    tokens: int
    text: str
    """What it says there."""
    audience: str
    """Who may see it."""


class LeftOut(Placed):
    """Something that is not in a context, and why."""

    slot: str
    document: str
    start_line: int
    entry: Reference
    tokens: int
    why: str
    text: str
    """What it says."""
    audience: str
    """Who may see it."""


class Receipt(Shown):
    """What a context was built from."""

    included: list[Included]
    left_out: list[LeftOut]


class ContextShown(Shown):
    """What a session gets from memory before a reply."""

    text: str
    tokens: int
    budget: int
    """How many tokens all slots may have together."""
    cost: float
    """What its tokens cost, in the currency of `keepers.model.input_price`; 0 where no price is set."""
    answer: Answer
    slots: list[Slot]
    receipt: Receipt


class Section(Shown):
    """A section of a system prompt."""

    name: str
    tokens: int
    volatile: bool
    """Whether it changes with every turn."""


class PromptFile(Shown):
    """A file in a system prompt."""

    name: str
    path: str
    state: str
    characters: int
    size: int
    limit: int
    tokens: int


class PromptShown(Shown):
    """What a model gets for a message."""

    system: str
    stable_characters: int
    """So many characters at the beginning stay the same from turn to turn."""
    text: str
    tokens: int
    cost: float
    """What its tokens cost; 0 where no price is set."""
    sections: list[Section]
    files: list[PromptFile]
    context: ContextShown
    warnings: list[str]


class SkillShown(Shown):
    """A skill, and whether the session is offered it."""

    name: str
    description: str
    source: str
    location: str
    path: str
    offered: bool
    why: str
    """Why it is not offered."""
    primary_env: str
    requires_env: list[str]
    disable_model_invocation: bool
    allow_remote: bool
    license: str
    compatibility: str
    allowed_tools: list[str]
    notes: list[str]


class Skipped(Shown):
    """Something that looks like a skill and is none."""

    location: str
    source: str
    why: str


class SkillList(Shown):
    """The skills there are."""

    skills: list[SkillShown]
    skipped: list[Skipped]


class ToolShown(Shown):
    """A tool of the agent."""

    name: Annotated[str, Field(examples=["memory_search"])]
    label: str
    description: str
    """What a model is told of it."""
    parameters: dict[str, Any]
    """Its parameters as a JSON schema."""
    needs: str
    """The right that it needs of who calls it."""


class ToolList(Shown):
    """The tools of an agent."""

    tools: list[ToolShown]


@router.post("/search", response_model=Found)
def search(name: AgentName, access: Entered, given: SearchGiven) -> dict[str, Any]:
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
    shown = views.recalled(found, agent.zone, explain=given.explain)
    for kind, hits in (("hits", found.hits), ("standing", found.standing)):
        for one, hit in zip(shown.get(kind, ()), hits, strict=True):
            one |= {"entry": hit.chunk.entry, "audience": str(hit.chunk.audience)}
    return shown


@router.post("/context", response_model=ContextShown)
def preview_context(name: AgentName, access: Entered, given: MessageGiven) -> dict[str, Any]:
    """Show what memory gives a session before a reply: eight slots within their budgets, and a receipt."""
    agent = access.agent(name)
    return _priced(
        agent, views.context(agent.context(given.message, session=conversation(access, agent, given.session)))
    )


@router.post("/prompt", response_model=PromptShown)
def preview_prompt(name: AgentName, access: Entered, given: MessageGiven) -> dict[str, Any]:
    """Show what a model gets for a message: the system prompt, then memory and the message."""
    agent = access.agent(name)
    made = agent.prompt(given.message, session=conversation(access, agent, given.session))
    shown = views.prompt(made, agent.count_tokens)
    return {**shown, "cost": _cost(agent, shown["tokens"]), "context": _priced(agent, shown["context"])}


def _priced(agent: Agent, shown: dict[str, Any]) -> dict[str, Any]:
    """A context with its budget and what it costs."""
    slots = [{**slot, "cost": _cost(agent, slot["tokens"])} for slot in shown["slots"]]
    budget = agent.budget
    return {**shown, "slots": slots, "budget": budget, "cost": _cost(agent, shown["tokens"])}


def _cost(agent: Agent, tokens: int) -> float:
    return tokens * agent.price / 1_000_000


@router.get("/skills", response_model=SkillList)
def list_skills(name: AgentName, access: Entered, given: SessionAsked) -> dict[str, Any]:
    """List the skills, and why some are not offered to a session."""
    agent = access.agent(name)
    session = conversation(access, agent, given)
    return views.skills(agent.skills(session=session))


@router.get("/tools", response_model=ToolList)
def list_tools(name: AgentName, access: Entered) -> dict[str, Any]:
    """List the tools that the agent has by itself: to search memory, write to it, propose changes, and read skills."""
    return {"tools": [{**tool.definition(), "needs": str(tool.right)} for tool in access.agent(name).tools()]}
