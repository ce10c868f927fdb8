"""Chroma: vectors with an HNSW index, restricted by `where`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems import loaded
from bench.systems.texts import Piece, Pieces, chunks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors

_BATCH = 2000


class Chroma(Pieces):
    """One collection of a persistent client."""

    does: ClassVar[str] = "vectors"
    package: ClassVar[str] = "chromadb"
    modules: ClassVar[tuple[str, ...]] = ("chromadb",)
    cut: ClassVar[Any] = chunks

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        chromadb = loaded("chromadb", self.package)
        settings = loaded("chromadb.config", self.package).Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(str(folder), settings=settings)
        self._collection = self._client.get_or_create_collection(
            "bench", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces."""
        for start in range(0, len(pieces), _BATCH):
            part = pieces[start : start + _BATCH]
            texts = [piece.text for piece in part]
            self._collection.add(
                ids=[piece.id for piece in part],
                embeddings=self.vectors.embed(texts),
                documents=texts,
                metadatas=[
                    {"key": p.key, "path": p.path, "first": p.first, "last": p.last, "tag": p.tag} for p in part
                ],
            )

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        self._collection.delete(where={"path": path})

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """The nearest."""
        found = self._collection.query(
            query_embeddings=self.vectors.embed([question]),
            n_results=limit,
            where={"tag": tag} if tag else None,
            include=["documents", "metadatas"],
        )
        return [
            Piece(text, data["key"], data["path"], data["first"], data["last"], data["tag"])
            for text, data in zip(found["documents"][0], found["metadatas"][0], strict=True)
        ]

    def close(self) -> None:
        """Close the client."""
        self._client.close()
