"""Eight threads and an event loop on one home, calls and jobs cancelled at random: no foreign error, nothing half done."""

from __future__ import annotations

import asyncio
import random
import re
import threading
import time
from typing import TYPE_CHECKING, Any

from oldsoul import AsyncOldsoul, Oldsoul, Session
from oldsoul.errors import OldsoulError
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

THREADS, TASKS = 8, 8
SECONDS = scaled(2, 20)
SESSIONS = (Session.dm(), Session.group("dev"), Session.dm("acct:7"))
_WHOLE = re.compile(r"Crate \w+ stands in bay \d+, whole\Z")


def crate(chance: random.Random) -> str:
    return f"Crate {chance.randbytes(4).hex()} stands in bay {chance.randrange(90)}, whole"


VERBS: tuple[Callable[[Any, random.Random], Any], ...] = (
    lambda a, c: a.remember(crate(c)),
    lambda a, c: a.hear(crate(c), session=c.choice(SESSIONS)),
    lambda a, c: a.recall("where is the crate?", session=c.choice(SESSIONS)),
    lambda a, c: a.memory.entries(session=c.choice(SESSIONS), words="crate", limit=5),
    lambda a, c: a.context("crate", session=c.choice(SESSIONS)),
    lambda a, c: a.files.put("USER.md", f"# User\n\n- {crate(c)}\n".encode()),
    lambda a, _: a.files.history(limit=5),
    lambda a, c: a.start("run", "memory-miner") if c.random() < 0.5 else a.start("rebuild_index"),
)


class Worker(threading.Thread):
    """A thread that does one verb after the other."""

    def __init__(self, soul: Oldsoul, seed: int, until: float) -> None:
        super().__init__(daemon=True)
        self.foreign: list[BaseException] = []
        self._soul, self._chance, self._until = soul, random.Random(seed), until  # noqa: S311

    def run(self) -> None:
        agent = self._soul.agent()
        while time.monotonic() < self._until:
            try:
                made = self._chance.choice(VERBS)(agent, self._chance)
                if hasattr(made, "cancel") and self._chance.random() < 0.7:
                    made.cancel()
            except OldsoulError:
                pass
            except BaseException as error:  # noqa: BLE001 - it is what is looked for
                self.foreign.append(error)


async def task(soul: AsyncOldsoul, chance: random.Random, until: float, foreign: list[BaseException]) -> int:
    """Calls one verb after the other, and cancels some of the calls; says how many were."""
    agent, cancelled = soul.agent(), 0
    while time.monotonic() < until:
        work: Coroutine[Any, Any, Any] = chance.choice(VERBS[:-1])(agent, chance)
        call = asyncio.create_task(work)
        try:
            if chance.random() < 0.5:
                await asyncio.wait((call,), timeout=chance.random() * 0.05)
                call.cancel()
            await call
        except asyncio.CancelledError:
            cancelled += 1
        except OldsoulError:
            pass
        except BaseException as error:  # noqa: BLE001 - it is what is looked for
            foreign.append(error)
    return cancelled


def test_threads_and_a_loop_get_on_whatever_is_cancelled(tmp_path: Path) -> None:
    foreign: list[BaseException] = []

    async def life() -> int:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: foreign.append(context.get("exception") or RuntimeError(context["message"]))
        )
        async with AsyncOldsoul.open(tmp_path / "home") as soul:
            until = time.monotonic() + SECONDS
            workers = [Worker(soul._one(), seed, until) for seed in range(THREADS)]
            for worker in workers:
                worker.start()
            chances = [random.Random(100 + seed) for seed in range(TASKS)]  # noqa: S311
            counts = await asyncio.gather(*(task(soul, chance, until, foreign) for chance in chances))
            for worker in workers:
                await asyncio.to_thread(worker.join, 600)
                assert not worker.is_alive()
                foreign.extend(worker.foreign)
            return sum(counts)

    assert asyncio.run(life()) > 0
    assert foreign == []
    with Oldsoul.open(tmp_path / "home") as soul:
        agent = soul.agent()
        found = agent.memory.entries(words="crate", limit=100_000)
        assert found.total > 0
        for entry in found:
            if entry.path in ("MEMORY.md", "USER.md"):
                assert _WHOLE.search(entry.text.split(" (added")[0]), entry.text
        for file in agent.files.all():
            assert agent._parts.home.world.store.recorded(file.name) == file.version
        agent.index.rebuild()
        assert agent.recall("where is the crate?", session=SESSIONS[0]).hits
