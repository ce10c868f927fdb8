"""How strong the match to a question is, measured against what the store cannot know: found, unsure, unknown, conflicting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from oldsoul.language.lexicon import word_list
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import Pool
from oldsoul.ranking.question import Kind, Question
from oldsoul.ranking.scoring import Scored, has, of_its_days, said_by
from oldsoul.values.frozen import frozen


class Answer(StrEnum):
    """How strong a match to a question is."""

    FOUND = "found"
    """Far stronger than to what the store cannot know."""
    UNSURE = "unsure"
    """Something is near, and it may or may not answer."""
    UNKNOWN = "unknown"
    """There is nothing; or the person who is named never spoke of it so, and others did."""
    CONFLICTING = "conflicting"
    """What is as good as the best hit contradicts another."""


@frozen
class Usual:
    """How a signal is when the store does not know."""

    middle: float = 0.0
    """Its mean."""
    spread: float = 1.0
    """Its standard deviation."""


_ZERO = Usual()
_LEAST = 1e-3
_LOW, _HIGH = 4.0, 8.0
"""A signal counts for no more than so many of its usual deviations."""
_WIDEST = (0.15, 0.11)
"""What match and coverage vary by at most in a store where nobody speaks: some words of any question are met there."""


@frozen
class Signals:
    """What tells an answered question from one that is not."""

    contrast: float | None
    """Best match in the named person's own words minus the best in others'; None unless one person is named."""
    match: float
    """Best match in the named person's words, else in any."""
    coverage: float
    """The share of the question's rarity met around the best hit."""
    near: float = 0.0
    """How near in meaning the nearest is, whatever its words; zero without vectors."""
    of_the_day: bool = False
    """Whether the question names nothing but a time, of a month at most, and the best hit is of it."""


@frozen
class Calibration:
    """What the signals are when a store is asked what it cannot know."""

    contrast: Usual = _ZERO
    """Of the contrast."""
    match: Usual = _ZERO
    """Of the match."""
    coverage: Usual = _ZERO
    """Of the coverage."""
    near: Usual = _ZERO
    """Of the nearness."""
    asked: int = 0
    """How many foreign questions it rests on; with none nothing is called found or unknown."""


@frozen
class Limits:
    """A linear model over the calibrated signals, fitted on LoCoMo's tuning conversations, and its two limits."""

    contrast: float = 0.58
    """Weight of the contrast."""
    match: float = 0.24
    """Weight of the match."""
    coverage: float = 0.3
    """Weight of the coverage."""
    alone: float = 1.5
    """How much more the other two weigh when there is no contrast."""
    unknown: float = 0.3
    """Below this the match and twice the contrast, as they are, make unknown."""
    found: float = 4.83
    """From this sum on it is found: said to 1 to 8 in 100 of what a store does not hold."""
    middle: float = 2.4
    """At this sum the store holds the answer as often as not."""
    width: float = 1.25
    """So much more, and it is about three times as likely."""
    covered: float = 0.5
    """And so much of the question's rarity is met around the best hit: who Leo is does not tell how tall he is."""
    close: float = 0.5
    """Or something is so near in meaning."""


def signals(pool: Pool, question: Question, scored: Scored) -> Signals:
    """The signals of one question, among what states something: a question is no answer."""
    states = ~has(pool, Mark.ONLY_ASKS)
    if not states.any():
        return Signals(None, 0.0, 0.0)
    match = scored.nearness + scored.coverage
    theirs = match[states]
    contrast = None
    if len(question.people) == 1:
        own = said_by(pool, question.people)
        personal = has(pool, Mark.FIRST_PERSON) & states
        if (own & personal).any() and (~own & personal).any():
            contrast = float(match[own & personal].max() - match[~own & personal].max())
            theirs = match[own & states]
    best = np.where(states, scored.score, -np.inf).argmax()
    return Signals(
        contrast=contrast,
        match=float(theirs.max()),
        coverage=float(scored.coverage[best]),
        near=float(scored.nearness[states].max()),
        of_the_day=Kind.DAY in question.kind and bool(question.moments) and bool(of_its_days(pool, question)[best]),
    )


def unanswerable(people: Sequence[str], language: str) -> list[str]:
    """Questions in a language that no memory answers, with the names of those the store knows put in by turns; none in one nobody wrote them in."""
    own = word_list("unanswerable").get(language)
    if own is None:
        return []
    names = list(people) or [own["they"]]
    return [line.format(name=names[at % len(names)]) for at, line in enumerate(own["questions"].split(" | "))]


def calibrated(found: Sequence[Signals]) -> Calibration:
    """The calibration of a store from the signals of `unanswerable` questions."""
    if not found:
        return Calibration()
    contrasts = [each.contrast for each in found if each.contrast is not None]
    widest = (math.inf, math.inf) if contrasts else _WIDEST
    return Calibration(
        contrast=_usual(contrasts),
        match=_usual([each.match for each in found], widest[0]),
        coverage=_usual([each.coverage for each in found], widest[1]),
        near=_usual([each.near for each in found]),
        asked=len(found),
    )


def _usual(values: Sequence[float], widest: float = math.inf) -> Usual:
    return Usual(float(np.mean(values)), min(max(float(np.std(values)), _LEAST), widest)) if values else _ZERO


def explained(found: Signals, calibration: Calibration) -> dict[str, float]:
    """The signals in units of how they vary when the store does not know, by name."""
    pairs = {
        "contrast": (found.contrast, calibration.contrast),
        "match": (found.match, calibration.match),
        "coverage": (found.coverage, calibration.coverage),
    }
    return {
        name: min(max((value - usual.middle) / usual.spread, -_LOW), _HIGH)
        for name, (value, usual) in pairs.items()
        if value is not None
    }


def certainty(found: Signals, calibration: Calibration, limits: Limits) -> float:
    """How sure it is that the store knows: around 0 when it does not, higher when it does."""
    z = explained(found, calibration)
    sure = limits.match * z["match"] + limits.coverage * z["coverage"]
    return sure + limits.contrast * z["contrast"] if "contrast" in z else limits.alone * sure


def confidence(found: Signals, calibration: Calibration, limits: Limits) -> float:
    """The certainty between 0 and 1: a half where nothing speaks for or against it, or where nothing is calibrated."""
    if not calibration.asked:
        return 0.5
    return 1 / (1 + math.exp((limits.middle - certainty(found, calibration, limits)) / limits.width))


def answer(found: Signals, calibration: Calibration, question: Question, *, disputed: bool, limits: Limits) -> Answer:
    """What to say of what was found.

    Args:
        found: the question's signals.
        calibration: this store's.
        question: the question; a judgement (would, might) is never called unknown.
        disputed: whether what is as good as the best contradicts something else that is shown.
        limits: the model.
    """
    if disputed:
        return Answer.CONFLICTING
    sure = certainty(found, calibration, limits)
    tells = found.coverage >= limits.covered or found.near >= limits.close
    if found.of_the_day or (calibration.asked and sure >= limits.found and tells):
        return Answer.FOUND
    is_silent = calibration.asked and found.contrast is not None and found.match + 2 * found.contrast < limits.unknown
    return Answer.UNKNOWN if is_silent and Kind.SUPPOSE not in question.kind else Answer.UNSURE
