"""Which rows hold which words: segments of sorted arrays, sealed in files, and those of the last rows, still open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oldsoul.adapters.index.alike import crowded, varied

if TYPE_CHECKING:
    from oldsoul.adapters.index.arrays import Array

SEAL = 4096
"""How many rows may be open before they are sealed."""
FAN, OPEN_FAN = 8, 4
"""How many segments of one level become one of the next."""
_HALF, _LOW = 32, 0xFFFFFFFF


class Segment(NamedTuple):
    """The words of rows that follow one another."""

    first: int
    """its first row"""
    last: int
    """the row after its last"""
    level: int
    """how often it was merged"""
    terms: Array
    """the words it has, sorted, each once"""
    offsets: Array
    """where each word's rows begin, with the end of the last"""
    rows: Array
    """the rows, word by word"""
    counts: Array
    """how often each of these rows has the word"""

    def packed(self) -> list[Array]:
        """As bytes to store one after the other."""
        sizes = np.array([self.first, self.last, self.level, len(self.terms), len(self.rows)], "<i8")
        return [part.view("u1") for part in (sizes, self.terms, self.offsets, self.rows, self.counts)]

    @classmethod
    def unpacked(cls, data: Array) -> Segment:
        """The segment that `packed` stored."""
        first, last, level, terms, rows = (int(n) for n in np.frombuffer(data, "<i8", 5))
        place = 40
        parts = []
        for dtype, count in (("<i4", terms), ("<u4", terms + 1), ("<u4", rows), ("<u2", rows)):
            part = np.frombuffer(data, dtype, count, place)
            parts.append(part)
            place += part.nbytes
        return cls(first, last, level, *parts)


def sealed(first: int, lengths: Array, terms: Array, level: int = 0) -> Segment:
    """The segment of rows that follow one another, from the words of each."""
    pairs = _paired(first, lengths, terms)
    starts = firsts(pairs)
    ends = np.empty_like(starts)
    ends[:-1], ends[-1:] = starts[1:], len(pairs)
    counts = np.minimum(ends - starts, 65535).astype("<u2")
    pairs = pairs[starts]
    return _grouped((first, first + len(lengths)), level, pairs >> _HALF, pairs & _LOW, counts)


def merged(segments: Sequence[Segment]) -> Segment:
    """Segments that follow one another, as one of the next level."""
    terms = np.unique(np.concatenate([s.terms for s in segments]))
    places = [terms.searchsorted(s.terms) for s in segments]
    offsets = np.zeros(len(terms) + 1, "<u4")
    for s, at in zip(segments, places, strict=True):
        offsets[1:][at] += np.diff(s.offsets)
    offsets = np.cumsum(offsets, dtype="<u4")
    rows, counts = np.empty(offsets[-1], "<u4"), np.empty(offsets[-1], "<u2")
    free = offsets[:-1].copy()  # where the next row of each word goes: they stay in order, since the segments are
    for s, at in zip(segments, places, strict=True):
        lengths = np.diff(s.offsets)
        to = np.repeat(free[at] - s.offsets[:-1], lengths) + np.arange(len(s.rows), dtype="<u4")
        rows[to], counts[to] = s.rows, s.counts
        free[at] += lengths
    return Segment(segments[0].first, segments[-1].last, segments[0].level + 1, terms, offsets, rows, counts)


def _grouped(span: tuple[int, int], level: int, terms: Array, rows: Array, counts: Array) -> Segment:
    starts = firsts(terms)
    offsets = np.empty(len(starts) + 1, "<u4")
    offsets[:-1], offsets[-1] = starts, len(terms)
    return Segment(*span, level, terms[starts].astype("<i4"), offsets, rows.astype("<u4"), counts)


def _paired(first: int, lengths: Array, terms: Array) -> Array:
    """Each word of rows with its row as one number, sorted."""
    pairs = terms.astype("<i8") << _HALF
    pairs += np.arange(first, first + len(lengths)).repeat(lengths)
    pairs.sort()
    return pairs


def firsts(numbers: Array) -> Array:
    """The first position of each number in a sorted array."""
    fresh = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=fresh[1:])
    return fresh.nonzero()[0]


class Postings:
    """All segments, those of the last rows in memory only, and how many rows have each word."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._open: list[Segment] = []
        """segments of rows that are not sealed yet"""
        self._frequency: Array = np.zeros(1024, "<i4")

    @property
    def sealed_rows(self) -> int:
        """How many rows are in segments."""
        return self.segments[-1].last if self.segments else 0

    def add(self, segment: Segment) -> None:
        """Take rows in that follow the last."""
        self.count(segment)
        self._open.append(segment)
        joined(self._open, OPEN_FAN)

    def count(self, segment: Segment) -> None:
        """Count the rows of a segment in."""
        if len(segment.terms):
            short = int(segment.terms[-1]) + 1 - len(self._frequency)
            if short > 0:
                self._frequency = np.append(self._frequency, np.zeros(short + len(self._frequency), "<i4"))
            self._frequency[segment.terms] += np.diff(segment.offsets).astype("<i4")

    def uncount(self, lengths: Array, terms: Array) -> None:
        """Count rows out, from the words of each."""
        pairs = _paired(0, lengths, terms)
        np.subtract.at(self._frequency, pairs[firsts(pairs)] >> _HALF, 1)

    def frequency(self, term: int) -> int:
        """How many rows that count have a word."""
        return int(self._frequency[term]) if 0 <= term < len(self._frequency) else 0

    def seal(self, segments: Iterable[Segment], rest: Segment | None) -> None:
        """Go by these segments from now on, and by what comes after them; no row is counted again."""
        self.segments = list(segments)
        self._open = [] if rest is None else [rest]

    def find(self, term: int) -> tuple[Array, Array]:
        """The rows that have a word, in order, and how often each has it."""
        rows: list[Array] = []
        counts: list[Array] = []
        wanted = np.int32(term)
        for segment in (*self.segments, *self._open):
            place = int(segment.terms.searchsorted(wanted))
            if place < len(segment.terms) and segment.terms[place] == wanted:
                start, end = segment.offsets[place], segment.offsets[place + 1]
                rows.append(segment.rows[start:end])
                counts.append(segment.counts[start:end])
        if not rows:
            return np.empty(0, "<u4"), np.empty(0, "<u2")
        return (rows[0], counts[0]) if len(rows) == 1 else (np.concatenate(rows), np.concatenate(counts))


def joined(segments: list[Segment], fan: int) -> None:
    """Make one of the last segments as long as so many of them are of one level."""
    while len(segments) >= fan and len({segment.level for segment in segments[-fan:]}) == 1:
        segments[-fan:] = [merged(segments[-fan:])]


def best(rows: Sequence[Array], weights: Sequence[Array], last: int, count: int) -> Array:
    """The rows below `last` whose weights add up to most, so many, the greatest first, equal ones in order."""
    if not rows:
        return np.empty(0, "<i8")
    if len(rows) == 1:
        every, scores = rows[0], weights[0]
    else:
        every = np.concatenate(rows)
        scores = np.bincount(every, np.concatenate(weights), last).astype("<f4").take(every)
    many = count * len(rows)  # a row is in each list once at most
    top, high = every, scores
    if len(every) > many:
        bar = np.partition(scores, len(scores) - many)[len(scores) - many]
        some = (scores >= bar).nonzero()[0]
        top, high = every.take(some), scores.take(some)
    order = np.lexsort((top, -high))[: np.count_nonzero(high > 0)]
    top = top.take(order)
    if len(every) > many and crowded(high.take(order[:many])):
        once, at = np.unique(every, return_index=True)
        return varied(once, scores.take(at), count).astype("<i8")
    return top[firsts(top)][:count].astype("<i8")
