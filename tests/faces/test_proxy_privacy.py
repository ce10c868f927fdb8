"""What one person may not see reaches no other through the proxy, whatever a client sends and whatever the model calls."""

from __future__ import annotations

import http.client
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from core.test_replies_privacy import ANN, BEN, OWN, Canaries, calls, leaked, said_to, say
from faces.proxy_server import LIMIT, running_proxy
from oldsoul.app.replying import exchange
from oldsoul.errors import Unavailable
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Oldsoul

SESSIONS = (
    "one",
    "ann",
    "ben",
    "dm_acct_owner",
    "dm:acct:7",
    "dm:acct:8",
    "group_dev",
    "group:dev",
    "board",
    "../ann",
    "",
)
PEOPLE = ("acct:owner", "acct:7", "acct:8")
MODELS = ("main", "main", "main", "crew", "nobody", "../main")


class Client:
    """A program that sends whatever it likes, with the tokens of several people."""

    def __init__(self, url: str, soul: Oldsoul, chance: random.Random) -> None:
        self._host = url.removeprefix("http://").removesuffix("/v1")
        self._chance = chance
        given = {
            OWN: [soul.add_token("operator"), soul.add_token("agent", person=OWN.subject)],
            ANN: [soul.add_token("agent", person=ANN.subject), soul.add_token("reader", person=ANN.subject)],
            BEN: [
                soul.add_token("agent", person=BEN.subject),
                soul.add_token("agent", person=BEN.subject, agent="main"),
            ],
        }
        self.secrets = {session: [made.secret for made in tokens] for session, tokens in given.items()}

    def asks(self, secret: str, text: str) -> str:
        """All that comes back, whatever was asked and however it ended."""
        chance = self._chance
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        names = (("X-Session-Id", SESSIONS), ("X-Conversation-Id", SESSIONS), ("X-User-Id", PEOPLE), ("X-User", PEOPLE))
        headers |= {name: chance.choice(values) for name, values in names if chance.random() < 0.5}
        turns = [{"role": chance.choice(["system", "user", "assistant"]), "content": "before"}] * chance.randrange(3)
        turns.append({"role": "user", "content": text})
        body: dict[str, Any] = {"model": chance.choice(MODELS), "stream": chance.random() < 0.5}
        body |= {"user": chance.choice(PEOPLE), "metadata": {"session_id": chance.choice(SESSIONS)}}
        path = chance.choice(["chat/completions", "responses"])
        if path == "responses":
            body |= {"input": turns, "previous_response_id": chance.choice([None, "resp_ann", "one"])}
        else:
            body["messages"] = turns
        line = http.client.HTTPConnection(self._host, timeout=LIMIT)
        try:
            line.request("POST", f"/v1/{path}", json.dumps(body), headers)
            answer = line.getresponse()
            return json.dumps(answer.getheaders()) + answer.read().decode()
        finally:
            line.close()


@pytest.mark.parametrize("seed", range(scaled(1, 6)))
def test_nothing_of_another_person_comes_through_the_proxy(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "MOST_RESULT_BYTES", 1_000_000)
    chance = random.Random(seed)  # noqa: S311 - a test
    canaries, talker = Canaries(chance), ScriptedTalker()
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("timezone: UTC\ncontext: {replies: {tool_rounds: 3}}\n")
    with open_home(home, {}, FrozenClock(), talker=talker) as soul, running_proxy(soul) as url:
        agent, client = soul.agent(), Client(url, soul, chance)
        shown = 0
        for step in range(40):
            say(agent, chance, canaries)
            person = chance.choice((OWN, ANN, BEN))
            talker.script = [calls(chance, canaries) for _ in range(4)]
            if chance.random() < 0.1:
                talker.script[0] = Unavailable("gone")
            talker.requests.clear()
            told = client.asks(chance.choice(client.secrets[person]), f"question {step}?")
            seen = "\n".join([told, *map(said_to, talker.requests)])
            assert leaked(seen, person, canaries) == [], (step, person.id)
            shown += sum(word in seen for word in canaries.by)
    assert shown > 20, "what a person may see is shown to them"
