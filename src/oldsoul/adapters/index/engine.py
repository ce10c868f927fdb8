"""The embedded engine: what is stored in the file, what is kept in memory, and how candidates are found.

Rows are numbered as they come and never change. The first thousands that follow one another are sealed: their columns
become one block, their words one segment, so that opening reads few large pieces. What comes after is the tail. A row
that goes is marked as dead.
"""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.adapters.index import postings
from oldsoul.adapters.index.columns import NUMBER, ROW, Columns
from oldsoul.adapters.index.postings import FAN, SEAL, Postings, Segment
from oldsoul.adapters.index.spaces import Table, Weighed
from oldsoul.adapters.sqlite_file import SqliteFile
from oldsoul.documents.model import folded
from oldsoul.errors import Damaged
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import NO_TIME, Asked, Known, Pool, Statistics
from oldsoul.ranking.terms import prefix
from oldsoul.ranking.terms import terms as terms_of
from oldsoul.ranking.vectors import question_vector
from oldsoul.values.audience import Audience
from oldsoul.values.recall import SOURCES, Chunk

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from oldsoul.adapters.index.columns import Array
    from oldsoul.ranking.question import Question
    from oldsoul.values.recall import Filed, Filters, Prepared

_K1, _B = 1.2, 0.75
_CONTENT = 0.8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CODED = ("document", "speaker", "audience", "room", "person", "tag")
_NONSENSE = (ValueError, TypeError, KeyError, IndexError, OverflowError, MemoryError)
"""What reading numbers that are none, or codes nobody gave, comes to."""
_GROWN = 1.5
_COMMON = 1000
_TAIL = 512
"""How many rows of the tail are stored together when all are worked out again."""

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE files (            -- what is indexed, and in which version
        path TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        rows INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,     -- its row; never used again
        document INTEGER NOT NULL,
        start_line INTEGER NOT NULL,
        end_line INTEGER NOT NULL,
        hash INTEGER NOT NULL,      -- checksum of the text and the facts
        text TEXT NOT NULL,
        facts TEXT NOT NULL,        -- the rest of the chunk, as JSON
        record BLOB,                -- its columns and terms, until its block is sealed
        terms BLOB
    );
    CREATE INDEX chunks_of_document ON chunks (document);
    CREATE TABLE terms (number INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL);
    CREATE INDEX terms_by_prefix ON terms (prefix);
    CREATE TABLE codes (
        kind TEXT NOT NULL, code INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, code)
    ) WITHOUT ROWID;
    CREATE TABLE dead (place INTEGER PRIMARY KEY, id INTEGER NOT NULL);
    CREATE TABLE superseded (id INTEGER PRIMARY KEY);
    CREATE TABLE blocks (first INTEGER PRIMARY KEY, records BLOB NOT NULL, terms BLOB NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE segments (first INTEGER PRIMARY KEY, data BLOB NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE spaces (           -- what rows mean, space by space; a tail's row by itself until it is sealed
        space INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        tokens BLOB NOT NULL,
        vectors BLOB NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (space, first)
    ) WITHOUT ROWID;
    """,
)


class SqliteIndex:
    """One agent's index in one file. Several processes read while one writes."""

    def __init__(self, path: str, tables: Sequence[Table], maker: str = "") -> None:
        self._file = SqliteFile(path, MIGRATIONS, "the index", "it is made again from the documents")
        self._tables = tuple(tables)
        made = json.dumps([maker, *(table.name for table in tables)])
        kept = self._meta("made")
        if kept is not None and kept != made:
            self._file.close()
            raise Damaged(f"{path} was made for {kept}, not for {made}")
        if kept is None:
            with self._file.writing(durable=False) as db:
                db.execute("INSERT OR REPLACE INTO meta VALUES ('made', ?)", (made,))
        self._begin()
        try:
            self._refresh()
        except Damaged:
            self._file.close()
            raise

    def _meta(self, key: str) -> Any:
        rows = self._file.rows("SELECT value FROM meta WHERE key=?", key)
        return rows[0][0] if rows else None

    def _begin(self) -> None:
        self.columns = Columns()
        self.postings = Postings()
        self.spaces = [Weighed(table) for table in self._tables]
        self.codes: dict[str, dict[str, int]] = {kind: {} for kind in _CODED}
        self.names: dict[str, list[str]] = {kind: [] for kind in _CODED}
        self.superseded: set[int] = set()
        self._numbers: dict[str, int] = {}
        self._next_number = 0
        self._seen = -1
        self._buried = 0
        self._weighed = 0
        self._weighing = -1

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    # coming up to date with the file

    def _refresh(self) -> None:
        """Take in what another process wrote."""
        try:
            with self._file.reading():
                self._refresh_now()
        except _NONSENSE as error:
            raise Damaged(f"{self._file.path} is damaged ({error})") from error

    def _refresh_now(self) -> None:
        self._file.rows("SELECT 1 FROM meta LIMIT 1")  # from here on the file stands still for us
        ((version,),) = self._file.rows("PRAGMA data_version")
        if version != self._seen:
            weighing = self._meta("weighing") or 0
            known = len(self.columns)
            straddled = self._file.rows("SELECT 1 FROM blocks WHERE first<? AND first+?>?", known, SEAL, known)
            if weighing != self._weighing or straddled:  # every vector is another one now, or rows we knew are sealed
                self._begin()
                self._weighing = weighing
                self._load_weights()
            self._load()
            self._seen = version

    def _load_weights(self) -> None:
        self._weighed = self._meta("weighed") or 0
        for number, space in enumerate(self.spaces):
            counts, mean = self._meta(f"counts {number}"), self._meta(f"mean {number}")
            if counts is not None:
                space.weigh(np.frombuffer(counts, "<i8"), np.frombuffer(mean, "<f4"))

    def _load(self) -> None:
        self._next_number = (self._file.rows("SELECT coalesce(max(number), -1) FROM terms")[0][0]) + 1
        for kind, code, value in self._file.rows("SELECT kind, code, value FROM codes ORDER BY kind, code"):
            if code == len(self.names[kind]):
                self.names[kind].append(value)
                self.codes[kind][value] = code
        before = len(self.columns)
        sql = "SELECT first, records, terms, checksum FROM blocks WHERE first>=? ORDER BY first"
        for first, records, terms, checksum in self._file.rows(sql, before):
            if first != len(self.columns) or checksum != _checksum(records, terms):
                raise Damaged(f"{self._file.path} is damaged from row {first} on")
            self._take(records, terms)
        known = [segment.first for segment in self.postings.segments]
        if [first for (first,) in self._file.rows("SELECT first FROM segments ORDER BY first")] != known:
            self._load_segments()
        self._load_tail()
        self._load_spaces(before)
        dead = self._file.rows("SELECT place, id FROM dead WHERE place>? ORDER BY place", self._buried)
        if dead:
            self._buried = dead[-1][0]
            self._bury([row for _, row in dead if row < len(self.columns)])
        self.superseded = {row for (row,) in self._file.rows("SELECT id FROM superseded")}

    def _load_segments(self) -> None:
        found = []
        for first, data, checksum in self._file.rows("SELECT first, data, checksum FROM segments ORDER BY first"):
            if checksum != _checksum(data):
                raise Damaged(f"{self._file.path} is damaged in its words from row {first} on")
            found.append(Segment.unpacked(data))
        self.postings.seal(found)

    def _load_tail(self) -> None:
        """Rows that are in no block yet. Those that were taken out before they were sealed hold nothing."""
        first = len(self.columns)
        read = {
            row: (record, terms)
            for row, record, terms in self._file.rows("SELECT id, record, terms FROM chunks WHERE id>=?", first)
        }
        last = max([self._meta("rows") or 0, *(row + 1 for row in read)])
        if last > first:
            parts = [read.get(row, (_BLANK, b"")) for row in range(first, last)]
            if any(record is None or terms is None for record, terms in parts):
                raise Damaged(f"{self._file.path} lacks what it should know of its last rows")
            self._take(b"".join(record for record, _ in parts), b"".join(terms for _, terms in parts))
            self.columns.bury(np.array([row for row in range(first, last) if row not in read], "<i8"))
        start = max(first, self.postings.sealed_rows)
        if len(self.columns) > start:
            terms, lengths = self.columns.terms.span(start, len(self.columns))
            self.postings.read(postings.sealed(start, lengths, terms))

    def _load_spaces(self, first: int) -> None:
        for number, space in enumerate(self.spaces):
            sql = "SELECT first, last, tokens, vectors, checksum FROM spaces WHERE space=? AND first>=? ORDER BY first"
            for begin, end, tokens, vectors, checksum in self._file.rows(sql, number, first):
                if begin < len(space):
                    continue  # sealed since: the same rows, together
                if begin != len(space) or checksum != _checksum(tokens, vectors):
                    raise Damaged(f"{self._file.path} is damaged in what row {begin} means")
                try:
                    space.take_tokens(tokens, end - begin)
                    space.take_vectors(vectors, begin, end)
                except ValueError as error:
                    raise Damaged(f"{self._file.path} is damaged in what row {begin} means ({error})") from error
            if len(space) != len(self.columns):
                raise Damaged(f"{self._file.path} does not know what its rows from {len(space)} on mean")
            space.counts += np.bincount(space.tokens.span(first, len(self.columns))[0], minlength=len(space.counts))
            self._count(space, first + np.flatnonzero(~self.columns.alive[first:]), -1)

    def _take(self, records: bytes, terms: bytes) -> None:
        """Rows as the file has them."""
        rows = np.frombuffer(records, ROW)
        flat = np.frombuffer(terms, NUMBER)
        if int(rows["terms"].sum()) != len(flat):
            raise Damaged(f"{self._file.path} is damaged: rows and their words do not agree")
        self.columns.extend(rows, flat)

    def _count(self, space: Weighed, rows: Array, by: int) -> None:
        tokens = space.tokens.of(rows)[0]
        if len(tokens) > len(space.counts) // 8:
            space.counts += by * np.bincount(tokens, minlength=len(space.counts))
        else:
            np.add.at(space.counts, tokens, by)

    def _bury(self, rows: Sequence[int]) -> None:
        gone = np.array([row for row in rows if self.columns.alive[row]], "<i8")
        if len(gone):
            self.columns.bury(gone)
            for space in self.spaces:
                self._count(space, gone, -1)

    # writing

    def documents(self) -> dict[str, str]:
        """What is indexed: path to digest."""
        return dict(self._file.rows("SELECT path, hash FROM files"))

    def put(self, filed: Iterable[Filed], *, append: bool = False) -> None:
        """Have documents in the index as they are now, all of them or none; or add rows at their ends."""
        with self._file.writing(durable=False) as db:
            self._refresh()
            try:
                for document in filed:
                    self._put(db, document, append=append)
                if self.columns.count > self._weighed * _GROWN:
                    self._weigh(db)
                while len(self.columns) - self.postings.sealed_rows >= SEAL:
                    self._seal(db)
                db.execute("INSERT OR REPLACE INTO meta VALUES ('rows', ?)", (len(self.columns),))
                db.execute("DELETE FROM meta WHERE key='sums'")
            except BaseException:
                self._begin()  # what was taken into memory is not in the file
                raise

    def seal_sums(self) -> None:
        """Note what the lists of the file come to, so that damage can be told later."""
        with self._file.writing(durable=False) as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('sums', ?)", (json.dumps(self._sums()),))

    def weigh(self) -> None:
        """Weigh tokens by what the rows that count say now."""
        with self._file.writing(durable=False) as db:
            self._refresh()
            self._weigh(db)
            db.execute("DELETE FROM meta WHERE key='sums'")

    def _put(self, db: sqlite3.Connection, filed: Filed, *, append: bool) -> None:
        document = self._code(db, "document", filed.path)
        old = self._rows_of(document)
        if not append:
            db.executemany("INSERT INTO dead (id) VALUES (?)", [(row,) for row in old])
            db.execute("DELETE FROM chunks WHERE document=?", (document,))
            self._bury(old)
            old = []
        before = old[-1] if old else -1
        ordinal = int(self.columns.rows["ordinal"][before]) + 1 if old else 0
        first = len(self.columns)
        for place, prepared in enumerate(filed.rows):
            before = self._insert(db, prepared, (document, ordinal + place, before))
        if filed.rows:
            self._embed(db, first, filed.rows)
        if filed.digest:
            values = (filed.path, filed.digest, len(old) + len(filed.rows))
            db.execute("INSERT OR REPLACE INTO files VALUES (?,?,?)", values)
        else:
            db.execute("DELETE FROM files WHERE path=?", (filed.path,))
        ((self._buried,),) = db.execute("SELECT coalesce(max(place), 0) FROM dead").fetchall()

    def _insert(self, db: sqlite3.Connection, prepared: Prepared, place: tuple[int, int, int]) -> int:
        chunk = prepared.chunk
        row = len(self.columns)
        record = np.zeros(1, ROW)
        record["document"], record["ordinal"], record["before"] = place
        record["time"] = NO_TIME if chunk.time is None else _seconds(chunk.time)
        for kind, value in (("speaker", chunk.speaker), ("room", chunk.room), ("person", chunk.person)):
            record[kind] = self._code(db, kind, value) if value else -1
        record["audience"] = self._code(db, "audience", str(chunk.audience))
        record["tag"] = self._code(db, "tag", chunk.tag)
        record["source"], record["confidence"] = SOURCES.index(chunk.source), chunk.confidence
        record["flags"], record["length"] = prepared.flags, prepared.length
        record["event_from"], record["event_to"] = prepared.event_from, prepared.event_to
        numbers = np.array([self._number(db, term) for term in prepared.terms], NUMBER)
        record["terms"] = len(numbers)
        facts = _facts(chunk)
        values = (row, place[0], chunk.start_line, chunk.end_line, _sum_of(chunk.text, facts))
        db.execute(
            "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,?)",
            (*values, chunk.text, facts, record.tobytes(), numbers.tobytes()),
        )
        self._take(record.tobytes(), numbers.tobytes())
        self.postings.add(row, numbers)
        return row

    def _embed(self, db: sqlite3.Connection, first: int, rows: Sequence[Prepared]) -> None:
        """Work out what rows mean that were just inserted, space by space."""
        for number, space in enumerate(self.spaces):
            tokens = [np.frombuffer(prepared.tokens[number][0], NUMBER) for prepared in rows]
            begins = [np.frombuffer(prepared.tokens[number][1], NUMBER) for prepared in rows]
            space.tokens.extend(np.concatenate(tokens), np.array([len(part) for part in tokens]))
            space.sentences.extend(np.concatenate(begins), np.array([len(part) for part in begins]))
            self._count(space, np.arange(first, first + len(rows)), 1)
            if space.static is None:
                space.weigh(space.counts, np.zeros(space.width, "<f4"))
            space.embed(first, first + len(rows))
            self._store_space(db, number, first, first + len(rows))

    def _store_space(self, db: sqlite3.Connection, number: int, first: int, last: int) -> None:
        parts = self.spaces[number].packed(first, last)
        db.execute("INSERT INTO spaces VALUES (?,?,?,?,?,?)", (number, first, last, *parts, _checksum(*parts)))

    def _number(self, db: sqlite3.Connection, term: str) -> int:
        known = self._numbers.get(term)
        if known is None:
            found = db.execute("SELECT number FROM terms WHERE term=?", (term,)).fetchone()
            if found is None:
                known = self._next_number
                self._next_number += 1
                db.execute("INSERT INTO terms VALUES (?,?,?)", (known, term, prefix(term)))
            else:
                known = int(found[0])
            self._numbers[term] = known
        return known

    def _code(self, db: sqlite3.Connection, kind: str, value: str) -> int:
        known = self.codes[kind].get(value)
        if known is None:
            known = len(self.names[kind])
            db.execute("INSERT INTO codes VALUES (?,?,?)", (kind, known, value))
            self.codes[kind][value] = known
            self.names[kind].append(value)
        return known

    def _weigh(self, db: sqlite3.Connection) -> None:
        """Weigh tokens anew, and work out every vector again."""
        self._weighed = max(self.columns.count, 1)
        self._weighing += 1
        meta: list[tuple[str, Any]] = [("weighed", self._weighed), ("weighing", self._weighing)]
        sealed = self._sealed(db)
        ends = [*range(SEAL, sealed + 1, SEAL), *range(sealed + _TAIL, len(self.columns), _TAIL), len(self.columns)]
        for number, space in enumerate(self.spaces):
            mean = space.mean(space.counts, self.columns.alive)
            space.weigh(space.counts, mean)
            meta += [(f"counts {number}", space.counts.tobytes()), (f"mean {number}", mean.tobytes())]
            space.begin()
            db.execute("DELETE FROM spaces WHERE space=?", (number,))
            first = 0
            for last in ends:
                if last > first:
                    space.embed(first, last)
                    self._store_space(db, number, first, last)
                    first = last
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", meta)

    def _sealed(self, db: sqlite3.Connection) -> int:
        return SEAL * int(db.execute("SELECT count(*) FROM blocks").fetchone()[0])

    def _seal(self, db: sqlite3.Connection) -> None:
        """Put the first rows of the tail into a block and a segment; merge segments that have become many."""
        first = self.postings.sealed_rows
        last = first + SEAL
        terms, lengths = self.columns.terms.span(first, last)
        parts = (self.columns.rows[first:last].tobytes(), terms.tobytes())
        db.execute("INSERT INTO blocks VALUES (?,?,?,?)", (first, *parts, _checksum(*parts)))
        db.execute("UPDATE chunks SET record=NULL, terms=NULL WHERE id>=? AND id<?", (first, last))
        for number in range(len(self.spaces)):
            sql = "SELECT max(last) FROM spaces WHERE space=? AND first>=? AND first<?"
            (end,) = db.execute(sql, (number, first, last)).fetchone()
            db.execute("DELETE FROM spaces WHERE space=? AND first>=? AND first<?", (number, first, last))
            self._store_space(db, number, first, last)
            if end > last:  # a document lies on both sides of the border
                self._store_space(db, number, last, end)
        segments = [*self.postings.segments, postings.sealed(first, lengths, terms)]
        while len(segments) >= FAN and len({segment.level for segment in segments[-FAN:]}) == 1:
            segments[-FAN:] = [postings.merged(segments[-FAN:])]
        kept = {segment.first: segment.last for segment in self.postings.segments}
        fresh = [segment for segment in segments if kept.get(segment.first) != segment.last]
        db.execute("DELETE FROM segments WHERE first>=?", (fresh[0].first,))
        for segment in fresh:
            data = segment.packed()
            db.execute("INSERT INTO segments VALUES (?,?,?)", (segment.first, data, _checksum(data)))
        self.postings.seal(segments)

    def supersede(self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]) -> None:
        """Have rows not be found that a correction took the place of: by entry, or by words, if they are older."""
        with self._file.writing(durable=False) as db:
            self._refresh()
            wanted = {row for row, before in self._corrected(entries, words) if self._is_older(row, before)}
            if wanted != self.superseded:
                db.execute("DELETE FROM superseded")
                db.executemany("INSERT INTO superseded VALUES (?)", [(row,) for row in sorted(wanted)])
                self.superseded = wanted

    def _corrected(
        self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]
    ) -> Iterator[tuple[int, datetime | None]]:
        for entry, before in entries.items():
            sql = "SELECT id FROM chunks WHERE facts LIKE ? ESCAPE '\\'"
            escaped = (
                json.dumps(entry, ensure_ascii=False).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            )
            for (row,) in self._file.rows(sql, f'%"entry": {escaped}%'):
                yield row, before
        for text, before in words:
            wanted = folded(text)
            numbers = [self._known_number(term) for term in dict.fromkeys(terms_of(text))]
            rows: Array | None = None
            for number in numbers:
                found = self.postings.find(number)[0] if number >= 0 else np.empty(0, "<u4")
                rows = found if rows is None else np.intersect1d(rows, found)
            alive = [int(row) for row in (rows if rows is not None else ()) if self.columns.alive[row]]
            for row, chunk in zip(alive, self.chunks(alive), strict=True):
                if wanted in folded(chunk.text) and not chunk.correction:
                    yield row, before

    def _is_older(self, row: int, before: datetime | None) -> bool:
        if not self.columns.alive[row] or self.columns.rows["flags"][row] & Mark.CORRECTION:
            return False
        time = int(self.columns.rows["time"][row])
        return before is None or time == NO_TIME or time < _seconds(before)

    def noted(self, key: str) -> str | None:
        """What was noted under this key, for the weights that hold now."""
        self._refresh()
        found = self._meta(f"note {self._weighing} {key}")
        return None if found is None else str(found)

    def note(self, key: str, value: str) -> None:
        """Note something that holds until tokens are weighed anew."""
        with self._file.writing(durable=False) as db:
            db.execute("DELETE FROM meta WHERE key LIKE 'note %' AND key NOT LIKE ?", (f"note {self._weighing} %",))
            db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (f"note {self._weighing} {key}", value))

    # looking

    def steady(self) -> AbstractContextManager[None]:
        """Everything that is looked up within it is of one moment, whoever writes meanwhile."""
        return self._file.reading()

    def check(self) -> None:
        """`Damaged` when something in the file is not what was put there. Reads all of it."""
        with self._file.reading():
            if self._file.rows("PRAGMA integrity_check(1)") != [("ok",)]:
                raise Damaged(f"{self._file.path} is damaged: SQLite says so")
            kept = self._meta("sums")
            if kept is not None and kept != json.dumps(self._sums()):
                raise Damaged(f"{self._file.path} is damaged: its lists do not add up")
            for row, checksum, text, facts in self._file.rows("SELECT id, hash, text, facts FROM chunks"):
                if checksum != _sum_of(text, facts):
                    raise Damaged(f"{self._file.path} is damaged in row {row}")

    def _sums(self) -> dict[str, int]:
        """The lists of the file, each as one number."""
        lists = {
            "terms": "SELECT number, term, prefix FROM terms",
            "codes": "SELECT kind, code, value FROM codes",
            "files": "SELECT path, hash, rows FROM files",
            "dead": "SELECT place, id FROM dead",
            "chunks": "SELECT id, document, start_line, end_line, hash FROM chunks",
            "tails": "SELECT id, record, terms FROM chunks WHERE record IS NOT NULL",
            "meta": "SELECT key, value FROM meta WHERE key<>'sums' AND key NOT LIKE 'note %'",
        }
        return {name: sum(_checksum(repr(row).encode()) for row in self._file.rows(sql)) for name, sql in lists.items()}

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who said something."""
        return tuple(self.names["speaker"])

    def look(
        self, question: Question, filters: Filters, tokens: Callable[[int, Sequence[str]], list[list[int]]], count: int
    ) -> tuple[Pool, Statistics]:
        """The rows that fit best by words and by meaning, so many of each, with those around them; and what scoring needs.

        `tokens` gives the tokens of texts, as one of the tables has them.
        """
        self._refresh()
        statistics = self._statistics(question, tokens)
        mask = self._mask(filters)
        chosen = [postings.best(self._by_words(statistics, mask), count)]
        for number, asked in zip(self._chosen(question), statistics.asked, strict=True):
            space = self.spaces[number]
            if asked.static is not None and len(space):
                content = [token for word in asked.content for token in word]
                query = question_vector(asked.spoken, asked.static) + _CONTENT * question_vector(content, asked.static)
                chosen.append(space.nearest(query.astype("<f4"), mask, count))
        found = np.unique(np.concatenate(chosen)).astype("<i8")
        around = self._around(found, 2)
        around = around[mask[around]]
        records = self.columns.rows[around]
        order = np.lexsort((records["ordinal"], records["document"]))
        return self._pool(around[order], self._chosen(question)), statistics

    def _chosen(self, question: Question) -> list[int]:
        """The spaces a question is compared in: those that read its script, or all when none does."""
        fitting = [n for n, space in enumerate(self.spaces) if space.table.multilingual == question.foreign]
        return fitting or list(range(len(self.spaces)))

    def _pool(self, rows: Array, chosen: Sequence[int]) -> Pool:
        records = self.columns.rows[rows]
        terms, starts = self.columns.terms.of(rows)
        return Pool(
            row=rows,
            document=records["document"],
            ordinal=records["ordinal"],
            time=records["time"],
            speaker=records["speaker"],
            speakers=self.speakers,
            flags=records["flags"],
            length=records["length"],
            event_from=records["event_from"],
            event_to=records["event_to"],
            confidence=records["confidence"],
            terms=terms,
            term_start=starts,
            spaces=tuple(self.spaces[number].space(rows) for number in chosen),
        )

    def _statistics(self, question: Question, tokens: Callable[[int, Sequence[str]], list[list[int]]]) -> Statistics:
        known = []
        for term, belonging in zip(question.terms, question.members, strict=True):
            number = self._known_number(term)
            kin = [n for (n,) in self._file.rows("SELECT number FROM terms WHERE prefix=?", prefix(term))]
            own = [n for n in map(self._known_number, belonging) if n >= 0]
            known.append(
                Known(number, self._frequency(number), tuple(kin), self._sum(kin), tuple(own), self._sum(own)),
            )
        asked = tuple(
            Asked(
                self.spaces[number].static,
                tuple(tokens(number, [question.spoken])[0]),
                tuple(map(tuple, tokens(number, question.content))),
            )
            for number in self._chosen(question)
        )
        average = self.columns.length / max(self.columns.count, 1)
        return Statistics(self.columns.count, average, tuple(known), asked)

    def _known_number(self, term: str) -> int:
        known = self._numbers.get(term)
        if known is None:
            rows = self._file.rows("SELECT number FROM terms WHERE term=?", term)
            known = int(rows[0][0]) if rows else -1
            if rows:
                self._numbers[term] = known
        return known

    def _frequency(self, number: int) -> int:
        if number < 0:
            return 0
        rows = self.postings.find(number)[0]
        return len(rows) if self.columns.count == len(self.columns) else int(self.columns.alive[rows].sum())

    def _sum(self, numbers: Sequence[int]) -> int:
        return sum(map(self._frequency, numbers))

    def _around(self, rows: Array, distance: int) -> Array:
        found = [rows]
        before = after = rows
        for _ in range(distance):
            before = self.columns.rows["before"][before]
            before = before[before >= 0]
            after = self.columns.after[after]
            after = after[after >= 0]
            found += [before, after]
        return np.unique(np.concatenate(found)).astype("<i8")

    def _by_words(self, statistics: Statistics, mask: Array) -> Array:
        """How well each row fits by its words (BM25), the members of a word's class counting half."""
        scores = np.zeros(len(self.columns), "<f4")
        average = max(statistics.average_terms, 1.0)
        lengths = self.columns.rows["terms"]
        # Words that every other row has tell nothing apart and cost most; the rows that are found are scored by them too.
        common = max(_COMMON, self.columns.count // 8)
        rare = any(0 < known.frequency <= common for known in statistics.known)
        for known in statistics.known:
            if rare and known.frequency > common:
                continue
            share = ((known.number, known.frequency, 1.0), *((n, known.members_frequency, 0.5) for n in known.members))
            for number, frequency, weight in share:
                if number < 0 or not frequency:
                    continue
                rows, counts = self.postings.find(number)
                keep = mask[rows]
                rows, times = rows[keep], counts[keep].astype("<f4")
                rarity = np.log1p((self.columns.count - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0
                norm = _K1 * (1 - _B + _B * lengths[rows] / average)
                scores[rows] += (weight * max(rarity, 0.0) * (_K1 + 1) * times / (times + norm)).astype("<f4")
        return scores

    def _mask(self, filters: Filters) -> Array:
        """Which rows may be shown and are asked for."""
        rows, mask = self.columns.rows, self.columns.alive.copy()
        for row in self.superseded:
            mask[row] = False
        if not len(rows):
            return mask
        seen = [filters.view.sees(Audience.parse(text)) for text in self.names["audience"]]
        mask &= np.array(seen, bool)[rows["audience"]]
        if filters.sources:
            mask &= np.isin(rows["source"], [SOURCES.index(source) for source in filters.sources])
        if filters.since is not None:
            mask &= rows["time"] >= _seconds(filters.since)
        if filters.until is not None:
            mask &= (rows["time"] < _seconds(filters.until)) & (rows["time"] != NO_TIME)
        wanted = {"tag": filters.tag, "room": filters.room, "person": filters.person, "document": filters.path}
        for kind, value in wanted.items():
            if value:
                mask &= rows[kind] == self.codes[kind].get(value, -2)
        return mask

    def rows_of(self, path: str) -> list[int]:
        """The rows of one document that count, in order."""
        self._refresh()
        return self._rows_of(self.codes["document"].get(path, -1))

    def _rows_of(self, document: int) -> list[int]:
        found: list[int] = np.flatnonzero((self.columns.rows["document"] == document) & self.columns.alive).tolist()
        return found

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Some rows as they are shown; `Damaged` when the file does not hold what was put there."""
        wanted = [int(row) for row in rows]
        found: dict[int, Chunk] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT id, document, start_line, end_line, hash, text, facts FROM chunks WHERE id IN ({marks})"  # noqa: S608 - marks alone
            for row, document, first, last, checksum, text, facts in self._file.rows(sql, *part):
                if checksum != _sum_of(text, facts):
                    raise Damaged(f"{self._file.path} is damaged in row {row}")
                found[row] = _chunk(self.names["document"][document], first, last, text, facts)
        if len(found) != len(set(wanted)):
            raise Damaged(f"{self._file.path} lacks rows that it should have")
        return [found[row] for row in wanted]


def own_flags(chunk: Chunk) -> int:
    """The flags of a chunk that its text does not say."""
    kinds = ((chunk.evergreen, Mark.EVERGREEN), (chunk.correction, Mark.CORRECTION), (chunk.archived, Mark.ARCHIVED))
    return sum(int(mark) for has, mark in kinds if has)


def _seconds(time: datetime) -> int:
    return int((time - _EPOCH).total_seconds())


def _facts(chunk: Chunk) -> str:
    values = {
        "audience": str(chunk.audience),
        "source": chunk.source,
        "heading": chunk.heading,
        "speaker": chunk.speaker,
        "time": chunk.time.isoformat() if chunk.time else "",
        "entry": chunk.entry,
        "tag": chunk.tag,
        "room": chunk.room,
        "person": chunk.person,
        "confidence": chunk.confidence,
        "flags": own_flags(chunk),
    }
    return json.dumps({key: value for key, value in values.items() if value not in ("", 0)}, ensure_ascii=False)


def _chunk(path: str, start: int, end: int, text: str, facts: str) -> Chunk:
    raw: dict[str, Any] = json.loads(facts)
    flags = raw.get("flags", 0)
    return Chunk(
        path=path,
        start_line=start,
        end_line=end,
        text=text,
        audience=Audience.parse(raw["audience"]),
        source=raw["source"],
        heading=raw.get("heading", ""),
        speaker=raw.get("speaker", ""),
        time=datetime.fromisoformat(raw["time"]) if raw.get("time") else None,
        entry=raw.get("entry", ""),
        tag=raw.get("tag", ""),
        room=raw.get("room", ""),
        person=raw.get("person", ""),
        confidence=raw.get("confidence", 0.0),
        evergreen=bool(flags & Mark.EVERGREEN),
        archived=bool(flags & Mark.ARCHIVED),
        correction=bool(flags & Mark.CORRECTION),
    )


def _blank() -> bytes:
    """A row that holds nothing."""
    record = np.zeros(1, ROW)
    record["before"], record["time"] = -1, NO_TIME
    return record.tobytes()


_BLANK = _blank()


def _sum_of(text: object, facts: object) -> int:
    """The checksum of a chunk; damage may have made something else of its text."""
    return _checksum(text.encode(), facts.encode()) if isinstance(text, str) and isinstance(facts, str) else -1


def _checksum(*parts: bytes) -> int:
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return value
