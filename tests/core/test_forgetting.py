"""Forgetting: the entry, its copies, its history, proposals and quotes are gone for good; a tombstone stays."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger_bench import (
    AGENT,
    ARCHIVE,
    DAILY,
    KINDS,
    MEMORY,
    MINER,
    OPERATOR,
    R1,
    ROOM,
    SOUL,
    House,
    house_of,
    said,
)
from oldsoul.errors import Conflict, NotFound
from oldsoul.ledger.copies import Copies
from oldsoul.values.changes import Add, Move, Put, Remove, Replace
from oldsoul.values.history import version_of

WORDS = "my sister is called Philomena"


def traces(house: House, words: str) -> bool:
    """Whether a word is anywhere: in a file, in history, in a record, in base 64 at any offset."""
    stored = house.bench.stored()
    shifted = (base64.b64encode(b"x" * shift + words.encode())[4 if shift else 0 : -4] for shift in range(3))
    shapes = [words.encode(), *shifted]
    return any(shape in stored for shape in shapes)


def test_a_forgotten_entry_is_nowhere_and_a_tombstone_stays(house: House) -> None:
    house.put(MEMORY, "- first\n- last\n")
    quoted = (said(quote=f"You know, {WORDS}, and she lives far away"),)
    told = house.do(
        Add(MEMORY, WORDS, title="Family", added="2026-02-04", tag="knowledge", children=("she lives in Trondheim",)),
        author=MINER,
        evidence=quoted,
        reason=f"mined: {WORDS}",
    ).change
    assert told is not None
    entry = told.effects[0].entries[0]
    house.add(ROOM, WORDS, MINER, (said(audience=R1),))
    house.add(DAILY, f"Today we spoke. {WORDS}. Then we went home.")
    house.do(Replace(MEMORY, entry, "my sister Philomena married", keep_old=True))
    house.do(Move(MEMORY, entry, to=ARCHIVE))
    house.do(Move(ARCHIVE, entry, to=MEMORY))
    house.do(Add(SOUL, WORDS), author=AGENT)
    house.do(Replace(SOUL, house.add(SOUL, "harmless"), "still harmless"), author=AGENT)
    assert traces(house, "Philomena")

    text = house.entry(MEMORY, entry).text
    outcome = house.ledger.forget(MEMORY, entry, OPERATOR, f"she asked; {WORDS}")
    for words in ("Philomena", "Trondheim", "lives far away"):
        assert not traces(house, words), words
    assert house.entries(MEMORY) == ["first", "last"]
    assert house.entries(ROOM) == []
    assert "Then we went home." in house.text(DAILY)
    assert outcome.change is not None
    assert outcome.change.notes == {"erased": entry, "digest": version_of(text.encode())}
    assert "[erased]" in house.ledger.change(outcome.change.id).reason
    assert [p.change_set.operations[0].__class__ for p in house.ledger.proposals("main")] == [Replace]
    assert house.ledger.change(told.id).evidence[0].ref == "m:1"


def test_a_forgotten_entry_does_not_come_back_by_undo(house: House) -> None:
    house.put(MEMORY, "- first\n")
    entry = house.add(MEMORY, WORDS)
    wrote = house.ledger.history("main")[0]
    other = house.do(Add(MEMORY, "third")).change
    removed = house.do(Remove(MEMORY, entry)).change
    assert other is not None
    assert removed is not None
    house.ledger.undo(removed.id, OPERATOR)
    forgotten = house.ledger.forget(MEMORY, entry, OPERATOR, "please").change
    assert forgotten is not None
    for change in (wrote, removed, forgotten):
        try:
            house.ledger.undo(change.id, OPERATOR)
        except Conflict:
            continue
        assert WORDS not in house.text(MEMORY)
    house.ledger.undo(other.id, OPERATOR)
    assert house.entries(MEMORY) == ["first"]
    assert not traces(house, WORDS)
    assert [line.text for line in house.ledger.blame(MEMORY)] == ["- first"]


def test_an_entry_that_was_removed_before_can_still_be_forgotten(house: House) -> None:
    entry = house.add(MEMORY, WORDS)
    house.do(Remove(MEMORY, entry))
    assert traces(house, WORDS)
    house.ledger.forget(MEMORY, entry, OPERATOR, "please")
    assert not traces(house, WORDS)
    with pytest.raises(NotFound):
        house.ledger.forget(MEMORY, "0000000000", OPERATOR, "please")


def test_a_line_typed_by_hand_can_be_forgotten(house: House) -> None:
    house.bench.save(MEMORY, f"- {WORDS}\n- other\n".encode())
    house.ledger.forget(MEMORY, house.ids(MEMORY)[0], OPERATOR, "please")
    assert house.entries(MEMORY) == ["other"]
    assert not traces(house, WORDS)


def test_forgetting_short_words_leaves_the_words_they_are_part_of(house: House) -> None:
    house.put(MEMORY, "- Tea <!--os 0000000001-->\n- Teacher came\n- ok\n")
    house.put(ROOM, "- Tea\n- Team\n")
    house.ledger.forget(MEMORY, "0000000001", OPERATOR, "please")
    assert house.entries(MEMORY) == ["Teacher came", "ok"]
    assert house.entries(ROOM) == ["Tea", "Team"]


def test_the_name_of_a_field_ends_the_sentence_before_it() -> None:
    quoted = "**Means:** The keys lie in drawer 4 **Right value:** drawer 4"
    assert Copies(["the keys lie in drawer 4"]).without(quoted) == "**Means:** [erased] **Right value:** drawer 4"


def test_forgetting_a_block_of_a_log_leaves_other_blocks_of_the_same_minute(house: House) -> None:
    first = house.add(DAILY, "We spoke of the surprise party")
    second = house.add(DAILY, "We spoke of the weather")
    assert house.entry(DAILY, first).title == house.entry(DAILY, second).title
    house.ledger.forget(DAILY, first, OPERATOR, "please")
    assert house.ids(DAILY) == [second]
    assert "2026-02-04 12:00" in house.text(DAILY)
    assert not traces(house, "surprise party")


def test_a_repeated_key_of_a_forgotten_proposal_does_nothing(house: House) -> None:
    entry = house.add(MEMORY, WORDS)
    house.do(Add(SOUL, WORDS), author=AGENT, key="wish")
    house.ledger.forget(MEMORY, entry, OPERATOR, "please")
    again = house.do(Add(SOUL, WORDS), author=AGENT, key="wish")
    assert (again.repeated, again.change, again.proposal) == (True, None, None)


NAMES = st.sampled_from([MEMORY, ROOM, DAILY])


@given(KINDS, st.lists(st.tuples(NAMES, st.sampled_from(["add", "copy", "put", "move", "reword", "undo"])), max_size=8))
def test_whatever_happened_to_an_entry_nothing_of_it_is_left(kind: str, steps: list[tuple[object, str]]) -> None:
    with house_of(kind) as house:
        house.put(MEMORY, "# Memory\n\n- first\n")
        entry = house.add(MEMORY, f"{WORDS} first of all")
        place = MEMORY
        for number, (name, what) in enumerate(steps):
            if what == "add":
                house.add(ROOM, f"harmless {number}")
            elif what == "copy":
                house.add(DAILY, f"Number {number}. {WORDS} first of all. Indeed.")
            elif what == "put":
                house.do(Put(ROOM, house.text(ROOM).encode() + b"- put %d\n" % number))
            elif what == "move":
                target = ARCHIVE if place == MEMORY else MEMORY
                house.do(Move(place, entry, to=target))
                place = target
            elif what == "reword":
                house.do(Replace(place, entry, f"{WORDS} reworded {number}", keep_old=name == ROOM))
            else:
                change = house.do(Add(MEMORY, f"undone {number}")).change
                assert change is not None
                house.ledger.undo(change.id, OPERATOR)
        house.ledger.forget(place, entry, OPERATOR, "please")
        assert not traces(house, WORDS)
        assert house.entries(MEMORY) == ["first"]
