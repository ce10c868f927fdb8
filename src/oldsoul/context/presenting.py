"""How remembered things look in a prompt: when and by whom each was said, in one entry of a list."""

from __future__ import annotations

import re
from datetime import UTC
from itertools import pairwise
from typing import TYPE_CHECKING

from oldsoul.documents.model import stripped
from oldsoul.language.headings import place
from oldsoul.language.sentences import name_of
from oldsoul.rules.audience import audience_of, seen_by
from oldsoul.values.context import Piece
from oldsoul.values.recall import MEM0, SESSIONS

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
    "recall": "\n## Remembered for this message\nNewest first; ▸ marks what fits it best.",
    "people": "\n## People",
    "long_term": "\n## Long-term memory",
    "external": "\n## From other programs",
}
STANDING = "Said once, and perhaps meant for this too:"
UNKNOWN = "- Memory holds nothing about this: say that you do not know, or ask; do not guess."
SECOND_HAND = (
    "- Memory itself holds nothing about this. What Mem0 found may be about something else: use it only where it fits, "
    "else say that you do not know."
)
DISAGREE = "- Some of these contradict each other, and nobody has settled it: say so instead of choosing one."


def line(
    chunk: Chunk, zone: tzinfo, *, here: str = "", score: float = 0.0, marked: bool = False, note: str = ""
) -> Piece:
    """A remembered thing as an entry of a list; where it was said is told unless it is `here`."""
    is_message = chunk.source in (SESSIONS, MEM0)
    where = f" in {chunk.room}" if chunk.room and chunk.room != here and is_message else ""
    who = one_line(f"{chunk.speaker}{where}") if chunk.speaker else ""
    said = ", ".join(filter(None, (_when(chunk.time, zone, exact=is_message), who)))
    words = item(without_date(chunk.text))
    note = note or ("earlier" if chunk.superseded else "")
    under = "" if who or chunk.correction else name_of(place(chunk.title, chunk.heading))
    text = f"- {MARK if marked else ''}{f'{said}: ' if said else ''}{f'[{under}] ' if under else ''}{words}{f' ({note})' if note else ''}"
    return Piece(
        text=text,
        document=chunk.path,
        audience=chunk.audience,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        entry=chunk.entry,
        score=score,
        time=chunk.time,
        earlier=chunk.superseded,
    )


def item(text: str) -> str:
    """A text as what stands in one entry of a list: nothing in it begins a line of its own, whatever breaks lines."""
    return "\n  ".join(filter(None, (part.strip() for part in text.splitlines())))


def without_date(text: str) -> str:
    """An entry's words without the day it was added."""
    return _ADDED.sub("", text)


def one_line(text: str) -> str:
    """A name or title on one line."""
    return " ".join(text.split())


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
                    audience=seen_by(name, entry) if entry else audience_of(name),
                    start_line=start + 1,
                    end_line=start + len(text.split("\n")),
                    entry=entry.id if entry else "",
                )
            )
    return found
