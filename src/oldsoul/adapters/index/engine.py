"""The embedded engine: one SQLite file with texts and lists, and beside it a folder of arrays.

Rows are numbered as they come and never change. The words of the first thousands that follow one another are sealed into
a segment. A row that goes is marked as dead; when most are, those that count get new numbers.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.adapters.index import damage
from oldsoul.adapters.index.appending import New, insert, seal, weigh
from oldsoul.adapters.index.compacting import compacted
from oldsoul.adapters.index.looking import Looking, holds_other
from oldsoul.adapters.index.postings import SEAL
from oldsoul.adapters.index.rows import chunk_of, facts_of, sum_of
from oldsoul.adapters.index.schema import MIGRATIONS
from oldsoul.adapters.index.spaces import Dense
from oldsoul.adapters.index.stock import Stock
from oldsoul.adapters.index.superseding import superseded
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Damaged
from oldsoul.values.audience import Audience

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from oldsoul.adapters.index.arrays import Array
    from oldsoul.adapters.index.looking import Tokens
    from oldsoul.adapters.index.spaces import Table
    from oldsoul.ranking.pool import Pool, Statistics
    from oldsoul.ranking.question import Question
    from oldsoul.values.audience import View
    from oldsoul.values.recall import Chunk, Filed, Filters, Prepared

    Prepare = Callable[[Iterable[Chunk]], Iterable[Prepared]]

_FORMAT = 3
_AT_ONCE = 50_000
"""So many words of new rows, and no more, are held in memory before they are written."""
_GROWN = 1.5


class OtherTables(Damaged):
    """An index that can be read, with the tables it was made for."""


class SqliteIndex:
    """One agent's index. Several processes read while one writes."""

    def __init__(self, path: str, tables: Sequence[Table], maker: str = "", *, lenient: bool = False) -> None:
        self.outdated = False
        """whether it was made in another way; a lenient opening takes it as long as it can be read"""
        self._lenient = lenient
        self._file = SqliteFile(path, MIGRATIONS, "the index", "it is rebuilt from the files")
        self._stock = Stock(self._file, tuple(tables))
        self._looking = Looking()
        self._swept: tuple[int, frozenset[str]] | None = None
        try:
            with self._stock.sense():
                self._open(json.dumps([_FORMAT, maker, *(table.name for table in tables)]))
        except Damaged:
            self._file.close()
            raise

    def _open(self, made: str) -> None:
        kept = self._stock.meta("made")
        if kept is None:
            with self._file.writing(durable=False) as db:
                db.execute("INSERT OR REPLACE INTO meta VALUES ('made', ?)", (made,))
        elif kept != made and self._lenient and _without_maker(kept) == _without_maker(made):
            self.outdated = True
        elif kept != made:
            error = OtherTables if _without_maker(kept)[:1] == [_FORMAT] else Damaged
            raise error(f"{self._file.path} was built for {kept}, not for {made}")
        self._stock.refresh()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def renewed(self) -> bool:
        """Nothing takes the place of a file here."""
        return False

    # writing

    def documents(self) -> dict[str, str]:
        """What is indexed: path to digest."""
        with self._stock.sense():
            return dict(self._file.rows("SELECT path, hash FROM files"))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction on arrays that are up to date. What fails has not happened."""
        with self._file.writing(durable=False) as db:
            try:
                self._stock.refresh()
                self._sweep()
                yield db
                self._stock.save(db)
            except BaseException:
                self._stock.begin(-1)  # what was taken into memory is not in the file
                raise

    def _sweep(self) -> None:
        """Delete arrays that do not count any more: at the first write, and whenever others came to count."""
        counting = (self._stock.epoch, self._stock.shelf.counting)
        if counting != self._swept:
            self._stock.shelf.sweep()
            self._swept = counting

    def put(self, filed: Iterable[Filed], prepare: Prepare, *, append: bool = False) -> None:
        """Have documents in the index as they are now, all of them or none; or add chunks at their ends."""
        stock = self._stock
        with self._writing() as db:
            new: list[New] = []
            seen: set[str] = set()
            terms = 0
            for document in filed:
                if document.path in seen:
                    insert(stock, db, new)
                    new = []
                seen.add(document.path)
                for row in self._put(db, document, prepare, append=append):
                    new.append(row)
                    terms += len(row.prepared.terms)
                    if terms >= _AT_ONCE:
                        insert(stock, db, new)
                        stock.shelf.release()
                        new, terms = [], 0
            insert(stock, db, new)
            if stock.columns.count > stock.weighed * _GROWN or not stock.weighing:
                weigh(stock, db)
            if len(stock.columns) > 2 * stock.columns.count + 2 * SEAL:
                self._stock = compacted(stock, db)
                seal(self._stock)

    def _put(self, db: sqlite3.Connection, filed: Filed, prepare: Prepare, *, append: bool) -> Iterator[New]:
        """Take out what is not in a document any more; gives what is to be put in, as it is asked for."""
        if filed.after is not None:
            kept = db.execute("SELECT hash FROM files WHERE path=?", (filed.path,)).fetchone()
            if (kept[0] if kept else "") != filed.after:
                return  # somebody else put or added something meanwhile
        document = self._stock.code(db, "document", filed.path)
        sql = "SELECT id, start_line, end_line, hash FROM chunks WHERE document=? ORDER BY id"
        old = db.execute(sql, (document,))
        chunks, count, last = iter(filed.chunks), 0, -1
        for row, *kept in old:
            chunk = None if append else next(chunks, None)
            if not append and (chunk is None or kept != _told(chunk)):
                self._bury(db, [row, *(row for row, *_ in old)])
                chunks = chain(filter(None, [chunk]), chunks)
                break
            count, last = count + 1, row
        for prepared in prepare(chunks):
            yield New(prepared, document, count, last)
            count, last = count + 1, -1
        if filed.digest:
            db.execute("INSERT OR REPLACE INTO files VALUES (?,?,?)", (filed.path, filed.digest, count))
        else:
            db.execute("DELETE FROM files WHERE path=?", (filed.path,))

    def erase(self, redacted: Iterable[Filed], prepare: Prepare) -> None:
        """Put chunks in the place of those that begin at the same lines, and leave nothing of any row that is gone."""
        with self._writing() as db:
            instead = self._redact(db, redacted, prepare)
            if len(self._stock.columns) > self._stock.columns.count:
                self._stock = compacted(self._stock, db, instead)
                seal(self._stock)
        with self._writing():
            pass  # the arrays that counted before are swept
        self._file.empty_log()

    def _redact(self, db: sqlite3.Connection, redacted: Iterable[Filed], prepare: Prepare) -> dict[int, int]:
        """Append what stands in the place of other rows; gives in whose."""
        columns, first = self._stock.columns, len(self._stock.columns)
        gone: list[tuple[int, Chunk]] = []
        for filed in redacted:
            document = self._stock.codes["document"].get(filed.path, -1)
            for chunk in filed.chunks:
                sql = "SELECT id, hash FROM chunks WHERE document=? AND start_line=?"
                rows = db.execute(sql, (document, chunk.start_line)).fetchall()
                gone += [(row, chunk) for row, total in rows if total != sum_of(chunk.text, facts_of(chunk))]
        prepared = prepare(chunk for _, chunk in gone)
        new = [
            New(made, *(int(columns.rows[row][field]) for field in ("document", "ordinal", "before")))
            for (row, _), made in zip(gone, prepared, strict=True)
        ]
        self._bury(db, [row for row, _ in gone])
        insert(self._stock, db, new)
        return {first + place: row for place, (row, _) in enumerate(gone)}

    def _bury(self, db: sqlite3.Connection, rows: Sequence[int]) -> None:
        """Have rows not count any more; their texts go."""
        db.executemany("INSERT INTO dead (id) VALUES (?)", [(row,) for row in rows])
        db.executemany("DELETE FROM chunks WHERE id=?", [(row,) for row in rows])
        self._stock.bury(rows)

    def weigh(self) -> None:
        """Weigh tokens by what the rows that count say now."""
        with self._writing() as db:
            weigh(self._stock, db)

    # vectors of an embedder that is no table

    def lacking(self, embedder: str, count: int) -> list[tuple[int, Chunk]]:
        """The next rows, at most so many, that have no vector by this embedder. Those by another are dropped."""
        stock = self._stock
        stock.refresh()
        if stock.dense is not None and stock.dense.name != embedder:
            with self._writing() as db:
                db.execute("DELETE FROM meta WHERE key='dense'")
                stock.dense = None
        first = len(stock.dense.vectors) if stock.dense else 0
        rows = (first + np.flatnonzero(stock.columns.alive[first:])[:count]).tolist()
        return list(zip(rows, self.chunks(rows), strict=True))

    def fill(self, embedder: str, rows: Sequence[int], vectors: Array) -> None:
        """Give the rows that `lacking` named their vectors; what another process did meanwhile is left as it is."""
        stock = self._stock
        with self._writing() as db:
            if stock.dense is None:
                place, width = (stock.meta("embedders") or 0) + 1, int(np.shape(vectors)[1])
                stock.dense = Dense(stock.shelf, embedder, str(place), width)
                values = (("embedders", place), ("dense", json.dumps([embedder, str(place), width])))
                db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", values)
            dense = stock.dense.vectors
            at = np.asarray(rows, "<i8")
            if stock.dense.name == embedder and dense.width == np.shape(vectors)[1] and len(at) and at[0] >= len(dense):
                filled = np.zeros((int(at[-1]) + 1 - len(dense), dense.width), "<f4")
                filled[at - len(dense)] = vectors
                dense.extend(filled)

    # what corrections took the place of

    def supersede(self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]) -> None:
        """Have rows not be found that a correction took the place of: by entry, or by words, if they are older."""
        with self._writing() as db:
            wanted = superseded(self._stock, self.chunks, entries, words)
            if wanted != self._stock.superseded:
                db.execute("DELETE FROM superseded")
                db.executemany("INSERT INTO superseded VALUES (?)", [(row,) for row in sorted(wanted)])
                self._stock.superseded = wanted

    # notes

    def noted(self, key: str) -> str | None:
        """What was noted under this key, for the weights that hold now."""
        with self._stock.steady(), self._stock.sense():
            return self._stock.noted(key)

    def note(self, key: str, value: str) -> None:
        """Note something that holds until tokens are weighed anew."""
        with self._file.writing(durable=False) as db:
            self._stock.note(db, key, value)

    # looking

    def steady(self) -> AbstractContextManager[None]:
        """Everything that is looked up within it is of one moment, whoever writes meanwhile."""
        return self._stock.steady()

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who said something."""
        return tuple(self._stock.names["speaker"])

    def heard(self, people: Collection[str], view: View) -> set[str]:
        """Those of some speakers who spoke where a view sees it: in a message, or asking, or about themselves."""
        with self.steady(), self._stock.sense():
            codes, audiences = self._stock.codes["speaker"], self._stock.names["audience"]
            before = {name: self._stock.columns.audiences_of(codes.get(name, -1)) for name in people}
            sees = {code: view.sees(Audience.parse(audiences[code])) for own in before.values() for code in own}
            return {name for name, own in before.items() if any(sees[code] for code in own)}

    def look(
        self, question: Question, filters: Filters, tokens: Tokens, count: int, asked: tuple[str, Array] | None = None
    ) -> tuple[Pool, Statistics]:
        """The rows that fit best by words and by meaning, so many of each, with those around them; and what scoring needs."""
        stock = self._stock
        with self.steady(), stock.sense():
            dense, vector = stock.dense, None
            if asked and dense and (dense.name, dense.vectors.width) == (asked[0], len(asked[1])):
                vector = asked[1]
            return self._looking.look(stock, question, filters, tokens, (count, vector))

    def seen(self, terms: Collection[str], filters: Filters) -> dict[str, list[int]]:
        """Some of the rows that filters let through in which each of some terms is, the first ones."""
        with self.steady(), self._stock.sense():
            return self._looking.seen(self._stock, terms, filters)

    def holds_other(self, question: Question, view: View) -> bool:
        """Whether it holds pieces that a view sees in another script than the question."""
        with self.steady():
            return holds_other(self._stock, question, view)

    def rows_of(self, path: str) -> list[int]:
        """The rows of one document that count, in order."""
        with self.steady(), self._stock.sense():
            return self._stock.rows_of(self._stock.codes["document"].get(path, -1))

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Some rows as they are shown; `Damaged` when the file does not hold what was put there."""
        wanted = [int(row) for row in rows]
        found: dict[int, Chunk] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT id, document, start_line, end_line, hash, text, facts FROM chunks WHERE id IN ({marks})"  # noqa: S608 - marks alone
            with self._stock.sense():
                for row, document, first, last, total, text, facts in self._file.rows(sql, *part):
                    if total != sum_of(text, facts) or not 0 <= document < len(self._stock.names["document"]):
                        raise Damaged(f"{self._file.path} is damaged in row {row}")
                    found[row] = chunk_of(self._stock.names["document"][document], (first, last), text, facts)
        if len(found) != len(set(wanted)):
            raise Damaged(f"{self._file.path} is damaged: rows are missing")
        return [found[row] for row in wanted]

    # telling damage

    def check(self) -> None:
        """`Damaged` when something in the file is not what was put there. Reads all of it."""
        with self.steady(), self._stock.sense():
            damage.check(self._stock)

    def seal_sums(self) -> None:
        """Note what the lists of the file come to, so that damage can be told later."""
        with self._file.writing(durable=False) as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('sums', ?)", (damage.sums(self._file),))


def _without_maker(made: str) -> list[Any]:
    """What has to be the same for rows to be read at all: the format, and the tables."""
    try:
        form, _, *tables = json.loads(made)
    except (ValueError, TypeError):
        return []
    return [form, *tables]


def _told(chunk: Chunk) -> list[int]:
    """What a chunk is told by from the one that stands in its place: its lines, and its checksum."""
    return [chunk.start_line, chunk.end_line, sum_of(chunk.text, facts_of(chunk))]
