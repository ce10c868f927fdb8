"""How remembered things look in a prompt: when and by whom each was said, in one entry of a list."""

from __future__ import annotations

import re
from datetime import UTC
from itertools import pairwise
from typing import TYPE_CHECKING

from oldsoul.documents.model import stripped
from oldsoul.rules.audience import entry_audience
from oldsoul.values.context import Piece
from oldsoul.values.recall import SESSIONS

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from oldsoul.documents import Document
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Chunk

_ADDED = re.compile(r" ?\(added \d{4}-\d{2}-\d{2}\)")
MARK = "▸ "
"""Stands before what fits the message best."""
HEADINGS = {
    "corrections": "\n## Corrections and standing instructions\nThese hold, whatever else says otherwise.",
    "recent": "\n## Recent days",
    "recall": "\n## Remembered for this message\nOldest first; ▸ marks what fits it best.",
    "people": "\n## People",
    "long_term": "\n## Long-term memory",
    "external": "\n## From other programs",
}
UNKNOWN = "- Memory holds nothing about this: say that you do not know, or ask; do not guess."
DISAGREE = "- Some of these contradict each other, and nobody has settled it: say so instead of choosing one."


def line(
    chunk: Chunk, zone: tzinfo, *, here: str = "", score: float = 0.0, marked: bool = False, note: str = ""
) -> Piece:
    """A remembered thing as an entry of a list; where it was said is told unless it is `here`."""
    where = f" in {chunk.room}" if chunk.room and chunk.room != here and chunk.source == SESSIONS else ""
    who = f"{chunk.speaker}{where}" if chunk.speaker else ""
    said = ", ".join(filter(None, (_when(chunk.time, zone, exact=chunk.source == SESSIONS), who)))
    words = "\n  ".join(filter(None, (part.rstrip() for part in _ADDED.sub("", chunk.text).split("\n"))))
    text = f"- {MARK if marked else ''}{f'{said}: ' if said else ''}{words}{f' ({note})' if note else ''}"
    return Piece(
        text=text,
        document=chunk.path,
        audience=chunk.audience,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        entry=chunk.entry,
        score=score,
        time=chunk.time,
    )


def _when(time: datetime | None, zone: tzinfo, *, exact: bool) -> str:
    if time is None:
        return ""
    local = time.astimezone(zone or UTC)
    return f"{local:%Y-%m-%d %H:%M}" if exact else f"{local:%Y-%m-%d}"


def blocks(name: Name, document: Document) -> list[Piece]:
    """A file as the blocks it is made of, in order: headings, paragraphs, entries of lists."""
    lines = stripped(document)
    marks = {entry.line: entry for entry in document.entries}
    starts = sorted({*marks, *(h.line for h in document.headings), *(b.line for b in document.outline.blocks)})
    found = []
    for start, end in pairwise([*starts, len(lines)]):
        text = "\n".join(lines[start:end]).strip("\n").rstrip()
        if text.strip():
            entry = marks.get(start)
            found.append(
                Piece(
                    text=text,
                    document=name.path,
                    audience=entry_audience(name, entry.fields.get("aud", "") if entry else ""),
                    start_line=start + 1,
                    end_line=start + len(text.split("\n")),
                    entry=entry.id if entry else "",
                )
            )
    return found
