"""What goes into a system and what comes back: turns, files, pieces; and how files are cut."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from oldsoul.ranking.chunks import estimated_tokens
from oldsoul.ranking.terms import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from bench.systems.vectors import Vectors

    Cut = Callable[[str, str, str], "list[Piece]"]
    """A path, its text and its tag, as pieces."""

_WORD = re.compile(r"\w+")
_CHUNK = 400


class Missing(Exception):
    """A system is not installed; the message says how it is."""


class TooLong(Exception):
    """Building took longer than it may."""


class Turn(NamedTuple):
    """Something somebody said."""

    key: str
    """its id in the data"""
    session: str
    """in which sitting"""
    said: datetime
    """when"""
    speaker: str
    """who"""
    text: str
    """what, with the caption of a shared picture"""
    role: str = ""
    """user or assistant, where somebody talks with one; nothing where people talk"""


class File(NamedTuple):
    """A Markdown file."""

    path: str
    """below the workspace"""
    text: str
    """its content"""
    tag: str = ""
    """what its lines are about: the field searches are restricted by"""


class Piece(NamedTuple):
    """A text as it is found."""

    text: str
    """what is shown"""
    key: str = ""
    """the turn's id, for turns"""
    path: str = ""
    """the file, for files"""
    first: int = 0
    """its first line there, from 1"""
    last: int = 0
    """its last line"""
    tag: str = ""
    """the field searches are restricted by"""

    @property
    def id(self) -> str:
        """Its own among all pieces."""
        return self.key or f"{self.path}:{self.first}-{self.last}"


class System(ABC):
    """Something that keeps texts and finds them again. Made with a folder of its own and the vectors everybody gets."""

    does: ClassVar[str] = "words + vectors"
    """what it compares by"""
    package: ClassVar[str] = ""
    """what pip installs; empty for what is always there"""
    modules: ClassVar[tuple[str, ...]] = ()
    """what is imported to work with it"""
    asked: datetime | None = None
    """when a question is asked, for those who want to know"""

    @abstractmethod
    def turns(self, turns: Sequence[Turn]) -> None:
        """Take turns of a conversation."""

    @abstractmethod
    def files(self, files: Iterable[File], cut: Cut | None = None) -> None:
        """Take files; cut as said, or the way this system does it."""

    def write(self, file: File) -> None:  # noqa: B027 - most keep no files
        """Have a changed file on the disk, where it is the file that counts."""

    @abstractmethod
    def change(self, file: File, cut: Cut | None = None) -> None:
        """Take a file again that has changed, from its text to being found."""

    @abstractmethod
    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """The pieces that answer a question, the best first; only those with the tag, if one is given."""

    def ready(self, told: Callable[[int], None]) -> None:  # noqa: B027 - most have nothing to do
        """Do what is done once after much was taken; `told` hears how many pieces are in."""

    def close(self) -> None:  # noqa: B027 - as above
        """Let go of it."""

    def size(self) -> int:
        """How many bytes it keeps on the disk, the texts' own files left out."""
        return taken(self.folder)

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        self.folder = folder
        self.vectors = vectors


class Pieces(System):
    """A system that is given pieces."""

    cut: ClassVar[Any]
    """how it cuts a file unless told otherwise"""

    def turns(self, turns: Sequence[Turn]) -> None:
        """Take turns of a conversation, each with its day and who said it."""
        self.put(
            [Piece(f"[{t.said.day} {t.said:%B %Y}] {t.speaker}: {t.text}", key=t.key, path=t.session) for t in turns]
        )

    def files(self, files: Iterable[File], cut: Cut | None = None) -> None:
        """Take files."""
        self.put([piece for file in files for piece in (cut or type(self).cut)(*file)])

    def change(self, file: File, cut: Cut | None = None) -> None:
        """Take a file again: what it was goes."""
        self.drop(file.path)
        self.put((cut or type(self).cut)(*file))

    @abstractmethod
    def put(self, pieces: Sequence[Piece]) -> None:
        """Take pieces."""

    @abstractmethod
    def drop(self, path: str) -> None:
        """Let go of what a file held."""


def taken(folder: Path) -> int:
    """How many bytes of the disk the files below a folder really take: some reserve more than they fill."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def content(question: str) -> list[str]:
    """The words of a question that say something."""
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(question)))
    return [word for word in words if word not in STOPWORDS] or words


def words_of(text: str) -> set[str]:
    """The words of a text, in lower case."""
    return {word.lower() for word in _WORD.findall(text)}


def lines(path: str, text: str, tag: str) -> list[Piece]:
    """Every line a piece, led by its file's name, which holds the day."""
    numbered = enumerate(text.split("\n"), 1)
    return [Piece(f"{path} {line}", "", path, at, at, tag) for at, line in numbered if line.strip()]


def items(path: str, text: str, tag: str) -> list[Piece]:
    """Every item of a list a piece."""
    numbered = enumerate(text.split("\n"), 1)
    return [Piece(line[2:], "", path, at, at, tag) for at, line in numbered if line.startswith("- ")]


def chunks(path: str, text: str, tag: str) -> list[Piece]:
    """Lines together, about 400 tokens: what a plain splitter gives."""
    found: list[Piece] = []
    size = 0
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        cost = estimated_tokens(line)
        if found and size + cost <= _CHUNK:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}", last=at)
            size += cost
        else:
            found.append(Piece(line, "", path, at, at, tag))
            size = cost
    return found
