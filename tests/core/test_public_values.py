"""What a Python developer handles: filters, hits, and what values say of themselves in a line."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul import Agent, Oldsoul, Session
from oldsoul.errors import BadInput
from oldsoul.values.recall import Filters, Only

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ME = Session.dm("acct:owner", id="dm")


@pytest.fixture
def soul(tmp_path: Path) -> Iterator[Oldsoul]:
    with Oldsoul.open(tmp_path / "home") as opened:
        yield opened


def test_what_recall_is_restricted_to_are_keywords_of_their_own() -> None:
    wanted = inspect.signature(Agent.recall).parameters
    filters = [name for name in inspect.signature(Filters).parameters if name != "view"]
    assert filters == [*Only.__annotations__]
    assert {*filters} <= wanted.keys()
    assert not any(each.kind is each.VAR_KEYWORD for each in wanted.values())


def test_each_filter_restricts(soul: Oldsoul) -> None:
    agent = soul.agent()
    agent.remember("Miso the cat is fed at seven", tag="decision")
    agent.hear("Miso the cat sleeps on the piano", session=ME, sender="Ann")
    later = datetime.now(UTC) + timedelta(days=2)

    def found(**only: object) -> set[str]:
        return {hit.chunk.path for hit in agent.recall("Miso the cat", session=ME, **only).hits}  # type: ignore[arg-type]

    assert found() == {"MEMORY.md", "chat/dm"}
    assert found(sources=("memory",)) == found(path="MEMORY.md") == found(tag="decision") == {"MEMORY.md"}
    assert found(person="acct:owner") == {"chat/dm"}
    assert found(since=later) == found(room="kitchen") == set()
    assert found(until=later) == {"MEMORY.md", "chat/dm"}


def test_search_gives_the_hits_of_recall_with_their_words(soul: Oldsoul) -> None:
    agent = soul.agent()
    agent.remember("Miso the cat is fed at seven")
    agent.remember("Miso the cat sleeps on the piano")
    hits = agent.recall("Miso the cat", session=ME).hits
    assert hits == agent.recall("Miso the cat", session=ME).hits
    assert [hit.text for hit in hits] == [hit.chunk.text for hit in hits]
    assert len(agent.recall("Miso the cat", session=ME, limit=1).hits) == 1


def test_what_one_handles_says_in_a_line_what_it_is(soul: Oldsoul) -> None:
    agent = soul.agent()
    agent.remember("Miso the cat is fed at seven, " + "and then again, " * 20)
    heard = agent.hear("Miso\nsleeps", session=ME)
    recalled = agent.recall("Miso the cat", session=ME)
    reports = agent.talk.end(ME, dry_run=True)
    context = agent.context("Miso", session=ME)
    change = agent.files.history(limit=1)[0]
    assert repr(soul) == f"<Oldsoul {soul._home.world.home}>"
    assert repr(agent) == "<Agent main for operator acct:owner>"
    assert repr(heard) == f"<Heard m:{heard.message.id} 'Miso sleeps'>"
    assert repr(recalled) == f"<Recalled {recalled.answer}, hits: {len(recalled.hits)}>"
    assert repr(recalled.hits[0]).startswith("<Hit ")
    assert repr(change).startswith(f"<Change {change.id} of main by operator:acct:owner: ")
    assert repr(context).startswith(f"<Context {context.answer}, tokens: {context.tokens}, ")
    every = [soul, agent, heard, recalled, *recalled.hits, context, change, *reports]
    assert all(len(repr(each)) < 160 for each in every)
    soul.close()
    assert repr(soul) == "<Oldsoul closed>"


def test_files_proposals_and_sessions_come_in_pages(soul: Oldsoul) -> None:
    agent = soul.agent()
    for number in range(3):
        agent.hear("Miso sleeps", session=Session.group(f"room{number}"))
    for verb in (agent.files.all, agent.talk.sessions, agent.review.proposals):
        everything = list[object](verb())
        assert [*verb(limit=2), *verb(offset=2, limit=1), *verb(offset=3)] == everything
        assert verb(offset=len(everything)) == []
        with pytest.raises(BadInput):
            verb(offset=-1)
        with pytest.raises(BadInput):
            verb(limit=0)
    assert [held.thread.session.room for held in agent.talk.sessions(limit=2)] == ["room2", "room1"]


def test_a_file_says_when_it_was_changed(soul: Oldsoul) -> None:
    began = datetime.now(UTC) - timedelta(minutes=1)
    soul.agent().remember("Miso the cat is fed at seven")
    (memory,) = (file for file in soul.agent().files.all() if file.name.path == "MEMORY.md")
    assert began < memory.modified < began + timedelta(minutes=2)
    assert memory.modified.tzinfo is UTC
