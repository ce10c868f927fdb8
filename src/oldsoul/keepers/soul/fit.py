"""What the soul keeper reads in files: corrections, leniently, for people write them too; and what was to be remembered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from oldsoul.documents import Form, parse
from oldsoul.documents.model import stripped
from oldsoul.errors import DocumentError
from oldsoul.judging.mining import soul as rules
from oldsoul.judging.mining.memories import is_standing
from oldsoul.judging.mining.soul import SKILLS, Principle
from oldsoul.language.likeness import telling
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.apply import applied
from oldsoul.rules.confidence import last_seen, origin_of
from oldsoul.rules.policy import SOUL_KEEPER
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, ChangeSet, Evidence, Replace
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message
from oldsoul.values.names import Name
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


class Fitting:
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
