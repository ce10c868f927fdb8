"""How much `oldsoul serve` serves: `python -m bench.server`, with many clients on this machine, beside an endpoint that does nothing.

Server and clients are processes of their own. Each kind of request is sent by 32 clients at once: search and context over
10,000 messages, PUT to a file of each client's own, and `GET /`, which returns a constant. Beside it stands how much memory
the server has after each tenth of the requests; with `--requests 100000` that says whether it grows.
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

from bench.filling import CHUNKS, THINGS, filled, resident

if TYPE_CHECKING:
    from collections.abc import Callable

    Send = Callable[[http.client.HTTPConnection, dict[str, str], int, int], http.client.HTTPResponse]

OK, TOO_MANY, PARTS = 200, 429, 10
TAGS: dict[str, str] = {}
"""In the process of the clients: the tag of each file that was put."""


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
    path = f"/api/workspace/main/file/rooms/bench-{client}.md"
    content = {"content": f"- Fact {turn} at {time.time_ns()}\n"}
    tag = {"If-Match": TAGS[path]} if path in TAGS else {"If-None-Match": "*"}
    line.request("PUT", path, json.dumps(content), {**headers, **tag})
    answer = line.getresponse()
    TAGS[path] = answer.headers.get("ETag", tag.get("If-Match", ""))
    return answer


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


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--requests", type=int, default=3840, help="how many: half of them GET /, a sixth of each other"
    )
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
            print(f"{CHUNKS:,} messages in memory, {given.clients} clients, {given.requests:,} requests", flush=True)
            with multiprocessing.Pool(1) as pool:
                for kind, send in KINDS.items():
                    share = given.requests // (2 if send is _constant else 6)
                    each = max(round(share / given.clients / PARTS), 1)
                    pool.apply(_clients, [(kind, port, secrets[:2], 3)])
                    took, seconds, memory = list[float](), 0.0, [resident(server.pid)]
                    for _ in range(PARTS):
                        begun = time.perf_counter()
                        took += pool.apply(_clients, [(kind, port, secrets, each)])
                        seconds += time.perf_counter() - begun
                        memory.append(resident(server.pid))
                    took.sort()
                    p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
                    print(
                        f"{kind:18} {len(took):7,}, {len(took) / seconds:8.1f} requests/s, p50 {p50:7.1f} ms, p99 {p99:7.1f} ms"
                    )
                    print(f"{'':18} memory: {' '.join(map(str, memory))} MB", flush=True)
            server.terminate()


if __name__ == "__main__":
    main()
