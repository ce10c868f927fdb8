"""Entry-level edits: each gives a new document in which only the lines it means to change differ.

After every edit the document is parsed again and checked: all other headings, blocks and tasks must stand where they
stood (moved by the lines that were added or taken away), and the entry itself must be what was asked for. Where that is
not so, a blank line is put in between; where even that does not help, the edit is refused and says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oldsoul.documents import frontmatter, marks
from oldsoul.documents.entries import Entry, Form
from oldsoul.documents.model import DATED, Document, Section
from oldsoul.documents.outline import first_block
from oldsoul.documents.shape import Shape, apart, closed, content_end, is_blank, shape, spliced
from oldsoul.errors import DocumentError
from oldsoul.values.changes import TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oldsoul.documents.outline import Block

_BULLET = re.compile(rb"( {0,3})([-+*])([ \t]+)")
_NUMBER = re.compile(rb"( {0,3})(\d{1,9})([.)])([ \t]+)")
_MARKER = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)]))([ \t\r]*)(\[[ xX]\])?")
_CHECK_BOX = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)[ xX](?=\])")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_PARAGRAPHS = re.compile(r"\n[ \t\r]*\n")
_MAX_NUMBER = 999_999_999
_MAX_GAP = 4
_TAB = 4


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
    id: str = ""
    """the id to write down"""
    fields: Mapping[str, str] | None = None
    """bookkeeping"""


def add(document: Document, entry: NewEntry, section: str = "") -> Document:
    """The document with a new entry: at the end of the section's list, or of the log."""
    if document.is_log:
        return insert(document, _dated_lines(document, entry), "")
    heading = document.section(section) if section.strip() else None
    after = None if section.strip() and heading is None else _last_item(document, heading)
    return insert(document, _item_lines(document, entry, after), section)


def insert(document: Document, lines: Sequence[bytes], section: str) -> Document:
    """The document with these lines as a new entry: at the end of the section, a dated block at the end of the log."""
    whole = [line if line.endswith(b"\n") else line + document.newline for line in lines]
    alone = shape(Document(tuple(whole), document.is_log))
    if not _is_one_entry(whole, alone, is_log=document.is_log):
        raise DocumentError("these lines are not one entry")
    for base in (document, closed(document)):
        new = base and _inserted(base, whole, alone, section)
        if new:
            return new
    raise DocumentError(f"the document cannot take a new entry: {_why(document)}")


def replace(document: Document, entry: Entry, text: str, fields: Mapping[str, str], *, keep_old: bool) -> Document:
    """The document with other words in this entry; id, bookkeeping, check box and children stay.

    A dated block keeps its heading and gets the words as its paragraphs.
    """
    what = f"entry {entry.id} cannot be changed"
    mark = marks.written(entry.id, {**entry.fields, **fields})
    words = marks.inline(text)
    if not words:
        raise DocumentError(f"{what}: nothing is left of the new text but space and control characters")
    if entry.form is Form.DATED:
        return _replace_dated(document, entry, text, mark)
    ending = _ending(entry.lines[0], document)
    old = marks.comment(f"was: {entry.text}")
    if entry.form is Form.PROSE:
        lead = "> " if entry.kind == "BlockQuote" else ""
        note = f" {old}" if keep_old else ""
        kind = "BlockQuote" if lead else "Paragraph"
        line = f"{lead}{words}{note}{mark}".encode() + ending
        return _exchanged(document, entry, len(entry.lines), [line], _becomes(entry.line, 1, kind, []), what)
    own = first_block(entry.lines)
    marker, box = _lead(entry)
    new = [marker + box + f"{words}{mark}".encode() + ending]
    if keep_old:
        new.append(b" " * _columns(marker) + old.encode() + ending)
    boxes = [] if entry.done is None else [(entry.line, entry.done)]
    below = apart(document, entry.line + own, entry.end)[0].moved(entry.line, len(new) - own).tasks
    fits = _becomes(entry.line, len(entry.lines) - own + len(new), "item", boxes + below)
    return _exchanged(document, entry, own, new, fits, what)


def _replace_dated(document: Document, entry: Entry, text: str, mark: str) -> Document:
    ending = _ending(entry.lines[0], document)
    heading = next(h for h in document.headings if h.line == entry.line)
    first, *underline = entry.lines[: heading.end - heading.line]
    new = [_with_mark(first, mark), *underline, *(line.encode() + ending for line in _paragraphs(text))]

    def fits(own: Shape) -> bool:
        return (
            own.headings == [(entry.line, 2)] and {kind for _, _, kind in own.blocks} == {"Paragraph"} and not own.tasks
        )

    return _exchanged(document, entry, len(entry.lines), new, fits, f"entry {entry.id} cannot be changed")


def remove(document: Document, entry: Entry) -> Document:
    """The document without this entry's lines."""
    what = f"entry {entry.id} cannot be removed"
    return _exchanged(document, entry, len(entry.lines), [], lambda own: own == Shape([], [], []), what)


def tick(document: Document, entry: Entry, *, done: bool) -> Document:
    """The document with this task's box ticked or open: one byte differs."""
    if entry.done is None:
        raise DocumentError(f"entry {entry.id} is no task: it has no check box")
    if entry.done == done:
        return document
    line = _CHECK_BOX.sub(rb"\1x" if done else rb"\1 ", entry.lines[0], count=1)
    own = apart(document, entry.line, entry.end)[0]
    own.tasks[0] = (entry.line, done)
    return _exchanged(document, entry, 1, [line], own.__eq__, f"entry {entry.id} cannot be ticked")


def set_field(document: Document, entry: Entry, key: str, value: str | None) -> Document:
    """The document with one bookkeeping value of this entry set, or gone for None or an empty one."""
    fields = {k: v for k, v in entry.fields.items() if k != key}
    fields |= {key: value or ""}
    if entry.kind in ("CodeBlock", "HtmlBlock"):
        raise DocumentError(f"entry {entry.id} is code or HTML and cannot carry {key}")
    line = _with_mark(entry.lines[0], marks.written(entry.id, fields))
    own = apart(document, entry.line, entry.end)[0]
    new = _exchanged(document, entry, 1, [line], own.__eq__, f"{key} of entry {entry.id} cannot be set")
    if new.find(entry.id).body != entry.body:
        raise DocumentError(
            f"{key} of entry {entry.id} cannot be set: a comment opened in its first line ends below it"
        )
    return new


def set_key(document: Document, key: str, value: str | None) -> Document:
    """The document with one frontmatter key set, or gone for None."""
    lines = frontmatter.with_value(document.lines, key, value, document.newline)
    new = Document(lines, document.is_log)
    was = {k: v for k, v in document.matter.values.items() if k != key}
    now = dict(new.matter.values)
    if now.pop(key, None) != value or now != was or new.matter.problems:
        raise DocumentError(f"{key} cannot hold {value!r} in this frontmatter")
    return new


def refreshed(document: Document, now: str) -> Document:
    """The document with `updated_at` and the task counters brought up to date; nothing else differs."""
    if not document.matter.end or document.matter.problems:
        return document
    new = set_key(document, "updated_at", now)
    for key, title in COUNTERS.items():
        done, total = document.count_tasks(title)
        new = set_key(new, key, f"{done}/{total}")
    return new


COUNTERS = {"tasks": "Tasks", "follow_ups": "Follow Ups"}
"""The frontmatter counters, and the sections they count."""


# ── how an entry is written ──


def _words(entry: NewEntry) -> str:
    words = marks.inline(entry.text)
    title = marks.phrase(entry.title.replace("*", "")).rstrip(":： \\")
    if not words and not title:
        raise DocumentError("an entry needs words: nothing is left of this text but space and control characters")
    if title:
        words = f"**{title}**: {words}".rstrip()
    if entry.added:
        if not _DATE.fullmatch(entry.added):
            raise DocumentError(f"{entry.added[:40]!r} is no date; write it as 2026-02-05")
        words = f"{words} (added {entry.added})"
    if entry.tag and entry.tag not in TAGS:
        raise DocumentError(f"{entry.tag[:40]!r} is no tag; an entry has one of {', '.join(TAGS)}")
    return f"{words} #{entry.tag}" if entry.tag else words


def _item_lines(document: Document, entry: NewEntry, after: Block | None) -> list[bytes]:
    """The lines of a new list item, in the style of the item it follows."""
    indent, marker, gap = b"", b"-", b" "
    if after is not None:
        line = document.lines[after.line]
        if bullet := _BULLET.match(line):
            indent, marker, gap = bullet[1], bullet[2], bullet[3]
        elif number := _NUMBER.match(line):
            following = min(int(number[2]) + 1, _MAX_NUMBER)
            indent, marker, gap = number[1], str(following).encode() + number[3], number[4]
        if len(gap) > _MAX_GAP or b"\t" in gap:
            gap = b" "
    box = "" if entry.task is None else "[x] " if entry.task else "[ ] "
    mark = marks.written(entry.id, entry.fields or {})
    first = indent + marker + gap + f"{box}{_words(entry)}{mark}".encode()
    below = b" " * len(indent + marker + gap)
    children = (below + b"- " + marks.inline(child).encode() for child in entry.children)
    return [line + document.newline for line in (first, *children)]


def _dated_lines(document: Document, entry: NewEntry) -> list[bytes]:
    title = marks.phrase(entry.title)
    if not DATED.match(title):
        raise DocumentError(
            f"{title[:40]!r} cannot head an entry of a log: it has to begin with a date like 2026-02-05"
        )
    heading = f"## {title}{marks.written(entry.id, entry.fields or {})}"
    lines = [heading, *(line for text in (entry.text, *entry.children) for line in _paragraphs(text))]
    return [line.encode() + document.newline for line in lines]


def _paragraphs(text: str) -> list[str]:
    """The lines of the text, a blank one before each paragraph."""
    pieces = ([marks.inline(line) for line in piece.split("\n")] for piece in _PARAGRAPHS.split(text))
    return [line for piece in pieces if any(piece) for line in ("", *filter(None, piece))]


def _with_heading(document: Document, title: str) -> tuple[Document, Section] | None:
    """The document with a new heading at its end; None when its text does not allow it."""
    words = marks.phrase(title)
    if not words:
        raise DocumentError("a section needs a name: nothing is left of this one but space and control characters")
    closing = len(words) - len(words.rstrip("#"))
    if closing and words[: -closing or None][-1:] in ("", " ", "\t"):
        words = f"{words[:-closing]}\\{words[-closing:]}"
    place = len(document.lines) if content_end(document, 0) else 0
    blank = [document.newline] if place and not is_blank(document, place - 1) else []
    new = spliced(document, place, place, [*blank, f"## {words}".encode() + document.newline])
    heading = new.section(title)
    was = shape(document)
    was.headings.append((place + len(blank), 2))
    return (new, heading) if heading is not None and shape(new) == was else None


# ── where it goes ──


def _is_one_entry(lines: Sequence[bytes], alone: Shape, *, is_log: bool) -> bool:
    if is_log and alone.headings:
        entries = Document(tuple(lines), is_log=True).entries
        return len(entries) == 1 and entries[0].end == len(lines) and entries[0].form is Form.DATED
    return not alone.headings and [(line, end) for line, end, _ in alone.blocks] == [(0, len(lines))]


def _inserted(document: Document, lines: Sequence[bytes], alone: Shape, section: str) -> Document | None:
    base, heading = document, None
    if section.strip() and not (document.is_log and alone.headings):
        heading = document.section(section)
        if heading is None:
            headed = _with_heading(document, section)
            if headed is None:
                return None
            base, heading = headed
    for place, before, after in _places(base, alone, heading):
        new = spliced(base, place, place, [*before, *lines, *after])
        first = place + len(before)
        own, rest = apart(new, first, first + len(lines))
        stands = apart(base, 0, 0)[1].moved(place, len(new.lines) - len(base.lines))
        if own == alone.moved(0, first) and rest == stands and new.matter == base.matter:
            return new
    return None


def _last_item(document: Document, section: Section | None) -> Block | None:
    start, end = (section.body, section.end) if section else (0, len(document.lines))
    items = [b for b in document.outline.blocks if b.kind == "item" and start <= b.line < end]
    return items[-1] if items else None


def _places(
    document: Document, alone: Shape, section: Section | None
) -> Iterator[tuple[int, list[bytes], list[bytes]]]:
    """Where a new entry could go, best place first: the line, and blank lines to put before and after it."""
    blank = [document.newline]
    start, end = (section.body, section.end) if section else (document.matter.end, len(document.lines))
    if document.is_log and not alone.headings:  # not in a dated block, where it would be no entry of its own
        end = next((s.line for s in document.sections if s.level and DATED.match(s.title)), end)
    elif not document.is_log and [kind for _, _, kind in alone.blocks] == ["item"]:
        item = _last_item(document, section)
        if item is not None:
            loose = item.line > 0 and is_blank(document, item.line - 1) and _follows_item(document, item)
            yield item.end, blank if loose else [], []
            yield item.end, blank, blank
    place = content_end(document, start, end)
    before = blank if place > 0 else []
    yield place, before, blank if place < len(document.lines) and not is_blank(document, place) else []
    yield place, before, blank
    if section is None:
        yield len(document.lines), blank, []


def _follows_item(document: Document, item: Block) -> bool:
    """Whether the item before this one is of the same, loosely written list."""
    index = document.outline.blocks.index(item)
    before = document.outline.blocks[index - 1] if index else None
    return (
        before is not None and before.kind == "item" and before.ordered == item.ordered and before.end == item.line - 1
    )


# ── keeping everything else as it was ──


def _becomes(line: int, length: int, kind: str, tasks: list[tuple[int, bool]]) -> Callable[[Shape], bool]:
    """Whether a changed entry is one block of this kind and length, with these tasks."""
    return Shape([], [(line, line + length, kind)], tasks).__eq__


def _exchanged(
    document: Document, entry: Entry, own: int, new: list[bytes], fits: Callable[[Shape], bool], what: str
) -> Document:
    """The document with the entry's own first lines exchanged; a blank line keeps apart what would run together."""
    blank = document.newline
    end = entry.line + own
    for before, after in (([], []), ([], [blank]), ([blank], []), ([blank], [blank])):
        lines = [*before, *new, *after]
        result = spliced(document, entry.line, end, lines)
        first = entry.line + len(before)
        grown = len(result.lines) - len(document.lines)
        _, rest = apart(document, entry.line, entry.end)
        own_shape, new_rest = apart(result, entry.line, entry.end + grown)
        if rest.moved(entry.end, grown) == new_rest and fits(own_shape.moved(0, entry.line - first)):
            return result
    raise DocumentError(f"{what}: {_why(document)}")


def _why(document: Document) -> str:
    """What in the text is most likely in the way, for a person to mend."""
    last = document.outline.blocks[-1] if document.outline.blocks else None
    if last is not None and last.kind == "CodeBlock":
        return f"a code block opened in line {last.line + 1} is not closed; close it and try again"
    if last is not None and last.kind == "HtmlBlock":
        return f"an HTML block or comment opened in line {last.line + 1} is not closed; close it and try again"
    return "its text would be read differently; edit the file by hand"


# ── small pieces of lines ──


def _ending(line: bytes, document: Document) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else document.newline


def _lead(entry: Entry) -> tuple[bytes, bytes]:
    """What stands before an item's words: the marker with the space after it, and the check box."""
    match = _MARKER.match(entry.lines[0])
    if match is None:
        return b"- ", b""
    marker, gap, box = match.groups(b"")
    if not 1 <= _columns(marker + gap) - _columns(marker) <= _MAX_GAP or b"\r" in gap:
        gap = b" "
    return marker + gap, box + b" " if entry.done is not None else b""


def _columns(text: bytes) -> int:
    return len(text.expandtabs(_TAB))


def _with_mark(line: bytes, mark: str) -> bytes:
    """The line with this bookkeeping instead of what it had."""
    body = line.rstrip(b"\r\n")
    old = marks.read(line)
    words = line[: old.start] if old else body.rstrip(b" \t\r")
    return words + mark.encode() + line[len(body) :]
