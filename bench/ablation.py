"""Each rule of recall switched off alone: what is found without it, what it costs, and how many lines it takes.

    python -m bench.ablation [--locomo locomo10.json] [--longmemeval file.json] [--sets people,notes] [--rules pairs,once]
                             [--every 4] [--together] [--homes folder] [--keep run.json] [--against run.json] [--report]

Every question goes through the public `recall` with default settings. Without --locomo and --longmemeval only the sets of
bench/data are asked. `--rules none` measures the system as it is. With --together the rules are switched off as one; --keep
writes what every question got, --against compares with such a file from another version of the code. Nothing is tuned again.
--homes keeps the memories, which take longest to make, for the next run of the same version.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import random
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.recall import samples
from bench.recall_assistant import HERE, histories
from bench.recall_notes import NOTES, files_of, questions_of
from bench.systems import open_system
from bench.systems.vectors import vectors_called

from oldsoul.ranking.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from bench.recall_notes import Line
    from bench.systems.texts import Piece

_LIMIT, _CUT = 20, 10
_POOLED = 25
"""So many histories of LongMemEval are one memory: alone each holds little but the answer."""
_DRAWS = 1000
_OF_A_DAY = (("What did we talk about yesterday?", 1), ("What happened two days ago?", 2))
_UPDATES = "knowledge-update"


class Question(NamedTuple):
    """A question, and what answers it."""

    text: str
    when: datetime | None
    good: tuple[Callable[[Piece], bool], ...]
    """says of a piece whether it has one part of the evidence; the newest part last, where `newest`"""
    newest: bool = False
    """whether the parts are older and newer values of one thing"""


class Store(NamedTuple):
    """A memory, and the questions that are asked of it."""

    fill: Callable[[Any], None]
    """puts it into a system"""
    questions: tuple[Question, ...]


class Found(NamedTuple):
    """What a question got."""

    ten: float
    """the share of the evidence among the first ten"""
    first: float
    """whether the first is evidence"""
    newest: float | None
    """whether the newer value comes before the older, where there are two"""
    ms: float
    """of the processor"""


# the sets


def _fill(how: str, given: object) -> Callable[[Any], None]:
    """Puts something into a system, by one of its verbs."""
    return lambda system: getattr(system, how)(given)


def _is(key: str) -> Callable[[Piece], bool]:
    return lambda piece: piece.key == key


def _people(data: Path, *, report: bool) -> Iterator[Store]:
    """Talk of two people: LoCoMo's conversations."""
    for sample in samples(data, report=report):
        asked = (Question(text, None, tuple(map(_is, sorted(good)))) for text, _, good in sample.questions)
        yield Store(_fill("turns", sample.turns), tuple(asked))


def _days(data: Path, *, report: bool) -> Iterator[Store]:
    """What was said on some day, asked on a later one: all conversations of LoCoMo in one memory."""
    turns = [
        turn._replace(key=f"{sample.name} {turn.key}", session=f"{sample.name} {turn.session}")
        for sample in samples(data, report=report)
        for turn in sample.turns
    ]
    days: dict[datetime, list[str]] = {}
    for turn in turns:
        days.setdefault(turn.said.replace(hour=12, minute=0), []).append(turn.key)
    asked = [
        Question(text, day + timedelta(days=ago), tuple(map(_is, keys)))
        for day, keys in days.items()
        for text, ago in _OF_A_DAY
    ]
    yield Store(_fill("turns", turns), tuple(asked))


def _assistant(files: Iterable[Path], pooled: int = _POOLED) -> Iterator[Store]:
    """Talk with an assistant; of LongMemEval so many histories are one memory."""
    for file in files:
        found = list(histories(file, 1_000_000))
        together = pooled if len(found[0].questions) == 1 else 1
        for at in range(0, len(found), together):
            some = found[at : at + together]
            turns = {turn.key: turn for history in some for turn in history.turns}
            asked = [
                Question(
                    one.text,
                    one.when,
                    tuple(map(_is, sorted(one.good, key=lambda key: turns[key].said))),
                    one.kind == _UPDATES and len({turns[key].session for key in one.good}) > 1,
                )
                for history in some
                for one in history.questions
                if one.good
            ]
            yield Store(_fill("turns", sorted(turns.values(), key=lambda turn: turn.said)), tuple(asked))


def _languages(files: Iterable[Path]) -> Iterator[Store]:
    """Memories in other languages than English, remembered by the verb."""
    for file in files:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
        memories = list(dict.fromkeys(line["memory"] for line in lines))
        asked = (Question(line["question"], None, (_tells(line["memory"]),)) for line in lines)
        yield Store(_fill("remembered", memories), tuple(asked))


def _tells(memory: str) -> Callable[[Piece], bool]:
    return lambda piece: memory in piece.text


def _has(lines: Iterable[Line]) -> Callable[[Piece], bool]:
    return lambda piece: any(line.stands_in(piece) for line in lines)


def _notes(folders: Iterable[Path]) -> Iterator[Store]:
    """Folders of notes."""
    for folder in folders:
        files = files_of(folder)
        asked = tuple(
            Question(
                one.text,
                one.when,
                tuple(map(_has, one.lines)),
            )
            for one in questions_of(folder, files)
            if one.lines
        )
        yield Store(_fill("files", files), asked)


def sets(given: argparse.Namespace) -> dict[str, list[Store]]:
    """The sets that are asked, by name."""
    data = HERE / "data"
    kinds = ("report", "told-report") if given.report else ("tuning", "told-tuning")
    languages = sorted(data.joinpath("languages").glob("*.jsonl"))
    found: dict[str, Iterator[Store]] = {
        "told": _assistant(data / "assistant" / f"{kind}.json" for kind in kinds),
        "languages": _languages(file for file in languages if file.stem not in ("across", "cjk")),
        "across": _languages(file for file in languages if file.stem in ("across", "cjk")),
        "notes": _notes(sorted(path for path in NOTES.iterdir() if path.is_dir())),
    }
    if given.longmemeval:
        long = _assistant([given.longmemeval], 1_000_000)
        found = {"assistant": _assistant([given.longmemeval]), "long assistant": long, **found}
    if given.locomo:
        talk = {"people": _people, "days": _days}
        found = {**{name: made(given.locomo, report=given.report) for name, made in talk.items()}, **found}
    names = given.sets.split(",") if given.sets else list(found)
    chosen = {name: list(found[name]) for name in names}
    for stores in chosen.values():  # every so many questions, evenly over all memories of a set
        at = 0
        for number, store in enumerate(stores):
            kept = tuple(one for n, one in enumerate(store.questions, at) if n % given.every == 0)
            at += len(store.questions)
            stores[number] = store._replace(questions=kept)
        stores[:] = [store for store in stores if store.questions]
    return chosen


# the rules


class Rule(NamedTuple):
    """A rule, and how it is switched off."""

    name: str
    holds: str = ""
    """modules, and functions in them (`module:name`), below `oldsoul`, that it alone needs"""
    weights: dict[str, float] = {}  # noqa: RUF012 - read only
    """weights it goes without"""
    swaps: dict[str, Any] = {}  # noqa: RUF012 - read only
    """what stands in the place of a name (`module:name`) below `oldsoul`"""

    @property
    def lines(self) -> int:
        """How many lines it takes, as far as they stand by themselves."""
        found = 2 * len(self.weights)
        for name in self.holds.split():
            found += len(inspect.getsourcelines(_named(name))[0])
        return found

    @contextmanager
    def off(self) -> Iterator[None]:
        """The rule switched off."""
        with ExitStack() as stack:
            if self.weights:
                _swap(stack, "ranking.order:_WEIGHTS", replace(Weights(), **self.weights))
            for name, other in self.swaps.items():
                _swap(stack, name, other)
            yield


def _named(name: str) -> Any:
    module, _, attributes = name.partition(":")
    found: Any = import_module(f"oldsoul.{module}")
    for attribute in filter(None, attributes.split(".")):
        found = getattr(found, attribute)
    return found


def _swap(stack: ExitStack, name: str, other: Any) -> None:
    module, _, attributes = name.partition(":")
    *path, last = attributes.split(".")
    owner = _named(":".join(filter(None, (module, ".".join(path)))))
    stack.callback(setattr, owner, last, getattr(owner, last))
    setattr(owner, last, other)


def _first_come(chunks: Sequence[Any], *_: Any) -> tuple[list[int], frozenset[int]]:
    return list(range(len(chunks))), frozenset()


def _no_rows(stock: Any, rows: Any, distance: int, seen: Any) -> Any:  # noqa: ARG001 - in the place of `_around`
    return _named("adapters.index.candidates:np").unique(rows)


def _without(*marks: str) -> dict[str, Any]:
    """Pieces without some marks, for those who fit them to a question."""
    has = _named("ranking.scoring:has")
    none = {_named(f"ranking.marks:Mark.{mark}") for mark in marks}
    return {"ranking.scoring:has": lambda pool, mark: has(pool, mark) & (mark not in none)}


def _kinds(*names: str) -> dict[str, Any]:
    """Questions that want no answer of some kinds."""
    kind, off = _named("ranking.question:_kind"), _named("ranking.question:_FLAGS")
    none = sum(off[name] for name in names)
    return {"ranking.question:_kind": lambda text, code: kind(text, code) & ~none}


def _zeros(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 0.0)


def rules() -> tuple[Rule, ...]:
    """All that can be switched off, by the rooms they stand in."""
    scoring, question = "ranking.scoring", "ranking.question"
    return (
        Rule("pairs", "ranking.lexical:_pairs", _zeros("pairs")),
        Rule("timely", "ranking.question:_timely ranking.scoring:_meet_times", swaps={"ranking.question:_timely": lambda *_: ()}),
        Rule("time candidates", "adapters.index.candidates:_then", swaps={"ranking.question:Question.moments": ()}),
        Rule("day beside", swaps={"ranking.scoring:_BESIDE": 0.0}),
        Rule("event", weights=_zeros("event")),
        Rule("likes", weights=_zeros("likes")),
        Rule("money", weights=_zeros("money")),
        Rule("changes", weights=_zeros("changes")),
        Rule("joined in question", swaps={"ranking.question:joined": lambda _: []}),
        Rule("newer first", "recall.newer", swaps={"recall:newer_first": _first_come}),
        Rule("who speaks", "ranking.people", _zeros("speaker", "first_person")),
        Rule("asker", weights=_zeros("asker")),
        Rule("agent's words", weights=_zeros("agent")),
        Rule("agent lends less", weights={"agent_lends": 1.0}),
        Rule("neighbours' scores", f"{scoring}:Neighbours.smoothed", _zeros("before_words", "before_vectors", "answers")),
        Rule("neighbours as candidates", "adapters.index.candidates:_around", swaps={"adapters.index.candidates:_around": _no_rows}),
        Rule("answers", weights=_zeros("answers")),
        Rule("two away", weights=_zeros("two_away")),
        Rule("nearby coverage", f"{scoring}:Neighbours.nearby", swaps={f"{scoring}:_SHARES": {1: 0.0, 2: 0.0}}),
        Rule("document", f"{scoring}:best_of_documents", _zeros("session")),
        Rule("list: document, members", weights={"session_list": 1.0, "members_list": 1.0}),
        Rule("coverage", f"{scoring}:_covered", _zeros("coverage")),
        Rule("classes", f"{question}:_lists {question}:_belonging {question}:members ranking.lexical:_members", swaps={f"{question}:members": lambda *_: ()}),
        Rule("identifier", weights=_zeros("identifier")),
        Rule("word vectors", "ranking.vectors", _zeros("vectors", "late", "late_foreign")),
        Rule("late interaction", weights=_zeros("late", "late_foreign")),
        Rule("late in other languages", weights={"late_foreign": Weights().late}),
        Rule("best sentence", "ranking.vectors:_sentences", _zeros("sentence")),
        Rule("content vector", weights=_zeros("content")),
        Rule("sentence encoder", f"{scoring}:_read", _zeros("read")),
        Rule("kinds: time", weights=_zeros("when")),
        Rule("kinds: name", weights=_zeros("name")),
        Rule("kinds: number", weights=_zeros("count")),
        Rule("kinds: said by the agent", swaps=_kinds("said")),
        Rule("dates", f"{scoring}:_dated", _zeros("month", "day", "days", "day_alone")),
        Rule("asks", weights=_zeros("asks")),
        Rule("length", weights=_zeros("length")),
        Rule("spoken form", f"{question}:_spoken", swaps={f"{question}:_spoken": lambda text, *_: text}),
        Rule("word families by prefix", "", _zeros("kin", "related")),
        Rule("spelling", "ranking.spelling recall.questions:Spelling", swaps={"recall.questions:Spelling.read": lambda *_: {}}),
        Rule("lexicon", "ranking.translations", swaps={"recall.questions:abroad": lambda _: ()}),
        Rule("scripts apart", swaps={f"{scoring}:other_script": lambda pool, _: pool.flags < 0}),
        Rule("own language", "recall.questions:Asking.in_own_language", swaps={"recall.questions:Asking.in_own_language": lambda *_: None}),
        Rule("endings cut", f"{question}:_cut", swaps={f"{question}:_cut": lambda lows, _: lows}),
        Rule("capitals", f"{question}:_capitals", swaps={f"{question}:_capitals": lambda _: frozenset()}),
        Rule("least spreads", swaps={f"{scoring}:{name}": 0.0 for name in ("_APART", "_APART_LATE", "_APART_DOCUMENTS")}),
        Rule("age", "ranking.order:_youth", _zeros("age")),
        Rule("fading, doubt", "ranking.order:faded", _zeros("doubt")),
        Rule("archived, derived", weights=_zeros("archived", "derived")),
        Rule("once", "recall.repeats", swaps={"recall:may_repeat": lambda _: False}),
    )  # fmt: skip


# asking


class Bench:
    """Memories that are filled once and asked again and again."""

    def __init__(self, chosen: dict[str, list[Store]], folder: Path) -> None:
        vectors = vectors_called("encoder")
        self._opened: dict[str, list[tuple[Any, Store]]] = {}
        for name, stores in chosen.items():
            self._opened[name] = []
            for number, store in enumerate(stores):
                print(f"\rfilling {name}: {number + 1} of {len(stores)}", end="", file=sys.stderr, flush=True)
                home = folder / f"{name}-{number}"
                is_kept = home.exists()
                system = open_system("oldsoul", home, vectors)
                if not is_kept:
                    store.fill(system)
                    system.ready(lambda _: None)
                system.asked = store.questions[0].when
                system.ask("What is usual here?", _LIMIT)  # which is worked out by the first question
                self._opened[name].append((system, store))
            print(file=sys.stderr)

    def asked(self) -> dict[str, list[Found]]:
        """What all questions get now, by sets."""
        gc.collect()
        return {
            name: [_answered(system, one) for system, store in opened for one in store.questions]
            for name, opened in self._opened.items()
        }

    def close(self) -> None:
        """Close them."""
        for system, _ in (each for opened in self._opened.values() for each in opened):
            system.close()


def _answered(system: Any, one: Question) -> Found:
    system.asked = one.when
    begun = time.process_time()
    pieces = system.ask(one.text, _LIMIT)
    took = (time.process_time() - begun) * 1000
    held = [any(good(piece) for piece in pieces[:_CUT]) for good in one.good]
    first = any(good(piece) for good in one.good for piece in pieces[:1])
    newest = None
    if one.newest:
        newest = next((float(one.good[-1](p)) for p in pieces if any(good(p) for good in one.good)), 0.0)
    return Found(mean(held), float(first), newest, took)


# figures


def figures(found: Sequence[Found]) -> str:
    """The figures of a set as it is."""
    told = f"{mean(one.ten for one in found):.3f} / {mean(one.first for one in found):.3f}"
    newest = [one.newest for one in found if one.newest is not None]
    return f"{told}; newest {sum(newest):.0f} of {len(newest)}" if newest else told


def change(before: Sequence[Found], now: Sequence[Found]) -> str:
    """What changed, in points, with questions gained and lost; a star where chance does not explain it."""
    told = []
    for name in ("ten", "first"):
        apart = [getattr(b, name) - getattr(a, name) for a, b in zip(before, now, strict=True)]
        gained, lost = sum(d > 0 for d in apart), sum(d < 0 for d in apart)
        star = "*" if _is_sure(apart) else ""
        told.append(f"{100 * mean(apart):+.1f}{star} ({gained}/{lost})" if gained or lost else "0")
    both = [(a.newest, b.newest) for a, b in zip(before, now, strict=True) if a.newest is not None]
    newest = sum((b or 0) - (a or 0) for a, b in both)
    return ", ".join(told) + (f"; newest {newest:+.0f}" if newest else "")


def _is_sure(apart: Sequence[float]) -> bool:
    """Whether 95 of 100 draws of as many questions leave zero out."""
    draw = random.Random(1)  # noqa: S311 - draws that are the same each time
    some = [each for each in apart if each]
    if len(some) < 5:
        return False
    sums = sorted(sum(draw.choices(apart, k=len(apart))) for _ in range(_DRAWS))
    return sums[int(0.025 * _DRAWS)] > 0 or sums[int(0.975 * _DRAWS)] < 0


def _row(name: str, lines: object, before: dict[str, list[Found]], now: dict[str, list[Found]]) -> str:
    cells = [change(before[name], now[name]) for name in before]
    times = [median(b.ms for b in now[name]) / median(a.ms for a in before[name]) for name in before]
    return f"| {name} | {lines} | {' | '.join(cells)} | {mean(times):.2f} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locomo", type=Path, help="LoCoMo's conversations: talk of people")
    parser.add_argument("--longmemeval", type=Path, help="questions in LongMemEval's format: talk with an assistant")
    parser.add_argument("--report", action="store_true", help="what was not tuned on")
    parser.add_argument("--sets", default="", help="names with commas between")
    parser.add_argument("--rules", default="", help="names with commas between; none for the system as it is")
    parser.add_argument("--together", action="store_true", help="switch them off as one")
    parser.add_argument("--every", type=int, default=1, help="ask one of so many questions")
    parser.add_argument("--homes", type=Path, help="where the memories are kept for the next run")
    parser.add_argument("--keep", type=Path, help="where to write what every question got")
    parser.add_argument("--against", type=Path, help="what another version of the code got")
    given = parser.parse_args()
    names = given.rules.split(",") if given.rules else []
    chosen = [rule for rule in rules() if not names or rule.name in names]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bench = Bench(sets(given), given.homes or Path(folder))
        before = bench.asked()
        print("| | lines | " + " | ".join(f"{name} ({len(some)})" for name, some in before.items()) + " | time |")
        print("|---|---:|" + "---|" * len(before) + "---:|")
        print("| as it is | | " + " | ".join(map(figures, before.values())) + " | 1 |", flush=True)
        if given.keep:
            given.keep.write_text(json.dumps(before), "utf-8")
        if given.against:
            earlier = json.loads(given.against.read_text("utf-8"))
            then = {name: [Found(*one) for one in earlier[name]] for name in before}
            print(_row("against the other version", "", then, before))
        if given.together:
            with ExitStack() as stack:
                for rule in chosen:
                    stack.enter_context(rule.off())
                print(
                    _row(" + ".join(rule.name for rule in chosen), sum(r.lines for r in chosen), before, bench.asked())
                )
            chosen = []
        for rule in chosen:
            with rule.off():
                now = bench.asked()
            print(_row(rule.name, rule.lines, before, now), flush=True)
        bench.close()


if __name__ == "__main__":
    main()
