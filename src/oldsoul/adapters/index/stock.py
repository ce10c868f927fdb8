"""What an embedded index has at hand: its arrays, words, codes and weights, as the file says they are now."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import count, islice
from pathlib import Path
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from oldsoul.adapters.index import postings
from oldsoul.adapters.index.arrays import ArrayFolder, MissingArray
from oldsoul.adapters.index.columns import Columns
from oldsoul.adapters.index.postings import Postings, Segment
from oldsoul.adapters.index.spaces import Dense, Table, Weighed
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Damaged
from oldsoul.ranking.pool import Known
from oldsoul.ranking.terms import prefix

CODED = ("document", "speaker", "audience", "room", "person", "tag")
_NONSENSE = (ValueError, TypeError, KeyError, IndexError, OverflowError, MemoryError, AttributeError)
"""What reading numbers that are none, or codes nobody gave, comes to."""
_NOTHING = nullcontext()
_TRIES = 5
_KEPT, _WORDS = 4096, 50_000
_KIN = 500
"""So many words that begin alike count as a family; more are numbers, or somebody's attack."""
_AT_ONCE = 500
"""Of so many beginnings of words it is remembered which words have them."""


class Stock:
    """One index as it is in this process. Whoever writes says so with `save`; the others take it in with `refresh`."""

    def __init__(self, file: SqliteFile, tables: Sequence[Table]) -> None:
        self.file = file
        self._tables = tables
        self._steady = 0
        """the thread for which it stays at one moment"""
        self.version = 0
        """grows with everything that is written"""
        self.begin(-1)

    def begin(self, epoch: int) -> None:
        """Know nothing yet of the rows of this epoch; in another, rows have other numbers."""
        self.epoch = epoch
        self.shelf = ArrayFolder(Path(f"{self.file.path}.arrays") / str(epoch))
        self.columns = Columns(self.shelf, len(self._tables))
        self.postings = Postings()
        self.spaces = [Weighed(self.shelf, n, table, self.columns) for n, table in enumerate(self._tables)]
        self.dense: Dense | None = None
        self.codes: dict[str, dict[str, int]] = {kind: {} for kind in CODED}
        self.names: dict[str, list[str]] = {kind: [] for kind in CODED}
        self.superseded: set[int] = set()
        self.numbers: dict[str, int] = {}
        self.next_number = 0
        self._family: dict[str, tuple[int, ...]] = {}
        self._family_of = 0
        self.buried = 0
        self.weighed = 0
        self.weighing = 0
        self.version += 1
        self._notes: dict[str, str | None] = {}
        self._seen = (-1, -1)

    def successor(self) -> Stock:
        """A stock of the same file in which rows have other numbers, without any row yet."""
        made = Stock(self.file, self._tables)
        made.begin(self.epoch + 1)
        made.codes, made.names = self.codes, self.names
        made.next_number, made.weighed, made.weighing = self.next_number, self.weighed, self.weighing
        made.version, made._seen = self.version, self._seen
        for space in made.spaces:
            space.begin(self.weighing)
        return made

    def meta(self, key: str) -> Any:
        """What the file notes under this key."""
        rows = self.file.rows("SELECT value FROM meta WHERE key=?", key)
        return rows[0][0] if rows else None

    def noted(self, key: str) -> str | None:
        """What was noted under this key, for the weights that hold now."""
        key = f"note {self.weighing} {key}"
        if key not in self._notes:
            found = self.meta(key)
            self._notes[key] = None if found is None else str(found)
        return self._notes[key]

    def note(self, db: sqlite3.Connection, key: str, value: str) -> None:
        """Note something that holds until tokens are weighed again."""
        self._notes = {}
        db.execute("DELETE FROM meta WHERE key LIKE 'note %' AND key NOT LIKE ?", (f"note {self.weighing} %",))
        db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (f"note {self.weighing} {key}", value))

    # coming up to date with the file

    def refresh(self) -> None:
        """Read what another process wrote."""
        with self.steady():
            pass

    def steady(self) -> AbstractContextManager[None]:
        """Be up to date, and stay at this moment while the block runs."""
        return _NOTHING if self._steady == get_ident() else self._steadied()

    @contextmanager
    def _steadied(self) -> Iterator[None]:
        with ExitStack() as held:
            held.enter_context(self.file.reading())  # other threads wait
            for tries in count(1):
                try:
                    with self.sense():
                        self._refresh()
                    break
                except MissingArray as error:
                    self.begin(-1)
                    if tries == _TRIES:
                        raise Damaged(f"{self.file.path} is damaged: an array is missing ({error})") from error
                    held.close()
                    held.enter_context(self.file.reading())
                except Damaged:
                    self.begin(-1)
                    raise
            self._steady = get_ident()
            try:
                yield
            finally:
                self._steady = 0

    def sense(self) -> _Sense:
        """What makes no sense within it is damage."""
        return _Sense(self.file.path)

    def _refresh(self) -> None:
        self.file.rows("SELECT 1 FROM meta LIMIT 1")  # from here on the file is still for us
        seen = self.file.seen()
        if seen != self._seen:
            epoch = self.meta("epoch") or 0
            if not isinstance(epoch, int):  # it names a folder
                raise Damaged(f"{self.file.path} is damaged: its epoch is no number")
            if epoch != self.epoch:  # every row is another one now
                self.begin(epoch)
            self._load()
            self._seen = seen
            self._notes = {}
            self.version += 1
        elif not self.shelf.is_whole():
            raise Damaged(f"{self.file.path} is damaged: one of its arrays has become shorter")
        self.shelf.map()

    def _load(self) -> None:
        self.next_number = (self.file.rows("SELECT coalesce(max(number), -1) FROM terms")[0][0]) + 1
        for kind, code, value in self.file.rows("SELECT kind, code, value FROM codes ORDER BY kind, code"):
            if code == len(self.names[kind]):
                self.names[kind].append(value)
                self.codes[kind][value] = code
        state = self.meta("arrays")
        self.shelf.read(state)
        weighing = self.meta("weighing") or 0
        if weighing != self.weighing:
            self._load_weights(weighing)
        first = self.columns.known
        self.columns.take_in()
        self._load_words(first, [name for name in json.loads(state or "{}") if name.startswith("words-")])
        for space in self.spaces:
            if len(space.vectors) != len(self.columns):
                raise Damaged(
                    f"{self.file.path} is damaged: it has no vectors for its rows from {len(space.vectors)} on"
                )
        self._load_dense()
        dead = self.file.rows("SELECT place, id FROM dead WHERE place>? ORDER BY place", self.buried)
        if dead:
            self.bury([row for _, row in dead])
            self.buried = dead[-1][0]
        self.superseded = {row for (row,) in self.file.rows("SELECT id FROM superseded")}

    def _load_weights(self, weighing: int) -> None:
        self.weighing = weighing
        self.weighed = self.meta("weighed") or 0
        for number, space in enumerate(self.spaces):
            weight, mean = self.meta(f"weights {number}"), self.meta(f"mean {number}")
            space.begin(weighing)
            space.weigh(np.frombuffer(weight, "<f4"), np.frombuffer(mean, "<f4"))

    def _load_words(self, first: int, names: Sequence[str]) -> None:
        segments = [Segment.unpacked(self.shelf.array(name, "u1").all) for name in names]
        segments.sort(key=lambda segment: segment.first)
        ends = [0, *(segment.last for segment in segments)]
        if [segment.first for segment in segments] != ends[:-1] or ends[-1] > len(self.columns):
            raise Damaged(f"{self.file.path} is damaged: its words are not in order")
        if [segment.last for segment in segments] == [segment.last for segment in self.postings.segments]:
            if first < len(self.columns):
                self.postings.add(self.words(first, len(self.columns)))
            return
        fresh = first
        if not first:
            for segment in segments:
                self.postings.count(segment)
            fresh = ends[-1]
        if fresh < len(self.columns):
            self.postings.count(self.words(fresh, len(self.columns)))
        self.seal(segments)

    def words(self, first: int, last: int) -> Segment:
        """The words of rows that follow one another."""
        terms, lengths = self.columns.terms.span(first, last)
        return postings.sealed(first, lengths, terms)

    def seal(self, segments: Sequence[Segment]) -> None:
        """Go by these segments of words; what comes after them is still open."""
        end = segments[-1].last if segments else 0
        rest = self.words(end, len(self.columns)) if end < len(self.columns) else None
        self.postings.seal(segments, rest)

    def _load_dense(self) -> None:
        kept = self.meta("dense")
        if kept is None:
            self.dense = None
        else:
            name, place, width = json.loads(kept)
            if self.dense is None or self.dense.place != place:
                self.dense = Dense(self.shelf, name, place, width)

    def bury(self, rows: Sequence[int]) -> None:
        """Have rows not count any more."""
        gone = self.columns.bury(np.array(rows, "<i8"))
        if len(gone):
            terms, offsets = self.columns.terms.of(gone)
            self.postings.uncount(np.diff(offsets), terms)

    # writing

    def save(self, db: sqlite3.Connection) -> None:
        """Have the file say what is at hand."""
        kept = ["rows", "terms", *(name for space in self.spaces for name in space.names)]
        kept += [words_name(segment) for segment in self.postings.segments]
        kept += self.dense.vectors.names if self.dense else ()
        ((self.buried,),) = db.execute("SELECT coalesce(max(place), 0) FROM dead").fetchall()
        values = (("arrays", self.shelf.state(kept)), ("epoch", self.epoch))
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", values)
        db.execute("DELETE FROM meta WHERE key='sums'")
        self.version += 1

    def numbered(self, db: sqlite3.Connection, terms: Sequence[str]) -> list[int]:
        """The numbers of terms; a new one for a new term."""
        if len(self.numbers) > _WORDS:
            self.numbers = {}
        found = [self.numbers.get(term, -1) for term in terms]
        if -1 not in found:
            return found
        return [self._number(db, term) if number < 0 else number for term, number in zip(terms, found, strict=True)]

    def _number(self, db: sqlite3.Connection, term: str) -> int:
        known = self.known_number(term)
        if known < 0:
            known = self.numbers[term] = self.next_number
            self.next_number += 1
            db.execute("INSERT INTO terms VALUES (?,?,?)", (known, term, prefix(term)))
        return known

    def known_number(self, term: str) -> int:
        """A term's number; -1 when no row ever had it."""
        known = self.numbers.get(term)
        if known is None:
            rows = self.file.rows("SELECT number FROM terms WHERE term=?", term)
            if not rows:
                return -1
            known = self.numbers[term] = int(rows[0][0])
        return known

    def numbers_of(self, terms: Iterable[str]) -> list[tuple[str, int]]:
        """Those of some terms that rows have or had, with their numbers."""
        found: list[tuple[str, int]] = []
        wanted = iter(dict.fromkeys(terms))
        while part := list(islice(wanted, _AT_ONCE)):
            sql = f"SELECT term, number FROM terms WHERE term IN ({','.join('?' * len(part))})"  # noqa: S608 - marks alone
            found += [(str(term), int(number)) for term, number in self.file.rows(sql, *part)]
        return found

    def family(self, prefix: str, frequency: Callable[[int], int]) -> tuple[int, ...]:
        """The numbers of the terms that begin like this and that rows have, so many."""
        if self._family_of != self.next_number or len(self._family) > _KEPT:
            self._family_of, self._family = self.next_number, {}
        known = self._family.get(prefix)
        if known is None:
            rows = self.file.rows("SELECT number FROM terms WHERE prefix=? ORDER BY term", prefix)
            known = self._family[prefix] = tuple(number for (number,) in rows)
        return tuple(islice((number for number in known if frequency(number)), _KIN))

    def code(self, db: sqlite3.Connection, kind: str, value: str) -> int:
        """The code of a document, speaker, audience …; a new one for a new value."""
        known = self.codes[kind].get(value)
        if known is None:
            known = len(self.names[kind])
            db.execute("INSERT INTO codes VALUES (?,?,?)", (kind, known, value))
            self.codes[kind][value] = known
            self.names[kind].append(value)
        return known

    def rows_of(self, document: int) -> list[int]:
        """The rows of a document that count, in order."""
        return [row for (row,) in self.file.rows("SELECT id FROM chunks WHERE document=? ORDER BY id", document)]


class _Sense:
    """Tells damage from what cannot be read. Entered often, so it is no generator."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, _NONSENSE):
            raise Damaged(f"{self._path} is damaged ({error!r})") from error


class QuestionWords(NamedTuple):
    """The words of a question as an index has them."""

    stock: Stock
    numbers: dict[str, int]
    """of those that rows have or had; they are asked for together, since each question to the file takes its time"""
    frequency: Callable[[int], int]

    def known(self, term: str, belonging: Sequence[str]) -> Known:
        """What there is of a word and of those that belong to it; what is not seen is not known."""
        number = self._seen(term)
        family = self.stock.family(prefix(term), self.frequency) if term else ()
        own = [found for found in map(self._seen, belonging) if found >= 0]
        often = self.frequency
        return Known(number, often(number), family, sum(map(often, family)), tuple(own), sum(map(often, own)))

    def _seen(self, term: str) -> int:
        number = self.numbers.get(term, -1)
        return number if self.frequency(number) else -1


def words_name(segment: Segment) -> str:
    """The array a segment is kept in."""
    return f"words-{segment.first}-{segment.last}"
