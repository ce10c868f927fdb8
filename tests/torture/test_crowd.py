"""Many processes ask one home while others write to it: no error, no wrong answer, nothing lost."""

from __future__ import annotations

import time
import traceback
from multiprocessing import get_context
from typing import TYPE_CHECKING

from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

OWN, DEV = Session.dm(), Session.group("dev")
PRIVATE = "xylophone"


def write(home: Path, who: int, until: float, most: int, told: Connection) -> None:
    """Write notes and messages until the time is over; says how many there are."""
    try:
        done = 0
        with open_home(home, {}) as soul:
            agent = soul.agent()
            while done < most and time.monotonic() < until:
                agent.hear(f"Parcel w{who}n{done} stands in bay {done % 90} {PRIVATE}", session=OWN, sender="Ann")
                if done % 5 == 0:
                    path = home / f"workspace/main/notes-{who}.md"
                    lines = "\n".join(f"- crate w{who}c{number} is full" for number in range(done % 40 + 1))
                    path.write_text(f"# Crates\n\n{lines}\n")
                agent.recall("where is the parcel?", session=OWN)
                done += 1
        told.send(("wrote", who, done))
    except BaseException:
        told.send(("failed", who, traceback.format_exc()))
        raise


def ask(home: Path, who: int, until: float, most: int, told: Connection) -> None:
    """Ask until the time is over: what is found must be what was asked for, for these eyes."""
    try:
        done = 0
        session = DEV if who % 2 else OWN
        with open_home(home, {}) as soul:
            agent = soul.agent()
            while done < most and time.monotonic() < until:
                number = done % 30
                found = agent.recall(f"where is parcel w{who % 2}n{number}?", session=session)
                texts = [hit.chunk.text for hit in found.hits]
                assert session is OWN or not any(PRIVATE in text for text in texts)
                wanted = f"w{who % 2}n{number} "
                assert not any(wanted in text for text in texts[1:]) or wanted in texts[0]
                done += 1
        told.send(("asked", who, done))
    except BaseException:
        told.send(("failed", who, traceback.format_exc()))
        raise


def test_eight_ask_while_two_write(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("timezone: UTC\n")
    open_home(home, {}).close()
    context = get_context("fork")
    readers, writers, most = scaled(2, 8), 2, scaled(8, 100_000)
    until = time.monotonic() + scaled(600, 30)
    workers, lines = [], []
    for number in range(readers + writers):
        line, told = context.Pipe(duplex=False)
        work = write if number < writers else ask
        workers.append(context.Process(target=work, args=(home, number, until, most, told)))
        lines.append(line)
    for worker in workers:
        worker.start()
    reports = [line.recv() for line in lines]
    for worker in workers:
        worker.join()
    assert [report for report in reports if report[0] == "failed"] == []
    assert all(worker.exitcode == 0 for worker in workers)
    with open_home(home, {}) as soul:
        agent = soul.agent()
        for kind, who, done in reports:
            for number in {0, done // 2, done - 1} if kind == "wrote" else ():
                found = agent.recall(f"where is parcel w{who}n{number}?", session=OWN).hits
                assert f"w{who}n{number} " in found[0].chunk.text
