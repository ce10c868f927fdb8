"""The memory compactor's work: old days, MEMORY.md and rooms, old corrections, and its own log."""

from __future__ import annotations

from collections.abc import Iterator

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.old_days import old_days, tidying
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.keepers.compact import COMPACTION_LOG, KEEPER, compact_days
from oldsoul.keepers.questions import Keeper
from oldsoul.keepers.tidy import archive_corrections, archive_log, tidy_memory
from oldsoul.values.names import Kind, Name


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """What there is to tidy this week: each task is a separate run, so that one does not hold up the next."""
    del dry_run
    agent = inputs.agent
    week = f"compact:{agent.today():%G-W%V}"
    yield Work(KEEPER, f"{week}:log", lambda: archive_log(tidying(agent, [Name(agent.id, COMPACTION_LOG)])))
    yield Work(KEEPER, f"{week}:days", lambda: _days(inputs))
    yield Work(KEEPER, f"{week}:memory", lambda: tidy_memory(tidying(agent, _memories(agent))))
    corrections = [Name(agent.id, "CORRECTIONS.md")]
    yield Work(KEEPER, f"{week}:corrections", lambda: archive_corrections(tidying(agent, corrections)))


def _days(inputs: KeeperInputs) -> Keeper:
    return compact_days(old_days(inputs.agent, inputs.days.kept_for()))


def _memories(agent: AgentWorkspace) -> list[Name]:
    return [name for name in agent.home.world.store.names(agent.id) if name.kind in (Kind.MEMORY, Kind.ROOM)]
