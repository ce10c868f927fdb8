"""`/api/tokens`: the tokens that let programs in. A secret is returned once, when its token is made."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import Given, Limit, MaybeId, Moment, Offset, PersonId, linked, next_of, offset_of
from oldsoul.views import access as views
from oldsoul.views.access import TokenList, TokenMade, TokenShown

router = APIRouter(prefix="/api/tokens", tags=["tokens"])
Role = Literal["operator", "agent", "reader"]


class TokenGiven(Given):
    """What a new token is for."""

    role: Role
    person: PersonId | None = None
    """The person it speaks for. Default: the operator, for the role `operator` only."""
    agent: MaybeId = ""
    """The one agent or team it is for. Default: all."""
    expires: Moment | None = None
    """From when on it is not valid any more. Default: never."""
    name: Annotated[str, Field(max_length=100, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$", examples=["laptop"])] = ""
    """What you call it."""


@router.get(
    "",
    responses=linked(200, agent=False, revoke_token={"token": "$response.body#/tokens/0/id"}),
)
def list_tokens(access: Entered, limit: Limit = 100, cursor: Offset = "") -> TokenList:
    """List the tokens, without their secrets. For operators only."""
    home, start = access.home(), offset_of(cursor)
    now = home.now()
    found = home.tokens()[start : start + limit + 1]
    return TokenList(tuple(views.token(each, now) for each in found[:limit]), next_of(cursor, limit, found))


@router.post(
    "",
    status_code=201,
    responses=linked(201, agent=False, revoke_token={"token": "$response.body#/id"}),
)
def add_token(access: Entered, given: TokenGiven) -> TokenMade:
    """Make a token. Its secret is in the answer and nowhere else. For operators only."""
    home = access.home()
    made = home.add_token(given.role, person=given.person, agent=given.agent, expires=given.expires, name=given.name)
    return views.token_made(made, home.now())


@router.delete("/{token}")
def revoke_token(
    token: Annotated[str, Path(description="Its id.", pattern=r"^[0-9a-f]{8}(\.[0-9a-f]{8})*$", examples=["a1b2c3d4"])],
    access: Entered,
) -> TokenShown:
    """Make a token invalid, from the next request on. For operators only."""
    home = access.home()
    return views.token(home.revoke_token(token), home.now())
