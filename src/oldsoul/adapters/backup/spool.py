"""A private folder beside the place that something is written to; what killed processes left there is removed."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def spool(target: str) -> Iterator[str]:
    """A folder on the same disk as the target, and gone with everything in it when the block is left."""
    parent, name = os.path.split(target)
    _sweep(parent, name)
    place = os.path.join(parent, f".{name}.{secrets.token_hex(6)}.partial")
    # It gets its name once it is locked: others remove what has such a name and no lock.
    os.mkdir(f"{place}.new", 0o700)
    lock = os.open(f"{place}.new", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # some network disks lock no folders; nothing is removed there either
            fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(f"{place}.new", place)
        yield place
    finally:
        for made in (place, f"{place}.new"):
            shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def _sweep(parent: str, name: str) -> None:
    """Remove what was left by processes that were killed while they wrote to the same place."""
    left = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{12}}\.partial")
    for found in os.listdir(parent):
        if left.fullmatch(found):
            with suppress(OSError):  # somebody is at work in it, or has removed it just now
                lock = os.open(os.path.join(parent, found), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(os.path.join(parent, found), ignore_errors=True)
                finally:
                    os.close(lock)


def sync(path: str) -> None:
    """What is in a file or folder is on the disk when this returns."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class Meter:
    """How much of some work is done, in bytes; whoever is told may end the work by raising an error."""

    def __init__(self, told: Callable[[int, int], None]) -> None:
        self._told = told
        self.done = self.total = 0

    def add(self, number: int) -> None:
        """So many bytes more are done."""
        self.done += number
        self._told(min(self.done, self.total), self.total)
