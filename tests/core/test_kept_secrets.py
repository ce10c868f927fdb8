"""What the operator asks to be kept as a secret: who gets it, and where it never is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from oldsoul import Oldsoul, Session
from oldsoul.errors import NotFound
from oldsoul.testing import ScriptedTalker
from oldsoul.values.callers import Caller
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Subject

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OWN = Session.dm()
SAID = "Keep this secret: the boathouse code is Heron-4711"
WORDS = "the boathouse code is Heron-4711"
ASKED = "what is the boathouse code?"


@pytest.fixture
def soul(tmp_path: Path) -> Iterator[Oldsoul]:
    with Oldsoul.open(tmp_path / "home") as made:
        yield made


def found(hits: object) -> bool:
    return "Heron-4711" in repr(hits) or any("Heron-4711" in hit.text for hit in hits)  # type: ignore[attr-defined]


def test_what_the_operator_asks_to_be_kept_as_a_secret_is_masked_and_handed_to_them_when_they_name_it(
    soul: Oldsoul,
) -> None:
    agent = soul.agent("main")
    heard = agent.hear(SAID, session=OWN)
    assert "Heron" not in heard.message.text
    assert heard.masked == 1
    assert [(kept.text, len(kept.id)) for kept in agent.memory.secrets()] == [(WORDS, 10)]
    recalled = agent.recall(ASKED, session=OWN)
    assert recalled.answer == "found"
    assert (recalled.hits[0].text, str(recalled.hits[0].chunk.audience), recalled.hits[0].chunk.tag) == (
        WORDS,
        "owner",
        "secret",
    )
    assert not found(agent.recall("what did I say about the boat race?", session=OWN).hits)


def test_nobody_else_and_no_other_talk_is_handed_a_secret(soul: Oldsoul) -> None:
    agent = soul.agent("main")
    agent.hear(SAID, session=OWN)
    agent.talk.end(OWN)
    for session in (Session.dm("acct:9"), Session.group("dev"), Session.subagent(OWN, id="s"), Session.cron("c")):
        assert not found(agent.recall(ASKED, session=session).hits), session
    for caller in (
        Caller.agent("x", session=OWN),
        Caller.reader("x", session=OWN),
        Caller.reader("x", session=Session.dm("acct:9")),
    ):
        session = caller.session or OWN
        assert not found(soul.agent("main", caller=caller).recall(ASKED, session=session).hits), caller
    assert "Heron" not in repr(agent.context(ASKED, session=OWN)) + repr(agent.prompt(ASKED, session=OWN))
    assert "Heron" not in repr(agent.call_tool("memory_search", {"query": ASKED}, session=OWN))


def test_a_secret_is_in_no_file_but_the_ledgers(tmp_path: Path, soul: Oldsoul) -> None:
    agent = soul.agent("main")
    agent.hear(SAID, session=OWN, key="one")
    agent.talk.end(OWN)
    agent.run("memory-miner")
    agent.recall(ASKED, session=OWN)
    with_it = {
        path.relative_to(tmp_path / "home").parts[0]
        for path in (tmp_path / "home").rglob("*")
        if path.is_file() and b"Heron-4711" in path.read_bytes()
    }
    assert with_it == {"state"}
    assert not any("Heron" in message.text for message in agent.talk.messages(Wanted()))
    agent.hear(SAID, session=OWN, key="one")
    assert len(agent.memory.secrets()) == 1


def test_a_model_is_told_neither_the_secret_nor_the_message_with_it(tmp_path: Path) -> None:
    talker = ScriptedTalker("noted", "I cannot tell", "noted")
    with Oldsoul.open(tmp_path / "home", talker=talker) as soul:
        agent = soul.agent("main")
        agent.respond(SAID, session=OWN)
        agent.respond(ASKED, session=OWN)
        assert len(agent.memory.secrets()) == 1
        assert "Heron" not in repr([request.turns for request in talker.requests])


def test_only_the_operators_own_words_in_their_own_talk_keep_a_secret(soul: Oldsoul) -> None:
    agent = soul.agent("main")
    agent.hear(SAID, session=Session.dm("acct:9"))
    agent.hear(SAID, session=Session.group("dev"), subject=Subject("acct:owner"))
    agent.hear(SAID, session=OWN, role="assistant")
    agent.hear(f"Summarise this:\n\n> {SAID}", session=OWN)
    agent.hear("How do you keep a recipe secret?", session=OWN)
    assert agent.memory.secrets() == []


@pytest.mark.parametrize("session", [Session.dm("acct:9"), Session.group("dev"), Session.subagent(OWN, id="s")])
def test_what_anybody_else_asks_to_be_kept_as_a_secret_is_masked_and_kept_nowhere(
    tmp_path: Path, soul: Oldsoul, session: Session
) -> None:
    agent = soul.agent("main")
    heard = agent.hear(SAID, session=session)
    assert (heard.message.text, heard.masked) == ("Keep this secret: [masked: secret]", 1)
    line = {
        "text": SAID,
        "session": "old",
        "kind": "dm",
        "subject": "acct:9",
        "role": "user",
        "time": "2026-01-01T10:00:00+00:00",
    }
    agent.talk.import_messages([json.dumps(line)])
    agent.talk.end(session)
    soul.close()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Heron-4711" in path.read_bytes()]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "Behalt das für dich: der Schuppen geht mit dem roten Faden auf.",
            "der Schuppen geht mit dem roten Faden auf",
        ),
        ("Ça reste entre nous : la clé est sous le pot vert.", "la clé est sous le pot vert"),
        ("No se lo digas a nadie. La llave está bajo la piedra.", "La llave está bajo la piedra"),
        ("誰にも言わないでください。鍵は植木鉢の下です。", "鍵は植木鉢の下です"),
        ("Don't tell anyone but the shed key is under the pot", "the shed key is under the pot"),
    ],
)
def test_a_secret_is_asked_to_be_kept_in_several_languages(soul: Oldsoul, said: str, kept: str) -> None:
    agent = soul.agent("main")
    assert kept not in agent.hear(said, session=OWN).message.text
    assert [one.text for one in agent.memory.secrets()] == [kept]


def test_a_secret_is_forgotten_for_good(tmp_path: Path, soul: Oldsoul) -> None:
    agent = soul.agent("main")
    agent.hear(SAID, session=OWN)
    agent.memory.forget_secret(agent.memory.secrets()[0].id)
    assert agent.memory.secrets() == []
    assert not found(agent.recall(ASKED, session=OWN).hits)
    soul.close()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Heron-4711" in path.read_bytes()]


def test_a_secret_that_is_not_there_cannot_be_forgotten(soul: Oldsoul) -> None:
    agent = soul.agent("main")
    with pytest.raises(NotFound):
        agent.memory.forget_secret("nothing")
