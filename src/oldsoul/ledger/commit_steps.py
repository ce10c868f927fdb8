"""What every way through the door shares: looking before working, planning, committing whole."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING

from oldsoul.documents import marks
from oldsoul.errors import BadInput, Conflict, Refused
from oldsoul.ledger import proposals
from oldsoul.ledger.forgetting import AffectedLine
from oldsoul.ledger.outside import OutsideEdits
from oldsoul.ledger.proposals import Proposal
from oldsoul.ledger.soul_log import RECORDED, SNAPSHOT, ChangelogEntry, SoulLog, soul_log, soul_of
from oldsoul.ledger.taken_away import TakenAway
from oldsoul.ledger.working_copies import LedgerOptions, OptionsOf, Plan, Planner, Stores
from oldsoul.ports import Clock, LockedWorkspace
from oldsoul.rules.merge import MergeConflict
from oldsoul.values.changes import Add, Author, ChangeSet, Operation, Put, Role
from oldsoul.values.frozen import frozen
from oldsoul.values.history import ABSENT, Change, Effect, Record, Snapshot
from oldsoul.values.names import SHARED, Name

if TYPE_CHECKING:
    from oldsoul.documents import Entry


SYSTEM = Author(Role.SYSTEM, "ledger")
NO_BASES: Mapping[Name, str] = {}
"""Where the caller expects no particular versions."""
_PAGE = 500


@frozen
class Outcome:
    """What became of a change."""

    change: Change | None
    """the change, when it was applied"""
    proposal: Proposal | None = None
    """the proposal, when it waits"""
    warnings: tuple[str, ...] = ()
    """what a person should know"""
    masked: int = 0
    """how many secrets were masked"""
    repeated: bool = False
    """whether the key was spent before, so that nothing was done now"""
    alike: tuple[tuple[Name, Entry], ...] = ()
    """after forgetting: the entries that say the same on separate evidence, and stay"""


class CommitSteps:
    """The steps that applying, undoing, approving and forgetting have in common."""

    def __init__(
        self,
        store: Stores,
        clock: Clock,
        seed: Callable[[Name], bytes],
        options: LedgerOptions | OptionsOf | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self.seed = seed
        """what a document begins with"""
        self._options = _options_of(options or LedgerOptions())
        self._planner = Planner(store, seed, self._options)
        self._taken_away = TakenAway(store)
        self._outside = OutsideEdits(store, clock, lambda workspace: self._options(workspace).outside, self._taken_away)

    def _size_of(self, name: Name) -> int:
        return len(self._store.read(name).data or b"")

    def _all_changes(self, workspace: str, name: Name | None = None) -> Iterator[Change]:
        """The whole history, newest first, a page at a time."""
        before: int | None = None
        while page := self._store.changes(workspace, name=name, before=before, limit=_PAGE):
            yield from page
            before = page[-1].id

    def _plan(self, change_set: ChangeSet, standing: Mapping[Name, Snapshot], *, approved: bool = False) -> Plan:
        return self._planner.plan(change_set, standing, self._clock.now(), approved=approved, look=self._known)

    def _known(self, name: Name) -> Snapshot:
        """A document as history has it. A save by hand that is not in history comes out of the swap and is merged.

        For documents we come upon while at work: looking for edits now could move what the work began from.
        """
        version = self._store.recorded(name) or ABSENT
        return Snapshot(self._store.content(version), version)

    def _notice(self, held: LockedWorkspace, names: Iterable[Name]) -> dict[Name, Snapshot]:
        """The documents as they are, edits made outside included; where one conflicted with ours, that is written down."""
        wanted = list(names)
        taken = self._outside.take_in(held, wanted)
        clashed = {name: found.clashes for name, found in taken.items() if found.clashes}
        if not clashed:
            return {name: taken[name].snapshot for name in wanted}
        conflicts = Name(next(iter(clashed)).workspace, "CONFLICTS.md")
        standing = taken[conflicts].snapshot if conflicts in taken else self._known(conflicts)
        written = self._write_clashes(held, conflicts, standing, clashed)
        return {name: written if name == conflicts else taken[name].snapshot for name in wanted}

    def _sifted(
        self, held: LockedWorkspace, asked: ChangeSet, standing: Mapping[Name, Snapshot]
    ) -> tuple[ChangeSet, tuple[str, ...]]:
        """A change whose whole texts bring nothing back that the ledger took away since they were read; what is left out."""
        operations: list[Operation] = []
        left_out: list[str] = []
        for operation in asked.operations:
            if isinstance(operation, Put) and asked.author.role is not Role.SYSTEM:
                name = operation.name
                data, left = self._outside.put(
                    held, name, standing[name].version, operation.data, asked.versions.get(name)
                )
                left_out += [f"not brought back, as it was removed since: {text}" for text in left]
                operation = replace(operation, data=data)  # noqa: PLW2901 - it is this one, without what went
            operations.append(operation)
        if not left_out:
            return asked, ()
        reason = f"{asked.reason}; entries removed earlier stay removed ({len(left_out)})"
        return replace(asked, operations=tuple(operations), reason=reason), tuple(left_out)

    def _write_clashes(
        self,
        held: LockedWorkspace,
        conflicts: Name,
        standing: Snapshot,
        clashed: Mapping[Name, Iterable[MergeConflict]],
    ) -> Snapshot:
        """Write down what a save by hand overruled; where CONFLICTS.md cannot take it, in history alone."""
        now = self._clock.now()
        adds = tuple(
            Add(
                conflicts,
                text=f"A save by hand and a change by Oldsoul disagreed in {name.path}; the save by hand was kept.",
                title=now.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC"),
                children=(f"**Kept:** {_one_line(clash.theirs)}", f"**Not kept:** {_one_line(clash.ours)}"),
            )
            for name, clashes in clashed.items()
            for clash in clashes
        )
        where = ", ".join(name.path for name in clashed)
        reason = f"a save by hand and a change by Oldsoul disagreed in {where}"
        asked = ChangeSet(adds, SYSTEM, reason, f"clash:{uuid.uuid4().hex}")
        try:
            plan = self._planner.plan(asked, {conflicts: standing}, now)
        except BadInput as error:  # too large, or an open code block in it
            notes = {f"not_kept_{n}": add.children[1] for n, add in enumerate(adds, 1)} | {"problem": str(error)}
            held.commit(replace(self._change(conflicts.workspace, asked.key, SYSTEM, reason, ()), notes=notes), {})
            return standing
        held.commit(self._change(conflicts.workspace, asked.key, SYSTEM, reason, plan.effects), plan.after)
        return Snapshot.of(plan.after[conflicts])

    def _commit(
        self,
        held: LockedWorkspace,
        plan: Plan,
        count: int,
        also: Sequence[Record] = (),
        *,
        proposal: Proposal | None = None,
        approver: Author | None = None,
        recorded: bool = False,
    ) -> Outcome:
        asked = plan.change_set
        (workspace,) = asked.workspaces
        key = f"approve:{proposal.id}" if proposal else asked.key
        effects, after = plan.effects, plan.after
        log = None
        if recorded or asked.author.role in RECORDED:
            by = str(asked.author) + (f", proposal {proposal.id} approved by {approver}" if proposal else "")
            log = self._soul_log(plan.before, after, ChangelogEntry(by, asked.reason, asked.evidence), key)
        if log is not None:
            after = {**after, **log.documents}
            effects = joined(effects, log.effects)
        change = self._change(workspace, key, asked.author, asked.reason, effects)
        notes = {"masked": str(count)} if count else {}
        notes |= {SNAPSHOT: log.snapshot} if log is not None and log.snapshot else {}
        records = list(also)
        if proposal is not None:
            notes |= {"proposal": proposal.id, "approved_by": str(approver)}
            proposal = replace(proposal, state=proposals.APPROVED)
            records.append(Record(proposals.KIND, proposal.id, proposals.dumped(proposal)))
        stored = self._write(held, replace(change, evidence=asked.evidence, notes=notes), after, records)
        self._notice(held, ())
        return Outcome(stored, proposal, plan.warnings, count)

    def _write(
        self,
        held: LockedWorkspace,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record] = (),
        traces: Iterable[AffectedLine] = (),
    ) -> Change:
        """Commit a change of ours, with what tells the entries it takes away if an old buffer brings them again."""
        return held.commit(change, documents, [*records, *self._taken_away.noted(change, documents, traces)])

    def _soul_log(
        self, before: Mapping[Name, bytes | None], after: Mapping[Name, bytes | None], account: ChangelogEntry, key: str
    ) -> SoulLog | None:
        """What is written next to a change to a soul; None where it changes none."""
        workspace = next(iter(after)).workspace if after else ""
        soul = soul_of(workspace) if workspace and workspace != SHARED else None
        if soul is None or soul not in after:
            return None
        options = self._options(workspace)
        changelog = Name(workspace, "CHANGELOG.md")
        held = after[changelog] if changelog in after else self._known(changelog).data
        return soul_log(
            (before[soul], after[soul]),
            account,
            key,
            self._clock.now().astimezone(options.zone()),
            (changelog, held, options.limit_of(changelog)),
            read=lambda name: self._store.read(name).data,
            seed=self._planner.seed,
        )

    def _repeated(self, held: LockedWorkspace, key: str) -> Outcome | None:
        spent = held.spent(key)
        if spent is None:
            return None
        waiting = spent.notes.get("proposal")
        if not waiting or spent.effects:
            return Outcome(spent, repeated=True)
        kept = self._store.records(spent.workspace, proposals.KIND).get(waiting)
        return Outcome(held.spent(f"approve:{waiting}"), proposals.loaded(kept) if kept else None, repeated=True)

    def _change(self, workspace: str, key: str, author: Author, reason: str, effects: tuple[Effect, ...]) -> Change:
        return Change(workspace, key, self._now(), author, reason, effects)

    def _now(self) -> str:
        return self._clock.now().astimezone(UTC).isoformat(timespec="microseconds")

    def _only_operator(self, author: Author, what: str) -> None:
        if author.role is not Role.OPERATOR:
            raise Refused(f"only the operator may {what}; {author} may not")


def joined(effects: tuple[Effect, ...], further: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Effects with further ones, in the order of their documents; two on one document are one."""
    found = {effect.name: effect for effect in effects}
    for effect in further:
        first = found.get(effect.name)
        entries = (*first.entries, *effect.entries) if first else effect.entries
        found[effect.name] = replace(effect, before=first.before if first else effect.before, entries=entries)
    return tuple(effect for _, effect in sorted(found.items()))


def _one_line(data: bytes) -> str:
    return marks.without_marks(data.decode("utf-8", "replace")).strip() or "(removed)"


def _options_of(options: LedgerOptions | OptionsOf) -> OptionsOf:
    return (lambda _: options) if isinstance(options, LedgerOptions) else options


def check_bases(standing: Mapping[Name, Snapshot], bases: Mapping[Name, str]) -> None:
    """`Conflict` unless these versions are the current ones."""
    moved = [name.path for name, base in bases.items() if name in standing and standing[name].version != base]
    if moved:
        raise Conflict(f"{', '.join(moved)} changed in the meantime: look at the current version and try again")
