"""The one door: every change to a workspace file is checked, written whole, and remembered with who, why and on what.

Nothing else writes. A change is judged by policy, size, audience and the version it was based on; it is applied at
once, kept as a proposal, or refused. Everything applied can be shown, blamed to its evidence, and taken back alone.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING

from oldsoul.documents import edits, marks, parse, render
from oldsoul.errors import BadInput, Conflict, NotFound, Refused
from oldsoul.ledger import proposals
from oldsoul.ledger.desk import LedgerOptions, Plan, Planner, Stores, masked, with_parts
from oldsoul.ledger.outside import Outside
from oldsoul.ledger.proposals import Proposal
from oldsoul.rules import lines
from oldsoul.rules.merge import Clash, merge
from oldsoul.rules.policy import Verdict
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Put, Role
from oldsoul.values.history import ABSENT, Change, Effect, Record, Snapshot, version_of
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from oldsoul.ports import Clock, Held

__all__ = ["BlameLine", "Ledger", "LedgerOptions", "Outcome", "Proposal", "Stores"]

_SYSTEM = Author(Role.SYSTEM, "ledger")
_FAR_BACK = 100_000


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class BlameLine:
    """One line and the change that wrote it."""

    line: int
    """its number, from 1"""
    text: str
    """the line"""
    change: Change | None
    """the change; None where history does not go back so far"""


class Ledger:
    """The door to the workspaces of one home."""

    def __init__(
        self, store: Stores, clock: Clock, seed: Callable[[Name], bytes], options: LedgerOptions | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._planner = Planner(store, seed, options or LedgerOptions())
        self._outside = Outside(store, clock)
        self._seen: dict[Name, Snapshot] = {}

    # looking

    def read(self, name: Name) -> Snapshot:
        """The document as it stands; an edit made outside is noticed and recorded."""
        snapshot = self._store.read(name)
        if snapshot is self._seen.get(name):
            return snapshot  # the very bytes that were compared with history before
        if snapshot.version == (self._store.recorded(name) or ABSENT):
            self._seen[name] = snapshot
            return snapshot
        with self._store.hold(name.workspace) as held:
            self._notice(held, [name])
        return self._store.read(name)

    def notice(self, workspace: str) -> None:
        """Record every edit made outside since the last look, in the whole workspace."""
        with self._store.hold(workspace) as held:
            known = {
                effect.name for change in self._store.changes(workspace, limit=_FAR_BACK) for effect in change.effects
            }
            self._notice(held, sorted(known | set(self._store.names(workspace))))

    def history(
        self, workspace: str, *, name: Name | None = None, before: int | None = None, limit: int = 50
    ) -> list[Change]:
        """Changes, newest first."""
        return self._store.changes(workspace, name=name, before=before, limit=limit)

    def change(self, change_id: int) -> Change:
        """One change; `NotFound` when there is none of that number."""
        change = self._store.change(change_id)
        if change is None:
            raise NotFound(f"there is no change {change_id}; `oldsoul log` lists them")
        return change

    def content(self, version: str) -> bytes | None:
        """The bytes of a version that history knows."""
        return self._store.content(version)

    def diff(self, change: Change) -> str:
        """What a change did, as `diff -u` shows it."""
        parts = (
            lines.diff(self._store.content(e.before) or b"", self._store.content(e.after) or b"", e.name.path)
            for e in change.effects
        )
        return "\n".join(part for part in parts if part)

    def blame(self, name: Name) -> list[BlameLine]:
        """Each line of the document with the change that wrote it."""
        snapshot = self.read(name)
        if snapshot.data is None:
            raise NotFound(f"there is no {name.path} in {name.workspace}")
        changes = {c.id: c for c in self._store.changes(name.workspace, name=name, limit=_FAR_BACK)}
        steps = (
            lines.Step(c.id, self._store.content(e.before) or b"", self._store.content(e.after) or b"")
            for c in changes.values()
            for e in c.effects
            if e.name == name
        )
        owners = lines.blame(snapshot.data, steps)
        texts = [line.decode("utf-8", "replace").rstrip("\r\n") for line in lines.split(snapshot.data)]
        return [
            BlameLine(number, text, changes.get(owner))
            for number, (text, owner) in enumerate(zip(texts, owners, strict=True), 1)
        ]

    # changing

    def apply(self, change_set: ChangeSet) -> Outcome:
        """Do it, keep it as a proposal, or refuse it. The same key is applied or proposed once."""
        if not change_set.operations:
            raise BadInput("a change without operations changes nothing")
        (workspace,) = change_set.workspaces
        with self._store.hold(workspace) as held:
            repeated = self._repeated(held, change_set.key)
            if repeated is not None:
                return repeated
            change_set = with_parts(change_set, lambda name: len(self._store.read(name).data or b""))
            standing = self._notice(held, change_set.names)
            change_set, count = masked(change_set, standing)
            plan = self._planner.plan(change_set, standing, self._clock.now())
            if plan.verdict is Verdict.NEVER:
                what = ", ".join(sorted({name.path for name in change_set.names}))
                raise Refused(f"{change_set.author} may not do this to {what}")
            if plan.verdict is Verdict.ASK:
                return self._propose(held, plan, standing, count)
            return self._commit(held, plan, count)

    def undo(self, change_id: int, author: Author) -> Outcome:
        """Take one change back and leave the later ones; `Conflict` when they touch the same entries."""
        change = self.change(change_id)
        if not any(effect.before != effect.after for effect in change.effects):
            raise BadInput(f"change {change_id} changed no document, so there is nothing to take back")
        with self._store.hold(change.workspace) as held:
            standing = self._notice(held, [effect.name for effect in change.effects])
            documents = {e.name: self._without(e, standing[e.name]) for e in change.effects}
            changed = {n: data for n, data in documents.items() if version_of(data) != standing[n].version}
            if not changed:
                raise Conflict(f"nothing is left of change {change_id}: later changes took it back already")
            effects = tuple(Effect(n, standing[n].version, version_of(data)) for n, data in changed.items())
            undone = self._change(
                change.workspace, f"undo:{uuid.uuid4().hex}", author, f"undo of change {change_id}", effects
            )
            stored = held.commit(replace(undone, notes={"reverts": str(change_id)}), changed)
            self._notice(held, ())
            return Outcome(stored)

    def _without(self, effect: Effect, standing: Snapshot) -> bytes | None:
        """The document as it stands, without what one change did to it."""
        before, after = self._store.content(effect.before), self._store.content(effect.after)
        if standing.version == effect.after:
            return before
        if standing.data is None:
            raise Conflict(f"{effect.name.path} was deleted since; undo that first")
        base, ours, theirs = (parse(d or b"", is_log=effect.name.is_log) for d in (after, standing.data, before))
        merged = merge(base, ours, theirs, prefer="ours")
        if merged.clashes:
            what = "; ".join(clash.what for clash in merged.clashes[:3])
            raise Conflict(f"later changes to {effect.name.path} touch the same place ({what}); undo those first")
        return render(merged.document)

    # proposals

    def proposals(self, workspace: str, *, state: str = proposals.OPEN) -> list[Proposal]:
        """Proposals in a state (all of them for an empty one), oldest first."""
        found = [proposals.loaded(text) for text in self._store.records(workspace, proposals.KIND).values()]
        return sorted((p for p in found if not state or p.state == state), key=lambda p: (p.at, p.id))

    def proposal(self, workspace: str, proposal_id: str) -> Proposal:
        """One proposal; `NotFound` when there is none of that id."""
        text = self._store.records(workspace, proposals.KIND).get(proposal_id)
        if text is None:
            raise NotFound(f"there is no proposal {proposal_id}; `oldsoul review` lists them")
        return proposals.loaded(text)

    def preview(self, workspace: str, proposal_id: str) -> dict[Name, tuple[bytes | None, bytes | None]]:
        """What approving would do now: each document before and after."""
        proposal = self.proposal(workspace, proposal_id)
        with self._store.hold(workspace) as held:
            standing = self._notice(held, proposal.change_set.names)
            plan = self._planner.plan(proposal.change_set, standing, self._clock.now(), approved=True)
            return {name: (plan.before[name], data) for name, data in plan.after.items()}

    def approve(
        self, workspace: str, proposal_id: str, author: Author, *, edited: Mapping[Name, bytes] | None = None
    ) -> Outcome:
        """Do what a proposal says, exactly as it was shown; or, with edited texts, do that instead."""
        self._only_operator(author, "approve")
        with self._store.hold(workspace) as held:
            proposal = self._open(workspace, proposal_id)
            asked = proposal.change_set
            standing = self._notice(held, asked.names)
            if edited is not None:
                puts = tuple(Put(name, data) for name, data in edited.items())
                asked = replace(asked, operations=puts, versions={n: standing[n].version for n in edited})
            plan = self._planner.plan(asked, standing, self._clock.now(), approved=True)
            if edited is None and _shown(plan) != proposal.shown:
                refreshed = replace(proposal, shown=_shown(plan))
                held.commit(
                    self._change(
                        workspace,
                        f"refresh:{uuid.uuid4().hex}",
                        _SYSTEM,
                        f"proposal {proposal_id} brought up to date",
                        (),
                    ),
                    {},
                    [Record(proposals.KIND, proposal_id, proposals.dumped(refreshed))],
                )
                raise Conflict(
                    f"the document changed since proposal {proposal_id} was made; look at it again, then approve"
                )
            return self._commit(held, plan, 0, proposal=proposal, approver=author)

    def reject(self, workspace: str, proposal_id: str, author: Author, why: str = "") -> Proposal:
        """Close a proposal without doing what it says."""
        self._only_operator(author, "reject")
        with self._store.hold(workspace) as held:
            closed = replace(self._open(workspace, proposal_id), state=proposals.REJECTED, note=why)
            held.commit(
                self._change(
                    workspace,
                    f"reject:{proposal_id}",
                    author,
                    f"proposal {proposal_id} rejected: {why}".rstrip(": "),
                    (),
                ),
                {},
                [Record(proposals.KIND, proposal_id, proposals.dumped(closed))],
            )
            return closed

    def _open(self, workspace: str, proposal_id: str) -> Proposal:
        proposal = self.proposal(workspace, proposal_id)
        if proposal.state != proposals.OPEN:
            raise Conflict(f"proposal {proposal_id} is {proposal.state} already")
        return proposal

    def _propose(self, held: Held, plan: Plan, standing: Mapping[Name, Snapshot], count: int) -> Outcome:
        asked = plan.change_set
        (workspace,) = asked.workspaces
        based = replace(asked, versions={name: standing[name].version for name in asked.names} | dict(asked.versions))
        proposal = Proposal(
            id=marks.new_id(asked.key, 1_000_000),
            change_set=based,
            at=self._now(),
            state=proposals.OPEN,
            shown=_shown(plan),
            warnings=plan.warnings,
        )
        change = self._change(workspace, asked.key, asked.author, f"proposed: {asked.reason}", ())
        change = replace(change, notes={"proposal": proposal.id}, evidence=asked.evidence)
        held.commit(change, {}, [Record(proposals.KIND, proposal.id, proposals.dumped(proposal))])
        return Outcome(None, proposal, plan.warnings, count)

    # forgetting

    def forget(self, name: Name, entry_id: str, author: Author, reason: str) -> Outcome:
        """Erase an entry: from its document, from every document and version that holds it, for good."""
        self._only_operator(author, "forget")
        with self._store.hold(name.workspace) as held:
            self._notice(held, [name])
            snapshot = self._store.read(name)
            if snapshot.data is None:
                raise NotFound(f"there is no {name.path} in {name.workspace}")
            entry = parse(snapshot.data, is_log=name.is_log).find(entry_id)
            words = {text for text in self._wordings(name, entry_id) if text} | {entry.text}
            documents: dict[Name, bytes | None] = {}
            effects: list[Effect] = []
            for place in self._store.names(name.workspace):
                data = self._notice(held, [place])[place].data
                cleaned = None if data is None else _without_words(data, entry_id, words, is_log=place.is_log)
                if cleaned is not None and cleaned != data:
                    documents[place] = cleaned
                    effects.append(Effect(place, version_of(data), version_of(cleaned)))
            change = self._change(name.workspace, f"forget:{uuid.uuid4().hex}", author, reason, tuple(effects))
            digest = version_of(entry.text.encode())
            stored = held.commit(replace(change, notes={"erased": entry_id, "digest": digest}), documents)
            self._erase_history(held, name.workspace, entry_id, words)
            return Outcome(stored)

    def _wordings(self, name: Name, entry_id: str) -> Iterable[str]:
        """Every wording the entry had."""
        for change in self._store.changes(name.workspace, name=name, limit=_FAR_BACK):
            for effect in change.effects:
                data = self._store.content(effect.before) if entry_id in effect.entries else None
                if effect.name == name and data is not None:
                    yield from (e.text for e in parse(data, is_log=name.is_log).entries if e.id == entry_id)

    def _erase_history(self, held: Held, workspace: str, entry_id: str, words: set[str]) -> None:
        redacted: dict[str, bytes] = {}
        changes: list[Change] = []
        for change in self._store.changes(workspace, limit=_FAR_BACK):
            for effect in change.effects:
                for version in (effect.before, effect.after, change.notes.get("saved", ABSENT)):
                    data = self._store.content(version) if version not in redacted else None
                    if data is not None:
                        cleaned = _without_words(data, entry_id, words, is_log=effect.name.is_log)
                        if cleaned != data:
                            redacted[version] = cleaned
            clean = _without_quotes(change, words)
            if clean != change:
                changes.append(clean)
        gone = [p for p in self.proposals(workspace, state="") if _speaks_of(p, entry_id, words)]
        if gone:
            records = [Record(proposals.KIND, p.id, None) for p in gone]
            held.commit(
                self._change(workspace, f"forget:{uuid.uuid4().hex}", _SYSTEM, "proposals erased", ()), {}, records
            )
        held.erase(redacted, changes)

    # the steps they share

    def _notice(self, held: Held, names: Iterable[Name]) -> dict[Name, Snapshot]:
        """The documents as they stand, edits made outside taken in; where one clashed with ours, that is written down."""
        wanted = list(names)
        taken = self._outside.take_in(held, wanted)
        for name, found in taken.items():
            if found.clashes and name.path != "CONFLICTS.md":
                self._write_clashes(held, name, found.clashes)
        return {name: taken[name].snapshot for name in wanted}

    def _write_clashes(self, held: Held, name: Name, clashes: Iterable[Clash]) -> None:
        conflicts = Name(name.workspace, "CONFLICTS.md")
        now = self._clock.now()
        adds = tuple(
            Add(
                conflicts,
                text=f"In {name.path} a save by hand and a change of ours did not agree; the save by hand stands.",
                title=now.strftime("%Y-%m-%d %H:%M UTC"),
                children=(f"**Kept:** {_one_line(clash.theirs)}", f"**Not kept:** {_one_line(clash.ours)}"),
            )
            for clash in clashes
        )
        change_set = ChangeSet(
            adds, _SYSTEM, f"a save by hand and a change of ours clashed in {name.path}", uuid.uuid4().hex
        )
        standing = {conflicts: self._store.read(conflicts)}
        plan = self._planner.plan(change_set, standing, now)
        self._commit(held, plan, 0)

    def _commit(
        self, held: Held, plan: Plan, count: int, *, proposal: Proposal | None = None, approver: Author | None = None
    ) -> Outcome:
        asked = plan.change_set
        (workspace,) = asked.workspaces
        key = f"approve:{proposal.id}" if proposal else asked.key
        change = self._change(workspace, key, asked.author, asked.reason, plan.effects)
        notes = {"masked": str(count)} if count else {}
        records: list[Record] = []
        if proposal is not None:
            notes |= {"proposal": proposal.id, "approved_by": str(approver)}
            decided = replace(proposal, state=proposals.APPROVED)
            records.append(Record(proposals.KIND, proposal.id, proposals.dumped(decided)))
        stored = held.commit(replace(change, evidence=asked.evidence, notes=notes), plan.after, records)
        self._notice(held, ())
        return Outcome(stored, proposal, plan.warnings, count)

    def _repeated(self, held: Held, key: str) -> Outcome | None:
        spent = held.spent(key)
        if spent is None:
            return None
        waiting = spent.notes.get("proposal")
        if waiting and not spent.effects:
            return Outcome(None, self.proposal(spent.workspace, waiting), repeated=True)
        return Outcome(spent, repeated=True)

    def _change(self, workspace: str, key: str, author: Author, reason: str, effects: tuple[Effect, ...]) -> Change:
        return Change(workspace, key, self._now(), author, reason, effects)

    def _now(self) -> str:
        return self._clock.now().astimezone(UTC).isoformat(timespec="microseconds")

    def _only_operator(self, author: Author, what: str) -> None:
        if author.role is not Role.OPERATOR:
            raise Refused(f"only the operator may {what}; {author} may not")


def _shown(plan: Plan) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """What a person is shown of a plan, and what approving it must then write."""
    shown = []
    for name, data in sorted(plan.after.items()):
        gone, new = lines.changed_lines(plan.before[name] or b"", data or b"")
        shown.append((name.path, proposals.lines_out(gone), proposals.lines_out(new)))
    return tuple(shown)


def _one_line(data: bytes) -> str:
    return marks.without_marks(data.decode("utf-8", "replace")).strip() or "(removed)"


def _without_words(data: bytes, entry_id: str, words: set[str], *, is_log: bool) -> bytes:
    """The text without the entry, wherever it stands, and without other entries that say the same."""
    if entry_id.encode() not in data and not any(text.encode() in data for text in words):
        return data
    document = parse(data, is_log=is_log)
    for entry in reversed(document.entries):
        if entry.id == entry_id or entry.text in words:
            document = edits.remove(document, entry)
    cleaned = render(document)
    for text in words:
        # Old wordings kept as comments, and copies inside other entries.
        cleaned = cleaned.replace(text.encode(), b"[erased]") if text else cleaned
    return cleaned


def _without_quotes(change: Change, words: set[str]) -> Change:
    def clean(text: str) -> str:
        for word in words:
            text = text.replace(word, "[erased]")
        return text

    evidence = tuple(Evidence(e.ref, e.origin, e.audience, clean(e.quote)) for e in change.evidence)
    return replace(change, reason=clean(change.reason), evidence=evidence)


def _speaks_of(proposal: Proposal, entry_id: str, words: set[str]) -> bool:
    text = proposals.dumped(proposal)
    return entry_id in text or any(word in text for word in words)
