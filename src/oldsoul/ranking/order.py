"""How sure rows are today: confidence is what it was when they were last mentioned, and time takes some away."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import NO_TIME, Pool, Statistics
from oldsoul.ranking.question import Question
from oldsoul.ranking.relevance import about, relevant
from oldsoul.ranking.scoring import Scored, has, score, summed
from oldsoul.ranking.weights import Weights
from oldsoul.rules.options import ConfidenceOptions
from oldsoul.values.frozen import frozen
from oldsoul.values.recall import Chunk, Hit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats


_DAY_LENGTH = 86_400


def faded(pool: Pool, now: int, options: ConfidenceOptions) -> Pool:
    """The rows with their confidence of today; those that nobody doubts, and corrections, are as sure as ever."""
    doubted = pool.confidence < 1
    if doubted.any():
        doubted &= (pool.time != NO_TIME) & ((pool.flags & Mark.CORRECTION.value) == 0)
    if not doubted.any():
        return pool
    age = np.maximum(now - pool.time[doubted], 0) // (_DAY_LENGTH * options.decay_interval_days)
    stated = pool.confidence[doubted]
    confidence = pool.confidence.copy()
    confidence[doubted] = np.maximum(stated - age * options.decay_amount, np.minimum(stated, options.floor))
    return replace(pool, confidence=confidence)


_DAY = 86400.0
_value = itemgetter(0)
_WEIGHTS = Weights()
_ENOUGH = 1.25
"""A correction that has four of five words of a question is as much about it as can be."""


@frozen
class Wishes:
    """What the settings and the caller want of a ranking (`memory.search.query`)."""

    limit: int = 6
    """Most results."""
    minimum: float | None = 0.0
    """Results that would be shown with a lower score are left out; with None those that are likely about something else."""
    mode: str = "calibrated"
    """`calibrated`, or `weighted` for the two weights below and nothing else."""
    vector_weight: float = 0.7
    """Weight of meaning in `weighted` mode."""
    text_weight: float = 0.3
    """Weight of words in `weighted` mode."""
    correction_boost: float = 1.5
    """How much more a correction weighs, as far as it is about what is asked."""
    half_life_days: float | None = 30.0
    """Days after which age weighs half; None when age counts for nothing."""
    now: int = 0
    """The time of the question, UTC seconds; age is counted from it."""


@frozen
class Ranked:
    """The results, best first."""

    order: NDArray[np.int64]
    """Places of the results in the pool."""
    shown: Floats
    """(n): each candidate's score between 0 and 1, in the pool's order."""
    parts: dict[str, Floats]
    """What each part added to a candidate's score, in the pool's order; for explanations."""
    scored: Scored
    """The scores these come from."""
    about: Floats
    """(n): how likely each candidate is about what is asked, in the pool's order."""

    def hit(self, chunk: Chunk, place: int, score: float, *, earlier: bool = False) -> Hit:
        """One candidate as a result, with the score it is shown with."""
        return Hit(
            chunk,
            round(float(score), 4),
            self.why(place),
            earlier,
            about=round(float(self.about[place]), 3),
        )

    def why(self, place: int) -> dict[str, float]:
        """The parts of one candidate's score, those that matter, largest first."""
        found = [(values.item(place), name) for name, values in self.parts.items()]
        found.sort(key=_value, reverse=True)
        return {name: round(value, 3) for value, name in found if abs(value) >= 5e-4}  # noqa: PLR2004 - what rounds to zero


@np.errstate(invalid="ignore")  # products of finite numbers set that flag on some processors
def rank(
    pool: Pool, statistics: Statistics, question: Question, wishes: Wishes, weights: Weights | None = None
) -> Ranked:
    """The candidates that answer a question, best first."""
    w = weights or _WEIGHTS
    scored = score(pool, statistics, question, w)
    if wishes.mode == "weighted":
        parts = _weighted(scored, wishes)
        most, total = wishes.vector_weight + wishes.text_weight, summed(parts, len(pool))
    else:
        parts, most, total = dict(scored.parts), scored.most, scored.score
    corrects = has(pool, Mark.CORRECTION)
    if corrects.any():
        meant = np.minimum(scored.about * np.float32(_ENOUGH), 1)
        parts["correction"] = total * meant * np.float32(wishes.correction_boost - 1) * corrects
        total = total + parts["correction"]
    if wishes.half_life_days is not None and len(pool):
        parts["age"] = _youth(pool, wishes) * np.float32(w.age * most)
        total = total + parts["age"]
    if scored.echo.any():
        parts["echo"] = np.where(scored.echo, total.min(initial=0) - total - np.float32(most), np.float32(0))
        total = total + parts["echo"]
    shown: Floats = np.minimum(np.maximum(total / np.float32(max(most, 1e-9)), 0), 1)
    order = (-total).argsort(kind="stable")
    likely = about(pool, statistics, question, scored)
    if wishes.minimum is None:
        order = order[relevant(pool, likely)[order]]
    elif wishes.minimum > 0:
        order = order[shown[order] >= wishes.minimum]
    return Ranked(order[: wishes.limit], shown, parts, scored, likely)


def _weighted(scored: Scored, wishes: Wishes) -> dict[str, Floats]:
    """S3's fusion: both scores stretched to 0..1 over the candidates, each with its fixed weight."""
    return {
        "vectors": np.float32(wishes.vector_weight) * _stretched(scored.nearness),
        "words": np.float32(wishes.text_weight) * _stretched(scored.words),
    }


def _stretched(values: Floats) -> Floats:
    if not len(values):
        return values
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def _youth(pool: Pool, wishes: Wishes) -> Floats:
    """1 for what is new, does not age or has no time; halved with every half-life."""
    lasting = (pool.time == NO_TIME) | has(pool, Mark.EVERGREEN)
    age = np.maximum(wishes.now - np.where(lasting, wishes.now, pool.time), 0) / _DAY
    youth: Floats = np.exp2(-age / max(wishes.half_life_days or 1.0, 1e-6)).astype(np.float32)
    return youth
