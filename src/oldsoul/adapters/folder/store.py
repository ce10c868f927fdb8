"""Documents as files in folders, with the ledger's file next to them: the default store.

A commit is first written down whole in `ledger.db` (the intent). Then each file is written under a temporary name,
synced, swapped in, and its folder synced. Whoever next holds the workspace finishes what a killed process left. What
a swap brings out is kept until it is in history and nobody writes into it any more.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from oldsoul.adapters.folder.disk import Disk, Glance, Stamp, explaining, make_folders
from oldsoul.adapters.folder.ledger_db import LedgerDb
from oldsoul.adapters.folder.locked_workspace import FolderLock, UncommittedProgress
from oldsoul.adapters.folder.version_cache import LruCache, VersionCache
from oldsoul.adapters.locks import PATIENCE_SECONDS, locked
from oldsoul.errors import BadInput, BadName, Busy, Damaged, Refused, Unwritable
from oldsoul.rules.audience import audience_of
from oldsoul.values.changes import Author
from oldsoul.values.history import Change, Snapshot
from oldsoul.values.ids import segment
from oldsoul.values.names import Kind, Name

_PRIVATE = 0o700


class FolderPlaces:
    """Workspaces as folders: the ones settings name, else those in the home."""

    def __init__(self, place: Callable[[str], WorkspacePath], home: str) -> None:
        self.place = place
        self._home = home

    def folder(self, workspace: str) -> str:
        """The workspace's folder."""
        return self.place(workspace).root

    def roots(self, workspace: str) -> list[str]:
        """Every folder that files of the workspace lie below."""
        place = self.place(workspace)
        return [folder for folder in (place.root, place.memory) if folder]

    def is_there(self, workspace: str) -> bool:
        """Whether its folder is there; `BadInput` when something else is in its place."""
        folder = self.folder(workspace)
        if os.path.isdir(folder):
            return True
        if os.path.lexists(folder):
            raise BadInput(f"{folder} is set as the workspace of {workspace}, but it is not a folder")
        return False

    def is_own(self, workspace: str) -> bool:
        """Whether it lies in the home, and not where another program keeps its files."""
        return self.folder(workspace).startswith(f"{self._home}/")

    def prepare(self, workspace: str, folders: Sequence[str], *, git: bool) -> bool:
        """Make the folder and those in it, if they are not there; a git repository, if asked for; whether it made one."""
        place = self.place(workspace)
        for folder in ("", *folders):
            root, inner = place.root, folder
            if place.memory and (folder == "memory" or folder.startswith("memory/")):
                root, inner = place.memory, folder.removeprefix("memory").lstrip("/")
            os.makedirs(os.path.join(root, inner) if inner else root, mode=_PRIVATE, exist_ok=True)
        is_new = git and not os.path.lexists(os.path.join(place.root, ".git"))
        if is_new:
            _git_init(place.root)
        return is_new


def _git_init(folder: str) -> None:
    """A fresh repository; no hook of the person's runs in it."""
    command = ["git", "-c", "core.hooksPath=/dev/null", "init", "--quiet", "--template=", folder]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=30)  # noqa: S603 - our own words; git from PATH
    except FileNotFoundError:
        raise BadInput("git.init is on, but git is not installed; install it or turn the setting off") from None
    except subprocess.CalledProcessError as error:
        raise BadInput(
            f"git could not create a repository in {folder}: {error.stderr.decode(errors='replace').strip()}"
        ) from error


MOST_BYTES = 8 * 1024 * 1024
"""How many bytes a document may have to be read."""
_REPLACE = "replace it with a file of text"
_RENAME = "rename it: it must end in `.md`, have no spaces at either end and not be too long"
_ENDINGS = (".md", ".markdown")


class ExcludedFile(NamedTuple):
    """One file that is left out."""

    path: str
    """where it is in its workspace, in characters that can be shown"""
    reason: str
    """why"""
    advice: str
    """what to do"""


def check(name: Name, disk: Disk, path: str, signature: Glance | None, most: int) -> None:
    """`Refused` for what is not read: a file that is too large, and a link that shows others what is not for them."""
    if signature is None and path == name.path:
        _check_link(name, disk.resolve(path))
    found = disk.stamp(path) if signature is None else signature
    if found is not None and found.size > most:
        raise Refused(f"{name.path} has {found.size:,} bytes, more than {most:,}, so it is not read")


def _check_link(name: Name, target: str) -> None:
    """`Refused` for a name under which others would see a file that is not for them."""
    with suppress(BadName):
        if audience_of(Name(name.workspace, target)) != audience_of(name):
            raise Refused(f"{name.path} is a link to {target}, which has another audience; copy the file instead")


def left_out(workspace: str, folder: str, before: str, most: int) -> Iterator[ExcludedFile]:
    """What lies in one folder of a workspace and is left out; `before` is what the folder is called in the workspace."""
    disk = Disk(folder)
    for path, is_folder in _everything(folder):
        shown = os.fsencode(f"{before}{path}").decode(errors="replace")
        try:
            if os.path.islink(f"{folder}/{path}"):
                disk.resolve(path)
        except Refused as error:
            yield ExcludedFile(shown, str(error), "replace the link with the file itself")
            continue
        try:
            name = Name(workspace, f"{before}{path}")
        except BadName:
            if not is_folder and path.casefold().endswith(_ENDINGS):
                reason = f"{shown} is not read or searched: its name is not a valid file name"
                yield ExcludedFile(shown, reason, _RENAME)
            continue
        try:
            if not is_folder:
                check(name, disk, path, disk.signature(path), most)
            elif name.kind is not Kind.OTHER:
                yield ExcludedFile(shown, f"{shown} is a folder, so it is not read", _REPLACE)
        except (Refused, OSError) as error:
            yield ExcludedFile(shown, str(error), _REPLACE)


def _everything(folder: str) -> Iterator[tuple[str, bool]]:
    """All that is not hidden below a folder, links to folders included, and whether each is a folder; links are not entered."""
    pending = [""]
    while pending:
        inside = pending.pop()
        with suppress(OSError), os.scandir(f"{folder}/{inside}") as items:
            for item in sorted(items, key=lambda each: each.name):
                if item.name.startswith("."):
                    continue
                path = f"{inside}/{item.name}" if inside else item.name
                is_folder = stat.S_ISDIR(item.stat(follow_symlinks=False).st_mode)
                if is_folder:
                    pending.append(path)
                yield path, is_folder


@dataclass(frozen=True, slots=True)
class WorkspacePath:
    """Where a workspace lies."""

    root: str
    """its folder"""
    memory: str = ""
    """the folder of its `memory/`, when that lies elsewhere"""
    most: int = MOST_BYTES
    """how many bytes a document may have to be read"""


class FolderStore:
    """Every workspace's files below their folders, and `ledger.db` in the state folder."""

    def __init__(
        self,
        state: str,
        place: Callable[[str], WorkspacePath],
        disk: Callable[[str], Disk] = Disk,
        *,
        versions: VersionCache | None = None,
        shut: str = "",
        on_commit: Callable[[], None] = lambda: None,
    ) -> None:
        self._state = state
        self._shut = shut  # why nobody may write, where that is so
        self._on_commit = on_commit  # once a change is made for good
        self._place = place
        self._disk = disk
        self._disks: dict[str, Disk] = {}
        make_folders(os.path.join(state, "locks"))
        self._db: LedgerDb | None = None
        self._damage = ""
        try:
            self._db = LedgerDb(os.path.join(state, "ledger.db"))
        except Damaged as error:  # told to whoever asks for history; the documents can be read
            self._damage = str(error)
        self.progress = UncommittedProgress()
        self._snapshots: LruCache[Name, tuple[Glance, Snapshot]] = (
            LruCache()
        )  # files that did not change since they were read
        self._versions = versions  # those that have not since another process did

    @property
    def db(self) -> LedgerDb:
        """The ledger's file; `Damaged` when it is."""
        if self._db is None:
            raise Damaged(self._damage)
        return self._db

    # Store

    def read(self, name: Name) -> Snapshot:
        """The document as it is on the disk."""
        disk, path = self.at(name)
        signature = disk.signature(path)
        cached = self._snapshots.get(name)
        if cached is not None and cached[0] == signature:
            return cached[1]
        check(name, disk, path, signature, self._place(name.workspace).most)
        found = disk.read(path)
        snapshot = Snapshot.of(found[0] if found else None)
        if signature is not None and signature == disk.signature(path) and signature.is_old():
            self._snapshots.put(name, (signature, snapshot), signature.size)
        else:
            self._snapshots.drop(name)
        return snapshot

    def version(self, name: Name) -> str:
        """The version of the document as it is on the disk; a file that is unchanged since then is not read."""
        disk, path = self.at(name)
        signature = disk.signature(path) if self._versions is not None else None
        if signature is None or self._versions is None:
            return self.read(name).version
        known = self._versions.version(name, signature)
        if known is None:
            known = self.read(name).version
            if signature == disk.signature(path) and signature.is_old():
                self._versions.keep(name, signature, known)
        return known

    def touched(self, name: Name) -> int:
        """When the file was last written, in nanoseconds since 1970."""
        found = self._status(name)
        return found.modified if found else 0

    def size(self, name: Name) -> int:
        """How many bytes the file has."""
        found = self._status(name)
        return found.size if found else 0

    def _status(self, name: Name) -> Glance | Stamp | None:
        """What the disk knows of the file, or of the one it leads to."""
        disk, path = self.at(name)
        return disk.signature(path) or disk.stamp(path)

    def names(self, workspace: str, under: str = "") -> list[Name]:
        """The Markdown files of the workspace, or of one folder in it, in order."""
        place = self._place(workspace)
        inside = f"{under}/".removeprefix("memory/").removesuffix("/")
        disk, before = self._disk_of(place.root), ""
        found = [(disk, before, path) for path in disk.walk(under)]
        if place.memory:
            found = [each for each in found if not each[2].startswith("memory/")]
            if not under or f"{under}/".startswith("memory/"):
                disk, before = self._disk_of(place.memory), "memory/"
                found += [(disk, before, path) for path in disk.walk(inside if under else "")]
        names = []
        for disk, before, path in found:
            with suppress(BadName, Refused, OSError):  # no document, or one that is left out: doctor names it
                name = Name(workspace, before + path)
                check(name, disk, path, disk.signature(path), place.most)
                names.append(name)
        return sorted(names)

    @contextmanager
    def hold(self, workspace: str, timeout: float = PATIENCE_SECONDS) -> Iterator[FolderLock]:
        """The workspace for one writer at a time."""
        if self._shut:
            raise Unwritable(f"{workspace} is read-only now: {self._shut}")
        lock = os.path.join(self._state, "locks", f"{segment(workspace)}.lock")
        held = None
        try:
            with explaining(), locked(lock, f"workspace {workspace}", timeout):
                held = FolderLock(self.db, self.progress, self.at, workspace)
                held.recover()
                yield held
        finally:
            if held is not None and held.has_committed:
                self._on_commit()

    def close(self) -> None:
        """Clear up what may be cleared up, and release the ledger."""
        try:
            with suppress(Unwritable):  # whoever writes next clears up
                while self.progress.touched:
                    with self.hold(self.progress.touched.pop()) as held:
                        held.settle()
            if self._versions is not None:
                self._versions.save()
        finally:
            if self._db is not None:
                self._db.close()

    # History

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
        return self.db.changes(workspace, name, author=author, since=since, before=before, limit=limit)

    def latest(self, workspace: str) -> int:
        """The number of the latest change; 0 when there is none."""
        return self.db.latest(workspace)

    def following(self, workspace: str, after: int, limit: int) -> list[Change]:
        """Changes with a greater number, in their order, up to the first that may still be dropped.

        What a killed process left is finished, unless somebody is at work there just now.
        """
        with self.db.reading():  # of one moment: a change that is dropped meanwhile would be taken for a finished one
            found = self.db.following(workspace, after, limit)
            unfinished = {change.id for change in self.db.pending(workspace)}
        unfinished -= self.progress.in_place.keys()
        if any(change.id in unfinished for change in found):
            with suppress(Busy, Unwritable), self.hold(workspace, timeout=0):
                return self.db.following(workspace, after, limit)
        return [*takewhile(lambda change: change.id not in unfinished, found)]

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

    def record(self, workspace: str, kind: str, key: str) -> str | None:
        """One record."""
        return self.db.record(workspace, kind, key).value

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
