"""memsearch: its Markdown chunker, and its store on Milvus Lite, which fuses vectors and BM25 by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems import loaded
from bench.systems.texts import Piece, Pieces

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors

_PACKAGE = "memsearch milvus-lite"
_BATCH = 500


def _cut(path: str, text: str, tag: str) -> list[Piece]:
    """Its own chunks, by its own defaults."""
    found = loaded("memsearch.chunker", _PACKAGE).chunk_markdown(text, source=path)
    return [Piece(chunk.content, "", path, chunk.start_line, chunk.end_line, tag) for chunk in found]


class Memsearch(Pieces):
    """Its store; the tag leads the source, since what it can restrict a search by is how a source begins."""

    package: ClassVar[str] = _PACKAGE
    modules: ClassVar[tuple[str, ...]] = ("memsearch.store", "memsearch.chunker", "pymilvus", "milvus_lite")
    cut: ClassVar[Any] = _cut

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        self._chunker = loaded("memsearch.chunker", _PACKAGE)
        store = loaded("memsearch.store", _PACKAGE).MilvusStore
        loaded("milvus_lite", _PACKAGE)
        self._store = store(str(folder / "milvus.db"), dimension=vectors.size, _create_if_missing=True)

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces as records of its store."""
        for start in range(0, len(pieces), _BATCH):
            part = pieces[start : start + _BATCH]
            vectors = self.vectors.embed([self._chunker.clean_content_for_embedding(p.text) for p in part])
            self._store.upsert([self._record(p, v) for p, v in zip(part, vectors.tolist(), strict=True)])

    def _record(self, piece: Piece, vector: list[float]) -> dict[str, Any]:
        source = f"{piece.tag}/{piece.path}"
        hashed = self._chunker.compute_chunk_id(source, piece.first, piece.last, piece.key + piece.text, "bench")
        return {
            "chunk_hash": hashed,
            "embedding": vector,
            "content": piece.text,
            "source": source,
            "heading": piece.key,
            "heading_level": 0,
            "start_line": piece.first,
            "end_line": piece.last,
        }

    def change(self, file: Any, cut: Any = None) -> None:
        """Take a file again the way its indexer does: what is gone is deleted, what is new is embedded."""
        pieces = (cut or type(self).cut)(*file)
        known = self._store.hashes_by_source(f"{file.tag}/{file.path}")
        records = {self._record(piece, [])["chunk_hash"]: piece for piece in pieces}
        self._store.delete_by_hashes(list(known - set(records)))
        self.put([piece for hashed, piece in records.items() if hashed not in known])

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        self._store.delete_by_source(f"/{path}")

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """What its hybrid search gives."""
        only = f'source like "{tag}/%"' if tag else ""
        vector = self.vectors.embed([question])[0].tolist()
        return [
            Piece(
                hit["content"],
                hit["heading"],
                hit["source"].partition("/")[2],
                hit["start_line"],
                hit["end_line"],
                hit["source"].partition("/")[0],
            )
            for hit in self._store.search(vector, query_text=question, top_k=limit, filter_expr=only)
        ]

    def close(self) -> None:
        """Close the store."""
        self._store.close()
