"""The scripted month, lived twice: a model answers the keepers, or an agent does with `work` and `answer`; memory is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from good_model import GoodModel, good_answer
from month_life import OWNER, Life, begun, month
from oldsoul.app.keepers.open_questions import QUESTION
from oldsoul.ledger import ANSWER
from oldsoul.values.keepers import KEEPERS
from oldsoul.values.sessions import Session
from scale import scaled

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Agent
    from oldsoul.driver import Report

SESSIONS = (Session.dm(OWNER), Session.dm("acct:7"), Session.dm("acct:8"), Session.group("kitchen"))

LOG = "COMPACTION_LOG.md"
DAYS = scaled(5, 31)
"""So much of the month is lived: summaries, mining, the soul and a correction are asked about in each part of it."""


class Worked:
    """An agent whose keepers' questions are answered as soon as they wait, by whichever of its sessions may see them."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.answered = 0
        self._drain()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.agent, name)

    def run(self, keeper: str) -> list[Report]:
        return self.drained(self.agent.run(keeper))

    @property
    def talk(self) -> WorkedTalk:
        return WorkedTalk(self)

    def drained(self, reports: list[Report]) -> list[Report]:
        self._drain()
        return reports

    def _drain(self) -> None:
        while given := [(who, one) for who in SESSIONS for one in self.agent.keepers.work(session=who, limit=20)]:
            for session, one in given:
                self.agent.keepers.answer(one.id, good_answer(one.evidence, one.schema), session=session)
                self.answered += 1


class WorkedTalk:
    """Its talk, whose ends of sessions ask questions too."""

    def __init__(self, worked: Worked) -> None:
        self._worked = worked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._worked.agent.talk, name)

    def end(self, session: str) -> list[Report]:
        return self._worked.drained(self._worked.agent.talk.end(session))


def memory(life: Life) -> dict[str, bytes | None]:
    """Every document; the compactor's log without the ids of its entries, which come from the numbers of changes."""
    found = {name.path: life.agent._parts.read(name).data for name in life.soul._home.world.store.names(life.agent.id)}
    found[LOG] = life.agent._parts.plain(LOG, found[LOG] or b"").encode()
    return found


def test_a_month_gives_the_same_memory_whether_a_model_is_asked_or_an_agent_does_the_work(tmp_path: Path) -> None:
    model = GoodModel()
    asked, worked = begun(tmp_path / "asked", model), begun(tmp_path / "worked")
    for keeper in (record.name for record in KEEPERS if record.schedule):
        asked.agent.run(keeper)
    worker = Worked(worked.agent)
    worked.agent = worker  # type: ignore[assignment]
    for life in (asked, worked):
        life.live(month(days=DAYS))
    assert len(model.asked) == worker.answered > scaled(15, 100)
    found, wanted = memory(worked), memory(asked)
    assert set(found) == set(wanted)
    assert {path: found[path] for path in wanted if found[path] != wanted[path]} == {}
    store = worked.soul._home.world.store
    assert store.records(worked.agent.id, QUESTION) == store.records(worked.agent.id, ANSWER) == {}
    for life in (asked, worked):
        life.soul.close()
