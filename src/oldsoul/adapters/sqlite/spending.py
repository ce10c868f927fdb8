"""What questions to language models took, in one SQLite file, `state/spending.db`."""

from __future__ import annotations

from datetime import date

from oldsoul.adapters.columns import bounded, microseconds, moment, said, stored
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.adapters.sqlite.kept import KeptFile
from oldsoul.values.models import Call, Spent

MIGRATIONS = (
    """
    CREATE TABLE calls (
        id INTEGER PRIMARY KEY,
        time INTEGER NOT NULL,      -- microseconds since 1970, UTC
        day TEXT NOT NULL,          -- of the home, as 2026-02-04
        keeper TEXT NOT NULL,
        model TEXT NOT NULL,
        tokens_in INTEGER NOT NULL,
        tokens_out INTEGER NOT NULL,
        cost REAL NOT NULL,
        answered INTEGER NOT NULL
    );
    CREATE INDEX calls_by_day ON calls (day);
    """,
)
_NOTE = "INSERT INTO calls (time, day, keeper, model, tokens_in, tokens_out, cost, answered) VALUES (?,?,?,?,?,?,?,?)"
_SPENT = """
    SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), total(cost) FROM calls WHERE day=?
"""
_CALLS = "SELECT time, model, tokens_in, tokens_out, cost, keeper, answered FROM calls WHERE day=? ORDER BY id"


class SqliteSpending:
    """What questions took, in one file."""

    def __init__(self, path: str) -> None:
        loss = "memory is safe; only the spending on models is lost, and today's budgets start again from zero"
        self._kept = KeptFile(path, lambda: SqliteFile(path, MIGRATIONS, "the record of model costs", loss))

    def close(self) -> None:
        """Close the file."""
        self._kept.close()

    def note(self, call: Call) -> None:
        """Write down one question, durably."""
        numbers = bounded(call.tokens_in), bounded(call.tokens_out), call.cost, call.answered
        day = call.time.date().isoformat()
        row = (microseconds(call.time), day, stored(call.keeper), stored(call.model), *numbers)
        with self._kept.use() as file, file.writing() as db:
            db.execute(_NOTE, row)

    def spent(self, day: date) -> Spent:
        """What the questions of one day took together."""
        with self._kept.use() as file:
            return Spent(*file.rows(_SPENT, day.isoformat())[0])

    def calls(self, day: date) -> list[Call]:
        """The questions of one day, in the order they were written down; times are in UTC."""
        with self._kept.use() as file:
            rows = file.rows(_CALLS, day.isoformat())
        return [
            Call(moment(time), said(model), sent, came, cost, said(keeper), bool(answered))
            for time, model, sent, came, cost, keeper, answered in rows
        ]
