"""Ids of people, rooms, sessions and agents, and the path segments they become."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from oldsoul.errors import BadName

MAX_ID_BYTES = 1024
MAX_SEGMENT_BYTES = 120
HASH_DIGITS = 32
_PREFIX_BYTES = MAX_SEGMENT_BYTES - HASH_DIGITS - 2
_LONGEST_PIECE = 12

# Default-ignorable letters: invisible, and some file systems drop them when they compare names.
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
# Names that some systems keep for devices, whatever the file's ending.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))],
)
_PIECE = re.compile(r"~[0-9a-f]{2}|[^~]")


def _one(what: str) -> str:
    return f"an {what}" if what.startswith(("a", "e", "i", "o", "u")) else f"a {what}"


def checked_id(raw: str, what: str) -> str:
    """The id in its one form (NFC); `BadName` when it cannot be an id.

    Letters and marks are composed. A character that stands for another (the Kelvin sign for K) is refused: taken for
    it, one id would count as another's.
    """
    text = unicodedata.normalize("NFC", raw)
    if text != raw and (odd := next((c for c in raw if unicodedata.normalize("NFC", c) != c), "")):
        other = unicodedata.normalize("NFC", odd)
        raise BadName(
            f"{raw!r} cannot be the id of {_one(what)}: U+{ord(odd):04X} ({unicodedata.name(odd, 'no name')})"
            f" is a variant of {other!r}; write {other!r} instead"
        )
    if not text or text != text.strip():
        raise BadName(f"{raw!r} cannot be the id of {_one(what)}: it is empty or has spaces around it")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text):
        raise BadName(f"{raw!r} cannot be the id of {_one(what)}: it contains control characters")
    if text.startswith("~~"):
        raise BadName(f"{raw!r} cannot be the id of {_one(what)}: '~~' at the start is reserved")
    if len(text.encode()) > MAX_ID_BYTES:
        raise BadName(f"the id of {_one(what)} has {len(text.encode())} bytes; the limit is {MAX_ID_BYTES}")
    return text


def _stays(char: str) -> bool:
    if char.isascii():
        return char.islower() or char.isdigit() or char == "-"
    return (
        unicodedata.category(char) == "Lo"
        and char == char.upper() == char.casefold() == unicodedata.normalize("NFKC", char)
        and char not in _INVISIBLE_LETTERS
    )


def _escape(char: str) -> str:
    return "".join(f"~{byte:02x}" for byte in char.encode())


@lru_cache(maxsize=4096)
def segment(raw: str) -> str:
    """The path segment of an id: readable, and never that of another id, on any file system."""
    text = checked_id(raw, "file")
    pieces = _pieces(text)
    if "".join(pieces) in _DEVICES:
        pieces[0] = _escape(text[0])
    whole = "".join(pieces)
    if len(whole.encode()) <= MAX_SEGMENT_BYTES:
        return whole
    prefix = ""
    for piece in pieces:
        if len((prefix + piece).encode()) > _PREFIX_BYTES:
            break
        prefix += piece
    return f"{prefix}~~{hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]}"


def _pieces(text: str) -> list[str]:
    return [c if _stays(c) else "_" if c == ":" else _escape(c) for c in text]


def id_of(name: str) -> str | None:
    """The id that `segment` turned into this name; None when it was too long to be restored, or is no segment at all."""
    if "~~" in name:
        return None
    raw = _unescaped(name)
    try:
        return raw if raw is not None and segment(raw) == name else None
    except BadName:
        return None


def _unescaped(name: str) -> str | None:
    """The text that the pieces of a name stand for; None when they stand for none."""
    parts: list[bytes] = []
    end = 0
    for match in _PIECE.finditer(name):
        if match.start() != end:
            return None
        piece, end = match[0], match.end()
        parts.append(
            bytes([int(piece[1:], 16)])
            if piece[0] == "~"
            else b":"
            if piece == "_"
            else piece.encode("utf-8", "surrogatepass")
        )
    if end != len(name):
        return None
    try:
        return b"".join(parts).decode()
    except UnicodeDecodeError:
        return None


def is_segment(name: str) -> bool:
    """Whether `segment` can have made this name."""
    if "~~" not in name:
        return id_of(name) is not None
    prefix, _, digest = name.partition("~~")
    start = _unescaped(prefix)
    if start is None or not re.fullmatch(r"[0-9a-f]{32}", digest) or start != unicodedata.normalize("NFC", start):
        return False
    full = _PREFIX_BYTES - _LONGEST_PIECE < len(prefix.encode()) <= _PREFIX_BYTES
    return full and "".join(_pieces(start)) == prefix


def token(raw: str) -> str:
    """The id as audiences compare it: itself, or for one too long for a path the name its file has."""
    name = segment(raw)
    return f"~~{name}" if "~~" in name else unicodedata.normalize("NFC", raw)


def token_of(name: str) -> str | None:
    """The same, from the path segment."""
    if "~~" in name:
        return f"~~{name}" if is_segment(name) else None
    return id_of(name)
