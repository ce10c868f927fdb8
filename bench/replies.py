"""What a reply costs beside the model: `python bench/replies.py`, on a home with 10,000 messages and a model that answers at once.

Prints p50 and p99 of a whole reply (log, correct, recall, prompt, history, log again), what part of it is what, and which share of
the prompt stays the same from turn to turn.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.values.messages import Wanted
from oldsoul.values.models import Usage
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.app import Agent
    from oldsoul.values.models import Piece, Request

CHUNKS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
TURNS = 200
SESSION = Session.dm(id="bench")
THINGS = ("garden", "server", "boiler", "budget", "piano", "bicycle", "contract", "kitchen", "harbour", "tower")
NAMES = ("Ann", "Ben", "Carla", "Dora", "Emil")


class Instant:
    """A model that answers at once, and keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.spent = 0.0

    def talk(self, request: Request) -> Iterator[Piece]:
        """The same few words each time."""
        begun = time.perf_counter()
        self.sent.append("\n".join(f"{turn.speaker}: {turn.text}" for turn in request.turns))
        self.spent += time.perf_counter() - begun
        yield "It is in the "
        yield "second drawer."
        yield Usage(1, 1, "instant")


def sentence(chance: random.Random) -> str:
    """Something somebody might say."""
    one, other = chance.sample(THINGS, 2)
    name = chance.choice(NAMES)
    return (
        f"{name} says the {one} needs {chance.randrange(2, 90)} parts for the {other} by {chance.randrange(1, 28)} May"
    )


def filled(agent: Agent) -> None:
    """A home with as many messages as there are to be chunks."""
    chance = random.Random(1)  # noqa: S311 - a bench
    lines = (
        json.dumps(
            {
                "session": f"old-{n // 50}",
                "subject": "acct:owner",
                "text": sentence(chance),
                "time": f"2026-01-{n % 28 + 1:02}T10:00:00Z",
            }
        )
        for n in range(CHUNKS)
    )
    agent.talk.import_messages(lines)
    for number in range(40):
        agent.remember(f"{sentence(chance)} ({number})")
    agent.recall("where is the piano?", session=SESSION)


def common(before: str, after: str) -> int:
    """How many characters two prompts begin alike with."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == after[:middle] else (low, middle - 1)
    return low


def main() -> None:
    """Measure, and print."""
    model = Instant()
    with tempfile.TemporaryDirectory() as folder, open_home(Path(folder), {}, talker=model) as soul:
        agent = soul.agent()
        filled(agent)
        chance = random.Random(2)  # noqa: S311 - a bench
        took: list[float] = []
        parts: dict[str, list[float]] = defaultdict(list)
        for number in range(TURNS):
            text = f"what did {chance.choice(NAMES)} say about the {chance.choice(THINGS)}? ({number})"
            begun, before = time.perf_counter(), model.spent
            agent.respond(text, session=SESSION)
            took.append(time.perf_counter() - begun - (model.spent - before))
        for number in range(50):
            for name, work in (
                ("hear", lambda n=number: agent.hear(f"hello {n}", session=Session.dm(id="parts"))),
                ("recall", lambda n=number: agent.recall(f"the {THINGS[n % 10]} of Ann", session=SESSION)),
                ("prompt", lambda n=number: agent.prompt(f"the {THINGS[n % 10]} of Ann", session=SESSION)),
                ("history", lambda: agent.talk.messages(Wanted(session=SESSION.id, newest_first=True, limit=40))),
            ):
                begun = time.perf_counter()
                work()
                parts[name].append(time.perf_counter() - begun)
        shares = [common(a, b) / len(b) for a, b in zip(model.sent[20:], model.sent[21:], strict=False)]
        sizes = [len(each) for each in model.sent]
    took.sort()
    print(f"replies over {CHUNKS:,} messages, {TURNS} turns, everything but the model")
    print(f"  p50 {1000 * took[len(took) // 2]:.1f} ms   p99 {1000 * took[int(len(took) * 0.99)]:.1f} ms")
    for name, times in parts.items():
        print(f"    {name:<8} p50 {1000 * statistics.median(times):.1f} ms")
    print(
        f"  of the prompt ({statistics.mean(sizes):,.0f} characters) {100 * statistics.mean(shares):.1f} % stays the same"
        " from turn to turn"
    )


if __name__ == "__main__":
    main()
