"""How well each candidate answers a question, every part of the score by name."""

from __future__ import annotations

import re
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from oldsoul.ranking.fitting import agents, fitting, has, of_its_days, other_script
from oldsoul.ranking.lexical import Matches, matches
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.neighbours import Neighbours, best_of_documents
from oldsoul.ranking.question import Kind
from oldsoul.ranking.terms import word_terms
from oldsoul.ranking.vectors import around, close, directions
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Asked, Directions, Floats, Pool, Space, Statistics
    from oldsoul.ranking.question import Question
    from oldsoul.ranking.weights import Weights


_ALIKE = 0.04
"""A deviation of cosines below which rows are as good as equal."""
_APART, _APART_LATE, _APART_DOCUMENTS = 10.0, 0.15, 0.3
"""How far apart the best and the worst of many candidates are at least, by meaning, token by token, and as documents.
Of few they may be nearer, and then this part says less."""
_FEW = 8
"""So many rows of one kind can be measured among their own."""
_NEARLY_ALL = 0.75
"""A row that only asks asks what the question asks when it has so many of its words."""
_PICKED = 80
"""How many rows are looked at token by token."""


_IDENTIFIER = re.compile(r"(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{4,}|\d{5,}")
"""A term that is a name for one thing: letters and digits, or many digits."""


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
    about: Floats
    """(n): the share of the question's words that the row itself has."""
    echo: NDArray[np.bool_]
    """(n): which rows only ask the same thing: no answer, they come after all that states something."""


def score(pool: Pool, statistics: Statistics, question: Question, w: Weights) -> Scored:
    """Every candidate's score for the question."""
    near = Neighbours(pool, agents(pool, question))
    wants_list = Kind.LIST in question.kind
    place = {term: at for at, term in enumerate(question.terms)}
    met = matches(pool, statistics, [(place[a], place[b]) for a, b in question.pairs if a in place and b in place])
    if question.timely:
        _meet_times(pool, question, met)
    here = met.present.mean(axis=1, dtype=np.float32) if met.present.size else np.zeros(len(pool), np.float32)
    echo = has(pool, Mark.ONLY_ASKS) & (here >= _NEARLY_ALL)
    parts: dict[str, Floats] = {}
    most = w.words + w.coverage + w.session + (w.pairs if question.pairs else 0)
    sights = _sights(pool, statistics, question, w)
    nearness = np.zeros(len(pool), dtype=np.float32)
    lexical = _over_top(met.terms) + (w.kin if question.by_kin else 0) * _over_top(met.kin)
    if met.abroad is not None:
        there = _share(met.abroad.present, met.abroad.rarity, near, echo)
        lexical = np.maximum(lexical, _over_top(met.abroad.words))
    parts["words"] = w.words * _spread(near.smoothed(lexical, w.before_words, w.after_words, w), 1.0)
    fits, at_most = fitting(pool, question, w)
    if sights:
        for sight in reversed(sights):
            nearness = sight.near[0] if sight.rows is None else np.where(sight.rows, sight.near[0], nearness)
        weight = np.float32(w.vectors)
        meaning = np.zeros(len(pool), dtype=np.float32)
        for sight in sights:
            meaning = meaning + _meaning(sight, w)
        picked = _best(parts["words"] + weight * _spread(meaning) + fits.get("speaker", np.float32(0)))
        rarity = _content_rarity(question, met)
        late = np.zeros(len(pool), dtype=np.float32)
        for sight in sights:
            mine = picked if sight.rows is None else picked[sight.rows[picked]]
            found = close(sight.space, sight.asked, sight.wanted, mine, rarity)
            if found is not None:
                meaning = meaning + w.sentence * _filled(found.sentence, mine, sight.rows, len(pool))
                late[mine] += sight.late * _spread(found.late, _APART_LATE)
        parts["vectors"] = weight * _spread(near.smoothed(meaning, w.before_vectors, w.after_vectors, w), _APART)
        parts["late"] = late
        most += w.vectors + max(sight.late for sight in sights)
    parts |= _read(pool, statistics, near, w)
    coverage = _covered(met, near, echo, w, w.related if question.by_kin else 0.0)
    if met.abroad is not None:
        coverage = np.maximum(coverage, there)
    parts["coverage"] = w.coverage * coverage
    parts["pairs"] = w.pairs * _spread(met.pairs)
    if named := [at for at, term in enumerate(question.terms) if _IDENTIFIER.fullmatch(term)]:
        parts["identifier"] = np.where(met.present[:, named].any(axis=1), np.float32(w.identifier), np.float32(0))
        most += w.identifier
    parts["members"] = w.members * (w.members_list if wants_list else 1) * _over_top(met.members)
    parts |= fits
    total = summed(parts, len(pool))
    share = w.session * (w.session_list if wants_list else 1)
    spoken_for = best_of_documents(np.where(echo, total.min(initial=0), total), pool.document)
    parts["document"] = share * _spread(spoken_for, _APART_DOCUMENTS)
    return Scored(
        score=total + parts["document"],
        parts=parts,
        most=most + at_most,
        nearness=nearness,
        words=met.terms,
        coverage=coverage,
        about=here,
        echo=echo,
    )


def _meet_times(pool: Pool, question: Question, met: Matches) -> None:
    """Have rows of the time that a question names, if they have any other term of it, have those that name the time."""
    others = np.delete(met.present, question.timely, axis=1).any(axis=1)
    met.present[(of_its_days(pool, question) & others).nonzero()[0][:, None], question.timely] = True


def summed(parts: Mapping[str, Floats], n: int) -> Floats:
    """The parts of n scores added up."""
    total = np.zeros(n, dtype=np.float32)
    for part in parts.values():
        total += part
    return total


@frozen
class _Sight:
    """The candidates as they are seen in one space."""

    space: Space
    """the space"""
    asked: Asked
    """the question in it"""
    wanted: Directions
    """where that points"""
    near: Floats
    """(2, n): how near they are to the question as it is spoken, and to its content words"""
    rows: NDArray[np.bool_] | None
    """whom it is good for; None for all"""
    late: float
    """how much its late interaction counts"""


def _sights(pool: Pool, statistics: Statistics, question: Question, w: Weights) -> list[_Sight]:
    """The candidates in the table's space, which is the first; none where there is no table.

    Rows that are not in the question's script are measured among their own, and so are the others: nothing is as near
    across languages as within one.
    """
    if not pool.spaces or (static := statistics.asked[0].static) is None:
        return []
    space, asked = pool.spaces[0], statistics.asked[0]
    wanted, other = asked.directions or directions(asked, static), other_script(pool, question)
    near = wanted.whole @ space.vectors.T
    theirs = np.count_nonzero(other)
    least = _FEW if question.foreign else 1  # few rows can be measured among all
    mixed = theirs > 0 and len(other) - theirs >= least
    closely = w.late if question.in_english and theirs < len(other) else w.late_foreign
    sights = [_Sight(space, asked, wanted, near, ~other if mixed else None, closely)]
    return [*sights, _Sight(space, asked, wanted, near, other, w.late_foreign)] if mixed else sights


def _read(pool: Pool, statistics: Statistics, near: Neighbours, w: Weights) -> dict[str, Floats]:
    """How much nearer to the question than others rows are by whoever reads whole texts; nothing for those not read."""
    for space, asked in zip(pool.spaces, statistics.asked, strict=True):
        own = space.vectors.any(axis=1)
        if asked.static is None and asked.vector is not None and own.any():
            whole = space.vectors @ asked.vector
            nearness = whole + around(space.vectors, whole, near.before)
            more = np.where(own, nearness - nearness[own].mean(), 0)
            return {"read": (w.read / 2 * more).astype(np.float32)}
    return {}


def _content_rarity(question: Question, met: Matches) -> list[float]:
    """How rare each content word is: its rarest term."""
    by_term = dict(zip(question.terms, met.rarity.tolist(), strict=True))
    return [max((by_term.get(term, 0.0) for term in word_terms(word)), default=0.0) for word in question.content]


def _meaning(sight: _Sight, w: Weights) -> Floats:
    rows = sight.rows
    whole, content = sight.near if rows is None else sight.near[:, rows]
    total = _level(whole) + w.content * _level(content)
    if rows is None:
        return total
    full = np.zeros(len(rows), dtype=np.float32)
    full[rows] = total
    return full


def _covered(met: Matches, near: Neighbours, echo: NDArray[np.bool_], w: Weights, related: float) -> Floats:
    here = met.present.astype(np.float32)
    if related:
        np.maximum(here, met.related * np.float32(related), out=here)
    if met.belongs is not None:
        np.maximum(here, met.belongs * np.float32(w.belongs), out=here)
    return _share(here, met.rarity, near, echo)


def _share(here: NDArray[Any], rarity: Floats, near: Neighbours, echo: NDArray[np.bool_]) -> Floats:
    """The share of a question's rarity that each row has, or those around it."""
    found: Floats = (
        near.nearby(here.astype(np.float32, copy=False), echo) @ rarity / np.float32(max(float(rarity.sum()), 1e-9))
    )
    return found


def _best(rough: Floats) -> NDArray[np.int64]:
    """The rows worth a closer look, in the pool's order."""
    if len(rough) <= _PICKED:
        return np.arange(len(rough))
    picked = (-rough).argpartition(_PICKED)[:_PICKED]
    picked.sort()
    return picked


def _filled(values: Floats, picked: NDArray[np.int64], rows: NDArray[np.bool_] | None, n: int) -> Floats:
    """Values of the picked rows, levelled; the others count as one deviation below the middle of these."""
    full = np.full(n, -1, dtype=np.float32) if rows is None else -rows.astype(np.float32)
    full[picked] = _level(values)
    return full


def _spread(values: Floats | None, least: float = 0.0) -> Floats:
    """Stretched to 0..1, or less where they differ by less than this; zeros for nothing, and for all alike without it."""
    if values is None or not len(values):
        return np.zeros(1 if values is None else 0, dtype=np.float32)
    low = np.minimum.reduce(values)
    width = np.maximum.reduce(values) - low
    if width == 0 and least and low > 0:  # nothing to tell them apart by: what they are counts
        alike: Floats = np.minimum(values / np.float32(least), 1)
        return alike
    width = max(width, np.float32(least))
    return (values - low) / width if width > 0 else np.zeros_like(values)


def _over_top(values: Floats) -> Floats:
    """Divided by the largest."""
    top = np.maximum.reduce(values, initial=0)
    return values / top if top > 0 else values


def _level(values: Floats) -> Floats:
    """Centred, with a spread of one, or less where they are all alike."""
    if not len(values):
        return values
    centred = values - np.add.reduce(values) / np.float32(len(values))
    deviation = sqrt(centred.dot(centred) / np.float32(len(centred)))
    levelled: Floats = centred / np.float32(max(deviation, _ALIKE))
    return levelled
