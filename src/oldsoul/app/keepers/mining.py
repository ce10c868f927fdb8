"""The memory miner's work: what was said since its last run, audience by audience."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from oldsoul.app.keepers import Work, ending, validating
from oldsoul.keepers.mine import AUTHOR, KEEPER, MOST_SUGGESTED, Batch, is_mined, mine
from oldsoul.keepers.questions import Findings
from oldsoul.values.audience import OWNER
from oldsoul.values.history import Record
from oldsoul.values.messages import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oldsoul.app.agent import Agent
    from oldsoul.keepers.questions import Keeper
    from oldsoul.values.messages import Message

MINED = "mined"
"""The kind of record that says how far the log was mined."""
_DONE, _UPTO, _AT = "done", "upto", "at "
_BATCH = 200
"""How many messages are mined at once."""


def works(agent: Agent, *, dry_run: bool = False) -> Iterator[Work]:
    """What there is to mine, one audience and at most so many messages at a time; then, that it is mined.

    First others catch up: conversations that nobody ended, and corrections that were not understood at once.
    """
    yield from ending.works(agent, dry_run=dry_run)
    yield from validating.works(agent, dry_run=dry_run)
    done, upto = _span(agent, dry_run=dry_run)
    if upto <= done:
        return
    left = MOST_SUGGESTED
    for messages in _batches(agent, done, upto):
        people = agent.soul.people
        said = tuple(people.message(message) for message in messages)
        audience = said[0].audience
        batch = Batch(
            workspace=agent.id,
            zone=agent.zone,
            today=agent.today().date(),
            audience=audience,
            room=said[0].session.room if audience != OWNER else "",
            messages=said,
            confidence=agent.settings.memory.confidence,
            suggestions=left if audience == OWNER else 0,
        )
        reached = partial(_reached, str(audience), said[-1].id)
        yield Work(KEEPER, f"mine:{audience}:{said[0].id}:{said[-1].id}", partial(mine, batch), closing=reached)
        left = 0 if audience == OWNER else left
    closing = partial(_closed, agent, upto)
    yield Work(KEEPER, f"mined:{upto}", _nothing, closing=closing)


def _span(agent: Agent, *, dry_run: bool) -> tuple[int, int]:
    """From where to where the log is mined; a run that was interrupted goes to where it meant to go."""
    noted = agent.soul.world.store.records(agent.id, MINED)
    done = json.loads(noted.get(_DONE, "0"))
    upto = json.loads(noted.get(_UPTO, "0"))
    if upto > done:
        return done, upto
    last = max((held.thread.last_id for held in agent.talk.sessions()), default=0)
    if last > done and not dry_run:
        record = Record(MINED, _UPTO, json.dumps(last))
        agent.soul.ledger.note(agent.id, AUTHOR, "the miner begins", f"mining:{last}", [record])
    return done, last


def _batches(agent: Agent, done: int, upto: int) -> Iterator[Sequence[Message]]:
    """Messages that are mined, in batches of one audience each, in the order the first of each was said.

    What an interrupted run was done with is not mined again.
    """
    reached = agent.soul.world.store.records(agent.id, MINED)
    open_batches: dict[str, list[Message]] = {}
    for message in agent.talk.every(Wanted(after=done, by_number=True)):
        if message.id > upto:
            break
        if not is_mined(message.audience) or message.id <= json.loads(reached.get(f"{_AT}{message.audience}", "0")):
            continue
        held = open_batches.setdefault(str(message.audience), [])
        held.append(message)
        if len(held) >= _BATCH:
            yield open_batches.pop(str(message.audience))
    yield from (held for held in open_batches.values() if held)


def _reached(audience: str, last: int) -> list[Record]:
    """That a batch is done, while others are not."""
    return [Record(MINED, f"{_AT}{audience}", json.dumps(last))]


def _closed(agent: Agent, upto: int) -> list[Record]:
    noted = agent.soul.world.store.records(agent.id, MINED)
    return [Record(MINED, _DONE, json.dumps(upto)), *(Record(MINED, key, None) for key in noted if key.startswith(_AT))]


def _nothing() -> Keeper:
    return Findings()
    yield
