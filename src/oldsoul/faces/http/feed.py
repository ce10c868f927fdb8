"""Events for streams: one thread looks what happened and hands it to every stream that may know of it."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from oldsoul.app import Oldsoul
from oldsoul.errors import Closed, Gone, OldsoulError
from oldsoul.faces.http.access import Access, valid_tokens
from oldsoul.values.jobs import NOW, EventKind, Happened
from oldsoul.views import upkeep as views
from oldsoul.views.shape import plain

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

PING_SECONDS = 15.0
"""A stream hears something at least so often, so that both ends notice when the other is gone."""
_LOOK_SECONDS = 0.5
_PAGE = 500
_MOST_WAITING = 4
"""So many pages wait for a client that reads slowly; it gets the rest when it has read them."""
_NUMBERED = (EventKind.CHANGE, EventKind.MESSAGE)
"""Events of what has a number."""
_log = logging.getLogger("oldsoul")
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class FeedStream:
    """One client that listens."""

    def __init__(self, access: Access, cursor: str) -> None:
        self.access = access
        self.cursor = cursor
        """up to where events were handed over"""
        self.told = cursor
        """up to where they were sent"""
        self.waiting: asyncio.Queue[tuple[bytes, str] | None] = asyncio.Queue()
        """what is to be sent, each with the cursor after it; None ends the stream"""
        self._loop = asyncio.get_running_loop()

    def give(self, data: bytes, cursor: str) -> None:
        """Hand over what is to be sent, from any thread."""
        self.cursor = cursor
        self._put((data, cursor))

    def end(self) -> None:
        """Have it end when all is sent, from any thread."""
        self._put(None)

    def _put(self, what: tuple[bytes, str] | None) -> None:
        with suppress(RuntimeError):  # the server has stopped, and nobody listens any more
            self._loop.call_soon_threadsafe(self.waiting.put_nowait, what)


class Feed:
    """Tells all streams of a server what happened."""

    def __init__(self, soul: Oldsoul, stopping: Callable[[], bool]) -> None:
        self._soul, self._stopping = soul, stopping
        self._streams: set[FeedStream] = set()
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="oldsoul-feed", daemon=True)

    def __len__(self) -> int:
        return len(self._streams)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End all streams."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def page(self, access: Access, after: str) -> Happened:
        """Return what a token may know of after a cursor."""
        return self._soul.events(after or NOW, caller=access.caller, limit=_PAGE)

    def join(self, stream: FeedStream) -> None:
        """Tell a stream, too."""
        with self._changed:
            self._streams.add(stream)
            self._changed.notify_all()
            if self._ended:
                stream.end()

    def leave(self, stream: FeedStream) -> None:
        """Tell a stream nothing more."""
        with self._changed:
            self._streams.discard(stream)

    def _run(self) -> None:
        latest = NOW
        while streams := self._listening():
            try:
                latest = self._soul.events(latest, limit=_PAGE, wait=_LOOK_SECONDS).cursor
                self._tell(self._valid(streams), latest)
            except Closed:
                break
            except Gone:
                latest = NOW
            except (OldsoulError, OSError) as error:  # one bad moment must not end all streams
                _log.warning("events: %s: %s", type(error).__name__, error)
        with self._changed:
            self._ended = True
            for stream in self._streams:
                stream.end()

    def _listening(self) -> list[FeedStream]:
        """The streams there are, waited for; none when the server stops."""
        with self._changed:
            while not self._streams and not self._ended:
                self._changed.wait()
            return [] if self._ended or self._stopping() else list(self._streams)

    def _tell(self, streams: list[FeedStream], latest: str) -> None:
        """Hand over what is new; streams of one token that were told the same share one look."""
        behind: dict[tuple[str, str], list[FeedStream]] = {}
        for stream in streams:
            if stream.cursor != latest and stream.waiting.qsize() < _MOST_WAITING:
                behind.setdefault((stream.access.token.id, stream.cursor), []).append(stream)
        for (_, cursor), some in behind.items():
            try:
                page = self.page(some[0].access, cursor)
            except Gone:
                for stream in some:
                    stream.give(_GONE, cursor)
                    stream.end()
                continue
            data = written(some[0].access, page)
            for stream in some:
                stream.give(data, page.cursor)

    def _valid(self, streams: list[FeedStream]) -> list[FeedStream]:
        """The streams whose tokens are still valid; the others are ended."""
        valid = valid_tokens(self._soul)
        for stream in streams:
            if stream.access.token.id not in valid:
                stream.end()
        return [stream for stream in streams if stream.access.token.id in valid]


_GONE = b'event: gone\ndata: {"detail": "some events are no longer kept; read everything again"}\n\n'


def written(access: Access, page: Happened) -> bytes:
    """The events of a page as server-sent events; those of other agents than the token's are left out."""
    shown = (plain(views.event(each)) for each in page if access.token.agent in ("", each.workspace))
    return b"".join(_event(_sealed(access, each)) for each in shown)


def _sealed(access: Access, of: dict[str, Any]) -> dict[str, Any]:
    """An event as the token gets it: the operator with numbers, others with ids that count nothing."""
    if access.seal is None:
        return of
    named = str(access.seal.number(int(of["id"]), of["kind"])) if of["kind"] in _NUMBERED else of["id"]
    return {**of, "id": named, "cursor": access.seal.cursor(of["cursor"])}


def _event(of: dict[str, Any]) -> bytes:
    return f"id: {of['cursor']}\nevent: {of['kind']}\ndata: {json.dumps(of)}\n\n".encode()


class EventStream(Response):
    """The response that sends a stream while its client listens."""

    def __init__(self, feed: Feed, access: Access, first: Happened) -> None:
        super().__init__(media_type="text/event-stream")
        self._feed, self._access, self._first = feed, access, first

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send events; returns when the client has gone, or the server stops."""
        stream = FeedStream(self._access, self._first.cursor)
        gone = asyncio.ensure_future(_hang_up(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            begun = written(self._access, self._first) + _place(self._access, self._first.cursor)
            await _sent(send, b"retry: 2000\n\n" + begun)
            self._feed.join(stream)
            while not gone.done() and await self._send_next(stream, gone, send):
                pass
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._feed.leave(stream)
            gone.cancel()

    async def _send_next(self, stream: FeedStream, gone: asyncio.Future[None], send: Send) -> bool:
        """Send what comes next, or after a while that nothing came; returns whether there may be more."""
        getting = asyncio.ensure_future(stream.waiting.get())
        awaited: set[asyncio.Future[Any]] = {getting, gone}
        await asyncio.wait(awaited, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not getting.done():
            getting.cancel()
            # The cursor is told, so that whoever comes again reads nothing twice.
            await _sent(send, _place(self._access, stream.told))
            return True
        found = getting.result()
        if found is None:
            return False
        data, stream.told = found
        if data:
            await _sent(send, data)
        return True


async def _sent(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})


async def _hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _place(access: Access, cursor: str) -> bytes:
    return f"id: {access.seal.cursor(cursor) if access.seal else cursor}\n\n".encode()
