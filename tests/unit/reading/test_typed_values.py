"""Values that a line states: what they come to, which agree, and what is none."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.reading.typed_values import Value, agree, comparable, same_sum, typed_values


def only(text: str) -> Value:
    """The one value of a text."""
    (value,) = typed_values(text)
    return value


@pytest.mark.parametrize(
    "texts",
    [
        ("1.450 €", "1450 €", "€1,450", "1 450 €", "1.450,00 EUR", "1450 euros"),
        ("$100", "100 dollars", "100 USD", "USD 100"[4:]),
        ("1.5 kg", "1500 g", "1 1/2 kilos"),
        ("1/2 cup", "0.5 cups"),
        ("3,5 Kilo Mehl haben wir", "3.5 kg"),
        ("8 pm", "20:00", "um 20 Uhr", "晚上8点"),
        ("7 April 2026", "2026-04-07", "7. April 2026", "2026年4月7日", "2026年4月7号"),
        ("twice a week", "two times per week", "zweimal pro Woche"),
        ("dienstags", "Tuesday", "周二", "火曜日"),
        ("tomorrow", "demain", "明天"),
        ("12 people", "twelve people"),
    ],
)
def test_values_that_are_written_differently_agree(texts: tuple[str, ...]) -> None:
    for one, other in product(map(only, texts), repeat=2):
        assert comparable(one, other)
        assert agree(one, other), (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$100", "€100"),
        ("1.450 €", "1.45 €"),
        ("1/2", "5/2"),
        ("3.5 GB", "4.5 GB"),
        ("8 am", "8 pm"),
        ("Tuesday", "Thursday"),
        ("4 May", "5 April"),
    ],
)
def test_values_that_differ_are_comparable_and_do_not_agree(one: str, other: str) -> None:
    assert comparable(only(one), only(other))
    assert not agree(only(one), only(other))


def test_a_sum_is_the_same_whether_it_says_for_which_time_or_not() -> None:
    assert same_sum(only("1450 euros a month"), only("1450 euros")) is not None
    assert same_sum(only("1450 euros a month"), only("$1450")) is None


@pytest.mark.parametrize(
    "text",
    [
        "We are open 24/7",
        "1. Milk\n2) Bread",
        "Run `x = 5; y = 7` first",
        "```\nport = 5432\n```",
        "1Password is a name",
        "B12 and A4 and Q3",
        "on tue i sat",
    ],
)
def test_code_numbers_of_lists_and_names_are_no_values(text: str) -> None:
    assert typed_values(text) == []


@pytest.mark.parametrize(
    ("text", "said", "kind"),
    [
        ("It weighs 3.5 GB now", "3.5 GB", "number"),
        ("Add 1/2 cup", "1/2", "number"),
        ("My birthday is 5/4", "5/4", "date"),
        ("It costs €1,450 there", "€1,450", "number"),
        ("The port is `5432`", "5432", "number"),
        ("Python 3.11 runs", "3.11", "version"),
        ("1. We meet at 7:30", "7:30", "time"),
        ("every other day", "every other day", "often"),
        ("she is a nurse", "nurse", "profession"),
    ],
)
def test_a_value_is_read_whole(text: str, said: str, kind: str) -> None:
    assert (only(text).said, only(text).kind) == (said, kind)


@given(st.text(max_size=120))
def test_values_of_any_text_stand_where_they_say_and_beside_each_other(text: str) -> None:
    end = 0
    for value in typed_values(text):
        assert end <= value.start < value.end
        assert text[value.start : value.end] == value.said
        assert agree(value, value)
        end = value.end
