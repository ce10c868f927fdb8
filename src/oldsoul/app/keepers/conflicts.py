"""The conflict detector's work: what changed within the last day."""

from __future__ import annotations

from datetime import UTC, timedelta
from functools import partial
from typing import TYPE_CHECKING

from oldsoul.app.keepers import Work
from oldsoul.app.keepers.checks import logs_of
from oldsoul.documents import parse
from oldsoul.keepers.detect_conflicts import COMPARED, KEEPER, Looking, detect
from oldsoul.values.names import Name
from oldsoul.workspace import template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app.agent import Agent

_PAGE = 1000


def works(agent: Agent, *, dry_run: bool = False) -> Iterator[Work]:
    """One look at what changed since yesterday at this time."""
    del dry_run
    now = agent.today()
    since = now - timedelta(hours=24)
    seeded = (template(Name(agent.id, path), now) for path in ("USER.md", "MEMORY.md"))
    ours = frozenset(entry.text for data in seeded for entry in parse(data).entries)
    changed = _changed(agent, since.astimezone(UTC).isoformat(timespec="microseconds"))
    looking = Looking(agent.id, now, since.date(), changed, ours, tuple(logs_of(agent)))
    yield Work(KEEPER, f"conflicts:{now:%Y-%m-%d}", partial(detect, looking))


def _changed(agent: Agent, since: str) -> frozenset[str]:
    """The entries that changes wrote since then, those of people's hands too."""
    agent.soul.ledger.notice(agent.id)
    changes = agent.soul.world.store.changes(agent.id, since=since, limit=_PAGE)
    effects = [effect for change in changes for effect in change.effects if effect.name.kind in COMPARED]
    written = {entry for effect in effects for entry in effect.entries}
    first = {effect.name: effect.before for effect in effects}  # the newest change comes first, so the oldest stays
    for name, before in first.items():
        old = {entry.id: entry.text for entry in parse(agent.soul.ledger.content(before) or b"").entries}
        now = parse(agent.read(name).data or b"").entries
        written |= {entry.id for entry in now if old.get(entry.id) != entry.text}
    return frozenset(written)
