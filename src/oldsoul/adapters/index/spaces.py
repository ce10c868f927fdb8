"""What the rows mean: their vectors, found by their signs when there are many, and the tokens those were made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oldsoul.adapters.index.alike import nearest
from oldsoul.adapters.index.arrays import ArrayFolder
from oldsoul.adapters.index.columns import NUMBER, Columns, Growing, Ragged
from oldsoul.ranking.pool import Rows, Space, Static
from oldsoul.ranking.vectors import embedded, raw_means, weights

if TYPE_CHECKING:
    from oldsoul.adapters.index.arrays import Array

EXACT = 8192
"""Up to so many rows every vector is compared."""
_SAMPLE = 16
_BITS, _SHARE = 384_000, 500
_BLOCK = 4096
_TINY = 1e-9
_MASKS, _ROWS = 8, 2
"""Of so many masks the signs of the rows they let through are kept, as long as these are not so many times all rows."""


class Table(NamedTuple):
    """A static table an index works with."""

    name: str
    """what it is called; another name means other vectors"""
    vectors: Rows
    """one vector a token"""


class Vectors:
    """One unit vector a row: as bytes with a factor, and the sign of each number as a bit."""

    def __init__(self, shelf: ArrayFolder, name: str, width: int) -> None:
        """Args: shelf is where they are kept; name is theirs there, width how long each is."""
        self.names = (f"vectors-{name}", f"signs-{name}")
        self.width = width
        kind = np.dtype([("scale", "<f4"), ("small", "i1", (width,))])
        self._vectors = shelf.array(self.names[0], kind)
        self._signs = shelf.array(self.names[1], "u1", _sign_bytes(width))
        self._exact = Growing("<f4", width)
        self._kept: list[_Signs] = []

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
        if len(mask) > len(self):
            mask = mask[: len(self)]
        if len(self) <= EXACT:
            if self._exact.size < len(self):
                self._exact.extend(self.of(np.arange(self._exact.size, len(self))))
            rows = mask.nonzero()[0]
            near = (self._exact.all @ query)[rows]
        else:
            rows = self._by_signs(query, self._let_through(mask))
            picked = self._vectors.all.take(rows)
            near = (picked["small"].astype("<f4") @ query) * picked["scale"]
        return nearest(rows, near, count)

    def _let_through(self, mask: Array) -> _Signs:
        """The signs of the rows a mask lets through. A whole mask that nobody can change is remembered with them."""
        known = next((kept for kept in self._kept if kept.mask is mask), None)
        if known is None:
            rows = mask.nonzero()[0]
            signs = self._signs.all.view("<u8").take(rows, axis=0)
            step = max(len(rows) // (_SAMPLE * _wanted(len(rows), self.width)), 1)
            known = _Signs(mask, rows, np.ascontiguousarray(signs.T), np.arange(0, len(rows), step))
            if not mask.flags.writeable and mask.base is None:
                self._keep(known)
        return known

    def _keep(self, signs: _Signs) -> None:
        room = _ROWS * len(self) - len(signs.rows)
        kept = [signs]
        for older in self._kept[: _MASKS - 1]:
            room -= len(older.rows)
            if room >= 0 and len(older.mask) == len(signs.mask):  # before more rows came, it was another mask
                kept.append(older)
        self._kept = kept

    def _by_signs(self, query: Array, seen: _Signs) -> Array:
        """About as many rows as are wanted: those with the fewest signs that differ. A sample says how few these are."""
        share = _wanted(len(seen.rows), self.width) * len(seen.sample) // max(len(seen.rows), 1)
        if share >= len(seen.sample):
            return seen.rows
        distance = _distances(seen.signs, _signs(query[None, :])[0].view("<u8"))
        bar = np.bincount(distance.take(seen.sample)).cumsum().searchsorted(share, "right")
        rows: Array = seen.rows[distance <= bar]
        return rows


class _Signs(NamedTuple):
    """The signs of the rows that a mask lets through."""

    mask: Array
    """which rows of all"""
    rows: Array
    """their numbers"""
    signs: Array
    """their signs, 64 at a time: all first ones, all second ones …"""
    sample: Array
    """some of their places, evenly over all of them"""


def _wanted(rows: int, width: int) -> int:
    """How many of so many rows are compared exactly: the longer their vectors, the more their signs tell."""
    return max(_BITS // width, rows // _SHARE)


def _sign_bytes(width: int) -> int:
    """How many bytes the signs of a vector take: 16, or a multiple of 32."""
    return 16 if width <= 128 else -(-width // 256) * 32  # noqa: PLR2004 - bits of 16 bytes


def _signs(numbers: Array) -> Array:
    bits = np.packbits(numbers > 0, axis=1, bitorder="little")
    full = np.zeros((len(bits), _sign_bytes(numbers.shape[1])), "u1")
    full[:, : bits.shape[1]] = bits
    return full


def _distances(signs: Array, asked: Array) -> Array:
    """In how many signs each row differs from what is asked."""
    found: Array = np.bitwise_count(signs[0] ^ asked[0]).astype("<u2")
    for more, wanted in zip(signs[1:], asked[1:], strict=True):
        found += np.bitwise_count(more ^ wanted)
    return found


class Weighed:
    """All rows in the space of one static table, weighed by what the store itself says."""

    def __init__(self, shelf: ArrayFolder, number: int, table: Table, columns: Columns) -> None:
        self.table = table
        self.static: Static | None = None
        self._shelf, self._number = shelf, number
        self._names = (f"tokens-{number}", f"sentences-{number}")
        self.tokens = Ragged(shelf.array(self._names[0], NUMBER), lambda: columns.rows[f"tokens_end {number}"])
        self._sentence_ends: Callable[[], Array] = lambda: columns.rows[f"sentences_end {number}"]
        self.sentences = Ragged(shelf.array(self._names[1], NUMBER), self._sentence_ends)
        self.plain = MeanVectors(self.tokens, table)
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

    def weigh(self, weight: Array, mean: Array) -> None:
        """Weigh tokens like this."""
        self.static = Static(table=self.table.vectors, weight=weight, mean=mean)

    def unlearnt(self, static: Static) -> Static:
        """Weights in which those of tokens that no row has say no more than that."""
        unused = np.ones(len(static.weight), bool)
        unused[self.tokens.flat.all] = False
        weight = np.where(unused, static.weight.max(), static.weight)
        return Static(table=static.table, weight=weight, mean=static.mean)

    def counted(self, alive: Array) -> tuple[Array, Array]:
        """What each token weighs by how often the rows that count use it, and the mean of these rows weighed so."""
        counts = np.zeros(len(self.table.vectors), "<i8")
        for _, tokens, _ in self._blocks(alive):
            counts += np.bincount(tokens, minlength=len(counts))
        weight = weights(counts)
        total, rows = np.zeros(self.table.vectors.shape[1], "<f8"), 0
        for some, tokens, starts in self._blocks(alive):
            total += raw_means(tokens, starts, self.table.vectors, weight).sum(axis=0, dtype="<f8")
            rows += some
        return weight, (total / max(rows, 1)).astype("<f4")

    def _blocks(self, alive: Array) -> Iterator[tuple[int, Array, Array]]:
        for first, end in self._spans(0, len(alive)):
            some = first + np.flatnonzero(alive[first:end])
            yield len(some), *self.tokens.of(some)

    def _spans(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Rows up to this one, some sentences at a time: what is worked out of them goes by their number."""
        ends = self._sentence_ends()
        while first < last:
            most = (int(ends[first - 1]) if first else 0) + _BLOCK
            end = min(max(int(ends.searchsorted(most, "right")), first + 1), last)
            yield first, end
            first = end
            if first < last:
                self._shelf.release()

    def embed(self, last: int) -> None:
        """Work out the vectors of the rows up to this one that have none yet, and append them."""
        for first, end in self._spans(len(self.vectors), last):
            self.add(self.tokens.span(first, end), self.sentences.span(first, end))

    def add(self, tokens: tuple[Array, Array], sentences: tuple[Array, Array]) -> None:
        """Work out the vectors of further rows from their tokens and sentences (numbers, and how many each row has)."""
        if self.static is None:
            raise ValueError("weigh first")
        starts = np.zeros(len(tokens[1]) + 1, "<i8")
        np.add.accumulate(tokens[1], out=starts[1:])
        places = sentences[0] + starts[:-1].repeat(sentences[1])
        made = embedded(tokens[0], starts, places, self.static)
        self.vectors.extend(made.vectors)
        self.norms.flat.extend(made.sentence_norm[: len(places)])

    # looking

    def space(self, rows: Array) -> Space:
        """What ranking needs of some rows."""
        return _without_tokens(self.vectors.of(rows), lambda places: self._close(rows[places]))

    def _close(self, rows: Array) -> Space:
        """Some rows with their tokens; their vectors are known already."""
        tokens, starts = self.tokens.of(rows)
        places, offsets = self.sentences.places(rows)  # the norms are at the same
        begins = self.sentences.flat.all.take(places) + starts[:-1].repeat(offsets[1:] - offsets[:-1])
        return Space(np.zeros((len(rows), 0), "<f4"), tokens, starts, begins, self.norms.flat.all.take(places))

    def space_as(self, rows: Array, static: Static) -> Space:
        """What ranking needs of some rows when tokens are weighed like this."""
        tokens, starts = self.tokens.of(rows)
        begins, offsets = self.sentences.of(rows)
        begins = begins + starts[:-1].repeat(offsets[1:] - offsets[:-1])
        made = embedded(tokens, starts, begins, static)
        norms = made.sentence_norm[: len(begins)]
        return Space(made.vectors, tokens, starts, begins, norms)


class MeanVectors:
    """Rows as the plain means of their tokens, which other rows do not change. Worked out as they are looked at."""

    def __init__(self, tokens: Ragged, table: Table) -> None:
        self._tokens, self._table = tokens, table.vectors
        self._means: Array = np.zeros((0, table.vectors.shape[1]), "<f2")
        self._squares: Array = np.zeros(0, "<f4")
        """the square of each one's length; less than none where it is not worked out"""

    def copy(self, other: MeanVectors, rows: Array) -> None:
        """Take over some rows of another, in this order."""
        other._grow(int(rows.max(initial=-1)) + 1)
        self._means, self._squares = other._means[rows], other._squares[rows]

    def nearest(self, query: Array, mean: Array, mask: Array, count: int) -> Array:
        """The rows nearest to a query, so many of those the mask lets through, all seen from this mean."""
        rows = mask.nonzero()[0]
        self._learn(rows, len(mask))
        towards, square = np.stack((query, mean), axis=1), self._squares.take(rows)
        along = np.empty((len(rows), 2), "<f4")
        for first in range(0, len(rows), _BLOCK):
            means = self._means.take(rows[first : first + _BLOCK], axis=0)
            along[first : first + _BLOCK] = means.astype("<f4") @ towards
        away = np.sqrt(np.maximum(square - 2 * along[:, 1] + mean @ mean, _TINY))
        near = np.where(square > 0, (along[:, 0] - mean @ query) / away, -1)
        return nearest(rows, near, count)

    def _learn(self, rows: Array, last: int) -> None:
        self._grow(last)
        missing = rows[self._squares[rows] < 0]
        weight = np.ones(len(self._table), "<f4")
        for first in range(0, len(missing), _BLOCK):
            some = missing[first : first + _BLOCK]
            means = raw_means(*self._tokens.of(some), self._table, weight).astype("<f2")
            self._means[some], self._squares[some] = means, np.square(means, dtype="<f4").sum(axis=1)

    def _grow(self, last: int) -> None:
        short = last - len(self._squares)
        if short > 0:
            room = max(short, len(self._squares))
            self._squares = np.append(self._squares, np.full(room, -1, "<f4"))
            self._means = np.append(self._means, np.zeros((room, self._means.shape[1]), "<f2"), axis=0)


class Dense:
    """All rows in the space of an embedder that only gives vectors. Those it has not come to yet are the last ones."""

    def __init__(self, shelf: ArrayFolder, name: str, place: str, width: int) -> None:
        self.name = name
        """the embedder's name"""
        self.place = place
        """which of the embedders of this index it is"""
        self.vectors = Vectors(shelf, f"dense.{place}", width)

    def space(self, rows: Array) -> Space:
        """What ranking needs of some rows."""
        return _without_tokens(self.vectors.of(rows))


def _without_tokens(vectors: Array, closer: Callable[[Array], Space] | None = None) -> Space:
    none = np.zeros(0, "<i4"), np.zeros(len(vectors) + 1, "<i8"), np.zeros(0, "<i8"), np.zeros(0, "<f4")
    return Space(vectors, *none, closer)
