"""Threads start long work and end it at random, and their process is killed: each job comes to one end, nothing is half done."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING

from oldsoul.app.talk import imports
from oldsoul.errors import OldsoulError
from oldsoul.values.jobs import EventKind
from oldsoul.values.messages import Wanted
from oldsoul.wiring import open_home
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Oldsoul
    from oldsoul.app.jobs import Job

STEPS = scaled(25, 150)
MOST_AT_ONCE = scaled(15, 60)
"""After at most so many steps the process is killed."""
THREADS = scaled(4, 8)
LINES = [
    json.dumps(
        {
            "session": f"s{n % 7}",
            "kind": "dm",
            "subject": "acct:ann",
            "text": f"word {n}",
            "time": "2026-02-04T10:00:00Z",
        }
    )
    for n in range(scaled(100, 1000))
]
FOREIGN = b"foreign\n"


def work(home: Path, seed: int, writing: int) -> None:
    """Threads at work, by dice, until they are killed."""
    imports.BATCH = 20
    with open_home(home, {}) as soul:
        threads = [
            threading.Thread(target=start_and_end, args=(soul, random.Random(seed + n), writing))  # noqa: S311 - dice
            for n in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def start_and_end(soul: Oldsoul, chance: random.Random, writing: int) -> None:
    try:
        while True:
            try:
                job = started(soul, chance)
                for _ in range(chance.randrange(20_000)):
                    pass
                if chance.random() < 0.5:
                    job.cancel()
                job.wait()
            except OldsoulError:
                continue  # of ours: somebody else is at it, say
            os.write(writing, b"done\n")
    except BaseException:
        traceback.print_exc()
        os.write(writing, FOREIGN)
        raise


def started(soul: Oldsoul, chance: random.Random) -> Job:
    agent = soul.agent()
    match chance.randrange(4):
        case 0:
            return agent.start("import_messages", LINES)
        case 1:
            return agent.start("run", chance.choice(["memory-miner", "session-summarizer", "conflict-detector"]))
        case 2:
            return agent.start("rebuild_index")
        case _:
            made = agent.remember(f"Parcel w{chance.randrange(10**6)}n stands in the hall")
            return agent.start("forget", made.name, made.entry)


def test_whatever_is_ended_or_killed_nothing_is_half_done(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("timezone: UTC\n")
    seed = int.from_bytes(os.urandom(4)) if TORTURE else 1
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    open_home(home, {}).close()
    done = 0
    while done < STEPS:
        reading, writing = os.pipe()
        process = os.fork()
        if not process:
            try:
                work(home, chance.randrange(2**32), writing)
            finally:
                traceback.print_exc()
                os._exit(1)
        os.close(writing)
        chance.randrange(2**32)
        wanted, said = chance.randrange(1, MOST_AT_ONCE), b""
        while said.count(b"\n") < wanted and (more := os.read(reading, 4096)):
            said += more
        os.kill(process, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
        os.close(reading)
        assert FOREIGN not in said
        done += said.count(b"\n")
    with open_home(home, {}) as soul:
        check(home, soul)


def check(home: Path, soul: Oldsoul) -> None:
    told: dict[str, list[str]] = {}
    for event in soul.events(limit=1_000_000):
        if event.kind is EventKind.JOB:
            told.setdefault(event.id, []).append(event.state)
    assert {job.id: str(job.state) for job in soul.jobs()} == {job: each[-1] for job, each in told.items()}
    for each in told.values():
        assert each[0] == "queued"
        assert each[1:-1] in ([], ["running"])
        assert each[-1] in ("done", "failed", "cancelled")
        assert each[-1] != "done" or each[1] == "running"
    assert {each[-1] for each in told.values()} >= {"done", "cancelled", "failed"}
    soul.agent().talk.import_messages(LINES)
    texts = [
        each.text for each in soul._home.chat.find("main", Wanted(limit=sys.maxsize)) if each.text.startswith("word ")
    ]
    assert sorted(texts) == sorted(json.loads(line)["text"] for line in LINES)
    parcel = re.compile(rb"Parcel w[0-9]+n")
    kept = set(parcel.findall(soul.agent().files.show("MEMORY.md").data or b""))
    assert {word for path in (home / "state").iterdir() for word in parcel.findall(_read(path))} <= kept
    assert soul.agent().index.rebuild() > 0


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
