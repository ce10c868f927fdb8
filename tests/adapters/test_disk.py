"""The disk on a real folder: links stay inside, nothing hangs, modes are kept, and a writer is seen."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import oldsoul.adapters.folder.disk
from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder import disk as module
from oldsoul.adapters.folder.disk import QUIET_SECONDS, Disk, NoExchangeError, make_folders
from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.errors import Refused
from oldsoul.ledger import Ledger
from oldsoul.values.changes import Add, Author, ChangeSet, Delete, Put, Role
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

OPERATOR = Author(Role.OPERATOR, "acct:owner")
MEMORY = Name("main", "MEMORY.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def disk(root: Path) -> Disk:
    return Disk(str(root))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with somebody else's file, beside the workspace."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.md").write_bytes(b"not yours")
    return folder


@pytest.fixture
def ledger(root: Path, tmp_path: Path) -> Iterator[Ledger]:
    store = FolderStore(str(tmp_path / "state"), lambda _: WorkspacePath(str(root)))
    yield Ledger(store, SystemClock(), lambda _: b"")
    store.close()


def data_at(disk: Disk, path: str) -> bytes | None:
    found = disk.read(path)
    return found[0] if found else None


def age(path: Path, seconds: float) -> None:
    """Nothing can set the time of the last change of a status; so the clock of the disk is moved instead."""
    status = path.stat()
    os.utime(path, (status.st_atime, status.st_mtime - seconds))


# links that stay inside


def test_a_link_to_a_file_inside_is_followed(disk: Disk, root: Path, ledger: Ledger) -> None:
    (root / "notes").mkdir()
    (root / "notes/real.md").write_bytes(b"- real\n")
    (root / "MEMORY.md").symlink_to("notes/real.md")
    assert data_at(disk, "MEMORY.md") == b"- real\n"
    assert disk.resolve("MEMORY.md") == "notes/real.md"
    ledger.apply(ChangeSet((Add(MEMORY, "more"),), OPERATOR, "r", "k"))
    assert (root / "MEMORY.md").is_symlink()
    assert (root / "notes/real.md").read_bytes().startswith(b"- real\n- more ")


def test_a_link_to_a_folder_inside_is_followed(disk: Disk, root: Path, ledger: Ledger) -> None:
    (root / "elsewhere").mkdir()
    (root / "memory").symlink_to(root / "elsewhere")
    name = Name("main", "memory/2026-02-04/dm.md")
    ledger.apply(ChangeSet((Add(name, "words"),), OPERATOR, "r", "k"))
    assert (root / "elsewhere/2026-02-04/dm.md").read_bytes().startswith(b"- words ")
    assert data_at(disk, "memory/2026-02-04/dm.md") == (root / "elsewhere/2026-02-04/dm.md").read_bytes()


def test_a_link_to_a_file_that_is_not_there_yet_makes_it_there(root: Path, ledger: Ledger) -> None:
    (root / "MEMORY.md").symlink_to("later.md")
    ledger.apply(ChangeSet((Add(MEMORY, "words"),), OPERATOR, "r", "k"))
    assert (root / "later.md").read_bytes().startswith(b"- words ")


def test_links_in_a_circle_are_refused(disk: Disk, root: Path) -> None:
    (root / "MEMORY.md").symlink_to("b.md")
    (root / "b.md").symlink_to("MEMORY.md")
    with pytest.raises(Refused):
        disk.read("MEMORY.md")


# links that lead out

OUT = {
    "relative": "../outside/secret.md",
    "absolute": "{root}/../outside/secret.md",
    "by way of a folder inside": "notes/../../outside/secret.md",
    "dangling": "../outside/nothing.md",
    "through another link": "first.md",
    "device": "/dev/zero",
}


@pytest.mark.parametrize("how", OUT)
def test_a_link_that_leads_out_is_refused(disk: Disk, root: Path, outside: Path, ledger: Ledger, how: str) -> None:
    (root / "notes").mkdir()
    (root / "first.md").symlink_to("../outside/secret.md")
    (root / "MEMORY.md").symlink_to(OUT[how].format(root=root))
    for look in (disk.read, disk.stamp, disk.quiet, disk.resolve):
        with pytest.raises(Refused):
            look("MEMORY.md")
    for operation in (Add(MEMORY, "words"), Put(MEMORY, b"words"), Delete(MEMORY)):
        with pytest.raises(Refused):
            ledger.apply(ChangeSet((operation,), OPERATOR, "r", f"{operation}"))
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
    assert (outside / "secret.md").read_bytes() == b"not yours"
    assert "MEMORY.md" not in [*disk.walk()]


def test_a_folder_that_leads_out_is_refused_and_not_listed(
    disk: Disk, root: Path, outside: Path, ledger: Ledger
) -> None:
    (root / "rooms").symlink_to(outside)
    with pytest.raises(Refused):
        disk.read("rooms/secret.md")
    with pytest.raises(Refused):
        ledger.apply(ChangeSet((Add(Name("main", "rooms/r.md"), "words"),), OPERATOR, "r", "k"))
    assert [*disk.walk()] == []
    assert len([*outside.iterdir()]) == 1


def test_a_link_out_stops_nobody_from_using_the_rest(root: Path, outside: Path, ledger: Ledger) -> None:
    (root / "other.md").symlink_to(outside / "secret.md")
    (root / "SOUL.md").write_bytes(b"# Soul\n")
    ledger.notice("main")
    assert [change.effects[0].name.path for change in ledger.history("main")] == ["SOUL.md"]


def test_a_folder_swapped_for_a_link_meanwhile_is_not_followed(disk: Disk, root: Path, outside: Path) -> None:
    (root / "rooms").mkdir()
    (root / "rooms/.r.md.new").write_bytes(b"ours")
    assert disk.resolve("rooms/r.md") == "rooms/r.md"
    (root / "rooms").rename(root / "away")
    (root / "rooms").symlink_to(outside)
    changes: list[Callable[[], object]] = [
        lambda: disk.create("rooms/.r.md.os-1", None),
        lambda: disk.exchange("rooms/.r.md.new", "rooms/secret.md"),
        lambda: disk.place("rooms/secret.md", "rooms/mine.md"),
        lambda: disk.overwrite("rooms/secret.md", "rooms/mine.md"),
        lambda: disk.link("rooms/secret.md", "rooms/mine.md"),
        lambda: disk.unlink("rooms/secret.md"),
        lambda: disk.make_folder("rooms/inner"),
        lambda: disk.sync_folder("rooms"),
    ]
    for change in changes:
        with pytest.raises(Refused):
            change()
    assert [path.name for path in outside.iterdir()] == ["secret.md"]


def test_a_file_that_keeps_becoming_a_link_out_is_never_read_through(disk: Disk, root: Path, outside: Path) -> None:
    """A link swapped in between the look and the open is refused as well."""
    (root / "MEMORY.md").write_bytes(b"ours")
    (root / "link").symlink_to(outside / "secret.md")
    done = threading.Event()

    def swapping() -> None:
        while not done.is_set():
            disk.exchange("link", "MEMORY.md")

    thread = threading.Thread(target=swapping)
    thread.start()
    seen = set()
    try:
        for _ in range(3000):
            try:
                seen.add(data_at(disk, "MEMORY.md"))
            except Refused:
                seen.add(b"refused")
    finally:
        done.set()
        thread.join()
    assert seen <= {b"ours", b"refused"}


def test_a_link_is_not_followed_where_a_file_of_ours_should_be(disk: Disk, root: Path) -> None:
    (root / "MEMORY.md").write_bytes(b"ours")
    (root / ".temp").symlink_to("MEMORY.md")
    with pytest.raises(Refused):
        disk.read(".temp", follow=False)


# things that are no files


def test_a_pipe_is_refused_and_does_not_hang(disk: Disk, root: Path, ledger: Ledger) -> None:
    os.mkfifo(root / "MEMORY.md")
    for look in (disk.read, disk.stamp):
        with pytest.raises(Refused):
            look("MEMORY.md")
    with pytest.raises(Refused):
        ledger.apply(ChangeSet((Add(MEMORY, "words"),), OPERATOR, "r", "k"))
    assert stat.S_ISFIFO((root / "MEMORY.md").stat().st_mode)
    assert [*disk.walk()] == []


def test_a_socket_is_refused(disk: Disk, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket  # noqa: PLC0415 - the name would shadow nothing here

    monkeypatch.chdir(root)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("MEMORY.md")
        with pytest.raises(Refused):
            disk.read("MEMORY.md")


def test_a_folder_in_the_place_of_a_file_is_refused_and_stays(disk: Disk, root: Path, ledger: Ledger) -> None:
    (root / "MEMORY.md").mkdir()
    (root / "MEMORY.md/inner.md").write_bytes(b"x")
    with pytest.raises(Refused):
        disk.read("MEMORY.md")
    for operation in (Add(MEMORY, "words"), Delete(MEMORY)):
        with pytest.raises(Refused):
            ledger.apply(ChangeSet((operation,), OPERATOR, "r", f"{operation}"))
    assert (root / "MEMORY.md/inner.md").read_bytes() == b"x"
    assert [path.name for path in root.iterdir()] == ["MEMORY.md"]


def test_a_file_in_the_place_of_a_folder_is_an_error_and_nothing_is_left(root: Path, ledger: Ledger) -> None:
    (root / "rooms").write_bytes(b"a file")
    with pytest.raises(NotADirectoryError):
        ledger.apply(ChangeSet((Add(Name("main", "rooms/r.md"), "words"),), OPERATOR, "r", "k"))
    ledger.apply(ChangeSet((Add(MEMORY, "words"),), OPERATOR, "r", "k"))
    assert sorted(path.name for path in root.iterdir() if not path.name.startswith(".")) == ["MEMORY.md", "rooms"]


def test_an_unreadable_file_gives_an_error_that_names_it(
    disk: Disk, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "MEMORY.md").write_bytes(b"x")
    (root / "MEMORY.md").chmod(0)
    if os.geteuid() == 0:  # root reads everything, so the system's answer is made up
        real = os.open

        def denied(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            if path == "MEMORY.md":
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return real(path, flags, mode, dir_fd=dir_fd)

        monkeypatch.setattr(os, "open", denied)
    with pytest.raises(PermissionError, match=r"workspace/MEMORY\.md"):
        disk.read("MEMORY.md")


# modes, folders, names


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o664, 0o400])
def test_a_mode_is_kept(root: Path, ledger: Ledger, mode: int) -> None:
    (root / "MEMORY.md").write_bytes(b"- words\n")
    (root / "MEMORY.md").chmod(mode)
    ledger.apply(ChangeSet((Add(MEMORY, "more"),), OPERATOR, "r", "k"))
    assert stat.S_IMODE((root / "MEMORY.md").stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_owner_is_kept(root: Path, ledger: Ledger) -> None:
    (root / "MEMORY.md").write_bytes(b"- words\n")
    os.chown(root / "MEMORY.md", 1234, 2345)
    ledger.apply(ChangeSet((Add(MEMORY, "more"),), OPERATOR, "r", "k"))
    status = (root / "MEMORY.md").stat()
    assert (status.st_uid, status.st_gid) == (1234, 2345)


def test_new_files_and_folders_are_nobody_elses_business(tmp_path: Path, ledger: Ledger, root: Path) -> None:
    ledger.apply(ChangeSet((Add(Name("main", "rooms/r.md"), "words"),), OPERATOR, "r", "k"))
    assert stat.S_IMODE((root / "rooms").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "rooms/r.md").stat().st_mode) == 0o600
    assert make_folders(str(tmp_path / "a/b/c"))
    assert not make_folders(str(tmp_path / "a/b/c"))
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_a_long_name_in_another_script_can_be_written(root: Path, ledger: Ledger) -> None:
    name = Name("main", f"skills/{'a' * 60}/SKILL.md")
    long = Name("_shared", f"{'記' * 60}.md")
    ledger.apply(ChangeSet((Add(name, "words"),), OPERATOR, "r", "k"))
    ledger.apply(ChangeSet((Add(long, "words"),), OPERATOR, "r", "k"))
    ledger.apply(ChangeSet((Add(long, "more"),), OPERATOR, "r", "k2"))
    assert (root / long.path).read_bytes().count(b"<!--os") == 2


def test_the_walk_leaves_out_what_is_hidden(disk: Disk, root: Path) -> None:
    for path in ("a.md", ".hidden.md", "inner/b.md", ".git/c.md", "inner/.d.md"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(b"x")
    (root / "link.md").symlink_to("a.md")
    (root / "again").symlink_to("inner")
    assert sorted(disk.walk()) == ["a.md", "inner/b.md", "link.md"]


def test_a_file_is_placed_only_where_there_is_none(disk: Disk, root: Path) -> None:
    (root / "a").write_bytes(b"a")
    (root / "b").write_bytes(b"b")
    with pytest.raises(FileExistsError):
        disk.place("a", "b")
    disk.exchange("a", "b")
    assert (root / "a").read_bytes() == b"b"
    with pytest.raises(FileNotFoundError):
        disk.exchange("a", "c")
    disk.place("a", "c")
    assert (root / "c").read_bytes() == b"b"


# writers

WRITER = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
print("open", flush=True)
sys.stdin.readline()
os.write(fd, b"more")
os.close(fd)
print("closed", flush=True)
sys.stdin.readline()
"""


def test_a_writer_in_another_process_is_seen_until_it_closes(
    disk: Disk, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.md").write_bytes(b"words")
    (root / ".temp").hardlink_to(root / "a.md")
    assert disk.quiet("a.md")
    command = [sys.executable, "-c", WRITER, str(root / "a.md")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        assert not disk.quiet("a.md")
        assert not disk.still(".temp", 0)
        writer.stdin.write("\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "closed\n"
        assert disk.quiet("a.md")
        assert disk.still(".temp", 0)
        assert not disk.still(".temp", 60)
        writer.stdin.write("\n")
    monkeypatch.setattr(
        oldsoul.adapters.folder.disk, "_lease", lambda _: None
    )  # where the system does not tell who writes
    assert not disk.quiet("a.md")
    later = (root / "a.md").stat().st_ctime + QUIET_SECONDS
    monkeypatch.setattr(time, "time", lambda: later + 1)
    assert disk.quiet("a.md")
    assert disk.still(".temp", 0)


def test_a_file_emptied_just_now_is_not_quiet(disk: Disk, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a.md").write_bytes(b"")
    assert not disk.quiet("a.md")
    assert disk.still("a.md", 0)
    later = (root / "a.md").stat().st_ctime + QUIET_SECONDS
    monkeypatch.setattr(time, "time", lambda: later + 1)
    assert disk.quiet("a.md")


def test_a_file_from_the_future_is_quiet(disk: Disk, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a.md").write_bytes(b"")
    age(root / "a.md", -100_000)
    monkeypatch.setattr(oldsoul.adapters.folder.disk, "_lease", lambda _: None)
    assert disk.quiet("a.md")


def test_a_file_removed_just_now_is_not_quiet(disk: Disk, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a.md").write_bytes(b"words")
    (root / "a.md").unlink()
    assert not disk.quiet("a.md")
    later = root.stat().st_ctime + QUIET_SECONDS
    monkeypatch.setattr(time, "time", lambda: later + 1)
    assert disk.quiet("a.md")


# file systems that cannot swap


@pytest.mark.parametrize("links", ["links", "no links"])
def test_without_an_exchange_documents_are_written_all_the_same(
    root: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, links: str
) -> None:
    def unsupported(*_: object) -> int:
        ctypes.set_errno(errno.EINVAL)
        return -1

    def no_link(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(module, "_renameat2", lambda: unsupported)
    if links == "no links":
        monkeypatch.setattr(os, "link", no_link)
    with pytest.raises(NoExchangeError):
        Disk(str(root)).exchange("a", "b")
    room = Name("main", "rooms/r.md")
    ledger.apply(ChangeSet((Add(MEMORY, "one"), Add(room, "other")), OPERATOR, "r", "k1"))
    ledger.apply(ChangeSet((Add(MEMORY, "two"),), OPERATOR, "r", "k2"))
    ledger.apply(ChangeSet((Delete(room), Add(MEMORY, "three")), OPERATOR, "r", "k3"))
    (root / "MEMORY.md").write_bytes((root / "MEMORY.md").read_bytes() + b"- by hand\n")
    ledger.apply(ChangeSet((Add(MEMORY, "four"),), OPERATOR, "r", "k4"))
    data = (root / "MEMORY.md").read_bytes()
    assert [data.count(words) for words in (b"one", b"two", b"three", b"by hand", b"four")] == [1] * 5
    assert not (root / "rooms/r.md").exists()
    ledger._store.close()
    monkeypatch.setattr(ledger._store, "close", lambda: None)
    assert [path for path in root.rglob(".*") if path.is_file()] == []
