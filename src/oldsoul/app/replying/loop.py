"""The turns between a model and the tools it calls, until it replies: bounded in rounds, in bytes and in seconds."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from oldsoul.app.replying.exchange import ToolUse
from oldsoul.errors import BadInput, OldsoulError, TimedOut, Unavailable
from oldsoul.values.talking import Offer, Request, Speaker, ToolCall, Turn, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oldsoul.context.options import ReplyOptions
    from oldsoul.ports import Talker

    Called = Callable[[Mapping[str, Any]], Mapping[str, Any]]

_MOST_CALLS = 16
"""So many tools may be called in one round."""
_LONGEST = 2**20
"""So many characters a reply may have, all rounds together."""
MOST_RESULT_BYTES = 32_768
"""So many bytes a tool's result may have; a larger one is an error for the model."""


class Round:
    """The end of one of the model's turns: what is said after it is said anew."""


ROUND = Round()


class Tools:
    """The tools a model may call here, each by what it does with its arguments."""

    def __init__(self, offers: Sequence[Offer], functions: Mapping[str, Called], foreign: Sequence[Offer] = ()) -> None:
        """Args: foreign are the caller's own tools, which are called elsewhere; none has the name of one of ours."""
        self.foreign = {offer.name for offer in foreign} - functions.keys()
        self.offers = (*offers, *(offer for offer in foreign if offer.name in self.foreign))
        """what the model is told of them"""
        self.left: tuple[ToolCall, ...] = ()
        """calls that the caller has to make"""
        self.used: list[ToolUse] = []
        """what was called, and what came of it"""
        self._functions = functions

    def call(self, call: ToolCall) -> str:
        """The result of a call as the model gets it: JSON. What went wrong is a result too, so that it can try again."""
        try:
            result = dict(self._function(call)(_arguments(call)))
        except OldsoulError as error:
            result = {"error": str(error)}
        text = json.dumps(result, ensure_ascii=False, default=str)
        if len(text.encode("utf-8", "replace")) > MOST_RESULT_BYTES:
            text = json.dumps({"error": f"the result has more than {MOST_RESULT_BYTES} bytes; ask for less at a time"})
        self.used.append(ToolUse(call.name, call.arguments, text))
        return text

    def _function(self, call: ToolCall) -> Called:
        if call.name not in self._functions:
            raise BadInput(f"there is no tool {call.name!r}; there are {', '.join(self._functions) or 'none'}")
        return self._functions[call.name]


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    try:
        found = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        raise BadInput(f"{call.name}: the arguments are not valid JSON") from None
    if not isinstance(found, dict):
        raise BadInput(f"{call.name}: the arguments have to be a JSON object")
    return found


def conversed(
    talker: Talker, turns: Sequence[Turn], tools: Tools, options: ReplyOptions, model: str
) -> Iterator[str | Round | Usage]:
    """What a model says, round after round, the tools it calls in between; the last round is the one that calls none.

    After so many rounds it is offered no tools any more. `Unavailable` when it does not answer, `TimedOut` when not in time.
    """
    give_up = time.monotonic() + options.seconds
    said: list[Turn] = list(turns)
    length = 0
    for left in reversed(range(options.tool_rounds + 1)):
        words: list[str] = []
        calls: list[ToolCall] = []
        offers = tools.offers if left else ()
        for piece in talker.talk(Request(tuple(said), offers, model)):
            if isinstance(piece, ToolCall):
                calls.append(piece)
            else:
                if isinstance(piece, str):
                    words.append(piece)
                    length += len(piece)
                yield piece
            if length > _LONGEST:
                raise Unavailable(f"the reply has more than {_LONGEST} characters, so it was stopped")
            if time.monotonic() > give_up:
                raise TimedOut(
                    f"the reply took longer than {options.seconds:g} s; raise context.replies.seconds to wait longer"
                )
        yield ROUND
        if not calls:
            return
        if not left:
            break
        tools.left = tuple(call for call in calls if call.name in tools.foreign)
        if tools.left:  # ours, if any was called beside, is called again when it is needed
            return
        said.append(Turn(Speaker.ASSISTANT, "".join(words), tuple(calls)))
        said += [Turn(Speaker.TOOL, _result(tools, call, place), answers=call.id) for place, call in enumerate(calls)]
    raise Unavailable(f"the model called tools {options.tool_rounds} times in a row and gave no reply")


def _result(tools: Tools, call: ToolCall, place: int) -> str:
    if place >= _MOST_CALLS:
        return json.dumps({"error": f"only {_MOST_CALLS} tools can be called at once; call it again"})
    return tools.call(call)
