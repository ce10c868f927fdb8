"""Slips of the pen in questions: read as what memory has, by those who may see it, and as nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.adapters.dictionary import EnglishWords
from oldsoul.ranking.spelling import is_name, meant, reads_english, respelt, slips
from oldsoul.ranking.terms import word_terms
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


def read(word: str, *there: str, name: bool = False) -> str:
    seen = {term: 1 for each in there for term in word_terms(each)}
    return meant(slips(word, is_name=name), seen, WORDS)


def test_what_is_an_english_word_is_known() -> None:
    assert all(word in WORDS for word in ("dentist", "hiking", "the", "appointment"))
    assert not any(word in WORDS for word in ("dentsit", "", "a's", 'x": 1', "猫", "Dentist"))


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("dentsit", "dentist"),
        ("dentits", "dentist"),
        ("appointmnet", "appointment"),
        ("resturant", "restaurant"),
        ("tommorow", ""),
        ("accomodation", "accommodation"),
        ("definately", "definitely"),
        ("adress", "address"),
        ("calender", "calendar"),
        ("hotell", "hotel"),
        ("ehron", "heron"),
        ("eron", ""),
    ],
)
def test_a_slip_of_one_letter_is_read_as_what_memory_has(written: str, right: str) -> None:
    there = ("dentist", "appointment", "restaurant", "tomorrow", "accommodation", "definitely", "address", "calendar")
    assert read(written, *there, "hotel", "heron") == right
    assert read(written, "elephant") == ""


def test_a_name_is_not_read_as_anothers() -> None:
    assert read("marla", "Maria") == "maria"
    assert read("marla", "Maria", name=True) == ""
    assert read("melnaie", "Melanie", name=True) == "melanie"
    assert read("linea", "Linnea", name=True) == "linnea"
    assert is_name("marla", "What does Marla want?")
    assert not is_name("marla", "what does marla want?")
    assert not is_name("recieved", "Recieved the parcel?")
    assert not is_name("dentsit", "WHEN IS THE DENTSIT")


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=12), st.data())
def test_every_slip_of_one_letter_leads_back(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(word) - 1))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    for written in (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
    ):
        assert written == word or word in slips(written, is_name=False)
        assert written not in slips(written, is_name=False)


def test_words_are_put_right_where_they_stand() -> None:
    assert respelt("Dentsit? the dentsits, dentsit", {"dentsit": "dentist"}) == "Dentist? the dentsits, dentist"


def test_other_languages_are_left_alone() -> None:
    assert reads_english(["when", "is", "the", "dentsit"], WORDS)
    assert not reads_english(["wann", "muss", "ich", "zum", "zahnartz"], WORDS)


def test_a_question_with_slips_finds_what_was_meant_and_says_how_it_was_read(agent: Agent) -> None:
    for text in ("The dentist is Dr Okafor", "The vet is Dr Hale", "The plumber is Mr Green", "Tea is in the kitchen"):
        agent.remember(text)
    found = agent.recall("who is our dentsit?", session=OWN)
    assert "Okafor" in found.hits[0].chunk.text
    assert found.notes == ("dentsit is nowhere in memory; it was read as dentist",)
    assert agent.recall("who is our dentist?", session=OWN).notes == ()
    assert agent.recall("who is our vetr?", session=OWN).notes == ("vetr is nowhere in memory; it was read as vet",)


def test_a_word_that_memory_has_or_that_is_one_stays_as_it_is(agent: Agent) -> None:
    agent.remember("The boat is called Marin")
    agent.remember("We were biking in the hills")
    for question in ("where is Marin?", "where did we go hiking?", "what about zzgrblx?", "wo ist die Marim im Hafen?"):
        assert agent.recall(question, session=OWN).notes == ()


def test_words_that_somebody_may_not_see_are_not_what_they_meant(agent: Agent) -> None:
    agent.remember("The surgery is at Gatwick")
    agent.hear("The lamp is broken", session=DEV, sender="Bob", subject="acct:9", time=NOON)
    assert agent.recall("what is at gatwik?", session=OWN).notes
    assert agent.recall("what is at gatwik?", session=DEV).notes == ()
    assert agent.recall("what of the lampp?", session=DEV).notes
    agent.remember("A lampp is no lamp")  # nor does a private word keep a slip from being read
    assert agent.recall("what of the lampp?", session=DEV).notes
    assert agent.recall("what of the lampp?", session=OWN).notes == ()
