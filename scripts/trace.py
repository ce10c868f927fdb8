"""Runs public verbs in a temporary home and prints how many files and functions of oldsoul each entered.

`python scripts/trace.py [--list] [VERB …]`; `--list` prints the files too. Each verb runs once before it is counted, so
that what is made on first use is not counted as its way.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oldsoul
from oldsoul import Oldsoul, Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from oldsoul import Agent

ROOT = Path(oldsoul.__file__).parent
TALK = (
    "We deploy on Tuesdays, and the release is called Heron.",
    "Remember that Ann looks after the staging server in Oslo.",
    "I decided to take PostgreSQL 16 for the orders.",
)


def verbs(agent: Agent) -> dict[str, Callable[[int], object]]:
    """The verbs to trace; each is given how often it ran before."""
    me = Session.dm()
    return {
        "hear": lambda n: agent.hear(f"The budget for May is {n + 4} thousand euros", session=me),
        "remember": lambda n: agent.remember(f"The cellar key hangs on hook {n + 1}", tag="knowledge"),
        "recall": lambda _: agent.recall("when do we deploy?", session=me),
        "memory-miner": lambda n: (
            agent.hear(f"I decided to paint room {n + 3} green", session=me),
            agent.run("memory-miner"),
        )[1],
        "correct": lambda n: agent.correct(f"The release is called Crane {n + 1}", wrong="Heron", right="Crane"),
        "context": lambda _: agent.context("what is the release called?", session=me),
    }


def entered(work: Callable[[], object]) -> dict[str, set[str]]:
    """The functions that were called, by their files: comprehensions and class bodies do not count."""
    found: dict[str, set[str]] = defaultdict(set)
    root = f"{ROOT}/"

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and not code.co_name.startswith("<"):
            found[code.co_filename.removeprefix(root)].add(code.co_qualname)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def main() -> None:
    """Trace the verbs that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("verbs", nargs="*", metavar="VERB")
    parser.add_argument("--list", action="store_true", help="print the files, with how many functions of each")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Oldsoul.open(folder) as soul:
        agent = soul.agent()
        for text in TALK:
            agent.hear(text, session=Session.dm())
            agent.remember(text)
        agent.run("memory-miner")
        known = verbs(agent)
        if unknown := [verb for verb in given.verbs if verb not in known]:
            parser.error(f"{unknown[0]} is not one of {', '.join(known)}")
        print(f"{'verb':14} {'files':>5} {'functions':>9}")
        for verb in given.verbs or known:
            known[verb](0)
            found = entered(lambda verb=verb: known[verb](1))  # type: ignore[misc]
            print(f"{verb:14} {len(found):5} {sum(map(len, found.values())):9}")
            for file in sorted(found) if given.list else ():
                print(f"    {file} {len(found[file])}")


if __name__ == "__main__":
    main()
