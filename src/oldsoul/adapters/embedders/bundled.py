"""The bundled embedder: the static table that comes with Oldsoul."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.adapters.embedders.static import StaticTable
from oldsoul.adapters.index.spaces import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


class Bundled:
    """The tables texts are compared by: ours, or none."""

    def __init__(self, tables: Sequence[StaticTable] | None = None) -> None:
        self._tables = [StaticTable()] if tables is None else list(tables)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._tables)

    def tokens(self, table: int, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
        return self._tables[table].tokens(texts)

    def tables(self) -> list[Table]:
        """The tables with their vectors, for an index."""
        return [Table(table.name, table.vectors) for table in self._tables]
