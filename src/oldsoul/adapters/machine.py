"""What this machine can do for a home: looked at by `doctor`, on files of its own that it takes away again."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import sys
import tempfile
from typing import NamedTuple
from urllib.parse import quote

from oldsoul.adapters.disk import Disk, NoExchangeError
from oldsoul.errors import BadName
from oldsoul.values.names import SHARED, kind_of

_NETWORK = frozenset(
    {*("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p", "glusterfs", "lustre"), "fuse.sshfs", "fuse.rclone"}
)


class Abilities(NamedTuple):
    """What the file system below a folder can do."""

    swaps: bool
    """two files change places in one step"""
    tells_writers: bool
    """it can be asked whether somebody writes into a file"""
    has_wal: bool
    """SQLite can use its write-ahead log there"""
    kind: str
    """its name; empty where the system does not tell"""
    free: int
    """free bytes"""

    @property
    def is_network(self) -> bool:
        """Whether it lies on another machine."""
        return self.kind in _NETWORK


class Health(NamedTuple):
    """How the ledger's file is."""

    problems: tuple[str, ...]
    """what SQLite says of it"""
    unfinished: int
    """changes that are not yet noted as finished"""
    aside: int
    """files kept beside their documents until they are in history"""


def abilities(folder: str) -> Abilities:
    """Tries it out in a folder of its own below that one."""
    with tempfile.TemporaryDirectory(prefix=".os-doctor-", dir=folder) as place:
        disk = Disk(place)
        for name in ("one", "other"):
            disk.close(disk.create(name, None))
        try:
            disk.exchange("one", "other")
            swaps = True
        except NoExchangeError:
            swaps = False
        tells = _tells_writers(os.path.join(place, "one"))
        with contextlib.closing(sqlite3.connect(os.path.join(place, "probe.db"))) as db:
            (mode,) = db.execute("PRAGMA journal_mode=WAL").fetchone()
    status = os.statvfs(folder)
    return Abilities(swaps, tells, mode == "wal", _kind(folder), status.f_bavail * status.f_frsize)


def _tells_writers(path: str) -> bool:
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    fd = os.open(path, os.O_RDONLY)
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _kind(folder: str) -> str:
    """The name of the file system, from the longest mount point above the folder."""
    if sys.platform != "linux":
        return ""
    place = os.path.realpath(folder)
    best, kind = "", ""
    with contextlib.suppress(OSError), open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            left, _, right = line.partition(" - ")
            point = left.split(" ")[4].replace("\\040", " ")
            inside = place == point or place.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(best):
                best, kind = point, right.split(" ")[0]
    return kind


def health(ledger: str) -> Health:
    """Asks SQLite whether the file is whole; reads it, and changes nothing."""
    # Where nobody can write, SQLite has to be told that the file stands still.
    mode = "mode=ro" if os.access(os.path.dirname(ledger), os.W_OK) else "immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(ledger)}?{mode}", uri=True, timeout=30)) as db:
            said = [row[0] for row in db.execute("PRAGMA quick_check(5)")]
            (unfinished,) = db.execute("SELECT count(*) FROM changes WHERE pending").fetchone()
            (aside,) = db.execute("SELECT count(*) FROM temps").fetchone()
    except sqlite3.DatabaseError as error:
        return Health((str(error),), 0, 0)
    return Health(() if said == ["ok"] else tuple(said), unfinished, aside)


def unread(root: str) -> list[str]:
    """Markdown files of a workspace that are not read because of what they are called."""
    files = (path for path in Disk(root).walk() if path.casefold().endswith((".md", ".markdown")))
    return sorted(path for path in files if not _is_name(path))


def _is_name(path: str) -> bool:
    try:
        kind_of(SHARED, path)
    except BadName:
        return False
    return True


def links_out(root: str) -> list[str]:
    """Symbolic links below a workspace that lead out of it, and are therefore not followed."""
    top = os.path.realpath(root)
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            if os.path.islink(path) and os.path.commonpath([top, os.path.realpath(path)]) != top:
                found.append(os.path.relpath(path, root))
    return sorted(found)
