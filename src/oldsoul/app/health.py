"""Whether a home is in order: the machine, the folder, files of ours, settings and every workspace, looked at one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from oldsoul.app import Agent, Oldsoul
from oldsoul.app.services.files import File
from oldsoul.errors import OldsoulError
from oldsoul.rules.triage import triage
from oldsoul.settings import Loaded, Settings
from oldsoul.values.frozen import frozen
from oldsoul.values.runtime import Abilities, FileHealth, LostRecord

OK, NOTE, WARNING, ERROR = "ok", "note", "warning", "error"
LEVELS = (OK, NOTE, WARNING, ERROR)
"""The package with the list of English words."""
_LITTLE_SPACE, _NO_SPACE = 200 * 1024 * 1024, 10 * 1024 * 1024
_NEAR = 0.8
_MOST_NAMED = 5
_REFUSED = (
    "correct it: until then only `config` and `doctor` work; processes that are already running keep their earlier"
    " settings"
)

_OVERWRITTEN = (
    "up to version 0.1.0 two programs could overwrite each other's writes after a health check; look for what is missing"
    " in a backup or in the Markdown files, which were not affected, and add it again"
)


@frozen
class Finding:
    """One thing that was looked at."""

    level: str
    """ok, note, warning or error"""
    about: str
    """what was looked at"""
    message: str
    """how it is"""
    advice: str = ""
    """what to do"""


class Site(Protocol):
    """The machine around a home, as far as it is looked at."""

    home: str
    """the folder"""
    python: str
    """the version of Python"""
    sqlite: str
    """the version of SQLite"""
    has_sqlite: bool
    """whether that one will do"""

    @property
    def is_there(self) -> bool:
        """Whether anything is where the home is to be."""

    @property
    def is_folder(self) -> bool:
        """Whether that is a folder."""

    @property
    def is_writable(self) -> bool:
        """Whether the person may write into it."""

    def open_to_others(self) -> list[str]:
        """What of the home others on this machine can reach."""

    def free_space(self) -> int:
        """How many bytes are free on its disk."""

    def abilities(self) -> Abilities:
        """What its file system can do."""

    def settings(self, agent: str | None) -> Loaded:
        """The settings as they stand, with their mistakes."""

    def file(self, name: str) -> tuple[str, int] | None:
        """The path and the size of a file in state/; None where it is not there."""

    def health(self, path: str) -> FileHealth:
        """How a SQLite file of ours is."""

    def backups(self, path: str) -> Mapping[str, FileHealth]:
        """The copies of a SQLite file of ours that lie beside it."""

    def lost(self, path: str) -> Sequence[LostRecord]:
        """What a SQLite file of ours held once, as the log of events tells, and does not hold now."""

    def left_out(self, workspace: str) -> Sequence[tuple[str, str, str]]:
        """What of a workspace looks like a document and is left out: its path, why, and what to do."""

    def missing_requirements(self, settings: Settings) -> list[tuple[str, str]]:
        """What settings ask for and is missing, and of what."""


def findings(
    site: Site, opened: Callable[[], Oldsoul], agent: str | None, on_progress: Callable[[str], None]
) -> Iterator[Finding]:
    """All there is to find, of all workspaces or of one; `on_progress` hears what takes a while.

    What can be seen only in an open home comes last; that it cannot be opened is a finding too.
    """
    yield from _programs(site)
    yield from _home(site)
    try:
        yield from _settings(site)
        if not site.is_folder:
            return
        yield from _ledger(site)
        if any(problem.severity == ERROR and not problem.path for problem in site.settings(None).problems):
            yield Finding(NOTE, "workspaces", "not checked, because config.yaml says where they are and cannot be read")
            return
        soul = opened()
        yield from _chat(site, soul, on_progress)
        yield from _embedder(soul)
        yield from _lacking(site, soul)
        for name in [soul.agent(agent).id] if agent else soul.workspaces():
            yield from _workspace(site, soul, name)
            yield from _index(soul, name)
            if name in (*soul.agents(), *soul.teams()):
                yield from _options(soul.agent(name))
    except (OldsoulError, OSError) as error:
        yield Finding(ERROR, type(error).__name__, str(error))


def _programs(site: Site) -> Iterator[Finding]:
    yield Finding(OK, "Python", site.python)
    advice = "" if site.has_sqlite else "use a Python built with SQLite 3.31 or newer"
    yield Finding(OK if site.has_sqlite else ERROR, "SQLite", site.sqlite, advice)


def _home(site: Site) -> Iterator[Finding]:
    home = site.home
    if site.is_there and not site.is_folder:
        yield Finding(ERROR, "home", f"{home} is not a folder", "choose another with --home")
        return
    if not site.is_folder:
        yield Finding(NOTE, "home", f"{home} does not exist yet", "run `oldsoul init` to create it")
        return
    yield Finding(OK, "home", home)
    for path in site.open_to_others():
        yield Finding(
            WARNING, "permissions", f"{path} can be read by other users of this machine", f"chmod go-rwx {path}"
        )
    if not site.is_writable:
        yield Finding(
            ERROR,
            "permissions",
            f"you have no permission to write to {home}",
            "change its owner, or use another --home",
        )
        return
    yield from _file_system(site)


def _file_system(site: Site) -> Iterator[Finding]:
    free = site.free_space()
    level = ERROR if free < _NO_SPACE else WARNING if free < _LITTLE_SPACE else OK
    advice = "free some disk space" if level != OK else ""
    yield Finding(level, "free space", f"{free // (1024 * 1024):,} MiB", advice)
    try:
        can = site.abilities()
    except OSError as error:
        yield Finding(NOTE, "file system", f"could not be tested ({error.strerror})")
        return
    kind = can.kind or "its file system"
    if can.is_network:
        yield Finding(WARNING, "file system", f"{kind} is a network file system", "keep the home on a local disk")
    if not can.has_wal and free >= _NO_SPACE:
        yield Finding(
            ERROR, "file system", f"SQLite cannot keep its write-ahead log on {kind}", "move the home to a local disk"
        )
    if can.swaps:
        yield Finding(OK, "file system", f"{kind} can swap two files in one step")
    else:
        message = (
            f"{kind} cannot swap two files in one step; a file that you save at the very moment Oldsoul writes"
            " it is noticed a little later"
        )
        yield Finding(NOTE, "file system", message)
    if not can.tells_writers:
        message = f"{kind} does not show who is writing to a file; changed files are read 2 s after the last write"
        yield Finding(NOTE, "file system", message)


def _settings(site: Site) -> Iterator[Finding]:
    settings = site.settings(None).settings
    seen = set()
    agents = dict.fromkeys([settings.default_agent, *(agent.id for agent in settings.agents.list)])
    for agent in (None, *agents):
        for problem in site.settings(agent).problems:
            where = f"{agent}: " if agent and problem.file == "CONFIG.md" else ""
            if (where, problem) not in seen:
                seen.add((where, problem))
                refused = problem.severity == ERROR and problem.file == "config.yaml"
                yield Finding(problem.severity, "settings", f"{where}{problem}", _REFUSED if refused else "")
    if not seen:
        yield Finding(OK, "settings", "all valid")


def _ledger(site: Site) -> Iterator[Finding]:
    file = site.file("ledger.db")
    if file is None:
        return
    path, size = file
    found = site.health(path)
    if found.problems:
        loss = "the files are safe; their history and proposals are lost"
        yield from _gone(site, "ledger", path, found.problems, loss)
        return
    yield from _lost("ledger", "change", site.lost(path))
    yield Finding(OK, "ledger", f"whole, {size // 1024:,} KiB")
    if found.unfinished:
        message = f"{_counted(found.unfinished, 'change is', 'changes are')} not yet marked as finished"
        yield Finding(NOTE, "ledger", message, "the next command that changes memory finishes them")
    if found.aside:
        message = f"{_counted(found.aside, 'file is', 'files are')} kept aside until they are recorded in history"
        yield Finding(NOTE, "ledger", message)


def _gone(site: Site, about: str, path: str, problems: Sequence[str], loss: str) -> Iterator[Finding]:
    """What is gone with a file that is damaged, and how far the copies beside it go."""
    copies = site.backups(path)
    whole = {copy: state.last for copy, state in copies.items() if not state.problems}
    folder, _, name = path.rpartition("/")
    advice = (
        f"replace it with a backup, or move {name} and all files that begin with {name}- out of {folder} and"
        " start again"
    )
    yield Finding(ERROR, about, f"{'; '.join(problems)}: {loss}", advice)
    for copy, last in whole.items():
        yield Finding(NOTE, about, f"{copy} is an intact copy with everything up to {last}")
    for copy in copies.keys() - whole.keys():
        yield Finding(WARNING, about, f"{copy} is damaged too")
    if not copies:
        yield Finding(NOTE, about, f"there is no copy of {name} in its folder; look in your backups for {path}")


def _lost(about: str, kind: str, lost: Sequence[LostRecord]) -> Iterator[Finding]:
    """What was acknowledged and is gone."""
    if not lost:
        return
    shown = [
        f"{each.number} of {each.workspace}, {each.at}{' (another one has this number now)' if each.is_taken else ''}"
        for each in lost[:_MOST_NAMED]
    ]
    rest = f" and {len(lost) - _MOST_NAMED} more" if len(lost) > _MOST_NAMED else ""
    was = "was" if len(lost) == 1 else "were"
    message = f"{_counted(len(lost), kind)} that {was} stored and announced {was} lost: {', '.join(shown)}{rest}"
    yield Finding(ERROR, about, message, _OVERWRITTEN)


def _chat(site: Site, soul: Oldsoul, on_progress: Callable[[str], None]) -> Iterator[Finding]:
    """The log of conversations: whether it opens, wherever it is. Its address may hold a password, so it is not shown."""
    server = soul.settings.storage.chat == "postgres"
    about = "chat log in PostgreSQL" if server else "chat log"
    path, size = site.file("chat.db") or ("", 0)
    if not server and not path:
        yield Finding(OK, about, "no messages logged yet")
        return
    problems = () if server else site.health(path).problems
    if problems:
        yield from _gone(site, about, path, problems, "the logged conversations are lost, nothing else")
        return
    elif path:
        yield from _lost(about, "message", site.lost(path))
    if server:
        on_progress("Connecting to PostgreSQL; this takes up to a minute if the server does not answer.")
    try:
        count = sum(len(soul._home.chat.threads(name)) for name in soul.workspaces())
        unowned = soul.claim(dry_run=True) if server else 0
    except (OldsoulError, OSError) as error:
        yield Finding(ERROR, about, str(error), "check storage.postgres_dsn and OLDSOUL_POSTGRES_DSN" if server else "")
        return
    if unowned:
        message = f"{_counted(unowned, 'message')} of these agents belong to no home, so they are not read"
        yield Finding(WARNING, about, message, "if they belong to this home, run `oldsoul init --claim`")
    state = "it answers" if server else f"whole, {size // 1024:,} KiB"
    yield Finding(OK, about, f"{state}, {_counted(count, 'session')}")


def _embedder(soul: Oldsoul) -> Iterator[Finding]:
    """Whether the bundled embedder is used."""
    search = soul.settings.memory.search
    if not search.enabled or search.provider not in ("auto", "bundled", "fast"):
        return
    yield Finding(OK, "embedder", "bundled; no text leaves this machine")


def _lacking(site: Site, soul: Oldsoul) -> Iterator[Finding]:
    """What is asked for and cannot work yet; the rest goes on without it."""
    found = site.missing_requirements(soul.settings)
    for about, missing in found:
        yield Finding(WARNING, about, missing, "until then Oldsoul works without it")
    model = soul.settings.keepers.model
    if model.provider != "none" and not any(about == "model" for about, _ in found):
        yield Finding(OK, "model", f"{model.model} by {model.provider}; not tested")


def _options(agent: Agent) -> Iterator[Finding]:
    """Patterns of triage that only the engine can tell are no use, and further files that cannot be searched."""
    for problem in triage(agent.settings.memory.triage).problems:
        yield Finding(WARNING, agent.id, problem, "see memory.triage in `oldsoul config explain`")
    for problem in agent._parts.extra_problems():
        yield Finding(WARNING, agent.id, problem, "see memory.search.extra_paths in `oldsoul config explain`")


def _workspace(site: Site, soul: Oldsoul, name: str) -> Iterator[Finding]:
    agent = soul.agent(name)
    folder = soul._home.world.places.folder(name)
    if not soul._home.world.places.is_there(name):
        yield Finding(NOTE, name, f"{folder} does not exist yet", "run `oldsoul init` to create it")
        return
    files = agent.files.all()
    found = [*_left_out(site, name), *_sizes(name, files), *_contents(agent)]
    yield from found
    others = [file.name.path for file in files if str(file.name.kind) == "other"]
    if others:
        shown = ", ".join(others[:_MOST_NAMED]) + (" …" if len(others) > _MOST_NAMED else "")
        yield Finding(
            NOTE, name, f"{_counted(len(others), 'file')} that Oldsoul does not manage and leaves as they are: {shown}"
        )
    if not found:
        yield Finding(OK, name, f"{_counted(len(files), 'file')} in {folder}")


def _left_out(site: Site, name: str) -> Iterator[Finding]:
    for _, reason, advice in site.left_out(name):
        yield Finding(WARNING, name, reason, advice)


def _index(soul: Oldsoul, name: str) -> Iterator[Finding]:
    """What became of the index while this process used it."""
    damage = soul._home.syncing.damaged.get(name)
    if damage:
        message = f"its search index was damaged, so it was rebuilt, or is being rebuilt: {damage}"
        yield Finding(
            NOTE, name, message, "nothing is lost; if it happens again, look for the program that changes cache/"
        )


def _sizes(name: str, files: Sequence[File]) -> Iterator[Finding]:
    for file in files:
        share = f"{file.name.path} has {file.size:,} of at most {file.limit:,} bytes"
        if file.size > file.limit:
            advice = f"shorten it with `oldsoul edit {file.name.path}`; until then nothing can be added"
            yield Finding(WARNING, name, f"{share}: too large", advice)
        elif file.size > file.limit * _NEAR:
            yield Finding(NOTE, name, f"{share}: nearly full")


def _contents(agent: Agent) -> Iterator[Finding]:
    for place, problem in agent._parts.unsearched().items():
        yield Finding(
            WARNING, agent.id, f"{place.path} {problem}, so it is not searched", "split it or move it elsewhere"
        )
    for place, problem in agent._parts.findings():
        yield Finding(WARNING, agent.id, f"{place.path}: {problem}", f"`oldsoul edit {place.path}`")


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
