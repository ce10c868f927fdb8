"""Proposals: changes that wait for the operator, stored as records, shown as differences, approved exactly as shown."""

from __future__ import annotations

import base64
import json
from dataclasses import fields
from typing import Any

from oldsoul.errors import Damaged
from oldsoul.ledger.working_copies import Plan
from oldsoul.rules.merge import lines
from oldsoul.values import changes
from oldsoul.values.audience import Audience
from oldsoul.values.changes import Author, ChangeSet, Evidence, Operation
from oldsoul.values.frozen import frozen, shortened
from oldsoul.values.history import Change
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

KIND = "proposal"
OPEN, APPROVED, REJECTED, EXPIRED = "open", "approved", "rejected", "expired"

_STATES = {"approve": APPROVED, "reject": REJECTED, "expire": EXPIRED, "refresh": OPEN}
"""What happens to a proposal by changes whose keys begin like this."""

_OPERATIONS: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (
        *(changes.Add, changes.Replace, changes.Remove, changes.Tick, changes.Rename),
        *(changes.Move, changes.SetField, changes.Put, changes.Delete),
    )
}


@frozen
class Proposal:
    """A change that waits for approval, or that was decided."""

    id: str
    """its id in `review`; a shorter one works as long as it is unique"""
    change_set: ChangeSet
    """the change it proposes"""
    at: str
    """when it was proposed"""
    state: str
    """open, approved, rejected or expired"""
    shown: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    """per file: its path, the removed lines, the added lines; as bytes in base64"""
    warnings: tuple[str, ...] = ()
    """what to consider before approving"""
    note: str = ""
    """why it was rejected or expired, or the number of the change it became"""

    def __repr__(self) -> str:
        return f"<Proposal {self.id} {self.state}: {shortened(self.change_set.reason)}>"


def proposal_of(change: Change) -> tuple[str, str] | None:
    """The proposal that a change made, decided on or brought up to date, and its state from then on; None for others."""
    about, _, rest = change.key.partition(":")
    if about in _STATES:
        return rest.partition(":")[0], _STATES[about]
    return (change.notes["proposal"], OPEN) if "proposal" in change.notes else None


def dumped(proposal: Proposal) -> str:
    """Return the proposal as the JSON of a record."""
    return json.dumps(
        {
            "id": proposal.id,
            "at": proposal.at,
            "state": proposal.state,
            "shown": proposal.shown,
            "warnings": proposal.warnings,
            "note": proposal.note,
            "set": _set_out(proposal.change_set),
        },
        ensure_ascii=False,
    )


def loaded(text: str) -> Proposal:
    """Return the proposal that `dumped` wrote; `Damaged` when it cannot be read."""
    try:
        raw = json.loads(text)
        return Proposal(
            id=raw["id"],
            change_set=_set_in(raw["set"]),
            at=raw["at"],
            state=raw["state"],
            shown=tuple((path, tuple(gone), tuple(new)) for path, gone, new in raw["shown"]),
            warnings=tuple(raw["warnings"]),
            note=raw["note"],
        )
    except (KeyError, ValueError, TypeError) as error:
        raise Damaged(f"a stored proposal cannot be read ({error})") from error


def shown(plan: Plan) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """What a person is shown of a plan, and what approving it must then write."""
    result = []
    for name, data in sorted(plan.after.items()):
        both = lines.changed_lines(plan.before[name] or b"", data or b"")
        # When a file changed last is computed at the moment it does, not proposed.
        gone, new = (tuple(line for line in side if not line.startswith(b"updated_at:")) for side in both)
        result.append((name.path, _lines_out(gone), _lines_out(new)))
    return tuple(result)


def _lines_out(some: tuple[bytes, ...]) -> tuple[str, ...]:
    """Lines of any bytes as JSON can hold them."""
    return tuple(base64.b64encode(line).decode() for line in some)


def _set_out(change_set: ChangeSet) -> dict[str, Any]:
    return {
        "operations": [_operation_out(operation) for operation in change_set.operations],
        "author": str(change_set.author),
        "reason": change_set.reason,
        "key": change_set.key,
        "evidence": [[e.ref, str(e.origin), str(e.audience), e.quote] for e in change_set.evidence],
        "versions": [[name.workspace, name.path, version] for name, version in change_set.versions.items()],
        "suggested": change_set.suggested,
    }


def _set_in(raw: dict[str, Any]) -> ChangeSet:
    return ChangeSet(
        operations=tuple(_operation_in(operation) for operation in raw["operations"]),
        author=Author.parse(raw["author"]),
        reason=raw["reason"],
        key=raw["key"],
        evidence=tuple(Evidence(r, Origin(o), Audience.parse(a), q) for r, o, a, q in raw["evidence"]),
        versions={Name(workspace, path): version for workspace, path, version in raw["versions"]},
        suggested=raw.get("suggested", False),
    )


def _operation_out(operation: Operation) -> dict[str, Any]:
    values = {field.name: _value_out(getattr(operation, field.name)) for field in fields(operation)}
    return {"do": type(operation).__name__, **values}


def _value_out(value: Any) -> Any:
    if isinstance(value, Name):
        return {"name": [value.workspace, value.path]}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    return {"map": dict(value)} if isinstance(value, dict) else value


def _operation_in(raw: dict[str, Any]) -> Operation:
    cls = _OPERATIONS[raw.pop("do")]
    operation: Operation = cls(**{key: _value_in(value) for key, value in raw.items()})
    return operation


def _value_in(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    return Name(*inner) if kind == "name" else base64.b64decode(inner) if kind == "bytes" else inner
