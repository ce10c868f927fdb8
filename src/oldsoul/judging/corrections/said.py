"""What a short reply puts in the place of something the agent just said, where nobody but the agent said it.

Little is lost by a mistake here: the agent's own sentence is hidden, and nothing of anybody else's. So one idea does for
all the ways there are: what a part of the reply says beyond little words and the agent's own words is a value, and it
fills the slot in which the agent had another of its sort, or one that the reply disowns ("W is the caretaker").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.disowned import disowned
from oldsoul.judging.corrections.given import given
from oldsoul.judging.corrections.heard import heard, tokens
from oldsoul.judging.corrections.named import named
from oldsoul.judging.corrections.replied import REFUSES, Part, led, replied
from oldsoul.judging.corrections.signs import ASIDE, CHANGES, MENDS, PASSING, PLAYS, REPORTS, SINCE
from oldsoul.judging.corrections.turn import Turn
from oldsoul.judging.corrections.typed import typed
from oldsoul.judging.corrections.values import EDGES, Putting, as_said, own_words
from oldsoul.judging.corrections.ways import AGREES, FINE, SUPPOSES
from oldsoul.language.words import is_foreign
from oldsoul.reading.typed_values import typed_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.judging.corrections.heard import Heard
    from oldsoul.judging.corrections.replied import Reply
    from oldsoul.judging.corrections.turn import Pair

_LONGEST = 300
_MOST = 2
"""So many things one reply puts right."""
_GOES_ON = re.compile(r"(?i)(?<=[.!])\s*(?:and|but|cause|because)?\s*if\s+(?:i|we|it|he|she|they)\b[^.!?]*[.!?]*\s*$")
"""What would be, said after what is."""
_SUBORDINATE = re.compile(
    r"(?i)^\W*(?:when|if|since|after|because|while|unless|until|where)\s+(?:the|they|we|he|she|it|my|our|i)\b"
)
_OPENS = re.compile(
    r"(?i)\b(?:close|almost|nearly|wrong|never|said|say|told|transposed|swapped|typo|stale|outdated|old|correction|mistake|not|any\s*more|mixed|mixing|up|careful|think|what|again|look|read|check|notes?)\b"
)


def put_otherwise(text: str, told: Sequence[str]) -> list[Putting]:
    """What a reply says otherwise than the agent did, each in its own slot; it counts where the agent alone said it."""
    plain = _GOES_ON.sub("", own_words(text))
    if not plain.strip() or len(plain) > _LONGEST or is_foreign(plain) or AGREES.match(plain) or FINE.match(plain):
        return []
    if PLAYS.search(plain) or SUPPOSES.search(plain):
        return []
    reply = replied(plain)
    if reply.agrees:
        return []
    for one in heard(told):
        found = _against(reply, one)
        if found:
            return [_putting(pair, part, one) for pair, part in found[:_MOST]]
    return []


def _putting(pair: Pair, part: Part, one: Heard) -> Putting:
    old, new = pair.old.said.strip(EDGES), pair.new.said.strip(EDGES)
    if pair.old.kind == pair.new.kind == "number":
        old = as_said(pair.old, pair.new)
    if pair.new.kind == "date" and pair.new.key[:2] == (None, None) and (day := re.search(r"\d{1,2}", old)):
        old, new = day[0], re.sub(r"\D", "", new) or new
    return Putting(part.text, old, new, one.sentence, sure=pair.clear, spoken=True, signed=pair.signed)


def _against(reply: Reply, one: Heard) -> list[tuple[Pair, Part]]:
    """What the parts of a reply put in the place of what one sentence gives, as far as nothing else is said before."""
    gone = tuple(disowned(reply.parts, one))
    if one.past and not gone:
        return []
    found: list[tuple[Pair, Part]] = []
    opened = False
    for number, part in enumerate(reply.parts):
        if any(each.place == number for each in gone) or part.asks or _is_opening(part, one):
            opened = opened or REFUSES.match(part.text) is None
            continue
        if reply.is_called(number):
            continue
        lasting = SINCE.sub(" ", part.text)
        if any(sign.search(lasting) for sign in (REPORTS, PASSING, ASIDE)):
            break
        turn = Turn(Part(led(lasting), part.mark), one, reply, gone, first=not found, opened=opened)
        pair = typed(turn) or named(turn)
        if pair is None and not _is_neutral(turn.part):
            break
        if pair is not None and not any(pair.old == other.old for other, _ in found):
            found.append((pair, part))
    return found


def _is_opening(part: Part, one: Heard) -> bool:
    """Whether a part only says that something is wrong, or has changed, or was looked up."""
    plain = led(part.text)
    refused = REFUSES.match(part.text)
    if refused and all(token.is_little for token in tokens(part.text[refused.end() :])):
        return True
    if any(value.kind != "name" for value in given(plain, begins=False)):
        return False
    if _SUBORDINATE.match(part.text):
        return True
    rest = MENDS.sub(" ", CHANGES.sub(" ", _OPENS.sub(" ", plain)))
    return any(
        all(token.is_little or token.root in one.roots for token in tokens(words_left)) for words_left in (plain, rest)
    )


def _is_neutral(part: Part) -> bool:
    """Whether a part gives nothing but values that stand against none of the agent's."""
    rest = part.text
    for value in reversed(typed_values(rest)):
        rest = f"{rest[: value.start]} {rest[value.end :]}"
    return all(token.is_little or token.said.isdigit() for token in tokens(rest))
