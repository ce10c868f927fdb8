"""How well each candidate answers a question, every part of the score by name."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.fitting import fitting
from oldsoul.ranking.lexical import Matches, matches
from oldsoul.ranking.neighbours import Neighbours, best_of_documents
from oldsoul.ranking.question import Kind
from oldsoul.ranking.terms import word_terms
from oldsoul.ranking.vectors import Views, close, views
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Asked, Floats, Pool, Space, Statistics
    from oldsoul.ranking.question import Question
    from oldsoul.ranking.weights import Weights


_PICKED = 80
"""How many rows are looked at token by token."""


@frozen
class Scored:
    """The candidates with their scores, in the pool's order."""

    score: Floats
    """(n): the higher the better."""
    parts: dict[str, Floats]
    """What each part added, by name; they sum to the score."""
    most: float
    """The most a row could have got from this question."""
    nearness: Floats
    """(n): cosine of the question, not made relative to the other candidates; zeros without vectors."""
    words: Floats
    """(n): BM25, not made relative to the other candidates."""
    coverage: Floats
    """(n): the share of the question's rarity met in the row and around it."""


def score(pool: Pool, statistics: Statistics, question: Question, w: Weights) -> Scored:
    """Every candidate's score for the question."""
    near = Neighbours(pool)
    wants_list = Kind.LIST in question.kind
    place = {term: at for at, term in enumerate(question.terms)}
    met = matches(pool, statistics, [(place[a], place[b]) for a, b in question.pairs if a in place and b in place])
    parts: dict[str, Floats] = {}
    most = w.words + w.coverage + w.session + (w.pairs if question.pairs else 0)
    spaces = _leading(pool, statistics, question)
    nearness = np.zeros(len(pool), dtype=np.float32)
    lexical = _over_top(met.terms) + w.kin * _over_top(met.kin)
    parts["words"] = w.words * _spread(near.smoothed(lexical, w.before_words, w.after_words, w))
    fits, at_most = fitting(pool, question, w)
    if spaces:
        seen = [views(space, asked, near.before) for space, asked in spaces]
        nearness = seen[0].whole
        closely = w.late_foreign if question.foreign else w.late
        shares = _shares(spaces, w, closely)
        weight = np.float32(w.vectors * (w.with_dense if spaces[-1][1].static is None else 1))
        meaning = np.zeros(len(pool), dtype=np.float32)
        for view, (own, _) in zip(seen, shares, strict=True):
            meaning = meaning + np.float32(own) * _meaning(view, w)
        picked = _best(parts["words"] + weight * _spread(meaning) + fits.get("speaker", np.float32(0)))
        rarity = _content_rarity(question, met)
        late = np.zeros(len(pool), dtype=np.float32)
        for (space, asked), view, (own, own_late) in zip(spaces, seen, shares, strict=True):
            found = close(space, asked, view.directions, picked, rarity)
            if found is not None:
                meaning = meaning + own * w.sentence * _filled(found.sentence, picked, len(pool))
                late[picked] += own_late * _spread(found.late)
        parts["vectors"] = weight * _spread(near.smoothed(meaning, w.before_vectors, w.after_vectors, w))
        parts["late"] = late
        most += float(weight) + closely
    coverage = _covered(met, near, w)
    parts["coverage"] = w.coverage * coverage
    parts["pairs"] = w.pairs * _spread(met.pairs)
    parts["members"] = w.members * (w.members_list if wants_list else 1) * _over_top(met.members)
    parts |= fits
    total = summed(parts, len(pool))
    share = w.session * (w.session_list if wants_list else 1)
    parts["document"] = share * _spread(best_of_documents(total, pool.document))
    return Scored(
        score=total + parts["document"],
        parts=parts,
        most=most + at_most,
        nearness=nearness,
        words=met.terms,
        coverage=coverage,
    )


def summed(parts: Mapping[str, Floats], n: int) -> Floats:
    """The parts of n scores added up."""
    total = np.zeros(n, dtype=np.float32)
    for part in parts.values():
        total += part
    return total


def _leading(pool: Pool, statistics: Statistics, question: Question) -> list[tuple[Space, Asked]]:
    """The spaces in the order in which they count: at most two tables, then vectors alone.

    A question in another script is left to a table that can read it.
    """
    spaces = list(zip(pool.spaces, statistics.asked, strict=True))
    tables = [pair for pair in spaces if pair[1].static is not None]
    dense = [pair for pair in spaces if pair[1].static is None and pair[1].vector is not None]
    if question.foreign:
        able = [pair for pair in tables if pair[0].multilingual]
        return (able[:1] or tables[:1]) + dense
    return tables[:2] + dense


def _shares(spaces: Sequence[tuple[Space, Asked]], w: Weights, closely: float) -> list[tuple[float, float]]:
    """How much each space counts, and its late interaction."""
    tables = [(1.0, closely), (w.second, w.late_second)]
    return [
        ((w.dense if len(spaces) > 1 else 1.0), 0.0) if asked.static is None else tables[at]
        for at, (_, asked) in enumerate(spaces)
    ]


def _content_rarity(question: Question, met: Matches) -> list[float]:
    """How rare each content word is: its rarest term."""
    by_term = dict(zip(question.terms, met.rarity.tolist(), strict=True))
    return [max((by_term.get(term, 0.0) for term in word_terms(word)), default=0.0) for word in question.content]


def _meaning(seen: Views, w: Weights) -> Floats:
    total = _level(seen.whole) + w.around * _level(seen.around)
    if seen.content is not None:
        total = total + w.content * _level(seen.content)
    return total


def _covered(met: Matches, near: Neighbours, w: Weights) -> Floats:
    here = met.present.astype(np.float32)
    if met.belongs is not None:
        np.maximum(here, met.belongs * np.float32(w.belongs), out=here)
    total = float(met.rarity.sum())
    found: Floats = near.nearby(here) @ met.rarity / np.float32(max(total, 1e-9))
    return found


def _best(rough: Floats) -> NDArray[np.int64]:
    """The rows worth a closer look, in the pool's order."""
    if len(rough) <= _PICKED:
        return np.arange(len(rough))
    picked = (-rough).argpartition(_PICKED)[:_PICKED]
    picked.sort()
    return picked


def _filled(values: Floats, picked: NDArray[np.int64], n: int) -> Floats:
    """Values of the picked rows, levelled; the others count as one deviation below the middle of these."""
    full = np.full(n, -1, dtype=np.float32)
    full[picked] = _level(values)
    return full


def _spread(values: Floats | None) -> Floats:
    """Stretched to 0..1; all alike, or nothing, gives zeros."""
    if values is None or not len(values):
        return np.zeros(1 if values is None else 0, dtype=np.float32)
    low = np.minimum.reduce(values)
    width = np.maximum.reduce(values) - low
    return (values - low) / width if width > 0 else np.zeros_like(values)


def _over_top(values: Floats) -> Floats:
    """Divided by the largest."""
    top = np.maximum.reduce(values, initial=0)
    return values / top if top > 0 else values


def _level(values: Floats) -> Floats:
    """Centred, with a spread of one."""
    if not len(values):
        return values
    centred = values - np.add.reduce(values) / np.float32(len(values))
    deviation = sqrt(centred.dot(centred) / np.float32(len(centred)))
    levelled: Floats = centred / np.float32(deviation) if deviation > 0 else centred
    return levelled
