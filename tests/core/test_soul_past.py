"""The soul through time: snapshots whoever changes it, versions, rollback, undo, and that the user is told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.test_soul import CORRECTION, OPERATOR, SOUL, approved, corrected, home
from oldsoul.errors import BadInput, NotFound
from oldsoul.rules import limits
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from talk_bench import Talk, talk

NAME = Name("main", "SOUL.md")
AGENT = Author(Role.AGENT, "main")


def grown() -> Talk:
    t = home("auto", SOUL)
    corrected(t, CORRECTION)
    t.clock.advance(timedelta(hours=1))
    t.agent.run("soul-keeper")
    return t


def blocks(t: Talk) -> list[str]:
    return t.text("CHANGELOG.md").split("\n## ")[1:]


# snapshots


def test_what_an_agent_wished_for_is_snapshotted_and_logged_when_it_is_approved() -> None:
    t = home(before=SOUL)
    evidence = (Evidence("m:1", Origin.OPERATOR, OWNER, "the secret words"),)
    t.soul._home.ledger.apply(ChangeSet((Add(NAME, "Brief.", section="Vibe"),), AGENT, "a wish", "k", evidence))
    assert t.paths("SOUL_HISTORY") == []
    approved(t)
    assert t.agent.files.show("SOUL_HISTORY/SOUL-2026-02-04-1000.md").data == SOUL.encode()
    (block,) = blocks(t)
    assert "**Added** (Vibe): Brief." in block
    assert "**Evidence:** m:1" in block
    assert "secret words" not in block


def test_an_approved_text_that_was_edited_is_logged_as_it_was_written() -> None:
    t = home(before=SOUL)
    t.say(OPERATOR, "don't use emojis")
    t.agent.run("soul-keeper")
    (proposal,) = t.agent.review.proposals()
    t.agent.review.approve(proposal.id, edited={NAME: SOUL.encode() + b"- Few emojis.\n"})
    assert "**Added** (Vibe): Few emojis." in blocks(t)[-1]
    assert t.paths("SOUL_HISTORY") == ["SOUL_HISTORY/SOUL-2026-02-04-1001.md"]


def test_two_changes_in_a_minute_have_snapshots_of_their_own() -> None:
    t = home(before=SOUL)
    for words in ("don't use emojis", "don't use tables"):
        t.say(OPERATOR, words)
    t.agent.run("soul-keeper")
    approved(t)
    first, second = t.paths("SOUL_HISTORY")
    assert (first, second) == ("SOUL_HISTORY/SOUL-2026-02-04-1002-2.md", "SOUL_HISTORY/SOUL-2026-02-04-1002.md")
    assert t.agent.files.show(second).data == SOUL.encode()
    assert t.agent.files.show(first).data != SOUL.encode()


def test_what_the_operator_writes_is_in_history_and_leaves_no_snapshot() -> None:
    t = home(before=SOUL)
    t.agent.files.put("SOUL.md", b"# Other\n")
    assert t.paths("SOUL_HISTORY") == []
    assert blocks(t) == []
    assert [version.author.role for version in t.agent.files.soul_versions()] == ["operator", "operator", "system"]


def test_taking_a_change_back_leaves_its_record_and_adds_one() -> None:
    t = grown()
    change = t.agent.files.soul_versions()[0].change
    t.clock.advance(timedelta(hours=1))
    t.agent.undo(change)
    assert t.agent.files.show("SOUL.md").data == SOUL.encode()
    assert t.paths("SOUL_HISTORY") == ["SOUL_HISTORY/SOUL-2026-02-04-1100.md", "SOUL_HISTORY/SOUL-2026-02-04-1200.md"]
    first, second = blocks(t)
    assert "**Added**" in first
    assert "**Removed** (Vibe): **Emojis**: none." in second
    assert f"change {change} was undone" in second
    t.agent.undo(t.agent.files.soul_versions()[0].change)
    assert "**Emojis**: none." in t.text("SOUL.md")
    assert len(blocks(t)) == 3


def test_the_days_of_snapshots_and_of_the_log_are_the_agents() -> None:
    east = talk("timezone: Asia/Tokyo\nsoul: {growth: auto}\n")
    east.agent.files.put("SOUL.md", SOUL.encode())
    corrected(east, CORRECTION)
    east.agent.run("soul-keeper")
    assert east.paths("SOUL_HISTORY") == ["SOUL_HISTORY/SOUL-2026-02-04-1900.md"]
    assert blocks(east)[0].startswith("2026-02-04 19:00 +09:00")


def test_a_changelog_that_is_full_stops_the_change_rather_than_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LOG_SIZE", 16384)
    t = talk("timezone: UTC\nsoul: {growth: auto}\n")
    t.agent.files.put("SOUL.md", SOUL.encode())
    t.agent.files.put("CHANGELOG.md", b"# Changes\n\n" + b"x" * 16300 + b"\n")
    corrected(t, CORRECTION)
    (report,) = t.agent.run("soul-keeper")
    assert "CHANGELOG.md would have" in report.problems[0]
    assert t.agent.files.show("SOUL.md").data == SOUL.encode()
    assert t.paths("SOUL_HISTORY") == []


def test_what_is_forgotten_is_forgotten_in_snapshots_and_the_log_too() -> None:
    t = grown()
    t.clock.advance(timedelta(hours=1))
    t.agent.files.soul_rollback("SOUL-2026-02-04-1100")
    entry = next(e for p in t.paths("SOUL_HISTORY") for e in t.document(Name("main", p)).entries if e.title == "Emojis")
    t.agent.forget(NAME, entry.id)
    for path in t.paths():
        assert b"**Emojis**: none." not in (t.agent.files.show(path).data or b""), path


# versions


def test_the_timeline_has_every_version_with_who_why_and_how_large() -> None:
    t = grown()
    newest, by_hand, seeded = t.agent.files.soul_versions()
    assert (str(newest.author), newest.reason) == ("keeper:soul-keeper", "the operator corrected this on 2026-02-03")
    assert newest.snapshot == "SOUL_HISTORY/SOUL-2026-02-04-1100.md"
    assert newest.tokens > by_hand.tokens > 0
    assert seeded.author.role is Role.SYSTEM
    assert t.agent.files.soul_text(str(by_hand.change)) == SOUL.encode()
    assert t.agent.files.soul_text(f"#{newest.change}") == t.agent.files.soul_text("now") == newest.data


def test_any_two_versions_can_be_compared() -> None:
    t = grown()
    newest, by_hand, seeded = (str(version.change) for version in t.agent.files.soul_versions())
    assert "+- **Emojis**: none." in t.agent.files.soul_diff(by_hand)
    assert "-- **Emojis**: none." in t.agent.files.soul_diff(newest, by_hand)
    assert "-## Identity" in t.agent.files.soul_diff(seeded, "SOUL-2026-02-04-1100")
    assert t.agent.files.soul_diff(by_hand, "SOUL_HISTORY/SOUL-2026-02-04-1100.md") == ""


@pytest.mark.parametrize("which", ["99", "SOUL-2020-01-01-0000", "../MEMORY", "MEMORY.md", "", "a/b"])
def test_a_version_that_is_none_is_not_found(which: str) -> None:
    t = grown()
    with pytest.raises((NotFound, BadInput)):
        t.agent.files.soul_text(which)


def test_rolling_back_gives_the_same_bytes_a_snapshot_and_a_block() -> None:
    t = grown()
    newest, by_hand, _ = t.agent.files.soul_versions()
    t.clock.advance(timedelta(days=1))
    outcome = t.agent.files.soul_rollback(str(by_hand.change))
    assert t.agent.files.show("SOUL.md").data == SOUL.encode()
    assert outcome.change is not None
    assert outcome.change.author.role is Role.OPERATOR
    assert t.agent.files.show("SOUL_HISTORY/SOUL-2026-02-05-1100.md").data == newest.data
    assert f"rolled back to version {by_hand.change}" in blocks(t)[-1]
    with pytest.raises(BadInput, match="already"):
        t.agent.files.soul_rollback(str(by_hand.change))
    t.agent.files.soul_rollback("SOUL-2026-02-05-1100")
    assert t.agent.files.show("SOUL.md").data == newest.data


# telling


def line(t: Talk, session: Session) -> list[str]:
    return [text for text in t.agent.context("hello", session=session).block.splitlines() if "SOUL.md was" in text]


def test_the_operator_is_told_once_in_each_private_session_that_the_soul_changed() -> None:
    t = grown()
    (told,) = line(t, OPERATOR)
    assert told == (
        "- SOUL.md was changed on 2026-02-04 11:00 by soul-keeper (Vibe): tell the user so in this reply."
        " `oldsoul soul` shows what changed."
    )
    assert line(t, OPERATOR) == [told]
    t.say(OPERATOR, "By the way, my soul changed.", role="assistant")
    assert line(t, OPERATOR) == []
    assert line(t, Session.dm("acct:owner", id="other")) == [told]
    t.clock.advance(timedelta(days=8))
    assert line(t, Session.dm("acct:owner", id="third")) == []


def test_nobody_else_is_told_and_nothing_is_told_of_the_operators_own_commands() -> None:
    t = grown()
    for session in (Session.dm("acct:7"), Session.group("kitchen"), Session.cron("x"), Session.group("")):
        assert line(t, session) == []
    t = home(before=SOUL)
    t.agent.files.put("SOUL.md", b"# Other\n")
    assert line(t, OPERATOR) == []


def test_an_approved_proposal_and_a_save_past_oldsoul_are_told() -> None:
    t = home(before=SOUL)
    t.say(OPERATOR, "don't use emojis")
    t.agent.run("soul-keeper")
    assert line(t, OPERATOR) == []
    approved(t)
    assert "by soul-keeper (Vibe)" in line(t, OPERATOR)[0]
    t.clock.advance(timedelta(hours=3))
    t.say(OPERATOR, "Told.", role="assistant")
    t.store.save_outside(NAME, (t.agent.files.show("SOUL.md").data or b"") + b"- By hand.\n")
    t.clock.advance(timedelta(hours=3))
    assert "by a save by hand (Vibe)" in line(t, OPERATOR)[0]
