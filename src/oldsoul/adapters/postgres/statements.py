"""The SQL by which candidates are found in PostgreSQL, and what stands around them."""

from __future__ import annotations

from oldsoul.ranking.marks import SPEAKS, STANDING, Mark
from oldsoul.values.recall import SESSIONS, SOURCES

_FOREIGN = f"((r.flags & {int(Mark.FOREIGN)}) <> 0)"
OTHER = {True: f"NOT {_FOREIGN}", False: _FOREIGN}
"""The rows in another script than the question, by whether this is in another script than Latin."""
TOLD = f"(r.flags & {STANDING}) <> 0"
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
