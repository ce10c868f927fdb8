"""Tells whether an embedded index still is what was written: every text, list and array by its checksum."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oldsoul.adapters.index.rows import checksum, sum_of
from oldsoul.errors import Damaged

if TYPE_CHECKING:
    from oldsoul.adapters.index.stock import Stock
    from oldsoul.adapters.sqlite.file import SqliteFile

_LISTS = {
    "terms": "SELECT number, term, prefix FROM terms",
    "codes": "SELECT kind, code, value FROM codes",
    "files": "SELECT path, hash, rows FROM files",
    "dead": "SELECT place, id FROM dead",
    "chunks": "SELECT id, document, start_line, end_line, hash FROM chunks",
    "meta": "SELECT key, value FROM meta WHERE key<>'sums' AND key NOT LIKE 'note %'",
}


def check(stock: Stock) -> None:
    """`Damaged` when something is not what was put there. Reads all of it."""
    file = stock.file
    if file.rows("PRAGMA integrity_check(1)") != [("ok",)]:
        raise Damaged(f"{file.path} is damaged, according to SQLite's integrity check")
    kept = stock.meta("sums")
    if kept is not None and kept != sums(file):
        raise Damaged(f"{file.path} is damaged: its checksums do not match")
    for row, total, text, facts in file.rows("SELECT id, hash, text, facts FROM chunks"):
        if total != sum_of(text, facts):
            raise Damaged(f"{file.path} is damaged in row {row}")
    stock.shelf.check()


def sums(file: SqliteFile) -> str:
    """The lists of the file, each as one number."""
    found = {name: sum(checksum(repr(row).encode()) for row in file.rows(sql)) for name, sql in _LISTS.items()}
    return json.dumps(found)
