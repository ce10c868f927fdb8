"""Language models over HTTP: what each service is sent, and that nothing a server does can hurt."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.model_server import (
    GOOD,
    answering,
    dripping,
    raw,
    reset,
    saying,
    serving,
    silent,
    unknown,
)
from oldsoul.adapters.http import TRIES
from oldsoul.adapters.models.metered import chosen, problem
from oldsoul.adapters.models.remote import RemoteModel, UselessReply
from oldsoul.adapters.models.services import SERVICES, is_strict, shaped
from oldsoul.errors import BadInput, TimedOut, Unavailable
from oldsoul.keepers.options import ModelOptions
from oldsoul.keepers.questions import parsed
from oldsoul.keepers.summarize import SCHEMA as SUMMARY
from oldsoul.settings import load
from oldsoul.values.models import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.model_server import Server, Step

KEY = "sk-test-0123456789abcdef"
OPENAI, ANTHROPIC, OLLAMA = "openai", "anthropic", "ollama"
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["colour"],
    "properties": {"colour": {"type": "string", "maxLength": 20}},
}
BARE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["colour"],
    "properties": {"colour": {"type": "string", "description": "at most 20 characters"}},
}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def made(server: Server) -> Iterator[Callable[..., RemoteModel]]:
    """Makes models that ask the server, and keeps how long each would have waited in `waits`."""
    models: list[RemoteModel] = []

    def make(provider: str = OPENAI, waits: list[float] | None = None, **more: Any) -> RemoteModel:
        pauses: list[float] = [] if waits is None else waits
        extra = {name: more.pop(name) for name in ("largest",) if name in more}
        models.append(
            RemoteModel(SERVICES[provider], there(server, provider, **more), {}, sleep=pauses.append, **extra)
        )
        return models[-1]

    yield make
    for each in models:
        each.close()


def there(server: Server, provider: str = OPENAI, **more: Any) -> ModelOptions:
    usual: dict[str, Any] = {"base_url": server.url, "api_key": KEY, "model": "mine", "timeout_seconds": 30.0}
    return ModelOptions(provider=provider, **(usual | more))


def ask(model: RemoteModel) -> Reply:
    return model.answer("Be brief.", "Which colour?", SCHEMA)


def complaint(model: RemoteModel) -> str:
    with pytest.raises(Unavailable) as caught:
        ask(model)
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)
    return str(caught.value)


# What each service is sent.


def test_an_openai_endpoint_is_asked_for_the_schema_and_its_count_is_taken(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    assert ask(made(max_output_tokens=99)) == Reply(GOOD, 11, 3, "imitated-1")
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body == {
        "model": "mine",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which colour?"}],
        "max_tokens": 99,
        "stream": False,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": BARE}},
    }


def test_anthropic_is_asked_for_the_schema_and_what_was_cached_counts_too(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    assert ask(made(ANTHROPIC)) == Reply(GOOD, 107, 5, "claude-imitated")
    (seen,) = server.seen
    assert seen.path == "/v1/messages"
    assert (seen.headers["x-api-key"], seen.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert seen.body == {
        "model": "mine",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Which colour?"}],
        "max_tokens": 4096,
        "output_config": {"format": {"type": "json_schema", "schema": BARE}},
    }


def test_ollama_needs_no_key(server: Server, made: Callable[..., RemoteModel]) -> None:
    assert ask(made(OLLAMA, api_key="")).text == GOOD
    assert "authorization" not in server.seen[0].headers
    assert SERVICES[OLLAMA].base_url == "http://localhost:11434/v1"


def test_further_headers_are_sent_and_one_of_the_services_own_can_be_replaced(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    ask(made(ANTHROPIC, headers=(("X-Title", "memory"), ("Anthropic-Version", "2030-01-01"))))
    assert server.seen[0].headers["x-title"] == "memory"
    assert server.seen[0].headers["anthropic-version"] == "2030-01-01"


def test_a_schema_is_sent_in_what_every_service_knows_with_its_limits_in_words() -> None:
    form = shaped(SUMMARY)
    text = json.dumps(form)
    assert is_strict(form)
    assert not any(word in text for word in ("maxLength", "maxItems", '"type": ['))
    assert form["properties"]["promote"]["anyOf"][1] == {"type": "null"}
    assert form["properties"]["items"]["items"]["properties"]["done"] == {
        "anyOf": [{"type": "boolean"}, {"type": "null"}]
    }
    assert not is_strict(shaped({"type": "object", "properties": {"a": {"type": "string"}}}))
    assert not is_strict(shaped({"type": "object", "properties": {"a": {}}, "required": ["a"]}))


@pytest.mark.parametrize(
    ("provider", "unknowns", "tries"),
    [
        (OPENAI, ("json_schema",), 2),
        (OPENAI, ("response_format",), 3),
        (OPENAI, ("max_tokens",), 2),
        (OPENAI, ("max_tokens", "response_format"), 4),
        (OLLAMA, ("json_schema", "json_object"), 3),
        (ANTHROPIC, ("output_config",), 2),
        (ANTHROPIC, ("output_config", "tool_choice"), 3),
    ],
)
def test_a_server_that_does_not_know_a_way_is_asked_another_way_and_that_is_remembered(
    server: Server, made: Callable[..., RemoteModel], provider: str, unknowns: tuple[str, ...], tries: int
) -> None:
    model = made(provider)
    server.script.extend([unknown(*unknowns)] * 9)
    assert json.loads(ask(model).text) == json.loads(GOOD)
    assert len(server.seen) == tries
    assert json.loads(ask(model).text) == json.loads(GOOD)
    assert len(server.seen) == tries + 1
    last = server.seen[-1].body
    if last.get("response_format", {}).get("type") != "json_schema" and "tools" not in last:
        whole = json.dumps(last["messages"][0]["content"] if provider != ANTHROPIC else last["system"])
        assert "maxLength" in whole  # who is not held to the schema is told it


def test_a_complaint_about_something_else_is_told_and_nothing_is_tried(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    server.script.append(saying(400, {"error": {"message": "this is too long for my context"}}))
    assert "too long for my context" in complaint(made())
    assert len(server.seen) == 1


def test_a_server_that_likes_no_way_is_given_up_with_its_first_complaint_and_asked_as_before(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    model = made()
    server.script.extend(saying(422, {"detail": f"bad schema {number}"}) for number in range(3))
    assert "bad schema 0" in complaint(model)
    assert ask(model).text == GOOD
    assert [each.body.get("response_format", {}).get("type") for each in server.seen] == [
        "json_schema",
        "json_object",
        None,
        "json_schema",
    ]


def test_a_wrong_address_is_told(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(saying(404, b"<html>nothing here</html>"))
    assert "is keepers.model.base_url right?" in complaint(made())


# What may come back.


def test_thinking_before_the_answer_is_left_out(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(answering(f"<think>Hmm.\nRed {{}}?</think>\n{GOOD}"))
    assert parsed(ask(made()).text, SCHEMA) == {"colour": "red"}


def test_an_answer_in_parts_is_put_together(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(answering([{"type": "text", "text": '{"colour": '}, {"type": "text", "text": '"red"}'}]))
    assert ask(made()).text == GOOD


@pytest.mark.parametrize("text", ["", None, "Red, I think.", '{"colour": "re'])
def test_an_answer_without_form_is_given_as_it_is_for_the_driver_to_refuse(
    server: Server, made: Callable[..., RemoteModel], text: str | None
) -> None:
    server.script.append(answering(text))
    with pytest.raises(BadInput):
        parsed(ask(made()).text, SCHEMA)


@pytest.mark.parametrize(
    ("provider", "step", "words"),
    [
        (OPENAI, answering('{"colour": "re', finish_reason="length"), "max_output_tokens"),
        (OPENAI, answering(None, message={"refusal": "I would rather not."}), "I would rather not."),
        (OPENAI, answering("", finish_reason="content_filter"), "refused"),
        (ANTHROPIC, answering('{"col', stop_reason="max_tokens"), "max_output_tokens"),
        (ANTHROPIC, answering("No.", stop_reason="refusal"), "refused to answer: No."),
    ],
)
def test_a_cut_or_refused_answer_is_told_with_what_it_took(
    server: Server, made: Callable[..., RemoteModel], provider: str, step: Step, words: str
) -> None:
    server.script.append(step)
    with pytest.raises(UselessReply, match=words) as caught:
        ask(made(provider))
    assert caught.value.reply.tokens_in > 0
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {},
        {"prompt_tokens": "11"},
        {"prompt_tokens": -1, "completion_tokens": 10**30},
        {"prompt_tokens": True, "completion_tokens": 1.5},
    ],
)
def test_a_count_that_cannot_be_believed_is_none(server: Server, made: Callable[..., RemoteModel], usage: Any) -> None:
    server.script.append(answering(usage=usage))
    assert ask(made()) == Reply(GOOD, 0, 0, "imitated-1")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"<html><body>Welcome</body></html>",
        b'{"choices": [',
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": {"0": 1}}',
        b'{"content": [1]}',
        b'{"content": "text"}',
        b'data: {"choices": []}\n\n',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC])
def test_what_is_no_answer_is_told(
    server: Server, made: Callable[..., RemoteModel], provider: str, body: bytes
) -> None:
    server.script.append(saying(200, body, Content_Type="text/html"))
    assert "cannot be understood" in complaint(made(provider))
    assert len(server.seen) == 1


@pytest.mark.parametrize("depth", [100, 900, 960, 990, 5000])
def test_an_answer_nested_without_end_does_no_harm(
    server: Server, made: Callable[..., RemoteModel], depth: int
) -> None:
    body = b'{"content": [{"type": "tool_use", "input": ' + b"[" * depth + b"]" * depth + b"}]}"
    server.script.append(saying(200, body))
    with pytest.raises((Unavailable, BadInput)):
        parsed(ask(made(ANTHROPIC)).text, SCHEMA)


def test_an_error_in_a_good_answer_is_told(server: Server, made: Callable[..., RemoteModel]) -> None:
    server.script.append(saying(200, {"error": {"message": "no credits left"}}))
    assert "no credits left" in complaint(made())


# Servers that fail.


@pytest.mark.parametrize(
    ("step", "waits"),
    [
        (saying(429), [0.5]),
        (saying(429, Retry_After="7"), [7.0]),
        (saying(503, Retry_After="soon"), [0.5]),
        (saying(500), [0.5]),
        (saying(529), [0.5]),
        (reset, [0.5]),
        (raw(b""), [0.5]),
        (raw(b"this is not HTTP\r\n\r\n"), [0.5]),
    ],
)
def test_a_passing_failure_is_tried_again(
    server: Server, made: Callable[..., RemoteModel], step: Step, waits: list[float]
) -> None:
    pauses: list[float] = []
    server.script.append(step)
    assert ask(made(waits=pauses)).text == GOOD
    assert pauses == waits


def test_tries_are_few_and_the_last_complaint_is_told(server: Server, made: Callable[..., RemoteModel]) -> None:
    pauses: list[float] = []
    server.script.extend([saying(500, {"error": "out of order"})] * 9)
    assert "out of order" in complaint(made(waits=pauses))
    assert len(server.seen) == TRIES
    assert pauses == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("wait", ["31", "999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_who_asks_for_a_long_wait_is_not_waited_for(
    server: Server, made: Callable[..., RemoteModel], wait: str
) -> None:
    pauses: list[float] = []
    server.script.append(saying(429, Retry_After=wait))
    assert "it asks us to wait" in complaint(made(waits=pauses))
    assert pauses == []


@pytest.mark.parametrize("status", [401, 402, 403, 413])
def test_what_will_not_pass_is_not_tried_again(server: Server, made: Callable[..., RemoteModel], status: int) -> None:
    server.script.append(saying(status, {"error": {"message": f"the key {KEY} is not welcome, {KEY[:9]}***"}}))
    told = complaint(made())
    assert f"HTTP {status}" in told
    assert KEY[:9] not in told
    assert len(server.seen) == 1


def test_a_redirect_is_not_followed(server: Server, made: Callable[..., RemoteModel]) -> None:
    with serving() as other:
        server.script.append(saying(307, Location=f"{other.url}/chat/completions"))
        assert "redirects to another address" in complaint(made())
        assert other.seen == []


@pytest.mark.parametrize(
    "step",
    [
        silent,
        dripping(b"", b"H"),
        dripping(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
        dripping(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        dripping(b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode(), b" "),
    ],
)
def test_a_server_that_never_ends_is_given_up_in_time(
    server: Server, made: Callable[..., RemoteModel], step: Step
) -> None:
    server.script.append(step)
    with pytest.raises(TimedOut, match=r"keepers\.model\.timeout_seconds"):
        ask(made(timeout_seconds=1.0))
    assert len(server.seen) <= 1


@pytest.mark.parametrize("step", [silent, dripping(b"\x16\x03\x03\x40\x00\x02", b"\x00")])
def test_a_server_that_never_ends_a_handshake_is_given_up_in_time(made: Callable[..., RemoteModel], step: Step) -> None:
    with serving(spoken=False) as server:
        server.script.append(step)
        complaint(made(base_url=server.url.replace("http:", "https:"), timeout_seconds=1.0))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_never_ends_is_given_up_in_time(
    made: Callable[..., RemoteModel], monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with serving(spoken=False) as proxy:
        monkeypatch.setenv(f"{scheme}_proxy", proxy.url.removesuffix("/v1"))
        proxy.script.append(dripping(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"))
        told = complaint(made(base_url=f"{scheme}://model.example/v1", timeout_seconds=1.0))
        assert "keepers.model.timeout_seconds" in told


def test_tries_and_waits_are_within_the_time_of_a_question(server: Server, made: Callable[..., RemoteModel]) -> None:
    model = RemoteModel(SERVICES[OPENAI], there(server, timeout_seconds=1.2), {})
    server.script.extend([saying(500)] * 9)
    complaint(model)
    assert 1 <= len(server.seen) <= 2  # the third would come too late
    del made


def test_nobody_there_is_told(made: Callable[..., RemoteModel]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert "does not answer" in complaint(made(base_url=f"http://127.0.0.1:{port}/v1"))


@pytest.mark.parametrize(
    "step",
    [
        saying(200, b" " * 70_000),
        saying(200, gzip.compress(b" " * 50_000_000), Content_Encoding="gzip"),
        raw(b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 70_000),
    ],
)
def test_an_answer_has_a_size(server: Server, made: Callable[..., RemoteModel], step: Step) -> None:
    server.script.append(step)
    assert "more than 65536 bytes" in complaint(made(largest=65536))


def test_a_packed_answer_is_read_though_it_was_not_asked_for(server: Server, made: Callable[..., RemoteModel]) -> None:
    body = gzip.compress(json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode())
    server.script.extend([saying(200, body, Content_Encoding="gzip"), saying(200, body[9:], Content_Encoding="gzip")])
    assert ask(made()).text == GOOD
    assert "cannot be decompressed" in complaint(made())
    assert server.seen[0].headers["accept-encoding"] == "identity"
    server.script.append(saying(200, b"abc", Content_Encoding="br"))
    assert "was not asked for" in complaint(made())


def test_no_log_has_the_key(server: Server, made: Callable[..., RemoteModel], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.script.append(saying(401, {"error": {"message": f"wrong key {KEY}"}}))
    complaint(made())
    ask(made())
    assert KEY not in caplog.text


def test_many_threads_may_ask_at_once(made: Callable[..., RemoteModel]) -> None:
    model = made()
    replies: list[Reply] = []
    threads = [threading.Thread(target=lambda: replies.append(ask(model))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.text for each in replies] == [GOOD] * 8


def test_a_text_with_half_a_character_in_it_can_be_asked_about(
    server: Server, made: Callable[..., RemoteModel]
) -> None:
    made().answer("\ud800", "a\x00\udfffb 中", SCHEMA)
    assert [each["content"] for each in server.seen[0].body["messages"]] == ["?", "a\x00?b 中"]


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "choices": ANY_JSON
        | st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "message": ANY_JSON
                    | st.fixed_dictionaries({}, optional={"content": ANY_JSON, "refusal": ANY_JSON}),
                    "finish_reason": ANY_JSON | st.sampled_from(["stop", "length", "content_filter"]),
                },
            ),
            max_size=2,
        ),
        "content": ANY_JSON
        | st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(["text", "tool_use"])}, optional={"text": ANY_JSON, "input": ANY_JSON}
            ),
            max_size=3,
        ),
        "stop_reason": ANY_JSON | st.sampled_from(["end_turn", "refusal", "max_tokens"]),
        "usage": ANY_JSON | st.dictionaries(st.sampled_from(["prompt_tokens", "output_tokens"]), ANY_JSON),
        "model": ANY_JSON,
        "error": ANY_JSON,
    },
)


@st.composite
def whatever(draw: st.DrawFn) -> bytes:
    """Bytes of a server: none of it HTTP, or HTTP with any body, or an answer with any parts."""
    kind = draw(st.sampled_from(["bytes", "body", "answer", "head"]))
    if kind == "bytes":
        return draw(st.binary(max_size=300))
    status = draw(st.sampled_from([100, 200, 200, 200, 204, 301, 400, 401, 404, 422, 429, 500]))
    body = draw(st.binary(max_size=200)) if kind == "body" else json.dumps(draw(PARTS)).encode()
    length = draw(st.sampled_from([len(body), len(body) + 9, max(len(body) - 3, 0)]))
    head = f"HTTP/1.1 {status} x\r\nContent-Length: {length}\r\n".encode()
    if kind == "head":
        names = st.sampled_from([b"Retry-After", b"Content-Encoding", b"Location", b"Set-Cookie", b"Transfer-Encoding"])
        head += draw(names) + b": " + draw(st.binary(max_size=20)) + b"\r\n"
    return head + b"\r\n" + body


@given(st.sampled_from([OPENAI, ANTHROPIC]), whatever())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_a_server_sends_there_is_a_reply_or_it_is_unavailable(
    server: Server, provider: str, data: bytes
) -> None:
    server.script.extend([raw(data)] * 12)
    model = RemoteModel(SERVICES[provider], there(server, provider, timeout_seconds=5.0), {}, sleep=lambda _: None)
    told = ""
    try:
        reply = ask(model)
    except Unavailable as error:
        reply, told = Reply(""), str(error)
    finally:
        server.script.clear()
        model.close()
    assert KEY not in told
    assert isinstance(reply.text, str)
    assert isinstance(reply.model, str)
    assert 0 <= reply.tokens_in < 10**10
    assert 0 <= reply.tokens_out < 10**10
    with suppress(BadInput):
        parsed(reply.text, SCHEMA)


# Who is chosen.


def test_no_provider_means_no_model(server: Server) -> None:
    assert chosen(ModelOptions, {}) is None
    assert problem(ModelOptions(), {}) == ""
    assert chosen(lambda: there(server), {}) is not None


def test_a_chosen_model_follows_the_settings(server: Server) -> None:
    options = there(server)
    model = chosen(lambda: options, {})
    assert model is not None
    model.answer("s", "t", SCHEMA)
    options = replace(options, model="other", api_key="another-key-entirely")
    model.answer("s", "t", SCHEMA)
    assert [each.body["model"] for each in server.seen] == ["mine", "other"]
    assert server.seen[1].headers["authorization"] == "Bearer another-key-entirely"
    options = ModelOptions()
    with pytest.raises(Unavailable, match=r"keepers\.model\.provider"):
        model.answer("s", "t", SCHEMA)


@pytest.mark.parametrize(
    ("more", "environ", "words"),
    [
        ({"model": " "}, {}, "set keepers.model.model"),
        (
            {"model": "m"},
            {},
            "set OLDSOUL_MODEL_API_KEY or OPENAI_API_KEY in the environment, or keepers.model.api_key",
        ),
        ({"model": "m", "provider": ANTHROPIC}, {"OPENAI_API_KEY": KEY}, "ANTHROPIC_API_KEY"),
        ({"model": "m", "base_url": "localhost:8000"}, {}, "keepers.model.base_url is not a valid address"),
        ({"model": "m", "base_url": "ftp://x/v1"}, {}, "keepers.model.base_url is not a valid address"),
        ({"model": "m", "api_key": "two\nlines"}, {}, "characters that no key has"),
        ({"model": "m", "api_key": KEY, "headers": (("a b", "c"),)}, {}, "keepers.model.headers"),
        ({"model": "m", "api_key": KEY, "daily_budget": 1.0}, {}, "keepers.model.input_price"),
        ({"model": "m"}, {"OPENAI_API_KEY": KEY}, ""),
        ({"model": "m", "base_url": "http://127.0.0.1:8000/v1"}, {}, ""),
        ({"model": "m", "provider": OLLAMA}, {}, ""),
        ({"model": "m", "provider": ANTHROPIC}, {"ANTHROPIC_API_KEY": KEY}, ""),
    ],
)
def test_what_is_missing_is_said_with_the_setting_that_mends_it(
    more: dict[str, Any], environ: dict[str, str], words: str
) -> None:
    found = problem(ModelOptions(**({"provider": OPENAI} | more)), environ)
    assert (words in found) if words else (found == "")
    assert KEY not in found


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(Unavailable, match=r"oldsoul\[remote\]"):
        RemoteModel(SERVICES[OPENAI], there(server), {}).answer("s", "t", SCHEMA)


@pytest.mark.parametrize("where", ["OLDSOUL_MODEL_API_KEY", "OPENAI_API_KEY"])
def test_the_key_comes_from_the_environment(server: Server, where: str) -> None:
    ask(RemoteModel(SERVICES[OPENAI], there(server, api_key=""), {where: KEY}))
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_workspace_cannot_set_a_model_its_address_or_its_key() -> None:
    lines = "provider: openai\nbase_url: http://evil.example/v1\nmodel: m\napi_key: k\n"
    more = "daily_budget: 99\ndaily_token_budget: 9\nheaders: {A: b}\n"
    text = "```yaml\nkeepers:\n  model:\n" + "".join(f"    {line}\n" for line in (lines + more).splitlines()) + "```\n"
    loaded = load(None, agent="main", config_md=text, environ={})
    assert loaded.settings.keepers.model == ModelOptions()
    assert load(None, agent="main", environ={"OLDSOUL_MODEL_API_KEY": KEY}).settings.keepers.model.api_key == KEY


def test_neither_the_settings_nor_the_model_show_the_key(server: Server) -> None:
    options = there(server)
    assert KEY not in repr(options)
    assert KEY not in repr(RemoteModel(SERVICES[OPENAI], options, {}))


# The form of an answer.


@pytest.mark.parametrize(
    "text",
    [
        '{"n": NaN}',
        '{"n": Infinity}',
        '{"n": 1e999}',
        '{"n": ' + "9" * 400 + "}",
        '{"n": ' + "9" * 5000 + "}",
        '{"n": 1, "n": 2}',
        '{"n": true}',
        '{"n": 1, "s": "\\ud800"}',
        '{"n": 1, "s": "xy"}',
        '{"n": 1, "' + "x" * 5000 + '": 1}',
        '{"n": 1, "e": "' + "x" * 5000 + '"}',
        "[" * 5000,
        '{"n":' * 5000,
    ],
)
def test_an_answer_that_only_looks_like_one_is_refused_in_few_words(text: str) -> None:
    schema = {
        "type": "object",
        "required": ["n"],
        "properties": {
            "n": {"type": "number"},
            "s": {"type": "string", "maxLength": 1},
            "e": {"type": "string", "enum": ["a"]},
        },
    }
    assert parsed('{"n": 10, "s": "x", "e": "a"}', schema) == {"n": 10, "s": "x", "e": "a"}
    with pytest.raises(BadInput) as caught:
        parsed(text, schema)
    assert len(str(caught.value)) < 300
