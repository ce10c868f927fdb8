"""How much `oldsoul serve` serves: `python bench/server.py`, with many clients on this machine, beside an endpoint that does nothing.

Server and clients are processes of their own. Each kind of request is sent by 32 clients at once: search and context over
10,000 messages, PUT to a file of each client's own, and `GET /`, which returns a constant. At the end, how much memory the
server has, before and after; with `--requests 100000` that says whether it grows.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable

    Send = Callable[[http.client.HTTPConnection, dict[str, str], int, int], http.client.HTTPResponse]

CHUNKS, OK, TOO_MANY = 10_000, 200, 429
THINGS = ("garden", "server", "boiler", "budget", "piano", "bicycle", "contract", "kitchen", "harbour", "tower")


def filled(home: Path, clients: int) -> list[str]:
    """A home with memories; gives a token for each client, since requests are limited by token."""
    with open_home(home, {}) as soul:
        lines = (
            json.dumps(
                {
                    "session": f"old-{n // 50}",
                    "subject": "acct:owner",
                    "text": f"Ann says the {THINGS[n % 10]} needs part {n} by May",
                    "time": "2026-01-04T10:00:00Z",
                }
            )
            for n in range(CHUNKS)
        )
        soul.agent().import_messages(lines)
        soul.agent().sync_index()
        return [soul.add_token("operator").secret for _ in range(clients)]


def _post(path: str, name: str) -> Send:
    def send(
        line: http.client.HTTPConnection, headers: dict[str, str], client: int, turn: int
    ) -> http.client.HTTPResponse:
        body = json.dumps({name: f"what did Ann say about the {THINGS[(client + turn) % 10]}? ({turn})"})
        line.request("POST", f"/api/agents/main/{path}", body, headers)
        return line.getresponse()

    return send


def _constant(
    line: http.client.HTTPConnection, headers: dict[str, str], _client: int, _turn: int
) -> http.client.HTTPResponse:
    line.request("GET", "/", headers=headers)
    return line.getresponse()


def _put(line: http.client.HTTPConnection, headers: dict[str, str], client: int, turn: int) -> http.client.HTTPResponse:
    path = f"/api/workspace/main/file/rooms/bench-{client}-{turn}-{time.time_ns()}.md"
    line.request("PUT", path, json.dumps({"content": f"- Fact {turn}\n"}), {**headers, "If-None-Match": "*"})
    return line.getresponse()


KINDS: dict[str, Send] = {
    "GET /, a constant": _constant,
    "search": _post("search", "query"),
    "context": _post("context", "message"),
    "PUT a file": _put,
}


def _clients(job: tuple[str, int, list[str], int]) -> list[float]:
    """How long each request of some clients took, in milliseconds."""
    kind, port, secrets, each = job

    def client(number: int) -> list[float]:
        line, took = http.client.HTTPConnection("127.0.0.1", port), []
        headers = {"Authorization": f"Bearer {secrets[number]}", "Content-Type": "application/json"}
        line.connect()
        line.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for turn in range(each):
            while True:
                begun = time.perf_counter()
                answer = KINDS[kind](line, headers, number, turn)
                body = answer.read()
                if answer.status != TOO_MANY:
                    break
                time.sleep(0.05)  # the rate that one token is allowed
            if answer.status != OK:
                raise SystemExit(f"{kind}: {answer.status}: {body!r}")
            took.append((time.perf_counter() - begun) * 1000)
        line.close()
        return took

    with ThreadPoolExecutor(len(secrets)) as pool:
        return [one for took in pool.map(client, range(len(secrets))) for one in took]


def resident(process: int) -> int:
    """How many megabytes a process has in memory."""
    (found,) = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found) // 1024


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=640, help="how many of each kind")
    parser.add_argument("--clients", type=int, default=32)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        secrets = filled(Path(folder), given.clients)
        command = (sys.executable, "-m", "oldsoul", "--home", folder, "serve", "--port", "0")
        with (
            Path(folder, "log").open("w") as errors,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ) as server,
        ):
            line = server.stdout.readline() if server.stdout else ""
            port = int(re.findall(r":(\d+)/", line)[0])
            print(f"{CHUNKS:,} messages in memory, {given.clients} clients, {given.requests} requests of each kind")
            with multiprocessing.Pool(1) as pool:
                each = max(given.requests // given.clients, 1)
                for kind in KINDS:
                    pool.apply(_clients, [(kind, port, secrets[:2], 3)])
                    before, begun = resident(server.pid), time.perf_counter()
                    took = sorted(pool.apply(_clients, [(kind, port, secrets, each)]))
                    rate = len(took) / (time.perf_counter() - begun)
                    p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
                    memory = f"{before} → {resident(server.pid)} MB"
                    print(f"{kind:18} {rate:8.1f} requests/s, p50 {p50:7.1f} ms, p99 {p99:7.1f} ms, memory {memory}")
            server.terminate()


if __name__ == "__main__":
    main()
