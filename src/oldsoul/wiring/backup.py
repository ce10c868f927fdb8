"""Backs a home up to one file and restores it: which folders belong to it, and how settings lead to them afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from oldsoul import __version__
from oldsoul.adapters.backup import BackupRoot, Facts, unpacked, write
from oldsoul.adapters.locks import locked
from oldsoul.errors import BadInput, SettingsError, Unwritable
from oldsoul.ledger import Stores
from oldsoul.settings import edit
from oldsoul.values.ids import segment
from oldsoul.values.names import SHARED
from oldsoul.values.runtime import Backup
from oldsoul.wiring.homes import Config, absolute, config_text, home_folder, home_id, write_config

_OUTSIDE = "outside"
"""The folder of a restored home that has what was outside the home."""
_ON_SERVER = (
    "the conversations are in PostgreSQL (storage.chat) and not in this file; back up the server too, after this"
)


class BackedUpHome(NamedTuple):
    """A home that is open, as far as a backup needs it."""

    home: Path
    """the folder"""
    config: Config
    """its settings"""
    store: Stores
    """its documents"""
    workspaces: Sequence[str]
    """the names of its workspaces"""


def backup(of: BackedUpHome, file: str | Path, on_progress: Callable[[int, int], None]) -> Backup:
    """Write a backup of a home."""
    target, home = absolute(Path(file).expanduser()), str(of.home)
    found = {name: of.config.place(name) for name in of.workspaces}
    places = {name: (place.root, place.memory) for name, place in found.items()}
    folders = [folder for place in places.values() for folder in place if folder]
    moved = _moved(of.home, places)
    roots = [BackupRoot(home, ""), *(BackupRoot(f"{home}/{name}", name) for name in ("workspace", "state"))]
    roots += [BackupRoot(folder, _path(folder, home, moved)) for folder in folders]
    _check_target(target, [root.folder for root in roots])
    with suppress(OSError):  # a home that cannot be written to may have none
        home_id(of.home)
    facts = Facts(
        version=__version__,
        home_id=home_id(of.home) if (of.home / "state" / "home-id").exists() else "",
        made="",
        left_out=[_ON_SERVER] if of.config.of(None).settings.storage.chat == "postgres" else [],
        moved=moved,
        places={name: [folder and _path(folder, home, moved) for folder in place] for name, place in places.items()},
    )
    written = write(str(target), roots, lambda locks: _hold(of, locks), facts, on_progress)
    return _described(str(target), home, written.facts, written.files, written.size)


def restore(
    file: str | Path,
    home: str | Path | None,
    on_progress: Callable[[int, int], None],
    environ: Mapping[str, str] | None = None,
) -> Backup:
    """Unpack a backup to a folder that is empty or not there."""
    surroundings = os.environ if environ is None else environ
    archive, place = absolute(Path(file).expanduser()), absolute(home_folder(home, surroundings))
    with unpacked(str(archive), os.path.realpath(place), on_progress) as (folder, reader):
        astray = _led(Path(folder), reader.facts.places, surroundings)
    facts = reader.facts._replace(
        left_out=[*reader.facts.left_out, *astray],
        moved={was: str(place / path) for was, path in reader.facts.moved.items()},
    )
    return _described(str(archive), str(place), facts, len(reader.files), archive.stat().st_size)


def _described(file: str, home: str, facts: Facts, files: int, size: int) -> Backup:
    return Backup(
        file=file,
        home=home,
        home_id=facts.home_id,
        made=facts.made,
        version=facts.version,
        files=files,
        size=size,
        left_out=tuple(facts.left_out),
        moved=facts.moved,
    )


def _hold(of: BackedUpHome, locks: ExitStack) -> None:
    """Hold every workspace, with everything that was begun there finished."""
    for name in sorted(of.workspaces):
        try:
            locks.enter_context(of.store.hold(name))
        except Unwritable:  # what was begun there is finished in the restored home
            lock = of.home / "state" / "locks" / f"{segment(name)}.lock"
            with suppress(FileNotFoundError):
                locks.enter_context(locked(str(lock), f"workspace {name}", flags=os.O_RDONLY))


def _moved(home: Path, places: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Where in the backup each folder outside the home goes; one that is inside another goes with it."""
    names: dict[str, str] = {}
    for workspace, (root, memory) in places.items():
        names.setdefault(root, segment(workspace))
        if memory:
            names.setdefault(memory, f"{segment(workspace)}.memory")
    moved: dict[str, str] = {}
    for folder in sorted(names):
        if _is_in(folder, str(home)) or any(_is_in(folder, other) for other in moved):
            continue
        path, number = f"{_OUTSIDE}/{names[folder]}", 1
        while path in moved.values() or (home / path).exists():
            number += 1
            path = f"{_OUTSIDE}/{names[folder]}-{number}"
        moved[folder] = path
    return moved


def _path(folder: str, home: str, moved: Mapping[str, str]) -> str:
    """Where in the backup a folder is."""
    for top, path in ((home, ""), *moved.items()):
        if _is_in(folder, top):
            return os.path.normpath(f"{path or '.'}/{os.path.relpath(folder, top)}")
    raise KeyError(folder)


def _is_in(folder: str, top: str) -> bool:
    return os.path.commonpath([folder, top]) == top


def _check_target(target: Path, folders: Sequence[str]) -> None:
    if target.exists():
        raise BadInput(f"{target} is there already; give the backup another name, or move that file away")
    if not target.parent.is_dir():
        raise BadInput(f"there is no folder {target.parent}; create it first, or choose another")
    for folder in folders:
        if _is_in(os.path.realpath(target.parent), os.path.realpath(folder)):
            raise BadInput(f"{target} is in {folder}, which is backed up; choose a place outside it")


def _led(home: Path, places: Mapping[str, Sequence[str]], environ: Mapping[str, str]) -> list[str]:
    """Have the settings of a restored home lead to its workspaces; says of which they do not."""

    def astray() -> dict[str, tuple[bool, bool]]:
        config = Config(home, environ, lenient=True)
        wanted = {name: [path and str(home / path) for path in paths] for name, paths in places.items()}
        found = {name: config.place(name) for name in wanted}
        differs = {
            name: (found[name].root != root, found[name].memory != memory) for name, (root, memory) in wanted.items()
        }
        return {name: both for name, both in differs.items() if any(both)}

    settings = Config(home, environ, lenient=True).of(None).settings
    agents = {settings.default_agent, *(agent.id for agent in settings.agents.list)}
    with suppress(SettingsError):
        if astray().get(SHARED, (False, False))[1]:
            _set(home, "memory.dir", places[SHARED][1])
        for name, (root, memory) in astray().items():
            if root and name in agents:
                _set(home, f"agents.{name}.workspace", places[name][0])
            if memory and name in agents:
                _set(home, f"agents.{name}.memory.dir", places[name][1])
    return [
        f"the files of {name} are in {' and '.join(filter(None, places[name]))} of the restored home, and its settings"
        " lead elsewhere; correct agents.list or memory.dir in config.yaml"
        for name in astray()
    ]


def _set(home: Path, setting: str, value: str) -> None:
    write_config(home, edit(config_text(home), setting, value))
