"""Embeddings that were made once, kept in a SQLite file by text and embedder, so that nothing is embedded twice."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar
from zlib import crc32

import numpy as np

from oldsoul.adapters.columns import digest, stored
from oldsoul.adapters.locks import locked
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Busy, Damaged, Unavailable, Unwritable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Piece = tuple[list[int], Vectors]
    Row = NDArray[np.float32]


class Identity(NamedTuple):
    """Whose vectors these are; two embedders with the same identity give the same vectors."""

    provider: str
    """as in `memory.search.provider`"""
    place: str
    """where it is, without secrets: a base URL, or a model's file"""
    model: str
    """which model"""
    dimensions: int
    """the length of its vectors; 0 as long as that is not known"""
    extras: str = ""
    """what else may make a difference, such as the names of further headers"""

    @property
    def name(self) -> str:
        """What the index calls the vectors."""
        return " ".join(str(part) for part in (self.provider, self.place, self.model, self.dimensions or "") if part)


class BatchedEmbedder(Protocol):
    """An embedder that gives its vectors piece by piece, so that what was made before a failure can be kept."""

    @property
    def identity(self) -> Identity:
        """Whose vectors these are."""
        ...

    @property
    def width(self) -> int:
        """How long its vectors are; 0 as long as that is not known."""
        ...

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        """The numbers of some texts and their unit vectors, until all have come; `Unavailable` when it cannot."""
        ...

    def close(self) -> None:
        """Close everything."""
        ...


def name_of(source: BatchedEmbedder) -> str:
    """What the index calls an embedder's vectors: those of another length have another name."""
    return source.identity._replace(dimensions=source.width).name


def gathered(pieces: Iterable[Piece], count: int) -> Vectors:
    """The vectors of so many texts, in their order."""
    whole: Vectors = np.zeros((count, 0), np.float32)
    for numbers, vectors in pieces:
        if not whole.shape[1]:
            whole = np.zeros((count, vectors.shape[1]), np.float32)
        whole[numbers] = vectors
    return whole


def checked(rows: Any, count: int, width: int, who: str) -> Vectors:
    """Unit vectors of what an embedder gave: as many as texts, of one width (0: any), of plain numbers, none of them zero."""
    try:
        found = np.asarray(rows)
    except ValueError:
        raise Unavailable(f"{who} returned vectors of different lengths") from None
    if len(found) != count:
        raise Unavailable(f"{who} returned {len(found)} vectors for {count} texts")
    if found.ndim != 2 or found.dtype.kind not in "fi" or not found.shape[1]:  # noqa: PLR2004 - texts and numbers
        raise Unavailable(f"{who} returned something that is not a list of vectors")
    if width and found.shape[1] != width:
        raise Unavailable(
            f"{who} returned vectors of {found.shape[1]} numbers, expected {width}; was the model changed?"
        )
    numbers = found.astype(np.float64)
    largest = np.abs(numbers).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise Unavailable(f"{who} returned a vector with a value that is not a number")
    if not largest.all():
        raise Unavailable(f"{who} returned a vector of zeros")
    return unit(numbers / largest)


def unit(rows: NDArray[Any]) -> Vectors:
    """Rows that are not zero, each of length one."""
    wide = rows.astype(np.float64)
    found: Vectors = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return found


_T = TypeVar("_T")

MIGRATIONS = (
    """
    CREATE TABLE spaces (
        id INTEGER PRIMARY KEY,
        provider TEXT NOT NULL,
        provider_key TEXT NOT NULL,     -- a hash of where it is and of what else makes a difference; no key, no secret
        model TEXT NOT NULL,
        dimensions INTEGER NOT NULL,
        UNIQUE (provider, provider_key, model, dimensions)
    );
    CREATE TABLE embeddings (
        id INTEGER PRIMARY KEY,
        space INTEGER NOT NULL,
        question INTEGER NOT NULL,      -- 1 when the text was embedded as a question
        hash TEXT NOT NULL,             -- SHA-256 of the text
        vector BLOB NOT NULL,           -- half precision, little-endian
        sum INTEGER NOT NULL,           -- CRC-32 of the hash and the vector
        used INTEGER NOT NULL,          -- seconds since 1970, UTC; exact to an hour
        UNIQUE (space, question, hash)
    );
    CREATE INDEX embeddings_by_use ON embeddings (used);
    """,
)
_SPACE = "SELECT id FROM spaces WHERE provider=? AND provider_key=? AND model=? AND dimensions=?"
_FIND = """
    SELECT hash, vector, sum, used FROM embeddings
    WHERE space=? AND question=? AND hash IN (SELECT value FROM json_each(?))
"""
_KEEP = """
    INSERT INTO embeddings (space, question, hash, vector, sum, used) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (space, question, hash) DO UPDATE SET vector=excluded.vector, sum=excluded.sum, used=excluded.used
"""
_DROP = "DELETE FROM embeddings WHERE id IN (SELECT id FROM embeddings ORDER BY used, id LIMIT ?)"
_EXACT = 3600
"""Seconds for which a use need not be noted again, so that looking up seldom writes."""
_WHAT, _LOSS = "the cache of embeddings", "nothing is lost, the texts are embedded again"


class Cached:
    """An embedder that remembers what it made, for all processes that use the same file.

    Vectors are kept in half precision (a cosine changes by less than 1e-4), and given that way the first time too, so
    that a text has one vector. Those of another length than the embedder's are made again, and so are all as long as it is
    not known how long its vectors are. A file that is damaged is deleted and begun again; one that cannot be used is done without.
    """

    def __init__(self, source: BatchedEmbedder, path: str, most: int, *, now: Callable[[], float] = time.time) -> None:
        """Args: source embeds; path is the file, which need not be there; most is how many embeddings are kept."""
        self._source, self._path, self._most, self._now = source, path, most, now
        self._file: SqliteFile | None = None
        self._guard = threading.RLock()

    @property
    def name(self) -> str:
        """What the index calls these vectors."""
        return name_of(self._source)

    def embed(self, texts: Sequence[str], *, question: bool = False) -> Vectors:
        """One unit vector a text. New texts alone are sent, each once; what came before a failure is kept."""
        wanted = {text: digest(text) for text in texts}
        have = self._found(list(wanted.values()), question=question)
        fresh = self._made([text for text in wanted if wanted[text] not in have], wanted, question=question)
        every = have | fresh
        return np.stack([every[wanted[text]] for text in texts]) if texts else np.zeros((0, 0), np.float32)

    def close(self) -> None:
        """Close the file and of the embedder."""
        with self._guard:
            self._let_go()
        self._source.close()

    def empty(self) -> None:
        """Keep none of the embeddings that were made."""
        with self._guard:
            self._reset()

    def _made(self, texts: list[str], hashes: dict[str, str], *, question: bool) -> dict[str, Row]:
        """Texts embedded again, and kept piece by piece."""
        made: dict[str, Row] = {}
        if texts:
            for numbers, vectors in self._source.pieces(texts, question=question):
                halves = vectors.astype("<f2")
                some = {hashes[texts[number]]: half for number, half in zip(numbers, halves, strict=True)}
                self._safely(partial(self._keep, some, question=question))
                made |= dict(zip(some, unit(halves), strict=True))
        return made

    def _found(self, hashes: list[str], *, question: bool) -> dict[str, Row]:
        if not hashes:
            return {}
        halves = self._safely(partial(self._read, hashes, question=question)) or {}
        return {key: unit(half[None, :])[0] for key, half in halves.items()}

    # the file

    def _read(self, hashes: list[str], file: SqliteFile, *, question: bool) -> dict[str, NDArray[np.float16]]:
        space, size = self._space(file), 2 * self._source.width
        if space is None:
            return {}
        now = int(self._now())
        found, unnoted = {}, []
        for key, vector, total, used in file.rows(_FIND, space, question, json.dumps(hashes)):
            if total != _sum(key, vector) or len(vector) != size:  # damaged, or another model's under the old name
                continue
            found[key] = np.frombuffer(vector, "<f2")
            if abs(now - used) >= _EXACT:
                unnoted.append((now, space, question, key))
        if unnoted:
            with file.writing(durable=False) as db:
                db.executemany("UPDATE embeddings SET used=? WHERE space=? AND question=? AND hash=?", unnoted)
        return found

    def _keep(self, halves: dict[str, NDArray[np.float16]], file: SqliteFile, *, question: bool) -> None:
        now = int(self._now())
        vectors = {key: half.tobytes() for key, half in halves.items()}
        with file.writing(durable=False) as db:
            columns = self._columns()
            db.execute("INSERT OR IGNORE INTO spaces VALUES (NULL, ?, ?, ?, ?)", columns)
            (space,) = db.execute(_SPACE, columns).fetchone()
            rows = [(space, question, key, each, _sum(key, each), now) for key, each in vectors.items()]
            db.executemany(_KEEP, rows)
            (count,) = db.execute("SELECT count(*) FROM embeddings").fetchone()
            if count > self._most:  # some more than need be go, so that this is not done at every turn
                db.execute(_DROP, (count - self._most + self._most // 10,))

    def _space(self, file: SqliteFile) -> int | None:
        rows = file.rows(_SPACE, *self._columns())
        return rows[0][0] if rows else None

    def _columns(self) -> tuple[str, str, str, int]:
        whose = self._source.identity
        return stored(whose.provider), digest(f"{whose.place}\n{whose.extras}"), stored(whose.model), whose.dimensions

    def _safely(self, work: Callable[[SqliteFile], _T]) -> _T | None:
        """What is done with the file; None when it cannot be used. A damaged one is begun again."""
        with self._guard:
            for _ in range(2):
                try:
                    return work(self._opened())
                except Damaged:
                    self._reset()
                except (Busy, OSError, Unavailable, Unwritable):
                    return None
            return None

    def _opened(self) -> SqliteFile:
        if self._file is None:
            os.makedirs(os.path.dirname(self._path) or ".", mode=0o700, exist_ok=True)
            self._file = SqliteFile(self._path, MIGRATIONS, _WHAT, _LOSS)
        return self._file

    def _reset(self) -> None:
        """Delete the file. Its lock is held, since others open theirs under it: nobody sees half of an old one."""
        self._let_go()
        with suppress(Busy, OSError), locked(f"{self._path}.lock", _WHAT):
            for ending in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(f"{self._path}{ending}")

    def _let_go(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(Busy, OSError):
                file.close()


def _sum(key: str, vector: bytes) -> int:
    return crc32(vector, crc32(key.encode()))
