"""Arrays in separate files, copied when they are opened: rows are appended and never change, so only new ones are read.

How much of each file counts is in the database, and is committed there with everything else. What a writer that was
killed left behind that is written over. A copy has some room at its end, so that it need not be made again for every
row. Arrays are derived: nothing is synced to the disk, and what the power or another program took is found by a checksum.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
import weakref
import zlib
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.errors import Damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_PIECE = 1 << 24
_RELEASE: int | None = getattr(mmap, "MADV_DONTNEED", None)
_ROOM, _SHARE = 1 << 16, 8
"""How much room a copy gets: so many bytes, or its own share length where that is more."""
_MUCH = 1 << 22
"""Copies of so many bytes lie in a file, from which the system can take memory back."""


class MissingArray(Damaged):
    """A file that counted a moment ago is not there."""


class _Copy:
    """Bytes that were read of a file, where no other program can take them away: in memory, or many in a nameless file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: int | None = None
        self._mapping: mmap.mmap | None = None
        self.data: Any = b""
        """all there is, and room after it"""

    def reserve(self, size: int) -> None:
        """Have room for so many bytes, and some more; what is there stays."""
        if size <= len(self.data):
            return
        room = size + max(_ROOM, size // _SHARE)
        if room > _MUCH and self._file is None:
            self._begin_file()
        if self._file is None:
            grown = np.empty(room, "u1")
            grown[: len(self.data)] = np.frombuffer(self.data, "u1")
            self.data = grown
            return
        os.ftruncate(self._file, room)
        self.data = self._mapping = mmap.mmap(self._file, room, access=mmap.ACCESS_READ)

    def _begin_file(self) -> None:
        """Go on in a file that has no name; in memory, where there can be none."""
        import tempfile  # noqa: PLC0415 - few indexes are large

        with suppress(OSError), tempfile.TemporaryFile(buffering=0, dir=self._folder) as made:
            _write(made.fileno(), memoryview(self.data), 0)
            self._file = os.dup(made.fileno())
            weakref.finalize(self, os.close, self._file)

    def put(self, place: int, piece: bytes) -> None:
        """Have these bytes there."""
        if self._file is not None:
            try:
                return _write(self._file, memoryview(piece), place)
            except OSError:  # the disk is full
                self.data = np.frombuffer(self.data, "u1").copy()
                self._file = self._mapping = None
        self.data[place : place + len(piece)] = np.frombuffer(piece, "u1")
        return None

    def release(self) -> None:
        """Have what was looked at count as this process's memory no more, as far as it lies in a file."""
        if self._mapping is not None and _RELEASE is not None:
            self._mapping.madvise(_RELEASE)


def _write(file: int, data: memoryview, place: int) -> None:
    done = 0
    while done < len(data):
        done += os.pwrite(file, data[done : done + _PIECE], place + done)


class Mapped:
    """One array: a file that others append to as well, and a copy of what counts of it, which is what is looked at.

    Reading a file through a mapping ends the process when another program has cut it short. A copy has nobody but us.
    """

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
        self._copy = _Copy(path.parent)
        self._copied, self._sum = 0, 0  # how many rows, and their checksum
        self._view = self._shaped(b"")
        self.stamp = 0
        """when the file was written, as far as is known here"""

    def _shaped(self, data: Any) -> Array:
        flat = np.frombuffer(data, self.dtype, len(data) // self._bytes * max(self._width, 1))
        flat.flags.writeable = False
        return flat.reshape(-1, self._width) if self._width else flat

    def map(self) -> None:
        """Have all that counts at hand."""
        if self._copied < self.size:
            self._take()

    @property
    def all(self) -> Array:
        """What it holds."""
        self.map()
        return self._view[: self.size]

    def _take(self, trusted: int | None = None) -> None:
        """Copy what is missing. It is held against its checksum, but for a whole file with the stamp that is trusted."""
        start, end = self._copied * self._bytes, self.size * self._bytes
        try:
            with self.path.open("rb", buffering=0) as file:
                self._copy.reserve(end)
                for place in range(start, end, _PIECE):
                    piece = os.pread(file.fileno(), min(_PIECE, end - place), place)
                    if len(piece) < min(_PIECE, end - place):
                        raise Damaged(f"{self.path} is damaged: it is shorter than before")
                    self._copy.put(place, piece)
                self.stamp = os.fstat(file.fileno()).st_mtime_ns
        except FileNotFoundError as error:
            raise MissingArray(str(self.path)) from error
        if start or self.stamp != trusted:
            self._check(start, end)
        self._copied, self._sum = self.size, self.checksum
        self._view = self._shaped(self._copy.data)

    def _check(self, start: int, end: int) -> None:
        """`Damaged` when the bytes that follow what was checked before are not what was appended."""
        value, data = self._sum if start else 0, memoryview(self._copy.data)
        for place in range(start, end, _PIECE):
            value = zlib.crc32(data[place : min(place + _PIECE, end)], value)
        if value != self.checksum:
            raise Damaged(f"{self.path} is damaged")

    def release(self) -> None:
        """Have what was looked at count as this process's memory no more, as far as it can be had again."""
        self._copy.release()

    def extend(self, more: Array) -> None:
        """Append; `MissingArray` when what counts is not there any more: a new file would have noughts in its place."""
        data = np.ascontiguousarray(more, self.dtype).reshape(-1).view("u1").data
        if len(data):
            try:
                if not self.size:
                    self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                file = os.open(self._name, os.O_WRONLY | os.O_CLOEXEC | (0 if self.size else os.O_CREAT), 0o600)
            except (FileNotFoundError, FileExistsError) as error:  # all of it may be deleted at any moment
                raise MissingArray(self._name) from error
            try:
                start = self.size * self._bytes
                if start and os.fstat(file).st_mtime_ns != self.stamp:
                    self._check_file()  # what is appended would have its damage count
                _write(file, data, start)
                self.stamp = os.fstat(file).st_mtime_ns
            finally:
                os.close(file)
            self.size += len(data) // self._bytes
            self.checksum = zlib.crc32(data, self.checksum)

    def check(self) -> None:
        """`Damaged` when what counts is not what was appended, in the file or here."""
        self._check_file()
        self.map()
        self._check(0, self.size * self._bytes)

    def _check_file(self) -> None:
        whole = Mapped(self.path, self.dtype, self._width)
        whole.size, whole.checksum = self.size, self.checksum
        whole.map()

    def is_whole(self) -> bool:
        """Whether the file still has all that counts; one that is not there was replaced."""
        try:
            return os.stat(self._name).st_size >= self.size * self._bytes
        except FileNotFoundError:
            return True

    def read(self, size: int, checksum: int, stamp: int) -> None:
        """Go by what the database says. The first time, a file that was written since is held against its checksum."""
        self.size, self.checksum = size, checksum
        if self._copied < size:
            self._take(stamp)


class ArrayFolder:
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
        """Go by what the database says; `MissingArray` when it says something else by now."""
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
        """Delete the files that do not count. Who has copies keeps them."""
        wanted = self._state
        for folder in self.folder.parent.iterdir() if self.folder.parent.is_dir() else ():
            if folder != self.folder:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            for file in folder.iterdir():
                if file.name not in wanted:
                    file.unlink(missing_ok=True)

    def drop(self, names: Collection[str]) -> None:
        """Release arrays nobody looks at any more."""
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
