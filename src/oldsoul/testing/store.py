"""A store in memory, with everything a real one promises but surviving the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from oldsoul.errors import Busy, Conflict
from oldsoul.values.changes import Author
from oldsoul.values.history import ABSENT, Change, ConcurrentSave, Record, Snapshot, version_of
from oldsoul.values.names import Name


class MemoryStore:
    """Documents in a dictionary, with everything a real store promises but surviving the process."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._holder: dict[str, int] = {}
        self._guard = threading.RLock()
        self._documents: dict[Name, bytes] = {}
        self._recorded: dict[Name, str] = {}
        self._versions: dict[str, bytes] = {}
        self._changes: list[Change] = []
        self._records: dict[tuple[str, str, str], str] = {}
        self._concurrent_saves: list[ConcurrentSave] = []
        self._touched: dict[Name, int] = {}
        self._touches = 0

    def save_outside(self, name: Name, data: bytes | None) -> None:
        """What a person's editor does: save without asking anybody."""
        self._touches = max(time.time_ns(), self._touches + 1)
        if data is None:
            self._documents.pop(name, None)
            self._touched.pop(name, None)
        else:
            self._documents[name] = data
            self._touched[name] = self._touches

    def read(self, name: Name) -> Snapshot:
        """The document as it is."""
        return Snapshot.of(self._documents.get(name))

    def version(self, name: Name) -> str:
        """Its version."""
        return self.read(name).version

    def size(self, name: Name) -> int:
        """How many bytes it has."""
        return len(self.read(name).data or b"")

    def touched(self, name: Name) -> int:
        """When it was last changed."""
        return self._touched.get(name, 0)

    def names(self, workspace: str, under: str = "") -> list[Name]:
        """The documents there are, or those below one folder, in order."""
        start = f"{under}/" if under else ""
        return sorted(n for n in self._documents if n.workspace == workspace and n.path.startswith(start))

    @contextmanager
    def hold(self, workspace: str) -> Iterator[_HeldMemory]:
        """The workspace for one writer at a time; `Busy` for one who holds it already and would wait for ever."""
        me = threading.get_ident()
        if self._holder.get(workspace) == me:
            raise Busy(f"workspace {workspace} is held by this very thread")
        with self._guard:
            lock = self._locks.setdefault(workspace, threading.Lock())
        with lock:
            self._holder[workspace] = me
            try:
                yield _HeldMemory(self, workspace)
            finally:
                del self._holder[workspace]

    def close(self) -> None:
        """Nothing to close."""

    def changes(
        self,
        workspace: str,
        *,
        name: Name | None = None,
        author: Author | None = None,
        since: str = "",
        before: int | None = None,
        limit: int = 1000,
    ) -> list[Change]:
        """Changes, newest first."""
        found = [
            change
            for change in reversed(self._changes)
            if change.workspace == workspace
            and change.at >= since
            and (before is None or change.id < before)
            and author in (None, change.author)
            and (name is None or any(effect.name == name for effect in change.effects))
        ]
        return found[:limit]

    def latest(self, workspace: str) -> int:
        """The number of the latest change; 0 when there is none."""
        return next((change.id for change in reversed(self._changes) if change.workspace == workspace), 0)

    def following(self, workspace: str, after: int, limit: int) -> list[Change]:
        """Changes with a greater number, in their order."""
        return [change for change in self._changes if change.workspace == workspace and change.id > after][:limit]

    def recorded(self, name: Name) -> str | None:
        """The version history believes the document to have."""
        return self._recorded.get(name)

    def known(self, workspace: str) -> list[Name]:
        """The documents history has ever seen, in order."""
        return sorted(name for name in self._recorded if name.workspace == workspace)

    def change(self, change_id: int) -> Change | None:
        """One change."""
        return next((change for change in self._changes if change.id == change_id), None)

    def content(self, version: str) -> bytes | None:
        """The bytes of a version that history knows."""
        return self._versions.get(version)

    def records(self, workspace: str, kind: str) -> dict[str, str]:
        """All records of a kind."""
        return {
            key: value
            for (where, what, key), value in sorted(self._records.items())
            if (where, what) == (workspace, kind)
        }

    def record(self, workspace: str, kind: str, key: str) -> str | None:
        """One record."""
        return self._records.get((workspace, kind, key))


class _HeldMemory:
    def __init__(self, store: MemoryStore, workspace: str) -> None:
        self._store = store
        self._workspace = workspace

    def settled(self, name: Name) -> bool:  # noqa: ARG002 - nobody is ever in the middle of saving here
        return True

    def concurrent_saves(self) -> Sequence[ConcurrentSave]:
        mine = tuple(save for save in self._store._concurrent_saves if save.name.workspace == self._workspace)
        self._store._concurrent_saves = [save for save in self._store._concurrent_saves if save not in mine]
        return mine

    def spent(self, key: str) -> Change | None:
        changes = self._store._changes
        return next((c for c in changes if (c.workspace, c.key) == (self._workspace, key)), None)

    def commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record] = (),
        *,
        also: Mapping[str, bytes] | None = None,
    ) -> Change:
        with self._store._guard:
            return self._commit(change, documents, records, also or {})

    def _commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record],
        also: Mapping[str, bytes],
    ) -> Change:
        store = self._store
        if self.spent(change.key) is not None:
            raise Conflict(f"the key {change.key!r} was already used")
        stored = replace(change, id=len(store._changes) + 1)
        store._versions.update(also)
        expected = {effect.name: (effect.before, effect.after) for effect in change.effects}
        for name, data in documents.items():
            old = store._documents.get(name)
            if old is not None and version_of(old) not in (*expected[name], *also):
                store._concurrent_saves.append(ConcurrentSave(name, old, name.path, stored.id))
            store.save_outside(name, data)
        for effect in change.effects:
            store._recorded[effect.name] = effect.after
            data = documents.get(effect.name)
            if effect.after != ABSENT and data is not None:
                store._versions[effect.after] = data
        for record in records:
            key = (self._workspace, record.kind, record.key)
            if record.value is None:
                store._records.pop(key, None)
            else:
                store._records[key] = record.value
        store._changes.append(stored)
        return stored

    def erase(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        self._store._versions.update(redacted)
        by_id = {change.id: change for change in changes}
        self._store._changes = [by_id.get(change.id, change) for change in self._store._changes]
