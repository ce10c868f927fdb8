"""What files looked like when their versions were computed, from one process to the next: an unchanged one is not read again.

It lies in the cache. Deleted, or not to be made sense of, it is made again by reading the files.
"""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from contextlib import suppress
from typing import Any, Generic, TypeVar

from oldsoul.adapters.folder.disk import Glance, make_folders
from oldsoul.values.names import Name

Key = TypeVar("Key")
Value = TypeVar("Value")
_MOST_BYTES = 16 * 1024 * 1024
_LEAST_BYTES = 1024


class LruCache(Generic[Key, Value]):
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


FEWEST, _SHARE = 64, 50
"""It is written when so many files are new to it, and a share of all: a few are read again sooner than it is written."""


class VersionCache:
    """The versions of files by what is known of them without opening them."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[str, dict[str, list[Any]]] | None = None
        self._seen: dict[str, set[str]] = {}
        self._new = 0

    def version(self, name: Name, signature: Glance) -> str | None:
        """The version of a file that looks like this; None where nobody can say."""
        self._seen.setdefault(name.workspace, set()).add(name.path)
        kept = self._all().get(name.workspace, {}).get(name.path)
        return str(kept[-1]) if kept is not None and kept[:-1] == list(signature) else None

    def keep(self, name: Name, signature: Glance, version: str) -> None:
        """A file that looks like this, and rests, has this version."""
        self._all().setdefault(name.workspace, {})[name.path] = [*signature, version]
        self._new += 1

    def save(self) -> None:
        """Leave it for the next process, where that is worth it. Files nobody asked for any more are left out."""
        known = self._all() if self._new >= FEWEST else {}
        if self._new * _SHARE < sum(map(len, known.values())) or not known:
            return
        for workspace, seen in self._seen.items():
            known[workspace] = {path: kept for path, kept in known.get(workspace, {}).items() if path in seen}
        self._new = 0
        temporary = f"{self._path}.{os.getpid()}"
        with suppress(OSError):  # the cache may be full, or not be ours to write
            make_folders(os.path.dirname(self._path))
            with open(temporary, "w", encoding="utf-8", opener=_ours_alone) as file:
                json.dump(known, file, separators=(",", ":"))
            os.replace(temporary, self._path)

    def _all(self) -> dict[str, dict[str, list[Any]]]:
        if self._known is None:
            self._known = _read(self._path)
        return self._known


def _ours_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _read(path: str) -> dict[str, dict[str, list[Any]]]:
    try:
        with open(path, "rb") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        workspace: {name: kept for name, kept in files.items() if isinstance(kept, list) and len(kept) > 1}
        for workspace, files in found.items()
        if isinstance(files, dict)
    }
