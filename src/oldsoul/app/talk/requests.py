"""What people asked to be remembered in a session, and what becomes of it: kept, about to be, or left where it was said."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from oldsoul.app.agent_recall import AgentRecall
from oldsoul.app.talk.log import Log
from oldsoul.driver import conducted
from oldsoul.keepers.conversation import Conversation
from oldsoul.keepers.promote import Promotion, promote
from oldsoul.keepers.questions import Findings, Keeper, Question, Read
from oldsoul.rules.promotion import INDEX, TASK, KeepRequest, asked
from oldsoul.rules.triage import MEMORY
from oldsoul.values.changes import Add, SetField
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.names import Name

KEPT, NEXT, LEFT = "kept", "next", "left"
_ONE = "because one item is kept per session and day, and another came first"
_GONE = "because it was not kept at the time, or was removed later"
_UNCLEAR = "because it is not a clear request to remember something lasting"


class MemoryRequest(NamedTuple):
    """Something a person may have asked to be remembered."""

    message: Message
    """the message that says it"""
    words: str
    """what is to be kept; the whole message where that is not clear"""
    kind: str
    """`index` for long-term memory, `profile`, `task`, or nothing where it is not clear"""
    section: str
    """the heading it belongs under"""
    names: tuple[Name, ...]
    """the documents it goes to"""
    state: str
    """`kept`, `next` when the end of the session keeps it, `task` for its file, or `left` in the chat log"""
    why: str
    """why it is left"""


def asked_in(agent: AgentRecall, log: Log, session_id: str) -> list[MemoryRequest]:
    """What was asked for in a session, in all its messages, as the rules see it; nothing is written."""
    held = log.session(session_id)
    said = sorted(log.every(Wanted(session=held.thread.session.id)), key=lambda message: message.id)
    first: dict[date, tuple[int, int]] = {}
    found: list[MemoryRequest] = []
    for message in said:
        if message.role != "user":
            continue
        is_over = message.id <= held.summarised
        turn = _day(agent, message)
        wanted = asked(message.text)
        for number, one in enumerate(wanted):
            place = message.id, number
            in_room = bool(message.session.room)  # which keeps all it is asked to; a person's memory one a day
            is_first = one.kind != INDEX or in_room or first.setdefault(turn, place) == place
            found.append(_fate(agent, one, message, is_first=is_first, is_over=is_over))
        if not wanted and any(flag.trigger == MEMORY for flag in message.flags):
            found.append(MemoryRequest(message, message.text, "", "", (), LEFT, _UNCLEAR))
    return found


def _day(agent: AgentRecall, message: Message) -> date:
    return message.time.astimezone(agent.zone).date()


def _fate(agent: AgentRecall, one: KeepRequest, message: Message, *, is_first: bool, is_over: bool) -> MemoryRequest:
    """What becomes of one thing: what the summarizer would do with it now, and whether it was first."""

    def told(state: str, why: str = "", names: tuple[Name, ...] = ()) -> MemoryRequest:
        return MemoryRequest(message, one.words, one.kind, one.section, names, state, why)

    if one.kind == TASK:
        return told(TASK)
    findings = conducted(_promoting(agent, one, message), lambda question: _answer(agent, question))
    if not findings.sets:
        return told(LEFT, findings.notes[0] if findings.notes else _UNCLEAR)
    writes = [o for made in findings.sets for o in made.operations if isinstance(o, Add | SetField)]
    known = [operation for operation in writes if isinstance(operation, SetField)]
    names = tuple(dict.fromkeys(operation.name for operation in known or writes))
    if known:  # an entry says it already
        return told(KEPT, names=names)
    if not is_first:
        return told(LEFT, _ONE)
    return told(LEFT, _GONE) if is_over else told(NEXT, names=names)


def _promoting(agent: AgentRecall, one: KeepRequest, message: Message) -> Keeper:
    conversation = Conversation(
        workspace=agent.id,
        agent=agent.display_name,
        session=message.session,
        day=_day(agent, message),
        zone=agent.zone,
        messages=(message,),
        recent=(),
        previous=None,
        operators=frozenset(agent.home.people.operators),
        confidence=agent.settings.memory.confidence,
    )
    sets, notes = yield from promote(conversation, [Promotion(one, message)])
    return Findings(tuple(sets), tuple(notes))


def _answer(agent: AgentRecall, question: Question) -> Any:
    """What a keeper that asks for documents is told; nobody's use is looked up, for nothing is archived."""
    return {name: agent.read(name).data for name in question.names} if isinstance(question, Read) else {}
