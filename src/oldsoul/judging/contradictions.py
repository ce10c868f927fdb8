"""Whether two lines of one fact each contradict one another, decided without a model; none where unsure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.documents.marks import new_id
from oldsoul.language.languages import ENGLISH
from oldsoul.language.words import Likeness, is_unspaced
from oldsoul.reading.slots import Statement, shared, statement
from oldsoul.reading.typed_values import Value, agree, comparable
from oldsoul.rules.confidence import is_corrected
from oldsoul.rules.retention import superseded_by
from oldsoul.values.changes import Add, ChangeSet, Move, Remove, Role, SetField
from oldsoul.values.frozen import frozen
from oldsoul.values.origin import Origin, weakest

if TYPE_CHECKING:
    from oldsoul.documents import Entry


_TIMES = frozenset(("time", "date", "weekday", "daypart", "season", "when"))
_UNTOLD = frozenset(("asks", "plan", "also"))
_MOST_MORE = 3
"""So many words more may one line have than the other."""


@frozen
class Judgement:
    """Two lines cannot both be true now."""

    kind: str
    """value, attribute or negation"""
    score: float
    """how sure the rules are, between a half and 1"""
    why: str
    """the reason, for a person to read"""


def judged(a: str, b: str, code: str = "") -> Judgement | None:
    """Why the two lines, in a language if it is known, cannot both be true now; None where they can, or that is not sure."""
    one, other = statement(a, code), statement(b, code)
    return None if one is None or other is None else judged_statements(one, other)


def judged_statements(a: Statement, b: Statement) -> Judgement | None:
    """The same for lines that have been read; where a name made one look like another language, both in one."""
    if a.code == b.code:
        return _judged(a, b)
    unspaced = [each.code for each in (a, b) if each.code != ENGLISH and any(map(is_unspaced, each.content))]
    code = min(unspaced or (a.code, b.code), key=lambda each: (each != ENGLISH, each))
    one, other = statement(a.text, code), statement(b.text, code)
    return _judged(one, other) if one and other else None


def _judged(a: Statement, b: Statement) -> Judgement | None:
    signs = a.signs ^ b.signs
    if a.text == b.text or (a.signs | b.signs) & _UNTOLD or signs & {"past", "part"} or {"self", "other"} <= signs:
        return None
    if a.stamp and b.stamp and a.stamp != b.stamp and "did" in a.signs & b.signs:
        return None  # two days of a diary
    if (a.sides and b.sides and a.sides != b.sides) or (
        a.attributes and b.attributes and not a.attributes & b.attributes
    ):
        return None
    pair = _Pair(a, b)
    if a.negated != b.negated:
        return pair.denied()
    return pair.differing() or pair.replaced() or pair.excluded()


class _Pair:
    """Two statements side by side."""

    def __init__(self, a: Statement, b: Statement) -> None:
        self.a, self.b = a, b
        self._by_prefix = ENGLISH not in (a.code, b.code)
        self._unspaced = any(map(is_unspaced, a.content))
        self._changed = "changed" in a.signs ^ b.signs
        self._same = self._shared(a.content, b.content)
        self._own_a = (frozenset(a.content) - self._same) | (a.sides - b.sides)
        self._own_b = (frozenset(b.content) - self._shared(b.content, a.content)) | (b.sides - a.sides)

    def _shared(self, one: Iterable[str], other: Iterable[str]) -> frozenset[str]:
        return shared(one, other, by_prefix=self._by_prefix)

    def differing(self) -> Judgement | None:
        """One typed value on each side that the other does not have, while the words around agree."""
        clashing = [both for kind in {value.kind for value in self.a.values} if (both := self._clash(kind))]
        if len(clashing) != 1 or self._speaks_of_another():
            return None
        x, y = clashing[0]
        if x.kind in _TIMES and "did" in self.a.signs ^ self.b.signs:
            return None  # what happened, and what is to come
        how = self.a.signs & self.b.signs
        if "did" in how and "once" not in how and (x.kind in _TIMES or "self" in how):
            return None  # what happens again has another time, and comes to another number
        topic = len(self._same) + len(self.a.attributes & self.b.attributes) + bool(x.unit and x.unit == y.unit)
        fewer, more = sorted((len(self._own_a), len(self._own_b)))
        needed = 4 if fewer and not self._changed else 2 if more else 1
        if topic < needed or more > _MOST_MORE or self._other_names():
            return None
        return self._judgement("value", topic, fewer, x.said, y.said)

    def _clash(self, kind: str) -> tuple[Value, Value] | None:
        """The only two values of a kind that differ and could answer one question."""
        ours = [value for value in self.a.values if value.kind == kind]
        theirs = [value for value in self.b.values if value.kind == kind]
        left = [x for x in ours if not any(agree(x, y) for y in theirs)]
        right = [y for y in theirs if not any(agree(x, y) for x in ours)]
        if len(left) == len(right) == 1 and comparable(left[0], right[0]):
            return left[0], right[0]
        return None

    def _speaks_of_another(self) -> bool:
        """Whether what one line is about has something more to it, which the other does not name: the rent of the garage."""
        pairs = ((self.a, self.b, self._own_b), (self.b, self.a, self._own_a))
        return any((one.verb or "self" in one.signs - other.signs) and other.before & own for one, other, own in pairs)

    def _other_names(self) -> bool:
        """Whether a line names somebody or something that the other does not."""
        return bool(self.a.names & self._own_a or self.b.names & self._own_b)

    def replaced(self) -> Judgement | None:
        """The same attribute of the same subject, with other words for its value."""
        a, b = self.a, self.b
        asked = a.attributes & b.attributes
        if not a.verb or not b.verb or (a.verb != b.verb and not asked) or self._other_times():
            return None
        own_a, own_b = a.after - self._shared(a.after, b.content), b.after - self._shared(b.after, a.content)
        if not own_a or not own_b or max(len(own_a), len(own_b)) > _MOST_MORE or not self._same_subject():
            return None
        named = bool(own_a & a.names), bool(own_b & b.names)
        if named[0] != named[1] or not (asked or all(named)):
            return None  # a city and a house do not exclude each other; nor do two things that something is like
        return self._judgement("attribute", len(self._same) + 2 * len(asked), 0, _said(a, own_a), _said(b, own_b))

    def _same_subject(self) -> bool:
        """Whether both are about the same, or about whoever the memory is about."""
        a, b = self.a.before, self.b.before
        if not a or not b:
            return a == b and bool(self.a.attributes & self.b.attributes)
        return bool(self._shared(a, b)) and not (a - self._shared(a, b) and b - self._shared(b, a))

    def excluded(self) -> Judgement | None:
        """Words of one kind of which only one holds, of the same subject."""
        kinds = dict(self.a.states).keys() & dict(self.b.states).keys()
        if self._own_a or self._own_b or not kinds or self.a.states & self.b.states or self._other_times():
            return None
        one, other = (
            ", ".join(sorted(said for kind, said in each.states if kind in kinds)) for each in (self.a, self.b)
        )
        return self._judgement("attribute", len(self._same) + 1, 0, one, other)

    def _other_times(self) -> bool:
        """Whether the lines may be of two times, and none says that something changed."""
        return not self._changed and (_times(self.a) != _times(self.b) or any(map(self._clash, _TIMES)))

    def denied(self) -> Judgement | None:
        """One line says that what the other says is not so."""
        denial, other, own = (self.a, self.b, self._own_a) if self.a.negated else (self.b, self.a, self._own_b)
        rest = self._own_b if self.a.negated else self._own_a
        if own or not self._same or len(rest) > _MOST_MORE - 1 or self._other_names():
            return None
        if any(self._clash(value.kind) for value in denial.values) or _times(other) - _times(denial):
            return None
        topic = len(self._same) + len(denial.attributes & other.attributes)
        return self._judgement("negation", topic, len(rest), denial.text, other.text)

    def _judgement(self, kind: str, topic: int, own: int, one: str, other: str) -> Judgement:
        score = min(0.99, round(0.6 + 0.08 * topic - 0.1 * own, 2))
        return Judgement(kind, score, f"on {self._topic()} one says {one!r}, the other {other!r}")

    def _topic(self) -> str:
        asked = sorted(self.a.attributes & self.b.attributes)
        words: dict[str, str] = {}
        for word in _said(self.a, self._same).split():
            words.setdefault(word.casefold(), word)
        return repr(" ".join(words.values()) or ", ".join(asked))


def _times(one: Statement) -> set[str]:
    """The kinds of times a line names."""
    return {value.kind for value in one.values} & _TIMES


def _said(one: Statement, forms: frozenset[str]) -> str:
    """The words of some forms as the line writes them."""
    words = dict.fromkeys(said for form, said in zip(one.content, one.said, strict=True) if form in forms)
    return ("" if any(map(is_unspaced, words)) else " ").join(words)


_COMMON, _MOST = 48, 16
"""So many lines, the latest, are looked up by one key; so many are compared with one line."""
_KEY = 5
"""Words of other languages than English are looked up by so many letters: their ends change."""


@frozen
class Contradiction:
    """Two lines that cannot both be true now."""

    i: int
    """the place of the first"""
    j: int
    """the place of the second"""
    judgement: Judgement
    """why"""


def contradictions(lines: Sequence[str], fresh: Collection[int]) -> list[Contradiction]:
    """Pairs of which one line at least is fresh, each line only with the one it contradicts most surely.

    Args:
        lines: what is compared, one fact each; what is too long for that is left out.
        fresh: the places of those that were not compared before.
    """
    read = [statement(line) for line in lines]
    keys = [_keys(one) for one in read]
    holders: dict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(keys):
        for key in own:
            holders[key].append(number)
    found: dict[tuple[int, int], Judgement | None] = {}
    best: dict[int, tuple[float, int]] = {}
    for i in sorted({*fresh}):
        for j in _near(i, keys, holders):
            pair = min(i, j), max(i, j)
            one, other = read[pair[0]], read[pair[1]]
            if pair in found or one is None or other is None:
                continue
            found[pair] = judgement = judged_statements(one, other)
            if judgement is not None:
                for line, counterpart in (pair, pair[::-1]):
                    best[line] = max(best.get(line, (0.0, 0)), (judgement.score, -counterpart))
    return [
        Contradiction(i, j, judgement)
        for (i, j), judgement in sorted(found.items())
        if judgement is not None and best[i][1] == -j and best[j][1] == -i
    ]


def _near(i: int, keys: Sequence[frozenset[str]], holders: dict[str, list[int]]) -> list[int]:
    """The lines that share the most with one, what is rare counting more."""
    weights: dict[int, float] = defaultdict(float)
    for key in sorted(keys[i]):
        for number in holders[key][-_COMMON:]:
            weights[number] += 1 / len(holders[key])
    weights.pop(i, None)
    return sorted(weights, key=lambda number: (-weights[number], number))[:_MOST]


def _keys(one: Statement | None) -> frozenset[str]:
    """What a line is looked up by: its words, and what it names an attribute by."""
    if one is None:
        return frozenset()
    cut = None if one.code == ENGLISH else _KEY
    asked = {f"@{name}" for name in (*one.attributes, one.verb) if name not in ("", "is")}
    return (
        frozenset(word[:cut] for word in one.content) | asked | {f"#{value.unit}" for value in one.values if value.unit}
    )


_OUTRIGHT = 0.95
"""What the operator says outright is as sure as this."""
_COMPARED = 60
"""A new entry is compared with at most this many: those that share the most words with it."""
_NAME = 2
"""A name before a colon has at most so many words."""


def with_superseded(change_set: ChangeSet, standing: Sequence[Entry]) -> ChangeSet:
    """The set, with a mark on each existing entry whose slot one of its new entries fills with another value.

    Only what the operator said outright does so, in the document where it is added and before the same audience. The
    old entry keeps its words; `superseded` names the new entry and the day.

    Args:
        change_set: what is about to be written.
        standing: the entries of the document that it adds to.
    """
    if not _is_operators(change_set):
        return change_set
    marks = []
    taken = {each.entry for each in change_set.operations if isinstance(each, Move | Remove)}
    for ordinal, add in enumerate(change_set.operations):
        if not isinstance(add, Add) or add.tag == "correction" or float(add.fields.get("conf", 1)) < _OUTRIGHT:
            continue
        found = _contradicted(add, [entry for entry in standing if entry.id not in taken])
        if found is not None:
            taken.add(found.id)
            value = f"{new_id(change_set.key, ordinal)},{add.added}"
            marks.append(SetField(add.name, "superseded", value, found.id))
    return replace(change_set, operations=(*change_set.operations, *marks)) if marks else change_set


def _is_operators(change_set: ChangeSet) -> bool:
    if not change_set.evidence:
        return change_set.author.role is Role.OPERATOR
    return weakest(each.origin for each in change_set.evidence) is Origin.OPERATOR


def _contradicted(add: Add, standing: Sequence[Entry]) -> Entry | None:
    """The entry that says otherwise of the same slot most surely, if any does."""
    best: tuple[float, Entry] | None = None
    if len(standing) > _COMPARED:
        near = Likeness([entry.text for entry in standing]).candidates(f"{add.title} {add.text}", _COMPARED)
        standing = [standing[place] for place in sorted(place for place, _ in near)]
    for entry in standing:
        if entry.form not in (Form.ITEM, Form.NUMBERED) or entry.done is not None or superseded_by(entry):
            continue
        if entry.tag == "correction" or is_corrected(entry) or entry.fields.get("aud", "") != add.fields.get("aud", ""):
            continue
        words = entry.text.partition(" (added ")[0]
        theirs = _forms(entry.title, words.partition("**: ")[2] if entry.title else words)
        found = [made for ours in _forms(add.title, add.text) for other in theirs if (made := judged(ours, other))]
        score = max((made.score for made in found), default=0.0)
        if found and (best is None or score >= best[0]):
            best = score, entry
    return best[1] if best else None


def _forms(title: str, text: str) -> list[str]:
    """What an entry may state: its words, without the name of whoever said them, and with its title."""
    who, colon, rest = text.partition(": ")
    is_name = colon and len(who.split()) <= _NAME and all(word[:1].isupper() for word in who.split())
    words = rest if is_name else text
    return [words, f"{title}: {words}"] if title else [words]
