"""What one session may not see is in no prompt, tool result, reply or error of another, whatever the model calls."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.app.replying import exchange
from oldsoul.errors import OldsoulError, Unavailable
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.values.models import Supplied, ToolCall, Turn
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Agent
    from oldsoul.values.models import Request

OWN, ANN, BEN = Session.dm(), Session.dm("acct:7", id="ann"), Session.dm("acct:8", id="ben")
DEV, BOARD = Session.group("dev"), Session.group("board")
SESSIONS = (OWN, ANN, BEN, DEV, BOARD, Session.cron("job"), Session.group(""))
SEES = {
    OWN.id: {OWN.id, DEV.id, BOARD.id, "cron:job", "group"},
    ANN.id: {ANN.id},
    BEN.id: {BEN.id},
    DEV.id: {DEV.id},
    BOARD.id: {BOARD.id},
    "cron:job": set(),
    "group": set(),
}
"""Whose words each session may see, but for its own conversation as turns."""
PATHS = (
    *(
        "MEMORY.md",
        "USER.md",
        "CORRECTIONS.md",
        "CONFLICTS.md",
        "memory/2026-02-04.md",
        "rooms/dev.md",
        "rooms/board.md",
    ),
    *("memory/_longterms/acct_7/_index.md", "memory/_longterms/acct_8/profile.md", "chat/ann", "chat/dm_acct_owner"),
    *("../main/MEMORY.md", "/etc/passwd", "CHANGELOG.md", "memory/2026-02-04/ann.md", "chat/group_dev"),
)


class Canaries:
    """Words that nobody says but one session; beside each a word that the model may ask for."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.by: dict[str, str] = {}
        self._known = ["nothing"]

    def words(self, session: Session) -> str:
        known, hidden = (f"{start}{self._chance.randrange(1 << 40):x}" for start in ("zk", "zq"))
        self._known.append(known)
        self.by[hidden] = session.id
        return f"{known} {hidden}"

    def any(self) -> str:
        return self._chance.choice(self._known)


def calls(chance: random.Random, canaries: Canaries) -> list[Any]:
    """A turn of a model that tries whatever it can: words of others, every path, half of it wrong."""
    made: list[Any] = []
    for number in range(chance.randrange(3)):
        word = canaries.any()
        name, arguments = chance.choice(
            [
                ("memory_search", {"query": f"what about {word}?", "maxResults": 50, "minScore": 0}),
                ("memory_get", {"path": chance.choice(PATHS), "lines": 2000}),
                (
                    "write_memory",
                    {"content": f"noted {chance.randrange(1 << 30)}", "target": chance.choice(["memory", "daily"])},
                ),
                ("memory_correct", {"quote": word, "text": "something else"}),
                ("memory_forget", {"quote": word}),
                ("propose_soul_change", {"text": "be kind", "reason": "so"}),
                ("memory_work", {"limit": 20}),
                ("memory_answer", {"id": word, "answer": "{}"}),
                ("skill_read", {"skill": word}),
                (word, {}),
            ]
        )
        made.append(ToolCall(str(number), name, json.dumps(arguments) if chance.random() < 0.9 else "{"))
    return made or ["fine"]


def leaked(told: str, session: Session, canaries: Canaries) -> list[str]:
    may = {*SEES[session.id], session.id}
    return [word for word, said in canaries.by.items() if said not in may and word in told]


def said_to(request: Request) -> str:
    return "\n".join((*(turn.text for turn in request.turns), *(offer.description for offer in request.offers)))


def say(agent: Agent, chance: random.Random, canaries: Canaries) -> None:
    """Somebody says or notes something, somewhere."""
    session = chance.choice(SESSIONS[:5])
    word = canaries.words(session)
    kind = chance.randrange(5)
    if kind == 0:
        agent.talk.append_daily_log(f"The parcel {word} came", session=session)
    elif kind == 1 and session is OWN:
        agent.remember(f"The code of the gate is {word}")
    elif kind == 2 and session in (ANN, BEN):
        agent.memory.promote(f"Likes the colour {word}", session.subject or "")
    elif kind == 3:
        agent.hear(f"Please remember that my token word is {word}", session=session, sender="Somebody")
        agent.talk.end(session)
    else:
        agent.hear(f"My favourite word is {word}", session=session, sender="Somebody")


@pytest.mark.parametrize("seed", range(scaled(1, 6)))
def test_nothing_of_another_session_reaches_a_model_a_tool_or_an_error(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "MOST_RESULT_BYTES", 1_000_000)
    chance = random.Random(seed)  # noqa: S311 - a test
    canaries = Canaries(chance)
    talker = ScriptedTalker()
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("timezone: UTC\ncontext: {replies: {tool_rounds: 3}}\n")
    with open_home(home, {}, FrozenClock(), talker=talker) as soul:
        agent = soul.agent()
        shown = 0
        for step in range(40):
            say(agent, chance, canaries)
            session = chance.choice(SESSIONS)
            talker.script = [calls(chance, canaries) for _ in range(4)]
            if chance.random() < 0.1:
                talker.script[0] = Unavailable("gone")
            talker.requests.clear()
            given = Supplied((Turn("user", "hi"),)) if chance.random() < 0.2 else None  # type: ignore[arg-type]
            keep = chance.random() < 0.8
            told = ""
            try:
                stream = agent.stream(f"question {step}?", session=session, keep=keep, supplied=given)
                told = stream.response.text + "".join(use.result for use in stream.response.tools)
            except OldsoulError as error:
                told = str(error)
            seen = "\n".join([told, *map(said_to, talker.requests)])
            assert leaked(seen, session, canaries) == [], (step, session.id)
            shown += sum(word in seen for word in canaries.by)
    assert shown > 20, "what a session may see is shown to it"
