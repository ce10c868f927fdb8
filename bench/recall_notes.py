"""Folders of notes, as people and their agents keep them, asked side by side: the lines that answer should come back.

    python -m bench.recall_notes [--notes a,b] [--systems oldsoul,fts5,chroma] [--show]

Every system cuts the files the way it does; those that cut none get pieces of about 400 tokens. So what counts is how
much of the evidence stands in the first results that fit into so many tokens. Questions that nothing in the notes
answers are asked of Oldsoul alone, which should say so. `--show` prints what is missed; see bench/data/notes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.recall import RESULTS, Tally
from bench.systems import DEFAULT, adapter, missing, open_system
from bench.systems.oldsoul import Ours
from bench.systems.texts import File
from bench.systems.vectors import vectors_called

from oldsoul.ranking.chunks import estimated_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.systems.texts import Piece
    from bench.systems.vectors import Vectors

NOTES = Path(__file__).parent / "data" / "notes"
NAMES = ("first 3", "first 6", "500 tokens", "1,500 tokens")
_PIECES, _TOKENS = (3, 6), (500, 1500)
_ENOUGH = 60
_NONE = "none"


class Line(NamedTuple):
    """A line of a note."""

    path: str
    """of which"""
    number: int
    """from 1"""
    heading: str
    """its words, where it is a heading"""

    def stands_in(self, piece: Piece) -> bool:
        """Whether a piece has it, or tells it as the heading that it stands under."""
        told = bool(self.heading) and self.heading in piece.text
        return piece.path == self.path and (told or piece.first <= self.number <= piece.last)


class Asked(NamedTuple):
    """A question."""

    text: str
    """as it is asked"""
    kind: str
    """what is hard about it"""
    lines: tuple[frozenset[Line], ...]
    """what answers it: of each part the lines any of which will do"""
    when: datetime
    """the day it is asked on, at its end"""


def files_of(folder: Path) -> list[File]:
    """The notes."""
    home = folder / "home"
    return [File(str(path.relative_to(home)), path.read_text("utf-8")) for path in sorted(home.rglob("*.md"))]


def questions_of(folder: Path, files: Sequence[File]) -> list[Asked]:
    """The questions, each with the lines its evidence stands in.

    Where one line answers it and others do as well, these stand in `alternates.jsonl`.
    """
    texts = {file.path: file.text.split("\n") for file in files}

    def line_of(each: dict[str, str]) -> Line:
        lines = enumerate(texts[each["path"]], 1)
        number, text = next((number, text) for number, text in lines if each["text"] in text)
        return Line(each["path"], number, text.lstrip("# ") if text.startswith("#") else "")

    others = {raw["q"]: raw["also"] for raw in _read(folder / "alternates.jsonl")}
    found = []
    for raw in _read(folder / "questions.jsonl"):
        lines = [{line_of(each)} for each in raw["evidence"]]
        if len(lines) == 1:
            lines[0] |= set(map(line_of, others.get(raw["q"], ())))
        when = datetime.fromisoformat(raw["as_of"]).replace(tzinfo=UTC) + timedelta(hours=23)
        found.append(Asked(raw["q"], raw["kind"], tuple(map(frozenset, lines)), when))
    return found


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def shares(found: Sequence[Piece], good: Sequence[frozenset[Line]]) -> tuple[float, ...]:
    """How much of the evidence is in the first pieces, and in those that fit."""
    covered = [
        {part for part, lines in enumerate(good) if any(line.stands_in(piece) for line in lines)} for piece in found
    ]
    cuts = list(_PIECES)
    for budget in _TOKENS:
        spent = count = 0
        for piece in found:
            spent += estimated_tokens(piece.text)
            if count and spent > budget:
                break
            count += 1
        cuts.append(count)
    return tuple(len(set().union(*covered[:cut])) / len(good) for cut in cuts)


def measured(system: str, folder: Path, vectors: Vectors, shown: list[str]) -> dict[str, Any]:
    """One system's figures for one folder."""
    files = files_of(folder)
    tally = Tally()
    kinds: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    said: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        opened = open_system(system, Path(base) / "store", vectors)
        opened.files(files)
        opened.ready(lambda _: None)
        opened.ask("warm up", 5)
        for one in questions_of(folder, files):
            opened.asked = one.when
            if isinstance(opened, Ours):
                said["none" if one.kind == _NONE else "answerable"][opened.answer(one.text)] += 1
            if one.kind == _NONE:
                continue
            found = tally.timed(partial(opened.ask, one.text, _ENOUGH))
            kinds[one.kind].append(shares(found, one.lines))
            if kinds[one.kind][-1][2] < 1:
                told = "".join(f"\n    {piece.path}:{piece.first} {piece.text[:110]!r}" for piece in found[:4])
                shown.append(f"{one.kind}: {one.text} -> {sorted(map(sorted, one.lines))} {kinds[one.kind][-1]}{told}")
        opened.close()
    every = [line for lines in kinds.values() for line in lines]
    return {
        "does": adapter(system).does,
        "n": len(every),
        **{name: round(sum(line[i] for line in every) / len(every), 4) for i, name in enumerate(NAMES)},
        "by kind": {
            kind: round(sum(line[2] for line in lines) / len(lines), 4) for kind, lines in sorted(kinds.items())
        },
        "p50_ms": round(sorted(tally.wall)[len(tally.wall) // 2], 2),
        "said": said,
    }


def as_table(systems: dict[str, Any]) -> str:
    """The figures as Markdown, in percent, the best first."""
    kinds = sorted({kind for held in systems.values() for kind in held.get("by kind", {})})
    heads = ["system", "compares by", *NAMES, *kinds, "p50 ms"]
    rows = ["| " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (len(heads) - 2)]
    for system, held in sorted(systems.items(), key=lambda item: -item[1].get(NAMES[2], -1.0)):
        if "note" in held:
            rows.append(f"| {system} | {held['does']} | {held['note']} |" + " |" * (len(heads) - 3))
            continue
        cells = [f"{held[name] * 100:.1f}" for name in NAMES] + [f"{held['by kind'][kind] * 100:.1f}" for kind in kinds]
        rows.append(f"| {system} | {held['does']} | {' | '.join(cells)} | {held['p50_ms']:.1f} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    there = sorted(path.name for path in NOTES.iterdir() if path.is_dir())
    parser.add_argument(
        "--notes", default=",".join(there), help="which folders of bench/data/notes, or paths of others"
    )
    parser.add_argument("--systems", default=DEFAULT, help="names with commas between")
    parser.add_argument("--vectors", default="encoder", help="what the systems compare by: encoder, static or minilm")
    parser.add_argument("--show", action="store_true", help="print what is missed within 500 tokens")
    given = parser.parse_args()
    systems, vectors = given.systems.split(","), vectors_called(given.vectors)
    absent = missing(systems)
    result: dict[str, Any] = {}
    for name in given.notes.split(","):
        held: dict[str, Any] = result.setdefault(Path(name).name, {})
        shown: list[str] = []
        for system in systems:
            print(f"{name}: {system}", file=sys.stderr, flush=True)
            note = {"does": adapter(system).does, "note": absent.get(system, "")}
            held[system] = note if system in absent else measured(system, NOTES / name, vectors, shown)
        print(f"Notes {Path(name).name}; by kind it is the share within {NAMES[2]}.\n\n{as_table(held)}")
        for system, each in held.items():
            for kind, counts in each.get("said", {}).items():
                print(f"{system} says of what is {kind}: {dict(counts)}")
        print("\n".join(shown) if given.show else "")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "recall-notes.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
