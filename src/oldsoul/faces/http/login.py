"""Login links: a code that works once gives a browser a token of its own, in a cookie."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from oldsoul.faces.http.access import COOKIE, Entered
from oldsoul.faces.http.door import LOGIN
from oldsoul.faces.http.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

router = APIRouter(tags=["login"])
MINUTES = 10
"""So long a link works."""
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

    def redeem(self, given: str) -> bool:
        """Use a code up; returns whether it was valid."""
        with self._turn:
            found = next((code for code in self._codes if hmac.compare_digest(code.encode(), given.encode())), None)
            return found is not None and self._now() < self._codes.pop(found)


def link(server: str, code: str) -> str:
    """The login link of a code, for a server at this address."""
    return f"{server}{LOGIN}?code={code}"


class LoginLink(BaseModel):
    """A link that logs a browser in, once."""

    url: str = Field(examples=["http://127.0.0.1:8765/login?code=…"])
    minutes: int = Field(description="How long it works.")


@router.get(LOGIN, response_class=RedirectResponse, status_code=303)
def log_in(request: Request, code: Annotated[str, Query(description="The code of a login link.")] = "") -> Response:
    """Log a browser in by the code of a login link. It gets a token of its own, in a cookie."""
    if not request.app.state.logins.redeem(code):
        raise Problem(401, "no_code", "this login link was used before or is too old; start `oldsoul serve` again")
    expires = datetime.now(UTC) + timedelta(days=_DAYS)
    made = request.app.state.soul.add_token("operator", name="browser", expires=expires)
    answer = RedirectResponse("/", 303)
    is_safe = request.url.scheme == "https"
    age = _DAYS * 24 * 60 * 60
    answer.set_cookie(COOKIE, made.secret, max_age=age, httponly=True, samesite="strict", secure=is_safe)
    return answer


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
        request.app.state.soul.revoke_token(access.token.id)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")


@router.get("/", include_in_schema=False)
def welcome(_access: Entered) -> PlainTextResponse:
    """Where a login leads to."""
    return PlainTextResponse("You are logged in. `oldsoul openapi` prints what this server can do.\n")
