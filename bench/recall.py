"""LoCoMo asked through the public `recall`: its turns logged as messages, its evidence looked for among the hits.

    python bench/recall.py --data locomo10.json [--report] [--provider none]

Without --report only the three tuning conversations are asked.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oldsoul.app.importing import import_lines
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

HERE = Path(__file__).parent
TUNING = ("conv-26", "conv-30", "conv-41")
ID = re.compile(r"D\d+:\d+")
CUTS = (5, 10, 20)


def lines_of(sample: dict[str, Any]) -> list[str]:
    """The turns as lines to import; what a picture shows stands with its turn."""
    talk = sample["conversation"]
    found = []
    for number in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        said = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in talk[f"session_{number}"]:
            text = turn["text"] + (f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            line = {
                "session": f"session {number}",
                "kind": "group",
                "room": sample["sample_id"],
                "sender": turn["speaker"],
            }
            found.append(json.dumps({**line, "text": text, "time": said.isoformat(), "key": turn["dia_id"]}))
    return found


class Tally:
    """What was found."""

    def __init__(self) -> None:
        self.per: dict[int, list[tuple[float, ...]]] = defaultdict(list)
        self.answers: dict[bool, dict[str, int]] = {True: defaultdict(int), False: defaultdict(int)}
        self.milliseconds: list[float] = []
        self.skipped = 0

    def table(self) -> dict[str, Any]:
        """The figures."""
        every = [line for lines in self.per.values() for line in lines]
        rows = [("all", every), *((f"category {key}", self.per[key]) for key in sorted(self.per))]
        names = (*(f"R@{cut}" for cut in CUTS), "sessions@5")
        took = sorted(self.milliseconds)
        return {
            "questions": len(every),
            "malformed evidence ids skipped": self.skipped,
            "p50_ms": round(took[len(took) // 2], 2),
            "p99_ms": round(took[len(took) * 99 // 100], 2),
            **{
                name: {
                    "n": len(lines),
                    **{n: round(sum(line[i] for line in lines) / len(lines), 4) for i, n in enumerate(names)},
                }
                for name, lines in rows
            },
            "answers to categories 1-4": dict(self.answers[True]),
            "answers to category 5": dict(self.answers[False]),
        }


def ask(sample: dict[str, Any], tally: Tally, provider: str, limit: int) -> None:
    """Log one conversation in a fresh home and ask its questions."""
    home = Path(tempfile.mkdtemp())
    try:
        (home / "config.yaml").write_text(f"timezone: UTC\nmemory: {{search: {{provider: {provider}}}}}\n")
        with open_home(home, {}) as soul:
            agent = soul.agent()
            import_lines(agent.talk, lines_of(sample), vouched=False)
            turns = {f"m:{m.id}": (m.key, m.session.id) for m in agent.talk.every(Wanted())}
            place = dict(turns.values())
            agent.recall("warm up", session=Session.dm())
            for item in sample["qa"]:
                ids = {found for each in item["evidence"] for found in ID.findall(each)}
                good = ids & set(place)
                answerable = item["category"] in (1, 2, 3, 4)
                start = time.perf_counter()
                found = agent.recall(str(item["question"]), session=Session.dm(), limit=limit)
                tally.milliseconds.append((time.perf_counter() - start) * 1000)
                tally.answers[answerable][found.answer] += 1
                if not answerable:
                    continue
                tally.skipped += len(ids - good)
                if not good:
                    continue
                order = [turns[hit.chunk.entry] for hit in found.hits if hit.chunk.entry in turns]
                shares = [len(good & {key for key, _ in order[:cut]}) / len(good) for cut in CUTS]
                held = {place[key] for key in good}
                sessions = list(dict.fromkeys(session for _, session in order))[:5]
                tally.per[item["category"]].append((*shares, len(held & set(sessions)) / len(held)))
    finally:
        shutil.rmtree(home)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--report", action="store_true", help="the seven conversations that were not tuned on")
    parser.add_argument("--provider", default="auto", help="`auto`, or `none` for words alone")
    parser.add_argument("--limit", type=int, default=20, help="how many hits are asked for; more need more candidates")
    given = parser.parse_args()
    data = json.loads(given.data.read_text("utf-8"))
    tally = Tally()
    for sample in data:
        if (sample["sample_id"] in TUNING) != given.report:
            ask(sample, tally, given.provider, given.limit)
    result = {"held out" if given.report else "tuning": tally.table()}
    result["peak RSS MB"] = {"all": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
    print(json.dumps(result, indent=2, ensure_ascii=False))
    (HERE / "results").mkdir(exist_ok=True)
    name = f"recall-{'report' if given.report else 'tuning'}-{given.provider}.json"
    (HERE / "results" / name).write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
