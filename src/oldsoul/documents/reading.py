"""What was made of documents, kept for as long as they stay as they are: read again only when they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.values.names import Name

Made = TypeVar("Made")
MOST = 16 * 1024 * 1024
"""So many bytes of documents are remembered at most; then it begins anew."""


class Reading(Generic[Made]):
    """Makes something of a document's bytes; of the same bytes once."""

    def __init__(self, make: Callable[[Name, bytes], Made], most: int = MOST) -> None:
        self._make = make
        self._most = most
        self._known: dict[Name, tuple[bytes, Made]] = {}
        self._size = 0

    def __call__(self, name: Name, data: bytes) -> Made:
        """What these bytes come to, under this name."""
        known = self._known.get(name)
        if known is not None and known[0] == data:
            return known[1]
        made = self._make(name, data)
        self._size += len(data) - (len(known[0]) if known is not None else 0)
        if self._size > self._most:
            self._known.clear()
            self._size = len(data)
        self._known[name] = data, made
        return made
