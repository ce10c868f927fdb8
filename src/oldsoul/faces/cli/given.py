"""What people give on the command line: text, and the session to look through; refused with a hint if it makes no sense."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput
from oldsoul.faces.cli.output import is_terminal, to_stderr
from oldsoul.reading import dates
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.app import Agent

SINCE = "Only what is from this time or day (2026-02-04, today, yesterday), or later."
UNTIL = "Only what is from before this time, or up to this day."
SESSIONS = "SESSION is dm, dm:PERSON, group:ROOM or cron; your own dm by default."
"""What stands in the help of options that take a session to look through."""


def tell_of_terminal() -> None:
    """Say how to end standard input where a person has to type it."""
    if is_terminal(sys.stdin):
        to_stderr("Reading from the terminal; Ctrl-D on an empty line ends it, Ctrl-C stops.")


def from_stdin() -> bytes:
    """All of standard input; nothing when it is closed. On a terminal it is said how to end it."""
    tell_of_terminal()
    return sys.stdin.buffer.read() if sys.stdin else b""


def text(words: tuple[str, ...], nothing: str) -> str:
    """The words of the command line, or all of standard input for a lone `-`; `BadInput` when that is no text."""
    if words == ("-",):
        try:
            found = from_stdin().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadInput("standard input is not UTF-8 text") from None
    else:
        found = " ".join(words)
    if any("\ud800" <= c <= "\udfff" for c in found):
        raise BadInput("the text is not UTF-8")
    if "\0" in found:
        raise BadInput("the text holds a NUL character, so it is not text")
    if not found.strip():
        raise BadInput(nothing)
    return found.strip()


def span(agent: Agent, since: str | None, until: str | None) -> tuple[datetime | None, datetime | None]:
    """The first moment that is meant and the one after the last; `today` and `yesterday` are days too."""
    today = agent.now().date()
    days = {"today": today.isoformat(), "yesterday": (today - timedelta(days=1)).isoformat()}
    return dates.span(days.get(since or "", since), days.get(until or "", until), agent.zone)


def viewer(agent: Agent, who: str) -> Session:
    """The session that somebody looks through."""
    return Session.viewer(who, agent.caller.subject)
