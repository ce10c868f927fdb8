"""The chat log in PostgreSQL: for homes that several machines share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

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
from oldsoul.adapters.postgres.server import PATIENCE_SECONDS, Connection, Postgres
from oldsoul.values.messages import Logged, Message, Thread, Wanted

MIGRATIONS = (
    """
    CREATE TABLE oldsoul_sessions (     -- as they were told, so that messages need not repeat it
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        digest text COLLATE "C" NOT NULL UNIQUE,    -- of the facts, which may be too long for an index
        facts text NOT NULL
    );
    CREATE TABLE oldsoul_messages (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        time bigint NOT NULL,           -- microseconds since 1970, UTC
        facts bigint NOT NULL REFERENCES oldsoul_sessions,
        attempt uuid NOT NULL,          -- the call that stored it: a call that is made again knows its own
        workspace text COLLATE "C" NOT NULL,
        session text COLLATE "C" NOT NULL,
        room text COLLATE "C" NOT NULL,
        subject text COLLATE "C" NOT NULL,
        role text NOT NULL,
        sender text NOT NULL,
        origin text NOT NULL,
        audience text NOT NULL,
        channel text NOT NULL,
        key_digest text COLLATE "C" NOT NULL,       -- a key may be too long for an index
        key text NOT NULL,
        flags text NOT NULL,            -- JSON, or nothing
        text text NOT NULL,
        words bigint[] NOT NULL,        -- what it is looked up by, as numbers
        UNIQUE (workspace, key_digest)
    );
    CREATE INDEX oldsoul_messages_by_time ON oldsoul_messages (workspace, time, id);
    CREATE INDEX oldsoul_messages_of_session ON oldsoul_messages (workspace, session, time, id);
    CREATE INDEX oldsoul_messages_of_subject ON oldsoul_messages (workspace, subject, time, id) WHERE subject<>'';
    CREATE INDEX oldsoul_messages_of_room ON oldsoul_messages (workspace, room, time, id) WHERE room<>'';
    CREATE INDEX oldsoul_messages_by_words ON oldsoul_messages USING gin (words);
    CREATE TABLE oldsoul_threads (      -- what the messages of each session come to
        workspace text COLLATE "C" NOT NULL,
        session text COLLATE "C" NOT NULL,
        facts bigint NOT NULL REFERENCES oldsoul_sessions,
        count bigint NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        last_id bigint NOT NULL,
        channel text NOT NULL,
        PRIMARY KEY (workspace, session)
    );
    """,
    """
    ALTER TABLE oldsoul_messages ADD COLUMN home text COLLATE "C" NOT NULL DEFAULT '';  -- nothing: before there were homes
    ALTER TABLE oldsoul_messages ALTER COLUMN home DROP DEFAULT;
    ALTER TABLE oldsoul_messages DROP CONSTRAINT oldsoul_messages_workspace_key_digest_key;
    ALTER TABLE oldsoul_messages ADD UNIQUE (home, workspace, key_digest);
    DROP INDEX oldsoul_messages_by_time, oldsoul_messages_of_session, oldsoul_messages_of_subject, oldsoul_messages_of_room;
    CREATE INDEX oldsoul_messages_by_time ON oldsoul_messages (home, workspace, time, id);
    CREATE INDEX oldsoul_messages_of_session ON oldsoul_messages (home, workspace, session, time, id);
    CREATE INDEX oldsoul_messages_of_subject ON oldsoul_messages (home, workspace, subject, time, id) WHERE subject<>'';
    CREATE INDEX oldsoul_messages_of_room ON oldsoul_messages (home, workspace, room, time, id) WHERE room<>'';
    ALTER TABLE oldsoul_threads ADD COLUMN home text COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE oldsoul_threads ALTER COLUMN home DROP DEFAULT;
    ALTER TABLE oldsoul_threads DROP CONSTRAINT oldsoul_threads_pkey;
    ALTER TABLE oldsoul_threads ADD PRIMARY KEY (home, workspace, session);
    """,
)
_INSERT = """
    INSERT INTO oldsoul_messages (
        home, workspace, session, facts, room, subject, role, sender, time, origin, audience, channel, key, key_digest,
        flags, text, words, attempt
    ) VALUES (
        %(home)s, %(workspace)s, %(session)s, %(facts)s, %(room)s, %(subject)s, %(role)s, %(sender)s, %(time)s, %(origin)s,
        %(audience)s, %(channel)s, %(key)s, %(key_digest)s, %(flags)s, %(text)s, %(words)s::bigint[], %(attempt)s
    ) ON CONFLICT (home, workspace, key_digest) DO NOTHING RETURNING id
"""
_COUNT = """
    INSERT INTO oldsoul_threads AS t (home, workspace, session, facts, count, first, last, last_id, channel)
    VALUES (%(home)s, %(workspace)s, %(session)s, %(facts)s, %(count)s, %(first)s, %(time)s, %(last_id)s, %(channel)s)
    ON CONFLICT (home, workspace, session) DO UPDATE SET
        count=t.count+excluded.count,
        first=least(t.first, excluded.first),
        facts=CASE WHEN excluded.last>=t.last THEN excluded.facts ELSE t.facts END,
        channel=CASE WHEN excluded.last>=t.last THEN excluded.channel ELSE t.channel END,
        last=greatest(t.last, excluded.last),
        last_id=excluded.last_id
"""
_MESSAGES = f"{READ} FROM oldsoul_messages m JOIN oldsoul_sessions s ON s.id=m.facts"
_KNOWN = f"""{READ}, m.attempt FROM oldsoul_messages m JOIN oldsoul_sessions s ON s.id=m.facts
    WHERE m.home=%(home)s AND m.workspace=%(workspace)s AND m.key_digest=%(key_digest)s"""
_THREAD = (
    f"{READ_THREAD} FROM oldsoul_threads t JOIN oldsoul_sessions s ON s.id=t.facts WHERE t.home=%s AND t.workspace=%s"
)
_THREADS = f"{_THREAD} ORDER BY t.last DESC, t.last_id DESC"

_UNOWNED = "home='' AND workspace=ANY(%(workspaces)s)"
_GIVE = f"""UPDATE oldsoul_messages m SET home=%(home)s WHERE {_UNOWNED} AND NOT EXISTS (
        SELECT FROM oldsoul_messages o WHERE o.home=%(home)s AND o.workspace=m.workspace AND o.key_digest=m.key_digest
    )"""  # noqa: S608 - our own words
_THREADS_AGAIN = """INSERT INTO oldsoul_threads (home, workspace, session, facts, count, first, last, last_id, channel)
    SELECT home, workspace, session, (array_agg(facts ORDER BY time DESC, id DESC))[1], count(*), min(time), max(time),
        max(id), (array_agg(channel ORDER BY time DESC, id DESC))[1]
    FROM oldsoul_messages WHERE home IN ('', %(home)s) AND workspace=ANY(%(workspaces)s)
    GROUP BY home, workspace, session"""


class PostgresChatLog:
    """Every message of every conversation of one home, in a database on a server, where others may have theirs too.

    Waits for a server that is away for a while.
    """

    def __init__(
        self, dsn: str, home: str, on_append: Callable[[], None] = lambda: None, *, timeout: float = PATIENCE_SECONDS
    ) -> None:
        self._home = home
        self._on_append = on_append  # once messages are stored
        self._server = Postgres(dsn, "chat", MIGRATIONS, timeout=timeout)

    def append(self, messages: Sequence[Message]) -> list[Logged]:
        """Store messages, all of them or none, durably; one whose key its workspace has is given back as it is."""
        given = [in_utc(message) for message in messages]
        if not given:
            return []
        attempt = uuid4()
        logged = self._server.run(lambda connection: _append(connection, self._home, given, attempt))
        self._on_append()
        return logged

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        """Messages in the order of their time, then of their number."""
        must = wanted_marks(wanted)
        if must is None:
            return []
        where, values = conditions(workspace, wanted)
        where, values = ["m.home=?", *where], [self._home, *values]
        if must:
            where.append("m.words @> ?::bigint[]")
            values.append(_numbers(telling(must)))
        sql = f"{_MESSAGES} WHERE {' AND '.join(where)} {order(wanted, must)}".replace("?", "%s").encode()
        rows = self._server.run(lambda connection: connection.execute(sql, values).fetchall())
        return with_all([message_of(row) for row in rows], must, wanted.limit)

    def threads(self, workspace: str) -> list[Thread]:
        """The sessions there are, the one with the latest message first."""
        place = (self._home, stored(workspace))
        return [thread_of(row) for row in self._server.run(lambda c: c.execute(_THREADS.encode(), place).fetchall())]

    def thread(self, workspace: str, session: str) -> Thread | None:
        """One session, by its id; None when there is none."""
        sql, place = f"{_THREAD} AND t.session=%s".encode(), (self._home, stored(workspace), stored(session))
        row = self._server.run(lambda c: c.execute(sql, place).fetchone())
        return thread_of(row) if row else None

    def last(self, workspace: str) -> int:
        """The number of the latest message; 0 when there is none."""
        sql = b"SELECT coalesce(max(last_id), 0) FROM oldsoul_threads WHERE home=%s AND workspace=%s"
        rows = self._server.run(lambda connection: connection.execute(sql, (self._home, stored(workspace))).fetchall())
        return max(int(str(number)) for (number,) in rows)

    def said_at(self, workspace: str, since: datetime, until: datetime) -> list[tuple[datetime, str]]:
        """When something was said from one time on and before another, and in which session, in the order of time."""
        sql = b"""SELECT time, session FROM oldsoul_messages
            WHERE home=%s AND workspace=%s AND time>=%s AND time<%s ORDER BY time"""
        place = (self._home, stored(workspace), microseconds(since), microseconds(until))
        rows = self._server.run(lambda connection: connection.execute(sql, place).fetchall())
        return [(moment(int(str(time))), said(str(session))) for time, session in rows]

    def people(self, workspace: str) -> list[str]:
        """Who ever said something, by their ids, in order."""
        sql = b"""SELECT DISTINCT subject FROM oldsoul_messages
            WHERE home=%s AND workspace=%s AND subject<>'' ORDER BY subject"""
        rows = self._server.run(lambda connection: connection.execute(sql, (self._home, stored(workspace))).fetchall())
        return [str(person) for (person,) in rows]

    def redact(self, workspace: str, texts: Mapping[int, str]) -> None:
        """Put other words in the place of messages' text. The server's own log and backups age as its owner set them."""
        place = self._home, stored(workspace)
        rows = [(stored(text), _numbers(marks(text, ())), bounded(number), *place) for number, text in texts.items()]
        if rows:
            self._server.run(lambda connection: _redact(connection, rows))
            self._server.run(_vacuum)

    def unowned(self, workspaces: Sequence[str]) -> int:
        """How many messages of such workspaces belong to no home: they were logged before homes were distinguished."""
        values = {"workspaces": [*map(stored, workspaces)]}
        sql = f"SELECT count(*) FROM oldsoul_messages WHERE {_UNOWNED}".encode()  # noqa: S608 - our own words
        (found,) = self._server.run(lambda connection: connection.execute(sql, values).fetchone()) or (0,)
        return int(str(found))

    def claim(self, workspaces: Sequence[str]) -> int:
        """Give those messages to this home, but for keys it has itself; says how many."""
        values = {"home": self._home, "workspaces": [*map(stored, workspaces)]}

        def give(connection: Connection) -> int:
            _take_turns(connection, self._home, values["workspaces"])
            given = connection.execute(_GIVE.encode(), values).rowcount
            sql = b"DELETE FROM oldsoul_threads WHERE home IN ('', %(home)s) AND workspace=ANY(%(workspaces)s)"
            connection.execute(sql, values)
            connection.execute(_THREADS_AGAIN.encode(), values)
            return given

        return self._server.run(give)

    def close(self) -> None:
        """Close every connection."""
        self._server.close()


def _append(connection: Connection, home: str, given: Sequence[Message], attempt: UUID) -> list[Logged]:
    """The messages as they are stored now, or were before."""
    rows = [
        {
            **row_of(message),
            "home": home,
            "key_digest": digest(message.key),
            "words": _numbers(marks(message.text, message.flags)),
            "attempt": attempt,
        }
        for message in given
    ]
    _take_turns(connection, home, {row["workspace"] for row in rows})
    facts = _facts_rows(connection, {facts_of(message.session) for message in given})
    for message, row in zip(given, rows, strict=True):
        row["facts"] = facts[facts_of(message.session)]
    for row, inserted in zip(rows, _each(connection, _INSERT, rows), strict=True):
        row["id"] = inserted[0] if inserted else None
    _count(connection, [row for row in rows if row["id"]])
    return _logged(connection, given, rows, attempt)


def _take_turns(connection: Connection, home: str, workspaces: Iterable[str]) -> None:
    """Wait until nobody else appends to these workspaces.

    Numbers are given out when a row is written, and rows are seen when they are committed. Two writers at once could be
    seen in the other order, and a reader who follows the numbers would pass one by. Locks follow one order, so that
    two who want the same ones do not wait for each other.
    """
    for workspace in sorted(workspaces):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_number(f"oldsoul chat {home}/{workspace}"),))


def _facts_rows(connection: Connection, facts: Iterable[str]) -> dict[str, Any]:
    """The rows of sessions as they were given."""
    names = {digest(each): each for each in facts}
    found = _known_facts(connection, names)
    missing = sorted(names.keys() - found.keys())
    if missing:
        sql = "INSERT INTO oldsoul_sessions (digest, facts) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        connection.cursor().executemany(sql, [(name, names[name]) for name in missing])
        found = _known_facts(connection, names)
    return {names[name]: row for name, row in found.items()}


def _known_facts(connection: Connection, names: Iterable[str]) -> dict[Any, Any]:
    rows = connection.execute("SELECT digest, id FROM oldsoul_sessions WHERE digest=ANY(%s)", (list(names),))
    return {name: row for name, row in rows}  # noqa: C416 - as a dict of rows it has no types


def _count(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Bring the threads of new messages up to date, each once: a row that changes leaves its old self behind."""
    threads: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        thread = threads.setdefault((row["workspace"], row["session"]), {**row, "count": 0, "first": row["time"]})
        if row["time"] >= thread["time"]:
            thread.update(row)
        thread.update(count=thread["count"] + 1, first=min(thread["first"], row["time"]), last_id=row["id"])
    if threads:
        connection.cursor().executemany(_COUNT, list(threads.values()))


def _logged(
    connection: Connection, given: Sequence[Message], rows: Sequence[Mapping[str, Any]], attempt: UUID
) -> list[Logged]:
    """What to answer. What an earlier try of this very call has stored was not there before the call."""
    old = [row for row in rows if row["id"] is None]
    known = iter(_each(connection, _KNOWN, old))
    answer: list[Logged] = []
    fresh: set[tuple[str, str]] = set()
    for message, row in zip(given, rows, strict=True):
        place = (row["workspace"], row["key_digest"])
        if row["id"] is not None:
            answer.append(Logged(replace(message, id=row["id"]), repeated=False))
        else:
            *found, by = next(known) or ()
            answer.append(Logged(message_of(found), repeated=by != attempt or place in fresh))
        fresh.add(place)
    return answer


def _each(connection: Connection, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...] | None]:
    """The first row that the statement gives for each of these, in one go."""
    if not rows:
        return []
    cursor = connection.cursor()
    cursor.executemany(sql.encode(), rows, returning=True)
    return [result.fetchone() for result in cursor.results()]


def _redact(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    sql = "UPDATE oldsoul_messages SET text=%s, words=%s::bigint[], flags='' WHERE id=%s AND home=%s AND workspace=%s"
    connection.cursor().executemany(sql, rows)


def _vacuum(connection: Connection) -> None:
    """Have the server drop rows that were replaced, now and not some day."""
    connection.autocommit = True
    try:
        connection.execute("VACUUM oldsoul_messages")
    finally:
        connection.autocommit = False


def _numbers(found: Iterable[str]) -> list[int]:
    """Marks as numbers: small, and without the limits on lengths that PostgreSQL's own text search has."""
    return sorted(map(_number, found))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), signed=True)
