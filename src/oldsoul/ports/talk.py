"""What was said, and when memories were of use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from oldsoul.values.audience import View
from oldsoul.values.messages import Logged, Message, Thread, Wanted
from oldsoul.values.recall import Hit, Reuse, Use


class ChatLog(Protocol):
    """Every message of every conversation, durably, in the order it came."""

    def append(self, messages: Sequence[Message]) -> list[Logged]:
        """Store messages, all of them or none, durably; one whose key its workspace has is given back as it is."""
        ...

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        """Messages in the order of their time, then of their number."""
        ...

    def threads(self, workspace: str) -> list[Thread]:
        """The sessions there are, the one with the latest message first."""
        ...

    def thread(self, workspace: str, session: str) -> Thread | None:
        """One session, by its id; None when there is none."""
        ...

    def last(self, workspace: str) -> int:
        """The number of the latest message; 0 when there is none."""
        ...

    def said_at(self, workspace: str, since: datetime, until: datetime) -> list[tuple[datetime, str]]:
        """When something was said from one time on and before another, and in which session, in the order of time."""
        ...

    def people(self, workspace: str) -> list[str]:
        """Who ever said something, by their ids, in order."""
        ...

    def redact(self, workspace: str, texts: Mapping[int, str]) -> None:
        """Put other words in the place of messages' text, by their numbers, for good; their flags go too."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class UseLog(Protocol):
    """When entries were of use: put into a context, or given back by recall."""

    def note(self, workspace: str, uses: Sequence[Use]) -> None:
        """Remember that entries were used."""
        ...

    def reuse(self, workspace: str, entries: Sequence[str]) -> dict[str, Reuse]:
        """How often and when these entries were used; those that never were are left out."""
        ...

    def forget(self, workspace: str, entries: Sequence[str]) -> None:
        """Drop what is known of these entries."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class SecondMemory(Protocol):
    """Another program's memory of the conversations, asked beside ours. Derived: lost, it is filled again. For one thread."""

    @property
    def reached(self) -> int:
        """The number of the last message it was given; 0 when it is empty."""
        ...

    @property
    def gone(self) -> bool:
        """Whether its store was taken away, so that it has to be opened again."""
        ...

    def take(self, messages: Sequence[Message]) -> None:
        """Store messages that follow the last one."""
        ...

    def search(self, question: str, view: View, limit: int) -> list[Hit]:
        """What it finds among what the view sees, the best first."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...
