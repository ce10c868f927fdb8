"""A real process killed at the n-th call of one kind, by strace: at every place the kernel sees, not those we thought of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oldsoul.values.names import Name
from torture.test_kill import check, opened, work

NAMES = (Name("main", "memory/2026-02-04/dm.md"), Name("main", "rooms/r.md"))
CALLS = ("fsync", "fdatasync", "renameat", "renameat2", "pwrite64", "openat", "unlinkat", "write")
MOST = 12

pytestmark = [
    pytest.mark.torture,
    pytest.mark.skipif(
        shutil.which("strace") is None, reason="strace IS NOT INSTALLED: kills at system calls go untested"
    ),
]


def run(home: Path, changes: int, *options: str) -> list[str]:
    """What the child acknowledged."""
    script = f"from torture.test_strace import child; child({str(home)!r}, {changes})"
    command = ["strace", "-f", "-qq", "-o", str(home.with_suffix(".trace")), *options, sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.stdout.split()


def child(home: str, changes: int) -> None:
    """Some changes, each acknowledged on standard output."""
    opened(Path(home))
    if changes:
        work(Path(home), f"s{os.getpid()}", NAMES, 1, changes)


def count(home: Path, call: str, changes: int) -> int:
    assert len(run(home, changes, "-e", f"trace={call}")) == changes
    return len(home.with_suffix(".trace").read_text().splitlines())


@pytest.mark.parametrize("call", CALLS)
def test_a_kill_at_any_system_call_loses_nothing(tmp_path: Path, call: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    run(home, 0)  # makes the home, which calls more than opening it does
    first = count(home, call, 0)
    last = count(home, call, 3)
    if last == first:
        pytest.skip(f"nothing calls {call} here")
    acknowledged: list[str] = []
    kills = 0
    for when in range(first + 1, last + 1, max(1, (last - first) // MOST)):
        options = ("-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={when}")
        acknowledged += run(home, 3, *options)
        kills += "killed by SIGKILL" in home.with_suffix(".trace").read_text()
    assert kills
    check(home, NAMES, acknowledged)
