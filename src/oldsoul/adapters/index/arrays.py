"""Arrays in files of their own, mapped into memory: rows are appended and never change, so opening them reads nothing.

How much of each file counts stands in the database, and is committed there with everything else. What a writer that was
killed left behind that is written over. A file that grows gets some room at its end, which takes no disk, so that it
need not be mapped again for every row. Arrays are derived: nothing is synced to the disk, and what the power took is
told by its checksum.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.errors import Damaged

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[Any]

_PIECE = 1 << 24
_RELEASE: int | None = getattr(mmap, "MADV_DONTNEED", None)
_ROOM, _SHARE = 1 << 16, 8
"""How much room a file gets that grows: so many bytes, or a share of its own length where that is more."""


class Gone(Damaged):
    """A file that counted a moment ago is not there."""


class Mapped:
    """One array."""

    def __init__(self, path: Path, dtype: np.dtype[Any], width: int = 0) -> None:
        self.path = path
        self._name = str(path)
        self.size = 0
        """how many rows count"""
        self.checksum = 0
        """of the rows that count"""
        self.dtype = dtype
        """of its numbers, or of a row of them"""
        self._width = width
        self._bytes = dtype.itemsize * max(width, 1)
        self._view = self._shaped(b"")
        self._mapping: mmap.mmap | None = None
        self.stamp = 0
        """when the file was written, as far as is known here"""

    def _shaped(self, data: Any) -> Array:
        flat = np.frombuffer(data, self.dtype)
        return flat.reshape(-1, self._width) if self._width else flat

    def map(self) -> None:
        """Have all that counts at hand."""
        if len(self._view) < self.size:
            self._map()

    @property
    def all(self) -> Array:
        """What it holds."""
        self.map()
        return self._view[: self.size]

    def _map(self) -> None:
        try:
            with self.path.open("rb") as file:
                found = os.fstat(file.fileno())
                there = found.st_size // self._bytes
                self.stamp = found.st_mtime_ns
                if there < self.size:
                    raise Damaged(f"{self.path} is damaged: it is shorter than before")
                self._mapping = mmap.mmap(file.fileno(), there * self._bytes, access=mmap.ACCESS_READ)
                self._view = self._shaped(self._mapping)
        except FileNotFoundError as error:
            raise Gone(str(self.path)) from error

    def release(self) -> None:
        """Have what was looked at count as this process's memory no more; it stays mapped."""
        if self._mapping is not None and _RELEASE is not None:
            self._mapping.madvise(_RELEASE)

    def extend(self, more: Array) -> None:
        """Append; `Gone` when what counts is not there any more: a new file would have noughts in its place."""
        data = np.ascontiguousarray(more, self.dtype).reshape(-1).view("u1").data
        if len(data):
            try:
                if not self.size:
                    self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                file = os.open(self._name, os.O_WRONLY | os.O_CLOEXEC | (0 if self.size else os.O_CREAT), 0o600)
            except (FileNotFoundError, FileExistsError) as error:  # all of it may be deleted at any moment
                raise Gone(self._name) from error
            try:
                start, done = self.size * self._bytes, 0
                while done < len(data):
                    done += os.pwrite(file, data[done : done + _PIECE], start + done)
                found = os.fstat(file)
                if start and found.st_size == start + done:
                    os.ftruncate(file, found.st_size + max(_ROOM, found.st_size // _SHARE))
                    found = os.fstat(file)
                self.stamp = found.st_mtime_ns
            finally:
                os.close(file)
            self.size += len(data) // self._bytes
            self.checksum = zlib.crc32(data, self.checksum)

    def check(self) -> None:
        """`Damaged` when what counts is not what was appended."""
        value = 0
        for first in range(0, self.size, max(_PIECE // self._bytes, 1)):
            value = zlib.crc32(self.all[first : first + max(_PIECE // self._bytes, 1)].data, value)
        if value != self.checksum:
            raise Damaged(f"{self.path} is damaged")

    def is_whole(self) -> bool:
        """Whether the file still has all that counts; reading what it has not ends the process."""
        needed = self.size * self._bytes
        if self._mapping is not None and len(self._view) >= self.size:
            return self._mapping.size() >= needed  # of the file that is mapped, which may have been replaced
        try:
            return os.stat(self._name).st_size >= needed
        except FileNotFoundError:
            return True

    def read(self, size: int, checksum: int, stamp: int) -> None:
        """Go by what the database says. The first time, a file that was written since is read through."""
        is_new = not len(self._view)
        self.size, self.checksum = size, checksum
        if len(self._view) < size:
            self._map()
            if is_new and self.stamp != stamp:
                self.check()


class Shelf:
    """The arrays of one index, in one folder, which is made when something is put there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._arrays: dict[str, Mapped] = {}
        self._state: dict[str, tuple[int, int, int]] = {}

    def array(self, name: str, dtype: str | np.dtype[Any], width: int = 0) -> Mapped:
        """The array of this name; an empty one when there is none."""
        if name not in self._arrays:
            made = self._arrays[name] = Mapped(self.folder / name, np.dtype(dtype), width)
            if name in self._state:
                made.read(*self._state[name])
        return self._arrays[name]

    def read(self, state: str | None) -> None:
        """Go by what the database says; `Gone` when it says something else by now."""
        self._state = {name: (size, total, stamp) for name, (size, total, stamp) in json.loads(state or "{}").items()}
        for name, made in self._arrays.items():
            made.read(*self._state.get(name, (0, 0, 0)))

    def state(self, kept: Collection[str]) -> str:
        """What the database is to say of these arrays; the others do not count any more."""
        self.drop(set(self._arrays) - set(kept))
        self._state = {name: self._now(name, array) for name, array in sorted(self._arrays.items())}
        return json.dumps(self._state)

    def _now(self, name: str, array: Mapped) -> tuple[int, int, int]:
        """How much of an array counts, its checksum, and when its file was written."""
        known = self._state.get(name, (0, 0, 0))
        is_same = known[:2] == (array.size, array.checksum)
        return known if is_same else (array.size, array.checksum, array.stamp if array.size else 0)

    @property
    def counting(self) -> frozenset[str]:
        """The names of the arrays that the database speaks of."""
        return frozenset(self._state)

    def sweep(self) -> None:
        """Delete the files that do not count. Who has them mapped keeps what is mapped."""
        wanted = self._state
        for folder in self.folder.parent.iterdir() if self.folder.parent.is_dir() else ():
            if folder != self.folder:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            for file in folder.iterdir():
                if file.name not in wanted:
                    file.unlink(missing_ok=True)

    def drop(self, names: Collection[str]) -> None:
        """Let go of arrays nobody looks at any more."""
        for name in names:
            self._arrays.pop(name, None)

    def check(self) -> None:
        """Read all of it."""
        for made in self._arrays.values():
            made.check()

    def map(self) -> None:
        """Have all that counts at hand, also what was appended here: later the files may be gone."""
        for made in self._arrays.values():
            made.map()

    def release(self) -> None:
        """Have what was looked at count as this process's memory no more."""
        for made in self._arrays.values():
            made.release()

    def is_whole(self) -> bool:
        """Whether no file has become shorter."""
        return all(made.is_whole() for made in self._arrays.values())
