"""The proxy as a web application: tokens, bodies and streams. The verbs run in worker threads."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response as WebResponse
from starlette.routing import Route

from oldsoul.app import Oldsoul
from oldsoul.errors import BadInput, OldsoulError, Refused
from oldsoul.faces.proxy import chat, responses
from oldsoul.faces.proxy.chat import ReplyWriter, begun, models
from oldsoul.faces.proxy.problems import ProxyProblem, no_model, no_token, problem, stopped
from oldsoul.faces.proxy.requests import ClientRequest
from oldsoul.faces.web.bodies import Bodies, Hosts, UnreadBody, encoded, name_of
from oldsoul.faces.web.streams import ReplyReader, ReplyStream, StreamEnded, Workers
from oldsoul.values.callers import Token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from oldsoul.app.replying.replies import Stream


Handler = Callable[[Request, Token, bytes], Awaitable[Any]]

PROXY = "/v1/"
"""The paths of the proxy, which reads tokens and bodies itself, and answers in OpenAI's form."""
_log = logging.getLogger("oldsoul")


class _Api(NamedTuple):
    """One of OpenAI's APIs."""

    read: Callable[[Mapping[str, Any]], ClientRequest]
    writer: Callable[[ClientRequest, int], ReplyWriter]


_CHAT = _Api(chat.read, chat.ChatWriter)
_RESPONSES = _Api(responses.read, responses.ResponseWriter)


def app(
    soul: Oldsoul,
    *,
    agents: Sequence[str] = (),
    hosts: Sequence[str] = (),
    stopping: Callable[[], bool] = lambda: False,
) -> Starlette:
    """Return the proxy for a home as an application that a server runs or mounts.

    Args:
        soul: the home; the caller closes it when the server has ended.
        agents: the agents and teams that can be talked with. Default: all.
        hosts: the names clients reach this server by, beside those of this machine; `*` for any address.
        stopping: says whether the server stops; replies under way are ended some seconds later.
    """
    proxy = Proxy(soul, agents, hosts, stopping)
    return Starlette(
        routes=proxy.routes(),
        lifespan=proxy.lifespan,
        exception_handlers={HTTPException: not_here, ClientDisconnect: _gone, Exception: _broken},
    )


class Proxy:
    """What the routes of one application share."""

    def __init__(
        self,
        soul: Oldsoul,
        agents: Sequence[str],
        hosts: Sequence[str],
        stopping: Callable[[], bool],
        bodies: Bodies | None = None,
    ) -> None:
        self._soul, self._agents, self._bodies = soul, agents, bodies or Bodies()
        self._hosts = Hosts(hosts)
        self._workers = Workers(stopping)

    def routes(self) -> list[Route]:
        """The paths of OpenAI's API that are here."""
        return [
            Route("/v1/models", self.open_to(self.list_models), methods=["GET"]),
            Route("/v1/models/{model}", self.open_to(self.show_model), methods=["GET"]),
            Route("/v1/chat/completions", self.open_to(self.replying(_CHAT)), methods=["POST"]),
            Route("/v1/responses", self.open_to(self.replying(_RESPONSES)), methods=["POST"]),
        ]

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """While the application is there; what replies were said is logged before it goes."""
        yield
        await asyncio.to_thread(self._workers.finish)

    def open_to(self, handler: Handler) -> Callable[[Request], Awaitable[Any]]:
        """The handler, for clients with a valid token; what goes wrong is told in OpenAI's form."""

        async def handled(request: Request) -> Any:
            token = None
            async with AsyncExitStack() as held:
                try:
                    self._check_host(request.headers.get("host", ""))
                    token = await self._token(request.headers.get("authorization", ""))
                    body = await held.enter_async_context(self._bodies.read(request.stream(), token.id))
                    answer = await handler(request, token, body)
                except StreamEnded:
                    return _told(stopped())
                except (ProxyProblem, UnreadBody, OldsoulError, OSError) as error:
                    return _told(_noted(error, token))
                return _Held(answer, held.pop_all())

        return handled

    def _check_host(self, given: str) -> None:
        """`ProxyProblem` for a name that is not ours."""
        if not self._hosts.are_ours(given):
            name = name_of(given)
            raise ProxyProblem(
                421, f"this server is not {name!r}; start it with --name to give it that name", "wrong_host"
            )

    async def _token(self, given: str) -> Token:
        kind, _, secret = given.partition(" ")
        if kind.lower() != "bearer" or not secret.strip():
            raise no_token()
        try:
            return await asyncio.to_thread(self._soul.check_token, secret.strip())
        except Refused:
            raise no_token() from None

    async def list_models(self, _request: Request, token: Token, _body: bytes) -> Any:
        """The agents that can be talked with, as models."""
        found = await asyncio.to_thread(models, self._soul, token, self._agents)
        return _answer({"object": "list", "data": [_model(name, token) for name in found]})

    async def show_model(self, request: Request, token: Token, _body: bytes) -> Any:
        """One of them."""
        name = str(request.path_params["model"])
        if name not in await asyncio.to_thread(models, self._soul, token, self._agents):
            raise no_model(name)
        return _answer(_model(name, token))

    def replying(self, api: _Api) -> Handler:
        """Replies of agents, in the form of one of the APIs."""

        async def reply(request: Request, token: Token, body: bytes) -> Any:
            asked = api.read(_object(body))
            writer = api.writer(asked, int(time.time()))
            headers = {name.lower(): value for name, value in request.headers.items()}
            stream = await self._workers.waited(lambda: begun(self._soul, token, asked, headers, self._agents))
            reading = ReplyReader(stream)
            try:
                if not asked.stream:
                    return _answer(writer.whole(await self._workers.waited(reading.whole)))
                # An error before the first words still has a status.
                first = await self._workers.waited(lambda: reading.read(lambda some: next(some, None)))
            except (StreamEnded, asyncio.CancelledError):
                self._workers.begin(reading.close)
                raise
            events = _events(stream, first, writer, token)
            return ReplyStream(reading, events, self._workers, lambda: b"".join(writer.failed(stopped().error)))

        return reply


def _events(stream: Stream, first: str | None, writer: ReplyWriter, token: Token) -> Iterator[bytes]:
    """The events of a reply; one that breaks off ends with an error."""
    try:
        yield from writer.start()
        if first is not None:
            yield from writer.words(first)
        for piece in stream:
            yield from writer.words(piece)
        yield from writer.end(stream.response)
    except (OldsoulError, OSError) as error:
        yield from writer.failed(_noted(error, token).error)


class _Held:
    """An answer, and what it holds until it is sent."""

    def __init__(self, answer: ASGIApp, held: AsyncExitStack) -> None:
        self._answer, self._held = answer, held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        async with self._held:
            await self._answer(scope, receive, send)


def _object(data: bytes) -> dict[str, Any]:
    """The JSON object of a body; `BadInput` when it is none."""
    try:
        found = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadInput("the body is not valid JSON") from None
    if not isinstance(found, dict):
        raise BadInput("the body has to be a JSON object")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _model(name: str, token: Token) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": int(token.created.timestamp()), "owned_by": "oldsoul"}


def _answer(value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Any:
    return WebResponse(encoded(value), status, dict(headers or {}), "application/json")


def _told(of: ProxyProblem) -> Any:
    return _answer({"error": of.error}, of.status, of.headers)


def _noted(error: Exception, token: Token | None) -> ProxyProblem:
    """The error as the client sees it; what it may not see is in the server's log."""
    found = problem(error, token)
    if found is not error and str(found) != str(error):
        _log.warning("proxy, token %s: %s: %s", token.id if token else "none", type(error).__name__, error)
    return found


async def not_here(_request: Request, error: Exception) -> Any:
    """A path or a method that there is not."""
    status = getattr(error, "status_code", 404)
    told = ProxyProblem(status, "there is nothing at this path, or not by this method", "unknown_url")
    return _answer({"error": told.error}, status, getattr(error, "headers", None))


async def _gone(_request: Request, _error: Exception) -> Any:
    """The client hung up before it had said what it wants; nobody reads this."""
    return _told(ProxyProblem(400, "the request is not complete", "incomplete_request"))


async def _broken(_request: Request, error: Exception) -> Any:
    """A mistake of ours; the server logs where it is."""
    return _told(problem(error, None))
