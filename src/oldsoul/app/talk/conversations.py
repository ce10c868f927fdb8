"""Conversations of one agent: what is heard is logged and its corrections hold at once; when a session ends, it becomes memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers import recall_validator
from oldsoul.app.keepers.session_summarizer import SessionEnds
from oldsoul.app.talk.log import Heard, Log
from oldsoul.driver import Report, conducted
from oldsoul.errors import BadInput, OldsoulError
from oldsoul.judging.corrections.values import holds, value_like
from oldsoul.keepers.conversation import CommandedCorrection, Conversation
from oldsoul.keepers.promote import Promotion, promote
from oldsoul.keepers.questions import Findings, Keeper, Question, Read
from oldsoul.rules.promotion import INDEX, TASK, KeepRequest, asked
from oldsoul.rules.triage import MEMORY
from oldsoul.values.changes import Add, SetField
from oldsoul.values.ids import id_of
from oldsoul.values.messages import Message, Said, Wanted
from oldsoul.values.names import Kind, Name, room
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from oldsoul.app.keepers.runs import KeeperRuns


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


def asked_in(agent: AgentWorkspace, log: Log, session_id: str) -> list[MemoryRequest]:
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


def _day(agent: AgentWorkspace, message: Message) -> date:
    return message.time.astimezone(agent.zone).date()


def _fate(agent: AgentWorkspace, one: KeepRequest, message: Message, *, is_first: bool, is_over: bool) -> MemoryRequest:
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


def _promoting(agent: AgentWorkspace, one: KeepRequest, message: Message) -> Keeper:
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


def _answer(agent: AgentWorkspace, question: Question) -> Any:
    """What a keeper that asks for documents is told; nobody's use is looked up, for nothing is archived."""
    return {name: agent.read(name).data for name in question.names} if isinstance(question, Read) else {}


class Room(NamedTuple):
    """A room that an agent knows."""

    id: str
    """what it is called"""
    messages: int
    """how many messages were logged in it"""
    last: datetime | None
    """when something was last said in it; None when nothing was"""
    path: str
    """the file of what it knows; empty when there is none"""


def rooms(agent: AgentWorkspace) -> list[Room]:
    """The rooms there are, by their ids."""
    store = agent.home.world.store
    files = {name.path: id_of(name.owner_segment) for name in store.names(agent.id, "rooms") if name.kind is Kind.ROOM}
    found = {each: Room(each, 0, None, path) for path, each in files.items() if each}
    for thread in agent.home.chat.threads(agent.id):
        each = thread.session.root.room
        if each:
            path = room(agent.id, each).path
            known = found.get(each, Room(each, 0, None, path if path in files else ""))
            last = max(known.last, thread.last) if known.last else thread.last
            found[each] = known._replace(messages=known.messages + thread.count, last=last)
    return [found[each] for each in sorted(found)]


ENDING = "end "
"""How the end of a session is called among what can be run, before the session's id."""


class Conversations:
    """What is said to one agent, and what becomes of it."""

    def __init__(self, keeping: KeeperRuns) -> None:
        self._keeping = keeping
        self._inputs = keeping.inputs

    def hear(self, said: Said) -> Heard:
        """Log one message, durably; what the operator corrects in it holds before anybody replies."""
        heard = self._inputs.log.hear(said)
        if heard.message.origin is Origin.OPERATOR and not heard.repeated:
            heard = heard._replace(corrected=self._correct(heard.message))
        return heard

    def correct(self, statement: str, operator: Subject, *, wrong: str, right: str) -> Report:
        """Put something right at the operator's word: it is logged like anything they say, and holds at once."""
        self._inputs.agent.check_enabled()
        right = right or (value_like(statement, wrong) if wrong else "")
        if wrong and not (right and holds(statement, right)):
            raise BadInput("say which value in the statement is the right one: right=… (--right)")
        heard = self.hear(Said(statement, Session.dm(operator, id="corrections")))
        report = recall_validator.by_command(
            self._keeping, heard.message, CommandedCorrection(heard.message.text, wrong, right)
        )
        done = heard.corrected.steps if heard.corrected else ()  # what was plain as soon as it was said
        return replace(
            report, steps=(*done, *(s for s in report.steps if not (done and s.outcome and s.outcome.repeated)))
        )

    def _correct(self, message: Message) -> Report | None:
        """Have what the operator corrects hold before anybody replies; the message stays logged if that fails."""
        if not self._keeping.is_on:
            return None
        try:
            return recall_validator.at_once(self._keeping, message)
        except OldsoulError as error:  # the validator's own run finds it again
            self._inputs.agent.home.noticed.append(f"m:{message.id} was not checked: {error}")
            return None

    def asked(self, session_id: str) -> list[MemoryRequest]:
        """What was asked to be remembered in a session, and what becomes of it; nothing is written."""
        return asked_in(self._inputs.agent, self._inputs.log, session_id)

    def end(self, session_id: str, *, dry_run: bool = False) -> list[Report]:
        """Summarise what a session said since the last time, into its files, the diary and long-term memory."""
        self._inputs.agent.check_enabled()
        if not dry_run:
            self._inputs.days.keep()
        return list(self.ended(session_id, {}, dry_run=dry_run))

    def ended(self, session_id: str, answers: Mapping[str, str], *, dry_run: bool = False) -> Iterator[Report]:
        """The runs that the end of a session takes; `answers` are what somebody answered to questions that wait."""
        keeping, job = self._keeping, f"{ENDING}{session_id}"
        return keeping.in_order(
            SessionEnds(self._inputs).works(session_id, dry_run=dry_run),
            lambda work, held: keeping.do(work, dry_run=dry_run, patience=(job, answers, held)),
            dry_run=dry_run,
        )
