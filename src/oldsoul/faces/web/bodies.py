"""The bodies of requests: how large one may be, how long it may take, and how much of all of them is there at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

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


class Unread(Exception):
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
        """The whole body, which counts until the block ends; `Unread` says why not. `whose` is empty without a token."""
        parts: list[bytes] = []
        size = 0
        try:
            try:
                async with asyncio.timeout(self._seconds):
                    await self._fill(parts, chunks, whose)
            except TimeoutError:
                raise Unread(408, "too_slow", f"the body did not arrive in {self._seconds:g} s") from None
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
                    raise Unread(503, "too_many_bytes", "too many large requests are under way; try again")
                self._held[whose] += len(chunk)
                parts.append(chunk)
            elif size > largest * _PATIENCE:
                break
        if size > largest:
            raise Unread(413, "request_too_large", f"the request has more than {largest} bytes")
