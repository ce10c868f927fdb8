"""The work on the soul's history: once a month old snapshots of SOUL.md are thinned out."""

from __future__ import annotations

from collections.abc import Iterator

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.old_days import tidying
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.keepers.questions import Keeper
from oldsoul.keepers.tidy import KEEPER, thin_history
from oldsoul.values.names import Kind


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """The snapshots that are too many."""
    del dry_run
    agent = inputs.agent
    yield Work(KEEPER, f"snapshots:{agent.today():%Y-%m}", lambda: _thinned(agent))


def _thinned(agent: AgentWorkspace) -> Keeper:
    every = agent.home.world.store.names(agent.id, "SOUL_HISTORY")
    names = [name for name in every if name.kind is Kind.SOUL_HISTORY]
    return thin_history(tidying(agent, names), agent.settings.memory.soul.history_retention_days)
