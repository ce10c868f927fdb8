"""Undo where later changes moved, archived, corrected or took back what a change wrote."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.ledger_bench import ARCHIVE, KINDS, MEMORY, OPERATOR, ROOM, House, house_of
from oldsoul.errors import Conflict, TooLarge
from oldsoul.ledger import LedgerOptions
from oldsoul.values.changes import Add, Move, Operation, Remove, Rename, Replace, SetField
from oldsoul.values.names import Name
from scale import scaled

if TYPE_CHECKING:
    from oldsoul.values.history import Change

ROOMY = LedgerOptions(max_file_size=900)
"""A MEMORY.md that is full after a few entries."""
DAILY, ARCHIVED = Name("main", "memory/2026-02-01.md"), Name("main", "Archive/Daily/2026-02-01.md")
PLACES = (MEMORY, ROOM, ARCHIVE)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                *["remember"] * 5,
                *["undo"] * 4,
                *("move", "move", "correct", "remove", "type", "mention", "log", "archive day", "restore day"),
            ]
        ),
        st.integers(0, 30),
        st.integers(0, 2),
    ),
    min_size=4,
    max_size=24,
)


@dataclass(slots=True)
class Life:
    """A workspace in which things happen, and which change added what."""

    house: House
    changes: list[int] = field(default_factory=list)
    added: dict[int, str] = field(default_factory=dict)
    """the adding changes, each with words nothing else has"""

    def happen(self, what: str, which: int, where: int) -> None:
        house = self.house
        number = len(self.changes)
        words = f"fact{number}x"
        if what == "type":
            name = DAILY if where and not house.text(ARCHIVED) else MEMORY
            lines = f"## 2026-02-01 13:00\n\n{words}\n" if name is DAILY else f"- {words}\n"
            house.bench.save(name, (house.ledger.read(name).data or b"# Typed\n") + lines.encode())
            house.ledger.notice("main")
            self._note(house.ledger.history("main", limit=1)[0].id, words)
            return
        if what == "undo":
            if self.changes:
                self.undo(self.changes[which % len(self.changes)])
            return
        operations = self._operations(what, which, where, words)
        with suppress(TooLarge):
            change = house.do(*operations, reason=what).change if operations else None
            if change is not None and change.effects:
                self._note(change.id, words if what in ("remember", "log") else "")

    def _operations(self, what: str, which: int, where: int, words: str) -> list[Operation]:
        if what == "remember":
            day = f"2026-01-{which % 28 + 1:02}"
            return [Add(MEMORY, f"{words} {'about the house ' * 8}", added=day)]
        if what == "log":
            return [Add(DAILY, words, title="2026-02-01 12:00")] if self.house.text(ARCHIVED) == "" else []
        if "day" in what:
            one, other = (DAILY, ARCHIVED) if what == "archive day" else (ARCHIVED, DAILY)
            there = self.house.ledger.read(one).data, self.house.ledger.read(other).data
            return [Rename(one, other)] if there[0] is not None and there[1] is None else []
        here = [(name, entry) for name in PLACES for entry in self.house.ids(name)]
        if not here:
            return []
        name, entry = here[which % len(here)]
        to = PLACES[where]
        match what:
            case "move":
                return [Move(name, entry, to=to)] if to != name else []
            case "correct":
                fact = next(iter(facts_of(self.house.entry(name, entry).text.encode())), "a heading")
                return [Replace(name, entry, f"{fact} is another, {which}", keep_old=True)]
            case "mention":
                return [SetField(name, "seen", f"2026-02-{which + 1:02}" if which < 28 else None, entry)]
            case _:
                return [Remove(name, entry)]

    def _note(self, change: int, words: str) -> None:
        self.changes.append(change)
        if words:
            self.added[change] = words

    def undo(self, change: int) -> int | None:
        """The change that took it back; None where later ones are in its way. What goes is what it brought."""
        before = self.facts()
        undone, _ = tried(self.house, change)
        if undone is None:
            return None
        effects = self.house.ledger.change(change).effects
        came, went = (
            {fact for e in effects for fact in facts_of(self.house.ledger.content(getattr(e, side)))}
            for side in ("after", "before")
        )
        assert before - self.facts() <= came - went
        assert self.facts() - before <= went - came
        self.changes.append(undone.id)
        return undone.id

    def facts(self) -> set[str]:
        """What is known, wherever it stands."""
        return {f for name in self.house.bench.store.names("main") for f in facts_of(self.house.ledger.read(name).data)}

    def holding(self, words: str) -> list[str]:
        """The entries with these words, as they stand, wherever that is."""
        return [
            b"".join(entry.lines).decode().strip()
            for name in self.house.bench.store.names("main")
            for entry in self.house.document(name).entries
            if re.search(rf"\b{words}\b", entry.body)
        ]

    def twice(self) -> list[str]:
        """Ids that stand in more than one place."""
        names = self.house.bench.store.names("main")
        counted = Counter(entry.id for name in names for entry in self.house.document(name).entries if entry.written)
        return [entry for entry, times in counted.items() if times > 1]


def facts_of(data: bytes | None) -> set[str]:
    return set(re.findall(r"fact\d+x", (data or b"").decode()))


def tried(house: House, change: int) -> tuple[Change | None, str]:
    """The change that takes another back, or what the error says."""
    try:
        return house.ledger.undo(change, OPERATOR).change, ""
    except Conflict as error:
        return None, str(error)


def named(error: str) -> list[int]:
    """The changes an error says to undo first."""
    _, _, told = error.partition("first: ")
    return [int(one) for one in re.findall(r"(?:^|, )(\d+) \(", told)]


@settings(max_examples=scaled(30, 150))
@given(KINDS, STEPS, st.integers(0, 30))
@example(
    "memory",
    [(what, 4 * (n == 5), 0) for n, what in enumerate(("remember", "remember", "undo", "correct", "remove", "undo"))],
    1,
)
def test_after_undo_of_what_added_an_entry_no_document_holds_it_and_undoing_that_brings_it_back(
    kind: str, steps: list[tuple[str, int, int]], which: int
) -> None:
    with house_of(kind, ROOMY) as house:
        life = Life(house)
        for step in steps:
            life.happen(*step)
            assert not life.twice()
        if not life.added:
            return
        change, words = list(life.added.items())[which % len(life.added)]
        stood = life.holding(words)
        undone, told = tried(house, change)
        if named(told):
            for one in named(told):
                house.ledger.undo(one, OPERATOR)
            stood = life.holding(words)
            undone = house.ledger.undo(change, OPERATOR).change
        else:
            assert undone or ("nothing is left" in told and not stood), told
        assert not life.holding(words)
        assert not life.twice()
        if undone is not None:
            house.ledger.undo(undone.id, OPERATOR)
            assert life.holding(words) == stood


def test_undo_follows_each_of_190_things_remembered_into_the_archive(house: House) -> None:
    life = Life(house)
    for number in range(190):
        life.happen("remember", number % 28, 0)
    assert len(house.ids(ARCHIVE)) > 60
    for change in (life.changes[91], *life.changes[:: scaled(47, 9)]):
        if life.holding(life.added[change]):
            house.ledger.undo(change, OPERATOR)
        assert not life.holding(life.added[change])
        with pytest.raises(Conflict, match=f"nothing is left of change {change}"):
            house.ledger.undo(change, OPERATOR)


def test_what_writers_at_the_same_time_remember_and_take_back_is_nowhere(house: House) -> None:
    taken: list[str] = []
    problems: list[Conflict] = []

    def write(writer: int) -> None:
        mine: list[tuple[int, str]] = []
        for number in range(scaled(12, 60)):
            words = f"w{writer}n{number}x"
            change = house.do(Add(MEMORY, f"{words} {'in the house ' * 60}", added="2026-01-05")).change
            assert change is not None
            mine.append((change.id, words))
            if number % 2:
                gone, words = mine.pop(0)
                try:
                    house.ledger.undo(gone, OPERATOR)
                except Conflict as error:
                    problems.append(error)
                taken.append(words)

    writers = [Thread(target=write, args=(number,)) for number in range(4)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    life = Life(house)
    assert not problems
    assert len(taken) == scaled(24, 120)
    assert [words for words in taken if life.holding(words)] == []
    assert not life.twice()


def test_a_line_cut_and_pasted_into_another_file_by_hand_is_found_there(house: House) -> None:
    change = house.do(Add(MEMORY, "the cat is Mia")).change
    line = house.text(MEMORY).splitlines()[-1]
    house.bench.save(MEMORY, b"# MEMORY.md\n")
    house.bench.save(ROOM, f"# Room\n\n- other\n{line}\n".encode())
    assert change is not None
    house.ledger.undo(change.id, OPERATOR)
    assert house.text(ROOM) == "# Room\n\n- other\n"


def test_copies_in_files_of_a_person_are_left_alone_and_are_in_nobodys_way(house: House) -> None:
    copy = Name("main", "notes/copy.md")
    added = house.do(Add(MEMORY, "the cat is Mia")).change
    house.do(Add(MEMORY, "the dog is Rex"))
    house.bench.save(copy, house.text(MEMORY).encode())
    removed = house.do(Remove(MEMORY, house.ids(MEMORY)[0])).change
    assert added is not None
    assert removed is not None
    house.ledger.undo(removed.id, OPERATOR)
    house.do(Move(MEMORY, house.ids(MEMORY)[0], to=ARCHIVE))
    house.ledger.undo(added.id, OPERATOR)
    assert (house.entries(MEMORY), house.entries(ARCHIVE)) == (["the dog is Rex"], [])
    assert house.entries(copy) == ["the cat is Mia", "the dog is Rex"]


def test_a_line_typed_by_hand_and_archived_is_taken_back_there_and_an_equal_one_elsewhere_stays(house: House) -> None:
    house.put(MEMORY, "- one\n")
    house.put(ROOM, "- typed\n")
    house.bench.save(MEMORY, b"- one\n- typed\n")
    house.ledger.notice("main")
    save = house.ledger.history("main", limit=1)[0].id
    house.do(Move(MEMORY, house.ids(MEMORY)[1], to=ARCHIVE))
    house.ledger.undo(save, OPERATOR)
    assert (house.entries(MEMORY), house.entries(ARCHIVE), house.entries(ROOM)) == (["one"], [], ["typed"])


def test_what_was_corrected_and_archived_since_names_the_correction_and_not_the_move(house: House) -> None:
    added = house.do(Add(MEMORY, "the cat is Mia")).change
    entry = house.ids(MEMORY)[0]
    corrected = house.do(Replace(MEMORY, entry, "the cat is Lea", keep_old=True), reason="corrected").change
    house.do(Move(MEMORY, entry, to=ARCHIVE), reason="archived")
    assert added is not None
    assert corrected is not None
    with pytest.raises(Conflict, match=rf"Archive.*undo this first: {corrected.id} \(corrected\)$"):
        house.ledger.undo(added.id, OPERATOR)
    house.ledger.undo(corrected.id, OPERATOR)
    assert house.entries(ARCHIVE) == ["the cat is Mia"]
    house.ledger.undo(added.id, OPERATOR)
    assert house.entries(ARCHIVE) == house.entries(MEMORY) == []


def test_undoing_what_made_room_does_not_bring_back_what_was_taken_back_since(house: House) -> None:
    house.put(MEMORY, "- stays\n")
    added = house.do(Add(MEMORY, "the cat is Mia")).change
    moved = house.do(Move(MEMORY, house.ids(MEMORY)[1], to=ARCHIVE), Add(MEMORY, "new")).change
    assert added is not None
    assert moved is not None
    house.ledger.undo(added.id, OPERATOR)
    house.ledger.undo(moved.id, OPERATOR)
    assert (house.entries(MEMORY), house.entries(ARCHIVE)) == (["stays"], [])


def test_a_memory_that_is_full_makes_room_for_what_an_undo_brings_back(house: House) -> None:
    house.put(MEMORY, "".join(f"- {n} {'x' * 1200} (added 2026-01-{n:02})\n" for n in range(10, 20)))
    gone = house.do(Remove(MEMORY, house.ids(MEMORY)[9])).change
    for number in range(4):
        house.do(Add(MEMORY, f"{number} {'y' * 1200}", added="2026-01-28"))
    assert gone is not None
    house.ledger.undo(gone.id, OPERATOR)
    assert len(house.text(MEMORY)) <= 16_384 * 0.8
    assert sorted(entry[:2] for entry in house.entries(MEMORY) + house.entries(ARCHIVE) if "y" not in entry) == [
        str(n) for n in range(10, 20)
    ]
