"""The structure of a document as edits compare it: which element is where, before and after."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, TypeVar

from oldsoul.documents.model import BOM, Document, parse
from oldsoul.documents.outline import Block, Heading, Outline, Task, outline

_NEIGHBOURS = 2


def exchanged(document: Document, start: int, end: int, new: Sequence[bytes]) -> Document:
    """The document with other lines in the place of these."""
    result = Document((*document.lines[:start], *new, *document.lines[end:]), document.is_log)
    if "outline" in document.__dict__ and start >= document.matter.end == result.matter.end:
        _carry_over(document, result, start, end, len(new) - (end - start))
    return result


def _carry_over(old: Document, new: Document, start: int, end: int, grown: int) -> None:
    """Give the new document the structure of the old one, with the window around the edit parsed again."""
    known = old.outline
    first, last = _window(old, start, end)
    before = _part(known, first, last)
    if _parsed(old, first, last) != before:
        return  # the window cannot be read by itself; the whole document will be
    after = _parsed(new, first, last + grown)
    if last < len(old.lines) and _following(before, end, grown) != _following(after, end + grown, 0):
        return
    structure = Outline(
        _spliced(known.headings, before[0], after[0], first, grown),
        _spliced(known.blocks, before[1], after[1], first, grown),
        _spliced(known.tasks, before[2], after[2], first, grown),
    )
    new.__dict__["outline"] = structure


Part = tuple[list[Heading], list[Block], list[Task]]


def _window(document: Document, start: int, end: int) -> tuple[int, int]:
    """Whole blocks around these lines: two that begin before them, two that begin after them."""
    kinds: tuple[Sequence[Heading | Block], ...] = document.headings, document.outline.blocks
    before: list[int] = []
    after: list[int] = []
    for pieces in kinds:
        place = index(pieces, start)
        before += [piece.line for piece in pieces[max(0, place - _NEIGHBOURS) : place]]
        place = index(pieces, end)
        after += [piece.line for piece in pieces[place : place + _NEIGHBOURS + 1]]
    first = sorted(before)[-_NEIGHBOURS] if len(before) >= _NEIGHBOURS else document.matter.end
    return first, sorted(after)[_NEIGHBOURS] if len(after) > _NEIGHBOURS else len(document.lines)


def index(pieces: Sequence[Heading | Block | Task], line: int) -> int:
    """The place of the first piece that does not begin before this line."""
    return bisect_left(pieces, line, key=lambda piece: piece.line)


def _part(known: Outline, first: int, last: int) -> Part:
    """What begins in these lines."""
    return (
        known.headings[index(known.headings, first) : index(known.headings, last)],
        known.blocks[index(known.blocks, first) : index(known.blocks, last)],
        known.tasks[index(known.tasks, first) : index(known.tasks, last)],
    )


def _parsed(document: Document, first: int, last: int) -> Part:
    """What begins in these lines, read by themselves."""
    lines = list(document.lines[first:last])
    if first == 0 and lines and lines[0].startswith(BOM):
        lines[0] = lines[0][len(BOM) :]
    found = outline(lines)
    return (
        [Heading(h.line + first, h.end + first, h.level) for h in found.headings],
        [Block(b.line + first, b.end + first, b.kind, b.ordered) for b in found.blocks],
        [Task(t.line + first, t.done) for t in found.tasks],
    )


def _following(part: Part, end: int, by: int) -> Part:
    """What begins after the edit, moved down."""
    return (
        [moved_piece(h, by) for h in part[0] if h.line >= end],
        [moved_piece(b, by) for b in part[1] if b.line >= end],
        [moved_piece(t, by) for t in part[2] if t.line >= end],
    )


Piece = TypeVar("Piece", Heading, Block, Task)


def moved_piece(piece: Piece, by: int) -> Piece:
    """The same, this many lines further down."""
    if by == 0:
        return piece
    if isinstance(piece, Task):
        return Task(piece.line + by, piece.done)
    return piece._replace(line=piece.line + by, end=piece.end + by)


def _spliced(whole: list[Piece], before: list[Piece], after: list[Piece], first: int, by: int) -> list[Piece]:
    """The pieces of a whole document, with those of the window exchanged and those behind it moved down."""
    place = index(whole, first)
    behind = [moved_piece(piece, by) for piece in whole[place + len(before) :]]
    return whole[:place] + after + behind


SEPARATOR = b"<!-- -->"
"""An empty comment: it keeps apart what would run together over any number of blank lines (as CommonMark advises)."""
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")
_ENDS = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<!", b">"), (b"<?", b"?>"))


NOTHING = Outline([], [], [])


def moved(shape: Outline, place: int, by: int) -> Outline:
    """The same structure after lines went in (or came out) before this place."""
    return Outline(*(_moved(pieces, place, by) for pieces in shape)) if by else shape


def _moved(pieces: list[Piece], place: int, by: int) -> list[Piece]:
    first = index(pieces, place)
    return pieces[:first] + [moved_piece(piece, by) for piece in pieces[first:]]


def apart(document: Document, start: int, end: int, separator: int = -1) -> tuple[Outline, Outline]:
    """The structure that begins inside these lines, and the rest; the line of a separator counts for neither."""
    own: list[Any] = []
    rest: list[Any] = []
    for pieces in document.outline:
        first, last = index(pieces, start), index(pieces, end)
        own.append([piece for piece in pieces[first:last] if piece.line != separator])
        rest.append(pieces[:first] + pieces[last:])
    if not start <= separator < end:
        rest[1] = [block for block in rest[1] if block.line != separator]
    return Outline(*own), Outline(*rest)


def spliced(document: Document, start: int, end: int, new: Sequence[bytes]) -> Document:
    """The document with other lines in this place; a byte order mark, and a last line without line feed, stay so."""
    old = document.lines
    bom = BOM if old and old[0].startswith(BOM) else b""
    bare = (old[0].removeprefix(bom), *old[1:]) if bom and start == 0 else old
    lines = [*bare[:start], *new, *bare[end:]]
    if old and not old[-1].endswith(b"\n") and new and end == len(old):
        if start == end:
            lines[start - 1] += document.newline
        lines[-1] = lines[-1].removesuffix(b"\n").removesuffix(b"\r")
    if bom and start == 0:
        lines = list(parse(bom + b"".join(lines)).lines)
    if lines and not lines[-1]:
        lines.pop()
    # Where a line next to the place got or lost its line feed or mark, it is part of what was exchanged.
    start -= bool(start) and lines[start - 1 : start] != [old[start - 1]]
    tail = len(old) - end
    tail -= bool(tail) and lines[-tail] != old[end]
    return exchanged(document, start, len(old) - tail, lines[start : len(lines) - tail])


def without(document: Document, spans: Sequence[tuple[int, int]]) -> Document | None:
    """The document without these lines, given in order; None where what is left would be read otherwise."""
    if not spans or spans[0][0] < max(document.matter.end, 1):
        return None  # the first line may carry a byte order mark
    gone = [0, *accumulate(end - start for start, end in spans)]
    starts = [start for start, _ in spans]
    kept = [0, *(end for _, end in spans)]
    bounds = zip(kept, [*starts, len(document.lines)], strict=True)
    new = Document(tuple(line for start, end in bounds for line in document.lines[start:end]), document.is_log)

    def left(pieces: list[Piece]) -> list[Piece]:
        passed = [(piece, bisect_right(starts, piece.line)) for piece in pieces]
        return [moved_piece(piece, -gone[place]) for piece, place in passed if piece.line >= kept[place]]

    fits = new.outline == Outline(*(left(pieces) for pieces in document.outline)) and new.matter == document.matter
    return new if fits else None


def closed(document: Document) -> Document | None:
    """The document with the code or HTML that never ends closed after its last line; None when there is no such thing."""
    last = document.outline.blocks[-1] if document.outline.blocks else None
    if last is None or last.kind not in ("CodeBlock", "HtmlBlock") or last.end < content_end(document, 0):
        return None
    first = document.lines[last.line].removeprefix(BOM)
    if last.kind == "CodeBlock":
        fence = _FENCE.match(first)
        end = fence[1] if fence else b""
    else:
        text = first.lstrip()
        end = next((end for start, end in _ENDS if text.startswith(start)), b"</pre>")
    if not end:
        return None
    place = len(document.lines)
    new = spliced(document, place, place, [end + document.newline])
    was = document.outline
    longer = [*was.blocks[:-1], last._replace(end=place + 1)]
    return new if new.outline == was._replace(blocks=longer) else None


def content_end(document: Document, start: int, end: int | None = None) -> int:
    """The line after the last that is not blank."""
    end = len(document.lines) if end is None else end
    while end > start and is_blank(document, end - 1):
        end -= 1
    return end


def is_blank(document: Document, line: int) -> bool:
    """Whether there is nothing on this line."""
    text = document.lines[line]
    return not (text if line else text.removeprefix(BOM)).strip(b" \t\r\n")
