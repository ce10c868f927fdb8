"""Edits made outside: what a person saved is taken in, merged with what was written while their editor was open."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, timedelta
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.documents import edits, parse, render
from oldsoul.errors import DocumentError
from oldsoul.rules.audience import WIDENING_KINDS
from oldsoul.rules.lines import adds, difference, distance, is_reworded
from oldsoul.rules.merge import Clash, merge
from oldsoul.values.changes import Author, Role
from oldsoul.values.history import ABSENT, Change, Effect, Snapshot, version_of
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oldsoul.ledger.desk import Stores
    from oldsoul.ports import Clock, Held
    from oldsoul.values.names import Name

STALE_FOR = timedelta(hours=1)
"""How long an editor's buffer may be old and still be told from a person's wish to remove things."""
_MOST_VERSIONS = 400
_WORSE_IN_A_ROW = 100
OUTSIDE = Author(Role.OUTSIDE)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of looking at a document before working on it."""

    snapshot: Snapshot
    """the document as the ledger goes on from"""
    clashes: tuple[Clash, ...] = ()
    """where a person's save and an entry of ours did not agree; the person's stands"""


class Outside:
    """Notices and records what the ledger did not write."""

    def __init__(self, store: Stores, clock: Clock, origin_of: Callable[[str], Origin]) -> None:
        self._store = store
        self._clock = clock
        self._origin_of = origin_of

    def take_in(self, held: Held, names: Iterable[Name]) -> dict[Name, TakenIn]:
        """The documents as they stand, everything that was saved outside recorded and merged."""
        found: dict[Name, TakenIn] = {}
        for stray in held.strays():
            taken = self._merged(held, stray.name, stray.data)
            found[stray.name] = TakenIn(taken.snapshot, (*_clashes(found, stray.name), *taken.clashes))
        for name in names:
            taken = self._look(held, name)
            found[name] = TakenIn(taken.snapshot, (*_clashes(found, name), *taken.clashes))
        return found

    def _look(self, held: Held, name: Name) -> TakenIn:
        snapshot = self._store.read(name)
        recorded = self._store.recorded(name)
        if snapshot.version == (recorded or ABSENT):
            return TakenIn(snapshot)
        if not held.settled(name) or self._store.read(name).version != snapshot.version:
            # Somebody is saving at this moment. We go on from what we know; what they save comes out of the swap.
            return TakenIn(Snapshot(self._store.content(recorded or ABSENT), recorded or ABSENT))
        if recorded is None or snapshot.data is None or recorded == ABSENT:
            return self._record(held, name, recorded, snapshot.data)
        base = self._stale_base(name, self._store.content(recorded) or b"", snapshot.data, self._recent(name))
        if base is None:
            return self._record(held, name, recorded, snapshot.data)
        return self._commit_merge(held, name, recorded, base, snapshot.data)

    def _merged(self, held: Held, name: Name, data: bytes) -> TakenIn:
        """A save that came out of a swap: merged on top of what stands, from the version it was most likely made of."""
        snapshot = self._look(held, name).snapshot
        # It may have waited for long, if nobody came by; so all that history knows counts, not the last hour alone.
        changes = self._store.changes(name.workspace, name=name, limit=_MOST_VERSIONS)
        base = self._closest(name, data, changes, ())
        if adds(base, data):
            stale = self._stale_base(name, self._store.content(snapshot.version) or b"", data, changes, stray=True)
            base = self._closest(name, data, changes, (), self._typed(name, changes)) if stale is None else stale
        return self._commit_merge(held, name, snapshot.version, base, data)

    def _commit_merge(self, held: Held, name: Name, recorded: str, base: bytes, data: bytes) -> TakenIn:
        ours = self._store.content(recorded) or b""
        documents = [parse(text, is_log=name.is_log) for text in (base, ours, data)]
        merged = merge(*documents, prefer="theirs")
        result = self._marked(name, ours, render(merged.document))
        after = version_of(result)
        notes = {"saved": version_of(data)}
        if merged.clashes:
            notes["clashes"] = str(len(merged.clashes))
        change = self._change(name, recorded, after, "saved by hand from an older version; merged", notes)
        on_disk = self._store.read(name).version
        held.commit(change, {} if on_disk == after else {name: result}, also=(data, result))
        return TakenIn(Snapshot(result, after), merged.clashes)

    def _record(self, held: Held, name: Name, recorded: str | None, data: bytes | None) -> TakenIn:
        """A save taken as it is, but for whose words it counts as."""
        result = None if data is None else self._marked(name, self._store.content(recorded or ABSENT) or b"", data)
        reason = "found" if recorded is None else "saved by hand"
        change = self._change(name, recorded or ABSENT, version_of(result), reason, {})
        held.commit(change, {} if result == data else {name: result}, also=() if data is None else (data,))
        return TakenIn(Snapshot.of(result))

    def _marked(self, name: Name, before: bytes, after: bytes) -> bytes:
        return _narrowed(name, before, self._attributed(name, before, after))

    def _attributed(self, name: Name, before: bytes, after: bytes) -> bytes:
        """The text with what is new in it marked as the words of those whom settings take for its authors."""
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

    def _stale_base(
        self, name: Name, ours: bytes, theirs: bytes, changes: Iterable[Change], *, stray: bool = False
    ) -> bytes | None:
        """The version a save was made from, when it lacks what the ledger wrote lately; None otherwise.

        What is lacking was not there yet, so the version is one without it: a merge from a later one would take the
        lack for a removal. A stray was surely not made from what took its place, lines without a written id included.
        """
        if not adds(ours, theirs):
            return None
        changes = list(changes)
        standing, saved = _entries(ours, is_log=name.is_log), _entries(theirs, is_log=name.is_log)
        too_new: list[bytes] = []
        for change in changes:
            if change.author.role is Role.OUTSIDE:
                continue
            effect = next(e for e in change.effects if e.name == name)
            for entry in effect.entries:
                if entry not in standing:
                    continue
                if entry not in saved:
                    by_id = not stray or entry.encode() in standing[entry]  # else the id follows from the words
                    too_new.append(entry.encode() if by_id else standing[entry])
                elif saved[entry] != standing[entry] and self._was(effect, entry, is_log=name.is_log) == saved[entry]:
                    too_new.append(standing[entry])
        return self._closest(name, theirs, changes, too_new, self._typed(name, changes)) if too_new else None

    def _was(self, effect: Effect, entry: str, *, is_log: bool) -> bytes | None:
        before = self._store.content(effect.before)
        return None if before is None else _entries(before, is_log=is_log).get(entry)

    def _closest(
        self,
        name: Name,
        data: bytes,
        changes: Iterable[Change],
        without: Sequence[bytes],
        typed: Callable[[bytes], bool] = lambda _: False,
    ) -> bytes:
        """The version that shares most lines with this text and has none of some words; the newest of equal ones.

        Nor has it lines that a person typed lately and that are missing here: an older buffer never had them. Nothing
        at all where there is no such version: merged from that, nothing is taken for removed.
        """
        best: tuple[int, bytes] | None = None
        worse = 0
        seen = {ABSENT, version_of(data)}
        for change in changes:
            effect = next(e for e in change.effects if e.name == name)
            worse += 1
            # A person may have read what they saved themselves, before it was merged.
            for version in (effect.after, change.notes.get("saved", ABSENT), effect.before):
                content = None if version in seen else self._store.content(version)
                seen.add(version)
                if content is None or any(words in content for words in without):
                    continue
                far = distance(content, data)
                if (best is None or far < best[0]) and not _takes_away(content, data, typed):
                    best, worse = (far, content), 0
            if best is not None and worse > _WORSE_IN_A_ROW:
                break
        return best[1] if best else b""

    def _typed(self, name: Name, changes: Iterable[Change]) -> Callable[[bytes], bool]:
        """Tells whether a line came in with one of these changes, by a save made outside."""
        saves = [
            (effect.before, change.notes.get("saved", effect.after))
            for change in changes
            for effect in change.effects
            if effect.name == name and change.author.role is Role.OUTSIDE
        ]

        @cache
        def typed(line: bytes) -> bool:
            return any(
                line in (self._store.content(after) or b"") and line not in (self._store.content(before) or b"")
                for before, after in saves
            )

        return typed

    def _recent(self, name: Name) -> list[Change]:
        since = (self._clock.now() - STALE_FOR).astimezone(UTC).isoformat(timespec="microseconds")
        return self._store.changes(name.workspace, name=name, since=since, limit=_MOST_VERSIONS)

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


def _entries(data: bytes, *, is_log: bool) -> dict[str, bytes]:
    """The entries' lines, by id."""
    document = parse(data, is_log=is_log)
    return {entry.id: b"".join(document.lines[entry.line : entry.end]) for entry in document.entries}


def _takes_away(before: bytes, after: bytes, typed: Callable[[bytes], bool]) -> bool:
    """Whether a line that somebody typed lately is gone and not reworded."""
    gone, _ = difference(before, after)
    return any(typed(line) and not is_reworded(line, before, after) for line in gone)


def _clashes(found: dict[Name, TakenIn], name: Name) -> tuple[Clash, ...]:
    return found[name].clashes if name in found else ()
