"""The recall validator on a real home: at once, once, everywhere it must, and nowhere else."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.app.keepers import correction_checks
from oldsoul.errors import BadInput, Refused
from oldsoul.judging.corrections import values
from oldsoul.judging.corrections.corrections import Correction, in_force, same_thing
from oldsoul.judging.corrections.hidden import is_against, without_wrong
from oldsoul.judging.corrections.values import FirstLook, holds, swapped
from oldsoul.language.sentences import sentences
from oldsoul.reading.typed_values import Value, typed_values
from oldsoul.testing import FrozenClock, ScriptedModel
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Replace, Role
from oldsoul.values.names import Name, longterm, profile
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from talk_bench import talk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Agent

DM = Session.dm(id="own")
MEMORY = Name("main", "MEMORY.md")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 2, 4, 10, 0, tzinfo=UTC))


@pytest.fixture
def agent(tmp_path: Path, clock: FrozenClock) -> Iterator[Agent]:
    with open_home(tmp_path / "home", {}, clock) as soul:
        yield soul.agent()


def texts(agent: Agent, question: str, session: Session = DM) -> list[str]:
    return [hit.chunk.text for hit in agent.recall(question, session=session, limit=10).hits]


def asserted(found: list[str], wrong: str, right: str) -> list[str]:
    """The texts that say what is wrong, and do not name what is right."""
    return [text for text in found if wrong in text and right not in text]


def exchange(agent: Agent, clock: FrozenClock, said: str, reply: str, session: Session = DM) -> None:
    clock.advance(timedelta(minutes=1))
    agent.hear(said, session=session, role="assistant")
    clock.advance(timedelta(seconds=5))
    agent.hear(reply, session=session, sender="Nora", subject="acct:owner")


# at once


def test_a_correction_holds_before_anybody_replies(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("Jonas is seven and likes trains")
    exchange(agent, clock, "So Jonas, seven, swims on Tuesdays.", "he's six, not seven!")
    found = texts(agent, "how old is Jonas?")
    assert any("six" in text for text in found)
    assert not asserted(found, "seven", "six")
    (one,) = correction_checks.standing(agent._parts)
    assert (one.old, one.new, one.embedded) == ("seven", "six", True)
    assert [problem for _, problem in correction_checks.checked(agent._parts)] == [""]


def test_of_what_says_other_things_too_only_the_wrong_sentence_goes(agent: Agent, clock: FrozenClock) -> None:
    agent.hear("That is gustav, the server under the stairs. It runs Debian 12.", session=DM, sender="Nora")
    exchange(agent, clock, "So gustav runs Debian 12.", "Debian 13, not Debian 12!")
    found = texts(agent, "what is gustav?")
    assert any("server under the stairs" in text for text in found)
    assert not asserted(found, "Debian 12", "Debian 13")


def test_what_is_said_later_is_found_whatever_was_corrected_before(agent: Agent, clock: FrozenClock) -> None:
    exchange(agent, clock, "Jonas is seven.", "he's six, not seven!")
    clock.advance(timedelta(days=300))
    agent.hear("Jonas is seven years old since Monday", session=DM, sender="Nora")
    assert any("seven" in text for text in texts(agent, "how old is Jonas?"))


def test_a_message_that_is_looked_at_again_corrects_nothing_again(agent: Agent, clock: FrozenClock) -> None:
    exchange(agent, clock, "Jonas is seven.", "he's six, not seven!")
    before = agent.files.show("CORRECTIONS.md").data
    agent.run("recall-validator")
    agent.run("recall-validator")
    assert agent.files.show("CORRECTIONS.md").data == before


def test_by_command_a_value_is_put_right_and_a_statement_needs_its_value(agent: Agent) -> None:
    agent.remember("our vet is Dr. Brandt")
    agent.correct("our vet is Dr. Okafor", wrong="Brandt", right="Okafor")
    assert "our vet is Dr. Okafor (added" in agent.files.show("MEMORY.md").data.decode()  # type: ignore[union-attr]
    with pytest.raises(BadInput, match="which value in the statement is the right one"):
        agent.correct("our vet is Dr. Okafor", wrong="Brandt")
    assert agent.correct("Jonas is six", wrong="seven").done


# whose it is


def test_what_was_said_alone_corrects_a_room_by_hiding_and_never_by_words(agent: Agent, clock: FrozenClock) -> None:
    room = Session.group("dev", id="r")
    agent.hear("Remember that the launch is on May 4", session=room, sender="Ann", subject="acct:7")
    agent.run("memory-miner")
    exchange(agent, clock, "The launch is on May 4.", "the launch is on June 9, not May 4, a secret")
    text = (agent.files.show("rooms/dev.md").data or b"").decode()
    assert "June" not in text
    assert not any("June" in found or "secret" in found for found in texts(agent, "when is the launch?", room))


FLAT = Session.group("flat", id="r")


def rent(agent: Agent, clock: FrozenClock) -> None:
    """A room was told a rent, which the operator then puts right alone."""
    said = "Remember that the rent for the flat is 1450 euros a month"
    agent.hear(said, session=FLAT, sender="Ann", subject="acct:7")
    said = "Dinner is at eight. The rent for the flat is 1450 euros, by the way."
    agent.hear(said, session=FLAT, sender="Bo", subject="acct:8")
    agent.run("memory-miner")
    agent.talk.end(FLAT)
    clock.advance(timedelta(days=1))
    agent.correct("the rent for the flat is 1390 euros", wrong="1450 euros")


def test_what_a_room_was_told_is_hidden_there_in_its_entries_and_its_messages_alike(
    agent: Agent, clock: FrozenClock
) -> None:
    rent(agent, clock)
    question = "what is the rent for the flat?"
    found = texts(agent, question, FLAT)
    assert "Dinner is at eight." in found
    told = agent.context(question, session=FLAT).block
    assert "Dinner is at eight" in told
    for text in (*found, told, agent.memory.load_room_context("flat")):
        assert "1450" not in text
        assert "1390" not in text
    assert any("1390 euros" in text for text in texts(agent, question))


def test_what_a_room_says_after_a_correction_made_alone_is_found_there_so_that_nobody_can_try_values_out(
    agent: Agent, clock: FrozenClock
) -> None:
    rent(agent, clock)
    clock.advance(timedelta(minutes=1))
    guesses = [f"Remember that the rent for the flat is 1450 euros, or {sum_} euros" for sum_ in (1390, 1400)]
    for guess in (*guesses, "Remember that the rent for the flat is 1450 euros"):
        agent.hear(guess, session=FLAT, sender="Ann", subject="acct:7")
    for mined in (False, True):
        if mined:
            agent.run("memory-miner")
        found = texts(agent, "what is the rent for the flat?", FLAT)
        seen = [any(guess.removeprefix("Remember that ") in text for text in found) for guess in guesses]
        assert seen == [True, True]
    assert not any("1450 euros a month" in text for text in found)


def test_a_rooms_memory_takes_in_what_was_put_right_alone_like_anything_else(agent: Agent, clock: FrozenClock) -> None:
    rent(agent, clock)
    clock.advance(timedelta(minutes=1))
    tried = [f"the rent for the flat is {sum_} euros" for sum_ in (1380, 1390, 1450, 1460)]
    tried += [f"the rent for the flat was 1450 euros and then {sum_} euros" for sum_ in (1380, 1390)]
    for guess in tried:
        agent.hear(f"Remember that {guess}", session=FLAT, sender="Ann", subject="acct:7")
    agent.run("memory-miner")
    kept = (agent.files.show("rooms/flat.md").data or b"").decode()
    assert [guess for guess in tried if guess not in kept] == []


def test_of_what_a_room_said_before_nothing_tells_the_value_that_was_put_right_alone(
    agent: Agent, clock: FrozenClock
) -> None:
    before = [f"The rent for the flat is 1450 euros, or {sum_} euros" for sum_ in (1380, 1390, 1400)]
    for said in before:
        agent.hear(said, session=FLAT, sender="Ann", subject="acct:7")
    clock.advance(timedelta(days=1))
    rent(agent, clock)
    found = texts(agent, "what is the rent for the flat?", FLAT)
    assert len({any(said in text for text in found) for said in before}) == 1


def test_a_correction_made_in_one_room_hides_nothing_in_another(agent: Agent, clock: FrozenClock) -> None:
    said = "The rent for the flat is 1450 euros"
    agent.hear(said, session=FLAT, sender="Ann", subject="acct:7")
    clock.advance(timedelta(days=1))
    exchange(agent, clock, said, "it's 1390 euros, not 1450 euros", Session.group("family", id="f"))
    assert any("1450" in text for text in texts(agent, "what is the rent for the flat?", FLAT))


def test_another_persons_own_memory_is_not_touched(agent: Agent, clock: FrozenClock) -> None:
    ann = Session.dm("acct:7", id="ann")
    agent.hear("Remember that I am seven feet tall", session=ann, sender="Ann")
    agent.talk.end(ann)
    before = agent._parts.read(profile("main", "acct:7")).data
    exchange(agent, clock, "Ann is seven feet tall.", "she's six!")
    assert agent._parts.read(profile("main", "acct:7")).data == before
    assert any("seven" in text for text in texts(agent, "how tall am I?", ann))


def own_memory(agent: Agent) -> str:
    return (agent._parts.read(longterm("main", "acct:owner")).data or b"").decode()


def took_in(agent: Agent, text: str, source: str) -> None:
    """The operator's own memory takes in what a message said."""
    author, cited = Author(Role.KEEPER, "session-summarizer"), (Evidence(source, Origin.OPERATOR, OWNER),)
    fields = {"src": source, "seen": f"{agent._parts.today():%Y-%m-%d}"}
    add = Add(longterm("main", "acct:owner"), text, section="Notes", fields=fields)
    agent._parts.home.ledger.apply(ChangeSet((add,), author, "a session ended", f"{source}:{text}", cited))


def piano(agent: Agent, clock: FrozenClock, *, ended: bool) -> str:
    """The operator's own memory after a lesson was remembered and put right, and taken in before or after."""
    heard = agent.hear("Please remember that my piano lesson is every Tuesday", session=DM, sender="Nora")
    source = f"m:{heard.message.id}"
    if ended:
        took_in(agent, "my piano lesson is every Tuesday", source)
    exchange(agent, clock, "Noted: your piano lesson is every Tuesday.", "it's Thursday, not Tuesday")
    if not ended:
        took_in(agent, "my piano lesson is every Tuesday", source)
    return own_memory(agent)


def test_the_operators_own_memory_is_corrected_where_it_stands(agent: Agent, clock: FrozenClock) -> None:
    own = piano(agent, clock, ended=True)
    assert "- my piano lesson is every Thursday" in own
    assert "<!-- was: my piano lesson is every Tuesday" in own
    found = texts(agent, "piano lesson")
    assert any("piano lesson is every Thursday" in text for text in found)
    assert not asserted(found, "Tuesday", "Thursday")
    assert "every Tuesday" not in agent.context("when is my piano lesson?", session=DM).block


def test_what_the_operators_own_memory_takes_in_after_the_correction_is_hidden_then_corrected(
    agent: Agent, clock: FrozenClock
) -> None:
    assert "- my piano lesson is every Tuesday" in piano(agent, clock, ended=False)
    assert not asserted(texts(agent, "piano lesson"), "Tuesday", "Thursday")
    agent.run("recall-validator")
    assert "- my piano lesson is every Thursday" in own_memory(agent)
    assert "every Tuesday" not in agent.context("when is my piano lesson?", session=DM).block
    (one,) = correction_checks.standing(agent._parts)
    agent.memory.withdraw(one.id)
    assert "every Tuesday" in own_memory(agent)


def test_a_memory_and_the_operators_own_that_says_it_too_are_both_corrected(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("my piano lesson is every Tuesday")
    piano(agent, clock, ended=True)
    for name in (MEMORY, longterm("main", "acct:owner")):
        assert "my piano lesson is every Thursday" in (agent._parts.read(name).data or b"").decode()


def test_what_was_remembered_the_night_it_was_corrected_is_hidden_where_it_is_the_next_day(tmp_path: Path) -> None:
    home, clock = tmp_path / "home", FrozenClock(datetime(2026, 2, 4, 23, 30, tzinfo=UTC))
    home.mkdir()
    (home / "config.yaml").write_text("timezone: Europe/Berlin\n", "utf-8")
    with open_home(home, {}, clock) as soul:
        agent = soul.agent()
        assert "seen=2026-02-05" in piano(agent, clock, ended=False)
        assert not asserted(texts(agent, "piano lesson"), "Tuesday", "Thursday")


def test_a_room_the_operator_speaks_in_hides_what_is_wrong_in_their_own_memory(
    agent: Agent, clock: FrozenClock
) -> None:
    agent.hear("Please remember that the choir meets every Tuesday", session=DM, sender="Nora")
    agent.talk.end(DM)
    exchange(
        agent, clock, "The choir meets every Tuesday.", "it's Thursday, not Tuesday", Session.group("choir", id="r")
    )
    assert not asserted(texts(agent, "when does the choir meet?"), "Tuesday", "Thursday")


@pytest.mark.parametrize("role", ["tool", "system", "assistant"])
def test_nobody_but_the_operator_corrects(agent: Agent, clock: FrozenClock, role: str) -> None:
    clock.advance(timedelta(minutes=1))
    agent.hear("Jonas is seven.", session=DM, role="assistant")
    agent.hear("No, it's six, not seven. I already told you.", session=DM, role=role, sender="Nora")
    agent.hear("no, he's six, not seven!", session=Session.dm("acct:7", id="ann"), sender="Nora")
    agent.run("recall-validator")
    assert correction_checks.standing(agent._parts) == []


# keepers may not break one


def test_a_keepers_change_that_says_it_again_is_refused(agent: Agent, clock: FrozenClock) -> None:
    exchange(agent, clock, "Jonas is seven.", "he's six, not seven!")
    evidence = (Evidence("m:1", Origin.OPERATOR, OWNER),)
    author = Author(Role.KEEPER, "memory-miner")
    wrong = ChangeSet((Add(MEMORY, "Jonas is seven years old"),), author, "mined", "k1", evidence)
    fine = ChangeSet((Add(MEMORY, "Jonas has seven marbles and is six"),), author, "mined", "k2", evidence)
    assert "what was corrected" in correction_checks.objection(agent._parts, wrong)
    assert correction_checks.objection(agent._parts, fine) == ""


# with a model


def answer(**more: Any) -> str:
    usual = {"kind": "memory", "quote": "", "correct": "", "old": "", "new": "", "check": ""}
    return json.dumps({**usual, **more})


def test_a_model_says_what_rules_do_not_see_and_must_quote_it() -> None:
    for made, count in (
        (answer(quote="we drive a skoda these days", old="Golf", new="skoda", check="which car?"), 1),
        (answer(quote="we drive a volvo these days", old="Golf", new="volvo"), 0),
        (answer(kind="none"), 0),
        ("{", 0),
    ):
        t = talk(model=ScriptedModel(*[made] * 3))
        t.say(DM, "As you said, the car is a Golf.", role="assistant")
        t.say(DM, "i already told you. we drive a skoda these days", sender="Nora", person="acct:owner")
        t.agent.run("recall-validator")
        named = [one for one in correction_checks.standing(t.agent._parts) if one.old]
        assert len(named) == count


# ordinary talk

ORDINARY = [
    json.loads(line) for line in (Path(__file__).parent / "ordinary_talk.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", ORDINARY, ids=[f"{n}" for n in range(len(ORDINARY))])
def test_what_only_looks_like_a_correction_changes_no_memory(case: dict[str, str]) -> None:
    t = talk()
    t.agent.remember(case["memory"])
    before = t.agent.files.show("MEMORY.md").data
    if case["said"]:
        t.say(DM, case["said"], role="assistant")
    t.say(DM, case["reply"], sender="Nora", person="acct:owner")
    assert t.agent.files.show("MEMORY.md").data == before


@pytest.mark.parametrize(
    ("memories", "said", "reply", "corrected"),
    [
        (
            (
                "The team meeting is on Tuesday",
                "The board meeting is on Tuesday",
                "The football team trains on Tuesday",
            ),
            "The team meeting is on Tuesday.",
            "it's on Thursday, not Tuesday",
            "The team meeting is on Thursday",
        ),
        (
            ("The kitchen lamp costs 40 euros", "The garden lamp costs 40 euros", "The kitchen chair costs 40 euros"),
            "The kitchen lamp costs 40 euros.",
            "it's 45 euros, not 40 euros",
            "The kitchen lamp costs 45 euros",
        ),
        (
            ("My son Leo is 6", "Leo's team has 6 players", "Mia is 6"),
            "Leo is 6.",
            "he's 7, not 6",
            "My son Leo is 7",
        ),
        (
            ("My brother Tom lives in Berlin", "Tom's office is in Berlin", "The Berlin marathon is in September"),
            "Tom lives in Berlin.",
            "it's Hamburg, not Berlin",
            "My brother Tom lives in Hamburg",
        ),
    ],
)
def test_of_several_memories_the_one_that_was_wrong_is_corrected(
    memories: tuple[str, ...], said: str, reply: str, corrected: str
) -> None:
    t = talk()
    for memory in memories:
        t.agent.remember(memory)
    t.say(DM, said, role="assistant")
    t.say(DM, reply, sender="Nora", person="acct:owner")
    lines = [e.text.partition(" (added")[0] for e in t.document(MEMORY).entries if e.form != "prose"]
    assert lines == [corrected, *memories[1:]]


def test_what_is_said_later_is_not_corrected_by_what_was_said_before(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("The team meeting is on Monday")
    exchange(agent, clock, "The team meeting is on Monday.", "it's on Wednesday, not Monday")
    clock.advance(timedelta(days=2))
    agent.remember("From March the team meeting is on Monday")
    agent.run("memory-miner")
    agent.run("recall-validator")
    assert "From March the team meeting is on Monday" in agent.files.show("MEMORY.md").data.decode()  # type: ignore[union-attr]


def test_a_file_that_changed_since_the_last_correction_is_read_again(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("Jonas is seven and likes trains")
    exchange(agent, clock, "So Jonas, seven, swims on Tuesdays.", "he's six, not seven!")
    file = Path(agent._parts.home.world.places.folder(agent.id)) / "MEMORY.md"
    file.write_text(file.read_text("utf-8") + "\n- The team meeting is on Monday\n", "utf-8")
    exchange(agent, clock, "The team meeting is on Monday.", "the team meeting is on Wednesday, not Monday")
    assert "- The team meeting is on Wednesday" in file.read_text("utf-8")
    assert [one.embedded for one in correction_checks.standing(agent._parts)] == [True, True]


def test_of_many_corrections_each_is_noted_by_itself_once_the_index_holds_it(agent: Agent, clock: FrozenClock) -> None:
    blocks = "".join(
        f"\n## 2026-01-0{day} 09:00 UTC\n\n**Correct:** box {day} is red\n**Re-embedded:** false\n" for day in (1, 2)
    )
    agent.files.put("CORRECTIONS.md", f"# Corrections\n{blocks}".encode())
    assert (correction_checks.mark_embedded(agent._parts), correction_checks.mark_embedded(agent._parts)) == (2, 0)
    made = agent._parts.home.world.store.changes(agent.id, limit=2)
    assert [change.key for change in reversed(made)] == [
        f"embedded:{one.id}" for one in correction_checks.standing(agent._parts)
    ]
    clock.advance(timedelta(minutes=1))
    assert any("box 2 is red" in text for text in texts(agent, "which colour has box 2?"))


def test_a_value_may_change_back(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("The team meeting is on Tuesday")
    exchange(agent, clock, "The team meeting is on Tuesday.", "it's on Thursday, not Tuesday")
    clock.advance(timedelta(days=3))
    exchange(agent, clock, "The team meeting is on Thursday.", "it's on Tuesday, not Thursday")
    assert [one.new for one in correction_checks.standing(agent._parts)] == ["Tuesday"]
    assert [one.problem for one in correction_checks.checked(agent._parts)] == [""]
    assert any("Tuesday" in text for text in texts(agent, "when is the team meeting?"))


def test_in_another_persons_own_talk_nothing_is_corrected(agent: Agent, clock: FrozenClock) -> None:
    bob = Session.dm("acct:8", id="bob")
    exchange(agent, clock, "Your hearing BOBSECRET is on Monday.", "it's on Friday, not Monday", bob)
    agent.run("recall-validator")
    assert correction_checks.standing(agent._parts) == []
    assert not any("BOBSECRET" in text for text in texts(agent, "when is the hearing?"))


def test_a_correction_is_withdrawn_in_one_step(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("Jonas is seven")
    before = agent.files.show("MEMORY.md").data
    exchange(agent, clock, "Jonas is seven.", "he's six, not seven!")
    (one,) = correction_checks.standing(agent._parts)
    agent.memory.withdraw(one.id)
    assert agent.files.show("MEMORY.md").data == before
    assert correction_checks.standing(agent._parts) == []
    assert any("seven" in text for text in texts(agent, "how old is Jonas?"))


def test_what_is_forgotten_is_not_in_its_correction_either(agent: Agent, clock: FrozenClock) -> None:
    entry = agent.remember("Jonas is seven").entry
    exchange(agent, clock, "Jonas is seven.", "he's six, not seven!")
    agent.forget(MEMORY, entry)
    assert correction_checks.standing(agent._parts) == []
    assert not any("six" in text for text in texts(agent, "how old is Jonas?"))


def test_a_correction_outweighs_what_others_say_again(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("The boiler code is 4471")
    exchange(agent, clock, "The boiler code is 4471.", "it's 8812, not 4471")
    clock.advance(timedelta(hours=1))
    room = Session.group("team", id="t")
    agent.hear("The boiler code is 4471, I am sure", session=room, sender="Mallory", subject="acct:9")
    agent.hear("The boiler code is 4471.", session=DM, role="assistant")
    found = texts(agent, "what is the boiler code?")
    assert any("8812" in text for text in found)
    assert not asserted(found, "4471", "8812")
    assert any("4471" in text for text in texts(agent, "what is the boiler code?", room))  # the room's own words


# the rules


VALUES = st.one_of(
    st.sampled_from(
        [
            "seven",
            "7",
            "Tuesday",
            "tuesdays",
            "3 pm",
            "15:00",
            "ISTANBUL",
            "i",
            "\u0130",
            "\u0131",
            "\u212a",
            "stra\u00dfe",
            "",
        ]
    ),
    st.text(max_size=6),
)


@given(st.lists(VALUES, max_size=4).map(" ".join), VALUES)
def test_a_first_look_misses_no_value(text: str, value: str) -> None:
    assert FirstLook(text).may_hold(value) or not holds(text, value)


def test_a_text_is_read_for_its_values_once_and_few_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(text: str) -> list[Value]:
        read.append(text)
        return typed_values(text)

    monkeypatch.setattr(values, "typed_values", counted)
    monkeypatch.setattr(values, "_REMEMBERED", 4)
    texts = [f"The launch of number {n} is on Friday, as I said before. " * 20 for n in range(9)]
    for text in texts:
        assert [FirstLook(text).may_hold(day) for day in ("Fridays", "Mondays", "Fridays")] == [True, False, True]
    assert all(read.count(text) == 1 for text in texts)
    assert len(values._keys) <= 4


@given(st.text(max_size=120), st.text(min_size=1, max_size=10), st.text(min_size=1, max_size=10))
def test_nothing_but_what_is_wrong_is_left_out(text: str, old: str, new: str) -> None:
    one = Correction("", "", new, f"the thing is {new}", old, new, "", embedded=False)
    left = without_wrong([one], text)
    wrong = [s for s in sentences(text.replace(";", ";\n")) if is_against(one, s, text)]
    assert left == text or wrong
    assert swapped(text, old, new) == "" or new in swapped(text, old, new)


LESSON = Correction(
    id="c",
    day="2026-02-04",
    correct="it's Thursday, not Tuesday",
    means="Noted: your piano lesson is every Thursday.",
    old="Tuesday",
    new="Thursday",
    question="",
    embedded=True,
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "**My piano lesson is every Thursday**:\n- Users: Nora\n- Event: the piano lesson is every Tuesday at 18:00",
            "**My piano lesson is every Thursday**:\n- Users: Nora",
        ),
        ("Piano lesson: Thursday. It is every Tuesday at 18:00.", "Piano lesson: Thursday."),
        ("My piano lesson is every Tuesday; it's Thursday, not Tuesday", "it's Thursday, not Tuesday"),
        ("The piano lesson is on Thursday, not Tuesday.", "The piano lesson is on Thursday, not Tuesday."),
        (
            "My piano lesson is every Thursday. The dentist is on Tuesday.",
            "My piano lesson is every Thursday. The dentist is on Tuesday.",
        ),
        ("Choir on Thursday.\nChess on Tuesday.", "Choir on Thursday.\nChess on Tuesday."),
    ],
)
def test_each_sentence_is_judged_by_itself(text: str, left: str) -> None:
    assert without_wrong([LESSON], text) == left


@pytest.mark.parametrize(
    "frame",
    [
        "**User:** Lin\n{}\n[Session](2026-02-04/own.md)",
        "**Room:** dev\n{}",
        "- Users: Nora, main\n- Datetime: 2026-02-04 10:01 UTC\n- Event: {}",
        "**Music**:\n- Users: Nora\n- Event: {}",
        "**Asked:** when is it?\n{}",
        "{} (added 2026-02-04) #knowledge",
    ],
)
def test_a_frame_around_what_is_wrong_goes_with_it(frame: str) -> None:
    assert without_wrong([LESSON], frame.format("My piano lesson is every Tuesday.")) == ""
    also = frame.format("My piano lesson is every Tuesday. Bring the blue book.")
    assert "Bring the blue book." in without_wrong([LESSON], also)
    right = frame.format("My piano lesson is every Thursday.")
    assert without_wrong([LESSON], right) == right


def test_a_correction_is_found_by_its_tag_and_nothing_is_surer(agent: Agent) -> None:
    agent.correct("The bank is closed on Monday", wrong="Friday")
    (hit,) = agent.recall("when is the bank closed?", session=DM, tag="correction").hits
    assert (hit.chunk.path, hit.chunk.confidence) == ("CORRECTIONS.md", 1.0)
    assert hit.why["correction"] > 0


def test_a_pattern_of_the_operators_own_leads_to_the_validator() -> None:
    config = "timezone: UTC\nmemory: {triage: {custom_patterns: [{pattern: wrongo, route: recall-validator, confidence: high}]}}\n"
    t = talk(config)
    t.agent.files.put("MEMORY.md", b"# Memory\n\n## Knowledge\n\n- our dentist is Dr. Brandt\n")
    t.say(DM, "wrongo, our dentist is Dr. Okafor", sender="Nora", person="acct:owner")
    (waits,) = t.agent.review.proposals("")
    assert "recall-validator" in str(waits.change_set.author)
    assert "our dentist is Dr. Brandt" in t.text("MEMORY.md")


def test_a_forgotten_tool_is_handed_on_once(tmp_path: Path, clock: FrozenClock) -> None:
    got = tmp_path / "got"
    home = tmp_path / "home"
    home.mkdir()
    script = f"cat >> {got}; env >> {got}.env"
    (home / "config.yaml").write_text(json.dumps({"keepers": {"recall_handler": ["/bin/sh", "-c", script]}}), "utf-8")
    with open_home(home, {"SECRET": "x"}, clock) as soul:
        agent = soul.agent()
        agent.hear("You forgot that you have a search tool, use the search tool.", session=DM, sender="Nora")
        agent.run("recall-validator")
        assert soul._home.noticed == []
    assert json.loads(got.read_text("utf-8"))["text"].startswith("You forgot")
    assert "SECRET" not in got.with_name("got.env").read_text("utf-8")


@pytest.mark.parametrize(
    "case",
    [
        ("Tom studied in Berlin", "Tom lives in Berlin", "Tom lives in Berlin.", "it's Hamburg, not Berlin"),
        ("Jonas wakes up at seven", "Jonas is seven", "Jonas is seven.", "he's six, not seven!"),
        ("Jonas has seven marbles", "Jonas is seven and likes trains", "Jonas is seven.", "he's six, not seven!"),
        (
            "The flat is 3 km from the station",
            "The flat has 3 rooms",
            "The flat has 3 rooms.",
            "it's 4 rooms, not 3 rooms",
        ),
        (
            "The launch team flies home on May 4",
            "The launch is on May 4",
            "The launch is on May 4.",
            "it's on June 9, not May 4",
        ),
        (
            "The wedding photographer is booked in May",
            "The wedding is in May",
            "The wedding is in May.",
            "it's in June, not May",
        ),
    ],
)
def test_another_memory_with_the_same_value_stays_and_is_found(
    agent: Agent, clock: FrozenClock, case: tuple[str, str, str, str]
) -> None:
    kept, wrong, said, reply = case
    agent.remember(wrong)
    agent.remember(kept)
    exchange(agent, clock, said, reply)
    agent.run("conflict-detector")
    memory = (agent.files.show("MEMORY.md").data or b"").decode()
    assert f"- {kept} (added" in memory
    assert f"- {wrong} (added" not in memory
    assert any(text.startswith(kept) for text in texts(agent, kept))


def test_what_the_agent_said_is_answered_within_a_day_and_before_others_speak(agent: Agent, clock: FrozenClock) -> None:
    agent.remember("Jonas is seven")
    before = agent.files.show("MEMORY.md").data
    room = Session.group("dev", id="r")
    agent.hear("Jonas is seven.", session=room, role="assistant")
    agent.hear("How old is your Mia, Nora?", session=room, sender="Bo", subject="acct:9")
    agent.hear("she's six!", session=room, sender="Nora", subject="acct:owner")
    agent.hear("Jonas is seven.", session=DM, role="assistant")
    clock.advance(timedelta(days=9))
    agent.hear("she's six!", session=DM, sender="Nora")
    assert agent.files.show("MEMORY.md").data == before


def test_a_number_without_end_stops_nothing(agent: Agent, clock: FrozenClock) -> None:
    exchange(agent, clock, f"序列号有{'9' * 400}。", "不对，有12个，是13")
    agent.run("recall-validator")


SAID = ("7", "seven", "17", "Tuesday", "tuesdays", "room 7", "Kiel", "İzmir", "5 May", "", "周二")
MEANINGS = ("The meeting is on {}", "Jonas is {}", "The meeting with Jonas is {}", "{}", "Where? {}.")


@given(st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from(SAID), st.sampled_from(MEANINGS)), max_size=7))
def test_a_correction_holds_until_a_later_one_says_its_wrong_value_is_right(told: list[tuple[str, str, str]]) -> None:
    every = [
        Correction(
            id=f"c{n}", day="", correct=new, means=means.format(new), old=old, new=new, question="", embedded=True
        )
        for n, (old, new, means) in enumerate(told)
    ]
    expected = [
        one
        for n, one in enumerate(every)
        if not any(one.old and holds(later.new, one.old) and same_thing(one, later) for later in every[n + 1 :])
    ]
    assert in_force(every) == expected


def suggested(agent: Agent, text: str) -> str:
    """The id of a proposal to remember this."""
    miner, cited = Author(Role.KEEPER, "memory-miner"), (Evidence("m:1", Origin.AGENT, OWNER),)
    add = Add(MEMORY, text, section="Knowledge", tag="knowledge", added="2026-02-04")
    made = agent._parts.home.ledger.apply(
        ChangeSet((add,), miner, "it looks worth keeping", text, cited, suggested=True)
    )
    assert made.proposal is not None
    return made.proposal.id


def memory(agent: Agent) -> str:
    return (agent._parts.read(MEMORY).data or b"").decode()


@pytest.mark.parametrize("text", ["The rent is 1450 euros, in cash", "The rent is 1450 euros a month, in cash"])
def test_what_says_again_what_was_corrected_is_not_approved_as_it_is(agent: Agent, text: str) -> None:
    agent.remember("The rent is 1450 euros")
    waiting = suggested(agent, text)
    agent.correct("The rent is 1420 euros", wrong="1450", right="1420")
    with pytest.raises(Refused, match="corrected"):
        agent.review.approve(waiting)
    assert agent.review.proposals("")
    assert "in cash" not in memory(agent)


def test_a_text_edited_at_approval_is_held_to_the_corrections_too(agent: Agent) -> None:
    agent.correct("The rent is 1420 euros", wrong="1450 euros", right="1420 euros")
    waiting = suggested(agent, "The rent is due on Fridays")
    ((_, shown),) = agent.review.preview(waiting).values()
    wrong = (shown or b"").replace(b"The rent is due on Fridays", b"The rent, due on Fridays, is 1450 euros a month")
    with pytest.raises(Refused, match=r"MEMORY.md would repeat .*; edit the text, reject it, or withdraw"):
        agent.review.approve(waiting, edited={MEMORY: wrong})
    assert agent.review.proposal(waiting).state == "open"
    right = wrong.replace(b"is 1450 euros", b"is 1420 euros (1450 euros until May)")
    agent.review.approve(waiting, edited={MEMORY: right})
    assert "is 1420 euros (1450 euros until May) a month" in memory(agent)


@pytest.mark.parametrize(
    "fine",
    ["The garage costs 1450 euros a month", "Our landlord is called Brandt", "The rent is 1420 euros, once 1450"],
)
def test_what_stands_already_or_is_something_else_is_approved_however_it_is_edited(agent: Agent, fine: str) -> None:
    agent.remember("The rent is 1450 euros")
    agent.correct("The rent is 1420 euros", wrong="1450 euros", right="1420 euros")
    assert "<!-- was: The rent is 1450 euros" in memory(agent)  # the old words stand below as a comment
    agent.remember("The rent is 1450 euros. It is paid by card.", title="Typed by hand")
    waiting = suggested(agent, "Something")
    ((_, shown),) = agent.review.preview(waiting).values()
    text = (shown or b"").replace(b"Something", fine.encode()).replace(b"by card", b"in cash")
    agent.review.approve(waiting, edited={MEMORY: text})
    assert fine in memory(agent)
    assert "in cash" in memory(agent)


def test_a_suggested_correction_that_takes_the_place_of_another_can_be_approved(agent: Agent) -> None:
    agent.remember("The rent is 1450 euros")
    agent.correct("The rent is 1420 euros", wrong="1450 euros", right="1420 euros")
    validator, cited = Author(Role.KEEPER, "recall-validator"), (Evidence("m:9", Origin.OPERATOR, OWNER),)
    entry = next(e.id for _, e in agent.memory.find("1420 euros", "MEMORY.md"))
    change = Replace(MEMORY, entry, "The rent is 1450 euros")
    made = agent._parts.home.ledger.apply(ChangeSet((change,), validator, "corrected", "k", cited, suggested=True))
    assert made.proposal is not None
    agent.review.approve(made.proposal.id)
    assert "- The rent is 1450 euros" in memory(agent)


@pytest.mark.parametrize(
    ("old", "new", "text", "wrong"),
    [
        ("1450 euros", "1390 euros", "The rent is 1450 euros a month", True),
        ("1450 euros", "1390 euros", "The rent is 1,450 euros a month", True),
        ("1450", "1390", "The rent is €1450 per month", True),
        ("1450 euros a month", "1390 euros a month", "The rent is 1450 euros", True),
        ("1450 euros a month", "1390 euros a month", "The rent is 1450 euros a year", False),
        ("1450 euros a month", "1390 euros a month", "The rent is 1390 euros, no more 1450 euros a month", False),
        ("1450 euros", "1390 euros", "The rent is 17400 euros a year", False),
        ("1450 euros", "1390 euros", "The rent of the garage is 1450 euros a month", False),
        ("1450", "1390", "The rent is paid for 1450 days", False),
    ],
)
def test_a_sum_is_the_same_with_and_without_the_time_it_is_for(old: str, new: str, text: str, wrong: bool) -> None:  # noqa: FBT001 - parametrised
    right = "the rent is 1390 euros" + (" a month" if "month" in new else "")
    one = Correction("", "2026-02-04", right, right, old, new, "", embedded=False)
    assert is_against(one, text) == wrong
    assert not wrong or FirstLook(text).may_hold(old)
    assert not wrong or new in swapped(text, old, new)


def test_a_context_does_not_tell_what_was_put_right_in_the_operators_own_memory(
    agent: Agent, clock: FrozenClock
) -> None:
    agent.hear("Please remember that my piano lesson is every Tuesday", session=DM, sender="Nora", subject="acct:owner")
    agent.hear("Noted: your piano lesson is every Tuesday.", session=DM, role="assistant", sender="main")
    agent.talk.end(DM.id)
    assert "Tuesday" in agent.context("when is my piano lesson?", session=DM).text
    block = "# Corrections\n\n## 2026-02-04 10:30 UTC\n\n**Correct:** my piano lesson is every Thursday\n**Wrong value:** Tuesday\n**Right value:** Thursday\n"
    agent.files.put("CORRECTIONS.md", block.encode())
    clock.advance(timedelta(minutes=5))
    assert "every Tuesday" not in agent.context("when is my piano lesson?", session=Session.dm(id="new")).text
