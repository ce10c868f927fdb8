"""The tables of the index in PostgreSQL, and rows in the form in which the server takes many at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oldsoul.ranking.marks import Mark

if TYPE_CHECKING:
    from oldsoul.adapters.postgres.server import Connection


Array = NDArray[Any]

SHARED = "oldsoul_index_vectors"
"""The table in which the vectors of all small agents are."""
WIDEST = 4000
"""Vectors with more numbers than this cannot be in an index; they are all compared."""
MIGRATIONS = (
    """
    DO $$
    BEGIN
        CREATE EXTENSION IF NOT EXISTS vector;
        IF (SELECT string_to_array(extversion, '.')::int[] < '{0,8}' FROM pg_extension WHERE extname='vector') THEN
            RAISE EXCEPTION 'pgvector in this database is older than 0.8; update it, then run: '
                'ALTER EXTENSION vector UPDATE';
        END IF;
    EXCEPTION
        WHEN insufficient_privilege THEN
            RAISE EXCEPTION 'pgvector is not set up in this database; have its administrator run there: '
                'CREATE EXTENSION vector';
        WHEN undefined_file OR feature_not_supported THEN
            RAISE EXCEPTION 'this server has no pgvector, which the index needs; install version 0.8 or newer on it '
                '(https://github.com/pgvector/pgvector)';
    END $$;
    CREATE TABLE oldsoul_index_agents (
        agent integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        digest text COLLATE "C" NOT NULL UNIQUE,    -- of the home and the workspace's name
        made text NOT NULL,             -- by and for what it was made: anything else means other rows
        version bigint NOT NULL DEFAULT 0,          -- counts what was written
        weighing integer NOT NULL DEFAULT 0,        -- counts how often tokens were weighed
        weighed bigint NOT NULL DEFAULT 0,          -- how many rows there were then
        rows bigint NOT NULL DEFAULT 0,
        length bigint NOT NULL DEFAULT 0,           -- terms of all rows together
        next_row bigint NOT NULL DEFAULT 0,
        next_term integer NOT NULL DEFAULT 0,
        next_document integer NOT NULL DEFAULT 0,
        attempts uuid[] NOT NULL DEFAULT '{}'       -- the last calls that appended: one made again knows itself
    );
    CREATE TABLE oldsoul_index_codes (  -- speakers, audiences, rooms, people and tags as numbers
        agent integer NOT NULL,
        kind text COLLATE "C" NOT NULL,
        code integer NOT NULL,
        value text NOT NULL,
        PRIMARY KEY (agent, kind, code)
    );
    CREATE TABLE oldsoul_index_files (
        agent integer NOT NULL,
        document integer NOT NULL,
        place text COLLATE "C" NOT NULL,            -- digest of the path, which may be too long for an index
        path text NOT NULL,
        digest text NOT NULL,           -- its version; nothing when it is gone
        PRIMARY KEY (agent, document),
        UNIQUE (agent, place)
    );
    CREATE TABLE oldsoul_index_terms (
        agent integer NOT NULL,
        number integer NOT NULL,
        term text COLLATE "C" NOT NULL,
        prefix text COLLATE "C" NOT NULL,
        rows integer NOT NULL,          -- how many have it
        PRIMARY KEY (agent, number),
        UNIQUE (agent, term)
    ) WITH (fillfactor=70);
    CREATE INDEX oldsoul_index_terms_by_prefix ON oldsoul_index_terms (agent, prefix);
    CREATE TABLE oldsoul_index_postings (           -- which rows have which terms
        agent integer NOT NULL,
        term integer NOT NULL,
        "row" bigint NOT NULL,
        times integer NOT NULL,
        length integer NOT NULL,        -- how many terms the row has
        PRIMARY KEY (agent, term, "row") INCLUDE (times, length)
    );
    CREATE TABLE oldsoul_index_rows (   -- what rows are chosen by
        agent integer NOT NULL,
        "row" bigint NOT NULL,          -- never used again
        document integer NOT NULL,
        ordinal integer NOT NULL,
        start_line bigint NOT NULL,
        end_line bigint NOT NULL,
        hash bigint NOT NULL,           -- checksum of the text and the facts
        time bigint NOT NULL,           -- seconds since 1970; the least number for none
        entry bigint NOT NULL,          -- number of the entry's id; 0 for none
        speaker integer NOT NULL,
        audience integer NOT NULL,
        source smallint NOT NULL,
        tag integer NOT NULL,
        room integer NOT NULL,
        person integer NOT NULL,
        confidence real NOT NULL,
        flags integer NOT NULL,
        length integer NOT NULL,
        event_from integer NOT NULL,
        event_to integer NOT NULL,
        superseded boolean NOT NULL,
        PRIMARY KEY (agent, "row")
    );
    CREATE INDEX oldsoul_index_rows_of_document ON oldsoul_index_rows (agent, document, ordinal);
    CREATE INDEX oldsoul_index_rows_of_entry ON oldsoul_index_rows (agent, entry) WHERE entry<>0;
    CREATE INDEX oldsoul_index_rows_superseded ON oldsoul_index_rows (agent) WHERE superseded;
    CREATE TABLE oldsoul_index_texts (  -- what rows are shown and scored by
        agent integer NOT NULL,
        "row" bigint NOT NULL,
        text text NOT NULL,
        facts text NOT NULL,            -- the rest of the chunk, as JSON
        terms bytea NOT NULL,           -- in order, as 32-bit numbers
        tokens bytea[] NOT NULL,        -- for each table
        sentences bytea[] NOT NULL,     -- where among them sentences begin
        PRIMARY KEY (agent, "row")
    );
    CREATE TABLE oldsoul_index_spaces (
        agent integer NOT NULL,
        space integer NOT NULL,         -- the table's number; -1 for an embedder that is no table
        name text NOT NULL,
        relation text NOT NULL,         -- where its vectors are
        width integer NOT NULL,
        rows bigint NOT NULL,           -- how many vectors an embedder has given
        weight bytea NOT NULL,          -- of each token
        mean bytea NOT NULL,
        PRIMARY KEY (agent, space)
    );
    CREATE TABLE oldsoul_index_vectors (
        agent integer NOT NULL,
        space integer NOT NULL,
        "row" bigint NOT NULL,
        vector halfvec NOT NULL,
        norms bytea NOT NULL,           -- of its sentences
        PRIMARY KEY (agent, space, "row")
    );
    CREATE TABLE oldsoul_index_notes (
        agent integer NOT NULL,
        key text COLLATE "C" NOT NULL,
        weighing integer NOT NULL,      -- for which it holds
        value text NOT NULL,
        PRIMARY KEY (agent, key)
    );
    CREATE TABLE oldsoul_index_waste (relation text PRIMARY KEY);   -- tables that nobody needs any more
    """,
    f"CREATE INDEX oldsoul_index_rows_foreign ON oldsoul_index_rows (agent, ((flags & {int(Mark.FOREIGN)}) <> 0))",
    "CREATE INDEX oldsoul_index_rows_speaker ON oldsoul_index_rows (agent, speaker, audience)",
    "COMMENT ON COLUMN oldsoul_index_agents.digest IS 'of the home and the workspace''s name'",
    """
    CREATE TABLE oldsoul_index_counts (     -- how many rows for an audience have a term; below zero, what all come to
        agent integer NOT NULL,
        term integer NOT NULL,
        audience integer NOT NULL,
        rows bigint NOT NULL,
        PRIMARY KEY (agent, term, audience) INCLUDE (rows)
    );
    ALTER TABLE oldsoul_index_terms DROP COLUMN rows;
    """,
)
OF_AGENT = ("notes", "vectors", "spaces", "texts", "rows", "postings", "counts", "terms", "files", "codes", "agents")
"""The tables that hold something of an agent."""
ROWS, LENGTH, FOREIGN = -1, -2, -3
"""What is counted of an audience as if it were a term: its rows, their terms, those in other scripts."""
PLAIN = 100
"""The space of a table in which tokens all weigh the same has its number and so much."""
_COPY_BEGIN, _COPY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"


def fetched(connection: Connection, sql: str, values: Any = None, *, prepare: bool | None = None) -> list[Any]:
    """The rows that a statement gives, in the server's own form of numbers."""
    return connection.cursor(binary=True).execute(sql.encode(), values, prepare=prepare).fetchall()


def number_of(text: str) -> int:
    """A number that stands for a text; 0 for none."""
    made = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(made, signed=True) if text else 0


def copy_columns(connection: Connection, table: str, columns: Sequence[tuple[str, Any]]) -> None:
    """Append rows of numbers to a table, given column by column: what kind of number each holds, and which."""
    kinds: list[tuple[str, str]] = [("fields", ">i2")]
    for place, (kind, _) in enumerate(columns):
        kinds += [(f"size {place}", ">i4"), (f"value {place}", kind)]
    count = next(len(values) for _, values in columns if not np.isscalar(values))
    made = np.zeros(count, np.dtype(kinds))
    made["fields"] = len(columns)
    for place, (kind, values) in enumerate(columns):
        made[f"size {place}"] = np.dtype(kind).itemsize
        made[f"value {place}"] = values
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy:
        copy.write(_COPY_BEGIN + made.tobytes() + _COPY_END)


def copy_rows(connection: Connection, table: str, kinds: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Append rows of anything to a table."""
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy:
        copy.set_types(kinds)
        for row in rows:
            copy.write_row(row)


def packed(vectors: Array) -> list[bytes]:
    """Vectors as the server takes them."""
    count, width = vectors.shape
    made = np.zeros(count, np.dtype([("width", ">u2"), ("unused", ">u2"), ("numbers", ">f2", (width,))]))
    made["width"], made["numbers"] = width, vectors
    data, size = made.tobytes(), made.dtype.itemsize
    return [data[start : start + size] for start in range(0, count * size, size)]


def unpacked(found: Sequence[bytes | None], width: int) -> Array:
    """The vectors that `packed` made; zeros for none."""
    blank = bytes(4 + 2 * width)
    data = np.frombuffer(b"".join(each or blank for each in found), "u1").reshape(len(found), 4 + 2 * width)
    return np.ascontiguousarray(data[:, 4:]).view(">f2").astype("<f4")


def written(vector: Array) -> str:
    """A vector as text."""
    return f"[{','.join(f'{number:.6g}' for number in vector.tolist())}]"
