"""When entries were of use, in one SQLite file, `state/usage.db`."""

from __future__ import annotations

import atexit
import json
import os
import threading
import weakref
from collections.abc import Iterable, Sequence
from contextlib import suppress

from oldsoul.adapters.columns import microseconds, moment, stored
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import OldsoulError
from oldsoul.values.recall import Reuse, Use

Key = tuple[str, str, str]

MIGRATIONS = (
    """
    CREATE TABLE uses (
        workspace TEXT NOT NULL,
        entry TEXT NOT NULL,
        session TEXT NOT NULL,
        count INTEGER NOT NULL,
        last INTEGER NOT NULL,      -- microseconds since 1970, UTC
        PRIMARY KEY (workspace, entry, session)
    ) WITHOUT ROWID;
    """,
)
_NOTE = """
    INSERT INTO uses VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (workspace, entry, session) DO UPDATE SET count=count+excluded.count, last=max(last, excluded.last)
"""
_REUSE = """
    SELECT entry, count(*), sum(count), max(last) FROM uses
    WHERE workspace=? AND entry IN (SELECT value FROM json_each(?)) GROUP BY entry
"""
_LONGEST_WAIT = 1.0
_MOST_WAITING = 300
_MOST_KEPT = 10_000
"""So many wait at most when the file cannot be written."""


class SqliteUsage:
    """When entries were of use, in one file.

    What is noted is gathered and written together: after a second, when many uses wait, before anybody in this process
    asks, and at its end. So other processes see it a second later, and a process that is killed loses the last second,
    as may happen with the power: no memory is lost by it.
    """

    def __init__(self, path: str) -> None:
        loss = "memory is safe; only how often entries were used is lost"
        self._file = SqliteFile(path, MIGRATIONS, "the record of uses", loss)
        self._turn = threading.Lock()  # one thread at a time writes
        self._guard = threading.Lock()
        self._waiting: dict[Key, tuple[int, int]] = {}  # how often, and when last
        self._timer: threading.Timer | None = None
        with _LISTING:
            _OPEN.add(self)

    def note(self, workspace: str, uses: Sequence[Use]) -> None:
        """Remember that entries were used."""
        place = stored(workspace)
        noted = [((place, stored(use.entry), stored(use.session)), (1, microseconds(use.time))) for use in uses]
        if not noted:
            return
        with self._guard:
            self._gather(noted)
            many = len(self._waiting) > _MOST_WAITING
            if self._timer is None and not many:
                self._timer = threading.Timer(_LONGEST_WAIT, self._write_late)
                self._timer.daemon = True
                with suppress(RuntimeError):  # there are too many threads: it is written with the next, or at the end
                    self._timer.start()
        if many:
            self.write()

    def _gather(self, noted: Iterable[tuple[Key, tuple[int, int]]]) -> None:
        for key, (count, last) in noted:
            before, latest = self._waiting.get(key, (0, last))
            self._waiting[key] = before + count, max(latest, last)

    def write(self) -> None:
        """Have everything in the file that was noted so far."""
        with self._turn:
            with self._guard:
                waiting, self._waiting = self._waiting, {}
                timer, self._timer = self._timer, None
            if timer is not None:
                timer.cancel()
            if not waiting:
                return
            try:
                with self._file.writing(durable=False) as db:
                    db.executemany(_NOTE, [(*key, *value) for key, value in waiting.items()])
            except BaseException:
                with self._guard:
                    if len(self._waiting) + len(waiting) <= _MOST_KEPT:
                        self._gather(waiting.items())
                raise

    def disown(self) -> None:
        """Leave what waits to the process this one was forked from: it writes it, and has the timer."""
        self._waiting, self._timer = {}, None

    def _write_late(self) -> None:
        """The same, where nobody hears of what goes wrong: whoever notes or asks next will."""
        with suppress(OldsoulError, OSError):
            self.write()

    def reuse(self, workspace: str, entries: Sequence[str]) -> dict[str, Reuse]:
        """How often and when these entries were used; those that never were are left out."""
        _write_all(self._file.path)
        names = {stored(entry): entry for entry in entries}
        rows = self._file.rows(_REUSE, stored(workspace), json.dumps(list(names)))
        return {names[entry]: Reuse(sessions, times, moment(last)) for entry, sessions, times, last in rows}

    def forget(self, workspace: str, entries: Sequence[str]) -> None:
        """Drop what is known of these entries."""
        rows = [(stored(workspace), stored(entry)) for entry in entries]
        if rows:
            _write_all(self._file.path)
            with self._file.writing() as db:
                db.executemany("DELETE FROM uses WHERE workspace=? AND entry=?", rows)

    def close(self) -> None:
        """Close the file."""
        with _LISTING:
            _OPEN.discard(self)
        self._write_late()
        self._file.close()


_OPEN: weakref.WeakSet[SqliteUsage] = weakref.WeakSet()  # a timer keeps those alive whose notes wait
_LISTING = threading.Lock()


def _open() -> list[SqliteUsage]:
    with _LISTING:
        return list(_OPEN)


def _write_all(path: str) -> None:
    """Have everything in a file that this process noted for it, whoever did."""
    for usage in _open():
        if usage._file.path == path:  # noqa: SLF001 - its own module
            usage.write()


@atexit.register
def _write_last() -> None:
    for usage in _open():
        usage._write_late()  # noqa: SLF001 - its own module


def _disown_all() -> None:
    for usage in list(_OPEN):  # no other thread came along
        usage.disown()


os.register_at_fork(after_in_child=_disown_all)
