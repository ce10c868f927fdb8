"""A copy of a SQLite file of ours at one moment, while others go on writing to it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from urllib.parse import quote

from oldsoul.adapters.folder.disk import is_full
from oldsoul.adapters.locks import locked
from oldsoul.adapters.sqlite.file import Connection, cut_off
from oldsoul.errors import Damaged, OldsoulError, Unavailable, Unwritable

_PAGES = 512
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNWRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL)


class FileSnapshot:
    """A SQLite file as it was when this was made. Nobody writes to it until `release`; `copy` it after that.

    A read transaction keeps the moment: those who write go on in the file's log. Where the file's disk takes nothing,
    there is no such transaction, and the lock is kept until `close`.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = ExitStack()
        self._is_released = False
        take_lock(self._lock, f"{path}.lock", path)
        try:
            check_whole(path)
            self._opened, self._is_isolated = _opened(path)
        except sqlite3.Error as error:
            self._lock.close()
            raise _explained(error, path, path) from error
        except BaseException:
            self._lock.close()
            raise

    def release(self) -> None:
        """Let others write again."""
        if self._is_isolated:
            self._lock.close()
            self._is_released = True

    def copy(self, target: str, on_progress: Callable[[int], None]) -> None:
        """Write the copy, and check that it is whole; `on_progress` gets the bytes as they are copied."""
        copied = 0

        def progress(_status: int, left: int, of: int) -> None:
            nonlocal copied
            on_progress((of - left - copied) * page)
            copied = of - left

        try:
            (page,) = self._opened.db.execute("PRAGMA page_size").fetchone()
            # Nobody else knows of the copy, and its disk may be one that cannot lock files.
            where = f"file:{quote(os.fsencode(target))}?vfs=unix-none"
            with closing(sqlite3.connect(where, uri=True, isolation_level=None)) as copy:
                copy.execute("PRAGMA locking_mode=EXCLUSIVE")
                copy.execute("PRAGMA synchronous=OFF")
                self._opened.db.backup(copy, pages=_PAGES, progress=progress)
                copy.execute("PRAGMA journal_mode=DELETE")
                if copy.execute("PRAGMA application_id").fetchone()[0]:  # something is being erased from it just now
                    copy.execute("VACUUM")
                    copy.execute("PRAGMA application_id=0")
        except sqlite3.Error as error:
            raise _explained(error, self.path, target) from error
        problem = unsound(target)
        if problem:
            raise Damaged(f"{self.path} is damaged ({problem}); `oldsoul doctor` says more")

    def close(self) -> None:
        """Close the file. The last to do so folds its log into it, so its lock is held."""
        with self._lock:
            if self._is_released:
                with suppress(OSError, OldsoulError):
                    take_lock(self._lock, f"{self.path}.lock", self.path)
            with suppress(sqlite3.Error):
                self._opened.close()


def check_whole(path: str) -> None:
    """`Damaged` when a SQLite file of ours was emptied or cut off."""
    problem = cut_off(path)
    if problem:
        raise Damaged(f"{path} is damaged ({problem}); `oldsoul doctor` says more")


def take_lock(held: ExitStack, lock: str, what: str) -> None:
    """Hold a lock; where the disk takes nothing, one that is there already, and none where nobody ever wrote."""
    try:
        held.enter_context(locked(lock, what))
    except Unwritable:
        with suppress(FileNotFoundError):
            held.enter_context(locked(lock, what, flags=os.O_RDONLY))


def unsound(path: str) -> str:
    """What is wrong with a SQLite file that nobody writes to; empty when all of it can be read."""
    try:
        with Connection.for_reading(path) as db:
            said = "; ".join(str(row[0]) for row in db.execute("PRAGMA integrity_check(3)"))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return str(error)
    return "" if said == "ok" else said


def _opened(path: str) -> tuple[Connection, bool]:
    """A connection in a read transaction, and whether others may write during it."""
    opened = None
    try:
        opened = Connection.for_writing(path)
        _begin(opened.db)
    except sqlite3.OperationalError as error:
        if opened is not None:
            opened.close()
        if _code(error) not in _UNWRITABLE:
            raise
        opened = Connection.for_reading(path)
        _begin(opened.db)
        return opened, False
    return opened, True


def _begin(db: sqlite3.Connection) -> None:
    db.execute("BEGIN")
    db.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _explained(error: sqlite3.Error, path: str, target: str) -> Exception:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and is_full(os.path.dirname(target))):
        return Unwritable(f"the disk is full, so nothing was written: {os.path.dirname(target)}")
    if code in _BROKEN:
        return Damaged(f"{path} is damaged ({error}); `oldsoul doctor` says more")
    return Unavailable(f"{path} cannot be copied ({error}); `oldsoul doctor` says more")


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
