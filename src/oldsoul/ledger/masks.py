"""Secrets in a change, masked before anything keeps it: in every text it can carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from oldsoul.rules.secrets import mask
from oldsoul.values.changes import Add, ChangeSet, Move, Operation, Put, Replace, SetField
from oldsoul.values.history import Snapshot
from oldsoul.values.names import Name

Clean = Callable[[str], str]


def masked(change_set: ChangeSet, standing: Mapping[Name, Snapshot]) -> tuple[ChangeSet, int]:
    """The set with every secret masked, and how many there were."""
    found = 0

    def clean(text: str) -> str:
        nonlocal found
        result = mask(text)
        found += sum(count for _, count in result.found)
        return result.text

    operations = tuple(_cleaned(operation, clean, standing) for operation in change_set.operations)
    evidence = tuple(replace(e, ref=clean(e.ref), quote=clean(e.quote)) for e in change_set.evidence)
    return replace(change_set, operations=operations, evidence=evidence, reason=clean(change_set.reason)), found


def masked_text(text: str) -> str:
    """One text with its secrets masked."""
    return mask(text).text


def _cleaned(operation: Operation, clean: Clean, standing: Mapping[Name, Snapshot]) -> Operation:
    match operation:
        case Add():
            title = clean(operation.title)
            return replace(
                operation,
                title=title,
                text=_after(title, ": ", clean(operation.text), clean),
                children=tuple(clean(child) for child in operation.children),
                section=clean(operation.section),
                fields=_cleaned_fields(operation.fields, clean),
            )
        case Replace():
            return replace(
                operation,
                text=clean(operation.text),
                fields=_cleaned_fields(operation.fields, clean),
                children=operation.children and tuple(clean(child) for child in operation.children),
            )
        case Move():
            return replace(operation, section=clean(operation.section))
        case SetField(key=key, value=str() as value):
            return replace(operation, value=_after(key, ": ", clean(value), clean))
        case Put():
            return replace(operation, data=_cleaned_text(operation, clean, standing))
        case _:
            return operation


def _cleaned_fields(fields: Mapping[str, str], clean: Clean) -> dict[str, str]:
    return {key: _after(key, "=", clean(value), clean) for key, value in fields.items()}


def _after(name: str, between: str, value: str, clean: Clean) -> str:
    """The value, masked as it will be read: after its title or key, which may say that it is a password."""
    if not name or not value:
        return value
    lead = f"{name}{between}"
    whole = clean(lead + value)
    return whole.removeprefix(lead) if whole.startswith(lead) else value


def _cleaned_text(put: Put, clean: Clean, standing: Mapping[Name, Snapshot]) -> bytes:
    """A whole text, masked in the lines that are new; what a person left there by hand is not touched."""
    snapshot = standing.get(put.name)
    old = set((snapshot.data or b"").split(b"\n")) if snapshot else set()
    lines = put.data.split(b"\n")
    if all(line in old for line in lines):
        return put.data
    fresh = b"\n".join(b"" if line in old else line for line in lines)
    text = fresh.decode("utf-8", "surrogateescape")
    cleaned = clean(text)
    if cleaned == text:
        return put.data
    pieces = cleaned.encode("utf-8", "surrogateescape").split(b"\n")
    return b"\n".join(line if line in old else piece for line, piece in zip(lines, pieces, strict=True))
