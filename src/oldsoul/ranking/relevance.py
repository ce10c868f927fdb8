"""Whether candidates are about what is asked, each judged by itself and not by its rank among the others."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import Pool, Statistics
from oldsoul.ranking.question import Kind, Question
from oldsoul.ranking.scoring import Scored, has, of_its_days
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats


@frozen
class Judgement:
    """A logistic model over what does not depend on the other candidates.

    Fitted on stores that were asked their own questions and those of other stores: talk of people, talk with an assistant,
    notes, memories in many languages.
    """

    constant: float
    """For all."""
    coverage: float
    """Of the share of the question's rarity met in the row and around it."""
    near: float
    """Of its cosine by the table of words."""
    read: float
    """Of its cosine by whoever reads whole texts."""
    read_around: float
    """The same with those beside it."""
    rows: float
    """Of the logarithm of how many rows whoever asks may see."""
    unknown: float = 0.0
    """Of the share of the question's terms that none of these rows has."""
    terms: float = 0.0
    """Of the logarithm of how many terms the question has."""
    people: float = 0.0
    """Where the question names somebody who is known."""
    english: float = 0.0
    """Where the question is in English."""
    note: float = 0.0
    """For a line of a note."""
    suppose: float = 0.0
    """Where the question wants a judgement, to which much may say something."""


_TALK = Judgement(-0.13, 3.69, 1.85, 1.9, 1.75, -0.38, unknown=-3.46, terms=0.7, people=1.89, note=1.55, suppose=0.8)
_ENTRY = Judgement(-1.9, 4.25, 1.85, 3.5, 3.5, 0.37, english=-1.05, suppose=0.8)
"""A memory says one thing in few words, and stands by itself."""
_BAR = 0.5
"""Nothing is about the question where nothing is as likely as this."""
_LEAST = 0.25
"""Where something is, messages and lines of notes that go with it may be less likely, but for this."""
_UNREAD = 0.3
"""What was not read, such as the words of the agent, is taken to be so near."""
_MANY = 6.0
"""From so many rows on, by their logarithm, a term that none of them has tells as much as it can: few have few words."""
_FEWEST = 4.0
"""The logarithm of the rows in the smallest store it was fitted on."""


def about(pool: Pool, statistics: Statistics, question: Question, scored: Scored) -> Floats:
    """(n): how likely each candidate is about what is asked, from 0 to 1."""
    if not question.content and not question.people:
        return np.ones(len(pool), np.float32)
    sure = np.where(
        _alone(pool),
        _judged(_ENTRY, pool, statistics, question, scored),
        _judged(_TALK, pool, statistics, question, scored),
    )
    likely: Floats = (1 / (1 + np.exp(-sure))).astype(np.float32)
    if Kind.DAY in question.kind:
        likely = np.maximum(likely, of_its_days(pool, question).astype(np.float32))
    return likely


def relevant(pool: Pool, likely: Floats) -> NDArray[np.bool_]:
    """(n): which candidates are handed over, given how likely each is about what is asked."""
    same = has(pool, Mark.REPEATS)
    if likely.max(initial=0, where=~same) < _BAR:
        return same & ~has(pool, Mark.ONLY_ASKS)
    handed: NDArray[np.bool_] = same | (likely >= np.where(_alone(pool), _BAR, _LEAST))
    return handed


def _alone(pool: Pool) -> NDArray[np.bool_]:
    """(n): which candidates are memories that stand each by itself."""
    return has(pool, Mark.EVERGREEN) & ~has(pool, Mark.NOTE)


def _judged(model: Judgement, pool: Pool, statistics: Statistics, question: Question, scored: Scored) -> Floats:
    """(n): for and against each candidate, as the logarithm of its odds."""
    whole, around = np.where(scored.read[0] == 0, np.float32(_UNREAD), np.maximum(scored.read, 0))
    around = np.where(scored.beside_echo, whole, around)
    of_the_question = (
        model.constant
        + model.unknown * scored.unknown * min(log1p(statistics.rows) / _MANY, 1.0)
        + model.rows * max(log1p(statistics.rows), _FEWEST)
        + model.terms * log1p(len(question.terms))
        + model.people * bool(question.people)
        + model.english * question.in_english
        + model.suppose * (Kind.SUPPOSE in question.kind)
    )
    found: Floats = (
        np.float32(of_the_question)
        + np.float32(model.coverage) * scored.coverage
        + np.float32(model.near) * scored.nearness
        + np.float32(model.read) * whole
        + np.float32(model.read_around) * around
        + np.float32(model.note) * has(pool, Mark.NOTE)
    )
    return found
