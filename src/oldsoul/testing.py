"""The fakes we ship: a store in memory and a clock that stands still. For your tests as well as for ours."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from oldsoul.errors import Busy, Conflict
from oldsoul.values.history import ABSENT, Change, Record, Snapshot, Stray, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oldsoul.values.names import Name


class FrozenClock:
    """A clock that moves only when it is told to."""

    def __init__(self, start: datetime = datetime(2026, 2, 4, 12, 0, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time it stands at."""
        return self._now

    def advance(self, step: timedelta) -> None:
        """Move it."""
        self._now += step


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
        self._strays: list[Stray] = []

    def save_outside(self, name: Name, data: bytes | None) -> None:
        """What a person's editor does: save without asking anybody."""
        if data is None:
            self._documents.pop(name, None)
        else:
            self._documents[name] = data

    def read(self, name: Name) -> Snapshot:
        """The document as it stands."""
        return Snapshot.of(self._documents.get(name))

    def names(self, workspace: str) -> list[Name]:
        """The documents there are, in order."""
        return sorted(name for name in self._documents if name.workspace == workspace)

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
        """Nothing to let go of."""

    def changes(
        self, workspace: str, *, name: Name | None = None, since: str = "", before: int | None = None, limit: int = 1000
    ) -> list[Change]:
        """Changes, newest first."""
        found = [
            change
            for change in reversed(self._changes)
            if change.workspace == workspace
            and change.at >= since
            and (before is None or change.id < before)
            and (name is None or any(effect.name == name for effect in change.effects))
        ]
        return found[:limit]

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


class _HeldMemory:
    def __init__(self, store: MemoryStore, workspace: str) -> None:
        self._store = store
        self._workspace = workspace

    def settled(self, name: Name) -> bool:  # noqa: ARG002 - nobody is ever in the middle of saving here
        return True

    def strays(self) -> Sequence[Stray]:
        mine = tuple(stray for stray in self._store._strays if stray.name.workspace == self._workspace)
        self._store._strays = [stray for stray in self._store._strays if stray not in mine]
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
        also: Sequence[bytes] = (),
    ) -> Change:
        with self._store._guard:
            return self._commit(change, documents, records, also)

    def _commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record],
        also: Sequence[bytes],
    ) -> Change:
        store = self._store
        if self.spent(change.key) is not None:
            raise Conflict(f"the key {change.key!r} is spent")
        stored = replace(change, id=len(store._changes) + 1)
        store._versions.update((version_of(data), data) for data in also)
        expected = {effect.name: (effect.before, effect.after) for effect in change.effects}
        for name, data in documents.items():
            old = store._documents.get(name)
            if old is not None and version_of(old) not in (*expected[name], *map(version_of, also)):
                store._strays.append(Stray(name, old, name.path))
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
