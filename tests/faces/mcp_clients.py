"""Clients of the MCP server: the SDK's, on a real process, inside this one, and over HTTP."""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import uvicorn
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from starlette.middleware.trustedhost import TrustedHostMiddleware

from faces.served import LIMIT, PLACE, serve
from oldsoul.faces.mcp import server, transport
from oldsoul.faces.mcp.documents import desk
from oldsoul.faces.web.server import listening
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from starlette.requests import Request

    from oldsoul.app import Oldsoul
    from oldsoul.values.callers import Caller

SOURCE = Path(__file__).parents[2] / "src"
MODES: tuple[Any, ...] = ("auto", "legacy")


def command(home: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "oldsoul", "--home", str(home), "mcp", *options]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SOURCE), "HOME": str(home)}


@asynccontextmanager
async def on_stdio(home: Path, *options: str, mode: Any = "auto", **more: Any) -> AsyncIterator[Client]:
    """A client of a process of its own."""
    program, *arguments = command(home, *options)
    started = StdioServerParameters(command=program, args=arguments, env=environment(home))
    async with Client(stdio_client(started), mode=mode, **more) as client:
        yield client


@asynccontextmanager
async def on_server(home: Path, mode: Any = "auto") -> AsyncIterator[Client]:
    """A client of `oldsoul serve`, with the token of an agent in the operator's own session."""
    with open_home(home / "home", {}) as soul:
        secret = soul.add_token("agent", person="acct:owner").secret
    with serve(home) as port:
        web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, timeout=LIMIT)
        at = streamable_http_client(f"http://{PLACE}:{port}{transport.PATH}", http_client=web)
        async with web, Client(at, mode=mode) as client:
            yield client


@asynccontextmanager
async def inside(soul: Oldsoul, caller: Caller, **more: Any) -> AsyncIterator[Client]:
    """A client in this process."""
    made = server.server(soul, lambda _: desk(soul, caller), stays=True)
    async with Client(made, **more) as client:
        yield client


@contextmanager
def web_server(soul: Oldsoul, caller_of: Callable[[Request], Caller]) -> Iterator[str]:
    """The server over HTTP, with what a server around it has to check; its address."""
    line = listening("127.0.0.1", 0, public=False)
    made: uvicorn.Server
    inner = transport.app(soul, caller_of, stopping=lambda: made.should_exit)
    checked = TrustedHostMiddleware(inner, ["127.0.0.1", "localhost"])
    config = uvicorn.Config(checked, lifespan="on", log_config=None, ws="none")
    made = uvicorn.Server(config)
    thread = threading.Thread(target=made.run, args=([line],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{line.getsockname()[1]}{transport.PATH}"
    finally:
        made.should_exit = True
        thread.join(LIMIT)
        line.close()
        assert not thread.is_alive()


async def call(client: Client, name: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool returns: the same as a value and as text."""
    made: Any = await client.call_tool(name, arguments)
    assert not made.is_error, made.content[0].text
    assert json.loads(made.content[0].text) == made.structured_content
    found: dict[str, Any] = made.structured_content
    return found


async def refused(client: Client, name: str, /, **arguments: Any) -> str:
    """What a tool says when it does not do it: one line."""
    made: Any = await client.call_tool(name, arguments)
    assert made.is_error
    text: str = made.content[0].text
    assert text
    assert "\n" not in text
    return text
