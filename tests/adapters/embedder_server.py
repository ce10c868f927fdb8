"""A server on this machine that speaks as the embedding services do, and misbehaves when a test says so."""

from __future__ import annotations

import hashlib
import json
import socket
import struct
import threading
from collections import deque
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

WIDTH = 8


def vector_of(text: str, width: int = WIDTH) -> list[float]:
    """The vector every imitated model gives a text: long, so that making it of length one is up to us."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")
    return [float(each) for each in 3 * np.random.default_rng(seed).standard_normal(width)]


def expected(texts: Sequence[str], width: int = WIDTH) -> NDArray[np.float64]:
    rows = np.array([vector_of(text, width) for text in texts]).reshape(len(texts), width)
    found: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


class Seen(NamedTuple):
    """A request."""

    path: str
    headers: dict[str, str]
    body: Any
    texts: list[str]


class Handler(BaseHTTPRequestHandler):
    """Answers one request: as the script says, or as the service would."""

    server: Server
    seen: Seen

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = body.get("input") or [each["content"]["parts"][0]["text"] for each in body["requests"]]
        self.seen = Seen(self.path, {name.lower(): value for name, value in self.headers.items()}, body, texts)
        with self.server.guard:
            self.server.seen.append(self.seen)
            step = self.server.script.popleft() if self.server.script else answer
        step(self)

    def send(self, status: int, body: Any = b"", **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """The server, what it was asked, and what it is to do next."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.guard = threading.Lock()
        self.seen: list[Seen] = []
        self.width = WIDTH  # of vectors where nobody asks for a length
        self.script: deque[Callable[[Handler], None]] = deque()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def server_bind(self) -> None:
        """Take a free port. The original asks for the host's name too, which may wait for a name server."""
        TCPServer.server_bind(self)

    @property
    def texts(self) -> list[str]:
        """All texts that came, in order."""
        return [text for each in self.seen for text in each.texts]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about."""


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# What a step can be.


def form(path: str, vectors: list[list[float]]) -> dict[str, Any]:
    """An answer in the form of the service whose path this is."""
    if path.endswith("/api/embed"):
        return {"embeddings": vectors}
    if path.endswith(":batchEmbedContents"):
        return {"embeddings": [{"values": each} for each in vectors]}
    data = [{"object": "embedding", "index": number, "embedding": each} for number, each in enumerate(vectors)]
    return {"object": "list", "data": data[::-1]}


def answer(handler: Handler) -> None:
    """As the service would: OpenAI and Voyage number their vectors, here from the last to the first."""
    vectors = [vector_of(text, handler.server.width) for text in handler.seen.texts]
    handler.send(200, form(handler.seen.path, vectors))


def saying(status: int, body: Any = b"", **headers: str) -> Callable[[Handler], None]:
    return lambda handler: handler.send(status, body, **headers)


def giving(vectors: list[list[float]]) -> Callable[[Handler], None]:
    return lambda handler: handler.send(200, form(handler.seen.path, vectors))


def reset(handler: Handler) -> None:
    """Break off in the middle of the answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.shutdown(socket.SHUT_RDWR)


def waiting(event: threading.Event) -> Callable[[Handler], None]:
    """Answer once the test says so; it does when it is over."""

    def step(handler: Handler) -> None:
        event.wait(300)
        answer(handler)

    return step


def dripping(event: threading.Event) -> Callable[[Handler], None]:
    """Send a blank now and then, until the client or the test has enough."""

    def step(handler: Handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(2000):
            if event.wait(0.01):
                break
            handler.wfile.write(b" ")
            handler.wfile.flush()

    return step
