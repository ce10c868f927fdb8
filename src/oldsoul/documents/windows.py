"""Lines exchanged in a document, and its structure brought up to date by looking at the neighbourhood alone.

At the start of a top-level block the parser knows nothing of what came before. So the structure of a window that
begins and ends with whole blocks is the same in the document and by itself, and after an edit only the window has to
be parsed again: when the blocks that follow the edit stand in it as they stood, everything after them does too. That
makes an entry added to a long file cost no more than one added to a short one.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, TypeVar

from oldsoul.documents.model import BOM, Document
from oldsoul.documents.outline import Block, Heading, Outline, Task, outline

if TYPE_CHECKING:
    from collections.abc import Sequence

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
