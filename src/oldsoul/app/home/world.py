"""What the verbs stand on: the ports of one home, as `wiring` builds them."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.errors import Refused, Unavailable
from oldsoul.rules.limits import estimated
from oldsoul.values.runtime import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import tzinfo
    from pathlib import Path

    from oldsoul.app.home.signal import Signal
    from oldsoul.ledger import Stores
    from oldsoul.ports import (
        Changes,
        ChatLog,
        ChosenEmbedder,
        Clock,
        Credentials,
        EventLog,
        Extras,
        JobLog,
        Leases,
        Model,
        Notify,
        Places,
        SecondMemory,
        SkillRoots,
        Spending,
        Talker,
        Usage,
    )
    from oldsoul.recall import Recall, Sources
    from oldsoul.settings import Loaded, Settings
    from oldsoul.values.context import Profile
    from oldsoul.values.runtime import Backup


class Making(NamedTuple):
    """How an index is to be made anew."""

    told: Callable[[int, int], None]
    """is told how many files of how many are in it"""
    anew: bool = False
    """whether what an interrupted making left is of no use"""


class World:
    """What the verbs stand on: one home's ports. `wiring` builds it whole; here nothing optional is there."""

    def __init__(self, home: str, store: Stores, places: Places, clock: Clock, signal: Signal) -> None:
        self.home = home
        """the data folder"""
        self.store = store
        """documents and history"""
        self.places = places
        """where workspaces lie"""
        self.clock = clock
        """tells the time"""
        self.signal = signal
        """given when something became durable"""

    def settings(self, workspace: str | None) -> Loaded:
        """The settings of the home, or as they hold for one agent."""
        raise NotImplementedError

    def config(self) -> str:
        """What tells the settings from those before."""
        return ""

    def chat(self) -> ChatLog:
        """Opens the log of all conversations."""
        raise NotImplementedError

    def usage(self) -> Usage:
        """Opens what is known of the use of entries."""
        raise NotImplementedError

    def events(self) -> EventLog:
        """Opens the log of what happened."""
        raise Refused("this home records no events")

    def jobs(self) -> JobLog:
        """Opens the log of long work."""
        raise Refused("this home runs no long jobs")

    def credentials(self) -> Credentials:
        """The tokens that let programs in."""
        raise Refused("this home has no tokens")

    def close(self) -> None:
        """Lets go of what it has opened for itself; what others opened through it they close."""

    def recall(self, sources: Sources, settings: Settings) -> Recall:
        """Makes an agent's recall."""
        raise Refused("this home has no index, so nothing can be searched")

    def stopgap(self, sources: Sources, settings: Settings) -> Recall:
        """Makes a recall by words alone, for the time that there is no index."""
        return self.recall(sources, settings)

    def rebuild(self, sources: Sources, settings: Settings, making: Making) -> bool:
        """Makes an agent's index anew beside the one in use; False when another process is at it."""
        return False

    def unindex(self, workspace: str, *, whole: bool) -> None:
        """Takes away what is derived from an agent's memory, with every word in it; all but its index, or that too."""

    def extras(self, workspace: str) -> Extras | None:
        """An agent's further files that are searched, if settings name any."""
        return None

    def changes(self, folders: Sequence[str]) -> Changes:
        """Tells which files change below some folders; `Unavailable` where nobody can."""
        raise Unavailable("this home does not watch files")

    def mem0(self, workspace: str, settings: Settings) -> SecondMemory:
        """Opens an agent's Mem0."""
        raise Unavailable("this home has no Mem0")

    def model(self) -> Model | None:
        """The language model of the keepers; None where there is none."""
        return None

    def talker(self) -> Talker | None:
        """The language model that replies; None where there is none."""
        return None

    def embedder(self) -> ChosenEmbedder | None:
        """Who embeds whole texts by the settings, past every cache; None where the bundled tables or words alone do."""
        return None

    def spending(self) -> Spending:
        """What questions to language models took."""
        raise Refused("this home does not record what models cost")

    def alike(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float] | None:
        """How alike pairs of texts are by their vectors; None where there are none."""
        return None

    def leases(self) -> Leases:
        """Who is at which job."""
        raise Refused("this home runs no scheduled keepers")

    def zone(self) -> tzinfo:
        """The machine's time zone."""
        return UTC

    def program(self, argv: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
        """What a program of the operator's writes when it is given something, within some seconds, at most so many bytes."""
        raise Unavailable("this home starts no programs")

    def skills(self, workspace: str) -> SkillRoots | None:
        """Where an agent's skills are looked for."""
        return None

    def is_set(self, name: str) -> bool:
        """Whether an environment variable is there and not empty."""
        return False

    def tokens(self, model: str) -> Callable[[str], int]:
        """Counts tokens for a model."""
        return estimated

    def profiles(self, folder: str, names: Sequence[str]) -> Iterable[Profile]:
        """What another source keeps of those who are named: a folder, or a function of one's own."""
        return ()

    def machine(self, folder: str) -> Machine:
        """The machine, and the repository a folder lies in."""
        return Machine()

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:
        """Gives the home what a server has of workspaces and no home owns, or only counts it; how many messages."""
        return 0

    def backup(self, workspaces: Sequence[str], file: str | Path, told: Callable[[int, int], None]) -> Backup:
        """Writes the home to one file; `told` hears how many bytes of how many are done."""
        raise Refused("this home cannot be backed up")

    def external(self, file: str) -> str:
        """What another program wrote into a file for us."""
        return ""

    def notify(self, settings: Settings) -> Notify | None:
        """How the operator is told of growth; None where the settings name no channel of ours."""
        return None
