"""Homes made by the releases before open by themselves, and everything in them is still there."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from oldsoul import Oldsoul, Session
from oldsoul.values.messages import Wanted

HOMES = sorted((Path(__file__).parents[1] / "homes").glob("*.tar.xz"))


@pytest.fixture(params=HOMES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def old_home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.3 and before have none
        archive.extractall(tmp_path / "home")  # noqa: S202 - our own file
    return tmp_path / "home"


def test_there_is_a_home_of_a_release_before() -> None:
    assert HOMES


def test_a_home_of_a_release_before_opens_with_all_that_is_in_it(old_home: Path) -> None:
    with Oldsoul.open(old_home) as soul:
        agent = soul.agent("main")
        for question, word in (("what is the cat called?", "Miso"), ("where does the boat lie?", "jetty 14")):
            hits = agent.recall(question, session=Session.dm()).hits
            assert any(word in hit.chunk.text for hit in hits[:3]), question
        assert any("heron" in message.text for message in agent._parts.log.every(Wanted()))
        assert not agent.recall("gate code", session=Session.dm("ext:telegram:9")).hits


def test_history_of_a_release_before_is_shown_and_undone(old_home: Path) -> None:
    memory = old_home / "workspace" / "main" / "MEMORY.md"
    with Oldsoul.open(old_home) as soul:
        agent = soul.agent("main")
        changes = {change.id: change for change in agent.files.history("MEMORY.md", limit=1000)}
        cat = next(c for c in changes.values() if c.effects and "Miso" in agent.files.diff(c.id) and not c.notes)
        agent.undo(cat.id)
    assert "Miso" not in memory.read_text("utf-8")
    assert "jetty 14" in memory.read_text("utf-8")


def test_a_home_of_a_release_before_is_written_to_and_opened_again(old_home: Path) -> None:
    with Oldsoul.open(old_home) as soul:
        soul.agent("main").remember("The lighthouse keeper is called Ona")
        soul.agent("main").hear("the ferry leaves at nine", session=Session.dm())
    with Oldsoul.open(old_home) as soul:
        hits = soul.agent("main").recall("who keeps the lighthouse?", session=Session.dm()).hits
        assert any("Ona" in hit.chunk.text for hit in hits[:3])


def test_what_was_forgotten_and_undone_in_a_release_before_stays_away(old_home: Path) -> None:
    with Oldsoul.open(old_home) as soul:
        agent = soul.agent("main")
        agent.remember("The kettle is new")
        for question in ("who changed the gate code?", "where does the spare key hang?"):
            texts = [hit.chunk.text for hit in agent.recall(question, session=Session.dm()).hits]
            assert not any("caretaker" in text or "barometer" in text for text in texts)
