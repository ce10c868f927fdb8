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
KILLS = scaled(6, 30)


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
        agent.talk.append_daily_log("We spoke. Philomena lives in Turku.")
        agent.correct("Philomena lives in Oslo", wrong="Turku", right="Oslo")
        agent.remember("The house is blue")
        agent.recall("where does Philomena live?", session=ME)
    return tmp_path / "home"


def forget_entry(agent: Agent) -> None:
    ((name, entry), *_) = agent.memory.find("Philomena lives", "memory")
    agent.forget(name, entry.id)


def forget_message(agent: Agent) -> None:
    agent.talk.forget_message(1)


def steps(home: Path, faults: Faults, work: Callable[[Agent], None] | None, at: int) -> int:
    """How many steps the work took in a process of its own, which is killed before one of them; opening, if it is none."""
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

        def watched() -> None:
            faults.fails = fails
            for name in ("create", "write", "sync", "exchange", "place", "unlink", "sync_folder"):
                counted(Disk, name)
            for name in ("unlink", "rename", "replace"):
                counted(os, name)

        if work is None:
            watched()
        with Oldsoul.open(home) as soul:
            agent = soul.agent()
            if work is not None:
                watched()
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
        is_done = killed(at) > 0  # how many steps it takes is not always the same
        with Oldsoul.open(copy) as soul:
            assert soul._home.world.store.records("main", "forgetting") == {}
        left = traces(copy, words)
        assert left in ([], *([] if is_done else [before])), f"killed at step {at} of {last}"
        finished += not left
    assert finished > min(KILLS, last) // 2


WORDINGS = (b"drawer 822", b"drawer 473", b"drawer 615", b"drawer 308")


@pytest.fixture
def corrected(tmp_path: Path) -> Path:
    """A home with an entry that was typed, typed anew by hand, corrected twice and edited; and said, and in the diary."""
    home = tmp_path / "corrected"
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        agent.hear("Please remember that the passports lie in drawer 473.", session=ME)
        memory = home / "workspace" / "main" / "MEMORY.md"
        typed = memory.read_bytes()
        for words in WORDINGS[:2]:
            memory.write_bytes(typed + b"\n- the passports lie in " + words + b"\n")
            agent.files.show("MEMORY.md")
        agent.talk.append_daily_log("Long day. The passports lie in drawer 473. We had soup in Lisbon.")
        agent.correct("The passports lie in drawer 615", wrong="drawer 473", right="drawer 615")
        agent.correct("The passports lie in drawer 308", wrong="drawer 615", right="drawer 308")
        agent.recall("where do the passports lie?", session=ME)
    return home


def wordings(home: Path) -> list[tuple[str, str]]:
    """Where the home has one of the wordings: in which file's bytes, or in which version that history makes anew."""
    found = [(path, words.decode()) for words in WORDINGS for path in traces(home, words)]
    with Oldsoul.open(home) as soul:
        ledger = soul._home.ledger
        for change in ledger.history("main", limit=1000):
            for version in (version for effect in change.effects for version in (effect.before, effect.after)):
                data = (ledger.content(version) or b"").lower()
                found += [(f"change {change.id}", words.decode()) for words in WORDINGS if words in data]
    return found


def forget_passports(agent: Agent) -> None:
    ((name, entry), *_) = agent.memory.find("passports lie", "MEMORY.md")
    agent.forget(name, entry.id)


def test_every_wording_an_entry_had_goes_with_it_though_it_is_killed_at_two_steps(
    corrected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = injected.watched(monkeypatch)
    assert {words for _, words in wordings(corrected)} == {words.decode() for words in WORDINGS}
    copy = tmp_path / "copy"

    def again(first: int, second: int) -> list[int]:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(corrected, copy, symlinks=True)
        return [steps(copy, faults, forget_passports, first), steps(copy, faults, None, second)]

    last, _ = again(-1, -1)
    assert wordings(copy) == []
    seed = int.from_bytes(os.urandom(4)) if TORTURE else 7
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    finished = 0
    for _ in range(scaled(1, 30)):
        both = chance.randint(last // 4, last), chance.randint(1, last)
        is_done = again(*both)[0] > 0  # how many steps it takes is not always the same
        with Oldsoul.open(copy) as soul:
            assert soul._home.world.store.records("main", "forgetting") == {}
            kept = list(soul._home.world.store.records("main", "taken away").values())
        left = {words for _, words in wordings(copy)}
        whole = [] if is_done else [{words.decode() for words in WORDINGS}]
        assert left in (set(), *whole), f"killed at steps {both} of {last}"
        assert not [value for value in kept if "soup" in value or "drawer" in value]
        finished += not left
    assert finished


def test_forgetting_twice_says_that_it_is_done(home: Path) -> None:
    with Oldsoul.open(home) as soul:
        agent = soul.agent()
        ((name, entry), *_) = agent.memory.find("Philomena lives", "memory")
        first = agent.forget(name, entry.id)
        again = agent.forget(name, entry.id)
        assert again.repeated
        assert again.change == first.change
        with pytest.raises(NotFound):
            agent.forget(name, "nothing")
