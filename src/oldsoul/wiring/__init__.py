"""The only place that builds adapters: a home folder and an environment in, a ready Oldsoul out."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder.glances import Glances
from oldsoul.adapters.folder.places import FolderPlaces
from oldsoul.adapters.folder.store import FolderStore, Place
from oldsoul.adapters.folder.writable import explaining
from oldsoul.app import Oldsoul, World
from oldsoul.app.signal import Signal
from oldsoul.errors import Damaged, Unwritable
from oldsoul.reading.moments import zone_of
from oldsoul.values.history import version_of
from oldsoul.values.names import SHARED
from oldsoul.values.skills import BUNDLED, MANAGED, PLUGIN, USER, WORKSPACE
from oldsoul.wiring.homes import (
    Config,
    absolute,
    change_config,
    config_text,
    dsn,
    expanded,
    home_folder,
    home_id,
    make_home,
    settings_at,
    write_config,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime, tzinfo

    from oldsoul.adapters.embedders.likeness import Likeness
    from oldsoul.adapters.skills import FolderSkills
    from oldsoul.keepers.options import ModelOptions
    from oldsoul.ports import Changes, ChatLog, Clock, EventLog, Extras, Leases, Model, Notify, SkillRoots, Usage
    from oldsoul.settings import Loaded, Settings
    from oldsoul.values.context import Profile
    from oldsoul.values.runtime import Machine
    from oldsoul.wiring.searching import Searches

__all__ = [
    "change_config",
    "config_text",
    "home_folder",
    "open_home",
    "settings_at",
    "write_config",
]


def open_home(
    chosen: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    model: Model | None = None,
    *,
    profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
    make: bool = True,
) -> Oldsoul:
    """The home at this folder, with workspaces that are not there yet made ready.

    Without `make` it is for a look alone: nothing is made, and one whose settings have mistakes can only be read.
    """
    surroundings = os.environ if environ is None else environ
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for recall: threads that spin cost more than small products
    home = absolute(home_folder(chosen, surroundings))
    with explaining():
        make_home(home)
        config = Config(home, surroundings, lenient=not make)
        place, settings_of = config.place, config.of
        glances = Glances(str(home / "cache" / "glances.json"))
        signal = Signal()
        refusal = settings_of(None).refusal
        store = FolderStore(str(home / "state"), place, glances=glances, shut=refusal, told=signal.give)
    search = cache(lambda: _searches(home, surroundings))
    world = World(
        home=str(home),
        store=store,
        places=FolderPlaces(place),
        clock=clock or SystemClock(),
        settings=settings_of,
        chat=lambda: _chat(home, settings_of(None), signal.give),
        events=lambda: _events(home),
        config=lambda: version_of((config_text(home) or "").encode("utf-8", "surrogateescape")),
        signal=signal,
        claim=lambda workspaces, dry_run: _claim(home, settings_of, workspaces, dry_run=dry_run),
        usage=lambda: _usage(home),
        recall=lambda sources, settings, clock: search().recall(sources, settings, clock),
        extras=lambda workspace: _extras(home, workspace, settings_of, place),
        rebuild=lambda sources, settings, clock, making: search().rebuild(sources, settings, clock, making),
        stopgap=lambda sources, settings, clock, anew: search().stopgap(sources, settings, clock, anew=anew),
        changes=_changes,
        unindex=lambda workspace, whole: search().erase(workspace, settings_of(workspace).settings, whole=whole),
        mem0=lambda workspace, settings: search().mem0(workspace, settings),
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
    soul = Oldsoul(world, makes=make)
    try:
        with suppress(Unwritable, Damaged):  # what stands can be read
            soul.ensure_new()
            if make:
                soul.finish_forgetting()
    except BaseException:
        store.close()
        raise
    return soul


def _searches(home: Path, environ: Mapping[str, str]) -> Searches:
    from oldsoul.wiring.searching import Searches  # noqa: PLC0415 - numpy takes a while to load

    return Searches(home, environ)


def _events(home: Path) -> EventLog:
    from oldsoul.adapters.sqlite.events import SqliteEventLog  # noqa: PLC0415 - few processes ask what happened

    return SqliteEventLog(str(home / "state" / "events.db"))


def _chat(home: Path, loaded: Loaded, told: Callable[[], None]) -> ChatLog:
    """The log of conversations, where the settings say it is."""
    storage = loaded.settings.storage
    if storage.chat == "postgres":
        from oldsoul.adapters.postgres.chat import PostgresChatLog  # noqa: PLC0415 - only such a home needs it

        return PostgresChatLog(dsn(storage, "storage.chat"), home_id(home), told)
    from oldsoul.adapters.sqlite.chat import SqliteChatLog  # noqa: PLC0415 - not every command talks

    return SqliteChatLog(str(home / "state" / "chat.db"), told)


def _claim(home: Path, settings_of: Callable[[str | None], Loaded], workspaces: Sequence[str], *, dry_run: bool) -> int:
    """Give this home what is in PostgreSQL without one; an index without one goes, for it is made again."""
    if not dry_run:
        from oldsoul.wiring.searching import disowned  # noqa: PLC0415 - numpy takes a while to load

        for workspace in workspaces:
            disowned(workspace, settings_of(workspace).settings)
    storage = settings_of(None).settings.storage
    if storage.chat != "postgres":
        return 0
    from oldsoul.adapters.postgres.chat import PostgresChatLog  # noqa: PLC0415 - only such a home needs it

    log = PostgresChatLog(dsn(storage, "storage.chat"), home_id(home))
    try:
        return log.unowned(workspaces) if dry_run else log.claim(workspaces)
    finally:
        log.close()


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


def _usage(home: Path) -> Usage:
    from oldsoul.adapters.sqlite.usage import SqliteUsage  # noqa: PLC0415 - as above

    return SqliteUsage(str(home / "state" / "usage.db"))


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
    return FolderExtras([expanded(path, home) for path in named], ours, memory.search.max_file_size)


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
        roots += [Root(source, expanded(folder, home)) for source, folder in named]
        if options.bundled:
            roots.append(Root(BUNDLED, str(Path(__file__).parent.parent / "templates" / "skills")))
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
        return clock.now().astimezone(zone_of(zone) if zone else _zone(environ))

    if own is None and options().provider == "none":
        return None
    from oldsoul.adapters.models.choosing import chosen  # noqa: PLC0415 - few homes have one
    from oldsoul.adapters.models.metered import Metered  # noqa: PLC0415
    from oldsoul.adapters.sqlite.spending import SqliteSpending  # noqa: PLC0415

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

    return profiles(expanded(folder, home), names)


def _external(home: Path, file: str) -> str:
    from oldsoul.adapters.beside import external  # noqa: PLC0415 - as above

    return external(expanded(file, home))


Oldsoul.opener = staticmethod(open_home)
