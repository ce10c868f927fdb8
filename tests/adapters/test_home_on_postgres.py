"""A home whose index is in PostgreSQL: the same verbs, the same answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from adapters.index_server import a_database, a_server  # noqa: F401 - fixtures
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from twins import told

if TYPE_CHECKING:
    from pathlib import Path

    from postgres import Server

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")


def test_everything_is_found_by_those_who_may_and_forgotten_for_good(tmp_path: Path, dsn: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("timezone: UTC\nmemory: {search: {store: {driver: postgres}}}\n")
    environ = {"OLDSOUL_POSTGRES_DSN": dsn}
    with open_home(home, environ, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        made = agent.remember("The vault opens with the word xylophonist")
        agent.hear("The standup is at nine", session=DEV, sender="Bob", time=NOON)
        assert "xylophonist" in agent.recall("how does the vault open?", session=OWN).hits[0].chunk.text
        group = agent.recall("when is the standup? how does the vault open?", session=DEV).hits
        assert [hit.chunk.text for hit in group] == ["The standup is at nine"]
        assert "xylophonist" in agent.context("how does the vault open?", session=OWN).text
        for fact in (
            "我们的猫叫团子，是一只橘猫",
            "妈妈住在台南",
            "公司的服务器在法兰克福",
            "The dentist is in Mill Road",
        ):
            agent.remember(fact)
        assert "团子" in agent.recall("what is the name of our cat?", session=OWN).hits[0].chunk.text
        status = agent.index.status()
        assert (status.state.waiting, status.file) == (0, "")
        agent.index.rebuild()
        assert "xylophonist" in agent.recall("how does the vault open?", session=OWN).hits[0].chunk.text
        agent.forget(made.name, made.entry)
        assert not any("xylophonist" in hit.chunk.text for hit in agent.recall("vault", session=OWN).hits)
    assert not (home / "cache/index").exists()
    with open_home(home, environ, clock=FrozenClock(NOON)) as soul:
        assert "nine" in soul.agent().recall("when is the standup?", session=DEV).hits[0].chunk.text


def test_private_texts_change_nothing_of_what_outsiders_are_told(tmp_path: Path, server: Server) -> None:
    config = "memory: {search: {store: {driver: postgres}}}\n"
    alone, beside = (
        told(tmp_path / str(private), 7, config, {"OLDSOUL_POSTGRES_DSN": server.fresh()}, private=private)
        for private in (0, 3)
    )
    for one, other in zip(alone, beside, strict=True):
        assert one == other
