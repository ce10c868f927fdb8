"""Tells clients which resources changed: it follows the events of the home and compares what each client may see."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from anyio import CapacityLimiter, to_thread
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated, ServerEvent

from oldsoul.app import Oldsoul
from oldsoul.errors import BadInput, Closed, Gone, OldsoulError
from oldsoul.faces.mcp import documents
from oldsoul.faces.mcp.documents import McpClient
from oldsoul.values.callers import Caller
from oldsoul.values.jobs import Happened

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

_T = TypeVar("_T")
NOW = "now"
"""The cursor of what happens next."""
MOST_FOLLOWED = 1000
"""How many resources a client may follow at once."""
_WAIT = 2.0
"""Seconds after which files are compared though no event came: somebody may have edited one by hand."""
_MOST_WAITING = 200
_log = logging.getLogger("oldsoul")


def _too_many() -> BadInput:
    return BadInput(f"at most {MOST_FOLLOWED} resources can be followed at once")


class Notices:
    """The change notices of one server; clients with the same caller share one follower."""

    def __init__(self, soul: Oldsoul, stopping: Callable[[], bool]) -> None:
        self._soul, self._stopping = soul, stopping
        self._followers: dict[tuple[str, Caller], Follower] = {}
        self._waiting = CapacityLimiter(_MOST_WAITING)

    @asynccontextmanager
    async def following(self, at: McpClient, uris: Collection[str]) -> AsyncIterator[Follower]:
        """Follow changes of these resources, and of the list of resources, while the block runs."""
        if len(uris) > MOST_FOLLOWED:
            raise _too_many()
        key = at.agent.id, at.caller
        follower = self._followers.setdefault(key, Follower(self._soul, at, self._waiting))
        follower.clients += 1
        try:
            await follower.add(uris, self._stopping)
            yield follower
        finally:
            follower.clients -= 1
            follower.remove(uris)
            if not follower.clients:
                del self._followers[key]
                follower.stop()


class Follower:
    """Follows what one caller may see."""

    def __init__(self, soul: Oldsoul, at: McpClient, waiting: CapacityLimiter) -> None:
        self.bus = InMemorySubscriptionBus()
        """where it publishes what changed"""
        self.listeners: dict[Callable[[], None], Callable[[], bool]] = {}
        """how to end each of those who listen, and what says whether it may still listen"""
        self.clients = 0
        """how many use it"""
        self._soul, self._at, self._waiting = soul, at, waiting
        self._uris: Counter[str] = Counter()
        self._seen: dict[str, str] = {}
        self._listed: list[str] = []
        self._cursor = ""
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    async def add(self, uris: Collection[str], stopping: Callable[[], bool]) -> None:
        """Follow these resources from now on, until the server stops."""
        new = [uri for uri in uris if not self._uris[uri]]
        self._uris.update(uris)
        async with self._starting:
            if self._task is None:
                self._cursor = await self._threaded(lambda: self._events(NOW).cursor)
                self._listed = await self._threaded(lambda: documents.paths(self._at))
            seen = await self._threaded(lambda: self._look(new))
            self._seen |= {uri: text for uri, text in seen.items() if uri in self._uris}
            if self._task is None:
                self._task = asyncio.create_task(self._follow(stopping))

    def remove(self, uris: Collection[str]) -> None:
        """Do not follow these any more, unless another client does."""
        self._uris.subtract(uris)
        for uri in [uri for uri, clients in self._uris.items() if clients <= 0]:
            del self._uris[uri]
            self._seen.pop(uri, None)

    def stop(self) -> None:
        """End the following."""
        if self._task is not None:
            self._task.cancel()

    async def _follow(self, stopping: Callable[[], bool]) -> None:
        while not stopping():
            try:
                await self._compare()
            except Gone:
                self._cursor = NOW
            except Closed:
                break
            except (OldsoulError, OSError) as error:
                _log.warning("mcp: cannot look for changes: %s", error)
                await asyncio.sleep(_WAIT)
        for end in [*self.listeners]:
            end()

    async def _compare(self) -> None:
        """Wait for something to happen, then publish what changed since the last look."""
        page = await self._threaded(lambda: self._events(self._cursor, _WAIT))
        self._cursor = page.cursor
        await self._dismiss()
        seen = await self._threaded(partial(self._look, [*self._seen]))
        changed = [uri for uri, text in seen.items() if self._seen.get(uri, text) != text]
        self._seen |= {uri: text for uri, text in seen.items() if uri in self._seen}
        for uri in changed:
            await self.bus.publish(ResourceUpdated(uri))
        if any(event.kind == "change" for event in page):
            listed, self._listed = self._listed, await self._threaded(lambda: documents.paths(self._at))
            if listed != self._listed:
                await self.bus.publish(ResourcesListChanged())

    async def _dismiss(self) -> None:
        """End those who may not listen any more."""
        listeners = [*self.listeners.items()]
        over = await self._threaded(lambda: [end for end, may_listen in listeners if not may_listen()])
        for end in over:
            end()

    async def _threaded(self, work: Callable[[], _T]) -> _T:
        """What the work returns. It waits in a thread that no call of a tool needs; nobody waits for one that is left."""
        return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._waiting)

    def _events(self, after: str, wait: float = 0.0) -> Happened:
        return self._soul.events(after, caller=self._at.agent.caller, wait=wait)

    def _look(self, uris: Collection[str]) -> dict[str, str]:
        return {uri: documents.fingerprint(self._at, uri) for uri in uris}


class Subscriptions:
    """What a client of the older protocol follows: it subscribes to one resource after the other on one connection."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._open: dict[str, AsyncExitStack] = {}
        self._told: asyncio.Queue[ServerEvent] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def add(self, session: ServerSession, at: McpClient, uri: str = "") -> None:
        """Tell of changes of a resource; without one, of the list of resources."""
        if uri in self._open:
            return
        if len(self._open) > MOST_FOLLOWED:
            raise _too_many()
        self._open[uri] = stack = AsyncExitStack()
        try:
            follower = await stack.enter_async_context(self._notices.following(at, [uri] if uri else []))
        except BaseException:
            self._open.pop(uri, None)
            raise
        stack.callback(follower.bus.subscribe(lambda event: self._hear(event, uri)))
        self._task = self._task or asyncio.create_task(self._tell(session))

    async def remove(self, uri: str) -> None:
        """Tell no more of a resource."""
        if uri in self._open:
            await self._open.pop(uri).aclose()

    async def close(self) -> None:
        """Tell of nothing any more."""
        for uri in [*self._open]:
            await self.remove(uri)
        if self._task is not None:
            self._task.cancel()

    def _hear(self, event: ServerEvent, uri: str) -> None:
        if event == (ResourceUpdated(uri) if uri else ResourcesListChanged()):
            self._told.put_nowait(event)

    async def _tell(self, session: ServerSession) -> None:
        while True:
            event = await self._told.get()
            if isinstance(event, ResourceUpdated):
                await session.send_resource_updated(event.uri)
            else:
                await session.send_resource_list_changed()
