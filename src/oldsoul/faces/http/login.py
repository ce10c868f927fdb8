"""Login links: a code that works once gives a browser a token of its own, in a cookie."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from oldsoul import __version__
from oldsoul.errors import Refused
from oldsoul.faces.http.access import COOKIE, Entered
from oldsoul.faces.http.door import LOGIN
from oldsoul.faces.http.problems import RESPONSES, Problem
from oldsoul.faces.http.routes.agents import AgentShown, list_agents
from oldsoul.faces.http.routes.shown import Shown
from oldsoul.faces.http.routes.tokens import Role
from oldsoul.values.callers import CallerRole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app.home.tokens import NewToken

router = APIRouter(tags=["login"])
MINUTES = 10
"""So long a link works."""
_NAME = "browser"
"""What the token of a browser is called."""
_DAYS = 30
"""So long a browser stays logged in."""
_MOST = 100


class Logins:
    """The codes that were given out and not used yet; they are gone when the server stops."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._codes = now, dict[str, float]()
        self._turn = threading.Lock()

    def new_code(self) -> str:
        """Make a code that works once."""
        code = secrets.token_urlsafe(24)
        with self._turn:
            self._codes[code] = self._now() + MINUTES * 60
            while len(self._codes) > _MOST:
                del self._codes[next(iter(self._codes))]
        return code

    @contextmanager
    def redeemed(self, given: str) -> Iterator[bool]:
        """Use a code up; gives whether it was valid. When the block ends with an error, it stays good."""
        with self._turn:
            found = next((code for code in self._codes if hmac.compare_digest(code.encode(), given.encode())), "")
            until = self._codes.pop(found, 0.0)
        try:
            yield self._now() < until
        except BaseException:
            with self._turn:
                self._codes[found] = until
            raise


def link(server: str, code: str) -> str:
    """The login link of a code, for a server at this address."""
    return f"{server}{LOGIN}?code={code}"


class LoginLink(BaseModel):
    """A link that logs a browser in, once."""

    url: str = Field(examples=["http://127.0.0.1:8765/login?code=…"])
    minutes: int = Field(description="How long it works.")


@router.get(
    LOGIN,
    response_class=RedirectResponse,
    status_code=303,
    responses={
        200: {"description": "The login page of the dashboard.", "content": {"text/html": {}}},
        404: {**RESPONSES[404], "content": {**RESPONSES[404]["content"], "text/plain": {}}},
    },
)
def log_in(request: Request, code: Annotated[str, Query(description="The code of a login link.")] = "") -> Response:
    """Log a browser in by the code of a login link. It gets a token of its own, in a cookie. Without a code: the login page."""
    if not code:
        page: Response = request.app.state.pages.index(request.scope)
        return page
    soul = request.app.state.soul
    with request.app.state.logins.redeemed(code) as is_valid:
        if is_valid:
            expires = soul.parts.world.clock.now() + timedelta(days=_DAYS)
            made = soul.add_token("operator", name=_NAME, expires=expires)
            return _with_cookie(RedirectResponse("/", 303), made, request)
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(f"{LOGIN}?problem=used", 303)
    raise Problem(401, "no_code", "this login link was used before or is too old; start `oldsoul serve` again")


def _with_cookie(answer: Response, made: NewToken, request: Request) -> Response:
    """An answer that gives a browser its token."""
    age = int((made.token.expires - made.token.created).total_seconds()) if made.token.expires else None
    is_safe = request.url.scheme == "https"
    answer.set_cookie(COOKIE, made.secret, max_age=age, httponly=True, samesite="strict", secure=is_safe)
    return answer


@router.post("/api/login", status_code=204, response_class=Response)
def log_in_with_token(access: Entered, request: Request) -> Response:
    """Log a browser in by a token: it gets its own in a cookie, with the same rights, for 30 days and no longer than that one."""
    given, soul = access.token, request.app.state.soul
    if given.role is CallerRole.AGENT:
        raise Refused("the token of an agent does not log a browser in; use one of an operator or a reader")
    latest = soul.parts.world.clock.now() + timedelta(days=_DAYS)
    expires = min(given.expires, latest) if given.expires else latest
    made = soul.add_token(
        given.role, person=given.person, agent=given.agent, expires=expires, name=_NAME, under=given.id
    )
    return _with_cookie(Response(status_code=204), made, request)


class Me(Shown):
    """Whose token this is, and what it is for."""

    role: Role
    person: Annotated[str, Field(examples=["acct:42"])]
    agent: str | None
    """The one agent that it is for; null for all."""
    agents: list[AgentShown]
    """The agents that it may use."""
    version: Annotated[str, Field(examples=["0.1.0"])]
    """The version of the server."""


@router.get("/api/me", response_model=Me)
def show_me(access: Entered) -> dict[str, Any]:
    """Show whose token this is, and which agents it may use."""
    token = access.token
    known = {"role": str(token.role), "person": token.person.id, "agent": token.agent or None}
    return {**known, **list_agents(access), "version": __version__}


@router.post("/api/login-links")
def make_login_link(access: Entered, request: Request) -> LoginLink:
    """Make a link that logs a browser in as the operator, once."""
    access.home()
    here = f"{request.url.scheme}://{request.headers['host']}"
    return LoginLink(url=link(here, request.app.state.logins.new_code()), minutes=MINUTES)


@router.post("/api/logout", status_code=204)
def log_out(access: Entered, request: Request, response: Response) -> None:
    """Log a browser out: its token is revoked, and its cookie deleted."""
    if COOKIE in request.cookies and "authorization" not in request.headers:
        if access.token.name != _NAME:
            raise Refused("this is not the token of a browser; `oldsoul token revoke` revokes it")
        request.app.state.soul.revoke_token(access.token.id)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
