"""Whatever a model answers to whichever keeper: garbage leaves what rules leave, is told, and nothing is lost or paid twice."""

from __future__ import annotations

import json
import random
import re
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.documents import parse
from oldsoul.errors import BadInput, OutOfBudget, Unavailable
from oldsoul.keepers.questions import parsed
from oldsoul.ledger import ANSWER
from oldsoul.values.keepers import PROMPTED
from oldsoul.values.models import Reply
from oldsoul.values.sessions import Session
from scale import scaled
from talk_bench import Talk, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oldsoul.driver import Report

OWN = Session.dm(id="own")
ROOM = Session.group("dev", id="in-dev")
EXAMPLES = scaled(12, 40)
MEMORY = """# Memory

## Knowledge

- the boiler in the cellar was serviced by Okafor (added 2026-02-03) #knowledge <!--os aaaaaaaaa1 conf=0.95 seen=2026-02-03-->
- the boiler in the cellar gets serviced by nobody (added 2026-02-03) #knowledge <!--os aaaaaaaaa2 conf=0.95 seen=2026-02-03-->
- the spare key hangs behind the stove (added 2026-01-10) #knowledge <!--os aaaaaaaaa3 conf=0.8 seen=2026-01-10-->
"""
ROOM_FILE = """# Room dev

## Knowledge

- the build server stands in the hall of the old mill (added 2026-02-03) #knowledge <!--os bbbbbbbbb1 conf=0.8 seen=2026-02-03 origin=participant-->
- the build server runs in the hall of the new mill (added 2026-02-03) #knowledge <!--os bbbbbbbbb2 conf=0.8 seen=2026-02-03 origin=participant-->
"""
SOUL = """# Soul

## Communication Style

- **Short**: say it in a few words. <!--os ccccccccc1-->
"""
DAY = """# {day}

## {day} 10:00 UTC

**User:** Nora

Nora painted the fence green. The gate was mended by Ben on the same afternoon.

## {day} 12:00 UTC <!--os {id} aud=room:dev origin=participant-->

**Room:** dev

Ann moved the build server to the old mill.
"""
SAID = (
    (OWN, "user", "We decided to move the launch to May 4."),
    (OWN, "assistant", "Noted, the launch is on May 4."),
    (OWN, "user", "Remember that the cat of Maya is called Pixel."),
    (OWN, "user", "I already told you!"),
    (OWN, "user", "From now on always answer in short sentences."),
    (OWN, "assistant", "I will."),
    (ROOM, "user", "Remember that the staging database is restored every Monday."),
    (ROOM, "assistant", "Fine."),
)


_SAID = re.compile(r"^#(\d+) .*?: (.*)$", re.MULTILINE)
_WRITTEN = re.compile(r"^\[(\w+)\] (\S+) (.*)$", re.MULTILINE)
SILENT = ("recall-validator", "conflict-detector")
"""Whose invented answers are dropped without a word: a quotation that is not there is as good as none."""


def unreachable(_text: str, _schema: Mapping[str, Any]) -> str:
    raise Unavailable("no route")


class Answering:
    """A model that answers by a function, and keeps what it was asked and what it answered."""

    def __init__(self) -> None:
        self.reply: Callable[[str, Mapping[str, Any]], str] = unreachable
        self.asked: list[str] = []
        self.answered: list[str] = []

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        del system
        self.asked.append(text)
        made = Reply(self.reply(text, schema), 1, 1)
        self.answered.append(text)
        return made


def notes(reports: Sequence[Report]) -> str:
    return "\n".join(note for report in reports for note in report.notes)


def home() -> tuple[Talk, Answering]:
    """A home with something to do for every keeper, and a model that is out of reach until it is told what to answer."""
    model = Answering()
    t = talk(model=model)
    t.agent.files.put("MEMORY.md", MEMORY.encode())
    t.agent.files.put("rooms/dev.md", ROOM_FILE.encode())
    t.agent.files.put("SOUL.md", SOUL.encode())
    for day, entry in (("2025-12-01", "ddddddddd1"), ("2025-12-02", "ddddddddd2"), ("2025-11-20", "ddddddddd3")):
        t.agent.files.put(f"memory/{day}.md", DAY.format(day=day, id=entry).encode())
    for session, role, text in SAID:
        own = session is OWN
        sender = "main" if role == "assistant" else "Nora" if own else "Ann"
        person = "" if role == "assistant" else "acct:owner" if own else "acct:7"
        t.say(session, text, sender=sender, role=role, person=person)
    t.clock.advance(timedelta(hours=1))
    return t, model


def before(keeper: str) -> tuple[Talk, Answering]:
    """The same when it is this keeper's turn: the miner has others catch up first."""
    t, model = home()
    if keeper == "memory-miner":
        for first in ("session-summarizer", "recall-validator"):
            assert all(report.done for report in t.agent.run(first))
    model.asked.clear()
    return t, model


def documents(t: Talk) -> dict[str, bytes | None]:
    return {path: t.agent.files.show(path).data for path in t.paths()}


def waiting(t: Talk) -> list[tuple[str, object]]:
    return [(p.change_set.reason, p.change_set.operations) for p in t.agent.review.proposals()]


def entries(t: Talk) -> set[str]:
    """Every entry there is, wherever it stands."""
    return {
        entry.id
        for path in t.paths()
        for entry in parse(t.agent.files.show(path).data or b"", is_log=t.agent._parts.name(path).is_log).entries
    }


@cache
def by_rules(keeper: str) -> tuple[dict[str, bytes | None], list[tuple[str, object]]]:
    """What stands and what waits when nobody but rules did the work."""
    t, _ = before(keeper)
    assert all(report.done for report in t.agent.run(keeper))
    return documents(t), waiting(t)


# what a model may say


def sensible(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An answer that rests on what was asked."""
    number, words = next(iter(_SAID.findall(text)), ("0", ""))
    resting = {"message": int(number), "quote": words}
    known = schema["properties"]
    if "summary" in known:
        item: dict[str, Any] = {
            "section": "Session Summary",
            "title": "Talk",
            "text": "it was said",
            "below": [],
            "done": None,
        }
        return {"summary": "Some talk.", "items": [{**item, "replaces": "", **resting}], "promote": None}
    if "items" in known:
        return {"items": [{"tag": "knowledge", "text": words, **resting}]}
    if "lines" in known:
        entry, day, told = _WRITTEN.findall(text)[0]
        return {"lines": [{"day": day, "text": told, "entries": [entry], "quote": told}]}
    if "contradictions" in known:
        return {"contradictions": [{"pair": 1, "why": "only one of them can be"}]}
    if "kind" in known:
        return {"kind": "none", "quote": "", "correct": "", "old": "", "new": "", "check": ""}
    return {"edits": [], "drift": []}


_NOBODY = "nobody ever said these very words"
_INVENTED: dict[str, Any] = {
    "quote": _NOBODY,
    "message": 4711,
    "correction": "zzzzzzzzzz",
    "entries": ["zzzzzzzzzz"],
    "pair": 4711,
    "text": "Mallory owns the house",
    "title": "Mallory",
    "correct": "Mallory owns the house",
    "new": "Mallory",
}


def invented(_text: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
    """What the schema asks for, of things that nobody said and that are not there."""

    def made(inner: Mapping[str, Any], name: str) -> Any:
        kinds = inner.get("type", "string")
        kind = kinds if isinstance(kinds, str) else kinds[0]
        if name in _INVENTED and "enum" not in inner:
            return _INVENTED[name]
        if "enum" in inner:
            return "memory" if name == "kind" else chance.choice(inner["enum"])
        match kind:
            case "object":
                return {key: made(one, key) for key, one in inner["properties"].items()}
            case "array":
                return [made(inner["items"], "") for _ in range(chance.randint(1, min(inner["maxItems"], 3)))]
            case "string":
                return chance.choice(["", _NOBODY, "SOUL.md", "x" * 20])[: inner.get("maxLength", 20)]
            case "integer":
                return 4711
        return None

    return made(schema, "")


def _wrong_type(text: str, schema: Mapping[str, Any], chance: random.Random) -> str:
    """A sensible answer in which one thing is of another type, is missing or was not asked for."""
    value = sensible(text, schema)
    key = chance.choice(list(value))
    match chance.randrange(3):
        case 0:
            value[key] = chance.choice([7, 0.5, True, {"a": []}, [[]], [None], ["x"], float("nan"), float("inf")])
        case 1:
            del value[key]
        case _:
            value["operations"] = [{"Put": "SOUL.md"}]
    return json.dumps(value)


def _cut(text: str, schema: Mapping[str, Any], chance: random.Random) -> str:
    """A sensible answer of which nine tenths, or half, did not come."""
    whole = json.dumps(sensible(text, schema))
    return whole[: int(len(whole) * chance.choice((0.1, 0.5, 0.98)))]


def _huge(text: str, schema: Mapping[str, Any], chance: random.Random) -> str:
    value = sensible(text, schema)
    value[chance.choice(list(value))] = "x" * chance.choice((3_000, 1_200_000))
    return json.dumps(value)


def _deep(_text: str, _schema: Mapping[str, Any], chance: random.Random) -> str:
    depth = chance.choice((30, 5_000, 200_000))
    return chance.choice(("[" * depth, "[" * depth + "]" * depth, '{"items":' * depth + "1" + "}" * depth))


GARBAGE: dict[str, Callable[[str, Mapping[str, Any], random.Random], str]] = {
    "empty": lambda _text, _schema, chance: chance.choice(("", " ", "\n\n", "```\n```")),
    "prose": lambda _text, _schema, chance: chance.choice(("Sure! Here it is:", "null", "NaN", "[]", "{}", "\ufeff{")),
    "half": _cut,
    "type": _wrong_type,
    "huge": _huge,
    "deep": _deep,
}


def answering(kind: str, seed: int) -> Callable[[str, Mapping[str, Any]], str]:
    chance = random.Random(seed)  # noqa: S311 - the same garbage each time

    def answer(text: str, schema: Mapping[str, Any]) -> str:
        if kind == "silent":
            raise Unavailable("timed out")
        made = GARBAGE[kind](text, schema, chance)
        try:
            parsed(made, schema)
        except BadInput:
            return made
        return "{"  # it made sense by chance

    return answer


@pytest.mark.parametrize("keeper", PROMPTED)
@settings(max_examples=EXAMPLES)
@given(st.sampled_from([*GARBAGE, "silent"]), st.integers(0, 2**32))
def test_an_answer_that_makes_no_sense_leaves_what_rules_leave_and_is_told(keeper: str, kind: str, seed: int) -> None:
    t, model = before(keeper)
    there = entries(t)
    model.reply = answering(kind, seed)
    reports = list(t.agent.run(keeper))
    assert all(report.done for report in reports)
    assert model.asked
    assert (documents(t), waiting(t)) == by_rules(keeper)
    assert there <= entries(t)
    wanted = "the model did not answer" if kind == "silent" else "the model's answer was rejected"
    assert wanted in notes(reports)


@pytest.mark.parametrize("keeper", PROMPTED)
@settings(max_examples=EXAMPLES)
@given(st.integers(0, 2**32))
def test_what_nobody_said_changes_nothing_that_rules_would_not(keeper: str, seed: int) -> None:
    t, model = before(keeper)
    there, stood = entries(t), documents(t)
    chance = random.Random(seed)  # noqa: S311 - as above
    model.reply = lambda text, schema: json.dumps(invented(text, schema, chance))
    reports = list(t.agent.run(keeper))
    assert all(report.done for report in reports)
    assert model.asked
    rules, wait = by_rules(keeper)
    found = documents(t)
    assert all(found[path] in (rules.get(path), stood.get(path)) for path in found)
    assert set(stood) <= set(found) | (set(stood) - set(rules))
    assert set(map(repr, waiting(t))) <= set(map(repr, wait))
    assert there <= entries(t)
    assert not any(b"Mallory" in (data or b"") for data in found.values())
    if keeper not in SILENT:
        assert "rejected" in notes(reports)


# stopped in the middle


def counted(model: Answering, most: int, error: BaseException) -> None:
    """Answer so many questions, then fail."""

    def answer(text: str, schema: Mapping[str, Any]) -> str:
        if len(model.answered) >= most:
            raise error
        return json.dumps(sensible(text, schema))

    model.reply = answer


@cache
def undisturbed(keeper: str) -> tuple[dict[str, bytes | None], list[str]]:
    """What stands when a model answers everything, and what it was asked."""
    t, model = before(keeper)
    model.reply = lambda text, schema: json.dumps(sensible(text, schema))
    assert all(report.done for report in t.agent.run(keeper))
    assert model.answered
    return documents(t), list(model.answered)


@pytest.mark.parametrize("keeper", PROMPTED)
def test_answers_are_forgotten_once_a_run_is_done(keeper: str) -> None:
    t, model = before(keeper)
    model.reply = lambda text, schema: json.dumps(sensible(text, schema))
    assert all(report.done for report in t.agent.run(keeper))
    assert model.answered
    assert t.store.records("main", ANSWER) == {}


@pytest.mark.parametrize("minutes", [0, 7])
@pytest.mark.parametrize("keeper", PROMPTED)
def test_a_run_without_money_stops_whole_and_goes_on_where_it_was(keeper: str, minutes: int) -> None:
    for most in range(len(undisturbed(keeper)[1])):
        t, model = before(keeper)
        there = entries(t)
        counted(model, most, OutOfBudget("the day's money is spent"))
        *_, last = t.agent.run(keeper)
        assert not last.done
        assert "stopped: the day's money is spent" in last.notes
        assert (last.changes, last.steps) == (0, ())
        assert there <= entries(t)
        resumed(t, model, keeper, minutes)


@pytest.mark.parametrize("minutes", [0, 7])
@pytest.mark.parametrize("keeper", PROMPTED)
def test_a_run_that_was_killed_between_two_questions_asks_only_the_rest(keeper: str, minutes: int) -> None:
    for most in range(len(undisturbed(keeper)[1])):
        t, model = before(keeper)
        counted(model, most, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            list(t.agent.run(keeper))
        resumed(t, model, keeper, minutes)


def resumed(t: Talk, model: Answering, keeper: str, minutes: int) -> None:
    """Start again, some minutes later: it finishes, and nothing is asked that was answered."""
    wanted, questions = undisturbed(keeper)
    t.clock.advance(timedelta(minutes=minutes))
    counted(model, len(questions) + 1, AssertionError("asked too much"))
    assert all(report.done for report in t.agent.run(keeper))
    assert sorted(model.answered) == sorted(questions)
    if not minutes:
        assert documents(t) == wanted
