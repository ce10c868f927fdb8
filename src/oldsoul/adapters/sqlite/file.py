"""What every SQLite file of ours needs: its own lock, durable commits, numbered migrations, errors callers know."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any, Self
from urllib.parse import quote

from oldsoul.adapters.folder.disk import explaining, is_full
from oldsoul.adapters.locks import locked
from oldsoul.errors import Busy, Closed, Damaged, OldsoulError, Unavailable, Unwritable

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


_DOCTOR = "; `oldsoul doctor` says more"


class SqliteFile:
    """One open SQLite file. Reads need no lock; writes and checkpoints take the file's own.

    It is made from its path (the folder must be there), the SQL scripts that bring its tables up to date (the file
    remembers how many it has seen), what people call it, and what is lost and what is not when it must be moved away.

    The lock is there because SQLite before 3.51.3 can damage a file when a checkpoint meets a write. Once the file was
    made the lock is not empty, so that a file that was emptied is distinguished from a new one. Where nothing can be written,
    not even next to it, the file is looked into as it is; whoever writes tries to open it again first.
    """

    def __init__(self, path: str, migrations: Sequence[str], what: str, loss: str) -> None:
        self.path = path
        self.lock_path = f"{path}.lock"
        self._what = what
        self._loss = loss
        self._migrations = migrations
        self._durable = True
        self._guard = threading.RLock()
        self._opened: Connection | None = None
        self._unwritable: Unwritable | Unavailable | None = None
        self._stamp: tuple[object, ...] = ()  # of what is looked into
        self._looks = 0
        self._open()

    def _open(self) -> None:
        """Open the file for writing; where that cannot be, look into it."""
        try:
            with locked(self.lock_path, self._what):
                self._check()
                self._opened, self._unwritable = self._set_up(Connection.for_writing(self.path)), None
                db = self._opened.db
                with suppress(sqlite3.Error):
                    if db.execute("PRAGMA application_id").fetchone()[0]:  # whoever erased something was killed
                        db.execute("VACUUM")
                        self._empty_log()
                _note_made(self.lock_path)
        except (sqlite3.Error, UnicodeDecodeError, Unwritable) as error:
            problem = self._explained(error)
            if not isinstance(problem, (Unwritable, Unavailable)):
                raise problem from error
            self._unwritable = problem
            self._look()

    def _check(self) -> None:
        problem = cut_off(self.path)
        if problem:
            raise self._damaged(problem)

    def _set_up(self, opened: Connection) -> Connection:
        try:
            opened.db.execute("PRAGMA journal_mode=WAL")
            opened.db.execute("PRAGMA synchronous=FULL")
            opened.db.execute("PRAGMA secure_delete=ON")
            opened.db.execute("PRAGMA busy_timeout=30000")
            self._migrate(opened.db)
        except BaseException:
            with suppress(sqlite3.Error):
                opened.close()
            raise
        return opened

    def _migrate(self, db: sqlite3.Connection) -> None:
        (have,) = db.execute("PRAGMA user_version").fetchone()
        if have > len(self._migrations):
            raise Damaged(f"{self.path} was written by a newer Oldsoul (schema {have}); update this one")
        for number, script in enumerate(self._migrations[have:], have + 1):
            db.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version={number}; COMMIT;")

    def _look(self) -> None:
        """Look into the file as it is; into a copy in memory where tables are still to be brought up to date."""
        self._stamp, self._looks = _stamp(self.path), self._looks + 1
        try:
            self._check()
            there = _size(self.path) > 0
            opened = Connection.for_reading(self.path) if there else Connection.in_memory()
            (have,) = opened.db.execute("PRAGMA user_version").fetchone()
            if there and have < len(self._migrations):
                with opened as db:
                    copy = Connection.in_memory()
                    db.backup(copy.db)
                opened = copy
            self._migrate(opened.db)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._explained(error) from error
        self._opened = opened

    def close(self) -> None:
        """Close the file. The last to do so folds its log into it, so the file's lock is held."""
        with self._guard:
            if self._opened is None:
                return
            with ExitStack() as held:
                if not self._unwritable:
                    with suppress(OSError, Unwritable):  # its folder is gone: there is nothing to fold the log into
                        held.enter_context(locked(self.lock_path, self._what))
                with suppress(sqlite3.Error):
                    self._opened.close()
            self._opened = None

    @property
    def _held(self) -> Connection:
        if self._opened is None:
            raise Closed(f"{self._what} was closed ({self.path}); open the home again")
        return self._opened

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._held.db

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction. A durable one is on the disk when the block is left; another may be lost with the power."""
        with self._guard:
            db = self._writable()
            try:
                with explaining(), locked(self.lock_path, self._what):
                    if durable != self._durable:
                        db.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                        self._durable = durable
                    db.execute("BEGIN IMMEDIATE")
                    yield db
                    db.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._explained(error) from error
            finally:
                if db.in_transaction:
                    with suppress(sqlite3.Error):
                        db.execute("ROLLBACK")

    def _writable(self) -> sqlite3.Connection:
        """The file for writing: where it was only looked into, there may be room again."""
        before = self._held
        if self._unwritable:
            self._open()
            with suppress(sqlite3.Error):
                before.close()
            self._durable = True
        if self._unwritable:
            raise type(self._unwritable)(str(self._unwritable))
        return self._connection

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All reads of the block see the file as it was at its beginning."""
        with self._guard, ExitStack() as held:
            if not self._connection.in_transaction:
                if self._unwritable:
                    with suppress(OSError, Unwritable):  # nobody writes where there is no lock
                        held.enter_context(locked(self.lock_path, self._what, flags=os.O_RDONLY))
                    if self._stamp != _stamp(self.path):
                        before = self._held
                        try:
                            self._look()
                        finally:
                            before.close()
                self._rows("BEGIN", ())
                held.callback(self._end)
            yield

    def _end(self) -> None:
        if self._opened is not None and self._opened.db.in_transaction:
            with suppress(sqlite3.Error):  # nothing was written; what was wrong has been said by the read itself
                self._opened.db.execute("ROLLBACK")

    @contextmanager
    def erasing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that takes words away: they are in the file until `scrub`, or until it is next opened."""
        with self.writing() as db:
            db.execute("PRAGMA application_id=1")
            yield db

    def scrub(self) -> bool:
        """Write the file again, so that nothing deleted stays in it; whether its log could be emptied too.

        It cannot while another process is in the middle of reading what the log still holds.
        """
        with self._guard:
            self._writable()
            try:
                with locked(self.lock_path, self._what):
                    self._connection.execute("VACUUM")
                    return self._empty_log()
            except sqlite3.Error as error:
                raise self._explained(error) from error

    def empty_log(self) -> bool:
        """Have nothing stay in the log; whether that could be done. What is deleted from the file itself is written over."""
        with self._guard:
            self._writable()
            try:
                with locked(self.lock_path, self._what):
                    return self._empty_log()
            except sqlite3.Error as error:
                raise self._explained(error) from error

    def _empty_log(self) -> bool:
        db = self._connection
        (kept, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not kept:
            db.execute("PRAGMA application_id=0")
        return not kept

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._guard:
            if not self._unwritable:
                return self._rows(sql, values)
            with self.reading():
                return self._rows(sql, values)

    def _rows(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def seen(self) -> tuple[int, int]:
        """Changes when another process has written since."""
        return self._looks, self.rows("PRAGMA data_version")[0][0]

    def _explained(self, error: Exception) -> Exception:
        """An error of SQLite as one that callers know."""
        if isinstance(error, Unwritable):
            return error
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return Busy(f"another process has locked {self.path}; is it stuck?")
        folder = os.path.dirname(self.path)
        fails = code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
        if fails and not os.path.isdir(folder):
            return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
        if code == sqlite3.SQLITE_FULL or (fails and is_full(folder)):
            return Unwritable(f"the disk is full, so nothing was written: {self.path}")
        if code == sqlite3.SQLITE_READONLY or (fails and not os.access(folder, os.W_OK)):
            return Unwritable(f"{self.path} is read-only here")
        # All SQL is ours: where it makes no sense, the tables are not what they were.
        broken = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CANTOPEN)
        if code in broken or isinstance(error, UnicodeDecodeError) or str(error).startswith("Could not decode"):
            found = damage(self.path)
            if found:
                return self._damaged(found[0])
            return Damaged(f"{self.path} cannot be used ({error}), although a check finds no damage{_DOCTOR}")
        return Unavailable(f"{self.path} cannot be used ({error}){_DOCTOR}")

    def _damaged(self, problem: str) -> Damaged:
        """What is said of a file that was found to be damaged, and of no other."""
        name = os.path.basename(self.path)
        advice = f"restore it from a backup, or move {name} and all files that begin with {name}- away: {self._loss}"
        return Damaged(f"{self.path} is damaged ({problem}); {advice}{_DOCTOR}")


def damage(path: str) -> list[str]:
    """What is wrong with a file of ours, as far as SQLite can tell; reads it, and changes nothing."""
    problem = cut_off(path)
    if problem:
        return [problem]
    try:
        with Connection.for_reading(path) as db:
            said = [str(row[0]) for row in db.execute("PRAGMA quick_check(5)")]
    except UnicodeDecodeError as error:  # what SQLite says may quote what is damaged
        return [str(error)]
    except sqlite3.Error as error:
        is_found = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        return [str(error)] if is_found else []
    return [] if said == ["ok"] else said


def cut_off(path: str) -> str:
    """That a file of ours is not there whole: it was emptied, or ends too early. Empty when it is, or is new."""
    size, log = _size(path), _size(f"{path}-wal")
    if size <= 0:
        was_there = log > 0 or (size == 0 and _size(f"{path}.lock") > 0)
        return "it is empty, but was not before" if was_there else ""
    first = head(path)
    page = int.from_bytes(first[16:18]) if first[16:18] != b"\0\1" else 65536
    whole = page * int.from_bytes(first[28:32])
    if log <= 0 and first.startswith(b"SQLite format 3\0") and first[24:28] == first[92:96] and size < whole:
        return f"it is cut off: {size:,} of {whole:,} bytes are left"
    return ""


def _note_made(lock: str) -> None:
    """Have the lock tell that the file was made."""
    if not _size(lock):
        with suppress(OSError), open(lock, "r+b") as file:
            file.write(b"made\n")


def _stamp(path: str) -> tuple[object, ...]:
    """What changes when the file or its log is written."""
    found = []
    for file in (path, f"{path}-wal"):
        with suppress(OSError):
            status = os.stat(file)
            found.append((file, status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _size(path: str) -> int:
    """How many bytes a file has; -1 when it is not there."""
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


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
