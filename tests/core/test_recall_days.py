"""Questions that name a day, and what is said of whether the answer is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent

NOW = datetime(2026, 10, 28, 12, tzinfo=UTC)  # a Wednesday
OWN, DEV = Session.dm(), Session.group("dev")
THINGS = [
    "lamp",
    "rug",
    "kettle",
    "saw",
    "tent",
    "globe",
    "scarf",
    "vase",
    "fork",
    "drum",
    "hat",
    "mug",
    "pillow",
    "shovel",
    "radio",
]
BOUGHT = [
    "台灯",
    "地毯",
    "水壶",
    "锯子",
    "帐篷",
    "地球仪",
    "围巾",
    "花瓶",
    "叉子",
    "鼓",
    "帽子",
    "杯子",
    "枕头",
    "铲子",
    "收音机",
]


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path, {}, clock=FrozenClock(NOW)) as soul:
        yield soul.agent()


@pytest.mark.parametrize(
    ("days", "question"),
    [
        *(
            (2, "what did I buy two days ago?"),
            (7, "what did I buy seven days ago?"),
            (9, "what did I buy nine days ago?"),
        ),
        *((1, "what did I buy yesterday?"), (2, "what did I buy last Monday?"), (4, "what did I buy last Saturday?")),
        *((8, "what did I buy on 2026-10-20?"), (8, "what did I buy on October 20?")),
    ],
)
def test_what_is_of_the_day_that_is_named_comes_first(agent: Agent, days: int, question: str) -> None:
    for ago, thing in enumerate(THINGS, 1):
        agent.hear(f"I bought a {thing} at the market", session=OWN, time=NOW - timedelta(days=ago))
    found = agent.recall(question, session=OWN)
    assert THINGS[days - 1] in found.hits[0].chunk.text
    assert found.answer != "unknown"


@pytest.mark.parametrize(
    ("days", "question"), [(1, "我昨天买了什么？"), (2, "我前天买了什么？"), (5, "我五天前买了什么？")]
)
def test_the_same_in_chinese(agent: Agent, days: int, question: str) -> None:
    for ago, thing in enumerate(BOUGHT, 1):
        agent.hear(f"我在市场买了{thing}", session=OWN, time=NOW - timedelta(days=ago))
    assert BOUGHT[days - 1] in agent.recall(question, session=OWN).hits[0].chunk.text


def test_a_question_that_names_only_a_day_is_answered_by_that_day(agent: Agent) -> None:
    matters = ("the mobile app", "the login bug", "the noodle place", "the tax return", "choir practice")
    for ago in range(60, 0, -1):
        for hour, matter in enumerate(matters, 8):
            agent.hear(f"I worked on {matter} again", session=OWN, time=(NOW - timedelta(days=ago)).replace(hour=hour))
    for ago in (1, 2, 17, 40):
        asked = NOW - timedelta(days=ago - 1)
        found = agent.recall("what did I say yesterday?", session=OWN, asked=asked, limit=5)
        assert found.answer == "found"
        assert {hit.chunk.time.date() for hit in found.hits if hit.chunk.time} == {(NOW - timedelta(days=ago)).date()}
    nothing = agent.recall("what did I say yesterday?", session=OWN, asked=NOW + timedelta(days=200))
    assert nothing.answer != "found"


def test_what_was_said_again_and_again_does_not_hide_the_only_answer(agent: Agent) -> None:
    agent.hear(
        "Rent for the studio goes to Mr. Hakansson, on the first of the month", session=OWN, time=NOW - timedelta(900)
    )
    for number in range(300):
        text = ("water the plants in the office", "standup in ten minutes", "pay the rent for the studio")[number % 3]
        agent.hear(f"Reminder: {text}", session=OWN, time=NOW - timedelta(days=800, hours=-number))
    hits = agent.recall("who gets the rent for the studio?", session=OWN).hits
    assert "Hakansson" in hits[0].chunk.text
    texts = [hit.chunk.text for hit in hits]
    assert texts[:4].count("Reminder: pay the rent for the studio") <= 2


def test_what_was_put_right_gives_its_place_to_others(agent: Agent) -> None:
    for number in range(10):
        when = NOW - timedelta(days=2, minutes=number)
        agent.hear(
            f"Note {number}: the launch of Falcon is on 5 May", session=DEV, sender="Dan", subject="acct:d", time=when
        )
    agent.hear(
        "Falcon will be launched from the old pier",
        session=DEV,
        sender="Dan",
        subject="acct:d",
        time=NOW - timedelta(3),
    )
    agent.correct("The launch of Falcon is on 9 May", wrong="5 May", right="9 May")
    for session in (DEV, OWN):
        found = agent.recall("when is the launch of Falcon?", session=session, limit=3)
        assert all("5 May" not in hit.chunk.text for hit in found.hits)
        assert any("old pier" in hit.chunk.text for hit in found.hits)
    assert agent.recall("when is the launch of Falcon?", session=DEV, limit=3).answer != "found"
    assert agent.recall("when is the launch of Falcon?", session=OWN, limit=3).answer == "found"


@pytest.mark.parametrize("named", ["Zebulon", "Zeb", "Quirk", "Zebulon Quirk"])
def test_a_room_cannot_tell_who_talks_in_private(tmp_path: Path, named: str) -> None:
    seen = []
    for number, who in enumerate(("Zebulon Quirk", "Roland Ash")):
        home = tmp_path / str(number)
        home.mkdir()
        (home / "config.yaml").write_text("timezone: UTC\n")
        with open_home(home, {}, clock=FrozenClock(NOW)) as soul:
            agent = soul.agent()
            for text in ("We met at the fair", "I saw Zebulon and Roland Ash at the fair", "It rained"):
                agent.hear(text, session=DEV, sender="Ann", subject="acct:a", time=NOW - timedelta(2))
            private = Session.dm("acct:z")
            agent.hear(
                "I was at the fair and told nobody",
                session=private,
                sender=who,
                subject="acct:z",
                time=NOW - timedelta(1),
            )
            found = agent.recall(f"Was it {named} at the fair?", session=DEV)
            seen.append((found.answer, [(hit.chunk.text, hit.score) for hit in found.hits]))
    assert seen[0] == seen[1]


def test_days_begin_where_whoever_asks_is_whatever_the_time_of_year(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("timezone: Europe/Berlin\n")
    with open_home(tmp_path, {}, clock=FrozenClock(datetime(2026, 7, 1, 12, tzinfo=UTC))) as soul:
        agent = soul.agent()
        for text, when in (
            ("Baked a plum cake", datetime(2026, 1, 4, 22, 30, tzinfo=UTC)),
            ("Fixed the tap", datetime(2026, 1, 5, 22, 30, tzinfo=UTC)),
            ("Swam in the lake", datetime(2026, 1, 5, 23, 30, tzinfo=UTC)),
        ):
            agent.hear(text, session=OWN, time=when)
        hits = agent.recall("What did I do on 2026-01-05?", session=OWN).hits
        assert hits[0].chunk.text == "Fixed the tap"
        assert hits[1].score < hits[0].score - 0.2


def test_a_number_of_letters_and_digits_is_found_by_itself(agent: Agent) -> None:
    for row in range(12):
        for column in range(12):
            agent.remember(f"fact{row}x{column} about topic{column} and thing{row}")
    for asked in ("fact11x7", "fact1x11", "fact10x0"):
        found = agent.recall(asked, session=OWN)
        assert (found.answer, found.hits[0].chunk.text.split()[0]) == ("found", asked)


@pytest.mark.parametrize(
    "question", ["What happened on 4711 yesterday?", "What did I say in 2026?", "What did 007 do yesterday?"]
)
def test_more_than_a_day_is_named(agent: Agent, question: str) -> None:
    for text in ("Ok thanks", "Leo has a new bike", "It rains"):
        agent.hear(text, session=OWN, time=NOW - timedelta(days=1))
    assert agent.recall(question, session=OWN).answer != "found"


FACTS = (
    *(
        "Deploys happen on Tuesdays",
        "The cat is called Miso",
        "The landlord is Mr. Petrov",
        "Anna is allergic to peanuts",
    ),
    *("The gym costs 39 euros a month", "Leo prefers tea over coffee", "The server in the basement is called Juno"),
    *("My passport expires on 14 June 2029", "Parking permit number is KX-2291", "Team lunch is at Luigi's"),
)


def test_what_is_near_in_one_word_only_is_not_called_found(agent: Agent) -> None:
    for fact in FACTS:
        agent.remember(fact)
    for question in (
        "what is the dog called?",
        "when is Anna's birthday?",
        "how tall is Leo?",
        "where did I park my bicycle?",
    ):
        assert agent.recall(question, session=OWN).answer != "found", question
    for question in (
        "what is the cat called?",
        "how much is the gym?",
        "where is team lunch?",
        "what does Leo prefer?",
    ):
        assert agent.recall(question, session=OWN).answer == "found", question


def _log(home: Path, text: str) -> None:
    path = home / "workspace/main/CORRECTIONS.md"
    path.write_text(f"{path.read_text()}\n## 2026-10-28 13:00\n{text}\n")


def test_a_correction_by_hand_leaves_out_the_wrong_sentence_and_nothing_else(agent: Agent, tmp_path: Path) -> None:
    note = tmp_path / "workspace/main/notes/trip.md"
    note.parent.mkdir()
    note.write_text("The hotel is the Miramar. My flight leaves at seven. The passport number is X123.\n")
    someone = Session.dm("acct:7")
    agent.hear("My flight leaves at seven", session=someone, sender="Kim", subject="acct:7", time=NOW - timedelta(3))
    agent.remember("My flight leaves at seven")
    _log(tmp_path, 'Said: "My flight leaves at seven."\n**Correct:** My flight leaves at eight')
    hits = agent.recall("passport number", session=OWN).hits
    assert "X123" in hits[0].chunk.text
    assert "at seven" not in hits[0].chunk.text
    flights = agent.recall("when does my flight leave?", session=OWN)
    assert "eight" in flights.hits[0].chunk.text
    assert all("at seven" not in hit.chunk.text for hit in flights.hits)
    assert "at seven" in agent.recall("when does my flight leave?", session=someone).hits[0].chunk.text


def test_what_was_wrong_without_what_is_right_puts_nothing_right(agent: Agent, tmp_path: Path) -> None:
    agent.remember("The choir meets on Tuesday evening")
    _log(tmp_path, "**Said:** The choir meets on Tuesday evening")
    hits = agent.recall("when does the choir meet?", session=OWN).hits
    assert any(hit.chunk.path == "MEMORY.md" for hit in hits)
    assert not any(hit.chunk.correction for hit in hits)
