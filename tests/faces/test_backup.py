"""`backup` and `restore` on the command line: what they say, to people and to programs, and how they are stopped."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from faces.test_cli import answer, memory, ok, on_a_terminal, refusal, run, start
from oldsoul import Oldsoul

FIELDS = {"file", "home", "home_id", "made", "version", "files", "size", "left_out", "moved"}


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_home_is_backed_up_and_restored_by_command(tmp_path: Path) -> None:
    ok("remember", "Miso is the cat")
    made = run("backup", "b.zip")
    assert made.exit_code == 0
    assert made.stdout.startswith(f"Wrote {tmp_path / 'b.zip'}: ")
    assert made.stdout.endswith("read back and intact.\n")
    assert "secrets in config.yaml in plain text" in made.stderr
    assert ok("restore", "b.zip", "--home", "new").startswith(f"Restored {tmp_path / 'new'}: ")
    assert "Miso" in ok("show", "MEMORY.md", "--home", "new")
    assert ok("log", "--home", "new") == ok("log")


def test_programs_get_the_same_values_of_both(tmp_path: Path) -> None:
    ok("init")
    made, restored = answer("backup", "b.zip"), answer("restore", "b.zip", "--home", "new")
    assert set(made) == set(restored) == FIELDS
    assert {**made, "home": restored["home"]} == restored
    assert (made["file"], restored["home"]) == (str(tmp_path / "b.zip"), str(tmp_path / "new"))


def test_a_home_is_restored_to_its_own_place_once_that_is_empty() -> None:
    ok("remember", "Miso is the cat")
    ok("backup", "b.zip")
    assert "is not empty; restore to another folder with --home" in refusal(2, "restore", "b.zip")
    home = Path.home() / ".oldsoul"
    home.rename(home.with_name("old"))
    ok("restore", "b.zip")
    assert "Miso" in memory()


def test_what_cannot_be_is_refused_with_what_to_do(tmp_path: Path) -> None:
    assert "there is no home in" in refusal(3, "backup", "b.zip")
    assert not (Path.home() / ".oldsoul").exists()
    ok("init")
    ok("backup", "b.zip")
    assert "is there already; give the backup another name" in refusal(2, "backup", "b.zip")
    assert "there is no file" in refusal(3, "restore", "none.zip", "--home", "new")
    data = bytearray((tmp_path / "b.zip").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "b.zip").write_bytes(data)
    assert "its bytes have changed since it was written" in refusal(7, "restore", "b.zip", "--home", "new")
    assert not (tmp_path / "new").exists()


def test_a_full_disk_has_its_own_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("oldsoul.adapters.backup.os.fsync", no_room)
    result = run("backup", "b.zip")
    assert (result.exit_code, result.stdout) == (8, "")
    assert "the disk is full, so nothing was written" in result.stderr
    assert [*tmp_path.iterdir()] == []


def test_people_are_told_what_was_outside_and_what_is_not_in_it(tmp_path: Path) -> None:
    (tmp_path / "claw").mkdir()
    (tmp_path / "there").mkdir()
    ok("config", "set", "agents.main.workspace", str(tmp_path / "claw"))
    ok("init")
    (tmp_path / "claw/x.md").symlink_to("/etc/hostname")
    told = "outside/main/x.md is a link to a place outside its folder."
    assert f"Not in it: {told}" in run("backup", "there/b.zip").stderr
    result = run("restore", "there/b.zip", "--home", "new")
    assert (
        f"{tmp_path / 'claw'} was outside the home; its files are now in {tmp_path / 'new/outside/main'}."
        in result.stderr
    )
    assert told in result.stderr
    assert f"workspace: {tmp_path / 'claw'}" not in (tmp_path / "new/config.yaml").read_text()


def test_a_terminal_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    monkeypatch.setenv("TERM", "xterm")
    assert "Backing up: " in on_a_terminal("backup", "b.zip", typed=b"")[1]


def test_ctrl_c_stops_a_backup_and_leaves_no_file(tmp_path: Path) -> None:
    with Oldsoul.open() as soul:
        big = Path(soul._home.world.places.folder("main")) / "big.bin"
        with big.open("wb") as file:
            file.truncate(1 << 40)  # far more than there is time for, and no space taken
    process = start("backup", str(tmp_path / "b.zip"))
    while not [path for path in tmp_path.glob(".*.partial/backup") if path.stat().st_size > 1 << 16]:
        assert process.poll() is None
        threading.Event().wait(0.01)
    process.send_signal(signal.SIGINT)
    assert b"Stopped." in process.communicate()[1]
    assert process.returncode == 130
    assert [*tmp_path.iterdir()] == []
