"""What a set of operations would do: worked out on paper, judged, not yet written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from oldsoul.documents import Document, parse, render
from oldsoul.errors import BadInput, Conflict, Refused, TooLarge
from oldsoul.ports import History, Store
from oldsoul.rules import limits
from oldsoul.rules.apply import Desk, applied
from oldsoul.rules.audience import entry_audience
from oldsoul.rules.merge import merge
from oldsoul.rules.policy import Growth, Verdict, confidence_cap, decide, strictest
from oldsoul.rules.secrets import mask
from oldsoul.values.changes import Add, Move, Put, Replace, Role, SetField
from oldsoul.values.history import ABSENT, Effect, Snapshot, version_of
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from oldsoul.values.changes import ChangeSet, Operation

_PART = re.compile(r"(?:\.(\d+))?\.md$")


class Stores(Store, History, Protocol):
    """A store with its history."""


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """What settings tell the ledger."""

    max_file_size: int = limits.MAX_FILE_SIZE
    """the size limit of documents that go into prompts"""
    growth: Growth = "ask"
    """whether the soul keeper's edits wait for approval"""


@dataclass(frozen=True, slots=True)
class Plan:
    """A change that could be made."""

    change_set: ChangeSet
    """what was asked for, masked and capped"""
    before: Mapping[Name, bytes | None]
    """the documents it would change, as they stand"""
    after: Mapping[Name, bytes | None]
    """the same, as they would be"""
    verdict: Verdict
    """whether it may be made at once"""
    written: Mapping[Name, list[str]]
    """the entries it would write"""
    warnings: tuple[str, ...]
    """what a person should know"""

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What it would do, document by document."""
        return tuple(
            Effect(
                name, version_of(self.before[name]), version_of(data), tuple(dict.fromkeys(self.written.get(name, ())))
            )
            for name, data in self.after.items()
        )


@dataclass(slots=True)
class Planner:
    """Works plans out. Reads the store; writes nothing."""

    store: Stores
    seed: Callable[[Name], bytes]
    options: LedgerOptions
    _warnings: list[str] = field(default_factory=list)

    def plan(
        self, change_set: ChangeSet, standing: Mapping[Name, Snapshot], now: datetime, *, approved: bool = False
    ) -> Plan:
        """What the set would do to the documents as they stand; the error that stands in its way otherwise."""
        self._warnings = []
        change_set = replace(change_set, operations=tuple(_capped(o, change_set.origin) for o in change_set.operations))
        documents = {name: self._document(name, snapshot.data) for name, snapshot in standing.items()}
        bases = self._bases(change_set, standing)
        desk = applied(change_set.operations, change_set.key, {**documents, **bases}, self.seed)
        for name, base in bases.items():
            desk.documents[name] = self._together(name, base, documents[name], desk.documents[name])
        self._check_shrinking(change_set, documents, desk)
        self._make_room(change_set, desk, now)
        before = {name: render(d) if d else None for name, d in documents.items()}
        after = {name: render(d) if d else None for name, d in desk.documents.items()}
        changed = {name: data for name, data in after.items() if data != before.get(name)}
        for name, data in changed.items():
            self._check_size(name, before.get(name), data)
        verdict = self._verdict(change_set, documents)
        self._check_audience(change_set, verdict, approved=approved)
        return Plan(
            change_set=change_set,
            before={name: before.get(name) for name in changed},
            after=changed,
            verdict=verdict,
            written=desk.written,
            warnings=tuple(self._warnings),
        )

    def _document(self, name: Name, data: bytes | None) -> Document | None:
        return None if data is None else parse(data, is_log=name.is_log)

    # versions that moved

    def _bases(self, change_set: ChangeSet, standing: Mapping[Name, Snapshot]) -> dict[Name, Document | None]:
        """For documents that moved on since the change was thought of: what it was based on."""
        bases: dict[Name, Document | None] = {}
        for name, version in change_set.versions.items():
            if name not in standing or standing[name].version == version:
                continue
            data = self.store.content(version)
            if data is None and version != ABSENT:
                raise Conflict(
                    f"{name.path} is not known in version {version[:12]}; read it again and repeat the change"
                )
            bases[name] = self._document(name, data)
        return bases

    def _together(
        self, name: Name, base: Document | None, ours: Document | None, theirs: Document | None
    ) -> Document | None:
        empty = parse(b"", is_log=name.is_log)
        if theirs is None:
            raise Conflict(f"{name.path} changed meanwhile, so it was not deleted; look at it and repeat")
        if ours is None:
            raise Conflict(f"{name.path} was deleted meanwhile; look at it and repeat the change")
        merged = merge(base or empty, ours, theirs, prefer="ours")
        if merged.clashes:
            what = "; ".join(clash.what for clash in merged.clashes[:3])
            raise Conflict(
                f"{name.path} changed meanwhile in the same place ({what}); read it again and repeat the change"
            )
        return merged.document

    # what stands in the way

    def _verdict(self, change_set: ChangeSet, documents: Mapping[Name, Document | None]) -> Verdict:
        verdicts = []
        for operation in change_set.operations:
            document = documents.get(operation.name)
            target = _origin_of(document, getattr(operation, "entry", ""))
            exists = document is not None
            options = self.options.growth
            verdicts.append(decide(operation, change_set.author, target, change_set.origin, options, exists=exists))
        return strictest(verdicts)

    def _check_audience(self, change_set: ChangeSet, verdict: Verdict, *, approved: bool) -> None:
        """A text never comes before more people than what it rests on, unless the operator says so."""
        if change_set.author.role is Role.OPERATOR or approved:
            return
        for operation in change_set.operations:
            mark = operation.fields.get("aud", "") if isinstance(operation, Add | Replace) else ""
            target = operation.to if isinstance(operation, Move) and operation.to else operation.name
            audience = entry_audience(target, mark)
            if change_set.audience.fits(audience):
                continue
            if verdict is not Verdict.ASK:
                raise Refused(
                    f"this rests on words for {change_set.audience} and {target.path} is read by {audience};"
                    " only the operator can widen that"
                )
            self._warnings.append(f"approving this shows words of {change_set.audience} to {audience}")

    def _check_size(self, name: Name, before: bytes | None, after: bytes | None) -> None:
        limit = limits.limit_of(name, self.options.max_file_size)
        size = len(after or b"")
        if size > limit and size > len(before or b""):
            raise TooLarge(name.path, size, limit)
        if limits.is_near(size, limit):
            self._warnings.append(f"{name.path} has {size} of at most {limit} bytes ({100 * size // limit} %)")

    def _check_shrinking(self, change_set: ChangeSet, documents: Mapping[Name, Document | None], desk: Desk) -> None:
        if change_set.author.role not in (Role.KEEPER, Role.AGENT):
            return
        for name, dropped in desk.dropped.items():
            document = documents.get(name)
            count = len(document.entries) if document else 0
            if limits.drops_too_much(count, len(dropped)):
                raise Refused(
                    f"{change_set.author} would drop {len(dropped)} of {count} entries of {name.path};"
                    " more than a quarter is never dropped at once"
                )

    # making room

    def _make_room(self, change_set: ChangeSet, desk: Desk, now: datetime) -> None:
        """Move the coldest entries of a MEMORY.md that is nearly full to the archive, in the same change."""
        for operation in change_set.operations:
            name = operation.name
            document = desk.documents.get(name)
            if not isinstance(operation, Add) or name.kind is not Kind.MEMORY or document is None:
                continue
            full = limits.limit_of(name, self.options.max_file_size) * limits.WARN_SHARE
            surplus = len(render(document)) - int(full)
            if surplus <= 0:
                continue
            keep = frozenset(desk.written.get(name, ()))
            archive = Name(name.workspace, f"Archive/Memory/{now:%Y-%m}.md")
            if archive not in desk.documents:
                desk.documents[archive] = self._document(archive, self.store.read(archive).data)
            moved = [Move(name, entry.id, to=archive) for entry in limits.coldest(document, surplus, keep)]
            further = applied(moved, change_set.key, desk.documents, self.seed)
            desk.documents.update(further.documents)
            desk.written.setdefault(archive, []).extend(further.written.get(archive, []))
            if moved:
                self._warnings.append(
                    f"{name.path} is nearly full: {len(moved)} of its oldest entries went to {archive.path}"
                )


def masked(change_set: ChangeSet, standing: Mapping[Name, Snapshot]) -> tuple[ChangeSet, int]:
    """The set with every secret masked, and how many there were."""
    found = 0

    def clean(text: str) -> str:
        nonlocal found
        result = mask(text)
        found += sum(count for _, count in result.found)
        return result.text

    operations = tuple(_cleaned(operation, clean, standing) for operation in change_set.operations)
    evidence = tuple(replace(e, quote=clean(e.quote)) if e.quote else e for e in change_set.evidence)
    return replace(change_set, operations=operations, evidence=evidence, reason=clean(change_set.reason)), found


def _cleaned(operation: Operation, clean: Callable[[str], str], standing: Mapping[Name, Snapshot]) -> Operation:
    match operation:
        case Add():
            children = tuple(clean(child) for child in operation.children)
            return replace(operation, text=clean(operation.text), title=clean(operation.title), children=children)
        case Replace():
            return replace(operation, text=clean(operation.text))
        case SetField(value=str() as value):
            return replace(operation, value=clean(value))
        case Put():
            return replace(operation, data=_cleaned_text(operation, clean, standing))
        case _:
            return operation


def _cleaned_text(put: Put, clean: Callable[[str], str], standing: Mapping[Name, Snapshot]) -> bytes:
    """A whole text, masked in the lines that are new; what a person left there by hand is not touched."""
    snapshot = standing.get(put.name)
    old = set((snapshot.data or b"").split(b"\n")) if snapshot else set()
    lines = put.data.split(b"\n")
    if all(line in old for line in lines):
        return put.data
    fresh = b"\n".join(b"" if line in old else line for line in lines)
    text = fresh.decode("utf-8", "surrogateescape")
    cleaned = clean(text)
    if cleaned == text:
        return put.data
    pieces = cleaned.encode("utf-8", "surrogateescape").split(b"\n")
    return b"\n".join(line if line in old else piece for line, piece in zip(lines, pieces, strict=True))


def _capped(operation: Operation, origin: Origin) -> Operation:
    """The operation with bookkeeping that its origin may claim: no more trust, no more confidence."""
    if not isinstance(operation, Add | Replace):
        if isinstance(operation, SetField) and operation.entry and operation.value is not None:
            fields = _capped_fields({operation.key: operation.value}, origin)
            return replace(operation, value=fields.get(operation.key))
        return operation
    fields = _capped_fields(operation.fields, origin)
    if origin is not Origin.OPERATOR:
        fields["origin"] = str(origin)
    elif isinstance(operation, Replace):
        fields["origin"] = ""  # the operator's own words now
    return replace(operation, fields=fields)


def _capped_fields(fields: Mapping[str, str], origin: Origin) -> dict[str, str]:
    result = dict(fields)
    if "conf" in result:
        try:
            value = float(result["conf"])
        except ValueError:
            raise BadInput(f"a confidence is a number between 0 and 1, not {result['conf']!r}") from None
        if not 0 <= value <= 1:
            raise BadInput(f"a confidence is a number between 0 and 1, not {value}")
        result["conf"] = f"{min(value, confidence_cap(origin)):g}"
    if "origin" in result:
        try:
            result["origin"] = str(Origin(result["origin"]).weaker(origin))
        except ValueError:
            raise BadInput(f"{result['origin']!r} is no origin") from None
    return result


def _origin_of(document: Document | None, entry_id: str) -> Origin:
    """Who stated an entry: what its bookkeeping says, else the operator, as for every line typed by hand."""
    if document is None or not entry_id:
        return Origin.OPERATOR
    entry = next((e for e in document.entries if e.id == entry_id), None)
    stated = entry.fields.get("origin", "") if entry else ""
    if not stated:
        return Origin.OPERATOR
    return Origin(stated) if stated in tuple(Origin) else Origin.UNTRUSTED


def with_parts(change_set: ChangeSet, size_of: Callable[[Name], int]) -> ChangeSet:
    """The set with additions to a full log or session file led to its next part."""
    operations: list[Operation] = []
    for operation in change_set.operations:
        if isinstance(operation, Add) and operation.name.kind in limits.PARTED:
            need = sum(map(len, (operation.text, operation.title, *operation.children))) * 4 + 400
            name = operation.name
            while size_of(name) + need > limits.limit_of(name) and size_of(name):
                name = _next_part(name)
            operations.append(replace(operation, name=name))
        else:
            operations.append(operation)
    return replace(change_set, operations=tuple(operations))


def _next_part(name: Name) -> Name:
    match = _PART.search(name.path)
    part = int(match[1] or 1) + 1 if match else 2
    return Name(name.workspace, _PART.sub(f".{part}.md", name.path))
