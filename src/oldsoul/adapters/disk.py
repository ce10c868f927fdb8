"""One workspace folder as the operating system has it: every call the folder store makes goes through here.

Paths are relative to the folder and come from typed names only. Still, each is opened step by step without following
symbolic links, except where a link leads to another place in the same folder; one that leads out is refused.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import stat
import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

QUIET_SECONDS = 2.0
_TICK = 100_000_000  # nanoseconds; file times move in steps of up to 10 ms
_MAX_LINKS = 8
_FILE_MODE, _FOLDER_MODE = 0o600, 0o700  # memory is nobody else's business
_EXCHANGE, _NO_REPLACE = (2, 1) if sys.platform == "linux" else (2, 4)
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_CLOSED_ON_EXEC = os.O_CLOEXEC


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
        """Whether the file rests: a change within one tick of the clock could not be told from none."""
        return time.time_ns() - max(self.modified, self.changed) > _TICK


MISSING = Glance(0, 0, 0, 0)


class NoExchangeError(OSError):
    """This file system cannot swap two files in one step."""


@cache
def _renameat2() -> ctypes._NamedFuncPointer | None:
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameat2" if sys.platform == "linux" else "renameatx_np"
    function = getattr(library, name, None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return function


class Disk:
    """One folder. Make it with the folder's path; nothing is touched until a method is called."""

    def __init__(self, root: str) -> None:
        self.root = root

    # looking

    def read(self, path: str) -> tuple[bytes, Stamp] | None:
        """The file's bytes and stamp; None when it is not there."""
        fd = self._open(path)
        if fd is None:
            return None
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise Refused(f"{path} is not a plain file, so it is not read")
            with os.fdopen(os.dup(fd), "rb", buffering=0) as file:
                data = file.readall()
            return data, _stamp(status)
        finally:
            os.close(fd)

    def stamp(self, path: str) -> Stamp | None:
        """The file's stamp; None when it is not there."""
        fd = self._open(path)
        if fd is None:
            return None
        try:
            return _stamp(os.fstat(fd))
        finally:
            os.close(fd)

    def glance(self, path: str) -> Glance | None:
        """What can be told of a plain file, or of one that is not there, without opening it; None for the rest."""
        try:
            status = os.lstat(f"{self.root}/{path}")
        except FileNotFoundError:
            return MISSING
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return Glance(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    def quiet(self, path: str) -> bool:
        """Whether nobody has the file open for writing; where that cannot be told, whether it has rested a while."""
        fd = self._open(path)
        if fd is None:
            return self._rested(os.path.dirname(path))
        try:
            status = os.fstat(fd)
            recent = time.time() - max(status.st_mtime, status.st_ctime) < QUIET_SECONDS
            if status.st_size == 0 and recent:
                return False  # most likely emptied a moment ago, by somebody about to write
            lease = _unwritten(fd)
            return not recent if lease is None else lease
        finally:
            os.close(fd)

    def walk(self) -> Iterator[str]:
        """Every file below the folder, hidden ones left out; links to folders are not entered."""
        pending = [""]
        while pending:
            folder = pending.pop()
            with (
                contextlib.suppress(FileNotFoundError, NotADirectoryError),
                os.scandir(os.path.join(self.root, folder) if folder else self.root) as items,
            ):
                for item in items:
                    if item.name.startswith("."):
                        continue
                    path = f"{folder}/{item.name}" if folder else item.name
                    if item.is_dir(follow_symlinks=False):
                        pending.append(path)
                    elif item.is_file():
                        yield path

    # changing; each is one call of the operating system

    def make_folder(self, path: str) -> bool:
        """Make one folder (its parent is there); False when it was there."""
        if not path:
            os.makedirs(self.root, mode=_FOLDER_MODE, exist_ok=True)
            return True
        parent = self._folder(os.path.dirname(path))
        try:
            os.mkdir(os.path.basename(path), _FOLDER_MODE, dir_fd=parent)
        except FileExistsError:
            return False
        finally:
            os.close(parent)
        return True

    def create(self, path: str, like: Stamp | None) -> int:
        """A new, empty file, open for writing, with the mode and owner of the one it will replace."""
        folder = self._folder(os.path.dirname(path))
        try:
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | _CLOSED_ON_EXEC
            file = os.open(os.path.basename(path), flags, _FILE_MODE, dir_fd=folder)
        finally:
            os.close(folder)
        if like is not None and like.mode != _FILE_MODE:
            os.fchmod(file, like.mode)
        if like is not None and like.owner != (os.geteuid(), os.getegid()):
            with contextlib.suppress(PermissionError):  # only root may give files away; ours will do
                os.fchown(file, *like.owner)
        return file

    def write(self, file: int, data: bytes) -> None:
        """All of the bytes."""
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]

    def sync(self, file: int) -> None:
        """The file's bytes are on the disk when this returns."""
        os.fsync(file)

    def close(self, file: int) -> None:
        """Let go of an open file."""
        os.close(file)

    def exchange(self, one: str, other: str) -> None:
        """Swap two files of the same folder in one step."""
        self._rename(one, other, _EXCHANGE)

    def place(self, source: str, target: str) -> None:
        """Give a file its name, `FileExistsError` when there is one of that name."""
        self._rename(source, target, _NO_REPLACE)

    def link(self, source: str, target: str) -> None:
        """A second name for a file."""
        folder = self._folder(os.path.dirname(source))
        try:
            names = os.path.basename(source), os.path.basename(target)
            os.link(*names, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(folder)

    def overwrite(self, source: str, target: str) -> None:
        """Rename over whatever has that name."""
        folder = self._folder(os.path.dirname(source))
        try:
            os.rename(os.path.basename(source), os.path.basename(target), src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            os.close(folder)

    def unlink(self, path: str) -> None:
        """Remove a file; fine when it is not there."""
        try:
            folder = self._folder(os.path.dirname(path))
        except FileNotFoundError:
            return
        try:
            os.unlink(os.path.basename(path), dir_fd=folder)
        except FileNotFoundError:
            pass
        finally:
            os.close(folder)

    def sync_folder(self, path: str) -> None:
        """The folder's names are on the disk when this returns."""
        folder = self._folder(path)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    # the way to a file

    def resolve(self, path: str) -> str:
        """The path with links inside the folder followed; `Refused` when one leads out of it."""
        for _ in range(_MAX_LINKS):
            link = self._first_link(path)
            if link is None:
                return path
            root = os.path.realpath(self.root)
            where = os.path.realpath(os.path.join(root, link))
            if os.path.commonpath([root, where]) != root or where == root:
                raise Refused(f"{link} is a link that leads out of the workspace, so it is not followed")
            path = os.path.relpath(where, root) + path[len(link) :]
        raise Refused(f"{path} goes through too many links")

    def _first_link(self, path: str) -> str | None:
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            step = "/".join(parts[:count])
            try:
                if stat.S_ISLNK(os.lstat(os.path.join(self.root, step)).st_mode):
                    return step
            except (FileNotFoundError, NotADirectoryError):
                return None
        return None

    def _open(self, path: str) -> int | None:
        """The file, opened without following links; through links inside the folder when there are any."""
        try:
            folder = self._folder(os.path.dirname(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            return self._open(self.resolve(path))
        try:
            # Not blocking: what stands there may be a pipe, and waiting for its other end would take for ever.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | _CLOSED_ON_EXEC
            return os.open(os.path.basename(path), flags, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            where = self.resolve(path)
            return self._open(where) if where != path else None
        finally:
            os.close(folder)

    def _folder(self, path: str) -> int:
        """The folder, opened step by step without following links."""
        fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | _CLOSED_ON_EXEC)
        for part in path.split("/") if path else ():
            try:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | _CLOSED_ON_EXEC, dir_fd=fd)
            except NotADirectoryError:
                # Linux says so of a link to a folder too; tell the two apart.
                if stat.S_ISLNK(os.stat(part, dir_fd=fd, follow_symlinks=False).st_mode):
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path) from None
                raise
            finally:
                os.close(fd)
            fd = inner
        return fd

    def _rename(self, one: str, other: str, flag: int) -> None:
        function = _renameat2()
        if function is None:
            raise NoExchangeError(errno.ENOSYS, os.strerror(errno.ENOSYS), other)
        folder = self._folder(os.path.dirname(one))
        try:
            names = os.fsencode(os.path.basename(one)), os.fsencode(os.path.basename(other))
            if function(folder, names[0], folder, names[1], flag) != 0:
                code = ctypes.get_errno()
                kind = NoExchangeError if code in _UNSUPPORTED else OSError
                raise kind(code, os.strerror(code), other)
        finally:
            os.close(folder)

    def _rested(self, folder: str) -> bool:
        try:
            fd = self._folder(folder)
        except OSError:
            return True
        try:
            return time.time() - os.fstat(fd).st_mtime >= QUIET_SECONDS
        finally:
            os.close(fd)


def _unwritten(fd: int) -> bool | None:
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


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(
        status.st_ino, status.st_size, status.st_mtime_ns, stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid)
    )
