"""What every SQLite file of ours needs: its own lock, durable commits, numbered migrations, errors callers know."""

from __future__ import annotations

import errno
import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from oldsoul.adapters.locks import locked
from oldsoul.errors import Busy, Damaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class SqliteFile:
    """One open SQLite file. Reads need no lock; writes and checkpoints take the file's own.

    It is made from its path (the folder must be there), the SQL scripts that bring its tables up to date (the file
    remembers how many it has seen), what people call it, and what is lost and what is not when it must be moved away.

    The lock is there because SQLite before 3.51.3 can damage a file when a checkpoint meets a write.
    """

    def __init__(self, path: str, migrations: Sequence[str], what: str, loss: str) -> None:
        self.path = path
        self.lock_path = f"{path}.lock"
        self._what = what
        self._durable = True
        self._guard = threading.RLock()
        with locked(self.lock_path, what):
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
            try:
                self._set_up(migrations)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # what SQLite says may quote what is damaged
                self._db.close()
                raise Damaged(f"{path} cannot be read ({error}); move it away and start again: {loss}") from error
            except Damaged:
                self._db.close()
                raise

    def _set_up(self, migrations: Sequence[str]) -> None:
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")
        self._db.execute("PRAGMA busy_timeout=30000")
        (have,) = self._db.execute("PRAGMA user_version").fetchone()
        if have > len(migrations):
            raise Damaged(f"{self.path} was written by a newer Oldsoul (schema {have}); update this one")
        for number, script in enumerate(migrations[have:], have + 1):
            self._db.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version={number}; COMMIT;")

    def close(self) -> None:
        """Let go of the file. The last to do so folds its log into it, so the file's lock is held."""
        with self._guard, locked(self.lock_path, self._what):
            self._db.close()

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction. A durable one is on the disk when the block is left; another may be lost with the power."""
        with self._guard, locked(self.lock_path, self._what):
            try:
                if durable != self._durable:
                    self._db.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                    self._durable = durable
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._explained(error) from error
            finally:
                if self._db.in_transaction:
                    with suppress(sqlite3.Error):
                        self._db.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All reads of the block see the file as it was at its beginning."""
        with self._guard:
            if self._db.in_transaction:
                yield
                return
            self.rows("BEGIN")
            try:
                yield
            finally:
                if self._db.in_transaction:
                    with suppress(
                        sqlite3.Error
                    ):  # nothing was written; what was wrong has been said by the read itself
                        self._db.execute("ROLLBACK")

    def scrub(self) -> bool:
        """Write the file anew, so that nothing deleted stays in it; whether its log could be emptied too.

        It cannot while another process is in the middle of reading what the log still holds.
        """
        with self._guard, locked(self.lock_path, self._what):
            try:
                self._db.execute("VACUUM")
            except sqlite3.Error as error:
                raise self._explained(error) from error
        return self.empty_log()

    def empty_log(self) -> bool:
        """Have nothing stay in the log; whether that could be done. What is deleted from the file itself is written over."""
        with self._guard, locked(self.lock_path, self._what):
            try:
                (kept, _, _) = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                raise self._explained(error) from error
        return not kept

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._guard:
            try:
                return self._db.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error) -> Exception:
        """An error of the file as one that callers know."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return Busy(f"{self.path} is held by another process; is one stuck?")
        # All SQL is ours: where it makes no sense, the tables are not what they were.
        broken = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
        if code in broken or str(error).startswith("Could not decode"):
            return Damaged(f"{self.path} is damaged ({error}); restore it from a backup, or move it away")
        known = {
            sqlite3.SQLITE_FULL: errno.ENOSPC,
            sqlite3.SQLITE_READONLY: errno.EROFS,
            sqlite3.SQLITE_IOERR: errno.EIO,
        }
        return OSError(known[code], str(error), self.path) if code in known else error
