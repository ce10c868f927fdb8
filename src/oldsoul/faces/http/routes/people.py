"""`/api/people`: who is known, and which account a name in a channel belongs to."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AccountId, ChannelName, Given, Limit, Offset, next_of, offset_of
from oldsoul.faces.http.routes.shown import Next, Shown, linked
from oldsoul.values.sessions import Subject
from oldsoul.views import talk

router = APIRouter(prefix="/api/people", tags=["people"])


class PersonShown(Shown):
    """Somebody the home knows."""

    id: Annotated[str, Field(examples=["acct:42"])]
    operator: bool
    known_as: list[str]
    """Names in channels that are bound to them."""
    memories: int
    """How many entries are about them."""


class PersonList(Shown):
    """A page of people, by their ids."""

    people: list[PersonShown]
    next: Next


class BindGiven(Given):
    """A name in a channel, and the account it belongs to."""

    name: ChannelName
    account: AccountId


class Bound(Shown):
    """A name that was bound to an account."""

    name: str
    account: str
    joined: list[str]
    """The agents in which their memory was merged."""


class Unbound(Shown):
    """A name that was unbound from its account."""

    name: str
    account: str


@router.get("", response_model=PersonList)
def list_people(access: Entered, limit: Limit = 100, cursor: Offset = "") -> dict[str, Any]:
    """List the people whom the home knows. For operators only."""
    start = offset_of(cursor)
    found = access.home().people()[start : start + limit + 1]
    shown = [{**talk.person(each), "known_as": list(each.known_as)} for each in found[:limit]]
    return {"people": shown, "next": next_of(cursor, limit, found)}


@router.post(
    "/bindings",
    response_model=Bound,
    status_code=201,
    responses=linked(201, agent=False, unbind={"person": "$response.body#/name"}, list_people={}),
)
def bind(access: Entered, given: BindGiven) -> dict[str, Any]:
    """Bind a name in a channel to an account, and merge their memory. For operators only."""
    joined = access.home().bind(given.name, given.account)
    return {"name": Subject(given.name).id, "account": Subject(given.account).id, "joined": joined}


@router.delete("/bindings/{person}", response_model=Unbound)
def unbind(
    person: Annotated[ChannelName, Path(description="The name.")],
    access: Entered,
) -> dict[str, Any]:
    """Unbind a name from its account. Memory that was merged stays merged. For operators only."""
    return {"name": Subject(person).id, "account": access.home().unbind(person)}
