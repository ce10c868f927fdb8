"""The memory miner's work: what was said since its last run, audience by audience."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers import recall_validator, session_summarizer
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.documents import Form, parse
from oldsoul.driver import Report
from oldsoul.keepers.mine import AUTHOR, KEEPER, MOST_SUGGESTED, Batch, is_mined, mine, score
from oldsoul.keepers.questions import nothing
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import origin_of
from oldsoul.rules.diary import tells_of_session
from oldsoul.values.audience import OWNER, Audience, Reach
from oldsoul.values.history import Record
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.names import Kind, Name
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.documents import Entry


MINED = "mined"
"""The kind of record that says how far the log was mined."""
_DONE, _UPTO, _AT, _DAY = "done", "upto", "at ", "day "
_DAYS = timedelta(days=3)
_WEEK, _WAITS = timedelta(days=7), timedelta(days=28)
"""The time in which there are so many suggestions, and how long one waits for a decision."""
_BATCH = 200
"""How many messages are mined at once."""
_MOST_TOLD, _MOST_ASKED = 2000, 60_000
"""How many characters of one message, and of all of a batch, go into one question."""


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """What there is to mine, one audience and at most so many messages at a time; then, that it is mined.

    First others catch up: conversations that nobody ended, and corrections that were not understood at once.
    """
    agent = inputs.agent
    yield from session_summarizer.works(inputs, dry_run=dry_run)
    yield from recall_validator.works(inputs, dry_run=dry_run)
    yield from _diary(agent)
    done, upto = _span(agent, dry_run=dry_run)
    if upto <= done:
        return
    for messages in _batches(inputs, done, upto):
        people = agent.home.people
        said = tuple(people.message(message) for message in messages)
        audience = said[0].audience
        batch = _batch(agent, said, audience, MOST_SUGGESTED)
        reached = partial(_reached, str(audience), said[-1].id)
        yield Work(KEEPER, f"mine:{audience}:{said[0].id}:{said[-1].id}", partial(mine, batch), closing=reached)
    closing = partial(_closed, agent, upto)
    yield Work(KEEPER, f"mined:{upto}", nothing, closing=closing, after=partial(_expired, agent))


def _expired(agent: AgentWorkspace, _report: Report) -> None:
    """Let expire what waits too long, and of the suggestions of the last week all but the best."""
    now = agent.today()
    ours = [p for p in agent.proposals("") if p.change_set.suggested and p.change_set.author == AUTHOR]
    waiting = [p for p in ours if p.state == "open"]
    old = [p for p in waiting if now - datetime.fromisoformat(p.at) > _WAITS]
    week = [p for p in ours if now - datetime.fromisoformat(p.at) <= _WEEK and p.state != "expired"]
    decided = sum(p.state != "open" for p in week)
    ranked = sorted((p for p in week if p.state == "open"), key=lambda p: (-score(p.change_set.reason), p.at, p.id))
    for proposal in old:
        agent.home.ledger.expire(agent.id, proposal.id, f"not decided within {_WAITS.days} days")
    for proposal in ranked[max(MOST_SUGGESTED - decided, 0) :]:
        agent.home.ledger.expire(
            agent.id, proposal.id, f"{MOST_SUGGESTED} suggestions a week at most; others were stronger"
        )


def _diary(agent: AgentWorkspace) -> Iterator[Work]:
    """What stands in the daily logs of the last days and was not taken from a conversation, which is mined itself."""
    noted = agent.home.world.store.records(agent.id, MINED)
    today = agent.today().date()
    for name in agent.home.world.store.names(agent.id, "memory"):
        if name.kind is not Kind.DAILY or name.path.removeprefix("memory/")[:10] < (today - _DAYS).isoformat():
            continue
        known = json.loads(noted.get(f"{_DAY}{name.path}", "[]"))
        entries = [e for e in parse(agent.read(name).data or b"", is_log=True).entries if e.id not in known]
        by_audience: dict[Audience, list[Message]] = {}
        for number, entry in enumerate(entries, 1):
            if entry.form is Form.DATED and not tells_of_session(entry.body) and is_mined(seen_by(name, entry)):
                message = _as_message(agent, name, entry, -number)
                by_audience.setdefault(message.audience, []).append(message)
        closing = partial(_read, name.path, [*known, *(e.id for e in entries)])
        for audience, messages in by_audience.items():
            batch = _batch(agent, messages, audience, 0)
            place = f"mine:{name.path}:{audience}:{len(known)}"
            yield Work(KEEPER, place, partial(mine, batch), closing=closing)


def _as_message(agent: AgentWorkspace, name: Name, entry: Entry, number: int) -> Message:
    """An entry of a daily log as something that was said: by the operator who typed it, or by the agent."""
    audience = seen_by(name, entry)
    lines = [
        line for line in entry.body.split("\n")[1:] if line.strip() and not line.startswith(("**Room:", "**User:"))
    ]
    day = datetime.fromisoformat(name.path.removeprefix("memory/")[:10]).replace(hour=12, tzinfo=agent.zone)
    session = Session.group(audience.id) if audience.reach is Reach.ROOM else Session.dm(agent.home.people.operators[0])
    return Message(
        workspace=agent.id,
        session=session,
        role="user",
        sender="",
        subject=None,
        text="\n".join(lines),
        time=day,
        origin=origin_of(entry),
        audience=audience,
        key=f"{name.path}#{entry.id}",
        id=number,
    )


def _read(path: str, entries: Sequence[str]) -> list[Record]:
    return [Record(MINED, f"{_DAY}{path}", json.dumps(entries))]


def _batch(agent: AgentWorkspace, said: Sequence[Message], audience: Audience, suggestions: int) -> Batch:
    return Batch(
        workspace=agent.id,
        zone=agent.zone,
        today=agent.today().date(),
        audience=audience,
        room=said[0].session.room if audience != OWNER else "",
        messages=tuple(said),
        confidence=agent.settings.memory.confidence,
        suggestions=suggestions,
    )


def _span(agent: AgentWorkspace, *, dry_run: bool) -> tuple[int, int]:
    """From where to where the log is mined; a run that was interrupted goes to where it meant to go."""
    noted = agent.home.world.store.records(agent.id, MINED)
    done = json.loads(noted.get(_DONE, "0"))
    upto = json.loads(noted.get(_UPTO, "0"))
    if upto > done:
        return done, upto
    last = agent.home.chat.last(agent.id)
    if last > done and not dry_run:
        record = Record(MINED, _UPTO, json.dumps(last))
        agent.home.ledger.note(agent.id, AUTHOR, "the memory miner starts", f"mining:{last}", [record])
    return done, last


def _batches(inputs: KeeperInputs, done: int, upto: int) -> Iterator[Sequence[Message]]:
    """Messages that are mined, in batches of one audience each, in the order the first of each was said.

    What an interrupted run was done with is not mined again.
    """
    agent = inputs.agent
    reached = agent.home.world.store.records(agent.id, MINED)
    open_batches: dict[str, list[Message]] = {}
    for message in inputs.log.every(Wanted(after=done, by_number=True)):
        if message.id > upto:
            break
        if not is_mined(message.audience) or message.id <= json.loads(reached.get(f"{_AT}{message.audience}", "0")):
            continue
        held = open_batches.setdefault(str(message.audience), [])
        held.append(message)
        if len(held) >= _BATCH or sum(min(len(m.text), _MOST_TOLD) for m in held) > _MOST_ASKED:
            yield open_batches.pop(str(message.audience))
    yield from (held for held in open_batches.values() if held)


def _reached(audience: str, last: int) -> list[Record]:
    """That a batch is done, while others are not."""
    return [Record(MINED, f"{_AT}{audience}", json.dumps(last))]


def _closed(agent: AgentWorkspace, upto: int) -> list[Record]:
    noted = agent.home.world.store.records(agent.id, MINED)
    oldest = f"{_DAY}memory/{(agent.today().date() - 2 * _DAYS).isoformat()}"
    over = [key for key in noted if key.startswith(_AT) or (key.startswith(_DAY) and key < oldest)]
    return [Record(MINED, _DONE, json.dumps(upto)), *(Record(MINED, key, None) for key in over)]
