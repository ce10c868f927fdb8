"""Every second memory under one contract, and what is true of Mem0 alone: no network, no telemetry, one process."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oldsoul.adapters.embedders.cached import unit
from oldsoul.adapters.mem0 import Mem0Store, StaticEmbedder
from oldsoul.errors import Unavailable
from oldsoul.rules.audience import said_in, view_of
from oldsoul.testing import WordMemory
from oldsoul.values.messages import Message
from oldsoul.values.origin import Origin
from oldsoul.values.recall import MEM0
from oldsoul.values.sessions import Session, Subject
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from oldsoul.adapters.embedders.cached import Vectors
    from oldsoul.ports import SecondMemory
    from oldsoul.values.audience import View

MAIN = "main"
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OPERATORS = ("acct:owner",)
OWN = Session.dm("acct:owner")
ANN, BEN = Session.dm("acct:7", id="ann"), Session.dm("ext:telegram:8", id="ben")
DEV, ODD, STAR = Session.group("dev"), Session.group("dev ops %20 *"), Session.group("*")
NOWHERE = Session.group("")
EVERY = (OWN, ANN, BEN, DEV, ODD, STAR, NOWHERE, Session.cron("job"))


def said(number: int, text: str, session: Session = OWN, role: str = "user") -> Message:
    return Message(
        workspace=MAIN,
        session=session,
        role=role,
        sender="Somebody",
        subject=session.subject or Subject("acct:9"),
        text=text,
        time=NOON + timedelta(minutes=number),
        origin=Origin.PARTICIPANT,
        audience=said_in(session, OPERATORS),
        key=f"k{number}",
        id=number,
    )


def seen(session: Session) -> View:
    return view_of(session, OPERATORS, {})


def texts(memory: SecondMemory, question: str, session: Session = OWN) -> list[str]:
    return [hit.chunk.text for hit in memory.search(question, seen(session), 100)]


class SecondMemoryContract:
    """The promises. Subclass it, give it a `memory`."""

    def test_it_is_empty_at_first(self, memory: SecondMemory) -> None:
        assert (memory.reached, memory.gone, texts(memory, "anything at all?")) == (0, False, [])

    def test_what_it_is_given_is_found_with_all_that_is_known_of_it(self, memory: SecondMemory) -> None:
        memory.take([said(3, "The demo is on Friday", DEV), said(4, "Tea is in the blue tin", DEV)])
        first = memory.search("when is the demo?", seen(DEV), 5)[0]
        chunk = first.chunk
        assert (chunk.text, chunk.source, chunk.path) == ("The demo is on Friday", MEM0, "chat/group_dev")
        assert (chunk.start_line, chunk.entry, chunk.speaker) == (3, "m:3", "Somebody")
        assert (chunk.room, chunk.person, chunk.time) == ("dev", "acct:9", NOON + timedelta(minutes=3))
        assert 0 < first.score <= 1
        assert len(memory.search("demo tea", seen(DEV), 1)) == 1

    def test_it_says_up_to_which_message_it_was_filled_whatever_that_was(self, memory: SecondMemory) -> None:
        memory.take([said(3, "The cat is called Mia"), said(9, "The cat was looked up", role="tool")])
        assert memory.reached == 9
        memory.take([])
        assert memory.reached == 9
        assert texts(memory, "the cat") == ["The cat is called Mia"]

    def test_nobody_finds_what_was_not_said_to_them(self, memory: SecondMemory) -> None:
        memory.take([said(n, f"the canary sings song {n}", session) for n, session in enumerate(EVERY, 1)])
        for session in EVERY:
            view = seen(session)
            expected = {f"m:{n}" for n, each in enumerate(EVERY, 1) if view.sees(said_in(each, OPERATORS))}
            assert {hit.chunk.entry for hit in memory.search("the canary sings", view, 100)} == expected

    def test_a_place_among_many_is_kept_for_those_who_may_be_told(self, memory: SecondMemory) -> None:
        many = [said(n, f"the canary sings song {n}") for n in range(1, scaled(80, 400))]
        memory.take([*many, said(900, "a canary, once", DEV)])
        assert texts(memory, "the canary sings", DEV) == ["a canary, once"]

    def test_odd_texts_do_no_harm(self, memory: SecondMemory) -> None:
        odd = ["\ud800 half a letter", "nul \0 in it", "…", "猫叫米娅", "x" * 20_000, "https://example.org/cat.png"]
        memory.take([said(n, text) for n, text in enumerate(odd, 1)])
        assert texts(memory, "猫叫什么?") == ["猫叫米娅"]
        for question in ("…", "\0", "*", "half a letter", "%' OR 1=1"):
            texts(memory, question)


class TestInMemory(SecondMemoryContract):
    @pytest.fixture
    def memory(self) -> SecondMemory:
        return WordMemory()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path / "mem0" / MAIN


def opened(folder: Path) -> Mem0Store:
    return Mem0Store(str(folder), MAIN, StaticEmbedder())


class TestMem0(SecondMemoryContract):
    @pytest.fixture
    def memory(self, folder: Path) -> Iterator[SecondMemory]:
        store = opened(folder)
        yield store
        store.close()


def test_mem0_is_there_again_when_it_is_opened_again(folder: Path) -> None:
    store = opened(folder)
    store.take([said(3, "The cat is called Mia")])
    store.close()
    again = opened(folder)
    assert (again.reached, texts(again, "what is the cat called?")) == (3, ["The cat is called Mia"])
    again.close()


def test_a_message_that_came_twice_is_found_once(folder: Path) -> None:
    store = opened(folder)
    store.take([said(3, "The cat is called Mia")])
    store.take([said(3, "The cat is called Mia")])
    assert texts(store, "what is the cat called?") == ["The cat is called Mia"]
    store.close()


def test_what_was_taken_before_something_failed_is_not_taken_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(folder)
    broken = replace(said(4, "broken"), time=NOON)
    monkeypatch.setattr(store, "_add", lambda message: 1 / 0 if message is broken else None)
    with pytest.raises(ZeroDivisionError):
        store.take([said(3, "The cat is called Mia"), broken, said(5, "later")])
    assert store.reached == 3
    store.close()
    again = opened(folder)
    assert again.reached == 3
    again.close()


def test_vectors_of_another_embedder_are_not_compared_with_ours(folder: Path) -> None:
    class Other(StaticEmbedder):
        name = "another"

        def embed(self, texts: Sequence[str], *, question: bool = False) -> Vectors:
            del question
            return unit(np.ones((len(texts), 4)))

    store = opened(folder)
    store.take([said(3, "The cat is called Mia")])
    store.close()
    other = Mem0Store(str(folder), MAIN, Other())
    assert (other.reached, texts(other, "what is the cat called?")) == (0, [])
    other.take([said(3, "The cat is called Mia")])
    assert texts(other, "anything") == ["The cat is called Mia"]
    other.close()


def test_a_store_that_was_taken_away_knows_it(folder: Path) -> None:
    store = opened(folder)
    store.take([said(3, "The cat is called Mia")])
    shutil.rmtree(folder)
    assert store.gone
    store.close()
    again = opened(folder)
    assert (store.gone, again.gone, again.reached) == (True, False, 0)
    again.close()


def test_its_store_is_for_one_at_a_time_and_it_says_so(folder: Path) -> None:
    store = opened(folder)
    with pytest.raises(Unavailable, match="another process has its store open"):
        opened(folder)
    store.close()
    opened(folder).close()


def test_without_the_extra_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mem0", None)
    with pytest.raises(Unavailable, match=r"pip install 'oldsoul\[mem0\]'"):
        opened(folder)


def test_mem0_reports_to_nobody_asks_no_model_and_stays_in_its_folder(folder: Path) -> None:
    store = opened(folder)  # a connection to anywhere would fail the test, and there is no key
    store.take([said(3, "The cat is called Mia")])
    texts(store, "what is the cat called?")
    store.close()
    assert os.environ["MEM0_TELEMETRY"] == "False"
    assert not (folder.parent.parent / ".mem0").exists()
    assert {entry.name for entry in folder.iterdir()} == {"qdrant", "history.db", "oldsoul.json"}


def test_with_its_telemetry_on_it_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(folder).close()
    monkeypatch.setattr("mem0.memory.telemetry.MEM0_TELEMETRY", True)
    with pytest.raises(Unavailable, match="MEM0_TELEMETRY=False"):
        opened(folder)


def test_the_bundled_tables_give_unit_vectors_also_for_what_has_no_words() -> None:
    vectors = StaticEmbedder().embed(["The cat is called Mia", "…", "", "猫"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    likeness = vectors @ vectors.T
    assert likeness[0, 1] == pytest.approx(0)
    assert likeness[1, 2] == pytest.approx(1)
