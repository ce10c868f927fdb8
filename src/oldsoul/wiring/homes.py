"""Where a home lies and how its settings are read: config.yaml, each agent's CONFIG.md, the workspaces' folders."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from oldsoul.adapters.folder.store import WorkspacePath
from oldsoul.adapters.locks import locked
from oldsoul.adapters.secret_file import SecretFile
from oldsoul.errors import BadInput, Damaged, SettingsError
from oldsoul.settings import ConfigFile, Loaded, SettingsProblem
from oldsoul.settings.home import StorageOptions
from oldsoul.values.callers import Caller
from oldsoul.values.names import checked_workspace
from oldsoul.workspace import folder_of

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
    """What is in config.yaml; None when there is none, `SettingsError` when it cannot be read."""
    path = home / CONFIG
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe would wait for a writer
            raise SettingsError(f"{CONFIG} is not a file; move it away, or put a file in its place")
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(
            f"{CONFIG} cannot be read ({error.strerror}); give yourself permission to read it"
        ) from error


def settings_at(home: Path, agent: str | None, environ: Mapping[str, str]) -> Loaded:
    """The settings of a home, or as they hold for one agent, without opening it; mistakes are in its `problems`."""
    return Config(absolute(home), environ, lenient=True).of(agent)


class _Read(NamedTuple):
    """A config.yaml, and what was made of it so far."""

    written: ConfigFile
    """what is in it"""
    whole: Loaded
    """the settings of the home"""
    agents: dict[str, tuple[object, Loaded]]
    """those of each agent, with the stamp of its CONFIG.md"""
    places: dict[str, WorkspacePath]
    """where workspaces lie"""


class Config:
    """The settings of a home, read again when a file changed, so that a setting takes effect at once.

    A config.yaml with a mistake is refused. When it breaks, empties or vanishes later, the last good one stays in force,
    and the log says so. Those who only look are `lenient`: they take it as it is.
    """

    def __init__(self, home: Path, environ: Mapping[str, str], *, lenient: bool = False) -> None:
        self._home = home
        self._environ = environ
        self._file = str(home / CONFIG)
        self._stamp = _stamp(self._file)
        self._lenient = lenient
        try:
            self._read = self._made(config_text(home))
        except SettingsError as error:
            if not lenient:
                raise
            self._read = self._made(None)
            problem = SettingsProblem("error", "", str(error), CONFIG)
            self._read = self._read._replace(whole=self._read.whole._replace(problems=(problem,)))
        if self._read.whole.refusal and not lenient:
            raise SettingsError(self._read.whole.refusal)
        self._tell_removed(self._read.whole.problems)

    def of(self, agent: str | None) -> Loaded:
        """The settings of the home, or as they hold for one agent."""
        now = self._now()
        if agent is None:
            return now.whole
        root = self._place(now, agent).root
        stamp = _stamp(f"{root}/CONFIG.md")
        known = now.agents.get(agent)
        if known is None or known[0] != stamp:
            known = stamp, now.written.of(agent, _config_md(root))
            now.agents[agent] = known
            self._tell_removed([each for each in known[1].problems if each.file == "CONFIG.md"])
        return known[1]

    def place(self, workspace: str) -> WorkspacePath:
        """Where a workspace lies."""
        return self._place(self._now(), workspace)

    def _now(self) -> _Read:
        """What is in force: a config.yaml that changed is taken over if it can be."""
        stamp = _stamp(self._file)
        if stamp != self._stamp:
            self._stamp = stamp
            problem = self._taken_over()
            if problem:
                message = f"{problem}; the earlier settings stay in effect"
                tell(message)
            else:
                self._tell_removed(self._read.whole.problems)
        return self._read

    def _tell_removed(self, problems: Iterable[SettingsProblem]) -> None:
        """Name the settings of earlier versions that a file still has, but not to those who only look."""
        for problem in problems:
            if problem.is_removed and not self._lenient:
                tell(str(problem))

    def _taken_over(self) -> str:
        """Take config.yaml as it is; says why not where it cannot be."""
        try:
            text = config_text(self._home)
        except SettingsError as error:
            return str(error)
        if (self._read.written.text or "").strip() and not (text or "").strip():
            return f"{CONFIG} is empty or missing"
        made = self._made(text)
        if not made.whole.refusal:
            self._read = made
        return made.whole.refusal

    def _made(self, text: str | None) -> _Read:
        """What a config.yaml says, with what the disk says of the folders it names."""
        written = ConfigFile(text, self._environ)
        whole = written.of()
        problems = [
            SettingsProblem("error", each.path, problem, CONFIG, each.line, each.column)
            for each in whole.folders
            if (problem := _not_made(Path(expanded(each.name, self._home)), self._home))
        ]
        return _Read(written, whole._replace(problems=(*whole.problems, *problems)), {}, {})

    def _place(self, now: _Read, workspace: str) -> WorkspacePath:
        """An agent's own setting, the default agent's, else the home."""
        if workspace not in now.places:
            settings = now.written.of(workspace).settings
            own = {agent.id: agent.workspace for agent in settings.agents.list if agent.workspace.strip()}
            if settings.default_agent not in own and settings.agents.defaults.workspace.strip():
                own[settings.default_agent] = settings.agents.defaults.workspace
            configured = {name: expanded(folder, self._home) for name, folder in own.items()}
            memory = settings.memory.dir.strip()
            folder = folder_of(workspace, str(self._home), configured)
            now.places[workspace] = WorkspacePath(folder, expanded(memory, self._home) if memory else "")
        return now.places[workspace]


def tell(message: str) -> None:
    """Have a warning are where the program logs, else on standard error."""
    import logging  # noqa: PLC0415 - rarely is anything told

    logging.getLogger("oldsoul").warning("%s", message)


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


def change_setting(home: str | Path, caller: Caller, path: str, value: str | None) -> bool:
    """Set one setting in config.yaml, or with None remove it, so that its default holds again; whether that changed it.

    This is the one door to a single setting: `Refused` where it is guarded and the caller does not sit at this machine.
    """
    from oldsoul.settings import edit, guarded, unset  # noqa: PLC0415 - few commands change settings

    if guarded(path, value):
        caller.check_present(path)
    return change_config(Path(home), lambda text: unset(text, path) if value is None else edit(text, path, value))


def is_home(folder: Path) -> bool:
    """Whether a folder is a home that was written to."""
    return (folder / "state" / "ledger.db").exists()


def config_file(home: Path) -> str:
    """Where the settings of a home stand, for people."""
    return str(home / CONFIG)


def server_secret(home: str | Path) -> SecretFile:
    """The secret of the token that a server of this home has for programs of its owner."""
    return SecretFile(Path(home) / "state" / "server.token")


def make_home(home: Path) -> None:
    """Make the folders of a home, and its config.yaml where it is new."""
    if home.exists() and not home.is_dir():
        raise BadInput(f"{home} is not a folder; choose another home with --home")
    is_new = not (home / "state").exists()
    for folder in (home, home / "workspace", home / "state", home / "cache"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
            if is_new:  # else what is can be read
                raise BadInput(f"{home} cannot be made: {error.strerror}; choose another home with --home") from error
        except OSError:
            if is_new:
                raise
    if is_new and not (home / CONFIG).exists():
        from importlib import resources  # noqa: PLC0415 - only a new home needs it

        write_config(home, resources.files("oldsoul").joinpath("templates", "home", CONFIG).read_text("utf-8"))


def home_id(home: Path) -> str:
    """What tells this home from others on one server; made once, and kept in state/, so that a backup has it too."""
    path = home / "state" / "home-id"
    if not path.exists():
        temporary = _saved_beside(path, os.urandom(16).hex().encode())
        with suppress(FileExistsError):  # another process was quicker
            path.hardlink_to(temporary)
        temporary.unlink(missing_ok=True)
        _sync_folder(path.parent)
    found = path.read_text("utf-8", "replace").strip()
    if not re.fullmatch("[0-9a-f]{32}", found):
        raise Damaged(f"{path} does not contain the id of this home; restore it from a backup")
    return found


def dsn(storage: StorageOptions, setting: str) -> str:
    """Where PostgreSQL is; `BadInput` when a setting wants it and nobody said."""
    if not storage.postgres_dsn:
        raise BadInput(
            f"{setting} is postgres; set the server's address in OLDSOUL_POSTGRES_DSN or storage.postgres_dsn"
        )
    return storage.postgres_dsn


def write_config(home: Path, text: str) -> None:
    """Save config.yaml whole: a reader sees the old text or the new one, never half of it. It may hold secrets."""
    path = Path(os.path.realpath(home / CONFIG))
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    _saved_beside(path, text.encode("utf-8", "surrogateescape"), mode).replace(path)
    _sync_folder(path.parent)


def _saved_beside(path: Path, data: bytes, mode: int = 0o600) -> Path:
    """A file of another name in the same folder, durably; to be put in its place."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), mode)
        file.flush()
        os.fsync(file.fileno())
    return temporary


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def absolute(folder: Path) -> Path:
    """A folder from the root, links as they are."""
    return Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links


def expanded(folder: str, home: Path) -> str:
    """A folder that settings name, from the root; a relative one lies in the home."""
    return str(absolute(home / Path(folder.strip()).expanduser()))


def _not_made(folder: Path, home: Path) -> str:
    """Why a folder that settings name is not there and cannot be made, and what to do; empty where it can."""
    try:
        if folder.is_dir():
            return ""
    except OSError as error:
        return f"{folder} cannot be made ({error.strerror}); name another folder"
    above = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    reason = "is not a folder"
    if above != folder:
        trial = above / f".oldsoul-{os.urandom(8).hex()}"
        try:
            trial.mkdir()
            trial.rmdir()
        except OSError as error:
            is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            if is_full or (error.errno == errno.EROFS and not os.access(home, os.W_OK)):
                return ""  # told when something is to be written: until then what is can be read
            reason = f"cannot be made ({error.strerror})"
        else:
            return ""
    return f"{folder} {reason}; name another folder, or make this one first"


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
