"""How a new entry is written: its words, from wherever they come, as lines that can be nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oldsoul.documents import marks
from oldsoul.documents.model import DATED
from oldsoul.errors import DocumentError
from oldsoul.values.changes import TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BULLET = re.compile(rb"( {0,3})([-+*])([ \t]+)")
_NUMBER = re.compile(rb"( {0,3})(\d{1,9})([.)])([ \t]+)")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_PARAGRAPHS = re.compile(r"\n[ \t\r]*\n")
_MAX_NUMBER = 999_999_999
_MAX_GAP = 4


@dataclass(frozen=True, slots=True)
class NewEntry:
    """The words of an entry that is to be written."""

    text: str
    """the first line's words"""
    title: str = ""
    """bold title before them, or the heading of a dated block"""
    tag: str = ""
    """primary tag, without `#`"""
    added: str = ""
    """date for the `(added …)` suffix"""
    task: bool | None = None
    """for a task: whether it is done"""
    children: tuple[str, ...] = ()
    """lines below it"""
    numbered: bool = False
    """whether the list it begins is numbered; one that is there already decides for itself"""
    id: str = ""
    """the id to write down"""
    fields: Mapping[str, str] | None = None
    """bookkeeping"""


def _words(entry: NewEntry) -> str:
    title = marks.phrase(entry.title.replace("*", "")).rstrip(":： \\")
    words = f"**{title}**: {marks.phrase(entry.text)}".rstrip() if title else marks.inline(entry.text)
    if not words:
        raise DocumentError("an entry needs text; this one has only spaces and control characters")
    if entry.added:
        if not _DATE.fullmatch(entry.added):
            raise DocumentError(f"{entry.added[:40]!r} is not a date; write it as 2026-02-05")
        words = f"{words} (added {entry.added})"
    if entry.tag and entry.tag not in TAGS:
        raise DocumentError(f"{entry.tag[:40]!r} is not a tag; use one of {', '.join(TAGS)}")
    return f"{words} #{entry.tag}" if entry.tag else words


def item_lines(entry: NewEntry, after: bytes, newline: bytes) -> list[bytes]:
    """The lines of a list item, in the style of the item whose first line this is."""
    indent, marker, gap = b"", b"1." if entry.numbered else b"-", b" "
    if bullet := _BULLET.match(after):
        indent, marker, gap = bullet[1], bullet[2], bullet[3]
    elif number := _NUMBER.match(after):
        following = min(int(number[2]) + 1, _MAX_NUMBER)
        indent, marker, gap = number[1], str(following).encode() + number[3], number[4]
    if len(gap) > _MAX_GAP or b"\t" in gap:
        gap = b" "
    box = "" if entry.task is None else "[x] " if entry.task else "[ ] "
    mark = marks.written(entry.id, entry.fields or {})
    first = indent + marker + gap + f"{box}{_words(entry)}{mark}".encode()
    return [first + newline, *child_lines(entry.children, len(indent + marker + gap), newline)]


def child_lines(children: Iterable[str], indent: int, newline: bytes) -> list[bytes]:
    """The lines below an item whose words begin in this column."""
    return [b" " * indent + b"- " + marks.inline(child).encode() + newline for child in children]


def dated_lines(entry: NewEntry, newline: bytes) -> list[bytes]:
    """The lines of a dated block: a heading with the title, the words as paragraphs."""
    title = marks.phrase(entry.title)
    if not DATED.match(title):
        raise DocumentError(
            f"{title[:40]!r} cannot be the title of a log entry: it must begin with a date such as 2026-02-05"
        )
    heading = f"## {title}{marks.written(entry.id, entry.fields or {})}"
    lines = [heading, *(line for text in (entry.text, *entry.children) for line in paragraphs(text))]
    return [line.encode() + newline for line in lines]


def paragraphs(text: str) -> list[str]:
    """The lines of the text, a blank one before each paragraph."""
    pieces = ([marks.inline(line) for line in piece.split("\n")] for piece in _PARAGRAPHS.split(text))
    return [line for piece in pieces if any(piece) for line in ("", *filter(None, piece))]


def heading_line(title: str, newline: bytes) -> bytes:
    """The heading of a new section."""
    words = marks.phrase(title)
    if not words:
        raise DocumentError("a section needs a name; this one has only spaces and control characters")
    name = words.rstrip("#")
    if name != words and name[-1:] in ("", " ", "\t"):
        words = f"{name}\\{words[len(name) :]}"
    return f"## {words}".encode() + newline
