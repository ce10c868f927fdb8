"""The embedded index: what was put is found, an index made again is the index kept, damage is noticed, filters hold."""

from __future__ import annotations

import os
import random
import sqlite3
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.index_bench import AUDIENCES, EVERYTHING, TINY, everything, filed, index_at, prepare
from oldsoul.adapters.index import engine, postings, stock
from oldsoul.adapters.index.arrays import MissingArray
from oldsoul.adapters.index.spaces import Weighed
from oldsoul.errors import Damaged
from oldsoul.ranking.question import asked
from oldsoul.values.audience import View
from oldsoul.values.recall import Filed, Filters
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oldsoul.values.recall import Chunk, Prepared

WORDS = (
    "cat",
    "dog",
    "house",
    "river",
    "Postgres",
    "garden",
    "key",
    "attic",
    "Berlin",
    "tea",
    "coffee",
    "train",
    "猫",
    "数据库",
)
QUESTIONS = ("where is the key?", "which cat drinks tea in Berlin", "猫 数据库", "garden house river")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows, so that sealing and merging happen all the time."""
    monkeypatch.setattr(postings, "SEAL", 8)
    monkeypatch.setattr(engine, "SEAL", 8)
    monkeypatch.setattr(engine, "SEAL", 8)
    monkeypatch.setattr(engine, "FAN", 3)


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 9)))


TEXTS = st.integers(0, 1 << 30).map(lambda seed: sentence(random.Random(seed)))  # noqa: S311 - a test
PUTS = st.lists(
    st.tuples(
        st.sampled_from(["a.md", "b.md", "c.md", "d.md"]),
        st.lists(TEXTS, max_size=6),
        st.sampled_from(AUDIENCES),
        st.booleans(),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=scaled(12, 100))
@given(PUTS)
def test_an_index_made_again_answers_like_the_one_that_was_kept(
    tmp_path_factory: pytest.TempPathFactory, puts: list[tuple[str, list[str], object, bool, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    kept = index_at(folder / "kept.db")
    there: dict[str, list[Filed]] = {}
    for number, (path, texts, audience, append, reopen) in enumerate(puts):
        new = filed(path, *texts, audience=audience, digest=str(number))  # type: ignore[arg-type]
        kept.put([new], prepare, append=append and path in there)
        there[path] = [*(there.get(path, []) if append else []), new]
        if reopen:
            kept.close()
            kept = index_at(folder / "kept.db")
    other = index_at(folder / "kept.db")  # another process
    again = index_at(folder / "again.db")
    for path in sorted(there, key=lambda p: p[::-1]):
        for number, part in enumerate(there[path]):
            again.put([part], prepare, append=number > 0)
    for index in (kept, again):
        index.weigh()
    for question in QUESTIONS:
        expected, found = sorted(everything(again, question)), sorted(everything(kept, question))
        assert [hit[:2] for hit in found] == [hit[:2] for hit in expected]
        assert all(abs(one[2] - two[2]) < 0.02 for one, two in zip(found, expected, strict=True))
        assert everything(other, question) == everything(kept, question)
    assert kept.documents() == {path: parts[-1].digest for path, parts in there.items()}
    for index in (kept, again, other):
        index.close()


def test_words_that_begin_alike_are_not_endless(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    index.put([filed("a.md", " ".join(f"zahna{number}" for number in range(stock._KIN + 9)))], prepare)
    _, statistics = index.look(asked("zahna3"), Filters(EVERYTHING), TINY.tokens, 9)
    assert len(statistics.known[0].kin) == stock._KIN
    index.close()


def test_vectors_that_should_be_there_and_are_not_are_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_at(tmp_path / "i.db")
    index.put([filed("a.md", *["the attic key"] * 20)], prepare)
    index.close()
    index = index_at(tmp_path / "i.db")
    monkeypatch.setattr(Weighed, "add", lambda *_: None)
    index.put([filed("b.md", *["tea in the garden"] * 8)], prepare)
    index.close()
    with pytest.raises(Damaged, match="it has no vectors for its rows"):
        index_at(tmp_path / "i.db")


def test_what_is_put_is_found_first_and_what_is_gone_is_not(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    index.put(
        [filed("a.md", "the attic key is under the lamp", "tea in the garden"), filed("b.md", "a train to Berlin")],
        prepare,
    )
    assert everything(index, "where is the attic key?")[0][:2] == ("a.md", 1)
    index.put([filed("a.md", "tea in the garden", digest="2")], prepare)
    assert all(path != "a.md" or line == 1 for path, line, _ in everything(index, "attic key lamp"))
    assert "lamp" not in " ".join(chunk.text for chunk in index.chunks(index.rows_of("a.md")))
    index.put([Filed("a.md", "", ())], prepare)
    assert index.documents() == {"b.md": "1"}
    index.close()


VIEWS = st.builds(
    View,
    st.booleans(),
    st.booleans(),
    st.sets(st.sampled_from(["dev", "b"])).map(frozenset),
    st.sets(st.sampled_from(["acct:7", "acct:8"])).map(frozenset),
)


@given(st.integers(0, 1 << 30), VIEWS)
def test_nobody_is_given_a_chunk_they_may_not_see(
    tmp_path_factory: pytest.TempPathFactory, seed: int, view: View
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test
    index = index_at(tmp_path_factory.mktemp("index") / "i.db")
    for number in range(30):
        texts = [sentence(chance) for _ in range(chance.randrange(1, 4))]
        index.put([filed(f"{number}.md", *texts, audience=chance.choice(AUDIENCES))], prepare)
    for question in QUESTIONS:
        for only in ({}, {"path": "3.md"}, {"sources": ("memory",)}, {"sources": ("sessions",)}):
            pool, _ = index.look(asked(question), Filters(view, **only), TINY.tokens, 50)
            chunks = index.chunks(pool.row.tolist())
            assert all(view.sees(chunk.audience) for chunk in chunks)
            assert all(chunk.path == only.get("path", chunk.path) for chunk in chunks)
            assert only.get("sources") != ("sessions",) or not chunks
    index.close()


def _broken(data: bytes, chance: random.Random, *, flip: bool) -> bytes:
    broken = bytearray(data)
    if flip:
        broken[chance.randrange(min(100, len(broken) // 2), len(broken))] ^= 1 << chance.randrange(8)
    else:
        del broken[chance.randrange(len(broken)) :]
    return bytes(broken)


def test_damage_is_noticed_and_never_answered_from(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311 - a test
    index = index_at(tmp_path / "i.db")
    for first in (0, 10):  # files that have grown have room at their ends
        some = range(first, first + 10)
        index.put([filed(f"{n}.md", *(sentence(chance) for _ in range(5))) for n in some], prepare)
    expected = {question: everything(index, question) for question in QUESTIONS}
    index.seal_sums()
    index.close()
    whole = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    whole = {file: data for file, data in whole.items() if data}
    noticed = {"i.db": 0, "arrays": 0}
    for trial in range(scaled(60, 400)):
        for file, data in whole.items():
            file.write_bytes(data)
        kind = "i.db" if trial % 2 else "arrays"
        file = chance.choice([file for file in whole if (file.name == "i.db") == (kind == "i.db")])
        file.write_bytes(_broken(whole[file], chance, flip=trial % 5 > 0))
        os.utime(file, ns=(trial, trial))  # the clock of a file system is coarse
        try:
            index = index_at(tmp_path / "i.db")
        except Damaged:
            noticed[kind] += 1
            continue
        try:
            index.check()
            for question, hits in expected.items():
                assert everything(index, question) == hits
        except Damaged:
            noticed[kind] += 1
        finally:
            index.close()
        for ending in ("-wal", "-shm"):
            (tmp_path / f"i.db{ending}").unlink(missing_ok=True)
    assert min(noticed.values()) > 10


def test_an_epoch_that_is_no_number_is_damage_and_names_no_folder(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    index.put([filed("a.md", "the key is under the mat")], prepare)
    index.close()
    with sqlite3.connect(tmp_path / "i.db") as db:
        db.execute("INSERT OR REPLACE INTO meta VALUES ('epoch', ?)", ("x" * 400,))
    db.close()
    with pytest.raises(Damaged, match="epoch"):
        index_at(tmp_path / "i.db").check()


@pytest.mark.parametrize("error", [FileNotFoundError, FileExistsError])
def test_a_folder_of_arrays_that_goes_while_it_is_made_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[OSError]
) -> None:
    index = index_at(tmp_path / "i.db")

    def deleted(folder: Path, *_: object, **__: object) -> None:
        raise error(str(folder))  # what `mkdir` says of a folder that another deletes meanwhile

    with monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", deleted)
        with pytest.raises(MissingArray):
            index.put([filed("a.md", "the key is under the mat")], prepare)
    index.put([filed("a.md", "the key is under the mat")], prepare)
    assert everything(index, "where is the key?")
    index.close()


def test_arrays_that_shrink_under_a_reader_are_damage_and_not_the_end_of_it(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    index.put([filed(f"{n}.md", f"the key of house {n}") for n in range(20)], prepare)
    assert everything(index, "where is the key?")
    for file in (tmp_path / "i.db.arrays").rglob("*"):
        if file.is_file():
            os.truncate(file, file.stat().st_size // 2)
    with pytest.raises(Damaged):
        everything(index, "where is the key?")
    index.close()


def test_rows_that_are_dead_go_in_the_end_and_readers_notice_nothing(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    reader = index_at(tmp_path / "i.db")
    index.put([filed("kept.md", "the purple umbrella is under the lamp", "soup for the neighbours")], prepare)
    index.supersede({}, [("soup for the neighbours", None)])
    chance = random.Random(4)  # noqa: S311 - a test
    for number in range(60):
        index.put([filed("a.md", *(sentence(chance) for _ in range(4)), digest=str(number))], prepare)
        first = everything(reader, "where is the purple umbrella?")[0]
        assert first[:2] == ("kept.md", 1)
        assert all(hit[:2] != ("kept.md", 2) for hit in everything(reader, "soup for the neighbours"))
    assert len(index.rows_of("a.md")) == 4
    assert max(index.rows_of("a.md")) < 60
    fresh = index_at(tmp_path / "i.db")
    for question in QUESTIONS:
        assert everything(fresh, question) == everything(reader, question) == everything(index, question)
    assert len(list((tmp_path / "i.db.arrays").iterdir())) <= 2
    for each in (index, reader, fresh):
        each.close()


def test_nothing_of_a_row_that_is_gone_stays_after_an_erasure(tmp_path: Path) -> None:
    """Not its words, nor the numbers of its words and tokens, nor what these weigh; and who has it open goes on."""
    texts = [f"the {sentence(random.Random(seed))} number {seed}" for seed in range(40)]  # noqa: S311 - a test
    index, reader = index_at(tmp_path / "i.db"), index_at(tmp_path / "i.db")
    index.put([filed("a.md", "the vault opens with xylophonist", *texts), filed("b.md", "zeppelin", "ahoy")], prepare)
    assert everything(reader, "xylophonist")[0][:2] == ("a.md", 1)
    tokens = {token for word in ("xylophonist", "zeppelin") for token in TINY.tokens(0, [word])[0]}
    others = {token for own in TINY.tokens(0, [*texts, "the vault opens with", "ahoy", "[erased]"]) for token in own}
    assert tokens - others
    index.put([filed("a.md", "the vault opens with", *texts, digest="2")], prepare)
    index.erase([filed("b.md", "[erased]")], prepare)
    files = {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert not [name for name, data in files.items() if b"xylophonist" in data or b"zeppelin" in data]
    assert not tokens - others & set(np.frombuffer(files["tokens-0"], "<i4").tolist())
    held = index._stock
    assert len(held.columns) == held.columns.count == len(texts) + 3
    assert (held.known_number("xylophonist"), held.known_number("zeppelin")) == (-1, -1)
    ((weights,),) = held.file.rows("SELECT value FROM meta WHERE key='weights 0'")
    weight = np.frombuffer(weights, "<f4")
    assert {weight[token] for token in tokens - others} == {weight.max()}
    fresh = index_at(tmp_path / "i.db")
    for question in (*QUESTIONS, "which word opens the vault?"):
        assert everything(fresh, question) == everything(reader, question) == everything(index, question)
    fresh.check()
    for each in (index, reader, fresh):
        each.close()


def test_only_what_is_new_of_a_document_is_prepared(tmp_path: Path) -> None:
    asked_for: list[str] = []

    def counting(chunks: Iterable[Chunk]) -> Iterable[Prepared]:
        for chunk in chunks:
            asked_for.append(chunk.text)
            yield from prepare([chunk])

    index = index_at(tmp_path / "i.db")
    index.put([filed("a.md", "one cat", "two dogs")], counting)
    index.put([filed("a.md", "one cat", "two dogs", "a house", digest="2")], counting)
    assert asked_for == ["one cat", "two dogs", "a house"]
    index.put([filed("a.md", "one cat", "two dogs", "a house", digest="3")], counting)
    index.put([filed("a.md", "one cat", "a house", digest="4")], counting)
    assert asked_for[3:] == ["a house"]
    assert [chunk.text for chunk in index.chunks(index.rows_of("a.md"))] == ["one cat", "a house"]
    index.close()


def test_vectors_of_an_embedder_are_filled_in_row_by_row(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    index.put([filed("a.md", "one cat", "two dogs", "a house")], prepare)
    waiting = index.missing_vectors("mini", 2)
    assert [chunk.text for _, chunk in waiting] == ["one cat", "two dogs"]
    index.fill("mini", [row for row, _ in waiting], np.eye(2, 384, dtype="f4"))
    index.put([filed("a.md", "one cat", "a house", digest="2")], prepare)
    (last,) = index.missing_vectors("mini", 9)
    assert last[1].text == "a house"
    index.fill("mini", [last[0]], np.eye(1, 384, 7, dtype="f4"))
    assert index.missing_vectors("mini", 9) == []
    question = np.eye(1, 384, 7, dtype="f4")[0]
    pool, statistics = index.look(asked("zebra?"), Filters(EVERYTHING), TINY.tokens, 1, ("mini", question))
    assert [one.vector is None for one in statistics.asked] == [True, False]
    best = int(np.argmax(pool.spaces[1].vectors @ question))
    assert index.chunks([int(pool.row[best])])[0].text == "a house"
    pool, _ = index.look(asked("zebra?"), Filters(EVERYTHING), TINY.tokens, 1, ("other", question))
    assert len(pool.spaces) == 1
    assert len(index.missing_vectors("other", 9)) == 2
    index.close()


def test_another_embedder_or_other_chunks_mean_another_index(tmp_path: Path) -> None:
    index_at(tmp_path / "i.db").close()
    with pytest.raises(Damaged, match="was built for"):
        index_at(tmp_path / "i.db", "other")


def _write(path: Path, first: int, count: int) -> None:
    index = index_at(path)
    for number in range(first, first + count):
        index.put([filed(f"{number}.md", f"document number {number} of the river", "a second line about tea")], prepare)
    index.close()


def test_several_processes_write_and_read_at_once_and_nobody_sees_nonsense(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    index_at(path).close()
    context = get_context("fork")
    count = scaled(40, 200)
    writers = [context.Process(target=_write, args=(path, 1000 * n, count)) for n in (1, 2)]
    reader = index_at(path)
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        hits = everything(reader, "which document is about the river?")
        assert len({(p, line) for p, line, _ in hits}) == len(hits)
        assert all(line in (1, 2) for _, line, _ in hits)
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert len(reader.documents()) == 2 * count
    fresh = index_at(path)
    assert everything(reader, "river tea") == everything(fresh, "river tea")
    reader.close()
    fresh.close()


def test_a_killed_writer_leaves_an_index_that_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    chance = random.Random(1)  # noqa: S311 - a test
    for cycle in range(scaled(4, 40)):
        process = os.fork()
        if not process:
            _write(path, 100 * cycle, 50)
            os._exit(0)
        for _ in range(chance.randrange(2_000_000)):
            pass
        os.kill(process, 9)
        os.waitpid(process, 0)
        index = index_at(path)
        for document in index.documents():
            assert [chunk.start_line for chunk in index.chunks(index.rows_of(document))] == [1, 2]
        everything(index, "river")
        index.close()


def test_the_nearest_are_the_nearest_when_there_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oldsoul.adapters.index import spaces  # noqa: PLC0415 - only this test turns its knobs

    monkeypatch.setattr(spaces, "EXACT", 50)
    monkeypatch.setattr(spaces, "_BITS", 60 * 64)
    index = index_at(tmp_path / "i.db")
    chance = random.Random(8)  # noqa: S311 - a test
    index.put([filed(f"{n}.md", sentence(chance)) for n in range(300)], prepare)
    space = index._stock.spaces[0].vectors
    query = np.random.default_rng(2).standard_normal(64).astype("f4")
    mask = np.arange(len(space)) % 2 == 0
    rows = np.flatnonzero(mask)
    exact = set(rows[np.argsort(-(space.of(rows) @ query))[:5]].tolist())
    assert len(exact & set(space.nearest(query, mask, 20).tolist())) >= 4
    assert all(mask[row] for row in space.nearest(query, mask, 20))
    index.close()


def test_a_row_of_the_file_is_what_was_put(tmp_path: Path) -> None:
    index = index_at(tmp_path / "i.db")
    document = filed("a.md", "the attic key", "猫", speaker="Ann")
    index.put([document], prepare)
    assert index.chunks(index.rows_of("a.md")) == list(document.chunks)
    assert index.speakers == ("Ann",)
    index.close()
    with sqlite3.connect(tmp_path / "i.db") as db:
        assert {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")} >= {
            "meta",
            "files",
            "chunks",
        }
