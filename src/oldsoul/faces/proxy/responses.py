"""`/v1/responses`: what its bodies mean, and how its replies are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from oldsoul.app.replying.exchange import Response
from oldsoul.errors import BadInput
from oldsoul.faces.proxy.chat import new_id, tokens
from oldsoul.faces.proxy.requests import (
    ClientRequest,
    asked,
    call,
    check_supported,
    dict_of,
    function_tools,
    list_of,
    offer,
    text_of,
    whole,
    words,
)
from oldsoul.faces.web.bodies import event
from oldsoul.values.models import Speaker, ToolCall, Turn

_SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
}


def _is_plain(text: Any) -> bool:
    return not text or (isinstance(text, dict) and text.get("format") in (None, {"type": "text"}))


_UNSUPPORTED = {
    "previous_response_id": lambda value: not value,
    "conversation": lambda value: not value,
    "prompt": lambda value: not value,
    "background": lambda value: not value,
    "text": _is_plain,
}
"""What would change the reply and is not done here, with the values that change nothing."""


def read(body: Mapping[str, Any]) -> ClientRequest:
    """What a body asks; `BadInput` when it makes no sense, or wants what is not done here."""
    check_supported(body, _UNSUPPORTED)
    given, instructions = body.get("input"), body.get("instructions") or ""
    if not isinstance(instructions, str):
        raise BadInput("instructions: give a text")
    turns: list[Turn] = []
    if isinstance(given, str):
        turns.append(Turn(Speaker.USER, whole(given)))
    else:
        for place, item in enumerate(list_of(given, "input")):
            _add(turns, dict_of(item, f"input[{place}]"), f"input[{place}]")
    offers = [offer(tool, f"tools[{place}]") for place, tool in enumerate(function_tools(body))]
    return asked(body, turns, offers, whole(instructions), usage=True)


def _add(turns: list[Turn], item: dict[str, Any], where: str) -> None:
    """Take an item into the conversation; calls belong to the assistant's words before them."""
    match item.get("type") or "message":
        case "message":
            role = item.get("role")
            speaker = _SPEAKERS.get(role) if isinstance(role, str) else None
            if speaker is None:
                raise BadInput(f"{where}.role: one of {', '.join(_SPEAKERS)}, not {role!r}")
            turns.append(Turn(speaker, words(item.get("content"), f"{where}.content")))
        case "function_call":
            made = call(item.get("call_id"), item.get("name"), item.get("arguments"), where)
            if not turns or turns[-1].speaker is not Speaker.ASSISTANT:
                turns.append(Turn(Speaker.ASSISTANT, ""))
            turns[-1] = replace(turns[-1], calls=(*turns[-1].calls, made))
        case "function_call_output":
            answers = text_of(item, "call_id", where)
            turns.append(Turn(Speaker.TOOL, words(item.get("output"), f"{where}.output"), answers=answers))
        case "reasoning":  # another model's thoughts, which this one does not need
            return
        case kind:
            raise BadInput(f"{where}: items of the type {kind!r} are not supported")


class ResponseWriter:
    """Writes one reply as a response."""

    def __init__(self, asked: ClientRequest, created: int) -> None:
        self._asked, self._created = asked, created
        self._id, self._message = new_id("resp_"), new_id("msg_")
        self._number = -1
        self._said = ""
        self._is_open = False

    def whole(self, response: Response) -> dict[str, Any]:
        """The reply as one object."""
        return self._object(self._output(response), response)

    def start(self) -> Iterator[bytes]:
        """The events that say what is coming."""
        yield self._event("response.created", response=self._object([], None))
        yield self._event("response.in_progress", response=self._object([], None))

    def words(self, text: str) -> Iterator[bytes]:
        """The events of more words; the message begins with its first ones."""
        if not self._is_open:
            self._is_open = True
            yield self._event("response.output_item.added", output_index=0, item=self._item("in_progress", None))
            yield self._part("response.content_part.added", "")
        self._said += text
        yield self._text("response.output_text.delta", delta=text)

    def end(self, response: Response) -> Iterator[bytes]:
        """The events that close the message, those of the client's tools, and the whole."""
        if not (self._is_open or response.calls):
            yield from self.words("")
        if self._is_open:
            yield self._text("response.output_text.done", text=self._said)
            yield self._part("response.content_part.done", self._said)
            item = self._item(_status(response), self._said)
            yield self._event("response.output_item.done", output_index=0, item=item)
        output = self._output(response)
        for place in range(int(self._is_open), len(output)):
            yield from self._called(place, output[place])
        name = f"response.{_status(response)}"
        yield self._event(name, response=self._object(output, response))

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """The error, in the form of its event and in that which clients look for."""
        yield self._event("error", code=error["code"], message=error["message"], param=None, error=error)

    def _called(self, place: int, item: dict[str, Any]) -> Iterator[bytes]:
        begun = {**item, "arguments": "", "status": "in_progress"}
        where = {"item_id": item["id"], "output_index": place}
        yield self._event("response.output_item.added", output_index=place, item=begun)
        yield self._event("response.function_call_arguments.delta", delta=item["arguments"], **where)
        told = {"arguments": item["arguments"], "name": item["name"]}
        yield self._event("response.function_call_arguments.done", **told, **where)
        yield self._event("response.output_item.done", output_index=place, item=item)

    def _output(self, response: Response) -> list[dict[str, Any]]:
        """The items of the reply: its words, if there are any or nothing else, and the calls of the client's tools."""
        said = [self._item(_status(response), response.text)] if response.text or not response.calls else []
        return [*said, *map(_written, response.calls)]

    def _item(self, status: str, text: str | None) -> dict[str, Any]:
        content = [] if text is None else [_content(text)]
        return {"id": self._message, "type": "message", "role": "assistant", "status": status, "content": content}

    def _object(self, output: list[dict[str, Any]], response: Response | None) -> dict[str, Any]:
        is_cut = response is not None and response.usage.cut
        offers = self._asked.supplied.offers
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "status": "in_progress" if response is None else _status(response),
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
            "instructions": self._asked.instructions or None,
            "metadata": {},
            "model": self._asked.agent,
            "output": output,
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "store": False,
            "tool_choice": "auto",
            "tools": [
                {"type": "function", "name": each.name, "description": each.description, "strict": False}
                | {"parameters": dict(each.parameters)}
                for each in offers
            ],
            "usage": None if response is None else self._usage(response),
        }

    def _usage(self, response: Response) -> dict[str, Any]:
        sent, back = tokens(self._asked, response)
        return {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": back,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + back,
        }

    def _part(self, name: str, text: str) -> bytes:
        return self._event(name, item_id=self._message, output_index=0, content_index=0, part=_content(text))

    def _text(self, name: str, **more: str) -> bytes:
        return self._event(name, item_id=self._message, output_index=0, content_index=0, logprobs=[], **more)

    def _event(self, name: str, /, **more: Any) -> bytes:
        self._number += 1
        return event({"type": name, "sequence_number": self._number, **more}, name)


def _content(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _written(of: ToolCall) -> dict[str, Any]:
    about = {"call_id": of.id, "name": of.name, "arguments": of.arguments, "status": "completed"}
    return {"id": new_id("fc_"), "type": "function_call", **about}


def _status(response: Response) -> str:
    return "incomplete" if response.usage.cut and not response.calls else "completed"
