"""The diary of one agent: entries of its days, and the archive that old days go to."""

from __future__ import annotations

import uuid
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.old_days import old_days
from oldsoul.app.keepers.open_questions import Questions
from oldsoul.documents import parse
from oldsoul.documents.links import relative
from oldsoul.driver import conducted
from oldsoul.errors import BadInput, NotFound, OldsoulError
from oldsoul.keepers.compact import compact_days
from oldsoul.keepers.questions import Listed, Question, Read
from oldsoul.ledger import Outcome
from oldsoul.rules.diary import Happening, diary_entry, session_link
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Author, ChangeSet, Evidence, Rename, Role
from oldsoul.values.names import Kind, Name, daily, session_file
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session

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
        happening = Happening(text, when, audience, room or (session.room if session else ""), user, link)
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
