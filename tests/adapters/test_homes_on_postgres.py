"""Several homes on one PostgreSQL: the same agents, and nobody reads what is another's."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner

from adapters.index_server import a_database, a_server  # noqa: F401 - fixtures
from oldsoul.adapters.columns import digest
from oldsoul.adapters.postgres.chat import MIGRATIONS, PostgresChatLog
from oldsoul.adapters.postgres.server import Postgres
from oldsoul.errors import Damaged, NotFound
from oldsoul.faces.cli import cli
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from oldsoul.wiring.homes import home_id

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
CONFIG = "timezone: UTC\nstorage: {chat: postgres}\nmemory: {search: {store: {driver: postgres}}}\nagents: {list: [main, scout]}\n"
OLD_MESSAGE = """WITH s AS (INSERT INTO oldsoul_sessions (digest, facts) VALUES (%(digest)s, %(facts)s) RETURNING id), m AS (
    INSERT INTO oldsoul_messages (workspace, session, facts, room, subject, role, sender, time, origin, audience, channel,
        key, key_digest, flags, text, words, attempt)
    SELECT 'main', 's', id, '', '', 'user', 'Al', 1, 'operator', 'owner', '', 'k', %(key)s, '', 'the old harbour', '{}',
        gen_random_uuid() FROM s RETURNING id, facts)
    INSERT INTO oldsoul_threads SELECT 'main', 's', facts, 1, 1, 1, id, '' FROM m"""


def opened(home: Path, dsn: str) -> Oldsoul:
    if not home.exists():
        home.mkdir()
        (home / "config.yaml").write_text(CONFIG)
    return open_home(home, {"OLDSOUL_POSTGRES_DSN": dsn}, clock=FrozenClock(NOON))


def rows(dsn: str, sql: str, values: Any = None) -> list[Any]:
    with psycopg.connect(dsn) as connection:
        found = connection.execute(sql.encode(), values)
        return found.fetchall() if found.description else []


def left_by_the_release_before(dsn: str) -> None:
    """A message in tables that know of no homes."""
    before = Postgres(dsn, "chat", MIGRATIONS[:1])
    values = {"digest": "d", "facts": '{"id":"s","kind":"dm"}', "key": digest("k")}
    before.run(lambda connection: connection.execute(OLD_MESSAGE.encode(), values))
    before.close()


def everything(soul: Oldsoul) -> str:
    """All that a home's agents say, whoever asks."""
    told: list[Any] = []
    for name in ("main", "scout"):
        agent = soul.agent(name)
        told += [message.text for message in agent._parts.log.every(Wanted())]
        told += [message.text for message in agent._parts.log.messages(Wanted(words="zebra"))]
        told += [held.thread.session.id for held in agent._parts.log.sessions()]
        told += [soul._home.chat.people(name), soul._home.chat.last(name), soul._home.chat.thread(name, "quagga")]
        for session in (OWN, DEV, Session.dm("ext:other:7")):
            for question in ("where is the zebra?", "which key opens the gate?"):
                told += [hit.chunk.text for hit in agent.recall(question, session=session).hits]
                told.append(agent.context(question, session=session).text)
    return "\n".join(map(str, told))


def test_two_homes_with_the_same_agents_on_one_server_never_read_each_other(tmp_path: Path, dsn: str) -> None:
    with opened(tmp_path / "one", dsn) as one, opened(tmp_path / "two", dsn) as two:
        for name in ("main", "scout"):
            agent = one.agent(name)
            agent.remember("The zebra sleeps in the blue barn")
            agent.hear("my zebra key opens the gate", session=Session.dm(id="quagga"), time=NOON, key="first")
            agent.hear("the zebra is loose", session=DEV, sender="Bob", subject="ext:okapi:7", time=NOON)
            assert "zebra" in agent.recall("where is the zebra?", session=OWN).hits[0].chunk.text
        before = everything(one)
        theirs = everything(two)
        assert "zebra" not in theirs
        assert "quagga" not in theirs
        assert "okapi" not in theirs
        heard = two.agent().hear("a walrus came by", session=Session.dm(id="quagga"), time=NOON, key="first")
        assert not heard.repeated  # a key is spent in its own home
        made = two.agent().remember("The walrus sleeps on the ice")
        two.agent().recall("walrus", session=OWN)
        with pytest.raises(NotFound, match="there is no message"):
            two.agent().talk.forget_message(one.agent()._parts.log.messages(Wanted())[0].id)
        two._home.chat.redact("main", {message.id: "gone" for message in one.agent()._parts.log.every(Wanted())})
        two.agent().forget(made.name, made.entry)
        two.agent().index.rebuild()
        assert everything(one) == before


def test_a_copy_of_a_home_has_its_id_and_finds_everything(tmp_path: Path, dsn: str) -> None:
    with opened(tmp_path / "one", dsn) as one:
        one.agent().hear("the zebra is loose", session=OWN, time=NOON)
    shutil.copytree(tmp_path / "one", tmp_path / "restored")
    with opened(tmp_path / "restored", dsn) as restored:
        assert [message.text for message in restored.agent()._parts.log.every(Wanted())] == ["the zebra is loose"]
        assert "zebra" in restored.agent().recall("what is loose?", session=OWN).hits[0].chunk.text


def test_an_id_is_made_once_whoever_comes_first_and_a_damaged_one_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert len(set(pool.map(home_id, [tmp_path] * 16))) == 1
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["home-id"]
    (tmp_path / "state/home-id").write_text("")
    with pytest.raises(Damaged, match="home-id"):
        home_id(tmp_path)


def test_rows_without_a_home_are_read_by_nobody_until_they_are_given_to_one(
    tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_by_the_release_before(dsn)
    with opened(tmp_path / "one", dsn) as one, opened(tmp_path / "two", dsn) as two:
        for soul in (one, two):
            assert list(soul.agent()._parts.log.every(Wanted())) == []
            assert soul.agent()._parts.log.sessions() == []
            assert soul.claim(dry_run=True) == 1
        one.agent().hear("the new harbour", session=Session.dm(id="s"), time=NOON)
    monkeypatch.setenv("OLDSOUL_POSTGRES_DSN", dsn)
    place = ["--home", str(tmp_path / "one")]
    assert "1 message of these agents belong to no home" in CliRunner().invoke(cli, [*place, "doctor"]).stdout
    assert (
        json.loads(CliRunner().invoke(cli, [*place, "init", "--claim", "-a", "scout", "--json"]).stdout)["claimed"] == 0
    )
    assert json.loads(CliRunner().invoke(cli, [*place, "init", "--claim", "--json"]).stdout)["claimed"] == 1
    assert "belong to no home" not in CliRunner().invoke(cli, [*place, "doctor"]).stdout
    with opened(tmp_path / "one", dsn) as one, opened(tmp_path / "two", dsn) as two:
        assert [message.text for message in one.agent()._parts.log.every(Wanted())] == [
            "the old harbour",
            "the new harbour",
        ]
        (held,) = one.agent()._parts.log.sessions()
        assert (held.thread.count, held.thread.session.id) == (2, "s")
        assert list(two.agent()._parts.log.every(Wanted())) == []
        assert (one.claim(), two.claim()) == (0, 0)
        assert "harbour" in one.agent().recall("old harbour", session=OWN).hits[0].chunk.text


def test_a_message_whose_key_the_home_has_itself_is_not_taken_twice(dsn: str) -> None:
    left_by_the_release_before(dsn)
    log = PostgresChatLog(dsn, "h")
    own = Message("main", Session.dm(id="s"), "user", "Al", None, "the same", NOON, Origin.OPERATOR, OWNER, "k")
    assert not log.append([own])[0].repeated
    assert (log.claim(["main"]), log.unowned(["main"])) == (0, 1)
    assert [message.text for message in log.find("main", Wanted())] == ["the same"]
    assert [thread.count for thread in log.threads("main")] == [1]
    log.close()


def test_an_index_without_a_home_goes_when_its_workspace_is_claimed(tmp_path: Path, dsn: str) -> None:
    with opened(tmp_path / "one", dsn) as one:
        one.agent().remember("The zebra sleeps in the blue barn")
        one.agent().recall("zebra", session=OWN)
        rows(dsn, "INSERT INTO oldsoul_index_agents (digest, made) VALUES (%s, 'x')", (digest("main"),))
        one.claim()
        assert rows(dsn, "SELECT count(*) FROM oldsoul_index_agents WHERE made='x'") == [(0,)]
        assert "zebra" in one.agent().recall("zebra", session=OWN).hits[0].chunk.text
