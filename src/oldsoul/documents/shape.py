"""The structure of a document as edits compare it: what stands where, before and after."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from oldsoul.documents.model import BOM, Document, parse
from oldsoul.documents.outline import Outline
from oldsoul.documents.windows import Piece, exchanged, index, moved_piece

if TYPE_CHECKING:
    from collections.abc import Sequence

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
