"""Documents as files in folders, with the ledger's file beside them: the default store.

A commit is first written down whole in `ledger.db` (the intent). Then each file is written under a temporary name,
synced, swapped in, and its folder synced. Whoever next holds the workspace finishes what a killed process left. What
a swap brings out is kept until it is in history and nobody writes into it any more.
"""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oldsoul.adapters.disk import Disk, NoExchangeError
from oldsoul.adapters.ledger_db import LedgerDb
from oldsoul.adapters.locks import locked
from oldsoul.errors import BadName
from oldsoul.values.history import ABSENT, Change, Effect, Record, Snapshot, Stray, version_of
from oldsoul.values.ids import segment
from oldsoul.values.names import Name

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oldsoul.adapters.disk import Glance, Stamp

_TEMP = ".os-"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a workspace lies."""

    root: str
    """its folder"""
    memory: str = ""
    """the folder of its `memory/`, when that lies elsewhere"""


class FolderStore:
    """Every workspace's files below their folders, and `ledger.db` in the state folder."""

    def __init__(self, state: str, place: Callable[[str], Place], disk: Callable[[str], Disk] = Disk) -> None:
        self._state = state
        self._place = place
        self._disk = disk
        self._disks: dict[str, Disk] = {}
        os.makedirs(os.path.join(state, "locks"), mode=0o700, exist_ok=True)
        self.db = LedgerDb(os.path.join(state, "ledger.db"))
        self.in_place: set[int] = set()  # changes we saw to the end; the file will say so with its next transaction
        self.looked_at: dict[tuple[str, str], Stamp] = {}  # what came out of our swaps, as we saw it
        self._snapshots: dict[Name, tuple[Glance, Snapshot]] = {}  # files that have not changed since they were read
        self.touched: set[str] = set()  # workspaces to tidy up at the end

    # Store

    def read(self, name: Name) -> Snapshot:
        """The document as it stands on the disk."""
        disk, path = self.at(name)
        glance = disk.glance(path)
        cached = self._snapshots.get(name)
        if cached is not None and cached[0] == glance:
            return cached[1]
        found = disk.read(path)
        snapshot = Snapshot.of(found[0] if found else None)
        if glance is not None and glance == disk.glance(path) and glance.is_old():
            self._snapshots[name] = glance, snapshot
        else:
            self._snapshots.pop(name, None)
        return snapshot

    def names(self, workspace: str) -> list[Name]:
        """The Markdown files of the workspace, in order."""
        place = self._place(workspace)
        paths = [*self._disk_of(place.root).walk()]
        if place.memory:
            paths = [p for p in paths if not p.startswith("memory/")]
            paths += [f"memory/{p}" for p in self._disk_of(place.memory).walk()]
        names = []
        for path in paths:
            try:
                names.append(Name(workspace, path))
            except BadName:
                continue  # not a document: pictures, data, files with impossible names
        return sorted(names)

    @contextmanager
    def hold(self, workspace: str) -> Iterator[_Held]:
        """The workspace for one writer at a time."""
        lock = os.path.join(self._state, "locks", f"{segment(workspace)}.lock")
        with locked(lock, f"workspace {workspace}"):
            held = _Held(self, workspace)
            held.recover()
            yield held

    def close(self) -> None:
        """Clear up what may be cleared up, and let go of the ledger."""
        for workspace in sorted(self.touched):
            with self.hold(workspace) as held:
                held.tidy()
        self.db.close()

    # History

    def changes(
        self, workspace: str, *, name: Name | None = None, since: str = "", before: int | None = None, limit: int = 1000
    ) -> list[Change]:
        """Changes, newest first."""
        return self.db.changes(workspace, name, since, before, limit)

    def recorded(self, name: Name) -> str | None:
        """The version history believes the document to have."""
        rows = self.db.rows("SELECT version FROM documents WHERE workspace=? AND path=?", name.workspace, name.path)
        return rows[0][0] if rows else None

    def known(self, workspace: str) -> list[Name]:
        """The documents history has ever seen, in order."""
        rows = self.db.rows("SELECT path FROM documents WHERE workspace=? ORDER BY path", workspace)
        return [Name(workspace, path) for (path,) in rows]

    def change(self, change_id: int) -> Change | None:
        """One change."""
        return self.db.change(change_id)

    def content(self, version: str) -> bytes | None:
        """The bytes of a version that history knows."""
        return self.db.content(version)

    def records(self, workspace: str, kind: str) -> dict[str, str]:
        """All records of a kind."""
        return self.db.records(workspace, kind)

    # where things are

    def at(self, name: Name) -> tuple[Disk, str]:
        """The disk and the path of a document."""
        place = self._place(name.workspace)
        if place.memory and name.path.startswith("memory/"):
            return self._disk_of(place.memory), name.path.removeprefix("memory/")
        return self._disk_of(place.root), name.path

    def _disk_of(self, root: str) -> Disk:
        if root not in self._disks:
            self._disks[root] = self._disk(root)
        return self._disks[root]


class _Held:
    """One workspace while its lock is held."""

    def __init__(self, store: FolderStore, workspace: str) -> None:
        self._store = store
        self._db = store.db
        self._workspace = workspace
        self._gone: list[str] = []  # temporary files that are no more; the ledger's file is told with the next commit
        self._strays: list[Stray] = []
        self._places: dict[Name, tuple[Disk, str]] = {}

    # Held

    def settled(self, name: Name) -> bool:
        """Whether nobody is in the middle of saving the document."""
        disk, path = self._at(name)
        return disk.quiet(path)

    def strays(self) -> Sequence[Stray]:
        """Saves that came out of a swap and are quiet now."""
        return tuple(self._strays)

    def spent(self, key: str) -> Change | None:
        """The change that spent this key."""
        return self._db.spent(self._workspace, key)

    def commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record] = (),
        *,
        also: Sequence[bytes] = (),
    ) -> Change:
        """All of it, durably, or nothing."""
        temps = {name: _temp_for(self._path(name)) for name in documents}
        old_records = [Record(r.kind, r.key, self._db.records(self._workspace, r.kind).get(r.key)) for r in records]
        self._store.touched.add(self._workspace)
        with self._db.writing() as db:
            self._note_progress(db)
            for data in also:
                self._keep(db, version_of(data), data, change.effects[0].before if change.effects else ABSENT)
            for effect in change.effects:
                new = documents.get(effect.name)
                if new is not None:
                    self._keep(db, effect.after, new, effect.before)
            number = self._db.insert(db, change, temps, pending=bool(documents))
            self._db.put(db, self._workspace, records)
        stored = replace(change, id=number)
        try:
            self._prepare(documents, temps)
        except BaseException:
            self._drop(stored, temps, old_records)
            raise
        for name, content in documents.items():
            self._swap(name, temps[name], exists=content is not None)
        self._sync_folders(documents)
        for name in documents:
            self._look(name, temps[name])
        self._store.in_place.add(number)
        return stored

    def erase(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        """Put redacted bytes in the place of versions, for good; files that still hold old bytes go too."""
        self._db.redact(redacted, changes)
        self._sweep()
        self.tidy()

    # finishing what was begun

    def recover(self) -> None:
        """Finish what an interrupted writer began, then see what lies around."""
        for change in self._db.pending(self._workspace):
            if change.id not in self._store.in_place:
                self._finish(change)
                self._store.in_place.add(change.id)
        self._sweep()

    def tidy(self) -> None:
        """Tell the ledger's file what is done. Nothing is lost if this is: it can be seen again."""
        if self._gone or self._store.in_place:
            with self._db.writing(durable=False) as db:
                self._note_progress(db)

    def _finish(self, change: Change) -> None:
        """Bring every document of a change into place, whatever has been done of it and whatever came after."""
        rows = self._db.rows("SELECT path, temp FROM effects WHERE change=?", change.id)
        temps = {Name(self._workspace, path): temp for path, temp in rows if temp}
        missing: dict[Name, bytes | None] = {}
        for effect in change.effects:
            if effect.name in temps and not self._is_in_place(effect, temps[effect.name]):
                missing[effect.name] = self._db.content(effect.after)
        self._prepare(missing, temps)
        for name, data in missing.items():
            self._swap(name, temps[name], exists=data is not None)
        self._sync_folders(temps)

    def _is_in_place(self, effect: Effect, temp: str) -> bool:
        """Whether the swap was made; when it was not, what lies under the temporary name is only ours and goes."""
        disk, path = self._at(effect.name)
        found = disk.read(path)
        left = disk.read(temp)
        if version_of(found[0] if found else None) == effect.after:
            return True
        if left is None:
            return False
        version = version_of(left[0])
        came_out = version == effect.before or effect.after == ABSENT
        if came_out and version != effect.after:
            return True
        ours = self._db.content(effect.after) or b""
        if not ours.startswith(left[0]) or not disk.quiet(temp):
            return True  # somebody's save came out: the swap was made, and the file was saved over since
        disk.unlink(temp)
        return False

    def _note_progress(self, db: sqlite3.Connection) -> None:
        """Forget temporary files that are gone, and that changes were unfinished."""
        done = list(self._store.in_place)
        db.executemany("UPDATE changes SET pending=0 WHERE id=?", [(number,) for number in done])
        db.executemany(
            "DELETE FROM temps WHERE workspace=? AND temp=?", [(self._workspace, temp) for temp in self._gone]
        )
        self._store.in_place.difference_update(done)
        self._gone.clear()

    def _sweep(self) -> None:
        """Remove temporary files whose bytes are in history and into which nobody writes; find strays."""
        self._strays.clear()
        for temp, path in self._db.rows("SELECT temp, path FROM temps WHERE workspace=?", self._workspace):
            if temp in self._gone:
                continue
            name = Name(self._workspace, path)
            disk, _ = self._store.at(name)
            seen = self._store.looked_at.pop((self._workspace, temp), None)
            if seen is not None and disk.stamp(temp) == seen and disk.quiet(temp):
                self._remove(disk, temp)
                continue
            found = disk.read(temp)
            if found is None:
                self._gone.append(temp)
            elif not disk.quiet(temp):
                continue
            elif self._knows(version_of(found[0])):
                self._remove(disk, temp)
            else:
                self._strays.append(Stray(name, found[0], temp))

    def _remove(self, disk: Disk, temp: str) -> None:
        disk.unlink(temp)
        self._gone.append(temp)

    # the steps of a commit

    def _prepare(self, documents: Mapping[Name, bytes | None], temps: Mapping[Name, str]) -> None:
        """The new bytes, whole and synced, under their temporary names."""
        for name, data in documents.items():
            if data is None:
                continue
            disk, path = self._at(name)
            temp = temps[name]
            like = disk.stamp(path)
            try:
                file = disk.create(temp, like)
            except FileNotFoundError:
                self._make_folders(disk, os.path.dirname(path))
                file = disk.create(temp, like)
            try:
                disk.write(file, data)
                disk.sync(file)
            finally:
                disk.close(file)

    def _swap(self, name: Name, temp: str, *, exists: bool) -> None:
        """The new file in, the old one out, in one step. What comes out has the temporary name then."""
        disk, path = self._at(name)
        try:
            if not exists:
                try:
                    disk.place(path, temp)
                except FileNotFoundError:
                    return
            elif disk.stamp(path) is None:
                try:
                    disk.place(temp, path)
                except FileExistsError:
                    disk.exchange(temp, path)
            else:
                try:
                    disk.exchange(temp, path)
                except FileNotFoundError:
                    disk.place(temp, path)
        except NoExchangeError:
            self._swap_in_two_steps(disk, path, temp, exists=exists)

    def _swap_in_two_steps(self, disk: Disk, path: str, temp: str, *, exists: bool) -> None:
        """Where files cannot be swapped: keep the old one by a second name, then rename over it."""
        if not exists:
            disk.overwrite(path, temp)
            return
        if disk.stamp(path) is not None:
            disk.link(path, f"{temp}-old")
        disk.overwrite(temp, path)
        if disk.stamp(f"{temp}-old") is not None:
            disk.overwrite(f"{temp}-old", temp)

    def _sync_folders(self, names: Mapping[Name, object]) -> None:
        for disk, folder in {(disk, os.path.dirname(path)) for disk, path in map(self._at, names)}:
            disk.sync_folder(folder)

    def _look(self, name: Name, temp: str) -> None:
        """See what came out. Known bytes are swept soon; others are strays, once nobody writes into them."""
        disk, _ = self._at(name)
        found = disk.read(temp)
        if found is None:
            self._gone.append(temp)
        elif self._knows(version_of(found[0])):
            self._store.looked_at[self._workspace, temp] = found[1]
        elif disk.quiet(temp):
            self._strays.append(Stray(name, found[0], temp))

    def _drop(self, change: Change, temps: Mapping[Name, str], old_records: Sequence[Record]) -> None:
        """Undo an intent of which nothing was swapped in yet."""
        for name, temp in temps.items():
            disk, _ = self._at(name)
            disk.unlink(temp)
        with self._db.writing() as db:
            db.execute("DELETE FROM effects WHERE change=?", (change.id,))
            db.execute("DELETE FROM changes WHERE id=?", (change.id,))
            for effect in change.effects:
                where = (self._workspace, effect.name.path)
                db.execute("UPDATE documents SET version=? WHERE workspace=? AND path=?", (effect.before, *where))
            db.executemany(
                "DELETE FROM temps WHERE workspace=? AND temp=?", [(self._workspace, temp) for temp in temps.values()]
            )
            self._db.put(db, self._workspace, old_records)

    def _make_folders(self, disk: Disk, folder: str) -> None:
        disk.make_folder("")
        parts = folder.split("/") if folder else []
        for count in range(1, len(parts) + 1):
            if disk.make_folder("/".join(parts[:count])):
                disk.sync_folder("/".join(parts[: count - 1]))

    # small things

    def _at(self, name: Name) -> tuple[Disk, str]:
        if name not in self._places:
            disk, path = self._store.at(name)
            self._places[name] = disk, disk.resolve(path)
        return self._places[name]

    def _path(self, name: Name) -> str:
        return self._at(name)[1]

    def _keep(self, db: sqlite3.Connection, version: str, data: bytes, base: str) -> None:
        self._db.store(db, version, data, base, self._db.content(base))

    def _knows(self, version: str) -> bool:
        return bool(self._db.rows("SELECT 1 FROM versions WHERE version=?", version))


def _temp_for(path: str) -> str:
    folder, file = os.path.split(path)
    return os.path.join(folder, f".{file[:150]}{_TEMP}{secrets.token_hex(6)}")
