"""Words of two lines that exclude each other, or stand for one attribute that has one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.judging.conflicts.contradiction_values import PHASES
from oldsoul.judging.conflicts.opposites import TURNING, opposites
from oldsoul.judging.conflicts.side_by_side import TIMED, Judgement, Pair, said_as, sure
from oldsoul.language.words import is_unspaced
from oldsoul.reading.attributes import at_odds
from oldsoul.reading.fact_words import lemmas, with_sorts
from oldsoul.reading.typed_values import agree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oldsoul.reading.facts import Fact

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
    "now": 1.6,
    "prefix": 0.6,
    "many": -2.5,
    "extra": -0.5,
    "wider": -3.0,
    "stranger": -2.0,
}
"""What each sign adds to the evidence; the line without a name is where it starts."""
_NOW = frozenset(("now", "instead"))
_TOLD_APART = TIMED | {"colour", "ordinal"}
"""Kinds of values that tell two things of a sort apart."""
_CLAIMED = 0.8
"""How sure two values of one attribute are at odds."""
_WIDE = lemmas(
    "house flat building home city town school office hotel europe asia africa america australia germany france italy "
    "spain england scotland wales ireland britain uk usa us canada mexico brazil argentina chile china japan korea "
    "india russia ukraine poland sweden norway finland denmark netherlands holland belgium austria switzerland "
    "portugal greece turkey egypt morocco nigeria kenya israel iran iraq pakistan thailand vietnam indonesia "
    "philippines malaysia singapore zealand bavaria tuscany ontario quebec newyork alabama alaska arizona arkansas california "
    "colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine "
    "maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon "
    "pennsylvania tennessee texas utah vermont virginia wisconsin wyoming"
)
"""Places that hold other places."""
_HOUSED = lemmas("live move reside relocate")
_KINDS = lemmas(
    "house flat apartment building home city town village farm ranch country countryside suburb downtown dorm trailer condo "
    "basement cabin beach mountain coast island area neighborhood state small big little large quiet rural urban nice tiny "
    "old middle south north east west midwest wood forest lake river place garden balcony duplex mansion bedroom room studio loft"
)
"""What sort of place a home is: it says nothing against where it is."""


def claimed(pair: Pair) -> list[Judgement]:
    """Values of one attribute that has one at a time, however both are worded."""
    return [
        Judgement("replaced", _CLAIMED, f"both speak of {x.name}: {_listed(x.value)} and {_listed(y.value)}")
        for x in pair.a.attributes
        for y in pair.b.attributes
        if at_odds(x, y) and not x.value & with_sorts(y.value) and not y.value & with_sorts(x.value)
    ]


def _listed(value: frozenset[str]) -> str:
    return repr(" ".join(sorted(value)))


def opposed(pair: Pair) -> list[Judgement]:
    """Words that exclude each other where the rest agrees."""
    a, b = pair.a, pair.b
    if a.denials or b.denials or _agree_in_time(pair) or a.who != b.who or _TOLD_APART & {*pair.clashing()}:
        return []
    if a.frames and b.frames and not a.frames & b.frames:
        return []
    found = []
    for form, other in opposites(_telling(a) - _telling(b), _telling(b) - _telling(a)):
        least, most = sorted((pair.weight(a.content - {form}), pair.weight(b.content - {other})))
        if form in PHASES and other in PHASES and all(_clock(each) for each in (a, b)):
            continue
        if (form in a.subject and other in b.subject) or (not pair.shared and most):
            continue  # the front door and the back door
        signs = {
            "covered": pair.weight(pair.shared) / least if least else 1.0,
            "own": min(pair.weight(pair.own_a - {form}), pair.weight(pair.own_b - {other})),
            "own names": float(pair.own_names()),
            "stranger": float(pair.stranger),
        }
        words = f"{said_as(a, {form})!r} and {said_as(b, {other})!r}"
        found.append(Judgement("opposite", sure(_OPPOSITE, signs), f"{words} exclude each other"))
    return found


def _telling(one: Fact) -> frozenset[str]:
    """The lemmas that may have an opposite."""
    return one.content | {word.lemma for word in one.words if word.lemma in TURNING}


def replaced(pair: Pair) -> list[Judgement]:
    """Another value of an attribute that has one at a time."""
    a, b = pair.a, pair.b
    if not pair.own_a or not pair.own_b or a.denials or b.denials:
        return []
    if _done(a) - b.content and _done(b) - a.content:
        return []  # hosted here, backed up there
    if a.who == b.who == "named" and not a.subject & b.subject:
        return []
    strong, weak = a.frames & b.frames, a.weak & b.weak
    now = any(word.text in _NOW for each in (a, b) for word in each.words)
    if not strong and "doing" in a.signs & b.signs and not now:
        return []  # whoever does one thing may do another
    if _scripts(pair.own_a) != _scripts(pair.own_b):
        return []
    if "part" in a.signs & b.signs or TIMED & {*pair.clashing()} or (not strong and weak and _other_purpose(pair)):
        return []
    topic = "place" in weak and _first(a) == _first(b) != ""
    subject = topic or a.subject & b.subject or (a.subject & b.content) or (b.subject & a.content)
    signs = {
        "strong": float(bool(strong)),
        "weak": float(bool(weak) and not strong),
        "wider": float((pair.own_a <= _WIDE) ^ (pair.own_b <= _WIDE) or ("home" in strong and _kind_of_place(pair))),
        "subject": float(bool(subject)),
        "covered": pair.covered(),
        "changed": float(pair.changed),
        "one span": float(_spans(a, b) == 1),
        "now": float(_spans(a, b) == 1 and now),
        "prefix": float(_prefix(a, b) > 2),  # noqa: PLR2004 - a head of three words and more is a whole clause
        "many": float(bool({"many"} & (a.signs | b.signs)) and not strong),
        "extra": pair.own() / (2 if strong and pair.changed else 1),
        "stranger": float(pair.stranger),
    }
    words = f"{said_as(a, pair.own_a)!r} and {said_as(b, pair.own_b)!r}"
    return [Judgement("replaced", sure(_REPLACED, signs), f"both speak of {pair.topic()}: {words}")]


def _kind_of_place(pair: Pair) -> bool:
    """Whether a line says what sort of place it is, and none that takes the place of another sort."""
    sorts = [own - _HOUSED <= _KINDS for own in (pair.own_a, pair.own_b)]
    return any(sorts) and not (all(sorts) and pair.changed)


def _agree_in_time(pair: Pair) -> bool:
    return any(
        x.kind == y.kind and x.kind in ("time", "date") and agree(x, y) for x in pair.a.values for y in pair.b.values
    )


def _other_purpose(pair: Pair) -> bool:
    """Whether both lines say what for, when or where, and not the same."""
    purposes = [_purpose(each) for each in (pair.a, pair.b)]
    return all(purposes) and not purposes[0] & purposes[1]


def _scripts(forms: Iterable[str]) -> bool:
    """Whether all is written without spaces: a name is not compared with the same name in another script."""
    return all(is_unspaced(form) for form in forms)


def _purpose(one: Fact) -> set[str]:
    at = next((word.start for word in one.words if word.text in ("for", "when", "during", "with")), None)
    return {word.lemma for word in one.words if word.content and at is not None and word.start > at}


def _done(one: Fact) -> set[str]:
    return {word.lemma for word in one.words if word.content and word.text.endswith("ed")}


def _clock(one: Fact) -> bool:
    return any(value.kind in ("time", "date") for value in one.values)


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
