"""Typed values of two lines that differ where the words around them agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.judging.conflicts.side_by_side import TIMED, Judgement, Pair, before, sure
from oldsoul.reading.fact_words import VERBS, lemmas
from oldsoul.reading.typed_values import Value, agree

if TYPE_CHECKING:
    from oldsoul.reading.facts import Fact

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
"""What each sign adds to the evidence; the line without a name is where it starts."""
_BEGINNINGS = lemmas("start open leave depart join sign checkin hire buy") | {*"开签"}
_ENDINGS = lemmas("end expire close arrive return checkout") | {*"结期束"}
PHASES = _BEGINNINGS | _ENDINGS
_WHICH = frozenset(("second", "third", "fourth", "fifth", "next", "previous", "other", "former", "2nd", "3rd", "4th"))
"""Words that tell one of several from the others."""
_UNIQUE = lemmas(
    "born found create establish marry die join start graduate release build hire publish sign wed happen install introduce end invent discover elect"
)
"""What happens once, so that it has one date."""


def differing(pair: Pair) -> list[Judgement]:
    """Typed values that differ where the words around them agree."""
    clashing = pair.clashing()
    nothing_else = not pair.a.content and not pair.b.content and pair.same_start()
    known = pair.shared or pair.a.frames & pair.b.frames or "profession" in clashing or nothing_else
    if not clashing or not known or _other_occasion(pair, clashing):
        return []
    return [_differing(pair, x, y) for both in clashing.values() for x, y in both]


def _other_occasion(pair: Pair, clashing: dict[str, list[tuple[Value, Value]]]) -> bool:
    """Whether the values may be of two times, two parts or two things of a sort."""
    a, b = pair.a, pair.b
    if "there" in a.signs and "there" in b.signs and "number" not in clashing:
        return True
    if "when" in clashing or (_which(a) != _which(b) and "ordinal" not in clashing):
        return True
    if "part" in a.signs | b.signs and (pair.own_a or pair.own_b):
        return True
    if "event" in a.signs and "event" in b.signs and not _raced(pair, clashing):
        return True
    if len(clashing) > 1 and TIMED & {*clashing} and not pair.changed:
        return True
    if a.stamp != b.stamp and _tells(a) and _tells(b) and not pair.changed:
        return True
    if "date" in clashing and _passed(a) and _passed(b) and not _UNIQUE & (a.content | b.content):
        return True
    if any(_labels(pair, x, y) for both in clashing.values() for x, y in both):
        return True
    if not TIMED & {*clashing}:
        return False
    begins, ends = _BEGINNINGS & a.content, _ENDINGS & a.content
    return bool((begins and _ENDINGS & b.content) or (ends and _BEGINNINGS & b.content)) and not (
        (begins & b.content) or (ends & b.content)
    )


def _raced(pair: Pair, clashing: dict[str, list[tuple[Value, Value]]]) -> bool:
    """Whether both lines tell how fast the same was done, to the second: the later of them is the one that counts."""
    if pair.own_a or pair.own_b:
        return False
    return any(":" in x.said and ":" in y.said and x.unit == "lasting" for x, y in clashing.get("number", ()))


def _labels(pair: Pair, x: Value, y: Value) -> bool:
    """Whether the values tell two things apart, of which each line then says something of its own."""
    after_a = {word.lemma for word in pair.a.words if word.content and word.start > x.start}
    after_b = {word.lemma for word in pair.b.words if word.content and word.start > y.start}
    if x.kind in ("colour", "ordinal") and x.unit and y.unit:
        return _in_subject(pair.a, x) and _in_subject(pair.b, y)
    if x.kind not in ("number", "ordinal", "version") or x.unit or y.unit:
        return False
    told_apart = _in_subject(pair.a, x) and _in_subject(pair.b, y)
    return told_apart and bool(after_a - pair.b.content and after_b - pair.a.content)


def _differing(pair: Pair, x: Value, y: Value) -> Judgement:
    near_a, near_b = before(pair.a, x), before(pair.b, y)
    signs = {
        "covered": pair.covered(),
        "near": ((near_a in pair.b.content) + (near_b in pair.a.content)) / 2,
        "unit": float(bool(x.unit) and x.unit == y.unit),
        "changed": float(pair.changed),
        "own": pair.own(),
        "own names": float(pair.own_names()),
        "stranger": float(pair.stranger),
        "denied": float(
            any(agree(x, v) for d in pair.b.denials for v in d.values if v.kind == x.kind)
            or any(agree(y, v) for d in pair.a.denials for v in d.values if v.kind == y.kind)
        ),
        "matter": float(x.kind == "number" and _other_matter(pair, x, y)),
        "frame": float(bool(pair.a.frames & pair.b.frames)),
        "trade": float(x.kind == "profession"),
        "habit": float(
            x.kind in ("weekday", "daypart", "season") and "named" not in (pair.a.who, pair.b.who) and not pair.changed
        ),
    }
    return Judgement("value", sure(_VALUE, signs), f"both speak of {pair.topic()}: {x.said!r} and {y.said!r}")


def _other_matter(pair: Pair, x: Value, y: Value) -> bool:
    """Whether each line goes on with something of its own right after the number."""
    after_a, after_b = _after(pair.a, x), _after(pair.b, y)
    return after_a in pair.own_a and after_b in pair.own_b


def _which(one: Fact) -> set[str]:
    inside = [(value.start, value.end) for value in one.values if value.kind == "often"]  # every other day
    return {
        word.text
        for word in one.words
        if word.text in _WHICH and not any(start <= word.start < end for start, end in inside)
    }


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


def _after(one: Fact, value: Value) -> str:
    """The lemma that says something right after a value, an `of` between them perhaps."""
    rest = [word for word in one.words if word.start >= value.end][:2]
    return next((word.lemma for word in rest if word.content), "")
