"""How fast recall is, side by side: the best six with a filter, one file changed, a cold open; memory and disk.

    python -m bench.recall_speed [--sizes 1000,10000,100000] [--systems oldsoul,lancedb] [--cap 600] [--others 100000]

Every system works in a process of its own on the same made-up texts. A question is about one line, and is restricted to
a quarter of all lines; its embedding is part of its time. What is not built within --cap seconds is said to be so; with
--others the other systems are asked up to so many chunks, so that one run can show ours far beyond.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.plot import speed_plot
from bench.systems import DEFAULT, adapter, loaded, missing, open_system
from bench.systems.texts import File, TooLong, items
from bench.systems.vectors import vectors_called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.systems.texts import System

RESULTS = Path(__file__).parent / "results"
_SYLLABLES = [first + second for first in "bdklmnr" for second in "aeiou"]
_TAGS = ("event", "knowledge", "skill", "decision")
_QUESTIONS = 200
_COLD_QUESTIONS = 50
_PATIENCE, _FEWEST = 60, 20
"""After so many seconds no more is asked, when so many questions were."""
_SMALL, _LARGE = 10, 50
"""How many lines a file has."""
_CHANGED = 10
"""How many files of each size are changed."""
_BATCH = 40
_TOP = 6


class Asked(NamedTuple):
    """A question about one line."""

    question: str
    """in words of that line"""
    tag: str
    """what it is restricted to"""
    path: str
    """the line's file"""
    line: int
    """the line"""


def vocabulary(chance: random.Random, size: int) -> list[str]:
    """Words nobody knows."""
    return ["".join(chance.choice(_SYLLABLES) for _ in range(chance.randrange(2, 5))) for _ in range(size)]


def sentence(chance: random.Random, words: list[str]) -> str:
    """About sixty tokens, as an entry of a memory has, in words the way they are: few often, many seldom."""
    picked = (words[min(int(chance.paretovariate(0.7)) - 1, len(words) - 1)] for _ in range(chance.randrange(12, 36)))
    return " ".join(picked).capitalize() + "."


def files(size: int, asked: list[Asked]) -> Iterator[File]:
    """Files with so many lines in all, ten of them small; questions about some lines are put into `asked`."""
    chance = random.Random(size)  # noqa: S311 - a bench, not a secret
    words = vocabulary(chance, 30_000)
    about = set(random.Random(size + 1).sample(range(size), min(_QUESTIONS, size)))  # noqa: S311 - as above
    done = number = 0
    while done < size:
        tag = _TAGS[number % len(_TAGS)]
        path = f"notes/{tag}/n{number}.md"
        lines = []
        for _ in range(min(_SMALL if number < _CHANGED else _LARGE, size - done)):
            lines.append(sentence(chance, words))
            if done in about:
                said = lines[-1].rstrip(".").lower().split()
                question = "where is the " + " ".join(chance.sample(said, 5))
                asked.append(Asked(question, tag, path, len(lines) + 2))
            done += 1
        yield File(path, "# Notes\n\n" + "".join(f"- {line} #{tag}\n" for line in lines), tag)
        number += 1


def built(system: System, size: int, cap: float) -> tuple[float, list[Asked], list[File]]:
    """The seconds it took to take everything, the questions, and the files that will be changed."""
    spent, done = 0.0, 0
    asked: list[Asked] = []
    kept: list[File] = []
    batch: list[File] = []

    def told(count: int) -> None:
        print(f"\r  {min(count, size):,} of {size:,}", end="", file=sys.stderr, flush=True)
        if spent + time.perf_counter() - start > cap:
            raise TooLong

    for file in files(size, asked):
        batch.append(file)
        if len(kept) < 2 * _CHANGED:
            kept.append(file)
        done += file.text.count("\n- ")
        if len(batch) == _BATCH or done >= size:
            start = time.perf_counter()
            system.files(batch, items)
            told(done)
            spent += time.perf_counter() - start
            batch = []
    start = time.perf_counter()
    system.ready(told)
    print(file=sys.stderr)
    return spent + time.perf_counter() - start, asked, kept


def _middle(values: list[float]) -> float:
    return round(sorted(values)[len(values) // 2], 2)


def _last(values: list[float]) -> float:
    return round(sorted(values)[len(values) * 99 // 100], 2)


def _timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Milliseconds on the clock, milliseconds of all threads, and what it gave."""
    start, begun = time.perf_counter(), time.process_time()
    found = work()
    return (time.perf_counter() - start) * 1000, (time.process_time() - begun) * 1000, found


def _memory() -> int:
    """The most memory this process had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says on Linux may be the parent's
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) >> 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (20 if sys.platform == "darwin" else 10)


def warm(name: str, size: int, folder: Path, vectors: str, cap: float) -> dict[str, Any]:
    """Build, ask, change."""
    system = open_system(name, folder, vectors_called(vectors))
    try:
        seconds, asked, kept = built(system, size, cap)
    except TooLong:
        return {"note": f"not built within {cap:.0f} s"}
    (folder.parent / "asked.json").write_text(json.dumps(asked))
    for one in asked[:5]:
        system.ask(one.question, _TOP, one.tag)
    wall, work, right = [], [], 0
    for one in asked:
        took, cpu, found = _timed(partial(system.ask, one.question, _TOP, one.tag))
        wall.append(took)
        work.append(cpu)
        right += any(piece.path == one.path and piece.first <= one.line <= piece.last for piece in found)
        if sum(wall) > _PATIENCE * 1000 and len(wall) >= _FEWEST:
            break
    result: dict[str, Any] = {
        "build_s": round(seconds, 1),
        "p50_ms": _middle(wall),
        "p99_ms": _last(wall),
        "p50_cpu_ms": _middle(work),
        "questions": len(wall),
        "found": round(right / len(wall), 3),
    }
    for count, some in ((_SMALL, kept[:_CHANGED]), (_LARGE, kept[_CHANGED:])):
        changed = [file._replace(text=file.text.replace("- ", f"- changed{n} ")) for n, file in enumerate(some)]
        taken = []
        for file in changed:
            system.write(file)
            taken.append(_timed(partial(system.change, file, items))[0])
        result[f"upsert_{count}_ms"] = _middle(taken)
    there = system.ask("changed0 changed0", _TOP, kept[0].tag)
    result["change found"] = any("changed0" in piece.text.lower() for piece in there)
    result["build_rss_mb"] = _memory()
    system.close()
    result["disk_mb"] = round(system.size() / 1e6, 1)
    return result


def cold(name: str, folder: Path, vectors: str) -> dict[str, Any]:
    """What a fresh process has to do and to hold."""
    for module in adapter(name).modules:
        loaded(module, adapter(name).package)
    asked = [Asked(*one) for one in json.loads((folder.parent / "asked.json").read_text())]
    made = vectors_called(vectors)
    start = time.perf_counter()
    opening, _, system = _timed(lambda: open_system(name, folder, made))
    first, _, _ = _timed(lambda: system.ask(asked[0].question, _TOP, asked[0].tag))
    for one in asked[1:_COLD_QUESTIONS]:
        system.ask(one.question, _TOP, one.tag)
        if time.perf_counter() - start > _PATIENCE:
            break
    result = {"open_ms": round(opening, 1), "first_ms": round(opening + first, 1), "rss_mb": _memory()}
    system.close()
    return result


def _child(given: argparse.Namespace, what: str, name: str, size: int, folder: Path) -> dict[str, Any]:
    """What a process of its own says."""
    command = [sys.executable, "-m", "bench.recall_speed", "--child", what, "--systems", name, "--sizes", str(size)]
    command += ["--folder", str(folder), "--vectors", given.vectors, "--cap", str(given.cap)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, _ = process.communicate(timeout=given.cap * 2 + 60)
    except subprocess.TimeoutExpired:
        return {"note": f"not done within {given.cap * 2 + 60:.0f} s"}
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode:
        return {"note": f"failed with exit code {process.returncode}; its last words are above"}
    found: dict[str, Any] = json.loads(out.strip().split("\n")[-1])
    return found


def measured(given: argparse.Namespace, name: str, size: int) -> dict[str, Any]:
    """One system at one size."""
    folder = Path(tempfile.mkdtemp(prefix="bench-speed-"))
    try:
        result = _child(given, "warm", name, size, folder / "store")
        if "note" not in result:
            result |= _child(given, "cold", name, size, folder / "store")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"system": name, "does": adapter(name).does, "chunks": size, **result}


_COLUMNS = {
    "p50 ms": "p50_ms",
    "p99 ms": "p99_ms",
    "CPU ms": "p50_cpu_ms",
    "found": "found",
    "upsert 10 ms": "upsert_10_ms",
    "upsert 50 ms": "upsert_50_ms",
    "open ms": "open_ms",
    "first answer ms": "first_ms",
    "RSS MB": "rss_mb",
    "disk MB": "disk_mb",
    "build s": "build_s",
}


def as_table(results: list[dict[str, Any]]) -> str:
    """The figures as Markdown: a table a size, the quickest first."""
    parts = []
    for size in sorted({result["chunks"] for result in results}):
        rows = [f"{size:,} chunks", "", "| system | compares by | " + " | ".join(_COLUMNS) + " |"]
        rows.append("|---|---|" + "---:|" * len(_COLUMNS))
        here = [result for result in results if result["chunks"] == size]
        for result in sorted(here, key=lambda result: result.get("p50_ms", float("inf"))):
            cells = [str(result.get(key, "")) for key in _COLUMNS.values()]
            if "note" in result:
                cells[0] = result["note"]
            rows.append(f"| {result['system']} | {result['does']} | " + " | ".join(cells) + " |")
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def kept(results: list[dict[str, Any]]) -> None:
    """Keep what there is; every step is kept, since the long ones are long."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "speed.json").write_text(json.dumps(results, indent=2) + "\n")
    (RESULTS / "speed.md").write_text(as_table(results), "utf-8")
    speed_plot(RESULTS)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000", help="how many chunks, one size after the other")
    parser.add_argument("--systems", default=DEFAULT, help="names with commas between")
    parser.add_argument("--vectors", default="encoder", help="what the systems compare by: encoder, static or minilm")
    parser.add_argument("--cap", type=float, default=600, help="seconds a system may take to build")
    parser.add_argument("--others", type=int, default=0, help="the most chunks the other systems get; 0 for as many")
    parser.add_argument("--child", choices=["warm", "cold"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child == "warm":
        print(json.dumps(warm(given.systems, int(given.sizes), given.folder, given.vectors, given.cap)))
        return
    if given.child == "cold":
        print(json.dumps(cold(given.systems, given.folder, given.vectors)))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was begun is ended and removed
    systems = given.systems.split(",")
    absent = missing(systems)
    results: list[dict[str, Any]] = []
    gone: dict[str, str] = dict(absent)
    for size in map(int, given.sizes.split(",")):
        for name in systems:
            if given.others and size > given.others and not name.startswith("oldsoul"):
                continue
            print(f"{name}, {size:,}", file=sys.stderr, flush=True)
            if name in gone:
                note = gone[name] if name in absent else f"not tried: {gone[name]}"
                results.append({"system": name, "does": adapter(name).does, "chunks": size, "note": note})
            else:
                results.append(measured(given, name, size))
                if "note" in results[-1]:
                    gone[name] = f"{results[-1]['note']} at {size:,}"
            kept(results)
    print(as_table(results))


if __name__ == "__main__":
    main()
