"""A home at one moment: its documents copied while nobody may write, its databases each kept at that moment."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from oldsoul.adapters.folder.disk import explaining
from oldsoul.adapters.sqlite.file import FileSnapshot, check_whole, is_open, take_lock, unsound
from oldsoul.errors import BadInput, Damaged, NotFound, Unwritable

CONFIG = "config.yaml"
_DERIVED = "cache"
_STATE = "state"
_OF_PROCESSES = frozenset({"locks", "jobs"})
"""Folders in state/ that tell which processes are at work, and nothing else."""
_BESIDE = ("-wal", "-shm", "-journal", ".lock")
_TEMP = ".os-"
"""In the names of files that the ledger left next to documents; history knows of each."""


class BackupRoot(NamedTuple):
    """A folder that is backed up."""

    folder: str
    """where it is"""
    path: str
    """where it is in the backup, and in a restored home; empty for the home"""


@dataclass(frozen=True, slots=True)
class Member:
    """A file that is backed up."""

    path: str
    """where it is in the backup"""
    source: str
    """the file that it is read from"""
    mode: int
    """who may read, write and run it"""
    modified: int
    """when it was last written, in nanoseconds since 1970"""
    size: int
    """how many bytes it has"""


@dataclass(slots=True)
class BackupSnapshot:
    """What there is to back up."""

    made: datetime
    """the moment"""
    members: list[Member] = field(default_factory=list)
    """files; those that Oldsoul does not manage are read later"""
    databases: list[tuple[str, FileSnapshot]] = field(default_factory=list)
    """SQLite files, with where each is in the backup"""
    folders: dict[str, int] = field(default_factory=dict)
    """folders with their modes, those above before those in them"""
    left_out: dict[str, str] = field(default_factory=dict)
    """what is not backed up, and why"""


@contextmanager
def taken(roots: Sequence[BackupRoot], hold: Callable[[ExitStack], None], spool: str) -> Iterator[BackupSnapshot]:
    """The home (the first of the roots) and folders elsewhere, at one moment.

    Locks are held while documents are copied to a folder of the spool and databases begin to be read; not longer.
    """
    home = roots[0].folder
    with ExitStack() as opened:
        with ExitStack() as locks:
            hold(locks)
            take_lock(locks, os.path.join(home, _STATE, "config.lock"), CONFIG)
            picture = BackupSnapshot(datetime.now(UTC))
            for path in _databases(home):
                moment = FileSnapshot(os.path.join(home, path))
                opened.callback(moment.close)
                picture.databases.append((path, moment))
            for root in roots:
                if root.path not in picture.folders:
                    _look(picture, root, os.stat(home))
            _copy_documents(picture, spool)
        for _, moment in picture.databases:
            moment.release()
        # A link in whose place a folder was backed up is no loss.
        there = {above for path in picture.folders for above in (path, *_above(path))}
        picture.left_out = {path: why for path, why in picture.left_out.items() if path not in there}
        yield picture


def opened(source: str) -> tuple[BinaryIO, os.stat_result] | None:
    """A plain file to be read; None when it is gone, or became something else."""
    try:
        fd = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        if os.path.islink(source):
            return None
        raise
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        return None
    return os.fdopen(fd, "rb"), status


def _databases(home: str) -> list[str]:
    """The SQLite files of the home; `Damaged` when one was emptied."""
    found = []
    for name in sorted(os.listdir(os.path.join(home, _STATE))):
        path = os.path.join(home, _STATE, name)
        if name.endswith(".db") and os.path.isfile(path):
            check_whole(path)
            if os.path.getsize(path):
                found.append(f"{_STATE}/{name}")
    return found


def _look(picture: BackupSnapshot, root: BackupRoot, home: os.stat_result) -> None:
    """Find what lies below a folder; not the home, where it lies in another."""
    if not os.path.isdir(root.folder):
        return
    if root.path:
        for above in _above(root.path):
            picture.folders.setdefault(above, 0o700)
        picture.folders[root.path] = _mode(os.stat(root.folder))
    pending, top = [(root.folder, root.path)], os.path.realpath(root.folder)
    while pending:
        folder, path = pending.pop()
        with suppress(FileNotFoundError), os.scandir(folder) as items:  # it may be gone since it was found
            for item in sorted(items, key=lambda item: item.name):
                inner = f"{path}/{item.name}" if path else item.name
                if inner == _DERIVED or _is_of_processes(inner):
                    continue
                if not item.is_dir(follow_symlinks=False) or not _is_text(inner):
                    _add(picture, inner, item.path, top)
                elif not os.path.samestat(item.stat(follow_symlinks=False), home):
                    picture.folders[inner] = _mode(item.stat(follow_symlinks=False))
                    pending.append((item.path, inner))


def _add(picture: BackupSnapshot, path: str, file: str, top: str) -> None:
    """Note a file, or why it is left out. A link to a file in the same folder counts as that file."""
    source = file
    if os.path.islink(file):
        source = os.path.realpath(file)
        if path != CONFIG and os.path.commonpath([top, source]) != top:
            picture.left_out[path] = "is a link to a place outside its folder"
            return
    try:
        status = os.lstat(source)
    except OSError:
        if source != file:
            picture.left_out[path] = "is a link to nothing"
        return
    if is_open(source):
        picture.left_out[path] = "is a link to a database of the home"
    elif not _is_text(path):
        picture.left_out[os.fsencode(path).decode("utf-8", "replace")] = "has a name that is not valid UTF-8"
    elif stat.S_ISDIR(status.st_mode):
        picture.left_out[path] = "is a link to a folder"
    elif not stat.S_ISREG(status.st_mode):
        picture.left_out[path] = "is not a regular file"
    else:
        picture.members.append(Member(path, source, _mode(status), status.st_mtime_ns, status.st_size))


def _copy_documents(picture: BackupSnapshot, spool: str) -> None:
    """Copy what the ledger may change, so that it is of the same moment as history."""
    members = []
    for number, member in enumerate(picture.members):
        if not _is_managed(member.path):
            members.append(member)
            continue
        found = opened(member.source)
        if found is None:
            continue
        copy = os.path.join(spool, f"document-{number}")
        with found[0] as file, open(copy, "xb") as target:
            shutil.copyfileobj(file, target)
            status = found[1]
        members.append(Member(member.path, copy, _mode(status), status.st_mtime_ns, os.path.getsize(copy)))
    picture.members = members


def _is_managed(path: str) -> bool:
    name = os.path.basename(path).casefold()
    return path == CONFIG or name.endswith((".md", ".markdown")) or _TEMP in name


def _is_of_processes(path: str) -> bool:
    """Whether it is a database, which is copied otherwise, or belongs to one, or tells who is at work."""
    top, _, inner = path.partition("/")
    if top != _STATE or not inner or "/" in inner:
        return False
    base = next((inner.removesuffix(ending) for ending in _BESIDE if inner.endswith(ending)), inner)
    return inner in _OF_PROCESSES or base.endswith(".db") or inner == "config.lock"


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _mode(status: os.stat_result) -> int:
    return status.st_mode & 0o777


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


LIST = "oldsoul-backup.json"
"""The file that names all others."""
FORMAT = 1
_SEAL = b"Oldsoul backup; SHA-256 of every byte before this sum: "
_SUM = 64
_PIECE = 1024 * 1024
_LARGE = 1 << 31
_MOST_LISTED = 256 * 1024 * 1024
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError),
    *(TypeError, AttributeError, OverflowError, RecursionError),
)
"""What Python says of a zip, or of a list, that is not what it should be."""


class ListedFile(NamedTuple):
    """A file as the list has it."""

    size: int
    """how many bytes it has"""
    sha256: str
    """their hash"""
    mode: int
    """who may read, write and run it"""
    modified: int
    """when it was last written, in nanoseconds since 1970"""


class Facts(NamedTuple):
    """What the list says of the whole backup."""

    version: str
    """the version of Oldsoul that wrote it"""
    home_id: str
    """what tells the home from others; empty when it has none"""
    made: str
    """the moment it shows, ISO 8601 in UTC"""
    left_out: Sequence[str]
    """what is not in it, and why"""
    moved: Mapping[str, str]
    """folders outside the home: where each was, and where in the backup it is"""
    places: Mapping[str, Sequence[str]]
    """where in the backup each workspace is, and its memory if that is elsewhere"""


class ArchiveWriter:
    """A backup that is being written."""

    def __init__(self, file: BinaryIO, meter: Meter) -> None:
        self._file = file
        self._meter = meter
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.files: dict[str, ListedFile] = {}
        """what was written so far"""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError, ValueError):  # of a file that is thrown away
            self._zip.close()

    def add(self, member: Member) -> bool:
        """Write a file; False when it is gone. One that grows meanwhile has the size that it had at first."""
        found = opened(member.source)
        if found is None:
            return False
        info = zipfile.ZipInfo(member.path)
        info.external_attr = (stat.S_IFREG | member.mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        digest, left, size = hashlib.sha256(), found[1].st_size, 0
        with found[0] as file, self._zip.open(info, "w", force_zip64=left >= _LARGE) as target:
            while piece := file.read(min(_PIECE, left - size)):
                digest.update(piece)
                target.write(piece)
                size += len(piece)
                self._meter.add(len(piece))
        self.files[member.path] = ListedFile(size, digest.hexdigest(), member.mode, member.modified)
        return True

    def close(self, facts: Facts, folders: Mapping[str, int]) -> None:
        """Write the list, seal the file, and have all of it on the disk."""
        files = {path: each._asdict() for path, each in self.files.items()}
        value = {"format": FORMAT, **facts._asdict(), "folders": folders, "files": files}
        self._zip.writestr(LIST, json.dumps(value, ensure_ascii=False, indent=1))
        self._zip.comment = _SEAL + b"0" * _SUM
        self._zip.close()
        self._file.flush()
        size = self._file.seek(0, os.SEEK_END) - _SUM
        self._file.seek(0)
        total = _hashed(self._file, size, self._meter)
        self._file.seek(size)
        self._file.write(total.encode())
        self._file.flush()
        os.fsync(self._file.fileno())


class Reader:
    """A backup that is read: its seal and its list are right once this is made."""

    def __init__(self, file: BinaryIO, name: str, meter: Meter) -> None:
        self._name = name
        self._meter = meter
        _check_seal(file, name, meter)
        with self._explaining():
            self._zip = zipfile.ZipFile(file)
            inside = self._zip.infolist()
            self._infos = {info.filename: info for info in inside}
            value = self._list()
            self.facts = _facts(value)
            self.files = {_checked(path): _listed(each) for path, each in value["files"].items()}
            self.folders = {_checked(path): _number(mode) & 0o777 for path, mode in value["folders"].items()}
        if len(inside) != len(self._infos) or self._infos.keys() != {LIST, *self.files}:
            raise self._damaged("its list does not name the files in it")
        for path, each in self.files.items():
            if self._infos[path].file_size != each.size or not _is_plain(self._infos[path]):
                raise self._damaged(f"{path} is not what its list says")

    @property
    def size(self) -> int:
        """How many bytes all files have."""
        return sum(each.size for each in self.files.values())

    def unpack(self, path: str, target: BinaryIO | None = None) -> None:
        """Read a file, into another if one is given; `Damaged` when it is not what the list says."""
        listed, digest, size = self.files[path], hashlib.sha256(), 0
        with self._explaining(), self._zip.open(self._infos[path]) as source:
            while piece := source.read(_PIECE):
                digest.update(piece)
                size += len(piece)
                if size > listed.size:
                    break
                if target is not None:
                    target.write(piece)
                self._meter.add(len(piece))
        if (size, digest.hexdigest()) != (listed.size, listed.sha256):
            raise self._damaged(f"{path} is not what its list says")

    def _list(self) -> dict[str, Any]:
        info = self._infos[LIST]
        if info.file_size > _MOST_LISTED or not _is_plain(info):
            raise ValueError("its list is too large")
        with self._zip.open(info) as source:
            data = source.read(_MOST_LISTED + 1)
        if len(data) > _MOST_LISTED:
            raise ValueError("its list is too large")
        facts = dict(json.loads(data))
        if _number(facts["format"]) > FORMAT:
            raise Damaged(f"{self._name} was written by a newer Oldsoul; update this one")
        return facts

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            raise self._damaged(str(error) or type(error).__name__) from error

    def _damaged(self, why: str) -> Damaged:
        return damaged(self._name, why)


def damaged(name: str, why: str) -> Damaged:
    """What is said of a file that cannot be restored from."""
    return Damaged(f"{name} is damaged, or not a backup of Oldsoul ({why}); nothing was written; use another backup")


def _check_seal(file: BinaryIO, name: str, meter: Meter) -> None:
    size = file.seek(0, os.SEEK_END) - _SUM
    if size < len(_SEAL):
        raise damaged(name, "it is too short")
    file.seek(size - len(_SEAL))
    if file.read(len(_SEAL)) != _SEAL:
        raise damaged(name, "it does not end as a backup does")
    wanted = file.read(_SUM)
    file.seek(0)
    if _hashed(file, size, meter).encode() != wanted:
        raise damaged(name, "its bytes have changed since it was written")


def _hashed(file: BinaryIO, size: int, meter: Meter) -> str:
    digest = hashlib.sha256()
    while size and (piece := file.read(min(_PIECE, size))):
        digest.update(piece)
        size -= len(piece)
        meter.add(0)  # it may be stopped here
    return digest.hexdigest()


def _checked(path: object) -> str:
    """A path that stays in the folder it is put in."""
    if not isinstance(path, str) or "\0" in path or {*path.split("/")} & {"", ".", ".."} or path == LIST:
        raise ValueError(f"it names a file {path!r}, which no home has")
    path.encode()
    return path


def _facts(value: Mapping[str, Any]) -> Facts:
    version, home_id, made = value["version"], value["home_id"], value["made"]
    left_out, moved, places = value["left_out"], value["moved"], value["places"]
    if not all(isinstance(text, str) for text in (version, home_id, made, *left_out, *moved, *places)):
        raise ValueError("its list has values that cannot be")
    for path in (*moved.values(), *(path for both in places.values() for path in both if path)):
        _checked(path)
    both = {name: (root, memory) for name, (root, memory) in places.items()}
    return Facts(version, home_id, made, tuple(left_out), moved, both)


def _listed(value: Any) -> ListedFile:
    size, sha256, mode, modified = (value[name] for name in ListedFile._fields)
    if not isinstance(sha256, str) or _number(size) < 0:
        raise ValueError("its list has values that cannot be")
    return ListedFile(size, sha256, _number(mode) & 0o777, _number(modified))


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 63:
        raise ValueError("its list has values that cannot be")
    return value


def _is_plain(info: zipfile.ZipInfo) -> bool:
    """Whether a member is a plain file, packed as we pack."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    return not info.flag_bits & 1 and info.compress_type == zipfile.ZIP_DEFLATED and kind in (0, stat.S_IFREG)


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
    """How much of some work is done, in bytes; the callback may end the work by raising an error."""

    def __init__(self, on_progress: Callable[[int, int], None]) -> None:
        self._on_progress = on_progress
        self.done = self.total = 0

    def add(self, number: int) -> None:
        """So many bytes more are done."""
        self.done += number
        self._on_progress(min(self.done, self.total), self.total)


_TAKEN = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR})
_MOUNTED = frozenset({errno.EBUSY, errno.EXDEV})
_IMPOSSIBLE = frozenset({errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.EILSEQ})
"""Errors that come of the names in a backup, not of the disk."""
_OWNERS = 0o600


@contextmanager
def unpacked(archive: str, home: str, on_progress: Callable[[int, int], None]) -> Iterator[tuple[str, Reader]]:
    """The folder that becomes the home when the block is left without an error, and what it was unpacked from."""
    check_empty(home)
    meter = Meter(on_progress)
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


class WrittenBackup(NamedTuple):
    """A backup that was written."""

    facts: Facts
    """what its list says of it"""
    files: int
    """how many files it holds"""
    size: int
    """how many bytes it has"""


def write(
    target: str,
    roots: Sequence[BackupRoot],
    hold: Callable[[ExitStack], None],
    facts: Facts,
    on_progress: Callable[[int, int], None],
) -> WrittenBackup:
    """Write a backup of some folders, the home first. The file is there whole and verified, or not at all.

    Args: hold takes the locks of those who write to the home; facts are written into its list.
    """
    meter = Meter(on_progress)
    with explaining(), spool(target) as place:
        partial = os.path.join(place, "backup")
        fd = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w+b") as file:
            with taken(roots, hold, place) as picture, ArchiveWriter(file, meter) as writer:
                facts = _packed(writer, picture, facts, place, meter)
            reader = Reader(file, target, meter)
            for path in reader.files:
                reader.unpack(path)
        os.rename(partial, target)
        sync(os.path.dirname(target))
    return WrittenBackup(facts, len(reader.files), os.path.getsize(target))


def _packed(writer: ArchiveWriter, picture: BackupSnapshot, facts: Facts, place: str, meter: Meter) -> Facts:
    databases = sum(os.path.getsize(moment.path) for _, moment in picture.databases)
    meter.total = 3 * databases + 2 * sum(member.size for member in picture.members)
    for path, moment in picture.databases:
        copy = os.path.join(place, "database")
        moment.copy(copy, meter.add)
        writer.add(Member(path, copy, 0o600, os.stat(moment.path).st_mtime_ns, 0))
        os.unlink(copy)
    for member in picture.members:
        writer.add(member)
    left_out = [*facts.left_out, *(f"{path} {why}" for path, why in sorted(picture.left_out.items()))]
    facts = facts._replace(made=picture.made.isoformat(timespec="seconds"), left_out=left_out)
    writer.close(facts, picture.folders)
    return facts
