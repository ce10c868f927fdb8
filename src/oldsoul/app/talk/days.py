"""The diary of one agent: entries of its days, and the archive that old days go to."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.entries import Listing
from oldsoul.app.keepers.correction_checks import standing
from oldsoul.app.keepers.old_days import old_days
from oldsoul.app.keepers.open_questions import Questions
from oldsoul.app.talk.log import EARLIEST, LATEST
from oldsoul.app.talk.session_files import listed
from oldsoul.documents import parse
from oldsoul.documents.links import relative
from oldsoul.driver import conducted
from oldsoul.errors import BadInput, NotFound, OldsoulError
from oldsoul.keepers.compact import compact_days
from oldsoul.keepers.questions import Listed, Question, Read
from oldsoul.ledger import Outcome
from oldsoul.rules.confidence import read_day
from oldsoul.rules.diary import DiaryEvent, diary_entry, session_link
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Author, ChangeSet, Evidence, Rename, Role
from oldsoul.values.names import Kind, Name, daily, session_file
from oldsoul.values.origin import Origin
from oldsoul.values.recall import Entry
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.documents import Document


ARCHIVE = "Archive/Daily/"


class Day(NamedTuple):
    """One day's log."""

    day: date
    """which"""
    name: Name
    """where it stands"""
    archived: bool
    """whether it is in the archive"""
    entries: int
    """how many entries it has"""
    size: int
    """bytes"""


class Days:
    """The daily logs of one agent."""

    def __init__(self, agent: AgentWorkspace, questions: Questions) -> None:
        self._agent = agent
        self._home = agent.home
        self._questions = questions
        self.problems: tuple[str, ...] = ()
        """what the last attempt to put days away could not do"""

    def append(
        self,
        text: str,
        *,
        session: Session | None,
        user: str = "",
        room: str = "",
        time: datetime | None = None,
        key: str,
    ) -> Outcome:
        """Write an entry into the log of its day, for those who took part; the owner's, when no session is named."""
        self._agent.check_enabled()
        if not text.strip():
            raise BadInput("an entry of the daily log needs text")
        if time is not None and time.tzinfo is None:
            raise BadInput("an entry's time needs a time zone: write 2026-02-04T10:00:00+01:00, or Z for UTC")
        self.keep()
        when = (time or self._home.world.clock.now()).astimezone(self._agent.zone)
        day = daily(self._agent.id, when.date())
        audience = OWNER if session is None else self._home.people.audience(session)
        file = session_file(self._agent.id, when.date(), session.id) if session is not None else None
        is_there = file is not None and self._agent.read(file).data is not None
        link = session_link(relative(day.path, file.path)) if file and is_there else ""
        happening = DiaryEvent(text, when, audience, room or (session.room if session else ""), user, link)
        evidence = Evidence(f"session:{session.id}" if session else "log", Origin.AGENT, audience)
        author = Author(Role.AGENT, self._agent.id)
        return self._home.ledger.apply(
            ChangeSet((diary_entry(day, happening),), author, "added to the daily log", key, (evidence,))
        )

    def all(self) -> list[Day]:
        """The days there are, the latest first; those in the archive too."""
        found = []
        for name in self._home.world.store.names(self._agent.id):
            day = _day_of(name)
            if day is not None:
                data = self._agent.read(name).data or b""
                count = len(parse(data, is_log=True).entries)
                found.append(Day(day, name, name.kind is Kind.ARCHIVE, count, len(data)))
        return sorted(found, key=lambda one: (one.day, one.name), reverse=True)

    # the archive

    def kept_for(self) -> int | None:
        """For how many days a log stays; in a folder that another program made, for good unless somebody set it."""
        loaded = self._home.world.settings(self._agent.id)
        own = self._home.world.places.is_own(self._agent.id)
        is_set = "memory.workspace.daily_log_retention_days" in loaded.sources
        return loaded.settings.memory.workspace.daily_log_retention_days if is_set or own else None

    def archive_old(self, *, longer: timedelta = timedelta(0)) -> list[Name]:
        """Tell the days whose time is over (or has been for longer) in the chronicle and put their logs into the archive.

        Byte for byte, and by rules alone: nobody waits for a model. Says which; what could not be done is in `problems`.
        """
        self.problems = ()
        if not self._any_older(longer):
            return []

        old = old_days(self._agent, self.kept_for(), longer)
        problems: list[str] = []
        for change_set in conducted(compact_days(old), self._answer).sets:
            try:
                self._home.ledger.apply(change_set)
            except OldsoulError as error:
                problems.append(str(error))
        self.problems = tuple(problems)
        standing = set(self._home.world.store.names(self._agent.id, "memory"))
        return [name for name in old.names if name not in standing]

    def keep(self) -> None:
        """Archive the days whose time is over, once a day; where a model is there, the compactor has a week to summarise them first."""
        today = self._agent.today().date()
        if self._home.kept_days.get(self._agent.id) != today:
            self._home.kept_days[self._agent.id] = today
            waits = self._any_older(timedelta(0)) and self._questions.is_done_for
            self.archive_old(longer=timedelta(days=7 if waits else 0))

    def _any_older(self, longer: timedelta) -> bool:
        kept = self.kept_for()
        if kept is None:
            return False
        oldest = self._agent.today().date() - timedelta(days=kept) - longer
        names = self._home.world.store.names(self._agent.id, "memory")
        return any(name.kind is Kind.DAILY and (_day_of(name) or oldest) < oldest for name in names)

    def _answer(self, question: Question) -> Any:
        """What a keeper asks, answered without a model."""
        match question:
            case Read(names=names):
                return {name: self._agent.read(name).data for name in names}
            case Listed(kinds=kinds):
                return tuple(name for name in self._home.world.store.names(self._agent.id) if name.kind in kinds)
            case _:
                return None

    def restore(self, day: date, author: Author) -> list[Name]:
        """Bring a day back from the archive, byte for byte."""
        archived = [one.name for one in self.all() if one.archived and one.day == day]
        if not archived:
            raise NotFound(f"there is no {day} in the archive; `oldsoul days` lists the days")
        back = [(name, Name(self._agent.id, f"memory/{name.path.removeprefix(ARCHIVE)}")) for name in sorted(archived)]
        operations = tuple(Rename(name, to) for name, to in back)
        self._home.ledger.apply(
            ChangeSet(operations, author, f"{day} restored from the archive", f"restore:{uuid.uuid4().hex}")
        )
        return [to for _, to in back]


def _day_of(name: Name) -> date | None:
    """The day a log is of; None for other documents."""
    if name.kind is Kind.DAILY:
        return date.fromisoformat(name.path.removeprefix("memory/")[:10])
    if name.path.startswith(ARCHIVE) and name.path.count("/") == ARCHIVE.count("/"):
        try:
            return date.fromisoformat(name.path.removeprefix(ARCHIVE)[:10])
        except ValueError:
            return None
    return None


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
