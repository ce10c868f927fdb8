"""Entry-level edits: each gives a new document in which only the lines it means to change differ.

After every edit the document is parsed again and checked: all other headings, blocks and tasks must stand where they
stood (moved by the lines that were added or taken away). Where they would not, a blank line is put in between; where
even that does not help, the edit is refused and says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oldsoul.documents import frontmatter, marks
from oldsoul.documents.entries import Entry, Form
from oldsoul.documents.model import Document, Section
from oldsoul.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oldsoul.documents.outline import Block

_BULLET = re.compile(rb"( {0,3})([-+*])([ \t]+)")
_NUMBER = re.compile(rb"( {0,3})(\d{1,9})([.)])([ \t]+)")
_CHECK_BOX = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)[ xX](?=\])")
_STARTS_A_CHILD = re.compile(rb"[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|\r?\n|$)|[ \t]*<!--|[ \t]*(?:```|~~~)")
_MAX_NUMBER = 999_999_999


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
    heading = document.section(section) if section else None
    after = _last_item(document, heading if section else None)
    return insert(document, _item_lines(document, entry, after), section)


def insert(document: Document, lines: Sequence[bytes], section: str) -> Document:
    """The document with these lines as a new entry: a list item at the end of the section, a dated block at the end."""
    heading = document.section(section) if section else None
    base = document
    if section and heading is None:
        base = _with_heading(document, section)
        heading = base.section(section)
        if heading is None:
            raise DocumentError(f"the document cannot take a heading {section!r}: {_why(document)}")
    for place, before, after in _places(base, heading):
        new = _placed(base, place, [*before, *lines, *after])
        if _holds(base, new, place, before, lines):
            return new
    raise DocumentError(f"the document cannot take a new entry: {_why(document)}")


def replace(document: Document, entry: Entry, text: str, fields: Mapping[str, str], *, keep_old: bool) -> Document:
    """The document with other words in this entry; id, bookkeeping, check box and children stay."""
    first = document.lines[entry.line]
    ending = _ending(first, document)
    old = document.lines[entry.line : entry.end]
    merged_fields = {**entry.fields, **fields}
    if entry.form is Form.DATED:
        new = [_with_mark(first, entry.id, merged_fields)]
        new += [line for paragraph in text.split("\n") for line in (ending, marks.inline(paragraph).encode() + ending)]
        own = len(old)
    else:
        own = _own_lines(old, entry.form)
        lead = _lead(first) if entry.form is not Form.PROSE else b""
        mark = marks.written(entry.id, merged_fields)
        new = [lead + f"{marks.inline(text)}{mark}".encode() + ending]
        if keep_old:
            indent = b" " * len(lead)
            new.append(indent + marks.comment(f"was: {entry.text}").encode() + ending)
    new = _ended_like(document, new, entry.line + own)
    return _spliced(document, entry.line, entry.line + own, new, f"entry {entry.id} cannot be changed")


def remove(document: Document, entry: Entry) -> Document:
    """The document without this entry's lines."""
    return _spliced(document, entry.line, entry.end, [], f"entry {entry.id} cannot be removed")


def tick(document: Document, entry: Entry, *, done: bool) -> Document:
    """The document with this task's box ticked or open: one byte differs."""
    line = document.lines[entry.line]
    if entry.done is None or not _CHECK_BOX.match(line):
        raise DocumentError(f"entry {entry.id} is no task: it has no check box")
    if entry.done == done:
        return document
    new = _CHECK_BOX.sub(rb"\1x" if done else rb"\1 ", line, count=1)
    return _spliced(document, entry.line, entry.line + 1, [new], f"entry {entry.id} cannot be ticked")


def set_field(document: Document, entry: Entry, key: str, value: str | None) -> Document:
    """The document with one bookkeeping value of this entry set, or gone for None."""
    fields = {k: v for k, v in entry.fields.items() if k != key}
    if value is not None:
        fields[key] = value
    if entry.form is Form.PROSE and not _can_hold_a_mark(document, entry):
        raise DocumentError(f"entry {entry.id} is code or HTML and cannot carry {key}")
    line = _with_mark(document.lines[entry.line], entry.id, fields)
    return _spliced(document, entry.line, entry.line + 1, [line], f"{key} of entry {entry.id} cannot be set")


def set_key(document: Document, key: str, value: str | None) -> Document:
    """The document with one frontmatter key set, or gone for None."""
    lines = frontmatter.with_value(document.lines, key, value, document.newline)
    new = Document(lines, document.is_log)
    if value is not None and new.matter.text(key) != value:
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
    if not words and not entry.title.strip():
        raise DocumentError("an entry needs words: nothing is left of this text but space and control characters")
    if entry.title:
        title = marks.inline(entry.title.replace("*", "")).lstrip("\\").rstrip(":： ")
        words = f"**{title}**: {words}".rstrip()
    if entry.added:
        words = f"{words} (added {entry.added})"
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
        if len(gap) > 4 or b"\t" in gap:  # noqa: PLR2004 - five spaces would begin code
            gap = b" "
    box = "" if entry.task is None else "[x] " if entry.task else "[ ] "
    mark = marks.written(entry.id, entry.fields or {})
    first = indent + marker + gap + f"{box}{_words(entry)}{mark}".encode()
    below = b" " * len(indent + marker + gap)
    return [line + document.newline for line in (first, *(_child(below, child) for child in entry.children))]


def _child(indent: bytes, text: str) -> bytes:
    return indent + b"- " + marks.inline(text).encode()


def _dated_lines(document: Document, entry: NewEntry) -> list[bytes]:
    heading = f"## {marks.inline(entry.title).lstrip(chr(92))}{marks.written(entry.id, entry.fields or {})}"
    paragraphs = [p for p in (entry.text, *entry.children) if p.strip()]
    lines = [heading]
    for paragraph in paragraphs:
        lines += ["", *(marks.inline(line) for line in paragraph.split("\n") if line.strip())]
    return [line.encode() + document.newline for line in lines]


def _with_heading(document: Document, title: str) -> Document:
    """The document with a new heading at its end."""
    lines = [f"## {marks.inline(title).lstrip(chr(92))}".encode() + document.newline]
    before = [document.newline] if document.lines and document.lines[-1].strip() else []
    return _placed(document, len(document.lines), [*before, *lines])


# ── where it goes ──


def _last_item(document: Document, section: Section | None) -> Block | None:
    start, end = (section.body, section.end) if section else (0, len(document.lines))
    items = [b for b in document.outline.blocks if b.kind == "item" and start <= b.line < end]
    return items[-1] if items else None


def _places(document: Document, section: Section | None) -> Iterator[tuple[int, list[bytes], list[bytes]]]:
    """Where a new entry could go, best place first: the line, and blank lines to put before and after it."""
    blank = [document.newline]
    if not document.is_log:
        item = _last_item(document, section)
        if item is not None:
            loose = item.line > 0 and not document.lines[item.line - 1].strip() and _follows_item(document, item)
            yield item.end, blank if loose else [], []
            yield item.end, blank, blank
    start, end = (section.body, section.end) if section else (document.matter.end, len(document.lines))
    place = _content_end(document, start, end)
    before = blank if place > 0 else []
    yield place, before, blank if place < len(document.lines) and document.lines[place].strip() else []
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


def _content_end(document: Document, start: int, end: int) -> int:
    while end > start and not document.lines[end - 1].strip():
        end -= 1
    return end


# ── keeping everything else as it was ──


def _placed(document: Document, place: int, lines: Iterable[bytes]) -> Document:
    """The document with lines put in; one without a final line feed keeps that shape."""
    old = list(document.lines)
    new = list(lines)
    if place == len(old) and old and not old[-1].endswith(b"\n"):
        old[-1] += document.newline
        new[-1] = new[-1].rstrip(b"\r\n")
    return Document((*old[:place], *new, *old[place:]), document.is_log)


def _holds(base: Document, new: Document, place: int, before: Sequence[bytes], lines: Sequence[bytes]) -> bool:
    """Whether the new lines are one entry of their own and the rest of the structure stands as it stood."""
    first = place + len(before)
    added = len(new.lines) - len(base.lines)
    own, rest = _split(new, first, first + len(lines))
    if _shape(base, place, added) != rest or new.matter != base.matter:
        return False
    if new.is_log:
        return own[0][:1] == [(first, 2)] and len(own[0]) == 1
    return own[1] == [(first, first + len(lines), "item")]


def _spliced(document: Document, start: int, end: int, new: list[bytes], what: str) -> Document:
    """The document with lines exchanged; a blank line is added where the neighbours would run into one another."""
    blank = document.newline
    for lines in (new, [*new, blank], [blank, *new], [blank, *new, blank]):
        result = Document((*document.lines[:start], *lines, *document.lines[end:]), document.is_log)
        old_own, old_rest = _split(document, start, end)
        new_own, new_rest = _split(result, start, start + len(lines))
        grown = len(lines) - (end - start)
        if _shifted(old_rest, end, grown) != new_rest:
            continue
        if not new or [kind for _, _, kind in old_own[1]] == [kind for _, _, kind in new_own[1]]:
            return result
    raise DocumentError(f"{what}: {_why(document)}")


Shape = tuple[list[tuple[int, int]], list[tuple[int, int, str]], list[tuple[int, bool]]]


def _split(document: Document, start: int, end: int) -> tuple[Shape, Shape]:
    """The structure that begins inside these lines, and the rest."""
    own: Shape = ([], [], [])
    rest: Shape = ([], [], [])
    for heading in document.headings:
        (own if start <= heading.line < end else rest)[0].append((heading.line, heading.level))
    for block in document.outline.blocks:
        (own if start <= block.line < end else rest)[1].append((block.line, block.end, block.kind))
    for task in document.tasks:
        (own if start <= task.line < end else rest)[2].append((task.line, task.done))
    return own, rest


def _shape(document: Document, place: int, added: int) -> Shape:
    return _shifted(_split(document, 0, 0)[1], place, added)


def _shifted(shape: Shape, place: int, by: int) -> Shape:
    """The structure with everything from `place` on moved down."""
    headings, blocks, tasks = shape
    return (
        [(line + by if line >= place else line, level) for line, level in headings],
        [(line + by if line >= place else line, end + by if end > place else end, kind) for line, end, kind in blocks],
        [(line + by if line >= place else line, done) for line, done in tasks],
    )


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


def _ended_like(document: Document, new: list[bytes], end: int) -> list[bytes]:
    """The lines without a final line feed when they take the place of a last line that had none."""
    if end == len(document.lines) and not document.lines[-1].endswith(b"\n"):
        new[-1] = new[-1].rstrip(b"\r\n")
    return new


def _lead(line: bytes) -> bytes:
    """The marker and the check box of an item's first line."""
    match = re.match(rb"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]*(?:\[[ xX]\][ \t]+)?", line)
    lead = match[0] if match else b"- "
    return lead if lead.endswith((b" ", b"\t")) else lead + b" "


def _own_lines(lines: Sequence[bytes], form: Form) -> int:
    """How many lines are the entry's own words, before its children."""
    if form is Form.PROSE:
        return len(lines)
    count = 1
    while count < len(lines) and lines[count].strip() and not _STARTS_A_CHILD.match(lines[count]):
        count += 1
    return count


def _with_mark(line: bytes, entry_id: str, fields: Mapping[str, str]) -> bytes:
    """The line with this bookkeeping instead of what it had."""
    body = line.rstrip(b"\r\n")
    mark = marks.read(line)
    words = line[: mark.start] if mark else body.rstrip()
    return words + marks.written(entry_id, fields).encode() + line[len(body) :]


def _can_hold_a_mark(document: Document, entry: Entry) -> bool:
    return any(b.line == entry.line and b.kind not in ("CodeBlock", "HtmlBlock") for b in document.outline.blocks)
