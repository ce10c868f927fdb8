"""Files that change, as the operating system tells of them, by `watchfiles`. It is an extra: not everybody watches."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence

from oldsoul.errors import Unavailable

try:
    import watchfiles
except ImportError as error:
    raise Unavailable("to watch files for changes, install the extra: pip install 'oldsoul[watch]'") from error


_STEP, _TICK = (
    50,
    100,
)  # milliseconds between two looks at the reported changes; and after which nothing is said to be new


class FileChanges:
    """What changes below these folders from now on, but not below `ignored`. One thread waits; any may close it."""

    def __init__(self, folders: Sequence[str], ignored: Sequence[str] = ()) -> None:
        self._ignored = tuple(f"{folder}/" for folder in ignored)
        for folder in folders:
            if not os.path.isdir(folder):
                raise Unavailable(f"{folder} cannot be watched for changes: it does not exist")
        self._closed = threading.Event()
        self._changes: Iterator[set[tuple[watchfiles.Change, str]]] = watchfiles.watch(
            *folders,
            watch_filter=None,
            debounce=_TICK,
            step=_STEP,
            stop_event=self._closed,
            rust_timeout=_TICK,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        try:
            self._first = self._next() or frozenset()  # only now does it watch
        except (OSError, RuntimeError) as error:
            raise Unavailable(f"files cannot be watched for changes: {error}") from error

    def wait(self, seconds: float) -> frozenset[str] | None:
        """Paths, as soon as some changed; none when so many seconds are over; None once it is closed."""
        found, self._first = self._first, frozenset()
        until = time.monotonic() + seconds
        while not found and time.monotonic() < until:
            more = self._next()
            if more is None:
                return None
            found = more
        return None if self._closed.is_set() else found

    def _next(self) -> frozenset[str] | None:
        told = next(self._changes, None)
        return None if told is None else frozenset(path for _, path in told if not path.startswith(self._ignored))

    def close(self) -> None:
        """Have nobody wait any longer."""
        self._closed.set()
