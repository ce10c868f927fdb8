"""Somebody's talks with an assistant, asked of Oldsoul and of systems people have: turns go in, the evidence should come back.

    python -m bench.recall_assistant [--data longmemeval_s.json] [--report] [--systems oldsoul,fts5] [--most 100]

Without --data two sets of our own in `bench/data/assistant` are asked: `tuning.json`, which was read while ranking was
tuned, or with --report `report.json`, which was not; with --told two others, which ask what an answer has to obey, for orders of
events, for summaries and for what the assistant said. --data takes the same form, or that of LongMemEval, where every question
brings its own history; --most asks only so many of these.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.plot import time_plot
from bench.recall import RESULTS, Tally
from bench.systems import DEFAULT, adapter, missing, open_system
from bench.systems.texts import Turn
from bench.systems.vectors import vectors_called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.systems.vectors import Vectors

HERE = Path(__file__).parent
NAMES = ("R@5", "R@10", "sessions@5")
_CUTS = (5, 10)
_DEEP = 30
_APART = timedelta(seconds=40)
_WHOLES = ("order", "summary")
"""Kinds of questions whose answer is spread over much talk: where a set has such, they are drawn."""


class Asked(NamedTuple):
    """A question."""

    text: str
    """its words"""
    kind: str
    """of what kind it is"""
    when: datetime
    """when it is asked"""
    good: frozenset[str]
    """the turns that answer it; empty where data only name sessions"""
    sessions: frozenset[str]
    """the sessions these are in"""


class History(NamedTuple):
    """What somebody and an assistant said, and questions about it."""

    turns: tuple[Turn, ...]
    questions: tuple[Asked, ...]


def histories(data: Path, most: int) -> Iterator[History]:
    """What a file holds, in our form or in LongMemEval's. Questions that nothing answers are left out."""
    raw = json.loads(data.read_text("utf-8"))
    if isinstance(raw, list) and raw and "haystack_sessions" in raw[0]:
        yield from map(_of_longmemeval, [one for one in raw if not one["question_id"].endswith("_abs")][:most])
        return
    for one in raw if isinstance(raw, list) else [raw]:
        turns = tuple(turn for s in one["sessions"] for turn in _turns(s["id"], _time(s["date"]), s["turns"]))
        asked = (
            Asked(
                q["question"],
                q["type"],
                _time(q["question_date"]),
                frozenset(f"{e['session']}:{e['turn']}" for e in q["evidence"]),
                frozenset(e["session"] for e in q["evidence"]),
            )
            for q in one["questions"]
        )
        yield History(turns, tuple(question for question in asked if question.good))


def _of_longmemeval(raw: dict[str, Any]) -> History:
    turns: list[Turn] = []
    good: set[str] = set()
    for name, day, said in zip(
        raw["haystack_session_ids"], raw["haystack_dates"], raw["haystack_sessions"], strict=True
    ):
        turns += _turns(name, _time(day), said)
        good |= {f"{name}:{n}" for n, turn in enumerate(said) if turn.get("has_answer")}
    asked = Asked(
        raw["question"],
        raw["question_type"],
        _time(raw["question_date"]),
        frozenset(good),
        frozenset(raw["answer_session_ids"]),
    )
    return History(tuple(sorted(turns, key=lambda turn: turn.said)), (asked,))


def _turns(session: str, begun: datetime, said: list[dict[str, Any]]) -> list[Turn]:
    return [
        Turn(f"{session}:{n}", session, begun + n * _APART, turn["role"].capitalize(), turn["content"], turn["role"])
        for n, turn in enumerate(said)
        if turn["content"].strip()
    ]


def _time(text: str) -> datetime:
    """ISO, or LongMemEval's `2023/05/20 (Sat) 02:21`."""
    if "/" in text:
        day, _, clock = text.partition(" (")
        return datetime.strptime(f"{day} {clock.partition(') ')[2]}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def ask(system: str, history: History, vectors: Vectors, tally: Tally, kinds: dict[str, int]) -> None:
    """Give one history to a fresh system and ask its questions."""
    place = {turn.key: turn.session for turn in history.turns}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        start = time.perf_counter()
        opened = open_system(system, Path(folder) / "store", vectors)
        opened.turns(history.turns)
        opened.ready(lambda _: None)
        tally.build += time.perf_counter() - start
        opened.ask("warm up", 5)
        for question in history.questions:
            opened.asked = question.when
            found = tally.timed(partial(opened.ask, question.text, _DEEP))
            order = [piece.key for piece in found if piece.key in place]
            good = question.good
            shown = [order[:cut] for cut in _CUTS]
            shares = [len(good & set(some)) / len(good) if good else 0.0 for some in shown]
            sessions = list(dict.fromkeys(place[key] for key in order))[:5]
            held = len(question.sessions & set(sessions)) / len(question.sessions)
            tally.per[kinds[question.kind]].append((*shares, held))
        opened.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="another set")
    parser.add_argument(
        "--told", action="store_true", help="the sets with instructions, preferences, orders, summaries"
    )
    parser.add_argument("--report", action="store_true", help="our set that was not tuned on")
    parser.add_argument("--systems", default=DEFAULT, help="names with commas between")
    parser.add_argument("--vectors", default="encoder", help="what the systems compare by: encoder, static or minilm")
    parser.add_argument("--most", type=int, default=1_000_000, help="how many questions of LongMemEval")
    given = parser.parse_args()
    which = f"{'told-' if given.told else ''}{'report' if given.report else 'tuning'}"
    taken = list(histories(given.data or HERE / "data" / "assistant" / f"{which}.json", given.most))
    systems = given.systems.split(",")
    absent, vectors = missing(systems), vectors_called(given.vectors)
    kinds: dict[str, int] = defaultdict(lambda: len(kinds))
    rows = {}
    for system in systems:
        if system in absent:
            print(f"{system}: {absent[system]}", file=sys.stderr)
            continue
        tally = Tally()
        for number, history in enumerate(taken, 1):
            print(f"\r{system}: {number} of {len(taken)}", end="", file=sys.stderr, flush=True)
            ask(system, history, vectors, tally, kinds)
        print(file=sys.stderr)
        rows[system] = {"does": adapter(system).does, **tally.table(NAMES)}
    names = {f"category {number}": kind for kind, number in kinds.items()}
    heads = ["system", *NAMES, *(f"{kind}, R@10" for kind in names.values()), "p50 ms"]
    print("| " + " | ".join(heads) + " |\n|---|" + "---:|" * (len(heads) - 1))
    for system, held in sorted(rows.items(), key=lambda item: -item[1]["all"]["R@10"]):
        cells = [f"{held['all'][name] * 100:.1f}" for name in NAMES]
        cells += [f"{held[key]['R@10'] * 100:.1f}" for key in names]
        print(f"| {system} | " + " | ".join([*cells, f"{held['p50_ms']:.1f}"]) + " |")
    RESULTS.mkdir(exist_ok=True)
    result = {"data": given.data.name if given.data else which, "kinds": names, "systems": rows}
    stem = f"recall-assistant-{given.data.stem if given.data else which}"
    (RESULTS / f"{stem}.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    wholes = [key for key, kind in names.items() if kind in _WHOLES] or ["all"]
    points = [(row["p50_ms"], mean(row[key]["R@10"] for key in wholes), name) for name, row in rows.items()]
    what = "Orders and summaries: turns" if "all" not in wholes else "Talks with an assistant: turns"
    asked = sum(row["n"] for key, row in next(iter(rows.values())).items() if key in wholes) if rows else 0
    time_plot(RESULTS / f"{stem}-time.svg", points, what, f"{asked} questions")


if __name__ == "__main__":
    main()
