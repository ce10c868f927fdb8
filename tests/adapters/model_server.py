"""A server on this machine that speaks as language model services do, and sends any bytes when a test says so."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Step = Callable[["Connection"], None]

GOOD = '{"colour": "red"}'


class Seen(NamedTuple):
    """A request."""

    path: str
    headers: dict[str, str]
    body: Any


class Connection(NamedTuple):
    """One connection with its request."""

    line: socket.socket
    seen: Seen
    over: threading.Event
    """set when the test is over"""


class Server:
    """The server, what it was asked, and what it is to do next; without a script it answers well."""

    def __init__(self, *, spoken: bool = True) -> None:
        self._spoken = spoken
        self.seen: list[Seen] = []
        self.script: deque[Step] = deque()
        self.over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._guard = threading.Lock()
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def run(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._socket.accept()
                thread = threading.Thread(target=self._serve, args=(line,))
                thread.start()
                self._threads.append(thread)

    def close(self) -> None:
        self.over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()

    def _serve(self, line: socket.socket) -> None:
        with line, suppress(OSError, ValueError, LookupError):
            seen = _request(line) if self._spoken else Seen("", {}, None)
            with self._guard:
                self.seen.append(seen)
                step = self.script.popleft() if self.script else well
            step(Connection(line, seen, self.over))


def _request(line: socket.socket) -> Seen:
    data = b""
    while b"\r\n\r\n" not in data:
        data += line.recv(65536) or _gone()
    head, _, body = data.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)}
    while len(body) < int(headers["content-length"]):
        body += line.recv(65536) or _gone()
    return Seen(first.split()[1], headers, json.loads(body))


def _gone() -> bytes:
    raise ValueError("the client went away")


@contextmanager
def serving(*, spoken: bool = True) -> Iterator[Server]:
    """A server; one that is not spoken to does what it does without hearing a request."""
    server = Server(spoken=spoken)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


# What a step can be.


def raw(data: bytes) -> Step:
    """These bytes, then the end."""
    return lambda there: there.line.sendall(data)


def saying(status: int, body: Any = b"", **headers: str) -> Step:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [f"HTTP/1.1 {status} Some words", f"Content-Length: {len(data)}"]
    head += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return raw("\r\n".join([*head, "", ""]).encode("latin-1") + data)


def well(there: Connection) -> None:
    """As the service would."""
    answering()(there)


def answering(text: Any = GOOD, **more: Any) -> Step:
    """An answer with this text, in the form of the service that was asked; `more` takes the place of its parts."""

    def step(there: Connection) -> None:
        if there.seen.path.endswith("/messages"):
            blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
            if "tools" in there.seen.body:
                blocks = [{"type": "tool_use", "name": "answer", "input": json.loads(text)}]
            whole: dict[str, Any] = {
                "model": "claude-imitated",
                "content": blocks,
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 100},
            }
        else:
            message = {"role": "assistant", "content": text} | more.pop("message", {})
            choice = {"index": 0, "message": message, "finish_reason": more.pop("finish_reason", "stop")}
            whole = {
                "model": "imitated-1",
                "choices": [choice],
                "usage": {"prompt_tokens": 11, "completion_tokens": 3},
            }
        saying(200, whole | more)(there)

    return step


def unknown(*words: str) -> Step:
    """Refuse requests that have these words in them, as servers do that do not know them."""

    def step(there: Connection) -> None:
        found = next((word for word in words if word in json.dumps(there.seen.body)), "")
        if found:
            saying(400, {"error": {"message": f"Unsupported parameter: {found}"}})(there)
        else:
            well(there)

    return step


def reset(there: Connection) -> None:
    """Break off in the middle of the answer."""
    there.line.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"choices": [')
    there.line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def silent(there: Connection) -> None:
    """Say nothing until the test is over."""
    there.over.wait(300)


def dripping(head: bytes, drop: bytes) -> Step:
    """Send a little now and then, until the client or the test has enough."""

    def step(there: Connection) -> None:
        there.line.sendall(head)
        while not there.over.wait(0.02):
            there.line.sendall(drop)

    return step
