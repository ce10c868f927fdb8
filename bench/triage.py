"""Triage measured: microseconds a message, how often it fires on ordinary talk, precision and recall on labelled sentences.

python bench/triage.py [--data locomo10.json]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from pathlib import Path

from oldsoul.rules.options import TriageOptions
from oldsoul.rules.triage import Triage

HERE = Path(__file__).parent
KINDS = ("memory", "recall", "soft")
MESSAGES = 10_000


def labelled() -> list[dict[str, object]]:
    """The sentences and what they really mean."""
    return [json.loads(line) for line in (HERE / "triage_labelled.jsonl").read_text("utf-8").splitlines() if line]


def mixed(seed: int = 7) -> list[str]:
    """Messages of up to 2 KB, made of the labelled sentences and of plain words."""
    chance = random.Random(seed)  # noqa: S311 - a bench, not a secret
    sentences = [str(line["text"]) for line in labelled()]
    plain = [s for line, s in zip(labelled(), sentences, strict=True) if not line["kinds"]]
    made = []
    for _ in range(MESSAGES):
        size = int(chance.choice((40, 120, 300, 800, 2000)) * chance.uniform(0.5, 1))
        pool = sentences if chance.random() < 0.2 else plain
        text = ""
        while len(text.encode()) < size:
            text += chance.choice(pool) + " "
        made.append(text.encode()[:2048].decode("utf-8", "ignore"))
    return made


def speed(triage: Triage) -> dict[str, float]:
    """Microseconds a message."""
    texts = mixed()
    for text in texts[:200]:
        triage.flags(text)
    took = []
    for text in texts:
        start = time.perf_counter_ns()
        triage.flags(text)
        took.append((time.perf_counter_ns() - start) / 1000)
    took.sort()
    return {
        "messages": len(took),
        "mean_bytes": round(statistics.mean(len(t.encode()) for t in texts)),
        "p50_us": round(took[len(took) // 2], 1),
        "p99_us": round(took[len(took) * 99 // 100], 1),
        "max_us": round(took[-1], 1),
    }


def quality(triage: Triage, language: str) -> dict[str, object]:
    """Precision and recall, kind by kind, against what a careful reader says."""
    result: dict[str, object] = {}
    lines = [line for line in labelled() if line["lang"] == language]
    for kind in KINDS:
        hit = sum(kind in _kinds(line) and _fires(triage, line, kind) for line in lines)
        fired = sum(_fires(triage, line, kind) for line in lines)
        real = sum(kind in _kinds(line) for line in lines)
        result[kind] = {
            "precision": round(hit / fired, 2) if fired else None,
            "recall": round(hit / real, 2),
            "fired": fired,
            "labelled": real,
        }
    flagged = [line for line in lines if triage.flags(str(line["text"]))]
    meant = sum(bool(line["kinds"]) for line in flagged)
    all_meant = sum(bool(line["kinds"]) for line in lines)
    result["any"] = {
        "precision": round(meant / len(flagged), 2),
        "recall": round(meant / all_meant, 2),
        "sentences": len(lines),
    }
    return result


def _kinds(line: dict[str, object]) -> list[str]:
    kinds = line["kinds"]
    return kinds if isinstance(kinds, list) else []


def _fires(triage: Triage, line: dict[str, object], kind: str) -> bool:
    return any(flag.trigger == kind for flag in triage.flags(str(line["text"])))


def fire_rate(triage: Triage, data: Path) -> dict[str, object]:
    """On how many turns of ordinary talk it fires."""
    turns = [
        turn["text"]
        for talk in json.loads(data.read_text("utf-8"))
        for key, session in talk["conversation"].items()
        if key.startswith("session_") and isinstance(session, list)
        for turn in session
    ]
    fired = [{flag.trigger for flag in triage.flags(text)} for text in turns]
    result: dict[str, object] = {"turns": len(turns), "fired": sum(map(bool, fired))}
    result["rate"] = round(sum(map(bool, fired)) / len(turns), 4)
    result |= {kind: sum(kind in kinds for kinds in fired) for kind in KINDS}
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="locomo10.json")
    arguments = parser.parse_args()
    triage = Triage(TriageOptions())
    result: dict[str, object] = {"speed": speed(triage), "en": quality(triage, "en"), "zh": quality(triage, "zh")}
    if arguments.data:
        result["ordinary talk"] = fire_rate(triage, arguments.data)
    print(json.dumps(result, indent=2, ensure_ascii=False))
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "triage.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
