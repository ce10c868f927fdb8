"""How large documents may grow, what moves to the archive before that, and how much a keeper may drop."""

from __future__ import annotations

import re

from oldsoul.values.names import Kind, Name

_PART = re.compile(r"[^\W\d_]+|\d|\s+|[^\w\s]|_")
_RANDOM = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\w{21}")
"""What no vocabulary has: keys, hashes."""
_LATIN, _STRANGE, _ALPHABET = 3.2, 1.15, 1.05
"""Letters that a token has at least, on average: of Latin words, of random letters, of other alphabets."""
_IDEOGRAPHS = "\u2e80"


def estimated(text: str) -> int:
    """About how many tokens a text has, for vocabularies nobody has at hand."""
    total = 0.0
    for match in _PART.finditer(text):
        part = match[0]
        if part.isspace():
            total += part.count("\n") + (len(part) - 1) / 4
        elif part.isascii():
            total += max(1.0, len(part) / (_STRANGE if _RANDOM.search(part) else _LATIN))
        else:
            total += sum(map(_wide, part))
    return int(total + 0.999)


def _wide(char: str) -> float:
    if char.isascii():
        return 0.5
    if "\uac00" <= char <= "\ud7af":
        return 2.4
    if char >= _IDEOGRAPHS:
        return 1.5 if char <= "\uffff" else 4.0
    return 1 / _ALPHABET if char.isalpha() else 2.0


MAX_FILE_SIZE = 16 * 1024
MAX_LOG_SIZE = 1024 * 1024
MAX_SKILL_SIZE = 256_000
WARN_SHARE = 0.8
_MAX_DROPPED_SHARE = 0.25
_ALWAYS_MAY_DROP = 3

_LONG = frozenset(
    {
        *(Kind.DAILY, Kind.SESSION, Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG),
        *(Kind.ARCHIVE, Kind.SOUL_HISTORY, Kind.OTHER),
    },
)
PARTED = frozenset({Kind.DAILY, Kind.SESSION})
"""Documents that go on in a next part when they are full."""


def limit_of(name: Name, max_file_size: int = MAX_FILE_SIZE) -> int:
    """How many bytes this document may have."""
    if name.kind in _LONG:
        return MAX_LOG_SIZE
    return MAX_SKILL_SIZE if name.kind is Kind.SKILL else max_file_size


def is_near(size: int, limit: int) -> bool:
    """Whether a document has come near its limit."""
    return size > limit * WARN_SHARE


def drops_too_much(before: int, dropped: int) -> bool:
    """Whether a keeper's change loses more of a document's entries than it may: over a quarter, and four or more."""
    return dropped > _ALWAYS_MAY_DROP and dropped > before * _MAX_DROPPED_SHARE
