"""How large documents may grow, what moves to the archive before that, and how much a keeper may drop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.rules.confidence import mentions
from oldsoul.rules.retention import may_move
from oldsoul.values.names import Kind

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry
    from oldsoul.values.names import Name

MAX_FILE_SIZE = 16 * 1024
MAX_LOG_SIZE = 1024 * 1024
MAX_SKILL_SIZE = 256_000
WARN_SHARE = 0.8
_MAX_DROPPED_SHARE = 0.25
_ALWAYS_MAY_DROP = 3
_UNDATED = "9999"

_LONG = frozenset(
    {
        *(Kind.DAILY, Kind.SESSION, Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG),
        *(Kind.ARCHIVE, Kind.SOUL_HISTORY, Kind.OTHER),
    },
)
PARTED = frozenset({Kind.DAILY, Kind.SESSION})
"""Documents that go on in a next part when they are full."""


def limit_of(name: Name, max_file_size: int = MAX_FILE_SIZE, max_log_size: int = MAX_LOG_SIZE) -> int:
    """How many bytes this document may have."""
    if name.kind in _LONG:
        return max_log_size
    return MAX_SKILL_SIZE if name.kind is Kind.SKILL else max_file_size


def is_near(size: int, limit: int) -> bool:
    """Whether a document has come near its limit."""
    return size > limit * WARN_SHARE


def coldest(document: Document, surplus: int, keep: frozenset[str]) -> list[Entry]:
    """The entries to move to the archive so that this many bytes go: least lately seen and least often repeated first.

    Corrections, open tasks, prose and the entries to keep stay; lines without a date, as people type them, go last.
    Fewer bytes may go than asked for.
    """
    movable = [entry for entry in document.entries if may_move(entry) and entry.id not in keep]
    movable.sort(key=lambda e: (e.fields.get("seen", "") or e.added or _UNDATED, mentions(e), e.line))
    chosen: list[Entry] = []
    for entry in movable:
        if surplus <= 0:
            break
        chosen.append(entry)
        surplus -= sum(map(len, document.lines[entry.line : entry.end]))
    return chosen


def drops_too_much(before: int, dropped: int) -> bool:
    """Whether a keeper's change loses more of a document's entries than it may: over a quarter, and four or more."""
    return dropped > _ALWAYS_MAY_DROP and dropped > before * _MAX_DROPPED_SHARE
