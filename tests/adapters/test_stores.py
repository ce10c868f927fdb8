"""Every store under one contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.store_contract import Bench, StoreContract, folder_bench, memory_bench

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

    def test_names_are_those_of_documents_and_nothing_else(self, bench: Bench) -> None:
        assert bench.root is not None
        for path in ("SOUL.md", ".hidden.md", "picture.png", ".git/x.md", "notes/own.md", "memory/2026-02-04.md"):
            (bench.root / path).parent.mkdir(parents=True, exist_ok=True)
            (bench.root / path).write_bytes(b"x")
        assert [name.path for name in bench.store.names("main")] == ["SOUL.md", "memory/2026-02-04.md", "notes/own.md"]
