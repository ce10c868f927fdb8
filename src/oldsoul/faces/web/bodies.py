"""The bodies of requests, read as far as they may go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_PATIENCE = 8
"""So many times the limit is read of a body that is too large, so that its sender gets to read the answer."""


async def read(chunks: AsyncIterator[bytes], largest: int) -> bytes | None:
    """The whole body; None when it has more bytes than it may."""
    data, size = bytearray(), 0
    async for chunk in chunks:
        size += len(chunk)
        if size <= largest:
            data += chunk
        elif size > largest * _PATIENCE:
            break
    return bytes(data) if size <= largest else None
