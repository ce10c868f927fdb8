"""Entries: the memories of a document, each with what its lines say. What is not asked for is not worked out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from oldsoul.documents import marks
from oldsoul.documents.cached import once
from oldsoul.documents.marks import Mark
from oldsoul.values.changes import DEFAULT_TAG, TAGS

_MARKER = re.compile(rb"[ \t\r]*(?:[-+*]|\d{1,9}[.)])(?:[ \t\r]+|(?=\n|\Z))(\[[ xX]\](?=[ \t\r\n]|\Z)[ \t\r]*)?")
_TITLE = re.compile(r"\*\*(.{1,200}?)(?:\*\*\s*[:：]|[:：]\*\*)\s*")
_TAG = re.compile(rf"#(?<!\S#)({'|'.join(TAGS)})(?![\w-])", re.IGNORECASE)
_ADDED = re.compile(r"\(added (\d{4}-\d{2}-\d{2})\)")
_ENDING = re.compile(rf"(?:\s+(?:\(added \d{{4}}-\d{{2}}-\d{{2}}\)|#(?:{'|'.join(TAGS)})))+$", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->")
_START = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)?(?:\[ \]\s+)?")
_EMPHASIS = re.compile(r"(?<!\w)[*_`]+(?=\w)|(?<=\w)[*_`]+(?!\w)")
_STOPS = " .,;:!…。，；：！．、"


class Form(StrEnum):
    """The forms an entry has."""

    ITEM = "item"
    """a bullet with its children"""
    NUMBERED = "numbered"
    """a numbered item with its children"""
    DATED = "dated"
    """a dated `##` block of a log"""
    PROSE = "prose"
    """a paragraph, quote, table or code block"""


@dataclass(frozen=True)
class Entry:
    """One memory in a document."""

    id: str
    """written in its comment, else derived from its words"""
    form: Form
    """bullet, numbered item, dated block or prose"""
    line: int
    """its first line, counted from 0"""
    section: str
    """the heading it is under; empty before the first"""
    lines: tuple[bytes, ...]
    """its lines, as they are"""
    mark: Mark | None
    """its bookkeeping comment"""
    kind: str
    """`task` for an item with a check box, else the kind of block it is"""

    @property
    def end(self) -> int:
        """The line after its last."""
        return self.line + len(self.lines)

    @property
    def written(self) -> bool:
        """Whether the file contains the id."""
        return self.mark is not None and self.mark.id == self.id

    @once
    def fields(self) -> Mapping[str, str]:
        """Its bookkeeping."""
        return self.mark.fields if self.mark else {}

    @once
    def inner_audiences(self) -> tuple[str, ...]:
        """Who may see it, as marks on its further lines say."""
        if len(self.lines) == 1:
            return ()
        found = (marks.read(line) for line in self.lines[1:] if b"<!--os" in line)
        return tuple(mark.fields["aud"] for mark in found if mark and "aud" in mark.fields)

    @once
    def text(self) -> str:
        """The words of its first line, without marker, check box and comments."""
        if self.form is Form.DATED:
            return self.section
        found = words(self.lines[0], self.mark, self.kind)
        if b"<!--" in found and self.kind != "CodeBlock":
            found = words(self._visible[0].encode(), None, self.kind)
        return found.decode("utf-8", "replace").strip()

    @once
    def body(self) -> str:
        """All its lines, without bookkeeping."""
        rest = self.lines[1:]
        if not rest:
            return self.text
        first = self.lines[0][: self.mark.start] if self.mark else self.lines[0]
        if self.kind != "CodeBlock" and any(b"<!--" in line for line in (first, *rest)):
            return "\n".join([self.text, *self._visible[1:]])
        return "\n".join([self.text, *(line.decode("utf-8", "replace").rstrip() for line in rest)])

    @once
    def _visible(self) -> list[str]:
        return visible(self.lines)

    @once
    def title(self) -> str:
        """The bold title or the heading; empty when it has none."""
        if self.form is Form.DATED:
            return self.section
        found = _TITLE.match(self.text)
        return found[1].strip() if found else ""

    @property
    def done(self) -> bool | None:
        """For a task: whether it is ticked."""
        marker = _MARKER.match(self.lines[0]) if self.kind == "task" else None
        return marker[1][1:2] != b" " if marker and marker[1] else None

    @once
    def tag(self) -> str:
        """Its primary tag: the last one its first line names."""
        found: list[str] = _TAG.findall(self.text)
        return found[-1].lower() if found else DEFAULT_TAG

    @once
    def ending(self) -> str:
        """What its first line ends with after its words: the `(added …)` suffix and the tag, with the space before them."""
        found = _ENDING.search(self.text)
        return found[0] if found else ""

    @once
    def added(self) -> str:
        """The date of its `(added …)` suffix; empty when it has none."""
        found: list[str] = _ADDED.findall(self.text)
        return found[-1] if found else ""


def takeable(entries: Iterable[Entry]) -> list[Entry]:
    """Entries of one document in an order in which they can be taken out of it one after the other.

    An id that is not written down depends on the equal entries before it, so of those the last goes first.
    """
    listed = list(entries)
    unwritten = sorted((e for e in listed if not e.written), key=lambda e: -e.line)
    return [*(e for e in listed if e.written), *unwritten]


def words(line: bytes, mark: Mark | None, kind: str) -> bytes:
    """The first line of an entry of this kind, without marker, check box and bookkeeping."""
    marker = _MARKER.match(line) if kind in ("item", "task") else None
    start = 0
    if marker:
        start = marker.start(1) if kind == "item" and marker[1] else marker.end()
    return line[start : mark.start if mark else len(line)]


def shaped(text: str) -> str:
    """Lines whatever their shape: bullets, case, spaces, emphasis, stops, comments, date and tag do not count."""
    found: list[str] = []
    for line in text.splitlines():
        plain = _START.sub("", _COMMENT.sub("", line), count=1).rstrip(_STOPS)
        found += _EMPHASIS.sub("", _ENDING.sub("", plain).rstrip(_STOPS)).split()
    return unicodedata.normalize("NFKC", " ".join(found)).casefold() or text.strip()


def visible(lines: Sequence[bytes]) -> list[str]:
    """The lines of a heading or a block, without comments."""
    mark = marks.read(lines[0])
    first = lines[0][: mark.start] + b"\n" if mark else lines[0]
    text = marks.without_comments(b"".join([first, *lines[1:]]).decode("utf-8", "replace"))
    return [piece.rstrip() for piece in text.split("\n")[: len(lines)]]


class Ids:
    """The ids of a document's entries: each written one counts once, the others follow from the words."""

    def __init__(self, written: set[str]) -> None:
        self.written = written
        self.taken: set[str] = set()
        self.seen: dict[bytes, int] = {}

    def given(self, mark: Mark | None) -> str:
        """The id that is written down; empty when there is none, or an entry before this one has it."""
        if mark is None or mark.id in self.taken:
            return ""
        self.taken.add(mark.id)
        return mark.id

    def derived(self, first: bytes, rest: Sequence[bytes]) -> str:
        """An id for an entry without one."""
        plain = b"\n".join([first.strip(), *(line.strip() for line in rest)]) if rest else first.strip()
        while True:
            occurrence = self.seen[plain] = self.seen.get(plain, 0) + 1
            identity = marks.derived_id(plain, occurrence)
            if identity not in self.written and identity not in self.taken:
                self.taken.add(identity)
                return identity
