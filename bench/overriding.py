"""Facts that later ones override, in generated talk: the right one should come first, and the newer before the older.

    python -m bench.overriding [--sizes 100,1000] [--homes folder]

A store has so many short facts about things whose names share their words; three in ten are said again later with another
value, in other words. Everything is drawn with a fixed seed. The first figure is how often the first hit is the latest value,
of all that is asked; the second how often the later value comes before the earlier one, where there are two.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from bench.systems import open_system
from bench.systems.texts import Turn
from bench.systems.vectors import vectors_called

_BEGIN = datetime(2025, 1, 1, 8, tzinfo=UTC)
_OVERRIDDEN = 0.3
_ASKED = 200
"""So many questions are asked of a store at most."""
_LIMIT = 10
_LOOKS = ["red", "green", "blue", "grey", "white", "black", "yellow", "brown", "silver", "striped", "wooden", "small"]
_THINGS = [
    "kettle",
    "lamp",
    "bicycle",
    "tent",
    "canoe",
    "drill",
    "ladder",
    "suitcase",
    "camera",
    "guitar",
    "clock",
    "mirror",
    "carpet",
    "heater",
    "printer",
    "radio",
    "sewing-machine",
    "telescope",
    "wheelbarrow",
    "toolbox",
]
_OF = [
    "Leeds",
    "York",
    "the lake house",
    "the north office",
    "the south office",
    "the old school",
    "grandmother",
    "Uncle Piet",
    "the choir",
    "the scouts",
]


class Slot(NamedTuple):
    """Something that is said of a thing."""

    forms: tuple[str, ...]
    """sentences that say it, with {s} for the thing and {v} for the value"""
    question: str
    """how it is asked"""
    values: tuple[str, ...]
    """what it may be"""


_ROOMS = ("attic", "cellar", "garage", "hallway", "shed", "kitchen", "spare room", "office", "boiler room", "pantry")
_NAMES = ("Anna", "Ben", "Clara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas")
_TOWNS = ("Bremen", "Porto", "Ghent", "Turin", "Malmo", "Brno", "Cork", "Lyon", "Riga", "Graz")
_DAYS = tuple(f"{day} {month}" for day, month in product((3, 11, 19, 27), ("March", "May", "July", "October")))
_SLOTS = (
    Slot(
        ("the {s} is kept in the {v}", "I put the {s} into the {v}", "you find the {s} in the {v}"),
        "Where is the {s} kept?",
        _ROOMS,
    ),
    Slot(("the {s} belongs to {v}", "{v} owns the {s}", "{v} is the owner of the {s}"), "Who owns the {s}?", _NAMES),
    Slot(
        ("the {s} cost {v} euros", "I paid {v} euros for the {s}", "{v} euros went on the {s}"),
        "How much did the {s} cost?",
        tuple(map(str, range(20, 400, 7))),
    ),
    Slot(("the {s} was made in {v}", "the {s} comes from a workshop in {v}"), "Where was the {s} made?", _TOWNS),
    Slot(("the {s} is serviced on {v}", "{v} is the day of the {s}'s service"), "When is the {s} serviced?", _DAYS),
    Slot(("the {s} moved here on {v}", "on {v} the {s} came to us"), "When did the {s} move here?", _DAYS),
)


class Fact(NamedTuple):
    """A question, and the messages that say its older and newer value."""

    question: str
    newest: str
    """the key of the latest that says it"""
    older: str
    """the key of the one it overrides; empty where none does"""


def talk(size: int) -> tuple[list[Turn], list[Fact]]:
    """What is said in a store of so many facts, and what can be asked."""
    draw = random.Random(size)  # noqa: S311 - the same each time
    things = [f"{look} {thing} of {of}" for look, thing, of in product(_LOOKS, _THINGS, _OF)]
    draw.shuffle(things)
    # some things have all their facts told, so that a thing's facts stand beside each other
    pairs = [(thing, slot) for thing in things[: max(size // 4, 8)] for slot in _SLOTS]
    draw.shuffle(pairs)
    pairs = pairs[: round(size / (1 + _OVERRIDDEN))]
    again = pairs[: size - len(pairs)]
    order = [(pair, False) for pair in pairs]
    draw.shuffle(order)
    for pair in again:  # the later value comes anywhere after the earlier one
        at = next(n for n, (own, _) in enumerate(order) if own == pair)
        order.insert(draw.randint(at + 1, len(order)), (pair, True))
    said: dict[tuple[str, Slot], list[tuple[str, str]]] = {}
    turns = []
    for number, ((thing, slot), _) in enumerate(order):
        known = said.setdefault((thing, slot), [])
        value = draw.choice([each for each in slot.values if each not in {own for _, own in known}])
        text = draw.choice(slot.forms).format(s=thing, v=value)
        key = f"f{number}"
        known.append((key, value))
        when = _BEGIN + timedelta(hours=number * 8760 / size)
        turns.append(Turn(key, f"s{number // 3}", when, "User", f"{text[0].upper()}{text[1:]}.", "user"))
    facts = [
        Fact(slot.question.format(s=thing), known[-1][0], known[-2][0] if len(known) > 1 else "")
        for (thing, slot), known in said.items()
    ]
    draw.shuffle(facts)
    facts.sort(key=lambda fact: not fact.older)
    half = _ASKED // 2
    two = sum(bool(fact.older) for fact in facts)
    return turns, facts[: min(half, two)] + facts[two : two + half]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,1000,10000", help="how many facts, with commas between")
    parser.add_argument("--homes", type=Path, help="where the memories are kept for the next run")
    given = parser.parse_args()
    print("| facts | asked | first is right | of those overridden | newer before older |\n|---:|---:|---:|---:|---:|")
    for size in map(int, given.sizes.split(",")):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            home = (given.homes or Path(folder)) / f"overriding-{size}"
            is_kept = home.exists()
            system = open_system("oldsoul", home, vectors_called("encoder"))
            turns, facts = talk(size)
            if not is_kept:
                system.turns(turns)
                system.ready(lambda _: None)
            first, overridden, newer = [], [], []
            for fact in facts:
                system.asked = _BEGIN + timedelta(days=366)
                keys = [piece.key for piece in system.ask(fact.question, _LIMIT)]
                first.append(keys[:1] == [fact.newest])
                if fact.older:
                    overridden.append(first[-1])
                    places = [keys.index(key) if key in keys else _LIMIT for key in (fact.newest, fact.older)]
                    newer.append(places[0] < places[1])
            print(
                f"| {size} | {len(facts)} | {mean(first):.2f} | {mean(overridden):.2f} | {mean(newer):.2f} |",
                flush=True,
            )
            system.close()


if __name__ == "__main__":
    main()
