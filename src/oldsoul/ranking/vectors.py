"""Meaning as numbers: texts as weighted means of token vectors, and how near a question is to each candidate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.pool import Asked, Directions, Rows, Space, Static
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats, Longs

_RARE = 1e-3
"""A token as frequent as this has half the weight of one never seen."""
_TINY = 1e-9
_FEW = 64
"""So many times fewer tokens than the table has are sorted rather than marked in it."""
_BLOCK = 256
"""Runs that are summed at once: few enough for their vectors to stay in the processor's cache."""


@frozen
class Embedded:
    """What an index keeps of its rows."""

    vectors: Floats
    """(n, d): unit vectors; zeros for rows without tokens."""
    sentence_norm: Floats
    """Length of each sentence's vector before it was made a unit."""


def weights(counts: NDArray[np.int64]) -> Floats:
    """The weight of each token, from how often the store's own texts use it; in a small store all weigh much alike."""
    share = (counts + 1) / (int(counts.sum()) + int(np.count_nonzero(counts)) + 1)
    return (_RARE / (_RARE + share)).astype(np.float32)


def own_weights(counts: NDArray[np.int64], table: Rows) -> tuple[Static, Static]:
    """What a table is to somebody who sees only some rows, from how often these use each token: weighed, and plain."""
    used = counts.nonzero()[0]
    vectors, times = table.take(used, axis=0).astype(np.float32), counts.take(used).astype(np.float32)
    made = []
    for weight in (weights(counts), np.ones(len(counts), np.float32)):
        share = times * weight.take(used)
        mean = share @ vectors / max(float(share.sum()), _TINY)
        made.append(Static(table, weight, mean.astype(np.float32)))
    return made[0], made[1]


def raw_means(tokens: NDArray[np.int32], starts: Longs, table: Rows, weight: Floats) -> Floats:
    """Weighted means of runs of tokens; `starts` has one more entry than there are runs. Empty runs give zeros."""
    sums, totals = _sums(tokens, starts, table, weight)
    sums /= np.maximum(totals, _TINY)[:, None]
    return sums


def _sums(tokens: NDArray[np.int32], starts: Longs, table: Rows, weight: Floats) -> tuple[Floats, Floats]:
    """Weighted sums of runs of tokens and their weights. A run gives the same whatever runs stand around it."""
    width = table.shape[1]
    sums = np.zeros((len(starts) - 1, width + 1), dtype=np.float32)
    if len(tokens):
        used, at = distinct(tokens, table.shape[0])
        weighed = np.empty((len(used), width + 1), dtype=np.float32)  # each vector, and its weight beside it
        weighed[:, width] = weight[used]
        np.multiply(table.take(used, axis=0), weighed[:, width:], out=weighed[:, :width])
        lengths = starts[1:] - starts[:-1]
        if len(lengths) <= int(lengths.max()):
            _add_runs(weighed, at, starts, sums)
        else:
            _add_places(weighed, at, starts, sums)
    return sums[:, :width], sums[:, width]


def _add_runs(weighed: Floats, at: NDArray[np.int32], starts: Longs, sums: Floats) -> None:
    """Run by run, where these are few. Numpy adds rows one to the other, so it is the same to the bit as below."""
    for run, (begin, end) in enumerate(pairwise(starts.tolist())):
        if begin < end:
            np.add.reduce(weighed.take(at[begin:end], axis=0), axis=0, out=sums[run])


def _add_places(weighed: Floats, at: NDArray[np.int32], starts: Longs, sums: Floats) -> None:
    """Place by place, of many runs at once."""
    lengths = np.diff(starts)
    longest_first = np.argsort(-lengths, kind="stable")
    for first in range(0, len(lengths), _BLOCK):
        rows = longest_first[first : first + _BLOCK]
        sizes, begins = lengths[rows], starts[:-1][rows]
        part = np.zeros((len(rows), sums.shape[1]), np.float32)
        left = np.searchsorted(-sizes, -np.arange(int(sizes[0])))  # how many runs have a token at each place
        for place, some in enumerate(left.tolist()):
            part[:some] += weighed[at[begins[:some] + place]]
        sums[rows] = part


def distinct(tokens: NDArray[np.int32], size: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The token numbers that occur, and for each token its place among them."""
    if len(tokens) * _FEW < size:
        few, at = np.unique(tokens, return_inverse=True)
        return few.astype(np.int64), at.astype(np.int32)
    seen = np.zeros(size, dtype=bool)
    seen[tokens] = True
    used = seen.nonzero()[0]
    place = np.empty(size, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return used, place.take(tokens)


def embedded(tokens: NDArray[np.int32], token_start: Longs, sentence_start: Longs, static: Static) -> Embedded:
    """The vectors of rows and the norms of their sentences, ready to be kept."""
    starts = np.empty(len(sentence_start) + 1, np.int64)
    starts[:-1], starts[-1] = sentence_start, len(tokens)
    sums, totals = _sums(tokens, starts, static.table, static.weight)
    parts = sums / np.maximum(totals, _TINY)[:, None] - static.mean
    norms = np.sqrt(np.add.reduce(parts * parts, axis=1))
    count = len(token_start) - 1
    if len(parts) == count and np.array_equal(token_start[:-1], sentence_start):  # each row is one sentence
        return Embedded(vectors=parts / np.maximum(norms, _TINY)[:, None], sentence_norm=norms)
    rows = np.zeros((count, static.table.shape[1]), dtype=np.float32)
    full = (token_start[1:] > token_start[:-1]).nonzero()[0]
    if full.size:
        first = sentence_start.searchsorted(token_start[full])
        weight = np.add.reduceat(totals, first)
        rows[full] = np.add.reduceat(sums, first, axis=0) / np.maximum(weight, _TINY)[:, None] - static.mean
    return Embedded(vectors=units(rows), sentence_norm=norms)


def units(vectors: Floats) -> Floats:
    """The same directions at length one; zeros stay zeros."""
    length = np.sqrt(np.add.reduce(vectors * vectors, axis=-1, keepdims=True))
    scaled: Floats = (vectors / np.maximum(length, _TINY)).astype(np.float32)
    return scaled


@frozen
class Close:
    """The same from close by, token by token, for the rows that were picked."""

    sentence: Floats
    """The best cosine among the row's sentences."""
    late: Floats
    """Each content word against its best token in the row, rare words counting more."""


def directions(asked: Asked, static: Static) -> Directions:
    """Where the spoken question, its content words together and each of them point."""
    content = [word for word in asked.content if word]
    own = len(asked.spoken)
    ids = np.array([*asked.spoken, *chain.from_iterable(content)], np.int64)
    vectors = np.asarray(static.table.take(ids, axis=0), dtype=np.float32)
    weight = static.weight.take(ids)
    whole = np.zeros((2 + len(content), vectors.shape[1]), np.float32)
    if own:
        whole[0] = _mean(vectors[:own], weight[:own], static)
    if content:
        whole[1] = _mean(vectors[own:], weight[own:], static)
        begins = list(accumulate(map(len, content[:-1]), initial=0))
        np.add.reduceat(vectors[own:], begins, axis=0, out=whole[2:])
    else:
        whole[1] = whole[0]
    whole = units(whole)
    return Directions(whole[:2], whole[2:])


def _mean(vectors: Floats, weight: Floats, static: Static) -> Floats:
    mean: Floats = weight @ vectors / max(float(np.add.reduce(weight)), _TINY) - static.mean
    return mean


def close(
    space: Space, asked: Asked, wanted: Directions | None, picked: Longs, rarity: Sequence[float]
) -> Close | None:
    """How near the question is to the tokens of some rows; None where the embedder has no tokens.

    Args:
        space: the candidates.
        asked: the question.
        wanted: where it points.
        picked: the rows to look at.
        rarity: how much each content word weighs.
    """
    static = asked.static
    if static is None or wanted is None or not len(picked):
        return None
    space = space.closer(picked) if space.closer is not None else _narrowed(space, picked)
    tokens, starts = space.tokens, space.token_start[:-1]
    if not len(tokens):
        return None
    full = (space.token_start[1:] > starts).nonzero()[0]
    starts = starts[full]
    used, at = distinct(tokens, static.table.shape[0])
    table = np.asarray(static.table.take(used, axis=0), dtype=np.float32)
    spoken = wanted.whole[0]
    near = np.concatenate((wanted.whole[:1], wanted.words)) @ table.T
    sentence = np.zeros(len(picked), dtype=np.float32)
    late = np.zeros(len(picked), dtype=np.float32)
    own = static.weight.take(used)
    sentence[full] = _sentences(space, starts, own.take(at), (own * near[0]).take(at), float(static.mean @ spoken))
    if len(wanted.words):
        norm = np.sqrt(np.einsum("ij,ij->i", table, table))
        cosine = near[1:] / np.maximum(norm, _TINY)
        best = np.maximum.reduceat(cosine.take(at, axis=1), starts, axis=1)
        late[full] = np.ascontiguousarray(best.T) @ _shares(asked, rarity)
    return Close(sentence, late)


def _narrowed(space: Space, picked: Longs) -> Space:
    """Some rows of a space that has the tokens of all; their vectors are known already."""
    begins = space.token_start[picked]
    sizes = space.token_start[picked + 1] - begins
    starts = np.append(0, sizes.cumsum())
    first = space.sentence_start.searchsorted(begins)
    many = space.sentence_start.searchsorted(begins + sizes) - first
    chosen = runs(first, many)
    places = space.sentence_start[chosen] + np.repeat(starts[:-1] - begins, many)
    tokens = space.tokens[runs(begins, sizes)]
    return Space(np.zeros((len(picked), 0), np.float32), tokens, starts, places, space.sentence_norm[chosen])


def runs(starts: Longs, sizes: Longs) -> Longs:
    """The numbers of all places in runs that begin here and are so long."""
    ends = sizes.cumsum()
    places: Longs = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
    return places


def around(vectors: Floats, near: Floats, before: NDArray[np.bool_]) -> Floats:
    """Cosines with rows and those beside them taken together, from the cosines with each and the lengths of the sums.

    `before` says where the row above is the one before.
    """
    n = len(vectors)
    if n < 2:  # noqa: PLR2004 - nobody has a neighbour
        return near
    here = before[1:].astype(np.float32)
    own = np.einsum("ij,ij->i", vectors, vectors)  # one, or none for a row without a vector
    beside = 2 * np.einsum("ij,ij->i", vectors[1:], vectors[:-1])
    square: Floats = own.copy()
    square[1:] += (own[:-1] + beside) * here
    square[:-1] += (own[1:] + beside) * here
    square[1:-1] += 2 * np.einsum("ij,ij->i", vectors[2:], vectors[:-2]) * (here[1:] * here[:-1])
    total = near.copy()
    total[1:] += near[:-1] * here
    total[:-1] += near[1:] * here
    found: Floats = (total / np.sqrt(np.maximum(square, _TINY))).astype(np.float32, copy=False)
    return found


def _sentences(space: Space, starts: Longs, own: Floats, dots: Floats, offset: float) -> Floats:
    """The best sentence's cosine for the rows with tokens, which begin here; `own` and `dots` are by token."""
    total = np.add.reduceat(own, space.sentence_start)
    summed = np.add.reduceat(dots, space.sentence_start)
    norm = np.maximum(space.sentence_norm, _TINY)
    cosine = (summed / np.maximum(total, _TINY) - offset) / norm
    best: Floats = np.maximum.reduceat(cosine, space.sentence_start.searchsorted(starts))
    return best


def _shares(asked: Asked, rarity: Sequence[float]) -> Floats:
    """What share of the question each content word is that has tokens."""
    weight = np.array([each for word, each in zip(asked.content, rarity, strict=True) if word], np.float32)
    shares: Floats = weight / max(float(weight.sum()), _TINY)
    return shares
