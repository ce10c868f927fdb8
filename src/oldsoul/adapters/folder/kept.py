"""What is kept in memory of what was read, up to so many bytes: what was not asked for the longest goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")
_MOST_BYTES = 16 * 1024 * 1024
_LEAST_BYTES = 1024


class Kept(Generic[Key, Value]):
    """Values by their keys; threads may share it."""

    def __init__(self) -> None:
        self._held: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._bytes = 0
        self._guard = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """What is kept under a key; None for nothing."""
        with self._guard:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Keep something of this many bytes, unless it is large in itself."""
        size = max(size, _LEAST_BYTES)
        self.drop(key)
        with self._guard:
            if size <= _MOST_BYTES // 2:
                self._held[key] = value, size
                self._bytes += size
            while self._bytes > _MOST_BYTES:
                self._bytes -= self._held.popitem(last=False)[1][1]

    def drop(self, key: Key) -> None:
        """Keep nothing under a key."""
        with self._guard:
            found = self._held.pop(key, None)
            self._bytes -= found[1] if found else 0

    def clear(self) -> None:
        """Keep nothing."""
        with self._guard:
            self._held.clear()
            self._bytes = 0
