"""`/api/agents/{name}/entries`: what memory holds, entry by entry; added to and erased."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from oldsoul.errors import BadInput, NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import (
    MOST,
    AgentName,
    Day,
    FilePath,
    Given,
    Line,
    PersonId,
    SessionGiven,
    Tag,
    Text,
    conversation,
    offset_of,
)
from oldsoul.faces.http.routes.shown import ChangeNumber, EntryId, Next, PathShown, Shown, linked
from oldsoul.rules.promotion import FACTS, GOALS
from oldsoul.values.callers import Right
from oldsoul.views import files as views

router = APIRouter(prefix="/api/agents/{name}/entries", tags=["entries"])

_AUDIENCE = r"^(public|owner|(room|person):[^\s\x00-\x1f\x7f~]+)$"
Entry = Annotated[str, Path(description="The id of an entry.", pattern=r"^[0-9a-z]{1,40}$", examples=["k3f9w2m7qa"])]


class EntryShown(Shown):
    """One entry of a file."""

    entry: EntryId
    """Its id."""
    path: PathShown
    line: Annotated[int, Field(examples=[12])]
    """Its first line, from 1."""
    text: Annotated[str, Field(examples=["Deploys happen on Tuesdays"])]
    title: str
    section: str
    """The heading above it."""
    tag: Annotated[str, Field(examples=["decision"])]
    stored: float
    """Its confidence when it was last mentioned, from 0 to 1."""
    confidence: float
    """Its confidence today."""
    seen: str | None
    """The day it was last mentioned."""
    added: str | None
    mentions: int
    source: str
    """The message or file it comes from."""
    origin: str
    """Who stated it."""
    audience: str
    """Who may see it."""
    superseded: bool
    """Whether a newer entry replaced it."""
    searched: bool
    """Whether search covers it."""


class EntryList(Shown):
    """A page of entries, by file and line."""

    entries: list[EntryShown]
    total: int
    """How many there are on all pages."""
    next: Next


class WantedGiven(SessionGiven):
    """Which entries are asked for, and as which session they are read."""

    path: Line = ""
    """Only entries of this file."""
    tag: Tag | None = None
    """Only entries with this tag."""
    words: Line = ""
    """Only entries that contain all of these words."""
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Only entries with at least this confidence today."""
    audience: Annotated[str, Field(max_length=200, pattern=_AUDIENCE)] | None = None
    """Only entries for this audience: `public`, `owner`, `room:<id>` or `person:<id>`."""
    since: Day | None = None
    """Only entries last mentioned on or after this day."""
    until: Day | None = None
    """Only entries last mentioned on or before this day."""
    limit: Annotated[int, Field(ge=1, le=MOST)] = 100
    """How many at most."""
    cursor: Annotated[str, Field(pattern=r"^([0-9]{1,9})?$")] = ""
    """The next page: `next` of the page before."""


class RememberGiven(Given):
    """Something to remember."""

    text: Annotated[Text, Field(examples=["Deploys happen on Tuesdays"])]
    title: Line = ""
    """A bold title for the entry."""
    tag: Literal["event", "knowledge", "skill", "decision"] | None = None
    """Its tag, which also selects the section."""
    key: Line = ""
    """An id of yours for this write; repeating a key adds nothing."""
    person: PersonId | None = None
    """Add it to this person's long-term memory instead of MEMORY.md; for operators only, without title, tag and key."""
    section: Literal["facts", "goals"] = "facts"
    """With a person: the section."""


class Remembered(Shown):
    """An entry that was written down. It is durable."""

    change: ChangeNumber
    entry: EntryId
    path: PathShown
    line: int
    """Its line; 0 when it is not there any more."""
    agent: str
    repeated: bool
    """Whether it was known already."""
    masked: int
    """How many secrets were masked in it."""
    warnings: list[str]


class Erased(Shown):
    """An entry that was erased for good."""

    change: ChangeNumber | None
    entry: EntryId
    files: list[PathShown]
    """The files it was taken from."""


@router.get("", response_model=EntryList)
def list_entries(name: AgentName, access: Entered, given: Annotated[WantedGiven, Query()]) -> dict[str, Any]:
    """List entries. Without a session: those that this token sees; an operator sees all."""
    agent = access.agent(name)
    found = agent.entries(
        given.path,
        session=None if given.is_own else conversation(access, agent, given),
        tag=given.tag or "",
        words=given.words,
        confidence=given.confidence,
        audience=given.audience,
        since=given.since,
        until=given.until,
        offset=offset_of(given.cursor),
        limit=given.limit,
    )
    return {**views.entries(found), "next": None if found.next is None else str(found.next)}


@router.post(
    "",
    response_model=Remembered,
    status_code=201,
    responses=linked(201, forget={"entry": "$response.body#/entry", "path": "$response.body#/path"}),
)
def remember(name: AgentName, access: Entered, given: RememberGiven) -> dict[str, Any]:
    """Add an entry to MEMORY.md, or to the long-term memory of a person. If an entry says the same, it is mentioned again."""
    agent = access.agent(name)
    if given.person is None:
        key = f"http:{access.token.id}:{given.key}" if given.key else ""
        made = agent.remember(given.text, title=given.title, tag=given.tag or "", key=key)
    elif given.title or given.tag or given.key:
        raise BadInput("title, tag and key are for MEMORY.md; leave them out with a person")
    else:
        made = agent.promote(given.text, given.person, GOALS if given.section == "goals" else FACTS)
    return views.remembered(made, agent.id)


@router.delete("/{entry}", response_model=Erased)
def forget(
    name: AgentName, entry: Entry, access: Entered, path: Annotated[FilePath, Query(description="Its file.")]
) -> dict[str, Any]:
    """Erase an entry for good: from its file, every copy, the history, and the messages that said it. For operators only."""
    agent = access.agent(name)
    parts = agent.allowed(Right.DECIDE, None, "forget")
    found = next((place for place, each in parts.find(entry, path) if each.id == entry), None)
    if found is None:
        raise NotFound(f"there is no entry {entry} in {path}")
    return views.erased(entry, agent.forget(found, entry))
