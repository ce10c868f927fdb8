"""Four processes do everything the ledger can to the same documents: nothing is lost that nobody took away."""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.clock import SystemClock
from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.documents import parse
from oldsoul.errors import BadInput, Conflict, NotFound
from oldsoul.ledger import Ledger
from oldsoul.values.changes import Add, Author, ChangeSet, Move, Remove, Replace, Role, Tick
from oldsoul.values.history import ABSENT, version_of
from oldsoul.values.names import Name
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.ledger import Outcome
    from oldsoul.values.history import Change

MAIN = "main"
PROCESSES = 4
STEPS = scaled(15, 200)
OPERATOR = Author(Role.OPERATOR, "acct:owner")
AGENT = Author(Role.AGENT, MAIN)
NAMES = tuple(Name(MAIN, path) for path in ("memory/2026-02-04/a.md", "memory/2026-02-04/b.md", "rooms/r.md"))
SOUL = Name(MAIN, "SOUL.md")


def opened(home: Path) -> tuple[FolderStore, Ledger]:
    store = FolderStore(str(home / "state"), lambda workspace: WorkspacePath(str(home / "workspace" / workspace)))
    return store, Ledger(store, SystemClock(), lambda name: f"# {name.path}\n\n## Tasks\n".encode())


class Worker:
    """One process at work, by its dice."""

    def __init__(self, home: Path, number: int, seed: int) -> None:
        self.store, self.ledger = opened(home)
        self.number = number
        self.chance = random.Random(seed * PROCESSES + number)  # noqa: S311 - a test's dice
        self.done: list[tuple[str, int]] = []

    def run(self) -> None:
        steps: list[Callable[[int], Outcome | None]] = [
            *(self.add, self.add, self.add, self.shared, self.shared),
            *(self.replace, self.tick, self.remove, self.move, self.undo, self.propose, self.decide),
        ]
        for step in range(STEPS):
            chosen = self.chance.choice(steps)
            with suppress(Conflict, NotFound, BadInput):  # somebody else was there first
                outcome = chosen(step)
                if outcome is not None and outcome.change is not None:
                    self.done.append((chosen.__name__, outcome.change.id))
        self.store.close()

    def key(self, step: int) -> str:
        return f"p{self.number}-{step}"

    def some(self) -> tuple[Name, str]:
        """Any entry of any document."""
        name = self.chance.choice(NAMES)
        entries = parse(self.ledger.read(name).data or b"").entries
        if not entries:
            raise NotFound(name.path)
        return name, self.chance.choice(entries).id

    def add(self, step: int) -> Outcome:
        task = self.chance.choice([None, False])
        section = "Tasks" if task is False else ""
        adds = tuple(
            Add(name, f"word {self.key(step)}.{n}.", task=task, section=section)
            for n, name in enumerate(self.chance.sample(NAMES, self.chance.randrange(1, 3)))
        )
        return self.ledger.apply(ChangeSet(adds, OPERATOR, "add", self.key(step)))

    def shared(self, step: int) -> Outcome | None:
        """The same change by every process: a key that several have."""
        outcome = self.ledger.apply(ChangeSet((Add(NAMES[0], f"shared {step}."),), OPERATOR, "add", f"shared{step}"))
        return None if outcome.repeated else outcome

    def replace(self, step: int) -> Outcome:
        name, entry = self.some()
        document = parse(self.ledger.read(name).data or b"")
        text = f"{document.find(entry).text} r{self.key(step)}"
        versions = {name: self.ledger.read(name).version} if self.chance.random() < 0.5 else {}
        change = ChangeSet((Replace(name, entry, text),), OPERATOR, "replace", self.key(step), versions=versions)
        return self.ledger.apply(change)

    def tick(self, step: int) -> Outcome:
        name, entry = self.some()
        done = self.chance.random() < 0.7
        return self.ledger.apply(ChangeSet((Tick(name, entry, done),), OPERATOR, "tick", self.key(step)))

    def remove(self, step: int) -> Outcome:
        name, entry = self.some()
        return self.ledger.apply(ChangeSet((Remove(name, entry),), OPERATOR, "remove", self.key(step)))

    def move(self, step: int) -> Outcome:
        name, entry = self.some()
        to = self.chance.choice(NAMES)
        return self.ledger.apply(ChangeSet((Move(name, entry, to=to),), OPERATOR, "move", self.key(step)))

    def undo(self, step: int) -> Outcome:
        del step
        changes = self.ledger.history(MAIN, limit=30)
        if not changes:
            raise NotFound("history")
        return self.ledger.undo(self.chance.choice(changes).id, OPERATOR)

    def propose(self, step: int) -> Outcome:
        add = Add(SOUL, f"soul {self.key(step)}.")
        return self.ledger.apply(ChangeSet((add,), AGENT, "grow", self.key(step)))

    def decide(self, step: int) -> Outcome | None:
        waiting = self.ledger.proposals(MAIN)
        if not waiting:
            return None
        proposal = self.chance.choice(waiting)
        if step % 3:
            return self.ledger.approve(MAIN, proposal.id, OPERATOR)
        self.ledger.reject(MAIN, proposal.id, OPERATOR, "not now")
        return None


def forked(home: Path, number: int, seed: int) -> int:
    process = os.fork()
    if process:
        return process
    code = 1
    with suppress(BaseException):
        worker = Worker(home, number, seed)
        worker.run()
        (home / f"done{number}.json").write_text(json.dumps(worker.done))
        code = 0
    os._exit(code)


@pytest.mark.parametrize("round_", range(scaled(1, 3)))
def test_whatever_four_processes_do_nothing_is_lost(tmp_path: Path, round_: int) -> None:
    seed = int.from_bytes(os.urandom(4)) if TORTURE else round_
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    store, ledger = opened(tmp_path)
    ledger.apply(ChangeSet((Add(NAMES[0], "the beginning"),), OPERATOR, "begin", "begin"))
    store.close()
    processes = [forked(tmp_path, number, seed) for number in range(PROCESSES)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
    assert codes == [0] * PROCESSES
    store, ledger = opened(tmp_path)
    ledger.notice(MAIN)
    changes = store.changes(MAIN, limit=100_000)[::-1]
    check_acknowledged(tmp_path, changes)
    check_chain(store, changes)
    check_words(store, changes)
    assert len({change.key for change in changes}) == len(changes)
    store.close()
    assert [path for path in (tmp_path / "workspace").rglob(".*") if path.is_file()] == []


def check_acknowledged(home: Path, changes: list[Change]) -> None:
    """Every change that a process was told of is in history, and was told to one alone."""
    told = [
        tuple(done) for number in range(PROCESSES) for done in json.loads((home / f"done{number}.json").read_text())
    ]
    assert {number for _, number in told} <= {change.id for change in changes}
    assert len({number for _, number in told}) == len(told)


def check_chain(store: FolderStore, changes: list[Change]) -> None:
    """Each change begins where the one before ended, the last ends at what stands there; nobody edited by hand."""
    latest: dict[Name, str] = {}
    for change in changes:
        assert change.author.role is not Role.OUTSIDE, change.reason
        for effect in change.effects:
            assert latest.get(effect.name, ABSENT) == effect.before
            latest[effect.name] = effect.after
    for name, version in latest.items():
        assert version_of(store.read(name).data) == version


def check_words(store: FolderStore, changes: list[Change]) -> None:
    """A word that was there goes only by a change that takes words away."""
    taking = ("remove", "undo of", "move", "replace")
    for change in changes:
        if change.reason.startswith(taking):
            continue
        for effect in change.effects:
            before, after = (set((store.content(v) or b"").split()) for v in (effect.before, effect.after))
            gone = {word for word in before - after if word.startswith((b"p", b"shared"))}
            assert gone == set(), f"change {change.id} ({change.reason}) lost {gone}"
    for change in changes:
        if not change.reason.startswith(("move", "replace")):
            continue
        befores, afters = (
            [word for e in change.effects for word in (store.content(getattr(e, side)) or b"").split()]
            for side in ("before", "after")
        )
        lost = [word for word in set(befores) if befores.count(word) > afters.count(word) and word.startswith(b"p")]
        assert lost == [], f"change {change.id} ({change.reason}) lost {lost}"
