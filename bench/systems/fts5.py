"""Plain SQLite FTS5: an OR of the words that say something, by BM25."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems.texts import Piece, Pieces, chunks, content, lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS pieces (id INTEGER PRIMARY KEY, key, path, first, last, tag);
CREATE INDEX IF NOT EXISTS by_path ON pieces (path);
CREATE VIRTUAL TABLE IF NOT EXISTS f USING fts5(text, tags, tokenize='porter unicode61 remove_diacritics 2');
"""
_FIND = """
SELECT f.text, key, path, first, last, tag FROM f JOIN pieces ON pieces.id = f.rowid
WHERE f MATCH ? ORDER BY bm25(f, 1.0, 0.0) LIMIT ?
"""


class Fts5(Pieces):
    """One table; the tag is a word of a second column, which is the quick way to restrict a search."""

    does: ClassVar[str] = "words"
    cut: ClassVar[Any] = chunks

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        self._db = sqlite3.connect(folder / "fts5.sqlite")
        self._db.executescript(_SCHEMA)

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces."""
        with self._db:
            (last,) = self._db.execute("SELECT ifnull(max(id), 0) FROM pieces").fetchone()
            numbered = list(enumerate(pieces, last + 1))
            rows = [(n, p.key, p.path, p.first, p.last, p.tag) for n, p in numbered]
            self._db.executemany("INSERT INTO pieces VALUES (?,?,?,?,?,?)", rows)
            texts = [(n, p.text, f"t{p.tag}") for n, p in numbered]
            self._db.executemany("INSERT INTO f(rowid, text, tags) VALUES (?,?,?)", texts)

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        with self._db:
            self._db.execute("DELETE FROM f WHERE rowid IN (SELECT id FROM pieces WHERE path = ?)", (path,))
            self._db.execute("DELETE FROM pieces WHERE path = ?", (path,))

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """Everything that has one of the words, the best first."""
        words = " OR ".join(f'"{word}"' for word in content(question))
        if not words:
            return []
        query = f"text : ({words})" + (f' AND tags : "t{tag}"' if tag else "")
        return [Piece(*row) for row in self._db.execute(_FIND, (query, limit))]

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class Fts5Lines(Fts5):
    """The same, every line of a file on its own."""

    cut: ClassVar[Any] = lines
