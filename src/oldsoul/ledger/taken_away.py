"""What the ledger took away (an undo, a move, a new wording, a forgetting), so that an old buffer does not bring it back.

An entry is known by its document and its id, or its words in any shape in a line that has no id; a forgotten line by its
words and those of the entry it was in, with the places of what goes of it where the rest of the line stays. All are kept
as keyed hashes and numbers, so that no word stays of what was forgotten or was beside it, and each is found by one look,
however long ago it went.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import unicodedata
from collections.abc import Container, Iterable, Mapping
from dataclasses import field
from itertools import accumulate
from typing import TYPE_CHECKING

from oldsoul.documents import Form, marks, parse
from oldsoul.documents.entries import shaped
from oldsoul.ledger.forgetting import AffectedLine
from oldsoul.ledger.working_copies import Stores
from oldsoul.ports import LockedWorkspace
from oldsoul.rules.merge.lines import adds
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Change, Record
from oldsoul.values.messages import ERASED
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry

KIND = "taken away"
FORGETS = "forget:"
"""How the key of a change begins that forgot something."""
_SECRET = "secret of taken away"  # noqa: S105 - the kind of a record


@frozen
class FilteredSave:
    """A save without forgotten lines, and what else is in it that the ledger took away."""

    data: bytes
    """what is left of it"""
    erased: int = 0
    """how many entries it had forgotten lines in"""
    away: Mapping[str, int] = field(default_factory=dict)
    """its entries that the ledger took away or reworded, each with the change that did"""
    erased_by: int = 0
    """the latest change that such lines were forgotten with"""

    @property
    def since(self) -> int:
        """The latest change that took away something of it; 0 when none did."""
        return max([self.erased_by, *self.away.values()])


class TakenAway:
    """Writes down what goes, and tells it when it comes again."""

    def __init__(self, store: Stores) -> None:
        self._store = store

    def noted(
        self, change: Change, documents: Mapping[Name, bytes | None], traces: Iterable[AffectedLine] = ()
    ) -> list[Record]:
        """What to keep with a change of ours: the entries that go with it or get other words, and the forgotten lines."""
        kept = self._store.record(change.workspace, _SECRET, "")
        secret = kept or secrets.token_hex(32)
        forgotten = [*traces]
        gone: dict[tuple[str, ...], list[int]] = {("", _words(t.entry), _words(t.line)): _places(t) for t in forgotten}
        back: set[tuple[str, ...]] = set()
        for effect in change.effects:
            path, is_log = effect.name.path, effect.name.is_log
            texts = (self._store.content(effect.before), documents.get(effect.name))
            was, becomes = (parse(data or b"", is_log=is_log) for data in texts)
            returns = kept is not None and any(self._has(change, secret, (path, entry)) for entry in effect.entries)
            if returns or adds(_body(becomes), _body(was)):
                before, after = (
                    {(e.id, _words(e.body), shaped(e.body)) for e in document.entries} for document in (was, becomes)
                )
                gone |= {key: [] for entry in before - after for key in _keys(path, *entry)}
                # An id that comes back is known on: its older wordings stay away.
                back |= {key for entry in after - before for key in _keys(path, *entry) if key != (path, entry[0])}
        records = [Record(KIND, _hash(secret, key), None) for key in back - {*gone}] if kept else []
        records += self._without_words(change.workspace) if forgotten else []
        records += [
            Record(KIND, _hash(secret, key), json.dumps({"by": change.key, "places": places}))
            for key, places in gone.items()
        ]
        return records if kept or not gone else [Record(_SECRET, "", secret), *records]

    def _without_words(self, workspace: str) -> list[Record]:
        """The records of earlier versions that kept the rest of a line in words, without it."""
        kept = {key: json.loads(value) for key, value in self._store.records(workspace, KIND).items()}
        return [
            Record(KIND, key, json.dumps({"by": record["by"]})) for key, record in kept.items() if record.get("left")
        ]

    def _has(self, change: Change, secret: str, key: tuple[str, ...]) -> bool:
        return self._store.record(change.workspace, KIND, _hash(secret, key)) is not None

    def sifted(self, held: LockedWorkspace, name: Name, standing: bytes, data: bytes) -> FilteredSave:
        """A save, without what is taken away from the current document."""
        secret = self._store.record(name.workspace, _SECRET, "")
        if secret is None:
            return FilteredSave(data)
        return _Sifting(self._store, held, name, secret).sifted(standing, data)


class _Sifting:
    """One save being looked through."""

    def __init__(self, store: Stores, held: LockedWorkspace, name: Name, secret: str) -> None:
        self._store = store
        self._held = held
        self._name = name
        self._secret = secret
        self._forgetting: set[int] = set()  # the changes found so far that forgot something

    def sifted(self, standing: bytes, data: bytes) -> FilteredSave:
        document, there = (parse(text, is_log=self._name.is_log) for text in (data, standing))
        stands = {(entry.id, _words(entry.body)) for entry in there.entries}
        new = [entry for entry in document.entries if (entry.id, _words(entry.body)) not in stands]
        away = {entry.line: change for entry in new if (change := self._away(entry))}
        lines = list(document.lines)
        erased = self._erase(document, lines, {line.strip() for line in there.lines})
        shapes = {shaped(entry.body) for entry in there.entries}
        for entry in new:
            is_whole = entry.line not in erased and lines[entry.line] == entry.lines[0]
            change = away.get(entry.line, 0) if is_whole else 0
            if change in self._forgetting and shaped(entry.body) not in shapes and self._has_words(entry, change):
                lines[entry.line : entry.end] = [b""] * len(entry.lines)
                erased[entry.line] = change
        rest = b"".join(lines)
        places = [0, *accumulate(bool(line) for line in lines)]  # where each line is now
        ids = {entry.line: entry.id for entry in parse(rest, is_log=self._name.is_log).entries}
        left = {ids[places[line]]: change for line, change in away.items() if lines[line] and places[line] in ids}
        return FilteredSave(rest, len(erased), left, max(erased.values(), default=0))

    def _away(self, entry: Entry) -> int:
        """The change that took an entry away; 0 for one that was not."""
        worded, by_id, by_words = _keys(self._name.path, entry.id, _words(entry.body), shaped(entry.body))
        found = self._found(*worded) or self._found(*by_id) if entry.written else self._found(*by_words)
        return found[0] if found else 0

    def _has_words(self, entry: Entry, change: int) -> bool:
        """Whether it says what went with this change, in whatever shape."""
        found = self._found(*_keys(self._name.path, entry.id, "", shaped(entry.body))[-1])
        return found is not None and found[0] == change

    def _erase(self, document: Document, lines: list[bytes], known: Container[bytes]) -> dict[int, int]:
        """Take forgotten lines out. Gives where: the first lines of entries, each with the change it was forgotten with."""
        owners = {line: entry for entry in document.entries for line in range(entry.line, entry.end)}
        erased: dict[int, int] = {}
        for place, line in enumerate(document.lines):
            if not line.strip() or line.strip() in known:
                continue
            owner = owners.get(place)
            one = self._found("", _words(owner.text) if owner else "", _words(line.decode("utf-8", "replace")))
            if one:
                lines[place] = _without(line, one[1]) if one[1] else b""
                erased[owner.line if owner else place] = one[0]
        for entry in document.entries:
            below = b"".join(lines[entry.line + 1 : entry.end])
            if entry.line in erased and entry.form is Form.DATED and not below.strip():
                lines[entry.line] = b""
        return erased

    def _found(self, *parts: str) -> tuple[int, list[int]] | None:
        """The change that took something away, and what of it, all of it where no places are recorded; None for what was not."""
        kept = self._store.record(self._name.workspace, KIND, _hash(self._secret, parts))
        if kept is None:
            return None
        record = json.loads(kept)
        change = self._held.spent(record["by"])
        self._forgetting |= {change.id} if change and change.key.startswith(FORGETS) else set()
        return (change.id, record.get("places", [])) if change else None


def _places(trace: AffectedLine) -> list[int]:
    """Where a line has what is taken out of it, from one to the next, counted without spaces: no word of it is kept."""
    return [len("".join(trace.line[:at].split())) for span in trace.spans or () for at in span]


def _without(line: bytes, places: list[int]) -> bytes:
    """A line without what is taken out of it, whatever its spaces."""
    text = line.decode("utf-8", "surrogateescape")
    at = [place for place, char in enumerate(text) if not char.isspace()]
    for start, end in reversed([*zip(places[::2], places[1::2], strict=True)]):
        text = f"{text[: at[start]]}{ERASED}{text[at[end - 1] + 1 :]}" if end <= len(at) else text
    return text.encode("utf-8", "surrogateescape")


def _body(document: Document) -> bytes:
    return b"".join(document.lines[document.matter.end :])


def _keys(path: str, entry_id: str, words: str, shape: str) -> tuple[tuple[str, ...], ...]:
    """What an entry is known by: its id and words, its id, and its words in any shape, in a line that has no id."""
    return (path, entry_id, words), (path, entry_id), (path, "", shape)


def _words(text: str) -> str:
    """A text as it is compared: without bookkeeping, whatever its spaces."""
    return unicodedata.normalize("NFC", " ".join(marks.without_marks(text).split()))


def _hash(secret: str, parts: Iterable[str]) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(bytes.fromhex(secret), joined, hashlib.sha256).hexdigest()
