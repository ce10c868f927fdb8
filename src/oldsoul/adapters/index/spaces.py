"""What the rows mean, in one embedder's space: tokens, sentences and vectors of each, found by their signs when many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oldsoul.adapters.index.columns import NUMBER, Growing, Ragged
from oldsoul.ranking.pool import Space, Static
from oldsoul.ranking.vectors import embedded, raw_means, weights

if TYPE_CHECKING:
    from oldsoul.adapters.index.columns import Array

EXACT = 32_768
"""Up to so many rows every vector is compared."""
_BITS = 64
_FEWEST, _SHARE = 1500, 500
_BLOCK = 16_384


class Table(NamedTuple):
    """A static table an index works with."""

    name: str
    """what it is called; another name means other vectors"""
    vectors: Array
    """one vector a token"""
    multilingual: bool
    """whether it reads other scripts than Latin"""


class Weighed:
    """All rows in the space of one static table, weighed by what the store itself says."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.width = int(table.vectors.shape[1])
        self.counts: Array = np.zeros(len(table.vectors), "<i8")
        """how often the rows that count use each token"""
        self.static: Static | None = None
        self.tokens, self.sentences = Ragged(), Ragged()
        self.begin()

    def begin(self) -> None:
        """Hold no vectors."""
        self._small, self._scale = Growing(np.dtype("i1"), self.width), Growing(np.dtype("<f4"))
        self.norms = Ragged(np.dtype("<f4"))
        self._exact: Growing | None = Growing(np.dtype("<f4"), self.width)
        self._signs = [Growing(np.dtype("<u8")) for _ in range(self.width // _BITS)]

    # what the store itself says

    def weigh(self, counts: Array, mean: Array) -> None:
        """Weigh tokens by these counts."""
        self.static = Static(table=self.table.vectors, weight=weights(counts), mean=mean)

    def mean(self, counts: Array, alive: Array) -> Array:
        """The mean of all rows that count, when tokens are weighed by these counts."""
        weight = weights(counts)
        total, rows = np.zeros(self.width, "<f8"), 0
        for first in range(0, len(alive), _BLOCK):
            some = first + np.flatnonzero(alive[first : first + _BLOCK])
            tokens, starts = self.tokens.of(some)
            total += raw_means(tokens, starts, self.table.vectors, weight).sum(axis=0, dtype="<f8")
            rows += len(some)
        return (total / max(rows, 1)).astype("<f4")

    def embed(self, first: int, last: int) -> None:
        """Work out the vectors of rows that follow one another, and append them."""
        if self.static is None:
            raise ValueError("weigh first")
        tokens, lengths = self.tokens.span(first, last)
        starts = np.append(0, np.cumsum(lengths))
        begins, counts = self.sentences.span(first, last)
        places = begins + np.repeat(starts[:-1], counts)
        made = embedded(tokens, starts, places, self.static)
        norms = made.sentence_norm[: len(places)]
        self.extend(*_small(made.vectors), norms, counts)

    def extend(self, small: Array, scale: Array, norms: Array, counts: Array) -> None:
        """Append vectors, and the norms of each row's sentences."""
        self._small.extend(small)
        self._scale.extend(scale)
        self.norms.extend(norms, counts)
        if self._exact is not None:
            if self._small.size > EXACT and self._signs:
                self._exact = None
            else:
                self._exact.extend(small.astype("<f4") * scale[:, None])
        bits = np.packbits(small > 0, axis=1, bitorder="little").view("<u8") if self._signs else small
        for column, signs in enumerate(self._signs):
            signs.extend(bits[:, column])

    def __len__(self) -> int:
        return self._small.size

    # storing

    def packed(self, first: int, last: int) -> tuple[bytes, bytes]:
        """Tokens and sentences, and vectors, of rows that follow one another, as they are stored."""
        tokens, lengths = self.tokens.span(first, last)
        begins, counts = self.sentences.span(first, last)
        facts = b"".join(part.astype("<i4").tobytes() for part in (lengths, counts, tokens, begins))
        norms = self.norms.span(first, last)[0]
        vectors = (self._scale.all[first:last], self._small.all[first:last], norms)
        return facts, b"".join(part.tobytes() for part in vectors)

    def take_tokens(self, data: bytes, rows: int) -> None:
        """Tokens and sentences as `packed` stored them."""
        numbers = np.frombuffer(data, NUMBER)
        lengths, counts = numbers[:rows], numbers[rows : 2 * rows]
        middle = 2 * rows + int(lengths.sum())
        if len(numbers) != middle + int(counts.sum()):
            raise ValueError("tokens and rows do not agree")
        self.tokens.extend(numbers[2 * rows : middle], lengths)
        self.sentences.extend(numbers[middle:], counts)

    def take_vectors(self, data: bytes, first: int, last: int) -> None:
        """Vectors as `packed` stored them."""
        rows = last - first
        scale = np.frombuffer(data, "<f4", rows)
        small = np.frombuffer(data, "i1", rows * self.width, 4 * rows).reshape(rows, self.width)
        norms = np.frombuffer(data, "<f4", -1, (4 + self.width) * rows)
        self.extend(small, scale, norms, self.sentences.span(first, last)[1])

    # looking

    def of(self, rows: Array) -> Array:
        """The vectors of some rows."""
        found: Array = self._small.all[rows].astype("<f4") * self._scale.all[rows][:, None]
        return found

    def space(self, rows: Array) -> Space:
        """What ranking needs of some rows."""
        tokens, starts = self.tokens.of(rows)
        begins, offsets = self.sentences.of(rows)
        places = begins + np.repeat(starts[:-1], np.diff(offsets))
        norms = self.norms.of(rows)[0]
        return Space(self.of(rows), tokens, starts, places, norms, self.table.multilingual)

    def nearest(self, query: Array, mask: Array, count: int) -> Array:
        """The rows nearest to a query, so many of those the mask lets through."""
        if self._exact is not None:
            near = self._exact.all @ query
            rows = np.flatnonzero(mask)
            near = near[rows]
        else:
            rows = self._by_signs(query, mask)
            near = self.of(rows) @ query
        if len(rows) > count:
            rows = rows[np.argpartition(near, len(near) - count)[len(near) - count :]]
        return rows

    def _by_signs(self, query: Array, mask: Array) -> Array:
        asked = np.packbits(query[None, :] > 0, axis=1, bitorder="little").view("<u8")[0]
        distance = np.zeros(len(self), "<u2")
        for column, signs in enumerate(self._signs):
            distance += np.bitwise_count(signs.all ^ asked[column])
        distance[~mask] = 65535
        counts = np.cumsum(np.bincount(distance, minlength=1))
        bar = int(np.searchsorted(counts, min(max(_FEWEST, len(self) // _SHARE), int(mask.sum()))))
        return np.flatnonzero(distance <= min(bar, 65534))


def _small(vectors: Array) -> tuple[Array, Array]:
    """Unit vectors as bytes, and the factor that makes each what it was."""
    most = np.abs(vectors).max(axis=1) if len(vectors) else np.zeros(0, "<f4")
    scale = np.where(most > 0, most / 127, 1).astype("<f4")
    return np.rint(vectors / scale[:, None]).astype("i1"), scale
