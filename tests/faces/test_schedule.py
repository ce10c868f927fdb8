"""The command that shows the schedule, runs it, and writes it down for cron."""

from __future__ import annotations

import json
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from faces.test_cli import answer, ok, refusal, run, start
from oldsoul import wiring
from oldsoul.app.keepers.runs import KeeperRuns
from oldsoul.driver import Report, Run
from oldsoul.testing import FrozenClock
from oldsoul.values.keepers import KEEPERS

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
JOBS = [record.name for record in KEEPERS if record.schedule]
DAILY = ("soul-keeper", "memory-miner", "conflict-detector")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    """A home in Berlin, a clock that a test moves, and keepers that find little to do."""
    clock = FrozenClock(NOON)
    monkeypatch.setattr(wiring.world, "SystemClock", lambda: clock)

    def work(_: KeeperRuns, job: str, *, on_progress: Callable[[str], None]) -> Iterator[Report]:
        on_progress("looking")
        clock.advance(timedelta(seconds=95))
        if job == "conflict-detector":
            raise ValueError("no\x1b[31m luck")
        yield Report(Run("main", job, "a"), (), ("all quiet",), tokens_in=1000, tokens_out=50)

    monkeypatch.setattr(KeeperRuns, "run", work)
    ok("init")
    ok("config", "set", "timezone", "Europe/Berlin")
    ok("config", "set", "keepers.model.input_price", "3")
    return clock


def words(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def by_name(*more: str) -> dict[str, dict[str, Any]]:
    return {job["job"]: job for job in answer("keepers", *more)}


def only(*names: str) -> None:
    """Switch the other keepers off."""
    for record in KEEPERS:
        if record.schedule and record.name not in names:
            ok("config", "set", record.setting_path, "off")


def test_a_new_home_shows_what_will_run_when(clock: FrozenClock) -> None:
    del clock
    head, *rows = words(ok("keepers"))
    assert head == "AGENT KEEPER SCHEDULE NEXT LAST TOOK CHANGES COST"
    assert [row.split()[1] for row in rows] == JOBS
    assert "main soul-keeper 02:30 2026-02-05 02:30 – – – –" in rows
    assert "main memory-compactor Sunday 03:00 2026-02-08 03:00 – – – –" in rows
    assert "main soul-history monthly 03:45 2026-03-01 03:45 – – – –" in rows
    assert ok("keepers", "history", "memory-miner") == "memory-miner has not run on schedule yet.\n"


def test_what_is_due_is_done_once_and_shown(clock: FrozenClock) -> None:
    only(*DAILY)
    first = run("keepers", "start", "--once")
    assert (first.exit_code, first.stdout, first.stderr) == (0, "", "Nothing is due.\n")
    clock.advance(timedelta(days=1))
    second = run("keepers", "start", "--once")
    assert second.exit_code == 1  # one of them failed
    assert words(second.stdout) == [
        "13:01:35 soul-keeper of 02:30: done, 0 changes, 1 min 35 s, all quiet",
        "13:03:10 memory-miner of 06:00: done, 0 changes, 1 min 35 s, all quiet",
        "13:04:45 conflict-detector of 07:00: failed, 0 changes, 1 min 35 s, ValueError: no\ufffd[31m luck",
    ]
    row = "main memory-miner 06:00 2026-02-06 06:00 done, 2026-02-05 13:03 1 min 35 s 0 0.0030"
    assert row in words(ok("keepers"))
    clock.advance(timedelta(days=2))
    lines = words(run("keepers", "start", "--once").stdout)
    assert lines[0].endswith("soul-keeper of 2026-02-06 02:30: skipped, missed by more than 24 h")
    assert words(ok("keepers", "history", "soul-keeper", "-n", "2"))[1:] == [
        "2026-02-07 02:30 done 1 min 35 s 0 1050 0.0030 1 all quiet",
        "2026-02-06 02:30 skipped – 0 0 – 0 missed by more than 24 h",
    ]


def test_programs_get_every_field(clock: FrozenClock) -> None:
    only(*DAILY)
    ok("keepers", "start", "--once")
    clock.advance(timedelta(days=1))
    lines = [json.loads(line) for line in run("keepers", "start", "--once", "--json").stdout.splitlines()]
    assert [(line["job"], line["status"]) for line in lines] == [
        ("soul-keeper", "done"),
        ("memory-miner", "done"),
        ("conflict-detector", "failed"),
    ]
    found = by_name()
    assert list(found) == JOBS
    past = found["memory-miner"]["last"]
    assert past == {
        "slot": "2026-02-05T06:00[Europe/Berlin]",
        "at": "2026-02-05T05:00:00+00:00",
        "status": "done",
        "started": "2026-02-05T12:01:35+00:00",
        "ended": "2026-02-05T12:03:10+00:00",
        "seconds": 95.0,
        "changes": 0,
        "tokens_in": 1000,
        "tokens_out": 50,
        "cost": 0.003,
        "attempts": 1,
        "notes": ["all quiet"],
    }
    assert answer("keepers", "history", "memory-miner") == [past]
    assert lines[1] == {"time": "2026-02-05T13:03:10+01:00", "agent": "main", "job": "memory-miner", **past}
    assert found["memory-miner"] == {
        "agent": "main",
        "job": "memory-miner",
        "setting": "keepers.schedule.memory_miner",
        "when": "06:00",
        "zone": "Europe/Berlin",
        "next": {"slot": "2026-02-06T06:00[Europe/Berlin]", "at": "2026-02-06T05:00:00+00:00"},
        "running": None,
        "last": past,
        "problem": "",
    }


def test_what_is_under_way_is_shown_to_others(clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> None:
    only(*DAILY)
    ok("keepers", "start", "--once")
    clock.advance(timedelta(days=1))
    seen: list[str] = []

    def work(_: KeeperRuns, job: str, *, on_progress: Callable[[str], None]) -> Iterator[Report]:
        on_progress(f"{job}: day 3")
        seen.append(next(line for line in words(ok("keepers")) if f" {job} " in line))
        seen.append(by_name()[job]["running"]["what"])
        yield Report(Run("main", job, "a"), ())

    monkeypatch.setattr(KeeperRuns, "run", work)
    ok("keepers", "start", "--once")
    assert seen[0].startswith("main soul-keeper 02:30 running: soul-keeper: day 3 ")
    assert seen[1] == "soul-keeper: day 3"


def test_agents_have_their_own_jobs_and_times(clock: FrozenClock) -> None:
    del clock
    ok("config", "set", "agents.scout.role", "looks around")
    ok("config", "set", "-a", "scout", "keepers.schedule.memory_miner", "off")
    assert [(job["agent"], job["job"]) for job in answer("keepers")] == [
        (agent, job) for agent in ("main", "scout") for job in JOBS
    ]
    mine = by_name("-a", "scout")
    assert (mine["memory-miner"]["when"], mine["memory-miner"]["next"]) == ("off", None)
    assert "memory-miner" not in ok("keepers", "--crontab", "-a", "scout")


def test_cron_gets_its_lines(clock: FrozenClock) -> None:
    del clock
    only(*DAILY, "memory-compactor", "vector-hygiene", "soul-history")
    ok("config", "set", "keepers.schedule.memory_miner", "0 6 * * 1#2")
    ok("config", "set", "keepers.schedule.soul_history", "5 4 1 JUL *")
    ok("config", "set", "keepers.schedule.enabled", "false")  # cron is what runs them then
    lines = ok("keepers", "--crontab").splitlines()
    home = Path.home() / ".oldsoul"
    assert all(line.startswith("# ") for line in lines[:2])
    assert lines[2] == "CRON_TZ=Europe/Berlin"
    assert lines[3].startswith("30 2 * * * ")
    assert lines[3].endswith(f"oldsoul keepers run soul-keeper --agent main --home {home}")
    assert lines[4].startswith("# cron cannot express '0 6 * * 1#2'")
    assert [" ".join(line.split()[:5]) for line in lines[5:]] == ["0 7 * * *", "0 3 * * 0", "30 3 * * 0", "5 4 1 jul *"]
    assert answer("keepers", "--crontab") == lines
    assert all(job["next"] is None for job in answer("keepers"))


def test_a_per_cent_sign_is_no_line_break_to_cron(tmp_path: Path) -> None:
    home = tmp_path / "100 %"
    ok("--home", str(home), "init")
    assert f"--home '{tmp_path}/100 \\%'" in ok("--home", str(home), "keepers", "--crontab")


def test_a_time_that_makes_no_sense_is_shown_with_its_setting(clock: FrozenClock) -> None:
    del clock
    ok("config", "set", "keepers.schedule.memory_miner", "61 * * * *")
    text = ok("keepers")
    assert 'keepers.schedule.memory_miner: the cron fields "61 * * * *" cannot be understood: Bad minute' in text
    assert " never " in next(line for line in text.splitlines() if "memory-miner" in line)
    once = run("keepers", "start", "--once")
    assert once.exit_code == 1
    assert once.stderr.startswith("memory-miner: keepers.schedule.memory_miner: the cron fields")
    assert "keepers.schedule.memory_miner" in refusal(2, "keepers", "--crontab")


def test_a_job_that_is_not_there_is_not_found() -> None:
    assert "there is no keeper 'minor'" in refusal(3, "keepers", "history", "minor")


def read_until(process: subprocess.Popen[bytes], text: bytes) -> bytes:
    assert process.stderr is not None
    said = b""
    while text not in said:
        more = os.read(process.stderr.fileno(), 4096)
        assert more, said
        said += more
    return said


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_cleanly(number: signal.Signals, code: int) -> None:
    ok("init")
    process = start("keepers", "start")
    read_until(process, b"Running the keepers of main; press Ctrl-C to stop.")
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err.strip()) == (code, b"", b"Stopped.")


def test_a_home_that_may_only_be_read_shows_its_schedule(clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("keepers", "start", "--once")
    clock.advance(timedelta(days=1))
    run("keepers", "start", "--once")
    opened = os.open

    def read_only(path: Any, flags: int, *more: Any, **further: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY) and ".oldsoul/state/" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, flags, *more, **further)

    monkeypatch.setattr(os, "open", read_only)
    assert by_name()["memory-miner"]["last"]["status"] == "done"
    assert len(answer("keepers", "history", "memory-miner")) == 1
    clock.advance(timedelta(days=1))
    refused = run("keepers", "start", "--once")
    assert refused.exit_code == 1
    assert "Permission denied" in refused.stderr
