"""The conflict detector's work: what changed within the last day."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.correction_checks import logs_of
from oldsoul.app.keepers.work import KeeperInputs, Work
from oldsoul.documents import parse
from oldsoul.driver import Report
from oldsoul.keepers.conflicts import AUTHOR, COMPARED, KEEPER, DetectorInput, detect
from oldsoul.values.history import Record
from oldsoul.values.names import Name
from oldsoul.workspace import template

LOOKING = "looking"
"""The kind of record that says when a look began that waits for an answer."""
_SINCE = "since"
_PAGE = 1000


def works(inputs: KeeperInputs, *, dry_run: bool = False) -> Iterator[Work]:
    """One look at what changed since yesterday at this time; one that waits for an answer is the same when it goes on."""
    del dry_run
    agent = inputs.agent
    begun = agent.home.world.store.record(agent.id, LOOKING, _SINCE)
    now = datetime.fromisoformat(begun).astimezone(agent.zone) if begun else agent.today()
    since = now - timedelta(hours=24)
    seeded = (template(Name(agent.id, path), now) for path in ("USER.md", "MEMORY.md"))
    ours = frozenset(entry.text for data in seeded for entry in parse(data).entries)
    changed = _changed(agent, since.astimezone(UTC).isoformat(timespec="microseconds"))
    looking = DetectorInput(agent.id, now, since.date(), changed, ours, tuple(logs_of(agent)))
    after = partial(_after, agent, begun, now)
    yield Work(KEEPER, f"conflicts:{now:%Y-%m-%d}", partial(detect, looking), after=after)


def _after(agent: AgentWorkspace, begun: str | None, now: datetime, report: Report) -> None:
    """Note when a look began that waits for an answer, and that it does not wait any more."""
    if bool(begun) == bool(report.waiting):
        return
    record = Record(LOOKING, _SINCE, now.isoformat() if report.waiting else None)
    agent.home.ledger.note(
        agent.id, AUTHOR, "progress of the conflict check saved", f"looking:{uuid.uuid4().hex}", [record]
    )


def _changed(agent: AgentWorkspace, since: str) -> frozenset[str]:
    """The entries that changes wrote since then, those of people's hands too."""
    agent.home.ledger.notice(agent.id)
    changes = agent.home.world.store.changes(agent.id, since=since, limit=_PAGE)
    effects = [effect for change in changes for effect in change.effects if effect.name.kind in COMPARED]
    written = {entry for effect in effects for entry in effect.entries}
    first = {effect.name: effect.before for effect in effects}  # the newest change comes first, so the oldest stays
    for name, before in first.items():
        old = {entry.id: entry.text for entry in parse(agent.home.ledger.content(before) or b"").entries}
        now = parse(agent.read(name).data or b"").entries
        written |= {entry.id for entry in now if old.get(entry.id) != entry.text}
    return frozenset(written)
