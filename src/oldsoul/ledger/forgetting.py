"""What must go when something is forgotten: its entries in all their versions, and copies of its whole sentences."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from oldsoul.documents import Form, edits, marks, parse, render
from oldsoul.errors import DocumentError
from oldsoul.language.words import words
from oldsoul.ledger.copies import Copies, is_record, said, said_in, tells
from oldsoul.ledger.proposals import Proposal
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Change, version_of
from oldsoul.values.messages import ERASED
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry

    Life = tuple[Name, Entry]
    """A version of an entry, current or earlier"""

_SOUL = "soul"
_LOG = "log"


@frozen
class AffectedLine:
    """A line that forgetting takes or alters."""

    entry: str
    """the first words of the entry it is in; empty outside of entries"""
    line: str
    """the line"""
    spans: tuple[tuple[int, int], ...] | None = None
    """what of it is replaced; None where all of it goes"""


@frozen
class Forgotten:
    """What must be nowhere any more."""

    key: str
    """the id of the entry, or `m:` and the number of the message"""
    ids: Mapping[str, frozenset[str]]
    """the entries that go, each with where it is known without its id being written down"""
    copies: Copies
    """its sentences, to look for where days, sessions and the keepers' logs tell of it"""
    sources: frozenset[str]
    """what it was taken from, as it says itself: messages, and the documents of its diary"""
    refs: frozenset[str]
    """all that the changes that wrote it rest on"""
    words: tuple[bytes, ...]
    """the first lines it had, by which a version may hold it without its id"""
    digest: str
    """the hash of the words it had last: what stays of it"""
    corrected: frozenset[str] = frozenset()
    """the messages that say it, as its corrections tell: what has its words goes there too"""

    @classmethod
    def of(cls, key: str, lives: Iterable[Life], further: Iterable[Life], refs: Iterable[str]) -> Forgotten:
        """An entry by all its versions; with others that go with it, and whose words are not looked for."""
        own = list(lives)
        ids, lines = _known_by([*own, *further])
        copies = Copies(sentence for life in own for sentence in said_in(*life))
        sources = frozenset(source for life in own for source in _sources(*life))
        digest = version_of(own[0][1].text.encode("utf-8", "replace"))
        return cls(key, ids, copies, sources, sources.union(refs), lines, digest)

    @classmethod
    def of_said(cls, key: str, text: str, further: Iterable[Life] = (), others: Iterable[str] = ()) -> Forgotten:
        """What was said in a message, or in others, with the entries that go with it."""
        ids, lines = _known_by(further)
        source = frozenset({key, *others})
        return cls(key, ids, Copies(said(text)), source, source, lines, version_of(text.encode("utf-8", "replace")))

    # documents

    def takes(self, name: Name, entry: Entry) -> bool:
        """Whether an entry goes."""
        return entry.id in self.ids and (entry.written or family(name) in self.ids[entry.id])

    def is_of_others(self, name: Name, entry: Entry) -> bool:
        """Whether an entry has its own evidence: it is in memory, or says what it rests on."""
        source = entry.fields.get("src", "")
        return source not in self.sources if source else not tells(name)

    def cleaned(self, name: Name, data: bytes) -> bytes:
        """The text without it, and where it tells what was said elsewhere, without copies of its sentences."""
        if not self._may_be_in(name, data):
            return data
        document = parse(data, is_log=name.is_log)
        for entry in reversed(document.entries):
            if self.takes(name, entry) or self._is_copy(name, entry):
                document = _without(document, entry)
        if not tells(name):
            return render(document)
        return b"".join(self._left(line, spans) for line, spans, _ in self._lines(name, document))

    def traces(self, name: Name, data: bytes) -> Iterator[AffectedLine]:
        """What `cleaned` does to the text, line by line."""
        if not self._may_be_in(name, data):
            return
        document = parse(data, is_log=name.is_log)
        for place, (line, spans, owner) in enumerate(self._lines(name, document)):
            goes = owner is not None and (self.takes(name, owner) or self._is_copy(name, owner))
            if goes and owner is not None and owner.form is Form.DATED and place == owner.line:
                continue  # when it was is no secret, and other blocks have the same minute
            if line.strip() and (goes or spans):
                line_text = line.decode("utf-8", "replace").rstrip("\r\n")
                yield AffectedLine(owner.text if owner else "", line_text, None if goes else tuple(spans))

    def _lines(self, name: Name, document: Document) -> Iterator[tuple[bytes, list[tuple[int, int]], Entry | None]]:
        """The lines of a document, each with the copies in it and the entry it is in."""
        owners: dict[int, Entry] = {}
        for entry in document.entries:
            owners |= dict.fromkeys(range(entry.line, entry.end), entry)
        for place, line in enumerate(document.lines):
            owner = owners.get(place)
            spans = []
            if tells(name) and not (owner and self.is_of_others(name, owner)):
                spans = self.copies.spans(_text(line), anywhere=bool(owner and owner.fields.get("src")))
            yield line, spans, owner

    @staticmethod
    def _left(line: bytes, spans: list[tuple[int, int]]) -> bytes:
        if not spans:
            return line
        text = _text(line)
        for start, end in reversed(spans):
            text = f"{text[:start]}{ERASED}{text[end:]}"
        return text.encode("utf-8", "surrogateescape")

    def _is_copy(self, name: Name, entry: Entry) -> bool:
        """Whether an entry of a list that tells of it says nothing else."""
        return (
            tells(name)
            and entry.form in (Form.ITEM, Form.NUMBERED)
            and len(entry.lines) == 1
            and not self.is_of_others(name, entry)
            and self.copies.without(entry.text).strip() == ERASED
        )

    def _may_be_in(self, name: Name, data: bytes) -> bool:
        """The cheap look that spares most versions the rest."""
        if any(one.encode() in data for one in self.ids) or any(line in data for line in self.words):
            return True
        return tells(name) and self.copies.may_be_in(data)

    # what is said of it elsewhere

    def cleaned_text(self, text: str) -> str:
        """A quote or a reason without its sentences."""
        return self.copies.without(text)

    def cleaned_change(self, change: Change) -> Change:
        """The change without the words; what it quotes goes whole when it wrote this very entry on what that rests on."""
        written = {one for effect in change.effects for one in effect.entries}
        wrote = not written.isdisjoint(self.ids)
        known = self.sources if written - self.ids.keys() else {*self.sources, *(e.ref for e in change.evidence)}
        evidence = tuple(
            replace(e, quote=ERASED)
            if e.quote and (e.ref == self.key or (wrote and e.ref in known))
            else replace(e, quote=self.cleaned_text(e.quote))
            for e in change.evidence
        )
        notes = {key: self.cleaned_text(value) for key, value in change.notes.items()}
        reason = self.copies.without(change.reason, anywhere=wrote)
        return replace(change, reason=reason, evidence=evidence, notes=notes)

    def is_in(self, proposal: Proposal) -> bool:
        """Whether a proposal speaks of it, and rests on nothing else."""
        pieces = [piece.decode("utf-8", "replace") for piece in _pieces(proposal)]
        if any(one in piece for piece in pieces for one in self.ids):
            return True
        refs = {e.ref for e in proposal.change_set.evidence}
        return refs <= self.refs and any(self.copies.are_in(piece) for piece in pieces)


def family(name: Name) -> str:
    """Where a line that has no id is the same as another of the same words: in one document, a soul's past, any log."""
    if name.kind in (Kind.SOUL, Kind.SOUL_HISTORY):
        return _SOUL
    return _LOG if name.is_log else name.path


def ancestor(older: Document, newer: Document, entry: Entry) -> Entry | None:
    """The line of an older version that somebody made this entry of, by hand: in its place, with half of its words."""
    gone = [e for e in older.entries if e.id not in newer.by_id and (e.form, e.section) == (entry.form, entry.section)]
    after = _known_before(newer, entry, older)
    own = {*words(entry.body)}
    for one in gone:
        theirs = {*words(one.body)}
        if _known_before(older, one, newer) == after and 2 * len(own & theirs) >= max(1, min(len(own), len(theirs))):
            return one
    return None


def _known_before(document: Document, entry: Entry, other: Document) -> str:
    """The last entry before this one that is in another version too."""
    before = (one.id for one in reversed(document.entries) if one.line < entry.line)
    return next((one for one in before if one in other.by_id), "")


def says_the_same(gone: Forgotten, entry: Entry) -> bool:
    """Whether an entry holds a whole sentence of what is forgotten."""
    return gone.copies.may_be_in(b"".join(entry.lines)) and gone.copies.are_in(entry.body)


def rests_on_it_alone(gone: Forgotten, entry: Entry, refs: set[str]) -> bool:
    """Whether what an entry rests on is what the forgotten one does, or that itself, and nothing else."""
    source = entry.fields.get("src", "")
    every = refs | {source} if source else refs
    return bool(every) and all(ref in gone.refs or ref.rpartition("#")[2] in gone.ids for ref in every)


@frozen
class ForgottenMessages:
    """Words of messages that are forgotten."""

    key: str
    """what they are forgotten with: `m:` and the number of the message, or the id of an entry"""
    text: str
    """the words"""
    sources: frozenset[str] = frozenset()
    """the messages they are in"""


@frozen
class ForgetPlan:
    """What forgetting an entry means, before it is done."""

    gone: Forgotten
    """what to look for"""
    lives: tuple[Life, ...]
    """the entry in all its versions, the newest first"""
    derived: tuple[Life, ...]
    """the entries that say the same, and rest on its evidence alone: they go with it"""
    alike: tuple[Life, ...]
    """the entries that say the same on separate evidence: they stay"""


def _known_by(lives: Iterable[Life]) -> tuple[dict[str, frozenset[str]], tuple[bytes, ...]]:
    """The ids of entries, each with where it need not be written down; and their first lines."""
    every = [*lives]
    ids: dict[str, frozenset[str]] = {}
    for name, entry in every:
        ids[entry.id] = ids.get(entry.id, frozenset()) | {family(name)}
    return ids, tuple({entry.text.partition("\n")[0].encode("utf-8", "replace") for _, entry in every})


def _sources(name: Name, entry: Entry) -> Iterator[str]:
    if is_record(name, entry):
        return
    if source := entry.fields.get("src", ""):
        yield source
    if tells(name):
        yield name.path


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


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
