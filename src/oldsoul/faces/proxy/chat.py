"""`/v1/chat/completions`: what its bodies mean, and how its replies are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oldsoul.errors import BadInput
from oldsoul.faces.proxy.asked import (
    Asked,
    asked,
    call,
    check_supported,
    dict_of,
    flag,
    function_tools,
    list_of,
    offer,
    text_of,
    words,
)
from oldsoul.faces.proxy.writing import DONE, new_id, tokens
from oldsoul.faces.web.encoding import event
from oldsoul.values.talking import Speaker, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oldsoul.app.replying.exchange import Response
    from oldsoul.values.talking import ToolCall

_SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
}
_UNSUPPORTED = {
    "n": lambda value: value in (None, 1),
    "response_format": lambda value: value in (None, {"type": "text"}),
    "modalities": lambda value: value in (None, ["text"]),
    "audio": lambda value: not value,
    "stop": lambda value: not value,
    "logprobs": lambda value: not value,
    "functions": lambda value: not value,
    "function_call": lambda value: value in (None, "auto", "none"),
    "web_search_options": lambda value: not value,
}
"""What would change the reply and is not done here, with the values that change nothing."""


def read(body: Mapping[str, Any]) -> Asked:
    """What a body asks; `BadInput` when it makes no sense, or wants what is not done here."""
    check_supported(body, _UNSUPPORTED)
    turns = [
        _turn(dict_of(message, f"messages[{place}]"), f"messages[{place}]")
        for place, message in enumerate(list_of(body.get("messages"), "messages"))
    ]
    offers = [offer(tool.get("function"), f"tools[{at}].function") for at, tool in enumerate(function_tools(body))]
    wanted = flag(dict_of(body.get("stream_options") or {}, "stream_options"), "include_usage")
    return asked(body, turns, offers, usage=wanted)


def _turn(message: dict[str, Any], where: str) -> Turn:
    role = message.get("role")
    speaker = _SPEAKERS.get(role) if isinstance(role, str) else None
    if speaker is None:
        raise BadInput(f"{where}.role: one of {', '.join(_SPEAKERS)}, not {role!r}")
    text = words(message.get("content"), f"{where}.content")
    if speaker is Speaker.TOOL:
        return Turn(speaker, text, answers=text_of(message, "tool_call_id", where))
    if speaker is not Speaker.ASSISTANT:
        return Turn(speaker, text)
    given = list_of(message.get("tool_calls") or [], f"{where}.tool_calls")
    return Turn(speaker, text, tuple(_call(each, f"{where}.tool_calls[{place}]") for place, each in enumerate(given)))


def _call(given: Any, where: str) -> ToolCall:
    made = dict_of(given, where)
    function = dict_of(made.get("function"), f"{where}.function")
    return call(made.get("id"), function.get("name"), function.get("arguments"), where)


class ChatWriter:
    """Writes one reply as a chat completion."""

    def __init__(self, asked: Asked, created: int) -> None:
        self._asked = asked
        self._common = {"id": new_id("chatcmpl-"), "created": created, "model": asked.agent}

    def whole(self, response: Response) -> dict[str, Any]:
        """The reply as one object."""
        message: dict[str, Any] = {"role": "assistant", "content": response.text, "refusal": None}
        if response.calls:
            message["content"] = response.text or None
            message["tool_calls"] = [_written(each) for each in response.calls]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _reason(response)}
        usage = self._usage(response)
        return {**self._common, "object": "chat.completion", "choices": [choice], "usage": usage}

    def start(self) -> Iterator[bytes]:
        """The chunk that says who speaks."""
        yield self._chunk({"role": "assistant", "content": ""})

    def words(self, text: str) -> Iterator[bytes]:
        """A chunk with more words."""
        yield self._chunk({"content": text})

    def end(self, response: Response) -> Iterator[bytes]:
        """The calls of the client's tools, why it ends, and what it took where that is wanted."""
        if response.calls:
            yield self._chunk(
                {"tool_calls": [{"index": place, **_written(each)} for place, each in enumerate(response.calls)]}
            )
        yield self._chunk({}, _reason(response))
        if self._asked.usage:
            yield event(
                {**self._common, "object": "chat.completion.chunk", "choices": [], "usage": self._usage(response)}
            )
        yield DONE

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """The error; a stream that breaks off has no other end."""
        yield event({"error": error})

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        usage = {"usage": None} if self._asked.usage else {}
        return event({**self._common, "object": "chat.completion.chunk", "choices": [choice], **usage})

    def _usage(self, response: Response) -> dict[str, int]:
        sent, back = tokens(self._asked, response)
        return {"prompt_tokens": sent, "completion_tokens": back, "total_tokens": sent + back}


def _written(of: ToolCall) -> dict[str, Any]:
    return {"id": of.id, "type": "function", "function": {"name": of.name, "arguments": of.arguments}}


def _reason(response: Response) -> str:
    if response.calls:
        return "tool_calls"
    return "length" if response.usage.cut else "stop"
