"""Keeps indexes and history up to date as files change: as the system tells of them, and by looking, in case it does not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from oldsoul.app.home import Home
from oldsoul.app.home.index_upkeep import FAILURES
from oldsoul.app.parts import AgentServices
from oldsoul.app.services.index import Index
from oldsoul.errors import Unavailable
from oldsoul.ports import Changes
from oldsoul.values.history import ABSENT
from oldsoul.values.names import INDEXED, SHARED

_PATIENCE = 10
"""Files that never come to rest are read after so many times the quiet that is waited for."""

QUIET = 1.5
"""Seconds without a further change before one is read."""


class SyncEvent(NamedTuple):
    """What a watcher did."""

    agent: str
    """whose index it is about; empty when it is about watching itself"""
    number: int
    """how many documents and conversations were read"""
    problem: str = ""
    """why nothing was"""


class Watcher:
    """Watches the files of some agents, until it is stopped: with `run` here, with `start` in a thread."""

    def __init__(
        self,
        home: Home,
        agents: Sequence[str],
        on_event: Callable[[SyncEvent], None],
        *,
        every: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.followed: frozenset[str] = frozenset()
        """the agents of whose files every change is told"""
        self._home = home
        self._agents = tuple(agents)
        self._on_event = on_event
        self._every = every
        self._now = now
        self._changes: Changes | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._said: dict[str, str] = {}
        options = [home.settings_of(name).memory.search.sync for name in self._agents]
        minutes = [each.interval_minutes for each in options if each.interval_minutes]
        self._interval = min(minutes) * 60.0 if minutes else None

    def start(self) -> None:
        """Watch in a thread."""
        self._home.check_open()
        self._home.watchers.append(self)  # from here on whoever closes the home waits for it
        self._thread = threading.Thread(target=self.run, name="oldsoul-watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer; what is being read is finished first."""
        self._stopped.set()
        if self._changes is not None:
            self._changes.close()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def run(self) -> None:
        """Watch until somebody else says `stop`."""
        if self not in self._home.watchers:
            self._home.watchers.append(self)
        try:
            roots = self._roots()
            changes = self._changes = self._open(roots)
            try:
                if not self._stopped.is_set():
                    self._follow(changes, roots, self._take(self._agents))
            finally:
                self._trust(frozenset())
                changes.close()
        finally:
            self._home.watchers.remove(self)

    def _roots(self) -> dict[str, set[str]]:
        """The folders to be watched, each with the agents that what lies in it belongs to."""
        found: dict[str, set[str]] = {}
        world = self._home.world
        for name in self._agents:
            extras = world.outside.extras(name)
            folders = [*world.places.roots(name), *world.places.roots(SHARED), *(extras.folders if extras else ())]
            for folder in folders:
                found.setdefault(folder.rstrip("/"), set()).add(name)
        return found

    def _open(self, roots: Iterable[str]) -> Changes:
        try:
            changes = self._home.world.host.changes(list(roots))
        except Unavailable as error:
            self._on_event(SyncEvent("", 0, f"{error}; files are checked every {self._every:g} s instead"))
            return _Looking()
        self._trust(frozenset(self._agents))
        return changes

    def _trust(self, agents: frozenset[str]) -> None:
        """Have searches in this process look at files only when a change was reported."""
        self.followed = agents
        for name, recall in list(self._home.recalls.items()):
            if name in self._agents:
                recall.watched = name in agents

    def _follow(self, changes: Changes, roots: dict[str, set[str]], again: set[str]) -> None:
        """Wait for changes, then for quiet, and take in what there is; what failed comes again with the next look."""
        due: set[str] = set()
        since = looked = self._now()
        while (told := changes.wait(QUIET if due else self._every)) is not None:
            now = self._now()
            concerned = self._concerned(told, roots)
            for name in concerned:
                with suppress(*FAILURES):  # reported when it is read
                    AgentServices(self._home, name).recaller.touch()
            since = since if due else now
            due |= concerned
            if due:
                if not told or now - since >= QUIET * _PATIENCE:
                    again |= self._take(due)
                    due = set()
            elif not told:
                is_time = not self.followed or (self._interval is not None and now - looked >= self._interval)
                looked = now if is_time else looked
                again = self._take(self._agents if is_time else {*again, *self._behind()})

    def _concerned(self, told: Collection[str], roots: dict[str, set[str]]) -> set[str]:
        """The agents whose memory files or further paths may be others now."""
        found: set[str] = set()
        for path in told:
            for root, agents in roots.items():
                if path == root or (path.startswith(f"{root}/") and _may_be_memory(path[len(root) + 1 :])):
                    found |= agents
        return found

    def _behind(self) -> list[str]:
        """Those for whom something was logged or changed by other processes."""
        return [name for name in self._agents if self._is_behind(name)]

    def _is_behind(self, name: str) -> bool:
        try:
            return AgentServices(self._home, name).recaller.is_behind()
        except FAILURES:  # reported when it is read
            return True

    def _take(self, agents: Iterable[str]) -> set[str]:
        """Bring indexes up to date; gives those that could not be."""
        failed: set[str] = set()
        for name in sorted(agents):
            agent = AgentServices(self._home, name)
            try:
                self._notice(agent)
                count = Index(agent, self._home.owner).sync()
            except FAILURES as error:  # told, and tried again: one bad moment must not end the watch
                failed.add(name)
                problem = str(error) or type(error).__name__
                if self._said.get(name) != problem:
                    self._on_event(SyncEvent(name, 0, problem))
                self._said[name] = problem
            else:
                self._said.pop(name, None)
                if count:
                    self._on_event(SyncEvent(name, count))
        return failed

    def _notice(self, agent: AgentServices) -> None:
        """Have edits of the files that are in no index recorded too, such as those of SOUL.md."""
        store = self._home.world.store
        for name in {*store.names(agent.id), *store.known(agent.id)}:
            if name.kind not in INDEXED and store.version(name) != (store.recorded(name) or ABSENT):
                agent.read(name)


class _Looking:
    """What there is where nobody tells of changes: time that passes."""

    def __init__(self) -> None:
        self._closed = threading.Event()

    def wait(self, seconds: float) -> Collection[str] | None:
        return None if self._closed.wait(seconds) else ()

    def close(self) -> None:
        self._closed.set()


def _may_be_memory(path: str) -> bool:
    """Whether a path is one of Markdown, or may be a folder's; what is hidden is neither."""
    *folders, name = path.split("/")
    return not any(part.startswith(".") for part in (*folders, name)) and (name.endswith(".md") or "." not in name)
