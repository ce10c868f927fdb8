"""What every test runs under: fixed seeds in `make test`, exploration in `make torture`, no network but loopback."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sys
import threading
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from postgres import Server

# As Oldsoul's own start does it; here numpy may be loaded before that.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Some machines are told not to keep compiled code: each command that a test starts would compile the package again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
TORTURE = bool(os.environ.get("OLDSOUL_TORTURE"))
MEMORY = Path("/dev/shm")  # noqa: S108 - folders are made in it as in any other
if not TORTURE and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2 << 30:
    # Homes are synced to the disk at each write, and most tests wait for nothing else; `make torture` is on the disk.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
FAILED = pytest.StashKey[bool]()

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # A shell ignores Ctrl+C for what it runs in the background, and the programs that are tried here would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "test", deadline=None, derandomize=True, max_examples=20, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "torture", deadline=None, derandomize=False, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("torture" if TORTURE else "test")


@pytest.fixture(scope="session", autouse=True)
def _only_loopback() -> Iterator[None]:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember what failed: its folders are kept."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes an empty folder, named after something. pytest's own lists all folders there are, for each one it makes."""
    base = tmp_path_factory.mktemp("each", numbered=False)
    numbers = count()

    def made(name: str) -> Path:
        folder = base / (re.sub(r"\W", "_", name)[:30] + str(next(numbers)))
        folder.mkdir(mode=0o700)
        return folder

    return made


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, _folders: Callable[[str], Path]) -> Iterator[Path]:
    """A folder for one test, kept where it fails."""
    made = _folders(request.node.name)
    yield made
    if not request.node.stash.get(FAILED, False):
        shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(autouse=True)
def _empty_home(request: pytest.FixtureRequest, _folders: Callable[[str], Path]) -> Iterator[None]:
    """No test sees the home, settings or keys of whoever runs it."""
    before = {name: value for name, value in os.environ.items() if name == "HOME" or name.startswith("OLDSOUL_")}
    for name in before:
        if name != "OLDSOUL_TORTURE":
            del os.environ[name]
    home = _folders("home")
    os.environ["HOME"] = str(home)
    yield
    for name in [name for name in os.environ if name.startswith("OLDSOUL_")]:
        del os.environ[name]
    os.environ.update(before)
    if not request.node.stash.get(FAILED, False):
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real PostgreSQL, one for each process that runs tests."""
    from postgres import running  # noqa: PLC0415 - only a run that needs it waits for the driver

    with running() as server:
        yield server
