"""The demo home: made quickly, into an empty folder alone, and with something in it for every part of the product."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from oldsoul.faces.cli import cli
from oldsoul.faces.cli.demo import Life, script
from oldsoul.testing import FrozenClock
from oldsoul.values.jobs import Status
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Oldsoul

UNTIL = date(2026, 3, 14)
MAREN, TOMAS = "acct:maren", "acct:tomas"
SECRET = "offer Tomas a share"  # noqa: S105 - a plan that nobody else may see
ROOM = "bakery-team"


@pytest.fixture(scope="module")
def soul(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oldsoul]:
    """The demo home, copied to another folder, on the morning of its last day."""
    made, copy = tmp_path_factory.mktemp("demo") / "made", tmp_path_factory.mktemp("demo") / "copy"
    Life(made, UNTIL, lambda _day: None).play()
    shutil.copytree(made, copy)
    shutil.rmtree(made)
    with open_home(copy, {}, FrozenClock(datetime(2026, 3, 14, 9, tzinfo=UTC))) as opened:
        yield opened


def test_there_is_something_for_every_screen(soul: Oldsoul) -> None:
    agent = soul.agent()
    assert (agent.id, agent._parts.display_name) == ("juniper", "Juniper")
    paths = [file.name.path for file in agent.files.all()]
    for start in ("Archive/Daily/", "Archive/Chronicles/", "SOUL_HISTORY/", "memory/_longterms/acct_tomas/", "skills/"):
        assert any(path.startswith(start) for path in paths), start
    assert f"rooms/{ROOM}.md" in paths
    assert {day.day for day in agent.talk.days()} >= {date(2026, 3, day) for day in range(1, 14)}
    tags = {entry.tag for entry in agent.memory.entries(limit=1000)}
    assert tags >= {"decision", "event", "knowledge", "skill"}
    assert len(agent.files.soul_versions()) >= 4
    assert len(agent.talk.sessions()) >= 20
    assert len(agent.talk.messages(Wanted(limit=1000))) >= 90


def test_something_waits_for_the_operator(soul: Oldsoul) -> None:
    agent = soul.agent()
    waiting = {name.path for proposal in agent.review.proposals() for name in agent.review.preview(proposal.id)}
    assert waiting >= {"SOUL.md", "MEMORY.md"}
    (keepers,) = [each for each in agent.review.proposals() if str(each.change_set.author) == "keeper:soul-keeper"]
    assert "Grams please" in keepers.change_set.evidence[0].quote
    assert "keeper:recall-validator" in {str(each.change_set.author) for each in agent.review.proposals()}
    assert b"status=open" in (agent.files.show("CONFLICTS.md").data or b"")


def test_the_last_run_of_a_keeper_failed(soul: Oldsoul) -> None:
    runs = soul._home.timetable.history("juniper", "memory-miner")
    assert [run.result.status for run in runs][:2] == [Status.FAILED, Status.DONE]
    assert sum(run.result.cost for run in runs) > 0


def test_what_was_corrected_holds_and_what_is_private_stays_private(soul: Oldsoul) -> None:
    agent = soul.agent()
    found = agent.recall("when does the flour come?", session=Session.dm(MAREN))
    assert "Wednesdays" in found.hits[0].chunk.text
    assert SECRET in agent.context("what is planned for autumn?", session=Session.dm(MAREN)).block
    for session in (Session.group(ROOM), Session.dm(TOMAS)):
        assert SECRET not in agent.prompt("what is planned for autumn?", session=session).text


def test_it_is_in_order(soul: Oldsoul) -> None:
    done = CliRunner().invoke(cli, ["doctor", "--json", "--home", str(soul._home.world.home)])
    assert [each for each in json.loads(done.stdout)["checks"] if each["level"] == "error"] == []


def test_every_reply_of_the_script_follows_a_message() -> None:
    played = script()
    for step in played.steps:
        speakers = [line.speaker for line in step.talk.lines] if step.talk else []
        for before, after in zip(["", *speakers], speakers, strict=False):
            assert after in played.people or before in played.people, step


def test_a_folder_that_has_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = CliRunner().invoke(cli, ["demo", str(tmp_path)])
    assert done.exit_code == 2
    assert "is not an empty folder" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    done = CliRunner().invoke(cli, ["demo", str(tmp_path / "new"), "--until", "soon"])
    assert done.exit_code == 2
    assert "is not a day" in done.stderr
