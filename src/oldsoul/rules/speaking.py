"""Who said what stands in memory: words that speak of whoever says them carry the speaker's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.language.cues import cue
from oldsoul.language.languages import known, language
from oldsoul.language.sentences import name_of, shortened
from oldsoul.language.words import words
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.values.messages import Message

OPERATOR = "Operator"
"""What the operator is called where no name is known."""
_MARK = " - not the operator"
MARKED = rf"{_MARK}(?: \([^)\n]{{1,60}}\))?"
"""A pattern for what stands after the name of somebody else who is called so."""
_LONGEST_NAME = 100
_LONGEST_ID = 60
_NO_BRACKETS = str.maketrans("()", "  ")


def is_first_person(text: str) -> bool:
    """Whether a text speaks of whoever says it: "my birthday is 4 May"."""
    code = language(text)
    own = known(code) or known("en")
    mine = own.mine if own else frozenset()
    return not mine.isdisjoint(words(text)) or cue("keep", "me", code).search(text) is not None


def attributed(text: str, who: str) -> str:
    """The words with who said them in front, so that nobody takes "my" for somebody else's."""
    return f"{who}: {text}" if who and not text.startswith(f"{who}: ") else text


def told_apart(name: str, ident: str) -> str:
    """The name of somebody who is called like the operator, the agent or a role, with their id, so that nobody takes them for it."""
    mark = f"{_MARK} ({shortened(name_of(ident).translate(_NO_BRACKETS), _LONGEST_ID) or 'no id'})"
    return shortened(unmarked(name_of(name)), _LONGEST_NAME - len(mark)) + mark


def unmarked(name: str) -> str:
    """A name without the mark that tells it apart."""
    return re.sub(rf"{MARKED}\Z", "", name)


def speaker(message: Message, text: str) -> str:
    """Who said a text, as it stands before it: a name, and of one who gives none the id, where the text needs one."""
    name = name_of(message.sender.replace(":", " "))
    if name or not is_first_person(text):
        return name
    if message.origin is Origin.OPERATOR:
        return OPERATOR
    return message.subject.id.replace(":", " ") if message.subject else ""
