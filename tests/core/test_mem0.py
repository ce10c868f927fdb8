"""Mem0 beside our own memory: by choice, for the right eyes, and never in the way of a reply."""

from __future__ import annotations

import random
import sys
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import oldsoul.app.home.mem0 as mem0  # noqa: PLR0402 - the module, not the seam that leads to it
from oldsoul.context.presentation import SECOND_HAND, UNKNOWN
from oldsoul.errors import Unavailable
from oldsoul.testing import FrozenClock, WordMemory
from oldsoul.values.recall import MEM0
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from oldsoul.app import Agent
    from oldsoul.ports import SecondMemory
    from oldsoul.settings import Settings
    from oldsoul.values.audience import View
    from oldsoul.values.messages import Message
    from oldsoul.values.recall import Hit, Recalled

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV, OPS = Session.dm(), Session.group("dev"), Session.group("ops")
ANN, BEN = Session.dm("acct:7", id="ann"), Session.dm("acct:8", id="ben")
BOTH = "enabled: true, store_enabled: true"
FILES_ALONE = ", sources: [memory]"


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy with other tests is late for none of these."""
    monkeypatch.setattr(mem0, "OPENING", 120.0)
    monkeypatch.setattr(mem0, "PATIENCE", 120.0)


@contextmanager
def home(
    tmp_path: Path, choice: str = BOTH, *, second: SecondMemory | Exception | None = None, search: str = ""
) -> Iterator[Agent]:
    """A home with these settings, and a second memory instead of Mem0's own."""
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home/config.yaml").write_text(f"timezone: UTC\nmemory: {{search: {{mem0: {{{choice}}}{search}}}}}\n")

    def made(_: str, __: Settings) -> SecondMemory:
        if isinstance(second, Exception):
            raise second
        assert second is not None
        return second

    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        if second is not None:
            vars(soul._home.world.searches)["mem0"] = made
        yield soul.agent()


def from_mem0(found: Recalled) -> list[str]:
    return [hit.chunk.text for hit in found.hits if hit.chunk.source == MEM0]


def filled(agent: Agent) -> None:
    """Wait until everything that was said is stored."""
    last = agent._parts.home.chat.last(agent.id)
    until = time.monotonic() + 300
    while (
        agent._parts.home.mem0._desk(agent.id, agent.settings)._submit(lambda memory: memory.reached).result(120) < last
    ):
        assert time.monotonic() < until


def test_mem0_disabled_by_default(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        vars(soul._home.world.searches)["mem0"] = lambda *_: pytest.fail("nobody asked for Mem0")
        agent = soul.agent()
        agent.hear("The cat is called Mia", session=OWN)
        agent.recall("what is the cat called?", session=OWN)
        agent.context("what is the cat called?", session=OWN)
        assert "mem0" not in vars(soul._home)
    assert not (tmp_path / "home/cache/mem0").exists()


def test_mem0_enabled_opt_in(tmp_path: Path) -> None:
    """The real one, by S0's own name of the setting, beside the workspace."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text(
        "timezone: UTC\nmemory:\n  mem0_search: {enabled: true, store_enabled: true}\n  search: {sources: [memory]}\n"
    )
    question = "what is the cat called?"
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        agent.remember("The cat sleeps in the kitchen")
        agent.hear("My cat is called Mia", session=OWN, sender="Sam")
        found = agent.recall(question, session=OWN)
        assert from_mem0(found) == ["My cat is called Mia"]
        assert found.hits[0].chunk.text.startswith("The cat sleeps in the kitchen")
        assert found.notes == ()
        assert "- 2026-02-04 12:00, Sam: My cat is called Mia (from Mem0)" in agent.context(question, session=OWN).block
        assert "Mia" not in agent.prompt(question, session=DEV).text
        agent.talk.forget_message(1)
        assert from_mem0(agent.recall(question, session=OWN)) == []
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        assert from_mem0(soul.agent().recall(question, session=OWN)) == []


def test_conversations_are_stored_where_the_setting_says_so_and_only_there(tmp_path: Path) -> None:
    second = WordMemory()
    with home(tmp_path, "enabled: true", second=second) as agent:
        agent.hear("The cat is called Mia", session=OWN)
        agent.recall("the cat", session=OWN)
    assert second.taken == []
    with home(tmp_path, "store_enabled: true", second=second) as agent:
        agent.hear("I will feed Mia", session=OWN, role="assistant")
        assert from_mem0(agent.recall("Mia", session=OWN)) == []  # searching is another choice
    assert [(message.id, message.role) for message in second.taken] == [(1, "user"), (2, "assistant")]


def test_a_long_log_is_stored_to_its_end(tmp_path: Path) -> None:
    second = WordMemory()
    with home(tmp_path, second=second) as agent:
        for number in range(2 * mem0._BATCH + 7):
            agent.hear(f"number {number}", session=OWN)
        filled(agent)
    assert [message.id for message in second.taken] == list(range(1, 2 * mem0._BATCH + 8))


def test_ours_come_first_and_there_are_never_more_than_asked_for(tmp_path: Path) -> None:
    with home(tmp_path, second=WordMemory(), search=FILES_ALONE) as agent:
        for number in range(8):
            agent.remember(f"The boiler was repaired {number + 2} times")
            agent.hear(f"the boiler leaks, {number}", session=OWN)
        for limit, theirs in ((1, 0), (2, 0), (3, 1), (6, 2), (10, 3), (40, 8)):
            hits = agent.recall("what of the boiler?", session=OWN, limit=limit).hits
            assert len(hits) == min(limit, 16)
            assert [hit.chunk.source for hit in hits].count(MEM0) == max(theirs, min(limit - 8, 8))
            assert [hit.chunk.source == MEM0 for hit in hits] == sorted(hit.chunk.source == MEM0 for hit in hits)


def test_what_we_find_ourselves_is_not_told_again(tmp_path: Path) -> None:
    with home(tmp_path, second=WordMemory()) as agent:
        agent.hear("The cat is called Mia", session=OWN)
        hits = agent.recall("what is the cat called?", session=OWN).hits
        assert [hit.chunk.source for hit in hits] == ["sessions"]


def test_a_search_that_is_restricted_restricts_mem0_too(tmp_path: Path) -> None:
    with home(tmp_path, second=WordMemory(), search=FILES_ALONE) as agent:
        agent.hear("the demo is on Friday", session=DEV, subject="acct:7", time=NOON)
        agent.hear("the demo went well", session=OPS, subject="acct:8", time=NOON + timedelta(days=1))

        def found(**only: object) -> list[str]:
            return from_mem0(agent.recall("the demo", session=OWN, **only))  # type: ignore[arg-type]

        assert len(found()) == 2
        assert found(since=NOON + timedelta(hours=1)) == ["the demo went well"]
        assert found(until=NOON + timedelta(hours=1)) == ["the demo is on Friday"]
        assert found(room="dev") == found(person="acct:7") == ["the demo is on Friday"]
        assert found(path="chat/group_ops") == ["the demo went well"]
        assert found(tag="decision") == found(sources=("memory",)) == found(minimum=0.99, room="nowhere") == []


def test_where_we_know_nothing_mem0_is_told_with_caution(tmp_path: Path) -> None:
    with home(tmp_path, second=WordMemory(), search=FILES_ALONE) as agent:
        agent.hear("Rosebud was the sledge", session=OWN)
        context = agent.context("who or what was Rosebud?", session=OWN)
        assert (context.answer, SECOND_HAND in context.text, UNKNOWN in context.text) == ("unknown", True, False)
        assert "Rosebud was the sledge (from Mem0)" in context.text
        other = agent.context("xylophone?", session=OWN)
        assert (SECOND_HAND in other.text, UNKNOWN in other.text) == (False, True)


@pytest.mark.parametrize("real", [False, True])
def test_nothing_private_comes_to_others_through_mem0(tmp_path: Path, *, real: bool) -> None:
    chance = random.Random(7)  # noqa: S311 - a test
    sessions = [OWN, DEV, OPS, ANN, BEN, Session.group(""), Session.cron("job")]
    with home(tmp_path, second=None if real else WordMemory(), search=FILES_ALONE) as agent:
        canaries = {}
        for number in range(scaled(40, 400)):
            session = chance.choice(sessions)
            canaries[f"canary{number}"] = agent._parts.home.people.audience(session)
            agent.hear(f"the bird canary{number} sings", session=session)
        filled(agent)
        for session in sessions:
            view = agent._parts.home.people.view(session)
            hits = agent.recall("the bird sings", session=session, limit=1000).hits
            told = agent.prompt("the bird sings", session=session).text
            private = [canary for canary, audience in canaries.items() if not view.sees(audience)]
            assert not [canary for canary in private if f"{canary} " in told]
            assert all(view.sees(hit.chunk.audience) for hit in hits)
            assert {hit.chunk.text.split()[2] for hit in hits} == canaries.keys() - set(private)


def test_a_mem0_that_fails_is_told_of_and_our_own_search_answers(tmp_path: Path) -> None:
    with home(tmp_path, second=Unavailable("Mem0 needs mem0; pip install 'oldsoul[mem0]'")) as agent:
        agent.hear("The cat is called Mia", session=OWN)
        found = agent.recall("what is the cat called?", session=OWN)
        assert (found.answer, found.hits[0].chunk.text) == ("found", "The cat is called Mia")
        assert found.notes == ("Mem0 is left out: Mem0 needs mem0; pip install 'oldsoul[mem0]'",)
        context = agent.context("what is the cat called?", session=OWN)
        assert "Mia" in context.text
        assert context.notes == found.notes


def test_where_mem0_is_not_installed_replies_go_on_and_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mem0", None)
    with home(tmp_path) as agent:
        agent.hear("The cat is called Mia", session=OWN)
        made = agent.prompt("what is the cat called?", session=OWN)
        assert "The cat is called Mia" in made.text
        assert len([note for note in made.notes if "pip install 'oldsoul[mem0]'" in note]) == 1


def test_whatever_mem0_raises_breaks_nothing_and_is_tried_again(tmp_path: Path) -> None:
    class Moody(WordMemory):
        fails = True

        def take(self, messages: Sequence[Message]) -> None:
            if self.fails:
                raise RuntimeError("the store is full")
            super().take(messages)

    second = Moody()
    with home(tmp_path, second=second) as agent:
        agent.hear("The cat is called Mia", session=OWN)
        found = agent.recall("what is the cat called?", session=OWN)
        assert found.notes == ("recent messages are not in Mem0 yet: RuntimeError: the store is full",)
        second.fails = False
        assert agent.recall("what is the cat called?", session=OWN).notes == ()
    assert [message.text for message in second.taken] == ["The cat is called Mia"]


def test_a_mem0_that_is_late_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let = threading.Event()

    class Late(WordMemory):
        def search(self, question: str, view: View, limit: int) -> list[Hit]:
            let.wait(300)
            return super().search(question, view, limit)

    monkeypatch.setattr(mem0, "OPENING", 0.05)
    monkeypatch.setattr(mem0, "PATIENCE", 0.05)
    with home(tmp_path, second=Late()) as agent:
        agent.hear("The cat is called Mia", session=OWN)
        found = agent.recall("what is the cat called?", session=OWN)
        assert (found.answer, found.notes) == ("found", ("Mem0 is left out: it did not answer within 0.05 seconds",))
        again = agent.recall("what is the cat called?", session=OWN)
        assert again.notes == ("Mem0 is left out: it did not answer in time and is asked again after 30 seconds",)
        let.set()
        agent._parts.home.mem0._desk(agent.id, agent.settings)._rests_until = 0.0
        monkeypatch.setattr(mem0, "PATIENCE", 30.0)
        assert agent.recall("what is the cat called?", session=OWN).notes == ()


def test_what_was_erased_elsewhere_is_not_told_from_a_store_that_was_open(tmp_path: Path) -> None:
    question = "what is the cat called?"
    with home(tmp_path, search=FILES_ALONE) as agent:
        agent.hear("The cat is called Mia", session=OWN)
        assert from_mem0(agent.recall(question, session=OWN)) == ["The cat is called Mia"]
        with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as another:
            another.agent().talk.forget_message(1)
        assert from_mem0(agent.recall(question, session=OWN)) == []
        agent.hear("The cat is called Rex", session=OWN)
        assert from_mem0(agent.recall(question, session=OWN)) == ["The cat is called Rex"]
    left = b"".join(file.read_bytes() for file in (tmp_path / "home/cache/mem0").rglob("*") if file.is_file())
    assert b"Rex" in left
    assert b"Mia" not in left


def test_each_agent_has_a_mem0_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text(
        f"timezone: UTC\nagents: {{list: [main, code]}}\nmemory: {{search: {{mem0: {{{BOTH}}}, sources: [memory]}}}}\n"
    )
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        soul.agent("main").hear("The cat is called Mia", session=OWN)
        soul.agent("code").hear("The cat is called Rex", session=OWN)
        for name, cat in (("main", "Mia"), ("code", "Rex")):
            found = soul.agent(name).recall("what is the cat called?", session=OWN)
            assert from_mem0(found) == [f"The cat is called {cat}"]
