"""How fast recall is through its public verb, from a thousand chunks on: questions, one file changed, a cold open, memory.

python bench/recall_speed.py [--sizes 1000,10000,100000]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

HERE = Path(__file__).parent
_SYLLABLES = [
    "ba",
    "be",
    "bi",
    "bo",
    "bu",
    "da",
    "de",
    "di",
    "do",
    "du",
    "ka",
    "ke",
    "ki",
    "ko",
    "ku",
    "la",
    "le",
    "li",
    "lo",
    "lu",
    "ma",
    "me",
    "mi",
    "mo",
    "mu",
    "na",
    "ne",
    "ni",
    "no",
    "nu",
    "ra",
    "re",
    "ri",
    "ro",
    "ru",
]
_QUESTIONS = 200
_PER_FILE = 50


def vocabulary(chance: random.Random, size: int) -> list[str]:
    """Words nobody knows, the way words are: few often, many seldom."""
    return ["".join(chance.choice(_SYLLABLES) for _ in range(chance.randrange(2, 5))) for _ in range(size)]


def sentence(chance: random.Random, words: list[str]) -> str:
    """About forty words."""
    picked = (words[min(int(chance.paretovariate(0.7)) - 1, len(words) - 1)] for _ in range(chance.randrange(20, 60)))
    return " ".join(picked).capitalize() + "."


def build(home: Path, size: int) -> list[str]:
    """A home with so many chunks in daily files; gives questions about some of them."""
    chance = random.Random(size)  # noqa: S311 - a bench, not a secret
    words = vocabulary(chance, 30_000)
    folder = home / "workspace/main/notes"
    folder.mkdir(parents=True)
    (home / "config.yaml").write_text("timezone: UTC\n")
    questions: list[str] = []
    for number in range(size // _PER_FILE):
        lines = [f"- {sentence(chance, words)}" for _ in range(_PER_FILE)]
        (folder / f"n{number}.md").write_text("# Notes\n\n" + "\n".join(lines) + "\n")
        if len(questions) < _QUESTIONS:
            said = chance.choice(lines).split()
            questions.append("where is the " + " ".join(chance.sample(said, 5)))
    return questions


def measure(home: Path, questions: list[str], size: int) -> dict[str, Any]:
    """What it takes."""
    result: dict[str, Any] = {"chunks": size}
    with open_home(home, {}) as soul:
        agent = soul.agent()
        start = time.perf_counter()
        agent.recaller.sync()
        result["build_s"] = round(time.perf_counter() - start, 1)
        agent.recall(questions[0], session=Session.dm())
        took, work = [], []
        for question in questions:
            start, begun = time.perf_counter(), time.process_time()
            agent.recall(question, session=Session.dm(), limit=6)
            took.append((time.perf_counter() - start) * 1000)
            work.append((time.process_time() - begun) * 1000)
        took.sort()
        work.sort()
        result |= {"p50_ms": round(took[len(took) // 2], 2), "p99_ms": round(took[len(took) * 99 // 100], 2)}
        result["p50_cpu_ms"] = round(work[len(work) // 2], 2)
        upserts = []
        for number in range(20):
            name = agent.name(f"notes/n{number}.md")
            text = (soul.world.store.read(name).data or b"").decode()
            filed = agent.recaller.filed(name, text.replace("- ", f"- {number} ", 1).encode())
            start = time.perf_counter()
            agent.recaller.take(filed)
            upserts.append((time.perf_counter() - start) * 1000)
        result["one_file_p50_ms"] = round(sorted(upserts)[10], 2)
    code = (
        "import sys,time;from oldsoul.wiring import open_home;s=open_home(sys.argv[1],{});a=s.agent();"
        "import numpy,oldsoul.recall,oldsoul.adapters.index.engine,oldsoul.adapters.embedders.bundled;"
        "t=time.perf_counter();a.recaller;print((time.perf_counter()-t)*1000)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True)
    result["cold_open_ms"] = round(float(run.stdout), 1)
    result["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    result["disk_mb"] = round(sum(f.stat().st_size for f in (home / "cache/index").iterdir()) / 1e6, 1)
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000", help="how many chunks, one size after the other")
    results = []
    for size in map(int, parser.parse_args().sizes.split(",")):
        home = Path(tempfile.mkdtemp())
        try:
            results.append(measure(home, build(home, size), size))
        finally:
            shutil.rmtree(home)
        print(json.dumps(results[-1]), flush=True)
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "recall_speed.json").write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
