"""`/api/agents/{name}/chat`: a message, and the agent's reply, whole or while it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import Field
from starlette.types import Receive, Scope, Send

from oldsoul.app.home.seals import SEAL
from oldsoul.app.replying.replies import Stream
from oldsoul.errors import Closed, OldsoulError
from oldsoul.faces.http.access import Access, Entered
from oldsoul.faces.http.problems import problem
from oldsoul.faces.http.routes.given import (
    AgentName,
    Flag,
    Given,
    Line,
    SessionGiven,
    Text,
    conversation,
    linked,
    sender_of,
)
from oldsoul.faces.web.bodies import event
from oldsoul.faces.web.streams import ReplyReader, ReplyStream, StreamEnded, Workers
from oldsoul.views import recall as views
from oldsoul.views.recall import ReplyShown
from oldsoul.views.shape import plain


@asynccontextmanager
async def _working(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """Threads that wait for models, while the application is there; what replies were said is logged before it goes."""
    stopping: Callable[[], bool] = getattr(app.state, "stopping", lambda: False)
    workers = Workers(stopping)
    yield {"workers": workers}
    await asyncio.to_thread(workers.finish)


router = APIRouter(prefix="/api/agents/{name}/chat", tags=["chat"], lifespan=_working)


class ChatGiven(Given):
    """A message to an agent."""

    text: Annotated[Text, Field(examples=["when do we deploy?"])]
    session: SessionGiven = Field(default_factory=SessionGiven)
    """The conversation it belongs to; the reply uses only what it may see."""
    sender: Line = ""
    """The sender's display name; for operators only."""
    channel: Line = "http"
    """The channel it came through."""
    key: Line = ""
    """An id of yours for the message; a repeated key gets the reply it got before."""
    keep: Flag = True
    """Whether message and reply are logged and may become memory."""


class ReplyEvents(Response):
    """A reply as server-sent events."""

    media_type = "text/event-stream"

    def __init__(self, events: ReplyStream) -> None:
        super().__init__()
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it while it comes."""
        await self._events(scope, receive, send)


_EVENT = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["words", "reply", "problem"]},
        "data": {"type": "string", "description": "JSON."},
    },
    "required": ["event", "data"],
    "example": {"event": "words", "data": '{"text": "On Tuesdays."}'},
}
_STREAMED = {
    "description": "Events: `words` with a piece of the reply, then `reply` with all of it, or `problem`.",
    "content": {"text/event-stream": {"schema": _EVENT}},
}


_MESSAGE = {"number": "$response.body#/message"}


@router.post("", responses=linked(200, show_message=_MESSAGE, forget_message=_MESSAGE))
async def chat(name: AgentName, request: Request, access: Entered, given: ChatGiven) -> ReplyShown:
    """Log a message, reply to it, and log the reply. Without a language model the reply comes from memory alone."""
    workers: Workers = request.state.workers
    reading = ReplyReader(await _begun(workers, access, name, given))
    try:
        return views.response(await workers.waited(reading.whole))
    except StreamEnded:
        workers.begin(reading.close)
        raise Closed("the server was stopped before the reply had ended; try again") from None
    except asyncio.CancelledError:
        workers.begin(reading.close)
        raise


@router.post("/stream", response_class=ReplyEvents, status_code=200, responses={200: _STREAMED})
async def stream_chat(name: AgentName, request: Request, access: Entered, given: ChatGiven) -> ReplyEvents:
    """Do the same, and send the reply while it comes. A client that hangs up ends it."""
    workers: Workers = request.state.workers
    stream = await _begun(workers, access, name, given)
    stopped = Closed("the server was stopped before the reply had ended; try again")
    return ReplyEvents(
        ReplyStream(ReplyReader(stream), _events(stream, access), workers, lambda: _failed(stopped, access))
    )


async def _begun(workers: Workers, access: Access, name: str, given: ChatGiven) -> Stream:
    """The reply to a message, which is logged; the reply is not read yet."""

    def begun() -> Stream:
        agent = access.agent(name)
        return agent.stream(
            given.text,
            session=conversation(access, agent, given.session),
            sender=sender_of(access, given.sender),
            channel=given.channel,
            key=f"http:{access.token.id}:{given.key}" if given.key else "",
            keep=given.keep,
        )

    try:
        return await workers.waited(begun)
    except StreamEnded:
        raise Closed("the server was stopped before the message was logged; try again") from None


def _events(stream: Stream, access: Access) -> Iterator[bytes]:
    """The events of a reply; one that breaks off ends with a problem."""
    try:
        for piece in stream:
            yield event({"text": piece}, "words")
        SEAL.set(access.seal)  # another thread than the one that answers
        yield event(plain(views.response(stream.response)), "reply")
    except (OldsoulError, OSError) as error:
        yield _failed(error, access)


def _failed(error: Exception, access: Access) -> bytes:
    return event(problem(error, access.token).document, "problem")
