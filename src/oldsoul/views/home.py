"""A home: its settings, whether it is in order, its services and backups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from oldsoul.values.frozen import frozen
from oldsoul.views.shape import Shown, copied, example, one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.app.health import Finding
    from oldsoul.app.home.services import TriedService
    from oldsoul.settings import Described, Loaded
    from oldsoul.values.runtime import Backup

_MASK = "••••••"


@frozen
class SettingShown(Shown):
    """A setting: what it is, and the value in force."""

    path: Annotated[str, example("memory.search.query.max_results")]
    """Its path in config.yaml."""
    value: Any
    """The value in force; a secret is masked."""
    source: Annotated[str, example("default")]
    """Where it was set."""
    line: int | None
    """The line there."""
    type: str
    """What its value has to be, in words."""
    default: str
    """Its value where nobody sets it."""
    help: str
    """What it does."""
    choices: tuple[str, ...]
    """The values it can have, where these are few."""
    secret: bool
    """Whether its value is never shown."""
    guarded: bool
    """Whether it names a program, a path, an address or a key, and so is not changed with a token."""
    where: str
    """Where it may be set: `home`, `config` (an agent's entry too) or `tunable` (CONFIG.md too)."""


def setting(of: Described, loaded: Loaded) -> SettingShown:
    """A setting in force and where it was set; a secret is masked."""
    source = loaded.sources.get(of.path)
    value = _plain(_value(loaded.settings, of.path))
    return copied(
        SettingShown,
        of,
        value=_MASK if of.secret and value else value,
        source=source.layer if source else "default",
        line=source.line if source else None,
    )


def _value(settings: Any, path: str) -> Any:
    for step in path.split("."):
        settings = getattr(settings, step) if hasattr(settings, step) else getattr(settings, f"{step}_")
    return settings


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        pairs = value and all(isinstance(item, tuple) for item in value)
        return {key: _plain(inner) for key, inner in value} if pairs else [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        inner = {name.rstrip("_"): _plain(getattr(value, name)) for name in value.__dataclass_fields__}
        return {name: each for name, each in inner.items() if each not in ("", [], False)}
    return value


@frozen
class SettingList(Shown):
    """The settings at and below a path."""

    settings: tuple[SettingShown, ...]
    """The settings."""
    problems: tuple[str, ...]
    """What is wrong with the files of settings."""


@frozen
class SettingChanged(Shown):
    """A setting that was changed in config.yaml."""

    path: str
    """Which."""
    changed: bool
    """Whether config.yaml had another value before."""
    problems: tuple[str, ...]
    """What is wrong with the files of settings now."""


@frozen
class CheckShown(Shown):
    """One thing that was looked at."""

    level: Annotated[str, one_of("ok", "note", "warning", "error")]
    """`ok`, `note`, `warning` or `error`"""
    about: str
    """What it is."""
    message: str
    """How it is."""
    advice: str
    """What to do about it."""


@frozen
class Health(Shown):
    """How the server and its home are."""

    status: Annotated[str, example("ok")]
    """`ok`, or `degraded` when something works only in part"""
    version: str
    """The version of Oldsoul."""
    degraded: tuple[CheckShown, ...]
    """What is not in order; only operators are told."""
    checks: tuple[CheckShown, ...]
    """Everything that was looked at; only operators are told."""


def health(found: Sequence[Finding], version: str, *, is_told: bool = True) -> Health:
    """Whether a home is in order, and, for those who are told, everything that was looked at."""
    checks = tuple(copied(CheckShown, each) for each in found)
    wrong = tuple(check for check in checks if check.level in ("warning", "error"))
    status = "degraded" if wrong else "ok"
    return Health(status, version, wrong if is_told else (), checks if is_told else ())


@frozen
class TriedShown(Shown):
    """A service that was tried out."""

    about: Annotated[str, one_of("embedder", "model")]
    """Which."""
    state: Annotated[str, one_of("works", "failed", "off")]
    """`off` where there is none."""
    seconds: float
    """How long it took."""
    message: str
    """What it is, or what is wrong and what to do."""


@frozen
class ServicesTried(Shown):
    """The services of the home, tried out just now."""

    tried: tuple[TriedShown, ...]
    """The services."""


def tried(of: Sequence[TriedService]) -> ServicesTried:
    """The services of a home, tried out."""
    return ServicesTried(tuple(copied(TriedShown, each) for each in of))


@frozen
class BackupShown(Shown):
    """A backup that was written or restored, and what is not in it."""

    file: str
    """Where it is."""
    home: str
    """The home it is of."""
    home_id: str
    """The id of that home."""
    made: str
    """When it was written."""
    version: str
    """The version of Oldsoul that wrote it."""
    files: int
    """How many files are in it."""
    size: int
    """How many bytes it has."""
    left_out: tuple[str, ...]
    """What is not in it."""
    moved: dict[str, str]
    """Folders that were elsewhere, and where they are now."""


def backup(of: Backup) -> BackupShown:
    """A backup that was written or restored, and what is not in it."""
    return copied(BackupShown, of)
