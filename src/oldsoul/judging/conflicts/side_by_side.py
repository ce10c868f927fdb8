"""Two facts side by side: what they share, what each says of its own, whether they are about the same."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from oldsoul.language.words import is_unspaced
from oldsoul.reading.fact_words import Word, is_kin
from oldsoul.reading.typed_values import Value, agree, comparable
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oldsoul.reading.facts import Fact

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


TIMED = frozenset(("time", "date", "weekday", "daypart", "season", "when"))


class Pair:
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
        """How much the lemmas tell together."""
        return sum(self.weigh(form) for form in sorted(forms))

    def covered(self) -> float:
        """How much of the shorter line the other has too."""
        least = min(self.weight(self.a.content), self.weight(self.b.content))
        if not self.a.content and not self.b.content:
            return float(self.same_start())
        return self.weight(self.shared) / least if least else 0.0

    def same_start(self) -> bool:
        """Whether both lines begin with the same word."""
        return bool(self.a.words and self.b.words) and self.a.words[0].lemma == self.b.words[0].lemma

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
        kin = any(is_kin(form) for form in own - _companies(self.a if own_a else self.b))
        return (kin and other.who != "third") or (self.stranger and not self.shared)

    def topic(self) -> str:
        """What both lines speak of."""
        return repr(said_as(self.a, self.shared)) if self.shared else ", ".join(sorted(self.a.frames & self.b.frames))

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
        return before(self.a, x) == before(self.b, y) != ""

    def _part_of_an_event(self, x: Value, y: Value) -> bool:
        """Whether one number is how much was done of something, and the other how much there is."""
        return x.kind == "number" and _deed(self.a, x) != _deed(self.b, y) and not self.changed


def sure(table: dict[str, float], signs: dict[str, float]) -> float:
    """How sure the signs make it, between 0 and 1."""
    evidence = table[""] + sum(table[name] * value for name, value in signs.items())
    return round(1 / (1 + math.exp(-evidence)), 4)


def _companies(one: Fact) -> set[str]:
    """Lemmas that say of whom there are many: a group of friends."""
    return {word.lemma for before, word in pairwise(one.words) if before.text == "of"}


def _names(one: Fact) -> set[str]:
    return {word.lemma for word in one.words if word.name and word.content}


def before(one: Fact, value: Value) -> str:
    """The lemma that says something nearest before a value."""
    return next((word.lemma for word in reversed(one.words) if word.start < value.start and word.content), "")


_DEEDS = frozenset(("read", "bought", "sold", "spent", "ate", "won", "lost", "made", "took", "gave", "sent", "wrote"))


def _deed(one: Fact, value: Value) -> str:
    """What was done so many times or to so many, where the word before the number says so."""
    before = next((word.text for word in reversed(one.words) if word.start < value.start), "")
    return before if before.endswith("ed") or before in _DEEDS else ""


def said_as(one: Fact, forms: Iterable[str]) -> str:
    """The words of these lemmas as the line says them."""
    wanted = {*forms}
    words: list[Word] = [word for word in one.words if word.lemma in wanted]
    text = ""
    for word in dict.fromkeys(words):
        text += ("" if not text or is_unspaced(word.text) else " ") + word.text
    return text
