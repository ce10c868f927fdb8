"""Kernel file locks: held by an open file, gone with the process, never stale."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oldsoul.adapters.folder.writable import explaining
from oldsoul.errors import Busy, Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_SECONDS = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.02


@contextmanager
def locked(
    path: str, what: str, patience: float = PATIENCE_SECONDS, *, flags: int = os.O_RDWR | os.O_CREAT
) -> Iterator[None]:
    """Hold the lock while the block runs; `Busy` when another process does not let go of it in time.

    `Unwritable` where there can be no lock, so that nobody may write.
    """
    try:
        with explaining():
            fd = os.open(path, flags | os.O_CLOEXEC, 0o600)
    except PermissionError as error:
        raise Unwritable(f"{what} is read-only here: {error.strerror}: {path}") from error
    try:
        _acquire(fd, what, patience)
        yield
    finally:
        os.close(fd)


def _acquire(fd: int, what: str, patience: float) -> None:
    pause = _FIRST_PAUSE
    give_up = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise Busy(f"another process has locked {what} for more than {patience:.0f} s; is it stuck?") from None
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        else:
            return
