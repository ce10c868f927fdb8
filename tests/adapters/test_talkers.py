"""Language models in conversation: what each service is sent, how its stream is read, and that no stream can hurt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.model_server import dripping, raw, saying, serving, silent
from oldsoul.adapters.models.metered import MeteredTalker
from oldsoul.adapters.models.remote import RemoteModel
from oldsoul.adapters.models.services import SERVICES
from oldsoul.adapters.sqlite.records import SqliteSpending
from oldsoul.errors import OutOfBudget, Unavailable
from oldsoul.keepers.options import ModelOptions
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.values.models import Offer, Request, Speaker, ToolCall, Turn, Usage
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from adapters.model_server import Connection, Server, Step
    from oldsoul.values.models import Piece

KEY = "sk-test-0123456789abcdef"
OPENAI, ANTHROPIC = "openai", "anthropic"
SEARCH = Offer("memory_search", "Search.", {"type": "object", "properties": {"query": {"type": "string"}}})
CALL = ToolCall("c1", "memory_search", '{"query": "cat"}')
REQUEST = Request(
    (
        Turn(Speaker.SYSTEM, "You are Milo."),
        Turn(Speaker.USER, "hi"),
        Turn(Speaker.ASSISTANT, "hello"),
        Turn(Speaker.USER, "what is the cat called?"),
        Turn(Speaker.ASSISTANT, "One moment.", (CALL,)),
        Turn(Speaker.TOOL, '{"answer": "found"}', answers="c1"),
    ),
    (SEARCH,),
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def made(server: Server) -> Iterator[Callable[..., RemoteModel]]:
    models: list[RemoteModel] = []

    def make(provider: str = OPENAI, **more: Any) -> RemoteModel:
        usual: dict[str, Any] = {"base_url": server.url, "api_key": KEY, "model": "mine", "timeout_seconds": 30.0}
        largest = {"largest": more.pop("largest")} if "largest" in more else {}
        options = ModelOptions(provider=provider, **(usual | more))
        models.append(RemoteModel(SERVICES[provider], options, {}, sleep=lambda _: None, **largest))
        return models[-1]

    yield make
    for each in models:
        each.close()


def sse(*events: Any) -> bytes:
    said = (each if isinstance(each, str) else json.dumps(each) for each in events)
    return HEAD + b"".join(f"data: {each}\n\n".encode() for each in said)


def delta(content: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "model": "imitated-1",
        "choices": [{"index": 0, "delta": {"content": content, **more}, "finish_reason": finish}],
    }


def in_pieces(data: bytes, size: int) -> Step:
    def step(there: Connection) -> None:
        for start in range(0, len(data), size):
            there.line.sendall(data[start : start + size])

    return step


GOOD = sse(
    delta("It "),
    delta("is Milo."),
    delta(finish="stop"),
    {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 3}},
    "[DONE]",
)


def test_an_openai_endpoint_is_sent_turns_tools_and_calls(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(raw(GOOD))
    assert list(made().talk(REQUEST)) == ["It ", "is Milo.", Usage(11, 3, "imitated-1")]
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    body = seen.body
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert [message["role"] for message in body["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
    ]
    assert body["messages"][4]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "memory_search", "arguments": '{"query": "cat"}'}}
    ]
    assert body["messages"][5] == {"role": "tool", "content": '{"answer": "found"}', "tool_call_id": "c1"}
    assert body["tools"][0]["function"]["name"] == "memory_search"


def test_the_model_of_an_agent_is_asked_where_it_has_one_of_its_own(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    server.script.append(raw(GOOD))
    list(made().talk(Request(REQUEST.turns, (), "another")))
    assert server.seen[0].body["model"] == "another"
    assert "tools" not in server.seen[0].body


def test_anthropic_is_sent_blocks_and_its_stream_is_read(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(
        raw(
            sse(
                {
                    "type": "message_start",
                    "message": {"model": "claude-x", "usage": {"input_tokens": 7, "cache_read_input_tokens": 100}},
                },
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "ping"},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me look."}},
                {"type": "content_block_stop", "index": 0},
                {
                    "type": "content_block_start",
                    "index": 1,
                    "content_block": {"type": "tool_use", "id": "t1", "name": "memory_search"},
                },
                {
                    "type": "content_block_delta",
                    "index": 1,
                    "delta": {"type": "input_json_delta", "partial_json": '{"query":'},
                },
                {
                    "type": "content_block_delta",
                    "index": 1,
                    "delta": {"type": "input_json_delta", "partial_json": ' "cat"}'},
                },
                {"type": "content_block_stop", "index": 1},
                {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
                {"type": "message_stop"},
            )
        )
    )
    found = list(made(ANTHROPIC).talk(REQUEST))
    assert found == ["Let me look.", ToolCall("t1", "memory_search", '{"query": "cat"}'), Usage(107, 5, "claude-x")]
    body = server.seen[0].body
    assert server.seen[0].path == "/v1/messages"
    assert server.seen[0].headers["x-api-key"] == KEY
    assert body["system"] == [{"type": "text", "text": "You are Milo.", "cache_control": {"type": "ephemeral"}}]
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert body["messages"][3]["content"][1] == {
        "type": "tool_use",
        "id": "c1",
        "name": "memory_search",
        "input": {"query": "cat"},
    }
    assert body["messages"][4]["content"][0]["type"] == "tool_result"
    assert body["tools"][0]["input_schema"] == SEARCH.parameters


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_stream_is_read_in_whatever_pieces_it_comes(
    server: Server, made: Callable[..., RemoteModel], size: int
) -> None:
    data = sse(
        delta("Grüß "),
        delta("😀"),
        delta(None, tool_calls=[{"index": 0, "id": "c1", "function": {"name": "memory_search", "arguments": ""}}]),
        delta(None, tool_calls=[{"index": 0, "function": {"arguments": '{"query": '}}]),
        delta(None, "tool_calls", tool_calls=[{"index": 0, "function": {"arguments": '"cat"}'}}]),
        "[DONE]",
    )
    server.script.append(in_pieces(data, size))
    found = list(made().talk(REQUEST))
    assert found == ["Grüß ", "😀", CALL, Usage(0, 0, "imitated-1")]


def test_half_a_character_is_joined_with_its_other_half_or_marked(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    halves = HEAD + b"".join(
        b'data: {"choices": [{"delta": {"content": "%s"}, "finish_reason": "stop"}]}\n\n' % each
        for each in (rb"a\ud83d", rb"\ude00b", rb"\ud83d")
    )
    server.script += [raw(halves), raw(sse(delta("ok", "stop")).replace(b"ok", b"o\xffk"))]
    model = made()
    assert "".join(piece for piece in model.talk(REQUEST) if isinstance(piece, str)) == "a😀b\ufffd"
    assert "".join(piece for piece in model.talk(REQUEST) if isinstance(piece, str)) == "o\ufffdk"


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (raw(sse(delta("It "))), "stopped in the middle"),
        (raw(HEAD), "stopped in the middle"),
        (raw(sse(delta("It "), "{not json")), "cannot be understood"),
        (raw(sse([1, 2])), "cannot be understood"),
        (raw(sse({"choices": 7})), "cannot be understood"),
        (raw(sse(delta("It "), {"error": {"message": "overloaded"}})), "broke off: overloaded"),
        (raw(sse(delta(None, "stop", refusal="I will not."))), "refused to answer: I will not."),
        (raw(sse(delta("x", "content_filter"))), "refused to answer"),
        (saying(401, {"error": {"message": f"bad key {KEY}"}}), "bad key"),
        (saying(404, {"error": {"message": "no such model"}}), "no such model"),
        (saying(302, b"", Location="http://example.com"), "redirects"),
        (
            raw(
                sse(*[delta(None, tool_calls=[{"index": n, "id": "x", "function": {"name": "a"}}]) for n in range(100)])
            ),
            "more than 64 tools",
        ),
    ],
)
def test_what_goes_wrong_is_told_in_words_and_without_the_key(
    server: Server, made: Callable[..., RemoteModel], step: Step, told: str
) -> None:
    server.script += [step] * 4
    with pytest.raises(Unavailable, match=told) as caught:
        list(made().talk(REQUEST))
    assert KEY not in str(caught.value)


def test_a_server_that_hangs_or_never_ends_is_given_up_in_time(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    endless = dripping(HEAD, f"data: {json.dumps(delta('x'))}\n\n".encode())
    for step in (silent, endless, dripping(HEAD, b"x")):
        server.script.append(step)
        with pytest.raises(Unavailable, match="did not answer within 1 s"):
            list(made(timeout_seconds=1.0).talk(REQUEST))


def test_a_line_without_end_is_given_up(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(dripping(HEAD, b"data: " + b"x" * 10_000))
    with pytest.raises(Unavailable, match="more than 50000 bytes"):
        list(made(largest=50_000).talk(REQUEST))


def test_before_the_first_word_it_is_tried_again_and_asked_otherwise(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    def unknowing(there: Connection) -> None:
        if "stream_options" in there.seen.body:
            saying(400, {"error": {"message": "unknown field stream_options"}})(there)
        else:
            raw(GOOD)(there)

    server.script += [saying(503, b"busy"), raw(GOOD), unknowing, unknowing, unknowing]
    model = made()
    assert "".join(p for p in model.talk(REQUEST) if isinstance(p, str)) == "It is Milo."
    assert len(server.seen) == 2
    assert "".join(p for p in model.talk(REQUEST) if isinstance(p, str)) == "It is Milo."
    list(model.talk(REQUEST))
    assert len(server.seen) == 5, "it is remembered how the server wants to be asked"


def test_whoever_stops_listening_hangs_up(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(dripping(HEAD, f"data: {json.dumps(delta('x'))}\n\n".encode()))
    pieces: Any = made().talk(REQUEST)
    assert next(pieces) == "x"
    pieces.close()


EVENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "content",
                    "tool_calls",
                    "index",
                    "function",
                    "name",
                    "arguments",
                    "id",
                    "usage",
                    "type",
                    "error",
                    "message",
                    "content_block",
                    "text",
                    "finish_reason",
                    "model",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=scaled(20, 200))
@given(st.lists(EVENTS, max_size=4), st.sampled_from([OPENAI, ANTHROPIC]), st.binary(max_size=20))
def test_whatever_a_server_streams_there_are_pieces_or_it_is_unavailable(
    server: Server, made: Callable[..., RemoteModel], sent: list[Any], provider: str, tail: bytes
) -> None:
    server.script.append(raw(sse(*sent) + tail))
    pieces: list[Piece] = []
    try:
        pieces += list(made(provider).talk(REQUEST))
    except Unavailable:
        return
    assert isinstance(pieces[-1], Usage)
    for piece in pieces:
        if isinstance(piece, str):
            piece.encode()


# the meter


def test_what_a_conversation_takes_is_written_down_and_a_budget_holds(tmp_path: Path) -> None:
    clock = FrozenClock()
    options = ModelOptions(provider="openai", daily_token_budget=1000, input_price=1.0, output_price=2.0)
    spending = SqliteSpending(str(tmp_path / "spending.db"))
    talker = ScriptedTalker(["hello", Usage(600, 100, "m")], ["hel", Unavailable("gone")], ["a", "b", "c"], "never")
    metered = MeteredTalker(talker, spending, lambda: options, clock.now)
    assert list(metered.talk(REQUEST)) == ["hello", Usage(600, 100, "m")]
    with pytest.raises(Unavailable):
        list(metered.talk(REQUEST))
    given_up: Any = metered.talk(REQUEST)
    assert next(given_up) == "a"
    given_up.close()
    calls = spending.calls(clock.now().date())
    assert [call.answered for call in calls] == [True, False, False]
    assert {call.keeper for call in calls} == {"reply"}
    assert calls[0].cost == pytest.approx((600 * 1.0 + 100 * 2.0) / 1_000_000)
    assert calls[1].tokens_in > 10
    while spending.spent(clock.now().date()).tokens < 1000:
        talker.script = [["x", Usage(300, 1, "m")]]
        list(metered.talk(REQUEST))
    asked = len(talker.requests)
    with pytest.raises(OutOfBudget, match="daily_token_budget"):
        list(metered.talk(REQUEST))
    assert len(talker.requests) == asked
