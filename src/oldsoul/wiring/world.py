"""A home on this machine: its ports, each built when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder.store import FolderPlaces
from oldsoul.app.home.world import World
from oldsoul.lazy import lazy
from oldsoul.reading.dates import zone_of
from oldsoul.values.history import version_of
from oldsoul.wiring.homes import config_text, expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime, tzinfo
    from pathlib import Path

    from oldsoul.adapters import clock, file_watch
    from oldsoul.adapters.embedders.static import Likeness
    from oldsoul.adapters.skills import FolderSkills
    from oldsoul.adapters.sqlite.credentials import SqliteCredentials
    from oldsoul.adapters.sqlite.spending import SqliteSpending
    from oldsoul.app.home.signal import Signal
    from oldsoul.app.home.world import Making
    from oldsoul.keepers.options import ModelOptions
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
        SecondMemory,
        SkillRoots,
        Spending,
        Talker,
        Usage,
    )
    from oldsoul.recall import Recall, Sources
    from oldsoul.settings import Loaded, Settings
    from oldsoul.values.context import Profile
    from oldsoul.values.runtime import Backup, Machine
    from oldsoul.wiring import around, backup, models, prompts, search_engines, stores
    from oldsoul.wiring.homes import Config
    from oldsoul.wiring.search_engines import Searches

    Profiles = Callable[[Sequence[str]], Iterable[Profile]]

else:
    around, search_engines, stores = lazy("oldsoul.wiring", "around", "search_engines", "stores")
    backup, prompts, models = lazy("oldsoul.wiring", "backup", "prompts", "models")
    file_watch, clock = lazy("oldsoul.adapters", "file_watch", "clock")  # watching is an extra


class HomeWorld(World):
    """The ports of the home in a folder. What builds them is loaded when it is needed."""

    def __init__(
        self,
        home: Path,
        config: Config,
        store: Stores,
        signal: Signal,
        *,
        environ: Mapping[str, str],
        clock: Clock | None,
    ) -> None:
        super().__init__(str(home), store, FolderPlaces(config.place), clock or SystemClock(), signal)
        self._home = home
        self._config = config
        self._environ = environ
        self._skills: dict[str, FolderSkills] = {}
        self._likeness: Likeness | None = None
        self.own_model: Model | None = None
        """a language model of the caller's own, for the keepers"""
        self.own_talker: Talker | None = None
        """one that replies"""
        self.own_profiles: Profiles | None = None
        """gives profiles the caller keeps"""

    @cached_property
    def _search(self) -> Searches:
        return search_engines.Searches(self._home, self._environ)

    def settings(self, workspace: str | None) -> Loaded:
        return self._config.of(workspace)

    def config(self) -> str:
        return version_of((config_text(self._home) or "").encode("utf-8", "surrogateescape"))

    def chat(self) -> ChatLog:
        return stores.chat(self._home, self.settings(None).settings.storage, self.signal.give)

    def usage(self) -> Usage:
        return stores.SqliteUsage(str(self._home / "state" / "usage.db"))

    def events(self) -> EventLog:
        return stores.SqliteEventLog(str(self._home / "state" / "events.db"))

    def jobs(self) -> JobLog:
        return stores.SqliteJobLog(str(self._home / "state" / "events.db"))

    def credentials(self) -> Credentials:
        return self._credentials

    @cached_property
    def _credentials(self) -> SqliteCredentials:
        return stores.SqliteCredentials(str(self._home / "state" / "tokens.db"))

    @cached_property
    def _spending(self) -> SqliteSpending:
        return stores.SqliteSpending(str(self._home / "state" / "spending.db"))

    def close(self) -> None:
        for opened in ("_credentials", "_spending"):
            if opened in vars(self):
                vars(self)[opened].close()

    def leases(self) -> Leases:
        return around.FolderLeases(str(self._home / "state" / "jobs"))

    def changes(self, folders: Sequence[str]) -> Changes:
        return file_watch.FileChanges(folders)

    def program(self, argv: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
        return around.run_program(argv, given, seconds=seconds, most=most)

    def notify(self, settings: Settings) -> Notify | None:
        return around.channel(settings)

    def extras(self, workspace: str) -> Extras | None:
        if not self.settings(workspace).settings.memory.search.extra_paths:
            return None
        return around.extras(self._home, workspace, self.settings, self._config.place)

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:
        if not dry_run:
            for workspace in workspaces:
                search_engines.disowned(workspace, self.settings(workspace).settings)
        return stores.claimed(self._home, self.settings(None).settings.storage, workspaces, dry_run=dry_run)

    def backup(self, workspaces: Sequence[str], file: str | Path, told: Callable[[int, int], None]) -> Backup:
        return backup.backup(backup.Around(self._home, self._config, self.store, workspaces), file, told)

    def recall(self, sources: Sources, settings: Settings) -> Recall:
        return self._search.recall(sources, settings, self.clock)

    def stopgap(self, sources: Sources, settings: Settings) -> Recall:
        return self._search.stopgap(sources, settings, self.clock)

    def rebuild(self, sources: Sources, settings: Settings, making: Making) -> bool:
        return self._search.rebuild(sources, settings, self.clock, making)

    def unindex(self, workspace: str, *, whole: bool) -> None:
        self._search.erase(workspace, self.settings(workspace).settings, whole=whole)

    def mem0(self, workspace: str, settings: Settings) -> SecondMemory:
        return self._search.mem0(workspace, settings)

    def model(self) -> Model | None:
        if self.own_model is None and self._model_options().provider == "none":
            return None
        return models.model(self._spending, self._model_options, self._environ, self._now, self.own_model)

    def talker(self) -> Talker | None:
        if self.own_talker is None and self._model_options().provider == "none":
            return None
        return models.talker(self._spending, self._model_options, self._environ, self._now, self.own_talker)

    def embedder(self) -> ChosenEmbedder | None:
        return self._search.embedder(self.settings(None).settings)

    def spending(self) -> Spending:
        return self._spending

    def _model_options(self) -> ModelOptions:
        return self.settings(None).settings.keepers.model

    def _now(self) -> datetime:
        zone = self.settings(None).settings.timezone
        return self.clock.now().astimezone(zone_of(zone) if zone else self.zone())

    def alike(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float] | None:
        search = self.settings(None).settings.memory.search
        if search.provider == "none":
            return None
        if self._likeness is None:
            self._likeness = search_engines.likeness()
        return self._likeness(pairs)

    def zone(self) -> tzinfo:
        return clock.local_zone(self._environ)

    def is_set(self, name: str) -> bool:
        return bool(self._environ.get(name))

    def machine(self, folder: str) -> Machine:
        return prompts.SystemRuntime(self._environ).machine(folder)

    def tokens(self, model: str) -> Callable[[str], int]:
        return prompts.counter(prompts.vocabulary(model))

    def skills(self, workspace: str) -> SkillRoots:
        options, folder = self.settings(workspace).settings.context.skills, self._config.place(workspace).root
        found = self._skills[workspace] = prompts.skills(self._home, folder, options, self._skills.get(workspace))
        return found

    def profiles(self, folder: str, names: Sequence[str]) -> Iterable[Profile]:
        kept = prompts.profiles(expanded(folder, self._home), names) if folder.strip() else ()
        return [*kept, *(self.own_profiles(names) if self.own_profiles else ())]

    def external(self, file: str) -> str:
        return prompts.external(expanded(file, self._home))
