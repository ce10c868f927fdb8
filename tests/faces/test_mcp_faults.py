"""The MCP server under load and when it is killed: what it acknowledged is there, and nothing that anybody wrote is lost."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from mcp.client.client import Client

from faces.mcp_clients import call, command, environment, on_stdio, web_server
from oldsoul.values.callers import Caller
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


OPERATIONS = scaled(25, 500)
KILLS = scaled(1, 10)
AT_ONCE = 16
"""So many writes are under way when the server is killed."""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def test_two_clients_a_server_and_an_editor_write_one_file_and_nothing_is_lost(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        soul.agent().talk.append_daily_log("the day begins")
        path = soul.agent().talk.days()[0].name.path
    file = tmp_path / "workspace/main" / path
    written = [f"w{number:05}" for number in range(OPERATIONS)]
    choices = random.Random(7)  # noqa: S311 - which operation is whose
    whose = [choices.choice(("first", "second", "server", "editor")) for _ in written]

    async def write(made: Client, name: str) -> None:
        for word, who in zip(written, whose, strict=True):
            if who == name:
                await call(made, "write_memory", content=f"{name} wrote {word}", target="daily")

    async def client(mode: Any, name: str) -> None:
        async with on_stdio(tmp_path, mode=mode) as made:
            await write(made, name)

    async def web_client(url: str) -> None:
        async with Client(url) as made:
            await write(made, "server")

    def editor() -> None:
        for word, who in zip(written, whose, strict=True):
            if who == "editor":
                beside = file.with_name(".editing")
                beside.write_bytes(file.read_bytes().rstrip(b"\n") + f"\n- the editor wrote {word}\n".encode())
                beside.replace(file)

    async def all_of_them(url: str) -> None:
        clients = client("auto", "first"), client("legacy", "second"), web_client(url)
        await asyncio.gather(*clients, asyncio.to_thread(editor))

    own = Caller.agent("server", session=Session.dm())
    with open_home(tmp_path, {}) as soul, web_server(soul, lambda _: own) as url:
        asyncio.run(all_of_them(url))
    with open_home(tmp_path, {}) as soul:
        text = (soul.agent().files.show(path).data or b"").decode()
    lost = [(word, who) for word, who in zip(written, whose, strict=True) if text.count(f"wrote {word}") != 1]
    assert not lost


@contextmanager
def server(home: Path) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """A server process, and the pipes to it and from it."""
    with subprocess.Popen(
        command(home), env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield process, process.stdin, process.stdout
        finally:
            process.kill()


def send(pipe: IO[bytes], method: str, params: dict[str, Any], number: int | None = None) -> None:
    request = {"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}
    pipe.write(json.dumps(request).encode() + b"\n")


def test_every_write_that_was_acknowledged_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    choices = random.Random(11)  # noqa: S311 - when it is killed
    acknowledged: set[str] = set()
    for kill in range(KILLS):
        with server(tmp_path) as (process, into, out):
            send(into, "initialize", HELLO, 0)
            into.flush()
            assert b"serverInfo" in out.readline()
            send(into, "notifications/initialized", {})
            words = [f"k{kill:03}n{number:02}" for number in range(AT_ONCE)]
            for number, word in enumerate(words, 1):
                given = {"content": f"the word is {word}", "target": "daily"}
                send(into, "tools/call", {"name": "write_memory", "arguments": given}, number)
            into.flush()
            wanted = choices.randrange(AT_ONCE - 4)
            for line in out:
                answer = json.loads(line)
                assert not answer["result"]["isError"]
                acknowledged.add(words[answer["id"] - 1])
                if wanted == 0:
                    os.kill(process.pid, signal.SIGKILL)  # what it said before can still be read
                wanted -= 1
    with open_home(tmp_path, {}) as soul:
        days = [soul.agent().files.show(day.name.path).data or b"" for day in soul.agent().talk.days()]
        text = b"\n".join(days).decode()
        assert not soul.agent().review.proposals()
    assert len(acknowledged) >= KILLS
    assert not [word for word in acknowledged if text.count(word) != 1]


def test_a_server_ends_when_its_client_hangs_up_or_it_is_told_to(tmp_path: Path) -> None:
    for end in ("hang up", "SIGTERM", "SIGINT"):
        with server(tmp_path) as (process, into, out):
            send(into, "initialize", HELLO, 0)
            into.flush()
            assert b"serverInfo" in out.readline()
            if end == "hang up":
                into.close()
            else:
                process.send_signal(getattr(signal, end))
            code = process.wait(300)
            assert code == {"hang up": 0, "SIGTERM": -signal.SIGTERM, "SIGINT": -signal.SIGINT}[end]
