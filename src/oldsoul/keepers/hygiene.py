"""What is searched, kept clean: marks in the files say what is stale or corrected, and what has left the search by now.

The index follows from the files: it leaves out what is marked so, and one that is rebuilt leaves out the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from oldsoul.keepers.compact import TidyOptions, affordable, counted, document, listed
from oldsoul.keepers.questions import Findings, Keeper, Listed, Read
from oldsoul.rules.policy import is_correction
from oldsoul.rules.retention import CORRECTED, OUT, STALE, STALE_DAYS, STALE_GRACE_DAYS, dated, marked
from oldsoul.values.changes import Author, ChangeSet, Role, SetField
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from oldsoul.documents import Document

KEEPER = "vector-hygiene"
AUTHOR = Author(Role.KEEPER, KEEPER)
_KINDS = (Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.CORRECTIONS, Kind.ARCHIVE)
_ARCHIVES = ("Archive/Memory/", "Archive/Corrections/")


def mark_stale(tidying: TidyOptions) -> Keeper:
    """The marks that entries get, change and lose today: a set for each document."""
    there = yield Listed(_KINDS)
    names = tuple(name for name in there if name.kind is not Kind.ARCHIVE or name.path.startswith(_ARCHIVES))
    standing = yield Read(names)
    read = {name: parsed for name, data in standing.items() if (parsed := document(name, data)) is not None}
    corrected = superseded(parsed for name, parsed in read.items() if is_correction(name))
    sets: list[ChangeSet] = []
    waiting = 0
    for name, parsed in read.items():
        if not is_correction(name):
            made, more = _marked(tidying, name, parsed, corrected)
            sets += made
            waiting += more
    notes = (f"{waiting} entries are marked in the next run",) if waiting else ()
    return Findings(tuple(sets), notes)


def superseded(corrections: Iterable[Document]) -> dict[str, date]:
    """The entries that corrections replaced, with the day of the last that did."""
    found: dict[str, date] = {}
    for entry in (entry for parsed in corrections for entry in parsed.entries):
        day = dated(entry)
        for one in entry.fields.get("supersedes", "").split(",") if day else ():
            if one and day is not None:
                found[one] = max(day, found.get(one, day))
    return found


def _marked(
    tidying: TidyOptions, name: Name, parsed: Document, corrected: Mapping[str, date]
) -> tuple[list[ChangeSet], int]:
    """The change that sets a document's marks, as many as one run may, and how many entries are left."""
    most = affordable(len(parsed.entries))
    operations: list[SetField] = []
    told: defaultdict[str, list[str]] = defaultdict(list)
    more = 0
    for entry in parsed.entries:
        fields = marked(name, entry, corrected.get(entry.id), tidying.today, tidying.retention)
        if fields is None:
            continue
        if len(operations) + len(fields) > most:
            more += 1
            continue
        operations += [SetField(name, key, value, entry.id) for key, value in fields.items()]
        told[fields.get("status", "") or ""].append(entry.id)
    if not operations:
        return [], more
    options = tidying.retention
    reasons = {
        STALE: f"Stale, mentioned once and not for {STALE_DAYS} days; they leave the index in {STALE_GRACE_DAYS} days",
        CORRECTED: f"Corrected; they leave the index {options.corrected_embedding_grace_days} days after that",
        OUT: "Removed from the index; the text stays in its file",
        "": "Back in the index, because they were mentioned or reworded",
    }
    lines = [f"{why}: {listed(told[status])}" for status, why in reasons.items() if told[status]]
    count = counted(sum(map(len, told.values())), "entry", "entries")
    block = tidying.logged(f"Index: {count} of {name.path}", lines)
    change = ChangeSet(
        (*operations, block), AUTHOR, "stale and corrected entries removed from the index", tidying.key("marks", name)
    )
    return [change], more
