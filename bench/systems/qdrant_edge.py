"""Qdrant Edge, the engine of Qdrant in one's own process: vectors and BM25 as sparse vectors, fused by rank."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems import loaded
from bench.systems.texts import Piece, Pieces, chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors

_PACKAGE = "qdrant-edge-py"


class QdrantEdge(Pieces):
    """One shard, with an index of tags and paths."""

    package: ClassVar[str] = _PACKAGE
    modules: ClassVar[tuple[str, ...]] = ("qdrant_edge",)
    cut: ClassVar[Any] = chunks

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        self._q = q = loaded("qdrant_edge", _PACKAGE)
        self._words = q.Bm25(q.Bm25Config(avg_len=40.0))
        path = folder / "shard"
        if path.exists():
            self._shard = q.EdgeShard.load(str(path))
            return
        config = q.EdgeConfig(
            vectors={"dense": q.EdgeVectorParams(size=self.vectors.size, distance=q.Distance.Cosine)},
            sparse_vectors={"words": q.EdgeSparseVectorParams(modifier=q.Modifier.Idf)},
        )
        path.mkdir()
        self._shard = q.EdgeShard.create(str(path), config)
        for field in ("tag", "path"):
            self._shard.update(q.UpdateOperation.create_field_index(field, q.PayloadSchemaType.Keyword))

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces."""
        dense = self.vectors.embed([piece.text for piece in pieces]).tolist()
        points = [
            self._q.Point(
                str(uuid.uuid5(uuid.NAMESPACE_OID, piece.id)),
                {"dense": vector, "words": self._words.embed_document(piece.text)},
                piece._asdict(),
            )
            for piece, vector in zip(pieces, dense, strict=True)
        ]
        self._shard.update(self._q.UpdateOperation.upsert_points(points))

    def ready(self, told: Callable[[int], None]) -> None:
        """Make the indexes."""
        self._shard.optimize()
        self._shard.flush()
        told(self._shard.info().points_count)

    def _only(self, field: str, value: str) -> Any:
        q = self._q
        return q.Filter(must=[q.FieldCondition(field, match=q.MatchValue(value))])

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        self._shard.update(self._q.UpdateOperation.delete_points_by_filter(self._only("path", path)))

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """What its hybrid query gives."""
        q, only, many = self._q, self._only("tag", tag) if tag else None, max(50, limit)
        dense = self.vectors.embed([question])[0].tolist()
        sparse = self._words.embed_query(question)
        found = self._shard.query(
            q.QueryRequest(
                limit,
                query=q.Fusion.Rrf(2),
                prefetches=[
                    q.Prefetch(many, query=q.Query.Nearest(dense, "dense"), filter=only),
                    q.Prefetch(many, query=q.Query.Nearest(sparse, "words"), filter=only),
                ],
                with_payload=True,
            )
        )
        return [Piece(**point.payload) for point in found]

    def close(self) -> None:
        """Close the shard."""
        self._shard.close()
