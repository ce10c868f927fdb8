"""How much a client may ask of the server: bytes, requests and seconds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from oldsoul.faces.web import bodies
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_KEPT = 10_000


@frozen
class Limits:
    """What one server allows."""

    body: int = bodies.LARGEST
    """bytes that the body of a request may have"""
    body_seconds: float = bodies.SECONDS
    """seconds in which the body has to arrive"""
    bodies: int = bodies.IN_FLIGHT
    """bytes of bodies that may be there at the same time"""
    per_second: float = 100.0
    """requests of one token, in the long run; without one, of one address for one purpose"""
    at_once: int = 500
    """requests of one token that may come at once after a pause"""
    streams: int = 10_000
    """event streams that are open at the same time"""


class Buckets:
    """Counts requests: each token has a bucket that fills with time, and every request takes one out."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._now = limits, now
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, whose: str) -> float:
        """Take a request out; returns 0, or the seconds to wait when there is none left."""
        now = self._now()
        left, since = self._left.pop(whose, (float(self._limits.at_once), now))
        left = min(self._limits.at_once, left + (now - since) * self._limits.per_second)
        waits = 0.0 if left >= 1 else (1 - left) / self._limits.per_second
        self._left[whose] = (left if waits else left - 1, now)  # at the end: the first one was used longest ago
        while len(self._left) > _MOST_KEPT:
            del self._left[next(iter(self._left))]
        return waits
