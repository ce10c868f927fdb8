"""Contradictions measured: precision, recall and F1 in all and for each kind of pair, and the processor time a pair takes.

python -m bench.contradictions [--split tune|held] [--first] [--show]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path

from oldsoul.judging.conflicts.contradiction import judged
from oldsoul.reading.facts import fact

HERE = Path(__file__).parent


def pairs(split: str) -> list[dict[str, str]]:
    """The labelled pairs of one half."""
    lines = (HERE / "contradictions.jsonl").read_text("utf-8").splitlines()
    return [pair for line in lines if line and (pair := json.loads(line))["split"] == split]


def figures(counted: list[tuple[bool, bool]]) -> str:
    """Precision, recall and F1 of (meant, said)."""
    hit = sum(meant and said for meant, said in counted)
    said_all, meant_all = sum(said for _, said in counted), sum(meant for meant, _ in counted)
    precision = hit / said_all if said_all else None
    recall = hit / meant_all if meant_all else None
    both = 2 * hit / (said_all + meant_all) if said_all + meant_all else None
    shown = "  ".join(
        f"{name} {'   -' if value is None else f'{value:.2f}'}"
        for name, value in (("precision", precision), ("recall", recall), ("F1", both))
    )
    return f"{shown}  ({hit} right of {said_all} said, {meant_all} labelled, {len(counted)} pairs)"


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--split", choices=("tune", "held"), default="tune")
    options.add_argument("--first", action="store_true", help="say that this is the first run of these rules")
    options.add_argument(
        "--show", action="store_true", help="print the pairs of the tune half that were judged wrongly"
    )
    asked = options.parse_args()
    groups: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    wrong = []
    took = 0
    todo = pairs(asked.split)
    for pair in todo:
        fact.cache_clear()  # a pair costs what it costs when its lines are new
        start = time.process_time_ns()
        found = judged(pair["first"], pair["second"])
        took += time.process_time_ns() - start
        meant = pair["label"] != "none"
        for group in ("all", f"kind {pair['kind']}", f"language {pair['lang']}", f"label {pair['label']}"):
            groups[group].append((meant, found is not None))
        if meant != (found is not None):
            wrong.append(f"{'missed' if meant else 'wrongly said'}: {pair['first']} | {pair['second']} | {found}")
    print(
        f"{'first run, ' if asked.first else ''}{asked.split} half, {took / len(todo) / 1000:.0f} µs of processor time a pair"
    )
    for group in sorted(groups):
        print(f"{group:32} {figures(groups[group])}")
    if asked.show and asked.split == "tune":
        print(*sorted(wrong), sep="\n")


if __name__ == "__main__":
    main()
