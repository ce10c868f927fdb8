"""What language model services want to be sent and what they send back; nothing here touches the network."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from oldsoul.adapters.models.shaping import is_strict, shaped
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
class Wish:
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
class Manner:
    """How a question is put; a service may not know the first way."""

    form: str
    """how the answer is held to its form"""
    limit: str
    """what the service calls the most tokens of an answer"""


@frozen
class Told:
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
class Service:
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
    """what stands in it, `{}` being the key"""
    path: Callable[[str], str]
    """where a model's requests go, below the base URL"""
    headers: tuple[tuple[str, str], ...]
    """what it wants beside the key"""
    forms: tuple[str, ...]
    """the ways it may know to have an answer in a form, the best first"""
    limits: tuple[str, ...]
    """what it may call the most tokens of an answer"""
    body: Callable[[Wish, Manner], dict[str, Any]]
    """the request"""
    read: Callable[[Any], Told]
    """what the answer says; LookupError, TypeError and the like when it is none"""

    def manner(self, *, own: bool) -> Manner:
        """How it is asked first: by its own newest ways, or at another address by those that everybody knows."""
        return Manner(self.forms[0], self.limits[0] if own else self.limits[-1])

    def otherwise(self, manner: Manner, complaint: str) -> Manner | None:
        """How to ask when it complains of this manner; None when the complaint is about something else."""
        if len(self.limits) > 1 and _ABOUT_THE_LIMIT.search(complaint):
            return Manner(manner.form, next(limit for limit in self.limits if limit != manner.limit))
        rest = self.forms[self.forms.index(manner.form) + 1 :]
        return Manner(rest[0], manner.limit) if rest and _ABOUT_THE_FORM.search(complaint) else None


def _worded(wish: Wish) -> str:
    """The rules, and the form of the answer in words."""
    return f"{wish.system}\n\n{_ASKED_IN_WORDS}\n{json.dumps(dict(wish.schema), ensure_ascii=False)}"


def _chat(wish: Wish, manner: Manner) -> dict[str, Any]:
    system = wish.system if manner.form == SCHEMA else _worded(wish)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": wish.text}]
    body: dict[str, Any] = {"model": wish.model, "messages": messages, manner.limit: wish.most, "stream": False}
    if manner.form == SCHEMA:
        form = shaped(wish.schema)
        named = {"name": _NAME, "schema": form, "strict": is_strict(form)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif manner.form == OBJECT:
        body["response_format"] = {"type": "json_object"}
    return body


def _read_chat(answer: Any) -> Told:
    choice = answer["choices"][0]
    message = choice["message"]
    usage = answer.get("usage")
    end = choice.get("finish_reason")
    return Told(
        text=_THOUGHT.sub("", words_in(message.get("content"))),
        cut=end == "length",
        refusal=_short(message.get("refusal")) or ("its content filter stopped it" if end == "content_filter" else ""),
        tokens_in=_counted(usage, "prompt_tokens"),
        tokens_out=_counted(usage, "completion_tokens"),
        model=_short(answer.get("model")),
    )


def _messages(wish: Wish, manner: Manner) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": wish.model,
        "system": _worded(wish) if manner.form == PLAIN else wish.system,
        "messages": [{"role": "user", "content": wish.text}],
        manner.limit: wish.most,
    }
    form = shaped(wish.schema)
    if manner.form == SCHEMA:
        body["output_config"] = {"format": {"type": "json_schema", "schema": form}}
    elif manner.form == TOOL:
        body["tools"] = [{"name": _NAME, "description": "Takes the answer.", "input_schema": form}]
        body["tool_choice"] = {"type": "tool", "name": _NAME}
    return body


def _read_messages(answer: Any) -> Told:
    blocks = answer["content"]
    usage, end = answer.get("usage"), answer.get("stop_reason")
    called = [block["input"] for block in blocks if block.get("type") == "tool_use"]
    said = "".join(words_in(block.get("text")) for block in blocks if block.get("type") == "text")
    sent = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Told(
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


def _openai(provider: str, base_url: str, key_names: tuple[str, ...], limits: tuple[str, ...]) -> Service:
    return Service(
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
        Service(
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
