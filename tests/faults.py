"""SQLite and the disk below it, failing when a test says so: on every machine, whoever runs the test."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oldsoul.adapters.folder.disk import Disk
from oldsoul.adapters.index.arrays import Mapped
from oldsoul.adapters.sqlite import file as sqlite_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

_WRITING = ("begin immediate", "vacuum", "pragma journal_mode", "pragma wal_checkpoint")


def failure(code: int, text: str = "") -> sqlite3.Error:
    """An error as SQLite raises it."""
    kinds = {sqlite3.SQLITE_CONSTRAINT: sqlite3.IntegrityError, sqlite3.SQLITE_MISUSE: sqlite3.InterfaceError}
    kinds |= {sqlite3.SQLITE_CORRUPT: sqlite3.DatabaseError, sqlite3.SQLITE_NOTADB: sqlite3.DatabaseError}
    error = kinds.get(code, sqlite3.OperationalError)(text or f"injected {code}")
    error.sqlite_errorcode = code
    return error


@dataclass
class Faults:
    """What goes wrong from now on."""

    fails: Callable[[str], sqlite3.Error | None] = lambda _: None
    """says of a statement which error it ends with"""
    below: str = ""
    """only files below this folder are concerned"""
    count: int = 0
    """how many statements there were"""

    def check(self, file: str, sql: str) -> None:
        if self.below not in file or file == ":memory:":
            return
        self.count += 1
        error = self.fails(" ".join(sql.split()).lower())
        if error is not None:
            raise error

    def at(self, number: int, code: int) -> None:
        """Have the n-th statement from now fail, once."""
        wanted = self.count + number
        self.fails = lambda _: failure(code) if self.count == wanted else None

    def nothing(self) -> None:
        """All is well again."""
        self.fails = lambda _: None


def watched(monkeypatch: pytest.MonkeyPatch) -> Faults:
    """Have every statement of ours asked first whether it fails."""
    faults = Faults()

    class Failing(sqlite3.Connection):
        def __init__(self, file: str, *given: Any, **named: Any) -> None:
            super().__init__(file, *given, **named)
            self.file = str(file)

        def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:
            faults.check(self.file, sql)
            return super().execute(sql, *more)

        def executemany(self, sql: str, *more: Any) -> sqlite3.Cursor:
            faults.check(self.file, sql)
            return super().executemany(sql, *more)

        def executescript(self, sql: str) -> sqlite3.Cursor:
            faults.check(self.file, sql)
            return super().executescript(sql)

    connect = sqlite3.connect

    def connected(*given: Any, **named: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = connect(*given, **{"factory": Failing, **named})
        return made

    monkeypatch.setattr(sqlite3, "connect", connected)
    return faults


@contextmanager
def full(monkeypatch: pytest.MonkeyPatch, faults: Faults) -> Iterator[None]:
    """A disk without room: SQLite cannot open a file for writing nor commit, and no file can be made or grow."""

    def no_room(*_: object, **__: object) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fails(sql: str) -> sqlite3.Error | None:
        if sql.startswith("pragma journal_mode"):  # as it is when SQLite cannot make the list of its log
            return failure(sqlite3.SQLITE_IOERR, "disk I/O error")
        return failure(sqlite3.SQLITE_FULL, "database or disk is full") if sql.startswith(_WRITING) else None

    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file, "is_full", lambda _: True)
        for kind, name in ((Disk, "create"), (Mapped, "extend")):
            patch.setattr(kind, name, no_room)
        faults.fails = fails
        try:
            yield
        finally:
            faults.nothing()


@contextmanager
def read_only(monkeypatch: pytest.MonkeyPatch, faults: Faults, below: str) -> Iterator[None]:
    """A disk that can only be read, below a folder."""
    opened, access = os.open, os.access

    def only_read(path: Any, flags: int, *more: Any, **further: Any) -> int:
        if str(path).startswith(below) and flags & (os.O_CREAT | os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return opened(path, flags, *more, **further)

    def accessible(path: Any, mode: int, **further: Any) -> bool:
        return access(path, mode, **further) and not (str(path).startswith(below) and mode & os.W_OK)

    def cannot(*_: object) -> Any:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", only_read)
        patch.setattr(os, "access", accessible)
        patch.setattr(Disk, "create", cannot)
        is_writing = ("begin immediate", "vacuum")
        faults.below = below
        faults.fails = lambda sql: failure(sqlite3.SQLITE_READONLY) if sql.startswith(is_writing) else None
        try:
            yield
        finally:
            faults.below = ""
            faults.nothing()


class Steps:
    """What is opened, listed, made, moved or deleted below a folder, and what SQLite is asked there, step by step."""

    def __init__(self) -> None:
        self.below = ""
        self.came = False
        """whether it came to the step that was waited for"""
        self._every = self._left = self._times = 0
        self._do: Callable[[], None] = lambda: None

    def at(self, number: int, do: Callable[[], None], *, times: int = 1) -> None:
        """Do something right before the n-th step from now, and so many times in all before every n-th."""
        self.came, self._do = False, do
        self._every, self._left, self._times = number, number, times

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.came = True
            self._times -= 1
            self._do()
            self._left = self._every if self._times else 0

    def heard(self, event: str, told: tuple[Any, ...]) -> None:
        is_step = self.below and self._left > 0 and (event == "open" or event.startswith("os."))
        if is_step and any(isinstance(one, str | bytes) and self.below in os.fsdecode(one) for one in told):
            self.step()


_STEPS = Steps()
sys.addaudithook(_STEPS.heard)


@contextmanager
def steps(faults: Faults, below: str) -> Iterator[Steps]:
    """The steps that are taken below a folder."""

    def asked(_: str) -> None:
        if _STEPS._left > 0:
            _STEPS.step()

    _STEPS.below, faults.below, faults.fails = below, below, asked
    try:
        yield _STEPS
    finally:
        _STEPS.below, _STEPS._left = "", 0
        faults.nothing()
