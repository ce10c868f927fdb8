"""What the soul keeper reads in files: corrections, leniently, for people write them too; and what was to be remembered."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from oldsoul.documents import Form, parse
from oldsoul.judging.mining.standing import is_standing
from oldsoul.language.alike import telling
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.confidence import last_seen, origin_of
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Evidence
from oldsoul.values.frozen import frozen
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from oldsoul.documents import Entry
    from oldsoul.values.names import Name

_FIELD = re.compile(r"^\s*(?:[-*]\s+)?\*\*([\w -]{2,30}):\*\*\s*(.*?)\s*$", re.MULTILINE)
_WITHIN = timedelta(days=30)
_OF_ONE_KIND = ("date", "time", "weekday", "number")
_ALIKE = 0.5
_LOOKED_AT = 50
_NAME = re.compile(r"[A-Z][a-z'-]+(?: [A-Z][a-z'-]+)?")


@frozen
class Correction:
    """Something the operator corrected."""

    id: str
    """the entry's id"""
    when: date
    """the day"""
    correct: str
    """what the operator said; all of the block's words where nothing tells them apart"""
    old: str
    """the value that was wrong, where it is told"""
    new: str
    """the value that is right, where it is told"""
    source: str
    """the message behind it, as `m:139`; empty when it is not known"""
    evidence: Evidence
    """the same, as what an edit rests on"""

    @property
    def kind(self) -> str:
        """What kind of thing was wrong; empty where its words do not tell."""
        for value in typed_values(self.new or self.correct)[:1]:
            if value.kind in _OF_ONE_KIND and (self.new or self.old):
                return value.kind
        return "name" if self.old and self.new and _NAME.fullmatch(self.new) and _NAME.fullmatch(self.old) else ""


def corrections(name: Name, data: bytes | None, now: datetime) -> list[Correction]:
    """The operator's corrections in a log, in order; an entry that anybody else stated is none."""
    entries = parse(data or b"", is_log=True).entries
    return [
        _read(name, entry, now) for entry in entries if entry.form is Form.DATED and origin_of(entry) is Origin.OPERATOR
    ]


def remembered(name: Name, data: bytes | None, now: datetime) -> list[Correction]:
    """Standing instructions that the operator had remembered, as what an edit may rest on.

    What was taken out of a message is left to that message.
    """
    return [
        Correction(
            id=entry.id,
            when=last_seen(entry) or now.date(),
            correct=_words(entry),
            old="",
            new="",
            source="",
            evidence=Evidence(f"{name.workspace}/{name.path}#{entry.id}", Origin.OPERATOR, OWNER),
        )
        for entry in parse(data or b"").entries
        if entry.form in (Form.ITEM, Form.NUMBERED)
        and is_standing(entry.text)
        and origin_of(entry) is Origin.OPERATOR
        and not entry.fields.get("src", "")
    ]


def _words(entry: Entry) -> str:
    text = entry.text.partition(" (added ")[0]
    return text.partition("**: ")[2] if entry.title else text


def _read(name: Name, entry: Entry, now: datetime) -> Correction:
    body = entry.body.partition("\n")[2].strip()
    fields = {key.strip().casefold(): value for key, value in _FIELD.findall(body)}
    try:
        when = date.fromisoformat(entry.title[:10])
    except ValueError:
        when = now.date()
    return Correction(
        id=entry.id,
        when=when,
        correct=fields.get("correct", "") or _FIELD.sub("", body).strip(),
        old=next((fields[label] for label in ("wrong value", "old value", "was") if label in fields), ""),
        new=next((fields[label] for label in ("right value", "new value", "now") if label in fields), ""),
        source=entry.fields.get("src", ""),
        evidence=Evidence(f"{name.workspace}/{name.path}#{entry.id}", Origin.OPERATOR, OWNER),
    )


def mistakes(found: Sequence[Correction]) -> Iterator[tuple[str, tuple[Correction, Correction]]]:
    """Mistakes that were made twice within a month: of one kind, or about nearly the same; the two corrections of each."""
    ordered = [(one, one.kind) for one in sorted(found, key=lambda one: one.when)]
    told: set[str] = set()
    start = 0
    for number, (later, kind) in enumerate(ordered):
        while later.when - ordered[start][0].when > _WITHIN:
            start += 1
        for earlier, other in reversed(ordered[max(start, number - _LOOKED_AT) : number]):
            if kind in told or (earlier.source and earlier.source == later.source):
                continue
            again = not (kind or other) and (later.new or later.old) and _alike(earlier.correct, later.correct)
            if again or (kind and kind == other):
                told.add(kind)
                yield kind, (earlier, later)
                break


def _alike(one: str, other: str) -> bool:
    a, b = telling(one), telling(other)
    return bool(a and b) and len(a & b) / len(a | b) >= _ALIKE
