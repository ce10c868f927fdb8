"""One slot, one truth: a new statement of the operator marks the one it takes the place of, and loses no word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.documents import parse
from oldsoul.judging.contradictions import with_superseded
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role, SetField
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent

MEMORY = Name("main", "MEMORY.md")
OWN = Session.dm()
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
STANDING = b"# Memory\n\n- The rent is 900 euros (added 2026-01-02) #knowledge <!--os k3f9w2m7qa-->\n"


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as opened:
        yield opened.agent()


def statement(text: str, origin: Origin = Origin.OPERATOR, conf: str = "0.95", aud: str = "") -> ChangeSet:
    fields = {"conf": conf} | ({"aud": aud} if aud else {})
    add = Add(MEMORY, text, added="2026-02-04", fields=fields)
    return ChangeSet((add,), Author(Role.KEEPER, "x"), "said", "key", (Evidence("m:1", origin, OWNER),))


def test_an_explicit_statement_marks_the_entry_whose_slot_it_fills_with_its_id_and_the_day() -> None:
    made = with_superseded(statement("The rent is 950 euros"), parse(STANDING).entries)
    mark = made.operations[-1]
    assert isinstance(mark, SetField)
    assert (mark.key, mark.entry) == ("superseded", "k3f9w2m7qa")
    assert mark.value is not None
    assert mark.value.endswith(",2026-02-04")


@pytest.mark.parametrize(
    "made",
    [
        statement("The rent is 900 euros"),
        statement("The rent of the garage is 60 euros"),
        statement("The rent is 950 euros", origin=Origin.PARTICIPANT),
        statement("The rent is 950 euros", conf="0.6"),
        statement("The rent is 950 euros", aud="room:dev"),
    ],
)
def test_the_same_another_thing_or_a_weaker_word_marks_nothing(made: ChangeSet) -> None:
    assert with_superseded(made, parse(STANDING).entries) == made


@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=5))
def test_no_words_of_an_entry_ever_change(text: str, standing: list[str]) -> None:
    entries = parse("\n".join(f"- {line}" for line in standing).encode()).entries
    made = statement(text)
    marked = with_superseded(made, entries)
    assert marked.operations[:1] == made.operations
    assert all(isinstance(each, SetField) and each.key == "superseded" for each in marked.operations[1:])


def test_what_was_superseded_stands_after_what_took_its_place_and_is_shown_as_earlier(agent: Agent) -> None:
    old = agent.remember("The choir meets in the town hall")
    new = agent.remember("The choir meets in the school gym")
    text = (agent._parts.read(MEMORY).data or b"").decode()
    assert "The choir meets in the town hall" in text
    assert f"superseded={new.entry}," in text
    found = agent.recall("where does the choir meet?", session=OWN)
    assert [hit.chunk.entry for hit in found.hits[:2]] == [new.entry, old.entry]
    assert [hit.earlier for hit in found.hits[:2]] == [False, True]
    assert found.answer != "conflicting"
    told = next(line for line in agent.context("hello", session=OWN).text.split("\n") if "town hall" in line)
    assert "(earlier)" in told


def test_what_was_superseded_holds_again_when_the_change_is_undone(agent: Agent) -> None:
    agent.remember("The choir meets in the town hall")
    new = agent.remember("The choir meets in the school gym")
    agent.undo(new.change)
    found = agent.recall("where does the choir meet?", session=OWN)
    assert [hit.earlier for hit in found.hits] == [False]


def test_hits_of_one_person_that_disagree_about_what_is_asked_are_called_conflicting(agent: Agent) -> None:
    line = "- The choir meets in the {} (added 2026-02-0{}) #knowledge\n"
    agent.files.put("MEMORY.md", f"# Memory\n\n{line.format('town hall', 1)}{line.format('school gym', 2)}".encode())
    found = agent.recall("where does the choir meet?", session=OWN)
    assert found.answer == "conflicting"
    assert len(found.disagreeing) == 1


def test_what_is_asked_to_be_kept_in_conversation_supersedes_too(agent: Agent) -> None:
    old = agent.remember("The choir meets in the town hall")
    agent.hear("Remember that the choir meets in the school gym", session=OWN, time=NOON)
    agent.run("memory-miner")
    entries = {entry.id: entry for entry in parse(agent._parts.read(MEMORY).data or b"").entries}
    assert entries[old.entry].fields["superseded"].endswith(",2026-02-04")
    assert "school gym" in entries[entries[old.entry].fields["superseded"].partition(",")[0]].text


def test_what_the_operator_said_is_held_beside_what_stands_in_memory(agent: Agent) -> None:
    agent.files.put("MEMORY.md", STANDING)
    agent.hear("Lunch was soup. The rent is 950 euros.", session=OWN, time=NOON)
    agent.run("conflict-detector")
    noted = (agent._parts.read(Name("main", "CONFLICTS.md")).data or b"").decode()
    assert "between=k3f9w2m7qa,m:1" in noted.replace("%3A", ":")
    assert "status=open" in noted
    assert (agent._parts.read(MEMORY).data or b"").startswith(STANDING)
    assert agent.recall("how much is the rent?", session=OWN).answer == "conflicting"


def later(agent: Agent, text: str, session: Session = OWN, subject: str = "acct:owner") -> None:
    clock = agent._parts.home.world.clock
    assert isinstance(clock, FrozenClock)
    clock.advance(timedelta(days=3))
    agent.hear(text, session=session, subject=subject)


@pytest.mark.parametrize(
    "message",
    [
        "the accountant is Mrs Feld these days",  # a word of the entry, and that something changed
        "Ferreira? no, he is not our accountant, Mrs Feld is",
    ],
)
def test_what_was_said_to_have_changed_comes_before_the_entry_which_is_shown_as_earlier(
    agent: Agent, message: str
) -> None:
    agent.remember("The accountant is Mr Ferreira")
    later(agent, message)
    first, *rest = agent.recall("Who is the accountant?", session=OWN).hits
    assert "Feld" in first.chunk.text
    assert all(hit.earlier for hit in rest if "Ferreira" in hit.chunk.text and "Feld" not in hit.chunk.text)
    assert "The accountant is Mr Ferreira" in str(agent.files.show("MEMORY.md").data)


def test_what_says_no_change_and_no_other_value_leaves_an_entry_as_it_is(agent: Agent) -> None:
    agent.remember("The accountant is Mr Ferreira")
    later(agent, "the accountant sent a letter")
    hits = agent.recall("Who is the accountant?", session=OWN).hits
    assert [hit.earlier for hit in hits if "Ferreira" in hit.chunk.text] == [False]


def test_a_wrong_value_that_somebody_says_again_in_a_room_is_marked_wherever_it_is_shown(agent: Agent) -> None:
    agent.remember("The regatta starts at pier 4")
    agent.correct("The regatta starts at pier 9", wrong="pier 4", right="pier 9")
    lounge = Session.group("lounge", id="lounge-1")
    later(agent, "see you all at pier 4 then, bring snacks for the regatta", lounge, "acct:7")
    agent.talk.end(lounge)
    for session in (OWN, Session.group("lounge", id="lounge-2")):
        found = agent.recall("Where does the regatta start?", session=session)
        said = [hit for hit in found.hits if "pier 4" in hit.chunk.text and "pier 9" not in hit.chunk.text]
        assert all(hit.earlier for hit in said)
        told = agent.context("Where does the regatta start?", session=session).block.splitlines()
        lines = [line for line in told if "pier 4" in line and "pier 9" not in line]
        assert all("corrected since" in line or "earlier" in line for line in lines)
    assert lines, "in the room it is not hidden: it may be about something else"
