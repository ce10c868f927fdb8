"""Oldsoul and Agent: the verbs. Every face calls these and nothing below them."""

from __future__ import annotations

import os
import uuid
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from oldsoul.app.agent import Agent, File, Remembered
from oldsoul.errors import NotFound, Refused
from oldsoul.values.changes import Author, ChangeSet, Role
from oldsoul.values.names import SHARED, checked_workspace
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import OWNER_SUBJECT, Session, Subject
from oldsoul.workspace import FOLDERS, seeds, template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

    from oldsoul.app.people import People
    from oldsoul.driver import Driver
    from oldsoul.ledger import Ledger, LedgerOptions, Outcome, Stores
    from oldsoul.ports import ChatLog, Clock, Model, Places, Usage
    from oldsoul.recall import Recall, Sources
    from oldsoul.settings import Loaded, Settings

__all__ = ["Agent", "File", "Oldsoul", "Remembered", "Session", "Subject", "World"]


def _no_recall(*_: object) -> Recall:
    raise Refused("this home has no index, so nothing can be searched")


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
    recall: Callable[[Sources, Settings, Clock], Recall] = _no_recall
    """makes an agent's recall"""
    unindex: Callable[[str], None] = lambda _: None
    """takes an agent's index away, with every word in it; it is made again when it is needed"""
    model: Callable[[], Model | None] = lambda: None
    """the language model of the keepers; None where there is none"""
    read_only: bool = False
    """whether the home may only be looked at"""


class Oldsoul:
    """One home: its agents, teams and settings. Open it with `Oldsoul.open(home)`."""

    opener: ClassVar[Callable[..., Oldsoul]]
    """set by `wiring`, which alone knows how to build a world"""

    def __init__(self, world: World) -> None:
        self.world = world
        self.settings: Settings = world.settings(None).settings
        self.recalls: dict[str, Recall] = {}
        """what searches each agent's memory, once it was asked"""
        self.created: dict[str, tuple[str, ...]] = {}
        """what `ensure` has created so far, by workspace"""

    @cached_property
    def chat(self) -> ChatLog:
        """The log of all conversations."""
        return self.world.chat()

    @cached_property
    def usage(self) -> Usage:
        """When entries were of use."""
        return self.world.usage()

    @cached_property
    def people(self) -> People:
        """Who is who."""
        from oldsoul.app.people import People  # noqa: PLC0415 - loaded when it is first needed

        return People(self)

    @cached_property
    def driver(self) -> Driver:
        """Runs the keepers."""
        from oldsoul.driver import Driver  # noqa: PLC0415 - as above

        model = self.settings.keepers.model
        return Driver(self.ledger, self.world.store, lambda: self.usage, self.world.model(), model.max_retries)

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
        )

    @classmethod
    def open(cls, home: str | Path | None = None, *, model: Model | None = None) -> Oldsoul:
        """The home at this folder (by default yours); made ready to use if it is new.

        A language model of your own (anything with the method of the port `Model`) makes the keepers better.
        """
        return cls.opener(home, model=model)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the home."""
        for recall in self.recalls.values():
            recall.close()
        self.recalls.clear()
        for opened in ("chat", "usage"):
            if opened in vars(self):
                vars(self).pop(opened).close()
        self.world.store.close()

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

    def agent(self, agent_id: str | None = None) -> Agent:
        """One agent (or team) by its id; the default agent when none is named."""
        wanted = checked_workspace(agent_id or self.settings.default_agent)
        if wanted not in self.workspaces():
            there = ", ".join(self.workspaces())
            raise NotFound(f"there is no agent {wanted!r}; there are {there}. Add it to agents.list in config.yaml")
        return Agent(self, wanted)

    def drop_index(self, workspace: str) -> None:
        """Take an agent's index away: what was erased must not stay in it."""
        recall = self.recalls.pop(workspace, None)
        if recall is not None:
            recall.close()
        self.world.unindex(workspace)

    def append_daily_log(
        self, agents: str | Sequence[str], content: str | Iterable[str], *, key: str = "", **more: Any
    ) -> list[Outcome]:
        """Write what happened into the diary of one agent, or of each of several; `more` is what the agent's verb takes."""
        text = content if isinstance(content, str) else "".join(content)
        names = [agents] if isinstance(agents, str) else list(dict.fromkeys(agents))
        every = [self.agent(name) for name in names]  # nobody is written to when one of them is not there
        key = key or f"log:{uuid.uuid4().hex}"
        return [agent.append_daily_log(text, key=f"{key}:{agent.id}", **more) for agent in every]

    def keep_days(self) -> None:
        """Put away the days whose time is over."""
        for workspace in self.workspaces():
            if workspace != SHARED:
                self.agent(workspace).days.archive_old()

    def ensure(self, workspace: str | None = None) -> dict[str, tuple[str, ...]]:
        """Give every workspace (or one) the folders and files it begins with; says what was created where."""
        created = {name: self._ensure(name) for name in ([workspace] if workspace else self.workspaces())}
        for name, paths in created.items():
            self.created[name] = (*self.created.get(name, ()), *paths)
        return created

    def use_git(self) -> list[str]:
        """Make every workspace a git repository that is not one yet; says which."""
        places = self.world.places
        there = {name for name in self.workspaces() if os.path.lexists(f"{places.folder(name)}/.git")}
        fresh = [name for name in self.workspaces() if name not in there]
        for name in fresh:
            places.prepare(name, (), git=True)
        return fresh

    def _ensure(self, workspace: str) -> tuple[str, ...]:
        known = {name.path for name in self.world.store.known(workspace)}
        change_set = seeds(workspace, self.world.clock.now(), known)
        if change_set is None and known:
            return ()
        folders = () if workspace == SHARED else FOLDERS
        self.world.places.prepare(workspace, folders, git=self.settings.git.init)
        change_set = self._missing(workspace)
        while change_set is not None:
            try:
                self.ledger.apply(change_set)
            except Refused:
                again = self._missing(workspace)
                if again is not None and again.names == change_set.names:
                    raise
                change_set = again  # another process was making it ready too
            else:
                return tuple(name.path for name in change_set.names)
        return ()

    def _missing(self, workspace: str) -> ChangeSet | None:
        store = self.world.store
        present = {name.path for name in (*store.known(workspace), *store.names(workspace))}
        return seeds(workspace, self.world.clock.now(), present)
