"""What is long, much or old costs in proportion, or nothing more: work is counted, since times vary."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from oldsoul import Oldsoul
from oldsoul.adapters.ledger_db import LedgerDb
from oldsoul.documents import outline as parser

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest import MonkeyPatch  # noqa: PT013 - as the other tests have it

LARGER = 4
LINEAR = LARGER * 1.3
FLAT = 1.3


@pytest.fixture
def lines_read(monkeypatch: MonkeyPatch) -> list[int]:
    """How many lines each look at the structure of a text has read."""
    found: list[int] = []
    read = parser._read

    def counting(text: bytes, lines: list[bytes]) -> parser.Outline:
        found.append(len(lines))
        return read(text, lines)

    monkeypatch.setattr(parser, "_read", counting)
    return found


def calls(work: Callable[[], object]) -> int:
    """How many functions some work calls."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def by_hand(entries: int) -> str:
    """A MEMORY.md as people write one: lists, tight and loose, with lines below them, headings and paragraphs."""
    parts = ["# Memory\n"]
    for number in range(entries):
        if number % 25 == 0:
            parts.append(f"\n## Part {number}\n\nSome words before the list of part {number}.\n\n")
        gap = "\n" if number // 25 % 2 else ""
        below = "  - and one more thing about it\n" if number % 7 == 0 else ""
        parts.append(f"{gap}- Fact {number}: box {number * 7} holds {number * 3} apples\n{below}")
    return "".join(parts)


def test_the_first_thing_remembered_in_a_long_file_made_by_hand_reads_it_as_often_as_a_short_one(
    tmp_path: Path, lines_read: list[int]
) -> None:
    work = []
    for number, entries in enumerate((300, 300, 300 * LARGER)):  # the first time is for what is loaded once
        home = tmp_path / str(number)
        file = home / "workspace" / "main" / "MEMORY.md"
        file.parent.mkdir(parents=True)
        file.write_text(by_hand(entries), "utf-8")
        with Oldsoul.open(home) as soul:
            agent = soul.agent()
            agent.read(agent.name("MEMORY.md"))
            del lines_read[:]
            called = calls(lambda: agent.remember("The cat is called Mia"))  # noqa: B023 - called at once
            work.append((sum(lines_read), called))
        left = file.read_text("utf-8")
        assert "The cat is called Mia" in left
        assert len(left.encode()) <= 16 * 1024
        archived = "".join(path.read_text("utf-8") for path in home.glob("workspace/main/Archive/Memory/*.md"))
        facts = re.findall(r"^- Fact \d+:.*$", left + archived, re.MULTILINE)
        assert sorted(facts) == sorted(re.findall(r"^- Fact \d+:.*$", by_hand(entries), re.MULTILINE))
    (_, (lines, called), (more_lines, more_called)) = work
    assert more_lines < LINEAR * lines
    assert more_called < LINEAR * called


def test_listing_files_looks_at_as_much_history_however_long_it_is(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    looked: list[int] = []
    rows = LedgerDb.rows

    def counting(self: LedgerDb, *args: object) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = rows(self, *args)  # type: ignore[arg-type]
        looked.append(len(found))
        return found

    monkeypatch.setattr(LedgerDb, "rows", counting)
    with Oldsoul.open(tmp_path / "home") as soul:
        agent = soul.agent()
        soul.ensure()
        counts = []
        for _ in range(2):
            for number in range(30):
                agent.put("SOUL.md", f"# I am {number}\n".encode())
            agent.files()  # so that every file was looked at once
            del looked[:]
            files = agent.files()
            counts.append((sum(looked), calls(agent.files)))
    assert {file.name.path for file in files if not file.untouched} == {"SOUL.md"}
    assert counts[1][0] == counts[0][0]
    assert counts[1][1] < FLAT * counts[0][1]
