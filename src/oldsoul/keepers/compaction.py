"""What everything that tidies memory shares: who signs, what is written to COMPACTION_LOG.md, where the archive has room."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from oldsoul.documents import parse
from oldsoul.rules.diary import offset
from oldsoul.values.changes import MAX_OPERATIONS, Add, Author, Role
from oldsoul.values.frozen import frozen
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from oldsoul.documents import Document, Entry
    from oldsoul.rules.options import ConfidenceOptions, RetentionOptions

KEEPER = "memory-compactor"
AUTHOR = Author(Role.KEEPER, KEEPER)
RETENTION = Author(Role.SYSTEM, "retention")
"""Who takes documents away whose very bytes are kept elsewhere: nothing is dropped by that."""
COMPACTION_LOG = "COMPACTION_LOG.md"
MOST = MAX_OPERATIONS - 200
_WORK = 200_000
_FEWEST = 50


@frozen
class Tidying:
    """What whoever tidies an agent's memory goes by."""

    workspace: str
    """whose memory"""
    now: datetime
    """the time, in the agent's zone"""
    retention: RetentionOptions
    """how long things stay"""
    confidence: ConfidenceOptions
    """how confidence sinks"""
    max_file_size: int
    """how many bytes MEMORY.md or a room's file may have"""
    positions: Mapping[Name, int]
    """where history stands for each document: a change that was made is not wanted again, another one is"""

    @property
    def today(self) -> date:
        """The day, in the agent's zone."""
        return self.now.date()

    def key(self, what: str, *names: Name) -> str:
        """The key of a change to these documents as they stand in history."""
        where = "\n".join(f"{name.path} {self.positions.get(name, 0)}" for name in sorted(names))
        return f"{what}:{min(names).path}:{hashlib.sha256(where.encode()).hexdigest()[:16]}"

    def logged(self, title: str, lines: Sequence[str]) -> Add:
        """The block of COMPACTION_LOG.md that tells what went, by which rule, and where it is. It names, and quotes nothing."""
        return Add(
            Name(self.workspace, COMPACTION_LOG),
            f"**{title}**",
            title=f"{self.now:%Y-%m-%d %H:%M} {offset(self.now)}",
            children=tuple(lines),
        )


def affordable(entries: int) -> int:
    """How many changes to a document of so many entries one run makes: each is checked against all of them.

    A file that another program let grow to a megabyte is tidied over some runs, so that none takes long.
    """
    return max(_FEWEST, min(MOST, _WORK // max(entries, 1)))


def document(name: Name, data: bytes | None) -> Document | None:
    """The document these bytes are."""
    return None if data is None else parse(data, is_log=name.is_log)


def part(name: Name, number: int) -> Name:
    """A further file of an archive whose first ones are full."""
    return name if number == 1 else Name(name.workspace, f"{name.path.removesuffix('.md')}.{number}.md")


def parts(name: Name, listed: Sequence[Name]) -> list[Name]:
    """The files an archive has, and the one it would go on in."""
    found = [name]
    while found[-1] in listed:
        found.append(part(name, len(found) + 1))
    return found


class Shelf:
    """The files of an archive, with the room they have left."""

    def __init__(self, names: Sequence[Name], standing: Mapping[Name, bytes | None], limit: int) -> None:
        self._names = names
        self._sizes = {name: len(standing[name] or b"") for name in names}
        self._limit = limit

    def place(self, need: int) -> Name:
        """The first file with room for so many bytes, which are taken; the last, where none has."""
        name = next((n for n in self._names if self._sizes[n] + need <= self._limit), self._names[-1])
        self._sizes[name] += need
        return name


def bytes_of(entries: Iterable[Entry]) -> int:
    """About how many bytes entries take where they go."""
    return sum(len(line) + 2 for entry in entries for line in entry.lines)


def listed(ids: Sequence[str], most: int = 400) -> str:
    """Entries by their ids, as the log names them."""
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def counted(count: int, one: str, many: str) -> str:
    """A number of things, in words."""
    return f"{count} {one if count == 1 else many}"
