"""The ledger's own file, `state/ledger.db`: changes, the bytes of every version, records, and unfinished writes."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from oldsoul.adapters.locks import locked
from oldsoul.errors import Damaged
from oldsoul.values.audience import Audience
from oldsoul.values.changes import Author, Evidence
from oldsoul.values.history import ABSENT, Change, Effect, Record
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MIGRATIONS = (
    """
    CREATE TABLE versions (
        version TEXT PRIMARY KEY,   -- sha256 of the bytes
        base TEXT,                  -- the version it is stored as a difference to; NULL for whole bytes
        head INTEGER NOT NULL,      -- how many bytes it shares with the base at the start
        tail INTEGER NOT NULL,      -- … and at the end
        data BLOB NOT NULL,         -- the bytes in between
        depth INTEGER NOT NULL,     -- how many differences lie between it and whole bytes
        weight INTEGER NOT NULL,    -- how many bytes those differences hold
        redacted INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE changes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        workspace TEXT NOT NULL,
        key TEXT NOT NULL,
        at TEXT NOT NULL,
        author TEXT NOT NULL,
        reason TEXT NOT NULL,
        evidence TEXT NOT NULL,
        notes TEXT NOT NULL,
        pending INTEGER NOT NULL,   -- 1 from the intent until its documents are seen to be in place
        UNIQUE (workspace, key)
    );
    CREATE INDEX pending_changes ON changes (workspace) WHERE pending;
    CREATE TABLE effects (
        change INTEGER NOT NULL REFERENCES changes,
        workspace TEXT NOT NULL,
        path TEXT NOT NULL,
        before TEXT NOT NULL,
        after TEXT NOT NULL,
        entries TEXT NOT NULL,
        temp TEXT NOT NULL,         -- the name its new bytes are first written under
        PRIMARY KEY (change, path)
    ) WITHOUT ROWID;
    CREATE INDEX effects_of_document ON effects (workspace, path, change);
    CREATE TABLE documents (        -- the version history believes each document to have
        workspace TEXT NOT NULL,
        path TEXT NOT NULL,
        version TEXT NOT NULL,
        PRIMARY KEY (workspace, path)
    ) WITHOUT ROWID;
    CREATE TABLE temps (            -- files of ours that may still lie in a workspace
        workspace TEXT NOT NULL,
        temp TEXT NOT NULL,
        path TEXT NOT NULL,
        PRIMARY KEY (workspace, temp)
    ) WITHOUT ROWID;
    CREATE TABLE records (
        workspace TEXT NOT NULL,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (workspace, kind, key)
    ) WITHOUT ROWID;
    """,
)
_MAX_DEPTH = 400
_SELECT = "SELECT id, workspace, key, at, author, reason, evidence, notes FROM changes"


class LedgerDb:
    """One open `ledger.db`. Reads need no lock; writes take the file's own."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lock_path = f"{path}.lock"
        self._guard = threading.RLock()
        with locked(self.lock_path, "the ledger"):
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
            try:
                self._set_up()
            except sqlite3.DatabaseError as error:
                self._db.close()
                raise Damaged(
                    f"{path} cannot be read ({error}); move it away and start again: the documents themselves are safe,"
                    " only their history is lost"
                ) from error
        self._content = lru_cache(maxsize=256)(self._load)

    def _set_up(self) -> None:
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")
        self._db.execute("PRAGMA busy_timeout=30000")
        (have,) = self._db.execute("PRAGMA user_version").fetchone()
        if have > len(MIGRATIONS):
            raise Damaged(f"{self.path} was written by a newer Oldsoul (schema {have}); update this one")
        for number, script in enumerate(MIGRATIONS[have:], have + 1):
            self._db.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version={number}; COMMIT;")

    def close(self) -> None:
        """Let go of the file."""
        with self._guard:
            self._db.close()

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction. A durable one is on the disk when the block is left; another may be lost with the power."""
        with self._guard, locked(self.lock_path, "the ledger"):
            if not durable:
                self._db.execute("PRAGMA synchronous=NORMAL")
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
                self._db.execute("COMMIT")
            finally:
                if not durable:
                    self._db.execute("PRAGMA synchronous=FULL")

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._guard:
            return self._db.execute(sql, values).fetchall()

    # versions

    def content(self, version: str) -> bytes | None:
        """The bytes of a version."""
        return None if version == ABSENT else self._content(version)

    def _load(self, version: str) -> bytes | None:
        parts: list[tuple[int, int, bytes]] = []
        wanted: str | None = version
        while wanted is not None:
            row = self.rows("SELECT base, head, tail, data FROM versions WHERE version=?", wanted)
            if not row:
                return None
            wanted, head, tail, data = row[0]
            parts.append((head, tail, data))
        whole = b""
        for head, tail, data in reversed(parts):
            whole = whole[:head] + data + whole[len(whole) - tail :] if head or tail else data
        return whole

    def store(self, db: sqlite3.Connection, version: str, data: bytes, base: str, base_data: bytes | None) -> None:
        """Keep a version's bytes, as a difference to another where that is smaller."""
        if db.execute("SELECT 1 FROM versions WHERE version=?", (version,)).fetchone():
            return
        row = db.execute("SELECT depth, weight, redacted FROM versions WHERE version=?", (base,)).fetchone()
        if row and base_data is not None and row[0] < _MAX_DEPTH and not row[2]:
            head = _common(base_data, data)
            tail = _common(base_data[head:][::-1], data[head:][::-1])
            middle = data[head : len(data) - tail]
            if (head or tail) and row[1] + len(middle) < len(data):
                values = (version, base, head, tail, middle, row[0] + 1, row[1] + len(middle))
                db.execute("INSERT INTO versions VALUES (?,?,?,?,?,?,?,0)", values)
                return
        db.execute("INSERT INTO versions VALUES (?,NULL,0,0,?,0,0,0)", (version, data))

    def redact(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        """Replace the bytes of versions, and the words of changes, for good: nothing of the old stays in the file."""
        with self.writing() as db:
            dependents = self._dependents(redacted)
            whole = {version: self.content(version) for version in dependents}
            for version, data in whole.items():
                values = (redacted.get(version, data), int(version in redacted), version)
                db.execute(
                    "UPDATE versions SET base=NULL, head=0, tail=0, data=?, depth=0, weight=0, redacted=max(redacted,?)"
                    " WHERE version=?",
                    values,
                )
            for change in changes:
                values_ = (change.reason, _evidence_json(change.evidence), json.dumps(dict(change.notes)), change.id)
                db.execute("UPDATE changes SET reason=?, evidence=?, notes=? WHERE id=?", values_)
        self._content.cache_clear()
        with self._guard, locked(self.lock_path, "the ledger"):
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _dependents(self, versions: Mapping[str, bytes]) -> set[str]:
        """These versions, and every one that is stored as a difference to one of them, however far."""
        found = set(versions)
        pending = list(versions)
        while pending:
            for (version,) in self.rows("SELECT version FROM versions WHERE base=?", pending.pop()):
                if version not in found:
                    found.add(version)
                    pending.append(version)
        return found

    # changes

    def changes(self, workspace: str, name: Name | None, since: str, before: int | None, limit: int) -> list[Change]:
        """Changes, newest first."""
        where, values = ["workspace=?", "at>=?"], [workspace, since]
        if name is not None:
            where.append("id IN (SELECT change FROM effects WHERE workspace=? AND path=?)")
            values += [workspace, name.path]
        if before is not None:
            where.append("id<?")
            values.append(before)  # type: ignore[arg-type]
        sql = f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"
        return [self._change(row) for row in self.rows(sql, *values, limit)]

    def change(self, change_id: int) -> Change | None:
        """One change."""
        rows = self.rows(f"{_SELECT} WHERE id=?", change_id)
        return self._change(rows[0]) if rows else None

    def spent(self, workspace: str, key: str) -> Change | None:
        """The change that spent this key."""
        rows = self.rows(f"{_SELECT} WHERE workspace=? AND key=?", workspace, key)
        return self._change(rows[0]) if rows else None

    def pending(self, workspace: str) -> list[Change]:
        """Changes whose documents are not known to be in place, oldest first."""
        return [
            self._change(row) for row in self.rows(f"{_SELECT} WHERE workspace=? AND pending ORDER BY id", workspace)
        ]

    def _change(self, row: tuple[Any, ...]) -> Change:
        number, workspace, key, at, author, reason, evidence, notes = row
        effects = self.rows("SELECT path, before, after, entries FROM effects WHERE change=? ORDER BY path", number)
        return Change(
            workspace=workspace,
            key=key,
            at=at,
            author=Author.parse(author),
            reason=reason,
            effects=tuple(
                Effect(Name(workspace, path), before, after, tuple(entries.split()))
                for path, before, after, entries in effects
            ),
            evidence=tuple(
                Evidence(e["ref"], Origin(e["origin"]), Audience.parse(e["audience"]), e.get("quote", ""))
                for e in json.loads(evidence)
            ),
            notes=json.loads(notes),
            id=number,
        )

    def insert(self, db: sqlite3.Connection, change: Change, temps: Mapping[Name, str], *, pending: bool) -> int:
        """Write a change down; gives its number."""
        values = (
            change.workspace,
            change.key,
            change.at,
            str(change.author),
            change.reason,
            _evidence_json(change.evidence),
            json.dumps(dict(change.notes), ensure_ascii=False),
            int(pending),
        )
        sql = "INSERT INTO changes (workspace,key,at,author,reason,evidence,notes,pending) VALUES (?,?,?,?,?,?,?,?)"
        number = db.execute(sql, values).lastrowid
        if number is None:
            raise Damaged("the ledger gave a change no number")
        for effect in change.effects:
            where = (change.workspace, effect.name.path)
            temp = temps.get(effect.name, "")
            details = (effect.before, effect.after, " ".join(effect.entries), temp)
            db.execute("INSERT INTO effects VALUES (?,?,?,?,?,?,?)", (number, *where, *details))
            db.execute("INSERT OR REPLACE INTO documents VALUES (?,?,?)", (*where, effect.after))
            if temp:
                db.execute("INSERT OR REPLACE INTO temps VALUES (?,?,?)", (change.workspace, temp, effect.name.path))
        return number

    def put(self, db: sqlite3.Connection, workspace: str, records: Sequence[Record]) -> None:
        """Write records down, or take them away."""
        for record in records:
            if record.value is None:
                where = (workspace, record.kind, record.key)
                db.execute("DELETE FROM records WHERE workspace=? AND kind=? AND key=?", where)
            else:
                db.execute(
                    "INSERT OR REPLACE INTO records VALUES (?,?,?,?)",
                    (workspace, record.kind, record.key, record.value),
                )

    def records(self, workspace: str, kind: str) -> dict[str, str]:
        """All records of a kind."""
        return dict(
            self.rows("SELECT key, value FROM records WHERE workspace=? AND kind=? ORDER BY key", workspace, kind)
        )


def _evidence_json(evidence: Sequence[Evidence]) -> str:
    return json.dumps(
        [{"ref": e.ref, "origin": str(e.origin), "audience": str(e.audience), "quote": e.quote} for e in evidence],
        ensure_ascii=False,
    )


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two texts share at the start."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
