"""What a home keeps beside its documents: one port for each kind of record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from oldsoul.ports.access import Credentials
from oldsoul.ports.events import EventLog, JobLog
from oldsoul.ports.machine import Leases
from oldsoul.ports.models import Spending
from oldsoul.ports.talk import ChatLog, UseLog


class Records(Protocol):
    """The records of one home, of all its processes. Each is opened when it is first asked for."""

    @property
    def chat(self) -> ChatLog:
        """The log of all conversations that the settings name now."""
        ...

    @property
    def usage(self) -> UseLog:
        """When entries were of use."""
        ...

    @property
    def events(self) -> EventLog:
        """What happened."""
        ...

    @property
    def jobs(self) -> JobLog:
        """Long work; its states are told by `events`."""
        ...

    @property
    def credentials(self) -> Credentials:
        """The tokens that let programs in."""
        ...

    @property
    def spending(self) -> Spending:
        """What questions to language models took."""
        ...

    @property
    def leases(self) -> Leases:
        """Who is at which piece of work."""
        ...

    def claim(self, workspaces: Sequence[str], *, dry_run: bool) -> int:
        """Give this home what a server has of workspaces and no home owns, or only count it; how many messages."""
        ...

    def close(self) -> None:
        """Close everything that was opened."""
        ...
