"""One part of a reply held against one sentence of the agent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.heard import tokens
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.judging.corrections.disowned import Disowned
    from oldsoul.judging.corrections.heard import Heard
    from oldsoul.judging.corrections.replied import Part, Reply
    from oldsoul.reading.typed_values import Value

_LEAD = re.compile(r"(?i)\b(in|at|with|by|from|on|for|to|til|till|until|since)\s+(?:the\s+)?$")
_MENDS = re.compile(r"(?i)^\W*(?:(?:no+|oh|wait|sorry|well)\W+)*(?:make that|correction)\b")
_ENDS = {"til": "to", "till": "to", "until": "to", "since": "from"}
_LOOKED_AT = 40
"""So many characters before a value are looked at for what leads up to it."""


@frozen
class Pair:
    """The agent's value and the one in its place."""

    old: Value
    """the agent's"""
    new: Value
    """the person's"""
    clear: bool = False
    """whether the reply refuses the agent's, or says of what its own is"""
    signed: bool = False
    """whether the reply says that the agent's does not hold, or has changed, or says its own in the agent's words"""


@frozen
class Turn:
    """One part of a reply held against one sentence of the agent."""

    part: Part
    """the part, without what only leads up to it"""
    one: Heard
    """the agent's sentence"""
    reply: Reply
    """all of the reply"""
    gone: tuple[Disowned, ...]
    """what of the sentence the reply takes back"""
    first: bool
    """whether the reply has put nothing right before"""
    opened: bool
    """whether something that is no refusal was said before"""

    def is_gone(self, value: Value) -> bool:
        """Whether the reply takes a value back."""
        return any(each.value.start <= value.start < each.value.end for each in self.gone)

    def pair(self, old: Value, new: Value) -> Pair:
        """Two values, and how clear it is that the one is for the other."""
        framed = self._is_framed(self.part.text, new)
        again = any(self._is_framed(part.text, new) for part in self.reply.parts if new.said in part.text)
        refused = self.reply.refuses or self.is_gone(old)
        mends = self.reply.changes or _MENDS.match(self.reply.parts[0].text) is not None
        return Pair(old, new, clear=refused or framed, signed=refused or mends or again)

    def _is_framed(self, text: str, new: Value) -> bool:
        """Whether words of the agent stand beside a value."""
        rest = tokens(text.replace(new.said, " ", 1))
        return any(not token.is_little and token.root in self.one.roots for token in rest)


def lead(text: str, value: Value) -> str:
    """The little word that leads up to a value; `until` is as good as `to`."""
    found = _LEAD.search(text[max(value.start - _LOOKED_AT, 0) : value.start])
    return _ENDS.get(found[1].casefold(), found[1].casefold()) if found else ""
