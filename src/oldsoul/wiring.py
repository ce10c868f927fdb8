"""The only place that builds adapters: a home folder and an environment in, a ready Oldsoul out."""

from __future__ import annotations

import errno
import os
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
from oldsoul.values.names import SHARED, checked_workspace
from oldsoul.values.skills import BUNDLED, MANAGED, PLUGIN, USER, WORKSPACE
from oldsoul.workspace import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime, tzinfo

    from oldsoul.adapters.embedders.likeness import Likeness
    from oldsoul.adapters.index.beside import CurrentIndex
    from oldsoul.adapters.index.spaces import Table
    from oldsoul.adapters.machine import Abilities, Health
    from oldsoul.adapters.skills import FolderSkills
    from oldsoul.app.agent import Making
    from oldsoul.keepers.options import ModelOptions
    from oldsoul.ports import (
        Changes,
        ChatLog,
        Clock,
        Extras,
        Index,
        Leases,
        Model,
        Notify,
        SecondMemory,
        SkillRoots,
        Usage,
    )
    from oldsoul.recall import Recall, Sources
    from oldsoul.settings import Settings
    from oldsoul.settings.home import StorageOptions
    from oldsoul.values.context import Profile
    from oldsoul.values.runtime import Machine

CONFIG = "config.yaml"
_EMBEDDINGS = "embeddings.db"
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
    *,
    profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
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
        recall=lambda sources, settings, clock: _recall(home, sources, settings, clock, surroundings),
        extras=lambda workspace: _extras(home, workspace, settings_of, place),
        rebuild=lambda sources, settings, clock, making: _rebuild(
            home, sources, settings, clock, surroundings, making=making
        ),
        stopgap=lambda sources, settings, clock: _stopgap(home, sources, settings, clock),
        changes=_changes,
        unindex=lambda workspace: _erased(home, workspace, settings_of(workspace).settings),
        mem0=lambda workspace, settings: _mem0(home, workspace, settings, surroundings),
        model=lambda: _model(home, settings_of, surroundings, clock or SystemClock(), model),
        alike=_Alike(settings_of),
        program=_program,
        tokens=_tokens,
        machine=lambda folder: _machine(folder, surroundings),
        profiles=lambda folder, names: [*_profiles(home, folder, names), *(profiles(names) if profiles else ())],
        external=lambda file: _external(home, file),
        leases=lambda: _leases(home),
        zone=lambda: _zone(surroundings),
        skills=_skills(home, settings_of, place),
        is_set=lambda name: bool(surroundings.get(name)),
        notify=_notify,
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
        leases=lambda: _leases(home),
        zone=lambda: _zone(environ),
        skills=_skills(home, settings_of, place),
        is_set=lambda name: bool(environ.get(name)),
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

        return PostgresChatLog(_dsn(storage, "storage.chat"))
    from oldsoul.adapters.sqlite_chat import SqliteChatLog  # noqa: PLC0415 - not every command talks

    return SqliteChatLog(str(home / "state" / "chat.db"))


def _notify(settings: Settings) -> Notify | None:
    """The channel of the soul keeper's digest; a room is no channel of ours, the agent speaks there itself."""
    options = settings.keepers.digest
    if options.channel not in ("webhook", "command", "mail"):
        return None
    from oldsoul.adapters import notify  # noqa: PLC0415 - few homes have a channel

    if options.channel == "webhook":
        return notify.Webhook(options.webhook_url)
    if options.channel == "command":
        return notify.Command(options.command)
    server = notify.MailServer(options.smtp_host, options.smtp_port, options.smtp_user, options.smtp_password)
    return notify.Mail(server, options.mail_from, options.mail_to)


def _dsn(storage: StorageOptions, setting: str) -> str:
    if not storage.postgres_dsn:
        raise BadInput(f"{setting} is postgres; say where it is in OLDSOUL_POSTGRES_DSN or storage.postgres_dsn")
    return storage.postgres_dsn


def _usage(home: Path) -> Usage:
    from oldsoul.adapters.sqlite_usage import SqliteUsage  # noqa: PLC0415 - as above

    return SqliteUsage(str(home / "state" / "usage.db"))


def _recall(
    home: Path, sources: Sources, settings: Settings, clock: Clock, environ: Mapping[str, str], *, file: str = ""
) -> Recall:
    """An agent's recall on its index, or on one that is made beside it; `Damaged` when it has to be made anew."""
    from oldsoul.adapters.embedders.bundled import Bundled  # noqa: PLC0415 - numpy takes a while to load
    from oldsoul.recall import Recall  # noqa: PLC0415

    options = settings.memory.search
    tables = Bundled([]) if options.provider == "none" or not options.store.vector.enabled else Bundled()
    made = f"{options.chunking.tokens}/{options.chunking.overlap}"
    index: Index
    outdated = False
    if options.store.driver == "postgres":
        from oldsoul.adapters.index.postgres import PostgresIndex  # noqa: PLC0415 - only such a home needs it

        index = PostgresIndex(
            _dsn(settings.storage, "memory.search.store.driver"), sources.workspace, tables.tables(), made
        )
    elif file:
        from oldsoul.adapters.index.engine import SqliteIndex  # noqa: PLC0415 - numpy takes a while to load

        index = SqliteIndex(file, tables.tables(), made)
    else:
        index = _embedded(_index_file(home, sources.workspace, settings), tables.tables(), made, clock)
        outdated = index.outdated
    embedder = None
    if options.provider not in ("auto", "bundled", "none"):
        from oldsoul.adapters.embedders.choosing import chosen  # noqa: PLC0415 - few homes have one

        embedder = chosen(options, environ, str(home / "cache" / _EMBEDDINGS))
    recall = Recall(index, tables, sources, options, clock, embedder=embedder)
    recall.outdated = outdated
    recall.fading = settings.memory.confidence
    return recall


def _embedded(file: Path, tables: Sequence[Table], made: str, clock: Clock) -> CurrentIndex:
    """The index in a file of the home; one that was made for other settings will do until there is another."""
    from oldsoul.adapters.index.beside import CurrentIndex  # noqa: PLC0415 - numpy takes a while to load
    from oldsoul.adapters.index.engine import SqliteIndex  # noqa: PLC0415

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    index = CurrentIndex(str(file), lambda path: SqliteIndex(path, tables, made, lenient=True))
    try:
        _once_a_day(Path(f"{file}.checked"), clock, index.check)
    except Damaged:
        index.close()
        raise
    return index


def _rebuild(
    home: Path, sources: Sources, settings: Settings, clock: Clock, environ: Mapping[str, str], *, making: Making
) -> bool:
    """Make an agent's index anew beside the one in use, then have it count; False when another process is at it."""
    from oldsoul.adapters.index import beside  # noqa: PLC0415 - numpy takes a while to load

    if settings.memory.search.store.driver == "postgres":
        if making.anew:
            _unindex(home, sources.workspace, settings)
        recall = _recall(home, sources, settings, clock, environ)
        try:
            recall.sync(making.told)
        finally:
            recall.close()
        return True
    path = str(_index_file(home, sources.workspace, settings))
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with beside.making(path) as ours:
        if not ours:
            return False
        if making.anew:
            beside.give_up(path)
        while True:
            was_begun, file = os.path.lexists(f"{path}.next"), beside.following(path)
            try:
                recall = _recall(home, sources, settings, clock, environ, file=file)
            except Damaged:
                if not was_begun:
                    raise
                beside.give_up(path)  # what was begun is of no use
                continue
            try:
                recall.sync(making.told)
            except (OSError, Damaged):
                if beside.is_begun(path, file):
                    raise
            finally:
                recall.close()
            if beside.put_in_place(path, file):
                return True  # else something was forgotten meanwhile, and what was made went with it


def _stopgap(home: Path, sources: Sources, settings: Settings, clock: Clock) -> Recall:
    """A recall by words alone, on an index of its own: for a few texts, while there is no other."""
    from oldsoul.adapters.embedders.bundled import Bundled  # noqa: PLC0415 - numpy takes a while to load
    from oldsoul.adapters.index import beside  # noqa: PLC0415
    from oldsoul.adapters.index.engine import SqliteIndex  # noqa: PLC0415
    from oldsoul.recall import Recall  # noqa: PLC0415

    path = beside.stopgap(str(_index_file(home, sources.workspace, settings)))
    index = beside.CurrentIndex(path, lambda file: SqliteIndex(file, []))
    return Recall(index, Bundled([]), sources, settings.memory.search, clock)


def _changes(folders: Sequence[str]) -> Changes:
    from oldsoul.adapters.watching import FileChanges  # noqa: PLC0415 - few processes watch

    return FileChanges(folders)


def _extras(
    home: Path, workspace: str, settings_of: Callable[[str | None], Loaded], place: Callable[[str], Place]
) -> Extras | None:
    """The further files an agent's settings name, but for those of workspaces and our own."""
    memory = settings_of(workspace).settings.memory
    named = [path for path in memory.search.extra_paths if path.strip()]
    if not named:
        return None
    from oldsoul.adapters.extras import FolderExtras  # noqa: PLC0415 - few homes have any

    whole = settings_of(None).settings
    everybody = {whole.default_agent, SHARED, *(a.id for a in whole.agents.list), *(t.name for t in whole.teams)}
    places = [place(name) for name in everybody if name]
    ours = [str(home / folder) for folder in ("workspace", "state", "cache")]
    ours += [folder for each in places for folder in (each.root, each.memory) if folder]
    return FolderExtras([_expanded(path, home) for path in named], ours, memory.workspace.max_log_size)


def _skills(
    home: Path, settings_of: Callable[[str | None], Loaded], place: Callable[[str], Place]
) -> Callable[[str], SkillRoots]:
    """Where each agent's skills are looked for; what was read of them is known until its settings change."""
    known: dict[str, FolderSkills] = {}

    def skills(workspace: str) -> SkillRoots:
        from oldsoul.adapters.skills import FolderSkills, Root  # noqa: PLC0415 - not every command needs them

        options = settings_of(workspace).settings.context.skills
        named = [
            *((USER, folder) for folder in [options.user_dir] if folder.strip()),
            *((PLUGIN, folder) for folder in dict.fromkeys(options.plugin_dirs) if folder.strip()),
            *((MANAGED, folder) for folder in [options.managed_dir] if folder.strip()),
        ]
        roots = [Root(WORKSPACE, place(workspace).root, "skills", optional=True)]
        if not options.user_dir.strip():
            roots.append(Root(USER, str(home / "skills"), optional=True))
        roots += [Root(source, _expanded(folder, home)) for source, folder in named]
        if options.bundled:
            roots.append(Root(BUNDLED, str(Path(__file__).parent / "templates" / "skills")))
        made = known.get(workspace)
        if made is None or (made.roots, made.limits) != (tuple(roots), options):
            made = known[workspace] = FolderSkills(roots, options, os.path.expanduser("~"))  # noqa: PTH111 - also without one
        return made

    return skills


def _leases(home: Path) -> Leases:
    from oldsoul.adapters.leases import FolderLeases  # noqa: PLC0415 - few processes run by the clock

    return FolderLeases(str(home / "state" / "jobs"))


def _zone(environ: Mapping[str, str]) -> tzinfo:
    from oldsoul.adapters.zones import local_zone  # noqa: PLC0415 - as above

    return local_zone(environ)


def _machine(folder: str, environ: Mapping[str, str]) -> Machine:
    from oldsoul.adapters.runtime import SystemRuntime  # noqa: PLC0415 - only prompts tell of it

    return SystemRuntime(environ).machine(folder)


def _program(argv: Sequence[str], given: bytes, seconds: float, most: int) -> bytes:
    from oldsoul.adapters.programs import run_program  # noqa: PLC0415 - few homes name one

    return run_program(argv, given, seconds=seconds, most=most)


class _Alike:
    """How alike texts are; the table is opened when it is first asked."""

    def __init__(self, settings_of: Callable[[str | None], Loaded]) -> None:
        self._settings_of = settings_of
        self._likeness: Likeness | None = None

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float] | None:
        search = self._settings_of(None).settings.memory.search
        if search.provider == "none" or not search.store.vector.enabled:
            return None
        if self._likeness is None:
            from oldsoul.adapters.embedders.likeness import Likeness  # noqa: PLC0415 - numpy takes a while to load
            from oldsoul.adapters.embedders.static import POTION, StaticTable  # noqa: PLC0415

            self._likeness = Likeness(StaticTable(POTION))
        return self._likeness(pairs)


def _model(
    home: Path,
    settings_of: Callable[[str | None], Loaded],
    environ: Mapping[str, str],
    clock: Clock,
    own: Model | None,
) -> Model | None:
    """The language model of the keepers, one's own or that of the settings, with a meter; None where there is none."""

    def options() -> ModelOptions:
        return settings_of(None).settings.keepers.model

    def now() -> datetime:
        zone = settings_of(None).settings.timezone
        return clock.now().astimezone(zone_of(zone) if zone else None)

    if own is None and options().provider == "none":
        return None
    from oldsoul.adapters.models.choosing import chosen  # noqa: PLC0415 - few homes have one
    from oldsoul.adapters.models.metered import Metered  # noqa: PLC0415
    from oldsoul.adapters.sqlite_spending import SqliteSpending  # noqa: PLC0415
    from oldsoul.app.agent_files import zone_of  # noqa: PLC0415

    model = chosen(options, environ) if own is None else own
    if model is None:
        return None
    return Metered(model, SqliteSpending(str(home / "state" / "spending.db")), options, now)


def _tokens(chosen: str, model: str) -> Callable[[str], int]:
    from oldsoul.adapters.tokens import counter, vocabulary  # noqa: PLC0415 - only prompts count

    return counter(vocabulary(chosen, model))


def _profiles(home: Path, folder: str, names: Sequence[str]) -> Iterable[Profile]:
    """Profiles from a folder the settings name; none where they name none."""
    if not folder.strip():
        return ()
    from oldsoul.adapters.beside import profiles  # noqa: PLC0415 - few homes have one

    return profiles(_expanded(folder, home), names)


def _external(home: Path, file: str) -> str:
    from oldsoul.adapters.beside import external  # noqa: PLC0415 - as above

    return external(_expanded(file, home))


def _mem0(home: Path, workspace: str, settings: Settings, environ: Mapping[str, str]) -> SecondMemory:
    """An agent's Mem0, with the embedder of the settings."""
    from oldsoul.adapters.embedders.choosing import chosen  # noqa: PLC0415 - few homes have it
    from oldsoul.adapters.mem0 import Mem0Store, Static  # noqa: PLC0415

    embedder = chosen(settings.memory.search, environ, str(home / "cache" / _EMBEDDINGS))
    if embedder is not None:
        embedder.settle()
    return Mem0Store(str(_mem0_folder(home, workspace)), workspace, embedder or Static())


def _mem0_folder(home: Path, workspace: str) -> Path:
    return home / "cache" / "mem0" / segment(workspace)


def _index_file(home: Path, workspace: str, settings: Settings) -> Path:
    """Where an agent's index lies."""
    chosen = settings.memory.search.store.path.replace("{agentId}", segment(workspace))
    return Path(chosen).expanduser() if chosen else home / "cache" / "index" / f"{segment(workspace)}.db"


def _erased(home: Path, workspace: str, settings: Settings) -> None:
    """Something was erased for good: no index, and no vector that was kept, may still tell of it."""
    _unindex(home, workspace, settings)
    if _mem0_folder(home, workspace).is_dir():
        import shutil  # noqa: PLC0415 - few homes have it

        shutil.rmtree(_mem0_folder(home, workspace))
    for ending in ("", "-wal", "-shm"):
        (home / "cache" / f"{_EMBEDDINGS}{ending}").unlink(missing_ok=True)


def _unindex(home: Path, workspace: str, settings: Settings) -> None:
    """Take an index away: it is made again when somebody asks."""
    if settings.memory.search.store.driver == "postgres":
        from oldsoul.adapters.index.postgres import PostgresIndex  # noqa: PLC0415 - only such a home needs it

        index = PostgresIndex(_dsn(settings.storage, "memory.search.store.driver"), workspace, [])
        try:
            index.drop()
        finally:
            index.close()
    file = _index_file(home, workspace, settings)
    if file.parent.is_dir():
        from oldsoul.adapters.index import beside  # noqa: PLC0415 - few commands forget

        beside.remove(str(file))


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


def lacking(settings: Settings, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """What settings ask for and is missing, and of what."""
    from oldsoul.adapters.lacking import lacking as found  # noqa: PLC0415 - as above

    return list(found(settings.memory.search, settings.keepers, environ))


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
