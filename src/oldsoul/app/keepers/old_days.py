"""What whoever tidies an agent's memory goes by, and the days whose time is over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.keepers.compact import OldDays, TidyOptions, day_of
from oldsoul.values.names import Kind, Name

_MOST_CHANGES = 1000


def old_days(agent: AgentWorkspace, kept: int | None, longer: timedelta = timedelta(0)) -> OldDays:
    """The days that were kept for so long, or for longer still; none where days stay for good."""
    names: list[Name] = []
    if kept is not None:
        oldest = agent.today().date() - timedelta(days=kept) - longer
        every = agent.home.world.store.names(agent.id, "memory")
        names = [name for name in every if name.kind is Kind.DAILY and day_of(name) < oldest]
    for name in names:
        agent.read(name)  # an edit by hand is in history before its place there is looked up
    store = agent.home.world.store
    counts = {name: len(store.changes(agent.id, name=name, limit=_MOST_CHANGES)) for name in names}
    return OldDays(replace(tidying(agent, ()), positions=counts), tuple(names))


def tidying(agent: AgentWorkspace, names: Iterable[Name]) -> TidyOptions:
    """What whoever tidies this agent's memory goes by, with where history stands for some documents."""
    memory = agent.settings.memory
    positions: dict[Name, int] = {}
    for name in names:
        agent.read(name)
        last = agent.home.world.store.changes(agent.id, name=name, limit=1)
        positions[name] = last[0].id if last else 0
    return TidyOptions(
        workspace=agent.id,
        now=agent.today(),
        retention=memory.retention,
        confidence=memory.confidence,
        max_file_size=memory.workspace.max_file_size,
        positions=positions,
    )
