"""The bodies of requests: how large one may be, how long it may take, and how much of all of them is there at once."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def encoded(value: Mapping[str, Any]) -> bytes:
    """The JSON of a value; half a character becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def event(value: Mapping[str, Any], name: str = "") -> bytes:
    """One server-sent event."""
    return (f"event: {name}\n".encode() if name else b"") + b"data: " + encoded(value) + b"\n\n"


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


class ClientConnection(H11Protocol):
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


LARGEST = 10 * 2**20
"""Bytes that the body of a request may have."""
LARGEST_OF_STRANGERS = 4096
"""The same, of a request without a token."""
SECONDS = 30.0
"""Seconds in which a body has to arrive."""
IN_FLIGHT = 64 * 2**20
"""Bytes of bodies that are there at the same time, from the first that arrives until the answer is whole."""
_PATIENCE = 8
"""So many times the limit is read of a body that is too large, so that its sender gets to read the answer."""


class UnreadBody(Exception):
    """A body that is not read, with the status that its sender gets. The rest of it, which may have no end, is not waited for."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code = status, code


class Bodies:
    """The bodies of all requests of a server. Only the event loop works here."""

    def __init__(self, largest: int = LARGEST, seconds: float = SECONDS, in_flight: int = IN_FLIGHT) -> None:
        self._largest, self._seconds, self._most = largest, seconds, in_flight
        self._held: Counter[str] = Counter()

    @asynccontextmanager
    async def read(self, chunks: AsyncIterator[bytes], whose: str) -> AsyncIterator[bytes]:
        """The whole body, which counts until the block ends; `UnreadBody` says why not. `whose` is empty without a token."""
        parts: list[bytes] = []
        size = 0
        try:
            try:
                async with asyncio.timeout(self._seconds):
                    await self._fill(parts, chunks, whose)
            except TimeoutError:
                raise UnreadBody(408, "too_slow", f"the body did not arrive in {self._seconds:g} s") from None
            finally:
                size = sum(map(len, parts))
            body = b"".join(parts)
            parts.clear()
            yield body
        finally:
            self._held[whose] -= size
            self._held += Counter()  # forgets who holds nothing

    async def _fill(self, parts: list[bytes], chunks: AsyncIterator[bytes], whose: str) -> None:
        largest, size = self._largest if whose else min(self._largest, LARGEST_OF_STRANGERS), 0
        async for chunk in chunks:
            size += len(chunk)
            if size <= largest:
                # Nobody takes more than half, so that one token does not hold up all others.
                if self._held.total() + len(chunk) > self._most or self._held[whose] + len(chunk) > self._most // 2:
                    raise UnreadBody(503, "too_many_bytes", "too many large requests are under way; try again")
                self._held[whose] += len(chunk)
                parts.append(chunk)
            elif size > largest * _PATIENCE:
                break
        if size > largest:
            raise UnreadBody(413, "request_too_large", f"the request has more than {largest} bytes")


ANY_ADDRESS = "*"
"""Among the host names: any address is a name of this server."""


class Hosts:
    """The host names of one server: those of this machine, and further ones."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = {name.lower() for name in names}

    def are_ours(self, given: str) -> bool:
        """Return whether a Host header names this server: a page in a browser may have its own name point to this machine."""
        name = name_of(given)
        try:
            address = ip_address(name)
        except ValueError:
            return name == "localhost" or name in self._names
        return address.is_loopback or ANY_ADDRESS in self._names or name in self._names


def name_of(given: str) -> str:
    """The name in a Host header, without the port."""
    name = given.rpartition(":")[0] if given.rpartition(":")[2].isdecimal() else given
    return name.strip("[]").lower()
