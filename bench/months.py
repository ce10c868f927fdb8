"""Months of talk with an agent, lived without a model: what is found, put right and kept at their end.

python -m bench.months [--months a,b,c,d] [--show]

Each month in bench/data/months was written by somebody who had not seen the rules. `--show` prints what went wrong; a month
that was read so is no measure of what the rules do with words they were not made for, and its README says which were.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from month_life import OWNER, Life, lines, month
from oldsoul.judging.corrections.values import holds
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MONTHS = Path(__file__).parent / "data" / "months"
ZONES = {"a": "Europe/London", "b": "America/New_York", "c": "Europe/Dublin", "d": "Europe/Madrid"}
_SEEN, _LOOKED = 6, 20


class Lived(NamedTuple):
    """A month at its end."""

    folder: Path
    home: Path
    life: Life
    sessions: Mapping[str, Session]
    by_id: Mapping[int, dict[str, Any]]

    def told(self, question: str, audience: str, limit: int) -> list[str]:
        """What is found for a question, in this order."""
        found = self.life.agent.recall(question, session=self.sessions[audience], limit=limit, counted=False)
        return [hit.chunk.text.casefold() for hit in found.hits]

    def corrected(self) -> set[int]:
        """The messages that stand in CORRECTIONS.md, or did."""
        workspace = self.home / "workspace" / "main"
        logs = [workspace / "CORRECTIONS.md", *(workspace / "Archive" / "Corrections").glob("*.md")]
        text = "".join(log.read_text("utf-8") for log in logs if log.exists())
        return {
            number for number, own in self.life.numbers.items() if f"src=m:{own} " in f"{text} ".replace("-->", " ")
        }


def lived(folder: Path, zone: str, home: Path) -> Lived:
    """Live a month."""
    messages = month(folder)
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(f"timezone: {zone}\n", "utf-8")
    first = datetime.fromisoformat(messages[0]["time"]).astimezone(ZoneInfo(zone))
    clock = FrozenClock(first.replace(hour=0, minute=1))
    soul = open_home(home, {}, clock)
    life = Life(soul, soul.agent(), clock, ZoneInfo(zone))
    life.live(messages)
    clock.advance(timedelta(minutes=1))
    people = {m["subject"] for m in messages if m["subject"]} - {OWNER}
    rooms = {m["room"] for m in messages if m["kind"] == "group"}
    sessions = {"owner": Session.dm(OWNER), **{f"person:{one}": Session.dm(one) for one in people}}
    sessions |= {f"room:{room}": Session.group(room) for room in rooms}
    return Lived(folder, home, life, sessions, {m["id"]: m for m in messages})


def facts(one: Lived, shown: list[str]) -> dict[str, str]:
    """How many of the facts that are still true are found, and of those that changed, the new value before the old."""
    ranks, newer, changed = [], 0, 0
    for fact in lines("facts.jsonl", one.folder):
        if fact["until"]:
            continue
        told = one.told(fact["question"], fact["audience"], _LOOKED)
        rank = _first(told, lambda text, fact=fact: fact["answer"].casefold() in text)
        ranks.append(rank)
        if rank >= _LOOKED:
            shown.append(f"not found: {fact['question']} -> {fact['answer']}")
        if fact.get("was"):
            was, now = fact["was"].casefold(), fact["answer"].casefold()
            changed += 1
            newer += rank < _first(told, lambda text, was=was, now=now: was in text and now not in text)
    return {
        "facts": f"{sum(rank < _SEEN for rank in ranks)} and {sum(rank < _LOOKED for rank in ranks)} of {len(ranks)}",
        "new before old": f"{newer} of {changed}",
    }


def corrections(one: Lived, shown: list[str]) -> dict[str, str]:
    """How many corrections are understood, and for how many questions one of the best hits still says what is wrong."""
    understood, asserted, count = 0, 0, 0
    logged = one.corrected()
    every = lines("corrections.jsonl", one.folder)
    for each in (each for each in every if not each.get("trap")):
        count += 1
        message = one.by_id[each["message"]]
        place = f"room:{message['room']}" if message["kind"] == "group" else "owner"
        told = one.told(each["question"], place, _SEEN)
        wrong = [
            text for text in told if holds(text, each["wrong"].casefold()) and not holds(text, each["right"].casefold())
        ]
        understood += each["message"] in logged
        asserted += bool(wrong)
        if wrong or each["message"] not in logged:
            shown.append(f"correction: {message['text']} ({each['wrong']} -> {each['right']}), still told: {wrong[:1]}")
    false = logged - {each["message"] for each in every if not each.get("trap")}
    shown += [f"no correction: {one.by_id[number]['text']}" for number in sorted(false)]
    return {
        "corrections": f"{understood} of {count}",
        "wrong value in six hits": f"{asserted} of {count}",
        "false corrections": str(len(false)),
    }


def kept(one: Lived, shown: list[str]) -> dict[str, str]:
    """What of the messages worth keeping reached memory or a suggestion, and what of memory is junk."""
    mark = {own: one.by_id[number]["mark"] for number, own in one.life.numbers.items()}
    reached = {int(entry.fields["src"][2:]) for _, entry in one.life.entries()}
    proposed = _proposed(one.life) - reached
    wanted = {own for own, said in mark.items() if said == "keep"}
    junk = sorted(own for own in reached if mark.get(own) == "junk")
    text = {own: one.by_id[number]["text"] for number, own in one.life.numbers.items()}
    shown += [f"junk: {text[own]}" for own in junk]
    return {
        "kept, suggested": f"{len(wanted & reached)}, {len(wanted & proposed)} of {len(wanted)}",
        "junk in memory": f"{len(junk)} of {len(reached)}",
    }


def leaks(one: Lived, shown: list[str]) -> dict[str, str]:
    """How many private words are told to those who may not see them."""
    found = []
    for canary in json.loads((one.folder / "canaries.json").read_text("utf-8")):
        word, own = canary["word"].casefold(), canary["audience"]
        for audience in one.sessions:
            if audience == own or (audience == "owner" and own.startswith("room:")):
                continue
            if any(word in text for text in one.told(f"what do you know about {word}?", audience, _LOOKED)):
                found.append(f"leak: {word} to {audience}")
    shown += found
    return {"leaks": str(len(found))}


def _proposed(life: Life) -> set[int]:
    every = (evidence for proposal in life.agent.review.proposals("") for evidence in proposal.change_set.evidence)
    return {int(evidence.ref[2:]) for evidence in every if evidence.ref.startswith("m:")}


def _first(texts: Sequence[str], wanted: Any) -> int:
    return next((place for place, text in enumerate(texts) if wanted(text)), _LOOKED)


def measured(names: Iterable[str]) -> dict[str, tuple[dict[str, str], list[str]]]:
    """The figures of some months, and what went wrong in each."""
    found = {}
    with tempfile.TemporaryDirectory() as base:
        for name in names:
            one = lived(MONTHS / name, ZONES[name], Path(base) / name)
            shown: list[str] = []
            figures: dict[str, str] = {}
            for part in (facts, corrections, kept, leaks):
                figures |= part(one, shown)
            one.life.soul.close()
            found[name] = figures, shown
            sys.stderr.write(f"month {name}\n")
    return found


def main() -> None:
    """Print a table, and with --show what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--months", default=",".join(ZONES), help="names with commas between")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    options = parser.parse_args()
    names = options.months.split(",")
    if unknown := set(names) - ZONES.keys():
        raise SystemExit(f"no month is called {', '.join(sorted(unknown))}; there are {', '.join(ZONES)}")
    found = measured(names)
    rows = [f"| | {' | '.join(names)} |", "|---|" + "---:|" * len(names)]
    figures = found[names[0]][0]
    rows += [f"| {figure} | {' | '.join(found[name][0][figure] for name in names)} |" for figure in figures]
    sys.stdout.write("\n".join(rows) + "\n")
    if options.show:
        for name in names:
            sys.stdout.write(f"\nmonth {name}\n" + "\n".join(found[name][1]) + "\n")


if __name__ == "__main__":
    main()
