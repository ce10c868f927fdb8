"""How long recall takes while others are at work in the same process: beside threads that only compute, and beside verbs.

python -m bench.soak [--chunks 2000] [--seconds 20]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bench.context import build, sentence

from oldsoul.errors import OldsoulError
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.app import Agent, Oldsoul

    Work = Callable[[Agent, random.Random], object]

OTHERS = 7
OWN, DEV = Session.dm(), Session.group("dev")


def compute(_: Agent, chance: random.Random) -> object:
    """Nothing but Python."""
    return sorted(chance.random() for _ in range(2000))


def forget(agent: Agent, chance: random.Random) -> object:
    """Something comes in and is erased again."""
    made = agent.remember(f"{sentence(chance)} {chance.randrange(1 << 40)}")
    return agent.forget(made.name, made.entry)


MIXED: tuple[Work, ...] = (
    forget,
    lambda agent, chance: agent.recall(sentence(chance), session=DEV),
    lambda agent, chance: agent.hear(sentence(chance), session=OWN),
    lambda agent, chance: agent.hear(sentence(chance), session=DEV, sender="Ben"),
    lambda agent, chance: agent.context(sentence(chance), session=OWN),
    lambda agent, chance: agent.talk.append_daily_log(sentence(chance)),
    lambda agent, _: agent.files.all(),
)
BESIDE: dict[str, tuple[Work, ...]] = {
    "nobody": (),
    "seven that compute": (compute,) * OTHERS,
    "one that forgets without pause": (forget,),
    "seven of mixed verbs": MIXED,
}


def beside(soul: Oldsoul, others: tuple[Work, ...], seconds: float) -> tuple[list[float], int]:
    """How long each recall took, in milliseconds, and how much the others did meanwhile."""
    stop, done = threading.Event(), [0] * len(others)

    def work(number: int) -> None:
        agent, chance = soul.agent(), random.Random(number)  # noqa: S311 - a bench
        while not stop.is_set():
            with suppress(OldsoulError):  # such as that something was changed meanwhile
                others[number](agent, chance)
            done[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(others))]
    for thread in threads:
        thread.start()
    took, chance, end = [], random.Random(99), time.monotonic() + seconds  # noqa: S311 - a bench
    while time.monotonic() < end:
        start = time.perf_counter()
        soul.agent().recall(sentence(chance), session=OWN)
        took.append((time.perf_counter() - start) * 1000)
    stop.set()
    for thread in threads:
        thread.join()
    return sorted(took), sum(done)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), given.chunks)
        with open_home(folder, {}) as soul:
            soul.agent().recall("warm up", session=OWN)
            print(f"{given.chunks:,} chunks, {given.seconds:g} s each; recall beside")
            for name, others in BESIDE.items():
                took, done = beside(soul, others, given.seconds)
                p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
                print(f"{name:32} {len(took):6} recalls, p50 {p50:7.1f} ms, p99 {p99:7.1f} ms; others did {done}")


if __name__ == "__main__":
    main()
