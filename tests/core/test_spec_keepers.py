"""What the specification asks of the keepers, of confidence, CONFIG.md and the schedule, and no other test shows."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.adapters.programs import run_program
from oldsoul.app.clock.scheduler import Scheduler
from oldsoul.app.keepers import recall_validator
from oldsoul.app.keepers.correction_checks import checked
from oldsoul.documents import parse
from oldsoul.errors import Unavailable
from oldsoul.rules.confidence import base, effective, repeated
from oldsoul.rules.options import ConfidenceOptions
from oldsoul.testing import FrozenClock, ScriptedModel
from oldsoul.values.context import Slot
from oldsoul.values.jobs import SlotResult, Status
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from talk_bench import Talk, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from oldsoul.app import Agent
    from oldsoul.documents import Entry
    from oldsoul.values.jobs import DueTime as JobSlot
    from oldsoul.values.jobs import Scheduled

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
DEFAULTS = ConfidenceOptions()


@contextmanager
def home(tmp_path: Path, config: str = "", config_md: str = "", clock: FrozenClock | None = None) -> Iterator[Agent]:
    """An agent of a home on disk, with a CONFIG.md of its own."""
    place = tmp_path / "home"
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.yaml").write_text(f"timezone: UTC\n{config}")
    with open_home(place, {}, clock=clock or FrozenClock(NOON)) as soul:
        if config_md:
            soul.agent().files.put("CONFIG.md", f"# Config\n\n```yaml\n{config_md}\n```\n".encode())
        yield soul.agent()


def memory(*lines: str) -> bytes:
    return "\n- ".join(["# Memory\n\n## Knowledge\n", *lines, ""]).removesuffix("- ").encode()


def entries(t: Talk, path: str = "MEMORY.md") -> list[Entry]:
    name = t.agent._parts.name(path)
    return [entry for entry in t.document(name).entries if entry.form != "prose"]


def as_alike_as(score: float) -> Callable[[Sequence[tuple[str, str]]], list[float]]:
    """Vectors by which all texts are as alike as this."""
    return lambda pairs: [score] * len(pairs)


def ran(t: Talk, keeper: str) -> None:
    for report in t.agent.run(keeper):
        assert (report.done, report.problems) == (True, [])


def item(tag: str, text: str, quote: str, message: int = 1) -> dict[str, Any]:
    return {"tag": tag, "text": text, "message": message, "quote": quote}


# the miner


@pytest.mark.parametrize(
    ("tag", "section", "said"),
    [
        ("decision", "Decisions", "so we paint the fence when the rain is over"),
        ("knowledge", "Knowledge", "turns out the cheap primer failed on the gate twice"),
        ("skill", "Skills", "you warm the glue first and then the joint holds"),
        ("event", "Events", "the old boiler gave up on January 12"),
    ],
)
def test_a_model_takes_decisions_lessons_skills_and_events_out_of_talk(tag: str, section: str, said: str) -> None:
    assert talk_mined(said) == []
    (found,) = talk_mined(said, item(tag, said, said))
    assert (found.tag, found.section, found.fields["conf"]) == (tag, section, "0.95")
    assert said in found.text
    (found,) = talk_mined(said, item(tag, "in other words", said))
    assert found.fields["conf"] == "0.6"


def talk_mined(said: str, *items: dict[str, Any]) -> list[Entry]:
    t = talk(model=ScriptedModel(json.dumps({"items": items})) if items else None)
    t.say(OWN, said, sender="Nora")
    ran(t, "memory-miner")
    return entries(t)


@pytest.mark.parametrize(("score", "merged"), [(0.9, True), (0.89, False)])
def test_by_vectors_a_memory_is_the_same_from_nine_tenths_on(score: float, *, merged: bool) -> None:
    t = talk()
    t.agent.files.put(
        "MEMORY.md", memory("the spare key hangs behind the stove <!--os k3f9w2m7qa conf=0.8 seen=2026-02-01-->")
    )
    t.soul._home.driver.alike = as_alike_as(score)
    t.say(OWN, "Remember that the spare key is behind the old stove", sender="Nora")
    ran(t, "memory-miner")
    first, *more = entries(t)
    assert (first.fields.get("n"), first.fields["conf"]) == (("2", "0.85") if merged else (None, "0.8"))
    assert len(more) == (0 if merged else 1)


def test_flagged_messages_are_mined_before_those_that_were_said_earlier() -> None:
    model = ScriptedModel(json.dumps({"items": []}))
    for t in (talk(), talk(model=model)):
        t.say(OWN, "I live in Kiel.", sender="Nora")
        t.say(OWN, "Important: the gate code is on the fridge door", sender="Nora")
        reports = t.agent.run("memory-miner")
        if t.soul._home.driver.model is None:
            steps = [step for report in reports for step in report.steps]
            assert [step.change_set.key for step in steps] == ["mine:2:0", "mine:1:0"]
    ((_, question),) = model.asked
    assert question.index("Nora (flagged): Important: the gate code") < question.index("Nora: I live in Kiel")


def test_who_people_are_is_not_the_miners_to_write_down() -> None:
    t = talk()
    before = set(t.paths())
    t.say(OWN, "I'm allergic to nuts and I prefer tea over coffee", sender="Nora")
    t.say(Session.dm("acct:7", id="ann"), "I'm allergic to cats. Remember that I live in Lyon", person="acct:7")
    t.say(DEV, "Remember that Ben is our tester", person="acct:7")
    ran(t, "memory-miner")
    assert {path for path in t.paths() if "rooms/" in path} == {"rooms/dev.md"}
    assert set(t.paths()) - before == {"rooms/dev.md"}
    authors = {(effect.name.path, change.author.id) for change in t.agent.files.history() for effect in change.effects}
    assert {path for path, author in authors if author == "memory-miner"} <= {"MEMORY.md", "rooms/dev.md"}
    assert not any(op.name.path == "USER.md" for p in t.agent.review.proposals() for op in p.change_set.operations)
    prompt = t.text("agents/memory-miner/SOUL.md")
    assert "**No profiles.** Who a person is, what they like and what they must avoid is kept elsewhere" in prompt


@pytest.mark.parametrize("keeper", ["memory-miner", "recall-validator", "conflict-detector"])
def test_a_keepers_file_in_the_workspace_is_what_a_model_goes_by(keeper: str) -> None:
    model = ScriptedModel()
    t = talk(model=model)
    t.agent.files.put(f"agents/{keeper}/SOUL.md", b"# Keeper\n\nGo by these rules.\n")
    t.agent.files.put("MEMORY.md", memory("the shed holds the ladder", "the shed holds the big ladder"))
    t.say(OWN, "You forgot" if keeper == "recall-validator" else "hello", sender="Nora")
    t.agent.run(keeper)
    assert {system for system, _ in model.asked} == {"# Keeper\n\nGo by these rules.\n"}


# the recall validator


@pytest.mark.parametrize(
    ("words", "sure"),
    [
        ("I already told you, the rent of the studio is 365 euros", "high"),
        ("I just told you: the rent of the studio is 365 euros", "high"),
        ("You forgot that the rent of the studio is 365 euros", "high"),
        ("Remember when I said the rent of the studio is 365 euros", "high"),
        ("I mentioned that before, the rent of the studio is 365 euros", "high"),
        ("No, I said the rent of the studio is 365 euros", "high"),
        ("How many times, the rent of the studio is 365 euros", "high"),
        ("Don't you remember, the rent of the studio is 365 euros", "high"),
        ("Actually, the rent of the studio is 365 euros", "medium"),
        ("No, the rent of the studio is 365 euros", "medium"),
        ("I changed the rent of the studio to 365 euros", "medium"),
        ("That's wrong, the rent of the studio is 365 euros", "medium"),
    ],
)
def test_a_complaint_is_a_high_trigger_and_a_soft_correction_a_medium_one(words: str, sure: str) -> None:
    t = talk()
    t.agent.files.put(
        "MEMORY.md", memory("the rent of the studio is 340 euros <!--os k3f9w2m7qa conf=0.4 seen=2025-01-10-->")
    )
    t.say(OWN, words, sender="Nora")
    (entry,) = entries(t)
    assert ("340 euros" in entry.text, entry.fields["conf"]) == (True, "0.4")  # it was not said in so many words
    (waits,) = t.agent.review.proposals("")
    t.agent.review.approve(waits.id)
    assert f"**Trigger confidence:** {sure}" in t.text("CORRECTIONS.md")
    (entry,) = entries(t)
    assert ("365 euros" in entry.text, entry.fields["conf"]) == (True, "1")
    assert b"<!-- was: the rent of the studio is 340 euros" in b"".join(entry.lines)


def test_a_correction_is_indexed_apart_surer_than_all_else_and_noted_when_it_is(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with home(tmp_path, "memory: {search: {enabled: false}}\n", clock=clock) as agent:
        agent.files.put("MEMORY.md", memory("Jonas is seven and swims on Tuesdays <!--os k3f9w2m7qa conf=0.95-->"))
        agent.hear("So Jonas, seven, swims on Tuesdays.", session=OWN, role="assistant")
        clock.advance(timedelta(minutes=1))
        agent.hear("he's six, not seven!", session=OWN, sender="Nora")
        assert b"**Re-embedded:** false" in (agent.files.show("CORRECTIONS.md").data or b"")
    clock.advance(timedelta(minutes=1))
    with home(tmp_path, clock=clock) as agent:
        agent.run("recall-validator")
        assert b"**Re-embedded:** true" in (agent.files.show("CORRECTIONS.md").data or b"")
        hits = agent.recall("How old is Jonas?", session=OWN).hits
        apart = [hit.chunk for hit in hits if hit.chunk.correction]
        assert [(chunk.path, chunk.confidence) for chunk in apart] == [("CORRECTIONS.md", 1.0)]
        assert all("seven" not in hit.chunk.text or "six" in hit.chunk.text for hit in hits)
        assert [one.problem for one in checked(agent._parts)] == [""]


def test_one_correction_outweighs_a_hundred_inferred_memories(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with home(tmp_path, clock=clock) as agent:
        guessed = [
            f"The meeting with the bank is on Tuesday, note {n} <!--os {n:010d} conf=0.6 n=9 seen=2026-02-03 origin=agent-->"
            for n in range(100)
        ]
        agent.files.put("MEMORY.md", memory(*guessed))
        clock.advance(timedelta(minutes=5))
        agent.correct("The meeting with the bank is on Thursday", wrong="Tuesday")
        clock.advance(timedelta(minutes=5))
        hits = agent.recall("When is the meeting with the bank?", session=OWN, limit=150).hits
        assert any(hit.chunk.correction for hit in hits)
        assert all("Thursday" in hit.chunk.text and "Tuesday" not in hit.chunk.text for hit in hits)


# the handler of forgotten tools


HANDLER = """#!{python}
import json, os, sys
with open({told!r}, "a") as file:
    json.dump({{"argv": sys.argv[1:], "given": json.load(sys.stdin), "environ": dict(os.environ)}}, file)
"""
FORGOT = "You forgot that you have a search tool, use the search tool."


def handler(tmp_path: Path) -> tuple[str, Path]:
    program, told = tmp_path / "handler", tmp_path / "told.json"
    program.write_text(HANDLER.format(python=sys.executable, told=str(told)))
    program.chmod(0o755)
    return str(program), told


def test_a_forgotten_tool_goes_to_the_operators_program_without_shell_or_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "swordfish")
    program, told = handler(tmp_path)
    odd = f"$HOME; touch {tmp_path}/shell"
    clock = FrozenClock(NOON)
    with home(tmp_path, f"recall_external_handler: ['{program}', '{odd}']\n", clock=clock) as agent:
        agent.hear("Shall I look it up?", session=OWN, role="assistant")
        clock.advance(timedelta(minutes=1))
        agent.hear(FORGOT, session=OWN, sender="Nora")
        agent.hear("You forgot that the gate is blue", session=OWN, sender="Nora")
        assert agent._parts.home.noticed == []
        assert b"search tool" not in (agent.files.show("CORRECTIONS.md").data or b"")
    found = json.loads(told.read_text())  # one call: what is about a memory is not handed on
    assert found["argv"] == [odd]
    assert not (tmp_path / "shell").exists()
    assert (found["given"]["text"], found["given"]["agent"]) == (FORGOT, "main")
    assert found["given"]["before"] == [{"role": "assistant", "text": "Shall I look it up?"}]
    assert {"PATH", "LANG"} <= set(found["environ"]) <= {"PATH", "LANG", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}


def test_a_handler_that_config_md_names_is_told_of_and_not_started(tmp_path: Path) -> None:
    program, told = handler(tmp_path)
    with home(tmp_path, config_md=f"recall_external_handler: ['{program}']") as agent:
        agent.hear(FORGOT, session=OWN, sender="Nora")
        assert agent.settings.keepers.recall_handler == ()
        (problem,) = agent._parts.home.world.settings("main").problems
    assert (problem.severity, problem.file) == ("warning", "CONFIG.md")
    assert "config.yaml" in problem.message
    assert not told.exists()


def test_a_handler_has_its_time_and_its_room_and_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_validator, "_SECONDS", 0.2)
    endless = [sys.executable, "-c", "import signal; signal.pause()"]
    with pytest.raises(Unavailable, match=r"took longer than 0\.2 s and was stopped"):
        run_program(endless, b"", seconds=0.2, most=100)
    talks = [sys.executable, "-c", "print('x' * 1_000_000)"]
    assert run_program(talks, b"", seconds=60, most=10) == b"x" * 10
    config = f"keepers: {{recall_handler: {json.dumps(endless)}}}\n"
    with home(tmp_path, config) as agent:
        heard = agent.hear(FORGOT, session=OWN, sender="Nora")
        assert heard.message.id == 1
        (told,) = agent._parts.home.noticed
        assert "took longer than 0.2 s" in told


# the conflict detector


@pytest.mark.parametrize(("score", "asked"), [(0.8, True), (0.79, False)])
def test_by_vectors_a_model_is_shown_pairs_from_eight_tenths_on(score: float, *, asked: bool) -> None:
    model = ScriptedModel(json.dumps({"contradictions": [{"pair": 1, "why": "one ladder only"}]}))
    t = talk(model=model)
    t.agent.files.put(
        "MEMORY.md",
        memory(
            "the ladder leans on the shed <!--os k3f9w2m7qa seen=2026-02-01 src=m:1-->",
            "the ladder was sold in spring <!--os k3f9w2m7qb seen=2026-02-04 src=m:2-->",
        ),
    )
    t.soul._home.driver.alike = as_alike_as(score)
    ran(t, "conflict-detector")
    assert bool(model.asked) is asked
    assert ("one ladder only" in t.text("CONFLICTS.md")) is asked


def test_only_what_changed_within_a_day_is_compared_anew() -> None:
    t = talk()
    lines = (
        "the rent of the studio is 340 euros <!--os k3f9w2m7qa seen=2026-01-01 src=m:901-->",
        "the rent of the studio is 365 euros <!--os k3f9w2m7qb seen=2026-01-05 src=m:902-->",
    )
    t.agent.files.put("MEMORY.md", memory(*lines))
    t.clock.advance(timedelta(hours=25))
    (report,) = t.agent.run("conflict-detector")
    assert report.facts["compared"] == "0"
    third = "the rent of the studio is 370 euros <!--os k3f9w2m7qc seen=2026-01-09 src=m:903-->"
    t.agent.files.put("MEMORY.md", memory(*lines, third))
    t.clock.advance(timedelta(hours=23))
    (report,) = t.agent.run("conflict-detector")
    assert (report.facts["compared"], report.facts["found"]) == ("1", "1")
    assert "370 euros (MEMORY.md, k3f9w2m7qc, 2026-01-09)" in t.text("CONFLICTS.md")


# confidence


def entry(marks: str, tag: str = "knowledge") -> Entry:
    (found,) = parse(f"- the gate is blue #{tag} <!--os k3f9w2m7qa {marks}-->\n".encode()).entries
    return found


def test_confidence_begins_with_who_said_it_and_how() -> None:
    assert base(Origin.OPERATOR) == 0.95
    assert base(Origin.OPERATOR, correction=True) == 1.0
    assert base(Origin.OPERATOR, explicit=False) == 0.6
    assert base(Origin.PARTICIPANT) == 0.8
    assert base(Origin.PARTICIPANT, correction=True) == 0.8
    assert {base(origin) for origin in (Origin.AGENT, Origin.SYSTEM, Origin.UNTRUSTED)} == {0.6}


@pytest.mark.parametrize(
    ("marks", "origin", "then"),
    [
        ("conf=0.6", Origin.OPERATOR, 0.65),
        ("conf=0.95", Origin.OPERATOR, 0.99),
        ("conf=0.99", Origin.OPERATOR, 0.99),
        ("conf=0.8 origin=participant", Origin.PARTICIPANT, 0.85),
        ("conf=0.92 origin=participant", Origin.PARTICIPANT, 0.94),
        ("conf=0.92 origin=participant", Origin.OPERATOR, 0.94),
        ("conf=0.58 origin=untrusted", Origin.UNTRUSTED, 0.6),
        ("conf=0.9", Origin.PARTICIPANT, 0.9),
        ("conf=0.8 origin=participant", Origin.UNTRUSTED, 0.8),
    ],
)
def test_a_repeat_adds_a_twentieth_up_to_what_its_origin_allows(marks: str, origin: Origin, then: float) -> None:
    assert repeated(entry(f"{marks} seen=2026-02-04"), origin, date(2026, 2, 4), DEFAULTS) == then


@pytest.mark.parametrize(
    ("days", "left"), [(0, 0.95), (29, 0.95), (30, 0.9), (59, 0.9), (60, 0.85), (365, 0.35), (450, 0.2), (9999, 0.2)]
)
def test_every_thirty_days_without_a_mention_take_a_twentieth_and_never_below_a_fifth(days: int, left: float) -> None:
    today = date(2026, 2, 4) + timedelta(days=days)
    assert effective(entry("conf=0.95 seen=2026-02-04"), today, DEFAULTS) == left
    assert effective(entry("conf=0.1 seen=2026-02-04"), today, DEFAULTS) == 0.1
    assert effective(entry("conf=0.95 seen=2026-02-04", "correction"), today, DEFAULTS) == 1.0


# CONFIG.md


SLOTS = {
    "identity_tokens": Slot.IDENTITY,
    "user_profile_tokens": Slot.PROFILE,
    "corrections_tokens": Slot.CORRECTIONS,
    "recent_memory_tokens": Slot.RECENT,
    "semantic_recall_tokens": Slot.RECALL,
    "crm_tokens": Slot.PEOPLE,
    "longterm_memory_tokens": Slot.LONG_TERM,
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent that has something for every slot."""

    def lines(what: str) -> str:
        return "".join(f"- The {what} number {n} of the barn is painted green\n" for n in range(12))

    place = tmp_path_factory.mktemp("filled")
    (place / "outside.md").write_text(lines("tool"))
    with home(place, f"external_context_source: '{place}/outside.md'\n") as agent:
        agent.files.put("SOUL.md", f"# main\n\n{lines('habit')}".encode())
        agent.files.put("USER.md", f"# Operator\n\n{lines('wish')}".encode())
        block = "## 2026-02-0{day} 09:0{n} UTC\n\n**Correct:** The door number {n} of the barn is painted red\n\n"
        blocks = "".join(block.format(day=day, n=n) for day in (1, 2) for n in range(6))
        agent.files.put("CORRECTIONS.md", f"# Corrections\n\n{blocks}".encode())
        diary = "".join(f"## 2026-02-04 09:0{n} UTC\n\nThe gate number {n} was painted green.\n\n" for n in range(9))
        agent.files.put("memory/2026-02-04.md", f"# 2026-02-04\n\n{diary}".encode())
        agent.files.put("memory/_longterms/acct_owner/profile.md", f"# Nora\n\n{lines('shoe')}".encode())
        agent.files.put("MEMORY.md", f"# Memory\n\n{lines('key')}{lines('lamp')}{lines('cart')}".encode())
        for number in range(12):
            time = NOON - timedelta(days=40 + number)
            agent.hear(f"The wheel number {number} of the barn is yellow", session=OWN, sender="Nora", time=time)
        yield agent


def costs(agent: Agent, config_md: str) -> dict[Slot, int]:
    agent.files.put("CONFIG.md", f"```yaml\n{config_md}\n```\n".encode())
    made = agent.context("Which wheel, gate, key or shoe of the barn is painted?", session=OWN)
    return {Slot(number): slot.tokens for number, slot in enumerate(made.slots, 1)}


@pytest.mark.parametrize(("key", "slot"), SLOTS.items())
def test_a_slots_budget_in_config_md_binds_it(filled: Agent, key: str, slot: Slot) -> None:
    usual = costs(filled, "")
    assert usual[slot] > 100
    assert costs(filled, f"{key}: 0")[slot] == 0
    most = 6000 if slot is Slot.RECALL else 100  # a slot at most doubles, but recall takes what is left
    assert 0 < costs(filled, f"{key}: 50")[slot] <= most


def test_the_whole_budget_and_that_of_other_programs_are_set_in_config_md(filled: Agent) -> None:
    usual = costs(filled, "")
    assert usual[Slot.EXTERNAL] == 0
    assert sum(costs(filled, "context_budget_tokens: 400").values()) <= 400 < sum(usual.values()) <= 6000
    assert 0 < costs(filled, "external_context_budget: 50")[Slot.EXTERNAL] <= 100


def test_how_far_recent_memory_reaches_is_set_in_config_md(tmp_path: Path) -> None:
    def recent(place: Path, config_md: str = "") -> list[str]:
        with home(place, config_md=config_md) as agent:
            for day in (4, 3, 2, 1):
                text = f"# 2026-02-0{day}\n\n## 2026-02-0{day} 09:00 UTC\n\nIt rained on day {day}.\n"
                agent.files.put(f"memory/2026-02-0{day}.md", text.encode())
            return sorted(re.findall(r"day \d", agent.context("", session=OWN).slots[Slot.RECENT - 1].text))

    assert recent(tmp_path / "a") == ["day 2", "day 3", "day 4"]
    assert recent(tmp_path / "b", "memory_retention_hours: 10") == ["day 4"]


def test_what_becomes_of_too_many_corrections_is_set_in_config_md(tmp_path: Path) -> None:
    def first(place: Path, config_md: str) -> str:
        with home(place, config_md=f"corrections_tokens: 50\ncontext_budget_tokens: 100\n{config_md}") as agent:
            agent.files.put("SOUL.md", b"# main\n")
            block = "## 2026-01-0{} 09:00 UTC\n\n- **Correct**: fact {} holds\n- **Re-embedded**: {}\n\n"
            blocks = "".join(block.format(day, day, "false" if day == 2 else "true") for day in range(1, 8))
            agent.files.put("CORRECTIONS.md", f"# Corrections\n\n{blocks}".encode())
            found: list[str] = re.findall(r"fact \d", agent.context("", session=OWN).slots[Slot.CORRECTIONS - 1].text)
            assert len(found) < 7
            return found[0]

    assert first(tmp_path / "a", "") == "fact 2"
    assert first(tmp_path / "b", "correction_overflow_strategy: newest_first") == "fact 7"


@pytest.mark.parametrize(
    ("config_md", "then"),
    [
        ("", "0.7"),
        ("confidence_decay_interval_days: 10", "0.35"),
        ("confidence_decay_amount: 0.1", "0.55"),
        ("confidence_floor: 0.7", "0.75"),
        ("confidence_boost_per_mention: 0.2", "0.85"),
    ],
)
def test_how_confidence_fades_and_grows_is_set_in_config_md(tmp_path: Path, config_md: str, then: str) -> None:
    with home(tmp_path, config_md=config_md) as agent:
        seen = (NOON - timedelta(days=100)).date()
        agent.files.put("MEMORY.md", memory(f"the gate is painted blue <!--os k3f9w2m7qa conf=0.8 seen={seen}-->"))
        agent.hear("Remember that the gate is painted blue", session=OWN, sender="Nora")
        agent.run("memory-miner")
        (found,) = parse(agent.files.show("MEMORY.md").data or b"").entries
        assert found.fields["conf"] == then


def test_how_much_more_a_correction_weighs_is_set_in_config_md(tmp_path: Path) -> None:
    def more(place: Path, config_md: str = "") -> float:
        with home(place, config_md=config_md) as agent:
            agent.files.put("MEMORY.md", memory("The bank is closed on Friday", "The bank lends at four per cent"))
            text = "# Corrections\n\n## 2026-02-03 09:00 UTC\n\n**Correct:** The bank is closed on Monday\n"
            agent.files.put("CORRECTIONS.md", text.encode())
            hits = agent.recall("When is the bank closed?", session=OWN).hits
            (hit,) = [hit for hit in hits if hit.chunk.correction]
            return hit.why.get("correction", 0.0)

    usual = more(tmp_path / "a")
    assert usual > 0
    assert more(tmp_path / "b", "correction_relevance_boost: 1.5") == usual
    assert more(tmp_path / "c", "correction_relevance_boost: 1") == 0
    assert more(tmp_path / "d", "correction_relevance_boost: 2") == pytest.approx(2 * usual, abs=0.002)


@pytest.mark.parametrize(("config_md", "grows"), [("", True), ("soul_max_tokens: 100", False)])
def test_how_long_the_soul_may_grow_is_set_in_config_md(tmp_path: Path, config_md: str, *, grows: bool) -> None:
    with home(tmp_path, config_md=config_md) as agent:
        agent.files.put("SOUL.md", b"# main\n\n## Vibe\n\n" + b"- A calm and friendly tone, whatever happens\n" * 20)
        agent.hear("don't use emojis", session=OWN, sender="Nora")
        (report,) = agent.run("soul-keeper")
        assert bool(report.steps) is grows
        assert ("of 100 tokens" in "".join(report.notes)) is not grows


JOBS = {
    "soul-keeper": ("cron_soul_keeper: {}", "02-05 02:30"),
    "memory-miner": ("cron_memory_miner: {}", "02-05 06:00"),
    "conflict-detector": ("cron_conflict_detector: {}", "02-05 07:00"),
    "memory-compactor": ("cron_compactor_weekly: {}", "02-08 03:00"),  # a Sunday
    "vector-hygiene": ("keepers: {{schedule: {{vector_hygiene: {}}}}}", "02-08 03:30"),
}


@pytest.mark.parametrize("job", JOBS)
def test_a_keeper_runs_at_its_time_or_the_one_in_config_md(tmp_path: Path, job: str) -> None:
    def runs(place: Path, config_md: str = "") -> list[str]:
        clock = FrozenClock(NOON)
        found: list[str] = []

        def perform(due: Scheduled, slot: JobSlot, _: Callable[[str], None]) -> SlotResult:
            if due.name == job:
                found.append(f"{slot.wall:%m-%d %H:%M}")
            return SlotResult(Status.DONE)

        with home(place, config_md=config_md, clock=clock) as agent:
            scheduler = Scheduler(agent._parts.home, on_event=lambda _: None, perform=perform)
            for _ in range(5):
                scheduler.tick()
                clock.advance(timedelta(days=1))
        return found[:1]

    written, usual = JOBS[job]
    assert runs(tmp_path / "a") == [usual]
    assert runs(tmp_path / "b", written.format("'Friday 11:15'")) == ["02-06 11:15"]
    assert runs(tmp_path / "c", written.format("'off'")) == []


def test_other_systems_attach_where_the_settings_say(tmp_path: Path) -> None:
    program, told = handler(tmp_path)
    (tmp_path / "crm").mkdir()
    (tmp_path / "crm/maria.md").write_text("Runs the bakery on Elm Street.\n")
    (tmp_path / "recipe.json").write_text('{"project": "kitchen"}')
    outside = (
        f"recall_external_handler: ['{program}']\nexternal_context_source: '{tmp_path}/recipe.json'\n"
        f"context: {{crm_source: '{tmp_path}/crm'}}\n"
    )
    inside = "external_context_budget: 100\ncrm_context_budget: 300\nheartbeat_custom_patterns: ['ship it']"
    with home(tmp_path, outside, inside) as agent:
        made = agent.context("Has Maria called?", session=OWN)
        assert "bakery on Elm Street" in made.slots[Slot.PEOPLE - 1].text
        assert "kitchen" in made.slots[Slot.EXTERNAL - 1].text
        assert [flag.trigger for flag in agent.hear("ship it", session=OWN).flags] == ["custom"]
        agent.hear(FORGOT, session=OWN, sender="Nora")
    assert told.exists()


# who keeps which file


def test_each_keeper_writes_the_files_that_are_its_own() -> None:
    t = talk("timezone: UTC\nsoul: {growth: auto}\n")
    t.agent.files.put(
        "MEMORY.md",
        memory(
            "the rent of the studio is 340 euros <!--os k3f9w2m7qa seen=2025-12-01 src=m:901-->",
            "the rent of the studio is 365 euros <!--os k3f9w2m7qb seen=2026-02-04 src=m:902-->",
            "Jonas is seven <!--os k3f9w2m7qc seen=2026-02-04-->",
        ),
    )
    t.agent.files.put("memory/2025-11-02.md", b"# 2025-11-02\n\n## 2025-11-02 09:00 UTC\n\nIt rained.\n")
    t.say(OWN, "Remember that the gate is painted blue", sender="Nora")
    t.say(OWN, "Jonas is seven.", role="assistant")
    t.say(OWN, "he's six, not seven!", sender="Nora")
    t.say(OWN, "I already told you, never use emojis!", sender="Nora")
    for waits in t.agent.review.proposals(""):
        t.agent.review.approve(waits.id)
    for keeper in ("memory-miner", "conflict-detector", "soul-keeper", "memory-compactor"):
        ran(t, keeper)
    wrote: dict[str, set[str]] = {}
    for change in t.agent.files.history(limit=500):
        if change.author.role == "keeper":
            for effect in change.effects:
                wrote.setdefault(effect.name.path, set()).add(change.author.id)
    assert wrote["SOUL.md"] == wrote["CHANGELOG.md"] == {"soul-keeper"}
    assert "memory-miner" in wrote["MEMORY.md"]
    assert wrote["CORRECTIONS.md"] == {"recall-validator"}
    assert wrote["CONFLICTS.md"] == {"conflict-detector"}
    assert wrote["COMPACTION_LOG.md"] == wrote["Archive/Chronicles/2025-November.md"] == {"memory-compactor"}
    assert {"USER.md", "CONFIG.md"}.isdisjoint(wrote)


# what it is all for


def test_what_was_said_in_one_session_is_told_in_the_next_and_fits_the_talk(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with home(tmp_path, clock=clock) as agent:
        agent.hear("Remember that the boiler was repaired by Kurt", session=Session.dm(id="one"), sender="Nora")
        agent.talk.end("one")
        agent.run("memory-miner")
    clock.advance(timedelta(days=60))
    with home(tmp_path, "longterm_memory_tokens: 40\nsemantic_recall_tokens: 60\n", clock=clock) as agent:
        notes = [f"Remember that shelf {n} holds jar {n}" for n in range(40)]
        for number, text in enumerate(notes):
            agent.hear(text, session=Session.dm(id=f"s{number}"), sender="Nora")
        agent.run("memory-miner")
        clock.advance(timedelta(minutes=1))
        made = agent.context("Who repaired the boiler?", session=Session.dm(id="two"))
        assert "repaired by Kurt" in made.text
        assert made.text.count("holds jar") < 20  # the newest are forty others
        other = agent.context("What does shelf 7 hold?", session=Session.dm(id="three"))
        assert "jar 7" in other.text
        assert "Kurt" not in other.slots[Slot.RECALL - 1].text + other.slots[Slot.LONG_TERM - 1].text


# what a session begins with


def begun(agent: Agent, session: Session) -> str:
    """All that a model gets of the files, before anybody has said anything."""
    made = agent.prompt(session=session)
    return f"{made.system.text}\n{made.text}"


@contextmanager
def written(tmp_path: Path) -> Iterator[Agent]:
    """An agent with a word of its own in each file."""
    with home(tmp_path) as agent:
        agent.files.put("SOUL.md", b"# main\n\n- You are dry and kind\n")
        agent.files.put("AGENTS.md", b"# Rules\n\n- Never book before ten\n")
        agent.remember("The cat is called Mia")
        agent.talk.append_daily_log("Planted tulips", session=DEV)
        yield agent


def test_load_workspace_context_dm(tmp_path: Path) -> None:
    with written(tmp_path) as agent:
        text = begun(agent, OWN)
    places = [text.index(words) for words in ("You are dry and kind", "Never book before ten", "Mia", "tulips")]
    assert places[0] < min(places[2:])


def test_load_workspace_context_group(tmp_path: Path) -> None:
    with written(tmp_path) as agent:
        text = begun(agent, DEV)
        elsewhere = begun(agent, Session.group("ops"))
    assert all(words in text for words in ("You are dry and kind", "Never book before ten", "tulips"))
    assert "Mia" not in text
    assert "tulips" not in elsewhere


def test_a_session_begins_with_the_same_words_as_long_as_the_files_are_the_same(tmp_path: Path) -> None:
    with written(tmp_path) as agent:
        first = begun(agent, OWN)
        assert begun(agent, OWN) == first
    with home(tmp_path) as agent:
        assert begun(agent, Session.dm(id="another")) == first
