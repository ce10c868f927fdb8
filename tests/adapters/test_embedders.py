"""Embedders of whole texts: services over HTTP, a model on this machine, the cache before them, and who is chosen."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.embedder_server import (
    WIDTH,
    Handler,
    answer,
    dripping,
    expected,
    giving,
    reset,
    saying,
    serving,
    vector_of,
    waiting,
)
from oldsoul.adapters import http
from oldsoul.adapters.embedders import cached, onnx, remote
from oldsoul.adapters.embedders.cached import Cached, Identity, checked
from oldsoul.adapters.embedders.choice import ConfiguredEmbedder, chosen
from oldsoul.adapters.embedders.onnx import Onnx
from oldsoul.adapters.embedders.remote import SERVICES, Remote
from oldsoul.errors import Unavailable
from oldsoul.ranking.options import (
    LocalOptions,
    RemoteOptions,
    SearchOptions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from adapters.embedder_server import Server
    from oldsoul.adapters.embedders.cached import Piece
    from oldsoul.ports import Embedder

KEY = "sk-test-0123456789abcdef"
OPENAI, GEMINI, VOYAGE, OLLAMA = "openai", "gemini", "voyage", "ollama"
PATHS = {
    OPENAI: "/v1/embeddings",
    GEMINI: "/v1/models/gemini-embedding-001:batchEmbedContents",
    VOYAGE: "/v1/embeddings",
    OLLAMA: "/v1/api/embed",
}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def made(server: Server) -> Iterator[Callable[..., Remote]]:
    """Makes embedders that ask the server, and keeps how long each would have waited in `waits`."""
    embedders: list[Remote] = []

    def make(provider: str = OPENAI, waits: list[float] | None = None, **more: Any) -> Remote:
        pauses: list[float] = [] if waits is None else waits
        largest = more.pop("largest", remote.LARGEST)
        options = search(server, provider, **more)
        embedders.append(Remote(SERVICES[provider], options, {}, sleep=pauses.append, largest=largest))
        return embedders[-1]

    yield make
    for each in embedders:
        each.close()


def search(server: Server, provider: str = OPENAI, **more: Any) -> SearchOptions:
    """The settings of a provider at the server; what is not a search setting is one of `remote`."""
    own = {name: more.pop(name) for name in list(more) if name in ("model", "fallback", "store")}
    there: dict[str, Any] = {"base_url": f"{server.url}/v1", "api_key": KEY} | more
    return SearchOptions(provider=provider, remote=RemoteOptions(**there), **own)


def close_to(found: Any, wanted: Any) -> bool:
    return bool(found.shape == wanted.shape and np.allclose(found, wanted, atol=1e-6))


# What every service must do.


@pytest.mark.parametrize("provider", list(SERVICES))
def test_a_text_has_one_unit_vector_and_they_come_in_the_order_of_the_texts(
    server: Server, made: Callable[..., Remote], provider: str
) -> None:
    texts = [f"text {number}" for number in range(100)] + ["text 3", ""]
    found = made(provider).embed(texts)
    assert found.dtype == np.float32
    assert close_to(found, expected([*texts[:-1], "-"]))
    assert {each.path for each in server.seen} == {PATHS[provider]}
    assert len(server.seen) > 1


def test_each_service_is_sent_its_own_form(server: Server, made: Callable[..., Remote]) -> None:
    for provider in SERVICES:
        made(provider).embed(["a"])
        made(provider, model="mine").embed(["a"], question=True)
    openai, openai_mine, gemini, gemini_mine, voyage, voyage_mine, ollama, ollama_mine = (e.body for e in server.seen)
    assert openai == {"model": "text-embedding-3-small", "input": ["a"]}
    assert openai_mine == {"model": "mine", "input": ["a"]}
    part = {"content": {"parts": [{"text": "a"}]}}
    document = {"model": "models/gemini-embedding-001", "taskType": "RETRIEVAL_DOCUMENT"}
    assert gemini == {"requests": [document | part]}
    assert gemini_mine == {"requests": [{"model": "models/mine", "taskType": "RETRIEVAL_QUERY"} | part]}
    assert voyage == {"model": "voyage-4", "input": ["a"], "input_type": "document"}
    assert voyage_mine == {"model": "mine", "input": ["a"], "input_type": "query"}
    assert ollama == {"model": "embeddinggemma", "input": ["a"], "truncate": True}
    assert ollama_mine == {"model": "mine", "input": ["a"], "truncate": True}
    keys = [each.headers.get("x-goog-api-key") or each.headers.get("authorization") for each in server.seen[::2]]
    assert keys == [f"Bearer {KEY}", KEY, f"Bearer {KEY}", f"Bearer {KEY}"]


def test_a_gemini_model_that_knows_no_task_type_is_told_the_task_in_the_text(
    server: Server, made: Callable[..., Remote]
) -> None:
    model = made(GEMINI, model="models/gemini-embedding-2")
    model.embed(["a"])
    model.embed(["a"], question=True)
    assert server.texts == ["title: none | text: a", "task: search result | query: a"]
    assert all("taskType" not in each.body["requests"][0] for each in server.seen)
    assert server.seen[0].path == "/v1/models/gemini-embedding-2:batchEmbedContents"


def test_vectors_without_numbers_are_taken_in_their_order(server: Server, made: Callable[..., Remote]) -> None:
    server.script.append(saying(200, {"data": [{"embedding": vector_of("a")}, {"embedding": vector_of("b")}]}))
    assert close_to(made().embed(["a", "b"]), expected(["a", "b"]))


def test_no_text_means_no_request(server: Server, made: Callable[..., Remote]) -> None:
    assert made().embed([]).shape[0] == 0
    assert server.seen == []


# What goes into one request.


def test_requests_are_limited_by_count_and_by_size(server: Server, made: Callable[..., Remote]) -> None:
    made().embed(["short"] * 40 + ["long " * 1600] * 30)
    sizes = [(len(each.texts), sum(len(text) for text in each.texts)) for each in server.seen]
    assert sum(count for count, _size in sizes) == 70
    assert all(count <= remote.ELSEWHERE and size <= remote.FULLEST for count, size in sizes)
    assert len(sizes) < 8


def test_as_many_requests_are_under_way_at_once_as_are_allowed(
    server: Server, made: Callable[..., Remote], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of two is answered only when both are there; a third comes after."""
    monkeypatch.setattr(remote, "ELSEWHERE", 1)
    together = threading.Barrier(remote.AT_ONCE)

    def step(handler: Handler) -> None:
        together.wait(300)
        answer(handler)

    server.script.extend([step] * remote.AT_ONCE)
    texts = ["a", "b", "c"]
    assert close_to(made().embed(texts), expected(texts))


def test_a_text_that_is_too_long_is_cut_between_two_characters(server: Server, made: Callable[..., Remote]) -> None:
    made().embed(["中" * 5000, "x" * 8000, "\ud800 a\0b \udfff"])
    cut, whole, odd = server.texts
    assert cut == "中" * (remote.LONGEST // 3)
    assert whole == "x" * 8000
    assert odd == "? a b ?"


# What goes wrong, and is over at the next try.


def test_a_busy_service_is_asked_again_after_the_time_it_names(server: Server, made: Callable[..., Remote]) -> None:
    waits: list[float] = []
    server.script.extend([saying(429, Retry_After="7"), saying(503, Retry_After="Fri, 01 Jan 2021 00:00:00 GMT")])
    assert close_to(made(waits=waits).embed(["a"]), expected(["a"]))
    assert waits == [7.0, 0.0]


def test_errors_of_the_server_and_broken_connections_are_tried_again_after_growing_pauses(
    server: Server, made: Callable[..., Remote]
) -> None:
    waits: list[float] = []
    server.script.extend([saying(500), reset, saying(502, b"<html>bad gateway</html>", Retry_After="soon")])
    assert close_to(made(waits=waits).embed(["a"]), expected(["a"]))
    assert waits == [0.5, 1.0, 2.0]


def test_after_four_tries_it_is_told(server: Server, made: Callable[..., Remote]) -> None:
    waits: list[float] = []
    server.script.extend([saying(500, {"error": {"message": "the model\nfell over"}})] * 9)
    with pytest.raises(Unavailable, match=r"openai at http://127.*answers HTTP 500: the model fell over"):
        made(waits=waits).embed(["a"])
    assert len(server.seen) == http.TRIES
    assert len(waits) == http.TRIES - 1


def test_a_service_that_asks_for_much_patience_is_left_alone(server: Server, made: Callable[..., Remote]) -> None:
    waits: list[float] = []
    server.script.extend([saying(429, {"error": "quota"}, Retry_After="3600")])
    with pytest.raises(Unavailable, match=r"HTTP 429: quota \(it asks us to wait 3600 s\)"):
        made(waits=waits).embed(["a"])
    assert waits == []


def test_a_question_is_not_kept_waiting(server: Server, made: Callable[..., Remote]) -> None:
    waits: list[float] = []
    server.script.extend([saying(429, Retry_After="7")])
    with pytest.raises(Unavailable):
        made(waits=waits).embed(["a"], question=True)
    assert waits == []


@pytest.mark.parametrize(("question", "tries"), [(True, 1), (False, http.TRIES)])
def test_a_slow_service_is_given_up(
    server: Server, made: Callable[..., Remote], monkeypatch: pytest.MonkeyPatch, *, question: bool, tries: int
) -> None:
    monkeypatch.setattr(remote, "GIVEN_UP_AFTER", 0.05)
    over = threading.Event()
    server.script.extend([waiting(over)] * tries)
    try:
        with pytest.raises(Unavailable, match="did not answer within"):
            made().embed(["a"], question=question)
    finally:
        over.set()
    assert not server.script or not question


def test_a_service_that_answers_drop_by_drop_is_given_up(
    server: Server, made: Callable[..., Remote], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "GIVEN_UP_AFTER", 0.2)
    over = threading.Event()
    server.script.append(dripping(over))
    try:
        with pytest.raises(Unavailable, match="did not answer within"):
            made().embed(["a"], question=True)
    finally:
        over.set()


def test_a_service_that_is_not_there_is_told(server: Server) -> None:
    with serving() as gone:
        pass
    embedder = Remote(SERVICES[OLLAMA], search(gone, OLLAMA), {}, sleep=lambda _seconds: None)
    with pytest.raises(Unavailable, match=r"ollama at http://127.*does not answer"):
        embedder.embed(["a"])
    embedder.close()
    assert server.seen == []


# What goes wrong for good.


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "no such model"}}, "HTTP 400: no such model"),
        ({"error": "model not found, try pulling it first"}, "HTTP 400: model not found, try pulling"),
        ({"detail": "input_type is wrong"}, "HTTP 400: input_type is wrong"),
        (b"plain words", "HTTP 400: plain words"),
        (b"", "HTTP 400$"),
        ([1], r"HTTP 400: \[1\]"),
        ({"error": {"message": "x" * 5000}}, r"x{299}…$"),
        ({"error": {"message": f"wrong key {KEY}, or {KEY[:7]}***cdef."}}, "wrong key …, or …$"),
    ],
)
def test_a_refusal_is_told_at_once_in_the_services_own_words(
    server: Server, made: Callable[..., Remote], body: Any, said: str
) -> None:
    server.script.append(saying(400, body))
    with pytest.raises(Unavailable, match=said) as caught:
        made().embed(["a"])
    assert KEY not in str(caught.value)
    assert KEY[:7] not in str(caught.value)
    assert len(server.seen) == 1


GOOD = [1.0] * WIDTH


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (saying(200, b"{garbage"), "cannot be understood"),
        (saying(200, b"[" * 100_000), "cannot be understood"),
        (saying(200, b""), "cannot be understood"),
        (saying(200, b"\x80not gzip", Content_Encoding="gzip"), "cannot be decompressed"),
        (saying(200, {"error": {"message": "really not"}}), "cannot be understood: really not"),
        (saying(200, {"data": [7, 8]}), "cannot be understood"),
        (saying(200, {"data": {"a": 1}}), "cannot be understood"),
        (saying(200, {"data": [{"index": 0, "embedding": GOOD}, {"index": 0, "embedding": GOOD}]}), "be understood"),
        (saying(200, {"data": [{"index": 0, "embedding": GOOD}, {"index": 9, "embedding": GOOD}]}), "be understood"),
        (saying(200, {"data": [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": "AAAA"}]}), "not a list"),
        (saying(200, {"data": [{"embedding": None}, {"embedding": None}]}), "not a list"),
        (giving([GOOD]), "1 vectors for 2 texts"),
        (giving([GOOD] * 3), "3 vectors for 2 texts"),
        (giving([]), "0 vectors for 2 texts"),
        (giving([[], []]), "not a list"),
        (giving([GOOD, GOOD[1:]]), "different lengths"),
        (giving([GOOD, [float("nan"), *GOOD[1:]]]), "not a number"),
        (giving([GOOD, [float("inf"), *GOOD[1:]]]), "not a number"),
        (giving([GOOD, [0.0] * WIDTH]), "zeros"),
        (saying(307, Location="http://127.0.0.1:1/elsewhere"), "redirects to another address"),
        (saying(200, b" " * 200_000), "more than 100000 bytes"),
    ],
)
def test_an_answer_that_makes_no_sense_is_told_and_not_asked_for_again(
    server: Server, made: Callable[..., Remote], step: Callable[[Handler], None], said: str
) -> None:
    server.script.append(step)
    with pytest.raises(Unavailable, match=said):
        made(largest=100_000).embed(["a", "b"])
    assert len(server.seen) == 1


def test_vectors_that_change_their_length_are_told_and_those_that_were_not_asked_for_refused(
    server: Server, made: Callable[..., Remote]
) -> None:
    embedder = made()
    embedder.embed(["a"])
    server.script.append(giving([[1.0, 2.0]]))
    with pytest.raises(Unavailable, match="now returns vectors of 2 numbers, before it was 8"):
        embedder.embed(["b"])
    server.script.append(giving([[1.0, 2.0]]))
    assert embedder.embed(["b"]).shape == (1, 2), "it is told once, and then counts"


@given(st.lists(st.lists(st.floats(width=32, allow_nan=False), min_size=3, max_size=3), min_size=1, max_size=4))
def test_whatever_numbers_come_a_vector_that_is_given_has_length_one(rows: list[list[float]]) -> None:
    try:
        found = checked(rows, len(rows), 3, "somebody")
    except Unavailable:
        assert any(not any(row) or not np.isfinite(row).all() for row in rows)
    else:
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


# Keys, headers and addresses.


def test_the_key_comes_from_the_settings_then_the_environment(server: Server) -> None:
    environ = {"OPENAI_API_KEY": "from-environment"}
    for setting in ("from-settings", ""):
        options = search(server, api_key=setting)
        embedder = Remote(SERVICES[OPENAI], options, environ)
        embedder.embed(["a"])
        embedder.close()
    sent = [each.headers["authorization"] for each in server.seen]
    assert sent == ["Bearer from-settings", "Bearer from-environment"]


def test_without_a_key_the_services_own_address_is_not_asked_and_another_one_is(server: Server) -> None:
    for provider, wanted in ((OPENAI, "OPENAI_API_KEY"), (GEMINI, "GEMINI_API_KEY or GOOGLE"), (VOYAGE, "VOYAGE_API")):
        with pytest.raises(Unavailable, match=wanted):
            Remote(SERVICES[provider], SearchOptions(provider=provider), {})
    assert Remote(SERVICES[GEMINI], SearchOptions(provider=GEMINI), {"GOOGLE_API_KEY": "g"}).name.startswith("gemini ")
    embedder = Remote(SERVICES[OPENAI], search(server, api_key=""), {})
    embedder.embed(["a"])
    embedder.close()
    assert "authorization" not in server.seen[0].headers


def test_the_key_of_the_environment_does_not_go_through_a_network_unencrypted() -> None:
    environ = {"OPENAI_API_KEY": KEY}

    def sent(url: str, **more: Any) -> dict[str, str]:
        options = SearchOptions(provider=OPENAI, remote=RemoteOptions(base_url=url, **more))
        return dict(Remote(SERVICES[OPENAI], options, environ)._access.headers)

    assert sent("http://192.168.1.5:8080/v1") == {}
    assert sent("http://192.168.1.5:8080/v1", api_key="mine") == {"Authorization": "Bearer mine"}
    assert sent("https://llm.example.org/v1") == {"Authorization": f"Bearer {KEY}"}
    assert sent("http://[::1]:8080/v1") == {"Authorization": f"Bearer {KEY}"}
    assert sent("http://localhost:8080/v1") == {"Authorization": f"Bearer {KEY}"}


def test_further_headers_are_sent_and_take_the_place_of_ours(server: Server, made: Callable[..., Remote]) -> None:
    made(headers=(("X-Team", "soul"), ("authorization", "Basic abcdefgh"))).embed(["a"])
    assert server.seen[0].headers["x-team"] == "soul"
    assert server.seen[0].headers["authorization"] == "Basic abcdefgh"


def test_a_login_in_the_address_is_sent_and_not_shown(server: Server, made: Callable[..., Remote]) -> None:
    embedder = made(OLLAMA, base_url=server.url.replace("//", "//me:pass%20word@"), api_key="")
    server.script.append(saying(401, b"not you, me with pass word"))
    with pytest.raises(Unavailable) as caught:
        embedder.embed(["a"])
    assert server.seen[0].headers["authorization"] == "Basic bWU6cGFzcyB3b3Jk"
    assert "pass" not in f"{caught.value} {embedder!r} {embedder.name} {embedder._access!r}"


def test_no_secret_is_in_what_can_be_shown(made: Callable[..., Remote]) -> None:
    embedder = made(headers=(("X-Token", "hush-hush-hush"),))
    shown = f"{embedder!r} {embedder.name} {embedder.identity} {embedder._access!r}"
    assert KEY not in shown
    assert "hush" not in shown
    assert "x-token" in embedder.identity.extras


@pytest.mark.parametrize("url", ["nonsense", "ftp://a/b", "http://", "http://a b/", "http://a:99999/", "http://[::1/"])
def test_an_address_that_is_none_is_told(url: str) -> None:
    with pytest.raises(Unavailable, match="base_url is not a valid address"):
        Remote(SERVICES[OLLAMA], SearchOptions(remote=RemoteOptions(base_url=url)), {})


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"api_key": "two words"}, "characters"),
        ({"api_key": "kéy"}, "characters"),
        ({"headers": (("bad name", "x"),)}, "not allowed in an HTTP header"),
        ({"headers": (("X-A", "a\r\nX-B: b"),)}, "not allowed in an HTTP header"),
    ],
)
def test_a_key_or_header_that_cannot_be_sent_is_told_before_anything_is(
    server: Server, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(Unavailable, match=said):
        Remote(SERVICES[OPENAI], search(server, **more), {})
    assert server.seen == []


def test_names_tell_one_space_from_another(server: Server, made: Callable[..., Remote]) -> None:
    assert made().name == f"openai {server.url}/v1 text-embedding-3-small"
    assert made(base_url=f"{server.url}/v1/?team=a").name == made().name
    assert len({made(provider, model="m").name for provider in SERVICES}) == len(SERVICES)


def test_without_the_client_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(Unavailable, match=r"pip install 'oldsoul\[remote\]'"):
        Remote(SERVICES[OPENAI], search(server), {})


# The cache.


class Counting:
    """An embedder that counts what it is sent, and fails when it is told to."""

    def __init__(self, width: int = WIDTH, piece: int = 2) -> None:
        self.sent: list[str] = []
        self.width, self.piece = width, piece
        self.fail_after = 10**9
        self.whose = Identity("fake", "here", "model", 0)

    @property
    def identity(self) -> Identity:
        return self.whose

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        for start in range(0, len(texts), self.piece):
            some = list(texts[start : start + self.piece])
            if len(self.sent) + len(some) > self.fail_after:
                raise Unavailable("no more")
            self.sent += some
            rows = expected([f"question {text}" if question else text for text in some], self.width)
            yield list(range(start, start + len(some))), rows.astype(np.float32)

    def close(self) -> None:
        pass


@pytest.fixture
def source() -> Counting:
    return Counting()


TEXTS = st.lists(st.sampled_from(["", "a", "b", "\0", "中", "\ud800", "a ", "A"]) | st.text(max_size=5), max_size=8)


@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_cache_gives_what_the_embedder_gives_and_sends_each_new_text_once(
    tmp_path: Path, calls: list[tuple[list[str], bool]]
) -> None:
    path = tmp_path / "embeddings.db"
    path.unlink(missing_ok=True)
    source, seen = Counting(), set()
    embedder = Cached(source, str(path), 1000)
    for texts, question in calls:
        new = [text for text in dict.fromkeys(texts) if (text, question) not in seen]
        seen |= {(text, question) for text in texts}
        source.sent.clear()
        found = embedder.embed(texts, question=question)
        assert source.sent == new
        assert len(found) == len(texts)
        if texts:
            plain = expected([f"question {text}" if question else text for text in texts])
            assert np.allclose(found, plain, atol=5e-4)
            assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
            assert (embedder.embed(texts, question=question) == found).all()
    embedder.close()


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path, source: Counting) -> None:
    embedder = Cached(source, str(tmp_path / "e.db"), 100)
    source.fail_after = 4
    with pytest.raises(Unavailable):
        embedder.embed(list("abcdefgh"))
    source.fail_after = 100
    embedder.embed(list("abcdefgh"))
    assert source.sent == list("abcdefgh")
    embedder.close()


def test_of_requests_under_way_at_once_those_that_succeed_are_kept(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2)

    def failing(handler: Handler) -> None:
        both.wait(300)
        handler.send(400, b"no")

    def succeeding(handler: Handler) -> None:
        both.wait(300)
        answer(handler)

    server.script.extend([failing, succeeding])
    monkeypatch.setattr(remote, "ELSEWHERE", 1)
    options = search(server)
    embedder = Cached(Remote(SERVICES[OPENAI], options, {}), str(tmp_path / "e.db"), 100)
    with pytest.raises(Unavailable):
        embedder.embed(["a", "b"])
    assert np.allclose(embedder.embed(["a", "b"]), expected(["a", "b"]), atol=5e-4)
    assert len(server.texts) == 3
    embedder.close()


def test_embeddings_are_kept_for_others_and_apart_by_embedder(tmp_path: Path, source: Counting) -> None:
    path = str(tmp_path / "folder" / "e.db")
    first = Cached(source, path, 100)
    first.embed(["a", "b"])
    other = Counting()
    for whose in (
        source.whose,
        source.whose._replace(provider="x"),
        source.whose._replace(place="x"),
        source.whose._replace(model="x"),
        source.whose._replace(dimensions=8),
        source.whose._replace(extras="x-token"),
    ):
        other.whose = whose
        second = Cached(other, path, 100)
        second.embed(["a"])
        second.close()
    assert other.sent == ["a"] * 5
    first.close()


def test_the_least_recently_used_go_first(tmp_path: Path, source: Counting) -> None:
    now = [1_000_000.0]
    embedder = Cached(source, str(tmp_path / "e.db"), 3, now=lambda: now[0])
    for text in ("a", "b", "c", "a", "d"):
        now[0] += 2 * cached._EXACT
        embedder.embed([text])
    source.sent.clear()
    embedder.embed(["a", "c", "d"])
    assert source.sent == []
    embedder.embed(["b"])
    assert source.sent == ["b"]
    embedder.embed(list("efghijklm"))
    embedder.close()
    db = sqlite3.connect(tmp_path / "e.db")
    assert db.execute("SELECT count(*) FROM embeddings").fetchone() == (3,)
    db.close()


def test_more_than_the_cache_holds_is_embedded_all_the_same(tmp_path: Path, source: Counting) -> None:
    embedder = Cached(source, str(tmp_path / "e.db"), 5)
    texts = [f"t{number}" for number in range(50)]
    assert np.allclose(embedder.embed(texts), expected(texts), atol=5e-4)
    embedder.close()


def test_a_row_that_was_damaged_is_embedded_again_and_mended(tmp_path: Path, source: Counting) -> None:
    embedder = Cached(source, str(tmp_path / "e.db"), 100)
    good = embedder.embed(["a", "b"])
    db = sqlite3.connect(tmp_path / "e.db")
    db.execute("UPDATE embeddings SET vector=zeroblob(16) WHERE id=1")
    db.commit()
    db.close()
    assert (embedder.embed(["a", "b"]) == good).all()
    assert source.sent == ["a", "b", "a"]
    embedder.embed(["a", "b"])
    assert len(source.sent) == 3
    embedder.close()


def test_a_damaged_file_is_begun_anew(tmp_path: Path, source: Counting) -> None:
    path = tmp_path / "e.db"
    path.write_bytes(b"not a database at all" * 1000)
    embedder = Cached(source, str(path), 100)
    embedder.embed(["a"])
    embedder.embed(["a"])
    assert source.sent == ["a"]
    db = sqlite3.connect(path)
    db.execute("DROP TABLE embeddings")  # as damage that is met in the middle of the work
    db.close()
    embedder.embed(["a"])
    embedder.embed(["a"])
    assert source.sent == ["a", "a"]
    embedder.close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")  # as a newer Oldsoul would leave it
    db.close()
    embedder.embed(["a"])
    embedder.embed(["a"])
    assert source.sent == ["a"] * 3
    embedder.close()


def test_a_file_that_cannot_be_made_is_done_without(tmp_path: Path, source: Counting) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file" / "e.db", tmp_path):
        embedder = Cached(source, str(path), 100)
        assert np.allclose(embedder.embed(["a"]), expected(["a"]), atol=5e-4)
        embedder.close()


def test_a_model_changed_under_its_old_name_makes_what_was_kept_worthless(tmp_path: Path, source: Counting) -> None:
    embedder = Cached(source, str(tmp_path / "e.db"), 100)
    embedder.embed(["a", "b", "c"])
    source.width = 5
    source.sent.clear()
    assert np.allclose(embedder.embed(["a", "d"]), expected(["a", "d"], 5), atol=5e-4)
    assert embedder.embed(["a", "b"]).shape == (2, 5)
    assert source.sent == ["a", "d", "b"]
    embedder.close()


@pytest.mark.parametrize("damaged", [False, True])
def test_several_may_use_the_file_at_once(tmp_path: Path, *, damaged: bool) -> None:
    path = str(tmp_path / "e.db")
    if damaged:
        (tmp_path / "e.db").write_bytes(b"not a database at all" * 1000)
    texts = [f"t{number}" for number in range(60)]
    failures: list[BaseException] = []

    def work(shift: int) -> None:
        embedder = Cached(Counting(piece=7), path, 40)
        try:
            for start in range(0, 60, 10):
                some = [texts[(start + shift + number) % 60] for number in range(15)]
                assert np.allclose(embedder.embed(some), expected(some), atol=5e-4)
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)
        finally:
            embedder.close()

    threads = [threading.Thread(target=work, args=(shift,)) for shift in (0, 5, 30, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_neither_keys_nor_texts_are_in_the_file(server: Server, tmp_path: Path) -> None:
    options = search(server, headers=(("X-Token", "hush-hush-hush"),))
    embedder = Cached(Remote(SERVICES[OPENAI], options, {}), str(tmp_path / "e.db"), 100)
    embedder.embed(["a very private text"])
    embedder.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not any(secret in kept for secret in (KEY.encode(), b"hush", b"private", server.url.encode()))
    assert b"text-embedding-3-small" in kept


# The model on this machine.


@pytest.fixture(scope="module")
def minilm() -> Iterator[Onnx]:
    model = Onnx(SearchOptions(provider="local"))
    yield model
    model.close()


def test_the_packaged_model_finds_a_paraphrase_nearer_than_something_else(minilm: Onnx) -> None:
    texts = [
        "Ana: I adopted a puppy from the shelter last week",
        "Ana: We took in a little dog that nobody wanted",
        "Ben: The quarterly tax report is due on Friday",
        "Which pet does Ana have?",
    ]
    first, paraphrase, other, question = minilm.embed(texts)
    assert first.shape == (384,)
    assert np.allclose(np.linalg.norm(minilm.embed(texts), axis=1), 1, atol=1e-6)
    assert first @ paraphrase > first @ other + 0.2
    assert min(question @ first, question @ paraphrase) > question @ other + 0.2


def test_a_text_has_the_same_vector_whatever_is_embedded_with_it(minilm: Onnx) -> None:
    texts = ["short", "a somewhat longer text about dogs and cats", "", "\ud800\0", "中文", "word " * 3000]
    together = minilm.embed(texts)
    assert np.isfinite(together).all()
    for text, vector in zip(texts, together, strict=True):
        assert (minilm.embed([text], question=True)[0] == vector).all()
    assert (minilm.embed(["word " * 300])[0] == together[-1]).all()
    assert minilm.embed([]).shape[0] == 0


def test_a_model_of_ones_own_is_known_by_what_is_in_it(minilm: Onnx, tmp_path: Path) -> None:
    own = tmp_path / "onnx"
    own.mkdir()
    (own / "model.onnx").symlink_to(minilm._files.model)
    (own / "model_fp16.onnx").write_bytes(b"another")
    import tokenizers  # noqa: PLC0415 - only this test needs it

    tokenizers.BertWordPieceTokenizer(str(minilm._files.words)).save(str(tmp_path / "tokenizer.json"))
    models = [Onnx(local(path)) for path in (tmp_path, own / "model.onnx")]
    assert models[0].name == models[1].name != minilm.name
    assert (models[0].embed(["a dog"]) == minilm.embed(["a dog"])).all()
    with pytest.raises(Unavailable, match="cannot be loaded"):
        Onnx(local(own / "model_fp16.onnx")).embed(["a"])
    (own / "tokenizer.json").write_text("{}")
    with pytest.raises(Unavailable, match=r"the tokenizer .* cannot be loaded"):
        Onnx(local(tmp_path)).embed(["a"])
    (own / "model.onnx").unlink()
    (own / "model.onnx").write_bytes(b"changed")
    assert Onnx(local(tmp_path)).name != models[0].name


def local(path: Path) -> SearchOptions:
    return SearchOptions(provider="local", local=LocalOptions(model_path=str(path)))


def test_a_model_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unavailable, match=r"no \.onnx file"):
        Onnx(local(tmp_path))
    with pytest.raises(Unavailable, match=r"no \.onnx file at"):
        Onnx(local(tmp_path / "nowhere"))
    (tmp_path / "a.onnx").write_bytes(b"")
    with pytest.raises(Unavailable, match=r"no tokenizer\.json"):
        Onnx(local(tmp_path))
    (tmp_path / "b.onnx").write_bytes(b"")
    with pytest.raises(Unavailable, match=r"2 \.onnx files"):
        Onnx(local(tmp_path))
    monkeypatch.setattr(onnx, "WORDS", replace(onnx.WORDS, package="no-such-package"))
    with pytest.raises(Unavailable, match=r"no-such-package; pip install 'oldsoul\[local\]'"):
        Onnx(SearchOptions())


def test_a_packaged_file_that_changed_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "WORDS", replace(onnx.WORDS, sha256=hashlib.sha256(b"other").hexdigest()))
    with pytest.raises(Unavailable, match="force-reinstall"):
        Onnx(SearchOptions()).embed(["a"])


def test_without_the_runtime_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(Unavailable, match=r"pip install 'oldsoul\[local\]'"):
        Onnx(SearchOptions()).embed(["a"])


# Who is chosen.


@pytest.fixture
def choose(tmp_path: Path) -> Iterator[Callable[..., ConfiguredEmbedder]]:
    embedders: list[ConfiguredEmbedder] = []

    def make(options: SearchOptions, **environ: str) -> ConfiguredEmbedder:
        found = chosen(options, environ, str(tmp_path / "e.db"), sleep=lambda _seconds: None)
        assert found is not None
        embedders.append(found)
        return found

    yield make
    for each in embedders:
        each.close()


@pytest.mark.parametrize("provider", ["fast", "none"])
def test_the_static_table_is_not_chosen_here(provider: str) -> None:
    assert chosen(SearchOptions(provider=provider, fallback="local"), {}, "nowhere") is None


@pytest.mark.parametrize("provider", ["auto", "bundled"])
def test_the_bundled_encoder_needs_no_fallback_and_no_cache(
    choose: Callable[..., ConfiguredEmbedder], tmp_path: Path, provider: str
) -> None:
    embedder = choose(SearchOptions(provider=provider, fallback="openai"))
    assert embedder.is_quick
    assert embedder.embed(["a cat", "a dog"]).shape == (2, 512)
    assert embedder.name == "bundled use-multilingual-3 512"
    assert list(tmp_path.iterdir()) == []


def test_the_bundled_encoder_takes_the_place_of_a_service(
    server: Server, choose: Callable[..., ConfiguredEmbedder]
) -> None:
    server.script.append(saying(401, {"error": {"message": "no such key"}}))
    embedder = choose(search(server, fallback="bundled"))
    assert not embedder.is_quick
    assert embedder.embed(["a cat"]).shape == (1, 512)
    assert embedder.is_quick
    assert "bundled is used instead" in embedder.notes[0]


def test_without_vectors_nobody_is_chosen() -> None:
    assert chosen(SearchOptions(provider="none"), {}, "nowhere") is None


def test_the_provider_is_used_and_what_it_gave_is_kept(
    server: Server, choose: Callable[..., ConfiguredEmbedder]
) -> None:
    for _ in range(2):
        embedder: Embedder = choose(search(server))
        assert np.allclose(embedder.embed(["a"]), expected(["a"]), atol=5e-4)
        assert embedder.name == f"openai {server.url}/v1 text-embedding-3-small {WIDTH}"
    assert server.texts.count("a") == 1


def test_the_fallback_takes_over_under_its_own_name_and_this_is_told(
    server: Server, choose: Callable[..., ConfiguredEmbedder]
) -> None:
    server.script.extend([saying(401, {"error": {"message": "who are you"}})])
    embedder = choose(search(server, fallback="local"))
    assert embedder.name.startswith("openai ")
    embedder.settle()
    assert embedder.name == f"{Onnx(SearchOptions()).name} 384"
    assert embedder.embed(["a"]).shape == (1, 384)
    (note,) = embedder.notes
    assert note.startswith(f"openai at {server.url}/v1 answers HTTP 401: who are you; local is used instead")
    assert len(server.seen) == 1


def test_the_first_text_settles_who_embeds(server: Server, choose: Callable[..., ConfiguredEmbedder]) -> None:
    server.script.append(saying(401, b"no"))
    embedder = choose(search(server, fallback="local"))
    assert embedder.embed(["a"]).shape == (1, 384)
    assert embedder.name.startswith("local ")
    assert len(server.seen) == len(embedder.notes) == 1


def test_a_provider_that_answers_is_settled_and_never_replaced(
    server: Server, choose: Callable[..., ConfiguredEmbedder]
) -> None:
    embedder = choose(search(server, fallback="local"))
    embedder.embed(["a"])
    embedder.settle()
    assert len(server.seen) == 2
    server.script.append(saying(400, b"no"))
    with pytest.raises(Unavailable, match="HTTP 400: no"):
        embedder.embed(["b"])
    assert embedder.notes == ()
    assert embedder.name.startswith("openai ")
    assert embedder.embed(["b"]).shape == (1, WIDTH)


def test_settling_asks_the_service_and_not_the_cache(server: Server, choose: Callable[..., ConfiguredEmbedder]) -> None:
    choose(search(server)).settle()
    server.script.append(saying(400, b"no"))
    with pytest.raises(Unavailable, match="HTTP 400: no"):
        choose(search(server)).settle()


def test_a_provider_that_cannot_be_made_is_passed_over_without_a_request(
    choose: Callable[..., ConfiguredEmbedder],
) -> None:
    embedder = choose(SearchOptions(provider=OPENAI, fallback="local"))
    assert embedder.name.startswith("local ")
    assert "OPENAI_API_KEY" in embedder.notes[0]


def test_when_nobody_can_embed_all_reasons_are_told_and_it_may_be_tried_again(
    server: Server, choose: Callable[..., ConfiguredEmbedder]
) -> None:
    options = search(server, OLLAMA, fallback=VOYAGE)
    server.script.append(saying(404, {"error": "no such model"}))
    embedder = choose(options)
    for act in (embedder.settle, lambda: embedder.embed(["a"]), lambda: embedder.name):
        with pytest.raises(Unavailable, match="no such model; voyage needs a key"):
            act()


def test_the_key_and_address_of_the_provider_are_not_the_fallbacks(
    server: Server, choose: Callable[..., ConfiguredEmbedder]
) -> None:
    server.script.extend([saying(404, {"error": "no such model"})])
    embedder = choose(
        search(server, OLLAMA, fallback=OPENAI, model="mine", headers=(("X-A", "b"),)), OPENAI_API_KEY="o"
    )
    with pytest.raises(Unavailable):
        embedder.settle()
    assert embedder.name == "openai https://api.openai.com/v1 text-embedding-3-small"
    assert embedder._made is not None
    source = embedder._made[0]
    assert isinstance(source, Remote)
    assert source._access.headers == (("Authorization", "Bearer o"),)
    assert len(server.seen) == 1


def test_the_service_settings_are_the_fallbacks_when_the_provider_is_none(
    server: Server, choose: Callable[..., ConfiguredEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx, "WORDS", replace(onnx.WORDS, package="no-such-package"))
    embedder = choose(search(server, "local", fallback=OLLAMA))
    assert np.allclose(embedder.embed(["a"]), expected(["a"]), atol=5e-4)
    assert embedder.name == f"ollama {server.url}/v1 embeddinggemma {WIDTH}"
    assert json.dumps(embedder.notes)
