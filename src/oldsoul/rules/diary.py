"""The agent's diary: how an entry of a daily log is written."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from oldsoul.language.cues import cue
from oldsoul.language.languages import known, language
from oldsoul.language.sentences import name_of, shortened
from oldsoul.language.words import words
from oldsoul.values.audience import OWNER, Audience
from oldsoul.values.changes import Add
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

OPERATOR = "Operator"
"""What the operator is called where no name is known."""
_MARK = " - not the operator"
MARKED = rf"{_MARK}(?: \([^)\n]{{1,60}}\))?"
"""A pattern for what is after the name of somebody else who is called so."""
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


def disambiguated(name: str, ident: str) -> str:
    """The name of somebody who is called like the operator, the agent or a role, with their id, so that nobody takes them for it."""
    mark = f"{_MARK} ({shortened(name_of(ident).translate(_NO_BRACKETS), _LONGEST_ID) or 'no id'})"
    return shortened(unmarked(name_of(name)), _LONGEST_NAME - len(mark)) + mark


def unmarked(name: str) -> str:
    """A name without the mark that tells it apart."""
    return re.sub(rf"{MARKED}\Z", "", name)


def speaker(message: Message, text: str) -> str:
    """Who said a text, as it is before it: a name, and of one who gives none the id, where the text needs one."""
    name = name_of(message.sender.replace(":", " "))
    if name or not is_first_person(text):
        return name
    if message.origin is Origin.OPERATOR:
        return OPERATOR
    return message.subject.id.replace(":", " ") if message.subject else ""


_SESSION_LINK = "[Session]("


@frozen
class DiaryEvent:
    """Something that goes into the diary."""

    text: str
    """what happened, in paragraphs"""
    time: datetime
    """when, in the agent's zone"""
    audience: Audience
    """who may read it"""
    room: str = ""
    """where, when that is a shared place"""
    user: str = ""
    """with whom"""
    link: str = ""
    """the link to the session's file (`session_link`): without one, the miner takes it for something new"""


def session_link(path: str) -> str:
    """The link of a diary's entry to the file of the session it tells of."""
    return f"{_SESSION_LINK}{path})"


def tells_of_session(text: str) -> bool:
    """Whether an entry or a piece tells of a session, and so says again what stands in the chat log.

    The miner leaves such an entry out, since it reads the session itself, and mines all others; recall ranks such a piece
    as derived.
    """
    return _SESSION_LINK in text


def diary_entry(day: Name, happening: DiaryEvent) -> Add:
    """The entry of the daily log that tells it."""
    about = (("Room", happening.room), ("User", happening.user))
    who = "\n".join(f"**{label}:** {name_of(value)}" for label, value in about if value)
    return Add(
        day,
        who or happening.text,
        title=f"{happening.time:%Y-%m-%d %H:%M} {offset(happening.time)}",
        children=tuple(part for part in (happening.text if who else "", happening.link) if part),
        fields=marked(happening.audience),
    )


def marked(audience: Audience) -> dict[str, str]:
    """The mark of an entry in a daily log or a session's file, which are the owner's without one."""
    return {} if audience == OWNER else {"aud": str(audience)}


def offset(time: datetime) -> str:
    """The zone of a time as headings name it: `UTC`, or its distance such as `+01:00`."""
    written = f"{time:%z}"
    return "UTC" if time.utcoffset() == timedelta(0) else f"{written[:3]}:{written[3:5]}"
