"""One home while it is open: who is who, the indexes in use, and who works on them beside the callers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast

from oldsoul.app.home.index_upkeep import IndexBacklog, Rebuilds
from oldsoul.app.home.storage import NoWorld, Storage
from oldsoul.app.home.world import World
from oldsoul.errors import Closed
from oldsoul.lazy import lazy

if TYPE_CHECKING:
    from oldsoul.app import events, jobs
    from oldsoul.app.clock import timetable
    from oldsoul.app.clock.timetable import Timetable
    from oldsoul.app.events import Events
    from oldsoul.app.home import catalogue, mem0, people, services, tokens
    from oldsoul.app.home.catalogue import Catalogue
    from oldsoul.app.home.mem0 import Mem0s
    from oldsoul.app.home.people import People
    from oldsoul.app.home.services import Services
    from oldsoul.app.home.tokens import Tokens
    from oldsoul.app.jobs import Jobs
    from oldsoul.recall import Recall
else:
    events, jobs = lazy("oldsoul.app", "events", "jobs")
    (timetable,) = lazy("oldsoul.app.clock", "timetable")
    mem0, people, services = lazy("oldsoul.app.home", "mem0", "people", "services")
    catalogue, tokens = lazy("oldsoul.app.home", "catalogue", "tokens")


class BackgroundWorker(Protocol):
    """A worker in a thread, until it is stopped."""

    def stop(self) -> None:
        """Finish what was begun, and begin nothing more."""


class IndexWatcher(BackgroundWorker, Protocol):
    """Who keeps indexes up to date."""

    followed: frozenset[str]
    """the agents of whose files every change is told"""


class Home(Storage):
    """One home while it is open."""

    def __init__(self, world: World, *, makes: bool = False) -> None:
        super().__init__(world, makes=makes)
        self._closing = threading.Lock()
        self.recalls: dict[str, Recall] = {}
        """what searches each agent's memory, once it was asked"""
        self._discarded: list[Recall] = []
        self._working: Jobs | None = None
        self._mem0: Mem0s | None = None
        self.rebuilds = Rebuilds()
        """the indexes that are being rebuilt"""
        self.rebuilding: Callable[[int, int], None] | None = None
        """gets the progress of an index that has to be rebuilt first; without, it is rebuilt while searches go on"""
        self.watchers: list[IndexWatcher] = []
        """those who keep indexes up to date now"""
        self.schedulers: list[BackgroundWorker] = []
        """the schedulers that run keepers now"""
        self.catalogue: Catalogue = catalogue.Catalogue()
        """the entries of documents as they were last listed"""
        self.kept_days: dict[str, date] = {}
        """the day on which old days were last archived, by workspace"""

    @property
    def working(self) -> Jobs:
        """Long work in threads."""
        with self.opening:
            if self._closing.locked():
                raise Closed("this home is closed; open it again with Oldsoul.open")
            if self._working is None:
                self._working = jobs.Jobs(
                    self.world.records.jobs, self.world.records.leases, self.world.clock, self.world.signal
                )
            return self._working

    @cached_property
    def events_told(self) -> Events:
        """What happened, in one order."""
        sources = events.EventSources(
            self.workspaces,
            self.world.store,
            lambda: (self.settings.storage.chat, self.chat),
            self.world.config,
            self.world.clock,
            self.working.settle,
        )
        return events.Events(self.world.records.events, sources, self.world.signal)

    @cached_property
    def syncing(self) -> IndexBacklog:
        """Says when what was logged is to be indexed."""
        return IndexBacklog()

    @property
    def mem0(self) -> Mem0s:
        """Mem0 as a further source, where the settings want it."""
        with self.building:
            if self._mem0 is None:
                self._mem0 = mem0.Mem0s(self.world.searches.mem0)
            return self._mem0

    def drop_mem0(self, workspace: str) -> None:
        """Let go of an agent's Mem0, if it is open: its store is about to be erased."""
        if self._mem0 is not None:
            self._mem0.drop(workspace)

    @cached_property
    def people(self) -> People:
        """Who is who."""
        return people.People(self)

    @cached_property
    def services(self) -> Services:
        """The embedder and the language model."""
        return services.Services(self)

    @cached_property
    def tokens(self) -> Tokens:
        """Which programs are let in."""
        return tokens.Tokens(self)

    @cached_property
    def timetable(self) -> Timetable:
        """What runs when, with which result."""
        return timetable.Timetable(self)

    def close(self) -> None:
        """Let go of the home; a second time is fine. Whoever asks something of it afterwards is told, with `Closed`."""
        if not self._closing.acquire(blocking=False):
            return
        self.world.signal.close()
        for watcher in list(self.watchers):
            watcher.stop()
        for scheduler in list(self.schedulers):
            scheduler.stop()
        with self.opening:
            working = self._working  # nobody makes another from here on
        if working is not None:
            working.close()
        self.rebuilds.stop()
        with ExitStack() as closing:  # each of them, whatever becomes of the others
            closing.callback(self.world.store.close)
            closing.callback(self.world.records.close)
            if self._mem0 is not None:
                closing.callback(self._mem0.close)
            for recall in (*self.recalls.values(), *self._discarded):
                closing.callback(recall.close)
            self.world = cast("World", NoWorld())
            self.recalls.clear()
            self._discarded.clear()

    def discard_recall(self, workspace: str) -> None:
        """Have an agent's index opened again when it is needed next; another thread may still be asking this one."""
        recall = self.recalls.pop(workspace, None)
        if recall is not None:
            self._discarded.append(recall)
