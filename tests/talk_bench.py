"""A home in memory, and short words for what people say in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.app import Oldsoul
from oldsoul.app.home.world import IndexPlace, Signal
from oldsoul.documents import parse
from oldsoul.errors import Refused, Unavailable
from oldsoul.rules.limits import estimated
from oldsoul.settings import load
from oldsoul.testing import FrozenClock, MemoryRecords, MemoryStore
from oldsoul.values.runtime import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from oldsoul.app import Agent
    from oldsoul.app.talk.log import Heard
    from oldsoul.documents import Document
    from oldsoul.driver import Report
    from oldsoul.ports import Changes, Model, SecondMemory
    from oldsoul.recall import Recall
    from oldsoul.settings import Loaded
    from oldsoul.values.context import Profile
    from oldsoul.values.names import Name
    from oldsoul.values.runtime import Backup
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

    def is_own(self, workspace: str) -> bool:  # noqa: ARG002 - all are
        return True

    def prepare(self, workspace: str, folders: Sequence[str], *, git: bool) -> bool:  # noqa: ARG002 - nothing to make
        return False


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
        return parse(self.agent._parts.read(name).data or b"", is_log=name.is_log)

    def paths(self, start: str = "") -> list[str]:
        return [name.path for name in self.store.names(self.agent.id) if name.path.startswith(start)]


class NoSearches:
    """Nothing can be searched."""

    def recall(self, *_: object) -> Recall:
        raise Refused("this home has no index, so nothing can be searched")

    def stopgap(self, *_: object) -> Recall:
        raise Refused("this home has no index, so nothing can be searched")

    def rebuild(self, *_: object) -> bool:
        return False

    def erase(self, workspace: str, *, whole: bool) -> None:
        """Nothing to take away."""

    def place(self, workspace: str) -> IndexPlace:  # noqa: ARG002 - there is none
        return IndexPlace("", 0, is_there=False)

    def mem0(self, *_: object) -> SecondMemory:
        raise Unavailable("this home has no Mem0")


@dataclass
class OneModel:
    """A language model for the keepers, and no other."""

    own: Model | None

    def model(self) -> Model | None:
        return self.own

    def talker(self) -> None:
        return None

    def embedder(self) -> None:
        return None

    def alike(self, *_: object) -> None:
        return None


class NoHost:
    """A machine of which nothing is known."""

    def zone(self) -> tzinfo:
        return UTC

    def is_set(self, name: str) -> bool:  # noqa: ARG002 - none is
        return False

    def machine(self, folder: str) -> Machine:  # noqa: ARG002 - nothing is known of any
        return Machine()

    def tokens(self, model: str) -> Callable[[str], int]:  # noqa: ARG002 - the same for all
        return estimated

    def program(self, *_: object) -> bytes:
        raise Unavailable("this home starts no programs")

    def changes(self, folders: Sequence[str]) -> Changes:
        raise Unavailable(f"this home does not watch {folders}")

    def notify(self, *_: object) -> None:
        return None


class NothingOutside:
    """Nobody keeps anything for the agents."""

    def extras(self, *_: object) -> None:
        return None

    def skills(self, *_: object) -> None:
        return None

    def profiles(self, *_: object) -> tuple[Profile, ...]:
        return ()

    def external(self, file: str) -> str:  # noqa: ARG002 - nobody wrote any
        return ""


class MemoryWorld:
    """A home on the fakes we ship."""

    def __init__(self, config: str, store: MemoryStore, clock: FrozenClock, model: Model | None) -> None:
        self.home = "/home"
        self.store, self.clock, self.places, self.records = store, clock, NoPlaces(), MemoryRecords()
        self.searches, self.models, self.host, self.outside = NoSearches(), OneModel(model), NoHost(), NothingOutside()
        self.signal = Signal()
        self._loaded = cache(lambda name: load(config, agent=name))

    def settings(self, workspace: str | None) -> Loaded:
        return self._loaded(workspace)

    def config(self) -> str:
        return ""

    def claim(self, *_: object, **__: object) -> int:
        return 0

    def backup(self, *_: object) -> Backup:
        raise Refused("this home cannot be backed up")


def talk(config: str = "timezone: UTC\n", model: Model | None = None, agent: str | None = None) -> Talk:
    """A fresh home on the fakes we ship."""
    store, clock = MemoryStore(), FrozenClock(START)
    soul = Oldsoul(MemoryWorld(config, store, clock, model))
    soul._home.ensure()
    return Talk(soul, store, clock, soul.agent(agent))
