"""Files, entries and workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from oldsoul.lazy import lazy
from oldsoul.values.frozen import frozen
from oldsoul.views.history import EvidenceShown, change
from oldsoul.views.shape import (
    Also,
    ChangeNumber,
    EntryId,
    Inside,
    Next,
    Path,
    Shown,
    Time,
    Version,
    copied,
    example,
    one_of,
    text_of,
)
from oldsoul.views.upkeep import IndexState, index

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.app import Agent, Oldsoul
    from oldsoul.app.memory_requests import Remembered
    from oldsoul.app.services.files import File
    from oldsoul.app.talk.days import Day
    from oldsoul.ledger import Outcome
    from oldsoul.values.history import Snapshot
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Entries, Entry, EntryPast

(seals,) = lazy("oldsoul.app.home", "seals")
_NEAR = 0.8


@frozen
class FileShown(Shown):
    """A file of a workspace."""

    filename: Path
    """Its path in the workspace."""
    kind: str
    """What kind of file it is."""
    size_bytes: int
    """How many bytes it has."""
    limit_bytes: int
    """How many it may have."""
    state: Annotated[str, one_of("as seeded", "edited", "near limit", "over limit", "not ours")]
    """`as seeded`, `edited`, `near limit`, `over limit` or `not ours`."""
    version: Version
    """The version in the history."""
    last_modified: Time
    """When it was changed."""


def file(of: File) -> FileShown:
    """A file of a workspace: its path, kind, size in bytes, limit, state, version and when it was changed."""
    return copied(
        FileShown,
        of,
        filename=of.name.path,
        kind=of.name.kind,
        size_bytes=of.size,
        limit_bytes=of.limit,
        state=_state(of),
        last_modified=_utc(of.modified),
    )


def _state(of: File) -> str:
    if str(of.name.kind) == "other":
        return "not ours"
    if of.size > of.limit:
        return "over limit"
    if of.size > of.limit * _NEAR:
        return "near limit"
    return "as seeded" if of.untouched else "edited"


def _utc(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


@frozen
class FileList(Shown):
    """The files of a workspace, one page of them."""

    agent_name: str
    """The agent, team or shared workspace."""
    files: tuple[FileShown, ...]
    """The files, by path."""
    next: int | None
    """The offset of the next page; null on the last."""


@frozen
class FileBody(Shown):
    """A file with its content."""

    filename: Path
    """Its path in the workspace."""
    content: str
    """Its text; bytes that are not UTF-8 are replaced."""
    size_bytes: int
    """How many bytes it has."""
    limit_bytes: int
    """How many it may have."""
    last_modified: Time
    """When it was changed."""
    agent_name: str
    """The agent, team or shared workspace."""
    version: Version
    """The version in the history. The ETag is the md5 of the content."""
    is_text: bool
    """Whether it is UTF-8, so that saving `content` loses nothing."""


def body(agent: Agent, name: Name, data: bytes, version: str) -> FileBody:
    """A file with its content."""
    about = agent.files.file(name.path)
    content = data.decode("utf-8", "replace")
    return FileBody(
        filename=name.path,
        content=content,
        size_bytes=len(data),
        limit_bytes=about.limit,
        last_modified=_utc(about.modified),
        agent_name=agent.id,
        version=version,
        is_text=content.encode() == data,
    )


@frozen
class SavedFile(FileBody):
    """A file that was saved."""

    change: ChangeNumber | None
    """The change in the history; null when it already had that content."""
    masked: int
    """How many secrets were masked in it."""
    warnings: tuple[str, ...]
    """What else is to be known."""


def saved_file(of: FileBody, outcome: Outcome) -> SavedFile:
    """A file that was saved, with its content as it is now."""
    return copied(SavedFile, of, change=_change(outcome), masked=outcome.masked, warnings=outcome.warnings)


def _change(outcome: Outcome) -> int | None:
    """The number of the change, where something changed."""
    change = outcome.change
    return seals.change(change.id) if change and change.effects else None


@frozen
class DeletedFile(Shown):
    """A file that was deleted; undoing the change brings it back."""

    filename: Path
    """Its path in the workspace."""
    agent_name: str
    """The agent, team or shared workspace."""
    change: ChangeNumber | None
    """The change in the history."""


def deleted_file(agent: Agent, name: Name, outcome: Outcome) -> DeletedFile:
    """A file that was deleted."""
    change = outcome.change
    return DeletedFile(name.path, agent.id, seals.change(change.id) if change else None)


@frozen
class DocumentShown(Shown):
    """The text of a file, now or at a version."""

    path: Path
    """The file."""
    version: Version
    """Its version."""
    size: int
    """How many bytes it has."""
    text: str
    """Its text; bytes that are not UTF-8 are replaced, or escaped where JSON can."""


def document(path: str, version: str, data: bytes) -> DocumentShown:
    """A file's text; bytes that are not UTF-8 become lone surrogates."""
    return DocumentShown(path, version, len(data), text_of(data))


@frozen
class FileThen(DocumentShown):
    """A file as it was right after a change."""

    change: ChangeNumber
    """The change."""


def file_then(path: str, number: int, found: Snapshot) -> FileThen:
    """A file as it was right after a change."""
    return copied(FileThen, document(path, found.version, found.data or b""), change=seals.change(number))


@frozen
class EntryShown(Shown):
    """One entry of a file."""

    entry: EntryId
    """Its id."""
    path: Path
    """The file it is in."""
    line: Annotated[int, example(12)]
    """Its first line, from 1."""
    text: Annotated[str, example("Deploys happen on Tuesdays")]
    """What it says."""
    title: str
    """Its title, where it has one."""
    section: str
    """The heading above it."""
    tag: Annotated[str, example("decision")]
    """What kind of memory it is."""
    stored: float
    """Its confidence when it was last mentioned, from 0 to 1."""
    confidence: float
    """Its confidence today."""
    seen: str | None
    """The day it was last mentioned."""
    added: str | None
    """The day it was added."""
    mentions: int
    """How often it was mentioned."""
    source: Inside
    """The message or file it comes from; empty for others than the operator."""
    origin: str
    """Who stated it."""
    audience: str
    """Who may see it."""
    superseded: bool
    """Whether a newer entry replaced it."""
    searched: bool
    """Whether search covers it."""


def entry(of: Entry) -> EntryShown:
    """An entry: where it stands and what it says, how sure it is, where it comes from and who may see it."""
    return copied(EntryShown, of, entry=of.id, source=seals.inside(of.source))


@frozen
class EntryList(Shown):
    """A page of entries."""

    entries: tuple[EntryShown, ...]
    """The entries."""
    total: int
    """How many there are on all pages."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


def entries(of: Entries) -> EntryList:
    """A page of entries, how many there are on all pages, and where the next page begins."""
    return EntryList(tuple(map(entry, of)), of.total, None if of.next is None else str(of.next))


@frozen
class Used(Shown):
    """How much an entry was used in prompts and answers."""

    sessions: int
    """In how many sessions."""
    times: int
    """How often."""
    last: Time
    """When last."""


@frozen
class EntryChange(Shown):
    """One change of an entry."""

    change: ChangeNumber
    """Its number."""
    at: Time
    """When it was made."""
    author: str
    """Who made it."""
    reason: str
    """Why."""
    before: str | None
    """What the entry said before; null when it was not there."""
    after: str | None
    """What it said after; null when it went. The same as before where only a mention was recorded."""
    evidence: tuple[EvidenceShown, ...]
    """What it rests on."""


@frozen
class EntryWhole(EntryShown):
    """An entry, how it came to be what it is, and how much it was used."""

    words: str
    """The words of its first line without date and tag, as they can be edited."""
    version: Version
    """The version of its file; give it as `base` to edit only what you saw."""
    used: Used | None
    """Null when it was never used."""
    history: tuple[EntryChange, ...]
    """Its changes, the newest first."""


def entry_past(of: EntryPast) -> EntryWhole:
    """An entry, the words that can be edited, the version of its file, how much it was used, and its changes."""
    return copied(
        EntryWhole,
        entry(of.entry),
        words=of.words,
        version=of.version,
        used=copied(Used, of.reuse) if of.reuse else None,
        history=[copied(EntryChange, change(step.change), before=step.before, after=step.after) for step in of.steps],
    )


@frozen
class RememberedShown(Shown):
    """An entry that was written down. It is durable."""

    change: ChangeNumber
    """The change in the history."""
    entry: EntryId
    """Its id."""
    path: Path
    """The file it is in."""
    line: int
    """Its line; 0 when it is not there any more."""
    agent: str
    """Whose memory it is in."""
    repeated: bool
    """Whether it was known already."""
    masked: int
    """How many secrets were masked in it."""
    warnings: tuple[str, ...]
    """What else is to be known."""


def remembered(made: Remembered, agent: str) -> RememberedShown:
    """An entry that was written down: the change, the entry's id, where it stands, and what was masked."""
    return copied(
        RememberedShown,
        made,
        change=seals.change(made.change),
        path=made.name.path,
        agent=agent,
        masked=made.outcome.masked,
        warnings=made.outcome.warnings,
    )


@frozen
class Saved(Shown):
    """A file that was saved, if it changed."""

    path: Path
    """The file."""
    changed: bool
    """Whether it changed."""
    change: ChangeNumber | None
    """The change in the history; null when there is none."""
    merged: bool
    """Whether it was merged with what others wrote meanwhile."""
    masked: int
    """How many secrets were masked in it."""
    warnings: tuple[str, ...]
    """What else is to be known."""


def saved(path: str, outcome: Outcome | None, *, merged: bool) -> Saved:
    """A file that was saved, if it changed; merged with what others wrote meanwhile, or not."""
    change = outcome.change if outcome else None
    return Saved(
        path=path,
        changed=bool(change and change.effects),
        change=seals.change(change.id) if change else None,
        merged=merged,
        masked=outcome.masked if outcome else 0,
        warnings=tuple(outcome.warnings) if outcome else (),
    )


@frozen
class Edited(Shown):
    """An entry that was edited."""

    change: ChangeNumber | None
    """The change in the history; null when it already said that."""
    entry: EntryId
    """Its id."""
    path: Path
    """The file it is in."""
    masked: int
    """How many secrets were masked in it."""
    warnings: tuple[str, ...]
    """What else is to be known."""


def edited(path: str, entry: str, outcome: Outcome) -> Edited:
    """An entry that was given other words, if they are others."""
    return Edited(_change(outcome), entry, path, outcome.masked, tuple(outcome.warnings))


@frozen
class Alike(Shown):
    """An entry that says the same as one that was erased, on separate evidence."""

    entry: EntryId
    """Its id."""
    path: Path
    """The file it is in."""
    text: str
    """What it says."""


@frozen
class Erased(Shown):
    """An entry that was erased for good."""

    change: ChangeNumber | None
    """The change in the history."""
    entry: EntryId
    """Its id."""
    files: tuple[Path, ...]
    """The files it was taken from."""
    alike: tuple[Alike, ...]
    """The entries that say the same on separate evidence: they stay until you erase them too."""


def erased(entry: str, outcome: Outcome) -> Erased:
    """An entry that was erased: the change, the files it was taken from, and the entries that say the same and stay."""
    change = outcome.change
    return Erased(
        change=seals.change(change.id) if change else None,
        entry=entry,
        files=tuple(effect.name.path for effect in change.effects) if change else (),
        alike=tuple(Alike(one.id, name.path, one.text) for name, one in outcome.alike),
    )


@frozen
class DailyFile(Shown):
    """A file of the daily log."""

    filename: Path
    """Its path in the workspace."""
    date: Annotated[str, Also(format="date", examples=["2026-02-04"])]
    """The day."""
    size_bytes: int
    """How many bytes it has."""
    entries: int
    """How many entries it has."""
    archived: bool
    """Whether it is in the archive."""


def day(of: Day) -> DailyFile:
    """A file of the daily log: its path, date, size in bytes, number of entries, and whether it is in the archive."""
    return DailyFile(of.name.path, of.day.isoformat(), of.size, of.entries, of.archived)


@frozen
class DailyFiles(Shown):
    """The daily logs, the latest first."""

    agent_name: str
    """The agent, team or shared workspace."""
    files: tuple[DailyFile, ...]
    """The files."""
    next: int | None
    """The offset of the next page; null on the last."""


@frozen
class DailyText(DailyFile):
    """A file of the daily log with its text."""

    text: str
    """Its text."""


def day_text(of: Day, data: bytes) -> DailyText:
    """A file of the daily log with its text."""
    return copied(DailyText, day(of), text=text_of(data))


@frozen
class AgentShown(Shown):
    """An agent, a team, or the workspace that all share."""

    id: Annotated[str, example("main")]
    """Its id."""
    display_name: Annotated[str, example("Juniper")]
    """What people see it called."""
    kind: Annotated[str, one_of("agent", "team", "shared")]
    """What it is."""
    default: bool
    """Whether it is the default agent."""


@frozen
class AgentList(Shown):
    """The agents that a token may use."""

    agents: tuple[AgentShown, ...]
    """The agents."""


def agent(soul: Oldsoul, of: Agent) -> AgentShown:
    """An agent, a team or what is shared, and what people see it called."""
    kind = "agent" if of.id in soul.agents() else "team" if of.id in soul.teams() else "shared"
    return AgentShown(of.id, of.display_name, kind, of.id == soul.settings.default_agent)


@frozen
class WorkspaceShown(AgentShown):
    """An agent, a team or what is shared: its folder, how full MEMORY.md is, and how many proposals wait."""

    folder: str
    """Where it is."""
    files: int
    """How many files it has."""
    memory: int | None
    """How many bytes MEMORY.md has."""
    limit: int | None
    """How many it may have."""
    proposals: int
    """How many changes wait for approval."""


def workspace(soul: Oldsoul, name: str) -> WorkspaceShown:
    """An agent, a team or what is shared: its folder, how full MEMORY.md is, and how many proposals wait."""
    opened = soul.agent(name)
    files = opened.files.all()
    memory = next((each for each in files if each.name.path == "MEMORY.md"), None)
    return copied(
        WorkspaceShown,
        agent(soul, opened),
        folder=soul.workspace_folder(name),
        files=len(files),
        memory=memory.size if memory else None,
        limit=memory.limit if memory else None,
        proposals=len(opened.review.proposals()),
    )


@frozen
class Stats(WorkspaceShown):
    """An agent in numbers."""

    entries: int
    """How many entries it has."""
    sessions: int
    """How many conversations."""
    messages: int
    """How many messages they have."""
    index: IndexState
    """The state of the search index."""


def stats(soul: Oldsoul, of: Agent) -> Stats:
    """An agent in numbers: its files, entries, conversations and index."""
    sessions = of.talk.sessions()
    return copied(
        Stats,
        workspace(soul, of.id),
        entries=of.memory.entries(limit=1).total,
        sessions=len(sessions),
        messages=sum(held.thread.count for held in sessions),
        index=index(of),
    )
