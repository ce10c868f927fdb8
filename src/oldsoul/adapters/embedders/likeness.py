"""How alike texts are by the vectors of their tokens: no index, no store, just the tables that come with Oldsoul."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from oldsoul.adapters.embedders.static import StaticTable

_MOST_TOKENS = 512
_BATCH = 4096


class Likeness:
    """Compares texts by one table; what was read of a text is known while texts come back."""

    def __init__(self, table: StaticTable) -> None:
        self._table = table

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How alike the texts of each pair are, from 0 to 1."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        place = {text: number for number, text in enumerate(texts)}
        vectors = self._vectors(texts)
        found: list[float] = []
        for start in range(0, len(pairs), _BATCH):
            part = pairs[start : start + _BATCH]
            ones, others = ([place[pair[side]] for pair in part] for side in (0, 1))
            found += np.clip((vectors[ones] * vectors[others]).sum(axis=1), 0, 1).tolist()
        return found

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The mean of each text's token vectors, of length one; of length none for a text without any."""
        table = self._table.vectors
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for number, tokens in enumerate(self._table.tokens(texts)):
            if tokens:
                vectors[number] = table.take(tokens[:_MOST_TOKENS]).astype(np.float32).mean(axis=0)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
