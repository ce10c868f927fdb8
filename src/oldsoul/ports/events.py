"""Where it is written down what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from oldsoul.values.events import Event


class EventLog(Protocol):
    """What happened, in an order that never changes, and how far each source of it has been read."""

    def span(self) -> tuple[str, int, int]:
        """What tells this log from others, the number of the last event that is not kept any more, and of the latest."""
        ...

    def marks(self) -> dict[str, str]:
        """How far each source has been read."""
        ...

    def append(
        self, events: Sequence[Event], moved: Mapping[str, tuple[str | None, str]], noted: datetime, keep: datetime
    ) -> bool:
        """Append events and move marks, durably, if the marks are where they were; False, and nothing done, if not.

        What was noted before `keep` is dropped.
        """
        ...

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        """The events after a number, in order."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...
