"""Judgement measured: what the core decides without a model, with default settings, on talk and cases it was not fitted to.

python -m bench.judgement [--data folder] [--rows corrections,pairs,…] [--sample 40] [--show] [--jobs 2]

The folder holds conversations in the formats of LongMemEval (`*.json`) and EURTAD (`*.jsonl`), under any names. The cases
stand in bench/data/judgement; half of them are only reported on, and `--show` lists what went wrong in the other half. All that
memory kept and changed is listed with its message's id in bench/results/judgement.tsv; a person's labels of that (ids, no
words) stand in bench/data/judgement/labels.jsonl.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.homes import A_DAY, BEGUN, WEEKS, Asked, Home, Talk, asked, dialogues, home, messages, spread

from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oldsoul.values.recall import Hit, Recalled

    Case = dict[str, Any]
    Found = dict[str, bool | None]
    """figures of a case, each with whether it holds; None where it does not apply"""

HERE = Path(__file__).parent
_MARKS = ("earlier", "superseded", "corrected")
_BEFORE = re.compile(r"\b(previous|initially|earlier|first|used to)\b", re.IGNORECASE)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def has(text: str, value: str) -> bool:
    """Whether a text holds a value as whole words."""
    value, text = value.casefold(), text.casefold()
    if _UNSPACED.search(value):
        return value in text
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)(?![.,:/]\d)", text) is not None


def is_marked(hit: Hit, found: Recalled) -> bool:
    """Whether a hit is shown as one that something took the place of, or that is in doubt."""
    marked = any(getattr(part, name, None) for part in (hit, hit.chunk) for name in _MARKS)
    return marked or any(hit.chunk.entry in pair for pair in found.disagreeing)


def newer_first(found: Recalled, old: str, new: str, aside: Sequence[str] = ()) -> bool | None:
    """Whether the first hit that holds one of two values holds the newer; None where none does."""
    texts = [hit.chunk.text for hit in found.hits if not any(other in hit.chunk.text for other in aside)]
    return next((has(text, new) for text in texts if has(text, new) or has(text, old)), None)


# cases: each in a home of its own; given back are its figures, and what went wrong


def _told(one: Home, case: Case) -> None:
    """Facts are stored; a week later the message comes, after a reply where there is one, and the keepers run."""
    for fact in case["stored"]:
        one.agent.remember(fact)
    one.until(BEGUN + timedelta(days=7))
    if case.get("reply"):
        one.say(case["reply"], Session.dm(id="talk"), role="assistant")
    one.look("before")
    one.changed.clear()
    one.say(case["message"], Session.dm(id="talk"))
    one.end(Session.dm(id="talk"))
    one.until(one.clock.now() + timedelta(days=2))


def corrections(case: Case) -> tuple[Found, str]:
    """A stored fact is put right: the new value comes first, the old one is nowhere or marked."""
    old, new, kind = case["old"], case["new"], case["kind"]
    target = next(fact for fact in case["stored"] if has(fact, old))
    others = [fact for fact in case["stored"] if fact != target]
    with home(BEGUN) as one:
        _told(one, case)
        found = one.ask(re.sub(re.escape(old), " ", target, flags=re.IGNORECASE))
        shown = [hit for hit in found.hits if not is_marked(hit, found) and not hit.chunk.by_agent]
        texts = [hit.chunk.text for hit in shown if not any(other in hit.chunk.text for other in others)]
        first, beside = newer_first(found, old, new, others), [t for t in texts if has(t, old) and not has(t, new)]
        suggested = any(has(text, new) for _, text in one.suggested("open"))
        harmed = [
            text for what, _, text in one.changed if what in ("rewritten", "gone") and any(o in text for o in others)
        ]
    done = bool(first) and not beside
    figures: Found = {"understood": done, f"{kind} understood": done, "new value first": bool(first)}
    figures |= {"only suggested": suggested and not done, "another entry changed": bool(harmed)}
    return figures, "" if done and not harmed else f"first {first}, beside {beside}, harmed {harmed}"


def nocorrections(case: Case) -> tuple[Found, str]:
    """A message puts nothing right: no entry is changed, hidden or marked, and no correction is opened."""
    with home(BEGUN) as one:
        _told(one, case)
        kept = (
            one.agent.files.show("MEMORY.md").data or b""
        ).decode()  # a password among them is masked from the beginning
        hidden = [
            fact
            for fact in case["stored"]
            if fact in kept and not any(fact in hit.chunk.text for hit in one.ask(fact).hits)
        ]
        done = [each for each in one.changed if each[0] != "conflict"]
        figures: Found = {"memory changed": bool(done or hidden), "conflict opened": len(done) < len(one.changed)}
        figures |= {"something suggested": bool(one.suggested("open"))}
    return figures, f"{done} hidden {hidden}" if done or hidden else ""


def rooms(case: Case) -> tuple[Found, str]:
    """The operator corrected a fact; somebody says the wrong one again in a room: it does not come back as true."""
    old, new, again, harmless = case["old"], case["new"], case["again"], case["harmless"]
    place, back, lost = Session.group("lounge", id="lounge-1"), [], []
    with home(BEGUN) as one:
        one.agent.remember(case["wrong"])
        one.until(BEGUN + timedelta(days=3))
        one.agent.correct(case["right"], wrong=old, right=new)
        one.until(BEGUN + timedelta(days=6))
        one.say(again, place, subject="acct:7")
        one.say(harmless, place, subject="acct:8")
        one.end(place)
        one.until(one.clock.now() + timedelta(days=2))
        for session in (Session.group("lounge", id="lounge-2"), Session.dm(id="later")):
            found = one.ask(case["question"], session)
            lines = [hit.chunk.text for hit in found.hits if not is_marked(hit, found)]
            lines += one.agent.context(case["question"], session=session).block.splitlines()
            said = [line for line in lines if (has(line, old) or again in line) and not has(line, new)]
            said = [line for line in said if not any(mark in line.casefold() for mark in _MARKS)]
            back += [line for line in said if harmless not in line]
            lost += [] if any(harmless in hit.chunk.text for hit in one.ask(harmless, session).hits) else [session.id]
    return {"came back": bool(back), "harmless one hidden": bool(lost)}, f"back {back} lost {lost}" * bool(back or lost)


def pairs(case: Case) -> tuple[Found, str]:
    """Two entries contradict each other, or do not: a conflict is opened, or the older one gives way."""
    with home(BEGUN) as one:
        one.agent.remember(case["a"])
        one.until(BEGUN + timedelta(days=7))
        one.look("before")
        one.changed.clear()
        one.agent.remember(case["b"])
        one.until(one.clock.now() + timedelta(days=1))
        said, meant = bool(one.changed), case["conflict"]
    figures: Found = {"found": said if meant else None, "of those said right": meant if said else None}
    return figures, "" if said == meant else "missed" if meant else f"no conflict: {one.changed}"


def updates(case: Case) -> tuple[Found, str]:
    """Something is said, and weeks later something newer about it: the newer value comes first."""
    with home(BEGUN) as one:
        said = [case["older"], *case["noise"][::2], case["newer"], *case["noise"][1::2]]
        for number, text in enumerate(said):
            one.hear(Talk(f"talk-{number}", BEGUN + timedelta(days=5 * number), [("user", text, False)]))
        one.until(one.clock.now() + timedelta(days=2))
        first = newer_first(one.ask(case["question"]), case["old"], case["new"])
    silent = None if case["says_change"] else bool(first)
    return {
        "newer first": bool(first),
        "where nothing says that it changed": silent,
    }, "" if first else f"newer first: {first}"


def keep(some: Sequence[Case]) -> list[tuple[Found, str]]:
    """Messages that deserve memory, may, or do not, ten a day in one home."""
    with home(BEGUN) as one:
        for number, case in enumerate(some):
            begun = BEGUN + timedelta(days=number // 10, minutes=40 * (number % 10))
            one.hear(Talk(case["id"], begun, [("user", case["message"], False)]))
        one.until(one.clock.now() + timedelta(days=2))
        kept = {name.partition(":")[0]: text for name, text in one.kept()}
        suggested = {name.partition(":")[0] for names, _ in one.suggested() for name in names} - kept.keys()
    result = []
    for key, meant in ((case["id"], case["keep"]) for case in some):
        figures: Found = {f"'{meant}' kept": key in kept, f"'{meant}' suggested": key in suggested}
        missed = "missed" if meant == "yes" and key not in suggested | kept.keys() else ""
        result.append((figures, f"junk: {kept[key]}" if meant == "no" and key in kept else missed))
    return result


CASES = {row.__name__: row for row in (corrections, nocorrections, rooms, pairs, updates)}
TALK = ("talk", "newer", "answers", "review")
ROWS = (*CASES, "keep", *TALK)


def tell(*lines: str) -> None:
    """Print lines of the table."""
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def shares(found: Iterable[Found]) -> str:
    """Of how many each figure holds."""
    every = [pair for figures in found for pair in figures.items() if pair[1] is not None]
    holds, counted = Counter(name for name, value in every if value), Counter(name for name, _ in every)
    return ", ".join(f"{name} {holds[name]} of {counted[name]}" for name in counted)


def measure_cases(row: str, pool: ProcessPoolExecutor, options: argparse.Namespace) -> None:
    """A row of cases: the half that may be read, and the half that is only reported on."""
    lines = (HERE / "data" / "judgement" / f"{row}.jsonl").read_text("utf-8").splitlines()
    every = list(islice(map(json.loads, lines), options.sample))
    for half in ("dev", "report"):
        some = [case for case in every if case["half"] == half]
        found = pool.submit(keep, some).result() if row == "keep" else list(pool.map(CASES[row], some))
        tell(f"| {row}, {half} | {shares(figures for figures, _ in found)} |")
        if options.show and half == "dev":
            tell(*(f"  {case['id']} {wrong}" for case, (_, wrong) in zip(some, found, strict=True) if wrong))


# talk nobody here wrote


def lived(talks: Sequence[Talk], question: Asked | None = None) -> dict[str, Any]:
    """What came of talks, and of the question asked after them."""
    with home(talks[0].begun - timedelta(hours=1)) as one:
        for talk in talks:
            one.hear(talk)
        one.until(one.clock.now() + timedelta(days=2))
        kept, suggested = one.kept(), one.suggested()
        result: dict[str, Any] = {"messages": messages(talks), "days": len({talk.begun.date() for talk in talks})}
        result |= {"kept": kept, "changed": one.changed, "suggested": suggested, "open": len(one.suggested("open"))}
        if question is None:
            return result
        one.until(question.when)
        found = one.ask(question.question, when=question.when)
        rests = [one.came_from(hit) for hit in found.hits]
    turns = [(talk.id, n, role) for talk in talks for n, (role, _, answers) in enumerate(talk.turns) if answers]
    evidence = [f"{name}:{n}" for name, n, role in turns if role == "user"]
    named = {name for names, _ in suggested for name in names}, {name for name, _ in kept}
    result["facts"] = [{"kept": key in named[1], "suggested": key in named[0] - named[1]} for key in evidence]
    known = list(dict.fromkeys(key.rpartition(":")[0] for key in evidence))
    older, newer = ({key for key in evidence if key.rpartition(":")[0] in at} for at in (known[:1], known[-1:]))
    if question.kind == "knowledge-update" and older != newer:
        first = next((bool(newer & keys) for keys in rests if keys & (older | newer)), None)
        then = bool(_BEFORE.search(question.question))
        result["newer"] = {"newer first": first is True, "asked for what holds now": None if then else first is True}
        result["newer"] |= {"neither found": first is None}
    answerable = not question.id.endswith("_abs")
    return result | {"answer": found.answer, "sure": getattr(found, "confidence", None), "answerable": answerable}


def digest(text: str) -> str:
    """What names the words of an entry in a label, without giving them."""
    plain = " ".join(re.findall(r"\w+", re.sub(r"^\w+: |\(added [^)]*\)|#\w+", "", text).casefold()))
    return hashlib.sha256(plain.encode()).hexdigest()[:8]


def labelled(listed: Iterable[tuple[str, str, str]]) -> tuple[Counter[str], list[str]]:
    """How many of those listed (what, message, words) have which label, and all of them with theirs."""
    file = HERE / "data" / "judgement" / "labels.jsonl"
    every = map(json.loads, file.read_text("utf-8").splitlines() if file.exists() else ())
    known = {(one["of"], one["id"], one.get("words", "")): one["label"] for one in every}
    rows = []
    for what, by, text in sorted(set(listed)):
        of = "kept" if what == "kept" else "changed"
        label = known.get((of, by, digest(text))) or known.get((of, by, ""), "unlabelled")
        rows.append((label, what, by, digest(text), text))
    return Counter(row[0] for row in rows), ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]


def tell_talk(name: str, found: Sequence[dict[str, Any]]) -> list[str]:
    """What was put right and kept in talk; gives what is to be labelled."""
    count = sum(one["messages"] for one in found)
    changed = [tuple(each) for one in found for each in one["changed"] if each[0] != "conflict"]
    labels, listed = labelled(changed)
    false = labels.total() - labels["right"]
    kinds = ", ".join(f"{what} {number}" for what, number in Counter(what for what, _, _ in set(changed)).items())
    tell(
        f"| {name}: corrections opened, entries changed | {labels.total()} in {count} messages ({kinds or 'none'}),"
        f" {labels['right']} labelled right; false {1000 * false / count:.2f} in 1,000 |"
    )
    labels, kept = labelled(("kept", *each) for one in found for each in one["kept"])
    known = labels["junk"] + labels["good"]
    junk = f"{labels['junk']} of {known} labelled are junk ({labels['junk'] / max(known, 1):.0%})"
    tell(f"| {name}: kept | {labels.total()}; {junk}, {labels['unlabelled']} unlabelled |")
    if facts := [fact for one in found for fact in one.get("facts", ())]:
        tell(f"| {name}: messages asked about later | {shares(facts)} |")
    return listed + kept


def tell_answers(found: Sequence[dict[str, Any]]) -> None:
    """How sure recall is where memory holds the answer, and where it does not."""
    levels = ("unknown", "conflicting", "unsure", "found")
    parted = [[one for one in found if one["answerable"] is can] for can in (True, False)]
    for some, name in zip(parted, ("answerable", "unanswerable"), strict=True):
        counts = Counter(one["answer"] for one in some)
        told = ", ".join(f"{level} {counts[level]} ({counts[level] / max(len(some), 1):.0%})" for level in levels)
        tell(f"| answers, {name} | {len(some)} questions: {told} |")
    scores = [[(levels.index(one["answer"]), one["sure"] or 0) for one in some] for some in parted]
    for at, name in enumerate(("answer", "confidence")):
        both = [(a[at], b[at]) for a in scores[0] for b in scores[1]]
        above = sum((a > b) + (a == b) / 2 for a, b in both)
        known = bool(both) and (name == "answer" or found[0]["sure"] is not None)
        tell(f"| answers, AUC of {name} | {f'{above / len(both):.2f}' if known else '-'} |")


def tell_review(name: str, found: Sequence[dict[str, Any]]) -> None:
    """How much waits for a person."""
    weeks = sum(one["days"] for one in found) / 7
    rate = sum(len(one["suggested"]) for one in found) / weeks
    waiting = [str(one["open"]) for one in found if one["days"] >= WEEKS * 7 - 1]
    told = f"{rate:.1f} suggestions a week of {7 * A_DAY} messages; waiting after {WEEKS} weeks"
    tell(f"| {name}: review | {told}: {', '.join(waiting) or '-'} |")


def measure_data(rows: set[str], pool: ProcessPoolExecutor, options: argparse.Namespace) -> None:
    """The rows of a folder of conversations."""
    listed: list[str] = []
    for file in sorted(options.data.glob("*.json")):
        every = list(islice(asked(file), options.sample))
        wanted = every if rows & {"talk", "answers"} else [one for one in every if one.kind == "knowledge-update"]
        found = list(pool.map(lived, [one.talks for one in wanted], wanted)) if rows != {"review"} else []
        if "talk" in rows:
            listed += tell_talk(file.stem, found)
        if "newer" in rows:
            tell(f"| {file.stem}: two values | {shares(one['newer'] for one in found if 'newer' in one)} |")
        if "answers" in rows:
            tell_answers(found)
        if "review" in rows:
            tell_review(file.stem, list(pool.map(lived, spread(talk for one in every for talk in one.talks))))
    for file in sorted(options.data.glob("*.jsonl")) if rows & {"talk", "review"} else ():
        found = list(pool.map(lived, spread(islice(dialogues(file), options.sample))))
        if "talk" in rows:
            listed += tell_talk(file.stem, found)
        if "review" in rows:
            tell_review(file.stem, found)
    if listed:
        (HERE / "results").mkdir(exist_ok=True)
        (HERE / "results" / "judgement.tsv").write_text("\n".join(listed) + "\n", "utf-8")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder of conversations")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"some rows only, of {', '.join(ROWS)}")
    parser.add_argument("--sample", type=int, help="so many cases, questions or dialogues of a row at most")
    parser.add_argument("--show", action="store_true", help="list what went wrong in the half that may be read")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many processes")
    options = parser.parse_args()
    rows = options.rows.split(",")
    if unknown := set(rows) - set(ROWS):
        raise SystemExit(f"no row is called {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    tell("| | |", "|---|---|")
    with ProcessPoolExecutor(options.jobs) as pool:
        for row in rows:
            if row not in TALK:
                measure_cases(row, pool, options)
        if options.data and (talk := set(rows) & set(TALK)):
            measure_data(talk, pool, options)


if __name__ == "__main__":
    main()
