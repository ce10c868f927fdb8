"""What the methods stand on: the ports of one home, as `wiring` builds them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, NamedTuple, Protocol

from oldsoul.errors import Closed
from oldsoul.settings import Loaded, Settings

if TYPE_CHECKING:
    from oldsoul.ledger import Stores
    from oldsoul.ports import (
        Changes,
        ChosenEmbedder,
        Clock,
        Extras,
        Model,
        Notify,
        Places,
        Records,
        SecondMemory,
        SkillRoots,
        Talker,
    )
    from oldsoul.recall import Recall, Sources
    from oldsoul.values.context import Profile
    from oldsoul.values.runtime import Backup, Machine


class Signal:
    """Wakes those who wait for events when this process has made something durable."""

    def __init__(self) -> None:
        self._given = threading.Condition()
        self._count = 0
        self._is_closed = False

    @property
    def count(self) -> int:
        """How often it was given: taken before a look, so that nothing is missed between the look and the wait."""
        return self._count

    def give(self) -> None:
        """Wake everybody."""
        with self._given:
            self._count += 1
            self._given.notify_all()

    def wait(self, count: int, seconds: float) -> None:
        """Until it is given more often than so, or so many seconds are over; `Closed` once it is closed."""
        with self._given:
            self._given.wait_for(lambda: self._is_closed or self._count != count, max(0.0, seconds))
            if self._is_closed:
                raise Closed("this home is closed; open it again with Oldsoul.open")

    def close(self) -> None:
        """Have nobody wait any longer."""
        with self._given:
            self._is_closed = True
            self._given.notify_all()


class RebuildRequest(NamedTuple):
    """How an index is to be rebuilt."""

    on_progress: Callable[[int, int], None]
    """called with how many files of how many are in it"""
    from_scratch: bool = False
    """whether what an interrupted making left is of no use"""


class IndexPlace(NamedTuple):
    """Where an agent's index lies."""

    file: str
    """what people see of it; empty when that is no file"""
    size: int
    """how many bytes it takes there"""
    is_there: bool
    """whether there may be one"""


class Searches(Protocol):
    """Makes what searches an agent's memory."""

    def recall(self, sources: Sources, settings: Settings) -> Recall:
        """Recall by the agent's index; `Damaged` when it has to be rebuilt."""
        ...

    def stopgap(self, sources: Sources, settings: Settings) -> Recall:
        """Recall by words alone, for the time that there is no index."""
        ...

    def rebuild(self, sources: Sources, settings: Settings, request: RebuildRequest) -> bool:
        """Rebuild an agent's index beside the one in use; False when another process is doing so."""
        ...

    def erase(self, workspace: str, *, whole: bool) -> None:
        """Take away what is derived from an agent's memory, with every word in it: all but its index, or that too."""
        ...

    def place(self, workspace: str) -> IndexPlace:
        """Where an agent's index lies."""
        ...

    def mem0(self, workspace: str, settings: Settings) -> SecondMemory:
        """Open an agent's Mem0."""
        ...


class Models(Protocol):
    """The models that the settings name."""

    def model(self) -> Model | None:
        """The language model of the keepers; None where there is none."""
        ...

    def talker(self) -> Talker | None:
        """The language model that replies; None where there is none."""
        ...

    def embedder(self) -> ChosenEmbedder | None:
        """What embeds whole texts, past every cache; None where the bundled tables or words alone do."""
        ...

    def alike(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float] | None:
        """How alike pairs of texts are by their vectors; None where there are none."""
        ...


class Host(Protocol):
    """The machine around a home, and how it reaches the operator."""

    def zone(self) -> tzinfo:
        """The machine's time zone."""
        ...

    def is_set(self, name: str) -> bool:
        """Whether an environment variable is there and not empty."""
        ...

    def machine(self, folder: str) -> Machine:
        """What is known of the machine, and of the repository that a workspace lies in."""
        ...

    def tokens(self, model: str) -> Callable[[str], int]:
        """Count tokens for a model."""
        ...

    def program(self, argv: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
        """What a program of the operator's writes when it is given something, within some seconds, at most so many bytes."""
        ...

    def changes(self, folders: Sequence[str]) -> Changes:
        """Tell which files change below some folders; `Unavailable` where nobody can."""
        ...

    def notify(self, settings: Settings) -> Notify | None:
        """How the operator is told what grew; None where the settings name no channel of ours."""
        ...


class ExternalSources(Protocol):
    """What others keep for an agent to read. It is never written."""

    def extras(self, workspace: str) -> Extras | None:
        """An agent's further files that are searched, if settings name any."""
        ...

    def skills(self, workspace: str) -> SkillRoots | None:
        """Where an agent's skills are looked for."""
        ...

    def profiles(self, folder: str, names: Sequence[str]) -> Iterable[Profile]:
        """What another source keeps of those who are named: a folder, or a function of one's own."""
        ...

    def external(self, file: str) -> str:
        """What another program wrote into a file for us."""
        ...


class World(Protocol):
    """The ports of one home."""

    @property
    def home(self) -> str:
        """How people see where the home is; nothing is read or written by it."""
        ...

    @property
    def store(self) -> Stores:
        """Documents and history."""
        ...

    @property
    def places(self) -> Places:
        """Where workspaces lie."""
        ...

    @property
    def records(self) -> Records:
        """What is kept beside the documents."""
        ...

    @property
    def searches(self) -> Searches:
        """Indexes, and what searches them."""
        ...

    @property
    def models(self) -> Models:
        """Language models and embedders."""
        ...

    @property
    def host(self) -> Host:
        """The machine."""
        ...

    @property
    def outside(self) -> ExternalSources:
        """What others keep."""
        ...

    @property
    def clock(self) -> Clock:
        """Tells the time."""
        ...

    @property
    def signal(self) -> Signal:
        """Given when something became durable."""
        ...

    def settings(self, workspace: str | None) -> Loaded:
        """The settings of the home, or as they hold for one agent."""
        ...

    def config(self) -> str:
        """What tells the settings from those before."""
        ...

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:
        """Give the home what a server has of workspaces and no home owns, or only count it; how many messages."""
        ...

    def backup(self, workspaces: Sequence[str], file: str, on_progress: Callable[[int, int], None]) -> Backup:
        """Write the home to one file; `on_progress` hears how many bytes of how many are done."""
        ...
