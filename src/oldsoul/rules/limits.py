"""How large documents may grow, what moves to the archive before that, and how much a keeper may drop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.values.names import Kind

if TYPE_CHECKING:
    from oldsoul.values.names import Name

MAX_FILE_SIZE = 16 * 1024
MAX_LOG_SIZE = 1024 * 1024
MAX_SKILL_SIZE = 256_000
WARN_SHARE = 0.8
_MAX_DROPPED_SHARE = 0.25
_ALWAYS_MAY_DROP = 3

_LONG = frozenset(
    {
        *(Kind.DAILY, Kind.SESSION, Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG),
        *(Kind.ARCHIVE, Kind.SOUL_HISTORY, Kind.OTHER),
    },
)
PARTED = frozenset({Kind.DAILY, Kind.SESSION})
"""Documents that go on in a next part when they are full."""


def limit_of(name: Name, max_file_size: int = MAX_FILE_SIZE) -> int:
    """How many bytes this document may have."""
    if name.kind in _LONG:
        return MAX_LOG_SIZE
    return MAX_SKILL_SIZE if name.kind is Kind.SKILL else max_file_size


def is_near(size: int, limit: int) -> bool:
    """Whether a document has come near its limit."""
    return size > limit * WARN_SHARE


def drops_too_much(before: int, dropped: int) -> bool:
    """Whether a keeper's change loses more of a document's entries than it may: over a quarter, and four or more."""
    return dropped > _ALWAYS_MAY_DROP and dropped > before * _MAX_DROPPED_SHARE
