"""A real disk that is full, and one that is mounted to be read only: what reads works, what writes says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from core.test_state import LOOKS, ME, WRITES, documents, held
from oldsoul import Oldsoul
from oldsoul.errors import OldsoulError, Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.torture,
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("mount") is None,
        reason="ONLY ROOT MAY MOUNT A DISK: a full one is tested with injected faults alone",
    ),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], check=False)
    if done.returncode:
        pytest.skip("THIS MACHINE LETS NOBODY MOUNT: a full disk is tested with injected faults alone")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """No byte more fits."""
    with (disk / "fill").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    try:
        yield
    finally:
        (disk / "fill").unlink()


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


@pytest.mark.parametrize("left", ["closed", "killed"])
@pytest.mark.parametrize("way", [full, read_only])
def test_a_real_disk_without_room_can_be_read_and_loses_nothing(disk: Path, way: object, left: str) -> None:
    home = disk / "home"
    process = os.fork()
    if not process:  # in a process of its own, which leaves the logs of its files behind when it is killed
        soul = Oldsoul.open(home)
        agent = soul.agent()
        agent.remember("Miso is the cat")
        agent.remember("Miso is fed at seven")
        agent.hear("We moved to Oslo in March", session=ME)
        agent.recall("cat", session=ME)
        if left == "closed":
            soul.close()
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0
    assert (home / "state" / "ledger.db-wal").exists() == (left == "killed")
    before = documents(home)
    with way(disk):  # type: ignore[operator]
        with Oldsoul.open(home) as soul:
            agent = soul.agent()
            for verb, look in LOOKS.items():
                assert look(agent) is not None, verb
            found = agent.recall("What is the cat called?", session=ME)
            assert "Miso is the cat" in found.hits[0].chunk.text
            for verb, write in WRITES.items():
                with pytest.raises(OldsoulError) as said:
                    write(agent)
                assert isinstance(said.value, Unwritable), (verb, said.value)
            known = held(soul)
        assert documents(home) == before
    with Oldsoul.open(home) as soul:
        assert held(soul) == known
        agent = soul.agent()
        agent.remember("The house is blue")
        agent.hear("It snows", session=ME)
        assert "blue" in agent.recall("what colour is the house?", session=ME).hits[0].chunk.text


def test_a_real_disk_that_gets_full_has_no_half_of_a_backup_or_of_a_restored_home(disk: Path, tmp_path: Path) -> None:
    with Oldsoul.open(tmp_path / "home") as soul:
        for _ in range(40):
            soul.agent().hear(os.urandom(4000).hex(), session=ME)
        (tmp_path / "home/workspace/main/picture").write_bytes(os.urandom(3_000_000))
        soul.backup(tmp_path / "b.zip")
        ended = {True: 0, False: 0}
        for free in range(0, 8_000_000, 200_000):
            for name in ("b.zip", "new"):
                (disk / "fill").write_bytes(bytes(shutil.disk_usage(disk).free - free))
                try:
                    _ = (
                        soul.backup(disk / name)
                        if name == "b.zip"
                        else Oldsoul.restore(tmp_path / "b.zip", disk / name)
                    )
                except Unwritable:
                    assert [path.name for path in disk.iterdir()] == ["fill"]
                else:
                    assert sorted(path.name for path in disk.iterdir()) == sorted(["fill", name])
                    shutil.move(disk / name, tmp_path / f"{name}-{free}")
                ended[(tmp_path / f"{name}-{free}").exists()] += 1
                (disk / "fill").unlink()
        assert all(ended.values())


def test_a_home_on_a_real_full_disk_is_backed_up_to_another(disk: Path, tmp_path: Path) -> None:
    with Oldsoul.open(disk / "home") as soul:
        soul.agent().remember("Miso is the cat")
    with full(disk), Oldsoul.open(disk / "home") as soul:
        soul.backup(tmp_path / "b.zip")
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    with Oldsoul.open(tmp_path / "new") as soul:
        assert b"Miso" in (soul.agent().files.show("MEMORY.md").data or b"")
