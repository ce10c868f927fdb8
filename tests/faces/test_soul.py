"""The command `soul`: the timeline, two versions compared, one shown, one put back."""

from __future__ import annotations

from pathlib import Path

import pytest

from faces.test_cli import answer, ok, refusal
from oldsoul import Oldsoul, Session

SOUL = b"# Soul\n\n## Vibe\n\n- **Tone**: calm.\n"


@pytest.fixture
def proposal() -> str:
    """A home whose soul the operator wrote, and for which something is proposed."""
    ok("config", "set", "timezone", "UTC")
    with Oldsoul.open(Path.home() / ".oldsoul") as soul:
        agent = soul.agent()
        agent.files.put("SOUL.md", SOUL)
        agent.hear("please don't use emojis", session=Session.dm())
        agent.run("soul-keeper")
        (found,) = agent.review.proposals()
        return found.id


def test_the_timeline_lists_the_versions_with_who_why_and_tokens(proposal: str) -> None:
    ok("review", "approve", proposal)
    newest, by_hand, seeded = answer("soul")
    assert (newest["author"], newest["approved_by"]) == ("keeper:soul-keeper", "operator:acct:owner")
    assert newest["tokens"] > by_hand["tokens"] > 0
    assert newest["snapshot"].startswith("SOUL_HISTORY/SOUL-")
    assert seeded["author"] == "system:templates"
    text = ok("soul")
    assert text.splitlines()[0].split() == ["VERSION", "WHEN", "WHO", "WHY", "TOKENS", "SNAPSHOT", "BEFORE"]
    assert "soul-keeper, approved" in text
    assert len(answer("soul", "list", "-n", "1")) == 1


def test_two_versions_are_compared_and_one_is_shown(proposal: str) -> None:
    ok("review", "approve", proposal)
    newest, by_hand, _ = (str(each["version"]) for each in answer("soul"))
    assert "+- **Emojis**: none." in ok("soul", "diff", by_hand)
    assert "-- **Emojis**: none." in answer("soul", "diff", newest, by_hand)["diff"]
    assert ok("soul", "diff", newest, "now").strip() == "They are the same."
    assert ok("soul", "show", f"#{by_hand}") == SOUL.decode()
    assert answer("soul", "show", by_hand) == {"version": by_hand, "text": SOUL.decode()}
    assert "**Emojis**" in ok("soul", "show")


def test_rolling_back_says_how_to_come_back(proposal: str) -> None:
    ok("review", "approve", proposal)
    _, by_hand, _ = (str(each["version"]) for each in answer("soul"))
    text = ok("soul", "rollback", by_hand)
    assert "-- **Emojis**: none." in text
    assert ok("soul", "show") == SOUL.decode()
    back = text.rpartition("rollback ")[2].partition("`")[0]
    value = answer("soul", "rollback", back)
    assert value["snapshot"].startswith("SOUL_HISTORY/")
    assert "**Emojis**" in ok("soul", "show")
    assert ok("show", "CHANGELOG.md").count("rolled back to version") == 2


@pytest.mark.usefixtures("proposal")
def test_a_version_that_is_none_is_refused() -> None:
    assert refusal(3, "soul", "show", "999")
    assert refusal(3, "soul", "show", "SOUL-2020-01-01-0000")
    assert refusal(2, "soul", "rollback", "../x")
    assert refusal(2, "soul", "rollback", "now")
