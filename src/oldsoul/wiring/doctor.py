"""What the check of a home asks of the machine: the file system, files of ours, settings, what is installed."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path

from oldsoul.adapters import machine
from oldsoul.adapters.folder.store import ExcludedFile, left_out
from oldsoul.adapters.requirements import missing_requirements
from oldsoul.settings import Loaded, Settings
from oldsoul.values.runtime import Abilities, FileHealth, LostRecord
from oldsoul.wiring.homes import Config, settings_at

_NEEDED_SQLITE = (3, 31, 0)


class HomeSite:
    """The machine around the home at a folder."""

    def __init__(self, home: str | Path, environ: Mapping[str, str]) -> None:
        self._home = Path(home)
        self._environ = environ
        self.home = str(home)
        self.python = sys.version.split()[0]
        self.sqlite = sqlite3.sqlite_version
        self.has_sqlite = sqlite3.sqlite_version_info >= _NEEDED_SQLITE

    @property
    def is_there(self) -> bool:
        """Whether anything is where the home is to be."""
        return self._home.exists()

    @property
    def is_folder(self) -> bool:
        """Whether that is a folder."""
        return self._home.is_dir()

    @property
    def is_writable(self) -> bool:
        """Whether the person may write into it."""
        return os.access(self._home, os.W_OK)

    def open_to_others(self) -> list[str]:
        """What of the home others on this machine can reach."""
        paths = (self._home, *(self._home / name for name in ("config.yaml", "state", "workspace")))
        return [str(path) for path in paths if path.exists() and path.stat().st_mode & 0o077]

    def free_space(self) -> int:
        """How many bytes are free on its disk."""
        return machine.free_space(self.home)

    def abilities(self) -> Abilities:
        """What its file system can do; tried out there."""
        return machine.abilities(self.home)

    def settings(self, agent: str | None) -> Loaded:
        """The settings as they are, with their mistakes."""
        return settings_at(self._home, agent, self._environ)

    def file(self, name: str) -> tuple[str, int] | None:
        """The path and the size of a file in state/; None where it is not there."""
        path = self._home / "state" / name
        return (str(path), path.stat().st_size) if path.exists() else None

    def health(self, path: str) -> FileHealth:
        """How a SQLite file of ours is."""
        return machine.health(path)

    def backups(self, path: str) -> dict[str, FileHealth]:
        """The copies of a SQLite file of ours that lie beside it."""
        return machine.backups(path)

    def lost(self, path: str) -> list[LostRecord]:
        """What a SQLite file of ours held once, as the log of events tells, and does not hold now."""
        events = self.file("events.db")
        return machine.lost(events[0], path) if events else []

    def left_out(self, workspace: str) -> list[ExcludedFile]:
        """What of a workspace looks like a document and is left out."""
        place = Config(self._home, self._environ, lenient=True).place(workspace)
        folders = ((place.root, ""), (place.memory, "memory/")) if place.memory else ((place.root, ""),)
        return [each for folder, before in folders for each in left_out(workspace, folder, before, place.most)]

    def missing_requirements(self, settings: Settings) -> list[tuple[str, str]]:
        """What settings ask for and is missing, and of what."""
        return list(missing_requirements(settings.memory.search, settings.keepers, self._environ))
