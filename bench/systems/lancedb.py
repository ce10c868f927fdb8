"""LanceDB: full text and vectors, fused by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems import loaded
from bench.systems.texts import Piece, Pieces, chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors

_PACKAGE = "lancedb"
_MANY = 50_000
_FIELDS = ["text", "key", "path", "first", "last", "tag"]


class LanceDb(Pieces):
    """One table with a full-text index, and one of vectors when there are many."""

    package: ClassVar[str] = _PACKAGE
    modules: ClassVar[tuple[str, ...]] = ("lancedb", "lancedb.index", "lancedb.rerankers", "pyarrow")
    cut: ClassVar[Any] = chunks

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        lancedb, arrow = loaded("lancedb", _PACKAGE), loaded("pyarrow", _PACKAGE)
        self._fuse = loaded("lancedb.rerankers", _PACKAGE).RRFReranker()
        schema = arrow.schema(
            [
                *((name, arrow.string()) for name in ("text", "key", "path", "tag")),
                *((name, arrow.int32()) for name in ("first", "last")),
                ("vector", arrow.list_(arrow.float32(), vectors.size)),
            ]
        )
        self._table = lancedb.connect(str(folder)).create_table("bench", schema=schema, exist_ok=True)

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces."""
        vectors = self.vectors.embed([piece.text for piece in pieces])
        self._table.add([piece._asdict() | {"vector": vector} for piece, vector in zip(pieces, vectors, strict=True)])

    def ready(self, told: Callable[[int], None]) -> None:
        """Make the indexes."""
        count = self._table.count_rows()
        index = loaded("lancedb.index", _PACKAGE)
        self._table.create_index("text", config=index.FTS())
        self._table.create_index("tag", config=index.Bitmap())
        self._table.create_index("path", config=index.BTree())
        if count >= _MANY:
            self._table.create_index("vector", config=index.HnswSq(distance_type="cosine"))
        self._table.optimize()
        told(count)

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        self._table.delete(f"path = '{path}'")

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """What its hybrid search gives."""
        vector = self.vectors.embed([question])[0]
        asked = (
            self._table.search(query_type="hybrid")
            .vector(vector)
            .text(question.replace('"', " "))
            .distance_type("cosine")
        )
        if tag:
            asked = asked.where(f"tag = '{tag}'", prefilter=True)
        found = asked.rerank(self._fuse).limit(limit).to_list()
        return [Piece(*(row[name] for name in _FIELDS)) for row in found]
