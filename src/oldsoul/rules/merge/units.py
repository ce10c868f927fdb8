"""A document cut into units, each of which is merged as a whole: headings, entries, and the pieces between them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.documents.model import folded
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oldsoul.documents import Document

Key = tuple[object, ...]
_ITEM = re.compile(rb"\s*(?:[-*+]|\d+[.)])\s")
"""How an item of a list begins."""


@frozen
class Unit:
    """A piece of a document that is merged as a whole."""

    key: Key
    """tells it from the other units of its document"""
    kind: str
    """`heading`, an entry's form, or `other`"""
    lines: tuple[bytes, ...]
    """its lines"""
    gap: tuple[bytes, ...]
    """the blank lines after it"""
    fixed: bool
    """whether its key stays when its words change: a written id"""


def units(document: Document) -> list[Unit]:
    """The document's body, cut into units: every line after the frontmatter is in exactly one of them."""
    spans: list[tuple[int, int, str, Key]] = [
        (s.line, s.body, "heading", ("heading", s.level, folded(s.title))) for s in document.sections if s.level
    ]
    covered_to = 0
    spans += [(entry.line, entry.end, str(entry.form), ("id", entry.id)) for entry in document.entries]
    fixed = {entry.line for entry in document.entries if entry.written}
    spans.sort(key=lambda span: span[0])
    inside: list[tuple[int, int, str, Key]] = []
    for span in spans:
        if span[0] >= covered_to:
            inside.append(span)
            covered_to = span[1]
    whole = _with_the_rest(document, inside)
    seen: dict[Key, int] = {}
    result = []
    ends = [*(span[0] for span in whole[1:]), len(document.lines)][: len(whole)]
    for (start, end, kind, key), following in zip(whole, ends, strict=True):
        seen[key] = seen.get(key, 0) + 1
        result.append(
            Unit((*key, seen[key]), kind, document.lines[start:end], document.lines[end:following], start in fixed)
        )
    return result


def _with_the_rest(document: Document, spans: list[tuple[int, int, str, Key]]) -> list[tuple[int, int, str, Key]]:
    """The spans, with the paragraphs and items between them as units of their own; leading blanks go first."""
    result: list[tuple[int, int, str, Key]] = []
    place = document.matter.end
    for start, end, kind, key in [*spans, (len(document.lines), len(document.lines), "", ())]:
        run = place
        while run < start:
            if not document.lines[run].strip():
                run += 1
                continue
            stop = run + 1
            while stop < start and document.lines[stop].strip() and not _ITEM.match(document.lines[stop]):
                stop += 1
            result.append((run, stop, "other", ("text", plain(document.lines[run:stop]))))
            run = stop
        if kind:
            result.append((start, end, kind, key))
        place = end
    first = result[0][0] if result else len(document.lines)
    if first > document.matter.end:
        result.insert(0, (document.matter.end, document.matter.end, "other", ("start",)))
    return result


def plain(lines: Iterable[bytes]) -> bytes:
    """Lines as they are compared: without what stands around them."""
    return b"\n".join(line.strip() for line in lines)
