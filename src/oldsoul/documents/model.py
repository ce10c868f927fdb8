"""A Markdown document as its lines, with views of what they hold. Lossless: the lines are the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oldsoul.documents import frontmatter, marks
from oldsoul.documents.cached import once
from oldsoul.documents.entries import Entry, Form, Ids, visible, words
from oldsoul.documents.outline import Block, Heading, Outline, Task, outline
from oldsoul.errors import NotFound

BOM = b"\xef\xbb\xbf"

DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
"""How the heading of a log's entry begins."""
_CLOSING = re.compile(r"(?:^|[ \t])#+\Z")
_ESCAPED = re.compile(r"\\(#+)\Z")
_UNDERLINE = re.compile(r"\s[=-]+\Z")
_HEAD = 8192
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1b") + b"\x7f"
_MOST_CONTROLS = 0.02
_MOST_LINES = 200_000
"""A list of more would fill the memory of a small machine while it is indexed."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is directly under it."""

    title: str
    """the heading's words; empty for what is before the first heading"""
    level: int
    """1 to 6; 0 for what is before the first heading"""
    line: int
    """the heading's first line"""
    body: int
    """the line after the heading"""
    end: int
    """the line where the next heading, of any level, begins"""


@dataclass(frozen=True)
class Document:
    """One Markdown file. Two documents with the same lines are equal."""

    lines: tuple[bytes, ...]
    """every byte, line by line, each line with its line feed"""
    is_log: bool = False
    """whether dated `##` blocks are its entries"""

    @once
    def matter(self) -> frontmatter.Frontmatter:
        """The frontmatter, with what is wrong with it."""
        return frontmatter.read(self.lines)

    @once
    def outline(self) -> Outline:
        """Headings, blocks and tasks, by line."""
        head = self.matter.end
        lines = list(self.lines)
        if head:
            lines[:head] = [b"\n"] * head
        elif lines and lines[0].startswith(BOM):
            lines[0] = lines[0][len(BOM) :]
        return outline(lines)

    @property
    def headings(self) -> list[Heading]:
        """Top-level headings, in order."""
        return self.outline.headings

    @property
    def tasks(self) -> list[Task]:
        """Check boxes at any depth, in order."""
        return self.outline.tasks

    @once
    def newline(self) -> bytes:
        """The line ending new lines get: the one the document begins with."""
        return b"\r\n" if self.lines and self.lines[0].endswith(b"\r\n") else b"\n"

    @once
    def sections(self) -> tuple[Section, ...]:
        """What is before the first heading, then a section for each heading."""
        found = self.headings
        ends = [*(h.line for h in found[1:]), len(self.lines)][: len(found)]
        start = self.matter.end
        preamble = Section("", 0, start, start, found[0].line if found else len(self.lines))
        return (
            preamble,
            *(Section(self._heading(h), h.level, h.line, h.end, end) for h, end in zip(found, ends, strict=True)),
        )

    def section(self, title: str) -> Section | None:
        """The first section with this title, whatever its case and spacing."""
        wanted = folded(title)
        return next((s for s in self.sections if s.level and folded(s.title) == wanted), None)

    @once
    def entries(self) -> tuple[Entry, ...]:
        """Every memory in the document, in order."""
        return tuple(self.each_entry())

    def each_entry(self) -> Iterator[Entry]:
        """The same one after the other, for whoever goes through a long document and keeps none of them."""
        kinds = ((block.line, block.kind) for block, _ in self.units())
        found = [None if kind in _WITHOUT_MARKS else marks.read(self.lines[line]) for line, kind in kinds]
        ids = Ids({mark.id for mark in found if mark})
        boxes = {task.line for task in self.tasks}
        for (block, section), mark in zip(self.units(), found, strict=True):
            line, end, kind, ordered = block
            form = _FORMS.get((kind, ordered), Form.PROSE)
            lines = self.lines[line:end]
            if line == 0 and lines[0].startswith(BOM):
                lines = (lines[0].removeprefix(BOM), *lines[1:])
                mark = marks.read(lines[0]) if mark else None  # noqa: PLW2901 - it is elsewhere in the shorter line
            if kind == "item" and line in boxes:
                kind = "task"
            identity = ids.given(mark) or ids.derived(words(lines[0], mark, kind), lines[1:])
            yield Entry(identity, form, line, section, lines, mark, kind)

    @once
    def by_id(self) -> dict[str, Entry]:
        """The entries by their ids, of which no two are the same."""
        return {entry.id: entry for entry in self.entries}

    def find(self, entry_id: str) -> Entry:
        """The entry with this id; `NotFound` when there is none."""
        entry = self.by_id.get(entry_id)
        if entry is None:
            raise NotFound(f"there is no entry {entry_id} in this file")
        return entry

    def count_tasks(self, title: str) -> tuple[int, int]:
        """How many tasks of a section are done, and how many there are."""
        section = self.section(title)
        if section is None:
            return 0, 0
        boxes = [task.done for task in self.tasks if section.body <= task.line < self._whole_end(section)]
        return sum(boxes), len(boxes)

    def _whole_end(self, section: Section) -> int:
        """Where the section ends with its subsections."""
        return next(
            (s.line for s in self.sections if s.line > section.line and s.level <= section.level), len(self.lines)
        )

    def _heading(self, heading: Heading) -> str:
        raw = (
            self.lines[heading.line]
            if heading.end == heading.line + 1
            else b"".join(self.lines[heading.line : heading.end])
        )
        text = marks.without_comments(raw.removeprefix(BOM).decode("utf-8", "replace")).strip()
        if text.startswith("#"):
            text = text.lstrip("#")
            if text.endswith("#"):
                text = _ESCAPED.sub(r"\1", _CLOSING.sub("", text))
        else:
            text = _UNDERLINE.sub("", text)
        return " ".join(text.split())

    def units(self) -> Iterator[tuple[Block, str]]:
        """The blocks that are entries, each with the title of its section, in order."""
        blocks = iter(self.outline.blocks)
        block = next(blocks, None)
        sections = self.sections
        index = 0
        while index < len(sections):
            section = sections[index]
            end = section.end
            if self.is_log and section.level == 2 and DATED.match(section.title):  # noqa: PLR2004 - dated blocks are `##`
                index += 1
                while index < len(sections) and sections[index].level > section.level:
                    index += 1
                end = sections[index].line if index < len(sections) else len(self.lines)
                yield Block(section.line, self._last(section.line, end), "dated", False), section.title  # noqa: FBT003 - a tuple's field
                while block is not None and block.line < end:
                    block = next(blocks, None)
                continue
            while block is not None and block.line < end:
                if block.kind != "Rule" and not self._is_comment(block):
                    yield block, section.title
                block = next(blocks, None)
            index += 1

    def _last(self, line: int, end: int) -> int:
        while end > line + 1 and not self.lines[end - 1].strip(b" \t\r\n"):
            end -= 1
        return end

    def _is_comment(self, block: Block) -> bool:
        """Whether there is nothing to see in it."""
        return (
            block.kind == "HtmlBlock"
            and self.lines[block.line].lstrip().startswith(b"<!--")
            and not any(visible(self.lines[block.line : block.end]))
        )


_FORMS = {("item", False): Form.ITEM, ("item", True): Form.NUMBERED, ("dated", False): Form.DATED}
_WITHOUT_MARKS = frozenset({"CodeBlock", "HtmlBlock"})


def parse(data: bytes, *, is_log: bool = False) -> Document:
    """The document these bytes are. Never fails: what cannot be understood is kept as it is."""
    pieces = data.split(b"\n")
    last = pieces.pop()
    lines = [piece + b"\n" for piece in pieces]
    if last:
        lines.append(last)
    return Document(tuple(lines), is_log)


def unsearchable(data: bytes) -> str:
    """Why a file is not searched; empty for one that is.

    Text, in whatever encoding has no zeros, has hardly any control characters at its beginning.
    """
    head = data[:_HEAD]
    if len(head) - len(head.translate(None, _CONTROLS)) > len(head) * _MOST_CONTROLS:
        return "is not text"
    lines = data.count(b"\n") if len(data) > _MOST_LINES else 0
    return f"has {lines:,} lines, more than {_MOST_LINES:,}" if lines > _MOST_LINES else ""


def render(document: Document) -> bytes:
    """The document's bytes."""
    return b"".join(document.lines)


def folded(text: str) -> str:
    """The text as titles are compared: case and spacing do not matter."""
    return " ".join(text.split()).casefold()


def stripped(document: Document) -> list[str]:
    """The lines as prompts and the index see them: comments gone, line numbers unchanged."""
    result = [line.decode("utf-8", "replace").rstrip("\r\n") for line in document.lines]
    spans = [(b.line, b.end) for b in document.outline.blocks if b.kind != "CodeBlock"]
    for start, end in [*spans, *((h.line, h.end) for h in document.headings)]:
        if any("<!--" in line for line in result[start:end]):
            result[start:end] = visible(document.lines[start:end])
    result[:1] = [line.removeprefix("\ufeff") for line in result[:1]]
    return result
