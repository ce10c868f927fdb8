"""Whether two lines of one fact each contradict one another, told without a model; silent where unsure."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from oldsoul.rules.facts import VERBS, Denial, Fact, Word, fact, is_kin, lemma, with_sorts
from oldsoul.rules.typed_values import Value, agree, comparable
from oldsoul.rules.words import is_unspaced
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Weigh = Callable[[str], float]


@frozen
class Judgement:
    """Two lines cannot both be true now."""

    kind: str
    """value, negation, ended, opposite or replaced"""
    score: float
    """how sure the rules are, between a half and 1"""
    why: str
    """the reason, for a person to read"""


_SURE = 0.5
_VALUE = {
    "": -2.4,
    "covered": 3.2,
    "near": 1.0,
    "unit": 1.2,
    "changed": 0.6,
    "denied": 1.5,
    "frame": 1.5,
    "trade": 4.2,
    "own": -1.1,
    "own names": -1.5,
    "habit": -2.0,
    "stranger": -1.0,
    "matter": -2.0,
}
_DENIED = {
    "": -3.2,
    "scope": 3.6,
    "covered": 2.0,
    "ended": 0.4,
    "value": 0.8,
    "own": -0.4,
    "own names": -1.5,
    "single": -0.5,
    "unmet": -1.5,
    "stranger": -1.0,
    "lack": -2.0,
}
_OPPOSITE = {
    "": -2.6,
    "covered": 4.0,
    "own": -1.2,
    "own names": -1.5,
    "stranger": -1.0,
}
_REPLACED = {
    "": -3.0,
    "strong": 3.0,
    "weak": 2.0,
    "subject": 1.2,
    "covered": 1.6,
    "changed": 1.0,
    "one span": 0.8,
    "prefix": 0.6,
    "many": -2.5,
    "extra": -0.5,
    "wider": -3.0,
    "stranger": -2.0,
}
"""What each sign adds to the evidence; the line without a name is where it starts."""


def judged(a: str, b: str, weigh: Weigh | None = None) -> Judgement | None:
    """Why the two lines cannot both be true now; None where they can, or where the rules are not sure.

    `weigh` says how much a lemma tells apart, about 1 for one of middling rarity: see `Contradictions`.
    """
    return judged_facts(fact(a), fact(b), weigh or plain_weight)


def plain_weight(form: str) -> float:
    """What a lemma counts for where nothing is known about the other lines."""
    return 0.5 if is_unspaced(form) else 1.0


def judged_facts(a: Fact, b: Fact, weigh: Weigh) -> Judgement | None:
    """The same for lines that have been read."""
    if not _may_clash(a, b):
        return None
    pair = _Pair(a, b, weigh)
    if pair.other_subject():
        return None
    found = [*pair.denied(), *pair.differing(), *pair.opposed(), *pair.replaced()]
    best = max(found, key=lambda judgement: judgement.score, default=None)
    return best if best is not None and best.score >= _SURE else None


def _may_clash(a: Fact, b: Fact) -> bool:
    """Whether both lines state something about the same time."""
    if [word.text for word in a.words] == [word.text for word in b.words]:
        return False
    either = a.signs | b.signs
    if either & {"question", "plan", "past", "more"}:
        return False
    if any(_turned(a, b, one, other) for one, other in _SIDES):
        return False
    if ("ought" in a.signs) ^ ("ought" in b.signs):
        return False
    return not (("was" in a.signs) ^ ("was" in b.signs) and "changed" not in either)


_OPPOSITES = (
    "open close | marry single | marry divorce | alive dead | allow forbid | enable disable | early late | hot cold | "
    "full empty | always never | public private | left right | north south | east west | inside outside | include "
    "exclude | accept reject | pass fail | win lose | easy hard | cheap expensive | fast slow | safe dangerous | true "
    "false | indoor outdoor | introvert extrovert | healthy sick | rich poor | vegetarian meat | vegan meat | "
    "optional mandatory | manual automatic | happy sad | tall short | young old | asleep awake | oldest youngest | "
    "first last | top bottom | big small | sleep awake | unemployed work | retire work | clean dirty | wet dry | high "
    "low | strong weak | permanent temporary | free paid | online offline | morning night | light dark | alone parent "
    "| alone family | alone partner | alone roommate | male female | man woman | boy girl | 开 关 | 胖 瘦 | 早 晚 | 冷 热"
)


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in _OPPOSITES.split("|"):
        one, other = (lemma(word) for word in pair.split())
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


def _lemmas(text: str) -> frozenset[str]:
    return frozenset(lemma(word) for word in text.split())


_OPPOSITE_OF = _opposites()
_BEGINNINGS = _lemmas("start open leave depart join sign checkin hire buy") | {*"开签"}
_ENDINGS = _lemmas("end expire close arrive return checkout") | {*"结期束"}
_PHASES = _BEGINNINGS | _ENDINGS
_SIDES = (
    ("out", "back"),
    ("before", "after"),
    ("from", "until"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("above", "below"),
)
"""Words that ask different questions: a way out and a way back have dates of their own."""
_WHICH = frozenset(("second", "third", "fourth", "fifth", "next", "previous", "other", "former", "2nd", "3rd", "4th"))
"""Words that tell one of several from the others."""
_UNIQUE = _lemmas(
    "born found create establish marry die join start graduate release build hire publish sign wed happen install introduce end invent discover elect"
)
"""What happens once, so that it has one date."""
_WIDE = _lemmas(
    "house flat building home city town school office hotel europe asia africa america australia germany france italy "
    "spain england scotland wales ireland britain uk usa us canada mexico brazil argentina chile china japan korea "
    "india russia ukraine poland sweden norway finland denmark netherlands holland belgium austria switzerland "
    "portugal greece turkey egypt morocco nigeria kenya israel iran iraq pakistan thailand vietnam indonesia "
    "philippines malaysia singapore zealand texas california florida ohio bavaria tuscany ontario"
)
"""Places that hold other places."""
_HAS = re.compile(
    r"\b(?:has|have|had|got|owns?|adopted|bought|there|my|our|his|her|called|named|keeps?)\b|有|养|买|用|是",
    re.IGNORECASE,
)
"""How a line says that there is something."""
_TIMED = frozenset(("time", "date", "weekday", "daypart", "season", "when"))


def _turned(a: Fact, b: Fact, one: str, other: str) -> bool:
    """Whether one line says only the one and the other line only the other."""
    in_a, in_b = ({word.text for word in each.words} & {one, other} for each in (a, b))
    return len(in_a) == len(in_b) == 1 and in_a != in_b


class _Pair:
    """Two facts side by side."""

    def __init__(self, a: Fact, b: Fact, weigh: Weigh) -> None:
        self.a, self.b, self.weigh = a, b, weigh
        self.shared = a.content & b.content
        self.own_a, self.own_b = a.content - b.content, b.content - a.content
        self.stranger = any(
            one.subject and not one.subject & other.content and other.who in ("self", "first")
            for one, other in ((a, b), (b, a))
        )
        """whether one line names what it is about, and the other is about somebody who needs no name"""
        self.changed = bool({"changed"} & (a.signs | b.signs))

    def weight(self, forms: Iterable[str]) -> float:
        return sum(self.weigh(form) for form in sorted(forms))

    def covered(self) -> float:
        """How much of the shorter line the other has too."""
        least = min(self.weight(self.a.content), self.weight(self.b.content))
        return self.weight(self.shared) / least if least else 0.0

    def own(self) -> float:
        """How much each line says that the other does not."""
        return min(self.weight(self.own_a), self.weight(self.own_b), 3.0)

    def own_names(self) -> bool:
        """Whether each line names somebody or something the other does not."""
        return bool(_names(self.a) - self.b.content and _names(self.b) - self.a.content)

    def other_subject(self) -> bool:
        """Whether the lines are about different people or things."""
        if {self.a.who, self.b.who} == {"first", "third"}:
            return True
        own_a, own_b = self.a.subject - self.b.content, self.b.subject - self.a.content
        if own_a and own_b:
            return True
        own, other = (own_a, self.b) if own_a else (own_b, self.a)
        return (any(is_kin(form) for form in own) and other.who != "third") or (self.stranger and not self.shared)

    def differing(self) -> list[Judgement]:
        """Typed values that differ where the words around them agree."""
        clashing = self.clashing()
        known = self.shared or self.a.frames & self.b.frames or "profession" in clashing
        if not clashing or not known or self._other_occasion(clashing):
            return []
        return [self._differing(x, y) for both in clashing.values() for x, y in both]

    def clashing(self) -> dict[str, list[tuple[Value, Value]]]:
        """For each kind of value, those that differ and could answer one question."""
        found: dict[str, list[tuple[Value, Value]]] = {}
        left = [x for x in self.a.values if not any(x.kind == y.kind and agree(x, y) for y in self.b.values)]
        right = [y for y in self.b.values if not any(x.kind == y.kind and agree(x, y) for x in self.a.values)]
        for x in left:
            for y in right:
                if comparable(x, y) and self._one_question(x, y) and not self._part_of_an_event(x, y):
                    found.setdefault(x.kind, []).append((x, y))
        return found

    def _one_question(self, x: Value, y: Value) -> bool:
        """Whether bare numbers stand after the same word, where only one of them has a unit."""
        if x.kind != "number" or bool(x.unit) == bool(y.unit) or "money" in (x.unit, y.unit):
            return True
        return _before(self.a, x) == _before(self.b, y) != ""

    def _part_of_an_event(self, x: Value, y: Value) -> bool:
        """Whether one number is how much was done of something, and the other how much there is."""
        return x.kind == "number" and _deed(self.a, x) != _deed(self.b, y) and not self.changed

    def _other_occasion(self, clashing: dict[str, list[tuple[Value, Value]]]) -> bool:
        """Whether the values may be of two times, two parts or two things of a sort."""
        a, b = self.a, self.b
        if "there" in a.signs and "there" in b.signs and "number" not in clashing:
            return True
        if "when" in clashing or (_which(a) != _which(b) and "ordinal" not in clashing):
            return True
        if "part" in a.signs | b.signs or ("event" in a.signs and "event" in b.signs):
            return True
        if len(clashing) > 1 and _TIMED & {*clashing} and not self.changed:
            return True
        if a.stamp != b.stamp and _tells(a) and _tells(b) and not self.changed:
            return True
        if "date" in clashing and _passed(a) and _passed(b) and not _UNIQUE & (a.content | b.content):
            return True
        if any(self._labels(x, y) for both in clashing.values() for x, y in both):
            return True
        if not _TIMED & {*clashing}:
            return False
        begins, ends = _BEGINNINGS & a.content, _ENDINGS & a.content
        return bool((begins and _ENDINGS & b.content) or (ends and _BEGINNINGS & b.content)) and not (
            (begins & b.content) or (ends & b.content)
        )

    def _labels(self, x: Value, y: Value) -> bool:
        """Whether the values tell two things apart, of which each line then says something of its own."""
        after_a = {word.lemma for word in self.a.words if word.content and word.start > x.start}
        after_b = {word.lemma for word in self.b.words if word.content and word.start > y.start}
        if x.kind in ("colour", "ordinal") and x.unit and y.unit:
            return _in_subject(self.a, x) and _in_subject(self.b, y)
        if x.kind not in ("number", "ordinal", "version") or x.unit or y.unit:
            return False
        told_apart = _in_subject(self.a, x) and _in_subject(self.b, y)
        return told_apart and bool(after_a - self.b.content and after_b - self.a.content)

    def _differing(self, x: Value, y: Value) -> Judgement:
        near_a, near_b = _before(self.a, x), _before(self.b, y)
        signs = {
            "covered": self.covered(),
            "near": ((near_a in self.b.content) + (near_b in self.a.content)) / 2,
            "unit": float(bool(x.unit) and x.unit == y.unit),
            "changed": float(self.changed),
            "own": self.own(),
            "own names": float(self.own_names()),
            "stranger": float(self.stranger),
            "denied": float(
                any(agree(x, v) for d in self.b.denials for v in d.values if v.kind == x.kind)
                or any(agree(y, v) for d in self.a.denials for v in d.values if v.kind == y.kind)
            ),
            "matter": float(x.kind == "number" and self._other_matter(x, y)),
            "frame": float(bool(self.a.frames & self.b.frames)),
            "trade": float(x.kind == "profession"),
            "habit": float(
                x.kind in ("weekday", "daypart", "season")
                and "named" not in (self.a.who, self.b.who)
                and not self.changed
            ),
        }
        return Judgement("value", _sure(_VALUE, signs), f"both speak of {self.topic()}: {x.said!r} and {y.said!r}")

    def _other_matter(self, x: Value, y: Value) -> bool:
        """Whether each line goes on with something of its own right after the number."""
        after_a, after_b = _after(self.a, x), _after(self.b, y)
        return after_a in self.own_a and after_b in self.own_b

    def denied(self) -> list[Judgement]:
        """What one line denies and the other says."""
        return [
            judgement
            for one, other in ((self.a, self.b), (self.b, self.a))
            for denial in one.denials
            if (judgement := self._denied(denial, one, other))
        ]

    def _denied(self, denial: Denial, one: Fact, other: Fact) -> Judgement | None:
        said = denial.items & with_sorts(other.affirmed)
        if any(all(not _same(value, theirs) for theirs in other.values) for value in denial.values):
            return None
        if not said and not (denial.values and self.shared):
            return None
        whole = self.weight(denial.items) + len(denial.values)
        theirs = with_sorts(other.content)
        least = min(self.weight(one.content), self.weight(other.content))
        signs = {
            "scope": (self.weight(said) + len(denial.values)) / whole,
            "covered": self.weight(one.content & theirs) / least if least else 0.0,
            "ended": float(denial.ended),
            "own": self.own(),
            "own names": float(self.own_names()),
            "stranger": float(self.stranger),
            "value": float(bool(denial.values)),
            "lack": float(denial.lack and len(said) == 1 and not _HAS.search(other.text)),
            "unmet": float(bool(denial.items - said) and bool(other.content - one.content)),
            "single": float(len(said) + len(denial.values) == 1),
        }
        kind = "ended" if denial.ended else "negation"
        what = _said(one, said) or denial.values[0].said
        verb = "says it is over" if denial.ended else "denies it"
        return Judgement(kind, _sure(_DENIED, signs), f"one speaks of {what!r}, the other {verb}")

    def opposed(self) -> list[Judgement]:
        """Words that exclude each other where the rest agrees."""
        if self.a.denials or self.b.denials or self._agree_in_time():
            return []
        found = []
        for form in sorted(self.own_a):
            for other in sorted(_OPPOSITE_OF.get(form, frozenset()) & self.own_b):
                rest = self.shared
                least = min(self.weight(self.a.content - {form}), self.weight(self.b.content - {other}))
                if form in _PHASES and other in _PHASES and all(_clock(each) for each in (self.a, self.b)):
                    continue
                if self.a.who != self.b.who or (not rest and least):
                    continue
                signs = {
                    "covered": self.weight(rest) / least if least else 1.0,
                    "own": min(self.weight(self.own_a - {form}), self.weight(self.own_b - {other})),
                    "own names": float(self.own_names()),
                    "stranger": float(self.stranger),
                }
                words = f"{_said(self.a, {form})!r} and {_said(self.b, {other})!r}"
                found.append(Judgement("opposite", _sure(_OPPOSITE, signs), f"{words} exclude each other"))
        return found

    def replaced(self) -> list[Judgement]:
        """Another value of an attribute that has one at a time."""
        a, b = self.a, self.b
        if not self.own_a or not self.own_b or a.denials or b.denials:
            return []
        if _done(a) - b.content and _done(b) - a.content:
            return []  # hosted here, backed up there
        if a.who == b.who == "named" and not a.subject & b.subject:
            return []
        strong, weak = a.frames & b.frames, a.weak & b.weak
        if _scripts(self.own_a) != _scripts(self.own_b):
            return []
        if _TIMED & {*self.clashing()} or (not strong and weak and self._other_purpose()):
            return []
        topic = "place" in weak and _first(a) == _first(b) != ""
        subject = topic or a.subject & b.subject or (a.subject & b.content) or (b.subject & a.content)
        signs = {
            "strong": float(bool(strong)),
            "weak": float(bool(weak) and not strong),
            "wider": float((self.own_a <= _WIDE) ^ (self.own_b <= _WIDE)),
            "subject": float(bool(subject)),
            "covered": self.covered(),
            "changed": float(self.changed),
            "one span": float(_spans(a, b) == 1),
            "prefix": float(_prefix(a, b) > 2),  # noqa: PLR2004 - a head of three words and more is a whole clause
            "many": float(bool({"many"} & (a.signs | b.signs)) and not strong),
            "extra": self.own(),
            "stranger": float(self.stranger),
        }
        words = f"{_said(a, self.own_a)!r} and {_said(b, self.own_b)!r}"
        return [Judgement("replaced", _sure(_REPLACED, signs), f"both speak of {self.topic()}: {words}")]

    def _agree_in_time(self) -> bool:
        return any(
            x.kind == y.kind and x.kind in ("time", "date") and agree(x, y)
            for x in self.a.values
            for y in self.b.values
        )

    def _other_purpose(self) -> bool:
        """Whether both lines say what for, when or where, and not the same."""
        purposes = [_purpose(each) for each in (self.a, self.b)]
        return all(purposes) and not purposes[0] & purposes[1]

    def topic(self) -> str:
        """What both lines speak of."""
        return repr(_said(self.a, self.shared)) if self.shared else ", ".join(sorted(self.a.frames & self.b.frames))


def _sure(table: dict[str, float], signs: dict[str, float]) -> float:
    evidence = table[""] + sum(table[name] * value for name, value in signs.items())
    return round(1 / (1 + math.exp(-evidence)), 4)


def _which(one: Fact) -> set[str]:
    return {word.text for word in one.words} & _WHICH


def _names(one: Fact) -> set[str]:
    return {word.lemma for word in one.words if word.name and word.content}


def _before(one: Fact, value: Value) -> str:
    """The lemma that says something nearest before a value."""
    return next((word.lemma for word in reversed(one.words) if word.start < value.start and word.content), "")


def _same(a: Value, b: Value) -> bool:
    """Whether what is said of the one is said of the other."""
    return comparable(a, b) and (a.key == b.key if a.kind == "weekday" else agree(a, b))


def _scripts(forms: Iterable[str]) -> bool:
    """Whether all is written without spaces: a name is not compared with the same name in another script."""
    return all(is_unspaced(form) for form in forms)


def _purpose(one: Fact) -> set[str]:
    at = next((word.start for word in one.words if word.text in ("for", "when", "during", "with")), None)
    return {word.lemma for word in one.words if word.content and at is not None and word.start > at}


def _done(one: Fact) -> set[str]:
    return {word.lemma for word in one.words if word.content and word.text.endswith("ed")}


def _tells(one: Fact) -> bool:
    """Whether the line begins with what was done."""
    return any(word.text.endswith("ed") for word in one.words[:2])


def _passed(one: Fact) -> bool:
    """Whether the line tells what happened."""
    return "event" in one.signs or any(word.text.endswith("ed") for word in one.words)


def _in_subject(one: Fact, value: Value) -> bool:
    return not _verb_before(one, value) and any(word.text in VERBS for word in one.words if word.start > value.start)


def _verb_before(one: Fact, value: Value) -> bool:
    return any(word.text in VERBS for word in one.words if word.start < value.start)


_DEEDS = frozenset(("read", "bought", "sold", "spent", "ate", "won", "lost", "made", "took", "gave", "sent", "wrote"))


def _deed(one: Fact, value: Value) -> str:
    """What was done so many times or to so many, where the word before the number says so."""
    before = next((word.text for word in reversed(one.words) if word.start < value.start), "")
    return before if before.endswith("ed") or before in _DEEDS else ""


def _clock(one: Fact) -> bool:
    return any(value.kind in ("time", "date") for value in one.values)


def _after(one: Fact, value: Value) -> str:
    """The lemma that says something right after a value, an `of` between them perhaps."""
    rest = [word for word in one.words if word.start >= value.end][:2]
    return next((word.lemma for word in rest if word.content), "")


def _said(one: Fact, forms: Iterable[str]) -> str:
    """The words of these lemmas as the line says them."""
    wanted = {*forms}
    words: list[Word] = [word for word in one.words if word.lemma in wanted and word.content]
    text = ""
    for word in dict.fromkeys(words):
        text += ("" if not text or is_unspaced(word.text) else " ") + word.text
    return text


def _forms(one: Fact) -> list[str]:
    return [word.lemma for word in one.words if word.text not in ("now", "currently", "现")]


def _first(one: Fact) -> str:
    return next((word.lemma for word in one.words if word.content), "")


def _prefix(a: Fact, b: Fact) -> int:
    """With how many lemmas that say something both lines begin."""
    count = 0
    for one, other in zip(a.words, b.words, strict=False):
        if one.lemma != other.lemma:
            break
        count += one.content
    return count


def _spans(a: Fact, b: Fact) -> int:
    """1 when the lines differ in one place alone, which both fill; otherwise 0."""
    one, other = _forms(a), _forms(b)
    head = 0
    while head < min(len(one), len(other)) and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < min(len(one), len(other)) - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    inner = max(len(one), len(other)) - head - tail
    return int(head + tail > 0 and min(len(one), len(other)) > head + tail and inner <= 4)  # noqa: PLR2004 - a phrase
