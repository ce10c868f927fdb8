"""Old snapshots of SOUL.md thinned out: every one for some months, then one a month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.keepers.compaction import RETENTION
from oldsoul.keepers.questions import Findings, Listed, Read
from oldsoul.rules.retention import snapshot_day, surplus_snapshots
from oldsoul.values.changes import ChangeSet, Delete
from oldsoul.values.history import version_of
from oldsoul.values.names import Kind

if TYPE_CHECKING:
    from oldsoul.keepers.compaction import Tidying
    from oldsoul.keepers.questions import Keeper
    from oldsoul.values.changes import Operation

KEEPER = "soul-history"
_TOGETHER = 200


def thin_history(tidying: Tidying, days: int) -> Keeper:
    """What becomes of snapshots older than so many days. History keeps their bytes: undoing the change brings them back."""
    there = yield Listed((Kind.SOUL_HISTORY,))
    gone = surplus_snapshots(there, tidying.today, days)
    standing = yield Read(tuple(gone))
    sets = []
    for start in range(0, len(gone), _TOGETHER):
        some = [name for name in gone[start : start + _TOGETHER] if standing[name] is not None]
        rule = f"Older than {days} days; the last of each month is kept. `oldsoul undo` of this change restores them."
        block = tidying.logged(f"Snapshots of SOUL.md: {len(some)} removed", [rule, *(name.path for name in some)])
        operations: tuple[Operation, ...] = (*(Delete(name) for name in some), block)
        versions = {name: version_of(standing[name]) for name in some}
        key = tidying.key("snapshots", *some)
        if some:
            sets.append(ChangeSet(operations, RETENTION, "old snapshots removed", key, versions=versions))
    odd = [name.path for name in there if snapshot_day(name) is None]
    notes = (f"kept, because their names contain no date: {', '.join(odd)}",) if odd else ()
    return Findings(tuple(sets), notes)
