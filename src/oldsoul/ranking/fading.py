"""How sure rows are today: confidence is what it was when they were last mentioned, and time takes some away."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import NO_TIME

if TYPE_CHECKING:
    from oldsoul.ranking.pool import Pool
    from oldsoul.rules.options import ConfidenceOptions

_DAY = 86_400


def faded(pool: Pool, now: int, options: ConfidenceOptions) -> Pool:
    """The rows with their confidence of today; those that nobody doubts, and corrections, are as sure as ever."""
    doubted = pool.confidence < 1
    if doubted.any():
        doubted &= (pool.time != NO_TIME) & ((pool.flags & Mark.CORRECTION.value) == 0)
    if not doubted.any():
        return pool
    age = np.maximum(now - pool.time[doubted], 0) // (_DAY * options.decay_interval_days)
    stated = pool.confidence[doubted]
    confidence = pool.confidence.copy()
    confidence[doubted] = np.maximum(stated - age * options.decay_amount, np.minimum(stated, options.floor))
    return replace(pool, confidence=confidence)
