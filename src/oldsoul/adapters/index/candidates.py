"""How candidates are found in an embedded index: who may see what, the best by words and by meaning, and those around."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oldsoul.adapters.index import postings
from oldsoul.adapters.index.columns import Columns
from oldsoul.adapters.index.rows import audience_of, seconds
from oldsoul.adapters.index.stock import QuestionWords, Stock
from oldsoul.ranking.pool import NO_TIME, Asked, Pool, Space, Static, Statistics
from oldsoul.ranking.question import Question
from oldsoul.ranking.vectors import directions, own_weights
from oldsoul.values.audience import View
from oldsoul.values.recall import SEEN, SOURCES, Filters

if TYPE_CHECKING:
    from oldsoul.adapters.index.arrays import Array


Tokens = Callable[[int, Sequence[str]], list[list[int]]]


_K1, _B = 1.2, 0.75
_CONTENT = 0.8
_ENOUGH = 40_000
"""When rows that have one of the words are so many, further words are left out."""
_KEPT = 32
_OWNERS = 8
"""For so many views it is remembered what tokens weigh for them."""
_APART = 3
"""The distance between numbers of neighbouring rows, so that others fit between them."""
_first = itemgetter(0)


class _View(NamedTuple):
    """A space a question is compared in."""

    nearest: Callable[[Array, Array, int], Array]
    """gives the rows nearest to a query, of those a mask lets through, so many"""
    asked: Asked
    query: Array | None
    space: Callable[[Array], Space]
    across: bool = False
    """whether rows in another script than the question are looked through by themselves"""


class _Own(NamedTuple):
    """How often the rows that a view sees use each token of a table, and what tokens weigh by that."""

    last: int
    """the row after the last that was looked at"""
    rows: int
    """how many count and are seen"""
    counts: Array
    weighed: Static
    plain: Static


class StockCandidates:
    """Looks into one stock. What filters let through is worked out once, and for new rows as they come.

    Whatever is counted over rows is counted over those that whoever asks may see: what they find must not tell of the
    others. Tokens alone weigh for the operator what they weigh in all rows, none of which are hidden from them for good.
    """

    def __init__(self) -> None:
        self._stock: Stock | None = None
        self._epoch = -1
        self._own: dict[tuple[View, int], _Own] = {}
        self._through: dict[Filters, Array] = {}
        self._masks: dict[Filters, Array] = {}
        self._others: dict[tuple[Filters, bool], Array] = {}
        self._version = -1

    def look(
        self, stock: Stock, question: Question, filters: Filters, tokens: Tokens, wanted: tuple[int, Array | None]
    ) -> tuple[Pool, Statistics]:
        """The rows that fit best by words and by meaning, so many of each, with those around them.

        Args:
            stock: where.
            question: what is asked.
            filters: what may be seen and is asked for.
            tokens: gives the tokens of texts, as one of the tables has them.
            wanted: how many, and the question's vector in the space of vectors alone, where there is one.
        """
        count, vector = wanted
        columns = stock.columns
        mask = self._mask(stock, filters)
        seen = sees(stock, filters.view)
        frequency = stock.postings.frequency if seen.all() else _visible(stock, seen)
        pairs = zip(question.terms, question.members, strict=True)
        words = chain(question.terms, *question.members, *question.abroad)
        looked = QuestionWords(stock, dict(stock.numbers_of(words)), frequency)
        known = tuple(looked.known(*pair) for pair in pairs)
        rows, terms, _ = columns.among(seen)
        views = self._views(stock, question, tokens, filters.view, vector)
        translations = tuple(looked.known("", own) for own in question.abroad)
        statistics = Statistics(rows, terms / max(rows, 1), known, tuple(view.asked for view in views), translations)
        by_words = _by_words(stock, statistics, frequency, with_family=question.by_kin)
        chosen = [by_words(mask, count)]
        for view in views:
            if view.query is not None:
                chosen.append(view.nearest(view.query, mask, count))
            if view.query is not None and view.across:
                other = self._other(stock, filters, foreign=not question.foreign)
                chosen.append(view.nearest(view.query, other, count))
        if question.moments:
            then = _then(stock, question.moments, mask)
            chosen.append(_by_words(stock, statistics, frequency, with_family=False)(then, count))
            near = (view.nearest(view.query, then, count) for view in views if view.query is not None)
            chosen.append(next(near, then.nonzero()[0][:count]))
        around = _around(stock, np.concatenate(chosen), 2, seen)
        return _pool(stock, around[mask[around]], views, seen, filters.view.people), statistics

    def seen(self, stock: Stock, terms: Collection[str], filters: Filters) -> dict[str, list[int]]:
        """Some of the rows that filters let through in which each of some terms is, the first ones."""
        mask = self._mask(stock, filters)
        found = {}
        for term, number in stock.numbers_of(terms):
            rows = stock.postings.find(number)[0]
            some = rows[mask.take(rows).nonzero()[0][:SEEN]].tolist()
            if some:
                found[term] = some
        return found

    def _mask(self, stock: Stock, filters: Filters) -> Array:
        """Which rows may be shown and are asked for; as long as nothing is written, the same array."""
        if self._stock is not stock or self._epoch != stock.epoch:
            self._stock, self._epoch, self._through, self._own, self._version = stock, stock.epoch, {}, {}, -1
        if self._version != stock.version:
            self._version, self._masks, self._others = stock.version, {}, {}
        mask = self._masks.get(filters)
        if mask is None:
            through = self._through.pop(filters, np.zeros(0, bool))
            if len(through) < len(stock.columns):
                fresh = _let_through(stock, filters, stock.columns.rows[len(through) :])
                through = np.append(through, fresh)
                if len(fresh) >= postings.SEAL:
                    stock.shelf.release()
            self._through[filters] = through
            mask = through & stock.columns.alive
            if stock.superseded:
                mask[list(stock.superseded)] = False
            mask.flags.writeable = False
            self._masks[filters] = mask
            for kept in (self._through, self._masks):
                if len(kept) > _KEPT:
                    del kept[next(iter(kept))]
        return mask

    def _other(self, stock: Stock, filters: Filters, *, foreign: bool) -> Array:
        """Which of those rows are in other scripts than Latin, or which are not."""
        mask = self._others.get((filters, foreign))
        if mask is None:
            mask = self._mask(stock, filters) & (stock.columns.foreign == foreign)
            mask.flags.writeable = False
            if len(self._others) >= _KEPT:
                self._others = {}
            self._others[filters, foreign] = mask
        return mask

    def _views(self, stock: Stock, question: Question, tokens: Tokens, view: View, vector: Array | None) -> list[_View]:
        """The spaces a question is compared in: those of the tables, and that of vectors alone."""
        views = []
        across = holds_other(stock, question, view)
        for number in range(len(stock.spaces)):
            spoken, *content = map(tuple, tokens(number, [question.spoken, *question.content]))
            views.append(self._view(stock, number, view, (spoken, tuple(content)))._replace(across=across))
        if vector is not None and stock.dense is not None and len(stock.dense.vectors):
            dense = stock.dense
            views.append(_View(dense.vectors.nearest, Asked(None, vector=vector), vector, dense.space))
        return views

    def _view(self, stock: Stock, number: int, view: View, asked: tuple[tuple[int, ...], tuple[Any, ...]]) -> _View:
        """A question in the space of a table, as it is for this view."""
        space = stock.spaces[number]
        if view.owner:
            weighed = plain = space.static if len(space.vectors) else None
            nearest, shown = space.vectors.nearest, space.space
        else:
            own = self._owned(stock, number, view)
            weighed, plain = (own.weighed, own.plain) if own.rows else (None, None)
            mean = own.plain.mean
            nearest = lambda query, mask, count: space.plain.nearest(query, mean, mask, count)  # noqa: E731
            shown = lambda rows: space.space_as(rows, own.weighed)  # noqa: E731
        if weighed is None or plain is None:
            return _View(nearest, Asked(space.static, *asked), None, shown)
        points = directions(Asked(weighed, *asked), weighed)
        towards = points.whole if plain is weighed else directions(Asked(plain, *asked), plain).whole
        query = (towards[0] + _CONTENT * towards[1]).astype("<f4", copy=False)
        return _View(nearest, Asked(weighed, *asked, directions=points), query, shown)

    def _owned(self, stock: Stock, number: int, view: View) -> _Own:
        """What tokens weigh in the rows that are seen; only rows that are new are counted."""
        columns, table, seen = stock.columns, stock.spaces[number].table.vectors, sees(stock, view)
        rows = columns.among(seen)[0]
        none = np.zeros(len(table), "<i8")
        known = self._own.pop((view, number), None) or _Own(0, 0, none, *own_weights(none, table))
        if known.last < len(columns) or known.rows != rows:
            fresh = known.last + _flags(columns, seen)[known.last :].nonzero()[0]
            if known.rows + len(fresh) != rows:  # some are gone
                known, fresh = known._replace(rows=0, counts=none), _flags(columns, seen).nonzero()[0]
            known = known._replace(last=len(columns), rows=rows)
            if len(fresh):
                counts = known.counts + np.bincount(stock.spaces[number].tokens.of(fresh)[0], minlength=len(table))
                known = _Own(len(columns), rows, counts, *own_weights(counts, table))
        self._own[view, number] = known
        if len(self._own) > _OWNERS:
            del self._own[next(iter(self._own))]
        return known


def sees(stock: Stock, view: View) -> Array:
    """Which audiences a view sees, by their codes."""
    return np.array([view.sees(audience_of(text)) for text in stock.names["audience"]], bool)


def holds_other(stock: Stock, question: Question, view: View) -> bool:
    """Whether some of the rows that are seen are in another script than the question."""
    rows, _, foreign = stock.columns.among(sees(stock, view))
    return foreign < rows if question.foreign else foreign > 0


def _flags(columns: Columns, seen: Array) -> Array:
    """Which rows count and are seen."""
    flags: Array = seen.take(columns.rows["audience"]) & columns.alive
    return flags


def _let_through(stock: Stock, filters: Filters, rows: Array) -> Array:
    mask: Array = sees(stock, filters.view)[rows["audience"]]
    if filters.sources:
        mask &= np.isin(rows["source"], [SOURCES.index(source) for source in filters.sources])
    if filters.since is not None:
        mask &= rows["time"] >= seconds(filters.since)
    if filters.until is not None:
        mask &= (rows["time"] < seconds(filters.until)) & (rows["time"] != NO_TIME)
    wanted = {"tag": filters.tag, "room": filters.room, "person": filters.person, "document": filters.path}
    for kind, value in wanted.items():
        if value:
            mask &= rows[kind] == stock.codes[kind].get(value, -2)
    return mask


def _visible(stock: Stock, seen: Array) -> Callable[[int], int]:
    """Gives how many rows have a term of those that are seen."""
    flags = _flags(stock.columns, seen)

    @cache
    def visible(number: int) -> int:
        if not stock.postings.frequency(number):
            return 0
        return int(np.count_nonzero(flags.take(stock.postings.find(number)[0])))

    return visible


def _by_words(
    stock: Stock, statistics: Statistics, frequency: Callable[[int], int], *, with_family: bool
) -> Callable[[Array, int], Array]:
    """Gives the rows that fit best by their words (BM25), of those a mask lets through, so many.

    The members of a word's class count half, and its prefix family if asked. Rare words come first. Those that very many rows have
    tell little apart and cost most: they are left out when others were there. The rows that are found are scored by
    them too.
    """
    columns = stock.columns
    asked = [(known.frequency, known.number, known.frequency, 1.0) for known in statistics.known]
    asked += [
        (frequency(member), member, known.members_frequency, share)
        for group, share in ((statistics.known, 0.5), (statistics.abroad, 1.0))
        for known in group
        for member in known.members
    ]
    if with_family:
        asked += [
            (frequency(each), each, known.kin_frequency, 0.5)
            for known in statistics.known
            for each in known.kin
            if each != known.number
        ]
    slope = np.float32(_K1 * _B / max(statistics.average_terms, 1.0))

    def best(mask: Array, count: int) -> Array:
        found: list[Array] = []
        weights: list[Array] = []
        looked = 0
        for own, number, often, share in sorted(asked, key=_first):
            if own <= 0:
                continue
            if looked and looked + own > _ENOUGH:
                break
            looked += own
            rows, counts = stock.postings.find(number)
            seen = mask.take(rows).nonzero()[0]
            if len(seen) < len(rows):
                rows, counts = rows.take(seen), counts.take(seen)
            rarity = float(np.log1p((statistics.rows - often + 0.5) / (often + 0.5)))
            times = counts.astype("<f4")
            norm = columns.lengths.take(rows)
            norm *= slope
            norm += np.float32(_K1 * (1 - _B))
            norm += times
            times /= norm
            times *= np.float32(share * max(rarity, 0.0) * (_K1 + 1))
            found.append(rows)
            weights.append(times)
        return postings.best(found, weights, len(columns), count)

    return best


def _then(stock: Stock, moments: Sequence[tuple[int, int]], mask: Array) -> Array:
    """Which of the rows that a mask lets through are of some times."""
    times = stock.columns.rows["time"]
    then: Array = mask & np.logical_or.reduce([(times >= first) & (times < last) for first, last in moments])
    return then


def _around(stock: Stock, rows: Array, distance: int, seen: Array) -> Array:
    """Rows and those that are before and after them among what is seen, up to this distance, in order and each once."""
    found = [rows]
    before = after = rows
    for _ in range(distance):
        before = _next(stock, stock.columns.rows["before"], before, seen)
        before = before[before >= 0]
        after = _next(stock, stock.columns.after, after, seen)
        after = after[after >= 0]
        found += [before, after]
    every = np.concatenate(found).astype("<i8", copy=False)
    every.sort()
    return every[postings.firsts(every)]


def _next(stock: Stock, links: Array, rows: Array, seen: Array) -> Array:
    """Where links lead from each of some rows, past those that are not seen; -1 for nowhere."""
    found: Array = links[rows]
    audiences = stock.columns.rows["audience"]
    while len(hidden := ((found >= 0) & ~seen.take(audiences[found])).nonzero()[0]):
        found[hidden] = links[found[hidden]]
    return found


def _pool(stock: Stock, rows: Array, views: Sequence[_View], seen: Array, asker: Collection[str]) -> Pool:
    """Rows as ranking takes them: documents by their names, and numbered by what is seen of them."""
    columns, paths = stock.columns, stock.names["document"]
    codes, place = np.unique(columns.rows["document"][rows], return_inverse=True)
    rank = np.empty(len(codes), "<i8")
    rank[sorted(range(len(codes)), key=lambda at: paths[codes[at]])] = np.arange(len(codes))
    rows = rows[np.lexsort((columns.rows["ordinal"][rows], rank[place]))]
    records = columns.rows.take(rows)
    follows = _next(stock, columns.rows["before"], rows, seen)[1:] == rows[:-1]
    ordinal = np.zeros(len(rows), "<i4")
    np.cumsum(np.where(follows, 1, _APART), out=ordinal[1:])
    terms, starts = columns.terms.of(rows)
    return Pool(
        row=rows,
        document=records["document"],
        ordinal=ordinal,
        time=records["time"],
        speaker=records["speaker"],
        speakers=tuple(stock.names["speaker"]),
        own=np.isin(records["person"], [stock.codes["person"].get(who, -2) for who in asker]),
        flags=records["flags"],
        length=records["length"],
        event_from=records["event_from"],
        event_to=records["event_to"],
        confidence=records["confidence"],
        terms=terms,
        term_start=starts,
        spaces=tuple(view.space(rows) for view in views),
    )
