"""The agent's diary: how an entry of a daily log is written."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from oldsoul.language.sentences import name_of
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.values.audience import Audience
    from oldsoul.values.names import Name


@frozen
class Happening:
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
    """a link to the session's file"""


def diary_entry(day: Name, happening: Happening) -> Add:
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
