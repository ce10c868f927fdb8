"""Documents and messages cut into the pieces that are found: an entry, a turn of talk, some paragraphs of prose."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from oldsoul.documents.model import folded
from oldsoul.language.sentences import whole
from oldsoul.ranking.chunks.cutting import Cutting
from oldsoul.ranking.chunks.moments import day_in
from oldsoul.values.audience import OWNER, Reach
from oldsoul.values.ids import segment
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.values.recall import EXTRA, SESSIONS, Chunk
from oldsoul.values.sessions import SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from oldsoul.documents import Document
    from oldsoul.ranking.options import ChunkingOptions
    from oldsoul.values.messages import Message


PIECES = 14
"""Goes up when documents are cut otherwise or pieces say more: an index of other pieces is then made anew."""
_ADDED = re.compile(r" ?\(added \d{4}-\d{2}-\d{2}\)(?: #\w+)*$")


def says_just(chunk: Chunk, wrong: str) -> bool:
    """Whether a piece says some words and nothing else, before the operator or a room; what one person said stays."""
    return chunk.audience.reach is not Reach.PERSON and bare_words(chunk.text) == bare_words(wrong)


def bare_words(text: str) -> str:
    """A text as it is compared with another: without how an entry ends, bold, quotes and the last full stop."""
    return folded(said(text.strip()).replace("**", "")).strip("\"'“”„‘’ .")


def document_chunks(name: Name, document: Document, options: ChunkingOptions, zone: tzinfo) -> Iterator[Chunk]:
    """The pieces of one document, in order, each made when it is asked for."""
    return Cutting(name, document, options, zone).chunks()


def said(text: str) -> str:
    """A text without how an entry ends: the day is its time, the tag a field of its own, and neither is what it says."""
    return _ADDED.sub("", text) if "(added " in text else text


def extra_chunks(
    path: str, workspace: str, document: Document, options: ChunkingOptions, zone: tzinfo
) -> Iterator[Chunk]:
    """The pieces of a Markdown file outside the workspace: the operator's alone, and nothing there can claim more.

    A mark in it is just text: it names no entry of ours, corrects nothing and widens nothing.
    """
    cutting = Cutting(Name(workspace, "extra.md"), document, options, zone)
    cutting.day = day_in(path.rpartition("/")[2])
    cutting.base = replace(cutting.base, path=path, source=EXTRA, evergreen=cutting.day is None)
    pieces = cutting.chunks()
    return (replace(each, audience=OWNER, entry="", correction=False, confidence=1.0) for each in pieces)


def message_chunk(message: Message) -> Chunk:
    """One message as a piece of memory."""
    return Chunk(
        path=f"chat/{segment(message.session.id)}",
        start_line=message.id,
        end_line=message.id,
        text=whole(message.text),
        audience=message.audience,
        source=SESSIONS,
        speaker=message.sender,
        time=message.time,
        entry=f"m:{message.id}",
        room=message.session.room,
        person=message.subject.id if message.subject else "",
        by_agent=message.role != "user",
        to_agent=_tells_agent(message),
    )


def _tells_agent(message: Message) -> bool:
    """Whether the operator says it to the agent alone, or a guest in a direct message of their own."""
    if message.session.kind != SessionKind.DM or message.role != "user":
        return False
    own = message.audience.reach is Reach.PERSON and message.subject == message.session.subject
    return own or message.origin is Origin.OPERATOR
