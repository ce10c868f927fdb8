"""What may be done at once, what waits for the operator, and what never happens: a table and two caps."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from oldsoul.values.changes import Add, Author, Delete, Move, Put, Remove, Replace, Role
from oldsoul.values.names import Kind
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.values.changes import Operation

Growth = Literal["ask", "auto"]


class Verdict(StrEnum):
    """What happens to a change."""

    AUTO = "auto"
    ASK = "ask"
    NEVER = "never"

    @property
    def rank(self) -> int:
        """Greater is stricter: a mixed set has its strictest part's verdict."""
        return tuple(Verdict).index(self)


SELF_KEPT = frozenset(
    {
        *(Kind.DAILY, Kind.SESSION, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG, Kind.ROOM),
        *(Kind.LONGTERM, Kind.PROFILE, Kind.ARCHIVE, Kind.SOUL_HISTORY),
    },
)
"""Documents that keep themselves: anyone's change goes in at once."""

SOUL_KEEPER = Author(Role.KEEPER, "soul-keeper")

GUARDED = frozenset({Kind.SOUL, Kind.AGENTS, Kind.USER})
"""Documents that only the operator changes; others may propose."""


def decide(
    operation: Operation, author: Author, target: Origin, origin: Origin, growth: Growth, *, exists: bool
) -> Verdict:
    """The verdict on one operation.

    `target` is the origin of the entry it changes, `origin` the weakest among the evidence, `exists` whether the
    document is there.
    """
    kind = operation.name.kind
    if kind is Kind.OTHER:
        return Verdict.NEVER
    if author.role is Role.OPERATOR:
        return Verdict.AUTO
    if isinstance(operation, Put):
        # Whole texts are for people. Seeding a template where nothing stands is the one exception.
        return Verdict.AUTO if author.role is Role.SYSTEM and not exists else Verdict.NEVER
    if kind is Kind.CORRECTIONS:
        return Verdict.AUTO if origin is Origin.OPERATOR or not isinstance(operation, Add | Replace) else Verdict.NEVER
    if kind in SELF_KEPT:
        return Verdict.AUTO
    if kind is Kind.MEMORY:
        return _memory(operation, target, origin)
    return _guarded(kind, author, origin, growth)


def _memory(operation: Operation, target: Origin, origin: Origin) -> Verdict:
    if isinstance(operation, Add) and operation.tag == "correction" and origin is not Origin.OPERATOR:
        return Verdict.NEVER
    if isinstance(operation, Replace):
        free = origin is Origin.OPERATOR or (target is not Origin.OPERATOR and origin.rank <= target.rank)
        return Verdict.AUTO if free else Verdict.ASK
    if isinstance(operation, Remove):
        return Verdict.AUTO if operation.into and target is not Origin.OPERATOR else Verdict.ASK
    if isinstance(operation, Move):
        inside = operation.to is None or operation.to.kind is Kind.ARCHIVE
        return Verdict.AUTO if inside else Verdict.ASK
    return Verdict.NEVER if isinstance(operation, Delete) else Verdict.AUTO


def _guarded(kind: Kind, author: Author, origin: Origin, growth: Growth) -> Verdict:
    if kind in GUARDED and origin is Origin.UNTRUSTED:
        return Verdict.NEVER
    grows = growth == "auto" and kind is Kind.SOUL and author == SOUL_KEEPER and origin is Origin.OPERATOR
    return Verdict.AUTO if grows else Verdict.ASK


def confidence_cap(origin: Origin) -> float:
    """The highest confidence a text of this origin can have."""
    return {Origin.OPERATOR: 1.0, Origin.UNTRUSTED: 0.6}.get(origin, 0.94)


def strictest(verdicts: list[Verdict]) -> Verdict:
    """The verdict on a whole set."""
    return max(verdicts, key=lambda verdict: verdict.rank, default=Verdict.AUTO)
