"""How many requests the proxy serves in a second: `python -m bench.proxy`, beside the model it asks, which answers at once.

The model, the proxy (`oldsoul proxy`) and the clients are processes of their own. The clients ask the model itself first,
then the proxy: chat completions, each with a message that is logged and looked up in memory.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.filling import CHUNKS, filled, resident

if TYPE_CHECKING:
    from collections.abc import Iterator

OK = 200
REPLY = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "instant",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "It is there."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


def instant() -> None:
    """Be a model that answers at once; says first on which port."""
    import uvicorn  # noqa: PLC0415 - only this process needs them
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.responses import Response  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    chunk = {**REPLY, "object": "chat.completion.chunk"}
    chunk["choices"] = [{"index": 0, "delta": {"content": "It is there."}, "finish_reason": "stop"}]
    stream = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"

    async def answer(request: object) -> Response:
        is_stream = (await request.json()).get("stream")  # type: ignore[attr-defined]
        return Response(stream, media_type="text/event-stream") if is_stream else Response(json.dumps(REPLY))

    config = uvicorn.Config(
        Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])]), port=0, log_config=None
    )
    line = config.bind_socket()
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio does not do it for this socket
    print(f"http://127.0.0.1:{line.getsockname()[1]}/v1", flush=True)
    uvicorn.Server(config).run([line])


@contextmanager
def started(*command: str, **environ: str) -> Iterator[tuple[str, int]]:
    """A process that prints the address it serves at; its address and number."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environ}) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield re.findall(r"http://\S+", line)[0], process.pid
        finally:
            process.terminate()


def asked(address: str, secret: str, clients: int, count: int) -> tuple[float, list[float]]:
    """Requests in a second, and how long each took, in milliseconds."""
    host = address.removeprefix("http://").removesuffix("/v1")

    def client(number: int) -> list[float]:
        line, took = http.client.HTTPConnection(host), []
        line.connect()
        line.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else headers and body wait for one another
        headers = {
            "Authorization": f"Bearer {secret}",
            "X-Session-Id": f"s{number}",
            "Content-Type": "application/json",
        }
        for turn in range(count // clients):
            message = {"role": "user", "content": f"what did Ann say about the piano? ({number}, {turn})"}
            begun = time.perf_counter()
            line.request("POST", "/v1/chat/completions", json.dumps({"model": "main", "messages": [message]}), headers)
            answer = line.getresponse()
            body = answer.read()
            took.append((time.perf_counter() - begun) * 1000)
            if answer.status != OK:
                raise SystemExit(f"{answer.status}: {body!r}")
        line.close()
        return took

    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        took = sorted(one for each in pool.map(client, range(clients)) for one in each)
    return len(took) / (time.perf_counter() - begun), took


def told_of(home: Path, model: str) -> None:
    """A home whose settings name the model."""
    settings = {"keepers": {"model": {"provider": "openai", "base_url": model, "model": "instant", "api_key": "none"}}}
    home.mkdir()
    (home / "config.yaml").write_text(json.dumps(settings))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--instant", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.instant:
        return instant()
    with (
        tempfile.TemporaryDirectory() as folder,
        started(sys.executable, "-m", "bench.proxy", "--instant") as (model, _),
    ):
        home = Path(folder) / "home"
        told_of(home, model)
        (secret,) = filled(home)
        command = (sys.executable, "-m", "oldsoul", "--home", str(home), "proxy", "--port", "0")
        with started(*command, PYTHONUNBUFFERED="1") as (proxy, process):
            asked(proxy, secret, 1, 5)
            print(f"{CHUNKS:,} messages in memory, {given.requests} requests each")
            for clients in (1, 4, 16):
                for name, address in (("the model alone", model), ("the proxy", proxy)):
                    rate, took = asked(address, secret, clients, given.requests)
                    p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
                    print(
                        f"{clients:3} clients, {name:16} {rate:8.1f} requests/s, p50 {p50:7.1f} ms, p99 {p99:7.1f} ms"
                    )
                print(f"    memory of the proxy: {resident(process)} MB")
    return None


if __name__ == "__main__":
    main()
