"""Contradictions: what two lines say at odds is told, what goes together is left alone, and many lines stay cheap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.judging.conflicts.contradicting import Contradictions
from oldsoul.judging.conflicts.contradiction import judged
from oldsoul.reading.numbers import number
from oldsoul.reading.typed_values import agree, typed_values

if TYPE_CHECKING:
    from oldsoul.judging.conflicts.side_by_side import Judgement

AT_ODDS = (
    ("value", "The bakery opens at 6 am.", "The bakery opens at 7:30."),
    ("value", "Our API keys rotate every 90 days.", "Our API keys rotate every 30 days."),
    ("value", "Interest rate is 3.5%.", "The interest rate is 4.1 percent."),
    ("value", "Node 18 is required.", "Node 20 is required."),
    ("value", "The staging server runs Ubuntu 20.04.", "The staging server runs Ubuntu 22.04."),
    ("value", "I have 25 postcards in my collection.", "I now have thirty-seven postcards in my collection."),
    ("value", "Their anniversary is June 4.", "Their anniversary is on the 14th of June."),
    ("value", "Trash goes out Monday night.", "Trash goes out Wednesday night."),
    ("value", "Subscription renews every year.", "Subscription renews monthly."),
    ("value", "My favorite color is blue.", "my favorite color is red."),
    ("replaced", "i work as a nurse.", "i am a school teacher."),
    ("value", "[2026-01-04] The gym costs $30 a month.", "[2026-03-09] The gym is $45 a month."),
    ("negation", "Ravi is allergic to penicillin.", "Ravi isn't allergic to penicillin."),
    ("negation", "The office has parking.", "There is no parking at the office."),
    ("negation", "I have two dogs.", "I have no pets."),
    ("negation", "I hate country music.", "I love listening to country music."),
    ("ended", "Carla works for Siemens.", "Carla left Siemens."),
    ("ended", "The API returns XML.", "The API returns JSON instead of XML."),
    ("ended", "I take the bus to work.", "I don't take the bus to work anymore."),
    ("opposite", "The office is closed on Fridays.", "The office is open on Fridays."),
    ("replaced", "The spare tyre is in the trunk.", "The spare tyre is in the garage."),
    ("replaced", "My favourite drink is tea.", "My favourite drink is coffee."),
    ("replaced", "The author of Emma is Jane Austen.", "The author of Emma is Mary Shelley."),
    ("replaced", "Marie Curie was born in Warsaw.", "Marie Curie was born in Vienna."),
    ("replaced", "Our landlord is Mr. Novak.", "Our landlord is Mrs. Weber."),
    ("replaced", "Mint is my favourite ice cream.", "my favorite ice cream is lemon ."),
    ("replaced", "Ortega is the head of the choir.", "Lindqvist is the head of the choir."),
    ("replaced", "my aunt is a florist .", "my aunt works as a welder ."),
    ("replaced", "i am between jobs right now .", "i work at a garden centre ."),
    ("replaced", "My wife bakes on Sundays.", "I have never been married."),
    ("replaced", "I live by myself.", "I live with my grandparents."),
    ("replaced", "I prefer trains to planes.", "I prefer planes to trains."),
    ("replaced", "My phone is a Fairphone.", "My phone is a Pixel."),
    ("value", "I swam the mile in 41:20.", "I swam the mile in 38:05."),
    ("value", "i am 31 .", "i just turned 44 ."),
    ("value", "i own a couple of kayaks .", "i own five kayaks ."),
    ("negation", "my hamster is called pebble .", "i do n't have any pets ."),
    ("negation", "My daughter skates.", "I have no kids."),
    ("negation", "I'm an only child.", "My brother collects maps."),
    ("negation", "i became a vegan in june .", "i eat sausages most days ."),
    ("negation", "i ca n't whistle .", "i can whistle ."),
    ("negation", "I am not a fan of opera.", "I love opera."),
    ("negation", "I have never been to Iceland.", "I travelled to Iceland twice."),
    ("negation", "We do not own a boat or a caravan.", "Our caravan is parked at the lake."),
    ("negation", "There is no one rowing.", "Two women are rowing on the canal."),
    ("negation", "No student is painting the fence.", "A student is painting the fence."),
    ("negation", "The fence was painted by Olga.", "Olga did not paint the fence."),
    ("negation", "do you ski ? i never ski .", "wow . i ski every winter ."),
    ("ended", "The picnic was cancelled.", "The picnic was not cancelled."),
    ("opposite", "Ticket sales increased.", "Ticket sales decreased."),
    ("opposite", "The tent is far from the river.", "The tent is near the river."),
    ("opposite", "The parcel is wrapped.", "The parcel is unwrapped."),
    ("value", "门锁密码是 4821。", "门锁密码是 9930。"),
    ("value", "会议时间改成了下午三点。", "会议时间是下午两点。"),
    ("negation", "他会游泳。", "他不会游泳。"),
    ("negation", "我没有养狗。", "我养了一只狗。"),
    ("replaced", "数据库用的是 MySQL。", "数据库用的是 PostgreSQL。"),
)
TOGETHER = {
    "attributes of many values": (
        ("I like tea.", "I like coffee."),
        ("Has been to Lisbon.", "Has been to Bergen."),
        ("Bought a monitor.", "Bought a keyboard."),
        ("去过日本。", "去过韩国。"),
    ),
    "another subject": (
        ("My sister lives in Denver.", "I live in Boston."),
        ("The cat is eleven years old.", "The dog is nine years old."),
        ("Server A has 8 cores.", "Server B has 16 cores."),
        ("The red folder has 12 pages.", "The blue folder has 30 pages."),
        ("张三的生日是五月三日。", "李四的生日是六月一日。"),
    ),
    "another attribute": (
        ("The bakery opens at 6 am.", "The bakery closes at 6 pm."),
        ("The recipe needs 200 g of flour.", "The recipe needs 100 g of sugar."),
        ("Flight out on 3 June.", "Flight back on 17 June."),
        ("The film was directed by Ang Lee.", "The film was released in 2005."),
    ),
    "the same in other words": (
        ("Meeting at noon.", "Meeting at 12:00."),
        ("Reads one book a month.", "Reads about 12 books a year."),
        ("The package weighs 2 kg.", "The package weighs 2000 g."),
        ("Price is $1,000.", "The price is a thousand dollars."),
    ),
    "more of the same": (
        ("Has a car.", "Has a red car."),
        ("Runs Python 3.12.", "Runs Python 3.12.4."),
        ("The lease ends in August.", "The lease ends on 31 August."),
        ("Lives in France.", "Lives in Paris."),
    ),
    "another time": (
        ("Used to live in Oslo.", "Lives in Bergen."),
        ("Visited Rome in 2019.", "Visited Rome in 2022."),
        ("[2026-01-04] Lifted 80 kg.", "[2026-02-04] Lifted 85 kg."),
        ("以前不会做饭。", "现在会做饭。"),
    ),
    "no statement": (
        ("Dinner is at seven.", "Could dinner be at eight?"),
        ("Lives in Hamburg.", "Considering a move to Berlin."),
        ("Rent is 900.", "The landlord might raise the rent to 950."),
    ),
    "a denial of something else": (
        ("He never drinks beer.", "He drinks wine."),
        ("Do not restart the server during the day.", "Restart the server at night."),
        ("He takes coffee with sugar.", "He takes tea without sugar."),
        ("喜欢看电影。", "不喜欢看电视剧。"),
        ("I do not own a boat.", "I love boats."),
        ("i hate ironing shirts .", "i iron shirts for work ."),
        ("We do not have a garden.", "My sister's garden is huge."),
        ("I have never been to Peru.", "I love Peru."),
        ("No dog is barking at the postman.", "A dog is sleeping near the postman."),
        ("The chef is not stirring the soup with a fork.", "The chef is stirring the soup."),
        ("I do not have much time.", "I have time on Sunday."),
        ("i do not like scary books .", "i like books ."),
        ("i am a good cook .", "i am a nurse ."),
        ("I am vegan.", "I like to go fishing."),
    ),
    "another attribute of the same person": (
        ("my favorite colour is teal .", "my favorite dish is paella ."),
        ("My sister's favourite dish is paella.", "My favourite dish is goulash."),
        ("One of my favourite dishes is paella.", "My favourite dish is goulash."),
        ("I live in a cottage.", "I live in Wales."),
        ("My brother is married.", "I am single."),
        ("i am going to school to become a vet .", "i work as a waiter ."),
        ("I got divorced.", "I am single."),
        ("The film was directed by Ozu.", "The film was written by Noda."),
        ("I leave for work at eight.", "I work at a bakery."),
    ),
    "somebody who does two things": (
        ("A girl is painting a wall in the yard.", "A girl is washing a wall in the yard."),
        ("A tall man is waiting.", "A short man is waiting."),
    ),
}


@pytest.mark.parametrize(("kind", "first", "second"), AT_ODDS)
def test_lines_at_odds_are_told_with_the_reason(kind: str, first: str, second: str) -> None:
    found = judged(first, second)
    assert found is not None
    assert found.kind == kind
    assert 0.5 <= found.score <= 1
    assert found.why


@pytest.mark.parametrize("first, second", [pair for pairs in TOGETHER.values() for pair in pairs])  # noqa: PT006
def test_lines_that_go_together_are_left_alone(first: str, second: str) -> None:
    assert judged(first, second) is None


def test_the_reason_names_the_topic_and_both_values() -> None:
    found = judged("The water bill is 45 euros.", "The water bill came to 72 euros.")
    assert found is not None
    assert found.why == "both speak of 'water bill': '45 euros' and '72 euros'"


PIECES = st.sampled_from(
    [
        *{part for _, *lines in AT_ODDS for line in lines for part in line.split()},
        *(
            "not",
            "never",
            "no",
            "不",
            "没有",
            "is",
            "are",
            "是",
            "now",
            "from",
            "to",
            "instead",
            "of",
            "every",
            "3",
            "三",
        ),
        *(
            "%",
            "5:30",
            "2024",
            "[2024-01-02]",
            "**",
            ":",
            ",",
            "。",
            "?",
            "İ",
            "ſ",
            "𠀀",
            "\u200d",
            "no longer",
            "quit",
        ),
    ]
)
LINES = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=14).map(" ".join))
KNOWN = st.sampled_from([line for _, *lines in AT_ODDS for line in lines])


@given(LINES, LINES)
def test_any_two_lines_are_judged_alike_in_either_order(first: str, second: str) -> None:
    there, back = judged(first, second), judged(second, first)
    assert (there is None) == (back is None)
    if there and back:
        assert there.score == back.score


@given(st.one_of(LINES, KNOWN), st.sampled_from(["", ".", "!", " …", "。"]))
def test_a_line_never_contradicts_itself_whatever_its_case_or_end(line: str, end: str) -> None:
    assert judged(line, line) is None
    if line.isascii():
        assert judged(line, line.upper().rstrip(".!?") + end) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1,200", 1200), ("twenty-five", 25), ("two hundred", 200), ("three thousand five hundred", 3500)),
        *(("三千二", 3200), ("十五万", 150_000), ("二十八", 28), ("两", 2), ("一百零五", 105), ("nonsense", None)),
    ],
)
def test_numbers_are_read_in_figures_and_words(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(("8 pm", "20:00"), ("half past nine", "9:30"), ("7 April 2026", "2026-04-07"), ("下午三点", "15:00")),
        *(("twice a week", "two times per week"), ("Tuesdays", "Tue"), ("1.5 kg", "1500 g"), ("v2.4", "version 2.4.1")),
    ],
)
def test_values_written_differently_agree(first: str, second: str) -> None:
    (one,), (other,) = typed_values(first), typed_values(second)
    assert one.kind == other.kind
    assert agree(one, other)


def test_pairs_hold_a_fresh_line_each_and_only_the_best_partner() -> None:
    lines = [
        "Standup is at 9:30.",
        "The spare key hangs by the door.",
        "Standup is at 10:15.",
        "The plumber is called Ott.",
        "The spare key hangs behind the stove.",
    ]
    finder = Contradictions()
    assert [(pair.i, pair.j) for pair in finder.pairs(lines, range(5))] == [(0, 2), (1, 4)]
    assert [(pair.i, pair.j) for pair in finder.pairs(lines, [4])] == [(1, 4)]
    assert finder.pairs(lines, [3]) == []
    assert finder.pairs([], []) == []


def test_lines_that_share_no_word_meet_by_what_they_speak_of() -> None:
    lines = ["I have no pets.", "The boiler is loud.", "My hamster bites.", "I am retired.", "I work for a bank."]
    found = Contradictions().pairs(lines, range(5))
    assert [(pair.i, pair.j) for pair in found] == [(0, 2), (3, 4)]


def test_a_question_beside_a_statement_says_nothing() -> None:
    assert judged("Do you have a boat? I live in Kiel.", "I do not have a boat.") is None
    assert judged("Where do you live? I live in Kiel.", "I live in Graz. And you?") is not None


def test_a_line_of_several_sentences_is_not_held_against_its_own() -> None:
    line = "Room A has 3 lamps. Room A has 5 lamps."
    assert judged(line, line) is None
    assert judged(line, "Room A has 4 lamps.") is not None


def test_a_line_at_odds_with_two_is_paired_with_one() -> None:
    lines = ["The rent is 900.", "The rent is 900 euros.", "The rent is 950."]
    found = Contradictions().pairs(lines, [2])
    assert len(found) == 1
    assert found[0].j == 2


def test_ten_times_the_lines_ask_at_most_about_ten_times_the_judgements() -> None:
    asked = 0

    def judge(_first: object, _second: object, _weigh: object) -> Judgement | None:
        nonlocal asked
        asked += 1
        return None

    counts = []
    for size in (300, 3000):
        asked = 0
        lines = [f"Room {n % 70} has lamp{n % 400} and {n % 9} chairs for guest{n}." for n in range(size)]
        Contradictions(judge).pairs(lines, range(size))
        counts.append(asked)
    assert 0 < counts[1] <= 12 * counts[0]


def test_the_same_lines_give_the_same_pairs() -> None:
    lines = [line for _, *both in AT_ODDS for line in both]
    first = Contradictions().pairs(lines, range(len(lines)))
    assert first == Contradictions().pairs(lines, range(len(lines)))
    assert len(first) > len(AT_ODDS) // 2
