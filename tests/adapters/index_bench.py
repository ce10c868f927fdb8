"""An index with a tiny table, and memories to put into it."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from oldsoul.adapters.index.engine import SqliteIndex
from oldsoul.adapters.index.spaces import Table
from oldsoul.language.words import words
from oldsoul.ranking.options import SearchOptions
from oldsoul.ranking.order import Wishes, rank
from oldsoul.ranking.question import asked
from oldsoul.recall import Recall, Sources
from oldsoul.testing import FrozenClock, MemoryChatLog, MemoryStore
from oldsoul.values.audience import OWNER, PUBLIC, Audience, View
from oldsoul.values.recall import Chunk, Filed, Filters

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TOKENS, WIDTH = 997, 64
EVERYTHING = View(owner=True, every_room=True, rooms=frozenset(), people=frozenset({"acct:7", "acct:8"}))
AUDIENCES = (
    PUBLIC,
    OWNER,
    Audience.room("dev"),
    Audience.room("b"),
    Audience.person("acct:7"),
    Audience.person("acct:8"),
)


class Tiny:
    """A static table of our own: every word is one token."""

    count = 1

    def __init__(self) -> None:
        self.vectors = np.random.default_rng(5).standard_normal((TOKENS, WIDTH)).astype("f4")

    def tokens(self, table: int, texts: Sequence[str]) -> list[list[int]]:
        assert 0 <= table < self.count
        return [[zlib.crc32(word.encode()) % TOKENS for word in words(text)] for text in texts]

    def tables(self) -> list[Table]:
        return [Table("tiny", self.vectors)]


TINY = Tiny()


def index_at(path: Path, made: str = "") -> SqliteIndex:
    return SqliteIndex(str(path), TINY.tables(), made)


def recall_on(index: SqliteIndex) -> Recall:
    """A recall that only ever asks this index."""
    store = MemoryStore()
    sources = Sources("main", store, store, lambda _: None, MemoryChatLog, lambda _: b"", UTC)
    return Recall(index, TINY, sources, SearchOptions(), FrozenClock())


def filed(path: str, *texts: str, audience: Audience = OWNER, digest: str = "1", speaker: str = "") -> Filed:
    """A document of some chunks."""
    chunks = [
        Chunk(
            path,
            line,
            line,
            text,
            audience,
            speaker=speaker,
            time=datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(days=line),
            entry=f"{zlib.crc32(f'{path}{line}'.encode()):010}",
        )
        for line, text in enumerate(texts, 1)
    ]
    return Filed(path, digest, tuple(chunks))


def everything(index: SqliteIndex, question: str, view: View = EVERYTHING) -> list[tuple[str, int, float]]:
    """All hits of a question: where each stands, and its score."""
    wanted = asked(question)
    with index.steady():
        pool, statistics = index.look(wanted, Filters(view), TINY.tokens, 10_000)
        if not len(pool):
            return []
        ranked = rank(pool, statistics, wanted, Wishes(limit=10_000, now=1_800_000_000))
        chunks = index.chunks(pool.row[ranked.order].tolist())
    return [
        (chunk.path, chunk.start_line, round(float(ranked.shown[place]), 4))
        for chunk, place in zip(chunks, ranked.order, strict=True)
    ]


class _Nothing:
    speakers = ()


prepare = recall_on(_Nothing()).prepared  # type: ignore[arg-type]
