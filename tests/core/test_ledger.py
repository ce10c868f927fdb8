"""The door: versions, keys, undo, sizes, parts, secrets, trust, blame. On the store in memory and on the one in folders."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger_bench import (
    AGENT,
    ARCHIVE,
    BY_OPERATOR,
    DAILY,
    FROM_WEB,
    GUEST,
    KINDS,
    MEMORY,
    MINER,
    OPERATOR,
    PERSON,
    ROOM,
    SESSION,
    SOUL,
    SYSTEM,
    House,
    house_of,
    said,
)
from oldsoul.documents import parse
from oldsoul.errors import BadInput, Conflict, DocumentError, NotFound, Refused, TooLarge
from oldsoul.rules.merge.lines import split
from oldsoul.values.changes import Add, Author, Delete, Move, Operation, Put, Remove, Replace, Role, SetField, Tick
from oldsoul.values.history import ABSENT, version_of
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.ledger import Outcome

LIST = "# Memory\n\n- one <!--os 0000000001-->\n- two <!--os 0000000002-->\n- three <!--os 0000000003-->\n"


# what a change leaves behind


def test_a_change_is_written_and_remembered_with_who_why_and_on_what(house: House) -> None:
    evidence = (said(quote="the cat is called Mia"),)
    outcome = house.do(
        Add(MEMORY, "The cat is Mia", title="Cat", tag="knowledge"), evidence=evidence, reason="she said"
    )
    assert outcome.change is not None
    change = house.ledger.change(outcome.change.id)
    assert (change.author, change.reason, change.evidence) == (OPERATOR, "she said", evidence)
    (effect,) = change.effects
    assert (effect.name, effect.before) == (MEMORY, ABSENT)
    assert house.ledger.content(effect.after) == house.ledger.read(MEMORY).data
    entry = house.entry(MEMORY, effect.entries[0])
    assert (entry.title, entry.tag, entry.written) == ("Cat", "knowledge", True)
    assert "+- **Cat**: The cat is Mia #knowledge" in house.ledger.diff(change)
    assert house.ledger.history("main") == [change]
    assert house.ledger.history("main", name=SOUL) == []


def test_what_is_not_there_is_said_to_be_not_there(house: House) -> None:
    with pytest.raises(NotFound):
        house.ledger.change(99)
    with pytest.raises(NotFound):
        house.ledger.proposal("main", "0000000000")
    with pytest.raises(NotFound):
        house.ledger.blame(MEMORY)
    for operation in (Remove(MEMORY, "0000000001"), Delete(MEMORY), Tick(MEMORY, "0000000001", done=True)):
        with pytest.raises(NotFound):
            house.do(operation)
    with pytest.raises(BadInput):
        house.do()
    assert house.ledger.history("main") == []


def test_a_change_that_changes_nothing_is_remembered_all_the_same(house: House) -> None:
    house.put(MEMORY, "- [x] done <!--os 0000000001-->\n")
    outcome = house.do(Tick(MEMORY, "0000000001", done=True), key="tick")
    assert outcome.change is not None
    assert outcome.change.effects == ()
    assert house.do(Tick(MEMORY, "0000000001", done=True), key="tick").repeated
    with pytest.raises(BadInput):
        house.ledger.undo(outcome.change.id, OPERATOR)


def test_all_documents_of_a_set_are_written_or_none(house: House) -> None:
    house.put(MEMORY, LIST)
    with pytest.raises(NotFound):
        house.do(Add(MEMORY, "four"), Add(DAILY, "x", title="2026-02-04 12:00"), Remove(MEMORY, "000000000z"))
    with pytest.raises(TooLarge):
        house.do(Add(DAILY, "x", title="2026-02-04 12:00"), Add(SOUL, "y" * 17_000))
    assert house.text(MEMORY) == LIST
    assert house.ledger.read(DAILY).data is None
    outcome = house.do(
        Add(DAILY, "x", title="2026-02-04 12:00"), Move(MEMORY, "0000000001", to=ARCHIVE), Add(MEMORY, "4")
    )
    assert outcome.change is not None
    assert {e.name for e in outcome.change.effects} == {DAILY, MEMORY, ARCHIVE}
    assert house.entries(MEMORY) == ["two", "three", "4"]
    assert house.entries(ARCHIVE) == ["one"]


# versions


def test_a_stale_change_is_merged_by_entry(house: House) -> None:
    version = house.put(MEMORY, LIST)
    house.do(Replace(MEMORY, "0000000001", "one more"), Add(MEMORY, "four"))
    house.do(Replace(MEMORY, "0000000003", "three less"), Add(MEMORY, "five"), versions={MEMORY: version})
    assert set(house.entries(MEMORY)) == {"one more", "two", "three less", "four", "five"}


def test_a_stale_change_of_the_same_entry_is_a_conflict_and_changes_nothing(house: House) -> None:
    version = house.put(MEMORY, LIST)
    house.do(Replace(MEMORY, "0000000001", "mine"))
    before = house.text(MEMORY)
    for operation in (Replace(MEMORY, "0000000001", "yours"), Remove(MEMORY, "0000000001")):
        with pytest.raises(Conflict, match="same place"):
            house.do(operation, Add(MEMORY, "lost"), versions={MEMORY: version}, key="k")
    assert house.text(MEMORY) == before
    assert not house.do(Add(MEMORY, "kept"), key="k").repeated


def test_a_version_nobody_knows_is_a_conflict(house: House) -> None:
    house.put(MEMORY, LIST)
    with pytest.raises(Conflict, match="history has no version"):
        house.do(Add(MEMORY, "x"), versions={MEMORY: version_of(b"never")})


def test_a_whole_text_saved_from_an_older_version_is_merged(house: House) -> None:
    version = house.put(MEMORY, LIST)
    house.do(Add(MEMORY, "four"), Replace(MEMORY, "0000000002", "two by a keeper"))
    edited = LIST.replace("- one", "- one by hand").replace("- three <!--os 0000000003-->\n", "")
    house.do(Put(MEMORY, edited.encode()), versions={MEMORY: version})
    assert house.entries(MEMORY) == ["one by hand", "two by a keeper", "four"]
    with pytest.raises(Conflict):
        house.do(Put(MEMORY, LIST.replace("two", "two by hand").encode()), versions={MEMORY: version})


def test_a_document_deleted_or_changed_meanwhile_is_a_conflict(house: House) -> None:
    version = house.put(MEMORY, LIST)
    house.do(Add(MEMORY, "four"))
    with pytest.raises(Conflict):
        house.do(Delete(MEMORY), versions={MEMORY: version})
    house.do(Delete(MEMORY))
    with pytest.raises(Conflict):
        house.do(Add(MEMORY, "five"), versions={MEMORY: version})


# random documents and operations

WORDS = st.text(alphabet="abc 中é#*-[]()!<>&\\`", min_size=1, max_size=12).map(lambda t: f"w{t}")
LINES = st.sampled_from(
    [
        *(
            "- one <!--os 0000000001-->",
            "- two <!--os 0000000002 conf=0.5-->",
            "- [ ] task <!--os 0000000003-->",
            "- by hand",
        ),
        *("", "## Notes", "# Memory", "Some prose.", "1. first", "  - child", "> quote", "* star", "by hand, lazily"),
        *("- **Title**: text (added 2026-02-05) #decision <!--os k3f9w2m7qa-->", "```", "code", "<!-- a comment -->"),
    ]
)
TEXTS = st.lists(LINES, max_size=12).map(lambda lines: "".join(f"{line}\n" for line in lines))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "replace", "remove", "tick", "field", "move", "key", "put"]), st.integers(0, 9), WORDS
    ),
    min_size=1,
    max_size=4,
)


def operations_on(house: House, name: Name, steps: list[tuple[str, int, str]]) -> list[Operation]:
    """Steps as operations on entries that are there."""
    ids = house.ids(name) or ["0000000000"]
    made: list[Operation] = []
    for what, which, words in steps:
        entry = ids[which % len(ids)]
        one_of: dict[str, Operation] = {
            "add": Add(name, words, section="Notes" if which % 3 == 0 else "", children=(words,) * (which % 3)),
            "replace": Replace(name, entry, words, keep_old=bool(which % 2)),
            "remove": Remove(name, entry),
            "tick": Tick(name, entry, done=bool(which % 2)),
            "field": SetField(name, "seen", "2026-02-04", entry),
            "move": Move(name, entry, "Elsewhere", to=SESSION if which % 2 else None),
            "key": SetField(name, "summary", words),
            "put": Put(name, words.encode()),
        }
        made.append(one_of[what])
    return made


@given(KINDS, TEXTS, STEPS)
def test_apply_then_undo_gives_the_same_bytes(kind: str, text: str, steps: list[tuple[str, int, str]]) -> None:
    with house_of(kind) as house:
        house.put(ROOM, text)
        before = house.ledger.read(ROOM).data, house.ledger.read(SESSION).data
        try:
            outcome = house.do(*operations_on(house, ROOM, steps))
        except (NotFound, DocumentError):
            assert (house.ledger.read(ROOM).data, house.ledger.read(SESSION).data) == before
            return
        assert outcome.change is not None
        after = house.ledger.read(ROOM).data, house.ledger.read(SESSION).data
        if after == before:
            return
        undone = house.ledger.undo(outcome.change.id, OPERATOR).change
        assert (house.ledger.read(ROOM).data, house.ledger.read(SESSION).data) == before
        assert undone is not None
        house.ledger.undo(undone.id, OPERATOR)
        assert (house.ledger.read(ROOM).data, house.ledger.read(SESSION).data) == after


@given(KINDS, TEXTS, STEPS, STEPS)
def test_the_same_key_is_applied_once(
    kind: str, text: str, steps: list[tuple[str, int, str]], others: list[tuple[str, int, str]]
) -> None:
    with house_of(kind) as house:
        house.put(ROOM, text)
        try:
            first = house.do(*operations_on(house, ROOM, steps), key="k")
        except (NotFound, DocumentError):
            return
        after, history = house.text(ROOM), house.ledger.history("main")
        for again in (steps, others):
            repeated = house.do(*operations_on(house, ROOM, again), key="k")
            assert (repeated.repeated, repeated.change) == (True, first.change)
        assert house.text(ROOM) == after
        assert house.ledger.history("main") == history


# keys


def test_a_refused_change_does_not_spend_its_key_and_a_proposed_one_does(house: House) -> None:
    with pytest.raises(Refused):
        house.do(Put(SOUL, b"mine"), author=AGENT, key="k")
    with pytest.raises(TooLarge):
        house.do(Add(SOUL, "y" * 20_000), key="k")
    waits = house.do(Add(SOUL, "I like rain"), author=AGENT, key="k")
    again = house.do(Add(SOUL, "something else"), author=AGENT, key="k")
    assert again.repeated
    assert again.proposal == waits.proposal is not None
    assert len(house.ledger.proposals("main")) == 1


def test_the_same_key_in_another_workspace_is_another_key(house: House) -> None:
    for workspace in ("main", "other"):
        assert not house.do(Add(Name(workspace, "MEMORY.md"), "x"), key="k").repeated


@pytest.mark.parametrize(
    "key", ["approve:x", "reject:x", "undo:x", "forget:x", "refresh:x", "outside:x", "clash:x", "expire:x"]
)
def test_nobody_spends_the_ledgers_own_keys(house: House, key: str) -> None:
    with pytest.raises(BadInput, match="key"):
        house.do(Add(MEMORY, "x"), author=AGENT, key=key)


# undo


def test_one_change_among_later_ones_is_taken_back_alone(house: House) -> None:
    house.put(MEMORY, LIST)
    second = house.do(Add(MEMORY, "four"), Replace(MEMORY, "0000000001", "uno"))
    house.do(Add(MEMORY, "five"), Replace(MEMORY, "0000000002", "due"))
    assert second.change is not None
    undone = house.ledger.undo(second.change.id, OPERATOR).change
    assert undone is not None
    assert house.entries(MEMORY) == ["one", "due", "three", "five"]
    assert undone.notes["reverts"] == str(second.change.id)
    house.ledger.undo(undone.id, OPERATOR)
    assert set(house.entries(MEMORY)) == {"uno", "due", "three", "four", "five"}


def made(outcome: Outcome) -> int:
    assert outcome.change is not None
    return outcome.change.id


def in_the_way(house: House, change: int) -> list[int]:
    """The changes that the error names, in its order; none where nothing stands in the way."""
    try:
        house.ledger.undo(change, OPERATOR)
    except Conflict as error:
        found = re.search(r"first: (\d.*)$", str(error))
        return [int(one) for one in re.findall(r"(\d+) \(", found[1])] if found else [-1]
    return []


def test_an_undo_that_later_changes_stand_in_the_way_of_says_which(house: House) -> None:
    house.put(MEMORY, LIST)
    first = made(house.do(Replace(MEMORY, "0000000001", "uno")))
    house.do(Replace(MEMORY, "0000000002", "due"), reason="not in the way")
    second = made(house.do(Replace(MEMORY, "0000000001", "ein"), reason="in\nGerman"))
    with pytest.raises(Conflict, match=rf"\(- one\)|\(- uno\); undo this first: {second} \(in German\)$"):
        house.ledger.undo(first, OPERATOR)
    third = made(house.do(Replace(MEMORY, "0000000001", "ichi"), reason="x" * 200))
    with pytest.raises(Conflict, match=rf"undo these, in this order, first: {third} \(x+…\), {second} \(in German\)$"):
        house.ledger.undo(first, OPERATOR)
    gone = made(house.do(Delete(MEMORY), reason="away"))
    with pytest.raises(Conflict, match=rf"deleted later; undo these, .*: {gone} \(away\), {third} .*, {second} "):
        house.ledger.undo(first, OPERATOR)
    for change in (gone, third, second, first):
        house.ledger.undo(change, OPERATOR)
    assert house.entries(MEMORY) == ["one", "due", "three"]


def test_no_change_is_named_that_would_be_taken_back_for_nothing(house: House) -> None:
    house.put(MEMORY, LIST)
    first = made(house.do(Replace(MEMORY, "0000000001", "uno")))
    house.do(Replace(MEMORY, "0000000001", "one"), reason="put back")
    house.do(Replace(MEMORY, "0000000001", "ein"), reason="on purpose")
    assert in_the_way(house, first) == [-1]


def test_what_stands_in_the_way_of_what_stands_in_the_way_comes_before_it(house: House) -> None:
    house.put(MEMORY, LIST)
    first = made(house.do(Replace(MEMORY, "0000000001", "uno")))
    second = made(house.do(Replace(MEMORY, "0000000001", "ein"), Add(ROOM, "the one")))
    room = house.ids(ROOM)[0]
    third = made(house.do(Replace(ROOM, room, "the two")))
    assert in_the_way(house, first) == [third, second]


def test_what_was_taken_back_since_is_in_nobodys_way(house: House) -> None:
    house.put(MEMORY, LIST)
    first = made(house.do(Replace(MEMORY, "0000000001", "uno")))
    second = made(house.do(Replace(MEMORY, "0000000001", "ein")))
    house.ledger.undo(second, OPERATOR)
    fourth = made(house.do(Replace(MEMORY, "0000000001", "ichi")))
    assert in_the_way(house, first) == [fourth]


def test_where_history_was_erased_nobody_can_say_which(house: House) -> None:
    house.put(MEMORY, LIST)
    first = made(house.do(Replace(MEMORY, "0000000001", "uno"), Replace(MEMORY, "0000000002", "due")))
    house.do(Replace(MEMORY, "0000000001", "ein"))
    house.do(Replace(MEMORY, "0000000002", "zwei"))
    house.ledger.forget(MEMORY, "0000000001", OPERATOR, "")
    with pytest.raises(Conflict, match="undo th"):
        house.ledger.undo(first, OPERATOR)


@given(TEXTS, st.lists(STEPS, min_size=2, max_size=6), st.integers(0, 9))
def test_undoing_what_the_error_names_in_its_order_clears_the_way(
    text: str, every: list[list[tuple[str, int, str]]], which: int
) -> None:
    with house_of("memory") as house:
        house.put(ROOM, text)
        changes = []
        for steps in every:
            try:
                outcome = house.do(*operations_on(house, ROOM, steps))
            except (NotFound, DocumentError, Conflict):
                continue
            if outcome.change is not None and outcome.change.effects:
                changes.append(outcome.change.id)
        if not changes:
            return
        wanted = changes[which % len(changes)]
        order = in_the_way(house, wanted)
        if -1 in order or not order:
            return  # nothing is in the way, or the change is undone already by what came later
        for change in order:
            house.ledger.undo(change, OPERATOR)
        assert in_the_way(house, wanted) in ([], [-1])


def test_what_was_taken_back_already_cannot_be_taken_back_again(house: House) -> None:
    house.put(MEMORY, LIST)
    first = house.do(Add(MEMORY, "four")).change
    assert first is not None
    house.ledger.undo(first.id, OPERATOR)
    with pytest.raises(Conflict, match="nothing is left"):
        house.ledger.undo(first.id, OPERATOR)


def test_a_document_that_was_made_goes_again_and_one_that_was_deleted_comes_back(house: House) -> None:
    made = house.do(Put(ROOM, b"- x\n")).change
    gone = house.do(Delete(ROOM)).change
    assert made is not None
    assert gone is not None
    house.ledger.undo(gone.id, OPERATOR)
    assert house.text(ROOM) == "- x\n"
    house.ledger.undo(made.id, OPERATOR)
    assert house.ledger.read(ROOM).data is None


def test_only_the_operator_takes_changes_back(house: House) -> None:
    made = house.do(Add(SOUL, "kind")).change
    assert made is not None
    for author in (AGENT, MINER, GUEST):
        with pytest.raises(Refused):
            house.ledger.undo(made.id, author)
    assert "kind" in house.text(SOUL)


def test_an_undo_does_not_make_a_document_too_large(house: House) -> None:
    house.put(SOUL, "- keep\n" + "- %s\n" % ("x" * 9_000))
    big = house.ids(SOUL)[1]
    gone = house.do(Remove(SOUL, big)).change
    house.do(Add(SOUL, "y" * 9_000))
    assert gone is not None
    with pytest.raises(TooLarge):
        house.ledger.undo(gone.id, OPERATOR)


# the shrink guard


def many(count: int) -> str:
    return "# Room\n\n" + "".join(f"- entry {n} <!--os 00000000{n:02}-->\n" for n in range(10, 10 + count))


def removals(count: int, into: str = "") -> list[Operation]:
    return [Remove(ROOM, f"00000000{n:02}", into) for n in range(10, 10 + count)]


@pytest.mark.parametrize(
    ("entries", "dropped", "allowed"),
    [(16, 4, True), (15, 4, False), (3, 3, True), (4, 4, False), (20, 5, True), (20, 6, False), (19, 5, False)],
)
def test_a_keeper_drops_at_most_a_quarter_or_three(house: House, entries: int, dropped: int, allowed: bool) -> None:  # noqa: FBT001 - a table's column
    for author in (MINER, Author(Role.KEEPER, "session-summarizer")):
        house.put(ROOM, many(entries))
        if allowed:
            house.do(*removals(dropped), author=author)
            assert len(house.entries(ROOM)) == entries - dropped
        else:
            with pytest.raises(Refused, match="quarter"):
                house.do(*removals(dropped), author=author)
            assert len(house.entries(ROOM)) == entries
    house.put(ROOM, many(entries))
    house.do(*removals(dropped))
    assert len(house.entries(ROOM)) == entries - dropped


def test_entries_that_are_merged_or_archived_are_not_dropped(house: House) -> None:
    house.put(ROOM, many(8))
    merged = Add(ROOM, "entries 10 to 16 in one")
    new_id = house.ledger.apply(house.change(merged, key="probe")).change
    assert new_id is not None
    house.put(ROOM, many(8))
    house.do(SetField(ROOM, "n", "8", "0000000017"), *removals(7, into="0000000017"), author=MINER)
    assert house.entries(ROOM) == ["entry 17"]
    house.put(ROOM, many(8))
    house.do(*(Move(ROOM, f"00000000{n}", to=ARCHIVE) for n in range(10, 18)), author=MINER)
    assert house.entries(ROOM) == []
    assert len(house.entries(ARCHIVE)) == 8


def test_a_keeper_prunes_a_daily_file_once_its_entries_are_archived(house: House) -> None:
    archive = Name("main", "Archive/Daily/2026-02-04.md")
    ids = [house.add(DAILY, f"thing {n}") for n in range(6)]
    with pytest.raises(Refused, match="quarter"):
        house.do(Delete(DAILY), author=MINER)
    house.do(*(Move(DAILY, entry, to=archive) for entry in ids), Delete(DAILY), author=MINER)
    assert house.ledger.read(DAILY).data is None
    assert house.ids(archive) == ids


# sizes


@pytest.mark.parametrize("name", [SOUL, MEMORY, ROOM, PERSON, Name("main", "USER.md"), Name("main", "AGENTS.md")])
def test_a_document_takes_its_limit_to_the_byte_and_not_one_more(house: House, name: Name) -> None:
    full = b"x" * 16_383 + b"\n"
    outcome = house.do(Put(name, full))
    assert "16384 of at most 16384 bytes (100 %)" in outcome.warnings[0]
    with pytest.raises(TooLarge, match=r"16385 bytes, more than its limit of 16384") as error:
        house.do(Put(name, b"x" + full))
    assert (error.value.size, error.value.limit) == (16_385, 16_384)
    assert house.ledger.read(name).data == full


def test_a_document_warns_above_four_fifths_of_its_limit(house: House) -> None:
    assert house.do(Put(SOUL, b"x" * 13_107)).warnings == ()
    assert house.do(Put(SOUL, b"x" * 13_108)).warnings == ("SOUL.md has 13108 of at most 16384 bytes (80 %)",)


def test_a_document_that_is_too_large_already_may_shrink_and_not_grow(house: House) -> None:
    house.bench.save(SOUL, b"- %s <!--os 0000000001-->\n- b <!--os 0000000002-->\n" % (b"x" * 20_000))
    house.do(Remove(SOUL, "0000000002"))
    house.do(Replace(SOUL, "0000000001", "y" * 19_000))
    with pytest.raises(TooLarge):
        house.do(Add(SOUL, "more"))


def entry_words(house: House, *names: Name) -> list[str]:
    return sorted(entry.body for name in names for entry in house.document(name).entries)


@given(
    KINDS,
    st.lists(st.tuples(st.integers(200, 2600), st.integers(1, 28), st.booleans()), min_size=6, max_size=14),
    st.integers(1, 3000),
)
def test_a_memory_that_is_nearly_full_moves_its_coldest_entries_to_the_archive_and_loses_none(
    kind: str, sizes: list[tuple[int, int, bool]], last: int
) -> None:
    with house_of(kind) as house:
        written = []
        for number, (size, day, child) in enumerate([*sizes, (last, 28, False)]):
            text = f"{number}:" + "x" * size
            written.append(text)
            before = set(house.ids(MEMORY))
            add = Add(MEMORY, text, added=f"2026-01-{day:02}", children=("child",) * child)
            outcome = house.do(add, author=MINER, evidence=BY_OPERATOR)
            assert outcome.change is not None
            data = house.ledger.read(MEMORY).data or b""
            assert len(data) <= 16_384 * 0.8 or len(house.document(MEMORY).entries) == 1
            new = set(house.ids(MEMORY)) - before
            assert len(new) == 1
            here = {e.id: e.added for e in house.document(MEMORY).entries}
            went = [e.added for e in house.document(ARCHIVE).entries if e.id in before]
            stayed = [added for entry, added in here.items() if entry in before]
            assert not went or not stayed or max(went) <= min(stayed)
        found = entry_words(house, MEMORY, ARCHIVE)
        assert sorted(body.partition(" (added")[0] for body in found) == sorted(written)
        assert sum("child" in body for body in found) == sum(child for _, _, child in sizes)


def test_making_room_is_part_of_the_change_and_is_taken_back_with_it(house: House) -> None:
    house.put(MEMORY, "".join(f"- {n} {'x' * 1200} (added 2026-01-{n:02})\n" for n in range(10, 20)))
    before = house.text(MEMORY)
    outcome = house.do(Add(MEMORY, "y" * 2000), author=MINER, evidence=BY_OPERATOR)
    assert outcome.change is not None
    assert {e.name for e in outcome.change.effects} == {MEMORY, ARCHIVE}
    assert any("nearly full" in warning for warning in outcome.warnings)
    house.ledger.undo(outcome.change.id, OPERATOR)
    assert house.text(MEMORY) == before
    assert house.ledger.read(ARCHIVE).data is None


def test_corrections_open_tasks_instructions_and_lines_typed_by_hand_are_the_last_to_be_archived(house: House) -> None:
    kept = [
        *("- [ ] open task (added 2020-01-01)", "- fact (added 2020-01-01) #correction", "- typed by hand"),
        "- Never call me on Sundays (added 2020-01-01)",
    ]
    cold = [f"- {n} {'x' * 1200} (added 2026-01-{n:02})" for n in range(10, 20)]
    house.put(MEMORY, "".join(f"{line}\n" for line in [*kept, *cold]))
    house.do(Add(MEMORY, "y" * 6000))
    for line in kept:
        assert f"{line}\n" in house.text(MEMORY)
    assert all(entry[:2].isdigit() for entry in house.entries(ARCHIVE))


def test_an_archive_that_was_edited_by_hand_keeps_what_was_typed_when_entries_go_there(house: House) -> None:
    house.bench.save(ARCHIVE, b"# Archive\n\n- by hand\n")
    house.put(MEMORY, "".join(f"- {n} {'x' * 1200} (added 2026-01-{n:02})\n" for n in range(10, 20)))
    house.do(Add(MEMORY, "y" * 2000))
    house.ledger.notice("main")
    assert "by hand" in house.entries(ARCHIVE)
    assert len(house.entries(ARCHIVE)) > 1
    assert {c.author.role for c in house.ledger.history("main", name=ARCHIVE)} == {Role.OPERATOR, Role.OUTSIDE}


def test_a_full_archive_goes_on_in_its_next_part(house: House) -> None:
    house.bench.save(ARCHIVE, b"# Archive\n\n- old %s\n" % (b"x" * 1_048_000))
    house.ledger.notice("main")
    house.put(MEMORY, "".join(f"- {n} {'x' * 1200} (added 2026-01-{n:02})\n" for n in range(10, 20)))
    house.do(Add(MEMORY, "y" * 2000))
    assert house.entries(Name("main", "Archive/Memory/2026-02.2.md"))


@pytest.mark.parametrize("name", [DAILY, SESSION])
def test_a_full_log_or_session_file_goes_on_in_its_next_part(house: House, name: Name) -> None:
    title = "2026-02-04 12:00" if name.is_log else ""
    second, third = (Name("main", name.path.replace(".md", f".{n}.md")) for n in (2, 3))
    house.bench.save(name, b"# Full\n\n%s\n" % (b"x" * (1_048_576 - 700)))
    before = house.text(name)
    house.do(Add(name, "a" * 100, title=title), Add(name, "中" * 300, title=title))
    assert house.text(name).startswith(before[:1000])
    assert house.entries(second)
    house.clock.advance(timedelta(hours=2))
    house.bench.save(second, b"# Full\n\n%s\n" % (b"x" * 1_048_000))
    house.do(*(Add(name, f"{n}" * 400, title=title) for n in range(3)))
    assert len(house.document(third).entries) == 3
    for part in (name, second, third):
        assert len(house.ledger.read(part).data or b"") <= 1_048_576


# secrets

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_secret_is_masked_wherever_a_text_can_enter_and_counted(house: House) -> None:
    by_hand = f"- by hand {TOKEN[:-1]}X\n- one <!--os 0000000001-->\n- two <!--os 0000000002-->\n"
    house.bench.save(ROOM, by_hand.encode())
    entering: list[Operation] = [
        Add(ROOM, f"text {TOKEN}"),
        Add(ROOM, "text", title=f"title {TOKEN}"),
        Add(ROOM, "text", children=("fine", f"child {TOKEN}")),
        Add(ROOM, "text", section=f"heading {TOKEN}"),
        Add(ROOM, "text", fields={"src": TOKEN}),
        Replace(ROOM, "0000000001", f"new {TOKEN}"),
        Replace(ROOM, "0000000001", "new", fields={"src": TOKEN}),
        SetField(ROOM, "src", TOKEN, "0000000001"),
        SetField(ROOM, "summary", f"about {TOKEN}"),
        Move(ROOM, "0000000002", f"heading {TOKEN}"),
        Put(ROOM, f"- by hand {TOKEN[:-1]}X\n- new {TOKEN}\n".encode()),
    ]
    for operation in entering:
        outcome = house.do(operation)
        assert outcome.masked == 1, operation
        assert outcome.change is not None
        assert outcome.change.notes["masked"] == "1"
    quoted = (said(quote=f"it is {TOKEN}", ref=f"https://x/?token={TOKEN}"),)
    assert house.do(Add(ROOM, "x"), reason=f"because {TOKEN}", evidence=quoted).masked == 3
    house.do(Add(SOUL, "x"), author=AGENT, key="p")
    (waiting,) = house.ledger.proposals("main")
    house.ledger.reject("main", waiting.id, OPERATOR, f"no {TOKEN}")
    entry = house.add(ROOM, "to be forgotten")
    house.ledger.forget(ROOM, entry, OPERATOR, f"for {TOKEN}")
    house.do(Add(SOUL, "y"), author=AGENT)
    (waiting,) = house.ledger.proposals("main")
    house.ledger.approve("main", waiting.id, OPERATOR, edited={SOUL: f"- {TOKEN}\n".encode()})
    assert TOKEN.encode() not in house.bench.stored()
    assert "by hand ghp_" in house.text(ROOM)  # what a person left there by hand is theirs


@pytest.mark.parametrize(
    "operation",
    [
        Add(ROOM, "hunter2-Xq9", title="Password"),
        Add(ROOM, "x", fields={"password": "hunter2-Xq9"}),
        SetField(ROOM, "password", "hunter2-Xq9"),
    ],
)
def test_a_secret_is_known_by_the_title_or_key_before_it(house: House, operation: Operation) -> None:
    assert house.do(operation).masked == 1
    assert b"hunter2" not in house.bench.stored()


# trust

ORIGINS = st.sampled_from(Origin)
AUTHORS = st.sampled_from([AGENT, MINER, GUEST, SYSTEM])
CLAIMS = st.sampled_from(
    [{}, {"origin": "operator"}, {"conf": "1"}, {"conf": "0.99", "origin": "untrusted"}, {"origin": ""}]
)
TRUSTED_STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "replace", "origin", "conf", "unset", "move"]), st.integers(0, 9), CLAIMS),
    min_size=1,
    max_size=4,
)
TRUST = (
    "- operator's <!--os 0000000001 conf=0.99-->\n- guest's <!--os 0000000002 origin=participant conf=0.9-->\n"
    "- web <!--os 0000000003 origin=untrusted conf=0.5-->\n  - with a child\n"
)


@given(AUTHORS, st.lists(ORIGINS, max_size=2), TRUSTED_STEPS)
def test_nobody_claims_more_trust_or_confidence_than_they_have(
    author: Author, origins: list[Origin], steps: list[tuple[str, int, dict[str, str]]]
) -> None:
    evidence = tuple(said(origin, ref=f"m:{n}") for n, origin in enumerate(origins))
    with house_of("memory") as house:
        house.put(MEMORY, TRUST)
        before = {e.id: e for e in house.document(MEMORY).entries}
        own = house.change(Add(MEMORY, "x"), author=author, evidence=evidence).origin
        ids = list(before)
        made: list[Operation] = []
        for number, (what, which, claims) in enumerate(steps):
            entry = ids[which % len(ids)]
            one_of: dict[str, Operation] = {
                "add": Add(MEMORY, f"new {number}", fields=claims),
                "replace": Replace(MEMORY, entry, f"words {number}", fields=claims),
                "origin": SetField(MEMORY, "origin", claims.get("origin") or "operator", entry),
                "conf": SetField(MEMORY, "conf", claims.get("conf", "0.97"), entry),
                "unset": SetField(MEMORY, "origin" if which % 2 else "conf", None, entry),
                "move": Move(MEMORY, entry, "Elsewhere"),
            }
            made.append(one_of[what])
        try:
            outcome = house.do(*made, author=author, evidence=evidence)
        except Refused:
            return
        if outcome.proposal is not None:
            house.ledger.approve("main", outcome.proposal.id, OPERATOR)
        for now in house.document(MEMORY).entries:
            origin = Origin(now.fields.get("origin", "operator"))
            confidence = float(now.fields.get("conf", "0"))
            was = before.get(now.id)
            if was is None:
                assert origin.rank >= own.rank
            else:
                assert origin.rank >= min(own.rank, Origin(was.fields.get("origin", "operator")).rank)
            if own is not Origin.OPERATOR and was is None:
                assert confidence <= 0.94
            if origin is Origin.UNTRUSTED:
                assert confidence <= 0.6
            if origin not in (Origin.OPERATOR, Origin.UNTRUSTED):
                assert confidence <= 0.94


@pytest.mark.parametrize("conf", ["1.01", "-0.1", "nan", "inf", "high", "١٢"])
def test_a_confidence_is_a_number_between_none_and_all(house: House, conf: str) -> None:
    with pytest.raises(BadInput):
        house.do(Add(MEMORY, "x", fields={"conf": conf}))


def test_words_of_each_origin_start_with_what_it_allows(house: House) -> None:
    for author, evidence, conf, origin in (
        (OPERATOR, (), "1", None),
        (GUEST, (), "0.94", "participant"),
        (MINER, BY_OPERATOR, "1", None),
        (MINER, (), "0.94", "agent"),
        (MINER, FROM_WEB, "0.6", "untrusted"),
        (OPERATOR, FROM_WEB, "0.6", "untrusted"),
    ):
        outcome = house.do(Add(MEMORY, "x", fields={"conf": "1"}), author=author, evidence=evidence)
        assert outcome.change is not None
        fields = house.entry(MEMORY, outcome.change.effects[0].entries[0]).fields
        assert (fields["conf"], fields.get("origin")) == (conf, origin)


# blame


@given(
    KINDS,
    st.lists(
        st.lists(
            st.tuples(st.sampled_from(["add", "replace", "remove", "put"]), st.integers(0, 20)), min_size=1, max_size=3
        ),
        min_size=1,
        max_size=8,
    ),
    st.booleans(),
)
def test_each_line_is_blamed_to_the_change_that_wrote_it(
    kind: str,
    rounds: list[list[tuple[str, int]]],
    by_hand: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    with house_of(kind) as house:
        house.put(ROOM, "# Room\n\n- first\n")
        owners: dict[bytes, int] = {}

        def learn() -> None:
            newest = house.ledger.history("main", name=ROOM, limit=1)[0].id
            now = set(split(house.ledger.read(ROOM).data or b""))
            for line in now - set(owners):
                owners[line] = newest
            for line in set(owners) - now:
                del owners[line]

        learn()
        unique = 0
        for steps in rounds:
            for what, which in steps:
                unique += 1
                ids = house.ids(ROOM)
                lines = split(house.ledger.read(ROOM).data or b"")
                if what == "add" or not ids:
                    house.do(Add(ROOM, f"added {unique}", section="Notes" if which % 2 else ""))
                elif what == "replace":
                    house.do(Replace(ROOM, ids[which % len(ids)], f"reworded {unique}"))
                elif what == "remove":
                    house.do(Remove(ROOM, ids[which % len(ids)]))
                else:
                    lines.insert(
                        min(which, len(lines)), b"\n- typed %d\n" % unique if which % 3 else b"- typed %d\n" % unique
                    )
                    saved = b"".join(lines)
                    house.bench.save(ROOM, saved) if by_hand else house.do(Put(ROOM, saved))
                house.ledger.read(ROOM)
                learn()
        blamed = house.ledger.blame(ROOM)
        assert [line.text for line in blamed] == house.text(ROOM).split("\n")[:-1]
        for line in blamed:
            if line.text.strip():
                assert line.change is not None
                assert line.change.id == owners[line.text.encode() + b"\n"], line


def test_blame_shows_the_evidence_of_a_line(house: House) -> None:
    house.put(ROOM, "# Room\n")
    house.do(Add(ROOM, "the key is under the mat"), evidence=BY_OPERATOR, reason="said in passing")
    line = house.ledger.blame(ROOM)[-1]
    assert re.match(r"- the key is under the mat <!--os \w{10}-->", line.text)
    assert line.change is not None
    assert (line.change.reason, line.change.evidence) == ("said in passing", BY_OPERATOR)
    assert parse(house.ledger.read(ROOM).data or b"").lines[line.line - 1].decode().rstrip() == line.text
