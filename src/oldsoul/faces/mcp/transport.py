"""Runs the MCP server: on standard input and output for one client, or as an application inside a web server."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oldsoul.app import Oldsoul
from oldsoul.errors import Unavailable
from oldsoul.faces.mcp.documents import desk
from oldsoul.values.callers import Caller

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request


try:
    import anyio
    from mcp.server.stdio import stdio_server
    from mcp.server.transport_security import TransportSecuritySettings

    from oldsoul.faces.mcp import server
except ModuleNotFoundError as error:
    raise Unavailable(
        f"the MCP server needs packages that are not installed ({error.name}): pip install 'oldsoul[mcp]'"
    ) from None


PATH = "/mcp"


def run(soul: Oldsoul, caller: Caller, agent: str = "") -> None:
    """Serve one client on standard input and output until it closes them; Ctrl-C ends the process."""
    at = desk(soul, caller, agent)
    made = server.server(soul, lambda _request: at, stays=True)

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await made.run(reading, writing, made.create_initialization_options(server.NOTICES))

    # A thread that waits for input cannot be stopped. What was acknowledged is on disk, so nothing has to be finished.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(serve)
    finally:
        signal.signal(signal.SIGINT, before)


def app(
    soul: Oldsoul,
    caller_of: Callable[[Request], Caller],
    agent_of: Callable[[Request], str] = lambda _: "",
    stopping: Callable[[], bool] = lambda: False,
    admits: Callable[[Request], bool] = lambda _: True,
) -> Starlette:
    """Return the MCP server of a home as an application that answers at `/mcp`; every request stands alone.

    The server that includes it lets in only requests with a valid token, checks Host and Origin, and limits bodies. It
    routes exactly `/mcp` to it (`Route("/mcp", endpoint=…)`, not a mount) and enters its lifespan
    (`router.lifespan_context`) in its own.

    Args:
        soul: the home; the caller closes it when the server has ended.
        caller_of: the caller of a request, from its token. It may raise an error of ours, such as `Refused`.
        agent_of: the agent or team a request is for; empty for the default agent.
        stopping: says whether the server stops; clients that listen for changes are let go some seconds later.
        admits: says whether the token of a request still counts; a client that listens is let go when it does not.
    """

    def place(request: Any) -> Any:
        return desk(soul, caller_of(request), agent_of(request))

    return server.server(soul, place, stays=False, stopping=stopping, admits=admits).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
