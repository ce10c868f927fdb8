"""Mem0 beside our own memory: filled from the chat log, asked with every question, and never waited for too long."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from oldsoul.errors import OldsoulError, Unavailable
from oldsoul.ports import ChatLog, SecondMemory
from oldsoul.settings import Settings
from oldsoul.values.messages import Wanted
from oldsoul.values.recall import SESSIONS, Chunk, Filters, Hit, Recalled

PATIENCE, OPENING = 2.0, 10.0
"""Seconds that a question waits for an answer; and for the first one, before which everything has to be loaded."""
REST = 30.0
"""Seconds for which somebody who was late is not asked again."""
_LEAVING = 10.0
_BATCH = 50
_WIDER = 4


class Mem0Worker:
    """One workspace's Mem0 in a separate thread; `make` opens it there."""

    def __init__(self, workspace: str, make: Callable[[], SecondMemory]) -> None:
        self.problem = ""
        """why the last messages could not be stored"""
        self._workspace = workspace
        self._make = make
        self._memory: SecondMemory | None = None
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[SecondMemory], Any]] | None] = queue.SimpleQueue()
        self._is_wanted = False
        self._is_closing = False
        self._rests_until = 0.0
        self._thread = threading.Thread(target=self._work, name=f"mem0 of {workspace}", daemon=True)
        self._thread.start()

    def ask(self, work: Callable[[SecondMemory], list[Hit]]) -> list[Hit]:
        """What Mem0 gives; `Unavailable` when it fails, or is late."""
        if time.monotonic() < self._rests_until:
            raise Unavailable(f"it did not answer in time and is asked again after {REST:g} seconds")
        patience = PATIENCE if self._memory is not None else OPENING
        answer = self._submit(work)
        try:
            found: list[Hit] = answer.result(patience)
        except TimeoutError:
            answer.cancel()
            self._rests_until = time.monotonic() + REST
            raise Unavailable(f"it did not answer within {patience:g} seconds") from None
        return found

    def fill(self, log: ChatLog) -> None:
        """Have it take what was logged since, some messages at a time, so that questions come in between."""
        if not (self._is_wanted or self._is_closing):
            self._is_wanted = True
            self._submit(lambda memory: self._fill(memory, log)).add_done_callback(self._filled)

    def _fill(self, memory: SecondMemory, log: ChatLog) -> None:
        self._is_wanted = False
        page = log.find(self._workspace, Wanted(after=memory.reached, by_number=True, limit=_BATCH))
        if page:
            memory.take(page)
            self.fill(log)

    def _filled(self, done: Future[None]) -> None:
        error = done.exception()
        self.problem = str(error) if error else ""
        self._is_wanted = self._is_wanted and not error

    def close(self) -> None:
        """Finish what was begun and let go; one who takes too long is left behind."""
        self._is_closing = True
        self._jobs.put(None)
        self._thread.join(_LEAVING)

    def _submit(self, work: Callable[[SecondMemory], Any]) -> Future[Any]:
        answer: Future[Any] = Future()
        self._jobs.put((answer, work))
        return answer

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            answer, work = job
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(work(self._opened()))
                except OldsoulError as error:
                    answer.set_exception(error)
                except Exception as error:  # noqa: BLE001 - another program's errors: whatever they are, they are told
                    answer.set_exception(Unavailable(f"{type(error).__name__}: {error}"))
        if self._memory is not None:
            self._memory.close()

    def _opened(self) -> SecondMemory:
        if self._memory is not None and self._memory.gone:
            old, self._memory = self._memory, None
            old.close()
        if self._memory is None:
            self._memory = self._make()
        return self._memory


class Mem0s:
    """The Mem0 of each agent that has one."""

    def __init__(self, make: Callable[[str, Settings], SecondMemory]) -> None:
        self._make = make
        self._desks: dict[str, Mem0Worker] = {}
        self._guard = threading.Lock()

    def heard(self, workspace: str, settings: Settings, log: ChatLog) -> None:
        """Something was logged: have it stored, where the settings say so. Nobody waits for it."""
        if settings.memory.search.mem0.store_enabled:
            self._desk(workspace, settings).fill(log)

    def beside(
        self,
        found: Recalled,
        of: tuple[str, Settings, ChatLog],
        query: str,
        filters: Filters,
        *,
        limit: int,
        minimum: float,
    ) -> Recalled:
        """What was recalled, with what Mem0 finds after it; without it, and a note, where Mem0 cannot be asked.

        There are never more results than asked for. Mem0's get the places that ours leave free, and up to a third of
        all, unless ours contradict each other and so belong together.
        """
        if filters.tag or (filters.sources and SESSIONS not in filters.sources):
            return found
        self.heard(*of)
        desk = self._desk(*of[:2])
        try:
            told = desk.ask(lambda memory: memory.search(query, filters.view, _WIDER * limit))
        except OldsoulError as error:
            return replace(found, notes=(*found.notes, f"Mem0 is left out: {error}"))
        notes = (f"recent messages are not in Mem0 yet: {desk.problem}",) if desk.problem else ()
        known = {hit.chunk.entry for hit in found.hits}
        fresh = [hit for hit in told if hit.score >= minimum and hit.chunk.entry not in known]
        fresh = [hit for hit in fresh if _fits(hit.chunk, filters)]
        return _joined(replace(found, notes=(*found.notes, *notes)), fresh, limit)

    def drop(self, workspace: str) -> None:
        """Let go of an agent's Mem0: its store is about to be taken away."""
        with self._guard:
            desk = self._desks.pop(workspace, None)
        if desk is not None:
            desk.close()

    def close(self) -> None:
        """Let go of all of them."""
        for workspace in list(self._desks):
            self.drop(workspace)

    def _desk(self, workspace: str, settings: Settings) -> Mem0Worker:
        with self._guard:
            if workspace not in self._desks:
                self._desks[workspace] = Mem0Worker(workspace, lambda: self._make(workspace, settings))
            return self._desks[workspace]


def _joined(found: Recalled, fresh: Sequence[Hit], limit: int) -> Recalled:
    """Ours first, then Mem0's. What the answer is, is for ours to say: how sure Mem0 is cannot be seen from its scores."""
    spared = 0 if found.answer == "conflicting" else min(limit // 3, len(fresh))
    ours = found.hits[: limit - spared]
    return replace(found, hits=(*ours, *fresh[: limit - len(ours)]))


def _fits(chunk: Chunk, filters: Filters) -> bool:
    """Whether a message is among what a search is restricted to."""
    if filters.since and (chunk.time is None or chunk.time < filters.since):
        return False
    if filters.until and (chunk.time is None or chunk.time >= filters.until):
        return False
    wanted = ((filters.room, chunk.room), (filters.person, chunk.person), (filters.path, chunk.path))
    return all(asked in ("", has) for asked, has in wanted)
