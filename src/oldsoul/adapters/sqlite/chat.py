"""The chat log in one SQLite file, `state/chat.db`: for a home on one machine, written by any number of processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from oldsoul.adapters.columns import (
    READ,
    READ_THREAD,
    bounded,
    conditions,
    digest,
    facts_of,
    in_utc,
    marks,
    message_of,
    microseconds,
    moment,
    order,
    row_of,
    said,
    stored,
    telling,
    thread_of,
    wanted_marks,
    with_all,
)
from oldsoul.adapters.sqlite.file import SqliteFile
from oldsoul.errors import Busy, Unavailable, Unwritable
from oldsoul.language.words import indexed
from oldsoul.values.messages import Logged, Message, Thread, Wanted

MIGRATIONS = (
    """
    CREATE TABLE sessions (         -- as they were told, so that messages need not repeat it
        id INTEGER PRIMARY KEY,
        facts TEXT NOT NULL UNIQUE
    );
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        workspace TEXT NOT NULL,
        session TEXT NOT NULL,
        facts INTEGER NOT NULL REFERENCES sessions,
        room TEXT NOT NULL,
        subject TEXT NOT NULL,
        role TEXT NOT NULL,
        sender TEXT NOT NULL,
        time INTEGER NOT NULL,      -- microseconds since 1970, UTC
        origin TEXT NOT NULL,
        audience TEXT NOT NULL,
        channel TEXT NOT NULL,
        key TEXT NOT NULL,
        flags TEXT NOT NULL,        -- JSON, or nothing
        text TEXT NOT NULL,
        UNIQUE (workspace, key)
    );
    CREATE INDEX messages_by_time ON messages (workspace, time);
    CREATE INDEX messages_of_session ON messages (workspace, session, time);
    CREATE INDEX messages_of_subject ON messages (workspace, subject, time) WHERE subject<>'';
    CREATE INDEX messages_of_room ON messages (workspace, room, time) WHERE room<>'';
    CREATE TABLE threads (          -- what the messages of each session come to
        workspace TEXT NOT NULL,
        session TEXT NOT NULL,
        facts INTEGER NOT NULL REFERENCES sessions,
        count INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        last_id INTEGER NOT NULL,
        channel TEXT NOT NULL,
        PRIMARY KEY (workspace, session)
    ) WITHOUT ROWID;
    -- Words are ours and stand between spaces. This tokenizer takes every character beyond ASCII as part of a word, so
    -- it never disagrees with us about what one is. Nothing but the rows is asked of it: no places, no sizes, no text.
    CREATE VIRTUAL TABLE words USING fts5(marks, content='', columnsize=0, detail=none, tokenize='ascii');
    CREATE TABLE word_rule (        -- one row: by which rule texts were taken apart into words
        digest TEXT NOT NULL
    );
    INSERT INTO word_rule VALUES ('');
    """,
)
_PROBE = "Ein GROẞER Tag, 人们说 it's naïve_fact №5: ﬁve ไทย １２ ½ كتاب"
_RULE = digest(" ".join(indexed(_PROBE)))
_NEAR = 5000
_LONGEST_LIST = 2000
_INSERT = """
    INSERT INTO messages (
        workspace, session, facts, room, subject, role, sender, time, origin, audience, channel, key, flags, text
    ) VALUES (
        :workspace, :session, :facts, :room, :subject, :role, :sender, :time, :origin, :audience, :channel, :key,
        :flags, :text
    )
"""
_COUNT = """
    INSERT INTO threads (workspace, session, facts, count, first, last, last_id, channel)
    VALUES (:workspace, :session, :facts, 1, :time, :time, :id, :channel)
    ON CONFLICT (workspace, session) DO UPDATE SET
        count=count+1,
        first=min(first, excluded.first),
        facts=CASE WHEN excluded.last>=last THEN excluded.facts ELSE facts END,
        channel=CASE WHEN excluded.last>=last THEN excluded.channel ELSE channel END,
        last=max(last, excluded.last),
        last_id=excluded.last_id
"""
_MESSAGES = f"{READ} FROM messages m CROSS JOIN sessions s ON s.id=m.facts"
_THREAD = f"{READ_THREAD} FROM threads t CROSS JOIN sessions s ON s.id=t.facts WHERE t.workspace=?"
_THREADS = f"{_THREAD} ORDER BY t.last DESC, t.last_id DESC"


class SqliteChatLog:
    """Every message of every conversation, in one file. An append is on the disk when it returns."""

    def __init__(self, path: str, on_append: Callable[[], None] = lambda: None) -> None:
        self._on_append = on_append  # once messages are stored
        self._file = SqliteFile(path, MIGRATIONS, "the chat log", "the conversations logged in it are lost")
        self._is_current = False
        with suppress(Unwritable, Unavailable):  # messages are read all the same; the next to write does it
            self._bring_up_to_date()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def append(self, messages: Sequence[Message]) -> list[Logged]:
        """Store messages, all of them or none, durably; one whose key its workspace has is given back as it is."""
        given = [in_utc(message) for message in messages]
        if not given:
            return []
        self._bring_up_to_date()
        with self._file.writing() as db:
            logged = [_logged(db, message) for message in given]
        self._on_append()
        return logged

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        """Messages in the order of their time, then of their number."""
        must = wanted_marks(wanted)
        if must is None:
            return []
        where, values = conditions(workspace, wanted)
        source = "messages m"
        if must:
            # The words come first: left alone, SQLite would walk all messages in order and look each of them up.
            source = "words CROSS JOIN messages m ON m.id=words.rowid"
            where.append("words MATCH ? AND words.rowid>?")  # the number again, as the index of words knows it
            values += [_query(workspace, wanted.session, telling(must)), bounded(wanted.after)]
        elif self._near(wanted.after):
            source = "messages m NOT INDEXED"
        # What is found is put in order by its numbers alone, so that no text is read but of those that are wanted.
        chosen = f"SELECT m.id FROM {source} WHERE {' AND '.join(where)} {order(wanted, must)}"  # noqa: S608 - ours; values are bound
        sql = f"{_MESSAGES} WHERE m.id IN ({chosen}) {order(wanted, must)}"
        return with_all([message_of(row) for row in self._file.rows(sql, *values)], must, wanted.limit)

    def threads(self, workspace: str) -> list[Thread]:
        """The sessions there are, the one with the latest message first."""
        return [thread_of(row) for row in self._file.rows(_THREADS, stored(workspace))]

    def thread(self, workspace: str, session: str) -> Thread | None:
        """One session, by its id; None when there is none."""
        rows = self._file.rows(f"{_THREAD} AND t.session=?", stored(workspace), stored(session))
        return thread_of(rows[0]) if rows else None

    def last(self, workspace: str) -> int:
        """The number of the latest message; 0 when there is none."""
        sql = "SELECT coalesce(max(last_id), 0) FROM threads WHERE workspace=?"
        return int(self._file.rows(sql, stored(workspace))[0][0])

    def said_at(self, workspace: str, since: datetime, until: datetime) -> list[tuple[datetime, str]]:
        """When something was said from one time on and before another, and in which session, in the order of time."""
        sql = "SELECT time, session FROM messages WHERE workspace=? AND time>=? AND time<? ORDER BY time"
        rows = self._file.rows(sql, stored(workspace), microseconds(since), microseconds(until))
        return [(moment(time), said(session)) for time, session in rows]

    def people(self, workspace: str) -> list[str]:
        """Who ever said something, by their ids, in order."""
        sql = "SELECT DISTINCT subject FROM messages WHERE workspace=? AND subject<>'' ORDER BY subject"
        return [str(person) for (person,) in self._file.rows(sql, stored(workspace))]

    def redact(self, workspace: str, texts: Mapping[int, str]) -> None:
        """Put other words in the place of messages' text, for good: nothing of the old stays in the file."""
        if not texts:
            return
        self._bring_up_to_date()
        with self._file.erasing() as db:
            for number, text in texts.items():
                _redact(db, workspace, bounded(number), text)
            if _worn(db):
                _index_all(db)
            else:  # what was deleted from the index stays in it, next to a note that it was, until its parts are merged
                db.execute("INSERT INTO words (words) VALUES ('optimize')")
        if not self._file.scrub():
            raise Busy(
                f"{self._file.path}: the words are replaced, but another process still reads the old ones; try again"
            )

    def _near(self, after: int) -> bool:
        """Whether few messages have a greater number: to sort them is quicker than to walk all of them by time."""
        return bool(after) and self._file.rows("SELECT coalesce(max(id), 0) FROM messages")[0][0] - after < _NEAR

    def _rule(self) -> str:
        return str(self._file.rows("SELECT digest FROM word_rule")[0][0])

    def _bring_up_to_date(self) -> None:
        """Take all texts apart again where what counts as a word is not what it was, and redaction would leave some."""
        if not self._is_current and self._rule() != _RULE:
            with self._file.writing() as db:
                if self._rule() != _RULE:  # no other process was quicker
                    _index_all(db)
                    db.execute("UPDATE word_rule SET digest=?", (_RULE,))
        self._is_current = True


def _logged(db: sqlite3.Connection, message: Message) -> Logged:
    """The message as it is stored now, or was before."""
    row = row_of(message)
    known = db.execute(f"{_MESSAGES} WHERE m.workspace=:workspace AND m.key=:key", row).fetchone()
    if known:  # looked for first: an insert that comes to nothing would use a number up
        return Logged(message_of(known), repeated=True)
    row = {**row, "facts": _facts_row(db, facts_of(message.session))}
    inserted = db.execute(_INSERT, row)
    new = replace(message, id=inserted.lastrowid or 0)
    db.execute(_COUNT, {**row, "id": new.id})
    _index(db, new)
    return Logged(new, repeated=False)


def _facts_row(db: sqlite3.Connection, facts: str) -> int:
    """The row of a session as it was given."""
    known = db.execute("SELECT id FROM sessions WHERE facts=?", (facts,)).fetchone()
    return int(known[0]) if known else db.execute("INSERT INTO sessions (facts) VALUES (?)", (facts,)).lastrowid or 0


def _redact(db: sqlite3.Connection, workspace: str, number: int, text: str) -> None:
    """Replace the words of one message, and take the old ones out of the index."""
    row = db.execute(f"{_MESSAGES} WHERE m.id=? AND m.workspace=?", (number, stored(workspace))).fetchone()
    if row is None:
        return
    old = message_of(row)
    new = replace(old, text=text, flags=())
    db.execute("INSERT INTO words (words, rowid, marks) VALUES ('delete', ?, ?)", (number, _marks(old)))
    db.execute("UPDATE messages SET text=?, flags='' WHERE id=?", (stored(text), number))
    _index(db, new)


def _worn(db: sqlite3.Connection) -> bool:
    """Whether the index was merged so often that it must be made again.

    Older SQLite (3.40 is one) adds a level to its list of parts each time, and cannot read a list of more than 2000.
    """
    return bool(db.execute("SELECT length(block)>? FROM words_data WHERE id=10", (_LONGEST_LIST,)).fetchone()[0])


def _index_all(db: sqlite3.Connection) -> None:
    """Make the index again from the messages."""
    db.execute("INSERT INTO words (words) VALUES ('delete-all')")
    for row in db.execute(f"{_MESSAGES} ORDER BY m.id"):
        _index(db, message_of(row))


def _index(db: sqlite3.Connection, message: Message) -> None:
    db.execute("INSERT INTO words (rowid, marks) VALUES (?, ?)", (message.id, _marks(message)))


def _marks(message: Message) -> str:
    """What a message is looked up by, and where it was said, so that a look-up in one place is not slowed by others."""
    return " ".join((*_places(message.workspace, message.session.id), *marks(message.text, message.flags)))


def _query(workspace: str, session: str, must: Sequence[str]) -> str:
    """Messages of a place that have every one of these marks, as the index of words is asked for them."""
    return " AND ".join(f'"{mark}"' for mark in (*_places(workspace, session), *must))


def _places(workspace: str, session: str) -> list[str]:
    """A workspace and a session (or none) as marks, distinguished from words by a sign no word has."""
    found = [f"¶{digest(workspace)[:10]}"]
    return [*found, f"¤{digest(session)[:10]}"] if session else found
