"""Folders made so that they last, and whether the disk takes anything at all."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING

from oldsoul.errors import Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER_MODE = 0o700
"""Memory is nobody else's business."""
_HARDLY_ANY = 128 * 1024  # bytes; SQLite needs 32 KiB beside a file to open it


def make_folders(path: str) -> bool:
    """Make a folder and those above it, so that they are there after a power cut too; False when it was there."""
    missing = []
    where = os.path.abspath(path)
    while not os.path.isdir(where):
        missing.append(where)
        where = os.path.dirname(where)
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, FOLDER_MODE)
        parent = os.open(os.path.dirname(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
    return bool(missing)


@contextlib.contextmanager
def explaining() -> Iterator[None]:
    """Errors of the system that tell that nothing can be written are `Unwritable`."""
    try:
        yield
    except OSError as error:
        where = f": {os.fsdecode(error.filename)}" if error.filename else ""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Unwritable(f"the disk is full, so nothing was written{where}") from error
        if error.errno == errno.EROFS:
            raise Unwritable(f"the disk is read-only{where}") from error
        raise


def is_full(folder: str) -> bool:
    """Whether there is hardly any room left on the disk a folder lies on."""
    try:
        status = os.statvfs(folder)
    except OSError:
        return False
    return status.f_bavail * status.f_frsize < _HARDLY_ANY
