"""Runs the proxy on this machine: a socket, and a server that ends what is under way when it is stopped."""

from __future__ import annotations

import signal
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from oldsoul.errors import BadInput, Unavailable

try:
    import uvicorn

    from oldsoul.faces.proxy import web
except ModuleNotFoundError as error:
    raise Unavailable(
        f"the proxy needs packages that are not installed ({error.name}): pip install 'oldsoul[server]'"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oldsoul.app import Oldsoul

_LAST_PATIENCE = 30
"""Seconds after which a request is left that did not end when the server stopped; all should have ended before."""


def listening(host: str, port: int, *, public: bool) -> socket.socket:
    """A socket to serve from; `BadInput` when others could reach it and nobody said that they may."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE | socket.AI_NUMERICSERV
        )[0]
    except (OSError, UnicodeError) as error:
        raise BadInput(f"{host!r} is not a host of this machine: {error}") from None
    if not ip_address(str(address[0]).partition("%")[0]).is_loopback and not public:
        raise BadInput(
            f"other machines could reach {host}, and the connection is not encrypted; add --public if that is meant"
        )
    try:
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        raise Unavailable(f"cannot listen on {host}, port {port}: {error.strerror}") from None


def address_of(line: socket.socket, host: str) -> str:
    """The base URL that clients use."""
    where = ip_address(str(line.getsockname()[0]).partition("%")[0])
    name = "127.0.0.1" if where.is_unspecified else host
    return f"http://{f'[{name}]' if ':' in name else name}:{line.getsockname()[1]}/v1"


def server(
    soul: Oldsoul, line: socket.socket, host: str, names: Sequence[str], agents: Sequence[str]
) -> uvicorn.Server:
    """The server for a socket; run it with `run`."""
    is_open = ip_address(str(line.getsockname()[0]).partition("%")[0]).is_unspecified
    known = [host, *names, *([web.ANY_ADDRESS] if is_open else [])]
    made: list[uvicorn.Server] = []
    config = uvicorn.Config(
        web.app(soul, agents=agents, hosts=known, stopping=lambda: bool(made[0].should_exit)),
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_LAST_PATIENCE,
    )
    made.append(uvicorn.Server(config))
    return made[0]


def run(made: uvicorn.Server, line: socket.socket, told: Callable[[], None]) -> None:
    """Serve until a signal comes; Ctrl-C is raised when the server has stopped, SIGTERM just ends it.

    `told` is called as soon as it can be stopped; clients that come from then on are served.
    """

    def stop(_number: int, _frame: Any) -> None:
        # Before the server listens to signals itself; it repeats those it heard when it is done, which changes nothing.
        made.should_exit = True

    before = signal.signal(signal.SIGTERM, stop)
    try:
        told()
        made.run([line])
    finally:
        signal.signal(signal.SIGTERM, before)
        line.close()
