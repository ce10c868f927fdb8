"""The only place that builds adapters: a home folder and an environment in, a ready Oldsoul out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder_store import FolderStore, Place
from oldsoul.adapters.places import FolderPlaces
from oldsoul.app import Oldsoul, World
from oldsoul.errors import BadInput
from oldsoul.settings import Loaded, load
from oldsoul.values.names import checked_workspace
from oldsoul.workspace import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONFIG = "config.yaml"
_MAX_CONFIG_MD = 256 * 1024


def home_folder(chosen: str | Path | None, environ: Mapping[str, str]) -> Path:
    """The data folder: the one chosen, `OLDSOUL_HOME`, a profile's, a service's, or `~/.oldsoul`."""
    if chosen:
        return Path(chosen).expanduser()
    if environ.get("OLDSOUL_HOME"):
        return Path(environ["OLDSOUL_HOME"]).expanduser()
    if environ.get("OLDSOUL_PROFILE"):
        return Path(f"~/.oldsoul-{checked_workspace(environ['OLDSOUL_PROFILE'])}").expanduser()
    if environ.get("STATE_DIRECTORY"):  # systemd's word for /var/lib/oldsoul
        return Path(environ["STATE_DIRECTORY"].split(":")[0])
    return Path("~/.oldsoul").expanduser()


def config_text(home: Path) -> str | None:
    """What stands in config.yaml; None when there is none."""
    try:
        return (home / CONFIG).read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None


def open_home(chosen: str | Path | None = None, environ: Mapping[str, str] | None = None) -> Oldsoul:
    """The home at this folder, with every workspace made ready."""
    surroundings = os.environ if environ is None else environ
    home = Path(os.path.abspath(home_folder(chosen, surroundings)))  # noqa: PTH100 - resolve() would follow links
    _make_home(home)
    text = config_text(home)
    settings = load(text, environ=surroundings).settings
    place = _placing(home, settings.default_agent, load_for=lambda agent: load(text, agent=agent, environ=surroundings))
    store = FolderStore(str(home / "state"), place)

    def settings_of(agent: str | None) -> Loaded:
        config_md = None if agent is None else _config_md(place(agent).root)
        return load(config_text(home), agent=agent, config_md=config_md, environ=surroundings)

    soul = Oldsoul(World(str(home), store, FolderPlaces(place), SystemClock(), settings_of))
    try:
        soul.ensure()
    except BaseException:
        store.close()
        raise
    return soul


def _make_home(home: Path) -> None:
    if home.exists() and not home.is_dir():
        raise BadInput(f"{home} is to be the home, but it is not a folder; choose another with --home")
    is_new = not (home / "state").exists()
    for folder in (home, home / "workspace", home / "state", home / "cache"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_new and not (home / CONFIG).exists():
        from importlib import resources  # noqa: PLC0415 - only a new home needs it

        write_config(home, resources.files("oldsoul").joinpath("templates", "home", CONFIG).read_text("utf-8"))


def write_config(home: Path, text: str) -> None:
    """Save config.yaml whole: a reader sees the old text or the new one, never half of it."""
    temporary = home / f".{CONFIG}.{os.getpid()}"
    with temporary.open("wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(home / CONFIG)


def _placing(home: Path, default: str, load_for: Callable[[str], Loaded]) -> Callable[[str], Place]:
    """Where each workspace lies: an agent's own setting, the default agent's, else the home."""
    cache: dict[str, Place] = {}

    def place(workspace: str) -> Place:
        if workspace not in cache:
            settings = load_for(workspace).settings
            own = {agent.id: agent.workspace for agent in settings.agents.list if agent.workspace.strip()}
            if default not in own and settings.agents.defaults.workspace.strip():
                own[default] = settings.agents.defaults.workspace
            configured = {name: _expanded(folder, home) for name, folder in own.items()}
            memory = settings.memory.dir.strip()
            cache[workspace] = Place(
                folder_of(workspace, str(home), configured), _expanded(memory, home) if memory else ""
            )
        return cache[workspace]

    return place


def _expanded(folder: str, home: Path) -> str:
    return os.path.abspath(home / Path(folder.strip()).expanduser())  # noqa: PTH100 - resolve() would follow links


def _config_md(root: str) -> str | None:
    """CONFIG.md as text. It is read before there is a ledger, and only for its settings."""
    path = Path(root) / "CONFIG.md"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_CONFIG_MD:
        return None
    return path.read_bytes().decode("utf-8", "replace")


Oldsoul.opener = staticmethod(open_home)
