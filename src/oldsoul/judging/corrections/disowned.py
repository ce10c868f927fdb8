"""What a reply takes back of the agent's words: "not W", "W?", "W is the caretaker"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.given import given, same
from oldsoul.judging.corrections.heard import tokens
from oldsoul.judging.corrections.replied import NEGATES
from oldsoul.judging.corrections.signs import REPORTS
from oldsoul.language.stemming import stem
from oldsoul.language.words import words
from oldsoul.reading.typed_values import Value, comparable
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oldsoul.judging.corrections.heard import Heard, Token
    from oldsoul.judging.corrections.replied import Part

_NEAR = 4
_LOOKED_AT = 40
"""So many characters before a word are looked at for what leads up to it."""
_FORBIDS = re.compile(r"(?i)^\W*(?:please\s+|pls\s+|and\s+|so\s+)*(?:don'?t|do not|never|stop)\s+(?!that)\w+")
_COPULA = re.compile(
    r"(?i)^(?:\W*(?:is|are|was|were|has|had|does|drops?|goes|went|left|retired|died|moved|would|used|stays|comes|got|quit|closed|belongs)\b|'s\b)"
)
_DOUBTS = re.compile(
    r"(?i)^\W*(?:(?:and|but|so|wait|sorry)\W+)*(?:where(?:'?d|\s+did|\s+do)?\s+(?:you|ye|u)\s+(?:get|got|find|hear|see|have)|who\s+(?:said|says|told\s+you)|since\s+when|what\s+do\s+you\s+mean)\b"
)
"""Asks where something is from, or since when."""
_WAS = re.compile(r"(?i)^\W*(?:was|were|used\s+to\s+be)\b")
_PAST = re.compile(r"(?i)\b(?:was|were|used\s+to|had|did)\b")
_OF = re.compile(r"(?i)\b(?:for|about|of|regarding)\s+(?:\w+\s+)?$")


@frozen
class Disowned:
    """Something of the agent's words that a reply takes back."""

    place: int
    """which part does so"""
    value: Value
    """what it takes back"""
    denied: bool
    """whether it is denied or thrown back, and not only said to be something else"""


def disowned(parts: Sequence[Part], one: Heard) -> Iterator[Disowned]:
    """What of the agent's words a reply takes back: denied, thrown back, or said to be something else."""
    for number, part in enumerate(parts):
        if REPORTS.search(part.text) or _FORBIDS.match(part.text):
            continue
        echoed = [token for token in part.tokens if not token.is_little and token.root in one.roots]
        values = [v for v in given(part.text, begins=True) if any(alike(v, w) for w in one.values)]
        if echoed or values:
            yield from _taken_back(number, part, one, echoed, values)


def _taken_back(
    number: int, part: Part, one: Heard, echoed: Sequence[Token], values: Sequence[Value]
) -> Iterator[Disowned]:
    negated = NEGATES.search(part.text)
    telling = [token for token in part.tokens if not token.is_little]
    after = [t for t in _run(part, echoed) if negated and t.start >= negated.end()]
    found, denied = None, True
    behind = [v for v in values if negated and v.start >= negated.end()]
    denies = [token for token in telling if negated and token.start >= negated.end()]
    if (after and _is_object(part, after)) or (behind and len(denies) <= len(behind)):
        found = _meant(one, after, behind)
    elif (part.asks and len(echoed) == len(telling)) or (values and _DOUBTS.match(part.text)):
        found = _meant(one, echoed, values)
    else:
        first = min([t.start for t in echoed] + [v.start for v in values])
        head = [t for t in echoed if not part.text[first : t.start].strip() or _together(part, echoed, first, t)]
        ends = max([t.end for t in head] + [v.end for v in values if v.start == first])
        if _leads(part, first) and _is_something_else(part, ends, one):
            found, denied = _meant(one, head, [v for v in values if v.start == first]), False
        if found is not None and found.kind == "thing" and _is_topic(one, found):
            found = None
    if found is not None:
        yield Disowned(number, found, denied)


def _is_object(part: Part, after: Sequence[Token]) -> bool:
    """Whether words of the agent are what a part denies: little stands before them, and next to nothing after."""
    negated = NEGATES.search(part.text)
    between = [t for t in part.tokens if negated and negated.end() <= t.start < after[0].start]
    rest = [t for t in part.tokens if t.start > after[-1].start and not t.is_little]
    return len(between) <= _NEAR and len(rest) <= 1


def _is_topic(one: Heard, value: Value) -> bool:
    """Whether a thing is what a sentence is about, and not what it says of that."""
    if one.verb >= 0:
        return value.start < one.verb
    before = one.words[max(value.start - _LOOKED_AT, 0) : value.start]
    return one.words[value.end :].startswith(":") or _OF.search(before) is not None


def _together(part: Part, echoed: Sequence[Token], first: int, last: Token) -> bool:
    """Whether nothing but the agent's words stands between two of them."""
    between = [t for t in part.tokens if first <= t.start <= last.start]
    return all(token in echoed for token in between)


def alike(one: Value, other: Value) -> bool:
    """Whether two values of one sort say the same."""
    return one.kind == other.kind and comparable(one, other) and same(one, other)


def _run(part: Part, echoed: Sequence[Token]) -> list[Token]:
    """The last of the agent's words that stand together."""
    found: list[Token] = []
    for token in reversed(echoed):
        if found and part.text[token.end : found[0].start].strip():
            break
        found.insert(0, token)
    return found


def _leads(part: Part, place: int) -> bool:
    return all(token.is_little for token in tokens(part.text[:place]))


def _is_something_else(part: Part, ends: int, one: Heard) -> bool:
    """Whether what follows says of it something that the agent did not."""
    rest = part.text[ends:]
    end = part.text[max(ends - 2, 0) : ends]
    after = _COPULA.match(rest) or (end in ("'s", "’s") and rest.strip())
    if not after:
        return False
    if _WAS.match(rest) and not _PAST.search(one.words):
        return True
    return any(not t.is_little and t.root not in one.roots for t in tokens(rest))


def _meant(one: Heard, echoed: Sequence[Token], values: Sequence[Value]) -> Value | None:
    """The agent's phrase that words of the reply stand for."""
    for value in one.values:
        if any(alike(v, value) for v in values):
            return value
        if value.kind == "name" and {stem(w) for w in words(value.said)} & {t.root for t in echoed}:
            return value
    roots = {token.root for token in echoed}
    theirs = [token for token in tokens(one.words) if token.root in roots]
    if not theirs:
        return None
    first = theirs[0]
    end = first.end
    for token in theirs[1:]:
        if one.words[end : token.start].strip():
            break
        end = token.end
    said = one.words[first.start : end]
    return Value("thing", (said.casefold(),), "", said, first.start, end)
