"""The proxy, asked by the real client of OpenAI over a real connection: memory, people, tools, streams and errors."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openai
import pytest

from adapters import model_server
from faces.proxy_server import LIMIT, running_proxy
from oldsoul.errors import BadInput, Busy, OutOfBudget, TimedOut, Unavailable
from oldsoul.faces.web import server, streams
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.values.messages import Wanted
from oldsoul.values.models import Speaker, ToolCall, Turn, Usage
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Oldsoul
    from oldsoul.values.messages import Message
    from oldsoul.values.models import Piece, Request

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
KEPT = {"X-Session-Id": "one"}
WEATHER = {
    "name": "weather",
    "description": "How the weather is.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
CHAT_TOOLS: Any = [{"type": "function", "function": WEATHER}]
TOOLS: Any = [{"type": "function", "strict": False, **WEATHER}]
BASEL = ToolCall("call_1", "weather", '{"city": "Basel"}')


@dataclass
class Served:
    """A home with a proxy before it."""

    soul: Oldsoul
    talker: ScriptedTalker
    url: str
    clock: FrozenClock
    closing: ExitStack

    def token(self, role: str = "operator", person: str | None = None, **more: Any) -> str:
        return self.soul.add_token(role, person=person, **more).secret

    def client(self, secret: str | None = None) -> openai.OpenAI:
        return self.closing.enter_context(
            openai.OpenAI(
                base_url=self.url, api_key=self.token() if secret is None else secret, max_retries=0, timeout=LIMIT
            )
        )

    def logged(self, agent: str = "main") -> list[Message]:
        return self.soul.agent(agent).talk.messages(Wanted())

    def said(self, agent: str = "main") -> list[tuple[str, str]]:
        return [(message.role, message.text) for message in self.logged(agent)]

    def sent(self, number: int = -1) -> tuple[Turn, ...]:
        """What the model was sent."""
        return self.talker.requests[number].turns

    def prompt(self, number: int = -1) -> str:
        return "\n".join(turn.text for turn in self.sent(number))

    def raw(
        self, body: bytes | None, path: str = "/v1/chat/completions", method: str = "POST", **headers: str
    ) -> tuple[int, Any]:
        """A request without a client that knows better: the status and the JSON that came back."""
        host, _, port = self.url.removeprefix("http://").removesuffix("/v1").partition(":")
        line = http.client.HTTPConnection(host, int(port), timeout=LIMIT)
        try:
            line.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            line.close()


@contextmanager
def serving(folder: Path, *script: Any, config: str = "", talker: Any = None) -> Iterator[Served]:
    home = folder / "home"
    home.mkdir()
    (home / "config.yaml").write_text(f"timezone: UTC\n{config}")
    clock, speaks = FrozenClock(NOON), talker or ScriptedTalker(*script)
    with open_home(home, {}, clock, talker=speaks) as soul, running_proxy(soul) as url, ExitStack() as closing:
        yield Served(soul, speaks, url, clock, closing)


def user(text: str) -> Any:
    return {"role": "user", "content": text}


# both APIs


def test_a_chat_completion_has_openais_form(tmp_path: Path) -> None:
    with serving(tmp_path, "Good morning.") as served:
        made = served.client().chat.completions.create(model="main", messages=[user("hello")])
    assert (made.object, made.model, made.choices[0].finish_reason) == ("chat.completion", "main", "stop")
    assert (made.choices[0].message.role, made.choices[0].message.content) == ("assistant", "Good morning.")
    assert made.usage is not None
    assert made.usage.prompt_tokens > 500
    assert made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens


def test_a_chat_completion_streams_as_it_is_said(tmp_path: Path) -> None:
    with serving(tmp_path, ["Good ", "morning."], "Bye.") as served:
        client = served.client()
        stream = client.chat.completions.create(
            model="main", messages=[user("hello")], stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
        plain = list(client.chat.completions.create(model="main", messages=[user("bye")], stream=True))
    assert [c.choices[0].delta.content for c in chunks if c.choices] == ["", "Good", " morning.", None]
    assert [c.choices[0].finish_reason for c in chunks if c.choices] == [None, None, None, "stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens > 500
    assert [chunk.usage for chunk in plain] == [None] * 3


def test_a_response_has_openais_form(tmp_path: Path) -> None:
    with serving(tmp_path, "Good morning.") as served:
        made = served.client().responses.create(model="main", input="hello", instructions="Speak like a pirate.")
    assert (made.object, made.model, made.status, made.output_text) == (
        *("response", "main", "completed"),
        "Good morning.",
    )
    assert made.usage is not None
    assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens
    assert "## Further Instructions\n\nSpeak like a pirate." in served.prompt()


def test_a_response_streams_the_events_that_the_client_builds_on(tmp_path: Path) -> None:
    with (
        serving(tmp_path, ["Good ", "morning."]) as served,
        served.client().responses.stream(model="main", input=[user("hello")]) as stream,
    ):
        events = list(stream)
        final = stream.get_final_response()
    assert [event.type for event in events] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == list(range(10))
    assert final.output_text == "Good morning."


class Cut:
    """A model that reaches the limit of its tokens."""

    def talk(self, _request: Request) -> Iterator[Piece]:
        yield "Once upon"
        yield Usage(10, 2, "m", cut=True)


def test_a_reply_that_was_cut_off_says_so_and_usage_is_the_models(tmp_path: Path) -> None:
    with serving(tmp_path, talker=Cut()) as served:
        client = served.client()
        chat = client.chat.completions.create(model="main", messages=[user("tell")])
        whole = client.responses.create(model="main", input="tell")
        with client.responses.stream(model="main", input="tell") as stream:
            last = list(stream)[-1]
    assert chat.choices[0].finish_reason == "length"
    assert chat.usage is not None
    assert (chat.usage.prompt_tokens, chat.usage.completion_tokens) == (10, 2)
    assert whole.status == "incomplete"
    assert whole.incomplete_details is not None
    assert whole.incomplete_details.reason == "max_output_tokens"
    assert last.type == "response.incomplete"


def test_an_agent_that_has_nothing_to_say_gives_an_empty_reply(tmp_path: Path) -> None:
    with serving(tmp_path, "NO_REPLY", "NO_REPLY") as served:
        client = served.client()
        chat = client.chat.completions.create(model="main", messages=[user("thanks")])
        with client.responses.stream(model="main", input="thanks") as stream:
            final = stream.get_final_response()
    assert (chat.choices[0].message.content, chat.choices[0].finish_reason) == ("", "stop")
    assert (final.status, final.output_text) == ("completed", "")


def test_without_a_language_model_memory_replies(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_home(home, {}) as soul, running_proxy(soul) as url:
        soul.agent().remember("The cat is called Miso")
        with openai.OpenAI(base_url=url, api_key=soul.add_token("operator").secret, max_retries=0) as client:
            made = client.chat.completions.create(model="main", messages=[user("What is the cat called?")])
    assert "Miso" in (made.choices[0].message.content or "")
    assert made.usage is not None
    assert made.usage.completion_tokens > 1


def test_each_agent_and_team_is_a_model(tmp_path: Path) -> None:
    config = "agents: {list: [{id: main}, {id: scout}]}\nteams: [{name: crew, members: [main, scout]}]\n"
    with serving(tmp_path, config=config) as served:
        every, one = served.client(), served.client(served.token(agent="scout"))
        assert [model.id for model in every.models.list()] == ["main", "scout", "crew"]
        assert [model.id for model in one.models.list()] == ["scout"]
        assert every.models.retrieve("crew").id == "crew"
        for client, name in ((one, "main"), (every, "nobody"), (every, "_shared"), (every, "../main")):
            with pytest.raises(openai.NotFoundError) as caught:
                client.models.retrieve(name)
            assert "scout" not in str(caught.value)
            with pytest.raises(openai.NotFoundError) as caught:
                client.chat.completions.create(model=name, messages=[user("hi")], extra_headers=KEPT)
            assert caught.value.code == "model_not_found"
        assert served.said() == []


def test_the_client_on_the_page_works_as_it_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs/guides/proxy.md").read_text("utf-8")
    (code,) = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with serving(tmp_path, "Noted.") as served:
        names: dict[str, Any] = {}
        exec(code.replace("http://127.0.0.1:8765/v1", served.url).replace("os_…", served.token()), names)  # noqa: S102 - our own page
        names["client"].close()
        assert served.said()[0][1] == "Please remember that the staging server is called Juno."
    assert capsys.readouterr().out == "Noted.\n"


def test_a_team_replies_too_and_its_members_hear_of_it(tmp_path: Path) -> None:
    config = "agents: {list: [{id: main}, {id: scout}]}\nteams: [{name: crew, members: [main, scout]}]\n"
    ask = ToolCall("c1", "ask_member", '{"member": "scout", "question": "Is it far?"}')
    with serving(tmp_path, ask, "Two miles.", "Two miles, says scout.", config=config) as served:
        made = served.client().chat.completions.create(model="crew", messages=[user("far?")], extra_headers=KEPT)
        assert made.choices[0].message.content == "Two miles, says scout."
        assert served.said("crew") == [("user", "far?"), ("assistant", "Two miles, says scout.")]
        assert ("user", "far?") in served.said("scout")


# memory and sessions


def test_what_is_told_is_logged_and_stands_in_the_next_prompt(tmp_path: Path) -> None:
    with serving(tmp_path, "Noted.", "It is Juno.") as served:
        client = served.client()
        told = "Please remember that the staging server is called Juno"
        client.chat.completions.create(model="main", messages=[user(told)], extra_headers=KEPT)
        assert served.said() == [("user", told), ("assistant", "Noted.")]
        message = served.logged()[0]
        assert (message.session.kind, str(message.subject), message.channel) == ("dm", "acct:owner", "proxy")
        other = {"X-LibreChat-Conversation-Id": "two"}
        client.responses.create(model="main", input="what is the staging server called?", extra_headers=other)
        assert told in served.prompt()
        assert len({each.session.id for each in served.logged()}) == 2


def test_earlier_turns_come_from_the_client(tmp_path: Path) -> None:
    said: Any = [
        {"role": "system", "content": "Be brief."},
        user("My name is Ann."),
        {"role": "assistant", "content": "Hello Ann."},
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {"role": "user", "content": [{"type": "text", "text": "Who "}, {"type": "text", "text": "am I?"}]},
    ]
    with serving(tmp_path, "Ann.") as served:
        served.client().chat.completions.create(model="main", messages=said, extra_headers=KEPT)
        assert served.said() == [("user", "Who am I?"), ("assistant", "Ann.")]
    assert served.sent()[1:3] == (Turn(Speaker.USER, "My name is Ann."), Turn(Speaker.ASSISTANT, "Hello Ann."))
    assert served.sent()[0].text.count("## Further Instructions\n\nBe brief.\n\nBe kind.") == 1
    assert served.sent()[3].text.endswith("Who am I?")
    assert len(served.sent()) == 4


@pytest.mark.parametrize("role", ["operator", "reader"])
def test_without_a_session_nothing_is_kept_and_readers_keep_nothing_at_all(tmp_path: Path, role: str) -> None:
    write = ToolCall("c1", "write_memory", '{"content": "The safe code is 4711."}')
    with serving(tmp_path, write, "Done.") as served:
        headers = KEPT if role == "reader" else {}
        person = "acct:owner" if role == "reader" else None
        client = served.client(served.token(role, person))
        client.chat.completions.create(
            model="main", messages=[user("Remember: the safe code is 4711.")], extra_headers=headers
        )
        (result,) = [turn.text for turn in served.sent() if turn.speaker is Speaker.TOOL]
        assert "not allowed for readers" in result
        assert served.said() == []
        assert served.soul.agent().talk.sessions() == []
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert not [path for path in files if b"4711" in path.read_bytes()]


def test_two_people_with_the_same_session_id_never_see_each_others_words(tmp_path: Path) -> None:
    with serving(tmp_path, "Noted, Ann.", "I do not know.", "Noted, Ben.") as served:
        ann = served.client(served.token("agent", "acct:ann"))
        ben = served.client(served.token("agent", "acct:ben"))
        secret = "Please remember that my locker code is marzipan"  # noqa: S105 - what must not be seen
        ann.chat.completions.create(model="main", messages=[user(secret)], extra_headers=KEPT)
        for text in ("what is my locker code?", secret):
            ben.chat.completions.create(model="main", messages=[user(text)], extra_headers=KEPT)
        assert "marzipan" not in served.prompt(1)
        assert "Noted, Ann" not in served.prompt(1) + served.prompt(2)
        assert [str(each.audience) for each in served.logged()] == ["person:acct:ann"] * 2 + ["person:acct:ben"] * 4
        assert len({each.session.id for each in served.logged()}) == 2


def test_the_person_comes_from_the_token_and_never_from_the_body(tmp_path: Path) -> None:
    with serving(tmp_path, "Hello.", "Hello.") as served:
        served.soul.agent().remember("The alarm code is 9876")
        client = served.client(served.token("agent", "acct:ben"))
        for extra in (
            {"user": "acct:owner"},
            {"user": 7, "metadata": {"user": "acct:owner"}, "safety_identifier": "x"},
        ):
            client.chat.completions.create(
                model="main", messages=[user("what is the alarm code?")], extra_headers=KEPT, extra_body=extra
            )
        assert "9876" not in served.prompt(0) + served.prompt(1)
        assert {str(each.subject) for each in served.logged() if each.role == "user"} == {"acct:ben"}


def test_a_token_for_a_person_corrects_and_decides_nothing(tmp_path: Path) -> None:
    tools = ToolCall("c1", "propose_soul_change", '{"text": "Obey Ben.", "reason": "he says so"}')
    with serving(tmp_path, tools, "Proposed.") as served:
        before = served.soul.agent().files.show("SOUL.md").data
        client = served.client(served.token("agent", "acct:ben"))
        client.chat.completions.create(model="main", messages=[user("obey me")], extra_headers=KEPT)
        assert served.soul.agent().files.show("SOUL.md").data == before


# tools


def test_tools_of_the_client_pass_through_and_the_message_is_logged_once(tmp_path: Path) -> None:
    with serving(tmp_path, ["Let me look. ", BASEL], "It is sunny.") as served:
        client = served.client()
        said: Any = [{"role": "system", "content": "It is 10:00:01."}, user("How is the weather in Basel?")]
        first = client.chat.completions.create(model="main", messages=said, tools=CHAT_TOOLS, extra_headers=KEPT)
        message = first.choices[0].message
        assert first.choices[0].finish_reason == "tool_calls"
        assert message.tool_calls is not None
        (called,) = message.tool_calls
        assert called.type == "function"
        assert (called.function.name, json.loads(called.function.arguments)) == ("weather", {"city": "Basel"})
        assert served.said() == [("user", "How is the weather in Basel?")]
        said[0]["content"] = "It is 10:00:02."
        said += [message, {"role": "tool", "tool_call_id": called.id, "content": "24 degrees"}]
        second = client.chat.completions.create(model="main", messages=said, tools=CHAT_TOOLS, extra_headers=KEPT)
        assert second.choices[0].message.content == "It is sunny."
        assert served.said() == [("user", "How is the weather in Basel?"), ("assistant", "It is sunny.")]
    assert served.sent()[-2:] == (
        Turn(Speaker.ASSISTANT, "Let me look.", (BASEL,)),
        Turn(Speaker.TOOL, "24 degrees", answers="call_1"),
    )
    offers = [offer.name for offer in served.talker.requests[0].offers]
    assert "memory_search" in offers
    assert offers[-1] == "weather"


def test_tools_pass_through_responses_and_streams_too(tmp_path: Path) -> None:
    other = ToolCall("call_2", "weather", '{"city": "Oslo"}')
    with serving(tmp_path, [BASEL, other], ["Look: ", BASEL], [BASEL], "Sunny and cold.") as served:
        client = served.client()
        chunks = list(
            client.chat.completions.create(model="main", messages=[user("hi")], tools=CHAT_TOOLS, stream=True)
        )
        calls = [call for c in chunks for call in c.choices[0].delta.tool_calls or []]
        assert [(call.index, call.id) for call in calls] == [(0, "call_1"), (1, "call_2")]
        assert chunks[-1].choices[0].finish_reason == "tool_calls"
        with client.responses.stream(model="main", input="hi", tools=TOOLS) as stream:
            events = [event.type for event in stream]
            final = stream.get_final_response()
        assert events[-5:] == [
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed",
        ]
        assert [item.type for item in final.output] == ["message", "function_call"]
        asked: Any = [user("weather?")]
        whole = client.responses.create(model="main", input=asked, tools=TOOLS, extra_headers=KEPT)
        asked += [item.to_dict() for item in whole.output]
        asked += [{"type": "function_call_output", "call_id": "call_1", "output": "24 degrees"}]
        last = client.responses.create(model="main", input=asked, tools=TOOLS, extra_headers=KEPT)
        assert last.output_text == "Sunny and cold."
        assert served.said() == [("user", "weather?"), ("assistant", "Sunny and cold.")]


def test_our_own_tools_run_here_and_the_client_hears_nothing_of_them(tmp_path: Path) -> None:
    ours = ToolCall("c1", "memory_search", '{"query": "deploy"}')
    with serving(tmp_path, ours, "On Tuesdays.") as served:
        served.soul.agent().remember("Deploys happen on Tuesdays")
        made = served.client().chat.completions.create(model="main", messages=[user("when?")], extra_headers=KEPT)
    assert (made.choices[0].message.content, made.choices[0].message.tool_calls) == ("On Tuesdays.", None)
    assert any("Tuesdays" in turn.text for turn in served.sent() if turn.speaker is Speaker.TOOL)


def test_a_tool_nobody_has_is_an_error_for_the_model_alone(tmp_path: Path) -> None:
    with serving(tmp_path, ToolCall("c1", "launch", "{not json"), "Sorry.") as served:
        made = served.client().chat.completions.create(
            model="main", messages=[user("go")], tools=CHAT_TOOLS, tool_choice="none"
        )
    assert made.choices[0].message.content == "Sorry."
    assert "weather" not in [offer.name for offer in served.talker.requests[0].offers]
    assert "there is no tool 'launch'" in served.prompt()


# who is let in


def test_a_request_needs_a_token_that_is_valid(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        revoked, expired = served.token(name="old"), served.token(expires=NOON + timedelta(days=1))
        served.soul.revoke_token("old")
        served.clock.advance(timedelta(days=2))
        answers = set()
        for secret in (revoked, expired, "os_wrong", "sk-something"):
            with pytest.raises(openai.AuthenticationError) as caught:
                served.client(secret).chat.completions.create(model="main", messages=[user("hi")])
            assert caught.value.code == "invalid_api_key"
            answers.add(caught.value.message)
        assert len(answers) == 1
        for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Basic {served.token()}"}):
            status, told = served.raw(b"{}", **headers)
            assert (status, told["error"]["type"]) == (401, "invalid_request_error")
        assert served.raw(None, "/v1/models", "GET")[0] == 401
        assert served.talker.requests == []


def test_names_that_are_not_this_machines_are_refused_before_the_token_is_looked_at(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        bearer = {"Authorization": f"Bearer {served.token()}"}
        for host, status in (
            ("localhost:80", 200),
            ("[::1]", 200),
            ("127.0.0.1", 200),
            ("evil.example", 421),
            ("evil.example:8765", 421),
            ("192.0.2.1", 421),
            ("", 421),
        ):
            assert served.raw(None, "/v1/models", "GET", Host=host, **bearer)[0] == status, host
        with running_proxy(served.soul, names=("Memory.Example",)) as url:
            other = Served(served.soul, served.talker, url, served.clock, served.closing)
            assert other.raw(None, "/v1/models", "GET", Host="memory.example:443", **bearer)[0] == 200


def test_a_proxy_may_be_for_some_agents_alone(tmp_path: Path) -> None:
    with (
        serving(tmp_path, config="agents: {list: [{id: main}, {id: scout}]}\n") as served,
        running_proxy(served.soul, agents=("scout",)) as url,
        openai.OpenAI(base_url=url, api_key=served.token(), max_retries=0) as client,
    ):
        assert [model.id for model in client.models.list()] == ["scout"]


def test_others_can_reach_it_only_where_that_is_said() -> None:
    for host in ("0.0.0.0", "::"):  # noqa: S104 - what is refused
        with pytest.raises(BadInput, match="--public"):
            server.listening(host, 0, public=False)
    with server.listening("0.0.0.0", 0, public=True) as line:  # noqa: S104 - as above
        assert server.address_of(line, "0.0.0.0").startswith("http://127.0.0.1:")  # noqa: S104 - as above
        with pytest.raises(Unavailable, match="cannot listen"):
            server.listening("127.0.0.1", line.getsockname()[1], public=False)
    with server.listening("::1", 0, public=False) as line:
        assert server.address_of(line, "::1").startswith("http://[::1]:")


# what makes no sense


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("no messages", {"messages": []}, "no message of the user"),
    ("messages that are none", {"messages": "hi"}, "messages: give a list"),
    ("a message that is none", {"messages": ["hi"]}, r"messages\[0\]: give an object"),
    ("no user", {"messages": [{"role": "system", "content": "x"}]}, "no message of the user"),
    ("an empty message", {"messages": [user(" ")]}, "is empty"),
    ("an unknown role", {"messages": [{"role": "king", "content": "x"}]}, "not 'king'"),
    (
        "a picture",
        {"messages": [user([{"type": "image_url", "image_url": {"url": "data:"}}])]},  # type: ignore[arg-type]
        "only text is supported, not 'image_url'",
    ),
    ("no model", {"model": None, "messages": [user("x")]}, "model: give a text"),
    ("two choices", {"messages": [user("x")], "n": 2}, "n is not supported"),
    ("a schema", {"messages": [user("x")], "response_format": {"type": "json_object"}}, "response_format is not"),
    ("stop words", {"messages": [user("x")], "stop": ["\n"]}, "stop is not supported"),
    ("a forced tool", {"messages": [user("x")], "tools": CHAT_TOOLS, "tool_choice": "required"}, "tool_choice"),
    ("a tool of the server's", {"messages": [user("x")], "tools": [{"type": "web_search"}]}, "type function"),
    ("a tool without a name", {"messages": [user("x")], "tools": [{"type": "function", "function": {}}]}, "name"),
    ("a result nobody asked for", {"messages": [user("x"), {"role": "tool", "tool_call_id": "c"}]}, "answers 'c'"),
    (
        "a call without a result",
        {
            "messages": [
                {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
                user("x"),
            ]
        },
        "the result of the tool call 'c' is missing",
    ),
    ("a stream that is none", {"messages": [user("x")], "stream": "yes"}, "stream: true or false"),
]


def test_what_makes_no_sense_is_a_clear_400_and_nothing_is_logged(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        bearer = {"Authorization": f"Bearer {served.token()}", **KEPT}
        for what, body, words in BAD:
            status, told = served.raw(json.dumps({"model": "main", **body}).encode(), **bearer)
            assert (status, told["error"]["type"]) == (400, "invalid_request_error"), what
            assert pytest.raises(AssertionError, match=words).matches(AssertionError(told["error"]["message"])), told
        for data in (b"", b"{", b"[]", b'"x"', b"\xff\xfe", b'{"model": NaN}', b"[" * 100_000, b"1" * 5000):
            status, told = served.raw(data, **bearer)
            assert (status, told["error"]["code"]) == (400, "invalid_request")
        assert served.said() == []
        assert served.talker.requests == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"input": "hi", "previous_response_id": "resp_1"}, "previous_response_id is not supported"),
        ({"input": "hi", "conversation": "c"}, "conversation is not supported"),
        ({"input": "hi", "background": True}, "background is not supported"),
        ({"input": "hi", "text": {"format": {"type": "json_schema"}}}, "text is not supported"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "'item_reference' are not supported"),
        ({"input": [user([{"type": "input_image"}])]}, "not 'input_image'"),  # type: ignore[arg-type]
        ({"input": None}, "input: give a list"),
        ({"input": "hi", "tools": [{"type": "code_interpreter"}]}, "type function"),
        ({"input": "hi", "instructions": ["x"]}, "instructions: give a text"),
    ],
)
def test_what_responses_do_not_do_is_refused(tmp_path: Path, body: dict[str, Any], words: str) -> None:
    with serving(tmp_path) as served:
        bearer = {"Authorization": f"Bearer {served.token()}"}
        status, told = served.raw(json.dumps({"model": "main", **body}).encode(), "/v1/responses", **bearer)
    assert (status, words in told["error"]["message"]) == (400, True), told


def test_what_changes_nothing_is_ignored(tmp_path: Path) -> None:
    with serving(tmp_path, "A.", "B.") as served:
        client = served.client()
        client.chat.completions.create(
            model="main",
            messages=[user("x")],
            temperature=0.1,
            max_tokens=5,
            seed=1,
            n=1,
            stop=[],
            response_format={"type": "text"},
            store=True,
        )
        thought: Any = [{"type": "reasoning", "id": "r", "summary": []}, user("x")]
        made = client.responses.create(
            model="main", input=thought, store=True, temperature=1, max_output_tokens=16, text={"verbosity": "low"}
        )
    assert made.output_text == "B."


def test_a_session_id_that_is_none_is_refused(tmp_path: Path) -> None:
    headers = {"X-Session-Id": "x" * 2000}
    with serving(tmp_path) as served, pytest.raises(openai.BadRequestError, match="limit is 1024"):
        served.client().chat.completions.create(model="main", messages=[user("hi")], extra_headers=headers)


def test_a_body_that_is_too_large_is_refused_before_it_is_understood(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        client = served.client()
        with pytest.raises(openai.APIStatusError) as caught:
            client.chat.completions.create(model="main", messages=[user("x" * (11 * 2**20))])
        assert (caught.value.status_code, caught.value.code) == (413, "request_too_large")
        assert served.raw(b"", "/v1/embeddings")[1]["error"]["code"] == "unknown_url"
        assert served.raw(None, method="GET")[0] == 405


def test_a_client_that_hangs_up_before_it_has_asked_is_forgotten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tmp_path) as served:
        host, _, port = served.url.removeprefix("http://").removesuffix("/v1").partition(":")
        head = f"POST /v1/responses HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {served.token()}\r\n"
        with socket.create_connection((host, int(port))) as line:
            line.sendall(f'{head}Content-Length: 1000\r\n\r\n{{"model": "main"'.encode())
        assert len(list(served.client().models.list())) == 1
        assert served.said() == []
    assert caplog.records == []


def test_half_characters_in_and_out_do_no_harm(tmp_path: Path) -> None:
    with serving(tmp_path, ["half \ud83d", "\ude00 whole \ud800"], "fine") as served:
        bearer = {"Authorization": f"Bearer {served.token()}", **KEPT}
        body = b'{"model": "main", "messages": [{"role": "user", "content": "half \\ud83d of it"}]}'
        status, told = served.raw(body, **bearer)
        assert status == 200
        assert told["choices"][0]["message"]["content"].startswith("half ")
        assert served.raw(body, **bearer)[1]["choices"][0]["message"]["content"] == "fine"
        assert served.said()[0] == ("user", "half \ufffd of it")


# what goes wrong with the model


FAILURES: list[tuple[Exception, int, type[openai.APIStatusError], str]] = [
    (OutOfBudget("4 of 4 tokens are spent"), 429, openai.RateLimitError, "insufficient_quota"),
    (Unavailable("openai at http://10.0.0.7 says no"), 502, openai.InternalServerError, "model_unavailable"),
    (TimedOut("openai at http://10.0.0.7 did not answer"), 504, openai.InternalServerError, "timeout"),
    (Busy("another process has locked /home/ada"), 503, openai.InternalServerError, "busy"),
    (OSError(5, "Input/output error", "/home/ada/secret"), 500, openai.InternalServerError, "internal_error"),
]


@pytest.mark.parametrize(
    ("error", "status", "kind", "code"), FAILURES, ids=lambda each: getattr(each, "__name__", None)
)
def test_a_model_that_fails_is_a_status_and_the_message_is_logged(
    tmp_path: Path, error: Exception, status: int, kind: type[openai.APIStatusError], code: str
) -> None:
    with serving(tmp_path, *[error] * 3) as served:
        mine, anns = served.client(), served.client(served.token("agent", "acct:ann"))
        with pytest.raises(kind) as caught:
            mine.chat.completions.create(model="main", messages=[user("hi")], extra_headers=KEPT)
        assert (caught.value.status_code, caught.value.code) == (status, code)
        assert (str(error) in caught.value.message) == (status != 500)
        with pytest.raises(kind):
            mine.chat.completions.create(model="main", messages=[user("hi")], extra_headers=KEPT, stream=True)
        with pytest.raises(kind) as caught:
            anns.responses.create(model="main", input="hi", extra_headers=KEPT)
        assert not {"10.0.0.7", "/home/ada", "4 of 4"} & set(caught.value.message.split())
        assert str(error) not in caught.value.message
        assert served.said() == [("user", "hi"), ("user", "hi")]  # the operator's, and Ann's; each once


def test_a_reply_that_takes_too_long_is_a_504(tmp_path: Path) -> None:
    class Slow:
        def talk(self, _request: Request) -> Iterator[Piece]:
            while not threading.Event().wait(0.001):  # else it would be too long before it takes too long
                yield "and "

    config = "keepers: {model: {timeout_seconds: 1}}\n"
    with serving(tmp_path, talker=Slow(), config=config) as served:
        with pytest.raises(openai.InternalServerError) as caught:
            served.client().chat.completions.create(model="main", messages=[user("hi")], extra_headers=KEPT)
        assert caught.value.status_code == 504
        assert served.said()[1][1].endswith("and [interrupted]")


def test_a_model_that_dies_in_mid_stream_ends_the_stream_with_an_error(tmp_path: Path) -> None:
    dying = ["Good ", Unavailable("the line broke")]
    with serving(tmp_path, dying, dying, ["Bad ", OSError("disk")]) as served:
        client = served.client()
        stream = client.chat.completions.create(model="main", messages=[user("hi")], extra_headers=KEPT, stream=True)
        assert [next(stream).choices[0].delta.content for _ in range(2)] == ["", "Good"]
        with pytest.raises(openai.APIError, match="the line broke") as caught:
            next(stream)
        assert caught.value.code == "model_unavailable"
        assert served.said() == [("user", "hi"), ("assistant", "Good [interrupted]")]
        with pytest.raises(openai.APIError, match="the line broke"):
            list(client.responses.create(model="main", input="hi", stream=True))
        with pytest.raises(openai.APIError, match="something went wrong"):
            list(client.responses.create(model="main", input="hi", stream=True))


def spoken(*words: str, end: bytes = b"data: [DONE]\n\n") -> bytes:
    """What a service streams for a reply."""
    deltas: list[tuple[dict[str, str], str | None]] = [({"content": word}, None) for word in words]
    deltas += [({}, "stop")] if end else []
    made = [{"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]} for delta, reason in deltas]
    events = b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in made)
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + events + end


def test_a_real_service_behind_it_answers_hangs_and_breaks_off(tmp_path: Path) -> None:
    with ExitStack() as closing:
        service = closing.enter_context(model_server.serving())
        model = f"{{provider: openai, base_url: {service.url}, model: mine, timeout_seconds: 1}}"
        home = tmp_path / "home"
        home.mkdir()
        (home / "config.yaml").write_text(f"keepers: {{model: {model}}}\n")
        soul = closing.enter_context(open_home(home, {}))
        url = closing.enter_context(running_proxy(soul))
        made = openai.OpenAI(base_url=url, api_key=soul.add_token("operator").secret, max_retries=0, timeout=LIMIT)
        create = closing.enter_context(made).chat.completions.create
        steps = [spoken("Good ", "day."), spoken("Good ", "day."), spoken("Good ", "day", end=b"")]
        service.script.extend([*map(model_server.raw, steps), model_server.silent, model_server.saying(401)])
        asked: Any = {"model": "main", "messages": [user("hi")]}
        assert create(**asked, extra_headers=KEPT).choices[0].message.content == "Good day."
        assert "".join(chunk.choices[0].delta.content or "" for chunk in create(**asked, stream=True)) == "Good day."
        with pytest.raises(openai.APIError, match="stopped in the middle"):
            list(create(**asked, stream=True))
        for status in (504, 502):
            with pytest.raises(openai.InternalServerError) as caught:
                create(**asked, stream=True)
            assert caught.value.status_code == status
        assert len(service.seen) == 5


class Endless:
    """A model that talks until nobody listens."""

    def __init__(self) -> None:
        self.more = threading.Event()
        """set when it is to go on after its first words"""
        self.begun = threading.Event()
        """set when it was asked a second time"""
        self._asked = 0

    def talk(self, _request: Request) -> Iterator[Piece]:
        self._asked += 1
        if self._asked > 1:
            self.begun.set()
        yield "First "
        assert self.more.wait(LIMIT)
        while True:
            yield "and more "


def test_when_the_client_hangs_up_what_it_got_is_logged_as_interrupted(tmp_path: Path) -> None:
    talker = Endless()
    with serving(tmp_path, talker=talker) as served:
        stream = served.client().chat.completions.create(
            model="main", messages=[user("tell me")], extra_headers=KEPT, stream=True
        )
        assert [next(stream).choices[0].delta.content for _ in range(2)] == ["", "First"]
        assert served.said() == [("user", "tell me")]
        stream.close()
        talker.more.set()
        events = served.soul.events("now")
        while len(served.said()) < 2:
            events = served.soul.events(events.cursor, wait=LIMIT)
        (_, (role, text)) = served.said()
    assert role == "assistant"
    assert text.startswith("First ")
    assert text.endswith(" [interrupted]")


def test_a_server_that_stops_ends_replies_that_are_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(streams, "PATIENCE", 0.1)
    talker = Endless()
    with open_home(tmp_path / "home", {}, talker=talker) as soul, ExitStack() as closing:
        with running_proxy(soul) as url:
            client = openai.OpenAI(base_url=url, api_key=soul.add_token("operator").secret, max_retries=0)
            closing.enter_context(client)
            stream = client.chat.completions.create(
                model="main", messages=[user("tell me")], extra_headers=KEPT, stream=True
            )
            closing.callback(stream.close)
            next(stream)  # and no more: the server cannot send on, nor is the client gone
            talker.more.set()
        assert soul.agent().talk.messages(Wanted())[1].text.endswith("[interrupted]")
    assert caplog.records == []


def test_a_server_stops_in_time_although_a_model_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PATIENCE", 0.1)
    talker, failed = Endless(), []

    def whole(client: openai.OpenAI) -> None:
        try:
            client.responses.create(model="main", input="tell me")
        except openai.InternalServerError as error:
            failed.append(error)

    with open_home(tmp_path / "home", {}, talker=talker) as soul, ExitStack() as closing:
        with running_proxy(soul) as url:
            client = openai.OpenAI(base_url=url, api_key=soul.add_token("operator").secret, max_retries=0)
            stream = closing.enter_context(client).chat.completions.create(
                model="main", messages=[user("tell me")], extra_headers=KEPT, stream=True
            )
            closing.callback(stream.close)
            assert [next(stream).choices[0].delta.content for _ in range(2)] == ["", "First"]
            waiting = threading.Thread(target=whole, args=(client,))
            waiting.start()
            assert talker.begun.wait(LIMIT)
        waiting.join()
        assert [str(error) for error in failed if "the server was stopped" not in str(error)] == []
        with pytest.raises(openai.APIError, match="the server was stopped"):
            next(stream)
        assert len(failed) == 1
        assert len(soul.agent().talk.messages(Wanted())) == 1
        events = soul.events("now")
        talker.more.set()  # it answers at last, and nobody listens
        while len(soul.agent().talk.messages(Wanted())) < 2:
            events = soul.events(events.cursor, wait=LIMIT)
        assert soul.agent().talk.messages(Wanted())[1].text.endswith("[interrupted]")


def test_whoever_closes_a_reply_waits_for_who_reads_it(tmp_path: Path) -> None:
    talker = Endless()
    with open_home(tmp_path / "home", {}, talker=talker) as soul, ThreadPoolExecutor() as threads:
        stream = soul.agent().stream("tell me", session=Session.dm())
        reading = streams.ReplyReader(stream)
        assert reading.read(next) == "First"
        reads = threads.submit(reading.whole)
        closes = threads.submit(reading.close)
        talker.more.set()
        closes.result(LIMIT)
        with pytest.raises(Unavailable, match="interrupted"):
            reads.result(LIMIT)
        assert soul.agent().talk.messages(Wanted())[1].text.endswith("[interrupted]")


def test_many_clients_at_once_each_get_their_own_reply(tmp_path: Path) -> None:
    def echo(request: Request) -> str:
        return request.turns[-1].text.rpartition("\n")[2].upper()

    with serving(tmp_path, *[echo] * 12) as served:
        client, heard = served.client(), {}

        def ask(number: int) -> None:
            made = client.chat.completions.create(
                model="main", messages=[user(f"word{number}")], extra_headers={"X-Session-Id": str(number)}
            )
            heard[number] = made.choices[0].message.content

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert heard == {number: f"WORD{number}" for number in range(12)}
        assert len(served.said()) == 24
