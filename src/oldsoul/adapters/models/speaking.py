"""How a conversation is put to services, and what the events of their streams say; nothing here touches the network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from oldsoul.adapters.http import complaint
from oldsoul.adapters.models.services import words_in
from oldsoul.errors import Unavailable
from oldsoul.values.talking import Speaker, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oldsoul.values.talking import Offer, Piece, Request, Turn

DONE = "[DONE]"
"""What the last event of an OpenAI stream says."""
_MOST_TOKENS = 10**9
_MOST_CALLS = 64
_LONGEST_CALL = 2**20
_LONGEST_NAME = 200


class Listener(Protocol):
    """Understands the events of one stream."""

    def read(self, event: Any) -> Iterator[str]:
        """The words in an event; `Unavailable` when it tells of an error, LookupError and the like when it is none."""
        ...

    def end(self) -> Iterator[Piece]:
        """What is known when the stream has ended: calls of tools, and what it took; `Unavailable` when it broke off."""
        ...


class Spoken(NamedTuple):
    """How one kind of service holds a conversation."""

    body: Callable[[Request, dict[str, Any]], dict[str, Any]]
    """the request, from the conversation and what is common to every request"""
    listener: Callable[[], Listener]
    """who reads its stream"""
    usage: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it
    """what is sent to be told what the answer took"""


def events(chunks: Iterable[bytes], largest: int) -> Iterator[str]:
    """The data of server-sent events, in whatever pieces the bytes come; `Unavailable` when one is too long."""
    held = b""
    for chunk in chunks:
        *lines, held = (held + chunk).split(b"\n")
        if len(held) > largest:
            raise Unavailable(f"a line of the stream has more than {largest} bytes")
        yield from filter(None, map(_data, lines))
    if last := _data(held):
        yield last


def _data(line: bytes) -> str:
    name, _, value = line.rstrip(b"\r").partition(b":")
    return value.strip().decode("utf-8", "replace") if name == b"data" else ""


class _Words:
    """Words in pieces that may end within a character."""

    def __init__(self) -> None:
        self._half = ""

    def whole(self, text: str) -> str:
        """The characters that are whole by now; what is none becomes the mark for that."""
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        kept = text[:-1] if self._half else text
        return kept if kept.isascii() else kept.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def rest(self) -> str:
        """Half a character that nothing followed."""
        return "\ufffd" if self._half else ""


class _Calls:
    """Calls of tools in pieces, by their place in the answer."""

    def __init__(self) -> None:
        self._calls: dict[int, list[str]] = {}

    def add(self, place: int, call_id: Any, name: Any, arguments: Any) -> None:
        """Take a piece of a call."""
        if place not in self._calls and len(self._calls) >= _MOST_CALLS:
            raise Unavailable(f"the model calls more than {_MOST_CALLS} tools at once")
        call = self._calls.setdefault(place, ["", "", ""])
        for number, value in enumerate((call_id, name, arguments)):
            if isinstance(value, str):
                call[number] = call[number] + value if number == 2 else call[number] or value[:_LONGEST_NAME]  # noqa: PLR2004 - the arguments
        if len(call[2]) > _LONGEST_CALL:
            raise Unavailable(f"the arguments of a tool call have more than {_LONGEST_CALL} characters")

    def all(self) -> Iterator[ToolCall]:
        """The calls, in order; one that has no id gets one."""
        for place, (call_id, name, arguments) in sorted(self._calls.items()):
            text = arguments.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            yield ToolCall(call_id or f"call_{place}", name, text or "{}")


class _Stream:
    """What the streams of all services have in common."""

    def __init__(self) -> None:
        self._words, self._calls = _Words(), _Calls()
        self._model, self._end, self._refusal = "", "", ""
        self._tokens: dict[str, int] = {}

    def _count(self, usage: Any) -> None:
        for name, value in (usage if isinstance(usage, dict) else {}).items():
            if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_TOKENS:
                self._tokens[name] = value

    def _named(self, answer: Any) -> None:
        model = answer.get("model")
        self._model = self._model or (model[:_LONGEST_NAME] if isinstance(model, str) else "")

    def _finished(self, sent: Sequence[str], back: str, *, cut: bool) -> Iterator[Piece]:
        if not self._end:
            raise Unavailable("it stopped in the middle of its answer")
        if self._refusal:
            raise Unavailable(f"it refused to answer: {self._refusal[:_LONGEST_NAME]}")
        if rest := self._words.rest():
            yield rest
        yield from self._calls.all()
        yield Usage(sum(self._tokens.get(n, 0) for n in sent), self._tokens.get(back, 0), self._model, cut)


class ChatStream(_Stream):
    """A stream of OpenAI's chat completions."""

    def read(self, event: Any) -> Iterator[str]:
        """The words in an event."""
        if event == DONE:
            self._end = self._end or DONE
            return
        if event.get("error"):
            raise Unavailable(f"it broke off: {complaint(event)[:_LONGEST_NAME] or 'it gives no reason'}")
        self._named(event)
        self._count(event.get("usage"))
        for choice in event.get("choices", ())[:1]:
            delta = choice.get("delta") or {}
            for call in delta.get("tool_calls") or ():
                made = call.get("function") or {}
                self._calls.add(int(call.get("index") or 0), call.get("id"), made.get("name"), made.get("arguments"))
            if isinstance(delta.get("refusal"), str):
                self._refusal += delta["refusal"]
            self._end = choice.get("finish_reason") or self._end
            if self._end == "content_filter":
                self._refusal = self._refusal or "its content filter stopped it"
            if text := self._words.whole(words_in(delta.get("content"))):
                yield text

    def end(self) -> Iterator[Piece]:
        """What is known when the stream has ended."""
        return self._finished(("prompt_tokens",), "completion_tokens", cut=self._end == "length")


class MessagesStream(_Stream):
    """A stream of Anthropic's messages."""

    def read(self, event: Any) -> Iterator[str]:
        """The words in an event."""
        match event["type"]:
            case "error":
                raise Unavailable(f"it broke off: {complaint(event)[:_LONGEST_NAME] or 'it gives no reason'}")
            case "message_start":
                self._named(event["message"])
                self._count(event["message"].get("usage"))
            case "content_block_start" if event["content_block"]["type"] == "tool_use":
                block = event["content_block"]
                self._calls.add(int(event["index"]), block["id"], block["name"], "")
            case "content_block_delta":
                delta = event["delta"]
                if delta["type"] == "input_json_delta":
                    self._calls.add(int(event["index"]), "", "", delta["partial_json"])
                elif delta["type"] == "text_delta" and (text := self._words.whole(words_in(delta["text"]))):
                    yield text
            case "message_delta":
                self._count(event.get("usage"))
                self._end = event["delta"].get("stop_reason") or self._end
                if self._end == "refusal":
                    self._refusal = "it gives no reason"

    def end(self) -> Iterator[Piece]:
        """What is known when the stream has ended."""
        sent = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return self._finished(sent, "output_tokens", cut=self._end in ("max_tokens", "model_context_window_exceeded"))


def _chat(request: Request, common: dict[str, Any]) -> dict[str, Any]:
    body = {**common, "messages": [_chat_message(turn) for turn in request.turns], "stream": True}
    if request.offers:
        body["tools"] = [{"type": "function", "function": _function(offer)} for offer in request.offers]
    return body


def _chat_message(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": str(turn.speaker), "content": turn.text}
    if turn.calls:
        message["content"] = turn.text or None
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    if turn.speaker is Speaker.TOOL:
        message["tool_call_id"] = turn.answers
    return message


def _function(offer: Offer) -> dict[str, Any]:
    return {"name": offer.name, "description": offer.description, "parameters": dict(offer.parameters)}


_USAGE = {"stream_options": {"include_usage": True}}
_CACHED = {"cache_control": {"type": "ephemeral"}}


def _messages(request: Request, common: dict[str, Any]) -> dict[str, Any]:
    system = "\n\n".join(turn.text for turn in request.turns if turn.speaker is Speaker.SYSTEM)
    messages: list[dict[str, Any]] = []
    for turn in request.turns:
        if turn.speaker is Speaker.SYSTEM:
            continue
        role = "assistant" if turn.speaker is Speaker.ASSISTANT else "user"
        if not messages or messages[-1]["role"] != role:
            messages.append({"role": role, "content": []})
        messages[-1]["content"] += _blocks(turn)
    body = {**common, "messages": messages, "stream": True}
    if system:
        body["system"] = [{"type": "text", "text": system, **_CACHED}]
    if request.offers:
        offers = ((offer.name, offer.description, dict(offer.parameters)) for offer in request.offers)
        body["tools"] = [{"name": name, "description": told, "input_schema": schema} for name, told, schema in offers]
    return body


def _blocks(turn: Turn) -> list[dict[str, Any]]:
    if turn.speaker is Speaker.TOOL:
        return [{"type": "tool_result", "tool_use_id": turn.answers, "content": turn.text}]
    said = [{"type": "text", "text": turn.text}] if turn.text.strip() else []
    return [*said, *({"type": "tool_use", "id": c.id, "name": c.name, "input": _object(c)} for c in turn.calls)]


def _object(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call as an object; those that are none were answered with an error."""
    try:
        found = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


SPOKEN = {
    "openai": Spoken(_chat, ChatStream, _USAGE),
    "ollama": Spoken(_chat, ChatStream, _USAGE),
    "anthropic": Spoken(_messages, MessagesStream),
}
"""How each provider holds a conversation."""
