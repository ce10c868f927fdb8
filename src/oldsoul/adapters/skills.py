"""Skills in folders of this machine: found at any depth, read only as far as they are safe to read.

The operator names the roots; a link there is theirs to make. Below a root no link is followed, nothing but plain files
is opened, and only so many folders are looked at. What cannot be used is reported with the reason, and the rest goes on.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from oldsoul.adapters.folder.disk import Glance
from oldsoul.context.skills import FILE, SkillLocation, compacted, one_line, read
from oldsoul.values.skills import LIMITS, Skill, SkillLimits, Skills, SkippedSkill

_MOST_DEPTH = 8
_MOST_ENTRIES = 20_000  # names read below one root; more are no collection of skills
_PASSED_OVER = frozenset({"node_modules", "__pycache__"})
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe nobody writes to does not hold us up


class SkillRoot(NamedTuple):
    """A folder that skills are looked for in."""

    source: str
    """whose they are"""
    folder: str
    """where it is; may be reached by links"""
    inner: str = ""
    """the folder in it that is meant, which may not be a link"""
    optional: bool = False
    """whether nobody minds when it is not there"""

    @property
    def path(self) -> str:
        """The folder that is looked at."""
        return f"{self.folder.rstrip('/')}/{self.inner}" if self.inner else self.folder


class FolderSkills:
    """The skills below some roots, which are given in the order they count; `home` is shown as `~`."""

    def __init__(
        self,
        roots: Sequence[SkillRoot],
        home: str,
        limits: SkillLimits = LIMITS,
        scandir: Callable[[int], Any] = os.scandir,
    ) -> None:
        self.roots = tuple(roots)
        self.limits = limits
        self.home = home
        self.scandir = scandir
        self._known: dict[str, tuple[Glance, Skill | tuple[str, ...]]] = {}

    def scan(self) -> Skills:
        """What there is now. A file that did not change since the last look is not read again."""
        looked = _Looked(self._known)
        for root in self.roots:
            _Walk(self, root, looked).run()
        self._known = looked.fresh
        return Skills(tuple(looked.found), tuple(looked.skipped))

    def read(self, skill: Skill) -> bytes | None:
        """All of a skill's SKILL.md; None when it is not, or no longer, there to be read."""
        for root in self.roots:
            inner = skill.path.removeprefix(f"{root.path.rstrip('/')}/")
            if root.source == skill.source and inner != skill.path and os.path.basename(inner) == FILE:
                try:
                    with _opened(root) as top:
                        return _bytes(top, os.path.dirname(inner), self.limits.file_bytes)[0]
                except (OSError, _UnfitError):
                    continue
        return None

    def shown(self, path: str) -> str:
        """A path as people and prompts are shown it; what cannot be printed is escaped."""
        shown = compacted(path, self.home)
        return shown if shown.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


class _UnfitError(Exception):
    """Something that is not read, and why."""


class _Looked:
    """What was found so far, over all roots."""

    def __init__(self, known: dict[str, tuple[Glance, Skill | tuple[str, ...]]]) -> None:
        self.known = known
        self.fresh: dict[str, tuple[Glance, Skill | tuple[str, ...]]] = {}
        self.found: list[Skill] = []
        self.skipped: list[SkippedSkill] = []
        self.loaded: dict[str, int] = {}


class _Walk:
    """One look below one root: the folders near to it first, each folder's in the order of their names."""

    def __init__(self, skills: FolderSkills, root: SkillRoot, looked: _Looked) -> None:
        self.skills = skills
        self.root = root
        self.looked = looked
        self.entries = 0
        self.over = 0  # skills that are there and too many

    def run(self) -> None:
        """Read everything there is."""
        try:
            with _opened(self.root) as top:
                self._walk(top)
        except FileNotFoundError:
            if not self.root.optional:
                self._skip(self.root.path, "the folder does not exist")
        except (OSError, _UnfitError) as error:
            self._skip(self.root.path, _said(error))
        if self.over:
            most = self.skills.limits.loaded_per_source
            self._skip(
                self.root.path,
                f"{self.over} more are not read: there are {most} {self.root.source} skills already",
            )

    def _walk(self, top: int) -> None:
        """Breadth first: a folder with a SKILL.md is a skill, and what else is in it is its own business."""
        if _stat(top, FILE) is not None:
            self._skip(f"{self.root.path}/{FILE}", "each skill needs its own folder")
        left = self.skills.limits.candidates_per_root
        pending = deque(self._folders(top, ""))
        while pending:
            if not left:
                most = self.skills.limits.candidates_per_root
                why = f"only its first {most} folders are read"
                self._skip(self.root.path, why)
                return
            left -= 1
            inner, is_link = pending.popleft()
            status = None if is_link else _stat(top, f"{inner}/{FILE}")
            if is_link:
                self._link(top, inner)
            elif status is not None:
                self._take(top, inner, status)
            elif inner.count("/") + 1 >= _MOST_DEPTH:
                self._skip(
                    f"{self.root.path}/{inner}", f"it is {_MOST_DEPTH} folders deep; deeper folders are not read"
                )
            else:
                pending += self._folders(top, inner)

    def _folders(self, top: int, inner: str) -> list[tuple[str, bool]]:
        """The folders and links in a folder, in order, and whether each is a link; misspelt files are reported."""
        names: list[tuple[str, bool]] = []
        try:
            with _descended(top, inner) as fd, self.skills.scandir(fd) as entries:
                for entry in entries:
                    self.entries += 1
                    if self.entries > _MOST_ENTRIES:
                        self._skip(self._path(inner), f"more than {_MOST_ENTRIES:,} names; the rest was not read")
                        break
                    if entry.name.startswith(".") or entry.name in _PASSED_OVER:
                        continue
                    path = f"{inner}/{entry.name}" if inner else entry.name
                    if entry.is_symlink() or entry.is_dir(follow_symlinks=False):
                        names.append((path, entry.is_symlink()))
                    elif entry.name != FILE and entry.name.upper() == FILE.upper():
                        self._skip(self._path(path), f"it must be called {FILE}")
        except OSError as error:
            self._skip(self._path(inner), _said(error))
        return sorted(names)

    def _link(self, top: int, path: str) -> None:
        """A link is reported when it leads to a folder, or nowhere; one to a file is nobody's concern."""
        try:
            if not stat.S_ISDIR(os.stat(path, dir_fd=top).st_mode):
                return
        except OSError:
            where = "nowhere"
        else:
            real, base = os.path.realpath(self._path(path)), os.path.realpath(self.root.path)
            is_here = real == base or real.startswith(f"{base}/")
            where = "inside the folder of skills" if is_here else "outside the folder of skills"
        self._skip(self._path(path), f"it is a link to a place {where}; links are not followed")

    def _take(self, top: int, inner: str, status: os.stat_result) -> None:
        """A skill, from its file or as it was known."""
        path, source = f"{self._path(inner)}/{FILE}", self.root.source
        loaded = self.looked.loaded.get(source, 0)
        if loaded >= self.skills.limits.loaded_per_source:
            self.over += 1
            return
        signature = Glance(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        known = self.looked.known.get(path)
        try:
            read = known[1] if known and known[0] == signature else self._read(top, inner, status)
        except (OSError, _UnfitError) as error:
            self._skip(path, _said(error))
            return
        if signature.is_old():
            self.looked.fresh[path] = signature, read
        if isinstance(read, Skill):
            self.looked.loaded[source] = loaded + 1
            self.looked.found.append(read)
        else:
            self._skip(path, "; ".join(read))

    def _read(self, top: int, inner: str, status: os.stat_result) -> Skill | tuple[str, ...]:
        path = f"{self._path(inner)}/{FILE}"
        location = compacted(path, self.skills.home)
        _check(status, self.skills.limits.file_bytes)
        if one_line(location) != location:
            raise _UnfitError("its path has characters that are not allowed in a prompt")
        data, now = _bytes(top, inner, self.skills.limits.file_bytes)
        if now.st_ino != status.st_ino:
            raise _UnfitError("it was replaced while it was read")
        return read(data, SkillLocation(os.path.basename(inner), self.root.source, location, path))

    def _path(self, inner: str) -> str:
        return f"{self.root.path.rstrip('/')}/{inner}" if inner else self.root.path

    def _skip(self, path: str, why: str) -> None:
        self.looked.skipped.append(SkippedSkill(self.skills.shown(path), why, self.root.source))


@contextmanager
def _opened(root: SkillRoot) -> Iterator[int]:
    """The folder of a root, open."""
    if root.inner and os.path.islink(root.path):
        raise _UnfitError("it is a link; links are not followed out of a workspace")
    outer = os.open(root.folder, _FOLDER)
    try:
        with _descended(outer, root.inner) as fd:
            yield fd
    finally:
        os.close(outer)


@contextmanager
def _descended(top: int, inner: str) -> Iterator[int]:
    """A folder below another, open; no step of the way may be a link."""
    fd = os.dup(top)
    try:
        for step in inner.split("/") if inner else ():
            outer, fd = fd, -1
            try:
                fd = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=outer)
            finally:
                os.close(outer)
        yield fd
    finally:
        if fd >= 0:
            os.close(fd)


def _stat(top: int, path: str) -> os.stat_result | None:
    """What a name in a folder is; None when there is none."""
    try:
        return os.stat(path, dir_fd=top, follow_symlinks=False)
    except OSError:
        return None


def _check(status: os.stat_result, most: int) -> None:
    """Nothing when a file may be read; `_UnfitError` otherwise."""
    if stat.S_ISLNK(status.st_mode):
        raise _UnfitError("it is a link; links are not followed")
    if not stat.S_ISREG(status.st_mode):
        raise _UnfitError("it is not a regular file")
    if status.st_size > most:
        raise _UnfitError(f"it has {status.st_size:,} bytes, more than {most:,}")


def _bytes(top: int, inner: str, most: int) -> tuple[bytes, os.stat_result]:
    """The bytes of the SKILL.md in a folder, never more than so many."""
    with _descended(top, inner) as folder:
        fd = os.open(FILE, _PLAIN, dir_fd=folder)
    with os.fdopen(fd, "rb", buffering=0) as file:
        status = os.fstat(fd)
        _check(status, most)
        data = b""
        while len(data) <= most and (piece := file.read(most + 1 - len(data))):
            data += piece
    if len(data) > most:
        raise _UnfitError("it grew while it was read")
    return data, status


def _said(error: Exception) -> str:
    return f"it cannot be read: {error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
