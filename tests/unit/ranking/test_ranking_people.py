"""Whom a question names: names told from other words, in good time."""

from __future__ import annotations

import time

import pytest

from oldsoul.ranking.people import mentions

MANY = tuple(f"Name{number:05d} Sur{number}" for number in range(1500))


def test_of_very_many_people_the_first_twenty_are_named() -> None:
    assert tuple(mentions(" ".join(name.split()[0] for name in MANY), MANY)) == MANY[:20]
    assert len(mentions("What did Name say?", MANY)) == 20
    assert len(mentions("What did Ann say?", [f"Ann {name}" for name in MANY])) == 20


def test_who_is_named_after_a_thousand_characters_is_not_looked_for() -> None:
    assert mentions("x " * 400 + "and Anna", ["Anna"]) == {"Anna": ("Anna",)}
    assert mentions("x " * 600 + "and Anna", ["Anna"]) == {}


def test_a_long_question_to_a_store_of_many_people_is_read_at_once() -> None:
    same = [f"Ann {name}" for name in MANY]
    texts = ["Name " * 5000, "and " + "Nax " * 5000, "Ann " * 5000, " ".join(MANY)]
    for people in (MANY, same):
        mentions("Who?", people)
        start = time.process_time()
        for text in texts:
            mentions(text, people)
        assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("What did we see on Jul 4?", "Julia"),
        ("What is due in Mar?", "Maria"),
        ("Who comes on Dec 24?", "Declan"),
        ("What is planned for Mon?", "Monica"),
        ("Is the shop open on Sat or Sun?", "Satoshi"),
        ("Is the shop open on Sat or Sun?", "Sunita"),
        ("How is NAT set up on the router?", "Natalie"),
        ("Which CAT scan was it?", "Catherine"),
        ("What did we do on Jan 4?", "Jan"),
    ],
)
def test_a_date_or_an_acronym_is_short_for_nobody(text: str, name: str) -> None:
    assert mentions(text, [name]) == {}


def test_a_short_name_is_told_in_a_question_all_in_capitals_too() -> None:
    assert mentions("WHAT DOES MEL LIKE?", ["Melanie"]) == {"Melanie": ("MEL",)}
    assert mentions("What did Jan do in Jan?", ["Jan"]) == {"Jan": ("Jan",)}
    assert mentions("What does Nat like?", ["Natalie"]) == {"Natalie": ("Nat",)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("When do rose bushes need pruning?", "Rose"),
        ("when do rose bushes need pruning?", "Rose"),
        ("WHEN DO ROSE BUSHES NEED PRUNING?", "Rose"),
        ("When Do Rose Bushes Need Pruning?", "Rose"),
        ("Rose bushes need pruning when?", "Rose"),
        ("Wann blüht die Rose?", "Rose"),
        ("How much was the phone bill?", "Bill"),
        ("How many miles did I run?", "Miles"),
        ("In which room is the Art class?", "Art"),
        ("Will you mark my words?", "Mark"),
        ("Mark it as done", "Mark"),
        ("What is the MAX value?", "Max"),
        ("Who is at home?", "Home Assistant"),
        ("What does the falconer charge?", "Falconer"),
    ],
)
def test_a_common_word_is_nobodys_name(text: str, name: str) -> None:
    assert mentions(text, [name]) == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("What does Rose like?", "Rose"),
        ("Rose's birthday?", "Rose"),
        ("Rose Miller likes what?", "Rose Miller"),
        ("Is the gift for Mark?", "Mark"),
        ("What did Dr. Grant say?", "Grant"),
        ("how is home assistant set up?", "Home Assistant"),
        ("what does anna like?", "Anna"),
        ("What does anna like?", "Anna"),
        ("what did I tell anna?", "Anna"),
        ("When is anna's birthday?", "Anna"),
        ("WHAT DOES ANNA LIKE?", "Anna"),
        ("What did anna42 say?", "anna42"),
        ("Anna喜欢什么？", "Anna"),
        ("What does 민준 like?", "민준"),
        ("What does ليلى like?", "ليلى"),
        ("What does ნინო like?", "ნინო"),
        ("What does 李娜 like?", "李娜"),
    ],
)
def test_a_name_is_told_by_its_capital_where_there_are_any(text: str, name: str) -> None:
    assert list(mentions(text, [name])) == [name]
