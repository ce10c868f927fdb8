"""The tables of an embedded index. What is counted and compared stands in arrays beside them."""

ENTRY = """substr(facts, instr(facts, '"entry": "') + 10, 12)"""
"""The beginning of a row's entry, as it stands in its facts with what follows: an id takes ten letters and a quote.

It is not read as JSON, which SQLite understands less of than Python writes (a number that is none).
"""

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE files (            -- what is indexed, and in which version
        path TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        rows INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,     -- its row
        document INTEGER NOT NULL,
        start_line INTEGER NOT NULL,
        end_line INTEGER NOT NULL,
        hash INTEGER NOT NULL,      -- checksum of the text and the facts
        text TEXT NOT NULL,
        facts TEXT NOT NULL         -- the rest of the chunk, as JSON
    );
    CREATE INDEX chunks_of_document ON chunks (document);
    CREATE TABLE terms (number INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL);
    CREATE INDEX terms_by_prefix ON terms (prefix);
    CREATE TABLE codes (
        kind TEXT NOT NULL, code INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, code)
    ) WITHOUT ROWID;
    CREATE TABLE dead (place INTEGER PRIMARY KEY, id INTEGER NOT NULL);
    CREATE TABLE superseded (id INTEGER PRIMARY KEY);
    """,
    # Without row numbers, looking for a key reads every long value on the way to it: the counts of all tokens.
    """
    CREATE TABLE noted (key TEXT PRIMARY KEY, value);
    INSERT INTO noted SELECT key, value FROM meta;
    DROP TABLE meta;
    ALTER TABLE noted RENAME TO meta;
    """,
    f"CREATE INDEX chunks_by_entry ON chunks ({ENTRY});",  # what corrections name is looked for with every change
)
