"""When entries were of use, in one SQLite file, `state/usage.db`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oldsoul.adapters.columns import microseconds, moment, stored
from oldsoul.adapters.sqlite_file import SqliteFile
from oldsoul.values.usage import Reuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.values.usage import Use

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
    INSERT INTO uses VALUES (?, ?, ?, 1, ?)
    ON CONFLICT (workspace, entry, session) DO UPDATE SET count=count+1, last=max(last, excluded.last)
"""
_REUSE = """
    SELECT entry, count(*), sum(count), max(last) FROM uses
    WHERE workspace=? AND entry IN (SELECT value FROM json_each(?)) GROUP BY entry
"""


class SqliteUsage:
    """When entries were of use, in one file. What was noted last may be lost with the power: no memory is lost by it."""

    def __init__(self, path: str) -> None:
        loss = "memories are safe, only how often they were used is lost"
        self._file = SqliteFile(path, MIGRATIONS, "the record of uses", loss)

    def note(self, workspace: str, uses: Sequence[Use]) -> None:
        """Remember that entries were used."""
        place = stored(workspace)
        rows = [(place, stored(use.entry), stored(use.session), microseconds(use.time)) for use in uses]
        if rows:
            with self._file.writing(durable=False) as db:
                db.executemany(_NOTE, rows)

    def reuse(self, workspace: str, entries: Sequence[str]) -> dict[str, Reuse]:
        """How often and when these entries were used; those that never were are left out."""
        names = {stored(entry): entry for entry in entries}
        rows = self._file.rows(_REUSE, stored(workspace), json.dumps(list(names)))
        return {names[entry]: Reuse(sessions, times, moment(last)) for entry, sessions, times, last in rows}

    def forget(self, workspace: str, entries: Sequence[str]) -> None:
        """Drop what is known of these entries."""
        rows = [(stored(workspace), stored(entry)) for entry in entries]
        if rows:
            with self._file.writing() as db:
                db.executemany("DELETE FROM uses WHERE workspace=? AND entry=?", rows)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
