"""The diary of one agent: entries of its days, and the archive that old days go to."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.errors import BadInput, NotFound
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Author, ChangeSet, Delete, Evidence, Rename, Role
from oldsoul.values.names import Kind, Name, daily
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.app.agent import Agent
    from oldsoul.ledger import Outcome
    from oldsoul.values.sessions import Session

RETENTION = Author(Role.SYSTEM, "retention")
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

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._soul = agent.soul

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
        from oldsoul.documents.links import relative  # noqa: PLC0415 - looking at days needs no writing
        from oldsoul.rules.diary import Happening, diary_entry  # noqa: PLC0415
        from oldsoul.values.names import session_file  # noqa: PLC0415

        self._agent.check_enabled()
        if not text.strip():
            raise BadInput("an entry of the daily log needs words")
        if time is not None and time.tzinfo is None:
            raise BadInput("an entry's time needs its zone: write 2026-02-04T10:00:00+01:00, or Z for UTC")
        when = (time or self._soul.world.clock.now()).astimezone(self._agent.zone)
        day = daily(self._agent.id, when.date())
        audience = OWNER if session is None else self._soul.people.audience(session)
        link = ""
        if session is not None:
            link = f"[Session]({relative(day.path, session_file(self._agent.id, when.date(), session.id).path)})"
        happening = Happening(text, when, audience, room or (session.room if session else ""), user, link)
        evidence = Evidence(f"session:{session.id}" if session else "log", Origin.AGENT, audience)
        author = Author(Role.AGENT, self._agent.id)
        return self._soul.ledger.apply(
            ChangeSet((diary_entry(day, happening),), author, "what happened", key, (evidence,))
        )

    def all(self) -> list[Day]:
        """The days there are, the latest first; those in the archive too."""
        from oldsoul.documents import parse  # noqa: PLC0415 - as above

        found = []
        for name in self._soul.world.store.names(self._agent.id):
            day = _day_of(name)
            if day is not None:
                data = self._agent.read(name).data or b""
                count = len(parse(data, is_log=True).entries)
                found.append(Day(day, name, name.kind is Kind.ARCHIVE, count, len(data)))
        return sorted(found, key=lambda one: (one.day, one.name), reverse=True)

    # the archive

    def kept_for(self) -> int | None:
        """For how many days a log stays: the smaller of the two settings, of those that are set.

        In a folder that another program made, days stay for good unless one of them is set.
        """
        loaded = self._soul.world.settings(self._agent.id)
        memory = loaded.settings.memory
        both = {
            "memory.workspace.daily_log_retention_days": memory.workspace.daily_log_retention_days,
            "memory.retention.compaction_age_days": memory.retention.compaction_age_days,
        }
        chosen = [days for path, days in both.items() if path in loaded.sources]
        own = self._soul.world.places.folder(self._agent.id).startswith(f"{self._soul.world.home}/")
        return min(chosen) if chosen else min(both.values()) if own else None

    def archive_old(self) -> list[Name]:
        """Put logs whose time is over into the archive, byte for byte; says which."""
        days = self.kept_for()
        if days is None:
            return []
        oldest = self._agent.today().date() - timedelta(days=days)
        names = self._soul.world.store.names(self._agent.id)
        gone = [name for name in names if name.kind is Kind.DAILY and (day := _day_of(name)) and day < oldest]
        return [name for name in gone if self._archive(name)]

    def _archive(self, name: Name) -> bool:
        snapshot = self._agent.read(name)
        if snapshot.data is None:
            return False
        to, same = self._place(name, snapshot.data)
        operation = Delete(name) if same else Rename(name, to)
        key = f"archive:{name.path}:{snapshot.version}:{to.path}:{self._count(name)}"
        self._soul.ledger.apply(ChangeSet((operation,), RETENTION, "its time is over", key))
        return True

    def _place(self, name: Name, data: bytes) -> tuple[Name, bool]:
        """Where an old day goes, and whether it is there already."""
        file = name.path.removeprefix("memory/")
        part = 1
        while True:
            to = Name(self._agent.id, f"{ARCHIVE}{file if part == 1 else f'{file[:10]}.{part}.md'}")
            there = self._agent.read(to).data
            if there is None or there == data:
                return to, there == data
            part += 1

    def _count(self, name: Name) -> int:
        """How many changes a document has seen: a day that came back may go again."""
        return len(self._soul.world.store.changes(self._agent.id, name=name, limit=1000))

    def restore(self, day: date) -> list[Name]:
        """Bring a day back from the archive, byte for byte."""
        archived = [one.name for one in self.all() if one.archived and one.day == day]
        if not archived:
            raise NotFound(f"there is no {day} in the archive; `oldsoul days` lists the days there are")
        import uuid  # noqa: PLC0415 - rare

        back = [(name, Name(self._agent.id, f"memory/{name.path.removeprefix(ARCHIVE)}")) for name in sorted(archived)]
        operations = tuple(Rename(name, to) for name, to in back)
        self._soul.ledger.apply(
            ChangeSet(operations, self._soul.operator, f"{day} brought back", f"restore:{uuid.uuid4().hex}")
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
