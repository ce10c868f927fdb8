"""When the index is brought up to date beside searches: as a session starts, and as new messages become many."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from oldsoul.errors import Damaged
from oldsoul.recall import Recall
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.app import Agent, Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
TALKERS, TURNS = 4, scaled(5, 50)
QUIET = "on_search: false, on_session_start: false"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], Oldsoul]:
    def opened(sync: str, search: str = "provider: none") -> Oldsoul:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        (home / "config.yaml").write_text(f"timezone: UTC\nmemory: {{search: {{{search}, sync: {{{sync}}}}}}}\n")
        return open_home(home, {}, clock=FrozenClock(NOON))

    return opened


def talks(agent: Agent) -> list[int]:
    """The messages that are in the index as it is."""
    return sorted(
        hit.chunk.start_line for hit in agent.recall("zebra", session=OWN, sources=("sessions",), limit=99).hits
    )


def test_new_messages_are_indexed_once_there_are_enough(opened: Callable[..., Oldsoul]) -> None:
    with opened(f"{QUIET}, sessions: {{delta_messages: 3}}") as soul:
        agent = soul.agent()
        for number, expected in ((1, []), (2, []), (3, [1, 2, 3]), (4, [1, 2, 3]), (5, [1, 2, 3])):
            soul.agent().hear(f"zebra {number}", session=OWN)
            assert talks(agent) == expected
        agent.hear("zebra 6", session=OWN)
        assert talks(agent) == [1, 2, 3, 4, 5, 6]


def test_each_conversation_counts_by_itself_and_repeated_messages_do_not(opened: Callable[..., Oldsoul]) -> None:
    with opened(f"{QUIET}, sessions: {{delta_messages: 2}}") as soul:
        agent = soul.agent()
        agent.hear("zebra", session=OWN, key="a")
        assert agent.hear("zebra", session=OWN, key="a").repeated
        agent.hear("zebra", session=DEV, subject="acct:9")
        assert talks(agent) == []
        agent.hear("zebra again", session=DEV, subject="acct:9")
        assert talks(agent) == [2, 3]


def test_new_messages_are_indexed_once_they_are_long_enough(opened: Callable[..., Oldsoul]) -> None:
    with opened(f"{QUIET}, sessions: {{delta_bytes: 30}}") as soul:
        agent = soul.agent()
        agent.hear("zebra 斑马", session=OWN)  # 12 bytes
        agent.hear("zebra 斑马", session=OWN)
        assert talks(agent) == []
        agent.hear("zebra 斑马", session=OWN)
        assert talks(agent) == [1, 2, 3]


@pytest.mark.parametrize("zero", ["delta_bytes", "delta_messages"])
def test_nothing_waits_where_a_limit_is_zero(opened: Callable[..., Oldsoul], zero: str) -> None:
    with opened(f"{QUIET}, sessions: {{{zero}: 0}}") as soul:
        agent = soul.agent()
        agent.hear("zebra", session=OWN)
        assert talks(agent) == [1]


def test_a_search_brings_everything_in_first_and_counting_begins_anew(opened: Callable[..., Oldsoul]) -> None:
    with opened("on_session_start: false, sessions: {delta_messages: 3}") as soul:
        agent = soul.agent()
        for _ in range(2):
            agent.hear("zebra", session=OWN)
        assert talks(agent) == [1, 2]
        waiting = soul._home.syncing._waiting
        assert waiting == {}
        agent.hear("zebra", session=OWN)
        assert waiting == {"main": {OWN.id: (1, 5)}}


def test_a_batch_is_counted_whole(opened: Callable[..., Oldsoul]) -> None:
    from oldsoul.values.messages import Said  # noqa: PLC0415 - only this test logs a batch

    with opened(f"{QUIET}, sessions: {{delta_messages: 3}}") as soul:
        agent = soul.agent()
        agent._parts.log.hear_all([Said(f"zebra {n}", OWN) for n in range(4)], vouched=True)
        assert talks(agent) == [1, 2, 3, 4]


def test_what_a_correction_took_the_place_of_is_hidden_at_once(opened: Callable[..., Oldsoul]) -> None:
    with opened(f"{QUIET}, sessions: {{delta_messages: 0}}") as soul:
        agent = soul.agent()
        agent.files.put(
            "CORRECTIONS.md",
            b"# Corrections\n\n## 2026-02-04 13:00 UTC\n\nThe zebra is Olga. #correction\n**Was:** The zebra is Anton\n",
        )
        agent.index.sync()
        agent.hear("The zebra is Anton", session=OWN, time=NOON)
        assert talks(agent) == []


def test_an_index_is_not_even_opened_before_it_is_time_nor_where_it_is_not_wanted(
    opened: Callable[..., Oldsoul],
) -> None:
    for sync, search in (
        (f"{QUIET}, sessions: {{delta_messages: 9}}", "enabled: true"),
        ("sessions: {delta_messages: 0}", "enabled: false"),
        (f"{QUIET}, sessions: {{delta_messages: 0}}", "sources: [memory]"),
    ):
        with opened(sync, search) as soul:
            soul.agent().hear("zebra", session=Session.dm(id=sync + search))
            assert soul._home.recalls == {}


def test_a_session_that_starts_brings_everything_in(opened: Callable[..., Oldsoul], tmp_path: Path) -> None:
    with opened("on_search: false") as soul:
        agent = soul.agent()
        (tmp_path / "home/workspace/main/memory/2026-02-01.md").write_text("# 2026-02-01\n\n- The okapi sings\n")
        agent.hear("zebra", session=OWN)
        assert talks(agent) == [1]
        assert "okapi" in agent.recall("okapi", session=OWN).hits[0].chunk.text
        agent.hear("zebra goes on", session=OWN)
        assert talks(agent) == [1]
        agent.hear("zebra elsewhere", session=DEV, subject="acct:9")
        assert talks(agent) == [1, 2, 3]


def test_a_session_that_goes_on_in_another_process_does_not_start(opened: Callable[..., Oldsoul]) -> None:
    with opened("on_search: false") as soul:
        soul.agent().hear("zebra", session=OWN)
    with opened("on_search: false") as soul:
        soul.agent().hear("zebra goes on", session=OWN)
        assert soul._home.recalls == {}
    with opened(QUIET) as soul:
        soul.agent().hear("zebra", session=Session.dm(id="other"))
        assert soul._home.recalls == {}


def test_an_index_that_fails_is_told_of_and_the_message_is_logged(
    opened: Callable[..., Oldsoul], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Damaged("the disk is on fire")

    with opened("on_search: false, sessions: {delta_messages: 0}") as soul:
        agent = soul.agent()
        with monkeypatch.context() as broken:
            broken.setattr(Recall, "sync", fail)
            broken.setattr(Recall, "heard", fail)
            assert agent.hear("zebra", session=OWN).message.id == 1
            assert agent.hear("zebra", session=OWN).message.id == 2
            assert agent.recall("zebra", session=OWN).notes == ("the index could not be updated: the disk is on fire",)
            assert "on fire" in agent.index.status().problems[0]
        agent.hear("zebra", session=OWN)
        assert agent.recall("zebra", session=OWN).notes == agent.index.status().problems == ()
        assert talks(agent) == [1, 2, 3]


def test_two_processes_that_take_in_the_same_messages_do_so_once(
    opened: Callable[..., Oldsoul], monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(QUIET) as one, opened(QUIET) as other:
        for number in range(5):
            one.agent().hear(f"zebra {number}", session=OWN)
        assert one.agent()._parts.recaller is not other.agent()._parts.recaller
        find = one._home.chat.find
        inside: list[bool] = []

        def late(*wanted: object) -> object:
            """Between reading messages and putting them into the index, somebody else puts them there."""
            found = find(*wanted)  # type: ignore[arg-type]
            if not inside:
                inside.append(True)
                other.agent().index.sync()
            return found

        monkeypatch.setattr(one._home.chat, "find", late)
        one.agent()._parts.recaller.sync()
        assert inside
        assert talks(one.agent()) == talks(other.agent()) == [1, 2, 3, 4, 5]


def test_one_search_takes_in_what_others_said_while_it_waited(
    opened: Callable[..., Oldsoul], monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened("on_session_start: false") as soul:
        agent, said = soul.agent(), list[str]()
        agent.hear("zebra 1", session=OWN)
        assert talks(agent) == [1]
        recaller = agent._parts.recaller
        latest = recaller._latest

        def then_said() -> tuple[int, int, int, int]:
            found = latest()
            if not said:
                said.append("zebra 3")
                agent.hear(said[0], session=OWN)
            return found

        monkeypatch.setattr(recaller, "_latest", then_said)
        agent.hear("zebra 2", session=OWN)
        recaller.fresh()
        assert not recaller.is_behind()
        assert talks(agent) == [1, 2, 3]


def test_what_a_thread_said_is_found_by_its_next_search(opened: Callable[..., Oldsoul]) -> None:
    with opened("on_session_start: false") as soul, ThreadPoolExecutor(TALKERS) as pool:

        def talk(talker: int) -> None:
            agent = soul.agent()
            for turn in range(TURNS):
                word = f"zebra{talker}x{turn}"
                agent.hear(f"The animal of the day was {word}", session=Session.dm(id=f"s{talker}"))
                found = agent.recall(word, session=OWN, sources=("sessions",)).hits
                assert any(word in hit.chunk.text for hit in found), word

        list(pool.map(talk, range(TALKERS)))
