"""What is worked out of a piece of memory once, when it is indexed: its terms, its tokens, what it speaks of."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from oldsoul.language.headings import called, headings, is_note, led
from oldsoul.language.sentences import sentences
from oldsoul.ranking.chunks import said
from oldsoul.ranking.marks import Mark, marked
from oldsoul.ranking.terms import terms, told
from oldsoul.rules.diary import is_first_person, tells_of_session
from oldsoul.values.recall import MEMORY, SESSIONS, Chunk, Prepared

if TYPE_CHECKING:
    from oldsoul.ports import Tables


_MOST_TOKENS = 4096
"""What a piece means is read off its first tokens, so many at most; all of its words count."""
_BATCH = 256
_EVERGREEN, _CORRECTION, _ARCHIVED = int(Mark.EVERGREEN), int(Mark.CORRECTION), int(Mark.ARCHIVED)
_AGENT, _DERIVED, _NOTE, _BEGINS = int(Mark.AGENT), int(Mark.DERIVED), int(Mark.NOTE), int(Mark.BEGINS)
_SUPERSEDED, _FIRST = int(Mark.SUPERSEDED), int(Mark.FIRST_PERSON)
_SESSION_FILE = re.compile(r"memory/\d{4}-\d{2}-\d{2}/")


class Preparing:
    """Prepares pieces for an index. Made from the tables their tokens are counted by, and the agent's time zone."""

    def __init__(self, tables: Tables, zone: tzinfo) -> None:
        self._tables = tables
        self._zone = zone

    def prepared(self, chunks: Iterable[Chunk]) -> Iterator[Prepared]:
        """Chunks with what the index wants to know of them."""
        given = iter(chunks)
        while part := list(islice(given, _BATCH)):
            texts = [said(chunk.text) for chunk in part]
            parts = list(map(_sentences, part, texts))
            tokens = [self._tokens(table, parts) for table in range(self._tables.count)]
            yield from (self._noted(chunk, text, own) for chunk, text, *own in zip(part, texts, *tokens, strict=True))

    def _noted(self, chunk: Chunk, text: str, tokens: Sequence[tuple[bytes, bytes]]) -> Prepared:
        day = chunk.time.astimezone(self._zone).date() if chunk.time else None
        date = f"{day.day} {day:%B %Y} " if day else ""
        under = " ".join((called(chunk.path, chunk.source), *headings(chunk.title, chunk.heading)))
        own = (
            *((chunk.evergreen, _EVERGREEN), (chunk.correction, _CORRECTION)),
            *((chunk.archived, _ARCHIVED), (chunk.by_agent, _AGENT), (tells_of_talk(chunk), _DERIVED)),
            *((is_note(chunk.path, chunk.source), _NOTE), (chunk.begins, _BEGINS), (chunk.superseded, _SUPERSEDED)),
            (chunk.source != SESSIONS and bool(chunk.speaker) and is_first_person(text), _FIRST),
        )
        note = marked(text, day, own_flags=sum(mark for has, mark in own if has))
        return Prepared(
            chunk,
            (*terms(f"{date}{chunk.speaker} {under} {text}"), *told(text)),
            tuple(tokens),
            note.flags,
            note.length,
            note.event_from,
            note.event_to,
        )

    def _tokens(self, table: int, parts: Sequence[Sequence[str]]) -> list[tuple[bytes, bytes]]:
        """The tokens of texts by one table, each as its sentences, and where among them these begin."""
        every = iter(self._tables.tokens(table, [sentence for each in parts for sentence in each]))
        return [_packed([tokens for tokens in islice(every, len(each)) if tokens]) for each in parts]


def _sentences(chunk: Chunk, text: str) -> list[str]:
    """The sentences of a piece, the first led by what it stands under, so that it is found by that."""
    found = sentences(text)
    return [led(chunk, found[0]), *found[1:]] if found else found


def tells_of_talk(chunk: Chunk) -> bool:
    """Whether a piece is of a session's file, or of the diary's word on a session."""
    return chunk.source == MEMORY and (bool(_SESSION_FILE.match(chunk.path)) or tells_of_session(chunk.text))


def _packed(found: list[list[int]]) -> tuple[bytes, bytes]:
    """Tokens of sentences one after the other, and where each begins, as 32-bit numbers."""
    if len(found) == 1:
        return _numbers(found[0][:_MOST_TOKENS]), _numbers([0])
    if sum(map(len, found)) > _MOST_TOKENS:
        found = _shortened(found)
    begins = list(accumulate(map(len, found[:-1]), initial=0)) if found else []
    return _numbers([token for tokens in found for token in tokens]), _numbers(begins)


def _numbers(values: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def _shortened(found: list[list[int]]) -> list[list[int]]:
    kept, room = [], _MOST_TOKENS
    for tokens in found:
        if room:
            kept.append(tokens[:room])
            room -= len(kept[-1])
    return kept
