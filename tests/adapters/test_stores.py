"""Every store under one contract."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from adapters.store_contract import MEMORY, Bench, StoreContract, folder_bench, memory_bench, put
from oldsoul.adapters.folder import locked_workspace
from oldsoul.adapters.folder.locked_workspace import swap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        with memory_bench() as bench:
            yield bench


class TestFolderStore(StoreContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> Iterator[Bench]:
        with folder_bench(tmp_path) as bench:
            yield bench

    def test_who_follows_changes_is_not_told_of_one_that_may_still_be_dropped(
        self, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with folder_bench(tmp_path) as other:  # the same folders, as another process sees them
            seen: list[list[int]] = []

            def look(*given: Any, **more: Any) -> None:
                seen.append([change.id for change in other.store.following("main", 0, 10)])
                swap(*given, **more)

            first = put(bench.store, "k1", {MEMORY: b"x"})
            monkeypatch.setattr(locked_workspace, "swap", look)
            second = put(bench.store, "k2", {MEMORY: b"y"})
            assert seen == [[first.id]]
            assert [change.id for change in other.store.following("main", 0, 10)] == [first.id, second.id]

            def fail(*_: Any, **__: Any) -> None:
                look_at = other.store.following("main", second.id, 10)
                raise OSError(f"no room, and {len(look_at)} were told")

            monkeypatch.setattr(locked_workspace, "swap", fail)
            with pytest.raises(OSError, match="0 were told"):
                put(bench.store, "k3", {MEMORY: b"z"})
            assert other.store.following("main", second.id, 10) == bench.store.following("main", second.id, 10) == []

    def test_who_follows_changes_finishes_what_a_killed_process_left(
        self, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(bench.store, "k1", {MEMORY: b"x"})
        process = os.fork()
        if not process:
            monkeypatch.setattr(locked_workspace, "swap", lambda *_, **__: os._exit(9))
            with folder_bench(tmp_path) as other:
                put(other.store, "k2", {MEMORY: b"y"})
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9
        (left,) = bench.store.following("main", 1, 10)
        assert left.key == "k2"
        assert bench.store.read(MEMORY).data == b"y"

    def test_names_are_those_of_documents_and_nothing_else(self, bench: Bench) -> None:
        assert bench.root is not None
        for path in ("SOUL.md", ".hidden.md", "picture.png", ".git/x.md", "notes/own.md", "memory/2026-02-04.md"):
            (bench.root / path).parent.mkdir(parents=True, exist_ok=True)
            (bench.root / path).write_bytes(b"x")
        assert [name.path for name in bench.store.names("main")] == ["SOUL.md", "memory/2026-02-04.md", "notes/own.md"]
