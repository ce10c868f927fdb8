"""The ledger's own file, `state/ledger.db`: changes, the bytes of every version, records, and unfinished writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from oldsoul.adapters.folder.version_cache import LruCache
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Conflict, Damaged
from oldsoul.values.audience import Audience
from oldsoul.values.changes import Author, Evidence
from oldsoul.values.history import ABSENT, Change, Effect, Record, common
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

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
        change INTEGER NOT NULL,    -- the change that left it; it stays until that one is seen to be in place
        expected TEXT NOT NULL,     -- the versions it may hold without being a save that nobody has looked at
        PRIMARY KEY (workspace, temp)
    ) WITHOUT ROWID;
    CREATE TABLE erasures (         -- one row: how often bytes were erased, so that others drop what they remember
        count INTEGER NOT NULL
    );
    INSERT INTO erasures VALUES (0);
    CREATE TABLE records (
        workspace TEXT NOT NULL,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (workspace, kind, key)
    ) WITHOUT ROWID;
    """,
    "CREATE INDEX changes_of_workspace ON changes (workspace, id);",  # the latest is asked for before every search
    "CREATE INDEX changes_of_author ON changes (workspace, author, id);",  # what was seeded is asked for with every list
)
_MAX_DEPTH = 400
_SELECT = "SELECT id, workspace, key, at, author, reason, evidence, notes FROM changes"


class LedgerDb(SqliteFile):
    """One open `ledger.db`. Reads need no lock; writes take the file's own."""

    def __init__(self, path: str) -> None:
        self._remembered: LruCache[str, bytes] = LruCache()  # bytes of versions
        self._erasures = -1
        loss = "the files themselves are safe, only their history is lost"
        super().__init__(path, MIGRATIONS, "the ledger", loss)

    # versions

    def content(self, version: str) -> bytes | None:
        """The bytes of a version."""
        if version == ABSENT:
            return None
        with self._guard:
            ((erasures,),) = self.rows("SELECT count FROM erasures")
            if erasures != self._erasures:
                self._remembered.clear()
                self._erasures = erasures
            return self._load(version)

    def _load(self, version: str) -> bytes | None:
        parts: list[tuple[str, int, int, bytes]] = []
        wanted: str | None = version
        whole = b""
        while wanted is not None:
            known = self._remembered.get(wanted)
            if known is not None:
                whole = known
                break
            row = self.rows("SELECT base, head, tail, data FROM versions WHERE version=?", wanted)
            if not row:
                return None
            parts.append((wanted, *row[0][1:]))
            wanted = row[0][0]
        for name, head, tail, data in reversed(parts):
            whole = whole[:head] + data + whole[len(whole) - tail :] if head or tail else data
            self._remembered.put(name, whole, len(whole))
        return whole

    def store(self, db: sqlite3.Connection, version: str, data: bytes, base: str, base_data: bytes | None) -> None:
        """Keep a version's bytes, as a difference to another where that is smaller."""
        known = db.execute("SELECT redacted FROM versions WHERE version=?", (version,)).fetchone()
        if known and known[0]:  # somebody put back what was erased
            db.execute("UPDATE versions SET data=?, redacted=0 WHERE version=?", (data, version))
            db.execute("UPDATE erasures SET count=count+1")
        if known:
            return
        row = db.execute("SELECT depth, weight, redacted FROM versions WHERE version=?", (base,)).fetchone()
        if row and base_data is not None and row[0] < _MAX_DEPTH and not row[2]:
            head = common(base_data, data)
            tail = common(base_data[head:][::-1], data[head:][::-1])
            middle = data[head : len(data) - tail]
            if (head or tail) and row[1] + len(middle) < len(data):
                values = (version, base, head, tail, middle, row[0] + 1, row[1] + len(middle))
                db.execute("INSERT INTO versions VALUES (?,?,?,?,?,?,?,0)", values)
                return
        db.execute("INSERT INTO versions VALUES (?,NULL,0,0,?,0,0,0)", (version, data))

    def redact(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        """Replace the bytes of versions, and the words of changes, for good: nothing of the old stays in the file."""
        with self.erasing() as db:
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
            db.execute("UPDATE erasures SET count=count+1")
        self.scrub()

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

    def changes(
        self, workspace: str, name: Name | None, *, author: Author | None, since: str, before: int | None, limit: int
    ) -> list[Change]:
        """Changes, newest first."""
        where, values = ["workspace=?", "at>=?"], [workspace, since]
        if author is not None:
            where.append("author=?")
            values.append(str(author))
        if name is not None:
            where.append("id IN (SELECT change FROM effects WHERE workspace=? AND path=?)")
            values += [workspace, name.path]
        if before is not None:
            where.append("id<?")
            values.append(before)  # type: ignore[arg-type]
        sql = f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"
        return [self._change(row) for row in self.rows(sql, *values, limit)]

    def following(self, workspace: str, after: int, limit: int) -> list[Change]:
        """Changes with a greater number, in their order."""
        rows = self.rows(f"{_SELECT} WHERE workspace=? AND id>? ORDER BY id LIMIT ?", workspace, after, limit)
        return [self._change(row) for row in rows]

    def change(self, change_id: int) -> Change | None:
        """One change."""
        rows = self.rows(f"{_SELECT} WHERE id=?", change_id)
        return self._change(rows[0]) if rows else None

    def latest(self, workspace: str) -> int:
        """The number of the latest change; 0 when there is none."""
        ((number,),) = self.rows("SELECT max(id) FROM changes WHERE workspace=?", workspace)
        return number or 0

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

    def insert(
        self, db: sqlite3.Connection, change: Change, temps: Mapping[Name, str], expected: Mapping[Name, str]
    ) -> int:
        """Write a change down; gives its number. It is pending when it has files to be put in place."""
        values = (
            change.workspace,
            change.key,
            change.at,
            str(change.author),
            change.reason,
            _evidence_json(change.evidence),
            json.dumps(dict(change.notes), ensure_ascii=False),
            int(bool(temps)),
        )
        sql = "INSERT INTO changes (workspace,key,at,author,reason,evidence,notes,pending) VALUES (?,?,?,?,?,?,?,?)"
        try:
            number = db.execute(sql, values).lastrowid
        except sqlite3.IntegrityError:
            raise Conflict(f"the key {change.key!r} was already used") from None
        if number is None:
            raise Damaged("the ledger did not number a change")
        for effect in change.effects:
            where = (change.workspace, effect.name.path)
            temp = temps.get(effect.name, "")
            details = (effect.before, effect.after, " ".join(effect.entries), temp)
            db.execute("INSERT INTO effects VALUES (?,?,?,?,?,?,?)", (number, *where, *details))
            db.execute("INSERT OR REPLACE INTO documents VALUES (?,?,?)", (*where, effect.after))
            if temp:
                self.insert_temp(db, effect.name, temp, number, expected[effect.name])
        return number

    def insert_temp(self, db: sqlite3.Connection, name: Name, temp: str, change: int, expected: str) -> None:
        """Write down that a file of ours may lie next to a document."""
        values = (name.workspace, temp, name.path, change, expected)
        db.execute("INSERT OR REPLACE INTO temps VALUES (?,?,?,?,?)", values)

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

    def record(self, workspace: str, kind: str, key: str) -> Record:
        """One record as it is, or that there is none."""
        rows = self.rows("SELECT value FROM records WHERE workspace=? AND kind=? AND key=?", workspace, kind, key)
        return Record(kind, key, rows[0][0] if rows else None)

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
