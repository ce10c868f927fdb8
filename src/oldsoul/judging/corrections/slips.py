"""What a person told wrong themselves, and puts right: "I told you it is on Monday, mixed that up. Tuesday"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.heard import tokens
from oldsoul.judging.corrections.replied import led, replied
from oldsoul.judging.corrections.values import EDGES, Putting
from oldsoul.reading.typed_values import agree, comparable, typed_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.judging.corrections.replied import Part
    from oldsoul.reading.typed_values import Value

_TOLD = re.compile(
    r"(?i)^\W*(?:(?:sorry|oops|ah|oh|hm+|wait|and|so|ok)\W+)*(?:i|we)\s+(?:told you|said|wrote|gave you)\s+(?:that\s+)?"
)
_WRONG = re.compile(
    r"(?i)\b(?:wrong|mistake|mistaken|mixed|misread|mistyped|typo|misremembered|my bad|oops|i meant|should have been)\b"
)


def own_slip(text: str) -> Putting | None:
    """What a person said before and calls wrong, with the value in its place; it counts where memory holds the wrong one."""
    if _WRONG.search(text) is None:
        return None
    parts = replied(text).parts
    for number, part in enumerate(parts):
        told = _TOLD.match(part.text)
        wrong = part.text[told.end() :] if told else ""
        for old in typed_values(wrong):
            for later in parts[number + 1 :]:
                new = _alone(later, typed_values(wrong))
                if new is not None and comparable(old, new) and not agree(old, new):
                    said = old.said.strip(EDGES), new.said.strip(EDGES)
                    return Putting(text.strip(), *said, wrong, held=True)
    return None


def _alone(part: Part, told: Sequence[Value]) -> Value | None:
    """The value that a part gives, where it gives nothing else but what was told before."""
    text = led(part.text)
    every = typed_values(text)
    found = [value for value in every if not any(comparable(value, each) and agree(value, each) for each in told)]
    if len(found) != 1 or part.asks:
        return None
    rest = text
    for value in reversed(every):
        rest = f"{rest[: value.start]} {rest[value.end :]}"
    return found[0] if all(token.is_little for token in tokens(rest)) else None
