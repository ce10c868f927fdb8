"""LoCoMo as dated Markdown files: how much of the evidence stands in 1,500 tokens of results, side by side.

    python -m bench.recall_markdown --data locomo10.json [--report] [--systems oldsoul,fts5,chroma]

Every system cuts the files the way it does; those that cut none get pieces of about 400 tokens.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.recall import arguments, compared, kept
from bench.systems import DEFAULT, open_system
from bench.systems.texts import File

from oldsoul.ranking.chunks import estimated_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.recall import Sample, Tally
    from bench.systems.texts import Piece
    from bench.systems.vectors import Vectors

_BUDGET = 1500
_ENOUGH = 150
_NAMES = ("share within 1,500 tokens", "tokens used", "pieces")


def files_of(sample: Sample) -> tuple[list[File], dict[tuple[str, int], str]]:
    """The files, one turn a line; and which turn stands in which line."""
    texts: dict[str, list[str]] = {}
    at: dict[tuple[str, int], str] = {}
    session = ""
    for turn in sample.turns:
        path = f"memory/{turn.said:%Y-%m-%d}.md"
        body = texts.setdefault(path, [f"# {turn.said:%Y-%m-%d}"])
        if turn.session != session:
            body += ["", f"## {turn.said:%Y-%m-%d %H:%M} UTC", ""]
            session = turn.session
        body.append(f"{turn.speaker}: {' '.join(turn.text.split())}")
        at[path, len(body)] = turn.key
    return [File(path, "\n".join(body) + "\n") for path, body in texts.items()], at


def within(found: Iterable[Piece], at: dict[tuple[str, int], str]) -> tuple[set[str], int, int]:
    """The turns in the results that fit, in their order, with their tokens and how many they are."""
    turns: set[str] = set()
    spent = count = 0
    for piece in found:
        cost = estimated_tokens(piece.text)
        if count and spent + cost > _BUDGET:
            break
        spent += cost
        count += 1
        turns |= {at[piece.path, line] for line in range(piece.first, piece.last + 1) if (piece.path, line) in at}
    return turns, spent, count


def ask(system: str, sample: Sample, vectors: Vectors, tally: Tally) -> None:
    """Give one conversation to a fresh system as files and ask its questions."""
    files, at = files_of(sample)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        start = time.perf_counter()
        opened = open_system(system, Path(folder) / "store", vectors)
        opened.files(files)
        opened.ready(lambda _: None)
        tally.build += time.perf_counter() - start
        opened.ask("warm up", 5)
        for question, category, good in sample.questions:
            found = tally.timed(partial(opened.ask, question, _ENOUGH))
            turns, spent, count = within(found, at)
            tally.per[category].append((len(good & turns) / len(good), spent, count))
        opened.close()


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__)
    parser.set_defaults(systems=DEFAULT.replace("fts5", "fts5,fts5-lines"))
    kept(compared(parser.parse_args(), _NAMES, ask), _NAMES, _NAMES[0], "recall-markdown")


if __name__ == "__main__":
    main()
