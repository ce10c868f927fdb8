"""The door: host, origin, token, rate and body of every request are checked before it goes any further."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from math import ceil
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request

from oldsoul.app import Oldsoul
from oldsoul.app.home.tokens import joined
from oldsoul.errors import OldsoulError, Refused
from oldsoul.faces.http.access import COOKIE, KEY
from oldsoul.faces.http.pages import is_known, is_of_the_page, is_page
from oldsoul.faces.http.problems import HttpProblem, no_token, nothing_there, problem
from oldsoul.faces.proxy.web import PROXY
from oldsoul.faces.web import bodies
from oldsoul.faces.web.bodies import Bodies, Hosts, UnreadBody, name_of
from oldsoul.values.callers import Token
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


_MOST_KEPT = 10_000


@frozen
class ServerLimits:
    """What one server allows."""

    body: int = bodies.LARGEST
    """bytes that the body of a request may have"""
    body_seconds: float = bodies.SECONDS
    """seconds in which the body has to arrive"""
    bodies: int = bodies.IN_FLIGHT
    """bytes of bodies that may be there at the same time"""
    per_second: float = 100.0
    """requests of one token, in the long run; without one, of one address for one purpose"""
    at_once: int = 500
    """requests of one token that may come at once after a pause"""
    streams: int = 10_000
    """event streams that are open at the same time"""


class Buckets:
    """Counts requests: each token has a bucket that fills with time, and every request takes one out."""

    def __init__(self, limits: ServerLimits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._now = limits, now
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, whose: str) -> float:
        """Take a request out; returns 0, or the seconds to wait when there is none left."""
        now = self._now()
        left, since = self._left.pop(whose, (float(self._limits.at_once), now))
        left = min(self._limits.at_once, left + (now - since) * self._limits.per_second)
        waits = 0.0 if left >= 1 else (1 - left) / self._limits.per_second
        self._left[whose] = (left if waits else left - 1, now)  # at the end: the first one was used longest ago
        while len(self._left) > _MOST_KEPT:
            del self._left[next(iter(self._left))]
        return waits


LOGIN = "/api/login/code"
"""Where the page hands in the code of a login link, without a token."""
_SAFE = ("GET", "HEAD", "OPTIONS")


class Door:
    """Lets requests through to an application."""

    def __init__(self, app: ASGIApp, soul: Oldsoul, hosts: Hosts, buckets: Buckets, bodies: Bodies) -> None:
        self._app, self._soul, self._hosts = app, soul, hosts
        self._buckets, self._bodies = buckets, bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        async with AsyncExitStack() as held:
            await self._serve(Request(scope, receive), send, held)

    async def _serve(self, request: Request, send: Send, held: AsyncExitStack) -> None:
        """Serve one request; what it holds is let go when the answer is whole."""
        scope, receive = request.scope, request.receive
        try:
            self._check_names(request)
            token = await self._token(request)
            request.state.token = token
            self._check_rate(request, token)
            is_proxy = scope["path"].startswith(PROXY)
            is_open = scope["path"] == LOGIN or is_page(request.method, scope["path"])
            if token is None and not is_proxy and not is_open:
                raise no_token() if is_known(scope["path"]) else nothing_there()
            inner = receive if is_proxy else await self._received(request, held)
        except ClientDisconnect:
            return
        except (HttpProblem, UnreadBody, OldsoulError, OSError) as error:
            told = problem(error, None)
            if _has_body(request):  # the rest of it, which may have no end, is not waited for
                told.headers["connection"] = "close"
            await told.response()(scope, receive, send)
            return
        await self._app(scope, inner, send)

    def _check_names(self, request: Request) -> None:
        """`HttpProblem` for a host that is not ours, and for a page of somebody else that asks in a person's name."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if not self._hosts.are_ours(host):
            told = f"this server is not {name_of(host)!r}; start it with --name to give it that name"
            raise HttpProblem(421, "wrong_host", told)
        # Another port of this machine is another origin, though browsers send the same cookies there.
        if origin is not None and _place(origin) != host.lower():
            raise HttpProblem(403, "wrong_origin", "pages of other servers may not ask this one")
        needs_origin = request.method not in _SAFE and "authorization" not in request.headers
        if origin is None and needs_origin and COOKIE in request.cookies:
            raise HttpProblem(403, "no_origin", "with a cookie, only a page of this server may change something")

    async def _token(self, request: Request) -> Token | None:
        """The token of a request, by its header, else by a browser's two halves; None when there is no valid one."""
        given = request.headers.get("authorization")
        if given is None:
            both = request.cookies.get(COOKIE, ""), request.headers.get(KEY, "")
            secret = joined(*both) if all(both) else ""
        else:
            kind, _, rest = given.partition(" ")
            secret = rest.strip() if kind.lower() == "bearer" else ""
        try:
            return await asyncio.to_thread(self._soul.check_token, secret) if secret else None
        except Refused:
            return None

    def _check_rate(self, request: Request, token: Token | None) -> None:
        """`HttpProblem` for too many requests. Those of strangers are counted apart, so that they keep nobody from the page."""
        purpose = _purpose(request)
        waits = self._buckets.take(token.id if token and not purpose else f"{purpose} {_address(request)}")
        if waits:
            told = HttpProblem(429, "too_many_requests", "too many requests; wait a moment and try again")
            told.headers["retry-after"] = str(ceil(waits))
            raise told

    async def _received(self, request: Request, held: AsyncExitStack) -> Receive:
        """What gives the body, which is all there: nobody further in waits for a slow client."""
        if not _has_body(request):
            return request.receive
        token: Token | None = request.state.token
        body = await held.enter_async_context(self._bodies.read(request.stream(), token.id if token else ""))
        left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def inner() -> Message:
            return left.pop() if left else await request.receive()

        return inner


def _purpose(request: Request) -> str:
    """What a request that needs no token is for; those that need one are counted by it."""
    if request.url.path == LOGIN:
        return "login"
    return "page" if is_of_the_page(request.method, request.url.path) else ""


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _has_body(request: Request) -> bool:
    return "content-length" in request.headers or "transfer-encoding" in request.headers


def _place(origin: str) -> str:
    """The host and port of an origin, as a Host header has them; nothing when it has none."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return ""
    return found.netloc.lower() if found.scheme in ("http", "https") else ""
