"""Messages of a conversation as they are logged, what triage saw in them, and what is asked of the log."""

from __future__ import annotations

from datetime import UTC, datetime

from oldsoul.errors import BadInput
from oldsoul.values.audience import Audience
from oldsoul.values.frozen import frozen
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

ROLES = ("user", "assistant", "system", "tool")
"""In what part a message is said."""
ERASED = "[erased]"
"""What replaces words that were erased."""
_MOST_DIGITS = 19


@frozen
class Flag:
    """Something triage saw in a message."""

    trigger: str
    """`memory`, `recall`, `soft` or `custom`: which table the pattern is in"""
    route: str
    """the keeper it leads to"""
    confidence: str
    """`high` or `medium`"""
    phrase: str
    """the words that matched"""


@frozen
class Said:
    """A message on its way in, as its channel gives it."""

    text: str
    """the words"""
    session: Session
    """the conversation"""
    role: str = "user"
    """`user`, `assistant`, `system` or `tool`"""
    sender: str = ""
    """the name it was sent under"""
    subject: Subject | None = None
    """who said it; in a private session the person it is with, if nobody is named"""
    time: datetime | None = None
    """when; now, if not given"""
    channel: str = ""
    """where it came through"""
    key: str = ""
    """the same key is stored once; a random one, if not given"""


@frozen
class Message:
    """One message as it came in: who said what, where and when."""

    workspace: str
    """the agent or team it was said to"""
    session: Session
    """the conversation it belongs to"""
    role: str
    """`user`, `assistant`, `system` or `tool`"""
    sender: str
    """the name it was sent under, as the channel gives it"""
    subject: Subject | None
    """the person who said it, where that is known"""
    text: str
    """the words, secrets masked"""
    time: datetime
    """when it was said, with its zone"""
    origin: Origin
    """who caused it, by authentication"""
    audience: Audience
    """who may see it, by the session it was said in"""
    key: str
    """the same key is stored once in a workspace"""
    channel: str = ""
    """where it came through: `cli`, `telegram` …"""
    flags: tuple[Flag, ...] = ()
    """what triage saw in it"""
    id: int = 0
    """its number in the log; 0 before it is stored"""


@frozen
class Logged:
    """A message that is in the log."""

    message: Message
    """the message as it is stored"""
    repeated: bool
    """whether its key was there before, so that nothing was stored now"""


@frozen
class Wanted:
    """Which messages of a workspace are asked for. What is left empty does not restrict."""

    session: str = ""
    """those of one session, by its id"""
    subject: str = ""
    """those one person said, by their id"""
    room: str = ""
    """those of one room"""
    words: str = ""
    """those that hold all of these words"""
    flagged: str = ""
    """those that triage flagged for this keeper"""
    since: datetime | None = None
    """not older than this"""
    until: datetime | None = None
    """older than this"""
    after: int = 0
    """with a greater number than this"""
    past: tuple[datetime, int] | None = None
    """those that come after the message of this time and number, in the order asked for: the next page"""
    by_number: bool = False
    """in the order of their numbers, as they came, and not of their times: for those who follow the log"""
    newest_first: bool = False
    """the latest first, instead of the earliest"""
    limit: int = 100
    """at most so many"""


@frozen
class Thread:
    """One session as the log knows it."""

    session: Session
    """the conversation"""
    count: int
    """how many messages it has"""
    first: datetime
    """when its first message was said"""
    last: datetime
    """when its last message was said"""
    last_id: int
    """the greatest number among its messages"""
    channel: str
    """where its last message came through"""


def cursor_of(message: Message) -> str:
    """A message's place in the log, to be written down: its time and its number."""
    return f"{message.time.astimezone(UTC).replace(tzinfo=None).isoformat()}Z/{message.id}"


def place_of(cursor: str) -> tuple[datetime, int]:
    """The place such a cursor names, for `Wanted.past`."""
    at, _, number = cursor.rpartition("/")
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        found = None
    is_number = number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS
    if found is None or found.tzinfo is None or not is_number:
        raise BadInput(f"{cursor!r} is not a cursor of the chat log; use the one that the previous page returned")
    return found, int(number)
