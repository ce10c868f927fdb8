"""A home on this machine: its ports, each built when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder.store import FolderPlaces
from oldsoul.app.home.world import Signal
from oldsoul.keepers.options import ModelOptions
from oldsoul.lazy import lazy
from oldsoul.reading.dates import zone_of
from oldsoul.settings import Loaded, Settings
from oldsoul.values.history import version_of
from oldsoul.wiring.homes import Config, config_text, expanded

if TYPE_CHECKING:
    from oldsoul.adapters import clock, file_watch
    from oldsoul.adapters.embedders.static import TableSimilarity
    from oldsoul.adapters.skills import FolderSkills
    from oldsoul.ledger import Stores
    from oldsoul.ports import Changes, ChosenEmbedder, Clock, Extras, Model, Notify, SkillRoots, Talker
    from oldsoul.values.context import Profile
    from oldsoul.values.runtime import Backup, Machine
    from oldsoul.wiring import around, backup, models, search_engines, stores
    from oldsoul.wiring.search_engines import SearchEngines
    from oldsoul.wiring.stores import HomeRecords

    Profiles = Callable[[Sequence[str]], Iterable[Profile]]
else:
    around, search_engines, stores = lazy("oldsoul.wiring", "around", "search_engines", "stores")
    backup, models = lazy("oldsoul.wiring", "backup", "models")
    file_watch, clock = lazy("oldsoul.adapters", "file_watch", "clock")  # watching is an extra


class HomeModels:
    """The models of a home."""

    def __init__(
        self, world: HomeWorld, environ: Mapping[str, str], own_model: Model | None, own_talker: Talker | None
    ) -> None:
        self._world = world
        self._environ = environ
        self._likeness: TableSimilarity | None = None
        self.own_model = own_model
        """a language model of the caller's own, for the keepers"""
        self.own_talker = own_talker
        """one that replies"""

    def model(self) -> Model | None:
        if self.own_model is None and self._options().provider == "none":
            return None
        return models.model(self._world.records.spending, self._options, self._environ, self._now, self.own_model)

    def talker(self) -> Talker | None:
        if self.own_talker is None and self._options().provider == "none":
            return None
        return models.talker(self._world.records.spending, self._options, self._environ, self._now, self.own_talker)

    def embedder(self) -> ChosenEmbedder | None:
        return self._world.searches.embedder(self._world.settings(None).settings)

    def alike(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float] | None:
        if self._world.settings(None).settings.memory.search.provider == "none":
            return None
        if self._likeness is None:
            self._likeness = search_engines.likeness()
        return self._likeness(pairs)

    def _options(self) -> ModelOptions:
        return self._world.settings(None).settings.keepers.model

    def _now(self) -> datetime:
        zone = self._world.settings(None).settings.timezone
        return self._world.clock.now().astimezone(zone_of(zone) if zone else self._world.host.zone())


class HomeHost:
    """The machine around a home."""

    def __init__(self, home: Path, environ: Mapping[str, str]) -> None:
        self._home = home
        self._environ = environ

    def zone(self) -> tzinfo:
        return clock.local_zone(self._environ)

    def is_set(self, name: str) -> bool:
        return bool(self._environ.get(name))

    def machine(self, folder: str) -> Machine:
        return around.SystemRuntime(self._environ).machine(folder)

    def tokens(self, model: str) -> Callable[[str], int]:
        return around.counter(around.vocabulary(model))

    def program(self, argv: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
        return around.run_program(argv, given, seconds=seconds, most=most)

    def changes(self, folders: Sequence[str]) -> Changes:
        ours = [str(self._home / name) for name in ("cache", "state")]  # nobody else writes there
        return file_watch.FileChanges(folders, ours)

    def notify(self, settings: Settings) -> Notify | None:
        return around.channel(settings)


class HomeOutside:
    """What others keep for the agents of a home."""

    def __init__(self, home: Path, config: Config, own_profiles: Profiles | None) -> None:
        self._home = home
        self._config = config
        self._own_profiles = own_profiles
        self._skills: dict[str, FolderSkills] = {}

    def extras(self, workspace: str) -> Extras | None:
        if not self._config.of(workspace).settings.memory.search.extra_paths:
            return None
        return around.extras(self._home, workspace, self._config.of, self._config.place)

    def skills(self, workspace: str) -> SkillRoots:
        options, folder = self._config.of(workspace).settings.context.skills, self._config.place(workspace).root
        found = self._skills[workspace] = around.skills(self._home, folder, options, self._skills.get(workspace))
        return found

    def profiles(self, folder: str, names: Sequence[str]) -> Iterable[Profile]:
        kept = around.profiles(expanded(folder, self._home), names) if folder.strip() else ()
        return [*kept, *(self._own_profiles(names) if self._own_profiles else ())]

    def external(self, file: str) -> str:
        return around.external(expanded(file, self._home))


class HomeWorld:
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
        model: Model | None = None,
        talker: Talker | None = None,
        profiles: Profiles | None = None,
    ) -> None:
        self._home = home
        self._config = config
        self._environ = environ
        self.home = str(home)
        self.store = store
        self.signal = signal
        self.clock = clock or SystemClock()
        self.places = FolderPlaces(config.place, str(home))
        self.models = HomeModels(self, environ, model, talker)
        self.host = HomeHost(home, environ)
        self.outside = HomeOutside(home, config, profiles)

    @cached_property
    def records(self) -> HomeRecords:
        return stores.HomeRecords(self._home, lambda: self.settings(None).settings.storage, self.signal.give)

    @cached_property
    def searches(self) -> SearchEngines:
        return search_engines.SearchEngines(self._home, self._environ, self.settings, self.clock)

    def settings(self, workspace: str | None) -> Loaded:
        return self._config.of(workspace)

    def config(self) -> str:
        return version_of((config_text(self._home) or "").encode("utf-8", "surrogateescape"))

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:
        if not dry_run:
            for workspace in workspaces:
                search_engines.disowned(workspace, self.settings(workspace).settings)
        return self.records.claim(workspaces, dry_run=dry_run)

    def backup(self, workspaces: Sequence[str], file: str, on_progress: Callable[[int, int], None]) -> Backup:
        return backup.backup(backup.BackedUpHome(self._home, self._config, self.store, workspaces), file, on_progress)
