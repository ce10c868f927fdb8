"""Conversations of one agent: what is heard is logged and its corrections hold at once; when a session ends, it becomes memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_recall import AgentRecall
from oldsoul.app.keepers import recall_validator
from oldsoul.app.keepers.session_summarizer import Ending
from oldsoul.app.talk.log import Heard
from oldsoul.app.talk.requests import MemoryRequest, asked_in
from oldsoul.driver import Report
from oldsoul.errors import BadInput, OldsoulError
from oldsoul.judging.corrections.values import holds, value_like
from oldsoul.keepers.conversation import CommandedCorrection
from oldsoul.values.ids import id_of
from oldsoul.values.messages import Message, Said
from oldsoul.values.names import Kind, room
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from oldsoul.app.keepers.runs import Keeping


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


def rooms(agent: AgentRecall) -> list[Room]:
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

    def __init__(self, keeping: Keeping) -> None:
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
            Ending(self._inputs).works(session_id, dry_run=dry_run),
            lambda work, held: keeping.do(work, dry_run=dry_run, patience=(job, answers, held)),
            dry_run=dry_run,
        )
