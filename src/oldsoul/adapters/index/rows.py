"""A chunk as engines store it: its text, and the rest of it as JSON."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oldsoul.ranking.marks import Mark
from oldsoul.values.audience import Audience
from oldsoul.values.recall import Chunk

if TYPE_CHECKING:
    from collections.abc import Mapping

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def seconds(time: datetime) -> int:
    """A moment as the seconds since 1970."""
    return int((time - _EPOCH).total_seconds())


def own_flags(chunk: Chunk) -> int:
    """The flags of a chunk that its text does not say."""
    kinds = ((chunk.evergreen, Mark.EVERGREEN), (chunk.correction, Mark.CORRECTION), (chunk.archived, Mark.ARCHIVED))
    return sum(int(mark) for has, mark in kinds if has)


def facts_of(chunk: Chunk) -> str:
    """What a chunk is beside its place and text, as JSON."""
    values = {
        "audience": str(chunk.audience),
        "source": chunk.source,
        "heading": chunk.heading,
        "speaker": chunk.speaker,
        "time": chunk.time.isoformat() if chunk.time else "",
        "entry": chunk.entry,
        "tag": chunk.tag,
        "room": chunk.room,
        "person": chunk.person,
        "confidence": chunk.confidence,
        "flags": own_flags(chunk),
    }
    return json.dumps({key: value for key, value in values.items() if value not in ("", 0)}, ensure_ascii=False)


def chunk_of(path: str, lines: tuple[int, int], text: str, facts: str) -> Chunk:
    """The chunk that was stored."""
    raw: Mapping[str, Any] = json.loads(facts)
    flags = raw.get("flags", 0)
    return Chunk(
        path=path,
        start_line=lines[0],
        end_line=lines[1],
        text=text,
        audience=Audience.parse(raw["audience"]),
        source=raw["source"],
        heading=raw.get("heading", ""),
        speaker=raw.get("speaker", ""),
        time=datetime.fromisoformat(raw["time"]) if raw.get("time") else None,
        entry=raw.get("entry", ""),
        tag=raw.get("tag", ""),
        room=raw.get("room", ""),
        person=raw.get("person", ""),
        confidence=raw.get("confidence", 0.0),
        evergreen=bool(flags & Mark.EVERGREEN),
        archived=bool(flags & Mark.ARCHIVED),
        correction=bool(flags & Mark.CORRECTION),
    )


def sum_of(text: object, facts: object) -> int:
    """The checksum of a chunk; damage may have made something else of its text."""
    return checksum(text.encode(), facts.encode()) if isinstance(text, str) and isinstance(facts, str) else -1


def checksum(*parts: bytes) -> int:
    """What tells these bytes from others."""
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return value
