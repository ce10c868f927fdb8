"""What language model services want to be sent and what they send back; nothing here touches the network."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from oldsoul.adapters.http import complaint
from oldsoul.errors import Unavailable
from oldsoul.values.frozen import frozen
from oldsoul.values.models import Offer, Piece, Request, Speaker, ToolCall, Turn, Usage

_LIMITS = {
    "maxLength": "at most {} characters",
    "minLength": "at least {} characters",
    "maxItems": "at most {} items",
    "minItems": "at least {} items",
    "maximum": "at most {}",
    "minimum": "at least {}",
}
"""What a service may refuse, or take for ever to make a grammar of; said in words instead, and checked by us."""


def shaped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the part of JSON Schema that every service knows, its limits in words."""
    kinds = schema.get("type", ())
    if isinstance(kinds, str) or not kinds:
        return _of_one_kind(schema)
    return {"anyOf": [_of_one_kind({**schema, "type": kind}) for kind in kinds]}


def _of_one_kind(schema: Mapping[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    result: dict[str, Any] = {"type": kind} if kind else {}
    if kind == "null":
        return result
    words = [schema["description"]] if "description" in schema else []
    words += [form.format(schema[limit]) for limit, form in _LIMITS.items() if limit in schema]
    if words:
        result["description"] = "; ".join(words)
    if "enum" in schema:
        result["enum"] = [value for value in schema["enum"] if value is not None or not kind]
    if kind == "object":
        properties = schema.get("properties", {})
        result["properties"] = {name: shaped(inner) for name, inner in properties.items()}
        result["required"] = list(schema.get("required", ()))
        result["additionalProperties"] = False
    elif kind == "array":
        result["items"] = shaped(schema.get("items", {}))
    return result


def is_strict(schema: Any) -> bool:
    """Whether every part of a shaped schema must be there, as OpenAI's strict mode wants it."""
    if not isinstance(schema, dict):
        return True
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), schema.get("items")]
    whole = set(schema.get("properties", ())) == set(schema.get("required", ()))
    return whole and ("type" in schema or "anyOf" in schema) and all(is_strict(part) for part in parts)


SCHEMA, OBJECT, TOOL, PLAIN = "schema", "object", "tool", "plain"
"""Ways to have an answer in a form: the service holds the model to the schema; to JSON; to a tool's input; nobody does."""
_MOST_TOKENS = 10**9
_LONGEST_NAME = 200
_NAME = "answer"
_ASKED_IN_WORDS = "Answer with JSON alone, without a word before or after it. It must fit this JSON Schema:"
_ABOUT_THE_FORM = re.compile(
    r"response_format|json|schema|structured|output_config|output_format|tool|grammar|guided", re.IGNORECASE
)
_ABOUT_THE_LIMIT = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
"""Some servers leave the thinking of a model before its answer."""


@frozen
class ModelRequest:
    """One question."""

    model: str
    """by its name at the service"""
    system: str
    """who is asked, and by which rules"""
    text: str
    """the question"""
    schema: Mapping[str, Any]
    """the form of the answer"""
    most: int
    """tokens the answer may have"""


@frozen
class AnswerFormat:
    """How a question is put; a service may not know the first way."""

    form: str
    """how the answer is held to its form"""
    limit: str
    """what the service calls the most tokens of an answer"""


@frozen
class ModelReply:
    """What an answer of a service says."""

    text: str
    """the answer"""
    cut: bool = False
    """whether it ends before its end, because it was too long"""
    refusal: str = ""
    """why the model would not answer"""
    tokens_in: int = 0
    """how many tokens were sent; 0 when it does not say"""
    tokens_out: int = 0
    """how many came back; 0 when it does not say"""
    model: str = ""
    """who answered; empty when it does not say"""


@frozen
class ModelService:
    """One kind of service."""

    provider: str
    """as in `keepers.model.provider`"""
    base_url: str
    """its own address"""
    key_names: tuple[str, ...]
    """the environment variables its key is usually in; none when it needs no key"""
    key_header: str
    """the header the key is sent in"""
    key_form: str
    """what is in it, `{}` being the key"""
    path: Callable[[str], str]
    """where a model's requests go, below the base URL"""
    headers: tuple[tuple[str, str], ...]
    """what it needs besides the key"""
    forms: tuple[str, ...]
    """the ways it may know to have an answer in a form, the best first"""
    limits: tuple[str, ...]
    """what it may call the most tokens of an answer"""
    body: Callable[[ModelRequest, AnswerFormat], dict[str, Any]]
    """the request"""
    read: Callable[[Any], ModelReply]
    """what the answer says; LookupError, TypeError and the like when it is none"""

    def answer_format(self, *, own: bool) -> AnswerFormat:
        """How it is asked first: by its own newest ways, or at another address by those that everybody knows."""
        return AnswerFormat(self.forms[0], self.limits[0] if own else self.limits[-1])

    def otherwise(self, answer_format: AnswerFormat, complaint: str) -> AnswerFormat | None:
        """How to ask when it complains of this format; None when the complaint is about something else."""
        if len(self.limits) > 1 and _ABOUT_THE_LIMIT.search(complaint):
            return AnswerFormat(
                answer_format.form, next(limit for limit in self.limits if limit != answer_format.limit)
            )
        rest = self.forms[self.forms.index(answer_format.form) + 1 :]
        return AnswerFormat(rest[0], answer_format.limit) if rest and _ABOUT_THE_FORM.search(complaint) else None


def _worded(request: ModelRequest) -> str:
    """The rules, and the form of the answer in words."""
    return f"{request.system}\n\n{_ASKED_IN_WORDS}\n{json.dumps(dict(request.schema), ensure_ascii=False)}"


def _chat(request: ModelRequest, answer_format: AnswerFormat) -> dict[str, Any]:
    system = request.system if answer_format.form == SCHEMA else _worded(request)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": request.text}]
    body: dict[str, Any] = {
        "model": request.model,
        "messages": messages,
        answer_format.limit: request.most,
        "stream": False,
    }
    if answer_format.form == SCHEMA:
        form = shaped(request.schema)
        named = {"name": _NAME, "schema": form, "strict": is_strict(form)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif answer_format.form == OBJECT:
        body["response_format"] = {"type": "json_object"}
    return body


def _read_chat(answer: Any) -> ModelReply:
    choice = answer["choices"][0]
    message = choice["message"]
    usage = answer.get("usage")
    end = choice.get("finish_reason")
    return ModelReply(
        text=_THOUGHT.sub("", words_in(message.get("content"))),
        cut=end == "length",
        refusal=_short(message.get("refusal")) or ("its content filter stopped it" if end == "content_filter" else ""),
        tokens_in=_counted(usage, "prompt_tokens"),
        tokens_out=_counted(usage, "completion_tokens"),
        model=_short(answer.get("model")),
    )


def _messages(request: ModelRequest, answer_format: AnswerFormat) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "system": _worded(request) if answer_format.form == PLAIN else request.system,
        "messages": [{"role": "user", "content": request.text}],
        answer_format.limit: request.most,
    }
    form = shaped(request.schema)
    if answer_format.form == SCHEMA:
        body["output_config"] = {"format": {"type": "json_schema", "schema": form}}
    elif answer_format.form == TOOL:
        body["tools"] = [{"name": _NAME, "description": "Takes the answer.", "input_schema": form}]
        body["tool_choice"] = {"type": "tool", "name": _NAME}
    return body


def _read_messages(answer: Any) -> ModelReply:
    blocks = answer["content"]
    usage, end = answer.get("usage"), answer.get("stop_reason")
    called = [block["input"] for block in blocks if block.get("type") == "tool_use"]
    said = "".join(words_in(block.get("text")) for block in blocks if block.get("type") == "text")
    sent = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return ModelReply(
        text=json.dumps(called[0], ensure_ascii=False) if called else said,
        cut=end in ("max_tokens", "model_context_window_exceeded"),
        refusal=(_short(said) or "it gives no reason") if end == "refusal" else "",
        tokens_in=sum(_counted(usage, name) for name in sent),
        tokens_out=_counted(usage, "output_tokens"),
        model=_short(answer.get("model")),
    )


def words_in(content: Any) -> str:
    """The words of a content that is a text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _counted(usage: Any, name: str) -> int:
    """A number of tokens; 0 where there is none that can be believed."""
    number = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        return 0
    return number if 0 < number <= _MOST_TOKENS else 0


def _short(text: Any) -> str:
    return " ".join(text[:_LONGEST_NAME].split()) if isinstance(text, str) else ""


def _openai(provider: str, base_url: str, key_names: tuple[str, ...], limits: tuple[str, ...]) -> ModelService:
    return ModelService(
        provider=provider,
        base_url=base_url,
        key_names=key_names,
        key_header="Authorization",
        key_form="Bearer {}",
        path=lambda _model: "/chat/completions",
        headers=(),
        forms=(SCHEMA, OBJECT, PLAIN),
        limits=limits,
        body=_chat,
        read=_read_chat,
    )


SERVICES = {
    service.provider: service
    for service in (
        _openai(
            "openai",
            "https://api.openai.com/v1",
            ("OLDSOUL_MODEL_API_KEY", "OPENAI_API_KEY"),
            ("max_completion_tokens", "max_tokens"),
        ),
        _openai("ollama", "http://localhost:11434/v1", (), ("max_tokens",)),
        ModelService(
            provider="anthropic",
            base_url="https://api.anthropic.com/v1",
            key_names=("OLDSOUL_MODEL_API_KEY", "ANTHROPIC_API_KEY"),
            key_header="x-api-key",
            key_form="{}",
            path=lambda _model: "/messages",
            headers=(("anthropic-version", "2023-06-01"),),
            forms=(SCHEMA, TOOL, PLAIN),  # the newest models refuse a tool that is forced, the oldest know nothing else
            limits=("max_tokens",),
            body=_messages,
            read=_read_messages,
        ),
    )
}
"""The services there are, by provider."""


DONE = "[DONE]"
"""What the last event of an OpenAI stream says."""
_MOST_CALLS = 64
_LONGEST_CALL = 2**20


class Listener(Protocol):
    """Understands the events of one stream."""

    def read(self, event: Any) -> Iterator[str]:
        """The words in an event; `Unavailable` when it tells of an error, LookupError and the like when it is none."""
        ...

    def end(self) -> Iterator[Piece]:
        """What is known when the stream has ended: calls of tools, and what it took; `Unavailable` when it broke off."""
        ...


class ConversationFormat(NamedTuple):
    """How one kind of service holds a conversation."""

    body: Callable[[Request, dict[str, Any]], dict[str, Any]]
    """the request, from the conversation and what is common to every request"""
    listener: Callable[[], Listener]
    """who reads its stream"""
    usage: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it
    """what is sent to learn what the answer took"""


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


class _TextDecoder:
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
        self._words, self._calls = _TextDecoder(), _Calls()
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


def _chat_stream(request: Request, common: dict[str, Any]) -> dict[str, Any]:
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


def _messages_stream(request: Request, common: dict[str, Any]) -> dict[str, Any]:
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
        body["tools"] = [
            {"name": name, "description": parsed, "input_schema": schema} for name, parsed, schema in offers
        ]
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
    "openai": ConversationFormat(_chat_stream, ChatStream, _USAGE),
    "ollama": ConversationFormat(_chat_stream, ChatStream, _USAGE),
    "anthropic": ConversationFormat(_messages_stream, MessagesStream),
}
"""How each provider holds a conversation."""
