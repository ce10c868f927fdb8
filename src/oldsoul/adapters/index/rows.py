"""A chunk as engines store it: its text, and the rest of it as JSON."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from oldsoul.ranking.marks import Mark
from oldsoul.values.audience import Audience
from oldsoul.values.recall import Chunk

if TYPE_CHECKING:
    from collections.abc import Mapping

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_EVERGREEN, _CORRECTION, _ARCHIVED = int(Mark.EVERGREEN), int(Mark.CORRECTION), int(Mark.ARCHIVED)


def seconds(time: datetime) -> int:
    """A moment as the seconds since 1970."""
    return int((time - _EPOCH).total_seconds())


def own_flags(chunk: Chunk) -> int:
    """The flags of a chunk that its text does not say."""
    return (
        (_EVERGREEN if chunk.evergreen else 0)
        | (_CORRECTION if chunk.correction else 0)
        | (_ARCHIVED if chunk.archived else 0)
    )


def facts_of(chunk: Chunk) -> str:
    """What a chunk is beside its place and text, as JSON."""
    values: dict[str, Any] = {"audience": str(chunk.audience), "source": chunk.source}
    if chunk.heading:
        values["heading"] = chunk.heading
    if chunk.speaker:
        values["speaker"] = chunk.speaker
    if chunk.time:
        values["time"] = chunk.time.isoformat()
    for key in ("entry", "tag", "room", "person", "confidence"):
        if value := getattr(chunk, key):
            values[key] = value
    if flags := own_flags(chunk):
        values["flags"] = flags
    return _encoded(values)


@lru_cache(maxsize=1024)
def audience_of(text: str) -> Audience:
    """The audience that was stored."""
    return Audience.parse(text)


def chunk_of(path: str, lines: tuple[int, int], text: str, facts: str) -> Chunk:
    """The chunk that was stored."""
    raw: Mapping[str, Any] = json.loads(facts)
    flags = raw.get("flags", 0)
    return Chunk(
        path=path,
        start_line=lines[0],
        end_line=lines[1],
        text=text,
        audience=audience_of(raw["audience"]),
        source=raw["source"],
        heading=raw.get("heading", ""),
        speaker=raw.get("speaker", ""),
        time=datetime.fromisoformat(raw["time"]) if raw.get("time") else None,
        entry=raw.get("entry", ""),
        tag=raw.get("tag", ""),
        room=raw.get("room", ""),
        person=raw.get("person", ""),
        confidence=raw.get("confidence", 0.0),
        evergreen=bool(flags & _EVERGREEN),
        archived=bool(flags & _ARCHIVED),
        correction=bool(flags & _CORRECTION),
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
