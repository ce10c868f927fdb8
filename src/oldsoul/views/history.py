"""Changes, proposals and versions as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oldsoul.values.changes import Add, Replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.app.services.files import Version
    from oldsoul.ledger import BlameLine, Outcome, Proposal
    from oldsoul.values.changes import Evidence
    from oldsoul.values.history import Change


def change(of: Change) -> dict[str, Any]:
    """A change: its number, time, author and reason; the files it changed; what it rests on."""
    return {
        "change": of.id,
        "at": of.at,
        "author": str(of.author),
        "reason": of.reason,
        "files": [
            {"path": e.name.path, "before": e.before, "after": e.after, "entries": list(e.entries)} for e in of.effects
        ],
        "evidence": evidence(of.evidence),
        "notes": dict(of.notes),
    }


def evidence(of: Sequence[Evidence]) -> list[dict[str, str]]:
    """What a change or a proposal rests on, each with where it comes from, who caused it and who may see it."""
    return [{"ref": e.ref, "origin": str(e.origin), "audience": str(e.audience), "quote": e.quote} for e in of]


def blamed(of: BlameLine) -> dict[str, Any]:
    """A line of a document and the change that wrote it; nothing of a change where none did."""
    made = of.change
    return {
        "line": of.line,
        "text": of.text,
        "change": made.id if made else None,
        "at": made.at if made else None,
        "author": str(made.author) if made else None,
        "reason": made.reason if made else None,
        "evidence": evidence(made.evidence) if made else [],
    }


def version(of: Version) -> dict[str, Any]:
    """A version of SOUL.md: the change that made it, its tokens, and the snapshot of what was before it."""
    return {
        "version": of.change,
        "at": of.at,
        "author": str(of.author),
        "approved_by": of.approved_by,
        "reason": of.reason,
        "tokens": of.tokens,
        "snapshot": of.snapshot,
        "hash": of.version,
    }


def proposal(of: Proposal) -> dict[str, Any]:
    """A change that was proposed: who asks for it, why, its files, the words it would write, what it rests on."""
    asked = of.change_set
    return {
        "id": of.id,
        "at": of.at,
        "state": of.state,
        "author": str(asked.author),
        "reason": asked.reason,
        "files": [name.path for name in asked.names],
        "words": _words(of),
        "evidence": evidence(asked.evidence),
        "warnings": list(of.warnings),
        "note": of.note,
    }


def _words(of: Proposal) -> list[str]:
    """The words it would write; those of logs, which tell of it, only where there are no others."""
    made = [one for one in of.change_set.operations if isinstance(one, Add | Replace) and one.text.strip()]
    told = [one for one in made if not one.name.is_log] or made
    return [" ".join(one.text.split()) for one in told]


def approved(proposal_id: str, outcome: Outcome) -> dict[str, Any]:
    """A proposal that was done: the change, and the files it changed."""
    made = outcome.change
    return {
        "id": proposal_id,
        "change": made.id if made else None,
        "files": [effect.name.path for effect in made.effects] if made else [],
        "masked": outcome.masked,
        "warnings": list(outcome.warnings),
    }
