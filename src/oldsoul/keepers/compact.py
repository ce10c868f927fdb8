"""Old days become a chronicle: what each says in short goes to the month's file, the log itself to the archive, unchanged.

Both happen in one change, so that nothing is archived that the chronicle does not tell. A model is asked, one audience at a
time; where there is none, or a line of its answer rests on nothing, the diary's own words are taken.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.documents.model import folded
from oldsoul.judging.corrections.corrections import Correction
from oldsoul.judging.corrections.hidden import against
from oldsoul.keepers.current_documents import standing_corrections
from oldsoul.keepers.questions import (
    UNSUPPORTED,
    Findings,
    Keeper,
    Listed,
    Question,
    Read,
    asked,
    is_quoted,
    items,
    record,
    text,
)
from oldsoul.language.sentences import cleaned, sentences, shortened
from oldsoul.rules import limits
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import INFERRED, origin_of
from oldsoul.rules.diary import marked, offset
from oldsoul.rules.merge.sessions import SUMMARY
from oldsoul.rules.options import ConfidenceOptions, RetentionOptions
from oldsoul.rules.retention import chronicle
from oldsoul.rules.summary import SummaryMessage, summarised
from oldsoul.values.audience import OWNER, Audience, Reach
from oldsoul.values.changes import (
    MAX_OPERATIONS,
    Add,
    Author,
    ChangeSet,
    Delete,
    Evidence,
    Operation,
    Rename,
    Replace,
    Role,
)
from oldsoul.values.frozen import frozen
from oldsoul.values.history import version_of
from oldsoul.values.names import Kind, Name, keeper_prompt
from oldsoul.values.origin import Origin, weakest

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry


KEEPER = "memory-compactor"
AUTHOR = Author(Role.KEEPER, KEEPER)
RETENTION = Author(Role.SYSTEM, "retention")
"""Who takes documents away whose very bytes are kept elsewhere: nothing is dropped by that."""
COMPACTION_LOG = "COMPACTION_LOG.md"
MOST = MAX_OPERATIONS - 200
_WORK = 200_000
_FEWEST = 50


@frozen
class TidyOptions:
    """What whoever tidies an agent's memory goes by."""

    workspace: str
    """whose memory"""
    now: datetime
    """the time, in the agent's zone"""
    retention: RetentionOptions
    """how long things stay"""
    confidence: ConfidenceOptions
    """how confidence sinks"""
    max_file_size: int
    """how many bytes MEMORY.md or a room's file may have"""
    positions: Mapping[Name, int]
    """where history stands for each document: a change that was made is not wanted again, another one is"""

    @property
    def today(self) -> date:
        """The day, in the agent's zone."""
        return self.now.date()

    def key(self, what: str, *names: Name) -> str:
        """The key of a change to these documents as they stand in history."""
        where = "\n".join(f"{name.path} {self.positions.get(name, 0)}" for name in sorted(names))
        return f"{what}:{min(names).path}:{hashlib.sha256(where.encode()).hexdigest()[:16]}"

    def logged(self, title: str, lines: Sequence[str]) -> Add:
        """The block of COMPACTION_LOG.md that tells what went, by which rule, and where it is. It names, and quotes nothing."""
        return Add(
            Name(self.workspace, COMPACTION_LOG),
            f"**{title}**",
            title=f"{self.now:%Y-%m-%d %H:%M} {offset(self.now)}",
            children=tuple(lines),
        )


def affordable(entries: int) -> int:
    """How many changes to a document of so many entries one run makes: each is checked against all of them.

    A file that another program let grow to a megabyte is tidied over some runs, so that none takes long.
    """
    return max(_FEWEST, min(MOST, _WORK // max(entries, 1)))


def document(name: Name, data: bytes | None) -> Document | None:
    """The document these bytes are."""
    return None if data is None else parse(data, is_log=name.is_log)


def part(name: Name, number: int) -> Name:
    """A further file of an archive whose first ones are full."""
    return name if number == 1 else Name(name.workspace, f"{name.path.removesuffix('.md')}.{number}.md")


def parts(name: Name, listed: Sequence[Name]) -> list[Name]:
    """The files an archive has, and the one it would go on in."""
    found = [name]
    while found[-1] in listed:
        found.append(part(name, len(found) + 1))
    return found


class Shelf:
    """The files of an archive, with the room they have left."""

    def __init__(self, names: Sequence[Name], standing: Mapping[Name, bytes | None], limit: int) -> None:
        self._names = names
        self._sizes = {name: len(standing[name] or b"") for name in names}
        self._limit = limit

    def place(self, need: int) -> Name:
        """The first file with room for so many bytes, which are taken; the last, where none has."""
        name = next((n for n in self._names if self._sizes[n] + need <= self._limit), self._names[-1])
        self._sizes[name] += need
        return name


def bytes_of(entries: Iterable[Entry]) -> int:
    """About how many bytes entries take where they go."""
    return sum(len(line) + 2 for entry in entries for line in entry.lines)


def listed(ids: Sequence[str], most: int = 400) -> str:
    """Entries by their ids, as the log names them."""
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def counted(count: int, one: str, many: str) -> str:
    """A number of things, in words."""
    return f"{count} {one if count == 1 else many}"


ARCHIVE = "Archive/Daily/"
_MOST_LINES = 12
_LINE = 320
_ASKED = 12_000
_SHOWN = 1500
_VERSION = 12
_FIELD = re.compile(r"^\s*\*\*(Room|User|Users):\*\*\s*(.+?)\s*$", re.IGNORECASE)
_LINK = re.compile(r"^\s*\[Session\]\([^)\n]*\)\s*$")
_CLOCK = re.compile(r"\d{4}-\d{2}-\d{2}[ T](\d{1,2}:\d{2})")
_NUMBER = re.compile(r"\d+")
_SPEAKER = re.compile(r"^(?:Result:\s+)?(?:[^\W\d_][\w .'’-]{0,40}:\s+)?")
_POINTS = ("Event: ", "Result: ")

SCHEMA = record(
    lines=items(400, record(day=text(10), text=text(600), entries=items(40, text(20)), quote=text(600))),
)
"""The form of a model's answer."""


@frozen
class OldDays:
    """The days whose time is over."""

    tidying: TidyOptions
    """what it goes by"""
    names: tuple[Name, ...]
    """their logs"""


@frozen
class _Log:
    """One day's log."""

    name: Name
    """where it stands"""
    data: bytes
    """its bytes"""
    day: date
    """which day"""
    entries: Mapping[Audience, tuple[Entry, ...]] = field(default_factory=dict)
    """what may be shown of it, by who may see it"""
    private: int = 0
    """how many entries are another person's alone: the chronicle is the owner's, and does not tell them"""
    is_empty: bool = False
    """whether it holds nothing at all"""

    @property
    def origin(self) -> Origin:
        """The weakest of those who caused what is told. In a chronicle it is the agent's word: nobody stated it as a memory."""
        found = weakest(origin_of(entry) for entries in self.entries.values() for entry in entries)
        return (found or Origin.AGENT).weaker(Origin.AGENT)

    @property
    def version(self) -> str:
        """What tells this text from another of the same day."""
        return version_of(self.data)[:_VERSION]


_ByLog = dict[tuple[Name, str, Audience], tuple[str, ...]]
"""Lines of a chronicle: by log, version and audience."""
_Lines = Callable[[_Log, Audience], tuple[str, ...]]
"""What a chronicle says of a log for one audience."""


def compact_days(old: OldDays) -> Keeper:
    """What becomes of old days: a set for each month, and more where a month has very many."""
    if not old.names:
        return Findings()
    prompt = keeper_prompt(old.tidying.workspace, "memory-compactor")
    right = yield from standing_corrections()
    wrong = frozenset(one for correction in right for one in correction.supersedes)
    first = yield Read(old.names)
    logs = [log for name in old.names if (log := _log(name, first[name], wrong)) is not None]
    told, notes = yield from _asked(logs, prompt)
    # What stands may have moved while somebody thought: it is read again, and told by rules where it did.
    again = yield Read(old.names)
    logs = [log for name in old.names if (log := _log(name, again[name], wrong)) is not None]
    sets: list[ChangeSet] = []
    for month in _batched(sorted(logs, key=lambda log: (log.day, log.name)), lambda log: len(log.entries) + 2, MOST):
        sets += yield from _archived(old.tidying, month, partial(_lines, told, right))
    return Findings(tuple(sets), tuple(notes), {"days": str(len(logs))})


def day_of(name: Name) -> date:
    """The day a log is of."""
    return date.fromisoformat(name.path.removeprefix("memory/")[:10])


def _log(name: Name, data: bytes | None, wrong: Container[str]) -> _Log | None:
    parsed = document(name, data)
    if parsed is None or data is None:
        return None
    entries: defaultdict[Audience, list[Entry]] = defaultdict(list)
    private = 0
    for entry in parsed.entries:
        audience = seen_by(name, entry)
        if audience.reach is Reach.PERSON:
            private += 1
        # A correction is never told in other words, and what it corrected not at all; the log has both as they are.
        elif entry.tag != "correction" and entry.id not in wrong:
            entries[audience].append(entry)
    told = {who: tuple(some) for who, some in entries.items()}
    return _Log(name, data, day_of(name), told, private, not parsed.entries)


def _batched(logs: Iterable[_Log], size: Callable[[_Log], int], most: int) -> Iterator[list[_Log]]:
    """The logs, as many at a time as are not too large together; never of two months."""
    some: list[_Log] = []
    total = 0
    for log in logs:
        own = size(log)
        if some and (total + own > most or chronicle(some[-1].day) != chronicle(log.day)):
            yield some
            some, total = [], 0
        some.append(log)
        total += own
    if some:
        yield some


# who tells it


def _asked(logs: Sequence[_Log], prompt: Name) -> Generator[Question, Any, tuple[_ByLog, list[str]]]:
    """What a model makes of these logs, as far as it rests on them; one question never mixes audiences."""
    told: _ByLog = {}
    notes: list[str] = []
    for audience in sorted({who for log in logs for who in log.entries}, key=str):
        for some in _batched((log for log in logs if audience in log.entries), partial(_length, audience), _ASKED):
            answer = yield from asked(
                prompt, *_question(some, audience), SCHEMA, audience, problem=partial(_problem, some, audience)
            )
            if answer is not None:
                found, refused = _accepted(answer["lines"], some, audience)
                told |= found
                if refused:
                    notes.append(f"{refused} lines of the model were rejected: the daily logs do not support them")
    return told, notes


def _length(audience: Audience, log: _Log) -> int:
    return sum(len(_shown(entry)) for entry in log.entries[audience])


def _question(logs: Sequence[_Log], audience: Audience) -> tuple[str, list[str]]:
    task = (
        f"Diary of {logs[0].day} to {logs[-1].day}, for {audience}.\n"
        "Tell each day in a few lines. Every line names the entries it rests on and quotes words of one of them."
    )
    return task, [f"[{entry.id}] {log.day} {_shown(entry)}" for log in logs for entry in log.entries[audience]]


def _problem(logs: Sequence[_Log], audience: Audience, answer: Mapping[str, Any]) -> str:
    return "" if not answer["lines"] or _accepted(answer["lines"], logs, audience)[0] else UNSUPPORTED


def _shown(entry: Entry) -> str:
    return shortened(cleaned(entry.body), _SHOWN)


def _accepted(lines: Sequence[Mapping[str, Any]], logs: Sequence[_Log], audience: Audience) -> tuple[_ByLog, int]:
    """The lines of an answer that rest on what was written, and how many do not."""
    by_id = {entry.id: (log, entry) for log in logs for entry in log.entries[audience]}
    found: defaultdict[tuple[Name, str, Audience], list[str]] = defaultdict(list)
    refused = 0
    for line in lines:
        sources = [by_id[one] for one in line["entries"] if one in by_id]
        if _rests(line, sources):
            log = sources[0][0]
            found[log.name, log.version, audience].append(_timed(sources[0][1], line["text"]))
        else:
            refused += 1
    return {key: tuple(some[:_MOST_LINES]) for key, some in found.items()}, refused


def _rests(line: Mapping[str, Any], sources: Sequence[tuple[_Log, Entry]]) -> bool:
    """Whether a model's line says of one day what its entries say: quoted words are there, and so is every number."""
    if not sources or len(sources) != len(line["entries"]) or len({log.name for log, _ in sources}) != 1:
        return False
    if line["day"] != sources[0][0].day.isoformat() or not cleaned(line["text"]).strip():
        return False
    whole = folded(" ".join(entry.body for _, entry in sources))
    if not is_quoted(line["quote"], whole):
        return False
    return set(_NUMBER.findall(line["text"])) <= set(_NUMBER.findall(f"{whole} {line['day']}"))


def _lines(told: _ByLog, right: Sequence[Correction], log: _Log, audience: Audience) -> tuple[str, ...]:
    """What a chronicle says of a log: what a model said or else the rules, but for what was corrected."""
    found = told.get((log.name, log.version, audience)) or _by_rules(log, audience)
    return tuple(line for line in found if against(right, line) is None)


def _by_rules(log: _Log, audience: Audience) -> tuple[str, ...]:
    """What these entries say, in their own words: a line for each, or for some together where there are many."""
    entries = log.entries[audience]
    size = -(-len(entries) // _MOST_LINES)
    groups = [entries[start : start + size] for start in range(0, len(entries), size)]
    return tuple(line for group in groups if (line := _line(log, group)))


def _line(log: _Log, entries: Sequence[Entry]) -> str:
    """What some entries say, in one line: all of it where that is short, else the sentences that tell most."""
    start = datetime(log.day.year, log.day.month, log.day.day, tzinfo=UTC)
    texts = [" ".join(_once(sentences(_text(entry)))) for entry in entries]
    whole = " ".join(filter(None, texts))
    if len(whole) > _LINE:
        said = [SummaryMessage("", text, start, agent=False, heard=True) for text in texts if text]
        items = [item for item in summarised(said).items if item.section == SUMMARY]
        events = [line.partition(": ")[2] for item in items for line in item.children if line.startswith(_POINTS)]
        whole = " ".join(_once(sentence for event in events for sentence in sentences(event))) or whole
    return _timed(entries[0], whole) if whole.strip() else ""


def _once(some: Iterable[str]) -> list[str]:
    """The sentences, none twice: what came of something is often told in the same words."""
    found: dict[str, str] = {}
    for sentence in some:
        found.setdefault(folded(_SPEAKER.sub("", sentence)).rstrip(" .!?。！？"), sentence)
    return list(found.values())


def _text(entry: Entry) -> str:
    """What an entry says, without who, where and the way to the session's file."""
    lines = entry.body.split("\n")
    lines = lines[1:] if entry.form is Form.DATED else lines
    kept = (line for line in lines if not _FIELD.match(line) and not _LINK.match(line))
    return "\n".join(cleaned(line).lstrip("#>-*+ \t") for line in kept).strip()


def _timed(entry: Entry, text: str) -> str:
    """A line with the time its entry has."""
    clock = _CLOCK.match(entry.section) if entry.form is Form.DATED else None
    line = shortened(cleaned(text), _LINE)
    return f"{clock[1]} {line}" if clock else line


def _about(log: _Log, audience: Audience) -> str:
    """What an item of the chronicle begins with: where it was and with whom, as the diary says."""
    private = counted(log.private, "private entry", "private entries") if log.private and audience == OWNER else ""
    entries = log.entries.get(audience, ())
    usual = "" if private and not entries else "no entries" if log.is_empty else "the diary"
    said = [_with_whom(entries) or usual, private and f"{private} of others, in the archive alone"]
    return "; ".join(filter(None, said))


def _with_whom(entries: Iterable[Entry]) -> str:
    """Where it was and with whom, as the diary says."""
    found: dict[str, None] = {}
    for entry in entries:
        for line in entry.body.split("\n")[1:6]:
            if match := _FIELD.match(line):
                found[shortened(cleaned(match[2]), 60)] = None
    return ", ".join(list(found)[:8])


# what is written


def _archived(tidying: TidyOptions, logs: Sequence[_Log], lines: _Lines) -> Generator[Question, Any, list[ChangeSet]]:
    """The changes that tell these logs of one month and put them away."""
    month = Name(tidying.workspace, chronicle(logs[0].day))
    there = yield Listed((Kind.ARCHIVE,))
    chronicles = parts(month, there)
    days = _by_day(there)
    files = {log.name: days[log.day.isoformat()] for log in logs}
    standing = yield Read((*chronicles, *(name for some in files.values() for name in some)))
    known = _known({name: document(name, standing[name]) for name in chronicles})
    shelf = Shelf(chronicles, standing, limits.MAX_LOG_SIZE)
    moved: defaultdict[tuple[bool, Origin], list[tuple[_Log, Name]]] = defaultdict(list)
    operations: defaultdict[tuple[bool, Origin], list[Operation]] = defaultdict(list)
    for log in logs:
        copy = next((name for name in files[log.name] if standing.get(name) == log.data), None)
        to = copy or _free(log, files[log.name], tidying.workspace)
        # What rests on untrusted words makes a whole change untrusted, so such days have a separate one.
        which = copy is None, log.origin
        moved[which].append((log, to))
        operations[which] += [*_told(log, lines, known, shelf), Delete(log.name) if copy else Rename(log.name, to)]
    return [_change(tidying, month, moved[which], operations[which], is_new=which[0]) for which in moved]


def _change(
    tidying: TidyOptions, month: Name, moved: Sequence[tuple[_Log, Name]], operations: list[Operation], *, is_new: bool
) -> ChangeSet:
    """The change that puts some logs away, with its block of the log."""
    logs = [log for log, _ in moved]
    rule = f"Old days: summarised in {month.path}, moved unchanged. `oldsoul days --restore DATE` restores one."
    lines = [rule, *(f"{log.name.path} → {to.path}" for log, to in moved)]
    return ChangeSet(
        (*operations, tidying.logged(f"Daily logs: {counted(len(logs), 'day', 'days')}", lines)),
        AUTHOR if is_new else RETENTION,
        "old daily logs summarised and archived" if len(logs) > 1 else "old daily log summarised and archived",
        tidying.key("days" if is_new else "days again", *(log.name for log in logs)),
        tuple(
            Evidence(str(log.name), log.origin, who) for log in logs for who in sorted(log.entries, key=str) or [OWNER]
        ),
        versions={log.name: version_of(log.data) for log in logs},
    )


def _by_day(names: Iterable[Name]) -> defaultdict[str, list[Name]]:
    """The logs the archive holds, by the day they are of."""
    found: defaultdict[str, list[Name]] = defaultdict(list)
    for name in names:
        if name.path.startswith(ARCHIVE) and name.path.count("/") == ARCHIVE.count("/"):
            found[name.path.removeprefix(ARCHIVE)[:10]].append(name)
    return found


def _free(log: _Log, taken: list[Name], workspace: str) -> Name:
    """Where a log goes: its own name in the archive, or the next that is free."""
    to = Name(workspace, f"{ARCHIVE}{log.name.path.removeprefix('memory/')}")
    day = Name(workspace, f"{ARCHIVE}{log.day}.md")
    number = 2
    while to in taken:
        to, number = part(day, number), number + 1
    taken.append(to)
    return to


_Known = dict[tuple[str, str], tuple[Name, "Entry"]]


def _known(chronicles: Mapping[Name, Document | None]) -> _Known:
    """What chronicles tell already: by log and audience."""
    return {
        (entry.fields["src"], entry.fields.get("aud", "")): (name, entry)
        for name, parsed in chronicles.items()
        if parsed is not None
        for entry in parsed.entries
        if "src" in entry.fields
    }


def _told(log: _Log, lines: _Lines, known: _Known, shelf: Shelf) -> Iterator[Operation]:
    """The operations that tell a log: for each audience an item; one that told an older text of it tells this one."""
    audiences = {*log.entries, *([OWNER] if log.private or not log.entries else [])}
    for audience in sorted(audiences, key=str):
        mark = marked(audience)
        fields = {
            "conf": f"{INFERRED:g}",
            "seen": log.day.isoformat(),
            "src": log.name.path,
            "ver": log.version,
            **mark,
        }
        about = _about(log, audience)
        below = lines(log, audience) if audience in log.entries else ()
        place, before = known.get((log.name.path, mark.get("aud", "")), (None, None))
        if before is None or place is None:
            name = shelf.place(sum(2 * len(line.encode()) + 8 for line in (about, *below)) + 300)
            yield Add(name, about, title=log.day.isoformat(), children=below, fields=fields)
        elif before.fields.get("ver") != log.version:
            yield Replace(place, before.id, f"**{log.day}**: {about}", fields=fields, children=below)
