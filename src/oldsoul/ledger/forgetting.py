"""What must go when an entry is forgotten: its lines, its words wherever they stand, and what proposals say of it."""

from __future__ import annotations

import base64
import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from oldsoul.documents import Form, edits, marks, parse, render
from oldsoul.errors import DocumentError
from oldsoul.values.changes import TAGS
from oldsoul.values.frozen import frozen
from oldsoul.values.history import version_of
from oldsoul.values.messages import ERASED
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oldsoul.documents import Document, Entry
    from oldsoul.ledger.proposals import Proposal
    from oldsoul.values.history import Change

_SHORTEST_COPY = 8
_DECORATION = re.compile(rf"\(added \d{{4}}-\d{{2}}-\d{{2}}\)|(?<!\S)#(?:{'|'.join(TAGS)})(?![\w-])", re.IGNORECASE)
_TITLE = re.compile(r"^\*\*.{1,200}?(?:\*\*\s*[:：]|[:：]\*\*)\s*")

_TOLD = re.compile(r"^[ \t]*- (?:Event|Result|Open): (.+)$", re.MULTILINE)
"""What somebody said, in a session's file."""


@frozen
class Trace:
    """A line that forgetting takes or alters."""

    entry: str
    """the first words of the entry it stands in; empty outside of entries"""
    line: str
    """the line"""
    left: str
    """what is left of it"""


@frozen
class Forgotten:
    """An entry that must be nowhere any more."""

    id: str
    """its id"""
    texts: frozenset[str]
    """every wording it had, as entries are compared"""
    copies: tuple[bytes, ...]
    """the words to look for in other places, longest first: never so short that they are part of other words"""
    digest: str
    """the hash of the words it had last: what stays of it"""

    @classmethod
    def of(cls, entry_id: str, wordings: Iterable[Entry]) -> Forgotten:
        """What to look for, from the entry as it stood at different times."""
        texts: set[str] = set()
        copies: set[str] = set()
        digest = ""
        for entry in wordings:
            digest = digest or version_of(entry.text.encode("utf-8", "replace"))
            texts |= _compared(entry)
            for words in _words(entry):
                copies |= {words, _DECORATION.sub("", words).strip(), _bare(words)}
        written = {form for words in copies for form in (words, words.replace("--", "-&#45;").replace(">", "&gt;"))}
        long = (words.encode("utf-8", "replace") for words in written if len(words) >= _SHORTEST_COPY)
        return cls(entry_id, frozenset(texts), tuple(sorted(long, key=len, reverse=True)), digest)

    def cleaned(self, data: bytes, *, is_log: bool) -> bytes:
        """The text without the entry, without other entries that say the same, and without copies of its words."""
        if not self._may_be_in(data):
            return data
        document = parse(data, is_log=is_log)
        for entry in reversed(document.entries):
            if entry.id == self.id or self.texts & _compared(entry):
                document = _without(document, entry)
        return self._without_copies(render(document))

    def traces(self, data: bytes, *, is_log: bool) -> Iterator[Trace]:
        """What `cleaned` would do to the text, line by line."""
        if not self._may_be_in(data):
            return
        document = parse(data, is_log=is_log)
        owners: list[Entry | None] = [None] * len(document.lines)
        for entry in document.entries:
            owners[entry.line : entry.end] = [entry] * len(entry.lines)
        for place, (line, owner) in enumerate(zip(document.lines, owners, strict=True)):
            goes = owner is not None and (owner.id == self.id or bool(self.texts & _compared(owner)))
            if goes and owner is not None and owner.form is Form.DATED and place == owner.line:
                continue  # when it was is no secret, and other blocks have the same minute
            left = b"" if goes else self._without_copies(line)
            if line.strip() and left != line:
                told = (text.decode("utf-8", "replace").rstrip("\r\n") for text in (line, left))
                yield Trace(owner.text if owner else "", *told)

    def _without_copies(self, data: bytes) -> bytes:
        for copy in self.copies:
            data = data.replace(copy, ERASED.encode())
        return data

    def _may_be_in(self, data: bytes) -> bool:
        """The cheap look that spares most versions the rest."""
        if self.id.encode() in data or any(copy in data for copy in self.copies):
            return True
        first_lines = [text.partition("\n")[0] for text in self.texts]
        return any("\ufffd" in line or line.encode() in data for line in first_lines)

    def cleaned_text(self, text: str) -> str:
        """A quote or a reason without the words."""
        if text.strip() in self.texts:
            return ERASED
        for copy in self.copies:
            text = text.replace(copy.decode(), ERASED)
        return text

    def cleaned_change(self, change: Change) -> Change:
        """The change without the words; what it quotes goes whole when it wrote this very entry."""
        wrote = any(self.id in effect.entries for effect in change.effects)
        evidence = tuple(
            replace(e, quote=ERASED if wrote and e.quote else self.cleaned_text(e.quote)) for e in change.evidence
        )
        notes = {key: self.cleaned_text(value) for key, value in change.notes.items()}
        return replace(change, reason=self.cleaned_text(change.reason), evidence=evidence, notes=notes)

    def is_in(self, proposal: Proposal) -> bool:
        """Whether a proposal speaks of it."""
        for piece in _pieces(proposal):
            if self.id.encode() in piece or any(copy in piece for copy in self.copies):
                return True
            if piece.decode("utf-8", "replace").strip() in self.texts:
                return True
        return False


def _whole(entry: Entry) -> str:
    """What makes two entries say the same: the words of an item, or all that stands under a date."""
    return entry.body.partition("\n")[2].strip() if entry.form is Form.DATED else entry.text


def _bare(text: str) -> str:
    """The words without title, date and tags."""
    return _TITLE.sub("", _DECORATION.sub("", text).strip()).strip()


def _compared(entry: Entry) -> set[str]:
    """What an entry is known by: all its words, and those without title and date where they are enough."""
    whole = _whole(entry)
    return {text for text in (whole, _bare(whole)) if text and (text == whole or len(text) >= _SHORTEST_COPY)}


def told_in(entry: Entry) -> list[str]:
    """What a topic of a session's file tells, with who said it: a line for each."""
    return _TOLD.findall(entry.body)


def _words(entry: Entry) -> list[str]:
    if entry.form is Form.DATED:
        lines = [line.strip() for line in entry.body.split("\n")[1:]]
        return [line for line in lines if len(line) >= 2 * _SHORTEST_COPY]
    if _bare(entry.text):
        return [entry.text]
    told = [line.rstrip("….") for line in told_in(entry)]
    said = [words for words in (*told, *(line.partition(": ")[2] for line in told)) if len(words) >= 2 * _SHORTEST_COPY]
    return [entry.text, entry.title, *said]


def _without(document: Document, entry: Entry) -> Document:
    try:
        return edits.remove(document, entry)
    except DocumentError:
        # Erasing comes before how the rest reads.
        lines = (*document.lines[: entry.line], *document.lines[entry.end :])
        return parse(b"".join(lines), is_log=document.is_log)


def _pieces(proposal: Proposal) -> Iterator[bytes]:
    """Every text of a proposal, as bytes."""
    asked = proposal.change_set
    for _, gone, new in proposal.shown:
        yield from (
            marks.without_marks(base64.b64decode(line).decode("utf-8", "replace")).encode() for line in gone + new
        )
        yield from (base64.b64decode(line) for line in gone + new)
    texts: list[object] = [asked.reason, proposal.note, *proposal.warnings, *(e.quote for e in asked.evidence)]
    for operation in asked.operations:
        texts += [getattr(operation, field.name) for field in fields(operation)]
    for text in texts:
        if isinstance(text, bytes):
            yield text
        elif isinstance(text, tuple):
            yield from (str(part).encode("utf-8", "replace") for part in text)
        elif not isinstance(text, Name):
            yield str(text).encode("utf-8", "replace")
