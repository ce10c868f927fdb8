"""Which words an operation brings before whom: what the audience check looks at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.ledger.claims import EvidenceClaims
from oldsoul.rules.audience import audience_of, entry_audience
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.changes import Add, ChangeSet, Move, Operation, Put, Replace, SetField
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.documents import Document

_WORDLESS = frozenset(
    {"conf", "seen", "n", "origin", "src", "superseded", "updated_at", "created_at", "tasks", "follow_ups"}
)
"""Values that carry nobody's words."""
_STATES = frozenset({"stale", "out", "corrected", "superseded", "open", "settled"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _is_state(operation: SetField) -> bool:
    """Whether a mark says what happened to an entry, in one of a few words, or since which day."""
    value = operation.value
    if value is None or (operation.key in ("status", "was") and value in _STATES):
        return True
    return operation.key == "since" and _DAY.fullmatch(value) is not None


class Exposure(NamedTuple):
    """Words that come before an audience."""

    words: Audience
    """whom they are for"""
    name: Name
    """the document they come into"""
    audience: Audience
    """who would read them there"""


def exposures(
    change_set: ChangeSet, claims: EvidenceClaims, documents: Mapping[Name, Document | None]
) -> Iterator[Exposure]:
    """Everything a set would show: new words are for those who may see its evidence, existing ones for their readers."""
    looking = _ExposureCheck(change_set.audience, claims.added, documents)
    for operation in change_set.operations:
        yield from looking.at(operation)


class _ExposureCheck:
    """A look at the operations of one set."""

    def __init__(self, new: Audience, added: set[str], documents: Mapping[Name, Document | None]) -> None:
        self.new = new
        self.added = added
        self.documents = documents
        self.frontmatter: dict[Name, Audience] = {}

    def at(self, operation: Operation) -> Iterator[Exposure]:
        name = operation.name
        match operation:
            case Add(fields=fields, section=section):
                yield Exposure(self.new, name, entry_audience(name, fields.get("aud", "")))
                yield from self._heading(name, section)
            case Replace(entry=entry, fields=fields):
                before, mark = self._stood(name, entry)
                after = entry_audience(name, fields.get("aud", mark))
                yield Exposure(self.new, name, after)
                if "aud" in fields:
                    yield Exposure(before, name, after)
            case Move(entry=entry, section=section):
                to = operation.to or name
                before, mark = self._stood(name, entry)
                yield Exposure(before, to, entry_audience(to, mark))
                yield from self._heading(to, section)
            case SetField():
                yield from self._field(operation)
            case Put():
                yield Exposure(self.new, name, audience_of(name))
            case _:
                pass

    def _field(self, operation: SetField) -> Iterator[Exposure]:
        name = operation.name
        if not operation.entry:
            yield from self._matter(name, operation)
            return
        before, mark = self._stood(name, operation.entry)
        if operation.key == "aud":
            yield Exposure(before, name, entry_audience(name, operation.value or ""))
        elif operation.key not in _WORDLESS and not _is_state(operation):
            yield Exposure(self.new, name, entry_audience(name, mark))

    def _matter(self, name: Name, operation: SetField) -> Iterator[Exposure]:
        """A frontmatter key: its words are for those whom the frontmatter itself names."""
        document = self.documents.get(name)
        stated = document.matter.text("audience") if document else ""
        before = self.frontmatter.get(name, entry_audience(name, stated))
        if operation.key == "audience":
            after = self.frontmatter[name] = entry_audience(name, operation.value or "")
            said = document.matter.text("summary") if document else ""
            yield Exposure(before if said else PUBLIC, name, after)
        elif operation.key not in _WORDLESS:
            yield Exposure(self.new, name, before)

    def _stood(self, name: Name, entry_id: str) -> tuple[Audience, str]:
        """Whom an entry's words are for, and its mark; in another document when the set moved it."""
        for place in (name, *self.documents):
            document = self.documents.get(place)
            found = document.by_id.get(entry_id) if document else None
            if found is not None:
                mark = found.fields.get("aud", "")
                return entry_audience(place, mark), mark
        return (self.new if entry_id in self.added else OWNER), ""

    def _heading(self, name: Name, section: str) -> Iterator[Exposure]:
        """A heading that is not there yet: its words are read by everyone who reads the document."""
        document = self.documents.get(name)
        if section and (document is None or document.section(section) is None):
            yield Exposure(self.new, name, audience_of(name))
