"""The bookkeeping comment that ends an entry's first line, entry ids, and the escaping that nobody can forge past."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyromark

from oldsoul.errors import DocumentError

ID_LENGTH = 10
MAX_WORD = 400
"""The longest word of a bookkeeping comment, in bytes: a key, `=` and its value, percent-encoded."""
MAX_WORDS = 24
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [a + b for b in _ALPHABET for a in _ALPHABET]
_ID = re.compile(rf"[{_ALPHABET}]{{{ID_LENGTH}}}".encode())
_KEY = re.compile(r"[a-z][a-z_]{0,23}")
_FIELD = re.compile(rf"(?<!\S)({_KEY.pattern})=(\S*)")
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9._:/+@,-]*")
_ANY_MARK = re.compile(r"(?<![ \t])[ \t]*<!--os(?: [^\s<>]*)*-->")

_BREAKS = re.compile(r"[\n\r\v\f\x85\u2028\u2029]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_OPENS_A_BLOCK = re.compile(
    r"#{1,6}(?:\s|$)|>|\||<(?!https?://)|[-+*](?:\s|$)|`{3}|~{3}|=+\s*$|[-*_](?:\s*[-*_])+\s*$"
    # A check box, a definition, or a definition's beginning: its label may go on in the next line.
    r"|\[[ xX]\](?:\s|$)|\[(?:[^\[\]\\]|\\(?:.|$))*+(?:\]:|$)"
)
_NUMBERED = re.compile(r"([0-9]{1,9})([.)])(?=\s|$)")


class Mark(NamedTuple):
    """What a bookkeeping comment says."""

    id: str
    """the entry's id; empty when it holds none"""
    start: int
    """where the comment (and the space before it) starts in the line"""
    words: bytes
    """what it holds, as it is written"""

    @property
    def fields(self) -> dict[str, str]:
        """The values it holds besides the id, decoded."""
        fields = dict(_FIELD.findall(self.words.decode("utf-8", "replace")))
        if b"%" not in self.words:
            return fields
        from urllib.parse import unquote  # noqa: PLC0415 - it takes a while to load, and few values need it

        return {key: unquote(value) for key, value in fields.items()}


def read(line: bytes) -> Mark | None:
    """The comment that ends this line; None when there is none."""
    place = line.rfind(b"<!--os ")
    if place < 0:
        return None
    text = line[place + 7 :].rstrip(b" \t\r\n")
    if not text.endswith(b"-->"):
        return None
    text = text[:-3]
    words = text.split(b" ")
    # One space between words; no `<` or `>`; bounded.
    if b"<" in text or b">" in text or len(text.split()) != len(words) or len(words) > MAX_WORDS:
        return None
    if len(text) > MAX_WORD and max(map(len, words)) > MAX_WORD:
        return None
    first = words[0] if _ID.fullmatch(words[0]) else next(filter(_ID.fullmatch, words), b"")
    return Mark(first.decode(), len(line[:place].rstrip(b" \t")), text)


def written(entry_id: str, fields: Mapping[str, str]) -> str:
    """The comment for this id and these values, with a space before it; empty when there is nothing to say.

    A value that is empty is not written. What could not be read back raises `DocumentError`.
    """
    if entry_id and not _ID.fullmatch(entry_id.encode("utf-8", "replace")):
        raise DocumentError(
            f"{entry_id[:40]!r} cannot be an entry's id: an id is {ID_LENGTH} characters of {_ALPHABET}"
        )
    words = [entry_id] if entry_id else []
    words += [_field(key, value) for key, value in fields.items() if value != ""]
    if len(words) > MAX_WORDS:
        raise DocumentError(f"an entry can hold at most {MAX_WORDS} values, not {len(words)}")
    return f" <!--os {' '.join(words)}-->" if words else ""


def _field(key: str, value: str) -> str:
    if not _KEY.fullmatch(key):
        raise DocumentError(f"{key[:40]!r} cannot be the name of a value: use up to 24 lower-case letters and _")
    if _SURROGATES.search(value):
        raise DocumentError(f"{key} contains half a character (a lone surrogate), which cannot be written")
    word = f"{key}={_encoded(value)}"
    if len(word) > MAX_WORD:
        raise DocumentError(f"{key} is too long for an entry: {len(word)} bytes, at most {MAX_WORD} are allowed")
    return word


def _encoded(value: str) -> str:
    if _PLAIN_VALUE.fullmatch(value):
        text = value.replace("--", "-%2D")
    else:
        from urllib.parse import quote  # noqa: PLC0415 - as above

        text = quote(value, safe="._:/+@,-").replace("--", "-%2D")
    return f"{text[:-1]}%2D" if text.endswith("-") else text


def new_id(key: str, ordinal: int) -> str:
    """The id of the entry that a change makes: the same change makes the same ids."""
    return _base32(hashlib.sha256(f"{key}\0{ordinal}".encode()).digest())


def derived_id(text: bytes, occurrence: int) -> str:
    """The id of a line that carries none: it follows from its words, and from how many equal ones are before it."""
    return _base32(hashlib.sha256(b"text\0%d\0%b" % (occurrence, text)).digest())


def _base32(digest: bytes) -> str:
    n = int.from_bytes(digest[:7])
    p = _PAIRS
    return p[n & 1023] + p[n >> 10 & 1023] + p[n >> 20 & 1023] + p[n >> 30 & 1023] + p[n >> 40 & 1023]


def inline(text: str) -> str:
    """One line that holds these words and can be nothing else: no line break, comment or block marker gets through."""
    line = phrase(text)
    if _OPENS_A_BLOCK.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def phrase(text: str) -> str:
    """These words, to be written into a line that has begun already: without line breaks and comments."""
    return _one_line(text).replace("<!--", "&lt;!--")


def comment(text: str) -> str:
    """An HTML comment that holds these words and ends where we end it."""
    words = _one_line(text).replace("--", "-&#45;").replace(">", "&gt;")
    return f"<!-- {words} -->"


def _one_line(text: str) -> str:
    line = _CONTROLS.sub("", " ".join(piece for piece in map(str.strip, _BREAKS.split(text)) if piece)).strip()
    return line if line.isascii() else _SURROGATES.sub("\ufffd", line)


def without_marks(text: str) -> str:
    """The text without bookkeeping comments."""
    return _ANY_MARK.sub("", text) if "<!--os" in text else text


def without_comments(text: str) -> str:
    """The Markdown without its comments (in code they are text); every line break stays."""
    if "<!--" not in text:
        return text
    data = text.encode("utf-8", "replace")
    kept: list[bytes] = []
    place = 0
    for start, end in _comments(data):
        kept += [data[place:start].rstrip(b" \t"), b"\n" * data.count(b"\n", start, end)]
        place = end
    return b"".join([*kept, data[place:]]).decode()


def _comments(data: bytes) -> list[tuple[int, int]]:
    """Where comments begin and end. One that is never closed is none in a line of text, but hides a block of HTML."""
    found: list[tuple[int, int]] = []
    event: Any
    for event, span in pyromark.events_with_range(data.decode()):
        if "InlineHtml" in event and event["InlineHtml"].startswith("<!--"):
            found.append((span["start"], span["end"]))
        elif "Start" in event and event["Start"] == "HtmlBlock":
            start, end = span["start"], span["end"]
            while (start := data.find(b"<!--", start, end)) >= 0:
                close = data.find(b"-->", start + 2, end)
                found.append((start, close + 3 if close >= 0 else end))
                start = found[-1][1]
    return found
