"""Kernel file locks: held by an open file, gone with the process, never stale."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from oldsoul.adapters.folder.disk import explaining, make_folders
from oldsoul.errors import Busy, Unwritable
from oldsoul.values.ids import segment

PATIENCE_SECONDS = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.02


@contextmanager
def locked(
    path: str, what: str, timeout: float = PATIENCE_SECONDS, *, flags: int = os.O_RDWR | os.O_CREAT
) -> Iterator[None]:
    """Hold the lock while the block runs; `Busy` when another process does not release it in time.

    `Unwritable` where there can be no lock, so that nobody may write.
    """
    try:
        with explaining():
            fd = os.open(path, flags | os.O_CLOEXEC, 0o600)
    except PermissionError as error:
        raise Unwritable(f"{what} is read-only here: {error.strerror}: {path}") from error
    try:
        _acquire(fd, what, timeout)
        yield
    finally:
        os.close(fd)


def _acquire(fd: int, what: str, timeout: float) -> None:
    pause = _FIRST_PAUSE
    give_up = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise Busy(f"another process has locked {what} for more than {timeout:.0f} s; is it stuck?") from None
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        else:
            return


_MOST_BYTES = 4096
_TRIES, _PAUSE = 20, 0.002


class FolderLeases:
    """Two files for each piece of work: one is locked by whoever is at it, the other says what they are doing."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @contextmanager
    def take(self, workspace: str, work: str) -> Iterator[FolderLease | None]:
        """The lease, until the block is left; None when somebody else has it."""
        path = self._path(workspace, work)
        make_folders(os.path.dirname(path))
        lock = _opened(f"{path}.lock")
        try:
            if not _locked(lock, fcntl.LOCK_EX):
                yield None
                return
            note = _opened(f"{path}.now")
            try:
                # Locked too, so that those who look need not touch the first lock, which would be in a taker's way.
                for _ in range(_TRIES):
                    if _locked(note, fcntl.LOCK_EX):
                        break
                    time.sleep(_PAUSE)
                lease = FolderLease(note)
                yield lease
                lease.clear()
            finally:
                os.close(note)
        finally:
            os.close(lock)

    def noted(self, workspace: str, work: str) -> str | None:
        """What whoever is at it says; None when nobody is."""
        try:
            note = os.open(f"{self._path(workspace, work)}.now", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            return None if _locked(note, fcntl.LOCK_SH) else _read(note)
        finally:
            os.close(note)

    def _path(self, workspace: str, work: str) -> str:
        return os.path.join(self._folder, segment(workspace), segment(work))


class FolderLease:
    """A lease that is held."""

    def __init__(self, note: int) -> None:
        self._note = note
        self._is_noted = False
        self.left = _read(note)

    def note(self, text: str) -> None:
        """Say what is being done. That it cannot be said stops nobody."""
        self._is_noted = True
        data = text.encode("utf-8", "replace")[:_MOST_BYTES]
        with suppress(OSError):
            os.ftruncate(self._note, os.pwrite(self._note, data, 0))

    def clear(self) -> None:
        """What was begun has come to its end; what others left stays when nothing was begun."""
        if self._is_noted:
            self.note("")


def _opened(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(fd: int) -> str:
    return os.pread(fd, _MOST_BYTES, 0).decode("utf-8", "replace")
