"""Where documents lie, their versions, and what the store remembers of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from oldsoul.values.changes import Author
from oldsoul.values.history import Change, ConcurrentSave, Record, Snapshot
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.values.skills import Skill, Skills


class Places(Protocol):
    """Where workspaces lie."""

    def folder(self, workspace: str) -> str:
        """The workspace's folder."""
        ...

    def roots(self, workspace: str) -> Sequence[str]:
        """Every folder that files of the workspace lie below."""
        ...

    def is_there(self, workspace: str) -> bool:
        """Whether its folder is there; `BadInput` when something else is in its place."""
        ...

    def is_own(self, workspace: str) -> bool:
        """Whether it lies in the home, and not where another program keeps its files."""
        ...

    def prepare(self, workspace: str, folders: Sequence[str], *, git: bool) -> bool:
        """Make the folder and those in it, if they are not there; a git repository, if asked for; whether it made one."""
        ...


class Store(Protocol):
    """Documents with versions, and the records that are committed with them."""

    def read(self, name: Name) -> Snapshot:
        """The document as it is, in or out of history."""
        ...

    def version(self, name: Name) -> str:
        """The version `read` gives, told without reading where that can be: asked for of all documents in a row."""
        ...

    def touched(self, name: Name) -> int:
        """When the document was last changed, by whomever, in nanoseconds since 1970; 0 for one that is not there."""
        ...

    def size(self, name: Name) -> int:
        """How many bytes the document has, told without reading it; 0 for one that is not there."""
        ...

    def names(self, workspace: str, under: str = "") -> list[Name]:
        """The documents there are, or those below one folder, in order."""
        ...

    def hold(self, workspace: str) -> AbstractContextManager[LockedWorkspace]:
        """The workspace for one writer at a time; what an interrupted one left is finished or dropped first."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class History(Protocol):
    """What the store remembers. The same object as the store, seen by those who only look back."""

    def changes(
        self,
        workspace: str,
        *,
        name: Name | None = None,
        author: Author | None = None,
        since: str = "",
        before: int | None = None,
        limit: int = 1000,
    ) -> list[Change]:
        """Changes, newest first: of one document, of one author, not older than a time, before a change."""
        ...

    def latest(self, workspace: str) -> int:
        """The number of the latest change; 0 when there is none. It is asked for before every search."""
        ...

    def following(self, workspace: str, after: int, limit: int) -> list[Change]:
        """Changes with a greater number, in their order, as far as they are made for good: none is dropped any more."""
        ...

    def recorded(self, name: Name) -> str | None:
        """The document's version as history knows it; None when it was never seen."""
        ...

    def known(self, workspace: str) -> list[Name]:
        """The documents history has ever seen, in order."""
        ...

    def change(self, change_id: int) -> Change | None:
        """One change."""
        ...

    def content(self, version: str) -> bytes | None:
        """The bytes of a version that history knows; None for one it does not, or that was absent."""
        ...

    def records(self, workspace: str, kind: str) -> dict[str, str]:
        """All records of a kind: key to JSON."""
        ...

    def record(self, workspace: str, kind: str, key: str) -> str | None:
        """One record's JSON; None when there is none of that key."""
        ...


class LockedWorkspace(Protocol):
    """A workspace while one writer holds it."""

    def settled(self, name: Name) -> bool:
        """Whether nobody is in the middle of saving the document."""
        ...

    def concurrent_saves(self) -> Sequence[ConcurrentSave]:
        """Saves that came in while we wrote and are quiet now; to be merged on top."""
        ...

    def spent(self, key: str) -> Change | None:
        """The change that spent this key; None when it is free."""
        ...

    def commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record] = (),
        *,
        also: Mapping[str, bytes] | None = None,
    ) -> Change:
        """All of it, durably, or nothing: the documents, the change with its number, the records.

        `also` names further versions that history knows from now on, with the bytes to remember of each.
        """
        ...

    def erase(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        """Put redacted bytes in the place of versions, and redacted changes in the place of changes, for good."""
        ...


class Extras(Protocol):
    """Further Markdown files that are searched and never written."""

    @property
    def folders(self) -> Sequence[str]:
        """Where they lie: what has to be watched to know of every change."""
        ...

    def scan(self) -> tuple[Mapping[str, str], Sequence[str]]:
        """Every file that can be read, path to version, and what is wrong with the rest, in words."""
        ...

    def read(self, path: str) -> bytes | None:
        """One of these files; None for everything else."""
        ...


class SkillRoots(Protocol):
    """The folders an agent's skills are looked for in."""

    def scan(self) -> Skills:
        """The skills there are now, and what looks like one and is none. Never an error, whatever lies there."""
        ...

    def read(self, skill: Skill) -> bytes | None:
        """All of a skill's SKILL.md; None when it cannot be read any more."""
        ...


class Changes(Protocol):
    """Tells which files change below some folders."""

    def wait(self, seconds: float) -> Collection[str] | None:
        """Paths, as soon as some changed; none when so many seconds are over; None once it is closed."""
        ...

    def close(self) -> None:
        """Have nobody wait any longer; any thread may do so."""
        ...
