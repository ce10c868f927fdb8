"""Ranking: what comes first, what may never change the order, and what each part is by hand."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ranking_toy import Said, Toy
from oldsoul.ranking.answers import (
    Answer,
    Calibration,
    Limits,
    Signals,
    Usual,
    answer,
    calibrated,
    certainty,
    confidence,
)
from oldsoul.ranking.marks import Mark
from oldsoul.ranking.order import Ranked, Wishes, rank
from oldsoul.ranking.pool import Asked, Known, Statistics
from oldsoul.ranking.question import asked
from oldsoul.ranking.weights import Weights
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)

MEMORIES = (
    Said("Anna", "We got a cat last week, his name is Mochi.", 0),
    Said("Ben", "Congratulations! What does he eat?", 0),
    Said("Anna", "Mostly tuna, and he sleeps on my keyboard.", 0),
    Said("Ben", "I signed up for a pottery class on Tuesdays.", 1),
    Said("Anna", "My sister moved to Lisbon for her new job.", 1),
    Said("Ben", "I am allergic to peanuts, please remember.", 1),
    Said("Anna", "The dentist said my wisdom teeth must go.", 2),
    Said("Ben", "I play the violin in a small orchestra.", 2),
    Said("Anna", "We decided to use PostgreSQL for the shop.", 3),
    Said("Ben", "My daughter turned 7 in March 2025.", 3),
    Said("小明", "我家的猫叫团子，是一只橘猫。", 4),
    Said("小明", "妹妹在上海读研究生，学建筑。", 4),
    Said("小明", "我对花生过敏，吃了会起疹子。", 5),
    Said("小明", "我们把数据库换成了PostgreSQL。", 5),
    Said("健太", "弟は京都でラーメン屋を開きました。", 6),
)


def ask(toy: Toy, text: str, wishes: Wishes | None = None, *, weights: Weights | None = None) -> Ranked:
    question = asked(text, toy.people, on=NOW.date())
    given_wishes = wishes or Wishes(now=int(NOW.timestamp()))
    return rank(toy.pool, toy.statistics(question), question, given_wishes, weights)


def first(toy: Toy, text: str) -> str:
    return toy.said[int(ask(toy, text).order[0])].text


@pytest.fixture(scope="module")
def toy() -> Toy:
    return Toy(MEMORIES)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the name of Anna's cat?", "Mochi"),
        ("Where does he like to sleep?", "keyboard"),
        ("Which instruments does Ben play?", "violin"),
        ("Where did Anna's sister go?", "Lisbon"),
        ("Which food is an allergy of Ben's?", "peanuts"),
        ("When was Ben's kid born?", "daughter"),
        ("Which database did we choose for the store?", "PostgreSQL for the shop"),
        ("What hobbies has Ben taken up?", "pottery"),
        ("小明的猫叫什么名字？", "团子"),
        ("小明的妹妹在哪里上学？", "上海"),
        ("小明不能吃什么？他对什么过敏？", "花生"),
        ("我们用哪个数据库？", "数据库"),
        ("弟はどこで店を開きましたか？", "京都"),
    ],
)
def test_the_right_memory_comes_first(toy: Toy, question: str, expected: str) -> None:
    assert expected in first(toy, question)


def test_an_empty_pool_gives_nothing() -> None:
    empty = Toy(())
    ranked = ask(empty, "What is the name of Anna's cat?")
    assert ranked.order.tolist() == []
    assert len(ranked.shown) == 0


def test_a_question_without_words_is_no_error(toy: Toy) -> None:
    for text in ("", "?", "   ", "the of and", "🙂", "\ud800"):
        assert np.isfinite(ask(toy, text).shown).all()


def test_the_parts_of_a_score_sum_to_it(toy: Toy) -> None:
    scored = ask(toy, "When did Ben start pottery?").scored
    assert np.allclose(np.sum(list(scored.parts.values()), axis=0), scored.score, atol=1e-5)


def test_why_names_what_mattered_largest_first(toy: Toy) -> None:
    ranked = ask(toy, "What is the name of Anna's cat?")
    why = ranked.why(int(ranked.order[0]))
    assert {"vectors", "words", "speaker"} <= set(why)
    assert list(why.values()) == sorted(why.values(), reverse=True)


WORDS = "cat dog violin lisbon peanut march 2024 班 猫 上海 Ben Anna yesterday 7 what my ? the teeth shop".split()  # noqa: SIM905 - words
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@settings(max_examples=scaled(20, 200))
@given(st.lists(st.tuples(st.sampled_from(["Anna", "Ben", ""]), TEXTS, st.integers(0, 4)), max_size=14), TEXTS)
def test_scores_are_finite_and_shown_between_0_and_1(rows: list[tuple[str, str, int]], question: str) -> None:
    ranked = ask(Toy([Said(*row) for row in rows]), question, Wishes(limit=99))
    assert np.isfinite(ranked.scored.score).all()
    assert ((ranked.shown >= 0) & (ranked.shown <= 1)).all()
    assert sorted(ranked.order.tolist()) == list(range(len(rows)))


@settings(max_examples=scaled(15, 200))
@given(
    st.permutations(range(7)),
    st.sampled_from(["What is Anna's cat called?", "Which instruments does Ben play?", "猫叫什么？"]),
)
def test_the_order_of_documents_changes_nothing(codes: Sequence[int], question: str) -> None:
    moved = Toy([Said(said.speaker, said.text, codes[said.document]) for said in MEMORIES])
    plain = Toy(MEMORIES)
    wishes = Wishes(limit=99, half_life_days=None)
    before = {plain.said[at].text: ask(plain, question, wishes).shown[at] for at in range(len(MEMORIES))}
    after = {moved.said[at].text: ask(moved, question, wishes).shown[at] for at in range(len(MEMORIES))}
    assert before == pytest.approx(after, abs=1e-4)


@settings(max_examples=scaled(15, 200))
@given(st.lists(st.sampled_from(["lamp", "river", "stone", "paper", "garden", "cloud"]), min_size=1, max_size=8))
def test_an_unrelated_row_never_takes_the_first_place_from_the_only_answer(words: list[str]) -> None:
    more = Toy([*MEMORIES, Said("Anna", " ".join(words), 9)])
    assert "Mochi" in first(more, "What is the name of Anna's cat?")
    assert "团子" in first(more, "小明的猫叫什么名字？")


@settings(max_examples=scaled(20, 200))
@given(st.lists(st.integers(0, 4000), min_size=len(MEMORIES), max_size=len(MEMORIES)), st.floats(0.1, 400))
def test_age_never_moves_a_row_past_one_that_is_clearly_better(ages: list[int], half_life: float) -> None:
    aged = Toy(
        [Said(s.speaker, s.text, s.document, NOW - timedelta(days=d)) for s, d in zip(MEMORIES, ages, strict=True)]
    )
    question = "What is the name of Anna's cat?"
    ranked = ask(aged, question, Wishes(limit=99, now=int(NOW.timestamp()), half_life_days=half_life))
    plain = ranked.scored.score
    allowed = Weights().age * ranked.scored.most + 1e-4
    places = ranked.order.tolist()
    for above, below in pairwise(places):
        assert plain[above] >= plain[below] - allowed


def test_a_fact_of_three_years_ago_that_is_the_only_answer_comes_first() -> None:
    old = [Said("Ben", "My locker code at the gym is 4417.", 0, NOW - timedelta(days=3 * 365))]
    new = [Said("Ben", f"I went to the gym again, day {day}.", day, NOW - timedelta(days=day)) for day in range(1, 30)]
    assert "4417" in first(Toy([*old, *new]), "What is Ben's locker code?")


def test_of_two_equal_rows_the_newer_comes_first_and_what_never_ages_beats_both() -> None:
    rows = [
        Said("", "The wifi password is hunter2.", at, NOW - timedelta(days=age))
        for at, age in enumerate((300, 10, 900))
    ]
    ranked = ask(Toy(rows), "wifi password")
    assert ranked.order.tolist() == [1, 0, 2]
    rows[2] = Said("", rows[2].text, 2, rows[2].time, Mark.EVERGREEN)
    assert ask(Toy(rows), "wifi password").order.tolist()[0] == 2


def test_a_correction_weighs_more_when_it_is_about_what_is_asked() -> None:
    rows = [
        Said("", "The weekly report is due on Friday.", 0),
        Said("", "The weekly report is due on Thursday.", 1, None, Mark.CORRECTION),
        Said("", "Tea is served at four.", 2, None, Mark.CORRECTION),
    ]
    toy = Toy(rows)
    boosted = ask(toy, "When is the weekly report due?")
    assert boosted.order.tolist()[0] == 1
    assert boosted.why(1)["correction"] > 0
    assert boosted.order.tolist()[-1] == 2


def test_weighted_mode_is_the_two_weights_and_nothing_else(toy: Toy) -> None:
    question = asked("What is the name of Anna's cat?", toy.people)
    wishes = Wishes(limit=99, mode="weighted", vector_weight=0.7, text_weight=0.3, half_life_days=None)
    ranked = rank(toy.pool, toy.statistics(question), question, wishes)
    cosine = [float(each) for each in ranked.scored.nearness]
    bm25 = by_hand_bm25(toy, question.terms)
    assert bm25 == pytest.approx(ranked.scored.words.tolist(), rel=1e-4, abs=1e-4)
    expected = [0.7 * v + 0.3 * t for v, t in zip(stretched(cosine), stretched(bm25), strict=True)]
    assert ranked.shown.tolist() == pytest.approx(expected, abs=1e-4)


def stretched(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) for value in values]


def by_hand_bm25(toy: Toy, terms: Sequence[str]) -> list[float]:
    rows = toy.rows
    average = sum(map(len, rows)) / len(rows)
    scores = []
    for row in rows:
        total = 0.0
        for term in terms:
            holding = sum(term in other for other in rows)
            rare = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
            count = row.count(term)
            total += rare * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(row) / average))
        scores.append(total)
    return scores


def test_results_below_the_minimum_are_left_out(toy: Toy) -> None:
    every = ask(toy, "What is the name of Anna's cat?", Wishes(limit=99))
    few = ask(toy, "What is the name of Anna's cat?", Wishes(limit=99, minimum=0.5))
    assert 0 < len(few.order) < len(every.order)
    assert (few.shown[few.order] >= 0.5).all()


def test_without_vectors_words_alone_rank() -> None:
    bare = Toy(MEMORIES, vectors=False)
    assert "Mochi" in first(bare, "What is the name of Anna's cat?")
    assert "vectors" not in ask(bare, "cat").parts


def test_an_embedder_that_gives_only_vectors_is_ranked_by_the_same_parts() -> None:
    toy = Toy(MEMORIES)
    question = asked("What is the name of Anna's cat?", toy.people)
    known = toy.statistics(question)
    vector = toy.pool.spaces[0].vectors[0]
    plain = Statistics(known.rows, known.average_terms, known.known, (Asked(None, vector=vector),))
    ranked = rank(toy.pool, plain, question, Wishes(half_life_days=None))
    assert ranked.order.tolist()[0] == 0
    assert np.isfinite(ranked.shown).all()


def test_terms_the_store_has_never_seen_are_no_error(toy: Toy) -> None:
    question = asked("What about quarks?", toy.people)
    unknown = Statistics(
        toy.statistics(question).rows, 10.0, tuple(Known(-1, 0) for _ in question.terms), toy.statistics(question).asked
    )
    assert np.isfinite(rank(toy.pool, unknown, question, Wishes()).shown).all()


CALIBRATION = Calibration(Usual(0.0, 0.1), Usual(0.5, 0.1), Usual(0.2, 0.1), asked=60)


def verdict(found: Signals, text: str = "When did Anna go?", *, disputed: bool = False) -> Answer:
    return answer(found, CALIBRATION, asked(text, ("Anna",)), disputed=disputed, limits=Limits())


def test_what_stands_clear_of_ignorance_is_found_and_what_looks_like_it_is_unknown() -> None:
    assert verdict(Signals(0.4, 1.2, 0.9)) is Answer.FOUND
    assert verdict(Signals(0.1, 0.7, 0.4)) is Answer.UNSURE
    assert verdict(Signals(-0.2, 0.45, 0.1)) is Answer.UNKNOWN


def test_a_judgement_is_never_called_unknown() -> None:
    assert verdict(Signals(-0.2, 0.45, 0.1), "Would Anna like a dog?") is Answer.UNSURE


def test_what_is_disputed_is_said_to_be() -> None:
    assert verdict(Signals(0.4, 1.2, 0.9), disputed=True) is Answer.CONFLICTING
    assert verdict(Signals(0.4, 1.2, 0.9)) is Answer.FOUND


def test_no_calibration_means_unsure() -> None:
    question = asked("When did Anna go?", ("Anna",))
    bad = Signals(-1.0, 0.0, 0.0)
    assert answer(bad, Calibration(), question, disputed=False, limits=Limits()) is Answer.UNSURE


def test_a_calibration_is_made_of_foreign_questions() -> None:
    made = calibrated([Signals(0.1, 0.4, 0.2), Signals(None, 0.6, 0.4)])
    assert made.asked == 2
    assert made.match.middle == pytest.approx(0.5)
    assert certainty(Signals(0.1, 0.5, 0.3), made, Limits()) == pytest.approx(0.0, abs=1e-6)


def test_unknown_needs_a_person_who_is_named_and_others_who_speak_of_it() -> None:
    question = asked("When did Anna sink the boat?", ("Anna",))

    def said(contrast: float | None, match: float) -> Answer:
        return answer(Signals(contrast, match, 0.2), CALIBRATION, question, disputed=False, limits=Limits())

    assert said(-0.3, 0.4) is Answer.UNKNOWN
    assert said(0.1, 0.4) is Answer.UNSURE
    assert said(None, 0.0) is Answer.UNSURE
    suppose = asked("Would Anna sink the boat?", ("Anna",))
    shown = answer(Signals(-0.3, 0.4, 0.2), CALIBRATION, suppose, disputed=False, limits=Limits())
    assert shown is Answer.UNSURE


def test_words_in_common_are_no_spread_where_nobody_speaks() -> None:
    made = calibrated([Signals(None, 0.3, 0.0, 0.2), Signals(None, 0.7, 0.5, 0.3)])
    assert (made.match.spread, made.coverage.spread, made.near.middle) == (0.15, 0.11, 0.25)
    assert calibrated([Signals(0.1, 0.3, 0.0), Signals(None, 0.7, 0.5)]).coverage.spread == pytest.approx(0.25)


@given(st.floats(-9, 9), st.floats(0, 9))
def test_confidence_rises_with_certainty_and_stays_between_0_and_1(match: float, more: float) -> None:
    low = confidence(Signals(None, match, 0.2), CALIBRATION, Limits())
    high = confidence(Signals(None, match + more, 0.2), CALIBRATION, Limits())
    assert 0 <= low <= high <= 1
    assert confidence(Signals(None, match, 0.2), Calibration(), Limits()) == 0.5


def test_relative_dates_of_a_question_are_resolved_against_its_own_day() -> None:
    found = asked("What did Anna say last week?", ("Anna",), on=date(2026, 6, 3)).dates
    assert [(date.fromordinal(each.first), date.fromordinal(each.last)) for each in found] == [
        (date(2026, 5, 25), date(2026, 5, 31))
    ]


# who asks, what changed, how to behave


def first_of(rows: list[Said], question: str, asker: str = "") -> str:
    toy = Toy(rows, asker=asker)
    apart = asked(question, toy.people)
    best = int(rank(toy.pool, toy.statistics(apart), apart, Wishes()).order[0])
    return toy.said[best].text


def test_whoever_asks_about_themselves_is_heard_before_others() -> None:
    rows = [Said("Ines", "The flat in Porto has a balcony", 1), Said("Rui", "The flat in Braga has a balcony", 2)]
    assert "Porto" in first_of(rows, "Where is my flat with the balcony?", "Ines")
    assert "Braga" in first_of(rows, "Where is my flat with the balcony?", "Rui")


def part(rows: list[Said], question: str, name: str, asker: str = "") -> list[float]:
    toy = Toy(rows, asker=asker)
    apart = asked(question, toy.people)
    found = rank(toy.pool, toy.statistics(apart), apart, Wishes()).parts.get(name)
    return [0.0] * len(rows) if found is None else [round(float(each), 2) for each in found]


def test_what_is_otherwise_now_weighs_more_unless_it_is_asked_how_it_was() -> None:
    rows = [Said("Ines", "The choir sings in the crypt", 1), Said("Ines", "It sings in the chapel now", 2)]
    assert part(rows, "Where does the choir sing?", "changes") == [0.0, 0.1]
    assert part(rows, "Where did the choir sing?", "changes") == [0.0, 0.0]


@pytest.mark.parametrize(
    ("between", "lends"), [(Said("Rui", "I see.", 1), True), (Said("main", "I see.", 1, flags=int(Mark.AGENT)), False)]
)
def test_rows_two_away_lend_to_each_other_unless_the_agent_stands_between(between: Said, *, lends: bool) -> None:
    toy = Toy(
        [
            Said("Ines", "Rui's boat needs a new keel", 1),
            between,
            Said("Ines", "fourteen thousand, can you believe it", 1),
            Said("Rui", "The weather is fine", 2),
        ]
    )
    question = asked("What does the keel cost?", toy.people)
    words = [
        rank(toy.pool, toy.statistics(question), question, Wishes(), w).parts["words"][2]
        for w in (Weights(), Weights(two_away=0.0))
    ]
    assert bool(words[0] > words[1]) is lends
