"""Recall through the public verb: what is asked for comes first, for the right eyes, from files and conversations alike."""

from __future__ import annotations

import gc
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.documents import Entry
from oldsoul.errors import BadInput, Refused
from oldsoul.testing import FrozenClock
from oldsoul.values.names import Name
from oldsoul.values.recall import Chunk
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Agent, Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
ANN, BEN = Session.dm("acct:7", id="ann"), Session.dm("acct:8", id="ben")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def soul(tmp_path: Path, clock: FrozenClock) -> Iterator[Oldsoul]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path / "home", {}, clock=clock) as opened:
        yield opened


@pytest.fixture
def agent(soul: Oldsoul) -> Agent:
    return soul.agent()


def first(agent: Agent, question: str, session: Session = OWN) -> str:
    hits = agent.recall(question, session=session).hits
    return hits[0].chunk.text if hits else ""


def test_what_was_remembered_said_and_written_is_found_with_where_it_stands(agent: Agent) -> None:
    agent.remember("The cat is called Mia", title="Cat")
    agent.hear("We moved the server to Frankfurt last week", session=DEV, sender="Bob", subject="acct:9", time=NOON)
    agent.files.put(
        "memory/2026-02-03.md", b"# 2026-02-03\n\n## 2026-02-03 09:30 UTC\n\nThe plumber repaired the boiler.\n"
    )
    found = agent.recall("what is the name of the cat?", session=OWN)
    assert found.answer in ("found", "unsure")
    hit = found.hits[0]
    line = (agent.files.show("MEMORY.md").data or b"").decode().splitlines()[hit.chunk.start_line - 1]
    assert line.startswith("- **Cat**: The cat is called Mia")
    assert (hit.chunk.path, hit.chunk.source, hit.chunk.evergreen) == ("MEMORY.md", "memory", True)
    assert sum(hit.why.values()) > 0
    talk = agent.recall("where is the server now?", session=OWN).hits[0].chunk
    assert (talk.text, talk.speaker, talk.entry, talk.time) == (
        "We moved the server to Frankfurt last week",
        "Bob",
        "m:1",
        NOON,
    )
    day = agent.recall("who repaired the boiler?", session=OWN, minimum=0.0).hits[0].chunk
    assert (day.path, day.start_line, day.time) == ("memory/2026-02-03.md", 5, datetime(2026, 2, 3, 9, 30, tzinfo=UTC))


def test_of_a_long_file_few_pieces_are_held_while_it_is_indexed(agent: Agent) -> None:
    data = "# Notes\n\n" + "".join(f"- Box {number}: apples\n" for number in range(4000))
    most = count = 0
    filed = agent._parts.recaller.filed(Name("main", "notes/boxes.md"), data.encode())
    for count, _ in enumerate(agent._parts.recaller.prepared(filed.chunks), 1):
        most = max(most, held(b"- Box ", "notes/boxes.md")) if not count % 500 else most
    assert count == 4000
    assert 0 < most < 1000
    assert sum(1 for _ in filed.chunks) == count, "it may have to be put again"


def held(begins: bytes, path: str) -> int:
    """How many entries and pieces of a file there are."""
    every = gc.get_objects()
    entries = sum(isinstance(each, Entry) and each.lines[0].startswith(begins) for each in every)
    return entries + sum(isinstance(each, Chunk) and each.path == path for each in every)


def test_what_changes_is_found_as_it_is_now(agent: Agent, soul: Oldsoul, tmp_path: Path) -> None:
    made = agent.remember("The cat is called Mia")
    assert "Mia" in first(agent, "how is the cat called?")
    agent.forget(made.name, made.entry)
    assert "Mia" not in first(agent, "how is the cat called?")
    file = tmp_path / "home/workspace/main/MEMORY.md"
    file.write_text(file.read_text() + "\n- The dog is called Rex\n")
    clock = soul._home.world.clock
    assert isinstance(clock, FrozenClock)
    clock.advance(timedelta(seconds=3))
    assert "Rex" in first(agent, "how is the dog called?")
    file.write_text("# Memory\n")
    clock.advance(timedelta(seconds=3))
    assert "Rex" not in first(agent, "how is the dog called?")


def test_everybody_finds_what_they_may_see_and_nothing_else(agent: Agent) -> None:
    said = {
        OWN: "My own zebra is called Olga",
        ANN: "My secret zebra is called Anton",
        BEN: "My hidden zebra is called Berta",
        DEV: "Our zebra here is called Dora",
    }
    for session, text in said.items():
        agent.hear(text, session=session, sender="X", subject="acct:9" if session is DEV else None)
        agent.talk.end(session)
    agent.remember("The zebra of the house is called Emil")
    names = {OWN: {"Olga", "Dora", "Emil"}, ANN: {"Anton"}, BEN: {"Berta"}, DEV: {"Dora"}, Session.cron("j"): set()}
    for session, expected in names.items():
        hits = agent.recall("what is the zebra called?", session=session, limit=50).hits
        text = " ".join(f"{hit.chunk.text} {hit.chunk.heading}" for hit in hits)
        assert {name for name in ("Olga", "Anton", "Berta", "Dora", "Emil") if name in text} == expected


def test_an_old_fact_that_nothing_newer_speaks_of_comes_first(agent: Agent) -> None:
    old = NOON - timedelta(days=3 * 365)
    agent.hear("The safe in the cellar opens with the number of the old tram", session=ANN, sender="Ann", time=old)
    for day in range(60):
        agent.hear(
            f"Today we painted wall {day} of the house green",
            session=ANN,
            sender="Ann",
            time=NOON - timedelta(days=day),
        )
    assert "number of the old tram" in first(agent, "how does the safe in the cellar open?", ANN)
    assert "wall 0 " in first(agent, "which wall did we paint green?", ANN) or "wall" in first(
        agent, "which wall?", ANN
    )


def test_a_correction_comes_before_what_it_corrects_which_is_hidden(agent: Agent) -> None:
    made = agent.remember("The meeting with the bank is on Tuesday")
    agent.hear("The meeting with the bank is on Tuesday", session=OWN, time=NOON - timedelta(days=2))
    assert "Tuesday" in first(agent, "when is the meeting with the bank?")
    agent.files.put(
        "CORRECTIONS.md",
        (
            "# Corrections\n\n"
            f"## 2026-02-04 13:00 UTC <!--os 0000000001 supersedes={made.entry}-->\n\n"
            "The meeting with the bank is on Thursday. #correction\n"
            "**Was:** The meeting with the bank is on Tuesday\n"
        ).encode(),
    )
    hits = agent.recall("when is the meeting with the bank?", session=OWN).hits
    assert "Thursday" in hits[0].chunk.text
    assert all(hit.chunk.correction or "on Tuesday" not in hit.chunk.text for hit in hits)
    agent.files.put("CORRECTIONS.md", b"# Corrections\n")
    assert "Tuesday" in first(agent, "when is the meeting with the bank?")


@pytest.mark.parametrize(
    ("block", "hidden"),
    [
        ("Agent said: {0}\nCorrect: {1}", True),
        ("- What the agent said: {0}\n- What the correct information is: {1}", True),
        ("Timestamp: 2026-02-04\nTrigger phrase: no\nWHAT THE AGENT SAID: {0}\nCorrect information: {1}", True),
        ("**What the agent said:** {0}\n**Correct information:** {1}", True),
        ("Was: {0}\nNow: {1}", True),
        ("Agent said: {0}", False),  # nobody says that it was wrong
        ("{0}\nCorrect: {1}", False),
        ("We said: {0}\nCorrect: {1}", False),
    ],
)
def test_a_correction_by_hand_hides_what_its_labels_say_was_wrong(agent: Agent, block: str, hidden: bool) -> None:  # noqa: FBT001 - a case
    wrong, right = "Project Kestrel is led by Maria", "Project Kestrel is led by Tobias"
    agent.remember(wrong)
    agent.remember("The kestrel in the barn is called Maria")
    agent.files.put(
        "CORRECTIONS.md", f"# Corrections\n\n## 2026-02-04 13:00 UTC\n\n{block.format(wrong, right)}\n".encode()
    )
    found = [hit.chunk for hit in agent.recall("who leads project Kestrel?", session=OWN, minimum=0.0).hits]
    assert any(chunk.path == "MEMORY.md" and wrong in chunk.text for chunk in found) != hidden
    assert any("in the barn" in chunk.text for chunk in found)


@pytest.mark.parametrize(
    ("block", "answer"),
    [
        ("**Entries:** {one}, {other}\n**Status:** open", "conflicting"),
        ("**One:** The rent is 900 euros a month\n**Other:** The rent is 950 euros a month", "conflicting"),
        ("- The rent is 900 euros a month.\n- “The rent is 950 euros a month”\n\nStatus: open", "conflicting"),
        ("A: the rent is 900 euros a month\nB: the rent is 950 euros a month\nStatus: settled", "found"),
        ("- The rent is 900 euros\n- The rent is 950 euros", "found"),  # not what the entries say
        ("**Entries:** {one}", "found"),
    ],
)
def test_a_conflict_by_hand_names_both_entries_or_says_what_they_say(agent: Agent, block: str, answer: str) -> None:
    one, other = agent.remember("The rent is 900 euros a month"), agent.remember("The rent is 950 euros a month")
    text = block.format(one=one.entry, other=other.entry)
    agent.files.put("CONFLICTS.md", f"# Conflicts\n\n## 2026-02-04 13:00 UTC\n\n{text}\n".encode())
    assert agent.recall("how much is the rent?", session=OWN).answer == answer


def test_a_conflict_about_something_else_does_not_answer_the_question(agent: Agent) -> None:
    one, other = agent.remember("The rent is 900 euros a month"), agent.remember("The rent is 950 euros a month")
    agent.remember("The tiler from Bergen comes on Thursday at ten")
    block = f"**Entries:** {one.entry}, {other.entry}\n**Status:** open"
    agent.files.put("CONFLICTS.md", f"# Conflicts\n\n## 2026-02-04 13:00 UTC\n\n{block}\n".encode())
    found = agent.recall("when does the tiler from Bergen come?", session=OWN, minimum=0.0)
    assert found.hits[0].chunk.text.startswith("The tiler")
    assert {one.entry, other.entry} <= {hit.chunk.entry for hit in found.hits}
    assert found.answer == "found"
    assert agent.recall("what is the rent a month?", session=OWN).answer == "conflicting"


def test_what_the_agent_itself_said_of_a_memory_never_stands_in_its_place(agent: Agent) -> None:
    agent.remember("The rent is 900 euros a month")
    for place in range(3):
        agent.hear("how much is the rent?", session=OWN)
        agent.hear(
            f"The rent is 900 euros a month, as MEMORY.md says (I looked {place} times)", session=OWN, role="assistant"
        )
        assert agent.recall("how much is the rent?", session=OWN).hits[0].chunk.path == "MEMORY.md"


def test_two_memories_that_are_marked_as_disagreeing_are_said_to(agent: Agent) -> None:
    one, other = agent.remember("The rent is 900 euros a month"), agent.remember("The rent is 950 euros a month")
    conflict = (
        f"# Conflicts\n\n## 2026-02-04 13:00 UTC <!--os 0000000001 between={one.entry},{other.entry}-->\n\nRent.\n"
    )
    agent.files.put("CONFLICTS.md", conflict.encode())
    assert agent.recall("how much is the rent?", session=OWN).answer == "conflicting"
    agent.files.put("CONFLICTS.md", conflict.replace("between=", "status=settled between=").encode())
    assert agent.recall("how much is the rent?", session=OWN).answer != "conflicting"


def test_a_question_finds_what_was_said_in_another_language(agent: Agent) -> None:
    english = ("The dentist is in Mill Road", "My sister works as a nurse", "The boiler was repaired in May")
    others = (
        "我家的猫叫团子，是只橘猫",
        "妈妈住在台南，一个人",
        "公司的服务器在法兰克福",
        "娘の誕生日は三月二十二日です",
    )
    for fact in (*english, *others):
        agent.remember(fact)
    for question, answer in (
        ("what is our cat called?", "团子"),
        ("where does my mother live?", "台南"),
        ("in which city is the server?", "法兰克福"),
        ("when is my daughter's birthday?", "三月"),
        ("牙医在哪里？", "Mill Road"),
        ("姉妹の仕事は何ですか", "nurse"),
    ):
        assert answer in first(agent, question), question
    assert "Mill Road" in first(agent, "where is the dentist?")


def test_a_day_that_is_named_does_not_outvote_what_was_told_of_it_on_the_next(agent: Agent) -> None:
    said = ("The kettle leaks", "I moved the rehearsal to four", "The parcel from Oslo is here", "We are out of ink")
    for hour, text in enumerate(said):
        agent.hear(text, session=OWN, time=NOON - timedelta(days=6, hours=hour))
    agent.hear("Supper at the Heron was lovely", session=OWN, time=NOON - timedelta(days=5))
    for number in range(6):
        agent.hear(f"Call {number} about the budget", session=OWN, time=NOON - timedelta(days=1, hours=number))
    assert first(agent, "where did I have supper last Thursday?").startswith("Supper at the Heron")


def test_a_relative_date_counts_from_when_it_is_asked(agent: Agent) -> None:
    for day, place in ((3, "the lake"), (10, "the castle"), (17, "the museum"), (24, "the harbour")):
        agent.hear(f"We went to {place} with the children", session=OWN, time=datetime(2026, 1, day, 12, tzinfo=UTC))

    def asked_on(day: int) -> str:
        found = agent.recall("where did we go yesterday?", session=OWN, asked=datetime(2026, 1, day, 9, tzinfo=UTC))
        return found.hits[0].chunk.text

    assert "the castle" in asked_on(11)
    assert "the harbour" in asked_on(25)
    naive = agent.recall("where did we go yesterday?", session=OWN, asked=datetime(2026, 1, 18, 9))  # noqa: DTZ001 - it counts as the agent's time
    assert "the museum" in naive.hits[0].chunk.text


@pytest.mark.parametrize("year", [1, 999, 9999])
def test_a_time_that_is_too_far_away_is_refused(agent: Agent, year: int) -> None:
    agent.remember("The cat is called Mia")
    with pytest.raises(BadInput, match="too far in the past or the future"):
        agent.recall("what did we do yesterday?", session=OWN, asked=datetime(year, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 12), ("America/Los_Angeles", 3), ("Pacific/Auckland", 22)])
def test_a_day_begins_where_the_agent_lives(tmp_path: Path, zone: str, hour: int) -> None:
    (tmp_path / "config.yaml").write_text(f"timezone: {zone}\n")
    with open_home(tmp_path, {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        local = [datetime(2026, 1, day, 20 if hour == 3 else 9, tzinfo=agent._parts.zone) for day in (12, 13, 14, 15)]
        for time, place in zip(local, ("the lake", "the castle", "the museum", "the harbour"), strict=True):
            agent.hear(f"We were at {place}", session=OWN, time=time)
        asked = datetime(2026, 1, 15, 22, tzinfo=agent._parts.zone)
        hits = agent.recall("what happened yesterday?", session=OWN, asked=asked).hits
        assert hits[0].chunk.text == "We were at the museum"


def test_a_question_that_names_nothing_but_a_day_is_answered_by_that_day(agent: Agent, clock: FrozenClock) -> None:
    clock.advance(datetime(2026, 11, 14, tzinfo=UTC) - NOON)
    for day, text in (
        (6, "周五我们去爬山了"),
        (8, "I said that the yesterday song is great"),
        (13, "Bought a lamp and a rug"),
    ):
        agent.hear(text, session=OWN, time=datetime(2026, 11, day, 12, tzinfo=UTC))

    def told(question: str, day: int) -> str:
        return agent.recall(question, session=OWN, asked=datetime(2026, 11, day, 9, tzinfo=UTC)).hits[0].chunk.text

    assert told("what did I say yesterday?", 14) == "Bought a lamp and a rug"
    assert told("昨天说了什么", 14) == "Bought a lamp and a rug"
    assert told("what happened last Friday?", 12) == "周五我们去爬山了"


def test_what_is_a_message_and_a_memory_too_comes_once_before_the_rest(agent: Agent) -> None:
    agent.hear("Our landlord Meier wants the rent on the third", session=OWN, sender="Nora", time=NOON)
    agent.remember("Our landlord Meier wants the rent on the third")
    agent.remember("The rent is 900 francs")
    agent.remember("The rent is not 900 francs")
    for sender in ("Ann", "Bob", "Carla"):
        agent.hear("I would like the vegetarian menu please", session=DEV, sender=sender, time=NOON)
    texts = [hit.chunk.text for hit in agent.recall("when does the landlord want the rent?", session=OWN, limit=3).hits]
    assert sum("Meier" in text for text in texts) == 1
    assert {"The rent is 900 francs", "The rent is not 900 francs"} <= {text.partition(" (added")[0] for text in texts}
    every = agent.recall("when does the landlord want the rent?", session=OWN, limit=50).hits
    assert sum("Meier" in hit.chunk.text for hit in every) == 2, "nothing is left out"
    menu = agent.recall("who would like the vegetarian menu?", session=OWN, limit=3).hits
    assert {hit.chunk.speaker for hit in menu} == {"Ann", "Bob", "Carla"}


def test_a_message_that_says_more_than_the_memory_made_of_it_stands_in_its_place(agent: Agent) -> None:
    said = "The only tea that helps is the one from Sarnau. Please remind me to reorder it on Mondays."
    agent.hear(said, session=OWN, sender="Nora", time=NOON)
    agent.remember("reorder it on Mondays")
    agent.hear("Mondays are long", session=OWN, sender="Nora", time=NOON)
    hits = agent.recall("what do I reorder on Mondays?", session=OWN, limit=3).hits
    assert hits[0].chunk.text == said
    assert [hit.chunk.text.partition(" (added")[0] for hit in hits].count("reorder it on Mondays") == 1


def told(agent: Agent, question: str, session: Session = OWN) -> list[str]:
    return [hit.chunk.text.partition(" (added")[0] for hit in agent.recall(question, session=session, limit=6).hits]


def test_of_what_one_person_said_of_the_same_thing_the_newest_comes_first_and_the_rest_is_marked(
    agent: Agent, clock: FrozenClock
) -> None:
    clock.advance(timedelta(days=9))
    said = ("The fencing club meets in the old gym hall", "The fencing club meets in the new sports hall")
    for day, text in enumerate(said):
        agent.hear(text, session=Session.group("dev", id=f"talk {day}"), sender="Nora", time=NOON + timedelta(days=day))
    found = agent.recall("where does the fencing club meet, in which hall?", session=DEV).hits
    assert [hit.chunk.text for hit in found[:2]] == [said[1], said[0]]
    assert [hit.earlier for hit in found[:2]] == [False, True]
    agent.hear("The fencing club meets in the old gym hall", session=DEV, sender="Ben", time=NOON - timedelta(days=1))
    again = agent.recall("where does the fencing club meet, in which hall?", session=DEV).hits
    assert not next(hit for hit in again if hit.chunk.speaker == "Ben").earlier, "another person's word is their own"


def test_what_was_said_later_of_something_else_does_not_come_before_the_answer(
    agent: Agent, clock: FrozenClock
) -> None:
    clock.advance(timedelta(days=9))
    said = (
        "My grandmother's recipe for plum cake needs a kilo of plums",
        "The plums at the market were cheap today",
        "I had cake at the office, somebody's birthday",
        "Now I bake my grandmother's plum cake with half a kilo of plums",
    )
    for day, text in enumerate(said[:3]):
        agent.hear(text, session=Session.dm(id=f"day {day}"), time=NOON + timedelta(days=day))
    asked = "how many plums does the recipe for my grandmother's cake need?"
    assert agent.recall(asked, session=OWN).hits[0].chunk.text == said[0]
    agent.hear(said[3], session=Session.dm(id="day 3"), time=NOON + timedelta(days=3))
    assert agent.recall(asked, session=OWN).hits[0].chunk.text == said[3], "what is newer about the same comes first"


def test_the_diary_does_not_repeat_a_message_beside_it(agent: Agent) -> None:
    told = ("The spare key hangs behind the meter.", "The spare key of the shed hangs in the pantry!")
    for text in told:
        agent.hear(text, session=OWN)
    agent.talk.end(OWN)
    for day in range(8):
        agent.hear(f"Somebody asked me about key number {day} of the hotel", session=Session.dm(id=f"later {day}"))
    found = [hit.chunk.text for hit in agent.recall("where does the spare key hang?", session=OWN, limit=5).hits]
    assert [sum(text.rstrip(".!") in each for each in found) for text in told] == [1, 1]


def test_in_a_private_conversation_my_means_whoever_asks(agent: Agent) -> None:
    other = Session.dm("acct:9", rooms=frozenset({"dev"}))
    agent.hear(
        "The bike with the green saddle stands in the yard",
        session=DEV,
        sender="Nora",
        subject=str(OWN.subject),
        time=NOON,
    )
    agent.hear(
        "The bike with the green saddle stands in the cellar", session=DEV, sender="Ben", subject="acct:9", time=NOON
    )
    assert "yard" in told(agent, "where is my bike with the green saddle?")[0]
    assert "cellar" in told(agent, "where is my bike with the green saddle?", other)[0]


def test_a_question_finds_what_was_said_in_another_language_where_there_is_nothing_else(agent: Agent) -> None:
    for fact in ("我家的猫叫团子，是只橘猫", "妈妈住在台南，一个人", "公司的服务器在法兰克福", "牙医在磨坊路"):
        agent.remember(fact)
    assert "团子" in first(agent, "what is our cat called?")
    assert "法兰克福" in first(agent, "where is the company's server?")


def test_a_correction_that_quotes_an_entry_as_it_stands_hides_it(agent: Agent) -> None:
    agent.remember("The dentist is in Bern near the station")
    line = next(x for x in (agent.files.show("MEMORY.md").data or b"").decode().splitlines() if "dentist" in x)
    was = line.removeprefix("- ").partition(" <!--")[0]
    assert "(added 2026-02-04)" in was
    block = f"# Corrections\n\n## 2026-02-05 10:00 UTC\n\n**Was:** {was}\n**Correct:** The dentist has moved to Basel\n"
    agent.files.put("CORRECTIONS.md", block.encode())
    assert not any("Bern" in hit.chunk.text for hit in agent.recall("where is the dentist?", session=OWN).hits)


def test_which_of_two_logs_is_the_later_one_is_seen_at_once(agent: Agent) -> None:
    def log(day: int, wrong: str, right: str) -> bytes:
        values = f"**Wrong value:** {wrong}\n**Right value:** {right}\n"
        return (
            f"# Corrections\n\n## 2026-02-0{day} 10:00 UTC\n\n**Correct:** The dentist is in {right}\n{values}".encode()
        )

    agent.remember("The dentist is in Bern")
    one, other = log(5, "Bern", "Basel"), log(5, "Basel", "Bern")
    for first_log, second_log, hidden in ((one, other, False), (other, one, True)):
        agent.files.put("Archive/Corrections/2026-01.md", first_log)
        agent.files.put("CORRECTIONS.md", second_log)
        found = agent.recall("where is the dentist?", session=OWN, sources=("memory",)).hits
        assert any(hit.chunk.path == "MEMORY.md" for hit in found) is not hidden


def test_the_only_memory_there_is_scores_by_what_it_says(agent: Agent) -> None:
    agent.remember("The cat is called Miso")
    (fits,) = agent.recall("what is the cat called?", session=OWN).hits
    (strays,) = agent.recall("who repaired the boiler?", session=OWN, minimum=0.0).hits
    assert fits.score > 0.5 > strays.score


@pytest.mark.parametrize(
    "question",
    [
        "when do we deploy?",
        "when do we deploy",
        "What is the door code?",
        "Who will water the plants?!",
        "wann ist der Umzug?",
        "wann ist der Umzug",
        "¿cuándo es la mudanza?",
        "我们什么时候部署？",
        "いつデプロイしますか",
        "متى ننشر التطبيق؟",
    ],
)
def test_a_question_that_was_only_asked_before_is_not_found_and_comes_after_what_states_something(
    agent: Agent, question: str
) -> None:
    for number in range(8):
        agent.hear(f"The garden needs water, {number} litres a day", session=OWN)
    agent.hear(question, session=OWN)
    agent.hear("I do not know.", session=OWN, role="assistant")
    agent.hear(question.upper(), session=OWN)
    assert not any(hit.chunk.text == question for hit in agent.recall(question, session=OWN, limit=20).hits)
    found = agent.recall(question, session=OWN, limit=20, minimum=0.0)
    asked = [hit.chunk.text.casefold() == question.casefold() for hit in found.hits]
    assert found.answer in ("unsure", "unknown")
    assert asked == sorted(asked)
    assert sum(asked) >= 1


def test_what_is_stated_beside_the_same_question_is_found_as_if_nobody_had_asked(agent: Agent) -> None:
    agent.hear("when do we deploy?", session=DEV, sender="Ann", subject="acct:7")
    agent.hear("We deploy on Fridays at noon.", session=DEV, sender="Ben", subject="acct:8")
    agent.hear(
        "Did Ann want us to deploy? We deploy from the main branch.", session=DEV, sender="Ben", subject="acct:8"
    )
    found = agent.recall("when do we deploy?", session=DEV)
    assert found.answer == "found"
    texts = [hit.chunk.text for hit in found.hits]
    assert (texts[0], texts[-1]) == ("We deploy on Fridays at noon.", "when do we deploy?")


def test_what_is_not_about_the_question_is_not_handed_over_unless_a_minimum_is_named(agent: Agent) -> None:
    agent.remember("The cat is called Miso")
    agent.remember("The spare key hangs behind the meter")
    found = agent.recall("who won the cup?", session=OWN)
    assert (found.answer, found.hits) == ("unknown", ())
    assert agent.recall("who won the cup?", session=OWN, minimum=0.0).hits
    hits = agent.recall("where does the spare key hang?", session=OWN).hits
    assert [hit.chunk.text.partition(" (added")[0] for hit in hits] == ["The spare key hangs behind the meter"]
    assert hits[0].about > 0.5


def test_a_message_that_states_something_and_asks_something_else_is_found(agent: Agent) -> None:
    for number in range(8):
        agent.hear(f"The garden needs water, {number} litres a day", session=OWN)
    told = "My flight to Lyon is on 4 May at 9:40, can you check the gate?"
    agent.hear(told, session=OWN)
    hits = agent.recall("when is my flight to Lyon?", session=OWN).hits
    assert hits[0].chunk.text == told


def test_a_question_is_no_answer_to_itself_and_links_are_none(agent: Agent) -> None:
    agent.hear("where do we meet on Saturday?", session=DEV, sender="Ben", time=NOON)
    agent.hear("at the west gate, half past nine", session=DEV, sender="Lin", time=NOON + timedelta(minutes=1))
    agent.files.put(
        "memory/2026-02-03.md", b"# 2026-02-03\n\n[Previous day](2026-02-02.md) [Next day](2026-02-04.md)\n"
    )
    hits = agent.recall("where do we meet on Saturday?", session=OWN).hits
    assert hits[0].chunk.text == "at the west gate, half past nine"
    assert not any("Previous day" in hit.chunk.text for hit in hits)


def test_what_people_said_comes_before_what_the_agent_answered(agent: Agent) -> None:
    def told(role: str, text: str) -> None:
        agent.hear(text, session=OWN, role=role, time=NOON)

    told("user", "Paid 78 dollars for an oil change on the Subaru this morning. Is a transmission flush worth it?")
    told(
        "assistant",
        "For a Subaru of that age an oil change matters most. A transmission flush costs money and is seldom due.",
    )
    told("user", "I can't stand big hotels, I like small guesthouses with a balcony. Where could we sleep in Porto?")
    told(
        "assistant",
        "In Porto I would sleep in Cedofeita: the Casa Miragaia is a small guesthouse with a balcony, not a hotel.",
    )
    assert first(agent, "How much money did I spend on the oil change of my Subaru?").startswith("Paid 78")
    assert first(agent, "Can you recommend a place to sleep in Lisbon?").startswith("I can't stand")
    assert first(agent, "Which guesthouse in Porto did you recommend?").startswith("In Porto I would")
    assert first(agent, "Have you noted what I paid for the oil change?").startswith("Paid 78")


def test_chinese_and_japanese_are_found_by_words_and_by_meaning(agent: Agent) -> None:
    facts = (
        "我家的猫叫团子，是只橘猫",
        "会议改到星期四下午三点",
        "公司的服务器在法兰克福",
        "私の犬の名前はポチです",
        "The cat likes 牛奶 and fish",
    )
    for fact in facts:
        agent.remember(fact)
    for question, answer in (
        ("我的猫叫什么名字？", "团子"),
        ("会议是什么时候？", "星期四"),
        ("服务器在哪里？", "法兰克福"),
        ("犬の名前は？", "ポチ"),
        ("谁喜欢牛奶", "牛奶"),
    ):
        assert answer in " ".join(hit.chunk.text for hit in agent.recall(question, session=OWN, limit=2).hits)


def test_filters_restrict_and_limits_hold(agent: Agent) -> None:
    agent.remember("Tea is in the cupboard", tag="knowledge")
    agent.remember("We decided to drink tea", tag="decision")
    agent.hear("I like tea with milk", session=DEV, sender="Bob", subject="acct:9", time=NOON - timedelta(days=9))

    def found(**only: Any) -> set[str]:
        return {hit.chunk.text for hit in agent.recall("tea", session=OWN, limit=50, **only).hits}

    assert len(found()) == 3
    assert found(sources=("sessions",)) == {"I like tea with milk"}
    assert found(room="dev") == {"I like tea with milk"}
    assert found(person="acct:9") == {"I like tea with milk"}
    assert found(until=NOON - timedelta(days=5)) == {"I like tea with milk"}
    assert {text[:10] for text in found(tag="decision")} == {"We decided"}
    assert len(agent.recall("tea", session=OWN, limit=1).hits) == 1
    with pytest.raises(BadInput):
        agent.recall("  ", session=OWN)


def test_search_can_be_switched_off_and_works_by_words_alone(tmp_path: Path) -> None:
    for config, works in (("enabled: false", False), ("provider: none", True), ("sources: [memory]", True)):
        home = tmp_path / config.split(":")[0]
        home.mkdir()
        (home / "config.yaml").write_text(f"memory: {{search: {{{config}}}}}\n")
        with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
            agent = soul.agent()
            agent.remember("The cat is called Mia")
            agent.hear("The dog is called Rex", session=OWN)
            if not works:
                with pytest.raises(Refused, match="turned off"):
                    agent.recall("cat", session=OWN)
            else:
                assert "Mia" in first(agent, "what is the cat called?")
                heard = [hit for hit in agent.recall("dog Rex", session=OWN).hits if "Rex" in hit.chunk.text]
                assert bool(heard) == (config != "sources: [memory]")


def test_a_lost_or_damaged_index_is_made_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_home(home, {}) as soul:
        soul.agent().remember("The cat is called Mia")
        assert "Mia" in first(soul.agent(), "cat")
    index = home / "cache/index/main.db"
    for damage in (b"", b"garbage" * 1000, index.read_bytes()[:-3000]):
        index.write_bytes(damage)
        for ending in ("-wal", "-shm"):
            (home / f"cache/index/main.db{ending}").unlink(missing_ok=True)
        with open_home(home, {}) as soul:
            assert "Mia" in first(soul.agent(), "cat")
    index.unlink()
    with open_home(home, {}) as soul:
        assert "Mia" in first(soul.agent(), "cat")


def test_one_endless_word_stalls_nothing_and_a_file_called_chat_is_a_file(agent: Agent, tmp_path: Path) -> None:
    agent.hear("x" * 200_000 + " and the word pelican", session=OWN)
    notes = tmp_path / "home/workspace/main/chat/notes.md"
    notes.parent.mkdir()
    notes.write_text("- the pelican of the harbour\n")
    assert {hit.chunk.path for hit in agent.recall("pelican", session=OWN).hits} >= {"chat/notes.md"}
    assert agent._parts.recaller.sync() == 0
    notes.unlink()
    agent._parts.recaller.sync()
    assert "chat/notes.md" not in {hit.chunk.path for hit in agent.recall("pelican", session=OWN).hits}
    assert agent.recall("y" * 100_000, session=OWN, minimum=0.0).hits


def test_a_provider_without_its_key_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("memory: {search: {provider: openai}}\n")
    with open_home(tmp_path / "home", {}) as soul:
        soul.agent().remember("The cat is called Mia")
        found = soul.agent().recall("cat", session=OWN)
        assert found.hits
        assert "OPENAI_API_KEY" in found.notes[0]


def test_what_is_recalled_counts_as_used(agent: Agent, soul: Oldsoul) -> None:
    made = agent.remember("The cat is called Mia")
    agent.recall("cat", session=OWN)
    assert soul._home.usage.reuse("main", [made.entry])[made.entry].sessions == 1


def test_our_own_templates_are_nobodys_memory(agent: Agent) -> None:
    agent.remember("The cat is called Mia")
    for question in ("what is the name of the operator?", "what should still be known in a month?", "time zone"):
        assert [hit.chunk.text for hit in agent.recall(question, session=OWN).hits][1:] == []


def test_what_is_forgotten_is_gone_from_the_index_file_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
        agent = soul.agent()
        made = agent.remember("The vault opens with the word xylophonist")
        heard = agent.hear("my other secret word is quetzalcoatlus", session=OWN)
        agent.recall("vault word", session=OWN)
        assert b"xylophonist" in b"".join(
            file.read_bytes() for file in (home / "cache/index").iterdir() if file.is_file()
        )
        agent.forget(made.name, made.entry)
        agent.talk.forget_message(heard.message.id)
        hits = agent.recall("xylophonist quetzalcoatlus secret word of the vault", session=OWN, limit=50).hits
        assert all("xylophonist" not in hit.chunk.text and "quetzal" not in hit.chunk.text for hit in hits)
    for file in (home / "cache").rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        assert b"xylophonist" not in data
        assert b"quetzalcoatlus" not in data


def test_sources_leave_out_what_they_do_not_name_and_it_leaves_the_index(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for search, expected in (
        ("sources: [memory, sessions]", {"memory", "sessions"}),
        ("sources: [memory]", {"memory"}),
        ("sources: [sessions]", {"sessions"}),
        ("sources: []", set()),
        ("sources: [memory, sessions]", {"memory", "sessions"}),
    ):
        (home / "config.yaml").write_text(f"memory: {{search: {{provider: none, {search}}}}}\n")
        with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
            agent = soul.agent()
            if not agent._parts.log.sessions():
                agent.remember("The zebra of the file")
                agent.hear("The zebra of the talk", session=OWN)
            hits = agent.recall("zebra", session=OWN, limit=50).hits
            assert {hit.chunk.source for hit in hits} == expected
            state = agent.index.status().state
            assert (state.documents > 0, state.conversations > 0) == ("memory" in expected, "sessions" in expected)
            assert state.waiting == 0


def test_what_stands_in_an_archive_comes_after_what_does_not(agent: Agent) -> None:
    for path in ("Archive/Memory/old.md", "notes.md"):
        file = Path(agent._parts.home.world.places.folder("main")) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("- The ferry to the island leaves at seven\n")
    hits = agent.recall("when does the ferry to the island leave?", session=OWN).hits
    assert [hit.chunk.path for hit in hits[:2]] == ["notes.md", "Archive/Memory/old.md"]
    assert hits[1].why["archived"] < 0
    assert hits[1].score < hits[0].score


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("The Wi-Fi key is on the fridge", "where is the wifi key?"),
        ("The wifi key is on the fridge", "where is the Wi-Fi key?"),
        ("Send every e-mail in plain text", "how do we send email?"),
        ("The login is by card", "how do we log-in?"),
        ("The check-in closes at nine", "when does the checkin close?"),
    ],
)
def test_a_word_is_found_with_its_hyphen_and_without(agent: Agent, written: str, asked: str) -> None:
    for text in (
        "The spare key is in the shed",
        "The hours stand in a book",
        "We do in plain text",
        "The shop closes at six",
    ):
        agent.remember(text)
    agent.remember(written)
    found = agent.recall(asked, session=OWN)
    assert found.hits[0].chunk.text.startswith(written)
    assert found.notes == ()


def test_lines_of_a_note_lean_on_those_beside_them_up_to_the_heading_and_memories_do_not(tmp_path: Path) -> None:
    lines = "- We take the small car in Porto\n- 40 euros a day\n\n{}- 90 euros a day\n- Breakfast is at nine\n"

    def covered(name: str, between: str) -> tuple[float, float]:
        home = tmp_path / f"{name}{bool(between)}".replace("/", "_")
        (home / "workspace/main/memory").mkdir(parents=True)
        (home / "config.yaml").write_text("timezone: UTC\n")
        (home / "workspace/main" / name).write_text("# Trip\n\n" + lines.format(between))
        with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
            question = "what do we pay for the small car in Porto?"
            hits = soul.agent().recall(question, session=OWN, minimum=0.0).hits
        shares = {hit.chunk.text: hit.why.get("coverage", 0.0) for hit in hits}
        return shares["40 euros a day"], shares["90 euros a day"]

    alone, other = covered("MEMORY.md", "")
    assert alone == other
    near, far = covered("memory/trip.md", "")
    assert near > far > alone
    assert covered("memory/trip.md", "## Later\n\n") == (near, alone)


def test_days_at_the_ends_of_the_calendar_do_no_harm(tmp_path: Path) -> None:
    for zone in ("Asia/Tokyo", "America/Los_Angeles", "UTC"):
        home = tmp_path / zone.replace("/", "_")
        (home / "workspace/main/memory").mkdir(parents=True)
        (home / "config.yaml").write_text(f"timezone: {zone}\n")
        for name, heading in (
            ("memory/2026-01-20.md", "9999-12-31 23:30 UTC Perpetual"),
            ("memory/2026-01-21.md", "0001-01-01 00:30 UTC Zero"),
            ("memory/2026-01-22.md", "0001-01-01 Zero"),
            ("notes.md", "9999-12-31 End"),
        ):
            (home / "workspace/main" / name).write_text(f"# Days\n\n## {heading}\n\n- The key is under the mat\n")
        with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
            agent = soul.agent()
            agent.remember("The key is in the shed")
            assert agent.recall("where is the key?", session=OWN).hits
            assert agent.context("where is the key?", session=OWN)


def test_whoever_asks_first_does_not_decide_what_is_unknown(tmp_path: Path) -> None:
    said = []
    for order in ((OWN, DEV), (DEV, OWN)):
        home = tmp_path / order[0].id.replace(":", "_")
        (home / "workspace/main/rooms").mkdir(parents=True)
        (home / "config.yaml").write_text("timezone: UTC\n")
        things = ("fence", "boiler", "printer", "router", "kettle", "window", "sofa", "mower", "piano", "roof")
        (home / "workspace/main/house.md").write_text("".join(f"- The {each} was repaired by Lee\n" for each in things))
        (home / "workspace/main/rooms/dev.md").write_text("# dev\n\n- The build is green\n")
        with open_home(home, {}, clock=FrozenClock(NOON)) as soul:
            agent = soul.agent()
            asked = ("what is my blood type?", "which airline did we fly with?", "is the build green?")
            answers = {session.id: [agent.recall(each, session=session).answer for each in asked] for session in order}
        said.append(answers)
    assert said[0] == said[1]


@pytest.mark.parametrize("limit", [0, -1])
def test_no_results_and_fewer_than_none_cannot_be_asked_for(agent: Agent, limit: int) -> None:
    agent.remember("The cat is called Mia")
    with pytest.raises(BadInput, match="at least 1"):
        agent.recall("cat", session=OWN, limit=limit)


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("गाँव का विद्यालय पहाड़ी पर है", "विद्यालय"),
        ("আমার বিড়ালের নাম মিনি", "বিড়ালের"),
        ("என் பூனையின் பெயர் மினி", "பூனையின்"),
        ("แมวของฉันชื่อมีนี่", "ชื่อ"),
    ],
)
def test_words_with_vowel_signs_are_found_whole(agent: Agent, fact: str, question: str) -> None:
    for other in ("गिलास वहाँ दया लय", "আর কব লর নম", "என பன ப யர மன", "มวฉนชอ"):  # the same letters without their signs
        agent.remember(other)
    agent.remember(fact)
    assert fact in first(agent, question)
