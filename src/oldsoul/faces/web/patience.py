"""Connections of clients: what has two lengths is refused, and who sends or reads nothing for too long is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

HEAD_SECONDS = 30.0
"""In so many seconds the first line and the headers of a request have to arrive."""
READ_SECONDS = 30.0
"""A client that reads nothing of its answer for so long is left."""
_LARGEST_HEAD = 64 * 1024


class _Strict(h11.Connection):
    """What a client sends, as HTTP/1.1; a request says in one way only where its body ends."""

    def next_event(self) -> Any:
        """The next part of a request; a server before this one could take another of two lengths for the right one."""
        event = super().next_event()
        if isinstance(event, h11.Request) and {b"content-length", b"transfer-encoding"} <= {*dict(event.headers)}:
            raise h11.RemoteProtocolError("a request has either Content-Length or Transfer-Encoding")
        return event


class Connection(H11Protocol):
    """One connection of a client."""

    _head: asyncio.TimerHandle | None = None
    _read: asyncio.TimerHandle | None = None

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = _Strict(h11.SERVER, self.config.h11_max_incomplete_event_size or _LARGEST_HEAD)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The client has connected; now it sends a request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """The client has sent something; perhaps there is a part of a request still to come."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait_for_head()
        else:
            self._stop_waiting_for_head()

    def _wait_for_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(HEAD_SECONDS, self.timeout_keep_alive_handler)

    def _stop_waiting_for_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def pause_writing(self) -> None:
        """The client reads more slowly than it is written to."""
        super().pause_writing()
        self._read = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read most of it."""
        super().resume_writing()
        if self._read is not None:
            self._read.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting_for_head()
        self.resume_writing()
        super().connection_lost(exc)
