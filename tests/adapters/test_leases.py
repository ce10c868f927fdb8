"""Leases: one at a time, free again when their holder is gone, and what holders say of themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from oldsoul.adapters.clock import LocalTime, local_zone
from oldsoul.adapters.locks import FolderLeases
from oldsoul.testing import MemoryLeases

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.ports import Leases


class Killed(BaseException):
    """What a process that is killed does not get to handle."""


@pytest.fixture(params=["memory", "folder"])
def leases(request: pytest.FixtureRequest, tmp_path: Path) -> Leases:
    return MemoryLeases() if request.param == "memory" else FolderLeases(str(tmp_path / "state" / "jobs"))


def test_one_at_a_time_has_a_lease(leases: Leases) -> None:
    with leases.take("main", "miner") as first:
        assert first is not None
        with leases.take("main", "miner") as second:
            assert second is None
        with leases.take("main", "other") as other, leases.take("scout", "miner") as third:
            assert other is not None
            assert third is not None
    with leases.take("main", "miner") as again:
        assert again is not None


def test_what_its_holder_says_is_seen_while_it_is_held(leases: Leases) -> None:
    assert leases.noted("main", "miner") is None
    with leases.take("main", "miner") as lease:
        assert lease is not None
        assert leases.noted("main", "miner") == ""
        lease.note("a long way to go")
        assert leases.noted("main", "miner") == "a long way to go"
        lease.note("schön")
        assert leases.noted("main", "miner") == "schön"
    assert leases.noted("main", "miner") is None


def test_what_was_said_last_is_left_by_one_who_did_not_come_to_the_end(leases: Leases) -> None:
    with suppress(Killed), leases.take("main", "miner") as lease:
        assert lease is not None
        lease.note("half of it")
        raise Killed
    assert leases.noted("main", "miner") is None
    with leases.take("main", "miner") as looking:
        assert looking is not None
        assert looking.left == "half of it"
    with leases.take("main", "miner") as working:
        assert working is not None
        assert working.left == "half of it"
        working.note("all of it")
    with leases.take("main", "miner") as after:
        assert after is not None
        assert after.left == ""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[int]:
    """Another process that has the lease."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        with suppress(BaseException), FolderLeases(str(tmp_path)).take("main", "miner") as lease:
            assert lease is not None
            lease.note("at it")
            os.write(writing, b".")
            signal.pause()
        os._exit(1)
    assert os.read(reading, 1) == b"."
    yield process
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(process, 0)
    os.close(reading)
    os.close(writing)


def test_a_paused_process_keeps_its_lease_and_a_killed_one_does_not(tmp_path: Path, holder: int) -> None:
    leases = FolderLeases(str(tmp_path))
    os.kill(holder, signal.SIGSTOP)
    os.waitpid(holder, os.WUNTRACED)
    with leases.take("main", "miner") as lease:
        assert lease is None
    assert leases.noted("main", "miner") == "at it"
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    assert leases.noted("main", "miner") is None
    with leases.take("main", "miner") as lease:
        assert lease is not None
        assert lease.left == "at it"


def test_that_a_note_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    leases = FolderLeases(str(tmp_path))
    with leases.take("main", "miner") as lease:
        assert lease is not None
        lease.note("ä" * 5000)
        assert len((leases.noted("main", "miner") or "").encode()) <= 3 * 4096
    with leases.take("main", "miner") as lease:
        assert lease is not None
        null = os.open(os.devnull, os.O_RDONLY)
        lease._note, real = null, lease._note
        lease.note("x")
        lease._note = real
        os.close(null)


def test_the_machines_zone_is_known_with_its_rules(tmp_path: Path) -> None:
    file = tmp_path / "localtime"
    file.symlink_to("/usr/share/zoneinfo/Europe/Berlin")
    copied = tmp_path / "copy"
    copied.write_bytes(file.read_bytes())
    assert local_zone({"TZ": "Asia/Kathmandu"}, str(file)) == ZoneInfo("Asia/Kathmandu")
    assert local_zone({"TZ": ":Asia/Kathmandu"}, str(file)) == ZoneInfo("Asia/Kathmandu")
    assert local_zone({"TZ": f"{file}"}) == ZoneInfo("Europe/Berlin")
    assert local_zone({}, str(file)) == ZoneInfo("Europe/Berlin")
    beside = tmp_path / "timezone"
    beside.write_text("Europe/Berlin\n")
    none = str(tmp_path / "none")
    assert local_zone({}, str(copied), str(beside)) == ZoneInfo("Europe/Berlin")
    assert local_zone({}, none, str(beside)) == ZoneInfo("Europe/Berlin")
    old = tmp_path / "old"
    old.write_text("Etc/UTC\n")  # as where only the file was put in its place
    by_rules = local_zone({}, str(copied), str(old))
    assert str(by_rules) == "local"
    assert datetime(2026, 7, 1, 22, 30, tzinfo=UTC).astimezone(by_rules).isoformat() == "2026-07-02T00:30:00+02:00"
    assert datetime(2026, 1, 1, 22, 30, tzinfo=UTC).astimezone(by_rules).isoformat() == "2026-01-01T23:30:00+01:00"
    assert local_zone({"TZ": ""}, str(file)) is UTC
    for nobody in ({}, {"TZ": "No/Where"}, {"TZ": none}):
        assert isinstance(local_zone(nobody, none, none), LocalTime)


@pytest.fixture(
    params=["Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", "America/New_York", "Australia/Lord_Howe", "UTC"]
)
def process_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The zone of this process, as the C library has it."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("year", [1999, 2026, 2037])
def test_local_time_is_the_c_librarys_in_every_moment(process_zone: str, year: int) -> None:
    del process_zone
    zone = LocalTime()
    first = datetime(year, 1, 1, tzinfo=UTC)
    for hours in range(0, 366 * 24, 3):
        moment = first + timedelta(hours=hours, minutes=30)
        local = moment.astimezone(zone)
        assert local.timetuple()[:6] == time.localtime(moment.timestamp())[:6]
        assert local.astimezone(UTC) == moment
        assert local.utcoffset() == moment.astimezone().utcoffset()


def test_a_home_without_the_extra_for_watching_has_leases_and_events(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['watchfiles'] = None  # as where it is not installed\n"
        "from oldsoul.wiring import open_home\n"
        f"with open_home({str(tmp_path / 'home')!r}, {{}}) as soul: print(soul.events('now').events, soul.jobs())\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "() []\n"
