"""How often recall says `found`, `unsure` and `unknown`: of LoCoMo's questions that can be answered, and of those that cannot.

python -m bench.recall_answers --data locomo10.json [--report]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

from bench.recall import ANSWERABLE, RESULTS, samples
from bench.systems.oldsoul import Ours
from bench.systems.vectors import vectors_called


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--report", action="store_true", help="the seven conversations that were not tuned on")
    given = parser.parse_args()
    questions = {sample["sample_id"]: sample["qa"] for sample in json.loads(given.data.read_text("utf-8"))}
    said: dict[str, Counter[str]] = {"categories 1-4": Counter(), "category 5": Counter()}
    for sample in samples(given.data, report=given.report):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            system = Ours(Path(folder), vectors_called("static"))
            system.turns(sample.turns)
            system.ready(lambda _: None)
            for item in questions[sample.name]:
                kind = "categories 1-4" if item["category"] in ANSWERABLE else "category 5"
                said[kind][system.answer(str(item["question"]))] += 1
            system.close()
    shares = {
        kind: {answer: round(count / sum(counts.values()), 4) for answer, count in counts.most_common()}
        for kind, counts in said.items()
    }
    print(json.dumps({"held out": given.report, **shares}, indent=2))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"recall-answers-{'report' if given.report else 'tuning'}.json").write_text(json.dumps(shares, indent=2))


if __name__ == "__main__":
    main()
