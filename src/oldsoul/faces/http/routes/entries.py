"""`/api/agents/{name}/entries`: what memory holds, entry by entry; added to and erased."""

from __future__ import annotations

from typing import Annotated, Literal

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
    linked,
    offset_of,
)
from oldsoul.rules.promotion import FACTS, GOALS
from oldsoul.values.callers import Right
from oldsoul.views import files as views
from oldsoul.views.files import Edited, EntryList, EntryWhole, Erased, RememberedShown

router = APIRouter(prefix="/api/agents/{name}/entries", tags=["entries"])

_AUDIENCE = r"^(public|owner|(room|person):[^\s\x00-\x1f\x7f-\x9f~]+)$"
Entry = Annotated[str, Path(description="The id of an entry.", pattern=r"^[0-9a-z]{1,40}$", examples=["k3f9w2m7qa"])]


class EntryFilterGiven(SessionGiven):
    """Which entries are asked for, and as which session they are read."""

    path: Line = ""
    """Only entries of this file."""
    tag: Tag | None = None
    """Only entries with this tag."""
    words: Line = ""
    """Only entries that contain all of these words."""
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Only entries with at least this confidence today."""
    at_most: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Only entries with at most this confidence today."""
    audience: Annotated[str, Field(max_length=200, pattern=_AUDIENCE)] | None = None
    """Only entries for this audience: `public`, `owner`, `room:<id>` or `person:<id>`."""
    since: Day | None = None
    """Only entries last mentioned on or after this day."""
    until: Day | None = None
    """Only entries last mentioned on or before this day."""
    order: Literal["file", "added", "seen", "confidence"] = "file"
    """What they are ordered by: file and line, the day, or the confidence today."""
    descending: bool = False
    """The newest or the surest first; entries without a date come last."""
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


class EditGiven(Given):
    """Other words for an entry."""

    text: Annotated[Text, Field(examples=["Deploys happen on Thursdays"])]
    """The new words of its first line. Its date and tag stay, unless the words end with others."""
    base: Annotated[str, Field(max_length=200)] | None = None
    """The version of the file that must still stand; otherwise the answer is 409."""


_FIRST = {"entry": "$response.body#/entries/0/entry", "path": "$response.body#/entries/0/path"}


@router.get(
    "",
    responses=linked(200, show_entry=_FIRST, edit_entry=_FIRST, forget=_FIRST, blame={"path": _FIRST["path"]}),
)
def list_entries(name: AgentName, access: Entered, given: Annotated[EntryFilterGiven, Query()]) -> EntryList:
    """List entries. Without a session: those that this token sees; an operator sees all."""
    agent = access.agent(name)
    found = agent.memory.entries(
        given.path,
        session=None if given.is_own else conversation(access, agent, given),
        tag=given.tag or "",
        words=given.words,
        confidence=given.confidence,
        at_most=given.at_most,
        audience=given.audience,
        since=given.since,
        until=given.until,
        order=given.order,
        descending=given.descending,
        offset=offset_of(given.cursor),
        limit=given.limit,
    )
    return views.entries(found)


@router.post(
    "",
    status_code=201,
    responses=linked(
        201,
        list_entries={"path": "$response.body#/path"},
        forget={"entry": "$response.body#/entry", "path": "$response.body#/path"},
        blame={"path": "$response.body#/path"},
        show_change={"number": "$response.body#/change"},
        undo={"number": "$response.body#/change"},
    ),
)
def remember(name: AgentName, access: Entered, given: RememberGiven) -> RememberedShown:
    """Add an entry to MEMORY.md, or to the long-term memory of a person; for the token of a person, of that person.

    If an entry says the same, it is mentioned again.
    """
    agent = access.agent(name)
    if given.person is None:
        key = f"http:{access.token.id}:{given.key}" if given.key else ""
        made = agent.remember(given.text, title=given.title, tag=given.tag or "", key=key)
    elif given.title or given.tag or given.key:
        raise BadInput("title, tag and key are for MEMORY.md; leave them out with a person")
    else:
        made = agent.memory.promote(given.text, given.person, GOALS if given.section == "goals" else FACTS)
    return views.remembered(made, agent.id)


Place = Annotated[FilePath, Query(description="Its file.")]
MaybePlace = Annotated[Line, Query(description="Its file. Default: the one that has it.")]


@router.get("/{entry}")
def show_entry(name: AgentName, entry: Entry, access: Entered, path: MaybePlace = "") -> EntryWhole:
    """Show one entry, with its changes and how much it was used."""
    agent = access.agent(name)
    if not path:
        found = next((place for place, each in agent.memory.find(entry) if each.id == entry), None)
        if found is None:
            raise NotFound(f"there is no entry {entry}")
        path = found.path
    return views.entry_past(agent.memory.entry(path, entry))


@router.patch("/{entry}")
def edit_entry(name: AgentName, entry: Entry, access: Entered, path: Place, given: EditGiven) -> Edited:
    """Give an entry other words; everything else of it stays. For operators only."""
    agent = access.agent(name)
    return views.edited(agent.files.name(path).path, entry, agent.memory.edit(path, entry, given.text, base=given.base))


@router.delete("/{entry}")
def forget(name: AgentName, entry: Entry, access: Entered, path: Place) -> Erased:
    """Erase an entry for good, with what was derived from its evidence alone and copies of its whole sentences. For operators only."""
    agent = access.agent(name)
    agent.caller.check(Right.DECIDE, "forget")  # before it says whether there is such an entry
    found = next((place for place, each in agent.memory.find(entry, path) if each.id == entry), None)
    if found is None:
        raise NotFound(f"there is no entry {entry} in {path}")
    return views.erased(entry, agent.forget(found, entry))
