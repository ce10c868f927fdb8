"""Recall with an embedder that reads whole texts: asked once for each piece, told of when it fails, replaced when set so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from adapters.embedder_server import saying, serving
from oldsoul import embedding
from oldsoul.adapters.embedders import sentences
from oldsoul.adapters.embedders.static import WordPieces
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from adapters.embedder_server import Server
    from oldsoul.app import Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN = Session.dm()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


def home(folder: Path, server: Server, clock: FrozenClock, **search: Any) -> Oldsoul:
    folder.mkdir(exist_ok=True)
    settings = {"provider": "openai", **search}
    lines = "".join(f"    {name}: {value}\n" for name, value in settings.items())
    remote = f"    remote: {{base_url: '{server.url}/v1', api_key: secret}}\n"
    (folder / "config.yaml").write_text(f"timezone: UTC\nmemory:\n  search:\n{lines}{remote}")
    return open_home(folder, {}, clock=clock)


def test_each_piece_is_embedded_once_and_questions_as_they_are_asked(tmp_path: Path, server: Server) -> None:
    clock = FrozenClock(NOON)
    with home(tmp_path / "home", server, clock) as soul:
        agent = soul.agent()
        agent.remember("The cat is called Mia", title="Cat")
        agent.hear("We moved the server to Frankfurt", session=OWN, time=NOON)
        found = agent.recall("who is the cat?", session=OWN)
        assert found.notes == ()
        assert "vectors" in found.hits[0].why
        said = [text for text in server.texts if "Mia" in text or "Frankfurt" in text]
        assert len(said) == 2
        agent.remember("The dog is called Rex", title="Dog")
        agent.recall("who is the cat?", session=OWN)
        agent.index.rebuild()
        agent.recall("who is the cat?", session=OWN)
        assert len([text for text in server.texts if "Mia" in text or "Frankfurt" in text]) == 2
        assert server.texts.count("who is the cat?") == 1
    with home(tmp_path / "home", server, clock) as soul:
        before = len(server.texts)
        assert soul.agent().recall("who is the cat?", session=OWN).hits
        assert [text for text in server.texts[before:] if "anybody" not in text] == []


def test_a_service_that_fails_is_told_of_and_left_alone_for_a_while(tmp_path: Path, server: Server) -> None:
    clock = FrozenClock(NOON)
    with home(tmp_path / "home", server, clock) as soul:
        agent = soul.agent()
        agent.remember("The cat is called Mia", title="Cat")
        server.script.append(saying(401, {"error": {"message": "no such key"}}))
        found = agent.recall("who is the cat?", session=OWN)
        assert "Mia" in found.hits[0].chunk.text
        assert "no such key" in found.notes[0]
        assert "secret" not in found.notes[0]
        asked = len(server.seen)
        agent.recall("who is the dog?", session=OWN)
        assert len(server.seen) == asked
        agent.index.sync()  # whoever wants all vectors now does not wait
        assert len(server.seen) > asked
        assert any("Mia" in text for text in server.texts)
        clock.advance(timedelta(minutes=1))
        agent.remember("The dog is called Rex", title="Dog")
        assert agent.recall("who is the dog?", session=OWN).notes == ()
        assert any("Mia" in text for text in server.texts)


def test_a_fallback_takes_over_and_says_so(tmp_path: Path, server: Server) -> None:
    with home(tmp_path / "home", server, FrozenClock(NOON), provider="openai", fallback="local") as soul:
        agent = soul.agent()
        agent.remember("The cat is called Mia", title="Cat")
        server.script.append(saying(401, {"error": {"message": "no such key"}}))
        found = agent.recall("who is the feline?", session=OWN, minimum=0.0)
        assert "local is used instead" in found.notes[0]
        assert "Mia" in found.hits[0].chunk.text
        assert not any("Mia" in text for text in server.texts)


def test_what_is_forgotten_is_gone_from_the_vectors_that_were_kept_too(tmp_path: Path, server: Server) -> None:
    with home(tmp_path / "home", server, FrozenClock(NOON)) as soul:
        agent = soul.agent()
        made = agent.remember("The vault opens with the word xylophonist")
        agent.recall("vault", session=OWN)
        assert (tmp_path / "home/cache/embeddings.db").exists()
        agent.forget(made.name, made.entry)
        assert not (tmp_path / "home/cache/embeddings.db").exists()
        assert agent.recall("vault", session=OWN).hits == ()


def test_vectors_that_get_another_length_are_told_of_and_made_anew(tmp_path: Path, server: Server) -> None:
    def made() -> int:
        return sum("Mia" in text for text in server.texts)

    clock = FrozenClock(NOON)
    with home(tmp_path / "home", server, clock) as soul:
        agent = soul.agent()
        agent.remember("The cat is called Mia", title="Cat")
        assert agent.recall("who is the cat?", session=OWN).notes == ()
        server.width = 5
        found = agent.recall("who is the feline?", session=OWN, minimum=0.0)
        assert "Mia" in found.hits[0].chunk.text
        assert "now returns vectors of 5 numbers, before it was 8" in found.notes[0]
        assert made() == 1
        clock.advance(timedelta(minutes=1))
        found = agent.recall("who is the feline?", session=OWN, minimum=0.0)
        assert "Mia" in found.hits[0].chunk.text
        assert (found.notes, made()) == ((), 2)
    server.width = 6
    with home(tmp_path / "home", server, clock) as soul:
        found = soul.agent().recall("who is the cat?", session=OWN)
        assert "Mia" in found.hits[0].chunk.text
        assert (found.notes, made()) == ((), 3)
        soul.agent().index.rebuild()
        assert (soul.agent().recall("who is the cat?", session=OWN).notes, made()) == ((), 3)


def test_an_index_that_is_not_brought_up_to_date_tells_that_its_vectors_do_not_fit(
    tmp_path: Path, server: Server
) -> None:
    with home(tmp_path / "home", server, FrozenClock(NOON)) as soul:
        soul.agent().remember("The cat is called Mia", title="Cat")
        soul.agent().index.sync()
    server.width = 5
    with home(tmp_path / "home", server, FrozenClock(NOON), sync="{on_search: false}") as soul:
        found = soul.agent().recall("who is the cat?", session=OWN)
        assert "Mia" in found.hits[0].chunk.text
        assert "some texts have no vectors yet" in found.notes[0]
        soul.agent().index.sync()
        assert soul.agent().recall("who is the cat?", session=OWN).notes == ()


def test_a_search_does_not_wait_for_thousands_of_vectors(tmp_path: Path, server: Server) -> None:
    with home(tmp_path / "home", server, FrozenClock(NOON)) as soul:
        agent = soul.agent()
        lines = "\n".join(f"- note number {number} of the river\n" for number in range(300))
        (tmp_path / "home/workspace/main/many.md").write_text(f"# Many\n\n{lines}")
        found = agent.recall("which note is of the river?", session=OWN)
        assert "some texts have no vectors yet" in found.notes[0]
        assert sum("river" in text for text in server.texts) < 200
        agent.index.sync()
        assert sum("note number" in text for text in server.texts) == 300
        assert agent.recall("which note is of the sea?", session=OWN).notes == ()


@pytest.fixture
def bundled(tmp_path: Path) -> Iterator[Oldsoul]:
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        yield soul


def test_by_default_whole_texts_are_read_and_what_shares_no_word_is_found(bundled: Oldsoul) -> None:
    agent = bundled.agent()
    for text in ("The tide is high at noon", "My rent goes up in May", "I named him Steve, he barks at the postman"):
        agent.hear(text, session=OWN, time=NOON)
    found = agent.recall("Do we own a dog?", session=OWN, minimum=0.0)
    assert found.notes == ()
    assert "Steve" in found.hits[0].chunk.text
    assert found.hits[0].why["read"] > 0


def test_what_starts_a_session_right_after_a_search_is_read(bundled: Oldsoul) -> None:
    agent = bundled.agent()
    agent.hear("The tide is high at noon", session=OWN, time=NOON)
    agent.recall("Do we own a dog?", session=OWN, minimum=0.0)
    agent.hear("I named him Steve, he barks at the postman", session=Session.dm(id="evening"), time=NOON)
    found = agent.recall("Do we own a dog?", session=OWN, minimum=0.0)
    assert found.notes == ()
    assert found.hits[0].why["read"] > 0


@pytest.mark.parametrize("alone", [False, True])
def test_the_agents_own_words_are_not_read_and_are_found_all_the_same(bundled: Oldsoul, *, alone: bool) -> None:
    agent = bundled.agent()
    agent.hear("Which wine goes with fish?", session=OWN, time=NOON)
    if alone:
        agent.recall("Which wine goes with fish?", session=OWN)
    agent.hear("A dry Riesling goes with fish", session=OWN, time=NOON, role="assistant")
    hits = agent.recall("Which wine did you say goes with fish?", session=OWN).hits
    own = next(hit for hit in hits if "Riesling" in hit.chunk.text)
    assert own.why.get("read", 0) == 0


def test_a_search_waits_for_what_is_read_soon_and_not_for_thousands(
    bundled: Oldsoul, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_AT_ONCE", 100)
    agent, many = bundled.agent(), tmp_path / "home/workspace/main/many.md"
    many.write_text("# Many\n\n" + "\n".join(f"- note number {number} of the river\n" for number in range(90)))
    assert agent.recall("which note is of the river?", session=OWN).notes == ()
    many.write_text("# Many\n\n" + "\n".join(f"- note number {number} of the sea\n" for number in range(300)))
    agent._parts.recaller.touch()
    found = agent.recall("which note is of the sea?", session=OWN)
    assert found.hits
    assert "some texts have no vectors yet" in found.notes[0]
    agent.index.sync()
    assert agent.recall("which note is of the sea?", session=OWN).notes == ()


def test_fast_does_without_the_encoder(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("memory: {search: {provider: fast}}\n")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        for text in ("I named him Steve", "The tide is high at noon"):
            soul.agent().hear(text, session=OWN, time=NOON)
        found = soul.agent().recall("What is Steve?", session=OWN)
        assert "vectors" in found.hits[0].why
        assert not any("read" in hit.why for hit in found.hits)


def test_an_encoder_that_cannot_be_read_is_told_of_and_done_without(
    bundled: Oldsoul, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentences, "bundled_pieces", lambda: WordPieces(tmp_path))
    bundled.agent().hear("I named him Steve", session=OWN, time=NOON)
    found = bundled.agent().recall("Who is Steve?", session=OWN)
    assert "Steve" in found.hits[0].chunk.text
    assert "encoder.npz cannot be read; install Oldsoul again; until it works again" in found.notes[0]
