"""Logins: a code that works once, or a token, gives a browser its own token, in two halves."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Request, Response
from pydantic import Field

from oldsoul import __version__
from oldsoul.app import Oldsoul
from oldsoul.app.home.tokens import NewToken, halves
from oldsoul.errors import Refused
from oldsoul.faces.http.access import COOKIE, Entered
from oldsoul.faces.http.door import LOGIN
from oldsoul.faces.http.problems import HttpProblem
from oldsoul.faces.http.routes.agents import list_agents
from oldsoul.faces.http.routes.given import Given
from oldsoul.values.callers import Login, Token
from oldsoul.views.access import LoggedIn, LoginLink, Me
from oldsoul.wiring import server_secret

NAME = "server"
"""What the token is called."""


def ensure_token(soul: Oldsoul) -> str:
    """Make an operator's token unless the home keeps a valid one for this server; return the file it is in."""
    kept = server_secret(soul.folder)
    with suppress(Refused):
        soul.check_token(kept.read())
        return str(kept)
    kept.write(soul.add_token("operator", name=NAME).secret)
    return str(kept)


router = APIRouter(tags=["login"])
MINUTES = 10
"""So long a link works."""
_MOST = 100


class Code(NamedTuple):
    """A code that was given out."""

    until: float
    maker: Token | None
    """the token that it was made with; None where the command line gave it"""


class Logins:
    """The codes that were given out and not used yet; they are gone when the server stops."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._codes = now, dict[str, Code]()
        self._turn = threading.Lock()

    def new_code(self, maker: Token | None = None) -> str:
        """Make a code that works once, for the command line or for the operator whose token asks for it."""
        code = secrets.token_urlsafe(24)
        with self._turn:
            self._codes[code] = Code(self._now() + MINUTES * 60, maker)
            while len(self._codes) > _MOST:
                del self._codes[next(iter(self._codes))]
        return code

    @contextmanager
    def redeemed(self, given: str) -> Iterator[Code | None]:
        """Use a code up; gives what is known of it if it was valid. When the block ends with an error, it stays good."""
        with self._turn:
            known = next((code for code in self._codes if hmac.compare_digest(code.encode(), given.encode())), None)
            found = self._codes.pop(known) if known else None
        try:
            yield found if found and self._now() < found.until else None
        except BaseException:
            if known and found:
                with self._turn:
                    self._codes[known] = found
            raise


def link(server: str, code: str) -> str:
    """The login link of a code, for a server at this address: the page there hands the code in."""
    return f"{server}/login?code={code}"


class CodeGiven(Given):
    """What a login link holds."""

    code: Annotated[str, Field(max_length=200, examples=["kJ8…"])]


@router.post(LOGIN)
def log_in(given: CodeGiven, request: Request, response: Response) -> LoggedIn:
    """Log a browser in by the code of a login link, once: it gets its own token, in two halves."""
    soul = request.app.state.soul
    with request.app.state.logins.redeemed(given.code) as found:
        if found is not None:
            return _let_in(soul.log_in(found.maker), request, response)
    raise HttpProblem(401, "no_code", "this login link was used before or is too old; start `oldsoul serve` again")


@router.post("/api/login")
def log_in_with_token(access: Entered, request: Request, response: Response) -> LoggedIn:
    """Log a browser in by a token: it gets its own with the same rights, in two halves, for 30 days and no longer than that one."""
    return _let_in(request.app.state.soul.log_in(access.token), request, response)


def _let_in(made: NewToken, request: Request, response: Response) -> LoggedIn:
    """One half in a cookie that no script can read, the other in the answer."""
    age = int((made.token.expires - made.token.created).total_seconds()) if made.token.expires else None
    cookie, key = halves(made.secret)
    is_safe = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=age, httponly=True, samesite="strict", secure=is_safe)
    return LoggedIn(key)


@router.get("/api/me")
def show_me(access: Entered) -> Me:
    """Show whose token this is, and which agents it may use."""
    token = access.token
    agents = list_agents(access).agents
    return Me(str(token.role), token.person.id, token.agent or None, agents, __version__)


@router.post("/api/login-links")
def make_login_link(access: Entered, request: Request) -> LoginLink:
    """Make a link that logs a browser in as the operator, once; revoking this token ends that login, too."""
    access.home()
    here = f"{request.url.scheme}://{request.headers['host']}"
    return LoginLink(link(here, request.app.state.logins.new_code(access.token)), MINUTES)


@router.post("/api/logout", status_code=204)
def log_out(access: Entered, request: Request, response: Response) -> None:
    """Log a browser out: its token is revoked, and its cookie deleted. Other tokens are revoked with `DELETE /api/tokens/…`."""
    if access.token.login is Login.NONE:
        raise Refused("this is not the token of a browser; `oldsoul token revoke` revokes it")
    request.app.state.soul.revoke_token(access.token.id)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
