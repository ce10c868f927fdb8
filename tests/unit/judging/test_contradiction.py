"""What two lines of one fact each must not be called, and what they are: contradictions told without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.judging.contradictions import contradictions, judged
from oldsoul.language.lexicon import word_list
from oldsoul.reading.slots import SECTION, statement

AT_ODDS = [
    ("value", "The water bill is 45 euros.", "The water bill came to 72 euros."),
    ("value", "Choir practice starts at 19:00.", "Choir practice starts at 20:30."),
    ("value", "We have two canaries.", "We have five canaries."),
    ("value", "The warranty ends in May 2027.", "The warranty is valid until August 2029."),
    ("attribute", "Greta lives in Malmö.", "Greta lives in Uppsala."),
    ("attribute", "My dentist is Dr Haverkamp.", "My dentist is Dr Osei."),
    ("attribute", "The captain of the team is Ruiz.", "The captain of the team is Halloran."),
    ("attribute", "Favourite colour: teal", "My favourite colour is ochre."),
    ("attribute", "The tent is kept in the attic.", "The tent is kept in the shed."),
    ("attribute", "Die Katze heißt Mimi.", "Unsere Katze heißt Luna."),
    ("attribute", "Ma sœur habite à Nantes.", "Ma sœur habite à Metz."),
    ("attribute", "我的医生是李华。", "我的医生是王芳。"),
    ("value", "誕生日は五月です。", "誕生日は九月です。"),
    ("attribute", "Greta is married.", "Greta is single."),
    ("negation", "Bruno eats shellfish.", "Bruno does not eat shellfish."),
    ("negation", "I like liquorice.", "I hate liquorice."),
]
TOGETHER = {
    "the same in other words": (
        ("The rent is 1,450 euros.", "the rent: 1450 €"),
        ("The lecture begins at 2 pm.", "The lecture starts at 14:00."),
    ),
    "another subject": (
        ("Nils lives in Malmö.", "Greta lives in Uppsala."),
        ("The red tent has 3 poles.", "The blue tent has 5 poles."),
        ("I am 41 years old.", "My brother is 38 years old."),
        ("The rent is 900 euros.", "The rent of the garage is 60 euros."),
    ),
    "another attribute": (
        ("Nils works as a plumber.", "Nils works for Skanska."),
        ("The ticket out is 40 euros.", "The return ticket is 55 euros."),
        ("The course starts on 3 May.", "The course ends on 28 June."),
    ),
    "what there may be several of": (
        ("I speak Danish.", "I speak Dutch."),
        ("Greta likes opera.", "Greta likes judo."),
        ("The camera is heavy.", "The camera is loud."),
    ),
    "another time": (
        ("I saw the vet in March.", "I saw the vet in October."),
        ("We used to live in Malmö.", "We live in Uppsala."),
        ("[2025-03-02] Ran 5 km.", "[2025-03-09] Ran 8 km."),
    ),
    "no statement": (
        ("The rent is 900.", "Is the rent 950?"),
        ("The rent is 900.", "The landlord might raise the rent to 950."),
        ("The hall is open on Mondays.", "The hall is also open on Fridays."),
    ),
}


@pytest.mark.parametrize(("kind", "first", "second"), AT_ODDS)
def test_lines_at_odds_are_told_with_the_reason(kind: str, first: str, second: str) -> None:
    found = judged(first, second)
    assert found is not None
    assert found.kind == kind
    assert 0.5 <= found.score <= 1
    assert found.why


@pytest.mark.parametrize(("first", "second"), [pair for pairs in TOGETHER.values() for pair in pairs])
def test_lines_that_go_together_are_left_alone(first: str, second: str) -> None:
    assert judged(first, second) is None


def test_the_reason_names_the_topic_and_both_values() -> None:
    found = judged("The water bill is 45 euros.", "The water bill came to 72 euros.")
    assert found is not None
    assert found.why == "on 'water bill' one says '45 euros', the other '72 euros'"


def test_a_line_of_many_words_states_no_one_fact() -> None:
    assert statement("The rent is 900 and " * 20) is None
    assert statement("  ") is None


PIECES = st.sampled_from(
    [
        *{part for _, *lines in AT_ODDS for line in lines for part in line.split()},
        *("not", "never", "no", "不", "没有", "is", "are", "是", "now", "from", "to", "of", "every", "3", "三", "%"),
        *("5:30", "2024", "[2024-01-02]", "**", ":", ",", "。", "?", "İ", "ſ", "𠀀", "\u200d", "no longer", "quit"),
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


def test_pairs_hold_a_fresh_line_each_and_only_the_best_partner() -> None:
    lines = [
        "Standup is at 9:30.",
        "The spare key hangs in the hall.",
        "Standup is at 10:15.",
        "The plumber is called Ott.",
        "The spare key hangs in the cellar.",
    ]
    assert [(pair.i, pair.j) for pair in contradictions(lines, range(5))] == [(0, 2), (1, 4)]
    assert [(pair.i, pair.j) for pair in contradictions(lines, [4])] == [(1, 4)]
    assert contradictions(lines, [3]) == []
    assert contradictions([], []) == []


def test_a_line_at_odds_with_two_is_paired_with_one() -> None:
    lines = ["The rent is 900.", "The rent is 900 euros.", "The rent is 950."]
    found = contradictions(lines, [2])
    assert len(found) == 1
    assert found[0].j == 2


def test_every_language_that_lists_words_for_slots_lists_what_all_need() -> None:
    for code, kinds in word_list(SECTION).items():
        assert {"light", "not", "also", "verbs", "attributes"} <= kinds.keys(), code
        for kind in ("verbs", "attributes", "sides"):
            for group in kinds.get(kind, "").split(" | "):
                assert not group or len(group.split(" ", 1)) == 2, (code, kind, group)
