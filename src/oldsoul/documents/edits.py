"""Entry-level edits: each gives a new document in which only the lines it means to change differ.

After every edit the document is parsed again and checked: all other headings, blocks and tasks must be where they
was (moved by the lines that were added or taken away), and the entry itself must be what was asked for. Where that is
not so, a blank line or an empty comment is put in between; where even that does not help, the edit is refused and says
why.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from oldsoul.documents import frontmatter, marks
from oldsoul.documents.entries import Entry, Form
from oldsoul.documents.model import DATED, Document, Section
from oldsoul.documents.outline import Block, Heading, Outline, Task, first_block
from oldsoul.documents.shape import NOTHING, SEPARATOR, apart, closed, content_end, is_blank, moved, spliced, without
from oldsoul.errors import DocumentError
from oldsoul.values.changes import TAGS

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


__all__ = ["COUNTERS", "NewEntry", "add", "insert", "refreshed", "remove", "replace", "set_field", "set_key", "tick"]

_MARKER = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)]))([ \t\r]*)(\[[ xX]\])?")
_CHECK_BOX = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)[ xX](?=\])")
_DISARMED = str.maketrans({"'": "&#39;", '"': "&quot;", "`": "&#96;"})
_TAB = 4


def add(document: Document, entry: NewEntry, section: str = "") -> Document:
    """The document with a new entry: at the end of the section's list, or of the log."""
    if document.is_log:
        return insert(document, [dated_lines(entry, document.newline)], "")
    heading = document.section(section) if section.strip() else None
    after = None if section.strip() and heading is None else _last_item(document, heading)
    lines = item_lines(entry, document.lines[after.line] if after else b"", document.newline)
    return insert(document, [lines], section)


def insert(document: Document, entries: Sequence[Sequence[bytes]], section: str) -> Document:
    """The document with new entries, each given by its lines: at the end of the section, dated blocks at that of the log.

    Many are put in together, so that the document is read once; those that would run together go in one after the other.
    """
    gap = _gap(document, entries, section)
    whole: list[bytes] = []
    spans = []
    for lines in entries:
        whole += gap if whole else []
        start = len(whole) + 1
        whole += [line if line.endswith(b"\n") else line + document.newline for line in lines]
        spans.append((start, len(whole) + 1))
    # Read after a blank line: a byte order mark counts as one only where a file begins.
    alone = Document((b"\n", *whole), document.is_log)
    dated = [(e.line, e.end) for e in alone.entries if e.form is Form.DATED] if document.is_log else []
    is_whole = dated == spans or (
        not alone.headings and [(block.line, block.end) for block in alone.outline.blocks] == spans
    )
    new = _inserted(document, whole, moved(alone.outline, 0, -1), section) if is_whole else None
    if new is None and len(entries) > 1:
        half = len(entries) // 2
        return insert(insert(document, entries[:half], section), entries[half:], section)
    if not is_whole:
        raise DocumentError("these lines do not form one entry")
    if new is None:
        base = closed(document)
        new = base and _inserted(base, whole, moved(alone.outline, 0, -1), section)
    if new is None:
        raise DocumentError(f"no entry can be added to this file: {_why(document)}")
    return new


def replace(
    document: Document,
    entry: Entry,
    text: str,
    fields: Mapping[str, str],
    *,
    keep_old: bool,
    children: Sequence[str] | None = None,
) -> Document:
    """The document with other words in this entry; id, bookkeeping and check box stay, and children unless new ones come.

    A dated block keeps its heading and gets the words, and the children, as its paragraphs.
    """
    what = f"entry {entry.id} cannot be changed"
    mark = marks.written(entry.id, {**entry.fields, **fields})
    words = marks.inline(text)
    if not words:
        raise DocumentError(f"{what}: the new text has only spaces and control characters")
    if entry.form is Form.DATED:
        return _replace_dated(document, entry, "\n\n".join([text, *(children or ())]), mark)
    ending = _ending(entry.lines[0], document)
    own = len(entry.lines) if entry.form is Form.PROSE else first_block(entry.lines)
    if children is not None and entry.form is Form.PROSE:
        raise DocumentError(f"{what}: only a list item can have lines below it")
    old = marks.comment("was: " + "\n".join(entry.body.split("\n")[:own]))
    if entry.form is Form.PROSE:
        lead = "> " if entry.kind == "BlockQuote" else ""
        note = ""
        if keep_old:  # in one line with the words: neither may open what the other closes
            words, note = words.replace("<!", "&lt;!"), " " + old.translate(_DISARMED)
        block = Block(entry.line, entry.line + 1, "BlockQuote" if lead else "Paragraph", ordered=False)
        line = f"{lead}{words}{note}{mark}".encode() + ending
        return _exchanged(document, entry, own, [line], fits=Outline([], [block], []).__eq__, what=what)
    marker, box = _lead(entry)
    new = [marker + box + f"{words}{mark}".encode() + ending]
    if keep_old:
        new.append(b" " * _columns(marker) + old.encode() + ending)
    if children is not None:
        new += child_lines(children, _columns(marker), ending)
        own = len(entry.lines)
    boxes = [] if entry.done is None else [Task(entry.line, entry.done)]
    grown = len(new) - own
    below = moved(apart(document, entry.line + own, entry.end)[0], entry.line, grown).tasks
    block = Block(entry.line, entry.end + grown, "item", entry.form is Form.NUMBERED)
    return _exchanged(document, entry, own, new, fits=Outline([], [block], boxes + below).__eq__, what=what)


def _replace_dated(document: Document, entry: Entry, text: str, mark: str) -> Document:
    ending = _ending(entry.lines[0], document)
    heading = next(h for h in document.headings if h.line == entry.line)
    first, *underline = entry.lines[: heading.end - heading.line]
    new = [_with_mark(first, mark), *underline, *(line.encode() + ending for line in paragraphs(text))]

    def fits(own: Outline) -> bool:
        return own.headings == [heading] and {block.kind for block in own.blocks} == {"Paragraph"} and not own.tasks

    return _exchanged(document, entry, len(entry.lines), new, fits=fits, what=f"entry {entry.id} cannot be changed")


def remove(document: Document, *entries: Entry) -> Document:
    """The document without the lines of these entries.

    Many are taken out together, so that the document is read once; where the rest would run together, one by one.
    """
    if len(entries) == 1:
        what = f"entry {entries[0].id} cannot be removed"
        return _exchanged(document, entries[0], len(entries[0].lines), [], fits=NOTHING.__eq__, what=what)
    ordered = sorted(entries, key=lambda entry: entry.line)
    new = without(document, [(entry.line, entry.end) for entry in ordered])
    if new is not None:
        return new
    half = len(ordered) // 2  # what comes later goes first: so the lines of the others stay where they are
    return remove(remove(document, *ordered[half:]), *ordered[:half])


def tick(document: Document, entry: Entry, *, done: bool) -> Document:
    """The document with this task's box ticked or open: one byte differs."""
    if entry.done is None:
        raise DocumentError(f"entry {entry.id} is not a task: it has no check box")
    if entry.done == done:
        return document
    line = _CHECK_BOX.sub(rb"\1x" if done else rb"\1 ", entry.lines[0], count=1)
    own = apart(document, entry.line, entry.end)[0]
    own.tasks[0] = Task(entry.line, done)
    return _exchanged(document, entry, 1, [line], fits=own.__eq__, what=f"entry {entry.id} cannot be ticked")


def set_field(document: Document, entry: Entry, key: str, value: str | None) -> Document:
    """The document with one bookkeeping value of this entry set, or gone for None or an empty one."""
    what = f"{key} of entry {entry.id} cannot be set"
    if entry.kind in ("CodeBlock", "HtmlBlock"):
        raise DocumentError(f"{what}: Oldsoul writes no comments into code or HTML")
    line = _with_mark(entry.lines[0], marks.written(entry.id, {**entry.fields, key: value or ""}))
    opened = entry.lines[0].rpartition(b"<!--")[2]
    if b"-->" not in opened and opened != entry.lines[0] and any(b"-->" in below for below in entry.lines[1:]):
        raise DocumentError(f"{what}: its first line opens a comment that ends further down")
    own = apart(document, entry.line, entry.end)[0]
    new = _exchanged(document, entry, 1, [line], fits=own.__eq__, what=what)
    return _with_entries_of(document, new, entry)


def set_key(document: Document, key: str, value: str | None) -> Document:
    """The document with one frontmatter key set, or gone for None."""
    lines = frontmatter.with_value(document.lines, key, value, document.newline)
    new = Document(lines, document.is_log)
    was = {k: v for k, v in document.matter.values.items() if k != key}
    now = dict(new.matter.values)
    if now.pop(key, None) != value or now != was or new.matter.problems:
        raise DocumentError(f"{key} cannot be set to {value!r} in this frontmatter")
    if "outline" in document.__dict__:  # the body is the same, further up or down
        new.__dict__["outline"] = moved(document.outline, 0, len(lines) - len(document.lines))
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


def _with_heading(document: Document, title: str) -> tuple[Document, Section] | None:
    """The document with a new heading at its end; None when its text does not allow it."""
    line = heading_line(title, document.newline)
    place = len(document.lines) if content_end(document, 0) else 0
    blank = [document.newline] if place and not is_blank(document, place - 1) else []
    new = spliced(document, place, place, [*blank, line])
    heading = new.section(title)
    added = Heading(place + len(blank), place + len(blank) + 1, 2)
    was = document.outline
    expected = was._replace(headings=[*was.headings, added])
    return (new, heading) if heading is not None and new.outline == expected else None


# ── where it goes ──


def _inserted(document: Document, lines: Sequence[bytes], alone: Outline, section: str) -> Document | None:
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
        separator = place + before.index(SEPARATOR + base.newline) if SEPARATOR + base.newline in before else -1
        own, rest = apart(new, first, first + len(lines), separator)
        stands = moved(base.outline, place, len(new.lines) - len(base.lines))
        if own == moved(alone, 0, first) and rest == stands and new.matter == base.matter:
            return new
    return None


def _last_item(document: Document, section: Section | None) -> Block | None:
    start, end = (section.body, section.end) if section else (0, len(document.lines))
    items = (b for b in reversed(document.outline.blocks) if b.kind == "item" and start <= b.line < end)
    return next(items, None)


def _places(
    document: Document, alone: Outline, section: Section | None
) -> Iterator[tuple[int, list[bytes], list[bytes]]]:
    """Where a new entry could go, best place first: the line, and blank lines to put before and after it."""
    blank = [document.newline]
    start, end = (section.body, section.end) if section else (document.matter.end, len(document.lines))
    if document.is_log and not alone.headings:  # not in a dated block, where it would not be an entry by itself
        end = next((s.line for s in document.sections if s.level and DATED.match(s.title)), end)
    elif not document.is_log and {block.kind for block in alone.blocks} == {"item"}:
        item = _last_item(document, section)
        if item is not None:
            yield item.end, blank if _is_loose(document, item) else [], []
            yield item.end, blank, blank
    place = content_end(document, start, end)
    before = blank if place > 0 else []
    yield place, before, blank if place < len(document.lines) and not is_blank(document, place) else []
    yield place, before, blank
    yield place, [*before, SEPARATOR + document.newline, *blank], blank


def _gap(document: Document, entries: Sequence[Sequence[bytes]], section: str) -> list[bytes]:
    """What is between new entries: nothing in a list that is written tightly, else a blank line."""
    if len(entries) == 1 or document.is_log or not all(_MARKER.match(lines[0]) for lines in entries):
        return [document.newline]
    heading = document.section(section) if section.strip() else None
    item = None if section.strip() and heading is None else _last_item(document, heading)
    return [document.newline] if item is not None and _is_loose(document, item) else []


def _is_loose(document: Document, item: Block) -> bool:
    """Whether a blank line is between this item and the one before it of the same list."""
    if not item.line or not is_blank(document, item.line - 1):
        return False
    place = document.outline.blocks.index(item)
    before = document.outline.blocks[place - 1] if place else None
    return (
        before is not None and before.kind == "item" and before.ordered == item.ordered and before.end == item.line - 1
    )


# ── keeping everything else as it was ──


def _exchanged(
    document: Document, entry: Entry, own: int, new: list[bytes], *, fits: Callable[[Outline], bool], what: str
) -> Document:
    """The document with the entry's own first lines exchanged; what would run together with it is kept apart."""
    blank, separator = document.newline, SEPARATOR + document.newline
    lines = [*new, *entry.lines[own:]]
    rest = apart(document, entry.line, entry.end)[1]
    for before, after in (
        *(([], []), ([], [blank]), ([blank], []), ([blank], [blank])),
        *(([], [separator]), ([separator], []), ([blank, separator], [blank]), ([blank], [separator, blank])),
    ):
        between = [line if line.endswith(b"\n") else line + blank for line in lines] if after else lines
        result = spliced(document, entry.line, entry.end, [*before, *between, *after])
        first = entry.line + len(before)
        place = -1
        if separator in before:
            place = entry.line + before.index(separator)
        elif separator in after:
            place = first + len(lines) + after.index(separator)
        grown = len(result.lines) - len(document.lines)
        own_shape, new_rest = apart(result, entry.line, entry.end + grown, place)
        if moved(rest, entry.end, grown) == new_rest and fits(moved(own_shape, 0, entry.line - first)):
            return result
    raise DocumentError(f"{what}: {_why(document)}")


def _with_entries_of(document: Document, new: Document, entry: Entry) -> Document:
    """The new document with the entries of the old, where all of them but one are the same.

    So many values of one document are set without reading all of it each time. An entry that gets its id written down
    may change the ids of others, and a heading is the section of its entry: after these the document is read again.
    """
    known = document.__dict__.get("entries")
    mark = marks.read(new.lines[entry.line]) if len(new.lines) == len(document.lines) and entry.line else None
    if known is None or mark is None or mark.id != entry.id or not entry.written or entry.form is Form.DATED:
        return new
    place = bisect_left(known, entry.line, key=lambda one: one.line)
    if place < len(known) and known[place] is entry:
        lines = new.lines[entry.line : entry.end]
        changed = Entry(entry.id, entry.form, entry.line, entry.section, lines, mark, entry.kind)
        new.__dict__["entries"] = (*known[:place], changed, *known[place + 1 :])
    return new


def _why(document: Document) -> str:
    """What in the text is most likely in the way, for a person to mend."""
    if closed(document):
        line = document.outline.blocks[-1].line + 1
        return f"the code, HTML or comment that begins in line {line} never ends; close it and try again"
    return "the text would be parsed differently afterwards; edit the file by hand"


# ── small pieces of lines ──


def _ending(line: bytes, document: Document) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else document.newline


def _lead(entry: Entry) -> tuple[bytes, bytes]:
    """What is before an item's words: the marker with the space after it, and the check box."""
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
