"""One agent as its files and settings: what stands where, in which version, as it was seeded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.paging import paged
from oldsoul.errors import Damaged, NotFound, Refused, Unavailable, Unwritable
from oldsoul.lazy import lazy
from oldsoul.rules import limits
from oldsoul.values.history import ABSENT, Snapshot
from oldsoul.workspace import EARLIER_TEMPLATES, TEMPLATES, BootstrapFile, bootstrap, checked, named, template

if TYPE_CHECKING:
    from datetime import tzinfo

    from oldsoul import documents
    from oldsoul.app.home import Home
    from oldsoul.ledger import Ledger
    from oldsoul.settings import Settings
    from oldsoul.values.names import Name
else:
    (documents,) = lazy("oldsoul", "documents")


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class File(NamedTuple):
    """One document of a workspace, for listings."""

    name: Name
    """which"""
    size: int
    """bytes"""
    limit: int
    """how many it may have"""
    version: str
    """changes when it does"""
    untouched: bool
    """whether it still reads as it was seeded"""
    modified: datetime
    """when it was last changed, by whomever, in UTC"""


class AgentFiles:
    """The files of an agent, and what its settings say."""

    def __init__(self, home: Home, agent_id: str) -> None:
        self._home = home
        self.id = agent_id

    @property
    def home(self) -> Home:
        """The home it lives in; `Closed` once that was closed."""
        self._home.check_open()
        return self._home

    @property
    def _ledger(self) -> Ledger:
        return self.home.ledger

    @property
    def settings(self) -> Settings:
        """The settings as they hold for this agent now, its CONFIG.md included."""
        return self.home.settings_of(self.id)

    def check_enabled(self) -> None:
        """`Refused` when memory is switched off: then nothing is remembered, whoever asks."""
        if not self.settings.memory.enabled:
            raise Refused("memory is turned off (memory.enabled), so nothing was written")

    @property
    def display_name(self) -> str:
        """What people see it called."""
        entry = next((a for a in self.home.settings.agents.list if a.id == self.id), None)
        return entry.display_name if entry and entry.display_name else self.id

    @property
    def model(self) -> str:
        """The language model it answers with, as far as anybody said; empty when nobody did."""
        settings = self.home.settings
        own = next((agent.model for agent in settings.agents.list if agent.id == self.id), "")
        return own or settings.agents.defaults.model

    @property
    def price(self) -> float:
        """What a million tokens of its prompts cost; 0 where nobody said."""
        return self.settings.keepers.model.input_price

    @property
    def zone(self) -> tzinfo:
        """The time zone of its days."""
        return self.home.zone_of(self.id)

    def today(self) -> datetime:
        """The time now, in the agent's zone."""
        return self.home.world.clock.now().astimezone(self.zone)

    # files

    def name(self, path: str) -> Name:
        """The document a person means by this path."""
        return named(self.id, path)

    def files(self, offset: int = 0, limit: int | None = None) -> list[File]:
        """The documents there are, by path."""
        seeded, names = self._seeded(), self.home.world.store.names(self.id)
        return [self._file(name, self.read(name), seeded) for name in paged(names, offset, limit)]

    def file(self, path: str) -> File:
        """One of them; `NotFound` when it is not there."""
        return self._file(self.name(path), self.show(path), self._seeded())

    def _file(self, name: Name, snapshot: Snapshot, seeded: dict[Name, str]) -> File:
        most = limits.limit_of(name, self.settings.memory.workspace.max_file_size)
        untouched = snapshot.version == seeded.get(name)
        modified = _EPOCH + timedelta(microseconds=self.home.world.store.touched(name) // 1000)
        return File(name, len(snapshot.data or b""), most, snapshot.version, untouched, modified)

    def show(self, path: str) -> Snapshot:
        """One document; `NotFound` when it is not there."""
        name = self.name(path)
        snapshot = self.read(name)
        if snapshot.data is None:
            raise NotFound(f"there is no {name.path} in {self.id}; `oldsoul show` lists the files")
        return snapshot

    def read(self, name: Name) -> Snapshot:
        """A document as it stands; an edit made outside is noticed and recorded."""
        store = self.home.world.store
        try:
            if "ledger" not in vars(self.home):  # one look at one document does not need the ledger
                snapshot = store.read(name)
                if snapshot.version == (store.recorded(name) or ABSENT):
                    return snapshot
            return self._ledger.read(name)
        except (Damaged, Unavailable, Unwritable):  # documents can be read, whatever became of their history
            return store.read(name)

    def seed_of(self, path: str) -> bytes:
        """What a document was seeded with; nothing when we did not seed it."""
        return self.home.world.store.content(self._seeded().get(self.name(path), ABSENT)) or b""

    def plain(self, path: str, data: bytes) -> str:
        """A document's text without bookkeeping, line numbers unchanged, as prompts see it."""
        plain = documents.stripped(documents.parse(data, is_log=self.name(path).is_log))
        return "\n".join([*plain, ""]) if data.endswith(b"\n") else "\n".join(plain)

    def bootstrap(self) -> list[BootstrapFile]:
        """The files the agent is started with; a missing one is a value."""
        return bootstrap(self.read, self.id, self.home.world.places.folder(self.id))

    def ensure_workspace(self) -> tuple[str, ...]:
        """Give this workspace the folders and files it begins with; says what was created."""
        return self.home.ensure(self.id)[self.id]

    def text(self, path: str) -> str | None:
        """The text of a document; None when there is none."""
        data = self.read(self.name(path)).data
        return None if data is None else data.decode("utf-8", "replace")

    def _seeded(self) -> dict[Name, str]:
        """The documents that we seeded, each with the version it was seeded with the last time."""
        changes = self.home.world.store.changes
        try:
            made = [*changes(self.id, author=TEMPLATES), *changes(self.id, author=EARLIER_TEMPLATES)]
        except Damaged:  # nobody knows then
            made = []
        return {effect.name: effect.after for change in reversed(made) for effect in change.effects}

    def template(self, path: str) -> bytes:
        """What a document begins with."""
        return template(checked(self.name(path)), self.home.world.clock.now())

    def unsearched(self) -> dict[Name, str]:
        """The documents that search leaves out, each with why: too many lines, or no text."""
        store = self.home.world.store
        found: dict[Name, str] = {}
        for name in store.names(self.id):
            if why := documents.unsearchable(store.read(name).data or b""):
                found[name] = why
        return found

    def findings(self) -> list[tuple[Name, str]]:
        """What is odd about the documents' form, each with the document: frontmatter that cannot be read, links that lead out."""
        found: list[tuple[Name, str]] = []
        odd = self.unsearched()
        for name in (name for name in self.home.world.store.names(self.id) if name not in odd):
            document = documents.parse(self.read(name).data or b"", is_log=name.is_log)
            found += [(name, problem) for problem in document.matter.problems]
            found += [
                (name, f"line {link.line + 1}: the link {link.target} points outside the workspace")
                for link in documents.links(document)
                if "../" in link.target
                and "://" not in link.target
                and documents.resolved(link.target, name.path) is None
            ]
        return found
