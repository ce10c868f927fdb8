"""The embedded engine: one SQLite file with texts and lists, and next to it a folder of arrays.

Rows are numbered as they come and never change. The words of the first thousands that follow one another are sealed into
a segment. A row that goes is marked as dead; when most are, those that count get new numbers.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.adapters.index.candidates import StockCandidates, Tokens, holds_other
from oldsoul.adapters.index.columns import NUMBER, Ragged, row_type
from oldsoul.adapters.index.postings import FAN, SEAL, Segment, joined, sealed
from oldsoul.adapters.index.rows import ENTRY, MIGRATIONS, checksum, chunk_of, facts_of, seconds, sum_of
from oldsoul.adapters.index.spaces import Dense, Table
from oldsoul.adapters.index.stock import Stock, words_name
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Damaged
from oldsoul.ranking.chunks import said, says_just
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import NO_TIME, Pool, Statistics
from oldsoul.ranking.question import Question
from oldsoul.ranking.terms import terms
from oldsoul.values.audience import Audience, View
from oldsoul.values.frozen import frozen
from oldsoul.values.recall import SOURCES, Chunk, Filed, Filters, Prepared

if TYPE_CHECKING:
    from oldsoul.adapters.index.arrays import Array


Chunks = Callable[[Sequence[int]], list[Chunk]]
Prepare = Callable[[Iterable[Chunk]], Iterable[Prepared]]


_LISTS = {
    "terms": "SELECT number, term, prefix FROM terms",
    "codes": "SELECT kind, code, value FROM codes",
    "files": "SELECT path, hash, rows FROM files",
    "dead": "SELECT place, id FROM dead",
    "chunks": "SELECT id, document, start_line, end_line, hash FROM chunks",
    "meta": "SELECT key, value FROM meta WHERE key<>'sums' AND key NOT LIKE 'note %'",
}


def check(stock: Stock) -> None:
    """`Damaged` when something is not what was put there. Reads all of it."""
    file = stock.file
    if file.rows("PRAGMA integrity_check(1)") != [("ok",)]:
        raise Damaged(f"{file.path} is damaged, according to SQLite's integrity check")
    kept = stock.meta("sums")
    if kept is not None and kept != sums(file):
        raise Damaged(f"{file.path} is damaged: its checksums do not match")
    for row, total, text, facts in file.rows("SELECT id, hash, text, facts FROM chunks"):
        if total != sum_of(text, facts):
            raise Damaged(f"{file.path} is damaged in row {row}")
    stock.shelf.check()


def sums(file: SqliteFile) -> str:
    """The lists of the file, each as one number."""
    found = {name: sum(checksum(repr(row).encode()) for row in file.rows(sql)) for name, sql in _LISTS.items()}
    return json.dumps(found)


_BLOCK = 16_384


def compacted(old: Stock, db: sqlite3.Connection, instead: Mapping[int, int] | None = None) -> Stock:
    """The same stock, its rows numbered again in their order; the file is brought into line.

    Of rows that are dead nothing stays: no word, no weight of a token. Some rows are in the place of dead ones.
    """
    rows = np.flatnonzero(old.columns.alive)
    if instead:
        rows = np.array(sorted(rows.tolist(), key=lambda row: instead.get(row, row)), "<i8")
    places = np.full(len(old.columns), -1, "<i4")
    places[rows] = np.arange(len(rows))
    for row, dead in (instead or {}).items():
        places[dead] = places[row]
    new = old.successor()
    for space in old.spaces:
        if space.static is not None:
            space.embed(len(old.columns))
    for first in range(0, len(rows), _BLOCK):
        _copy(old, new, rows[first : first + _BLOCK], places)
    for number, (mine, theirs) in enumerate(zip(new.spaces, old.spaces, strict=True)):
        mine.plain.copy(theirs.plain, rows)
        if theirs.static is not None:
            mine.static = mine.unlearnt(theirs.static)
            value = mine.static.weight.tobytes()
            db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (f"weights {number}", value))
    if len(rows):
        new.postings.add(new.words(0, len(rows)))
    _renumber(db, rows)
    terms = np.unique(old.columns.terms.of(np.flatnonzero(~old.columns.alive))[0])
    unused = [(number,) for number in terms.tolist() if not old.postings.frequency(number)]
    db.executemany("DELETE FROM terms WHERE number=?", unused)
    new.superseded = {int(places[row]) for row in old.superseded if old.columns.alive[row]}
    return new


def _copy(old: Stock, new: Stock, rows: Array, places: Array) -> None:
    records = old.columns.rows[rows].copy()
    runs = {"terms_end": (old.columns.terms, new.columns.terms)}
    for number, (theirs, mine) in enumerate(zip(old.spaces, new.spaces, strict=True)):
        runs[f"tokens_end {number}"] = theirs.tokens, mine.tokens
        runs[f"sentences_end {number}"] = theirs.sentences, mine.sentences
        mine.vectors.copy(theirs.vectors, rows)
        mine.norms.flat.extend(theirs.norms.of(rows)[0])
    for name, (source, target) in runs.items():
        flat, offsets = source.of(rows)
        records[name] = target.flat.size + offsets[1:]
        target.flat.extend(flat)
    linked = records["before"] >= 0
    records["before"][linked] = places[records["before"][linked]]
    new.columns.extend(records)
    if old.dense is not None:
        if new.dense is None:
            new.dense = Dense(new.shelf, old.dense.name, old.dense.place, old.dense.vectors.width)
        had = places[: len(old.dense.vectors)].max(initial=-1) + 1
        new.dense.vectors.extend(old.dense.vectors.of(rows[places[rows] < had]))


def _renumber(db: sqlite3.Connection, rows: Array) -> None:
    """Rows move down in order, so that the number a row gets is free when it gets it."""
    moved = [(new, old) for new, old in enumerate(rows.tolist()) if new != old]
    db.execute("DELETE FROM dead")
    db.executemany("UPDATE chunks SET id=? WHERE id=?", moved)


_FEW = 4
"""So many rows are read rather than looked up by a further word."""
_OF_ENTRIES = f"""
    SELECT chunks.id, wanted.key FROM json_each(?) AS wanted CROSS JOIN chunks
    ON {ENTRY} >= substr(wanted.value, 1, 12) AND {ENTRY} < substr(wanted.value, 1, 12) || char(1114111)
    WHERE instr(facts, '"entry": "' || wanted.value)
"""  # noqa: S608 - our own words alone


def superseded(
    stock: Stock,
    chunks: Chunks,
    entries: Mapping[str, datetime | None],
    words: Sequence[tuple[str, datetime | None]],
) -> set[int]:
    """The rows of these entries, and those that have these words, if they are older than what took their place."""
    found = (*_by_entry(stock, entries), *_by_words(stock, chunks, words))
    return {row for row, before in found if _is_older(stock, row, before)}


def _by_entry(stock: Stock, entries: Mapping[str, datetime | None]) -> Iterator[tuple[int, datetime | None]]:
    if not entries:
        return
    wanted = json.dumps([json.dumps(entry, ensure_ascii=False)[1:] for entry in entries])
    times = list(entries.values())
    for row, number in stock.file.rows(_OF_ENTRIES, wanted):
        yield row, times[number]


def _by_words(
    stock: Stock, chunks: Chunks, words: Sequence[tuple[str, datetime | None]]
) -> Iterator[tuple[int, datetime | None]]:
    for text, before in words:
        alive = [row for row in _having(stock, terms(said(text))) if stock.columns.alive[row]]
        for row, chunk in zip(alive, chunks(alive), strict=True):
            if says_just(chunk, text) and not chunk.correction:
                yield row, before


def _having(stock: Stock, said: Sequence[str]) -> list[int]:
    """The rows that may have all of these terms; the rare ones are looked for first."""
    numbers = {stock.known_number(term) for term in said}
    seldom = sorted((stock.postings.frequency(number), number) for number in numbers)
    if not seldom or not seldom[0][0]:
        return []
    rows: Array = stock.postings.find(seldom[0][1])[0]
    for _, number in seldom[1:]:
        if len(rows) <= _FEW:
            break
        found = stock.postings.find(number)[0]
        rows = rows[found[np.minimum(found.searchsorted(rows), len(found) - 1)] == rows]
    return [int(row) for row in rows]


def _is_older(stock: Stock, row: int, before: datetime | None) -> bool:
    columns = stock.columns
    if not columns.alive[row] or columns.rows["flags"][row] & Mark.CORRECTION:
        return False
    time = int(columns.rows["time"][row])
    return before is None or time == NO_TIME or time < seconds(before)


@frozen
class New:
    """A row that is to be written."""

    prepared: Prepared
    document: int
    ordinal: int
    before: int


def insert(stock: Stock, db: sqlite3.Connection, new: Sequence[New]) -> None:
    """Append rows to the arrays, and their texts to the file."""
    if not new:
        return
    first = len(stock.columns)
    numbers = [stock.numbered(db, each.prepared.terms) for each in new]
    rows = np.zeros(len(new), row_type(len(stock.spaces)))
    fields = [_fields(stock, db, each) for each in new]
    for name in fields[0]:
        rows[name] = [field[name] for field in fields]
    follows = (rows["before"] < 0) & (rows["ordinal"] > 0)
    rows["before"][follows] = first - 1 + np.flatnonzero(follows)
    rows["terms"] = [len(each) for each in numbers]
    flat = np.array([number for each in numbers for number in each], NUMBER)
    _append(rows, "terms_end", stock.columns.terms, (flat, rows["terms"]))
    runs = [(_run(new, n, 0), _run(new, n, 1)) for n in range(len(stock.spaces))]
    for number, (space, (tokens, sentences)) in enumerate(zip(stock.spaces, runs, strict=True)):
        _append(rows, f"tokens_end {number}", space.tokens, tokens)
        _append(rows, f"sentences_end {number}", space.sentences, sentences)
    db.executemany("INSERT INTO chunks VALUES (?,?,?,?,?,?,?)", map(_stored, range(first, first + len(new)), new))
    stock.columns.extend(rows)
    stock.postings.add(sealed(first, rows["terms"], flat))
    for space, (tokens, sentences) in zip(stock.spaces, runs, strict=True):
        if space.static is not None:
            space.add(tokens, sentences)
    if len(stock.columns) - stock.postings.sealed_rows >= SEAL:
        seal(stock)


def _fields(stock: Stock, db: sqlite3.Connection, new: New) -> dict[str, int | float]:
    chunk, code = new.prepared.chunk, stock.code
    return {
        "document": new.document,
        "ordinal": new.ordinal,
        "before": new.before,
        "time": NO_TIME if chunk.time is None else seconds(chunk.time),
        "speaker": code(db, "speaker", chunk.speaker) if chunk.speaker else -1,
        "room": code(db, "room", chunk.room) if chunk.room else -1,
        "person": code(db, "person", chunk.person) if chunk.person else -1,
        "audience": code(db, "audience", str(chunk.audience)),
        "tag": code(db, "tag", chunk.tag),
        "source": SOURCES.index(chunk.source),
        "confidence": chunk.confidence,
        "flags": new.prepared.flags,
        "length": new.prepared.length,
        "event_from": new.prepared.event_from,
        "event_to": new.prepared.event_to,
    }


def weigh(stock: Stock, db: sqlite3.Connection) -> None:
    """Weigh tokens again, and work out every vector again."""
    stock.weighed = max(stock.columns.count, 1)
    stock.weighing += 1
    meta: list[tuple[str, Any]] = [("weighed", stock.weighed), ("weighing", stock.weighing)]
    for number, space in enumerate(stock.spaces):
        weight, mean = space.counted(stock.columns.alive)
        space.weigh(weight, mean)
        meta += [(f"weights {number}", weight.tobytes()), (f"mean {number}", mean.tobytes())]
        space.begin(stock.weighing)
        space.embed(len(stock.columns))
    stock.shelf.release()
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", meta)


def seal(stock: Stock) -> None:
    """Put the words of the first open rows into segments; merge segments that have become many."""
    segments = list(stock.postings.segments)
    while len(stock.columns) - (segments[-1].last if segments else 0) >= SEAL:
        first = segments[-1].last if segments else 0
        segments.append(stock.words(first, first + SEAL))
        joined(segments, FAN)
    there = {words_name(segment) for segment in stock.postings.segments}
    for place, segment in enumerate(segments):
        if words_name(segment) not in there:
            array = stock.shelf.array(words_name(segment), "u1")
            for part in segment.packed():
                array.extend(part)
            segments[place] = Segment.unpacked(array.all)  # the file's, and not in memory twice
    stock.seal(segments)
    stock.shelf.release()


def _stored(row: int, new: New) -> tuple[Any, ...]:
    chunk = new.prepared.chunk
    facts = facts_of(chunk)
    return row, new.document, chunk.start_line, chunk.end_line, sum_of(chunk.text, facts), chunk.text, facts


def _run(new: Sequence[New], space: int, part: int) -> tuple[Array, Array]:
    """The tokens of rows, or where their sentences begin, one row after the other, and how many each has."""
    runs = [np.frombuffer(each.prepared.tokens[space][part], NUMBER) for each in new]
    return np.concatenate(runs), np.array([len(run) for run in runs])


def _append(rows: Array, field: str, ragged: Ragged, run: tuple[Array, Array]) -> None:
    rows[field] = ragged.flat.size + np.cumsum(run[1])
    ragged.flat.extend(run[0])


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
        self._looking = StockCandidates()
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
        """Close the file."""
        self._file.close()

    def renewed(self) -> bool:
        """Nothing replaces a file here."""
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
        """Append what is in the place of other rows; gives in whose."""
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

    def missing_vectors(self, embedder: str, count: int) -> list[tuple[int, Chunk]]:
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
        """Give the rows that `missing_vectors` named their vectors; what another process did meanwhile is left as it is."""
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

    # what corrections replaced

    def supersede(self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]) -> None:
        """Have rows not be found that a correction replaced: by entry, or by words, if they are older."""
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
        """Note something that holds until tokens are weighed again."""
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
            check(self._stock)

    def seal_sums(self) -> None:
        """Note what the lists of the file come to, so that damage can be found later."""
        with self._file.writing(durable=False) as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('sums', ?)", (sums(self._file),))


def _without_maker(made: str) -> list[Any]:
    """What has to be the same for rows to be read at all: the format, and the tables."""
    try:
        form, _, *tables = json.loads(made)
    except (ValueError, TypeError):
        return []
    return [form, *tables]


def _told(chunk: Chunk) -> list[int]:
    """What distinguishes a chunk from the one that is in its place: its lines, and its checksum."""
    return [chunk.start_line, chunk.end_line, sum_of(chunk.text, facts_of(chunk))]
