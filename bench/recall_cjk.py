"""Chinese, Japanese and mixed-script memories, remembered by the verb and asked for by the verb.

    python bench/recall_cjk.py [recall_cross]

With `recall_cross` the questions are in another language than the memories.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

HERE = Path(__file__).parent


def main(name: str = "recall_cjk") -> None:
    """Measure and print."""
    lines = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines() if line]
    places: dict[str, list[int]] = defaultdict(list)
    home = Path(tempfile.mkdtemp())
    try:
        (home / "config.yaml").write_text("timezone: UTC\nmemory: {workspace: {max_file_size: 1048576}}\n")
        with open_home(home, {}) as soul:
            agent = soul.agent()
            for line in lines:
                agent.remember(line["memory"])
            for line in lines:
                hits = agent.recall(line["question"], session=Session.dm(), limit=10).hits
                texts = [hit.chunk.text for hit in hits]
                place = next((n for n, text in enumerate(texts) if line["memory"] in text), 99)
                groups = (line["lang"], f"by {line['by']}") if "by" in line else (f"{line['lang']} by {line['asked']}",)
                for group in ("all", *groups):
                    places[group].append(place)
    finally:
        shutil.rmtree(home)
    table = {
        group: {"n": len(found), **{f"top {k}": round(sum(p < k for p in found) / len(found), 3) for k in (1, 3, 10)}}
        for group, found in sorted(places.items())
    }
    print(json.dumps(table, indent=2))
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / f"{name.replace('_', '-')}.json").write_text(json.dumps(table, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2])
