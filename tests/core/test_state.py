"""What becomes of a home whose disk is full, whose files in `state/` are damaged, whose cache is deleted: nothing is lost."""

from __future__ import annotations

import errno
import os
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

import faults as injected
from oldsoul import Oldsoul, Session
from oldsoul.errors import Damaged, OldsoulError, Unwritable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from faults import Faults
    from oldsoul.app import Agent
    from oldsoul.values.names import Name

ME = Session.dm("acct:owner", id="dm")
PARTING = ("move", "delete", "remove", "away")


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    return injected.watched(monkeypatch)


@pytest.fixture
def home(tmp_path: Path, faults: Faults) -> Path:
    """A home in which something was remembered, said, changed, proposed and searched."""
    del faults  # its files are opened by what fails later
    with Oldsoul.open(tmp_path / "home") as soul:
        agent = soul.agent()
        agent.remember("Miso is the cat")
        agent.remember("Miso is fed at seven")
        agent.hear("We moved to Oslo in March", session=ME)
        agent.recall("cat", session=ME)
    return tmp_path / "home"


LOOKS: dict[str, Callable[[Agent], Any]] = {
    "show": lambda agent: agent.show("memory"),
    "files": lambda agent: agent.files(),
    "recall": lambda agent: agent.recall("What is the cat called?", session=ME),
    "context": lambda agent: agent.context("cat", session=ME),
    "prompt": lambda agent: agent.prompt("cat", session=ME),
    "bootstrap": lambda agent: agent.bootstrap(),
    "history": lambda agent: agent.history(),
    "history of a file": lambda agent: agent.history("memory"),
    "diff": lambda agent: agent.diff(2),
    "blame": lambda agent: agent.blame("memory"),
    "proposals": lambda agent: agent.proposals(),
    "sessions": lambda agent: agent.talk.sessions(),
    "find": lambda agent: agent.find("cat"),
    "index": lambda agent: agent.index_status(),
    "tools": lambda agent: agent.tools(),
    "findings": lambda agent: agent.findings(),
}
WRITES: dict[str, Callable[[Agent], Any]] = {
    "remember": lambda agent: agent.remember("The house is blue"),
    "remember again": lambda agent: agent.remember("Miso is the cat"),
    "hear": lambda agent: agent.hear("It snows", session=ME),
    "put": lambda agent: agent.put("soul", b"# Me\n"),
    "undo": lambda agent: agent.undo(3),
    "log": lambda agent: agent.append_daily_log("It was a long day"),
    "correct": lambda agent: agent.correct("Miso is fed at eight", wrong="seven", right="eight"),
    "promote": lambda agent: agent.promote("likes tea", "acct:7"),
    "forget": lambda agent: agent.forget(*_entry(agent)),
    "forget a message": lambda agent: agent.forget_message(1),
    "rebuild": lambda agent: agent.rebuild_index(),
}


def _entry(agent: Agent) -> tuple[Name, str]:
    ((name, entry), *_) = agent.find("seven", "memory")
    return name, entry.id


def documents(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted((home / "workspace").rglob("[!.]*")) if path.is_file()}


def held(soul: Oldsoul) -> list[object]:
    agent = soul.agent()
    return [agent.history(), soul.chat.threads("main"), [file.version for file in agent.files()]]


# a full disk, and one that can only be read


@pytest.mark.parametrize("opened", ["before", "then"])
@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_what_only_reads_works_where_nothing_can_be_written_and_what_writes_says_so_and_loses_nothing(
    home: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch, kind: str, opened: str
) -> None:
    before = documents(home)
    with Oldsoul.open(home) as soul:
        known = held(soul)
    way = injected.full(monkeypatch, faults) if kind == "full" else injected.read_only(monkeypatch, faults, str(home))
    soul = Oldsoul.open(home)
    if opened == "then":
        soul.close()
    with way:
        with Oldsoul.open(home) if opened == "then" else soul as soul:
            agent = soul.agent()
            for verb, look in LOOKS.items():
                assert look(agent) is not None, verb
            found = agent.recall("What is the cat called?", session=ME)
            assert "Miso is the cat" in found.hits[0].chunk.text
            for verb, write in WRITES.items():
                with pytest.raises(OldsoulError) as said:
                    write(agent)
                assert isinstance(said.value, Unwritable), (verb, said.value)
                assert not any(word in str(said.value) for word in PARTING), said.value
                assert kind != "full" or "disk is full" in str(said.value), verb
        assert documents(home) == before
    with Oldsoul.open(home) as soul:
        assert held(soul) == known
        assert soul.agent().remember("The house is blue").line


def test_a_home_that_was_open_while_there_was_no_room_writes_as_soon_as_there_is(
    home: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    with injected.full(monkeypatch, faults):
        soul = Oldsoul.open(home)
        agent = soul.agent()
        for write in (WRITES["remember"], WRITES["hear"]):
            with pytest.raises(Unwritable):
                write(agent)
    with soul:
        agent.remember("The house is blue")
        agent.hear("It snows", session=ME)
        agent.remember("The roof is red")
        assert agent.recall("what colour is the house?", session=ME).hits[0].chunk.text.startswith("The house is blue")
        assert [change.reason for change in agent.history(limit=2)] == ["remembered at the operator's word"] * 2


def test_an_edit_made_by_hand_is_read_where_it_cannot_be_recorded_and_recorded_later(
    home: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    with injected.full(monkeypatch, faults):
        soul = Oldsoul.open(home)
        (home / "workspace" / "main" / "SOUL.md").write_bytes(b"# By hand\n")
        assert soul.agent().show("soul").data == b"# By hand\n"
    with soul:
        assert soul.agent().history("soul")[0].author.role == "outside"


@pytest.mark.parametrize("step", ["create", "write", "sync", "exchange", "sync_folder"])
def test_a_disk_that_becomes_full_in_the_middle_of_a_change_leaves_it_whole_or_undone(
    home: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    from oldsoul.adapters.disk import Disk  # noqa: PLC0415 - what is broken here

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = (home / "workspace" / "main" / "MEMORY.md").read_bytes()
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        with monkeypatch.context() as patch:
            patch.setattr(Disk, step, no_room)
            with pytest.raises(Unwritable, match="disk is full"):
                agent.remember("The house is blue")
        now = (home / "workspace" / "main" / "MEMORY.md").read_bytes()
        assert now == before or b"The house is blue" in now
        agent.remember("The house is blue")
        agent.remember("The roof is red")
    now = (home / "workspace" / "main" / "MEMORY.md").read_bytes()
    assert now.count(b"The house is blue") == now.count(b"The roof is red") == 1
    assert [path for path in (home / "workspace").rglob(".*") if path.is_file()] == []


# damaged state


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_to_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:4096])


def scrambled(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + bytes(255 - byte for byte in data[4096:]))


def nonsense(path: Path) -> None:
    path.write_bytes(b"not a database at all, " * 1000)


DAMAGES = (emptied, cut, cut_to_a_page, scrambled, nonsense)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["ledger.db", "chat.db", "usage.db"])
def test_files_can_be_read_and_searched_whatever_became_of_state(
    home: Path, name: str, damage: Callable[[Path], None]
) -> None:
    before = documents(home)
    damage(home / "state" / name)
    broken = (home / "state" / name).read_bytes()
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        assert b"Miso is the cat" in (agent.show("memory").data or b"")
        for verb in ("files", "context", "prompt", "bootstrap", "find", "findings", "index"):
            assert LOOKS[verb](agent) is not None, verb
        found = agent.recall("What is the cat called?", session=ME)
        assert "Miso is the cat" in found.hits[0].chunk.text
        if name == "chat.db":
            assert "conversations could not be read" in found.notes[0]
        if name == "ledger.db":
            for verb in ("remember", "put", "undo", "forget"):
                with pytest.raises(Damaged, match=r"ledger\.db is damaged"):
                    WRITES[verb](agent)
            with pytest.raises(Damaged, match=r"ledger\.db is damaged"):
                agent.history()
        else:
            assert agent.remember("The house is blue").line
        if name == "chat.db":
            with pytest.raises(Damaged, match=r"chat\.db is damaged"):
                agent.hear("It snows", session=ME)
    if name == "ledger.db":
        assert documents(home) == before
    if name != "usage.db":
        assert (home / "state" / name).read_bytes() == broken, "what is damaged is left for whoever can mend it"


@pytest.mark.parametrize("name", ["ledger.db", "chat.db"])
def test_an_empty_file_is_new_only_where_there_was_none_before(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    (home / "state").mkdir(parents=True)
    (home / "state" / name).touch()  # as a process leaves it that was killed at its first step
    (home / "state" / f"{name}.lock").touch()
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        agent.remember("Miso is the cat")
        agent.hear("Miso sleeps", session=ME)
    emptied(home / "state" / name)
    with Oldsoul.open(home) as soul, pytest.raises(Damaged, match="empty, and was not"):
        soul.agent().remember("x") if name == "ledger.db" else soul.agent().hear("x", session=ME)
    (home / "state" / name).unlink()  # a person's own decision, after which it is new
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        assert agent.remember("The house is blue").line
        assert agent.hear("It snows", session=ME).message.id


def test_a_log_whose_file_was_taken_away_is_not_deleted(home: Path) -> None:
    """SQLite deletes a log beside which there is no file; it may hold all that was written last."""
    state = home / "state"
    (state / "ledger.db-wal").write_bytes(b"x" * 5000)
    (state / "ledger.db").unlink()
    with Oldsoul.open(home) as soul, pytest.raises(Damaged):
        soul.agent().remember("x")
    assert (state / "ledger.db-wal").stat().st_size == 5000


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR]
)
def test_nobody_is_told_to_part_with_a_file_that_a_check_finds_whole(home: Path, faults: Faults, code: int) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        faults.fails = lambda sql: injected.failure(code) if "from changes" in sql else None
        with pytest.raises(OldsoulError) as said:
            agent.history()
        faults.nothing()
    assert not any(word in str(said.value) for word in PARTING)
    assert "is damaged" not in str(said.value)
