"""Runs a web application on this machine: a socket, and a server that ends what is under way when it is stopped."""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from types import FrameType
from typing import Any

from oldsoul.errors import BadInput, Unavailable

try:
    import starlette  # noqa: F401 - every application that is run here needs it
    import uvicorn

    from oldsoul.faces.web.bodies import ANY_ADDRESS, ClientConnection
except ModuleNotFoundError as error:
    raise Unavailable(
        f"this needs packages that are not installed ({error.name}): pip install 'oldsoul[server]'"
    ) from None


_CONNECTIONS = 65536
_LAST_PATIENCE = 3
"""Seconds after which a request is left that did not end when the server stopped."""
_AT_LAST = 4.5
"""Seconds after which the process ends, whatever is under way: what was acknowledged is on the disk."""


class _Server(uvicorn.Server):
    """A server that ends soon after a signal, also when a thread is in the middle of something that takes long."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal to end was heard."""
        last = threading.Timer(_AT_LAST, os._exit, (0,))
        last.daemon = True
        last.start()
        super().handle_exit(sig, frame)


def listening(host: str, port: int, *, public: bool) -> socket.socket:
    """A socket to serve from; `BadInput` when others could reach it and nobody said that they may."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE | socket.AI_NUMERICSERV
        )[0]
    except (OSError, UnicodeError) as error:
        raise BadInput(
            f"{host!r} is not a host of this machine ({error}); give one of its addresses, such as 127.0.0.1"
        ) from None
    if not ip_address(str(address[0]).partition("%")[0]).is_loopback and not public:
        raise BadInput(
            f"other machines could reach {host}, and the connection is not encrypted; add --public if that is meant"
        )
    try:
        line = socket.create_server(address[:2], family=family)
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        why = "another program uses it; stop that, or choose another port with --port" if is_taken else error.strerror
        raise Unavailable(f"cannot listen on {host}, port {port}: {why}") from None
    # Connections inherit it; without it, the end of an answer waits 40 ms for the client to have read its beginning.
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def address_of(line: socket.socket, host: str) -> str:
    """The URL of the server."""
    where = ip_address(str(line.getsockname()[0]).partition("%")[0])
    name = "127.0.0.1" if where.is_unspecified else host
    return f"http://{f'[{name}]' if ':' in name else name}:{line.getsockname()[1]}"


def names_of(line: socket.socket, host: str, names: Sequence[str]) -> list[str]:
    """The host names that clients may use."""
    is_open = ip_address(str(line.getsockname()[0]).partition("%")[0]).is_unspecified
    return [host, *names, *([ANY_ADDRESS] if is_open else [])]


def server(app: Callable[[Callable[[], bool]], Any]) -> uvicorn.Server:
    """The server of an application, which is made with what says whether the server stops; run it with `run`."""
    made: list[uvicorn.Server] = []
    config = uvicorn.Config(
        app(lambda: bool(made[0].should_exit)),
        loop="asyncio",
        http=ClientConnection,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_LAST_PATIENCE,
    )
    made.append(_Server(config))
    return made[0]


def run(made: uvicorn.Server, line: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serve until a signal comes; Ctrl-C is raised when the server has stopped, SIGTERM just ends it.

    `on_ready` is called as soon as it can be stopped; clients that come from then on are served.
    """

    def stop(_number: int, _frame: Any) -> None:
        # Before the server listens to signals itself; it repeats those it heard when it is done, which changes nothing.
        made.should_exit = True

    before = signal.signal(signal.SIGTERM, stop)
    _allow_connections()
    try:
        on_ready()
        made.run([line])
    finally:
        signal.signal(signal.SIGTERM, before)
        line.close()


def _allow_connections() -> None:
    """Have as many connections as the system allows at most; each of them is an open file."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS if most == resource.RLIM_INFINITY else min(most, _CONNECTIONS)
    if now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
