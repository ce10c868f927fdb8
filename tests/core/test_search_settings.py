"""The settings of search, each by what it changes."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul.app.prompts.tools import memory_get
from oldsoul.errors import NotFound
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN = Session.dm()
FACTS = (
    "The cat is called Mia",
    "Our kitten sleeps in the kitchen",
    "The server stands in Frankfurt",
    "Tea is in the blue tin",
    "The dentist is on Thursday at nine",
    "Grandma plays chess in the park",
    "The bicycle needs a new chain",
    "Rent is due on the third",
)


@contextmanager
def home(tmp_path: Path, search: str = "", facts: tuple[str, ...] = FACTS) -> Iterator[Agent]:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home/config.yaml").write_text(f"timezone: UTC\nmemory: {{search: {{{search}}}}}\n")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        for fact in facts:
            agent.remember(fact)
        yield agent


def texts(agent: Agent, question: str, limit: int | None = None) -> list[str]:
    return [hit.chunk.text for hit in agent.recall(question, session=OWN, limit=limit).hits]


def sources(agent: Agent, question: str) -> set[str]:
    return {hit.chunk.source for hit in agent.recall(question, session=OWN, limit=20).hits}


def test_as_many_results_as_are_set_and_six_otherwise(tmp_path: Path) -> None:
    with home(tmp_path) as agent:
        assert len(texts(agent, "what is there?")) == 6
    with home(tmp_path, "query: {max_results: 2}", ()) as agent:
        assert len(texts(agent, "what is there?")) == 2
        assert len(texts(agent, "what is there?", limit=4)) == 4


def test_what_scores_less_than_is_set_is_left_out(tmp_path: Path) -> None:
    with home(tmp_path) as agent:
        scores = [hit.score for hit in agent.recall("where is the tea?", session=OWN, minimum=0.0).hits]
    with home(tmp_path, f"query: {{min_score: {scores[1] - 0.001}}}", ()) as agent:
        assert len(texts(agent, "where is the tea?")) == 2


def test_files_conversations_or_both_are_searched(tmp_path: Path) -> None:
    with home(tmp_path) as agent:
        agent.hear("The tea is finished", session=OWN, time=NOON)
        assert sources(agent, "tea") == {"memory", "sessions"}
    with home(tmp_path, "sources: [memory]", ()) as agent:
        assert sources(agent, "tea") == {"memory"}
    with home(tmp_path, "sources: [sessions]", ()) as agent:
        assert sources(agent, "tea") == {"sessions"}


def test_meaning_or_words_alone_count_where_that_is_set(tmp_path: Path) -> None:
    with home(tmp_path, "query: {hybrid: {mode: weighted, vector_weight: 1, text_weight: 0}}") as agent:
        (hit, *_) = agent.recall("where is the tea?", session=OWN).hits
        assert set(hit.why) <= {"vectors", "age"}
    with home(tmp_path, "query: {hybrid: {mode: weighted}}, provider: none", ()) as agent:
        (hit, *_) = agent.recall("where is the tea?", session=OWN).hits
        assert set(hit.why) <= {"words", "age"}
        assert "Tea is in the blue tin" in hit.chunk.text


def test_weighted_search_goes_by_its_two_weights(tmp_path: Path) -> None:
    weighted = "query: {hybrid: {mode: weighted, vector_weight: %s, text_weight: %s}}"
    with home(tmp_path, weighted % (0.7, 0.3)) as agent:
        (hit, *_) = agent.recall("the tea in the tin", session=OWN).hits
        assert (hit.why["vectors"], hit.why["words"]) == (0.7, 0.3)
    with home(tmp_path, weighted % (0, 1), ()) as agent:
        assert all("vectors" not in hit.why for hit in agent.recall("the tea", session=OWN).hits)
    with home(tmp_path, "query: {hybrid: {mode: weighted}}, provider: none", ()) as agent:
        (hit, *_) = agent.recall("the tea in the tin", session=OWN).hits
        assert set(hit.why) <= {"words", "age"}


def test_age_breaks_ties_by_its_half_life_and_not_at_all_when_switched_off(tmp_path: Path) -> None:
    def logged(agent: Agent) -> None:
        for days in (400, 1):
            agent.hear("The lock of the shed sticks", session=OWN, time=NOON - timedelta(days=days))

    with home(tmp_path, facts=()) as agent:
        logged(agent)
        hits = agent.recall("what about the lock of the shed?", session=OWN).hits
        assert [hit.chunk.time for hit in hits] == [NOON - timedelta(days=1), NOON - timedelta(days=400)]
        young = hits[0].why["age"]
    with home(tmp_path, "query: {hybrid: {temporal_decay: {half_life_days: 1}}}", ()) as agent:
        aged = agent.recall("what about the lock of the shed?", session=OWN).hits[0].why["age"]
        assert aged < young
    with home(tmp_path, "query: {hybrid: {temporal_decay: {enabled: false}}}", ()) as agent:
        assert all("age" not in hit.why for hit in agent.recall("the lock of the shed", session=OWN).hits)


def test_a_fact_of_three_years_ago_comes_first_when_nothing_newer_speaks_of_it(tmp_path: Path) -> None:
    with home(tmp_path, facts=()) as agent:
        agent.hear("My locker code is 4471", session=OWN, time=NOON - timedelta(days=1100))
        for day in range(60):
            agent.hear(f"Lunch on day {day} was soup and bread", session=OWN, time=NOON - timedelta(days=day))
        assert texts(agent, "what is the code of my locker?")[0] == "My locker code is 4471"


def test_pieces_are_as_long_as_is_set_and_share_what_is_set(tmp_path: Path) -> None:
    words = "\n".join(f"word{number} of the long story." for number in range(400))

    def pieces(search: str) -> list[tuple[int, str]]:
        with home(tmp_path, search, ()) as agent:
            agent.files.put("memory/2026-02-03.md", f"# 2026-02-03\n\n{words}\n".encode())
            agent.index.rebuild()
            hits = agent.recall("word of the long story", session=OWN, limit=100).hits
            return [(len(hit.chunk.text), hit.chunk.text) for hit in hits]

    long = pieces("chunking: {tokens: 400, overlap: 0}")
    short = pieces("chunking: {tokens: 100, overlap: 0}")
    shared = pieces("chunking: {tokens: 100, overlap: 50}")
    assert max(size for size, _ in short) < max(size for size, _ in long)
    assert len(shared) > len(short) > len(long)


def test_without_the_sync_before_a_search_it_finds_what_was_indexed_before(tmp_path: Path) -> None:
    with home(tmp_path, "sync: {on_search: false}") as agent:
        agent.index.sync()
        (tmp_path / "home/workspace/main/later.md").write_text("- a pelican came\n")
        assert not any("pelican" in text for text in texts(agent, "pelican"))
        agent.index.sync()
        assert texts(agent, "pelican")[0] == "a pelican came"


def test_a_file_that_other_systems_could_not_name_is_searched_and_read_and_never_written(tmp_path: Path) -> None:
    paths = ("What is RAG?.md", "Meeting 10:30.md", "notes/a|b.md", "notes/aux.md", f"notes/{'y' * 230}.md")
    with home(tmp_path, facts=()) as agent:
        for number, path in enumerate(paths):
            file = tmp_path / "home/workspace/main" / path
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"The pelican number {number} came.\n")
        hits = agent.recall("the pelican", session=OWN, limit=9).hits
        assert {hit.chunk.path for hit in hits} == set(paths)
        for number, path in enumerate(paths):
            assert memory_get(agent._parts, OWN, path)["text"] == f"The pelican number {number} came."
            with pytest.raises(NotFound):
                agent.files.put(path, b"no\n")


def test_the_index_lies_where_it_is_set(tmp_path: Path) -> None:
    with home(tmp_path, f"store: {{path: '{tmp_path}/elsewhere/{{agentId}}.db'}}") as agent:
        assert texts(agent, "tea")
        assert (tmp_path / "elsewhere/main.db").is_file()
        assert agent.index.status().file == f"{tmp_path}/elsewhere/main.db"
    assert not (tmp_path / "home/cache/index").exists()


def test_a_second_long_term_file_counts_only_if_it_is_another_file(tmp_path: Path) -> None:
    with home(tmp_path, facts=FACTS[:1]) as agent:
        folder = tmp_path / "home/workspace/main"
        (folder / "memory.md").symlink_to(folder / "MEMORY.md")
        assert len([text for text in texts(agent, "the cat") if "Mia" in text]) == 1
        (folder / "memory.md").unlink()
        (folder / "memory.md").write_text("- The parrot is called Polly\n")
        agent.index.sync()
        assert "Polly" in texts(agent, "who is the parrot?")[0]
        assert "Mia" in texts(agent, "who is the cat?")[0]


def test_the_lowest_score_holds_as_it_is_in_the_weighted_mode(tmp_path: Path) -> None:
    with home(tmp_path, "query: {hybrid: {mode: weighted}}") as agent:
        found = agent.recall("where is the tea?", session=OWN, limit=20).hits
        every = agent.recall("where is the tea?", session=OWN, limit=20, minimum=0.0).hits
        assert 0 < len(found) < len(every)
        assert min(hit.score for hit in found) >= 0.35
