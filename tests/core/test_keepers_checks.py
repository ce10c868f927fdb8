"""Corrections as checks around a keeper's run: what breaks one is taken back, and nothing is asked for nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oldsoul.app.keepers import correction_checks, registry, runs
from oldsoul.app.keepers.work import Work
from oldsoul.keepers.questions import Findings, Listed
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.keepers import KEEPERS, KeeperRecord
from oldsoul.values.names import Name, longterm
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app import Agent
    from oldsoul.app.agent_workspace import AgentWorkspace
    from oldsoul.driver import Report
    from oldsoul.keepers.questions import Keeper

    Run = Callable[[Agent, list[list[Add]]], list[Report]]

DM = Session.dm(id="own")
START = datetime(2026, 2, 4, 10, 0, tzinfo=UTC)
LATER = longterm("main", "acct:owner")
WRONG, FINE = "Jonas is seven years old", "Jonas went to the lake"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def agent(tmp_path: Path, clock: FrozenClock) -> Iterator[Agent]:
    """One whom the operator corrected two days ago."""
    with open_home(tmp_path / "home", {}, clock) as soul:
        agent = soul.agent()
        agent.hear("Jonas is seven.", session=DM, role="assistant")
        clock.advance(timedelta(seconds=5))
        agent.hear("Jonas is six, not seven!", session=DM, sender="Nora", subject="acct:owner")
        assert [one.problem for one in correction_checks.checked(agent._parts)] == [""]
        clock.advance(timedelta(days=2))
        yield agent


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a keeper that wants these changes, work by work."""
    numbers = count()

    def made(agent: Agent, wanted: list[list[Add]]) -> list[Report]:
        def begin(number: int, adds: list[Add]) -> Keeper:
            yield Listed(())
            author, evidence = Author(Role.KEEPER, "memory-miner"), (Evidence("m:1", Origin.OPERATOR, OWNER),)
            key = f"scripted:{number}"
            return Findings(tuple(ChangeSet((a,), author, "told", f"{key}:{n}", evidence) for n, a in enumerate(adds)))

        def works(_: Agent, *, dry_run: bool) -> Iterator[Work]:  # noqa: ARG001 - what a gathering takes
            for number, adds in zip(numbers, wanted, strict=False):
                yield Work("memory-miner", f"scripted:{number}", partial(begin, number, adds))

        scripted = KeeperRecord("scripted", "Does what it is told.", works=works)
        monkeypatch.setattr(registry, "KEEPERS", (*KEEPERS, scripted))
        return list(agent._parts.keeping.run("scripted"))

    return made


def told(text: str) -> Add:
    """An entry of the operator's own memory that says this, two days later."""
    return Add(LATER, text, section="Notes", fields={"seen": "2026-02-06"})


def said(agent: Agent, name: Name = LATER) -> str:
    return (agent._parts.read(name).data or b"").decode()


def test_a_change_that_breaks_a_correction_is_taken_back_and_told_and_the_others_stay(agent: Agent, run: Run) -> None:
    reports = run(agent, [[told(FINE)], [told(WRONG)]])
    assert FINE in said(agent)
    assert WRONG not in said(agent)
    notes = " ".join(reports[-1].notes)
    assert "took effect before no longer do" in notes
    assert "was undone" in notes
    assert [one.problem for one in correction_checks.checked(agent._parts)] == [""]


def test_what_did_not_hold_before_the_run_is_not_blamed_on_it(agent: Agent, run: Run) -> None:
    file = Path(agent._parts.home.world.places.folder(agent.id)) / LATER.path
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"# Day\n\n## 2026-02-06 09:00\n\n{WRONG}\n", "utf-8")
    agent._parts.recaller.touch()
    assert [bool(one.problem) for one in correction_checks.checked(agent._parts)] == [True]
    reports = run(agent, [[], [told(FINE)], [told(f"{WRONG}, it says there")]])
    assert [report.changes for report in reports] == [0, 1, 1]
    assert not any("hold any more" in note for report in reports for note in report.notes)
    assert FINE in said(agent)
    assert f"{WRONG}, it says there" in said(agent)


def test_corrections_are_asked_for_once_before_the_first_change_and_not_where_there_is_none(
    agent: Agent, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def checked(_: AgentWorkspace) -> list[correction_checks.Checked]:
        seen.append(said(agent))
        return []

    monkeypatch.setattr(runs, "checked", checked)
    run(agent, [[], []])
    refused = run(agent, [[Add(Name("main", "MEMORY.md"), WRONG)]])
    assert refused[0].problems
    assert seen == []
    before = said(agent)
    run(agent, [[], [told(FINE)], [told("It rained")]])
    assert seen == [before, said(agent)]
