"""A backup shows the home at one moment, is whole or not there, and is restored whole or not at all."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tarfile
import threading
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faults import failure, read_only, watched
from oldsoul import AsyncOldsoul, Oldsoul, Session
from oldsoul.adapters import backup
from oldsoul.adapters.folder import locked_workspace
from oldsoul.adapters.folder.store import FolderStore
from oldsoul.app.health import ERROR, WARNING, findings
from oldsoul.errors import BadInput, Busy, Cancelled, Damaged, NotFound, Unwritable
from oldsoul.values.messages import Wanted
from oldsoul.wiring import open_home
from oldsoul.wiring.doctor import HomeSite
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app import Agent
    from oldsoul.values.runtime import Backup

ME = Session.dm()
THREADS = 4


@pytest.fixture
def soul(tmp_path: Path) -> Iterator[Oldsoul]:
    with Oldsoul.open(tmp_path / "home") as made:
        made.agent().remember("Miso is the cat")
        made.agent().hear("we moved to Oslo in March", session=ME)
        yield made


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup that tests damage copies of."""
    folder = tmp_path_factory.mktemp("sample")
    with Oldsoul.open(folder / "home") as made:
        made.agent().remember("Miso is the cat")
        made.agent().hear("we moved to Oslo in March", session=ME)
        made.backup(folder / "sample.zip")
    return folder / "sample.zip"


def wrong(home: Path) -> list[str]:
    """What `doctor` complains about."""
    with open_home(home, {}, make=False) as made:
        found = findings(HomeSite(home, {}), lambda: made, None, lambda _: None)
        return [str(each) for each in found if each.level in (WARNING, ERROR)]


def disagreeing(home: Path) -> list[str]:
    """The documents that are not what history says they are."""
    with closing(sqlite3.connect(home / "state/ledger.db")) as db:
        rows = db.execute("SELECT workspace, path, version FROM documents").fetchall()
    found = {}
    for workspace, path, _ in rows:
        file = home / "workspace" / workspace / path
        found[workspace, path] = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else "absent"
    return [path for workspace, path, version in rows if version != found[workspace, path]]


def texts(agent: Agent) -> list[str]:
    return [message.text for message in agent._parts.log.every(Wanted(limit=100_000))]


# consistent while others write


class Writer(threading.Thread):
    """Writes until it is stopped, and counts what was acknowledged."""

    def __init__(self, agent: Agent, number: int) -> None:
        super().__init__(daemon=True)
        self.said = self.written = 0
        self.stop = threading.Event()
        self.error: BaseException | None = None
        self._agent, self._number = agent, number

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self._agent.hear(f"said {self._number}-{self.said}.", session=Session.dm(id=f"s{self._number}"))
                self.said += 1
                self._agent.talk.append_daily_log(f"written {self._number}-{self.written}.", session=ME)
                self.written += 1
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.error = error


def test_a_backup_while_four_threads_write_has_all_that_was_acknowledged_and_agrees_with_itself(
    soul: Oldsoul, tmp_path: Path
) -> None:
    writers = [Writer(soul.agent(), number) for number in range(THREADS)]
    for writer in writers:
        writer.start()
    made: list[tuple[list[tuple[int, int]], Path]] = []
    for number in range(scaled(3, 30)):
        while any(writer.said < 3 * (number + 1) and writer.is_alive() for writer in writers):
            threading.Event().wait(0.01)
        before = [(writer.said, writer.written) for writer in writers]
        made.append((before, Path(soul.backup(tmp_path / f"{number}.zip").file)))
    for writer in writers:
        writer.stop.set()
    for writer in writers:
        writer.join()
        assert writer.error is None
    for before, file in made:
        home = tmp_path / f"restored-{file.stem}"
        Oldsoul.restore(file, home)
        assert disagreeing(home) == []
        with Oldsoul.open(home) as restored:
            agent = restored.agent()
            said = texts(agent)
            log = b"".join(
                agent.files.show(day.name.path).data or b"" for day in agent.files.all() if "memory/" in day.name.path
            )
            for number, (messages, lines) in enumerate(before):
                assert {f"said {number}-{n}." for n in range(messages)} <= {*said}
                assert all(f"written {number}-{n}.".encode() in log for n in range(lines))
        assert wrong(home) == []


WRITES = """
import sys
from oldsoul import Oldsoul, Session
with Oldsoul.open(sys.argv[1]) as soul:
    agent, number = soul.agent(), 0
    while True:
        agent.hear(f"said {sys.argv[2]}-{number}.", session=Session.dm())
        agent.talk.append_daily_log(f"written {sys.argv[2]}-{number}.")
        print(number, flush=True)
        number += 1
"""


def test_a_backup_while_processes_write_and_are_killed_has_all_that_was_acknowledged(
    soul: Oldsoul, tmp_path: Path
) -> None:
    for turn in range(scaled(2, 20)):
        home, names = tmp_path / f"restored-{turn}", [f"{turn}-{number}" for number in range(2)]
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITES, str(tmp_path / "home"), name], stdout=subprocess.PIPE)
            for name in names
        ]
        try:
            assert all(b"4\n" in writer.stdout for writer in writers if writer.stdout)  # so much is acknowledged
            file = tmp_path / f"{turn}.zip"
            killer = threading.Thread(target=writers[0].kill)
            killer.start()
            soul.backup(file)
            killer.join()
        finally:
            for writer in writers:
                writer.kill()
                writer.communicate()
        Oldsoul.restore(file, home)
        with Oldsoul.open(home) as restored:
            said = {*texts(restored.agent())}
            days = [each.name.path for each in restored.agent().files.all() if each.name.path.startswith("memory/")]
            log = b"".join(restored.agent().files.show(path).data or b"" for path in days)
        for name in names:
            assert {f"said {name}-{number}." for number in range(5)} <= said
            assert all(f"written {name}-{number}.".encode() in log for number in range(5))
        assert disagreeing(home) == []
        assert wrong(home) == []


def test_history_blame_and_undo_work_on_a_restored_home(soul: Oldsoul, tmp_path: Path) -> None:
    change = soul.agent().remember("The boat is green").change
    soul.agent().remember("The tea is jasmine")
    soul.backup(tmp_path / "b.zip")
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    with Oldsoul.open(tmp_path / "new") as restored:
        agent = restored.agent()
        assert [each.id for each in agent.files.history()] == [each.id for each in soul.agent().files.history()]
        assert agent.files.blame("MEMORY.md") == soul.agent().files.blame("MEMORY.md")
        agent.undo(change)
        assert b"boat" not in (agent.files.show("MEMORY.md").data or b"")
        assert b"jasmine" in (agent.files.show("MEMORY.md").data or b"")
        found = agent.recall("what is the cat called?", session=ME).hits
        assert any("Miso" in hit.text for hit in found)
        assert "we moved to Oslo in March" in texts(agent)
    assert wrong(tmp_path / "new") == []


def test_others_write_while_a_backup_is_packed_and_it_shows_the_moment_it_began(soul: Oldsoul, tmp_path: Path) -> None:
    done: list[int] = []

    def told(number: int, _total: int) -> None:
        if not done:  # nobody would get a lock that the backup holds
            soul.agent().remember("The boat is green")
            soul.agent().hear("the ferry leaves at nine", session=ME)
            soul.add_token("operator")
        done.append(number)

    soul.backup(tmp_path / "b.zip", told)
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    assert disagreeing(tmp_path / "new") == []
    with Oldsoul.open(tmp_path / "new") as restored:
        assert b"boat" not in (restored.agent().files.show("MEMORY.md").data or b"")
        assert texts(restored.agent()) == ["we moved to Oslo in March"]
        assert restored.tokens() == []


def test_a_change_that_a_killed_process_began_is_finished_first(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom oldsoul import Oldsoul\nfrom oldsoul.adapters.folder import locked_workspace\n"
        "soul = Oldsoul.open(sys.argv[1])\n"
        "locked_workspace.swap = lambda *_, **__: os._exit(9)\n"
        "soul.agent().remember('Miso is the cat')\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path / "home")], check=False).returncode == 9
    assert "Miso" not in (tmp_path / "home/workspace/main/MEMORY.md").read_text()
    with Oldsoul.open(tmp_path / "home") as killed:
        killed.backup(tmp_path / "b.zip")
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    assert "Miso" in (tmp_path / "new/workspace/main/MEMORY.md").read_text()
    assert disagreeing(tmp_path / "new") == []


def test_a_backup_waits_for_a_change_that_is_being_made(
    soul: Oldsoul, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, swap = FolderStore.hold, locked_workspace.swap
    monkeypatch.setattr(FolderStore, "hold", lambda store, name, _=0: hold(store, name, 0))

    def waits(*given: Any, **more: Any) -> None:
        with pytest.raises(Busy):  # nobody who holds a workspace waits for itself
            soul.backup(tmp_path / "b.zip")
        swap(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(locked_workspace, "swap", waits)
        soul.agent().remember("The boat is green")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    soul.backup(tmp_path / "b.zip")


def test_words_that_are_being_erased_are_not_in_a_backup(soul: Oldsoul, tmp_path: Path) -> None:
    with soul._home.chat._file.erasing() as db:  # type: ignore[attr-defined]
        db.execute("PRAGMA secure_delete=OFF")
        db.execute("DELETE FROM messages")
    soul.backup(tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as made:
        assert b"Oslo" not in made.read("state/chat.db")


# what is in it


def members(file: Path) -> set[str]:
    with zipfile.ZipFile(file) as made:
        assert made.testzip() is None
        return {*made.namelist()}


def test_a_backup_is_one_private_zip_file_without_what_can_be_made_again(soul: Oldsoul, tmp_path: Path) -> None:
    soul.agent().recall("cat", session=ME)
    made = soul.backup(tmp_path / "b.zip")
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600
    assert made.size == (tmp_path / "b.zip").stat().st_size
    inside = members(tmp_path / "b.zip")
    assert made.files == len(inside) - 1
    assert {"config.yaml", "state/ledger.db", "state/chat.db", "workspace/main/MEMORY.md", backup.LIST} <= inside
    assert not [path for path in inside if path.startswith(("cache", "state/locks", "state/jobs"))]
    assert not [path for path in inside if path.endswith(("-wal", "-shm", ".lock"))]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "home"]


def test_the_list_names_versions_the_home_and_the_hash_of_every_file(soul: Oldsoul, tmp_path: Path) -> None:
    made = soul.backup(tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as file:
        listed = json.loads(file.read(backup.LIST))
        hashes = {
            path: hashlib.sha256(file.read(path)).hexdigest() for path in file.namelist() if path in listed["files"]
        }
    assert {path: each["sha256"] for path, each in listed["files"].items()} == hashes
    identity = (tmp_path / "home/state/home-id").read_text()
    assert (listed["home_id"], made.home_id) == (identity, identity)
    assert (listed["version"], listed["format"]) == (made.version, 1)


def test_what_is_restored_is_its_owners_alone(soul: Oldsoul, tmp_path: Path) -> None:
    workspace = tmp_path / "home/workspace/main"
    (workspace / "open").mkdir(parents=True)
    for name, mode in (("open/a.md", 0o666), ("open/do.sh", 0o777), ("b.md", 0o444), ("c.md", 0o604)):
        (workspace / name).write_text("x\n")
        (workspace / name).chmod(mode)
    for folder in (workspace / "open", workspace, tmp_path / "home"):
        folder.chmod(0o777)
    soul.backup(tmp_path / "b.zip")
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    for path in ((new := tmp_path / "new"), *new.rglob("*")):
        wanted = 0o700 if path.is_dir() or path.name == "do.sh" else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_a_restored_home_keeps_its_id_tokens_times_and_empty_folders(soul: Oldsoul, tmp_path: Path) -> None:
    secret = soul.add_token("operator", name="laptop").secret
    script = tmp_path / "home/workspace/main/skills/run/do.sh"
    script.parent.mkdir(parents=True)
    script.write_text("echo\n")
    script.chmod(0o750)
    os.utime(script, ns=(10**18, 10**18))
    (tmp_path / "home/workspace/main/.git/refs/tags").mkdir(parents=True)
    made = soul.backup(tmp_path / "b.zip")
    assert Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new").home_id == made.home_id
    again = tmp_path / "new/workspace/main/skills/run/do.sh"
    assert (stat.S_IMODE(again.stat().st_mode), again.stat().st_mtime_ns) == (0o700, 10**18)
    assert (tmp_path / "new/workspace/main/.git/refs/tags").is_dir()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    with Oldsoul.open(tmp_path / "new") as restored:
        assert restored.check_token(secret).name == "laptop"
        assert restored.backup(tmp_path / "again.zip").home_id == made.home_id


def test_workspaces_and_memory_outside_the_home_come_into_it_and_settings_lead_there(tmp_path: Path) -> None:
    home, claw = tmp_path / "home", tmp_path / "claw"
    for folder in (home, claw / "inner"):
        folder.mkdir(parents=True)
    (claw / "MEMORY.md").write_text("- The cat is called Tom\n")
    (claw / "inner/MEMORY.md").write_text("- The dog is called Rex\n")
    (home / "config.yaml").write_text(
        f"# mine\nagents:\n  defaults: {{workspace: {claw}}}\n  list:\n    - id: inner\n      workspace: {claw}/inner\n"
        f"    - id: plain\nteams: {{crew: {{members: [plain]}}}}\nmemory: {{dir: {tmp_path / 'mem'}}}\n"
    )
    with Oldsoul.open(home) as made:
        made.agent("plain").talk.append_daily_log("It rained", session=ME)
        made.backup(tmp_path / "b.zip")
    restored = Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    new = tmp_path / "new/outside"
    assert restored.moved == {str(claw): str(new / "main"), str(tmp_path / "mem"): str(new / "main.memory")}
    assert restored.left_out == ()
    for was in (claw, tmp_path / "mem"):
        was.rename(was.with_name(f"{was.name}-gone"))
    with Oldsoul.open(tmp_path / "new") as soul:
        assert soul.agent().files.show("MEMORY.md").data == b"- The cat is called Tom\n"
        assert soul.agent("inner").files.show("MEMORY.md").data == b"- The dog is called Rex\n"
        assert soul._home.world.places.roots("inner") == [str(new / "main/inner"), str(new / "main.memory")]
        assert soul._home.world.places.roots("crew")[1] == str(new / "main.memory")
        assert soul.agent("plain").talk.days()
    assert not claw.exists()
    assert (tmp_path / "new/config.yaml").read_text().startswith("# mine\n")


def test_a_workspace_that_contains_the_home_is_backed_up_without_it(tmp_path: Path) -> None:
    home = tmp_path / "claw/.oldsoul"
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(f"agents: {{list: [{{id: main, workspace: {tmp_path / 'claw'}}}]}}\n")
    (tmp_path / "there").mkdir()
    with Oldsoul.open(home) as soul:
        soul.agent().remember("Miso is the cat")
        soul.backup(tmp_path / "there/b.zip")
    assert not [path for path in members(tmp_path / "there/b.zip") if ".oldsoul" in path]
    Oldsoul.restore(tmp_path / "there/b.zip", tmp_path / "new")
    assert "Miso" in (tmp_path / "new/outside/main/MEMORY.md").read_text()


def test_a_folder_that_settings_name_inside_the_home_by_its_whole_path_is_found_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(f"agents: {{list: [{{id: main, workspace: {home}/mine}}]}}\n")
    with Oldsoul.open(home) as soul:
        soul.agent().remember("Miso is the cat")
        soul.backup(tmp_path / "b.zip")
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    with Oldsoul.open(tmp_path / "new") as soul:
        assert soul._home.world.places.roots("main") == [str(tmp_path / "new/mine")]
        assert b"Miso" in (soul.agent().files.show("MEMORY.md").data or b"")


def test_a_home_of_a_release_before_is_backed_up_and_restored(tmp_path: Path) -> None:
    with tarfile.open(Path(__file__).parents[1] / "homes/0.1.0.tar.xz") as old:
        old.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.3 and before have none
        old.extractall(tmp_path / "home")  # noqa: S202 - our own file
    with Oldsoul.open(tmp_path / "home") as soul:
        soul.backup(tmp_path / "b.zip")
        history = soul.agent("main").files.history(limit=1000)
    asyncio.run(AsyncOldsoul.restore(tmp_path / "b.zip", tmp_path / "new"))
    with Oldsoul.open(tmp_path / "new") as soul:
        assert soul.agent("main").files.history(limit=1000) == history
        hits = soul.agent("main").recall("what is the cat called?", session=ME).hits
        assert any("Miso" in hit.text for hit in hits[:3])


def test_links_out_and_what_is_no_file_are_left_out_and_named(soul: Oldsoul, tmp_path: Path) -> None:
    folder = tmp_path / "home/workspace/main"
    (folder / "out.md").symlink_to(tmp_path / "elsewhere.md")
    (tmp_path / "elsewhere.md").write_text("secret of another place")
    (folder / "inside.md").symlink_to("MEMORY.md")
    (folder / "nothing.md").symlink_to("missing.md")
    (folder / "deep").symlink_to("agents")
    os.mkfifo(folder / "pipe")
    (tmp_path / "home" / os.fsdecode(b"bad-\xff")).write_text("x")
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(folder / "s"))
        made = soul.backup(tmp_path / "b.zip")
    assert made.left_out == (
        "bad-\ufffd has a name that is not valid UTF-8",
        "workspace/main/deep is a link to a folder",
        "workspace/main/nothing.md is a link to nothing",
        "workspace/main/out.md is a link to a place outside its folder",
        "workspace/main/pipe is not a regular file",
        "workspace/main/s is not a regular file",
    )
    with zipfile.ZipFile(tmp_path / "b.zip") as file:
        assert b"Miso" in file.read("workspace/main/inside.md")
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_symlink()]


def test_a_home_whose_folders_are_links_to_another_disk_is_backed_up_whole(tmp_path: Path) -> None:
    home, disk = tmp_path / "home", tmp_path / "disk"
    for name in ("workspace", "state"):
        (disk / name).mkdir(parents=True)
        home.mkdir(exist_ok=True)
        (home / name).symlink_to(disk / name)
    with Oldsoul.open(home) as soul:
        soul.agent().remember("Miso is the cat")
        assert soul.backup(tmp_path / "b.zip").left_out == ()
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    assert (tmp_path / "new/state/home-id").read_text() == (home / "state/home-id").read_text()
    assert "Miso" in (tmp_path / "new/workspace/main/MEMORY.md").read_text()


def test_a_backup_says_that_conversations_on_a_server_are_not_in_it(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("storage: {chat: postgres, postgres_dsn: 'host=127.0.0.1 port=1'}\n")
    with Oldsoul.open(tmp_path / "home") as soul:
        (said,) = soul.backup(tmp_path / "b.zip").left_out
    assert "PostgreSQL" in said
    assert Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new").left_out == (said,)


# where it may be written


def test_nothing_is_overwritten_and_no_backup_is_inside_what_it_backs_up(soul: Oldsoul, tmp_path: Path) -> None:
    (tmp_path / "taken.zip").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "home")
    for file, said in (
        (tmp_path / "taken.zip", "is there already"),
        (tmp_path, "is there already"),
        (tmp_path / "home/b.zip", "choose a place outside it"),
        (tmp_path / "link/workspace/b.zip", "choose a place outside it"),
        (tmp_path / "missing/b.zip", "there is no folder"),
    ):
        with pytest.raises(BadInput, match=said):
            soul.backup(file)
    assert (tmp_path / "taken.zip").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "link", "taken.zip"]


def test_a_home_that_is_not_empty_is_not_restored_over(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("x")
    (tmp_path / "file").write_text("x")
    for home in (tmp_path / "full", tmp_path / "file"):
        with pytest.raises(BadInput, match="is not empty; restore to another folder with --home"):
            Oldsoul.restore(sample, home)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]
    with pytest.raises(BadInput, match="there is no folder"):
        Oldsoul.restore(sample, tmp_path / "missing/new")
    with pytest.raises(NotFound, match="there is no file"):
        Oldsoul.restore(tmp_path / "none.zip", tmp_path / "new")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    Oldsoul.restore(sample, tmp_path / "link")
    assert (tmp_path / "empty/config.yaml").exists()


def test_a_home_that_somebody_makes_meanwhile_is_not_written_over(sample: Path, tmp_path: Path) -> None:
    def told(_done: int, _total: int) -> None:
        (tmp_path / "new").mkdir(exist_ok=True)
        (tmp_path / "new/mine").write_text("x")

    with pytest.raises(BadInput, match="is not empty"):
        Oldsoul.restore(sample, tmp_path / "new", told)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["new", "new/mine"]


# damaged and hostile files


def refused(file: Path, folder: Path) -> str:
    """Why a file is not restored from; nothing is written then."""
    with pytest.raises(Damaged) as caught:
        Oldsoul.restore(file, folder / "new")
    assert not (folder / "new").exists()
    assert [path.name for path in folder.iterdir()] == [file.name]
    return str(caught.value)


@settings(max_examples=scaled(25, 400))
@given(place=st.integers(0, 2**32), flip=st.integers(1, 255))
def test_a_file_with_any_byte_changed_is_refused(
    sample: Path, tmp_path_factory: pytest.TempPathFactory, place: int, flip: int
) -> None:
    data = bytearray(sample.read_bytes())
    data[place % len(data)] ^= flip
    folder = tmp_path_factory.mktemp("flipped")
    (folder / "b.zip").write_bytes(data)
    assert "is damaged, or not a backup of Oldsoul" in refused(folder / "b.zip", folder)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.99])
def test_a_file_that_is_cut_off_or_goes_on_is_refused(sample: Path, tmp_path: Path, share: float) -> None:
    data = sample.read_bytes()
    for changed in (data[: int(len(data) * share)], data + data[: int(len(data) * share) + 1]):
        (tmp_path / "b.zip").write_bytes(changed)
        refused(tmp_path / "b.zip", tmp_path)


def sealed(inside: dict[str, bytes], listed: Any, change: Callable[[zipfile.ZipFile], None] = lambda _: None) -> bytes:
    """A backup that somebody made by hand, with a seal that is right."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for path, data in inside.items():
            made.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
        made.writestr(backup.LIST, listed if isinstance(listed, bytes) else json.dumps(listed))
        change(made)
        made.comment = backup._SEAL + b"0" * 64
    data = buffer.getvalue()[:-64]
    return data + hashlib.sha256(data).hexdigest().encode()


def a_list(inside: dict[str, bytes], **more: Any) -> dict[str, Any]:
    files = {
        path: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "mode": 0o600, "modified": 0}
        for path, data in inside.items()
    }
    facts = {"format": 1, "version": "1", "home_id": "", "made": "", "left_out": [], "moved": {}, "places": {}}
    return {**facts, "folders": {}, "files": files, **more}


def linked(made: zipfile.ZipFile) -> None:
    made.infolist()[0].external_attr = (stat.S_IFLNK | 0o777) << 16


def declared(size: int) -> Callable[[zipfile.ZipFile], None]:
    def change(made: zipfile.ZipFile) -> None:
        made.infolist()[0].file_size = size

    return change


def encrypted(made: zipfile.ZipFile) -> None:
    made.infolist()[0].flag_bits |= 1


ONE = {"config.yaml": b"timezone: UTC\n"}
NO_DATABASE = {"state/ledger.db": b"x" * 4096}
ENTRY = a_list(ONE)["files"]["config.yaml"]
OUT = ("../out.md", "/out.md", "a/../../out.md", "a//b", "./a", "..", "", "a/", "a\0b", "\ud800", backup.LIST)
HOSTILE: dict[str, bytes] = {
    **{f"the folder {path!r}": sealed(ONE, a_list(ONE, folders={path: 448})) for path in OUT},
    **{f"the file {path!r}": sealed({path: b"x"}, a_list({path: b"x"})) for path in OUT[:6]},
    "a workspace outside": sealed(ONE, a_list(ONE, places={"main": ["../../out", ""]})),
    "a workspace of one part": sealed(ONE, a_list(ONE, places={"main": ["out"]})),
    "a folder moved outside": sealed(ONE, a_list(ONE, moved={"/srv": "/etc"})),
    "a link": sealed(ONE, a_list(ONE), linked),
    "an encrypted file": sealed(ONE, a_list(ONE), encrypted),
    "another hash": sealed(ONE, a_list(ONE, files={"config.yaml": {**ENTRY, "sha256": "0" * 64}})),
    "another size": sealed(ONE, a_list(ONE, files={"config.yaml": {**ENTRY, "size": 3}})),
    "a size that both say": sealed(ONE, a_list(ONE, files={"config.yaml": {**ENTRY, "size": 3}}), declared(3)),
    "a negative size": sealed(ONE, a_list(ONE, files={"config.yaml": {**ENTRY, "size": -1}})),
    "a size that is no number": sealed(ONE, a_list(ONE, files={"config.yaml": {**ENTRY, "size": True}})),
    "a hash that is no text": sealed(ONE, a_list(ONE, files={"config.yaml": {**ENTRY, "sha256": 7}})),
    "an endless time": sealed(ONE, a_list(ONE, files={"config.yaml": {**ENTRY, "modified": 10**40}})),
    "a file that is not listed": sealed({**ONE, "more": b""}, a_list(ONE)),
    "a listed file that is not there": sealed(ONE, a_list({**ONE, "more": b""})),
    "no list": sealed(ONE, b""),
    "a list that is no table": sealed(ONE, b"[1, 2]"),
    "a list without end": sealed(ONE, b"[" * 100_000),
    "files that are no table": sealed(ONE, a_list(ONE, files=[])),
    "facts that are no texts": sealed(ONE, a_list(ONE, left_out=[1])),
    "a file below a file": sealed({"a": b"", "a/b": b""}, a_list({"a": b"", "a/b": b""})),
    "a folder where a file is": sealed({"a": b""}, a_list({"a": b""}, folders={"a": 448})),
    "a folder below none": sealed(ONE, a_list(ONE, folders={"a/b": 448})),
    "a name that is too long": sealed({"n" * 300: b""}, a_list({"n" * 300: b""})),
    "a database that is none": sealed(NO_DATABASE, a_list(NO_DATABASE, folders={"state": 448})),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_and_nothing_is_written(tmp_path: Path, what: str) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/b.zip").write_bytes(HOSTILE[what])
    refused(tmp_path / "inner/b.zip", tmp_path / "inner")
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]


def test_a_file_that_names_a_member_twice_is_refused(tmp_path: Path) -> None:
    def twice(made: zipfile.ZipFile) -> None:
        with pytest.warns(UserWarning, match="Duplicate"):
            made.writestr("config.yaml", b"")

    (tmp_path / "b.zip").write_bytes(sealed(ONE, a_list(ONE), twice))
    refused(tmp_path / "b.zip", tmp_path)


def test_what_our_own_tools_could_have_made_by_hand_is_restored(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(sealed(ONE, a_list(ONE)))
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["config.yaml"]


def test_a_backup_of_a_newer_release_is_refused_as_such(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(sealed(ONE, a_list(ONE, format=2)))
    assert "newer Oldsoul; update this one" in refused(tmp_path / "b.zip", tmp_path)


def test_a_backup_that_does_not_fit_on_the_disk_is_not_begun(tmp_path: Path) -> None:
    huge = {"config.yaml": {**ENTRY, "size": 1 << 60}}
    (tmp_path / "b.zip").write_bytes(sealed(ONE, a_list(ONE, files=huge), declared(1 << 60)))
    with pytest.raises(Unwritable, match=r"bytes, and only .* are free"):
        Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]


def test_a_damaged_database_is_named_and_no_backup_is_left(soul: Oldsoul, tmp_path: Path) -> None:
    soul.close()
    ledger = tmp_path / "home/state/ledger.db"
    data = bytearray(ledger.read_bytes())
    data[4096:8192] = os.urandom(4096)
    ledger.write_bytes(data)
    with Oldsoul.open(tmp_path / "home") as again, pytest.raises(Damaged, match=r"ledger\.db is damaged"):
        again.backup(tmp_path / "b.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


# disks and stops


def test_a_backup_of_a_home_that_can_only_be_read_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = watched(monkeypatch)
    with Oldsoul.open(tmp_path / "home") as soul:
        soul.agent().remember("Miso is the cat")
    with read_only(monkeypatch, faults, str(tmp_path / "home")), open_home(tmp_path / "home", {}, make=False) as soul:
        soul.backup(tmp_path / "b.zip")
    Oldsoul.restore(tmp_path / "b.zip", tmp_path / "new")
    assert disagreeing(tmp_path / "new") == []
    assert "Miso" in (tmp_path / "new/workspace/main/MEMORY.md").read_text()


def no_room(*_: object, **__: object) -> Any:
    raise OSError(28, "No space left on device")


FULL: dict[str, tuple[Any, str]] = {
    "the folder": (os, "mkdir"),
    "a document": (shutil, "copyfileobj"),
    "a member": (zipfile.ZipFile, "open"),
    "the end": (os, "fsync"),
}


@pytest.mark.parametrize("where", FULL)
def test_a_full_disk_ends_a_backup_with_our_error_and_leaves_no_file(
    soul: Oldsoul, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "there").mkdir()
    soul.agent().remember("The boat is green")
    (tmp_path / "home/state/home-id").write_text("a" * 32)
    with monkeypatch.context() as patch:
        patch.setattr(*FULL[where], no_room)
        with pytest.raises(Unwritable, match="the disk is full"):
            soul.backup(tmp_path / "there/b.zip")
    assert [*(tmp_path / "there").iterdir()] == []
    soul.backup(tmp_path / "there/b.zip")


def test_a_database_that_finds_no_room_for_its_copy_is_told_as_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = watched(monkeypatch)
    (tmp_path / "there").mkdir()
    with Oldsoul.open(tmp_path / "home") as soul:
        faults.below = str(tmp_path / "there")
        faults.fails = lambda sql: failure(sqlite3.SQLITE_FULL) if sql.startswith("pragma journal_mode") else None
        with pytest.raises(Unwritable, match="the disk is full"):
            soul.backup(tmp_path / "there/b.zip")
    assert [*(tmp_path / "there").iterdir()] == []


@pytest.mark.parametrize("where", ["mkdir", "fsync", "rename"])
def test_a_full_disk_ends_a_restore_and_leaves_nothing(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, where, no_room)
        with pytest.raises(Unwritable, match="the disk is full"):
            Oldsoul.restore(sample, tmp_path / "new")
    assert [*tmp_path.iterdir()] == []


def test_work_that_is_stopped_at_any_point_leaves_nothing_and_tells_how_far_it_is(
    soul: Oldsoul, sample: Path, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    works: list[Callable[[Callable[[int, int], None]], Backup]] = [
        lambda told: soul.backup(there / "b.zip", told),
        lambda told: Oldsoul.restore(sample, there / "new", told),
    ]
    for work, result in zip(works, ("b.zip", "new"), strict=True):
        count = 0
        while True:
            told: list[tuple[int, int]] = []

            def stop(done: int, total: int) -> None:
                told.append((done, total))  # noqa: B023 - called at once
                if len(told) > count:  # noqa: B023
                    raise Cancelled("stopped")

            try:
                work(stop)
            except Cancelled:
                assert not (there / result).exists()
                assert [path for path in there.iterdir() if path.name != "b.zip"] == []
                count += 1 + count // scaled(4, 40)
            else:
                break
        assert [done for done, _ in told] == sorted(done for done, _ in told)
        assert all(done <= total for done, total in told if total)


KILLED = """
import os, sys
from oldsoul import Oldsoul
left = int(sys.argv[4])
def told(done, total):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), 9)
if sys.argv[1] == "backup":
    with Oldsoul.open(sys.argv[2]) as soul:
        soul.backup(sys.argv[3], told)
else:
    Oldsoul.restore(sys.argv[2], sys.argv[3], told)
"""


@pytest.mark.parametrize("verb", ["backup", "restore"])
def test_a_killed_process_leaves_no_half_of_it_and_the_next_one_removes_what_it_left(
    soul: Oldsoul, sample: Path, tmp_path: Path, verb: str
) -> None:
    soul.close()
    there = tmp_path / "there"
    there.mkdir()
    source, target = (tmp_path / "home", there / "b.zip") if verb == "backup" else (sample, there / "new")
    for left in (1, 12, 40)[: scaled(2, 3)]:
        done = subprocess.run([sys.executable, "-c", KILLED, verb, str(source), str(target), str(left)], check=False)
        assert done.returncode == -signal.SIGKILL
        assert not target.exists()
        (partial,) = there.iterdir()  # the one before is gone
        assert stat.S_IMODE(partial.stat().st_mode) == 0o700
    with Oldsoul.open(tmp_path / "home") as again:
        again.agent().remember("The boat is green")
        if verb == "backup":
            again.backup(target)
        else:
            Oldsoul.restore(source, target)
    assert [*there.iterdir()] == [target]


def test_two_backups_to_one_place_at_once_do_not_remove_each_others_work(soul: Oldsoul, tmp_path: Path) -> None:
    inner: list[Backup] = []

    def told(_done: int, _total: int) -> None:
        if not inner:
            inner.append(soul.backup(tmp_path / "b.zip"))
            (tmp_path / "b.zip").rename(tmp_path / "first.zip")

    soul.backup(tmp_path / "b.zip", told)
    for name in ("b", "first"):
        Oldsoul.restore(tmp_path / f"{name}.zip", tmp_path / name)
