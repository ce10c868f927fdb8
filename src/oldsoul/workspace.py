"""The named files of one workspace: where it lies, what it begins with, what it is read from at the start."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

from oldsoul.errors import BadName, NotFound, Refused
from oldsoul.values.changes import Author, ChangeSet, Put, Role
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Snapshot
from oldsoul.values.ids import id_of, segment
from oldsoul.values.keepers import PROMPTED
from oldsoul.values.names import BOOTSTRAP, SHARED, Kind, Name

SEEDED = (
    *("SOUL.md", "AGENTS.md", "USER.md", "MEMORY.md", "CONFIG.md"),
    *("CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md"),
    *(f"agents/{keeper}/SOUL.md" for keeper in PROMPTED),
)
"""What `ensure` creates in a new workspace."""

FOLDERS = (
    *("memory", "memory/_longterms", "rooms", "skills", "SOUL_HISTORY"),
    *("Archive/Chronicles", "Archive/Corrections", "Archive/Daily", "Archive/Memory"),
)
"""Folders that are there from the start, so that a person sees where things will be."""

_TEMPLATE_OF = {
    Kind.DAILY: "daily.md",
    Kind.SESSION: "session.md",
    Kind.LONGTERM: "_longterms/_index.md",
    Kind.PROFILE: "profile.md",
    Kind.ROOM: "room.md",
}
TEMPLATES = Author(Role.SYSTEM, "templates")
"""Who writes new files from the templates."""
EARLIER_TEMPLATES = Author(Role.SYSTEM, "ensure")
"""The same author as earlier versions recorded it."""
_LIST_SUMMARY = "Stable facts and projects of one person."


@frozen
class BootstrapFile:
    """One of the files an agent is started with."""

    name: str
    """its name"""
    path: str
    """where it lies"""
    content: str
    """its text; empty when it is missing"""
    missing: bool
    """whether there is nothing to read, which is no error"""
    version: str
    """changes when it does"""
    problem: str = ""
    """why it was not read, although something is there: a link that leads out, no permission"""


def persona_text(name: str) -> str:
    """The file of a built-in persona."""
    return _resource(f"personas/{name}.md") or ""


def _resource(path: str) -> str | None:
    """A template's text; None where there is none of that path, as for most documents."""
    return _read(path) if path in _templates() else None


@cache
def _read(path: str) -> str:
    return _templates()[path].read_text("utf-8")


@cache
def _templates() -> dict[str, Traversable]:
    """Every template by its path: listed once, so that nobody looks on the disk for what is not there."""
    return dict(_listed(resources.files("oldsoul").joinpath("templates")))


def _listed(folder: Traversable, place: str = "") -> Iterator[tuple[str, Traversable]]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _listed(file, f"{place}{file.name}/")
        else:
            yield f"{place}{file.name}", file


def template(name: Name, now: datetime, values: Mapping[str, str] | None = None) -> bytes:
    """What a document begins with: our template for its kind, filled in."""
    return (_timeless(name) if values is None else None) or _made(name, now, values)


@lru_cache(maxsize=512)
def _timeless(name: Name) -> bytes | None:
    """The same for a document whose template names no time; None for others."""
    text = _resource(_template_path(name)) or "{{date}}"
    return (
        None if "{{created_at}}" in text or "{{date}}" in text else _made(name, datetime(1970, 1, 1, tzinfo=UTC), None)
    )


def _made(name: Name, now: datetime, values: Mapping[str, str] | None) -> bytes:
    text = _resource(_template_path(name))
    if text is None:
        return b"" if name.kind not in (Kind.ARCHIVE, Kind.SOUL_HISTORY) else _heading(name)
    stamp = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    parts = name.path.split("/")
    filled = {
        "agent": name.workspace,
        "room": id_of(name.owner_segment) or name.owner_segment,
        "subject_id": id_of(name.owner_segment) or "",
        "created_at": stamp,
        "date": next((p[:10] for p in parts[1:] if p[:4].isdigit()), f"{now:%Y-%m-%d}"),
        "session_id": id_of(parts[-1].split(".")[0]) or "" if name.kind is Kind.SESSION else "",
        "summary": _LIST_SUMMARY if name.kind in (Kind.LONGTERM, Kind.PROFILE) else "",
        **dict.fromkeys(("source", "channel", "contact_id", "contact_nickname"), ""),
        **(values or {}),
    }
    lines = [_filled(line, filled) for line in text.split("\n")]
    return "\n".join(line for line in lines if line is not None).encode()


def _template_path(name: Name) -> str:
    if name.kind is Kind.KEEPER:
        return f"agents/{name.path.split('/')[1]}.md"
    return _TEMPLATE_OF.get(name.kind, name.path)


def _heading(name: Name) -> bytes:
    return f"# {name.path.removesuffix('.md').replace('/', ' / ')}\n".encode()


def _filled(line: str, values: Mapping[str, str]) -> str | None:
    """The line with its placeholders filled in; None for a frontmatter key that has no value and may be left out."""
    if "{{" not in line:
        return line
    key = line.partition(":")[0]
    needs = {"contact_id": "contact_id", "contact_nickname": "contact_id", "source": "source", "channel": "channel"}
    if key in needs and not values.get(needs[key]):
        return None
    quoted = '"{{' in line
    for key, value in values.items():
        mark = f"{{{{{key}}}}}"
        if mark in line:
            line = line.replace(mark, json.dumps(value, ensure_ascii=False)[1:-1] if quoted else value)
    return line


def seeds(workspace: str, now: datetime, present: Collection[str]) -> ChangeSet | None:
    """The change that gives a workspace what it lacks of its beginnings; None when nothing of it is missing."""
    missing = [Name(workspace, path) for path in _begins_with(workspace) if path not in present]
    if not missing:
        return None
    puts = tuple(Put(name, template(name, now)) for name in missing)
    return ChangeSet(puts, TEMPLATES, "created from the templates", f"seed:{uuid.uuid4().hex}")


def _begins_with(workspace: str) -> tuple[str, ...]:
    return () if workspace == SHARED else SEEDED


def bootstrap(read: Callable[[Name], Snapshot], workspace: str, folder: str) -> list[BootstrapFile]:
    """The ten files an agent is started with. `MEMORY.md` and `memory.md` count once when they are the same."""
    files: list[BootstrapFile] = []
    memory = ""
    for name in _bootstrap_names(workspace):
        path = name.path
        try:
            snapshot = read(name)
        except (Refused, OSError) as error:
            files.append(BootstrapFile(path, f"{folder}/{path}", "", missing=True, version="", problem=str(error)))
            continue
        if path == "MEMORY.md":
            memory = snapshot.version
        if path == "memory.md" and snapshot.data is not None and snapshot.version == memory:
            continue
        files.append(_file(path, folder, snapshot))
    return files


@cache
def _bootstrap_names(workspace: str) -> tuple[Name, ...]:
    return tuple(Name(workspace, path) for path in BOOTSTRAP)


@lru_cache(maxsize=256)
def _file(path: str, folder: str, snapshot: Snapshot) -> BootstrapFile:
    data = snapshot.data
    text = "" if data is None else data.decode("utf-8", "replace").removeprefix("\ufeff")
    return BootstrapFile(path, f"{folder}/{path}", text, data is None, snapshot.version)


def folder_of(workspace: str, home: str, configured: Mapping[str, str]) -> str:
    """The folder of a workspace: the one its settings name, else its own in the home."""
    return configured.get(workspace) or f"{home}/workspace/{SHARED if workspace == SHARED else segment(workspace)}"


def named(workspace: str, path: str) -> Name:
    """The document a person means: its path, or just a well-known name in any case (`soul`, `memory`)."""
    try:
        name = Name(workspace, path)
    except BadName:
        name = None
    known = {p.casefold(): p for p in SEEDED[:9]} | {p.removesuffix(".md").casefold(): p for p in SEEDED[:9]}
    if (name is None or name.kind is Kind.OTHER) and path.casefold() in known:
        return Name(workspace, known[path.casefold()])
    if name is None:
        raise BadName(f"{path!r} is not a valid file name in {workspace!r}; `oldsoul show` lists the files")
    return name


def checked(name: Name) -> Name:
    """The name, when documents of that name can be written; `NotFound` for other files."""
    if name.kind is Kind.OTHER:
        raise NotFound(f"Oldsoul does not manage {name.path}: it can show the file, but not change it")
    return name
