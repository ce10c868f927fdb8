"""Files saved by hand: what is saved is in the file, what was taken away stays away in any shape, undo gives what stood."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger_bench import ARCHIVE, DAILY, KINDS, MEMORY, OPERATOR, ROOM, SESSION, SOUL, House, house_of
from core.test_ledger_editors import meanwhile
from oldsoul.values.changes import Move, Put, Remove, Replace
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = settings(max_examples=scaled(12, 100))

# files replaced one by another

HEADINGS = ("# Memory", "## Notes", "## Tasks", "## People", "### Later", "## 2026-02-04 10:00 UTC", "Notes\n-----")
PIECES = ("heading", "rule", "blank", "item", "item", "task", "number", "deep", "paragraph", "fence", "quote")


def piece(kind: str, number: int, heading: str) -> str:
    """Some lines; but for headings and rules no two of another number are the same."""
    words = f"thing{number} of{number} mine{number}"
    match kind:
        case "heading":
            return f"{heading}\n\n"
        case "rule":
            return "\n---\n\n"
        case "blank":
            return "\n"
        case "task":
            return f"- [ ] {words}\n"
        case "number":
            return f"1. {words}\n"
        case "deep":
            return f"- {words}\n  - below {words}\n"
        case "paragraph":
            return f"\n{words} and so on\n\n"
        case "fence":
            return f"\n```\n{words}\n```\n\n"
        case "quote":
            return f"\n> {words}\n\n"
        case _:
            return f"- {words}\n"


PART = st.tuples(st.sampled_from(PIECES), st.sampled_from(HEADINGS))
PARTS = st.lists(PART, max_size=7).map(lambda parts: [*parts, ("item", "")])  # something to tell it by
HEADS = st.sampled_from(["", "", "", '---\nsummary: "the talk about the mill"\n---\n\n', "---\ntitle: two\n---\n"])
FILES = st.lists(st.tuples(HEADS, PARTS, st.sampled_from([0, 5, 59, 60, 90])), min_size=2, max_size=4)
NAMES = st.sampled_from([MEMORY, ROOM, SESSION, DAILY, SOUL])


def text(head: str, parts: list[tuple[str, str]], file: int) -> bytes:
    whole = "".join(piece(kind, 100 * file + number, heading) for number, (kind, heading) in enumerate(parts))
    return f"{head}{whole}".encode()


def lines(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines() if line.strip())


def undone(house: House, name: object) -> bytes:
    """The file after its last change is undone."""
    change = next(c for c in house.ledger.history("main") if any(e.name == name for e in c.effects))
    house.ledger.undo(change.id, OPERATOR)
    return house.ledger.read(name).data or b""  # type: ignore[arg-type]


@PAIRS
@given(KINDS, NAMES, FILES, st.integers(0, 2))
def test_a_save_that_shares_no_telling_line_is_taken_as_it_is_and_undo_gives_what_stood_before(
    kind: str, name: object, files: list[tuple[str, list[tuple[str, str]], int]], added: int
) -> None:
    with house_of(kind) as house:
        for number in range(added):
            house.add(name, f"written{number} by the ledger{number}")  # type: ignore[arg-type]
        for number, (head, parts, minutes) in enumerate(files):
            house.clock.advance(timedelta(minutes=minutes))
            before, data = house.ledger.read(name).data or b"", text(head, parts, number)  # type: ignore[arg-type]
            house.bench.save(name, data)  # type: ignore[arg-type]
            assert house.ledger.read(name).data == data  # type: ignore[arg-type]
            if number == len(files) - 1 and data != before:
                assert undone(house, name) == before


@PAIRS
@given(KINDS, NAMES, FILES, st.randoms(use_true_random=False))
def test_every_line_somebody_saved_is_in_the_file_whatever_it_shares_with_what_stood(
    kind: str, name: object, files: list[tuple[str, list[tuple[str, str]], int]], dice: object
) -> None:
    with house_of(kind) as house:
        saved: list[bytes] = []
        for number, (head, parts, minutes) in enumerate(files):
            house.clock.advance(timedelta(minutes=minutes))
            if number % 2:
                house.add(name, f"written{number} by the ledger{number}")  # type: ignore[arg-type]
            older = [line for data in saved for line in data.splitlines(keepends=True) if b"thing" in line]
            some = dice.sample(older, min(len(older), dice.randrange(4)))  # type: ignore[attr-defined]
            data = text(head, parts, number) + b"".join(dict.fromkeys(some))
            before = house.ledger.read(name).data or b""  # type: ignore[arg-type]
            house.bench.save(name, data)  # type: ignore[arg-type]
            saved.append(data)
            assert not lines(data) - lines(house.ledger.read(name).data or b"")  # type: ignore[arg-type]
            if number == len(files) - 1 and house.ledger.read(name).data != before:  # type: ignore[arg-type]
                assert undone(house, name) == before


def test_a_file_that_is_replaced_by_another_with_a_heading_it_once_had_is_that_other(house: House) -> None:
    house.bench.save(ROOM, b"# Room\n\n## Notes\n")
    house.text(ROOM)
    house.bench.save(ROOM, b"- the red bicycle belongs to Anna\n")
    house.text(ROOM)
    house.clock.advance(timedelta(hours=1))
    house.bench.save(ROOM, b"## Notes\n\n- winter tyres are in the garage\n")
    assert house.text(ROOM) == "## Notes\n\n- winter tyres are in the garage\n"


# what was taken away

SAID = "The spare key hangs on hook 3"
WHOLE = f"{SAID} (added 2026-02-04) #decision"
SHAPES: dict[str, Callable[[str], str]] = {
    "as it was": lambda line: line,
    "star bullets": lambda line: f"* {line[2:]}" if line.startswith("- ") else line,
    "plus bullets": lambda line: f"+ {line[2:]}" if line.startswith("- ") else line,
    "numbers": lambda line: f"1. {line[2:]}" if line.startswith("- ") else line,
    "boxes": lambda line: f"- [ ] {line[2:]}" if line.startswith("- ") else line,
    "date dropped": lambda line: line.replace(" (added 2026-02-04)", ""),
    "date and tag dropped": lambda line: line.replace(" (added 2026-02-04) #decision", ""),
    "upper case": str.upper,
    "lower case": lambda line: line if line.startswith("#") else line.lower(),
    "a full stop": lambda line: line.replace("hook 3", "hook 3."),
    "a full stop at the end": lambda line: line.replace(" <!--os", ". <!--os") if line.startswith("- ") else line,
    "bold": lambda line: line.replace(SAID, f"**{SAID}**"),
    "more space": lambda line: line.replace("- ", "-   ", 1).replace(" key ", "  key "),
    "comments dropped": lambda line: line.partition(" <!--os")[0],
    "stars without comments": lambda line: f"* {line[2:].partition(' <!--os')[0]}" if line.startswith("- ") else line,
}
WAYS = ("undo", "remove", "move", "forget")


def taken_away(house: House, way: str) -> str:
    """The file as an editor holds it, from before the ledger took an entry away."""
    house.add(MEMORY, "stands since ever and ever")
    entry = house.add(MEMORY, WHOLE)
    last = house.ledger.history("main")[0]
    held = house.text(MEMORY)
    match way:
        case "undo":
            house.ledger.undo(last.id, OPERATOR)
        case "remove":
            house.do(Remove(MEMORY, entry))
        case "move":
            house.do(Move(MEMORY, entry, to=ARCHIVE))
        case _:
            house.ledger.forget(MEMORY, entry, OPERATOR, "please")
    return held


def come_back(house: House) -> bool:
    return "spare key" in house.text(MEMORY).casefold().replace("  ", " ")


def reshaped(held: str, shape: str) -> bytes:
    """A buffer in which every line got another shape, and one line was typed."""
    whole = "\n".join(map(SHAPES[shape], held.splitlines()))
    return f"{whole}\n- typed by somebody today\n".encode()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("later", [False, True])
def test_a_stale_editor_brings_nothing_back_in_any_shape(shape: str, later: bool) -> None:  # noqa: FBT001 - a parameter
    for way in WAYS:
        with house_of("memory") as house:
            held = taken_away(house, way)
            if later:
                house.add(MEMORY, "written after all that")
                house.clock.advance(timedelta(days=2))
            house.bench.save(MEMORY, reshaped(held, shape))
            assert not come_back(house), way
            assert "typed by somebody today" in house.entries(MEMORY)
            assert way != "forget" or b"spare key" not in house.bench.stored().lower()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("based", [False, True])
def test_a_text_put_on_an_old_version_or_on_none_brings_nothing_back(shape: str, based: bool) -> None:  # noqa: FBT001 - a parameter
    for way in WAYS:
        with house_of("memory") as house:
            house.add(MEMORY, "stands before all others")
            held = taken_away(house, way)
            old = house.ledger.history("main", name=MEMORY)[1].effects[0].after
            told = house.do(Put(MEMORY, reshaped(held, shape)), versions={MEMORY: old} if based else {})
            assert not come_back(house), way
            assert "typed by somebody today" in house.entries(MEMORY)
            assert any("removed since" in warning for warning in told.warnings)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_put_on_what_stands_is_the_persons_in_any_shape(shape: str) -> None:
    for way in WAYS:
        with house_of("memory") as house:
            line = next(line for line in taken_away(house, way).splitlines() if SAID in line)
            standing = house.ledger.read(MEMORY)
            data = (standing.data or b"") + f"{SHAPES[shape](line)}\n- typed by somebody today\n".encode()
            house.do(Put(MEMORY, data), versions={MEMORY: standing.version})
            assert house.ledger.read(MEMORY).data == data


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("alone", [False, True])
def test_what_is_saved_from_what_stands_is_the_persons_in_any_shape(shape: str, alone: bool) -> None:  # noqa: FBT001 - a parameter
    for way in WAYS:
        with house_of("memory") as house:
            line = next(line for line in taken_away(house, way).splitlines() if SAID in line)
            for text in () if alone else ("written after all that", "and this was written later still"):
                house.add(MEMORY, text)  # whoever has these lines knows what stands
            data = (house.ledger.read(MEMORY).data or b"") + f"{SHAPES[shape](line)}\n".encode()
            house.bench.save(MEMORY, data if alone else data + b"- typed by somebody today\n")
            assert come_back(house), way


def test_a_line_whose_words_were_changed_is_the_persons_whatever_was_taken_away(house: House) -> None:
    held = taken_away(house, "undo")
    house.bench.save(MEMORY, reshaped(held, "star bullets").replace(b"hook 3", b"hook 4"))
    assert "The spare key hangs on hook 4 (added 2026-02-04) #decision" in house.entries(MEMORY)


def test_a_wording_that_was_replaced_stays_away_in_any_shape(house: House) -> None:
    entry = house.add(MEMORY, "it is on Monday")
    house.add(MEMORY, "stands since ever and ever")
    held = house.text(MEMORY)
    house.do(Replace(MEMORY, entry, "it is on Friday"))
    house.clock.advance(timedelta(days=3))
    house.bench.save(MEMORY, reshaped(held, "star bullets").replace(b"Monday", b"Monday."))
    assert house.entries(MEMORY) == ["it is on Friday", "stands since ever and ever", "typed by somebody today"]


# programs that keep writing


def test_what_was_appended_while_the_ledger_wrote_is_taken_in_without_a_look_at_the_whole_history() -> None:
    looked = []
    for changes in (20, 120):
        with house_of("memory") as house:
            for number in range(changes):
                house.add(ROOM, f"written {number} by the ledger")
            held = house.ledger.read(ROOM).data or b""
            with meanwhile(house, lambda: house.bench.save(ROOM, held + b"- appended by a program\n")):  # noqa: B023 - done here
                content = house.bench.store.content
                asked: list[str] = []

                def counted(version: str, content: Any = content, asked: list[str] = asked) -> bytes | None:
                    asked.append(version)
                    found: bytes | None = content(version)
                    return found

                house.bench.store.content = counted  # type: ignore[method-assign]
                house.add(ROOM, "written meanwhile by the ledger")
            assert {"appended by a program", "written meanwhile by the ledger"} <= {*house.entries(ROOM)}
            assert len(house.entries(ROOM)) == changes + 2
            looked.append(len(asked))
    assert looked[0] == looked[1]


def test_a_program_that_never_closes_the_file_is_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oldsoul.adapters.folder.locked_workspace._MOST_SECONDS", 0.0)
    monkeypatch.setattr("oldsoul.adapters.folder.disk.Disk.linger", 0.0)
    with house_of("folder") as house:
        house.add(ROOM, "stands since ever")
        with Path(house.bench.root or "", ROOM.path).open("ab", buffering=0) as program:
            house.add(ROOM, "takes the place of the open file")
            for number in range(3):
                program.write(f"- appended {number} by the program\n- begun".encode())
                house.add(ROOM, f"written {number} by the ledger")
                house.ledger.notice("main")
                assert f"appended {number} by the program" in house.entries(ROOM)
                assert f"begun {number} and ended" not in house.text(ROOM)
                program.write(f" {number} and ended\n".encode())
        house.ledger.notice("main")
        texts = house.entries(ROOM)
        for number in range(3):
            for told in ("appended {} by the program", "begun {} and ended", "written {} by the ledger"):
                assert texts.count(told.format(number)) == 1


def test_what_a_program_has_not_written_yet_is_not_taken_for_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oldsoul.adapters.folder.locked_workspace._MOST_SECONDS", 0.0)
    monkeypatch.setattr("oldsoul.adapters.folder.disk.Disk.linger", 0.0)
    with house_of("folder") as house:
        for text in ("one stands since ever", "two stands since ever", "three stands since ever"):
            house.add(ROOM, text)
        whole = house.ledger.read(ROOM).data or b""
        with Path(house.bench.root or "", ROOM.path).open("r+b", buffering=0) as program:
            house.add(ROOM, "takes the place of the open file")
            program.truncate(0)
            program.write(b"# Room\n\n- typed above all\n" + whole[:40])
            house.add(ROOM, "written by the ledger")
            house.ledger.notice("main")
            assert {"one stands since ever", "two stands since ever", "three stands since ever", "typed above all"} <= {
                *house.entries(ROOM)
            }
            assert "written by the ledger" in house.entries(ROOM)
