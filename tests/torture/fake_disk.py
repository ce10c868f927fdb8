"""A disk in memory that forgets what was not synced, and a plan that stops a store at any of its calls.

Bytes of a file become durable by `sync`, names by `sync_folder` of their folder. A power cut (`FakeDisk.after`) keeps
everything that is durable; of the rest, any part may have happened.
"""

from __future__ import annotations

import random
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from oldsoul.adapters.folder.disk import Disk, Glance, NoExchangeError, Stamp
from oldsoul.errors import Refused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from oldsoul.adapters.folder.store import FolderStore


class Crash(BaseException):
    """The process is no more."""


@dataclass(eq=False, slots=True)
class FakeFile:
    """A file's bytes, as programs see them and as the disk has them."""

    data: bytes = b""
    synced: bytes = b""
    dirty: bool = False
    """whether something was written that is not synced"""
    mode: int = 0o600
    writers: int = 0
    """how many outside programs have it open for writing"""


@dataclass(eq=False, slots=True)
class FakeFolder:
    """A folder's names, as programs see them and as the disk has them."""

    names: dict[str, FakeFile | FakeFolder] = field(default_factory=dict)
    synced: dict[str, FakeFile | FakeFolder] = field(default_factory=dict)
    log: list[tuple[str, str, Any]] = field(default_factory=list)
    """what happened to the names since they were synced: what, to which, and the other one or the file"""

    def do(self, what: str, name: str, other: Any) -> None:
        """Change the names, and write down what was done."""
        _do(self.names, what, name, other)
        self.log.append((what, name, other))


def _do(names: dict[str, FakeFile | FakeFolder], what: str, name: str, other: Any) -> None:
    """One step; nothing happens where what it rests on did not happen."""
    if what == "add":
        names.setdefault(name, other)
    elif what == "remove":
        names.pop(name, None)
    elif what == "rename" and name in names:
        names[other] = names.pop(name)
    elif what == "exchange" and name in names and other in names:
        names[name], names[other] = names[other], names[name]


@dataclass(frozen=True, slots=True)
class Cut:
    """One way in which the power can go: what becomes of what was not synced."""

    title: str
    keep: Callable[[], bool]
    """whether the next step that was not synced has happened"""
    tear: Callable[[FakeFile], bytes]
    """the bytes of a file that was not synced"""


def cuts(seeds: range) -> list[Cut]:
    """The extremes, and some in between."""
    return [
        Cut("killed: everything survives", lambda: True, lambda file: file.data),
        Cut("nothing unsynced survives", lambda: False, lambda file: file.synced),
        Cut("names survive, bytes are empty", lambda: True, lambda _: b""),
        Cut("names survive, bytes are torn", lambda: True, lambda file: file.data[: len(file.data) // 2]),
        *(_random_cut(seed) for seed in seeds),
    ]


def _random_cut(seed: int) -> Cut:
    chance = random.Random(seed)  # noqa: S311 - a test's dice

    def tear(file: FakeFile) -> bytes:
        return chance.choice([file.synced, file.data, b"", file.data[: chance.randrange(len(file.data) + 1)]])

    return Cut(f"random {seed}", lambda: chance.random() < 0.5, tear)


class FakeDisk(Disk):
    """A workspace's folder in memory. `swaps=False` is a file system that cannot exchange files."""

    linger = 0.0

    def __init__(self, root: str, *, swaps: bool = True, links: bool = True) -> None:
        super().__init__(root)
        self.swaps = swaps
        self.links = links
        self.top = FakeFolder()
        self._open_files: dict[int, FakeFile] = {}

    # power

    def after(self, cut: Cut) -> FakeDisk:
        """The disk as it is found when the power is back."""
        found = FakeDisk(self.root, swaps=self.swaps, links=self.links)
        found.top = _survivor(self.top, cut, {})
        return found

    def state(self) -> object:
        """All there is to know of the disk, to tell two states apart."""
        numbers: dict[int, int] = {}
        return _described(self.top, numbers)

    # what a person's editor does

    def save(self, path: str, data: bytes) -> None:
        """A save by rename, on the disk when it returns."""
        folder, name = self._parent(path)
        folder.names[name] = FakeFile(data, data)
        folder.synced = dict(folder.names)
        folder.log.clear()

    def begin_save(self, path: str, data: bytes) -> FakeFile:
        """The first half of a save in place: the file stays open."""
        file = self._file(path)
        assert file is not None
        file.writers += 1
        file.data = file.synced = data
        return file

    def end_save(self, file: FakeFile, data: bytes) -> None:
        """The second half."""
        file.data = file.synced = data
        file.writers -= 1

    def hidden(self) -> list[str]:
        """The temporary files there are."""
        return [path for path in _paths(self.top, "") if path.rpartition("/")[2].startswith(".")]

    # looking

    def read(self, path: str, *, follow: bool = True) -> tuple[bytes, Stamp] | None:
        del follow  # there are no links here
        file = self._file(path)
        return None if file is None else (file.data, _stamp(file))

    def stamp(self, path: str) -> Stamp | None:
        file = self._file(path)
        return None if file is None else _stamp(file)

    def signature(self, path: str) -> Glance | None:
        del path
        return None

    def quiet(self, path: str) -> bool:
        file = self._file(path)
        return file is None or file.writers == 0

    def still(self, path: str, seconds: float) -> bool:
        del seconds
        return self.quiet(path)

    def walk(self, start: str = "") -> Iterator[str]:
        inside = f"{start}/" if start else ""
        paths = [path for path in _paths(self.top, "") if "/." not in f"/{path}"]
        return iter([path for path in paths if path.startswith(inside)])

    def resolve(self, path: str) -> str:
        return path

    # changing

    def make_folder(self, path: str) -> bool:
        if not path:
            return True
        folder, name = self._parent(path)
        if name in folder.names:
            return False
        folder.do("add", name, FakeFolder())
        return True

    def create(self, path: str, like: Stamp | None) -> int:
        folder, name = self._parent(path)
        if name in folder.names:
            raise FileExistsError(17, "File exists", path)
        file = FakeFile(dirty=True, mode=like.mode if like else 0o600)
        folder.do("add", name, file)
        number = max(self._open_files, default=2) + 1
        self._open_files[number] = file
        return number

    def write(self, file: int, data: bytes) -> None:
        self._open_files[file].data += data
        self._open_files[file].dirty = True

    def sync(self, file: int) -> None:
        found = self._open_files[file]
        found.synced, found.dirty = found.data, False

    def close(self, file: int) -> None:
        del self._open_files[file]

    def exchange(self, one: str, other: str) -> None:
        if not self.swaps:
            raise NoExchangeError(22, "Invalid argument", other)
        folder, names = self._both(one, other)
        for name in names:
            if name not in folder.names:
                raise FileNotFoundError(2, "No such file or directory", name)
        folder.do("exchange", *names)

    def place(self, source: str, target: str) -> None:
        if not self.swaps:
            raise NoExchangeError(22, "Invalid argument", target)
        folder, names = self._both(source, target)
        if names[0] not in folder.names:
            raise FileNotFoundError(2, "No such file or directory", source)
        if names[1] in folder.names:
            raise FileExistsError(17, "File exists", target)
        folder.do("rename", *names)

    def link(self, source: str, target: str) -> None:
        if not self.links:
            raise PermissionError(1, "Operation not permitted", target)
        folder, names = self._both(source, target)
        if names[0] not in folder.names:
            raise FileNotFoundError(2, "No such file or directory", source)
        if names[1] in folder.names:
            raise FileExistsError(17, "File exists", target)
        folder.do("add", names[1], folder.names[names[0]])

    def overwrite(self, source: str, target: str) -> None:
        folder, names = self._both(source, target)
        if names[0] not in folder.names:
            raise FileNotFoundError(2, "No such file or directory", source)
        folder.do("rename", *names)

    def unlink(self, path: str) -> None:
        try:
            folder, name = self._parent(path)
        except FileNotFoundError:
            return
        if name in folder.names:
            folder.do("remove", name, None)

    def sync_folder(self, path: str) -> None:
        folder = self._folder_at(path)
        folder.synced = dict(folder.names)
        folder.log.clear()

    # the way to a file

    def _folder_at(self, path: str) -> FakeFolder:
        folder: FakeFile | FakeFolder | None = self.top
        for part in path.split("/") if path else ():
            folder = folder.names.get(part) if isinstance(folder, FakeFolder) else None
            if not isinstance(folder, FakeFolder):
                raise FileNotFoundError(2, "No such file or directory", path)
        assert isinstance(folder, FakeFolder)
        return folder

    def _parent(self, path: str) -> tuple[FakeFolder, str]:
        folder, _, name = path.rpartition("/")
        return self._folder_at(folder), name

    def _both(self, one: str, other: str) -> tuple[FakeFolder, tuple[str, str]]:
        folder, first = self._parent(one)
        same, second = self._parent(other)
        assert folder is same, "a rename stays in its folder"
        return folder, (first, second)

    def _file(self, path: str) -> FakeFile | None:
        try:
            folder, name = self._parent(path)
        except FileNotFoundError:
            return None
        found = folder.names.get(name)
        if isinstance(found, FakeFolder):
            raise Refused(f"{path} is not a regular file, so it is not read")
        return found


def _stamp(file: FakeFile) -> Stamp:
    return Stamp(id(file), len(file.data), 0, file.mode, (0, 0))


def _paths(folder: FakeFolder, prefix: str) -> Iterator[str]:
    for name, node in folder.names.items():
        if isinstance(node, FakeFolder):
            yield from _paths(node, f"{prefix}{name}/")
        else:
            yield prefix + name


def _survivor(folder: FakeFolder, cut: Cut, known: dict[int, FakeFile]) -> FakeFolder:
    names = dict(folder.synced)
    for what, name, other in folder.log:
        if cut.keep():
            _do(names, what, name, other)
    survivor = FakeFolder()
    for name, node in names.items():
        if isinstance(node, FakeFolder):
            survivor.names[name] = _survivor(node, cut, known)
            continue
        if id(node) not in known:
            data = cut.tear(node) if node.dirty else node.data
            known[id(node)] = FakeFile(data, data, mode=node.mode)
        survivor.names[name] = known[id(node)]
    survivor.synced = dict(survivor.names)
    return survivor


def _described(node: FakeFile | FakeFolder, numbers: dict[int, int]) -> object:
    """A node in plain values; the same file has the same number wherever it stands."""
    number = numbers.setdefault(id(node), len(numbers))
    if isinstance(node, FakeFile):
        return number, node.data, node.synced, node.dirty, node.writers
    names = [(_plain_name(n), _described(inner, numbers)) for n, inner in node.names.items()]
    synced = [(_plain_name(n), numbers.get(id(inner), -1)) for n, inner in node.synced.items()]
    log = [(what, _plain_name(n), _plain_name(o) if isinstance(o, str) else "") for what, n, o in node.log]
    return number, names, synced, log


def _plain_name(name: str) -> str:
    """A name without the random part of a temporary one."""
    stem, dot, rest = name.partition(".os-")
    return f"{stem}{dot}{rest[12:]}"


CALLS = (
    *("read", "stamp", "signature", "quiet", "still", "walk", "resolve"),
    *("make_folder", "create", "write", "sync", "close", "exchange", "place", "link", "overwrite", "unlink"),
    "sync_folder",
)
"""Every call of a disk."""


@dataclass(slots=True)
class Plan:
    """Where a store is to be stopped: it counts every call of the disk and every commit of the ledger's file."""

    at: int = -1
    """the number of the call, from 0"""
    after: bool = False
    """stop when the call is done, not before"""
    error: int = 0
    """instead of stopping, let the call fail with this error of the system"""
    hooks: dict[str, Callable[[], None]] = field(default_factory=dict)
    """what somebody else does just before the first call of a name"""
    calls: list[str] = field(default_factory=list)
    dead: bool = False
    lazy: Path | None = None
    """the ledger's file as it was before commits that a power cut may lose"""

    def step(self, what: str, do: Callable[[], Any]) -> Any:
        """One call."""
        number = self.begin(what)
        self.stop(number, after=False)
        try:
            return do()
        finally:
            self.stop(number, after=True)

    def begin(self, what: str) -> int:
        """Count a call."""
        if self.dead:
            raise Crash
        hook = self.hooks.pop(what, None)
        if hook is not None:
            hook()
        self.calls.append(what)
        return len(self.calls) - 1

    def stop(self, number: int, *, after: bool) -> None:
        """Stop here, if it is the place."""
        if self.dead:
            raise Crash
        if number != self.at or after != self.after:
            return
        if self.error:
            raise OSError(self.error, "injected")
        self.die()

    def die(self) -> NoReturn:
        """The process ends: nothing it calls does anything any more."""
        self.dead = True
        raise Crash


class Watched(Disk):
    """A disk whose calls all go by a plan."""

    def __init__(self, inner: Disk, plan: Plan) -> None:
        super().__init__(inner.root)
        self.inner = inner
        self.plan = plan
        self.linger = inner.linger


def _watched(name: str) -> Callable[..., Any]:
    def call(self: Watched, *args: Any, **named: Any) -> Any:
        return self.plan.step(name, lambda: getattr(self.inner, name)(*args, **named))

    return call


for _name in CALLS:
    setattr(Watched, _name, _watched(_name))


def watch_commits(store: FolderStore, plan: Plan) -> None:
    """Let the commits of a store's ledger go by a plan as well."""
    real = store.db.writing
    file = Path(store.db.path)

    @contextmanager
    def writing(*, durable: bool = True) -> Iterator[sqlite3.Connection]:
        number = plan.begin("commit" if durable else "lazy commit")
        if not durable and plan.lazy is None:
            plan.lazy = copied(file, file.parent / "lazy")
        with real(durable=durable) as db:
            yield db
            plan.stop(number, after=False)
        if durable:
            plan.lazy = None
        plan.stop(number, after=True)

    store.db.writing = writing  # type: ignore[method-assign]


def copied(database: Path, folder: Path) -> Path:
    """A copy of a database that nobody writes at the moment, with its log."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for ending in ("", "-wal"):
        source = database.with_name(database.name + ending)
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / database.name
