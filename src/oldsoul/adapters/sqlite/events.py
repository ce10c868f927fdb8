"""What happened, in one SQLite file, `state/events.db`: put in order once, for every process of a home."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from oldsoul.adapters.columns import bounded, microseconds, moment, said, stored
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import NotFound
from oldsoul.values.audience import OWNER, Audience
from oldsoul.values.jobs import Event, EventKind, JobState, JobStatus

MIGRATIONS = (
    """
    CREATE TABLE events (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        noted INTEGER NOT NULL,     -- when it was put in order, microseconds since 1970, UTC
        kind TEXT NOT NULL,
        workspace TEXT NOT NULL,
        thing TEXT NOT NULL,        -- the id of what it is about
        state TEXT NOT NULL,
        time INTEGER NOT NULL,      -- when it happened, microseconds since 1970, UTC
        audiences TEXT NOT NULL     -- JSON
    );
    CREATE INDEX events_by_age ON events (noted);
    CREATE TABLE marks (            -- how far each source has been read
        source TEXT PRIMARY KEY,
        mark TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE log (              -- one row
        id TEXT NOT NULL,           -- tells it from one that was lost
        dropped INTEGER NOT NULL    -- the number of the last event that is no longer kept
    );
    INSERT INTO log VALUES (lower(hex(randomblob(8))), 0);
    """,
    """
    CREATE TABLE jobs (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        agent TEXT NOT NULL,
        runner TEXT NOT NULL,       -- the process that runs it
        queued INTEGER NOT NULL,    -- microseconds since 1970, UTC
        can_stop INTEGER NOT NULL,
        state TEXT NOT NULL,
        done INTEGER NOT NULL,
        total INTEGER NOT NULL,
        result TEXT NOT NULL,       -- JSON
        error TEXT NOT NULL,
        is_asked INTEGER NOT NULL,  -- 1 once somebody wants it to be cancelled
        ended INTEGER
    );
    CREATE INDEX jobs_by_time ON jobs (queued);
    CREATE INDEX open_jobs ON jobs (state) WHERE ended IS NULL;
    """,
)
_INSERT = "INSERT INTO events (noted, kind, workspace, thing, state, time, audiences) VALUES (?,?,?,?,?,?,?)"
_AFTER = """
    SELECT number, kind, workspace, thing, state, time, audiences FROM events WHERE number>? ORDER BY number LIMIT ?
"""
_SPAN = "SELECT id, dropped, max(dropped, coalesce((SELECT max(number) FROM events), 0)) FROM log"


def opened(path: str) -> SqliteFile:
    """The file, its tables up to date."""
    loss = "nothing else is lost; programs that follow the events start again from now"
    return SqliteFile(path, MIGRATIONS, "the log of events", loss)


class SqliteEventLog:
    """Events in the order in which they were appended, by any process."""

    def __init__(self, path: str) -> None:
        self._file = opened(path)

    def span(self) -> tuple[str, int, int]:
        """What tells this log from others, the number of the last event that is not kept any more, and of the latest."""
        ((name, dropped, latest),) = self._file.rows(_SPAN)
        return name, dropped, latest

    def marks(self) -> dict[str, str]:
        """How far each source has been read."""
        return {said(source): mark for source, mark in self._file.rows("SELECT source, mark FROM marks")}

    def append(
        self, events: Sequence[Event], moved: Mapping[str, tuple[str | None, str]], noted: datetime, keep: datetime
    ) -> bool:
        """Append events and move marks, durably, if the marks are where they were; drop what is older than `keep`."""
        with self._file.writing() as db:
            for source, (before, _) in moved.items():
                known = db.execute("SELECT mark FROM marks WHERE source=?", (stored(source),)).fetchone()
                if (known[0] if known else None) != before:
                    return False
            for source, (_, after) in moved.items():
                db.execute("INSERT OR REPLACE INTO marks VALUES (?,?)", (stored(source), after))
            insert(db, events, noted)
            (last,) = db.execute("SELECT max(number) FROM events WHERE noted<?", (microseconds(keep),)).fetchone()
            if last is not None:
                db.execute("DELETE FROM events WHERE number<=?", (last,))
                db.execute("UPDATE log SET dropped=?", (last,))
            return True

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        """The events after a number, in order."""
        return [(row[0], _event(row)) for row in self._file.rows(_AFTER, bounded(number), bounded(limit))]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def insert(db: sqlite3.Connection, events: Sequence[Event], noted: datetime) -> None:
    """Append events within a transaction."""
    db.executemany(_INSERT, [_row(event, noted) for event in events])


def _row(event: Event, noted: datetime) -> tuple[Any, ...]:
    audiences = json.dumps([str(audience) for audience in event.audiences])
    what = event.kind, stored(event.workspace), stored(event.id), stored(event.state)
    return microseconds(noted), *what, microseconds(event.time), audiences


def _event(row: tuple[Any, ...]) -> Event:
    _, kind, workspace, thing, state, time, audiences = row
    seen_by = tuple(Audience.parse(text) for text in json.loads(audiences))
    return Event(EventKind(kind), said(workspace), said(thing), said(state), moment(time), seen_by)


_COLUMNS = "id, kind, agent, runner, queued, can_stop, state, done, total, result, error, is_asked, ended"
_ADD = f"INSERT INTO jobs ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"  # noqa: S608 - our own words
_MOVE = "UPDATE jobs SET state=?, done=?, total=?, result=?, error=?, ended=? WHERE id=? AND state=?"
_SELECT = f"SELECT {_COLUMNS} FROM jobs"  # noqa: S608 - as above


class SqliteJobLog:
    """Long work of every process of a home."""

    def __init__(self, path: str) -> None:
        self._file = opened(path)

    def add(self, job: JobStatus, keep: datetime) -> None:
        """Write down a new job; those that ended before `keep` are dropped."""
        with self._file.writing() as db:
            db.execute("DELETE FROM jobs WHERE ended<?", (microseconds(keep),))
            db.execute(_ADD, _job_row(job))
            insert(db, [_job_event(job, job.queued)], job.queued)

    def move(self, job: JobStatus, was: JobState, at: datetime) -> bool:
        """Have a job are like this from now on, if its state is still that one."""
        row = _job_row(job)
        with self._file.writing() as db:
            moved = db.execute(_MOVE, (*row[6:11], row[12], job.id, was)).rowcount
            if moved:
                insert(db, [_job_event(job, at)], at)
        return bool(moved)

    def note(self, job: str, done: int, of: int) -> None:
        """How far a job is. It may be lost with the power."""
        with self._file.writing(durable=False) as db:
            db.execute("UPDATE jobs SET done=?, total=? WHERE id=?", (bounded(done), bounded(of), job))

    def ask(self, job: str) -> None:
        """Somebody wants it to be cancelled."""
        with self._file.writing() as db:
            db.execute("UPDATE jobs SET is_asked=1 WHERE id=?", (job,))

    def get(self, job: str) -> JobStatus:
        """One job; `NotFound` when there is none of that id."""
        rows = self._file.rows(f"{_SELECT} WHERE id=?", stored(job))
        if not rows:
            raise NotFound(f"there is no job {job}, or it ended so long ago that it is no longer kept")
        return _status(rows[0])

    def every(self, *, unfinished: bool = False) -> list[JobStatus]:
        """All jobs, or those that are not over, the latest first."""
        where = "WHERE ended IS NULL" if unfinished else ""
        return [_status(row) for row in self._file.rows(f"{_SELECT} {where} ORDER BY queued DESC, id")]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _job_row(job: JobStatus) -> tuple[Any, ...]:
    what = stored(job.id), stored(job.kind), stored(job.agent), stored(job.runner), microseconds(job.queued)
    came = bounded(job.done), bounded(job.of), json.dumps(dict(job.result)), stored(job.error)
    ended = microseconds(job.ended) if job.ended else None
    return (*what, job.can_stop, job.state, *came, job.is_asked, ended)


def _status(row: tuple[Any, ...]) -> JobStatus:
    id_, kind, agent, runner, queued, can_stop, state, done, of, result, error, is_asked, ended = row
    return JobStatus(
        *(said(id_), said(kind), said(agent), said(runner), moment(queued), bool(can_stop)),
        *(JobState(state), done, of, json.loads(result), said(error), bool(is_asked)),
        ended=None if ended is None else moment(ended),
    )


def _job_event(job: JobStatus, at: datetime) -> Event:
    return Event(EventKind.JOB, job.agent, job.id, job.state, at, (OWNER,))
