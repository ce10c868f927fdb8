"""Who caused a text, from the most to the least trusted."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Origin(StrEnum):
    """Who caused a text. Computed from who is authenticated; no field of a message sets it."""

    OPERATOR = "operator"
    PARTICIPANT = "participant"
    AGENT = "agent"
    SYSTEM = "system"
    UNTRUSTED = "untrusted"

    @property
    def rank(self) -> int:
        """0 for the most trusted; greater is weaker."""
        return _ORDER.index(self)

    def weaker(self, other: Origin) -> Origin:
        """The origin of a text made from both: the less trusted one."""
        return self if self.rank >= other.rank else other


_ORDER = tuple(Origin)


def weakest(origins: Iterable[Origin]) -> Origin | None:
    """The least trusted of these; None when there are none."""
    return max(origins, key=lambda origin: origin.rank, default=None)
