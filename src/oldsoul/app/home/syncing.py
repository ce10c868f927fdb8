"""When an index is brought up to date beside searches: as a session starts, and as its new messages become many."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

from oldsoul.errors import OldsoulError
from oldsoul.values.messages import Wanted
from oldsoul.values.recall import SESSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oldsoul.ports import ChatLog
    from oldsoul.ranking.options import SearchOptions
    from oldsoul.recall import Recall
    from oldsoul.settings import Settings
    from oldsoul.values.messages import Message

FAILURES = (OldsoulError, OSError)
"""How bringing an index up to date can fail: it is held, damaged, the disk is full, a server is away."""


class Indexed(Protocol):
    """Somebody whose memory is indexed."""

    id: str
    """whose"""

    @property
    def settings(self) -> Settings:
        """What is set for it."""

    @property
    def recaller(self) -> Recall:
        """What searches its memory."""


_MOST_BEGUN = 10_000
"""So many sessions are known to have begun without a look into the log."""


class Syncing:
    """Counts what was logged since it was indexed, in this process. That an index fails is told, and stops nobody."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}
        """by workspace: why its index could not be brought up to date the last time"""
        self.damaged: dict[str, str] = {}
        """by workspace: how its index was damaged the last time; it was made anew since, or is being made"""
        self._waiting: dict[str, dict[str, tuple[int, int]]] = {}  # by workspace and session: messages, and their bytes
        self._begun: set[tuple[str, str]] = set()
        self._guard = threading.Lock()

    def starts(self, agent: Indexed, log: ChatLog, session: str) -> bool:
        """Whether a session is about to start: nothing was ever said in it. To be asked before its message is logged."""
        if (agent.id, session) in self._begun:
            return False
        if len(self._begun) >= _MOST_BEGUN:  # the log knows about those that are let go
            self._begun.clear()
        self._begun.add((agent.id, session))
        search = agent.settings.memory.search
        if not (search.enabled and search.sync.on_session_start):
            return False
        return not log.find(agent.id, Wanted(session=session, limit=1))

    def started(self, agent: Indexed) -> None:
        """A session has started: have everything in the index, but for vectors that a service would be asked for."""
        self._attempt(agent, lambda: agent.recaller.sync(most_vectors=0))
        if agent.id not in self.problems:
            self.caught_up(agent.id)

    def heard(self, agent: Indexed, messages: Iterable[Message]) -> None:
        """Messages were logged: index those of a conversation in which enough is new."""
        search = agent.settings.memory.search
        if search.enabled and SESSIONS in search.sources:
            many = self._counted(agent.id, messages, search)
            if many:
                self._attempt(agent, lambda: agent.recaller.heard(many))

    def caught_up(self, workspace: str) -> None:
        """Everything that was logged is in the index."""
        with self._guard:
            self._waiting.pop(workspace, None)
        self.problems.pop(workspace, None)

    def _counted(self, workspace: str, messages: Iterable[Message], search: SearchOptions) -> list[str]:
        """The sessions in which enough is new; they are counted from nothing again."""
        limits = search.sync.sessions
        with self._guard:
            waiting = self._waiting.setdefault(workspace, {})
            for message in messages:
                count, size = waiting.get(message.session.id, (0, 0))
                waiting[message.session.id] = count + 1, size + len(message.text.encode("utf-8", "replace"))
            many = [
                session
                for session, (count, size) in waiting.items()
                if count >= limits.delta_messages or size >= limits.delta_bytes
            ]
            for session in many:
                del waiting[session]
        return many

    def _attempt(self, agent: Indexed, work: Callable[[], object]) -> None:
        try:
            work()
        except FAILURES as error:  # what was logged is logged; the index is made of it at any later time
            self.failed(agent.id, error)
        else:
            self.problems.pop(agent.id, None)

    def failed(self, workspace: str, error: Exception) -> None:
        """An index could not be brought up to date."""
        self.problems[workspace] = f"the index could not be updated: {str(error) or type(error).__name__}"
