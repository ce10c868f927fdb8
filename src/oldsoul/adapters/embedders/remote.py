"""Embeddings from a service over HTTP: in batches, several at once, tried again when it makes sense."""

from __future__ import annotations

import json
import re
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.adapters.embedders.access import access
from oldsoul.adapters.embedders.services import Wish, complaint
from oldsoul.adapters.embedders.units import Identity, checked, gathered, imported
from oldsoul.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import httpx2

    from oldsoul.adapters.embedders.services import Service
    from oldsoul.adapters.embedders.units import Piece, Vectors
    from oldsoul.ranking.options import SearchOptions

LONGEST = 8000
"""Bytes of a text that are sent; the rest is cut off. A tokenizer makes no more tokens than there are bytes, so this
always fits into the 8,192 tokens that OpenAI's models take. Our own chunks are far shorter."""
FULLEST = 100_000
"""Bytes of text one request may have: below every service's limit of tokens in one request (120,000 and more)."""
ELSEWHERE = 32
"""Texts in one request to an address that is not the service's own: some servers take no more."""
LARGEST = 64 * 2**20
"""Bytes an answer may have."""
TRIES = 4
_FIRST_WAIT = 0.5
_LONGEST_WAIT, _LONGEST_WAIT_OF_A_QUESTION = 60.0, 2.0
_BLANK = "-"
"""Sent for a text with nothing in it: services refuse to embed that."""
_TOO_MANY = 429
_SERVER_ERRORS = 500
_REDIRECTS, _ERRORS = 300, 400


class _Answer(NamedTuple):
    status: int
    body: bytes
    retry_after: str


class _Passing(Exception):
    """A failure that may be over at the next try."""

    def __init__(self, message: str, *, retry_after: float | None = None, slow: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.slow = slow


class Remote:
    """An embedding service.

    It is made from its kind, the settings and the environment its key may be in; nothing is sent before the first text.
    `sleep` waits between two tries. A question is not kept waiting: it is tried again after at most two seconds, and not
    at all when the service was too slow. Redirects are not followed, so that a key never travels to another host. The
    proxy of the environment is used, but not on the way to this machine itself.
    """

    def __init__(
        self,
        service: Service,
        options: SearchOptions,
        environ: Mapping[str, str],
        *,
        sleep: Callable[[float], None] = time.sleep,
        largest: int = LARGEST,
    ) -> None:
        if find_spec("httpx2") is None:
            raise Unavailable(f"{service.provider} needs the package httpx2; pip install 'oldsoul[remote]'")
        self._service, self._remote, self._dimensions = service, options.remote, options.dimensions
        self._model = options.model or service.model
        self._access = access(service, options.remote, self._model, environ)
        self._sleep, self._largest = sleep, largest
        self._width = options.dimensions
        self._client: httpx2.Client | None = None
        self._guard = threading.Lock()
        most = min(service.most, ELSEWHERE) if options.remote.base_url else service.most
        self._most = most if options.remote.batch.enabled else 1

    def __repr__(self) -> str:
        return f"Remote({self.name})"

    @property
    def identity(self) -> Identity:
        """Whose vectors these are."""
        extras = " ".join(sorted(name.lower() for name, _value in self._remote.headers))
        return Identity(self._service.provider, self._access.place, self._model, self._dimensions, extras)

    @property
    def name(self) -> str:
        """What the index calls these vectors."""
        return self.identity.name

    @property
    def width(self) -> int:
        """How long its vectors are, as the last answer has it; 0 before the first one."""
        return self._width

    def embed(self, texts: Sequence[str], *, question: bool = False) -> Vectors:
        """One unit vector a text; `Unavailable` when it cannot."""
        return gathered(self.pieces(texts, question=question), len(texts))

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        """The vectors batch by batch, as they come. After a failure those still under way are given, then it is told."""
        ready = [_prepared(text) for text in texts]
        batches = self._batches(ready)
        if len(batches) <= 1:
            for batch in batches:
                yield batch, self._vectors([ready[number] for number in batch], question=question)
            return
        waiting = iter(batches)
        running: dict[Future[Vectors], list[int]] = {}
        failure: Unavailable | None = None
        with ThreadPoolExecutor(self._remote.batch.concurrency, "embedding") as pool:
            while True:
                while failure is None and len(running) < self._remote.batch.concurrency:
                    batch = next(waiting, [])
                    if not batch:
                        break
                    some = [ready[number] for number in batch]
                    running[pool.submit(self._vectors, some, question=question)] = batch
                if not running:
                    break
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    numbers = running.pop(done)
                    try:
                        vectors = done.result()
                    except Unavailable as error:
                        failure = failure or error
                    else:
                        yield numbers, vectors
        if failure is not None:
            raise failure

    def close(self) -> None:
        """Let go of the connections."""
        with self._guard:
            if self._client is not None:
                self._client.close()
            self._client = None

    # one request

    def _batches(self, texts: Sequence[str]) -> list[list[int]]:
        batches: list[list[int]] = []
        room = 0
        for number, text in enumerate(texts):
            size = len(text.encode())
            if not batches or size > room or len(batches[-1]) == self._most:
                batches.append([])
                room = FULLEST
            batches[-1].append(number)
            room -= size
        return batches

    def _vectors(self, texts: list[str], *, question: bool) -> Vectors:
        wish = Wish(self._model, texts, self._dimensions, question)
        answer = _parsed(self._asked(json.dumps(self._service.body(wish)).encode(), question=question))
        try:
            rows = self._service.read(answer)
        except (LookupError, TypeError, ValueError, AttributeError):
            rows = None
        if not isinstance(rows, list):
            said = self._access.shown(complaint(answer))
            raise Unavailable(f"{self._who} gave an answer that cannot be understood{said and f': {said}'}")
        vectors = checked(rows, len(texts), self._dimensions, self._who)
        with self._guard:
            before, self._width = self._width, vectors.shape[1]
        if before not in (0, len(vectors[0])):
            raise Unavailable(
                f"{self._who} gives vectors of {len(vectors[0])} numbers now, and of {before} before; "
                "with the next ones, all are made anew"
            )
        return vectors

    def _asked(self, body: bytes, *, question: bool) -> bytes:
        """The answer to a request, tried several times."""
        longest = _LONGEST_WAIT_OF_A_QUESTION if question else _LONGEST_WAIT
        for number in range(1, TRIES + 1):
            try:
                return self._judged(self._posted(body))
            except _Passing as failure:
                pause = _FIRST_WAIT * 2 ** (number - 1) if failure.retry_after is None else failure.retry_after
                if number == TRIES or pause > longest or (question and failure.slow):
                    again = f" (it asks to wait {pause:.0f} s)" if pause > longest and failure.retry_after else ""
                    raise Unavailable(f"{self._who} {failure}{again}") from None
            self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _posted(self, body: bytes) -> _Answer:
        http = imported("httpx2", "remote", self._service.provider)
        give_up = time.monotonic() + self._remote.timeout_seconds
        taken = bytearray()
        headers = {"Content-Type": "application/json"} | dict(self._access.headers)
        try:
            with self._connected(http).stream("POST", self._access.url, content=body, headers=headers) as response:
                for part in response.iter_bytes():
                    taken += part
                    if len(taken) > self._largest:
                        raise Unavailable(f"{self._who} gave an answer of more than {self._largest} bytes")
                    if time.monotonic() > give_up:  # the client's own time-out is for one read, and there may be many
                        raise _Passing(self._too_slow, slow=True)
                return _Answer(response.status_code, bytes(taken), response.headers.get("retry-after", ""))
        except http.TimeoutException:
            raise _Passing(self._too_slow, slow=True) from None
        except http.TransportError as error:
            raise _Passing(f"does not answer: {self._access.shown(str(error)) or type(error).__name__}") from None
        except (http.DecodingError, http.InvalidURL) as error:
            raise Unavailable(f"{self._who} cannot be understood: {self._access.shown(str(error))}") from None

    def _judged(self, answer: _Answer) -> bytes:
        if answer.status < _REDIRECTS:
            return answer.body
        if answer.status < _ERRORS:
            raise Unavailable(
                f"{self._who} sends us elsewhere (HTTP {answer.status}), and a key is not taken there; "
                "set memory.search.remote.base_url to where it is"
            )
        said = complaint(_parsed(answer.body)) or answer.body[:4000].decode("utf-8", "replace")
        message = f"answers HTTP {answer.status}: {self._access.shown(said)}".rstrip(": ")
        if answer.status == _TOO_MANY or answer.status >= _SERVER_ERRORS:
            raise _Passing(message, retry_after=_seconds(answer.retry_after))
        raise Unavailable(f"{self._who} {message}")

    def _connected(self, http: Any) -> httpx2.Client:
        with self._guard:
            if self._client is None:
                self._client = http.Client(
                    timeout=self._remote.timeout_seconds, auth=self._access.login, trust_env=not self._access.local
                )
            return self._client

    @property
    def _who(self) -> str:
        return f"{self._service.provider} at {self._access.place}"

    @property
    def _too_slow(self) -> str:
        return f"did not answer within {self._remote.timeout_seconds:g} s"


def _prepared(text: str) -> str:
    """A text as services take it: not empty, not too long, nothing in it that is no character."""
    whole = text.replace("\0", " ").encode("utf-8", "replace")
    fits = whole if len(whole) <= LONGEST else whole[:LONGEST]
    return fits.decode("utf-8", "ignore") if fits.strip() else _BLANK


def _parsed(body: bytes) -> Any:
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
