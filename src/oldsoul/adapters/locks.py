"""Kernel file locks: held by an open file, gone with the process, never stale."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from oldsoul.adapters.folder.writable import explaining
from oldsoul.errors import Busy, Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_SECONDS = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.02
_turns: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
"""Threads of this process wait here for one another: whoever looks again and again is overtaken by others without end."""
os.register_at_fork(after_in_child=_turns.clear)


@contextmanager
def locked(
    path: str, what: str, patience: float = PATIENCE_SECONDS, *, flags: int = os.O_RDWR | os.O_CREAT
) -> Iterator[None]:
    """Hold the lock while the block runs; `Busy` when another process does not let go of it in time.

    `Unwritable` where there can be no lock, so that nobody may write.
    """
    give_up = time.monotonic() + patience
    turn = _turns.setdefault(path, threading.Lock())
    if not turn.acquire(timeout=patience):
        raise _busy(what, patience)
    try:
        fd = _opened(path, what, flags)
        try:
            if not _acquire(fd, give_up):
                raise _busy(what, patience)
            yield
        finally:
            os.close(fd)
    finally:
        turn.release()


def _opened(path: str, what: str, flags: int) -> int:
    try:
        with explaining():
            return os.open(path, flags | os.O_CLOEXEC, 0o600)
    except PermissionError as error:
        raise Unwritable(f"{what} is read-only here: {error.strerror}: {path}") from error


def _acquire(fd: int, give_up: float) -> bool:
    """Whether the file could be locked, until a time."""
    pause = _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                return False
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        else:
            return True


def _busy(what: str, patience: float) -> Busy:
    return Busy(f"another process has locked {what} for more than {patience:.0f} s; is it stuck?")
