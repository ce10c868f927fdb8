"""The conflict detector: what was written lately beside what it may contradict, settled by S4's rules or put to the operator.

Rules compare across audiences, since they tell nobody; a model is asked only about entries of one audience. Words of one
person's own memory are never quoted in CONFLICTS.md: they are named by their place alone.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.judging.conflicts.contradicting import contradictions
from oldsoul.judging.corrections.corrections import blocks, corrections
from oldsoul.judging.corrections.hiding import against
from oldsoul.keepers.questions import UNSUPPORTED, Find, Findings, Listed, Messages, Read, asked
from oldsoul.keepers.settle_conflicts import KEEPER, OPEN, Clash, Line, Looking, settled
from oldsoul.language.sentences import sentences
from oldsoul.rules.audience import seen_by
from oldsoul.rules.retention import SUPERSEDED, superseded_by
from oldsoul.values.audience import OWNER, Reach
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Kind, Name, keeper_prompt
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from oldsoul.documents import Document
    from oldsoul.keepers.questions import Keeper, Question
    from oldsoul.values.audience import Audience
    from oldsoul.values.changes import ChangeSet
    from oldsoul.values.messages import Message
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


def detect(looking: Looking) -> Keeper:
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


def _lines(looking: Looking) -> Generator[Question, Any, tuple[list[Line], set[str]]]:
    """The entries as they stand, and the pairs that CONFLICTS.md has already."""
    conflicts = Name(looking.workspace, "CONFLICTS.md")
    names = yield Listed(COMPARED)
    documents = yield Read((*names, conflicts))
    lines = [
        Line(name, entry, seen_by(name, entry))
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


def _said(looking: Looking, lines: Sequence[Line]) -> Generator[Question, Any, list[Line]]:
    """What the operator said within a day, sentence by sentence, and what session files of these days tell."""
    wanted = Wanted(since=looking.now - timedelta(days=1), newest_first=True, limit=_MOST_SAID)
    messages: list[Message] = yield Messages(wanted)
    taken = {line.entry.fields.get("src") for line in lines}
    found = [
        Line(Name(looking.workspace, "MEMORY.md"), entry, each.audience, message=each)
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
        Line(name, entry, seen_by(name, entry))
        for name, data in documents.items()
        for entry in parse(data or b"").entries
        if entry.form in (Form.ITEM, Form.NUMBERED) and entry.done is None
    ]


def _against_talk(lines: Sequence[Line], talk: Sequence[Line]) -> list[Clash]:
    """Entries that contradict what was said, or what a session file tells, before the same audience."""
    both = [*lines, *talk]
    return [
        Clash(one, other, pair.judgement.why)
        for pair in contradictions([line.words for line in both], range(len(lines), len(both)))
        if (one := both[pair.i]).is_talk != (other := both[pair.j]).is_talk
        and one.audience == other.audience
        and pair.judgement.score >= _SURE_SAID
    ]


def _corrected(looking: Looking, lines: Sequence[Line]) -> Generator[Question, Any, list[Clash]]:
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
            right = Line(name, entry, OWNER if not broken.place else line.audience, broken.means)
            found.append(Clash(right, line, f"{broken.old!r} was corrected to {broken.new!r} on {broken.day}"))
    return found


def _known(conflicts: Document, lines: Sequence[Line]) -> set[str]:
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


def _is_fresh(line: Line, looking: Looking) -> bool:
    return line.entry.id in looking.fresh or (line.day is not None and line.day >= looking.since)


def _asked(
    looking: Looking, lines: Sequence[Line], fresh: Iterable[int], found: set[str], notes: list[str]
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
    looking: Looking, audience: Audience, pairs: Sequence[tuple[Line, Line]], notes: list[str]
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
