"""The memory miner: decisions, lessons, knowledge and events, taken out of what was said, each with who said it and when.

By rules it keeps what was asked for, decided or stated plainly, in the person's own words; what merely looks telling is
suggested. A model extracts freely, and every entry quotes the message it rests on. Whoever finds it: nothing goes where
more people read than heard it, nothing is said twice, and nothing stands against a correction.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, tzinfo
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form
from oldsoul.documents.model import folded
from oldsoul.judging.contradictions import judged, with_superseded
from oldsoul.judging.corrections.corrections import Correction
from oldsoul.judging.corrections.hidden import against
from oldsoul.judging.mining import Nugget, dated, nuggets
from oldsoul.keepers.current_documents import documents, standing_corrections
from oldsoul.keepers.questions import (
    NUMBER,
    UNSUPPORTED,
    Find,
    Findings,
    Keeper,
    Match,
    Question,
    asked,
    choice,
    is_quoted,
    items,
    numbered,
    record,
    text,
)
from oldsoul.language.sentences import shortened
from oldsoul.language.words import telling, words
from oldsoul.reading.typed_values import agree, comparable, typed_values
from oldsoul.rules.audience import seen_by
from oldsoul.rules.confidence import MOST_REPEATED, base, mention_key, origin_of, said_again
from oldsoul.rules.diary import attributed, speaker, unmarked
from oldsoul.rules.options import ConfidenceOptions
from oldsoul.rules.own_words import stated
from oldsoul.rules.policy import confidence_cap
from oldsoul.values.audience import OWNER, Audience, Reach
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role, SetField
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message
from oldsoul.values.names import Name, keeper_prompt, room
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Entry

KEEPER = "memory-miner"
AUTHOR = Author(Role.KEEPER, KEEPER)
SECTIONS = {"decision": "Decisions", "event": "Events", "skill": "Skills", "knowledge": "Knowledge"}
MOST_SUGGESTED = 10
"""How many suggestions there are in a week."""
SUGGESTED = "it looks worth keeping"
"""Why something is suggested; its score stands behind it."""
_SAME, _SAME_WORDS = 0.9, 0.8
_FRESH = 3
"""So many words that an entry has not make a statement more than a repeat of it."""
_MOST_ITEMS = 40
_MOST_TOLD = 2000
"""So many characters of a message a model is told."""
_MOST_TEXT = 400

SCHEMA = record(
    items=items(
        _MOST_ITEMS, record(tag=choice(*SECTIONS), text=text(_MOST_TEXT), message=NUMBER, quote=text(_MOST_TOLD))
    ),
)
"""The form of a model's answer."""


@frozen
class Batch:
    """What was said before one audience, and was not mined yet."""

    workspace: str
    """whose memory"""
    zone: tzinfo
    """the agent's time zone"""
    today: date
    """the local day of the run"""
    audience: Audience
    """who heard it"""
    room: str
    """the room it was said in; empty for the operator's own talk"""
    messages: tuple[Message, ...]
    """what was said, in order; an entry of a daily log is one without a number, whose key says where it stands"""
    confidence: ConfidenceOptions
    """how sure memories are"""
    suggestions: int = MOST_SUGGESTED
    """how many suggestions it may make"""

    @property
    def target(self) -> Name:
        """Where it is kept."""
        return room(self.workspace, self.room) if self.room else Name(self.workspace, "MEMORY.md")


@frozen
class _Found:
    """A statement, the message it rests on, and whether it is in the person's own words."""

    nugget: Nugget
    message: Message
    ordinal: int
    verbatim: bool = True

    @property
    def ref(self) -> str:
        """Where it was said: a message, or an entry of a daily log."""
        return f"m:{self.message.id}" if self.message.id > 0 else self.message.key

    @property
    def origin(self) -> Origin:
        return self.message.origin if self.verbatim else self.message.origin.weaker(Origin.AGENT)

    @property
    def line(self) -> str:
        """The statement with who said it; without a name, where it speaks of whoever says it."""
        return attributed(self.nugget.text, speaker(self.message, self.nugget.text))


def mine(batch: Batch) -> Keeper:
    """What becomes of what was said."""
    said = _in_order(batch.messages)
    if not said:
        return Findings()
    answer = yield from _asked(batch, said)
    notes: list[str] = []
    found = _by_rules(batch, said) if answer is None else _of_model(batch, answer, said, notes)
    if not found:
        return Findings(notes=tuple(notes))
    known = yield from _known(batch)
    right = _counting_for(batch, (yield from standing_corrections()))
    corrected = {one.source for one in right if not one.said}  # else it may well say more than what the agent had wrong
    fitting: list[_Found] = []
    for one in found:
        if one.ref in corrected:
            continue  # the validator put it where it belongs
        wrong = against([each for each in right if _counts_for(batch, one, each)], one.nugget.text)
        if wrong is None:
            fitting.append(one)
        elif one.nugget.is_plain:
            notes.append(f"left out because it contradicts the correction of {wrong.day}: {one.ref}")
    matches = yield Find(
        tuple(one.nugget.text for one in fitting), tuple(_words(entry) for entry in known), _SAME, _SAME_WORDS
    )
    sets = _sets(batch, fitting, matches, known)
    return Findings(tuple(sets), tuple(notes), {"read": str(len(said)), "found": str(len(fitting))})


def _counting_for(batch: Batch, right: Sequence[Correction]) -> list[Correction]:
    """The corrections that count for what an audience said; in a room, those made alone as if they named no right value.

    What a room's memory keeps must not tell what was corrected elsewhere: not by a sentence that is kept because the
    right value stands in it, and not by one that is refused when values are tried out afterwards.
    """
    if batch.audience == OWNER:
        return list(right)
    here = str(batch.audience)
    return [one if one.place == here else replace(one, new="") for one in right if one.place in ("", here)]


def _counts_for(batch: Batch, said: _Found, one: Correction) -> bool:
    return batch.audience == OWNER or bool(one.place) or _was_before(batch, said, one)


def _in_order(messages: Iterable[Message]) -> list[Message]:
    """What people said, the flagged messages first; what the agent, tools and pages say is not mined."""
    said = [m for m in messages if m.role == "user" and m.text.strip() and m.origin is not Origin.UNTRUSTED]
    return sorted(said, key=lambda m: (not any(flag.route == KEEPER for flag in m.flags), m.time, m.id))


def _was_before(batch: Batch, one: _Found, wrong: Correction) -> bool:
    day = one.message.time.astimezone(batch.zone).date().isoformat()
    number = wrong.source.removeprefix("m:")
    if day != wrong.day or one.message.id <= 0 or not number.isdecimal():
        return day <= wrong.day
    return one.message.id < int(number)


# who finds it


def _by_rules(batch: Batch, said: Sequence[Message]) -> list[_Found]:
    return [
        _Found(nugget, message, number)
        for message in said
        for number, nugget in enumerate(nuggets(message.text, message.time.astimezone(batch.zone).date()))
    ]


def _asked(batch: Batch, said: Sequence[Message]) -> Generator[Question, Any, Mapping[str, Any] | None]:
    lines = [
        f"#{number} {m.time.astimezone(batch.zone):%Y-%m-%d %H:%M} {m.sender or m.role}"
        f"{' (flagged)' if any(f.route == KEEPER for f in m.flags) else ''}: {shortened(stated(m.text), _MOST_TOLD)}"
        for number, m in numbered(said).items()
    ]
    task = (
        f"What was said before {batch.audience}, for {batch.target.path}. Messages of people alone are given.\n"
        "Each item rests on one message: its number, and words of it quoted letter for letter."
    )

    def problem(answer: Mapping[str, Any]) -> str:
        return "" if not answer["items"] or _of_model(batch, answer, said, []) else UNSUPPORTED

    return (
        yield from asked(keeper_prompt(batch.workspace, KEEPER), task, lines, SCHEMA, batch.audience, problem=problem)
    )


def _of_model(batch: Batch, answer: Mapping[str, Any], said: Sequence[Message], notes: list[str]) -> list[_Found]:
    """What a model found, as far as each item quotes what was really said."""
    by_number = numbered(said)
    found: list[_Found] = []
    for number, raw in enumerate(answer["items"]):
        message, text = by_number.get(raw["message"]), raw["text"].strip()
        if message is None or not is_quoted(raw["quote"], stated(message.text)):
            notes.append(f"the model's item was rejected, no message supports it: {shortened(text, 80)}")
            continue
        if not words(text):
            continue
        verbatim = folded(text) in folded(stated(message.text))
        day = message.time.astimezone(batch.zone).date()
        nugget = Nugget(dated(shortened(text, _MOST_TEXT), day), raw["tag"], "model", 0.0)
        found.append(_Found(nugget, message, number, verbatim))
    return found


# what is known


def _known(batch: Batch) -> Generator[Question, Any, list[Entry]]:
    """The entries of the document it goes to, as they stand now."""
    found = yield from documents([batch.target])
    return [
        e
        for document in found.values()
        for e in document.entries
        if e.form in (Form.ITEM, Form.NUMBERED) and e.done is None
    ]


def _words(entry: Entry) -> str:
    """An entry's words without its date, its title's stars and who said it."""
    text = entry.text.partition(" (added ")[0]
    text = text.partition("**: ")[2] if entry.title and "**: " in text else text.replace("**", "")
    who, colon, rest = text.partition(": ")
    who = unmarked(who)
    return rest if colon and len(who.split()) <= 2 else text  # noqa: PLR2004 - a first and a last name


def says_the_same(one: str, other: str) -> bool:
    """Whether two texts that are alike say the same: nothing that one states differs in the other, nor is it new there."""
    mine, theirs = typed_values(one), typed_values(other)
    if len(mine) != len(theirs) or any(not any(comparable(v, w) and agree(v, w) for w in theirs) for v in mine):
        return False
    if judged(one, other) is not None or _named(one) != _named(other):
        return False
    return len(telling(one) - telling(other)) < _FRESH


def _named(text: str) -> frozenset[str]:
    return frozenset(word.strip(".,;:!?'\"()").casefold() for word in text.split()[1:] if word[:1].isupper())


# what is written


def _sets(
    batch: Batch, found: Sequence[_Found], matches: Sequence[Sequence[Match]], known: Sequence[Entry]
) -> list[ChangeSet]:
    told: dict[str, list[ChangeSet]] = {}
    suggested: list[_Found] = []
    for one, alike in zip(found, matches, strict=True):
        said = one.nugget.text
        entry = next((known[m.number] for m in alike if says_the_same(said, _words(known[m.number]))), None)
        before = next((text for text in told if says_the_same(said, text) and telling(said) <= telling(text)), None)
        if before is not None:  # said twice since the last run
            told[before] = [_twice(batch, made, one) for made in told[before]]
        elif entry is not None:
            told[said] = _again(batch, one, entry)
        elif one.nugget.is_plain:
            told[said] = [with_superseded(_added(batch, one), known)]
        else:
            suggested.append(one)
    best = sorted(suggested, key=lambda one: (-one.nugget.rank, one.message.id))[: batch.suggestions]
    sets = [made for some in told.values() for made in some]
    return [*sets, *(replace(_added(batch, one), suggested=True) for one in best)]


def _added(batch: Batch, one: _Found) -> ChangeSet:
    day = one.message.time.astimezone(batch.zone).date().isoformat()
    sure = base(one.origin, explicit=one.verbatim and one.nugget.is_plain)
    fields = {"conf": f"{sure:g}", "seen": day, "src": one.ref}
    section = SECTIONS[one.nugget.tag]
    add = Add(batch.target, one.line, section=section, tag=one.nugget.tag, added=day, fields=fields)
    why = f"{one.nugget.why}, in {batch.room}" if batch.room else one.nugget.why
    reason = f"mined: {why}" if one.nugget.is_plain else f"{SUGGESTED} ({one.nugget.rank:.2f})"
    return ChangeSet((add,), AUTHOR, reason, f"mine:{one.ref.removeprefix('m:')}:{one.ordinal}", _evidence(one))


def score(reason: str) -> float:
    """The score of a suggestion, by the reason it gives; 0 where it tells none."""
    found = re.search(r"\((-?[\d.]+)\)$", reason)
    return float(found[1]) if found else 0.0


def _twice(batch: Batch, made: ChangeSet, one: _Found) -> ChangeSet:
    """A new entry with one more message that says it; somebody weaker makes it no surer, and a known entry counts one a run."""
    add = made.operations[0]
    if not isinstance(add, Add) or any(e.ref == one.ref or e.origin.rank < one.origin.rank for e in made.evidence):
        return made
    sure = min(
        float(add.fields["conf"]) + batch.confidence.boost_per_mention, confidence_cap(one.origin), MOST_REPEATED
    )
    day = one.message.time.astimezone(batch.zone).date().isoformat()
    fields = {**add.fields, "conf": f"{round(sure, 4):g}", "seen": day, "n": str(int(add.fields.get("n", "1")) + 1)}
    operations = (replace(add, fields=fields), *made.operations[1:])
    return replace(made, operations=operations, evidence=(*made.evidence, *_evidence(one)))


def _again(batch: Batch, one: _Found, entry: Entry) -> list[ChangeSet]:
    """That an entry was said again; a weaker repeat leaves it as it is."""
    if one.origin.rank > origin_of(entry).rank or one.ref == entry.fields.get("src"):
        return []
    if not seen_by(batch.target, entry).fits(one.message.audience) and batch.audience != OWNER:
        return []
    day = one.message.time.astimezone(batch.zone).date()
    values = said_again(entry, one.origin, day, batch.confidence)
    operations = tuple(SetField(batch.target, key, value, entry.id) for key, value in values.items())
    return [ChangeSet(operations, AUTHOR, "mentioned again", mention_key(one.ref, entry.id), _evidence(one))]


def _evidence(one: _Found) -> tuple[Evidence, ...]:
    said = Evidence(one.ref, one.origin, one.message.audience, one.nugget.text if one.verbatim else "")
    return (said,)


def is_mined(audience: Audience) -> bool:
    """Whether talk before this audience is the miner's: the operator's own, and rooms'; another's stays where they have it."""
    return audience == OWNER or audience.reach is Reach.ROOM
