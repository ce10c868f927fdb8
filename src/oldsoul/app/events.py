"""What happened, told to whoever asks: what became durable anywhere in the home is put in one order, once.

The truth lies in several places: changes and proposals in the ledger, messages in the chat log, settings in a file.
Whoever reads first puts what came since into the log of events, and moves a mark for each source in the same
transaction. So a process that is killed after it committed something loses no event, and none is told twice.
"""

from __future__ import annotations

import heapq
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.home.world import Signal
from oldsoul.documents import parse
from oldsoul.errors import BadInput, Gone, Unwritable
from oldsoul.ledger.proposals import proposal_of
from oldsoul.ports import ChatLog, Clock, EventLog, History
from oldsoul.rules.audience import WIDENING_KINDS, audience_of, seen_by
from oldsoul.values.audience import OWNER, Audience, View
from oldsoul.values.history import Change, Effect
from oldsoul.values.jobs import NOW, Event, EventKind, Happened
from oldsoul.values.messages import Message, Wanted

if TYPE_CHECKING:
    from oldsoul.documents import Entry

KEPT = timedelta(days=7)
"""How long events are kept."""

_BATCH = 500
_LOOK_SECONDS = 0.5
_CURSOR = re.compile(r"([0-9a-f]{16})-([0-9]{1,18})")


class EventSources(NamedTuple):
    """Where things become durable."""

    workspaces: Callable[[], Sequence[str]]
    """agents, teams and what they share"""
    store: History
    """changes and proposals"""
    chat: Callable[[], tuple[str, ChatLog]]
    """messages, and what tells this log from one that was used before"""
    config: Callable[[], str]
    """what tells the settings from those before"""
    clock: Clock
    """tells the time"""
    settle: Callable[[], None] = lambda: None
    """has jobs whose process was killed count as failed, which is told too"""


class _NewRows(NamedTuple):
    """What a source had beyond its mark."""

    source: str
    before: str | None
    after: str
    events: list[Event]


class Events:
    """The events of one home, in the order in which any process of it first read them."""

    def __init__(self, log: EventLog, sources: EventSources, signal: Signal) -> None:
        self._log = log
        self._sources = sources
        self._signal = signal
        self._looking = threading.Lock()
        self._looked = (-1, 0.0)  # after how many signals was last looked, and when

    def read(self, after: str, view: View | None, limit: int, wait: float) -> Happened:
        """The next events after a cursor that a view may know of; all of them without a view."""
        until = time.monotonic() + wait
        number = self._number(after)
        count = self._signal.count
        self.sequence()
        while True:
            rows = self._log.after(number, max(1, limit))
            name, dropped, _ = self._log.span()
            if after and number < dropped:
                raise Gone(_GONE)
            number = rows[-1][0] if rows else max(number, dropped)
            told = tuple(_told(name, *row, view) for row in rows if view is None or row[1].seen_by(view))
            left = until - time.monotonic()
            if told or (not rows and left <= 0):
                return Happened(told, f"{name}-{number}")
            if not rows:
                # What this process does wakes us; what others do has to be looked for.
                self._signal.wait(count, min(left, _LOOK_SECONDS))
                count = self._signal.count
                self._look(count)

    def _number(self, cursor: str) -> int:
        """The number of the event a cursor was taken from."""
        if not cursor:
            return 0
        if cursor == NOW:
            self.sequence()
        name, dropped, latest = self._log.span()
        if cursor == NOW:
            return latest
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise BadInput(
                f"{cursor!r} is not a cursor of events; use one that came with an event, or {NOW!r}, or none"
            )
        if found[1] != name or not dropped <= int(found[2]) <= latest:
            raise Gone(_GONE)
        return int(found[2])

    def sequence(self) -> None:
        """Put what became durable since the last time in order; where nothing can be written, what stands is told."""
        with suppress(Unwritable):
            self._sources.settle()
            while found := self._found(self._log.marks()):
                now = self._sources.clock.now()
                moved = {each.source: (each.before, each.after) for each in found}
                events = heapq.merge(*(each.events for each in found), key=lambda event: event.time)
                is_done = self._log.append(list(events), moved, now, now - KEPT)  # if nobody else was quicker
                if is_done and all(len(each.events) < _BATCH for each in found):
                    break

    def _look(self, count: int) -> None:
        """Sequence, once for all who wait: not again while there was no signal and the last look is not long ago."""
        with self._looking:
            last, at = self._looked
            if count > last or time.monotonic() - at >= _LOOK_SECONDS / 2:
                self.sequence()
                self._looked = count, time.monotonic()

    def _found(self, marks: dict[str, str]) -> list[_NewRows]:
        """What the sources have beyond their marks, some of it; nothing when all is in order."""
        return [each for each in self._each(marks) if each.events or each.before != each.after]

    def _each(self, marks: dict[str, str]) -> Iterator[_NewRows]:
        sources = self._sources
        kind, chat = sources.chat()
        is_first = "settings" not in marks
        for workspace in sources.workspaces():
            source = f"changes:{workspace}"
            mark, latest = marks.get(source), sources.store.latest(workspace)
            if latest != int(mark or 0):
                begun = self._first_change(workspace) if is_first else min(int(mark or 0), latest)
                changes = sources.store.following(workspace, begun, _BATCH)
                events = [event for change in changes for event in self._of_change(change)]
                yield _NewRows(source, mark, str(changes[-1].id if changes else begun), events)
            source = f"messages:{kind}:{workspace}"
            mark, latest = marks.get(source), chat.last(workspace)
            if latest != int(mark or 0):
                begun = self._first_message(workspace, chat) if is_first else min(int(mark or 0), latest)
                # Numbers are seen in their order within a workspace: those who append to it take turns.
                messages = chat.find(workspace, Wanted(after=begun, by_number=True, limit=_BATCH))
                events = [_of_message(message) for message in messages]
                yield _NewRows(source, mark, str(messages[-1].id if messages else begun), events)
        mark, digest = marks.get("settings"), sources.config()
        changed = Event(EventKind.SETTINGS, "", "", "changed", sources.clock.now(), (OWNER,))
        yield _NewRows("settings", mark, digest, [] if mark in (None, digest) else [changed])

    def _first_change(self, workspace: str) -> int:
        """The last change from before the time that is kept: where a log that is new begins."""
        since = (self._sources.clock.now() - KEPT).astimezone(UTC).isoformat(timespec="microseconds")
        kept = self._sources.store.changes(workspace, since=since, limit=sys.maxsize)
        return kept[-1].id - 1 if kept else self._sources.store.latest(workspace)

    def _first_message(self, workspace: str, chat: ChatLog) -> int:
        """The last message from before the time that is kept."""
        latest = chat.last(workspace)
        kept = chat.find(workspace, Wanted(since=self._sources.clock.now() - KEPT, by_number=True, limit=1))
        return kept[0].id - 1 if kept else latest

    def _of_change(self, change: Change) -> Iterator[Event]:
        at = datetime.fromisoformat(change.at).astimezone(UTC)
        proposal = proposal_of(change)
        if proposal:
            yield Event(EventKind.PROPOSAL, change.workspace, *proposal, at, (OWNER,))
        if change.effects or not proposal:
            audiences = tuple(sorted(self._audiences(change), key=str))
            yield Event(EventKind.CHANGE, change.workspace, str(change.id), _how(change), at, audiences)

    def _audiences(self, change: Change) -> set[Audience]:
        """Who may see some of what a change touched; the owner alone where nobody can tell any more."""
        if not change.effects or "erased" in change.notes:
            return {OWNER}
        return {audience for effect in change.effects for audience in self._touched(effect)}

    def _touched(self, effect: Effect) -> set[Audience]:
        """The audiences of the entries a change touched in a document; the document's where it touched none."""
        own = audience_of(effect.name)
        if own == OWNER and effect.name.kind not in WIDENING_KINDS:
            return {OWNER}
        before, after = (self._entries(effect, version) for version in (effect.before, effect.after))
        changed = [
            *(entry for key, entry in before.items() if not _is_same(entry, after.get(key))),
            *(entry for key, entry in after.items() if not _is_same(entry, before.get(key))),
        ]
        found = {seen_by(effect.name, entry) for entry in changed}
        if {*effect.entries} - {*before, *after}:  # they were erased meanwhile
            found.add(OWNER)
        return found or {own}

    def _entries(self, effect: Effect, version: str) -> dict[str, Entry]:
        return parse(self._sources.store.content(version) or b"", is_log=effect.name.is_log).by_id


_GONE = f"events are kept for {KEPT.days} days, and some after this cursor are already deleted; start without a cursor"


def _told(name: str, number: int, event: Event, view: View | None) -> Event:
    """The event with its cursor, and without the audiences that a view knows nothing of."""
    audiences = tuple(each for each in event.audiences if view is None or view.sees(each))
    return replace(event, audiences=audiences, cursor=f"{name}-{number}")


def _of_message(message: Message) -> Event:
    return Event(EventKind.MESSAGE, message.workspace, str(message.id), message.role, message.time, (message.audience,))


def _how(change: Change) -> str:
    """How a change came about."""
    if "erased" in change.notes:
        return "erased"
    if "reverts" in change.notes:
        return "undone"
    return "written" if change.effects else "noted"


def _is_same(one: Entry, other: Entry | None) -> bool:
    return other is not None and one.lines == other.lines
