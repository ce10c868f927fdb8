"""Memories in other languages than English, remembered by the verb and asked for by the verb.

    python -m bench.recall_languages [de ko cjk across …]

Each file of `bench/data/languages` is a store of its own; without a name all of them are asked but `across`, whose questions
are in another language than its memories. The README there says who wrote them.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

HERE = Path(__file__).parent
_ACROSS = "across"
_DEPTHS = (1, 3, 10)
_NOWHERE = 99


def main(*names: str) -> None:
    """Measure and print."""
    files = sorted(HERE.joinpath("data", "languages").glob("*.jsonl"))
    chosen = [file for file in files if (file.stem in names if names else file.stem != _ACROSS)]
    places: dict[str, list[int]] = defaultdict(list)
    answers: Counter[str] = Counter()
    for file in chosen:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
        for line, (place, answer) in zip(lines, _asked(lines), strict=True):
            by = line.get("by") or f"{line['lang']} by {line['asked']}"
            for group in ("all", file.stem, f"by {by}", f"{file.stem} by {by}"):
                places[group].append(place)
            answers[answer] += 1
    table = {
        group: {"n": len(found), **{f"top {k}": round(sum(p < k for p in found) / len(found), 3) for k in _DEPTHS}}
        for group, found in sorted(places.items())
    }
    print(json.dumps({**table, "answers": answers}, indent=2))
    (HERE / "results").mkdir(exist_ok=True)
    kept = HERE / "results" / f"recall-languages{''.join(f'-{name}' for name in names)}.json"
    kept.write_text(json.dumps(table, indent=2) + "\n", "utf-8")


def _asked(lines: list[dict[str, str]]) -> list[tuple[int, str]]:
    """For each question at which place its memory comes, and what the answer is called."""
    home = Path(tempfile.mkdtemp())
    try:
        (home / "config.yaml").write_text("timezone: UTC\nmemory: {workspace: {max_file_size: 1048576}}\n")
        found = []
        with open_home(home, {}) as soul:
            agent = soul.agent()
            for memory in dict.fromkeys(line["memory"] for line in lines):
                agent.remember(memory)
            for line in lines:
                recalled = agent.recall(line["question"], session=Session.dm(), limit=_DEPTHS[-1])
                texts = [hit.chunk.text for hit in recalled.hits]
                place = next((n for n, text in enumerate(texts) if line["memory"] in text), _NOWHERE)
                found.append((place, recalled.answer))
        return found
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main(*sys.argv[1:])
