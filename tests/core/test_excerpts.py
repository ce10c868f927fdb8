"""Excerpts: what recall found with the turns beside it, and never what a session may not see."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.context.slots import Budget, SlotSource, assemble
from oldsoul.rules.limits import estimated
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import PUBLIC, View
from oldsoul.values.context import Context, ContextPiece, Slot
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
EVERYTHING = View(owner=True, every_room=True, rooms=frozenset(), people=frozenset())
OTHERS = (
    "The van is in the garage",
    "Lunch was soup again",
    "The train was late",
    "My sister has a new piano",
    "We painted the fence",
    "It rained all day",
)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        yield soul.agent()


def recalled(made: Context) -> str:
    return made.slots[Slot.RECALL - 1].text


def talk(agent: Agent, session: Session, day: float, *said: tuple[str, str]) -> None:
    for minute, (sender, text) in enumerate(said):
        time = NOON - timedelta(days=day) + timedelta(minutes=minute)
        role = "assistant" if sender == "agent" else "user"
        agent.hear(text, session=session, sender="" if role == "assistant" else sender, role=role, time=time)


def test_an_answer_comes_with_its_question_and_the_turns_between_two_are_marked(agent: Agent) -> None:
    talk(agent, DEV, 9, ("Ann", "Which colour did you choose for the boat?"), ("Ben", "Turquoise, of course."))
    talk(agent, DEV, 8, *(("Ann", text) for text in OTHERS))
    talk(agent, DEV, 8, ("Ben", "The boat gets a second coat of colour on Friday"))
    text = recalled(agent.context("what colour is the boat?", session=DEV))
    assert "- Ann: Which colour did you choose for the boat?\n- Ben: Turquoise, of course.\n" in text
    assert text.index("2026-01-26, Monday") < text.index("2026-01-27, Tuesday")
    assert text.count("2026-01-27") <= 1


def test_a_turn_of_another_hour_or_another_conversation_is_no_reply(agent: Agent) -> None:
    talk(agent, DEV, 9, ("Ann", "The red kayak hangs in the shed"))
    talk(agent, DEV, 5, ("Ben", "Tomorrow then"))
    talk(agent, Session.group("ops"), 9, ("Carl", "In the cellar"))
    talk(agent, DEV, 3, *(("Ann", text) for text in OTHERS))
    text = recalled(agent.context("the red kayak", session=DEV))
    assert "red kayak" in text
    assert "Tomorrow then" not in text
    assert "In the cellar" not in text


def test_a_neighbour_that_may_not_be_seen_is_not_shown(agent: Agent) -> None:
    talk(
        agent,
        OWN,
        4,
        ("me", "The safe word is marzipan"),
        ("me", "The lighthouse opens at nine"),
        ("me", "Rent is 900"),
    )
    guest = Session.dm("acct:9", id="guest")
    talk(agent, guest, 3, ("Gus", "When does the lighthouse open?"))
    for session in (DEV, guest):
        text = agent.context("when does the lighthouse open?", session=session).text
        assert "marzipan" not in text
        assert "Rent" not in text
    assert "marzipan" in recalled(agent.context("when does the lighthouse open?", session=OWN))


def test_a_neighbour_with_a_wrong_value_is_shown_without_it(agent: Agent) -> None:
    talk(agent, OWN, 4, ("me", "The ferry to Elba leaves at 7:15"), ("me", "We take the blue suitcase along"))
    talk(agent, OWN, 2, *(("me", text) for text in OTHERS))
    agent.correct("The ferry to Elba leaves at 8:40", wrong="7:15", right="8:40")
    text = recalled(agent.context("which suitcase do we take along?", session=OWN))
    assert "blue suitcase" in text
    assert "7:15" not in text


def test_of_a_long_answer_of_the_agent_the_sentences_stand_that_matter(agent: Agent) -> None:
    filler = " ".join(f"Paragraph {n} tells at length of other things that nobody asked about." for n in range(30))
    talk(
        agent,
        OWN,
        4,
        ("me", "Which yeast for panettone?"),
        ("agent", f"{filler} For panettone take osmotolerant yeast. {filler}"),
    )
    talk(agent, OWN, 2, *(("me", text) for text in OTHERS))
    text = recalled(agent.context("panettone yeast", session=OWN))
    assert "For panettone take osmotolerant yeast." in text
    assert len(text.split()) < 200
    assert "… For panettone take osmotolerant yeast. …" in text


def test_what_the_agent_said_is_shown_at_length_to_who_asks_for_it(agent: Agent) -> None:
    listed = " ".join(f"Step {n} is to fold the dough {n} times." for n in range(1, 21))
    talk(agent, OWN, 4, ("me", "How do I fold panettone dough?"), ("agent", listed))
    talk(agent, OWN, 2, *(("me", text) for text in OTHERS))
    assert "Step 17" in recalled(agent.context("which steps did you tell me for the panettone dough?", session=OWN))


def test_what_is_dated_later_than_now_is_left_out(agent: Agent) -> None:
    talk(agent, OWN, -0.9, ("me", "The zeppelin lands on the meadow"))
    talk(agent, OWN, 3, ("me", "The zeppelin starts at dawn"))
    text = recalled(agent.context("the zeppelin", session=OWN))
    assert "starts at dawn" in text
    assert "lands on the meadow" not in text


def test_recall_gets_what_the_others_leave_unused(agent: Agent) -> None:
    for day in range(60):
        said = f"The orchard gave {day} baskets of quinces, and the orchard's {day} oldest trees were pruned with care"
        talk(agent, Session.group("dev"), day + 3, ("Ann", said), ("Ben", f"Nice work, {day} times nice work"))
    made = agent.context("tell me all about the quinces of the orchard", session=DEV)
    filled = made.slots[Slot.RECALL - 1]
    assert filled.tokens <= filled.allowed
    assert len([one for one in made.included if one.slot is Slot.RECALL]) > 30
    assert made.tokens <= 6000


PLACES = st.lists(
    st.tuples(st.sampled_from(["chat/a", "chat/b"]), st.integers(0, 9), st.sampled_from(["one", "two two", "three"])),
    max_size=12,
    unique_by=lambda each: each[:2],
)


@settings(max_examples=scaled(200, 5000))
@given(PLACES, st.integers(0, 90))
def test_tokens_are_those_of_the_text_and_gaps_stand_where_turns_are_left_out(
    places: list[tuple[str, int, str]], room: int
) -> None:
    pieces = tuple(
        ContextPiece(
            f"- {text} {place}",
            path,
            PUBLIC,
            start_line=place + 1,
            entry=f"{path}{place}",
            time=NOON + timedelta(minutes=place),
            under=f"### {path}",
            place=place,
        )
        for path, place, text in places
    )
    made = assemble(
        {Slot.RECALL: SlotSource("## Found", pieces, talk=True)},
        EVERYTHING,
        Budget(room, {Slot.RECALL: room}),
        estimated,
    )
    filled = made.slots[Slot.RECALL - 1]
    assert filled.tokens <= room
    assert filled.tokens == sum(estimated(f"{line}\n") for line in filled.text.splitlines())
    lines = filled.text.splitlines()
    shown = [(one.document, one.start_line - 1) for one in made.included]
    for (path, place), (other, later) in itertools.pairwise(shown):
        if path == other:
            between = lines[_line(lines, path, place) + 1 : _line(lines, path, later)]
            assert place < later
            assert between == (["…"] if later > place + 1 else [])


def _line(lines: list[str], path: str, place: int) -> int:
    start = lines.index(f"### {path}")
    return next(n for n in range(start, len(lines)) if lines[n].startswith("- ") and lines[n].endswith(f" {place}"))


def test_what_the_diary_and_a_sessions_file_say_again_is_told_once(agent: Agent) -> None:
    talk(agent, OWN, 0.1, ("me", "The glazier mends the skylight on Thursday"), ("me", "He brings his own ladder"))
    agent.talk.end(OWN)
    made = agent.context("when does the glazier mend the skylight?", session=OWN)
    assert recalled(made).count("glazier mends the skylight") == 1
    recent = made.slots[Slot.RECENT - 1].text
    assert recent.count("glazier") <= 1
