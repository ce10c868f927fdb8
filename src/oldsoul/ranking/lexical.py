"""Words as numbers: BM25 of terms, of what shares their first letters and of pairs, and how much of a question is met."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats, Ints, Known, Pool, Statistics

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
    belongs: NDArray[np.bool_]
    """(n, terms of the question): of which of them each row has a member."""
    rarity: Floats
    """How rare each term of the question is in the store."""


def rarity(frequency: Sequence[int] | NDArray[np.int64 | np.float64], rows: int) -> Floats:
    """BM25's inverse document frequency: never negative, highest for what no row has."""
    found = np.minimum(np.asarray(frequency, dtype=np.float64), rows)
    return np.log1p((rows - found + 0.5) / (found + 0.5)).astype(np.float32)


def matches(pool: Pool, statistics: Statistics, pairs: Sequence[tuple[int, int]]) -> Matches:
    """How the words meet each row.

    Args:
        pool: the candidates.
        statistics: the store.
        pairs: places among the question's terms of those that follow each other.
    """
    n, known = len(pool), statistics.known
    k = len(known)
    frequencies = [(each.frequency, max(each.kin_frequency, each.frequency), each.members_frequency) for each in known]
    rare, kin_rare, member_rare = rarity(np.array(frequencies, np.float64).reshape(k, 3).T, statistics.rows)
    sizes = pool.term_start[1:] - pool.term_start[:-1]
    lengths = sizes.astype(np.float32)
    ceiling = np.float32(_K1) * (np.float32(1 - _B) + np.float32(_B / max(statistics.average_terms, 1.0)) * lengths)
    own, kin, meets = _codes(pool.terms, known)
    places = meets.take(pool.terms).nonzero()[0]
    row_of = np.arange(n).repeat(sizes)
    rows = row_of.take(places)
    met = pool.terms.take(places)
    exact = own.take(met)
    hit = exact.nonzero()[0]
    at, which = rows.take(hit), exact.take(hit).astype(np.int64) - 1
    counts = _counted(at, which, n, k)
    member_counts = _members(pool, known, row_of)
    return Matches(
        terms=_bm25(counts, rare, ceiling),
        kin=_bm25(_counted(rows, kin.take(met).astype(np.int64) - 1, n, k), kin_rare, ceiling),
        pairs=_pairs(pairs, places.take(hit), at, which, store=statistics.rows, ceiling=ceiling),
        members=np.zeros(n, np.float32)
        if member_counts is None
        else _bm25(np.minimum(member_counts, 1), np.minimum(member_rare, rare), ceiling),
        present=counts > 0,
        belongs=np.zeros((n, k), bool) if member_counts is None else member_counts > 0,
        rarity=rare,
    )


def _codes(terms: Ints, known: Sequence[Known]) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.bool_]]:
    """By term number: its place in the question plus one, as itself and as kin (0 for others), and whether it has one."""
    size = int(terms.max()) + 1 if len(terms) else 0
    own = np.zeros(size, dtype=np.int16)
    kin = np.zeros(size, dtype=np.int16)
    meets = np.zeros(size, dtype=bool)
    for place, each in enumerate(known, 1):
        for number in each.kin:
            if number < size:
                kin[number] = place
                meets[number] = True
    for place, each in enumerate(known, 1):
        if 0 <= each.number < size:
            own[each.number] = kin[each.number] = place
            meets[each.number] = True
    return own, kin, meets


def _counted(rows: NDArray[np.int64], places: NDArray[np.int64], n: int, k: int) -> Floats:
    return np.bincount(rows * k + places, minlength=n * k).reshape(n, k).astype(np.float32)


def _bm25(counts: Floats, rare: Floats, ceiling: Floats) -> Floats:
    found: Floats = (counts * np.float32(_K1 + 1)) / (counts + ceiling[:, None]) @ rare
    return found


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
    places: NDArray[np.int64],
    rows: NDArray[np.int64],
    terms: NDArray[np.int64],
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
    cells = []
    for step in (1, 2):
        near = ((places[step:] - places[:-step] <= _APART) & (rows[step:] == rows[:-step])).nonzero()[0]
        found = code.take(terms.take(near) * width + terms.take(near + step))
        some = found.nonzero()[0]
        cells.append(rows.take(near.take(some)) * k + found.take(some) - 1)
    every = np.concatenate(cells)
    if not len(every):
        return np.zeros(n, dtype=np.float32)
    counts = np.bincount(every, minlength=n * k).reshape(n, k).astype(np.float32)
    return _bm25(counts, rarity((counts > 0).sum(0), store), ceiling)
