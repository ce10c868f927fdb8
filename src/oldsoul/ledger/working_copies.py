"""What a set of operations would do: worked out on paper, judged, not yet written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from datetime import UTC, datetime, tzinfo
from typing import Protocol

from oldsoul.documents import Document, edits, parse, render
from oldsoul.errors import Conflict, Refused, TooLarge
from oldsoul.ledger.claims import EvidenceClaims, exposures
from oldsoul.ledger.undo import UndoResult
from oldsoul.ports import History, Store
from oldsoul.rules import limits, retention
from oldsoul.rules.apply import WorkingCopies, applied
from oldsoul.rules.merge import merge
from oldsoul.rules.policy import SOUL_KEEPER, Growth, Verdict, decide, own_verdict, strictest
from oldsoul.values.audience import OWNER, Audience
from oldsoul.values.changes import Add, ChangeSet, Delete, Move, Operation, Put, Rename, Role, SetField
from oldsoul.values.frozen import frozen
from oldsoul.values.history import ABSENT, Effect, Snapshot, version_of
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import OWNER_SUBJECT

_AT_HAND = 64
_SLACK = 64 * 1024
_DATED_FILES = frozenset({Kind.SESSION, Kind.LONGTERM, Kind.PROFILE})
_PART = re.compile(r"(?:\.(\d+))?\.md$")
IDENTITY_KEYS = frozenset({"subject_id", "session_id", "source", "channel", "contact_id", "created_at", "audience"})
"""Frontmatter that says whose a document is: filled in once, by us."""


class Stores(Store, History, Protocol):
    """A store with its history."""


@frozen
class LedgerOptions:
    """What settings tell the ledger."""

    max_file_size: int = limits.MAX_FILE_SIZE
    """the size limit of documents that go into prompts"""
    growth: Growth = "ask"
    """whether the soul keeper's edits wait for approval"""
    outside: Origin = Origin.OPERATOR
    """whose words an edit counts as that was made past the ledger"""
    operators: frozenset[str] = frozenset({OWNER_SUBJECT})
    """who the operators are: what is the owner's may be in their own memory"""
    policy: Mapping[str, str] = field(default_factory=dict)
    """what a change to a file needs, by its path, instead of the built-in rules"""
    zone: Callable[[], tzinfo] = lambda: UTC
    """gives the time zone of headings and of snapshots' names"""

    def limit_of(self, name: Name) -> int:
        """How many bytes a document may have."""
        return limits.limit_of(name, self.max_file_size)


OptionsOf = Callable[[str], LedgerOptions]
"""What settings tell the ledger, workspace by workspace."""


@frozen
class Plan:
    """A change that could be made."""

    change_set: ChangeSet
    """what was asked for, masked and capped"""
    before: Mapping[Name, bytes | None]
    """the documents it would change, as they are"""
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
        """What it would do, document by document, in the order of their names."""
        return tuple(
            Effect(
                name, version_of(self.before[name]), version_of(data), tuple(dict.fromkeys(self.written.get(name, ())))
            )
            for name, data in sorted(self.after.items())
        )


@frozen
class Planner:
    """Works plans out. Reads the store; writes nothing."""

    store: Stores
    seed: Callable[[Name], bytes]
    options: OptionsOf
    lately: dict[Name, Document] = field(default_factory=dict)
    """documents as the last plans left them, with their structure; most often they are still current next time"""

    def document(self, name: Name, data: bytes | None) -> Document | None:
        """The document these bytes are, not parsed again when they were just planned."""
        if data is None:
            return None
        known = self.lately.get(name)
        return known if known is not None and render(known) == data else parse(data, is_log=name.is_log)

    def keep(self, name: Name, document: Document) -> None:
        """Have a document at hand for the next plan."""
        if len(self.lately) >= _AT_HAND:
            self.lately.clear()
        self.lately[name] = document

    def plan(
        self,
        change_set: ChangeSet,
        standing: Mapping[Name, Snapshot],
        now: datetime,
        *,
        approved: bool = False,
        look: Callable[[Name], Snapshot] | None = None,
    ) -> Plan:
        """What the set would do to the documents as they are; the error that is in its way otherwise.

        `look` gives a further document that the change turns out to touch.
        """
        options = self.options(next(iter(change_set.workspaces)))
        planning = _Planning(self, options, look or self.store.read, now)
        return planning.plan(change_set, standing, approved=approved)

    def fitted(self, taken: UndoResult, standing: Mapping[Name, Snapshot], now: datetime) -> UndoResult:
        """The same with room made where it is needed; `TooLarge` where there is none to make.

        What was there before the change may be there again, however large it is.
        """
        names = taken.documents.keys() - taken.restored
        options = self.options(next(iter(taken.documents)).workspace)
        planning = _Planning(self, options, lambda name: standing.get(name, Snapshot.of(None)), now)
        planning.documents = {name: _document(name, standing[name].data) for name in taken.documents}
        copies = WorkingCopies({name: _document(name, data) for name, data in taken.documents.items()}, self.seed)
        planning.make_room(names, copies)
        for name in names:
            planning.check_size(name, _bytes(planning.documents[name]), _bytes(copies.documents[name]))
        return replace(taken, documents={name: _bytes(document) for name, document in copies.documents.items()})


class _Planning:
    """One plan while it is worked out."""

    def __init__(
        self, planner: Planner, options: LedgerOptions, look: Callable[[Name], Snapshot], now: datetime
    ) -> None:
        self.planner = planner
        self.options = options
        self.look = look
        self.now = now
        self.warnings: list[str] = []
        self.documents: dict[Name, Document | None] = {}

    def plan(self, change_set: ChangeSet, standing: Mapping[Name, Snapshot], *, approved: bool) -> Plan:
        self.documents = {name: self.planner.document(name, snap.data) for name, snap in standing.items()}
        claims = EvidenceClaims(change_set, self.documents)
        change_set = claims.judged()
        bases = self._bases(change_set, standing)
        copies = applied(change_set.operations, change_set.key, {**self.documents, **bases}, self.planner.seed)
        for name, base in bases.items():
            copies.documents[name] = _together(name, base, self.documents[name], copies.documents[name])
        self._check_shrinking(change_set, copies)
        touched = [o for o in change_set.operations if not isinstance(o, Put | Rename | Delete)]
        self.make_room({name for o in touched for name in (o.name, getattr(o, "to", None) or o.name)}, copies)
        self._bring_up_to_date(copies)
        before = {name: _bytes(d) for name, d in self.documents.items()}
        after = {name: _bytes(d) for name, d in copies.documents.items()}
        changed = {name: data for name, data in after.items() if data != before.get(name)}
        for name, data in changed.items():
            if name not in copies.renamed:
                self.check_size(name, before.get(name), data)
            document = copies.documents[name]
            if document is not None:
                self.planner.keep(name, document)
        verdict = self._verdict(change_set, claims)
        if change_set.author.role is not Role.OPERATOR and not approved:
            verdict = self._audience(change_set, claims, verdict)
        return Plan(
            change_set=change_set,
            before={name: before.get(name) for name in changed},
            after=changed,
            verdict=verdict,
            written=copies.written,
            warnings=tuple(dict.fromkeys(self.warnings)),
        )

    def _bring_up_to_date(self, copies: WorkingCopies) -> None:
        """Compute what a memory file's frontmatter says of it: when it changed, how many of its tasks are done."""
        for name, document in copies.documents.items():
            before = self.documents.get(name)
            if (
                name.kind in _DATED_FILES
                and document is not None
                and (before is None or before.lines != document.lines)
            ):
                copies.documents[name] = edits.refreshed(document, f"{self.now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")

    # versions that moved

    def _bases(self, change_set: ChangeSet, standing: Mapping[Name, Snapshot]) -> dict[Name, Document | None]:
        """For documents that moved on since the change was thought of: what it was based on."""
        bases: dict[Name, Document | None] = {}
        for name, version in change_set.versions.items():
            if name not in standing or standing[name].version == version:
                continue
            data = self.planner.store.content(version)
            if data is None and version != ABSENT:
                raise Conflict(
                    f"history has no version {version[:12]} of {name.path}; read the file again and repeat the change"
                )
            bases[name] = _document(name, data)
        return bases

    # what is in the way

    def _verdict(self, change_set: ChangeSet, claims: EvidenceClaims) -> Verdict:
        verdicts = [Verdict.ASK] if change_set.suggested else []
        for operation, target in zip(change_set.operations, claims.targets, strict=True):
            document = self.documents.get(operation.name)
            verdict = decide(
                operation,
                change_set.author,
                target,
                change_set.origin,
                self.options.growth,
                exists=document is not None,
            )
            if change_set.author.role is not Role.OPERATOR:
                verdict = own_verdict(self.options.policy, operation, verdict)
            verdicts.append(verdict)
            if _takes_over(operation, document) and change_set.author.role not in (Role.OPERATOR, Role.SYSTEM):
                verdicts.append(Verdict.NEVER)
        return strictest(verdicts)

    def _audience(self, change_set: ChangeSet, claims: EvidenceClaims, verdict: Verdict) -> Verdict:
        """A text never comes before more people than what it rests on, unless the operator says so."""
        own = {Audience.person(operator) for operator in self.options.operators}
        for exposure in exposures(change_set, claims, self.documents):
            if exposure.words.fits(exposure.audience) or verdict is Verdict.NEVER:
                continue
            if exposure.words == OWNER and exposure.audience in own:
                continue  # among those who see it already, fewer
            if verdict is Verdict.AUTO and exposure.name.kind is Kind.SOUL and change_set.author == SOUL_KEEPER:
                continue  # the operator let the soul grow by itself, in words of behaviour alone
            if verdict is not Verdict.ASK:
                raise Refused(
                    f"this uses text that only {_readers(exposure.words)} may see, and {exposure.name.path} is visible to"
                    f" {_readers(exposure.audience)}; only the operator can make it visible to more people"
                )
            readers, before = _readers(exposure.audience, "you"), _readers(exposure.words, "you")
            self.warnings.append(f"approving this shows {readers} text that only {before} could see")
        return verdict

    def check_size(self, name: Name, before: bytes | None, after: bytes | None) -> None:
        limit = self.options.limit_of(name)
        size = len(after or b"")
        slack = _SLACK if name.kind in limits.PARTED else 0  # a log that is full goes on in its next part
        if size > limit + slack and size > len(before or b""):
            raise TooLarge(name.path, size, limit)
        if limits.is_near(size, limit):
            self.warnings.append(f"{name.path} has {size} of at most {limit} bytes ({100 * size // limit} %)")

    def _check_shrinking(self, change_set: ChangeSet, copies: WorkingCopies) -> None:
        if change_set.author.role not in (Role.KEEPER, Role.AGENT, Role.PARTICIPANT):
            return
        for name, dropped in copies.dropped.items():
            document = self.documents.get(name)
            count = len(document.entries) if document else 0
            if limits.drops_too_much(count, len(dropped)):
                raise Refused(
                    f"{change_set.author} tried to remove {len(dropped)} of {count} entries of {name.path}; one"
                    " change may remove a quarter at most"
                )

    # making room

    def make_room(self, names: Iterable[Name], copies: WorkingCopies) -> None:
        """Move the coldest entries of a MEMORY.md that is nearly full to the archive, in the same change."""
        for name in sorted(name for name in names if name.kind is Kind.MEMORY):
            document = copies.documents.get(name)
            if document is None:
                continue
            size = len(render(document))
            surplus = size - int(self.options.limit_of(name) * limits.WARN_SHARE)
            if surplus <= 0 or size <= len(_bytes(self.documents.get(name)) or b""):
                continue
            from oldsoul.judging.mining import is_standing  # noqa: PLC0415 - memory is hardly ever full

            entries = retention.coldest(document, surplus, frozenset(copies.written.get(name, ())), is_standing)
            if not entries:
                continue
            archive = self._archive(name.workspace, copies, sum(len(line) for e in entries for line in e.lines))
            moved = [Move(name, entry.id, to=archive) for entry in entries]
            further = applied(moved, "", copies.documents, self.planner.seed)
            copies.documents.update(further.documents)
            copies.written.setdefault(archive, []).extend(further.written.get(archive, []))
            self.warnings.append(
                f"{name.path} is nearly full: {len(moved)} of its oldest entries were moved to {archive.path}"
            )

    def _archive(self, workspace: str, copies: WorkingCopies, need: int) -> Name:
        """The month's archive, or its first part with room."""
        archive = Name(workspace, f"Archive/Memory/{self.now:%Y-%m}.md")
        while True:
            if archive not in copies.documents:
                document = self.planner.document(archive, self.look(archive).data)
                self.documents[archive] = copies.documents[archive] = document
            size = len(_bytes(copies.documents[archive]) or b"")
            if not size or size + need + 2 <= self.options.limit_of(archive):
                return archive
            archive = _next_part(archive)


def _readers(audience: Audience, owner: str = "the operator") -> str:
    """Who sees what is for this audience, in words."""
    if audience.id:
        return f"the {audience.reach} {audience.id}"
    return owner if audience == OWNER else "everyone"


def _document(name: Name, data: bytes | None) -> Document | None:
    return None if data is None else parse(data, is_log=name.is_log)


def _bytes(document: Document | None) -> bytes | None:
    return None if document is None else render(document)


def _together(name: Name, base: Document | None, ours: Document | None, theirs: Document | None) -> Document | None:
    if theirs is None:
        raise Conflict(f"{name.path} changed in the meantime and was not deleted; look at it and try again")
    if ours is None:
        raise Conflict(f"{name.path} was deleted in the meantime; check this and repeat the change")
    merged = merge(base or parse(b"", is_log=name.is_log), ours, theirs, prefer="ours")
    if merged.clashes:
        what = "; ".join(clash.what for clash in merged.clashes[:3])
        raise Conflict(
            f"{name.path} changed in the meantime in the same place ({what}); read it again and repeat the change"
        )
    return merged.document


def _takes_over(operation: Operation, document: Document | None) -> bool:
    """Whether an operation would say that a document is somebody else's."""
    if not isinstance(operation, SetField) or operation.entry or operation.key not in IDENTITY_KEYS:
        return False
    stated = document.matter.text(operation.key) if document else ""
    return bool(stated) and stated != operation.value


def with_parts(change_set: ChangeSet, size_of: Callable[[Name], int], limit_of: Callable[[Name], int]) -> ChangeSet:
    """The set with additions to a full log or session file led to its next part."""
    operations: list[Operation] = []
    sizes: dict[Name, int] = {}
    for operation in change_set.operations:
        if isinstance(operation, Add) and operation.name.kind in limits.PARTED:
            need = _most(operation)
            name = operation.name
            while (size := sizes.setdefault(name, size_of(name))) and size + need > limit_of(name):
                name = _next_part(name)
            sizes[name] += need
            operations.append(replace(operation, name=name))
        else:
            operations.append(operation)
    return replace(change_set, operations=tuple(operations))


def _most(add: Add) -> int:
    """How many bytes an entry has at most once it is written: escapes can double words and treble bookkeeping."""
    words = (add.text, add.title, add.section, *add.children)
    size = sum(2 * len(text.encode("utf-8", "replace")) + 8 for text in words)
    return size + sum(3 * len(f"{k}={v} ".encode("utf-8", "replace")) for k, v in add.fields.items()) + 200


def _next_part(name: Name) -> Name:
    match = _PART.search(name.path)
    part = int(match[1] or 1) + 1 if match else 2
    return Name(name.workspace, _PART.sub(f".{part}.md", name.path))
