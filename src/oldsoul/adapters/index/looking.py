"""How candidates are found in an embedded index: who may see what, the best by words and by meaning, and those around."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oldsoul.adapters.index import postings
from oldsoul.adapters.index.rows import seconds
from oldsoul.ranking.pool import NO_TIME, Asked, Known, Pool, Space, Statistics
from oldsoul.ranking.terms import prefix
from oldsoul.ranking.vectors import directions
from oldsoul.values.audience import Audience
from oldsoul.values.recall import COUNTED, SEEN, SOURCES, Filters

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from oldsoul.adapters.index.arrays import Array
    from oldsoul.adapters.index.spaces import Vectors
    from oldsoul.adapters.index.stock import Stock
    from oldsoul.ranking.question import Question

    Tokens = Callable[[int, Sequence[str]], list[list[int]]]

_K1, _B = 1.2, 0.75
_CONTENT = 0.8
_ENOUGH = 40_000
"""When rows that have one of the words are so many, further words are left out."""
_KEPT = 32


class _View(NamedTuple):
    """A space a question is compared in."""

    vectors: Vectors
    asked: Asked
    query: Array | None
    space: Callable[[Array], Space]
    whole: bool = True
    """whether all rows are looked through in it"""
    across: bool = False
    """whether rows in another script than the question are looked through by themselves"""


class Looking:
    """Looks into one stock. What filters let through is worked out once, and for new rows as they come."""

    def __init__(self) -> None:
        self._stock: Stock | None = None
        self._epoch = -1
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
        frequency: Callable[[int], int] = stock.postings.frequency
        if not all(filters.view.sees(Audience.parse(text)) for text in stock.names["audience"]):
            frequency = _visible(stock, self._mask(stock, Filters(filters.view)))
        pairs = zip(question.terms, question.members, strict=True)
        known = tuple(_known(stock, frequency, *pair) for pair in pairs)
        average = columns.length / max(columns.count, 1)
        views = _views(stock, question, tokens, vector)
        abroad = tuple(_known(stock, frequency, "", terms) for terms in question.abroad)
        statistics = Statistics(columns.count, average, known, tuple(view.asked for view in views), abroad)
        chosen = [_by_words(stock, statistics, mask, count, kin=question.by_kin)]
        for view in views:
            if view.query is not None and view.whole:
                chosen.append(view.vectors.nearest(view.query, mask, count))
            if view.query is not None and view.across:
                other = self._other(stock, filters, foreign=not question.foreign)
                chosen.append(view.vectors.nearest(view.query, other, count))
        if question.moments:
            chosen += _then(stock, question.moments, mask, (statistics, views, count))
        around = _around(stock, np.concatenate(chosen), 2)
        around = around[mask[around]]
        around = around[np.lexsort((columns.rows["ordinal"][around], columns.rows["document"][around]))]
        return _pool(stock, around, columns.rows.take(around), views, filters.view.people), statistics

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
            self._stock, self._epoch, self._through, self._version = stock, stock.epoch, {}, -1
        if self._version != stock.version:
            self._version, self._masks, self._others = stock.version, {}, {}
        mask = self._masks.get(filters)
        if mask is None:
            through = self._through.pop(filters, np.zeros(0, bool))
            if len(through) < len(stock.columns):
                through = np.append(through, _let_through(stock, filters, stock.columns.rows[len(through) :]))
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


def _let_through(stock: Stock, filters: Filters, rows: Array) -> Array:
    seen = np.array([filters.view.sees(Audience.parse(text)) for text in stock.names["audience"]], bool)
    mask: Array = seen[rows["audience"]]
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


def _known(stock: Stock, frequency: Callable[[int], int], term: str, belonging: Sequence[str]) -> Known:
    number = stock.known_number(term) if term else -1
    kin = stock.kin(prefix(term)) if term else ()
    own = [n for n in map(stock.known_number, belonging) if n >= 0]
    return Known(number, frequency(number), kin, sum(map(frequency, kin)), tuple(own), sum(map(frequency, own)))


def _visible(stock: Stock, seen: Array) -> Callable[[int], int]:
    """Gives how many rows have a term of those that may be seen: how rare it is must not tell of the others.

    Of a term that very many rows have it is enough that some may be seen.
    """

    def visible(number: int) -> int:
        frequency = stock.postings.frequency(number)
        if not frequency:
            return 0
        found = int(np.count_nonzero(seen.take(stock.postings.find(number)[0])))
        return frequency if found and frequency > COUNTED else found

    return visible


def _views(stock: Stock, question: Question, tokens: Tokens, vector: Array | None) -> list[_View]:
    """The spaces a question is compared in: that of vectors alone, and the tables that read its script, or all.

    Rows in another script are compared in a table that reads both.
    """
    views = []
    mixed = stock.columns.hold_other(foreign=not question.foreign)
    if vector is not None and stock.dense is not None and len(stock.dense.vectors):
        views.append(_View(stock.dense.vectors, Asked(None, vector=vector), vector, stock.dense.space))
    fitting = [n for n, space in enumerate(stock.spaces) if space.table.multilingual != question.in_english]
    own = fitting or list(range(len(stock.spaces)))
    both = next((n for n, space in enumerate(stock.spaces) if space.table.multilingual), -1) if mixed else -1
    for number in dict.fromkeys((*own, both) if both >= 0 else own):
        space = stock.spaces[number].whole(len(stock.columns))
        spoken, *content = map(tuple, tokens(number, [question.spoken, *question.content]))
        asked = Asked(space.static, spoken, tuple(content))
        query = None
        if space.static is not None and len(space.vectors):
            points = directions(asked, space.static)
            asked = Asked(asked.static, asked.spoken, asked.content, directions=points)
            query = (points.whole[0] + _CONTENT * points.whole[1]).astype("<f4", copy=False)
        views.append(_View(space.vectors, asked, query, space.space, number in own, number == both))
    return views


def _by_words(stock: Stock, statistics: Statistics, mask: Array, count: int, *, kin: bool) -> Array:
    """The rows that fit best by their words (BM25), so many; the members of a word's class count half, and kin if asked.

    Rare words come first. Those that very many rows have tell little apart and cost most: they are left out when others
    were there. The rows that are found are scored by them too.
    """
    columns = stock.columns
    asked = [(known.frequency, known.number, known.frequency, 1.0) for known in statistics.known]
    asked += [
        (stock.postings.frequency(member), member, known.members_frequency, share)
        for group, share in ((statistics.known, 0.5), (statistics.abroad, 1.0))
        for known in group
        for member in known.members
    ]
    if kin:
        asked += [
            (stock.postings.frequency(each), each, known.kin_frequency, 0.5)
            for known in statistics.known
            for each in known.kin
            if each != known.number
        ]
    found: list[Array] = []
    weights: list[Array] = []
    looked = 0
    slope = np.float32(_K1 * _B / max(statistics.average_terms, 1.0))
    for own, number, frequency, share in sorted(asked):
        if own <= 0:
            continue
        if looked and looked + own > _ENOUGH:
            break
        looked += own
        rows, counts = stock.postings.find(number)
        seen = mask.take(rows).nonzero()[0]
        if len(seen) < len(rows):
            rows, counts = rows.take(seen), counts.take(seen)
        rarity = float(np.log1p((columns.count - frequency + 0.5) / (frequency + 0.5)))
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


def _then(
    stock: Stock, moments: Sequence[tuple[int, int]], mask: Array, wanted: tuple[Statistics, Sequence[_View], int]
) -> list[Array]:
    """Of the rows that are of some times those that fit best by their words, and by meaning, so many of each."""
    statistics, views, count = wanted
    times = stock.columns.rows["time"]
    then = mask & np.logical_or.reduce([(times >= first) & (times < last) for first, last in moments])
    chosen = [_by_words(stock, statistics, then, count, kin=False)]
    view = next((view for view in views if view.query is not None and view.whole), None)
    if view is None or view.query is None:
        return [*chosen, then.nonzero()[0][:count]]
    return [*chosen, view.vectors.nearest(view.query, then, count)]


def _around(stock: Stock, rows: Array, distance: int) -> Array:
    """Rows and those that stand before and after them, up to this distance, in order and each once."""
    found = [rows]
    before = after = rows
    all_before, all_after = stock.columns.rows["before"], stock.columns.after
    for _ in range(distance):
        before = all_before[before]
        before = before[before >= 0]
        after = all_after[after]
        after = after[after >= 0]
        found += [before, after]
    every = np.concatenate(found).astype("<i8", copy=False)
    every.sort()
    return every[postings.firsts(every)]


def _pool(stock: Stock, rows: Array, records: Array, views: Sequence[_View], asker: Collection[str]) -> Pool:
    terms, starts = stock.columns.terms.of(rows)
    return Pool(
        row=rows,
        document=records["document"],
        ordinal=records["ordinal"],
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
