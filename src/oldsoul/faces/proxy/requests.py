"""What a client asks, in whichever of OpenAI's APIs: read from JSON, checked, and put as an agent takes it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oldsoul.errors import BadInput
from oldsoul.values.frozen import frozen
from oldsoul.values.models import Offer, Speaker, Supplied, ToolCall, Turn

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONGEST_ID = 200
_NO_PARAMETERS = {"type": "object", "properties": {}}
TEXTS = ("text", "input_text", "output_text", "refusal")
"""The kinds of content that are words."""


@frozen
class ClientRequest:
    """One request of a client."""

    agent: str
    """the agent it is for, which the client calls a model"""
    message: str
    """the last thing the user said"""
    instructions: str
    """the client's own system prompt"""
    supplied: Supplied
    """the conversation around the message, and the client's tools"""
    stream: bool
    """whether the reply is wanted as it comes"""
    usage: bool = False
    """whether a stream is to end with what it took"""

    def key(self, session: str) -> str:
        """What tells this message of a session from others: the same when it comes again with results of tools.

        The client's system prompt does not count, since it may hold the time.
        """
        said = [(str(turn.speaker), turn.text, _calls(turn), turn.answers) for turn in self.supplied.earlier]
        text = json.dumps([session, said, self.message])
        return f"proxy:{hashlib.sha256(text.encode()).hexdigest()}"


def _calls(turn: Turn) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in turn.calls]


def asked(
    body: Mapping[str, Any], turns: Sequence[Turn], offers: Sequence[Offer], instructions: str = "", *, usage: bool
) -> ClientRequest:
    """The request of a body and its conversation; `BadInput` when there is nothing to reply to."""
    last = max((place for place, turn in enumerate(turns) if turn.speaker is Speaker.USER), default=-1)
    if last < 0:
        raise BadInput("there is no message of the user to reply to")
    if not turns[last].text.strip():
        raise BadInput("the last message of the user is empty")
    _check_results(turns)
    told = (instructions, *(turn.text for turn in turns if turn.speaker is Speaker.SYSTEM))
    earlier, following = (
        tuple(turn for turn in part if turn.speaker is not Speaker.SYSTEM) for part in (turns[:last], turns[last + 1 :])
    )
    return ClientRequest(
        text_of(body, "model"),
        turns[last].text,
        "\n\n".join(filter(str.strip, told)),
        Supplied(earlier, following, _wanted(body, offers)),
        flag(body, "stream"),
        usage,
    )


def _check_results(turns: Sequence[Turn]) -> None:
    """`BadInput` where calls and results of tools do not fit: every service refuses such a conversation."""
    waiting: set[str] = set()
    for turn in (each for each in turns if each.speaker is not Speaker.SYSTEM):
        if turn.speaker is Speaker.TOOL:
            if turn.answers not in waiting:
                raise BadInput(f"a tool's result answers {turn.answers!r}, which the message before it does not call")
            waiting.remove(turn.answers)
        elif waiting:
            break
        waiting |= {call.id for call in turn.calls}
    if waiting:
        raise BadInput(f"the result of the tool call {min(waiting)!r} is missing")


def _wanted(body: Mapping[str, Any], offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """The client's tools, as far as it wants them to be called."""
    chosen = body.get("tool_choice") or "auto"
    if chosen not in ("auto", "none"):
        raise BadInput("tool_choice can only be auto or none here")
    return () if chosen == "none" else tuple(offers)


def check_supported(body: Mapping[str, Any], unsupported: Mapping[str, Callable[[Any], bool]]) -> None:
    """`BadInput` for what would change the meaning of the reply and is not done here; the rest is ignored."""
    wrong = next((name for name, harmless in unsupported.items() if not harmless(body.get(name))), "")
    if wrong:
        raise BadInput(f"{wrong} is not supported with this value; leave it out")


def offer(function: Any, where: str) -> Offer:
    """A tool of the client, from its name, description and parameters."""
    given = dict_of(function, where)
    name, about = text_of(given, "name", where), given.get("description") or ""
    if not _NAME.fullmatch(name):
        raise BadInput(f"{where}.name: letters, digits, _ and -, at most 64, not {name!r}")
    parameters = dict_of(given.get("parameters") or _NO_PARAMETERS, f"{where}.parameters")
    return Offer(name, whole(about) if isinstance(about, str) else "", parameters)


def function_tools(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tools of a body; `BadInput` when one is not a function, since nobody would run it."""
    found = [dict_of(tool, f"tools[{place}]") for place, tool in enumerate(list_of(body.get("tools") or [], "tools"))]
    for place, tool in enumerate(found):
        if tool.get("type") != "function":
            raise BadInput(f"tools[{place}]: only tools of the type function are supported, not {tool.get('type')!r}")
    return found


def call(call_id: Any, name: Any, arguments: Any, where: str) -> ToolCall:
    """A call that a message of the assistant makes."""
    if not (isinstance(call_id, str) and 0 < len(call_id) <= _LONGEST_ID and isinstance(name, str) and name):
        raise BadInput(f"{where}: a tool call needs an id and a name")
    return ToolCall(whole(call_id), whole(name), whole(arguments) if isinstance(arguments, str) else "{}")


def words(content: Any, where: str) -> str:
    """The text of a message: a string, or parts that are text; `BadInput` for pictures, sound and files."""
    if content is None or isinstance(content, str):
        return whole(content or "")
    found = []
    for place, part in enumerate(list_of(content, where)):
        given = dict_of(part, f"{where}[{place}]")
        kind = given.get("type")
        if kind not in TEXTS:
            raise BadInput(f"{where}[{place}]: only text is supported, not {kind!r}")
        found.append(text_of(given, "refusal" if kind == "refusal" else "text", f"{where}[{place}]", empty=True))
    return "".join(found)


def whole(text: str) -> str:
    """The text with a mark for each half of a character; JSON may hold those."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def flag(body: Mapping[str, Any], name: str) -> bool:
    """A switch of the body, off when it is not there."""
    found = body.get(name)
    if found not in (None, True, False):
        raise BadInput(f"{name}: true or false")
    return bool(found)


def text_of(given: Mapping[str, Any], name: str, where: str = "", *, empty: bool = False) -> str:
    """A text that has to be there."""
    found = given.get(name)
    if not isinstance(found, str) or not (found or empty):
        raise BadInput(f"{f'{where}.' if where else ''}{name}: give a text")
    return whole(found)


def list_of(given: Any, where: str) -> list[Any]:
    """A list; `BadInput` when it is none."""
    if not isinstance(given, list):
        raise BadInput(f"{where}: give a list")
    return given


def dict_of(given: Any, where: str) -> dict[str, Any]:
    """An object; `BadInput` when it is none."""
    if not isinstance(given, dict):
        raise BadInput(f"{where}: give an object")
    return given
