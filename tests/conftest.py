"""What every test runs under: fixed seeds in `make test`, exploration in `make torture`, no network but loopback."""

from __future__ import annotations

import os
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres import Server

# As Oldsoul's own start does it; here numpy may be loaded before that.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
TORTURE = bool(os.environ.get("OLDSOUL_TORTURE"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # A shell ignores Ctrl+C for what it runs in the background, and the programs that are tried here would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "test", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "torture", deadline=None, derandomize=False, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("torture" if TORTURE else "test")


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _empty_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test sees the home, settings or keys of whoever runs it."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    for name in list(os.environ):
        if name.startswith("OLDSOUL_") and name != "OLDSOUL_TORTURE":
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real PostgreSQL, one for each process that runs tests."""
    from postgres import running  # noqa: PLC0415 - only a run that needs it waits for the driver

    with running() as server:
        yield server
