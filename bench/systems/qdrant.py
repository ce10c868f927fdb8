"""Qdrant's client in its local mode: vectors and BM25 as sparse vectors, fused by rank."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems import loaded
from bench.systems.texts import Piece, Pieces, chunks

from oldsoul.ranking.terms import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors

_PACKAGE = "qdrant-client fastembed"


class Qdrant(Pieces):
    """One collection."""

    package: ClassVar[str] = _PACKAGE
    modules: ClassVar[tuple[str, ...]] = ("qdrant_client", "fastembed")
    cut: ClassVar[Any] = chunks

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        client = loaded("qdrant_client", _PACKAGE)
        self._models = m = client.models
        self._client = client.QdrantClient(path=str(folder / "qdrant"))
        self._words = loaded("fastembed", _PACKAGE).SparseTextEmbedding(
            "Qdrant/bm25", specific_model_path=str(folder), stopwords=set(STOPWORDS)
        )
        if not self._client.collection_exists("bench"):
            self._client.create_collection(
                "bench",
                vectors_config={"dense": m.VectorParams(size=vectors.size, distance=m.Distance.COSINE)},
                sparse_vectors_config={"words": m.SparseVectorParams(modifier=m.Modifier.IDF)},
            )

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces."""
        m, texts = self._models, [piece.text for piece in pieces]
        rows = zip(pieces, self.vectors.embed(texts).tolist(), self._words.embed(texts), strict=True)
        self._client.upsert(
            "bench",
            [
                m.PointStruct(
                    id=str(uuid.uuid5(uuid.NAMESPACE_OID, piece.id)),
                    vector={
                        "dense": dense,
                        "words": m.SparseVector(indices=words.indices.tolist(), values=words.values.tolist()),
                    },
                    payload=piece._asdict(),
                )
                for piece, dense, words in rows
            ],
        )

    def _only(self, field: str, value: str) -> Any:
        m = self._models
        return m.Filter(must=[m.FieldCondition(key=field, match=m.MatchValue(value=value))])

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        self._client.delete("bench", self._models.FilterSelector(filter=self._only("path", path)))

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """What its hybrid query gives."""
        m, only, many = self._models, self._only("tag", tag) if tag else None, max(50, limit)
        words = next(iter(self._words.query_embed(question)))
        sparse = m.SparseVector(indices=words.indices.tolist(), values=words.values.tolist())
        dense = self.vectors.embed([question])[0].tolist()
        found = self._client.query_points(
            "bench",
            prefetch=[
                m.Prefetch(query=dense, using="dense", limit=many, filter=only),
                m.Prefetch(query=sparse, using="words", limit=many, filter=only),
            ],
            query=m.FusionQuery(fusion=m.Fusion.RRF),
            limit=limit,
        )
        return [Piece(**point.payload) for point in found.points]

    def close(self) -> None:
        """Close the files."""
        self._client.close()
