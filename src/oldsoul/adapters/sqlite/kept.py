"""A SQLite file that is opened at its first use and stays open; if another takes its place, that one is opened."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oldsoul.adapters.sqlite.file import SqliteFile


class KeptFile:
    """The file at a path. It can be used again after `close`; one that nobody closed is closed when it is not used any more.

    SQLite itself would close it without the file's lock, while another process opens it.
    """

    def __init__(self, path: str, opened: Callable[[], SqliteFile]) -> None:
        self._path, self._opened = path, opened
        self._file: SqliteFile | None = None
        self._closing: weakref.finalize[..., KeptFile] | None = None
        self._seen = (0, 0)
        self._guard = threading.RLock()

    @contextmanager
    def use(self) -> Iterator[SqliteFile]:
        """The file as it is now, for one thread at a time."""
        with self._guard:
            if self._file is None or self._seen != self._identity():
                self.close()
                self._file = self._opened()
                self._closing = weakref.finalize(self, self._file.close)
                self._seen = self._identity()
            yield self._file

    def _identity(self) -> tuple[int, int]:
        """Which file is at the path."""
        try:
            found = os.stat(self._path)
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            if self._closing is not None:
                self._closing()
            self._file = self._closing = None
