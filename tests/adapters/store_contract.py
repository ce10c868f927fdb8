"""What every store promises, as one suite: a store joins by giving a `bench` fixture in a subclass of `StoreContract`."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.errors import OldsoulError
from oldsoul.testing import MemoryStore
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Author, Evidence, Role
from oldsoul.values.history import ABSENT, Change, Effect, Record, version_of
from oldsoul.values.ids import segment
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oldsoul.ledger import Stores

MEMORY = Name("main", "MEMORY.md")
SOUL = Name("main", "SOUL.md")
DAILY = Name("main", "memory/2026-02-04.md")
OPERATOR = Author(Role.OPERATOR, "acct:owner")
LONG_FROM_NOW = 4_000_000_000
"""A time that makes a file look as if nobody had touched it lately."""


@dataclass(slots=True)
class Bench:
    """A store, and what a test may do around it."""

    store: Stores
    save: Callable[[Name, bytes | None], None]
    """what a person's editor does: save (or delete) without asking anybody"""
    stored: Callable[[], bytes]
    """every byte the store keeps anywhere"""
    block: Callable[[Name], None] | None = None
    """put something in a document's place that no document can replace; None where that cannot be"""
    reopen: Callable[[], Stores] | None = None
    """the store as the next process sees it; None for one that ends with its process"""
    root: Path | None = None
    """the workspace's folder, for stores that have one"""


@contextmanager
def memory_bench() -> Iterator[Bench]:
    """The store in memory."""
    store = MemoryStore()

    def stored() -> bytes:
        return repr((store._documents, store._versions, store._changes, store._records)).encode()

    yield Bench(store, store.save_outside, stored)
    store.close()


@contextmanager
def folder_bench(home: Path) -> Iterator[Bench]:
    """The store in folders."""
    opened: list[FolderStore] = []

    def place(workspace: str) -> WorkspacePath:
        return WorkspacePath(str(home / "workspace" / segment(workspace)))

    def open_store() -> FolderStore:
        for store in opened:
            store.close()
        opened[:] = [FolderStore(str(home / "state"), place)]
        return opened[0]

    def path_of(name: Name) -> Path:
        return Path(place(name.workspace).root, name.path)

    def save(name: Name, data: bytes | None) -> None:
        path = path_of(name)
        if data is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (LONG_FROM_NOW, LONG_FROM_NOW))
        else:
            path.unlink()
            os.utime(path.parent, (LONG_FROM_NOW, LONG_FROM_NOW))

    def stored() -> bytes:
        return b"\0".join(p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file())

    def block(name: Name) -> None:
        path_of(name).mkdir(parents=True)

    yield Bench(open_store(), save, stored, block, open_store, Path(place("main").root))
    for store in opened:
        store.close()


@contextmanager
def opened(kind: str) -> Iterator[Bench]:
    """A bench by its name, with a home of its own: for property tests, which need a fresh one for each example."""
    if kind == "memory":
        with memory_bench() as bench:
            yield bench
        return
    with tempfile.TemporaryDirectory() as home, folder_bench(Path(home)) as bench:
        yield bench


def change(key: str, *effects: Effect, workspace: str = "main", at: str = "2026-02-04T12:00:00.000000+00:00") -> Change:
    return Change(workspace, key, at, OPERATOR, f"because of {key}", effects)


def put(
    store: Stores, key: str, documents: Mapping[Name, bytes | None], *records: Record, at: str = "", workspace: str = ""
) -> Change:
    """Commit these documents as they are."""
    where = workspace or next((name.workspace for name in documents), "main")
    with store.hold(where) as held:
        effects = (
            Effect(n, store.read(n).version, version_of(data), (f"e{key}",)) for n, data in sorted(documents.items())
        )
        made = change(key, *effects, workspace=where)
        return held.commit(replace(made, at=at) if at else made, documents, records)


class StoreContract:
    """The promises. Subclass it, give it a `bench`."""

    # documents

    def test_a_document_that_is_not_there_is_a_value_and_not_an_error(self, bench: Bench) -> None:
        snapshot = bench.store.read(MEMORY)
        assert (snapshot.data, snapshot.version) == (None, ABSENT)
        assert bench.store.recorded(MEMORY) is None
        assert bench.store.names("main") == []

    def test_what_is_committed_is_read_back_with_the_version_of_its_bytes(self, bench: Bench) -> None:
        for key, data in (("k1", b"one\n"), ("k2", b""), ("k3", bytes(range(256))), ("k4", b"no line feed")):
            stored = put(bench.store, key, {MEMORY: data})
            assert bench.store.read(MEMORY).data == data
            assert bench.store.read(MEMORY).version == version_of(data) == bench.store.recorded(MEMORY)
            assert bench.store.content(stored.effects[0].after) == data

    def test_a_document_can_be_deleted_and_made_again(self, bench: Bench) -> None:
        put(bench.store, "k1", {MEMORY: b"one\n"})
        put(bench.store, "k2", {MEMORY: None})
        assert bench.store.read(MEMORY).data is None
        assert bench.store.recorded(MEMORY) == ABSENT
        assert bench.store.content(version_of(b"one\n")) == b"one\n"
        put(bench.store, "k3", {MEMORY: b"two\n"})
        assert bench.store.read(MEMORY).data == b"two\n"

    def test_names_are_those_that_are_there_sorted_and_of_one_workspace(self, bench: Bench) -> None:
        other = Name("other", "SOUL.md")
        put(bench.store, "k1", dict.fromkeys((SOUL, DAILY, MEMORY), b"x"))
        put(bench.store, "k2", {other: b"x"})
        put(bench.store, "k3", {SOUL: None})
        assert bench.store.names("main") == sorted([MEMORY, DAILY])
        assert bench.store.names("other") == [other]
        assert bench.store.names("nobody") == []
        assert bench.store.known("main") == sorted([SOUL, MEMORY, DAILY])
        assert bench.store.known("nobody") == []

    def test_when_a_document_was_changed_is_told(self, bench: Bench) -> None:
        began = time.time_ns()
        put(bench.store, "k1", {MEMORY: b"ours\n"})
        assert abs(bench.store.touched(MEMORY) - began) < 60 * 10**9
        bench.save(MEMORY, b"by hand, some time ago\n")
        assert bench.store.touched(MEMORY) > 0
        assert bench.store.touched(DAILY) == 0

    def test_what_was_changed_later_is_told_from_what_was_changed_before(self, bench: Bench) -> None:
        put(bench.store, "k1", {SOUL: b"one\n"})
        put(bench.store, "k2", {MEMORY: b"one\n"})
        assert 0 < bench.store.touched(SOUL) <= bench.store.touched(MEMORY)
        put(bench.store, "k3", {SOUL: b"two\n"})
        assert bench.store.touched(MEMORY) <= bench.store.touched(SOUL)
        assert bench.store.touched(DAILY) == 0

    def test_the_size_of_a_document_is_told_whoever_saved_it(self, bench: Bench) -> None:
        put(bench.store, "k1", {MEMORY: b"ours\n"})
        assert bench.store.size(MEMORY) == 5
        bench.save(MEMORY, b"by hand, and longer\n")
        assert bench.store.size(MEMORY) == 20
        assert bench.store.size(DAILY) == 0

    def test_a_save_by_hand_is_read_but_is_not_in_history(self, bench: Bench) -> None:
        put(bench.store, "k1", {MEMORY: b"ours\n"})
        bench.save(MEMORY, b"by hand\n")
        assert bench.store.read(MEMORY).data == b"by hand\n"
        assert bench.store.recorded(MEMORY) == version_of(b"ours\n")
        assert bench.store.content(version_of(b"by hand\n")) is None
        with bench.store.hold("main") as held:
            assert held.settled(MEMORY)
            effect = Effect(MEMORY, version_of(b"ours\n"), version_of(b"by hand\n"))
            held.commit(change("k2", effect), {}, also={version_of(b"by hand\n"): b"by hand\n"})
        assert bench.store.recorded(MEMORY) == version_of(b"by hand\n")
        assert bench.store.content(version_of(b"by hand\n")) == b"by hand\n"

    # history

    def test_a_change_is_remembered_whole(self, bench: Bench) -> None:
        evidence = (Evidence("m:1", Origin.PARTICIPANT, OWNER, "他说 “hi”\n- x"), Evidence("m:2", Origin.AGENT, OWNER))
        effect = Effect(MEMORY, ABSENT, version_of(b"x"), ("k3f9w2m7qa", "0123456789"))
        made = replace(change("k1", effect), evidence=evidence, notes={"proposal": "p", "masked": "2"})
        with bench.store.hold("main") as held:
            stored = held.commit(made, {MEMORY: b"x"})
        assert stored == replace(made, id=stored.id)
        assert stored.id > 0
        assert bench.store.change(stored.id) == stored
        assert bench.store.changes("main") == [stored]
        assert bench.store.change(stored.id + 1) is None

    def test_history_is_newest_first_and_is_paged_and_filtered(self, bench: Bench) -> None:
        made = []
        for number in range(12):
            name = MEMORY if number % 3 else SOUL
            at = f"2026-02-04T{number:02}:00:00.000000+00:00"
            made.append(put(bench.store, f"k{number}", {name: b"%d" % number}, at=at))
        newest = made[::-1]
        assert bench.store.changes("main") == newest
        assert bench.store.changes("main", limit=5) == newest[:5]
        assert bench.store.changes("main", limit=5, before=newest[4].id) == newest[5:10]
        assert bench.store.changes("main", before=made[0].id) == []
        assert bench.store.changes("main", since=made[8].at) == newest[:4]
        of_soul = [c for c in newest if c.effects[0].name == SOUL]
        assert bench.store.changes("main", name=SOUL) == of_soul
        assert bench.store.changes("main", name=SOUL, since=made[3].at, before=made[9].id, limit=1) == of_soul[1:2]
        assert bench.store.changes("main", name=DAILY) == []
        assert bench.store.changes("main", author=made[0].author, limit=5) == newest[:5]
        assert bench.store.changes("main", author=Author(Role.SYSTEM, "nobody")) == []

    def test_the_latest_change_is_known_by_its_number_in_each_workspace(self, bench: Bench) -> None:
        assert bench.store.latest("main") == 0
        first = put(bench.store, "k1", {MEMORY: b"x"})
        assert bench.store.latest("main") == first.id
        put(bench.store, "k2", {Name("other", "MEMORY.md"): b"y"})
        assert bench.store.latest("main") == first.id
        noted = put(bench.store, "k3", {}, Record("cursor", "c", "1"))
        assert bench.store.latest("main") == noted.id == bench.store.changes("main", limit=1)[0].id
        assert bench.store.latest("third") == 0

    def test_changes_are_followed_by_their_numbers_in_each_workspace(self, bench: Bench) -> None:
        made = [put(bench.store, f"k{n}", {MEMORY: b"x%d" % n}) for n in range(3)]
        put(bench.store, "k3", {Name("other", "MEMORY.md"): b"y"})
        noted = put(bench.store, "k4", {}, Record("cursor", "c", "1"))
        assert bench.store.following("main", 0, 100) == [*made, noted]
        assert bench.store.following("main", made[0].id, 2) == made[1:]
        assert bench.store.following("main", noted.id, 100) == []

    def test_versions_that_were_never_written_are_unknown(self, bench: Bench) -> None:
        put(bench.store, "k1", {MEMORY: b"x"})
        assert bench.store.content(version_of(b"never")) is None
        assert bench.store.content(ABSENT) is None
        assert bench.store.content("nonsense") is None

    def test_every_version_of_a_large_document_comes_back_after_many_small_edits(self, bench: Bench) -> None:
        lines = [b"- entry %06d with some words that make it longer\n" % n for n in range(22_000)]
        assert sum(map(len, lines)) > 1024 * 1024
        versions = []
        for number in range(40):
            place = (number * 7919) % len(lines)
            lines[place] = b"- edit %d\n" % number
            data = b"".join(lines)
            put(bench.store, f"k{number}", {DAILY: data})
            versions.append((version_of(data), data))
        for version, data in reversed(versions):
            assert bench.store.content(version) == data
        if bench.root is not None:
            ledger = bench.root.parents[1] / "state"
            assert sum(p.stat().st_size for p in ledger.rglob("*") if p.is_file()) < 8 * 1024 * 1024

    def test_workspaces_do_not_see_one_another(self, bench: Bench) -> None:
        mine, other = Name("main", "MEMORY.md"), Name("other", "MEMORY.md")
        put(bench.store, "same key", {mine: b"mine"}, Record("cursor", "c", "1"))
        put(bench.store, "same key", {other: b"other"}, Record("cursor", "c", "2"))
        assert [c.workspace for c in bench.store.changes("main")] == ["main"]
        assert bench.store.changes("main", name=mine) == bench.store.changes("main")
        assert bench.store.records("main", "cursor") == {"c": "1"}
        assert bench.store.records("other", "cursor") == {"c": "2"}
        assert [bench.store.record(place, "cursor", "c") for place in ("main", "other", "third")] == ["1", "2", None]
        assert bench.store.record("main", "cursor", "d") is None
        assert bench.store.recorded(mine) == version_of(b"mine")
        with bench.store.hold("third") as held:
            assert held.spent("same key") is None

    # records and keys

    def test_records_are_written_replaced_and_taken_away_with_a_change(self, bench: Bench) -> None:
        put(bench.store, "k1", {}, Record("proposal", "b", '{"x": "中"}'), Record("proposal", "a", "1"))
        assert list(bench.store.records("main", "proposal").items()) == [("a", "1"), ("b", '{"x": "中"}')]
        put(bench.store, "k2", {}, Record("proposal", "a", "2"), Record("proposal", "b", None))
        assert bench.store.records("main", "proposal") == {"a": "2"}
        put(bench.store, "k3", {}, Record("proposal", "never there", None))
        assert bench.store.records("main", "cursor") == {}

    def test_a_key_is_spent_once_and_only_in_its_workspace(self, bench: Bench) -> None:
        first = put(bench.store, "k1", {MEMORY: b"one"})
        with bench.store.hold("main") as held:
            assert held.spent("k1") == first
            assert held.spent("k2") is None
            effect = Effect(MEMORY, version_of(b"one"), version_of(b"two"))
            with pytest.raises((OldsoulError, sqlite3.IntegrityError)):
                held.commit(change("k1", effect), {MEMORY: b"two"}, [Record("cursor", "c", "1")])
        assert bench.store.read(MEMORY).data == b"one"
        assert bench.store.recorded(MEMORY) == version_of(b"one")
        assert bench.store.changes("main") == [first]
        assert bench.store.records("main", "cursor") == {}

    # all or nothing

    def test_a_set_that_cannot_be_written_whole_leaves_nothing(self, bench: Bench) -> None:
        if bench.block is None:
            pytest.skip("nothing can stand in a document's place here")
        put(bench.store, "k1", {MEMORY: b"before\n"}, Record("cursor", "c", "1"))
        bench.block(SOUL)
        effects = (
            Effect(MEMORY, version_of(b"before\n"), version_of(b"after\n")),
            Effect(SOUL, ABSENT, version_of(b"soul\n")),
            Effect(DAILY, ABSENT, version_of(b"day\n")),
        )
        documents = {MEMORY: b"after\n", SOUL: b"soul\n", DAILY: b"day\n"}
        with bench.store.hold("main") as held, pytest.raises((OldsoulError, OSError)):
            held.commit(change("k2", *effects), documents, [Record("cursor", "c", "2"), Record("cursor", "d", "1")])
        with bench.store.hold("main") as held:
            assert held.spent("k2") is None
            assert not held.concurrent_saves()
        assert bench.store.read(MEMORY).data == b"before\n"
        assert bench.store.read(DAILY).data is None
        assert bench.store.recorded(MEMORY) == version_of(b"before\n")
        assert bench.store.recorded(DAILY) in (None, ABSENT)
        assert bench.store.records("main", "cursor") == {"c": "1"}
        assert len(bench.store.changes("main")) == 1
        put(bench.store, "k2", {MEMORY: b"later\n"})
        assert bench.store.read(MEMORY).data == b"later\n"

    def test_one_writer_holds_a_workspace_and_another_waits(self, bench: Bench) -> None:
        put(bench.store, "k0", {MEMORY: b"0"})

        def count() -> None:
            for _ in range(10):
                with bench.store.hold("main") as held:
                    before = bench.store.read(MEMORY).data or b""
                    after = b"%d" % (int(before) + 1)
                    effect = Effect(MEMORY, version_of(before), version_of(after))
                    held.commit(change(f"{threading.get_ident()} {after!r}", effect), {MEMORY: after})

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert bench.store.read(MEMORY).data == b"40"
        assert len(bench.store.changes("main")) == 41

    def test_everything_is_there_for_the_next_process(self, bench: Bench) -> None:
        if bench.reopen is None:
            pytest.skip("this store ends with its process")
        first = put(bench.store, "k1", {MEMORY: b"one\n", DAILY: b"day\n"}, Record("cursor", "c", "1"))
        second = put(bench.store, "k2", {MEMORY: b"two\n", DAILY: None})
        store = bench.reopen()
        assert store.changes("main") == [second, first]
        assert store.read(MEMORY).data == b"two\n"
        assert store.content(version_of(b"one\n")) == b"one\n"
        assert store.records("main", "cursor") == {"c": "1"}
        assert store.names("main") == [MEMORY]
        assert store.recorded(DAILY) == ABSENT
        with store.hold("main") as held:
            assert held.spent("k1") == first

    # erasing

    def test_what_is_erased_leaves_no_trace_and_the_rest_stays(self, bench: Bench) -> None:
        secret = b"my sister is called Philomena"
        texts = [b"- first\n", b"- first\n- %s\n" % secret, b"- first\n- %s\n- third\n" % secret, b"- first\n- third\n"]
        for number, text in enumerate(texts):
            put(bench.store, f"k{number}", {MEMORY: text}, Record("proposal", "p", secret.decode()))
        with bench.store.hold("main") as held:
            quote = Evidence("m:1", Origin.OPERATOR, OWNER, f"she said {secret.decode()}")
            told = held.commit(replace(change("told"), evidence=(quote,), reason=secret.decode()), {})
            held.commit(change("gone"), {}, [Record("proposal", "p", None)])
            cleaned = {version_of(text): text.replace(secret, b"[erased]") for text in texts[1:3]}
            held.erase(cleaned, [replace(told, evidence=(replace(quote, quote=""),), reason="[erased]")])
        assert secret not in bench.stored()
        assert b"Philomena" not in bench.stored()
        assert bench.store.content(version_of(texts[1])) == b"- first\n- [erased]\n"
        assert bench.store.content(version_of(texts[2])) == b"- first\n- [erased]\n- third\n"
        assert bench.store.content(version_of(texts[0])) == texts[0]
        assert bench.store.content(version_of(texts[3])) == texts[3] == bench.store.read(MEMORY).data
        after = bench.store.change(told.id)
        assert after is not None
        assert (after.reason, after.evidence[0].quote, after.evidence[0].ref) == ("[erased]", "", "m:1")
        assert [c.key for c in bench.store.changes("main")] == ["gone", "told", "k3", "k2", "k1", "k0"]

    def test_versions_written_after_an_erasure_come_back_whole(self, bench: Bench) -> None:
        base = b"".join(b"- line %d\n" % n for n in range(200))
        told = base + b"- a word to be erased\n"
        put(bench.store, "k1", {MEMORY: base})
        put(bench.store, "k2", {MEMORY: told})
        put(bench.store, "k3", {MEMORY: told + b"- more\n"})
        put(bench.store, "k4", {MEMORY: base + b"- more\n"})
        with bench.store.hold("main") as held:
            held.erase({version_of(told): base, version_of(told + b"- more\n"): base + b"- more\n"}, [])
        put(bench.store, "k5", {MEMORY: base + b"- more\n- and more\n"})
        assert bench.store.content(version_of(base)) == base
        assert bench.store.content(version_of(base + b"- more\n- and more\n")) == base + b"- more\n- and more\n"
        assert b"to be erased" not in bench.stored()
