"""Requests over HTTP that are over in time: bounded in seconds, in bytes and in tries, however the other side behaves."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from oldsoul.errors import Unavailable
from oldsoul.plugins import imported
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    import httpx2


LARGEST = 8 * 2**20
"""Bytes an answer may have."""
TRIES = 4
REDIRECTS = 300
_ERRORS, _TOO_MANY, _SERVER_ERRORS = 400, 429, 500
"""From which status on, or by which, an answer is what."""
_FIRST_WAIT = 0.5
_LONGEST_CONNECT = 10.0
_TOLD = 300
_SHORTEST = 8
"""A secret of so many letters is recognised by its first four: services like to quote a key in part."""
_T = TypeVar("_T")
_GZIP_OR_ZLIB = 47


@frozen
class ServiceEndpoint:
    """Where a service is and what it is sent to let us in."""

    url: str
    """where requests go; no name and no password in it"""
    place: str
    """the base URL as it may be shown"""
    local: bool
    """whether it is on this machine"""
    headers: tuple[tuple[str, str], ...]
    """what is sent with every request"""
    login: tuple[str, str] | None
    """name and password, when the base URL has them"""
    secrets: tuple[str, ...]
    """what must not be shown"""

    def __repr__(self) -> str:
        return f"Access({self.place})"

    def shown(self, text: str) -> str:
        """A message of the service as it may be shown: on one line, not too long, without secrets."""
        for secret in self.secrets:
            text = text.replace(secret, "…")
            if len(secret) >= _SHORTEST:
                text = re.sub(rf"{re.escape(secret[:4])}\S*", "…", text)
        text = " ".join(text.split())
        return text if len(text) <= _TOLD else f"{text[: _TOLD - 1]}…"


class ServiceResponse(NamedTuple):
    """What came back."""

    status: int
    body: bytes
    retry_after: float | None
    """how many seconds we are asked to wait"""

    @property
    def complaint(self) -> str:
        """What the service says is wrong, in its own words."""
        return complaint(parsed(self.body)) or self.body[:4000].decode("utf-8", "replace")


class TransientError(Exception):
    """A failure that may be over at the next try."""

    def __init__(self, message: str, *, retry_after: float | None = None, slow: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.slow = slow
        self.asked_to_wait = 0.0
        """how many seconds we were asked to wait, where that was too long"""

    def __str__(self) -> str:
        again = f" (it asks us to wait {self.asked_to_wait:.0f} s)" if self.asked_to_wait else ""
        return f"{super().__str__()}{again}"


def tried(
    attempt: Callable[[], _T], sleep: Callable[[float], None], longest: Callable[[], float], *, patient: bool
) -> _T:
    """What an attempt gives, made again after a passing failure: a few times, and never after longer than the longest wait.

    One that took too long is made again for those who are patient. The last failure is raised.
    """
    for number in range(1, TRIES + 1):
        try:
            return attempt()
        except TransientError as failure:
            pause = _FIRST_WAIT * 2 ** (number - 1) if failure.retry_after is None else failure.retry_after
            too_long = pause > longest()
            if number == TRIES or too_long or (failure.slow and not patient):
                failure.asked_to_wait = failure.retry_after or 0.0 if too_long else 0.0
                raise
        sleep(pause)
    raise AssertionError("the last try returns or raises")


class ServiceClient:
    """The way to one service. Each request has its own connection, so that it can be hung up.

    Redirects are not followed, so that a key never travels to another host. The proxy of the environment is used, but
    not on the way to this machine itself.
    """

    def __init__(self, access: ServiceEndpoint, who: str, largest: int = LARGEST) -> None:
        self._access, self._who, self._largest = access, who, largest
        self._client: httpx2.Client | None = None
        self._guard = threading.Lock()

    def post(self, body: bytes, give_up: float) -> ServiceResponse:
        """The answer to a request; `TransientError` or `Unavailable` when there is none by `give_up`, a time of the monotonic clock."""
        with self._opened(body, give_up) as response:
            return self._answer(response)

    def stream(self, body: bytes, give_up: float, judged: Callable[[ServiceResponse], object]) -> Iterator[bytes]:
        """What comes back, as it comes. A bad answer is read to its end and given to `judged`, which raises."""
        with self._opened(body, give_up) as response:
            if response.status_code >= REDIRECTS:
                judged(self._answer(response))
            if response.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
                raise Unavailable(f"{self._who} sent its answer in an encoding that was not asked for")
            yield from response.iter_raw()

    @contextmanager
    def _opened(self, body: bytes, give_up: float) -> Iterator[httpx2.Response]:
        http, client = self.prepare()
        left = give_up - time.monotonic()
        if left <= 0:
            raise TransientError("did not answer in time", slow=True)
        timeout = http.Timeout(left, connect=min(left, _LONGEST_CONNECT))
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"} | dict(self._access.headers)
        with _Watch(left) as watch:
            sent = {"content": body, "headers": headers, "timeout": timeout, "extensions": watch.extensions}
            try:
                with client.stream("POST", self._access.url, **sent) as response:
                    yield response
            except http.ConnectTimeout:
                raise TransientError("could not be reached in time") from None
            except http.TimeoutException:
                raise TransientError("did not answer in time", slow=True) from None
            except http.RequestError as error:
                if watch.is_over:
                    raise TransientError("did not answer in time", slow=True) from None
                raise TransientError(
                    f"does not answer: {self._access.shown(str(error)) or type(error).__name__}"
                ) from None
            except (http.InvalidURL, UnicodeError) as error:
                raise Unavailable(f"{self._who} cannot be reached: {self._access.shown(str(error))}") from None
            if watch.is_over:  # what came until then may look like a whole answer
                raise TransientError("did not answer in time", slow=True)

    def prepare(self) -> tuple[Any, httpx2.Client]:
        """The client and its package, ready to send; the first time this takes a while."""
        http = imported("httpx2", "remote", self._who)
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
            return http, self._client

    def body(self, answer: ServiceResponse, setting: str) -> bytes:
        """What a good answer holds; of another one `TransientError` or `Unavailable` tells what it says.

        `setting` names the address, where the service sends us to another one.
        """
        if answer.status < REDIRECTS:
            return answer.body
        if answer.status < _ERRORS:
            raise Unavailable(
                f"{self._who} redirects to another address (HTTP {answer.status}), and the key is not sent there;"
                f" set {setting} to the final address"
            )
        message = self.error_message(answer)
        if answer.status == _TOO_MANY or answer.status >= _SERVER_ERRORS:
            raise TransientError(message, retry_after=answer.retry_after)
        raise Unavailable(f"{self._who} {message}")

    def error_message(self, answer: ServiceResponse) -> str:
        """What a bad answer says, as it may be shown."""
        return f"answers HTTP {answer.status}: {self._access.shown(answer.complaint)}".rstrip(": ")

    def close(self) -> None:
        """Close the connections."""
        with self._guard:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _answer(self, response: httpx2.Response) -> ServiceResponse:
        taken = bytearray()
        for part in response.iter_raw():
            taken += part
            if len(taken) > self._largest:
                raise self._too_large()
        packed = response.headers.get("content-encoding", "").strip().lower()
        body = self._unpacked(bytes(taken), packed) if packed not in ("", "identity") else bytes(taken)
        return ServiceResponse(response.status_code, body, _seconds(response.headers.get("retry-after", "")))

    def _unpacked(self, body: bytes, packed: str) -> bytes:
        """What was packed though we asked for it not to be; never more of it than an answer may have."""
        if packed not in ("gzip", "x-gzip", "deflate"):
            raise Unavailable(f"{self._who} sent its answer in an encoding that was not asked for")
        unpacking = zlib.decompressobj(_GZIP_OR_ZLIB)
        try:
            whole = unpacking.decompress(body, self._largest + 1)
        except zlib.error:
            raise Unavailable(f"{self._who} sent an answer that cannot be decompressed") from None
        if len(whole) > self._largest:
            raise self._too_large()
        return whole

    def _too_large(self) -> Unavailable:
        return Unavailable(f"{self._who} sent an answer of more than {self._largest} bytes")


class _Watch:
    """Hangs up when the time is over: a time-out of the client is for one read, and there may be many.

    It has its own handle of the connection, so that it ends whatever is done with it, encrypted or not.
    """

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self.extensions = {"trace": self._reported}
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

    def _reported(self, event: str, info: dict[str, Any]) -> None:
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


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def complaint(answer: Any) -> str:
    """What a service says is wrong: `error.message`, `error`, `detail` or `message`; nothing when it is none of these."""
    for name in ("error", "detail", "message"):
        found = answer.get(name) if isinstance(answer, dict) else None
        if isinstance(found, dict):
            found = found.get("message")
        if isinstance(found, str) and found:
            return found
    return ""


def parsed(body: bytes) -> Any:
    """What the JSON says; None when it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _seconds(retry_after: str) -> float | None:
    """How long a service asks to wait; None when it does not say so, or not in a way that can be understood."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", retry_after.strip()):
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


_SENDABLE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class ServiceOptions(Protocol):
    """What a service is reached by."""

    @property
    def provider(self) -> str:
        """Its name in the settings."""

    @property
    def base_url(self) -> str:
        """Its own address."""

    @property
    def key_names(self) -> tuple[str, ...]:
        """The environment variables its key is usually in; none when it needs no key."""

    @property
    def key_header(self) -> str:
        """The header the key is sent in."""

    @property
    def key_form(self) -> str:
        """What is in it, `{}` being the key."""

    @property
    def path(self) -> Callable[[str], str]:
        """Where a model's requests go, below the base URL."""


class Address(Protocol):
    """The settings of a service: they may name another address, a key and headers."""

    @property
    def base_url(self) -> str:
        """Another address than its own, or empty."""

    @property
    def api_key(self) -> str:
        """The key, or empty: then the one in the environment."""

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Headers of every request."""


def access(
    service: ServiceOptions, remote: Address, model: str, environ: Mapping[str, str], *, section: str
) -> ServiceEndpoint:
    """How the service is reached with these settings; `Unavailable` says what is missing.

    Args:
        service: what is known of it.
        remote: the settings.
        model: the model that is asked.
        environ: the environment its key may be in.
        section: where the settings are in config.yaml.

    Raises:
        Unavailable: an address, a key or a header cannot be used.
    """
    base = _split(service, remote.base_url.strip() or service.base_url, section)
    local = is_local(base.hostname or "")
    host = (base.netloc.rpartition("@")[2]).lower()
    path = base.path.rstrip("/")
    key = _key(service, remote.api_key.strip(), environ, open_road=base.scheme == "http" and not local)
    headers = {service.key_header.lower(): (service.key_header, service.key_form.format(key))} if key else {}
    for name, value in remote.headers:
        if not _HEADER.fullmatch(name) or not _SENDABLE.fullmatch(value):
            raise Unavailable(f"{section}.headers has a name or value that is not allowed in an HTTP header")
        headers[name.lower()] = (name, value)
    login = (unquote(base.username or ""), unquote(base.password or "")) if base.username or base.password else None
    if service.key_names and not remote.base_url and service.key_header.lower() not in headers:
        wanted = " or ".join(service.key_names)
        raise Unavailable(f"{service.provider} needs a key; set {wanted} in the environment, or {section}.api_key")
    secrets = [
        key,
        *(value for _name, value in remote.headers),
        *(login or ()),
        *re.findall(r"=([^&]{4,})", base.query),
    ]
    return ServiceEndpoint(
        url=urlunsplit((base.scheme, host, path + service.path(model), base.query, "")),
        place=urlunsplit((base.scheme, host, path, "", "")),
        local=local,
        headers=tuple(headers.values()),
        login=login,
        secrets=tuple(secret for secret in secrets if secret),
    )


def _split(service: ServiceOptions, url: str, section: str) -> SplitResult:
    try:
        base = urlsplit(url.strip())
        sound = base.scheme in ("http", "https") and bool(base.hostname) and (base.port is None or base.port > 0)
    except ValueError:
        sound = False
    if not sound or not _SENDABLE.fullmatch(url.strip()) or " " in url.strip():
        raise Unavailable(
            f"{section}.base_url is not a valid address for {service.provider}; write one such as {service.base_url}"
        )
    return base


def _key(service: ServiceOptions, key: str, environ: Mapping[str, str], *, open_road: bool) -> str:
    """The key: the one that was set, else the one in the environment.

    The one in the environment was made for the service itself. It goes to another address when the operator names one,
    but not unencrypted through a network: there only a key goes that was set for it.
    """
    if not key and not open_road:
        key = next((environ[name].strip() for name in service.key_names if environ.get(name, "").strip()), "")
    if key and (not _SENDABLE.fullmatch(key) or " " in key):
        raise Unavailable(
            f"the key for {service.provider} contains characters that no key has; was something else copied?"
        )
    return key
