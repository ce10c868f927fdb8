"""Operations done to documents: a pure function from what is to what will be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby

from oldsoul.documents import Document, edits, marks, parse
from oldsoul.documents.edits import NewEntry
from oldsoul.documents.model import folded
from oldsoul.errors import BadInput, DocumentError, NotFound
from oldsoul.rules.policy import confidence_cap
from oldsoul.values.changes import TAGS, Add, Delete, Move, Operation, Put, Remove, Rename, Replace, SetField, Tick
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin


@dataclass(slots=True)
class WorkingCopies:
    """Documents that are being worked on."""

    documents: dict[Name, Document | None]
    """each as it is after the operations so far; None when it is not there"""
    seed: Callable[[Name], bytes]
    """what a document that is not there begins with"""
    written: dict[Name, list[str]] = field(default_factory=dict)
    """ids of the entries that were written"""
    dropped: dict[Name, list[str]] = field(default_factory=dict)
    """ids of the entries that went without being archived or merged"""
    merged: list[tuple[Name, str, str]] = field(default_factory=list)
    """entries that went because another says it now: where, which, and the other"""
    renamed: set[Name] = field(default_factory=set)
    """documents that came whole from another place"""


NUMBERED = frozenset({"session summary", "temporary facts"})
"""Sections of a session's file whose lists are numbered."""


def applied(
    operations: Iterable[Operation], key: str, documents: Mapping[Name, Document | None], seed: Callable[[Name], bytes]
) -> WorkingCopies:
    """The documents after these operations. The key makes the new entries' ids."""
    copies = WorkingCopies(dict(documents), seed)
    for _, together in groupby(enumerate(operations), key=_moves):
        for ordinal, operation in together:
            if isinstance(operation, Move):
                _move(
                    copies,
                    operation,
                    [operation.entry, *(move.entry for _, move in together if isinstance(move, Move))],
                )
            else:
                _apply(copies, operation, marks.new_id(key, ordinal))
    _check_merged(copies)
    return copies


def _moves(numbered: tuple[int, Operation]) -> Move | None:
    """What moves have in common that follow one another and can be made together; None for other operations."""
    operation = numbered[1]
    return replace(operation, entry="") if isinstance(operation, Move) else None


def _apply(
    copies: WorkingCopies, operation: Put | Delete | Rename | Add | Replace | Remove | Tick | SetField, new_id: str
) -> None:
    name = operation.name
    match operation:
        case Put(data=data):
            old = copies.documents.get(name)
            new = parse(data, is_log=name.is_log)
            before = {entry.id for entry in old.entries} if old else set()
            copies.documents[name] = new
            copies.written.setdefault(name, []).extend(e.id for e in new.entries if e.id not in before)
        case Delete():
            copies.dropped.setdefault(name, []).extend(entry.id for entry in _existing(copies, name).entries)
            copies.documents[name] = None
        case Rename(to=to):
            if copies.documents.get(to) is not None:
                raise BadInput(f"{name.path} cannot be moved to {to.path}: that file already exists")
            copies.documents[to], copies.documents[name] = _existing(copies, name), None
            copies.renamed.add(to)
        case Add():
            copies.documents[name] = _added(_begun(copies, name), operation, new_id)
            copies.written.setdefault(name, []).append(new_id)
        case SetField(entry="", key=key, value=value):
            copies.documents[name] = edits.set_key(_begun(copies, name), key, value)
        case _:
            _edit(copies, operation)


def _edit(copies: WorkingCopies, operation: Replace | Remove | Tick | SetField) -> None:
    name = operation.name
    document = _existing(copies, name)
    entry = document.find(operation.entry)
    match operation:
        case Remove(into=into):
            copies.documents[name] = edits.remove(document, entry)
            if into:
                copies.merged.append((name, entry.id, into))
            else:
                copies.dropped.setdefault(name, []).append(entry.id)
            return
        case Replace(text=text, fields=fields, keep_old=keep_old, children=children):
            if not marks.inline(text).strip("\\"):
                raise BadInput("an entry needs text; to delete the entry, remove it")
            new = edits.replace(document, entry, text, fields, keep_old=keep_old, children=children)
            _check_bookkeeping(new, entry.id, {**entry.fields, **fields})
        case Tick(done=done):
            new = edits.tick(document, entry, done=done)
        case SetField(key=key, value=value):
            new = edits.set_field(document, entry, key, value)
            wanted = {**entry.fields, key: value or ""}
            if key == "origin" and (capped := _capped(entry.fields.get("conf", ""), value)):
                new = edits.set_field(new, new.find(entry.id), "conf", capped)
                wanted["conf"] = capped
            _check_bookkeeping(new, entry.id, wanted)
    copies.documents[name] = new
    copies.written.setdefault(name, []).append(entry.id)


def _capped(confidence: str, origin: str | None) -> str:
    """The confidence an entry has left when it becomes a weaker one's; empty when it may keep its own."""
    try:
        cap = confidence_cap(Origin(origin or Origin.OPERATOR))
        return f"{cap:g}" if float(confidence) > cap else ""
    except ValueError:
        return ""


def _added(document: Document, add: Add, new_id: str) -> Document:
    if add.tag and add.tag not in TAGS:
        raise BadInput(f"{add.tag!r} is not a tag; use one of {', '.join(TAGS)}")
    if add.added and not _is_date(add.added):
        raise BadInput(f"{add.added!r} is not a date; write YYYY-MM-DD")
    if document.is_log and (not _is_date(add.title[:10]) or add.title[10:11].isdigit()):
        raise BadInput(f"the title of a log entry must begin with its date; {add.title[:40]!r} does not")
    entry = NewEntry(
        text=add.text,
        title=add.title,
        tag=add.tag,
        added=add.added,
        task=add.task,
        children=add.children,
        numbered=add.name.kind is Kind.SESSION and folded(add.section) in NUMBERED,
        id=new_id,
        fields=add.fields,
    )
    new = edits.add(document, entry, add.section)
    _check_bookkeeping(new, new_id, add.fields)
    return new


def _is_date(text: str) -> bool:
    try:
        return text.isascii() and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _check_bookkeeping(document: Document, entry_id: str, wanted: Mapping[str, str]) -> None:
    """What was written must be read back: an entry whose comment is lost would count as typed by the operator.

    The edit itself made sure that the line begins an entry; so its comment is all there is to look at.
    """
    needle = f"<!--os {entry_id}".encode()
    found = [mark for line in document.lines if needle in line and (mark := marks.read(line)) and mark.id == entry_id]
    if len(found) != 1 or found[0].fields != {key: value for key, value in wanted.items() if value != ""}:
        raise DocumentError("the entry's metadata could not be read again; use shorter or plainer values")


def _check_merged(copies: WorkingCopies) -> None:
    """An entry that was merged into another is no loss, when that other is there and this change wrote it."""
    if not copies.merged:
        return
    standing = {entry.id for document in copies.documents.values() if document for entry in document.entries}
    written = {entry for entries in copies.written.values() for entry in entries}
    for name, entry, into in copies.merged:
        if into == entry or into not in standing:
            raise NotFound(f"entry {entry} cannot be merged into {into}: these files have no such entry")
        if into not in written:
            copies.dropped.setdefault(name, []).append(entry)


def _move(copies: WorkingCopies, move: Move, ids: list[str]) -> None:
    """Take entries' lines out of one place and put them, unchanged, into another."""
    source, to = _existing(copies, move.name), move.to or move.name
    if len(set(ids)) < len(ids) and to != move.name:
        raise NotFound(f"an entry of {move.name.path} can be moved to {to.path} only once")
    entries = [source.find(one) for one in dict.fromkeys(ids)]
    ends = (b"" if entry.lines[-1].endswith(b"\n") else source.newline for entry in entries)
    lines = [[*entry.lines[:-1], entry.lines[-1] + end] for entry, end in zip(entries, ends, strict=True)]
    copies.documents[move.name] = edits.remove(source, *entries)
    copies.documents[to] = edits.insert(_begun(copies, to), lines, move.section)
    copies.written.setdefault(to, []).extend(ids)


def _existing(copies: WorkingCopies, name: Name) -> Document:
    document = copies.documents.get(name)
    if document is None:
        raise NotFound(f"there is no {name.path} in {name.workspace}")
    return document


def _begun(copies: WorkingCopies, name: Name) -> Document:
    """The document, begun from its template when it is not there."""
    document = copies.documents.get(name)
    return parse(copies.seed(name), is_log=name.is_log) if document is None else document
