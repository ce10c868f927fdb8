"""One agent as its files and settings: what stands where, in which version, as it was seeded."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from oldsoul.app.home import Home
from oldsoul.errors import Damaged, Refused, Unavailable, Unwritable
from oldsoul.lazy import lazy
from oldsoul.settings import Settings
from oldsoul.values.history import ABSENT, Snapshot
from oldsoul.values.names import Name
from oldsoul.workspace import BootstrapFile, bootstrap, checked, named, template

if TYPE_CHECKING:
    from oldsoul import documents
    from oldsoul.ledger import Ledger
else:
    (documents,) = lazy("oldsoul", "documents")


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

    def read(self, name: Name) -> Snapshot:
        """The current text of a document; an edit made outside is noticed and recorded."""
        store = self.home.world.store
        try:
            if "ledger" not in vars(self.home):  # one look at one document does not need the ledger
                snapshot = store.read(name)
                if snapshot.version == (store.recorded(name) or ABSENT):
                    return snapshot
            return self._ledger.read(name)
        except (Damaged, Unavailable, Unwritable):  # documents can be read, whatever became of their history
            return store.read(name)

    def plain(self, path: str, data: bytes) -> str:
        """A document's text without bookkeeping, line numbers unchanged, as prompts see it."""
        plain = documents.stripped(documents.parse(data, is_log=self.name(path).is_log))
        return "\n".join([*plain, ""]) if data.endswith(b"\n") else "\n".join(plain)

    def bootstrap(self) -> list[BootstrapFile]:
        """The files the agent is started with; a missing one is a value."""
        return bootstrap(self.read, self.id, self.home.world.places.folder(self.id))

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
