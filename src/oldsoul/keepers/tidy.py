"""MEMORY.md, rooms and corrections kept tidy: what has faded or is said twice leaves, what is coldest makes room.

All that leaves goes to the archive as it is, or into another entry that says it. Corrections, open tasks and entries that an
open conflict is about stay where they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.documents import Document, parse
from oldsoul.documents.entries import takeable
from oldsoul.documents.model import folded
from oldsoul.judging.mining import is_standing
from oldsoul.keepers.compact import (
    AUTHOR,
    COMPACTION_LOG,
    RETENTION,
    Shelf,
    TidyOptions,
    affordable,
    bytes_of,
    counted,
    document,
    listed,
    parts,
)
from oldsoul.keepers.questions import Find, Findings, Keeper, Listed, Match, Question, Read
from oldsoul.language.words import stem, telling, words
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules import limits, retention
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import decayed, last_seen, mentions, origin_of, stated
from oldsoul.rules.merge.sessions import similarity
from oldsoul.rules.retention import (
    UNMENTIONED_DAYS,
    UNSURE,
    dated,
    is_faded,
    is_settled,
    may_move,
    said,
    snapshot_day,
    surplus_snapshots,
)
from oldsoul.values.changes import ChangeSet, Delete, Evidence, Move, Operation, Remove, SetField
from oldsoul.values.history import version_of
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Entry


_LIMITING = frozenset(
    words("unless except only until instead rather but however anymore formerly previously maybe perhaps probably")
)
"""Words that make another statement of what stands beside them."""


def covers(one: str, other: str) -> bool:
    """Whether the first text says all that the second says, and nothing else than it on any point.

    No number, date, name or negation differs; every word that tells something stands in the first as well.
    """
    if folded(one) == folded(other):
        return True
    if similarity(one, other) <= 0 or _values(one) != _values(other):
        return False
    if (set(words(one)) ^ set(words(other))) & _LIMITING:
        return False
    return {stem(word) for word in telling(other)} <= {stem(word) for word in telling(one)}


def _values(text: str) -> list[tuple[object, ...]]:
    return sorted(((value.kind, value.key, value.unit) for value in typed_values(text)), key=repr)


KEEPER = "soul-history"
_TOGETHER = 200


def thin_history(tidying: TidyOptions, days: int) -> Keeper:
    """What becomes of snapshots older than so many days. History keeps their bytes: undoing the change brings them back."""
    there = yield Listed((Kind.SOUL_HISTORY,))
    gone = surplus_snapshots(there, tidying.today, days)
    standing = yield Read(tuple(gone))
    sets = []
    for start in range(0, len(gone), _TOGETHER):
        some = [name for name in gone[start : start + _TOGETHER] if standing[name] is not None]
        rule = f"Older than {days} days; the last of each month is kept. `oldsoul undo` of this change restores them."
        block = tidying.logged(f"Snapshots of SOUL.md: {len(some)} removed", [rule, *(name.path for name in some)])
        operations: tuple[Operation, ...] = (*(Delete(name) for name in some), block)
        versions = {name: version_of(standing[name]) for name in some}
        key = tidying.key("snapshots", *some)
        if some:
            sets.append(ChangeSet(operations, RETENTION, "old snapshots removed", key, versions=versions))
    odd = [name.path for name in there if snapshot_day(name) is None]
    notes = (f"kept, because their names contain no date: {', '.join(odd)}",) if odd else ()
    return Findings(tuple(sets), notes)


SAME = 0.9
"""How alike two entries must be, by vectors, to be looked at as one."""
SAME_WORDS = 0.7
"""The same by the share of their words, where there are no vectors."""
_ROOMS = (Kind.MEMORY, Kind.ROOM)
_LOG_LEFT = 0.5


class _Twin(NamedTuple):
    """Two entries that say the same."""

    stays: Entry
    goes: Entry


def tidy_memory(tidying: TidyOptions) -> Keeper:
    """What becomes of MEMORY.md, and of a room's file that is nearly full."""
    there = yield Listed((*_ROOMS, Kind.ARCHIVE))
    conflicts = Name(tidying.workspace, "CONFLICTS.md")
    names = tuple(name for name in there if name.kind in _ROOMS)
    month = Name(tidying.workspace, f"Archive/Memory/{tidying.now:%Y-%m}.md")
    archives = parts(month, there)
    standing = yield Read((*names, *archives, conflicts))
    disputed = _disputed(standing[conflicts])
    shelf = Shelf(archives, standing, limits.MAX_LOG_SIZE)
    sets: list[ChangeSet] = []
    notes: list[str] = []
    seen: set[bytes] = set()
    for name in names:
        data = standing[name]
        if data is None or data in seen:  # MEMORY.md under its other name
            continue
        if name.kind is Kind.MEMORY:
            seen.add(data)
        near = limits.is_near(len(data), limits.limit_of(name, tidying.max_file_size))
        if name.kind is Kind.ROOM and not near:
            continue
        work = _Document(tidying, name, parse(data), disputed)
        twins, reasons = yield from work.found()
        sets += work.sets(twins, reasons, shelf)
        notes += work.notes
    return Findings(tuple(sets), tuple(notes))


def _disputed(data: bytes | None) -> frozenset[str]:
    """The entries an open conflict is about."""
    found = parse(data or b"", is_log=True).entries
    still = (entry for entry in found if entry.fields.get("status", "open") == "open")
    return frozenset(one for entry in still for one in entry.fields.get("between", "").split(",") if one)


_Reasons = list[tuple[str, list["Entry"]]]
"""Why entries leave for the archive, and which."""


class _Document:
    """One list of memories while it is tidied."""

    def __init__(self, tidying: TidyOptions, name: Name, parsed: Document, disputed: frozenset[str]) -> None:
        self.tidying = tidying
        self.name = name
        self.parsed = parsed
        self.disputed = disputed
        self.most = affordable(len(parsed.entries))
        self.limit = limits.limit_of(name, tidying.max_file_size)
        self.notes: list[str] = []

    def found(self) -> Generator[Question, Any, tuple[list[_Twin], _Reasons]]:
        """What is to be merged, and what leaves for the archive, by why."""
        tidying = self.tidying
        free = [entry for entry in self.parsed.entries if may_move(entry) and entry.id not in self.disputed]
        faded = [e for e in free if is_faded(e, tidying.today, tidying.confidence)]
        gone = {entry.id for entry in faded}
        rest = [entry for entry in free if entry.id not in gone]
        texts = tuple(said(entry) for entry in rest)
        matches = (yield Find(texts, texts, SAME, SAME_WORDS)) if len(rest) > 1 else []
        twins, weaker = self._twins(rest, texts, matches)
        gone |= {twin.goes.id for twin in (*twins, *weaker)}
        cold = self._cold(gone, {twin.stays.id for twin in (*twins, *weaker)})
        unmentioned = f"and not mentioned for {UNMENTIONED_DAYS} days"
        return twins, [
            (f"Confidence below {UNSURE:g} {unmentioned}", faded),
            ("Repeated by a less trusted source; the entry that stays is unchanged", [twin.goes for twin in weaker]),
            (f"Least used, because the file is nearly full ({self.limit} bytes)", cold),
        ]

    def _twins(
        self, entries: Sequence[Entry], texts: Sequence[str], matches: Sequence[Sequence[Match]]
    ) -> tuple[list[_Twin], list[_Twin]]:
        """Entries that say the same, and for the same people: of one origin they merge, else the weaker leaves."""
        twins: list[_Twin] = []
        weaker: list[_Twin] = []
        gone: set[int] = set()
        for one, found in enumerate(matches):
            for other in sorted(match.number for match in found if match.number > one):
                if one in gone or other in gone or not self._comparable(entries[one], entries[other]):
                    continue
                order = self._order(entries, texts, one, other)
                if order is None:
                    continue
                gone.add(order[1])
                twin = _Twin(entries[order[0]], entries[order[1]])
                (twins if origin_of(twin.stays) is origin_of(twin.goes) else weaker).append(twin)
        kept = {id(entry) for n, entry in enumerate(entries) if n not in gone}
        # What something was merged into may itself have gone since: the next run takes that one up.
        return [t for t in twins if id(t.stays) in kept], [t for t in weaker if id(t.stays) in kept]

    def _comparable(self, one: Entry, other: Entry) -> bool:
        return (
            one.tag == other.tag
            and one.done == other.done
            and seen_by(self.name, one) == seen_by(self.name, other)
            and one.fields.get("status", "") == other.fields.get("status", "")
        )

    @staticmethod
    def _order(entries: Sequence[Entry], texts: Sequence[str], one: int, other: int) -> tuple[int, int] | None:
        """Which of two stays and which goes: the stronger origin's words stay, and they must say all the others say."""
        first, second = origin_of(entries[one]).rank, origin_of(entries[other]).rank
        if first <= second and covers(texts[one], texts[other]):
            return one, other
        if second <= first and covers(texts[other], texts[one]):
            return other, one
        return None

    def _cold(self, gone: set[str], keep: set[str]) -> list[Entry]:
        """What makes room, where the rest is still more than the file should hold."""
        size = sum(map(len, self.parsed.lines))
        size -= sum(len(line) for entry in self.parsed.entries if entry.id in gone for line in entry.lines)
        surplus = size - int(self.limit * limits.WARN_SHARE)
        return (
            retention.coldest(self.parsed, surplus, frozenset(gone | keep | self.disputed), is_standing)
            if surplus > 0
            else []
        )

    # what is written

    def sets(self, twins: list[_Twin], reasons: _Reasons, shelf: Shelf) -> Iterator[ChangeSet]:
        """The changes: merges apart by origin, since one that needs the operator's word must not hold up the others."""
        by_origin: defaultdict[Origin, list[_Twin]] = defaultdict(list)
        for twin in twins[: self.most // 5]:
            by_origin[origin_of(twin.goes)].append(twin)
        for origin, some in sorted(by_origin.items(), key=lambda pair: pair[0].rank):
            yield self._merged(origin, some)
        if sum(len(some) for _, some in reasons) + len(twins) > self.most:
            self.notes.append(f"{self.name.path} has very many entries and is tidied over several runs")
        yield from self._moved(reasons, shelf)

    def _merged(self, origin: Origin, twins: Sequence[_Twin]) -> ChangeSet:
        """Entries that go into those that say the same: mentions are added up, and the last one counts."""
        groups: defaultdict[str, list[_Twin]] = defaultdict(list)
        for twin in twins:
            groups[twin.stays.id].append(twin)
        operations: list[Operation] = []
        for some in groups.values():
            operations += self._combined(some[0].stays, [twin.goes for twin in some])
        into = {twin.goes.id: twin.stays.id for twin in twins}
        gone = takeable(twin.goes for twin in twins)
        operations += [Remove(self.name, entry.id, into[entry.id]) for entry in gone]
        lines = [f"{entry.id} → {into[entry.id]}" for entry in gone]
        rule = (
            f"Near-duplicates of {self.name.path}, from the same source and for the same audience, merged into the"
            " one that says everything. `oldsoul undo` restores them."
        )
        block = self.tidying.logged(f"Merged: {counted(len(gone), 'entry', 'entries')}", [rule, *lines])
        audiences = {seen_by(self.name, entry) for entry in gone}
        evidence = tuple(Evidence(str(self.name), origin, audience) for audience in sorted(audiences, key=str))
        key = self.tidying.key(f"merge {origin}", self.name)
        return ChangeSet((*operations, block), AUTHOR, "near-duplicates merged", key, evidence)

    def _combined(self, stays: Entry, gone: Sequence[Entry]) -> Iterator[Operation]:
        """The bookkeeping of an entry that took others in: no surer than the surest of them was on the last day."""
        every = (stays, *gone)
        days = [day for entry in every if (day := last_seen(entry)) is not None]
        latest = max(days, default=None)
        cited = [entry for entry in every if entry.fields.get("src")]
        said = sum(mentions(entry) for entry in every if entry not in cited)
        if cited:  # a message may have been counted in several of them
            said += max(len({entry.fields["src"] for entry in cited}), *map(mentions, cited))
        yield SetField(self.name, "n", str(said), stays.id)
        if latest is not None and latest != last_seen(stays):
            yield SetField(self.name, "seen", latest.isoformat(), stays.id)
        if latest is not None:
            options = self.tidying.confidence
            sure = max(decayed(stated(entry), last_seen(entry), latest, options) for entry in every)
            if abs(sure - stated(stays)) > 0.0001:  # noqa: PLR2004 - as confidences are rounded
                yield SetField(self.name, "conf", f"{sure:g}", stays.id)

    def _moved(self, reasons: _Reasons, shelf: Shelf) -> Iterator[ChangeSet]:
        """Entries that go to the month's archive as they are."""
        entries = [entry for _, some in reasons for entry in some][: self.most]
        if not entries:
            return
        to = shelf.place(bytes_of(entries))
        section = "" if self.name.kind is Kind.MEMORY else self.name.path
        moves = [Move(self.name, entry.id, section=section, to=to) for entry in takeable(entries)]
        chosen = set(map(id, entries))
        told = [(why, [entry.id for entry in some if id(entry) in chosen]) for why, some in reasons]
        lines = [f"{why}: {listed(ids)}" for why, ids in told if ids]
        head = f"From {self.name.path} to {to.path}, unchanged; search still finds them."
        block = self.tidying.logged(f"Archived: {counted(len(moves), 'entry', 'entries')}", [head, *lines])
        key = self.tidying.key("tidy", self.name)
        yield ChangeSet((*moves, block), AUTHOR, "unused or repeated entries moved to the archive", key)


# corrections, and the log itself


def archive_corrections(tidying: TidyOptions) -> Keeper:
    """What becomes of old corrections that the index holds: they move, block by block, and go on holding."""
    name = Name(tidying.workspace, "CORRECTIONS.md")
    there = yield Listed((Kind.ARCHIVE,))
    parsed = document(name, (yield Read((name,)))[name])
    entries = parsed.entries if parsed else ()
    old = [entry for entry in entries if is_settled(entry, tidying.today, tidying.retention)]
    old = old[: affordable(len(entries))]
    if not old:
        return Findings()
    months = sorted({f"{dated(entry):%Y-%m}" for entry in old})
    files = {m: parts(Name(tidying.workspace, f"Archive/Corrections/{m}.md"), there) for m in months}
    standing = yield Read(tuple(one for some in files.values() for one in some))
    shelves = {month: Shelf(some, standing, limits.MAX_LOG_SIZE) for month, some in files.items()}
    moves: list[Operation] = []
    lines: defaultdict[Name, list[str]] = defaultdict(list)
    for entry in takeable(old):
        to = shelves[f"{dated(entry):%Y-%m}"].place(bytes_of([entry]) + 2)
        moves.append(Move(name, entry.id, to=to))
        lines[to].append(entry.id)
    rule = (
        f"Corrections older than {tidying.retention.correction_archive_days} days that are in the index; they still"
        " apply."
    )
    told = [f"CORRECTIONS.md → {to.path}: {listed(ids)}" for to, ids in sorted(lines.items())]
    block = tidying.logged(f"Corrections archived: {len(moves)}", [rule, *told])
    key = tidying.key("corrections", name)
    return Findings((ChangeSet((*moves, block), AUTHOR, "old corrections archived", key),))


def archive_log(tidying: TidyOptions) -> Keeper:
    """What becomes of COMPACTION_LOG.md when it is nearly full: its oldest blocks move, as they are."""
    name = Name(tidying.workspace, COMPACTION_LOG)
    data = (yield Read((name,)))[name]
    parsed = document(name, data)
    if parsed is None or not limits.is_near(len(data or b""), limits.MAX_LOG_SIZE):
        return Findings()
    blocks = [entry for entry in parsed.entries if dated(entry) is not None]
    surplus = len(data or b"") - int(limits.MAX_LOG_SIZE * _LOG_LEFT)
    chosen: list[Entry] = []
    for entry in blocks[: affordable(len(blocks))]:
        if surplus <= 0:
            break
        chosen.append(entry)
        surplus -= sum(map(len, entry.lines)) + 1
    there = yield Listed((Kind.ARCHIVE,))
    files = parts(Name(tidying.workspace, f"Archive/Daily/compaction-{tidying.today.year}.md"), there)
    standing = yield Read(tuple(files))
    to = Shelf(files, standing, limits.MAX_LOG_SIZE).place(bytes_of(chosen))
    moves = tuple(Move(name, entry.id, to=to) for entry in takeable(chosen))
    key = tidying.key("log", name)
    return Findings((ChangeSet(moves, AUTHOR, "old blocks of the log archived", key),) if moves else ())
