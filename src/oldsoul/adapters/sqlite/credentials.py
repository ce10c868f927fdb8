"""The tokens of programs, in one SQLite file, `state/tokens.db`, that only its owner may read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from oldsoul.adapters.columns import microseconds, moment, said, stored
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.adapters.sqlite.kept import KeptFile
from oldsoul.errors import Conflict, Refused
from oldsoul.values.callers import CallerRole, Login, Token
from oldsoul.values.sessions import Subject

MIGRATIONS = (
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
        self._kept = KeptFile(path, lambda: SqliteFile(path, MIGRATIONS, "the file of tokens", loss))

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
