"""Every index under one contract, and the two held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.index_contract import IndexContract
from adapters.index_material import (
    AGENTS,
    EVERYTHING,
    FILTERS,
    INHERITED,
    QUESTIONS,
    TINY,
    alike,
    everything,
    filed,
    mixture,
    places,
    prepare,
)
from adapters.index_server import a_common_database, a_server, an_opener_among_others  # noqa: F401 - fixtures
from oldsoul.adapters.index.engine import SqliteIndex
from oldsoul.adapters.postgres import vectors as postgres_vectors
from oldsoul.errors import Damaged, Unavailable
from oldsoul.values.recall import Filed, Filters
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from adapters.index_material import Opened
    from oldsoul.adapters.postgres.index import PostgresIndex


def embedded(folder: Path) -> Opened:
    def opened(agent: str = "main", maker: str = "") -> SqliteIndex:
        return SqliteIndex(str(folder / f"{agent}.db"), TINY.tables(), maker)

    return opened


class TestEmbedded(IndexContract):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Opened:
        return embedded(tmp_path)


class TestPostgres(IndexContract):
    @pytest.fixture
    def opened(self, among: Opened) -> Opened:
        return among


class TestPostgresWithIndexes(IndexContract):
    """The same when the vectors of every agent but the smallest are in tables of their own."""

    @pytest.fixture
    def opened(self, among: Opened, monkeypatch: pytest.MonkeyPatch) -> Opened:
        monkeypatch.setattr(postgres_vectors, "MANY", 2)
        return among


# the same in both


@settings(max_examples=scaled(8, 60), suppress_health_check=INHERITED)
@given(st.integers(0, 1 << 30), FILTERS)
def test_both_engines_give_the_same_hits(
    tmp_path_factory: pytest.TempPathFactory, among: Opened, seed: int, filters: Filters
) -> None:
    one, other = embedded(tmp_path_factory.mktemp("index"))(), among(next(AGENTS))
    for index in (one, other):
        index.put(mixture(seed), prepare)
        index.put([filed("3.md", "a new line", digest="2"), Filed("5.md", "", ())], prepare)
        index.weigh()
    for question in QUESTIONS:
        for asked_for in (filters, Filters(EVERYTHING)):
            mine, theirs = everything(one, question, asked_for), everything(other, question, asked_for)
            assert alike(mine, theirs)
            swapped = [(a, b) for a, b in zip(mine, theirs, strict=True) if a[:2] != b[:2]]
            assert all(abs(a[2] - b[2]) < 0.02 for a, b in swapped), "only what is as good may change places"
    one.close()
    other.close()


def test_another_maker_or_table_means_another_index(tmp_path: Path, among: Callable[..., PostgresIndex]) -> None:
    embedded(tmp_path)(maker="one").close()
    with pytest.raises(Damaged, match="was built for"):
        embedded(tmp_path)(maker="other")
    old = among("main", "one")
    old.put([filed("a.md", "the attic key")], prepare)
    neighbour = among("neighbour", "one")
    neighbour.put([filed("a.md", "tea")], prepare)
    assert among("main", "one").documents() == {"a.md": "1"}
    new = among("main", "two")
    assert new.documents() == {}
    new.put([filed("b.md", "the attic key")], prepare)
    assert places(new, "attic key") == [("b.md", 1)]
    with pytest.raises(Unavailable, match="restart"):
        old.documents()
    assert neighbour.documents() == {"a.md": "1"}
