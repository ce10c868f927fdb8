"""Unpacks a backup: everything is checked in a folder beside the home, which then becomes the home in one step."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oldsoul.adapters.backup.archive import Reader, damaged
from oldsoul.adapters.backup.spool import Meter, spool, sync
from oldsoul.adapters.folder.writable import explaining
from oldsoul.adapters.sqlite.copying import unsound
from oldsoul.errors import BadInput, NotFound, Unwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TAKEN = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR})
_MOUNTED = frozenset({errno.EBUSY, errno.EXDEV})
_IMPOSSIBLE = frozenset({errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.EILSEQ})
"""Errors that come of the names in a backup, not of the disk."""
_OWNERS = 0o600


@contextmanager
def unpacked(archive: str, home: str, told: Callable[[int, int], None]) -> Iterator[tuple[str, Reader]]:
    """The folder that becomes the home when the block is left without an error, and what it was unpacked from."""
    check_empty(home)
    meter = Meter(told)
    with explaining(), spool(home) as place, _opened(archive) as file:
        reader = Reader(file, archive, meter)
        meter.total = reader.size
        free = os.statvfs(place)
        if reader.size > free.f_bavail * free.f_frsize:
            raise Unwritable(
                f"the backup needs {reader.size:,} bytes, and only {free.f_bavail * free.f_frsize:,} are free on"
                f" the disk of {home}; nothing was written"
            )
        folder = os.path.join(place, "home")
        _unpack(reader, archive, folder)
        yield folder, reader
        for path in (*reader.files, *reversed(["", *reader.folders])):  # at the end, when most of it is on the disk
            meter.add(0)
            sync(os.path.join(folder, path))
        _put_in_place(folder, home)


def check_empty(home: str) -> None:
    """`BadInput` when something is where the home is to be, or nothing is above it."""
    if os.path.lexists(home) and not (os.path.isdir(home) and not os.listdir(home)):
        raise BadInput(f"{home} is not empty; restore to another folder with --home, or move it away first")
    if not os.path.isdir(os.path.dirname(home)):
        raise BadInput(f"there is no folder {os.path.dirname(home)}; create it first, or choose another with --home")


@contextmanager
def _opened(archive: str) -> Iterator[Any]:
    if not os.path.isfile(archive):
        raise NotFound(f"there is no file {archive}")
    with open(archive, "rb") as file:
        yield file


def _unpack(reader: Reader, archive: str, folder: str) -> None:
    """Make every folder and file, each new: nothing that is there is followed or written over."""
    try:
        os.mkdir(folder, 0o700)
        for path in reader.folders:
            os.mkdir(os.path.join(folder, path), 0o700)
        for path, listed in reader.files.items():
            place = os.path.join(folder, path)
            fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as target:
                reader.unpack(path, target)
                target.flush()
                os.fchmod(fd, _OWNERS | listed.mode & stat.S_IXUSR)  # memory is nobody else's business
                os.utime(fd, ns=(listed.modified, listed.modified))
            problem = unsound(place) if path.startswith("state/") and path.endswith(".db") else ""
            if problem:
                raise damaged(archive, f"{path}: {problem}")
    except OSError as error:
        if error.errno in _IMPOSSIBLE or isinstance(error, FileNotFoundError):
            raise damaged(archive, f"it names files that cannot be together: {error.strerror}") from error
        raise


def _put_in_place(folder: str, home: str) -> None:
    try:
        os.rename(folder, home)
    except OSError as error:
        if error.errno in _TAKEN:
            check_empty(home)
        if error.errno in _MOUNTED:
            raise BadInput(f"{home} is a mount point; restore to a folder in it with --home {home}/home") from error
        raise
    sync(os.path.dirname(home))
