"""Files: the documents of one agent, whole, and their history."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.services.rights import Service, needs
from oldsoul.errors import BadInput, Damaged, NotFound, Unwritable
from oldsoul.lazy import lazy
from oldsoul.rules import limits
from oldsoul.values.callers import Right
from oldsoul.values.changes import Author, ChangeSet, Delete, Operation, Put
from oldsoul.values.history import ABSENT, Change, Snapshot
from oldsoul.values.names import Name
from oldsoul.values.pages import paged
from oldsoul.workspace import EARLIER_TEMPLATES, TEMPLATES, BootstrapFile, checked

if TYPE_CHECKING:
    from oldsoul.app import memory_requests, versions
    from oldsoul.ledger import BlameLine, Outcome
    from oldsoul.rules import merge
else:  # a look at a file needs none of these
    memory_requests, versions = lazy("oldsoul.app", "memory_requests", "versions")
    (merge,) = lazy("oldsoul.rules", "merge")

NOW = "now"
"""Names the current soul."""
SOUL, FOLDER = "SOUL.md", "SOUL_HISTORY"
_SNAPSHOT = re.compile(rf"(?:{FOLDER}/)?([\w~.-]+?)(?:\.md)?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOOKED_AT = 50


class File(NamedTuple):
    """One document of a workspace, for listings."""

    name: Name
    """which"""
    size: int
    """bytes"""
    limit: int
    """how many it may have"""
    version: str
    """changes when it does"""
    untouched: bool
    """whether it still reads as it was seeded"""
    modified: datetime
    """when it was last changed, by whomever, in UTC"""


class Version(NamedTuple):
    """The soul as a change left it."""

    change: int
    """the change's number: it names the version"""
    at: str
    """when, ISO 8601 in UTC"""
    author: Author
    """who made the change"""
    approved_by: str
    """who approved it, where it was proposed"""
    reason: str
    """why"""
    snapshot: str
    """the file in SOUL_HISTORY that holds the version before it; empty when none was made"""
    version: str
    """changes when the bytes do"""
    data: bytes
    """the bytes; empty when it was taken away, or erased from history"""
    tokens: int
    """how many tokens it has"""


class Files(Service):
    """The files of one agent."""

    @needs(Right.INSPECT)
    def all(self, *, offset: int = 0, limit: int | None = None) -> list[File]:
        """Return the files by path: all, or one page."""
        seeded, names = self._seeded(), self._parts.home.world.store.names(self._parts.id)
        return [self._file(name, self._parts.read(name), seeded) for name in paged(names, offset, limit)]

    @needs(Right.INSPECT)
    def file(self, path: str) -> File:
        """Return what `all` says about one file; `NotFound` when it does not exist."""
        return self._file(self._parts.name(path), self._shown(path), self._seeded())

    @needs(Right.INSPECT)
    def show(self, path: str) -> Snapshot:
        """Return one file with its version; `NotFound` when it does not exist."""
        return self._shown(path)

    @needs(Right.INSPECT)
    def read(self, path: str) -> Snapshot:
        """Return one file with its version, as `show` does; without bytes when it does not exist."""
        return self._parts.read(self._parts.name(path))

    @needs(Right.INSPECT)
    def paths(self) -> list[str]:
        """Return the paths of the files, without reading them."""
        return [name.path for name in self._parts.home.world.store.names(self._parts.id)]

    @property
    @needs(Right.INSPECT)
    def folder(self) -> str:
        """The folder they are in."""
        return self._parts.home.world.places.folder(self._parts.id)

    @needs(Right.SEE)
    def name(self, path: str) -> Name:
        """Return the file that a person means by a path, which may be a short form of it; it need not exist."""
        return self._parts.name(path)

    @needs(Right.SEE)
    def plain(self, path: str, data: bytes) -> str:
        """Return the text of a file without bookkeeping, as prompts show it; line numbers stay the same."""
        return self._parts.plain(path, data)

    @needs(Right.SEE)
    def template(self, path: str) -> bytes:
        """Return what a new file of this name begins with; empty when there is no template."""
        return self._parts.template(path)

    @needs(Right.DECIDE)
    def put(
        self,
        path: str,
        data: bytes,
        *,
        base: str | None = None,
        exact: bool = False,
        reason: str = "edited by the operator",
    ) -> Outcome:
        """Save a whole file as the operator.

        Args:
            path: the file.
            data: its new bytes.
            base: the version you edited, from `show`. Changes made since then are merged in. Without it the file is
                replaced. What was undone, removed or forgotten since the text was read is left out, with a warning.
            exact: do not merge; raise `Conflict` unless `base` is the current version.
            reason: why, for the history.

        Raises:
            Conflict: the changes since `base` cannot be merged.
            TooLarge: the file would exceed its size limit.
        """
        name = checked(self._parts.name(path))
        if exact and base is None:
            raise BadInput("give the version that the text is based on: base=…")
        versions = {} if base is None else {name: base}
        made = ChangeSet((Put(name, data),), self._author, reason, memory_requests.new_key(), versions=versions)
        return self._parts.home.ledger.apply(made, bases=versions if exact else {})

    @needs(Right.INSPECT)
    def reconciled(self, path: str, mine: bytes, base: str) -> tuple[bytes, Snapshot, tuple[str, ...]]:
        """Return my text with what others wrote since its base, the current file, and where the two clash.

        Args:
            path: the file.
            mine: my text, which counts where both clash.
            base: the version it was made from.
        """
        name = self._parts.name(path)
        standing = self._parts.read(name)
        before = self._parts.home.ledger.content(base) or b""
        text, clashes = merge.merge_bytes(before, standing.data or b"", mine, is_log=name.is_log, prefer="theirs")
        return text, standing, tuple(clash.ours.decode("utf-8", "replace").strip() for clash in clashes)

    @needs(Right.DECIDE)
    def delete(self, path: str, *, base: str | None = None, reason: str = "deleted by the operator") -> Outcome:
        """Remove a whole file. The history keeps it, and `undo` brings it back.

        Args:
            path: the file; `NotFound` when it does not exist.
            base: if given, raise `Conflict` unless this is the current version.
            reason: why, for the history.
        """
        self._shown(path)
        return self._done(Delete(self._parts.name(path)), reason, base)

    @needs(Right.DECIDE)
    def reset(self, path: str, *, base: str | None = None) -> Outcome:
        """Replace a file by its template.

        Args:
            path: the file; `BadInput` when it has no template.
            base: if given, raise `Conflict` unless this is the current version.
        """
        name, fresh = self._parts.name(path), self._parts.template(path)
        if not fresh:
            raise BadInput(f"{name.path} has no template to reset it to")
        versions = {name: base or self._parts.read(name).version}
        made = ChangeSet(
            (Put(name, fresh),), self._author, "reset to its template", memory_requests.new_key(), versions=versions
        )
        return self._parts.home.ledger.apply(made, bases={} if base is None else {name: base})

    @needs(Right.INSPECT)
    def bootstrap(self) -> list[BootstrapFile]:
        """Return the files that go into the system prompt; a missing file is marked `missing`."""
        return self._parts.bootstrap()

    @needs(Right.DECIDE)
    def ensure_workspace(self) -> tuple[str, ...]:
        """Create the folders and template files that are missing; return what was created."""
        return self._parts.home.ensure(self._parts.id)[self._parts.id]

    @needs(Right.SEE)
    def load_soul(self) -> str | None:
        """Return the text of SOUL.md; None when there is none."""
        return self._text(SOUL)

    @needs(Right.SEE)
    def load_agents_md(self) -> str | None:
        """Return the text of AGENTS.md; None when there is none."""
        return self._text("AGENTS.md")

    # history

    @needs(Right.INSPECT)
    def history(self, path: str = "", *, before: int | None = None, limit: int = 50) -> list[Change]:
        """Return changes, newest first. Edits made in an editor are recorded first.

        Args:
            path: only changes of this file. Default: all files.
            before: only changes with a lower number.
            limit: the largest number of changes to return.
        """
        name = self._parts.name(path) if path else None
        if name is not None:
            self._parts.read(name)
        else:
            with suppress(Unwritable):  # what was done until now can be read
                self._parts.home.ledger.notice(self._parts.id)
        found: list[Change] = []
        while len(found) < limit and (
            page := self._parts.home.ledger.history(self._parts.id, name=name, before=before, limit=limit)
        ):
            found += [change for change in page if change.effects or change.notes]  # the rest is bookkeeping of jobs
            before = page[-1].id
        return found[:limit]

    @needs(Right.INSPECT)
    def change(self, change_id: int) -> Change:
        """Return one change of this agent by its number; `NotFound` when there is none."""
        return self._parts.change(change_id)

    @needs(Right.INSPECT)
    def summaries(self, changes: Iterable[Change]) -> list[list[str]]:
        """Return what changes did, of each a line for each entry: `+` added, `-` removed, `~` changed, archived or moved."""
        return versions.summaries(self._parts, changes)

    @needs(Right.INSPECT)
    def version_at(self, path: str, change_id: int) -> Snapshot:
        """Return a file as it was right after a change; `NotFound` when the history does not have it."""
        name = self._parts.name(path)
        self._parts.change(change_id)
        for change in self._parts.home.ledger.history(self._parts.id, name=name, before=change_id + 1, limit=1):
            version = next(effect.after for effect in change.effects if effect.name == name)
            data = self._parts.home.ledger.content(version)
            if data is not None:
                return Snapshot(data, version)
        raise NotFound(f"{name.path} did not exist at change {change_id}; `oldsoul log {name.path}` lists its changes")

    @needs(Right.INSPECT)
    def versions(self, path: str) -> Iterator[Snapshot]:
        """Return the latest versions of a file, the newest first; those that were erased are empty."""
        name = self._parts.name(path)
        for change in self.history(path, limit=_LOOKED_AT):
            for effect in change.effects:
                for version in (effect.after, effect.before) if effect.name == name else ():
                    yield Snapshot(self._parts.home.ledger.content(version), version)

    @needs(Right.INSPECT)
    def seed(self, path: str) -> bytes:
        """Return what a file was created with from its template; empty when it was not."""
        return self._parts.home.world.store.content(self._seeded().get(self._parts.name(path), ABSENT)) or b""

    @needs(Right.INSPECT)
    def diff(self, change_id: int, path: str = "") -> str:
        """Return what a change did, to all its files or one, as a diff."""
        return self._parts.home.ledger.diff(self._parts.change(change_id), self._parts.name(path) if path else None)

    @needs(Right.INSPECT)
    def blame(self, path: str) -> list[BlameLine]:
        """Return each line of a file with the change that wrote it."""
        return self._parts.home.ledger.blame(self._parts.name(path))

    # the soul

    @needs(Right.INSPECT)
    def soul_versions(self, limit: int = 50) -> list[Version]:
        """Return the versions of SOUL.md, newest first, saves from an editor included."""
        count = self._parts.home.world.host.tokens(self._parts.model)
        found: list[Version] = []
        for change in self.history(SOUL, limit=limit):
            after = next(effect.after for effect in change.effects if effect.name == self._soul)
            data = self._parts.home.ledger.content(after) or b""
            found.append(
                Version(
                    change=change.id,
                    at=change.at,
                    author=change.author,
                    approved_by=change.notes.get("approved_by", ""),
                    reason=change.reason,
                    snapshot=change.notes.get("snapshot", ""),
                    version=after,
                    data=data,
                    tokens=count(self._parts.plain(SOUL, data)),
                )
            )
        return found

    @needs(Right.INSPECT)
    def soul_text(self, which: str) -> bytes:
        """Return a version of SOUL.md: `now`, the number of the change that made it, or a snapshot in SOUL_HISTORY."""
        if which == NOW:
            return self._shown(SOUL).data or b""
        if which.removeprefix("#").isdecimal():
            return self.version_at(SOUL, int(which.removeprefix("#"))).data or b""
        match = _SNAPSHOT.fullmatch(which)
        if match is None:
            raise BadInput(
                f"{which!r} is not a version: give `now`, the number of a change or a snapshot; `oldsoul soul`"
                " lists them"
            )
        data = self._parts.read(Name(self._parts.id, f"{FOLDER}/{match[1]}.md")).data
        if data is None:
            raise NotFound(f"there is no {FOLDER}/{match[1]}.md; `oldsoul soul` lists the versions")
        return data

    @needs(Right.INSPECT)
    def soul_diff(self, first: str, second: str = "now") -> str:
        """Return the difference between two versions of SOUL.md, as `diff -u` shows it.

        Args:
            first: `now`, the number of a change, or a snapshot in SOUL_HISTORY.
            second: the same; by default the current version.
        """
        return versions.difference(SOUL, self.soul_text(first), self.soul_text(second))

    @needs(Right.DECIDE)
    def soul_rollback(self, which: str) -> Outcome:
        """Restore a version of SOUL.md, as the operator; first save a snapshot. CHANGELOG.md records it.

        `which` is the number of a change, or a snapshot in SOUL_HISTORY.
        """
        data, standing = self.soul_text(which), self._shown(SOUL)
        if data == standing.data:
            raise BadInput(f"SOUL.md is already the same as version {which}")
        change_set = ChangeSet(
            (Put(self._soul, data),),
            self._author,
            f"rolled back to version {which}",
            f"rollback:{uuid.uuid4().hex}",
            versions={self._soul: standing.version},
        )
        return self._parts.home.ledger.apply(change_set, recorded=True)

    # what they are made of

    @property
    def _soul(self) -> Name:
        return Name(self._parts.id, SOUL)

    def _shown(self, path: str) -> Snapshot:
        name = self._parts.name(path)
        snapshot = self._parts.read(name)
        if snapshot.data is None:
            raise NotFound(f"there is no {name.path} in {self._parts.id}; `oldsoul show` lists the files")
        return snapshot

    def _text(self, path: str) -> str | None:
        data = self._parts.read(self._parts.name(path)).data
        return None if data is None else data.decode("utf-8", "replace")

    def _done(self, operation: Operation, reason: str, base: str | None) -> Outcome:
        bases = {} if base is None else {operation.name: base}
        return self._parts.home.ledger.apply(
            ChangeSet((operation,), self._author, reason, memory_requests.new_key()), bases=bases
        )

    def _file(self, name: Name, snapshot: Snapshot, seeded: dict[Name, str]) -> File:
        most = limits.limit_of(name, self._parts.settings.memory.workspace.max_file_size)
        untouched = snapshot.version == seeded.get(name)
        modified = _EPOCH + timedelta(microseconds=self._parts.home.world.store.touched(name) // 1000)
        return File(name, len(snapshot.data or b""), most, snapshot.version, untouched, modified)

    def _seeded(self) -> dict[Name, str]:
        """The documents that we seeded, each with the version it was seeded with the last time."""
        changes = self._parts.home.world.store.changes
        try:
            made = [*changes(self._parts.id, author=TEMPLATES), *changes(self._parts.id, author=EARLIER_TEMPLATES)]
        except Damaged:  # nobody knows then
            made = []
        return {effect.name: effect.after for change in reversed(made) for effect in change.effects}
