"""The entries of documents as they were last read: a page is listed without reading again what did not change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.values.audience import Audience
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.documents import Entry

_MOST = 100_000
"""So many entries are kept, those of the document asked for last among them."""


class Row(NamedTuple):
    """One entry with what it is filtered by."""

    entry: Entry
    """the entry"""
    audience: Audience
    """who may see it"""
    day: date | None
    """when it was last mentioned, or the day its document is about"""


class Catalogue:
    """Rows by document, each of one version; threads may share it."""

    def __init__(self) -> None:
        self._held: OrderedDict[Name, tuple[str, tuple[Row, ...]]] = OrderedDict()
        self._count = 0
        self._guard = threading.Lock()

    def known(self, name: Name, version: str) -> tuple[Row, ...] | None:
        """The rows of a document in this version; None when they are not kept."""
        with self._guard:
            held = self._held.get(name)
            if held is None or held[0] != version:
                return None
            self._held.move_to_end(name)
            return held[1]

    def keep(self, name: Name, version: str, rows: tuple[Row, ...]) -> None:
        """Keep the rows of a document, of this version and no other."""
        with self._guard:
            self._count += len(rows) - len(self._held.pop(name, ("", ()))[1])
            self._held[name] = version, rows
            while self._count > _MOST and len(self._held) > 1:
                self._count -= len(self._held.popitem(last=False)[1][1])
