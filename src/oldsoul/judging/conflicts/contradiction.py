"""Whether two lines of one fact each contradict one another, told without a model; silent where unsure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.judging.conflicts.contradiction_denials import denied, lacking, refused
from oldsoul.judging.conflicts.contradiction_values import differing
from oldsoul.judging.conflicts.contradiction_words import claimed, opposed, replaced
from oldsoul.judging.conflicts.side_by_side import Judgement, Pair
from oldsoul.language.sentences import sentences
from oldsoul.language.wording import LONGEST
from oldsoul.language.words import is_unspaced
from oldsoul.reading.facts import Fact, fact

if TYPE_CHECKING:
    from oldsoul.judging.conflicts.side_by_side import Weigh

_SURE = 0.5
_MOST_SENTENCES = 4


def judged(a: str, b: str, weigh: Weigh | None = None) -> Judgement | None:
    """Why the two lines cannot both be true now; None where they can, or where the rules are not sure.

    `weigh` says how much a lemma tells apart, about 1 for one of middling rarity: see `Contradictions`.
    """
    weigh = weigh or plain_weight
    found = judged_facts(fact(a), fact(b), weigh)
    return found if found or not _stated(fact(a), fact(b)) else _judged_apart(a, b, weigh)


def _judged_apart(a: str, b: str, weigh: Weigh) -> Judgement | None:
    """The same sentence by sentence, where a line has several."""
    ours, theirs = _statements(a), _statements(b)
    if len(ours) == len(theirs) == 1:
        return None
    found = (
        judged_facts(x, y, weigh)
        for said, x in ours.items()
        for heard, y in theirs.items()
        if said not in theirs and heard not in ours
    )
    return max(filter(None, found), key=lambda judgement: judgement.score, default=None)


def _statements(line: str) -> dict[tuple[str, ...], Fact]:
    """The first few sentences of a line by their words; whom `he` means in the second, nobody can tell."""
    facts = [fact(sentence) for sentence in sentences(line[:LONGEST])[:_MOST_SENTENCES]] or [fact(line)]
    return {tuple(word.text for word in each.words): each for each in facts if each is facts[0] or each.who != "third"}


def plain_weight(form: str) -> float:
    """What a lemma counts for where nothing is known about the other lines."""
    return 0.5 if is_unspaced(form) else 1.0


def judged_facts(a: Fact, b: Fact, weigh: Weigh) -> Judgement | None:
    """The same for lines that have been read."""
    if not _stated(a, b):
        return None
    pair = Pair(a, b, weigh)
    found = [*claimed(pair), *(lacking(pair) if _same_time(a, b) else ())]
    if _may_clash(a, b) and not pair.other_subject():
        found += [*denied(pair), *refused(pair), *differing(pair), *opposed(pair), *replaced(pair)]
    best = max(found, key=lambda judgement: judgement.score, default=None)
    return best if best is not None and best.score >= _SURE else None


def _stated(a: Fact, b: Fact) -> bool:
    """Whether both lines state something that holds now, and not the same."""
    if [word.text for word in a.words] == [word.text for word in b.words]:
        return False
    return not (a.signs | b.signs) & {"question", "plan", "past", "more"}


def _same_time(a: Fact, b: Fact) -> bool:
    """Whether both lines tell what was, or both what is."""
    if ("was" in a.signs) == ("was" in b.signs):
        return True
    return bool({"changed", "did"} & (a.signs | b.signs))


def _may_clash(a: Fact, b: Fact) -> bool:
    """Whether both lines state something about the same time and side of a thing."""
    if any(_turned(a, b, one, other) for one, other in _SIDES):
        return False
    return ("ought" in a.signs) == ("ought" in b.signs) and _same_time(a, b)


_SIDES = (
    ("out", "back"),
    ("before", "after"),
    ("from", "until"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("above", "below"),
)
"""Words that ask different questions: a way out and a way back have dates of their own."""


def _turned(a: Fact, b: Fact, one: str, other: str) -> bool:
    """Whether one line says only the one and the other line only the other."""
    in_a, in_b = ({word.text for word in each.words} & {one, other} for each in (a, b))
    return len(in_a) == len(in_b) == 1 and in_a != in_b
