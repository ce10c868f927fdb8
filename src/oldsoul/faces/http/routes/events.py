"""`/api/events`: what happens, as a stream of server-sent events."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.feed import EventStream
from oldsoul.faces.http.problems import HttpProblem
from oldsoul.values.jobs import NOW

router = APIRouter(tags=["events"])
_EXAMPLE = (
    'id: 6f1c0a9be2d34785-12\nevent: change\ndata: {"kind": "change", "agent": "main", "id": "7", "state": "written",'
    ' "time": "2026-02-04T12:00:00+00:00", "cursor": "6f1c0a9be2d34785-12"}\n\n'
)
_SCHEMA = {
    "type": "object",
    "description": "One event.",
    "properties": {"id": {"type": "string"}, "event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}
_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A stream that does not end.",
        "content": {"text/event-stream": {"schema": _SCHEMA, "example": _EXAMPLE}},
    }
}


@router.get("/api/events", response_class=Response, responses=_ANSWER)
async def stream_events(
    access: Entered,
    request: Request,
    after: Annotated[str, Query(description="The cursor of an event; `now`, the default, for new events only.")] = "",
    last_event_id: Annotated[str, Header(description="The same, as browsers send it when they come again.")] = "",
) -> Any:
    """Follow what happens: changes, proposals, messages, jobs and settings, as far as this token may know of them.

    An event holds ids, kinds and times, never text. Each has a cursor as its id: a client that comes again with the
    last one gets what it missed, each event once. A cursor that is too old is answered with 410.
    """
    feed = request.app.state.feed
    if len(feed) >= request.app.state.limits.streams:
        raise HttpProblem(503, "too_many_streams", "too many event streams are open; try again later")
    cursor = last_event_id or after
    if access.seal and cursor not in ("", NOW):
        cursor = access.seal.place(cursor)
    first = await run_in_threadpool(feed.page, access, cursor)
    return EventStream(feed, access, first)
