"""The one door: every change to a workspace file is checked, written whole, and remembered with who, why and on what.

Nothing else writes. A change is judged by policy, size, audience and the version it was based on; it is applied at
once, kept as a proposal, or refused. Everything applied can be shown, blamed to its evidence, and taken back alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from oldsoul.documents import parse
from oldsoul.errors import BadInput, NotFound, Refused
from oldsoul.ledger import proposals
from oldsoul.ledger.commit_steps import NO_BASES, Outcome, check_bases, joined
from oldsoul.ledger.forgetting import (
    AffectedLine,
    ForgetPlan,
    Forgotten,
    ForgottenMessages,
    ancestor,
    rests_on_it_alone,
    says_the_same,
)
from oldsoul.ledger.masks import masked, masked_text
from oldsoul.ledger.proposals import Proposal
from oldsoul.ledger.reviews import Reviews
from oldsoul.ledger.soul_log import RECORDS, SNAPSHOT, ChangelogEntry
from oldsoul.ledger.undo import UndoSteps
from oldsoul.ledger.working_copies import LedgerOptions, OptionsOf, Plan, Stores, with_parts
from oldsoul.ports import Clock, LockedWorkspace
from oldsoul.rules.merge import lines
from oldsoul.rules.policy import Verdict
from oldsoul.values.changes import Author, ChangeSet, Role
from oldsoul.values.frozen import frozen
from oldsoul.values.history import ABSENT, Change, Effect, Record, Snapshot, version_of
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from oldsoul.documents import Entry
    from oldsoul.ledger.forgetting import Life

__all__ = ["BlameLine", "Ledger", "LedgerOptions", "Outcome", "Plan", "Proposal", "Stores"]

ANSWER = "answer"
"""The kind of record that remembers what a model answered, so that a run that was killed does not pay twice."""
_APPROVED = "approved"
"""What an entry rests on that the operator approved, besides its evidence."""
_MOST_SEEN, _LARGEST_SEEN = 256, 64 * 1024
_OUR_KEYS = ("amend:", "approve:", "clash:", "expire:", "forget:", "outside:", "refresh:", "reject:", "undo:")


@frozen
class BlameLine:
    """One line and the change that wrote it."""

    line: int
    """its number, from 1"""
    text: str
    """the line"""
    change: Change | None
    """the change; None where history does not go back so far"""


class Ledger(Reviews):
    """The door to the workspaces of one home."""

    def __init__(
        self,
        store: Stores,
        clock: Clock,
        seed: Callable[[Name], bytes],
        options: LedgerOptions | OptionsOf | None = None,
    ) -> None:
        super().__init__(store, clock, seed, options)
        self._seen: dict[Name, Snapshot] = {}

    # looking

    def read(self, name: Name) -> Snapshot:
        """The document as it is; an edit made outside is noticed and recorded."""
        snapshot = self._store.read(name)
        if snapshot is self._seen.get(name):
            return snapshot  # the very bytes that were compared with history before
        if snapshot.version == (self._store.recorded(name) or ABSENT):
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            if len(snapshot.data or b"") <= _LARGEST_SEEN:
                self._seen[name] = snapshot
            return snapshot
        with self._store.hold(name.workspace) as held:
            self._notice(held, [name])
        return self._store.read(name)

    def notice(self, workspace: str) -> None:
        """Record every edit made outside since the last look, in the whole workspace."""
        with self._store.hold(workspace) as held:
            self._notice(held, self._everything(workspace))

    def _everything(self, workspace: str) -> list[Name]:
        known = (name for name in self._store.known(workspace) if self._can_be_read(name))
        return sorted({*known, *self._store.names(workspace)})

    def _can_be_read(self, name: Name) -> bool:
        """Whether a document is, or was, a file that can be read: what came in its place is left as it is."""
        try:
            self._store.version(name)
        except (Refused, OSError):
            return False
        return True

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

    def diff(self, change: Change, name: Name | None = None) -> str:
        """What a change did, to all its documents or one, as `diff -u` shows it."""
        parts = (
            lines.diff(self._store.content(e.before) or b"", self._store.content(e.after) or b"", e.name.path)
            for e in change.effects
            if name in (None, e.name)
        )
        return "\n".join(part for part in parts if part)

    def blame(self, name: Name) -> list[BlameLine]:
        """Each line of the document with the change that wrote it."""
        snapshot = self.read(name)
        if snapshot.data is None:
            raise NotFound(f"there is no {name.path} in {name.workspace}")
        changes: dict[int, Change] = {}

        def steps() -> Iterator[lines.BlameStep]:
            for change in self._all_changes(name.workspace, name):
                changes[change.id] = change
                effect = next(e for e in change.effects if e.name == name)
                before, after = self._store.content(effect.before), self._store.content(effect.after)
                yield lines.BlameStep(change.id, before or b"", after or b"")

        owners = lines.blame(snapshot.data, steps())
        texts = [line.decode("utf-8", "replace").rstrip("\r\n") for line in lines.split(snapshot.data)]
        return [
            BlameLine(number, text, changes.get(owner))
            for number, (text, owner) in enumerate(zip(texts, owners, strict=True), 1)
        ]

    # changing

    def apply(
        self,
        change_set: ChangeSet,
        records: Sequence[Record] = (),
        *,
        recorded: bool = False,
        asks: bool = False,
        bases: Mapping[Name, str] = NO_BASES,
    ) -> Outcome:
        """Do it, keep it as a proposal, or refuse it. The same key is applied or proposed once.

        With `asks` it is never done at once. The records are kept with it, whether it is done or proposed. What others than the operator do to a soul is
        recorded with a snapshot and in CHANGELOG.md; with `recorded` the operator's change is too. `Conflict` unless
        the bases are the current versions.
        """
        if not change_set.operations:
            raise BadInput("a change needs at least one operation")
        if change_set.key.startswith(_OUR_KEYS):
            raise BadInput(f"{change_set.key!r} cannot be the key of a change: Oldsoul's own keys begin like that")
        (workspace,) = change_set.workspaces
        with self._store.hold(workspace) as held:
            repeated = self._repeated(held, change_set.key)
            if repeated is not None:
                return repeated
            change_set = with_parts(change_set, self._size_of, self._options(workspace).limit_of)
            standing = self._notice(held, change_set.names)
            check_bases(standing, bases)
            change_set, left_out = self._sifted(held, change_set, standing)
            change_set, count = masked(change_set, standing)
            plan = self._plan(change_set, standing)
            plan = replace(plan, warnings=(*left_out, *plan.warnings))
            if plan.verdict is Verdict.NEVER:
                what = ", ".join(sorted({name.path for name in change_set.names}))
                raise Refused(f"{change_set.author} may not change {what} in this way")
            if (asks or plan.verdict is Verdict.ASK) and plan.after:
                return self._propose(held, plan, standing, count, records)
            return self._commit(held, plan, count, records, recorded=recorded)

    def trial(self, change_set: ChangeSet) -> Plan:
        """What applying would do now, and whether it would be done at once; nothing is written."""
        (workspace,) = change_set.workspaces
        with self._store.hold(workspace) as held:
            change_set = with_parts(change_set, self._size_of, self._options(workspace).limit_of)
            standing = self._notice(held, change_set.names)
            change_set, left_out = self._sifted(held, change_set, standing)
            plan = self._plan(masked(change_set, standing)[0], standing)
            return replace(plan, warnings=(*left_out, *plan.warnings))

    def note(self, workspace: str, author: Author, reason: str, key: str, records: Sequence[Record]) -> Outcome:
        """Keep records that no document goes with; the same key is spent once."""
        with self._store.hold(workspace) as held:
            repeated = self._repeated(held, key)
            if repeated is not None:
                return repeated
            return Outcome(held.commit(self._change(workspace, key, author, masked_text(reason), ()), {}, records))

    def amend(self, workspace: str, author: Author, reason: str, made: Callable[[], Sequence[Record]]) -> bool:
        """Keep the records that are made of the current ones, while nobody else writes; whether there were any."""
        with self._store.hold(workspace) as held:
            records = made()
            if records:
                held.commit(self._change(workspace, f"amend:{uuid.uuid4().hex}", author, reason, ()), {}, records)
            return bool(records)

    def undo(self, change_id: int, author: Author, *, bases: Mapping[Name, str] = NO_BASES) -> Outcome:
        """Take one change back and leave the later ones.

        When they touch the same entries, `Conflict` says which of them to take back first.
        """
        if author.role is not Role.SYSTEM:
            self._only_operator(author, "undo changes")
        change = self.change(change_id)
        if not any(effect.before != effect.after for effect in change.effects):
            raise BadInput(f"change {change_id} changed no file, so there is nothing to undo")
        with self._store.hold(change.workspace) as held:
            standing = self._notice(held, self._everything(change.workspace))
            check_bases(standing, bases)
            undoing = self._undoing(change.workspace, standing)
            taken = undoing.undone(change, self._options(change.workspace).limit_of)
            taken = self._planner.fitted(taken, standing, self._clock.now())
            documents = dict(taken.documents)
            effects = tuple(undoing.effect(name, data) for name, data in sorted(documents.items()))
            notes = {"reverts": str(change_id)}
            key = f"undo:{uuid.uuid4().hex}"
            if SNAPSHOT in change.notes:
                before = {name: standing[name].data for name in documents}
                account = ChangelogEntry(str(author), f"change {change_id} was undone")
                log = self._soul_log(before, documents, account, key)
                if log is not None:
                    effects, documents = joined(effects, log.effects), {**documents, **log.documents}
                    notes |= {SNAPSHOT: log.snapshot} if log.snapshot else {}
            back = self._change(change.workspace, key, author, f"undo of change {change_id}", effects)
            stored = self._write(held, replace(back, notes=notes), documents)
            self._notice(held, ())
            return Outcome(stored)

    def _undoing(self, workspace: str, standing: Mapping[Name, Snapshot]) -> UndoSteps:
        def later(name: Name | None, than: int) -> Iterator[Change]:
            return takewhile(lambda change: change.id > than, self._all_changes(workspace, name))

        held = {name: snapshot.data for name, snapshot in standing.items()}
        return UndoSteps(held, later, self._store.content, _taken_back)

    # forgetting

    def forget(
        self, name: Name, entry_id: str, author: Author, reason: str, also: Iterable[tuple[Name, str]] = ()
    ) -> Outcome:
        """Erase an entry for good: all its versions, what rests on its evidence alone, and copies of its whole sentences.

        One that was removed from the document before is erased from history; one that was erased before, once more
        from the file that history lies in. Entries that say the same on separate evidence stay, and are reported.

        Args:
            name: the document it is in, or was in.
            entry_id: its id.
            author: who asks; the operator.
            reason: why, for the history.
            also: entries that go with it, as records of it; their words are not looked for.
        """
        self._only_operator(author, "forget")
        with self._store.hold(name.workspace) as held:
            standing = self._everything_standing(held, name)
            try:
                gone = self._going(name, entry_id, standing, also)
            except NotFound:
                done = next((c for c in self._all_changes(name.workspace) if c.notes.get("erased") == entry_id), None)
                if done is None:
                    raise
                held.erase({}, ())
                return Outcome(done, repeated=True)
            return self._erase(held, gone, standing, author, reason)

    def forget_said(
        self,
        workspace: str,
        said: ForgottenMessages,
        author: Author,
        reason: str,
        also: Iterable[tuple[Name, str]] = (),
    ) -> Outcome:
        """Erase copies of the whole sentences of what was said, and entries that go with it."""
        self._only_operator(author, "forget")
        with self._store.hold(workspace) as held:
            standing = self._everything_standing(held, Name(workspace, "MEMORY.md"))
            lives = [life for place, entry in also for life in self._lives(place, entry, standing)]
            gone = Forgotten.of_said(said.key, said.text, lives, said.sources)
            return self._erase(held, gone, standing, author, reason)

    def going(self, name: Name, entry_id: str) -> ForgetPlan:
        """What forgetting an entry means; `NotFound` when history knows of none."""
        with self._store.hold(name.workspace) as held:
            standing = self._everything_standing(held, name)
            lives, gone = self._forgotten(name, entry_id, standing)
            derived = self._derived(gone, standing)
            taken = {entry.id for _, entry in derived}
            alike = (life for life in self._alike(gone, standing) if life[1].id not in taken)
            return ForgetPlan(gone, tuple(lives), tuple(derived), tuple(alike))

    def made_of(self, workspace: str, key: str) -> list[Life]:
        """The entries that rest on one message alone."""
        with self._store.hold(workspace) as held:
            standing = self._everything_standing(held, Name(workspace, "MEMORY.md"))
            return self._derived(Forgotten.of_said(key, ""), standing, only_copies=False)

    def _everything_standing(self, held: LockedWorkspace, name: Name) -> dict[Name, Snapshot]:
        return self._notice(held, sorted({name, *self._store.names(name.workspace)}))

    def _going(
        self, name: Name, entry_id: str, standing: Mapping[Name, Snapshot], also: Iterable[tuple[Name, str]]
    ) -> Forgotten:
        _, gone = self._forgotten(name, entry_id, standing)
        places = [*also, *((place, entry.id) for place, entry in self._derived(gone, standing))]
        further = [life for place, one in places for life in self._lives(place, one, standing)]
        return self._forgotten(name, entry_id, standing, further)[1]

    def _forgotten(
        self, name: Name, entry_id: str, standing: Mapping[Name, Snapshot], further: Iterable[Life] = ()
    ) -> tuple[list[Life], Forgotten]:
        lives = self._lives(name, entry_id, standing)
        if not lives:
            raise NotFound(f"{name.path} has no entry {entry_id}, neither now nor in its history")
        refs = self._evidence(name.workspace, frozenset(entry.id for _, entry in lives))
        return lives, Forgotten.of(entry_id, lives, further, frozenset[str]().union(*refs.values()) - {_APPROVED})

    def _erase(
        self, held: LockedWorkspace, gone: Forgotten, standing: Mapping[Name, Snapshot], author: Author, reason: str
    ) -> Outcome:
        workspace = next(iter(standing)).workspace
        documents: dict[Name, bytes | None] = {}
        effects: list[Effect] = []
        for place, snapshot in standing.items():
            cleaned = None if snapshot.data is None else gone.cleaned(place, snapshot.data)
            if cleaned != snapshot.data:
                documents[place] = cleaned
                effects.append(Effect(place, snapshot.version, version_of(cleaned)))
        why = gone.cleaned_text(masked_text(reason))
        change = self._change(workspace, f"forget:{uuid.uuid4().hex}", author, why, tuple(effects))
        change = replace(change, notes={"erased": gone.key, "digest": gone.digest})
        redacted, changes, traces = self._in_history(workspace, gone)
        asked = (p.id for p in self.proposals(workspace, state="") if gone.is_in(p))
        answers = self._store.records(workspace, ANSWER)
        records = [Record(proposals.KIND, proposal, None) for proposal in asked]
        records += [Record(ANSWER, key, None) for key, text in answers.items() if gone.cleaned_text(text) != text]
        alike = tuple(self._alike(gone, standing))
        if not (gone.ids or documents or records):
            held.erase(redacted, changes)
            return Outcome(None, alike=alike)
        stored = self._write(held, change, documents, records, traces)
        held.erase(redacted, changes)
        return Outcome(stored, alike=alike)

    def drop_answers(self, workspace: str, author: Author) -> None:
        """Erase the answers that are remembered for runs that are not over: they may quote what is to be forgotten."""
        with self._store.hold(workspace) as held:
            answers = [Record(ANSWER, key, None) for key in self._store.records(workspace, ANSWER)]
            if answers:
                change = self._change(
                    workspace, f"forget:{uuid.uuid4().hex}", author, "answers saved for unfinished runs erased", ()
                )
                held.commit(change, {}, answers)
                held.erase({}, ())

    def _lives(self, name: Name, entry_id: str, standing: Mapping[Name, Snapshot]) -> list[Life]:
        """An entry as it is, and in every version it had, the newest first."""
        found: list[Life] = []
        for place in (name, *standing):
            if place in standing:
                found += _lives_in(place, entry_id, standing[place].data, written=place != name)
        found += self._past(name, entry_id, standing)
        seen: set[str] = set()
        for change in self._all_changes(name.workspace):
            for effect in change.effects:
                for version in {effect.before, effect.after} - seen if not found or effect.name != name else ():
                    seen.add(version)
                    elsewhere = bool(found) or effect.name != name
                    found += _lives_in(effect.name, entry_id, self._store.content(version), written=elsewhere)
        return found

    def _past(self, name: Name, entry_id: str, standing: Mapping[Name, Snapshot]) -> Iterator[Life]:
        """An entry in the versions of its document, the newest first; before its id was written down, by its line."""
        held = standing[name] if name in standing else Snapshot.of(None)
        newer, last, line = parse(held.data or b"", is_log=name.is_log), held.version, entry_id
        there = line in newer.by_id
        for change in self._all_changes(name.workspace, name):
            effect = next(each for each in change.effects if each.name == name)
            for version in (effect.after, effect.before):
                data = self._store.content(version) if version != last else None
                last = version
                if data is None or not (there or line.encode() in data):
                    continue  # what was not there after it is looked for where its id is
                older = parse(data, is_log=name.is_log)
                entry = older.by_id.get(line) or (ancestor(older, newer, newer.by_id[line]) if there else None)
                if entry is not None:
                    line = entry.id
                    yield name, entry
                there, newer = entry is not None, older

    def _derived(self, gone: Forgotten, standing: Mapping[Name, Snapshot], *, only_copies: bool = True) -> list[Life]:
        """The entries that rest on what the forgotten one does, and nothing else; of those, the ones that say the same."""
        found = [
            (name, entry)
            for name, entry in _entries(standing)
            if not gone.takes(name, entry) and (says_the_same(gone, entry) or not only_copies)
        ]
        refs = self._evidence(next(iter(standing)).workspace, frozenset(entry.id for _, entry in found))
        return [(name, entry) for name, entry in found if rests_on_it_alone(gone, entry, refs[entry.id])]

    def _evidence(self, workspace: str, ids: frozenset[str]) -> dict[str, set[str]]:
        """What the changes that wrote some entries rest on."""
        found: dict[str, set[str]] = {one: set() for one in ids}
        for change in self._all_changes(workspace) if ids else ():
            refs = {e.ref for e in change.evidence} | ({_APPROVED} if "approved_by" in change.notes else set())
            for effect in change.effects:
                for one in ids.intersection(effect.entries):
                    found[one] |= refs
        return found

    @staticmethod
    def _alike(gone: Forgotten, standing: Mapping[Name, Snapshot]) -> Iterator[tuple[Name, Entry]]:
        """The entries that say the same on separate evidence."""
        for name, entry in _entries(standing):
            if not gone.takes(name, entry) and gone.is_of_others(name, entry) and says_the_same(gone, entry):
                yield name, entry

    def _in_history(self, workspace: str, gone: Forgotten) -> tuple[dict[str, bytes], list[Change], set[AffectedLine]]:
        """Versions and changes without what is forgotten, those that have it; and how it was there."""
        redacted: dict[str, bytes] = {}
        changes: list[Change] = []
        traces: set[AffectedLine] = set()
        for change in self._all_changes(workspace):
            for effect in change.effects:
                for version in (effect.before, effect.after, change.notes.get("saved", ABSENT)):
                    data = self._store.content(version) if version not in redacted else None
                    if data is not None and (cleaned := gone.cleaned(effect.name, data)) != data:
                        redacted[version] = cleaned
                        traces |= {*gone.traces(effect.name, data)}
            clean = gone.cleaned_change(change)
            if clean != change:
                changes.append(clean)
        return redacted, changes, traces


def _taken_back(change: Change) -> list[Effect]:
    """What undoing a change takes back.

    What records a change of the soul stays: there it is then written that the change was taken back.
    """
    grown = any(effect.name.kind is Kind.SOUL for effect in change.effects)
    return [effect for effect in change.effects if not (grown and effect.name.kind in RECORDS)]


def _lives_in(name: Name, entry_id: str, data: bytes | None, *, written: bool) -> list[Life]:
    """An entry in one version; only where its id is written down, if so asked, which is soon seen."""
    if data is None or (written and entry_id.encode() not in data):
        return []
    return [(name, entry) for entry in parse(data, is_log=name.is_log).entries if entry.id == entry_id]


def _entries(standing: Mapping[Name, Snapshot]) -> Iterator[tuple[Name, Entry]]:
    for name, snapshot in standing.items():
        for entry in parse(snapshot.data or b"", is_log=name.is_log).entries:
            yield name, entry
