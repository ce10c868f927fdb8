"""`/api/people`: who is known, and which account a name in a channel belongs to."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import AccountId, ChannelName, Given, Limit, Offset, linked, next_of, offset_of
from oldsoul.values.sessions import Subject
from oldsoul.views import talk
from oldsoul.views.talk import Bound, PersonList, Unbound

router = APIRouter(prefix="/api/people", tags=["people"])


class BindGiven(Given):
    """A name in a channel, and the account it belongs to."""

    name: ChannelName
    account: AccountId


@router.get("")
def list_people(access: Entered, limit: Limit = 100, cursor: Offset = "") -> PersonList:
    """List the people whom the home knows. For operators only."""
    start = offset_of(cursor)
    found = access.home().people()[start : start + limit + 1]
    return PersonList(tuple(map(talk.person, found[:limit])), next_of(cursor, limit, found))


@router.post(
    "/bindings",
    status_code=201,
    responses=linked(201, agent=False, unbind={"person": "$response.body#/name"}, list_people={}),
)
def bind(access: Entered, given: BindGiven) -> Bound:
    """Bind a name in a channel to an account, and merge their memory. For operators only."""
    joined = access.home().bind(given.name, given.account)
    return Bound(Subject(given.name).id, Subject(given.account).id, tuple(joined))


@router.delete("/bindings/{person}")
def unbind(
    person: Annotated[ChannelName, Path(description="The name.")],
    access: Entered,
) -> Unbound:
    """Unbind a name from its account. Memory that was merged stays merged. For operators only."""
    return Unbound(Subject(person).id, access.home().unbind(person))
