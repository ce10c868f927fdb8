"""One message and its reply: logged before anything else, told with what memory holds, and kept when it is answered."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from oldsoul.app.home import Home
from oldsoul.app.keepers.runs import KeeperRuns
from oldsoul.app.keepers.session_summarizer import QUIET
from oldsoul.app.talk.conversations import Conversations
from oldsoul.app.talk.log import Heard, Log
from oldsoul.context.prompt_facts import PromptFacts
from oldsoul.errors import BadInput, OldsoulError, TimedOut, Unavailable
from oldsoul.ports import Talker
from oldsoul.rules.kept_secrets import kept_secrets, without_secrets
from oldsoul.rules.secrets import mask
from oldsoul.settings import Settings
from oldsoul.values.messages import ERASED, Message, Said, Wanted
from oldsoul.values.models import Offer, Request, Speaker, Supplied, ToolCall, Turn, Usage
from oldsoul.values.sessions import Session, SessionKind

if TYPE_CHECKING:
    from oldsoul.app.prompts.prompt import Prompt


Called = Callable[[Mapping[str, Any]], Mapping[str, Any]]


_REPLY = "reply:"
_NEAR = 50
_MOST_CHARACTERS = 40_000  # of the earlier messages together
INTERRUPTED = "[interrupted]"
"""Stands at the end of a reply that was delivered in part."""


class Speaking(Protocol):
    """What an agent is made of, as far as it is talked with."""

    id: str

    @property
    def home(self) -> Home:
        """Its home."""

    @property
    def log(self) -> Log:
        """What was said to it."""

    @property
    def talk(self) -> Conversations:
        """What becomes of what is said to it."""

    @property
    def settings(self) -> Settings:
        """The settings as they hold for it."""

    @property
    def display_name(self) -> str:
        """What people call it."""

    @property
    def keeping(self) -> KeeperRuns:
        """Its keepers."""

    def prompt(self, message: str, session: Session, facts: PromptFacts | None, since: int = 0) -> Prompt:
        """What a model gets for a message."""


class ToolUse(NamedTuple):
    """A tool that the model called for a reply."""

    name: str
    """which"""
    arguments: str
    """JSON, as the model wrote it"""
    result: str
    """JSON, as the model got it"""


class Response(NamedTuple):
    """What an agent replied."""

    text: str
    """the reply as people get it; empty when the agent has nothing to say"""
    heard: Heard | None
    """the message it answers, as it is logged; None when nothing is kept of the conversation"""
    logged: Message | None
    """the reply as it is logged; None when it is not"""
    prompt: Prompt
    """what the model was told: its `context` holds the receipt"""
    tools: tuple[ToolUse, ...] = ()
    """the tools that were called for it"""
    calls: tuple[ToolCall, ...] = ()
    """calls of the caller's own tools, which it has to run; the reply is not at its end then, and not logged yet"""
    reply_to: str = ""
    """the message that the agent says it answers: `current`, or an id; empty when it does not say"""
    answer: str = ""
    """how well memory answers, where no model does: `found`, `unsure`, `unknown`, `conflicting`"""
    notes: tuple[str, ...] = ()
    """what a person should know"""
    usage: Usage = Usage()
    """what the model says the reply took, all its turns together, and whether it was cut off"""

    @property
    def silent(self) -> bool:
        """Whether there is nothing to deliver."""
        return not self.text


class Exchange:
    """A message, and what becomes of it until it is answered.

    A session that was quiet for long is ended before, so that what was said in it is memory now; where a model sums it
    up, that happens beside the reply. With `keep` off nothing is written anywhere. `members` are the agents of a team,
    who get message and reply into their logs too.
    """

    def __init__(
        self,
        agent: Speaking,
        said: Said,
        facts: PromptFacts | None = None,
        *,
        keep: bool = True,
        members: Sequence[Speaking] = (),
        supplied: Supplied | None = None,
    ) -> None:
        self._agent = agent
        self.supplied = supplied
        """what the caller brings along, where it keeps the conversation itself"""
        self._said = said
        self._members = members
        self.notes: list[str] = []
        """what a person should know"""
        self.session = agent.home.people.session(said.session)
        """the conversation"""
        if keep:
            self._end_quiet()
        self.heard = agent.talk.hear(said) if keep else None
        """the message as it is logged"""
        text = self.heard.message.text if self.heard else mask(without_secrets(said.text, kept_secrets(said.text))).text
        self.earlier = _earlier(agent, self.session, self.heard) if supplied is None else ()
        """what was said before, as far as the model is told"""
        since = self.earlier[0].id if self.earlier else self.heard.message.id if self.heard else 0
        self.prompt = agent.prompt(text, said.session, facts, since)
        """what the model is told"""

    @property
    def text(self) -> str:
        """The message, secrets masked."""
        return self.prompt.message

    @property
    def signed(self) -> str:
        """The message as a model is told it: secrets masked, and with who says it where several people talk."""
        sender = self.heard.message.sender if self.heard else self._said.sender
        return _signed(self.text, sender) if self._is_shared else self.text

    @property
    def _is_shared(self) -> bool:
        return self.session.root.kind is not SessionKind.DM

    def turns(self) -> tuple[Turn, ...]:
        """The conversation as a model gets it: what stays the same from reply to reply first, this message last."""
        shared = self._is_shared
        prompt = replace(self.prompt, message=self.signed)
        said = [
            Turn(Speaker.ASSISTANT, each.text)
            if each.role == "assistant"
            else Turn(Speaker.USER, _signed(each.text, each.sender) if shared else each.text)
            for each in self.earlier
        ]
        given = self.supplied or Supplied()
        first, message = Turn(Speaker.SYSTEM, prompt.system.stable), Turn(Speaker.USER, prompt.turn)
        return first, *map(_without_secrets, given.earlier), *said, message, *map(_without_secrets, given.following)

    def known_reply(self) -> Message | None:
        """The reply that this message already got, when it comes a second time; a program may ask for another one."""
        if self.heard is None or not self.heard.repeated or self.supplied is not None:
            return None
        message = self.heard.message
        wanted = Wanted(session=message.session.id, after=message.id, by_number=True, limit=_NEAR)
        return next((each for each in self._agent.log.messages(wanted) if each.key == f"{_REPLY}{message.id}"), None)

    def answered(self, text: str, *, interrupted: bool = False) -> Message | None:
        """Log the reply; a team's in its members' logs too. The log of the day has it when the session ends.

        It was given already, so what goes wrong now is a note, not an error.
        """
        if self.heard is None or not text:
            return None
        reply = Said(
            f"{text} {INTERRUPTED}" if interrupted else text,
            self._said.session,
            role="assistant",
            sender=self._agent.display_name,
            channel=self._said.channel,
            key="" if self.supplied is not None else f"{_REPLY}{self.heard.message.id}",
        )
        logged = None
        try:
            logged = self._agent.talk.hear(reply).message
            for member in self._members:
                self._tell(member, self.heard.message, reply)
        except (OldsoulError, OSError) as error:
            self.notes.append(f"not everything could be logged: {error}")
        return logged

    def _tell(self, member: Speaking, message: Message, reply: Said) -> None:
        """Log what was said to a team, and its reply, with one of its members."""
        session = Session.team(self._agent.id, self._said.session)
        key = f"team:{self._agent.id}:{message.id}"
        member.log.hear(replace(self._said, session=session, key=key))
        member.log.hear(replace(reply, session=session, key=reply.key and f"{_REPLY}{key}"))

    def _end_quiet(self) -> None:
        """End the session, if nobody has said anything in it for long."""
        home, settings = self._agent.home, self._agent.settings
        thread = home.chat.thread(self._agent.id, self.session.id)
        if thread is None or not (settings.memory.enabled and settings.keepers.enabled):
            return
        if home.world.clock.now() - thread.last < QUIET or self._agent.log.session(self.session.id).ended:
            return
        try:
            if home.driver.model is None:
                self._agent.talk.end(self.session.id)
            else:
                work = self._agent.keeping.as_job("session-summarizer")
                home.working.start("run", self._agent.id, work)
        except OldsoulError as error:  # it stays to be done, and the reply does not wait for it
            self.notes.append(f"the session before was not summarised: {error}")


def _signed(text: str, sender: str) -> str:
    return f"{sender}: {text}" if sender else text


def _earlier(agent: Speaking, session: Session, heard: Heard | None) -> Sequence[Message]:
    """The last messages of a session before this one, within limits.

    Where they begin moves in steps, half the limit each: in between, a conversation only grows at its end.
    """
    options = agent.settings.context.replies
    thread = agent.home.chat.thread(agent.id, session.id) if heard and options.history_messages else None
    if heard is None or thread is None:
        return ()
    step = max(options.history_messages // 2, 1)
    before = max(thread.count - 1, 0)
    wanted = before if before <= step else step + before % step
    view = agent.home.people.view(session, agent.id)
    latest = agent.log.messages(Wanted(session=session.id, newest_first=True, limit=wanted + 1))
    found = [
        each
        for each in reversed(latest)
        if each.id != heard.message.id
        and each.role in ("user", "assistant")
        and each.text != ERASED
        and view.sees(agent.home.people.message(each).audience)
    ]
    while found and sum(len(each.text) for each in found) > _MOST_CHARACTERS:
        found = found[(len(found) + 1) // 2 :]
    return found


def _without_secrets(turn: Turn) -> Turn:
    """A turn that the caller brings along, without what somebody asked in it to be kept as a secret."""
    asked = kept_secrets(turn.text) if turn.speaker is Speaker.USER and turn.text else []
    return replace(turn, text=without_secrets(turn.text, asked)) if asked else turn


_MOST_CALLS = 16
"""So many tools may be called in one round."""
_LONGEST = 2**20
_ANSWERS_LONG = 2.5  # how long a reply may take, in times of one answer
"""So many characters a reply may have, all rounds together."""
MOST_RESULT_BYTES = 32_768
"""So many bytes a tool's result may have; a larger one is an error for the model."""


class Round:
    """The end of one of the model's turns: what is said after it is said again."""


ROUND = Round()


class Tools:
    """The tools a model may call here, each by what it does with its arguments."""

    def __init__(self, offers: Sequence[Offer], functions: Mapping[str, Called], foreign: Sequence[Offer] = ()) -> None:
        """Args: foreign are the caller's own tools, which are called elsewhere; none has the name of one of ours."""
        self.foreign = {offer.name for offer in foreign} - functions.keys()
        self.offers = (*offers, *(offer for offer in foreign if offer.name in self.foreign))
        """their descriptions for the model"""
        self.left: tuple[ToolCall, ...] = ()
        """calls that the caller has to make"""
        self.used: list[ToolUse] = []
        """what was called, and its result"""
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
    talker: Talker, turns: Sequence[Turn], tools: Tools, settings: Settings, model: str
) -> Iterator[str | Round | Usage]:
    """What a model says, round after round, the tools it calls in between; the last round is the one that calls none.

    After so many rounds it is offered no tools any more. `Unavailable` when it does not answer, `TimedOut` when not in time.
    """
    rounds = settings.context.replies.tool_rounds
    seconds = _ANSWERS_LONG * settings.keepers.model.timeout_seconds
    give_up = time.monotonic() + seconds
    said: list[Turn] = list(turns)
    length = 0
    for left in reversed(range(rounds + 1)):
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
                    f"the reply took longer than {seconds:g} s; raise keepers.model.timeout_seconds to wait longer"
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
    raise Unavailable(f"the model called tools {rounds} times in a row and gave no reply")


def _result(tools: Tools, call: ToolCall, place: int) -> str:
    if place >= _MOST_CALLS:
        return json.dumps({"error": f"only {_MOST_CALLS} tools can be called at once; call it again"})
    return tools.call(call)
