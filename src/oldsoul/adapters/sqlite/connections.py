"""Every connection to a SQLite file of ours. Nothing else opens such a file while a connection to it is alive.

A process loses all its POSIX locks on a file when any descriptor of that file is closed. Connections of SQLite's usual VFS
know of each other and wait with that; a plain `open`, and a connection that takes no locks, do not. So the second kind is
closed only when this process has no connection of the first kind, and a plain look happens only then.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import Counter
from contextlib import suppress
from typing import Any, Self
from urllib.parse import quote

_OPTIONS: dict[str, Any] = {"isolation_level": None, "check_same_thread": False, "timeout": 30}
_HEAD = 100

_guard = threading.RLock()
_locking: Counter[tuple[int, int]] = Counter()
"""how many connections with locks this process has, by device and inode"""
_ended: dict[tuple[int, int], list[sqlite3.Connection]] = {}
"""connections without locks that nobody uses any more, closed with the last that has locks"""


class Connection:
    """A connection, until it is closed."""

    def __init__(self, db: sqlite3.Connection, inode: tuple[int, int] | None, *, locks: bool) -> None:
        self.db = db
        self._inode = inode
        self._locks = locks

    @classmethod
    def for_writing(cls, path: str) -> Self:
        """One that makes the file where there is none."""
        with _guard:
            return cls._counted(sqlite3.connect(path, **_OPTIONS), path)

    @classmethod
    def for_reading(cls, path: str) -> Self:
        """The file as it is with its log: nothing is written next to it.

        Where somebody has it open it is read under their locks. Where nobody has, no lock is taken: with a log, SQLite
        keeps its list of what the log holds in memory; without one, the file is still.
        """
        with _guard:
            if is_open(path) or os.path.exists(f"{path}-shm"):
                with suppress(sqlite3.OperationalError):
                    return cls._counted(_begun(_connected(path, "mode=ro")), path)
            db = _connected(path, "vfs=unix-none&mode=ro" if _has_log(path) else "immutable=1")
            db.execute("PRAGMA locking_mode=EXCLUSIVE")
            return cls(db, _inode(path), locks=False)

    @classmethod
    def in_memory(cls) -> Self:
        """An empty one that is no file."""
        return cls(sqlite3.connect(":memory:", **_OPTIONS), None, locks=False)

    @classmethod
    def _counted(cls, db: sqlite3.Connection, path: str) -> Self:
        inode = _inode(path)
        _locking[inode] += 1
        return cls(db, inode, locks=True)

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        with _guard:
            inode, self._inode = self._inode, None
            if inode is None:
                self.db.close()
            elif self._locks:
                self.db.close()
                _locking[inode] -= 1
                if not _locking[inode]:
                    del _locking[inode]
                    for each in _ended.pop(inode, ()):
                        each.close()
            elif _locking[inode]:
                _ended.setdefault(inode, []).append(self.db)
            else:
                self.db.close()

    def __enter__(self) -> sqlite3.Connection:
        return self.db

    def __exit__(self, *_: object) -> None:
        self.close()


def is_open(path: str) -> bool:
    """Whether this process has a connection with locks to the file: then nothing but SQLite may open it."""
    with _guard, suppress(OSError):
        return _inode(path) in _locking
    return False


def head(path: str) -> bytes:
    """The file's first bytes; none while it is open here."""
    with _guard, suppress(OSError):
        if not is_open(path):
            with open(path, "rb") as file:
                return file.read(_HEAD)
    return b""


def _connected(path: str, how: str) -> sqlite3.Connection:
    db: sqlite3.Connection = sqlite3.connect(f"file:{quote(os.fsencode(path))}?{how}", uri=True, **_OPTIONS)
    return db


def _begun(db: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, after it has read: where it cannot, it is closed."""
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def _has_log(path: str) -> bool:
    with suppress(OSError):
        return os.stat(f"{path}-wal").st_size > 0
    return False


def _inode(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino
