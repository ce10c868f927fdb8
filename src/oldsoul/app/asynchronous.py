"""The same verbs for an event loop: each runs in a worker thread, and is awaited.

`in_threads` makes them from the verbs there are. A caller that is cancelled stops waiting; a verb that has begun is
finished in its thread, so that no write is torn.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from oldsoul.app import Oldsoul
from oldsoul.app.agent import Agent
from oldsoul.app.jobs import Job
from oldsoul.errors import Closed

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

    from oldsoul.ports import Model
    from oldsoul.values.callers import Caller
    from oldsoul.values.context import Profile

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
    """Something whose verbs run in worker threads. It is made there too, when the first of them is called."""

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
        """What a verb gives, with its types: `await agent.call(Agent.recall, "cat", session=session)`."""
        return await self._threads.run(lambda: verb(self._one(), *args, **kwargs))

    if TYPE_CHECKING:

        def __getattr__(self, verb: str) -> Callable[..., Coroutine[Any, Any, Any]]: ...


def in_threads(kind: type) -> Callable[[type[_T]], type[_T]]:
    """Gives a class all public verbs of another, to be awaited; a property is called: `await job.state()`."""

    def given(made: type[_T]) -> type[_T]:
        for name in dir(kind):
            verb = getattr(kind, name)
            if name.startswith("_") or hasattr(made, name):
                continue
            if isinstance(verb, property):
                setattr(made, name, _awaited(verb.fget))
            elif callable(verb) and getattr(verb, "__self__", None) is None:
                setattr(made, name, _awaited(verb))
        return made

    return given


def _awaited(verb: Any) -> Any:
    @wraps(verb)
    async def awaited(self: Threaded[Any], *args: Any, **kwargs: Any) -> Any:
        found = await self.call(verb, *args, **kwargs)
        if isinstance(found, Job):
            return AsyncJob(self._threads, found)
        if isinstance(found, list):
            return [AsyncJob(self._threads, each) if isinstance(each, Job) else each for each in found]
        return found

    return awaited


@in_threads(Job)
class AsyncJob(Threaded[Job]):
    """Long work that was started, for an event loop."""

    def __init__(self, threads: _Threads, job: Job) -> None:
        super().__init__(threads, lambda: job)
        self.id = job.id
        """what it is known by"""

    def __repr__(self) -> str:
        return f"AsyncJob({self.id!r})"


@in_threads(Agent)
class AsyncAgent(Threaded[Agent]):
    """One agent's verbs for an event loop, for one caller."""

    def __repr__(self) -> str:
        return "<AsyncAgent not asked yet>" if self._made is None else f"<Async{repr(self._made)[1:]}"


@in_threads(Oldsoul)
class AsyncOldsoul(Threaded[Oldsoul]):
    """One home for an event loop: `async with AsyncOldsoul.open(home) as soul: …`."""

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        model: Model | None = None,
        profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
    ) -> Self:
        """The home at this folder, as `Oldsoul.open` has it; it is opened when it is entered, or first asked."""
        return cls(_Threads(), lambda: Oldsoul.open(home, model=model, profiles=profiles))

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
        """One agent by its id, for who calls; whether it is there is found out by its first verb."""
        return AsyncAgent(self._threads, lambda: self._one().agent(agent_id, caller=caller))

    async def close(self) -> None:
        """Let go of the home once all that was begun is finished; who waits for events is told, with `Closed`."""
        closing = asyncio.get_running_loop().run_in_executor(None, self._close)
        await asyncio.shield(closing)

    def _close(self) -> None:
        if self._made is not None:
            with suppress(Closed):
                self._made.parts.world.signal.close()
        self._threads.finish()
        if self._made is not None:
            self._made.close()
