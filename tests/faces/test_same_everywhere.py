"""One conversation of two days, held in every way there is: each leaves the same memory, people's files and messages."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import openai
import pytest
from agno.models.openai.like import OpenAILike

from adapters.model_server import saying, serving
from faces.proxy_server import running_proxy
from oldsoul.context.directives import delivered
from oldsoul.faces.agno import agno_agent
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.values.messages import Wanted
from oldsoul.values.models import ToolCall
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oldsoul.app import Agent, Oldsoul

    Say = Callable[[Session, str, list[Any]], str]

OWN, ANN = Session.dm(), Session.dm("acct:7")
PROXIED = ("chat", "chat, streamed", "responses", "responses, streamed")
TEAM = "agents: {list: [{id: main}, {id: ann}]}\nteams: {crew: {members: [ann]}}\n"


class Line(NamedTuple):
    """A message, and what the model does with it."""

    minutes: int
    """how long after the one before"""
    session: Session
    text: str
    model: list[Any]
    """its turns: calls of tools as name and arguments, and last its reply"""
    reply: str
    """the reply as people get it"""


WRITES = ("write_memory", {"content": "The archive uses PostgreSQL", "tag": "decision"})
CONVERSATION = (
    Line(0, OWN, "Please remember that the staging server is called Juno", ["Noted."], "Noted."),
    Line(1, OWN, "We use PostgreSQL for the archive.", [WRITES, "<think>done</think>Written down."], "Written down."),
    Line(2, ANN, "Please remember that I like jasmine tea", ["I will."], "I will."),
    Line(5, OWN, "The staging server is called Hera, not Juno", ["Hera it is."], "Hera it is."),
    Line(
        1440,
        OWN,
        "what is the staging server called?",
        [("memory_search", {"query": "staging server"}), "Hera."],
        "Hera.",
    ),
    Line(1, ANN, "what tea do I like?", ["Jasmine tea."], "Jasmine tea."),
    Line(60, OWN, "thanks", ["NO_REPLY"], ""),
)


def scripted(turns: list[Any]) -> list[Any]:
    return [turn if isinstance(turn, str) else ToolCall("c", turn[0], json.dumps(turn[1])) for turn in turns]


class Held(NamedTuple):
    """A home in which the conversation is held, and how."""

    agent: Agent
    say: Say


@contextmanager
def talked(soul: Oldsoul, talker: ScriptedTalker, agent: str, verb: str) -> Iterator[Held]:
    held = soul.agent(agent)

    def say(session: Session, text: str, turns: list[Any]) -> str:
        talker.script = scripted(turns)
        if verb == "stream":
            return "".join(held.stream(text, session=session))
        if verb == "exchange":
            exchange = held.exchange(text, session=session)
            for turn in turns[:-1]:
                held.call_tool(turn[0], turn[1], session=session)
            words = delivered(turns[-1])[0]
            exchange.answered(words)
            return words
        return held.respond(text, session=session).text

    yield Held(held, say)


@contextmanager
def by_agno(soul: Oldsoul) -> Iterator[Held]:
    held = soul.agent()
    with serving() as server:
        model = OpenAILike(id="scripted", base_url=server.url, api_key="none", max_retries=0)
        made = {session.id: agno_agent(held, session=session, model=model) for session in (OWN, ANN)}

        def say(session: Session, text: str, turns: list[Any]) -> str:
            server.script += [
                saying(200, _answer(turn), Connection="close", Content_Type="application/json") for turn in turns
            ]
            return made[session.id].run(text).content or ""

        yield Held(held, say)


@contextmanager
def by_proxy(soul: Oldsoul, talker: ScriptedTalker, way: str) -> Iterator[Held]:
    """Held by OpenAI's own client, which sends each message alone."""
    secrets = {
        OWN.id: soul.add_token("operator").secret,
        ANN.id: soul.add_token("agent", person=ANN.subject).secret,
    }
    streams = way.endswith("streamed")
    with running_proxy(soul) as url, ExitStack() as closing:
        clients = {
            which: closing.enter_context(openai.OpenAI(base_url=url, api_key=secret, max_retries=0))
            for which, secret in secrets.items()
        }

        def say(session: Session, text: str, turns: list[Any]) -> str:
            talker.script = scripted(turns)
            client, kept = clients[session.id], {"X-Session-Id": "one"}
            if way.startswith("chat"):
                asked: Any = {"model": "main", "messages": [{"role": "user", "content": text}], "extra_headers": kept}
                if not streams:
                    return client.chat.completions.create(**asked).choices[0].message.content or ""
                chunks = client.chat.completions.create(**asked, stream=True)
                return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
            if not streams:
                return str(client.responses.create(model="main", input=text, extra_headers=kept).output_text)
            with client.responses.stream(model="main", input=text, extra_headers=kept) as events:
                return str(events.get_final_response().output_text)

        yield Held(soul.agent(), say)


def _answer(turn: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn if isinstance(turn, str) else None}
    if not isinstance(turn, str):
        function = {"name": turn[0], "arguments": json.dumps(turn[1])}
        message["tool_calls"] = [{"id": "c", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "stop" if isinstance(turn, str) else "tool_calls"}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}


def left(agent: Agent) -> dict[str, Any]:
    """What a conversation leaves, but for ids and numbers."""
    kept = [file.name.path for file in agent.files.all()]
    files = {
        path: re.sub(r" ?<!--os .*?-->", "", (agent.files.show(path).data or b"").decode())
        for path in kept
        if path in ("MEMORY.md", "CORRECTIONS.md", "USER.md") or path.startswith("memory/_longterms/")
    }
    messages = [
        (each.time, each.role, str(each.audience), str(each.origin), each.text)
        for each in agent.talk.messages(Wanted())
    ]
    return {"files": files, "messages": messages, "days": [day.day for day in agent.talk.days()]}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return held(tmp_path_factory.mktemp("respond"), "respond")


def held(folder: Path, way: str) -> dict[str, Any]:
    """What the conversation leaves when it is held in this way."""
    clock, talker = FrozenClock(), ScriptedTalker()
    home = folder / "home"
    home.mkdir()
    (home / "config.yaml").write_text(f"timezone: UTC\n{TEAM if way == 'team' else ''}")
    with open_home(home, {}, clock, talker=talker) as soul:
        name = "crew" if way == "team" else "main"
        if way == "agno":
            talking = by_agno(soul)
        else:
            talking = by_proxy(soul, talker, way) if way in PROXIED else talked(soul, talker, name, way)
        with talking as (agent, say):
            for line in CONVERSATION:
                clock.advance(timedelta(minutes=line.minutes))
                assert say(line.session, line.text, line.model) == line.reply
            clock.advance(timedelta(hours=1))
            agent.run("session-summarizer")
            agent.run("memory-miner")
            return left(agent)


def test_the_conversation_leaves_what_it_should(expected: dict[str, Any]) -> None:
    memory = expected["files"]["MEMORY.md"]
    assert "The archive uses PostgreSQL" in memory
    assert "Hera" in expected["files"]["memory/_longterms/acct_owner/_index.md"]
    assert "jasmine" not in memory
    assert any("jasmine tea" in text for path, text in expected["files"].items() if "/acct_7/" in path)
    assert len(expected["messages"]) == 2 * len(CONVERSATION) - 1
    assert len(expected["days"]) == 2


@pytest.mark.parametrize("way", ["stream", "exchange", "team", "agno", *PROXIED])
def test_every_way_leaves_the_same(tmp_path: Path, expected: dict[str, Any], way: str) -> None:
    assert held(tmp_path, way) == expected
