"""LoCoMo as dated Markdown files, the way other systems get it: how much of the evidence stands in 1,500 tokens of results.

    python bench/recall_markdown.py --data locomo10.json [--report]

Beside Oldsoul, in the same run, on the same lines and questions: SQLite FTS5 over lines and over chunks, and a search that
counts words the way grep would.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oldsoul.ranking.chunks import estimated_tokens
from oldsoul.ranking.terms import STOPWORDS
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

HERE = Path(__file__).parent
TUNING = ("conv-26", "conv-30", "conv-41")
ID = re.compile(r"D\d+:\d+")
WORD = re.compile(r"\w+")
BUDGET = 1500
CHUNK = 400

Line = tuple[str, int, str, str]
"""A file, a line's number, its text, the turn's id."""


def files_of(sample: dict[str, Any]) -> list[Line]:
    """The lines of the files, one turn a line."""
    talk = sample["conversation"]
    found: list[Line] = []
    ends: Counter[str] = Counter()
    for number in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        said = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        path = f"memory/{said:%Y-%m-%d}.md"
        if not ends[path]:
            found.append((path, 1, f"# {said:%Y-%m-%d}", ""))
            ends[path] = 1
        found.append((path, ends[path] + 2, f"## {said:%Y-%m-%d %H:%M} UTC", ""))
        ends[path] += 3
        for turn in talk[f"session_{number}"]:
            text = turn["text"] + (f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            ends[path] += 1
            found.append((path, ends[path], f"{turn['speaker']}: {' '.join(text.split())}", turn["dia_id"]))
    return found


def written(lines: list[Line], home: Path) -> None:
    """The files on the disk."""
    texts: dict[str, list[str]] = {}
    for path, number, text, _ in lines:
        body = texts.setdefault(path, [])
        body += [""] * (number - 1 - len(body))
        body.append(text)
    for path, body in texts.items():
        file = home / "workspace/main" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(body) + "\n", "utf-8")


def content(question: str) -> list[str]:
    """The words of a question that say something."""
    words = [word.lower() for word in WORD.findall(question)]
    return [word for word in words if word not in STOPWORDS] or words


class Found:
    """Results within the budget."""

    def __init__(self) -> None:
        self.turns: set[str] = set()
        self.spent = 0

    def take(self, text: str, turns: set[str]) -> bool:
        """Whether there was room for one more."""
        cost = estimated_tokens(text)
        if self.spent and self.spent + cost > BUDGET:
            return False
        self.spent += cost
        self.turns |= turns
        return True


class Fts:
    """SQLite FTS5 over pieces of the files."""

    def __init__(self, pieces: list[tuple[str, set[str]]]) -> None:
        self.pieces = pieces
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE f USING fts5(t, tokenize='porter unicode61 remove_diacritics 2')")
        self.db.executemany("INSERT INTO f(rowid, t) VALUES (?,?)", [(n, text) for n, (text, _) in enumerate(pieces)])

    def ask(self, question: str) -> Found:
        """Everything that has one of the words, the best first."""
        found = Found()
        query = " OR ".join(f'"{word}"' for word in content(question))
        for (row,) in self.db.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f)", (query,)):
            if not found.take(*self.pieces[row]):
                break
        return found


def grep(lines: list[Line], question: str) -> Found:
    """Lines by how many of the words they hold, as they stand."""
    words = set(content(question))
    counted = [(len(words & set(map(str.lower, WORD.findall(text)))), -n) for n, (_, _, text, _) in enumerate(lines)]
    found = Found()
    for score, place in sorted(counted, reverse=True):
        _, _, text, turn = lines[-place]
        if not score or not found.take(text, {turn} - {""}):
            break
    return found


def chunks_of(lines: list[Line]) -> list[tuple[str, set[str]]]:
    """Lines of one file together, about so many tokens."""
    pieces: list[tuple[str, set[str]]] = []
    file, size = "", 0
    for path, _, text, turn in lines:
        cost = estimated_tokens(text)
        if path != file or size + cost > CHUNK:
            pieces.append(("", set()))
            file, size = path, 0
        before, turns = pieces[-1]
        pieces[-1] = f"{before}\n{text}".strip(), turns | ({turn} - {""})
        size += cost
    return pieces


def ask(sample: dict[str, Any], shares: dict[str, list[float]]) -> None:
    """One conversation: every system, every answerable question."""
    lines = files_of(sample)
    at = {(path, number): turn for path, number, _, turn in lines if turn}
    known = set(at.values())
    systems: dict[str, Any] = {
        "FTS5 lines": Fts([(f"{path} {text}", {turn} - {""}) for path, _, text, turn in lines]).ask,
        "FTS5 chunks": Fts(chunks_of(lines)).ask,
        "grep": lambda question: grep(lines, question),
    }
    home = Path(tempfile.mkdtemp())
    try:
        written(lines, home)
        config = "timezone: UTC\nmemory: {workspace: {daily_log_retention_days: 36500}}\n"
        (home / "config.yaml").write_text(config)
        with open_home(home, {}) as soul:
            agent = soul.agent()

            def ours(question: str) -> Found:
                found = Found()
                for hit in agent.recall(question, session=Session.dm(), limit=150).hits:
                    span = range(hit.chunk.start_line, hit.chunk.end_line + 1)
                    turns = {at[hit.chunk.path, n] for n in span if (hit.chunk.path, n) in at}
                    if not found.take(f"{hit.chunk.speaker}: {hit.chunk.text}", turns):
                        break
                return found

            systems["Oldsoul"] = ours
            for item in sample["qa"]:
                good = {one for each in item["evidence"] for one in ID.findall(each)} & known
                if item["category"] in (1, 2, 3, 4) and good:
                    for name, system in systems.items():
                        shares.setdefault(name, []).append(len(good & system(str(item["question"])).turns) / len(good))
    finally:
        shutil.rmtree(home)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--report", action="store_true", help="the seven conversations that were not tuned on")
    given = parser.parse_args()
    shares: dict[str, list[float]] = {}
    for sample in json.loads(given.data.read_text("utf-8")):
        if (sample["sample_id"] in TUNING) != given.report:
            ask(sample, shares)
    table = {name: round(sum(found) / len(found), 4) for name, found in sorted(shares.items())}
    result = {"held out" if given.report else "tuning": table, "questions": len(next(iter(shares.values())))}
    print(json.dumps(result, indent=2))
    (HERE / "results").mkdir(exist_ok=True)
    name = f"recall-markdown-{'report' if given.report else 'tuning'}.json"
    (HERE / "results" / name).write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
