"""What tokens weigh for those who do not see every row of an index in PostgreSQL: counted over the rows they see."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oldsoul.adapters.postgres.schema import fetched
from oldsoul.ranking.vectors import own_weights

if TYPE_CHECKING:
    from oldsoul.adapters.postgres.picture import Picture
    from oldsoul.adapters.postgres.schema import Array
    from oldsoul.adapters.postgres.server import Connection
    from oldsoul.ranking.pool import Rows, Static
    from oldsoul.values.audience import View

    Owned = dict[tuple[View, int], "Own"]

_OWNERS = 8
"""For so many views it is remembered what tokens weigh for them."""
_TOKENS = """SELECT t.tokens FROM oldsoul_index_rows r CROSS JOIN LATERAL (
        SELECT tokens[%(table)s] AS tokens FROM oldsoul_index_texts WHERE agent=%(agent)s AND "row"=r."row" OFFSET 0
    ) t WHERE r.agent=%(agent)s AND r."row">=%(first)s AND r.audience=ANY(%(audiences)s::int[])"""


class Own(NamedTuple):
    """How often the rows that a view sees use each token of a table, and what tokens weigh by that."""

    agent: int
    """whose rows"""
    last: int
    """the row after the last that was looked at"""
    rows: int
    """how many are seen"""
    counts: Array
    weighed: Static
    plain: Static


def owned(connection: Connection, now: Picture, kept: Owned, key: tuple[View, int], table: Rows) -> Own:
    """What the tokens of a table weigh in the rows that a view sees; only rows that are new are fetched and counted."""
    view, space = key
    seen = now.seen(view)
    rows = now.among(seen)[0]
    none = np.zeros(len(table), "<i8")
    known = kept.get(key)

    def tokens(first: int) -> list[tuple[bytes]]:
        values = {"agent": now.agent, "table": space + 1, "first": first, "audiences": seen}
        return fetched(connection, _TOKENS, values, prepare=False)

    if known is None or known.agent != now.agent or known.last > now.next_row:
        known = Own(now.agent, 0, 0, none, *own_weights(none, table))
    if known.last < now.next_row or known.rows != rows:
        fresh = tokens(known.last)
        if known.rows + len(fresh) != rows:  # some are gone
            known, fresh = known._replace(counts=none), tokens(0)
        known = known._replace(last=now.next_row, rows=rows)
        if fresh:
            flat = np.frombuffer(b"".join(data for (data,) in fresh), "<i4")
            counts = known.counts + np.bincount(flat, minlength=len(table))
            known = Own(now.agent, now.next_row, rows, counts, *own_weights(counts, table))
    kept.pop(key, None)
    kept[key] = known
    while len(kept) > _OWNERS:
        kept.pop(next(iter(kept)), None)
    return known
