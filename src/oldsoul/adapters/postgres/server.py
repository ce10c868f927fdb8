"""What PostgreSQL adapters share: connections that outlive a restart, numbered migrations, errors callers know.

Importing this module needs the `postgres` extra and says so; nothing else imports the driver.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from oldsoul.errors import BadInput, Damaged, Unavailable

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError as error:
    raise Unavailable(
        f"PostgreSQL needs a driver that is not installed ({error}): pip install 'oldsoul[postgres]'"
    ) from error

Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]

PATIENCE_SECONDS = 60.0
_CONNECTIONS = 4
_POOL_SECONDS = 2.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
_MIGRATING = 0x6F6C64736F756C00  # "oldsoul": the number of the lock that is held while tables are brought up to date
_DEFAULTS: Mapping[str, str] = {
    "application_name": "oldsoul",
    "connect_timeout": "10",
    # A server that vanished without a word is noticed within a minute, not within two hours.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
_PASSING = frozenset(
    [
        "57P01",  # the server is being shut down
        "57P02",  # … or crashed
        "57P03",  # … or is starting up
        "53300",  # too many others are connected
        "25006",  # this server only reads: another has taken over
    ]
)
_BY_CHANCE = frozenset(["40001", "40P01"])
"""Two transactions were in each other's way; the connection is sound."""
_HOPELESS = re.compile("authentication failed|does not exist|no pg_hba.conf entry|no password supplied|not permitted")
_T = TypeVar("_T")

# The pool tells of every failed attempt; whoever listens hears it, but nobody's terminal is written on.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


class Postgres:
    """One database on a server, and the tables of one part of ours in it.

    It is made from the server's address (`postgresql://user@host/database`), the part's name, and the SQL scripts that
    bring its tables up to date. It connects when it is first needed. A server that goes away is waited for, as long as
    patience lasts.
    """

    def __init__(self, dsn: str, part: str, migrations: Sequence[str], *, timeout: float = PATIENCE_SECONDS) -> None:
        self._conninfo, self._password = _checked(dsn)
        self.address = _shown(dsn)
        self._part = part
        self._migrations = migrations
        self._timeout = timeout
        self._guard = threading.Lock()
        self._pool: ConnectionPool[Connection] | None = None

    def run(self, work: Callable[[Connection], _T]) -> _T:
        """What the work gives, done in one transaction, which is committed.

        When the connection is lost the work is done again, even if it may have been committed: it must be such that
        this does no harm.
        """
        give_up = time.monotonic() + self._timeout
        pause = _FIRST_PAUSE
        while True:
            pool = None
            try:
                pool = self._opened()
                with pool.connection(timeout=_POOL_SECONDS) as connection:
                    return work(connection)
            except psycopg.Error as error:
                if not passes(error):
                    raise self._explained(error) from error
                if not (error.sqlstate in _BY_CHANCE or _crowded(error, pool)):
                    self._drop(pool)
                if time.monotonic() + pause > give_up:
                    raise Unavailable(f"PostgreSQL at {self.address} does not answer: {self._reason(error)}") from error
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def close(self) -> None:
        """Close every connection."""
        self._drop(self._pool)

    def _opened(self) -> ConnectionPool[Connection]:
        """The pool. A fresh one is made after a single connection has succeeded: a pool does not say why it fails."""
        with self._guard:
            if self._pool is None:
                with psycopg.connect(self._conninfo) as connection:
                    self._migrate(connection)
                # The pool need not check its connections: what fails on a stale one is done again on a fresh one.
                self._pool = ConnectionPool(
                    self._conninfo,
                    min_size=0,
                    max_size=_CONNECTIONS,
                    num_workers=1,
                    reconnect_timeout=_FIRST_PAUSE,
                    configure=_durable,
                    open=True,
                )
            return self._pool

    def _drop(self, pool: ConnectionPool[Connection] | None) -> None:
        """Close this pool, unless another thread did and opened a new one."""
        with self._guard:
            if pool is None or pool is not self._pool:
                return
            self._pool = None
        pool.close()

    def _migrate(self, connection: Connection) -> None:
        if connection.info.parameter_status("server_encoding") != "UTF8":
            raise Unavailable(
                f"the database at {self.address} cannot store all of Unicode; create it with the encoding UTF8"
            )
        # Looked for first: to create a table that is there already takes a right that tables' users need not have.
        (there,) = connection.execute("SELECT to_regclass('oldsoul_migrations')").fetchone() or (None,)
        if there is not None and self._level(connection) == len(self._migrations):
            return
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS oldsoul_migrations ("
            " part text, number integer, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (part, number))"
        )
        have = self._level(connection)  # another process may have been quicker
        if have > len(self._migrations):
            raise Damaged(
                f"the database at {self.address} was written by a newer Oldsoul ({self._part} {have}); update this one"
            )
        for number, script in enumerate(self._migrations[have:], have + 1):
            connection.execute(script.encode())
            connection.execute("INSERT INTO oldsoul_migrations VALUES (%s, %s)", (self._part, number))

    def _level(self, connection: Connection) -> int:
        """How many migrations of this part the database has seen."""
        sql = "SELECT coalesce(max(number), 0) FROM oldsoul_migrations WHERE part=%s"
        (level,) = connection.execute(sql, (self._part,)).fetchone() or (0,)
        return int(str(level))

    def _explained(self, error: psycopg.Error) -> Exception:
        """An error that waiting does not mend, as one that callers know."""
        if error.sqlstate is None and not isinstance(error, psycopg.OperationalError | psycopg.InternalError):
            return error
        return Unavailable(f"PostgreSQL at {self.address} refused: {self._reason(error)}")

    def _reason(self, error: psycopg.Error) -> str:
        said = " ".join(str(error).split())
        return said.replace(self._password, "***") if self._password else said


def passes(error: psycopg.Error) -> bool:
    """Whether the same may succeed a little later."""
    if error.sqlstate is None:
        # A driver that learns of the end in the middle of an answer calls it its own error.
        lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | psycopg.InternalError)
        return lost and not _HOPELESS.search(str(error))
    return error.sqlstate in _PASSING | _BY_CHANCE or error.sqlstate.startswith("08")


def _crowded(error: psycopg.Error, pool: ConnectionPool[Connection] | None) -> bool:
    """Whether there was only no connection free: a new pool would add to those the server has to bear."""
    return isinstance(error, PoolTimeout) and pool is not None and pool.get_stats()["pool_size"] > 0


def _durable(connection: Connection) -> None:
    """Have commits wait for the disk, also where the server's default is not to. A stronger default stays."""
    off = "current_setting('synchronous_commit')='off'"
    connection.execute(f"SELECT set_config('synchronous_commit', 'on', false) WHERE {off}".encode())
    connection.commit()


def _checked(dsn: str) -> tuple[str, str]:
    """The address with our defaults, and the password in it; `BadInput` when it is none, without repeating it."""
    try:
        given = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        # What the driver says may hold a piece of the password, so not even the chain of errors tells it.
        raise BadInput("that is not a PostgreSQL address; write postgresql://user:password@host/database") from None
    whole: dict[str, Any] = {**_DEFAULTS, **given, "client_encoding": "utf8"}
    return make_conninfo(**whole), str(given.get("password") or "")


def _shown(dsn: str) -> str:
    """The address as people may see it."""
    given = conninfo_to_dict(dsn)
    place = given.get("host") or given.get("hostaddr") or given.get("service") or "the default host"
    port = f":{given['port']}" if given.get("port") else ""
    return f"{place}{port}/{given.get('dbname') or ''}"
