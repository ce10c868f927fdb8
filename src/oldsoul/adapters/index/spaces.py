"""What the rows mean: their vectors, found by their signs when there are many, and the tokens those were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oldsoul.adapters.index.columns import NUMBER, Growing, Ragged
from oldsoul.ranking.pool import Space, Static
from oldsoul.ranking.vectors import embedded, raw_means, weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.adapters.index.arrays import Array, Shelf
    from oldsoul.adapters.index.columns import Columns

EXACT = 8192
"""Up to so many rows every vector is compared."""
_PAIR = 2
_SAMPLE = 16
_FEWEST, _SHARE = 1500, 500
_BLOCK = 16_384
_TILE = 2048
_FEW = 2
"""One row in so many, or fewer: then only those are compared that the mask lets through."""
_FAR = 65_535


class Table(NamedTuple):
    """A static table an index works with."""

    name: str
    """what it is called; another name means other vectors"""
    vectors: Array
    """one vector a token"""
    multilingual: bool
    """whether it reads other scripts than Latin"""


class Vectors:
    """One unit vector a row: as bytes with a factor, and the sign of each number as a bit."""

    def __init__(self, shelf: Shelf, name: str, width: int) -> None:
        self.names = (f"vectors-{name}", f"signs-{name}")
        self.width = width
        self._vectors = shelf.array(self.names[0], np.dtype([("scale", "<f4"), ("small", "i1", (width,))]))
        self._signs = shelf.array(self.names[1], "u1", _sign_bytes(width))
        self._exact = Growing("<f4", width)

    def __len__(self) -> int:
        return self._vectors.size

    def extend(self, vectors: Array) -> None:
        """Append."""
        most = np.abs(vectors).max(axis=1) if len(vectors) else np.zeros(0, "<f4")
        scale = np.where(most > 0, most / 127, 1).astype("<f4")
        rows = np.empty(len(vectors), self._vectors.dtype)
        small = np.rint(vectors / scale[:, None]).astype("i1")
        rows["scale"], rows["small"] = scale, small
        self._vectors.extend(rows)
        self._signs.extend(_signs(small))

    def copy(self, other: Vectors, rows: Array) -> None:
        """Append some rows of another."""
        self._vectors.extend(other._vectors.all[rows])
        self._signs.extend(other._signs.all[rows])

    def of(self, rows: Array) -> Array:
        """The vectors of some rows; zeros for those it does not have yet."""
        if not len(rows) or int(rows.max()) < len(self):
            picked = self._vectors.all.take(rows)
            made: Array = np.multiply(picked["small"], picked["scale"][:, None], dtype="<f4")
            return made
        found = np.zeros((len(rows), self.width), "<f4")
        have = rows < len(self)
        found[have] = self.of(rows[have])
        return found

    def nearest(self, query: Array, mask: Array, count: int) -> Array:
        """The rows nearest to a query, so many of those the mask lets through."""
        mask = mask[: len(self)]
        if len(self) <= EXACT:
            if self._exact.size < len(self):
                self._exact.extend(self.of(np.arange(self._exact.size, len(self))))
            rows = np.flatnonzero(mask)
            near = (self._exact.all @ query)[rows]
        else:
            rows = self._by_signs(query, mask)
            picked = self._vectors.all.take(rows)
            near = (picked["small"].astype("<f4") @ query) * picked["scale"]
        if len(rows) > count:
            rows = rows[np.argpartition(near, len(near) - count)[len(near) - count :]]
        return rows

    def _by_signs(self, query: Array, mask: Array) -> Array:
        asked = _signs(query[None, :])[0].view("<u8")
        signs = self._signs.all.view("<u8")
        if _FEW * np.count_nonzero(mask) < len(mask):
            few = mask.nonzero()[0]
            distance = np.full(len(signs), _FAR, "<u4" if len(asked) > _PAIR else "<u2")
            distance[few] = _distances(signs.take(few, axis=0), asked)
        else:
            distance = _distances(signs, asked)
            distance[~mask] = _FAR
        wanted = max(_FEWEST, len(signs) // _SHARE)
        rows: Array = np.flatnonzero(distance <= min(_bar(distance, wanted), _FAR - 1))
        return rows


def _sign_bytes(width: int) -> int:
    """How many bytes the signs of a vector take: 16, or a multiple of 32."""
    return _PAIR * 8 if width <= _PAIR * 64 else -(-width // 256) * 32


def _signs(numbers: Array) -> Array:
    bits = np.packbits(numbers > 0, axis=1, bitorder="little")
    full = np.zeros((len(bits), _sign_bytes(numbers.shape[1])), "u1")
    full[:, : bits.shape[1]] = bits
    return full


def _distances(signs: Array, asked: Array) -> Array:
    """In how many signs each row differs from what is asked."""
    found = np.empty(len(signs), "<u4" if len(asked) > _PAIR else "<u2")
    tiled = np.tile(asked, (min(len(signs), _TILE), 1))  # one long run of numbers is much faster than many short ones
    for first in range(0, len(signs), _TILE):
        part = signs[first : first + _TILE]
        found[first : first + _TILE] = _added(np.bitwise_count(part ^ tiled[: len(part)]))
    return found


def _added(counts: Array) -> Array:
    """The sum of each row's bytes, several at once."""
    if counts.shape[1] == _PAIR:
        both = counts.view("<u2")[:, 0]
        return (both & 0xFF) + (both >> 8)
    four = counts.view("<u4")
    two = (four & 0xFF00FF) + ((four >> 8) & 0xFF00FF)
    one = (two & 0xFFFF) + (two >> 16)
    total = one[:, 0]
    for column in range(1, one.shape[1]):
        total = total + one[:, column]
    return total


def _bar(distance: Array, wanted: int) -> int:
    """The distance that about so many rows do not exceed."""
    sample = distance[:: max(len(distance) // (_SAMPLE * wanted), 1)]
    share = wanted * len(sample) // len(distance)
    if share >= len(sample):
        return _FAR
    return int(np.partition(sample, share)[share])


class Weighed:
    """All rows in the space of one static table, weighed by what the store itself says."""

    def __init__(self, shelf: Shelf, number: int, table: Table, columns: Columns) -> None:
        self.table = table
        self.static: Static | None = None
        self._shelf, self._number = shelf, number
        self._names = (f"tokens-{number}", f"sentences-{number}")
        self.tokens = Ragged(shelf.array(self._names[0], NUMBER), lambda: columns.rows[f"tokens_end {number}"])
        self._sentence_ends = lambda: columns.rows[f"sentences_end {number}"]
        self.sentences = Ragged(shelf.array(self._names[1], NUMBER), self._sentence_ends)
        self._begin(0)

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays it is made of."""
        return (*self._names, *self.vectors.names, self._norms)

    def begin(self, weighing: int) -> None:
        """Go by the vectors of this weighing."""
        self._shelf.drop((*self.vectors.names, self._norms))
        self._begin(weighing)

    def _begin(self, weighing: int) -> None:
        self.vectors = Vectors(self._shelf, f"{self._number}.{weighing}", int(self.table.vectors.shape[1]))
        self._norms = f"norms-{self._number}.{weighing}"
        self.norms = Ragged(self._shelf.array(self._norms, "<f4"), self._sentence_ends)

    # what the store itself says

    def weigh(self, counts: Array, mean: Array) -> None:
        """Weigh tokens by these counts."""
        self.static = Static(table=self.table.vectors, weight=weights(counts), mean=mean)

    def counted(self, alive: Array) -> tuple[Array, Array]:
        """How often the rows that count use each token, and the mean of these rows when tokens are weighed by that."""
        counts = np.zeros(len(self.table.vectors), "<i8")
        for _, tokens, _ in self._blocks(alive):
            counts += np.bincount(tokens, minlength=len(counts))
        weight = weights(counts)
        total, rows = np.zeros(self.table.vectors.shape[1], "<f8"), 0
        for some, tokens, starts in self._blocks(alive):
            total += raw_means(tokens, starts, self.table.vectors, weight).sum(axis=0, dtype="<f8")
            rows += some
        return counts, (total / max(rows, 1)).astype("<f4")

    def _blocks(self, alive: Array) -> Iterator[tuple[int, Array, Array]]:
        for first in range(0, len(alive), _BLOCK):
            some = first + np.flatnonzero(alive[first : first + _BLOCK])
            yield len(some), *self.tokens.of(some)

    def embed(self, last: int) -> None:
        """Work out the vectors of the rows up to this one that have none yet, and append them."""
        for first in range(len(self.vectors), last, _BLOCK):
            end = min(first + _BLOCK, last)
            self.add(self.tokens.span(first, end), self.sentences.span(first, end))

    def add(self, tokens: tuple[Array, Array], sentences: tuple[Array, Array]) -> None:
        """Work out the vectors of further rows from their tokens and sentences (numbers, and how many each row has)."""
        if self.static is None:
            raise ValueError("weigh first")
        starts = np.append(0, np.cumsum(tokens[1]))
        places = sentences[0] + np.repeat(starts[:-1], sentences[1])
        made = embedded(tokens[0], starts, places, self.static)
        self.vectors.extend(made.vectors)
        self.norms.flat.extend(made.sentence_norm[: len(places)])

    # looking

    def space(self, rows: Array) -> Space:
        """What ranking needs of some rows."""
        return _without_tokens(
            self.vectors.of(rows), multilingual=self.table.multilingual, closer=lambda places: self._close(rows[places])
        )

    def _close(self, rows: Array) -> Space:
        """Some rows with their tokens; their vectors are known already."""
        tokens, starts = self.tokens.of(rows)
        places, offsets = self.sentences.places(rows)  # the norms stand at the same
        begins = self.sentences.flat.all.take(places) + starts[:-1].repeat(offsets[1:] - offsets[:-1])
        return Space(np.zeros((len(rows), 0), "<f4"), tokens, starts, begins, self.norms.flat.all.take(places))


class Dense:
    """All rows in the space of an embedder that only gives vectors. Those it has not come to yet are the last ones."""

    def __init__(self, shelf: Shelf, name: str, place: str, width: int) -> None:
        self.name = name
        """the embedder's name"""
        self.place = place
        """which of the embedders of this index it is"""
        self.vectors = Vectors(shelf, f"dense.{place}", width)

    def space(self, rows: Array) -> Space:
        """What ranking needs of some rows."""
        return _without_tokens(self.vectors.of(rows), multilingual=True)


def _without_tokens(vectors: Array, *, multilingual: bool, closer: Callable[[Array], Space] | None = None) -> Space:
    none = np.zeros(0, "<i4"), np.zeros(len(vectors) + 1, "<i8"), np.zeros(0, "<i8"), np.zeros(0, "<f4")
    return Space(vectors, *none, multilingual, closer)
