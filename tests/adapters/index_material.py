"""Memories to put into an index, and questions to it."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from hypothesis import HealthCheck
from hypothesis import strategies as st

from oldsoul.adapters.index.rows import own_flags
from oldsoul.adapters.index.spaces import Table
from oldsoul.language.sentences import sentences
from oldsoul.language.words import words
from oldsoul.ports import Index
from oldsoul.ranking.marks import marked
from oldsoul.ranking.order import Wishes, rank
from oldsoul.ranking.question import asked
from oldsoul.ranking.terms import terms
from oldsoul.ranking.translations import abroad
from oldsoul.values.audience import OWNER, PUBLIC, Audience, View
from oldsoul.values.recall import SOURCES, Chunk, Filed, Filters, Prepared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


TOKENS, WIDTH = 997, 64
WORDS = (
    "cat",
    "dog",
    "house",
    "river",
    "Postgres",
    "garden",
    "key",
    "attic",
    "Berlin",
    "tea",
    "coffee",
    "猫",
    "数据库",
)
QUESTIONS = ("where is the key?", "which cat drinks tea in Berlin", "猫 数据库", "garden house river")
PEOPLE = ("acct:7", "acct:8")
ROOMS = ("dev", "b")
AUDIENCES = (PUBLIC, OWNER, *map(Audience.room, ROOMS), *map(Audience.person, PEOPLE))
EVERYTHING = View(owner=True, every_room=True, rooms=frozenset(), people=frozenset(PEOPLE))
BEGINNING = datetime(2026, 1, 1, 12, tzinfo=UTC)
AGENTS = (f"agent {number}" for number in count())
"""Names for agents that nobody had before."""
INHERITED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]


class Weighable(Index, Protocol):
    """An index whose statistics can be brought up to date at any time."""

    def weigh(self) -> None: ...


class Opened(Protocol):
    """Opens an agent's index; once more is another handle on the same."""

    def __call__(self, agent: str = "main", maker: str = "") -> Weighable: ...


class Tiny:
    """A static table of our own: every word is one token."""

    def __init__(self) -> None:
        self.vectors = np.random.default_rng(5).standard_normal((TOKENS, WIDTH)).astype("f4")

    def tokens(self, _table: int, texts: Sequence[str]) -> list[list[int]]:
        return [[zlib.crc32(word.encode()) % TOKENS for word in words(text)] for text in texts]

    def tables(self) -> list[Table]:
        return [Table("tiny", self.vectors)]


TINY = Tiny()


class Preparing:
    """Prepares chunks, and remembers which."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, chunks: Iterable[Chunk]) -> Iterator[Prepared]:
        for chunk in chunks:
            self.asked.append(chunk.text)
            note = marked(chunk.text, chunk.time.date() if chunk.time else None, own_flags=own_flags(chunk))
            full = [tokens for tokens in TINY.tokens(0, sentences(chunk.text)) if tokens]
            begins = np.cumsum([0, *(len(tokens) for tokens in full[:-1])]) if full else np.zeros(0)
            flat = np.array([token for tokens in full for token in tokens], "<i4")
            yield Prepared(
                chunk,
                tuple(terms(f"{chunk.speaker} {chunk.text}")),
                ((flat.tobytes(), begins.astype("<i4").tobytes()),),
                note.flags,
                note.length,
                note.event_from,
                note.event_to,
            )


prepare = Preparing()


def chunk(path: str, line: int, text: str, audience: Audience = OWNER, **facts: Any) -> Chunk:
    facts.setdefault("time", BEGINNING + timedelta(days=line))
    facts.setdefault("entry", f"{zlib.crc32(f'{path}{line}'.encode()):010}")
    return Chunk(path, line, line, text, audience, **facts)


def filed(path: str, *texts: str, digest: str = "1", first: int = 1, **facts: Any) -> Filed:
    """A document of some chunks."""
    return Filed(path, digest, tuple(chunk(path, line, text, **facts) for line, text in enumerate(texts, first)))


def everything(
    index: Index, question: str, filters: Filters | None = None, vector: tuple[str, Any] | None = None
) -> list[tuple[str, int, float]]:
    """All hits of a question: where each stands, and its score."""
    wanted = asked(question)
    with index.steady():
        if index.holds_other(wanted, (filters or Filters(EVERYTHING)).view):
            wanted = replace(wanted, abroad=abroad(wanted))
        pool, statistics = index.look(wanted, filters or Filters(EVERYTHING), TINY.tokens, 10_000, vector)
        if not len(pool):
            return []
        ranked = rank(pool, statistics, wanted, Wishes(limit=10_000, now=1_800_000_000))
        chunks = index.chunks(pool.row[ranked.order].tolist())
    return [
        (each.path, each.start_line, round(float(ranked.shown[place]), 4))
        for each, place in zip(chunks, ranked.order, strict=True)
    ]


def places(index: Index, question: str, filters: Filters | None = None) -> list[tuple[str, int]]:
    return [(path, line) for path, line, _ in everything(index, question, filters)]


def texts_of(index: Index, path: str) -> list[str]:
    return [each.text for each in index.chunks(index.rows_of(path))]


def alike(one: list[tuple[str, int, float]], other: list[tuple[str, int, float]]) -> bool:
    """Whether hits are the same and their scores nearly so."""
    one, other = sorted(one), sorted(other)
    return [hit[:2] for hit in one] == [hit[:2] for hit in other] and all(
        abs(a[2] - b[2]) < 0.02 for a, b in zip(one, other, strict=True)
    )


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 9)))


def dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a test's dice


TEXTS = st.integers(0, 1 << 30).map(lambda seed: sentence(dice(seed)))
PUTS = st.lists(
    st.tuples(
        st.sampled_from(["a.md", "b.md", "c.md", "d.md"]),
        st.lists(TEXTS, max_size=6),
        st.sampled_from(AUDIENCES),
        st.booleans(),
        st.integers(0, 6),
    ),
    min_size=1,
    max_size=8,
)
VIEWS = st.builds(
    View,
    st.booleans(),
    st.booleans(),
    st.sets(st.sampled_from([Audience.room(room).id for room in ROOMS])).map(frozenset),
    st.sets(st.sampled_from([Audience.person(person).id for person in PEOPLE])).map(frozenset),
)
MOMENTS = st.none() | st.integers(0, 12).map(lambda days: BEGINNING + timedelta(days=days))
MAYBE = st.just("")
FILTERS = st.builds(
    Filters,
    VIEWS,
    st.lists(st.sampled_from(SOURCES), max_size=2, unique=True).map(tuple),
    MOMENTS,
    MOMENTS,
    MAYBE | st.sampled_from(["fact", "no such tag"]),
    MAYBE | st.sampled_from([*ROOMS, "no such room"]),
    MAYBE | st.sampled_from([*PEOPLE, "nobody"]),
    MAYBE | st.sampled_from(["3.md", "no such.md"]),
)


def lets_through(filters: Filters, one: Chunk) -> bool:
    """What filters mean, in plain words."""
    return (
        filters.view.sees(one.audience)
        and one.source in (filters.sources or SOURCES)
        and (filters.since is None or (one.time is not None and one.time >= filters.since))
        and (filters.until is None or (one.time is not None and one.time < filters.until))
        and all(
            not wanted or wanted == has
            for wanted, has in (
                (filters.tag, one.tag),
                (filters.room, one.room),
                (filters.person, one.person),
                (filters.path, one.path),
            )
        )
    )


def mixture(seed: int, documents: int = 12) -> list[Filed]:
    """Documents of all kinds."""
    chance = dice(seed)
    return [
        Filed(
            f"{number}.md",
            "1",
            tuple(
                chunk(
                    f"{number}.md",
                    line,
                    sentence(chance),
                    chance.choice(AUDIENCES),
                    source=chance.choice(SOURCES),
                    time=chance.choice([None, BEGINNING + timedelta(days=chance.randrange(12))]),
                    tag=chance.choice(["", "fact", "rule"]),
                    room=chance.choice(["", *ROOMS]),
                    person=chance.choice(["", *PEOPLE]),
                )
                for line in range(1, chance.randrange(2, 6))
            ),
        )
        for number in range(documents)
    ]
