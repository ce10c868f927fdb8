"""Words as numbers: BM25 of terms, of what shares their first letters and of pairs, and how much of a question is met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.pool import Known, Pool, Statistics
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats, Ints

_K1 = 1.2
_B = 0.75
_APART = 2
"""How many places apart the two of a pair may stand."""


@frozen
class Matches:
    """How the question's words meet each row."""

    terms: Floats
    """BM25 of the terms."""
    kin: Floats
    """BM25 of terms that share their first five letters."""
    pairs: Floats
    """BM25 of pairs of terms that follow each other."""
    members: Floats
    """BM25 of what belongs to the kinds of things the question names."""
    present: NDArray[np.bool_]
    """(n, terms of the question): which of them each row has."""
    related: NDArray[np.bool_]
    """(n, terms of the question): of which of them each row has one that shares its first letters, or itself."""
    belongs: NDArray[np.bool_] | None
    """(n, terms of the question): of which of them each row has a member; None where no kind is asked for."""
    rarity: Floats
    """How rare each term of the question is in the store."""
    abroad: Abroad | None = None
    """How rows in other scripts meet it; None where no such words are known."""


@frozen
class Abroad:
    """How what a question names meets each row in words of other scripts."""

    words: Floats
    """BM25 of the things it names."""
    present: NDArray[np.bool_]
    """(n, things): which of them each row has."""
    rarity: Floats
    """How rare each is in the store."""


def rarity(frequencies: Iterable[int], rows: int) -> Floats:
    """BM25's inverse document frequency: never negative, highest for what no row has."""
    fewer = [min(frequency, rows) for frequency in frequencies]
    return np.array([log1p((rows - found + 0.5) / (found + 0.5)) for found in fewer], np.float32)


def matches(pool: Pool, statistics: Statistics, pairs: Sequence[tuple[int, int]]) -> Matches:
    """How the words meet each row.

    Args:
        pool: the candidates.
        statistics: the store.
        pairs: places among the question's terms of those that follow each other.
    """
    n, known, store = len(pool), statistics.known, statistics.rows
    k = len(known)
    frequencies = ((each.frequency, max(each.kin_frequency, each.frequency), each.members_frequency) for each in known)
    rare, kin_rare, member_rare = rarity(chain.from_iterable(frequencies), store).reshape(k, 3).T
    sizes = pool.term_start[1:] - pool.term_start[:-1]
    ceiling = sizes.astype(np.float32)
    ceiling *= np.float32(_B / max(statistics.average_terms, 1.0))
    ceiling += np.float32(1 - _B)
    ceiling *= np.float32(_K1)
    own, kin, meets = _codes(pool.terms, known)
    places = meets.take(pool.terms).nonzero()[0]
    row_of = np.arange(n).repeat(sizes)
    rows = row_of.take(places)
    met = pool.terms.take(places)
    which = kin.take(met)
    cells = rows * k + which
    hit = own.take(met).nonzero()[0]
    counts = np.empty((2, n, k), np.float32)
    counts[0].flat = np.bincount(cells.take(hit), minlength=n * k)
    counts[1].flat = np.bincount(cells, minlength=n * k)
    by_term, by_kin = _bm25(counts, ceiling)
    spots = places + rows * _APART  # those of two rows are too far apart
    member_counts = _members(pool, known, row_of)
    by_member = np.zeros(n, np.float32)
    if member_counts is not None:
        by_member = _weighed(_bm25(np.minimum(member_counts, 1), ceiling), np.minimum(member_rare, rare))
    return Matches(
        terms=_weighed(by_term, rare),
        kin=_weighed(by_kin, kin_rare),
        pairs=_pairs(pairs, spots.take(hit), rows.take(hit), which.take(hit), store=store, ceiling=ceiling),
        members=by_member,
        present=counts[0] > 0,
        related=counts[1] > 0,
        belongs=None if member_counts is None else member_counts > 0,
        rarity=rare,
        abroad=_abroad(pool, statistics, row_of, ceiling),
    )


def _abroad(pool: Pool, statistics: Statistics, row_of: NDArray[np.int64], ceiling: Floats) -> Abroad | None:
    counts = _members(pool, statistics.abroad, row_of)
    if counts is None:
        return None
    rare = rarity((each.members_frequency for each in statistics.abroad), statistics.rows)
    known = np.array([bool(each.members) for each in statistics.abroad])
    rare[~known] = rare[known].mean()  # what nobody can say here is as rare as the rest
    return Abroad(_weighed(_bm25(np.minimum(counts, 1), ceiling), rare), counts > 0, rare)


def _codes(terms: Ints, known: Sequence[Known]) -> tuple[NDArray[np.bool_], NDArray[np.int16], NDArray[np.bool_]]:
    """By term number: whether it is one of the question's, the place there of it or of its kin, and whether it has one."""
    size = int(terms.max()) + 1 if len(terms) else 0
    own = np.zeros(size, dtype=bool)
    kin = np.zeros(size, dtype=np.int16)
    meets = np.zeros(size, dtype=bool)
    for place, each in enumerate(known):
        for number in each.kin:
            if number < size:
                kin[number] = place
                meets[number] = True
    for place, each in enumerate(known):
        if 0 <= each.number < size:
            kin[each.number] = place
            own[each.number] = meets[each.number] = True
    return own, kin, meets


def _bm25(counts: Floats, ceiling: Floats) -> Floats:
    """What so many of a term are worth in each row, but for how rare it is."""
    worth: Floats = (counts * np.float32(_K1 + 1)) / (counts + ceiling[:, None])
    return worth


def _weighed(worth: Floats, rare: Floats) -> Floats:
    """Each row's sum over the terms.

    Not by BLAS: its kernels for narrow matrices differ from machine to machine, and some warn of invalid values where
    there are none.
    """
    summed: Floats = np.einsum("nk,k->n", worth, rare)
    return summed


def _members(pool: Pool, known: Sequence[Known], row_of: NDArray[np.int64]) -> Floats | None:
    """(n, terms of the question): how often each row has what belongs to a kind; None where no kind is asked for."""
    if not any(each.members for each in known):
        return None
    counts = np.zeros((len(pool), len(known)), dtype=np.float32)
    size = int(pool.terms.max()) + 1 if len(pool.terms) else 0
    for place, each in enumerate(known):
        numbers = [number for number in each.members if number < size]
        if numbers:
            inside = np.zeros(size, dtype=bool)
            inside[numbers] = True
            rows = row_of[inside.take(pool.terms)]
            counts[:, place] = np.bincount(rows, minlength=len(pool))
    return counts


def _pairs(
    pairs: Sequence[tuple[int, int]],
    spots: NDArray[np.int64],
    rows: NDArray[np.int64],
    terms: NDArray[np.int16],
    *,
    store: int,
    ceiling: Floats,
) -> Floats:
    """BM25 of pairs, from where the question's terms stand: next to each other, or with one word between."""
    n, k = len(ceiling), len(pairs)
    if not k or not len(terms):
        return np.zeros(n, dtype=np.float32)
    width = max(int(terms.max()), *map(max, pairs)) + 1
    code = np.zeros(width * width, dtype=np.int64)
    for at, (left, right) in enumerate(pairs, 1):
        code[left * width + right] = at
    wide = terms.astype(np.int64)
    heads = wide * width
    cells = []
    for step in (1, 2):
        near = (spots[step:] - spots[:-step] <= _APART).nonzero()[0]
        found = code.take(heads.take(near) + wide.take(near + step))
        some = found.nonzero()[0]
        cells.append(rows.take(near.take(some)) * k + found.take(some))
    every = np.concatenate(cells)
    if not len(every):
        return np.zeros(n, dtype=np.float32)
    every -= 1
    counts = np.bincount(every, minlength=n * k).reshape(n, k).astype(np.float32)
    return _weighed(_bm25(counts, ceiling), rarity(np.add.reduce(counts > 0, axis=0).tolist(), store))
