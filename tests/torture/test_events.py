"""Two processes write and two read, all killed at random: each event is told once, in order, to those who may know."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from oldsoul.errors import Conflict
from oldsoul.ledger.proposals import proposal_of
from oldsoul.rules.audience import audience_of
from oldsoul.values.callers import Caller
from oldsoul.values.changes import Add, Author, ChangeSet, Role
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.app import Oldsoul

STEPS = scaled(40, 2000)
MOST_AT_ONCE = scaled(15, 150)
"""After at most so many steps a process is killed."""
OPERATOR, AGENT = Author(Role.OPERATOR, "acct:owner"), Author(Role.AGENT, "main")
SESSIONS = (Session.dm(), Session.group("dev"), Session.group("ops"), Session.dm("acct:ann"))
READERS = (None, Session.group("dev"))


class Child:
    """A process that works until it is killed, and says each step it has done."""

    def __init__(self, work: Callable[[int], None]) -> None:
        self.said, writing = os.pipe()
        self.process = os.fork()
        if self.process:
            os.close(writing)
            return
        code = 1
        try:
            os.close(self.said)
            work(writing)
            code = 0
        finally:
            if code:
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(code)

    def wait_for(self, steps: int) -> int:
        """How many steps it said, when it has said so many or has failed."""
        done = 0
        while done < steps and (more := os.read(self.said, 4096)):
            done += more.count(b"\n")
        return done

    def kill(self, spin: int) -> int:
        """Kill it after a while; how many steps it said meanwhile."""
        for _ in range(spin):
            pass
        os.kill(self.process, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1]) in (0, -signal.SIGKILL)
        done = self.wait_for(sys.maxsize)
        os.close(self.said)
        return done


def write(home: Path, environ: dict[str, str], seed: int) -> Callable[[int], None]:
    """Says, writes, proposes and decides, by dice."""

    def work(writing: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - a test's dice
        with open_home(home, environ) as soul:
            for number in range(100_000):
                step(soul, chance, f"w{seed}-{number}")
                os.write(writing, b"done\n")

    return work


def step(soul: Oldsoul, chance: random.Random, key: str) -> None:
    agent = soul.agent()
    match chance.randrange(6):
        case 0 | 1:
            agent.hear(f"word {key}", session=chance.choice(SESSIONS), sender="Ann")
        case 2 | 3:
            name = Name("main", chance.choice(["MEMORY.md", "rooms/dev.md", "rooms/ops.md"]))
            soul._home.ledger.apply(ChangeSet((Add(name, f"word {key}"),), OPERATOR, "add", key))
        case 4:
            soul._home.ledger.apply(ChangeSet((Add(Name("main", "SOUL.md"), f"word {key}"),), AGENT, "grow", key))
        case _:
            waiting = agent.review.proposals()
            with suppress(Conflict):  # the other process has decided, or changed what stands
                if waiting and chance.random() < 0.5:
                    agent.review.approve(waiting[0].id)
                elif waiting:
                    agent.review.reject(waiting[0].id)


def follow(home: Path, environ: dict[str, str], reader: int, *, wait: float) -> Callable[[int], None]:
    """Writes down each event it is told of, and goes on where whoever was killed before it was."""

    def work(writing: int) -> None:
        path = home.parent / f"told{reader}"
        cursor = lines(path)[-1][0]
        with open_home(home, environ) as soul, path.open("ab", buffering=0) as told:
            session = READERS[reader]
            caller = Caller.reader("reader", session=session) if session else None
            while True:
                page = soul.events(cursor, caller=caller, limit=7, wait=wait)
                for event in page:
                    told.write(json.dumps([event.cursor, event.kind, event.id, event.state]).encode() + b"\n")
                cursor = page.cursor
                os.write(writing, b"read\n")
                if not page.events and not wait:
                    return

    return work


def lines(path: Path) -> list[list[str]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture(params=["sqlite", "postgres"])
def environ(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text(f"timezone: UTC\nstorage: {{chat: {request.param}}}\n")
    is_file = request.param == "sqlite"
    return {} if is_file else {"OLDSOUL_POSTGRES_DSN": request.getfixturevalue("postgres").fresh()}


def test_each_event_is_told_once_whoever_is_killed(tmp_path: Path, environ: dict[str, str]) -> None:
    home = tmp_path / "home"
    seed = int.from_bytes(os.urandom(4)) if TORTURE else 1
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    with open_home(home, environ) as soul:
        begin = soul.events("now").cursor
        first = soul._home.ledger.history("main", limit=1)[0].id
    for reader in range(len(READERS)):
        (tmp_path / f"told{reader}").write_text(f"{json.dumps([begin, '', '', ''])}\n")
    done = pages = 0
    while done < STEPS:
        writers = [Child(write(home, environ, chance.randrange(2**32))) for _ in range(2)]
        readers = [Child(follow(home, environ, reader, wait=600)) for reader in range(len(READERS))]
        done += sum(writer.wait_for(chance.randrange(1, MOST_AT_ONCE)) for writer in writers)
        pages += sum(reader.kill(chance.randrange(60_000)) for reader in readers)
        for writer in writers:
            done += writer.kill(chance.randrange(60_000))
    assert pages > 0
    for reader in range(len(READERS)):
        last = Child(follow(home, environ, reader, wait=0))
        last.wait_for(sys.maxsize)
        last.kill(0)
    with open_home(home, environ) as soul:
        check(tmp_path, soul, begin, first)


def check(folder: Path, soul: Oldsoul, begin: str, first: int) -> None:
    messages = {str(each.id): each for each in soul._home.chat.find("main", Wanted(limit=100_000))}
    changes = {str(each.id): each for each in soul._home.ledger.history("main", limit=100_000) if each.id > first}
    whole = soul.events(begin, limit=1_000_000).events
    told = [(str(each.kind), each.id, each.state) for each in whole]
    assert [each[1] for each in told if each[0] == "message"] == sorted(messages, key=int)
    documents = [str(each.id) for each in changes.values() if each.effects or proposal_of(each) is None]
    assert [each[1] for each in told if each[0] == "change"] == sorted(documents, key=int)
    decided = [proposal_of(each) for _, each in sorted(changes.items(), key=lambda pair: int(pair[0]))]
    assert [each[1:] for each in told if each[0] == "proposal"] == [each for each in decided if each]
    assert len(whole) > STEPS // 2
    everything, *_ = (lines(folder / f"told{reader}")[1:] for reader in range(len(READERS)))
    assert everything == [[each.cursor, str(each.kind), each.id, each.state] for each in whole]
    view = soul._home.people.view(Session.group("dev"))
    allowed = {("message", number) for number, each in messages.items() if view.sees(each.audience)}
    for number, each in changes.items():
        if any(view.sees(audience_of(effect.name)) for effect in each.effects):
            allowed.add(("change", number))
    dev = lines(folder / "told1")[1:]
    assert dev == [each for each in everything if (each[1], each[2]) in allowed]
    assert {kind for _, kind, _, _ in dev} == {"message", "change"}
