"""What a change may claim: no origin stronger than its evidence's, no confidence above what that origin allows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from oldsoul.documents import Document, Form, marks
from oldsoul.errors import BadInput, Refused
from oldsoul.rules.policy import confidence_cap
from oldsoul.values.changes import Add, ChangeSet, Operation, Replace, Role, SetField
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
