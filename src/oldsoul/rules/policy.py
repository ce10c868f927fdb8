"""What may be done at once, what waits for the operator, and what never happens: a table and two caps."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Literal, NamedTuple

from oldsoul.errors import BadName
from oldsoul.values.changes import (
    Add,
    Author,
    Delete,
    Move,
    Operation,
    Put,
    Remove,
    Rename,
    Replace,
    Role,
    SetField,
    Tick,
)
from oldsoul.values.names import ROOT_FILES, Kind, Name, kind_of
from oldsoul.values.origin import Origin

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
"""Documents that keep themselves: a change goes in at once."""

PRUNED = frozenset({Kind.DAILY, Kind.SESSION})
"""Documents that keepers remove once their content is archived."""

_ANY = "main"
"""Every agent's and team's files are called the same."""

SOUL_KEEPER = Author(Role.KEEPER, "soul-keeper")

GUARDED = frozenset({Kind.SOUL, Kind.AGENTS, Kind.USER})
"""Documents that only the operator changes; others may propose."""


def decide(
    operation: Operation, author: Author, target: Origin, origin: Origin, growth: Growth, *, exists: bool
) -> Verdict:
    """The verdict on one operation.

    `target` is the origin of the entry it changes, `origin` the weakest among the evidence, `exists` whether the
    document is there. An entry that moves must be allowed to leave the one document and to enter the other.
    """
    to = operation.to if isinstance(operation, Move | Rename) and operation.to != operation.name else None
    if Kind.OTHER in (operation.name.kind, to.kind if to else None):
        return Verdict.NEVER
    if author.role is Role.OPERATOR:
        return Verdict.AUTO
    if isinstance(operation, Put):
        # Whole texts are for people. Seeding a template for a missing file is the one exception.
        return Verdict.AUTO if author.role is Role.SYSTEM and not exists else Verdict.NEVER
    if isinstance(operation, Rename):
        # A document goes as a whole only to the archive, when its time is over.
        kept = operation.name.kind in PRUNED and operation.to.kind is Kind.ARCHIVE
        return Verdict.AUTO if kept and author.role in (Role.KEEPER, Role.SYSTEM) else Verdict.NEVER
    case = _Case(author, target, origin, growth)
    verdict = _within(operation, to, case)
    if isinstance(operation, SetField) and operation.entry and operation.key == "origin" and origin.rank > target.rank:
        verdict = strictest([verdict, Verdict.ASK])  # else what the operator said could be made anybody's
    return verdict if to is None else strictest([verdict, _arriving(operation.name, to, case)])


def unknown_file(path: str) -> str:
    """Why the operator cannot set a verdict for a file of this name; empty where they can."""
    with suppress(BadName):
        if kind_of(_ANY, path) is not Kind.OTHER:
            return ""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(path, ROOT_FILES, 1)
    meant = f"; did you mean {near[0]}?" if near else f"; name one of {', '.join(ROOT_FILES)}, or one in their folders"
    return f"this is not a file that Oldsoul writes{meant}"


def own_verdict(own: Mapping[str, str], operation: Operation, verdict: Verdict) -> Verdict:
    """The verdict on one operation by somebody other than the operator, where settings have their own on its files.

    Whole texts, and what is never done, they leave as they are; where an entry moves, the stricter document counts.
    """
    if verdict is Verdict.NEVER or isinstance(operation, Put | Rename):
        return verdict
    to = operation.to if isinstance(operation, Move) and operation.to != operation.name else None
    said = [Verdict(own[name.path]) for name in (operation.name, to) if name is not None and name.path in own]
    if to is not None:
        return strictest([verdict, *said])
    return said[0] if said else verdict


class _Case(NamedTuple):
    """Who does something, and on whose word."""

    author: Author
    target: Origin
    origin: Origin
    growth: Growth

    @property
    def by_operators_word(self) -> bool:
        return self.origin is Origin.OPERATOR

    @property
    def by_us(self) -> bool:
        return self.author.role in (Role.KEEPER, Role.SYSTEM)


def is_correction(name: Name) -> bool:
    """Whether a document's entries are corrections, which hide what they correct: archived ones hold as well."""
    return name.kind is Kind.CORRECTIONS or name.path.startswith("Archive/Corrections/")


def _within(operation: Operation, to: Name | None, case: _Case) -> Verdict:
    """The verdict on what happens in the document the operation names."""
    name = operation.name
    if is_correction(name):
        return _corrections(operation, to, case)
    if isinstance(operation, Add) and operation.tag == "correction" and not case.by_operators_word:
        return Verdict.NEVER
    if name.kind in SELF_KEPT:
        return _self_kept(operation, to, case)
    if name.kind is Kind.MEMORY:
        return _memory(operation, to, case)
    return _guarded(operation, name, case)


def _arriving(source: Name, to: Name, case: _Case) -> Verdict:
    """The verdict on an entry that comes from another document, on the weaker of its trust and the evidence's."""
    case = case._replace(origin=case.target.weaker(case.origin))
    if is_correction(to):
        return Verdict.AUTO if is_correction(source) or case.by_operators_word else Verdict.NEVER
    if to.kind in SELF_KEPT or to.kind is Kind.MEMORY:
        return Verdict.AUTO
    return _guarded(None, to, case)


def _corrections(operation: Operation, to: Name | None, case: _Case) -> Verdict:
    """Only the operator causes a correction or takes one back; keepers count and archive them."""
    if isinstance(operation, Delete):
        return Verdict.NEVER
    if case.by_operators_word or isinstance(operation, SetField | Tick):
        return Verdict.AUTO
    if isinstance(operation, Move):
        return Verdict.AUTO if to is None or is_correction(to) else Verdict.ASK
    return Verdict.ASK if isinstance(operation, Remove) else Verdict.NEVER


def _self_kept(operation: Operation, to: Name | None, case: _Case) -> Verdict:
    if isinstance(operation, Delete):
        # Old snapshots are thinned out by the system itself: history keeps their bytes, and brings them back.
        thinned = case.author.role is Role.SYSTEM and operation.name.kind is Kind.SOUL_HISTORY
        return Verdict.AUTO if thinned or (case.by_us and operation.name.kind in PRUNED) else Verdict.ASK
    if operation.name.kind is Kind.DAILY and isinstance(operation, Replace | Remove | Tick):
        return Verdict.NEVER  # a diary is only ever written on
    if case.by_us or case.target is not Origin.OPERATOR or case.by_operators_word:
        return Verdict.AUTO
    # Somebody weaker speaks up directly: what the operator stated is not theirs to reword or take away.
    goes = isinstance(operation, Replace | Remove) or (to is not None and to.kind is not Kind.ARCHIVE)
    return Verdict.ASK if goes else Verdict.AUTO


def _memory(operation: Operation, to: Name | None, case: _Case) -> Verdict:
    if isinstance(operation, Delete):
        return Verdict.NEVER
    if isinstance(operation, Replace | Remove):
        merged = isinstance(operation, Replace) or bool(operation.into)  # a plain deletion always waits
        stronger = case.target is Origin.OPERATOR or case.origin.rank > case.target.rank
        return Verdict.AUTO if merged and (case.by_operators_word or not stronger) else Verdict.ASK
    if isinstance(operation, Move):
        return Verdict.AUTO if to is None or to.kind is Kind.ARCHIVE else Verdict.ASK
    return Verdict.AUTO


def _guarded(operation: Operation | None, name: Name, case: _Case) -> Verdict:
    if name.kind in GUARDED and case.origin is Origin.UNTRUSTED:
        return Verdict.NEVER
    grows = case.growth == "auto" and name.kind is Kind.SOUL and case.author == SOUL_KEEPER and case.by_operators_word
    return Verdict.AUTO if grows and not isinstance(operation, Delete) else Verdict.ASK


def confidence_cap(origin: Origin) -> float:
    """The highest confidence a text of this origin can have."""
    return {Origin.OPERATOR: 1.0, Origin.UNTRUSTED: 0.6}.get(origin, 0.94)


def strictest(verdicts: list[Verdict]) -> Verdict:
    """The verdict on a whole set."""
    return max(verdicts, key=lambda verdict: verdict.rank, default=Verdict.AUTO)
