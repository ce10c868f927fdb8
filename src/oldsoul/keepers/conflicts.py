"""What becomes of two memories that disagree: settled by S4's rules, or put to the operator."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.documents.marks import new_id
from oldsoul.judging.contradictions import contradictions
from oldsoul.judging.corrections.corrections import blocks, corrections
from oldsoul.judging.corrections.hidden import against
from oldsoul.judging.corrections.values import matter
from oldsoul.keepers.questions import UNSUPPORTED, Find, Findings, Keeper, Listed, Messages, Question, Read, asked
from oldsoul.language.sentences import sentences, shortened
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import is_corrected, last_seen, origin_of, read_day
from oldsoul.rules.diary import offset
from oldsoul.rules.retention import SUPERSEDED, superseded_by
from oldsoul.values.audience import OWNER, Audience, Reach, merged
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Move, Operation, Replace, Role, SetField
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.names import Kind, Name, keeper_prompt
from oldsoul.values.origin import Origin, weakest

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry


KEEPER = "conflict-detector"
AUTHOR = Author(Role.KEEPER, KEEPER)
OPEN, SETTLED = "open", "settled"
NEWER_DAYS = 30
_TIMELY = ("event", "knowledge", "decision")
_MOST_WORDS = 300


@frozen
class DetectorInput:
    """What the detector is told."""

    workspace: str
    """whose memory"""
    now: datetime
    """the time of the run, in the agent's zone"""
    since: date
    """entries that were seen on this day or later are compared"""
    fresh: frozenset[str]
    """further entries that changed lately, by their ids"""
    ours: frozenset[str] = frozenset()
    """what stands in files from the beginning, which is nobody's memory"""
    corrections: tuple[Name, ...] = ()
    """the logs of corrections, those in the archive too, the oldest first"""


@frozen
class ComparedEntry:
    """An entry that is compared."""

    name: Name
    """the document; of a message, the one it is held beside"""
    entry: Entry
    audience: Audience
    says: str = ""
    """what is right, of a correction"""
    message: Message | None = None
    """the message it is a sentence of, where it is no entry"""

    @property
    def id(self) -> str:
        """The entry's, or the message's."""
        return self.entry.id if self.message is None else f"m:{self.message.id}"

    @property
    def is_talk(self) -> bool:
        """Whether it was said, or tells of a conversation: it stays as it is."""
        return self.message is not None or self.name.kind is Kind.SESSION

    @property
    def words(self) -> str:
        """What it says, without who says it and when it was added."""
        if self.says:
            return self.says
        text = self.entry.text.partition(" (added ")[0].replace("**", "")
        who, colon, rest = text.partition(": ")
        return rest if colon and not self.entry.title and len(who.split()) <= 2 else text  # noqa: PLR2004 - a name

    @property
    def day(self) -> date | None:
        """When it was said, or last seen."""
        if self.message is not None:
            return self.message.time.date()
        return read_day(self.entry.title or self.entry.section) if self.says else last_seen(self.entry)

    @property
    def is_direct(self) -> bool:
        """Whether it was said in conversation."""
        return self.entry.fields.get("src", "").startswith("m:")

    @property
    def is_correction(self) -> bool:
        """Whether the operator put something right by it."""
        return bool(self.says) or is_corrected(self.entry)

    @property
    def origin(self) -> Origin:
        """Whose word it is."""
        return origin_of(self.entry) if self.message is None else self.message.origin

    @property
    def told(self) -> str:
        """It as CONFLICTS.md may have it: a person's own words are not repeated there."""
        place = f"{self.name.path}, {self.id}" if self.message is None else self.id
        day = f", {self.day.isoformat()}" if self.day else ""
        if self.audience.reach is Reach.PERSON:
            return f"an entry of somebody's own memory ({place}{day})"
        return f"{shortened(self.words, _MOST_WORDS)} ({place}{day})"


@frozen
class Clash:
    """Two entries that cannot both be true."""

    one: ComparedEntry
    other: ComparedEntry
    why: str

    @property
    def key(self) -> str:
        """Names the two, in either order."""
        return ":".join(sorted((self.one.id, self.other.id)))


def _topic(words: str) -> frozenset[str]:
    """What an entry is about, without its values."""
    return matter(words, " ".join(value.said for value in typed_values(words)), "")


def winner(one: ComparedEntry, other: ComparedEntry) -> tuple[ComparedEntry, str] | None:
    """Which of two entries wins without asking, and by which rule; None when the operator has to say."""
    if one.is_correction != other.is_correction:
        right, wrong = (one, other) if one.is_correction else (other, one)
        later = str(wrong.day or "") > str(right.day or "") and right.says
        if later and wrong.origin is Origin.OPERATOR:
            return None  # the operator wrote it again, and may mean it
        if not right.says and wrong.origin is Origin.OPERATOR and _topic(right.words) != _topic(wrong.words):
            return None  # the operator's own words, perhaps about something else: `the wedding`, `the wedding photographer`
        return right, "the operator's correction wins"
    if one.day is None or other.day is None or one.audience != other.audience:
        return None
    older, newer = sorted((one, other), key=lambda line: str(line.day))
    apart = (newer.day - older.day).days if newer.day and older.day else 0
    if apart >= NEWER_DAYS and newer.is_direct and {older.entry.tag, newer.entry.tag} <= {*_TIMELY}:
        if newer.origin.rank > older.origin.rank:
            return None  # a weaker word does not take the place of a stronger one
        return newer, f"said {apart} days later"
    return None


def settled(looking: DetectorInput, clash: Clash) -> list[ChangeSet]:
    """The block of CONFLICTS.md, and what is done: the loser goes, or the operator is asked whether the older one shall."""
    talk = clash.one.is_talk or clash.other.is_talk
    won = None if talk else winner(clash.one, clash.other)
    if won is not None and won[0].audience != OWNER and _loser(clash, won[0]).audience != won[0].audience:
        won = None  # what some may not see decides nothing before them
    by_hand = won is None and not talk and clash.one.audience == clash.other.audience
    block = _block(looking, clash, won)
    key = f"conflict:{clash.key}:{looking.now:%Y-%m-%d}"
    evidence = _evidence(clash)
    if won is not None:
        loser = _loser(clash, won[0])
        operations = (block, *gone(loser, looking))
        return [ChangeSet(operations, AUTHOR, f"two entries contradict each other: {won[1]}", key, evidence)]
    noted = ChangeSet((block,), AUTHOR, "two entries contradict each other", key, evidence)
    if not by_hand or clash.one.says or clash.other.says:
        return [noted]
    older = min(clash.one, clash.other, key=lambda line: (str(line.day or ""), line.entry.line))
    stays = _loser(clash, older)
    settled = _block(looking, clash, (stays, "the operator decided"))
    settling = Replace(block.name, new_id(key, 0), settled.text, settled.fields)
    asked = ChangeSet(
        (*gone(older, looking), settling),
        AUTHOR,
        "two entries contradict each other: keep the newer one?",
        f"{key}:keep",
        evidence,
    )
    return [noted, replace(asked, suggested=True)]


def _loser(clash: Clash, won: ComparedEntry) -> ComparedEntry:
    return clash.other if won is clash.one else clash.one


def gone(line: ComparedEntry, looking: DetectorInput) -> list[Operation]:
    """An entry that another one replaced: marked, so that it is not searched, and archived."""
    archive = Name(looking.workspace, f"Archive/Memory/{looking.now:%Y-%m}.md")
    marks: list[Operation] = [
        SetField(line.name, "status", SUPERSEDED, line.entry.id),
        SetField(line.name, "since", looking.now.date().isoformat(), line.entry.id),
    ]
    return [*marks, Move(line.name, line.entry.id, to=archive)] if line.name.kind is Kind.MEMORY else marks


def gone_with(line: ComparedEntry) -> list[str]:
    """What is not found any more when an entry goes: it, and the message it was taken from."""
    return [line.id, *([line.entry.fields["src"]] if line.is_direct else [])]


def _block(looking: DetectorInput, clash: Clash, won: tuple[ComparedEntry, str] | None) -> Add:
    private = Reach.PERSON in (clash.one.audience.reach, clash.other.audience.reach)
    lines = [
        f"**One:** {clash.one.told}",
        f"**Other:** {clash.other.told}",
        f"**Why:** {'they state different values' if private else shortened(clash.why, _MOST_WORDS)}",
        f"**Outcome:** {f'settled: {won[1]}, {won[0].entry.id} stays' if won else 'open, for the operator to decide'}",
    ]
    fields = {
        "between": ",".join(sorted((clash.one.id, clash.other.id))),
        "status": SETTLED if won else OPEN,
        **({"supersedes": ",".join(gone_with(_loser(clash, won[0])))} if won else {}),
    }
    return Add(
        Name(looking.workspace, "CONFLICTS.md"),
        "\n".join(lines),
        title=f"{looking.now:%Y-%m-%d %H:%M} {offset(looking.now)}",
        fields=fields,
    )


def _evidence(clash: Clash) -> tuple[Evidence, ...]:
    """Both entries; of two people's own, the owner's, whose the conflict is."""
    both = (clash.one, clash.other)
    origin = weakest(line.origin for line in both)
    audience = merged(OWNER if line.audience.reach is Reach.PERSON else line.audience for line in both)
    ref = ",".join(f"{line.name.path}#{line.id}" if line.message is None else line.id for line in both)
    return (Evidence(ref, origin, audience),) if origin else ()


COMPARED = (Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.USER)
"""The documents whose entries are compared with one another."""
_MOST_SAID, _SURE_SAID = 500, 0.76
"""So many messages of the operator are held beside them, and what they contradict so surely is noted."""
_ALIKE, _ALIKE_WORDS = 0.8, 0.3
_MOST_ASKED = 30

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["contradictions"],
    "properties": {
        "contradictions": {
            "type": "array",
            "maxItems": _MOST_ASKED,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["pair", "why"],
                "properties": {"pair": {"type": "integer"}, "why": {"type": "string", "maxLength": 300}},
            },
        }
    },
}
"""The form of a model's answer."""


def detect(looking: DetectorInput) -> Keeper:
    """What disagrees with what, and what becomes of it."""
    lines, known = yield from _lines(looking)
    fresh = {n for n, line in enumerate(lines) if _is_fresh(line, looking)}
    talk = yield from _said(looking, lines)
    if not fresh and not talk:
        return Findings(facts={"compared": "0"})
    found = [
        Clash(lines[pair.i], lines[pair.j], pair.judgement.why)
        for pair in contradictions([line.words for line in lines], fresh)
    ]
    found += _against_talk(lines, talk)
    notes: list[str] = []
    found += yield from _asked(looking, lines, fresh, {clash.key for clash in found}, notes)
    found += yield from _corrected(looking, [lines[number] for number in sorted(fresh)])
    sets: list[ChangeSet] = []
    for clash in found:
        if clash.key not in known:
            sets += settled(looking, clash)
    return Findings(tuple(sets), tuple(notes), {"compared": str(len(fresh)), "found": str(len(found))})


def _lines(looking: DetectorInput) -> Generator[Question, Any, tuple[list[ComparedEntry], set[str]]]:
    """The entries as they stand, and the pairs that CONFLICTS.md has already."""
    conflicts = Name(looking.workspace, "CONFLICTS.md")
    names = yield Listed(COMPARED)
    documents = yield Read((*names, conflicts))
    lines = [
        ComparedEntry(name, entry, seen_by(name, entry))
        for name, data in documents.items()
        if name != conflicts
        for entry in parse(data or b"").entries
        if entry.form in (Form.ITEM, Form.NUMBERED)
        and entry.done is None
        and entry.fields.get("status") != SUPERSEDED
        and not superseded_by(entry)
        and entry.text not in looking.ours
    ]
    return lines, _known(parse(documents[conflicts] or b"", is_log=True), lines)


def _said(looking: DetectorInput, lines: Sequence[ComparedEntry]) -> Generator[Question, Any, list[ComparedEntry]]:
    """What the operator said within a day, sentence by sentence, and what session files of these days tell."""
    wanted = Wanted(since=looking.now - timedelta(days=1), newest_first=True, limit=_MOST_SAID)
    messages: list[Message] = yield Messages(wanted)
    taken = {line.entry.fields.get("src") for line in lines}
    found = [
        ComparedEntry(Name(looking.workspace, "MEMORY.md"), entry, each.audience, message=each)
        for each in messages
        if each.role == "user" and each.origin is Origin.OPERATOR and f"m:{each.id}" not in taken
        for sentence in sentences(each.text)
        for entry in parse(f"- {sentence}".encode()).entries[:1]
    ]
    names: Sequence[Name] = yield Listed((Kind.SESSION,))
    documents = yield Read(
        tuple(name for name in names if (name.path.split("/")[1:2] or [""])[0] >= str(looking.since))
    )
    return found + [
        ComparedEntry(name, entry, seen_by(name, entry))
        for name, data in documents.items()
        for entry in parse(data or b"").entries
        if entry.form in (Form.ITEM, Form.NUMBERED) and entry.done is None
    ]


def _against_talk(lines: Sequence[ComparedEntry], talk: Sequence[ComparedEntry]) -> list[Clash]:
    """Entries that contradict what was said, or what a session file tells, before the same audience."""
    both = [*lines, *talk]
    return [
        Clash(one, other, pair.judgement.why)
        for pair in contradictions([line.words for line in both], range(len(lines), len(both)))
        if (one := both[pair.i]).is_talk != (other := both[pair.j]).is_talk
        and one.audience == other.audience
        and pair.judgement.score >= _SURE_SAID
    ]


def _corrected(looking: DetectorInput, lines: Sequence[ComparedEntry]) -> Generator[Question, Any, list[Clash]]:
    """Entries that say again what a correction calls wrong."""
    documents = yield Read(looking.corrections)
    logs = [(name, parse(data or b"", is_log=True)) for name, data in documents.items()]
    blocks_by_id = {entry.id: (name, entry) for name, log in logs for entry in blocks(log)}
    standing = [one for one in corrections(logs) if one.old and one.id in blocks_by_id]
    found = []
    for line in lines:
        if line.audience.reach is Reach.PERSON:
            continue  # what a person said alone stays theirs
        broken = against([one for one in standing if one.source != line.entry.fields.get("src")], line.words)
        private = not broken.place if broken is not None else False
        if broken is not None and (
            line.audience.reach is not Reach.ROOM if private else broken.place == str(line.audience)
        ):
            name, entry = blocks_by_id[broken.id]
            right = ComparedEntry(name, entry, OWNER if not broken.place else line.audience, broken.means)
            found.append(Clash(right, line, f"{broken.old!r} was corrected to {broken.new!r} on {broken.day}"))
    return found


def _known(conflicts: Document, lines: Sequence[ComparedEntry]) -> set[str]:
    """Pairs that were found before, and that nobody has reworded since."""
    seen = {line.entry.id: line.day for line in lines}
    known = set()
    for entry in conflicts.entries:
        pair = sorted(filter(None, entry.fields.get("between", "").split(",")))
        day = max((entry.title or entry.section)[:10], entry.fields.get("settled", ""))
        changed = [found.isoformat() for one in pair if (found := seen.get(one)) is not None]
        if entry.fields.get("status", OPEN) == OPEN or all(one <= day for one in changed):
            known.add(":".join(pair))
    return known


def _is_fresh(line: ComparedEntry, looking: DetectorInput) -> bool:
    return line.entry.id in looking.fresh or (line.day is not None and line.day >= looking.since)


def _asked(
    looking: DetectorInput, lines: Sequence[ComparedEntry], fresh: Iterable[int], found: set[str], notes: list[str]
) -> Generator[Question, Any, list[Clash]]:
    """What a model finds among entries that are alike and that rules are silent about, audience by audience."""
    clashes: list[Clash] = []
    by_audience: dict[Audience, list[int]] = {}
    for number in range(len(lines)):
        by_audience.setdefault(lines[number].audience, []).append(number)
    lately = set(fresh)
    for audience, numbers in sorted(by_audience.items(), key=lambda item: str(item[0])):
        wanted = [n for n in numbers if n in lately]
        if not wanted or len(numbers) < 2:  # noqa: PLR2004 - it takes two
            continue
        matches = yield Find(
            tuple(lines[n].words for n in wanted), tuple(lines[n].words for n in numbers), _ALIKE, _ALIKE_WORDS
        )
        pairs = {
            ":".join(sorted((lines[n].entry.id, lines[numbers[m.number]].entry.id))): (
                lines[n],
                lines[numbers[m.number]],
            )
            for n, some in zip(wanted, matches, strict=True)
            for m in some
            if numbers[m.number] != n
        }
        chosen = [both for key, both in pairs.items() if key not in found][:_MOST_ASKED]
        if chosen:
            clashes += yield from _answered(looking, audience, chosen, notes)
    return clashes


def _answered(
    looking: DetectorInput, audience: Audience, pairs: Sequence[tuple[ComparedEntry, ComparedEntry]], notes: list[str]
) -> Generator[Question, Any, list[Clash]]:
    task = "Which of these pairs of memories cannot both be true now? Name a pair by its number, and say why in a few words."
    lines = [f"{n}. {one.words}\n   {other.words}" for n, (one, other) in enumerate(pairs, 1)]

    def problem(answer: Mapping[str, Any]) -> str:
        named = [raw["pair"] for raw in answer["contradictions"]]
        return "" if not named or any(1 <= pair <= len(pairs) for pair in named) else UNSUPPORTED

    prompt = keeper_prompt(looking.workspace, KEEPER)
    answer = yield from asked(prompt, task, lines, SCHEMA, audience, problem=problem)
    chosen = answer["contradictions"] if answer is not None else ()
    unknown = sum(not 1 <= raw["pair"] <= len(pairs) for raw in chosen)
    if unknown:
        notes.append(f"{unknown} of the model's findings were rejected: there are no such pairs")
    numbers = {raw["pair"]: raw["why"] for raw in chosen if 1 <= raw["pair"] <= len(pairs)}
    return [Clash(pairs[number - 1][0], pairs[number - 1][1], why) for number, why in sorted(numbers.items())]


# what becomes of it
