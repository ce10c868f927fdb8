"""The context a session gets: the right words, for the right eyes, with a receipt."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.judging.mining import is_instruction, is_standing
from oldsoul.rules.audience import ChannelSignals, is_dm
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER, PUBLIC
from oldsoul.values.context import Profile, Slot
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from oldsoul.app import Agent
    from oldsoul.values.context import Context

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV, OPS = Session.dm(), Session.group("dev"), Session.group("ops")
ANN, BEN = Session.dm("acct:7", id="ann"), Session.dm("acct:8", id="ben")


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        yield soul.agent()


def slot(made: Context, which: Slot) -> str:
    return made.slots[which - 1].text


def test_each_line_is_under_its_day_with_its_speaker_in_the_order_of_time(agent: Agent) -> None:
    agent.hear("The boiler was repaired by Kurt", session=OWN, sender="Ann", time=NOON - timedelta(days=9))
    agent.hear("The boiler leaks again, Kurt comes", session=OWN, sender="Bob", time=NOON - timedelta(days=2))
    agent.hear("Lunch was soup", session=OWN, sender="Bob", time=NOON - timedelta(days=5))
    made = agent.context("what about the boiler and Kurt?", session=OWN)
    lines = slot(made, Slot.RECALL).strip("\n").split("\n")
    assert lines[:3] == [
        "## Remembered for this message",
        "### 2026-01-26, Monday",
        "- Ann: The boiler was repaired by Kurt",
    ]
    assert lines[-2:] == ["### 2026-02-02, Monday", "- Bob: The boiler leaks again, Kurt comes"]


def test_what_was_said_and_stands_in_memory_is_told_once_and_the_receipt_says_so(agent: Agent) -> None:
    agent.remember("The boiler was repaired by Kurt")
    agent.hear("Remember that the boiler was repaired by Kurt", session=OWN, time=NOON)
    agent.hear("Olga never repaired the boiler", session=OWN, time=NOON)
    agent.hear("The boiler was repaired by Kurt", session=OWN, time=NOON - timedelta(days=3))
    agent.hear("The boiler was repaired by Kurt", session=OWN, sender="Ann", time=NOON)
    made = agent.context("who repaired the boiler?", session=OWN)
    told = slot(made, Slot.RECALL)
    assert told.count("repaired by Kurt") == 2
    assert "Olga never repaired" in told
    assert "### 2026-02-01, Sunday\n- The boiler was repaired by Kurt" in told
    assert "- Ann: The boiler was repaired by Kurt" in told
    again = [left.why for left in made.left_out if left.slot is Slot.RECALL]
    assert again == ["a better line in its slot says the same"] * 2


def test_what_was_said_is_not_told_in_slot_after_slot(agent: Agent) -> None:
    agent.hear("Please remember that the staging server is called Juno", session=Session.dm())
    agent.talk.end("dm:acct:owner")
    agent.remember("The staging server is called Juno")
    made = agent.context("what is the staging server called?", session=Session.dm())
    assert slot(made, Slot.RECALL).count("Juno") == 1
    assert "Juno" not in slot(made, Slot.LONG_TERM)
    assert "already in another slot" in {one.why for one in made.left_out}
    assert "progress" not in made.text


def test_that_nothing_is_known_is_said(agent: Agent) -> None:
    for number in range(15):
        agent.hear(f"I planted row {number} of my garden", session=OWN, sender="Caroline", time=NOON)
        agent.hear(f"I saw my dentist for the {number}th time, her name is Ott", session=OWN, sender="Ann", time=NOON)
    made = agent.context("what is the name of Caroline's dentist?", session=OWN)
    assert made.answer == "unknown"
    assert "say that you do not know" in slot(made, Slot.RECALL)
    made = agent.context("how tall is the Matterhorn?", session=OWN)
    assert "Memory holds nothing about this" in slot(made, Slot.RECALL)


def test_memories_that_disagree_are_shown_as_such(agent: Agent) -> None:
    one = agent.remember("The meeting is on Monday")
    other = agent.remember("The meeting is on Friday at noon")
    text = f"# Conflicts\n\n## 2026-02-04 12:00 UTC <!--os conflict001 between={one.entry},{other.entry}-->\n\nBoth.\n"
    agent.files.put("CONFLICTS.md", text.encode())
    made = agent.context("when is the meeting?", session=OWN)
    assert made.answer == "conflicting"
    found = slot(made, Slot.RECALL)
    assert found.count("another line here contradicts this") == 2
    assert "nobody has settled it" in found


def test_standing_instructions_are_always_there_and_corrections_too(agent: Agent) -> None:
    agent.remember("Always answer in German when I write German")
    agent.remember("The cat is called Mia")
    made = agent.context("what is two and two?", session=OWN)
    assert "Always answer in German" in slot(made, Slot.CORRECTIONS)
    assert "Mia" not in slot(made, Slot.CORRECTIONS)
    assert "These hold" not in made.text
    assert "Always answer" not in agent.context("what is two and two?", session=DEV).text


@pytest.mark.parametrize(
    "told",
    [
        "When we talk about sourdough, always mention the harbour fair",
        "Wenn es um Sauerteig geht, nenne immer das Hafenfest",
    ],
)
def test_an_instruction_with_an_occasion_is_told_when_search_finds_it(agent: Agent, told: str) -> None:
    agent.remember(told)
    for text in ("The cat is called Mia", "The van is in the garage", "Ida works on Mondays", "The oven takes an hour"):
        agent.remember(text)
    subject = "Sauerteig" if "Sauer" in told else "sourdough"
    assert told in slot(agent.context(f"{subject}?", session=OWN), Slot.CORRECTIONS)
    assert told not in slot(agent.context("where is the van?", session=OWN), Slot.CORRECTIONS)


def test_instructions_for_any_occasion_have_their_own_limit_and_the_newest_are_kept(agent: Agent) -> None:
    for number in range(30):
        agent.remember(f"Never use word number {number} of the list that hangs in the kitchen of the bakery")
    told = slot(agent.context("what is two and two?", session=OWN), Slot.CORRECTIONS)
    assert 2 <= told.count("Never use word") <= 9


def test_what_is_not_verified_yet_comes_first_and_the_oldest_verified_are_cut_first(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("timezone: UTC\ncontext: {corrections_tokens: 70, budget_tokens: 140}\n")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        blocks = "".join(
            f"## 2026-01-{day:02} 09:00 UTC\n\n- **Correct**: fact {day} holds\n- **Re-embedded**: {state}\n\n"
            for day, state in ((1, "true"), (2, "false"), (3, "true"), (4, "true"), (5, "true"))
        )
        agent.files.put("CORRECTIONS.md", f"# Corrections\n\n{blocks}".encode())
        agent.files.put("SOUL.md", b"# main\n")
        made = agent.context("", session=OWN)
        found = slot(made, Slot.CORRECTIONS)
        assert found.index("fact 2 holds") < found.index("fact 5 holds")
        assert "fact 1 holds" not in found
        assert [one.start_line for one in made.left_out if one.slot is Slot.CORRECTIONS][-1] < 6


def test_recent_days_rooms_and_sessions_stand_in_slot_four_for_those_who_may_see_them(agent: Agent) -> None:
    agent.talk.append_daily_log("The owner planted tulips")
    agent._parts.home.ledger  # noqa: B018 - the diary is written through it
    agent.files.put("rooms/dev.md", b"# dev\n\n- The build is green on Fridays\n")
    mine = agent.context("", session=OWN)
    assert "planted tulips" in slot(mine, Slot.RECENT)
    room = agent.context("", session=DEV)
    assert "The build is green" in slot(room, Slot.RECENT)
    assert "tulips" not in room.text
    assert "The build is green" not in agent.context("", session=OPS).text


def test_a_person_sees_their_own_profile_and_nobody_elses(agent: Agent) -> None:
    agent.files.put("memory/_longterms/acct_7/profile.md", b"# Ann\n\n- Ann is allergic to nuts\n")
    assert "allergic to nuts" in slot(agent.context("what can I eat?", session=ANN), Slot.PEOPLE)
    for session in (OWN, BEN, DEV):
        assert "allergic" not in agent.context("what can Ann eat? nuts?", session=session).text


def test_profiles_and_context_of_other_programs_are_the_operators(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "crm").mkdir()
    (tmp_path / "crm/maria-lopez.md").write_text("Runs the bakery on Elm Street.\n")
    (tmp_path / "recipe.json").write_text('{"project": "kitchen", "steps": ["measure", "order"]}')
    (tmp_path / "home/config.yaml").write_text(
        f"timezone: UTC\ncontext: {{crm_source: '{tmp_path}/crm', external_source: '{tmp_path}/recipe.json',"
        " external_tokens: 100}\n"
    )
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        made = agent.context("has Maria called?", session=OWN)
        assert "maria-lopez: Runs the bakery" in slot(made, Slot.PEOPLE)
        assert slot(made, Slot.EXTERNAL).endswith("- project: kitchen\n- steps.1: measure\n- steps.2: order\n")
        assert "bakery" not in agent.context("has Tom called?", session=OWN).text
        group = agent.context("has Maria called?", session=DEV)
        assert "bakery" not in group.text
        assert "kitchen" not in group.text


def test_a_function_of_ones_own_is_asked_for_those_who_are_named(tmp_path: Path) -> None:
    asked: list[list[str]] = []

    def profiles(names: Sequence[str]) -> list[Profile]:
        asked.append(list(names))
        return [Profile("Maria", "Runs the bakery", PUBLIC), Profile("Tom", "Owes us money", OWNER)]

    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON), profiles=profiles) as soul:
        agent = soul.agent()
        assert "Owes us money" in slot(agent.context("has Maria called Tom?", session=OWN), Slot.PEOPLE)
        assert asked[-1] == ["Maria", "Tom"]
        group = slot(agent.context("has Maria called Tom?", session=DEV), Slot.PEOPLE)
        assert "Runs the bakery" in group
        assert "Owes us money" not in group


def test_the_receipt_names_each_line_and_what_is_included_counts_as_used(agent: Agent) -> None:
    made = agent.remember("The cat is called Mia", title="Cat")
    context = agent.context("what is the cat called?", session=OWN)
    (line,) = [one for one in context.included if one.entry == made.entry]
    assert (line.document, line.start_line, line.end_line) == ("MEMORY.md", made.line, made.line)
    assert line.tokens > 0
    assert line.score > 0
    assert agent._parts.home.usage.reuse("main", [made.entry])[made.entry].sessions == 1
    assert sum(one.tokens for one in context.included) <= context.tokens


def test_without_memory_or_search_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    for setting, kept in (("enabled: false", False), ("search: {enabled: false}", True)):
        (tmp_path / "home/config.yaml").write_text("timezone: UTC\n")
        with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
            soul.agent().remember("The cat is called Mia")
        (tmp_path / "home/config.yaml").write_text(f"timezone: UTC\nmemory: {{{setting}}}\n")
        with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as soul:
            made = soul.agent().context("what is the cat called?", session=OWN)
            assert slot(made, Slot.IDENTITY)
            assert slot(made, Slot.RECALL) == ""
            assert ("Mia" in made.text) is kept


CANARY = "canary{number}zebra"


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Agent, dict[str, str]]]:
    """A home with a word of its own in every file, and who may see each."""
    home = tmp_path_factory.mktemp("full")
    (home / "config.yaml").write_text("timezone: UTC\n")
    with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        where = {
            "SOUL.md": "public",
            "USER.md": "owner",
            "MEMORY.md": "owner",
            "CORRECTIONS.md": "owner",
            "CONFLICTS.md": "owner",
            "memory/2026-02-04.md": "owner",
            "memory/2026-02-03.md": "owner",
            "memory/_longterms/acct_7/profile.md": "person:acct:7",
            "memory/_longterms/acct_7/_index.md": "person:acct:7",
            "memory/_longterms/acct_8/profile.md": "person:acct:8",
            "rooms/dev.md": "room:dev",
            "rooms/ops.md": "room:ops",
            "Archive/Daily/2025-01-01.md": "owner",
        }
        words: dict[str, str] = {}
        for number, (path, audience) in enumerate(where.items()):
            word = CANARY.format(number=number)
            words[word] = audience
            file = home / "workspace/main" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            head = "---\nsubject: acct:7\n---\n" if path.endswith("_index.md") else ""
            dated = "## 2026-02-04 09:00 UTC\n\n" if path.startswith(("memory/20", "C", "Archive")) else ""
            file.write_text(f"{head}# File\n\n{dated}- Always remember the tulips and the {word}\n")
        for number, session in enumerate((OWN, ANN, BEN, DEV, OPS), 100):
            word = CANARY.format(number=number)
            words[word] = str(soul._home.people.audience(session))
            agent.hear(f"Remember that the tulips are {word}", session=session, sender="Someone", time=NOON)
            agent.hear("thanks", session=session, sender="Someone", time=NOON)
            agent._parts.talk.end(session.id)
        yield agent, words


SESSIONS = st.sampled_from(
    [
        OWN,
        ANN,
        BEN,
        DEV,
        OPS,
        Session.group(""),
        Session.group("elsewhere"),
        Session.cron("job"),
        Session.dm("ext:telegram:5"),
        Session.dm("acct:7", rooms=frozenset({"dev"})),
        Session.subagent(parent=DEV, id="sub"),
        Session.subagent(parent=ANN, id="sub2"),
        Session.of_kind("seance", id="unknown"),
    ]
)
MESSAGES = st.lists(
    st.sampled_from(["tulips", "remember", "what", "Always", "canary1zebra", "canary3zebra", "?", "acct:7", "SOUL"]),
    max_size=6,
).map(" ".join)


@settings(max_examples=scaled(40, 400))
@given(SESSIONS, MESSAGES)
def test_nobody_is_shown_a_byte_that_is_not_theirs(
    full: tuple[Agent, dict[str, str]], session: Session, message: str
) -> None:
    from oldsoul.values.audience import Audience  # noqa: PLC0415 - only this test reads them

    agent, words = full
    view = agent._parts.home.people.view(session)
    made = agent.context(message, session=session)
    everything = repr([getattr(made, each.name) for each in fields(made)])
    everything = everything.replace(message, "") if message else everything
    listed = agent.memory.entries(session=session, limit=1000)
    everything += repr([(entry.text, entry.title, entry.section) for entry in listed])
    for word, audience in words.items():
        if not view.sees(Audience.parse(audience)):
            assert word not in everything
    assert made.tokens <= 6000
    assert made.text == agent.context(message, session=session).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Always answer in German", True),
        ("Maren: Please don't use emojis", True),
        ("When we talk about sourdough, always mention the harbour fair", True),
        ("Réponds toujours en français", True),
        ("I prefer tea before six", False),
        ("The recipe book lies in the drawer, and never leaves the house", False),
        ("Ida always works on Mondays", False),
    ],
)
def test_an_instruction_begins_as_an_order_does(text: str, expected: bool) -> None:  # noqa: FBT001
    assert is_instruction(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Always answer in German", True),
        ("Never book meetings before ten", True),
        ("From now on send the report on Fridays", True),
        ("Please don't use emojis", True),
        ("Call me Al", True),
        ("The operator prefers short answers", True),
        ("以后请用中文回答", True),
        ("不要再提醒我", True),
        ("今後は敬語で返事してください", True),
        ("The cat is called Mia", False),
        ("We moved the server to Frankfurt", False),
        ("I have never been to Rome", False),
        ("She always wanted a dog", False),
        ("猫叫团子", False),
    ],
)
def test_standing_instructions_are_told_from_facts(text: str, expected: bool) -> None:  # noqa: FBT001
    assert is_standing(text) is expected


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (ChannelSignals(), False),
        (ChannelSignals(marked_direct=True, members=2), True),
        (ChannelSignals(marked_direct=True, members=3), False),
        (ChannelSignals(marked_direct=True), True),
        (ChannelSignals(marked_direct=True, named=True), False),
        (ChannelSignals(invited_direct=True, members=2), True),
        (ChannelSignals(members=2), False),
        (ChannelSignals(marked_direct=False, members=2, invited_direct=True), True),
        (ChannelSignals(marked_direct=False), False),
    ],
)
def test_doubt_about_who_reads_along_means_a_group(signals: ChannelSignals, expected: bool) -> None:  # noqa: FBT001
    assert is_dm(signals) is expected
