"""The memory compactor's work: old days, MEMORY.md and rooms, old corrections, and its own log."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from oldsoul.app.keepers import Work
from oldsoul.keepers.compact import OldDays, compact_days, day_of
from oldsoul.keepers.compaction import COMPACTION_LOG, KEEPER, Tidying
from oldsoul.keepers.tidy import archive_corrections, archive_log, tidy_memory
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oldsoul.app.agent import Agent
    from oldsoul.keepers.questions import Keeper

_MOST_CHANGES = 1000


def works(agent: Agent, *, dry_run: bool = False) -> Iterator[Work]:
    """What there is to tidy this week: each task is a run of its own, so that one does not hold up the next."""
    del dry_run
    week = f"compact:{agent.today():%G-W%V}"
    yield Work(KEEPER, f"{week}:log", lambda: archive_log(tidying(agent, [Name(agent.id, COMPACTION_LOG)])))
    yield Work(KEEPER, f"{week}:days", lambda: _days(agent))
    yield Work(KEEPER, f"{week}:memory", lambda: tidy_memory(tidying(agent, _memories(agent))))
    corrections = [Name(agent.id, "CORRECTIONS.md")]
    yield Work(KEEPER, f"{week}:corrections", lambda: archive_corrections(tidying(agent, corrections)))


def _days(agent: Agent) -> Keeper:
    return compact_days(old_days(agent))


def old_days(agent: Agent, longer: timedelta = timedelta(0)) -> OldDays:
    """The days whose time is over, or has been for longer."""
    kept = agent.days.kept_for()
    names: list[Name] = []
    if kept is not None:
        oldest = agent.today().date() - timedelta(days=kept) - longer
        every = agent.soul.world.store.names(agent.id, "memory")
        names = [name for name in every if name.kind is Kind.DAILY and day_of(name) < oldest]
    for name in names:
        agent.read(name)  # an edit by hand is in history before its place there is looked up
    store = agent.soul.world.store
    counts = {name: len(store.changes(agent.id, name=name, limit=_MOST_CHANGES)) for name in names}
    return OldDays(replace(tidying(agent, ()), positions=counts), tuple(names))


def tidying(agent: Agent, names: Iterable[Name]) -> Tidying:
    """What whoever tidies this agent's memory goes by, with where history stands for some documents."""
    memory = agent.settings.memory
    positions: dict[Name, int] = {}
    for name in names:
        agent.read(name)
        last = agent.soul.world.store.changes(agent.id, name=name, limit=1)
        positions[name] = last[0].id if last else 0
    return Tidying(
        workspace=agent.id,
        now=agent.today(),
        retention=memory.retention,
        confidence=memory.confidence,
        max_file_size=memory.workspace.max_file_size,
        max_log_size=memory.workspace.max_log_size,
        positions=positions,
    )


def _memories(agent: Agent) -> list[Name]:
    return [name for name in agent.soul.world.store.names(agent.id) if name.kind in (Kind.MEMORY, Kind.ROOM)]
