"""What a home stores and what is set for it: settings, documents, conversations, use; and the workspaces it begins with."""

from __future__ import annotations

import threading
import time
from datetime import tzinfo
from typing import TYPE_CHECKING

from oldsoul.app.home.world import World
from oldsoul.errors import Closed, Refused
from oldsoul.lazy import lazy
from oldsoul.reading.dates import zone_of
from oldsoul.settings import Settings
from oldsoul.values.callers import Caller
from oldsoul.values.changes import ChangeSet
from oldsoul.values.history import ABSENT, Snapshot
from oldsoul.values.names import SHARED, Name
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import OWNER_SUBJECT
from oldsoul.workspace import FOLDERS, seeds, template

if TYPE_CHECKING:
    from oldsoul import driver, ledger
    from oldsoul.driver import Driver
    from oldsoul.ledger import Ledger, LedgerOptions, Stores
    from oldsoul.ports import ChatLog, Talker, UseLog
else:
    driver, ledger = lazy("oldsoul", "driver", "ledger")  # a look at a document is three times as fast without them

FORGETTING = "forgetting"
"""The kind of record that says what is to be forgotten: an entry with the path of its document, or a message."""
_TRIES, _PAUSE = 15, 0.2
"""How often, and after how many seconds, missing files are tried again: a save that takes longer is none."""


class NoWorld:
    """What a home stands on that was closed."""

    def __getattr__(self, name: str) -> object:
        raise Closed("this home is closed; open it again with Oldsoul.open")


class Storage:
    """What one home stores."""

    def __init__(self, world: World, *, makes: bool = False) -> None:
        self.world = world
        self.makes = makes
        """whether workspaces that are not there yet are set up"""
        self.opening = threading.RLock()
        """one thread at a time opens an index"""
        self.building = threading.Lock()
        """one thread at a time builds the ledger or Mem0"""
        self._looked_for: set[str] = set()
        self._talker: tuple[object, Talker | None] | None = None
        self._ledger: Ledger | None = None
        self._driver: tuple[object, Driver] | None = None
        self.unread: dict[str, str] = {}
        """what of the home could not be read the last time, and why"""
        self.noticed: list[str] = []
        """what a person should know of what was done on the side"""
        self.created: dict[str, tuple[str, ...]] = {}
        """what `ensure` has created so far, by workspace"""

    @property
    def settings(self) -> Settings:
        """The settings of the home as they hold now."""
        return self.world.settings(None).settings

    @property
    def chat(self) -> ChatLog:
        """The log of all conversations; another one once settings say that it lies elsewhere."""
        return self.world.records.chat

    @property
    def usage(self) -> UseLog:
        """When entries were of use."""
        return self.world.records.usage

    def settings_of(self, workspace: str) -> Settings:
        """The settings as they hold for a workspace now, its CONFIG.md included."""
        return self.world.settings(workspace).settings

    def zone_of(self, workspace: str) -> tzinfo:
        """The time zone of a workspace's days."""
        name = self.settings_of(workspace).timezone
        return zone_of(name) if name else self.world.host.zone()

    @property
    def driver(self) -> Driver:
        """Runs the keepers; another one once other settings of the model count."""
        model = self.settings.keepers.model
        if self._driver is None or self._driver[0] != model:
            made = driver.Driver(
                self.ledger,
                self.world.store,
                lambda: self.usage,
                self.world.models.model(),
                chat=lambda workspace, wanted: self.chat.find(workspace, wanted),  # noqa: PLW0108 - another log may count by then
                alike=self.world.models.alike,
            )
            self._driver = model, made
        return self._driver[1]

    @property
    def talker(self) -> Talker | None:
        """Who replies; another one once other settings of the model count."""
        model = self.settings.keepers.model
        if self._talker is None or self._talker[0] != model:
            self._talker = model, self.world.models.talker()
        return self._talker[1]

    @property
    def ledger(self) -> Ledger:
        """The door to all documents."""
        with self.building:
            if self._ledger is None:
                self._ledger = ledger.Ledger(
                    self.world.store,
                    self.world.clock,
                    lambda name: template(name, self.world.clock.now()),
                    self._ledger_options,
                )
            return self._ledger

    def read(self, name: Name) -> Snapshot:
        """The current text of a document; an edit made outside is noticed and recorded."""
        if self._ledger is None:  # loading it takes longer than a look at one document
            snapshot = self.world.store.read(name)
            if snapshot.version == (self.world.store.recorded(name) or ABSENT):
                return snapshot
        return self.ledger.read(name)

    def _ledger_options(self, workspace: str) -> LedgerOptions:
        """What the settings of a workspace tell the ledger."""
        options = self.settings_of(workspace).memory
        return ledger.LedgerOptions(
            max_file_size=options.workspace.max_file_size,
            growth="auto" if options.soul.growth == "auto" else "ask",
            outside=Origin(options.trust.outside_edits),
            policy=dict(options.policy),
            operators=frozenset(self.settings.operators or (OWNER_SUBJECT,)),
            zone=lambda: self.zone_of(workspace),
        )

    def check_open(self) -> None:
        """`Closed` once the home was closed."""
        self.world.records  # noqa: B018 - a closed home says so

    @property
    def owner(self) -> Caller:
        """The person at this machine: the first of the configured operators."""
        return Caller.operator((self.settings.operators or (OWNER_SUBJECT,))[0])

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
        memories = {name: self.settings_of(name).memory for name in self.workspaces() if name != SHARED}
        return [name for name, memory in memories.items() if memory.enabled and memory.search.enabled]

    def ensure_new(self) -> None:
        """Make those workspaces ready that are not there yet; one whose folder is there, or was, is left as it is."""
        for name in self.workspaces():
            self.make_new(name)

    def make_new(self, workspace: str) -> None:
        """Make a workspace ready that is not there yet."""
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

    def use_git(self) -> list[str]:
        """Make every workspace a git repository that is not one yet; says which."""
        return [name for name in self.workspaces() if self.world.places.prepare(name, (), git=True)]

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
        store = self.world.store
        present = {name.path for name in store.names(workspace)}
        wanted = seeds(workspace, self.world.clock.now(), present)
        taken = {name.path for name in (wanted.names if wanted else ()) if not _is_free(store, name)}
        return seeds(workspace, self.world.clock.now(), present | taken) if taken else wanted


def _is_free(store: Stores, name: Name) -> bool:
    """Whether a file may be made: nothing is in its place, such as a pipe, that cannot be read."""
    try:
        return store.read(name).data is None
    except (Refused, OSError):
        return False
