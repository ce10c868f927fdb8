"""Keyword search the way grep does it: every line is read, and those with most of the words come first."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems.texts import Piece, Pieces, content, lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.systems.vectors import Vectors


class Grep(Pieces):
    """Lines in a file, held in memory; nothing is worked out beforehand."""

    does: ClassVar[str] = "words"
    cut: ClassVar[Any] = lines

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        super().__init__(folder, vectors)
        self._file = folder / "lines.jsonl"
        self._pieces: list[Piece] = []
        if self._file.exists():
            with self._file.open(encoding="utf-8") as file:
                self._pieces = [Piece(*json.loads(line)) for line in file]

    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces."""
        self._pieces += pieces
        with self._file.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(piece) + "\n" for piece in pieces)

    def drop(self, path: str) -> None:
        """Let go of what a file held."""
        self._pieces = [piece for piece in self._pieces if piece.path != path]

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """Lines by how many of the words they hold, as they stand."""
        any_of = re.compile(rf"\b(?:{'|'.join(map(re.escape, content(question)))})\b", re.IGNORECASE)
        counted = []
        for number, piece in enumerate(self._pieces):
            if not tag or piece.tag == tag:
                held = len({word.lower() for word in any_of.findall(piece.text)})
                if held:
                    counted.append((-held, number))
        counted.sort()
        return [self._pieces[number] for _, number in counted[:limit]]
