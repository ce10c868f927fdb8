"""How remembered things look in a prompt: when and by whom each was said, in one entry of a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo
from itertools import pairwise
from typing import TYPE_CHECKING

from oldsoul.documents.model import stripped
from oldsoul.language.headings import place
from oldsoul.language.sentences import name_of
from oldsoul.rules.audience import audience_of, seen_by
from oldsoul.values.audience import Audience, View
from oldsoul.values.context import ContextPiece
from oldsoul.values.frozen import frozen
from oldsoul.values.names import Name
from oldsoul.values.recall import MEM0, SESSIONS, Chunk

if TYPE_CHECKING:
    from oldsoul.documents import Document


_ADDED = re.compile(r" ?\(added \d{4}-\d{2}-\d{2}\)")
HEADINGS = {
    "recent": "\n## Recent days",
    "recall": "\n## Remembered for this message",
    "people": "\n## People",
    "long_term": "\n## Long-term memory",
    "external": "\n## From other programs",
}
CORRECTIONS = "\n## Corrections\nThese hold, whatever else says otherwise."
STANDING = "\n## Standing instructions\nWhat the operator asked for:"
UNKNOWN = "- Memory holds nothing about this: say that you do not know, or ask; do not guess."
DOUBTFUL = "- Perhaps none of this answers what is asked: then say that you do not know, or ask; do not guess."
SECOND_HAND = (
    "- Memory itself holds nothing about this. What Mem0 found may be about something else: use it only where it fits, "
    "else say that you do not know."
)
DISAGREE = "- Some of these contradict each other, and nobody has settled it: say so instead of choosing one."


def line(chunk: Chunk, zone: tzinfo, *, here: str = "", score: float = 0.0, note: str = "") -> ContextPiece:
    """A remembered thing as an entry of a list; names where it was said unless that is `here`."""
    is_message = chunk.source in (SESSIONS, MEM0)
    where = f" in {chunk.room}" if chunk.room and chunk.room != here and is_message else ""
    who = one_line(f"{chunk.speaker}{where}") if chunk.speaker else ""
    said = ", ".join(filter(None, (_when(chunk.time, zone, exact=is_message), who)))
    words = item(without_date(chunk.text))
    note = note or ("earlier" if chunk.superseded else "")
    under = "" if who or chunk.correction else name_of(place(chunk.title, chunk.heading))
    text = f"- {f'{said}: ' if said else ''}{f'[{under}] ' if under else ''}{words}{f' ({note})' if note else ''}"
    return ContextPiece(
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
    """A text as part of one entry of a list: nothing in it begins its own line, whatever breaks lines."""
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


def blocks(name: Name, document: Document) -> list[ContextPiece]:
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
                ContextPiece(
                    text=text,
                    document=name.path,
                    audience=seen_by(name, entry) if entry else audience_of(name),
                    start_line=start + 1,
                    end_line=start + len(text.split("\n")),
                    entry=entry.id if entry else "",
                )
            )
    return found


LONG_TERM = "[Memory:LongTerm:Summary]"
SHORT_TERM = "[Memory:ShortTerm:Recent]"
_LINK = re.compile(r"\[([^\[\]]*)\]\((?![a-z][a-z0-9+.-]*://)[^()\s]*(?:\s+\"[^\"]*\")?\)", re.IGNORECASE)
_PRIVATE = "_longterms/"
_HEADER = re.compile(r"\[(?=Memory:(?:LongTerm|ShortTerm):)", re.IGNORECASE)


_NONE = "0/0"
"""No tasks, or no follow-ups: nothing to tell."""


@frozen
class KnownEntry:
    """An entry of a person's long-term memory."""

    entry: str
    """its id"""
    text: str
    """its words"""
    audience: Audience
    """who may see it"""


@frozen
class PastSession:
    """What a session left behind on one day."""

    day: date
    """the day"""
    path: str
    """its file, relative to the memory folder"""
    summary: str
    """what it says of itself"""
    tasks: str
    """how many of its tasks are done, such as `1/3`"""
    follow_ups: str
    """the same for what is to be come back to"""
    audience: Audience
    """who may see it"""
    current: bool = False
    """whether it is today's file of the very session that is going on"""


@frozen
class PresentationBlock:
    """The block, and what it was made from."""

    text: str
    """the lines, ready to be put into a prompt; empty when there is nothing to say"""
    entries: tuple[str, ...]
    """ids of the long-term entries in it"""
    paths: tuple[str, ...]
    """files of the sessions in it"""


def injection(
    known: Sequence[KnownEntry], past: Sequence[PastSession], view: View, max_items: int
) -> PresentationBlock:
    """The block for a session that sees this much: long-term lines first, then sessions, the latest first.

    No more lines than `max_items`; today's file of the session itself is always among them.
    """
    sessions = sorted(
        (p for p in past if view.sees(p.audience)), key=lambda p: (p.current, p.day, p.path), reverse=True
    )
    kept = [p for p in sessions if p.current][:max_items]
    lines = [k for k in known if view.sees(k.audience)][: max_items - len(kept)]
    kept += [p for p in sessions if not p.current][: max_items - len(kept) - len(lines)]
    parts = []
    if lines:
        parts.append("\n".join([LONG_TERM, *(f"- {_without_paths(k.text)}" for k in lines)]))
    if kept:
        parts.append("\n".join([SHORT_TERM, *(_session_line(p) for p in kept)]))
    return PresentationBlock("\n\n".join(parts), tuple(k.entry for k in lines), tuple(p.path for p in kept))


def _session_line(past: PastSession) -> str:
    tasks, follow_ups = _count(past.tasks), _count(past.follow_ups)
    progress = f" [progress: tasks {tasks}, follow_ups {follow_ups}]" if {tasks, follow_ups} != {_NONE} else ""
    return f"- {past.day.isoformat()}: {_one_line(past.summary)} ({past.path}){progress}"


def _count(text: str) -> str:
    return text if re.fullmatch(r"\d{1,6}/\d{1,6}", text) else _NONE


def _without_paths(text: str) -> str:
    """The words without places of memory files: those would show whose memory it is."""
    words = _LINK.sub(r"\1", _one_line(text)).split(" ")
    return " ".join(word for word in words if _PRIVATE not in word)


def _one_line(text: str) -> str:
    """The text on one line, in which nothing looks like a block of ours."""
    return _HEADER.sub("(", " ".join(text.split()))
