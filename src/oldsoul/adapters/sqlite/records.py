"""What a home keeps in small SQLite files: tokens of programs, what questions to models took, and when memories were of use."""

from __future__ import annotations

import atexit
import json
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from typing import Any

from oldsoul.adapters.columns import bounded, microseconds, moment, said, stored
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Conflict, OldsoulError, Refused
from oldsoul.values.callers import CallerRole, Login, Token
from oldsoul.values.models import Call, Spent
from oldsoul.values.recall import Reuse, Use
from oldsoul.values.sessions import Subject


class KeptFile:
    """The file at a path. It can be used again after `close`; one that nobody closed is closed when it is not used any more.

    SQLite itself would close it without the file's lock, while another process opens it.
    """

    def __init__(self, path: str, opened: Callable[[], SqliteFile]) -> None:
        self._path, self._opened = path, opened
        self._file: SqliteFile | None = None
        self._closing: weakref.finalize[..., KeptFile] | None = None
        self._seen = (0, 0)
        self._guard = threading.RLock()

    @contextmanager
    def use(self) -> Iterator[SqliteFile]:
        """The file as it is now, for one thread at a time."""
        with self._guard:
            if self._file is None or self._seen != self._identity():
                self.close()
                self._file = self._opened()
                self._closing = weakref.finalize(self, self._file.close)
                self._seen = self._identity()
            yield self._file

    def _identity(self) -> tuple[int, int]:
        """Which file is at the path."""
        try:
            found = os.stat(self._path)
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            if self._closing is not None:
                self._closing()
            self._file = self._closing = None


SPENDING_MIGRATIONS = (
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
        self._kept = KeptFile(path, lambda: SqliteFile(path, SPENDING_MIGRATIONS, "the record of model costs", loss))

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


TOKEN_MIGRATIONS = (
    """
    CREATE TABLE tokens (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        digest TEXT NOT NULL,       -- SHA-256 of the secret
        role TEXT NOT NULL,
        person TEXT NOT NULL,
        agent TEXT NOT NULL,        -- empty for all
        name TEXT NOT NULL,
        created INTEGER NOT NULL,   -- microseconds since 1970, UTC
        expires INTEGER             -- the same; NULL for never
    );
    """,
    # Browsers used to send their whole token to every port of the machine: those tokens end here.
    """
    ALTER TABLE tokens ADD COLUMN login TEXT NOT NULL DEFAULT '';
    DELETE FROM tokens WHERE name = 'browser' AND expires IS NOT NULL;
    """,
    "CREATE INDEX tokens_digest ON tokens (digest);",
)
_ADD = "INSERT INTO tokens (id, digest, role, person, agent, name, created, expires, login) VALUES (?,?,?,?,?,?,?,?,?)"
_SELECT = "SELECT id, digest, role, person, agent, name, created, expires, login FROM tokens"
_ONLY_OWNER = 0o600


class SqliteCredentials:
    """Tokens in one file; a look does not create it."""

    def __init__(self, path: str) -> None:
        self._path = path
        loss = "memory is safe; only the tokens are lost, and programs need new ones"
        self._kept = KeptFile(path, lambda: SqliteFile(path, TOKEN_MIGRATIONS, "the file of tokens", loss))

    def close(self) -> None:
        """Close the file."""
        self._kept.close()

    def add(self, token: Token, digest: str) -> None:
        """Keep a token, durably, with the hash of its secret.

        `Conflict` when there is one of that id; `Refused` when the one that it is made from is gone: `a.b` is made from `a`.
        """
        who = str(token.role), stored(token.person.id), stored(token.agent), stored(token.name)
        expires = None if token.expires is None else microseconds(token.expires)
        row = (stored(token.id), digest, *who, microseconds(token.created), expires, str(token.login))
        with self._used() as file, file.writing() as db:
            if db.execute("SELECT 1 FROM tokens WHERE id=?", row[:1]).fetchone():
                raise Conflict(f"there is already a token {token.id}")
            above = stored(token.id.rpartition(".")[0])
            if above and not db.execute("SELECT 1 FROM tokens WHERE id=?", (above,)).fetchone():
                raise Refused(f"there is no token {said(above)} any more")
            db.execute(_ADD, row)

    def all(self) -> list[tuple[Token, str]]:
        """The tokens, each with the hash of its secret, in the order they were added; times are in UTC."""
        if not os.path.exists(self._path):
            return []
        with self._used() as file:
            return [_read(row) for row in file.rows(f"{_SELECT} ORDER BY number")]

    def find(self, digest: str) -> Token | None:
        """The token with this hash of a secret, if any; it takes no longer when there are many."""
        if not os.path.exists(self._path):
            return None
        with self._used() as file:
            rows = file.rows(f"{_SELECT} WHERE digest=?", digest)
        return _read(rows[0])[0] if rows else None

    def revoke(self, token_id: str) -> bool:
        """Take a token away, durably, together with those made from it; whether it was there."""
        if not os.path.exists(self._path):
            return False
        with self._used() as file, file.writing() as db:
            below = stored(f"{token_id}.")
            db.execute("DELETE FROM tokens WHERE substr(id, 1, ?)=?", (len(below), below))
            return bool(db.execute("DELETE FROM tokens WHERE id=?", (stored(token_id),)).rowcount)

    @contextmanager
    def _used(self) -> Iterator[SqliteFile]:
        with self._kept.use() as file:
            self._close_to_others()
            yield file

    def _close_to_others(self) -> None:
        """Let only the owner read it. What SQLite puts next to it later gets the same mode."""
        for path in (self._path, f"{self._path}-wal", f"{self._path}-shm"):
            with suppress(OSError):  # not there, or another user's: the folder keeps others out as well
                if os.stat(path).st_mode & 0o777 != _ONLY_OWNER:
                    os.chmod(path, _ONLY_OWNER)


def _read(row: tuple[Any, ...]) -> tuple[Token, str]:
    token_id, digest, role, person, agent, name, created, expires, login = row
    whose, until = Subject(said(person)), None if expires is None else moment(expires)
    given = said(agent), said(name), moment(created), until, Login(login)
    return Token(said(token_id), CallerRole(role), whose, *given), digest


Key = tuple[str, str, str]

USE_MIGRATIONS = (
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
_NOTE_USE = """
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
        self._file = SqliteFile(path, USE_MIGRATIONS, "the record of uses", loss)
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
                    db.executemany(_NOTE_USE, [(*key, *value) for key, value in waiting.items()])
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
