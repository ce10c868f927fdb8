"""Locks between processes, and between the threads of one."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.locks import locked
from oldsoul.errors import Busy, Unwritable
from scale import scaled

if TYPE_CHECKING:
    from pathlib import Path

THREADS, TURNS = 8, scaled(50, 500)


def test_one_thread_at_a_time_holds_a_lock(tmp_path: Path) -> None:
    inside = list[int]()

    def work(number: int) -> None:
        for _ in range(TURNS):
            with locked(str(tmp_path / "lock"), "it"):
                inside.append(number)
                assert inside == [number]
                inside.clear()

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))


def test_threads_that_wait_come_in_before_one_that_comes_again_and_again(tmp_path: Path) -> None:
    path, waiting, done = str(tmp_path / "lock"), threading.Event(), threading.Event()

    def once() -> None:
        waiting.set()
        with locked(path, "it"):
            done.set()

    def again() -> None:
        while not done.is_set():
            with locked(path, "it"):
                waiting.wait()

    with ThreadPoolExecutor(4) as pool:
        greedy = [pool.submit(again) for _ in range(3)]
        pool.submit(once).result()
        for each in greedy:
            each.result()


def test_who_does_not_want_to_wait_is_told_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with locked(path, "it"):
        with pytest.raises(Busy, match="has locked it"), locked(path, "it", 0):
            pass
        with locked(str(tmp_path / "other"), "another", 0):
            pass
    with locked(path, "it", 0):
        pass


def test_where_there_can_be_no_lock_nobody_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.mkdir()
    for _ in range(2):  # the first did not keep it
        with pytest.raises((Unwritable, OSError)), locked(str(path), "it", 0):
            pass
