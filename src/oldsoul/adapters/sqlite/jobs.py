"""Long work as it stands, beside the events in `state/events.db`: each new state is an event of the same transaction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oldsoul.adapters.columns import bounded, microseconds, moment, said, stored
from oldsoul.adapters.sqlite.events import insert, opened
from oldsoul.errors import NotFound
from oldsoul.values.audience import OWNER
from oldsoul.values.events import Event, EventKind
from oldsoul.values.jobs import JobState, JobStatus

if TYPE_CHECKING:
    from datetime import datetime

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
            db.execute(_ADD, _row(job))
            insert(db, [_event(job, job.queued)], job.queued)

    def move(self, job: JobStatus, was: JobState, at: datetime) -> bool:
        """Have a job stand like this from now on, if its state is still that one."""
        row = _row(job)
        with self._file.writing() as db:
            moved = db.execute(_MOVE, (*row[6:11], row[12], job.id, was)).rowcount
            if moved:
                insert(db, [_event(job, at)], at)
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
        """Let go of the file."""
        self._file.close()


def _row(job: JobStatus) -> tuple[Any, ...]:
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


def _event(job: JobStatus, at: datetime) -> Event:
    return Event(EventKind.JOB, job.agent, job.id, job.state, at, (OWNER,))
