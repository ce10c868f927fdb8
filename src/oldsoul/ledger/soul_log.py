"""What goes with a change to a soul: the version before it in SOUL_HISTORY, and a block of CHANGELOG.md.

The ledger adds both itself, in the same commit, so that no way through the door leaves them out: a keeper's own edit, a
proposal approved much later, a change taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count

from oldsoul.documents import parse, render
from oldsoul.errors import TooLarge
from oldsoul.language.sentences import shortened
from oldsoul.rules.apply import applied
from oldsoul.rules.diary import offset
from oldsoul.values.changes import Add, Evidence, Role
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Effect, version_of
from oldsoul.values.names import Kind, Name

RECORDED = frozenset({Role.KEEPER, Role.AGENT, Role.PARTICIPANT})
"""Whose changes to a soul are recorded, whoever approved them. What the operator writes is in history alone."""
RECORDS = frozenset({Kind.CHANGELOG, Kind.SOUL_HISTORY})
"""What records changes of a soul: it is never taken back with one."""
SNAPSHOT = "snapshot"
"""The note that names the snapshot made with a change."""
_MOST_SHOWN = 6
_LONGEST = 300


@frozen
class ChangelogEntry:
    """What CHANGELOG.md says of a change."""

    by: str
    """who made it, and who approved it"""
    reason: str
    """why"""
    evidence: tuple[Evidence, ...] = ()
    """what it rests on: where it is found, never its words"""


@frozen
class SoulLog:
    """What is written next to a change to a soul."""

    documents: Mapping[Name, bytes | None]
    """the snapshot, unless it is already, and CHANGELOG.md"""
    effects: tuple[Effect, ...]
    """the same as effects of the change"""
    snapshot: str
    """the snapshot's path; empty when nothing was before"""


def soul_of(workspace: str) -> Name:
    """The soul of a workspace."""
    return Name(workspace, "SOUL.md")


def soul_log(
    versions: tuple[bytes | None, bytes | None],
    account: ChangelogEntry,
    key: str,
    now: datetime,
    log: tuple[Name, bytes | None, int],
    *,
    read: Callable[[Name], bytes | None],
    seed: Callable[[Name], bytes],
) -> SoulLog:
    """The record of a soul that goes from one version to another, at this local time.

    `log` is CHANGELOG.md: its name, what it holds, and how many bytes it may have.
    """
    before, after = versions
    changelog, held, limit = log
    documents: dict[Name, bytes | None] = {}
    effects: list[Effect] = []
    path = ""
    if before is not None:
        snapshot, stands = _place(changelog.workspace, before, now, read)
        path = snapshot.path
        if not stands:
            documents[snapshot] = before
            effects.append(Effect(snapshot, "", version_of(before)))
    lines = [
        *_difference(before, after),
        f"**Why:** {account.reason}",
        f"**Evidence:** {', '.join(dict.fromkeys(e.ref for e in account.evidence)) or 'none'}",
        f"**By:** {account.by}",
        f"**Snapshot:** {path or 'none, there was no SOUL.md before'}",
    ]
    block = Add(changelog, "SOUL.md was changed.", title=f"{now:%Y-%m-%d %H:%M} {offset(now)}", children=tuple(lines))
    standing = None if held is None else parse(held, is_log=True)
    copies = applied([block], f"soul-log:{key}", {changelog: standing}, seed)
    written = copies.documents[changelog]
    data = render(written) if written is not None else b""
    if len(data) > limit:
        raise TooLarge(changelog.path, len(data), limit)
    documents[changelog] = data
    effects.append(Effect(changelog, version_of(held), version_of(data), tuple(copies.written[changelog])))
    return SoulLog(documents, tuple(effects), path)


def _place(workspace: str, data: bytes, now: datetime, read: Callable[[Name], bytes | None]) -> tuple[Name, bool]:
    """Where a snapshot of this minute is, and whether it does so already."""
    for number in count(1):
        suffix = f"-{number}" if number > 1 else ""
        name = Name(workspace, f"SOUL_HISTORY/SOUL-{now:%Y-%m-%d-%H%M}{suffix}.md")
        held = read(name)
        if held is None or held == data:
            return name, held is not None
    raise AssertionError  # pragma: no cover - numbers do not end


def _difference(before: bytes | None, after: bytes | None) -> list[str]:
    """What came, went and was reworded, entry by entry, as everyone who reads the soul sees it."""
    old = {entry.id: entry for entry in parse(before or b"").entries}
    new = {entry.id: entry for entry in parse(after or b"").entries}
    found: list[str] = []
    for entry in new.values():
        was = old.get(entry.id)
        where = f" ({entry.section})" if entry.section else ""
        if was is None:
            found.append(f"**Added**{where}: {shortened(entry.text, _LONGEST)}")
        elif was.body != entry.body:
            texts = shortened(was.text, _LONGEST), shortened(entry.text, _LONGEST)
            found.append(f"**Reworded**{where}: {texts[0]} → {texts[1]}")
    for entry in old.values():
        if entry.id not in new:
            where = f" ({entry.section})" if entry.section else ""
            found.append(f"**Removed**{where}: {shortened(entry.text, _LONGEST)}")
    more = len(found) - _MOST_SHOWN
    shown = [*found[:_MOST_SHOWN], *([f"**Further entries:** {more}"] if more > 0 else [])]
    return shown or ["**Changed:** headings or blank lines"]
