"""The files of an agent's sessions, by their days: listed once for many conversations, the days at work looked at again."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from typing import TYPE_CHECKING

from oldsoul.values.ids import segment
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from oldsoul.ports import Store

_MOST_DAYS = 60
"""Of more days than these, all files are listed again instead."""


def is_of(name: Name, session: str) -> bool:
    """Whether a file is this session's."""
    return _stem(name) == segment(session)


def listed(store: Store, workspace: str, day: date | None = None) -> list[tuple[date, Name]]:
    """The files of sessions, of one day or of all, each with its day, oldest first."""
    under = f"memory/{day.isoformat()}" if day else "memory"
    names = (name for name in store.names(workspace, under) if name.kind is Kind.SESSION)
    return sorted((date.fromisoformat(name.path.split("/")[1]), name) for name in names)


class SessionFiles:
    """What was there when it was made, and for the days that were looked at since, what is there."""

    def __init__(self, store: Store, workspace: str) -> None:
        self._store = store
        self._workspace = workspace
        self._days: dict[date, list[Name]] = {}
        self._sessions: defaultdict[str, list[tuple[date, Name]]] = defaultdict(list)
        self._list()

    def look(self, first: date, last: date, *also: date) -> None:
        """Take in what is there by now, of the days from the first to the last and of some more."""
        count = (last - first).days + 1
        if count > _MOST_DAYS:
            self._list()
            return
        for day in {*also, *(first + timedelta(days=number) for number in range(count))}:
            self._put(day, [name for _, name in listed(self._store, self._workspace, day)])

    def between(self, first: date, last: date) -> list[Name]:
        """The files from the first day to the last, oldest first."""
        return [name for day in sorted(self._days) if first <= day <= last for name in self._days[day]]

    def before(self, session: str, day: date) -> Name | None:
        """The last file that the session has from before this day."""
        files = self._sessions[segment(session)]
        place = bisect_left(files, (day,))
        return files[place - 1][1] if place else None

    def _list(self) -> None:
        self._days.clear()
        self._sessions.clear()
        for day, name in listed(self._store, self._workspace):
            self._days.setdefault(day, []).append(name)
            self._sessions[_stem(name)].append((day, name))

    def _put(self, day: date, names: Iterable[Name]) -> None:
        known, found = set(self._days.get(day, ())), set(names)
        for name in known ^ found:
            files = self._sessions[_stem(name)]
            if name in found:
                files.append((day, name))
                files.sort()
            else:
                files.remove((day, name))
        self._days[day] = sorted(found)


def _stem(name: Name) -> str:
    return name.path.split("/")[2].split(".")[0]
