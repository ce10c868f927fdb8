"""The days of one agent: what was said, learnt and changed on each, and one of them with its log, sessions and tasks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.entries import Listing
from oldsoul.app.keepers.correction_checks import standing
from oldsoul.app.talk.days import Day, Days
from oldsoul.app.talk.log import EARLIEST, LATEST
from oldsoul.app.talk.session_files import listed
from oldsoul.documents import parse
from oldsoul.errors import BadInput
from oldsoul.rules.confidence import read_day
from oldsoul.values.names import Kind, Name
from oldsoul.values.recall import Entry

if TYPE_CHECKING:
    from oldsoul.documents import Document

_MOST_DAYS = 400
_PAGE = 1000
_TASKS, _FOLLOW_UPS = "tasks", "follow ups"
_LASTING = (Kind.MEMORY, Kind.ROOM, Kind.LONGTERM, Kind.PROFILE, Kind.USER)
"""Where what is learnt stands; it may be in the archive by now."""


class DayCounts(NamedTuple):
    """One day in numbers."""

    day: date
    """which"""
    messages: int
    """how many messages were logged"""
    sessions: int
    """how many sessions they belong to"""
    learnt: int
    """how many entries were added to long-term memory, of those that are there"""
    corrected: int
    """how many things were corrected"""
    changes: int
    """how many changes were made to files"""
    entries: int
    """how many entries the daily log has"""
    open_tasks: int
    """how many tasks of its sessions are open"""
    open_follow_ups: int
    """how many follow-ups of its sessions are open"""


class SessionTask(NamedTuple):
    """A task or a follow-up of a session."""

    entry: str
    """its id"""
    line: int
    """its line in the session's file, from 1"""
    text: str
    """what is to be done"""
    done: bool
    """whether it is done"""


class SessionDay(NamedTuple):
    """One session on one day."""

    session: str
    """its id"""
    messages: int
    """how many messages it had on that day"""
    path: str
    """its file; empty when it has none"""
    summary: str
    """what it was about, as the file says"""
    tasks: tuple[SessionTask, ...]
    """its tasks"""
    follow_ups: tuple[SessionTask, ...]
    """its follow-ups"""


class CalendarDay(NamedTuple):
    """One day."""

    day: date
    """which"""
    logs: tuple[Day, ...]
    """the files of its log, in order"""
    sessions: tuple[SessionDay, ...]
    """its sessions, by their ids"""
    learnt: tuple[Entry, ...]
    """the entries that were added to long-term memory"""


class Calendar:
    """The days of one agent."""

    def __init__(self, agent: AgentWorkspace, days: Days) -> None:
        self._agent = agent
        self._days = days

    def counts(self, since: date, until: date) -> list[DayCounts]:
        """The days from one to another on which something happened, the latest first."""
        if not 0 <= (until - since).days < _MOST_DAYS:
            raise BadInput(f"give at most {_MOST_DAYS} days, from the earlier to the later")
        first, end = self._span(since, until)
        messages: Counter[date] = Counter()
        sessions: defaultdict[date, set[str]] = defaultdict(set)
        for moment, session in self._agent.home.chat.said_at(self._agent.id, first, end):
            day = moment.astimezone(self._agent.zone).date()
            messages[day] += 1
            sessions[day].add(session)
        learnt = Counter(day for day, _, _ in self._learnt())
        corrected = Counter(read_day(one.day) for one in standing(self._agent))
        changes = Counter(self._changed(first, end))
        entries: Counter[date] = Counter()
        for log in self._days.all():
            entries[log.day] += log.entries
        tasks: Counter[date] = Counter()
        follow_ups: Counter[date] = Counter()
        for day, name in listed(self._agent.home.world.store, self._agent.id):
            if since <= day <= until:
                matter = self._document(name).matter
                tasks[day] += _open(matter.text("tasks"))
                follow_ups[day] += _open(matter.text("follow_ups"))
        counted = (messages, learnt, corrected, changes, entries, tasks, follow_ups)
        found = {day for counter in counted for day in +counter if day is not None and since <= day <= until}
        return [
            DayCounts(
                day,
                messages[day],
                len(sessions[day]),
                learnt[day],
                corrected[day],
                changes[day],
                entries[day],
                tasks[day],
                follow_ups[day],
            )
            for day in sorted(found, reverse=True)
        ]

    def day(self, day: date) -> CalendarDay:
        """One day, also one on which nothing happened."""
        first, end = self._span(day, day)
        said = Counter(session for _, session in self._agent.home.chat.said_at(self._agent.id, first, end))
        files = [name for _, name in listed(self._agent.home.world.store, self._agent.id, day)]
        told = [self._session(name, said) for name in files]
        silent = said.keys() - {one.session for one in told}
        told += [SessionDay(session, said[session], "", "", (), ()) for session in silent]
        logs = sorted(
            (one for one in self._days.all() if one.day == day), key=lambda one: (len(one.name.path), one.name)
        )
        listing = Listing(self._agent, None)
        learnt = [listing.one(name, entry) for when, name, entry in self._learnt() if when == day]
        return CalendarDay(day, tuple(logs), tuple(sorted(told)), tuple(learnt))

    def _span(self, since: date, until: date) -> tuple[datetime, datetime]:
        """The moments at which the first day begins, and the last has ended."""
        zone = self._agent.zone
        if since.year < EARLIEST or until.year > LATEST:
            raise BadInput(f"give days from the year {EARLIEST} to the year {LATEST}")
        return (
            datetime.combine(since, time(), zone).astimezone(UTC),
            datetime.combine(until + timedelta(days=1), time(), zone).astimezone(UTC),
        )

    def _learnt(self) -> Iterator[tuple[date, Name, str]]:
        """The entries of long-term memory that say when they were added: the day, the document and the id."""
        for name, entry in Listing(self._agent, None).rows():
            lasting = name.kind in _LASTING or name.path.startswith("Archive/Memory/")
            day = read_day(entry.added) if lasting else None
            if day is not None:
                yield day, name, entry.id

    def _changed(self, first: datetime, end: datetime) -> Iterator[date]:
        """The day of each change of files."""
        store, since, before = self._agent.home.world.store, first.isoformat(timespec="microseconds"), None
        while page := store.changes(self._agent.id, since=since, before=before, limit=_PAGE):
            for change in page:
                at = datetime.fromisoformat(change.at)
                if change.effects and at < end:
                    yield at.astimezone(self._agent.zone).date()
            before = page[-1].id

    def _document(self, name: Name) -> Document:
        return parse(self._agent.read(name).data or b"")

    def _session(self, name: Name, said: Counter[str]) -> SessionDay:
        document = self._document(name)
        matter = document.matter
        session = matter.text("session_id")
        tasks, follow_ups = (tuple(_tasks(document, title)) for title in (_TASKS, _FOLLOW_UPS))
        return SessionDay(session, said[session], name.path, matter.text("summary"), tasks, follow_ups)


def _tasks(document: Document, title: str) -> Iterable[SessionTask]:
    """The items with a check box under a heading."""
    for entry in document.entries:
        if entry.done is not None and entry.section.casefold() == title:
            yield SessionTask(entry.id, entry.line + 1, entry.text, entry.done)


def _open(counter: str) -> int:
    """How many are open, by a counter such as `1/3`."""
    done, _, total = counter.partition("/")
    return max(int(total) - int(done), 0) if done.isdecimal() and total.isdecimal() else 0
