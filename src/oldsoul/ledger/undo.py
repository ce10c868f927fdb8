"""One change taken back, with the later ones left as they are; and which of those have to be taken back first.

What a change did to an entry is taken back where the entry is now: one that a later change moved is followed. One
that is gone from everywhere stays gone, and one that is elsewhere is not put back a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from heapq import merge as in_order
from itertools import islice
from typing import TYPE_CHECKING

from oldsoul.documents import edits, parse, render
from oldsoul.documents.entries import takeable
from oldsoul.documents.model import Document
from oldsoul.errors import Conflict, DocumentError
from oldsoul.ledger.soul_log import RECORDS
from oldsoul.rules import limits
from oldsoul.rules.merge import merge
from oldsoul.values.frozen import frozen
from oldsoul.values.history import ABSENT, Change, Effect, version_of
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.documents import Entry


There = Mapping[Name, bytes | None]


_MOST = 50
"""A change on which more than so many rest is not looked into any further."""
_SHOWN = 80


@frozen
class Obstacle:
    """Why something cannot be taken back."""

    name: Name
    """the document it is about"""
    what: str
    """the place in it; empty when the document is gone"""
    stands: bytes = b""
    """what is there"""

    def __str__(self) -> str:
        if not self.what:
            return f"{self.name.path} was deleted later"
        return f"later changes to {self.name.path} touch the same place ({self.what})"


@frozen
class UndoResult:
    """Documents without what a change did to them."""

    documents: There
    """those that differ from the current ones"""
    restored: frozenset[Name]
    """those that are just what was before the change"""
    obstacles: tuple[Obstacle, ...]
    """what is in the way"""


class UndoSteps:
    """Takes changes back on documents in memory, and finds what rests on a change.

    It tries the later ones out, so that what it says can be done as it is said.
    """

    def __init__(
        self,
        standing: There,
        later: Callable[[Name | None, int], Iterable[Change]],
        content: Callable[[str], bytes | None],
        effects: Callable[[Change], Sequence[Effect]],
    ) -> None:
        self._standing = standing
        self._later = cache(lambda name, than: list(later(name, than)))
        self._content = cache(content)
        self._effects = effects
        self._parsed = cache(lambda data, is_log: parse(data, is_log=is_log))

    def without(self, change: Change, there: There, *, leave_moved: bool = False) -> UndoResult:
        """The workspace as it is, but for some documents as they would be, without a change or all but its moves."""
        now = {**self._standing, **there}
        step = _Step(self, change, now, leave_moved=leave_moved)
        step.run()
        documents = {name: data for name, data in step.documents.items() if data != now.get(name)}
        return UndoResult(documents, frozenset(step.restored), tuple(step.obstacles))

    def undone(self, change: Change, limit_of: Callable[[Name], int]) -> UndoResult:
        """The workspace without a change; `Conflict` says what is in the way, or that nothing is left of it.

        What it moved to make room stays where it is as long as there is none.
        """
        taken = self.without(change, {})
        sizes = {name: len(data or b"") for name, data in taken.documents.items() if name not in taken.restored}
        if any(limits.is_near(size, limit_of(name)) for name, size in sizes.items()):
            taken = self.without(change, {}, leave_moved=True)
        order = self._resting_on(change) if taken.obstacles else []
        if order is None or order:
            why = "; ".join(dict.fromkeys(map(str, taken.obstacles[:3])))
            raise Conflict(f"{why}; {_to_do_first(order or ())}")
        if taken.obstacles or not taken.documents:
            raise Conflict(f"nothing is left of change {change.id} to undo: later changes replaced it")
        return taken

    def effect(self, name: Name, data: bytes | None) -> Effect:
        """From what is to this, with the entries that come back or change."""
        standing = self._standing.get(name)
        there = {(entry.id, entry.text) for entry in self.document(name, standing).entries}
        new = tuple(e.id for e in self.document(name, data).entries if (e.id, e.text) not in there)
        return Effect(name, version_of(standing), version_of(data), new)

    def document(self, name: Name, data: bytes | None) -> Document:
        """The document these bytes are, empty for none."""
        return self._parsed(data or b"", name.is_log)

    def entries(self, name: Name, data: bytes | None) -> dict[str, Entry]:
        """The entries of these bytes, by id."""
        return {entry.id: entry for entry in self.document(name, data).entries}

    def effects(self, change: Change) -> list[tuple[Name, bytes | None, bytes | None]]:
        """What undoing a change takes back: each document, its bytes before and after."""
        return [(e.name, self._content(e.before), self._content(e.after)) for e in self._effects(change)]

    def places(self, entry: Entry, home: Name, change: Change, there: There) -> list[Name]:
        """The other documents in which an entry is that a change wrote, moved or removed in its home.

        It is followed along the changes that moved it. One that a person moved is known by its id, if that is written.
        """
        moved = {name for one in self._later(None, change.id - 1) for name in self._moved_to(entry, one)}
        needle = entry.id.encode()
        named = {name for name, data in there.items() if needle in (data or b"") and name.kind not in RECORDS}
        for names in (moved, named if entry.written else set[Name]()):
            found = [name for name in sorted(names - {home}) if entry.id in self.entries(name, there.get(name))]
            if found:
                return found
        return []

    def came_back(self, entry: str, change: Change) -> bool:
        """Whether a later change wrote an entry that this one removed."""
        return any(entry in effect.entries for one in self._later(None, change.id) for effect in one.effects)

    def _moved_to(self, entry: Entry, change: Change) -> set[Name]:
        """The documents into which a change moved an entry."""
        effects = self._effects(change)
        left = {effect.before for effect in effects if effect.after == ABSENT}
        came = {e.name for e in effects if entry.id in e.entries or (e.before == ABSENT and e.after in left)}
        return came if came and any(self._lost(effect, entry) for effect in effects) else set()

    def _lost(self, effect: Effect, entry: Entry) -> bool:
        before, after = self._content(effect.before), self._content(effect.after)
        held = entry.lines[0].strip() in (before or b"") and entry.id in self.entries(effect.name, before)
        return held and entry.id not in self.entries(effect.name, after)

    # what rests on a change

    def _resting_on(self, change: Change) -> list[Change] | None:
        """What to take back before a change, in this order.

        Nothing where nothing would then be left of the change itself; None where it cannot be found out.
        """
        order = self._needed(change, {}, []) or self._all(change)
        taken = self._taken([*order, change])
        if taken is None or not taken.documents:
            return None if taken is None else []
        for one in list(order):  # what a later one brought back need not be gone through again
            fewer = [other for other in order if other is not one]
            if (taken := self._taken([*fewer, change])) is not None and taken.documents:
                order = fewer
        return order

    def _needed(self, change: Change, there: dict[Name, bytes | None], order: list[Change]) -> list[Change] | None:
        """What is to be taken back until this one can be, on top of what was; None where nothing helps."""
        while obstacles := self.without(change, there).obstacles:
            one = self._newest(change, obstacles, there, order)
            if one is None or len(order) >= _MOST or self._needed(one, there, order) is None:
                return None
            order.append(one)
            there |= self.without(one, there).documents
        return order

    def _all(self, change: Change) -> list[Change]:
        """All that came later in the same documents, the newest first."""
        return _each_once(islice(self._later(e.name, change.id), _MOST) for e in self._effects(change))

    def _newest(
        self, change: Change, obstacles: tuple[Obstacle, ...], there: There, order: Sequence[Change]
    ) -> Change | None:
        """The last change that is in the way of another's undoing; rather one without which something of that is left."""
        names = {*(effect.name for effect in self._effects(change)), *(obstacle.name for obstacle in obstacles)}
        changed = {line for obstacle in obstacles for line in obstacle.stands.splitlines()}
        for _, before, after in self.effects(change):
            changed |= {*(before or b"").splitlines()} ^ {*(after or b"").splitlines()}
        lines = [line for line in changed if line.strip()]
        later = [one for one in _each_once(self._later(name, change.id) for name in names) if one not in order]
        likely = [one for one in later if self._touches(one, lines)]
        last = None
        for one in (*likely, *later[:_MOST]):
            taken = self.without(change, {**there, **self.without(one, there).documents})
            if taken.obstacles != obstacles:
                if taken.obstacles or taken.documents:
                    return one
                last = last or one
        return last

    def _touches(self, change: Change, lines: Sequence[bytes]) -> bool:
        """Whether a change did something to one of these lines; soon seen, but a line may have been another before."""
        return any(
            (before or b"").count(line) != (after or b"").count(line)
            for _, before, after in self.effects(change)
            for line in lines
        )

    def _taken(self, order: Sequence[Change]) -> UndoResult | None:
        """The last of these changes taken back after the others, in this order; None where something is in the way."""
        there: dict[Name, bytes | None] = {}
        for change in order:
            taken = self.without(change, there)
            if taken.obstacles:
                return None
            there |= taken.documents
        return taken


class _Step:
    """One change while it is taken back."""

    def __init__(self, undoing: UndoSteps, change: Change, now: There, *, leave_moved: bool) -> None:
        self.undoing = undoing
        self.change = change
        self.now = now
        self.effects = undoing.effects(change)
        self.documents: dict[Name, bytes | None] = {}
        self.restored: set[Name] = set()
        self.obstacles: list[Obstacle] = []
        self.followed: list[tuple[Name, Entry, Entry | None]] = []
        arrived = {entry for name, before, after in self.effects for entry in self._gained(name, before, after)}
        left = {name: self._gained(name, after, before) for name, before, after in self.effects}
        self.moved = {entry: name for name, gone in left.items() for entry in gone & arrived}
        self.leave_moved = leave_moved

    def run(self) -> None:
        for name, before, after in self.effects:
            apart = self._apart(name, before, after)
            with self._recording_obstacles(name):
                self._take(name, self._cut(name, before, apart), self._cut(name, after, apart), apart)
        for name, entry, old in self.followed:
            with self._recording_obstacles(name):
                self._follow(name, entry, old)

    @contextmanager
    def _recording_obstacles(self, name: Name) -> Iterator[None]:
        """Where a document cannot be changed as wanted, that is what is in the way."""
        try:
            yield
        except DocumentError as error:
            self.obstacles.append(Obstacle(name, str(error)))

    def _gained(self, name: Name, before: bytes | None, after: bytes | None) -> set[str]:
        return {*self.undoing.entries(name, after)} - {*self.undoing.entries(name, before)}

    def _apart(self, name: Name, before: bytes | None, after: bytes | None) -> set[str]:
        """The entries that are not taken back here: they are elsewhere, or are gone for good."""
        was, became, stands = (self.undoing.entries(name, data) for data in (before, after, self.now.get(name)))
        apart: set[str] = set()
        for one in {**was, **became} if name.kind not in RECORDS else ():
            old, new = was.get(one), became.get(one)
            if self.leave_moved and one in self.moved:
                apart.add(one)
                continue
            if one in stands or (old and new and old.lines == new.lines):
                continue
            places = self.undoing.places(new or was[one], name, self.change, self.now)
            if new and places:
                self.followed += [(place, new, old) for place in places if place != self.moved.get(one)]
                apart.add(one)
            elif new is None and (places if one not in self.moved else not places):
                apart |= {one} if one in self.moved or self.undoing.came_back(one, self.change) else set()
        return apart

    def _cut(self, name: Name, data: bytes | None, entries: set[str]) -> bytes | None:
        document = self.undoing.document(name, data)
        gone = takeable(entry for entry in document.entries if entry.id in entries)
        for entry in gone:
            document = edits.remove(document, document.find(entry.id))
        return render(document) if gone else data

    def _take(self, name: Name, before: bytes | None, base: bytes | None, apart: set[str]) -> None:
        standing = self.now.get(name)
        if standing == base:
            self.documents[name] = before
            self.restored |= set() if apart else {name}
        elif standing is None:
            new, old = (self.undoing.entries(name, data) for data in (base, before))
            only_added = all(one in new and new[one].lines == entry.lines for one, entry in old.items())
            nothing_left = before is None or (only_added and (apart or len(new) > len(old)))
            self.obstacles += [] if nothing_left else [Obstacle(name, "")]
        else:
            merged = merge(*(self.undoing.document(name, d) for d in (base, standing, before)), prefer="ours")
            self.obstacles += [Obstacle(name, clash.what, clash.ours) for clash in merged.clashes]
            data = render(merged.document)
            self.documents[name] = None if before is None and not data.strip() else data

    def _follow(self, name: Name, entry: Entry, old: Entry | None) -> None:
        """Take back what was done to an entry in the document to which it was moved."""
        document = self.undoing.document(name, self.documents.get(name, self.now.get(name)))
        here = next((one for one in document.entries if one.id == entry.id), None)
        if here is None:
            return
        base, ours, theirs = (
            parse(b"".join(one.lines).rstrip(b"\r\n") + document.newline if one else b"", is_log=name.is_log)
            for one in (entry, here, old)
        )
        merged = merge(base, ours, theirs, prefer="ours")
        self.obstacles += [Obstacle(name, clash.what, clash.ours) for clash in merged.clashes]
        if not merged.document.lines:
            document = edits.remove(document, here)
        elif merged.document.lines != ours.lines:
            lines = document.lines[: here.line] + merged.document.lines + document.lines[here.end :]
            document = Document(lines, name.is_log)
        self.documents[name] = render(document)


def _each_once(every: Iterable[Iterable[Change]]) -> list[Change]:
    """Changes of several documents, the newest first."""
    return list({one.id: one for one in in_order(*every, key=lambda one: -one.id)}.values())


def _to_do_first(order: Sequence[Change]) -> str:
    """Which changes to undo first, in words: each with its number and why it was made."""
    if not order:
        return "undo those first"
    listed = ", ".join(f"{one.id} ({_in_a_line(one.reason)})" for one in order)
    return f"undo {'this' if len(order) == 1 else 'these, in this order,'} first: {listed}"


def _in_a_line(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1].rstrip()}…"
