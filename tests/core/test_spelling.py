"""Slips of the pen in questions: read as what memory has, by those who may see it, and as nothing else."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.adapters import dictionary
from oldsoul.adapters.dictionary import EnglishWords
from oldsoul.ranking.spelling import is_name, reads_english, respelt, slips
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
WORDS = EnglishWords()


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path, {}, clock=FrozenClock(NOON)) as soul:
        yield soul.agent()


def told(agent: Agent, *texts: str) -> None:
    for text in texts:
        agent.remember(text)


def read(agent: Agent, question: str, session: Session = OWN) -> list[tuple[str, str]]:
    """How a question was read: the words as they were written, and as they were taken."""
    notes = agent.recall(question, session=session).notes
    return [(note.split()[0], note.split()[-1]) for note in notes]


def test_what_is_an_english_word_is_known() -> None:
    assert all(word in WORDS for word in ("dentist", "hiking", "the", "appointment"))
    assert not any(word in WORDS for word in ("dentsit", "", "a's", 'x": 1', "猫", "Dentist"))


LIFE = (
    *("The dentist is Dr Okafor", "My appointment is on Monday", "The restaurant closes at ten", "See you tomorrow"),
    *(
        "The accommodation is in Porto",
        "She definitely wants tea",
        "Our address is Elm Street 4",
        "A calendar hangs there",
    ),
    *("The hotel has a pool", "The server is called heron", "We moved to Gatwick", "Linnea plays the violin"),
    *(
        "My wife is called Carla",
        "The van is parked in Elm Street",
        "The vote is on Tuesday",
        "The poster was printed by Lee",
    ),
    *("I am confident about the exam", "The match is on Saturday at noon", "Maria bought the green carpet"),
    *("Daniela was born in May", "Henrika sings in the choir", "We were biking in the hills", "Norrsken pays in June"),
)


@pytest.mark.parametrize(
    ("question", "taken"),
    [
        ("who is our dentsit?", [("dentsit", "dentist")]),
        ("when is my appointmnet?", [("appointmnet", "appointment")]),
        ("which resturant closes at ten?", [("resturant", "restaurant")]),
        ("where is the accomodation?", [("accomodation", "accommodation")]),
        ("does she definately want tea?", [("definately", "definitely")]),
        ("what is our adress?", [("adress", "address")]),
        ("where does the calandar hang?", [("calandar", "calendar")]),
        ("does the hottel have a pool?", [("hottel", "hotel")]),
        ("what is ehron?", [("ehron", "heron")]),
        ("where is gatwik?", [("gatwik", "gatwick")]),
        ("what does Linnnea play?", [("linnnea", "linnea")]),
        ("when does Norsken pay us?", [("norsken", "norrsken")]),
        ("dentsit E24", [("dentsit", "dentist")]),
        ("who has the vann?", [("vann", "van")]),
        ("who is our dentsit in the accomodation?", [("dentsit", "dentist"), ("accomodation", "accommodation")]),
    ],
)
def test_a_slip_of_one_letter_is_read_as_what_memory_has(
    agent: Agent, question: str, taken: list[tuple[str, str]]
) -> None:
    told(agent, *LIFE)
    assert read(agent, question) == taken


@pytest.mark.parametrize(
    "question",
    [
        *("what is the wifi password?", "who runs postgres?", "where is the vlan?", "when is vite released?"),
        *("who did the config?", "when is the matcha?", "where did we go hiking?", "what is on the todo list?"),
        *(
            "who is Marla?",
            "what did marla buy?",
            "Marla bought what?",
            "When was Daniele born?",
            "When is Henrik here?",
        ),
        *(
            "what about zzgrblx?",
            "what do we say tommorow?",
            "wann muss ich zum Zahnartz in der Stadt?",
        ),
        "is it about " + "words and more words " * 30 + "and the dentsit?",
    ],
)
def test_what_may_be_meant_as_it_stands_is_taken_so(agent: Agent, question: str) -> None:
    told(agent, *LIFE)
    assert read(agent, question) == []


def test_a_word_is_a_name_where_a_capital_is_not_due() -> None:
    assert is_name("marla", "What does Marla want?")
    assert is_name("linu", "Which linux did Linu buy?")
    assert not is_name("marla", "what does marla want?")
    assert not is_name("recieved", "Recieved the parcel?")
    assert not is_name("recieved", "Yes. Recieved the parcel?")
    assert not is_name("dentsit", "WHEN IS THE DENTSIT")


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=8, max_size=12), st.data())
def test_every_slip_of_one_letter_leads_back(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(word) - 1))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    for written in (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
    ):
        assert written == word or word in slips(written)
        assert written not in slips(written)


def test_words_are_put_right_where_they_stand() -> None:
    assert respelt("Dentsit? the dentsits, dentsit", {"dentsit": "dentist"}) == "Dentist? the dentsits, dentist"


def test_other_languages_are_left_alone() -> None:
    assert reads_english(["when", "is", "the", "dentsit"], ["dentsit"], WORDS)
    assert reads_english(["dentsit", "e24", "2026"], ["dentsit"], WORDS)
    assert not reads_english(["wann", "muss", "ich", "zum", "zahnartz"], ["zahnartz"], WORDS)


def test_a_question_with_slips_finds_what_was_meant_and_says_how_it_was_read(agent: Agent) -> None:
    told(agent, "The dentist is Dr Okafor", "The vet is Dr Hale", "The plumber is Mr Green", "Tea is in the kitchen")
    found = agent.recall("who is our dentsit?", session=OWN)
    assert "Okafor" in found.hits[0].chunk.text
    assert found.notes == ("dentsit is nowhere in memory; it was read as dentist",)
    assert agent.recall("who is our dentist?", session=OWN).notes == ()


def test_a_word_that_memory_has_stays_as_it_is(agent: Agent) -> None:
    told(agent, "The boat is called Marrin", "She bought it with Marin")
    assert read(agent, "where is the Marrin?") == []


@pytest.mark.parametrize(
    "data", [b"", b"no list", gzip.compress(b"{}", mtime=0), gzip.compress(b"x" * 999, mtime=0)[:40]]
)
def test_without_a_list_of_words_nothing_is_taken_for_a_slip(
    agent: Agent, data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(agent, *LIFE)
    assert read(agent, "dentsit") == [("dentsit", "dentist")]
    dictionary._listed.cache_clear()
    dictionary._is_listed.cache_clear()
    with monkeypatch.context() as patched:
        (tmp_path / "words.gz").write_bytes(data)
        patched.setattr(dictionary, "_LIST", tmp_path / "words.gz")
        assert read(agent, "dentsit") == []
        assert read(agent, "who is our dentsit?") == []
    dictionary._listed.cache_clear()
    dictionary._is_listed.cache_clear()


def test_nothing_is_said_of_what_could_not_be_put_right(agent: Agent) -> None:
    told(agent, "I confirmed the booking")
    assert read(agent, "did I confirmd the booking?") == [("confirmd", "confirmed")]
    assert read(agent, "did I conﬁrmd the booking?") == []


def test_a_question_that_was_logged_before_it_is_asked_is_read_all_the_same(agent: Agent) -> None:
    told(agent, *LIFE)
    for text in ("who is our dentsit?", "tell me about our dentsit"):
        agent.hear(text, session=OWN, sender="Me", time=NOON)
        assert read(agent, text) == [("dentsit", "dentist")]
        assert read(agent, text) == [("dentsit", "dentist")]


def test_who_speaks_in_private_does_not_show_in_how_a_room_is_read(agent: Agent) -> None:
    agent.hear("the Okaffor contract is signed", session=DEV, sender="Bob", subject="acct:9", time=NOON)
    agent.hear("nothing of note", session=Session.dm("acct:7"), sender="Mildred Okafor", subject="acct:7", time=NOON)
    assert read(agent, "did okafor call about the contract?", DEV) == [("okafor", "okaffor")]
    assert read(agent, "did Mildred okafor call about the contract?", DEV) == [("okafor", "okaffor")]


@pytest.mark.parametrize("question", ["my dentſit then?", "my dentsit or the DENTSİT?", "what of dentsit_plan then?"])
def test_letters_that_have_no_small_one_of_their_own_do_no_harm(agent: Agent, question: str) -> None:
    told(agent, *LIFE)
    assert agent.recall(f"when is the next one with {question}", session=OWN, minimum=0.0).hits
    assert agent.context(f"when is the next one with {question}", session=OWN)


def test_words_that_somebody_may_not_see_are_not_what_they_meant(agent: Agent) -> None:
    agent.remember("The surgery is at Gatwick")
    agent.hear("The lamp is broken", session=DEV, sender="Bob", subject="acct:9", time=NOON)
    assert agent.recall("what is at gatwik?", session=OWN).notes
    assert agent.recall("what is at gatwik?", session=DEV).notes == ()
    assert agent.recall("is it borken?", session=DEV).notes
    agent.remember("A borken is no thing")  # nor does a private word keep a slip from being read
    assert agent.recall("is it borken?", session=DEV).notes
    assert agent.recall("is it borken?", session=OWN).notes == ()
