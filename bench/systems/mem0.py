"""mem0 with raw texts (`infer=False`, no model asked) in its local Qdrant, with its BM25 beside the vectors."""

from __future__ import annotations

import logging
import os
import tempfile
from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems import loaded
from bench.systems.texts import Piece, Pieces, chunks

from oldsoul.ranking.terms import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors

_PACKAGE = "mem0ai fastembed"
# Read when it is imported: it reports nothing, keeps its settings out of people's homes, and asks no model.
_SETTINGS = tempfile.TemporaryDirectory(prefix="bench-mem0-", ignore_cleanup_errors=True)
os.environ |= {
    "MEM0_TELEMETRY": "False",
    "MEM0_DIR": _SETTINGS.name,
    "OPENAI_API_KEY": "unused",
    "HF_HUB_OFFLINE": "1",
}
logging.getLogger("mem0").setLevel(logging.ERROR)  # it says again and again that spaCy is not there


class _Embedder:
    """The vectors everybody gets, as mem0 asks for them."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - mem0 says why it asks
        """One text's."""
        found: list[float] = self._vectors.embed([text])[0].tolist()
        return found

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002
        """Some texts'."""
        found: list[list[float]] = self._vectors.embed(texts).tolist()
        return found


class Mem0(Pieces):
    """One user's memories."""

    package: ClassVar[str] = _PACKAGE
    modules: ClassVar[tuple[str, ...]] = ("mem0", "fastembed")
    cut: ClassVar[Any] = chunks

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": vectors.size, "on_disk": True}
        self._memory = loaded("mem0", _PACKAGE).Memory.from_config(
            {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": str(folder / "history.db")}
        )
        self._memory.embedding_model = _Embedder(vectors)
        # Its BM25 would fetch a list of stopwords from the network; it gets ours, and works.
        self._memory.vector_store._bm25_encoder = loaded("fastembed", _PACKAGE).SparseTextEmbedding(
            "Qdrant/bm25", specific_model_path=str(folder), stopwords=set(STOPWORDS)
        )
        self._ids: dict[str, list[str]] = {}

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces, one memory each."""
        for piece in pieces:
            data = {"key": piece.key, "path": piece.path, "first": piece.first, "last": piece.last, "tag": piece.tag}
            said = [{"role": "user", "content": piece.text}]
            added = self._memory.add(said, user_id="bench", metadata=data, infer=False)
            self._ids.setdefault(piece.path, []).extend(memory["id"] for memory in added["results"])

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        for memory in self._ids.pop(path, []):
            self._memory.delete(memory)

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """What its search gives."""
        only = {"user_id": "bench"} | ({"tag": tag} if tag else {})
        found = self._memory.search(question, filters=only, top_k=limit, threshold=0.0)["results"]
        rows = [(hit["memory"], hit["metadata"]) for hit in found]
        return [Piece(text, d["key"], d["path"], d["first"], d["last"], d["tag"]) for text, d in rows]

    def close(self) -> None:
        """Close the stores."""
        self._memory.vector_store.client.close()
        self._memory.close()
