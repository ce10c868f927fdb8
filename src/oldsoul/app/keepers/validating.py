"""The recall validator's work: the operator's messages that put something right, one by one."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from oldsoul.app.keepers import Work, checks
from oldsoul.errors import Unavailable
from oldsoul.keepers.exchange import Exchange
from oldsoul.keepers.questions import Findings
from oldsoul.keepers.validate_recall import AUTHOR, KEEPER, NAMED, ROUTED, is_started, put_right_again, validate
from oldsoul.values.history import Record
from oldsoul.values.messages import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oldsoul.app.agent import Agent
    from oldsoul.driver import Report
    from oldsoul.keepers.questions import Keeper
    from oldsoul.rules.correcting import Putting
    from oldsoul.values.messages import Message

VALIDATED = "validated"
"""The kind of record that says up to which message the log was looked through."""
_CURSOR = "cursor"
_BEFORE = 4


def works(agent: Agent, *, dry_run: bool = False) -> Iterator[Work]:
    """What was said since the last look, message by message, and that it was looked through."""
    del dry_run
    noted = agent.soul.world.store.records(agent.id, VALIDATED)
    start = last = _looked(agent)
    before: defaultdict[str, deque[Message]] = defaultdict(partial(deque, maxlen=_BEFORE))
    for message in agent.talk.every(Wanted(after=start, by_number=True)):
        last = message.id
        known = before[message.session.id]
        if not known:
            known.extend(_previous(agent, message))
        handled = f"m:{message.id}" in noted
        if not handled and is_started(agent.soul.people.message(message), known):
            yield _work(agent, message, tuple(known), asks=True)
        known.append(message)
    if last > start:
        again = partial(put_right_again, agent.id, agent.soul.people.operators)
        yield Work(KEEPER, f"again:{last}", again)
        closing = partial(_noted, last, [key for key in noted if key != _CURSOR])
        yield Work(KEEPER, f"validated:{last}", _nothing, closing=closing, after=partial(_after, agent))


def at_once(agent: Agent, message: Message) -> Report | None:
    """Put right what a message of the operator just put right, before anybody replies to it; no model is asked."""
    before = tuple(_previous(agent, message)) if message.role == "user" else ()
    if not is_started(message, before):
        return None
    work = _work(agent, message, before, asks=False)
    report = agent.keeping.do(work)
    work.after(report)
    if report.changes and (NAMED in report.facts or agent.soul.driver.model is None):
        _handle(agent, message)
    return report


def _handle(agent: Agent, message: Message) -> None:
    """Note that a message was put right, so that nobody does so again when other things are true."""
    record = Record(VALIDATED, f"m:{message.id}", "1")
    agent.soul.ledger.note(agent.id, AUTHOR, "put right at once", f"handled:{message.id}", [record])


def by_command(agent: Agent, message: Message, putting: Putting) -> Report:
    """Put right what the operator says by command."""
    work = _work(agent, message, (), asks=False, given=putting)
    report = agent.keeping.do(work)
    work.after(report)
    _handle(agent, message)
    return report


def _looked(agent: Agent) -> int:
    return int(agent.soul.world.store.records(agent.id, VALIDATED).get(_CURSOR, "0"))


def _noted(last: int, handled: Sequence[str]) -> list[Record]:
    return [Record(VALIDATED, _CURSOR, str(last)), *(Record(VALIDATED, key, None) for key in handled)]


def _nothing() -> Keeper:
    return Findings()
    yield


def _previous(agent: Agent, message: Message) -> Sequence[Message]:
    """What was said just before a message in its session, the latest last."""
    until = message.time + timedelta(microseconds=1)  # some channels tell the time by the minute
    wanted = Wanted(session=message.session.id, until=until, newest_first=True, limit=2 * _BEFORE)
    earlier = [m for m in reversed(agent.talk.messages(wanted)) if m.id < message.id]
    return earlier[-_BEFORE:]


def _work(
    agent: Agent, message: Message, before: Sequence[Message], *, asks: bool, given: Putting | None = None
) -> Work:
    people = agent.soul.people
    exchange = Exchange(
        workspace=agent.id,
        zone=agent.zone,
        message=people.message(message),
        before=tuple(people.message(one) for one in before),
        asks=asks,
        given=given,
        operators=frozenset(people.operators),
    )
    after = partial(_after, agent, message=message, at_once=not asks)
    place = f"validate:{message.id}" if asks else f"validate:{message.id}:at once"
    return Work(KEEPER, place, partial(validate, exchange), after=after)


def _after(agent: Agent, report: Report, message: Message | None = None, *, at_once: bool = False) -> None:
    """Hand what is about a tool to the operator's program, and look whether the index holds what was corrected."""
    if message is not None and ROUTED in report.facts:
        _handed_on(agent, message)
    if message is None or (report.changes and at_once):
        checks.mark_embedded(agent)  # of many corrections once, at the end: each look brings the index up to date


def _handed_on(agent: Agent, message: Message) -> None:
    options = agent.settings.keepers
    if not options.recall_handler:
        return
    begun = agent.soul.ledger.note(agent.id, AUTHOR, "about a tool, handed on", f"handed:{message.id}", [])
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
        agent.soul.world.program(
            options.recall_handler,
            json.dumps(given, ensure_ascii=False).encode(),
            options.recall_handler_timeout_seconds,
            options.recall_handler_max_output_bytes,
        )
    except Unavailable as error:
        agent.soul.noticed.append(f"the handler of forgotten tools: {error}")
