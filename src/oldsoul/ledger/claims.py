"""What a change may claim: no origin stronger than its evidence's, no confidence above what that origin allows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.documents import Document, Form, marks
from oldsoul.errors import BadInput, Refused
from oldsoul.rules.audience import audience_of, entry_audience
from oldsoul.rules.policy import confidence_cap
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.changes import Add, ChangeSet, Move, Operation, Put, Replace, Role, SetField
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Entry


_CORRECTION = re.compile(r"(?<!\S)#(?=correction(?![\w-]))", re.IGNORECASE)


@dataclass(slots=True)
class EvidenceClaims:
    """The claims of one set, judged operation by operation against the documents as they are."""

    change_set: ChangeSet
    """what is asked for"""
    documents: Mapping[Name, Document | None]
    """as they are"""
    origins: dict[str, Origin] = field(default_factory=dict)
    """entries that the operations so far added or changed the origin of"""
    added: set[str] = field(default_factory=set)
    """ids of the entries the set adds"""
    targets: list[Origin] = field(default_factory=list)
    """for each operation the origin of the entry it changes, before it"""

    def judged(self) -> ChangeSet:
        """The set with claims it may make."""
        operations = tuple(self._judged(n, operation) for n, operation in enumerate(self.change_set.operations))
        return replace(self.change_set, operations=operations)

    def entry(self, name: Name, entry_id: str) -> Entry | None:
        """The entry as it is; in another document of the set when it was moved."""
        document = self.documents.get(name)
        places = [document, *self.documents.values()]
        return next((place.by_id[entry_id] for place in places if place and entry_id in place.by_id), None)

    def _judged(self, ordinal: int, operation: Operation) -> Operation:
        own = self.change_set.origin
        entry_id: str = getattr(operation, "entry", "")
        target = self._origin(operation.name, entry_id)
        self.targets.append(target)
        match operation:
            case Add():
                fields, origin = _capped(operation.fields, own)
                self.added.add(new := marks.new_id(self.change_set.key, ordinal))
                self.origins[new] = origin
                text, title = operation.text, operation.title
                if origin is not Origin.OPERATOR:
                    text, title = _uncorrecting(text), _uncorrecting(title)
                return replace(operation, fields=fields, text=text, title=title)
            case Replace():
                return self._reworded(operation, self.entry(operation.name, entry_id), target)
            case SetField(key="origin" | "conf") if entry_id:
                return self._reset(operation, self.entry(operation.name, entry_id), target)
            case _:
                return operation

    def _origin(self, name: Name, entry_id: str) -> Origin:
        """Who stated an entry: what its bookkeeping says, else the operator, as for every line typed by hand."""
        if entry_id in self.origins:
            return self.origins[entry_id]
        entry = self.entry(name, entry_id) if entry_id else None
        stated = entry.fields.get("origin", "") if entry else ""
        if not stated:
            return Origin.OPERATOR
        return Origin(stated) if stated in tuple(Origin) else Origin.UNTRUSTED

    def _reworded(self, operation: Replace, entry: Entry | None, target: Origin) -> Replace:
        """New words have their own origin; children that stay keep the entry at theirs."""
        own = self.change_set.origin
        below = operation.children is None and entry is not None and entry.end - entry.line > 1
        stays = below and entry is not None and entry.form in (Form.ITEM, Form.NUMBERED)
        if stays and self.change_set.author.role is not Role.OPERATOR:
            own = own.weaker(target)
        fields, origin = _capped(operation.fields, own)
        fields.setdefault("origin", "")
        had = _number(entry.fields.get("conf", "")) if entry else None
        if "conf" not in fields and had is not None and had > confidence_cap(origin):
            fields["conf"] = f"{confidence_cap(origin):g}"
        self.origins[operation.entry] = origin
        text = operation.text if origin is Origin.OPERATOR else _uncorrecting(operation.text)
        return replace(operation, fields=fields, text=text)

    def _reset(self, operation: SetField, entry: Entry | None, target: Origin) -> SetField:
        """One field of trust set by itself: only the operator's own hand makes it stronger."""
        by_operator = self.change_set.author.role is Role.OPERATOR
        if operation.value is None:
            if not by_operator:
                raise Refused(f"only the operator may remove {operation.key} from entry {operation.entry}")
            if operation.key == "origin":
                self.origins[operation.entry] = Origin.OPERATOR
            return operation
        own = self.change_set.origin if by_operator else self.change_set.origin.weaker(target)
        if operation.key == "origin":
            fields, origin = _capped({"origin": operation.value}, own)
            self.origins[operation.entry] = origin
            return replace(operation, value=fields.get("origin"))
        had = _number(entry.fields.get("conf", "")) if entry and target is Origin.OPERATOR else None
        allowed = max(confidence_cap(own.weaker(target)), had or 0.0)  # what the operator is sure of may only sink
        return replace(operation, value=f"{min(_confidence(operation.value), allowed):g}")


def _capped(fields: Mapping[str, str], own: Origin) -> tuple[dict[str, str], Origin]:
    """The fields an origin may claim, and the origin they claim: nobody claims more trust than they have."""
    result = dict(fields)
    origin = own
    if result.get("origin"):
        try:
            origin = Origin(result["origin"]).weaker(own)
        except ValueError:
            raise BadInput(f"{result['origin']!r} is not an origin") from None
    result.pop("origin", None)
    if origin is not Origin.OPERATOR:
        result["origin"] = str(origin)
    if result.get("conf"):
        result["conf"] = f"{min(_confidence(result['conf']), confidence_cap(origin)):g}"
    return result, origin


def _confidence(text: str) -> float:
    value = _number(text)
    if value is None or not 0 <= value <= 1:
        raise BadInput(f"a confidence is a number between 0 and 1, not {text!r}")
    return value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _uncorrecting(text: str) -> str:
    """The words with `#correction` written so that it is no tag: only the operator causes corrections."""
    return _CORRECTION.sub(r"\\#", text)


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
