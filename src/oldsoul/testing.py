"""The fakes we ship: stores in memory, a clock that stands still, a model that follows a script. For your tests and ours."""

from __future__ import annotations

import queue
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from oldsoul.errors import BadInput, Busy, Conflict, Unavailable
from oldsoul.language.words import indexed, words
from oldsoul.ranking.chunks import message_chunk
from oldsoul.values.history import ABSENT, Change, Record, Snapshot, Stray, version_of
from oldsoul.values.messages import Logged, Message, Thread
from oldsoul.values.models import Reply
from oldsoul.values.recall import MEM0, Hit
from oldsoul.values.usage import Reuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oldsoul.values.audience import View
    from oldsoul.values.changes import Author
    from oldsoul.values.messages import Wanted
    from oldsoul.values.names import Name
    from oldsoul.values.usage import Use


class FrozenClock:
    """A clock that moves only when it is told to."""

    def __init__(self, start: datetime = datetime(2026, 2, 4, 12, 0, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time it stands at."""
        return self._now

    def advance(self, step: timedelta) -> None:
        """Move it."""
        self._now += step


class MemoryStore:
    """Documents in a dictionary, with everything a real store promises but surviving the process."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._holder: dict[str, int] = {}
        self._guard = threading.RLock()
        self._documents: dict[Name, bytes] = {}
        self._recorded: dict[Name, str] = {}
        self._versions: dict[str, bytes] = {}
        self._changes: list[Change] = []
        self._records: dict[tuple[str, str, str], str] = {}
        self._strays: list[Stray] = []
        self._touched: dict[Name, int] = {}
        self._touches = 0

    def save_outside(self, name: Name, data: bytes | None) -> None:
        """What a person's editor does: save without asking anybody."""
        self._touches += 1
        if data is None:
            self._documents.pop(name, None)
            self._touched.pop(name, None)
        else:
            self._documents[name] = data
            self._touched[name] = self._touches

    def read(self, name: Name) -> Snapshot:
        """The document as it stands."""
        return Snapshot.of(self._documents.get(name))

    def version(self, name: Name) -> str:
        """Its version."""
        return self.read(name).version

    def size(self, name: Name) -> int:
        """How many bytes it has."""
        return len(self.read(name).data or b"")

    def touched(self, name: Name) -> int:
        """Which of all changes was its last."""
        return self._touched.get(name, 0)

    def names(self, workspace: str, under: str = "") -> list[Name]:
        """The documents there are, or those below one folder, in order."""
        start = f"{under}/" if under else ""
        return sorted(n for n in self._documents if n.workspace == workspace and n.path.startswith(start))

    @contextmanager
    def hold(self, workspace: str) -> Iterator[_HeldMemory]:
        """The workspace for one writer at a time; `Busy` for one who holds it already and would wait for ever."""
        me = threading.get_ident()
        if self._holder.get(workspace) == me:
            raise Busy(f"workspace {workspace} is held by this very thread")
        with self._guard:
            lock = self._locks.setdefault(workspace, threading.Lock())
        with lock:
            self._holder[workspace] = me
            try:
                yield _HeldMemory(self, workspace)
            finally:
                del self._holder[workspace]

    def close(self) -> None:
        """Nothing to let go of."""

    def changes(
        self,
        workspace: str,
        *,
        name: Name | None = None,
        author: Author | None = None,
        since: str = "",
        before: int | None = None,
        limit: int = 1000,
    ) -> list[Change]:
        """Changes, newest first."""
        found = [
            change
            for change in reversed(self._changes)
            if change.workspace == workspace
            and change.at >= since
            and (before is None or change.id < before)
            and author in (None, change.author)
            and (name is None or any(effect.name == name for effect in change.effects))
        ]
        return found[:limit]

    def latest(self, workspace: str) -> int:
        """The number of the latest change; 0 when there is none."""
        return next((change.id for change in reversed(self._changes) if change.workspace == workspace), 0)

    def recorded(self, name: Name) -> str | None:
        """The version history believes the document to have."""
        return self._recorded.get(name)

    def known(self, workspace: str) -> list[Name]:
        """The documents history has ever seen, in order."""
        return sorted(name for name in self._recorded if name.workspace == workspace)

    def change(self, change_id: int) -> Change | None:
        """One change."""
        return next((change for change in self._changes if change.id == change_id), None)

    def content(self, version: str) -> bytes | None:
        """The bytes of a version that history knows."""
        return self._versions.get(version)

    def records(self, workspace: str, kind: str) -> dict[str, str]:
        """All records of a kind."""
        return {
            key: value
            for (where, what, key), value in sorted(self._records.items())
            if (where, what) == (workspace, kind)
        }

    def record(self, workspace: str, kind: str, key: str) -> str | None:
        """One record."""
        return self._records.get((workspace, kind, key))


class _HeldMemory:
    def __init__(self, store: MemoryStore, workspace: str) -> None:
        self._store = store
        self._workspace = workspace

    def settled(self, name: Name) -> bool:  # noqa: ARG002 - nobody is ever in the middle of saving here
        return True

    def strays(self) -> Sequence[Stray]:
        mine = tuple(stray for stray in self._store._strays if stray.name.workspace == self._workspace)
        self._store._strays = [stray for stray in self._store._strays if stray not in mine]
        return mine

    def spent(self, key: str) -> Change | None:
        changes = self._store._changes
        return next((c for c in changes if (c.workspace, c.key) == (self._workspace, key)), None)

    def commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record] = (),
        *,
        also: Mapping[str, bytes] | None = None,
    ) -> Change:
        with self._store._guard:
            return self._commit(change, documents, records, also or {})

    def _commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record],
        also: Mapping[str, bytes],
    ) -> Change:
        store = self._store
        if self.spent(change.key) is not None:
            raise Conflict(f"the key {change.key!r} is spent")
        stored = replace(change, id=len(store._changes) + 1)
        store._versions.update(also)
        expected = {effect.name: (effect.before, effect.after) for effect in change.effects}
        for name, data in documents.items():
            old = store._documents.get(name)
            if old is not None and version_of(old) not in (*expected[name], *also):
                store._strays.append(Stray(name, old, name.path, stored.id))
            store.save_outside(name, data)
        for effect in change.effects:
            store._recorded[effect.name] = effect.after
            data = documents.get(effect.name)
            if effect.after != ABSENT and data is not None:
                store._versions[effect.after] = data
        for record in records:
            key = (self._workspace, record.kind, record.key)
            if record.value is None:
                store._records.pop(key, None)
            else:
                store._records[key] = record.value
        store._changes.append(stored)
        return stored

    def erase(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        self._store._versions.update(redacted)
        by_id = {change.id: change for change in changes}
        self._store._changes = [by_id.get(change.id, change) for change in self._store._changes]


class MemoryChatLog:
    """Messages in a list, with everything a real log promises but surviving the process."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._messages: list[Message] = []
        self._by_key: dict[tuple[str, str], int] = {}

    def append(self, messages: Sequence[Message]) -> list[Logged]:
        given = [replace(message, time=_utc(message.time)) for message in messages]
        with self._guard:
            return [self._append(message) for message in given]

    def _append(self, message: Message) -> Logged:
        number = self._by_key.setdefault((message.workspace, message.key), len(self._messages) + 1)
        if number <= len(self._messages):
            return Logged(self._messages[number - 1], repeated=True)
        stored = replace(message, id=number)
        self._messages.append(stored)
        return Logged(stored, repeated=False)

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        with self._guard:
            found = [m for m in self._messages if m.workspace == workspace and _is_wanted(m, wanted)]
        found.sort(key=_number if wanted.by_number else _place, reverse=wanted.newest_first)
        return found[: max(0, wanted.limit)]

    def threads(self, workspace: str) -> list[Thread]:
        sessions: dict[str, list[Message]] = {}
        with self._guard:
            for message in self._messages:
                if message.workspace == workspace:
                    sessions.setdefault(message.session.id, []).append(message)
        threads = [_thread(sorted(said, key=_place)) for said in sessions.values()]
        return sorted(threads, key=lambda thread: (thread.last, thread.last_id), reverse=True)

    def thread(self, workspace: str, session: str) -> Thread | None:
        """One session, by its id; None when there is none."""
        return next((thread for thread in self.threads(workspace) if thread.session.id == session), None)

    def last(self, workspace: str) -> int:
        """The number of the latest message; 0 when there is none."""
        return max((m.id for m in self._messages if m.workspace == workspace), default=0)

    def people(self, workspace: str) -> list[str]:
        """Who ever said something, by their ids, in order."""
        return sorted({m.subject.id for m in self._messages if m.workspace == workspace and m.subject is not None})

    def redact(self, workspace: str, texts: Mapping[int, str]) -> None:
        with self._guard:
            for place, message in enumerate(self._messages):
                if message.workspace == workspace and message.id in texts:
                    self._messages[place] = replace(message, text=texts[message.id], flags=())

    def close(self) -> None:
        """Nothing to let go of."""


def _utc(time: datetime) -> datetime:
    if time.utcoffset() is None:
        raise BadInput(f"the time {time} has no zone; give it one")
    return time.astimezone(UTC)


def _place(message: Message) -> tuple[datetime, int]:
    return (message.time, message.id)


def _number(message: Message) -> int:
    return message.id


def _is_past(message: Message, wanted: Wanted) -> bool:
    """Whether a message comes after the page before."""
    if wanted.past is None:
        return True
    if wanted.by_number:
        return message.id < wanted.past[1] if wanted.newest_first else message.id > wanted.past[1]
    place = _place(message)
    return place < wanted.past if wanted.newest_first else place > wanted.past


def _is_wanted(message: Message, wanted: Wanted) -> bool:
    return (
        message.id > wanted.after
        and (not wanted.session or message.session.id == wanted.session)
        and (not wanted.subject or (message.subject is not None and message.subject.id == wanted.subject))
        and (not wanted.room or message.session.room == wanted.room)
        and (not wanted.flagged or any(flag.route == wanted.flagged for flag in message.flags))
        and (wanted.since is None or message.time >= wanted.since)
        and (wanted.until is None or message.time < wanted.until)
        and _is_past(message, wanted)
        and (not wanted.words or _holds(message.text, words(wanted.words)))
    )


def _holds(text: str, every: Sequence[str]) -> bool:
    return bool(every) and set(every) <= set(indexed(text))


def _thread(said: Sequence[Message]) -> Thread:
    last = said[-1]
    greatest = max(message.id for message in said)
    return Thread(last.session, len(said), said[0].time, last.time, greatest, last.channel)


class MemoryUsage:
    """Uses in a dictionary."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._uses: dict[tuple[str, str], list[Use]] = {}

    def note(self, workspace: str, uses: Sequence[Use]) -> None:
        given = [replace(use, time=_utc(use.time)) for use in uses]
        with self._guard:
            for use in given:
                self._uses.setdefault((workspace, use.entry), []).append(use)

    def reuse(self, workspace: str, entries: Sequence[str]) -> dict[str, Reuse]:
        with self._guard:
            found = {entry: self._uses.get((workspace, entry), []) for entry in entries}
        return {
            entry: Reuse(len({use.session for use in uses}), len(uses), max(use.time for use in uses))
            for entry, uses in found.items()
            if uses
        }

    def forget(self, workspace: str, entries: Sequence[str]) -> None:
        with self._guard:
            for entry in entries:
                self._uses.pop((workspace, entry), None)

    def close(self) -> None:
        """Nothing to let go of."""


class WordMemory:
    """A second memory in a list, which finds the messages that share words with a question."""

    def __init__(self) -> None:
        self.taken: list[Message] = []
        """what it was given, in order"""
        self.reached = 0
        self.gone = False

    def take(self, messages: Sequence[Message]) -> None:
        self.taken += [message for message in messages if message.role in ("user", "assistant")]
        self.reached = messages[-1].id if messages else self.reached

    def search(self, question: str, view: View, limit: int) -> list[Hit]:
        asked = set(words(question))
        seen = (message for message in self.taken if view.sees(message.audience))
        hits = [
            Hit(
                replace(message_chunk(message), source=MEM0),
                round(len(asked & set(words(message.text))) / len(asked), 4),
            )
            for message in seen
            if asked & set(words(message.text))
        ]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def close(self) -> None:
        """Nothing to let go of."""


class ToldChanges:
    """Files that change when a test says so. Whoever waits, waits until it says something."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[frozenset[str] | None] = queue.SimpleQueue()
        self._more = threading.Condition()
        self.waits: list[float] = []
        """how many seconds were to be waited for, each time"""

    def waited(self, times: int, limit: float = 60.0) -> bool:
        """Whether somebody has come to wait so many times; waits for that itself, up to a limit in seconds."""
        with self._more:
            return self._more.wait_for(lambda: len(self.waits) >= times, limit)

    def tell(self, *paths: str) -> None:
        """These files changed; with none, the time that is waited for is over."""
        self._told.put(frozenset(paths))

    def wait(self, seconds: float) -> frozenset[str] | None:
        with self._more:
            self.waits.append(seconds)
            self._more.notify_all()
        return self._told.get()

    def close(self) -> None:
        self._told.put(None)


class ScriptedModel:
    """A language model that says what it was told to say, in order; then it is out of reach."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []
        """what it was asked: the rules and the question, each time"""

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """The next answer of the script."""
        del schema
        self.asked.append((system, text))
        if not self.answers:
            raise Unavailable("the script is over")
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, len(text) // 4, len(answer) // 4)


class MemoryLeases:
    """Leases in a dictionary, with everything real ones promise but being seen by other processes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: set[tuple[str, str]] = set()
        self._notes: dict[tuple[str, str], str] = {}

    @contextmanager
    def take(self, workspace: str, work: str) -> Iterator[_MemoryLease | None]:
        what = workspace, work
        with self._guard:
            is_free = what not in self._held
            if is_free:
                self._held.add(what)
        if not is_free:
            yield None
            return
        try:
            lease = _MemoryLease(self._notes, what)
            yield lease
            if lease.is_noted:
                self._notes.pop(what, None)
        finally:
            self._held.discard(what)

    def noted(self, workspace: str, work: str) -> str | None:
        what = workspace, work
        return self._notes.get(what, "") if what in self._held else None


class _MemoryLease:
    def __init__(self, notes: dict[tuple[str, str], str], what: tuple[str, str]) -> None:
        self._notes = notes
        self._what = what
        self.is_noted = False
        self.left = notes.get(what, "")

    def note(self, text: str) -> None:
        self.is_noted = True
        self._notes[self._what] = text
