"""An index that can be rebuilt next to the one in use: each has its own file, and a link says which one counts.

Replacing the link is one step. Whoever has the old file open goes on reading it, and goes over to the new one with the
next thing they do. Names are never used twice, since SQLite deletes the log of a file by its name when it is closed.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oldsoul.adapters.index.arrays import MissingArray
from oldsoul.adapters.index.candidates import Tokens
from oldsoul.adapters.index.engine import SqliteIndex
from oldsoul.errors import Damaged
from oldsoul.ranking.pool import Pool, Statistics
from oldsoul.ranking.question import Question
from oldsoul.values.audience import View
from oldsoul.values.recall import Chunk, Filed, Filters, Prepared

if TYPE_CHECKING:
    from oldsoul.adapters.index.arrays import Array


T = TypeVar("T")
_NEXT, _WORDS = ".next", ".words"
_PASSING = "oldsoul-index-"
_TRIES = 8
_ENDINGS = ("", "-wal", "-shm", ".lock")


def current(path: str) -> str:
    """The file of the index that counts; a new one where there is none yet."""
    while True:
        try:
            return _target(path)
        except FileNotFoundError:
            with suppress(FileExistsError, FileNotFoundError):  # somebody else began one, or deletes the cache just now
                make_folder(os.path.dirname(path))
                os.symlink(os.path.basename(_new(path)), path)


def make_folder(path: str) -> None:
    """Make a folder of the cache, which may be deleted at any time: also between a folder and the one in it."""
    for left in reversed(range(_TRIES)):
        try:
            return os.makedirs(path, mode=0o700, exist_ok=True)
        except FileNotFoundError:
            if not left:
                raise
    return None


def following(path: str) -> str:
    """The file of the index that is being made: the one that was begun, or a new one."""
    return current(_next(path))


def stopgap(path: str) -> str:
    """The path of an index that is in for one that is being made, begun again; it goes with the next that counts."""
    _take_away(_words(path))
    return _words(path)


def give_up(path: str) -> None:
    """Take away what was begun."""
    _take_away(_next(path))


def _take_away(link: str) -> None:
    with suppress(FileNotFoundError):
        file = _target(link)
        os.unlink(link)
        _delete(file)


def is_begun(path: str, file: str) -> bool:
    """Whether this file is the index that is being made; it is not once it was taken away."""
    try:
        return _target(_next(path)) == file and os.path.exists(file)
    except FileNotFoundError:
        return False


def put_in_place(path: str, made: str) -> bool:
    """Have the index that was made count from now on; False when it was taken away meanwhile."""
    try:
        if not is_begun(path, made):
            return False
        _make_way(path)
        os.replace(_next(path), path)
    except FileNotFoundError:
        return False
    with suppress(FileNotFoundError):
        os.unlink(_words(path))
    _sweep(path)
    return True


@contextmanager
def making(path: str) -> Iterator[bool]:
    """Only one makes an index again at a time: whether it is us."""
    fd = _opened(f"{path}.making")
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(fd)


def _opened(path: str) -> int:
    """A file that may be locked; all of the cache may be deleted at any time."""
    while True:
        with suppress(FileNotFoundError):
            make_folder(os.path.dirname(path))
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def remove(path: str) -> None:
    """Take an index away, with every word in it, and what is being made of it."""
    for link in (_next(path), _words(path), path):
        with suppress(FileNotFoundError):
            _make_way(link)
            os.unlink(link)
    _sweep(path)
    with suppress(FileNotFoundError):
        os.unlink(f"{path}.checked")


def _target(path: str) -> str:
    """Where the link leads. A file that is no link was made before there were links, and counts itself."""
    try:
        return path[: path.rfind("/") + 1] + os.readlink(path)
    except OSError:
        _make_way(path)
        if os.path.lexists(path):
            return path
        raise FileNotFoundError(path) from None


def _make_way(path: str) -> None:
    """Have a folder go aside that is where a link should be."""
    if os.path.isdir(path) and not os.path.islink(path):
        with suppress(FileNotFoundError):  # somebody else was faster
            os.rename(path, f"{path}.aside-{secrets.token_hex(6)}")


def _next(path: str) -> str:
    return f"{path}{_NEXT}"


def _words(path: str) -> str:
    return f"{path}{_WORDS}"


def _new(path: str) -> str:
    return f"{path.removesuffix(_NEXT).removesuffix(_WORDS)}.g-{secrets.token_hex(6)}"


def _sweep(path: str) -> None:
    """Delete what counts no longer; who has it open keeps it until they look again."""
    folder, own = os.path.split(path)
    pattern = re.compile(re.escape(own) + r"\.g-[0-9a-f]{12}")
    try:
        there = {found[0] for name in os.listdir(folder) if (found := pattern.match(name))}
    except FileNotFoundError:
        return
    kept = set()  # looked up last: a file that is begun meanwhile has its link before it is there
    for link in (_next(path), _words(path), path):  # in this order: what is begun becomes what counts
        with suppress(FileNotFoundError):
            kept.add(_target(link))
    for name in there:
        if os.path.join(folder, name) not in kept:
            _delete(os.path.join(folder, name))
    if path not in kept:
        _delete(path, link_too=False)


def _delete(file: str, *, link_too: bool = True) -> None:
    for ending in _ENDINGS if link_too else _ENDINGS[1:]:
        if os.path.isdir(f"{file}{ending}"):
            shutil.rmtree(f"{file}{ending}", ignore_errors=True)
        with suppress(FileNotFoundError):
            os.unlink(f"{file}{ending}")
    shutil.rmtree(f"{file}.arrays", ignore_errors=True)


class CurrentIndex:
    """The index that counts, whichever file that is. Made from its path and what opens a file."""

    def __init__(self, path: str, opened: Callable[[str], SqliteIndex]) -> None:
        self._path = path
        self._opened = opened
        self._guard = threading.RLock()
        self._steady = 0
        self._renewed = False
        self._named = ""
        for left in reversed(range(_TRIES)):
            self._file = current(path)
            try:
                self._index = opened(self._file)
                break
            except FileNotFoundError as error:  # the cache was deleted just now
                if not left:
                    raise _missing(self._file, error) from error

    def _is_replaced(self) -> bool:
        return not self._steady and current(self._path) != self._file

    def _now(self) -> SqliteIndex:
        """The index as it counts now; within `steady` it stays the same one."""
        if self._is_replaced():
            file = current(self._path)
            fresh = self._opened(file)
            self._index.close()
            self._index, self._file, self._renewed = fresh, file, True
            _sweep(self._path.removesuffix(_WORDS))
        return self._index

    def _do(self, work: Callable[[SqliteIndex], T]) -> T:
        """Do something; again, when the file was replaced in the middle of it."""
        with self._guard:
            for left in reversed(range(_TRIES)):
                try:
                    return work(self._now())
                except (MissingArray, FileNotFoundError) as error:
                    if not (left and self._is_replaced()):
                        raise _missing(self._file, error) from error
                except (OSError, Damaged):
                    if not (left and self._is_replaced()):
                        raise
            raise Damaged(f"{self._file} was replaced several times while it was being read; try again")

    def renewed(self) -> bool:
        """Whether another one came to count since this was last asked."""
        with self._guard:
            self._do(lambda _: None)  # it may be replaced once more while it is opened
            was, self._renewed = self._renewed, False
            return was

    @property
    def outdated(self) -> bool:
        """Whether it was made for other settings."""
        return self._do(lambda index: index.outdated)

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            self._index.close()

    def documents(self) -> dict[str, str]:
        """What is indexed: path to digest."""
        return self._do(lambda index: index.documents())

    def put(
        self, filed: Iterable[Filed], prepare: Callable[[Iterable[Chunk]], Iterable[Prepared]], *, append: bool = False
    ) -> None:
        """Have documents in the index as they are now, all of them or none; or add chunks at their ends."""
        given = list(filed)
        self._do(lambda index: index.put(given, prepare, append=append))

    def erase(self, redacted: Iterable[Filed], prepare: Callable[[Iterable[Chunk]], Iterable[Prepared]]) -> None:
        """Put chunks in the place of those that begin at the same lines, and leave nothing of any row that is gone."""
        given = list(redacted)
        self._do(lambda index: index.erase(given, prepare))

    def missing_vectors(self, embedder: str, count: int) -> list[tuple[int, Chunk]]:
        """The next rows, at most so many, that have no vector by this embedder."""

        def named(index: SqliteIndex) -> list[tuple[int, Chunk]]:
            self._named = self._file
            return index.missing_vectors(embedder, count)

        return self._do(named)

    def fill(self, embedder: str, rows: Sequence[int], vectors: Array) -> None:
        """Give the rows that `missing_vectors` named their vectors; in another file these are others, and get none."""

        def fill(index: SqliteIndex) -> None:
            if self._file == self._named:
                index.fill(embedder, rows, vectors)

        self._do(fill)

    def supersede(self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]) -> None:
        """Have rows not be found that a correction replaced."""
        self._do(lambda index: index.supersede(entries, words))

    def noted(self, key: str) -> str | None:
        """What was noted under this key."""
        return self._do(lambda index: index.noted(key))

    def note(self, key: str, value: str) -> None:
        """Note something."""
        self._do(lambda index: index.note(key, value))

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Everything that is looked up within it is of one moment, whoever writes meanwhile."""
        with self._guard, ExitStack() as held:
            self._do(lambda index: held.enter_context(index.steady()))
            self._steady += 1
            try:
                yield
            finally:
                self._steady -= 1

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who said something."""
        return self._do(lambda index: index.speakers)

    def heard(self, people: Collection[str], view: View) -> set[str]:
        """Those of some speakers who spoke where a view sees it: in a message, or asking, or about themselves."""
        return self._do(lambda index: index.heard(people, view))

    def look(
        self,
        question: Question,
        filters: Filters,
        tokens: Tokens,
        count: int,
        asked: tuple[str, Array] | None = None,
    ) -> tuple[Pool, Statistics]:
        """The rows that fit best by words and by meaning, and what scoring needs."""
        return self._do(lambda index: index.look(question, filters, tokens, count, asked))

    def seen(self, terms: Collection[str], filters: Filters) -> dict[str, list[int]]:
        """Some of the rows that filters let through in which each of some terms is, the first ones."""
        return self._do(lambda index: index.seen(terms, filters))

    def holds_other(self, question: Question, view: View) -> bool:
        """Whether it holds pieces that a view sees in another script than the question."""
        return self._do(lambda index: index.holds_other(question, view))

    def rows_of(self, path: str) -> list[int]:
        """The rows of one document that count, in order."""
        return self._do(lambda index: index.rows_of(path))

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Some rows as they are shown."""
        return self._do(lambda index: index.chunks(rows))

    def check(self) -> None:
        """`Damaged` when something in the file is not what was put there; what it comes to is noted for later."""
        self._do(lambda index: index.check())
        self._do(lambda index: index.seal_sums())


def _missing(file: str, error: Exception) -> Damaged:
    """What is said of an index of which a part was deleted: it has to be made again."""
    return Damaged(f"{file} is damaged: a part of it is missing ({error})")


class PassingIndex(CurrentIndex):
    """An index in a temporary folder that goes with it: for whoever cannot write where it should be."""

    def __init__(self, opened: Callable[[str], SqliteIndex]) -> None:
        sweep_passing()
        self._folder = tempfile.mkdtemp(prefix=f"{_PASSING}{os.getpid()}-")
        self._gone = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)  # at the latest at exit
        super().__init__(os.path.join(self._folder, "index.db"), opened)

    def close(self) -> None:
        """Close the file, and of all that is in it."""
        super().close()
        self._gone()


def sweep_passing() -> None:
    """Take away the temporary indexes of processes that are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PASSING}*-*"):
        number = folder.name.removeprefix(_PASSING).partition("-")[0]
        if number.isdigit() and not _is_alive(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
