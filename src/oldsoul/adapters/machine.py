"""What this machine can do for a home: looked at by `doctor`, on its own files, which it removes again."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Mapping
from datetime import datetime

from oldsoul.adapters.columns import moment, said
from oldsoul.adapters.folder.disk import Disk, NoExchangeError
from oldsoul.adapters.sqlite.file import Connection, damage
from oldsoul.values.runtime import Abilities, FileHealth, LostRecord, Machine

_NETWORK = frozenset(
    {*("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p", "glusterfs", "lustre"), "fuse.sshfs", "fuse.rclone"}
)


_LAST = {
    "changes": "SELECT coalesce(max(at), '') FROM changes",
    "messages": "SELECT coalesce(strftime('%Y-%m-%dT%H:%M:%S', max(time)/1000000, 'unixepoch'), '') FROM messages",
}


_TOLD = "SELECT DISTINCT thing, workspace, time FROM events WHERE kind=? ORDER BY number"
_KEPT = {
    "ledger.db": ("change", "SELECT id, at FROM changes"),
    "chat.db": ("message", "SELECT id, time FROM messages"),
}


def abilities(folder: str) -> Abilities:
    """Tries it out in its own folder below that one."""
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
        mode = ""
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(f"{place}/probe.db")) as db:
            (mode,) = db.execute("PRAGMA journal_mode=WAL").fetchone()
    kind = _kind(folder)
    return Abilities(swaps, tells, mode == "wal", kind, kind in _NETWORK)


def free_space(folder: str) -> int:
    """How many bytes are free on the disk a folder lies on."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


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


def health(path: str) -> FileHealth:
    """Asks SQLite whether a file of ours is whole; reads it, and changes nothing."""
    problems = tuple(damage(path))
    if problems or os.path.getsize(path) == 0:
        return FileHealth(problems)
    try:
        with Connection.for_reading(path) as db:
            tables = {str(name) for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
            last = next((str(db.execute(sql).fetchone()[0]) for table, sql in _LAST.items() if table in tables), "")
            counts = ("SELECT count(*) FROM changes WHERE pending", "SELECT count(*) FROM temps")
            unfinished, aside = (db.execute(sql).fetchone()[0] for sql in counts) if "temps" in tables else (0, 0)
    except sqlite3.Error as error:
        return FileHealth((str(error),))
    return FileHealth((), last, unfinished, aside)


def lost(events: str, path: str) -> list[LostRecord]:
    """Changes or messages that a file of ours held once, as the log of events tells, and does not hold now."""
    kind, sql = _KEPT[os.path.basename(path)]
    try:
        with Connection.for_reading(events) as db:  # before the rest: what is reported is stored by then
            recorded = [(int(thing), said(name), moment(time)) for thing, name, time in db.execute(_TOLD, (kind,))]
        with Connection.for_reading(path) as db:
            kept = {
                number: datetime.fromisoformat(at) if kind == "change" else moment(at) for number, at in db.execute(sql)
            }
    except (sqlite3.Error, OSError):
        return []  # what is wrong with such a file is said of itself
    return [
        LostRecord(number, name, f"{at:%Y-%m-%d %H:%M:%S} UTC", number in kept)
        for number, name, at in recorded
        if kept.get(number) != at
    ]


def backups(path: str) -> dict[str, FileHealth]:
    """Copies of a file of ours that lie next to it, by path: what its name begins, but for what belongs to it itself."""
    own = {path, *(f"{path}{ending}" for ending in ("-wal", "-shm", "-journal", ".lock"))}
    copies = sorted(
        {
            *glob.glob(f"{glob.escape(path)}*"),
            *glob.glob(f"{glob.escape(os.path.dirname(path))}/*/{os.path.basename(path)}*"),
        }
    )
    found = {each: health(each) for each in copies if each not in own and os.path.isfile(each)}
    return {each: state for each, state in found.items() if state.last or state.problems}


_ZONES = "/zoneinfo/"


class SystemRuntime:
    """Looks at this machine and at the environment it is given."""

    def __init__(self, environ: Mapping[str, str], localtime: str = "/etc/localtime") -> None:
        self._environ = environ
        self._localtime = localtime

    def machine(self, folder: str) -> Machine:
        """What is known of the machine, and of the repository that the folder lies in."""
        asked = platform.uname()
        return Machine(
            host=asked.node,
            os=f"{asked.system} {asked.release}".strip(),
            arch=asked.machine,
            python=platform.python_version(),
            shell=os.path.basename(self._environ.get("SHELL", "")),
            repository=repository(folder),
            zone=self._zone(),
        )

    def _zone(self) -> str:
        """The zone's name, by the environment, else by where the system's link leads; empty when neither tells."""
        named = self._environ.get("TZ", "").removeprefix(":")
        if named and not named.startswith("/"):
            return named
        target = named or os.path.realpath(self._localtime)
        return target.partition(_ZONES)[2].removeprefix("posix/").removeprefix("right/")


def repository(folder: str) -> str:
    """The nearest folder, from this one upwards, that git keeps; empty when there is none."""
    here = os.path.realpath(folder)
    while not os.path.exists(os.path.join(here, ".git")):  # a folder, or in a worktree a file
        above = os.path.dirname(here)
        if above == here:
            return ""
        here = above
    return here
