"""Whole sentences of what is forgotten, and where other texts hold them: from one sentence edge to another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.language.sentences import parts, sentences
from oldsoul.language.words import is_unspaced
from oldsoul.reading.typed_values import typed_values
from oldsoul.values.changes import TAGS
from oldsoul.values.messages import ERASED
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from oldsoul.documents import Entry

_TELLING = frozenset({Kind.DAILY, Kind.SESSION, Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG})
_FEWEST_WORDS, _FEWEST_BESIDE = 3, 2
"""A sentence has so many words, and so many of them are no part of a value."""
_FEWEST_UNSPACED = 5
"""So many characters make a sentence in a script without spaces."""
_DECORATION = re.compile(rf"\(added \d{{4}}-\d{{2}}-\d{{2}}\)|(?<!\S)#(?:{'|'.join(TAGS)})(?![\w-])", re.IGNORECASE)
_TITLE = re.compile(r"^\*\*(.{1,200}?)(?:\*\*\s*[:：]|[:：]\*\*)\s*")
_SPEAKER = re.compile(r"^(?:[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}|\w+:\S+): ")
"""Who said it, before what was said."""
_TOLD = re.compile(r"^[ \t]*- (?:Event|Result|Open): (.+)$", re.MULTILINE)
"""What somebody said, in a session's file."""
_ABOUT = re.compile(r"^[ \t]*- (?:Users|Datetime): ", re.MULTILINE)
"""With whom and when, in a session's file."""
_FIELD = re.compile(r"^\s*(?:[-*+]\s+)?(?:\*\*[^*\n]+(?::\*\*|\*\*:)|\[[^\]\n]*\]\([^)\n]*\)\s*$)")
"""A line of a block that is a field or a link."""
_LIST = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_OLD = re.compile(r"<!-- was: (.*?) -->", re.DOTALL)
_TOKEN = re.compile(r"(?<!\S)[^\w\s]*(\w\S*?)[^\w\s]*(?!\S)")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
"""A word, and not a path, an id or a figure."""
_ENDS = ".!?…؟۔।॥;:"
_WIDE_ENDS = "。！？；：」』"
_OPENING = " \t\"'“”„«‘’([*_`>#~「『（"
_CLOSING = "\"'”’»)]*_`」』）"
_AFTER = re.compile(
    rf"\s*(?:\n|\Z|\((?:added \d|(?:[^()\n]{{1,80}}, )?\d{{4}}-\d\d-\d\d\))|#(?:{'|'.join(TAGS)})\b|<!--|\[[^\]\n]*\]\(|\*\*[^*\n]{{1,60}}(?:\*\*:|:\*\*))"
)
"""What may follow the end of a sentence: its bookkeeping, or the day and the speaker that a reply names with it."""
_MARKER = re.compile(r"(?:^|\n|[:*]\s)[ \t>]*(?:[-+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?[ \t]*\Z")
_BEFORE = 200
"""So far back is looked for the edge of a sentence."""


def session_statements(entry: Entry) -> list[str]:
    """What a topic of a session's file tells, with who said it: a line for each."""
    return _TOLD.findall(entry.body)


def said_in(name: Name, entry: Entry) -> Iterator[str]:
    """The sentences of an entry, with those of its old wordings. The lines of a keeper's log are fields, not sentences."""
    if entry.kind == "CodeBlock" or is_record(name, entry):
        return
    for old in _OLD.findall(b"".join(entry.lines).decode("utf-8", "replace")):
        yield from said(old)
    if entry.form is Form.DATED:
        for line in entry.body.split("\n")[1:]:
            yield from () if _FIELD.match(line) else said(line)
        return
    if entry.form is Form.PROSE:
        yield from said(entry.body)
        return
    yield from said(entry.text)
    below = session_statements(entry) if _ABOUT.search(entry.body) else entry.body.split("\n")[1:]
    for line in below:
        yield from said(_LIST.sub("", line).rstrip("…."))


def said(text: str) -> Iterator[str]:
    """The sentences of a text that tell something, without title, speaker, date and tags; what needs its title, with it."""
    bare = _DECORATION.sub("", text).strip()
    title = _TITLE.match(bare)
    body = bare[title.end() :] if title else bare
    found = []
    for number, sentence in enumerate(sentences(body or (title[1] if title else ""))):
        whole = sentence.strip(_OPENING)
        if not number and is_telling(without := _SPEAKER.sub("", whole)):
            whole = without
        found.append(whole.rstrip(_ENDS + _WIDE_ENDS + _CLOSING + " ").lstrip(_OPENING))
    telling = [whole for whole in found if is_telling(whole)]
    yield from [bare.rstrip(_ENDS + _WIDE_ENDS + " ")] if title and body and not telling else telling


def is_telling(text: str) -> bool:
    """Whether it is a sentence, and no value, name, path or id alone: those are never searched for."""
    if any(map(is_unspaced, text)):
        return sum(map(str.isalpha, text)) >= _FEWEST_UNSPACED
    words = [token for token in _TOKEN.finditer(text) if _WORD.fullmatch(token[1])]
    if len(words) < _FEWEST_WORDS or all(word[1][0].isupper() for word in words):
        return False
    values = [(value.start, value.end) for value in typed_values(text)]
    return sum(not any(start <= word.start(1) < end for start, end in values) for word in words) >= _FEWEST_BESIDE


class Copies:
    """The sentences of something, to be found in other texts."""

    def __init__(self, statements: Iterable[str]) -> None:
        self.sentences = tuple(sorted({*statements}, key=len, reverse=True))
        """each of them, the longest first"""

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(_pattern(sentence)) for sentence in self.sentences]

    @cached_property
    def _signs(self) -> list[bytes]:
        """The longest word of each, without its first letter: what lacks them all holds none of the sentences."""
        return [max(re.findall(r"[^\W_]+", one), key=len, default=one)[1:].encode() for one in self.sentences]

    def may_be_in(self, data: bytes) -> bool:
        """A cheap look that misses nothing."""
        return any(sign in data for sign in self._signs)

    def spans(self, text: str, *, anywhere: bool = False) -> list[tuple[int, int]]:
        """Where a text holds them, from one edge of a sentence to another; anywhere, where it is known whose text it is."""
        found = sorted(
            match.span()
            for pattern in self._patterns
            for match in pattern.finditer(text)
            if anywhere or (_begins(text, match.start()) and _ends(text, match.end()))
        )
        apart: list[tuple[int, int]] = []
        for start, end in found:
            if apart and start < apart[-1][1]:
                apart[-1] = apart[-1][0], max(apart[-1][1], end)
            else:
                apart.append((start, end))
        return apart

    def without(self, text: str, *, anywhere: bool = False) -> str:
        """A text without them."""
        for start, end in reversed(self.spans(text, anywhere=anywhere)):
            text = f"{text[:start]}{ERASED}{text[end:]}"
        return text

    def are_in(self, text: str) -> bool:
        """Whether a text holds one of them."""
        return bool(self.spans(text))

    def saying(self, text: str) -> list[str]:
        """The sentences of what they were taken from that have their words, and more."""
        return [piece.strip() for piece in parts(text) if self.spans(piece, anywhere=True) and not self.are_in(piece)]

    def without_saying(self, text: str) -> str:
        """What they were taken from, without the sentences that have their words; nothing of it is left where none has."""
        pieces = [
            ERASED + piece[len(piece.rstrip()) :] if self.spans(piece, anywhere=True) else piece
            for piece in parts(text)
        ]
        left = "".join(pieces)
        return ERASED if left == text and ERASED not in text else left


def _pattern(sentence: str) -> str:
    words = [
        re.escape(word).replace(r"\-\-", r"(?:\-\-|\-&\#45;)").replace(">", "(?:>|&gt;)") for word in sentence.split()
    ]
    first = sentence[0]
    if first.swapcase() != first and len(first.swapcase()) == 1:
        words[0] = f"[{first}{first.swapcase()}]{words[0][1:]}"
    spaced = not any(map(is_unspaced, sentence))
    return (r"(?<!\w)" if spaced else "") + r"\s+".join(words) + (r"(?!\w)" if spaced else "")


def _begins(text: str, at: int) -> bool:
    """Whether a sentence can begin there."""
    before = text[max(0, at - _BEFORE) : at]
    head = before.rstrip(_OPENING)
    if not head or head[-1] in _WIDE_ENDS + "\n" or "\n" in before[len(head) :]:
        return True
    return (head[-1] in _ENDS and head != before) or _MARKER.search(head) is not None


def _ends(text: str, at: int) -> bool:
    """Whether a sentence can end there."""
    while at < len(text) and text[at] in _CLOSING:
        at += 1
    if at == len(text) or text[at] in _WIDE_ENDS or _AFTER.match(text, at):
        return True
    return text[at] in _ENDS and (at + 1 == len(text) or text[at + 1].isspace() or text[at + 1] in _CLOSING + _ENDS)


def is_record(name: Name, entry: Entry) -> bool:
    """Whether an entry is a block of a keeper's log: its lines are fields, not sentences."""
    return entry.form is Form.DATED and not _is_diary(name)


def _is_diary(name: Name) -> bool:
    return name.kind is Kind.DAILY or (name.kind is Kind.ARCHIVE and name.path.startswith("Archive/Daily/"))


def tells(name: Name) -> bool:
    """Whether a document tells what was said and done elsewhere: days, sessions, the keepers' logs, and their archives."""
    return name.kind in _TELLING or (name.kind is Kind.ARCHIVE and not name.path.startswith("Archive/Memory/"))
