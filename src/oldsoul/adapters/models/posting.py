"""One request over HTTP that is over in time: bounded in seconds and in bytes, however the other side behaves."""

from __future__ import annotations

import re
import socket
import threading
import time
import zlib
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from oldsoul.errors import Unavailable

if TYPE_CHECKING:
    from types import TracebackType

    import httpx2

    from oldsoul.adapters.embedders.access import Access

LARGEST = 8 * 2**20
"""Bytes an answer may have."""
_LONGEST_CONNECT = 10.0
_GZIP_OR_ZLIB = 47


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: bytes
    retry_after: float | None
    """how many seconds we are asked to wait"""


class Passing(Exception):
    """A failure that may be over at the next try."""

    def __init__(self, message: str, *, retry_after: float | None = None, slow: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.slow = slow


class Line:
    """The way to one service. Each request has a connection of its own, so that it can be hung up.

    Redirects are not followed, so that a key never travels to another host. The proxy of the environment is used, but
    not on the way to this machine itself.
    """

    def __init__(self, access: Access, who: str, largest: int = LARGEST) -> None:
        self._access, self._who, self._largest = access, who, largest
        self._client: httpx2.Client | None = None
        self._guard = threading.Lock()

    def post(self, body: bytes, give_up: float) -> Answer:
        """The answer to a request; `Passing` or `Unavailable` when there is none by `give_up`, a time of the monotonic clock."""
        http = _http(self._who)
        client = self._connected(http)
        left = give_up - time.monotonic()
        if left <= 0:
            raise Passing("did not answer in time", slow=True)
        timeout = http.Timeout(left, connect=min(left, _LONGEST_CONNECT))
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"} | dict(self._access.headers)
        with _Watch(left) as watch:
            try:
                answer = self._posted(
                    client, content=body, headers=headers, timeout=timeout, extensions=watch.extensions
                )
            except http.ConnectTimeout:
                raise Passing("cannot be reached in time") from None
            except http.TimeoutException:
                raise Passing("did not answer in time", slow=True) from None
            except http.RequestError as error:
                if watch.is_over:
                    raise Passing("did not answer in time", slow=True) from None
                raise Passing(f"does not answer: {self._access.shown(str(error)) or type(error).__name__}") from None
            except (http.InvalidURL, UnicodeError) as error:
                raise Unavailable(f"{self._who} cannot be reached: {self._access.shown(str(error))}") from None
            if watch.is_over:  # what came until then may look like a whole answer
                raise Passing("did not answer in time", slow=True)
            return answer

    def close(self) -> None:
        """Let go of the connections."""
        with self._guard:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _posted(self, client: httpx2.Client, **request: Any) -> Answer:
        taken = bytearray()
        with client.stream("POST", self._access.url, **request) as response:
            for part in response.iter_raw():
                taken += part
                if len(taken) > self._largest:
                    raise self._too_large()
            packed = response.headers.get("content-encoding", "").strip().lower()
            body = self._unpacked(bytes(taken), packed) if packed not in ("", "identity") else bytes(taken)
            return Answer(response.status_code, body, _seconds(response.headers.get("retry-after", "")))

    def _unpacked(self, body: bytes, packed: str) -> bytes:
        """What was packed though we asked for it not to be; never more of it than an answer may have."""
        if packed not in ("gzip", "x-gzip", "deflate"):
            raise Unavailable(f"{self._who} packs its answers in a way nobody asked for")
        unpacking = zlib.decompressobj(_GZIP_OR_ZLIB)
        try:
            whole = unpacking.decompress(body, self._largest + 1)
        except zlib.error:
            raise Unavailable(f"{self._who} gave an answer that cannot be unpacked") from None
        if len(whole) > self._largest:
            raise self._too_large()
        return whole

    def _too_large(self) -> Unavailable:
        return Unavailable(f"{self._who} gave an answer of more than {self._largest} bytes")

    def _connected(self, http: Any) -> httpx2.Client:
        with self._guard:
            if self._client is None:
                try:
                    self._client = http.Client(
                        auth=self._access.login,
                        trust_env=not self._access.local,
                        limits=http.Limits(max_keepalive_connections=0),
                    )
                except (ImportError, OSError, ValueError, http.InvalidURL) as error:  # a proxy or certificates
                    raise Unavailable(f"{self._who} cannot be reached: {self._access.shown(str(error))}") from None
            return self._client


class _Watch:
    """Hangs up when the time is over: a time-out of the client is for one read, and there may be many.

    It has its own handle of the connection, so that it ends whatever is done with it, encrypted or not.
    """

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self.extensions = {"trace": self._told}
        self._lines: list[socket.socket] = []
        self._guard = threading.Lock()
        self._timer = threading.Timer(seconds, self._hang_up)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._guard:
            for line in self._lines:
                line.close()
            self._lines.clear()

    def _told(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith("connect_tcp.complete"):
            line = info["return_value"].get_extra_info("socket").dup()
            with self._guard:
                self._lines.append(line)
            if self.is_over:
                self._hang_up()

    def _hang_up(self) -> None:
        self.is_over = True
        with self._guard:
            for line in self._lines:
                try:
                    line.shutdown(socket.SHUT_RDWR)
                except OSError:  # the other side was faster
                    continue


def _http(who: str) -> Any:
    try:
        return import_module("httpx2")
    except ImportError as error:
        raise Unavailable(f"{who} needs httpx2 ({error}); pip install 'oldsoul[remote]'") from None


def _seconds(retry_after: str) -> float | None:
    """How long a service asks to wait; None when it does not say so, or not in a way that can be understood."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", retry_after.strip()):
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
