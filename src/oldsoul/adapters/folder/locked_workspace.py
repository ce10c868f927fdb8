"""The steps that put a document's new bytes in its place, each of which may be the last before the power goes.

The bytes are first written to `<temp>-new`, which becomes `<temp>` when it is whole and synced, and is then swapped with
the document. So what has the name `<temp>` is never half of ours: it holds the new bytes (the swap is still to be made)
or what came out (it was made). Where files cannot be swapped, what comes out is `<temp>-old`.
"""

from __future__ import annotations

import errno
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from oldsoul.adapters.folder.disk import QUIET_SECONDS, Disk, NoExchangeError, Stamp
from oldsoul.adapters.folder.ledger_db import LedgerDb
from oldsoul.errors import Refused
from oldsoul.values.history import ABSENT, Change, ConcurrentSave, Effect, Record, version_of
from oldsoul.values.names import Name

_TEMP = ".os-"
_MAX_STEM_BYTES = 150
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})


def temp_for(path: str) -> str:
    """The name of one of our files next to a document."""
    folder, file = os.path.split(path)
    stem = file.encode()[:_MAX_STEM_BYTES].decode("utf-8", "ignore")
    return os.path.join(folder, f".{stem}{_TEMP}{secrets.token_hex(6)}")


def prepare(disk: Disk, path: str, temp: str, data: bytes) -> None:
    """The new bytes, whole and synced, under their temporary name."""
    like = disk.stamp(path)
    new = f"{temp}-new"
    try:
        _write(disk, new, data, like)
    except FileNotFoundError:
        _make_folders(disk, os.path.dirname(path))
        _write(disk, new, data, like)
    disk.overwrite(new, temp)


def swap(disk: Disk, path: str, temp: str, *, exists: bool) -> None:
    """The new file in (none, if it is not to exist), the old one out, in one step. What comes out has the temporary name."""
    there = disk.stamp(path) is not None
    try:
        if not exists:
            with suppress(FileNotFoundError):
                disk.place(path, temp)
        elif there:
            try:
                disk.exchange(temp, path)
            except FileNotFoundError:
                disk.place(temp, path)
        else:
            try:
                disk.place(temp, path)
            except FileExistsError:
                disk.exchange(temp, path)
    except NoExchangeError:
        _swap_in_two_steps(disk, path, temp, exists=exists)


def _swap_in_two_steps(disk: Disk, path: str, temp: str, *, exists: bool) -> None:
    """Where files cannot be swapped: keep the old one by a second name, then rename over it."""
    if not exists:
        with suppress(FileNotFoundError):
            disk.overwrite(path, temp)
        return
    if disk.stamp(path) is None and _linked(disk, temp, path):
        with suppress(OSError):  # the work is done; whoever looks next removes it
            disk.unlink(temp)
        return
    if disk.stamp(path) is not None:
        if not _linked(disk, path, f"{temp}-old"):
            _copy(disk, path, temp)
        disk.sync_folder(os.path.dirname(path))  # before the only other name of it goes
    disk.overwrite(temp, path)


def _linked(disk: Disk, source: str, target: str) -> bool:
    """Whether a file got a second name; it does not where there are no links, or the name is taken."""
    try:
        disk.link(source, target)
    except OSError as error:
        if isinstance(error, FileExistsError | FileNotFoundError) or error.errno in _NO_LINKS:
            return False
        raise
    return True


def _copy(disk: Disk, path: str, temp: str) -> None:
    """Keep the old file as a copy, for want of a second name."""
    found = disk.read(path)
    if found is not None:
        _write(disk, f"{temp}-new", found[0], found[1])
        disk.overwrite(f"{temp}-new", f"{temp}-old")


def _write(disk: Disk, path: str, data: bytes, like: Stamp | None) -> None:
    file = disk.create(path, like)
    try:
        disk.write(file, data)
        disk.sync(file)
    finally:
        disk.close(file)


def _make_folders(disk: Disk, folder: str) -> None:
    disk.make_folder("")
    parts = folder.split("/") if folder else []
    for count in range(1, len(parts) + 1):
        if disk.make_folder("/".join(parts[:count])):
            disk.sync_folder("/".join(parts[: count - 1]))


_MOST_SECONDS = 10.0  # how long what came out of a swap may wait for whoever writes into it


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file of ours that may still lie next to a document."""

    name: Name
    """the document"""
    temp: str
    """the file"""
    change: int
    """the change that put its own bytes in the place of those"""
    expected: str
    """the versions it may hold without being a save that nobody has looked at"""


@dataclass(slots=True)
class UncommittedProgress:
    """What one process knows of its work and the ledger's file does not yet: written with the next transaction."""

    in_place: dict[int, list[Leftover]] = field(default_factory=dict)
    """changes seen to the end, and what they left"""
    leftovers: dict[tuple[str, str], Leftover] = field(default_factory=dict)
    """files to be removed when nobody writes into them, by workspace and name"""
    since: dict[tuple[str, str], float] = field(default_factory=dict)
    """when each of them was first seen"""
    unmerged: dict[tuple[str, str], Leftover] = field(default_factory=dict)
    """strays that are not in history yet"""
    removed: dict[tuple[str, str], tuple[Disk, str]] = field(default_factory=dict)
    """files that were removed, with the folder that is still to be synced"""
    gone: set[tuple[str, str]] = field(default_factory=set)
    """files that are gone for good"""
    scanned: dict[str, float] = field(default_factory=dict)
    """when a workspace was last searched for what others left"""
    rooted: set[tuple[str, str]] = field(default_factory=set)
    """folders whose own names are synced, up to the workspace"""
    touched: set[str] = field(default_factory=set)
    """workspaces to clear up at the end"""


class FolderLock:
    """One workspace while its lock is held."""

    def __init__(
        self, db: LedgerDb, progress: UncommittedProgress, lies: Callable[[Name], tuple[Disk, str]], workspace: str
    ) -> None:
        """Args: lies tells a document's disk and its path there."""
        self._db = db
        self._progress = progress
        self._lies = lies
        self._workspace = workspace
        self._concurrent_saves: list[tuple[ConcurrentSave, Leftover]] = []
        self._handed: list[tuple[ConcurrentSave, Leftover]] = []  # strays that are being merged
        self._places: dict[Name, tuple[Disk, str]] = {}
        self.has_committed = False
        """whether a change was made for good while it was held"""

    # Held

    def settled(self, name: Name) -> bool:
        """Whether nobody is in the middle of saving the document."""
        disk, path = self._at(name)
        return disk.quiet(path)

    def concurrent_saves(self) -> Sequence[ConcurrentSave]:
        """Saves that came out of a swap and that nobody has looked at; each is given once."""
        self._handed += self._concurrent_saves
        given = tuple(save for save, _ in self._concurrent_saves)
        self._concurrent_saves.clear()
        return given

    def spent(self, key: str) -> Change | None:
        """The change that spent this key."""
        return self._db.spent(self._workspace, key)

    def commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record] = (),
        *,
        also: Mapping[str, bytes] | None = None,
    ) -> Change:
        """All of it, durably, or nothing."""
        temps = {name: temp_for(self._path(name)) for name in documents}
        seen = also or {}
        expected = {e.name: " ".join((e.before, e.after, *seen)) for e in change.effects}
        old_records = [self._db.record(self._workspace, r.kind, r.key) for r in records]
        self._progress.touched.add(self._workspace)
        merged = [(save, left) for save, left in self._handed if version_of(save.data) in seen]
        with self._db.writing() as db:
            self._note_progress(db)
            for save, _ in merged:  # these bytes are nothing new any more, wherever they lie next to the document
                values = (version_of(save.data), self._workspace, save.name.path)
                db.execute("UPDATE temps SET expected=expected||' '||? WHERE workspace=? AND path=?", values)
            for version, data in seen.items():
                self._keep(db, version, data, change.effects[0].before if change.effects else ABSENT)
            for effect in change.effects:
                new = documents.get(effect.name)
                if new is not None:
                    self._keep(db, effect.after, new, effect.before)
            number = self._db.insert(db, change, temps, expected)
            self._db.put(db, self._workspace, records)
        self._noted()
        stored = replace(change, id=number)
        left = [Leftover(name, temp, number, expected[name]) for name, temp in temps.items()]

        def drop() -> None:
            self._drop(stored, left, old_records, [waiting for _, waiting in merged])

        try:
            self._prepare(documents, temps)
        except BaseException:
            drop()
            raise
        self._swap_all(documents, temps, drop)
        self._sync_folders(documents)
        self._progress.in_place[number] = left
        self.has_committed = True
        self._merged(merged)
        for leftover in left:
            self._look(leftover, remove=False)
        return stored

    def erase(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        """Put redacted bytes in the place of versions, for good; files that still hold old bytes go too."""
        self._db.redact(redacted, changes)
        self.settle()

    # finishing what was begun

    def recover(self) -> None:
        """Finish what an interrupted writer began, then see what lies around."""
        for change in self._db.pending(self._workspace):
            if change.id not in self._progress.in_place:
                self._finish(change)
        seen = {save.place for save, _ in self._concurrent_saves}
        for (workspace, temp), left in [*self._progress.unmerged.items()]:
            if workspace == self._workspace and temp not in seen:
                self._look(left, remove=False)
        self._sweep(everything=self._is_time_to_scan())

    def settle(self) -> None:
        """Leave nothing lying around that can go, and tell the ledger's file."""
        self._tidy()
        mine = [left for where, left in self._progress.leftovers.items() if where[0] == self._workspace]
        if mine:
            time.sleep(max(self._lies(left.name)[0].linger for left in mine))
        self._sweep(everything=True)
        for disk, folder in {place for where, place in self._progress.removed.items() if where[0] == self._workspace}:
            with suppress(OSError):
                disk.sync_folder(folder)
                self._synced(disk, folder)
        self._tidy()

    def _tidy(self) -> None:
        """Tell the ledger's file what is done. Nothing is lost if this is: it can be seen again."""
        if self._progress.gone or self._progress.in_place:
            with self._db.writing(durable=False) as db:
                self._note_progress(db)
            self._noted()

    def _finish(self, change: Change) -> None:
        """Bring every document of a change into place, whatever has been done of it and whatever came after."""
        rows = self._db.rows(
            "SELECT path, temp, temps.change, expected FROM effects JOIN temps USING (workspace, path, temp)"
            " WHERE effects.change=?",
            change.id,
        )
        left = {Name(self._workspace, path): Leftover(Name(self._workspace, path), *rest) for path, *rest in rows}
        missing = {
            effect.name: self._db.content(effect.after)
            for effect in change.effects
            if effect.name in left and not self._is_in_place(effect, left[effect.name].temp)
        }
        self._progress.touched.add(self._workspace)
        if missing:
            # Under new names: what lies under the old ones is looked at like everything that is left behind.
            left |= {name: replace(left[name], temp=temp_for(self._path(name))) for name in missing}
            with self._db.writing() as db:
                for name in missing:
                    where = (left[name].temp, change.id, name.path)
                    db.execute("UPDATE effects SET temp=? WHERE change=? AND path=?", where)
                    self._db.insert_temp(db, name, left[name].temp, change.id, left[name].expected)
            temps = {name: left[name].temp for name in missing}
            self._prepare(missing, temps)
            self._swap_all(missing, temps, lambda: None)
        self._sync_folders(left)
        self._progress.in_place[change.id] = [*left.values()]
        self.has_committed = True
        for leftover in left.values():
            self._look(leftover, remove=False)

    def _is_in_place(self, effect: Effect, temp: str) -> bool:
        """Whether the swap was made: the new bytes are there, or something else came out.

        Where it was made and nothing shows it any more, it is made again: what comes out then is a concurrent save.
        """
        disk, path = self._at(effect.name)
        found = disk.read(path)
        if version_of(found[0] if found else None) == effect.after:
            return True
        left = disk.read(temp, follow=False)
        return left is not None and version_of(left[0]) != effect.after

    def _note_progress(self, db: sqlite3.Connection) -> None:
        """Forget temporary files that are gone, and that changes were unfinished."""
        done = [(number,) for number in self._progress.in_place]
        db.executemany("UPDATE changes SET pending=0 WHERE id=?", done)
        db.executemany("DELETE FROM temps WHERE workspace=? AND temp=?", self._progress.gone)

    def _noted(self) -> None:
        """The ledger's file knows; what changes left behind may go now."""
        progress = self._progress
        for left in (left for lefts in progress.in_place.values() for left in lefts):
            where = (left.name.workspace, left.temp)
            if where not in progress.gone and where not in progress.removed:
                progress.leftovers[where] = left
                progress.since.setdefault(where, time.monotonic())
        progress.in_place.clear()
        progress.gone.clear()

    def _merged(self, merged: Sequence[tuple[ConcurrentSave, Leftover]]) -> None:
        """Strays that are in history now are left behind like everything else."""
        for save, left in merged:
            where = (self._workspace, left.temp)
            self._progress.leftovers[where] = self._progress.unmerged.pop(where, left)
            self._handed.remove((save, left))
            for known in (self._progress.leftovers, self._progress.unmerged):
                for place, other in known.items():
                    if other.name == save.name:
                        known[place] = replace(other, expected=f"{other.expected} {version_of(save.data)}")

    def _is_time_to_scan(self) -> bool:
        last = self._progress.scanned.get(self._workspace)
        return last is None or time.monotonic() - last >= QUIET_SECONDS

    def _sweep(self, *, everything: bool) -> None:
        """Remove files that were left behind, hold nothing new and are written by nobody; find strays.

        Those of changes that are not known to be in place stay: they tell whether a swap was made.
        """
        own = [left for where, left in self._progress.leftovers.items() if self._has_lingered(where, left)]
        if everything:
            self._progress.scanned[self._workspace] = time.monotonic()
            rows = self._db.rows(
                "SELECT path, temp, change, expected FROM temps WHERE workspace=?"
                " AND change NOT IN (SELECT id FROM changes WHERE workspace=? AND pending)",
                *(self._workspace, self._workspace),
            )
            own = [Leftover(Name(self._workspace, path), *rest) for path, *rest in rows]
        done = {*self._progress.gone, *self._progress.removed, *self._progress.unmerged}
        for left in own:
            if (self._workspace, left.temp) not in done:
                self._look(left, remove=True)

    def _has_lingered(self, where: tuple[str, str], left: Leftover) -> bool:
        """Whether it is time to look at what a change of ours left here."""
        if where[0] != self._workspace:
            return False
        first_seen = self._progress.since.setdefault(where, time.monotonic())
        return time.monotonic() - first_seen >= self._lies(left.name)[0].linger

    def _is_overdue(self, where: tuple[str, str]) -> bool:
        """Whether a file has been written into for so long that its whole lines are recorded, and the rest later."""
        now = time.monotonic()
        if now - self._progress.since.setdefault(where, now) < _MOST_SECONDS:
            return False
        self._progress.since[where] = now
        return True

    def _look(self, left: Leftover, *, remove: bool) -> None:
        """See what came out: bytes that are accounted for may go, others are strays, once nobody writes into them."""
        self._progress.unmerged.pop((self._workspace, left.temp), None)
        try:
            self._examine(left, remove=remove)
        except (OSError, Refused):
            # No reason to stop anybody: the next one to look may succeed.
            self._progress.unmerged[self._workspace, left.temp] = left

    def _examine(self, left: Leftover, *, remove: bool) -> None:
        disk, _ = self._lies(left.name)
        where = (self._workspace, left.temp)
        kept = False
        disk.unlink(f"{left.temp}-new")
        for file in (left.temp, f"{left.temp}-old"):
            still = disk.still(file, disk.linger if remove else 0)
            found = disk.read(file, follow=False)
            if found is None:
                continue
            kept = True
            if not still and not self._is_overdue(where):
                continue
            data = found[0] if still else found[0][: found[0].rfind(b"\n") + 1]
            if version_of(data) not in left.expected.split(" ") and (still or data):
                self._progress.unmerged[where] = left
                self._concurrent_saves.append(
                    (ConcurrentSave(left.name, data, file, left.change, is_whole=still), left)
                )
            elif remove and still:
                disk.unlink(file)
                kept = False
        if not kept:
            self._progress.leftovers.pop(where, None)
            self._progress.since.pop(where, None)
            self._progress.removed[where] = disk, os.path.dirname(left.temp)

    # the steps of a commit

    def _prepare(self, documents: Mapping[Name, bytes | None], temps: Mapping[Name, str]) -> None:
        """The new bytes, whole and synced, under their temporary names."""
        for name, data in documents.items():
            if data is not None:
                prepare(*self._at(name), temps[name], data)

    def _swap_all(
        self, documents: Mapping[Name, bytes | None], temps: Mapping[Name, str], drop: Callable[[], None]
    ) -> None:
        """Every document's new file in. When the first cannot be, nothing has happened yet, and the intent is dropped."""
        begun = False
        for name, data in documents.items():
            try:
                swap(*self._at(name), temps[name], exists=data is not None)
            except (OSError, Refused):
                if not begun:
                    drop()
                raise
            begun = True

    def _sync_folders(self, names: Mapping[Name, object]) -> None:
        """The names of these documents are on the disk when this returns, and those of the folders they lie in."""
        for disk, folder in {(disk, os.path.dirname(path)) for disk, path in map(self._at, names)}:
            self._sync_folder(disk, folder)
            self._synced(disk, folder)

    def _sync_folder(self, disk: Disk, folder: str) -> None:
        disk.sync_folder(folder)
        above = folder
        while above and (disk.root, folder) not in self._progress.rooted:
            above = os.path.dirname(above)
            disk.sync_folder(above)
        self._progress.rooted.add((disk.root, folder))

    def _synced(self, disk: Disk, folder: str) -> None:
        """What was removed from this folder is gone for good."""
        for where, place in [*self._progress.removed.items()]:
            if place == (disk, folder):
                del self._progress.removed[where]
                self._progress.gone.add(where)

    def _drop(
        self,
        change: Change,
        left: Sequence[Leftover],
        old_records: Sequence[Record],
        concurrent_saves: Sequence[Leftover],
    ) -> None:
        """Undo an intent of which nothing was swapped in yet."""
        with self._db.writing() as db:
            for waiting in concurrent_saves:
                values = (waiting.expected, self._workspace, waiting.temp)
                db.execute("UPDATE temps SET expected=? WHERE workspace=? AND temp=?", values)
            db.execute("DELETE FROM effects WHERE change=?", (change.id,))
            db.execute("DELETE FROM changes WHERE id=?", (change.id,))
            for effect in change.effects:
                where = (self._workspace, effect.name.path)
                db.execute("UPDATE documents SET version=? WHERE workspace=? AND path=?", (effect.before, *where))
                db.execute(
                    "DELETE FROM documents WHERE workspace=? AND path=? AND NOT EXISTS"
                    " (SELECT 1 FROM effects WHERE effects.workspace=documents.workspace"
                    " AND effects.path=documents.path)",
                    where,
                )
            self._db.put(db, self._workspace, old_records)
        for leftover in left:
            self._progress.leftovers[self._workspace, leftover.temp] = leftover

    # small things

    def _at(self, name: Name) -> tuple[Disk, str]:
        if name not in self._places:
            disk, path = self._lies(name)
            self._places[name] = disk, disk.resolve(path)
        return self._places[name]

    def _path(self, name: Name) -> str:
        return self._at(name)[1]

    def _keep(self, db: sqlite3.Connection, version: str, data: bytes, base: str) -> None:
        self._db.store(db, version, data, base, self._db.content(base))
