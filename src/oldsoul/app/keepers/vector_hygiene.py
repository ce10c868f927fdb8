"""Vector hygiene's work: the marks that say what is searched."""

from __future__ import annotations

from collections.abc import Iterator

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.old_days import tidying
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.keepers.hygiene import KEEPER, mark_stale
from oldsoul.keepers.questions import Keeper
from oldsoul.values.names import Kind

_KINDS = (Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.ARCHIVE)


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """What there is to mark this week."""
    del dry_run
    agent = inputs.agent
    yield Work(KEEPER, f"hygiene:{agent.today():%G-W%V}", lambda: _marks(agent))


def _marks(agent: AgentWorkspace) -> Keeper:
    every = agent.home.world.store.names(agent.id)
    names = (n for n in every if n.kind in _KINDS and not n.path.startswith(("Archive/Daily/", "Archive/Chronicles/")))
    return mark_stale(tidying(agent, names))
