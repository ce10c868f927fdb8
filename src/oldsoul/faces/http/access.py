"""Who asks: the token of a request, and the agents and the home as this token may use them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPBearer
from starlette.concurrency import run_in_threadpool

from oldsoul.app import Agent, Oldsoul
from oldsoul.app.home.seals import SEAL, Seal
from oldsoul.errors import NotFound, Refused
from oldsoul.faces.http.problems import no_token
from oldsoul.values.callers import Caller, CallerRole, Token
from oldsoul.values.sessions import Session

COOKIE = "oldsoul"
"""The cookie that holds one half of a browser's token. Browsers send it to every port of a machine."""
KEY = "Oldsoul-Key"
"""The header that holds the other half, which the page keeps where pages of other ports cannot read it."""
_CHANNEL = "http"
_BEARER = HTTPBearer(auto_error=False, scheme_name="token", description="A token, as `oldsoul token add` makes them.")
_COOKIE = APIKeyCookie(
    name=COOKIE, auto_error=False, scheme_name="cookie", description="Set by a login; worth nothing without the key."
)
_KEY = APIKeyHeader(
    name=KEY, auto_error=False, scheme_name="key", description="What a login answers; worth nothing without the cookie."
)


class Access:
    """What the token of one request opens."""

    def __init__(self, soul: Oldsoul, token: Token, seal: Seal | None = None) -> None:
        self.soul = soul
        """the home, whatever the token may do in it"""
        self.seal = seal
        """what seals ids and cursors for it; None for an operator's"""
        self.token = token
        """the token, which is valid"""

    @property
    def session(self) -> Session:
        """The private conversation that this token holds when it names no other."""
        return Session.dm(self.token.person, id=f"{_CHANNEL}:{self.token.id}")

    @property
    def caller(self) -> Caller:
        """Who calls: an operator signs as a person, everybody else as their token."""
        if self.token.role is CallerRole.OPERATOR:
            now = self.soul.now()
            return Caller.operator(self.token.person.id, is_present=self.token.is_present(now))
        made = Caller.reader if self.token.role is CallerRole.READER else Caller.agent
        return made(self.token.id, session=self.session)

    def workspaces(self) -> list[str]:
        """The agents, teams and the shared workspace that this token is for."""
        return [name for name in self.soul.workspaces() if self.token.agent in ("", name)]

    def agent(self, name: str) -> Agent:
        """One of them; `NotFound` in the same words when it does not exist and when it is not for this token."""
        if name not in self.workspaces():
            raise NotFound(f"there is no agent {name!r}, or this token may not use it")
        return self.soul.agent(name, caller=self.caller)

    def operated(self) -> tuple[Oldsoul, list[str]]:
        """The home, and the workspaces in it that this token operates; `Refused` unless it is an operator's."""
        if self.token.role is not CallerRole.OPERATOR:
            raise Refused("this needs the token of an operator")
        return self.soul, self.workspaces()

    def home(self) -> Oldsoul:
        """The home itself; `Refused` unless the token is an operator's for all agents."""
        if self.token.role is not CallerRole.OPERATOR or self.token.agent:
            raise Refused("this needs the token of an operator, for all agents")
        return self.soul


def valid_tokens(soul: Oldsoul) -> set[str]:
    """The ids of the tokens that open something now."""
    now = soul.now()
    return {token.id for token in soul.tokens() if not token.has_expired(now)}


async def entered(
    request: Request,
    _bearer: Annotated[object, Security(_BEARER)],
    _cookie: Annotated[object, Security(_COOKIE)],
    _key: Annotated[object, Security(_KEY)],
) -> Access:
    """The access of a request. The door has checked its token before; the others stand in the OpenAPI document."""
    token = getattr(request.state, "token", None)
    if token is None:
        raise no_token()
    soul = request.app.state.soul
    seal = None
    if token.role is not CallerRole.OPERATOR:
        seal = await run_in_threadpool(soul.seal)
    SEAL.set(seal)
    return Access(soul, token, seal)


Entered = Annotated[Access, Depends(entered)]


def with_both_halves(document: dict[str, Any]) -> dict[str, Any]:
    """An OpenAPI document which says that cookie and key belong together."""
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    for each in (operation for operation in operations if "security" in operation):
        both = {name: given for one in each["security"] for name, given in one.items() if name != _BEARER.scheme_name}
        each["security"] = [{_BEARER.scheme_name: []}, both]
    return document
