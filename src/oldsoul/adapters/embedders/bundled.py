"""The bundled embedder: the static tables that come with Oldsoul, each by its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.adapters.embedders.static import POTION, WORDLLAMA, StaticTable
from oldsoul.adapters.index.spaces import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


class Bundled:
    """The tables texts are compared by."""

    def __init__(self, tables: Sequence[StaticTable] | None = None) -> None:
        self._tables = [StaticTable(WORDLLAMA), StaticTable(POTION)] if tables is None else list(tables)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._tables)

    def tokens(self, table: int, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
        return self._tables[table].tokens(texts)

    def tables(self) -> list[Table]:
        """The tables with their vectors, for an index."""
        return [Table(t.name, t.vectors, multilingual=t.source is POTION) for t in self._tables]
