"""Embeddings from a service over HTTP: in batches, several at once, tried again when it makes sense."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from oldsoul.adapters.embedders.cached import Identity, checked, gathered
from oldsoul.adapters.http import ServiceClient, TransientError, access, complaint, parsed, tried
from oldsoul.errors import Unavailable
from oldsoul.ranking.options import SearchOptions
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.adapters.embedders.cached import Piece, Vectors


_GEMINI_PREFIXED = "gemini-embedding-2"
"""Its models expect the task in the text itself, and know no `taskType`."""


@frozen
class EmbeddingRequest:
    """One request: the texts, and how they are to be embedded."""

    model: str
    """by its name at the service"""
    texts: Sequence[str]
    """never empty, none of them empty"""
    question: bool
    """whether these are questions, where the service tells them from documents"""


@frozen
class EmbeddingService:
    """One kind of embedding service."""

    provider: str
    """as in `memory.search.provider`"""
    base_url: str
    """its own address"""
    model: str
    """its usual model"""
    key_names: tuple[str, ...]
    """the environment variables its key is usually in; none when it needs no key"""
    key_header: str
    """the header the key is sent in"""
    key_form: str
    """what is in it, `{}` being the key"""
    most: int
    """how many texts one request may have"""
    path: Callable[[str], str]
    """where a model's requests go, below the base URL"""
    body: Callable[[EmbeddingRequest], dict[str, Any]]
    """the request"""
    read: Callable[[Any], Any]
    """the vectors of an answer, in the order of the texts; LookupError, TypeError or ValueError when they are not there"""


def _plain(answer: Any) -> Any:
    return answer["embeddings"]


def _numbered(answer: Any) -> Any:
    """Vectors that carry the number of their text, because they may come in any order. Some servers leave it out."""
    data = answer["data"]
    if all(each.get("index") is None for each in data):
        return [each["embedding"] for each in data]
    by_number = {int(each["index"]): each["embedding"] for each in data}
    if sorted(by_number) != list(range(len(data))):
        raise ValueError("the vectors are not numbered from 0")
    return [by_number[number] for number in range(len(data))]


def _openai(request: EmbeddingRequest) -> dict[str, Any]:
    return {"model": request.model, "input": list(request.texts)}


def _voyage(request: EmbeddingRequest) -> dict[str, Any]:
    kind = "query" if request.question else "document"
    return {"model": request.model, "input": list(request.texts), "input_type": kind}


def _ollama(request: EmbeddingRequest) -> dict[str, Any]:
    return {"model": request.model, "input": list(request.texts), "truncate": True}


def _gemini(request: EmbeddingRequest) -> dict[str, Any]:
    model = request.model.removeprefix("models/")
    more: dict[str, Any] = {}
    prefix = ""
    if model.startswith(_GEMINI_PREFIXED):
        prefix = "task: search result | query: " if request.question else "title: none | text: "
    else:
        more["taskType"] = "RETRIEVAL_QUERY" if request.question else "RETRIEVAL_DOCUMENT"
    requests = [{"model": f"models/{model}", "content": {"parts": [{"text": prefix + text}]}} for text in request.texts]
    return {"requests": [body | more for body in requests]}


SERVICES = {
    service.provider: service
    for service in (
        EmbeddingService(
            provider="openai",
            base_url="https://api.openai.com/v1",
            model="text-embedding-3-small",
            key_names=("OPENAI_API_KEY",),
            key_header="Authorization",
            key_form="Bearer {}",
            most=128,
            path=lambda _model: "/embeddings",
            body=_openai,
            read=_numbered,
        ),
        EmbeddingService(
            provider="gemini",
            base_url="https://generativelanguage.googleapis.com/v1beta",
            model="gemini-embedding-001",
            key_names=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            key_header="x-goog-api-key",
            key_form="{}",
            most=100,
            path=lambda model: f"/models/{quote(model.removeprefix('models/'), safe='')}:batchEmbedContents",
            body=_gemini,
            read=lambda answer: [each["values"] for each in answer["embeddings"]],
        ),
        EmbeddingService(
            provider="voyage",
            base_url="https://api.voyageai.com/v1",
            model="voyage-4",
            key_names=("VOYAGE_API_KEY",),
            key_header="Authorization",
            key_form="Bearer {}",
            most=128,
            path=lambda _model: "/embeddings",
            body=_voyage,
            read=_numbered,
        ),
        EmbeddingService(
            provider="ollama",
            base_url="http://127.0.0.1:11434",
            model="embeddinggemma",
            key_names=(),
            key_header="Authorization",
            key_form="Bearer {}",
            most=32,
            path=lambda _model: "/api/embed",
            body=_ollama,
            read=_plain,
        ),
    )
}
"""The services there are, by provider."""


LONGEST = 8000
"""Bytes of a text that are sent; the rest is cut off. A tokenizer makes no more tokens than there are bytes, so this
always fits into the 8,192 tokens that OpenAI's models take. Our own chunks are far shorter."""
FULLEST = 100_000
"""Bytes of text one request may have: below every service's limit of tokens in one request (120,000 and more)."""
ELSEWHERE = 32
"""Texts in one request to an address that is not the service's own: some servers take no more."""
LARGEST = 64 * 2**20
"""Bytes an answer may have."""
GIVEN_UP_AFTER = 60.0
"""Seconds after which a request is given up."""
AT_ONCE = 2
"""How many requests are under way at the same time."""
_LONGEST_WAIT, _LONGEST_WAIT_OF_A_QUESTION = 60.0, 2.0
_BLANK = "-"
"""Sent for a text with nothing in it: services refuse to embed that."""


class Remote:
    """An embedding service.

    It is made from its kind, the settings and the environment its key may be in; nothing is sent before the first text.
    `sleep` waits between two tries. A question is not kept waiting: it is tried again after at most two seconds, and not
    at all when the service was too slow.
    """

    def __init__(
        self,
        service: EmbeddingService,
        options: SearchOptions,
        environ: Mapping[str, str],
        *,
        sleep: Callable[[float], None] = time.sleep,
        largest: int = LARGEST,
    ) -> None:
        if find_spec("httpx2") is None:
            raise Unavailable(f"{service.provider} needs the package httpx2; pip install 'oldsoul[remote]'")
        self._service, self._remote = service, options.remote
        self._model = options.model or service.model
        self._access = access(service, options.remote, self._model, environ, section="memory.search.remote")
        self._sleep = sleep
        self._line = ServiceClient(self._access, self._who, largest)
        self._width = 0
        self._guard = threading.Lock()
        self._most = min(service.most, ELSEWHERE) if options.remote.base_url else service.most

    def __repr__(self) -> str:
        return f"Remote({self.name})"

    @property
    def identity(self) -> Identity:
        """Whose vectors these are."""
        extras = " ".join(sorted(name.lower() for name, _value in self._remote.headers))
        return Identity(self._service.provider, self._access.place, self._model, 0, extras)

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
        """The vectors batch by batch, as they come. After a failure those still under way are given, then the failure is raised."""
        ready = [_prepared(text) for text in texts]
        batches = self._batches(ready)
        if len(batches) <= 1:
            for batch in batches:
                yield batch, self._vectors([ready[number] for number in batch], question=question)
            return
        waiting = iter(batches)
        running: dict[Future[Vectors], list[int]] = {}
        failure: Unavailable | None = None
        with ThreadPoolExecutor(AT_ONCE, "embedding") as pool:
            while True:
                while failure is None and len(running) < AT_ONCE:
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
        """Close the connections."""
        self._line.close()

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
        request = EmbeddingRequest(self._model, texts, question)
        answer = parsed(self._asked(json.dumps(self._service.body(request)).encode(), question=question))
        try:
            rows = self._service.read(answer)
        except (LookupError, TypeError, ValueError, AttributeError):
            rows = None
        if not isinstance(rows, list):
            said = self._access.shown(complaint(answer))
            raise Unavailable(f"{self._who} sent an answer that cannot be understood{said and f': {said}'}")
        vectors = checked(rows, len(texts), 0, self._who)
        with self._guard:
            before, self._width = self._width, vectors.shape[1]
        if before not in (0, len(vectors[0])):
            raise Unavailable(
                f"{self._who} now returns vectors of {len(vectors[0])} numbers, before it was {before}; all texts"
                " are embedded again"
            )
        return vectors

    def _asked(self, body: bytes, *, question: bool) -> bytes:
        """The answer to a request, tried several times."""
        longest = _LONGEST_WAIT_OF_A_QUESTION if question else _LONGEST_WAIT

        def attempt() -> bytes:
            self._line.prepare()  # what that takes is not the service's fault
            answer = self._line.post(body, time.monotonic() + GIVEN_UP_AFTER)
            return self._line.body(answer, "memory.search.remote.base_url")

        try:
            return tried(attempt, self._sleep, lambda: longest, patient=not question)
        except TransientError as failure:
            slow = f"did not answer within {GIVEN_UP_AFTER:g} s"
            raise Unavailable(f"{self._who} {slow if failure.slow else failure}") from None

    @property
    def _who(self) -> str:
        return f"{self._service.provider} at {self._access.place}"


def _prepared(text: str) -> str:
    """A text as services take it: not empty, not too long, nothing in it that is no character."""
    whole = text.replace("\0", " ").encode("utf-8", "replace")
    fits = whole if len(whole) <= LONGEST else whole[:LONGEST]
    return fits.decode("utf-8", "ignore") if fits.strip() else _BLANK
