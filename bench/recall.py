"""LoCoMo asked of Oldsoul and of systems people have, side by side: turns go in, the evidence should come back.

    python -m bench.recall --data locomo10.json [--report] [--systems oldsoul,fts5,chroma]

Oldsoul gets the turns as messages; the others get each turn as one text with its day and speaker. Without --report only
the three tuning conversations are asked.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from bench.plot import recall_plot
from bench.systems import DEFAULT, adapter, missing, open_system
from bench.systems.texts import Turn
from bench.systems.vectors import vectors_called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.systems.vectors import Vectors

T = TypeVar("T")
RESULTS = Path(__file__).parent / "results"
TUNING = ("conv-26", "conv-30", "conv-41")
ANSWERABLE = (1, 2, 3, 4)
NAMES = ("R@5", "R@10", "R@20", "sessions@5")
KINDS = ("1 several facts", "2 time", "3 open", "4 one fact")
PLAIN = ("tokens used", "pieces")
"""What is no share."""
_ID = re.compile(r"D\d+:\d+")
_CUTS = (5, 10, 20)


class Sample(NamedTuple):
    """One conversation with its questions."""

    name: str
    """which"""
    turns: tuple[Turn, ...]
    """what was said"""
    questions: tuple[tuple[str, int, frozenset[str]], ...]
    """a question, its category, and the turns that answer it"""
    skipped: int
    """how many ids of evidence lead nowhere"""


def samples(data: Path, *, report: bool) -> Iterator[Sample]:
    """The conversations that were tuned on, or the others."""
    for sample in json.loads(data.read_text("utf-8")):
        if (sample["sample_id"] in TUNING) == report:
            continue
        turns = tuple(_turns(sample["conversation"]))
        known = {turn.key for turn in turns}
        asked, skipped = [], 0
        for item in sample["qa"]:
            ids = {found for each in item["evidence"] for found in _ID.findall(each)}
            if item["category"] in ANSWERABLE:
                skipped += len(ids - known)
                if ids & known:
                    asked.append((str(item["question"]), item["category"], frozenset(ids & known)))
        yield Sample(sample["sample_id"], turns, tuple(asked), skipped)


def _turns(talk: dict[str, Any]) -> Iterator[Turn]:
    """The turns; what a picture shows stands with its turn."""
    for number in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        said = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in talk[f"session_{number}"]:
            text = turn["text"] + (f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            yield Turn(turn["dia_id"], f"session {number}", said, turn["speaker"], text)


class Tally:
    """What was found, and how long it took."""

    def __init__(self) -> None:
        self.per: dict[int, list[tuple[float, ...]]] = defaultdict(list)
        self.wall: list[float] = []
        self.work: list[float] = []
        self.build = 0.0

    def table(self, names: Sequence[str]) -> dict[str, Any]:
        """The figures."""
        every = [line for lines in self.per.values() for line in lines]
        rows = [("all", every), *((f"category {key}", self.per[key]) for key in sorted(self.per))]
        return {
            **{
                row: {"n": len(lines)}
                | {name: round(sum(line[i] for line in lines) / len(lines), 4) for i, name in enumerate(names)}
                for row, lines in rows
            },
            "p50_ms": round(sorted(self.wall)[len(self.wall) // 2], 2),
            "p99_ms": round(sorted(self.wall)[len(self.wall) * 99 // 100], 2),
            "p50_cpu_ms": round(sorted(self.work)[len(self.work) // 2], 2),
            "build_s": round(self.build, 1),
        }

    def timed(self, ask: Callable[[], T]) -> T:
        """What a question gives, with its time taken down."""
        start, begun = time.perf_counter(), time.process_time()
        found = ask()
        self.wall.append((time.perf_counter() - start) * 1000)
        self.work.append((time.process_time() - begun) * 1000)
        return found


def ask(system: str, sample: Sample, vectors: Vectors, tally: Tally) -> None:
    """Give one conversation to a fresh system and ask its questions."""
    place = {turn.key: turn.session for turn in sample.turns}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        start = time.perf_counter()
        opened = open_system(system, Path(folder) / "store", vectors)
        opened.turns(sample.turns)
        opened.ready(lambda _: None)
        tally.build += time.perf_counter() - start
        opened.ask("warm up", 5)
        for question, category, good in sample.questions:
            found = tally.timed(partial(opened.ask, question, _CUTS[-1]))
            order = [piece.key for piece in found if piece.key in place]
            shares = [len(good & set(order[:cut])) / len(good) for cut in _CUTS]
            held = {place[key] for key in good}
            sessions = list(dict.fromkeys(place[key] for key in order))[:5]
            tally.per[category].append((*shares, len(held & set(sessions)) / len(held)))
        opened.close()


def arguments(about: str | None) -> argparse.ArgumentParser:
    """What both benches of recall can be told."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--report", action="store_true", help="the seven conversations that were not tuned on")
    parser.add_argument("--systems", default=DEFAULT, help="names with commas between")
    parser.add_argument("--vectors", default="encoder", help="what the systems compare by: encoder, static or minilm")
    return parser


def compared(
    given: argparse.Namespace, names: Sequence[str], one: Callable[[str, Sample, Vectors, Tally], None]
) -> dict[str, Any]:
    """Every system's figures, or why it has none."""
    systems = given.systems.split(",")
    absent = missing(systems)
    vectors = vectors_called(given.vectors)
    taken = list(samples(given.data, report=given.report))
    found: dict[str, Any] = {}
    for system in systems:
        if system in absent:
            found[system] = {"does": adapter(system).does, "note": absent[system]}
            continue
        tally = Tally()
        try:
            for sample in taken:
                print(f"{system}: {sample.name}, {len(sample.questions)} questions", file=sys.stderr, flush=True)
                one(system, sample, vectors, tally)
        except Exception as error:  # noqa: BLE001 - a system that breaks is reported, and the next one runs
            found[system] = {"does": adapter(system).does, "note": f"failed: {error!r}"[:300]}
            continue
        found[system] = {"does": adapter(system).does, **tally.table(names)}
    return {
        "conversations": [sample.name for sample in taken],
        "held out": given.report,
        "vectors": vectors.name,
        "questions": sum(len(sample.questions) for sample in taken),
        "evidence ids that lead nowhere": sum(sample.skipped for sample in taken),
        "systems": found,
    }


def ranked(systems: dict[str, Any], name: str) -> list[tuple[str, dict[str, Any]]]:
    """The best first; those without figures last."""
    return sorted(systems.items(), key=lambda item: -item[1].get("all", {}).get(name, -1.0))


def as_table(result: dict[str, Any], names: Sequence[str], main: str) -> str:
    """The figures as Markdown, in percent."""
    kinds = [f"category {number}" for number in ANSWERABLE]
    heads = ["system", "compares by", *names, *KINDS, "p50 ms", "CPU ms", "build s"]
    rows = ["| " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (len(heads) - 2)]
    for system, held in ranked(result["systems"], main):
        if "note" in held:
            rows.append(f"| {system} | {held['does']} | {held['note']} |" + " |" * (len(heads) - 3))
            continue
        cells = [f"{held['all'][name] * (1 if name in PLAIN else 100):.1f}" for name in names]
        cells += [f"{held[kind][main] * 100:.1f}" for kind in kinds if kind in held]
        cells += [f"{held['p50_ms']:.1f}", f"{held['p50_cpu_ms']:.1f}", f"{held['build_s']:.1f}"]
        rows.append(f"| {system} | {held['does']} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def kept(result: dict[str, Any], names: Sequence[str], main: str, stem: str) -> None:
    """Print the figures, and keep them in bench/results with a plot of all there are."""
    which = "report" if result["held out"] else "tuning"
    told = "held out" if result["held out"] else "tuned on"
    about = (
        f"{result['questions']} questions, {told}: {', '.join(result['conversations'])}; {result['vectors']} vectors"
    )
    table = f"{about}. In percent; by category it is {main}.\n\n{as_table(result, names, main)}"
    print(table)
    RESULTS.mkdir(exist_ok=True)
    suffix = "" if result["vectors"] == "encoder" else f"-{result['vectors']}"
    (RESULTS / f"{stem}-{which}{suffix}.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    (RESULTS / f"{stem}-{which}{suffix}.md").write_text(table, "utf-8")
    recall_plot(RESULTS, f"{which}{suffix}")


def main() -> None:
    """Measure and print."""
    kept(compared(arguments(__doc__).parse_args(), NAMES, ask), NAMES, "R@10", "recall-messages")


if __name__ == "__main__":
    main()
