"""The machine's clock."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Tells the time of this machine."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)
