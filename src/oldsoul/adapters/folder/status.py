"""What the operating system tells of one file: its stamp, its age, and whether somebody writes into it."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import time
from dataclasses import dataclass
from typing import NamedTuple

from oldsoul.errors import Refused

QUIET_SECONDS = 2.0
_TICK = 100_000_000  # nanoseconds; file times move in steps of up to 10 ms
_CLOCK_SLACK = 1.0  # seconds; a time further ahead of ours than this tells nothing


@dataclass(frozen=True, slots=True)
class Stamp:
    """What changes when a file does."""

    inode: int
    size: int
    modified: int
    """nanoseconds"""
    mode: int
    owner: tuple[int, int]
    """user and group"""


class Glance(NamedTuple):
    """What tells a file that changed from one that did not, without opening it."""

    inode: int
    size: int
    modified: int
    changed: int

    def is_old(self) -> bool:
        """Whether the file rests: a change within one tick of the clock could not be distinguished from none."""
        return time.time_ns() - max(self.modified, self.changed) > _TICK


MISSING = Glance(0, 0, 0, 0)


def is_link(name: str, folder: int) -> bool:
    """Whether a name in an open folder is a symbolic link."""
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def plain(fd: int, path: str) -> os.stat_result:
    """The status of an open file; `Refused` when it is a folder, a pipe or a device."""
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"{path} is not a regular file, so it is not read")
    return status


def age(status: os.stat_result) -> float:
    """How many seconds ago something last happened to a file; long ago when its time lies in the future."""
    age = time.time() - max(status.st_mtime, status.st_ctime)
    return age if age > -_CLOCK_SLACK else QUIET_SECONDS


def unwritten(fd: int, status: os.stat_result) -> bool:
    """Whether no process has the file open for writing; where that is unknown, whether it has rested a while."""
    lease = _lease(fd)
    return age(status) >= QUIET_SECONDS if lease is None else lease


def _lease(fd: int) -> bool | None:
    """Whether no process has the file open for writing; None where the system does not tell."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        # Whoever opens the file while we hold the lease makes the kernel signal us: with one that is ignored.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return False
    except OSError:
        return None
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return True


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp that tells of a status."""
    return Stamp(
        status.st_ino, status.st_size, status.st_mtime_ns, stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid)
    )
