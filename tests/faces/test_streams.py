"""Events over HTTP, and the server as a process: streams that resume, idle ones, those that break off, and stopping."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import httpx2
import pytest

from faces.served import (
    LIMIT,
    PLACE,
    SRC,
    asked,
    code,
    home,
    listening,
    running_server,
    serve,
    serving,
    status,
    until,
)
from oldsoul.faces.http.app import api
from oldsoul.faces.web import server
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from scale import scaled

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Oldsoul

STREAMS = scaled(100, 1000)
FILES = "/api/workspace/main/files"


def streams(port: int, secret: str) -> int:
    """How many streams the server says are open."""
    with asked(port, "GET", "/metrics", secret) as answer:
        lines = answer.read().decode().splitlines()
    return int(next(line for line in lines if line.startswith("oldsoul_event_streams ")).split()[1])


def test_a_stream_tells_what_happens_and_resumes_without_gap_or_repeat(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        secret, agent, seen = soul.add_token("operator").secret, soul.agent(), list[str]()
        wanted, last = list[str](), ""
        for turn in range(4):  # the server is started anew each time
            with running_server(soul) as port, listening(port, secret, last) as client:
                for number in range(5):
                    wanted.append(str(agent.remember(f"Fact {turn} {number}: {number * 17}").change))
                while wanted[-1] not in seen:
                    event = client.event()
                    assert (event["kind"], event["agent"], event["state"]) == ("change", "main", "written")
                    assert event["cursor"] == client.last
                    seen.append(event["id"])
                last = client.last
            wanted.append(str(agent.remember(f"While nobody listened, turn {turn}").change))
        with running_server(soul) as port, listening(port, secret, last) as client:
            seen.append(client.event()["id"])
        assert seen == wanted


def message_of(port: int, secret: str, named: str) -> str:
    """The words of the message that an event names, for the same token."""
    with asked(port, "GET", f"/api/agents/main/messages/{named}", secret) as answer:
        return str(json.loads(answer.read())["text"])


def test_a_stream_tells_only_what_its_token_may_know(tmp_path: Path) -> None:
    with home(tmp_path, "agents: {list: [{id: main}, {id: scout}]}\n") as soul, running_server(soul) as port:
        ann = soul.add_token("agent", person="acct:ann").secret
        scout = soul.add_token("operator", agent="scout").secret
        with listening(port, ann) as hers, listening(port, scout) as its:
            soul.agent("main").remember("The safe is behind the picture")
            soul.agent("scout").remember("The lighthouse is white")
            told = soul.agent("main").hear("hello", session=Session.dm("acct:ann")).message
            event = hers.event()
            assert (event["kind"], event["agent"]) == ("message", "main")
            assert message_of(port, ann, event["id"]) == told.text
            event = its.event()
            assert (event["kind"], event["agent"]) == ("change", "scout")


def test_a_cursor_that_is_none_or_too_old_is_told_before_the_stream_begins(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert code(served.get("/api/events?after=nonsense")) == (400, "bad_input")
        assert code(served.get("/api/events", headers={"last-event-id": "0" * 16 + "-1"})) == (410, "gone")


def test_connections_send_the_end_of_an_answer_at_once() -> None:
    with (
        server.listening(PLACE, 0, public=False) as line,
        socket.create_connection(line.getsockname(), LIMIT),
        line.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_stream_of_a_token_that_was_revoked_ends(tmp_path: Path) -> None:
    with home(tmp_path) as soul, running_server(soul) as port:
        made = soul.add_token("operator")
        with listening(port, made.secret) as client:
            soul.revoke_token(made.token.id)
            assert client.event() == {}


def test_a_stream_whose_client_is_gone_or_half_closed_is_noticed(tmp_path: Path) -> None:
    with home(tmp_path) as soul, running_server(soul) as port:
        secret = soul.add_token("operator").secret
        head = f"GET /api/events HTTP/1.1\r\nHost: {PLACE}\r\nAuthorization: Bearer {secret}\r\n\r\n".encode()
        lines = [socket.create_connection((PLACE, port), LIMIT) for _ in range(4)]
        for line in lines:
            line.sendall(head)
        until(lambda: streams(port, secret) == 4)
        lines[0].shutdown(socket.SHUT_WR)
        lines[1].close()
        until(lambda: streams(port, secret) == 2)
        for line in lines:
            line.close()
        until(lambda: streams(port, secret) == 0)


def test_a_server_that_stops_ends_its_streams(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        secret = soul.add_token("operator").secret
        with running_server(soul) as port:
            line = socket.create_connection((PLACE, port), LIMIT)
            line.sendall(
                f"GET /api/events HTTP/1.1\r\nHost: {PLACE}\r\nAuthorization: Bearer {secret}\r\n\r\n".encode()
            )
            until(lambda: streams(port, secret) == 1)
        with line:
            while line.recv(4096):
                pass


MANY = """
import resource, socket, sys
port, number, *secrets = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
head = "GET /api/events HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAuthorization: Bearer "
lines = []
for place in range(number):
    line = socket.create_connection(("127.0.0.1", port), 60)
    line.sendall(f"{head}{secrets[place % len(secrets)]}\\r\\n\\r\\n".encode())
    lines.append(line)

def told(line, mark):
    data = b""
    while mark not in data:
        more = line.recv(65536)
        assert more, data
        data += more

for line in lines:
    told(line, b"id: ")
print("open", flush=True)
sys.stdin.readline()
for line in lines:
    told(line, b"event: change")
print("told", flush=True)
sys.stdin.readline()
"""


def many_tokens(soul: Oldsoul) -> list[str]:
    """So many tokens that none of them asks too often."""
    return [soul.add_token("operator").secret for _ in range(1 + STREAMS // 250)]


def test_many_idle_streams_do_not_hinder_others(tmp_path: Path) -> None:
    with (
        home(tmp_path) as soul,
        serve(tmp_path) as port,
        subprocess.Popen(
            [sys.executable, "-c", MANY, str(port), str(STREAMS), *many_tokens(soul)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as client,
    ):
        assert client.stdin is not None
        assert client.stdout is not None
        assert client.stdout.readline() == "open\n"
        secret = soul.add_token("operator").secret
        assert streams(port, secret) == STREAMS
        for _ in range(20):
            assert status(port, FILES, secret) == 200
        soul.agent().remember("The cat is called Mia")
        client.stdin.write("\n")
        client.stdin.flush()
        assert client.stdout.readline() == "told\n"
        assert status(port, FILES, secret) == 200
        client.stdin.write("\n")
        client.stdin.flush()
        assert client.wait(LIMIT) == 0


def test_serve_keeps_the_index_true_and_lets_a_browser_in(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    with serve(tmp_path) as port:
        secret = (folder / "state/server.token").read_text().strip()
        base = f"http://{PLACE}:{port}"
        with httpx2.Client(base_url=base, headers={"authorization": f"Bearer {secret}"}, timeout=LIMIT) as client:
            link = client.post("/api/login-links").json()["url"]
            assert link.startswith(base)
            given = {"code": link.partition("code=")[2]}
            assert httpx2.post(f"{base}/api/login/code", json=given, timeout=LIMIT).json()["key"]
            assert client.get("/api/health").json()["status"] == "ok"
            assert [each["id"] for each in client.get("/v1/models").json()["data"]] == ["main"]
            with listening(port, secret) as stream:
                (folder / "workspace/main/MEMORY.md").write_text("# Memory\n\n- The cat is called Mia\n")
                assert stream.event()["kind"] == "change"  # nobody asked for the file: it was watched


def test_boot_md_is_handed_over_once_when_the_server_starts(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        soul.agent().files.put("BOOT.md", b"Say hello to everybody.\n")
        with serve(tmp_path):
            pass
        assert [message.text for message in soul.agent().talk.messages(Wanted())] == ["Say hello to everybody."]


def test_the_openapi_document_is_printed_without_a_server(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SRC), "OLDSOUL_HOME": str(tmp_path / "none")}
    done = subprocess.run(
        [sys.executable, "-m", "oldsoul", "openapi"], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(api().openapi()))
    assert not (tmp_path / "none").exists()


def test_the_openapi_document_declares_problems_and_tokens_everywhere() -> None:
    document = api().openapi()
    assert document["openapi"].startswith("3.1")
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["operationId"], path
            assert operation["description"], (method, path)
            told = operation["responses"]["422"]["content"]
            assert list(told) == ["application/problem+json"]
            assert bool(operation.get("security")) == (path != "/api/login/code"), path
    names = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(names) == len({*names})
    assert "HTTPValidationError" not in document["components"]["schemas"]


@pytest.mark.parametrize("role", ["operator", "reader"])
def test_the_proxy_is_part_of_the_server(tmp_path: Path, role: str) -> None:
    with serving(tmp_path) as served:
        secret = served.soul.add_token(role, person="acct:owner").secret
        body = {"model": "main", "messages": [{"role": "user", "content": "hello"}]}
        answer = served.ask("POST", "/v1/chat/completions", secret, json=body)
        assert answer.json()["choices"][0]["message"]["content"]
        assert served.ask("POST", "/v1/chat/completions", secret, content=b"[").json()["error"]["type"]
