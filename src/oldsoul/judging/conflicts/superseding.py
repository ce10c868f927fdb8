"""One slot, one truth: what the operator states outright marks the standing entry that says otherwise of the same slot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.documents.marks import new_id
from oldsoul.judging.conflicts.contradiction import judged
from oldsoul.language.alike import Likeness
from oldsoul.rules.confidence import is_corrected
from oldsoul.rules.retention import superseded_by
from oldsoul.values.changes import Add, Move, Remove, Role, SetField
from oldsoul.values.origin import Origin, weakest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.documents import Entry
    from oldsoul.values.changes import ChangeSet

_OUTRIGHT = 0.95
"""What the operator says outright is as sure as this."""
_COMPARED = 60
"""With so many entries a new one is compared; where more stand, with those that share the most words with it."""
_NAME = 2
"""A name before a colon has at most so many words."""


def with_superseded(change_set: ChangeSet, standing: Sequence[Entry]) -> ChangeSet:
    """The set, with a mark on each standing entry whose slot one of its new entries fills with another value.

    Only what the operator said outright does so, in the document where it is added and before the same audience. The
    old entry keeps its words; `superseded` names the new entry and the day.

    Args:
        change_set: what is about to be written.
        standing: the entries of the document that it adds to.
    """
    if not _is_operators(change_set):
        return change_set
    marks = []
    taken = {each.entry for each in change_set.operations if isinstance(each, Move | Remove)}
    for ordinal, add in enumerate(change_set.operations):
        if not isinstance(add, Add) or add.tag == "correction" or float(add.fields.get("conf", 1)) < _OUTRIGHT:
            continue
        found = _contradicted(add, [entry for entry in standing if entry.id not in taken])
        if found is not None:
            taken.add(found.id)
            value = f"{new_id(change_set.key, ordinal)},{add.added}"
            marks.append(SetField(add.name, "superseded", value, found.id))
    return replace(change_set, operations=(*change_set.operations, *marks)) if marks else change_set


def _is_operators(change_set: ChangeSet) -> bool:
    if not change_set.evidence:
        return change_set.author.role is Role.OPERATOR
    return weakest(each.origin for each in change_set.evidence) is Origin.OPERATOR


def _contradicted(add: Add, standing: Sequence[Entry]) -> Entry | None:
    """The entry that says otherwise of the same slot most surely, if any does."""
    best: tuple[float, Entry] | None = None
    if len(standing) > _COMPARED:
        near = Likeness([entry.text for entry in standing]).candidates(f"{add.title} {add.text}", _COMPARED)
        standing = [standing[place] for place in sorted(place for place, _ in near)]
    for entry in standing:
        if entry.form not in (Form.ITEM, Form.NUMBERED) or entry.done is not None or superseded_by(entry):
            continue
        if entry.tag == "correction" or is_corrected(entry) or entry.fields.get("aud", "") != add.fields.get("aud", ""):
            continue
        words = entry.text.partition(" (added ")[0]
        theirs = _forms(entry.title, words.partition("**: ")[2] if entry.title else words)
        found = [made for ours in _forms(add.title, add.text) for other in theirs if (made := judged(ours, other))]
        score = max((made.score for made in found), default=0.0)
        if found and (best is None or score >= best[0]):
            best = score, entry
    return best[1] if best else None


def _forms(title: str, text: str) -> list[str]:
    """What an entry may state: its words, without the name of whoever said them, and with its title."""
    who, colon, rest = text.partition(": ")
    is_name = colon and len(who.split()) <= _NAME and all(word[:1].isupper() for word in who.split())
    words = rest if is_name else text
    return [words, f"{title}: {words}"] if title else [words]
