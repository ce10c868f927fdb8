"""What one line denies and the other says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.conflicts.side_by_side import Judgement, Pair, said_as, sure
from oldsoul.reading.fact_words import with_sorts
from oldsoul.reading.typed_values import Value, agree, comparable

if TYPE_CHECKING:
    from oldsoul.reading.denials import Denial
    from oldsoul.reading.facts import Fact

_DENIED = {
    "": -3.2,
    "scope": 3.6,
    "covered": 2.0,
    "ended": 0.4,
    "value": 0.8,
    "own": -0.4,
    "own names": -1.5,
    "single": -0.5,
    "unmet": -1.8,
    "stranger": -1.0,
    "lack": -2.0,
}
"""What each sign adds to the evidence; the line without a name is where it starts."""
_HAS = re.compile(
    r"\b(?:has|have|had|got|owns?|adopted|bought|there|my|our|his|her|called|named|keeps?)\b|有|养|买|用|是",
    re.IGNORECASE,
)
"""How a line says that there is something."""


_NEEDS = {
    "like": re.compile(
        r"\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy(?:s|ed|ing)?|adores?|favou?rites?|prefers?|fond|best)\b",
        re.IGNORECASE,
    ),
    "eat": re.compile(
        r"\b(?:eat(?:s|ing|en)?|ate|drink(?:s|ing)?|drank|likes?|loves?|enjoys?|favou?rites?|craves?|snacks?|orders?|has|have|takes?)\b",
        re.IGNORECASE,
    ),
    "visit": re.compile(
        r"\b(?:visit(?:s|ed|ing)?|went|goes|been|trips?|travel\w*|flew|flown|vacation\w*|holiday|liv(?:e|es|ed|ing)|born|from|toured)\b",
        re.IGNORECASE,
    ),
}
"""What the other line must say for a denial of this to be at odds with it: to love cars is not to own one."""
_PLAIN = 0.85
"""How sure it is that nobody has what they say they have none of."""


def lacking(pair: Pair) -> list[Judgement]:
    """What one line says whoever speaks has not, and the other says they have, perhaps as somebody of their own."""
    found = []
    for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
        if one.who not in ("first", "self"):
            continue
        for denial in (*one.denials, *one.implied):
            if denial.of == "own" and not denial.values and denial.items and denial.items <= with_sorts(other.mine):
                words = said_as(one, denial.items) or " ".join(sorted(denial.items))
                found.append(Judgement("negation", _PLAIN, f"one speaks of {words!r}, the other denies it"))
    return found


def refused(pair: Pair) -> list[Judgement]:
    """What does not go with what one line says somebody is, and the other says they do."""
    found = []
    for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
        for denial in one.implied:
            if denial.of != "eat" or not denial.items <= with_sorts(other.affirmed):
                continue
            if _NEEDS["eat"].search(other.text) and one.subject <= other.content:
                words = " ".join(sorted(denial.items))
                found.append(Judgement("negation", _PLAIN, f"one rules out {words!r}, the other speaks of it"))
    return found


def denied(pair: Pair) -> list[Judgement]:
    """What one line denies and the other says."""
    return [
        judgement
        for one, other in ((pair.a, pair.b), (pair.b, pair.a))
        for denial in one.denials
        if (judgement := _denied(pair, denial, one, other))
    ]


def _denied(pair: Pair, denial: Denial, one: Fact, other: Fact) -> Judgement | None:
    if denial.of == "part":
        return None
    if denial.of == "end":
        return _not_over(denial, other)
    said = denial.items & (other.affirmed if "person" in denial.items and denial.of else with_sorts(other.affirmed))
    if any(all(not _same(value, theirs) for theirs in other.values) for value in denial.values):
        return None
    if not said and not (denial.values and pair.shared):
        return None
    if denial.of in _NEEDS and not _NEEDS[denial.of].search(other.text):
        return None
    if denial.of == "own" and not denial.lack and not said <= with_sorts(other.owned):
        return None
    whole = pair.weight(denial.items) + len(denial.values)
    theirs = with_sorts(other.content)
    least = min(pair.weight(one.content), pair.weight(other.content))
    signs = {
        "scope": (pair.weight(said) + len(denial.values)) / whole,
        "covered": pair.weight(one.content & theirs) / least if least else 0.0,
        "ended": float(denial.ended),
        "own": pair.own(),
        "own names": float(pair.own_names()),
        "stranger": float(pair.stranger),
        "value": float(bool(denial.values)),
        "lack": float(denial.lack and len(said) == 1 and not _HAS.search(other.text)),
        "unmet": float(bool(denial.items - said)),
        "single": float(len(said) + len(denial.values) == 1),
    }
    kind = "ended" if denial.ended else "negation"
    what = said_as(one, said) or denial.values[0].said
    verb = "says it is over" if denial.ended else "denies it"
    return Judgement(kind, sure(_DENIED, signs), f"one speaks of {what!r}, the other {verb}")


def _not_over(denial: Denial, other: Fact) -> Judgement | None:
    """What one line says has not ended and the other that it has."""
    for over in other.denials:
        if over.ended and over.items and over.items <= denial.items:
            return Judgement("ended", _PLAIN, "one says it is over, the other denies that")
    return None


def _same(a: Value, b: Value) -> bool:
    """Whether what is said of the one is said of the other."""
    return comparable(a, b) and (a.key == b.key if a.kind == "weekday" else agree(a, b))
