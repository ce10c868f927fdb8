"""Versions that are told without reading: right whatever happens to files and to the cache, and no file read for nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.folder.disk import Disk
from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.adapters.folder.version_cache import FEWEST, VersionCache
from oldsoul.testing import MemoryStore
from oldsoul.values.history import ABSENT, version_of
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.adapters.folder.disk import Stamp

COUNT = FEWEST + 6
FAR = Name("main", "notes/n1.md")


class Watched(Disk):
    """A disk that knows what was read."""

    reads: list[str]

    def read(self, path: str, *, follow: bool = True) -> tuple[bytes, Stamp] | None:
        self.reads.append(path)
        return super().read(path, follow=follow)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    monkeypatch.setattr(Watched, "reads", made, raising=False)
    monkeypatch.setattr("oldsoul.adapters.folder.disk._TICK", -1)  # everything rests
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "main"
    (folder / "notes").mkdir(parents=True)
    for number in range(COUNT):
        (folder / f"notes/n{number}.md").write_text(f"- note {number}\n")
    return folder


@pytest.fixture
def looked(tmp_path: Path, root: Path) -> Callable[[], dict[Name, str]]:
    """What a process of its own says of all files."""

    def look() -> dict[Name, str]:
        glances = VersionCache(str(tmp_path / "cache/glances.json"))
        store = FolderStore(str(tmp_path / "state"), lambda _: WorkspacePath(str(root)), Watched, versions=glances)
        found = {name: store.version(name) for name in store.names("main")}
        assert found == {name: version_of((root / name.path).read_bytes()) for name in found}
        store.close()
        return found

    return look


def test_what_rests_since_another_process_looked_is_not_read_and_what_changed_is(
    looked: Callable[[], dict[Name, str]], reads: list[str], root: Path
) -> None:
    first = looked()
    assert len(reads) == len(first) == COUNT
    reads.clear()
    assert looked() == first
    assert reads == []
    (root / FAR.path).write_text("- Note 1\n")  # as many bytes
    assert looked()[FAR] != first[FAR]
    assert reads == [FAR.path]


def test_a_save_that_hides_its_time_is_seen_all_the_same(
    looked: Callable[[], dict[Name, str]], reads: list[str], root: Path
) -> None:
    first = looked()
    reads.clear()
    file = root / FAR.path
    status = file.stat()
    file.write_text("- Note 1\n")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert looked()[FAR] != first[FAR]


@pytest.mark.parametrize(
    "garbage", [None, b"", b"[]", b'{"main": 7}', b'{"main": {"notes/n1.md": [1]}}', b"\xff{", b"[" * 9999]
)
def test_a_cache_that_is_gone_or_makes_no_sense_is_made_anew(
    looked: Callable[[], dict[Name, str]], reads: list[str], tmp_path: Path, garbage: bytes | None
) -> None:
    first = looked()
    file = tmp_path / "cache/glances.json"
    assert file.stat().st_mode & 0o077 == 0
    if garbage is None:
        file.unlink()
    else:
        file.write_bytes(garbage)
    assert looked() == first
    reads.clear()
    assert looked() == first
    assert reads == []


def test_files_that_are_gone_leave_the_cache_with_time(
    looked: Callable[[], dict[Name, str]], reads: list[str], root: Path, tmp_path: Path
) -> None:
    looked()
    for number in range(COUNT):
        (root / f"notes/n{number}.md").rename(root / f"notes/m{number}.md")
    looked()
    assert reads
    kept = (tmp_path / "cache/glances.json").read_text()
    assert "notes/m1.md" in kept
    assert "notes/n1.md" not in kept


def test_a_cache_that_cannot_be_written_stops_nobody(tmp_path: Path, root: Path, reads: list[str]) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    glances = VersionCache(str(tmp_path / "cache/glances.json"))
    store = FolderStore(str(tmp_path / "state"), lambda _: WorkspacePath(str(root)), Watched, versions=glances)
    assert all(store.version(name) for name in store.names("main"))
    store.close()
    assert len(reads) == COUNT


def test_without_a_cache_and_in_memory_the_version_is_the_documents(tmp_path: Path, root: Path) -> None:
    store = FolderStore(str(tmp_path / "state"), lambda _: WorkspacePath(str(root)))
    assert store.version(FAR) == store.read(FAR).version
    assert store.version(Name("main", "MEMORY.md")) == ABSENT
    store.close()
    assert MemoryStore().version(FAR) == ABSENT


def test_the_first_search_of_another_process_reads_no_file_that_rests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oldsoul.adapters.folder.disk._TICK", -1)
    home = tmp_path / "home"
    read: list[str] = []
    real = Disk.read

    def watched(disk: Disk, path: str, *, follow: bool = True) -> tuple[bytes, Stamp] | None:
        read.append(path)
        return real(disk, path, follow=follow)

    monkeypatch.setattr(Disk, "read", watched)
    for process in range(2):
        with open_home(home, {}) as soul:
            agent = soul.agent()
            notes = home / "workspace/main/notes"
            notes.mkdir(exist_ok=True)
            for number in range(COUNT if not process else 0):
                (notes / f"n{number}.md").write_text(f"- The zebra {number} is called Olga\n")
            read.clear()
            found = agent.recall("what is zebra 3 called?", session=Session.dm())
            assert "Olga" in found.hits[0].chunk.text
    assert not [path for path in read if path.startswith("notes/")]
