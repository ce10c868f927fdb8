"""`/api/agents/{name}/sessions` and `…/messages`: conversations, what was said in them, and their end."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from oldsoul.faces.http.access import Access, Entered
from oldsoul.faces.http.problems import HttpProblem
from oldsoul.faces.http.routes.given import (
    MOST,
    AgentName,
    Flag,
    Given,
    Kind,
    Limit,
    Line,
    MaybeId,
    MessageId,
    Moment,
    Offset,
    PersonId,
    SessionGiven,
    SessionId,
    Text,
    conversation,
    linked,
    next_of,
    offset_of,
    one_of,
    own_id,
    sender_of,
)
from oldsoul.values.keepers import PROMPTED
from oldsoul.values.messages import Wanted, cursor_of, place_of
from oldsoul.views import talk, upkeep
from oldsoul.views.talk import HeardShown, MessageErased, MessageList, MessageShown, SessionList, SessionShown
from oldsoul.views.upkeep import EndedShown

router = APIRouter(prefix="/api/agents/{name}", tags=["sessions"])
_CURSOR = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z/[0-9]{1,18}|[A-Za-z0-9_-]{144})?$"


class SaidGiven(Given):
    """A message, and what is to be known of its session. The caller vouches for who said it."""

    text: Annotated[Text, Field(examples=["Please remember that the staging server is called Juno"])]
    role: Literal["user", "assistant", "system", "tool"] = "user"
    kind: Kind | None = None
    """The kind of a new session. Default: `group` with a room, `dm` without."""
    room: MaybeId = ""
    """The room of a new session."""
    subject: PersonId | None = None
    """The person who said it. Default: the person of the session."""
    sender: Line = ""
    """The sender's display name; for operators only."""
    time: Moment | None = None
    """When it was said. Default: now."""
    channel: Line = "http"
    """The channel it came through."""
    key: Line = ""
    """An id of yours for the message; a repeated key is stored once."""


class MessageFilterGiven(Given):
    """Which messages are asked for."""

    session: MaybeId = ""
    """Only messages of this session."""
    subject: PersonId | None = None
    """Only messages of this person."""
    room: MaybeId = ""
    """Only messages of this room."""
    words: Line = ""
    """Only messages that contain all of these words."""
    flagged: Annotated[str, Field(pattern=one_of(PROMPTED))] | None = None
    """Only messages that triage flagged for this keeper."""
    since: Moment | None = None
    """Only messages from this time on."""
    until: Moment | None = None
    """Only messages from before this time."""
    limit: Annotated[int, Field(ge=1, le=MOST)] = 50
    """How many at most."""
    cursor: Annotated[str, Field(pattern=_CURSOR)] = ""
    """The next page: `next` of the page before."""


class PageGiven(Given):
    """Which page of the messages of a session is asked for."""

    limit: Annotated[int, Field(ge=1, le=MOST)] = 50
    """How many at most."""
    cursor: Annotated[str, Field(pattern=_CURSOR)] = ""
    """The next page: `next` of the page before."""


class EndGiven(Given):
    """How a session is ended."""

    dry_run: Flag = False
    """Show what would be written, and write nothing."""


_SESSION, _MESSAGE = {"session": "$response.body#/session"}, {"number": "$response.body#/message"}
_FIRST_SESSION = {"session": "$response.body#/sessions/0/session"}
_FIRST_MESSAGE = {"number": "$response.body#/messages/0/message"}


@router.get(
    "/sessions",
    responses=linked(
        200, show_session=_FIRST_SESSION, list_session_messages=_FIRST_SESSION, end_session=_FIRST_SESSION
    ),
)
def list_sessions(name: AgentName, access: Entered, limit: Limit = 50, cursor: Offset = "") -> SessionList:
    """List the sessions that this token may see, the one with the latest message first."""
    agent = access.agent(name)
    found = agent.talk.sessions(offset=offset_of(cursor), limit=limit + 1)
    shown = tuple(talk.session(held, agent.talk.unsummarised(held)) for held in found[:limit])
    return SessionList(shown, next_of(cursor, limit, found))


_OF_LIST = linked(200, show_message=_FIRST_MESSAGE, forget_message=_FIRST_MESSAGE)


@router.get("/messages", responses=_OF_LIST)
def list_messages(name: AgentName, access: Entered, given: Annotated[MessageFilterGiven, Query()]) -> MessageList:
    """List the messages that this token may see, the newest first."""
    agent = access.agent(name)
    wanted = Wanted(
        session=own_id(access, agent, given.session) if given.session else "",
        subject=given.subject or "",
        room=given.room,
        words=given.words,
        flagged=given.flagged or "",
        since=given.since,
        until=given.until,
        past=_place(access, given.cursor),
        newest_first=True,
        limit=given.limit + 1,
    )
    return _page(access, agent.talk.messages(wanted), given.limit)


def _place(access: Access, cursor: str) -> tuple[datetime, int] | None:
    """Where a page begins."""
    return place_of(access.seal.place(cursor) if access.seal else cursor) if cursor else None


def _page(access: Access, found: list[Any], limit: int) -> MessageList:
    page = found[:limit]
    further = cursor_of(page[-1]) if len(found) > limit else None
    if further and access.seal:
        further = access.seal.cursor(further)
    return MessageList(tuple(map(talk.message, page)), further)


@router.get(
    "/messages/{number}",
    responses=linked(200, forget_message=_MESSAGE, show_session=_SESSION),
)
def show_message(name: AgentName, number: MessageId, access: Entered) -> MessageShown:
    """Show one message."""
    return talk.message(access.agent(name).talk.message(number))


@router.delete(
    "/messages/{number}",
    responses=linked(200, show_session=_SESSION, list_session_messages=_SESSION),
)
def forget_message(name: AgentName, number: MessageId, access: Entered) -> MessageErased:
    """Erase the words of one message for good, entries made from it alone, and copies of its sentences. For operators only."""
    return talk.message_erased(access.agent(name).talk.forget_message(number))


@router.get("/sessions/{session:path}/messages", responses=_OF_LIST)
def list_session_messages(
    name: AgentName, session: SessionId, access: Entered, given: Annotated[PageGiven, Query()]
) -> MessageList:
    """List the messages of a session, the newest first."""
    agent = access.agent(name)
    past = _place(access, given.cursor)
    known = own_id(access, agent, session)
    return _page(
        access,
        agent.talk.messages(Wanted(session=known, past=past, newest_first=True, limit=given.limit + 1)),
        given.limit,
    )


@router.post(
    "/sessions/{session:path}/messages",
    status_code=201,
    responses=linked(
        201,
        show_message=_MESSAGE,
        forget_message=_MESSAGE,
        show_session=_SESSION,
        list_session_messages=_SESSION,
        end_session=_SESSION,
    ),
)
def post_message(name: AgentName, session: SessionId, access: Entered, given: SaidGiven) -> HeardShown:
    """Log a message and get what triage saw in it. A session that does not exist begins with it.

    The id of a session that is not an operator's begins with the id of its token; the answer names it.
    """
    agent = access.agent(name)
    meant = SessionGiven(kind=given.kind, id=session, subject=given.subject, room=given.room)
    heard = agent.hear(
        given.text,
        session=conversation(access, agent, meant),
        role=given.role,
        sender=sender_of(access, given.sender),
        subject=given.subject if given.role == "user" else None,
        time=given.time,
        channel=given.channel,
        key=f"http:{access.token.id}:{given.key}" if given.key else "",
    )
    return talk.heard(heard)


@router.post("/sessions/{session:path}/end", responses=linked(200, show_session=_SESSION))
def end_session(name: AgentName, session: SessionId, access: Entered, given: EndGiven) -> EndedShown:
    """Turn what was said in a session since its last end into memory. The conversation may go on."""
    agent = access.agent(name)
    known = own_id(access, agent, session)
    return upkeep.ended(known, agent.talk.end(known, dry_run=given.dry_run), dry_run=given.dry_run)


@router.api_route("/sessions/{session:path}/end", methods=["GET", "HEAD", "OPTIONS"], include_in_schema=False)
def refuse_end(_access: Entered) -> None:
    """Not a session: what ends so can only be posted to."""
    told = HttpProblem(405, "wrong_method", "a session is ended by POST")
    told.headers["allow"] = "POST"
    raise told


@router.get("/sessions/{session:path}")
def show_session(name: AgentName, session: SessionId, access: Entered) -> SessionShown:
    """Show one session."""
    agent = access.agent(name)
    held = agent.talk.session(own_id(access, agent, session))
    return talk.session(held, agent.talk.unsummarised(held))
