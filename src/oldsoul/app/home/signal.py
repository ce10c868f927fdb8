"""Tells threads that wait for something to happen in this process."""

from __future__ import annotations

import threading

from oldsoul.errors import Closed


class Signal:
    """Wakes those who wait for events when this process has made something durable."""

    def __init__(self) -> None:
        self._given = threading.Condition()
        self._count = 0
        self._is_closed = False

    @property
    def count(self) -> int:
        """How often it was given: taken before a look, so that nothing is missed between the look and the wait."""
        return self._count

    def give(self) -> None:
        """Wake everybody."""
        with self._given:
            self._count += 1
            self._given.notify_all()

    def wait(self, count: int, seconds: float) -> None:
        """Until it is given more often than so, or so many seconds are over; `Closed` once it is closed."""
        with self._given:
            self._given.wait_for(lambda: self._is_closed or self._count != count, max(0.0, seconds))
            if self._is_closed:
                raise Closed("this home is closed; open it again with Oldsoul.open")

    def close(self) -> None:
        """Have nobody wait any longer."""
        with self._given:
            self._is_closed = True
            self._given.notify_all()
