"""Oldsoul and Agent: the verbs. Every face calls these and nothing below them."""

from __future__ import annotations

import os
import threading
import time
import uuid
from contextlib import ExitStack
from datetime import UTC
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from oldsoul.app.agent import Agent, File, Making, Remembered
from oldsoul.app.forgetting import BEGUN as FORGETTING
from oldsoul.errors import Closed, NotFound, Refused, Unavailable
from oldsoul.rules.tokens import estimated
from oldsoul.values.changes import Author, ChangeSet, Role
from oldsoul.values.names import SHARED, checked_workspace
from oldsoul.values.origin import Origin
from oldsoul.values.runtime import Machine
from oldsoul.values.sessions import OWNER_SUBJECT, Session, Subject
from oldsoul.workspace import FOLDERS, seeds, template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date, tzinfo
    from pathlib import Path
    from types import TracebackType

    from oldsoul.app.conversations import Heard
    from oldsoul.app.events import Events
    from oldsoul.app.mem0 import Mem0s
    from oldsoul.app.people import People
    from oldsoul.app.rebuilding import Rebuilds
    from oldsoul.app.scheduling import Scheduler, Told
    from oldsoul.app.signal import Signal
    from oldsoul.app.syncing import Syncing
    from oldsoul.app.timetable import Timetable
    from oldsoul.app.watching import Taken, Watcher
    from oldsoul.driver import Driver
    from oldsoul.ledger import Ledger, LedgerOptions, Outcome, Stores
    from oldsoul.ports import (
        Changes,
        ChatLog,
        Clock,
        EventLog,
        Extras,
        Leases,
        Model,
        Notify,
        Places,
        SecondMemory,
        SkillRoots,
        Usage,
    )
    from oldsoul.recall import Recall, Sources
    from oldsoul.settings import Loaded, Settings
    from oldsoul.values.audience import View
    from oldsoul.values.context import Profile
    from oldsoul.values.events import Happened

__all__ = ["Agent", "File", "Oldsoul", "Remembered", "Session", "Subject", "World"]

_TRIES, _PAUSE = 15, 0.2
"""How often, and after how many seconds, missing files are tried again: a save that takes longer is none."""


def _no_recall(*_: object) -> Recall:
    raise Refused("this home has no index, so nothing can be searched")


def _no_mem0(*_: object) -> SecondMemory:
    raise Unavailable("this home has no Mem0")


def _no_leases() -> Leases:
    raise Refused("nothing is run by the clock here")


def _no_changes(_: Sequence[str]) -> Changes:
    raise Unavailable("nobody tells of files that change here")


def _no_program(*_: object) -> bytes:
    raise Unavailable("no programs are started here")


def _no_events() -> EventLog:
    raise Refused("nobody writes down what happens here")


class World(NamedTuple):
    """What the verbs stand on; built by `wiring` alone."""

    home: str
    """the data folder"""
    store: Stores
    """documents and history"""
    places: Places
    """where workspaces lie"""
    clock: Clock
    """tells the time"""
    settings: Callable[[str | None], Loaded]
    """the settings of the home, or as they hold for one agent"""
    chat: Callable[[], ChatLog]
    """opens the log of all conversations"""
    usage: Callable[[], Usage]
    """opens what is known of the use of entries"""
    signal: Signal
    """given when something became durable"""
    recall: Callable[[Sources, Settings, Clock], Recall] = _no_recall
    """makes an agent's recall"""
    extras: Callable[[str], Extras | None] = lambda _: None
    """an agent's further files that are searched, if settings name any"""
    rebuild: Callable[[Sources, Settings, Clock, Making], bool] = lambda *_: False
    """makes an agent's index anew beside the one in use; False when another process is at it"""
    stopgap: Callable[[Sources, Settings, Clock, bool], Recall] = _no_recall
    """makes a recall by words alone, for the time that there is no index; anew when what it had is damaged"""
    changes: Callable[[Sequence[str]], Changes] = _no_changes
    """tells which files change below some folders; `Unavailable` where nobody can"""
    unindex: Callable[[str, bool], None] = lambda *_: None
    """takes away what is derived from an agent's memory, with every word in it; all but its index, or that too"""
    mem0: Callable[[str, Settings], SecondMemory] = _no_mem0
    """opens an agent's Mem0"""
    model: Callable[[], Model | None] = lambda: None
    """the language model of the keepers; None where there is none"""
    alike: Callable[[Sequence[tuple[str, str]]], Sequence[float] | None] = lambda _: None
    """how alike pairs of texts are by their vectors; None where there are none"""
    leases: Callable[[], Leases] = _no_leases
    """who is at which job"""
    zone: Callable[[], tzinfo] = lambda: UTC
    """the machine's time zone"""
    program: Callable[[Sequence[str], bytes, float, int], bytes] = _no_program
    """what a program of the operator's writes when it is given something, within some seconds, at most so many bytes"""
    skills: Callable[[str], SkillRoots | None] = lambda _: None
    """where an agent's skills are looked for"""
    is_set: Callable[[str], bool] = lambda _: False
    """whether an environment variable is there and not empty"""
    tokens: Callable[[str, str], Callable[[str], int]] = lambda *_: estimated
    """counts tokens as a setting says, for a model"""
    profiles: Callable[[str, Sequence[str]], Iterable[Profile]] = lambda *_: ()
    """what another source keeps of those who are named: a folder, or a function of one's own"""
    machine: Callable[[str], Machine] = lambda _: Machine()
    """the machine, and the repository a folder lies in"""
    claim: Callable[[Sequence[str], bool], int] = lambda *_: 0
    """gives the home what a server has of workspaces and no home owns, or only counts it; how many messages"""
    external: Callable[[str], str] = lambda _: ""
    """what another program wrote into a file for us"""
    notify: Callable[[Settings], Notify | None] = lambda _: None
    """how the operator is told of growth; None where the settings name no channel of ours"""
    events: Callable[[], EventLog] = _no_events
    """opens the log of what happened"""
    config: Callable[[], str] = lambda: ""
    """what tells the settings from those before"""


class _NoWorld:
    """What a home stands on that was closed."""

    def __getattr__(self, name: str) -> object:
        raise Closed("this home was closed; open it again with Oldsoul.open")


class Oldsoul:
    """One home: its agents, teams and settings. Open it with `Oldsoul.open(home)`."""

    opener: ClassVar[Callable[..., Oldsoul]]
    """set by `wiring`, which alone knows how to build a world"""

    def __init__(self, world: World, *, makes: bool = False) -> None:
        self.world = world
        self.makes = makes
        """whether workspaces that are not there yet are made ready"""
        self._closing = threading.Lock()
        self._looked_for: set[str] = set()
        self._driver: tuple[object, Driver] | None = None
        self._chats: list[tuple[object, ChatLog]] = []
        self.recalls: dict[str, Recall] = {}
        """what searches each agent's memory, once it was asked"""
        self.opening = threading.RLock()
        """one thread at a time opens an index"""
        self._let_go: list[Recall] = []
        self.rebuilding: Callable[[int, int], None] | None = None
        """who is told how far an index is that has to be made anew first; without, it is made while searches go on"""
        self.watchers: list[Watcher] = []
        """those who keep indexes up to date now"""
        self.schedulers: list[Scheduler] = []
        """those who run keepers by the clock now"""
        self.unread: dict[str, str] = {}
        """what of the home could not be read the last time, and why"""
        self.noticed: list[str] = []
        """what a person should know of what was done on the side"""
        self.created: dict[str, tuple[str, ...]] = {}
        """what `ensure` has created so far, by workspace"""
        self.kept_days: dict[str, date] = {}
        """the day on which old days were last put away, by workspace"""

    @property
    def settings(self) -> Settings:
        """The settings of the home as they hold now."""
        return self.world.settings(None).settings

    @property
    def chat(self) -> ChatLog:
        """The log of all conversations; another one once settings say that it lies elsewhere."""
        storage = self.settings.storage
        with self.opening:
            if not self._chats or self._chats[-1][0] != storage:
                self._chats.append((storage, self.world.chat()))
            return self._chats[-1][1]

    @cached_property
    def usage(self) -> Usage:
        """When entries were of use."""
        return self.world.usage()

    @cached_property
    def _events(self) -> Events:
        from oldsoul.app.events import Events, Sources  # noqa: PLC0415 - few processes ask what happened

        sources = Sources(
            self.workspaces,
            self.world.store,
            lambda: (self.settings.storage.chat, self.chat),
            self.world.config,
            self.world.clock,
        )
        return Events(self.world.events(), sources, self.world.signal)

    @cached_property
    def syncing(self) -> Syncing:
        """Says when what was logged is to be indexed."""
        from oldsoul.app.syncing import Syncing  # noqa: PLC0415 - loaded when it is first needed

        return Syncing()

    @cached_property
    def mem0(self) -> Mem0s:
        """Mem0 as a further source, where the settings want it."""
        from oldsoul.app.mem0 import Mem0s  # noqa: PLC0415 - few homes have it

        return Mem0s(self)

    @cached_property
    def rebuilds(self) -> Rebuilds:
        """The indexes that are being made anew."""
        from oldsoul.app.rebuilding import Rebuilds  # noqa: PLC0415 - a rare case

        return Rebuilds()

    @cached_property
    def people(self) -> People:
        """Who is who."""
        from oldsoul.app.people import People  # noqa: PLC0415 - loaded when it is first needed

        return People(self)

    @property
    def driver(self) -> Driver:
        """Runs the keepers; another one once other settings of the model count."""
        from oldsoul.driver import Driver  # noqa: PLC0415 - as above

        model = self.settings.keepers.model
        if self._driver is None or self._driver[0] != model:
            made = Driver(
                self.ledger,
                self.world.store,
                lambda: self.usage,
                self.world.model(),
                chat=lambda workspace, wanted: self.agent(workspace).talk.messages(wanted),
                retries=model.max_retries,
                alike=self.world.alike,
            )
            self._driver = model, made
        return self._driver[1]

    @cached_property
    def ledger(self) -> Ledger:
        """The door to all documents."""
        # Loaded when it is first needed: a look at a document nobody touched is three times as fast without it.
        from oldsoul.ledger import Ledger  # noqa: PLC0415

        return Ledger(
            self.world.store,
            self.world.clock,
            lambda name: template(name, self.world.clock.now()),
            self._ledger_options,
        )

    def _ledger_options(self, workspace: str) -> LedgerOptions:
        """What the settings of a workspace tell the ledger."""
        from oldsoul.ledger import LedgerOptions  # noqa: PLC0415 - as above

        options = self.agent(workspace).settings.memory
        return LedgerOptions(
            max_file_size=options.workspace.max_file_size,
            growth="auto" if options.soul.growth == "auto" else "ask",
            max_log_size=options.workspace.max_log_size,
            outside=Origin(options.trust.outside_edits),
            operators=frozenset(self.settings.operators or (OWNER_SUBJECT,)),
            zone=lambda: self.agent(workspace).zone,
        )

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        model: Model | None = None,
        profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
    ) -> Oldsoul:
        """The home at this folder (by default yours); made ready to use if it is new.

        Args:
            home: the folder.
            model: a language model of your own (anything with the method of the port `Model`) makes the keepers better.
            profiles: gives what you keep of the people and things a message names (slot 6 of a context).
        """
        return cls.opener(home, model=model, profiles=profiles)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def check_open(self) -> None:
        """`Closed` once the home was closed."""
        self.world.home  # noqa: B018 - the world says so

    def close(self) -> None:
        """Let go of the home; a second time is fine. Whoever asks something of it afterwards is told, with `Closed`."""
        if not self._closing.acquire(blocking=False):
            return
        self.world.signal.close()
        for watcher in list(self.watchers):
            watcher.stop()
        for scheduler in list(self.schedulers):
            scheduler.stop()
        if "rebuilds" in vars(self):
            self.rebuilds.stop()
        with ExitStack() as closing:  # each of them, whatever becomes of the others
            closing.callback(self.world.store.close)
            for opened in ("usage", "mem0", "_events"):
                if opened in vars(self):
                    closing.callback(vars(self).pop(opened).close)
            for _, chat in self._chats:
                closing.callback(chat.close)
            for recall in (*self.recalls.values(), *self._let_go):
                closing.callback(recall.close)
            self.world = cast("World", _NoWorld())
            self._chats.clear()
            self.recalls.clear()
            self._let_go.clear()

    @property
    def operator(self) -> Author:
        """The person at this machine: the first of the configured operators."""
        operators = self.settings.operators or (OWNER_SUBJECT,)
        return Author(Role.OPERATOR, operators[0])

    def agents(self) -> list[str]:
        """The agents there are: the default one first, each once."""
        return list(dict.fromkeys([self.settings.default_agent, *(a.id for a in self.settings.agents.list if a.id)]))

    def teams(self) -> list[str]:
        """The teams there are."""
        return [team.name for team in self.settings.teams if team.name]

    def workspaces(self) -> list[str]:
        """Agents, teams and what they share."""
        return [*self.agents(), *(team for team in self.teams() if team not in self.agents()), SHARED]

    def searched(self) -> list[str]:
        """The agents and teams whose memory can be searched."""
        memories = {name: self.agent(name).settings.memory for name in self.workspaces() if name != SHARED}
        return [name for name, memory in memories.items() if memory.enabled and memory.search.enabled]

    def agent(self, agent_id: str | None = None) -> Agent:
        """One agent (or team) by its id; the default agent when none is named."""
        self.check_open()
        wanted = checked_workspace(agent_id or self.settings.default_agent)
        if wanted not in self.workspaces():
            there = ", ".join(self.workspaces())
            raise NotFound(f"there is no agent {wanted!r}; there are {there}. Add it to agents.list in config.yaml")
        self._make_new(wanted)
        return Agent(self, wanted)

    def events(self, after: str = "", *, view: View | None = None, limit: int = 1000, wait: float = 0.0) -> Happened:
        """What happened after a cursor: changes, proposals, messages, jobs, settings, of every process, in one order.

        Args:
            after: the cursor of an event or of a page before; nothing for all that is kept, `now` for what is to come.
            view: whose eyes; without it everything is told.
            limit: at most so many events.
            wait: so many seconds are waited for an event when there is none yet; `Closed` when the home is meanwhile.

        `Gone` says that what came after the cursor is no longer kept.
        """
        self.check_open()
        return self._events.read(after, view, limit, wait)

    def finish_forgetting(self) -> None:
        """Finish what was to be forgotten and was interrupted."""
        for workspace in self.workspaces():
            if self.world.store.records(workspace, FORGETTING):
                self.agent(workspace).forgetting.finish()

    def let_go(self, workspace: str) -> None:
        """Have an agent's index opened again when it is needed next; another thread may still be asking this one."""
        recall = self.recalls.pop(workspace, None)
        if recall is not None:
            self._let_go.append(recall)

    def watch(
        self, agents: Sequence[str] = (), told: Callable[[Taken], None] = lambda _: None, *, every: float = 3.0
    ) -> Watcher:
        """Who keeps indexes up to date as files change: of these agents, or of all that want it; `start` or `run` it.

        Between two looks at the conversations so many seconds pass; at files too, where nobody tells of changes.
        """
        from oldsoul.app.watching import Watcher  # noqa: PLC0415 - few processes watch

        willing = (name for name in self.searched() if self.agent(name).settings.memory.search.sync.watch)
        return Watcher(self, agents or tuple(willing), told, every=every)

    @cached_property
    def timetable(self) -> Timetable:
        """What runs when, and what came of it."""
        from oldsoul.app.timetable import Timetable  # noqa: PLC0415 - few processes ask

        return Timetable(self)

    def scheduler(self, agents: Sequence[str] = (), told: Callable[[Told], None] = lambda _: None) -> Scheduler:
        """Who runs the keepers by the clock: those of these agents, or of all; `start` or `run` it, or `tick` for once."""
        from oldsoul.app.scheduling import Scheduler  # noqa: PLC0415 - few processes run by the clock

        return Scheduler(self, agents, told)

    def append_daily_log(
        self, agents: str | Sequence[str], content: str | Iterable[str], *, key: str = "", **more: Any
    ) -> list[Outcome]:
        """Write what happened into the diary of one agent, or of each of several; `more` is what the agent's verb takes.

        What a team did stands in its own diary, and in that of each of its members.
        """
        text = content if isinstance(content, str) else "".join(content)
        members = {team.name: team.members for team in self.settings.teams}
        named = [agents] if isinstance(agents, str) else agents
        names = dict.fromkeys(each for name in named for each in (name, *members.get(name, ())))
        every = [self.agent(name) for name in names]  # nobody is written to when one of them is not there
        key = key or f"log:{uuid.uuid4().hex}"
        return [agent.append_daily_log(text, key=f"{key}:{agent.id}", **more) for agent in every]

    def boot(self) -> Heard | None:
        """Hand BOOT.md to the default agent as a message, as a server does when it starts; None when there is nothing in it.

        It is words and never a script: it is logged like any message, for the owner's eyes, and the agent replies to it.
        """
        agent = self.agent()
        text = agent.plain("BOOT.md", agent.read(agent.name("BOOT.md")).data or b"").strip()
        if not text or not agent.settings.memory.enabled:
            return None
        return agent.hear(text, session=Session.cron("boot"), role="system", sender="BOOT.md")

    def ensure_new(self) -> None:
        """Make those workspaces ready that are not there yet; one whose folder is there, or was, is left as it is."""
        for name in self.workspaces():
            self._make_new(name)

    def _make_new(self, workspace: str) -> None:
        if self.makes and workspace not in self._looked_for:
            self._looked_for.add(workspace)
            if not self.world.places.is_there(workspace) and not self.world.store.known(workspace):
                self.ensure(workspace)

    def ensure(self, workspace: str | None = None) -> dict[str, tuple[str, ...]]:
        """Give every workspace (or one) what it lacks of the folders and files it begins with; says what was created."""
        created = {name: self._ensure(name) for name in ([workspace] if workspace else self.workspaces())}
        for name, paths in created.items():
            self.created[name] = (*self.created.get(name, ()), *paths)
        return created

    def claim(self, workspaces: Sequence[str] = (), *, dry_run: bool = False) -> int:
        """Give this home the conversations of its workspaces (or some) that PostgreSQL has from before homes were told apart.

        Says how many messages; a dry run only counts them.
        """
        return self.world.claim(workspaces or self.workspaces(), dry_run)

    def use_git(self) -> list[str]:
        """Make every workspace a git repository that is not one yet; says which."""
        places = self.world.places
        there = {name for name in self.workspaces() if os.path.lexists(f"{places.folder(name)}/.git")}
        fresh = [name for name in self.workspaces() if name not in there]
        for name in fresh:
            places.prepare(name, (), git=True)
        return fresh

    def _ensure(self, workspace: str) -> tuple[str, ...]:
        # The files come first, in one change: whoever is killed on the way has made all of them or no folder.
        is_new = not self.world.places.is_there(workspace)
        created: tuple[str, ...] = ()
        tries = 0
        while not created and (change_set := self._missing(workspace)) is not None:
            try:
                self.ledger.apply(change_set)
            except Refused:  # another process is making it ready too, or an editor that saves took a file away just now
                tries += 1
                if tries > _TRIES:
                    raise
                time.sleep(_PAUSE)
            else:
                created = tuple(name.path for name in change_set.names)
        folders = () if workspace == SHARED else FOLDERS
        self.world.places.prepare(workspace, folders, git=is_new and self.settings.git.init)
        return created

    def _missing(self, workspace: str) -> ChangeSet | None:
        present = {name.path for name in self.world.store.names(workspace)}
        return seeds(workspace, self.world.clock.now(), present)
