"""A proxy that runs while a test does."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oldsoul.faces.proxy import web
from oldsoul.faces.web import server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Oldsoul

LIMIT = 300.0
"""Seconds after which a test that waits has failed."""


@contextmanager
def running_proxy(soul: Oldsoul, agents: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> Iterator[str]:
    """A proxy in a thread; when the block is left, all it began is done."""
    line = server.listening("127.0.0.1", 0, public=False)  # from here on, connections wait in the socket
    hosts = server.names_of(line, "127.0.0.1", names)
    made = server.server(lambda stopping: web.app(soul, agents=agents, hosts=hosts, stopping=stopping))
    thread = threading.Thread(target=made.run, args=([line],))
    thread.start()
    try:
        yield f"{server.address_of(line, '127.0.0.1')}/v1"
    finally:
        made.should_exit = True
        thread.join(LIMIT)
        assert not thread.is_alive()
