"""What the embedding services want to be sent and what they send back; nothing here touches the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GEMINI_PREFIXED = "gemini-embedding-2"
"""Its models want to be told the task in the text itself, and know no `taskType`."""


@frozen
class Wish:
    """One request: the texts, and how they are to be embedded."""

    model: str
    """by its name at the service"""
    texts: Sequence[str]
    """never empty, none of them empty"""
    question: bool
    """whether these are questions, where the service tells them from documents"""


@frozen
class Service:
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
    """what stands in it, `{}` being the key"""
    most: int
    """how many texts one request may have"""
    path: Callable[[str], str]
    """where a model's requests go, below the base URL"""
    body: Callable[[Wish], dict[str, Any]]
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


def _openai(wish: Wish) -> dict[str, Any]:
    return {"model": wish.model, "input": list(wish.texts)}


def _voyage(wish: Wish) -> dict[str, Any]:
    kind = "query" if wish.question else "document"
    return {"model": wish.model, "input": list(wish.texts), "input_type": kind}


def _ollama(wish: Wish) -> dict[str, Any]:
    return {"model": wish.model, "input": list(wish.texts), "truncate": True}


def _gemini(wish: Wish) -> dict[str, Any]:
    model = wish.model.removeprefix("models/")
    more: dict[str, Any] = {}
    prefix = ""
    if model.startswith(_GEMINI_PREFIXED):
        prefix = "task: search result | query: " if wish.question else "title: none | text: "
    else:
        more["taskType"] = "RETRIEVAL_QUERY" if wish.question else "RETRIEVAL_DOCUMENT"
    requests = [{"model": f"models/{model}", "content": {"parts": [{"text": prefix + text}]}} for text in wish.texts]
    return {"requests": [request | more for request in requests]}


SERVICES = {
    service.provider: service
    for service in (
        Service(
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
        Service(
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
        Service(
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
        Service(
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
