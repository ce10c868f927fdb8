"""The only place that builds adapters: a home folder and an environment in, a ready Oldsoul out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.adapters.folder.disk import explaining
from oldsoul.adapters.folder.store import FolderStore
from oldsoul.adapters.folder.version_cache import VersionCache
from oldsoul.app import Oldsoul
from oldsoul.app.home.world import Signal
from oldsoul.errors import Damaged, Unwritable
from oldsoul.lazy import lazy
from oldsoul.wiring.homes import (
    Config,
    absolute,
    change_config,
    change_setting,
    config_file,
    config_text,
    home_folder,
    is_home,
    make_home,
    server_secret,
    settings_at,
    write_config,
)
from oldsoul.wiring.world import HomeWorld

if TYPE_CHECKING:
    from oldsoul.ports import Clock, Model, Talker
    from oldsoul.values.context import Profile
    from oldsoul.values.runtime import Backup
    from oldsoul.wiring import backup
else:
    (backup,) = lazy("oldsoul.wiring", "backup")

__all__ = [
    "change_config",
    "change_setting",
    "config_file",
    "config_text",
    "home_folder",
    "is_home",
    "open_home",
    "server_secret",
    "settings_at",
    "write_config",
]


def open_home(
    chosen: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    model: Model | None = None,
    *,
    talker: Talker | None = None,
    profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
    make: bool = True,
) -> Oldsoul:
    """The home at this folder, with workspaces that are not there yet prepared.

    Without `make` it is for a look alone: nothing is made, and one whose settings have mistakes can only be read.
    """
    surroundings = os.environ if environ is None else environ
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for recall: threads that spin cost more than small products
    home = absolute(home_folder(chosen, surroundings))
    with explaining():
        make_home(home)
        config = Config(home, surroundings, lenient=not make)
        version_cache = VersionCache(str(home / "cache" / "glances.json"))
        signal = Signal()
        refusal = config.of(None).refusal
        store = FolderStore(
            str(home / "state"), config.place, versions=version_cache, shut=refusal, on_commit=signal.give
        )
    world = HomeWorld(
        home,
        config,
        store,
        signal,
        environ=surroundings,
        clock=clock,
        model=model,
        talker=talker,
        profiles=profiles,
    )
    soul = Oldsoul(world, makes=make)
    try:
        with suppress(Unwritable, Damaged):  # what is can be read
            soul._home.ensure_new()
            if make:
                soul.finish_forgetting()
    except BaseException:
        store.close()
        raise
    return soul


def _restore(file: str | Path, home: str | Path | None, on_progress: Callable[[int, int], None]) -> Backup:
    return backup.restore(file, home, on_progress)


Oldsoul._opener = staticmethod(open_home)
Oldsoul._restorer = staticmethod(_restore)
