"""However long a question is, what is looked up for it is bounded; the same for every door."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oldsoul import Oldsoul, Session
from oldsoul.adapters.sqlite.file import SqliteFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from oldsoul.app import Agent

LONG: dict[str, Callable[[int], str]] = {
    "one character": lambda size: "猫" * size,
    "all characters": lambda size: "".join(chr(0x4E00 + number % 20_000) for number in range(size)),
    "words": lambda size: " ".join(f"word{number}" for number in range(size // 8)),
    "one word": lambda size: "x" * size,
    "Thai": lambda size: "แมว" * (size // 3),
}
DOORS: dict[str, Callable[[Agent, str], Any]] = {
    "recall": lambda agent, text: agent.recall(text, session=Session.dm()),
    "context": lambda agent, text: agent.context(text, session=Session.dm()),
    "prompt": lambda agent, text: agent.prompt(text, session=Session.dm()),
}
MOST = 1500
"""So many questions to the databases of a home, and no more, come of one question."""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with Oldsoul.open(tmp_path_factory.mktemp("home")) as soul:
        agent = soul.agent()
        agent.remember("Die Katze heißt 猫丁")
        agent.remember("The cat is called Tom")
        agent.recall("what is the cat called?", session=Session.dm())
        yield agent


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", LONG)
def test_what_is_looked_up_for_a_question_does_not_grow_with_it(
    agent: Agent, kind: str, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    rows = SqliteFile.rows

    def counted(self: SqliteFile, *given: Any) -> Any:
        counts[-1] += 1
        return rows(self, *given)

    monkeypatch.setattr(SqliteFile, "rows", counted)
    for size in (10_000, 100_000):
        counts.append(0)
        DOORS[door](agent, LONG[kind](size))
    assert max(counts) < MOST, counts


def test_the_beginning_of_a_long_question_is_what_is_asked(agent: Agent) -> None:
    found = agent.recall(f"what is the cat called? {'and so on ' * 20_000}", session=Session.dm())
    assert any("Tom" in hit.chunk.text for hit in found.hits)
