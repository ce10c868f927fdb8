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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from oldsoul.errors import Refused, Unwritable

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


FOLDER_MODE = 0o700
"""Memory is nobody else's business."""
_HARDLY_ANY = 128 * 1024  # bytes; SQLite needs 32 KiB next to a file to open it


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


_MAX_LINKS = 8
_FILE_MODE = 0o600  # memory is nobody else's business
_EXCHANGE, _NO_REPLACE = (2, 1) if sys.platform == "linux" else (2, 4)
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_NOT_A_FILE = frozenset({errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP})  # a socket, a device without a driver


class NoExchangeError(OSError):
    """This file system cannot swap two files in one step."""


class _LinkError(OSError):
    """A step of the way is a symbolic link."""


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

    linger = 0.05
    """how long a file that came out of a swap stays before it is removed: somebody may be in the middle of opening it"""

    def __init__(self, root: str) -> None:
        self.root = root

    # looking

    def read(self, path: str, *, follow: bool = True) -> tuple[bytes, Stamp] | None:
        """The file's bytes and stamp; None when it is not there. A link is not followed where it must not be one."""
        fd = self._open(path, follow=follow)
        if fd is None:
            return None
        try:
            status = plain(fd, path)
            with os.fdopen(os.dup(fd), "rb", buffering=0) as file:
                data = file.readall()
            return data, stamp_of(status)
        finally:
            os.close(fd)

    def stamp(self, path: str) -> Stamp | None:
        """The file's stamp; None when it is not there."""
        fd = self._open(path)
        if fd is None:
            return None
        try:
            return stamp_of(plain(fd, path))
        finally:
            os.close(fd)

    def signature(self, path: str) -> Glance | None:
        """What is known of a plain file, or of a missing one, without opening it; None for the rest."""
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
        """Whether nobody is saving the file: it is not open for writing, and was not emptied or removed just now."""
        fd = self._open(path)
        if fd is None:
            return self._rested(os.path.dirname(path))
        try:
            status = os.fstat(fd)
            if status.st_size == 0 and age(status) < QUIET_SECONDS:
                return False  # most likely emptied a moment ago, by somebody about to write
            return unwritten(fd, status)
        finally:
            os.close(fd)

    def still(self, path: str, seconds: float) -> bool:
        """Whether nobody has the file open for writing and nothing happened to it for so long; links are not followed."""
        fd = self._open(path, follow=False)
        if fd is None:
            return True
        try:
            status = os.fstat(fd)
            return age(status) >= seconds and unwritten(fd, status)
        finally:
            os.close(fd)

    def walk(self, start: str = "") -> Iterator[str]:
        """Every file below the folder, or below one in it, hidden ones left out.

        Links to folders are not entered, nor those that lead out.
        """
        pending = [start]
        while pending:
            folder = pending.pop()
            for name, is_folder in self._listed(folder):
                path = f"{folder}/{name}" if folder else name
                if is_folder:
                    pending.append(path)
                else:
                    yield path

    def _listed(self, folder: str) -> list[tuple[str, bool]]:
        """The folders and plain files of one folder: names, and whether each is a folder."""
        try:
            fd = self._folder(folder)
        except (FileNotFoundError, NotADirectoryError, _LinkError):
            return []  # it went, or became something else, while we looked
        try:
            with os.scandir(fd) as items:
                found = []
                for item in items:
                    if item.name.startswith("."):
                        continue
                    path = f"{folder}/{item.name}" if folder else item.name
                    if item.is_dir(follow_symlinks=False):
                        found.append((item.name, True))
                    elif item.is_file(follow_symlinks=False) or (item.is_symlink() and self._leads_to_a_file(path)):
                        found.append((item.name, False))
                return found
        finally:
            os.close(fd)

    def _leads_to_a_file(self, link: str) -> bool:
        try:
            return self.stamp(link) is not None
        except Refused:
            return False

    # changing; each is one call of the operating system

    def make_folder(self, path: str) -> bool:
        """Make one folder (its parent is there); False when it was there."""
        if not path:
            return make_folders(self.root)
        parent = self._into(os.path.dirname(path))
        try:
            os.mkdir(os.path.basename(path), FOLDER_MODE, dir_fd=parent)
        except FileExistsError:
            return False
        finally:
            os.close(parent)
        return True

    def create(self, path: str, like: Stamp | None) -> int:
        """A new, empty file, open for writing, with the mode and owner of the one it will replace."""
        folder = self._into(os.path.dirname(path))
        try:
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
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
        """Release an open file."""
        os.close(file)

    def exchange(self, one: str, other: str) -> None:
        """Swap two files of the same folder in one step."""
        self._rename(one, other, _EXCHANGE)

    def place(self, source: str, target: str) -> None:
        """Give a file its name, `FileExistsError` when there is one of that name."""
        self._rename(source, target, _NO_REPLACE)

    def link(self, source: str, target: str) -> None:
        """A second name for a file."""
        folder = self._into(os.path.dirname(source))
        try:
            names = os.path.basename(source), os.path.basename(target)
            os.link(*names, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(folder)

    def overwrite(self, source: str, target: str) -> None:
        """Rename over whatever has that name."""
        folder = self._into(os.path.dirname(source))
        try:
            os.rename(os.path.basename(source), os.path.basename(target), src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            os.close(folder)

    def unlink(self, path: str) -> None:
        """Remove a file; fine when it is not there."""
        try:
            folder = self._into(os.path.dirname(path))
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
        folder = self._into(path)
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
            try:
                where = os.path.realpath(os.path.join(root, link))
            except OSError:
                continue  # it was one a moment ago
            if os.path.commonpath([root, where]) != root or where == root:
                raise Refused(f"{link} is a link to a place outside the workspace, so it is not followed")
            path = os.path.relpath(where, root) + path[len(link) :]
        raise Refused(f"{path} leads through too many links")

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

    def _open(self, path: str, *, follow: bool = True) -> int | None:
        """The file, opened without following links; through links inside the folder when there are any."""
        try:
            folder = self._folder(os.path.dirname(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except _LinkError:
            return self._open(self.resolve(path), follow=follow)
        try:
            # Not blocking: what is there may be a pipe, and waiting for its other end would take for ever.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            return os.open(os.path.basename(path), flags, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in _NOT_A_FILE:
                raise Refused(f"{path} is not a regular file, so it is not read") from None
            if error.errno != errno.ELOOP:
                raise OSError(error.errno, os.strerror(error.errno or 0), os.path.join(self.root, path)) from None
            if not follow:
                raise Refused(f"{path} is a link, so it is not read") from None
        finally:
            os.close(folder)
        return self._open(self.resolve(path))

    def _folder(self, path: str) -> int:
        """The folder, opened step by step without following links."""
        fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in path.split("/") if path else ():
            try:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            except OSError as error:
                # Of a link to a folder one system says that it is a link, another that it is no folder.
                if error.errno in (errno.ELOOP, errno.ENOTDIR) and is_link(part, fd):
                    raise _LinkError(errno.ELOOP, os.strerror(errno.ELOOP), os.path.join(self.root, path)) from None
                raise OSError(error.errno, os.strerror(error.errno or 0), os.path.join(self.root, path)) from None
            finally:
                os.close(fd)
            fd = inner
        return fd

    def _into(self, path: str) -> int:
        """The folder, to change something in it. Its way was looked at before: a link there now came in since."""
        try:
            return self._folder(path)
        except _LinkError:
            raise Refused(f"{path} became a link while it was being written, so it is not followed") from None

    def _rename(self, one: str, other: str, flag: int) -> None:
        function = _renameat2()
        if function is None:
            raise NoExchangeError(errno.ENOSYS, os.strerror(errno.ENOSYS), other)
        folder = self._into(os.path.dirname(one))
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
            return age(os.fstat(fd)) >= QUIET_SECONDS
        finally:
            os.close(fd)
