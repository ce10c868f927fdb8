"""The same methods for an event loop: each runs in a worker thread and is awaited.

`in_threads` makes them from the synchronous classes. A cancelled task stops waiting; a method that has begun is
finished in its thread, so that no write is half done.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from oldsoul.app import Oldsoul
from oldsoul.app.agent import Agent
from oldsoul.app.jobs import Job
from oldsoul.app.replying.replies import Stream
from oldsoul.app.services.files import Files
from oldsoul.app.services.index import Index
from oldsoul.app.services.keepers import Keepers
from oldsoul.app.services.memory import Memory
from oldsoul.app.services.review import Review
from oldsoul.app.services.rights import Service
from oldsoul.app.services.talk import Talk
from oldsoul.errors import Closed
from oldsoul.ports import Model, Talker
from oldsoul.values.callers import Caller
from oldsoul.values.context import Profile
from oldsoul.values.runtime import Backup

_T = TypeVar("_T")
_Made = TypeVar("_Made")
_P = ParamSpec("_P")
_THREADS = 64
"""So many verbs run at once; those that only wait for events among them."""


class _Threads:
    """The worker threads of one home."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="oldsoul")

    async def run(self, work: Callable[[], _T]) -> _T:
        """What the work gives; it is not begun for a caller who was cancelled before, and not stopped for one after."""
        try:
            begun = self._pool.submit(work)
        except RuntimeError:
            raise Closed("this home is closed; open it again with AsyncOldsoul.open") from None
        waiting = asyncio.wrap_future(begun)
        try:
            await asyncio.wait((waiting,))
        except asyncio.CancelledError:
            begun.cancel()
            waiting.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody wants to know
            raise
        return waiting.result()

    def finish(self) -> None:
        """Wait for all that was begun; nothing is begun any more."""
        self._pool.shutdown(wait=True)


class Threaded(Generic[_Made]):
    """An object whose methods run in worker threads. It is created there too, on the first call."""

    def __init__(self, threads: _Threads, make: Callable[[], _Made]) -> None:
        self._threads = threads
        self._make = make
        self._made: _Made | None = None
        self._making = threading.Lock()

    def _one(self) -> _Made:
        with self._making:
            if self._made is None:
                self._made = self._make()
            return self._made

    async def call(self, verb: Callable[Concatenate[_Made, _P], _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a method and keep its types: `await agent.call(Agent.recall, "cat", session=session)`."""
        return await self._threads.run(lambda: verb(self._one(), *args, **kwargs))

    if TYPE_CHECKING:

        def __getattr__(self, verb: str) -> Callable[..., Coroutine[Any, Any, Any]]: ...


def in_threads(kind: type) -> Callable[[type[_T]], type[_T]]:
    """Give a class all public methods of another, to be awaited; a property becomes a method: `await job.state()`."""

    def given(made: type[_T]) -> type[_T]:
        for name in dir(kind):
            verb = getattr(kind, name)
            if name.startswith("_") or hasattr(made, name):
                continue
            if isinstance(verb, cached_property):
                setattr(made, name, _service(name))
            elif isinstance(verb, property):
                setattr(made, name, _awaited(verb.fget))
            elif callable(verb) and getattr(verb, "__self__", None) is None:
                setattr(made, name, _awaited(verb))
        return made

    return given


SERVICES: dict[str, type[Service]] = {
    "memory": Memory,
    "talk": Talk,
    "files": Files,
    "review": Review,
    "keepers": Keepers,
    "index": Index,
}
"""What an agent has that is no method, and has its own methods."""


def _service(name: str) -> property:
    """A service of an agent, with its methods to be awaited."""
    kind = SERVICES[name]
    made: Any = in_threads(kind)(type(f"Async{kind.__name__}", (Threaded,), {"__doc__": kind.__doc__}))

    def service(self: Threaded[Any]) -> Any:
        return made(self._threads, lambda: getattr(self._one(), name))

    return property(service, doc=kind.__doc__)


def _awaited(verb: Any) -> Any:
    @wraps(verb)
    async def awaited(self: Threaded[Any], *args: Any, **kwargs: Any) -> Any:
        found = await self.call(verb, *args, **kwargs)
        if isinstance(found, Job):
            return AsyncJob(self._threads, found)
        if isinstance(found, Stream):
            return AsyncStream(self._threads, found)
        if isinstance(found, list):
            return [AsyncJob(self._threads, each) if isinstance(each, Job) else each for each in found]
        return found

    return awaited


@in_threads(Job)
class AsyncJob(Threaded[Job]):
    """A job, for an event loop."""

    def __init__(self, threads: _Threads, job: Job) -> None:
        super().__init__(threads, lambda: job)
        self.id = job.id
        """its id"""

    def __repr__(self) -> str:
        return f"AsyncJob({self.id!r})"


@in_threads(Stream)
class AsyncStream(Threaded[Stream]):
    """A reply that is read while it comes, for an event loop: `async for piece in await agent.stream(…)`."""

    def __init__(self, threads: _Threads, stream: Stream) -> None:
        super().__init__(threads, lambda: stream)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        piece = await self.call(lambda stream: next(stream, None))
        if piece is None:
            raise StopAsyncIteration
        return piece


@in_threads(Agent)
class AsyncAgent(Threaded[Agent]):
    """One agent for one caller, for an event loop. It has the methods of `Agent` and its services, each awaited."""

    if TYPE_CHECKING:
        memory: Threaded[Memory]
        talk: Threaded[Talk]
        files: Threaded[Files]
        review: Threaded[Review]
        keepers: Threaded[Keepers]
        index: Threaded[Index]

    def __repr__(self) -> str:
        return "<AsyncAgent not asked yet>" if self._made is None else f"<Async{repr(self._made)[1:]}"


@in_threads(Oldsoul)
class AsyncOldsoul(Threaded[Oldsoul]):
    """One home, for an event loop: `async with AsyncOldsoul.open(home) as soul: …`.

    It has the methods of `Oldsoul`, each awaited but for `open` and `agent`; properties are awaited as methods.
    """

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        model: Model | None = None,
        talker: Talker | None = None,
        profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
    ) -> Self:
        """Prepare the home like `Oldsoul.open`; it is opened on entering, or on the first call."""
        return cls(_Threads(), lambda: Oldsoul.open(home, model=model, talker=talker, profiles=profiles))

    @classmethod
    async def restore(
        cls,
        file: str | Path,
        home: str | Path | None = None,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Backup:
        """Restore a home like `Oldsoul.restore`; `on_progress` is called in the background thread."""
        return await asyncio.to_thread(Oldsoul.restore, file, home, on_progress)

    def __repr__(self) -> str:
        return "<AsyncOldsoul not opened yet>" if self._made is None else f"<Async{repr(self._made)[1:]}"

    async def __aenter__(self) -> Self:
        await self._threads.run(self._one)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def agent(self, agent_id: str | None = None, *, caller: Caller | None = None) -> AsyncAgent:
        """Return one agent by its id, for a caller; its first method call raises `NotFound` if it does not exist."""
        return AsyncAgent(self._threads, lambda: self._one().agent(agent_id, caller=caller))

    async def close(self) -> None:
        """Close the home when all calls that have begun are finished; waits for events end with `Closed`."""
        closing = asyncio.get_running_loop().run_in_executor(None, self._close)
        await asyncio.shield(closing)

    def _close(self) -> None:
        if self._made is not None:
            with suppress(Closed):
                self._made._home.world.signal.close()
        self._threads.finish()
        if self._made is not None:
            self._made.close()
