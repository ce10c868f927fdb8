"""A home in memory, and short words for what people say in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.app import Oldsoul, World
from oldsoul.app.home.signal import Signal
from oldsoul.documents import parse
from oldsoul.settings import load
from oldsoul.testing import FrozenClock, MemoryChatLog, MemoryStore, MemoryUsage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.app import Agent
    from oldsoul.app.talk.log import Heard
    from oldsoul.documents import Document
    from oldsoul.driver import Report
    from oldsoul.ports import Model
    from oldsoul.settings import Loaded
    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session

START = datetime(2026, 2, 4, 10, 0, tzinfo=UTC)


class NoPlaces:
    """Workspaces that lie nowhere."""

    def folder(self, workspace: str) -> str:
        return f"/home/workspace/{workspace}"

    def roots(self, workspace: str) -> Sequence[str]:
        return (self.folder(workspace),)

    def is_there(self, workspace: str) -> bool:  # noqa: ARG002 - none is
        return False

    def prepare(self, workspace: str, folders: Sequence[str], *, git: bool) -> None:
        """Nothing to make."""


@dataclass(slots=True)
class Talk:
    """People talking to an agent."""

    soul: Oldsoul
    store: MemoryStore
    clock: FrozenClock
    agent: Agent

    def say(self, session: Session, text: str, sender: str = "Ann", role: str = "user", person: str = "") -> Heard:
        self.clock.advance(timedelta(minutes=1))
        return self.agent.hear(text, session=session, sender=sender, role=role, subject=person or None)

    def end(self, session: Session) -> list[Report]:
        reports = self.agent.talk.end(session)
        assert all(report.done for report in reports), [report.problems for report in reports]
        return reports

    def text(self, path: str) -> str:
        """A document without its bookkeeping."""
        return self.agent.files.plain(path, self.agent.files.show(path).data or b"")

    def document(self, name: Name) -> Document:
        return parse(self.agent.parts.read(name).data or b"", is_log=name.is_log)

    def paths(self, start: str = "") -> list[str]:
        return [name.path for name in self.store.names(self.agent.id) if name.path.startswith(start)]


class _World(World):
    """A home on the fakes we ship."""

    def __init__(self, config: str, store: MemoryStore, clock: FrozenClock, model: Model | None) -> None:
        super().__init__("/home", store, NoPlaces(), clock, Signal())
        self._loaded = cache(lambda name: load(config, agent=name))
        self._chat, self._usage, self._model = MemoryChatLog(), MemoryUsage(), model

    def settings(self, workspace: str | None) -> Loaded:
        return self._loaded(workspace)

    def chat(self) -> MemoryChatLog:
        return self._chat

    def usage(self) -> MemoryUsage:
        return self._usage

    def model(self) -> Model | None:
        return self._model


def talk(config: str = "timezone: UTC\n", model: Model | None = None, agent: str | None = None) -> Talk:
    """A fresh home on the fakes we ship."""
    store, clock = MemoryStore(), FrozenClock(START)
    soul = Oldsoul(_World(config, store, clock, model))
    soul.parts.ensure()
    return Talk(soul, store, clock, soul.agent(agent))
