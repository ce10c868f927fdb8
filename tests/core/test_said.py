"""What the operator says otherwise than the agent alone said: understood in few words, and nobody else's words are touched."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.app.keepers import checks
from oldsoul.judging.corrections.corrections import Correction, against, without_wrong
from oldsoul.judging.corrections.putting import putting_otherwise, putting_right
from oldsoul.recall.marking import Looking, righted
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name
from oldsoul.values.recall import MEMORY, SESSIONS, Chunk
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from talk_bench import talk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Agent
    from talk_bench import Talk

DM = Session.dm(id="own")
ROOM = Session.group("hall", id="hall")
CORRECTIONS = Name("main", "CORRECTIONS.md")

SAID = [
    # the right value and the wrong one, in any order
    ("The plumber comes on Tuesday.", "Friday, not Tuesday. he rang", "Tuesday", "Friday"),
    ("I'll put the mushrooms on the list.", "NOT mushrooms. leeks.", "mushrooms", "leeks"),
    ("Here is your commute via Leeds.", "Leeds?! Bradford.", "Leeds", "Bradford"),
    ("Your landlord is Whitcombe.", "Abara. Whitcombe is the caretaker", "Whitcombe", "Abara"),
    ("Your surveyor is Pettifer, should I write?", "pettifer is the solicitor, ade obi is the surveyor", "Pettifer", "ade obi"),
    ("I'd use Jenkins, as your team does.", "we don't use Jenkins. it's Buildkite", "Jenkins", "Buildkite"),
    ("So the Passat needs new tyres.", "skoda. we never owned a Passat", "Passat", "skoda"),
    ("Membership is 85 a year.", "95! 85 was before the new pool", "85", "95"),
    ("The tiles in the kitchen are terracotta?", "they're slate, terracotta is the hall", "terracotta", "slate"),
    ("I added moment for the dates, shall I keep it?", "please don't. dates go through luxon, moment was kicked out", "moment", "luxon"),
    ("The choir sings Fauré on Sunday.", "Duruflé! Fauré was last year", "Fauré", "Duruflé"),
    ("The ticket is OPS-4413, I linked it.", "4431. OPS-4413 is the printer one", "4413", "4431"),
    ("We meet at the Harbour office.", "not any more, we meet at Northgate. Harbour closed", "Harbour", "Northgate"),
    # a refusal and the right value
    ("And the choir is led by Brandvold?", "close but no. Achterberg", "Brandvold", "Achterberg"),
    ("And Milos, you said he's a welder?", "never said that! he's a luthier", "welder", "luthier"),
    ("The printer is at 10.1.4.37.", "transposed: 10.1.4.73", "10.1.4.37", "10.1.4.73"),
    ("Agnes cleans on Mondays and Wednesdays.", "nope. tuesdays and wednesdays, agnes is never in on a monday", "Mondays", "tuesdays"),
    ("Then Tobias drives the van?", "no, Lena does that", "Tobias", "Lena"),
    ("Your Pilates class is on Thursdays.", "that's changed, as of this month we're on Mondays", "Thursdays", "Mondays"),
    ("The workshop is on Mill Lane, isn't it?", "he's moved! the workshop is on Quarry Road now", "Mill Lane", "Quarry Road"),
    # the right value alone
    ("You fly out of Gatwick at 7.", "Luton", "Gatwick", "Luton"),
    ("The deposit was 600 euros.", "800", "600", "800"),
    ("Your gross pay is 5,120 a month.", "5,210, look at the slip", "5,120", "5,210"),
    ("Your mother-in-law arrives on the 18th.", "the 19th. read her mail", "18", "19"),
    ("The exhibition runs from 2 to 20 March.", "til the 16th", "20", "16"),
    ("Your aunt turns 71?", "70. seventy. she'd kill you", "71", "70"),
    ("You drive home on Thursday?", "wednesday! the 11th", "Thursday", "wednesday"),
    ("You play the oboe in the orchestra.", "bassoon!", "oboe", "bassoon"),
    ("Your bike is the red one.", "blue", "red", "blue"),
    ("Anneke lives in Utrecht, right?", "Zwolle", "Utrecht", "Zwolle"),
    ("Dinner with the Okoros is at 7.", "7:30, they have the babysitter late", "7", "7:30"),
    ("I have the boiler service down for October.", "november, they moved it", "October", "november"),
    ("Shall I note that the garage code is 5512?", "it's 5521, since the break-in", "5512", "5521"),
    ("The architect's name is Hurst?", "Hirst with an i", "Hurst", "Hirst"),
]  # fmt: skip


def understood(said: str, reply: str) -> list[tuple[str, str]]:
    strict = putting_right(reply, said)
    if strict is not None and strict.sure and not strict.held:
        return [(strict.old, strict.new)]
    return [(one.old, one.new) for one in putting_otherwise(reply, said)]


@pytest.mark.parametrize(("said", "reply", "old", "new"), SAID)
def test_few_words_put_right_what_the_agent_said(said: str, reply: str, old: str, new: str) -> None:
    assert (old, new) in understood(said, reply)


def test_one_reply_puts_two_things_right() -> None:
    said = "Your father has the scan tomorrow, on the left knee."
    assert understood(said, "what? no, monday the 9th. and it's the right knee") == [
        ("tomorrow", "monday"),
        ("left", "right"),
    ]
    said = "Biscuit, as a poodle aged 9, should see the vet."
    assert understood(said, "spaniel!! and she's 6") == [("poodle", "spaniel"), ("9", "6")]


def test_in_a_long_answer_the_value_may_stand_anywhere() -> None:
    said = "Here is the plan. The tour starts at the Corn Exchange. Bring boots.\n\nfor x in stops:\n    print(x)\n\nIt takes two hours."
    assert understood(said, "not the Corn Exchange. Town Hall") == [("Corn Exchange", "Town Hall")]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        # a choice, or what only the person can say
        ("Would you like oak or ash?", "ash"),
        ("When does the course start?", "9 May"),
        ("Your recital is on 4 May. When shall I remind you?", "2 May"),
        ("Who cuts your hair?", "Jo on Mill Lane"),
        ("Is anyone at home?", "Milos, probably"),
        ("Vegetarian?", "sausages!!"),
        ("Good trip?", "rain"),
        # wishes
        ("The plumber comes on Tuesday.", "can you make it Friday?"),
        ("The plumber comes on Tuesday.", "move it to friday please"),
        ("Shall I remind you a week ahead?", "two weeks ahead"),
        ("Your flight is at 7. Shall I wake you at 5?", "half past four please"),
        ("I've set the reminder for 8.", "9"),
        ("I'll call you Captain then.", "Admiral"),
        ("I wrote 'since 1998' in the text.", "make it 'for decades'"),
        ("Your bike is the red one.", "I want a blue one"),
        # jokes, what others say, what is not so
        ("The plumber comes on Tuesday.", "if only it were Friday"),
        ("The plumber comes on Tuesday.", "my wife says Friday"),
        ("The roof is slate.", "kidding, it's gold"),
        ("Your team has six people.", "feels like two"),
        ("It is 16:20.", 'haha my sister said "no, it\'s six"'),
        # more of the same, or something else
        ("Noted: 4 May.", "and the rehearsal is on 2 May"),
        ("Noted: 4 May.", "11 people are coming"),
        ("Noted, Oslo.", "then Bergen"),
        ("The choir sings Fauré on Sunday.", "Duruflé is lovely too"),
        ("Your landlord is Whitcombe.", "Abara is my neighbour"),
        ("Anneke lives in Utrecht.", "Her brother lives in Zwolle"),
        ("Anneke lives in Utrecht.", "I live in Zwolle"),
        ("The server runs Debian 11.", "staging runs 12"),
        ("The deposit was 600 euros.", "no, 20 euros for the taxi"),
        ("The deposit was 600 euros.", "it's 300 more than last time"),
        ("The train leaves at 8:05.", "it's 7:50, running"),
        # what is only exclaimed, and who is spoken to
        ("The museum is free on Sundays.", "amazing!"),
        ("The museum is free on Sundays.", "no way!"),
        ("The recital is in St Anne's.", "Perfect!"),
        ("The recital is in St Anne's.", "Marta, come here"),
        ("The recital is in St Anne's.", "Hey Marta! Nice to hear from you"),
        ("Nothing beats a swim in Bergen.", "Swimming is the best, Marta! Keep it up"),
        ("Your sister's name is Hedda.", "that's wrong. sigh"),
        ("I think the bug is in the parser.", "nope, not convinced. dig deeper"),
        ("Your aunt turns 71?", "yes, and still cycling"),
    ],
)  # fmt: skip
def test_what_is_no_correction_of_the_agent(said: str, reply: str) -> None:
    assert understood(said, reply) == []


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_reading_takes_any_text(said: str, reply: str) -> None:
    for found in putting_otherwise(reply, said):
        assert found.spoken
        assert found.old.casefold() != found.new.casefold()


@pytest.mark.parametrize("filling", [" ", "is ", "no, ", "a, ", "not W ", "W is ", "1 ", "'", ". "])
def test_the_reading_is_done_in_time_that_grows_with_the_text(filling: str) -> None:
    said, reply = f"The thing is W. {filling * 2000}", f"{filling * 100} R"
    began = datetime.now(UTC)
    putting_otherwise(reply, said)
    assert (datetime.now(UTC) - began).total_seconds() < 2


@pytest.mark.parametrize(
    ("reply", "old", "new"),
    [
        ("i told you the dues were 2,150, i had the wrong letter. 2,510", "2,150", "2,510"),
        ("sorry, I said the viewing is on Monday, mixed that up. it's Tuesday", "Monday", "Tuesday"),
        ("i told you the dues were 2,150 and it was wrong of you to ask", "", ""),
        ("i told you the dues were 2,150. 2,510 people read that", "", ""),
        ("i said monday, and i was not wrong", "", ""),
    ],
)
def test_what_a_person_told_wrong_themselves_counts_where_memory_holds_it(reply: str, old: str, new: str) -> None:
    found = putting_right(reply, "Good morning.")
    read = (found.old, found.new) if found is not None and found.sure and found.held else ("", "")
    assert read == (old, new)


# in a home


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 2, 4, 10, 0, tzinfo=UTC))


@pytest.fixture
def agent(tmp_path: Path, clock: FrozenClock) -> Iterator[Agent]:
    with open_home(tmp_path / "home", {}, clock) as soul:
        yield soul.agent()


def exchange(t: Talk, said: str, reply: str, session: Session = DM) -> None:
    t.say(session, said, role="assistant")
    t.say(session, reply, sender="Nora", person="acct:owner")


def blocks(t: Talk) -> list[dict[str, str]]:
    entries = t.document(CORRECTIONS).entries
    return [dict(entry.fields) | {"body": entry.body} for entry in entries if entry.fields.get("src")]


def found(agent: Agent, question: str, session: Session = DM) -> list[str]:
    return [hit.chunk.text for hit in agent.recall(question, session=session, limit=20, counted=False).hits]


def test_what_the_agent_alone_said_is_logged() -> None:
    t = talk()
    exchange(t, "Noted. You fly out of Gatwick at 7.", "Luton")
    (block,) = blocks(t)
    assert block["of"] == "agent"
    assert "**Trigger confidence:** medium" in block["body"]
    assert "**Wrong value:** Gatwick\n**Right value:** Luton\n**Check:** You fly out of at 7." in block["body"]


def test_what_the_agent_alone_said_is_not_found_any_more_and_what_people_said_is(
    agent: Agent, clock: FrozenClock
) -> None:
    agent.hear("Gatwick has the better breakfast", session=DM, sender="Nora", subject="acct:owner")
    clock.advance(timedelta(minutes=1))
    agent.hear("Noted. You fly out of Gatwick at 7.", session=DM, role="assistant")
    clock.advance(timedelta(minutes=1))
    agent.hear("Luton", session=DM, sender="Nora", subject="acct:owner")
    texts = found(agent, "which airport do I fly out of, is it Gatwick?")
    assert not [text for text in texts if "fly out of Gatwick" in text and "Luton" not in text]
    assert "Gatwick has the better breakfast" in texts
    assert [each.problem for each in checks.checked(agent)] == [""]


def test_each_of_two_things_put_right_is_a_correction_and_both_are_withdrawn_in_one_step() -> None:
    t = talk()
    exchange(
        t, "Your father has the scan tomorrow, on the left knee.", "what? no, monday the 9th. and it's the right knee"
    )
    assert len(blocks(t)) == 2
    (first, _) = checks.standing(t.agent)
    assert len(checks.changes_of(t.agent, first.id)) >= 2


SIGNED = [
    # memory, the agent's words, the reply, memory after it
    ("the Passat needs new tyres", "So the Passat needs new tyres.", "skoda. we never owned a Passat", "the skoda needs new tyres"),
    ("the plumber comes on Tuesday", "The plumber comes on Tuesday.", "tuesday's out of date, its friday", "the plumber comes on friday"),
    ("the viewing is on 9 May", "The viewing is on 9 May.", "lord no, it got postponed, its 23 june", "the viewing is on 23 june"),
    ("the viewing is on 9 May", "The viewing is on 9 May at the mill.", "16th. not the 9th. easy now", "the viewing is on 16 May"),
    ("the viewing is on 9 May", "The viewing is on 9 May.", "two days too early, its the 11th", "the viewing is on 11 May"),
    ("the viewing is on 9 May", "And the viewing is on 9 May at the mill?", "11th of may at the mill, not the 9th", "the viewing is on 11 May"),
    ("fees are 120 per term", "Noted. And the fees stay at 120 per term?", "where did you get 120, its 140 a term", "fees are 140 per term"),
    ("choir is on Mondays at the hall", "Your choir is on Mondays.", "mondays was choir. tuesdays, since last month", "choir is on tuesdays at the hall"),
    ("the library shuts at 6", "The library shuts at 6, I have.", "it does not, the library shuts at 5 since today", "the library shuts at 5"),
    ("Bea phones at 9", "Bea phones at 9, doesn't she?", "8, she phones at 8. always has", "Bea phones at 8"),
    ("you have to pay by 2 June", "You have to pay by 2 June.", "make that 12 june, they gave me longer", "you have to pay by 12 june"),
    ("swimming is 4.15 to 5.30", "Swimming is on Fridays, 4.15 to 5.30.", "sorry, no, the pool only takes us 5 to 6.15", "swimming is 5 to 6.15"),
    ("the eggs are from Tolka farm", "So the eggs come from Tolka?", "tolka's gone. Marlay. we changed in june", "the eggs are from Marlay farm"),
    ("yoga is on Wednesdays", "Yoga is on Wednesdays, next to the bank.", "youve that wrong, its thursdays", "yoga is on thursdays"),
]  # fmt: skip


@pytest.mark.parametrize(("memory", "said", "reply", "after"), SIGNED)
def test_what_the_operator_had_remembered_is_put_right_where_the_reply_says_that_it_is_otherwise(
    memory: str, said: str, reply: str, after: str
) -> None:
    t = talk()
    t.agent.remember(memory)
    exchange(t, said, reply)
    assert len(blocks(t)) == 1
    assert f"- {after} (added" in t.text("MEMORY.md")
    assert not t.agent.proposals("")


@pytest.mark.parametrize("case", SIGNED, ids=[case[2] for case in SIGNED])
def test_what_the_operator_told_is_not_found_any_more_where_the_reply_says_that_it_is_otherwise(
    agent: Agent, clock: FrozenClock, case: tuple[str, str, str, str]
) -> None:
    memory, said, reply, after = case
    for role, text in (("user", memory), ("assistant", said), ("user", reply)):
        person = "acct:owner" if role == "user" else None
        agent.hear(text, session=DM, role=role, sender="Nora" if person else "", subject=person)
        clock.advance(timedelta(minutes=1))
    (one,) = checks.standing(agent)
    assert one.new in after
    assert memory not in found(agent, memory)
    assert said not in found(agent, said)


def test_what_another_person_said_of_themselves_is_put_on_the_review_list_instead() -> None:
    t = talk()
    t.say(ROOM, "I fly out of Gatwick on 9 May", sender="Ann", person="acct:ann")
    t.say(ROOM, "ok", sender="Nora", person="acct:owner")
    exchange(t, "Ann flies out of Gatwick on 9 May.", "god no, that got postponed, its 23 june", ROOM)
    assert blocks(t) == []
    assert len(t.agent.proposals("")) == 1


def test_what_was_announced_counts_where_memory_holds_what_it_was() -> None:
    for told, count in (("the away match is at Clonea, start 11", 1), ("the fair is in Clonea, entry is 11 euros", 0)):
        t = talk()
        t.say(ROOM, told, sender="Nora", person="acct:owner")
        t.say(ROOM, "walking the dog", sender="Ann", person="acct:ann")
        t.say(ROOM, "heads up, clonea moved the match, start is 12.30 not 11", sender="Nora", person="acct:owner")
        assert len(blocks(t)) == count


def test_an_entry_that_rests_on_what_is_put_right_is_put_right_with_it() -> None:
    t = talk()
    t.say(
        DM, "Remember: flour comes from Arden Mill, mondays before 6, twelve sacks", sender="Nora", person="acct:owner"
    )
    t.agent.run("memory-miner")
    assert "mondays before 6" in t.text("MEMORY.md")
    t.clock.advance(timedelta(days=1))
    exchange(t, "I have the delivery as Mondays, 12 sacks.", "mondays is out of date, its thursdays")
    assert "flour comes from Arden Mill, thursdays before 6" in t.text("MEMORY.md")


def test_an_hour_or_a_week_in_a_reply_makes_no_other_memory_a_part_of_what_it_puts_right() -> None:
    t = talk()
    t.agent.remember("football is on thursdays 7 to 8.15 from next week")
    t.agent.remember("Bea comes on Thursdays")
    exchange(t, "And Bea is back to Thursdays?", "no no, fridays at 8, last week was the odd one out")
    memory = t.text("MEMORY.md")
    assert "- football is on thursdays 7 to 8.15 from next week (added" in memory
    assert "- Bea comes on fridays (added" in memory


def test_what_changed_again_is_not_asked_for_any_more() -> None:
    t = talk()
    exchange(t, "Your yoga with Bea is on Mondays.", "wrong day, its thursdays")
    exchange(t, "Your yoga with Bea is on Thursdays.", "not any more, its fridays")
    known = checks.standing(t.agent)
    assert [(one.old, one.new) for one in known] == [("Mondays", "thursdays"), ("Thursdays", "fridays")]
    assert [each.correction.new for each in checks.checked(t.agent)] == ["fridays"]


def test_a_bare_value_against_what_memory_says_does_nothing() -> None:
    t = talk()
    t.agent.remember("I fly out of Gatwick at 7")
    exchange(t, "You fly out of Gatwick at 7.", "Luton")
    assert blocks(t) == []
    assert not t.agent.proposals("")


def test_with_a_sure_trigger_it_counts_also_where_others_said_it(agent: Agent, clock: FrozenClock) -> None:
    agent.hear("the limit we agreed on is 72k with tax", session=ROOM, sender="Nora", subject="acct:owner")
    clock.advance(timedelta(minutes=1))
    agent.hear("That is over the limit of 72k with tax?", session=ROOM, role="assistant")
    clock.advance(timedelta(minutes=1))
    reply = "69k is the limit. and no, it's just under"
    agent.hear(reply, session=ROOM, sender="Nora", subject="acct:owner")
    (one,) = checks.standing(agent)
    assert (one.old, one.new, one.said) == ("72k", "69k", "")
    texts = found(agent, "what is the limit?", ROOM)
    assert not [text for text in texts if "72k" in text and "69k" not in text]


def test_what_a_person_told_wrong_is_put_right_in_what_they_told(agent: Agent, clock: FrozenClock) -> None:
    agent.hear("the dues were 2,150 last year", session=DM, sender="Nora", subject="acct:owner")
    clock.advance(timedelta(minutes=1))
    agent.hear("Noted.", session=DM, role="assistant")
    clock.advance(timedelta(minutes=1))
    reply = "i told you the dues were 2,150, i had the wrong letter. 2,510"
    agent.hear(reply, session=DM, sender="Nora", subject="acct:owner")
    assert "the dues were 2,150 last year" not in found(agent, "what were the dues?")
    (one,) = checks.standing(agent)
    assert (one.old, one.new, one.said) == ("2,150", "2,510", "")


def test_what_nobody_holds_of_an_own_slip_is_no_correction() -> None:
    t = talk()
    exchange(t, "Noted.", "i told you the dues were 2,150, i had the wrong letter. 2,510")
    assert blocks(t) == []


CONTRARY = [
    json.loads(line) for line in (Path(__file__).parent / "contrary_talk.jsonl").read_text("utf-8").splitlines()
]
"""What the operator says after the agent told again what they had told it, and is no correction; written before the rules."""


@pytest.mark.parametrize("known", ["remembered", "told", "nobody said it"])
@pytest.mark.parametrize("case", CONTRARY, ids=[f"{n}" for n in range(len(CONTRARY))])
def test_what_is_said_beside_a_fact_leaves_it_as_it_is(case: dict[str, str], known: str) -> None:
    t = talk()
    if known == "remembered":
        t.agent.remember(case["memory"])
    elif known == "told":
        t.say(DM, case["memory"], sender="Nora", person="acct:owner")
    before = t.agent.show("MEMORY.md").data
    exchange(t, case["said"], case["reply"])
    assert t.agent.show("MEMORY.md").data == before
    assert blocks(t) == []


def test_only_the_first_thing_said_to_the_agents_words_is_read_in_few_words() -> None:
    t = talk()
    exchange(t, "You fly out of Gatwick at 7.", "oh my")
    t.say(DM, "Luton", sender="Nora", person="acct:owner")
    assert blocks(t) == []


def test_nobody_but_the_operator_puts_the_agents_words_right() -> None:
    t = talk()
    t.say(ROOM, "You fly out of Gatwick at 7.", role="assistant")
    t.say(ROOM, "Luton", sender="Ben", person="acct:7")
    assert blocks(t) == []


def test_a_summary_that_quotes_the_agent_tells_the_rest() -> None:
    one = Correction("", "", "Luton", "", "Gatwick", "Luton", "", embedded=False, said="You fly out of Gatwick at 7.")
    told = "- Event: Nora: packing for the trip\n- Result: main: You fly out of  Gatwick at 7."
    assert without_wrong([one], told) == "- Event: Nora: packing for the trip"
    assert without_wrong([one], "Nora hates Gatwick") == "Nora hates Gatwick"


# whatever it is, nothing of anybody else's is touched

WORDS = st.lists(
    st.sampled_from(["You fly out of Gatwick at 7.", "Gatwick", "Luton", "we fly", "at 7", "no"]),
    min_size=1,
    max_size=5,
)


@given(
    WORDS.map(" ".join),
    st.sampled_from(["chat/own", "MEMORY.md", "rooms/hall.md", "memory/_longterms/acct_7/_index.md", "USER.md"]),
)
def test_no_persons_words_and_no_memory_are_hidden_for_it(text: str, path: str) -> None:
    source = SESSIONS if path.startswith("chat/") else MEMORY
    chunk = Chunk(path, 1, 1, text, OWNER, source=source, time=datetime(2026, 2, 3, tzinfo=UTC), person="acct:7")
    one = Correction(
        "c",
        "2026-02-04",
        "Luton",
        "You fly out of Luton at 7.",
        "Gatwick",
        "Luton",
        "",
        embedded=False,
        said="You fly out of Gatwick at 7.",
    )
    known = [(one, datetime(2026, 2, 4, tzinfo=UTC))]
    for owner in (True, False):
        assert righted(chunk, known, Looking(owner, frozenset({"acct:owner"}))) == chunk
    if "You fly out of Gatwick at 7." not in text:
        assert against([one], text) is None


@given(st.data())
def test_nothing_that_is_remembered_changes_and_no_message_is_lost_for_it(data: st.DataObject) -> None:
    said, reply, old, _ = data.draw(st.sampled_from(SAID))
    memory = data.draw(st.sampled_from([f"{old} is nice", said, "I like tea", f"the one with {old}", ""]))
    heard = data.draw(st.sampled_from([f"so about {old} then", said.lower(), "tea is fine", f"{old}!", ""]))
    t = talk()
    if memory:
        t.agent.remember(memory)
    if heard:
        t.say(ROOM if data.draw(st.booleans()) else DM, heard, sender="Ben", person="acct:7")
    before = t.agent.show("MEMORY.md").data
    exchange(t, said, reply)
    if any(block.get("of") == "agent" for block in blocks(t)):
        assert t.agent.show("MEMORY.md").data == before
        gone = {one for block in blocks(t) for one in block.get("supersedes", "").split(",") if one}
        agents = {f"m:{m.id}" for m in t.agent.talk.messages(Wanted()) if m.role == "assistant"}
        assert gone <= agents


def test_what_the_agent_alone_had_wrong_is_found_and_is_no_law(tmp_path: Path) -> None:
    with open_home(tmp_path / "home", {}) as soul:
        agent = soul.agent()
        agent.hear("And the choir is led by Brandvold?", session=DM, role="assistant", sender="main")
        agent.hear("close but no. Achterberg", session=DM, sender="Nora")
        block = (agent.show("CORRECTIONS.md").data or b"").decode()
        assert "of=agent" in block
        told = agent.context("who leads the choir?", session=Session.dm(id="other"))
        assert "These hold, whatever else says otherwise" not in told.block
        hits = agent.recall("who leads the choir?", session=DM).hits
        assert any("Achterberg" in hit.chunk.text for hit in hits)
        assert not any(hit.chunk.correction for hit in hits)


@pytest.mark.parametrize("run", [" ", "`", "'", '"', "-", ",", "."])
def test_the_same_sign_over_and_over_is_read_in_one_go(run: str) -> None:
    said = "You fly out of Gatwick at 7."
    for reply in (f"x {run * 20_000}.", f"no, it's 8. {run * 20_000}"):
        putting_right(reply, said)
        putting_otherwise(reply, said)


def test_little_words_do_not_make_two_sentences_speak_of_one_thing() -> None:
    one = Correction("", "", "Ida's class", "The puppet show is for Ida's class.", "Otto", "Ida", "", embedded=False)
    for text in ("Otto's fencing group changes too, it's all on Fridays now.", "Otto's teeth!"):
        assert without_wrong([one], text) == text
    day = Correction(
        "",
        "",
        "the van comes wednesdays now",
        "The van came on time, on wednesdays.",
        "Monday",
        "wednesdays",
        "",
        embedded=False,
    )
    kept = "and mondays from now on it's all day in room 3"
    assert without_wrong([day], kept) == kept
    assert without_wrong([day], "The van comes on Monday") == ""


def test_the_agents_sentence_is_gone_whatever_little_word_leads_up_to_the_value() -> None:
    for word in ("from", "to", "with", "by", "via", "near"):
        one = Correction("", "", "Luton", f"Your flight is {word} Luton at 7.", "Gatwick", "Luton", "", embedded=False)
        assert without_wrong([one], f"Your flight is {word} Gatwick at 7.") == ""
