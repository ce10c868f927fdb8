"""What requests give: names, times, pages and the session that is meant, with the form each has to have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from fastapi import Path, Query
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    WithJsonSchema,
    model_validator,
)

from oldsoul.app import Agent
from oldsoul.app.home.seals import change_meant, message_meant
from oldsoul.app.talk.log import EARLIEST, LATEST
from oldsoul.errors import NotFound, Refused
from oldsoul.values.callers import CallerRole
from oldsoul.values.sessions import Session, SessionKind, Subject

if TYPE_CHECKING:
    from oldsoul.faces.http.access import Access


TEXT = r"^[^\x00]*[^\s\x00\x1c-\x1f\x85\ufeff][^\x00]*$"
"""At least one character that no dialect of patterns takes for a space: they do not agree on those."""
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_LINE = rf"^[^{_CONTROLS}]*$"
_ID = rf"^[^\s{_CONTROLS}~]([^{_CONTROLS}]*[^\s{_CONTROLS}])?$"
_NAMED = rf"[^{_CONTROLS}]*[^\s{_CONTROLS}]$"
_CHANNEL = rf"ext:[^\s:{_CONTROLS}]+:"
_LONGEST_ID, _LONGEST_TEXT, _LONGEST_LINE = 200, 200_000, 500
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
MOST = 1000
"""So many are on a page of a list at most, and in a list that a request gives."""


class Given(BaseModel):
    """What a request gives: a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _not_too_much(cls, value: Any) -> Any:
        """Each of a hundred thousand wrong values would be a separate error, and hold up all other requests."""
        parts = (value, *value.values()) if isinstance(value, dict) else ()
        if any(isinstance(part, (dict, list)) and len(part) > MOST for part in parts):
            raise ValueError(f"a list or an object has at most {MOST} values")
        return value


def _moment(value: Any) -> Any:
    """A time with its zone; one that nothing can be from is the earliest or latest there is."""
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError("write a time with its zone, such as 2026-02-04T10:00:00+01:00")
    found = datetime.fromisoformat(value.upper())
    if found.year < EARLIEST:
        return datetime(EARLIEST, 1, 1, tzinfo=UTC)
    return datetime(LATEST, 12, 31, tzinfo=UTC) if found.year > LATEST else found


def _day(value: Any) -> Any:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise ValueError("write a day, such as 2026-02-04")
    return date.fromisoformat(value)


def _whole(value: Any) -> Any:
    """JSON has one kind of numbers: 6.0 is the integer 6."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Flag = Annotated[bool, Strict()]
Count = Annotated[int, Strict(), Field(ge=1, le=MOST), BeforeValidator(_whole)]
Text = Annotated[str, Field(min_length=1, max_length=_LONGEST_TEXT, pattern=TEXT)]
MaybeText = Annotated[str, Field(max_length=_LONGEST_TEXT, pattern=r"^[^\x00]*$")]
Line = Annotated[str, Field(max_length=_LONGEST_LINE, pattern=_LINE)]
Id = Annotated[str, Field(min_length=1, max_length=_LONGEST_ID, pattern=_ID)]
MaybeId = Annotated[str, Field(max_length=_LONGEST_ID, pattern=f"{_ID}|^$")]
PersonId = Annotated[str, Field(max_length=_LONGEST_ID, pattern=f"^(acct:|{_CHANNEL}){_NAMED}", examples=["acct:42"])]
AccountId = Annotated[str, Field(max_length=_LONGEST_ID, pattern=f"^acct:{_NAMED}", examples=["acct:42"])]
ChannelName = Annotated[str, Field(max_length=_LONGEST_ID, pattern=f"^{_CHANNEL}{_NAMED}", examples=["ext:telegram:7"])]
FilePath = Annotated[str, Field(min_length=1, max_length=_LONGEST_LINE, pattern=_LINE, examples=["MEMORY.md"])]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-02-04T10:00:00+01:00"]}),
]
Day = Annotated[
    date,
    BeforeValidator(_day),
    WithJsonSchema({"type": "string", "format": "date", "examples": ["2026-02-04"]}),
]
Versions = Annotated[
    dict[str, Annotated[str, Field(max_length=200)]],
    Field(description="Versions of files that must still stand; otherwise the answer is 409.", max_length=MOST),
]
Tag = Literal["event", "knowledge", "skill", "decision", "correction"]
Kind = Literal["dm", "group", "team", "subagent", "cron"]

AgentName = Annotated[
    str,
    Path(description="An agent or a team.", pattern=_ID, max_length=_LONGEST_ID, examples=["main"]),
]
SessionId = Annotated[
    str,
    Path(description="The id of a session.", pattern=_ID, max_length=_LONGEST_ID, examples=["dm:acct:owner"]),
]
Number = Annotated[int, Path(description="Its number.", ge=1, le=2**53, examples=[1]), AfterValidator(change_meant)]
MessageId = Annotated[int, Path(description="Its number.", ge=1, le=2**53, examples=[1]), AfterValidator(message_meant)]
Limit = Annotated[int, Query(description="How many at most.", ge=1, le=MOST)]
Offset = Annotated[
    str, Query(description="The next page: `next` of the page before.", pattern=r"^([0-9]{1,9})?$", examples=[""])
]
File = Annotated[str, Query(description="Only this file.", max_length=_LONGEST_LINE, pattern=_LINE)]


def offset_of(cursor: str) -> int:
    """How many are on the pages before; none without a cursor."""
    return int(cursor or "0")


def next_of(cursor: str, limit: int, found: list[Any]) -> str | None:
    """The cursor of the next page, of a list that was asked for one more than fits; None after the last page."""
    return str(offset_of(cursor) + limit) if len(found) > limit else None


def one_of(names: Iterable[str]) -> str:
    """The pattern that just these names fit."""
    return f"^({'|'.join(map(re.escape, names))})$"


class SessionGiven(Given):
    """A session: whom or where it is with. Without any value, the token's own private session."""

    kind: Kind | None = None
    """What kind of conversation it is. Default: `group` with a room, `dm` without."""
    id: MaybeId = ""
    """Its id. Default: one for its kind, room and person."""
    subject: PersonId | None = None
    """The person it is with, or who speaks in it."""
    room: MaybeId = ""
    """The room it takes place in."""

    @property
    def is_own(self) -> bool:
        """Whether nothing is said of it."""
        return not (self.kind or self.id or self.subject or self.room)


_NAMELESS = ("team", "subagent", "cron")
"""Kinds of sessions that say nothing of whom or where they are with."""
SessionAsked = Annotated[SessionGiven, Query()]


class Claims(NamedTuple):
    """What a token may claim of a conversation and its messages."""

    kinds: frozenset[str]
    """the kinds of sessions it may name; a group has a room"""
    others: bool
    """whether it speaks for other people than its own, and under their names"""


_PERSONAL = Claims(frozenset({SessionKind.DM, SessionKind.GROUP}), others=False)
CLAIMS = {
    CallerRole.OPERATOR: Claims(frozenset(SessionKind), others=True),
    CallerRole.AGENT: _PERSONAL,
    CallerRole.READER: _PERSONAL,
}
"""What each role's tokens may claim. Whether a room is one of theirs, what their own conversation sees decides."""


def conversation(access: Access, agent: Agent, given: SessionGiven) -> Session:
    """The session that a request means; `Refused` for one that the token may not claim.

    One that is there goes on as it is. A new one of anybody but the operator begins with the token's id, so that no
    token can name a session of somebody else.
    """
    if given.is_own:
        return access.session
    claims, person_of = CLAIMS[access.token.role], access.soul.person
    person = person_of(Subject(given.subject)) if given.subject else access.token.person
    if not claims.others and person != person_of(access.token.person):
        raise Refused(f"subject: this token speaks for {access.token.person} alone")
    if claims.others or (given.id and _is_seen(agent, given.id)):
        named = given.id or (given.kind if given.kind in _NAMELESS else None)
        return agent.talk.conversation(named, given.kind, given.room or None, given.subject)
    kind = given.kind or (SessionKind.GROUP if given.room else SessionKind.DM)
    if kind not in claims.kinds or (kind == SessionKind.GROUP) != bool(given.room):
        raise Refused("kind: this token names the private conversation of its person, or a room its person is in")
    return Session.described(kind, own_id(access, agent, given.id or kind), person, given.room)


def sender_of(access: Access, sender: str) -> str:
    """The display name that a message is given; `Refused` for one that the token may not claim."""
    if sender and not CLAIMS[access.token.role].others:
        raise Refused(f"sender: this token speaks as {access.token.person}; leave the name out")
    return sender


def own_id(access: Access, agent: Agent, session: str) -> str:
    """The id of a session as it is logged, for what a token calls it."""
    begins = f"{access.session.id}:"
    if access.token.role is CallerRole.OPERATOR or session.startswith(begins) or _is_seen(agent, session):
        return session
    return f"{begins}{session}"


def _is_seen(agent: Agent, session: str) -> bool:
    with suppress(NotFound):
        return bool(agent.talk.session(session))
    return False


def linked(status: int, *, agent: bool = True, **to: dict[str, str]) -> dict[int | str, dict[str, Any]]:
    """Where an answer leads, for OpenAPI: endpoints by their names, each with what it is given of the answer.

    Those of an agent are given the agent that was asked.
    """
    same = {"name": "$request.path.name"} if agent else {}
    links = {
        endpoint: {"operationId": endpoint, "parameters": {**same, **parameters}} for endpoint, parameters in to.items()
    }
    return {status: {"links": links}}


_FILE = {"agent_name": "$request.path.agent_name", "filename": "$response.body#/filename"}
_STANDING = {**_FILE, "header.if-match": "$response.header.ETag"}
_CHANGE = {"name": "$request.path.agent_name", "number": "$response.body#/change"}
_PAST = {"name": "$request.path.agent_name", "path": "$response.body#/filename"}
_WITH_FILE = {
    "update_workspace_file": _STANDING,
    "reset_workspace_file": _STANDING,
    "delete_workspace_file": {**_STANDING, "confirm": "$response.body#/filename"},
    "list_changes": _PAST,
    "blame": _PAST,
}
READ_FILE = linked(200, agent=False, **_WITH_FILE)[200]
"""Where a file that was read leads."""
SAVED_FILE = linked(200, agent=False, **_WITH_FILE, read_workspace_file=_FILE, show_change=_CHANGE, undo=_CHANGE)[200]
"""Where a file that was saved leads."""
DELETED_FILE = linked(
    200, agent=False, read_workspace_file=_FILE, list_changes=_PAST, show_change=_CHANGE, undo=_CHANGE
)[200]
"""Where a file that was deleted leads."""
