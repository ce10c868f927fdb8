"""Versions of a document compared and brought together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.documents import marks, parse
from oldsoul.rules.merge import lines
from oldsoul.values.history import ABSENT, Change, Effect
from oldsoul.values.names import Kind, Name

_MANY = 3
"""A change that creates more files is told by their number."""
_LOOKED_AT = 50


def difference(path: str, before: bytes | None, after: bytes | None) -> str:
    """What lies between two versions of a document, as `diff -u` shows it."""
    return lines.diff(before or b"", after or b"", path)


def summaries(agent: AgentWorkspace, changes: Iterable[Change]) -> list[list[str]]:
    """What changes did, of each a line for each entry: `+` added, `-` removed, `~` changed, archived or moved.

    Bookkeeping is left out. What was forgotten since is in no version any more, and so not in the summary.
    """
    entries = cache(partial(_entries, agent))  # what one change left is what the next began with
    return [_summary(agent, change, entries) for change in changes]


def _summary(agent: AgentWorkspace, change: Change, entries: Callable[[Name, str], dict[str, str]]) -> list[str]:
    created = [effect for effect in change.effects if effect.before == ABSENT]
    if len(created) > _MANY:
        return [f"+ {len(created)} files"]
    came: dict[str, str] = {}
    went: dict[str, str] = {}
    archived: set[str] = set()
    told: list[str] = []
    for effect in change.effects:
        before, after = (entries(effect.name, version) for version in (effect.before, effect.after))
        new = {key: text for key, text in after.items() if before.get(key) != text}
        gone = {key: text for key, text in before.items() if after.get(key) != text}
        if effect.name.kind is Kind.ARCHIVE:
            archived |= new.keys()
        if not (new or gone):
            told += _outside_entries(agent, effect)
        came |= new
        went |= gone
    moved = {key for key in came.keys() & went.keys() if came[key] == went[key]}
    told += [f"~ {_counted(len(moved & archived))} archived"] if moved & archived else []
    told += [f"~ {_counted(len(moved - archived))} moved"] if moved - archived else []
    told += [f"{'~' if key in went else '+'} {text}" for key, text in came.items() if key not in moved]
    return [*told, *(f"- {text}" for key, text in went.items() if key not in came)]


def _entries(agent: AgentWorkspace, name: Name, version: str) -> dict[str, str]:
    """The words of a version's entries, by id."""
    document = parse(agent.home.ledger.content(version) or b"", is_log=name.is_log)
    return {entry.id: _shown(entry.text, entry.body if name.is_log else "") for entry in document.entries}


def _shown(title: str, body: str) -> str:
    """An entry in a line: its text, and of a dated block how it begins."""
    first = next((line for line in body.split("\n") if line.strip() not in ("", title.strip())), "")
    return " ".join(marks.without_marks(f"{title} {first.removeprefix('## ')}").split())


def _outside_entries(agent: AgentWorkspace, effect: Effect) -> list[str]:
    """What a change did to a file outside its entries."""
    before, after = (agent.home.ledger.content(version) or b"" for version in (effect.before, effect.after))
    gone, new = (sum(map(bool, map(_words, found))) for found in lines.changed_lines(before, after))
    if effect.before == ABSENT:
        return [f"+ {effect.name.path}"]
    if effect.after == ABSENT:
        return [f"- {effect.name.path}"]
    if not (gone or new):
        return []
    return [f"~ {effect.name.path}: {new} {'line' if new == 1 else 'lines'} added, {gone} removed"]


def _words(line: bytes) -> str:
    return marks.without_marks(line.decode("utf-8", "replace")).strip()


def _counted(entries: int) -> str:
    return f"{entries} {'entry' if entries == 1 else 'entries'}"
