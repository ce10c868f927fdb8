"""What does as a test says: a clock, changes of files, a model, leases."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from oldsoul.errors import Unavailable
from oldsoul.values.models import Piece, Reply, Request, ToolCall, Usage

Scripted = Piece | Exception | Sequence[Piece | Exception]


class FrozenClock:
    """A clock that moves only when it is told to."""

    def __init__(self, start: datetime = datetime(2026, 2, 4, 12, 0, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time it is at."""
        return self._now

    def advance(self, step: timedelta) -> None:
        """Move it."""
        self._now += step


class ToldChanges:
    """Files that change when a test says so. Whoever waits, waits until it says something."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[frozenset[str] | None] = queue.SimpleQueue()
        self._more = threading.Condition()
        self.waits: list[float] = []
        """how many seconds were to be waited for, each time"""

    def waited(self, times: int, limit: float = 60.0) -> bool:
        """Whether somebody has come to wait so many times; waits for that itself, up to a limit in seconds."""
        with self._more:
            return self._more.wait_for(lambda: len(self.waits) >= times, limit)

    def tell(self, *paths: str) -> None:
        """These files changed; with none, the time that is waited for is over."""
        self._told.put(frozenset(paths))

    def wait(self, seconds: float) -> frozenset[str] | None:
        with self._more:
            self.waits.append(seconds)
            self._more.notify_all()
        return self._told.get()

    def close(self) -> None:
        self._told.put(None)


class ScriptedModel:
    """A language model that says what it was told to say, in order; then it is out of reach."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []
        """what it was asked: the rules and the question, each time"""

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """The next answer of the script."""
        del schema
        self.asked.append((system, text))
        if not self.answers:
            raise Unavailable("the script is over")
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, len(text) // 4, len(answer) // 4)


class ScriptedTalker:
    """A language model that says in conversations what it was told to say, in order; then it is out of reach.

    A line of the script is a text, a call of a tool, an error, several of these, or a function of the request.
    """

    def __init__(self, *script: Scripted | Callable[[Request], Scripted]) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        """what it was sent, each time"""

    def talk(self, request: Request) -> Iterator[Piece]:
        """The next line of the script."""
        self.requests.append(request)
        if not self.script:
            raise Unavailable("the script is over")
        line = self.script.pop(0)
        made = line(request) if callable(line) else line
        pieces = [made] if isinstance(made, str | ToolCall | Usage | Exception) else made
        for piece in pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece
        if not any(isinstance(piece, Usage) for piece in pieces):
            yield Usage(sum(len(turn.text) for turn in request.turns) // 4, 1, "scripted")


class MemoryLeases:
    """Leases in a dictionary, with everything real ones promise but being seen by other processes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: set[tuple[str, str]] = set()
        self._notes: dict[tuple[str, str], str] = {}

    @contextmanager
    def take(self, workspace: str, work: str) -> Iterator[_MemoryLease | None]:
        what = workspace, work
        with self._guard:
            is_free = what not in self._held
            if is_free:
                self._held.add(what)
        if not is_free:
            yield None
            return
        try:
            lease = _MemoryLease(self._notes, what)
            yield lease
            if lease.is_noted:
                self._notes.pop(what, None)
        finally:
            self._held.discard(what)

    def noted(self, workspace: str, work: str) -> str | None:
        what = workspace, work
        return self._notes.get(what, "") if what in self._held else None


class _MemoryLease:
    def __init__(self, notes: dict[tuple[str, str], str], what: tuple[str, str]) -> None:
        self._notes = notes
        self._what = what
        self.is_noted = False
        self.left = notes.get(what, "")

    def note(self, text: str) -> None:
        self.is_noted = True
        self._notes[self._what] = text
