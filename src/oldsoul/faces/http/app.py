"""The server as a web application: its endpoints behind the door."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Route

from oldsoul import __version__
from oldsoul.app import Oldsoul
from oldsoul.app.clock.scheduler import Scheduler, SchedulerEvent
from oldsoul.app.clock.watcher import SyncEvent, Watcher
from oldsoul.errors import OldsoulError
from oldsoul.faces.http import login
from oldsoul.faces.http.access import Access, valid_tokens, with_both_halves
from oldsoul.faces.http.door import Buckets, Door, ServerLimits
from oldsoul.faces.http.feed import Feed
from oldsoul.faces.http.login import Logins
from oldsoul.faces.http.observation import Numbers, RequestObserver
from oldsoul.faces.http.pages import FOLDER, Pages
from oldsoul.faces.http.problems import RESPONSES, handle_errors, with_problems
from oldsoul.faces.http.routes import routers
from oldsoul.faces.proxy.web import Proxy
from oldsoul.faces.web.bodies import Bodies, Hosts, encoded
from oldsoul.values.jobs import Status

if TYPE_CHECKING:
    from fastapi.routing import APIRoute
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.types import ASGIApp


_log = logging.getLogger("oldsoul")


class Background:
    """The work of one server in the background."""

    def __init__(self, soul: Oldsoul) -> None:
        self._soul = soul
        self._watcher: Watcher | None = None
        self._scheduler: Scheduler | None = None
        self._problems: dict[str, tuple[str, str, str]] = {}

    def start(self) -> None:
        """Begin: finish what was interrupted, hand BOOT.md over, then watch files and run the schedule."""
        try:
            self._soul.finish_forgetting()
            self._soul.boot()
        except (OldsoulError, OSError) as error:  # the server is of use without it
            self._note("start", str(error))
        self._watcher = self._soul.watch(on_event=self._synced)
        self._watcher.start()
        self._scheduler = self._soul.scheduler(on_event=self._scheduled)
        self._scheduler.start()

    def stop(self) -> None:
        """Begin nothing more, and wait for the end of what is under way."""
        if self._scheduler is not None:
            self._scheduler.finish()
        if self._watcher is not None:
            self._watcher.stop()
        if self._scheduler is not None:
            self._scheduler.stop()

    def problems(self) -> list[tuple[str, str, str]]:
        """What does not work at present: what it is about, why, and what to do."""
        return list(self._problems.values())

    def _synced(self, taken: SyncEvent) -> None:
        self._note(f"watching {taken.agent}".strip(), taken.problem)

    def _scheduled(self, told: SchedulerEvent) -> None:
        about = f"{told.job.name} of {told.job.agent}" if told.job else "schedule"
        result = told.past.result if told.past else None
        failed = "; ".join(result.notes) or "failed" if result and result.status is Status.FAILED else ""
        self._note(about, told.problem or failed)

    def _note(self, about: str, problem: str) -> None:
        """Keep a problem until the same work succeeds."""
        if not problem:
            self._problems.pop(about, None)
            return
        if about not in self._problems:
            _log.warning("%s: %s", about, problem)
        self._problems[about] = (about, problem, "")


class JsonAnswer(JSONResponse):
    """An answer as JSON; bytes that are no text become question marks."""

    def render(self, content: Any) -> bytes:
        """The bytes of the answer."""
        return encoded(content)


MCP = "/mcp"
_ABOUT = "Memory and identity for LLM agents, kept in plain Markdown. Every request needs a token."


class _HttpApi(FastAPI):
    """An application whose OpenAPI document knows our problems, behind a door where it has a home."""

    door: Callable[[ASGIApp], ASGIApp] = staticmethod(lambda inner: inner)
    """what stands before everything else"""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        if self.openapi_schema is None:
            self.openapi_schema = with_both_halves(with_problems(super().openapi()))
        return self.openapi_schema

    def build_middleware_stack(self) -> ASGIApp:
        """All that a request passes."""
        return self.door(super().build_middleware_stack())


def api() -> FastAPI:
    """The endpoints without a home, as the OpenAPI document describes them."""
    return _api()


def _api(**more: Any) -> _HttpApi:
    made = _HttpApi(
        title="Oldsoul",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        default_response_class=JsonAnswer,
        generate_unique_id_function=_operation,
        **more,
    )
    for router in (login.router, *routers()):
        made.include_router(router, responses=RESPONSES)
    handle_errors(made)
    return made


def _operation(route: APIRoute) -> str:
    """What clients that are generated call an endpoint."""
    return route.name


def app(
    soul: Oldsoul,
    *,
    hosts: Sequence[str] = (),
    limits: ServerLimits | None = None,
    stopping: Callable[[], bool] = lambda: False,
    logins: Logins | None = None,
    background: bool = False,
    web: Path = FOLDER,
) -> FastAPI:
    """Return the server for a home as an application that a server runs.

    Args:
        soul: the home; the caller closes it when the server has ended.
        hosts: the names clients reach this server by, beside those of this machine; `*` for any address.
        limits: how much a client may ask.
        stopping: says whether the server stops; streams are ended then.
        logins: the codes of login links.
        background: whether to watch files, run the schedule and hand BOOT.md over while it runs.
        web: the folder of the dashboard's files.
    """
    feed, work = Feed(soul, stopping), Background(soul)
    numbers, allowed, pages = Numbers(), limits or ServerLimits(), Pages(web)
    bodies = Bodies(allowed.body, allowed.body_seconds, allowed.bodies)
    proxy, tools = Proxy(soul, (), hosts, stopping, bodies), _tools(soul, stopping)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as leaving:
            await leaving.enter_async_context(proxy.lifespan(_app))
            await leaving.enter_async_context(tools.router.lifespan_context(tools))
            feed.start()
            leaving.push_async_callback(asyncio.to_thread, feed.stop)
            if background:
                await asyncio.to_thread(work.start)
                leaving.push_async_callback(asyncio.to_thread, work.stop)
            yield

    made = _api(lifespan=lifespan)
    made.router.routes.extend([*proxy.routes(), Route(MCP, endpoint=tools)])
    made.router.default = GZipMiddleware(pages)
    made.state.soul, made.state.feed, made.state.background, made.state.stopping = soul, feed, work, stopping
    made.state.numbers, made.state.limits, made.state.logins = numbers, allowed, logins or Logins()
    made.door = lambda inner: RequestObserver(Door(inner, soul, Hosts(hosts), Buckets(allowed), bodies), numbers)
    return made


def _tools(soul: Oldsoul, stopping: Callable[[], bool]) -> Starlette:
    """The MCP server, for the agent of a request's token, or the one that `?agent=` names."""
    from oldsoul.faces.mcp import transport  # noqa: PLC0415 - it takes a second to load, which only a server should wait for

    def agent_of(request: Request) -> str:
        access = Access(soul, request.state.token)
        wanted = request.query_params.get("agent", "") or access.token.agent
        return access.agent(wanted).id if wanted else ""

    return transport.app(
        soul,
        lambda request: Access(soul, request.state.token).caller,
        agent_of,
        stopping,
        lambda request: request.state.token.id in valid_tokens(soul),
    )
