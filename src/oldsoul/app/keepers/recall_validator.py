"""The recall validator's work: the operator's messages that put something right, one by one."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers import correction_checks
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.driver import Report
from oldsoul.errors import OldsoulError, Unavailable
from oldsoul.keepers.conversation import CommandedCorrection, OperatorMessage
from oldsoul.keepers.questions import nothing
from oldsoul.keepers.validate_recall import AUTHOR, KEEPER, NAMED, ROUTED, correct_again, is_started, validate
from oldsoul.values.history import Record
from oldsoul.values.messages import Message, Wanted

if TYPE_CHECKING:
    from oldsoul.app.keepers.runs import KeeperRuns


VALIDATED = "validated"
"""The kind of record that says up to which message the log was looked through."""
_CURSOR = "cursor"
_BEFORE = 4
_TOLD_EVERY = 20
_SECONDS, _MOST_OUTPUT = 10.0, 65_536  # what a recall handler has
MOST_LOOKED_AT, MOST_ACTED_ON = 20_000, 1000
"""So many of the operator's messages of an import are looked at, and so many acted on; the others wait for the validator."""


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """What was said since the last look, message by message, and that it was looked through."""
    del dry_run
    agent = inputs.agent
    noted = agent.home.world.store.records(agent.id, VALIDATED)
    start = last = _looked(agent)
    standing = correction_checks.standing(agent)
    before: defaultdict[str, deque[Message]] = defaultdict(partial(deque, maxlen=_BEFORE))
    for message in inputs.log.every(Wanted(after=start, by_number=True)):
        last = message.id
        known = before[message.session.id]
        if not known:
            known.extend(_previous(agent, message))
        handled = f"m:{message.id}" in noted
        if not handled and is_started(agent.home.people.message(message), standing):
            yield _work(agent, message, tuple(known), asks=True)
        known.append(message)
    if last > start:
        yield _again(agent, last)
        closing = partial(_noted, agent, last)
        yield Work(KEEPER, f"validated:{last}", nothing, closing=closing, after=partial(_after, agent))


def at_once(keeping: KeeperRuns, message: Message) -> Report | None:
    """Carry out what a message of the operator corrects, before anybody replies to it; no model is asked."""
    agent = keeping.inputs.agent
    if not is_started(message, correction_checks.standing(agent) if message.role == "user" else ()):
        return None
    work = _work(agent, message, tuple(_previous(agent, message)), asks=False)
    report = keeping.do(work)
    work.after(report)
    _note(keeping.inputs, message, report)
    return report


class ImportedCorrections(NamedTuple):
    """What came of looking through messages that were imported."""

    reports: tuple[Report, ...] = ()
    """of each message that put something right, or may have: what became of it, in the order they were said"""
    waiting: int = 0
    """how many of the operator's messages wait for the validator's own run, for a model or because they were too many"""

    @property
    def corrected(self) -> int:
        """How many put something right."""
        return sum(any(step.outcome and step.outcome.change for step in report.steps) for report in self.reports)

    @property
    def proposed(self) -> int:
        """How many might, and wait for the operator to say so."""
        return sum(any(step.outcome and step.outcome.proposal for step in report.steps) for report in self.reports)


def imported(
    keeping: KeeperRuns, own: Collection[int], since: datetime, on_progress: Callable[[int, int], None]
) -> ImportedCorrections:
    """Carry out what the operator corrected in messages that were imported, in the order they were said.

    It is done as if each had just been heard: no model is asked, and no program is started for what is about tools. Of
    very many the last wait.
    """
    agent, inputs = keeping.inputs.agent, keeping.inputs
    noted, start = agent.home.world.store.records(agent.id, VALIDATED), _looked(agent)
    standing = correction_checks.standing(agent)
    before: defaultdict[str, deque[Message]] = defaultdict(partial(deque, maxlen=_BEFORE))
    reports: list[Report] = []
    done = waiting = 0
    for message in inputs.log.every(Wanted(since=since)):
        if message.session.id not in before:
            before[message.session.id].extend(_previous(agent, message))
        known = before[message.session.id]
        if message.id in own and message.id > start and f"m:{message.id}" not in noted:
            if done >= MOST_LOOKED_AT or len(reports) >= MOST_ACTED_ON:
                waiting += 1
            elif is_started(agent.home.people.message(message), standing):
                report = _of_import(keeping, message, tuple(known))
                reports += [report] if report else []
                waiting += report is None or (not _is_settled(inputs, report) and inputs.questions.is_done_for)
            done += 1
            if done % _TOLD_EVERY == 0:
                on_progress(done, len(own))
        known.append(message)
    if any(report.changes for report in reports):
        correction_checks.mark_embedded(agent)
    return ImportedCorrections(tuple(report for report in reports if report.steps), waiting)


def again(keeping: KeeperRuns) -> Report:
    """Correct again what the operator's own memory repeats after a correction, as sessions that ended since do."""
    agent = keeping.inputs.agent
    return keeping.do(_again(agent, agent.home.chat.last(agent.id)))


def _again(agent: AgentWorkspace, last: int) -> Work:
    return Work(KEEPER, f"again:{last}", partial(correct_again, agent.id, agent.home.people.operators))


def _of_import(keeping: KeeperRuns, message: Message, before: Sequence[Message]) -> Report | None:
    try:
        report = keeping.do(_work(keeping.inputs.agent, message, before, asks=False))
    except OldsoulError as error:  # the validator's own run finds it again
        keeping.inputs.agent.home.noticed.append(f"m:{message.id} was not checked: {error}")
        return None
    _note(keeping.inputs, message, report)
    return report


def _note(inputs: KeeperInputs, message: Message, report: Report) -> None:
    """Note that a message's corrections are done, unless a model may still find more."""
    if _is_settled(inputs, report):
        _handle(inputs.agent, message)


def _is_settled(inputs: KeeperInputs, report: Report) -> bool:
    return bool(report.changes) and (NAMED in report.facts or not inputs.questions.is_done_for)


def _handle(agent: AgentWorkspace, message: Message) -> None:
    """Note that a message's corrections are done, so that nobody repeats them when other things are true."""
    record = Record(VALIDATED, f"m:{message.id}", "1")
    agent.home.ledger.note(agent.id, AUTHOR, "corrected at once", f"handled:{message.id}", [record])


def by_command(keeping: KeeperRuns, message: Message, given: CommandedCorrection) -> Report:
    """Correct what the operator names by command."""
    work = _work(keeping.inputs.agent, message, (), asks=False, given=given)
    report = keeping.do(work)
    work.after(report)
    _handle(keeping.inputs.agent, message)
    return report


def _looked(agent: AgentWorkspace) -> int:
    return int(agent.home.world.store.records(agent.id, VALIDATED).get(_CURSOR, "0"))


def _noted(agent: AgentWorkspace, last: int) -> list[Record]:
    handled = [key for key in agent.home.world.store.records(agent.id, VALIDATED) if key != _CURSOR]
    return [Record(VALIDATED, _CURSOR, str(last)), *(Record(VALIDATED, key, None) for key in handled)]


def _previous(agent: AgentWorkspace, message: Message) -> Sequence[Message]:
    """What was said just before a message in its session, the latest last."""
    until = message.time + timedelta(microseconds=1)  # some channels tell the time by the minute
    wanted = Wanted(session=message.session.id, until=until, newest_first=True, limit=2 * _BEFORE)
    earlier = [m for m in reversed(agent.home.chat.find(agent.id, wanted)) if m.id < message.id]
    return earlier[-_BEFORE:]


def _work(
    agent: AgentWorkspace,
    message: Message,
    before: Sequence[Message],
    *,
    asks: bool,
    given: CommandedCorrection | None = None,
) -> Work:
    people = agent.home.people
    exchange = OperatorMessage(
        workspace=agent.id,
        zone=agent.zone,
        message=people.message(message),
        before=tuple(people.message(one) for one in before),
        asks=asks,
        given=given,
        operators=frozenset(people.operators),
        standing=tuple(correction_checks.standing(agent)),
    )
    after = partial(_after, agent, message=message, at_once=not asks)
    place = f"validate:{message.id}" if asks else f"validate:{message.id}:at once"
    handled = [Record(VALIDATED, f"m:{message.id}", "1")] if asks else []  # else it would be asked about again
    return Work(KEEPER, place, partial(validate, exchange), closing=lambda: handled, after=after)


def _after(agent: AgentWorkspace, report: Report, message: Message | None = None, *, at_once: bool = False) -> None:
    """Hand what is about a tool to the operator's program, and look whether the index holds what was corrected."""
    if message is not None and ROUTED in report.facts:
        _handed_on(agent, message)
    if message is None or (report.changes and at_once):
        correction_checks.mark_embedded(
            agent
        )  # of many corrections once, at the end: each look brings the index up to date


def _handed_on(agent: AgentWorkspace, message: Message) -> None:
    options = agent.settings.keepers
    if not options.recall_handler:
        return
    begun = agent.home.ledger.note(agent.id, AUTHOR, "about a tool, passed to the handler", f"handed:{message.id}", [])
    if begun.repeated:
        return
    given = {
        "agent": agent.id,
        "session": message.session.id,
        "message": message.id,
        "time": message.time.isoformat(),
        "text": message.text,
        "before": [{"role": m.role, "text": m.text} for m in _previous(agent, message)],
    }
    try:
        agent.home.world.host.program(
            options.recall_handler,
            json.dumps(given, ensure_ascii=False).encode(),
            _SECONDS,
            _MOST_OUTPUT,
        )
    except Unavailable as error:
        agent.home.noticed.append(f"the recall handler failed: {error}")
