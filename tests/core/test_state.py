"""What becomes of a home whose disk is full, whose files in `state/` are damaged, whose cache is deleted: nothing is lost."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import faults as injected
from oldsoul import Oldsoul, Session
from oldsoul.errors import Busy, Closed, Damaged, OldsoulError, Unwritable
from scale import scaled

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


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which something was remembered, said and searched."""
    home = tmp_path_factory.mktemp("made") / "home"
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        agent.remember("Miso is the cat")
        agent.remember("Miso is fed at seven")
        agent.hear("We moved to Oslo in March", session=ME)
        agent.recall("cat", session=ME)
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "home", symlinks=True)


LOOKS: dict[str, Callable[[Agent], Any]] = {
    "show": lambda agent: agent.files.show("memory"),
    "files": lambda agent: agent.files.all(),
    "recall": lambda agent: agent.recall("What is the cat called?", session=ME),
    "context": lambda agent: agent.context("cat", session=ME),
    "prompt": lambda agent: agent.prompt("cat", session=ME),
    "bootstrap": lambda agent: agent.files.bootstrap(),
    "history": lambda agent: agent.files.history(),
    "history of a file": lambda agent: agent.files.history("memory"),
    "diff": lambda agent: agent.files.diff(2),
    "blame": lambda agent: agent.files.blame("memory"),
    "proposals": lambda agent: agent.review.proposals(),
    "sessions": lambda agent: agent._parts.log.sessions(),
    "find": lambda agent: agent.memory.find("cat"),
    "index": lambda agent: agent.index.status(),
    "tools": lambda agent: agent.tools(),
    "findings": lambda agent: agent._parts.findings(),
}
WRITES: dict[str, Callable[[Agent], Any]] = {
    "remember": lambda agent: agent.remember("The house is blue"),
    "remember again": lambda agent: agent.remember("Miso is the cat"),
    "hear": lambda agent: agent.hear("It snows", session=ME),
    "put": lambda agent: agent.files.put("soul", b"# Me\n"),
    "undo": lambda agent: agent.undo(3),
    "log": lambda agent: agent.talk.append_daily_log("It was a long day"),
    "correct": lambda agent: agent.correct("Miso is fed at eight", wrong="seven", right="eight"),
    "promote": lambda agent: agent.memory.promote("likes tea", "acct:7"),
    "forget": lambda agent: agent.forget(*_entry(agent)),
    "forget a message": lambda agent: agent.talk.forget_message(1),
    "rebuild": lambda agent: agent.index.rebuild(),
}


def _entry(agent: Agent) -> tuple[Name, str]:
    ((name, entry), *_) = agent.memory.find("seven", "memory")
    return name, entry.id


def documents(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted((home / "workspace").rglob("[!.]*")) if path.is_file()}


def held(soul: Oldsoul) -> list[object]:
    agent = soul.agent()
    return [agent.files.history(), soul._home.chat.threads("main"), [file.version for file in agent.files.all()]]


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
        assert [change.reason for change in agent.files.history(limit=2)] == ["remembered by the operator"] * 2


def test_an_edit_made_by_hand_is_read_where_it_cannot_be_recorded_and_recorded_later(
    home: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    with injected.full(monkeypatch, faults):
        soul = Oldsoul.open(home)
        (home / "workspace" / "main" / "SOUL.md").write_bytes(b"# By hand\n")
        assert soul.agent().files.show("soul").data == b"# By hand\n"
    with soul:
        assert soul.agent().files.history("soul")[0].author.role == "outside"


@pytest.mark.parametrize("step", ["create", "write", "sync", "exchange", "sync_folder"])
def test_a_disk_that_becomes_full_in_the_middle_of_a_change_leaves_it_whole_or_undone(
    home: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    from oldsoul.adapters.folder.disk import Disk  # noqa: PLC0415 - what is broken here

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
        assert b"Miso is the cat" in (agent.files.show("memory").data or b"")
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
                agent.files.history()
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
    with Oldsoul.open(home) as soul, pytest.raises(Damaged, match="empty, but was not"):
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
            agent.files.history()
        faults.nothing()
    assert not any(word in str(said.value) for word in PARTING)
    assert "is damaged" not in str(said.value)


# a cache that is deleted


@pytest.mark.parametrize("then", ["recall", "sync", "rebuild", "context", "forget", "remember", "hear", "close"])
def test_the_cache_may_be_deleted_under_an_open_home(home: Path, then: str) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        before = agent.recall("What is the cat called?", session=ME)
        shutil.rmtree(home / "cache")
        if then == "close":
            soul.close()
            return
        if then == "sync":
            agent.index.sync()
        elif then in LOOKS:
            assert LOOKS[then](agent)
        else:
            assert WRITES[then](agent)
        again = agent.recall("What is the cat called?", session=ME)
        assert again.hits[0].chunk == before.hits[0].chunk
        assert agent.index.status().state.waiting == 0


@pytest.mark.parametrize("verb", ["recall", "sync", "remember and recall", "rebuild"])
@pytest.mark.parametrize(
    ("part", "times"),
    [
        ("all", 1),
        ("but the link", 1),
        *(pytest.param(*more, marks=pytest.mark.torture) for more in [("but folders", 1), ("all", 3)]),
    ],
)
def test_the_cache_may_be_deleted_at_any_step_of_asking(
    home: Path, faults: Faults, part: str, times: int, verb: str
) -> None:
    """Whatever the next step opens, lists, makes or asks: at one step after the other the cache is gone."""
    cache = home / "cache"

    def vanish() -> None:
        for path in (*sorted(cache.rglob("*"), reverse=True), cache):
            if part == "all" or not (path.is_symlink() if part == "but the link" else path.is_dir()):
                with suppress(OSError):  # a folder that is not empty yet, or what a thread has just deleted itself
                    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

    with Oldsoul.open(home) as soul, injected.steps(faults, str(cache)) as steps:
        agent = soul.agent()
        before = agent.recall("What is the cat called?", session=ME).hits[0].chunk
        number, coarse = 0, scaled(2, 20)
        while steps.came or not number:
            number += 1 + number // coarse
            steps.at(number, vanish, times=times)
            try:
                if verb == "sync":
                    agent.index.sync()
                elif verb == "rebuild":
                    agent.index.rebuild()
                elif verb.startswith("remember"):
                    agent.remember(f"Number {number}")
            except Busy:
                assert verb in ("sync", "rebuild")  # our own thread is making it
            assert agent.recall("What is the cat called?", session=ME).hits[0].chunk == before
            agent._parts.home.rebuilds.join()
        assert number > 10


def test_the_cache_may_be_deleted_again_and_again_while_others_ask(home: Path) -> None:
    problems: list[BaseException] = []
    answers: list[str] = []
    done = threading.Event()

    def ask(agent: Agent) -> None:
        try:
            while not done.is_set():
                answers.append(agent.recall("What is the cat called?", session=ME).hits[0].chunk.text)
        except BaseException as error:  # noqa: BLE001 - what a thread raises is looked at below
            problems.append(error)

    with Oldsoul.open(home) as soul:
        threads = [threading.Thread(target=ask, args=(soul.agent(),)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(scaled(5, 30)):
            shutil.rmtree(home / "cache", ignore_errors=True)
            count = len(answers)
            while len(answers) < count + 3 and not problems:
                threads[0].join(0.01)
        done.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert set(answers) == {answers[0]}


# after the end


def test_every_verb_of_a_closed_home_and_of_its_agents_says_so(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        talk, days, keeping = agent._parts.log, agent._parts.days, agent._parts.keeping
        watcher, scheduler = soul.watch(), soul.scheduler()
        agent.recall("cat", session=ME)
    soul.close()
    before = documents(home)
    asked: list[Callable[[], object]] = [
        *(partial(verb, agent) for verb in (*LOOKS.values(), *WRITES.values())),
        soul.agent,
        soul._home.searched,
        soul.watch,
        soul.scheduler,
        soul._home.ensure,
        soul.boot,
        soul._home.use_git,
        soul._home.people.bindings,
        lambda: soul.append_daily_log("main", "x"),
        lambda: soul._home.chat,
        lambda: soul._home.usage,
        lambda: soul._home.ledger.history("main"),
        talk.sessions,
        lambda: talk.message(1),
        lambda: agent.talk.end("dm"),
        lambda: days.append("x", session=None, user="", room="", time=None, key="k"),
        lambda: list(keeping.run("memory-miner", dry_run=False)),
        agent.files.ensure_workspace,
        agent.files.load_soul,
        agent.index.sync,
        lambda: agent.settings,
        lambda: agent.review.preview("x"),
        lambda: agent.review.approve("x"),
        lambda: agent.review.reject("x"),
        lambda: agent.memory.withdraw("x"),
        lambda: agent.memory.load_workspace_memory(is_dm=True),
        lambda: agent.memory.load_room_context("r"),
        watcher.start,
        scheduler.start,
    ]
    for ask in asked:
        with pytest.raises(Closed, match=r"open (it|the home) again"):
            ask()
    assert documents(home) == before
    assert not list((home / "state").glob("*-wal")), "nothing was opened again"


@pytest.mark.parametrize("worker", ["watch", "scheduler"])
def test_a_home_is_closed_with_who_works_in_it_however_soon(home: Path, worker: str) -> None:
    for _ in range(scaled(5, 30)):
        soul = Oldsoul.open(home)
        started = getattr(soul, worker)()
        started.start()
        soul.close()
        names = [thread.name for thread in threading.enumerate()]
        assert f"oldsoul-{worker}er".replace("schedulerer", "scheduler") not in names
    started.stop()


# no error of SQLite's own

CODES = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY),
    *(sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT),
)


@pytest.mark.parametrize("verb", [*LOOKS, *WRITES, "open"])
def test_no_error_of_sqlite_reaches_a_caller_and_nothing_is_broken_by_one(
    home: Path, faults: Faults, verb: str
) -> None:
    chance = random.Random(verb)  # noqa: S311 - a test's dice
    soul, said = Oldsoul.open(home), list[str]()
    work = {**LOOKS, **WRITES}.get(verb, LOOKS["show"])
    for number in range(scaled(len(CODES), 3 * len(CODES))):
        code = CODES[number % len(CODES)]
        if verb == "open":
            soul.close()
        faults.at(chance.choice([1, 2, 3, 5, 8, 13, 21, 34, 55, 89]), code)
        try:
            if verb == "open":
                soul = Oldsoul.open(home)
            work(soul.agent())
        except OldsoulError as error:
            said.append(str(error))
        except ValueError:  # nothing is left to be forgotten
            assert verb == "forget"
        finally:
            faults.nothing()
        if "rebuilds" in vars(soul._home):
            soul._home.rebuilds.join()
    assert not [text for text in said for word in ("is damaged", *PARTING) if word in text]
    soul.close()
    with Oldsoul.open(home) as soul:
        assert b"Miso is the cat" in (soul.agent().files.show("memory").data or b"")
        assert soul.agent().remember("The roof is red").line
    assert [path for path in (home / "workspace").rglob(".*") if path.is_file()] == []
