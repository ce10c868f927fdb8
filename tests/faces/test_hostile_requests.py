"""What a stranger sends to the server, byte by byte: no answer is a mistake of ours, and no secret is in any."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

import pytest

from faces.served import LIMIT, PLACE, home, running_server
from oldsoul.faces.http.door import ServerLimits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Oldsoul

TWO = "agents: {list: [{id: main}, {id: ben}]}\n"
AGENTS = "/api/agents"
ENTRIES = f"{AGENTS}/main/entries"
WORDS = "quincebush"
HOST = f"Host: {PLACE}"
JSON = "Content-Type: application/json"
BODY = '{"text": "one"}'
LONG = f"Content-Length: {len(BODY)}"
MANY = 100_000


class Line:
    """A server, and the tokens that it knows."""

    def __init__(self, soul: Oldsoul, port: int) -> None:
        self.port = port
        self.operator = soul.add_token("operator").secret
        half, _, rest = soul.log_in().secret.partition(".")
        self.given = {"{token}": self.operator, "{half}": half, "{rest}": rest}
        self.guest = soul.add_token("agent", person="acct:7").secret
        self.other = soul.add_token("reader", person="acct:owner", agent="ben").secret

    def send(self, first: str, *headers: str, body: str = "") -> bytes:
        """What the server answers, until it closes the connection; `{token}` is the operator's."""
        head = "\r\n".join([first, *headers, "Connection: close", "", ""])
        for name, value in self.given.items():
            head = head.replace(name, value)
        with socket.create_connection((PLACE, self.port), LIMIT) as line:
            line.sendall(head.encode("latin-1") + body.replace("{token}", self.operator).encode())
            found = b""
            while piece := line.recv(65536):
                found += piece
        assert found.startswith(b"HTTP/1.1 ")
        assert WORDS.encode() not in found
        return found

    def status(self, first: str, *headers: str, body: str = "") -> int:
        """The status of the answer."""
        return int(self.send(first, *headers, body=body)[9:12])

    def post(self, path: str, secret: str, value: object, *more: str) -> tuple[int, bytes]:
        """The status and the body of the answer to some JSON."""
        body = json.dumps(value)
        token = f"Authorization: Bearer {secret}"
        size = f"Content-Length: {len(body)}"
        found = self.send(f"POST {path} HTTP/1.1", HOST, token, JSON, size, *more, body=body)
        return int(found[9:12]), found.partition(b"\r\n\r\n")[2]


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    with home(tmp_path_factory.mktemp("hostile"), TWO) as soul:
        soul.agent().remember(f"The safe code is {WORDS}")
        with running_server(soul) as port:
            yield Line(soul, port)


BEARER = "Authorization: Bearer {token}"
COOKIE = "Cookie: oldsoul={token}"
HALF, KEY = "Cookie: oldsoul={half}", "Oldsoul-Key: {rest}"
GET = f"GET {AGENTS} HTTP/1.1"
POST = f"POST {ENTRIES} HTTP/1.1"
STRANGE: dict[str, tuple[int, tuple[str, ...], str]] = {
    # where to: the name of the server decides, whatever else names one
    "two hosts": (400, (GET, HOST, "Host: evil.example", BEARER), ""),
    "no host": (400, (GET, BEARER), ""),
    "HTTP/1.0 without a host": (421, (f"GET {AGENTS} HTTP/1.0", BEARER), ""),
    "a name that leads here": (421, (GET, "Host: evil.example", BEARER), ""),
    "a host with a path": (421, (GET, "Host: ::1%/login?", BEARER), ""),
    "a forwarded host": (200, (GET, HOST, BEARER, "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"), ""),
    # paths that are let in without a token, and what is not behind them
    "login by another name": (401, (GET, HOST, "X-Original-URL: /login", "X-Rewrite-URL: /login"), ""),
    "the proxy and more": (404, (f"GET /v1/..{AGENTS} HTTP/1.1", HOST), ""),
    "the proxy in other letters": (404, (f"GET /v1/%2e%2e{AGENTS} HTTP/1.1", HOST), ""),
    # tokens
    "two tokens, the first wrong": (401, (GET, HOST, "Authorization: Bearer x", BEARER), ""),
    "a space before the colon": (400, (GET, HOST, BEARER.replace(":", " :")), ""),
    "a whole token in the cookie": (401, (GET, HOST, COOKIE), ""),
    "both halves": (200, (GET, HOST, HALF, KEY), ""),
    "an empty token beside both halves": (401, (POST, HOST, "Authorization:", HALF, KEY, JSON, LONG), BODY),
    "two cookies, the last wrong": (401, (GET, HOST, f"{HALF}; oldsoul=x", KEY), ""),
    "a cookie in capitals": (401, (GET, HOST, HALF.replace("oldsoul", "OLDSOUL"), KEY), ""),
    "two keys, the first wrong": (401, (GET, HOST, HALF, "Oldsoul-Key: x", KEY), ""),
    "a thousand cookies": (401, (GET, HOST, f"Cookie: {'a=b; ' * 1000}"), ""),
    # pages of others
    "a form": (403, (POST, HOST, COOKIE, "Content-Type: application/x-www-form-urlencoded", LONG), BODY),
    "a page of another": (403, (POST, HOST, COOKIE, "Origin: http://evil.example", "Content-Type: text/plain", LONG), BODY),
    "a page of nobody": (403, (POST, HOST, COOKIE, "Origin: null", JSON, LONG), BODY),
    "another port": (403, (POST, HOST, COOKIE, "Origin: http://127.0.0.1:1", JSON, LONG), BODY),
    # methods and protocols
    "TRACE": (405, (GET.replace("GET", "TRACE"), HOST, BEARER), ""),
    "another method, it says": (200, (GET, HOST, BEARER, "X-HTTP-Method-Override: DELETE"), ""),
    "a web socket": (401, ("GET /api/events HTTP/1.1", HOST, "Upgrade: websocket"), ""),
    # how long a body is
    "two lengths": (400, (POST, HOST, BEARER, JSON, "Content-Length: 5", LONG), BODY),
    "a negative length": (400, (POST, HOST, BEARER, JSON, "Content-Length: -5"), BODY),
    "a coding nobody knows": (400, (POST, HOST, BEARER, JSON, "Transfer-Encoding: xchunked"), "0\r\n\r\n"),
    "no chunk": (400, (POST, HOST, BEARER, JSON, "Transfer-Encoding: chunked"), "zz\r\nxx"),
    "a length and chunks": (400, (POST, HOST, BEARER, JSON, "Content-Length: 5", "Transfer-Encoding: chunked"), "0\r\n\r\n"),
    # what is in a body
    "a body so deep": (400, (POST, HOST, BEARER, JSON, f"Content-Length: {MANY}"), "[" * MANY),
    "a number so long": (400, (POST, HOST, BEARER, JSON, "Content-Length: 5012"), '{"text": ' + "9" * 5000 + " } "),
    "zero": (422, (POST, HOST, BEARER, JSON, "Content-Length: 19"), '{"text": "a\\u0000"} '),
    "half a character": (422, (POST, HOST, BEARER, JSON, "Content-Length: 19"), '{"text": "a\\ud800"} '),
    "no number": (422, (f"POST {AGENTS}/main/search HTTP/1.1", HOST, BEARER, JSON, "Content-Length: 30"),
                  '{"query": "a", "minimum": NaN}'),
    # cursors of events
    "a cursor that is none": (400, ("GET /api/events HTTP/1.1", HOST, BEARER, "Last-Event-ID: \xff\xfe"), ""),
    "a cursor of another home": (410, ("GET /api/events HTTP/1.1", HOST, BEARER, "Last-Event-ID: 6f1c0a9be2d34785-12"), ""),
    "a cursor beyond all": (400, (f"GET /api/events?after=6f1c0a9be2d34785-{'9' * 50} HTTP/1.1", HOST, BEARER), ""),
}  # fmt: skip


@pytest.mark.parametrize(
    "target",
    [f"/login/..{AGENTS}", f"/login;{AGENTS}", "http://127.0.0.1/login", "/%6cogin", f"http://evil.example{AGENTS}"],
)
def test_a_target_that_only_resembles_another_gets_what_everybody_gets(target: str, line: Line) -> None:
    found = line.send(f"GET {target} HTTP/1.1", HOST).partition(b"\r\n\r\n")
    assert found[0].startswith((b"HTTP/1.1 200", b"HTTP/1.1 404"))
    assert line.send(f"GET {target} HTTP/1.1", HOST, BEARER).partition(b"\r\n\r\n")[2] == found[2]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/mcp", "/", "/nothing", ENTRIES])
def test_a_request_says_in_one_way_where_it_ends_at_every_door(path: str, line: Line) -> None:
    inside = f"GET {AGENTS} HTTP/1.1\r\n{HOST}\r\n{BEARER}\r\n\r\n"
    for both in (
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
    ):
        answer = line.send(f"POST {path} HTTP/1.1", HOST, BEARER, JSON, *both, body=f"0\r\n\r\n{inside}")
        assert answer.startswith(b"HTTP/1.1 400")
        assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_request_gets_the_answer_that_it_should(name: str, line: Line) -> None:
    wanted, (first, *headers), body = STRANGE[name]
    assert line.status(first, *headers, body=body) == wanted


def test_what_follows_a_body_that_was_refused_is_not_a_request(line: Line) -> None:
    inside = f"GET {AGENTS} HTTP/1.1\r\n{HOST}\r\n{BEARER}\r\n\r\n"
    answer = line.send(POST, HOST, f"Content-Length: {len(inside)}", body=inside)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert answer.startswith(b"HTTP/1.1 401")


def test_requests_in_a_row_are_each_asked_for_their_token(line: Line) -> None:
    known, unknown = f"{GET}\r\n{HOST}\r\n{BEARER}\r\n\r\n", f"{GET}\r\n{HOST}\r\n\r\n"
    first, _, rest = (known + unknown).rstrip("\r\n").partition("\r\n")
    answer = line.send(first, rest)
    assert [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]] == [200, 401]


def test_a_login_link_leads_to_the_host_that_was_asked(line: Line) -> None:
    more = ("X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "X-Forwarded-Prefix: /evil")
    status, body = line.post("/api/login-links", line.operator, {}, *more)
    assert status == 200
    assert json.loads(body)["url"].startswith(f"http://{PLACE}/login?code=")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (ENTRIES, {"text": "x", **{f"k{number}": 1 for number in range(MANY)}}),
        (f"{AGENTS}/main/changes/1/undo", {"bases": {f"k{number}": 1 for number in range(MANY)}}),
        (f"{AGENTS}/main/proposals/p1/approve", {"edited": {f"k{number}": 1 for number in range(MANY)}}),
        (f"{AGENTS}/main/search", {"query": "x", "sources": [1] * MANY}),
        (f"{AGENTS}/main/search", {"query": "x", "session": {f"k{number}": 1 for number in range(MANY)}}),
    ],
)
def test_of_a_hundred_thousand_mistakes_one_is_told(path: str, value: object, line: Line) -> None:
    status, body = line.post(path, line.operator, value)
    assert status == 422
    assert len(json.loads(body)["errors"]) == 1


SESSIONS: list[Any] = [
    {"kind": "dm", "subject": "acct:owner"},
    {"id": "dm:acct:owner"},
    {"kind": "subagent", "id": "dm:acct:owner"},
    {"kind": "cron"},
    {"kind": "team"},
    {"kind": "group", "room": "den"},
    {"id": "http:00000000"},
]


@pytest.mark.parametrize("session", SESSIONS, ids=str)
def test_no_session_that_a_guest_names_shows_what_is_the_owners(session: Any, line: Line) -> None:
    question = "what is the safe code?"
    for path, name in {"search": "query", "context": "message", "prompt": "message", "chat": "text"}.items():
        asked = {name: question, "session": session}
        assert line.post(f"{AGENTS}/main/{path}", line.guest, asked)[0] in (200, 403)
        assert line.post(f"{AGENTS}/main/{path}", line.other, asked)[0] in (403, 404)


@pytest.mark.parametrize("agent", ["", "?agent=main", "?agent=ben&agent=main", "?agent=../main", "?agent=%00"])
def test_no_agent_that_a_token_names_shows_what_is_not_for_it(agent: str, line: Line) -> None:
    arguments = {"name": "memory_search", "arguments": {"query": "what is the safe code?"}}
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
    accept = "Accept: application/json, text/event-stream"
    for secret in (line.guest, line.other):
        assert line.post(f"/mcp{agent}", secret, called, accept)[0] == 200


def test_who_guesses_login_codes_is_held_up_and_nobody_else_is(tmp_path: Path) -> None:
    with home(tmp_path, TWO) as soul, running_server(soul, limits=ServerLimits(per_second=0.001, at_once=5)) as port:
        line = Line(soul, port)
        body = '{"code": "guess"}'
        more = (HOST, JSON, f"Content-Length: {len(body)}")
        found = [line.status("POST /api/login/code HTTP/1.1", *more, body=body) for _ in range(7)]
        assert found == [*[401] * 5, *[429] * 2]
        assert line.status(GET, HOST, BEARER) == 200
