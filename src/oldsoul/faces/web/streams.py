"""Replies beside the event loop: waited for in threads, sent while they come, ended when nobody listens or the server stops."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import TYPE_CHECKING, Any, TypeVar

from oldsoul.app.replying.exchange import Response

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from oldsoul.app.replying.replies import Stream


_T = TypeVar("_T")
PATIENCE = 5.0
"""Seconds that replies under way have left when the server stops; and then, to log what came of them."""
_LOOK = 0.2
"""Seconds between two looks at whether the server stops."""
_THREADS = 64
"""So many replies are waited for at once."""
_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")]


class StreamEnded(Exception):
    """The client hung up, or the server stops."""


class Workers:
    """Threads that wait for models. Whoever waits for a thread may leave it; what it does is then done without them."""

    def __init__(self, stopping: Callable[[], bool]) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="oldsoul-reply")
        self._begun: set[Future[Any]] = set()
        self._stopping = stopping
        self._stop: asyncio.Future[None] | None = None

    def begin(self, work: Callable[[], _T]) -> Future[_T]:
        """Have a thread do something."""
        begun = self._pool.submit(work)
        self._begun.add(begun)
        begun.add_done_callback(self._begun.discard)
        return begun

    async def waited(self, work: Callable[[], _T], *ends: asyncio.Future[None]) -> _T:
        """What work in a thread gives; `StreamEnded` when the server stops before, or one of the ends is there."""
        return await self.before(asyncio.wrap_future(self.begin(work)), *ends)

    async def before(self, doing: Awaitable[_T], *ends: asyncio.Future[None]) -> _T:
        """What something gives; `StreamEnded` when the server stops before, or one of the ends is there."""
        done = asyncio.ensure_future(doing)
        over = (self._stopped(), *ends)
        awaited: set[asyncio.Future[Any]] = {done, *over}
        try:
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            if any(end.done() for end in over):
                raise StreamEnded
            return done.result()
        finally:
            if not done.cancel() and not done.cancelled():
                done.exception()  # whoever has left does not want to know

    def _stopped(self) -> asyncio.Future[None]:
        """Comes when the server stops and replies had their time."""
        if self._stop is None:
            self._stop = asyncio.ensure_future(self._until_stopped())
        return self._stop

    async def _until_stopped(self) -> None:
        while not self._stopping():  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(_LOOK)
        await asyncio.sleep(PATIENCE)

    def finish(self) -> None:
        """Wait until all that was begun is done, but not for long: a model may not answer at all."""
        give_up = time.monotonic() + PATIENCE
        while self._begun and time.monotonic() < give_up:
            wait_for(list(self._begun), give_up - time.monotonic())


class ReplyReader:
    """A reply that is read by one thread at a time, whoever closes it meanwhile."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._turn = threading.Lock()
        self._is_left = False

    def read(self, work: Callable[[Stream], _T]) -> _T:
        """What somebody reads of it."""
        with self._turn:
            return work(self._stream)

    def whole(self) -> Response:
        """All of it; only as far as the next words, once it was closed."""
        with self._turn:
            for _ in self._stream:
                if self._is_left:
                    self._stream.close()
            return self._stream.response

    def close(self) -> None:
        """End the reply: what was delivered of it is logged as interrupted, unless it has ended by itself."""
        self._is_left = True
        with self._turn:
            self._stream.close()


class ReplyStream:
    """The response that sends a reply while it comes; `farewell` gives the last event when the server stops."""

    def __init__(
        self, reading: ReplyReader, events: Iterator[bytes], workers: Workers, farewell: Callable[[], bytes]
    ) -> None:
        self._reading, self._events, self._workers, self._farewell = reading, events, workers, farewell

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; returns when the reply has ended, or was ended."""
        gone = asyncio.ensure_future(_hang_up(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            while event := await self._workers.waited(self._next, gone):
                await self._workers.before(send(_part(event)), gone)
            await send(_part(b"", last=True))
        except StreamEnded:
            if not gone.done():
                last = asyncio.ensure_future(_said(send, self._farewell()))
                await asyncio.wait({last, gone}, timeout=_LOOK)  # it may not read any more
                last.cancel()
        finally:
            gone.cancel()
            self._workers.begin(self._reading.close)

    def _next(self) -> bytes:
        return self._reading.read(lambda _: next(self._events, b""))


async def _hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _said(send: Send, event: bytes) -> None:
    await send(_part(event))
    await send(_part(b"", last=True))


def _part(data: bytes, *, last: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": not last}
