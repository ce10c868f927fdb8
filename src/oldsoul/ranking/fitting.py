"""What a row gains by fitting a question otherwise than by words: who speaks, what it holds, when it was."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.marks import Mark
from oldsoul.ranking.pool import NO_TIME
from oldsoul.ranking.question import Kind

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats, Pool
    from oldsoul.ranking.question import Question
    from oldsoul.ranking.weights import Weights

_EPOCH = date(1970, 1, 1).toordinal()
_BITS = {mark: np.int32(mark.value) for mark in Mark}
_WHEN, _NAME, _COUNT = int(Kind.WHEN), int(Kind.NAME), int(Kind.COUNT)
_ADVICE, _MONEY, _THEN = int(Kind.ADVICE), int(Kind.MONEY), int(Kind.THEN)
_LIKELY = 0.75
_FEW_DAYS = 10
"""A time that is named counts as some days, and not as a part of the year, up to so many."""
_BESIDE = 0.4
"""What a row has of a day's weight that is of the day before or after: one tells of a day on the next."""
_LONG = 4.0
"""The logarithm of the words in a row that says a lot."""


def fitting(pool: Pool, question: Question, w: Weights) -> tuple[dict[str, Floats], float]:
    """What each row gains, by name, and the most a row can gain."""
    fit, most = _speaking(pool, question, w)
    held, more = _holding(pool, question, w)
    fit |= held
    most += w.length + more
    if question.dates or question.months:
        fit["date"] = _dated(pool, question, w)
        most += w.month + (w.day_alone if question.kind & Kind.DAY else w.day) + w.event
    fit["length"] = np.float32(w.length / _LONG) * np.log1p(pool.length.astype(np.float32))
    fit["asks"] = _times(-w.asks, has(pool, Mark.ASKS))
    ours = agents(pool, question)
    if ours is not None:
        said = bool(question.kind & Kind.SAID)
        fit["agent"] = _times(w.agent if said else -w.agent, ours)
        most += w.agent if said else 0
    for mark, name, weight in ((Mark.DERIVED, "derived", w.derived), (Mark.ARCHIVED, "archived", w.archived)):
        if (these := has(pool, mark)).any():
            fit[name] = _times(-weight, these)
    if (pool.confidence < 1).any():
        fit["confidence"] = np.float32(-w.doubt) * (1 - pool.confidence)
    return fit, most


def _speaking(pool: Pool, question: Question, w: Weights) -> tuple[dict[str, Floats], float]:
    """What rows gain by who speaks: the one that is asked about, or whoever asks about themselves."""
    fit: dict[str, Floats] = {}
    most = 0.0
    own = _own(pool)
    if question.subject:
        speaks = said_by(pool, (question.subject,))
        share = w.one_of_two if len(question.people) > 1 or (own is not None and question.mine) else 1.0
        first = speaks & has(pool, Mark.FIRST_PERSON)
        fit["speaker"] = _times(w.speaker * share, speaks) + _times(w.first_person * share, first)
        most += (w.speaker + w.first_person) * share
    if own is not None and question.mine:
        fit["asker"] = _times(w.asker * question.mine, own)
        most += w.asker * question.mine
    return fit, most


def _holding(pool: Pool, question: Question, w: Weights) -> tuple[dict[str, Floats], float]:
    """What rows gain by holding what a question of some kind wants; words of the agent's count for some only."""
    fit: dict[str, Floats] = {}
    most = 0.0
    kind = int(question.kind)
    wanted = (
        (kind & _WHEN, Mark.TIME, "time", w.when, True),
        (kind & _NAME, Mark.NAME, "name", w.name, True),
        (kind & _COUNT, Mark.NUMBER, "number", w.count, True),
        (kind & _MONEY, Mark.MONEY, "money", w.money, True),
        (kind & _ADVICE and not question.people, Mark.LIKES, "likes", w.likes, False),
        (not kind & _THEN, Mark.CHANGES, "changes", w.changes, False),
    )
    for asks, mark, name, weight, anybody in wanted:
        if asks:
            holds = has(pool, mark)
            fit[name] = _times(weight, holds if anybody else holds & ~has(pool, Mark.AGENT))
            if mark is Mark.NAME:  # many scripts have no capitals to tell names by
                fit[name] = np.maximum(fit[name], _times(weight * _LIKELY, has(pool, Mark.FOREIGN)))
            most += weight
    return fit, most


def _own(pool: Pool) -> NDArray[np.bool_] | None:
    """(n): which rows are the words of whoever asks, or stand in memory; None where they said nothing."""
    return (pool.own & ~has(pool, Mark.AGENT)) | has(pool, Mark.EVERGREEN) if pool.own.any() else None


def other_script(pool: Pool, question: Question) -> NDArray[np.bool_]:
    """Which rows are not in the question's script: it is in Latin letters and they are not, or the other way round."""
    found: NDArray[np.bool_] = has(pool, Mark.FOREIGN) != question.foreign
    return found


def agents(pool: Pool, question: Question) -> NDArray[np.bool_] | None:
    """(n): which rows are the agent's own words; None where there are none, or the agent is one of those asked about."""
    ours = has(pool, Mark.AGENT)
    return ours if ours.any() and not (ours & said_by(pool, question.people)).any() else None


def has(pool: Pool, mark: Mark) -> NDArray[np.bool_]:
    """(n): which rows have a mark."""
    held: NDArray[np.bool_] = (pool.flags & _BITS[mark]) != 0
    return held


def said_by(pool: Pool, people: Collection[str]) -> NDArray[np.bool_]:
    """(n): which rows one of these people said."""
    said = np.zeros(len(pool), dtype=bool)
    for code, name in enumerate(pool.speakers):
        if name in people:
            said |= pool.speaker == code
    return said


def _times(weight: float, holds: NDArray[np.bool_]) -> Floats:
    return holds.astype(np.float32) * np.float32(weight)


def _dated(pool: Pool, question: Question, w: Weights) -> Floats:
    """What a row gains by its own time, and by the time it speaks of, when the question names it."""
    said = np.zeros(len(pool), dtype=bool)
    then = np.zeros(len(pool), dtype=np.float32)
    about = np.zeros(len(pool), dtype=bool)
    alone = bool(question.kind & Kind.DAY)
    for span in question.dates:
        if span.last - span.first < _FEW_DAYS:
            weight = w.day_alone if alone else w.day if span.first == span.last else w.days
            then = np.maximum(then, _times(weight, _within(pool, question, span.first, span.last)))
            if not alone:
                beside = _within(pool, question, span.first - 1, span.last + 1)
                then = np.maximum(then, _times(weight * _BESIDE, beside))
        said |= _within(pool, question, *_months(span.first, span.last))
        about |= (pool.event_from > 0) & (pool.event_from <= span.last) & (pool.event_to >= span.first)
    if question.months and not question.dates:
        timed = pool.time != NO_TIME
        seconds = np.where(timed, pool.time - question.begin(_EPOCH), 0)
        months = seconds.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) % 12 + 1
        said |= np.isin(months, question.months) & timed
    return _times(w.month, said) + then + _times(w.event, about)


def of_its_days(pool: Pool, question: Question) -> NDArray[np.bool_]:
    """(n): which rows are of a time that a question names."""
    found = np.zeros(len(pool), dtype=bool)
    for span in question.dates:
        found |= _within(pool, question, span.first, span.last)
    return found


def _within(pool: Pool, question: Question, first: int, last: int) -> NDArray[np.bool_]:
    """(n): which rows are of some days, from the first to the last, as whoever asks counts them."""
    begin, end = question.begin(first), question.begin(last + 1)
    there: NDArray[np.bool_] = (pool.time >= begin) & (pool.time < end) & (pool.time != NO_TIME)
    return there


def _months(first: int, last: int) -> tuple[int, int]:
    """The first and the last day of the months that a span of days lies in."""
    end = date.fromordinal(last)
    following = date(end.year + end.month // 12, end.month % 12 + 1, 1) if end.year < date.max.year else date.max
    return date.fromordinal(first).replace(day=1).toordinal(), following.toordinal() - 1
