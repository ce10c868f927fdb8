"""Real processes, killed with SIGKILL at any moment: what was acknowledged is there, once, and history holds together."""

from __future__ import annotations

import os
import random
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.documents.marks import new_id
from oldsoul.ledger import Ledger
from oldsoul.values.changes import Add, Author, ChangeSet, Operation, Replace, Role
from oldsoul.values.history import ABSENT, version_of
from oldsoul.values.names import Name
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from pathlib import Path

CYCLES = scaled(20, 500)
MAIN = "main"
OPERATOR = Author(Role.OPERATOR, "acct:owner")
CYCLES_PER_DOCUMENT = 100


def opened(home: Path) -> tuple[FolderStore, Ledger]:
    store = FolderStore(str(home / "state"), lambda workspace: WorkspacePath(str(home / "workspace" / workspace)))
    return store, Ledger(store, SystemClock(), lambda _: b"# Session\n\n")


@dataclass(frozen=True)
class Child:
    """A process that writes, and the end of the pipe on which it says what is done."""

    process: int
    acknowledgements: int

    def kill_after(self, count: int, spin: int) -> str:
        """What it had acknowledged when it was killed: after so many lines, and a while."""
        said = b""
        while said.count(b"\n") < count and (more := os.read(self.acknowledgements, 4096)):
            said += more
        for _ in range(spin):
            pass
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        while more := os.read(self.acknowledgements, 4096):
            said += more
        os.close(self.acknowledgements)
        return said.decode()


def started(home: Path, who: str, names: tuple[Name, Name]) -> Child:
    """A child that appends until it is killed. It is forked, so that a cycle costs no start of Python."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return Child(process, reading)
    with suppress(BaseException):
        os.close(reading)
        work(home, who, names, writing)
    os._exit(1)  # only reached when the work failed; the parent then finds too few acknowledgements


def work(home: Path, who: str, names: tuple[Name, Name], writing: int, changes: int = 10_000) -> None:
    """Append, say so, and go on."""
    _, ledger = opened(home)
    for number in range(changes):
        key = f"{who}-{number}"
        operations: tuple[Operation, ...] = (Add(names[0], f"word {key}."),)
        if number % 3 == 1:
            operations = (*operations, Add(names[1], f"word {key}+."))
        if number % 3 == 2:
            operations = (
                *operations,
                Replace(names[0], new_id(f"{who}-{number - 1}", 0), f"word {who}-{number - 1}. Again."),
            )
        ledger.apply(ChangeSet(operations, OPERATOR, "kill", key))
        os.write(writing, f"{key}\n".encode())


def check(home: Path, names: tuple[Name, Name], acknowledged: list[str]) -> None:
    store, ledger = opened(home)
    ledger.notice(MAIN)
    store.close()
    store, _ = opened(home)
    first, second = (store.read(name).data or b"" for name in names)
    for key in acknowledged:
        assert first.count(f"word {key}.".encode()) == 1, key
        if int(key.rpartition("-")[2]) % 3 == 1:
            assert second.count(f"word {key}+.".encode()) == 1, key
    for line in {*first.splitlines(), *second.splitlines()}:
        assert not line.startswith(b"- word") or (first + second).count(line) == 1
    spent = [change.key for change in store.changes(MAIN, limit=100_000)]
    assert len(spent) == len(set(spent))
    assert set(acknowledged) <= set(spent)
    for name in names:
        latest = ABSENT
        for change in reversed(store.changes(MAIN, name=name, limit=100_000)):
            (effect,) = (effect for effect in change.effects if effect.name == name)
            assert change.author == OPERATOR, f"{change.reason}: nobody edited anything by hand"
            assert effect.before == latest
            latest = effect.after
            data = store.content(latest)
            assert data is not None
            assert version_of(data) == latest
        assert latest == version_of(store.read(name).data)
    store.close()
    assert [path for path in (home / "workspace").rglob(".*") if path.is_file()] == []


@pytest.mark.parametrize("document", range(max(1, CYCLES // CYCLES_PER_DOCUMENT)))
def test_no_acknowledged_write_is_lost_to_a_kill(tmp_path: Path, document: int) -> None:
    """Each document sees a hundred kills; a third of the time two processes write at once and both are killed."""
    seed = int.from_bytes(os.urandom(4)) if TORTURE else document
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    names = (Name(MAIN, f"memory/2026-02-04/dm{document}.md"), Name(MAIN, f"rooms/r{document}.md"))
    acknowledged: list[str] = []
    cycle = 0
    while cycle < min(CYCLES, CYCLES_PER_DOCUMENT):
        together = 2 if chance.random() < 0.33 else 1
        children = [started(tmp_path, f"k{cycle + number}", names) for number in range(together)]
        for child in children:
            said = child.kill_after(chance.randrange(4), chance.randrange(60_000))
            acknowledged += said.split()
        cycle += together
    assert acknowledged
    check(tmp_path, names, acknowledged)
