"""When an index is brought up to date beside searches: as a session starts, and as its new messages become many."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from oldsoul.app.home.world import RebuildRequest
from oldsoul.errors import Damaged, OldsoulError
from oldsoul.ranking.options import SearchOptions
from oldsoul.settings import Settings
from oldsoul.values.history import Snapshot
from oldsoul.values.messages import Message, Thread, Wanted
from oldsoul.values.names import INDEXED, Kind, Name
from oldsoul.values.recall import SESSIONS, Recalled

if TYPE_CHECKING:
    from oldsoul.ports import ChatLog, Store
    from oldsoul.recall import Recall, Sources


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


class IndexBacklog:
    """Counts what was logged since it was indexed, in this process. That an index fails is told, and stops nobody."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}
        """by workspace: why its index could not be brought up to date the last time"""
        self.damaged: dict[str, str] = {}
        """by workspace: how its index was damaged the last time; it was rebuilt since, or is being rebuilt"""
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


MOST_FILES, MOST_SESSIONS, MOST_MESSAGES = 100, 20, 50
"""How much is searched by words alone while there is no index; the messages are those of one session."""
_FIRST = (Kind.USER, Kind.MEMORY, Kind.CORRECTIONS, Kind.CONFLICTS)


class _Stopped(OldsoulError):
    """The home is being closed."""


class _Work:
    """One index that is being made."""

    def __init__(self) -> None:
        self.far = ""
        self.thread: threading.Thread | None = None
        self.turn = threading.RLock()
        self.stopgap: Recall | None = None


class Rebuilds:
    """The indexes of one home that are being rebuilt."""

    def __init__(self) -> None:
        self._work: dict[str, _Work] = {}
        self._guard = threading.Lock()
        self._stopping = threading.Event()

    def begin(self, workspace: str, make: Callable[[RebuildRequest], bool]) -> None:
        """Have an agent's index rebuilt, unless that is going on."""
        with self._guard:
            work = self._work.setdefault(workspace, _Work())
            if self._stopping.is_set() or (work.thread is not None and work.thread.is_alive()):
                return
            name = f"oldsoul-index-{workspace}"
            work.thread = threading.Thread(target=self._make, args=(make, work), name=name, daemon=True)
            work.thread.start()

    def _make(self, make: Callable[[RebuildRequest], bool], work: _Work) -> None:
        def on_progress(done: int, total: int) -> None:
            work.far = f", {done:,} of {total:,} files so far"
            if self._stopping.is_set():
                raise _Stopped("the home is being closed; the rebuild continues the next time")

        try:
            make(RebuildRequest(on_progress))
        except FAILURES as error:
            work.far = f"; the last attempt failed: {error}"

    def note(self, workspace: str, meanwhile: str) -> str:
        """What a person should know of an index that is being rebuilt."""
        return f"the index is being rebuilt{self._work[workspace].far}; until then {meanwhile}"

    def making(self, workspace: str) -> str:
        """That this process is rebuilding an index, and how far it is; empty when it is not."""
        work = self._work.get(workspace)
        if work is None or work.thread is None or not work.thread.is_alive():
            return ""
        return f"this process is rebuilding this index{work.far}; wait for it"

    def answer(
        self, sources: Sources, stopgap: Callable[[Sources], Recall], ask: Callable[[Recall], Recalled]
    ) -> Recalled:
        """What there is to say while there is no index: by words alone, from the files and messages that matter most.

        That something is unknown cannot be told from these.
        """
        with self._guard:
            work = self._work.setdefault(sources.workspace, _Work())
        few = sources._replace(
            store=cast("Store", _SomeFiles(sources.store)), chat=lambda: _some_messages(sources.chat())
        )
        with work.turn:
            try:
                found = ask(_stopgap(work, stopgap, few))
            except Damaged:
                self.forget(sources.workspace)
                found = ask(_stopgap(work, stopgap, few))
        return replace(found, answer="unsure") if found.answer == "unknown" else found

    def forget(self, workspace: str) -> None:
        """There is an index again, or there is to be none: let go of what stood in for it."""
        work = self._work.get(workspace)
        if work is not None:
            with work.turn:
                if work.stopgap is not None:
                    work.stopgap.close()
                    work.stopgap = None

    def join(self, workspace: str = "") -> None:
        """Wait for what is being made: one index, or all."""
        for name, work in list(self._work.items()):
            if work.thread is not None and workspace in ("", name):
                work.thread.join()

    def stop(self) -> None:
        """Make no more: what was made so far is kept for another time."""
        self._stopping.set()
        self.join()
        for workspace in self._work:
            self.forget(workspace)


def _stopgap(work: _Work, make: Callable[[Sources], Recall], sources: Sources) -> Recall:
    """What stands in for the index; it is kept for the next question."""
    if work.stopgap is None:
        work.stopgap = make(sources)
    return work.stopgap


class _SomeFiles:
    """A store in which there are only some files: what is long known, then what changed last, then the archive."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def names(self, workspace: str) -> list[Name]:
        names = sorted((name for name in self._store.names(workspace) if name.kind in INDEXED), reverse=True)
        return sorted(names, key=self._place)[:MOST_FILES]

    def _place(self, name: Name) -> tuple[bool, bool, int]:
        return name.kind not in _FIRST, name.kind is Kind.ARCHIVE, -self._store.touched(name)

    def read(self, name: Name) -> Snapshot:
        return self._store.read(name)

    def version(self, name: Name) -> str:
        return self._store.version(name)

    def size(self, name: Name) -> int:
        return self._store.size(name)


class _SomeMessages:
    """A log in which there are only the latest sessions, and of each the latest messages."""

    def __init__(self, log: ChatLog) -> None:
        self._log = log

    def threads(self, workspace: str) -> list[Thread]:
        return self._log.threads(workspace)[:MOST_SESSIONS]

    def last(self, workspace: str) -> int:
        return self._log.last(workspace)

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        latest = replace(wanted, past=None, after=0, newest_first=True, limit=MOST_MESSAGES)
        found = [message for message in self._log.find(workspace, latest) if message.id > wanted.after]
        return [] if wanted.past else sorted(found, key=lambda message: message.id)


def _some_messages(log: ChatLog) -> ChatLog:
    return cast("ChatLog", _SomeMessages(log))
