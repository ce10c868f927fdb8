"""How well each candidate answers a question, every part of the score by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.ranking.lexical import Matches, matches
from oldsoul.ranking.marks import Mark, length
from oldsoul.ranking.pool import NO_TIME, Asked, Directions, Pool, Space, Statistics
from oldsoul.ranking.question import Kind, Question
from oldsoul.ranking.terms import word_terms
from oldsoul.ranking.vectors import around, close, directions
from oldsoul.ranking.weights import Weights
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oldsoul.ranking.pool import Floats


_ASKS = int(Mark.ASKS)
_EVERGREEN, _NOTE, _PARTED = int(Mark.EVERGREEN), int(Mark.NOTE), int(Mark.BEGINS | Mark.CORRECTION)
"""Memories stand by themselves: the one above is about something else. In notes it is not, up to the heading."""
_SHARES = {1: 0.5, 2: 0.25}
"""What a word found so many rows away is worth."""
_GONE = np.float32(-1e30)
_BEST = 3
"""How many rows speak for their document."""


class Neighbours:
    """Who stands next to whom in a pool."""

    def __init__(self, pool: Pool, ours: NDArray[np.bool_] | None = None) -> None:
        """Of these candidates; what is ours, the agent's own words, lends less to those beside it."""
        n = len(pool)
        document, ordinal = pool.document, pool.ordinal
        lone = (pool.flags & (_EVERGREEN | _NOTE)) == _EVERGREEN
        parted = (lone | ((pool.flags & _PARTED) != 0)).astype(np.float32)
        self._one, self._two = (np.zeros(n + step, dtype=np.float32) for step in (1, 2))
        """whether a row stands so many after the one so many above; with room for those after the last"""
        for step, there in ((1, self._one), (2, self._two)):
            if n > step:
                there[step:n] = (document[step:] == document[:-step]) & (ordinal[step:] - ordinal[:-step] == step)
                there[step:n] *= 1 - parted[step:]
        if n > 2:  # noqa: PLR2004 - two away there is one between
            self._two[2:n] *= 1 - parted[1:-1]
        self.before: NDArray[np.bool_] = self._one[:n] > 0
        """(n): whether the row above is the one before in the same document."""
        self._answers = np.zeros(n, dtype=np.float32)
        if n > 1:
            asked = (pool.flags[:-1] & _ASKS) > 0
            self._answers[1:] = self.before[1:] & asked & (pool.speaker[1:] != pool.speaker[:-1])
        self._agent = None if ours is None else ours.astype(np.float32)

    def smoothed(self, values: Floats, before: float, after: float, w: Weights) -> Floats:
        """Each row with something of its neighbours; answers take more."""
        around = np.zeros(len(values) + 4, np.float32)
        around[2:-2] = values if self._agent is None else values * (1 - np.float32(1 - w.agent_lends) * self._agent)
        taken = (before + w.answers * self._answers) * (around[1:-3] * self._one[:-1])
        taken += (after * before) * (around[3:-1] * self._one[1:])
        two = self._two.copy()
        if self._agent is not None:  # what the agent says parts what people say before and after it
            two[2:-2] *= 1 - self._agent[1:-1]
        taken += (w.two_away * before) * (around[:-4] * two[:-2] + around[4:] * two[2:])
        return values + taken

    def unanswered(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(n): those of these rows that no other person, who follows, answers."""
        found = rows.copy()
        answers = self._answers if self._agent is None else self._answers * (1 - self._agent)
        found[:-1] &= answers[1:] == 0
        return found

    def beside(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(n): which rows stand next to one of these."""
        found = np.zeros(len(rows), dtype=bool)
        found[1:] = rows[:-1] & self.before[1:]
        found[:-1] |= rows[1:] & self.before[1:]
        return found

    def nearby(self, values: Floats, repeats: NDArray[np.bool_]) -> Floats:
        """(n, k): the best of each column in a row and, at a discount, in its neighbours; what repeats the question lends nothing."""
        n, best = len(values), values.copy()
        lent = values * ~repeats[:, None]
        for step, there in ((1, self._one), (2, self._two)):
            if n > step:
                share = there[step:n, None] * np.float32(_SHARES[step])
                np.maximum(best[step:], lent[:-step] * share, out=best[step:])
                np.maximum(best[:-step], lent[step:] * share, out=best[:-step])
        return best


def best_of_documents(values: Floats, document: NDArray[np.int32]) -> Floats:
    """For each row the mean of its document's best values; rows stand in the order of their documents."""
    n = len(values)
    if not n:
        return values
    first = np.empty(n, dtype=bool)
    first[0] = True
    np.not_equal(document[1:], document[:-1], out=first[1:])
    starts = first.nonzero()[0]
    sizes = np.empty(len(starts), np.int64)
    sizes[:-1], sizes[-1] = starts[1:] - starts[:-1], n - starts[-1]
    total = np.zeros(len(starts), dtype=np.float32)
    count = np.zeros(len(starts), dtype=np.float32)
    left = values.copy()
    for rest in reversed(range(_BEST)):
        best = np.maximum.reduceat(left, starts)
        there = best > _GONE
        total += best * there
        count += there
        if rest:
            np.putmask(left, left >= best.repeat(sizes), _GONE)
    return (total / np.maximum(count, 1)).astype(np.float32, copy=False).repeat(sizes)


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
        first = speaks & has(pool, Mark.FIRST_PERSON)
        fit["speaker"] = _times(w.speaker, speaks) + _times(w.first_person, first)
        most += w.speaker + w.first_person
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


_ALIKE = 0.04
"""A deviation of cosines below which rows are as good as equal."""
_APART, _APART_LATE, _APART_DOCUMENTS = 10.0, 0.15, 0.3
"""How far apart the best and the worst of many candidates are at least, by meaning, token by token, and as documents.
Of few they may be nearer, and then this part says less."""
_FEW = 8
"""So many rows of one kind can be measured among their own."""
_NEARLY_ALL = 0.75
"""What only asks, in no more words than the question, and has so many of its words, is the question."""
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
    """(n): which rows are the question itself: they come last."""
    beside_echo: NDArray[np.bool_]
    """(n): which rows stand beside such a one: what is near around them is the question"""
    met: Floats
    """(n, terms of the question): how rare each term is, where the row has it"""
    unknown: float
    """the share of the question's terms that no row has but those that repeat the question"""
    read: Floats
    """(2, n): cosine by whoever reads whole texts, of the row and of it with those beside it; zeros where nothing was read."""


def score(pool: Pool, statistics: Statistics, question: Question, w: Weights) -> Scored:
    """Every candidate's score for the question."""
    near = Neighbours(pool, agents(pool, question))
    wants_list = Kind.LIST in question.kind
    place = {term: at for at, term in enumerate(question.terms)}
    met = matches(pool, statistics, [(place[a], place[b]) for a, b in question.pairs if a in place and b in place])
    if question.timely:
        _meet_times(pool, question, met)
    here = met.present.mean(axis=1, dtype=np.float32) if met.present.size else np.zeros(len(pool), np.float32)
    echo = has(pool, Mark.ONLY_ASKS) & (here >= _NEARLY_ALL) & (pool.length <= length(question.text))
    repeats = near.unanswered(echo | has(pool, Mark.REPEATS))
    parts: dict[str, Floats] = {}
    most = w.words + w.coverage + w.session + (w.pairs if question.pairs else 0)
    sights = _sights(pool, statistics, question, w)
    nearness = np.zeros(len(pool), dtype=np.float32)
    lexical = _over_top(met.terms) + (w.kin if question.by_kin else 0) * _over_top(met.kin)
    if met.abroad is not None:
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
    read, was_read = _read(pool, statistics, near)
    if was_read.any():
        both = read[0] + read[1]
        parts["read"] = np.float32((w.read if question.in_english else w.read_foreign) / 2) * np.where(
            was_read, both - both[was_read].mean(), np.float32(0)
        )
    coverage = _covered(met, near, repeats, w, w.related if question.by_kin else 0.0)
    parts["coverage"] = w.coverage * coverage
    parts["pairs"] = w.pairs * _spread(met.pairs)
    if named := [at for at, term in enumerate(question.terms) if _IDENTIFIER.fullmatch(term)]:
        parts["identifier"] = np.where(met.present[:, named].any(axis=1), np.float32(w.identifier), np.float32(0))
        most += w.identifier
    parts["members"] = w.members * (w.members_list if wants_list else 1) * _over_top(met.members)
    parts |= fits
    total = summed(parts, len(pool))
    share = w.session * (w.session_list if wants_list else 1)
    parts["document"] = share * _spread(best_of_documents(total, pool.document), _APART_DOCUMENTS)
    return Scored(
        score=total + parts["document"],
        parts=parts,
        most=most + at_most,
        nearness=nearness,
        words=met.terms,
        coverage=coverage,
        about=here,
        echo=echo,
        beside_echo=near.beside(repeats),
        met=met.present * met.rarity,
        unknown=_unknown(statistics, met, repeats, question.timely),
        read=read,
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


def _read(pool: Pool, statistics: Statistics, near: Neighbours) -> tuple[Floats, NDArray[np.bool_]]:
    """Cosines of rows, and of each with those beside it, by whoever reads whole texts; and which rows were read."""
    for space, asked in zip(pool.spaces, statistics.asked, strict=True):
        if asked.static is None and asked.vector is not None:
            whole = space.vectors @ asked.vector
            own = np.asarray(space.vectors.any(axis=1), dtype=bool)
            return np.stack((whole, around(space.vectors, whole, near.before))).astype(np.float32) * own, own
    return np.zeros((2, len(pool)), np.float32), np.zeros(len(pool), dtype=bool)


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


def _covered(met: Matches, near: Neighbours, repeats: NDArray[np.bool_], w: Weights, related: float) -> Floats:
    """The share of a question's rarity that each row has, or those around it."""
    here = met.present.astype(np.float32)
    if related:
        np.maximum(here, met.related * np.float32(related), out=here)
    if met.belongs is not None:
        np.maximum(here, met.belongs * np.float32(w.belongs), out=here)
    found = _share(near.nearby(here, repeats), met.rarity)
    if met.abroad is None:
        return found
    return np.maximum(found, _share(near.nearby(met.abroad.present.astype(np.float32), repeats), met.abroad.rarity))


def _unknown(statistics: Statistics, met: Matches, repeats: NDArray[np.bool_], timely: Sequence[int]) -> float:
    """The share of the question's terms that stand nowhere but in what repeats it; those that name a time need not."""
    had = np.array([known.frequency for known in statistics.known]) - np.count_nonzero(met.present[repeats], axis=0)
    had = np.delete(had, timely)
    return float(np.count_nonzero(had <= 0)) / max(len(had), 1)


def _share(here: Floats, rarity: Floats) -> Floats:
    found: Floats = here @ rarity / np.float32(max(float(rarity.sum()), 1e-9))
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
