"""`/v1/chat/completions`: what its bodies mean, and how its replies are written."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from oldsoul.app import Oldsoul
from oldsoul.app.replying.exchange import Response
from oldsoul.context.prompt_facts import PromptFacts
from oldsoul.errors import BadInput
from oldsoul.faces.proxy.problems import no_model
from oldsoul.faces.proxy.requests import (
    ClientRequest,
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
from oldsoul.faces.web.bodies import event
from oldsoul.rules.limits import estimated
from oldsoul.values.callers import Caller, CallerRole, Token
from oldsoul.values.models import Speaker, ToolCall, Turn
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.app.replying.replies import Stream


CHANNEL = "proxy"
_SESSION_HEADERS = ("x-session-id", "x-librechat-conversation-id")
"""Where clients name their conversation, the first one that is there counts."""


def models(soul: Oldsoul, token: Token, only: Sequence[str]) -> list[str]:
    """The agents and teams that a token may talk with; `only` restricts them."""
    every = dict.fromkeys((*soul.agents(), *soul.teams()))
    return [name for name in every if token.agent in ("", name) and (not only or name in only)]


def session_of(token: Token, headers: Mapping[str, str]) -> tuple[Session, bool]:
    """The conversation of a request, and whether it is kept.

    Its id begins with the token's, so that no client can name a conversation of somebody else. Of one without a name,
    and of all that readers hold, nothing is kept.
    """
    named = next((value for name in _SESSION_HEADERS if (value := headers.get(name, "").strip())), "")
    session = Session.dm(token.person, id=f"{CHANNEL}:{token.id}:{named}" if named else f"{CHANNEL}:{token.id}")
    return session, bool(named) and token.role is not CallerRole.READER


def begun(soul: Oldsoul, token: Token, asked: ClientRequest, headers: Mapping[str, str], only: Sequence[str]) -> Stream:
    """The reply to a request, not read yet; the message is logged. Whatever its token, a client talks and decides nothing."""
    if asked.agent not in models(soul, token, only):
        raise no_model(asked.agent)
    session, keep = session_of(token, headers)
    caller = Caller.reader if token.role is CallerRole.READER else Caller.agent
    return soul.agent(asked.agent, caller=caller(token.id, session=session)).stream(
        asked.message,
        session=session,
        channel=CHANNEL,
        key=asked.key(session.id),
        facts=PromptFacts(extra=asked.instructions),
        keep=keep,
        supplied=asked.supplied,
    )


DONE = b"data: [DONE]\n\n"


class ReplyWriter(Protocol):
    """Writes one reply, whole or as the events of a stream."""

    def whole(self, response: Response) -> dict[str, Any]:
        """The reply as one object."""
        ...

    def start(self) -> Iterator[bytes]:
        """The events before the first words."""
        ...

    def words(self, text: str) -> Iterator[bytes]:
        """The events of more words."""
        ...

    def end(self, response: Response) -> Iterator[bytes]:
        """The events after the last words."""
        ...

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """The events that tell of an error in the middle, and end the stream."""
        ...


def new_id(prefix: str) -> str:
    """An id that nothing else has."""
    return f"{prefix}{uuid.uuid4().hex}"


def tokens(asked: ClientRequest, response: Response) -> tuple[int, int]:
    """How many tokens were sent and came back; estimated where the model does not say."""
    took, prompt = response.usage, response.prompt
    if took.tokens_in and took.tokens_out:
        return took.tokens_in, took.tokens_out
    around = (turn.text for turn in (*asked.supplied.earlier, *asked.supplied.following))
    sent = took.tokens_in or estimated("\n".join((prompt.system.stable, prompt.turn, *around)))
    back = "".join((response.text, *(f"{call.name}{call.arguments}" for call in response.calls)))
    return sent, took.tokens_out or estimated(back)


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


def read(body: Mapping[str, Any]) -> ClientRequest:
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

    def __init__(self, asked: ClientRequest, created: int) -> None:
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
