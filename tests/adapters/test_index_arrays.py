"""The arrays of an embedded index: rows are seen as they come, room at the end counts for nothing, sums are exact."""

from __future__ import annotations

import errno
import os
import random
import re
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.index_bench import everything, filed, index_at, prepare
from oldsoul.adapters.index import spaces
from oldsoul.adapters.index.arrays import Mapped
from oldsoul.adapters.index.postings import Postings, sealed
from oldsoul.adapters.index.rows import MIGRATIONS
from oldsoul.errors import Damaged
from oldsoul.ranking.pool import Static
from oldsoul.ranking.vectors import embedded

QUESTION = "where is the key of house 7?"


def grown(path: Path) -> Mapped:
    """An array that was appended to twice."""
    array = Mapped(path, np.dtype("<i4"))
    array.extend(np.arange(5))
    array.extend(np.arange(5, 10))
    return array


def test_rows_that_come_are_seen_where_those_before_were_copied(tmp_path: Path) -> None:
    array = grown(tmp_path / "numbers")
    reader = Mapped(tmp_path / "numbers", np.dtype("<i4"))
    reader.read(array.size, array.checksum, array.stamp)
    first = reader.all
    array.extend(np.arange(10, 20))
    reader.read(array.size, array.checksum, array.stamp)
    assert reader.all.tolist() == list(range(20))
    assert np.shares_memory(first, reader.all)
    reader.check()


def resident(folder: Path) -> int:
    """How many KiB of the files in a folder that are mapped count as this process's memory."""
    pattern = rf"{re.escape(str(folder))}/.*\n(?:\w+: .*\n)*?Rss: +(\d+)"
    return sum(map(int, re.findall(pattern, Path("/proc/self/smaps").read_text())))


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="what is resident is told on Linux alone")
def test_a_large_array_that_was_released_takes_no_memory_and_holds_what_it_held(tmp_path: Path) -> None:
    array = Mapped(tmp_path / "numbers", np.dtype("<i4"))
    array.extend(np.arange(1 << 21))
    seen = array.all
    assert int(seen.max()) == (1 << 21) - 1
    assert resident(tmp_path) == 8192
    array.release()
    assert resident(tmp_path) == 0
    assert np.array_equal(seen, np.arange(1 << 21))


@pytest.mark.parametrize("size", [10, 1 << 21])
@pytest.mark.parametrize("last", [0, 4, -4])
def test_rows_that_were_read_stay_when_the_file_is_cut_short_and_that_it_was_is_noticed(
    tmp_path: Path, size: int, last: int
) -> None:
    path = tmp_path / "numbers"
    array = Mapped(path, np.dtype("<i4"))
    array.extend(np.arange(size))
    assert array.is_whole()
    seen = array.all
    os.truncate(path, last if last >= 0 else size * 4 + last)
    assert np.array_equal(seen, np.arange(size))
    assert np.array_equal(array.all, np.arange(size))
    assert not array.is_whole()
    with pytest.raises(Damaged):
        array.check()
    with pytest.raises(Damaged):
        array.extend(np.arange(4))
    with pytest.raises(Damaged):
        Mapped(path, np.dtype("<i4")).read(array.size, array.checksum, array.stamp)


def test_rows_that_became_noughts_are_noticed_when_more_are_appended(tmp_path: Path) -> None:
    array = grown(tmp_path / "numbers")
    assert array.all.tolist() == list(range(10))
    array.path.write_bytes(bytes(40))
    os.utime(array.path, ns=(1, 1))  # the clock of a file system is coarse
    with pytest.raises(Damaged):
        array.extend(np.arange(10, 20))
    assert array.all.tolist() == list(range(10))


@pytest.mark.parametrize("size", [10, 1 << 21])
def test_where_no_file_can_be_made_copies_lie_in_memory(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    array = Mapped(tmp_path / "numbers", np.dtype("<i4"))
    for first in range(0, size, size // 2):
        array.extend(np.arange(first, first + size // 2))
        assert np.array_equal(array.all, np.arange(first + size // 2))


def test_rows_taken_away_while_more_are_appended_are_damage_and_no_new_file_takes_their_place(tmp_path: Path) -> None:
    array = grown(tmp_path / "numbers")
    array.path.unlink()
    with pytest.raises(Damaged):
        array.extend(np.arange(10, 20))
    assert not array.path.exists()
    index = index_at(tmp_path / "i.db")
    documents = [filed(f"{n}.md", f"the key of house {n}") for n in range(20)]
    index.put(documents[:10], prepare)
    for file in (tmp_path / "i.db.arrays").rglob("*"):
        if file.is_file():
            file.unlink()
    with pytest.raises(Damaged):
        index.put(documents[10:], prepare)


def test_a_list_kept_the_old_way_is_taken_over(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    index.put([filed(f"{n}.md", f"the key of house {n}") for n in range(20)], prepare)
    index.seal_sums()
    expected = everything(index, QUESTION)
    index.close()
    with sqlite3.connect(tmp_path / "i.db") as db:
        kept = db.execute("SELECT key, value FROM meta").fetchall()
        db.executescript(
            "DROP INDEX chunks_by_entry; DROP TABLE meta; CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
        )
        db.executemany("INSERT INTO meta VALUES (?,?)", kept)
        db.execute("PRAGMA user_version=1")
    index = index_at(tmp_path / "i.db")
    index.check()
    assert everything(index, QUESTION) == expected
    index.supersede(dict.fromkeys(piece.entry for piece in filed("3.md", "").chunks), [])
    assert {path for path, *_ in everything(index, QUESTION)} == {path for path, *_ in expected} - {"3.md"}
    index.close()
    with sqlite3.connect(tmp_path / "i.db") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


RUNS = st.lists(st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=40), max_size=4), min_size=1, max_size=30)


@given(RUNS, st.integers(0, 1 << 30))
def test_a_row_means_the_same_to_the_bit_whatever_rows_come_with_it(rows: list[list[list[int]]], seed: int) -> None:
    numbers = np.random.default_rng(seed)
    table = numbers.standard_normal((100, 32)).astype("f2")
    static = Static(table, numbers.random(100, "f4"), numbers.standard_normal(32).astype("f4"))
    together = _embedded(rows, static)
    alone = [_embedded([row], static) for row in rows]
    assert together[0].tobytes() == b"".join(vectors.tobytes() for vectors, _ in alone)
    assert together[1].tobytes() == b"".join(norms.tobytes() for _, norms in alone)


def _embedded(rows: list[list[list[int]]], static: Static) -> tuple[np.ndarray, np.ndarray]:
    tokens = np.array([token for row in rows for part in row for token in part], "<i4")
    starts = np.cumsum([0, *(sum(map(len, row)) for row in rows)])
    begins = np.cumsum([0, *(len(part) for row in rows for part in row)])[:-1]
    made = embedded(tokens, starts, begins, static)
    return made.vectors, made.sentence_norm[: len(begins)]


def test_words_are_counted_out_as_they_were_counted_in() -> None:
    chance = random.Random(4)  # noqa: S311 - a test
    rows = [[chance.randrange(30) for _ in range(chance.randrange(12))] for _ in range(40)]
    lengths, terms = np.array([len(row) for row in rows]), np.array([term for row in rows for term in row], "<i4")
    words = Postings()
    words.add(sealed(0, lengths, terms))
    for term in range(30):
        having = [number for number, row in enumerate(rows) if term in row]
        found, counts = words.find(term)
        assert found.tolist() == having
        assert counts.tolist() == [rows[number].count(term) for number in having]
        assert words.frequency(term) == len(having)
    words.uncount(lengths, terms)
    assert not any(map(words.frequency, range(30)))


def test_the_nearest_are_those_of_the_fewest_differing_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spaces, "EXACT", 10)
    monkeypatch.setattr(spaces, "_BITS", 20 * 64)
    index = index_at(tmp_path / "i.db")
    index.put([filed(f"{n}.md", f"the key of house {n} by the river {n % 13}") for n in range(900)], prepare)
    vectors = index._stock.spaces[0].vectors
    every, chance = np.arange(len(vectors)), np.random.default_rng(2)
    masks = [every % step == 0 for step in (1, 2, 7, 50, 3, 200)]
    for mask in masks:
        mask.flags.writeable = False  # so that it is remembered
    for _ in range(3):
        query = chance.standard_normal(64).astype("f4")
        near = vectors.of(every) @ query
        for mask in masks:
            seen = np.flatnonzero(mask)
            distance = ((vectors.of(seen) > 0) != (query > 0)).sum(axis=1)
            sample = np.sort(distance[:: max(len(seen) // (16 * 20), 1)])
            share = 20 * len(sample) // len(seen)
            some = seen[distance <= sample[share]] if len(seen) > 10 and share < len(sample) else seen
            expected = np.sort(near[some])[-12:]  # rows that are alike may stand for each other
            for same in (mask.copy(), mask):
                found = vectors.nearest(query, same, 12)
                assert set(found.tolist()) <= set(some.tolist())
                assert np.allclose(np.sort(near[found]), expected, atol=1e-5)
    index.close()


def test_what_is_let_through_is_worked_out_again_when_rows_come_or_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spaces, "EXACT", 10)
    index, writer = index_at(tmp_path / "i.db"), index_at(tmp_path / "i.db")
    index.put([filed(f"{n}.md", f"the key of house {n}") for n in range(60)], prepare)
    for number in range(8):
        everything(index, QUESTION)
        (writer if number % 2 else index).put([filed(f"{number}.md", "where the river was")], prepare)
        if number == 5:
            index.supersede({}, [("the key of house 30", None)])
        fresh = index_at(tmp_path / "i.db")
        assert everything(index, QUESTION) == everything(fresh, QUESTION)
        fresh.close()
    index.close()
    writer.close()


def test_a_note_is_as_another_process_left_it(tmp_path: Path) -> None:
    index, other = index_at(tmp_path / "i.db"), index_at(tmp_path / "i.db")
    index.put([filed("a.md", "the key")], prepare)
    assert index.noted("corrections") is other.noted("corrections") is None
    for value in ("one", "two"):
        other.note("corrections", value)
        assert index.noted("corrections") == value
        index.note("corrections", value * 2)
        assert index.noted("corrections") == other.noted("corrections") == value * 2
    index.weigh()
    assert index.noted("corrections") is other.noted("corrections") is None
    index.close()
    other.close()
