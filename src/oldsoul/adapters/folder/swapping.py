"""The steps that put a document's new bytes in its place, each of which may be the last before the power goes.

The bytes are first written to `<temp>-new`, which becomes `<temp>` when it is whole and synced, and is then swapped with
the document. So what has the name `<temp>` is never half of ours: it holds the new bytes (the swap is still to be made)
or what came out (it was made). Where files cannot be swapped, what comes out is `<temp>-old`.
"""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from oldsoul.adapters.folder.disk import NoExchangeError

if TYPE_CHECKING:
    from oldsoul.adapters.folder.disk import Disk
    from oldsoul.adapters.folder.status import Stamp

_TEMP = ".os-"
_MAX_STEM_BYTES = 150
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})


def temp_for(path: str) -> str:
    """A name of our own beside a document."""
    folder, file = os.path.split(path)
    stem = file.encode()[:_MAX_STEM_BYTES].decode("utf-8", "ignore")
    return os.path.join(folder, f".{stem}{_TEMP}{secrets.token_hex(6)}")


def prepare(disk: Disk, path: str, temp: str, data: bytes) -> None:
    """The new bytes, whole and synced, under their temporary name."""
    like = disk.stamp(path)
    new = f"{temp}-new"
    try:
        _write(disk, new, data, like)
    except FileNotFoundError:
        _make_folders(disk, os.path.dirname(path))
        _write(disk, new, data, like)
    disk.overwrite(new, temp)


def swap(disk: Disk, path: str, temp: str, *, exists: bool) -> None:
    """The new file in (none, if it is not to exist), the old one out, in one step. What comes out has the temporary name."""
    there = disk.stamp(path) is not None
    try:
        if not exists:
            with suppress(FileNotFoundError):
                disk.place(path, temp)
        elif there:
            try:
                disk.exchange(temp, path)
            except FileNotFoundError:
                disk.place(temp, path)
        else:
            try:
                disk.place(temp, path)
            except FileExistsError:
                disk.exchange(temp, path)
    except NoExchangeError:
        _swap_in_two_steps(disk, path, temp, exists=exists)


def _swap_in_two_steps(disk: Disk, path: str, temp: str, *, exists: bool) -> None:
    """Where files cannot be swapped: keep the old one by a second name, then rename over it."""
    if not exists:
        with suppress(FileNotFoundError):
            disk.overwrite(path, temp)
        return
    if disk.stamp(path) is None and _linked(disk, temp, path):
        with suppress(OSError):  # the work is done; whoever looks next removes it
            disk.unlink(temp)
        return
    if disk.stamp(path) is not None:
        if not _linked(disk, path, f"{temp}-old"):
            _copy(disk, path, temp)
        disk.sync_folder(os.path.dirname(path))  # before the only other name of it goes
    disk.overwrite(temp, path)


def _linked(disk: Disk, source: str, target: str) -> bool:
    """Whether a file got a second name; it does not where there are no links, or the name is taken."""
    try:
        disk.link(source, target)
    except OSError as error:
        if isinstance(error, FileExistsError | FileNotFoundError) or error.errno in _NO_LINKS:
            return False
        raise
    return True


def _copy(disk: Disk, path: str, temp: str) -> None:
    """Keep the old file as a copy, for want of a second name."""
    found = disk.read(path)
    if found is not None:
        _write(disk, f"{temp}-new", found[0], found[1])
        disk.overwrite(f"{temp}-new", f"{temp}-old")


def _write(disk: Disk, path: str, data: bytes, like: Stamp | None) -> None:
    file = disk.create(path, like)
    try:
        disk.write(file, data)
        disk.sync(file)
    finally:
        disk.close(file)


def _make_folders(disk: Disk, folder: str) -> None:
    disk.make_folder("")
    parts = folder.split("/") if folder else []
    for count in range(1, len(parts) + 1):
        if disk.make_folder("/".join(parts[:count])):
            disk.sync_folder("/".join(parts[: count - 1]))
