"""The entries of a document as a context tells them: without what was put right since, as recall does with its hits."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.context.presenting import line
from oldsoul.documents import parse
from oldsoul.judging.corrections.corrections import is_anothers
from oldsoul.judging.corrections.hiding import without_wrong
from oldsoul.ranking.chunks import document_chunks
from oldsoul.ranking.options import SearchOptions
from oldsoul.recall.marking import Looking, known_corrections, righted
from oldsoul.rules.policy import is_correction
from oldsoul.values.audience import Reach
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from datetime import date, datetime, tzinfo

    from oldsoul.judging.corrections.corrections import Correction
    from oldsoul.ranking.options import ChunkingOptions
    from oldsoul.values.audience import Audience
    from oldsoul.values.context import Piece
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Chunk


@frozen
class SessionReading:
    """How documents are read for one session."""

    chunking: ChunkingOptions
    """how they are cut"""
    zone: tzinfo
    """the agent's time zone"""
    logs: tuple[tuple[Name, bytes], ...]
    """the logs of corrections as they stand, those in the archive too"""
    owner: bool
    """whether the operator is told"""
    operators: frozenset[str]
    """who the operators are"""

    @property
    def known(self) -> list[tuple[Correction, datetime | None]]:
        """What was put right, each with when."""
        return known_corrections(self.logs, SearchOptions(chunking=self.chunking), self.zone)

    def entries(self, name: Name, data: bytes) -> tuple[tuple[str, Piece], ...]:
        """The pieces a document is cut into: each as it stands there, and as it is shown."""
        return _pieces(name, data, self)

    def summary(self, text: str, audience: Audience, day: date | None = None) -> str:
        """What is left of a line about a conversation, and of the day it was held."""
        if not self.logs or is_anothers(audience, self.operators):
            return text
        known = self.known
        apart = not self.owner and audience.reach is Reach.ROOM  # what names the right value too would tell which it is
        later = [
            replace(one, new="") if apart and one.place != str(audience) else one
            for one, when in known
            if self._counts(one, when, audience, day)
        ]
        return without_wrong(later, text)

    def _counts(self, one: Correction, when: datetime | None, audience: Audience, day: date | None) -> bool:
        """Whether a correction counts for those who see a line, as it does in recall."""
        if one.again and day is not None and day.isoformat() >= one.again:
            return False
        if self.owner or one.place == str(audience):
            return True
        if one.place or audience.reach is not Reach.ROOM:
            return not one.place
        return day is not None and when is not None and day < when.astimezone(self.zone).date()


@lru_cache(maxsize=512)
def _pieces(name: Name, data: bytes, reading: SessionReading) -> tuple[tuple[str, Piece], ...]:
    chunks = document_chunks(name, parse(data, is_log=name.is_log), reading.chunking, reading.zone)
    if is_correction(name):  # what was put right of the agent's own words is found where it is asked for: it is no law
        return tuple((chunk.text, line(chunk, reading.zone)) for chunk in chunks if chunk.correction)
    if not reading.logs:
        return tuple((chunk.text, line(chunk, reading.zone)) for chunk in chunks)
    return tuple(piece for chunk in chunks for piece in _told(chunk, reading))


@lru_cache(maxsize=1 << 13)
def _told(chunk: Chunk, reading: SessionReading) -> tuple[tuple[str, Piece], ...]:
    """One piece; most of a document is as it was when it was last read."""
    known = reading.known
    told = righted(chunk, known, Looking(reading.owner, reading.operators))
    return ((chunk.text, line(told, reading.zone)),) if told else ()
