"""A correction is of one subject and slot: what says the same value of another stays, is found, and is asked about."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from oldsoul import Oldsoul
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from talk_bench import talk

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Agent

MEMORY = Name("main", "MEMORY.md")
OPERATOR = Session.dm("acct:owner", id="dm")
SUBJECTS = (
    ("Anna's", "Ben's"),
    ("Tomas's", "Ida's"),
    ("my sister's", "my neighbour's"),
    ("the mill's", "the harbour café's"),
    ("the office", "the cellar"),
    ("the northern", "the southern"),
)
ALIKE = (("room 12's", "room 14's"), ("invoice 4711's", "invoice 4712's"), ("team A's", "team B's"), ("her", "his"))
"""Subjects that a number, a letter or a little word tells apart."""
SLOTS = (
    ("{} spare key hangs on {}", "hook 3", "hook 9"),
    ("{} dentist appointment is on {}", "Tuesday", "Thursday"),
    ("{} rent comes to {} a month", "900 euros", "950 euros"),
    ("{} door code was changed by {}", "Brandt", "Okafor"),
    ("{} alarm rings at {}", "7:30", "8:15"),
)
CASES = [
    *product((pair for both in SUBJECTS for pair in permutations(both)), SLOTS),
    *product((pair for both in ALIKE for pair in permutations(both)), SLOTS[:2]),
]


def told(agent: Agent) -> dict[str, str]:
    return {entry.text.partition(" (added")[0]: entry.id for entry in agent.memory.entries("MEMORY.md", limit=100)}


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


@pytest.mark.parametrize("by", ["command", "form"])
@pytest.mark.parametrize(("pair", "slot"), CASES)
def test_only_the_entry_of_the_subject_is_reworded(pair: tuple[str, str], slot: tuple[str, str, str], by: str) -> None:
    (one, other), (form, old, new) = pair, slot
    t = talk()
    mine, theirs, right = (capital(form.format(*each)) for each in ((one, old), (other, old), (one, new)))
    t.agent.remember(theirs)
    t.agent.remember(mine)
    if by == "command":
        t.agent.correct(right, wrong=old, right=new)
    else:
        t.agent.hear(f"{right}, not {old}.", session=OPERATOR)
    assert {*told(t.agent)} == {right, theirs}
    block = (t.agent.files.show("CORRECTIONS.md").data or b"").decode().partition("-->")[2]
    assert other.lower() not in block.lower()
    asked = [o.entry for p in t.agent.review.proposals() for o in p.change_set.operations if hasattr(o, "entry")]
    assert asked == [told(t.agent)[theirs]] or (by == "form" and not asked)
    t.agent.forget(MEMORY, told(t.agent)[right])
    assert {*told(t.agent)} == {theirs}
    past = (effect.after for change in t.agent.files.history("MEMORY.md", limit=100) for effect in change.effects)
    assert any(theirs.encode() in (t.agent._parts.home.ledger.content(version) or b"") for version in past)


def test_where_the_operator_names_no_subject_and_two_fit_both_are_asked_about() -> None:
    t = talk()
    t.agent.remember("Anna's spare key hangs on hook 3")
    t.agent.remember("Ben's spare key hangs on hook 3")
    before = told(t.agent)
    t.agent.correct("the spare key hangs on hook 9", wrong="hook 3", right="hook 9")
    assert told(t.agent) == before
    assert {o.entry for p in t.agent.review.proposals() for o in p.change_set.operations} == {*before.values()}  # type: ignore[union-attr]


def test_a_correction_of_the_mill_says_nothing_of_the_fair() -> None:
    t = talk()
    fair = "Orders for the harbour fair close on the Wednesday before, at noon."
    mill = "Our flour comes from the Fennel Mill. The order has to be with them by Monday noon."
    t.agent.remember(fair)
    t.agent.remember(mill)
    t.agent.correct("The order has to be with the mill by Monday at ten.", wrong="noon", right="at ten")
    assert {*told(t.agent)} == {fair, mill.replace("noon", "at ten")}
    (block,) = (e for e in t.document(Name("main", "CORRECTIONS.md")).entries if e.form == "dated")
    assert told(t.agent)[fair] not in block.fields.get("supersedes", "")
    assert "fair" not in block.body


def test_what_says_the_same_value_of_another_is_found_as_before(tmp_path: Path) -> None:
    with Oldsoul.open(tmp_path) as soul:
        agent = soul.agent()
        for one in ("Anna's", "Ben's"):
            agent.remember(f"{one} spare key hangs on hook 3")
        agent.correct("Ben's spare key hangs on hook 9", wrong="hook 3", right="hook 9")
        found = agent.recall("where does Anna's spare key hang?", session=OPERATOR).hits
        assert any("Anna's spare key hangs on hook 3" in hit.chunk.text for hit in found[:2])
