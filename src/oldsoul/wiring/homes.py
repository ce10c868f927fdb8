"""Where a home lies and how its settings are read: config.yaml, each agent's CONFIG.md, the workspaces' folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.adapters.folder_store import Place
from oldsoul.adapters.locks import locked
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


def settings_at(home: Path, agent: str | None, environ: Mapping[str, str]) -> Loaded:
    """The settings of a home, or as they hold for one agent, without opening it."""
    return reading(absolute(home), environ)[1](agent)


def reading(home: Path, environ: Mapping[str, str]) -> tuple[Callable[[str], Place], Callable[[str | None], Loaded]]:
    """Where workspaces lie, and how their settings are read."""
    text = config_text(home)
    default = load(text, environ=environ).settings.default_agent
    place = _placing(home, default, load_for=lambda agent: load(text, agent=agent, environ=environ))

    known: dict[str | None, tuple[object, Loaded]] = {}
    files: dict[str | None, tuple[str, ...]] = {None: (str(home / CONFIG),)}

    def settings_of(agent: str | None) -> Loaded:
        """Read again when a file changed, so that a setting takes effect at once."""
        if agent is not None and agent not in files:
            files[agent] = *files[None], str(Path(place(agent).root) / "CONFIG.md")
        stamps = [_stamp(file) for file in files[agent]]
        if agent not in known or known[agent][0] != stamps:
            config_md = None if agent is None else _config_md(place(agent).root)
            known[agent] = stamps, load(config_text(home), agent=agent, config_md=config_md, environ=environ)
        return known[agent][1]

    return place, settings_of


def change_config(home: Path, change: Callable[[str | None], str]) -> bool:
    """Change the text of config.yaml, one writer at a time; whether there was anything to change."""
    home = absolute(home)
    make_home(home)
    with locked(str(home / "state" / "config.lock"), "config.yaml"):
        before = config_text(home)
        after = change(before)
        if after == (before or ""):
            return False
        write_config(home, after)
        return True


def make_home(home: Path) -> None:
    """Make the folders of a home, and its config.yaml where it is new."""
    if home.exists() and not home.is_dir():
        raise BadInput(f"{home} is to be the home, but it is not a folder; choose another with --home")
    is_new = not (home / "state").exists()
    for folder in (home, home / "workspace", home / "state", home / "cache"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_new and not (home / CONFIG).exists():
        from importlib import resources  # noqa: PLC0415 - only a new home needs it

        write_config(home, resources.files("oldsoul").joinpath("templates", "home", CONFIG).read_text("utf-8"))


def write_config(home: Path, text: str) -> None:
    """Save config.yaml whole: a reader sees the old text or the new one, never half of it. It may hold secrets."""
    path = Path(os.path.realpath(home / CONFIG))
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    temporary = path.with_name(f".{CONFIG}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        os.fchmod(file.fileno(), mode)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def absolute(folder: Path) -> Path:
    """A folder from the root, links as they are."""
    return Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links


def _placing(home: Path, default: str, load_for: Callable[[str], Loaded]) -> Callable[[str], Place]:
    """Where each workspace lies: an agent's own setting, the default agent's, else the home."""
    cache: dict[str, Place] = {}

    def place(workspace: str) -> Place:
        if workspace not in cache:
            settings = load_for(workspace).settings
            own = {agent.id: agent.workspace for agent in settings.agents.list if agent.workspace.strip()}
            if default not in own and settings.agents.defaults.workspace.strip():
                own[default] = settings.agents.defaults.workspace
            configured = {name: expanded(folder, home) for name, folder in own.items()}
            memory = settings.memory.dir.strip()
            cache[workspace] = Place(
                folder_of(workspace, str(home), configured), expanded(memory, home) if memory else ""
            )
        return cache[workspace]

    return place


def expanded(folder: str, home: Path) -> str:
    """A folder that settings name, from the root; a relative one lies in the home."""
    return str(absolute(home / Path(folder.strip()).expanduser()))


def _config_md(root: str) -> str | None:
    """CONFIG.md as text. It is read before there is a ledger, and only for its settings."""
    path = Path(root) / "CONFIG.md"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_CONFIG_MD:
        return None
    return path.read_bytes().decode("utf-8", "replace")


def _stamp(file: str) -> tuple[int, int, int] | None:
    """What changes when a file does; None when it is not there."""
    try:
        status = os.lstat(file)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
