"""Forgetting anything at all: it leaves no sentence of it, and changes nothing that rests on something else."""

from __future__ import annotations

import inspect
import random
import shutil
from datetime import UTC, date, datetime
from operator import attrgetter
from typing import TYPE_CHECKING

import pytest

from core.every_verb import verbs
from forgets import Goal, goals, seen, wrong
from golden_home import cases, opened, played
from oldsoul.faces.cli.demo import Life
from oldsoul.testing import FrozenClock
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from golden_home import Block
    from oldsoul.app import Agent
    from oldsoul.values.names import Name

ROOM = "rooms/bakery-team.md"
UNTIL = date(2026, 3, 14)
MORNING = datetime(2026, 3, 14, 9, tzinfo=UTC)
DICE = random.Random(38)  # noqa: S311 - a test's dice
GOLDEN = [
    (file, title, blocks)
    for file in ("mining.md", "validating.md", "growth.md")
    for title, blocks in cases(file).items()
]
PLAYED = DICE.sample(GOLDEN, scaled(8, len(GOLDEN)))[: scaled(4, len(GOLDEN))]
FORGOTTEN_OF_EACH = scaled(2, 6)
FORGOTTEN_OF_DEMO = scaled(14, 80)
MOST_OF_DEMO = scaled(6, 30)


def forgetting(agent: Agent) -> dict[str, Callable[..., object]]:
    """Every public verb of an agent and its services that forgets, by what it is given: an entry's document and id, or a number."""
    found: dict[str, Callable[..., object]] = {}
    for name in verbs():
        if "forget" in name:
            verb = attrgetter(name)(agent)
            given = [p.name for p in inspect.signature(verb).parameters.values() if p.default is p.empty]
            found[" ".join(given)] = verb
    return found


def forget(agent: Agent, key: str, name: Name | None) -> None:
    if name is None:
        forgetting(agent)["number"](int(key.removeprefix("m:")))
    else:
        forgetting(agent)["name entry"](name, key)


def test_every_verb_that_forgets_is_tried_here(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        assert {*forgetting(soul.agent())} == {"number", "name entry", "secret"}, (
            "give the new verb something to forget"
        )


def test_forgetting_a_secret_changes_nothing_else(tmp_path: Path) -> None:
    with open_home(tmp_path, {}, FrozenClock(MORNING)) as soul:
        agent = soul.agent()
        agent.remember("The gate squeaks")
        agent.hear("keep this secret: the gate code is 4711", session=Session.dm())
        before = {file.name: agent.files.show(file.name.path).data for file in agent.files.all()}
        said = [message.text for message in agent.talk.messages(Wanted())]
        (kept,) = agent.memory.secrets()
        forgetting(agent)["secret"](kept.id)
        assert agent.memory.secrets() == []
        assert {file.name: agent.files.show(file.name.path).data for file in agent.files.all()} == before
        assert [message.text for message in agent.talk.messages(Wanted())] == said


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("demo") / "made"
    Life(made, UNTIL, lambda _day: None).play()
    return made


def test_forgetting_anything_of_the_demo_home_changes_nothing_of_others_and_leaves_no_sentence(
    demo: Path, tmp_path: Path
) -> None:
    with open_home(demo, {}, FrozenClock(MORNING)) as soul:
        before, every = seen(soul.agent()), list(goals(soul.agent()))
    assert len(every) > 300
    for number, (key, name, goal) in enumerate(DICE.sample(every, min(FORGOTTEN_OF_DEMO, len(every)))[:MOST_OF_DEMO]):
        copy = tmp_path / str(number)
        shutil.copytree(demo, copy, ignore=shutil.ignore_patterns("cache"))
        with open_home(copy, {}, FrozenClock(MORNING)) as soul:
            forget(soul.agent(), key, name)
            assert wrong(goal, before, seen(soul.agent())) == [], (key, name, goal.text)
        shutil.rmtree(copy)


def test_forgetting_all_of_a_file_leaves_the_others(demo: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(demo, copy, ignore=shutil.ignore_patterns("cache"))
    with open_home(copy, {}, FrozenClock(MORNING)) as soul:
        agent = soul.agent()
        before, every = seen(agent), [found for found in goals(agent) if found[2].path == ROOM]
        for key, name, _ in every:
            if agent.memory.find(key, ROOM):  # else it went with another that said the same
                forget(agent, key, name)
        after = seen(agent)
    told = [goal for _, _, goal in every]
    ids, sources = (frozenset().union(*some) for some in zip(*((one.ids, one.sources) for one in told), strict=True))
    assert wrong(Goal(ids, sources, "\n".join(one.text for one in told), ROOM), before, after) == []


@pytest.mark.parametrize("blocks", [pytest.param(blocks, id=f"{file}#{title}") for file, title, blocks in PLAYED])
def test_forgetting_anything_of_a_golden_workspace_changes_nothing_of_others_and_leaves_no_sentence(
    blocks: list[Block], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(blocks, tmp_path, monkeypatch.setattr) as home:
        for _ in played(blocks, home):
            pass
        agent = home.agent
        chosen = [found for found in goals(agent) if found[2].text.strip()]
        for key, name, _ in DICE.sample(chosen, min(FORGOTTEN_OF_EACH, len(chosen))):
            standing: dict[str, Goal] = {one: goal for one, _, goal in goals(agent)}
            if key in standing:
                before = seen(agent)
                forget(agent, key, name)
                assert wrong(standing[key], before, seen(agent)) == [], (key, name, standing[key].text)
