"""The fake log of events."""

from __future__ import annotations

import threading
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from oldsoul.values.events import Event


class MemoryEventLog:
    """What happened, in a list, with everything a real log promises but surviving the process."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._id = uuid.uuid4().hex[:16]
        self._events: list[tuple[int, datetime, Event]] = []
        self._dropped = self._latest = 0
        self._marks: dict[str, str] = {}

    def span(self) -> tuple[str, int, int]:
        return self._id, self._dropped, self._latest

    def marks(self) -> dict[str, str]:
        with self._guard:
            return dict(self._marks)

    def append(
        self, events: Sequence[Event], moved: Mapping[str, tuple[str | None, str]], noted: datetime, keep: datetime
    ) -> bool:
        with self._guard:
            if any(self._marks.get(source) != before for source, (before, _) in moved.items()):
                return False
            self._marks.update({source: after for source, (_, after) in moved.items()})
            for event in events:
                self._latest += 1
                self._events.append((self._latest, noted, event))
            self._dropped = max((number for number, when, _ in self._events if when < keep), default=self._dropped)
            self._events = [row for row in self._events if row[0] > self._dropped]
            return True

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        with self._guard:
            return [(each, event) for each, _, event in self._events if each > number][:limit]

    def close(self) -> None:
        """Nothing to let go of."""
