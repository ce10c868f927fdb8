"""Further Markdown files of this machine that are searched and never written: single files, and folders of them.

The operator names them in the settings; a link there is theirs to make. Inside a named folder nothing is followed: what
is a link, hidden, too large, no text or not Markdown is not read, and neither is what lies in a workspace or in our own state,
where every text has its own audience.
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from oldsoul.adapters.folder.disk import Disk, Glance
from oldsoul.adapters.folder.store import MOST_BYTES
from oldsoul.documents import unsearchable
from oldsoul.errors import Refused
from oldsoul.values.audience import OWNER
from oldsoul.values.context import Profile
from oldsoul.values.history import version_of

_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_ENDING = ".md"


class _Root(NamedTuple):
    """One path as it was named, and where it lies."""

    shown: str
    """the path as results name it"""
    folder: str
    """the folder it is, or is in, links resolved"""
    file: str
    """the file's name there; empty for a folder"""


class FolderExtras:
    """The files at these absolute paths, but for what lies in the folders that are `ours`; none above `most` bytes."""

    def __init__(self, paths: Sequence[str], ours: Sequence[str], most: int = MOST_BYTES) -> None:
        self._paths = tuple(dict.fromkeys(os.path.normpath(path) for path in paths))
        self._ours = tuple(os.path.realpath(folder) for folder in ours)
        self._most = most
        self._known: dict[
            str, tuple[Glance, tuple[str, str]]
        ] = {}  # of files that have not changed since they were read

    @property
    def folders(self) -> tuple[str, ...]:
        """Where they lie: what has to be watched to know of every change."""
        return tuple(dict.fromkeys(root.folder for root in map(_root, self._paths) if root and self._is_free(root)))

    def scan(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """Every file that can be read with its version, and what is wrong with the rest."""
        found: dict[str, str] = {}
        problems: list[str] = []
        for path in self._paths:
            root = _root(path)
            if root is None:
                problems.append(f"{path} does not exist, or is neither a folder nor a Markdown file")
            elif not self._is_free(root):
                problems.append(
                    f"{path} is in a workspace or among the home's own files, so it is not searched as an extra path"
                )
            else:
                self._scan(root, found, problems)
        self._known = {shown: known for shown, known in self._known.items() if shown in found or known[1][1]}
        return found, tuple(problems)

    def _scan(self, root: _Root, found: dict[str, str], problems: list[str]) -> None:
        disk = Disk(root.folder)
        try:
            for shown, inner in self._files(root, disk):
                try:
                    version, problem = self._version(disk, inner, shown)
                except (Refused, OSError) as error:
                    problems.append(f"{shown} cannot be read: {_said(error)}")
                    continue
                if problem:
                    problems.append(f"{shown} {problem}, so it is not searched")
                elif version:
                    found.setdefault(shown, version)
        except OSError as error:
            problems.append(f"{root.shown} cannot be read: {_said(error)}")

    def _files(self, root: _Root, disk: Disk) -> Iterator[tuple[str, str]]:
        if root.file:
            yield root.shown, root.file
            return
        for inner in sorted(disk.walk()):
            if self._is_ours(f"{root.folder}/{inner}") or not _can_be_named(inner):
                continue
            yield f"{root.shown.rstrip('/')}/{inner}", inner

    def _version(self, disk: Disk, inner: str, shown: str) -> tuple[str, str]:
        """A file's version, or why it is not searched; nothing of either for a link, and for what went."""
        signature = disk.signature(inner)
        if signature is None or not signature.inode:
            return "", ""
        if signature.size > self._most:
            return "", f"has {signature.size:,} bytes, more than {self._most:,}"
        known = self._known.get(shown)
        if known is not None and known[0] == signature:
            return known[1]
        read = disk.read(inner, follow=False)
        if read is None:
            return "", ""
        why = unsearchable(read[0])
        version = ("" if why else version_of(read[0]), why)
        if signature.is_old() and signature == disk.signature(inner):
            self._known[shown] = signature, version
        return version

    def read(self, path: str) -> bytes | None:
        """One of the files by its path as `scan` names it; None for everything else."""
        if path != os.path.normpath(path) or not _can_be_named(path):
            return None
        for root in filter(None, map(_root, self._paths)):
            inner = _inside(root, path)
            data = self._read(Disk(root.folder), inner) if inner and self._is_free(root) else None
            if data is not None:
                return data
        return None

    def _read(self, disk: Disk, inner: str) -> bytes | None:
        signature = disk.signature(inner)
        if signature is None or signature.size > self._most or self._is_ours(f"{disk.root}/{inner}"):
            return None
        try:
            folder = os.path.dirname(f"{disk.root}/{inner}")
            if os.path.realpath(folder) != folder:
                return None  # a step of the way is a link
            read = disk.read(inner, follow=False)
        except (Refused, OSError):
            return None
        return read[0] if read else None

    def _is_free(self, root: _Root) -> bool:
        return not self._is_ours(root.folder)

    def _is_ours(self, real: str) -> bool:
        return any(real == own or real.startswith(f"{own}/") for own in self._ours)


def _root(path: str) -> _Root | None:
    real = os.path.realpath(path)
    if os.path.isdir(real):
        return _Root(path, real, "")
    if os.path.isfile(real) and path.endswith(_ENDING) and real.endswith(_ENDING):
        return _Root(path, os.path.dirname(real), os.path.basename(real))
    return None


def _inside(root: _Root, path: str) -> str:
    """The way to a file from the folder of a root; nothing when it does not lead there, or is hidden."""
    if root.file:
        return root.file if path == root.shown else ""
    inner = path.removeprefix(f"{root.shown.rstrip('/')}/")
    return "" if inner == path or any(part.startswith(".") for part in inner.split("/")) else inner


def _can_be_named(path: str) -> bool:
    """Whether it is Markdown by its name, and a name that can be written down."""
    return path.endswith(_ENDING) and not any(unicodedata.category(char) in _CONTROLS for char in path)


def _said(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


_MOST_BYTES = 256 * 1024
_MOST_FILES = 10_000
_ENDINGS = (".md", ".txt", ".json")


def external(file: str) -> str:
    """The text of a file; JSON as lines of `name: value`. Empty when it cannot be read."""
    return _text(Path(file))


def profiles(folder: str, names: Sequence[str]) -> Iterator[Profile]:
    """The profiles of those who are named, each in a file of their name; the operator's alone."""
    wanted = {name.casefold() for name in names}
    try:
        files = sorted(Path(folder).iterdir())[:_MOST_FILES]
    except OSError:
        return
    for file in files:
        words = file.stem.casefold().replace("-", " ").replace("_", " ").split()
        if file.suffix in _ENDINGS and wanted & {*words, " ".join(words)}:
            text = _text(file).strip()
            if text:
                yield Profile(file.stem, text, OWNER)


def _text(file: Path) -> str:
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
        return "\n".join(_lines(json.loads(text))) if file.suffix == ".json" else text
    except (OSError, ValueError, RecursionError):
        return ""


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """A JSON value as lines."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _lines(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from _lines(each, f"{name}.{number}" if name else str(number))
    else:
        shown = value if isinstance(value, str) else json.dumps(value)
        said = shown.encode("utf-8", "replace").decode()
        yield " ".join((f"{name}: {said}" if name else said).split())
