"""Edits made outside: what a person saved is recorded, merged with what was written while their editor was open."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from oldsoul.documents import edits, parse, render
from oldsoul.documents.entries import shaped
from oldsoul.errors import DocumentError
from oldsoul.ledger.taken_away import FilteredSave, TakenAway
from oldsoul.ledger.working_copies import Stores
from oldsoul.ports import Clock, LockedWorkspace
from oldsoul.rules.audience import WIDENING_KINDS
from oldsoul.rules.merge import MergeConflict, merge, reworded
from oldsoul.rules.merge.lines import adds, likeliest
from oldsoul.values.changes import Author, Role
from oldsoul.values.history import ABSENT, Change, ConcurrentSave, Effect, Snapshot, version_of
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry

STALE_FOR = timedelta(hours=1)
"""How old an editor's buffer may be and still be distinguished from a person who removes things on purpose."""
_MOST_VERSIONS = 400
_STEPS_BACK = 8
FORGOTTEN = "(something that was forgotten)"
OUTSIDE = Author(Role.OUTSIDE)


@dataclass(frozen=True, slots=True)
class FoundState:
    """The state of a document as found before working on it."""

    snapshot: Snapshot
    """the document as the ledger goes on from"""
    clashes: tuple[MergeConflict, ...] = ()
    """where a person's save and an entry of ours did not agree; the person's wins"""


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """What a save was most likely made from."""

    base: bytes
    """the version"""
    last: int
    """the last change that was in it"""
    is_overtaken: bool = False
    """whether a later save is in history already"""
    shapes: frozenset[str] = frozenset()
    """every line of the versions it may have been made from, in whatever shape"""
    doubtful: frozenset[bytes] = frozenset()
    """lines of the base that are gone, and not in everything else the save may well have been made from"""


class OutsideEdits:
    """Notices and records what the ledger did not write."""

    def __init__(self, store: Stores, clock: Clock, origin_of: Callable[[str], Origin], taken_away: TakenAway) -> None:
        self._store = store
        self._clock = clock
        self._origin_of = origin_of
        self._taken_away = taken_away

    def take_in(self, held: LockedWorkspace, names: Iterable[Name]) -> dict[Name, FoundState]:
        """The documents as they are, everything that was saved outside recorded and merged."""
        found: dict[Name, FoundState] = {}
        for concurrent in sorted(held.concurrent_saves(), key=lambda save: save.change):
            taken = self._take(
                held, concurrent.name, self._store.recorded(concurrent.name), concurrent.data, concurrent
            )
            found[concurrent.name] = FoundState(taken.snapshot, (*_clashes(found, concurrent.name), *taken.clashes))
        for name in names:
            taken = self._look(held, name)
            found[name] = FoundState(taken.snapshot, (*_clashes(found, name), *taken.clashes))
        return found

    def _look(self, held: LockedWorkspace, name: Name) -> FoundState:
        snapshot = self._store.read(name)
        recorded = self._store.recorded(name)
        if snapshot.version == (recorded or ABSENT):
            return FoundState(snapshot)
        if not held.settled(name) or self._store.read(name).version != snapshot.version:
            # Somebody is saving at this moment. We go on from what we know; what they save comes out of the swap.
            return FoundState(Snapshot(self._store.content(recorded or ABSENT), recorded or ABSENT))
        if snapshot.data is None:
            held.commit(self._change(name, recorded or ABSENT, ABSENT, "deleted by hand", {}), {})
            return FoundState(snapshot)
        return self._take(held, name, recorded, snapshot.data)

    def _take(
        self,
        held: LockedWorkspace,
        name: Name,
        recorded: str | None,
        data: bytes,
        concurrent: ConcurrentSave | None = None,
    ) -> FoundState:
        """A save merged with the current text, from the version it was most likely made of."""
        before = recorded or ABSENT
        ours = self._store.content(before) or b""
        sifted, origin, away = self._sift(held, name, before, data, concurrent=concurrent)
        texts = (parse(text, is_log=name.is_log) for text in (origin.base, ours, sifted.data))
        base, standing, theirs = texts
        theirs = parse(_exchanged(theirs, _standing_for(away, base, standing, theirs)), is_log=name.is_log)
        merged = merge(base, standing, theirs, prefer="theirs", later=not origin.is_overtaken)
        result = self._marked(name, ours, render(merged.document))
        clashes = tuple(dict.fromkeys((*merged.clashes, *_doubted(standing, merged.document, origin.doubtful))))
        after, saved = version_of(result), version_of(data)
        reason = "file added by hand" if recorded is None else "saved by hand"
        notes: dict[str, str] = {}
        if origin.base != ours:
            reason += " from an older version; merged"
        if origin.base != ours or origin.last < sifted.since:
            notes |= {"base": version_of(origin.base), "made_from": str(origin.last)}
        left_out = _left_out(sifted, away)
        if left_out:
            reason += f"; entries removed earlier stay removed ({len(left_out)})"
            notes |= {f"left_out_{n}": text for n, text in enumerate(left_out, 1)}
        if after != saved:
            notes["saved"] = saved
        if clashes:
            notes["clashes"] = str(len(clashes))
        # A newer save that lies there already is looked at next, on top of the result of this one.
        replaced = saved if concurrent is None else before
        written = after != replaced and self._store.version(name) == replaced
        change = self._change(name, before, after, reason, notes)
        held.commit(change, {name: result} if written else {}, also={saved: sifted.data, after: result})
        if sifted.erased:
            held.erase({}, ())  # the file that came out has the words
        return FoundState(Snapshot(result, after), clashes)

    def put(
        self, held: LockedWorkspace, name: Name, before: str, data: bytes, base: str | None
    ) -> tuple[bytes, list[str]]:
        """A text that is to take a document's place, without what the ledger took away since what it was made from.

        Also what was left out, in words. The version it was made from is judged from its lines where nobody says; a whole
        version that is put back is there on purpose.
        """
        if base == before or (base is None and self._store.content(version_of(data)) == data):
            return data, []
        sifted, origin, away = self._sift(held, name, before, data, base=base)
        ours = self._store.content(before) or b""
        made_from, standing, theirs = (parse(text, is_log=name.is_log) for text in (origin.base, ours, sifted.data))
        there = _standing_for(away, made_from, standing, theirs)
        return _exchanged(theirs, there), _left_out(sifted, away)

    def _sift(
        self,
        held: LockedWorkspace,
        name: Name,
        before: str,
        data: bytes,
        *,
        concurrent: ConcurrentSave | None = None,
        base: str | None = None,
    ) -> tuple[FilteredSave, MadeFrom, list[Entry]]:
        """A save without forgotten lines, what it was made from, and its entries that are to stay away."""
        ours = self._store.content(before) or b""
        sifted = self._taken_away.sifted(held, name, ours, data)
        if before == ABSENT and self._store.content(version_of(data)) is not None:
            # A file that is brought back as it once was is there on purpose.
            sifted = replace(sifted, away={})
        made_from = self._made_from(name, ours, data, sifted, concurrent) if base is None else self._version(name, base)
        if made_from.last >= sifted.since:  # whoever knows that it went has it there on purpose
            return FilteredSave(data), made_from, []
        away = [
            entry
            for entry in parse(sifted.data, is_log=name.is_log).entries
            if sifted.away.get(entry.id, 0) > made_from.last
            and (not entry.written or all(_shape(line) in made_from.shapes for line in entry.lines))
        ]
        return sifted, made_from, away

    def _version(self, name: Name, version: str) -> MadeFrom:
        """A version as what a text was made from; one that history has no number for is older than all."""
        text = self._store.content(version) or b""
        last = {known: last for known, last, _ in self._known(name, self._changes(name))}.get(version, 0)
        return MadeFrom(text, last, shapes=frozenset(map(_shape, text.split(b"\n"))))

    def _marked(self, name: Name, before: bytes, after: bytes) -> bytes:
        return _narrowed(name, before, self._attributed(name, before, after))

    def _attributed(self, name: Name, before: bytes, after: bytes) -> bytes:
        """The text with what is new in it marked as the words of those whom settings name as its authors."""
        origin = self._origin_of(name.workspace)
        if origin is Origin.OPERATOR:
            return after
        known = {(e.id, e.text): e.fields.get("origin", "") for e in parse(before, is_log=name.is_log).entries}
        document = parse(after, is_log=name.is_log)
        for entry in document.entries:
            stated = entry.fields.get("origin", "")
            wanted = known.get((entry.id, entry.text))
            if wanted is None:
                trusted = stated in tuple(Origin)
                wanted = str(origin.weaker(Origin(stated)) if trusted else origin)
            if wanted != stated:
                with suppress(DocumentError):  # code and HTML carry no mark
                    document = edits.set_field(document, document.find(entry.id), "origin", wanted or None)
        return render(document)

    def _change(self, name: Name, before: str, after: str, reason: str, notes: dict[str, str]) -> Change:
        return Change(
            workspace=name.workspace,
            key=f"outside:{uuid.uuid4().hex}",
            at=self._now(),
            author=OUTSIDE,
            reason=reason,
            effects=(Effect(name, before, after),),
            notes=notes,
        )

    def _made_from(
        self, name: Name, ours: bytes, data: bytes, sifted: FilteredSave, concurrent: ConcurrentSave | None
    ) -> MadeFrom:
        """What a save was most likely made from.

        One that only adds or only removes was made from the current text, or that before the swap that it came out of, unless
        it has what was taken away; and so was one that does nothing but bring that back, a single entry. Nothing at all where no version is
        known: merged from that, nothing is taken for removed.
        """
        since = sifted.since
        if concurrent and (not since or not concurrent.is_whole) and (found := self._added_to(name, data, concurrent)):
            return replace(found, last=0, shapes=frozenset(map(_shape, data.split(b"\n")))) if since else found
        latest = self._store.latest(name.workspace)
        is_mixed = adds(ours, data) and adds(data, ours)
        if not concurrent and (not (since or is_mixed) or _is_one_entry(ours, sifted, is_log=name.is_log)):
            return MadeFrom(ours, latest)
        changes = self._changes(name, since="" if concurrent else self._lately())
        if since:
            changes += self._changes(name, before=since + 1)
        until = concurrent.change if concurrent else latest + 1
        known = self._known(name, (change for change in changes if change.id < until))
        if not concurrent:
            known = [(version_of(ours), latest, []), *known]
        is_overtaken = any(change.id > until and change.author.role is Role.OUTSIDE for change in changes)
        if not known:
            return MadeFrom(b"", 0, is_overtaken)
        texts = [[self._store.content(each) or b"" for each in (version, *past)] for version, _, past in known]
        # Forgotten lines were in what is older, though history does not have them any more.
        forgotten = b"".join(b"\n%b %d" % (FORGOTTEN.encode(), number) for number in range(sifted.erased))
        compared = [
            (text + forgotten if last < sifted.erased_by else text, *past)
            for (text, *past), (_, last, _) in zip(texts, known, strict=True)
        ]
        which, doubtful = likeliest(sifted.data + forgotten, ours, compared)
        lines = {line.strip() for text, *_ in texts for line in text.split(b"\n")} if sifted.away else ()
        return MadeFrom(texts[which][0], known[which][1], is_overtaken, frozenset(map(_shape, lines)), doubtful)

    def _added_to(self, name: Name, data: bytes, concurrent: ConcurrentSave) -> MadeFrom | None:
        """Where what came out of a swap has every line of what was before it: that, without a look at older versions.

        Of what somebody was still writing that is all that is known.
        """
        change = self._store.change(concurrent.change)
        effect = next((e for e in change.effects if e.name == name), None) if change else None
        text = (self._store.content(effect.before) or b"") if effect else b""
        if concurrent.is_whole and (not text or adds(data, text)):
            return None
        saves = self._store.changes(name.workspace, name=name, author=OUTSIDE, limit=1)
        is_overtaken = any(change.id > concurrent.change for change in saves)
        return MadeFrom(b"" if adds(data, text) else text, concurrent.change - 1, is_overtaken)

    def _known(self, name: Name, changes: Iterable[Change]) -> list[tuple[str, int, list[str]]]:
        """The versions somebody may have gone on from, the newest first: the last change in each, and what it was made of.

        A person may have gone on from what they saved themselves, which knows no more than what that was made from.
        """
        last: dict[str, int] = {}
        bases: dict[str, str] = {}
        for change in sorted(changes, key=lambda change: -change.id):
            effect = next(e for e in change.effects if e.name == name)
            saved = change.notes.get("saved", ABSENT)
            last.setdefault(effect.after, change.id)
            last.setdefault(saved, int(change.notes.get("made_from", change.id)))
            last.setdefault(effect.before, change.id - 1)
            if change.author.role is Role.OUTSIDE:
                bases.setdefault(effect.after if saved == ABSENT else saved, change.notes.get("base", effect.before))
        found = []
        for version in sorted(last, key=lambda version: -last[version]):
            past: list[str] = []
            while len(past) < _STEPS_BACK and (base := bases.get(past[-1] if past else version)):
                past.append(base)
            if self._store.content(version) is not None:
                found.append((version, last[version], past))
        return found

    def _changes(self, name: Name, *, since: str = "", before: int | None = None) -> list[Change]:
        return self._store.changes(name.workspace, name=name, since=since, before=before, limit=_MOST_VERSIONS)

    def _lately(self) -> str:
        return (self._clock.now() - STALE_FOR).astimezone(UTC).isoformat(timespec="microseconds")

    def _now(self) -> str:
        return self._clock.now().astimezone(UTC).isoformat(timespec="microseconds")


def _narrowed(name: Name, before: bytes, after: bytes) -> bytes:
    """The text in which an entry that others may see, and that got lines by hand, is the owner's again.

    A conversation's mark says who heard what was said there, and not what a person typed below it, or what came to stand
    below it because a heading is gone.
    """
    if name.kind not in WIDENING_KINDS:
        return after
    known = {entry.id: set(map(bytes.strip, entry.lines)) for entry in parse(before, is_log=name.is_log).entries}
    document = parse(after, is_log=name.is_log)
    for entry in document.entries:
        if entry.fields.get("aud") and entry.id in known:
            new = {line.strip() for line in entry.lines[1:]} - known[entry.id]
            if any(new):
                document = edits.set_field(document, document.find(entry.id), "aud", None)
    return render(document)


def _left_out(sifted: FilteredSave, away: Iterable[Entry]) -> list[str]:
    """What is not taken from a save, in words."""
    return [FORGOTTEN] * sifted.erased + [entry.text for entry in away]


def _shape(line: bytes) -> str:
    return shaped(line.decode("utf-8", "replace"))


def _is_one_entry(ours: bytes, sifted: FilteredSave, *, is_log: bool) -> bool:
    """Whether one entry that was taken away is all that a save does: then it is there on purpose."""
    if sifted.erased + len(sifted.away) != 1:
        return False
    one, other = (
        _exchanged(document, {entry.id: None for entry in document.entries if entry.id in sifted.away})
        for document in (parse(text, is_log=is_log) for text in (ours, sifted.data))
    )
    return not adds(one, other) and not adds(other, one)


def _standing_for(
    away: Sequence[Entry], base: Document, standing: Document, theirs: Document
) -> dict[str, Entry | None]:
    """For entries of a save that the ledger took away: the lines of each, in other words or another shape."""
    if not away:
        return {}
    stands = {entry.id: entry for entry in standing.entries}
    was = reworded(base, theirs)
    saved = {entry.id for entry in theirs.entries}
    alike = {shaped(entry.body): entry for entry in standing.entries if entry.id not in saved}
    return {
        entry.id: stands.get(entry.id) or stands.get(was.get(entry.id, "")) or alike.pop(shaped(entry.body), None)
        for entry in away
    }


def _exchanged(document: Document, entries: Mapping[str, Entry | None]) -> bytes:
    """A document with others in place of some of its entries, or none."""
    lines = list(document.lines)
    for entry in document.entries:
        if entry.id in entries:
            other = entries[entry.id]
            there = other.lines if other else ()
            lines[entry.line : entry.end] = [b""] * len(entry.lines)
            lines[entry.line] = b"".join(line if line.endswith(b"\n") else line + document.newline for line in there)
    return b"".join(lines)


def _doubted(before: Document, after: Document, lines: frozenset[bytes]) -> list[MergeConflict]:
    """The entries that a save removed, and that whoever saved it may never have seen."""
    stands = {line.strip() for entry in after.entries for line in entry.lines}
    gone = (entry for entry in before.entries if any(line.strip() in lines - stands for line in entry.lines))
    return [MergeConflict(entry.text, b"".join(entry.lines), b"") for entry in gone]


def _clashes(found: dict[Name, FoundState], name: Name) -> tuple[MergeConflict, ...]:
    return found[name].clashes if name in found else ()
