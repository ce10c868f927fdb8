"""The soul: what it grows by, and how that fits into SOUL.md."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.documents.model import stripped
from oldsoul.errors import DocumentError
from oldsoul.judging import mining as rules
from oldsoul.judging.mining import SECTIONS, SKILLS, Instruction, Principle, goes_against, is_standing, praised
from oldsoul.keepers.questions import (
    NUMBER,
    Findings,
    Keeper,
    Listed,
    Question,
    Read,
    asked,
    choice,
    is_quoted,
    items,
    numbered,
    record,
    text,
)
from oldsoul.language.words import telling
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.apply import applied
from oldsoul.rules.confidence import last_seen, origin_of
from oldsoul.rules.diary import offset
from oldsoul.rules.own_words import stated
from oldsoul.rules.policy import SOUL_KEEPER, is_correction
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, ChangeSet, Evidence, Replace
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message
from oldsoul.values.names import Kind, Name, keeper_prompt
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry


_FIELD = re.compile(r"^\s*(?:[-*]\s+)?\*\*([\w -]{2,30}):\*\*\s*(.*?)\s*$", re.MULTILINE)
_WITHIN = timedelta(days=30)
_OF_ONE_KIND = ("date", "time", "weekday", "number")
_ALIKE = 0.5
_LOOKED_AT = 50
_NAME = re.compile(r"[A-Z][a-z'-]+(?: [A-Z][a-z'-]+)?")


@frozen
class SoulCorrection:
    """Something the operator corrected."""

    id: str
    """the entry's id"""
    when: date
    """the day"""
    correct: str
    """what the operator said; all of the block's words where nothing tells them apart"""
    old: str
    """the value that was wrong, where it is told"""
    new: str
    """the value that is right, where it is told"""
    source: str
    """the message behind it, as `m:139`; empty when it is not known"""
    evidence: Evidence
    """the same, as what an edit rests on"""

    @property
    def kind(self) -> str:
        """What kind of thing was wrong; empty where its words do not tell."""
        for value in typed_values(self.new or self.correct)[:1]:
            if value.kind in _OF_ONE_KIND and (self.new or self.old):
                return value.kind
        return "name" if self.old and self.new and _NAME.fullmatch(self.new) and _NAME.fullmatch(self.old) else ""


def corrections(name: Name, data: bytes | None, now: datetime) -> list[SoulCorrection]:
    """The operator's corrections in a log, in order; an entry that anybody else stated is none."""
    entries = parse(data or b"", is_log=True).entries
    return [
        _correction_of(name, entry, now)
        for entry in entries
        if entry.form is Form.DATED and origin_of(entry) is Origin.OPERATOR
    ]


def remembered(name: Name, data: bytes | None, now: datetime) -> list[SoulCorrection]:
    """Standing instructions that the operator had remembered, as what an edit may rest on.

    What was taken out of a message is left to that message.
    """
    return [
        SoulCorrection(
            id=entry.id,
            when=last_seen(entry) or now.date(),
            correct=_words(entry),
            old="",
            new="",
            source="",
            evidence=Evidence(f"{name.workspace}/{name.path}#{entry.id}", Origin.OPERATOR, OWNER),
        )
        for entry in parse(data or b"").entries
        if entry.form in (Form.ITEM, Form.NUMBERED)
        and is_standing(entry.text)
        and origin_of(entry) is Origin.OPERATOR
        and not entry.fields.get("src", "")
    ]


def _words(entry: Entry) -> str:
    text = entry.text.partition(" (added ")[0]
    return text.partition("**: ")[2] if entry.title else text


def _correction_of(name: Name, entry: Entry, now: datetime) -> SoulCorrection:
    body = entry.body.partition("\n")[2].strip()
    fields = {key.strip().casefold(): value for key, value in _FIELD.findall(body)}
    try:
        when = date.fromisoformat(entry.title[:10])
    except ValueError:
        when = now.date()
    return SoulCorrection(
        id=entry.id,
        when=when,
        correct=fields.get("correct", "") or _FIELD.sub("", body).strip(),
        old=next((fields[label] for label in ("wrong value", "old value", "was") if label in fields), ""),
        new=next((fields[label] for label in ("right value", "new value", "now") if label in fields), ""),
        source=entry.fields.get("src", ""),
        evidence=Evidence(f"{name.workspace}/{name.path}#{entry.id}", Origin.OPERATOR, OWNER),
    )


def mistakes(found: Sequence[SoulCorrection]) -> Iterator[tuple[str, tuple[SoulCorrection, SoulCorrection]]]:
    """Mistakes that were made twice within a month: of one kind, or about nearly the same; the two corrections of each."""
    ordered = [(one, one.kind) for one in sorted(found, key=lambda one: one.when)]
    told: set[str] = set()
    start = 0
    for number, (later, kind) in enumerate(ordered):
        while later.when - ordered[start][0].when > _WITHIN:
            start += 1
        for earlier, other in reversed(ordered[max(start, number - _LOOKED_AT) : number]):
            if kind in told or (earlier.source and earlier.source == later.source):
                continue
            again = not (kind or other) and (later.new or later.old) and _alike(earlier.correct, later.correct)
            if again or (kind and kind == other):
                told.add(kind)
                yield kind, (earlier, later)
                break


def _alike(one: str, other: str) -> bool:
    a, b = telling(one), telling(other)
    return bool(a and b) and len(a & b) / len(a | b) >= _ALIKE


MOST_EDITS = 3
"""How many entries one run may add or reword."""


@frozen
class Growth:
    """What one run of the soul keeper works on."""

    workspace: str
    """whose soul"""
    now: datetime
    """the time, in the agent's zone"""
    messages: tuple[Message, ...]
    """what was said since the last run, and what was left then, in the order it came"""
    known: frozenset[str]
    """ids of the corrections and remembered instructions that were considered before"""
    pending: tuple[str, ...]
    """lines that are proposed for the soul and wait"""
    max_tokens: int
    """how many tokens the soul may have"""
    count: Callable[[str], int]
    """counts the tokens of a text"""
    most: int = MOST_EDITS
    """how many edits this run may still make"""

    def day(self, message: Message) -> date:
        """The local day of a message."""
        return message.time.astimezone(self.now.tzinfo).date()


@frozen
class Edit:
    """One entry that the soul should have."""

    principle: Principle
    """what it says"""
    evidence: tuple[Evidence, ...]
    """what it rests on"""
    source: str
    """the correction, message or entry of MEMORY.md behind it: `c:k3f9w2m7qa`, `m:139`, `e:…`"""
    when: date
    """the day it was said"""
    reason: str
    """why, in words that give nothing away"""
    replaces: str = ""
    """the entry it rewords, where a model named one"""
    by_model: bool = False
    """whether a model thought of it"""


def is_operators(message: Message) -> bool:
    """Whether these are the operator's own words: nobody else's make a soul grow."""
    return message.role == "user" and message.origin is Origin.OPERATOR


def cited(message: Message, quote: str = "") -> Evidence:
    """A message, as what an edit rests on."""
    return Evidence(f"m:{message.id}", message.origin, message.audience, quote)


class SoulEditor:
    """Edits fitted into the current soul, one after the other."""

    def __init__(self, growth: Growth, name: Name, document: Document, notes: list[str]) -> None:
        self.growth = growth
        self.name = name
        self.document = document
        self.notes = notes
        self.waiting = list(growth.pending)
        self.standing = {entry.id for entry in document.entries}
        self.done: list[Edit] = []
        self.left: list[str] = []
        """sources of edits that found no room, to be looked at again"""

    def sets(self, edits: Sequence[Edit]) -> list[ChangeSet]:
        """The changes that make these edits, of which those that another takes back are left out."""
        made: list[ChangeSet] = []
        said: Counter[str] = Counter()
        for edit in edits:
            if any(_takes_back(other, edit) for other in edits):
                continue
            # The same ground gives the same edit once, be it made, proposed or rejected.
            key = f"soul:{edit.source}:{edit.principle.rule or 'said'}:{said[edit.source]}"
            said[edit.source] += 1
            change_set = self._fitted(edit, key)
            if change_set is not None:
                made.append(change_set)
        return made

    def _fitted(self, edit: Edit, key: str) -> ChangeSet | None:
        line = edit.principle.line
        if any(rules.same(line, other) for other in self.waiting):
            return None
        target, stands = self._target(edit)
        if stands:
            return None
        if target is not None and target.id not in self.standing:
            self._leave(edit, "it would reword what this run adds")
            return None
        if any(_opposes(edit.principle, _principle_of(other)) for other in self.growth.pending):
            self.notes.append(
                f"a proposal that waits for SOUL.md says the opposite of {edit.source}: reject one of them"
            )
        if len(self.done) >= self.growth.most:
            self._leave(edit, f"{MOST_EDITS} edits a run at most; the rest waits for the next run")
            return None
        operation = self._operation(edit, target)
        change_set = ChangeSet((operation,), SOUL_KEEPER, edit.reason, key, edit.evidence)
        try:
            desk = applied([operation], key, {self.name: self.document}, lambda _: b"")
        except DocumentError as error:
            self._leave(edit, f"it cannot be written to SOUL.md ({error})")
            return None
        after = desk.documents[self.name] or self.document
        size, limit = self._tokens(after), self.growth.max_tokens
        if size > limit and size > self._tokens(self.document):
            self._leave(edit, f"SOUL.md would have {size} of {limit} tokens (soul.max_tokens); shorten SOUL.md first")
            return None
        self.document = after
        self.waiting.append(line)
        self.done.append(edit)
        return change_set

    def _leave(self, edit: Edit, why: str) -> None:
        self.left.append(edit.source)
        self.notes.append(f"left out: {why}")

    def _tokens(self, document: Document) -> int:
        """The tokens of the soul as prompts have it, and of what waits to be added to it."""
        return self.growth.count("\n".join([*stripped(document), *self.growth.pending]))

    def _operation(self, edit: Edit, target: Entry | None) -> Add | Replace:
        principle, day = edit.principle, edit.when.isoformat()
        fields = {"src": edit.source, "seen": day, "rule": principle.rule}
        if target is not None:
            return Replace(self.name, target.id, principle.line, fields)
        return Add(
            self.name,
            principle.text,
            title=principle.title,
            section=principle.section,
            # Elsewhere the day stands in the bookkeeping: every token of the soul is read with every prompt.
            added=day if principle.section == SKILLS else "",
            fields={key: value for key, value in fields.items() if value},
        )

    def _target(self, edit: Edit) -> tuple[Entry | None, bool]:
        """The entry an edit replaces, and whether there is nothing to do or to be allowed."""
        for entry in self.document.entries:
            rule = rule_of(entry)
            same = rules.same(words_of(entry), edit.principle.line)
            if same or (rule and rule == edit.principle.rule):
                return entry, True
        for entry in self.document.entries:
            if self._contradicts(edit, entry):
                if is_free(entry) or is_newer(edit, entry):
                    return entry, False
                self.notes.append(
                    f"entry {entry.id} of SOUL.md stays: only something the operator said later can change it"
                    f" ({edit.source})"
                )
                return entry, True
        if edit.replaces:
            named = next((e for e in self.document.entries if e.id == edit.replaces), None)
            if named is None or not is_free(named):
                self.notes.append(
                    f"the model's edit was rejected: it may not reword entry {edit.replaces[:20]} of SOUL.md"
                )
                return named, True
            return named, False
        return None, False

    def _contradicts(self, edit: Edit, entry: Entry) -> bool:
        """Whether an edit says the opposite of an entry: by the table, by its title there, or word for word."""
        new, rule = edit.principle, rule_of(entry)
        if new.rule and rule and rules.kind_of(rule) == rules.kind_of(new.rule):
            return True
        if new.title and entry.title and entry.title.casefold() == new.title.casefold():
            return True
        return rules.opposed(words_of(entry), new.line)


def _principle_of(line: str) -> Principle:
    """A line of a soul as a principle."""
    title, found, text = line.removeprefix("**").partition("**: ")
    return Principle("", title, text, rules.rule_of(title, text)) if found else Principle("", "", line)


def _opposes(one: Principle, other: Principle) -> bool:
    if one.rule and other.rule:
        return one.rule != other.rule and rules.kind_of(one.rule) == rules.kind_of(other.rule)
    return rules.opposed(one.line, other.line)


def _takes_back(later: Edit, edit: Edit) -> bool:
    """Whether the operator said the opposite of an edit after it."""
    return not later.by_model and _order(later) > _order(edit) and _opposes(later.principle, edit.principle)


def _order(edit: Edit) -> tuple[str, int]:
    number = edit.source[2:]
    return edit.when.isoformat(), int(number) if edit.source.startswith("m:") and number.isdecimal() else 0


def words_of(entry: Entry) -> str:
    """The words of an entry, without the day it was added."""
    return entry.text.partition(" (added ")[0]


def rule_of(entry: Entry) -> str:
    """What an entry is by the table: as its bookkeeping says, else as it reads."""
    written = entry.fields.get("rule", "")
    if written or entry.section == SKILLS:
        return written
    text = words_of(entry)
    return rules.rule_of(entry.title, text.partition("**: ")[2] if entry.title else text)


def is_free(entry: Entry) -> bool:
    """Whether an entry is the keeper's own and rests on less than the operator's word. All others are protected."""
    kept = entry.fields.get("src", "").startswith(("c:", "m:", "e:"))
    return kept and entry.fields.get("origin", Origin.OPERATOR) != Origin.OPERATOR


def is_newer(edit: Edit, entry: Entry) -> bool:
    """Whether the operator said what an edit rests on after what an entry rests on."""
    if edit.by_model or any(e.origin is not Origin.OPERATOR for e in edit.evidence):
        return False  # rules read the operator's word; a model's reading of it is no such word
    since, source = entry.fields.get("seen", ""), entry.fields.get("src", "")
    if edit.when.isoformat() != since:
        return edit.when.isoformat() > since
    numbers = [int(ref[2:]) for ref in (edit.source, source) if ref.startswith("m:") and ref[2:].isdecimal()]
    return len(numbers) < 2 or numbers[0] > numbers[1]  # noqa: PLR2004 - two messages of one day


_MOST = 3
_MOST_CHARACTERS = 60_000
_LONGEST_TITLE = 40

SCHEMA = record(
    edits=items(
        _MOST,
        record(
            section=choice(*SECTIONS),
            title=text(_LONGEST_TITLE),
            text=text(rules.LONGEST),
            replaces=text(20),
            message=NUMBER,
            correction=text(20),
            quote=text(2000),
        ),
    ),
    drift=items(_MOST, record(entry=text(20), message=NUMBER, quote=text(2000))),
)
"""The form of a model's answer."""


def question(
    soul: Document, fresh: Sequence[SoulCorrection], talk: Sequence[Message], now: datetime
) -> tuple[str, list[str]]:
    """What a model is told to do, and of what: the soul with its entries' ids, the new corrections, the operator's talk."""
    entries = [f"[{e.id}] {e.section} | {e.body}" for e in soul.entries if e.form in (Form.ITEM, Form.NUMBERED)]
    corrected = [f"[{one.id}] {one.when}: {one.correct}" for one in fresh]
    said = [
        f"#{number} {m.time.astimezone(now.tzinfo):%Y-%m-%d %H:%M} {m.role}: {m.text}"
        for number, m in numbered(talk).items()
    ]
    while said and sum(map(len, said)) > _MOST_CHARACTERS:
        del said[: max(len(said) // 4, 1)]  # the newest tells most
    task = (
        f"Today is {now:%Y-%m-%d}. First comes what the soul holds: an edit that rewords one of these names its id in\n"
        "`replaces`. Then new corrections by the operator: an edit that rests on one names its id in `correction`, else\n"
        "leaves it empty. Then what was said since: an edit that rests on a message names its number in `message`, else 0;\n"
        "`user` is the operator."
    )
    return task, [*(entries or ["(nothing)"]), "", *(corrected or ["(none)"]), "", *said]


def suggestions(
    answer: Mapping[str, Any],
    soul: Document,
    fresh: Sequence[SoulCorrection],
    talk: Sequence[Message],
    growth: Growth,
    *,
    notes: list[str],
) -> Iterator[Edit]:
    """What of an answer can be used, resting on the operator's words; what cannot is told, without its words."""
    by_number = numbered(talk)
    grounds: dict[str | int, tuple[str, Evidence, date, str]] = {
        **{one.id: (one.correct, one.evidence, one.when, f"c:{one.id}") for one in fresh},
        **{
            number: (stated(m.text), cited(m), growth.day(m), f"m:{m.id}")
            for number, m in by_number.items()
            if is_operators(m)
        },
    }
    private = rules.vocabulary([*(m.text for m in talk), *(f"{one.correct} {one.old} {one.new}" for one in fresh)])
    known = rules.vocabulary(entry.body for entry in soul.entries)
    for raw in answer["edits"]:
        found = grounds.get(raw["correction"]) or grounds.get(raw["message"])
        if found is None or not is_quoted(raw["quote"], found[0]):
            notes.append("the model's edit was rejected: nothing the operator said supports it")
            continue
        title, text = (" ".join(raw[key].split()) for key in ("title", "text"))
        if not text or not all(rules.is_public(part, private, known) for part in (title, text)):
            notes.append("the model's edit was rejected: not everyone may read its text")
            continue
        principle = Principle(raw["section"], title, text, rules.rule_of(title, text))
        _, ground, when, source = found
        if source.startswith("m:"):
            ground = replace(ground, quote=raw["quote"])
        # What a model worded is the agent's word, and waits, unless it only put the operator's words in order.
        if not (rules.is_plain(principle.line) and telling(principle.text) <= telling(raw["quote"])):
            ground = replace(ground, origin=ground.origin.weaker(Origin.AGENT))
        reason = f"what the operator said on {when}, reworded by the model"
        yield Edit(principle, (ground,), source, when, reason, raw["replaces"], by_model=True)
    entries = {entry.id: entry for entry in soul.entries}
    for raw in answer["drift"]:
        reply = by_number.get(raw["message"])
        if raw["entry"] in entries and reply and reply.role == "assistant" and is_quoted(raw["quote"], reply.text):
            notes.append(f"drift found by the model: m:{reply.id} contradicts entry {raw['entry']} of SOUL.md")
        else:
            notes.append("the model's finding of drift was rejected: nothing the agent said supports it")


KEEPER = "soul-keeper"
_FEWEST_DRIFTED = 2
_CITED = 5


def grow(growth: Growth) -> Keeper:
    """What the soul should learn."""
    soul = Name(growth.workspace, "SOUL.md")
    names = yield Listed((Kind.CORRECTIONS, Kind.ARCHIVE, Kind.MEMORY, Kind.SKILL))
    logs = [name for name in names if is_correction(name)]
    memories = [name for name in names if name.kind is Kind.MEMORY]
    held = yield Read((soul, *logs, *memories))
    notes: list[str] = []
    found = [one for name in logs for one in corrections(name, held[name], growth.now)]
    fresh = [one for one in found if one.id not in growth.known]
    skills = [name.path.split("/")[-2] for name in names if name.kind is Kind.SKILL]
    kept = [one for name in memories for one in remembered(name, held[name], growth.now) if one.id not in growth.known]
    edits = [*_by_rules(growth, found, fresh, notes)]
    for one in kept:  # standing instructions that the operator had remembered
        told = rules.instructions(one.correct)
        edits += _taught(told, one.evidence, f"e:{one.id}", one.when, how="had remembered", notes=notes)
    edits += [*_skills(growth, skills)]
    edits += yield from _by_model(growth, held[soul], fresh, notes)
    # The soul may have moved while somebody thought: it is read again, and only what stands is changed.
    data = (yield Read((soul,)))[soul]
    if data is None:
        return Findings(notes=("there is no SOUL.md",))
    fitting = SoulEditor(growth, soul, parse(data), notes)
    sets = fitting.sets(edits)
    sets += _drift(growth, parse(data), notes)
    facts = {"edits": str(len(fitting.done)), "left": ",".join(fitting.left)}
    return Findings(tuple(sets), tuple(dict.fromkeys(notes)), facts)


def idle() -> Keeper:
    """What there is to say where settings, and not SOUL.md, tell who the agent is."""
    yield from ()
    return Findings(
        notes=(
            (
                "SOUL.md is still the template and the settings describe this agent; the soul keeper starts once you"
                " have edited SOUL.md"
            ),
        )
    )


# what rules find


def _by_rules(
    growth: Growth, found: Sequence[SoulCorrection], fresh: Sequence[SoulCorrection], notes: list[str]
) -> Iterator[Edit]:
    """Corrections first, the mistakes that repeat, then what the operator asked for and praised."""
    for one in fresh:
        told = rules.instructions(one.correct, correction=True)
        yield from _taught(told, one.evidence, f"c:{one.id}", one.when, how="corrected", notes=notes)
    known = {one.id for one in fresh}
    for kind, pair in mistakes(found):
        if pair[-1].id in known:
            reason = f"corrected on {pair[0].when} and again on {pair[-1].when}"
            evidence = tuple(one.evidence for one in pair)
            yield Edit(rules.warning(kind), evidence, f"c:{pair[-1].id}", pair[-1].when, reason)
    corrected = {one.source for one in found}
    replies: dict[str, Message] = {}
    for message in growth.messages:
        if message.role == "assistant":
            replies[message.session.id] = message
        if not is_operators(message) or f"m:{message.id}" in corrected:
            continue
        day = growth.day(message)
        told = rules.instructions(message.text)
        yield from _taught(told, cited(message), f"m:{message.id}", day, how="asked for", notes=notes)
        reply = replies.get(message.session.id)
        if reply is not None and rules.is_praise(stated(message.text)):
            liked = praised(reply.text)
            if liked is not None:
                evidence = (cited(message), cited(reply))
                yield Edit(liked, evidence, f"m:{message.id}", day, f"the operator praised a reply like this on {day}")


def _taught(
    told: Iterable[Instruction], evidence: Evidence, source: str, when: date, *, how: str, notes: list[str]
) -> Iterator[Edit]:
    """What the operator tells the agent about its behaviour, as edits; what everyone may not read is noted."""
    for one in told:
        if one.principle is not None:
            quoted = replace(evidence, quote=one.said) if source.startswith("m:") else evidence
            yield Edit(one.principle, (quoted,), source, when, f"the operator {how} this on {when}")
            continue
        notes.append(
            f"what you {how} on {when} ({source}) contains something that not everyone may read, so it is not"
            " proposed for SOUL.md; write it there yourself if it belongs there"
        )


def _skills(growth: Growth, skills: Sequence[str]) -> Iterator[Edit]:
    """Skills that were used in a conversation until the operator said that it worked."""
    spoken: defaultdict[str, list[str]] = defaultdict(list)
    for message in growth.messages:
        if message.role in ("assistant", "tool"):
            spoken[message.session.id].append(message.text.casefold())
        elif is_operators(message) and rules.is_doubted(stated(message.text)):
            spoken.pop(message.session.id, None)
        elif is_operators(message) and rules.is_confirmed(stated(message.text)):
            last = " ".join(spoken.pop(message.session.id, [])[-_CITED:])
            used = [name for name in skills if rules.names_skill(last, name.casefold())]
            for name in used if len(used) == 1 else ():
                day = growth.day(message)
                principle = Principle(SKILLS, name, "shown to work.", f"skill:{name}")
                yield Edit(
                    principle, (cited(message),), f"m:{message.id}", day, f"the operator said on {day} that it worked"
                )


# what a model finds


def _by_model(
    growth: Growth, soul: bytes | None, fresh: Sequence[SoulCorrection], notes: list[str]
) -> Generator[Question, Any, list[Edit]]:
    """What a model would add, as far as it rests on the operator's words. It is asked about the operator's own talk alone."""
    talk = [m for m in growth.messages if m.audience == OWNER and m.role in ("user", "assistant")]
    if not fresh and not any(is_operators(message) for message in talk):
        return []
    document = parse(soul or b"")

    def problem(answer: Mapping[str, Any]) -> str:
        told: list[str] = []
        found = any([*suggestions(answer, document, fresh, talk, growth, notes=told)])
        return told[0] if told and not found and all("rejected" in note for note in told) else ""

    prompt = keeper_prompt(growth.workspace, KEEPER)
    answer = yield from asked(prompt, *question(document, fresh, talk, growth.now), SCHEMA, OWNER, problem=problem)
    if answer is None:
        return []
    return list(suggestions(answer, document, fresh, talk, growth, notes=notes))


# drift


def _drift(growth: Growth, soul: Document, notes: list[str]) -> list[ChangeSet]:
    """Replies that plainly go against the soul, told in CHANGELOG.md: by their numbers and day, without their words."""
    replies = [m for m in growth.messages if m.role == "assistant" and m.origin is Origin.AGENT]
    sets: list[ChangeSet] = []
    for entry in soul.entries:
        rule, since = rule_of(entry), entry.fields.get("seen", "") or entry.added
        against = [m for m in replies if rule and growth.day(m).isoformat() > since and goes_against(rule, m.text)]
        if len(against) < _FEWEST_DRIFTED:
            continue
        days = sorted({growth.day(message) for message in against})
        numbers = ", ".join(f"m:{message.id}" for message in against[:_CITED])
        notes.append(
            f"drift: {len(against)} replies contradict entry {entry.id} of SOUL.md, {entry.section} ({numbers})"
        )
        block = Add(
            Name(growth.workspace, "CHANGELOG.md"),
            "Drift: the agent does not act as its soul says. SOUL.md was not changed.",
            title=f"{growth.now:%Y-%m-%d %H:%M} {offset(growth.now)}",
            children=(
                f"**Against** ({entry.section}): {words_of(entry)}",
                f"**Evidence:** {len(against)} of {len(replies)} replies, {days[0]} to {days[-1]}: {numbers}",
            ),
        )
        evidence = tuple(cited(message) for message in against[:_CITED])
        reason = f"drift from entry {entry.id} of SOUL.md"
        sets.append(ChangeSet((block,), SOUL_KEEPER, reason, f"drift:{entry.id}:{against[-1].id}", evidence))
    return sets
