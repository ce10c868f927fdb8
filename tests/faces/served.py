"""A home with the server before it, for tests: inside this process, or on a real port."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.testclient import TestClient

from oldsoul.faces.http.app import app
from oldsoul.faces.web import server
from oldsoul.testing import FrozenClock
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app import Oldsoul

SRC = Path(__file__).parents[2] / "src"
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
LIMIT = 300.0
"""Seconds after which a test that waits has failed."""
PLACE = "127.0.0.1"


@dataclass
class Served:
    """A home with the server before it."""

    soul: Oldsoul
    client: TestClient
    folder: Path

    def ask(self, method: str, path: str, secret: str | None = None, **more: Any) -> Any:
        """An answer for a token, by default the operator's; without any for an empty one."""
        headers = dict(more.pop("headers", {}))
        if secret is not None:
            headers["authorization"] = f"Bearer {secret}" if secret else ""
        return self.client.request(method, path, headers=headers, **more)

    def get(self, path: str, **more: Any) -> Any:
        return self.ask("GET", path, **more)

    def put(self, path: str, content: str, **headers: str) -> Any:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("PUT", path, json={"content": content}, headers=given)


@contextmanager
def home(tmp_path: Path, config: str = "", clock: FrozenClock | None = None) -> Iterator[Oldsoul]:
    folder = tmp_path / "home"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(f"timezone: UTC\n{config}")
    with open_home(folder, {}, clock or FrozenClock(NOON)) as soul:
        yield soul


@contextmanager
def serving(tmp_path: Path, config: str = "", **more: Any) -> Iterator[Served]:
    """The server inside this process, asked as the operator."""
    with home(tmp_path, config) as soul:
        secret = soul.add_token("operator").secret
        with TestClient(app(soul, **more), base_url=f"http://{PLACE}", follow_redirects=False) as client:
            client.headers["authorization"] = f"Bearer {secret}"
            yield Served(soul, client, tmp_path / "home/workspace/main")


@contextmanager
def running_server(soul: Oldsoul, **more: Any) -> Iterator[int]:
    """The server in a thread, on a port; when the block is left, all it began is done."""
    line = server.listening(PLACE, 0, public=False)  # from here on, connections wait in the socket
    made = server.server(lambda stopping: app(soul, stopping=stopping, **more))
    thread = threading.Thread(target=made.run, args=([line],))
    thread.start()
    try:
        yield line.getsockname()[1]
    finally:
        made.should_exit = True
        thread.join(LIMIT)
        assert not thread.is_alive()


@contextmanager
def asked(
    port: int, method: str, path: str, secret: str, body: bytes | None = None, **headers: str
) -> Iterator[http.client.HTTPResponse]:
    """The answer to a request over a real connection."""
    line = http.client.HTTPConnection(PLACE, port, timeout=LIMIT)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        line.request(method, path, body, {"Authorization": f"Bearer {secret}", **given})
        yield line.getresponse()
    finally:
        line.close()


class Listening:
    """A client of a stream that is read event by event."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.last = ""
        """the id that came last, which a browser sends when it comes again"""

    def block(self) -> dict[str, str]:
        """The next block of lines; empty at the end of the stream."""
        found: dict[str, str] = {}
        while line := self._answer.readline().decode():
            if line == "\n":
                self.last = found.get("id", self.last)
                return found
            name, _, value = line.rstrip("\n").partition(": ")
            found[name] = value
        return found

    def event(self) -> dict[str, Any]:
        """The next event; empty at the end of the stream."""
        while (found := self.block()) and "data" not in found:
            pass
        made: dict[str, Any] = json.loads(found["data"]) if found else {}
        return made


@contextmanager
def listening(port: int, secret: str, last: str = "") -> Iterator[Listening]:
    """A client of a stream, which has begun."""
    with asked(port, "GET", "/api/events", secret, Last_Event_ID=last) as answer:
        assert answer.status == 200
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        client = Listening(answer)
        while not last and "id" not in client.block():
            pass
        yield client


@contextmanager
def serve(tmp_path: Path) -> Iterator[int]:
    """`oldsoul serve` as a separate process, on a port; it ends well when it is told to."""
    with started(tmp_path) as (process, port):
        yield port
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, errors
        for line in errors.splitlines():
            assert json.loads(line)["level"] == "info", line


@contextmanager
def started(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`oldsoul serve` as a separate process, which can be reached at a port; it is killed if nobody has ended it."""
    environment = {**os.environ, "PYTHONPATH": str(SRC), "OLDSOUL_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "oldsoul", "serve", "--port", "0", "--json"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = ""
        while not said.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read() if process.stderr else ""
            said += line
        try:
            yield process, int(json.loads(said)["url"].rpartition(":")[2])
        finally:
            if process.poll() is None:
                process.kill()


def until(holds: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def status(port: int, path: str, secret: str) -> int:
    with asked(port, "GET", path, secret) as answer:
        answer.read()
        return answer.status


def code(answer: Any) -> tuple[int, str]:
    """The status of a problem, and what kind of problem it is."""
    assert answer.headers["content-type"] == "application/problem+json"
    told = json.loads(answer.content)
    assert (told["type"], told["status"]) == ("about:blank", answer.status_code)
    assert told["title"]
    assert told["detail"]
    return answer.status_code, told["code"]
