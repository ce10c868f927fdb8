"""Where a piece of a document is, in words: the headings above it, and what its file is called."""

from __future__ import annotations

import re
from functools import lru_cache

from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import cleaned
from oldsoul.lazy import pattern
from oldsoul.values.names import Kind, kind_of
from oldsoul.values.recall import EXTRA, MEMORY, Chunk

OVER = " / "
"""Is between headings, each a part of the one before."""
_WHEN = pattern(
    r"^\d{4}-\d{2}-\d{2}(?!\d)(?!\s*(?:to|till|until|[-–—])\s*\d)"
    r"(?:[ T,]+\d{1,2}:\d{2}(?::\d{2})?)?(?:\s*(?:UTC|Z|[+-]\d{2}:?\d{2})(?!\w))?[\s:,–—-]*"
    rf"(?:\(?(?:{'|'.join(word_list('words')['en']['weekdays'].split())})(?:[a-z]*day)?\W*$)?",
    re.IGNORECASE,
)
"""The day a heading begins with; the text below it belongs to that day."""
_FIELDS = pattern(r"\s*\*\*(?:Room|Users?|Datetime)(?::\*\*|\*\*:).*$", re.IGNORECASE | re.DOTALL)
"""What a block of the diary says of itself."""
_DAY = pattern(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
NOTES = frozenset({Kind.OTHER, Kind.SHARED, Kind.DAILY})
"""Documents whose names and titles say what they are about. Those of the others say what kind of document it is."""
_GAPS = pattern(r"[-_.\s]+")
_ANYWHERE = frozenset(word_list("words")["en"]["general"].split(", "))
"""What is over everything, in every folder: it says nothing of what is there."""


@lru_cache(maxsize=256)
def headings(title: str, heading: str) -> tuple[str, ...]:
    """The headings a piece is under, the outermost first, without the day that is the piece's own."""
    return tuple(filter(None, (_WHEN.sub("", each) for each in (*title.split(OVER), heading))))


@lru_cache(maxsize=256)
def place(title: str, heading: str) -> str:
    """Those of them that say what the piece is about, on one line."""
    found = (cleaned(_FIELDS.sub("", each)) for each in headings(title, heading))
    return OVER.join(each for each in found if each and each.casefold() not in _ANYWHERE)


@lru_cache(maxsize=256)
def called(path: str, source: str) -> str:
    """What a file's name says it is about, as words; nothing for a day, or a name that every folder has."""
    if not is_note(path, source):
        return ""
    stem = _DAY.sub(" ", path.rpartition("/")[2].removesuffix(".md"))
    words = " ".join(filter(None, _GAPS.split(stem)))
    return "" if words.isdigit() or words.casefold() in _ANYWHERE else words


@lru_cache(maxsize=256)
def is_note(path: str, source: str) -> bool:
    """Whether a document is one that people make as they like."""
    return source == EXTRA or (source == MEMORY and kind_of("main", path) in NOTES)


def led(chunk: Chunk, text: str) -> str:
    """A text of a piece led by what the piece is about as far as its place tells; a correction speaks for itself."""
    if chunk.correction:
        return text
    about = f"{called(chunk.path, chunk.source)} {place(chunk.title, chunk.heading)}".strip()
    return f"{about}: {text}" if about else text
