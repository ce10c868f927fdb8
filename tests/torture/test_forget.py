"""`forget`, killed at every step it takes: the next open finishes it, and no byte of the home holds the words."""

from __future__ import annotations

import os
import random
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

import faults as injected
from oldsoul import Oldsoul, Session
from oldsoul.adapters.folder.disk import Disk
from oldsoul.errors import NotFound
from scale import TORTURE, scaled

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

    from faults import Faults
    from oldsoul.app import Agent

ME = Session.dm("acct:owner", id="dm")
KILLS = scaled(24, 1_000_000)


def traces(home: Path, words: bytes) -> list[str]:
    """The files that hold the words, hidden ones and what SQLite keeps beside its own too."""
    files = (path for path in home.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(home)) for path in files if words in path.read_bytes().lower())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which words were remembered, said, corrected, written into a diary, and searched."""
    with Oldsoul.open(tmp_path / "home") as soul:
        agent = soul.agent()
        agent.hear("I like Xanthippe more", session=ME)
        agent.hear("Guess what: Philomena lives in Turku. The sun shines.", session=ME)
        agent.remember("Philomena lives in Turku")
        agent.append_daily_log("We spoke. Philomena lives in Turku.")
        agent.correct("Philomena lives in Oslo", wrong="Turku", right="Oslo")
        agent.remember("The house is blue")
        agent.recall("where does Philomena live?", session=ME)
    return tmp_path / "home"


def forget_entry(agent: Agent) -> None:
    ((name, entry), *_) = agent.find("Philomena lives", "memory")
    agent.forget(name, entry.id)


def forget_message(agent: Agent) -> None:
    agent.forget_message(1)


def steps(home: Path, faults: Faults, work: Callable[[Agent], None], at: int) -> int:
    """How many steps the work took in a process of its own, which is killed before one of them."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        taken = 0

        def step() -> None:
            nonlocal taken
            taken += 1
            if taken == at:
                os.kill(os.getpid(), signal.SIGKILL)

        def fails(_: str) -> sqlite3.Error | None:
            step()
            return None

        def counted(where: object, name: str) -> None:
            real = getattr(where, name)

            def call(*given: object, **named: object) -> object:
                step()
                return real(*given, **named)

            setattr(where, name, call)

        with Oldsoul.open(home) as soul:
            agent = soul.agent()
            faults.fails = fails
            for name in ("create", "write", "sync", "exchange", "place", "unlink", "sync_folder"):
                counted(Disk, name)
            for name in ("unlink", "rename", "replace"):
                counted(os, name)
            work(agent)
        os.write(writing, str(taken).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(process, 0)
    said = os.read(reading, 100)
    os.close(reading)
    return int(said or 0)


@pytest.mark.parametrize(("work", "words"), [(forget_entry, b"philomena"), (forget_message, b"xanthippe")])
def test_a_forget_that_was_killed_is_finished_by_the_next_open(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[Agent], None], words: bytes
) -> None:
    faults = injected.watched(monkeypatch)
    before = traces(home, words)
    assert "state/chat.db" in before
    copy = tmp_path / "copy"

    def killed(at: int) -> int:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(home, copy, symlinks=True)
        return steps(copy, faults, work, at)

    last = killed(-1)
    assert last > 50
    assert traces(copy, words) == []
    seed = int.from_bytes(os.urandom(4)) if TORTURE else 5
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    finished = 0
    for at in sorted(chance.sample(range(1, last + 1), min(KILLS, last))):
        assert killed(at) == 0
        with Oldsoul.open(copy) as soul:
            assert soul.parts.world.store.records("main", "forgetting") == {}
        left = traces(copy, words)
        assert left in ([], before), f"killed at step {at} of {last}"
        finished += not left
    assert finished > min(KILLS, last) // 2


def test_forgetting_twice_says_that_it_is_done(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        ((name, entry), *_) = agent.find("Philomena lives", "memory")
        first = agent.forget(name, entry.id)
        again = agent.forget(name, entry.id)
        assert again.repeated
        assert again.change == first.change
        with pytest.raises(NotFound):
            agent.forget(name, "nothing")
