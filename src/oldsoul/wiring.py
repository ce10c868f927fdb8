"""The only place that builds adapters: a home folder and an environment in, a ready Oldsoul out."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder_store import FolderStore, Place
from oldsoul.adapters.locks import locked
from oldsoul.adapters.places import FolderPlaces
from oldsoul.app import Oldsoul, World
from oldsoul.errors import BadInput, Damaged, Refused
from oldsoul.settings import Loaded, load
from oldsoul.values.ids import segment
from oldsoul.values.names import checked_workspace
from oldsoul.workspace import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oldsoul.adapters.index.engine import SqliteIndex
    from oldsoul.adapters.machine import Abilities, Health
    from oldsoul.ports import ChatLog, Clock, Model, Usage
    from oldsoul.recall import Recall, Sources
    from oldsoul.settings import Settings

CONFIG = "config.yaml"
_MAX_CONFIG_MD = 256 * 1024
_CANNOT_WRITE = (errno.EACCES, errno.EPERM, errno.EROFS)


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


def open_home(
    chosen: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    model: Model | None = None,
) -> Oldsoul:
    """The home at this folder, with every workspace made ready."""
    surroundings = os.environ if environ is None else environ
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for recall: threads that spin cost more than small products
    home = _absolute(home_folder(chosen, surroundings))
    try:
        _make_home(home)
        place, settings_of = _reading(home, surroundings)
        store = FolderStore(str(home / "state"), place)
    except OSError as error:
        if error.errno not in _CANNOT_WRITE or not (home / "state" / "ledger.db").is_file():
            raise
        return _only_looking(home, surroundings, error)
    world = World(
        home=str(home),
        store=store,
        places=FolderPlaces(place),
        clock=clock or SystemClock(),
        settings=settings_of,
        chat=lambda: _chat(home, settings_of(None)),
        usage=lambda: _usage(home),
        recall=lambda sources, settings, clock: _recall(home, sources, settings, clock),
        unindex=lambda workspace: _remove(_index_file(home, workspace, settings_of(workspace).settings)),
        model=lambda: model,
    )
    soul = Oldsoul(world)
    try:
        soul.ensure()
        _once_a_day(home / "cache" / "retention", world.clock, soul.keep_days)
    except BaseException:
        store.close()
        raise
    return soul


def _only_looking(home: Path, environ: Mapping[str, str], error: OSError) -> Oldsoul:
    """A home that may be read and not written."""
    from oldsoul.adapters.looking import LookingStore  # noqa: PLC0415 - a rare home

    place, settings_of = _reading(home, environ)
    store = LookingStore(str(home / "state"), place, f"{error.strerror}: {error.filename}")
    world = World(
        home=str(home),
        store=store,
        places=FolderPlaces(place),
        clock=SystemClock(),
        settings=settings_of,
        chat=lambda: _closed(home),
        usage=lambda: _closed(home),
        recall=lambda *_: _closed(home),
        read_only=True,
    )
    return Oldsoul(world)


def _once_a_day(mark: Path, clock: Clock, job: Callable[[], None]) -> None:
    """Do a job that is done at the start, unless it was done today; forgetting that it was does no harm."""
    today = f"{clock.now():%Y-%m-%d}"
    try:
        if mark.read_text("utf-8") == today:
            return
    except (OSError, ValueError):
        pass
    job()
    with suppress(OSError):
        mark.write_text(today, "utf-8")


def _chat(home: Path, loaded: Loaded) -> ChatLog:
    """The log of conversations, where the settings say it is."""
    storage = loaded.settings.storage
    if storage.chat == "postgres":
        from oldsoul.adapters.postgres_chat import PostgresChatLog  # noqa: PLC0415 - only such a home needs it

        if not storage.postgres_dsn:
            raise BadInput("storage.chat is postgres; say where it is in OLDSOUL_POSTGRES_DSN or storage.postgres_dsn")
        return PostgresChatLog(storage.postgres_dsn)
    from oldsoul.adapters.sqlite_chat import SqliteChatLog  # noqa: PLC0415 - not every command talks

    return SqliteChatLog(str(home / "state" / "chat.db"))


def _usage(home: Path) -> Usage:
    from oldsoul.adapters.sqlite_usage import SqliteUsage  # noqa: PLC0415 - as above

    return SqliteUsage(str(home / "state" / "usage.db"))


def _recall(home: Path, sources: Sources, settings: Settings, clock: Clock) -> Recall:
    """An agent's recall on its index; one that cannot be used any more is made again."""
    from oldsoul.adapters.embedders.bundled import Bundled  # noqa: PLC0415 - numpy takes a while to load
    from oldsoul.adapters.index.engine import SqliteIndex  # noqa: PLC0415
    from oldsoul.recall import Recall  # noqa: PLC0415

    options = settings.memory.search
    embedder = Bundled([]) if options.provider == "none" or not options.store.vector.enabled else Bundled()
    file = _index_file(home, sources.workspace, settings)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = f"{options.chunking.tokens}/{options.chunking.overlap}"
    try:
        index = SqliteIndex(str(file), embedder.tables(), made)
        _once_a_day(Path(f"{file}.checked"), clock, lambda: _checked(index))
    except Damaged:
        _remove(file)
        index = SqliteIndex(str(file), embedder.tables(), made)
    known = ("auto", "bundled", "none")
    missing = f"memory.search.provider {options.provider} is not there yet; the bundled tables compare meaning"
    return Recall(index, embedder, sources, options, clock, notes=() if options.provider in known else (missing,))


def _index_file(home: Path, workspace: str, settings: Settings) -> Path:
    """Where an agent's index lies."""
    chosen = settings.memory.search.store.path.replace("{agentId}", segment(workspace))
    return Path(chosen).expanduser() if chosen else home / "cache" / "index" / f"{segment(workspace)}.db"


def _remove(file: Path) -> None:
    """Take an index away: it is made again when somebody asks."""
    for ending in ("", "-wal", "-shm", ".checked"):
        Path(f"{file}{ending}").unlink(missing_ok=True)
    shutil.rmtree(f"{file}.arrays", ignore_errors=True)


def _checked(index: SqliteIndex) -> None:
    """Read all of an index, so that damage nobody came across is found too."""
    try:
        index.check()
        index.seal_sums()
    except Damaged:
        index.close()
        raise


def _closed(home: Path) -> NoReturn:
    raise Refused(f"{home} can only be looked at, and its conversations not even that")


def settings_at(home: Path, agent: str | None, environ: Mapping[str, str]) -> Loaded:
    """The settings of a home, or as they hold for one agent, without opening it."""
    return _reading(_absolute(home), environ)[1](agent)


def change_config(home: Path, change: Callable[[str | None], str]) -> bool:
    """Change the text of config.yaml, one writer at a time; whether there was anything to change."""
    home = _absolute(home)
    _make_home(home)
    with locked(str(home / "state" / "config.lock"), "config.yaml"):
        before = config_text(home)
        after = change(before)
        if after == (before or ""):
            return False
        write_config(home, after)
        return True


def abilities(folder: str) -> Abilities:
    """What the file system below a folder can do; tried out there."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - only the doctor needs it

    return machine.abilities(folder)


def health(ledger: str) -> Health:
    """How the ledger's file is."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - as above

    return machine.health(ledger)


def links_out(folder: str) -> list[str]:
    """Symbolic links of a workspace that lead out of it."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - as above

    return machine.links_out(folder)


def _reading(home: Path, environ: Mapping[str, str]) -> tuple[Callable[[str], Place], Callable[[str | None], Loaded]]:
    """Where workspaces lie, and how their settings are read."""
    text = config_text(home)
    default = load(text, environ=environ).settings.default_agent
    place = _placing(home, default, load_for=lambda agent: load(text, agent=agent, environ=environ))

    known: dict[str | None, tuple[object, Loaded]] = {}

    def settings_of(agent: str | None) -> Loaded:
        """Read again when a file changed, so that a setting takes effect at once."""
        files = [home / CONFIG] if agent is None else [home / CONFIG, Path(place(agent).root) / "CONFIG.md"]
        stamps = [_stamp(file) for file in files]
        if agent not in known or known[agent][0] != stamps:
            config_md = None if agent is None else _config_md(place(agent).root)
            known[agent] = stamps, load(config_text(home), agent=agent, config_md=config_md, environ=environ)
        return known[agent][1]

    return place, settings_of


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """What changes when a file does; None when it is not there."""
    try:
        status = os.lstat(file)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


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


def _absolute(folder: Path) -> Path:
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
            configured = {name: _expanded(folder, home) for name, folder in own.items()}
            memory = settings.memory.dir.strip()
            cache[workspace] = Place(
                folder_of(workspace, str(home), configured), _expanded(memory, home) if memory else ""
            )
        return cache[workspace]

    return place


def _expanded(folder: str, home: Path) -> str:
    return str(_absolute(home / Path(folder.strip()).expanduser()))


def _config_md(root: str) -> str | None:
    """CONFIG.md as text. It is read before there is a ledger, and only for its settings."""
    path = Path(root) / "CONFIG.md"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_CONFIG_MD:
        return None
    return path.read_bytes().decode("utf-8", "replace")


Oldsoul.opener = staticmethod(open_home)
