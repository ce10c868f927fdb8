"""What is long, much or old costs in proportion, or nothing more: work is counted, since times vary."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from oldsoul import Oldsoul, Session
from oldsoul.adapters.folder.disk import Disk
from oldsoul.adapters.folder.ledger_db import LedgerDb
from oldsoul.adapters.folder.version_cache import LruCache
from oldsoul.adapters.index import engine, spaces
from oldsoul.adapters.index.arrays import ArrayFolder
from oldsoul.adapters.index.engine import SqliteIndex
from oldsoul.adapters.index.spaces import Weighed
from oldsoul.documents import outline as parser
from oldsoul.documents import unsearchable, yaml
from oldsoul.faces.cli import cli
from oldsoul.judging.corrections import values
from oldsoul.judging.corrections.corrections import Correction
from oldsoul.judging.corrections.hidden import without_wrong
from oldsoul.judging.corrections.values import holds
from oldsoul.judging.mining import is_standing
from oldsoul.language.words import words
from oldsoul.reading import typed_values
from oldsoul.recall import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest import MonkeyPatch  # noqa: PT013 - as the other tests have it

    from oldsoul.adapters.folder.disk import Stamp
    from oldsoul.values.recall import Filed

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
            agent._parts.read(agent._parts.name("MEMORY.md"))
            del lines_read[:]
            is_standing.cache_clear()
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

    def counting(self: LedgerDb, sql: str, *values: object) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = rows(self, sql, *values)
        if "FROM changes" in sql or "FROM effects" in sql:
            looked.append(len(found))
        return found

    monkeypatch.setattr(LedgerDb, "rows", counting)
    with Oldsoul.open(tmp_path / "home") as soul:
        agent = soul.agent()
        soul._home.ensure()
        counts = []
        for _ in range(2):
            for number in range(30):
                agent.files.put("SOUL.md", f"# I am {number}\n".encode())
            agent.files.all()  # so that every file was looked at once
            del looked[:]
            files = agent.files.all()
            counts.append(sum(looked))
    assert {file.name.path for file in files if not file.untouched} == {"SOUL.md"}
    assert counts[1] == counts[0]


def corrected(count: int, first: int) -> str:
    """A CORRECTIONS.md with so many corrections, each of a value of its own, from this number on."""
    blocks = (
        f"\n## 2026-01-{1 + number % 28:02} 10:00 UTC\n\n**Correct:** Box {number} holds {number * 3 + 1} apples\n"
        f"**Wrong value:** {number * 3} apples\n**Right value:** {number * 3 + 1} apples\n**Re-embedded:** true\n"
        for number in range(first, first + count)
    )
    return "# Corrections\n" + "".join(blocks)


def test_a_context_with_many_corrections_looks_at_each_as_often_as_with_few(
    tmp_path: Path, lines_read: list[int]
) -> None:
    few = 50
    work = []
    with Oldsoul.open(tmp_path / "home") as soul:
        agent = soul.agent()
        agent.remember("Box 7 holds 21 apples")
        for first, count in ((1000, few), (2000, few), (3000, few * LARGER)):  # first for what is loaded once
            log = corrected(count, first)
            (tmp_path / "home" / "workspace" / "main" / "CORRECTIONS.md").write_text(log, "utf-8")
            agent._parts.read(agent._parts.name("CORRECTIONS.md"))
            del lines_read[:]
            work.append(calls(lambda: agent.context("box 7?", session=Session.dm())))
            assert lines_read.count(len(log.splitlines())) <= 3  # the index, what was put right, the slot
    assert work[2] < LINEAR * work[1]


def test_a_value_is_sought_by_a_pattern_of_its_words_alone(monkeypatch: MonkeyPatch) -> None:
    for number in range(600):  # this reads what values look like
        holds(f"Jar {number} keeps {number * 3} pears", f"{number * 7} pears")
    made: list[str] = []
    compiled = re._compiler.compile  # type: ignore[attr-defined]

    def counting(pattern: str, flags: int = 0) -> object:
        made.append(pattern)
        return compiled(pattern, flags)

    monkeypatch.setattr(re._compiler, "compile", counting)  # type: ignore[attr-defined]
    held = [number for number in range(600) if holds(f"Box {number} holds {number * 3} apples", f"{number * 7} apples")]
    assert held == [0]
    assert max(map(len, made)) < 2 * len(re.escape("9999 apples"))


def test_a_correction_is_sought_in_no_more_text_after_long_replies_than_after_short_ones(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    searched: list[int] = []
    found = typed_values._found

    def counting(text: str) -> tuple[typed_values.Value, ...]:
        searched.append(len(text))
        return found(text)

    monkeypatch.setattr(typed_values, "_known", counting)
    monkeypatch.setattr(typed_values, "_last", counting)
    work = []
    with Oldsoul.open(tmp_path / "home") as soul:
        agent = soul.agent()
        for number, sentences in enumerate((100, 100 * LARGER)):
            session = Session.dm(id=str(number))
            told = " ".join(f"The meeting of team {team} is at 4, in room {team}." for team in range(sentences))
            for _ in range(3):
                agent.hear(told, session=session, role="assistant")
            del searched[:]
            agent.hear("No, that is wrong, the meeting is not at 4 but at 5.", session=session)
            work.append(sum(searched))
    assert work[0] > 0
    assert work[1] < FLAT * work[0]


def test_a_long_text_is_cut_of_what_was_wrong_with_each_word_read_as_often_as_in_a_short_one(
    monkeypatch: MonkeyPatch,
) -> None:
    read: list[int] = []

    def counting(text: str) -> list[str]:
        read.append(len(text))
        return words(text)

    monkeypatch.setattr(values, "words", counting)
    means = "The meeting of team 7 is at 5"
    wrong = Correction("", "2026-01-05", means, means, "at 4", "at 5", "", embedded=True)
    work = []
    for team, sentences in ((100, 50), (1000, 50 * LARGER)):
        told = " ".join(f"The meeting of team {team + number} is at 4, in room 9." for number in range(sentences))
        del read[:]
        kept = without_wrong([wrong], f"{told} The meeting of team 7 is at 4. That is all.")
        assert kept == f"{told} That is all."  # what is said of other teams stays
        work.append(sum(read))
    assert work[1] < LINEAR * work[0]


def test_the_first_open_of_many_agents_reads_their_config_as_often_as_that_of_few(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    read: list[str] = []
    parsed = yaml.read

    def counting(text: str) -> object:
        read.append(text)
        return parsed(text)

    monkeypatch.setattr(yaml, "read", counting)
    counts = []
    for agents in (2, 2 * LARGER):
        home = tmp_path / str(agents)
        home.mkdir()
        config = "agents:\n  list:\n" + "".join(f"    - id: a{number}\n" for number in range(agents))
        (home / "config.yaml").write_text(config, "utf-8")
        del read[:]
        with Oldsoul.open(home) as soul:
            assert len(soul.agents()) == agents + 1
            assert all((home / "workspace" / agent / "SOUL.md").exists() for agent in soul.agents())
        counts.append(read.count(config))
    assert counts[1] == counts[0]


# what is too much for one search


def noted(home: Path, path: str, data: bytes) -> None:
    """A file in the workspace, made by hand and at rest."""
    file = home / "workspace" / "main" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    os.utime(file, (1e9, 1e9))


def test_a_file_above_the_limit_is_not_read_by_a_search_and_doctor_names_it(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    read: list[str] = []
    reading = Disk.read

    def counting(self: Disk, path: str, *, follow: bool = True) -> tuple[bytes, Stamp] | None:
        read.append(path)
        return reading(self, path, follow=follow)

    monkeypatch.setattr(Disk, "read", counting)
    home, notes = tmp_path / "home", tmp_path / "vault"
    notes.mkdir()
    home.mkdir()
    settings = f"memory: {{search: {{extra_paths: [{notes}]}}}}\n"
    (home / "config.yaml").write_text(settings, "utf-8")
    large, fits = b"- the cat is called Mia\n" * 1000 + b"x" * 8_400_000, b"- the dog is called Rex\n" * 500
    noted(home, "notes/large.md", large)
    noted(home, "notes/fits.md", fits)
    (notes / "large too.md").write_bytes(large)
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        assert agent.recall("what is the dog called?", session=Session.dm()).hits
        assert not any("Mia" in hit.chunk.text for hit in agent.recall("cat Mia", session=Session.dm()).hits)
        assert "notes/fits.md" in read
        assert not any("large" in path for path in read)
    said = CliRunner().invoke(cli, ["--home", str(home), "doctor"]).output
    assert "notes/large.md has 8,424,000 bytes, more than 8,388,608, so it is not read" in said
    assert "large too.md has 8,424,000 bytes, more than 8,388,608, so it is not searched" in said


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (hashlib.shake_256(b"").digest(30_000), "is not text"),
        ("die Katze heißt Mia\n".encode("utf-16") * 99, "is not text"),
        (b"- Mia\n" * 200_001, "has 200,001 lines, more than 200,000"),
    ],
)
def test_a_file_that_is_no_text_or_has_too_many_lines_is_not_searched_and_doctor_names_it(
    tmp_path: Path, data: bytes, why: str
) -> None:
    home, notes = tmp_path / "home", tmp_path / "vault"
    notes.mkdir()
    home.mkdir()
    (home / "config.yaml").write_text(f"memory: {{search: {{extra_paths: [{notes}]}}}}\n", "utf-8")
    noted(home, "notes/picture.md", data)
    (notes / "another.md").write_bytes(data)
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        agent.recall("Mia", session=Session.dm())
        index = agent._parts.recaller._index
        assert not any(
            chunk.path.endswith(("picture.md", "another.md")) for _, chunk in index.missing_vectors("", 1000)
        )
    said = CliRunner().invoke(cli, ["--home", str(home), "doctor"]).output
    assert f"notes/picture.md {why}, so it is not searched" in said
    assert f"another.md {why}, so it is not searched" in said


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1251", "shift-jis", "gb18030"])
def test_text_in_any_encoding_without_zeros_is_text(encoding: str) -> None:
    words = {"latin-1": "Grüße aus Köln, schöne Füße", "cp1251": "кошку зовут Мия", "shift-jis": "猫の名前はミアです"}
    text = words.get(encoding, "the cat 猫 is called Mia, кошка") + "\n"
    assert not unsearchable((text * 200).encode(encoding))
    assert not unsearchable(b"")
    assert not unsearchable(b"one \0 in a long text " + b"of words " * 20)
    assert unsearchable(bytes(range(256)))


def test_a_folder_is_indexed_with_no_more_held_at_once_however_much_is_in_it(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    held: list[int] = []
    written: list[int] = []
    put, insert = SqliteIndex.put, engine.insert

    def counting(self: SqliteIndex, filed: Sequence[Filed], prepare: Any, *, append: bool = False) -> None:
        held.append(sum(len(chunk.text) for each in filed for chunk in each.chunks))
        put(self, filed, prepare, append=append)

    def noting(stock: Any, db: Any, new: Sequence[Any]) -> None:
        written.append(sum(len(row.prepared.terms) for row in new))
        insert(stock, db, new)

    looked = [0]
    add, release = Weighed.add, ArrayFolder.release

    def looking(self: Weighed, tokens: Any, sentences: Any) -> None:
        looked[-1] += len(sentences[0])
        add(self, tokens, sentences)

    def releasing(self: ArrayFolder) -> None:
        looked.append(0)
        release(self)

    monkeypatch.setattr(Weighed, "add", looking)
    monkeypatch.setattr(ArrayFolder, "release", releasing)
    monkeypatch.setattr(spaces, "_BLOCK", 200)
    monkeypatch.setattr(SqliteIndex, "put", counting)
    monkeypatch.setattr(engine, "insert", noting)
    monkeypatch.setattr(sources, "_MOST_AT_ONCE", 20_000)
    monkeypatch.setattr(engine, "_AT_ONCE", 2000)
    home, size = tmp_path / "home", 10_000
    for number in range(12):
        noted(home, f"notes/{number}.md", by_hand(1000)[:size].encode())
    noted(home, "notes/long.md", by_hand(3000)[: 6 * size].encode())
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        assert agent.recall("how many apples?", session=Session.dm()).hits
        found = {hit.chunk.path for hit in agent.recall("apples", session=Session.dm(), limit=99).hits}
        assert sum(held) > 6 * size
        assert max(held) <= 20_000 + 6 * size  # what is gathered, and the file that made it enough
        assert max(written) <= 2000 + 200
        assert sum(written) > 10 * max(written)
        assert max(looked) <= 3 * 200  # sentences of the arrays that count as memory at once
        assert sum(looked) > 10 * max(looked)
        assert soul._home.world.store._snapshots._bytes <= 16 * 1024 * 1024  # type: ignore[attr-defined]
        assert len(found) > 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9 << 20)), max_size=60))
def test_what_is_kept_of_files_never_passes_its_bytes_and_is_what_was_put_last(puts: list[tuple[int, int]]) -> None:
    kept: LruCache[int, int] = LruCache()
    last: dict[int, int] = {}
    for key, size in puts:
        kept.put(key, size, size)
        last[key] = size
        there = [one for one in last if kept.get(one) is not None]
        assert sum(last[one] for one in there) <= 16 << 20
        assert all(kept.get(one) == last[one] for one in there)
        assert kept.get(key) == (size if size <= 8 << 20 else None)
