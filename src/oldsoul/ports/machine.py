"""The time, the machine, whose turn a piece of work is, and how the operator is told."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from oldsoul.values.history import Digest

if TYPE_CHECKING:
    from oldsoul.values.runtime import Machine


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time now, with its zone."""
        ...


class Notify(Protocol):
    """Tells the operator of growth."""

    def send(self, digest: Digest) -> None:
        """Deliver it; `Unavailable` when that cannot be done."""
        ...


class Lease(Protocol):
    """That one process, and no other, is at a piece of work."""

    left: str
    """what the one before noted who did not come to the end; empty when all did"""

    def note(self, text: str) -> None:
        """Say what is being done, for those who look; as well as can be."""
        ...


class Leases(Protocol):
    """Who is at which piece of work."""

    def take(self, workspace: str, work: str) -> AbstractContextManager[Lease | None]:
        """The lease until the block is left, or the process is killed; None, at once, when somebody else has it."""
        ...

    def noted(self, workspace: str, work: str) -> str | None:
        """What whoever is at it says; None when nobody is."""
        ...


class Runtime(Protocol):
    """The machine an agent runs on."""

    def machine(self, folder: str) -> Machine:
        """What is known of it, and of the repository that this folder lies in."""
        ...
