"""The whole way from talk to an answer: what `agent.context` hands over, read by any model and judged by another.

    python -m bench.answers write --data locomo10.json --to FOLDER [--report] [--most 140] [--store FOLDER]
    python -m bench.answers score --to FOLDER

`write` asks Oldsoul for the context of each question, and puts beside it what SQLite FTS5 finds, with the turns before and
after, by session and in time order, at the same length (`fts5`). It prints what needs no model: the share of questions
whose whole evidence is in the context, the share of its lines that are evidence, and what it costs. FOLDER then has
`CONDITION.jsonl` (number, question, context: what a reader gets) and `gold.jsonl` (number, question, answer: what a judge
gets). A reader writes `CONDITION.answers.jsonl` (number, answer), a judge `CONDITION.judged.jsonl` (number, right: 1, .5
or 0). `score` prints the mean of each condition. With --others the questions of another store are asked: nothing fits.

The data are LoCoMo's, or LongMemEval's with the sessions of all its questions in one store.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.recall import ANSWERABLE, samples
from bench.recall_assistant import histories
from bench.systems.fts5 import Fts5
from bench.systems.oldsoul import Ours
from bench.systems.vectors import vectors_called

from oldsoul.adapters.tokens import counter
from oldsoul.testing import FrozenClock
from oldsoul.values.context import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.systems.texts import Turn

_COUNT = counter("o200k")
_SEED = 7


class Question(NamedTuple):
    """A question to a store."""

    text: str
    kind: str
    answer: str
    good: frozenset[str]
    """the turns that hold its evidence"""
    when: datetime


class Store(NamedTuple):
    """Talk, and what is asked about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


class Handed(NamedTuple):
    """What a question was given."""

    context: str
    tokens: int
    keys: tuple[str, ...]
    """the turns in it"""
    answer: str = ""
    """what recall said of it"""
    ms: float = 0.0


def stores(data: Path, *, report: bool) -> Iterator[Store]:
    """The stores of a file."""
    raw = json.loads(data.read_text("utf-8"))
    if "haystack_sessions" in raw[0]:
        yield _one_store(data, raw)
        return
    answers = {
        (one["sample_id"], str(item["question"])): str(item.get("answer", "")) for one in raw for item in one["qa"]
    }
    for sample in samples(data, report=report):
        after = max(turn.said for turn in sample.turns) + timedelta(days=1)
        asked = [
            Question(text, str(kind), answers[sample.name, text], good, after)
            for text, kind, good in sample.questions
            if kind in ANSWERABLE
        ]
        yield Store(sample.name, sample.turns, tuple(asked))


def _one_store(data: Path, raw: list[dict[str, Any]]) -> Store:
    """The sessions of all questions together; a session that several questions bring is taken once."""
    turns: dict[str, Turn] = {}
    asked = []
    answers = {one["question"]: str(one["answer"]) for one in raw}
    for history in histories(data, len(raw)):
        turns |= {turn.key: turn for turn in history.turns}
        asked += [Question(q.text, q.kind, answers[q.text], q.good, q.when) for q in history.questions if q.good]
    return Store(data.stem, tuple(sorted(turns.values(), key=lambda turn: turn.said)), tuple(asked))


def ours(store: Store, questions: Sequence[Question], folder: Path) -> list[Handed]:
    """What the context hands over, asked in a direct message of the operator."""
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    is_new = not (folder / "config.yaml").exists()
    system = Ours(folder, vectors_called("static"), clock=clock)
    if is_new:
        system.turns(store.turns)
        system.ready(lambda _: None)
    found = []
    for question in questions:
        clock.advance(question.when - clock.now())
        start = time.process_time()
        made = system.context(question.text)
        took = (time.process_time() - start) * 1000
        keys = [system.key(one.entry) for one in made.included if one.slot in (Slot.CORRECTIONS, Slot.RECALL)]
        found.append(Handed(made.block, _COUNT(made.block), tuple(filter(None, keys)), made.answer, took))
    system.close()
    return found


def fts5(store: Store, questions: Sequence[Question], lengths: Sequence[int]) -> list[Handed]:
    """FTS5's hits with the turns before and after, by session, in time order, up to the length the other had."""
    place = {turn.key: n for n, turn in enumerate(store.turns)}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        system = Fts5(Path(folder), vectors_called("static"))
        system.turns(store.turns)
        for question, length in zip(questions, lengths, strict=True):
            taken: set[int] = set()
            shown = ""
            for piece in system.ask(question.text, 60):
                at = place[piece.key]
                near = {n for n in (at - 1, at, at + 1) if _beside(store, n, at)}
                text = _laid_out(store, taken | near)
                if _COUNT(text) > length:
                    break
                taken, shown = taken | near, text
            found.append(Handed(shown, _COUNT(shown), tuple(store.turns[n].key for n in sorted(taken))))
        system.close()
    return found


def _beside(store: Store, n: int, at: int) -> bool:
    return 0 <= n < len(store.turns) and store.turns[n].session == store.turns[at].session


def _laid_out(store: Store, taken: set[int]) -> str:
    sessions: dict[str, list[int]] = defaultdict(list)
    for n in sorted(taken):
        sessions[store.turns[n].session].append(n)
    lines = []
    for own in sessions.values():
        lines.append(f"## {store.turns[own[0]].said:%Y-%m-%d %H:%M}")
        for before, n in zip([None, *own], own, strict=False):
            if before is not None and n != before + 1:
                lines.append("…")
            lines.append(f"{store.turns[n].speaker}: {store.turns[n].text}")
    return "\n".join(lines)


def write(given: argparse.Namespace) -> None:
    """Write what each condition hands over, and print what can be said without a model."""
    given.to.mkdir(parents=True, exist_ok=True)
    every = list(stores(given.data, report=given.report))
    rows: dict[str, list[tuple[Question, Handed]]] = defaultdict(list)
    for at, store in enumerate(every):
        chance = random.Random(f"{_SEED}{store.name}")  # noqa: S311 - a bench
        asked = every[at - 1].questions if given.others else store.questions
        most = max(given.most // len(every), 1)
        questions = sorted(chance.sample(asked, min(most, len(asked))), key=asked.index)
        print(f"{store.name}: {len(store.turns)} turns, {len(questions)} questions", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as passing:
            folder = given.store / store.name if given.store else Path(passing) / "home"
            folder.mkdir(parents=True, exist_ok=True)
            own = ours(store, questions, folder)
        rows["ours"] += zip(questions, own, strict=True)
        rows["fts5"] += zip(questions, fts5(store, questions, [one.tokens for one in own]), strict=True)
    for condition, handed in rows.items():
        lines = [
            {"number": n, "question": q.text, "asked": f"{q.when:%Y-%m-%d}", "context": one.context}
            for n, (q, one) in enumerate(handed)
        ]
        _put(given.to / f"{condition}.jsonl", lines)
        print(json.dumps({"condition": condition, **strict(handed)}))
    _put(
        given.to / "gold.jsonl",
        [
            {"number": n, "question": q.text, "kind": q.kind, "answer": q.answer}
            for n, (q, _) in enumerate(rows["ours"])
        ],
    )


def strict(handed: Sequence[tuple[Question, Handed]]) -> dict[str, Any]:
    """What can be counted without a model."""
    kinds: dict[str, list[float]] = defaultdict(list)
    for question, one in handed:
        kinds[question.kind].append(float(question.good <= set(one.keys)))
    lines = [len(one.keys) for _, one in handed]
    return {
        "questions": len(handed),
        "whole evidence": round(mean(value for values in kinds.values() for value in values), 4),
        "part of it": round(mean(len(q.good & set(one.keys)) / len(q.good) for q, one in handed), 4),
        "lines that are evidence": round(sum(len(q.good & set(one.keys)) for q, one in handed) / max(sum(lines), 1), 4),
        "turns": round(mean(lines), 1),
        "tokens": round(mean(one.tokens for _, one in handed)),
        "nothing handed over": round(mean(not one.keys for _, one in handed), 4),
        "p50 CPU ms": round(median(one.ms for _, one in handed), 1),
        "by kind": {kind: round(mean(values), 3) for kind, values in sorted(kinds.items())},
    }


def score(given: argparse.Namespace) -> None:
    """Print how many answers were right."""
    gold = {row["number"]: row for row in _rows(given.to / "gold.jsonl")}
    for path in sorted(given.to.glob("*.judged.jsonl")):
        judged = {row["number"]: float(row["right"]) for row in _rows(path)}
        kinds: dict[str, list[float]] = defaultdict(list)
        for number, right in judged.items():
            kinds[gold[number]["kind"]].append(right)
        print(
            json.dumps(
                {
                    "condition": path.name.partition(".")[0],
                    "judged": len(judged),
                    "of": len(gold),
                    "right": round(mean(judged.values()), 4),
                    "by kind": {kind: round(mean(values), 3) for kind, values in sorted(kinds.items())},
                }
            )
        )


def _put(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def main() -> None:
    """Write or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "score"))
    parser.add_argument("--data", type=Path, help="locomo10.json, or LongMemEval's form")
    parser.add_argument("--to", type=Path, required=True, help="the folder of contexts, answers and judgements")
    parser.add_argument("--report", action="store_true", help="LoCoMo's seven conversations that were not tuned on")
    parser.add_argument("--others", action="store_true", help="ask each store the questions of another one")
    parser.add_argument("--most", type=int, default=140, help="how many questions")
    parser.add_argument("--store", type=Path, help="where the homes are kept for the next run")
    given = parser.parse_args()
    (write if given.what == "write" else score)(given)


if __name__ == "__main__":
    main()
