"""The server under load: writers that come between each other, two servers on one home, and a process that is killed."""

from __future__ import annotations

import fcntl
import json
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

import pytest

from faces.served import LIMIT, PLACE, asked, home, listening, running_server, serve, started, until
from oldsoul.faces.http.door import ServerLimits
from oldsoul.faces.web import bodies, server
from scale import scaled

SLOW_HEADS = 500
HEAD = b"GET / HTT"
WRITERS = 4
EACH = scaled(10, 100)
KILLS = scaled(2, 10)
BEFORE = scaled(15, 100)
"""So many writes are acknowledged before the process is killed."""


class Answer(NamedTuple):
    """What came back."""

    status: int
    tag: str
    body: dict[str, object]


def ask(port: int, method: str, secret: str, path: str, text: str = "", **headers: str) -> Answer:
    body = json.dumps({"content": text}).encode() if method == "PUT" else None
    headers["Content_Type"] = "application/json"
    with asked(port, method, f"/api/workspace/main/file/{path}", secret, body, **headers) as answer:
        return Answer(answer.status, answer.headers.get("etag", ""), json.loads(answer.read()))


def test_no_write_is_lost_between_writers_that_read_and_save(tmp_path: Path) -> None:
    limits = ServerLimits(at_once=100_000)
    with home(tmp_path) as soul, running_server(soul, limits=limits) as port:
        secret = soul.add_token("operator").secret
        assert ask(port, "PUT", secret, "rooms/dev.md", "- The number is 0\n", If_None_Match="*").status == 200

        def count(_writer: int) -> int:
            refused = 0
            for _ in range(EACH):
                while True:
                    read = ask(port, "GET", secret, "rooms/dev.md")
                    number = int(str(read.body["content"]).split("number is ")[1].split()[0])
                    text = f"- The number is {number + 1}\n"
                    if ask(port, "PUT", secret, "rooms/dev.md", text, If_Match=read.tag).status == 200:
                        break
                    refused += 1
            return refused

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(count, range(WRITERS)))
        assert ask(port, "GET", secret, "rooms/dev.md").body["content"] == f"- The number is {WRITERS * EACH}\n"


SLOW = (
    b"GET /api/health HTT",
    b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * 1000,
    (
        b"PUT /api/workspace/main/file/SOUL.md HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
    ),
    b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n",
)
"""What clients send that then wait: half a line, half of the headers, half a body; and one that never reads its stream."""


def test_clients_that_stop_in_the_middle_do_not_hinder_others(tmp_path: Path) -> None:
    with home(tmp_path) as soul, running_server(soul) as port, ExitStack() as waiting:
        secret = soul.add_token("operator").secret
        for _ in range(scaled(25, 250)):
            for sent in SLOW:
                line = waiting.enter_context(socket.create_connection((PLACE, port)))
                line.sendall(sent.replace(b"%s", secret.encode()))
        other = soul.add_token("operator").secret
        for number in range(20):
            assert ask(port, "GET", other, "SOUL.md").status == 200
            assert ask(port, "PUT", other, f"rooms/r{number}.md", "- One\n", If_None_Match="*").status == 200


def test_clients_whose_headers_never_end_do_not_hinder_others(tmp_path: Path) -> None:
    with home(tmp_path) as soul, serve(tmp_path) as port, ExitStack() as waiting:
        secret = soul.add_token("operator").secret
        lines = [waiting.enter_context(socket.create_connection((PLACE, port))) for _ in range(SLOW_HEADS)]
        for byte in HEAD:  # a byte of each at a time, and between them somebody who is not slow
            for line in lines:
                line.sendall(bytes([byte]))
            assert ask(port, "GET", secret, "SOUL.md").status == 200


def test_a_request_whose_headers_do_not_arrive_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "HEAD_SECONDS", 1.0)
    with home(tmp_path) as soul, running_server(soul) as port, ExitStack() as waiting:
        secret = soul.add_token("operator").secret
        stream = waiting.enter_context(listening(port, secret))
        silent, slow, second = (waiting.enter_context(socket.create_connection((PLACE, port), LIMIT)) for _ in range(3))
        slow.sendall(HEAD)
        second.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert second.recv(1) == b"H"
        second.sendall(HEAD)
        for line in (silent, slow, second):
            while line.recv(4096):
                pass  # what was answered before
        soul.agent().remember("The cat is called Mia")
        assert stream.event()["kind"] == "change"  # a request that arrived may take as long as it likes


def test_a_client_that_does_not_read_its_stream_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listens = server.listening

    def small(host: str, port: int, *, public: bool) -> socket.socket:
        line = listens(host, port, public=public)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # connections have it from here
        return line

    monkeypatch.setattr(server, "listening", small)
    monkeypatch.setattr(bodies, "READ_SECONDS", 0.5)
    with home(tmp_path) as soul, running_server(soul) as port, socket.socket() as line:
        secret, begun = soul.add_token("operator").secret, soul.events("now").cursor
        said = {"session": "old", "subject": "acct:owner", "time": "2026-01-04T10:00:00Z"}
        talk = ({**said, "text": f"Fact {n}"} for n in range(2000))
        soul.agent().talk.import_messages(map(json.dumps, talk))
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(LIMIT)
        line.connect((PLACE, port))
        head = f"GET /api/events?after={begun} HTTP/1.1\r\nHost: {PLACE}\r\nAuthorization: Bearer {secret}\r\n\r\n"
        line.sendall(head.encode())
        until(lambda: ended_streams(port, secret) == 1)
        data = b""
        with suppress(ConnectionResetError):
            while more := line.recv(65536):
                data += more
        assert 0 < data.count(b"event: message") < 2000


def ended_streams(port: int, secret: str) -> int:
    """How many event streams have ended."""
    with asked(port, "GET", "/metrics", secret) as answer:
        lines = answer.read().decode().splitlines()
    found = [line for line in lines if line.startswith("oldsoul_http_requests_total") and "/api/events" in line]
    return sum(int(line.split()[1]) for line in found)


def test_two_servers_on_one_home_write_and_tell_the_same(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        secret = soul.add_token("operator").secret
    with serve(tmp_path) as one, serve(tmp_path) as other, listening(one, secret) as stream:
        tag = ask(one, "PUT", secret, "rooms/dev.md", "- The number is 0\n", If_None_Match="*").tag
        for number in range(1, EACH):
            here, there = (one, other) if number % 2 else (other, one)
            made = ask(here, "PUT", secret, "rooms/dev.md", f"- The number is {number}\n", If_Match=tag)
            assert made.status == 200, made
            assert ask(there, "PUT", secret, "rooms/dev.md", "- Late\n", If_Match=tag).status == 409
            tag = made.tag
            assert ask(there, "GET", secret, "rooms/dev.md").tag == tag
        made = ask(other, "PUT", secret, "rooms/ops.md", "- The cat is called Milo\n", If_None_Match="*")
        assert made.status == 200
        while (event := stream.event())["id"] != str(made.body["change"]):
            assert event["kind"] in ("change", "message")  # what the other server wrote is told here
        question = json.dumps({"query": "what is the cat called?"}).encode()
        with asked(one, "POST", "/api/agents/main/search", secret, question, Content_Type="application/json") as answer:
            assert "Milo" in answer.read().decode()
    with home(tmp_path) as soul:
        assert len(soul.agent().files.history("rooms/dev.md", limit=1000)) == EACH


def test_a_server_that_is_killed_loses_no_acknowledged_write_and_no_event(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        secret = soul.add_token("operator").secret
        first = soul.agent().files.history(limit=1)[0].id
        acknowledged: list[int] = []
        seen: list[str] = []
        last = soul.events("now").cursor
        for turn in range(KILLS):
            with started(tmp_path) as (process, port), listening(port, secret, last) as stream:
                enough = len(acknowledged) + BEFORE

                def write(writer: int, port: int = port, turn: int = turn) -> None:
                    for number in range(10_000):
                        try:
                            path = f"rooms/r{writer}-{turn}-{number}.md"
                            made = ask(port, "PUT", secret, path, f"- Fact {number}\n", If_None_Match="*")
                        except (OSError, HTTPException, ValueError):
                            return
                        assert made.status == 200, made
                        acknowledged.append(int(str(made.body["change"])))

                with ThreadPoolExecutor(WRITERS) as pool:
                    writing = [pool.submit(write, writer) for writer in range(WRITERS)]
                    while len(acknowledged) < enough:
                        assert not any(each.done() for each in writing)
                        event = stream.event()
                        seen += [str(event["id"])] if event["state"] == "written" else []
                        last = str(event["cursor"])
                    process.send_signal(signal.SIGKILL)
        with started(tmp_path) as (process, port), listening(port, secret, last) as stream:
            changes = [change.id for change in reversed(soul.agent().files.history(limit=100_000)) if change.id > first]
            while seen[-1] != str(changes[-1]):
                event = stream.event()
                seen += [str(event["id"])] if event["state"] == "written" else []
        assert len(acknowledged) >= KILLS * BEFORE
        assert {*acknowledged} <= {*changes}
        assert seen == [str(change) for change in changes]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="which files a process has open is told on Linux alone")
def test_a_server_that_is_told_to_end_waits_for_nothing_that_takes_long(tmp_path: Path) -> None:
    with started(tmp_path) as (process, port), ExitStack() as opened:
        secret = (tmp_path / "home/state/server.token").read_text().strip()
        lock = tmp_path / "home/state/locks/main.lock"
        held = opened.enter_context(lock.open("rb"))
        fcntl.flock(held, fcntl.LOCK_EX)  # whoever writes waits for it, and longer than this test would
        line = HTTPConnection(PLACE, port, timeout=LIMIT)
        opened.callback(line.close)
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        line.request("POST", "/api/agents/main/entries", json.dumps({"text": "The cat is called Tom"}), headers)
        until(lambda: any(file.resolve() == lock for file in Path(f"/proc/{process.pid}/fd").iterdir()))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT / 2)
