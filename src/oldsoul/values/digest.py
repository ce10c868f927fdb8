"""What the operator is told after the soul grew."""

from __future__ import annotations

from typing import Any

from oldsoul.values.frozen import frozen


@frozen
class Grown:
    """One entry that came into a soul, or is proposed for it."""

    number: str
    """the change's number, or the proposal's id"""
    text: str
    """the entry's words"""
    section: str
    """where it stands; empty for one that was reworded"""
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
        return "\n".join([*lines, "", "`oldsoul soul` shows every version, `oldsoul review` what waits."])

    @property
    def public(self) -> str:
        """What everyone may read: the entries that stand in SOUL.md now; of what only waits, how much it is."""
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
