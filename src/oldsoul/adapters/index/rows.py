"""A chunk as engines store it: its text, and the rest of it as JSON."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from oldsoul.ranking.marks import Mark
from oldsoul.values.audience import Audience
from oldsoul.values.recall import Chunk

ENTRY = """substr(facts, instr(facts, '"entry": "') + 10, 12)"""
"""The beginning of a row's entry, as it is in its facts with what follows: an id takes ten letters and a quote.

It is not read as JSON, which SQLite understands less of than Python writes (a number that is none).
"""

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE files (            -- what is indexed, and in which version
        path TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        rows INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,     -- its row
        document INTEGER NOT NULL,
        start_line INTEGER NOT NULL,
        end_line INTEGER NOT NULL,
        hash INTEGER NOT NULL,      -- checksum of the text and the facts
        text TEXT NOT NULL,
        facts TEXT NOT NULL         -- the rest of the chunk, as JSON
    );
    CREATE INDEX chunks_of_document ON chunks (document);
    CREATE TABLE terms (number INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL);
    CREATE INDEX terms_by_prefix ON terms (prefix);
    CREATE TABLE codes (
        kind TEXT NOT NULL, code INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, code)
    ) WITHOUT ROWID;
    CREATE TABLE dead (place INTEGER PRIMARY KEY, id INTEGER NOT NULL);
    CREATE TABLE superseded (id INTEGER PRIMARY KEY);
    """,
    # Without row numbers, looking for a key reads every long value on the way to it: the counts of all tokens.
    """
    CREATE TABLE noted (key TEXT PRIMARY KEY, value);
    INSERT INTO noted SELECT key, value FROM meta;
    DROP TABLE meta;
    ALTER TABLE noted RENAME TO meta;
    """,
    f"CREATE INDEX chunks_by_entry ON chunks ({ENTRY});",  # what corrections name is looked for with every change
)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_decoded = json.JSONDecoder().raw_decode
_EVERGREEN, _CORRECTION, _ARCHIVED = int(Mark.EVERGREEN), int(Mark.CORRECTION), int(Mark.ARCHIVED)
_AGENT, _BEGINS, _SUPERSEDED = int(Mark.AGENT), int(Mark.BEGINS), int(Mark.SUPERSEDED)


def seconds(time: datetime) -> int:
    """A moment as the seconds since 1970."""
    return int((time - _EPOCH).total_seconds())


def own_flags(chunk: Chunk) -> int:
    """The flags of a chunk that its text does not say."""
    return (
        (_EVERGREEN if chunk.evergreen else 0)
        | (_CORRECTION if chunk.correction else 0)
        | (_ARCHIVED if chunk.archived else 0)
        | (_AGENT if chunk.by_agent else 0)
        | (_BEGINS if chunk.begins else 0)
        | (_SUPERSEDED if chunk.superseded else 0)
    )


def facts_of(chunk: Chunk) -> str:
    """What a chunk has besides its place and text, as JSON."""
    # Put together piece by piece: the encoder takes three times as long for a dictionary.
    facts = f'{{"audience": {_encoded(str(chunk.audience))}, "source": {_encoded(chunk.source)}'
    if chunk.heading:
        facts += f', "heading": {_encoded(chunk.heading)}'
    if chunk.title:
        facts += f', "title": {_encoded(chunk.title)}'
    if chunk.speaker:
        facts += f', "speaker": {_encoded(chunk.speaker)}'
    if chunk.time:
        facts += f', "time": "{chunk.time.isoformat()}"'
    if chunk.entry:
        facts += f', "entry": {_encoded(chunk.entry)}'
    if chunk.tag:
        facts += f', "tag": {_encoded(chunk.tag)}'
    if chunk.room:
        facts += f', "room": {_encoded(chunk.room)}'
    if chunk.person:
        facts += f', "person": {_encoded(chunk.person)}'
    if chunk.confidence:
        facts += f', "confidence": {_number(chunk.confidence)}'
    flags = own_flags(chunk)
    return f'{facts}, "flags": {flags}}}' if flags else f"{facts}}}"


@lru_cache(maxsize=256, typed=True)
def _number(value: float) -> str:
    return _encoded(value)


@lru_cache(maxsize=1024)
def audience_of(text: str) -> Audience:
    """The audience that was stored."""
    return Audience.parse(text)


@lru_cache(maxsize=1 << 13)
def _time_of(text: str) -> datetime:
    return datetime.fromisoformat(text)


def chunk_of(path: str, lines: tuple[int, int], text: str, facts: str) -> Chunk:
    """The chunk that was stored."""
    raw: dict[str, Any] = _decoded(facts)[0]
    flags = raw.pop("flags", 0)
    raw.pop("to_agent", None)  # which indexes made before have
    raw["audience"] = audience_of(raw["audience"])
    raw["time"] = _time_of(raw["time"]) if raw.get("time") else None
    raw.setdefault("confidence", 0.0)
    return Chunk(
        path,
        *lines,
        text,
        **raw,
        evergreen=bool(flags & _EVERGREEN),
        archived=bool(flags & _ARCHIVED),
        correction=bool(flags & _CORRECTION),
        by_agent=bool(flags & _AGENT),
        begins=bool(flags & _BEGINS),
        superseded=bool(flags & _SUPERSEDED),
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
