"""A home at one moment: its documents copied while nobody may write, its databases each kept at that moment."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO, NamedTuple

from oldsoul.adapters.sqlite.copies import FileSnapshot, check_whole, take_lock
from oldsoul.adapters.sqlite.file import is_open

CONFIG = "config.yaml"
_DERIVED = "cache"
_STATE = "state"
_OF_PROCESSES = frozenset({"locks", "jobs"})
"""Folders in state/ that tell which processes are at work, and nothing else."""
_BESIDE = ("-wal", "-shm", "-journal", ".lock")
_TEMP = ".os-"
"""In the names of files that the ledger left next to documents; history knows of each."""


class BackupRoot(NamedTuple):
    """A folder that is backed up."""

    folder: str
    """where it is"""
    path: str
    """where it is in the backup, and in a restored home; empty for the home"""


@dataclass(frozen=True, slots=True)
class Member:
    """A file that is backed up."""

    path: str
    """where it is in the backup"""
    source: str
    """the file that it is read from"""
    mode: int
    """who may read, write and run it"""
    modified: int
    """when it was last written, in nanoseconds since 1970"""
    size: int
    """how many bytes it has"""


@dataclass(slots=True)
class BackupSnapshot:
    """What there is to back up."""

    made: datetime
    """the moment"""
    members: list[Member] = field(default_factory=list)
    """files; those that Oldsoul does not manage are read later"""
    databases: list[tuple[str, FileSnapshot]] = field(default_factory=list)
    """SQLite files, with where each is in the backup"""
    folders: dict[str, int] = field(default_factory=dict)
    """folders with their modes, those above before those in them"""
    left_out: dict[str, str] = field(default_factory=dict)
    """what is not backed up, and why"""


@contextmanager
def taken(roots: Sequence[BackupRoot], hold: Callable[[ExitStack], None], spool: str) -> Iterator[BackupSnapshot]:
    """The home (the first of the roots) and folders elsewhere, at one moment.

    Locks are held while documents are copied to a folder of the spool and databases begin to be read; not longer.
    """
    home = roots[0].folder
    with ExitStack() as opened:
        with ExitStack() as locks:
            hold(locks)
            take_lock(locks, os.path.join(home, _STATE, "config.lock"), CONFIG)
            picture = BackupSnapshot(datetime.now(UTC))
            for path in _databases(home):
                moment = FileSnapshot(os.path.join(home, path))
                opened.callback(moment.close)
                picture.databases.append((path, moment))
            for root in roots:
                if root.path not in picture.folders:
                    _look(picture, root, os.stat(home))
            _copy_documents(picture, spool)
        for _, moment in picture.databases:
            moment.release()
        # A link in whose place a folder was backed up is no loss.
        there = {above for path in picture.folders for above in (path, *_above(path))}
        picture.left_out = {path: why for path, why in picture.left_out.items() if path not in there}
        yield picture


def opened(source: str) -> tuple[BinaryIO, os.stat_result] | None:
    """A plain file to be read; None when it is gone, or became something else."""
    try:
        fd = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        if os.path.islink(source):
            return None
        raise
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        return None
    return os.fdopen(fd, "rb"), status


def _databases(home: str) -> list[str]:
    """The SQLite files of the home; `Damaged` when one was emptied."""
    found = []
    for name in sorted(os.listdir(os.path.join(home, _STATE))):
        path = os.path.join(home, _STATE, name)
        if name.endswith(".db") and os.path.isfile(path):
            check_whole(path)
            if os.path.getsize(path):
                found.append(f"{_STATE}/{name}")
    return found


def _look(picture: BackupSnapshot, root: BackupRoot, home: os.stat_result) -> None:
    """Find what lies below a folder; not the home, where it lies in another."""
    if not os.path.isdir(root.folder):
        return
    if root.path:
        for above in _above(root.path):
            picture.folders.setdefault(above, 0o700)
        picture.folders[root.path] = _mode(os.stat(root.folder))
    pending, top = [(root.folder, root.path)], os.path.realpath(root.folder)
    while pending:
        folder, path = pending.pop()
        with suppress(FileNotFoundError), os.scandir(folder) as items:  # it may be gone since it was found
            for item in sorted(items, key=lambda item: item.name):
                inner = f"{path}/{item.name}" if path else item.name
                if inner == _DERIVED or _is_of_processes(inner):
                    continue
                if not item.is_dir(follow_symlinks=False) or not _is_text(inner):
                    _add(picture, inner, item.path, top)
                elif not os.path.samestat(item.stat(follow_symlinks=False), home):
                    picture.folders[inner] = _mode(item.stat(follow_symlinks=False))
                    pending.append((item.path, inner))


def _add(picture: BackupSnapshot, path: str, file: str, top: str) -> None:
    """Note a file, or why it is left out. A link to a file in the same folder counts as that file."""
    source = file
    if os.path.islink(file):
        source = os.path.realpath(file)
        if path != CONFIG and os.path.commonpath([top, source]) != top:
            picture.left_out[path] = "is a link to a place outside its folder"
            return
    try:
        status = os.lstat(source)
    except OSError:
        if source != file:
            picture.left_out[path] = "is a link to nothing"
        return
    if is_open(source):
        picture.left_out[path] = "is a link to a database of the home"
    elif not _is_text(path):
        picture.left_out[os.fsencode(path).decode("utf-8", "replace")] = "has a name that is not valid UTF-8"
    elif stat.S_ISDIR(status.st_mode):
        picture.left_out[path] = "is a link to a folder"
    elif not stat.S_ISREG(status.st_mode):
        picture.left_out[path] = "is not a regular file"
    else:
        picture.members.append(Member(path, source, _mode(status), status.st_mtime_ns, status.st_size))


def _copy_documents(picture: BackupSnapshot, spool: str) -> None:
    """Copy what the ledger may change, so that it is of the same moment as history."""
    members = []
    for number, member in enumerate(picture.members):
        if not _is_managed(member.path):
            members.append(member)
            continue
        found = opened(member.source)
        if found is None:
            continue
        copy = os.path.join(spool, f"document-{number}")
        with found[0] as file, open(copy, "xb") as target:
            shutil.copyfileobj(file, target)
            status = found[1]
        members.append(Member(member.path, copy, _mode(status), status.st_mtime_ns, os.path.getsize(copy)))
    picture.members = members


def _is_managed(path: str) -> bool:
    name = os.path.basename(path).casefold()
    return path == CONFIG or name.endswith((".md", ".markdown")) or _TEMP in name


def _is_of_processes(path: str) -> bool:
    """Whether it is a database, which is copied otherwise, or belongs to one, or tells who is at work."""
    top, _, inner = path.partition("/")
    if top != _STATE or not inner or "/" in inner:
        return False
    base = next((inner.removesuffix(ending) for ending in _BESIDE if inner.endswith(ending)), inner)
    return inner in _OF_PROCESSES or base.endswith(".db") or inner == "config.lock"


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _mode(status: os.stat_result) -> int:
    return status.st_mode & 0o777


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
