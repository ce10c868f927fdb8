"""Documents and workspaces as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oldsoul.views.history import evidence

if TYPE_CHECKING:
    from oldsoul.app import Oldsoul
    from oldsoul.app.memory_requests import Remembered
    from oldsoul.app.services.files import File
    from oldsoul.app.talk.days import Day
    from oldsoul.ledger import Outcome
    from oldsoul.values.recall import Entries, Entry, EntryPast

_NEAR = 0.8


def file(of: File) -> dict[str, Any]:
    """A document of a workspace: its path, kind, size in bytes, limit, state, version and when it was changed."""
    return {
        "path": of.name.path,
        "kind": str(of.name.kind),
        "size": of.size,
        "limit": of.limit,
        "state": _state(of),
        "version": of.version,
        "modified": of.modified.isoformat(),
    }


def _state(of: File) -> str:
    if str(of.name.kind) == "other":
        return "not ours"
    if of.size > of.limit:
        return "over limit"
    if of.size > of.limit * _NEAR:
        return "near limit"
    return "as seeded" if of.untouched else "edited"


def document(path: str, version: str, data: bytes) -> dict[str, Any]:
    """A document's text; bytes that are not UTF-8 become lone surrogates."""
    return {"path": path, "version": version, "size": len(data), "text": text(data)}


def text(data: bytes) -> str:
    """Bytes as text that can be turned back."""
    return data.decode("utf-8", "surrogateescape")


def entry(of: Entry) -> dict[str, Any]:
    """An entry: where it is and what it says, how sure it is, where it comes from and who may see it."""
    return {
        "entry": of.id,
        "path": of.path,
        "line": of.line,
        "text": of.text,
        "title": of.title,
        "section": of.section,
        "tag": of.tag,
        "stored": of.stored,
        "confidence": of.confidence,
        "seen": of.seen.isoformat() if of.seen else None,
        "added": of.added.isoformat() if of.added else None,
        "mentions": of.mentions,
        "source": of.source,
        "origin": str(of.origin),
        "audience": str(of.audience),
        "superseded": of.superseded,
        "searched": of.searched,
    }


def entry_past(of: EntryPast) -> dict[str, Any]:
    """An entry, the words that can be edited, the version of its file, how much it was used, and its changes."""
    used = of.reuse
    return {
        **entry(of.entry),
        "words": of.words,
        "version": of.version,
        "used": {"sessions": used.sessions, "times": used.times, "last": used.last.isoformat()} if used else None,
        "history": [
            {
                "change": step.change.id,
                "at": step.change.at,
                "author": str(step.change.author),
                "reason": step.change.reason,
                "before": step.before,
                "after": step.after,
                "evidence": evidence(step.change.evidence),
            }
            for step in of.steps
        ],
    }


def entries(of: Entries) -> dict[str, Any]:
    """A page of entries, how many there are on all pages, and the offset of the next page."""
    return {"entries": [entry(each) for each in of], "total": of.total, "next": of.next}


def remembered(made: Remembered, agent: str) -> dict[str, Any]:
    """An entry that was written down: the change, the entry's id, where it is, and what was masked."""
    return {
        "change": made.change,
        "entry": made.entry,
        "path": made.name.path,
        "line": made.line,
        "agent": agent,
        "repeated": made.repeated,
        "masked": made.outcome.masked,
        "warnings": list(made.outcome.warnings),
    }


def saved(path: str, outcome: Outcome | None, *, merged: bool) -> dict[str, Any]:
    """A document that was saved, if it changed; merged with what others wrote meanwhile, or not."""
    change = outcome.change if outcome else None
    return {
        "path": path,
        "changed": bool(change and change.effects),
        "change": change.id if change else None,
        "merged": merged,
        "masked": outcome.masked if outcome else 0,
        "warnings": list(outcome.warnings) if outcome else [],
    }


def edited(path: str, entry: str, outcome: Outcome) -> dict[str, Any]:
    """An entry that was given other words, if they are others."""
    change = outcome.change
    return {
        "change": change.id if change and change.effects else None,
        "entry": entry,
        "path": path,
        "masked": outcome.masked,
        "warnings": list(outcome.warnings),
    }


def erased(entry: str, outcome: Outcome) -> dict[str, Any]:
    """An entry that was erased: the change, the documents it was taken from, and the entries that say the same and stay."""
    change = outcome.change
    files = [effect.name.path for effect in change.effects] if change else []
    alike = [{"entry": one.id, "path": name.path, "text": one.text} for name, one in outcome.alike]
    return {"change": change.id if change else None, "entry": entry, "files": files, "alike": alike}


def day(of: Day) -> dict[str, Any]:
    """A day of the diary: its date, number of entries, size in bytes, path, and whether it is in the archive."""
    return {
        "day": of.day.isoformat(),
        "entries": of.entries,
        "size": of.size,
        "path": of.name.path,
        "archived": of.archived,
    }


def workspace(soul: Oldsoul, name: str) -> dict[str, Any]:
    """An agent, a team or what is shared: its folder, how full MEMORY.md is, and how many proposals wait."""
    agent = soul.agent(name)
    files = agent.files.all()
    memory = next((each for each in files if each.name.path == "MEMORY.md"), None)
    kind = "agent" if name in soul.agents() else "team" if name in soul.teams() else "shared"
    return {
        "id": name,
        "kind": kind,
        "default": name == soul.settings.default_agent,
        "folder": soul.workspace_folder(name),
        "files": len(files),
        "memory": memory.size if memory else None,
        "limit": memory.limit if memory else None,
        "proposals": len(agent.review.proposals()),
    }
