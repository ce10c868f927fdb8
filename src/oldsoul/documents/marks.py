"""The bookkeeping comment that ends an entry's first line, entry ids, and the escaping that nobody can forge past."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Mapping

ID_LENGTH = 10
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID = re.compile(rf"[{_ALPHABET}]{{{ID_LENGTH}}}")
_MARK = re.compile(rb"[ \t]*<!--os((?: [^\s<>]{1,400}){1,24})-->[ \t\r\n]*\Z")
_ANY_MARK = re.compile(r"[ \t]*<!--os(?: [^\s<>]*)*-->")
_COMMENT = re.compile(r"[ \t]*<!--.*?-->")
_KEY = re.compile(r"[a-z][a-z_]{0,23}")

_BREAKS = re.compile(r"[ \t]*(?:\r\n|[\n\r\v\f\x85\u2028\u2029])[ \t]*")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_OPENS_A_BLOCK = re.compile(
    r"#{1,6}(?:\s|$)|[>|<]|[-+*](?:\s|$)|`{3}|~{3}|\[[ xX]\]|\[[^\]]*\]:|=+\s*$|[-*_](?:\s*[-*_])+\s*$"
)
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


class Mark(NamedTuple):
    """What a bookkeeping comment says."""

    id: str
    """the entry's id; empty when it holds none"""
    fields: dict[str, str]
    """the other values, decoded"""
    start: int
    """where the comment (and the space before it) starts in the line"""


def read(line: bytes) -> Mark | None:
    """The comment that ends this line; None when there is none."""
    if b"<!--os " not in line:
        return None
    match = _MARK.search(line, max(0, line.rfind(b"<!--os ") - 64))
    if match is None:
        return None
    entry_id, fields = "", {}
    for word in match[1].decode("utf-8", "replace").split():
        key, equals, value = word.partition("=")
        if equals and _KEY.fullmatch(key):
            fields[key] = unquote(value)
        elif not equals and not entry_id and _ID.fullmatch(word):
            entry_id = word
    return Mark(entry_id, fields, match.start())


def written(entry_id: str, fields: Mapping[str, str]) -> str:
    """The comment for this id and these values, with a space before it; empty when there is nothing to say."""
    words = [entry_id] if entry_id else []
    words += [f"{key}={_encoded(value)}" for key, value in fields.items() if value != ""]
    return f" <!--os {' '.join(words)}-->" if words else ""


def _encoded(value: str) -> str:
    text = quote(value, safe="._:/+@,-").replace("--", "-%2D")
    return f"{text[:-1]}%2D" if text.endswith("-") else text


def new_id(key: str, ordinal: int) -> str:
    """The id of the entry that a change makes: the same change makes the same ids."""
    return _base32(hashlib.sha256(f"{key}\0{ordinal}".encode()).digest())


def derived_id(text: bytes, occurrence: int) -> str:
    """The id of a line that carries none: it follows from its words, and from how many equal ones stand before it."""
    return _base32(hashlib.sha256(b"text\0%d\0%b" % (occurrence, text)).digest())


def _base32(digest: bytes) -> str:
    number = int.from_bytes(digest[:7])
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in range(ID_LENGTH))


def inline(text: str) -> str:
    """One line that holds these words and can be nothing else: no line break, comment or block marker gets through."""
    line = _CONTROLS.sub("", _BREAKS.sub(" ", text.strip())).strip()
    line = line.replace("<!--", "&lt;!--")
    if _OPENS_A_BLOCK.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def comment(text: str) -> str:
    """An HTML comment that holds these words and ends where we end it."""
    words = _CONTROLS.sub("", _BREAKS.sub(" ", text.strip())).replace("--", "-&#45;").replace(">", "&gt;")
    return f"<!-- {words} -->"


def without_marks(text: str) -> str:
    """The text without bookkeeping comments."""
    return _ANY_MARK.sub("", text) if "<!--os" in text else text


def without_comments(text: str) -> str:
    """One line without any comment that begins and ends in it."""
    return _COMMENT.sub("", text) if "<!--" in text else text
