"""History: what is recorded about a change, and the digest of changes to a soul for the operator."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from oldsoul.values.changes import Author, Evidence
from oldsoul.values.frozen import frozen, shortened
from oldsoul.values.names import Name

ABSENT = ""
"""The version of a file that does not exist."""


def version_of(data: bytes | None) -> str:
    """Return the version of these bytes: the same bytes have the same version."""
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


def common(one: bytes, other: bytes) -> int:
    """Return how many bytes two versions share at the start."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@frozen
class Snapshot:
    """One file with its version."""

    data: bytes | None
    """its bytes; None when it does not exist"""
    version: str
    """its version, to pass as `base` of a later change"""

    @classmethod
    def of(cls, data: bytes | None) -> Snapshot:
        """Return the snapshot of these bytes."""
        return cls(data, version_of(data))


@frozen
class Effect:
    """What a change did to one file."""

    name: Name
    """the file"""
    before: str
    """its version before"""
    after: str
    """its version after"""
    entries: tuple[str, ...] = ()
    """ids of the entries it wrote"""


@frozen
class Change:
    """One change in the history."""

    workspace: str
    """the agent or team it belongs to"""
    key: str
    """the event that caused it; each key is used once"""
    at: str
    """when it was made, ISO 8601 in UTC"""
    author: Author
    """who made it"""
    reason: str
    """why it was made"""
    effects: tuple[Effect, ...]
    """what it did, file by file"""
    evidence: tuple[Evidence, ...] = ()
    """what it is based on"""
    notes: Mapping[str, str] = field(default_factory=dict)
    """further facts: `reverts`, `proposal`, `clashes`, `masked` …"""
    id: int = 0
    """its number in the home's history; 0 before it is stored"""

    def __repr__(self) -> str:
        return f"<Change {self.id} of {self.workspace} by {self.author}: {shortened(self.reason)}>"


@frozen
class ConcurrentSave:
    """Bytes that somebody saved while we were writing, and that are nowhere else now."""

    name: Name
    """the document they were meant for"""
    data: bytes
    """what was saved"""
    place: str
    """where the store keeps them until they are in history"""
    change: int
    """the change of ours that took their place: whoever saved them knew of none from it on"""
    is_whole: bool = True
    """whether nobody was still writing: lines that are missing in the rest are not removed"""


@frozen
class Record:
    """A small fact that is committed with documents: a proposal, a cursor, a remembered answer, a binding."""

    kind: str
    """what it is"""
    key: str
    """which one"""
    value: str | None
    """its JSON; None takes it away"""


@frozen
class Grown:
    """One entry that came into a soul, or is proposed for it."""

    number: str
    """the change's number, or the proposal's id"""
    text: str
    """the entry's words"""
    section: str
    """where it is; empty for one that was reworded"""
    reason: str
    """why"""


@frozen
class Digest:
    """What one run of the soul keeper came to."""

    agent: str
    """whose soul"""
    at: str
    """when, as people write it"""
    changes: tuple[Grown, ...]
    """what was changed"""
    proposals: tuple[Grown, ...]
    """what waits for approval"""
    notes: tuple[str, ...] = ()
    """what else a person should know"""

    @property
    def subject(self) -> str:
        """It in one line, without any of its words."""
        parts = [
            f"{len(some)} {what}{'' if len(some) == 1 else 's'}"
            for some, what in ((self.changes, "change"), (self.proposals, "proposal"))
            if some
        ]
        return f"The soul of {self.agent}: {' and '.join(parts) or 'something to look at'}"

    @property
    def text(self) -> str:
        """All of it, for the operator alone."""
        lines = [self.subject, ""]
        lines += [f"Changed ({one.number}): {_line(one)}" for one in self.changes]
        lines += [f"Proposed ({one.number}): {_line(one)}" for one in self.proposals]
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join(
            [*lines, "", ("`oldsoul soul` shows every version, `oldsoul review` shows what waits for your approval.")]
        )

    @property
    def public(self) -> str:
        """What everyone may read: the entries in SOUL.md now, and how many proposals wait."""
        lines = [f"{self.subject}."]
        lines += [f"- {one.text}" for one in self.changes]
        return "\n".join(lines)

    def facts(self) -> dict[str, Any]:
        """It as JSON has it."""
        return {
            "agent": self.agent,
            "at": self.at,
            "subject": self.subject,
            "changes": [_facts(one) for one in self.changes],
            "proposals": [_facts(one) for one in self.proposals],
            "notes": list(self.notes),
        }


def _line(one: Grown) -> str:
    where = f" ({one.section})" if one.section else ""
    return f"{one.text}{where}: {one.reason}"


def _facts(one: Grown) -> dict[str, str]:
    return {"number": one.number, "text": one.text, "section": one.section, "reason": one.reason}
