"""The soul keeper without a model: golden cases, what it leaves for later, its limit of tokens, and one run once."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.test_golden import BLOCK, CASE
from oldsoul.judging import mining as rules
from oldsoul.judging.mining import goes_against
from oldsoul.keepers.soul import corrections
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session, Subject
from talk_bench import START, Talk, talk

if TYPE_CHECKING:
    from oldsoul.driver import Report

GOLDEN = Path(__file__).parents[1] / "golden" / "soul.md"
OPERATOR = Session.dm()
SAID = re.compile(r"(?P<who>\w+)(?:@(?P<whose>\w+))?(?:#(?P<room>\w+))?: (?P<words>.*)")


def cases() -> list[object]:
    found: list[object] = []
    for title, blocks in CASE.findall(GOLDEN.read_text("utf-8")):
        pieces = BLOCK.findall(blocks)
        found.append(pytest.param({name: text for name, _, text in pieces}, pieces[0][1].strip(), id=title))
    return found


def home(growth: str = "ask", before: str = "", more: str = "") -> Talk:
    t = talk(f"timezone: UTC\nsoul: {{growth: {growth}}}\n{more}")
    if before:
        t.agent.files.put("SOUL.md", before.encode())
    return t


def corrected(t: Talk, *blocks: str) -> None:
    t.agent.files.put("CORRECTIONS.md", "\n".join(["# Corrections\n", *blocks]).encode())


def speak(t: Talk, line: str) -> None:
    said = SAID.fullmatch(line)
    assert said is not None, line
    who, words = said["who"], said["words"].replace("\\n", "\n")
    subject = "" if who in ("operator", "agent", "tool") else f"acct:{who}"
    session = OPERATOR if not subject else Session.dm(subject)
    if said["whose"]:
        session = Session.dm(f"acct:{said['whose']}")
    if said["room"]:
        session = Session.group(said["room"], subject=Subject(subject) if subject else None)
    role = {"agent": "assistant", "tool": "tool"}.get(who, "user")
    t.say(session, words, sender=who, role=role, person=subject if role == "user" else "")


def told(reports: list[Report]) -> str:
    lines: list[str] = []
    for report in reports:
        assert report.done, report.problems
        assert not report.problems
        for step in report.steps:
            (operation,) = step.change_set.operations
            title = getattr(operation, "title", "")
            words = f"**{title}**: {operation.text}" if title else operation.text  # type: ignore[union-attr]
            outcome = step.outcome
            assert outcome is not None
            how = "proposed" if outcome.proposal else "changed"
            what = words if operation.name.path == "SOUL.md" else operation.name.path
            lines.append(f"{how}: {what} | {step.change_set.reason}")
    lines += [f"note: {note}" for report in reports for note in report.notes]
    return "".join(f"{line}\n" for line in lines)


def approved(t: Talk, reports: list[Report] | None = None) -> None:
    """Everything that waits is approved, in the order it was proposed."""
    steps = [step for report in reports or () for step in report.steps]
    made = [step.outcome.proposal.id for step in steps if step.outcome and step.outcome.proposal]
    for proposal in made or [proposal.id for proposal in t.agent.review.proposals()]:
        t.agent.review.approve(proposal)


@pytest.mark.parametrize(("blocks", "growth"), cases())
def test_the_soul_grows_as_the_golden_file_says(blocks: dict[str, str], growth: str) -> None:
    t = home(growth or "ask", blocks["before"])
    if "corrections" in blocks:
        corrected(t, blocks["corrections"])
    for skill in blocks.get("skills", "").split():
        t.agent.files.put(f"skills/{skill}/SKILL.md", f"---\nname: {skill}\ndescription: x\n---\n".encode())
    for line in blocks["messages"].splitlines():
        speak(t, line)
    reports = t.agent.run("soul-keeper")
    assert told(reports) == blocks["out"]
    approved(t, reports)
    assert t.text("SOUL.md") == blocks["after"]
    assert t.agent.run("soul-keeper") == [] or "left out" in blocks["out"]


# what goes with an edit

CORRECTION = "## 2026-02-03 16:24 UTC <!--os k3f9w2m7qa src=m:139-->\n\n**Correct:** I told you, no emojis\n"
SOUL = "# Soul\n\n## Vibe\n\n- **Tone**: calm.\n"


def test_an_edit_cites_the_day_and_the_message_in_its_bookkeeping_and_never_words() -> None:
    t = home(before=SOUL)
    t.say(OPERATOR, "Lena hates them too: please don't use emojis.")
    t.agent.run("soul-keeper")
    approved(t)
    entry = t.document(Name("main", "SOUL.md")).entries[-1]
    assert dict(entry.fields) == {"src": "m:1", "seen": "2026-02-04", "rule": "emojis:no"}
    for path in ("SOUL.md", "CHANGELOG.md"):
        assert b"Lena" not in (t.agent.files.show(path).data or b"")
        assert b"please" not in (t.agent.files.show(path).data or b"").lower().replace(b"pleased", b"")


def test_an_edit_made_at_once_leaves_a_snapshot_and_a_block_in_the_changelog() -> None:
    t = home("auto", SOUL)
    corrected(t, CORRECTION)
    (report,) = t.agent.run("soul-keeper")
    (step,) = report.steps
    assert step.outcome is not None
    assert step.outcome.change is not None
    paths = [effect.name.path for effect in step.outcome.change.effects]
    assert paths == ["CHANGELOG.md", "SOUL.md", "SOUL_HISTORY/SOUL-2026-02-04-1000.md"]
    assert t.agent.files.show("SOUL_HISTORY/SOUL-2026-02-04-1000.md").data == SOUL.encode()
    log = t.text("CHANGELOG.md").rpartition("## ")[2]
    assert log == (
        "2026-02-04 10:00 UTC\n\nSOUL.md was changed.\n\n**Added** (Vibe): **Emojis**: none.\n\n"
        "**Why:** the operator corrected this on 2026-02-03\n\n**Evidence:** main/CORRECTIONS.md#k3f9w2m7qa\n\n"
        "**By:** keeper:soul-keeper\n\n**Snapshot:** SOUL_HISTORY/SOUL-2026-02-04-1000.md\n"
    )


def test_what_is_proposed_stands_in_the_changelog_too_and_again_when_it_is_approved() -> None:
    t = home(before=SOUL)
    t.say(OPERATOR, "don't use emojis")
    t.agent.run("soul-keeper")
    (proposal,) = t.agent.review.proposals()
    log = t.text("CHANGELOG.md")
    assert f"**Proposal {proposal.id}** (the operator asked for this on 2026-02-04): **Emojis**: none." in log
    assert t.paths("SOUL_HISTORY") == []
    t.clock.advance(timedelta(days=2))
    t.agent.review.approve(proposal.id)
    assert t.agent.files.show("SOUL_HISTORY/SOUL-2026-02-06-1001.md").data == SOUL.encode()
    assert f"proposal {proposal.id} approved by operator:acct:owner" in t.text("CHANGELOG.md")


# later, once, and within limits


def test_what_found_no_room_today_is_taken_up_the_next_day() -> None:
    t = home(before=SOUL)
    for words in ("don't use emojis", "don't use tables", "always answer in German", "please stop apologising"):
        t.say(OPERATOR, words)
    t.agent.run("soul-keeper")
    approved(t)
    t.clock.advance(timedelta(days=1))
    (report,) = t.agent.run("soul-keeper")
    assert [step.change_set.operations[0].title for step in report.steps] == ["Apologies"]  # type: ignore[union-attr]
    assert t.agent.run("soul-keeper") == []


def test_a_rejected_edit_is_not_proposed_again_and_one_that_waits_not_twice() -> None:
    t = home(before=SOUL)
    t.say(OPERATOR, "don't use emojis")
    t.agent.run("soul-keeper")
    t.say(OPERATOR, "no more emojis, please")
    t.agent.run("soul-keeper")
    (proposal,) = t.agent.review.proposals()
    t.agent.review.reject(proposal.id)
    assert t.agent.run("soul-keeper") == []
    assert t.agent.review.proposals() == []


def test_what_waits_and_says_the_opposite_is_told() -> None:
    t = home(before=SOUL)
    t.say(OPERATOR, "don't use emojis")
    t.agent.run("soul-keeper")
    t.say(OPERATOR, "from now on use emojis again")
    (report,) = t.agent.run("soul-keeper")
    assert report.notes == ("a proposal that waits for SOUL.md says the opposite of m:2: reject one of them",)


def test_a_soul_that_is_full_grows_no_more_and_says_so_until_there_is_room() -> None:
    t = home(before=SOUL + "- filler words that take room\n" * 25, more="soul_max_tokens: 100\n")
    t.say(OPERATOR, "don't use emojis")
    (report,) = t.agent.run("soul-keeper")
    assert report.steps == ()
    (note,) = report.notes
    assert re.fullmatch(r"left out: SOUL\.md would have \d+ of 100 tokens .*", note)
    t.agent.files.put("SOUL.md", SOUL.encode())
    (report,) = t.agent.run("soul-keeper")
    assert len(report.steps) == 1


def test_what_waits_counts_towards_the_limit() -> None:
    t = home(before=SOUL, more="soul_max_tokens: 100\n")
    for number, words in enumerate(
        ("don't use tables", "don't use emojis", "please stop apologising", "stop guessing")
    ):
        t.say(OPERATOR, words)
        t.clock.advance(timedelta(days=number))
        t.agent.run("soul-keeper")
    t.say(OPERATOR, "always use metric units and never use jargon")
    approved(t)
    count = t.soul._home.world.host.tokens("")
    assert count(t.text("SOUL.md")) <= 100


def test_a_dry_run_writes_nothing_and_the_real_one_finds_the_same() -> None:
    t = home("auto", SOUL)
    corrected(t, CORRECTION)
    before = {name: t.store.read(name).data for name in t.store.names("main")}
    (dry,) = t.agent.run("soul-keeper", dry_run=True)
    assert {name: t.store.read(name).data for name in t.store.names("main")} == before
    (real,) = t.agent.run("soul-keeper")
    assert [s.change_set for s in dry.steps] == [s.change_set for s in real.steps]


def test_many_messages_are_looked_at_batch_after_batch() -> None:
    t = home(before=SOUL)
    for number in range(1100):
        t.agent.hear(f"message {number}", session=OPERATOR, time=START)
    t.say(OPERATOR, "don't use emojis")
    reports = t.agent.run("soul-keeper")
    assert [len(report.steps) for report in reports] == [0, 0, 1]
    assert t.agent.run("soul-keeper") == []


def test_a_standing_instruction_that_was_remembered_is_a_ground_once() -> None:
    t = home(before=SOUL)
    t.agent.remember("Always answer in German")
    t.agent.remember("The key hangs behind the door, always")
    (report,) = t.agent.run("soul-keeper")
    (step,) = report.steps
    assert step.change_set.operations[0].text == "answer in German."  # type: ignore[union-attr]
    assert [e.ref.partition("#")[0] for e in step.change_set.evidence] == ["main/MEMORY.md"]
    assert t.agent.run("soul-keeper") == []


def test_a_template_does_not_grow_over_a_configured_role() -> None:
    t = talk("timezone: UTC\nsoul_max_tokens: 2000\nagents: {list: [{id: main, role: A pirate.}]}\n")
    t.say(OPERATOR, "don't use emojis")
    (report,) = t.agent.run("soul-keeper")
    assert (report.steps, len(report.notes)) == ((), 1)
    t.agent.files.put("SOUL.md", SOUL.encode())
    (report,) = t.agent.run("soul-keeper")
    assert len(report.steps) == 1


def test_corrections_that_others_stated_are_none() -> None:
    text = CORRECTION.replace("src=m:139", "src=m:139 origin=participant").encode()
    assert corrections(Name("main", "CORRECTIONS.md"), text, START) == []


def test_the_prompt_of_the_soul_keeper_is_seeded() -> None:
    assert "# Soul Keeper" in talk().text("agents/soul-keeper/SOUL.md")


# rules


@pytest.mark.parametrize(
    ("rule", "reply", "against"),
    [
        ("emojis:no", "Done 🎉", True),
        ("emojis:no", "Done → see ✎ notes ─ ok".replace("✎ ", ""), False),
        ("emojis:yes", "Done", False),
        ("exclamation:no", "Done!", True),
        ("lists:no", "- a\n- b\n- c", True),
        ("lists:no", "- a", False),
        ("tables:no", "| a |\n|---|\n| b |", True),
        ("headings:no", "# Plan\nx", True),
        ("apologies:no", "I'm so sorry about that.", True),
        ("flattery:no", "Great question! It is five.", True),
        ("length:no", "word " * 300, True),
        ("language:german", "I think that you have what you asked for, and this is not all.", True),
        ("language:german", "Das ist nicht alles, und ich habe auch noch eine Frage für dich.", False),
        ("language:german", "OK.", False),
        ("language:english", "これは日本語の返事です。", True),
    ],
)
def test_a_reply_goes_against_a_principle_only_where_that_is_plain(rule: str, reply: str, *, against: bool) -> None:
    assert goes_against(rule, reply) is against


@pytest.mark.parametrize(
    "text",
    ["Don't tell anyone.", "don't tell my sister", "never mind", "Never say anything to anybody", "he never writes"],
)
def test_what_is_said_between_two_people_is_no_principle(text: str) -> None:
    assert rules.instructions(text) == []


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("Say when you are not sure.", True),
        ("Lena comes first.", True),
        ("Be kind to Lena.", False),
        ("Answer before 8.", False),
        ("Never mention the divorce.", False),
        ("Answer in German.", True),
        ("x" * 300, False),
    ],
)
def test_words_of_private_talk_are_not_for_everyone(text: str, *, public: bool) -> None:
    private = rules.vocabulary(["the divorce of my sister", "tell me in german"])
    assert rules.is_public(text, private, frozenset()) is public


@pytest.mark.parametrize(
    ("wrong", "right"), [("Old value", "New value"), ("Wrong value", "Right value"), ("Was", "Now")]
)
def test_a_correction_is_read_by_whatever_label_its_values_have(wrong: str, right: str) -> None:
    block = f"## 2026-02-04 10:00 UTC\n\n**Correct:** The cat is six\n**{wrong}:** seven\n**{right}:** six\n"
    (found,) = corrections(Name("main", "CORRECTIONS.md"), block.encode(), START)
    assert (found.old, found.new) == ("seven", "six")
