"""What assembling a context costs, whether memory stays flat, and how much of a prompt stays the same over a day.

python bench/context.py [--chunks 10000] [--rounds 10000]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.app import Agent

HERE = Path(__file__).parent
OWN = Session.dm()
_TOPICS = ("garden", "server", "boiler", "budget", "holiday", "school", "kitchen", "contract", "piano", "bicycle")
_PEOPLE = ("Ann", "Ben", "Carla", "Dmitri", "Elif")


def sentence(chance: random.Random) -> str:
    """Something somebody might note."""
    topic, person = chance.choice(_TOPICS), chance.choice(_PEOPLE)
    return f"{person} said the {topic} needs {chance.randrange(2, 90)} more {chance.choice(_TOPICS)} things by {chance.randrange(1, 28)} May"


def build(home: Path, chunks: int) -> None:
    """A workspace with so many pieces, and something in every slot."""
    chance = random.Random(chunks)  # noqa: S311 - a bench
    folder = home / "workspace/main"
    (folder / "memory").mkdir(parents=True)
    (folder / "notes").mkdir()
    (home / "config.yaml").write_text("timezone: UTC\n")
    for number in range(chunks // 50):
        lines = "\n".join(f"- {sentence(chance)}" for _ in range(50))
        (folder / "notes" / f"n{number}.md").write_text(f"# Notes\n\n{lines}\n")
    (folder / "MEMORY.md").write_text("# Memory\n\n" + "\n".join(f"- {sentence(chance)}" for _ in range(100)) + "\n")
    (folder / "USER.md").write_text("# Operator\n\n- Lives in Lisbon\n- Likes short answers\n")
    days = "".join(f"## 2026-02-04 {hour:02}:00 UTC\n\n{sentence(chance)}\n\n" for hour in range(1, 12))
    (folder / "memory/2026-02-04.md").write_text(f"# 2026-02-04\n\n{days}")


def timed(work: Callable[[], object], rounds: int) -> dict[str, float]:
    """Median and worst of a hundred, in milliseconds."""
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1000)
    took.sort()
    return {"p50_ms": round(took[len(took) // 2], 2), "p99_ms": round(took[len(took) * 99 // 100], 2)}


def resident(work: Callable[[int], object], rounds: int) -> list[float]:
    """The memory held before the first round and after each tenth of them, in MB."""
    sizes = [_resident()]
    for number in range(1, rounds + 1):
        work(number)
        if number % max(rounds // 10, 1) == 0:
            sizes.append(_resident())
    return sizes


def _resident() -> float:
    """What is held now; where that cannot be told, the most that ever was."""
    status = Path("/proc/self/statm")
    if status.exists():
        return round(int(status.read_text().split()[1]) * resource.getpagesize() / 2**20, 1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def day(agent: Agent, clock: FrozenClock) -> dict[str, float]:
    """A hundred turns with memory written in between: how much of each prompt is the beginning of the next one.

    Turns are sent again as they were sent, as chat interfaces do; or without the memory that stood before them.
    """
    chance = random.Random(1)  # noqa: S311 - a bench
    sent: list[str] = []
    plain: list[str] = []
    shares: dict[str, list[tuple[int, int]]] = {"turns as they were sent": [], "turns without their memory": []}
    before = dict.fromkeys(shares, "")
    for turn in range(100):
        clock.advance(timedelta(minutes=4))
        if turn % 3 == 0:
            agent.remember(sentence(chance))
        message = f"What about the {chance.choice(_TOPICS)}?"
        made = agent.prompt(message, session=OWN)
        whole = {
            "turns as they were sent": "\n".join([made.system.stable, *sent, made.turn]),
            "turns without their memory": "\n".join([made.system.stable, *plain, made.turn]),
        }
        for name, text in whole.items():
            if turn:
                same = len(os.path.commonprefix([before[name], text]))  # noqa: RUF071 - of texts, not of paths
                shares[name].append((same, len(before[name])))
            before[name] = text
        reply = f"{sentence(chance)}. " * 3
        sent += [made.turn, reply]
        plain += [message, reply]
    return {name: round(sum(a for a, _ in pairs) / sum(b for _, b in pairs), 4) for name, pairs in shares.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10_000, help="assemblies in the test of flat memory")
    given = parser.parse_args()
    clock = FrozenClock(datetime(2026, 2, 4, 12, tzinfo=UTC))
    result: dict[str, Any] = {"chunks": given.chunks}
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), given.chunks)
        with open_home(Path(folder), {}, clock=clock) as soul:
            agent = soul.agent()
            agent.index.sync()
            chance = random.Random(2)  # noqa: S311 - a bench
            questions = [f"What did {chance.choice(_PEOPLE)} say of the {chance.choice(_TOPICS)}?" for _ in range(50)]
            agent.context(questions[0], session=OWN)
            result["with recall"] = timed(lambda: agent.context(chance.choice(questions), session=OWN), 300)
            result["recall alone"] = timed(lambda: agent.recall(chance.choice(questions), session=OWN), 300)
            result["without a message"] = timed(lambda: agent.context("", session=OWN), 300)
            result["whole prompt, without a message"] = timed(lambda: agent.prompt("", session=OWN), 300)
            result["RSS MB over the rounds"] = {
                "without a message": resident(lambda _: agent.context("", session=OWN), given.rounds),
                "each with a message of its own": resident(
                    lambda number: agent.context(f"{number}: {sentence(chance)}?", session=OWN), given.rounds
                ),
            }
            result["a day of 100 turns"] = day(agent, clock)
    print(json.dumps(result, indent=2))
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "context.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
