"""The SQL by which candidates are found in PostgreSQL, and what is around them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from oldsoul.adapters.columns import digest, stored
from oldsoul.adapters.index.alike import crowded, varied
from oldsoul.adapters.index.rows import seconds
from oldsoul.adapters.index.spaces import Table
from oldsoul.adapters.postgres.index_rows import Own, Owned, owned
from oldsoul.adapters.postgres.index_tables import PLAIN, SHARED, Array, fetched, unpacked, written
from oldsoul.adapters.postgres.server import Connection
from oldsoul.adapters.postgres.snapshot import DENSE, IndexSnapshot
from oldsoul.ranking.marks import SPEAKS, Mark
from oldsoul.ranking.pool import NO_TIME, Asked, Known, Pool, Space, Static, Statistics
from oldsoul.ranking.question import Question
from oldsoul.ranking.terms import prefix
from oldsoul.ranking.vectors import directions, embedded, units
from oldsoul.values.audience import View
from oldsoul.values.recall import SEEN, SESSIONS, SOURCES, Filters

Tokens = Callable[[int, Sequence[str]], list[list[int]]]


_FOREIGN = f"((r.flags & {int(Mark.FOREIGN)}) <> 0)"
OTHER = {True: f"NOT {_FOREIGN}", False: _FOREIGN}
"""The rows in another script than the question, by whether this is in another script than Latin."""
"""The rows that likely tell the agent what to do from now on."""
HEARD = f"""SELECT s FROM unnest(%s::int[]) AS s CROSS JOIN LATERAL (
        SELECT 1 FROM oldsoul_index_rows WHERE agent=%s AND speaker=s AND audience=ANY(%s::int[])
        AND (source={SOURCES.index(SESSIONS)} OR flags & {SPEAKS} <> 0) LIMIT 1
    ) r"""  # noqa: S608 - numbers of ours
SETTINGS = """SELECT set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true),
    set_config('enable_sort', 'off', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.max_scan_tuples', %s, true), set_config('hnsw.ef_search', %s, true)"""
"""Without sorting, what the index of vectors is sorted by is taken from it."""
TERMS = """SELECT t.number, t.term, t.prefix, c.rows FROM (
        SELECT number, term, prefix FROM oldsoul_index_terms WHERE agent=%(agent)s AND term=ANY(%(terms)s)
        UNION SELECT number, term, prefix FROM oldsoul_index_terms WHERE agent=%(agent)s AND prefix=ANY(%(prefixes)s)
    ) t CROSS JOIN LATERAL (
        SELECT sum(rows)::bigint AS rows FROM oldsoul_index_counts
        WHERE agent=%(agent)s AND term=t.number AND audience=ANY(%(audiences)s::int[]) OFFSET 0
    ) c WHERE c.rows>0"""
SEEN_ROWS = """SELECT t.term, p."row" FROM oldsoul_index_terms t CROSS JOIN LATERAL (
        SELECT p."row" FROM oldsoul_index_postings p CROSS JOIN LATERAL (
            SELECT 1 FROM oldsoul_index_rows r WHERE r.agent=%(agent)s AND r."row"=p."row" AND {where} OFFSET 0
        ) r WHERE p.agent=%(agent)s AND p.term=t.number ORDER BY p."row" LIMIT %(most)s
    ) p WHERE t.agent=%(agent)s AND t.term=ANY(%(terms)s) ORDER BY t.term, p."row" """
# `LATERAL … OFFSET 0` says what is looked up for each row of what, by its key: a server that has not counted its tables
# yet would go through all of an agent's rows instead.
BY_WORDS = """SELECT r.document, r.ordinal, h.score FROM (
        SELECT p."row", sum(a.weight * p.times / (p.times + %(flat)s + %(steep)s * p.length)) AS score
        FROM unnest(%(terms)s::int[], %(weights)s::float8[]) AS a (term, weight)
        CROSS JOIN LATERAL (
            SELECT "row", times, length FROM oldsoul_index_postings WHERE agent=%(agent)s AND term=a.term OFFSET 0
        ) p
        GROUP BY p."row" HAVING sum(a.weight) > 0 ORDER BY score DESC, p."row"
    ) h CROSS JOIN LATERAL (
        SELECT r.document, r.ordinal FROM oldsoul_index_rows r WHERE r.agent=%(agent)s AND r."row"=h."row" AND {where} OFFSET 0
    ) r ORDER BY h.score DESC, h."row" LIMIT %(count)s"""
OF_THEN = """SELECT r.document, r.ordinal FROM oldsoul_index_rows r WHERE r.agent=%(agent)s AND {where}
    ORDER BY r."row" LIMIT %(count)s"""
EXACTLY = """SELECT r.document, r.ordinal, v.far FROM oldsoul_index_rows r CROSS JOIN LATERAL (
        SELECT vector::halfvec({width}) <#> %(query)s::halfvec({width}) AS far FROM {relation} WHERE agent=%(agent)s AND space=%(space)s AND "row"=r."row" OFFSET 0
    ) v WHERE r.agent=%(agent)s AND {where}
    ORDER BY v.far, r."row" LIMIT %(count)s"""
QUICKLY = """SELECT r.document, r.ordinal, v.far FROM (
        SELECT "row", vector::halfvec({width}) <#> %(query)s::halfvec({width}) AS far FROM {relation}
        ORDER BY vector::halfvec({width}) <#> %(query)s::halfvec({width})
    ) v CROSS JOIN LATERAL (
        SELECT r.document, r.ordinal FROM oldsoul_index_rows r WHERE r.agent=%(agent)s AND r."row"=v."row" AND {where} OFFSET 0
    ) r LIMIT %(count)s"""
PLAINLY = """SELECT r.document, r.ordinal, v.far FROM oldsoul_index_rows r CROSS JOIN LATERAL (
        SELECT CASE WHEN l2_norm(vector::halfvec({width}))=0 THEN 1 ELSE
            ((vector::halfvec({width}) <#> %(query)s::halfvec({width})) + %(offset)s)
            / greatest(vector::halfvec({width}) <-> %(mean)s::halfvec({width}), 1e-9) END AS far
        FROM {relation} WHERE agent=%(agent)s AND space=%(space)s AND "row"=r."row" OFFSET 0
    ) v WHERE r.agent=%(agent)s AND {where}
    ORDER BY v.far, r."row" LIMIT %(count)s"""
SEEN_AROUND = """SELECT u.document, n.ordinal
    FROM unnest(%(documents)s::int[], %(ordinals)s::int[]) AS u (document, ordinal) CROSS JOIN LATERAL (
        (SELECT ordinal FROM oldsoul_index_rows WHERE agent=%(agent)s AND document=u.document AND ordinal<u.ordinal
            AND audience=ANY(%(audiences)s::int[]) ORDER BY ordinal DESC LIMIT %(around)s)
        UNION ALL
        (SELECT ordinal FROM oldsoul_index_rows WHERE agent=%(agent)s AND document=u.document AND ordinal>u.ordinal
            AND audience=ANY(%(audiences)s::int[]) ORDER BY ordinal LIMIT %(around)s)
    ) n"""
BEFORE = """(SELECT ordinal FROM oldsoul_index_rows b WHERE b.agent=%(agent)s AND b.document=r.document
        AND b.ordinal<r.ordinal AND b.audience=ANY(%(audiences)s::int[]) ORDER BY b.ordinal DESC LIMIT 1)"""
POOL = """SELECT r."row", r.document, r.ordinal, r.time, r.speaker, r.person, r.flags, r.length, r.event_from,
        r.event_to, r.confidence, t.terms, f.path, {before}{columns}
    FROM unnest(%(documents)s::int[], %(ordinals)s::int[]) AS u (document, ordinal) CROSS JOIN LATERAL (
        SELECT r.* FROM oldsoul_index_rows r
        WHERE r.agent=%(agent)s AND r.document=u.document AND r.ordinal=u.ordinal AND {where} OFFSET 0
    ) r CROSS JOIN LATERAL (
        SELECT terms, tokens, sentences FROM oldsoul_index_texts WHERE agent=%(agent)s AND "row"=r."row" OFFSET 0
    ) t CROSS JOIN LATERAL (
        SELECT path FROM oldsoul_index_files WHERE agent=%(agent)s AND document=r.document OFFSET 0
    ) f{joins}"""
VECTOR = """ LEFT JOIN LATERAL (
        SELECT vector, norms FROM {relation} WHERE agent=%(agent)s AND space={space} AND "row"=r."row" OFFSET 0
    ) v{place} ON true"""


_K1, _B = 1.2, 0.75
_CONTENT = 0.8
_COMMON = 1000
_MOST = 50_000
"""Of many rows that have one of the words, about so many are scored by them."""
_AROUND = 2
_FIXED = 14
"""So many columns of a candidate come before those of the spaces."""
_APART = 3
"""The distance between numbers of neighbouring rows, so that others fit between them."""
_COPIED = 40
"""Where the best rows are mostly copies, so many times more are looked at."""
_SCAN = 4000
"""When so many of the nearest vectors do not hold enough that the filters let through, all that they do are compared."""


class PostgresCandidates:
    """The rows that filters let through, so many by words and so many in each space, as of one moment.

    Whatever is counted over rows is counted over those that whoever asks may see: what they find must not tell of the
    others. Tokens alone weigh for the operator what they weigh in all rows, none of which are hidden from them for good.
    """

    def __init__(
        self,
        connection: Connection,
        now: IndexSnapshot,
        tables: Sequence[Table],
        filters: Filters,
        count: int,
        *,
        own: Owned | None = None,
    ) -> None:
        self._connection = connection
        self._now = now
        self._tables = tables
        self._filters = filters
        self._count = count
        self._seen = now.seen(filters.view)
        self._own = {} if own is None else own

    def look(self, question: Question, tokens: Tokens, asked: tuple[str, Array] | None) -> tuple[Pool, Statistics]:
        """The candidates, and what scoring needs of the store."""
        across = holds_other(self._now, question, self._filters.view)
        spaces = self._spaces(asked)
        statistics = self._statistics(question, tokens, spaces, asked)
        where, values = self._conditions()
        effort = min(max(2 * self._count, 100), 1000)
        fetched(self._connection, SETTINGS, (str(max(_SCAN, 4 * self._count)), str(effort)))
        found = self._by_words((where, values), statistics, with_family=question.by_kin)
        queries = self._queries(spaces, statistics)
        for space, query in queries:
            wheres = [where]
            wheres += [f"{where} AND {OTHER[question.foreign]}"] if across and space != DENSE else []
            for which in wheres:
                shared = self._now.spaces[space].relation == SHARED
                exact = shared or bool(self._filters.path) or not self._filters.view.owner
                near = self._nearest((which, values), space, query, exact=exact)
                if not exact and len(near) < min(self._count, self._now.rows):
                    near = self._nearest((which, values), space, query, exact=True)
                found |= near
        if question.moments:
            found |= self._then(question.moments, (where, values), statistics, spaces)
        return self._pool((where, values), found, spaces), statistics

    def _then(
        self,
        moments: Sequence[tuple[int, int]],
        filters: tuple[str, dict[str, Any]],
        statistics: Statistics,
        spaces: Sequence[int],
    ) -> set[tuple[int, int]]:
        """Of the rows that are of some times those that fit best by their words, and by meaning, so many of each."""
        where, values = filters
        spans = " OR ".join(f"(r.time>={first} AND r.time<{last})" for first, last in moments)
        then = (f"{where} AND ({spans})", values)
        found = self._by_words(then, statistics, with_family=False)
        queries = self._queries(spaces, statistics)[:1]
        for space, query in queries:
            found |= self._nearest(then, space, query, exact=True)
        if not queries:
            found |= set(fetched(self._connection, OF_THEN.format(where=then[0]), values, prepare=False))
        return found

    def seen(self, terms: Collection[str]) -> dict[str, list[int]]:
        """Some of the rows in which each of some terms is."""
        where, values = self._conditions()
        own = {stored(term): term for term in terms}
        more = {"terms": list(own), "most": SEEN}
        found: dict[str, list[int]] = {}
        for term, row in fetched(self._connection, SEEN_ROWS.format(where=where), {**values, **more}, prepare=False):
            found.setdefault(own[term], []).append(int(row))
        return found

    def _spaces(self, asked: tuple[str, Array] | None) -> list[int]:
        """The spaces a question is compared in: the tables', and its embedder's."""
        dense = self._now.spaces.get(DENSE)
        fits = asked and dense and (dense.name, dense.width) == (stored(asked[0]), len(asked[1])) and dense.rows > 0
        return [*range(len(self._tables)), *([DENSE] if fits else [])]

    # what scoring needs of the store

    def _statistics(
        self, question: Question, tokens: Tokens, spaces: Sequence[int], vector: tuple[str, Array] | None
    ) -> Statistics:
        terms = {*question.terms, *chain.from_iterable(question.members), *chain.from_iterable(question.abroad)}
        values = {
            "agent": self._now.agent,
            "terms": [stored(term) for term in terms],
            "prefixes": [stored(prefix(term)) for term in question.terms],
            "audiences": self._seen,
        }
        rows = fetched(self._connection, TERMS, values, prepare=False)
        numbers = {term: (number, count) for number, term, _, count in rows}
        family: dict[str, list[tuple[int, int]]] = {}
        for number, _, begin, count in sorted(rows, key=itemgetter(1)):
            family.setdefault(begin, []).append((number, count))
        known = []
        for term, members in zip(question.terms, question.members, strict=True):
            number, count = numbers.get(stored(term), (-1, 0))
            near = family.get(stored(prefix(term)), [])
            known.append(
                Known(number, count, tuple(n for n, _ in near), sum(c for _, c in near), *_members(members, numbers))
            )
        translations = tuple(Known(-1, 0, (), 0, *_members(said, numbers)) for said in question.abroad)
        asked = tuple(
            Asked(None, vector=units(np.asarray(vector[1], "<f4")) if vector else None)
            if space == DENSE
            else Asked(
                self._static(space),
                tuple(tokens(space, [question.spoken])[0]),
                tuple(map(tuple, tokens(space, question.content))),
            )
            for space in spaces
        )
        seen, length, _ = self._now.among(self._seen)
        return Statistics(seen, length / max(seen, 1), tuple(known), asked, translations)

    def _static(self, space: int) -> Static | None:
        """What the tokens of a table weigh for whoever asks."""
        if self._filters.view.owner:
            return self._now.statics[space]
        own = self._owned(space)
        return own.weighed if own.rows else None

    def _owned(self, space: int) -> Own:
        """What tokens weigh in the rows that are seen."""
        table = self._tables[space].vectors
        return owned(self._connection, self._now, self._own, (self._filters.view, space), table)

    # candidates

    def _conditions(self) -> tuple[str, dict[str, Any]]:
        """The filters as SQL."""
        filters, names = self._filters, self._now.names
        where = ["NOT r.superseded", "r.audience=ANY(%(audiences)s::int[])"]
        values: dict[str, Any] = {"agent": self._now.agent, "count": self._count, "audiences": self._seen}
        if filters.sources:
            where.append("r.source=ANY(%(sources)s::smallint[])")
            values["sources"] = [SOURCES.index(source) for source in filters.sources]
        if filters.since is not None:
            where.append("r.time>=%(since)s")
            values["since"] = seconds(filters.since)
        if filters.until is not None:
            where.append("r.time<%(until)s AND r.time<>%(no_time)s")
            values |= {"until": seconds(filters.until), "no_time": NO_TIME}
        for kind, value in (("tag", filters.tag), ("room", filters.room), ("person", filters.person)):
            if value:
                where.append(f"r.{kind}=%({kind})s")
                values[kind] = names[kind].index(value) if value in names[kind] else -2
        if filters.path:
            where.append("r.document=%(document)s")
            sql = "SELECT document FROM oldsoul_index_files WHERE agent=%s AND place=%s"
            found = fetched(self._connection, sql, (self._now.agent, digest(filters.path)))
            values["document"] = found[0][0] if found else -2
        return " AND ".join(where), values

    def _by_words(
        self, filters: tuple[str, dict[str, Any]], statistics: Statistics, *, with_family: bool
    ) -> set[tuple[int, int]]:
        """The rows that fit best by their words (BM25), the members of a word's class counting half, and its prefix family if asked."""
        # Words that every other row has tell nothing apart and cost most; the rows that are found are scored by them too.
        common = max(_COMMON, statistics.rows // 8)
        rare = any(0 < known.frequency <= common for known in statistics.known)
        found: list[tuple[float, int, float]] = []
        every = [(known, 0.5) for known in statistics.known] + [(known, 1.0) for known in statistics.abroad]
        for known, half in every:
            if rare and known.frequency > common:
                continue
            each = known.members_frequency / max(len(known.members), 1)
            near = known.kin_frequency / max(len(known.kin), 1)
            share = (
                (known.number, known.frequency, known.frequency, 1.0),
                *((n, known.members_frequency, each, half) for n in known.members),
                *((n, known.kin_frequency, near, half) for n in known.kin if with_family and n != known.number),
            )
            for number, frequency, cost, weight in share:
                if number >= 0 and frequency:
                    rarity = np.log1p((statistics.rows - frequency + 0.5) / (frequency + 0.5))
                    found.append((cost, number, weight * max(float(rarity), 0.0) * (_K1 + 1)))
        # Rare words first, and no more than can be added up quickly.
        found.sort(key=itemgetter(0))
        costs = np.cumsum([cost for cost, _, _ in found])
        taken = found[: max(1, int(np.searchsorted(costs, _MOST, "right")))]
        terms, weights = [number for _, number, _ in taken], [weight for _, _, weight in taken]
        if not terms:
            return set()
        where, values = filters
        steep = _K1 * _B / max(statistics.average_terms, 1.0)
        more = {"terms": terms, "weights": weights, "flat": _K1 * (1 - _B), "steep": steep}
        return self._varied(BY_WORDS.format(where=where), {**values, **more})

    def _varied(self, sql: str, values: dict[str, Any]) -> set[tuple[int, int]]:
        """The places of the best rows of a query; where they are mostly copies, of many more, and not all of these."""
        count = self._count
        rows = fetched(self._connection, sql, values, prepare=False)
        if len(rows) == count and crowded(np.array([score for _, _, score in rows])):
            rows = fetched(self._connection, sql, {**values, "count": _COPIED * count}, prepare=False)
            scores = np.array([score for _, _, score in rows])
            scores = scores if scores[0] > scores[-1] else -scores  # words: the most; meaning: the least far
            rows = [rows[at] for at in varied(np.arange(len(rows)), scores, count)]
        return {(document, ordinal) for document, ordinal, _ in rows}

    def _queries(self, spaces: Sequence[int], statistics: Statistics) -> list[tuple[int, dict[str, Any]]]:
        """What is looked for in each space that holds something, as the server takes it."""
        found: list[tuple[int, dict[str, Any]]] = []
        for space, asked in zip(spaces, statistics.asked, strict=True):
            if asked.static is not None:
                static = asked.static if self._filters.view.owner else self._owned(space).plain
                spoken, content = directions(asked, static).whole
                query = spoken + _CONTENT * content
                more = {"mean": written(static.mean), "offset": float(static.mean @ query)}
                found.append((space, {"query": written(query), **more}))
            elif asked.vector is not None:
                found.append((space, {"query": written(asked.vector)}))
        return found

    def _nearest(
        self, filters: tuple[str, dict[str, Any]], space: int, query: dict[str, Any], *, exact: bool
    ) -> set[tuple[int, int]]:
        where, values = filters
        sql = EXACTLY if exact else QUICKLY
        if not self._filters.view.owner and space != DENSE:
            sql, space = PLAINLY, PLAIN + space
        kept = self._now.spaces[space]
        sql = sql.format(relation=kept.relation, where=where, width=kept.width)
        return self._varied(sql, {**values, "space": space, **query})

    # the pool

    def _pool(self, filters: tuple[str, dict[str, Any]], found: set[tuple[int, int]], spaces: Sequence[int]) -> Pool:
        where, values = filters
        before = "r.ordinal-1"
        places = {(document, ordinal + by) for document, ordinal in found for by in range(-_AROUND, _AROUND + 1)}
        if len(self._seen) < len(self._now.names["audience"]):  # what is not seen is nobody's neighbour
            before = BEFORE
            more = {"documents": [d for d, _ in found], "ordinals": [o for _, o in found], "around": _AROUND}
            places = found | set(fetched(self._connection, SEEN_AROUND, {**values, **more}, prepare=False))
        columns, joins = "", ""
        for place, space in enumerate(spaces):
            kept = space == DENSE or self._filters.view.owner
            columns += f", v{place}.vector, v{place}.norms" if kept else ", NULL, NULL"
            columns += f", t.tokens[{space + 1}], t.sentences[{space + 1}]" if space != DENSE else ", NULL, NULL"
            if kept and space in self._now.spaces:
                joins += VECTOR.format(relation=self._now.spaces[space].relation, space=space, place=place)
        if any(space not in self._now.spaces for space in spaces):
            places, columns, joins = set(), "", ""  # nothing was ever weighed: there are no rows
        ordered = sorted(places)
        more = {"documents": [document for document, _ in ordered], "ordinals": [ordinal for _, ordinal in ordered]}
        sql = POOL.format(columns=columns, joins=joins, where=where, before=before)
        rows = fetched(self._connection, sql, {**values, **more}, prepare=False) if places else []
        rows.sort(key=itemgetter(12, 2))
        by = list(zip(*rows, strict=True)) if rows else [()] * (_FIXED + 4 * len(spaces))
        steps = (1 if this[1] == last[1] and this[13] == last[2] else _APART for last, this in pairwise(rows))
        terms, term_start = _joined(by[11])
        own = [n for n, person in enumerate(self._now.names["person"]) if person in self._filters.view.people]
        return Pool(
            row=np.array(by[0], "<i8"),
            document=np.array(by[1], "<i4"),
            ordinal=np.array(list(accumulate(steps, initial=0))[: len(rows)], "<i4"),
            time=np.array(by[3], "<i8"),
            speaker=np.array(by[4], "<i4"),
            speakers=self._now.names["speaker"],
            own=np.isin(np.array(by[5], "<i4"), own),
            flags=np.array(by[6], "<i4"),
            length=np.array(by[7], "<i4"),
            event_from=np.array(by[8], "<i4"),
            event_to=np.array(by[9], "<i4"),
            confidence=np.array(by[10], "<f4"),
            terms=terms,
            term_start=term_start,
            spaces=tuple(
                self._space(space, *by[_FIXED + 4 * n : _FIXED + 4 + 4 * n]) for n, space in enumerate(spaces)
            ),
        )

    def _space(
        self, space: int, vectors: Sequence[Any], norms: Sequence[Any], tokens: Sequence[Any], begins: Sequence[Any]
    ) -> Space:
        is_dense = space == DENSE
        width = (
            self._now.spaces[space].width if space in self._now.spaces else int(self._tables[space].vectors.shape[1])
        )
        flat, starts = _joined(tokens)
        inside, offsets = _joined(begins)
        begin = inside + np.repeat(starts[:-1], np.diff(offsets))
        if is_dense or self._filters.view.owner:
            made, norm = unpacked(vectors, width), np.frombuffer(b"".join(part or b"" for part in norms), "<f4")
        else:
            found = embedded(flat, starts, begin, self._owned(space).weighed)
            made, norm = found.vectors, found.sentence_norm[: len(begin)]
        return Space(
            vectors=made,
            tokens=flat,
            token_start=starts,
            sentence_start=begin,
            sentence_norm=norm,
        )


def holds_other(now: IndexSnapshot, question: Question, view: View) -> bool:
    """Whether some of the rows that a view sees are in another script than a question."""
    rows, _, foreign = now.among(now.seen(view))
    return foreign < rows if question.foreign else foreign > 0


def heard(connection: Connection, now: IndexSnapshot, people: Collection[str], view: View) -> set[str]:
    """Those of some speakers who spoke where a view sees it: in a message, or asking, or about themselves."""
    names = now.names["speaker"]
    codes = {names.index(name): name for name in people if name in names}
    return {codes[code] for (code,) in fetched(connection, HEARD, (list(codes), now.agent, now.seen(view)))}


def _members(terms: Sequence[str], numbers: Mapping[str, tuple[int, int]]) -> tuple[tuple[int, ...], int]:
    """The numbers of those terms that there are, and how many rows have one."""
    own = [numbers[stored(term)] for term in terms if stored(term) in numbers]
    return tuple(n for n, _ in own), sum(c for _, c in own)


def _joined(parts: Sequence[bytes | None]) -> tuple[Array, Array]:
    """Runs of numbers one after the other, and where each begins."""
    lengths = [len(part or b"") // 4 for part in parts]
    return np.frombuffer(b"".join(part or b"" for part in parts), "<i4"), np.append(0, np.cumsum(lengths, dtype="<i8"))
