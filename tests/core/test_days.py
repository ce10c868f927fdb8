"""Days whose time is over leave for the archive, byte for byte, and come back."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from oldsoul import Session
from oldsoul.errors import NotFound
from oldsoul.testing import FrozenClock
from oldsoul.values.names import Name
from oldsoul.wiring import open_home
from talk_bench import Talk, talk

if TYPE_CHECKING:
    from pathlib import Path

OLD = b"\xef\xbb\xbf# 2026-01-01\r\n\r\n## 2026-01-01 09:00 UTC <!--os 0000000001 aud=room:dev-->\r\n\r\npassword: hunter2hunter2"


def with_days(*days: str, config: str = "timezone: UTC\n") -> Talk:
    t = talk(config)
    for day in days:
        t.store.save_outside(Name("main", f"memory/{day}.md"), OLD)
    return t


def test_days_past_their_time_go_to_the_archive_byte_for_byte_and_come_back() -> None:
    t = with_days("2026-01-01", "2026-01-01.2", "2026-01-04", "2026-01-05", "2026-02-04")
    gone = t.agent._parts.days.archive_old()
    assert [name.path for name in gone] == [
        "memory/2026-01-01.2.md",
        "memory/2026-01-01.md",
        "memory/2026-01-04.md",
    ]
    assert t.agent._parts.days.archive_old() == []
    assert t.store.read(Name("main", "Archive/Daily/2026-01-01.md")).data == OLD
    assert t.store.read(Name("main", "memory/2026-01-01.md")).data is None
    shown = [(str(one.day), one.archived, one.entries) for one in t.agent._parts.days.all()]
    assert shown == [
        ("2026-02-04", False, 1),
        ("2026-01-05", False, 1),
        *[("2026-01-04", True, 1), ("2026-01-01", True, 1), ("2026-01-01", True, 1)],
    ]
    back = t.agent.talk.restore_day(date(2026, 1, 1))
    assert [name.path for name in back] == ["memory/2026-01-01.2.md", "memory/2026-01-01.md"]
    assert t.store.read(Name("main", "memory/2026-01-01.md")).data == OLD
    assert len(t.agent._parts.days.archive_old()) == 2
    with pytest.raises(NotFound, match="2026-01-05"):
        t.agent.talk.restore_day(date(2026, 1, 5))


def test_a_day_that_is_in_the_archive_already_is_not_doubled_and_another_one_stands_beside_it() -> None:
    t = with_days("2026-01-01")
    t.agent._parts.days.archive_old()
    t.store.save_outside(Name("main", "memory/2026-01-01.md"), OLD)
    t.agent._parts.days.archive_old()
    assert t.paths("Archive/Daily") == ["Archive/Daily/2026-01-01.md"]
    t.store.save_outside(Name("main", "memory/2026-01-01.md"), b"# another\n")
    t.agent._parts.days.archive_old()
    assert t.paths("Archive/Daily") == ["Archive/Daily/2026-01-01.2.md", "Archive/Daily/2026-01-01.md"]
    assert t.store.read(Name("main", "Archive/Daily/2026-01-01.2.md")).data == b"# another\n"


@pytest.mark.parametrize(
    ("config", "kept"),
    [
        ("", 30),
        ("memory: {workspace: {daily_log_retention_days: 7}}\n", 7),
        ("memory: {workspace: {daily_log_retention_days: 90}}\n", 90),
        ("compaction_age_days: 60\n", 60),
    ],
)
def test_days_stay_for_as_long_as_is_set_under_either_name(config: str, kept: int) -> None:
    t = talk(f"timezone: UTC\n{config}")
    assert t.agent._parts.days.kept_for() == kept
    edge = t.agent._parts.today().date() - timedelta(days=kept)
    for day in (edge, edge - timedelta(days=1)):
        t.store.save_outside(Name("main", f"memory/{day}.md"), OLD)
    assert [name.path for name in t.agent._parts.days.archive_old()] == [f"memory/{edge - timedelta(days=1)}.md"]


def test_old_days_are_put_away_when_the_diary_is_written_but_not_in_a_folder_of_another_program(tmp_path: Path) -> None:
    with open_home(tmp_path / "home", {}):
        pass
    day = tmp_path / "home/workspace/main/memory/2020-01-01.md"
    day.write_bytes(OLD)
    with open_home(tmp_path / "home", {}) as soul:
        assert day.exists()
        soul.append_daily_log("main", "a walk")
        assert not day.exists()
        assert (tmp_path / "home/workspace/main/Archive/Daily/2020-01-01.md").read_bytes() == OLD
    claw = tmp_path / "claw"
    (claw / "memory").mkdir(parents=True)
    (claw / "memory/2020-01-01.md").write_bytes(OLD)
    (tmp_path / "second").mkdir()
    config = tmp_path / "second/config.yaml"
    config.write_text(f"agents: {{list: [{{id: main, workspace: {claw}}}]}}\n")
    with open_home(tmp_path / "second", {}) as soul:
        soul.append_daily_log("main", "a walk")
        assert (claw / "memory/2020-01-01.md").read_bytes() == OLD
    config.write_text(f"{config.read_text()}memory: {{workspace: {{daily_log_retention_days: 30}}}}\n")
    with open_home(tmp_path / "second", {}) as soul:
        said = Session.dm()
        soul.agent().hear("The cat is called Tom", session=said)
        soul.agent().talk.end(said, dry_run=True)
        assert (claw / "memory/2020-01-01.md").read_bytes() == OLD
        soul.agent().talk.end(said)
        assert (claw / "Archive/Daily/2020-01-01.md").read_bytes() == OLD


def test_without_a_timezone_a_moment_falls_on_the_day_it_had_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        winter = FrozenClock(datetime(2026, 12, 1, 12, tzinfo=UTC))
        with open_home(tmp_path / "home", {"TZ": "Europe/Berlin"}, winter) as soul:
            agent = soul.agent()
            night = datetime(2026, 7, 1, 22, 30, tzinfo=UTC)
            agent.talk.append_daily_log("a walk", time=night)
            assert "2026-07-02 00:30" in agent._parts.plain(
                "memory/2026-07-02.md", agent.files.show("memory/2026-07-02.md").data or b""
            )
            agent.hear("the moon is up", session=Session.dm(), time=night)
            agent.talk.end(Session.dm())
            assert any(file.name.path.startswith("memory/2026-07-02/") for file in agent.files.all())
    finally:
        monkeypatch.undo()
        time.tzset()
